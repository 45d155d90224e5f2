/* The particles of a prepared case in another order, or displaced: kernels find the same particles
 * in other places, and nothing that they kept by place is of use to them. */
#include "boxes/random.h"
#include "core/host.h"
#include "prepare/kernel_plan_parts.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <string.h>

/* ---- copies of the inputs by member, from which every order is made ---- */

static struct argument int_argument(size_t value) {
    return argument_int((int32_t)value);
}

static bool reorder(const struct launch_tools *tools, enum launch_tool tool,
                    const struct particle_set *set, struct buffer *members, struct buffer *places,
                    struct error *error) {
    return launch_tool_run(
        tools, tool, set->n,
        ARGUMENTS(int_argument(set->n), int_argument(order_share(&set->order, set->n)),
                  int_argument(set->order.shift), int_argument(order_stride(&set->order)),
                  argument_buffer(members), argument_buffer(places)),
        error);
}

/* A copy of what is in `places` while the order is still that of the members. */
static bool keep(struct kernel_plan *plan, enum launch_tool tool, const struct particle_set *set,
                 struct buffer *places, struct buffer **members, struct error *error) {
    if (!places || *members) {
        return true;
    }
    return buffer_allocate(plan->device, buffer_bytes(places), members, error) &&
           reorder(plan->tools, tool, set, places, *members, error);
}

/* Types, molecules and exclusions are of the particles of the box, which are then the members. */
static bool pairs_follow(const struct kernel_plan *plan) {
    return plan->set_count == 1 && !plan->sets[0].index;
}

static bool keep_inputs(struct kernel_plan *plan, struct error *error) {
    bool kept = true;
    for (int s = 0; kept && s < plan->set_count && !plan->driver; s++) {
        struct particle_set *set = &plan->sets[s];
        kept = keep(plan, TOOL_REORDER_POSITIONS, set, set->position, &set->kept_position, error) &&
               keep(plan, TOOL_REORDER_INTS, set, set->index_on_device, &set->kept_index, error);
    }
    struct particle_set *set = &plan->sets[0];
    if (!kept || !pairs_follow(plan)) {
        return kept;
    }
    for (int quad = 0; kept && quad < PAIR_BUFFERS_MAX_QUADS; quad++) {
        kept = keep(plan, TOOL_REORDER_POSITIONS, set, plan->pair.values[quad],
                    &plan->kept_values[quad], error);
    }
    return kept && keep(plan, TOOL_REORDER_INTS, set, plan->pair.type, &plan->kept_type, error) &&
           keep(plan, TOOL_REORDER_INTS, set, plan->pair.molecule, &plan->kept_molecule, error);
}

void order_parts_free(struct kernel_plan *plan) {
    for (int s = 0; s < MAX_SETS; s++) {
        buffer_free(plan->sets[s].kept_position);
        buffer_free(plan->sets[s].kept_index);
    }
    buffer_free(plan->kept_type);
    buffer_free(plan->kept_molecule);
    for (int quad = 0; quad < PAIR_BUFFERS_MAX_QUADS; quad++) {
        buffer_free(plan->kept_values[quad]);
    }
}

/* ---- an order ---- */

/* Draws the orders of sets; those of listed pairs have one in common. */
static void draw_orders(struct kernel_plan *plan, uint64_t random, bool scattered) {
    const bool listed = plan->groups && plan->groups->mode == GROUPS_PAIRS;
    const bool fixed = pair_buffers_needed(&plan->spec->interaction) && !pairs_follow(plan);
    for (int s = 0; s < plan->set_count; s++) {
        struct particle_set *set = &plan->sets[s];
        const uint64_t bits = listed || s == 0 ? random : random >> 31 | random << 33;
        memset(&set->order, 0, sizeof set->order);
        if (!fixed && set->n > 0) {
            set->order = plan->box->begin
                             ? batch_order_draw(plan->box, bits)
                             : member_order_draw(set->n, box_count(plan->box), bits, scattered);
        }
    }
}

static bool place_set(struct kernel_plan *plan, struct particle_set *set, struct error *error) {
    const struct launch_tools *tools = plan->tools;
    return reorder(tools, TOOL_REORDER_POSITIONS, set, set->kept_position, set->position, error) &&
           (!set->kept_index ||
            reorder(tools, TOOL_REORDER_INTS, set, set->kept_index, set->index_on_device, error));
}

static bool place_pairs(struct kernel_plan *plan, struct error *error) {
    const struct particle_set *set = &plan->sets[0];
    struct pair_buffers *pair = &plan->pair;
    bool placed = true;
    for (int quad = 0; placed && quad < PAIR_BUFFERS_MAX_QUADS; quad++) {
        placed =
            !plan->kept_values[quad] || reorder(plan->tools, TOOL_REORDER_POSITIONS, set,
                                                plan->kept_values[quad], pair->values[quad], error);
    }
    return placed &&
           (!plan->kept_type ||
            reorder(plan->tools, TOOL_REORDER_INTS, set, plan->kept_type, pair->type, error)) &&
           (!plan->kept_molecule || reorder(plan->tools, TOOL_REORDER_INTS, set,
                                            plan->kept_molecule, pair->molecule, error)) &&
           (!pair->excluded || pair_buffers_reorder(pair, plan->spec->interaction.exclusions,
                                                    plan->box, &set->order, error)) &&
           (!plan->own || !plan_own_class(plan)->reorder ||
            plan_own_class(plan)->reorder(plan->own, &set->order, error));
}

