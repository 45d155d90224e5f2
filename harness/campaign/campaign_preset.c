#include "campaign/campaign_preset.h"

#include "campaign/axes/axes.h"
#include "campaign/preset_table.h"
#include "core/strings.h"
#include "kernels/potentials/type_table.h"

#include <stdlib.h>
#include <string.h>

const struct preset *preset_find(const char *name, struct error *error) {
    const char *names[MAX_PRESETS + 1] = { NULL };
    for (int i = 0; preset_table[i].name; i++) {
        names[i] = preset_table[i].name;
        if (strcmp(name, preset_table[i].name) == 0) {
            return &preset_table[i];
        }
    }
    (void)words_fail_unknown("--preset", "preset", name, names, error);
    return NULL;
}

void preset_append_names(struct strbuf *text) {
    for (const struct preset *preset = preset_table; preset->name; preset++) {
        strbuf_append(text, "%s%s", preset == preset_table ? "" : " ", preset->name);
    }
}

void preset_describe(struct strbuf *text) {
    for (const struct preset *preset = preset_table; preset->name; preset++) {
        strbuf_append(text, "  %-12s %s\n", preset->name, preset->help);
    }
}

static const struct preset_sizes *sizes_for(const struct preset *preset,
                                            const struct device_info *device) {
    return device->is_cpu ? &preset->cpu : &preset->gpu;
}

static const char *precision_for(const struct preset *preset, const struct device_info *device) {
    const char *own = sizes_for(preset, device)->precision;
    return !device->fp64 ? "float" : own ? own : preset->precision;
}

static bool fill_word(char **word, const char *value, struct error *error) {
    if (!*word) {
        *word = strdup(value);
    }
    return *word || fail_out_of_memory(error, "the preset");
}

size_t preset_span_count(const struct preset *preset) {
    size_t count = 0;
    while (preset->spans && preset->spans[count].variant) {
        count++;
    }
    return preset->spans ? count : 1;
}

static bool acts_by_text(const struct preset_span *span) {
    return span->interaction_file || (span->interaction && !span->table);
}

bool preset_span_serves(const struct preset *preset, size_t span_index, const struct axes *axes) {
    const struct preset_span *span = preset->spans ? &preset->spans[span_index] : NULL;
    const bool own_box = span && span->kind;
    const bool own_text = span && acts_by_text(span);
    const bool says_what_acts =
        axes->interaction || axes->interaction_file || axes->table || axes->exclude;
    const bool says_of_boxes = axes->kind || axes->n || axes->density || axes->open ||
                               axes->box_files || axes->cutoff || axes->group_a || axes->group_b ||
                               axes->ratio;
    if (!own_box && !own_text) {
        return true;
    }
    struct error ignored;
    const struct workload *workload = plan_workload(axes, &ignored);
    const bool takes = workload && (own_text ? axis_is_of(AXIS_INTERACTION_FILE, workload)
                                             : axis_is_of(AXIS_TABLE, workload) ||
                                                   axis_is_of(AXIS_CONSTRAINTS, workload));
    return takes && !says_what_acts && !(own_box && says_of_boxes);
}

/* A word that the preset may leave to the usual. */
static bool fill_if(char **word, const char *value, struct error *error) {
    return !value || fill_word(word, value, error);
}

/* What is run: the user's choice of variants and of tunables goes before the span's, both of them,
 * since a tunable of the one need not be one of the other; but where a table of types lies, every
 * variant can choose. */
static bool fill_variants(const struct preset_span *span, struct axes *axes, struct error *error) {
    const bool chosen =
        axes->workload || axes->variant || axes->structure || axes->variant_files || axes->tunes;
    if (span->tunes && !axes->tunes && (span->table ? axes->table_text != NULL : !chosen)) {
        axes->tunes = split_list(span->tunes, ' ');
        if (!axes->tunes) {
            return fail_out_of_memory(error, "the preset");
        }
    }
    return chosen || fill_if(&axes->variant, span->variant, error);
}

static bool fill_interaction(const struct preset *preset, const struct preset_span *span,
                             struct axes *axes, struct error *error) {
    if (axes->interaction_file) {
        return true;
    }
    if (acts_by_text(span)) {
        return fill_if(&axes->interaction_file, span->interaction_file, error) &&
               fill_if(&axes->interaction, span->interaction, error);
    }
    if (span->table && !axes->interaction && !axes->table) {
        axes->table_text = span->table;
        return fill_word(&axes->interaction, span->interaction, error) &&
               fill_if(&axes->exclude, span->exclude, error);
    }
    return fill_if(&axes->interaction, preset->interaction, error);
}

