#include "commands/eval_report.h"

#include "campaign/axes/axes.h"
#include "campaign/case_identity.h"
#include "commands/json.h"
#include "core/quantity.h"
#include "core/strings.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- JSON ---- */

static struct json_object *number_object(double value) {
    struct json_object *number = json_object_new_double(value);
    json_object_set_serializer(number, json_object_double_to_json_string, (void *)"%.17g", NULL);
    return number;
}

static void add_exact(struct json_object *object, const char *key, double value) {
    json_object_object_add(object, key, number_object(value));
}

static void add_finite(struct json_object *object, const char *key, double value) {
    if (isfinite(value)) {
        add_exact(object, key, value);
    }
}

static void add_case(const struct eval_result *result, struct json_object *object) {
    const struct case_spec *spec = result->spec;
    const struct evaluation *evaluation = result->evaluation;
    struct strbuf interaction = { 0 };
    interaction_describe(&spec->interaction, &interaction);
    json_add_text(object, "workload", spec->variant->workload->name);
    json_add_text(object, "variant", spec->variant->name);
    if (axis_is_of(AXIS_INTERACTION, spec->variant->workload)) {
        json_add_text(object, "interaction",
                      interaction.data ? interaction.data : spec->interaction.name);
        /* JSON has no infinity. */
        json_object_object_add(object, "cutoff",
                               isfinite(evaluation->cutoff) ? number_object(evaluation->cutoff)
                                                            : NULL);
    }
    json_add_text(object, "precision", precision_name(spec->precision));
    json_add_text(object, "device", result->device);
    json_add_count(object, "n", (int64_t)evaluation->n);
    if (evaluation->pairs_in_cutoff >= 0) {
        json_add_count(object, "pairs_in_cutoff", evaluation->pairs_in_cutoff);
    }
    strbuf_free(&interaction);
}

/* The vectors of the cell, row by row. */
static void add_cell(const struct evaluation *evaluation, struct json_object *object) {
    const struct cell *cell = &evaluation->cell;
    const double vectors[9] = { cell->edge[0], 0.0,           0.0,
                                cell->tilt[0], cell->edge[1], 0.0,
                                cell->tilt[1], cell->tilt[2], cell->edge[2] };
    if (!cell_is_triclinic(cell)) {
        return;
    }
    struct json_object *array = json_object_new_array();
    for (int k = 0; k < 9; k++) {
        json_object_array_add(array, number_object(vectors[k]));
    }
    json_object_object_add(object, "cell", array);
    json_add_flag(object, "rotated", evaluation->rotated);
}

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

/* Of results that are not over particles: all, or the first of many, and what they are like. */
enum { MOST_SHOWN = 64, FIRST_SHOWN = 4 };

static size_t count_shown(const struct evaluation *evaluation) {
    return evaluation->numbers <= MOST_SHOWN ? evaluation->numbers : FIRST_SHOWN;
}

static void add_places(const struct eval_result *result, struct json_object *object) {
    const struct evaluation *evaluation = result->evaluation;
    const struct workload *workload = result->spec->variant->workload;
    struct json_object *shown = json_object_new_array();
    if (axis_is_of(AXIS_DISTRIBUTION, workload)) {
        json_add_text(object, "distribution",
                      axis_value_name(AXIS_DISTRIBUTION, result->spec->distribution));
        json_object_object_add(object, "seed", json_object_new_uint64(evaluation->seed));
    }
    double mean;
    double variance;
    find_moments(evaluation, &mean, &variance);
    add_exact(object, "mean", mean);
    add_exact(object, "variance", variance);
    for (size_t k = 0; k < count_shown(evaluation); k++) {
        json_object_array_add(shown, number_object(evaluation->force[k]));
    }
    json_object_object_add(object, "first", shown);
}

