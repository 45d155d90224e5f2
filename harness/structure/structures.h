/*
 * structures — every builder there is; a new one is added to this list and to structure_classes[].
 */
#ifndef PAIRMARK_STRUCTURES_STRUCTURES_H
#define PAIRMARK_STRUCTURES_STRUCTURES_H

#include "variant/structure.h"

extern const struct structure_class structure_cell_table;
extern const struct structure_class structure_linked_cells;
extern const struct structure_class structure_list_columns;
extern const struct structure_class structure_pair_list;
extern const struct structure_class structure_sorted_cells;

#endif
