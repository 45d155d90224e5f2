#include "commands/judge_report.h"

#include "campaign/case_identity.h"
#include "commands/console/verdict_json.h"
#include "core/quantity.h"
#include "core/strings.h"

#include <json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Others that take more than this of a processor are reported. */
static const double load_told = 0.1;

static const char *speed_name(enum kernel_speed speed) {
    static const char *const names[] = { [KERNEL_NOT_TIMED] = "not_timed",
                                         [KERNEL_FASTER] = "faster",
                                         [KERNEL_SLOWER] = "slower",
                                         [KERNEL_UNDECIDED] = "undecided" };
    return names[speed];
}

static bool failed(enum status status) {
    return status != STATUS_OK && status != STATUS_UNSUPPORTED;
}

/* ---- reasons ---- */

typedef void reason_fn(void *context, const char *words);

static void give_failures(const struct kernel_verdict *verdict, reason_fn *give, void *context) {
    const char *last = "";
    for (size_t c = 0; c < verdict->count; c++) {
        const struct kernel_case *one = &verdict->cases[c];
        char name[1024];
        struct strbuf words = { 0 };
        if (!failed(one->verdict.status) || strcmp(one->verdict.message, last) == 0) {
            continue;
        }
        last = one->verdict.message;
        case_name(one->spec, name, sizeof name);
        strbuf_append(&words, "%s%s: %s: %s", status_name(one->verdict.status),
                      one->hidden ? ", over a hidden box" : "", name, one->verdict.message);
        give(context, words.data ? words.data : last);
        strbuf_free(&words);
    }
}

static void give_unsupported(const struct kernel_verdict *verdict, reason_fn *give, void *context) {
    if (verdict->status == STATUS_UNSUPPORTED && verdict->count > 0) {
        give(context, verdict->cases[0].verdict.message);
    }
}

/* What a verdict rests on, or fails by, a sentence each. */
static void give_reasons(const struct judge_result *result, reason_fn *give, void *context) {
    const struct kernel_verdict *verdict = result->verdict;
    char words[256];
    give_failures(verdict, give, context);
    give_unsupported(verdict, give, context);
    if (result->hidden == 0) {
        give(context, result->judging->plan->cases[0].box.path[0]
                          ? "no hidden boxes: boxes that are read have no seed"
                          : "no hidden boxes were asked for: --hidden 0");
    }
    if (verdict->speed == KERNEL_UNDECIDED) {
        give(context, "the ratio's interval includes 1: more --turns, a larger box or a quieter "
                      "machine may decide");
    }
    if (verdict->machine_load > load_told) {
        char load[QUANTITY_SIZE];
        quantity_percent(verdict->machine_load, load, sizeof load);
        (void)snprintf(words, sizeof words,
                       "other processes took up to %s of the processors while it was timed", load);
        give(context, words);
    }
}

/* ---- lines ---- */

static void print_reason(void *context, const char *words) {
    (void)context;
    (void)printf("  because     %s\n", words);
}

static size_t count_hidden(const struct kernel_verdict *verdict) {
    size_t hidden = 0;
    for (size_t c = 0; c < verdict->count; c++) {
        hidden += verdict->cases[c].hidden;
    }
    return hidden;
}

static void print_right(const struct judge_result *result) {
    const struct kernel_verdict *verdict = result->verdict;
    const char *right = verdict->status == STATUS_OK            ? "yes"
                        : verdict->status == STATUS_UNSUPPORTED ? "not known: unsupported here"
                                                                : "no";
    (void)printf("  correct     %s: %zu case%s", right, verdict->count,
                 verdict->count == 1 ? "" : "s");
    if (result->hidden > 0) {
        (void)printf(", %zu of them over hidden boxes (--hidden-seed %llu)", count_hidden(verdict),
                     (unsigned long long)result->hidden_seed);
    }
    (void)putchar('\n');
    (void)printf("  repeatable  %s\n", verdict->repeatable < 0    ? "not known"
                                       : verdict->repeatable == 1 ? "yes, bit by bit"
                                                                  : "no: within the tolerance");
}

static void print_times(const struct judge_result *result) {
    const struct kernel_verdict *verdict = result->verdict;
    for (size_t c = 0; c < verdict->count; c++) {
        const struct kernel_case *one = &verdict->cases[c];
        char name[1024], own[QUANTITY_SIZE], other[QUANTITY_SIZE], peak[QUANTITY_SIZE];
        if (isnan(one->seconds)) {
            continue;
        }
        case_name(one->spec, name, sizeof name);
        quantity_seconds(one->seconds, own, sizeof own);
        (void)printf("  time        %s", own);
        if (result->judging->baseline) {
            quantity_seconds(one->baseline_seconds, other, sizeof other);
            (void)printf(", %s %s", result->judging->baseline, other);
        }
        (void)printf("  (%s)\n", name);
        if (one->percent_of_peak > 0) {
            quantity_percent(0.01 * one->percent_of_peak, peak, sizeof peak);
            quantity_percent(0.01 * one->percent_of_roof, own, sizeof own);
            (void)printf("  limit       %s of the rate of multiply-adds; %s of what that rate and "
                         "the least traffic allow\n",
                         peak, own);
        }
    }
}

