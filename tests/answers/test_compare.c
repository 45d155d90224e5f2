/* Whether `compare` says what can be known: intervals that hold what they say, no verdict on two
 * runs of the same thing, and a verdict on one that is slower. The noise is made here, from fixed
 * seeds. */
#include "answers/compare/compare.h"
#include "boxes/random.h"
#include "core/statistics.h"

#include "support.h"

/* ---- noise ---- */

/* Normal, by Box and Muller. */
static double random_normal(struct random *random) {
    const double radius = sqrt(-2 * log(1 - random_unit(random)));
    return radius * cos(6.283185307179586 * random_unit(random));
}

/* What a timing is like: each sample strays by itself, batches of `batch` stray together, and one
 * in twenty is late. The median is `seconds`, but for what the batches do. */
struct noise_model {
    double of_samples, of_batches;
    size_t batch;
};

static void make_samples(struct random *random, const struct noise_model *model, double seconds,
                         double *samples, size_t count) {
    double shift = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % model->batch == 0) {
            shift = model->of_batches * random_normal(random);
        }
        const double late = random_unit(random) < 0.05 ? 0.1 * random_unit(random) : 0;
        samples[i] = seconds * exp(shift + model->of_samples * random_normal(random) + late);
    }
}

/* ---- quantiles ---- */

/* Values as printed in tables of the distribution. */
TEST(quantiles_are_those_of_tables) {
    assert_close(student_quantile(0.025, 1), 12.7062, 1e-5);
    assert_close(student_quantile(0.025, 10), 2.22814, 1e-5);
    assert_close(student_quantile(0.005, 5), 4.03214, 1e-5);
    assert_close(student_quantile(0.0005, 30), 3.64596, 1e-5);
    assert_close(student_quantile(0.025, 1e7), 1.95996, 1e-5);
    /* In closed form: for 1 degree the tangent, for 2 degrees (1 - 2p) / sqrt(2 p (1 - p)). */
    assert_close(student_quantile(1e-5, 1), tan(1.5707963267948966 * (1 - 2e-5)), 1e-8);
    assert_close(student_quantile(1e-6, 2), (1 - 2e-6) / sqrt(2 * 1e-6 * (1 - 1e-6)), 1e-8);
    assert_true(isinf(student_quantile(0.025, 0)));
}

/* ---- the bootstrap ---- */

enum { TRIALS = 400 };

/* How many of TRIALS intervals for a ratio of two runs of the same thing hold 1, in percent. */
static double coverage(const struct noise_model *model, size_t count, double risk,
                       double *mean_width) {
    struct random random = random_from_seed(20261121);
    double *samples = calloc(count, sizeof *samples);
    int held = 0;
    *mean_width = 0;
    assert_non_null(samples);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct log_median sides[2];
        for (int side = 0; side < 2; side++) {
            make_samples(&random, model, 1e-3, samples, count);
            sides[side] = log_median_of_samples(samples, count);
        }
        const struct log_median between = log_median_between(&sides[0], &sides[1]);
        const double half = log_median_half_width(&between, risk);
        held += fabs(between.value) <= half;
        *mean_width += half / TRIALS;
    }
    free(samples);
    return 100.0 * held / TRIALS;
}

TEST(intervals_of_independent_samples_hold_what_they_say) {
    const struct noise_model model = { .of_samples = 0.01, .batch = 1 };
    double width;
    const double held = coverage(&model, 160, 0.05, &width);
    /* 400 trials of 95 %: 1.1 % to either side. The block bootstrap of 160 samples has 8 blocks. */
    assert_between((int)(10 * held), 925, 990);
    /* Were the samples normal: 1.96 * sqrt(2) * 1.2533 * 0.01 / sqrt(160). */
    const double ideal = 1.96 * sqrt(2) * 1.2533 * 0.01 / sqrt(160);
    assert_true(width > 0.9 * ideal && width < 1.6 * ideal);
}

