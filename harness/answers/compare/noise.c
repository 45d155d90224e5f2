#include "answers/compare/noise.h"

#include "core/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double noise_unknown_floor = 0.10;

static struct variant_noise *find_variant(const struct noise *noise, const char *variant) {
    for (size_t i = 0; i < noise->count; i++) {
        if (strcmp(noise->variants[i].variant, variant) == 0) {
            return &noise->variants[i];
        }
    }
    return NULL;
}

static void add_to_variant(struct noise *noise, const struct compared_case *timed, double squares,
                           double freedom) {
    const char *variant = row_text(timed->row, COLUMN_VARIANT);
    struct variant_noise *found = find_variant(noise, variant);
    if (!found) {
        found = &noise->variants[noise->count++];
        *found = (struct variant_noise){ .variant = variant };
    }
    found->sum_of_squares += squares;
    found->freedom += freedom;
}

static int compare_key_with_case(const void *key, const void *entry) {
    const struct compared_case *repeat = key;
    const struct compared_case *timed = entry;
    int order = strcmp(repeat->key, timed->key);
    return order ? order
                 : strcmp(row_text(repeat->row, COLUMN_TUNABLES),
                          row_text(timed->row, COLUMN_TUNABLES));
}

static void add_repeat(struct noise *noise, const struct compared_cases *cases,
                       const struct compared_case *repeat) {
    const struct compared_case *timed =
        bsearch(repeat, cases->cases, cases->count, sizeof *cases->cases, compare_key_with_case);
    if (!timed || !timed->timed || !repeat->timed) {
        return;
    }
    const double difference = repeat->time.value - timed->time.value;
    const double of_a_repetition = 1.0 / (double)repeat->units + 1.0 / (double)timed->units;
    noise->repeat_squares += difference * difference;
    noise->repeats++;
    /* Repeats share a run, so that they say nothing of how runs differ. */
    if (!timed->units_are_runs) {
        add_to_variant(noise, timed, difference * difference / of_a_repetition, 1);
    }
}

/* NaN where it is not known. */
static double visit_deviation(const struct compared_case *timed) {
    return timed->timed && timed->from_visits ? row_number(timed->row, COLUMN_VISIT_S_SD) /
                                                    row_number(timed->row, COLUMN_FORCE_S_MEDIAN)
                                              : NAN;
}

static bool measure_visits(const struct compared_cases *cases, struct noise *noise,
                           struct error *error) {
    double *deviations = calloc(cases->count + 1, sizeof *deviations);
    size_t count = 0;
    if (!deviations) {
        return fail_out_of_memory(error, "the noise of visits");
    }
    for (size_t i = 0; i < cases->count; i++) {
        const double deviation = visit_deviation(&cases->cases[i]);
        noise->timed += cases->cases[i].timed;
        noise->visited += cases->cases[i].timed && cases->cases[i].from_visits;
        if (!isnan(deviation)) {
            deviations[count++] = deviation;
        }
    }
    sort_numbers(deviations, count);
    noise->visit_sd = quantile_of_sorted(deviations, count, 0.5);
    free(deviations);
    return true;
}

bool noise_measure(const struct compared_cases *cases, const struct compared_cases *repeats,
                   const struct run *const *runs, size_t run_count, struct noise *noise,
                   struct error *error) {
    *noise = (struct noise){ .floor = NAN, .machine_load = NAN };
    noise->variants = calloc(cases->count + 1, sizeof *noise->variants);
    if (!noise->variants) {
        return fail_out_of_memory(error, "the noise floor");
    }
    for (size_t i = 0; i < run_count; i++) {
        noise->floor = fmax(noise->floor, runs[i]->floor); /* of a NaN and a number: the number */
        noise->pairs += runs[i]->floor_pairs;
    }
    for (size_t i = 0; i < cases->count; i++) {
        const struct compared_case *timed = &cases->cases[i];
        noise->machine_load = fmax(noise->machine_load, timed->machine_load);
        if (timed->timed && timed->units > 1) {
            add_to_variant(noise, timed, timed->sum_of_squares, (double)timed->units - 1);
        }
    }
    for (size_t i = 0; cases->count > 0 && i < repeats->count; i++) {
        add_repeat(noise, cases, &repeats->cases[i]);
    }
    noise->pairs = noise->pairs > noise->repeats ? noise->pairs : noise->repeats;
    return measure_visits(cases, noise, error);
}

void noise_free(struct noise *noise) {
    free(noise->variants);
    *noise = (struct noise){ 0 };
}

bool noise_is_known(const struct noise *noise) {
    return !isnan(noise->floor) || noise->repeats >= NOISE_LEAST_FREEDOM;
}

double noise_floor(const struct noise *noise, double risk) {
    double floor = noise->floor;
    if (noise->repeats >= NOISE_LEAST_FREEDOM) {
        const double freedom = (double)noise->repeats;
        const double spread = sqrt(noise->repeat_squares / freedom);
        floor = fmax(floor, expm1(spread * student_quantile(0.5 * risk, freedom)));
    }
    return noise_is_known(noise) ? floor : noise_unknown_floor;
}

/* 0 where no load is known. */
static double floor_from_load(const struct compared_case *timed) {
    const double load = timed->machine_load;
    if (isnan(load)) {
        return 0;
    }
    return load < 1 ? load / (1 - load) : INFINITY;
}

double noise_floor_of_pair(const struct noise *a, const struct compared_case *case_a,
                           const struct noise *b, const struct compared_case *case_b, double risk) {
    const struct variant_noise *of_a = find_variant(a, row_text(case_a->row, COLUMN_VARIANT));
    const struct variant_noise *of_b = find_variant(b, row_text(case_b->row, COLUMN_VARIANT));
    const double from_load = fmax(floor_from_load(case_a), floor_from_load(case_b));
    const double floor_a = case_a->from_visits ? 0 : noise_floor(a, risk);
    const double floor_b = case_b->from_visits ? 0 : noise_floor(b, risk);
    const double floor = fmax(from_load, fmax(floor_a, floor_b));
    if (case_a->from_visits || case_b->from_visits) {
        return floor;
    }
    if (!of_a || !of_b || of_a->freedom < NOISE_LEAST_FREEDOM ||
        of_b->freedom < NOISE_LEAST_FREEDOM) {
        return floor;
    }
    const double variance = of_a->sum_of_squares / of_a->freedom / (double)case_a->units +
                            of_b->sum_of_squares / of_b->freedom / (double)case_b->units;
    const double quantile = student_quantile(0.5 * risk, fmin(of_a->freedom, of_b->freedom));
    return fmax(floor, expm1(quantile * sqrt(variance)));
}
