#include "campaign/progress.h"

#include "core/host.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double plain_interval_s = 5.0;
static const double terminal_interval_s = 0.1;

void progress_duration(double seconds, char *text, size_t size) {
    long whole = seconds > 0 ? (long)(seconds + 0.5) : 0;
    if (whole >= 3600) {
        (void)snprintf(text, size, "%ld h %02ld min", whole / 3600, whole % 3600 / 60);
    } else if (whole >= 60) {
        (void)snprintf(text, size, "%ld min %02ld s", whole / 60, whole % 60);
    } else {
        (void)snprintf(text, size, "%ld s", whole);
    }
}

void progress_begin(struct progress *progress, FILE *stream, size_t total, size_t rounds) {
    struct winsize window;
    int descriptor = stream ? fileno(stream) : -1;
    *progress = (struct progress){
        .stream = stream, .total = total, .rounds = rounds, .started_s = clock_s()
    };
    progress->terminal = descriptor >= 0 && isatty(descriptor);
    bool known = progress->terminal && ioctl(descriptor, TIOCGWINSZ, &window) == 0;
    progress->columns = known && window.ws_col > 20 ? window.ws_col : 80;
    progress->shown_s = -plain_interval_s;
}

static double seconds_left(const struct progress *progress) {
    const double elapsed = clock_s() - progress->started_s;
    const size_t total = progress->total * progress->rounds;
    if (progress->left) {
        return progress->left(progress->context, elapsed);
    }
    return progress->done == 0 || progress->done > total
               ? -1
               : elapsed * (double)(total - progress->done) / (double)progress->done;
}

/* "[12/74] about 2 min 05 s left, "; of several rounds "[round 2/3, 12/74] ...". */
static void describe_position(const struct progress *progress, char *text, size_t size) {
    char duration[32];
    const double left = seconds_left(progress);
    const size_t total = progress->total > 0 ? progress->total : 1;
    int used = 0;
    progress_duration(left, duration, sizeof duration);
    if (progress->again > 0 && progress->done >= total * progress->rounds) {
        used = snprintf(text, size, "[again, %zu/%zu] ",
                        progress->done + 1 - total * progress->rounds, progress->again);
    } else if (progress->rounds > 1) {
        used = snprintf(text, size, "[round %zu/%zu, %zu/%zu] ", progress->done / total + 1,
                        progress->rounds, progress->done % total + 1, total);
    } else {
        used = snprintf(text, size, "[%zu/%zu] ", progress->done + 1, total);
    }
    (void)snprintf(text + used, size - (size_t)used,
                   left < 0 ? "estimating..., " : "about %s left, ", duration);
}

void progress_case(struct progress *progress, const char *name) {
    double now = clock_s();
    double interval = progress->terminal ? terminal_interval_s : plain_interval_s;
    char position[160];
    if (!progress->stream || now - progress->shown_s < interval) {
        return;
    }
    progress->shown_s = now;
    describe_position(progress, position, sizeof position);
    if (progress->terminal) {
        char line[512];
        (void)snprintf(line, sizeof line, "%s%s", position, name);
        (void)fprintf(progress->stream, "\r\033[K%.*s", progress->columns - 1, line);
        progress->line_open = true;
    } else {
        (void)fprintf(progress->stream, "%s%s\n", position, name);
    }
    (void)fflush(progress->stream);
}

void progress_add(struct progress *progress, size_t visits) {
    progress->again += visits;
}

void progress_done(struct progress *progress) {
    progress->done++;
}

static void clear_line(struct progress *progress) {
    if (progress->line_open) {
        (void)fputs("\r\033[K", progress->stream);
        progress->line_open = false;
    }
}

void progress_print(struct progress *progress, const char *format, ...) {
    va_list arguments;
    if (!progress->stream) {
        return;
    }
    clear_line(progress);
    va_start(arguments, format);
    (void)vfprintf(progress->stream, format, arguments);
    va_end(arguments);
    (void)fputc('\n', progress->stream);
    (void)fflush(progress->stream);
}

void progress_end(struct progress *progress, size_t recorded, size_t total) {
    char duration[32];
    if (!progress->stream) {
        return;
    }
    clear_line(progress);
    progress_duration(clock_s() - progress->started_s, duration, sizeof duration);
    (void)fprintf(progress->stream, "[%zu/%zu] %s %s\n", recorded, total,
                  recorded == total ? "done in" : "stopped after", duration);
    (void)fflush(progress->stream);
}
