#include "kernels/potentials/bonded.h"

#include "core/error.h"
#include "kernels/expressions/expression.h"
#include "kernels/potentials/pair_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct bonded_form bonded_forms[LISTED_KINDS] = {
    [BONDED_BONDS] = { "r", "bonds", "--bonds", "a bond", "i,j,k,r0", 2, 2 },
    [BONDED_ANGLES] = { "theta", "angles", "--angles", "an angle",
                        "i,j,k,force_constant,theta0_degrees", 3, 2 },
    [BONDED_TORSIONS] = { "phi", "torsions", "--torsions", "a torsion",
                          "i,j,k,l,force_constant,multiplicity,phi0_degrees", 4, 3 },
    [BONDED_RB_TORSIONS] = { NULL, "rb_torsions", "--rb-torsions", "a Ryckaert-Bellemans torsion",
                             "i,j,k,l,c0,c1,c2,c3,c4,c5", 4, 6 },
    [LISTED_CONSTRAINTS] = { NULL, "constraints", "--constraints", "a constraint", "i,j,length", 2,
                             1 },
};

bool bonded_is_written(const struct bonded_list *list) {
    return list->written.expression || list->written.text;
}

int bonded_parameters(const struct bonded_list *list, const struct bonded_form *form) {
    return bonded_is_written(list) ? list->written.columns : form->parameters;
}

size_t bonded_count(const struct bonded_terms *terms) {
    size_t count = 0;
    for (int kind = 0; kind < LISTED_KINDS; kind++) {
        count += terms->lists[kind].count;
    }
    return count;
}

void bonded_free(struct bonded_terms *terms) {
    for (int kind = 0; kind < LISTED_KINDS; kind++) {
        struct bonded_list *list = &terms->lists[kind];
        free(list->atom);
        free(list->parameter);
        free(list->line);
        free(list->path);
        free(list->written.words);
        expression_free(list->written.expression);
        pair_text_free(list->written.text);
    }
    memset(terms, 0, sizeof *terms);
}

/* Makes an array longer. False when memory ran out; the array is as it was. */
static bool grow_array(void **array, size_t bytes) {
    void *grown = realloc(*array, bytes);
    if (grown) {
        *array = grown;
    }
    return grown != NULL;
}

static bool make_room(struct bonded_list *list, const struct bonded_form *form) {
    if (list->count < list->capacity) {
        return true;
    }
    const size_t capacity = list->capacity ? 2 * list->capacity : 256;
    void *atom = list->atom;
    void *parameter = list->parameter;
    bool grown = grow_array(&atom, capacity * (size_t)form->atoms * sizeof *list->atom);
    list->atom = atom;
    grown = grown && grow_array(&parameter, capacity * (size_t)bonded_parameters(list, form) *
                                                sizeof *list->parameter);
    list->parameter = parameter;
    if (list->path) {
        void *line = list->line;
        grown = grown && grow_array(&line, capacity * sizeof *list->line);
        list->line = line;
    }
    list->capacity = grown ? capacity : list->capacity;
    return grown;
}

bool bonded_add(struct bonded_terms *terms, enum bonded_kind kind, const int32_t *atom,
                const double *parameter, struct error *error) {
    const struct bonded_form *form = &bonded_forms[kind];
    struct bonded_list *list = &terms->lists[kind];
    if (bonded_count(terms) >= BONDED_MAX_TERMS) {
        return fail(error, STATUS_BAD_INPUT, "more than %d bonded terms", BONDED_MAX_TERMS);
    }
    if (!make_room(list, form)) {
        return fail_out_of_memory(error, "the bonded terms");
    }
    memcpy(list->atom + list->count * (size_t)form->atoms, atom,
           (size_t)form->atoms * sizeof *atom);
    memcpy(list->parameter + list->count * (size_t)bonded_parameters(list, form), parameter,
           (size_t)bonded_parameters(list, form) * sizeof *parameter);
    list->count++;
    return true;
}

