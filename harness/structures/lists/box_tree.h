/*
 * box_tree — boxes around clusters of particles that follow each other in a place_order, and a tree
 * of them: see box_tree.cl.
 */
#ifndef PAIRMARK_STRUCTURES_LISTS_BOX_TREE_H
#define PAIRMARK_STRUCTURES_LISTS_BOX_TREE_H

#include "kernels/structure.h"

/* The first kernels of a program that begins with box_tree.cl. */
enum tree_kernel { BOUND_CLUSTERS, BOUND_NODES, TREE_KERNELS };
#define TREE_KERNEL_NAMES "bound_clusters", "bound_nodes"

enum { TREE_LEVELS = 4 };

struct box_tree {
    size_t n, clusters;
    int particles, per_node;                            /* of a cluster; clusters of a node */
    size_t nodes[TREE_LEVELS], first_node[TREE_LEVELS]; /* of each level */
    struct buffer *cluster_box, *node_box;              /* two real4 per cluster, per node */
};

/* Of clusters of so many particles, so many (at most 128) in a node of level 0. From a zeroed
 * struct; free it with box_tree_free, also after a failure. */
bool box_tree_create(const struct structure_input *input, int particles, int per_node,
                     struct box_tree *tree, struct error *error);
void box_tree_free(struct box_tree *tree);

/* Enqueues that all boxes are found, by the kernels of enum tree_kernel. */
bool box_tree_build(const struct box_tree *tree, struct kernel *const *kernels,
                    struct buffer *place_position, struct error *error);

#endif
