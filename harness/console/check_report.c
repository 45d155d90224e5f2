#include "console/check_report.h"
#include "base/strbuf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct check_report check_report_create(bool json, bool verbose) {
    return (struct check_report){ .verbose = verbose,
                                  .cases = json ? json_object_new_array() : NULL };
}

void check_report_free(struct check_report *report) {
    json_object_put(report->cases);
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

static void add_number(struct json_object *object, const char *name, double value) {
    if (isfinite(value)) {
        struct json_object *number = json_object_new_double(value);
        json_object_set_serializer(number, json_object_double_to_json_string, (void *)"%.6g", NULL);
        json_object_object_add(object, name, number);
    }
}

static void add_case(const struct check_report *report, const char *name,
                     const struct verdict *verdict, double seconds) {
    struct json_object *object = json_object_new_object();
    json_object_object_add(object, "case", json_object_new_string(name));
    json_object_object_add(object, "device", json_object_new_string(report->device));
    json_object_object_add(object, "status", json_object_new_string(status_name(verdict->status)));
    if (verdict->message[0]) {
        json_object_object_add(object, "message", json_object_new_string(verdict->message));
    }
    add_number(object, "worst_ratio", verdict->worst_ratio);
    add_number(object, "max_force_error", verdict->max_force_error);
    add_number(object, "rms_force_error", verdict->rms_force_error);
    add_number(object, "energy_error", verdict->energy_error);
    add_number(object, "virial_error", verdict->virial_error);
    add_number(object, "seconds", seconds);
    if (verdict->pairs_in_cutoff >= 0) {
        json_object_object_add(object, "pairs_in_cutoff",
                               json_object_new_int64(verdict->pairs_in_cutoff));
    }
    if (verdict->judged.rest[0]) {
        json_object_object_add(object, "judged_particles",
                               json_object_new_int64(verdict->judged.particles));
        json_object_object_add(object, "judge_seed", json_object_new_int64(verdict->judged.seed));
        json_object_object_add(object, "judged_rest", json_object_new_string(verdict->judged.rest));
    }
    if (verdict->bitwise_repeatable >= 0) {
        json_object_object_add(object, "bitwise_repeatable",
                               json_object_new_boolean(verdict->bitwise_repeatable));
    }
    json_object_array_add(report->cases, object);
}

/* One compiler log for many cases is printed once, of those that are told in full, too. */
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
        (void)printf(": %.3g of the tolerance", verdict->worst_ratio);
    }
    (void)putchar('\n');
    (void)fflush(stdout);
}

bool check_report_case(struct check_report *report, const struct case_spec *spec, const char *name,
                       const struct verdict *verdict, double seconds, struct error *error) {
    bool failed = verdict->status != STATUS_OK && verdict->status != STATUS_UNSUPPORTED;
    count(report, verdict);
    if (report->cases) {
        add_case(report, name, verdict, seconds);
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

static void tell_judged(struct check_report *report) {
    struct strbuf lines = { 0 };
    report->not_judged += judged_append_empty(&report->judged, &lines);
    if (report->verbose) {
        judged_append_times(&report->judged, &lines);
    }
    if (lines.data && !report->cases) {
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
        (void)printf("%s(--verbose tells each of them)\n", rest.data);
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
    if (report->stopped) {
        json_object_object_add(object, "stopped_at_first_failure", json_object_new_boolean(true));
    }
    json_object_object_add(object, "cases", json_object_get(report->cases));
    (void)puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
                                                          JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(object);
}

void check_report_totals(const struct check_report *report, size_t left_out) {
    if (report->cases) {
        print_json(report, left_out);
        return;
    }
    if (report->stopped) {
        (void)printf(
            "stopped at the first failure (--fail-fast): the cases after it were not checked\n");
    }
    (void)printf("%zu passed, %zu failed, %zu unsupported\n", report->passed, report->failed,
                 report->unsupported);
}
