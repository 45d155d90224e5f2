#include "campaign/progress.h"

#include "campaign/campaign_parts.h"
#include "campaign/memory.h"
#include "core/host.h"
#include "core/strings.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

void progress_begin(struct progress *progress, FILE *stream, size_t total, size_t sweeps) {
    *progress = (struct progress){
        .stream = stream, .total = total, .sweeps = sweeps, .started_s = clock_s()
    };
    progress->terminal = stream && terminal_rewrites(stream);
    progress->shown_s = -plain_interval_s;
}

static double seconds_left(const struct progress *progress) {
    const double elapsed = clock_s() - progress->started_s;
    const size_t total = progress->total * progress->sweeps;
    if (progress->left) {
        return progress->left(progress->context, elapsed);
    }
    return progress->done == 0 || progress->done > total
               ? -1
               : elapsed * (double)(total - progress->done) / (double)progress->done;
}

/* "[12/74] about 2 min 05 s left, "; of several sweeps "[sweep 2/3, 12/74] ...". */
static void describe_position(const struct progress *progress, char *text, size_t size) {
    char duration[32];
    const double left = seconds_left(progress);
    const size_t total = progress->total > 0 ? progress->total : 1;
    int used = 0;
    progress_duration(left, duration, sizeof duration);
    if (progress->again > 0 && progress->done >= total * progress->sweeps) {
        used = snprintf(text, size, "[again, %zu/%zu] ",
                        progress->done + 1 - total * progress->sweeps, progress->again);
    } else if (progress->sweeps > 1) {
        used = snprintf(text, size, "[sweep %zu/%zu, %zu/%zu] ", progress->done / total + 1,
                        progress->sweeps, progress->done % total + 1, total);
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
        terminal_show_line(progress->stream, line);
        progress->line_open = true;
    } else {
        (void)fprintf(progress->stream, "%s%s\n", position, name);
        (void)fflush(progress->stream);
    }
}

void progress_add(struct progress *progress, size_t visits) {
    progress->again += visits;
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
    char duration[32];
    if (!progress->stream) {
        return;
    }
    progress_clear(progress);
    progress_duration(clock_s() - progress->started_s, duration, sizeof duration);
    (void)fprintf(progress->stream, "[%zu/%zu] %s %s\n", recorded, total,
                  recorded == total ? "done in" : "stopped after", duration);
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

/* NULL when memory ran out. */
static struct failure_group *add_group(struct failures *failures, const char *variant) {
    struct failure_group *groups =
        memory_grown(failures->groups, failures->count + 1, sizeof *groups);
    if (!groups) {
        return NULL;
    }
    failures->groups = groups;
    groups[failures->count] = (struct failure_group){ .variant = memory_copy(variant) };
    return groups[failures->count].variant ? &groups[failures->count++] : NULL;
}

bool failures_note(struct failures *failures, const char *variant, enum status status) {
    struct failure_group *group = find_group(failures, variant);
    group = group ? group : add_group(failures, variant);
    return !group || group->cases[status]++ == 0;
}

/* Of one status, how many were not printed in full. */
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

/* ---- signals ---- */

static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGXFSZ };

enum { CAUGHT = sizeof caught / sizeof caught[0], NOTED = CAUGHT - 1 };

/* A signal handler can speak to the rest of the process through nothing else. */
static volatile sig_atomic_t noted_signal;

static void note(int number) {
    noted_signal = number;
}

void campaign_signals_catch(struct campaign_signals *signals) {
    struct sigaction action;
    noted_signal = 0;
    for (int i = 0; i < CAUGHT; i++) {
        memset(&action, 0, sizeof action);
        (void)sigemptyset(&action.sa_mask);
        action.sa_handler = i < NOTED ? note : SIG_IGN;
        action.sa_flags = i < NOTED ? (int)SA_RESETHAND : 0;
        (void)sigaction(caught[i], NULL, &signals->before[i]);
        /* What was ignored stays so: nohup means it. */
        if (signals->before[i].sa_handler != SIG_IGN) {
            (void)sigaction(caught[i], &action, NULL);
        }
    }
}

int campaign_signals_noted(void) {
    return noted_signal;
}

void campaign_signals_restore(const struct campaign_signals *signals) {
    for (int i = 0; i < CAUGHT; i++) {
        (void)sigaction(caught[i], &signals->before[i], NULL);
    }
}

/* Where nothing else is known: measured on two cores by PoCL and on an H200 by CUDA, where kinds
 * differ by about as much. */
static const double later_by_first = 0.6;
static const double first_by_compiling = 0.25;
static const double growth = 0.5; /* seconds go with this power of the number of particles */
/* First visits, with compiling, and later ones: on two cores by PoCL and on an H200 by CUDA. */
static const double first_cpu_s = 2.0, later_cpu_s = 0.5;
static const double first_gpu_s = 0.4, later_gpu_s = 0.2;

