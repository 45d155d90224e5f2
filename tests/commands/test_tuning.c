/* Tuning: which combinations are tried, who wins, and what is stored and found again. The device is
 * a stand-in whose times the tests decide. */
#include "boxes/random.h"
#include "campaign/rows/rows.h"
#include "commands/search/search.h"
#include "core/error.h"
#include "core/files.h"
#include "core/host.h"
#include "core/strings.h"

#include "support.h"

static const char kernel[] = "/*\n"
                             " * mine — for tests\n"
                             " *\n"
                             " * @workload  forces\n"
                             " * @structure none\n"
                             " * @pass      mine item per particle\n"
                             " * @tunable   GROUP_SIZE 64 128* 256\n"
                             " * @tunable   ITEMS 1* 2 4 8\n"
                             " */\n"
                             "KERNEL void mine(int n, GLOBAL const real4 *RESTRICT position, "
                             "GLOBAL accum4 *RESTRICT force)\n{ }\n";

struct fixture {
    char folder[TEST_FOLDER_SIZE];
    char kernel_path[TEST_FOLDER_SIZE + 16], store_path[TEST_FOLDER_SIZE + 16];
    struct tuning_sweep sweep;
    /* what the stand-in does */
    double seconds[300]; /* by GROUP_SIZE + ITEMS */
    bool is_wrong[300];
    double drift; /* each launch takes so much longer than the one before, relative */
    size_t calls;
};

static int set_up(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error error;
    assert_non_null(fixture);
    make_test_folder(fixture->folder);
    (void)snprintf(fixture->kernel_path, sizeof fixture->kernel_path, "%s/mine.cl",
                   fixture->folder);
    (void)snprintf(fixture->store_path, sizeof fixture->store_path, "%s/tuned.csv",
                   fixture->folder);
    for (size_t i = 0; i < 300; i++) {
        fixture->seconds[i] = 10;
    }
    *state = fixture;
    return fs_write(fixture->kernel_path, kernel, strlen(kernel), &error) ? 0 : -1;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    tuning_sweep_free(&fixture->sweep);
    const int removed = remove_test_folder(fixture->folder);
    free(fixture);
    return removed;
}

/* With one option besides; NULL: none. */
static void make_sweep_with(struct fixture *fixture, const char *option, const char *value) {
    struct axes axes = { 0 };
    struct error error;
    char file[] = "--variant-file";
    char name[64];
    char values[64];
    char *words[] = { file, fixture->kernel_path, name, values, NULL };
    int count = value ? 4 : 2;
    (void)snprintf(name, sizeof name, "%s", option);
    (void)snprintf(values, sizeof values, "%s", value ? value : "");
    for (struct command_words reader = { count, words, 0 }; reader.at < count;) {
        bool taken;
        assert_true(axes_take_option(&axes, &reader, &taken, &error) && taken);
    }
    assert_true(tuning_sweep_make(&axes, 1, TUNING_ALL, &fixture->sweep, &error));
    axes_free(&axes);
}

static void make_sweep(struct fixture *fixture, const char *tune) {
    make_sweep_with(fixture, "--tune", tune);
}

static size_t place_of(const struct tunings *tunings) {
    return (size_t)tunings_value(tunings, "GROUP_SIZE", 0) +
           (size_t)tunings_value(tunings, "ITEMS", 0);
}

static void stand_in(void *context, size_t case_index, const struct sampling *sampling,
                     struct measurement *measurement) {
    struct fixture *fixture = context;
    size_t place = place_of(&fixture->sweep.plan.cases[case_index].tunings);
    (void)sampling;
    measurement->verdict.status = fixture->is_wrong[place] ? STATUS_WRONG : STATUS_OK;
    measurement->timed = !fixture->is_wrong[place];
    measurement->build_s_median = NAN;
    measurement->force.median_s =
        fixture->seconds[place] * pow(1 + fixture->drift, (double)fixture->calls++);
}

static struct tuning_result answer(struct fixture *fixture, double end_s) {
    const struct campaign_measurer measurer = { .context = fixture, .measure = stand_in };
    const struct tuning_effort effort = { .sampling = sampling_defaults() };
    struct tuning_result result;
    tuning_answer(&fixture->sweep, 0, &(struct tuning_means){ &measurer, &effort, end_s, 1 },
                  &result);
    return result;
}

