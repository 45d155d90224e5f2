#include "reference/bonded/bonded.h"

#include "reference/bonded/nearest.h"
#include "reference/interpreter/formula.h"
#include "reference/interpreter/text_program.h"
#include "reference/pairs/sum.h"
#include "reference/terms/bonded_term.h"
#include "reference/terms/text_term.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is being added up. */
struct adding {
    const struct box *box;
    const struct bonded_terms *terms;
    struct written_energy written[BONDED_KINDS];
    double length;         /* the longest that coordinates are rounded at */
    double blur;           /* by how much positions may be off */
    const uint8_t *wanted; /* of every particle; NULL: all are */
    long double *force;    /* 3n, as the three below over all particles of the box */
    double *scale, *slope; /* n */
    uint32_t *neighbours;  /* n */
    struct sum energy[BONDED_KINDS];
    long double virial[9];
    double energy_scale, energy_slope, virial_scale, virial_slope;
    double energy_size, virial_size;
};

/* ---- terms ---- */

static void add_to_particle(struct adding *adding, size_t i, const struct bonded_result *result,
                            int a) {
    for (size_t d = 0; d < 3; d++) {
        adding->force[3 * i + d] += result->force[a][d];
    }
    adding->scale[i] += result->scale[a];
    adding->slope[i] += result->slope[a];
    adding->neighbours[i]++;
}

static void add_to_box(struct adding *adding, int kind, const struct bonded_result *result) {
    double square = 0;
    sum_add(&adding->energy[kind], (double)result->energy);
    for (int k = 0; k < 9; k++) {
        adding->virial[k] += result->virial[k];
        square += (double)(result->virial[k] * result->virial[k]);
    }
    adding->energy_size += fabs((double)result->energy);
    adding->virial_size += sqrt(square);
    adding->energy_scale += result->energy_scale;
    adding->energy_slope += result->energy_slope;
    adding->virial_scale += result->virial_scale;
    adding->virial_slope += result->virial_slope;
}

/* Refuses a text by which the energy or a derivative of this term is not finite. */
static bool check_text(const struct adding *adding, int kind, size_t term,
                       const struct bonded_result *result, struct error *error) {
    const struct written_energy *written = &adding->written[kind];
    const struct bonded_list *list = &adding->terms->lists[kind];
    const int atoms = bonded_forms[kind].atoms;
    bool is_finite = isfinite((double)result->energy) && isfinite(result->energy_scale);
    for (int a = 0; a < atoms; a++) {
        is_finite = is_finite && isfinite(result->scale[a]) && isfinite(result->slope[a]);
    }
    if (!is_finite) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%d: energy or derivatives of this term are no numbers by %s",
                    list->path ? list->path : bonded_forms[kind].name,
                    list->line ? (int)list->line[term] : (int)term + 1, written->said->text->path);
    }
    return true;
}

/* Refuses a text whose energy depends on where a term is, as the first term shows. */
static bool check_stays(const struct written_energy *written, int atoms,
                        const struct kernel_term *term, long double step[3][3],
                        struct error *error) {
    return text_term_stays(written->text, atoms, term, step) ||
           fail(error, STATUS_BAD_INPUT,
                "%s: the energy changes when all particles of a term are moved alike; expected one "
                "of their places relative to each other",
                written->said->text->path);
}

/* Refuses an expression by which the energy or derivative of this term is not finite. */
static bool check_expression(const struct adding *adding, int kind, size_t term,
                             const struct bonded_result *result, struct error *error) {
    const struct bonded_list *list = &adding->terms->lists[kind];
    bool is_finite = isfinite((double)result->energy);
    for (int a = 0; a < bonded_forms[kind].atoms; a++) {
        is_finite = is_finite && isfinite(result->scale[a]);
    }
    return is_finite ||
           fail(error, STATUS_BAD_INPUT,
                "%s:%d: the energy of this term, or its derivative, is no finite number at %s = "
                "%.9g",
                list->path ? list->path : bonded_forms[kind].name,
                list->line ? (int)list->line[term] : (int)term + 1, bonded_forms[kind].variable,
                (double)result->coordinate);
}