static struct estimate_size *size_of(struct estimate *estimate, size_t n) {
    size_t i = 0;
    while (i < estimate->size_count && estimate->sizes[i].n != n) {
        i++;
    }
    if (i == ESTIMATE_SIZES) {
        return &estimate->sizes[ESTIMATE_SIZES - 1];
    }
    if (i == estimate->size_count) {
        estimate->sizes[i].n = n;
        estimate->size_count++;
    }
    return &estimate->sizes[i];
}

void estimate_add(struct estimate *estimate, size_t n, enum visit_kind kind, double seconds) {
    struct estimate_size *size = size_of(estimate, n);
    size->seconds[kind] += seconds;
    size->count[kind]++;
    estimate->seconds += seconds;
}

void estimate_add_case(struct estimate *estimate, size_t n, size_t visits) {
    struct estimate_size *size = size_of(estimate, n);
    size->cases++;
    size->visits += visits;
}

static double log_of(size_t n) {
    return log((double)(n > 0 ? n : 1));
}

/* The mean at the nearest number of particles, scaled to n; 0: none of the kind. */
static double scaled_mean(const struct estimate *estimate, size_t n, enum visit_kind kind) {
    double nearest = INFINITY;
    double mean = 0;
    for (size_t i = 0; i < estimate->size_count; i++) {
        const struct estimate_size *size = &estimate->sizes[i];
        const double further = log_of(n) - log_of(size->n);
        if (size->count[kind] > 0 && fabs(further) < nearest) {
            nearest = fabs(further);
            mean = size->seconds[kind] / (double)size->count[kind] * exp(growth * further);
        }
    }
    return mean;
}

static double first_visit(const struct estimate *estimate, size_t n) {
    const double first = scaled_mean(estimate, n, VISIT_FIRST);
    return first > 0 ? first : first_by_compiling * scaled_mean(estimate, n, VISIT_COMPILING);
}

/* What is expected counts as one measured visit more: the first later one of a size is often dear.
 */
static double later_visit(const struct estimate *estimate, size_t n, double expected) {
    for (size_t i = 0; i < estimate->size_count; i++) {
        const struct estimate_size *size = &estimate->sizes[i];
        if (size->n == n) {
            return (expected + size->seconds[VISIT_LATER]) / (double)(1 + size->count[VISIT_LATER]);
        }
    }
    return expected;
}

double estimate_visit(const struct estimate *estimate, size_t n, enum visit_kind kind) {
    if (kind == VISIT_COMPILING) {
        return first_visit(estimate, n) + estimate_compiling(estimate);
    }
    const double first = first_visit(estimate, n);
    if (first <= 0) {
        return scaled_mean(estimate, n, VISIT_LATER);
    }
    return kind == VISIT_FIRST ? first : later_visit(estimate, n, later_by_first * first);
}

double estimate_compiling(const struct estimate *estimate) {
    double seconds = 0;
    size_t count = 0;
    for (size_t i = 0; i < estimate->size_count; i++) {
        const struct estimate_size *size = &estimate->sizes[i];
        seconds += size->seconds[VISIT_COMPILING] -
                   (double)size->count[VISIT_COMPILING] * first_visit(estimate, size->n);
        count += size->count[VISIT_COMPILING];
    }
    return count > 0 && seconds > 0 ? seconds / (double)count : 0;
}

double estimate_restarting(const struct estimate *estimate) {
    double excess = 0;
    size_t count = 0;
    for (size_t i = 0; i < estimate->size_count; i++) {
        const struct estimate_size *size = &estimate->sizes[i];
        excess +=
            size->seconds[VISIT_RESTARTING] -
            (double)size->count[VISIT_RESTARTING] * estimate_visit(estimate, size->n, VISIT_LATER);
        count += size->count[VISIT_RESTARTING];
    }
    return count > 0 && excess > 0 ? excess / (double)count : 0;
}

double estimate_before(bool is_cpu, size_t cases, size_t visits) {
    const double later =
        (is_cpu ? later_cpu_s : later_gpu_s) * (double)(visits > 0 ? visits - 1 : 0);
    return (double)cases * ((is_cpu ? first_cpu_s : first_gpu_s) + later);
}

double estimate_visits(const struct estimate *estimate, size_t n, size_t most) {
    for (size_t i = 0; i < estimate->size_count; i++) {
        const struct estimate_size *size = &estimate->sizes[i];
        if (size->n == n && size->cases > 0) {
            return (double)size->visits / (double)size->cases;
        }
    }
    return (double)most;
}

/* ---- the time that a campaign still takes ---- */

