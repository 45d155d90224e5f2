#include "plan/plan.h"

#include "plan/plan_boxes.h"
#include "plan/plan_groups.h"
#include "plan/plan_judging.h"
#include "plan/plan_steps.h"
#include "plan/plan_tunes.h"
#include "plan/plan_variants.h"
#include "plan/plan_words.h"

#include "base/parse.h"
#include "base/strbuf.h"
#include "expression/expression.h"
#include "files/input_file.h"
#include "interaction/bonded.h"
#include "interaction/constraints.h"
#include "interaction/exclusions.h"
#include "interaction/type_parameters.h"
#include "interaction/type_table.h"
#include "xyz/xyz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CASES = 1000000, EXPRESSION_BYTES = 1 << 20 };

/* The kind of box of a case that has none. */
static const char no_box[] = "none";

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
    struct expression *expression;
    struct exclusions *exclusions;
    struct bonded_terms *bonded; /* NULL: no files of terms are named */
    struct tune_choices tunes;
    struct {
        size_t *values;
        size_t count;
    } numbered[AXIS_COUNT]; /* of those axes whose words cases hold by their numbers */
    struct judging judging;
    struct step_choices steps;
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

static bool same_interaction(const struct interaction *a, const struct interaction *b) {
    struct strbuf a_words = { 0 };
    struct strbuf b_words = { 0 };
    interaction_describe(a, &a_words);
    interaction_describe(b, &b_words);
    bool same = a_words.data && b_words.data && strcmp(a_words.data, b_words.data) == 0;
    strbuf_free(&a_words);
    strbuf_free(&b_words);
    return same;
}

/* Reads the files of bonded terms that are named. */
static bool choose_terms(const struct axes *axes, struct span *span, struct error *error) {
    const struct workload *workload = span->variants.workload;
    const char *const paths[LISTED_KINDS] = { axes->bonds, axes->angles, axes->torsions,
                                              axes->rb_torsions, axes->constraints };
    for (int kind = 0; kind < LISTED_KINDS; kind++) {
        const bool constrains = kind == LISTED_CONSTRAINTS;
        if (!paths[kind]) {
            continue;
        }
        if (!workload->takes_terms || workload->constrains != constrains) {
            return fail(error, STATUS_BAD_INPUT, "%s: workload %s has no %s",
                        bonded_forms[kind].option, workload->name,
                        constrains ? "constraints" : "bonded terms");
        }
        if (!span->bonded && !(span->bonded = calloc(1, sizeof *span->bonded))) {
            return fail_out_of_memory(error, "the bonded terms");
        }
        if (!bonded_read(paths[kind], (enum bonded_kind)kind, span->bonded, error)) {
            return fail_within(error, "%s", bonded_forms[kind].option);
        }
    }
    if (span->bonded) {
        bonded_close(span->bonded);
    }
    return true;
}

static void free_terms(struct bonded_terms *terms) {
    if (terms) {
        bonded_free(terms);
        free(terms);
    }
}

/* Gives an interaction its table, its terms and what it leaves out. The span owns all. */
static bool complete_interaction(const struct axes *axes, struct span *span,
                                 struct interaction *interaction, struct error *error) {
    if (axes->exclude && !span->exclusions &&
        !exclusions_read(axes->exclude, &span->exclusions, error)) {
        return fail_within(error, "--exclude");
    }
    interaction->exclusions = span->exclusions;
    interaction->bonded = span->bonded;
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
    interaction_use_table(interaction, table);
    return true;
}

/* Whether the workload is of such an interaction, and of pairs of such particles. */
static bool check_interaction(const struct axes *axes, const struct workload *workload,
                              const struct interaction *interaction, struct error *error) {
    if (workload->only_of && strcmp(interaction->name, workload->only_of) != 0) {
        return fail(error, STATUS_BAD_INPUT, "--interaction: %s: workload %s takes %s alone",
                    interaction->name, workload->name, workload->only_of);
    }
    for (int f = 0; !workload->takes_terms && f < interaction->function_count; f++) {
        const struct workload *owner = workload_find(interaction->functions[f].name);
        if (owner && owner->takes_terms) {
            return fail(error, STATUS_BAD_INPUT,
                        "--interaction: %s has no pair function: workload %s computes it",
                        interaction->functions[f].name, owner->name);
        }
    }
    if (workload->takes_types) {
        return true;
    }
    if (interaction_has_types(interaction) || axes->table) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: workload %s is of one function, the same for all types",
                    axes->table ? "--table" : "--interaction", workload->name);
    }
    return !axes->exclude || fail(error, STATUS_BAD_INPUT,
                                  "--exclude: workload %s leaves no pairs out", workload->name);
}

