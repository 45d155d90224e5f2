/* Spans the cases of a plan: parses every axis, combines the values, and leaves out what a variant
 * cannot run. Treats plans as sets of cases: joins two, drops doubles, deals cases out in shares.
 */
#include "campaign/plan/plan.h"

#include "campaign/axes/axes.h"
#include "campaign/plan/plan_parts.h"
#include "core/cache.h"
#include "core/files.h"
#include "core/host.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"
#include "kernels/potentials/exclusions.h"
#include "kernels/potentials/pair_text.h"
#include "kernels/potentials/type_table.h"
#include "measure/program.h"
#include "measure/worker/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CASES = 1000000 };

/* One of the words of --launch. */
struct launch_choice {
    enum launch launch;
    size_t evaluations; /* "graph:K"; 0 */
};

/* The parsed values of every axis. */
struct span {
    struct variant_choice variants;
    struct group_choices groups;
    struct cutoff_choice *cutoffs;
    size_t cutoff_count;
    struct interaction_choices interactions;
    struct tune_choices tunes;
    struct {
        size_t *values;
        size_t count;
    } numbered[AXIS_COUNT]; /* of those axes whose words cases hold by their numbers */
    struct launch_choice *launches;
    size_t launch_count;
    struct judging judging;
    struct step_choices steps;
    struct span *next; /* of a plan that was joined */
};

/* ---- names ---- */

static bool choose_names(const struct axes *axes, struct span *span, struct error *error) {
    const char *outputs = outputs_name(span->variants.workload->default_outputs);
    bool chosen = true;
    for (int a = 0; chosen && a < AXIS_COUNT; a++) {
        const enum axis axis = (enum axis)a;
        chosen = !axis_table[a].numbered ||
                 words_select_axis(axes, axis, axis == AXIS_OUTPUTS ? outputs : NULL,
                                   &span->numbered[a].values, &span->numbered[a].count, error);
    }
    return chosen;
}

/* Adds a value unless it is there already: a case is run once. */
static void add_launch(struct span *span, struct launch_choice choice) {
    for (size_t k = 0; k < span->launch_count; k++) {
        if (span->launches[k].launch == choice.launch &&
            span->launches[k].evaluations == choice.evaluations) {
            return;
        }
    }
    span->launches[span->launch_count++] = choice;
}

/* "graph", "each:8"; false where it is neither. */
static bool take_launches(const char *word, struct span *span) {
    const char *const *names = axis_table[AXIS_LAUNCH].values;
    char pattern[32];
    uint64_t evaluations = 0;
    const size_t length = strcspn(word, ":");
    bool matched = false;
    if (length >= sizeof pattern ||
        (word[length] && (!parse_count(word + length + 1, &evaluations) || evaluations < 2 ||
                          evaluations > MAX_EVALUATIONS))) {
        return false;
    }
    memcpy(pattern, word, length);
    pattern[length] = '\0';
    for (size_t k = 0; names[k]; k++) {
        const struct launch_choice choice = { (enum launch)k, (size_t)evaluations };
        if (matches_pattern(pattern, names[k])) {
            matched = true;
            add_launch(span, choice);
        }
    }
    return matched;
}

static bool choose_launches(const struct axes *axes, struct span *span, struct error *error) {
    enum { KINDS = 2 };
    char **words = memory_split(axes_value(axes, AXIS_LAUNCH), ',');
    bool chosen = true;
    const size_t count = words_count((const char *const *)words);
    span->launches = memory_zeroed(KINDS * (count + 1), sizeof *span->launches);
    for (size_t k = 0; chosen && words[k]; k++) {
        chosen = take_launches(words[k], span) ||
                 fail(error, STATUS_BAD_INPUT,
                      "--launch: '%.60s'; expected each, graph, each:K or graph:K, K from 2 to %d",
                      words[k], MAX_EVALUATIONS);
    }
    free(words);
    return chosen;
}