void bonded_close(struct bonded_terms *terms) {
    struct hash_state *hash = hash_begin();
    for (int kind = 0; kind < LISTED_KINDS; kind++) {
        const struct bonded_form *form = &bonded_forms[kind];
        const struct bonded_list *list = &terms->lists[kind];
        if (kind < BONDED_KINDS || list->count > 0) {
            hash_add_string(hash, form->name);
        }
        if (list->written.expression) {
            hash_add_string(hash, list->written.expression->text);
        }
        if (list->written.text) {
            hash_add_string(hash, list->written.text->hash);
        }
        if (list->count > 0) {
            hash_add(hash, list->atom, list->count * (size_t)form->atoms * sizeof *list->atom);
            hash_add(hash, list->parameter,
                     list->count * (size_t)bonded_parameters(list, form) * sizeof *list->parameter);
        }
    }
    hash_end(hash, terms->hash);
}

bool bonded_fit(const struct bonded_terms *terms, const struct box *box, struct error *error) {
    for (int kind = 0; kind < LISTED_KINDS; kind++) {
        const struct bonded_form *form = &bonded_forms[kind];
        const struct bonded_list *list = &terms->lists[kind];
        for (size_t a = 0; a < list->count * (size_t)form->atoms; a++) {
            if ((size_t)list->atom[a] < box->n) {
                continue;
            }
            const size_t term = a / (size_t)form->atoms;
            return fail(error, STATUS_BAD_INPUT, "%s:%d: there is no particle %d; the box has %zu",
                        list->path ? list->path : form->name,
                        list->line ? (int)list->line[term] : (int)term + 1, (int)list->atom[a] + 1,
                        box->n);
        }
    }
    return true;
}

void bonded_write(const struct bonded_terms *terms, enum bonded_kind kind, struct strbuf *text) {
    const struct bonded_form *form = &bonded_forms[kind];
    const struct bonded_list *list = &terms->lists[kind];
    strbuf_append(text, "%s\n", form->header);
    for (size_t t = 0; t < list->count; t++) {
        for (int a = 0; a < form->atoms; a++) {
            strbuf_append(text, "%s%d", a ? "," : "",
                          (int)list->atom[t * (size_t)form->atoms + (size_t)a] + 1);
        }
        for (int p = 0; p < bonded_parameters(list, form); p++) {
            strbuf_append(text, ",%.17g",
                          list->parameter[t * (size_t)bonded_parameters(list, form) + (size_t)p]);
        }
        strbuf_append(text, "\n");
    }
}

/* ---- kinds of boxes with terms ---- */

/* The bonded terms of boxes that are made: of kinds chains, proteins, water, hydrogens, oligomers,
 * polymers and degenerate. */

/* Parameters of made terms: lengths and angles near those of the box. They differ from place to
 * place in a chain, so that a kernel that mixes terms up is wrong. */
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

static bool add_chains(const struct box *box, struct bonded_terms *terms, struct error *error) {
    bool added = true;
    size_t place = 0;
    for (size_t i = 0; added && i < box->n; i++, place++) {
        place = i > 0 && box->molecule[i - 1] == box->molecule[i] ? place : 0;
        for (int kind = 0; added && kind < BONDED_KINDS; kind++) {
            if (kind != BONDED_RB_TORSIONS || place % 3 == 0) {
                added = add_term(box, (enum bonded_kind)kind, i, place, terms, error);
            }
        }
    }
    return added;
}

/* A residue has particles 0 and 1 of the backbone and 2 and 3 of a side group; those of the next
 * one are 4 to 7. A torsion of two multiplicities stands twice; the last one is an improper one, of
 * the three neighbours of particle 1. */
