#include "answers/plot/plot_sheet.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the scripts ---- */

/* BASE + REST, made absolute, when it holds the scripts. */
static bool scripts_in(const char *base, const char *rest, char *folder, size_t size) {
    char path[PATH_MAX];
    char resolved[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s%s/lines.gp", base, rest);
    if (length < 0 || (size_t)length >= sizeof path || !realpath(path, resolved)) {
        return false;
    }
    char *end = strrchr(resolved, '/');
    *end = '\0';
    length = snprintf(folder, size, "%s", resolved);
    return length >= 0 && (size_t)length < size;
}

static bool scripts_beside_program(char *folder, size_t size) {
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) {
        return false;
    }
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash) {
        return false;
    }
    *slash = '\0';
    return scripts_in(program, "/../share/pairmark/plot", folder, size);
}

bool gnuplot_scripts(char *folder, size_t size, struct error *error) {
    const char *share = getenv("PAIRMARK_SHARE");
    if (share && *share) {
        return scripts_in(share, "/plot", folder, size) ||
               fail(error, STATUS_BAD_INPUT,
                    "PAIRMARK_SHARE is %s, which holds no plot/lines.gp: no gnuplot scripts",
                    share);
    }
    return scripts_beside_program(folder, size) ||
           scripts_in(PAIRMARK_SOURCE_SHARE, "/plot", folder, size) ||
           fail(error, STATUS_SYSTEM,
                "the gnuplot scripts are neither in ../share/pairmark/plot from the program nor in "
                "%s/plot; name the folder above plot/ by PAIRMARK_SHARE",
                PAIRMARK_SOURCE_SHARE);
}

/* ---- running it ---- */

/* Keeps the beginning of what comes and reads the rest away, so that the writer never blocks. */
static void read_all(int descriptor, char *said, size_t size) {
    char chunk[1024];
    size_t kept = 0;
    for (;;) {
        ssize_t got = read(descriptor, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        size_t room = size - 1 - kept;
        size_t take = (size_t)got < room ? (size_t)got : room;
        memcpy(said + kept, chunk, take);
        kept += take;
    }
    while (kept > 0 && (said[kept - 1] == '\n' || said[kept - 1] == ' ')) {
        kept--;
    }
    said[kept] = '\0';
}

enum { NOT_INSTALLED = 127, NOT_STARTED = 126 };

/* Starts gnuplot in the folder, reading nothing, with both its outputs into the pipe; negative
 * where there is no process. -d leaves the user's own start-up file out. */
static pid_t start(const char *folder, const char *script, int output) {
    const pid_t child = fork();
    if (child == 0) {
        const int nothing = open("/dev/null", O_RDONLY);
        if (chdir(folder) == 0 && dup2(nothing, 0) == 0 && dup2(output, 1) == 1 &&
            dup2(output, 2) == 2) {
            (void)execlp("gnuplot", "gnuplot", "-d", script, (char *)NULL);
        }
        _exit(errno == ENOENT ? NOT_INSTALLED : NOT_STARTED);
    }
    return child;
}

bool gnuplot_run(const char *folder, const char *script, struct error *error) {
    int ends[2];
    char said[1500];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return fail(error, STATUS_SYSTEM, "cannot make a pipe for gnuplot: %s", strerror(errno));
    }
    const pid_t child = start(folder, script, ends[1]);
    (void)close(ends[1]);
    read_all(ends[0], said, sizeof said);
    (void)close(ends[0]);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return fail(error, STATUS_SYSTEM, "cannot wait for gnuplot: %s", strerror(errno));
        }
    }
    const int code = child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == NOT_INSTALLED) {
        return fail(error, STATUS_SYSTEM,
                    "gnuplot is not installed (Debian, Ubuntu: apt-get install gnuplot-nox); "
                    "once it is, pairmark plot draws the figures");
    }
    if (child < 0 || code == NOT_STARTED) {
        return fail(error, STATUS_SYSTEM, "cannot run gnuplot");
    }
    if (code != 0) {
        return fail(error, STATUS_SYSTEM, "gnuplot failed on %s/%s: %s", folder, script, said);
    }
    return true;
}
