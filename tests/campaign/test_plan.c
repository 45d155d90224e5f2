/* The axes of the command line and the cases they span; names and hashes of cases. */
#include "campaign/axes/axes.h"
#include "campaign/plan/plan.h"
#include "campaign/plan/plan_parts.h"
#include "commands/search/search.h"
#include "core/strings.h"

#include <unistd.h>

#include "support.h"

#include "axes_line.h"
#include "boxes/box.h"
#include "core/files.h"
#include "kernels/header/read_variant.h"

/* ---- helpers ---- */

/* Files that the tests make, all in one folder. */
static char folder[TEST_FOLDER_SIZE];

static char *in_folder(const char *name, char path[256]) {
    (void)snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text) {
    char path[256];
    struct error error;
    assert_true(fs_write(in_folder(name, path), text, strlen(text), &error));
}

static void write_variant(const char *file, const char *name, const char *lines) {
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "/*\n * %s — a variant of this test\n *\n * Does nothing.\n *\n"
                   " * @workload  forces\n%s */\n"
                   "KERNEL void %s(int n, GLOBAL accum4 *RESTRICT force)\n{\n}\n",
                   name, lines, name);
    write_file(file, text);
}

static int set_up(void **state) {
    (void)state;
    make_test_folder(folder);
    write_variant("plain.cl", "plain",
                  " * @structure none\n * @pass      plain item per particle\n"
                  " * @tunable   GROUP_SIZE 32 64* 128\n");
    write_variant("tuned.cl", "tuned",
                  " * @structure none\n * @pass      tuned item per particle\n"
                  " * @tunable   GROUP_SIZE 32 64*\n * @tunable   UNROLL 1* 2\n");
    write_variant("closed.cl", "closed",
                  " * @structure none\n * @pass      closed item per particle\n"
                  " * @boxes     periodic\n * @tunable   GROUP_SIZE 64\n");
    write_variant("celled.cl", "celled",
                  " * @structure sorted_cells\n * @pass      celled item per particle\n"
                  " * @tunable   GROUP_SIZE 64\n * @tunable   CELLS_PER_CUTOFF 1\n"
                  " * @tunable   STABLE_SORT 0\n");
    write_variant("roomy.cl", "roomy",
                  " * @structure none\n * @pass      roomy item per particle\n"
                  " * @tunable   ROOM 8 20* 32\n * @tunable   SHARE 1* 2\n"
                  " * @holds     ROOM max(1, density * cutoff * cutoff / SHARE - 1)\n");
    write_variant("shadow.cl", "all_pairs_loop",
                  " * @structure none\n * @pass      all_pairs_loop item per particle\n"
                  " * @tunable   GROUP_SIZE 16\n");
    write_file("open.xyz", "2\n0 0 0\nA 0 0 0\nA 1 0 0\n");
    write_file("four.xyz", "2\n4 5 6\nA 0 0 0\nA 1 0 0\n");
    write_file("same.xyz", "2\n4 5 6\nA 0 0 0\nA 1 0 0\n");
    write_file("short.xyz", "2\n4 5 6\nA 0 0 0\n");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    return remove_test_folder(folder);
}

/* "%s" in the line is the folder. */
static const char *with_folder(const char *line, char words[512]) {
    size_t length = 0;
    for (; *line && length < 400; line++) {
        if (strncmp(line, "%s", 2) == 0) {
            length += (size_t)snprintf(words + length, 512 - length, "%s", folder);
            line++;
        } else {
            words[length++] = *line;
        }
    }
    words[length] = '\0';
    return words;
}

static struct plan spanned_in_folder(const char *line) {
    char words[512];
    return spanned(with_folder(line, words));
}

static void assert_refused_in_folder(const char *line, const char *first, const char *second) {
    char words[512];
    assert_refused(with_folder(line, words), first, second);
}

/* ---- numbers ---- */

static void assert_numbers(const char *list, size_t count, const double *expected) {
    struct number_list numbers;
    struct error error;
    assert_true(axis_numbers("--n", list, &numbers, &error));
    assert_int_equal(numbers.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(fabs(numbers.values[i] - expected[i]) <= 1e-12 * fabs(expected[i]));
    }
    free(numbers.values);
}