/* Batches that stray together are what makes intervals of single samples far too narrow. */
TEST(intervals_hold_where_batches_stray_together) {
    const struct noise_model model = { .of_samples = 0.003, .of_batches = 0.01, .batch = 20 };
    double width;
    assert_between((int)(10 * coverage(&model, 200, 0.05, &width)), 915, 995);
}

TEST(few_samples_know_little) {
    const struct noise_model model = { .of_samples = 0.01, .batch = 1 };
    double width;
    assert_between((int)(10 * coverage(&model, 5, 0.05, &width)), 925, 1000);
    const double two[] = { 1.0, 1.1 };
    const struct log_median median = log_median_of_samples(two, 2);
    assert_close(exp(median.value), 1.05, 1e-12);
    const struct log_median between = log_median_between(&median, &median);
    assert_true(isinf(log_median_half_width(&between, 0.05)));
}

TEST(the_same_samples_give_the_same_digits) {
    const struct noise_model model = { .of_samples = 0.02, .batch = 1 };
    struct random random = random_from_seed(3);
    double samples[77];
    make_samples(&random, &model, 2e-5, samples, 77);
    const struct log_median first = log_median_of_samples(samples, 77);
    const struct log_median second = log_median_of_samples(samples, 77);
    assert_memory_equal(&first, &second, sizeof first);
    assert_true(first.variance > 0);
}

TEST(blocks_are_batches_and_leave_five) {
    assert_int_equal(bootstrap_block(1e-5, 1000), 32); /* a full batch */
    assert_int_equal(bootstrap_block(2e-3, 1000), 10); /* 0.02 s of launches; the cube root */
    assert_int_equal(bootstrap_block(1.0, 1000), 10);
    assert_int_equal(bootstrap_block(1e-5, 60), 12); /* five blocks stay */
    assert_int_equal(bootstrap_block(1.0, 4), 1);
}

/* A row's MAD gives no narrower an interval than its samples, in the mean. */
TEST(rows_without_samples_claim_no_more) {
    const struct noise_model model = { .of_samples = 0.01, .batch = 1 };
    struct random random = random_from_seed(5);
    double samples[160];
    double from_samples = 0;
    double from_rows = 0;
    for (int trial = 0; trial < 50; trial++) {
        make_samples(&random, &model, 1e-3, samples, 160);
        struct log_median median = log_median_of_samples(samples, 160);
        from_samples += sqrt(median.variance);
        /* The MAD of normal numbers is 0.6745 of their deviation. */
        median = log_median_of_row(1e-3, 0.6745 * 0.01 * 1e-3, 160);
        from_rows += sqrt(median.variance);
    }
    assert_true(from_rows >= from_samples);
    assert_true(isinf(log_median_of_row(1e-3, NAN, 160).variance));
    assert_true(isinf(log_median_of_row(1e-3, 1e-5, 2).variance));
}

/* ---- repetitions ---- */

TEST(repetitions_that_agree_know_more) {
    const struct log_median alike[] = { { 1.0, 4e-6, 9 }, { 1.0, 4e-6, 9 } };
    const struct log_median pooled = log_median_pool(alike, 2);
    assert_close(pooled.value, 1.0, 1e-12);
    assert_close(pooled.variance, 2e-6, 1e-12);
    assert_close(pooled.freedom, 18, 1e-12);
}

TEST(repetitions_that_differ_by_more_than_their_samples_say_so) {
    const struct log_median apart[] = { { 1.00, 1e-8, 9 }, { 1.10, 1e-8, 9 } };
    const struct log_median pooled = log_median_pool(apart, 2);
    /* Squares about the mean 2 * 0.05^2, over (2 - 1) and over 2. */
    assert_close(pooled.variance, 0.0025, 1e-9);
    assert_close(pooled.freedom, 1, 1e-3);
}

/* ---- verdicts ---- */

