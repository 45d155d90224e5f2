/* Reads --tune: the values that tunables of the chosen variants and interactions take. */
#include "campaign/plan/plan_parts.h"

#include "campaign/axes/axes.h"
#include "campaign/plan/plan.h"
#include "core/strings.h"
#include "kernels/potentials/type_table.h"
#include "kernels/variant.h"
#include "measure/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* TYPE_TABLE is the harness's own tunable, so its values are known here. */
static bool check_type_table(bool typed, const struct tune_choice *tune, struct error *error) {
    if (!typed) {
        return fail(error, STATUS_BAD_INPUT,
                    "--tune %s: no interaction here has types; expected --table FILE or values for "
                    "single types",
                    tune->name);
    }
    for (size_t i = 0; i < tune->numbers.count; i++) {
        if (!tunable_has(&type_table_tunable, tune->numbers.values[i])) {
            return fail(error, STATUS_BAD_INPUT,
                        "--tune %s: %.15g; expected 0 (read-only global memory), 1 (constant) or "
                        "2 (local)",
                        tune->name, tune->numbers.values[i]);
        }
    }
    return true;
}

/* An interaction's tunable is a choice of methods, so its header knows which values there are.
 * `tunable`: NULL where no interaction has it. */
static bool check_method(const struct tunable *tunable, const struct tune_choice *tune,
                         struct error *error) {
    if (!tunable) {
        return fail(error, STATUS_BAD_INPUT,
                    "--tune %s: no interaction here has it; see docs/interactions.md", tune->name);
    }
    for (size_t i = 0; i < tune->numbers.count; i++) {
        if (!tunable_has(tunable, tune->numbers.values[i])) {
            return fail(error, STATUS_BAD_INPUT, "--tune %s: %.15g; expected %d to %d", tune->name,
                        tune->numbers.values[i], tunable->values[0],
                        tunable->values[tunable->value_count - 1]);
        }
    }
    return true;
}

/* STATUS_BAD_INPUT that lists the tunables of the chosen variants. */
static bool fail_unknown_tunable(const struct variant_choice *variants, const char *name,
                                 struct error *error) {
    const char **names = memory_zeroed(variants->count * VARIANT_MAX_TUNABLES + 1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *variant = variants->chosen[i];
        for (int t = 0; t < variant->tunable_count; t++) {
            if (word_place(names, variant->tunables[t].name) < 0) { /* NULL ends them */
                names[count++] = variant->tunables[t].name;
            }
        }
    }
    (void)words_fail_unknown("--tune", "tunable of the chosen variants", name, names, error);
    free(names);
    return false;
}

/* Zero stands for "off" where an author lists it; elsewhere it is a mistake. */
static bool zero_is_listed(const struct variant_choice *variants, const char *name) {
    for (size_t i = 0; i < variants->count; i++) {
        const struct tunable *tunable = variant_tunable(variants->chosen[i], name);
        if (tunable && tunable_has(tunable, 0)) {
            return true;
        }
    }
    return false;
}

/* Sums over a group are reduced by halves, so its size is a power of two. */
static bool check_group_size(const struct tune_choice *tune, struct error *error) {
    for (size_t i = 0; i < tune->numbers.count; i++) {
        const unsigned size = (unsigned)tune->numbers.values[i];
        if ((size & (size - 1)) != 0) {
            return fail(error, STATUS_BAD_INPUT, "--tune %s: %u is not a power of two", tune->name,
                        size);
        }
    }
    return true;
}

static bool check_tune_values(const struct variant_choice *variants, const struct tune_choice *tune,
                              struct error *error) {
    const int least = zero_is_listed(variants, tune->name) ? 0 : 1;
    for (size_t i = 0; i < tune->numbers.count; i++) {
        double value = tune->numbers.values[i];
        if (!(value >= least && value <= VARIANT_LARGEST_VALUE) || value != floor(value)) {
            return fail(error, STATUS_BAD_INPUT,
                        "--tune %s: %.15g is not a whole number of %d to %d", tune->name, value,
                        least, VARIANT_LARGEST_VALUE);
        }
    }
    return strcmp(tune->name, "GROUP_SIZE") != 0 || check_group_size(tune, error);
}

