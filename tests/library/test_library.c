/* libpairmark: the numbers of `pairmark eval`, to the bit; lists that follow moves; arrays of every
 * shape, in host memory and in buffers of OpenCL; refusals that leave everything in order. */
#include "boxes/box.h"
#include "campaign/plan/plan.h"
#include "core/embedded.h"
#include "core/files.h"
#include "kernels/header/read_variant.h"
#include "kernels/potentials/bonded.h"
#include "library/library.h"
#include "measure/measure.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library_calls.h"
#include "support.h"

/* ---- a box, and what acts in it ---- */

/* Of examples, what is not said is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

struct example {
    const char *kind;
    size_t n;
    double density;
    bool open;
    const char *interaction, *table, *exclude, *cutoff;
    const char *variant;
    size_t precision; /* enum pm_precision */
    const char *tunables;
    const char *periodic;          /* NULL: along all axes */
    const char *group_a, *group_b; /* as options */
    size_t paired;                 /* 1: the k-th of a with the k-th of b */
};

static void make_box(const struct example *example, struct box *box) {
    struct error error;
    assert_true(box_make(example->kind, example->n, example->density, 7, box, &error));
    if (example->open) {
        box_open(box);
    }
    assert_true(!example->periodic || box_keep_axes(box, example->periodic, &error));
}

static bool has_terms(const struct example *example) {
    return strcmp(example->kind, "chains") == 0;
}

static void add_terms(pm_system *system, const struct box *box) {
    struct bonded_terms terms = { 0 };
    struct error error;
    pm_error reason;
    assert_true(bonded_of_kind(box, &terms, &error));
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        const struct bonded_list *list = &terms.lists[kind];
        assert_ok(pm_system_terms(system, (enum pm_terms)kind, list->atom, list->parameter,
                                  list->count, &reason),
                  &reason);
    }
    bonded_free(&terms);
}

static void write_terms(const struct box *box, enum bonded_kind kind, const char *path) {
    struct bonded_terms terms = { 0 };
    struct strbuf text = { 0 };
    struct error error;
    assert_true(bonded_of_kind(box, &terms, &error));
    bonded_write(&terms, kind, &text);
    assert_true(fs_write(path, text.data, text.length, &error));
    strbuf_free(&text);
    bonded_free(&terms);
}

static void add_groups(pm_system *system, const struct example *example) {
    struct particle_list *lists[2] = { NULL, NULL };
    const char *const words[2] = { example->group_a, example->group_b };
    struct group_spec spec = { .mode = example->paired    ? GROUPS_PAIRS
                                       : example->group_b ? GROUPS_TWO
                                                          : GROUPS_ONE };
    struct groups groups;
    struct error error;
    pm_error e;
    for (int k = 0; k < 2; k++) {
        assert_true(!words[k] || particle_list_parse(words[k], &lists[k], &error));
    }
    spec.a = lists[0];
    spec.b = lists[1];
    assert_true(groups_resolve(&spec, example->n, 0, &groups, &error));
    assert_ok(
        pm_system_groups(system,
                         &(pm_groups)PM_GROUPS(spec.a ? groups.a : NULL, spec.a ? groups.n_a : 0,
                                               groups.b, groups.n_b, example->paired == 1),
                         &e),
        &e);
    groups_free(&groups);
    particle_list_free(lists[0]);
    particle_list_free(lists[1]);
}

static pm_system *system_of(const struct box *box, const struct example *example) {
    const struct cell *c = &box->cell;
    const double cell[9] = { c->edge[0], 0,          0,          c->tilt[0], c->edge[1],
                             0,          c->tilt[1], c->tilt[2], c->edge[2] };
    const char *names[8] = { NULL };
    pm_error error;
    pm_system *system = NULL;
    assert_ok(pm_system_create(box->n, box->periodic ? cell : NULL, &system, &error), &error);
    for (int t = 0; t < box->types; t++) {
        names[t] = box->species[t];
    }
    assert_ok(pm_system_types(system, box->type, names, box->types, &error), &error);
    assert_ok(pm_system_charges(system, box->charge, &error), &error);
    if (box->molecule) {
        assert_ok(pm_system_molecules(system, box->molecule, &error), &error);
    }
    assert_ok(pm_system_exclude(system, example->exclude, &error), &error);
    if (example->periodic) {
        const int along[3] = { strchr(example->periodic, 'x') != NULL,
                               strchr(example->periodic, 'y') != NULL,
                               strchr(example->periodic, 'z') != NULL };
        assert_ok(pm_system_periodic(system, along, &error), &error);
    }
    add_groups(system, example);
    if (has_terms(example)) {
        add_terms(system, box);
    } else {
        const double cutoff = example->cutoff ? strtod(example->cutoff, NULL) : 1;
        assert_ok(pm_system_potential(system, example->interaction, example->table, cutoff, &error),
                  &error);
    }
    return system;
}

static pm_choice choice_of(const struct example *example) {
    return (pm_choice)PM_CHOICE(.variant = example->variant,
                                .precision = (enum pm_precision)example->precision,
                                .outputs = PM_OUTPUTS_VIRIAL, .tunables = example->tunables);
}

static pm_kernel *kernel_of(pm_context *context, const struct box *box,
                            const struct example *example) {
    const pm_choice choice = choice_of(example);
    pm_error error;
    pm_kernel *kernel = NULL;
    pm_system *system = system_of(box, example);
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &error), &error);
    pm_system_free(system);
    return kernel;
}

struct numbers {
    double *force, energy, virial[9];
};

static void evaluate(pm_kernel *kernel, const struct box *box, struct numbers *numbers) {
    pm_error error;
    numbers->force = calloc(3 * box->n + 1, sizeof(double));
    const pm_arrays arrays = PM_ARRAYS(.positions = box->position, .forces = numbers->force,
                                       .energy = &numbers->energy, .virial = numbers->virial);
    assert_ok(pm_evaluate(kernel, &arrays, &error), &error);
}

/* By a kernel that has seen no other positions. */
static void evaluate_fresh(pm_context *context, const struct box *box,
                           const struct example *example, struct numbers *numbers) {
    pm_kernel *kernel = kernel_of(context, box, example);
    evaluate(kernel, box, numbers);
    pm_kernel_free(kernel);
}

static void assert_same(const struct numbers *got, const struct numbers *expected, size_t n,
                        double relative) {
    double scale = 0;
    for (size_t k = 0; k < 3 * n; k++) {
        scale = fmax(scale, fabs(expected->force[k]));
    }
    for (size_t k = 0; k < 3 * n; k++) {
        assert_near_as("force", got->force[k], expected->force[k], relative * scale);
    }
    assert_near(got->energy, expected->energy, relative * (scale + fabs(expected->energy)));
    for (int k = 0; k < 9; k++) {
        assert_near(got->virial[k], expected->virial[k],
                    relative * (double)n * (scale + fabs(expected->energy)));
    }
}

/* What the kernel makes of the positions as they are now is what one makes that saw no others. */
static void assert_as_fresh(pm_kernel *kernel, pm_context *context, const struct box *box,
                            const struct example *example) {
    struct numbers got;
    struct numbers expected;
    evaluate(kernel, box, &got);
    evaluate_fresh(context, box, example, &expected);
    assert_same(&got, &expected, box->n, 1e-11);
    free(got.force);
    free(expected.force);
}

/* ---- the numbers of `pairmark eval` ---- */

#define SPC                                                                                        \
    "lj+ewald-real:epsilon.O=0.65,sigma.O=3.166,epsilon.H=0,sigma.H=1,alpha=0.28,coulomb=1389"
static const char salt_table[] = "type_a,type_b,function,epsilon,sigma\n"
                                 "Na,Na,lj,0.5,1.0\nNa,Cl,lj,1,0.9\nCl,Cl,lj,0.7,1.1\n";
#define SWITCHING "rational:r0=1.1,n=6,m=12,dmax=2.5"
static const char lj[] = "lj:epsilon=1,sigma=1";

#define GROUPED "fluid", 600, 0, false, SWITCHING, NULL, NULL, NULL
#define SLAB "fluid", 600, 0, false, lj, NULL, NULL, "2.2"

