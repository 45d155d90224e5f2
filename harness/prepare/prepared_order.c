/* The particles of a prepared case in another order: kernels find the same particles in other
 * places, and nothing that they kept by place is of use to them. */
#include "prepare/prepared_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- copies of the inputs by member, from which every order is made ---- */

static struct argument int_argument(size_t value) {
    return argument_int((int32_t)value);
}

static bool reorder(const struct launch_tools *tools, enum launch_tool tool,
                    const struct prepared_side *side, const struct buffer *members,
                    const struct buffer *places, struct error *error) {
    const struct argument arguments[] = { int_argument(side->n), int_argument(side->order.shift),
                                          argument_int(side->order.reversed),
                                          argument_buffer(members), argument_buffer(places) };
    return launch_tool_run(tools, tool, side->n, arguments, sizeof arguments / sizeof arguments[0],
                           error);
}

/* A copy of what is in `places` while the order is still that of the members. */
static bool keep(struct prepared *prepared, enum launch_tool tool, const struct prepared_side *side,
                 struct buffer *places, struct buffer **members, struct error *error) {
    if (!places || *members) {
        return true;
    }
    return buffer_allocate(prepared->device, buffer_bytes(places), members, error) &&
           reorder(prepared->tools, tool, side, places, *members, error);
}

/* Types, molecules and exclusions are of the particles of the box, which are then the members. */
static bool pairs_follow(const struct prepared *prepared) {
    return prepared->side_count == 1 && !prepared->sides[0].index;
}

static bool keep_inputs(struct prepared *prepared, struct error *error) {
    bool kept = true;
    for (int s = 0; kept && s < prepared->side_count; s++) {
        struct prepared_side *side = &prepared->sides[s];
        kept = keep(prepared, TOOL_REORDER_POSITIONS, side, side->position, &side->kept_position,
                    error) &&
               keep(prepared, TOOL_REORDER_INTS, side, side->index_on_device, &side->kept_index,
                    error);
    }
    struct prepared_side *side = &prepared->sides[0];
    return kept && (!pairs_follow(prepared) ||
                    (keep(prepared, TOOL_REORDER_INTS, side, prepared->pair.type,
                          &prepared->kept_type, error) &&
                     keep(prepared, TOOL_REORDER_INTS, side, prepared->pair.molecule,
                          &prepared->kept_molecule, error)));
}

void order_parts_free(struct prepared *prepared) {
    for (int s = 0; s < MAX_SIDES; s++) {
        buffer_free(prepared->sides[s].kept_position);
        buffer_free(prepared->sides[s].kept_index);
    }
    buffer_free(prepared->kept_type);
    buffer_free(prepared->kept_molecule);
}

/* ---- an order ---- */

/* Both sides of listed pairs keep step. */
static void draw_orders(struct prepared *prepared, uint64_t random) {
    const bool listed = prepared->groups && prepared->groups->mode == GROUPS_PAIRS;
    const bool fixed = pair_buffers_needed(&prepared->spec->interaction) && !pairs_follow(prepared);
    for (int s = 0; s < prepared->side_count; s++) {
        struct prepared_side *side = &prepared->sides[s];
        const uint64_t bits = listed || s == 0 ? random : random >> 31 | random << 33;
        side->order = fixed || side->n == 0
                          ? (struct member_order){ 0, false }
                          : (struct member_order){ (size_t)((bits >> 1) % side->n), bits & 1 };
    }
}

static bool place_side(struct prepared *prepared, struct prepared_side *side, struct error *error) {
    const struct launch_tools *tools = prepared->tools;
    return reorder(tools, TOOL_REORDER_POSITIONS, side, side->kept_position, side->position,
                   error) &&
           (!side->kept_index || reorder(tools, TOOL_REORDER_INTS, side, side->kept_index,
                                         side->index_on_device, error));
}

static bool place_pairs(struct prepared *prepared, struct error *error) {
    const struct prepared_side *side = &prepared->sides[0];
    struct pair_buffers *pair = &prepared->pair;
    return (!prepared->kept_type || reorder(prepared->tools, TOOL_REORDER_INTS, side,
                                            prepared->kept_type, pair->type, error)) &&
           (!prepared->kept_molecule || reorder(prepared->tools, TOOL_REORDER_INTS, side,
                                                prepared->kept_molecule, pair->molecule, error)) &&
           (!pair->excluded || pair_buffers_reorder(pair, prepared->spec->interaction.exclusions,
                                                    side->n, &side->order, error));
}

bool prepared_reorder(struct prepared *prepared, const struct launch_tools *tools, uint64_t random,
                      struct error *error) {
    prepared->tools = tools;
    if (!keep_inputs(prepared, error)) {
        return false;
    }
    draw_orders(prepared, random);
    for (int s = 0; s < prepared->side_count; s++) {
        if (!place_side(prepared, &prepared->sides[s], error)) {
            return false;
        }
    }
    return !pairs_follow(prepared) || place_pairs(prepared, error);
}

bool prepared_move(struct prepared *prepared, const struct box *moved, struct error *error) {
    bool written = true;
    for (int s = 0; written && s < prepared->side_count; s++) {
        written = side_write_positions(prepared, &prepared->sides[s], moved, error);
    }
    return written;
}
