/* libpairmark: terms of many bodies. Energies and forces are those of LAMMPS; forces and virial are
 * derivatives of the energy, and energies of particles add up, in cells of every kind; what does
 * not fit is refused by the call that brings it. */
#include "boxes/box.h"
#include "core/files.h"
#include "library_calls.h"

#include "support.h"

#define VECTORS TEST_DATA "/vectors/manybody/"

/* ---- a case ---- */

static const struct material {
    const char *workload, *interaction, *table, *box, *forces;
} materials[] = {
    { "three_body", "stillinger-weber", VECTORS "si.sw", "si-64.xyz", "si-64-forces.txt" },
    { "eam", "eam", VECTORS "ab.eam.alloy", "cd-256.xyz", "cd-256-forces.txt" },
    { "three_body", "tersoff", NULL, "si-64.xyz", NULL }, /* not among what LAMMPS printed */
};
enum { MATERIALS = sizeof materials / sizeof materials[0], PRINTED = 2, MOST_VARIANTS = 16 };

static double *allocate(size_t count) {
    double *numbers = calloc(count, sizeof *numbers);
    assert_non_null(numbers);
    return numbers;
}

static void read_material(const struct material *material, struct box *box) {
    char path[256];
    struct error error;
    (void)snprintf(path, sizeof path, VECTORS "%s", material->box);
    assert_done(box_read(path, box, &error), &error);
}

/* The energy that LAMMPS printed. */
static double known_energy(const struct material *material) {
    char *text = NULL;
    struct error error;
    assert_true(input_read_text(VECTORS "expected.csv", 1 << 16, &text, &error));
    const char *line = strstr(text, material->box);
    double energy = NAN;
    assert_non_null(line);
    assert_int_equal(sscanf(line, "%*[^,],%*[^,],%*[^,],%lf", &energy), 1);
    free(text);
    return energy;
}

static void known_forces(const struct material *material, size_t n, double *force) {
    char path[256];
    (void)snprintf(path, sizeof path, VECTORS "%s", material->forces);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (size_t i = 0; i < 3 * n; i++) {
        assert_int_equal(fscanf(file, "%lf", &force[i]), 1);
    }
    (void)fclose(file);
}

struct variants {
    const char *workload;
    char name[MOST_VARIANTS][64];
    size_t count;
};

static void note_variant(void *data, const char *name, const char *workload, const char *summary) {
    struct variants *found = data;
    (void)summary;
    if (strcmp(workload, found->workload) == 0 && found->count < MOST_VARIANTS) {
        (void)snprintf(found->name[found->count++], sizeof found->name[0], "%s", name);
    }
}

static struct variants variants_of(const struct material *material) {
    struct variants found = { .workload = material->workload };
    pm_error e;
    assert_ok(pm_variants(note_variant, &found, &e), &e);
    assert_true(found.count >= 3 && found.count < MOST_VARIANTS);
    return found;
}

static const int everywhere[3] = { 1, 1, 1 };

/* Of the box's particles; cell NULL: open. */
static pm_system *system_of(const struct material *material, const struct box *box,
                            const double *cell, const int *along) {
    pm_system *system = NULL;
    const char *names[8];
    pm_error e;
    for (int t = 0; t < box->types; t++) {
        names[t] = box->species[t];
    }
    assert_ok(pm_system_create(box->n, cell, &system, &e), &e);
    if (cell && along != everywhere) {
        assert_ok(pm_system_periodic(system, along, &e), &e);
    }
    assert_ok(pm_system_types(system, box->type, names, box->types, &e), &e);
    assert_ok(pm_system_potential(system, material->interaction, material->table, INFINITY, &e),
              &e);
    return system;
}

static pm_kernel *kernel_of(pm_context *context, const pm_system *system, const char *variant,
                            enum pm_precision precision) {
    pm_kernel *kernel = NULL;
    pm_error e;
    const pm_choice choice =
        PM_CHOICE(.variant = variant, .precision = precision, .outputs = PM_OUTPUTS_VIRIAL);
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &e), &e);
    return kernel;
}

static double energy_at(pm_kernel *kernel, const double *x) {
    double energy = NAN;
    pm_error e;
    const pm_arrays arrays = PM_ARRAYS(.positions = x, .energy = &energy);
    assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
    return energy;
}

/* ---- known answers ---- */