static bool add_term(struct adding *adding, int kind, size_t term, struct error *error) {
    const struct bonded_form *form = &bonded_forms[kind];
    const struct bonded_list *list = &adding->terms->lists[kind];
    const int32_t *atom = list->atom + term * (size_t)form->atoms;
    bool wanted = !adding->wanted;
    for (int a = 0; !wanted && a < form->atoms; a++) {
        wanted = adding->wanted[atom[a]];
    }
    if (!wanted) {
        return true;
    }
    long double step[3][3];
    struct bonded_result result;
    for (int a = 0; a + 1 < form->atoms; a++) {
        nearest_step(adding->box, (size_t)atom[a], (size_t)atom[a + 1], step[a]);
    }
    const struct written_energy *written = &adding->written[kind];
    const size_t parameters =
        (size_t)(written->formula || written->text ? list->written.columns : form->parameters);
    const struct kernel_term own = { list->parameter + term * parameters, atom };
    bonded_term_evaluate_written((enum bonded_kind)kind, written, &own, step, adding->blur,
                                 &result);
    if (written->text && (!check_text(adding, kind, term, &result, error) ||
                          (term == 0 && !check_stays(written, form->atoms, &own, step, error)))) {
        return false;
    }
    if (written->formula && !check_expression(adding, kind, term, &result, error)) {
        return false;
    }
    for (int a = 0; a < form->atoms; a++) {
        add_to_particle(adding, (size_t)atom[a], &result, a);
    }
    add_to_box(adding, kind, &result);
    return true;
}

/* ---- the whole ---- */

static bool check_input(const struct box *box, const struct bonded_terms *terms,
                        struct error *error) {
    for (size_t k = 0; k < 3 * box->n; k++) {
        if (!isfinite(box->position[k])) {
            return fail(error, STATUS_BAD_INPUT, "particle %zu: coordinate %g is not finite",
                        k / 3 + 1, box->position[k]);
        }
    }
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        const struct bonded_list *list = &terms->lists[kind];
        for (size_t a = 0; a < list->count * (size_t)bonded_forms[kind].atoms; a++) {
            if (list->atom[a] < 0 || (size_t)list->atom[a] >= box->n) {
                return fail(error, STATUS_BAD_INPUT, "%s: there is no particle %d; the box has %zu",
                            bonded_forms[kind].name, (int)list->atom[a] + 1, box->n);
            }
        }
    }
    return true;
}

static void adding_free(struct adding *adding) {
    free(adding->force);
    free(adding->scale);
    free(adding->slope);
    free(adding->neighbours);
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        formula_free(adding->written[kind].formula);
        text_program_free(adding->written[kind].text);
    }
    *adding = (struct adding){ 0 };
}

/* Energies that files say. */
static bool read_energies(struct adding *adding, struct error *error) {
    bool read = true;
    for (int kind = 0; read && kind < BONDED_KINDS; kind++) {
        const struct bonded_energy *said = &adding->terms->lists[kind].written;
        adding->written[kind].said = said;
        if (said->text) {
            const bool is_periodic = adding->box->periodic;
            read =
                text_program_read_term(said->text, is_periodic, &adding->written[kind].text, error);
        } else if (said->words) {
            read = formula_read_term(said->words, bonded_forms[kind].variable,
                                     &adding->written[kind].formula, error);
        }
    }
    return read;
}

static bool adding_run(const struct box *box, const struct bonded_terms *terms, double unit,
                       const uint8_t *wanted, struct adding *adding, struct error *error) {
    *adding = (struct adding){ .box = box, .terms = terms, .wanted = wanted };
    if (!check_input(box, terms, error)) {
        return false;
    }
    if (!read_energies(adding, error)) {
        adding_free(adding);
        return false;
    }
    adding->length = nearest_length(box);
    adding->blur = unit * adding->length;
    adding->force = calloc(3 * box->n, sizeof *adding->force);
    adding->scale = calloc(box->n, sizeof *adding->scale);
    adding->slope = calloc(box->n, sizeof *adding->slope);
    adding->neighbours = calloc(box->n, sizeof *adding->neighbours);
    if (!adding->force || !adding->scale || !adding->slope || !adding->neighbours) {
        adding_free(adding);
        return fail_out_of_memory(error, "the reference");
    }
    bool added = true;
    for (int kind = 0; added && kind < BONDED_KINDS; kind++) {
        for (size_t term = 0; added && term < terms->lists[kind].count; term++) {
            added = add_term(adding, kind, term, error);
        }
    }
    if (!added) {
        adding_free(adding);
    }
    return added;
}

