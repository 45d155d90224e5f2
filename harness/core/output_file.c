#include "core/output_file.h"

#include "core/files.h"
#include "core/host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- written whole ---- */

enum { MAX_LINKS = 40, MAX_TRIES = 1000 };

/* What a path comes to. */
struct target {
    char path[PATH_MAX]; /* no symbolic link itself */
    int descriptor;      /* the open one that it names; -1: none */
    bool there;          /* *status describes it */
    struct stat status;
};

struct output {
    struct target target;
    const char *name;         /* as it was given, for messages */
    char temporary[PATH_MAX]; /* "": the target is written directly */
    FILE *stream;
};

/* ---- where to ---- */

/* The number of a descriptor that a path names; -1: it names none. */
static int descriptor_of(const char *path) {
    static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
        return STDOUT_FILENO;
    }
    if (strcmp(path, "/dev/stderr") == 0) {
        return STDERR_FILENO;
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0) {
            const char *digits = path + length;
            const size_t count = strspn(digits, "0123456789");
            return count > 0 && count < 6 && digits[count] == '\0' ? atoi(digits) : -1;
        }
    }
    return -1;
}

bool output_is_standard(const char *path) {
    return descriptor_of(path) == STDOUT_FILENO;
}

/* Puts the path that a link names in the place of the link's own. */
static bool follow_link(char path[PATH_MAX]) {
    char named[PATH_MAX];
    const ssize_t length = readlink(path, named, sizeof named - 1);
    if (length < 0) {
        return false;
    }
    named[length] = '\0';
    char *name = strrchr(path, '/');
    name = named[0] == '/' || !name ? path : name + 1; /* relative to the link's folder */
    const size_t room = PATH_MAX - (size_t)(name - path);
    errno = ENAMETOOLONG;
    return snprintf(name, room, "%s", named) < (int)room;
}

static bool find_target(const char *path, struct target *target, struct error *error) {
    *target = (struct target){ .descriptor = -1 };
    if (snprintf(target->path, sizeof target->path, "%s", path) >= (int)sizeof target->path) {
        return fail(error, STATUS_BAD_INPUT, "%s: %s", path, strerror(ENAMETOOLONG));
    }
    for (int links = 0; links < MAX_LINKS; links++) {
        target->descriptor = descriptor_of(target->path);
        if (target->descriptor >= 0) {
            return true;
        }
        target->there = lstat(target->path, &target->status) == 0;
        if (!target->there || !S_ISLNK(target->status.st_mode)) {
            return true;
        }
        if (!follow_link(target->path)) {
            return fail(error, STATUS_BAD_INPUT, "%s: %s", path, strerror(errno));
        }
    }
    return fail(error, STATUS_BAD_INPUT, "%s: %s", path, strerror(ELOOP));
}

/* ---- whether it may be written ---- */

