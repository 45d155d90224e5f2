#include "commands/check_parts.h"

#include "campaign/rows/run_folder.h"
#include "core/host.h"
#include "core/strings.h"
#include "kernels/header/read_variant.h"
#include "measure/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is listed ---- */

void check_plan_free(struct check_plan *plan) {
    for (size_t i = 0; i < plan->drawn_count; i++) {
        drawn_free(&plan->drawn[i]);
    }
    for (size_t i = 0; i < plan->count; i++) {
        plan_free(&plan->sweeps[i]);
        axes_free(&plan->axes[i]);
    }
    free(plan->sweeps);
    free(plan->axes);
    free(plan->drawn);
    free(plan->order);
    free(plan->all.cases);
}

/* Whether two variants are the same. Each sweep reads the files again, so equal texts count as the
 * same variant. */
static bool is_same_variant(const struct variant *a, const struct variant *b) {
    return a == b || (strcmp(a->name, b->name) == 0 && a->workload == b->workload && a->text &&
                      b->text && strcmp(a->text, b->text) == 0);
}

/* The variant under which the cases before `count` know it. */
static const struct variant *find_known(const struct plan *all, size_t count,
                                        const struct variant *variant) {
    for (size_t i = 0; i < count; i++) {
        if (is_same_variant(all->cases[i].variant, variant)) {
            return all->cases[i].variant;
        }
    }
    return variant;
}

static void append_cases(const struct plan *from, struct plan *all) {
    struct case_spec *cases = memory_grown(all->cases, all->count + from->count + 1, sizeof *cases);
    memcpy(cases + all->count, from->cases, from->count * sizeof *cases);
    all->cases = cases;
    const struct variant *last = NULL; /* cases of a variant mostly follow each other */
    const struct variant *known = NULL;
    for (size_t i = 0; i < from->count; i++) {
        struct case_spec *spec = &cases[all->count + i];
        known = spec->variant == last ? known : find_known(all, all->count, spec->variant);
        last = spec->variant;
        spec->variant = known;
    }
    all->count += from->count;
}

static bool has_groups(const struct axes *axes) {
    return axes->group_a || axes->group_b || axes->ratio || axes->pairs;
}

bool check_is_particular(const struct axes *axes) {
    return axes->workload || axes->variant || axes->variant_files || axes->structure ||
           axes->interaction || axes->interaction_file || axes->table || axes->exclude ||
           axes->cutoff || axes->box_files || axes->bonds || axes->angles || axes->torsions ||
           axes->rb_torsions || axes->kind || axes->n || axes->batch || axes->density ||
           axes->open || axes->periodic || axes->tunes || axes->distribution || has_groups(axes);
}

/* Whether the sweep is run at all: what the user says takes the place of what the sweeps vary, and
 * of those that would then be the same one is kept. */
static bool sweep_is_wanted(const struct axes *axes, const struct workload_check *sweep,
                            const struct axes *of_sweep, bool first) {
    if (axes->box_files) {
        return first;
    }
    const bool of_its_kind = of_sweep->exclude || of_sweep->charges; /* molecules, species */
    const bool named = axes->interaction || axes->interaction_file;
    if (of_its_kind && (named || axes->table || axes->exclude || axes->kind)) {
        return false;
    }
    if (has_groups(axes)) {
        return sweep->for_user_n;
    }
    const bool of_its_own = of_sweep->interaction && !of_its_kind; /* its end fits any box */
    if (of_its_own && named && !sweep->roomy) {
        return false;
    }
    if ((axes->open && !of_sweep->open && !of_its_own) || (axes->periodic && of_sweep->open)) {
        return false;
    }
    return axes->n ? sweep->for_user_n : !axes->cutoff || sweep->roomy;
}

/* Whether the sweep decides the axis, since the user's words leave it open. Options of groups go
 * together; a ratio decides the number of particles, too. */
