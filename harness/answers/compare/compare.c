#include "answers/compare/compare.h"

#include "campaign/axes/axes.h"
#include "campaign/visits.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double compare_risk = 0.05;
const double compare_threshold = 0.03;

/* ---- what belongs to which side ---- */

struct sided_row {
    struct placed_row placed;
    size_t run, side; /* the run's number, and that of its side */
    char name[256];   /* of the side, "" by run */
    double rank;      /* of the name among those of a run */
};

static void name_side(enum compare_by by, struct sided_row *sided) {
    static const char *const precisions[] = { "float", "mixed", "double", "fixed" };
    const struct row *row = sided->placed.row;
    switch (by) {
    case BY_RUN:
        break;
    case BY_DEVICE:
        device_label(row, sided->name, sizeof sided->name);
        break;
    case BY_VARIANT:
        (void)snprintf(sided->name, sizeof sided->name, "%s", row_text(row, COLUMN_VARIANT));
        break;
    case BY_PRECISION:
        (void)snprintf(sided->name, sizeof sided->name, "%s", row_text(row, COLUMN_PRECISION));
        for (int p = 0; p < 4; p++) {
            sided->rank = strcmp(sided->name, precisions[p]) == 0 ? p : sided->rank;
        }
        break;
    case BY_COMMIT:
        (void)snprintf(sided->name, sizeof sided->name, "%s", row_text(row, COLUMN_GIT_COMMIT));
        break;
    }
    if (by != BY_RUN && sided->name[0] == '\0') {
        (void)snprintf(sided->name, sizeof sided->name, "(not recorded)");
    }
}

static bool is_same_side(const struct sided_row *a, const struct sided_row *b, enum compare_by by) {
    return by == BY_RUN ? a->side == b->side : strcmp(a->name, b->name) == 0;
}

/* Sides are ordered by run, rank, then name or (commits) date of their first rows. */
static int compare_sided(const struct sided_row *a, const struct sided_row *b, enum compare_by by) {
    if (a->run != b->run) {
        return a->run < b->run ? -1 : 1;
    }
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    int order = by == BY_COMMIT ? strcmp(row_text(a->placed.row, COLUMN_UTC),
                                         row_text(b->placed.row, COLUMN_UTC))
                                : 0;
    return order ? order : strcmp(a->name, b->name);
}

static size_t count_rows(const struct run *runs, size_t run_count) {
    size_t count = 0;
    for (size_t r = 0; r < run_count; r++) {
        count += runs[r].table.count;
    }
    return count;
}

static void list_rows(const struct run *runs, size_t run_count, enum compare_by by,
                      struct sided_row *rows) {
    size_t next = 0;
    for (size_t r = 0; r < run_count; r++) {
        for (size_t i = 0; i < runs[r].table.count; i++) {
            rows[next] = (struct sided_row){ .placed = { &runs[r], &runs[r].table.rows[i] },
                                             .run = r,
                                             .side = runs[r].side };
            name_side(by, &rows[next++]);
        }
    }
}

/* The least row of each side, in order; rows[heads[s]] stands for side s. Returns how many. */
static size_t find_sides(const struct sided_row *rows, size_t count, enum compare_by by,
                         size_t *heads) {
    size_t sides = 0;
    for (size_t i = 0; i < count; i++) {
        size_t s = 0;
        while (s < sides && !is_same_side(&rows[heads[s]], &rows[i], by)) {
            s++;
        }
        if (s == sides) {
            heads[sides++] = i;
        } else if (compare_sided(&rows[i], &rows[heads[s]], by) < 0) {
            heads[s] = i;
        }
    }
    for (size_t i = 1; i < sides; i++) { /* few: sorted by insertion */
        for (size_t j = i; j > 0 && compare_sided(&rows[heads[j]], &rows[heads[j - 1]], by) < 0;
             j--) {
            const size_t moved = heads[j];
            heads[j] = heads[j - 1];
            heads[j - 1] = moved;
        }
    }
    return sides;
}

static const char *name_of(const struct sided_row *head, enum compare_by by) {
    return by == BY_RUN ? head->placed.run->side_name : head->name;
}

/* Moves the side that the user asks for to the front. */
static bool choose_baseline(const struct sided_row *rows, size_t *heads, size_t sides,
                            const struct compare_settings *settings, struct error *error) {
    const char **names = calloc(sides + 1, sizeof *names);
    size_t chosen = 0;
    if (!names) {
        return fail_out_of_memory(error, "the sides");
    }
    for (size_t s = 0; s < sides; s++) {
        names[s] = name_of(&rows[heads[s]], settings->by);
    }
    while (settings->baseline && chosen < sides &&
           !matches_pattern(settings->baseline, names[chosen])) {
        chosen++;
    }
    bool found = chosen < sides ||
                 words_fail_unknown("--baseline", "side", settings->baseline, names, error);
    if (found) {
        const size_t head = heads[chosen];
        memmove(heads + 1, heads, chosen * sizeof *heads);
        heads[0] = head;
    }
    free(names);
    return found;
}

