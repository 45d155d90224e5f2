/* How far a time can be trusted: throttled clocks, machines loaded by others, energy counters that
 * move in steps, and the noise floor of a run. Statistics are checked against printed tables and by
 * simulation; the sampler runs on the best device here, with a state that the test makes up. */
#include "answers/summary/summary.h"
#include "campaign/rows/rows.h"
#include "core/statistics.h"
#include "core/strings.h"
#include "devices/machine/machine_watch.h"
#include "devices/machine/peak.h"
#include "hand_box.h"
#include "measure/one_case.h"

#include <math.h>
#include <time.h>

#include "built_in.h" /* last: see there */

/* ---- throttling ---- */

static struct device_state clock_state(double mhz, const char *reasons) {
    struct device_state state = { .sm_clock_mhz = mhz };
    (void)snprintf(state.throttle_reasons, sizeof state.throttle_reasons, "%s", reasons);
    return state;
}

static bool throttled(struct clock_watch *watch, double mhz, const char *reasons) {
    const struct device_state state = clock_state(mhz, reasons);
    return clock_watch_throttled(watch, &state);
}

TEST(reasons_throttle) {
    struct clock_watch watch = { 0 };
    static const char *const harmless[] = {
        "", "none", "idle", "application_clocks", "sync_boost", "display_clocks", "idle+sync_boost"
    };
    static const char *const slowing[] = { "power_cap",
                                           "hw_slowdown",
                                           "sw_thermal",
                                           "hw_thermal",
                                           "power_brake",
                                           "idle+power_cap",
                                           "hw_thermal+display_clocks" };
    for (size_t i = 0; i < 7; i++) {
        assert_false(throttled(&watch, 1980, harmless[i]));
        assert_true(throttled(&watch, 1980, slowing[i]));
    }
}

TEST(slow_clock_throttles) {
    struct clock_watch watch = { 0 };
    /* Nothing is usual yet. */
    assert_true(isnan(clock_watch_usual_mhz(&watch)));
    assert_false(throttled(&watch, 345, "none"));
    for (int i = 0; i < 6; i++) {
        assert_false(throttled(&watch, 1980, "none"));
    }
    assert_true(clock_watch_usual_mhz(&watch) == 1980); /* the idle clock does not count for much */
    assert_false(throttled(&watch, 1783, "none"));
    assert_true(throttled(&watch, 1781, "none"));
    assert_false(throttled(&watch, NAN, "")); /* not told */
}

TEST(throttling_does_not_become_usual) {
    struct clock_watch watch = { 0 };
    for (int i = 0; i < 10; i++) {
        assert_false(throttled(&watch, 1980, "none"));
    }
    for (int i = 0; i < 1000; i++) {
        assert_true(throttled(&watch, 1200, "power_cap"));
    }
    assert_true(clock_watch_usual_mhz(&watch) == 1980);
    /* But somebody who sets other clocks is followed. */
    int dropped = 0;
    while (throttled(&watch, 1200, "none")) {
        dropped++;
        assert_true(dropped < 2 * CLOCKS_KEPT);
    }
    assert_int_equal(dropped, 11); /* until the median is theirs */
}

/* ---- others on the machine ---- */

TEST(machine_is_parsed) {
    struct machine_moment moment;
    assert_true(machine_parse("cpu  100 20 30 4000 50 6 7 8 90 10\ncpu0 1 2 3 4\n", 100, &moment));
    assert_close(moment.busy_s, 1.71, 1e-12); /* guests are in user and nice already */
    assert_close(moment.total_s, 42.21, 1e-12);
    assert_true(machine_parse("cpu 1 2 3 4\n", 100, &moment)); /* as kernels of long ago */
    assert_close(moment.busy_s, 0.06, 1e-12);
    assert_false(machine_parse("cpu 1 2 3\n", 100, &moment));
    assert_false(machine_parse("", 100, &moment));
    assert_false(machine_parse("intr 1 2 3 4 5 6 7 8", 100, &moment));
    assert_false(machine_parse("cpu 1 2 3 4", 0, &moment));
}