static void assert_tunings(const struct tunings *tunings, const char *expected) {
    char words[TUNING_WORDS_SIZE];
    tunings_describe(tunings, words, sizeof words);
    assert_string_equal(words, expected);
}

/* ---- what is tried ---- */

TEST_WITH(every_combination_is_tried_once, set_up, tear_down) {
    struct fixture *fixture = *state;
    bool seen[300] = { false };
    make_sweep(fixture, NULL);
    assert_int_equal(fixture->sweep.count, 1);
    assert_int_equal(fixture->sweep.questions[0].count, 12);
    assert_tunings(&fixture->sweep.plan.cases[0].tunings, "GROUP_SIZE=128 ITEMS=1");
    for (size_t i = 0; i < 12; i++) {
        size_t place = place_of(&fixture->sweep.plan.cases[i].tunings);
        assert_false(seen[place]);
        seen[place] = true;
    }
}

TEST_WITH(tune_restricts_what_it_names, set_up, tear_down) {
    struct fixture *fixture = *state;
    make_sweep(fixture, "ITEMS=2,16");
    /* three group sizes with two values each, and the preset, with which all is compared */
    assert_int_equal(fixture->sweep.questions[0].count, 7);
    for (size_t i = 1; i < 7; i++) {
        int items = tunings_value(&fixture->sweep.plan.cases[i].tunings, "ITEMS", 0);
        assert_true(items == 2 || items == 16);
    }
}

TEST_WITH(a_budget_ends_the_search, set_up, tear_down) {
    struct fixture *fixture = *state;
    make_sweep(fixture, NULL);
    fixture->seconds[64 + 1] = 1;
    struct tuning_result result = answer(fixture, clock_s() - 1);
    assert_int_equal(result.tried, 2); /* the preset and one more, whatever the budget */
    result = answer(fixture, INFINITY);
    assert_int_equal(result.tried, 12);
}

/* Four tunables of four values each. */
enum { AXES = 4, VALUES = 4, FIRST = 24 };

/* Logarithms of times: what each value adds, and half as much what each pair of values adds. */
struct landscape {
    double alone[AXES][VALUES], pair[AXES][VALUES][AXES][VALUES];
    const struct tuning_sweep *sweep;
    double fastest; /* of the first FIRST that were measured */
    size_t calls;
};

static double time_in(const struct landscape *landscape, const struct tunings *tunings) {
    double sum = 0;
    for (int a = 0; a < AXES; a++) {
        const int v = tunings->items[a].value - 1;
        sum += landscape->alone[a][v];
        for (int b = 0; b < a; b++) {
            sum += 0.5 * landscape->pair[a][v][b][tunings->items[b].value - 1];
        }
    }
    return exp(0.3 * sum);
}

static void measure_landscape(void *context, size_t case_index, const struct sampling *sampling,
                              struct measurement *measurement) {
    struct landscape *landscape = context;
    const double seconds = time_in(landscape, &landscape->sweep->plan.cases[case_index].tunings);
    (void)sampling;
    if (landscape->calls++ < FIRST) {
        landscape->fastest = fmin(landscape->fastest, seconds);
    }
    measurement->verdict.status = STATUS_OK;
    measurement->timed = true;
    measurement->build_s_median = NAN;
    measurement->force.median_s = seconds;
}

static double least_of_first(const struct landscape *landscape, size_t count) {
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, time_in(landscape, &landscape->sweep->plan.cases[i].tunings));
    }
    return least;
}

static void draw_landscape(struct random *random, struct landscape *landscape) {
    double *numbers = &landscape->alone[0][0];
    for (size_t i = 0; i < AXES * VALUES; i++) {
        numbers[i] = 2 * random_signed(random);
    }
    numbers = &landscape->pair[0][0][0][0];
    for (size_t i = 0; i < AXES * VALUES * AXES * VALUES; i++) {
        numbers[i] = 2 * random_signed(random);
    }
    landscape->fastest = INFINITY;
    landscape->calls = 0;
}

