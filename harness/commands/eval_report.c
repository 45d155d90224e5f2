#include "commands/command_parts.h"

#include "campaign/axes/axes.h"
#include "campaign/plan/plan.h"
#include "core/quantity.h"
#include "core/strings.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- a line or a member at a time ---- */

/* Where it goes: into an object, or as lines to standard output where that is NULL. */
static void add_word(struct json_object *object, const char *key, const char *word) {
    if (object) {
        json_add_text(object, key, word);
    } else {
        (void)printf("%-15s  %s\n", key, word);
    }
}

static void add_count(struct json_object *object, const char *key, int64_t count) {
    if (object) {
        json_add_count(object, key, count);
    } else {
        (void)printf("%-15s  %lld\n", key, (long long)count);
    }
}

static struct json_object *number_object(double value) {
    struct json_object *number = json_object_new_double(value);
    json_object_set_serializer(number, json_object_double_to_json_string, (void *)"%.17g", NULL);
    return number;
}

static void add_exact(struct json_object *object, const char *key, double value) {
    if (object) {
        json_object_object_add(object, key, number_object(value));
    } else {
        add_word(NULL, key, quantity_exact(value).text);
    }
}

static void add_finite(struct json_object *object, const char *key, double value) {
    if (isfinite(value)) {
        add_exact(object, key, value);
    }
}

/* Numbers in a row of an array, or in columns of lines of three. */
static void add_matrix(struct json_object *object, const char *key, const double numbers[9]) {
    struct json_object *array = object ? json_object_new_array() : NULL;
    for (int k = 0; object && k < 9; k++) {
        json_object_array_add(array, number_object(numbers[k]));
    }
    if (object) {
        json_object_object_add(object, key, array);
        return;
    }
    for (int k = 0; k < 9; k += 3) {
        (void)printf("%-15s  %24s %24s %24s\n", k ? "" : key, quantity_exact(numbers[k]).text,
                     quantity_exact(numbers[k + 1]).text, quantity_exact(numbers[k + 2]).text);
    }
}

/* ---- the case ---- */

/* JSON has no infinity. */
static void add_cutoff(struct json_object *object, double cutoff) {
    char words[32] = "none";
    if (object) {
        json_object_object_add(object, "cutoff", isfinite(cutoff) ? number_object(cutoff) : NULL);
        return;
    }
    if (isfinite(cutoff)) {
        (void)snprintf(words, sizeof words, "%.10g", cutoff);
    }
    add_word(NULL, "cutoff", words);
}

/* Whether the box is periodic, for a workload of particles. */
static void add_periodicity(const struct box_spec *box, struct json_object *object) {
    struct strbuf words = { 0 };
    if (object) {
        json_add_flag(object, "periodic", !box_spec_is_open(box));
    } else if (box_spec_is_open(box)) {
        command_append_open(box, &words);
        add_word(NULL, "box", strbuf_text(&words));
    }
    strbuf_free(&words);
}

static void add_case(const struct eval_result *result, struct json_object *object) {
    const struct case_spec *spec = result->spec;
    const struct evaluation *evaluation = result->evaluation;
    const bool interacts = axis_is_of(AXIS_INTERACTION, spec->variant->workload);
    struct strbuf interaction = { 0 };
    interaction_describe(&spec->interaction, &interaction);
    add_word(object, "workload", spec->variant->workload->name);
    add_word(object, "variant", spec->variant->name);
    if (interacts) {
        add_word(object, "interaction",
                 interaction.data ? interaction.data : spec->interaction.name);
    }
    if (interacts || (!object && isfinite(evaluation->cutoff))) {
        add_cutoff(object, evaluation->cutoff);
    }
    add_word(object, "precision", precision_name(spec->precision));
    add_word(object, "device", result->device);
    add_count(object, "n", (int64_t)evaluation->n);
    if (axis_is_of(AXIS_KIND, spec->variant->workload)) {
        add_periodicity(&spec->box, object);
    }
    if (evaluation->pairs_in_cutoff >= 0) {
        add_count(object, "pairs_in_cutoff", evaluation->pairs_in_cutoff);
    }
    strbuf_free(&interaction);
}

