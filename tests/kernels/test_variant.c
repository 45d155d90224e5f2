/* Kernel files: what their headers may say, what is refused and with which words. */
#include "core/strings.h"
#include "kernels/header/read_variant.h"
#include "kernels/launch.h"
#include "kernels/potentials/interaction.h"
#include "kernels/schedule.h"
#include "kernels/variant.h"

#include "support.h"

static const char good[] =
    "/*\n"
    " * mine \xe2\x80\x94 a kernel of my own\n"
    " *\n"
    " * Prose that mentions an address, a @ b, in the middle of a line.\n"
    " *\n"
    " * @workload  forces\n"
    " * @structure sorted_cells\n"
    " * @pass      first_pass  item per particle / ITEMS\n"
    " * @pass      second_pass group per cell * SHARE\n"
    " * @tunable   ITEMS 1 2* 4\n"
    " * @tunable   SHARE 1\n"
    " * @accumulates force\n"
    " * @boxes     periodic\n"
    " * @source    a book,\n"
    " *            second edition\n"
    " */\n"
    "/* KERNEL void first_pass(int wrong) in a comment is no kernel */\n"
    "KERNEL void first_pass(int n, GLOBAL const real4 *RESTRICT position, // the box\n"
    "                       GLOBAL accum *RESTRICT force)\n{\n}\n"
    "KERNEL void second_pass(GLOBAL const int *RESTRICT cell_start /* by cell */, int n "
    "PAIR_PARAMETERS) {}\n";

TEST(header_is_read) {
    struct variant variant;
    struct error error;
    assert_true(variant_parse("mine.cl", good, &variant, &error));
    assert_string_equal(variant.name, "mine");
    assert_string_equal(variant.summary, "a kernel of my own");
    assert_string_equal(variant.workload->name, "forces");
    assert_string_equal(variant.structure, "sorted_cells");
    assert_string_equal(variant.source_note, "a book, second edition");
    assert_true(variant.accumulates);
    assert_false(variant.needs_cuda);
    assert_true(variant.accepts_periodic);
    assert_false(variant.accepts_open);
    assert_int_equal(variant.pass_count, 2);
    assert_string_equal(variant.passes[0].kernel, "first_pass");
    assert_false(variant.passes[0].per_group);
    assert_string_equal(variant.passes[0].divisor, "ITEMS");
    assert_int_equal(variant.passes[0].argument_count, 3);
    assert_string_equal(variant.passes[0].arguments[1], "position");
    assert_string_equal(variant.passes[0].arguments[2], "force");
    assert_true(variant.passes[1].per_group);
    assert_string_equal(variant.passes[1].unit, "cell");
    assert_string_equal(variant.passes[1].multiplier, "SHARE");
    assert_string_equal(variant.passes[1].arguments[0], "cell_start");
    assert_string_equal(variant.passes[1].arguments[1], "n");
    assert_int_equal(variant.passes[1].argument_count, 2);
    assert_true(variant.passes[1].takes_pair_parameters);
    assert_false(variant.passes[0].takes_pair_parameters);
    variant_free(&variant);
}

TEST(tunables_have_presets) {
    struct variant variant;
    struct error error;
    struct tunings tunings;
    char words[128];
    assert_true(variant_parse("mine.cl", good, &variant, &error));
    tunings_preset(&variant, &tunings);
    assert_int_equal(tunings_value(&tunings, "ITEMS", 0), 2);
    assert_int_equal(tunings_value(&tunings, "SHARE", 0), 1);
    assert_int_equal(tunings_value(&tunings, "GROUP_SIZE", 0), 128); /* every variant has one */
    assert_int_equal(tunings_value(&tunings, "ABSENT", 77), 77);
    tunings_describe(&tunings, words, sizeof words);
    assert_string_equal(words, "GROUP_SIZE=128 ITEMS=2 SHARE=1");
    variant_free(&variant);
}

/* One change to a good text, and the words that the refusal must hold. */
struct refusal {
    const char *replace, *by, *place, *says;
};

static void replaced(const char *whole, const char *replace, const char *by, char *text,
                     size_t size) {
    const char *at = strstr(whole, replace);
    assert_non_null(at);
    (void)snprintf(text, size, "%.*s%s%s", (int)(at - whole), whole, by, at + strlen(replace));
}

static void assert_refused(const char *whole, const struct refusal *refusal) {
    char text[2048];
    struct variant variant;
    struct error error;
    replaced(whole, refusal->replace, refusal->by, text, sizeof text);
    if (variant_parse("mine.cl", text, &variant, &error)) {
        fail_msg("\"%s\" for \"%s\" was accepted", refusal->by, refusal->replace);
    }
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    if (!strstr(error.message, refusal->place) || !strstr(error.message, refusal->says)) {
        fail_msg("expected \"%s\" and \"%s\" in: %s", refusal->place, refusal->says, error.message);
    }
}