/* The sweep's order is by chance: its first combinations are what as many draws would find. */
TEST_WITH(few_tries_find_more_than_draws_do, set_up, tear_down) {
    struct fixture *fixture = *state;
    struct random random = random_from_seed(7);
    struct landscape landscape = { .sweep = &fixture->sweep };
    const struct campaign_measurer measurer = { .context = &landscape,
                                                .measure = measure_landscape };
    const struct tuning_effort effort = { .sampling = sampling_defaults() };
    struct error error;
    struct strbuf text = { 0 };
    double found = 0, drawn = 0; /* logarithms of times over that of the fastest of all */
    strbuf_append(&text, "%.*s", (int)(strstr(kernel, " * @tunable") - kernel), kernel);
    for (int a = 0; a < AXES; a++) {
        strbuf_append(&text, " * @tunable   T%d 1 2* 3 4\n", a);
    }
    strbuf_append(&text, "%s", strstr(kernel, " */\n"));
    assert_true(fs_write(fixture->kernel_path, text.data, text.length, &error));
    strbuf_free(&text);
    make_sweep(fixture, NULL);
    const size_t count = fixture->sweep.questions[0].count;
    assert_int_equal(count, 256);
    for (int k = 0; k < 60; k++) {
        struct tuning_result result;
        draw_landscape(&random, &landscape);
        tuning_answer(&fixture->sweep, 0, &(struct tuning_means){ &measurer, &effort, INFINITY, 1 },
                      &result);
        const double least = least_of_first(&landscape, count);
        assert_int_equal(result.tried, count);
        assert_true(fabs(result.best_s - least) <= 1e-12 * least);
        found += log(landscape.fastest / least);
        drawn += log(least_of_first(&landscape, FIRST) / least);
    }
    print_message("of %d tries: %.3f of the fastest, by draws %.3f\n", FIRST, exp(found / 60),
                  exp(drawn / 60));
    assert_true(found < 0.5 * drawn);
}

/* ---- who wins ---- */

TEST_WITH(the_fastest_wins, set_up, tear_down) {
    struct fixture *fixture = *state;
    make_sweep(fixture, NULL);
    fixture->seconds[256 + 4] = 5;
    fixture->seconds[64 + 2] = 6;
    struct tuning_result result = answer(fixture, INFINITY);
    assert_int_equal(result.outcome, TUNING_BETTER);
    assert_tunings(&result.best, "GROUP_SIZE=256 ITEMS=4");
    assert_true(fabs(result.ratio - 2) < 1e-12);
}

TEST_WITH(what_is_wrong_never_wins, set_up, tear_down) {
    struct fixture *fixture = *state;
    make_sweep(fixture, NULL);
    fixture->seconds[256 + 4] = 1;
    fixture->is_wrong[256 + 4] = true;
    fixture->seconds[64 + 2] = 6;
    struct tuning_result result = answer(fixture, INFINITY);
    assert_tunings(&result.best, "GROUP_SIZE=64 ITEMS=2");
    assert_int_equal(result.wrong, 1);
}

/* Times that shrink by 5 % a launch differ by more from themselves than the lead that they feign.
 */
TEST_WITH(a_lead_within_the_noise_keeps_the_preset, set_up, tear_down) {
    struct fixture *fixture = *state;
    make_sweep(fixture, "ITEMS=2");
    fixture->seconds[128 + 2] = 9.7;
    fixture->drift = -0.05;
    struct tuning_result result = answer(fixture, INFINITY);
    assert_int_equal(result.outcome, TUNING_KEPT_PRESET);
    assert_tunings(&result.best, "GROUP_SIZE=128 ITEMS=1");
    assert_int_equal(tunings_value(&result.fastest, "ITEMS", 0), 2);
    assert_true(result.noise > 0.15);
}

TEST_WITH(the_same_lead_without_noise_counts, set_up, tear_down) {
    struct fixture *fixture = *state;
    make_sweep(fixture, "ITEMS=2");
    fixture->seconds[128 + 2] = 9.7;
    assert_int_equal(answer(fixture, INFINITY).outcome, TUNING_BETTER);
}

TEST_WITH(a_preset_that_fails_is_replaced, set_up, tear_down) {
    struct fixture *fixture = *state;
    make_sweep(fixture, NULL);
    fixture->is_wrong[128 + 1] = true;
    fixture->seconds[64 + 8] = 9;
    struct tuning_result result = answer(fixture, INFINITY);
    assert_int_equal(result.outcome, TUNING_BETTER);
    assert_tunings(&result.best, "GROUP_SIZE=64 ITEMS=8");
    assert_true(isnan(result.preset_s));
}