/* The vectors of the cell, row by row. */
static void add_cell(const struct evaluation *evaluation, struct json_object *object) {
    const struct cell *cell = &evaluation->cell;
    double vectors[9] = { cell->edge[0], 0.0,           0.0,           cell->tilt[0], cell->edge[1],
                          0.0,           cell->tilt[1], cell->tilt[2], cell->edge[2] };
    const bool *reversed = evaluation->reversed;
    double angle[3];
    for (size_t k = 0; k < 9; k++) {
        vectors[k] = reversed[k / 3] ? 0.0 - vectors[k] : vectors[k];
    }
    if (!cell_is_triclinic(cell)) {
        return;
    }
    add_matrix(object, "cell", vectors);
    if (object) {
        json_add_flag(object, "rotated", evaluation->rotated);
        return;
    }
    cell_angles(cell, angle);
    for (size_t k = 0; k < 3; k++) { /* of two vectors, one of which is reversed */
        angle[k] = reversed[(k + 1) % 3] != reversed[(k + 2) % 3] ? 180.0 - angle[k] : angle[k];
    }
    (void)printf("%-15s  %.10g %.10g %.10g\n", "angles", angle[0], angle[1], angle[2]);
    if (evaluation->rotated) {
        add_word(NULL, "rotated",
                 "the file's cell was no lower triangle: forces are in the rotated frame");
    }
}

/* ---- results that are not over particles: all, or the first of many, and what they are like ----
 */

enum { MOST_SHOWN = 64, FIRST_SHOWN = 4 };

/* Mean and variance of the numbers. */
static void find_moments(const struct evaluation *evaluation, double *mean, double *variance) {
    const double count = (double)evaluation->numbers;
    double sum = 0;
    double squares = 0;
    for (size_t k = 0; k < evaluation->numbers; k++) {
        sum += evaluation->force[k];
    }
    *mean = sum / count;
    for (size_t k = 0; k < evaluation->numbers; k++) {
        const double off = evaluation->force[k] - *mean;
        squares += off * off;
    }
    *variance = squares / count;
}

/* The first `count` results under one name. */
static void add_results(const struct eval_result *result, const char *name, size_t count,
                        struct json_object *object) {
    struct json_object *all = object ? json_object_new_array() : NULL;
    for (size_t k = 0; k < count; k++) {
        const double value = result->evaluation->force[k];
        if (object) {
            json_object_array_add(all, number_object(value));
        } else {
            add_exact(NULL, k > 0 ? "" : name, value);
        }
    }
    if (object) {
        json_object_object_add(object, name, all);
    }
}

static void add_places(const struct eval_result *result, struct json_object *object) {
    const struct evaluation *evaluation = result->evaluation;
    const size_t shown = evaluation->numbers <= MOST_SHOWN ? evaluation->numbers : FIRST_SHOWN;
    double mean, variance;
    if (!judge_of(result->spec)->choose) { /* so few that all of them are judged */
        add_results(result, result->spec->variant->workload->words.results, evaluation->numbers,
                    object);
        return;
    }
    if (axis_is_of(AXIS_DISTRIBUTION, result->spec->variant->workload)) {
        char seed[32];
        (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)evaluation->seed);
        add_word(object, "distribution",
                 axis_value_name(AXIS_DISTRIBUTION, result->spec->distribution));
        if (object) {
            json_object_object_add(object, "seed", json_object_new_uint64(evaluation->seed));
        } else {
            add_word(NULL, "seed", seed);
        }
    }
    find_moments(evaluation, &mean, &variance);
    add_exact(object, "mean", mean);
    add_exact(object, "variance", variance);
    add_results(result, "first", shown, object);
}

/* ---- lists ---- */

/* How many entries the rows of particles have, at least and at most; zeros where they were too many
 * to be kept. */
static void find_rows(const struct evaluation *evaluation, int64_t *least, int64_t *most) {
    int64_t *count = calloc(evaluation->n + 1, sizeof *count);
    *least = 0;
    *most = 0;
    for (size_t k = 0; count && k + LISTED_NUMBERS <= evaluation->numbers; k += LISTED_NUMBERS) {
        const double i = evaluation->force[k];
        count[i >= 0 && i < (double)evaluation->n ? (size_t)i : evaluation->n]++;
    }
    for (size_t i = 0; count && i < evaluation->n; i++) {
        *least = i == 0 || count[i] < *least ? count[i] : *least;
        *most = count[i] > *most ? count[i] : *most;
    }
    free(count);
}