TEST(bad_headers_are_refused) {
    static const struct refusal refusals[] = {
        { "/*\n * mine", "int x;\n/*\n * mine", "mine.cl:1:", "begins with a comment" },
        { " \xe2\x80\x94 a kernel", " a kernel", "mine.cl:2:", "first line" },
        { "@workload  forces", "@workload  fluids", "mine.cl:6:", "expected forces" },
        { "@workload  forces", "", "mine.cl:", "@workload" },
        { "@structure sorted_cells", "@structure octree", "mine.cl:7:", "sorted_cells" },
        { "@structure sorted_cells", "", "mine.cl:", "@structure" },
        { "item per particle / ITEMS", "thread per particle", "mine.cl:8:", "item|group" },
        { "item per particle / ITEMS", "item per particle / ABSENT", "mine.cl:", "ABSENT" },
        { "item per particle / ITEMS", "item per particle ITEMS", "mine.cl:8:", "expected" },
        { "group per cell", "group per galaxy", "mine.cl:", "galaxy" },
        { "ITEMS 1 2* 4", "ITEMS 1 two", "mine.cl:10:", "two" },
        { "ITEMS 1 2* 4", "ITEMS 1* 2*", "mine.cl:10:", "starred" },
        { "ITEMS 1 2* 4", "ITEMS", "mine.cl:10:", "value" },
        { "SHARE 1", "GROUP_SIZE 64 96", "mine.cl:11:", "a power of two" },
        { "SHARE 1", "GROUP_SIZE 0", "mine.cl:11:", "a power of two" },
        { "SHARE 1", "TABLE_CACHE 101",
          "mine.cl:11:", "TABLE_CACHE=101; expected a whole number of 1 to 100" },
        { "int n PAIR_PARAMETERS", "int n, PAIR_PARAMETERS", "mine.cl:22:", "no comma" },
        { "@boxes     periodic", "@boxes     round", "mine.cl:13:", "round" },
        { "@accumulates force", "@accumulates luck", "mine.cl:12:", "luck" },
        { "@accumulates force", "@needs vulkan", "mine.cl:12:", "vulkan" },
        { "@accumulates force", "@colour red", "mine.cl:12:", "unknown word" },
        { "@accumulates force", "@colour red", "mine.cl:12:", "@compiler, @interaction, @null" },
        { "@accumulates force", "       and more", "mine.cl:12:", "in one line" },
        { "@accumulates force", "@workload forces", "mine.cl:12:", "@workload stands twice" },
        { "@accumulates force", "@structure none", "mine.cl:12:", "@structure stands twice" },
        { "SHARE 1", "ITEMS 8", "mine.cl:11:", "@tunable ITEMS stands twice" },
        { "ITEMS 1 2* 4", "ITEMS 1 2* 4 2", "mine.cl:10:", "the value 2 twice" },
        { "particle / ITEMS", "particle / ITEMS / SHARE", "mine.cl:8:", "expected: @pass" },
        { "second_pass(GLOBAL", "third_pass(GLOBAL", "mine.cl", "second_pass" },
        { "@accumulates force", "@holds ITEMS", "mine.cl:12:", "@holds TUNABLE EXPRESSION" },
        { "@accumulates force", "@holds ROOM 1", "mine.cl:", "a @tunable of that name" },
        { "@accumulates force", "@holds ITEMS 1\n * @holds ITEMS 2", "mine.cl:13:", "twice" },
        { "@accumulates force", "@holds ITEMS 2 * edge", "mine.cl:", "there is no \"edge\"" },
        { "@accumulates force", "@holds ITEMS 2 density", "mine.cl:", "expected the end" },
        { "@accumulates force", "@holds ITEMS (2 * n", "mine.cl:", "expected )" },
        { "@accumulates force", "@holds ITEMS 2 *", "mine.cl:", "expected a number, a name" },
        { "@accumulates force", "@holds ITEMS 1.2.3", "mine.cl:", "a number such as" },
        { "@accumulates force", "@holds ITEMS 0x10", "mine.cl:", "a number such as" },
        { "@accumulates force", "@holds ITEMS min(n)", "mine.cl:", "a second value" },
        { "@accumulates force", "@holds ITEMS max 2", "mine.cl:", "expected (" },
        { "@accumulates force", "@holds ITEMS 1 - SHARE", "mine.cl:", "it comes to 0" },
        { "@accumulates force", "@holds ITEMS 1 - 3 * n", "mine.cl:", "it comes to -2" },
        { "@accumulates force", "@holds ITEMS 1 / (1 - n)", "mine.cl:", "it comes to inf" },
        { "@accumulates force", "@holds ITEMS (n - 1) / (n - 1)", "mine.cl:", "above 0" },
        { "position, // the box", "places,", "mine.cl:18:", "places" },
        { "force)\n", "force\n", "mine.cl:", "parameters" },
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        assert_refused(good, &refusals[i]);
    }
}