static enum change verdict_of(double ratio, double low, double high, double within) {
    const struct difference difference = { .ratio = ratio,
                                           .low = low,
                                           .high = high,
                                           .own_low = low,
                                           .own_high = high,
                                           .floor = within,
                                           .within = within };
    return difference_verdict(&difference);
}

TEST(verdicts_need_both_certainty_and_size) {
    assert_int_equal(verdict_of(1.05, 1.04, 1.06, 0.03), CHANGE_SLOWER);
    assert_int_equal(verdict_of(0.95, 0.94, 0.96, 0.03), CHANGE_FASTER);
    assert_int_equal(verdict_of(1.05, 0.99, 1.11, 0.03), CHANGE_UNCLEAR); /* not certain */
    assert_int_equal(verdict_of(1.02, 1.01, 1.025, 0.03), CHANGE_SAME);   /* certain, but small */
    assert_int_equal(verdict_of(1.05, 1.04, 1.06, 0.08), CHANGE_SAME);    /* under the floor */
    assert_int_equal(verdict_of(1.02, 1.01, 1.04, 0.03), CHANGE_UNCLEAR);
    assert_int_equal(verdict_of(1.50, 0, INFINITY, 0.03), CHANGE_UNCLEAR); /* few samples */
    assert_int_equal(verdict_of(NAN, NAN, NAN, 0.03), CHANGE_UNCLEAR);
    assert_int_equal(verdict_of(1.05, 1.04, 1.06, 0.2), CHANGE_UNCLEAR); /* all too noisy */
    /* Faster by a factor is as far as slower by it. */
    assert_int_equal(verdict_of(1 / 1.031, 1 / 1.04, 1 / 1.02, 0.03), CHANGE_FASTER);
    assert_int_equal(verdict_of(1 / 1.029, 1 / 1.04, 1 / 1.02, 0.03), CHANGE_UNCLEAR);
}

static enum change verdict_at_clock(double ratio, double clock_ratio) {
    const struct difference difference = { .ratio = ratio,
                                           .low = 0.99 * ratio,
                                           .high = 1.01 * ratio,
                                           .own_low = 0.99 * ratio,
                                           .own_high = 1.01 * ratio,
                                           .within = 0.03,
                                           .clock_ratio = clock_ratio };
    return difference_verdict(&difference);
}

/* Cycles are the time times the clock. */
TEST(a_difference_holds_in_clock_cycles_too) {
    assert_int_equal(verdict_at_clock(1.10, 0), CHANGE_SLOWER); /* not known */
    assert_int_equal(verdict_at_clock(1.10, 1), CHANGE_SLOWER);
    assert_int_equal(verdict_at_clock(1.10, 1 / 1.10), CHANGE_UNCLEAR);
    assert_int_equal(verdict_at_clock(1.10, 1 / 1.08), CHANGE_UNCLEAR); /* 1.9 % in cycles */
    assert_int_equal(verdict_at_clock(1.10, 1 / 1.06), CHANGE_SLOWER);  /* 3.8 % */
    assert_int_equal(verdict_at_clock(1.10, 1 / 1.20), CHANGE_UNCLEAR); /* fewer cycles */
    assert_int_equal(verdict_at_clock(1 / 1.10, 1.10), CHANGE_UNCLEAR);
    assert_int_equal(verdict_at_clock(1 / 1.10, 1.02), CHANGE_FASTER);
    assert_int_equal(verdict_at_clock(1.001, 1.10), CHANGE_SAME); /* of times */
}

static struct difference difference_between(const struct log_median *baseline,
                                            const struct log_median *other, double risk,
                                            double floor) {
    const struct log_median between = log_median_between(baseline, other);
    return difference_of(&between, risk, floor, 0.03);
}

/* However many cases share the risk of a false alarm, one is the same by its own interval, and
 * slower by the one that all hold together. */