static void add_list(const struct eval_result *result, struct json_object *object) {
    static const enum axis axes[] = { AXIS_LIST_FORM, AXIS_LIST_PAIRS, AXIS_LIST_ENTRIES };
    const struct evaluation *evaluation = result->evaluation;
    struct json_object *entries = json_object_new_array();
    int64_t least, most;
    for (size_t a = 0; a < sizeof axes / sizeof axes[0]; a++) {
        struct strbuf words = { 0 };
        (void)case_words(result->spec, axis_table[axes[a]].column, &words);
        json_add_text(object, column_table[axis_table[axes[a]].column].name, strbuf_text(&words));
        strbuf_free(&words);
    }
    find_rows(evaluation, &least, &most);
    json_add_count(object, "listed", evaluation->listed);
    json_add_count(object, "row_least", least);
    json_add_count(object, "row_most", most);
    for (size_t k = 0; k + LISTED_NUMBERS <= evaluation->numbers; k += LISTED_NUMBERS) {
        struct json_object *entry = json_object_new_array();
        for (size_t d = 0; d < LISTED_NUMBERS; d++) { /* particles from 1 */
            json_object_array_add(
                entry, json_object_new_int64((int64_t)evaluation->force[k + d] + (d < 2)));
        }
        json_object_array_add(entries, entry);
    }
    json_object_object_add(object, "entries", entries);
}

static void print_list(const struct evaluation *evaluation) {
    const size_t kept = evaluation->numbers / LISTED_NUMBERS;
    const size_t shown = kept <= MOST_SHOWN ? kept : FIRST_SHOWN;
    int64_t least, most;
    find_rows(evaluation, &least, &most);
    add_count(NULL, "listed", evaluation->listed);
    if (kept > 0) {
        (void)printf("%-15s  %lld to %lld\n", "of a particle", (long long)least, (long long)most);
    }
    for (size_t k = 0; k < shown; k++) {
        const double *entry = &evaluation->force[LISTED_NUMBERS * k];
        (void)printf("%-15s  %.0f %.0f  %.0f %.0f %.0f\n", k > 0 ? "" : "i j  shift", entry[0] + 1,
                     entry[1] + 1, entry[2], entry[3], entry[4]);
    }
}

/* ---- numbers ---- */

/* The reference's energy of each kind of terms; lines only for kinds that the box has. */
static void add_terms(const struct bonded_energies *terms, struct json_object *object) {
    struct json_object *kinds = object ? json_object_new_object() : NULL;
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        if (object) {
            struct json_object *of_kind = json_object_new_object();
            json_add_count(of_kind, "terms", (int64_t)terms->terms[kind]);
            add_exact(of_kind, "energy", terms->energy[kind]);
            json_object_object_add(kinds, bonded_forms[kind].name, of_kind);
        } else if (terms->terms[kind] > 0) {
            (void)printf("  %-13s  %s (reference, %llu terms)\n", bonded_forms[kind].name,
                         quantity_exact(terms->energy[kind]).text,
                         (unsigned long long)terms->terms[kind]);
        }
    }
    if (object) {
        json_object_object_add(object, "reference_terms", kinds);
    }
}

/* The scalars of each box of a batch. */
static void add_boxes(const struct eval_result *result, struct json_object *object) {
    const struct evaluation *evaluation = result->evaluation;
    const struct workload_words *words = &result->spec->variant->workload->words;
    struct json_object *boxes = json_object_new_array();
    for (size_t b = 0; b < evaluation->boxes; b++) {
        const struct box_scalars *scalars = &evaluation->of_box[b];
        struct json_object *box = json_object_new_object();
        add_exact(box, words->value, scalars->energy);
        if (result->spec->outputs == OUTPUTS_VIRIAL) {
            add_matrix(box, words->tensor_key, scalars->virial);
        }
        json_object_array_add(boxes, box);
    }
    json_object_object_add(object, "boxes", boxes);
}

