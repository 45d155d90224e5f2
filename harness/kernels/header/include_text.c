#include "kernels/header/read_variant.h"

#include "core/files.h"
#include "core/strings.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INCLUDED = 512, MAX_DEPTH = 64 };

/* A file that was included. */
struct included {
    char path[PATH_MAX];
    bool put_for_good; /* once, where no condition left it out */
    bool is_open;      /* it is being put */
};

struct expansion {
    char *const *folders;
    struct included *files; /* MAX_INCLUDED of them */
    int file_count;
    struct strbuf text;
};

/* One file as it is walked. */
struct walk {
    const char *path;
    int line;
    int depth;       /* of conditions that are open */
    int own_depth;   /* of its include guard: 1 or 0 */
    bool in_comment; /* a comment that began earlier is open */
    bool surely;     /* no condition around the file can leave it out */
    int level;       /* how many files are open */
};

/* ---- directives ---- */

/* The place after `#word` and its blanks; NULL where the line has no such directive. */
static const char *directive(const char *line, const char *word) {
    const char *c = skip_blanks(line);
    if (*c != '#') {
        return NULL;
    }
    c = skip_blanks(c + 1);
    const size_t length = strlen(word);
    if (strncmp(c, word, length) != 0 || isalnum((unsigned char)c[length]) || c[length] == '_') {
        return NULL;
    }
    return skip_blanks(c + length);
}

/* The name in <> or quotes, without them; false for what is none, or is of pairmark's own. */
static bool included_name(const char *line, char name[PATH_MAX], bool *quoted) {
    const char *c = directive(line, "include");
    if (!c || (*c != '<' && *c != '"')) {
        return false;
    }
    *quoted = *c == '"';
    const size_t length = strcspn(c + 1, *quoted ? "\"\n" : ">\n");
    if (length == 0 || length >= PATH_MAX || c[1 + length] == '\n' || c[1 + length] == '\0') {
        return false;
    }
    (void)snprintf(name, PATH_MAX, "%.*s", (int)length, c + 1);
    return !begins_with(name, "pairmark/");
}

static bool is_once(const char *line) {
    const char *c = directive(line, "pragma");
    return c && begins_with(c, "once") && !isalnum((unsigned char)c[4]);
}

/* How a file says that it is to be put once. */
enum once { ONCE_NOT, ONCE_PRAGMA, ONCE_GUARD };

/* #pragma once anywhere; or the first directives are #ifndef X, #define X. */
static enum once once_of(const char *text) {
    bool in_comment = false;
    const char *guard = NULL;
    size_t guard_length = 0;
    int directives = 0;
    enum once once = ONCE_NOT;
    for (const char *line = text; *line; line = line_after(line)) {
        if (!in_comment && is_once(line)) {
            return ONCE_PRAGMA;
        }
        const char *defined = in_comment ? NULL : directive(line, "define");
        if (!in_comment && directives == 0 && directive(line, "ifndef")) {
            guard = directive(line, "ifndef");
            guard_length = strcspn(guard, " \t\r\n");
        } else if (directives == 1 && guard && defined && guard_length > 0 &&
                   strcspn(defined, " \t\r\n") == guard_length &&
                   strncmp(defined, guard, guard_length) == 0) {
            once = ONCE_GUARD;
        }
        directives += !in_comment && *skip_blanks(line) == '#';
        in_comment = cuda_text_leaves_comment_open(line, line + strcspn(line, "\n"), in_comment);
    }
    return once;
}

static int change_of_depth(const char *line) {
    return directive(line, "if") || directive(line, "ifdef") || directive(line, "ifndef") ? 1
           : directive(line, "endif")                                                     ? -1
                                                                                          : 0;
}

/* ---- files ---- */

/* Where a name leads: beside the file that includes it, or in a folder. */
static bool find_file(const struct expansion *expansion, const char *from, const char *name,
                      bool quoted, char path[PATH_MAX]) {
    if ((quoted || *name == '/') && fs_beside(from, name, strlen(name), path, PATH_MAX) &&
        fs_is_file(path)) {
        return true;
    }
    for (char *const *folder = expansion->folders; folder && *folder && *name != '/'; folder++) {
        if (snprintf(path, PATH_MAX, "%s/%s", *folder, name) < PATH_MAX && fs_is_file(path)) {
            return true;
        }
    }
    return false;
}

/* The file of that path, new where it was not included before; NULL where there are too many. */
static struct included *note_file(struct expansion *expansion, const char *path) {
    char resolved[PATH_MAX];
    if (!realpath(path, resolved)) {
        (void)snprintf(resolved, sizeof resolved, "%s", path);
    }
    for (int f = 0; f < expansion->file_count; f++) {
        if (strcmp(expansion->files[f].path, resolved) == 0) {
            return &expansion->files[f];
        }
    }
    if (expansion->file_count == MAX_INCLUDED) {
        return NULL;
    }
    struct included *file = &expansion->files[expansion->file_count++];
    *file = (struct included){ .is_open = false };
    memcpy(file->path, resolved, sizeof resolved);
    return file;
}

/* ---- putting ---- */

static bool put_lines(struct expansion *expansion, const char *text, struct walk *walk,
                      struct error *error);

