/*
 * check_compile — `pairmark check --compile-only`: the cases of a plan are compiled, not computed.
 */
#ifndef PAIRMARK_COMMANDS_CHECK_COMPILE_H
#define PAIRMARK_COMMANDS_CHECK_COMPILE_H

#include "campaign/plan/plan.h"

struct compile_options {
    const char *architectures; /* "sm_80,sm_90"; NULL: sm_90 */
    bool json, verbose, fail_fast;
};

/* Compiles each program that the cases come to once per architecture and prints what it takes, and
 * every error with its lines. *exit_code: 1 where one did not compile, else 0. False where nothing
 * was compiled at all: no compiler here, an unknown architecture, every case unsupported. */
bool check_compile(const struct plan *plan, const struct compile_options *options, int *exit_code,
                   struct error *error);

#endif