static const struct {
    enum bonded_kind kind;
    int atom[BONDED_MAX_ATOMS];
} residue_terms[] = {
    { BONDED_BONDS, { 0, 1 } },          { BONDED_BONDS, { 1, 2 } },
    { BONDED_BONDS, { 2, 3 } },          { BONDED_BONDS, { 1, 4 } },
    { BONDED_ANGLES, { 0, 1, 2 } },      { BONDED_ANGLES, { 1, 2, 3 } },
    { BONDED_ANGLES, { 0, 1, 4 } },      { BONDED_ANGLES, { 2, 1, 4 } },
    { BONDED_ANGLES, { 1, 4, 5 } },      { BONDED_TORSIONS, { 0, 1, 2, 3 } },
    { BONDED_TORSIONS, { 4, 1, 2, 3 } }, { BONDED_TORSIONS, { 0, 1, 4, 5 } },
    { BONDED_TORSIONS, { 2, 1, 4, 5 } }, { BONDED_TORSIONS, { 1, 4, 5, 8 } },
    { BONDED_TORSIONS, { 1, 4, 5, 8 } }, { BONDED_TORSIONS, { 1, 4, 5, 6 } },
    { BONDED_TORSIONS, { 0, 4, 1, 2 } }, { BONDED_RB_TORSIONS, { 1, 4, 5, 8 } },
};

/* The term of the table that begins with the residue at particle i, where its molecule has all of
 * its particles. */
static bool add_residue_term(const struct box *box, size_t row, size_t i, size_t residue,
                             struct bonded_terms *terms, struct error *error) {
    const enum bonded_kind kind = residue_terms[row].kind;
    int32_t atom[BONDED_MAX_ATOMS];
    double parameter[BONDED_MAX_PARAMETERS];
    for (int a = 0; a < bonded_forms[kind].atoms; a++) {
        const size_t own = i + (size_t)residue_terms[row].atom[a];
        if (own >= box->n || box->molecule[own] != box->molecule[i]) {
            return true;
        }
        atom[a] = (int32_t)own;
    }
    parameters_at(kind, 7 * residue + row, parameter);
    return bonded_add(terms, kind, atom, parameter, error);
}

static bool add_proteins(const struct box *box, struct bonded_terms *terms, struct error *error) {
    enum { RESIDUE = 4 };
    bool added = true;
    size_t place = 0;
    for (size_t i = 0; added && i < box->n; i++, place++) {
        place = i > 0 && box->molecule[i - 1] == box->molecule[i] ? place : 0;
        for (size_t row = 0;
             place % RESIDUE == 0 && added && row < sizeof residue_terms / sizeof residue_terms[0];
             row++) {
            added = add_residue_term(box, row, i, place / RESIDUE, terms, error);
        }
    }
    return added;
}

/* SPC/Fw: Y. Wu, H. L. Tepper, G. A. Voth, J. Chem. Phys. 124, 024503 (2006), in angstrom and
 * kJ/mol. */
static bool add_waters(const struct box *box, struct bonded_terms *terms, struct error *error) {
    static const double bond[] = { 4431.53, 1.012 };
    static const double angle[] = { 317.566, 113.24 };
    bool added = true;
    size_t oxygen = 0;
    for (size_t i = 0; added && i < box->n; i++) {
        if (i == 0 || box->molecule[i - 1] != box->molecule[i]) {
            oxygen = i;
            continue;
        }
        const int32_t pair[] = { (int32_t)oxygen, (int32_t)i };
        const int32_t three[] = { (int32_t)i - 1, (int32_t)oxygen, (int32_t)i };
        added = bonded_add(terms, BONDED_BONDS, pair, bond, error) &&
                (i - oxygen < 2 || bonded_add(terms, BONDED_ANGLES, three, angle, error));
    }
    return added;
}

/* Torsions that chains lack: multiplicities up to the largest allowed. */
static void torsion_at(size_t place, double *parameter) {
    enum { MOST_MULTIPLICITY = 12 };
    parameter[0] = 1.5 + 0.5 * (double)(place % 3);
    parameter[1] = 1.0 + (double)(place % MOST_MULTIPLICITY);
    parameter[2] = 35.0 * (double)(place % 5);
}

/* Adds, of a carbon, a bond to each hydrogen, an angle between every two of them and, of three, an
 * improper torsion. */