static const struct example examples[] = {
    { "fluid", 600, 0, false, lj, NULL, NULL, "2.5", "sorted_cells", PM_PRECISION_FLOAT,
      "STABLE_SORT=1" },
    { "fluid", 600, 0, false, lj, NULL, NULL, "2.5", "list_columns", PM_PRECISION_MIXED,
      "STABLE_SORT=1" },
    { "fluid", 600, 0, false, lj, NULL, NULL, "2.5", "list_walk", PM_PRECISION_DOUBLE,
      "STABLE_SORT=1" },
    { "fluid", 600, 0, false, lj, NULL, NULL, "2.5", "clusters_8x8", PM_PRECISION_FIXED,
      "SKIN=20" },
    { "fluid@80:70:60", 600, 0, false, lj, NULL, NULL, "2.5", "sorted_cells", PM_PRECISION_DOUBLE,
      "STABLE_SORT=1" },
    { "droplets", 400, 0, true, lj, NULL, NULL, "2.5", "sorted_cells", PM_PRECISION_DOUBLE,
      "STABLE_SORT=1" },
    { "fluid", 300, 0, true, lj, NULL, NULL, "inf", "all_pairs_tile", PM_PRECISION_FLOAT,
      "GROUP_SIZE=64" },
    { "fluid", 600, 0, false, "energy = 4*eps*(r^-12 - r^-6); eps = 1.5", NULL, "next:2", "2.5",
      "list_walk", PM_PRECISION_DOUBLE, "STABLE_SORT=1" },
    { "salt", 512, 0, false, "lj", salt_table, NULL, "2.2", "sorted_cells", PM_PRECISION_DOUBLE,
      "STABLE_SORT=1" },
    { "water", 600, 0, false, SPC, NULL, "molecule", "8", "clusters_8x8", PM_PRECISION_FIXED,
      NULL },
    { "chains", 300, 0, false, NULL, NULL, NULL, NULL, "bonded_gather", PM_PRECISION_DOUBLE, NULL },
    { "chains", 300, 0, true, NULL, NULL, NULL, NULL, "bonded_buffers", PM_PRECISION_FIXED, NULL },
    { "fluid", 600, 0, false, SWITCHING, NULL, NULL, NULL, "coordination_loop", PM_PRECISION_DOUBLE,
      NULL },
    { "fluid", 600, 0, true, SWITCHING, NULL, NULL, NULL, "coordination_loop", PM_PRECISION_FLOAT,
      NULL },
    { GROUPED, "coordination_loop", PM_PRECISION_DOUBLE, NULL, NULL, "3-500:2" },
    { GROUPED, "two_groups_two_pass", PM_PRECISION_FLOAT, NULL, NULL, "1-100", "81-300" },
    { GROUPED, "two_groups_cells", PM_PRECISION_DOUBLE, "STABLE_SORT=1", NULL, NULL, "7-300:3" },
    { GROUPED, "pairs_direct", PM_PRECISION_MIXED, NULL, NULL, "1-40,1-40", "2-41,101-140", 1 },
    { "fluid", 600, 0, true, SWITCHING, NULL, NULL, NULL, "two_groups_cells", PM_PRECISION_DOUBLE,
      "STABLE_SORT=1", NULL, "5,6", "1-300" },
    { SLAB, "sorted_cells", PM_PRECISION_DOUBLE, "STABLE_SORT=1", "xy" },
    { SLAB, "list_walk", PM_PRECISION_DOUBLE, "STABLE_SORT=1", "y" },
    { SLAB, "list_columns", PM_PRECISION_FLOAT, "STABLE_SORT=1", "xz" },
    { "plate@90:90:70", 500, 0, false, lj, NULL, NULL, "0.9", "sorted_cells", PM_PRECISION_DOUBLE,
      "STABLE_SORT=1", "xy" },
    { "fluid", 300, 0, false, "rational:r0=1.1,dmax=inf", NULL, NULL, NULL, "two_groups_one_pass",
      PM_PRECISION_DOUBLE, NULL, "x", "1-90", "101-300" },
};

/* What the command would be told. */
static void evaluate_by_plan(const struct example *example, const struct box *box, const char *path,
                             const char *folder, struct evaluation *evaluation) {
    char table[128];
    struct axes axes = { 0 };
    struct error error;
    struct plan plan;
    struct session *session = NULL;
    char *files[] = { (char *)path, NULL };
    char *tunes[] = { (char *)example->tunables, NULL };
    axes.box_files = files;
    axes.variant = (char *)example->variant;
    axes.precision = (char *)precision_name((enum precision)example->precision);
    axes.outputs = (char *)"virial";
    axes.interaction = (char *)example->interaction;
    axes.exclude = (char *)example->exclude;
    axes.group_a = (char *)example->group_a;
    axes.group_b = (char *)example->group_b;
    axes.pairs = example->paired == 1;
    axes.cutoff =
        (char *)(example->cutoff && strcmp(example->cutoff, "inf") == 0 ? "none" : example->cutoff);
    char **const terms[BONDED_KINDS] = { &axes.bonds, &axes.angles, &axes.torsions,
                                         &axes.rb_torsions };
    char names[BONDED_KINDS][128];
    for (int kind = 0; kind < BONDED_KINDS && has_terms(example); kind++) {
        (void)snprintf(names[kind], sizeof names[kind], "%s/%s.csv", folder,
                       bonded_forms[kind].name);
        *terms[kind] = names[kind];
        write_terms(box, (enum bonded_kind)kind, names[kind]);
    }
    axes.tunes = example->tunables ? tunes : NULL;
    if (example->table) {
        (void)snprintf(table, sizeof table, "%s/table.csv", folder);
        FILE *file = fopen(table, "w");
        assert_non_null(file);
        (void)fputs(example->table, file);
        (void)fclose(file);
        axes.table = table;
    }
    if (!plan_make(&axes, &plan, &error) || !session_open(device_name(), &session, &error) ||
        !session_evaluate(session, &plan.cases[0], evaluation, NULL, &error)) {
        fail_msg("%s: %s", example->variant, error.message);
    }
    session_close(session);
    plan_free(&plan);
}

TEST(numbers_are_those_of_eval) {
    char folder[TEST_FOLDER_SIZE];
    char path[128];
    struct error error;
    make_test_folder(folder);
    (void)snprintf(path, sizeof path, "%s/box.xyz", folder);
    pm_context *context = open_context();
    for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++) {
        const struct example *example = &examples[e];
        struct evaluation expected;
        struct numbers got;
        struct box box;
        make_box(example, &box);
        (void)remove(path);
        assert_true(box_write(path, &box, NULL, NULL, &error));
        evaluate_by_plan(example, &box, path, folder, &expected);
        evaluate_fresh(context, &box, example, &got);
        for (size_t k = 0; k < 3 * box.n; k++) {
            if (got.force[k] != expected.force[k]) {
                fail_msg("example %zu, %s: force %zu is %.17g, eval has %.17g", e, example->variant,
                         k, got.force[k], expected.force[k]);
            }
        }
        assert_true(got.energy == expected.energy);
        assert_memory_equal(got.virial, expected.virial, sizeof got.virial);
        free(got.force);
        evaluation_free(&expected);
        box_free(&box);
    }
    pm_close(context);
    assert_int_equal(remove_test_folder(folder), 0);
}

/* ---- moves ---- */

static const struct example listed = { "fluid",
                                       600,
                                       0,
                                       false,
                                       lj,
                                       NULL,
                                       NULL,
                                       "2.5",
                                       "list_walk",
                                       PM_PRECISION_DOUBLE,
                                       "SKIN=12 STABLE_SORT=1" };

/* Every particle along its own wave, out of the cell now and then. */
static void move_all(struct box *box, double step) {
    for (size_t k = 0; k < 3 * box->n; k++) {
        box->position[k] += step * sin(0.37 * (double)k);
    }
}

/* Asked for, announced, and kept. */
TEST(lists_follow_moves) {
    pm_context *context = open_context();
    pm_error error;
    struct box box;
    make_box(&listed, &box);
    pm_kernel *kernel = kernel_of(context, &box, &listed);
    double reach = -1;
    assert_ok(pm_reach(kernel, &reach, &error), &error);
    assert_true(reach == 0);
    for (int step = 0; step < 12; step++) {
        const double length = 0.04 * step;
        move_all(&box, length);
        if (step % 3 == 1) {
            assert_ok(pm_moved(kernel, sqrt(3.0) * length, &error), &error);
        }
        assert_as_fresh(kernel, context, &box, &listed);
    }
    assert_ok(pm_reach(kernel, &reach, &error), &error);
    assert_near(reach, 0.5 * 0.12 * 2.5, 1e-12);
    pm_kernel_free(kernel);
    box_free(&box);
    pm_close(context);
}

/* A caller who says that nothing has moved is believed: shown by one who lies. */
TEST(what_is_announced_is_believed) {
    pm_context *context = open_context();
    pm_error error;
    struct box box;
    struct numbers built;
    struct numbers kept;
    struct numbers again;
    struct numbers expected;
    make_box(&listed, &box);
    pm_kernel *kernel = kernel_of(context, &box, &listed);
    evaluate(kernel, &box, &built);
    move_all(&box, 0.9);
    assert_ok(pm_moved(kernel, 0, &error), &error);
    evaluate(kernel, &box, &kept);
    assert_ok(pm_moved(kernel, INFINITY, &error), &error);
    assert_ok(pm_moved(kernel, 0, &error), &error); /* takes nothing back */
    evaluate(kernel, &box, &again);
    evaluate_fresh(context, &box, &listed, &expected);
    assert_true(kept.energy != expected.energy);
    assert_same(&again, &expected, box.n, 1e-11);
    assert_int_equal(pm_moved(kernel, -1, &error), PM_BAD_INPUT);
    assert_int_equal(pm_moved(kernel, NAN, &error), PM_BAD_INPUT);
    free(built.force);
    free(kept.force);
    free(again.force);
    free(expected.force);
    pm_kernel_free(kernel);
    box_free(&box);
    pm_close(context);
}