TEST(the_same_is_asked_of_each_case_by_itself) {
    const struct log_median baseline = { 0, 5e-5, 20 };
    struct log_median other = { 0.005, 5e-5, 20 }; /* standard error of both: 1 % */
    struct difference alone = difference_between(&baseline, &other, 0.05, 0);
    struct difference of_many = difference_between(&baseline, &other, 0.05 / 1000, 0);
    assert_true(of_many.high > 1.03 && of_many.own_high < 1.03);
    assert_true(of_many.own_high == alone.own_high && alone.own_high < alone.high);
    assert_close(log(of_many.own_high), 0.005 + 1.6839 * 0.01, 1e-3); /* t(40), 5 % a side */
    assert_int_equal(difference_verdict(&of_many), CHANGE_SAME);
    other.value = 0.015; /* within, but it may be beyond */
    of_many = difference_between(&baseline, &other, 0.05 / 1000, 0);
    assert_int_equal(difference_verdict(&of_many), CHANGE_UNCLEAR);
    other.value = 0.0325; /* the case by itself is slower; of a thousand, one is by chance */
    alone = difference_between(&baseline, &other, 0.05, 0);
    of_many = difference_between(&baseline, &other, 0.05 / 1000, 0);
    assert_int_equal(difference_verdict(&alone), CHANGE_SLOWER);
    assert_int_equal(difference_verdict(&of_many), CHANGE_UNCLEAR);
}

TEST(the_larger_of_floor_and_threshold_counts) {
    const struct log_median baseline = { 0, 1e-8, 50 };
    const struct log_median other = { log(1.04), 1e-8, 50 };
    struct difference difference = difference_between(&baseline, &other, 0.05, 0.01);
    assert_close(difference.ratio, 1.04, 1e-12);
    assert_close(difference.within, 0.03, 1e-12);
    assert_int_equal(difference_verdict(&difference), CHANGE_SLOWER);
    difference = difference_between(&baseline, &other, 0.05, 0.045);
    assert_close(difference.within, 0.045, 1e-12);
    assert_int_equal(difference_verdict(&difference), CHANGE_SAME);
}

/* ---- whole runs, written as bench does ---- */

enum { CASES = 120, TWINS = 8, SAMPLES = 100, RUNS = 2 };

struct recorded {
    char folder[TEST_FOLDER_SIZE];
    FILE *rows, *samples;
};

static void record_open(struct recorded *recorded) {
    char path[600];
    make_test_folder(recorded->folder);
    (void)snprintf(path, sizeof path, "%s/rows.csv", recorded->folder);
    assert_non_null(recorded->rows = fopen(path, "w"));
    (void)snprintf(path, sizeof path, "%s/samples.csv", recorded->folder);
    assert_non_null(recorded->samples = fopen(path, "w"));
    (void)fputs("case_id,variant,n,status,message,force_s_median,force_s_mad,samples,repetition,"
                "device,twin\n",
                recorded->rows);
    (void)fputs("case_id,repetition,cache,seconds,device\n", recorded->samples);
}

/* One timing of a case; the median is right, for nobody looks at the row where samples are. */
static void record_case(struct recorded *recorded, int number, bool twin, const double *samples,
                        size_t count) {
    const char *word = twin ? "twin" : "case";
    double sorted[SAMPLES] = { 0 };
    assert_true(count > 0 && count <= SAMPLES);
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(recorded->samples, "%s%d,0,hot,%.9g,d\n", word, number, samples[i]);
        sorted[i] = samples[i];
        for (size_t j = i; j > 0 && sorted[j] < sorted[j - 1]; j--) {
            const double moved = sorted[j];
            sorted[j] = sorted[j - 1];
            sorted[j - 1] = moved;
        }
    }
    const double median = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
    (void)fprintf(recorded->rows, "%s%d,loop,%d,ok,,%.9g,%.9g,%zu,0,d,%s\n", word, number, number,
                  median, 0.01 * median, count, twin ? "1" : "");
}