/* The folder that a path names something in, without its last slash. */
static void folder_of(const char *path, char folder[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    if (!slash) {
        (void)snprintf(folder, PATH_MAX, ".");
    } else {
        (void)snprintf(folder, PATH_MAX, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    }
}

static bool check_folder(const char *path, const struct target *target, struct error *error) {
    char folder[PATH_MAX];
    struct stat status;
    folder_of(target->path, folder);
    if (stat(folder, &status) != 0) {
        return fail(error, STATUS_BAD_INPUT, "%s: the folder %s: %s", path, folder,
                    strerror(errno));
    }
    return S_ISDIR(status.st_mode) ||
           fail(error, STATUS_BAD_INPUT, "%s: %s is not a folder", path, folder);
}

static bool read_head(const char *path, char head[OUTPUT_HEAD_BYTES + 1]) {
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    size_t length = 0;
    ssize_t got = descriptor < 0 ? -1 : 1;
    while (got > 0 && length < OUTPUT_HEAD_BYTES) {
        got = read(descriptor, head + length, OUTPUT_HEAD_BYTES - length);
        length += got > 0 ? (size_t)got : 0;
    }
    head[length] = '\0';
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    return got >= 0;
}

/* A regular file that is there: whether nothing is lost with it. */
static bool check_replaceable(const char *path, const struct target *target,
                              const struct output_kind *kind, struct error *error) {
    char head[OUTPUT_HEAD_BYTES + 1];
    if (!kind->is_ours || target->status.st_size == 0 ||
        (read_head(target->path, head) && kind->is_ours(head))) {
        return true;
    }
    return fail(error, STATUS_BAD_INPUT,
                "%s is there already, and is not %s: name another file, or remove it first", path,
                kind->what);
}

static bool check_target(const char *path, const struct target *target,
                         const struct output_kind *kind, struct error *error) {
    if (target->descriptor >= 0) {
        return true;
    }
    if (!target->there) {
        return check_folder(path, target, error);
    }
    switch (target->status.st_mode & S_IFMT) {
    case S_IFREG:
        return check_replaceable(path, target, kind, error);
    case S_IFDIR:
        return fail(error, STATUS_BAD_INPUT, "%s is a folder; name a file", path);
    case S_IFBLK:
        return fail(error, STATUS_BAD_INPUT, "%s is a disk; name a file", path);
    default:
        return kind->is_ours != NULL ||
               fail(error, STATUS_BAD_INPUT, "%s is a pipe or a device; expected a file", path);
    }
}

bool output_check(const char *path, const struct output_kind *kind, struct error *error) {
    struct target target;
    return find_target(path, &target, error) && check_target(path, &target, kind, error);
}

/* ---- writing ---- */

/* A file beside the target that nobody else has: it is there for the first time. */
static int open_temporary(struct output *output) {
    char folder[PATH_MAX];
    const struct target *target = &output->target;
    folder_of(target->path, folder);
    for (int i = 0; i < MAX_TRIES; i++) {
        const int length = snprintf(output->temporary, sizeof output->temporary,
                                    "%s/.pairmark-%ld-%d.tmp", folder, (long)getpid(), i);
        if (length < 0 || (size_t)length >= sizeof output->temporary) {
            errno = ENAMETOOLONG;
            break;
        }
        const int descriptor =
            open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 && target->there) { /* what it replaces keeps its owner and mode */
            (void)!fchown(descriptor, target->status.st_uid, target->status.st_gid);
            (void)!fchmod(descriptor, target->status.st_mode & 07777);
        }
        if (descriptor >= 0 || errno != EEXIST) {
            return descriptor;
        }
    }
    return -1;
}

static int open_descriptor(struct output *output) {
    const struct target *target = &output->target;
    if (target->descriptor >= 0) {
        (void)fflush(stdout); /* what was printed before comes before */
        if ((fcntl(target->descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY) {
            errno = EBADF;
            return -1;
        }
        return fcntl(target->descriptor, F_DUPFD_CLOEXEC, 3);
    }
    if (target->there && !S_ISREG(target->status.st_mode)) {
        return open(target->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    }
    return open_temporary(output);
}

static const char *shown_name(const struct output *output) {
    return output_is_standard(output->name) ? "standard output" : output->name;
}

static bool fail_open(struct output *output, int descriptor, struct error *error) {
    const int reason = errno;
    if (descriptor >= 0) {
        (void)close(descriptor);
        if (output->temporary[0]) {
            (void)unlink(output->temporary);
        }
    }
    (void)fail(error, STATUS_SYSTEM, "%s: %s", shown_name(output), strerror(reason));
    free(output);
    return false;
}

bool output_open(const char *path, const struct output_kind *kind, struct output **output,
                 struct error *error) {
    struct output *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, path);
    }
    made->name = path;
    if (!find_target(path, &made->target, error) ||
        !check_target(path, &made->target, kind, error)) {
        free(made);
        return false;
    }
    const int descriptor = open_descriptor(made);
    made->stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (!made->stream) {
        return fail_open(made, descriptor, error);
    }
    *output = made;
    return true;
}

FILE *output_stream(struct output *output) {
    return output->stream;
}

/* A target that was not there is not replaced if it came meanwhile. */
static bool put_in_place(const struct output *output) {
    const struct target *target = &output->target;
    if (!target->there) {
        if (renameat2(AT_FDCWD, output->temporary, AT_FDCWD, target->path, RENAME_NOREPLACE) == 0) {
            return true;
        }
        if (errno != EINVAL && errno != ENOSYS) { /* file systems that know no such thing */
            return false;
        }
    }
    return rename(output->temporary, target->path) == 0;
}

bool output_close(struct output *output, bool whole, struct error *error) {
    /* Where a write failed before, errno still has the reason. */
    int reason = ferror(output->stream) ? errno : 0;
    bool written = fflush(output->stream) == 0;
    reason = written ? reason : errno;
    written = written && !ferror(output->stream);
    if (fclose(output->stream) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written && whole && output->temporary[0] && !put_in_place(output)) {
        written = false;
        reason = errno;
    }
    if (!(written && whole) && output->temporary[0]) {
        (void)unlink(output->temporary);
    }
    if (whole && !written) {
        (void)fail(error, STATUS_SYSTEM, "%s: %s", shown_name(output),
                   reason ? strerror(reason) : "cannot be written");
    }
    free(output);
    return written && whole;
}

bool output_write(const char *path, const struct output_kind *kind, const void *data, size_t length,
                  struct error *error) {
    struct output *output = NULL;
    if (!output_open(path, kind, &output, error)) {
        return false;
    }
    (void)fwrite(data, 1, length, output_stream(output)); /* the stream keeps the error */
    return output_close(output, true, error);
}

bool fs_write(const char *path, const void *data, size_t length, struct error *error) {
    static const struct output_kind own = { .what = "a file of pairmark's own" };
    return output_write(path, &own, data, length, error);
}

/* ---- written line by line ---- */

static bool is_none(const char *head) {
    (void)head;
    return false;
}

/* Of files that are there, only empty ones are written to. */
static const struct output_kind growing = { "replaced", is_none };

bool growing_file_check(const char *path, struct error *error) {
    return output_check(path, &growing, error);
}

bool growing_file_create(const char *path, FILE **file, struct error *error) {
    struct target target;
    if (!find_target(path, &target, error) || !check_target(path, &target, &growing, error)) {
        return false;
    }
    if (target.descriptor == STDOUT_FILENO) {
        terminal_leave_lines(stdout);
        *file = stdout;
        return true;
    }
    const int descriptor =
        target.descriptor >= 0
            ? fcntl(target.descriptor, F_DUPFD_CLOEXEC, 3)
            : open(target.path, O_WRONLY | O_CLOEXEC | (target.there ? 0 : O_CREAT | O_EXCL), 0666);
    *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!*file) {
        const int reason = errno;
        if (descriptor >= 0) {
            (void)close(descriptor);
        }
        return fail(error, STATUS_BAD_INPUT, "%s: %s", path, strerror(reason));
    }
    return true;
}

bool growing_file_flush(const char *path, FILE *file, struct error *error) {
    errno = 0;
    return (fflush(file) == 0 && !ferror(file)) ||
           fail(error, STATUS_SYSTEM, "%s: %s", path,
                errno ? strerror(errno) : "cannot be written");
}

bool growing_file_close(const char *path, FILE *file, struct error *error) {
    if (!file) {
        return true;
    }
    const bool flushed = growing_file_flush(path, file, error);
    return (file == stdout || fclose(file) == 0 || !flushed ||
            fail(error, STATUS_SYSTEM, "%s: %s", path, strerror(errno))) &&
           flushed;
}
