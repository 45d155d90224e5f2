/*
 * axes_line — for tests of plans: axes written as on the command line, and what they span. After
 * cmocka.h.
 */
#ifndef PAIRMARK_TESTS_AXES_LINE_H
#define PAIRMARK_TESTS_AXES_LINE_H

#include "campaign/plan/plan.h"
#include "core/strings.h"

#include <stdlib.h>
#include <string.h>

/* The axes of a command line given as one text; its words are cut at spaces. */
static inline bool take_axes(const char *line, struct axes *axes, struct error *error) {
    char **words = split_list(line, ' ');
    int count = 0;
    bool good = true;
    assert_non_null(words);
    while (words[count] && *line) {
        count++;
    }
    *axes = (struct axes){ 0 };
    for (struct command_words reader = { count, words, 0 }; reader.at < count && good;) {
        bool taken = false;
        good = axes_take_option(axes, &reader, &taken, error);
        assert_true(taken);
    }
    free(words);
    if (!good) {
        axes_free(axes);
    }
    return good;
}

static inline bool span(const char *line, struct plan *plan, struct error *error) {
    struct axes axes;
    memset(plan, 0, sizeof *plan);
    if (!take_axes(line, &axes, error)) {
        return false;
    }
    bool good = plan_make(&axes, plan, error);
    axes_free(&axes);
    return good;
}

static inline struct plan spanned(const char *line) {
    struct plan plan;
    struct error error;
    if (!span(line, &plan, &error)) {
        fail_msg("%s: %s", line, error.message);
    }
    return plan;
}

/* The axes are refused, as bad input, with words that hold all of those given. */
static inline void assert_refused(const char *line, const char *first, const char *second) {
    struct plan plan;
    struct error error;
    if (span(line, &plan, &error)) {
        fail_msg("%s was accepted", line);
    }
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    if (!strstr(error.message, first) || !strstr(error.message, second)) {
        fail_msg("%s: \"%s\" lacks \"%s\" or \"%s\"", line, error.message, first, second);
    }
    assert_null(plan.cases);
    assert_int_equal(plan.count, 0);
}

#endif
