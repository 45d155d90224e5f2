#include "commands/command_parts.h"

#include "core/quantity.h"
#include "kernels/schedule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TABLE_COLUMNS = 80, NAME_COLUMNS = 23 };

static const struct case_spec *case_of(const struct best_report *report,
                                       const struct best_candidate *candidate) {
    return tuning_request_case(report->request, candidate->question);
}

static const struct case_spec *timed_case(const struct best_report *report,
                                          const struct best_candidate *candidate) {
    return &report->request->sweep.plan.cases[candidate->case_index];
}

enum { CANDIDATE_SIZE = 3 * VARIANT_NAME_SIZE };

/* The variant, and what computes the reciprocal part of an Ewald sum where steps have one. */
static const char *name_of(const struct best_report *report, const struct best_candidate *candidate,
                           char name[CANDIDATE_SIZE]) {
    const struct case_spec *spec = case_of(report, candidate);
    const struct long_range *with = &spec->long_range;
    (void)snprintf(name, CANDIDATE_SIZE, "%s%s%s%s", spec->variant->name, with->variant ? "+" : "",
                   with->variant ? with->variant->name : "", with->streams > 1 ? ":STREAMS=2" : "");
    return name;
}

static void describe_case(const struct case_spec *spec, struct strbuf *words) {
    strbuf_append(words, "%s of %s, N = %zu, %s", spec->variant->workload->name,
                  *spec->box.path ? spec->box.path : spec->box.kind, spec->box.n,
                  precision_name(spec->precision));
    if (box_spec_is_open(&spec->box)) {
        strbuf_append(words, ", ");
        command_append_open(&spec->box, words);
    }
    if (axis_is_of(AXIS_CUTOFF, spec->variant->workload)) {
        strbuf_append(words, ", cutoff ");
        cutoff_append(words, spec->cutoff, 6);
    }
    strbuf_append(words, ", ");
    interaction_describe(&spec->interaction, words);
    strbuf_append(words, ", outputs %s", outputs_name(spec->outputs));
}

/* Steps that what is built lasts for; NaN: nothing is, or it does not count. */
static double steps_of(const struct best_report *report, const struct best_candidate *candidate) {
    return report->time == BEST_WHOLE_STEP ? report->steps_per_list[candidate->case_index]
           : candidate->time.builds > 0    ? 1 / candidate->time.builds
                                           : NAN;
}

/* ---- what is asked ---- */

static void print_question(const struct best_report *report, const char *workload) {
    switch (report->time) {
    case BEST_EVALUATION:
        (void)printf("time of one evaluation of %s; building is not counted\n", workload);
        break;
    case BEST_STATED:
        (void)printf("time per step: %s, and building shared over %g steps "
                     "(--steps-per-build)\n",
                     workload, report->steps_per_build);
        break;
    case BEST_MEASURED:
        (void)printf("time per step: %s, and building shared over the steps that a list lasts\n",
                     workload);
        break;
    default:
        (void)printf("time per whole step: integrator, forces and lists\n");
    }
}

static void print_conditions(const struct best_report *report) {
    const struct best_motion *motion = report->motion;
    if (report->time == BEST_MEASURED && motion->straight) {
        (void)printf("lists last until the fastest particle, going straight on, has moved by half "
                     "the\nskin: dt %g, temperature %.4g%s\n",
                     motion->rules.dt, motion->temperature, motion->assumed ? " (assumed)" : "");
    } else if (report->time == BEST_MEASURED && motion->measured) {
        (void)printf("lists last until a particle has moved by half the skin: measured with\n"
                     "%s, dt %g, at temperature %.4g%s\n",
                     integrator_name(motion->rules.integrator), motion->rules.dt,
                     motion->record.temperature, motion->assumed ? " (assumed)" : "");
    } else if (report->time == BEST_WHOLE_STEP && motion->measured) {
        (void)printf("timed as `pairmark run` takes steps, dt %g, from temperature %.4g%s\n",
                     motion->rules.dt, motion->record.temperature,
                     motion->assumed ? " (assumed)" : "");
    }
}