TEST(numbers_are_lists_and_ranges) {
    assert_numbers("7", 1, (double[]){ 7 });
    assert_numbers("16k,2.5,1M", 3, (double[]){ 16000, 2.5, 1e6 });
    assert_numbers("1k:1M:x4", 5, (double[]){ 1e3, 4e3, 16e3, 64e3, 256e3 });
    assert_numbers("1k:64k:x4", 4, (double[]){ 1e3, 4e3, 16e3, 64e3 });
    assert_numbers("100:500:+100", 5, (double[]){ 100, 200, 300, 400, 500 });
    assert_numbers("0.1:0.8:+0.1", 8, (double[]){ .1, .2, .3, .4, .5, .6, .7, .8 });
    assert_numbers("0.1:0.3:+0.1", 3, (double[]){ .1, .2, .3 }); /* 0.1 + 0.2 > 0.3 */
    assert_numbers("1:9", 4, (double[]){ 1, 2, 4, 8 });
    assert_numbers("4:4:x2", 1, (double[]){ 4 });
    assert_numbers("8,1:16:x2,8", 5, (double[]){ 8, 1, 2, 4, 16 }); /* once each */
}

TEST(malformed_numbers_are_refused) {
    static const char *const lists[] = { "",           "abc",     "12x",       "1,",     "1,,2",
                                         "1:",         ":5",      "1:2:3",     "1:2:x",  "1:2:x1",
                                         "1:2:+",      "1:2:+0",  "1:2:x4:x4", "5:1:x2", "0:8:x2",
                                         "nan",        "inf",     "1:inf:x2",  "1e400",  "k",
                                         "\n64",       "\v64",    "64\r",      "1kk",    "-1:8:x2",
                                         "1:1M:+0.01", "1:2:+-1", "0x" };
    struct number_list numbers;
    struct error error;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (axis_numbers("--density", lists[i], &numbers, &error)) {
            fail_msg("'%s' was accepted", lists[i]);
        }
        assert_int_equal(error.status, STATUS_BAD_INPUT);
        assert_ptr_equal(strstr(error.message, "--density: "), error.message);
    }
}

/* ---- options ---- */

TEST(options_come_with_their_values_either_way) {
    struct axes axes;
    struct error error;
    assert_true(
        take_axes("--n 1k --precision=double --open --tune A=1 --tune=B=2,3", &axes, &error));
    assert_string_equal(axes.n, "1k");
    assert_string_equal(axes.precision, "double");
    assert_true(axes.open);
    assert_string_equal(axes.tunes[0], "A=1");
    assert_string_equal(axes.tunes[1], "B=2,3");
    assert_null(axes.tunes[2]);
    assert_null(axes.kind);
    axes_free(&axes);
    assert_null(axes.n);
}

TEST(option_that_is_no_axis_is_left_alone) {
    char *words[] = { "--json", "--nn", "5", "n", NULL };
    struct axes axes = { 0 };
    struct error error;
    for (int i = 0; i < 4; i++) {
        struct command_words reader = { 4, words, i };
        bool taken = true;
        assert_true(axes_take_option(&axes, &reader, &taken, &error));
        assert_false(taken);
        assert_int_equal(reader.at, i);
    }
    axes_free(&axes);
}

TEST(unusable_options_are_refused) {
    static const char *const lines[][2] = {
        { "--n", "--n: a value is missing" },
        { "--n --kind fluid", "--n: a value is missing" },
        { "--n=", "--n: a value is missing" },
        { "--tune", "--tune: a value is missing" },
        { "--n 1 --n 2", "--n: given twice" },
        { "--n 1k --box a.xyz", "--n: says how a box is made" },
        { "--box a.xyz --kind gas", "--kind: says how a box is made" },
        { "--box a.xyz --open", "--open: says how a box is made" },
    };
    struct axes axes;
    struct error error;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_false(take_axes(lines[i][0], &axes, &error));
        assert_int_equal(error.status, STATUS_BAD_INPUT);
        assert_says(error.message, lines[i][1]);
    }
}

/* ---- words ---- */

TEST(near_words_are_suggested) {
    static const char *const kinds[] = { "lattice", "uniform", "fluid", "gas", NULL };
    assert_string_equal(words_nearest("fluit", kinds), "fluid");
    assert_string_equal(words_nearest("latice", kinds), "lattice");
    assert_string_equal(words_nearest("uni", kinds), "uniform");
    assert_null(words_nearest("zzzzzz", kinds));
    assert_null(words_nearest("foo", (const char *const[]){ "box", "run", NULL }));
    assert_null(words_nearest("--folder", (const char *const[]){ "--cold", NULL }));
    assert_string_equal(words_nearest("tset", (const char *const[]){ "test", NULL }), "test");
    assert_null(words_nearest("", kinds));
}