static bool add_cluster(const struct box *box, size_t carbon, size_t place,
                        struct bonded_terms *terms, struct error *error) {
    static const double bond[] = { 340.0, 1.0 };
    static const double angle[] = { 33.0, 107.8 };
    double torsion[BONDED_MAX_PARAMETERS];
    bool added = true;
    size_t end = carbon + 1;
    for (; added && end < box->n && box->molecule[end] == box->molecule[carbon]; end++) {
        const int32_t pair[] = { (int32_t)carbon, (int32_t)end };
        added = bonded_add(terms, BONDED_BONDS, pair, bond, error);
        for (size_t h = carbon + 1; added && h < end; h++) {
            const int32_t three[] = { (int32_t)h, (int32_t)carbon, (int32_t)end };
            added = bonded_add(terms, BONDED_ANGLES, three, angle, error);
        }
    }
    if (!added || end - carbon < 4) {
        return added;
    }
    const int32_t c = (int32_t)carbon;
    const int32_t four[] = { c + 1, c, c + 2, c + 3 };
    torsion_at(place, torsion);
    return bonded_add(terms, BONDED_TORSIONS, four, torsion, error);
}

static bool add_hydrogens(const struct box *box, struct bonded_terms *terms, struct error *error) {
    bool added = true;
    size_t of_three = 0;
    for (size_t i = 0; added && i < box->n; i++) {
        if (i == 0 || box->molecule[i - 1] != box->molecule[i]) {
            added = add_cluster(box, i, of_three, terms, error);
            of_three += (size_t)box->molecule[i] % 3 == 2;
        }
    }
    return added;
}

/* Zigzags in a plane: all torsions are trans. Of every second molecule the first, third and fifth
 * particle have an angle, too: they stand in a line. */
static bool add_zigzags(const struct box *box, struct bonded_terms *terms, struct error *error) {
    static const double straight[] = { 50.0, 180.0 };
    double parameter[BONDED_MAX_PARAMETERS];
    bool added = true;
    size_t place = 0;
    for (size_t i = 0; added && i < box->n; i++, place++) {
        place = i > 0 && box->molecule[i - 1] == box->molecule[i] ? place : 0;
        added = add_term(box, BONDED_BONDS, i, place, terms, error) &&
                add_term(box, BONDED_ANGLES, i, place, terms, error);
        if (added && i + 3 < box->n && box->molecule[i + 3] == box->molecule[i]) {
            const int32_t four[] = { (int32_t)i, (int32_t)i + 1, (int32_t)i + 2, (int32_t)i + 3 };
            torsion_at(i, parameter);
            added = bonded_add(terms, BONDED_TORSIONS, four, parameter, error);
        }
        if (added && place == 0 && box->molecule[i] % 2 == 0 && i + 4 < box->n &&
            box->molecule[i + 4] == box->molecule[i]) {
            const int32_t three[] = { (int32_t)i, (int32_t)i + 2, (int32_t)i + 4 };
            added = bonded_add(terms, BONDED_ANGLES, three, straight, error);
        }
    }
    return added;
}

/* A term of a hub, `times` times by parameters that differ, the last time from its other end. */
static bool repeat_term(enum bonded_kind kind, const int32_t *atom, size_t times,
                        struct bonded_terms *terms, struct error *error) {
    const int atoms = bonded_forms[kind].atoms;
    int32_t turned[BONDED_MAX_ATOMS];
    double parameter[BONDED_MAX_PARAMETERS];
    bool added = true;
    for (int a = 0; a < atoms; a++) {
        turned[a] = atom[atoms - 1 - a];
    }
    for (size_t t = 0; added && t < times; t++) {
        parameters_at(kind, t, parameter);
        added = bonded_add(terms, kind, t + 1 < times ? atom : turned, parameter, error);
    }
    return added;
}

/* Adds what the other kinds lack: many terms per particle, and several terms of the same particles.
 * Every 32nd particle is a hub of up to 76 terms: three bonds to each of the six particles before
 * it and the six after; two angles at the hub between a particle before and one after it, unless
 * the zigzag puts the three in a line; four torsions of the same particles. */