/* The words of --interaction-file, which stand for those of --interaction; NULL: there is none. */
static bool read_expression(const struct axes *axes, struct span *span, struct error *error) {
    char *words = NULL;
    size_t length = 0;
    if (!axes->interaction_file) {
        return expression_parse(axes->interaction, NULL, &span->expression, error) ||
               fail_within(error, "--interaction");
    }
    if (axes->interaction) {
        return fail(error, STATUS_BAD_INPUT,
                    "--interaction-file: expected no --interaction beside it");
    }
    if (!input_read(axes->interaction_file, EXPRESSION_BYTES, &words, &length, error)) {
        return fail_within(error, "--interaction-file");
    }
    const bool read =
        strlen(words) == length
            ? expression_parse(words, axes->interaction_file, &span->expression, error)
            : fail(error, STATUS_BAD_INPUT, "%s: not a text: it holds a NUL byte",
                   axes->interaction_file);
    free(words);
    return read || fail_within(error, "--interaction-file");
}

/* One interaction, which is an expression. */
static bool choose_expression(const struct axes *axes, struct span *span, struct error *error) {
    span->interactions = calloc(1, sizeof *span->interactions);
    span->tables = calloc(1, sizeof(struct type_table *));
    if (!span->interactions || !span->tables) {
        return fail_out_of_memory(error, "--interaction");
    }
    span->interaction_count = 1;
    return read_expression(axes, span, error) &&
           (interaction_of_expression(span->expression, span->interactions, error) ||
            fail_within(error, "--interaction")) &&
           check_interaction(axes, span->variants.workload, span->interactions, error) &&
           complete_interaction(axes, span, span->interactions, error);
}

/* None, in the place of one. */
static bool choose_no_interaction(struct span *span, struct error *error) {
    span->interactions = calloc(1, sizeof *span->interactions);
    if (!span->interactions) {
        return fail_out_of_memory(error, "--interaction");
    }
    (void)snprintf(span->interactions->name, sizeof span->interactions->name, "none");
    span->interaction_count = 1;
    return true;
}