/* ---- sides ---- */

/* Whether rows of one side are from several devices, which then must not be pooled. */
static bool has_several_devices(const struct sided_row *rows, size_t count, enum compare_by by,
                                const size_t *heads, size_t sides) {
    for (size_t s = 0; s < sides; s++) {
        for (size_t i = 0; i < count; i++) {
            const struct row *head = rows[heads[s]].placed.row;
            if (is_same_side(&rows[heads[s]], &rows[i], by) &&
                strcmp(row_text(head, COLUMN_DEVICE),
                       row_text(rows[i].placed.row, COLUMN_DEVICE)) != 0) {
                return true;
            }
        }
    }
    return false;
}

static bool tells_devices_apart(const struct sided_row *rows, size_t count,
                                const struct compare_settings *settings, const size_t *heads,
                                size_t sides) {
    switch (settings->by) {
    case BY_DEVICE:
        return false;
    case BY_RUN:
        return has_several_devices(rows, count, settings->by, heads, sides);
    default:
        return true;
    }
}

struct side_rows {
    struct placed_row *rows; /* the main ones, then the repeats */
    size_t count, repeats;
    const struct run **runs;
    size_t run_count;
};

static void add_side_row(struct side_rows *side, const struct sided_row *row, size_t total) {
    if (row_is_repeat(row->placed.row)) {
        side->rows[total - ++side->repeats] = row->placed;
    } else {
        side->rows[side->count++] = row->placed;
    }
    bool known = false;
    for (size_t r = 0; r < side->run_count; r++) {
        known = known || side->runs[r] == row->placed.run;
    }
    if (!known) {
        side->runs[side->run_count++] = row->placed.run;
    }
}

static bool side_gather(const struct side_rows *rows, size_t total,
                        const struct compare_settings *settings, bool by_device, struct side *side,
                        struct error *error) {
    struct compared_cases repeats = { 0 };
    bool gathered =
        cases_gather(rows->rows, rows->count, settings->by, by_device, settings->log, &side->cases,
                     error) &&
        cases_gather(rows->rows + total - rows->repeats, rows->repeats, settings->by, by_device,
                     settings->log, &repeats, error) &&
        noise_measure(&side->cases, &repeats, rows->runs, rows->run_count, &side->noise, error);
    if (gathered && settings->by == BY_VARIANT) {
        cases_keep_fastest(&side->cases);
    }
    cases_free(&repeats);
    return gathered;
}

static bool side_make(const struct sided_row *all, size_t total, const struct sided_row *head,
                      const struct compare_settings *settings, bool by_device, size_t run_count,
                      struct side *side, struct error *error) {
    struct side_rows rows = { .rows = calloc(total + 1, sizeof *rows.rows),
                              .runs = calloc(run_count + 1, sizeof *rows.runs) };
    side->name = strdup(name_of(head, settings->by));
    bool made = (rows.rows && rows.runs && side->name) || fail_out_of_memory(error, "a side");
    for (size_t i = 0; made && i < total; i++) {
        if (is_same_side(head, &all[i], settings->by)) {
            add_side_row(&rows, &all[i], total);
        }
    }
    made = made && side_gather(&rows, total, settings, by_device, side, error);
    free(rows.rows);
    free(rows.runs);
    return made;
}

static bool make_sides(const struct run *runs, size_t run_count,
                       const struct compare_settings *settings, struct comparison *comparison,
                       struct error *error) {
    static const char *const columns[] = { "run", "device", "variant", "precision", "commit" };
    const size_t total = count_rows(runs, run_count);
    struct sided_row *rows = calloc(total + 1, sizeof *rows);
    size_t *heads = calloc(total + 1, sizeof *heads);
    bool made = (rows && heads) || fail_out_of_memory(error, "the sides");
    size_t sides = 0;
    if (made) {
        list_rows(runs, run_count, settings->by, rows);
        sides = find_sides(rows, total, settings->by, heads);
    }
    if (made && sides < 2) {
        made = fail(error, STATUS_BAD_INPUT, "nothing to compare: all rows are of one %s%s%s",
                    columns[settings->by], sides && settings->by != BY_RUN ? ", " : "",
                    sides && settings->by != BY_RUN ? rows[heads[0]].name : "");
    }
    made = made && choose_baseline(rows, heads, sides, settings, error);
    if (made) {
        comparison->sides = calloc(sides, sizeof *comparison->sides);
        made = comparison->sides || fail_out_of_memory(error, "the sides");
    }
    const bool by_device = made && tells_devices_apart(rows, total, settings, heads, sides);
    for (size_t s = 0; made && s < sides; s++) {
        comparison->side_count++;
        made = side_make(rows, total, &rows[heads[s]], settings, by_device, run_count,
                         &comparison->sides[s], error);
    }
    free(rows);
    free(heads);
    return made;
}