TEST(unknown_names_are_refused_with_the_choices) {
    assert_refused("--kind fluit", "--kind", "did you mean 'fluid'?");
    assert_refused("--kind fluit", "lattice", "droplets");
    assert_refused("--precision flaot", "--precision", "did you mean 'float'?");
    assert_refused("--outputs energie", "--outputs", "did you mean 'energy'?");
    assert_refused("--workload force", "--workload", "did you mean 'forces'?");
    assert_refused("--structure cells_sorted", "--structure", "sorted_cells");
    assert_refused("--variant all_pair_loop", "--variant", "did you mean 'all_pairs_loop'?");
    assert_refused("--variant zz*", "--variant", "pairmark list");
    assert_refused("--variant all_pairs_loop,", "--variant", "''");
    assert_refused("--variant sorted_cells --structure none", "--structure", "walks 'none'");
    assert_refused("--interaction lk", "--interaction", "lj");
    assert_refused("--interaction lj:epsilom=1", "--interaction", "epsilon");
    assert_refused("--tune GROUP_SIZ=64", "--tune", "did you mean 'GROUP_SIZE'?");
}

TEST(unusable_numbers_are_refused) {
    assert_refused("--n 0", "--n", "0 is outside 1 to 536870911");
    assert_refused("--n 1:10000:+1 --seed 1:10000:+1", "--seed", "more than 100000 boxes");
    assert_refused("--tune GROUP_SIZE=64,96", "GROUP_SIZE=96", "expected a power of two");
    assert_refused("--n -5", "--n", "-5 is outside");
    assert_refused("--n 1000000M", "--n", "outside");
    assert_refused("--n 1.5", "--n", "1.5 is not a whole number");
    assert_refused("--seed -1", "--seed", "outside");
    assert_refused("--density 0", "--density", "not positive");
    assert_refused("--density -1", "--density", "not positive");
    assert_refused("--cutoff 0", "--cutoff", "not positive");
    assert_refused("--cutoff nan", "--cutoff", "none, half");
    assert_refused("--tune GROUP_SIZE", "--tune", "NAME=VALUE");
    assert_refused("--tune GROUP_SIZE=", "--tune", "NAME=VALUE");
    assert_refused("--tune GROUP_SIZE=0", "GROUP_SIZE=0", "a power of two of 1 to 16777216");
    assert_refused("--tune GROUP_SIZE=1.5", "GROUP_SIZE=1.5", "a power of two of 1 to 16777216");
    assert_refused("--tune GROUP_SIZE=64 --tune GROUP_SIZE=32", "--tune", "given twice");
}

/* ---- spans ---- */

TEST(defaults_are_one_case_a_variant) {
    struct error error;
    size_t built_in = 0;
    const struct variant *embedded = variants_embedded(&built_in, &error);
    size_t of_forces = 0;
    assert_non_null(embedded);
    for (size_t i = 0; i < built_in; i++) {
        of_forces += strcmp(embedded[i].workload->name, "forces") == 0;
    }
    struct plan plan = spanned("");
    assert_int_equal(plan.count, of_forces);
    for (size_t i = 0; i < plan.count; i++) {
        const struct case_spec *spec = &plan.cases[i];
        assert_int_equal(spec->precision, PRECISION_FLOAT);
        assert_int_equal(spec->outputs, OUTPUTS_FORCES);
        assert_string_equal(spec->interaction.name, "lj");
        assert_string_equal(spec->box.kind, "fluid");
        assert_int_equal(spec->box.n, 1000);
        assert_int_equal(spec->box.seed, 1);
        assert_true(spec->cutoff.length == 2.5);
        assert_int_equal(spec->tunings.count, spec->variant->tunable_count);
    }
    plan_free(&plan);
}

static void assert_names_differ(const struct plan *plan) {
    char names[2][512];
    for (size_t i = 0; i < plan->count; i++) {
        case_name(&plan->cases[i], names[0], sizeof names[0]);
        for (size_t j = 0; j < i; j++) {
            case_name(&plan->cases[j], names[1], sizeof names[1]);
            assert_string_not_equal(names[0], names[1]);
        }
    }
}

TEST(axes_multiply) {
    struct plan plan = spanned_in_folder(
        "--variant-file %s/plain.cl --precision * --outputs forces,virial --kind fluid,gas --n "
        "1k,2k --seed 1,2 --density 0.1,0.2 --cutoff 1,half --interaction lj;lj:epsilon=2");
    assert_int_equal(plan.count, 3 * 2 * 2 * 2 * 2 * 2 * 2 * 2);
    assert_names_differ(&plan);
    plan_free(&plan);
}

TEST(repeated_values_are_one_case) {
    struct plan plan = spanned_in_folder(
        "--variant-file %s/plain.cl --precision float,f* --n 1k,1000 --interaction "
        "lj;lj:epsilon=1 --cutoff half,half --tune GROUP_SIZE=64,64");
    assert_int_equal(plan.count, 1);
    plan_free(&plan);
}