TEST(load_is_what_others_took) {
    const struct machine_moment from = { .busy_s = 10, .total_s = 100, .own_s = 5 };
    struct machine_moment to = { .busy_s = 14, .total_s = 108, .own_s = 7 };
    assert_close(machine_load_between(&from, &to, 4), 0.25, 1e-12);
    to.own_s = 9.02; /* ticks are coarse: more than all that was busy */
    assert_true(machine_load_between(&from, &to, 4) == 0);
    to.total_s = 100.3; /* 0.3 s of four processors are 0.075 s each */
    assert_true(isnan(machine_load_between(&from, &to, 4)));
    to.total_s = 100; /* a system that does not count */
    assert_true(isnan(machine_load_between(&from, &to, 4)));
    to = (struct machine_moment){ NAN, NAN, NAN };
    assert_true(isnan(machine_load_between(&from, &to, 4)));
}

/* ---- the energy counter ---- */

/* A counter at 100 W that moves every 0.1 s and is looked at every `look` seconds; what it says of
 * the power. */
static double stepped_power(double look, double window, double *seconds) {
    struct energy_watch watch = { 0 };
    double power = NAN;
    *seconds = 0.033;
    while (isnan(power)) {
        *seconds += look;
        energy_watch_take(&watch, *seconds, 100 * 0.1 * floor(*seconds / 0.1));
        power = energy_watch_power(&watch, window);
    }
    return power;
}

TEST(steps_tell_power) {
    double seconds;
    assert_close(stepped_power(0.005, 0.5, &seconds), 100, 0.02);
    assert_true(seconds < 0.9);
    for (double look = 0.02; look < 0.3; look += 0.0217) { /* launches that take longer */
        assert_close(stepped_power(look, energy_window_s(look), &seconds), 100, 0.09);
    }
    struct energy_watch watch = { 0 };
    for (int i = 0; i < 100; i++) { /* one that does not move */
        energy_watch_take(&watch, i, 12345);
    }
    assert_true(isnan(energy_watch_power(&watch, 0.5)));
}

/* ---- the noise floor ---- */

TEST(spread_by_the_tables) {
    /* 5 % quantiles of chi-square from printed tables. */
    static const struct {
        size_t count;
        double chi_square;
    } known[] = { { 1, 0.00393 }, { 2, 0.10259 }, { 4, 0.71072 }, { 8, 2.73264 }, { 20, 10.8508 } };
    double ratios[20];
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        const double count = (double)known[k].count;
        for (size_t i = 0; i < known[k].count; i++) {
            ratios[i] = i % 2 ? 0.01 : -0.01;
        }
        assert_close(log1p(ratio_spread_of(ratios, known[k].count)),
                     2.575829 * 0.01 * sqrt(count / known[k].chi_square), 1e-3);
    }
    assert_true(isnan(ratio_spread_of(ratios, 0)));
    double quiet[3] = { 0 };
    assert_true(ratio_spread_of(quiet, 3) == 0);
}

static double normal(uint64_t *seed) { /* Box and Muller 1958 */
    const double radius = sqrt(-2 * log(1 - hand_random(seed)));
    return radius * cos(6.283185307179586 * hand_random(seed));
}

/* In 95 of 100 runs the spread of a few pairs is to bound 99 % of all later ratios. */
TEST(spread_covers_what_it_says) {
    enum { RUNS = 4000 };
    const double sigma = 0.003;
    const double true_bound = 2.575829 * sigma; /* of 99 % */
    uint64_t seed = 11;
    for (size_t count = 1; count <= 8; count *= 2) {
        int covered = 0;
        for (int run = 0; run < RUNS; run++) {
            double ratios[8];
            for (size_t i = 0; i < count; i++) {
                ratios[i] = sigma * normal(&seed);
            }
            covered += log1p(ratio_spread_of(ratios, count)) >= true_bound;
        }
        assert_close(covered, 0.95 * RUNS, 0.015);
    }
}

/* A single far ratio among many is not averaged away. */
TEST(spread_holds_the_largest) {
    double ratios[200] = { 0 };
    ratios[17] = log(0.8);
    assert_close(ratio_spread_of(ratios, 200), 0.25, 1e-9);
}

TEST(twins_are_few_and_spread) {
    size_t places[DEFAULT_TWINS];
    assert_int_equal(twins_wanted(0, 8), 0);
    assert_int_equal(twins_wanted(1, 8), 1);
    assert_int_equal(twins_wanted(4, 8), 1);
    assert_int_equal(twins_wanted(5, 8), 2);
    assert_int_equal(twins_wanted(1000, 8), 8);
    assert_int_equal(twins_wanted(1000, 0), 0);
    for (size_t cases = 1; cases < 300; cases++) {
        const size_t wanted = twins_wanted(cases, DEFAULT_TWINS);
        twins_choose(cases, wanted, places);
        for (size_t k = 0; k < wanted; k++) {
            assert_true(places[k] < cases);
            assert_true(k == 0 || places[k] > places[k - 1]);
        }
    }
    /* Eight variants at six sizes each: every variant, and not always the same size. */
    int sizes[6] = { 0 };
    twins_choose(48, 8, places);
    for (size_t k = 0; k < 8; k++) {
        assert_int_equal(places[k] / 6, k);
        sizes[places[k] % 6]++;
    }
    for (int s = 0; s < 6; s++) {
        assert_true(sizes[s] >= 1 && sizes[s] <= 3);
    }
}

