#include "campaign/rows/folder_lock.h"

#include "core/confine.h"
#include "core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Nobody else opens the file: closing any descriptor of it would let the process's lock go. */
static const char lock_name[] = ".lock";

static struct flock whole_file(void) {
    return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
}

static bool fail_in_use(const char *folder, int descriptor, struct error *error) {
    struct flock held = whole_file();
    if (fcntl(descriptor, F_GETLK, &held) == 0 && held.l_type != F_UNLCK && held.l_pid > 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: process %ld is running in this folder: wait until it has ended, or name "
                    "another folder by -o",
                    folder, (long)held.l_pid);
    }
    return fail(error, STATUS_BAD_INPUT,
                "%s: another process is running in this folder: wait until it has ended, or name "
                "another folder by -o",
                folder);
}

bool folder_lock(const char *folder, FILE *log, int *lock, struct error *error) {
    char path[PATH_MAX];
    *lock = -1;
    const int length = snprintf(path, sizeof path, "%s/%s", folder, lock_name);
    if (length < 0 || (size_t)length >= sizeof path) {
        return fail(error, STATUS_BAD_INPUT, "%.200s...: the path is too long", folder);
    }
    const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) {
        return fail(error, STATUS_BAD_INPUT, "%s: %s", path, strerror(errno));
    }
    if (confine_reaches(path)) {
        (void)close(descriptor);
        return fail(error, STATUS_BAD_INPUT,
                    "%s lies where kernels may write, in a cache or /dev/shm: -o names another "
                    "folder",
                    folder);
    }
    const struct flock wanted = whole_file();
    if (fcntl(descriptor, F_SETLK, &wanted) == 0) {
        *lock = descriptor;
        return true;
    }
    if (errno == EACCES || errno == EAGAIN) {
        (void)fail_in_use(folder, descriptor, error);
        (void)close(descriptor);
        return false;
    }
    log_warning(log, "%s: cannot be locked (%s): see to it that no other run uses this folder",
                path, strerror(errno));
    (void)close(descriptor);
    return true;
}

void folder_unlock(int lock) {
    if (lock >= 0) {
        (void)close(lock);
    }
}