TEST_WITH(nothing_that_passes_is_no_result, set_up, tear_down) {
    struct fixture *fixture = *state;
    make_sweep(fixture, NULL);
    for (size_t i = 0; i < 300; i++) {
        fixture->is_wrong[i] = true;
    }
    struct tuning_result result = answer(fixture, INFINITY);
    assert_int_equal(result.outcome, TUNING_NONE);
    assert_int_equal(result.wrong, 12);
}

/* ---- what is kept ---- */

static const struct device_info device = { .kind = DEVICE_OPENCL_CPU, .model = "a processor" };

static void keep(struct fixture *fixture, const char *tunables) {
    struct tuning_entry entry;
    struct error error;
    tuning_key(&fixture->sweep.plan.cases[0], &device, &entry);
    tuning_entry_set(&entry, COLUMN_TUNABLES, tunables);
    assert_true(tuning_store_put(fixture->store_path, &entry, NULL, &error));
    tuning_entry_free(&entry);
}

/* Applies the store to the one case at its presets. */
static struct tuning_applied apply(struct fixture *fixture, const struct device_info *info) {
    struct tuning_store store;
    struct tuning_applied applied;
    struct error error;
    struct case_spec spec = fixture->sweep.plan.cases[0];
    case_preset_tunings(&spec);
    spec.tuned = false;
    fixture->sweep.plan.cases[0] = spec;
    fixture->sweep.plan.count = 1;
    assert_true(tuning_store_read(fixture->store_path, NULL, &store, &error));
    tuning_apply(&store, info, &fixture->sweep.plan, &applied);
    tuning_store_free(&store);
    return applied;
}

TEST_WITH(what_is_kept_is_found, set_up, tear_down) {
    struct fixture *fixture = *state;
    make_sweep(fixture, NULL);
    assert_int_equal(apply(fixture, &device).missing, 1); /* no file yet */
    keep(fixture, "GROUP_SIZE=64 ITEMS=2");
    keep(fixture, "GROUP_SIZE=64 ITEMS=8"); /* in place of the one before */
    assert_int_equal(apply(fixture, &device).tuned, 1);
    assert_tunings(&fixture->sweep.plan.cases[0].tunings, "GROUP_SIZE=64 ITEMS=8");
    assert_true(fixture->sweep.plan.cases[0].tuned);
    struct tuning_store store;
    struct error error;
    assert_true(tuning_store_read(fixture->store_path, NULL, &store, &error));
    assert_int_equal(store.count, 1);
    tuning_store_free(&store);
}

/* The preset is that of the box, where the header says what a tunable holds. */
TEST_WITH(what_is_kept_is_found_where_a_tunable_holds, set_up, tear_down) {
    struct fixture *fixture = *state;
    const char *pass = strstr(kernel, " * @pass");
    struct error error;
    struct strbuf text = { 0 };
    strbuf_append(&text, "%.*s * @holds ITEMS cutoff\n%s", (int)(pass - kernel), kernel, pass);
    assert_true(fs_write(fixture->kernel_path, text.data, text.length, &error));
    strbuf_free(&text);
    make_sweep(fixture, NULL);
    assert_int_equal(fixture->sweep.questions[0].count, 12);
    assert_tunings(&fixture->sweep.plan.cases[0].tunings, "GROUP_SIZE=128 ITEMS=4");
    keep(fixture,
         "GROUP_SIZE=64 ITEMS=1"); /* what was found the fastest stands, whatever it holds */
    assert_int_equal(apply(fixture, &device).tuned, 1);
    assert_tunings(&fixture->sweep.plan.cases[0].tunings, "GROUP_SIZE=64 ITEMS=1");
}

/* Where the table of types lies is a tunable, too. */
TEST_WITH(what_is_kept_is_found_where_there_are_types, set_up, tear_down) {
    struct fixture *fixture = *state;
    make_sweep_with(fixture, "--interaction", "lj:epsilon.A=0.5");
    assert_tunings(&fixture->sweep.plan.cases[0].tunings, "GROUP_SIZE=128 ITEMS=1 TYPE_TABLE=0");
    keep(fixture, "GROUP_SIZE=64 ITEMS=2 TYPE_TABLE=0");
    assert_int_equal(apply(fixture, &device).tuned, 1);
    assert_tunings(&fixture->sweep.plan.cases[0].tunings, "GROUP_SIZE=64 ITEMS=2 TYPE_TABLE=0");
}