/* Each skin that a case of the sweep has. */
static void print_skins(const struct best_report *report) {
    const struct plan *plan = &report->request->sweep.plan;
    const struct displacement_record *record = &report->motion->record;
    bool known[101] = { false };
    for (size_t c = 0; c < plan->count; c++) {
        const int skin = tunings_value(&plan->cases[c].tunings, SCHEDULE_SKIN, 0);
        known[skin > 0 && skin <= 100 ? skin : 0] = true;
    }
    for (int skin = 1; skin <= 100; skin++) {
        if (known[skin]) {
            const double width = 0.01 * skin * report->motion->cutoff;
            const bool beyond = 0.5 * width >= record->moved[record->steps];
            (void)printf("  skin %.4g (SKIN=%d) lasts %.3g steps%s\n", width, skin,
                         steps_within_skin(record, width), beyond ? ", extrapolated" : "");
        }
    }
}

/* ---- the table ---- */

static void print_tunables(const struct tunings *tunings) {
    char words[TUNING_WORDS_SIZE];
    int column = 0;
    tunings_describe(tunings, words, sizeof words);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        const int length = (int)strlen(word) + 1;
        const bool begins = column == 0 || column + length > TABLE_COLUMNS;
        (void)printf("%s%s", !begins ? " " : column == 0 ? "    " : "\n    ", word);
        column = begins ? 4 + length : column + length;
    }
    (void)printf("%s", column > 0 ? "\n" : "");
}

static bool has_parts(const struct best_report *report) {
    return report->time == BEST_MEASURED || report->time == BEST_STATED;
}

static int name_columns(const struct best_report *report, const struct best_answer *answer) {
    size_t longest = NAME_COLUMNS;
    for (size_t c = 0; c < answer->count; c++) {
        char name[CANDIDATE_SIZE];
        const size_t length = strlen(name_of(report, &answer->candidates[c], name));
        longest = length > longest ? length : longest;
    }
    return (int)longest;
}

static void print_heading(const struct best_report *report, int width) {
    (void)printf("  %-*s %9s %9s %7s", width, "variant", "presets", "tuned", "ratio");
    if (has_parts(report)) {
        (void)printf(" %9s %8s %6s", "forces", "build", "steps");
    } else if (report->time == BEST_WHOLE_STEP) {
        (void)printf(" %10s", "steps/list");
    }
    (void)printf("\n");
}

static const char *missing_words(const struct best_answer *answer,
                                 const struct best_candidate *candidate) {
    switch (candidate->state) {
    case BEST_NEEDS_CUDA:
        return "skipped: it needs CUDA";
    case BEST_TOO_LARGE:
        return "skipped: all pairs of too many particles";
    case BEST_NOT_TIMED:
        return answer->interrupted ? "not timed: interrupted" : "not timed: budget";
    default:
        return status_name(candidate->status);
    }
}

static const char *tuned_words(const struct best_answer *answer,
                               const struct best_candidate *candidate) {
    return candidate->state == BEST_TUNED                               ? "preset"
           : candidate->state == BEST_NOT_TUNED && !answer->interrupted ? "budget"
                                                                        : "-";
}

static void print_ratio(double ratio) {
    (void)printf(ratio < 1000 ? " %6.2fx" : " %6.0fx", ratio);
}

static void print_steps(double steps, int width) {
    if (isnan(steps)) {
        (void)printf(" %*s", width, "-");
    } else {
        (void)printf(" %*.3g", width, steps);
    }
}

static void print_candidate(const struct best_report *report, const struct best_answer *answer,
                            const struct best_candidate *candidate, int width) {
    char name[CANDIDATE_SIZE];
    (void)printf("  %-*s", width, name_of(report, candidate, name));
    if (isnan(candidate->time.seconds)) {
        (void)printf(" %s\n", missing_words(answer, candidate));
        return;
    }
    const bool is_preset =
        candidate->case_index == report->request->sweep.questions[candidate->question].first;
    (void)printf(" %9s %9s", quantity_even_seconds(candidate->preset_s).text,
                 is_preset ? tuned_words(answer, candidate)
                           : quantity_even_seconds(candidate->time.seconds).text);
    print_ratio(candidate->time.seconds / answer->candidates[0].time.seconds);
    if (has_parts(report)) {
        (void)printf(" %9s %8s", quantity_even_seconds(candidate->time.evaluate_s).text,
                     quantity_even_seconds(candidate->time.build_s).text);
        print_steps(steps_of(report, candidate), 6);
    } else if (report->time == BEST_WHOLE_STEP) {
        print_steps(steps_of(report, candidate), 10);
    }
    (void)printf("\n");
    if (report->verbose) {
        print_tunables(&timed_case(report, candidate)->tunings);
    }
}

