/* Finds where the time of a case changed over several runs. */
#include "answers/compare/compare.h"

#include "core/quantity.h"
#include "measure/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct point {
    const struct compared_case *at;
    size_t side;       /* of its commit */
    const char *since; /* when the commit was measured first */
    bool is_first;     /* of its case; else what follows is against the point before it */
    bool timed;
    struct difference difference;
    enum change change;
};

struct history {
    const struct history_view *view;
    struct comparison comparison;
    struct point *points; /* by case, then commit */
    size_t count;
    size_t cases, slower, faster; /* that are written */
};

/* ---- the points ---- */

static int compare_points(const void *a, const void *b) {
    const struct point *left = a, *right = b;
    return left->at->key != right->at->key ? (left->at->key < right->at->key ? -1 : 1)
                                           : strcmp(left->since, right->since);
}

static const char *find_since(const struct compared_cases *cases) {
    const char *since = cases->count > 0 ? row_text(cases->cases[0].row, COLUMN_UTC) : "";
    for (size_t c = 1; c < cases->count; c++) {
        const char *utc = row_text(cases->cases[c].row, COLUMN_UTC);
        since = strcmp(utc, since) < 0 ? utc : since;
    }
    return since;
}

static void gather(struct history *history) {
    const struct comparison *comparison = &history->comparison;
    size_t most = 0;
    for (size_t s = 0; s < comparison->side_count; s++) {
        most += comparison->sides[s].cases.count;
    }
    history->points = memory_zeroed(most, sizeof *history->points);
    for (size_t s = 0; s < comparison->side_count; s++) {
        const char *since = find_since(&comparison->sides[s].cases);
        for (size_t c = 0; c < comparison->sides[s].cases.count; c++) {
            history->points[history->count++] = (struct point){
                .at = &comparison->sides[s].cases.cases[c], .side = s, .since = since
            };
        }
    }
    qsort(history->points, history->count, sizeof *history->points, compare_points);
}

static void judge_point(struct history *history, struct point *point, double risk) {
    const struct point *before = point - 1;
    const struct side *sides = history->comparison.sides;
    const double floor = noise_floor_of_pair(&sides[before->side].noise, before->at,
                                             &sides[point->side].noise, point->at, risk);
    const struct log_median between = log_median_between(&before->at->time, &point->at->time);
    point->difference = difference_of(&between, risk, floor, history->view->threshold);
    point->difference.clock_ratio = cases_clock_ratio(before->at, point->at);
    point->change = difference_verdict(&point->difference);
}

/* Judges all points together: they share compare_risk. */
static void judge(struct history *history) {
    size_t judged = 0;
    for (size_t i = 0; i < history->count; i++) {
        struct point *point = &history->points[i];
        point->is_first = i == 0 || point[-1].at->key != point->at->key;
        point->change = CHANGE_UNTIMED;
        point->timed = !point->is_first && point->at->timed && point[-1].at->timed;
        judged += point->timed;
        if (!point->is_first && point->at->status != point[-1].at->status) {
            point->change = point->at->status == STATUS_OK ? CHANGE_NEWLY_OK : CHANGE_NEWLY_WRONG;
        }
    }
    for (size_t i = 0; i < history->count; i++) {
        if (history->points[i].timed) {
            judge_point(history, &history->points[i], compare_risk / (double)judged);
        }
    }
}

/* ---- as text ---- */

static void append_point(const struct point *point, const char *commit, struct strbuf *text) {
    const double seconds = point->at->timed ? exp(point->at->time.value) : NAN;
    char ratio[64] = "";
    if (point->timed) {
        (void)snprintf(ratio, sizeof ratio, "  %.4f  [%.4f, %.4f]  +-%.1f %%",
                       point->difference.ratio, point->difference.low, point->difference.high,
                       100 * point->difference.within);
    }
    const bool is_step = point->change == CHANGE_SLOWER || point->change == CHANGE_FASTER ||
                         point->change == CHANGE_NEWLY_WRONG;
    strbuf_append(text, "%c %.10s  %-10.10s  %9s%s%s%s\n", is_step ? '*' : ' ',
                  row_text(point->at->row, COLUMN_UTC), commit, quantity_seconds(seconds).text,
                  ratio, point->is_first ? "" : "  ",
                  point->is_first ? "" : change_name(point->change));
}

