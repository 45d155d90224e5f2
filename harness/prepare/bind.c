/* Kernels of a prepared case get their arguments by the names of their parameters. */
#include "core/strings.h"
#include "kernels/bindings.h"
#include "kernels/header/read_variant.h"
#include "kernels/launch.h"
#include "prepare/kernel_plan_parts.h"

#include <string.h>

static size_t divide_up(size_t count, size_t by) {
    return (count + by - 1) / by;
}

/* The set of particles that a name refers to by _a or _b, and the name without that. */
static const struct particle_set *set_of(const struct kernel_plan *plan, const char *name,
                                         char plain[VARIANT_NAME_SIZE]) {
    const int set = plan->set_count > 1 ? binding_set(name, plain) : -1;
    if (set < 0) {
        (void)snprintf(plain, VARIANT_NAME_SIZE, "%s", name);
    }
    return &plan->sets[set < 0 ? 0 : set];
}

bool count_units(const void *context, const char *unit, size_t *units) {
    const struct kernel_plan *plan = context;
    char plain[VARIANT_NAME_SIZE];
    const struct particle_set *set = set_of(plan, unit, plain);
    if (strcmp(plain, "particle") == 0 || strcmp(plain, "pair") == 0 ||
        strcmp(plain, "draw") == 0) {
        *units = set->n;
    } else if (strcmp(plain, "stream") == 0) {
        *units = (size_t)tunings_value(&plan->spec->tunings, STREAMS_TUNABLE, 1);
    } else if (strcmp(plain, "box") == 0) {
        *units = box_count(plan->box);
    } else if (strcmp(plain, "compute_unit") == 0) {
        *units = (size_t)device_describe(plan->device)->compute_units;
    } else if (plan->driver && plan->driver->unit(plan, plain, units)) {
        return true;
    } else if (plan->own && plan_own_class(plan)->unit &&
               plan_own_class(plan)->unit(plan->own, plain, units)) {
        return true;
    } else {
        return structure_chain_unit(set->structure, plain, units);
    }
    return true;
}

/* Kernels number by int: their work-items, what each of them begins with (its own number times the
 * divisor), and the places of partial sums. */
static bool check_shape(const struct kernel_plan *plan, const struct pass *pass, size_t groups,
                        size_t divisor, struct error *error) {
    const bool adds = plan->sum_count > 0 && pass_takes(pass, "partial_sums");
    if (adds && plan->sum_boxes > 1 &&
        (!pass->per_group || strcmp(pass->unit, "box") != 0 || *pass->divisor)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "kernel %s: sums of each box of a batch take groups of one box each; expected "
                    "@pass %s group per box, or times a tunable",
                    pass->kernel, pass->kernel);
    }
    const size_t items = groups * (size_t)plan->group_size;
    const size_t begun = (pass->per_group ? groups : items) * divisor;
    const size_t places = groups * (size_t)plan->sum_count;
    const size_t most = items > begun ? items : begun;
    return (most <= INT32_MAX && places <= INT32_MAX) ||
           fail(error, STATUS_UNSUPPORTED,
                "kernel %s: %zu groups of %d work-items, with %d sums and %zu %ss each, are more "
                "than kernels can number by int (2^31 - 1); other tunables need fewer",
                pass->kernel, groups, plan->group_size, plan->sum_count, divisor, pass->unit);
}

/* Whether a pass may hand out its work while it runs: it is launched as often as the device has
 * units, or once, and may write whole numbers that all of its work-items see. */
static bool may_have_queue(const struct kernel_plan *plan, const struct pass *pass) {
    const struct variant *variant = plan->spec->variant;
    const bool any_size = strcmp(pass->unit, "compute_unit") == 0 || strcmp(pass->unit, "box") == 0;
    bool writes = false;
    for (int s = 0; s < variant->scratch_count; s++) {
        const char *type = variant->scratch[s].type;
        const bool is_whole = strncmp(type, "int", 3) == 0 || strncmp(type, "uint", 4) == 0 ||
                              strncmp(type, "long", 4) == 0;
        writes = writes || (is_whole && (pass->scratch_written >> s & 1U));
    }
    return any_size && writes;
}

