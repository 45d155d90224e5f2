#include "campaign/plan.h"

#include "campaign/plan_boxes.h"
#include "campaign/plan_groups.h"
#include "campaign/plan_variants.h"
#include "campaign/plan_words.h"

#include "variant/exclusions.h"
#include "variant/type_table.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CASES = 1000000 };

struct tune_choice {
    char name[VARIANT_NAME_SIZE];
    double *values;
    size_t count;
};

/* The values of every axis, parsed. */
struct span {
    struct variant_choice variants;
    struct group_choices groups;
    struct cutoff_choice *cutoffs;
    size_t cutoff_count;
    struct interaction *interactions;
    size_t interaction_count;
    struct type_table **tables; /* one an interaction, where there is a table */
    size_t table_count;
    struct exclusions *exclusions;
    struct tune_choice *tunes;
    size_t tune_count;
    size_t *precisions; /* enum precision */
    size_t precision_count;
    size_t *outputs; /* enum outputs */
    size_t outputs_count;
    size_t *reductions; /* enum reduction */
    size_t reduction_count;
};

/* ---- names ---- */

static bool choose_precisions(const struct axes *axes, struct span *span, struct error *error) {
    const char *names[PRECISION_DOUBLE + 2] = { NULL };
    for (int i = 0; i <= PRECISION_DOUBLE; i++) {
        names[i] = precision_name((enum precision)i);
    }
    return words_select("--precision", "precision", axes->precision ? axes->precision : "float",
                        names, &span->precisions, &span->precision_count, error);
}

static bool choose_outputs(const struct axes *axes, struct span *span, struct error *error) {
    const char *names[OUTPUTS_VIRIAL + 2] = { NULL };
    for (int i = 0; i <= OUTPUTS_VIRIAL; i++) {
        names[i] = outputs_name((enum outputs)i);
    }
    const char *usual = span->variants.coordination ? "virial" : "forces";
    return words_select("--outputs", "kind of outputs", axes->outputs ? axes->outputs : usual,
                        names, &span->outputs, &span->outputs_count, error);
}

static bool choose_reductions(const struct axes *axes, struct span *span, struct error *error) {
    const char *names[REDUCTION_CUB + 2] = { NULL };
    for (int i = 0; i <= REDUCTION_CUB; i++) {
        names[i] = reduction_name((enum reduction)i);
    }
    return words_select("--reduction", "reduction", axes->reduction ? axes->reduction : "tree",
                        names, &span->reductions, &span->reduction_count, error);
}

static bool same_interaction(const struct interaction *a, const struct interaction *b) {
    struct text a_words = { 0 };
    struct text b_words = { 0 };
    interaction_describe(a, &a_words);
    interaction_describe(b, &b_words);
    bool same = a_words.data && b_words.data && strcmp(a_words.data, b_words.data) == 0;
    text_free(&a_words);
    text_free(&b_words);
    return same;
}

/* Gives an interaction its table and what it leaves out. The span owns both. */
static bool complete_interaction(const struct axes *axes, struct span *span,
                                 struct interaction *interaction, struct error *error) {
    if (axes->exclude && !span->exclusions &&
        !exclusions_read(axes->exclude, &span->exclusions, error)) {
        return fail_within(error, "--exclude");
    }
    interaction->exclusions = span->exclusions;
    if (!axes->table && !axes->table_text) {
        return true;
    }
    struct type_table *table = NULL;
    if (!(axes->table ? type_table_read(axes->table, interaction, &table, error)
                      : type_table_parse("the preset's table", axes->table_text, interaction,
                                         &table, error))) {
        return fail_within(error, "--table");
    }
    span->tables[span->table_count++] = table;
    interaction->table = table;
    return true;
}