/* "GROUP_SIZE=64,128" */
static bool parse_tune(const char *words, const struct variant_choice *variants,
                       const struct interaction_choices *interactions,
                       const struct tune_choices *before, struct tune_choice *tune,
                       struct error *error) {
    char option[VARIANT_NAME_SIZE + 16];
    const char *equals = strchr(words, '=');
    size_t length = equals ? (size_t)(equals - words) : 0;
    if (length == 0 || length >= sizeof tune->name || equals[1] == '\0') {
        return fail(error, STATUS_BAD_INPUT,
                    "--tune: '%.100s' is not of the form NAME=VALUE,VALUE,...", words);
    }
    memcpy(tune->name, words, length);
    tune->name[length] = '\0';
    const bool of_types = strcmp(tune->name, type_table_tunable.name) == 0;
    const bool of_pairs = interaction_declares_tunable(tune->name);
    const struct tunable *method = NULL;
    bool typed = false;
    bool known = of_types || of_pairs;
    for (size_t i = 0; i < interactions->count; i++) {
        const struct interaction *interaction = &interactions->items[i];
        method = method ? method : interaction_tunable(interaction, tune->name);
        typed = typed || interaction_has_types(interaction);
    }
    for (size_t i = 0; i < variants->count; i++) {
        known = known || variant_has_tunable(variants->chosen[i], tune->name);
    }
    if (!known) {
        return fail_unknown_tunable(variants, tune->name, error);
    }
    for (size_t i = 0; i < before->count; i++) {
        if (strcmp(before->items[i].name, tune->name) == 0) {
            return fail(error, STATUS_BAD_INPUT, "--tune: %s is given twice", tune->name);
        }
    }
    (void)snprintf(option, sizeof option, "--tune %s", tune->name);
    return axis_numbers(option, equals + 1, &tune->numbers, error) &&
           (of_types   ? check_type_table(typed, tune, error)
            : of_pairs ? check_method(method, tune, error)
                       : check_tune_values(variants, tune, error));
}

bool tunes_choose(const struct axes *axes, const struct variant_choice *variants,
                  const struct interaction_choices *interactions, struct tune_choices *tunes,
                  struct error *error) {
    const size_t total = axes->tunes ? words_count((const char *const *)axes->tunes) : 0;
    tunes->items = memory_zeroed(total + 1, sizeof *tunes->items);
    for (size_t i = 0; i < total; i++) {
        bool good =
            parse_tune(axes->tunes[i], variants, interactions, tunes, &tunes->items[i], error);
        tunes->count++; /* tunes_release frees what a failure left behind */
        if (!good) {
            return false;
        }
    }
    return true;
}

void tunes_release(struct tune_choices *tunes) {
    for (size_t i = 0; i < tunes->count; i++) {
        free(tunes->items[i].numbers.values);
    }
    free(tunes->items);
    *tunes = (struct tune_choices){ 0 };
}

size_t tunes_count(const struct tune_choices *tunes, const struct case_spec *spec) {
    size_t count = 1;
    for (size_t i = 0; i < tunes->count; i++) {
        if (case_find_tunable(spec, tunes->items[i].name)) {
            count *= tunes->items[i].numbers.count;
        }
    }
    return count;
}

void tunes_set(const struct tune_choices *tunes, size_t index, struct case_spec *spec) {
    struct tunings *tunings = &spec->tunings;
    bool named[TUNINGS_MAX] = { false };
    case_preset_tunings(spec);
    for (size_t i = tunes->count; i-- > 0;) {
        const struct tune_choice *tune = &tunes->items[i];
        if (!case_find_tunable(spec, tune->name)) {
            continue;
        }
        const int place = tunings_place(tunings, tune->name);
        if (place >= 0) {
            tunings->items[place].value = (int)tune->numbers.values[index % tune->numbers.count];
            named[place] = true;
        }
        index /= tune->numbers.count;
    }
    case_hold_tunings(spec, named); /* by those that are named */
}
