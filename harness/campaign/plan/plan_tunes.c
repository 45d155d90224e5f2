/* Reads --tune: the values that tunables of the chosen variants and interactions take. */
#include "campaign/plan/plan_parts.h"

#include "campaign/axes/axes.h"
#include "campaign/plan/plan.h"
#include "core/strings.h"
#include "kernels/variant.h"
#include "measure/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The tunable of that name that is no variant's. Where no interaction here has it (*known, NULL),
 * STATUS_BAD_INPUT says so. */
static const struct tunable *find_method(const struct interaction_choices *interactions,
                                         const char *name, bool *known, struct error *error) {
    const bool of_types = strcmp(name, type_table_tunable.name) == 0;
    *known = of_types || interaction_declares_tunable(name);
    for (size_t i = 0; *known && i < interactions->count; i++) {
        const struct interaction *interaction = &interactions->items[i];
        const struct tunable *own = interaction_tunable(interaction, name);
        if (own || (of_types && interaction_has_types(interaction))) {
            return own ? own : &type_table_tunable;
        }
    }
    if (of_types) {
        (void)fail(error, STATUS_BAD_INPUT,
                   "--tune %s: no interaction here has types; expected --table FILE or values for "
                   "single types",
                   name);
    } else if (*known) {
        (void)fail(error, STATUS_BAD_INPUT,
                   "--tune %s: no interaction here has it; see docs/interactions.md", name);
    }
    return NULL;
}

/* Whether one of the chosen variants takes the value; `method`, where it is given, is what has to.
 */
static bool check_value(const struct variant_choice *variants, const struct tunable *method,
                        const char *name, double value, struct error *error) {
    bool takes = method && tunable_check(method, false, value, error);
    for (size_t i = 0; !method && !takes && i < variants->count; i++) {
        const struct tunable *tunable = variant_tunable(variants->chosen[i], name);
        takes = tunable && tunable_check(tunable, true, value, error);
    }
    return takes || fail_within(error, "--tune");
}

static bool check_values(const struct variant_choice *variants,
                         const struct interaction_choices *interactions,
                         const struct tune_choice *tune, struct error *error) {
    bool known = false;
    const struct tunable *method = find_method(interactions, tune->name, &known, error);
    if (known && !method) {
        return false;
    }
    for (size_t i = 0; !known && i < variants->count; i++) {
        known = variant_has_tunable(variants->chosen[i], tune->name);
    }
    bool good = known || fail_unknown_tunable(variants, tune->name, error);
    for (size_t i = 0; good && i < tune->numbers.count; i++) {
        good = check_value(variants, method, tune->name, tune->numbers.values[i], error);
    }
    return good;
}

/* "GROUP_SIZE=64,128" */
static bool parse_tune(const char *words, const struct tune_choices *before,
                       struct tune_choice *tune, struct error *error) {
    char option[VARIANT_NAME_SIZE + 16];
    const char *equals = strchr(words, '=');
    size_t length = equals ? (size_t)(equals - words) : 0;
    if (length == 0 || length >= sizeof tune->name || equals[1] == '\0') {
        return fail(error, STATUS_BAD_INPUT,
                    "--tune: '%.100s' is not of the form NAME=VALUE,VALUE,...", words);
    }
    memcpy(tune->name, words, length);
    tune->name[length] = '\0';
    for (size_t i = 0; i < before->count; i++) {
        if (strcmp(before->items[i].name, tune->name) == 0) {
            return fail(error, STATUS_BAD_INPUT, "--tune: %s is given twice", tune->name);
        }
    }
    (void)snprintf(option, sizeof option, "--tune %s", tune->name);
    return axis_numbers(option, equals + 1, &tune->numbers, error);
}

bool tunes_choose(const struct axes *axes, const struct variant_choice *variants,
                  const struct interaction_choices *interactions, struct tune_choices *tunes,
                  struct error *error) {
    const size_t total = axes->tunes ? words_count((const char *const *)axes->tunes) : 0;
    tunes->items = memory_zeroed(total + 1, sizeof *tunes->items);
    for (size_t i = 0; i < total; i++) {
        struct tune_choice *tune = &tunes->items[i];
        bool good = parse_tune(axes->tunes[i], tunes, tune, error) &&
                    check_values(variants, interactions, tune, error);
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