/* ---- how large boxes are judged ---- */

static const uint64_t default_sample = 1000;
static const uint64_t seeds = 1000000000; /* short enough to be typed again */

static bool take_count(const char *option, const char *word, uint64_t least, uint64_t *count,
                       struct error *error) {
    return !word || (parse_count(word, count) && *count >= least) ||
           fail(error, STATUS_BAD_INPUT, "%s '%.100s': expected a whole number from %d to 2^53",
                option, word, (int)least);
}

/* Defaults: JUDGE_BY_COST, 1000, and a seed of the moment, so that every run judges other
 * particles. STATUS_BAD_INPUT naming the option. */
static bool choose_judging(const struct axes *axes, struct judging *judging, struct error *error) {
    *judging = (struct judging){ .all_below = JUDGE_BY_COST, .sample = default_sample };
    judging->seed = axes->judge_seed ? 0 : draw_seed() % seeds;
    return take_count("--judge-all-below", axes->judge_all_below, 0, &judging->all_below, error) &&
           take_count("--judge-sample", axes->judge_sample, 1, &judging->sample, error) &&
           take_count("--judge-seed", axes->judge_seed, 0, &judging->seed, error);
}

/* ---- the span ---- */

static void spans_free(struct span *span) {
    for (struct span *next; span; span = next) {
        next = span->next;
        variants_release(&span->variants);
        groups_release(&span->groups);
        free(span->cutoffs);
        steps_release(&span->steps);
        free(span->launches);
        interactions_release(&span->interactions);
        tunes_release(&span->tunes);
        for (int a = 0; a < AXIS_COUNT; a++) {
            free(span->numbered[a].values);
        }
        free(span);
    }
}

/* Puts spans after others. */
static void spans_append(struct span **spans, struct span *more) {
    while (*spans) {
        spans = &(*spans)->next;
    }
    *spans = more;
}

static bool choose_tunes(const struct axes *axes, struct span *span, struct error *error) {
    return tunes_choose(axes, &span->variants, &span->interactions, &span->tunes, error);
}

/* Boxes of the user's kind, else of the workload's default kind. */
static bool choose_boxes(const struct axes *axes, struct span *span, struct error *error) {
    struct axes own = *axes;
    char kind[BOX_KIND_SIZE];
    const char *usual = span->variants.workload->default_kind;
    if (usual && !own.kind && !own.box_files) {
        (void)snprintf(kind, sizeof kind, "%s", usual);
        own.kind = kind;
    }
    return groups_choose(&own, &span->groups, error);
}

/* For workloads without boxes, chooses how many numbers there are and from which seeds, by the
 * words that choose particles of boxes. */
static bool choose_counts(const struct axes *axes, struct span *span, struct error *error) {
    struct axes counts = *axes;
    counts.kind = NULL;
    if (!groups_choose(&counts, &span->groups, error)) {
        return false;
    }
    for (size_t g = 0; g < span->groups.count; g++) {
        for (size_t b = 0; b < span->groups.items[g].box_count; b++) {
            struct box_choice *box = &span->groups.items[g].boxes[b];
            (void)snprintf(box->spec.kind, sizeof box->spec.kind, "%s",
                           span->variants.workload->default_kind);
            box->spec.open = box->open = true;
            box->min_height = INFINITY;
        }
    }
    return true;
}

static bool choose_particles(const struct axes *axes, struct span *span, struct error *error) {
    return axis_is_of(AXIS_KIND, span->variants.workload) ? choose_boxes(axes, span, error)
                                                          : choose_counts(axes, span, error);
}

/* The variants that are given; NULL: those that the axes choose. */
static bool choose_variants(const struct axes *axes, const struct variant_choice *given,
                            struct span *span, struct error *error) {
    return given ? variants_share(axes, given, &span->variants, error)
                 : variants_choose(axes, &span->variants, error);
}