/* Particles have like numbers of terms. Cells, pairs of cells and groups may have very different
 * ones, or none: of those, one in eight is taken to do all the work. Who takes the next piece from
 * a queue may take all: on a processor, where work-items run one after another, a single one;
 * elsewhere groups run beside each other, and one of each does. */
static double count_adders(const struct kernel_plan *plan, const struct pass *pass, size_t units,
                           size_t groups) {
    if (begins_with(pass->unit, "particle") && !pass->per_group) {
        return (double)(units ? units : 1);
    }
    if (may_have_queue(plan, pass)) {
        return device_describe(plan->device)->is_cpu ? 1 : (double)groups;
    }
    const double items =
        pass->per_group ? (double)groups * plan->group_size : (double)(units ? units : 1);
    return items > 8 ? items / 8 : 1;
}

/* Sums are one number a group: of GROUP_SIZE threads in a row, as the words for sums have them. */
static bool check_sums_of_grid(const struct kernel_plan *plan, const struct pass *pass,
                               const struct kernel_shape *shape, struct error *error) {
    const char *begin;
    const char *end;
    const char *text = plan->spec->variant->text;
    const size_t group_size = (size_t)plan->group_size;
    const bool in_row = shape->block[0] == group_size && shape->block[1] == 1 &&
                        shape->block[2] == 1 && shape->grid[1] == 1 && shape->grid[2] == 1;
    return in_row || !pass_takes(pass, "partial_sums") ||
           cuda_text_find_include(text, "pairmark/pair.cuh", &begin, &end) == 0 ||
           fail(error, STATUS_UNSUPPORTED,
                "kernel %s takes partial_sums, whose words in pairmark/pair.cuh are of blocks of "
                "GROUP_SIZE=%d threads in one dimension; its blocks are %zu x %zu x %zu, its grid "
                "%zu x %zu x %zu",
                pass->kernel, plan->group_size, shape->block[0], shape->block[1], shape->block[2],
                shape->grid[0], shape->grid[1], shape->grid[2]);
}

/* A grid of blocks. A thread in eight is taken to add terms. */
static bool shape_grid(const struct kernel_plan *plan, const struct pass *pass,
                       struct planned_pass *made, struct error *error) {
    const struct launch_counts counts = { .tunings = &plan->spec->tunings,
                                          .units = count_units,
                                          .context = plan,
                                          .numeric = precision_numeric(plan->spec->precision) };
    struct kernel_shape *shape = &made->shape;
    if (!launch_shape(pass->launch, pass->kernel, &counts, shape, error) ||
        !check_sums_of_grid(plan, pass, shape, error) ||
        !kernel_allow_shape(made->kernel, shape, error)) {
        return false;
    }
    const double groups = (double)shape->grid[0] * (double)shape->grid[1] * (double)shape->grid[2];
    const double threads = groups * (double)(shape->block[0] * shape->block[1] * shape->block[2]);
    if (threads > INT32_MAX || groups * plan->sum_count > INT32_MAX) {
        return fail(error, STATUS_UNSUPPORTED,
                    "kernel %s: %.0f blocks, %.0f threads, with %d sums are more than kernels can "
                    "number by int (2^31 - 1)",
                    pass->kernel, groups, threads, plan->sum_count);
    }
    made->is_grid = true;
    made->groups = (size_t)groups;
    made->adders = threads > 8 ? threads / 8 : 1;
    return true;
}

bool shape_pass(const struct kernel_plan *plan, const struct pass *pass, struct planned_pass *made,
                struct error *error) {
    const struct tunings *tunings = &plan->spec->tunings;
    size_t units = 0;
    if (pass->launch) {
        return shape_grid(plan, pass, made, error);
    }
    if (!count_units(plan, pass->unit, &units)) {
        return fail(error, STATUS_BAD_INPUT, "%s: structure %s has no unit \"%s\"",
                    plan->spec->variant->path, plan->structure->name, pass->unit);
    }
    const int divisor = *pass->divisor ? tunings_value(tunings, pass->divisor, 1) : 1;
    const int multiplier = *pass->multiplier ? tunings_value(tunings, pass->multiplier, 1) : 1;
    if (divisor < 1 || multiplier < 1) {
        return fail(error, STATUS_UNSUPPORTED, "%s and %s must be at least 1", pass->divisor,
                    pass->multiplier);
    }
    units = divide_up(units * (size_t)multiplier, (size_t)divisor);
    made->groups = pass->per_group ? units : divide_up(units, (size_t)plan->group_size);
    /* An empty list still gets a group; of a list or a grid of another form there is none. */
    const bool has_forms = plan->own && (plan_outputs(plan) || plan_own_class(plan)->grid);
    made->groups = made->groups || has_forms ? made->groups : 1;
    made->adders = count_adders(plan, pass, units, made->groups);
    return check_shape(plan, pass, made->groups, (size_t)divisor, error);
}