/* ---- joining ---- */

static bool same_device(const struct compared_case *a, const struct compared_case *b) {
    char left[256];
    char right[256];
    device_label(a->row, left, sizeof left);
    device_label(b->row, right, sizeof right);
    return strcmp(left, right) == 0;
}

/* What can be said without times. */
static enum change change_of_status(const struct compared_case *baseline,
                                    const struct compared_case *other) {
    if (baseline->status == STATUS_OK && other->status == STATUS_UNSUPPORTED &&
        !same_device(baseline, other)) {
        return CHANGE_UNSUPPORTED;
    }
    if (baseline->status == STATUS_OK) {
        return other->status == STATUS_OK ? CHANGE_UNTIMED : CHANGE_NEWLY_WRONG;
    }
    return other->status == STATUS_OK ? CHANGE_NEWLY_OK : CHANGE_BOTH_FAIL;
}

static void add_joined(struct comparison *comparison, const struct compared_case *baseline,
                       const struct compared_case *other, size_t side) {
    struct joined_case *joined = &comparison->joined[comparison->joined_count++];
    *joined = (struct joined_case){ .baseline = baseline, .other = other, .side = side };
    if (!baseline || !other) {
        joined->change = baseline ? CHANGE_ONLY_BASELINE : CHANGE_ONLY_OTHER;
        return;
    }
    joined->change = change_of_status(baseline, other);
    joined->timed = baseline->timed && other->timed;
    comparison->timed += joined->timed;
}

/* Both sides are sorted by key: a merge. Within a side, keys that are alike (of other tunables,
 * where these do not identify cases) were made one. */
static void join_side(struct comparison *comparison, size_t side) {
    const struct compared_cases *baseline = &comparison->sides[0].cases;
    const struct compared_cases *other = &comparison->sides[side].cases;
    size_t b = 0;
    size_t o = 0;
    while (b < baseline->count || o < other->count) {
        int order = b == baseline->count ? 1
                    : o == other->count  ? -1
                                         : strcmp(baseline->cases[b].key, other->cases[o].key);
        add_joined(comparison, order <= 0 ? &baseline->cases[b] : NULL,
                   order >= 0 ? &other->cases[o] : NULL, side);
        b += order <= 0;
        o += order >= 0;
    }
}

static void judge(struct comparison *comparison) {
    const double risk = compare_risk / (double)(comparison->timed > 0 ? comparison->timed : 1);
    for (size_t i = 0; i < comparison->joined_count; i++) {
        struct joined_case *joined = &comparison->joined[i];
        if (!joined->timed) {
            continue;
        }
        const double floor =
            noise_floor_of_pair(&comparison->sides[0].noise, joined->baseline,
                                &comparison->sides[joined->side].noise, joined->other, risk);
        joined->difference = difference_of(&joined->baseline->time, &joined->other->time, risk,
                                           floor, comparison->threshold);
        joined->change = difference_verdict(&joined->difference);
    }
}

/* Numbers by value, words by letter. */
static int compare_cases(const struct row *a, const struct row *b) {
    int order = 0;
    for (enum column column = column_next(ROLE_IDENTITY, -1); column < COLUMN_COUNT && order == 0;
         column = column_next(ROLE_IDENTITY, (int)column)) {
        const double left = row_number(a, column);
        const double right = row_number(b, column);
        order = isnan(left) || isnan(right) ? strcmp(row_text(a, column), row_text(b, column))
                                            : (left > right) - (left < right);
    }
    return order;
}

static int compare_joined(const void *a, const void *b) {
    const struct joined_case *left = a;
    const struct joined_case *right = b;
    if (left->side != right->side) {
        return left->side < right->side ? -1 : 1;
    }
    if (left->change != right->change) {
        return left->change < right->change ? -1 : 1;
    }
    if (left->timed && (left->change == CHANGE_SLOWER || left->change == CHANGE_FASTER)) {
        const double sign = left->change == CHANGE_SLOWER ? -1 : 1;
        const double over = sign * (left->difference.ratio - right->difference.ratio);
        if (over != 0) {
            return over > 0 ? 1 : -1;
        }
    }
    return compare_cases((left->baseline ? left->baseline : left->other)->row,
                         (right->baseline ? right->baseline : right->other)->row);
}