static void add_row(struct row_table *table, const char *name, int repetition, bool twin,
                    const char *status, double seconds) {
    struct row *row = &table->rows[table->count++];
    row_create(row);
    row_set(row, COLUMN_CASE_NAME, name);
    row_set(row, COLUMN_DEVICE, "opencl:0:0");
    row_set(row, COLUMN_STATUS, status);
    row_set_count(row, COLUMN_REPETITION, repetition);
    row_set_count(row, COLUMN_TWIN, twin);
    row_set_number(row, COLUMN_FORCE_S_MEDIAN, seconds);
}

TEST(floor_from_rows) {
    struct row rows[16] = { 0 };
    struct row_table table = { .rows = rows };
    struct noise_floor floor;
    add_row(&table, "a/again", 0, true, "ok", 1.01); /* shuffled: it may come first */
    add_row(&table, "a", 0, false, "ok", 1);
    add_row(&table, "a", 1, false, "ok", 3);
    add_row(&table, "a/again", 1, true, "ok", 3.03 / 1.01 / 1.01);
    add_row(&table, "b", 0, false, "wrong", NAN); /* neither of these is a pair */
    add_row(&table, "b/again", 0, true, "ok", 2);
    add_row(&table, "c", 0, false, "ok", 7);
    add_row(&table, "c/again", 0, true, "crashed", NAN);
    add_row(&table, "ba/again", 0, true, "ok", 5);
    noise_floor_find(&table, &floor);
    assert_int_equal(floor.pairs, 2);
    assert_close(log1p(floor.ratio_spread), 2.575829 * log(1.01) * sqrt(2 / 0.10259), 1e-3);
    for (size_t i = 0; i < table.count; i++) {
        row_free(&rows[i]);
    }
    table.count = 0;
    noise_floor_find(&table, &floor);
    assert_int_equal(floor.pairs, 0);
    assert_true(isnan(floor.ratio_spread));
}

static void append_notes(const struct row_table *table, struct strbuf *text) {
    struct analysis analysis;
    summary_points_make(table, &analysis);
    summary_notes(&analysis, table, text);
    analysis_close(&analysis);
}

TEST(notes_say_what_spoils_times) {
    struct row rows[8] = { 0 };
    struct row_table table = { .rows = rows };
    struct strbuf text = { 0 };
    add_row(&table, "a", 0, false, "ok", 1);
    add_row(&table, "b", 0, false, "ok", 1);
    append_notes(&table, &text);
    assert_int_equal(text.length, 0); /* nothing to say */
    add_row(&table, "c", 0, false, "ok", 1);
    add_row(&table, "c/again", 0, true, "ok", 1.001);
    row_set_number(&rows[0], COLUMN_MACHINE_LOAD, 0.05);
    row_set_number(&rows[1], COLUMN_MACHINE_LOAD, 0.37);
    row_set_number(&rows[3], COLUMN_MACHINE_LOAD, 0.99);
    row_set(&rows[0], COLUMN_THROTTLE_REASONS, "idle");
    row_set(&rows[1], COLUMN_THROTTLE_REASONS, "power_cap");
    row_set_count(&rows[0], COLUMN_SAMPLES_DROPPED, 0);
    row_set_count(&rows[1], COLUMN_SAMPLES_DROPPED, 5);
    row_set_count(&rows[2], COLUMN_SAMPLES_DROPPED, 7);
    row_set_count(&rows[1], COLUMN_SHORT_KERNEL, 0);
    row_set_count(&rows[2], COLUMN_SHORT_KERNEL, 1);
    row_set_count(&rows[3], COLUMN_SHORT_KERNEL, 1);
    append_notes(&table, &text);
    assert_says(text.data, "noise    4.2 %: ");
    assert_says(text.data, "(from 1 case timed twice)\n");
    assert_says(text.data, "short    1 row is (marked *)");
    assert_says(text.data, "throttle 12 samples of 2 rows were dropped");
    assert_says(text.data, "throttle 1 row was timed at a low clock");
    assert_non_null(
        strstr(text.data, "more than 10 % of the processors, up to 37 %, while\n         1 row"));
    strbuf_free(&text);
    text = (struct strbuf){ 0 };
    row_set_number(&rows[3], COLUMN_FORCE_S_MEDIAN, 3);
    append_notes(&table, &text);
    assert_says(text.data, "noise    over 999 %: ");
    strbuf_free(&text);
    for (size_t i = 0; i < table.count; i++) {
        row_free(&rows[i]);
    }
}