TEST(answers_are_those_of_lammps) {
    pm_context *context = open_context();
    for (size_t m = 0; m < PRINTED; m++) {
        struct box box;
        read_material(&materials[m], &box);
        const size_t n = box.n;
        const double cell[9] = { box.edge[0], 0, 0, 0, box.edge[1], 0, 0, 0, box.edge[2] };
        const struct variants variants = variants_of(&materials[m]);
        const double right = known_energy(&materials[m]);
        double *known = allocate(3 * n);
        double *force = allocate(3 * n);
        known_forces(&materials[m], n, known);
        pm_system *system = system_of(&materials[m], &box, cell, everywhere);
        for (size_t v = 0; v < variants.count; v++) {
            pm_kernel *kernel = kernel_of(context, system, variants.name[v], PM_PRECISION_DOUBLE);
            double energy = NAN;
            pm_error e;
            const pm_arrays arrays =
                PM_ARRAYS(.positions = box.position, .forces = force, .energy = &energy);
            assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
            assert_near(energy, right, 1e-12 * fabs(right));
            for (size_t i = 0; i < 3 * n; i++) {
                assert_near(force[i], known[i], 1e-11);
            }
            pm_kernel_free(kernel);
        }
        pm_system_free(system);
        box_free(&box);
        free(known);
        free(force);
    }
    pm_close(context);
}

/* ---- derivatives ---- */

/* With any kind of cell: moved, of an array of the same length. */
static void strain(const double *from, size_t vectors, size_t a, size_t b, double by, double *to) {
    for (size_t i = 0; i < vectors; i++) {
        memcpy(to + 3 * i, from + 3 * i, 3 * sizeof *to);
        to[3 * i + b] += by * from[3 * i + a];
    }
}

static void virial_is_a_derivative(pm_kernel *kernel, const double *cell, size_t n, const double *x,
                                   const double virial[9]) {
    const double h = 1e-5;
    double *moved = allocate(3 * n);
    for (size_t k = 0; k < 9; k++) {
        double energy[2];
        double changed[9];
        pm_error e;
        for (int side = 0; side < 2; side++) {
            strain(cell, 3, k / 3, k % 3, side ? -h : h, changed);
            strain(x, n, k / 3, k % 3, side ? -h : h, moved);
            assert_ok(pm_set_cell(kernel, changed, &e), &e);
            energy[side] = energy_at(kernel, moved);
        }
        assert_near(virial[k], -(energy[0] - energy[1]) / (2 * h), 1e-4);
    }
    free(moved);
}

static void check_derivatives(pm_kernel *kernel, const double *cell, size_t n, double *x) {
    const double h = 1e-5;
    double *force = allocate(3 * n);
    double *energies = allocate(n);
    double energy = NAN;
    double sum = 0;
    double virial[9];
    pm_error e;
    const pm_arrays arrays = PM_ARRAYS(.positions = x, .forces = force, .energy = &energy,
                                       .virial = virial, .energies = energies);
    assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
    for (size_t i = 0; i < n; i++) {
        sum += energies[i];
    }
    assert_near(sum, energy, 1e-9 * fabs(energy) + 1e-12);
    for (size_t i = 0; i < 3 * n; i += 3 * n / 10 + 1) {
        const double kept = x[i];
        x[i] = kept + h;
        const double above = energy_at(kernel, x);
        x[i] = kept - h;
        const double below = energy_at(kernel, x);
        x[i] = kept;
        assert_near(force[i], -(above - below) / (2 * h), 1e-5);
    }
    if (cell) {
        virial_is_a_derivative(kernel, cell, n, x, virial);
    }
    free(force);
    free(energies);
}

/* In a cell of less than twice the cutoff particles meet their images. */
TEST(forces_are_derivatives) {
    static const double leaning[9] = { 0, 11, 1, 11, 0, -1, 0.5, 1, 12 }; /* left-handed */
    static const double little[9] = { 6, 0, 0, 1, 5, 0, 0, 0.5, 6 };
    static const int of_slab[3] = { 1, 0, 1 };
    const struct {
        const double *cell;
        const int *along;
        size_t n;
    } cells[] = { { leaning, everywhere, 60 },
                  { little, everywhere, 7 },
                  { leaning, of_slab, 60 },
                  { NULL, everywhere, 60 } };
    pm_context *context = open_context();
    for (size_t k = 0; k < MATERIALS * sizeof cells / sizeof cells[0]; k++) {
        const struct material *material = &materials[k % MATERIALS];
        const double *cell = cells[k / MATERIALS].cell;
        const int *along = cells[k / MATERIALS].along;
        struct box box;
        read_material(material, &box);
        const size_t all = box.n;
        box.n = cells[k / MATERIALS].n;
        for (size_t i = 0; i < box.n && cell; i++) { /* the same places in this cell */
            const double *at = box.position + 3 * i;
            double place[3] = { 0 };
            for (size_t c = 0; c < 9; c++) {
                place[c % 3] += cell[c] * at[c / 3] / box.edge[c / 3];
            }
            memcpy(box.position + 3 * i, place, sizeof place);
        }
        const struct variants variants = variants_of(material);
        pm_system *system = system_of(material, &box, cell, along);
        pm_kernel *kernel =
            kernel_of(context, system, variants.name[k / 2 % variants.count], PM_PRECISION_DOUBLE);
        check_derivatives(kernel, along == everywhere ? cell : NULL, box.n, box.position);
        pm_kernel_free(kernel);
        pm_system_free(system);
        box.n = all;
        box_free(&box);
    }
    pm_close(context);
}

/* ---- the best variant, and refusals ---- */

