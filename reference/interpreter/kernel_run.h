/*
 * kernel_run — evaluates the tree of a kernel text, statement by statement, in numbers that carry
 * their derivatives along. Private to reference/.
 */
#ifndef PAIRMARK_REFERENCE_INTERPRETER_KERNEL_RUN_H
#define PAIRMARK_REFERENCE_INTERPRETER_KERNEL_RUN_H

#include "reference/interpreter/kernel_tree.h"

/* What a variable holds, or an expression comes to. */
struct slot {
    int components;
    bool whole;
    struct dual c[4];
};

struct run {
    const struct text_program *program;
    struct slot variables[MAX_NAMES]; /* of what is declared, set where it is */
    long double r;                    /* the distance that derivatives are by */
    long double nearest;              /* how far from it the nearest jump is */
    double jump;                      /* where that is; 0: nowhere */
    int steps;
};

/* Runs the text from its begin, over variables that the caller has set where the text finds them.
 * False where it does not end. */
bool kernel_run(struct run *run);

#endif
