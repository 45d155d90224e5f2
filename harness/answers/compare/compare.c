/* Compares sides: joins their cases, tests each pair of times, and finds what a comparison lacks.
 */
#include "answers/compare/compare.h"

#include "campaign/axes/axes.h"
#include "campaign/visits.h"
#include "core/strings.h"
#include "measure/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double compare_risk = 0.05;
const double compare_threshold = 0.03;

/* ---- sides ---- */

/* What a comparison is made of: the runs, and their rows in SQL. */
struct comparing {
    const struct run *runs;
    size_t run_count;
    const struct compare_settings *settings;
    struct analysis analysis;
};

static const char *name_of(const struct comparing *comparing, const struct answer *sides,
                           size_t s) {
    return comparing->settings->by == BY_RUN
               ? comparing->runs[(size_t)answer_number(sides, s, 1) - 1].side_name
               : answer_text(sides, s, 0);
}

/* The place of the side that the user asks for. */
static bool choose_baseline(const struct comparing *comparing, const struct answer *sides,
                            size_t *chosen, struct error *error) {
    const char *baseline = comparing->settings->baseline;
    const char **names = memory_zeroed(sides->rows + 1, sizeof *names);
    *chosen = 0;
    for (size_t s = 0; s < sides->rows; s++) {
        names[s] = name_of(comparing, sides, s);
    }
    while (baseline && *chosen < sides->rows && !matches_pattern(baseline, names[*chosen])) {
        ++*chosen;
    }
    const bool found =
        *chosen < sides->rows || words_fail_unknown("--baseline", "side", baseline, names, error);
    free(names);
    return found;
}

/* The noise floor that the environments of its runs record. */
static struct noise noise_of_runs(struct comparing *comparing, size_t place) {
    struct noise noise = { .floor = NAN };
    struct answer runs = analysis_ask(
        &comparing->analysis,
        "SELECT DISTINCT named.run FROM named JOIN sides USING (name) WHERE side = %d", (int)place);
    for (size_t i = 0; i < runs.rows; i++) {
        const struct run *run = &comparing->runs[(size_t)answer_number(&runs, i, 0) - 1];
        noise.floor = fmax(noise.floor, run->floor); /* fmax() of NaN and a number is the number */
        noise.pairs += run->floor_pairs;
    }
    answer_free(&runs);
    return noise;
}

static void side_make(struct comparing *comparing, size_t place, const char *name,
                      struct side *side) {
    const struct compare_settings *settings = comparing->settings;
    side->name = memory_copy(name);
    side->noise = noise_of_runs(comparing, place);
    side->cases = cases_gather(&comparing->analysis, comparing->runs,
                               (struct rows_of_side){ place, false }, settings->log);
    struct compared_cases twins = cases_gather(&comparing->analysis, comparing->runs,
                                               (struct rows_of_side){ place, true }, settings->log);
    noise_measure(&side->cases, &twins, &side->noise);
    if (settings->by == BY_VARIANT) {
        cases_keep_fastest(&side->cases);
    }
    cases_free(&twins);
}

static bool make_sides(struct comparing *comparing, const struct answer *sides,
                       struct comparison *comparison, struct error *error) {
    static const char *const columns[] = { "run", "device", "variant", "precision", "commit" };
    const enum compare_by by = comparing->settings->by;
    size_t baseline = 0;
    if (sides->rows < 2) {
        return fail(error, STATUS_BAD_INPUT, "nothing to compare: all rows are of one %s%s%s",
                    columns[by], sides->rows > 0 && by != BY_RUN ? ", " : "",
                    sides->rows > 0 && by != BY_RUN ? answer_text(sides, 0, 0) : "");
    }
    if (!choose_baseline(comparing, sides, &baseline, error)) {
        return false;
    }
    comparison->sides = memory_zeroed(sides->rows, sizeof *comparison->sides);
    for (size_t s = 0; s < sides->rows; s++) {
        const size_t place = s == 0 ? baseline : s - (s <= baseline);
        side_make(comparing, place + 1, name_of(comparing, sides, place),
                  &comparison->sides[comparison->side_count++]);
    }
    return true;
}

static bool find_sides(const struct run *runs, size_t run_count,
                       const struct compare_settings *settings, struct comparison *comparison,
                       struct error *error) {
    struct comparing comparing = { runs, run_count, settings, { 0 } };
    struct analysis *analysis = &comparing.analysis;
    analysis_open(analysis);
    for (size_t r = 0; r < run_count; r++) {
        analysis_add_table(analysis, &runs[r].table);
    }
    cases_place(analysis, runs, run_count, settings->by);
    struct answer sides = analysis_ask(
        analysis, "SELECT name, run FROM sides JOIN rows ON rows.rowid = id ORDER BY side");
    const bool made = make_sides(&comparing, &sides, comparison, error);
    answer_free(&sides);
    analysis_close(analysis);
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

/* The verdict by statuses alone. */
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
    if (joined->timed) {
        joined->between = log_median_between(&baseline->time, &other->time);
    }
}