/* All of them in an eighth of the cell: rows of lists and tables of cells must grow. */
TEST(rows_grow) {
    static const char *const variants[] = { "blocks_32", "list_walk", "cell_star" };
    pm_context *context = open_context();
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        struct example example = listed;
        struct box box;
        struct numbers got;
        example.variant = variants[v];
        example.tunables = NULL;
        make_box(&example, &box);
        pm_kernel *kernel = kernel_of(context, &box, &example);
        evaluate(kernel, &box, &got);
        free(got.force);
        for (size_t k = 0; k < 3 * box.n; k++) {
            box.position[k] *= 0.5;
        }
        assert_as_fresh(kernel, context, &box, &example);
        pm_kernel_free(kernel);
        box_free(&box);
    }
    pm_close(context);
}

/* ---- another cell ---- */

static void cell_of(const struct box *box, double cell[9]) {
    const struct cell *c = &box->cell;
    const double rows[9] = { c->edge[0], 0,          0,          c->tilt[0], c->edge[1],
                             0,          c->tilt[1], c->tilt[2], c->edge[2] };
    memcpy(cell, rows, sizeof rows);
}

/* Stretches a box by a factor along each axis, and leans it: positions as a barostat scales them.
 */
static void deform(struct box *box, const double stretch[3], double lean) {
    struct error error;
    double cell[9];
    struct cell_frame frame;
    cell_of(box, cell);
    for (size_t k = 0; k < 9; k++) {
        cell[k] *= stretch[k % 3];
    }
    cell[3] += lean * cell[4];
    for (size_t i = 0; i < box->n; i++) {
        double *x = &box->position[3 * i];
        for (size_t d = 0; d < 3; d++) {
            x[d] *= stretch[d];
        }
        x[0] += lean * x[1];
    }
    assert_true(cell_from_vectors(cell, &box->cell, &frame, &error));
}

TEST(cells_may_change) {
    static const double stretches[][3] = {
        { 1.02, 1.02, 1.02 }, { 0.93, 0.97, 1.1 }, { 1.5, 1.5, 1.5 }, { 0.6, 0.7, 0.7 }
    };
    static const char *const variants[] = { "list_walk", "clusters_8x8", "sorted_cells",
                                            "list_walk" };
    pm_context *context = open_context();
    pm_error error;
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        struct example example = listed;
        struct box box;
        example.variant = variants[v];
        example.periodic = v == 3 ? "xy" : NULL;
        example.tunables = NULL;
        make_box(&example, &box);
        pm_kernel *kernel = kernel_of(context, &box, &example);
        for (size_t s = 0; s < sizeof stretches / sizeof stretches[0]; s++) {
            double cell[9];
            deform(&box, stretches[s], s == 2 ? 0.1 : 0);
            move_all(&box, 0.05);
            cell_of(&box, cell);
            assert_ok(pm_set_cell(kernel, cell, &error), &error);
            assert_as_fresh(kernel, context, &box, &example);
        }
        pm_kernel_free(kernel);
        box_free(&box);
    }
    pm_close(context);
}

TEST(cells_are_checked) {
    static const double flat[9] = { 10, 0, 0, 0, 0, 0, 0, 0, 10 };
    static const double wild[9] = { 10, 0, 0, 0, INFINITY, 0, 0, 0, 10 };
    static const double small[9] = { 4, 0, 0, 0, 10, 0, 0, 0, 10 };
    struct example example = listed;
    struct box box;
    struct numbers before;
    struct numbers after;
    pm_error e;
    pm_context *context = open_context();
    make_box(&example, &box);
    pm_kernel *kernel = kernel_of(context, &box, &example);
    evaluate(kernel, &box, &before);
    expect_refusal(pm_set_cell(kernel, flat, &e), &e, PM_BAD_INPUT, "cell: ");
    expect_refusal(pm_set_cell(kernel, wild, &e), &e, PM_BAD_INPUT, "finite");
    assert_int_equal(pm_set_cell(kernel, NULL, NULL), PM_BAD_INPUT);
    assert_int_equal(pm_set_cell(NULL, small, NULL), PM_BAD_INPUT);
    evaluate(kernel, &box, &after);
    assert_memory_equal(before.force, after.force, 3 * box.n * sizeof *before.force);
    pm_kernel_free(kernel);
    box_open(&box);
    example.open = true;
    kernel = kernel_of(context, &box, &example);
    expect_refusal(pm_set_cell(kernel, small, &e), &e, PM_BAD_INPUT, "without a cell");
    pm_kernel_free(kernel);
    free(before.force);
    free(after.force);
    box_free(&box);
    pm_close(context);
}

/* Out of what the first positions span, and back: of slabs along z alone. */
static void grow(pm_context *context, struct example example) {
    struct box box;
    make_box(&example, &box);
    pm_kernel *kernel = kernel_of(context, &box, &example);
    for (int step = 0; step < 4; step++) {
        static const double scales[] = { 1, 1.3, 1.05, 0.6 };
        for (size_t k = 0; k < 3 * box.n; k++) {
            box.position[k] *= example.open || k % 3 == 2 ? scales[step] : 1;
        }
        assert_as_fresh(kernel, context, &box, &example);
    }
    pm_kernel_free(kernel);
    box_free(&box);
}

TEST(open_boxes_may_grow) {
    static const struct example groups = { "fluid",
                                           600,
                                           0,
                                           true,
                                           SWITCHING,
                                           NULL,
                                           NULL,
                                           NULL,
                                           "two_groups_cells",
                                           PM_PRECISION_DOUBLE,
                                           NULL,
                                           NULL,
                                           "1-9",
                                           "5-600" };
    pm_context *context = open_context();
    struct example open = listed;
    struct example slab = listed;
    struct example unstructured = { SLAB, "all_pairs_tile", PM_PRECISION_DOUBLE, NULL, "xy" };
    open.open = true;
    slab.periodic = "xy";
    grow(context, open);
    grow(context, slab);
    grow(context, unstructured);
    grow(context, groups);
    pm_close(context);
}

TEST(positions_are_wrapped) {
    static const char *const kinds[] = { "fluid", "fluid@80:70:60" };
    pm_context *context = open_context();
    for (int k = 0; k < 2; k++) {
        struct example example = listed;
        struct box box;
        struct numbers got;
        struct numbers expected;
        example.kind = kinds[k];
        example.variant = "sorted_cells";
        example.tunables = NULL;
        make_box(&example, &box);
        evaluate_fresh(context, &box, &example, &expected);
        const struct cell *c = &box.cell;
        const double vectors[3][3] = { { c->edge[0], 0, 0 },
                                       { c->tilt[0], c->edge[1], 0 },
                                       { c->tilt[1], c->tilt[2], c->edge[2] } };
        for (size_t i = 0; i < 3 * box.n; i++) {
            const size_t particle = i / 3;
            box.position[i] += ((double)(particle % 5) - 2) * vectors[particle % 3][i % 3];
        }
        evaluate_fresh(context, &box, &example, &got);
        assert_same(&got, &expected, box.n, 1e-9);
        free(got.force);
        free(expected.force);
        box_free(&box);
    }
    pm_close(context);
}

/* ---- arrays ---- */

TEST(arrays_have_other_shapes) {
    pm_context *context = open_context();
    pm_error error;
    struct box box;
    struct numbers expected;
    make_box(&listed, &box);
    pm_kernel *kernel = kernel_of(context, &box, &listed);
    evaluate(kernel, &box, &expected);
    float *position = calloc(4 * box.n, sizeof *position);
    float *force = calloc(4 * box.n, sizeof *force);
    for (size_t i = 0; i < box.n; i++) {
        for (size_t d = 0; d < 3; d++) {
            box.position[3 * i + d] = position[4 * i + d] = (float)box.position[3 * i + d];
        }
        position[4 * i + 3] = NAN;
        force[4 * i + 3] = 5;
    }
    const pm_arrays arrays =
        PM_ARRAYS(.number = PM_FLOAT, .width = 4, .positions = position, .forces = force);
    struct numbers rounded;
    evaluate(kernel, &box, &rounded);
    assert_ok(pm_evaluate(kernel, &arrays, &error), &error);
    for (size_t i = 0; i < box.n; i++) {
        for (size_t d = 0; d < 3; d++) {
            assert_true(force[4 * i + d] == (float)rounded.force[3 * i + d]);
        }
        assert_true(force[4 * i + 3] == 0);
    }
    free(position);
    free(force);
    free(expected.force);
    free(rounded.force);
    pm_kernel_free(kernel);
    box_free(&box);
    pm_close(context);
}

