#include "core/log.h"

#include "core/printable.h"

#include <stdarg.h>
#include <stdlib.h>

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
