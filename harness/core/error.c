#include "core/error.h"

#include "core/strings.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

static const char *const status_names[] = {
    [STATUS_OK] = "ok",
    [STATUS_WRONG] = "wrong",
    [STATUS_STALE] = "stale",
    [STATUS_UNSUPPORTED] = "unsupported",
    [STATUS_OUT_OF_MEMORY] = "out_of_memory",
    [STATUS_COMPILE_ERROR] = "compile_error",
    [STATUS_LAUNCH_ERROR] = "launch_error",
    [STATUS_CRASHED] = "crashed",
    [STATUS_TIMEOUT] = "timeout",
    [STATUS_BAD_INPUT] = "bad_input",
    [STATUS_SYSTEM] = "system",
};

enum { STATUS_COUNT = sizeof status_names / sizeof status_names[0] };

/* Messages quote user input. An error in an input is reduced to one line, so that a file cannot
 * fake a second message; the logs of compilers and of gnuplot keep their lines. */
static void make_message_printable(struct error *error) {
    make_printable(error->message,
                   error->status == STATUS_BAD_INPUT ? PRINTABLE_LINE : PRINTABLE_LINES);
}

bool fail(struct error *error, enum status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    (void)vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    make_message_printable(error);
    return false;
}

bool fail_out_of_memory(struct error *error, const char *what) {
    return fail(error, STATUS_OUT_OF_MEMORY, "out of memory for %s", what);
}

void *with_room(void *array, size_t count, size_t *capacity, size_t size, const char *what,
                struct error *error) {
    if (count < *capacity) {
        return array;
    }
    const size_t grown = *capacity ? 2 * *capacity : 64;
    void *larger = realloc(array, grown * size);
    if (!larger) {
        (void)fail_out_of_memory(error, what);
        return NULL;
    }
    *capacity = grown;
    return larger;
}

bool fail_within(struct error *error, const char *format, ...) {
    char inner[sizeof error->message];
    memcpy(inner, error->message, sizeof inner);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    if (begins_with(inner, error->message) && inner[strlen(error->message)] == ':') {
        memcpy(error->message, inner, sizeof inner); /* it names the place already */
    } else if (length >= 0 && (size_t)length + sizeof ": " < sizeof error->message) {
        const int room = (int)(sizeof error->message - (size_t)length - sizeof ": ");
        (void)snprintf(error->message + length, sizeof error->message - (size_t)length, ": %.*s",
                       room, inner);
    }
    make_message_printable(error);
    return false;
}

const char *status_name(enum status status) {
    return (int)status < STATUS_COUNT ? status_names[status] : "unknown";
}

bool status_from_name(const char *name, enum status *status) {
    for (int i = 0; i < STATUS_COUNT; i++) {
        if (strcmp(name, status_names[i]) == 0) {
            *status = (enum status)i;
            return true;
        }
    }
    return false;
}

bool status_failed(enum status status) {
    return status != STATUS_OK && status != STATUS_UNSUPPORTED;
}

int status_exit_code(enum status status) {
    switch (status) {
    case STATUS_OK:
    case STATUS_UNSUPPORTED:
        return 0;
    case STATUS_BAD_INPUT:
        return 2;
    case STATUS_SYSTEM:
        return 3;
    default:
        return 1;
    }
}

/* ---- lines of a log ---- */

void log_warning(FILE *log, const char *format, ...) {
    va_list arguments;
    char *line = NULL;
    if (!log) {
        return;
    }
    va_start(arguments, format);
    const int length = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        make_printable(line, PRINTABLE_LINE);
        (void)fprintf(log, "%s\n", line);
        free(line);
    }
}