/* ---- the verdict ---- */

static size_t count_failed(const struct best_answer *answer) {
    size_t failed = 0;
    for (size_t c = 0; c < answer->count; c++) {
        failed += answer->candidates[c].state == BEST_FAILED;
    }
    return failed;
}

/* The next after the first that was timed in turns with it; NULL: there is none. */
static const struct best_candidate *find_second(const struct best_answer *answer) {
    for (size_t c = 1; c < answer->passed; c++) {
        if (answer->candidates[c].finalist) {
            return &answer->candidates[c];
        }
    }
    return NULL;
}

/* A tunable that is a length has no unit of its own. */
static void print_skin(const struct best_report *report, const struct best_candidate *candidate) {
    const struct tunings *tunings = &timed_case(report, candidate)->tunings;
    const int skin = tunings_value(tunings, SCHEDULE_SKIN, 0);
    if (skin > 0 && report->motion->cutoff > 0 && isfinite(report->motion->cutoff)) {
        (void)printf("    (SKIN is in hundredths of the cutoff: a skin of %.4g)\n",
                     0.01 * skin * report->motion->cutoff);
    } else if (skin > 0) {
        (void)printf("    (SKIN is in hundredths of the cutoff)\n");
    }
}

static void print_doubts(const struct best_answer *answer) {
    for (size_t d = 0; d < answer->doubt_count; d++) {
        (void)printf("%s%s\n", d == 0 ? "  not sure: " : "            ", answer->doubts[d]);
    }
}

/* Prints by how much the others are slower, and whether by more than times differ anyway. */
static void print_verdict(const struct best_report *report, const struct best_answer *answer) {
    const struct best_candidate *first = &answer->candidates[0];
    const struct best_candidate *second = find_second(answer);
    char name[CANDIDATE_SIZE];
    (void)printf("best%s: %s, %s\n", answer->interrupted ? " so far" : "",
                 name_of(report, first, name), quantity_seconds(first->time.seconds).text);
    print_tunables(&timed_case(report, first)->tunings);
    print_skin(report, first);
    print_doubts(answer);
    if (answer->sure && second) {
        (void)printf("  sure%s: each of its %zu times is below each of the others';\n"
                     "  %s takes %.2f times as long (%.2f to %.2f)\n",
                     answer->partly ? ", of the tunables that were tried" : "", answer->turns,
                     name_of(report, second, name), second->time.seconds / first->time.seconds,
                     second->least_s / first->most_s, second->most_s / first->least_s);
    }
    if (answer->passed == 1 && !answer->interrupted) {
        (void)printf("  no other variant %s\n", answer->count == 1 ? "was asked for"
                                                : count_failed(answer) + 1 == answer->count
                                                    ? "passes"
                                                    : "was timed");
    }
}

void best_report_print(const struct best_report *report, const struct best_answer *answer) {
    struct strbuf words = { 0 };
    const struct case_spec *spec = case_of(report, &answer->candidates[0]);
    const int width = name_columns(report, answer);
    describe_case(spec, &words);
    print_question(report, spec->variant->workload->name);
    (void)printf("%s\non %s (%s)\n", strbuf_text(&words), report->request->info.name,
                 report->request->info.model);
    strbuf_free(&words);
    print_conditions(report);
    if (report->verbose && report->time == BEST_MEASURED && report->motion->measured) {
        print_skins(report);
    }
    print_heading(report, width);
    for (size_t c = 0; c < answer->count; c++) {
        print_candidate(report, answer, &answer->candidates[c], width);
    }
    if (answer->passed > 0) {
        print_verdict(report, answer);
    } else {
        (void)printf("no variant passes\n");
    }
    if (!isnan(answer->enough_s)) {
        (void)printf("best of %zu of %zu timed; %zu not timed: give --budget %.0f\n", answer->timed,
                     answer->timed + answer->untimed, answer->untimed, answer->enough_s);
    }
    (void)fflush(stdout);
}

/* ---- JSON ---- */

static void add_number(struct json_object *object, const char *name, double number) {
    if (!isnan(number)) {
        json_object_object_add(object, name, json_object_new_double(number));
    }
}