/* ---- buffers and queues of OpenCL ---- */

/* A place that is none: nobody waits, so that all results say so; the next evaluation is right. */
static void spoil(const struct program_of_opencl *program, pm_kernel *kernel,
                  const pm_arrays *arrays, const struct box *box, const struct numbers *expected) {
    const struct opencl_api *api = &program->api;
    const size_t bytes = 3 * box->n * sizeof(double);
    const double none = NAN;
    cl_mem from = (cl_mem)arrays->positions;
    double *force = calloc(3 * box->n, sizeof *force);
    double sums[10];
    pm_error error;
    for (int right = 0; right < 2; right++) {
        assert_int_equal(api->clEnqueueWriteBuffer(program->queue, from, CL_TRUE, 5 * sizeof none,
                                                   sizeof none, right ? &box->position[5] : &none,
                                                   0, NULL, NULL),
                         CL_SUCCESS);
        assert_ok(pm_evaluate(kernel, arrays, &error), &error);
        (void)api->clFinish(program->queue); /* which may be out of order */
        (void)api->clEnqueueReadBuffer(program->queue, arrays->forces, CL_TRUE, 0, bytes, force, 0,
                                       NULL, NULL);
        (void)api->clEnqueueReadBuffer(program->queue, arrays->energy, CL_TRUE, 0, sizeof none,
                                       sums, 0, NULL, NULL);
        (void)api->clEnqueueReadBuffer(program->queue, arrays->virial, CL_TRUE, 0, 9 * sizeof none,
                                       sums + 1, 0, NULL, NULL);
        for (size_t k = 0; k < 3 * box->n; k++) {
            assert_true(right ? fabs(force[k] - expected->force[k]) < 1e-5 * (1 + fabs(force[k]))
                              : isnan(force[k]) && isnan(sums[k % 10]));
        }
    }
    free(force);
}

static void enqueue_in(const struct program_of_opencl *program, pm_kernel *kernel,
                       const struct box *box, const struct numbers *expected) {
    const size_t bytes = 3 * box->n * sizeof(double);
    double *force = calloc(3 * box->n, sizeof *force);
    double virial[9];
    double energy = 0;
    pm_error error;
    cl_mem from = make_memory(program, bytes);
    cl_mem to = make_memory(program, bytes);
    cl_mem one = make_memory(program, sizeof(double));
    cl_mem nine = make_memory(program, 9 * sizeof(double));
    const pm_arrays arrays = PM_ARRAYS(.place = PM_DEVICE, .positions = from, .forces = to,
                                       .energy = one, .virial = nine, .queue = program->queue);
    const struct opencl_api *api = &program->api;
    cl_event event = NULL;
    assert_int_equal(api->clEnqueueWriteBuffer(program->queue, from, CL_FALSE, 0, bytes,
                                               box->position, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_ok(pm_evaluate(kernel, &arrays, &error), &error);
    /* What the queue gets afterwards comes behind it, in whatever order the queue works. */
    assert_int_equal(api->clEnqueueMarkerWithWaitList(program->queue, 0, NULL, &event), CL_SUCCESS);
    assert_int_equal(
        api->clEnqueueReadBuffer(program->queue, to, CL_TRUE, 0, bytes, force, 1, &event, NULL),
        CL_SUCCESS);
    assert_int_equal(api->clEnqueueReadBuffer(program->queue, one, CL_TRUE, 0, sizeof energy,
                                              &energy, 1, &event, NULL),
                     CL_SUCCESS);
    assert_int_equal(api->clEnqueueReadBuffer(program->queue, nine, CL_TRUE, 0, sizeof virial,
                                              virial, 1, &event, NULL),
                     CL_SUCCESS);
    assert_memory_equal(force, expected->force, bytes);
    assert_true(energy == expected->energy);
    assert_memory_equal(virial, expected->virial, sizeof virial);

    pm_arrays small = arrays;
    small.forces = one;
    assert_int_equal(pm_evaluate(kernel, &small, &error), PM_BAD_INPUT);
    assert_says(error.message, "forces: a cl_mem of 8 bytes");
    small = arrays;
    small.queue = NULL;
    assert_int_equal(pm_evaluate(kernel, &small, &error), PM_BAD_INPUT);
    pm_arrays of_host = arrays;
    of_host.forces = force;
    expect_refusal(pm_evaluate(kernel, &of_host, &error), &error, PM_BAD_INPUT,
                   "forces: no cl_mem");
    of_host = arrays;
    of_host.queue = virial;
    expect_refusal(pm_evaluate(kernel, &of_host, &error), &error, PM_BAD_INPUT, "cl_command_queue");
    assert_ok(pm_evaluate(kernel, &arrays, &error), &error);
    spoil(program, kernel, &arrays, box, expected);
    (void)api->clReleaseEvent(event);
    (void)api->clReleaseMemObject(from);
    (void)api->clReleaseMemObject(to);
    (void)api->clReleaseMemObject(one);
    (void)api->clReleaseMemObject(nine);
    free(force);
}

TEST(memory_may_be_the_devices) {
    static const cl_command_queue_properties orders[] = { 0,
                                                          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE };
    for (int o = 0; o < 2; o++) {
        struct program_of_opencl program;
        struct box box;
        struct numbers expected;
        pm_error error;
        pm_context *context = NULL;
        if (!start_opencl(&program, orders[o])) {
            skip_because("no OpenCL device with such a queue");
        }
        make_box(&listed, &box);
        assert_ok(pm_open_opencl(program.context, program.id, &context, &error), &error);
        evaluate_fresh(context, &box, &listed, &expected);
        pm_kernel *kernel = kernel_of(context, &box, &listed);
        enqueue_in(&program, kernel, &box, &expected);
        pm_kernel_free(kernel);
        pm_close(context);
        free(expected.force);
        box_free(&box);
        (void)program.api.clReleaseCommandQueue(program.queue);
        (void)program.api.clReleaseContext(program.context);
    }
}

/* ---- refusals ---- */

TEST(systems_are_checked) {
    static const double flat[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 0 };
    static const double wild[9] = { NAN, 0, 0, 0, 1, 0, 0, 0, 1 };
    static const int types[2] = { 0, 2 };
    static const int pair[2] = { 0, 2 };
    static const int same[2] = { 1, 1 };
    static const char *const names[2] = { "A", "A" };
    static const double charge[2] = { 0, INFINITY };
    static const double mass[2] = { 1, 0 };
    pm_error e;
    pm_system *s = NULL;
    assert_int_equal(pm_system_create(2, NULL, NULL, NULL), PM_BAD_INPUT);
    expect_refusal(pm_system_create((size_t)1 << 40, NULL, &s, &e), &e, PM_BAD_INPUT, "particles");
    expect_refusal(pm_system_create(2, flat, &s, &e), &e, PM_BAD_INPUT, "cell: ");
    expect_refusal(pm_system_create(2, wild, &s, &e), &e, PM_BAD_INPUT, "finite");
    assert_null(s);
    assert_ok(pm_system_create(2, NULL, &s, &e), &e);
    expect_refusal(pm_system_types(s, types, names, 2, &e), &e, PM_BAD_INPUT,
                   "type 2; expected 0 to 1");
    expect_refusal(pm_system_types(s, same, names, 2, &e), &e, PM_BAD_INPUT, "no other");
    expect_refusal(pm_system_types(s, same, NULL, 2, &e), &e, PM_BAD_INPUT, "null");
    expect_refusal(pm_system_charges(s, charge, &e), &e, PM_BAD_INPUT, "particle 1: charge inf");
    expect_refusal(pm_system_masses(s, mass, &e), &e, PM_BAD_INPUT, "particle 1: mass 0");
    expect_refusal(pm_system_molecules(s, NULL, &e), &e, PM_BAD_INPUT, "null");
    expect_refusal(pm_system_exclude_pairs(s, pair, 1, &e), &e, PM_BAD_INPUT, "0 and 2");
    expect_refusal(pm_system_exclude_pairs(s, same, 1, &e), &e, PM_BAD_INPUT, "1 and 1");
    assert_int_equal(pm_system_potential(NULL, lj, NULL, 1, NULL), PM_BAD_INPUT);
    expect_refusal(pm_system_periodic(s, types, &e), &e, PM_BAD_INPUT, "without a cell");
    assert_int_equal(pm_system_periodic(s, NULL, NULL), PM_BAD_INPUT);
    expect_refusal(pm_system_groups(s, &(pm_groups)PM_GROUPS(.a = pair, .count_a = 2), &e), &e,
                   PM_BAD_INPUT, "2 of 2");
    expect_refusal(pm_system_groups(s, &(pm_groups)PM_GROUPS(.a = same, .count_a = 2), &e), &e,
                   PM_BAD_INPUT, "1 is given");
    expect_refusal(pm_system_groups(s, &(pm_groups)PM_GROUPS(pair, 0, same, 1, 0), &e), &e,
                   PM_BAD_INPUT, "empty");
    expect_refusal(pm_system_groups(s, &(pm_groups)PM_GROUPS(pair, 1, same, 2, 1), &e), &e,
                   PM_BAD_INPUT, "as many");
    expect_refusal(pm_system_groups(s, &(pm_groups)PM_GROUPS(same, 1, same, 1, 1), &e), &e,
                   PM_BAD_INPUT, "and itself");
    expect_refusal(pm_system_groups(s, &(pm_groups)PM_GROUPS(pair, 1, .paired = 1), &e), &e,
                   PM_BAD_INPUT, "null");
    expect_refusal(pm_system_groups(s, &(pm_groups)PM_GROUPS(.count_a = 1), &e), &e, PM_BAD_INPUT,
                   "null");
    assert_ok(pm_system_groups(s, &(pm_groups)PM_GROUPS(), &e), &e);
    pm_system_free(s);
    pm_system_free(NULL);
}

/* Potentials, tables and cutoffs are refused by the call that brings them. */
TEST(potentials_are_checked) {
    static const double cell[9] = { 10, 0, 0, 0, 10, 0, 0, 0, 10 };
    static const struct {
        const char *interaction, *table;
        double cutoff;
        const char *words;
    } wrong[] = {
        { "lj:epsilon=x", NULL, 2.5, "interaction lj: epsilon" },
        { "energy = r +", NULL, 2.5, "column 13: " },
        { "no_such", NULL, 2.5, "no_such" },
        { lj, "type_a,type_b\nA,A\n", 2.5, "table" },
        { lj, "/no/such.csv", 2.5, "/no/such.csv" },
        { NULL, "type_a,type_b,function,cutoff\nA,A,neighbours,-1\n", 2.5, "table:2" },
        { NULL, NULL, 0, "cutoff 0" },
        { lj, NULL, NAN, "cutoff nan" },
        { lj, NULL, INFINITY, "cutoff inf" },
        { "lj:cutoff=3", NULL, 2.5, "cutoff" },
    };
    pm_error e;
    pm_system *s = NULL;
    assert_ok(pm_system_create(2, cell, &s, &e), &e);
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        expect_refusal(
            pm_system_potential(s, wrong[w].interaction, wrong[w].table, wrong[w].cutoff, &e), &e,
            PM_BAD_INPUT, wrong[w].words);
    }
    assert_ok(pm_system_potential(s, SWITCHING, NULL, INFINITY, &e), &e);
    assert_ok(pm_system_potential(s, "lj", salt_table, 2.5, &e), &e);
    pm_system_free(s);
}

/* Of a program with an older header, which lacks members, and of one with a newer. */
TEST(structs_carry_their_size) {
    struct newer {
        pm_arrays known;
        double unknown;
    };
    pm_context *context = open_context();
    struct box box;
    struct numbers numbers = { .energy = 7 };
    make_box(&listed, &box);
    pm_kernel *kernel = kernel_of(context, &box, &listed);
    pm_kernel *none = NULL;
    pm_system *system = NULL;
    const pm_choice choice = PM_CHOICE(.variant = "sorted_cells");
    pm_error e;
    assert_ok(pm_system_create(1, NULL, &system, &e), &e);
    numbers.force = calloc(3 * box.n, sizeof *numbers.force);
    struct newer arrays = { PM_ARRAYS(.positions = box.position, .forces = numbers.force,
                                      .energy = &numbers.energy, .virial = numbers.virial) };
    arrays.known.size = offsetof(pm_arrays, energy);
    assert_ok(pm_evaluate(kernel, &arrays.known, &e), &e);
    assert_true(numbers.energy == 7 && numbers.virial[0] == 0 && numbers.force[0] != 0);
    arrays.known.size = sizeof arrays;
    assert_ok(pm_evaluate(kernel, &arrays.known, &e), &e);
    assert_true(numbers.energy != 7);
    arrays.unknown = 1;
    expect_refusal(pm_evaluate(kernel, &arrays.known, &e), &e, PM_UNSUPPORTED, "pm_arrays has a");
    static const size_t wrong[] = { 0, sizeof(void *), offsetof(pm_arrays, energy) + 3,
                                    (size_t)1 << 20 };
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        arrays.known.size = wrong[w];
        expect_refusal(pm_evaluate(kernel, &arrays.known, &e), &e, PM_BAD_INPUT, "of pm_arrays");
    }
    expect_refusal(pm_neighbours(kernel, &arrays.known, &(pm_list){ 0 }, NULL, &e), &e,
                   PM_BAD_INPUT, "of pm_arrays");
    arrays.known.size = sizeof arrays.known;
    expect_refusal(pm_neighbours(kernel, &arrays.known, &(pm_list){ 0 }, NULL, &e), &e,
                   PM_BAD_INPUT, "size 0 of pm_list");
    expect_refusal(pm_random(kernel, &(pm_draw){ 0 }, &e), &e, PM_BAD_INPUT, "size 0 of pm_draw");
    expect_refusal(pm_kernel_best(context, system, &choice, &(pm_trial){ 0 }, &none, &e), &e,
                   PM_BAD_INPUT, "size 0 of pm_trial");
    expect_refusal(pm_system_groups(system, &(pm_groups){ 0 }, &e), &e, PM_BAD_INPUT,
                   "size 0 of pm_groups");
    const int one = 0;
    pm_groups groups = { .a = &one, .size = offsetof(pm_groups, b) };
    groups.count_a = 1;
    groups.count_b = 1; /* of which an older header knows nothing */
    assert_ok(pm_system_groups(system, &groups, &e), &e);
    pm_system_free(system);
    pm_kernel_free(kernel);
    free(numbers.force);
    box_free(&box);
    pm_close(context);
}