/* ---- types of parameters ---- */

/* A pass whose kernel has the parameters %s, and another that takes the result. */
static const char typed[] = "/* mine \xe2\x80\x94 a kernel\n"
                            " * @workload  forces\n"
                            " * @structure sorted_cells\n"
                            " * @pass      f item per particle\n"
                            " * @pass      g item per particle\n"
                            "%s"
                            " */\n"
                            "KERNEL void f(%s) {}\n"
                            "KERNEL void g(GLOBAL accum4 *force) {}\n";

static bool parse_typed(const char *declaration, const char *parameters, struct error *error) {
    char text[1024];
    struct variant variant;
    (void)snprintf(text, sizeof text, typed, declaration, parameters);
    const bool parsed = variant_parse("mine.cl", text, &variant, error);
    if (parsed) {
        variant_free(&variant);
    }
    return parsed;
}

TEST(types_that_fit) {
    static const char *const accepted[] = {
        "int n, real cutoff2, real4 edge, int4 cells, box_args box",
        "const int n, int const n, signed n, signed int n, struct box_args box",
        "GLOBAL const real4 *position",
        "const GLOBAL real4*RESTRICT position",
        "real4 const GLOBAL * const restrict position",
        "GLOBAL/* a comment */const\n\t real4 // another\n *\n__restrict__\nposition",
        "GLOBAL volatile const real4 *__restrict position",
        "__global const real4 *position, global const int *cell_start",
        "GLOBAL accum4 *force, GLOBAL accum *partial_sums",
        "GLOBAL accum *force PAIR_PARAMETERS",
        "GLOBAL const accum4 *force", /* what may be written need not be */
        "GLOBAL const int *sorted_index, GLOBAL const real4 *sorted_position",
        "",
    };
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        struct error error;
        if (!parse_typed("", accepted[i], &error)) {
            fail_msg("%s: %s", accepted[i], error.message);
        }
    }
}

TEST(types_that_do_not_fit) {
    static const struct {
        const char *parameters, *says;
    } refused[] = {
        { "int cutoff2", "mine.cl:7: kernel f: parameter cutoff2 is an int here, and a real is "
                         "expected" },
        { "int n,\n  float cutoff2", "mine.cl:8: kernel f: parameter cutoff2 is a float here" },
        { "int n,\n\n int\n cutoff2", "mine.cl:9: kernel f: parameter cutoff2 is an int here" },
        { "unsigned n", "n is an unsigned int here, and an int is expected" },
        { "unsigned int n", "n is an unsigned int here" },
        { "uint n", "n is a uint here, and an int is expected" },
        { "long64 n", "n is a long64 here" },
        { "count n", "n is a count here" }, /* a typedef of its own */
        { "n", "n is without a type here" },
        { "int *n", "n is an int * here, and an int is expected" },
        { "int &n", "n is an int & here" },
        { "real3 edge", "edge is a real3 here, and a real4 is expected" },
        { "float4 edge", "edge is a float4 here" },
        { "real4 box", "box is a real4 here, and a box_args is expected" },
        { "GLOBAL real *force", "force is a GLOBAL real * here, and a GLOBAL accum4 * or GLOBAL "
                                "accum * or GLOBAL force_sum * is expected" },
        { "GLOBAL real4 *position", "position is a GLOBAL real4 * here, and a GLOBAL const real4 * "
                                    "is expected" },
        { "GLOBAL real4 *const position", "position is a GLOBAL real4 * here" },
        { "GLOBAL const accum4 *position", "position is a GLOBAL const accum4 * here" },
        { "GLOBAL const real *position", "position is a GLOBAL const real * here" },
        { "GLOBAL const real4 position", "position is a GLOBAL real4 here" },
        { "GLOBAL const real4 **position", "position is a GLOBAL const real4 ** here" },
        { "const real4 *position", "position is a const real4 * here" },
        { "CONSTANT_ARG const real4 *position", "position is a CONSTANT_ARG const real4 * here" },
        { "LOCAL_ARG accum *partial_sums", "partial_sums is a LOCAL_ARG accum * here" },
        { "GLOBAL int *cell_start", "cell_start is a GLOBAL int * here, and a GLOBAL const int * "
                                    "is expected" },
        { "GLOBAL const uint *cell_start", "cell_start is a GLOBAL const uint * here" },
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct error error;
        if (parse_typed("", refused[i].parameters, &error)) {
            fail_msg("%s was accepted", refused[i].parameters);
        }
        assert_int_equal(error.status, STATUS_BAD_INPUT);
        if (!strstr(error.message, refused[i].says)) {
            fail_msg("%s: expected \"%s\" in: %s", refused[i].parameters, refused[i].says,
                     error.message);
        }
    }
}

