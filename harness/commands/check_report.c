#include "commands/check_parts.h"
#include "commands/command_parts.h"
#include "measure/program.h"

#include "core/host.h"
#include "core/output_file.h"
#include "core/quantity.h"
#include "core/strings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cases that had nothing to be wrong about ---- */

static void judged_free(struct judged_cases *judged) {
    free(judged->groups);
    free(judged->variants);
    *judged = (struct judged_cases){ 0 };
}

/* The group of a case, added where it is new; NULL when memory ran out. */
static struct judged_group *group_of(struct judged_cases *judged, const struct case_spec *spec,
                                     bool by_variant) {
    struct judged_group group = { .passed = 0 };
    if (by_variant) {
        (void)snprintf(group.name, sizeof group.name, "%s", spec->variant->name);
    } else {
        (void)snprintf(group.name, sizeof group.name, "%s, %s, %s", spec->variant->name,
                       spec->interaction.name, outputs_name(spec->outputs));
    }
    for (size_t i = 0; i < judged->group_count; i++) {
        if (strcmp(judged->groups[i].name, group.name) == 0) {
            return &judged->groups[i];
        }
    }
    judged->groups = memory_grown(judged->groups, judged->group_count + 1, sizeof group);
    judged->groups[judged->group_count] = group;
    return &judged->groups[judged->group_count++];
}

static struct judged_variant *variant_of(struct judged_cases *judged,
                                         const struct variant *variant) {
    for (size_t i = 0; i < judged->variant_count; i++) {
        if (judged->variants[i].variant == variant) {
            return &judged->variants[i];
        }
    }
    judged->variants =
        memory_grown(judged->variants, judged->variant_count + 1, sizeof *judged->variants);
    judged->variants[judged->variant_count] = (struct judged_variant){ .variant = variant };
    return &judged->variants[judged->variant_count++];
}

/* How a case came out, and what it took. */
static void judged_add(struct check_report *report, const struct case_spec *spec,
                       const struct verdict *verdict, double seconds) {
    struct judged_cases *judged = &report->judged;
    struct judged_variant *variant = variant_of(judged, spec->variant);
    variant->cases++;
    variant->seconds += seconds;
    if (verdict->status == STATUS_OK) {
        struct judged_group *group = group_of(judged, spec, report->by_variant);
        group->passed++;
        group->with_pairs += verdict->pairs_in_cutoff != 0;
    }
}

/* A line per group in which something passed and nothing was judged; returns how many. */
static size_t judged_append_empty(const struct judged_cases *judged, struct strbuf *lines) {
    size_t empty = 0;
    for (size_t i = 0; i < judged->group_count; i++) {
        const struct judged_group *group = &judged->groups[i];
        if (group->with_pairs == 0) {
            empty++;
            strbuf_append(lines,
                          "nothing was judged: %s: no pair is within the cutoff in any of the %zu "
                          "cases that passed\n",
                          group->name, group->passed);
        }
    }
    return empty;
}

/* A line per variant, in the order in which they ran: seconds and cases. */
static void judged_append_times(const struct judged_cases *judged, struct strbuf *lines) {
    for (size_t i = 0; i < judged->variant_count; i++) {
        const struct judged_variant *variant = &judged->variants[i];
        strbuf_append(lines, "%8.1f s  %s, %zu cases\n", variant->seconds, variant->variant->name,
                      variant->cases);
    }
}

/* ---- JUnit ---- */

static const char head[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pairmark check\"";

static bool is_ours(const char *begin) {
    return begins_with(begin, head);
}

static const struct output_kind junit_kind = { .what = "a report of pairmark check",
                                               .is_ours = is_ours };

bool junit_check(const char *path, struct error *error) {
    return output_check(path, &junit_kind, error) || fail_within(error, "--junit");
}

/* ---- members ---- */

static const char *text_of(struct json_object *object, const char *name) {
    struct json_object *member = NULL;
    return json_object_object_get_ex(object, name, &member) ? json_object_get_string(member) : "";
}

static double seconds_of(struct json_object *object) {
    struct json_object *member = NULL;
    return json_object_object_get_ex(object, "seconds", &member) ? json_object_get_double(member)
                                                                 : 0;
}

/* ---- what became of a case ---- */

/* The element for a status; NULL: it passed. */
static const char *element_of(const char *status) {
    static const struct {
        enum status status;
        const char *element;
    } elements[] = {
        { STATUS_OK, NULL },
        { STATUS_UNSUPPORTED, "skipped" },
        { STATUS_BAD_INPUT, "error" },
        { STATUS_SYSTEM, "error" },
    };
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        if (strcmp(status, status_name(elements[i].status)) == 0) {
            return elements[i].element;
        }
    }
    return "failure";
}