static bool is_open(const struct axes *axes, enum axis axis) {
    if (axis == AXIS_GROUP_A || axis == AXIS_GROUP_B || axis == AXIS_RATIO || axis == AXIS_PAIRS) {
        return !has_groups(axes);
    }
    if (axis == AXIS_INTERACTION && axes->interaction_file) {
        return false;
    }
    return !axes_say(axes, axis) && !(axis == AXIS_N && axes->ratio);
}

/* What the user left open, as the sweep has it; all precisions and outputs of boxes that the user
 * names. The words are not changed by the plan. */
static struct axes fill_axes(const struct workload *workload, const struct axes *of_sweep,
                             const struct axes *said) {
    struct axes axes = *said;
    for (int a = 0; a < AXIS_COUNT && !said->box_files; a++) {
        if (axes_say(of_sweep, (enum axis)a) && is_open(said, (enum axis)a)) {
            axes_borrow(&axes, of_sweep, (enum axis)a);
        }
    }
    if (said->box_files || said->n || said->cutoff) {
        axes.precision = said->precision ? said->precision : (char *)"*";
        axes.outputs =
            !said->outputs && axis_is_of(AXIS_OUTPUTS, workload) ? (char *)"*" : said->outputs;
    }
    axes.workload = (char *)workload->name;
    return axes;
}

/* Puts the cases of a variant together, so that each variant needs one process. */
static void group_by_variant(struct plan *all) {
    struct case_spec *grouped = memory_zeroed(all->count + 1, sizeof *grouped);
    size_t count = 0;
    while (count < all->count) {
        const struct variant *variant = NULL; /* that of the first case not taken yet */
        for (size_t i = 0; i < all->count; i++) {
            struct case_spec *spec = &all->cases[i];
            variant = variant ? variant : spec->variant;
            if (spec->variant && spec->variant == variant) {
                grouped[count++] = *spec;
                spec->variant = NULL;
            }
        }
    }
    free(all->cases);
    all->cases = grouped;
}

static size_t count_sweeps(const struct workload *workload) {
    size_t count = 0;
    while (workload->checks[count].options) {
        count++;
    }
    return count;
}

/* Some sweeps make sense in their own precisions alone: appends those of them that the user asked
 * for. Nothing where the sweep takes any precision or the user named none. Returns whether the
 * sweep is left with a precision. */
static bool common_precisions(const struct workload_check *sweep, const struct axes *of_sweep,
                              const struct axes *said, struct strbuf *common) {
    if (!sweep->own_precisions || !said->precision) {
        return true;
    }
    char **ours = split_list(of_sweep->precision, ',');
    char **theirs = split_list(said->precision, ',');
    for (size_t i = 0; ours && theirs && ours[i]; i++) {
        bool named = false;
        for (size_t j = 0; theirs[j]; j++) {
            named = named || matches_pattern(theirs[j], ours[i]);
        }
        if (named) {
            strbuf_append(common, "%s%s", common->length > 0 ? "," : "", ours[i]);
        }
    }
    free(ours);
    free(theirs);
    return common->length > 0;
}

static bool plan_sweep(const struct axes *axes, const struct workload *workload, size_t index,
                       struct check_plan *plan, struct error *error) {
    const struct workload_check *sweep = &workload->checks[index];
    struct axes *of_sweep = &plan->axes[plan->count];
    struct plan *made = &plan->sweeps[plan->count++];
    if (!axes_parse(of_sweep, sweep->options, NULL, NULL, error)) {
        return fail_within(error, "the checks of %s", workload->name);
    }
    struct strbuf precisions = { 0 };
    if (!sweep_is_wanted(axes, sweep, of_sweep, index == 0) ||
        !common_precisions(sweep, of_sweep, axes, &precisions)) {
        return true;
    }
    struct axes filled = fill_axes(workload, of_sweep, axes);
    if (sweep->always && of_sweep->seed) { /* of a box that has what few have */
        filled.seed = of_sweep->seed;
    }
    filled.precision = precisions.data ? precisions.data : filled.precision;
    struct error own = { STATUS_OK, "" };
    const bool planned = plan_make(&filled, made, &own);
    strbuf_free(&precisions);
    plan->all.left_out += made->left_out;
    /* A variant that takes no open boxes, say, leaves nothing of some sweeps. Nor do the user's
     * boxes that have no room for an interaction that he did not ask for, and his thermostat in
     * longer steps than he asked for. */
    const bool has_no_room =
        own.status == STATUS_BAD_INPUT &&
        ((axes->n && of_sweep->interaction && !axes->interaction && !axes->interaction_file) ||
         (axes->thermostat && of_sweep->dt && !axes->dt));
    if (planned) {
        append_cases(made, &plan->all);
        return true;
    }
    const bool goes_on = made->left_out > 0 || has_no_room;
    *error = goes_on && plan->is_refused ? *error : own; /* where no case is left: the first */
    plan->is_refused = true;
    return goes_on;
}

