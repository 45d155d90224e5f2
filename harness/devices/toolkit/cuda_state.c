#include "core/strings.h"
#include "devices/compiled_code.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the text without comments and strings ---- */

/* Strings go on over lines, and no character in them stands for another. */
static const char *skip_string(const char *c) {
    const char *end = strchr(c + 1, '"');
    return end ? end + 1 : c + strlen(c);
}

/* A copy with a blank for each comment and each string; NULL when memory ran out. */
static char *code_alone(const char *ptx) {
    char *copy = malloc(strlen(ptx) + 1);
    char *to = copy;
    for (const char *c = ptx; copy && *c;) {
        const char *behind = *c == '"' ? skip_string(c) : skip_comment(c);
        *to++ = behind > c ? ' ' : *c;
        c = behind > c ? behind : c + 1;
    }
    if (copy) {
        *to = '\0';
    }
    return copy;
}

/* ---- declarations ---- */

static bool is_of_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Whether the character before c is one of two colons, which join words of an instruction
 * (.shared::cluster). A single colon ends a label. */
static bool is_behind_colons(const char *ptx, const char *c) {
    return c - ptx >= 2 && c[-1] == ':' && (c[-2] == ':' || *c == ':');
}

/* Whether the dotted word that leads up to `end` is an instruction, as ld.global is. Directives
 * begin with a dot, and may follow another word without a blank. */
static bool is_instruction(const char *ptx, const char *end) {
    static const char *const with_global[] = {
        "ld",    "ldu",          "st",        "atom",    "red",
        "cvta",  "isspacep",     "prefetch",  "cp",      "prefetchu",
        "wmma",  "wgmma",        "multimem",  "discard", "applypriority",
        "fence", "membar",       "mbarrier",  "suld",    "sust",
        "sured", "createpolicy", "tensormap", "tcgen05",
    };
    const char *word = end;
    while (word > ptx && (is_of_name(word[-1]) || word[-1] == '.' || is_behind_colons(ptx, word))) {
        word--;
    }
    const size_t length = strcspn(word, ".");
    for (size_t w = 0; w < sizeof with_global / sizeof with_global[0]; w++) {
        if (is_spelt(word, length, with_global[w])) {
            return true;
        }
    }
    return false;
}

/* Whether the word stands behind .ptr: there it says where a pointer parameter points, and declares
 * nothing. */
static bool is_of_pointer(const char *ptx, const char *at) {
    while (at > ptx && isspace((unsigned char)at[-1])) {
        at--;
    }
    return at - ptx >= 4 && strncmp(at - 4, ".ptr", 4) == 0;
}

/* Finds the next `.global` from `c` on that begins a declaration, at module scope or, by inline
 * PTX, within a function; NULL after the last. */
static const char *next_declaration(const char *ptx, const char *c) {
    static const char space[] = ".global";
    const size_t length = sizeof space - 1;
    for (c = strstr(c, space); c; c = strstr(c + length, space)) {
        if (!is_of_name(c[length]) && !is_instruction(ptx, c) && !is_of_pointer(ptx, c)) {
            return c;
        }
    }
    return NULL;
}

/* What stands between brackets of any kind, and after a = up to the next comma, declares nothing.
 */
static const char *skip_value(const char *c) {
    int depth = 0;
    while (*c && (depth > 0 || !strchr(",;", *c))) {
        depth += strchr("([{", *c) ? 1 : strchr(")]}", *c) ? -1 : 0;
        c++;
    }
    return c;
}

static const char *skip_brackets(const char *c) {
    int depth = 0;
    do {
        depth += strchr("([{", *c) ? 1 : strchr(")]}", *c) ? -1 : 0;
        c++;
    } while (*c && depth > 0);
    return c;
}

/* The next name that a declaration declares, from `c` on, which is after the one before; NULL:
 * there are no more. */
static const char *next_name(const char *c, size_t *length) {
    while (*c && *c != ';') {
        *length = 0;
        while (is_of_name(c[*length])) {
            (*length)++;
        }
        if (*length > 0 && c[-1] != '.' && !isdigit((unsigned char)*c)) {
            return c;
        }
        c = *length > 0         ? c + *length
            : strchr("([{", *c) ? skip_brackets(c)
            : *c == '='         ? skip_value(c)
                                : c + 1;
    }
    return NULL;
}

/* ---- whose they are ---- */

/* The most bytes that the compiler's own tables and strings may have together. Forces kept under
 * such a name would not fit, but for boxes too small to be worth it. */
enum { MOST_OF_COMPILER = 1024 };

/* How many bytes a declaration of the compiler's own takes, known by its name and by having values:
 * .b8 NAME[BYTES] = {...}. 0 for any other declaration. */
static unsigned long bytes_of_compiler(const char *line, const char *name, size_t length) {
    static const char *const words[] = { "$str", "__cudart_", "__internal_", "__nv_" };
    const char *type = memmem(line, (size_t)(name - line), ".b8", 3);
    char *end = NULL;
    bool is_known = false;
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        is_known = is_known || begins_with(name, words[w]);
    }
    if (!is_known || !type || name[length] != '[') {
        return 0;
    }
    const unsigned long bytes = strtoul(name + length + 1, &end, 10);
    return strncmp(end, "] = {", 5) == 0 && bytes <= MOST_OF_COMPILER ? bytes : 0;
}

/* Whether the name stands anywhere else in the PTX than in its declaration: headers declare many
 * constants that no instruction reads. */
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

/* Looks for a variable in one declaration; of_compiler counts bytes. */
static bool find_in_declaration(const char *ptx, const char *line, unsigned long *of_compiler,
                                char *name, size_t size) {
    size_t length = 0;
    for (const char *word = next_name(line + 1, &length); word;
         word = next_name(word + length, &length)) {
        if (!is_used(ptx, word, length)) {
            continue;
        }
        const unsigned long bytes = bytes_of_compiler(line, word, length);
        *of_compiler += bytes;
        if (bytes == 0 || *of_compiler > MOST_OF_COMPILER) {
            (void)snprintf(name, size, "%.*s", (int)length, word);
            return true;
        }
    }
    return false;
}

static bool find_in(const char *ptx, char *name, size_t size) {
    unsigned long of_compiler = 0;
    for (const char *line = next_declaration(ptx, ptx); line;
         line = next_declaration(ptx, line + 1)) {
        if (find_in_declaration(ptx, line, &of_compiler, name, size)) {
            return true;
        }
    }
    if (is_used(ptx, CUDA_STATE_HEAP, sizeof CUDA_STATE_HEAP - 1)) {
        (void)snprintf(name, size, "%s", CUDA_STATE_HEAP);
        return true;
    }
    return false;
}

bool cuda_state_find(const char *ptx, char *name, size_t size) {
    char *text = code_alone(ptx);
    (void)snprintf(name, size, "?"); /* where it cannot be read */
    const bool found = !text || find_in(text, name, size);
    free(text);
    return found;
}