/* A step of which both words are in use. They stay below 2^30, for cuRAND counts words where Philox
 * counts blocks, and leave room for the launches that follow. */
static uint64_t draw_step(void) {
    static const uint64_t launches = 1U << 20;
    static const uint64_t steps = 1U << 30;
    return draw_seed() % steps << 32 | draw_seed() % (steps - launches);
}

/* Another seed, and another first step where numbers come from seed and step alone. */
static void draw_numbers(struct kernel_plan *plan, uint64_t random) {
    plan->seed = random;
    plan->first_step = generator_has_streams(plan->spec->variant->generator) ? 0 : draw_step();
}

bool kernel_plan_reorder(struct kernel_plan *plan, const struct launch_tools *tools,
                         uint64_t random, bool scattered, struct error *error) {
    plan->tools = tools;
    if (!plan_has_particles(plan)) {
        draw_numbers(plan, random);
        return kernel_plan_invalidate(plan, error);
    }
    if (!keep_inputs(plan, error)) {
        return false;
    }
    draw_orders(plan, random, scattered);
    if (plan->driver && !plan->driver->go_back(plan, error)) {
        return false;
    }
    return kernel_plan_restore_positions(plan, error) &&
           (!pairs_follow(plan) || place_pairs(plan, error)) && kernel_plan_invalidate(plan, error);
}

bool kernel_plan_restore_positions(struct kernel_plan *plan, struct error *error) {
    bool placed = true;
    for (int s = 0; placed && s < plan->set_count && !plan->driver; s++) {
        placed = place_set(plan, &plan->sets[s], error);
    }
    return placed;
}

/* ---- displaced ---- */

/* Waves as TOOL_DISPLACE_POSITIONS has them, in fractions of the cell. */
struct waves {
    double least[4], edge[4], inverse_edge[4], tilt[4];
    double wave_number[4], phase[4]; /* in radians */
    double height;
};

/* About two cutoffs long, so that particles a cutoff apart move against each other; not so high
 * that they would shear what they run through by more than a quarter. */
static struct waves draw_waves(const struct box *box, double cutoff, uint64_t seed, double reach) {
    static const double two_pi = 6.28318530717958647692;
    static const double most_shear = 0.25;
    struct random random = random_from_seed(seed);
    struct waves waves = { .height = reach / sqrt(3) };
    double most[3];
    box_bounds(box, waves.least, most);
    for (int d = 0; d < 3; d++) {
        const double length = most[d] - waves.least[d];
        waves.edge[d] = length;
        waves.inverse_edge[d] = length > 0 ? 1 / length : 0;
        waves.tilt[d] = box->tilt[d];
        waves.wave_number[d] = two_pi * fmax(1, rint(length / (2 * cutoff)));
        waves.phase[d] = two_pi * random_unit(&random);
        if (length > 0) {
            waves.height = fmin(waves.height, most_shear * length / waves.wave_number[d]);
        }
    }
    return waves;
}

/* The particles at places `first` to `end`, which are in a cell of their own. */
static bool displace_some(const struct kernel_plan *plan, const struct particle_set *set,
                          const struct waves *waves, const size_t range[2], struct error *error) {
    const bool wide = plan->real_is_double;
    return launch_tool_run(
        plan->tools, TOOL_DISPLACE_POSITIONS, range[1] - range[0],
        ARGUMENTS(int_argument(range[0]), int_argument(range[1]), argument_int(plan->box->periodic),
                  argument_real4(waves->least, wide), argument_real4(waves->edge, wide),
                  argument_real4(waves->inverse_edge, wide), argument_real4(waves->tilt, wide),
                  argument_real4(waves->wave_number, wide), argument_real4(waves->phase, wide),
                  argument_real(waves->height, wide), argument_buffer(set->position)),
        error);
}

/* Displaces the particles of each box by itself; who leaves the cell of its box is wrapped. */
static bool displace_boxes(const struct kernel_plan *plan, uint64_t random, double reach,
                           struct error *error) {
    const struct particle_set *set = &plan->sets[0];
    struct batch_places places;
    bool displaced = batch_places_find(plan->box, &set->order, &places, error);
    for (size_t at = 0; displaced && at < box_count(plan->box); at++) {
        const struct box part = box_of_batch(plan->box, places.box[at]);
        const size_t range[2] = { (size_t)places.begin[at], (size_t)places.begin[at + 1] };
        if (part.n > 0) {
            const struct waves waves = draw_waves(&part, plan->cutoff, random + at, reach);
            displaced = displace_some(plan, set, &waves, range, error);
        }
    }
    batch_places_free(&places);
    return displaced;
}

bool kernel_plan_displace(struct kernel_plan *plan, uint64_t random, double reach,
                          struct error *error) {
    if (plan->box->cells) {
        return displace_boxes(plan, random, reach, error);
    }
    const struct waves waves = draw_waves(plan->box, plan->cutoff, random, reach);
    bool displaced = true;
    for (int s = 0; displaced && s < plan->set_count; s++) {
        const size_t range[2] = { 0, plan->sets[s].n };
        displaced = displace_some(plan, &plan->sets[s], &waves, range, error);
    }
    return displaced;
}

bool kernel_plan_move(struct kernel_plan *plan, const struct box *moved, struct error *error) {
    bool written = true;
    if (plan->driver) {
        return plan->driver->move(plan, moved, error);
    }
    for (int s = 0; written && s < plan->set_count; s++) {
        written = set_write_positions(plan, &plan->sets[s], moved, error);
    }
    return written;
}