/* CUDA's pointers need no address space. */
TEST(types_of_cuda_alone) {
    static const char cuda[] = " * @needs cuda\n";
    struct error error;
    assert_true(parse_typed(cuda, "const real4 *position, accum *partial_sums", &error));
    assert_false(parse_typed(cuda, "real4 *position", &error));
    assert_false(parse_typed(cuda, "CONSTANT_ARG const real4 *position", &error));
}

/* ---- memory of the kernels' own ---- */

static bool units_of_test(const void *context, const char *unit, size_t *count) {
    (void)context;
    *count = strcmp(unit, "particle") == 0 ? 10 : 3;
    return strcmp(unit, "particle") == 0 || strcmp(unit, "cell") == 0;
}

TEST(scratch_is_counted) {
    static const struct {
        const char *words;
        size_t count;
    } counts[] = {
        { "mine real 7", 7 },
        { "mine accum4 particle", 10 },
        { "mine accum4 particle * ITEMS", 40 },
        { "mine accum4 particle*ITEMS+5", 45 },
        { "mine accum4 5 + particle * ITEMS", 45 },
        { "mine int particle / 4", 3 }, /* rounded up */
        { "mine int particle / ITEMS * 2 + cell / 2 * 10", 26 },
        { "mine int cell + cell + cell", 9 },
        { "  mine \t int \t 16777216 ", 16777216 },
    };
    const struct tunings tunings = { .items = { { "ITEMS", 4 } }, .count = 1 };
    struct scratch_buffer scratch;
    struct error error;
    const char *expected;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        size_t count = 0;
        if (!scratch_parse(counts[i].words, &scratch, &expected)) {
            fail_msg("%s: %s", counts[i].words, expected);
        }
        assert_true(scratch_count(&scratch, &tunings, units_of_test, NULL, &count, &error));
        assert_int_equal(count, counts[i].count);
        assert_string_equal(scratch.name, "mine");
    }
    char words[SCRATCH_WORDS_SIZE];
    assert_true(scratch_parse("mine  real4 particle*ITEMS  +5", &scratch, &expected));
    scratch_describe(&scratch, words, sizeof words);
    assert_string_equal(words, "mine real4 particle * ITEMS + 5");
    assert_int_equal(scratch_element_bytes(&scratch, precision_numeric(PRECISION_MIXED)), 16);
    assert_int_equal(scratch_element_bytes(&scratch, precision_numeric(PRECISION_DOUBLE)), 32);
}

TEST(scratch_beyond_what_int_numbers) {
    static const char *const most[] = { "mine int 16777216 * 127", "mine int 16777216 * 128",
                                        "mine int 16777216 * 127 + 16777215 + 1",
                                        "mine int 16777216 * 16777216 * 16777216 * 16777216" };
    const struct tunings none = { .count = 0 };
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        struct scratch_buffer scratch;
        struct error error;
        const char *expected;
        size_t count;
        assert_true(scratch_parse(most[i], &scratch, &expected));
        assert_int_equal(scratch_count(&scratch, &none, units_of_test, NULL, &count, &error),
                         i == 0);
        assert_true(i == 0 || error.status == STATUS_UNSUPPORTED);
    }
}