static bool span_make(const struct axes *axes, const struct variant_choice *given,
                      struct span *span, struct error *error) {
    return choose_variants(axes, given, span, error) && choose_names(axes, span, error) &&
           choose_launches(axes, span, error) &&
           interactions_choose(axes, span->variants.workload, &span->interactions, error) &&
           choose_tunes(axes, span, error) &&
           cutoffs_choose(axes, &span->cutoffs, &span->cutoff_count, error) &&
           choose_judging(axes, &span->judging, error) && choose_particles(axes, span, error) &&
           steps_choose(axes, &span->variants, &span->steps, error);
}

/* The cutoff of an interaction in a box: one of those chosen, or where its function ends. */
static bool find_cutoff(const struct span *span, size_t index,
                        const struct interaction *interaction, const struct box_choice *box,
                        struct cutoff *cutoff, struct error *error) {
    struct cutoff_choice choice = span->cutoffs[index];
    const struct workload *workload = span->variants.workload;
    choice.images = workload->meets_images;
    choice.least = interaction_longest_cutoff(interaction);
    if (!axis_is_of(AXIS_CUTOFF, workload)) {
        if (!workload->own_cutoff) {
            *cutoff = (struct cutoff){ .kind = CUTOFF_NONE };
            return true;
        }
        const struct own_cutoff own = workload->own_cutoff(interaction);
        choice =
            (struct cutoff_choice){ .cutoff = cutoff_of(own.length), .explicit = true, .own = own };
    }
    return cutoff_in_box(&choice, box, cutoff, error);
}

/* Which groups a variant takes, in words for who gave others. */
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
    const bool endless = !cutoff_ends(spec->cutoff, box->open);
    const struct workload *workload = variant->workload;
    if (variant->groups != spec->group.mode) {
        return groups_wanted(variant);
    }
    if (box->open && !variant->accepts_open) {
        return "takes no open boxes";
    }
    if (!box->open && !variant->accepts_periodic) {
        return "takes no periodic boxes";
    }
    if (box_choice_is_triclinic(box) && !variant->accepts_triclinic) {
        return "takes no triclinic cells (it does not say @boxes triclinic)";
    }
    if (spec->precision == PRECISION_FIXED && !variant_adds_in_fixed_point(variant)) {
        return variant_not_fixed;
    }
    const char *refusal = workload->refuse_case ? workload->refuse_case(spec) : NULL;
    if (refusal) {
        return refusal;
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
    const char *reason; /* to leave out what is added now; NULL: none */
    const struct variant *left_out_first;
    const char *left_out_reason; /* that of the first */
};

static bool add_case(struct filling *filling, const struct case_spec *spec, struct error *error) {
    struct plan *plan = filling->plan;
    if (filling->reason) {
        plan->left_out++;
        return true;
    }
    if (plan->count == MAX_CASES) {
        return fail(error, STATUS_BAD_INPUT, "the axes span more than %d cases", MAX_CASES);
    }
    plan->cases = memory_room(plan->cases, plan->count, &filling->capacity, sizeof *plan->cases);
    plan->cases[plan->count++] = *spec;
    return true;
}

static bool add_launches(struct filling *filling, const struct span *span, struct case_spec *spec,
                         struct error *error) {
    bool added = true;
    for (size_t k = 0; added && k < span->launch_count; k++) {
        spec->launch = span->launches[k].launch;
        spec->evaluations = span->launches[k].evaluations;
        added = add_case(filling, spec, error);
    }
    return added;
}

/* Adds every combination of the numbered axes from `axis` on. Of an axis that the case does not
 * depend on only the first word is taken. */