/* A preset of the bench that spans the values itself has the stored one among them. */
TEST_WITH(a_case_that_comes_twice_is_kept_once, set_up, tear_down) {
    struct fixture *fixture = *state;
    struct tuning_store store;
    struct tuning_applied applied;
    struct error error;
    make_sweep(fixture, NULL);
    keep(fixture, "GROUP_SIZE=64 ITEMS=2");
    assert_true(tuning_store_read(fixture->store_path, NULL, &store, &error));
    tuning_apply(&store, &device, &fixture->sweep.plan, &applied);
    tuning_store_free(&store);
    assert_int_equal(applied.tuned, 1);
    assert_int_equal(applied.chosen, 11);
    assert_int_equal(fixture->sweep.plan.count, 11);
    size_t tuned = 0;
    for (size_t i = 0; i < 11; i++) {
        tuned += fixture->sweep.plan.cases[i].tuned;
    }
    assert_int_equal(tuned, 1);
}

TEST_WITH(it_holds_for_nothing_else, set_up, tear_down) {
    struct fixture *fixture = *state;
    make_sweep(fixture, NULL);
    keep(fixture, "GROUP_SIZE=64 ITEMS=2");
    struct case_spec *spec = &fixture->sweep.plan.cases[0];
    const struct case_spec kept = *spec;
    struct device_info other = device;
    (void)snprintf(other.model, sizeof other.model, "another");
    assert_int_equal(apply(fixture, &other).missing, 1);
    other = device;
    other.kind = DEVICE_CUDA;
    assert_int_equal(apply(fixture, &other).missing, 1);
    spec->precision = PRECISION_DOUBLE;
    assert_int_equal(apply(fixture, &device).missing, 1);
    *spec = kept;
    spec->outputs = OUTPUTS_VIRIAL;
    assert_int_equal(apply(fixture, &device).missing, 1);
    *spec = kept;
    spec->box.open = true;
    assert_int_equal(apply(fixture, &device).missing, 1);
    *spec = kept;
    spec->cutoff = cutoff_of(3);
    assert_int_equal(apply(fixture, &device).missing, 1);
    *spec = kept;
    spec->box.n = 1024; /* of 1000's class no more */
    assert_int_equal(apply(fixture, &device).missing, 1);
    *spec = kept;
    spec->box.n = 256;
    assert_int_equal(apply(fixture, &device).tuned, 1);
}

TEST_WITH(another_kernel_text_is_stale, set_up, tear_down) {
    struct fixture *fixture = *state;
    struct error error;
    make_sweep(fixture, NULL);
    keep(fixture, "GROUP_SIZE=64 ITEMS=2");
    tuning_sweep_free(&fixture->sweep);
    struct strbuf changed = { 0 };
    strbuf_append(&changed, "%s/* faster now */\n", kernel);
    assert_true(fs_write(fixture->kernel_path, changed.data, changed.length, &error));
    strbuf_free(&changed);
    make_sweep(fixture, NULL);
    assert_int_equal(apply(fixture, &device).stale, 1);
    assert_tunings(&fixture->sweep.plan.cases[0].tunings, "GROUP_SIZE=128 ITEMS=1");
}