/* Of each kind of terms, as the reference has it. */
static void add_terms(const struct bonded_energies *terms, struct json_object *object) {
    struct json_object *kinds = json_object_new_object();
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        struct json_object *of_kind = json_object_new_object();
        json_add_count(of_kind, "terms", (int64_t)terms->terms[kind]);
        add_exact(of_kind, "energy", terms->energy[kind]);
        json_object_object_add(kinds, bonded_forms[kind].name, of_kind);
    }
    json_object_object_add(object, "reference_terms", kinds);
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
    int64_t least;
    int64_t most;
    for (size_t a = 0; a < sizeof axes / sizeof axes[0]; a++) {
        struct strbuf words = { 0 };
        (void)case_words(result->spec, axis_table[axes[a]].column, &words);
        json_add_text(object, column_table[axis_table[axes[a]].column].name,
                      words.data ? words.data : "");
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
    int64_t least;
    int64_t most;
    find_rows(evaluation, &least, &most);
    (void)printf("%-15s  %lld\n", "listed", (long long)evaluation->listed);
    if (kept > 0) {
        (void)printf("%-15s  %lld to %lld\n", "of a particle", (long long)least, (long long)most);
    }
    for (size_t k = 0; k < shown; k++) {
        const double *entry = &evaluation->force[LISTED_NUMBERS * k];
        (void)printf("%-15s  %.0f %.0f  %.0f %.0f %.0f\n", k > 0 ? "" : "i j  shift", entry[0] + 1,
                     entry[1] + 1, entry[2], entry[3], entry[4]);
    }
}