static bool add_numbered(struct filling *filling, const struct span *span, int axis,
                         struct case_spec *spec, struct error *error) {
    while (axis < AXIS_COUNT && !axis_table[axis].numbered) {
        axis++;
    }
    if (axis == AXIS_COUNT) {
        return add_launches(filling, span, spec, error);
    }
    const bool depends = case_depends_on(spec, (enum axis)axis);
    bool added = true;
    for (size_t v = 0; added && v < (depends ? span->numbered[axis].count : 1); v++) {
        case_choose(spec, (enum axis)axis, depends ? span->numbered[axis].values[v] : 0);
        added = add_numbered(filling, span, axis + 1, spec, error);
    }
    return added;
}

/* Adds the cases that share precision, interaction, cutoff, box and variant. */
static bool add_variant(struct filling *filling, const struct span *span,
                        const struct box_choice *box, struct case_spec *spec, struct error *error) {
    const size_t tunings = tunes_count(&span->tunes, spec);
    filling->reason = reason_to_leave_out(spec, box);
    if (filling->reason && !filling->left_out_first) {
        filling->left_out_first = spec->variant;
        filling->left_out_reason = filling->reason;
    }
    for (size_t t = 0; t < tunings * span->steps.total; t++) {
        tunes_set(&span->tunes, t / span->steps.total, spec);
        if (!steps_set(&span->steps, t % span->steps.total, spec, error) ||
            !add_numbered(filling, span, AXIS_PRECISION + 1, spec, error)) {
            return false;
        }
    }
    return true;
}

/* Whether anything of the interaction depends on the box. */
static bool needs_box(const struct interaction *interaction) {
    bool needs = interaction_has_types(interaction) || interaction->elements || interaction->eam ||
                 interaction->exclusions || interaction->bonded;
    for (int f = 0; f < interaction->function_count; f++) {
        needs = needs || isfinite(interaction->functions[f].cutoff);
    }
    return needs;
}

/* A box to check interactions against: a file, or a few particles of a kind, which has the same
 * species at any N. */
static bool sample_box(const struct box_spec *spec, struct box *box, struct error *error) {
    const size_t few = 8;
    struct box_spec sample = *spec;
    if (!spec->path[0]) {
        sample.n = spec->n < few ? spec->n : few;
        sample.batch = 0;
        sample.density = 0;
        sample.seed = 1;
    }
    return box_of_spec(&sample, box, error);
}

