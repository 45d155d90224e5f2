#include "commands/console/junit.h"

#include "core/output_file.h"
#include "core/strings.h"

#include <stdio.h>
#include <string.h>

static const char head[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pairmark check\"";

static bool is_ours(const char *begin) {
    return strncmp(begin, head, sizeof head - 1) == 0;
}

static const struct output_kind junit_kind = { .what = "a report of pairmark check",
                                               .is_ours = is_ours };

bool junit_check(const char *path, struct error *error) {
    return output_check(path, &junit_kind, error) || fail_within(error, "--junit");
}

/* ---- text ---- */

/* For an attribute or between tags; a line's end is kept as a character reference. */
static void append_text(struct strbuf *xml, const char *words) {
    for (const char *c = words; *c; c++) {
        switch (*c) {
        case '&':
            strbuf_append(xml, "&amp;");
            break;
        case '<':
            strbuf_append(xml, "&lt;");
            break;
        case '>':
            strbuf_append(xml, "&gt;");
            break;
        case '"':
            strbuf_append(xml, "&quot;");
            break;
        case '\n':
            strbuf_append(xml, "&#10;");
            break;
        default: /* XML has no other control characters */
            strbuf_append_bytes(xml, (unsigned char)*c < ' ' && *c != '\t' ? "?" : c, 1);
        }
    }
}

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

static void append_case(struct strbuf *xml, struct json_object *object) {
    const char *status = text_of(object, "status");
    const char *element = element_of(status);
    strbuf_append(xml, "    <testcase classname=\"");
    append_text(xml, text_of(object, "variant"));
    strbuf_append(xml, "\" name=\"");
    append_text(xml, text_of(object, "case"));
    strbuf_append(xml, "\" time=\"%.6f\"", seconds_of(object));
    if (!element) {
        strbuf_append(xml, "/>\n");
        return;
    }
    strbuf_append(xml, ">\n      <%s type=\"%s\" message=\"", element, status);
    append_text(xml, text_of(object, "message"));
    strbuf_append(xml, "\"/>\n    </testcase>\n");
}

static void append_empty(struct strbuf *xml, const char *words) {
    strbuf_append(xml,
                  "    <testcase classname=\"pairmark\" name=\"something was judged\" time=\"0\">\n"
                  "      <failure type=\"not_judged\" message=\"");
    append_text(xml, words);
    strbuf_append(xml, "\"/>\n    </testcase>\n");
}

/* ---- counts ---- */

struct counts {
    size_t tests, failures, errors, skipped;
    double seconds;
};

static void count_case(struct json_object *object, struct counts *counts) {
    const char *element = element_of(text_of(object, "status"));
    counts->tests++;
    counts->failures += element && strcmp(element, "failure") == 0;
    counts->errors += element && strcmp(element, "error") == 0;
    counts->skipped += element && strcmp(element, "skipped") == 0;
    counts->seconds += seconds_of(object);
}

static void append_counts(struct strbuf *xml, const struct counts *counts) {
    strbuf_append(
        xml, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.6f\">\n",
        counts->tests, counts->failures, counts->errors, counts->skipped, counts->seconds);
}

/* ---- suites ---- */

/* The cases from `first` on that ran on the same device; returns the first of another. */
static size_t append_suite(struct strbuf *xml, struct json_object *cases, size_t first) {
    const char *device = text_of(json_object_array_get_idx(cases, first), "device");
    const size_t count = json_object_array_length(cases);
    struct counts counts = { 0 };
    size_t end = first;
    while (end < count &&
           strcmp(text_of(json_object_array_get_idx(cases, end), "device"), device) == 0) {
        count_case(json_object_array_get_idx(cases, end++), &counts);
    }
    strbuf_append(xml, "  <testsuite name=\"");
    append_text(xml, device);
    strbuf_append(xml, "\"");
    append_counts(xml, &counts);
    for (size_t i = first; i < end; i++) {
        append_case(xml, json_object_array_get_idx(cases, i));
    }
    strbuf_append(xml, "  </testsuite>\n");
    return end;
}

static void append_not_judged(struct strbuf *xml, struct json_object *empty) {
    const size_t count = json_object_array_length(empty);
    const struct counts counts = { .tests = count, .failures = count };
    if (count == 0) {
        return;
    }
    strbuf_append(xml, "  <testsuite name=\"not judged\"");
    append_counts(xml, &counts);
    for (size_t i = 0; i < count; i++) {
        append_empty(xml, json_object_get_string(json_object_array_get_idx(empty, i)));
    }
    strbuf_append(xml, "  </testsuite>\n");
}

bool junit_write(const char *path, struct json_object *cases, struct json_object *empty,
                 struct error *error) {
    const size_t count = json_object_array_length(cases);
    const size_t not_judged = json_object_array_length(empty);
    struct strbuf xml = { 0 };
    struct counts counts = { .tests = not_judged, .failures = not_judged };
    for (size_t i = 0; i < count; i++) {
        count_case(json_object_array_get_idx(cases, i), &counts);
    }
    strbuf_append(&xml, "%s", head);
    append_counts(&xml, &counts);
    for (size_t i = 0; i < count;) {
        i = append_suite(&xml, cases, i);
    }
    append_not_judged(&xml, empty);
    strbuf_append(&xml, "</testsuites>\n");
    const bool written = xml.failed ? fail_out_of_memory(error, path)
                                    : output_write(path, &junit_kind, xml.data, xml.length, error);
    strbuf_free(&xml);
    return written || fail_within(error, "--junit");
}