static bool add_hubs(const struct box *box, struct bonded_terms *terms, struct error *error) {
    enum { HUBS_APART = 32, REACH = 6, SAME_BONDS = 3, SAME_ANGLES = 2, SAME_TORSIONS = 4 };
    bool added = true;
    for (size_t hub = REACH; added && hub + REACH < box->n; hub += HUBS_APART) {
        const int32_t h = (int32_t)hub;
        if (box->molecule[hub - REACH] != box->molecule[hub + REACH]) {
            continue;
        }
        const int32_t four[] = { h - 1, h, h + 1, h + 2 };
        added = repeat_term(BONDED_TORSIONS, four, SAME_TORSIONS, terms, error);
        for (int32_t before = 1; added && before <= REACH; before++) {
            const int32_t back[] = { h, h - before };
            const int32_t forth[] = { h, h + before };
            added = repeat_term(BONDED_BONDS, back, SAME_BONDS, terms, error) &&
                    repeat_term(BONDED_BONDS, forth, SAME_BONDS, terms, error);
            for (int32_t behind = before % 2 + 1; added && behind <= REACH; behind += 2) {
                const int32_t three[] = { h - before, h, h + behind };
                added = repeat_term(BONDED_ANGLES, three, SAME_ANGLES, terms, error);
            }
        }
    }
    return added;
}

/* Adds all terms of four particles in a row, and an improper torsion about the second, by
 * parameters that differ from molecule to molecule. The first molecule of each shape has no
 * torsions: where they are not defined, the energy is as uncertain as they are large, which would
 * hide errors of angles. */
static bool add_degenerate(const struct box *box, struct bonded_terms *terms, struct error *error) {
    double parameter[BONDED_MAX_PARAMETERS];
    bool added = true;
    size_t place = 0;
    for (size_t i = 0; added && i < box->n; i++, place++) {
        const size_t molecule = (size_t)box->molecule[i];
        const bool has_torsions = molecule >= DEGENERATE_BUT_FOR_TORSIONS;
        place = i > 0 && box->molecule[i - 1] == box->molecule[i] ? place : 0;
        for (int kind = 0; added && kind < BONDED_KINDS; kind++) {
            if (bonded_forms[kind].atoms < 4 || has_torsions) {
                added = add_term(box, (enum bonded_kind)kind, i, molecule + place, terms, error);
            }
        }
        if (added && has_torsions && place == 0 && i + 3 < box->n) {
            const int32_t four[] = { (int32_t)i, (int32_t)i + 2, (int32_t)i + 1, (int32_t)i + 3 };
            torsion_at(molecule, parameter);
            parameter[2] *= -1; /* no other kind has phases below zero */
            added = bonded_add(terms, BONDED_TORSIONS, four, parameter, error);
        }
    }
    return added;
}

bool bonded_kind_has_terms(const char *kind) {
    return box_is_of_kind(kind, "chains") || box_is_of_kind(kind, "proteins") ||
           box_is_of_waters(kind) || box_is_of_kind(kind, "hydrogens") ||
           box_is_of_kind(kind, "oligomers") || box_is_of_kind(kind, "polymers") ||
           box_is_of_kind(kind, "degenerate");
}

bool bonded_of_kind(const struct box *box, struct bonded_terms *terms, struct error *error) {
    memset(terms, 0, sizeof *terms);
    const bool added = box_is_of_waters(box->kind)               ? add_waters(box, terms, error)
                       : box_is_of_kind(box->kind, "proteins")   ? add_proteins(box, terms, error)
                       : box_is_of_kind(box->kind, "hydrogens")  ? add_hydrogens(box, terms, error)
                       : box_is_of_kind(box->kind, "oligomers")  ? add_zigzags(box, terms, error)
                       : box_is_of_kind(box->kind, "polymers")   ? add_hubs(box, terms, error)
                       : box_is_of_kind(box->kind, "degenerate") ? add_degenerate(box, terms, error)
                                                                 : add_chains(box, terms, error);
    if (!added) {
        bonded_free(terms);
        return false;
    }
    bonded_close(terms);
    return true;
}

