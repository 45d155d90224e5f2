/*
 * place_order — an order of particles along a curve through the box, so that those next to each
 * other in it are neighbours in space; what lists of columns and of blocks number particles by.
 *
 * See place_order.cl for the curves. It is built from sorted_cells.
 */
#ifndef PAIRMARK_STRUCTURES_LISTS_PLACE_ORDER_H
#define PAIRMARK_STRUCTURES_LISTS_PLACE_ORDER_H

#include "kernels/kernel_parameters.h"
#include "structures/builder.h"
#include "structures/lists/skin.h"

enum order { ORDER_CELLS, ORDER_ROWS, ORDER_MORTON, ORDER_HILBERT, ORDER_CLUSTERS, ORDER_CUBOIDS };

#define ORDER_TUNABLE(preset)                                                                      \
    {                                                                                              \
        "ORDER", preset,                                                                           \
            "of particles: 0 cells, 1 rows, 2 Morton's curve, 3 Hilbert's, 4 clusters along "      \
            "Hilbert's where pairs are excluded, 5 rows where density is even, else Hilbert's"     \
    }
#define ROW_WIDTH_TUNABLE(preset)                                                                  \
    { "ROW_WIDTH", preset, "of ORDER=1 and 5, in hundredths of the spacing" }

enum order_kernel {
    NUMBER_PLACES,
    FILL_PLACES,
    ORDER_KERNELS_OF_ALL,
    FIND_NEAREST = ORDER_KERNELS_OF_ALL, /* these two of ORDER_CLUSTERS */
    SORT_MOLECULES,
    CHOOSE_ROWS = ORDER_KERNELS_OF_ALL, /* this one of ORDER_CUBOIDS */
    MAX_ORDER_KERNELS = SORT_MOLECULES + 1
};

struct place_order {
    struct device *device;
    enum order kind;
    int bins[3], bits; /* bits per edge, of Morton's and Hilbert's curve */
    double origin[3], inverse_bin[3], inverse_extent[3];
    double farthest;         /* between nearest neighbours of one cluster */
    struct buffer *molecule; /* the caller's: a cluster is of one; NULL: molecules are not known */
    enum exclusion_kind exclusions;
    int key_bits;
    struct program *program;
    struct kernel *kernels[MAX_ORDER_KERNELS];
    struct buffer *key, *sorted_key, *value; /* n ints each */
    struct buffer *sorted_place;             /* n ints: of each place, which sorted particle */
    struct buffer *place_of_sorted;          /* n ints: of each sorted particle, which place */
    struct buffer *place_index;    /* an int per place: the input index; 0 after the last */
    struct buffer *place_position; /* a position per place; anything after the last */
};

/* From a zeroed struct, with room for `places`, at least as many as particles; free it with
 * place_order_free, also after a failure: all but what kernels are passed. */
bool place_order_create(const struct structure_input *input, size_t places,
                        struct place_order *order, struct error *error);
void place_order_free(struct place_order *order);

/* Enqueues the putting of particles in their places, from the cells below the list. */
bool place_order_build(struct place_order *order, const struct skin *skin, struct error *error);

/* place_index and place_position, of a struct place_order. */
extern const struct kernel_parameter place_order_parameters[];

/* ---- boxes ---- */

/* Boxes around clusters of particles that follow each other in the order, and a tree of them: see
 * box_tree.cl. */

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

/* Makes a tree of clusters of so many particles, so many clusters (at most 128) in a node of level
 * 0. From a zeroed struct; free it with box_tree_free, also after a failure. */
bool box_tree_create(const struct structure_input *input, int particles, int per_node,
                     struct box_tree *tree, struct error *error);
void box_tree_free(struct box_tree *tree);

/* Enqueues the finding of all boxes, by the kernels of enum tree_kernel. Without positions, the
 * boxes around clusters must be there already. */
bool box_tree_build(const struct box_tree *tree, struct kernel *const *kernels,
                    struct buffer *place_position, struct error *error);

/* ---- lists of columns ---- */

/* A list of entries per column of particles, transposed in groups of 32 columns,
 * with as many places per list: what list_columns has one of and list_clusters two. */

struct column_lists {
    struct device *device;
    size_t columns;
    size_t capacity;        /* places of a column's list */
    struct buffer *length;  /* an int per column: what its list counted, also beyond its places */
    struct buffer *entries; /* an int per place */
};

/* How many columns a structure has, by its tunable PARTICLES. STATUS_UNSUPPORTED for more particles
 * than entries can number. */
bool column_lists_count(const struct structure_input *input, size_t *columns, struct error *error);

/* The mean length of a list where each particle has so many neighbours: the union of several
 * particles' neighbours, of two about four thirds of one's. */
double column_lists_mean(double neighbours, int particles);

/* Lists with at least so many places each. *lists is zero at first; kernels are passed its buffers,
 * so that they are freed with the structure's. */
bool column_lists_create(struct device *device, size_t columns, size_t places,
                         struct column_lists *lists, struct error *error);

/* column_length, columns, list_capacity: of a struct column_lists. */
extern const struct kernel_parameter column_lists_parameters[];

/* Makes room for what the lists counted; what they held is lost then. */
bool column_lists_grow(struct column_lists *lists, struct error *error);

#endif