static void add_numbers(const struct eval_result *result, struct json_object *object) {
    const struct case_spec *spec = result->spec;
    const struct evaluation *evaluation = result->evaluation;
    if (axis_is_of(AXIS_LIST_FORM, spec->variant->workload)) {
        add_list(result, object);
    }
    if (spec->variant->workload->places) {
        add_places(result, object);
        return;
    }
    if (spec->outputs != OUTPUTS_FORCES) {
        add_exact(object, spec->variant->workload->words.value, evaluation->energy);
    }
    if (result->has_terms) {
        add_terms(&result->terms, object);
    }
    add_finite(object, "kinetic_energy", evaluation->kinetic_energy);
    add_finite(object, "bath_energy", evaluation->thermostat_energy);
    if (isfinite(evaluation->energy_vdw)) {
        add_exact(object, "energy_vdw", evaluation->energy_vdw);
        add_exact(object, "energy_coulomb", evaluation->energy_coulomb);
    }
    if (spec->outputs == OUTPUTS_VIRIAL) {
        struct json_object *virial = json_object_new_array();
        for (int i = 0; i < 9; i++) {
            json_object_array_add(virial, number_object(evaluation->virial[i]));
        }
        json_object_object_add(object, spec->variant->workload->words.tensor_key, virial);
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

void eval_report_json(const struct eval_result *result) {
    struct json_object *object = json_object_new_object();
    add_case(result, object);
    add_cell(result->evaluation, object);
    add_numbers(result, object);
    add_verdict(result->verdict, object);
    (void)puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_SPACED |
                                                          JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(object);
}

/* ---- words ---- */

static void print_word(const char *key, const char *word) {
    (void)printf("%-15s  %s\n", key, word);
}

static void print_number(const char *key, double value) {
    char word[QUANTITY_SIZE];
    quantity_exact(value, word, sizeof word);
    print_word(key, word);
}

/* Three in columns. */
static void print_vector(const char *key, double x, double y, double z) {
    const double numbers[3] = { x, y, z };
    char words[3][QUANTITY_SIZE];
    for (int k = 0; k < 3; k++) {
        quantity_exact(numbers[k], words[k], sizeof words[k]);
    }
    (void)printf("%-15s  %24s %24s %24s\n", key, words[0], words[1], words[2]);
}

static void print_cutoff(const struct evaluation *evaluation) {
    if (isfinite(evaluation->cutoff)) {
        (void)printf("%-15s  %.10g\n", "cutoff", evaluation->cutoff);
    } else {
        print_word("cutoff", "none");
    }
}

static void print_places(const struct eval_result *result) {
    const struct evaluation *evaluation = result->evaluation;
    const struct workload *workload = result->spec->variant->workload;
    if (axis_is_of(AXIS_DISTRIBUTION, workload)) {
        print_word("distribution", axis_value_name(AXIS_DISTRIBUTION, result->spec->distribution));
        (void)printf("%-15s  %llu\n", "seed", (unsigned long long)evaluation->seed);
    }
    double mean;
    double variance;
    find_moments(evaluation, &mean, &variance);
    print_number("mean", mean);
    print_number("variance", variance);
    for (size_t k = 0; k < count_shown(evaluation); k++) {
        print_number(k > 0 ? "" : "first", evaluation->force[k]);
    }
}

static void print_case(const struct eval_result *result) {
    const struct case_spec *spec = result->spec;
    const struct evaluation *evaluation = result->evaluation;
    struct strbuf interaction = { 0 };
    interaction_describe(&spec->interaction, &interaction);
    print_word("workload", spec->variant->workload->name);
    print_word("variant", spec->variant->name);
    if (axis_is_of(AXIS_INTERACTION, spec->variant->workload)) {
        print_word("interaction", interaction.data ? interaction.data : spec->interaction.name);
    }
    if (isfinite(evaluation->cutoff) || axis_is_of(AXIS_INTERACTION, spec->variant->workload)) {
        print_cutoff(evaluation);
    }
    print_word("precision", precision_name(spec->precision));
    print_word("device", result->device);
    (void)printf("%-15s  %zu\n", "n", evaluation->n);
    if (evaluation->pairs_in_cutoff >= 0) {
        (void)printf("%-15s  %lld\n", "pairs_in_cutoff", (long long)evaluation->pairs_in_cutoff);
    }
    strbuf_free(&interaction);
}

static void print_cell(const struct evaluation *evaluation) {
    const struct cell *cell = &evaluation->cell;
    double angle[3];
    if (!cell_is_triclinic(cell)) {
        return;
    }
    cell_angles(cell, angle);
    print_vector("cell", cell->edge[0], 0, 0);
    print_vector("", cell->tilt[0], cell->edge[1], 0);
    print_vector("", cell->tilt[1], cell->tilt[2], cell->edge[2]);
    (void)printf("%-15s  %.10g %.10g %.10g\n", "angles", angle[0], angle[1], angle[2]);
    if (evaluation->rotated) {
        print_word("rotated",
                   "the file's cell was no lower triangle: forces are in the rotated frame");
    }
}

static void print_numbers(const struct eval_result *result) {
    const struct case_spec *spec = result->spec;
    const struct evaluation *evaluation = result->evaluation;
    if (spec->variant->workload->places) {
        print_places(result);
        return;
    }
    if (axis_is_of(AXIS_LIST_FORM, spec->variant->workload)) {
        print_list(evaluation);
        return;
    }
    if (spec->outputs != OUTPUTS_FORCES) {
        print_number(spec->variant->workload->words.value, evaluation->energy);
    }
    for (int kind = 0; result->has_terms && kind < BONDED_KINDS; kind++) {
        if (result->terms.terms[kind] > 0) {
            char energy[QUANTITY_SIZE];
            quantity_exact(result->terms.energy[kind], energy, sizeof energy);
            (void)printf("  %-13s  %s (reference, %llu terms)\n", bonded_forms[kind].name, energy,
                         (unsigned long long)result->terms.terms[kind]);
        }
    }
    if (isfinite(evaluation->energy_vdw)) {
        print_number("energy_vdw", evaluation->energy_vdw);
        print_number("energy_coulomb", evaluation->energy_coulomb);
    }
    if (isfinite(evaluation->kinetic_energy)) {
        print_number("kinetic_energy", evaluation->kinetic_energy);
    }
    if (isfinite(evaluation->thermostat_energy)) {
        print_number("bath_energy", evaluation->thermostat_energy);
    }
    for (int row = 0; row < 3 && spec->outputs == OUTPUTS_VIRIAL; row++) {
        const double *virial = &evaluation->virial[3 * row];
        print_vector(row ? "" : spec->variant->workload->words.tensor_key, virial[0], virial[1],
                     virial[2]);
    }
}

static void print_verdict(const struct verdict *verdict) {
    if (!verdict) {
        print_word("reference", "not compared (--no-reference)");
    } else if (verdict->status == STATUS_OK) {
        char ratio[QUANTITY_SIZE];
        quantity_ratio(verdict->worst_ratio, ratio, sizeof ratio);
        (void)printf("%-15s  ok, largest error %s of its tolerance\n", "reference", ratio);
    } else {
        (void)printf("%-15s  %s: %s\n", "reference", status_name(verdict->status),
                     verdict->message);
    }
}

void eval_report_text(const struct eval_result *result) {
    print_case(result);
    print_cell(result->evaluation);
    print_numbers(result);
    print_verdict(result->verdict);
}

/* ---- energies of the kinds of bonded terms ---- */

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