TEST(the_best_is_of_the_potential) {
    pm_context *context = open_context();
    for (size_t m = 0; m < MATERIALS; m++) {
        struct box box;
        read_material(&materials[m], &box);
        const double cell[9] = { box.edge[0], 0, 0, 0, box.edge[1], 0, 0, 0, box.edge[2] };
        pm_system *system = system_of(&materials[m], &box, cell, everywhere);
        pm_kernel *kernel = NULL;
        double energy = NAN;
        pm_error e;
        const pm_choice choice =
            PM_CHOICE(.precision = PM_PRECISION_DOUBLE, .outputs = PM_OUTPUTS_ENERGY);
        const pm_arrays arrays = PM_ARRAYS(.positions = box.position, .energy = &energy);
        assert_ok(
            pm_kernel_best(context, system, &choice,
                           &(pm_trial)PM_TRIAL(.arrays = &arrays, .steps = 10, .milliseconds = 0),
                           &kernel, &e),
            &e);
        assert_memory_equal(pm_kernel_words(kernel), materials[m].workload,
                            strlen(materials[m].workload));
        pm_kernel_free(kernel);
        pm_system_free(system);
        box_free(&box);
    }
    pm_close(context);
}

static const struct {
    const char *interaction, *table, *type, *variant, *exclude;
    enum pm_precision precision;
    enum pm_status status;
    const char *words;
} refused[] = {
    /* By pm_system_potential(). */
    { "eam", NULL, "Aa", NULL, NULL, 0, PM_BAD_INPUT, "needs a table" },
    { "eam", "none.alloy", "Aa", NULL, NULL, 0, PM_BAD_INPUT, "none.alloy" },
    { "eam", "one\ntwo\n", "Aa", NULL, NULL, 0, PM_BAD_INPUT, "table:" },
    { "eam", VECTORS "si.sw", "Aa", NULL, NULL, 0, PM_BAD_INPUT, "si.sw:" },
    { "stillinger-weber", "Si Si\n", "Si", NULL, NULL, 0, PM_BAD_INPUT, "table:1" },
    { "stillinger-weber:sigma=-1", NULL, "Si", NULL, NULL, 0, PM_BAD_INPUT, "sigma" },
    /* By pm_kernel_create(). */
    { "eam", VECTORS "ab.eam.alloy", "Si", "eam_list", NULL, 0, PM_BAD_INPUT, "Si" },
    { "stillinger-weber", VECTORS "si.sw", "Aa", "three_body_list", NULL, 0, PM_BAD_INPUT, "Aa" },
    { "eam", VECTORS "ab.eam.alloy", "Aa", "eam_list", NULL, PM_PRECISION_FIXED, PM_UNSUPPORTED,
      "eam_list" },
    { "eam", VECTORS "ab.eam.alloy", "Aa", "list_walk", NULL, 0, PM_UNSUPPORTED, "workload eam" },
    { "stillinger-weber", NULL, "Si", "eam_list", NULL, 0, PM_UNSUPPORTED, "workload three_body" },
    { "stillinger-weber", NULL, "Si", "verlet+list_walk", NULL, 0, PM_UNSUPPORTED, "three_body" },
    { "lj", NULL, "Si", "eam_list", NULL, 0, PM_UNSUPPORTED, "workload eam" },
    { "energy = r", NULL, "Si", "three_body_list", NULL, 0, PM_UNSUPPORTED, "workload three_body" },
    { "stillinger-weber", NULL, "Si", "three_body_list", "next:1", 0, PM_UNSUPPORTED, "exclusion" },
};

TEST(what_does_not_fit_is_refused) {
    static const double cell[9] = { 9, 0, 0, 0, 9, 0, 0, 0, 9 };
    pm_context *context = open_context();
    for (size_t r = 0; r < sizeof refused / sizeof refused[0]; r++) {
        const bool pairs = refused[r].interaction[0] == 'l' || refused[r].interaction[1] == 'n';
        const int types[5] = { 0 };
        const pm_choice choice =
            PM_CHOICE(.variant = refused[r].variant, .precision = refused[r].precision);
        pm_system *system = NULL;
        pm_kernel *kernel = NULL;
        pm_error e = { 0 };
        assert_ok(pm_system_create(5, cell, &system, &e), &e);
        assert_ok(pm_system_types(system, types, &refused[r].type, 1, &e), &e);
        assert_ok(pm_system_exclude(system, refused[r].exclude, &e), &e);
        enum pm_status status = pm_system_potential(system, refused[r].interaction,
                                                    refused[r].table, pairs ? 3 : INFINITY, &e);
        assert_true((status != PM_OK) == !refused[r].variant);
        if (refused[r].variant) {
            status = pm_kernel_create(context, system, &choice, &kernel, &e);
        }
        expect_refusal(status, &e, refused[r].status, refused[r].words);
        pm_system_free(system);
    }
    pm_close(context);
}

TEST_GROUP(open_test_cache, close_test_cache)