TEST(files_stand_alone_unless_variants_are_named) {
    char words[512];
    struct plan plan = spanned_in_folder("--variant-file %s/plain.cl");
    assert_int_equal(plan.count, 1);
    assert_string_equal(plan.cases[0].variant->name, "plain");
    assert_ptr_equal(plan.read[0], plan.cases[0].variant);
    plan_free(&plan);
    plan = spanned_in_folder("--variant-file %s/plain.cl --variant all_pairs_loop");
    assert_int_equal(plan.count, 2);
    assert_string_equal(plan.cases[0].variant->name, "all_pairs_loop");
    assert_string_equal(plan.cases[1].variant->name, "plain");
    plan_free(&plan);
    /* A file's variant takes the place of the built-in one of its name. */
    plan = spanned_in_folder("--variant-file %s/shadow.cl --variant all_pairs_loop");
    assert_int_equal(plan.count, 1);
    assert_int_equal(tunings_value(&plan.cases[0].tunings, "GROUP_SIZE", 0), 16);
    plan_free(&plan);
    with_folder("--variant-file %s/plain.cl --variant-file %s/plain.cl", words);
    assert_refused(words, "--variant-file", "both declare the variant plain");
    assert_refused_in_folder("--variant-file %s/none.cl", "--variant-file", "none.cl");
}

TEST(tunables_go_to_the_variants_that_have_them) {
    size_t of_plain = 0;
    size_t of_tuned = 0;
    int unrolled = 0;
    struct plan plan = spanned_in_folder("--variant-file %s/plain.cl --variant-file %s/tuned.cl "
                                         "--tune UNROLL=1:8:x2 --tune GROUP_SIZE=32,256");
    for (size_t i = 0; i < plan.count; i++) {
        const struct case_spec *spec = &plan.cases[i];
        bool tuned = strcmp(spec->variant->name, "tuned") == 0;
        unrolled += tuned ? tunings_value(&spec->tunings, "UNROLL", 0) : 0;
        assert_int_equal(tunings_value(&spec->tunings, "UNROLL", -1) == -1, !tuned);
        of_tuned += tuned;
        of_plain += !tuned;
    }
    assert_int_equal(of_tuned, 4 * 2);
    assert_names_differ(&plan);
    assert_int_equal(unrolled, (1 + 2 + 4 + 8) * 2);
    assert_int_equal(of_plain, 2); /* 256 is no value of its author's, and is taken */
    plan_free(&plan);
    /* Zero only where it is listed. */
    plan = spanned_in_folder("--variant-file %s/celled.cl --tune STABLE_SORT=0,1");
    assert_int_equal(plan.count, 2);
    plan_free(&plan);
    assert_refused_in_folder("--variant-file %s/celled.cl --tune STABLE_SORT=-1", "STABLE_SORT",
                             "0 to 16777216");
    assert_refused_in_folder("--variant-file %s/plain.cl --tune UNROLL=2", "--tune",
                             "there is no tunable of the chosen variants 'UNROLL'");
}

static void assert_room(const char *line, int room) {
    char words[512];
    (void)snprintf(words, sizeof words, "--variant-file %%s/roomy.cl %s", line);
    struct plan plan = spanned_in_folder(words);
    assert_int_equal(plan.count, 1);
    assert_int_equal(tunings_value(&plan.cases[0].tunings, "ROOM", 0), room);
    plan_free(&plan);
}

TEST(a_tunable_holds_what_the_box_brings) {
    assert_room("--density 1 --cutoff 3", 8);
    assert_room("--density 0.9 --cutoff 3.3333333333333333", 20); /* 9: the next that is listed */
    assert_room("--density 1 --cutoff 4.9", 32);
    assert_room("--density 4 --n 8k --cutoff 4", 32); /* 63: the most that is listed */
    assert_room("--density 1 --cutoff 4.9 --open", 32);
    assert_room("--density 1 --n 8000 --cutoff half", 32); /* 10 */
    /* By what else is chosen; itself chosen, it stands. */
    assert_room("--density 1 --cutoff 4.9 --tune SHARE=2", 20);
    assert_room("--density 1 --cutoff 4.9 --tune ROOM=8", 8);
    assert_room("--density 1 --cutoff 4.9 --tune ROOM=9 --tune SHARE=2", 9);
    /* Files: of a cell; where there is none, nobody knows. */
    assert_room("--box %s/four.xyz --cutoff 2", 8);
    assert_room("--box %s/open.xyz --cutoff 20", 20);
}

