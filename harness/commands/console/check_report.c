#include "commands/console/check_report.h"
#include "commands/console/junit.h"
#include "commands/console/verdict_json.h"
#include "core/quantity.h"
#include "core/strings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct check_report check_report_create(bool json, bool verbose, const char *junit) {
    const bool keeps = json || junit;
    return (struct check_report){ .verbose = verbose,
                                  .json = json,
                                  .junit = junit,
                                  .cases = keeps ? json_object_new_array() : NULL,
                                  .empty = keeps ? json_object_new_array() : NULL };
}

void check_report_free(struct check_report *report) {
    json_object_put(report->cases);
    json_object_put(report->empty);
    failures_free(&report->failures);
    judged_free(&report->judged);
}

/* ---- progress ---- */

static void clear_progress(void) {
    if (isatty(STDERR_FILENO)) {
        (void)fprintf(stderr, "\r\033[K");
    }
}

void check_report_progress(const struct check_report *report, size_t done, size_t total,
                           const char *name) {
    (void)report;
    if (isatty(STDERR_FILENO)) {
        (void)fprintf(stderr, "\r\033[K[%zu/%zu] %.60s", done + 1, total, name);
    }
}

/* ---- a case ---- */

static void count(struct check_report *report, const struct verdict *verdict) {
    if (verdict->status == STATUS_OK) {
        report->passed++;
    } else if (verdict->status == STATUS_UNSUPPORTED) {
        if (report->unsupported++ == 0) {
            report->unsupported_first = *verdict;
        }
    } else {
        report->failed++;
        report->bad_input += verdict->status == STATUS_BAD_INPUT;
        report->system += verdict->status == STATUS_SYSTEM;
    }
}

static bool add_case(const struct check_report *report, const struct case_spec *spec,
                     const char *name, const struct verdict *verdict, double seconds,
                     struct error *error) {
    struct json_object *object = json_object_new_object();
    json_object_object_add(object, "case", json_object_new_string(name));
    json_object_object_add(object, "device", json_object_new_string(report->device));
    verdict_json_add(object, verdict);
    verdict_json_add_number(object, "seconds", seconds);
    const bool added = verdict_json_add_case(object, spec, error);
    json_object_array_add(report->cases, object);
    return added;
}

/* One compiler log for many cases is printed once, also of those that are printed in full. */
static void print_message(const struct verdict *verdict, struct verdict *log_last) {
    if (strcmp(verdict->message, log_last->message) == 0) {
        (void)printf(": the same as above");
        return;
    }
    (void)printf(": %s", verdict->message);
    if (strchr(verdict->message, '\n')) {
        *log_last = *verdict;
    }
}

static void print_case(struct check_report *report, const char *name,
                       const struct verdict *verdict) {
    clear_progress();
    (void)printf("%s %s", status_name(verdict->status), name);
    if (verdict->message[0]) {
        print_message(verdict, &report->log_last);
    } else if (isfinite(verdict->worst_ratio)) {
        char ratio[QUANTITY_SIZE];
        quantity_ratio(verdict->worst_ratio, ratio, sizeof ratio);
        (void)printf(": %s of the tolerance", ratio);
    }
    (void)putchar('\n');
    (void)fflush(stdout);
}

bool check_report_case(struct check_report *report, const struct case_spec *spec, const char *name,
                       const struct verdict *verdict, double seconds, struct error *error) {
    bool failed = verdict->status != STATUS_OK && verdict->status != STATUS_UNSUPPORTED;
    count(report, verdict);
    if (report->cases && !add_case(report, spec, name, verdict, seconds, error)) {
        return false;
    }
    if (report->json) {
        return judged_add(&report->judged, spec, verdict, seconds, error);
    }
    bool first = failed && failures_note(&report->failures, spec->variant->name, verdict->status);
    if (first || report->verbose) {
        print_case(report, name, verdict);
    }
    return judged_add(&report->judged, spec, verdict, seconds, error);
}

/* ---- a device ---- */

void check_report_begin_device(struct check_report *report, const char *device) {
    report->device = device;
}

/* Keeps each of the lines as a text. */
static void keep_lines(struct json_object *texts, const char *lines) {
    for (const char *line = lines; line && *line;) {
        const size_t length = strcspn(line, "\n");
        json_object_array_add(texts, json_object_new_string_len(line, (int)length));
        line += length + (line[length] == '\n');
    }
}

static void tell_judged(struct check_report *report) {
    struct strbuf lines = { 0 };
    report->not_judged += judged_append_empty(&report->judged, &lines);
    if (report->empty) {
        keep_lines(report->empty, lines.data);
    }
    if (report->verbose) {
        judged_append_times(&report->judged, &lines);
    }
    if (lines.data && !report->json) {
        (void)fputs(lines.data, stdout);
    }
    strbuf_free(&lines);
}

void check_report_end_device(struct check_report *report) {
    struct strbuf rest = { 0 };
    clear_progress();
    if (!report->verbose) {
        failures_append_rest(&report->failures, &rest);
    }
    if (rest.data) {
        (void)printf("%s(--verbose prints each of them)\n", rest.data);
    }
    if (!report->stopped) {
        tell_judged(report);
    }
    strbuf_free(&rest);
    failures_free(&report->failures);
    judged_free(&report->judged);
    report->device = NULL;
}

/* ---- the totals ---- */

static void print_json(const struct check_report *report, size_t left_out) {
    struct json_object *object = json_object_new_object();
    json_object_object_add(object, "passed", json_object_new_int64((int64_t)report->passed));
    json_object_object_add(object, "failed", json_object_new_int64((int64_t)report->failed));
    json_object_object_add(object, "unsupported",
                           json_object_new_int64((int64_t)report->unsupported));
    json_object_object_add(object, "left_out", json_object_new_int64((int64_t)left_out));
    json_object_object_add(object, "not_judged",
                           json_object_new_int64((int64_t)report->not_judged));
    json_object_object_add(object, "not_judged_groups", json_object_get(report->empty));
    if (report->stopped) {
        json_object_object_add(object, "stopped_at_first_failure", json_object_new_boolean(true));
    }
    json_object_object_add(object, "cases", json_object_get(report->cases));
    (void)puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
                                                          JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(object);
}

static void print_totals(const struct check_report *report) {
    if (report->stopped) {
        (void)printf(
            "stopped at the first failure (--fail-fast): the cases after it were not checked\n");
    }
    (void)printf("%zu passed, %zu failed, %zu unsupported\n", report->passed, report->failed,
                 report->unsupported);
}

bool check_report_totals(const struct check_report *report, size_t left_out, struct error *error) {
    if (report->json) {
        print_json(report, left_out);
    } else {
        print_totals(report);
    }
    return !report->junit || junit_write(report->junit, report->cases, report->empty, error);
}
