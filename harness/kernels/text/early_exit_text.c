#include "kernels/text/kernel_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* The next place of any of the characters outside of comments and strings; the end where there is
 * none. */
static const char *find_any(const char *c, const char *characters) {
    while (*c && !strchr(characters, *c)) {
        const char *behind = skip_quoted(c);
        c = behind > c ? behind : c + 1;
    }
    return c;
}

/* The parenthesis that closes the one at c; the end where none does. */
static const char *find_closing(const char *c) {
    int depth = 0;
    for (c = find_any(c, "()"); *c; c = find_any(c + 1, "()")) {
        depth += *c == '(' ? 1 : -1;
        if (depth == 0) {
            break;
        }
    }
    return c;
}

/* Whether nothing but blanks lies between two places. */
static bool is_blank(const char *begin, const char *end) {
    while (begin < end && isspace((unsigned char)*begin)) {
        begin++;
    }
    return begin == end;
}

void early_exit_append_words(struct strbuf *text) {
    strbuf_append(text, "#ifndef STEP_HALTS\n"
                        "#define STEP_HALTS if (*step_halted != 0) { return; }\n"
                        "#define STEP_HALTS_BEFORE "
                        "if (*step_halted != 0 && *step_halted != step_mark) { return; }\n"
                        "#define LOOK_HOW_FAR(i, position, box) "
                        "if (step_mark != 0 && "
                        "!(displacement((position)[i], step_built[i], box).w <= step_way2)) "
                        "{ (void)ATOMIC_EXCHANGE(step_halted, step_mark); }\n"
                        "#else\n"
                        "#define STEP_HALTS_BEFORE\n"
                        "#define LOOK_HOW_FAR(i, position, box)\n"
                        "#endif\n");
}

bool early_exit_looks_how_far(const char *kernels) {
    return find_in_code(kernels, "LOOK_HOW_FAR") != NULL;
}

void early_exit_append(struct strbuf *text, enum early_exit_kind kind, const char *kernels) {
    static const char *const parameters[] = {
        [EARLY_EXIT_FORCES] = "GLOBAL const int *RESTRICT step_halted",
        [EARLY_EXIT_INTEGRATOR] = "GLOBAL int *RESTRICT step_halted, GLOBAL const real4 *RESTRICT "
                                  "step_built, real step_way2, int step_mark"
    };
    static const char *const statements[] = {
        [EARLY_EXIT_FORCES] = "STEP_HALTS", [EARLY_EXIT_INTEGRATOR] = "STEP_HALTS_BEFORE"
    };
    const char *rest = kernels;
    for (const char *kernel = find_in_code(rest, "KERNEL"); kernel;
         kernel = find_in_code(rest, "KERNEL")) {
        const char *open = find_any(kernel, "({;");
        const char *close = *open == '(' ? find_closing(open) : open;
        const char *body = *close == ')' ? find_any(close, "{;") : close;
        strbuf_append_bytes(text, rest, (size_t)(kernel - rest));
        rest = kernel;
        if (*body != '{' || *close != ')') {
            continue;
        }
        strbuf_append_bytes(text, kernel, (size_t)(close - kernel));
        strbuf_append(text, "%s %s", is_blank(open + 1, close) ? "" : ",", parameters[kind]);
        strbuf_append_bytes(text, close, (size_t)(body + 1 - close));
        strbuf_append(text, " %s", statements[kind]);
        rest = body + 1;
    }
    strbuf_append(text, "%s", rest);
}