/* The built-in variant of the issue: what was its preset runs out at some of these. */
TEST(words_are_enough_for_larger_cutoffs) {
    static const struct {
        const char *line;
        int words;
    } boxes[] = {
        { "--kind fluid --n 16k --cutoff 2.5", 20 },
        { "--kind fluid --n 16k --cutoff 2.5 --tune LANES=1", 20 },
        { "--kind fluid --n 16k --cutoff 3.5", 20 },
        { "--kind fluid --n 16k --cutoff 3.5 --tune LANES=1", 32 },
        { "--kind fluid --n 16k --cutoff 4.5", 32 },
        { "--kind water --n 16k --cutoff 9", 32 },
        { "--kind water --n 16k --cutoff 9 --tune ROWS=3", 20 },
        { "--kind water --n 16k --cutoff 9 --tune GROUP_SIZE=256", 20 }, /* local memory */
    };
    for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++) {
        char words[256];
        int needed = 0;
        (void)snprintf(words, sizeof words, "--variant sorted_cells_screened %s", boxes[i].line);
        struct plan plan = spanned(words);
        assert_int_equal(plan.count, 1);
        assert_int_equal(tunings_value(&plan.cases[0].tunings, "WORDS", 0), boxes[i].words);
        assert_null(case_short_tuning(&plan.cases[0], &needed));
        plan_free(&plan);
    }
    struct plan plan =
        spanned("--variant sorted_cells_screened --kind water --n 16k --cutoff 9 --tune WORDS=8");
    int needed = 0;
    const struct tuning *tuning = case_short_tuning(&plan.cases[0], &needed);
    assert_non_null(tuning);
    assert_string_equal(tuning->name, "WORDS");
    assert_int_equal(tuning->value, 8);
    assert_int_equal(needed, 29);
    plan_free(&plan);
}

/* ---- boxes and cutoffs ---- */

TEST(default_cutoff_gives_way_in_small_boxes) {
    struct plan plan =
        spanned_in_folder("--variant-file %s/plain.cl --density 1 --n 1,124,125,126");
    assert_int_equal(plan.count, 4);
    assert_true(plan.cases[0].cutoff.kind == CUTOFF_HALF);
    assert_true(plan.cases[1].cutoff.kind == CUTOFF_HALF);
    assert_true(plan.cases[2].cutoff.length == 2.5); /* the edge is 5 */
    assert_true(plan.cases[3].cutoff.length == 2.5);
    plan_free(&plan);
    plan = spanned_in_folder("--variant-file %s/plain.cl --density 1 --n 1 --open");
    assert_true(plan.cases[0].cutoff.length == 2.5); /* nothing is too small that has no images */
    plan_free(&plan);
}

TEST(cutoff_that_was_asked_for_does_not) {
    struct plan plan = spanned_in_folder("--variant-file %s/plain.cl --density 1 --n 125 "
                                         "--cutoff 2.5,half");
    assert_int_equal(plan.count, 2);
    assert_true(plan.cases[1].cutoff.kind == CUTOFF_HALF);
    plan_free(&plan);
    assert_refused("--density 1 --n 1k,64 --cutoff 2.5", "--cutoff: 2.5",
                   "n = 64: the edge is 4, the cutoff can be at most 2");
    assert_refused("--cutoff none", "--cutoff: none needs an open box", "--open");
    assert_refused_in_folder("--box %s/four.xyz --cutoff 2.1", "--cutoff: 2.1",
                             "the edge is 4, the cutoff can be at most 2");
}

TEST(boxes_are_read_to_know_them) {
    struct plan plan = spanned_in_folder(
        "--variant-file %s/plain.cl --box %s/four.xyz --box %s/open.xyz --box %s/four.xyz "
        "--cutoff half,1.5");
    assert_int_equal(plan.count, 4);
    assert_int_equal(plan.cases[0].box.n, 2);
    assert_string_equal(plan.cases[0].box.kind, "file");
    assert_true(plan.cases[0].cutoff.kind == CUTOFF_HALF);
    assert_true(plan.cases[3].cutoff.length == 1.5);
    plan_free(&plan);
    /* A file's unit of length is not known. */
    assert_refused_in_folder("--variant-file %s/plain.cl --box %s/four.xyz", "--cutoff",
                             "4 x 5 x 6");
    assert_refused_in_folder("--variant-file %s/plain.cl --box %s/open.xyz", "--cutoff", "none");
    assert_refused_in_folder("--box %s/none.xyz", "--box", "none.xyz");
    assert_refused_in_folder("--box %s/short.xyz", "--box", "short.xyz:");
}