static const struct {
    pm_choice choice;
    const char *interaction, *exclude;
    double cutoff;
    enum pm_status status;
    const char *words;
} refused[] = {
    { PM_CHOICE(.variant = "sorted_cels"), lj, NULL, 2.5, PM_BAD_INPUT,
      "no variant 'sorted_cels'" },
    { PM_CHOICE(.variant = "/no/such.cl"), lj, NULL, 2.5, PM_BAD_INPUT, "/no/such.cl" },
    { PM_CHOICE(.variant = "random_philox"), lj, NULL, 2.5, PM_BAD_INPUT, "variant" },
    { PM_CHOICE(.variant = "sorted_cells", .precision = (enum pm_precision)4), lj, NULL, 2.5,
      PM_BAD_INPUT, "precision 4" },
    { PM_CHOICE(.variant = "sorted_cells", .outputs = (enum pm_outputs)3), lj, NULL, 2.5,
      PM_BAD_INPUT, "outputs 3" },
    { PM_CHOICE(.variant = "sorted_cells", .list = PM_COO), lj, NULL, 2.5, PM_BAD_INPUT,
      "list: sorted_cells is of workload forces" },
    { PM_CHOICE(.variant = "sorted_cells", .distribution = PM_KICK), lj, NULL, 2.5, PM_BAD_INPUT,
      "distribution: sorted_cells" },
    { PM_CHOICE(.precision = PM_PRECISION_MIXED), lj, NULL, 2.5, PM_BAD_INPUT, "variant: a null" },
    { PM_CHOICE(.variant = "sorted_cells", .tunables = "SKIN=3"), lj, NULL, 2.5, PM_BAD_INPUT,
      "SKIN" },
    { PM_CHOICE(.variant = "sorted_cells", .tunables = "GROUP_SIZE=96"), lj, NULL, 2.5,
      PM_BAD_INPUT, "GROUP_SIZE=96" },
    { PM_CHOICE(.variant = "sorted_cells", .tunables = "GROUP_SIZE=99999999999"), lj, NULL, 2.5,
      PM_BAD_INPUT, "GROUP_SIZE=" },
    { PM_CHOICE(.variant = "sorted_cells", .tunables = "GROUP_SIZE"), lj, NULL, 2.5, PM_BAD_INPUT,
      "NAME=NUMBER" },
    /* What the device or the variant cannot do is said before anything is compiled. */
    { PM_CHOICE(.variant = "sorted_cells", .precision = PM_PRECISION_FIXED), "lj:epsilon=1e60",
      NULL, 2.5, PM_UNSUPPORTED, "range of float" },
    { PM_CHOICE(.variant = "sorted_cells", .tunables = "GROUP_SIZE=8192"), lj, NULL, 2.5,
      PM_UNSUPPORTED, "takes" },
    { PM_CHOICE(.variant = "sorted_cells"), lj, "molecule", 2.5, PM_BAD_INPUT,
      "exclusions: the system has no molecules" },
    { PM_CHOICE(.variant = "bonded_gather"), NULL, NULL, 2.5, PM_BAD_INPUT,
      "terms: bonded_gather needs some" },
    /* Options of the program are members here. */
    { PM_CHOICE(.variant = "verlet+list_walk", .dt = 0.01, .thermostat = "langevin:friction=1"), lj,
      NULL, 2.5, PM_BAD_INPUT, "thermostat: langevin" },
    { PM_CHOICE(.variant = "verlet+list_walk", .dt = 0.01, .field = "x=1"), lj, NULL, 2.5,
      PM_BAD_INPUT, "field: " },
    { PM_CHOICE(.variant = "sorted_cells"), lj, "next:0", 2.5, PM_BAD_INPUT, "exclusions: " },
    { PM_CHOICE(.variant = "sorted_cells"), lj, NULL, 1000, PM_UNSUPPORTED, "cutoff" },
    { PM_CHOICE(.variant = "sorted_cells"), NULL, NULL, 2.5, PM_BAD_INPUT,
      "potential: the system has none" },
    /* Functions that are of no pairs, by their own names and by that of a workload. */
    { PM_CHOICE(.variant = "sorted_cells"), "bonded", NULL, 2.5, PM_UNSUPPORTED,
      "workload bonded computes it" },
    { PM_CHOICE(.variant = "sorted_cells"), "stillinger-weber", NULL, 2.5, PM_UNSUPPORTED,
      "workload three_body computes it" },
};