static void record_close(struct recorded *recorded, double floor) {
    char path[600];
    assert_int_equal(fclose(recorded->rows), 0);
    assert_int_equal(fclose(recorded->samples), 0);
    if (!isnan(floor)) {
        (void)snprintf(path, sizeof path, "%s/environment.json", recorded->folder);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        (void)fprintf(file, "{\"noise_floor\":{\"ratio_spread\":%g,\"pairs\":%d}}\n", floor, TWINS);
        assert_int_equal(fclose(file), 0);
    }
}

/* A run of CASES, each `slower` times as long as it should be. Timings stray by `stray` whatever
 * their samples say; the first TWINS cases are timed twice. */
static void record_run(struct random *random, double slower, double stray, double of_run,
                       struct recorded *recorded) {
    double shifts[CASES];
    const struct noise_model model = { .of_samples = 0.004, .of_batches = 0.001, .batch = 20 };
    double samples[SAMPLES];
    record_open(recorded);
    for (int c = 0; c < CASES; c++) {
        shifts[c] = of_run * random_normal(random);
    }
    for (int c = 0; c < CASES + TWINS; c++) {
        const int number = c % CASES;
        const double seconds =
            slower * (1e-3 + 1e-5 * number) * exp(shifts[number] + stray * random_normal(random));
        make_samples(random, &model, seconds, samples, SAMPLES);
        record_case(recorded, number, c >= CASES, samples, SAMPLES);
    }
    record_close(recorded, NAN);
}

static void compare_folders(const struct recorded *a, const struct recorded *b,
                            struct comparison *comparison, struct run runs[2]) {
    const struct compare_settings settings = { .threshold = compare_threshold };
    struct error error;
    assert_true(run_read(a->folder, NULL, &runs[0], &error));
    assert_true(run_read(b->folder, NULL, &runs[1], &error));
    runs[0].side_name = "first";
    runs[1].side = 1;
    runs[1].side_name = "second";
    assert_true(compare_runs(runs, 2, &settings, comparison, &error));
}

static void release(struct comparison *comparison, struct run runs[2]) {
    comparison_free(comparison);
    run_free(&runs[0]);
    run_free(&runs[1]);
}

/* Counts of verdicts over RUNS pairs of runs. */
static void compare_many(double slower, double stray, size_t counts[CHANGES]) {
    struct random random = random_from_seed(77);
    memset(counts, 0, CHANGES * sizeof *counts);
    for (int r = 0; r < RUNS; r++) {
        struct recorded recorded[2];
        struct comparison comparison;
        struct run runs[2];
        record_run(&random, 1, stray, 0, &recorded[0]);
        record_run(&random, slower, stray, 0, &recorded[1]);
        compare_folders(&recorded[0], &recorded[1], &comparison, runs);
        assert_int_equal(comparison.joined_count, CASES); /* twins are no results */
        for (int change = 0; change < CHANGES; change++) {
            counts[change] += comparison_count(&comparison, SIZE_MAX, (enum change)change);
        }
        release(&comparison, runs);
        assert_int_equal(remove_test_folder(recorded[0].folder), 0);
        assert_int_equal(remove_test_folder(recorded[1].folder), 0);
    }
}

/* Also where timings stray by far more than their samples tell. */
TEST(the_same_thing_twice_is_never_faster_or_slower) {
    static const double strays[] = { 0.002, 0.01, 0.05 };
    for (int i = 0; i < 3; i++) {
        size_t counts[CHANGES];
        compare_many(1, strays[i], counts);
        assert_int_equal(counts[CHANGE_SLOWER], 0);
        assert_int_equal(counts[CHANGE_FASTER], 0);
        assert_true(i > 0 || counts[CHANGE_SAME] > CASES * RUNS / 2);
    }
}

/* Two timings of a case of all_pairs_loop on an H200 stray by 0.2 to 0.5 %. */
TEST(five_percent_is_found) {
    size_t counts[CHANGES];
    compare_many(1.05, 0.002, counts);
    assert_int_equal(counts[CHANGE_FASTER], 0);
    assert_int_equal(counts[CHANGE_SAME], 0);
    assert_true(100 * counts[CHANGE_SLOWER] >= 95 * CASES * RUNS);
    compare_many(1 / 1.05, 0.002, counts);
    assert_true(100 * counts[CHANGE_FASTER] >= 95 * CASES * RUNS);
}

