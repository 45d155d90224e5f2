#include "kernels/cuda_text.h"

#include <stdlib.h>
#include <string.h>

/* Behind the word and the blanks that follow; NULL when c does not begin with it. */
static const char *behind(const char *c, const char *word) {
    c += strspn(c, " \t");
    return strncmp(c, word, strlen(word)) == 0 ? c + strlen(word) : NULL;
}

static bool includes(const char *line, const char *header) {
    const char *c = behind(line, "#");
    c = c ? behind(c, "include") : NULL;
    c = c ? c + strspn(c, " \t") : NULL;
    return c && (*c == '<' || *c == '"') && strncmp(c + 1, header, strlen(header)) == 0 &&
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
        if (!in_comment && strncmp(line, "#line ", strlen("#line ")) == 0) {
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