TEST(bad_scratch_is_refused) {
    static const char line[] = "@accumulates force";
    static const struct refusal refusals[] = {
        { line, "@scratch", "mine.cl:12:", "@scratch NAME TYPE COUNT" },
        { line, "@scratch mine accum4", "mine.cl:12:", "expected a COUNT" },
        { line, "@scratch mine accum4 0", "mine.cl:12:", "expected a COUNT" },
        { line, "@scratch mine accum4 1.5", "mine.cl:12:", "expected a COUNT" },
        { line, "@scratch mine accum4 16777217", "mine.cl:12:", "expected a COUNT" },
        { line, "@scratch mine accum4 2x", "mine.cl:12:", "expected a COUNT" },
        { line, "@scratch mine accum4 -1", "mine.cl:12:", "expected a COUNT" },
        { line, "@scratch mine accum4 particle *", "mine.cl:12:", "expected a COUNT" },
        { line, "@scratch mine accum4 particle - 1", "mine.cl:12:", "expected a COUNT" },
        { line, "@scratch mine accum4 1+1+1+1+1+1+1+1+1+1+1+1+1", "mine.cl:12:", "at most 12" },
        { line, "@scratch mine float particle", "mine.cl:12:", "expected int, uint, int4" },
        { line, "@scratch 1st int particle", "mine.cl:12:", "@scratch NAME TYPE COUNT" },
        { line, "@scratch mine int galaxy", "mine.cl:", "\"galaxy\" is no launch unit" },
        { line, "@scratch mine int cell_a", "mine.cl:", "\"cell_a\" is no launch unit" },
        { line, "@scratch position int particle", "mine.cl:", "expected another" },
        { line, "@scratch sorted_index int particle", "mine.cl:", "expected another" },
        { line, "@scratch ITEMS int particle", "mine.cl:", "expected another" },
        { line, "@scratch m int 1\n * @scratch m int 2", "mine.cl:13:", "@scratch m stands twice" },
        { line,
          "@scratch a int 1\n * @scratch b int 1\n * @scratch c int 1\n * @scratch d int 1\n"
          " * @scratch e int 1\n * @scratch f int 1\n * @scratch g int 1\n * @scratch h int 1\n"
          " * @scratch i int 1",
          "mine.cl:20:", "more than 8" },
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        assert_refused(good, &refusals[i]);
    }
}

/* ---- when passes run ---- */

static const char scheduled[] =
    "/*\n"
    " * mine \xe2\x80\x94 a list of its own\n"
    " * @workload  forces\n"
    " * @structure none\n"
    " * @pass      fill item per particle * ROWS when moved\n"
    " * @pass      walk item per particle every step\n"
    " * @tunable   SKIN 12\n"
    " * @tunable   ROWS 4\n"
    " * @scratch   rows int particle * ROWS\n"
    " */\n"
    "KERNEL void fill(int n, GLOBAL int *rows) {}\n"
    "KERNEL void walk(GLOBAL const int *rows, int n, GLOBAL accum4 *force) {}\n";

TEST(schedules) {
    struct variant variant;
    struct error error;
    assert_done(variant_parse("mine.cl", scheduled, &variant, &error), &error);
    assert_string_equal(schedule_words(&variant.passes[0].schedule), "when moved");
    assert_string_equal(variant.passes[0].multiplier, "ROWS");
    assert_true(pass_is_step(&variant.passes[1]));
    assert_true(variant_rebuilds_when_moved(&variant));
    assert_true(variant_keeps_scratch(&variant, 0));
    variant_free(&variant);
    char text[2048];
    char whole[2048];
    replaced(scheduled, "none", "pair_list", text, sizeof text);
    replaced(text, "when moved", "every rebuild", whole, sizeof whole);
    assert_done(variant_parse("mine.cl", whole, &variant, &error), &error);
    assert_string_equal(schedule_words(&variant.passes[0].schedule), "every rebuild");
    assert_false(variant_rebuilds_when_moved(&variant));
    variant_free(&variant);
}

TEST(bad_schedules_are_refused) {
    static const struct refusal refusals[] = {
        { "every step", "every 20 steps", "mine.cl:6:", "workload forces has no steps" },
        { "every step", "every 0 steps", "mine.cl:6:", "every rebuild, when moved or when asked" },
        { "every step", "when asked", "mine.cl:6:", "every evaluation is asked for" },
        { "every step", "every other step", "mine.cl:6:", "\"every other step\": when?" },
        { "when moved", "when it rains", "mine.cl:5:", "\"when it rains\": when?" },
        { "when moved", "every rebuild", "mine.cl:5:", "whenever particles move" },
        { "none", "pair_list", "mine.cl:5:", "says itself when it is built again" },
        { "SKIN 12", "REACH 12", "mine.cl:5:", "expected a @tunable SKIN" },
        { "GLOBAL const int *rows", "GLOBAL int *rows", "mine.cl:6:",
          "@scratch rows is kept from one rebuild to the next, and kernel fill fills it when "
          "moved" },
        { "fill(int n, GLOBAL int *rows)", "fill(int n, GLOBAL const int *rows)",
          "mine.cl:5:", "no such pass fills @scratch rows" },
        { "fill(int n,", "fill(GLOBAL accum4 *force,", "mine.cl:5:", "kernels take force in" },
        { "fill(int n,", "fill(GLOBAL accum *partial_sums,", "mine.cl:5:", "take partial_sums" },
        { "every step", "when moved", "mine.cl:6:", "kernels take force in passes of every step" },
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        assert_refused(scheduled, &refusals[i]);
    }
    char text[2048];
    replaced(scheduled, "none", "sorted_cells", text, sizeof text);
    assert_refused(text, &(struct refusal){ "int *rows, int n", "int *rows, int4 cells",
                                            "mine.cl:6:", "cells is what it was when" });
}