TEST(kernels_are_checked) {
    static const double cell[9] = { 10, 0, 0, 0, 10, 0, 0, 0, 10 };
    pm_context *context = open_context();
    for (size_t r = 0; r < sizeof refused / sizeof refused[0]; r++) {
        pm_error e = { 0 };
        pm_system *system = NULL;
        pm_kernel *kernel = NULL;
        assert_ok(pm_system_create(100, cell, &system, &e), &e);
        assert_ok(pm_system_exclude(system, refused[r].exclude, &e), &e);
        if (refused[r].interaction) {
            assert_ok(
                pm_system_potential(system, refused[r].interaction, NULL, refused[r].cutoff, &e),
                &e);
        }
        expect_refusal(pm_kernel_create(context, system, &refused[r].choice, &kernel, &e), &e,
                       refused[r].status, refused[r].words);
        assert_null(strstr(e.message, "--"));
        assert_null(kernel);
        pm_system_free(system);
    }
    assert_int_equal(pm_kernel_create(context, NULL, NULL, NULL, NULL), PM_BAD_INPUT);
    pm_close(context);
}

/* Cells with images along some vectors, and groups. */
TEST(parts_are_checked) {
    static const double leaning[9] = { 10, 0, 0, 3, 10, 0, 0, 0, 10 };
    static const double cell[9] = { 10, 0, 0, 0, 10, 0, 0, 0, 1 };
    static const int y[3] = { 0, 1, 0 };
    static const int xy[3] = { 1, 1, 0 };
    static const int none[3] = { 0, 0, 0 };
    static const int members[2] = { 0, 1 };
    pm_context *context = open_context();
    pm_error e;
    pm_system *s = NULL;
    pm_kernel *kernel = NULL;
    assert_ok(pm_system_create(9, leaning, &s, &e), &e);
    expect_refusal(pm_system_periodic(s, none, &e), &e, PM_BAD_INPUT, "along no vector");
    pm_system_free(s);
    assert_ok(pm_system_create(9, cell, &s, &e), &e);
    assert_ok(pm_system_periodic(s, xy, &e), &e);
    assert_ok(pm_system_periodic(s, y, &e), &e);
    expect_refusal(pm_system_periodic(s, xy, &e), &e, PM_BAD_INPUT, "images along a");
    assert_ok(pm_system_groups(s, &(pm_groups)PM_GROUPS(members, 2), &e), &e);
    assert_ok(pm_system_potential(s, lj, NULL, 2.5, &e), &e);
    pm_choice choice = PM_CHOICE(.variant = "sorted_cells");
    expect_refusal(pm_kernel_create(context, s, &choice, &kernel, &e), &e, PM_UNSUPPORTED,
                   "groups: workload forces has none");
    assert_ok(pm_system_groups(s, &(pm_groups)PM_GROUPS(), &e), &e);
    assert_ok(pm_kernel_create(context, s, &choice, &kernel, &e), &e);
    assert_ok(pm_set_cell(kernel, leaning, &e), &e);
    pm_kernel_free(kernel);
    kernel = NULL;
    assert_ok(pm_system_potential(s, SWITCHING, NULL, 1, &e), &e);
    choice.variant = "two_groups_cells";
    expect_refusal(pm_kernel_create(context, s, &choice, &kernel, &e), &e, PM_UNSUPPORTED,
                   "two groups");
    assert_null(kernel);
    pm_system_free(s);
    pm_close(context);
}

/* ---- the best ---- */

TEST(answers_are_read) {
    static const char *const answers[] = {
        "{\n\"best\":\"list_walk\",\n\"variants\":[{\"variant\":\"blocks_32\",\"tunables\":\"A=1\"}"
        ","
        "{\"variant\":\"list_walk\",\"state\":\"tuned\",\"tunables\":\"GROUP_SIZE=64 SKIN=20\"}]}",
        "{\"best\":null,\"variants\":[{\"variant\":\"blocks_32\",\"tunables\":\"A=1\"}]}",
        "{\"best\":\"list_walk\",\"variants\":[{\"variant\":\"blocks_32\",\"tunables\":\"A=1\"}]}",
        "{\"best\":\"",
    };
    char folder[TEST_FOLDER_SIZE];
    char path[TEST_FOLDER_SIZE + 16];
    struct box box;
    pm_context *context = open_context();
    pm_error e;
    make_test_folder(folder);
    (void)snprintf(path, sizeof path, "%s/answer.json", folder);
    make_box(&listed, &box);
    pm_system *system = system_of(&box, &listed);
    const pm_choice choice = PM_CHOICE(.answer = path);
    for (size_t a = 0; a < sizeof answers / sizeof answers[0]; a++) {
        struct error error;
        pm_kernel *kernel = NULL;
        assert_true(fs_write(path, answers[a], strlen(answers[a]), &error));
        const enum pm_status status = pm_kernel_create(context, system, &choice, &kernel, &e);
        if (a > 0) {
            expect_refusal(status, &e, PM_BAD_INPUT, "names no best variant");
            continue;
        }
        assert_ok(status, &e);
        assert_non_null(strstr(pm_kernel_words(kernel), "list_walk "));
        assert_non_null(strstr(pm_kernel_words(kernel), "GROUP_SIZE=64"));
        assert_non_null(strstr(pm_kernel_words(kernel), "SKIN=20"));
        pm_kernel_free(kernel);
    }
    (void)remove_test_folder(folder);
    pm_kernel *kernel = NULL;
    expect_refusal(pm_kernel_create(context, system, &choice, &kernel, &e), &e, PM_BAD_INPUT,
                   "answer.json");
    assert_string_equal(pm_kernel_words(NULL), "");
    pm_system_free(system);
    box_free(&box);
    pm_close(context);
}