/* Stores of before the schema have the same columns in another order. */
TEST_WITH(an_older_store_is_read, set_up, tear_down) {
    struct fixture *fixture = *state;
    static const struct {
        const char *name;
        int field;
    } older[] = {
        { "device_model", COLUMN_DEVICE_MODEL },
        { "backend", COLUMN_BACKEND },
        { "workload", COLUMN_WORKLOAD },
        { "variant", COLUMN_VARIANT },
        { "precision", COLUMN_PRECISION },
        { "interaction", COLUMN_INTERACTION },
        { "outputs", COLUMN_OUTPUTS },
        { "reduction", COLUMN_REDUCTION },
        { "groups", COLUMN_GROUPS },
        { "box", TUNING_BOX },
        { "density", COLUMN_DENSITY },
        { "cutoff", COLUMN_CUTOFF },
        { "periodic", COLUMN_PERIODIC },
        { "size_class", TUNING_SIZE_CLASS },
        { "tunables", COLUMN_TUNABLES },
        { "preset", TUNING_PRESET },
        { "ratio", TUNING_RATIO },
        { "n", COLUMN_N },
        { "text_hash", TUNING_TEXT_HASH },
        { "utc", COLUMN_UTC },
    };
    enum { OLDER = sizeof older / sizeof older[0] };
    const char *names[OLDER];
    const char *fields[OLDER];
    struct tuning_entry entry;
    struct error error;
    struct strbuf text = { 0 };
    make_sweep(fixture, NULL);
    tuning_key(&fixture->sweep.plan.cases[0], &device, &entry);
    assert_string_equal(tuning_entry_text(&entry, COLUMN_REDUCTION), "tree");
    tuning_entry_set(&entry, COLUMN_TUNABLES, "GROUP_SIZE=64 ITEMS=8");
    for (int i = 0; i < OLDER; i++) {
        names[i] = older[i].name;
        fields[i] = entry.fields[older[i].field];
    }
    record_format(&text, names, OLDER);
    record_format(&text, fields, OLDER);
    assert_true(fs_write(fixture->store_path, text.data, text.length, &error));
    strbuf_free(&text);
    tuning_entry_free(&entry);
    assert_int_equal(apply(fixture, &device).tuned, 1);
    keep(fixture, "GROUP_SIZE=64 ITEMS=2"); /* in place of that one */
    struct tuning_store store;
    assert_true(tuning_store_read(fixture->store_path, NULL, &store, &error));
    assert_int_equal(store.count, 1);
    tuning_store_free(&store);
}

TEST_WITH(a_hand_s_mistakes_are_left_aside, set_up, tear_down) {
    struct fixture *fixture = *state;
    static const char *const words[] = { "GROUP_SIZE=64",         "GROUP_SIZE=64 ITEMS=2 ITEMS=2",
                                         "GROUP_SIZE=64 ITEMS=x", "GROUP_SIZE=64 ITEMS=-1",
                                         "GROUP_SIZE=64 TEA=2",   "" };
    struct error error;
    struct tunings tunings;
    char *text = NULL;
    size_t length = 0;
    make_sweep(fixture, NULL);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        keep(fixture, words[i]);
        assert_int_equal(apply(fixture, &device).stale, 1);
    }
    tunings_preset(fixture->sweep.plan.cases[0].variant, &tunings);
    assert_true(tuning_parse("ITEMS=4 GROUP_SIZE=32", &tunings));
    assert_tunings(&tunings, "GROUP_SIZE=32 ITEMS=4");
    /* A line cut short, as a full disk leaves it; then a file that is none of ours. */
    keep(fixture, "GROUP_SIZE=64 ITEMS=2");
    assert_true(fs_read(fixture->store_path, &text, &length, &error));
    struct strbuf torn = { 0 };
    strbuf_append_bytes(&torn, text, length);
    strbuf_append(&torn, "a,b\nmodel,opencl,for");
    free(text);
    assert_true(fs_write(fixture->store_path, torn.data, torn.length, &error));
    strbuf_free(&torn);
    assert_int_equal(apply(fixture, &device).tuned, 1);
    assert_true(fs_write(fixture->store_path, "x,y\n1,2\n", 8, &error));
    struct tuning_store store;
    assert_false(tuning_store_read(fixture->store_path, NULL, &store, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, fixture->store_path);
    /* One of the columns as often as there should be columns makes up for none of the others. */
    struct strbuf same = { 0 };
    for (int i = 0; i < TUNING_FIELDS; i++) {
        strbuf_append(&same, "%sbackend", i ? "," : "");
    }
    strbuf_append(&same, "\n");
    assert_true(fs_write(fixture->store_path, same.data, same.length, &error));
    strbuf_free(&same);
    assert_false(tuning_store_read(fixture->store_path, NULL, &store, &error));
}

TEST(sizes_are_classed_by_powers_of_four) {
    static const size_t cases[][3] = { { 1, 1, 3 },          { 3, 1, 3 },
                                       { 4, 4, 15 },         { 15, 4, 15 },
                                       { 16, 16, 63 },       { 1023, 256, 1023 },
                                       { 1024, 1024, 4095 }, { 1000000, 262144, 1048575 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t first;
        size_t last;
        tuning_size_class(cases[i][0], &first, &last);
        assert_int_equal(first, cases[i][1]);
        assert_int_equal(last, cases[i][2]);
    }
}