TEST(what_a_variant_refuses_is_left_out) {
    struct plan plan = spanned_in_folder("--variant-file %s/plain.cl --variant-file %s/celled.cl "
                                         "--variant-file %s/closed.cl --open --cutoff none,1 "
                                         "--outputs forces,virial");
    assert_int_equal(plan.left_out, 2 + 2 * 2); /* celled without a cutoff, closed altogether */
    assert_int_equal(plan.count, 2 * 2 + 2);
    plan_free(&plan);
    struct error error;
    char words[512];
    assert_false(span(with_folder("--variant-file %s/closed.cl --open", words), &plan, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, "closed takes no open boxes");
    assert_int_equal(plan.left_out, 1);
    /* Half the edge of an open box is no cutoff. */
    assert_refused_in_folder("--variant-file %s/celled.cl --box %s/open.xyz --cutoff half",
                             "celled needs a cutoff", "no case is left");
}

/* ---- names and hashes ---- */

TEST(names_say_what_is_not_usual) {
    static const char *const lines[][2] = {
        { "", "forces/lj/plain/float/forces/fluid/n:1000/GROUP_SIZE=64" },
        { "--precision double --outputs virial --n 16k --tune GROUP_SIZE=128",
          "forces/lj/plain/double/virial/fluid/n:16000/GROUP_SIZE=128" },
        { "--kind gas --open --cutoff none --density 0.5 --seed 7",
          "forces/lj/plain/float/forces/gas/open/n:1000/density:0.5/seed:7/cutoff:none/"
          "GROUP_SIZE=64" },
        { "--cutoff half", "forces/lj/plain/float/forces/fluid/n:1000/cutoff:half/GROUP_SIZE=64" },
        { "--interaction lj:epsilon=1", "forces/lj/plain/float/forces/fluid/n:1000/GROUP_SIZE=64" },
        { "--interaction lj:epsilon=2",
          "forces/lj:epsilon=2,sigma=1/plain/float/forces/fluid/n:1000/GROUP_SIZE=64" },
    };
    char line[512];
    char name[512];
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        (void)snprintf(line, sizeof line, "--variant-file %%s/plain.cl%s%s",
                       lines[i][0][0] ? " " : "", lines[i][0]);
        struct plan plan = spanned_in_folder(line);
        case_name(&plan.cases[0], name, sizeof name);
        assert_string_equal(name, lines[i][1]);
        plan_free(&plan);
    }
    struct plan plan = spanned_in_folder("--variant-file %s/plain.cl");
    case_name(&plan.cases[0], name, 10);
    assert_string_equal(name, "forces/lj");
    plan_free(&plan);
}

static void id_of(const char *line, char id[HASH_TEXT_SIZE]) {
    struct plan plan = spanned_in_folder(line);
    assert_int_equal(plan.count, 1);
    case_id(&plan.cases[0], id);
    assert_int_equal(strlen(id), HASH_TEXT_SIZE - 1);
    plan_free(&plan);
}

TEST(id_changes_with_what_decides_the_result) {
    static const char *const changes[] = {
        "",
        "--precision mixed",
        "--outputs energy",
        "--n 1001",
        "--seed 2",
        "--density 0.5",
        "--open",
        "--cutoff 2.4",
        "--kind gas",
        "--cutoff half",
        "--tune GROUP_SIZE=32",
        "--interaction lj:sigma=1.5",
    };
    enum { CHANGES = sizeof changes / sizeof changes[0] };
    char ids[CHANGES][HASH_TEXT_SIZE];
    char line[512];
    for (size_t i = 0; i < CHANGES; i++) {
        (void)snprintf(line, sizeof line, "--variant-file %%s/plain.cl%s%s",
                       changes[i][0] ? " " : "", changes[i]);
        id_of(line, ids[i]);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(ids[i], ids[j]);
        }
    }
}

TEST(id_does_not_change_with_the_words) {
    char one[HASH_TEXT_SIZE];
    char other[HASH_TEXT_SIZE];
    char line[256];
    id_of("--variant-file %s/plain.cl", one);
    (void)snprintf(line, sizeof line,
                   "--variant-file %%s/plain.cl --density %.17g --tune GROUP_SIZE=64 --n 1k",
                   box_default_density("fluid"));
    id_of(line, other);
    assert_string_equal(one, other);
    /* A box is its bytes, wherever it lies; a variant is its text, also under the same name. */
    id_of("--variant-file %s/plain.cl --box %s/four.xyz --cutoff 1", one);
    id_of("--variant-file %s/plain.cl --box %s/same.xyz --cutoff 1", other);
    assert_string_equal(one, other);
    id_of("--variant-file %s/shadow.cl", one);
    id_of("--variant all_pairs_loop --tune GROUP_SIZE=16", other);
    assert_string_not_equal(one, other);
}

/* Rows of runs that were recorded long ago are known by these; a new axis leaves them as they are.
 */