TEST(the_best_is_measured) {
    struct box box;
    struct numbers expected;
    struct numbers got;
    pm_context *context = open_context();
    pm_error e;
    pm_kernel *kernel = NULL;
    make_box(&listed, &box);
    evaluate_fresh(context, &box, &listed, &expected);
    pm_system *system = system_of(&box, &listed);
    const pm_choice choice =
        PM_CHOICE(.precision = PM_PRECISION_DOUBLE, .outputs = PM_OUTPUTS_VIRIAL);
    const pm_arrays arrays = PM_ARRAYS(.positions = box.position);
    assert_ok(
        pm_kernel_best(context, system, &choice,
                       &(pm_trial)PM_TRIAL(.arrays = &arrays, .steps = 10, .milliseconds = 1500),
                       &kernel, &e),
        &e);
    evaluate(kernel, &box, &got);
    assert_same(&got, &expected, box.n, 1e-9);
    pm_kernel_free(kernel);
    kernel = NULL;
    const int members[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    assert_ok(pm_system_groups(system, &(pm_groups)PM_GROUPS(.b = members, .count_b = 8), &e), &e);
    assert_ok(pm_system_potential(system, SWITCHING, NULL, 1, &e), &e);
    assert_ok(pm_kernel_best(context, system, &choice,
                             &(pm_trial)PM_TRIAL(.arrays = &arrays, .steps = 1, .milliseconds = 1),
                             &kernel, &e),
              &e);
    assert_non_null(strstr(pm_kernel_words(kernel), "two_groups_"));
    pm_kernel_free(kernel);
    kernel = NULL;
    assert_ok(pm_system_groups(system, &(pm_groups)PM_GROUPS(), &e), &e);
    assert_ok(pm_system_potential(system, lj, NULL, 2.5, &e), &e);
    expect_refusal(
        pm_kernel_best(context, system, &choice,
                       &(pm_trial)PM_TRIAL(.arrays = &arrays, .steps = 0, .milliseconds = 1),
                       &kernel, &e),
        &e, PM_BAD_INPUT, "0 steps");
    const pm_choice none = PM_CHOICE(.precision = (enum pm_precision)4);
    expect_refusal(
        pm_kernel_best(context, system, &none,
                       &(pm_trial)PM_TRIAL(.arrays = &arrays, .steps = 1, .milliseconds = 0),
                       &kernel, &e),
        &e, PM_BAD_INPUT, "precision 4");
    assert_null(kernel);
    free(expected.force);
    free(got.force);
    pm_system_free(system);
    box_free(&box);
    pm_close(context);
}

/* sorted_cells, with forces a thousandth too large along x where `wrong`. */
static void write_variant(const char *path, bool wrong) {
    static const char line[] = "add_to_force(&walker->sum, f * dx,";
    const char *text = embedded_text("variants/forces/sorted_cells.cl");
    const char *at = text ? strstr(text, line) : NULL;
    struct strbuf changed = { 0 };
    struct error error;
    assert_non_null(at);
    strbuf_append(&changed, "%.*sadd_to_force(&walker->sum, %s f * dx,%s", (int)(at - text), text,
                  wrong ? "(real)1.001 *" : "", at + strlen(line));
    assert_true(fs_write(path, changed.data, changed.length, &error));
    strbuf_free(&changed);
}

static bool judge(pm_context *context, const pm_system *system, const struct box *box,
                  const char *path, struct error *error) {
    const pm_choice choice = PM_CHOICE(.variant = path, .outputs = PM_OUTPUTS_VIRIAL);
    const pm_arrays arrays = PM_ARRAYS(.positions = box->position);
    struct library_case made = { 0 };
    struct library_work *work = NULL;
    struct library_expected expected = { 0 };
    double seconds = 0;
    pm_error e;
    assert_ok(context_begin(context, &e), &e);
    if (!library_case_make(system, &choice, &made, error) ||
        !library_work_create(context, &made, system, &work, error) ||
        !library_work_time(work, &arrays, 5, &seconds, error)) {
        fail_msg("%s", error->message);
    }
    const bool right = library_work_judge(work, &arrays, &expected, error);
    assert_true(!expected.failed && seconds > 0);
    library_expected_free(&expected);
    library_work_free(work);
    library_case_free(&made);
    (void)context_end(context, right, error, &e);
    return right;
}

/* All particles of a small box, a sample of a large one. */
TEST(wrong_kernels_are_not_the_best) {
    char folder[TEST_FOLDER_SIZE];
    char path[TEST_FOLDER_SIZE + 32];
    pm_context *context = open_context();
    struct error error;
    make_test_folder(folder);
    for (int k = 0; k < 4; k++) {
        const bool wrong = k % 2 == 1;
        struct box box;
        struct example example = listed;
        example.kind = "lattice";
        example.n = k < 2 ? 600 : 33000;
        (void)snprintf(path, sizeof path, "%s/%s_cells.cl", folder, wrong ? "wrong" : "right");
        write_variant(path, wrong);
        make_box(&example, &box);
        pm_system *system = system_of(&box, &example);
        assert_true(judge(context, system, &box, path, &error) == !wrong);
        assert_true(!wrong || error.status == STATUS_WRONG);
        pm_system_free(system);
        box_free(&box);
    }
    pm_close(context);
    (void)remove_test_folder(folder);
}

/* A kind of kernel each: a list, cells, rows of other forms, none; open, a slab; groups; bonds. */
static const struct example seeing[] = {
    { "fluid", 500, 0.8, .interaction = "lj", .cutoff = "2.5", .variant = "list_walk" },
    { "fluid", 500, 0.8, .interaction = "lj", .cutoff = "2.5", .variant = "clusters_8x8" },
    { "fluid", 500, 0.8, .interaction = "lj", .cutoff = "2.5", .variant = "sorted_cells",
      .periodic = "xy" },
    { "fluid", 200, 0.3, true, .interaction = "lj", .cutoff = "2.5", .variant = "blocks_32" },
    { "fluid", 200, 0.3, true, .interaction = "lj", .cutoff = "inf", .variant = "all_pairs_loop" },
    { "fluid", 200, 0.3, .interaction = "rational:r0=1,dmax=2", .variant = "two_groups_cells",
      .group_a = "1-50", .group_b = "10-200" },
    { "chains", 200, 0.3, .variant = "bonded_gather" },
};

/* Places that are none, from the first evaluation on and later; the next evaluation is right. */
TEST(positions_that_are_none_are_found) {
    static const double places[] = { NAN, INFINITY, -INFINITY, 1e300 };
    pm_context *context = open_context();
    pm_error e;
    for (size_t k = 0; k < sizeof seeing / sizeof seeing[0]; k++) {
        struct example example = seeing[k];
        struct box box;
        struct numbers before;
        example.precision = k % 2 ? PM_PRECISION_FLOAT : PM_PRECISION_DOUBLE;
        make_box(&example, &box);
        pm_kernel *kernel = kernel_of(context, &box, &example);
        evaluate_fresh(context, &box, &example, &before);
        for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
            const size_t particle = 11 + 7 * p;
            const double kept = box.position[3 * particle + p % 3];
            struct numbers numbers = { .force = calloc(3 * box.n, sizeof(double)) };
            const pm_arrays all = PM_ARRAYS(.positions = box.position, .forces = numbers.force,
                                            .energy = &numbers.energy, .virial = numbers.virial);
            const pm_arrays none = PM_ARRAYS(.positions = box.position);
            char words[32];
            (void)snprintf(words, sizeof words, "particle %zu:", particle);
            box.position[3 * particle + p % 3] = places[p];
            expect_refusal(pm_evaluate(kernel, p % 2 ? &none : &all, &e), &e, PM_BAD_INPUT, words);
            box.position[3 * particle + p % 3] = kept;
            assert_ok(pm_evaluate(kernel, &all, &e), &e);
            assert_near(numbers.energy, before.energy, 1e-5 * (1 + fabs(before.energy)));
            free(numbers.force);
        }
        free(before.force);
        pm_kernel_free(kernel);
        box_free(&box);
    }
    pm_close(context);
}

/* No particle, by every variant; one, by a kind of kernel each. */
TEST(few_are_evaluated) {
    static const char *const ones[] = { "list_walk", "sorted_cells",   "clusters_8x8",
                                        "blocks_32", "all_pairs_loop", "coordination_cells" };
    static const double cell[9] = { 8, 0, 0, 0, 8, 0, 0, 0, 8 };
    struct error reason;
    size_t count = 0;
    const struct variant *variants = variants_embedded(&count, &reason);
    pm_context *context = open_context();
    for (size_t v = 0; v < 2 * count; v++) {
        const struct variant *variant = &variants[v / 2];
        const char *workload = variant->workload->name;
        const bool counts = strcmp(workload, "coordination") == 0;
        if ((!counts && strcmp(workload, "forces") != 0) || variant->groups != GROUPS_ONE ||
            (variant->needs_cuda && strncmp(device_name(), "cuda", 4) != 0)) {
            continue;
        }
        for (size_t n = 0; n < 2; n++) {
            const double x[3] = { 9, 2, 3 };
            double force[3] = { n ? 7 : 0, n ? 7 : 0, n ? 7 : 0 };
            double energy = 7;
            double virial[9] = { 7, 7, 7, 7, 7, 7, 7, 7, 7 };
            bool named = n == 0;
            for (size_t k = 0; k < sizeof ones / sizeof ones[0]; k++) {
                named = named || strcmp(variant->name, ones[k]) == 0;
            }
            pm_system *system = NULL;
            pm_kernel *kernel = NULL;
            pm_error error;
            const pm_choice choice =
                PM_CHOICE(.variant = variant->name, .outputs = PM_OUTPUTS_VIRIAL);
            const pm_arrays arrays =
                PM_ARRAYS(.positions = n ? x : NULL, .forces = n ? force : NULL, .energy = &energy,
                          .virial = virial);
            if (!named || !(v % 2 ? variant->accepts_periodic : variant->accepts_open)) {
                continue;
            }
            assert_ok(pm_system_create(n, v % 2 ? cell : NULL, &system, &error), &error);
            assert_ok(pm_system_potential(system, counts ? "rational:r0=1,dmax=2" : "lj", NULL, 2.5,
                                          &error),
                      &error);
            assert_ok(pm_kernel_create(context, system, &choice, &kernel, &error), &error);
            assert_ok(pm_compile(kernel, &error), &error);
            assert_ok(pm_evaluate(kernel, &arrays, &error), &error);
            assert_true(energy == 0 && virial[0] == 0 && virial[8] == 0 && force[2] == 0);
            pm_kernel_free(kernel);
            assert_ok(pm_kernel_best(
                          context, system, &choice,
                          &(pm_trial)PM_TRIAL(.arrays = &arrays, .steps = 10, .milliseconds = 0),
                          &kernel, &error),
                      &error);
            pm_kernel_free(kernel);
            pm_system_free(system);
        }
    }
    pm_close(context);
}

