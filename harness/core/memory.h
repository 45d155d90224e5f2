/*
 * memory — how much of it this process may still have.
 *
 * Bounds that hold together: what the machine has, what the control groups of the process allow (v2
 * and v1), and the process's own limit of address space (ulimit -v).
 */
#ifndef PAIRMARK_CORE_MEMORY_H
#define PAIRMARK_CORE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that this process could have if nobody else took any: no request beyond it can ever be met
 * here. UINT64_MAX where it is not known. */
uint64_t memory_most(void);

/* Bytes that it could have now. UINT64_MAX likewise. */
uint64_t memory_available(void);

/* "26.6 GB", three digits, decimal units. */
void memory_words(double bytes, char *text, size_t size);

#endif