/* builds: of a pass that runs when something is built. */
static struct case_arguments arguments_of(const struct kernel_plan *plan,
                                          const struct planned_pass *made, bool builds) {
    const struct box *box = plan->box;
    struct case_arguments arguments = {
        .partial_sums = !plan->sum_method->in_place ? made->partial_sums
                        : made->fixed_sums          ? made->fixed_sums
                                                    : made->sums,
        .cell = box->cell,
        .periodic = box->periodic,
        .cutoff = plan->cutoff,
        .is_double = plan->real_is_double,
        .seed = plan->seed,
        .step = plan->step,
        .accum_is_double = plan->accum_is_double,
        .rules = &plan->spec->step,
    };
    for (int s = 0; s < plan->set_count; s++) {
        const struct particle_set *set = &plan->sets[s];
        arguments.sets[s] =
            (struct set_arguments){ .n = set->n,
                                    .position =
                                        builds ? places_to_build_for(plan, set) : set->position,
                                    .index = set->index_on_device,
                                    .force_plane = (int32_t)set_force_plane(set),
                                    .result = set->fixed_force ? set->fixed_force : set->result };
    }
    if (plan->own) {
        workload_buffers_fill(plan->spec->variant->workload, plan->own, &arguments);
    }
    if (plan->driver) {
        plan->driver->fill_arguments(plan, &arguments);
    }
    return arguments;
}

static void bind_argument(const struct kernel_plan *plan, const struct case_arguments *arguments,
                          const struct binding *binding, struct argument *argument) {
    const uint64_t nowhere = 0;
    switch (binding->source) {
    case BINDING_SCRATCH:
        *argument = argument_buffer(plan->scratch[binding->scratch]);
        break;
    case BINDING_NULL:
        *argument = argument_value(&nowhere, sizeof nowhere);
        break;
    case BINDING_CASE:
        *argument = binding_value(binding, arguments);
        break;
    default:
        *argument = binding_value(
            binding, structure_chain_state(plan->sets[binding->set].structure, binding->structure));
    }
}

/* Looks the names up, once: the library binds a program's arrays again at each call. */
static bool find_bindings(const struct kernel_plan *plan, const struct pass *pass,
                          struct planned_pass *made, struct error *error) {
    for (int a = 0; a < pass->argument_count && !made->has_bindings; a++) {
        if (!binding_find(plan->spec->variant, pass->arguments[a], &made->bindings[a])) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s: kernel %s: nothing is known by the name of \"%s\"",
                        plan->spec->variant->path, pass->kernel, pass->arguments[a]);
        }
    }
    made->has_bindings = true;
    return true;
}

bool bind_pass(struct kernel_plan *plan, int index, struct error *error) {
    const struct pass *pass = &plan->spec->variant->passes[index];
    struct planned_pass *made = &plan->passes[index];
    if (!find_bindings(plan, pass, made, error)) {
        return false;
    }
    const struct case_arguments arguments = arguments_of(plan, made, !pass_is_step(pass));
    for (int a = 0; a < pass->argument_count; a++) {
        bind_argument(plan, &arguments, &made->bindings[a], &made->arguments[a]);
        if (made->arguments[a].buffer && made->bindings[a].parameter) {
            buffer_label(made->arguments[a].buffer, pass->arguments[a]);
        }
    }
    made->argument_count = (size_t)pass->argument_count;
    if (pass->takes_pair_parameters) {
        made->argument_count +=
            pair_buffers_arguments(&plan->pair, made->arguments + made->argument_count);
    }
    if (pass->takes_step_parameters) {
        made->argument_count +=
            plan->driver->parameters(plan, made->arguments + made->argument_count);
    }
    if (plan->driver) {
        made->argument_count +=
            plan->driver->arguments(plan, index, made->arguments + made->argument_count);
    }
    return true;
}
