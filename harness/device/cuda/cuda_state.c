#include "device/cuda/cuda_state.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The next declaration in .global from `c` on, from that word on; NULL behind the last. It stands
 * alone, at module scope or, by inline PTX, within a function; in a list of parameters it says
 * where a pointer points (.ptr .global). */
static const char *next_declaration(const char *ptx, const char *c) {
    static const char space[] = ".global";
    const size_t length = sizeof space - 1;
    for (c = strstr(c, space); c; c = strstr(c + length, space)) {
        const char *before = c;
        while (before > ptx && isspace((unsigned char)before[-1])) {
            before--;
        }
        const bool alone = (c == ptx || isspace((unsigned char)c[-1]) || strchr(";{}/", c[-1])) &&
                           isspace((unsigned char)c[length]);
        const bool of_pointer = before - ptx >= 4 && strncmp(before - 4, ".ptr", 4) == 0;
        if (alone && !of_pointer) {
            return c;
        }
    }
    return NULL;
}

/* The name is the last word before the bounds, the value or the end. */
static size_t find_name(const char *line, const char **name) {
    const char *end = line + strcspn(line, "[=;");
    while (end > line && isspace((unsigned char)end[-1])) {
        end--;
    }
    *name = end;
    while (*name > line && !isspace((unsigned char)(*name)[-1])) {
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

static bool is_of_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Whether the PTX says the name anywhere but where it is declared. Headers declare many constants
 * that no instruction reads. */
static bool is_used(const char *ptx, const char *name, size_t length) {
    const char *at = ptx;
    while ((at = memmem(at, strlen(at), name, length))) {
        const bool whole = !is_of_name(at[length]) && (at == ptx || !is_of_name(at[-1]));
        if (whole && at != name) {
            return true;
        }
        at += length;
    }
    return false;
}

bool cuda_state_find(const char *ptx, const char *source, char *name, size_t size) {
    for (const char *line = next_declaration(ptx, ptx); line;
         line = next_declaration(ptx, line + 1)) {
        const char *word = NULL;
        const size_t length = find_name(line, &word);
        if (length > 0 && !is_of_compiler(word, length, source) && is_used(ptx, word, length)) {
            (void)snprintf(name, size, "%.*s", (int)length, word);
            return true;
        }
    }
    return false;
}