/* The sweeps of one workload; beside what is drawn, those alone that are always run. */
static bool plan_workload_sweeps(const struct axes *axes, const struct workload *workload,
                                 bool drawn, struct check_plan *plan, struct error *error) {
    for (size_t s = 0; workload->checks[s].options; s++) {
        if ((!drawn || workload->checks[s].always) && !plan_sweep(axes, workload, s, plan, error)) {
            return false;
        }
    }
    return true;
}

/* ---- what is drawn ---- */

/* Whether the user names boxes, or what acts in them: then these are checked, unless he gives a
 * budget for more. */
static bool names_boxes(const struct axes *axes) {
    return axes->box_files || axes->kind || axes->n || axes->batch || axes->density || axes->open ||
           axes->periodic || axes->cutoff || axes->charges || axes->interaction ||
           axes->interaction_file || axes->ewald_tolerance || axes->table || axes->exclude ||
           axes->bonds || axes->angles || axes->torsions || axes->rb_torsions ||
           axes->constraints || axes->distribution || has_groups(axes);
}

static bool is_drawn(const struct axes *axes, const struct workload *workload,
                     const struct check_draw *draw) {
    return !draw->listed && draw->budget_s > 0 && (draw->is_budget_said || !names_boxes(axes)) &&
           drawn_can(axes, workload);
}

/* The number that --seed says, or a new one. */
static bool choose_seed(const struct axes *axes, uint64_t *seed, struct error *error) {
    const uint64_t drawn_below = UINT64_C(1) << 31;
    struct number_list seeds;
    if (!axes->seed) {
        *seed = draw_seed() % drawn_below;
        return true;
    }
    bool good = axis_numbers("--seed", axes->seed, &seeds, error);
    const double first = good ? seeds.values[0] : 0;
    if (good &&
        (seeds.count != 1 || first != floor(first) || first < 0 || first > 9007199254740992.0)) {
        good = fail(error, STATUS_BAD_INPUT,
                    "--seed %s: cases are drawn by one whole number (--budget 0 draws none)",
                    axes->seed);
    }
    *seed = good ? (uint64_t)first : 0;
    free(seeds.values);
    return good;
}

static bool append_drawn(const struct axes *axes, const struct workload *workload,
                         const struct check_draw *draw, struct check_plan *plan,
                         struct error *error) {
    const double reserve = 2; /* a quick machine gets further than is planned */
    const double share = 0.5; /* of the budget, for planning: cases are to have the rest */
    struct drawn *drawn = &plan->drawn[plan->drawn_count];
    const struct drawn_settings drawing = { .strength = draw->thorough ? 3 : 2,
                                            .seed = plan->seed,
                                            .seconds = reserve * draw->budget_s,
                                            .planning_seconds = share * draw->budget_s };
    plan->drawn_count++;
    if (!drawn_make(axes, workload, &drawing, drawn, error)) {
        return false;
    }
    struct plan *all = &plan->all;
    if (drawn->plan.count == 0) {
        return true;
    }
    all->cases = memory_grown(all->cases, all->count + drawn->plan.count, sizeof *all->cases);
    for (size_t i = 0; i < drawn->plan.count; i++) {
        struct case_spec *spec = &all->cases[all->count++];
        *spec = drawn->plan.cases[i];
        spec->variant = find_known(all, plan->listed, spec->variant);
    }
    return true;
}