/* Both sides are sorted by key: a merge. Within a side, keys that are alike (of other tunables,
 * where these do not identify cases) were made one. */
static void join_side(struct comparison *comparison, size_t side) {
    const struct compared_cases *baseline = &comparison->sides[0].cases;
    const struct compared_cases *other = &comparison->sides[side].cases;
    size_t b = 0;
    size_t o = 0;
    while (b < baseline->count || o < other->count) {
        const size_t left = b < baseline->count ? baseline->cases[b].key : SIZE_MAX;
        const size_t right = o < other->count ? other->cases[o].key : SIZE_MAX;
        const int order = (left > right) - (left < right);
        add_joined(comparison, order <= 0 ? &baseline->cases[b] : NULL,
                   order >= 0 ? &other->cases[o] : NULL, side);
        b += order <= 0;
        o += order >= 0;
    }
}

/* ---- the noise of a case, from its visits in both runs ---- */

/* Whether the time of the case is known from the visits of one repetition alone. */
static bool knows_by_visits(const struct compared_case *timed) {
    const double visits = row_number(timed->row, COLUMN_VISITS);
    return timed->from_visits && timed->repetitions == 1 && visits >= 1 && visits <= MAX_VISITS;
}

/* Whether both runs have the same noise: visits of one variant, precision and model of device. */
static bool is_same_noise(const struct joined_case *joined) {
    static const enum column alike[] = { COLUMN_DEVICE_MODEL, COLUMN_VARIANT, COLUMN_PRECISION };
    bool same =
        joined->timed && knows_by_visits(joined->baseline) && knows_by_visits(joined->other);
    for (size_t i = 0; same && i < sizeof alike / sizeof alike[0]; i++) {
        same = strcmp(row_text(joined->baseline->row, alike[i]),
                      row_text(joined->other->row, alike[i])) == 0;
    }
    return same;
}

/* The variance within either run: what differs between the runs is no noise. */
static bool pool_spreads(const struct joined_case *joined, struct visit_spread *pooled) {
    struct visit_spread other;
    if (!is_same_noise(joined) || !visits_spread(joined->baseline->row, pooled) ||
        !visits_spread(joined->other->row, &other)) {
        return false;
    }
    const double freedom = pooled->freedom + other.freedom;
    const double squares = pooled->freedom * pooled->variance + other.freedom * other.variance;
    pooled->variance = freedom > 0 ? squares / freedom : 0;
    pooled->freedom = freedom;
    pooled->log_seconds = 0.5 * (pooled->log_seconds + other.log_seconds);
    pooled->scatter = 0.5 * (pooled->scatter + other.scatter);
    return true;
}

static void take_noise(struct joined_case *joined, const struct moderated *noise) {
    const double of_baseline = row_number(joined->baseline->row, COLUMN_VISITS);
    const double of_other = row_number(joined->other->row, COLUMN_VISITS);
    if (!isnan(noise->variance)) {
        joined->between.variance = noise->variance * (visits_variance((size_t)of_baseline) +
                                                      visits_variance((size_t)of_other));
        joined->between.freedom = noise->freedom;
    }
}

static bool is_of_one_device(const struct joined_case *a, const struct joined_case *b) {
    return a->side == b->side && strcmp(row_text(a->baseline->row, COLUMN_DEVICE),
                                        row_text(b->baseline->row, COLUMN_DEVICE)) == 0;
}

/* Estimates together the noise of the cases from `first` on that were timed on its device, and
 * marks them in `taken`, where the cases of earlier devices are marked. */
static void pool_device(const struct comparison *comparison, size_t first, bool *taken,
                        struct noise_pool *pool) {
    pool->count = 0;
    for (size_t i = first; i < comparison->joined_count; i++) {
        const struct joined_case *joined = &comparison->joined[i];
        if (joined->timed && is_of_one_device(&comparison->joined[first], joined)) {
            taken[i] = true;
            pool->owner[pool->count] = i;
            pool->count += pool_spreads(joined, &pool->spreads[pool->count]);
        }
    }
    noise_pool_moderate(pool);
    for (size_t i = 0; i < pool->count; i++) {
        take_noise(&comparison->joined[pool->owner[i]], &pool->moderated[i]);
    }
}

/* The noise of a case is estimated from the visits of both runs: those of a single one may differ
 * by little just by chance. */