TEST(names_and_ids_stay) {
    static const char forces[] =
        "/*\n * golden — a variant whose text stays\n *\n * Does nothing.\n *\n"
        " * @workload  forces\n * @structure none\n * @pass      golden item per particle\n"
        " * @tunable   GROUP_SIZE 64* 128\n */\n"
        "KERNEL void golden(int n, GLOBAL accum4 *RESTRICT force)\n{\n}\n";
    static const char coordination[] =
        "/*\n * counted — a variant whose text stays\n *\n * Does nothing.\n *\n"
        " * @workload  coordination\n * @groups    one\n * @structure none\n"
        " * @pass      counted item per particle\n * @tunable   GROUP_SIZE 64* 128\n */\n"
        "KERNEL void counted(int n, GLOBAL accum4 *RESTRICT derivative)\n{\n}\n";
    static const struct {
        const char *line, *name, *id; /* of the last case */
    } cases[] = {
        { "golden.cl", "forces/lj/golden/float/forces/fluid/n:1000/GROUP_SIZE=64",
          "4d40abda1a68f09d3a0b026b59d0af43" },
        { "golden.cl --reduction atomic --outputs virial --precision mixed --n 17 --open",
          "forces/lj/golden/mixed/virial/fluid/open/n:17/atomic/GROUP_SIZE=64",
          "8af32fa8676f593af618406337de3766" },
        { "golden.cl --reduction warp --outputs energy --cutoff half --kind gas --density 0.5 "
          "--seed 3",
          "forces/lj/golden/float/energy/gas/n:1000/density:0.5/seed:3/warp/cutoff:half/"
          "GROUP_SIZE=64",
          "b9acd98dc9182ce93425dbabf58f49c2" },
        { "golden.cl --interaction lj:sigma=1.5 --cutoff none --open --tune GROUP_SIZE=128",
          "forces/lj:epsilon=1,sigma=1.5/golden/float/forces/fluid/open/n:1000/cutoff:none/"
          "GROUP_SIZE=128",
          "dd12098d00e69fbe1f10837b0f4f5be2" },
        { "counted.cl --interaction rational:r0=0.3",
          "coordination/rational:r0=0.3,n=6,m=12,d0=0,dmax=2.0438762071738834/counted/float/virial/"
          "fluid/n:1000/GROUP_SIZE=64",
          "6477761c47ae4e7d952780dc0dee50d2" },
        { "counted.cl --interaction rational:r0=0.3 --reduction cub --outputs forces,energy "
          "--group-a 1-10",
          "coordination/rational:r0=0.3,n=6,m=12,d0=0,dmax=2.0438762071738834/counted/float/energy/"
          "fluid/n:1000/a:1-10/cub/GROUP_SIZE=64",
          "ed3192c0cbb38e21015d753000bd3ae0" },
    };
    write_file("golden.cl", forces);
    write_file("counted.cl", coordination);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[512];
        char name[512];
        char id[HASH_TEXT_SIZE];
        (void)snprintf(line, sizeof line, "--variant-file %%s/%s", cases[i].line);
        struct plan plan = spanned_in_folder(line);
        case_name(&plan.cases[plan.count - 1], name, sizeof name);
        case_id(&plan.cases[plan.count - 1], id);
        plan_free(&plan);
        assert_string_equal(name, cases[i].name);
        assert_string_equal(id, cases[i].id);
    }
}

/* A plan reads a box file once: what a case is called does not change when the file does, and a new
 * plan sees it. */
TEST(a_box_file_is_read_once_a_plan) {
    char before[HASH_TEXT_SIZE];
    char after[HASH_TEXT_SIZE];
    write_file("moved.xyz", "2\n4 5 6\nA 0 0 0\nA 1 0 0\n");
    struct plan plan =
        spanned_in_folder("--variant-file %s/plain.cl --box %s/moved.xyz --cutoff 1");
    case_id(&plan.cases[0], before);
    write_file("moved.xyz", "2\n4 5 6\nA 0 0 0\nA 2 0 0\n");
    case_id(&plan.cases[0], after);
    assert_string_equal(before, after);
    /* A spec that no plan made reads it itself. */
    plan.cases[0].box.content[0] = '\0';
    case_id(&plan.cases[0], after);
    assert_string_not_equal(before, after);
    plan_free(&plan);
    id_of("--variant-file %s/plain.cl --box %s/moved.xyz --cutoff 1", before);
    assert_string_equal(before, after);
}