struct drawn *check_plan_drawn(const struct check_plan *plan, size_t index,
                               struct drawn_case *origin) {
    size_t first = plan->listed;
    for (size_t d = 0; d < plan->drawn_count; d++) {
        struct drawn *drawn = &plan->drawn[d];
        if (index >= first && index - first < drawn->plan.count) {
            *origin = drawn->cases[index - first];
            return drawn;
        }
        first += drawn->plan.count;
    }
    return NULL;
}

/* ---- what was met of it ---- */

/* Adds up the counts of all variants. */
static struct covering_counts count_all(const struct check_plan *plan, int size) {
    struct covering_counts all = { .states = { 0 } };
    for (size_t d = 0; d < plan->drawn_count; d++) {
        for (size_t v = 0; v < plan->drawn[d].variant_count; v++) {
            const struct covering_counts counts =
                covering_count(plan->drawn[d].variants[v].covering, size);
            for (int s = 0; s <= COVERING_MET; s++) {
                all.states[s] += counts.states[s];
            }
        }
    }
    return all;
}

static size_t count_possible(const struct covering_counts *counts) {
    return counts->states[COVERING_MISSING] + counts->states[COVERING_PLANNED] +
           counts->states[COVERING_MET];
}

static void append_missing(const struct drawn *drawn, size_t variant, int size,
                           struct strbuf *lines) {
    const struct drawn_variant *drawn_variant = &drawn->variants[variant];
    const struct covering_counts counts = covering_count(drawn_variant->covering, size);
    const size_t missing = count_possible(&counts) - counts.states[COVERING_MET];
    if (missing > 0) {
        strbuf_append(lines, "%s: not met: %zu\n", drawn_variant->variant->name, missing);
        drawn_append_missing(drawn, variant, size, COVERING_MISSING, lines);
        drawn_append_missing(drawn, variant, size, COVERING_PLANNED, lines);
    }
}

void check_plan_append_coverage(const struct check_plan *plan, int strength, bool verbose,
                                struct strbuf *lines) {
    static const char *const names[] = { "values", "pairs", "triples" };
    for (size_t d = 0; verbose && d < plan->drawn_count; d++) {
        for (size_t v = 0; v < plan->drawn[d].variant_count; v++) {
            append_missing(&plan->drawn[d], v, 1, lines);
            append_missing(&plan->drawn[d], v, 2, lines);
        }
    }
    strbuf_append(lines, "drawn by --seed %llu:", (unsigned long long)plan->seed);
    for (int size = 1; size <= strength && size <= 3; size++) {
        const struct covering_counts counts = count_all(plan, size);
        strbuf_append(lines, "%s %zu of %zu %s", size > 1 ? "," : "", counts.states[COVERING_MET],
                      count_possible(&counts), names[size - 1]);
    }
    strbuf_append(lines, " were met%s\n", verbose ? "" : " (--verbose lists the others)");
}

/* Remembers that a file has passed: every value was met and nothing failed. */
static void remember(const struct check_plan *plan, const struct drawn_variant *variant,
                     const char *device) {
    const struct covering_counts values = covering_count(variant->covering, 1);
    const struct covering_counts pairs = covering_count(variant->covering, 2);
    char now[32], words[256];
    if (variant_is_built_in(variant->variant->path) || variant->failed > 0 ||
        count_possible(&values) > values.states[COVERING_MET]) {
        return;
    }
    environment_utc(now, sizeof now);
    (void)snprintf(words, sizeof words, "%s, %.64s, --seed %llu, %zu of %zu pairs of values", now,
                   device, (unsigned long long)plan->seed, pairs.states[COVERING_MET],
                   count_possible(&pairs));
    checked_store(variant->variant, words);
}

void check_plan_remember(const struct check_plan *plan, const char *device) {
    for (size_t d = 0; d < plan->drawn_count; d++) {
        for (size_t v = 0; drawn_is_whole(&plan->drawn[d]) && v < plan->drawn[d].variant_count;
             v++) {
            remember(plan, &plan->drawn[d].variants[v], device);
        }
    }
}