static void add_numbers(const struct eval_result *result, struct json_object *object) {
    const struct case_spec *spec = result->spec;
    const struct evaluation *evaluation = result->evaluation;
    const bool lists = axis_is_of(AXIS_LIST_FORM, spec->variant->workload);
    if (lists && object) {
        add_list(result, object);
    }
    if (spec->variant->workload->places) {
        add_places(result, object);
        return;
    }
    if (lists && !object) {
        print_list(evaluation);
        return;
    }
    if (spec->outputs != OUTPUTS_FORCES) {
        add_exact(object, spec->variant->workload->words.value, evaluation->energy);
    }
    if (result->has_terms) {
        add_terms(&result->terms, object);
    }
    for (size_t k = 0; k < result->beside_count; k++) {
        add_exact(object, result->beside[k].name, result->beside[k].value);
    }
    if (isfinite(evaluation->energy_vdw)) {
        add_exact(object, "energy_vdw", evaluation->energy_vdw);
        add_exact(object, "energy_coulomb", evaluation->energy_coulomb);
    }
    add_finite(object, "kinetic_energy", evaluation->kinetic_energy);
    add_finite(object, "bath_energy", evaluation->thermostat_energy);
    if (spec->outputs == OUTPUTS_VIRIAL) {
        add_matrix(object, spec->variant->workload->words.tensor_key, evaluation->virial);
    }
    if (object && evaluation->boxes > 0) {
        add_boxes(result, object);
    }
}

static void print_verdict(const struct verdict *verdict) {
    if (!verdict) {
        add_word(NULL, "reference", "not compared (--no-reference)");
    } else if (verdict->status == STATUS_OK) {
        (void)printf("%-15s  ok, largest error %s of its tolerance\n", "reference",
                     quantity_ratio(verdict->worst_ratio).text);
    } else {
        (void)printf("%-15s  %s: %s\n", "reference", status_name(verdict->status),
                     verdict->message);
    }
}

static void add_verdict(const struct verdict *verdict, struct json_object *object) {
    json_add_flag(object, "compared", verdict != NULL);
    if (!verdict) {
        return;
    }
    json_add_text(object, "status", status_name(verdict->status));
    if (verdict->message[0]) {
        json_add_text(object, "message", verdict->message);
    }
    add_finite(object, "worst_ratio", verdict->worst_ratio);
}

void eval_report(const struct eval_result *result, bool json) {
    struct json_object *object = json ? json_object_new_object() : NULL;
    add_case(result, object);
    add_cell(result->evaluation, object);
    add_numbers(result, object);
    if (!json) {
        print_verdict(result->verdict);
        return;
    }
    add_verdict(result->verdict, object);
    (void)puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_SPACED |
                                                          JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(object);
}

/* ---- energies of the kinds of bonded terms, and what else the reference has ---- */

static bool take_box(const struct case_spec *spec, struct box *rounded, struct error *error) {
    struct box box;
    if (!box_of_spec(&spec->box, &box, error)) {
        return false;
    }
    const bool taken = box_as_device(&box, spec->precision, rounded, error);
    box_free(&box);
    return taken;
}

bool eval_terms(const struct case_spec *spec, struct bonded_energies *energies,
                struct error *error) {
    struct box box;
    struct bonded_terms made;
    const struct bonded_terms *terms;
    struct reference reference = { 0 };
    if (!take_box(spec, &box, error)) {
        return false;
    }
    const bool computed =
        bonded_resolve(spec->interaction.bonded, &box, &made, &terms, error) &&
        reference_bonded(&box, terms, format_unit(precision_numeric(spec->precision).arithmetic),
                         &reference, energies, error);
    reference_free(&reference);
    bonded_free(&made);
    box_free(&box);
    return computed;
}

bool eval_beside(struct eval_result *result, struct error *error) {
    const struct judge *judge = judge_of(result->spec);
    struct box box;
    if (!judge->beside) {
        return true;
    }
    if (!take_box(result->spec, &box, error)) {
        return false;
    }
    const struct judge_question question = { .spec = result->spec,
                                             .box = &box,
                                             .cutoff = INFINITY };
    const bool computed = judge->beside(&question, result->beside, &result->beside_count, error);
    box_free(&box);
    return computed;
}