/* The groups of the preset, in the place of a number of particles, unless the user has either. */
static bool fill_groups(const struct preset_sizes *sizes, struct axes *axes, struct error *error) {
    bool given = axes->group_a || axes->group_b || axes->ratio || axes->box_files;
    return given || fill_if(&axes->ratio, sizes->ratio, error);
}

/* What depends on the workload. A preset of the result alone is of the sums, too, where these are
 * what nearly every user of the workload asks for. */
static bool fill_workload(const struct preset_span *span, const struct preset *preset,
                          const struct workload *workload, struct axes *axes, struct error *error) {
    const bool alone = strcmp(preset->outputs, outputs_name(OUTPUTS_FORCES)) == 0;
    const char *outputs = span->outputs ? span->outputs : preset->outputs;
    if (alone && !span->outputs) {
        outputs = outputs_name(workload->default_outputs);
    }
    return (!axis_is_of(AXIS_STEPS, workload) ||
            (fill_if(&axes->steps, span->steps, error) && fill_if(&axes->dt, span->dt, error))) &&
           (axes->interaction_file ||
            fill_if(&axes->interaction, workload->bench_interaction, error)) &&
           fill_word(&axes->outputs, outputs, error) &&
           (!axis_is_of(AXIS_CUTOFF, workload) ||
            fill_if(&axes->cutoff, span->cutoff ? span->cutoff : preset->cutoff, error));
}

/* The kind of the span or the preset, where the workload has any use for it; else its own. */
static const char *kind_for(const struct preset *preset, const struct preset_span *span,
                            const struct workload *workload) {
    const char *asked = span->kind ? span->kind : preset->kind;
    const bool suits = !workload->suits_kind || (asked && workload->suits_kind(asked));
    return suits ? asked : workload->default_kind;
}

static bool fill_box(const struct preset *preset, const struct preset_span *span,
                     const struct workload *workload, const struct device_info *device,
                     struct axes *axes, struct error *error) {
    const char *of_span = span->gpu_n && !device->is_cpu ? span->gpu_n : span->n;
    const char *n = of_span ? of_span : sizes_for(preset, device)->n;
    if (axes->box_files) {
        return true;
    }
    return fill_if(&axes->kind, kind_for(preset, span, workload), error) &&
           (axes->ratio || fill_if(&axes->n, n, error)) &&
           fill_if(&axes->density, preset->density, error);
}

/* Of a workload without boxes: how many numbers, and from what they are drawn; nothing else of the
 * preset, which is of particles. */
static bool fill_without_box(const struct preset *preset, const struct preset_sizes *sizes,
                             struct axes *axes, bool *filled, struct error *error) {
    const bool named = axes->workload || axes->variant || axes->structure || axes->variant_files;
    if (!named && !fill_if(&axes->workload, preset->workload, error)) {
        return false;
    }
    const struct workload *workload = plan_workload(axes, error);
    *filled = workload && !axis_is_of(AXIS_KIND, workload);
    return workload && (!*filled || (fill_if(&axes->n, sizes->n, error) &&
                                     fill_if(&axes->distribution, preset->distribution, error)));
}

bool preset_fill(const struct preset *preset, size_t span_index, const struct device_info *device,
                 struct axes *axes, struct error *error) {
    static const struct preset_span everything = { 0 };
    const struct preset_span *span = preset->spans ? &preset->spans[span_index] : &everything;
    const struct preset_sizes *sizes = sizes_for(preset, device);
    bool filled;
    if (!fill_without_box(preset, sizes, axes, &filled, error)) {
        return false;
    }
    if (filled) {
        return fill_word(&axes->precision, precision_for(preset, device), error);
    }
    if (!fill_word(&axes->precision, precision_for(preset, device), error) ||
        !fill_interaction(preset, span, axes, error) || !fill_variants(span, axes, error) ||
        !fill_groups(sizes, axes, error)) {
        return false;
    }
    const struct workload *workload = plan_workload(axes, error);
    return workload && fill_workload(span, preset, workload, axes, error) &&
           fill_box(preset, span, workload, device, axes, error);
}

