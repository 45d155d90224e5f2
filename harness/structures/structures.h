/*
 * structures — every builder there is, of structures.def: structure_NAME.
 */
#ifndef PAIRMARK_STRUCTURES_STRUCTURES_H
#define PAIRMARK_STRUCTURES_STRUCTURES_H

#include "kernels/structure.h"

#define STRUCTURE(name) extern const struct structure_class structure_##name;
#include "structures/structures.def"
#undef STRUCTURE

#endif