TEST(types_of_scratch) {
    static const char own[] = " * @scratch    mine accum4 particle\n"
                              " * @scratch    marks uint 1\n";
    struct error error;
    assert_true(parse_typed(own, "GLOBAL accum4 *mine, GLOBAL uint *RESTRICT marks", &error));
    assert_true(parse_typed(own, "GLOBAL accum *mine, GLOBAL const uint *marks", &error));
    assert_false(parse_typed(own, "GLOBAL real4 *mine", &error));
    assert_says(error.message, "mine.cl:9: kernel f: parameter mine is a GLOBAL real4 * "
                               "here, and a GLOBAL accum4 * or GLOBAL accum * is "
                               "expected");
    assert_false(parse_typed(own, "GLOBAL int *marks", &error));
    assert_false(parse_typed(own, "GLOBAL int *others", &error));
    assert_says(error.message, "mine, marks");
}

/* What stands behind the part of a declaration that is kept would be lost in silence. */
TEST(long_declarations_are_refused) {
    char by[700];
    const struct refusal refusal = { "SHARE 1", by, "mine.cl:11:", "longer than 511" };
    (void)snprintf(by, sizeof by, "SHARE 1 %600s", "2*");
    assert_refused(good, &refusal);
}

TEST(group_size_needs_a_place) {
    char by[24 * VARIANT_MAX_TUNABLES] = "SHARE 1";
    for (int t = 0; t < VARIANT_MAX_TUNABLES - 2; t++) {
        const size_t length = strlen(by);
        (void)snprintf(by + length, sizeof by - length, "\n * @tunable T%d 1", t);
    }
    const struct refusal refusal = { "SHARE 1", by, "mine.cl:", "besides GROUP_SIZE" };
    assert_refused(good, &refusal);
}

/* `list` prints the summary and the source. */
TEST(headers_are_printable) {
    char text[2048];
    struct variant variant;
    struct error error;
    replaced(good, "a kernel of my own", "\x1b[31mred", text, sizeof text);
    assert_true(variant_parse("mine.cl", text, &variant, &error));
    assert_string_equal(variant.summary, "?[31mred");
    variant_free(&variant);
}

/* ---- coordination ---- */

static const char two_groups[] =
    "/*\n"
    " * ours \xe2\x80\x94 a coordination of two groups\n"
    " *\n"
    " * @workload  coordination\n"
    " * @groups    two\n"
    " * @structure sorted_cells\n"
    " * @pass      first_pass  item per particle_a\n"
    " * @pass      second_pass group per cell_b\n"
    " * @accumulates derivative\n"
    " */\n"
    "KERNEL void first_pass(int n_a, int n_b, GLOBAL const real4 *RESTRICT position_a,\n"
    "                       GLOBAL const int *RESTRICT index_b,\n"
    "                       GLOBAL accum4 *RESTRICT derivative_a) {}\n"
    "KERNEL void second_pass(int4 cells_b, GLOBAL const int *RESTRICT cell_start_b, real4 edge,\n"
    "                        GLOBAL const real4 *RESTRICT sorted_position_a PAIR_PARAMETERS) {}\n";

static const char one_group[] =
    "/*\n"
    " * ours \xe2\x80\x94 a coordination of one group\n"
    " * @workload  coordination\n"
    " * @groups    one\n"
    " * @structure sorted_cells\n"
    " * @pass      pass item per particle\n"
    " */\n"
    "KERNEL void pass(int n, GLOBAL const real4 *RESTRICT sorted_position, int4 cells,\n"
    "                 GLOBAL accum4 *RESTRICT derivative) {}\n";

static const char listed_pairs[] =
    "/*\n"
    " * ours \xe2\x80\x94 a coordination of pairs\n"
    " * @workload  coordination\n"
    " * @groups    pairs\n"
    " * @structure none\n"
    " * @pass      pass item per pair\n"
    " */\n"
    "KERNEL void pass(int n_pairs, GLOBAL const real4 *RESTRICT position_a,\n"
    "                 GLOBAL accum4 *RESTRICT derivative_b) {}\n";