TEST(evaluations_are_checked) {
    pm_context *context = open_context();
    pm_error e;
    struct box box;
    struct example forces_alone = listed;
    struct numbers first;
    struct numbers second;
    make_box(&forces_alone, &box);
    pm_system *system = system_of(&box, &forces_alone);
    const pm_choice choice = PM_CHOICE(.variant = "blocks_32");
    pm_kernel *kernel = NULL;
    pm_kernel *other = kernel_of(context, &box, &listed);
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &e), &e);
    double energy = 0;
    pm_arrays arrays = PM_ARRAYS(.positions = box.position, .energy = &energy);
    expect_refusal(pm_evaluate(kernel, &arrays, &e), &e, PM_BAD_INPUT, "outputs are forces");
    arrays = (pm_arrays)PM_ARRAYS(.positions = box.position, .width = 2);
    expect_refusal(pm_evaluate(kernel, &arrays, &e), &e, PM_BAD_INPUT, "width 2");
    arrays = (pm_arrays)PM_ARRAYS(.positions = box.position, .number = (enum pm_number)7);
    expect_refusal(pm_evaluate(kernel, &arrays, &e), &e, PM_BAD_INPUT, "number 7");
    arrays = (pm_arrays)PM_ARRAYS(.positions = box.position, .place = (enum pm_place)7);
    expect_refusal(pm_evaluate(kernel, &arrays, &e), &e, PM_BAD_INPUT, "place 7");
    arrays = (pm_arrays)PM_ARRAYS();
    expect_refusal(pm_evaluate(kernel, &arrays, &e), &e, PM_BAD_INPUT, "positions: ");
    assert_int_equal(pm_evaluate(NULL, &arrays, NULL), PM_BAD_INPUT);
    assert_int_equal(pm_evaluate(kernel, NULL, NULL), PM_BAD_INPUT);
    assert_int_equal(pm_compile(NULL, NULL), PM_BAD_INPUT);
    arrays = (pm_arrays)PM_ARRAYS(.positions = box.position);
    assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
    if (strncmp(device_name(), "opencl", 6) == 0) { /* no context that memory could be of */
        arrays.place = PM_DEVICE;
        expect_refusal(pm_evaluate(kernel, &arrays, &e), &e, PM_BAD_INPUT, "opened by its name");
    }
    assert_ok(pm_compile(other, &e), &e);
    evaluate(other, &box, &first);
    assert_ok(pm_compile(other, &e), &e);
    evaluate(other, &box, &second);
    assert_memory_equal(first.force, second.force, 3 * box.n * sizeof(double));
    free(first.force);
    free(second.force);
    pm_kernel_free(kernel);
    pm_kernel_free(other);
    pm_kernel_free(NULL);
    pm_system_free(system);
    box_free(&box);
    pm_close(context);
    pm_close(NULL);
}

TEST(devices_are_found_by_name) {
    pm_error e;
    pm_context *context = NULL;
    expect_refusal(pm_open("opencl:99:0", &context, &e), &e, PM_BAD_INPUT, "opencl:0:0");
    assert_int_equal(pm_open("none", &context, NULL), PM_BAD_INPUT);
    assert_int_equal(pm_open(NULL, NULL, NULL), PM_BAD_INPUT);
    expect_refusal(pm_open_opencl(NULL, &e, &context, &e), &e, PM_BAD_INPUT, "cl_context");
    expect_refusal(pm_open_opencl(&e, NULL, &context, &e), &e, PM_BAD_INPUT, "cl_device");
    assert_null(context);
    context = open_context();
    assert_memory_equal(pm_device(context), device_name(), strlen(device_name()));
    pm_close(context);
    assert_string_equal(pm_version(), PAIRMARK_VERSION);
}

/* ---- lives ---- */

TEST(kernels_outlive_their_context) {
    pm_error e;
    struct box box;
    pm_context *context = open_context();
    make_box(&listed, &box);
    pm_kernel *kernel = kernel_of(context, &box, &listed);
    struct numbers numbers;
    evaluate(kernel, &box, &numbers);
    const pm_arrays arrays = PM_ARRAYS(.positions = box.position, .forces = numbers.force);
    pm_close(context);
    expect_refusal(pm_evaluate(kernel, &arrays, &e), &e, PM_BAD_INPUT, "closed");
    expect_refusal(pm_compile(kernel, &e), &e, PM_BAD_INPUT, "closed");
    pm_kernel_free(kernel);
    free(numbers.force);
    box_free(&box);
}

TEST(children_are_refused) {
    pm_context *context = open_context();
    struct box box;
    struct numbers numbers;
    make_box(&listed, &box);
    pm_kernel *kernel = kernel_of(context, &box, &listed);
    evaluate(kernel, &box, &numbers);
    const pm_arrays arrays = PM_ARRAYS(.positions = box.position, .forces = numbers.force);
    const pid_t child = fork();
    if (child == 0) {
        pm_error e;
        pm_context *own = NULL;
        const bool refused_all =
            pm_evaluate(kernel, &arrays, &e) == PM_FORKED && strstr(e.message, "fork()") &&
            pm_compile(kernel, NULL) == PM_FORKED && pm_open(NULL, &own, &e) == PM_FORKED &&
            strstr(e.message, "spawn") && !own;
        pm_kernel_free(kernel);
        pm_close(context);
        _exit(refused_all ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    free(numbers.force);
    evaluate(kernel, &box, &numbers);
    free(numbers.force);
    pm_kernel_free(kernel);
    pm_close(context);
    box_free(&box);
}

struct job {
    pm_context *context; /* NULL: one of its own */
    const struct box *box;
    const struct numbers *expected;
    bool same;
};

static void *do_job(void *argument) {
    struct job *job = argument;
    pm_context *context = job->context ? job->context : open_context();
    pm_kernel *kernel = kernel_of(context, job->box, &listed);
    job->same = true;
    for (int turn = 0; turn < 3; turn++) {
        struct numbers got;
        evaluate(kernel, job->box, &got);
        job->same =
            job->same && got.energy == job->expected->energy &&
            memcmp(got.force, job->expected->force, 3 * job->box->n * sizeof *got.force) == 0;
        free(got.force);
    }
    pm_kernel_free(kernel);
    if (!job->context) {
        pm_close(context);
    }
    return NULL;
}

struct told {
    pm_kernel *kernel, *spare;
    pm_arrays *arrays;
    enum pm_status status;
    pm_error error;
};

static void call_within(void *data, const char *line) {
    struct told *told = data;
    (void)line;
    told->status = pm_evaluate(told->kernel, told->arrays, &told->error);
    pm_kernel_free(told->spare);
    told->spare = NULL;
}

/* It would wait for itself for ever. Freeing is another matter: who collects garbage does it. */
TEST(calls_within_calls_are_refused) {
    struct box box;
    struct numbers expected;
    pm_context *context = open_context();
    make_box(&listed, &box);
    evaluate_fresh(context, &box, &listed, &expected);
    struct told told = { .kernel = kernel_of(context, &box, &listed),
                         .spare = kernel_of(context, &box, &listed) };
    double *force = calloc(3 * box.n, sizeof *force);
    pm_arrays arrays = PM_ARRAYS(.positions = box.position, .forces = force);
    pm_error error;
    told.arrays = &arrays;
    assert_ok(pm_log(context, call_within, &told, &error), &error);
    assert_ok(pm_evaluate(told.kernel, &arrays, &error), &error);
    expect_refusal(told.status, &told.error, PM_BAD_INPUT, "within a call");
    assert_null(told.spare);
    assert_memory_equal(force, expected.force, 3 * box.n * sizeof *force);
    pm_kernel_free(told.kernel);
    free(force);
    free(expected.force);
    pm_close(context);
    box_free(&box);
}

TEST(threads_do_not_meet) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct job jobs[THREADS];
    struct box box;
    struct numbers expected;
    pm_context *context = open_context();
    make_box(&listed, &box);
    evaluate_fresh(context, &box, &listed, &expected);
    for (int t = 0; t < THREADS; t++) {
        jobs[t] = (struct job){ t < 2 ? context : NULL, &box, &expected, false };
        assert_int_equal(pthread_create(&threads[t], NULL, do_job, &jobs[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_true(jobs[t].same);
    }
    free(expected.force);
    pm_close(context);
    box_free(&box);
}

TEST_GROUP(open_test_cache, close_test_cache)
