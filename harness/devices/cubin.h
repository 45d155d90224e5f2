/*
 * cubin — what machine code of CUDA, an ELF file, says of itself.
 *
 * The bytes come from outside: everything in them that lies beyond `length` is not there. Kernels
 * have sections of their own, .text.NAME with their code and .nv.info.NAME with, among others, a
 * record per parameter (NVIDIA's "CUDA Binary Utilities" prints them: cuobjdump -elf).
 */
#ifndef PAIRMARK_DEVICES_CUBIN_H
#define PAIRMARK_DEVICES_CUBIN_H

#include "core/strings.h"

#include <stdbool.h>
#include <stddef.h>

enum { COMPILED_MAX_PARAMETERS = 64 };

/* The sizes of a kernel's parameters, in order. */
struct compiled_parameters {
    int count;
    size_t bytes[COMPILED_MAX_PARAMETERS];
};

/* Whether it is one, and for which architecture, as 90. */
bool cubin_architecture(const unsigned char *bytes, size_t length, int *architecture);

/* False: there is no such kernel. */
bool cubin_parameters(const unsigned char *bytes, size_t length, const char *kernel,
                      struct compiled_parameters *parameters);

/* Appends the names of kernels, "one, two". */
void cubin_list_kernels(const unsigned char *bytes, size_t length, struct strbuf *names);

/* Whether there is a variable in device memory, which keeps its value from launch to launch, or a
 * call of malloc, whose heap does; `name` gets the first, CUDA_STATE_HEAP for the latter, cut to
 * `size`. */
bool cubin_state_find(const unsigned char *bytes, size_t length, char *name, size_t size);

#endif
