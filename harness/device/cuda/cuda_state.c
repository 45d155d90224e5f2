#include "device/cuda/cuda_state.h"

#include <stdio.h>
#include <string.h>

/* The line after directives that say who sees a variable; NULL when it declares none in .global. */
static const char *declaration(const char *line) {
    static const char *const linkage[] = { ".visible ", ".weak ", ".common ", ".extern " };
    for (size_t l = 0; l < sizeof linkage / sizeof linkage[0]; l++) {
        if (strncmp(line, linkage[l], strlen(linkage[l])) == 0) {
            line += strlen(linkage[l]);
        }
    }
    return strncmp(line, ".global ", strlen(".global ")) == 0 ? line : NULL;
}

/* The name is the last word before the bounds, the value or the end. */
static size_t find_name(const char *line, const char **name) {
    const char *end = line + strcspn(line, "[=;\n");
    while (end > line && end[-1] == ' ') {
        end--;
    }
    *name = end;
    while (*name > line && (*name)[-1] != ' ') {
        (*name)--;
    }
    return (size_t)(end - *name);
}

/* The compiler's own, of words that the source does not say itself. */
static bool is_of_compiler(const char *name, size_t length, const char *source) {
    static const char *const words[] = { "$str", "__cudart_", "__internal_", "__nv_" };
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        const char *at = strstr(name, words[w]);
        if (at && at < name + length && !strstr(source, words[w])) {
            return true;
        }
    }
    return false;
}

bool cuda_state_find(const char *ptx, const char *source, char *name, size_t size) {
    for (const char *line = ptx; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *declared = declaration(line);
        const char *word = NULL;
        const size_t length = declared ? find_name(declared, &word) : 0;
        if (length > 0 && !is_of_compiler(word, length, source)) {
            (void)snprintf(name, size, "%.*s", (int)length, word);
            return true;
        }
    }
    return false;
}
