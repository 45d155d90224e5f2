#include "campaign/campaign_preset.h"

#include "campaign/plan_words.h"

#include <stdlib.h>
#include <string.h>

/* The sizes that a class of device does in a preset's time. */
struct preset_sizes {
    const char *n;
    size_t most_all_pairs; /* the largest N at which all N^2 distances are computed */
};

struct preset {
    const char *name, *help;
    const char *kind, *precision, *outputs;
    bool all_tunables;
    double time_cap_s;            /* of sampling one case */
    struct preset_sizes cpu, gpu; /* PoCL on a few cores does about 1e9 distances/s, a GPU 1e12 */
};

static const struct preset presets[] = {
    { .name = "quick",
      .help = "a few N of one fluid, float and double: under 3 minutes",
      .kind = "fluid",
      .precision = "float,double",
      .outputs = "forces",
      .time_cap_s = 0.5,
      .cpu = { "250:64k:x4", 16000 },
      .gpu = { "1k:1024k:x4", 256000 } },
    { .name = "standard",
      .help = "fluid, gas and droplets, every precision, N doubling: some ten minutes",
      .kind = "fluid,gas,droplets",
      .precision = "float,mixed,double",
      .outputs = "forces",
      .time_cap_s = 0.5,
      .cpu = { "500:256k:x2", 32000 },
      .gpu = { "1k:1024k:x2", 256000 } },
    { .name = "full",
      .help = "every kind of box, precision, output and value of a tunable: hours",
      .kind = "*",
      .precision = "*",
      .outputs = "*",
      .all_tunables = true,
      .time_cap_s = 1.0,
      .cpu = { "250:256k:x2", 64000 },
      .gpu = { "500:4096k:x2", 512000 } },
};

enum { PRESETS = sizeof presets / sizeof presets[0] };

const struct preset *preset_find(const char *name, struct error *error) {
    const char *names[PRESETS + 1] = { NULL };
    for (int i = 0; i < PRESETS; i++) {
        names[i] = presets[i].name;
        if (strcmp(name, presets[i].name) == 0) {
            return &presets[i];
        }
    }
    (void)words_fail_unknown("--preset", "preset", name, names, error);
    return NULL;
}

void preset_describe(struct text *text) {
    for (int i = 0; i < PRESETS; i++) {
        text_append(text, "  %-10s %s\n", presets[i].name, presets[i].help);
    }
}

static const struct preset_sizes *sizes_for(const struct preset *preset,
                                            const struct device_info *device) {
    return device->is_cpu ? &preset->cpu : &preset->gpu;
}

static bool fill_word(char **word, const char *value, struct error *error) {
    if (!*word) {
        *word = strdup(value);
    }
    return *word || fail_out_of_memory(error, "the preset");
}

bool preset_fill(const struct preset *preset, const struct device_info *device, struct axes *axes,
                 struct error *error) {
    bool filled = fill_word(&axes->precision, device->fp64 ? preset->precision : "float", error) &&
                  fill_word(&axes->outputs, preset->outputs, error);
    if (filled && !axes->box_files) {
        filled = fill_word(&axes->kind, preset->kind, error) &&
                 fill_word(&axes->n, sizes_for(preset, device)->n, error);
    }
    return filled;
}

void preset_sampling(const struct preset *preset, struct sampling *sampling) {
    sampling->time_cap_s = preset->time_cap_s;
}

/* ---- after the axes are spanned ---- */

static void leave_out_long(size_t most, struct plan *plan, size_t *too_long) {
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct case_spec *spec = &plan->cases[i];
        if (strcmp(spec->variant->structure, "none") == 0 && spec->box.n > most) {
            (*too_long)++;
            plan->left_out++;
        } else {
            plan->cases[kept++] = *spec;
        }
    }
    plan->count = kept;
}

/* Whether the user chose this tunable's values. */
static bool is_given(char *const *tunes, const char *name) {
    size_t length = strlen(name);
    for (; tunes && *tunes; tunes++) {
        if (strncmp(*tunes, name, length) == 0 && (*tunes)[length] == '=') {
            return true;
        }
    }
    return false;
}

static size_t tuned_count(const struct variant *variant, char *const *tunes) {
    size_t count = 1;
    for (int t = 0; t < variant->tunable_count; t++) {
        if (!is_given(tunes, variant->tunables[t].name)) {
            count *= (size_t)variant->tunables[t].value_count;
        }
    }
    return count;
}

/* Choice `index` of the tunables that the user left open. */
static void tune(const struct variant *variant, char *const *tunes, size_t index,
                 struct tunings *tunings) {
    for (int t = 0; t < variant->tunable_count; t++) {
        const struct tunable *tunable = &variant->tunables[t];
        if (is_given(tunes, tunable->name)) {
            continue;
        }
        int value = tunable->values[index % (size_t)tunable->value_count];
        index /= (size_t)tunable->value_count;
        for (int i = 0; i < tunings->count; i++) {
            if (strcmp(tunings->items[i].name, tunable->name) == 0) {
                tunings->items[i].value = value;
            }
        }
    }
}

static bool expand_tunables(char *const *tunes, struct plan *plan, struct error *error) {
    size_t total = 0, next = 0;
    for (size_t i = 0; i < plan->count; i++) {
        total += tuned_count(plan->cases[i].variant, tunes);
    }
    struct case_spec *cases = calloc(total + 1, sizeof *cases);
    if (!cases) {
        return fail_out_of_memory(error, "the cases of the preset");
    }
    for (size_t i = 0; i < plan->count; i++) {
        const struct variant *variant = plan->cases[i].variant;
        for (size_t j = 0; j < tuned_count(variant, tunes); j++) {
            cases[next] = plan->cases[i];
            tune(variant, tunes, j, &cases[next++].tunings);
        }
    }
    free(plan->cases);
    plan->cases = cases;
    plan->count = total;
    return true;
}

bool preset_shape(const struct preset *preset, const struct device_info *device,
                  const struct axes *given, struct plan *plan, size_t *too_long,
                  struct error *error) {
    *too_long = 0;
    if (!given->n && !given->box_files) {
        leave_out_long(sizes_for(preset, device)->most_all_pairs, plan, too_long);
    }
    return !preset->all_tunables || expand_tunables(given->tunes, plan, error);
}
