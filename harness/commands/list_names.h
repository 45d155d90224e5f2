/*
 * list_names — what `list` prints besides variants: what kernels may ask for by name, and the
 * columns of rows.
 */
#ifndef PAIRMARK_COMMANDS_LIST_NAMES_H
#define PAIRMARK_COMMANDS_LIST_NAMES_H

#include "kernels/workload.h"

#include <stdbool.h>

/* What each structure offers to kernels, is built from, and looks at. */
void list_structures(bool json);
/* The parameters and launch units of a workload's kernels that no structure offers; NULL: of all
 * workloads. */
void list_parameters(const struct workload *workload, bool json);
/* The columns of rows.csv. */
void list_columns(bool json);

#endif