TEST(coordinations_are_read) {
    static const char *const texts[] = { one_group, two_groups, listed_pairs };
    for (int mode = GROUPS_ONE; mode <= GROUPS_PAIRS; mode++) {
        struct variant variant;
        struct error error;
        assert_done(variant_parse("mine.cl", texts[mode], &variant, &error), &error);
        assert_string_equal(variant.workload->name, "coordination");
        assert_int_equal(variant.groups, mode);
        assert_int_equal(variant.accumulates, mode == GROUPS_TWO);
        variant_free(&variant);
    }
}

TEST(bad_coordinations_are_refused) {
    static const struct refusal of_two[] = {
        { "@groups    two", "@groups    three", "mine.cl:5:", "one, two or pairs" },
        { "@groups    two", "", "mine.cl:", "one, two or pairs" },
        { "@workload  coordination", "@workload  forces", "mine.cl:", "@groups" },
        { "@workload  coordination", "@workload  coordinate", "mine.cl:4:", "coordination" },
        { "@accumulates derivative", "@accumulates force", "mine.cl:", "derivative" },
        { "per particle_a", "per particle", "mine.cl:", "particle_a, particle_b" },
        { "per cell_b", "per cell", "mine.cl:", "cell_a, cell_b" },
        { "int n_a", "int n", "mine.cl:11:", "n_a, n_b" },
        { "cells_b,", "cells,", "mine.cl:", "cells_a, cells_b" },
        { "derivative_a", "force", "mine.cl:", "derivative_a" },
        { "real4 edge", "real4 edge_a", "mine.cl:", "edge_a" },
        { "@structure sorted_cells", "@structure none", "mine.cl:", "cell_b" },
    };
    static const struct refusal of_one[] = {
        { "per particle", "per pair", "mine.cl:", "particle" },
        { "int4 cells", "int4 cells_a", "mine.cl:", "cells" },
        { "derivative)", "derivative_a)", "mine.cl:", "derivative" },
    };
    static const struct refusal of_pairs[] = {
        { "@structure none", "@structure sorted_cells", "mine.cl:", "@structure none" },
        { "per pair", "per particle", "mine.cl:", "pair" },
        { "n_pairs", "index_a", "mine.cl:", "n_pairs" },
    };
    for (size_t i = 0; i < sizeof of_two / sizeof of_two[0]; i++) {
        assert_refused(two_groups, &of_two[i]);
    }
    for (size_t i = 0; i < sizeof of_one / sizeof of_one[0]; i++) {
        assert_refused(one_group, &of_one[i]);
        assert_refused(listed_pairs, &of_pairs[i]);
    }
    assert_refused(good, &(struct refusal){ "@accumulates force", "@accumulates derivative",
                                            "mine.cl:", "@accumulates force" });
    assert_refused(good, &(struct refusal){ "@boxes     periodic", "@groups one",
                                            "mine.cl:", "takes no groups" });
}

/* ---- what kernels write ---- */

static const char writes_nothing[] = "/*\n"
                                     " * mine \xe2\x80\x94 a kernel\n"
                                     " * @workload  forces\n"
                                     " * @structure none\n"
                                     " * @pass      f item per particle\n"
                                     " */\n"
                                     "KERNEL void f(int n) {}\n";

TEST(kernels_write_the_result) {
    static const struct refusal refusals[] = {
        { "forces", "forces", "mine.cl:", "no kernel takes what workload forces computes" },
        { "int n", "GLOBAL accum4 *derivative", "mine.cl:7:", "derivative" },
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        assert_refused(writes_nothing, &refusals[i]);
    }
    assert_refused(one_group, &(struct refusal){ "derivative)", "derivative, GLOBAL accum4 *force)",
                                                 "mine.cl:", "derivative and force" });
}

/* Kernels of a coordination may write forces, whose sign the host turns. */
TEST(sign_of_the_result) {
    struct variant variant;
    struct error error;
    assert_true(variant_parse("mine.cl", one_group, &variant, &error));
    assert_string_equal(variant.result->name, "derivative");
    assert_true(variant.result->sign == 1);
    variant_free(&variant);
    char forces[2048];
    replaced(one_group, "derivative)", "force)", forces, sizeof forces);
    assert_true(variant_parse("mine.cl", forces, &variant, &error));
    assert_string_equal(variant.result->name, "force");
    assert_true(variant.result->sign == -1);
    variant_free(&variant);
}

/* ---- files that serve several workloads ---- */