bool compare_runs(const struct run *runs, size_t run_count, const struct compare_settings *settings,
                  struct comparison *comparison, struct error *error) {
    size_t most = 0;
    *comparison = (struct comparison){ .by = settings->by, .threshold = settings->threshold };
    bool made = make_sides(runs, run_count, settings, comparison, error);
    for (size_t s = 1; made && s < comparison->side_count; s++) {
        most += comparison->sides[0].cases.count + comparison->sides[s].cases.count;
    }
    if (made) {
        comparison->joined = calloc(most + 1, sizeof *comparison->joined);
        made = comparison->joined || fail_out_of_memory(error, "the comparison");
    }
    for (size_t s = 1; made && s < comparison->side_count; s++) {
        join_side(comparison, s);
    }
    if (!made) {
        comparison_free(comparison);
        return false;
    }
    judge(comparison);
    if (comparison->joined_count > 0) {
        qsort(comparison->joined, comparison->joined_count, sizeof *comparison->joined,
              compare_joined);
    }
    return true;
}

void comparison_free(struct comparison *comparison) {
    for (size_t s = 0; s < comparison->side_count; s++) {
        free(comparison->sides[s].name);
        cases_free(&comparison->sides[s].cases);
        noise_free(&comparison->sides[s].noise);
    }
    free(comparison->sides);
    free(comparison->joined);
    *comparison = (struct comparison){ 0 };
}

size_t comparison_count(const struct comparison *comparison, size_t side, enum change change) {
    size_t count = 0;
    for (size_t i = 0; i < comparison->joined_count; i++) {
        const struct joined_case *joined = &comparison->joined[i];
        count += joined->change == change && (side == SIZE_MAX || joined->side == side);
    }
    return count;
}

struct comparison_gaps comparison_find_gaps(const struct comparison *comparison) {
    struct comparison_gaps gaps = { 0 };
    for (size_t i = 0; i < comparison->joined_count; i++) {
        const struct joined_case *joined = &comparison->joined[i];
        switch (joined->change) {
        case CHANGE_UNCLEAR:
            gaps.unclear++;
            break;
        case CHANGE_SAME:
            gaps.too_wide += joined->difference.within > comparison->threshold;
            break;
        case CHANGE_ONLY_BASELINE:
        case CHANGE_ONLY_OTHER:
            gaps.unmatched++;
            break;
        case CHANGE_UNTIMED:
        case CHANGE_UNSUPPORTED:
        case CHANGE_BOTH_FAIL:
            gaps.untimed++;
            break;
        default:
            break;
        }
    }
    gaps.total = gaps.unclear + gaps.too_wide + gaps.unmatched + gaps.untimed;
    return gaps;
}

/* The time of a case as `count` visits would know it. */
static struct log_median after_visits(const struct compared_case *timed, size_t count) {
    const size_t had = (size_t)row_number(timed->row, COLUMN_VISITS);
    struct log_median median = timed->time;
    median.variance *= visits_variance(count) / visits_variance(had);
    median.freedom += (double)count - (double)had;
    return median;
}

/* Whether nothing but visits of one repetition says how well the case is known. */
static bool knows_by_visits(const struct compared_case *timed) {
    const double visits = row_number(timed->row, COLUMN_VISITS);
    return timed->from_visits && timed->repetitions == 1 && visits >= 1 && visits <= MAX_VISITS;
}

/* How many visits decide the case; 0: none do. */
static size_t visits_needed(const struct joined_case *joined) {
    if (!knows_by_visits(joined->baseline) || !knows_by_visits(joined->other)) {
        return 0;
    }
    const double room = log1p(joined->difference.within);
    for (size_t count = 2; count <= MAX_VISITS; count++) {
        const struct log_median a = after_visits(joined->baseline, count);
        const struct log_median b = after_visits(joined->other, count);
        const double error = sqrt(a.variance + b.variance);
        if (log_median_half_width(&a, &b, verdict_own_risk) + 2 * error <= room) {
            return count;
        }
    }
    return 0;
}

static double seconds_of_visits(const struct compared_case *timed, size_t count) {
    const double had = row_number(timed->row, COLUMN_VISITS);
    const double wall_s = row_number(timed->row, COLUMN_WALL_S);
    return isnan(wall_s) ? 0 : fmax((double)count - had, 1) * wall_s / had;
}

struct comparison_effort comparison_find_effort(const struct comparison *comparison) {
    struct comparison_effort effort = { 0 };
    for (size_t i = 0; i < comparison->joined_count; i++) {
        const struct joined_case *joined = &comparison->joined[i];
        if (joined->change != CHANGE_UNCLEAR) {
            continue;
        }
        const size_t needed = visits_needed(joined);
        effort.unclear++;
        if (needed > 0) {
            effort.decidable++;
            effort.most_visits = needed > effort.most_visits ? needed : effort.most_visits;
            effort.seconds += 0.5 * (seconds_of_visits(joined->baseline, needed) +
                                     seconds_of_visits(joined->other, needed));
        }
    }
    return effort;
}