/* The text of a file that is there; #pragma once becomes a guard of our own. */
static bool put_file(struct expansion *expansion, struct included *file, const char *path,
                     const struct walk *from, struct error *error) {
    char *text = NULL;
    if (!input_read_text(path, INPUT_KERNEL_BYTES, &text, error)) {
        return false;
    }
    const enum once once = once_of(text);
    const bool surely = from->surely && from->depth == from->own_depth;
    bool put = true;
    if (once == ONCE_NOT && file->is_open) {
        put = fail(error, STATUS_BAD_INPUT, "%s:%d: %s includes itself; expected #pragma once",
                   from->path, from->line, path);
    } else if (!(once != ONCE_NOT && (file->put_for_good || file->is_open))) {
        struct walk walk = { .path = path,
                             .own_depth = once == ONCE_GUARD,
                             .surely = surely,
                             .level = from->level + 1 };
        const bool was_open = file->is_open;
        const int number = (int)(file - expansion->files);
        file->is_open = true;
        if (once == ONCE_PRAGMA) {
            strbuf_append(&expansion->text, "#ifndef PAIRMARK_ONCE_%d\n#define PAIRMARK_ONCE_%d\n",
                          number, number);
        }
        strbuf_append_line(&expansion->text, 1, path);
        put = put_lines(expansion, text, &walk, error);
        strbuf_append(&expansion->text, once == ONCE_PRAGMA ? "\n#endif\n" : "\n");
        file->is_open = was_open;
        file->put_for_good = file->put_for_good || (once != ONCE_NOT && surely);
        strbuf_append_line(&expansion->text, from->line + 1, from->path);
    } else if (put) {
        strbuf_append(&expansion->text, "\n");
    }
    free(text);
    return put;
}

/* Whether a line that includes something was put; *known: there is such a file. */
static bool put_included(struct expansion *expansion, const char *line, const struct walk *walk,
                         bool *known, struct error *error) {
    char name[PATH_MAX];
    char path[PATH_MAX];
    bool quoted = false;
    *known =
        included_name(line, name, &quoted) && find_file(expansion, walk->path, name, quoted, path);
    if (!*known) {
        return true;
    }
    struct included *file = note_file(expansion, path);
    if (!file || walk->level == MAX_DEPTH) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%d: more than %d files are included, or %d one within the other; name "
                    "folders of your own headers alone",
                    walk->path, walk->line, MAX_INCLUDED, MAX_DEPTH);
    }
    return put_file(expansion, file, path, walk, error);
}

static bool put_lines(struct expansion *expansion, const char *text, struct walk *walk,
                      struct error *error) {
    walk->line = 1;
    for (const char *line = text; *line; line = line_after(line), walk->line++) {
        const size_t length = strcspn(line, "\n");
        bool known = false;
        if (!walk->in_comment && !put_included(expansion, line, walk, &known, error)) {
            return false;
        }
        if (!walk->in_comment) {
            walk->depth += change_of_depth(line);
        }
        if (!known && !(!walk->in_comment && walk->level > 0 && is_once(line))) {
            strbuf_append_bytes(&expansion->text, line, length);
        }
        if (!known) {
            strbuf_append(&expansion->text, "\n");
        }
        walk->in_comment = cuda_text_leaves_comment_open(line, line + length, walk->in_comment);
        if (expansion->text.length > INPUT_KERNEL_BYTES) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s:%d: with the files that are included, the text has more than %d MiB; "
                        "name folders of your own headers alone",
                        walk->path, walk->line, (int)(INPUT_KERNEL_BYTES >> 20));
        }
    }
    return true;
}

bool include_text_expand(const char *path, const char *text, char *const *folders, char **expanded,
                         struct error *error) {
    struct expansion expansion = { .folders = folders };
    struct walk walk = { .path = path, .surely = true };
    expansion.files = calloc(MAX_INCLUDED, sizeof *expansion.files);
    if (!expansion.files) {
        return fail_out_of_memory(error, path);
    }
    const bool put = put_lines(&expansion, text, &walk, error) &&
                     (!expansion.text.failed || fail_out_of_memory(error, path));
    free(expansion.files);
    if (!put) {
        strbuf_free(&expansion.text);
        return false;
    }
    *expanded = expansion.text.data ? expansion.text.data : strdup("");
    return *expanded || fail_out_of_memory(error, path);
}

/* ---- searching a text ---- */

/* The place after the word and the blanks that follow; NULL when c does not begin with it. */
static const char *behind(const char *c, const char *word) {
    c += strspn(c, " \t");
    return begins_with(c, word) ? c + strlen(word) : NULL;
}

static bool includes(const char *line, const char *header) {
    const char *c = behind(line, "#");
    c = c ? behind(c, "include") : NULL;
    c = c ? c + strspn(c, " \t") : NULL;
    return c && (*c == '<' || *c == '"') && begins_with(c + 1, header) &&
           (c[1 + strlen(header)] == '>' || c[1 + strlen(header)] == '"');
}

bool cuda_text_leaves_comment_open(const char *line, const char *end, bool open) {
    for (const char *c = line; c < end; c++) {
        if (open && strncmp(c, "*/", 2) == 0) {
            open = false;
            c++;
        } else if (!open && strncmp(c, "//", 2) == 0) {
            break;
        } else if (!open && strncmp(c, "/*", 2) == 0) {
            open = true;
            c++;
        }
    }
    return open;
}

int cuda_text_find_include(const char *text, const char *header, const char **begin,
                           const char **end) {
    bool in_comment = false;
    int number = 1;
    for (const char *line = text; *line; number++) {
        const char *stop = line + strcspn(line, "\n");
        if (!in_comment && begins_with(line, "#line ")) {
            number = (int)strtol(line + strlen("#line "), NULL, 10) - 1;
        }
        if (!in_comment && includes(line, header)) {
            *begin = line;
            *end = *stop ? stop + 1 : stop;
            return number;
        }
        in_comment = cuda_text_leaves_comment_open(line, stop, in_comment);
        line = *stop ? stop + 1 : stop;
    }
    return 0;
}