/* The distance of two particles by the nearest image, as kernels compute it. */
static double distance(const struct box *box, const int32_t *pair) {
    double d[3];
    box_vector(box, &box->position[3 * (size_t)pair[0]], &box->position[3 * (size_t)pair[1]], d);
    return sqrt(vector_dot(d, d));
}

/* In a triclinic cell, the image that kernels find is certain to be the nearest only below half the
 * cell's least height. */
static bool bonded_nearest(const struct bonded_terms *terms, const struct box *box,
                           struct error *error) {
    const double most = 0.5 * box_least_repeat(box);
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        const size_t atoms = (size_t)bonded_forms[kind].atoms;
        const struct bonded_list *list = &terms->lists[kind];
        for (size_t a = 0; a < list->count * atoms; a++) {
            const int32_t *pair = &list->atom[a];
            if (a % atoms + 1 == atoms || distance(box, pair) < most) {
                continue;
            }
            return fail(error, STATUS_BAD_INPUT,
                        "%s:%d: particles %d and %d are %.9g apart; in a cell that leans expected "
                        "less than half its least height, %.9g",
                        list->path ? list->path : bonded_forms[kind].name,
                        list->line ? (int)list->line[a / atoms] : (int)(a / atoms) + 1,
                        (int)pair[0] + 1, (int)pair[1] + 1, distance(box, pair), most);
        }
    }
    return true;
}

/* Adds the terms of one box of a batch, whose particles are numbered from `first` on. */
static bool add_terms(const struct bonded_terms *of_box, size_t first, struct bonded_terms *terms,
                      struct error *error) {
    bool added = true;
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        const struct bonded_list *list = &of_box->lists[kind];
        const size_t atoms = (size_t)bonded_forms[kind].atoms;
        const size_t parameters = (size_t)bonded_forms[kind].parameters;
        for (size_t t = 0; t < list->count && added; t++) {
            int32_t atom[BONDED_MAX_ATOMS];
            for (size_t a = 0; a < atoms; a++) {
                atom[a] = list->atom[atoms * t + a] + (int32_t)first;
            }
            added = bonded_add(terms, (enum bonded_kind)kind, atom,
                               &list->parameter[parameters * t], error);
        }
    }
    return added;
}

/* Resolves the terms of each box of a batch, as if it were alone. */
static bool resolve_batch(const struct box *box, struct bonded_terms *made, struct error *error) {
    bool good = true;
    for (size_t b = 0; good && b < box_count(box); b++) {
        const struct box one = box_of_batch(box, b);
        const struct bonded_terms *terms;
        struct bonded_terms of_box;
        if (one.n == 0) {
            continue;
        }
        good = bonded_resolve(NULL, &one, &of_box, &terms, error) &&
               add_terms(&of_box, one.first, made, error);
        bonded_free(&of_box);
    }
    if (good) {
        bonded_close(made);
    } else {
        bonded_free(made);
    }
    return good;
}

bool bonded_resolve(const struct bonded_terms *given, const struct box *box,
                    struct bonded_terms *made, const struct bonded_terms **terms,
                    struct error *error) {
    memset(made, 0, sizeof *made);
    *terms = given ? given : made;
    if (!given && !(box->molecule && bonded_kind_has_terms(box->kind))) {
        return fail(error, STATUS_BAD_INPUT,
                    "a box of kind %s has no bonded terms; expected --bonds, --angles, --torsions "
                    "or --rb-torsions with a file, or --kind chains, proteins, water, hydrogens, "
                    "oligomers, polymers or degenerate",
                    box->kind);
    }
    if (!given && box->batch > 1) {
        return resolve_batch(box, made, error);
    }
    return (given ? bonded_fit(given, box, error) : bonded_of_kind(box, made, error)) &&
           (!box->periodic || !cell_is_triclinic(&box->cell) || bonded_nearest(*terms, box, error));
}