void preset_release(const struct axes *given, struct axes *filled) {
    char *const before[] = {
        given->precision,       given->outputs, given->variant,  given->interaction,
        given->cutoff,          given->kind,    given->n,        given->density,
        given->ratio,           given->exclude, given->workload, given->distribution,
        given->interaction_file
    };
    char *const after[] = {
        filled->precision,       filled->outputs, filled->variant,  filled->interaction,
        filled->cutoff,          filled->kind,    filled->n,        filled->density,
        filled->ratio,           filled->exclude, filled->workload, filled->distribution,
        filled->interaction_file
    };
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
        if (after[i] != before[i]) {
            free(after[i]);
        }
    }
    if (filled->tunes != given->tunes) {
        free(filled->tunes);
    }
    *filled = *given;
}

bool preset_has_questions(const struct preset *preset) {
    return preset->has_questions;
}

bool article_interaction(enum article_form form, struct strbuf *words, struct error *error) {
    struct interaction interaction;
    struct type_table *table = NULL;
    if (!interaction_parse(preset_article_forms[form], &interaction, error) ||
        (form != ARTICLE_COMPILED_IN &&
         !type_table_parse("the preset's table", preset_article_table, &interaction, &table,
                           error))) {
        return false;
    }
    interaction_use_table(&interaction, table);
    interaction_describe(&interaction, words);
    type_table_free(table);
    return !words->failed || fail_out_of_memory(error, "an interaction");
}

void preset_sampling(const struct preset *preset, struct sampling *sampling) {
    sampling->time_cap_s = preset->time_cap_s;
}

/* ---- after the axes are spanned ---- */

static void drop_long(size_t most, struct plan *plan, struct preset_dropped *dropped) {
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct case_spec *spec = &plan->cases[i];
        const struct workload *workload = spec->variant->workload;
        if (strcmp(spec->variant->structure, "none") == 0 && workload->has_more_pairs &&
            workload->has_more_pairs(spec, most)) {
            dropped->too_long++;
        } else {
            plan->cases[kept++] = *spec;
        }
    }
    plan->left_out += plan->count - kept;
    plan->count = kept;
}

static void drop_foreign(const struct device_info *device, struct plan *plan,
                         struct preset_dropped *dropped) {
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct case_spec *spec = &plan->cases[i];
        if (spec->variant->language == LANGUAGE_DIALECT || device->kind == DEVICE_CUDA) {
            plan->cases[kept++] = *spec;
        } else if (dropped->need_cuda++ == 0) {
            dropped->one_name = spec->variant->name;
        }
    }
    plan->left_out += plan->count - kept;
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

static size_t tuned_count(const struct case_spec *spec, char *const *tunes) {
    size_t count = 1;
    for (int t = 0; t < case_tunable_count(spec); t++) {
        const struct tunable *tunable = case_tunable(spec, t);
        if (!is_given(tunes, tunable->name)) {
            count *= (size_t)tunable->value_count;
        }
    }
    return count;
}

/* Choice `index` of the tunables that the user left open. */
static void tune(char *const *tunes, size_t index, struct case_spec *spec) {
    struct tunings *tunings = &spec->tunings;
    for (int t = 0; t < case_tunable_count(spec); t++) {
        const struct tunable *tunable = case_tunable(spec, t);
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
        total += tuned_count(&plan->cases[i], tunes);
    }
    struct case_spec *cases = calloc(total + 1, sizeof *cases);
    if (!cases) {
        return fail_out_of_memory(error, "the cases of the preset");
    }
    for (size_t i = 0; i < plan->count; i++) {
        for (size_t j = 0; j < tuned_count(&plan->cases[i], tunes); j++) {
            cases[next] = plan->cases[i];
            tune(tunes, j, &cases[next++]);
        }
    }
    free(plan->cases);
    plan->cases = cases;
    plan->count = total;
    return true;
}

bool preset_shape(const struct preset *preset, const struct device_info *device,
                  const struct axes *given, struct plan *plan, struct preset_dropped *dropped,
                  struct error *error) {
    *dropped = (struct preset_dropped){ 0 };
    if (!given->n && !given->box_files) {
        drop_long(sizes_for(preset, device)->most_all_pairs, plan, dropped);
    }
    if (!given->variant && !given->variant_files) {
        drop_foreign(device, plan, dropped);
    }
    return !preset->all_tunables || expand_tunables(given->tunes, plan, error);
}
