#include "kernels/expressions/expression.h"

#include <string.h>

const char *const expression_function_names[FUNCTION_COUNT] = {
    [FUNCTION_SQRT] = "sqrt",   [FUNCTION_EXP] = "exp",      [FUNCTION_LOG] = "log",
    [FUNCTION_SIN] = "sin",     [FUNCTION_COS] = "cos",      [FUNCTION_TAN] = "tan",
    [FUNCTION_ASIN] = "asin",   [FUNCTION_ACOS] = "acos",    [FUNCTION_ATAN] = "atan",
    [FUNCTION_SINH] = "sinh",   [FUNCTION_COSH] = "cosh",    [FUNCTION_TANH] = "tanh",
    [FUNCTION_ERF] = "erf",     [FUNCTION_ERFC] = "erfc",    [FUNCTION_ABS] = "abs",
    [FUNCTION_FLOOR] = "floor", [FUNCTION_CEIL] = "ceil",    [FUNCTION_STEP] = "step",
    [FUNCTION_DELTA] = "delta", [FUNCTION_MIN] = "min",      [FUNCTION_MAX] = "max",
    [FUNCTION_POW] = "pow",     [FUNCTION_SELECT] = "select"
};

int expression_function_operands(enum expression_function function) {
    return function == FUNCTION_SELECT ? 3 : function >= FUNCTION_MIN ? 2 : 1;
}

int expression_function_find(const char *name) {
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        if (strcmp(name, expression_function_names[f]) == 0) {
            return f;
        }
    }
    return -1;
}