/* A coordination is of a switching function, whatever the particles are, and of all pairs. */
static bool check_coordination(const struct axes *axes, const struct interaction *interaction,
                               struct error *error) {
    if (strcmp(interaction->name, "rational") != 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "--interaction: %s: a coordination takes the switching function rational",
                    interaction->name);
    }
    if (interaction_has_types(interaction) || axes->table) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: the switching function of a coordination is the same for all types",
                    axes->table ? "--table" : "--interaction");
    }
    return !axes->exclude ||
           fail(error, STATUS_BAD_INPUT, "--exclude: a coordination leaves no pairs out");
}

static bool choose_interactions(const struct axes *axes, struct span *span, struct error *error) {
    const char *usual = span->variants.coordination ? "rational" : "lj";
    char **items = text_split(axes->interaction ? axes->interaction : usual, ';');
    size_t total = 0;
    while (items && items[total]) {
        total++;
    }
    span->interactions = calloc(total + 1, sizeof *span->interactions);
    span->tables = calloc(total + 1, sizeof(struct type_table *));
    bool good =
        (items && span->interactions && span->tables) || fail_out_of_memory(error, "--interaction");
    for (size_t i = 0; good && i < total; i++) {
        struct interaction *next = &span->interactions[span->interaction_count];
        bool repeated = false;
        if (!interaction_parse(items[i], next, error)) {
            good = fail_within(error, "--interaction");
            break;
        }
        if (span->variants.coordination ? !check_coordination(axes, next, error)
                                        : !complete_interaction(axes, span, next, error)) {
            good = false;
            break;
        }
        for (size_t j = 0; j < span->interaction_count; j++) {
            repeated = repeated || same_interaction(&span->interactions[j], next);
        }
        span->interaction_count += !repeated;
    }
    free(items);
    return good;
}

/* ---- tunables ---- */

static const struct tunable *find_tunable(const struct variant *variant, const char *name) {
    for (int i = 0; i < variant->tunable_count; i++) {
        if (strcmp(variant->tunables[i].name, name) == 0) {
            return &variant->tunables[i];
        }
    }
    return NULL;
}

