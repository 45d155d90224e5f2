#include "core/growing_file.h"

#include "core/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static bool open_as(const char *path, int flags, const char *mode, FILE **file,
                    struct error *error) {
    const int descriptor = open(path, flags | O_CLOEXEC, 0666);
    *file = descriptor >= 0 ? fdopen(descriptor, mode) : NULL;
    if (!*file) {
        const int reason = errno;
        if (descriptor >= 0) {
            (void)close(descriptor);
        }
        return fail(error, STATUS_BAD_INPUT, "%s: %s", path, strerror(reason));
    }
    return true;
}

bool growing_file_create(const char *path, FILE **file, struct error *error) {
    struct stat status;
    if (is_standard(path)) {
        *file = stdout;
        return true;
    }
    if (stat(path, &status) != 0) {
        const bool is_link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
        return open_as(path, O_WRONLY | O_CREAT | (is_link ? 0 : O_EXCL), "w", file, error) ||
               (is_link && fail_within(error, "a symbolic link to what cannot be made"));
    }
    if (S_ISDIR(status.st_mode)) {
        return fail(error, STATUS_BAD_INPUT, "%s is a folder; expected a file to write", path);
    }
    if (S_ISREG(status.st_mode) && status.st_size > 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s is there already, and is not replaced: name another file, remove it, or "
                    "go on with --resume",
                    path);
    }
    return open_as(path, O_WRONLY, "w", file, error);
}

bool growing_file_continue(const char *path, growing_file_keep *keep, void *context, FILE **file,
                           size_t *kept, struct error *error) {
    struct stat status;
    char *text = NULL;
    size_t length = 0;
    *kept = GROWING_FILE_ALL;
    if (is_standard(path) || stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size == 0) {
        return growing_file_create(path, file, error);
    }
    if (!input_read(path, INPUT_BOX_BYTES, &text, &length, error)) {
        return false;
    }
    const bool ours = keep(context, text, length, kept, error) || fail_within(error, "%s", path);
    free(text);
    return ours && open_as(path, O_WRONLY, "a", file, error);
}

bool growing_file_cut(const char *path, FILE *file, size_t kept, struct error *error) {
    return !file || kept == GROWING_FILE_ALL ||
           (ftruncate(fileno(file), (off_t)kept) == 0 && fseeko(file, 0, SEEK_END) == 0) ||
           fail(error, STATUS_SYSTEM, "%s: %s", path, strerror(errno));
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
