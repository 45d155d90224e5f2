#include "core/files.h"

#include "core/strings.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files from outside ---- */

static const char *kind_of(mode_t mode) {
    return S_ISFIFO(mode)  ? "a pipe"
           : S_ISCHR(mode) ? "a device"
           : S_ISBLK(mode) ? "a device"
                           : "a socket";
}

/* Before anything is allocated. Files of /proc say that they have no bytes: the reading counts. */
static bool check_status(const char *path, const struct stat *status, uint64_t most,
                         struct error *error) {
    const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (S_ISDIR(status->st_mode)) {
        return fail(error, STATUS_BAD_INPUT, "%s: %s", path, strerror(EISDIR));
    }
    if (!S_ISREG(status->st_mode)) {
        return fail(error, STATUS_BAD_INPUT, "%s: is %s; expected a file", path,
                    kind_of(status->st_mode));
    }
    if ((uint64_t)status->st_size > most) {
        return fail(error, STATUS_BAD_INPUT, "%s: has %llu bytes; expected %llu at most", path,
                    (unsigned long long)status->st_size, (unsigned long long)most);
    }
    return (uint64_t)status->st_size < memory ||
           fail(error, STATUS_OUT_OF_MEMORY, "%s: has %llu bytes, more than this machine's memory",
                path, (unsigned long long)status->st_size);
}

/* All that there is, but no more than one byte beyond `most`, since a file may grow meanwhile. */
static bool read_bytes(const char *path, int descriptor, uint64_t most, struct strbuf *content,
                       struct error *error) {
    char block[1 << 16];
    while (content->length <= most) {
        const ssize_t got = read(descriptor, block, sizeof block);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return fail(error, STATUS_BAD_INPUT, "%s: %s", path, strerror(errno));
        }
        strbuf_append_bytes(content, block, (size_t)got);
        if (content->failed) {
            return fail_out_of_memory(error, path);
        }
        if (got == 0) {
            return true;
        }
    }
    return fail(error, STATUS_BAD_INPUT, "%s: grows beyond %llu bytes", path,
                (unsigned long long)most);
}

/* Waits for nobody who would write into a pipe. */
static int open_to_read(const char *path) {
    return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

bool input_read(const char *path, uint64_t most, char **data, size_t *length, struct error *error) {
    struct strbuf content = { 0 };
    struct stat status;
    const int descriptor = open_to_read(path);
    if (descriptor < 0) {
        return fail(error, STATUS_BAD_INPUT, "%s: %s", path, strerror(errno));
    }
    bool read = fstat(descriptor, &status) == 0 ||
                fail(error, STATUS_BAD_INPUT, "%s: %s", path, strerror(errno));
    read = read && check_status(path, &status, most, error) &&
           read_bytes(path, descriptor, most, &content, error);
    (void)close(descriptor);
    if (!read) {
        strbuf_free(&content);
        return false;
    }
    *data = content.data;
    if (length) {
        *length = content.length;
    }
    return true;
}

size_t input_read_beginning(const char *path, char *text, size_t size) {
    struct stat status;
    size_t length = 0;
    ssize_t got = 1;
    const int descriptor = open_to_read(path);
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        while (got > 0 && length + 1 < size) {
            got = read(descriptor, text + length, size - 1 - length);
            length += got > 0 ? (size_t)got : 0;
        }
    }
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    text[length] = '\0';
    return length;
}

bool input_read_text(const char *path, uint64_t most, char **text, struct error *error) {
    size_t length = 0;
    if (!input_read(path, most, text, &length, error)) {
        return false;
    }
    if (strlen(*text) != length) {
        free(*text);
        *text = NULL;
        return fail(error, STATUS_BAD_INPUT, "%s: not a text: it holds a NUL byte", path);
    }
    const size_t mark = byte_order_mark(*text);
    memmove(*text, *text + mark, length - mark + 1);
    end_lines_by_newline(*text, length - mark);
    return true;
}

/* ---- pairmark's own files, and names ---- */

bool fs_read(const char *path, char **data, size_t *length, struct error *error) {
    return input_read(path, INPUT_TABLE_BYTES, data, length, error);
}

static bool is_same_inode(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool fs_same_file(const char *a, const char *b) {
    struct stat first;
    struct stat second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && is_same_inode(&first, &second);
}

const char *fs_last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Allocated; NULL when memory ran out. */
static char *folder_of(const char *path) {
    const size_t length = (size_t)(fs_last_name(path) - path);
    return length > 0 ? strndup(path, length) : strdup(".");
}

static bool stat_folder_of(const char *path, struct stat *status) {
    char *folder = folder_of(path);
    const bool there = folder && stat(folder, status) == 0;
    free(folder);
    return there;
}

bool fs_same_target(const char *a, const char *b) {
    struct stat of_a;
    struct stat of_b;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) {
        return strcmp(a, b) == 0;
    }
    const bool has_a = stat(a, &of_a) == 0;
    const bool has_b = stat(b, &of_b) == 0;
    if (has_a || has_b) {
        return has_a && has_b && S_ISREG(of_a.st_mode) && is_same_inode(&of_a, &of_b);
    }
    return strcmp(fs_last_name(a), fs_last_name(b)) == 0 && stat_folder_of(a, &of_a) &&
           stat_folder_of(b, &of_b) && is_same_inode(&of_a, &of_b);
}

bool fs_beside(const char *path, const char *name, size_t length, char *beside, size_t size) {
    const int folder = path && name[0] != '/' ? (int)(fs_last_name(path) - path) : 0;
    return snprintf(beside, size, "%.*s%.*s", folder, path ? path : "", (int)length, name) <
           (int)size;
}

bool fs_is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool fs_make_directories(const char *path, struct error *error) {
    char *copy = strdup(path);
    if (!copy) {
        return fail_out_of_memory(error, path);
    }
    bool made = true;
    for (char *slash = copy + 1; made; slash++) {
        if (*slash != '/' && *slash != '\0') {
            continue;
        }
        char end = *slash;
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
            made = fail(error, STATUS_SYSTEM, "%s: %s", copy, strerror(errno));
        }
        *slash = end;
        if (end == '\0') {
            break;
        }
    }
    free(copy);
    return made;
}

bool fs_make_folder_of(const char *path, struct error *error) {
    char *folder = folder_of(path);
    const bool made = folder ? fs_make_directories(folder, error) : fail_out_of_memory(error, path);
    free(folder);
    return made;
}

bool fs_make_temporary(const char *name, char *path, size_t size, struct error *error) {
    const char *above = getenv("TMPDIR");
    const int length =
        snprintf(path, size, "%s/pairmark-%s-XXXXXX", above && *above ? above : "/tmp", name);
    if (length < 0 || (size_t)length >= size) {
        return fail(error, STATUS_BAD_INPUT, "TMPDIR is too long");
    }
    return mkdtemp(path) || fail(error, STATUS_SYSTEM, "%s: %s", path, strerror(errno));
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

void fs_remove_folder(const char *path) {
    (void)nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

char *fs_join(const char *directory, const char *name, struct error *error) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", directory, name) < 0) {
        (void)fail_out_of_memory(error, name);
        return NULL;
    }
    return path;
}