/* Whether one program serves both. Of what distinguishes programs, this is what axes often span. */
static bool is_same_kernel(const struct campaign *campaign, const struct entry *one,
                           const struct entry *other) {
    const struct case_spec *left = spec_of(campaign, one);
    const struct case_spec *right = spec_of(campaign, other);
    return one->part == other->part && left->variant == right->variant &&
           left->precision == right->precision && left->outputs == right->outputs;
}

void campaign_begin_estimate(struct campaign *campaign) {
    for (size_t e = 0; e < campaign->count; e++) {
        size_t first = 0;
        while (!is_same_kernel(campaign, &campaign->entries[first], &campaign->entries[e])) {
            first++;
        }
        campaign->entries[e].kernel = first;
    }
    for (size_t u = 0; u < campaign->count * campaign->repetitions; u++) {
        const size_t e = u / campaign->repetitions;
        struct entry *first = &campaign->entries[campaign->entries[e].kernel];
        const bool opens =
            campaign->chosen[e] && !campaign->units[u].has_row && !first->kernel_left;
        first->kernel_left = first->kernel_left || opens;
        campaign->kernels_left += opens;
    }
}

void campaign_add_to_estimate(struct campaign *campaign, const struct entry *entry,
                              const struct unit *unit, double seconds) {
    const size_t n = spec_of(campaign, entry)->box.n;
    struct entry *first = &campaign->entries[entry->kernel];
    enum visit_kind kind = unit->visits.count > 1 ? VISIT_LATER : VISIT_FIRST;
    if (first->kernel_left) {
        first->kernel_left = false;
        campaign->kernels_left--;
        kind = kind == VISIT_FIRST ? VISIT_COMPILING : kind;
    }
    size_t *reached = &campaign->reached[entry->part];
    if (unit->visits.count > *reached) {
        *reached = unit->visits.count;
        kind = kind == VISIT_LATER ? VISIT_RESTARTING : kind;
    }
    estimate_add(&campaign->estimate, n, kind, seconds);
    if (unit->visits.count == 1) {
        estimate_add_case(&campaign->estimate, n,
                          visits_wanted(&unit->visits, campaign->visits,
                                        campaign->settings->sampling.time_cap_s));
    }
}

/* A unit that all sweeps leave unclear is visited once more, at least. */
static double unit_left(const struct campaign *campaign, size_t n, const struct unit *unit) {
    const struct visits *visits = &unit->visits;
    const struct estimate *estimate = &campaign->estimate;
    const double later = estimate_visit(estimate, n, VISIT_LATER);
    if (visits->count == 0) {
        return estimate_visit(estimate, n, VISIT_FIRST) +
               later * (estimate_visits(estimate, n, campaign->visits) - 1);
    }
    const bool again = visits->count >= campaign->visits && unit->wanted > visits->count;
    const size_t wanted = visits_wanted(visits, again ? visits->count + 1 : campaign->visits,
                                        campaign->settings->sampling.time_cap_s);
    return wanted > visits->count ? later * (double)(wanted - visits->count) : 0;
}

void campaign_say_expected(struct campaign *campaign) {
    char duration[32];
    double seconds = 0;
    for (size_t u = 0; u < campaign->count * campaign->repetitions; u++) {
        const struct entry *entry = &campaign->entries[u / campaign->repetitions];
        if (campaign->chosen[u / campaign->repetitions] && !campaign->units[u].has_row) {
            seconds +=
                estimate_before(campaign->parts[entry->part].info.is_cpu, 1, campaign->visits);
        }
    }
    progress_duration(seconds / (double)(campaign->lanes > 0 ? campaign->lanes : 1), duration,
                      sizeof duration);
    progress_print(&campaign->progress,
                   "expected to take about %s, more exactly from the first visits on", duration);
}

double campaign_seconds_left(void *context, double elapsed_s) {
    const struct campaign *campaign = context;
    const struct estimate *estimate = &campaign->estimate;
    double left = (double)campaign->kernels_left * estimate_compiling(estimate);
    if (estimate->seconds <= 0) {
        return -1;
    }
    for (size_t u = 0; u < campaign->count * campaign->repetitions; u++) {
        const size_t e = u / campaign->repetitions;
        const struct entry *entry = &campaign->entries[e];
        if (campaign->chosen[e] && !campaign->units[u].has_row && !campaign->lost[entry->part]) {
            left += unit_left(campaign, spec_of(campaign, entry)->box.n, &campaign->units[u]);
        }
    }
    for (size_t p = 0; p < campaign->part_count; p++) {
        left +=
            campaign->visits > campaign->reached[p] && !campaign->lost[p]
                ? (double)(campaign->visits - campaign->reached[p]) * estimate_restarting(estimate)
                : 0;
    }
    /* Several devices at the same time take less, what is between visits adds to it. */
    return left * elapsed_s / estimate->seconds;
}