static size_t count_timed(const struct kernel_verdict *verdict) {
    size_t timed = 0;
    for (size_t c = 0; c < verdict->count; c++) {
        timed += !isnan(verdict->cases[c].seconds);
    }
    return timed;
}

static void print_speed(const struct judge_result *result) {
    const struct kernel_verdict *verdict = result->verdict;
    if (verdict->speed == KERNEL_NOT_TIMED) {
        (void)printf("  speed       not compared%s\n",
                     result->judging->baseline ? "" : ": no --baseline");
        return;
    }
    char ratio[QUANTITY_SIZE], low[QUANTITY_SIZE], high[QUANTITY_SIZE];
    quantity_ratio(verdict->ratio, ratio, sizeof ratio);
    quantity_ratio(verdict->low, low, sizeof low);
    quantity_ratio(verdict->high, high, sizeof high);
    (void)printf(
        "  speed       %s times that of %s (%s to %s with %.0f %% confidence, %d turns%s): "
        "%s\n",
        ratio, result->judging->baseline, low, high, 100 * kernel_confidence,
        result->judging->turns, count_timed(verdict) > 1 ? "; geometric mean over all cases" : "",
        speed_name(verdict->speed));
}

void judge_report_text(const struct judge_result *result) {
    (void)printf("%s: %s on %s (%s)\n", status_name(result->verdict->status), result->file,
                 result->device->name, result->device->model);
    print_right(result);
    print_times(result);
    print_speed(result);
    give_reasons(result, print_reason, NULL);
    (void)fflush(stdout);
}

/* ---- JSON ---- */

static void add_text(struct json_object *object, const char *name, const char *text) {
    json_object_object_add(object, name, json_object_new_string(text));
}

static void add_reason(void *context, const char *words) {
    json_object_array_add(context, json_object_new_string(words));
}

static bool add_case(struct json_object *cases, const struct kernel_case *one,
                     struct error *error) {
    struct json_object *object = json_object_new_object();
    char name[1024];
    case_name(one->spec, name, sizeof name);
    json_object_array_add(cases, object);
    add_text(object, "case", name);
    json_object_object_add(object, "hidden", json_object_new_boolean(one->hidden));
    verdict_json_add(object, &one->verdict);
    verdict_json_add_number(object, "force_s", one->seconds);
    verdict_json_add_number(object, "baseline_force_s", one->baseline_seconds);
    verdict_json_add_number(object, "percent_of_peak", one->percent_of_peak);
    verdict_json_add_number(object, "percent_of_roof", one->percent_of_roof);
    return verdict_json_add_case(object, one->spec, error);
}

/* true, false; null: not known. */
static void add_answer(struct json_object *object, const char *name, int answer) {
    json_object_object_add(object, name, answer < 0 ? NULL : json_object_new_boolean(answer));
}

static struct json_object *speed_object(const struct judge_result *result) {
    const struct kernel_verdict *verdict = result->verdict;
    struct json_object *object = json_object_new_object();
    add_text(object, "answer", speed_name(verdict->speed));
    if (result->judging->baseline) {
        add_text(object, "baseline", result->judging->baseline);
    }
    verdict_json_add_number(object, "ratio", verdict->ratio);
    verdict_json_add_number(object, "low", verdict->low);
    verdict_json_add_number(object, "high", verdict->high);
    verdict_json_add_number(object, "confidence", kernel_confidence);
    json_object_object_add(object, "turns", json_object_new_int(result->judging->turns));
    verdict_json_add_number(object, "machine_load", verdict->machine_load);
    return object;
}

bool judge_report_json(const struct judge_result *result, struct json_object *all,
                       struct error *error) {
    const struct kernel_verdict *verdict = result->verdict;
    struct json_object *object = json_object_new_object();
    struct json_object *reasons = json_object_new_array();
    struct json_object *cases = json_object_new_array();
    const bool known = verdict->status != STATUS_UNSUPPORTED;
    json_object_array_add(all, object);
    add_text(object, "kernel", result->file);
    add_text(object, "variant", result->judging->kernel);
    add_text(object, "device", result->device->name);
    add_text(object, "device_model", result->device->model);
    add_text(object, "verdict", status_name(verdict->status));
    add_answer(object, "correct", known ? verdict->status == STATUS_OK : -1);
    add_answer(object, "repeatable", verdict->repeatable);
    json_object_object_add(object, "speed", speed_object(result));
    json_object_object_add(object, "hidden_seed",
                           json_object_new_int64((int64_t)result->hidden_seed));
    give_reasons(result, add_reason, reasons);
    json_object_object_add(object, "reasons", reasons);
    json_object_object_add(object, "cases", cases);
    bool added = true;
    for (size_t c = 0; added && c < verdict->count; c++) {
        added = add_case(cases, &verdict->cases[c], error);
    }
    return added;
}