static void append_attribute(struct strbuf *xml, const char *name, const char *words) {
    strbuf_append(xml, " %s=\"", name);
    strbuf_append_markup(xml, words);
    strbuf_append(xml, "\"");
}

static void append_case(struct strbuf *xml, struct json_object *object) {
    const char *status = text_of(object, "status");
    const char *element = element_of(status);
    strbuf_append(xml, "    <testcase");
    append_attribute(xml, "classname", text_of(object, "variant"));
    append_attribute(xml, "name", text_of(object, "case"));
    strbuf_append(xml, " time=\"%.6f\"", seconds_of(object));
    if (!element) {
        strbuf_append(xml, "/>\n");
        return;
    }
    strbuf_append(xml, ">\n      <%s type=\"%s\"", element, status);
    append_attribute(xml, "message", text_of(object, "message"));
    strbuf_append(xml, "/>\n    </testcase>\n");
}

/* Counts cases `first` to `end` - 1, and so many failures besides. */
static void append_counts(struct strbuf *xml, struct json_object *cases, size_t first, size_t end,
                          size_t failures) {
    size_t errors = 0, skipped = 0;
    const size_t tests = end - first + failures;
    double seconds = 0;
    for (size_t i = first; i < end; i++) {
        struct json_object *object = json_object_array_get_idx(cases, i);
        const char *element = element_of(text_of(object, "status"));
        failures += element && strcmp(element, "failure") == 0;
        errors += element && strcmp(element, "error") == 0;
        skipped += element && strcmp(element, "skipped") == 0;
        seconds += seconds_of(object);
    }
    strbuf_append(xml,
                  " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.6f\">\n",
                  tests, failures, errors, skipped, seconds);
}

/* The cases from `first` on that ran on the same device; returns the first of another. */
static size_t append_suite(struct strbuf *xml, struct json_object *cases, size_t first) {
    const char *device = text_of(json_object_array_get_idx(cases, first), "device");
    const size_t count = json_object_array_length(cases);
    size_t end = first;
    while (end < count &&
           strcmp(text_of(json_object_array_get_idx(cases, end), "device"), device) == 0) {
        end++;
    }
    strbuf_append(xml, "  <testsuite");
    append_attribute(xml, "name", device);
    append_counts(xml, cases, first, end, 0);
    for (size_t i = first; i < end; i++) {
        append_case(xml, json_object_array_get_idx(cases, i));
    }
    strbuf_append(xml, "  </testsuite>\n");
    return end;
}

static void append_not_judged(struct strbuf *xml, struct json_object *empty) {
    const size_t count = json_object_array_length(empty);
    if (count == 0) {
        return;
    }
    strbuf_append(xml, "  <testsuite name=\"not judged\"");
    append_counts(xml, NULL, 0, 0, count);
    for (size_t i = 0; i < count; i++) {
        strbuf_append(xml, "    <testcase classname=\"pairmark\" name=\"something was judged\" "
                           "time=\"0\">\n      <failure type=\"not_judged\"");
        append_attribute(xml, "message",
                         json_object_get_string(json_object_array_get_idx(empty, i)));
        strbuf_append(xml, "/>\n    </testcase>\n");
    }
    strbuf_append(xml, "  </testsuite>\n");
}

/* One test suite per device and one test case per case: <skipped> where it is unsupported, <error>
 * where it never got to run (bad input, the system), <failure> where it failed otherwise. `cases`:
 * objects with case, device, variant, status, message, seconds. `empty`: texts, each a failure:
 * nothing was judged. STATUS_SYSTEM, STATUS_OUT_OF_MEMORY. */
static bool junit_write(const char *path, struct json_object *cases, struct json_object *empty,
                        struct error *error) {
    const size_t count = json_object_array_length(cases);
    struct strbuf xml = { 0 };
    strbuf_append(&xml, "%s", head);
    append_counts(&xml, cases, 0, count, json_object_array_length(empty));
    for (size_t i = 0; i < count;) {
        i = append_suite(&xml, cases, i);
    }
    append_not_judged(&xml, empty);
    strbuf_append(&xml, "</testsuites>\n");
    const bool written = output_write(path, &junit_kind, xml.data, xml.length, error);
    strbuf_free(&xml);
    return written || fail_within(error, "--junit");
}

