/* Launches over moved particles, whose times are compared with those over the box, find as much
 * work as these, nearly half the skin away. */
#include "measure/judge/expected.h"

#include <math.h>
#include <string.h>

#include "built_in.h" /* last: see there */

/* A list of a workload, over a crystal of its own kind that has a shell of neighbours right behind
 * the cutoff, or over another box. */
struct moved_case {
    const char *variant, *interaction, *kind;
    double cutoff; /* 0: by the interaction itself */
    bool open;
};

static const struct moved_case cases[] = {
    { "three_body_partial", "stillinger-weber", "diamond", 0, false },
    { "three_body_list", "stillinger-weber", "diamond", 0, true },
    { "eam_list", "sutton-chen", "copper", 0, false },
    { "list_int32", "lj", "lattice", 2.5, false },
    { "list_int32", "lj", "fluid", 2.5, true },
};

static struct case_spec spec_of(const struct moved_case *of) {
    struct case_spec spec = { .precision = PRECISION_DOUBLE };
    struct error error;
    spec.variant = built_in(of->variant);
    spec.box = (struct box_spec){ .n = 1000, .seed = 3, .open = of->open };
    (void)snprintf(spec.box.kind, sizeof spec.box.kind, "%s", of->kind);
    assert_true(interaction_parse(of->interaction, &spec.interaction, &error));
    const struct workload *workload = spec.variant->workload;
    spec.cutoff =
        cutoff_of(of->cutoff > 0 ? of->cutoff : workload->own_cutoff(&spec.interaction).length);
    tunings_preset(spec.variant, &spec.tunings);
    return spec;
}

/* The largest way along an axis, at whichever image. */
static double farthest(const struct box *from, const struct box *to) {
    double most = 0;
    for (size_t k = 0; k < 3 * from->n; k++) {
        double d = to->position[k] - from->position[k];
        d -= from->periodic ? from->edge[k % 3] * rint(d / from->edge[k % 3]) : 0;
        most = fmax(most, fabs(d));
    }
    return most;
}

TEST(the_work_stays) {
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct case_spec spec = spec_of(&cases[c]);
        struct expected_store *store = expected_store_create();
        struct error error;
        struct expected_work moved_work = { 0 };
        const struct expected *expected = expected_for(store, &spec, true, &error);
        assert_non_null(expected);
        const double half_skin = expected_half_skin(expected, &spec);
        const double pairs = (double)expected_work_of(&spec, expected).pairs;
        const struct moved_box *moved = expected_moved(expected, &spec, MOVED_NEW, &error);
        assert_non_null(moved);
        const struct judge_question question = { &spec, &moved->box, expected->cutoff, NULL };
        judge_work(&question, moved->reference, &moved_work);
        const double way = farthest(&expected->box, &moved->box);
        assert_true(half_skin > 0);
        /* an open box keeps its bounds, and is hardly stretched */
        assert_true(way > (cases[c].open ? 0.01 : 0.5) * half_skin && way < half_skin);
        assert_close_as(cases[c].variant, (double)moved_work.pairs, pairs, 0.03);
        expected_store_free(store);
    }
}