static const char serves_two[] =
    "/*\n"
    " * walk \xe2\x80\x94 a kernel of two workloads\n"
    " * @workload  forces coordination\n"
    " * @name      count for coordination\n"
    " * @groups    one for coordination\n"
    " * @structure none\n"
    " * @pass      f item per particle\n"
    " * @tunable   ITEMS 1* 2\n"
    " * @tunable   ITEMS 4 8* for coordination\n"
    " * @tunable   SHARE 3 for coordination\n"
    " */\n"
    "KERNEL void f(int n, GLOBAL const real4 *position, GLOBAL accum4 *force) {}\n";

TEST(a_variant_for_each_workload) {
    struct variant of_forces;
    struct variant of_coordination;
    struct error error;
    assert_true(variant_parse_kth("walk.cl", serves_two, 0, &of_forces, &error));
    assert_true(variant_parse_kth("walk.cl", serves_two, 1, &of_coordination, &error));
    assert_int_equal(of_forces.workload_count, 2);
    assert_string_equal(of_forces.workload->name, "forces");
    assert_string_equal(of_forces.name, "walk");
    assert_false(of_forces.names_groups);
    assert_int_equal(of_forces.tunable_count, 2); /* ITEMS and GROUP_SIZE */
    assert_int_equal(of_forces.tunables[0].preset, 1);
    assert_true(of_forces.result->sign == 1);
    assert_string_equal(of_coordination.workload->name, "coordination");
    assert_string_equal(of_coordination.name, "count");
    assert_int_equal(of_coordination.groups, GROUPS_ONE);
    assert_int_equal(of_coordination.tunable_count, 3);
    assert_int_equal(of_coordination.tunables[0].preset, 8);
    assert_true(of_coordination.result->sign == -1);
    variant_free(&of_forces);
    variant_free(&of_coordination);
}

TEST(bad_words_of_several_workloads) {
    static const struct refusal refusals[] = {
        { "forces coordination", "forces luck", "mine.cl:3:", "\"luck\"; expected forces" },
        { "forces coordination", "forces forces", "mine.cl:3:", "forces twice" },
        { "forces coordination", "forces", "mine.cl:4:", "expected one of the workloads" },
        { "count for coordination", "count", "mine.cl:4:", "for WORKLOAD" },
        { "count for coordination", "1c for coordination", "mine.cl:", "@name NAME" },
        { "4 8* for coordination", "4 8*", "mine.cl:9:", "stands twice" },
        { "3 for coordination", "3 for luck", "mine.cl:10:", "for luck" },
        { "force)", "derivative)", "mine.cl:12:", "derivative" }, /* no field of forces */
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct variant variant;
        struct error error;
        char text[2048];
        bool parsed = true;
        replaced(serves_two, refusals[i].replace, refusals[i].by, text, sizeof text);
        for (int k = 0; k < 2 && parsed; k++) {
            parsed = variant_parse_kth("mine.cl", text, k, &variant, &error);
            if (parsed) {
                variant_free(&variant);
            }
        }
        assert_false(parsed);
        if (!strstr(error.message, refusals[i].place) || !strstr(error.message, refusals[i].says)) {
            fail_msg("expected \"%s\" and \"%s\" in: %s", refusals[i].place, refusals[i].says,
                     error.message);
        }
    }
}

TEST(comment_that_never_ends) {
    struct variant variant;
    struct error error;
    assert_false(variant_parse("mine.cl", "\n/*\n * mine - a kernel\n", &variant, &error));
    assert_says(error.message, "mine.cl:2: ");
    assert_false(variant_parse("mine.cl", "", &variant, &error));
    assert_false(variant_parse("mine.cl", "/**/", &variant, &error));
}

TEST(missing_file) {
    struct variant variant;
    struct error error;
    assert_false(variant_read_kth("/nowhere/mine.cl", 0, &variant, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, "/nowhere/mine.cl");
}

TEST(embedded_variants_parse) {
    size_t count = 0;
    struct error error;
    const struct variant *variants = variants_embedded(&count, &error);
    assert_non_null(variants);
    assert_true(count >= 4);
    for (size_t i = 0; i < count; i++) {
        char file[128]; /* is named after the variant that it is to the first of its workloads, and
                           an integrator's by what stands before the forces */
        (void)snprintf(file, sizeof file, "variants/%s/%.*s%s", variants[i].workloads[0]->name,
                       (int)strcspn(variants[i].name, "+"), variants[i].name,
                       kernel_language_ending(variants[i].language));
        assert_true(variants[i].kth > 0 || strcmp(variants[i].path, file) == 0);
        assert_true(strlen(variants[i].summary) > 10);
        assert_true(i == 0 || strcmp(variants[i - 1].name, variants[i].name) < 0);
    }
    assert_ptr_equal(variants, variants_embedded(&count, &error));
}