/* ---- the command ---- */

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

void check_report_progress(size_t done, size_t total, const char *name) {
    char line[512];
    (void)snprintf(line, sizeof line, "[%zu/%zu] %s", done + 1, total, name);
    terminal_show_line(stderr, line);
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

static void add_case(const struct check_report *report, const struct case_spec *spec,
                     const char *name, const struct verdict *verdict, double seconds) {
    struct json_object *object = json_object_new_object();
    json_add_text(object, "case", name);
    json_add_text(object, "device", report->device->name);
    json_add_text(object, "driver", report->device->driver);
    json_add_verdict(object, verdict);
    json_add_number(object, "seconds", seconds);
    json_add_case(object, spec);
    json_object_array_add(report->cases, object);
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
    terminal_clear_line(stderr);
    (void)printf("%s %s", status_name(verdict->status), name);
    if (verdict->message[0]) {
        print_message(verdict, &report->log_last);
    } else if (isfinite(verdict->worst_ratio)) {
        (void)printf(": %s of the tolerance", quantity_ratio(verdict->worst_ratio).text);
    }
    (void)putchar('\n');
    (void)fflush(stdout);
}

void check_report_case(struct check_report *report, const struct case_spec *spec, const char *name,
                       const struct verdict *verdict, double seconds) {
    const bool failed = status_failed(verdict->status);
    count(report, verdict);
    judged_add(report, spec, verdict, seconds);
    if (report->cases) {
        add_case(report, spec, name, verdict, seconds);
    }
    if (report->json) {
        return;
    }
    bool first = failed && failures_note(&report->failures, spec->variant->name, verdict->status);
    if (first || report->verbose) {
        print_case(report, name, verdict);
    }
}

/* ---- a device ---- */

void check_report_begin_device(struct check_report *report, const struct device_info *device) {
    report->device = device;
    report->failed_before = report->failed;
}

/* Keeps each of the lines as a text. */
static void keep_lines(struct json_object *texts, const char *lines) {
    for (const char *line = lines; line && *line;) {
        const size_t length = strcspn(line, "\n");
        json_object_array_add(texts, json_object_new_string_len(line, (int)length));
        line += length + (line[length] == '\n');
    }
}

static void report_judged(struct check_report *report) {
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
    terminal_clear_line(stderr);
    if (!report->verbose) {
        failures_append_rest(&report->failures, &rest);
    }
    if (rest.data) {
        (void)printf("%s(--verbose prints each of them)\n", rest.data);
    }
    if (report->failed > report->failed_before && !report->json) {
        const struct device_info *device = report->device;
        (void)printf("failed on %s (%s), driver %s, %.*s\n", device->name, device->model,
                     device->driver, (int)strcspn(device->toolkit, ","), device->toolkit);
    }
    if (!report->stopped) {
        report_judged(report);
    }
    strbuf_free(&rest);
    failures_free(&report->failures);
    judged_free(&report->judged);
    report->device = NULL;
}

void check_report_left_out(struct check_report *report, const char *name,
                           const struct verdict *verdict) {
    if (!*report->left_out_first.message) {
        report->left_out_first = *verdict;
    }
    if (report->verbose && !report->json) {
        (void)printf("left out %s: %s\n", name, verdict->message);
    }
}

/* ---- the totals ---- */

static void print_json(const struct check_report *report, size_t left_out) {
    struct json_object *object = json_object_new_object();
    json_add_count(object, "passed", (int64_t)report->passed);
    json_add_count(object, "failed", (int64_t)report->failed);
    json_add_count(object, "unsupported", (int64_t)report->unsupported);
    json_add_count(object, "left_out", (int64_t)left_out);
    json_add_count(object, "not_judged", (int64_t)report->not_judged);
    if (report->seed) {
        json_add_count(object, "drawn_by_seed", (int64_t)*report->seed);
    }
    json_object_object_add(object, "not_judged_groups", json_object_get(report->empty));
    if (report->stopped) {
        json_add_flag(object, "stopped_at_first_failure", true);
    }
    json_object_object_add(object, "cases", json_object_get(report->cases));
    json_print(object);
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
