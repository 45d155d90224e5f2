/* Axes of the coordination workload: which workload it is, groups, ratios and reductions, what is
 * refused before anything runs, and the names of cases. */
#include "campaign/plan/plan.h"

#include "support.h"

#include "axes_line.h"

#define SWITCHING "--interaction rational:r0=0.9,n=6,m=12,dmax=1.6"

/* ---- the workload ---- */

static void assert_workload(const char *line, const char *workload) {
    struct plan plan = spanned(line);
    for (size_t i = 0; i < plan.count; i++) {
        assert_string_equal(plan.cases[i].variant->workload->name, workload);
    }
    plan_free(&plan);
}

TEST(workload_follows_from_the_other_words) {
    assert_workload("--workload coordination " SWITCHING, "coordination");
    assert_workload("--workload coord* " SWITCHING, "coordination");
    assert_workload(SWITCHING, "coordination");
    assert_workload("--variant coordination_loop " SWITCHING, "coordination");
    assert_workload("--variant two_groups_* --group-b 3-9 " SWITCHING, "coordination");
    assert_workload("--variant coordination_tile --open", "coordination");
    assert_workload("--group-a 1-10 --open", "coordination");
    assert_workload("--ratio 10:1 --open", "coordination");
    assert_workload("--variant all_pairs_loop", "forces");
    assert_workload("--variant all_pairs_loop --interaction rational:r0=0.9,dmax=1.6", "forces");
    assert_workload("--workload forces --interaction rational:r0=0.9,dmax=1.6", "forces");
    assert_workload("--interaction lj;rational:dmax=2", "forces");
    assert_workload("--reduction atomic --outputs virial", "forces");
    assert_refused("--workload *", "--workload", "one at a time");
    assert_refused("--workload coordinates", "--workload", "did you mean 'coordination'?");
}

TEST(defaults_of_a_coordination) {
    struct plan plan = spanned("--workload coordination --open");
    assert_true(plan.count > 0);
    for (size_t i = 0; i < plan.count; i++) {
        const struct case_spec *spec = &plan.cases[i];
        assert_string_equal(spec->interaction.name, "rational");
        assert_int_equal(spec->outputs, OUTPUTS_VIRIAL);
        assert_int_equal(spec->reduction, REDUCTION_TREE);
        assert_int_equal(spec->variant->groups, GROUPS_ONE);
        assert_true(group_spec_is_default(&spec->group));
        assert_true(spec->cutoff.length == spec->interaction.functions[0].cutoff);
        assert_true(spec->cutoff.kind ==
                    CUTOFF_LENGTH); /* the usual dmax of r0 = 1, n = 6, m = 12 */
        assert_true(fabs(spec->cutoff.length - pow(1e-5, -1.0 / 6)) < 1e-12);
    }
    assert_true(plan.left_out > 0); /* those of two groups and of pairs */
    plan_free(&plan);
    plan = spanned("--workload coordination --interaction rational:dmax=inf");
    assert_true(plan.count > 0 && plan.cases[0].cutoff.kind == CUTOFF_NONE); /* in a periodic box */
    plan_free(&plan);
}

/* ---- groups ---- */

TEST(groups_choose_the_variants) {
    static const struct {
        const char *line;
        enum group_mode mode;
        size_t n_a, n_b;
    } lines[] = {
        { SWITCHING " --group-a 1-100", GROUPS_ONE, 100, 0 },
        { SWITCHING " --group-a 1-100 --group-b 50-200:2", GROUPS_TWO, 100, 76 },
        { SWITCHING " --group-b 1", GROUPS_TWO, 1000, 1 },
        { SWITCHING " --group-a 1-100 --group-b 101-200 --pairs", GROUPS_PAIRS, 100, 100 },
        { SWITCHING " --n 1k --ratio 10:3", GROUPS_TWO, 10, 3 },
        { SWITCHING " --n 1k --pairs --ratio 10:10", GROUPS_PAIRS, 10, 10 },
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct plan plan = spanned(lines[i].line);
        for (size_t c = 0; c < plan.count; c++) {
            const struct case_spec *spec = &plan.cases[c];
            struct groups groups;
            struct error error;
            assert_int_equal(spec->group.mode, lines[i].mode);
            assert_int_equal(spec->variant->groups, lines[i].mode);
            assert_true(groups_resolve(&spec->group, spec->box.n, spec->box.seed, &groups, &error));
            assert_int_equal(groups.n_a, lines[i].n_a);
            assert_int_equal(groups.n_b, lines[i].n_b);
            groups_free(&groups);
        }
        plan_free(&plan);
    }
    assert_refused("--variant two_groups_cells " SWITCHING, "no case is left", "--group-b");
    assert_refused("--variant pairs_direct --group-b 2 " SWITCHING, "no case is left", "--pairs");
}

TEST(ratios_make_their_boxes) {
    struct plan plan = spanned("--variant two_groups_one_pass " SWITCHING
                               " --ratio 1k:1,100:100,1000:1,2k:500 --precision float,double");
    assert_int_equal(plan.count, 3 * 2);
    assert_int_equal(plan.cases[0].box.n, 1001);
    assert_int_equal(plan.cases[2].box.n, 200);
    assert_int_equal(plan.cases[5].box.n, 2500);
    plan_free(&plan);
    plan = spanned("--variant two_groups_one_pass " SWITCHING " --ratio 10:1,1:10 --n 500,600");
    assert_int_equal(plan.count, 4);
    assert_int_equal(plan.cases[3].box.n, 600);
    assert_int_equal(plan.cases[3].group.ratio_b, 10);
    plan_free(&plan);
}