static void append_csv(const struct history *history, const struct point *point, const char *device,
                       struct strbuf *text) {
    struct quantity cells[5] = { { "" } };
    const struct difference *difference = &point->difference;
    const double numbers[] = { point->at->timed ? exp(point->at->time.value) : NAN,
                               difference->ratio, difference->low, difference->high,
                               difference->within };
    for (int n = 0; n < 5; n++) {
        if (!isnan(numbers[n]) && (n == 0 || point->timed)) {
            cells[n] = quantity_shortest(numbers[n]);
        }
    }
    const char *const fields[] = { device,
                                   row_text(point->at->row, COLUMN_CASE_NAME),
                                   history->comparison.sides[point->side].name,
                                   row_text(point->at->row, COLUMN_UTC),
                                   cells[0].text,
                                   cells[1].text,
                                   cells[2].text,
                                   cells[3].text,
                                   cells[4].text,
                                   point->is_first ? "" : change_name(point->change),
                                   history->comparison.doubts.data };
    record_format(text, fields, sizeof fields / sizeof fields[0]);
}

/* The points of a case from `first` on. */
static void append_case(struct history *history, size_t first, size_t count, struct strbuf *text) {
    const struct history_view *view = history->view;
    const struct point *points = &history->points[first];
    char device[256];
    size_t slower = 0, faster = 0;
    for (size_t i = 1; i < count; i++) {
        slower += points[i].change == CHANGE_SLOWER;
        faster += points[i].change == CHANGE_FASTER;
    }
    if (count < 2 || (view->only_steps && slower + faster == 0)) {
        return;
    }
    history->cases++;
    history->slower += slower;
    history->faster += faster;
    device_label(points->at->row, device, sizeof device);
    if (!view->csv) {
        strbuf_append(text, "%s, %s\n", row_text(points->at->row, COLUMN_CASE_NAME), device);
    }
    for (size_t i = 0; i < count; i++) {
        if (view->csv) {
            append_csv(history, &points[i], device, text);
        } else {
            append_point(&points[i], history->comparison.sides[points[i].side].name, text);
        }
    }
    strbuf_append(text, view->csv ? "" : "\n");
}

static void append_all(struct history *history, struct strbuf *text) {
    if (history->view->csv) {
        strbuf_append(text, "device,case_name,git_commit,utc,seconds,ratio,low,high,within,change,"
                            "doubts\n");
    }
    for (size_t i = 0, next; i < history->count; i = next) {
        for (next = i + 1; next < history->count && !history->points[next].is_first;) {
            next++;
        }
        append_case(history, i, next - i, text);
    }
    if (!history->view->csv && history->comparison.doubts.data) {
        strbuf_append(text, "doubtful: %s\n", history->comparison.doubts.data);
    }
    if (!history->view->csv) {
        strbuf_append(text, "%zu case%s over %zu commits: %zu step%s, %zu slower and %zu faster\n",
                      history->cases, history->cases == 1 ? "" : "s",
                      history->comparison.side_count, history->slower + history->faster,
                      history->slower + history->faster == 1 ? "" : "s", history->slower,
                      history->faster);
    }
}

bool history_write(const struct run *runs, size_t count, const struct history_view *view,
                   struct strbuf *text, struct error *error) {
    struct history history = { .view = view };
    const struct compare_settings settings = { .by = BY_COMMIT,
                                               .threshold = view->threshold,
                                               .log = view->log };
    if (!compare_runs(runs, count, &settings, &history.comparison, error)) {
        return false;
    }
    gather(&history);
    judge(&history);
    append_all(&history, text);
    free(history.points);
    comparison_free(&history.comparison);
    return true;
}