static bool choose_interactions(const struct axes *axes, struct span *span, struct error *error) {
    const struct workload *workload = span->variants.workload;
    if (workload->is_of_draws) {
        return choose_no_interaction(span, error);
    }
    if (axes->interaction_file || (axes->interaction && expression_is_meant(axes->interaction))) {
        return choose_expression(axes, span, error);
    }
    const char *usual = workload->default_interaction;
    char **items = split_list(axes->interaction ? axes->interaction : usual, ';');
    size_t total = 0;
    while (items && items[total]) {
        total++;
    }
    span->interactions = calloc(total + 1, sizeof *span->interactions);
    span->tables = calloc(total + 1, sizeof(struct type_table *));
    bool good = true;
    if (!items || !span->interactions || !span->tables) {
        free(items);
        return fail_out_of_memory(error, "--interaction");
    }
    for (size_t i = 0; good && i < total; i++) {
        struct interaction *next = &span->interactions[span->interaction_count];
        bool repeated = false;
        if (!interaction_parse(items[i], next, error)) {
            good = fail_within(error, "--interaction");
            break;
        }
        if (!check_interaction(axes, workload, next, error) ||
            !complete_interaction(axes, span, next, error)) {
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

/* ---- the span ---- */

static void span_free(struct span *span) {
    variants_release(&span->variants);
    groups_release(&span->groups);
    free(span->cutoffs);
    steps_release(&span->steps);
    free(span->interactions);
    for (size_t i = 0; i < span->table_count; i++) {
        type_table_free(span->tables[i]);
    }
    free(span->tables);
    expression_free(span->expression);
    exclusions_free(span->exclusions);
    free_terms(span->bonded);
    tunes_release(&span->tunes);
    for (int a = 0; a < AXIS_COUNT; a++) {
        free(span->numbered[a].values);
    }
}

static bool choose_tunes(const struct axes *axes, struct span *span, struct error *error) {
    bool typed = false;
    for (size_t i = 0; i < span->interaction_count; i++) {
        typed = typed || interaction_has_types(&span->interactions[i]);
    }
    return tunes_choose(axes, &span->variants, typed, &span->tunes, error);
}

static bool choose_cutoffs(const struct axes *axes, struct span *span, struct error *error) {
    const struct workload *workload = span->variants.workload;
    if (workload->takes_terms && axes->cutoff) {
        return fail(error, STATUS_BAD_INPUT, "--cutoff: workload %s has none: its terms are listed",
                    workload->name);
    }
    if (workload->cutoff_is_its_own && axes->cutoff) {
        return fail(error, STATUS_BAD_INPUT,
                    "--cutoff: workload %s ends at its dmax: give --interaction %s:dmax=%.100s",
                    workload->name, workload->default_interaction, axes->cutoff);
    }
    return cutoffs_choose(axes, &span->cutoffs, &span->cutoff_count, error);
}

/* Of the workload's own kind where the user says none. */
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

/* What makes no sense where numbers are drawn and there are no particles. */
static bool check_no_particles(const struct axes *axes, const struct workload *workload,
                               struct error *error) {
    static const enum axis of_particles[] = { AXIS_INTERACTION, AXIS_INTERACTION_FILE,
                                              AXIS_TABLE,       AXIS_EXCLUDE,
                                              AXIS_BOX,         AXIS_DENSITY,
                                              AXIS_CUTOFF,      AXIS_OPEN };
    for (size_t a = 0; a < sizeof of_particles / sizeof of_particles[0]; a++) {
        if (axes_say(axes, of_particles[a])) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s: workload %s has no particles; expected --n, --seed and --distribution",
                        axis_table[of_particles[a]].option, workload->name);
        }
    }
    return !axes->kind || strcmp(axes->kind, no_box) == 0 ||
           fail(error, STATUS_BAD_INPUT, "--kind: workload %s has no particles", workload->name);
}

/* How many numbers, and of which seeds, are chosen as the particles of boxes are. */
static bool choose_draws(const struct axes *axes, struct span *span, struct error *error) {
    struct axes counts = *axes;
    counts.kind = NULL;
    if (!check_no_particles(axes, span->variants.workload, error) ||
        !groups_choose(&counts, &span->groups, error)) {
        return false;
    }
    for (size_t g = 0; g < span->groups.count; g++) {
        for (size_t b = 0; b < span->groups.items[g].box_count; b++) {
            struct box_choice *box = &span->groups.items[g].boxes[b];
            (void)snprintf(box->spec.kind, sizeof box->spec.kind, "%s", no_box);
            box->spec.open = box->open = true;
            box->min_height = INFINITY;
        }
    }
    return true;
}

static bool choose_particles(const struct axes *axes, struct span *span, struct error *error) {
    return span->variants.workload->is_of_draws ? choose_draws(axes, span, error)
                                                : choose_boxes(axes, span, error);
}

static bool span_make(const struct axes *axes, struct span *span, struct error *error) {
    return variants_choose(axes, &span->variants, error) && choose_names(axes, span, error) &&
           choose_terms(axes, span, error) && choose_interactions(axes, span, error) &&
           choose_tunes(axes, span, error) && choose_cutoffs(axes, span, error) &&
           judging_choose(axes, &span->judging, error) && choose_particles(axes, span, error) &&
           steps_choose(axes, &span->variants, &span->steps, error);
}

/* The cutoff of an interaction in a box: one of those chosen, or where its function ends. */
static bool find_cutoff(const struct span *span, size_t index,
                        const struct interaction *interaction, const struct box_choice *box,
                        struct cutoff *cutoff, struct error *error) {
    struct cutoff_choice choice = span->cutoffs[index];
    const struct workload *workload = span->variants.workload;
    if (workload->takes_terms || workload->is_of_draws) {
        *cutoff = (struct cutoff){ .kind = CUTOFF_NONE };
        return true;
    }
    if (span->variants.workload->cutoff_is_its_own) {
        choice = (struct cutoff_choice){ .cutoff = cutoff_of(interaction->functions[0].cutoff),
                                         .explicit = true,
                                         .dmax = true };
    }
    return cutoff_in_box(&choice, box, cutoff, error);
}

/* What a variant takes, where there are other groups. */
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

/* Whether the kernels of a variant ask for something by this name. */
static bool asks_for(const struct variant *variant, const char *name) {
    for (int p = 0; p < variant->pass_count; p++) {
        for (int a = 0; a < variant->passes[p].argument_count; a++) {
            if (strcmp(variant->passes[p].arguments[a], name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static const char *reason_of_constraints(const struct case_spec *spec) {
    if (spec->interaction.bonded) {
        return NULL;
    }
    if (!constraints_kind_has(spec->box.kind)) {
        return "needs constraints: --constraints, or a box of kind water, hydrogens, oligomers or "
               "polymers, which have their own";
    }
    if (asks_for(spec->variant, "water_atoms") && strcmp(spec->box.kind, "water") != 0) {
        return "takes rigid waters alone: a box of kind water, or --constraints";
    }
    return asks_for(spec->variant, "star_atoms") && strcmp(spec->box.kind, "hydrogens") != 0
               ? "takes clusters alone: a box of kind hydrogens, or --constraints"
               : NULL;
}

/* Why the variant cannot run the case on the box; NULL when it can. */
static const char *reason_to_leave_out(const struct case_spec *spec, const struct box_choice *box) {
    const struct variant *variant = spec->variant;
    const bool endless = !cutoff_ends(spec->cutoff, box->open);
    if (variant->workload->takes_groups && variant->groups != spec->group.mode) {
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
    if (variant->workload->constrains) {
        return reason_of_constraints(spec);
    }
    if (variant->workload->takes_terms && !spec->interaction.bonded &&
        !bonded_kind_has_chains(spec->box.kind)) {
        return "needs bonded terms: --bonds, --angles, --torsions or --rb-torsions, or a box of "
               "kind "
               "chains, which has its own";
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

/* Every combination of what the axes from `axis` on have by number. One that makes no difference
 * has its first word alone. */
static bool add_numbered(struct filling *filling, const struct span *span, int axis,
                         struct case_spec *spec, struct error *error) {
    while (axis < AXIS_COUNT && !axis_table[axis].numbered) {
        axis++;
    }
    if (axis == AXIS_COUNT) {
        return add_case(filling, spec, error);
    }
    const bool depends = case_depends_on(spec, (enum axis)axis);
    bool added = true;
    for (size_t v = 0; added && v < (depends ? span->numbered[axis].count : 1); v++) {
        case_choose(spec, (enum axis)axis, depends ? span->numbered[axis].values[v] : 0);
        added = add_numbered(filling, span, axis + 1, spec, error);
    }
    return added;
}

/* The cases that share precision, interaction, cutoff, box and variant. */
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
    bool needs =
        interaction_has_types(interaction) || interaction->exclusions || interaction->bonded;
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
            struct cutoff cutoff;
            fits = find_cutoff(span, c, &span->interactions[i], choice, &cutoff, error) &&
                   interaction_fits(&span->interactions[i], &box,
                                    cutoff_in(cutoff, choice->open, choice->min_height / 2), error);
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
        span->numbered[AXIS_PRECISION].count * span->interaction_count * span->cutoff_count;
    for (size_t i = 0; i < total; i++) {
        size_t rest = i;
        const size_t cutoff = rest % span->cutoff_count;
        rest /= span->cutoff_count;
        spec.interaction = span->interactions[rest % span->interaction_count];
        rest /= span->interaction_count;
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
        plan->expression = span.expression;
        span.expression = NULL;
        plan->exclusions = span.exclusions;
        span.tables = NULL;
        span.table_count = 0;
        span.exclusions = NULL;
        plan->bonded = span.bonded;
        span.bonded = NULL;
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
    expression_free(plan->expression);
    exclusions_free(plan->exclusions);
    free_terms(plan->bonded);
    particle_list_free(plan->group_a);
    particle_list_free(plan->group_b);
    free(plan->cases);
    *plan = (struct plan){ 0 };
}