static void pool_noise(const struct comparison *comparison) {
    const size_t count = comparison->joined_count;
    bool *taken = memory_zeroed(count, sizeof *taken);
    struct noise_pool pool = noise_pool_make(count);
    for (size_t i = 0; i < count; i++) {
        if (comparison->joined[i].timed && !taken[i]) {
            pool_device(comparison, i, taken, &pool);
        }
    }
    free(taken);
    noise_pool_free(&pool);
}

/* ---- verdicts ---- */

/* The p value: the probability of such a difference, or a larger one, by chance alone. */
static double chance_of(const struct log_median *between) {
    return between->freedom > 0 && between->variance > 0
               ? fisher_tail(between->value * between->value / between->variance, 1,
                             between->freedom)
               : 1;
}

static int compare_chances(const void *a, const void *b) {
    const struct joined_case *left = *(struct joined_case *const *)a;
    const struct joined_case *right = *(struct joined_case *const *)b;
    const double one = chance_of(&left->between);
    const double other = chance_of(&right->between);
    return (one > other) - (one < other);
}

/* S. Holm, Scand. J. Stat. 6 (1979) 65: with the m cases sorted by their p values, case k = 0, 1,
 * ... is tested at compare_risk / (m - k); the first that is not significant ends this, and the
 * others get its share. The probability of one false alarm or more is then compare_risk at most. */
static void share_risk(struct comparison *comparison) {
    struct joined_case **timed = memory_zeroed(comparison->timed, sizeof *timed);
    size_t count = 0;
    for (size_t i = 0; i < comparison->joined_count; i++) {
        if (comparison->joined[i].timed) {
            timed[count++] = &comparison->joined[i];
        }
    }
    qsort((void *)timed, count, sizeof *timed, compare_chances);
    size_t differ = 0; /* so far, beyond chance */
    for (size_t i = 0; i < count; i++) {
        timed[i]->risk = compare_risk / (double)(count - differ);
        differ += differ == i && chance_of(&timed[i]->between) <= timed[i]->risk;
    }
    free((void *)timed);
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
        joined->difference =
            difference_of(&joined->between, joined->risk, floor, comparison->threshold);
        /* Between devices, times decide, not clock cycles. */
        joined->difference.clock_ratio =
            comparison->by == BY_DEVICE ? 0 : cases_clock_ratio(joined->baseline, joined->other);
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
    if (!find_sides(runs, run_count, settings, comparison, error)) {
        comparison_free(comparison);
        return false;
    }
    for (size_t s = 1; s < comparison->side_count; s++) {
        most += comparison->sides[0].cases.count + comparison->sides[s].cases.count;
    }
    comparison->joined = memory_zeroed(most, sizeof *comparison->joined);
    for (size_t s = 1; s < comparison->side_count; s++) {
        join_side(comparison, s);
    }
    pool_noise(comparison);
    share_risk(comparison);
    for (size_t r = 0; r < run_count; r++) {
        if (runs[r].doubts.data) {
            strbuf_append(&comparison->doubts, "%s%s", comparison->doubts.length > 0 ? "; " : "",
                          runs[r].doubts.data);
        }
    }
    judge(comparison);
    qsort(comparison->joined, comparison->joined_count, sizeof *comparison->joined, compare_joined);
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
    strbuf_free(&comparison->doubts);
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

/* The difference as `count` visits of either side would know it. */
static struct log_median after_visits(const struct joined_case *joined, size_t count) {
    const size_t of_baseline = (size_t)row_number(joined->baseline->row, COLUMN_VISITS);
    const size_t of_other = (size_t)row_number(joined->other->row, COLUMN_VISITS);
    struct log_median between = joined->between;
    between.variance *=
        2 * visits_variance(count) / (visits_variance(of_baseline) + visits_variance(of_other));
    between.freedom += 2 * (double)count - (double)of_baseline - (double)of_other;
    return between;
}

/* How many visits decide the case, more than it had; 0: none do, as under a noise floor that hides
 * too much. */
static size_t visits_needed(const struct joined_case *joined) {
    if (!knows_by_visits(joined->baseline) || !knows_by_visits(joined->other) ||
        joined->difference.floor > verdict_most_floor) {
        return 0;
    }
    const double room = log1p(joined->difference.within);
    const double had = fmax(row_number(joined->baseline->row, COLUMN_VISITS),
                            row_number(joined->other->row, COLUMN_VISITS));
    for (size_t count = (size_t)had + 1; count <= MAX_VISITS; count++) {
        const struct log_median between = after_visits(joined, count);
        const double error = sqrt(between.variance);
        if (log_median_half_width(&between, verdict_own_risk) + 2 * error <= room) {
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
