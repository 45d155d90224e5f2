#include "structures/lists/box_tree.h"

#include "structures/builder.h"

enum { FAN = 128 }; /* nodes in one of the next level */

bool box_tree_create(const struct structure_input *input, int particles, int per_node,
                     struct box_tree *tree, struct error *error) {
    const size_t corners = 8 * (builder_is_double(input) ? sizeof(double) : sizeof(float));
    const size_t in_node = (size_t)particles * (size_t)per_node;
    tree->n = input->box->n;
    tree->particles = particles;
    tree->per_node = per_node;
    tree->nodes[0] = (tree->n + in_node - 1) / in_node;
    tree->clusters = tree->nodes[0] * (size_t)per_node;
    for (int level = 1; level < TREE_LEVELS; level++) {
        tree->nodes[level] = level < TREE_LEVELS - 1 ? (tree->nodes[level - 1] + FAN - 1) / FAN : 1;
        tree->first_node[level] = tree->first_node[level - 1] + tree->nodes[level - 1];
    }
    const size_t nodes = tree->first_node[TREE_LEVELS - 1] + 1;
    return buffer_allocate(input->device, tree->clusters * corners, &tree->cluster_box, error) &&
           buffer_allocate(input->device, nodes * corners, &tree->node_box, error);
}

void box_tree_free(struct box_tree *tree) {
    buffer_free(tree->cluster_box);
    buffer_free(tree->node_box);
}

static bool bound_level(const struct box_tree *tree, struct kernel *kernel, int level,
                        struct error *error) {
    const int below = level > 0 ? level - 1 : 0;
    const size_t children = level > 0 ? tree->nodes[below] : tree->clusters;
    return builder_launch(
        kernel, tree->nodes[level] * BUILD_GROUP_SIZE,
        ARGUMENTS(argument_int(level > 0 ? FAN : tree->per_node), argument_int((int32_t)children),
                  argument_int((int32_t)(level > 0 ? tree->first_node[below] : 0)),
                  argument_int((int32_t)tree->first_node[level]),
                  argument_buffer(level > 0 ? tree->node_box : tree->cluster_box),
                  argument_buffer(tree->node_box)),
        error);
}

bool box_tree_build(const struct box_tree *tree, struct kernel *const *kernels,
                    struct buffer *place_position, struct error *error) {
    bool bound = builder_launch(
        kernels[BOUND_CLUSTERS], tree->clusters,
        ARGUMENTS(argument_int((int32_t)tree->n), argument_int((int32_t)tree->clusters),
                  argument_int(tree->particles), argument_buffer(place_position),
                  argument_buffer(tree->cluster_box)),
        error);
    for (int level = 0; bound && level < TREE_LEVELS; level++) {
        bound = bound_level(tree, kernels[BOUND_NODES], level, error);
    }
    return bound;
}