/* What shifts a case for the length of a run, no run can know: several runs a side can. */
TEST(several_runs_tell_how_runs_stray) {
    enum { OF_A_SIDE = 3 };
    const struct compare_settings settings = { .threshold = compare_threshold };
    struct random random = random_from_seed(8);
    struct recorded recorded[2 * OF_A_SIDE];
    struct run runs[2 * OF_A_SIDE];
    struct comparison comparison;
    struct error error;
    for (int r = 0; r < 2 * OF_A_SIDE; r++) {
        record_run(&random, 1, 0.001, 0.04, &recorded[r]);
        assert_true(run_read(recorded[r].folder, NULL, &runs[r], &error));
        runs[r].side_name = recorded[r].folder;
    }
    for (int of_a_side = 1; of_a_side <= OF_A_SIDE; of_a_side += 2) {
        for (int r = 0; r < 2 * OF_A_SIDE; r++) {
            runs[r].side = r < of_a_side ? 0 : 1;
        }
        assert_true(compare_runs(runs, 2 * (size_t)of_a_side, &settings, &comparison, &error));
        const size_t called = comparison_count(&comparison, SIZE_MAX, CHANGE_SLOWER) +
                              comparison_count(&comparison, SIZE_MAX, CHANGE_FASTER);
        assert_true(of_a_side == 1 ? called > CASES / 4 : called == 0);
        comparison_free(&comparison);
    }
    for (int r = 0; r < 2 * OF_A_SIDE; r++) {
        run_free(&runs[r]);
        assert_int_equal(remove_test_folder(recorded[r].folder), 0);
    }
}

/* ---- noise floors ---- */

static void make_pair_of_runs(double shift, double floor, struct recorded recorded[2]) {
    const struct noise_model model = { .of_samples = 0.001, .batch = 1 };
    struct random random = random_from_seed(1);
    double samples[50];
    for (int r = 0; r < 2; r++) {
        record_open(&recorded[r]);
        make_samples(&random, &model, r == 1 ? shift * 1e-3 : 1e-3, samples, 50);
        record_case(&recorded[r], 1, false, samples, 50);
        record_close(&recorded[r], floor);
    }
}

static enum change change_with_floor(double shift, double floor, double *within) {
    struct recorded recorded[2];
    struct comparison comparison;
    struct run runs[2];
    make_pair_of_runs(shift, floor, recorded);
    compare_folders(&recorded[0], &recorded[1], &comparison, runs);
    assert_int_equal(comparison.joined_count, 1);
    const enum change change = comparison.joined[0].change;
    *within = comparison.joined[0].difference.within;
    release(&comparison, runs);
    assert_int_equal(remove_test_folder(recorded[0].folder), 0);
    assert_int_equal(remove_test_folder(recorded[1].folder), 0);
    return change;
}

TEST(what_the_environment_says_is_the_floor) {
    double within;
    assert_int_equal(change_with_floor(1.07, 0.01, &within), CHANGE_SLOWER);
    assert_close(within, compare_threshold, 1e-12);
    assert_int_equal(change_with_floor(1.07, 0.09, &within), CHANGE_SAME);
    assert_close(within, 0.09, 1e-12);
    assert_int_equal(change_with_floor(1 / 1.07, 0.01, &within), CHANGE_FASTER);
}

TEST(a_floor_that_is_not_told_is_taken_to_be_high) {
    double within;
    assert_int_equal(change_with_floor(1.07, NAN, &within), CHANGE_SAME);
    assert_close(within, noise_unknown_floor, 1e-12);
    assert_int_equal(change_with_floor(1.15, NAN, &within), CHANGE_SLOWER);
}
