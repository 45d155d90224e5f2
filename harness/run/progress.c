#include "run/progress.h"

#include "system/clock.h"

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

void progress_begin(struct progress *progress, FILE *stream, size_t total, size_t recorded) {
    struct winsize window;
    int descriptor = stream ? fileno(stream) : -1;
    *progress = (struct progress){ .stream = stream, .total = total, .started_s = clock_s() };
    progress->to_measure = recorded < total ? total - recorded : 0;
    progress->terminal = descriptor >= 0 && isatty(descriptor);
    bool known = progress->terminal && ioctl(descriptor, TIOCGWINSZ, &window) == 0;
    progress->columns = known && window.ws_col > 20 ? window.ws_col : 80;
    progress->shown_s = -plain_interval_s;
}

/* Case order is shuffled, so the mean cost so far is what the rest will cost. */
static void time_left(const struct progress *progress, char *text, size_t size) {
    if (progress->measured == 0 || progress->to_measure <= progress->measured) {
        (void)snprintf(text, size, "%s", progress->measured ? "" : "time left not known yet");
        return;
    }
    char duration[32];
    double each = (clock_s() - progress->started_s) / (double)progress->measured;
    progress_duration(each * (double)(progress->to_measure - progress->measured), duration,
                      sizeof duration);
    (void)snprintf(text, size, "about %s left", duration);
}

void progress_case(struct progress *progress, const char *name) {
    double now = clock_s();
    double interval = progress->terminal ? terminal_interval_s : plain_interval_s;
    char left[64];
    char head[128];
    if (!progress->stream || now - progress->shown_s < interval) {
        return;
    }
    progress->shown_s = now;
    time_left(progress, left, sizeof left);
    int used = snprintf(head, sizeof head, "[%zu/%zu] %s%s", progress->done + 1, progress->total,
                        left, *left ? ", " : "");
    if (progress->terminal) {
        /* What does not fit is cut from the front: cases differ at the end of their names. */
        int room = progress->columns - 1 - used;
        int length = (int)strlen(name);
        int cut = length > room && room > 2 ? length - room + 2 : 0;
        (void)fprintf(progress->stream, "\r\033[K%s%s%.*s", head, cut ? ".." : "",
                      room > 0 ? room : 0, name + cut);
        progress->line_open = true;
    } else {
        (void)fprintf(progress->stream, "%s%s\n", head, name);
    }
    (void)fflush(progress->stream);
}

void progress_add(struct progress *progress, size_t visits) {
    progress->total += visits;
    progress->to_measure += visits;
}

void progress_done(struct progress *progress, bool recorded) {
    progress->done++;
    progress->measured += !recorded;
}

static void clear_line(struct progress *progress) {
    if (progress->line_open) {
        (void)fputs("\r\033[K", progress->stream);
        progress->line_open = false;
    }
}

void progress_tell(struct progress *progress, const char *format, ...) {
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

void progress_end(struct progress *progress) {
    char duration[32];
    if (!progress->stream) {
        return;
    }
    clear_line(progress);
    progress_duration(clock_s() - progress->started_s, duration, sizeof duration);
    (void)fprintf(progress->stream, "[%zu/%zu] done in %s\n", progress->done, progress->total,
                  duration);
    (void)fflush(progress->stream);
}
