/* Prints how far a campaign is, and counts its failures. */
#include "campaign/progress.h"

#include "core/host.h"
#include "core/strings.h"
#include "measure/program.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const double plain_interval_s = 5.0;
static const double terminal_interval_s = 0.1;

struct quantity progress_duration(double seconds) {
    struct quantity words;
    long whole = seconds > 0 ? (long)fmin(seconds + 0.5, 1e15) : 0;
    if (whole >= 3600) {
        (void)snprintf(words.text, sizeof words.text, "%ld h %02ld min", whole / 3600,
                       whole % 3600 / 60);
    } else if (whole >= 60) {
        (void)snprintf(words.text, sizeof words.text, "%ld min %02ld s", whole / 60, whole % 60);
    } else {
        (void)snprintf(words.text, sizeof words.text, "%ld s", whole);
    }
    return words;
}

void progress_begin(struct progress *progress, FILE *stream, size_t total, size_t sweeps) {
    *progress = (struct progress){ .stream = stream, .sweeps = sweeps, .started_s = clock_s() };
    progress->terminal = stream && terminal_rewrites(stream);
    progress->shown_s = -plain_interval_s;
    progress_sweep(progress, 1, total);
}

void progress_sweep(struct progress *progress, size_t sweep, size_t total) {
    progress->sweep = sweep;
    progress->total = total;
    progress->done = 0;
    progress->sweep_s = clock_s();
}

/* The first sweep also compiles, computes the reference and passes the gate. A later one takes this
 * share of its time: 0.25 by PoCL on two cores, 0.5 by CUDA on an H200. */
static const double later_by_first = 0.35;

/* The mean time per visit of this sweep, times the visits left; negative: not known yet. */
static double seconds_left(const struct progress *progress) {
    if (progress->done == 0 || progress->done > progress->total) {
        return -1;
    }
    const double each_s = (clock_s() - progress->sweep_s) / (double)progress->done;
    const size_t sweeps =
        progress->sweeps > progress->sweep ? progress->sweeps - progress->sweep : 0;
    const double share = progress->sweep == 1 ? later_by_first : 1;
    return each_s * ((double)(progress->total - progress->done) +
                     share * (double)(sweeps * progress->total));
}

/* "[12/74] about 2 min 05 s left, "; of several sweeps "[sweep 2/3, 12/74] ...". */
static void describe_position(const struct progress *progress, char *text, size_t size) {
    const double left = seconds_left(progress);
    int used = 0;
    if (progress->sweep > progress->sweeps) {
        used = snprintf(text, size, "[again, ");
    } else if (progress->sweeps > 1) {
        used = snprintf(text, size, "[sweep %zu/%zu, ", progress->sweep, progress->sweeps);
    } else {
        used = snprintf(text, size, "[");
    }
    used += snprintf(text + used, size - (size_t)used, "%zu/%zu] ", progress->done + 1,
                     progress->total);
    (void)snprintf(text + used, size - (size_t)used,
                   left < 0 ? "estimating..., " : "about %s left, ", progress_duration(left).text);
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
        terminal_show_line(progress->stream, line);
        progress->line_open = true;
    } else {
        (void)fprintf(progress->stream, "%s%s\n", position, name);
        (void)fflush(progress->stream);
    }
}

void progress_done(struct progress *progress) {
    progress->done++;
}

void progress_clear(struct progress *progress) {
    if (progress->line_open) {
        terminal_clear_line(progress->stream);
        progress->line_open = false;
    }
}

void progress_print(struct progress *progress, const char *format, ...) {
    va_list arguments;
    if (!progress->stream) {
        return;
    }
    progress_clear(progress);
    va_start(arguments, format);
    (void)vfprintf(progress->stream, format, arguments);
    va_end(arguments);
    (void)fputc('\n', progress->stream);
    (void)fflush(progress->stream);
}

void progress_end(struct progress *progress, size_t recorded, size_t total) {
    if (!progress->stream) {
        return;
    }
    progress_clear(progress);
    (void)fprintf(progress->stream, "[%zu/%zu] %s %s\n", recorded, total,
                  recorded == total ? "done in" : "stopped after",
                  progress_duration(clock_s() - progress->started_s).text);
    (void)fflush(progress->stream);
}

/* ---- failures ---- */

enum { STATUSES = STATUS_SYSTEM + 1 };

struct failure_group {
    char *variant;
    size_t cases[STATUSES]; /* by status, those printed in full included */
};

static struct failure_group *find_group(const struct failures *failures, const char *variant) {
    for (size_t i = 0; i < failures->count; i++) {
        if (strcmp(failures->groups[i].variant, variant) == 0) {
            return &failures->groups[i];
        }
    }
    return NULL;
}

static struct failure_group *add_group(struct failures *failures, const char *variant) {
    failures->groups =
        memory_grown(failures->groups, failures->count + 1, sizeof *failures->groups);
    failures->groups[failures->count] = (struct failure_group){ .variant = memory_copy(variant) };
    return &failures->groups[failures->count++];
}

bool failures_note(struct failures *failures, const char *variant, enum status status) {
    struct failure_group *group = find_group(failures, variant);
    group = group ? group : add_group(failures, variant);
    return group->cases[status]++ == 0;
}

/* Counts the cases of a status that were not printed in full: all but the first. */
static size_t unreported(const struct failure_group *group, int status) {
    return group->cases[status] > 0 ? group->cases[status] - 1 : 0;
}

void failures_append_rest(const struct failures *failures, struct strbuf *text) {
    for (size_t i = 0; i < failures->count; i++) {
        const struct failure_group *group = &failures->groups[i];
        const char *separator = ": ";
        size_t rest = 0;
        for (int s = 0; s < STATUSES; s++) {
            rest += unreported(group, s);
        }
        if (rest == 0) {
            continue;
        }
        strbuf_append(text, "and %zu more case%s of %s", rest, rest == 1 ? "" : "s",
                      group->variant);
        for (int s = 0; s < STATUSES; s++) {
            if (unreported(group, s) > 0) {
                strbuf_append(text, "%s%s (%zu)", separator, status_name(s), unreported(group, s));
                separator = ", ";
            }
        }
        strbuf_append(text, "\n");
    }
}

void failures_free(struct failures *failures) {
    for (size_t i = 0; i < failures->count; i++) {
        free(failures->groups[i].variant);
    }
    free(failures->groups);
    *failures = (struct failures){ 0 };
}