static bool is_tunable_of(const struct case_spec *spec, const char *name) {
    for (int t = 0; t < case_tunable_count(spec); t++) {
        if (strcmp(case_tunable(spec, t)->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Where the table of types lies is the harness's choice, so it knows which values there are. */
static bool check_type_table(const struct span *span, const struct tune_choice *tune,
                             struct error *error) {
    bool typed = false;
    for (size_t i = 0; i < span->interaction_count; i++) {
        typed = typed || interaction_has_types(&span->interactions[i]);
    }
    if (!typed) {
        return fail(error, STATUS_BAD_INPUT,
                    "--tune %s: no interaction here has types; expected --table FILE or values for "
                    "single types",
                    tune->name);
    }
    for (size_t i = 0; i < tune->count; i++) {
        bool known = false;
        for (int v = 0; v < type_table_tunable.value_count; v++) {
            known = known || tune->values[i] == type_table_tunable.values[v];
        }
        if (!known) {
            return fail(error, STATUS_BAD_INPUT,
                        "--tune %s: %.15g; expected 0 (read-only global memory), 1 (constant) or "
                        "2 (local)",
                        tune->name, tune->values[i]);
        }
    }
    return true;
}

/* STATUS_BAD_INPUT that lists the tunables of the chosen variants. */
static bool fail_unknown_tunable(const struct variant_choice *variants, const char *name,
                                 struct error *error) {
    const char **names = calloc(variants->count * VARIANT_MAX_TUNABLES + 1, sizeof *names);
    size_t count = 0;
    if (!names) {
        return fail_out_of_memory(error, "--tune");
    }
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *variant = variants->chosen[i];
        for (int t = 0; t < variant->tunable_count; t++) {
            bool known = false;
            for (size_t j = 0; j < count; j++) {
                known = known || strcmp(names[j], variant->tunables[t].name) == 0;
            }
            if (!known) {
                names[count++] = variant->tunables[t].name;
            }
        }
    }
    (void)words_fail_unknown("--tune", "tunable of the chosen variants", name, names, error);
    free(names);
    return false;
}

/* Zero stands for "off" where an author offers it; elsewhere it is a slip. */
static bool zero_is_offered(const struct variant_choice *variants, const char *name) {
    for (size_t i = 0; i < variants->count; i++) {
        const struct tunable *tunable = find_tunable(variants->chosen[i], name);
        for (int v = 0; tunable && v < tunable->value_count; v++) {
            if (tunable->values[v] == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool check_tune_values(const struct variant_choice *variants, const struct tune_choice *tune,
                              struct error *error) {
    const int least = zero_is_offered(variants, tune->name) ? 0 : 1;
    for (size_t i = 0; i < tune->count; i++) {
        double value = tune->values[i];
        if (!(value >= least && value <= INT_MAX) || value != floor(value)) {
            return fail(error, STATUS_BAD_INPUT,
                        "--tune %s: %.15g is not a whole number of %d or more", tune->name, value,
                        least);
        }
    }
    return true;
}

/* "GROUP_SIZE=64,128" */
static bool parse_tune(const char *words, const struct span *span, struct tune_choice *tune,
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
    bool known = of_types;
    for (size_t i = 0; i < span->variants.count; i++) {
        known = known || find_tunable(span->variants.chosen[i], tune->name);
    }
    if (!known) {
        return fail_unknown_tunable(&span->variants, tune->name, error);
    }
    for (size_t i = 0; i < span->tune_count; i++) {
        if (strcmp(span->tunes[i].name, tune->name) == 0) {
            return fail(error, STATUS_BAD_INPUT, "--tune: %s is given twice", tune->name);
        }
    }
    (void)snprintf(option, sizeof option, "--tune %s", tune->name);
    return plan_numbers(option, equals + 1, &tune->values, &tune->count, error) &&
           (of_types ? check_type_table(span, tune, error)
                     : check_tune_values(&span->variants, tune, error));
}

static bool choose_tunes(const struct axes *axes, struct span *span, struct error *error) {
    size_t total = 0;
    while (axes->tunes && axes->tunes[total]) {
        total++;
    }
    span->tunes = calloc(total + 1, sizeof *span->tunes);
    if (!span->tunes) {
        return fail_out_of_memory(error, "--tune");
    }
    for (size_t i = 0; i < total; i++) {
        bool good = parse_tune(axes->tunes[i], span, &span->tunes[i], error);
        span->tune_count++; /* span_free releases what a failure left behind */
        if (!good) {
            return false;
        }
    }
    return true;
}

/* How many choices of tunables a case has: those it lacks do not count. */
static size_t tuning_count(const struct span *span, const struct case_spec *spec) {
    size_t count = 1;
    for (size_t i = 0; i < span->tune_count; i++) {
        if (is_tunable_of(spec, span->tunes[i].name)) {
            count *= span->tunes[i].count;
        }
    }
    return count;
}

/* The choice of the given index, the last tunable changing fastest. */
static void tuning_at(const struct span *span, size_t index, struct case_spec *spec) {
    struct tunings *tunings = &spec->tunings;
    case_preset_tunings(spec);
    for (size_t i = span->tune_count; i-- > 0;) {
        const struct tune_choice *tune = &span->tunes[i];
        if (!is_tunable_of(spec, tune->name)) {
            continue;
        }
        for (int t = 0; t < tunings->count; t++) {
            if (strcmp(tunings->items[t].name, tune->name) == 0) {
                tunings->items[t].value = (int)tune->values[index % tune->count];
            }
        }
        index /= tune->count;
    }
}

/* ---- the span ---- */

static void span_free(struct span *span) {
    variants_release(&span->variants);
    groups_release(&span->groups);
    free(span->cutoffs);
    free(span->interactions);
    for (size_t i = 0; i < span->table_count; i++) {
        type_table_free(span->tables[i]);
    }
    free(span->tables);
    exclusions_free(span->exclusions);
    for (size_t i = 0; i < span->tune_count; i++) {
        free(span->tunes[i].values);
    }
    free(span->tunes);
    free(span->precisions);
    free(span->outputs);
    free(span->reductions);
}

static bool choose_cutoffs(const struct axes *axes, struct span *span, struct error *error) {
    if (span->variants.coordination && axes->cutoff) {
        return fail(error, STATUS_BAD_INPUT,
                    "--cutoff: a coordination ends at its dmax: give --interaction "
                    "rational:dmax=%.100s",
                    axes->cutoff);
    }
    return cutoffs_choose(axes, &span->cutoffs, &span->cutoff_count, error);
}

static bool span_make(const struct axes *axes, struct span *span, struct error *error) {
    return variants_choose(axes, &span->variants, error) && choose_precisions(axes, span, error) &&
           choose_outputs(axes, span, error) && choose_reductions(axes, span, error) &&
           choose_interactions(axes, span, error) && choose_tunes(axes, span, error) &&
           choose_cutoffs(axes, span, error) && groups_choose(axes, &span->groups, error);
}

/* The cutoff of an interaction in a box: one of those chosen, or where its function ends. */
static bool find_cutoff(const struct span *span, size_t index,
                        const struct interaction *interaction, const struct box_choice *box,
                        double *cutoff, struct error *error) {
    struct cutoff_choice choice = span->cutoffs[index];
    if (span->variants.coordination) {
        choice = (struct cutoff_choice){ .value = interaction->functions[0].cutoff,
                                         .explicit = true,
                                         .dmax = true };
    }
    return cutoff_in_box(&choice, box, cutoff, error);
}

/* What a variant of coordination takes, where there are other groups. */
static const char *groups_wanted(const struct variant *variant) {
    switch (variant->groups) {
    case GROUPS_ONE:
        return "takes one group of particles: no --group-b";
    case GROUPS_TWO:
        return "takes two groups of particles: --group-b or --ratio, without --pairs";
    default:
        return "takes pairs of particles: --group-b and --pairs";
    }
}

/* Why the variant cannot run the case on the box; NULL when it can. */
static const char *reason_to_leave_out(const struct case_spec *spec, const struct box_choice *box) {
    const struct variant *variant = spec->variant;
    bool endless = isinf(spec->cutoff) || (isnan(spec->cutoff) && box->open);
    if (case_is_coordination(spec) && variant->groups != spec->group.mode) {
        return groups_wanted(variant);
    }
    if (box->open && !variant->accepts_open) {
        return "takes no open boxes";
    }
    if (!box->open && !variant->accepts_periodic) {
        return "takes no periodic boxes";
    }
    if (endless && strcmp(variant->structure, "none") != 0) {
        return "needs a cutoff, for its structure does";
    }
    return NULL;
}

/* A plan being filled. */
struct filling {
    struct plan *plan;
    size_t capacity;
    const struct variant *left_out_first;
    const char *left_out_reason;
};

static bool add_case(struct filling *filling, const struct case_spec *spec, struct error *error) {
    struct plan *plan = filling->plan;
    if (plan->count == MOST_CASES) {
        return fail(error, STATUS_BAD_INPUT, "the axes span more than %d cases", MOST_CASES);
    }
    if (plan->count == filling->capacity) {
        size_t capacity = filling->capacity ? 2 * filling->capacity : 64;
        struct case_spec *cases = realloc(plan->cases, capacity * sizeof *cases);
        if (!cases) {
            return fail_out_of_memory(error, "the plan");
        }
        plan->cases = cases;
        filling->capacity = capacity;
    }
    plan->cases[plan->count++] = *spec;
    return true;
}

/* How many of the reductions make a difference: where no sums come out, one stands for all. */
static size_t reduction_count(const struct span *span, size_t output) {
    return span->outputs[output] == OUTPUTS_FORCES ? 1 : span->reduction_count;
}

static bool add_reductions(struct filling *filling, const struct span *span, size_t output,
                           struct case_spec *spec, struct error *error) {
    spec->outputs = (enum outputs)span->outputs[output];
    for (size_t r = 0; r < reduction_count(span, output); r++) {
        spec->reduction =
            spec->outputs == OUTPUTS_FORCES ? REDUCTION_TREE : (enum reduction)span->reductions[r];
        if (!add_case(filling, spec, error)) {
            return false;
        }
    }
    return true;
}

/* The cases that share all but tunables, outputs and reductions. */
static bool add_variant(struct filling *filling, const struct span *span,
                        const struct box_choice *box, struct case_spec *spec, struct error *error) {
    size_t tunings = tuning_count(span, spec);
    const char *reason = reason_to_leave_out(spec, box);
    if (reason) {
        if (!filling->left_out_first) {
            filling->left_out_first = spec->variant;
            filling->left_out_reason = reason;
        }
        for (size_t o = 0; o < span->outputs_count; o++) {
            filling->plan->left_out += tunings * reduction_count(span, o);
        }
        return true;
    }
    for (size_t t = 0; t < tunings; t++) {
        tuning_at(span, t, spec);
        for (size_t o = 0; o < span->outputs_count; o++) {
            if (!add_reductions(filling, span, o, spec, error)) {
                return false;
            }
        }
    }
    return true;
}

/* Whether anything of the interaction depends on the box. */
static bool needs_box(const struct interaction *interaction) {
    bool needs = interaction_has_types(interaction) || interaction->exclusions;
    for (int f = 0; f < interaction->function_count; f++) {
        needs = needs || isfinite(interaction->functions[f].cutoff);
    }
    return needs;
}

/* A small box of a kind has the species of a large one. */
static bool sample_box(const struct box_spec *spec, struct box *box, struct error *error) {
    const size_t few = 8;
    if (spec->path[0]) {
        return box_read(spec->path, box, error);
    }
    return box_make(spec->kind, spec->n < few ? spec->n : few, 0, 1, box, error);
}

/* Tables and exclusions are found not to fit a box before anything runs. */
static bool check_interactions(const struct span *span, const struct box_choice *choice,
                               struct error *error) {
    struct box box = { 0 };
    bool fits = true;
    for (size_t i = 0; fits && i < span->interaction_count; i++) {
        if (!needs_box(&span->interactions[i])) {
            continue;
        }
        fits = box.n > 0 || sample_box(&choice->spec, &box, error);
        size_t sampled = box.n;
        box.n = choice->spec.path[0] ? sampled : choice->spec.n;
        for (size_t c = 0; fits && c < span->cutoff_count; c++) {
            double cutoff;
            fits = find_cutoff(span, c, &span->interactions[i], choice, &cutoff, error) &&
                   interaction_fits(&span->interactions[i], &box,
                                    isnan(cutoff) ? choice->shortest_edge / 2 : cutoff, error);
        }
    }
    box_free(&box);
    return fits;
}

/* The cases on one box: those that share its rounding, its reference and its structure come one
 * after the other, so that a session makes each but once. */
static bool add_box(struct filling *filling, const struct span *span,
                    const struct group_spec *group, const struct box_choice *box,
                    struct error *error) {
    struct case_spec spec = { .box = box->spec, .group = *group };
    size_t total = span->precision_count * span->interaction_count * span->cutoff_count;
    for (size_t i = 0; i < total; i++) {
        size_t rest = i;
        const size_t cutoff = rest % span->cutoff_count;
        rest /= span->cutoff_count;
        spec.interaction = span->interactions[rest % span->interaction_count];
        rest /= span->interaction_count;
        spec.precision = (enum precision)span->precisions[rest];
        if (!find_cutoff(span, cutoff, &spec.interaction, box, &spec.cutoff, error)) {
            return false;
        }
        for (size_t v = 0; v < span->variants.count; v++) {
            spec.variant = span->variants.chosen[v];
            if (!add_variant(filling, span, box, &spec, error)) {
                return false;
            }
        }
    }
    return true;
}

/* All cases. That none is left fills *error, too, but is told by the count. */
static bool fill(const struct span *span, struct plan *plan, struct error *error) {
    struct filling filling = { .plan = plan };
    for (size_t g = 0; g < span->groups.count; g++) {
        const struct group_choice *group = &span->groups.items[g];
        for (size_t b = 0; b < group->box_count; b++) {
            if (!check_interactions(span, &group->boxes[b], error) ||
                !add_box(&filling, span, &group->spec, &group->boxes[b], error)) {
                return false;
            }
        }
    }
    if (plan->count == 0) {
        (void)fail(error, STATUS_BAD_INPUT, "no case is left: %s %s",
                   filling.left_out_first ? filling.left_out_first->name : "nothing",
                   filling.left_out_first ? filling.left_out_reason : "was chosen");
    }
    return true;
}

bool plan_make(const struct axes *axes, struct plan *plan, struct error *error) {
    struct span span = { 0 };
    *plan = (struct plan){ 0 };
    bool filled = span_make(axes, &span, error) && fill(&span, plan, error);
    size_t left_out = filled ? plan->left_out : 0;
    bool good = filled && plan->count > 0;
    if (good) {
        /* The cases point into the files and tables, which are the plan's from now on. */
        plan->files = span.variants.files;
        plan->file_count = span.variants.file_count;
        span.variants.files = NULL;
        span.variants.file_count = 0;
        plan->tables = span.tables;
        plan->table_count = span.table_count;
        plan->exclusions = span.exclusions;
        span.tables = NULL;
        span.table_count = 0;
        span.exclusions = NULL;
        plan->group_a = span.groups.a;
        plan->group_b = span.groups.b;
        span.groups.a = NULL;
        span.groups.b = NULL;
    } else {
        plan_free(plan);
        plan->left_out = left_out;
    }
    span_free(&span);
    return good;
}

/* The names under which a plan's cases are known, sorted. */
typedef char case_key[HASH_TEXT_SIZE];

static int compare_case_keys(const void *a, const void *b) {
    return strcmp(*(const case_key *)a, *(const case_key *)b);
}

static case_key *case_keys(const struct plan *plan) {
    case_key *keys = calloc(plan->count + 1, sizeof *keys);
    for (size_t i = 0; keys && i < plan->count; i++) {
        case_id(&plan->cases[i], keys[i]);
    }
    if (keys) {
        qsort(keys, plan->count, sizeof *keys, compare_case_keys);
    }
    return keys;
}

bool plan_join(struct plan *plan, struct plan *other, struct error *error) {
    case_key *known = case_keys(plan);
    struct plan *kept = calloc(1, sizeof *kept);
    struct case_spec *cases = calloc(plan->count + other->count + 1, sizeof *cases);
    bool joined = known && kept && cases;
    if (joined) {
        size_t count = plan->count;
        for (size_t i = 0; i < count; i++) {
            cases[i] = plan->cases[i];
        }
        for (size_t i = 0; i < other->count; i++) {
            case_key key;
            case_id(&other->cases[i], key);
            if (!bsearch(&key, known, count, sizeof *known, compare_case_keys)) {
                cases[plan->count++] = other->cases[i];
            }
        }
        free(plan->cases);
        plan->cases = cases;
        plan->left_out += other->left_out;
        /* Its tail is other's own chain, which is empty unless it was joined before. */
        *kept = *other;
        struct plan **end = &plan->joined;
        while (*end) {
            end = &(*end)->joined;
        }
        *end = kept;
        *other = (struct plan){ 0 };
    } else {
        free(kept);
        free(cases);
        plan_free(other);
        (void)fail_out_of_memory(error, "the plan");
    }
    free(known);
    return joined;
}

void plan_free(struct plan *plan) {
    if (plan->joined) {
        plan_free(plan->joined);
        free(plan->joined);
    }
    for (size_t i = 0; i < plan->file_count; i++) {
        variant_free(&plan->files[i]);
    }
    free(plan->files);
    for (size_t i = 0; i < plan->table_count; i++) {
        type_table_free(plan->tables[i]);
    }
    free(plan->tables);
    exclusions_free(plan->exclusions);
    particle_list_free(plan->group_a);
    particle_list_free(plan->group_b);
    free(plan->cases);
    *plan = (struct plan){ 0 };
}
