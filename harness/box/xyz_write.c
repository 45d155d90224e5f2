/* Extended XYZ, written so that reading it back gives the same numbers bit for bit. */
#include "box/box.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Which columns the rows have beside species and positions. */
struct layout {
    bool type;   /* two types share a name, so that the name alone does not tell them apart */
    bool charge; /* some charge is not zero */
};

static struct layout layout_of(const struct box *box) {
    struct layout layout = { false, false };
    for (int32_t a = 0; a < box->types; a++) {
        for (int32_t b = 0; b < a; b++) {
            layout.type = layout.type || strcmp(box->species[a], box->species[b]) == 0;
        }
    }
    for (size_t i = 0; i < box->n && !layout.charge; i++) {
        layout.charge = box->charge[i] != 0.0 || signbit(box->charge[i]);
    }
    return layout;
}

static void write_head(FILE *file, const struct box *box, struct layout layout,
                       const char *vectors_name) {
    (void)fprintf(file, "%zu\n", box->n);
    if (box->periodic) {
        (void)fprintf(file, "Lattice=\"%.17g 0 0 0 %.17g 0 0 0 %.17g\" ", box->edge[0],
                      box->edge[1], box->edge[2]);
    }
    (void)fprintf(file, "Properties=species:S:1%s:pos:R:3%s%s", layout.type ? ":type:I:1" : "",
                  layout.charge ? ":charge:R:1" : "", box->molecule ? ":molecule:I:1" : "");
    if (vectors_name) {
        (void)fprintf(file, ":%s:R:3", vectors_name);
    }
    (void)fprintf(file, " pbc=\"%s\"", box->periodic ? "T T T" : "F F F");
    if (box->kind[0] != '\0' && strcmp(box->kind, "file") != 0) { /* how to make it again */
        (void)fprintf(file, " kind=%s", box->kind);
        if (isfinite(box->density)) {
            (void)fprintf(file, " density=%.17g", box->density);
        }
        (void)fprintf(file, " seed=%llu", (unsigned long long)box->seed);
    }
    (void)fputc('\n', file);
}

static void write_three(FILE *file, const double *three) {
    (void)fprintf(file, " %.17g %.17g %.17g", three[0], three[1], three[2]);
}

/* False when the stream took an error, found out at once so that a full disk ends the writing. */
static bool write_rows(FILE *file, const struct box *box, struct layout layout,
                       const double *vectors) {
    for (size_t i = 0; i < box->n && !ferror(file); i++) {
        (void)fputs(box->species[box->type[i]], file);
        if (layout.type) {
            (void)fprintf(file, " %d", (int)box->type[i]);
        }
        write_three(file, box->position + 3 * i);
        if (layout.charge) {
            (void)fprintf(file, " %.17g", box->charge[i]);
        }
        if (box->molecule) {
            (void)fprintf(file, " %d", (int)box->molecule[i]);
        }
        if (vectors) {
            write_three(file, vectors + 3 * i);
        }
        (void)fputc('\n', file);
    }
    return fflush(file) == 0 && !ferror(file);
}

static bool write_all(FILE *file, const struct box *box, const double *vectors,
                      const char *vectors_name) {
    struct layout layout = layout_of(box);
    write_head(file, box, layout, vectors ? vectors_name : NULL);
    return write_rows(file, box, layout, vectors);
}

/* The name of the file to write first and rename after; NULL when `path` is something that a rename
 * would destroy (a device, a pipe, a link) and is written directly. Caller frees. */
static bool temporary_name(const char *path, char **name, struct error *error) {
    struct stat found;
    *name = NULL;
    if (lstat(path, &found) == 0 && !S_ISREG(found.st_mode)) {
        return true;
    }
    size_t size = strlen(path) + 32;
    *name = malloc(size);
    if (!*name) {
        return fail_out_of_memory(error, path);
    }
    (void)snprintf(*name, size, "%s.%ld.tmp", path, (long)getpid());
    return true;
}

static bool write_path(const char *path, const char *temporary, const struct box *box,
                       const double *vectors, const char *vectors_name, struct error *error) {
    const char *target = temporary ? temporary : path;
    FILE *file = fopen(target, "wb");
    if (!file) {
        return fail(error, STATUS_SYSTEM, "%s: %s", path, strerror(errno));
    }
    errno = 0;
    bool written = write_all(file, box, vectors, vectors_name);
    int reason = errno;
    if (fclose(file) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written && temporary && rename(temporary, path) != 0) {
        written = false;
        reason = errno;
    }
    if (!written) {
        if (temporary) {
            (void)unlink(temporary);
        }
        return fail(error, STATUS_SYSTEM, "%s: %s", path,
                    reason ? strerror(reason) : "cannot be written");
    }
    return true;
}

bool box_write(const char *path, const struct box *box, const double *vectors,
               const char *vectors_name, struct error *error) {
    if (strcmp(path, "-") == 0) {
        errno = 0;
        return write_all(stdout, box, vectors, vectors_name) ||
               fail(error, STATUS_SYSTEM, "standard output: %s",
                    errno ? strerror(errno) : "cannot be written");
    }
    char *temporary;
    if (!temporary_name(path, &temporary, error)) {
        return false;
    }
    bool written = write_path(path, temporary, box, vectors, vectors_name, error);
    free(temporary);
    return written;
}