/* Whether tables, exclusions and charges fit the box: asked before anything runs. */
static bool check_interactions(const struct span *span, const struct box_choice *choice,
                               struct error *error) {
    struct box box = { 0 };
    bool fits = true;
    for (size_t i = 0; fits && i < span->interactions.count; i++) {
        const struct interaction *interaction = &span->interactions.items[i];
        const bool reads_charges = choice->spec.path[0] && interaction_has_charges(interaction);
        if (!needs_box(interaction) && !choice->spec.charges[0] && !reads_charges) {
            continue;
        }
        fits = box.n > 0 || sample_box(&choice->spec, &box, error);
        size_t sampled = box.n;
        box.n = choice->spec.path[0] ? sampled : choice->spec.n;
        for (size_t c = 0; fits && c < span->cutoff_count; c++) {
            struct cutoff cutoff;
            fits =
                find_cutoff(span, c, interaction, choice, &cutoff, error) &&
                (interaction_fits(interaction, &box,
                                  cutoff_in(cutoff, choice->open, choice->min_height / 2), error) ||
                 (choice->spec.path[0] && fail_within(error, "%s", choice->spec.path)));
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
    struct case_spec spec = { .box = box->spec, .group = *group, .judging = span->judging };
    size_t total =
        span->numbered[AXIS_PRECISION].count * span->interactions.count * span->cutoff_count;
    for (size_t i = 0; i < total; i++) {
        size_t rest = i;
        const size_t cutoff = rest % span->cutoff_count;
        rest /= span->cutoff_count;
        spec.interaction = span->interactions.items[rest % span->interactions.count];
        rest /= span->interactions.count;
        case_choose(&spec, AXIS_PRECISION, span->numbered[AXIS_PRECISION].values[rest]);
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

/* Adds all cases. If every combination was left out, *error says why, and plan->count is 0. */
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
    return plan_make_of(axes, NULL, plan, error);
}

bool plan_make_of(const struct axes *axes, const struct variant_choice *variants, struct plan *plan,
                  struct error *error) {
    struct span *span = memory_zeroed(1, sizeof *span);
    *plan = (struct plan){ 0 };
    const bool filled = span_make(axes, variants, span, error) && fill(span, plan, error);
    if (filled && plan->count > 0) {
        for (size_t g = 0; g < span->groups.count; g++) { /* the cases have their own */
            free(span->groups.items[g].boxes);
            span->groups.items[g].boxes = NULL;
        }
        plan->spans = span;
        plan->read = span->variants.read;
        return true;
    }
    const size_t left_out = filled ? plan->left_out : 0;
    plan_free(plan);
    plan->left_out = left_out;
    spans_free(span);
    return false;
}

bool plan_check_precisions(const struct plan *plan, const struct axes *said, struct error *error) {
    char **items = memory_split(said->precision ? said->precision : "*", ',');
    bool met = true;
    for (size_t k = 0; met && items[k]; k++) {
        met = plan->count == 0; /* as where a share of cases has none */
        for (size_t i = 0; !met && i < plan->count; i++) {
            met = matches_pattern(items[k], precision_name(plan->cases[i].precision));
        }
        if (!met) {
            (void)fail(error, STATUS_BAD_INPUT,
                       "--precision: '%.100s': no case is in it, for %s and what else is chosen "
                       "does not compute so; expected other precisions alone, or other variants",
                       items[k], plan->cases[0].variant->name);
        }
    }
    free(items);
    return met;
}

void plan_free(struct plan *plan) {
    spans_free(plan->spans);
    free(plan->cases);
    *plan = (struct plan){ 0 };
}

/* ---- plans as sets of cases ---- */

/* A case and its identity, by which cases are sorted. */
struct keyed_case {
    char id[HASH_TEXT_SIZE];
    size_t n;     /* of those with one identity the smallest comes first; 0: as they are planned */
    size_t place; /* in the plan */
    bool stays;
};

static int compare_places(const void *left, const void *right) {
    const struct keyed_case *a = left;
    const struct keyed_case *b = right;
    return (a->place > b->place) - (a->place < b->place);
}

static int compare_ids(const void *left, const void *right) {
    const struct keyed_case *a = left;
    const struct keyed_case *b = right;
    int order = strcmp(a->id, b->id);
    order = order ? order : (a->n > b->n) - (a->n < b->n);
    return order ? order : compare_places(left, right);
}

/* All cases, sorted by identity. */
static struct keyed_case *key_cases(const struct plan *plan) {
    struct keyed_case *keys = memory_zeroed(plan->count + 1, sizeof *keys);
    for (size_t i = 0; i < plan->count; i++) {
        keys[i] = (struct keyed_case){ .place = i, .stays = true };
        case_id(&plan->cases[i], keys[i].id);
    }
    qsort(keys, plan->count, sizeof *keys, compare_ids);
    return keys;
}

/* Keeps the cases that stay, in the order of the plan, and frees the keys. */
static void keep_cases(struct plan *plan, struct keyed_case *keys) {
    const size_t all = plan->count;
    plan->count = 0;
    qsort(keys, all, sizeof *keys, compare_places);
    for (size_t i = 0; i < all; i++) {
        if (keys[i].stays) {
            plan->cases[plan->count++] = plan->cases[i];
        }
    }
    free(keys);
}

void plan_drop_doubles(struct plan *plan) {
    struct keyed_case *keys = key_cases(plan);
    size_t first = 0; /* of those with one identity */
    for (size_t i = 1; i < plan->count; i++) {
        if (strcmp(keys[i].id, keys[first].id) != 0) {
            first = i;
            continue;
        }
        struct case_spec *kept = &plan->cases[keys[first].place];
        kept->tuned = kept->tuned || plan->cases[keys[i].place].tuned;
        keys[i].stays = false;
    }
    keep_cases(plan, keys);
}

size_t plan_choose_kernels(const struct plan *plan, size_t *cases, size_t count) {
    struct keyed_case *keys = memory_zeroed(count + 1, sizeof *keys);
    size_t kept = 0;
    for (size_t c = 0; c < count; c++) {
        struct case_spec spec = plan->cases[cases[c]];
        keys[c] = (struct keyed_case){ .n = spec.box.n, .place = cases[c] };
        spec.box.n = 0;
        spec.box.seed = 0;
        case_id(&spec, keys[c].id);
    }
    qsort(keys, count, sizeof *keys, compare_ids);
    for (size_t c = 0; c < count; c++) {
        if (kept == 0 || strcmp(keys[kept - 1].id, keys[c].id) != 0) {
            keys[kept++] = keys[c];
        }
    }
    qsort(keys, kept, sizeof *keys, compare_places);
    for (size_t c = 0; c < kept; c++) {
        cases[c] = keys[c].place;
    }
    free(keys);
    return kept;
}

struct worker_cases plan_worker_cases(const struct plan *plan) {
    return (struct worker_cases){ plan->cases, plan->count, case_name };
}

size_t plan_drop_of_batches(struct plan *plan) {
    enum { MOST_ALONE = 1024 }; /* particles that a work-group still serves in little time */
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct case_spec *spec = &plan->cases[i];
        const struct variant *forces = spec->variant->forces.variant;
        if (spec->box.batch > 1 || spec->box.n <= MOST_ALONE ||
            !variant_is_by_box(forces ? forces : spec->variant)) {
            plan->cases[kept++] = *spec;
        }
    }
    const size_t dropped = plan->count - kept;
    plan->left_out += dropped;
    plan->count = kept;
    return dropped;
}

void plan_join(struct plan *plan, struct plan *other) {
    plan->cases = memory_grown(plan->cases, plan->count + other->count + 1, sizeof *plan->cases);
    memcpy(plan->cases + plan->count, other->cases, other->count * sizeof *plan->cases);
    plan->count += other->count;
    plan->left_out += other->left_out;
    spans_append(&plan->spans, other->spans);
    other->spans = NULL;
    plan_free(other);
    plan_drop_doubles(plan);
}

/* ---- one of several equal shares ---- */

enum { MAX_SHARES = 1000000 };

bool plan_shard_parse(const char *option, const char *value, struct plan_shard *shard,
                      struct error *error) {
    char words[64];
    uint64_t index, total;
    (void)snprintf(words, sizeof words, "%s", value);
    char *slash = strchr(words, '/');
    if (slash) {
        *slash = '\0';
    }
    if (!slash || !parse_count(words, &index) || !parse_count(slash + 1, &total) || index < 1 ||
        index > total || total > MAX_SHARES) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s '%.60s': expected K/N, share K of N: 1/4, 2/4, 3/4, 4/4", option, value);
    }
    *shard = (struct plan_shard){ .index = (size_t)index, .total = (size_t)total };
    return true;
}

bool plan_shard_take(const struct plan_shard *shard, struct plan *plan, char id[HASH_TEXT_SIZE],
                     struct error *error) {
    struct keyed_case *keys = key_cases(plan);
    struct hash_state *hash = hash_begin();
    const size_t all = plan->count;
    for (size_t i = 0; i < all; i++) {
        hash_add_string(hash, keys[i].id);
        keys[i].stays = i % shard->total == shard->index - 1;
    }
    hash_end(hash, id);
    keep_cases(plan, keys);
    return plan->count > 0 ||
           fail(error, STATUS_BAD_INPUT, "--shard %zu/%zu: the plan has %zu cases alone",
                shard->index, shard->total, all);
}