void check_plan_reset(struct check_plan *plan) {
    for (size_t d = 0; d < plan->drawn_count; d++) {
        for (size_t v = 0; v < plan->drawn[d].variant_count; v++) {
            covering_reset(plan->drawn[d].variants[v].covering);
            plan->drawn[d].variants[v].failed = 0;
        }
    }
}

/* ---- all of it ---- */

static void allocate(struct check_plan *plan) {
    size_t most = 1;
    size_t count = 1;
    for (size_t w = 0; workloads[w]; w++) {
        most += 2 * count_sweeps(workloads[w]); /* where nothing is drawn, all are planned */
        count++;
    }
    plan->sweeps = memory_zeroed(most, sizeof *plan->sweeps);
    plan->axes = memory_zeroed(most, sizeof *plan->axes);
    plan->drawn = memory_zeroed(count, sizeof *plan->drawn);
}

/* Where no workload is named: all that have the axes that are. */
static bool is_meant(const struct axes *axes, const struct workload *workload,
                     const struct workload *particular) {
    struct error ignored;
    return check_is_particular(axes) ? workload == particular
                                     : axes_check_workload(axes, workload, &ignored);
}

/* What is listed, of all workloads that are meant. */
static bool plan_listed(const struct axes *axes, const struct check_draw *draw,
                        const struct workload *particular, struct check_plan *plan,
                        struct error *error) {
    (void)fail(error, STATUS_BAD_INPUT, "no part of the check has boxes such as these");
    for (size_t w = 0; workloads[w]; w++) {
        const bool drawn = is_drawn(axes, workloads[w], draw);
        if (is_meant(axes, workloads[w], particular) && !(drawn && names_boxes(axes)) &&
            !plan_workload_sweeps(axes, workloads[w], drawn, plan, error)) {
            return false;
        }
    }
    group_by_variant(&plan->all);
    plan->listed = plan->all.count;
    return true;
}

static bool plan_drawn(const struct axes *axes, const struct check_draw *draw,
                       const struct workload *particular, struct check_plan *plan,
                       struct error *error) {
    for (size_t w = 0; workloads[w]; w++) {
        if (is_meant(axes, workloads[w], particular) && is_drawn(axes, workloads[w], draw) &&
            !append_drawn(axes, workloads[w], draw, plan, error)) {
            return false;
        }
    }
    return true;
}

/* Cases that are listed come before those that are drawn, of each variant. */
static void make_order(struct check_plan *plan) {
    const struct plan *all = &plan->all;
    size_t count = 0;
    bool *taken = memory_zeroed(all->count + 1, sizeof *taken);
    plan->order = memory_zeroed(all->count + 1, sizeof *plan->order);
    for (size_t i = 0; i < all->count; i++) {
        const struct variant *variant = taken[i] ? NULL : all->cases[i].variant;
        for (size_t k = i; variant && k < all->count; k++) {
            if (!taken[k] && all->cases[k].variant == variant) {
                plan->order[count++] = k;
                taken[k] = true;
            }
        }
    }
    free(taken);
}

bool check_plan_make(const struct axes *axes, const struct check_draw *draw,
                     struct check_plan *plan, struct error *error) {
    const struct check_draw listed = { .listed = true };
    const struct workload *particular = plan_workload(axes, error);
    allocate(plan);
    if (!particular || !plan_listed(axes, draw, particular, plan, error)) {
        return false;
    }
    bool any = false; /* else --seed is of boxes alone, and may be a list */
    for (size_t w = 0; workloads[w]; w++) {
        any = any || is_drawn(axes, workloads[w], draw);
    }
    if ((any && !choose_seed(axes, &plan->seed, error)) ||
        !plan_drawn(axes, draw, particular, plan, error)) {
        return false;
    }
    /* Where nothing can be drawn: the listed cases, or why the planner refuses them. */
    const bool planned =
        plan->all.count > 0 || (any && plan_listed(axes, &listed, particular, plan, error));
    make_order(plan);
    return planned && plan->all.count > 0;
}
