/* The bonded terms of a box of kind chains. */
#include "interaction/bonded.h"

#include "base/error.h"

#include <string.h>

/* Lengths and angles near those that the box is made with, and parameters that differ from place to
 * place in a chain, so that a term that gets those of another one shows. */
static void parameters_at(enum bonded_kind kind, size_t place, double *parameter) {
    static const double phi0[] = { 0, 180, 60 };
    static const double butane[] = { 9.28, 12.16, -13.12, -3.06, 26.24, -31.5 };
    switch (kind) {
    case BONDED_BONDS:
        parameter[0] = 300.0 + 50.0 * (double)(place % 4);
        parameter[1] = 1.25 + 0.0625 * (double)(place % 3);
        break;
    case BONDED_ANGLES:
        parameter[0] = 60.0 + 10.0 * (double)(place % 3);
        parameter[1] = 80.0 + 7.5 * (double)(place % 5);
        break;
    case BONDED_TORSIONS:
        parameter[0] = 1.5 + 0.5 * (double)(place % 4);
        parameter[1] = 1.0 + (double)(place % 4);
        parameter[2] = phi0[place % 3];
        break;
    default:
        for (int m = 0; m < 6; m++) {
            parameter[m] = butane[m] * 0.0625 * (double)(1 + place % 2);
        }
        break;
    }
}

/* The term of a kind that begins with particle i, at `place` of its chain. */
static bool add_term(const struct box *box, enum bonded_kind kind, size_t i, size_t place,
                     struct bonded_terms *terms, struct error *error) {
    const size_t atoms = (size_t)bonded_forms[kind].atoms;
    int32_t atom[BONDED_MAX_ATOMS];
    double parameter[BONDED_MAX_PARAMETERS];
    if (i + atoms > box->n || box->molecule[i + atoms - 1] != box->molecule[i]) {
        return true;
    }
    for (size_t a = 0; a < atoms; a++) {
        atom[a] = (int32_t)(i + a);
    }
    parameters_at(kind, place, parameter);
    return bonded_add(terms, kind, atom, parameter, error);
}

bool bonded_of_chains(const struct box *box, struct bonded_terms *terms, struct error *error) {
    bool added = true;
    size_t place = 0;
    memset(terms, 0, sizeof *terms);
    for (size_t i = 0; added && i < box->n; i++, place++) {
        place = i > 0 && box->molecule[i - 1] == box->molecule[i] ? place : 0;
        for (int kind = 0; added && kind < BONDED_KINDS; kind++) {
            if (kind != BONDED_RB_TORSIONS || place % 3 == 0) {
                added = add_term(box, (enum bonded_kind)kind, i, place, terms, error);
            }
        }
    }
    if (!added) {
        bonded_free(terms);
        return false;
    }
    bonded_close(terms);
    return true;
}

bool bonded_kind_has_chains(const char *kind) {
    static const char chains[] = "chains";
    return strcspn(kind, "@") == strlen(chains) && strncmp(kind, chains, strlen(chains)) == 0;
}

bool bonded_resolve(const struct bonded_terms *given, const struct box *box,
                    struct bonded_terms *made, const struct bonded_terms **terms,
                    struct error *error) {
    memset(made, 0, sizeof *made);
    *terms = given ? given : made;
    if (given) {
        return bonded_fit(given, box, error);
    }
    return box->molecule && bonded_kind_has_chains(box->kind)
               ? bonded_of_chains(box, made, error)
               : fail(error, STATUS_BAD_INPUT,
                      "a box of kind %s has no bonded terms; expected --bonds, --angles, "
                      "--torsions or --rb-torsions with a file, or --kind chains",
                      box->kind);
}