/* ---- the sampler ---- */

/* What the made-up GPU says: throttled at the readings from..to - 1; `rises` readings at a clock
 * that is low for no reason, then the usual one. */
static struct { int readings, from, to, rises; } told;

static void tell_clock(struct device *device, struct device_state *state) {
    (void)device;
    const bool low = told.readings >= told.from && told.readings < told.to;
    const double usual_mhz = told.readings < told.rises ? 1905 : 1980;
    *state = clock_state(low ? 1200 : usual_mhz, low ? "power_cap" : "none");
    state->energy_j = NAN;
    told.readings++;
}

/* 50 W, by a counter that steps every 0.1 s. */
static void tell_state(struct device *device, struct device_state *state) {
    struct timespec now;
    (void)device;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    *state = clock_state(1980, "none");
    state->power_w = 50;
    state->energy_j = 5 * floor(10 * ((double)(now.tv_sec % 100000) + 1e-9 * (double)now.tv_nsec));
}

static void tell_nothing(struct device *device, struct device_state *state) {
    (void)device;
    *state = (struct device_state){ NAN, NAN, NAN, NAN, "" };
}

struct bench_place {
    struct device *device;
    struct expected_store *store;
    struct case_spec spec;
    struct kernel_plan *plan;
    struct launch_tools tools;
    struct launch_judge *judge;
    struct clock_watch clocks;
    struct measurement *measurement;
};

static int set_up(void **state) {
    struct error error;
    struct bench_place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    place->measurement = calloc(1, sizeof *place->measurement);
    assert_non_null(place->measurement);
    assert_true(device_open("", &place->device, &error));
    place->store = expected_store_create();
    assert_non_null(place->store);
    (void)snprintf(place->spec.box.kind, sizeof place->spec.box.kind, "lattice");
    place->spec.box.n = 64;
    place->spec.box.seed = 3;
    place->spec.variant = built_in("all_pairs_loop");
    place->spec.cutoff = cutoff_of(1.5);
    assert_true(interaction_parse("lj", &place->spec.interaction, &error));
    tunings_preset(place->spec.variant, &place->spec.tunings);
    const struct expected *expected = expected_for(place->store, &place->spec, true, &error);
    assert_non_null(expected);
    assert_true(kernel_plan_create(&(struct plan_input){ place->device, &place->spec, BUILD_PLAIN,
                                                         &expected->box, &expected->groups,
                                                         expected->cutoff },
                                   &place->plan, &error));
    assert_true(kernel_plan_build(place->plan, &error));
    assert_true(launch_tools_create(place->device, place->spec.precision, &place->tools, &error));
    assert_true(launch_judge_create(place->plan, expected, &place->spec, &place->tools,
                                    &place->judge, &error));
    *state = place;
    return 0;
}

static int tear_down(void **state) {
    struct bench_place *place = *state;
    launch_judge_free(place->judge);
    kernel_plan_free(place->plan);
    launch_tools_free(&place->tools);
    device_close(place->device);
    expected_store_free(place->store);
    free(place->measurement);
    free(place);
    return 0;
}

static struct sampler_source source_of(struct bench_place *place) {
    return (struct sampler_source){ .device = place->device,
                                    .plan = place->plan,
                                    .judge = place->judge,
                                    .tools = &place->tools,
                                    .launch_s = NAN,
                                    .clocks = &place->clocks,
                                    .read_clock = tell_clock,
                                    .read_state = tell_state };
}

/* Twenty samples in batches of few: each batch is as long as a reading is apart. */
static void sample(struct bench_place *place, int from, int to, bool energy) {
    struct error error;
    const struct sampler_source source = source_of(place);
    const struct sampling sampling = {
        .noise_target = 1e-9, .min_samples = 3, .max_samples = 100, .time_cap_s = 5
    };
    memset(place->measurement, 0, sizeof *place->measurement);
    told.readings = 0;
    told.from = from;
    told.to = to;
    assert_true(sampler_run(&source, &sampling, place->measurement, &error));
    assert_true(!energy || energy_measure(&source, place->measurement, &error));
}

