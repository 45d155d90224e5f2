#include "core/terminal.h"

#include "core/parse.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST = 40, MOST = 10000 };

int terminal_columns(FILE *stream) {
    const char *words = getenv("COLUMNS");
    struct winsize window;
    uint64_t columns = 0;
    const int descriptor = fileno(stream);
    if (!words || !parse_count(words, &columns) || columns == 0 || columns > MOST) {
        columns =
            isatty(descriptor) && ioctl(descriptor, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
    }
    if (columns == 0) {
        return TERMINAL_DEFAULT_COLUMNS;
    }
    return columns < LEAST ? LEAST : (int)columns;
}