/* A reference of so many places without sums over the box. */
static bool begin_reference(double length, size_t places, struct reference *reference,
                            struct error *error) {
    *reference = (struct reference){ .n = places, .cutoff = INFINITY, .length_scale = length };
    const size_t some = places ? places : 1;
    reference->force = calloc(3 * some, sizeof *reference->force);
    reference->scale = calloc(some, sizeof *reference->scale);
    reference->slope = calloc(some, sizeof *reference->slope);
    reference->neighbours = calloc(some, sizeof *reference->neighbours);
    if (!reference->force || !reference->scale || !reference->slope || !reference->neighbours) {
        reference_free(reference);
        return fail_out_of_memory(error, "the reference");
    }
    return true;
}

static void fill_place(const struct adding *adding, size_t i, size_t place,
                       struct reference *reference) {
    for (size_t d = 0; d < 3; d++) {
        reference->force[3 * place + d] = (double)adding->force[3 * i + d];
    }
    reference->scale[place] = adding->scale[i];
    reference->slope[place] = adding->slope[i];
    reference->neighbours[place] = adding->neighbours[i];
}

static void fill_totals(const struct adding *adding, struct reference *reference,
                        struct bonded_energies *apart) {
    struct sum energy = { 0 };
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        sum_add(&energy, adding->energy[kind].value);
        sum_add(&energy, adding->energy[kind].rest);
        reference->pairs_in_cutoff += adding->terms->lists[kind].count;
        if (apart) {
            apart->energy[kind] = sum_total(&adding->energy[kind]);
            apart->terms[kind] = adding->terms->lists[kind].count;
        }
    }
    reference->energy = sum_total(&energy);
    for (int k = 0; k < 9; k++) {
        reference->virial[k] = (double)adding->virial[k];
    }
    reference->energy_scale = adding->energy_scale;
    reference->energy_slope = adding->energy_slope;
    reference->virial_scale = adding->virial_scale;
    reference->virial_slope = adding->virial_slope;
    reference->energy_size = adding->energy_size;
    reference->virial_size = adding->virial_size;
}

bool reference_bonded(const struct box *box, const struct bonded_terms *terms, double unit,
                      struct reference *reference, struct bonded_energies *apart,
                      struct error *error) {
    struct adding adding;
    if (!adding_run(box, terms, unit, NULL, &adding, error)) {
        return false;
    }
    const bool begun = begin_reference(adding.length, box->n, reference, error);
    for (size_t i = 0; begun && i < box->n; i++) {
        fill_place(&adding, i, i, reference);
    }
    if (begun) {
        fill_totals(&adding, reference, apart);
    }
    adding_free(&adding);
    return begun;
}

static void clear_totals(struct reference *reference) {
    reference->energy = NAN;
    reference->energy_scale = reference->energy_slope = NAN;
    reference->virial_scale = reference->virial_slope = NAN;
    for (int k = 0; k < 9; k++) {
        reference->virial[k] = NAN;
    }
}

bool reference_bonded_some(const struct bonded_case *asked, const uint32_t *particle, size_t count,
                           struct reference *reference, struct error *error) {
    const struct box *box = asked->box;
    struct adding adding;
    uint8_t *wanted = calloc(box->n, sizeof *wanted);
    if (!wanted) {
        return fail_out_of_memory(error, "the reference");
    }
    for (size_t k = 0; k < count; k++) {
        if (particle[k] >= box->n) {
            free(wanted);
            return fail(error, STATUS_BAD_INPUT, "there is no particle %zu; the box has %zu",
                        (size_t)particle[k] + 1, box->n);
        }
        wanted[particle[k]] = 1;
    }
    bool computed = adding_run(box, asked->terms, asked->unit, wanted, &adding, error);
    free(wanted);
    if (!computed) {
        return false;
    }
    computed = begin_reference(adding.length, count, reference, error);
    for (size_t k = 0; computed && k < count; k++) {
        fill_place(&adding, particle[k], k, reference);
    }
    if (computed) {
        clear_totals(reference);
    }
    adding_free(&adding);
    return computed;
}