TEST(reductions_multiply_where_there_are_sums) {
    struct plan plan = spanned("--variant coordination_loop " SWITCHING " --outputs * "
                               "--reduction *");
    assert_int_equal(plan.count, 1 + 2 * 4);
    plan_free(&plan);
    plan = spanned("--variant all_pairs_loop --outputs forces,energy --reduction atomic,cub");
    assert_int_equal(plan.count, 1 + 2);
    assert_int_equal(plan.cases[0].reduction, REDUCTION_TREE);
    assert_int_equal(plan.cases[2].reduction, REDUCTION_CUB);
    plan_free(&plan);
    assert_refused("--reduction trees", "--reduction", "did you mean 'tree'?");
}

/* ---- what is refused ---- */

TEST(bad_groups_are_refused) {
    static const char *const lines[][3] = {
        { SWITCHING " --group-a 1-1001", "--group-a", "particle 1001: the box has 1000" },
        { SWITCHING " --group-b 2000", "--group-b", "particle 2000" },
        { SWITCHING " --group-a 5-1", "--group-a", "ends before it begins" },
        { SWITCHING " --group-a ,", "--group-a", "empty" },
        { SWITCHING " --group-a=", "--group-a", "a value is missing" },
        { SWITCHING " --group-a 0", "--group-a", "'0'" },
        { SWITCHING " --group-a 1,1", "--group-a", "given twice" },
        { SWITCHING " --group-a 1-3 --group-b 4-5 --pairs", "--pairs", "3 particles" },
        { SWITCHING " --group-b 1-5 --pairs", "--pairs", "1000 particles" },
        { SWITCHING " --group-a 1-5 --pairs", "--pairs", "--group-b" },
        { SWITCHING " --ratio 5:2 --pairs", "--ratio", "--pairs" },
        { SWITCHING " --ratio 5:2 --group-a 1-5", "--ratio", "--group-a" },
        { SWITCHING " --ratio 5", "--ratio", "A:B" },
        { SWITCHING " --ratio 5:0", "--ratio", "A:B" },
        { SWITCHING " --ratio 5:1:2", "--ratio", "A:B" },
        { SWITCHING " --n 100 --ratio 99:2", "--ratio", "more particles" },
        { SWITCHING " --group-a 1-3 --group-a 4", "--group-a", "given twice" },
        { "--workload forces --group-a 1-5", "--group-a", "coordination" },
        { "--workload forces --ratio 5:5", "--ratio", "coordination" },
        { "--workload forces --pairs", "--pairs", "coordination" },
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_refused(lines[i][0], lines[i][1], lines[i][2]);
    }
}

TEST(bad_switching_functions_are_refused) {
    static const char *const lines[][3] = {
        { "--interaction rational:r0=0", "--interaction", "r0" },
        { "--interaction rational:r0=-1", "--interaction", "r0" },
        { "--interaction rational:n=6,m=6", "--interaction", "m" },
        { "--interaction rational:n=2.5", "--interaction", "n" },
        { "--interaction rational:d0=1,dmax=1", "--interaction", "dmax" },
        { "--interaction rational:d0=2,dmax=1", "--interaction", "dmax" },
        { "--interaction rational:dmax=5.3", "--interaction", "at most 5.29" },
        { "--interaction rational", "--interaction",
          "half the shortest edge" }, /* the usual dmax */
        { SWITCHING " --cutoff 2", "--cutoff", "dmax" },
        { "--workload coordination --interaction lj", "--interaction", "rational" },
        { "--workload coordination --interaction rational+ewald-real", "--interaction",
          "rational" },
        { SWITCHING " --exclude molecule", "--exclude", "no pairs" },
        { SWITCHING " --table none.csv", "--table", "types" },
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_refused(lines[i][0], lines[i][1], lines[i][2]);
    }
}

/* ---- names and ids ---- */

TEST(names_say_groups_and_reductions) {
    static const char *const lines[][2] = {
        { "--group-a 1-1000", "fluid/n:1000/a:1-1000" },
        { "", "fluid/n:1000" },
        { "--group-a 1-10 --group-b 11-20", "fluid/n:1000/a:1-10/b:11-20" },
        { "--group-a 1-10 --group-b 11-20 --pairs", "fluid/n:1000/a:1-10/b:11-20/pairs" },
        { "--ratio 1k:1 --n 2k", "fluid/n:2000/ratio:1000:1" },
        { "--reduction atomic", "fluid/n:1000/atomic" },
    };
    char line[512], name[512], ids[6][HASH_TEXT_SIZE];
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        (void)snprintf(line, sizeof line, "--workload coordination " SWITCHING "%s%s",
                       lines[i][0][0] ? " " : "", lines[i][0]);
        struct plan plan = spanned(line);
        case_name(&plan.cases[0], name, sizeof name);
        assert_says(name, "coordination/rational:r0=0.9,n=6,m=12,d0=0,dmax=1.6/");
        assert_says(name, "/float/virial/");
        assert_says(name, lines[i][1]);
        assert_null(strstr(name, "cutoff"));
        /* the first tunable follows at once */
        const char *rest = strstr(name, lines[i][1]) + strlen(lines[i][1]);
        assert_true(*rest == '\0' || (*rest == '/' && !strchr(rest + 1, '/')));
        case_id(&plan.cases[0], ids[i]);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(ids[i], ids[j]);
        }
        plan_free(&plan);
    }
}
