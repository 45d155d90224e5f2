#include "answers/plot/plot_sheet.h"

#include "core/host.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

bool gnuplot_run(const char *folder, const char *script, struct error *error) {
    enum { SHOWN = 1499 };
    /* -d leaves the user's own start-up file out. */
    const char *const words[] = { "gnuplot", "-d", script, NULL };
    struct strbuf said = { 0 };
    const int code = program_run(folder, words, true, &said);
    if (code == 0) {
        strbuf_free(&said);
        return true;
    }
    const int reason = errno;
    size_t length = said.length < SHOWN ? said.length : SHOWN;
    while (length > 0 && strchr("\n ", said.data[length - 1])) {
        length--;
    }
    if (code < 0 && reason == ENOENT) {
        (void)fail(error, STATUS_SYSTEM,
                   "gnuplot is not installed (Debian, Ubuntu: apt-get install gnuplot-nox); "
                   "once it is, pairmark plot draws the figures");
    } else if (code < 0 && reason != 0) {
        (void)fail(error, STATUS_SYSTEM, "cannot run gnuplot: %s", strerror(reason));
    } else {
        (void)fail(error, STATUS_SYSTEM, "gnuplot failed on %s/%s: %.*s", folder, script,
                   (int)length, length > 0 ? said.data : "");
    }
    strbuf_free(&said);
    return false;
}