TEST_WITH(throttled_batches_are_dropped, set_up, tear_down) {
    struct bench_place *place = *state;
    const struct measurement *measurement = place->measurement;
    sample(place, 0, 0, false);
    assert_int_equal(measurement->samples_dropped, 0);
    assert_int_equal(measurement->sample_count, 100);
    assert_true(told.readings >= 13); /* a batch is 8 samples at most */
    sample(place, 1, 3, false);
    assert_true(told.readings >= 13 + 2); /* others took their place */
    assert_int_equal(measurement->sample_count, 100);
    assert_true(measurement->samples_dropped >= 2 && measurement->samples_dropped <= 2 * 8);
    assert_string_equal(measurement->state.throttle_reasons, "none");
    assert_string_equal(measurement->force.stop_reason, "most_samples");
}

/* The clock is that of most batches, as the time is. */
TEST_WITH(the_clock_is_that_of_the_middle_batch, set_up, tear_down) {
    struct bench_place *place = *state;
    told.rises = 1;
    sample(place, 0, 0, false);
    assert_true(place->measurement->state.sm_clock_mhz == 1980);
    told.rises = 1 << 30;
    sample(place, 0, 0, false);
    assert_true(place->measurement->state.sm_clock_mhz == 1905);
    told.rises = 0;
}

TEST_WITH(dropping_ends, set_up, tear_down) {
    struct bench_place *place = *state;
    const struct measurement *measurement = place->measurement;
    sample(place, 0, 1 << 30, false); /* it stays like this */
    assert_int_equal(measurement->sample_count, 100);
    assert_true(measurement->samples_dropped > 0);
    assert_string_equal(measurement->state.throttle_reasons, "power_cap");
    assert_true(measurement->state.sm_clock_mhz == 1200);
    assert_true(measurement->state.power_w == 50);
}

TEST_WITH(energy_of_a_launch, set_up, tear_down) {
    struct bench_place *place = *state;
    const struct measurement *measurement = place->measurement;
    sample(place, 0, 0, false); /* too short for the counter */
    assert_true(isnan(measurement->state.energy_j));
    sample(place, 0, 0, true);
    /* 50 W over whatever a launch takes here, launches close together. */
    const double each_s = measurement->state.energy_j / 50;
    assert_true(each_s + 2e-4 >= 0.5 * measurement->force.median_s); /* judged, threads are woken */
    assert_true(each_s < 1e-3 + 20 * measurement->force.median_s);
}

TEST_WITH(untold_state_drops_nothing, set_up, tear_down) {
    struct bench_place *place = *state;
    struct error error;
    struct sampler_source source = source_of(place);
    source.read_clock = tell_nothing;
    source.read_state = tell_nothing;
    struct sampling sampling = sampling_defaults();
    sampling.time_cap_s = 0.05;
    place->measurement->samples_dropped = -1;
    assert_true(sampler_run(&source, &sampling, place->measurement, &error));
    assert_true(energy_measure(&source, place->measurement, &error)); /* there is no counter */
    assert_int_equal(place->measurement->samples_dropped, -1);
    assert_true(isnan(place->measurement->state.energy_j));
}

TEST_WITH(overhead_is_a_time, set_up, tear_down) {
    struct bench_place *place = *state;
    struct error error;
    double seconds = NAN;
    assert_true(launch_overhead_measure(place->device, &seconds, &error));
    assert_true(seconds > 0 && seconds < 0.01);
}

/* Measured again while others are at work, a peak does not get lower. */
TEST(better_peaks_are_kept) {
    const struct peaks earlier = { 10, NAN, 5, 1, NAN, 0.1, 0.5, "then", false };
    struct peaks later = { 8, 3, NAN, 2, NAN, 0.05, 0.2, "now", false };
    peaks_join(&earlier, &later);
    assert_true(later.fp32_operations_per_s == 10 && later.fp64_operations_per_s == 3);
    assert_true(later.rsqrt_per_s == 5 && later.copy_bytes_per_s == 2);
    assert_true(isnan(later.local_bytes_per_s));
    assert_true(later.error == 0.1 && later.machine_load == 0.2);
    assert_string_equal(later.measured_utc, "now");
}

