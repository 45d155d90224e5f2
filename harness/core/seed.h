/*
 * seed — numbers that no kernel can predict.
 */
#ifndef PAIRMARK_CORE_SEED_H
#define PAIRMARK_CORE_SEED_H

#include <stdint.h>

/* 64 bits from the system's generator; from its clock where that refuses. */
uint64_t draw_seed(void);

#endif
