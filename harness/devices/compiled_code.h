/*
 * compiled_code — kernels that another compiler has made: PTX, or machine code (a cubin).
 *
 * They are kept as one text with the header that declares them: the header, then the code. PTX
 * begins with its line `.version`; machine code is a line `.cubin` and then its bytes, two
 * hexadecimal digits each. The text is what runs keep and what programs are made from.
 */
#ifndef PAIRMARK_DEVICES_COMPILED_CODE_H
#define PAIRMARK_DEVICES_COMPILED_CODE_H

#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- memory that outlives a launch (toolkit/cuda_state.c) ---- */

/*
 * A kernel that has such memory could remember results. It is found in the PTX that a compiler
 * makes, where no macro hides it: declarations in the state space .global, wherever inline PTX puts
 * them and however it writes them, and calls of malloc, whose heap outlives launches. Constant and
 * shared memory do not count, nor does what nothing uses, nor, up to 1024 bytes together, what
 * compilers declare themselves: strings, and tables of CUDA's own functions.
 */

/* The name that is found where the heap is used. */
#define CUDA_STATE_HEAP "malloc"

/* Whether there is any in the PTX; `name` gets the first, as PTX has it, cut to `size`. */
bool cuda_state_find(const char *ptx, char *name, size_t size);

/* ---- machine code (cubin.c) ---- */

/*
 * What machine code of CUDA, an ELF file, says of itself.
 *
 * The bytes come from outside: everything in them that lies beyond `length` is not there. Kernels
 * have sections of their own, .text.NAME with their code and .nv.info.NAME with, among others, a
 * record per parameter (NVIDIA's "CUDA Binary Utilities" prints them: cuobjdump -elf).
 */

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

/* ---- either ---- */

/* PTX or bytes that were read from a text; freed by compiled_code_free(). */
struct compiled_code {
    const char *ptx;      /* the text's own, NUL-terminated; NULL: machine code */
    unsigned char *bytes; /* machine code, else NULL */
    size_t length;
};

/* Where the code of a text begins; NULL where it has none. */
const char *compiled_code_begin(const char *text);

/* Appends the code of a file, PTX (without NULs) or machine code, after a header. */
void compiled_code_append(const char *data, size_t length, bool is_ptx, struct strbuf *text);

/* From the place where it begins. STATUS_BAD_INPUT where the digits are none, or make no machine
 * code of CUDA. */
bool compiled_code_read(const char *begin, struct compiled_code *code, struct error *error);
void compiled_code_free(struct compiled_code *code);

/* The architecture that it was compiled for, 90 of sm_90; *exact: features of that one alone
 * (sm_90a). False: it does not say. */
bool compiled_code_target(const struct compiled_code *code, int *architecture, bool *exact);

/* The parameters of a kernel. False: there is none of that name. */
bool compiled_code_parameters(const struct compiled_code *code, const char *kernel,
                              struct compiled_parameters *parameters);
void compiled_code_list_kernels(const struct compiled_code *code, struct strbuf *names);

#endif