static struct json_object *candidate_object(const struct best_report *report,
                                            const struct best_candidate *candidate) {
    static const char *const states[] = {
        [BEST_NEEDS_CUDA] = "left_out", [BEST_TOO_LARGE] = "left_out",
        [BEST_NOT_TIMED] = "not_timed", [BEST_FAILED] = "failed",
        [BEST_BEHIND] = "behind",       [BEST_NOT_TUNED] = "not_tuned",
        [BEST_TUNED] = "tuned"
    };
    const struct tuning_time *time = &candidate->time;
    char words[TUNING_WORDS_SIZE];
    struct json_object *object = json_object_new_object();
    tunings_describe(&timed_case(report, candidate)->tunings, words, sizeof words);
    json_add_text(object, "variant", case_of(report, candidate)->variant->name);
    if (case_of(report, candidate)->long_range.variant) {
        struct strbuf with = { 0 };
        long_range_describe(&case_of(report, candidate)->long_range, &with);
        json_add_text(object, "long_range", with.data);
        strbuf_free(&with);
    }
    json_add_text(object, "state", candidate->finalist ? "finalist" : states[candidate->state]);
    if (candidate->state == BEST_FAILED) {
        json_add_text(object, "status", status_name(candidate->status));
    }
    json_add_text(object, "tunables", words);
    add_number(object, "preset_s", candidate->preset_s);
    add_number(object, "median_s", time->seconds);
    add_number(object, "least_s", candidate->least_s);
    add_number(object, "most_s", candidate->most_s);
    if (report->time != BEST_EVALUATION) {
        add_number(object, "per_step_s", time->seconds);
        add_number(object, "steps_per_build", steps_of(report, candidate));
    }
    if (report->time != BEST_WHOLE_STEP) {
        add_number(object, "forces_s", time->evaluate_s);
        add_number(object, "build_s", time->build_s);
    }
    return object;
}

static void add_doubts(struct json_object *object, const struct best_answer *answer) {
    struct strbuf words = { 0 };
    for (size_t d = 0; d < answer->doubt_count; d++) {
        strbuf_append(&words, "%s%s", d > 0 ? "; " : "", answer->doubts[d]);
    }
    json_add_text(object, "doubt", strbuf_text(&words));
    strbuf_free(&words);
}

struct json_object *best_report_json(const struct best_report *report,
                                     const struct best_answer *answer) {
    static const char *const times[] = { [BEST_EVALUATION] = "evaluation",
                                         [BEST_STATED] = "step, lives stated",
                                         [BEST_MEASURED] = "step, lives measured",
                                         [BEST_WHOLE_STEP] = "whole step" };
    struct json_object *object = json_object_new_object();
    struct json_object *candidates = json_object_new_array();
    struct strbuf words = { 0 };
    describe_case(case_of(report, &answer->candidates[0]), &words);
    for (size_t c = 0; c < answer->count; c++) {
        json_object_array_add(candidates, candidate_object(report, &answer->candidates[c]));
    }
    json_add_text(object, "case", strbuf_text(&words));
    json_add_text(object, "device", report->request->info.name);
    json_add_text(object, "model", report->request->info.model);
    json_add_text(object, "time",
                  report->time == BEST_MEASURED && report->motion->straight
                      ? "step, lives by speeds"
                      : times[report->time]);
    if (report->motion && report->motion->measured) {
        json_add_text(object, "integrator", integrator_name(report->motion->rules.integrator));
        add_number(object, "dt", report->motion->rules.dt);
        add_number(object, "temperature", report->motion->record.temperature);
    }
    char name[CANDIDATE_SIZE];
    json_add_text(object, "best",
                  answer->passed > 0 ? name_of(report, &answer->candidates[0], name) : NULL);
    json_add_count(object, "timed", (int64_t)answer->timed);
    json_add_count(object, "not_timed", (int64_t)answer->untimed);
    add_number(object, "budget_for_all_s", answer->enough_s);
    json_add_flag(object, "sure", answer->sure);
    if (answer->doubt_count > 0) {
        add_doubts(object, answer);
    }
    if (answer->interrupted) {
        json_add_flag(object, "interrupted", true);
    }
    json_object_object_add(object, "variants", candidates);
    strbuf_free(&words);
    return object;
}