/* Files are read and pairings joined once, however many rows are planned. */
TEST(variants_are_chosen_once_a_draw) {
    struct axes axes = { 0 };
    struct variant_choice choice;
    struct plan plan;
    struct drawn drawn;
    struct error error;
    assert_true(
        axes_parse(&axes, "--workload step --variant langevin+list_walk", NULL, NULL, &error));
    assert_true(variants_choose(&axes, &choice, &error));
    assert_true(plan_make_of(&axes, &choice, &plan, &error));
    assert_ptr_equal(plan.cases[0].variant, choice.chosen[0]);
    plan_free(&plan);
    assert_string_equal(choice.chosen[0]->name, "langevin+list_walk"); /* still there */
    const struct drawn_settings none = { .strength = 2, .seed = 1, .seconds = 120 };
    assert_true(drawn_make(&axes, choice.workload, &none, &drawn, &error));
    assert_int_equal(covering_row_count(drawn.variants[0].covering), 1); /* planning has no time */
    assert_true(drawn.variants[0].planning_s > 0);
    drawn_free(&drawn);
    variants_release(&choice);
    axes_free(&axes);
}

static double seconds_of(const char *words, bool *is_long) {
    struct axes axes = { 0 };
    struct plan plan;
    struct error error;
    assert_true(axes_parse(&axes, words, NULL, NULL, &error));
    assert_true(plan_make(&axes, &plan, &error));
    const double seconds = drawn_case_seconds(&plan.cases[0]);
    *is_long = case_is_long(&plan.cases[0], true);
    plan_free(&plan);
    axes_free(&axes);
    return seconds;
}

/* One group has all pairs of a box. */
TEST(large_boxes_take_a_gpu_long_where_a_group_has_each) {
    struct axes axes = { 0 };
    struct plan plan;
    struct error error;
    assert_true(axes_parse(&axes,
                           "--variant boxes_half,boxes_tile,all_pairs_tile --precision double "
                           "--kind fluid --n 70001,5000",
                           NULL, NULL, &error));
    assert_true(plan_make(&axes, &plan, &error));
    for (size_t c = 0; c < plan.count; c++) {
        const struct case_spec *spec = &plan.cases[c];
        assert_int_equal(case_is_long(spec, false),
                         spec->box.n == 70001 && spec->variant->name[0] == 'b');
    }
    assert_true(plan.count >= 6);
    plan_free(&plan);
    axes_free(&axes);
}

/* A launch tries each pair in 27 images: what takes minutes is launched once, and has its time. */
TEST(all_images_of_all_pairs_take_long) {
    bool is_long;
    assert_true(seconds_of("--workload neighbours --variant neighbours_tile --kind fluid --n 20000",
                           &is_long) > 60);
    assert_true(is_long);
    assert_true(seconds_of("--workload neighbours --variant neighbours_tile --kind fluid --n 4099",
                           &is_long) < 60);
    assert_false(is_long);
    (void)seconds_of("--workload neighbours --variant neighbours_cells --kind fluid --n 20000",
                     &is_long);
    assert_false(is_long);
    (void)seconds_of("--variant all_pairs_tile --kind fluid --n 20000", &is_long);
    assert_false(is_long);
}

/* One launch over all pairs is short, but the reference of half of them is not. */
TEST(all_pairs_within_reach_take_long) {
    bool is_long;
    assert_true(seconds_of("--workload step --variant nose_hoover+all_pairs_loop --kind borders "
                           "--n 20011 --steps 1 --cutoff half --outputs virial",
                           &is_long) > 6);
    assert_true(is_long);
    assert_true(seconds_of("--variant all_pairs_loop --kind fluid --n 33013", &is_long) < 6);
    assert_true(is_long);
    assert_true(
        seconds_of("--variant all_pairs_loop --kind fluid --n 33013 --cutoff half", &is_long) > 6);
    assert_true(seconds_of("--variant all_pairs_loop --kind fluid --n 33013 --cutoff none --open",
                           &is_long) > 6);
}

/* Kernels that look through rows of rows: a minute for many particles, and drawn for fewer. */
TEST(triplets_of_triplets_take_long) {
    const char *of = "--workload three_body --variant three_body_partial --kind fluid --open "
                     "--precision mixed --outputs virial --reduction atomic --interaction "
                     "tersoff:A=25,B=15,lambda1=3,lambda2=1.5,lambda3=0.4,n=22.9,beta=0.3,"
                     "gamma=0.7,c=4.8,d=2,costheta0=0.1,m=1,R=1.4,width=0.3";
    char words[512];
    bool is_long;
    (void)snprintf(words, sizeof words, "%s --n 16411", of);
    assert_true(seconds_of(words, &is_long) > 30);
    (void)snprintf(words, sizeof words, "%s --n 16411 --density 0.1", of);
    assert_true(seconds_of(words, &is_long) < 6);
    (void)snprintf(words, sizeof words, "%s --n 1025", of);
    assert_true(seconds_of(words, &is_long) < 6);
}

TEST_GROUP(set_up, tear_down)
