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
#include "devices/cubin.h"

/* PTX or bytes that were read from a text; freed by compiled_code_free(). */
struct compiled_code {
    const char *ptx;      /* the text's own, NUL-terminated; NULL: machine code */
    unsigned char *bytes; /* machine code, else NULL */
    size_t length;
};

/* Where the code of a text begins; NULL where it has none. */
const char *compiled_code_begin(const char *text);

/* Appends the code of a file, PTX (without NULs) or machine code, behind a header. */
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