/* Sums of words, which find that an input was changed: whole, and of slices of it one after the
 * other. */
TEST_WITH(words_in_slices, set_up, tear_down) {
    enum { WORDS = 61, SLICE = 16 };
    struct bench_place *place = *state;
    struct error error;
    int32_t words[WORDS];
    int32_t sums[4] = { 0 };
    struct buffer *of_words;
    struct buffer *of_sums;
    for (int w = 0; w < WORDS; w++) {
        words[w] = 7 * w + 1;
    }
    assert_true(buffer_allocate(place->device, sizeof words, &of_words, &error));
    assert_true(buffer_allocate(place->device, sizeof sums, &of_sums, &error));
    assert_true(buffer_write(of_words, 0, words, sizeof words, &error));
    assert_true(buffer_write(of_sums, 0, sums, sizeof sums, &error));
    for (int whole = 0; whole < 2; whole++) {
        const int slice = whole ? WORDS : SLICE;
        for (int s = 0; s * slice < WORDS; s++) {
            const int left = WORDS - s * slice;
            const struct argument arguments[] = {
                argument_int(left < slice ? left : slice),
                argument_int(s),
                argument_int(slice),
                argument_buffer(of_words),
                argument_int(11),
                argument_buffer(of_sums),
                argument_int(2 * whole),
            };
            assert_true(launch_tool_run(&place->tools, TOOL_SUM_UP_WORDS, 3, arguments,
                                        sizeof arguments / sizeof arguments[0], &error));
        }
    }
    assert_true(buffer_read(of_sums, 0, sums, sizeof sums, &error));
    assert_int_not_equal(sums[0], 0);
    assert_int_equal(sums[0], sums[2]);
    assert_int_equal(sums[1], sums[3]);
    buffer_free(of_words);
    buffer_free(of_sums);
}

/* What the groups of one launch leave in local memory and on the stack, those of the next look for:
 * how many words they find, over many launches. */
static void count_leftovers(struct bench_place *place, bool poisons, int32_t found[2]) {
    enum { LAUNCHES = 40, GROUPS = 16, GROUP_SIZE = 1 };
    static const char text[] = "KERNEL void look(int mark, GLOBAL int *RESTRICT found)\n"
                               "{\n"
                               "    LOCAL int left[4096];\n"
                               "    volatile int stack[4096];\n"
                               "    int local_words = 0, stack_words = 0;\n"
                               "    for (int k = 0; k < 4096; k++) {\n"
                               "        local_words += left[k] == mark - 1;\n"
                               "        stack_words += stack[k] == mark - 1;\n"
                               "        left[k] = mark;\n"
                               "        stack[k] = mark;\n"
                               "    }\n"
                               "    (void)ATOMIC_ADD_INT(&found[0], local_words);\n"
                               "    (void)ATOMIC_ADD_INT(&found[1], stack_words);\n"
                               "}\n";
    const struct program_source source = {
        .name = "look", .text = text, .precision_words = "float", .group_size = GROUP_SIZE
    };
    struct error error;
    struct program *program;
    struct kernel *look;
    struct buffer *counts;
    assert_true(program_compile(place->device, &source, &program, &error));
    assert_true(program_kernel(program, "look", &look, &error));
    assert_true(buffer_allocate(place->device, 2 * sizeof *found, &counts, &error));
    assert_true(buffer_fill(counts, 0, 2 * sizeof *found, &error));
    for (int launch = 0; launch < LAUNCHES; launch++) {
        const struct argument arguments[] = { argument_int(71345 + launch),
                                              argument_buffer(counts) };
        assert_true(kernel_launch(look, GROUPS, GROUP_SIZE, arguments, 2, &error));
        assert_true(!poisons || launch_tools_poison_leftovers(&place->tools, -1, &error));
    }
    assert_true(buffer_read(counts, 0, found, 2 * sizeof *found, &error));
    buffer_free(counts);
    program_free(program);
}

/* On a busy machine a thread may sleep through a launch of the tool; no kernel can count on it. */
TEST_WITH(threads_leave_nothing, set_up, tear_down) {
    struct bench_place *place = *state;
    int32_t left[2];
    int32_t poisoned[2];
    if (!device_describe(place->device)->is_cpu) {
        return;
    }
    count_leftovers(place, false, left);
    count_leftovers(place, true, poisoned);
    for (int k = 0; k < 2; k++) {
        assert_true(left[k] > 0);
        assert_true(poisoned[k] <= left[k] / 4);
    }
}
