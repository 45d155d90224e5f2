/* Pair functions, their sums, tables of types and exclusions: against formulas written down again
 * here, in long double, and summed over all pairs by the plainest loop. */
#include "kernels/potentials/exclusions.h"
#include "kernels/potentials/type_table.h"
#include "measure/measure.h"
#include "reference/pairs/reference.h"
#include "workloads/gate.h"

#include "hand_box.h"

#include "support.h"

#include "boxes/box.h"
#include "core/strings.h"
#include "kernels/header/read_variant.h"
#include "kernels/variant.h"

/* ---- the formulas once more ---- */

static long double lj(const double *p, long double r) {
    return 4.0L * p[0] * (powl(p[1] / r, 12.0L) - powl(p[1] / r, 6.0L));
}

static long double buckingham(const double *p, long double r) {
    return p[0] * expl(-r / p[1]) - p[2] / powl(r, 6.0L);
}

static long double huggins(const double *p, long double r) {
    return p[0] * expl((p[1] - r) / p[2]) - p[3] / powl(r, 6.0L) - p[4] / powl(r, 8.0L);
}

/* Of unit charges. */
static long double ewald(const double *p, long double r) {
    return p[1] * erfcl(p[0] * r) / r;
}

static long double lj_shift(const double *p, long double r) {
    return lj(p, r) - lj(p, p[2]);
}

/* Of the force, switched as it is defined; its integral from r to `outer` by Gauss's rule of five
 * points in many intervals. */
static long double switched_force(const double *p, long double r) {
    const long double w = p[3] - p[2];
    long double force = 0.0L;
    for (int n = 6; n <= 12; n += 6) {
        /* a d^2 + b d^3 takes the power and its slope to 0 at d = w */
        const long double f = n * powl(p[3], -n - 1);
        const long double g = -(n + 1) * f / p[3];
        const long double a = -(3 * f - g * w) / (w * w);
        const long double b = (2 * f - g * w) / (w * w * w);
        const long double d = r > p[2] ? r - p[2] : 0.0L;
        const long double of_power = n * powl(r, -n - 1) + a * d * d + b * d * d * d;
        force += 4 * p[0] * powl(p[1], n) * (n == 12 ? of_power : -of_power);
    }
    return r < p[3] ? force : 0.0L;
}

static long double lj_switch(const double *p, long double r) {
    static const long double place[] = { 0.0L, 0.538469310105683091036314L,
                                         0.906179845938663992797627L };
    static const long double weight[] = { 0.568888888888888888888889L, 0.478628670499366468041292L,
                                          0.236926885056189087514264L };
    enum { INTERVALS = 400 };
    long double energy = 0.0L;
    const long double ends[] = { r, r < p[2] ? p[2] : r, r < p[3] ? p[3] : r };
    for (int part = 0; part < 2; part++) {
        const long double h = (ends[part + 1] - ends[part]) / INTERVALS / 2;
        for (int k = 0; k < INTERVALS; k++) {
            const long double middle = ends[part] + (2 * k + 1) * h;
            energy += h * weight[0] * switched_force(p, middle);
            for (int j = 1; j < 3; j++) {
                energy += h * weight[j] *
                          (switched_force(p, middle - h * place[j]) +
                           switched_force(p, middle + h * place[j]));
            }
        }
    }
    return energy;
}

/* Of unit charges. */
static long double reaction_field(const double *p, long double r) {
    const long double rc = p[0];
    const long double k = (p[1] - 1.0L) / (2.0L * p[1] + 1.0L) / (rc * rc * rc);
    return p[2] * (1 / r + k * r * r - 1 / rc - k * rc * rc);
}

static long double coulomb_shift(const double *p, long double r) {
    const long double rc = p[0];
    return p[1] * (1 / r - 1 / rc + (r - rc) / (rc * rc));
}

typedef long double formula(const double *p, long double r);

/* -dU/dr by differences of sixth order, in long double. */
static long double force_of(formula *u, const double *p, long double r) {
    const long double h = 1e-3L * r;
    return -(45.0L * (u(p, r + h) - u(p, r - h)) - 9.0L * (u(p, r + 2 * h) - u(p, r - 2 * h)) +
             (u(p, r + 3 * h) - u(p, r - 3 * h))) /
           (60.0L * h);
}

static const struct known {
    const char *words;
    formula *u;
    double p[5];
} known[] = {
    { "lj:epsilon=0.7,sigma=1.3", lj, { 0.7, 1.3 } },
    { "buckingham:A=1822,rho=0.31,C=11.5", buckingham, { 1822, 0.31, 11.5 } },
    { "born-mayer-huggins:A=2.5,sigma=1.4,rho=0.3,C=0.6,D=0.8",
      huggins,
      { 2.5, 1.4, 0.3, 0.6, 0.8 } },
    { "ewald-real:alpha=0.28,coulomb=1389.35457644", ewald, { 0.28, 1389.35457644 } },
    { "ewald-real:alpha=0,coulomb=14.399645", ewald, { 0, 14.399645 } },
    { "lj-shift:epsilon=0.7,sigma=1.3,zero=7", lj_shift, { 0.7, 1.3, 7 } },
    { "lj-switch:epsilon=0.7,sigma=1.3,inner=3,outer=8", lj_switch, { 0.7, 1.3, 3, 8 } },
    { "reaction-field:rc=7,dielectric=78.5,coulomb=14.399645",
      reaction_field,
      { 7, 78.5, 14.399645 } },
    { "coulomb-shift:rc=7,coulomb=14.399645", coulomb_shift, { 7, 14.399645 } },
};

enum { KNOWN = sizeof known / sizeof known[0] };

TEST(functions_of_the_reference) {
    for (int k = 0; k < KNOWN; k++) {
        struct interaction interaction;
        struct error error;
        assert_true(interaction_parse(known[k].words, &interaction, &error));
        for (double r = 1.1; r < 6.0; r += 0.31) {
            double u, f, s, low[3], high[3];
            const double h = 1e-5;
            assert_true(reference_pair(&interaction, r, &u, &f, &s, &error));
            long double expected = known[k].u(known[k].p, r);
            long double force = force_of(known[k].u, known[k].p, r);
            double scale = fabs((double)expected) + r * fabs((double)force);
            assert_near_as(known[k].words, u, (double)expected, 4e-15 * scale);
            assert_near_as(known[k].words, f, (double)force, 1e-12 * (scale + r * r * fabs(s)) / r);
            assert_true(reference_pair(&interaction, r - h, &low[0], &low[1], &low[2], &error));
            assert_true(reference_pair(&interaction, r + h, &high[0], &high[1], &high[2], &error));
            assert_near_as("slope", s, (high[1] - low[1]) / (2 * h),
                           1e-7 * (1 + fabs(s) + fabs(f)));
        }
    }
}

TEST(sums_and_own_cutoffs) {
    struct interaction sum;
    struct error error;
    struct strbuf words = { 0 };
    double u, f, s;
    assert_true(interaction_parse("lj+ewald-real:sigma=1.3,alpha=0.4,lj.cutoff=2.5", &sum, &error));
    interaction_describe(&sum, &words);
    assert_string_equal(words.data,
                        "lj+ewald-real:epsilon=1,sigma=1.3,lj.cutoff=2.5,alpha=0.4,coulomb=1");
    strbuf_free(&words);
    const double of_lj[] = { 1, 1.3 };
    const double of_ewald[] = { 0.4, 1 };
    assert_true(reference_pair(&sum, 2.0, &u, &f, &s, &error));
    assert_near_as("both", u, (double)(lj(of_lj, 2.0L) + ewald(of_ewald, 2.0L)), 1e-14);
    assert_true(reference_pair(&sum, 2.6, &u, &f, &s, &error));
    assert_near_as("beyond lj's cutoff", u, (double)ewald(of_ewald, 2.6L), 1e-15);
}

/* ---- a box of ions, summed here ---- */

enum { IONS = 160 };

static const double ion_cutoff = 2.4;
static const double lj_cutoff = 1.9;
static const double alpha = 0.9;
static const double coulomb = 14.399645;

/* By type: 0 and 0, 0 and 1, 1 and 1; of which the last has no van der Waals term at all. */
static const double like[] = { 0.4, 0.9 };
static const double unlike[] = { 90000, 0.085, 1.5 };

/* Ions of two types on a lattice, in molecules of three. */
static struct box make_ions(bool with_molecules) {
    struct box box = hand_box_lattice(IONS, 0.8, 0.15, true, 11);
    box.types = 2;
    box.species = realloc(box.species, 2 * sizeof *box.species);
    assert_non_null(box.species);
    memset(box.species, 0, 2 * sizeof *box.species);
    strcpy(box.species[0], "Na");
    strcpy(box.species[1], "Cl");
    box.molecule = with_molecules ? calloc(IONS, sizeof *box.molecule) : NULL;
    for (size_t i = 0; i < IONS; i++) {
        box.type[i] = (int32_t)(i % 2);
        box.charge[i] = i % 2 ? -1 : 1;
        if (with_molecules) {
            box.molecule[i] = (int32_t)(i / 3) - 7;
        }
    }
    return box;
}

struct totals {
    long double vdw, coulomb, force[3 * IONS];
};

static bool brute_excluded(int mode, size_t i, size_t j) {
    return mode == 1 ? j == i + 1 || j == i + 7 : mode == 2 ? i / 3 == j / 3 : false;
}

static void brute_pair(const struct box *box, size_t i, size_t j, const long double *d,
                       struct totals *totals) {
    const double of_ewald[] = { alpha, coulomb };
    long double r = sqrtl(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    int kind = box->type[i] + box->type[j];
    long double charges = (long double)box->charge[i] * box->charge[j];
    if (r > ion_cutoff) {
        return;
    }
    long double f = charges * force_of(ewald, of_ewald, r);
    totals->coulomb += charges * ewald(of_ewald, r);
    if (kind == 0 && r <= lj_cutoff) {
        totals->vdw += lj(like, r);
        f += force_of(lj, like, r);
    } else if (kind == 1) {
        totals->vdw += buckingham(unlike, r);
        f += force_of(buckingham, unlike, r);
    }
    for (size_t k = 0; k < 3; k++) {
        totals->force[3 * i + k] += f * d[k] / r;
        totals->force[3 * j + k] -= f * d[k] / r;
    }
}

/* mode: 0 nothing is excluded, 1 the listed pairs, 2 the molecules */
static void brute_sum(const struct box *box, int mode, struct totals *totals) {
    memset(totals, 0, sizeof *totals);
    for (size_t i = 0; i < box->n; i++) {
        for (size_t j = i + 1; j < box->n; j++) {
            long double d[3];
            for (size_t k = 0; k < 3; k++) {
                d[k] = (long double)box->position[3 * i + k] - box->position[3 * j + k];
                d[k] -= box->edge[k] * rintl(d[k] / box->edge[k]);
            }
            if (!brute_excluded(mode, i, j)) {
                brute_pair(box, i, j, d, totals);
            }
        }
    }
}

static const char *file_of(const char *name, const char *content) {
    static char paths[8][128];
    static int next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, sizeof paths[0], "%s/%s", test_cache, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* The interaction that brute_sum() adds up. */
static struct interaction ion_interaction(int mode, struct type_table **table,
                                          struct exclusions **exclusions) {
    struct interaction interaction;
    struct error error;
    char *list = calloc(IONS, 32);
    size_t length = 0;
    assert_non_null(list);
    assert_true(interaction_parse("lj+buckingham+ewald-real:alpha=0.9,coulomb=14.399645",
                                  &interaction, &error));
    const char *path = file_of("table.csv", "type_a,type_b,function,sigma,epsilon,A,rho,C,cutoff\n"
                                            "# comment\n"
                                            "Na, Na, lj, 0.9, 0.4,,,,1.9\r\n\n"
                                            "Cl,\"Na\",buckingham,,,90000,0.085,1.5,");
    assert_done(type_table_read(path, &interaction, table, &error), &error);
    interaction.table = *table;
    for (size_t i = 0; i < IONS; i++) { /* some pairs said twice, either way round */
        length += i + 1 < IONS ? (size_t)sprintf(list + length, "%zu %zu\n", i + 1, i + 2) : 0;
        length +=
            i + 7 < IONS ? (size_t)sprintf(list + length, "%zu,%zu # far\n", i + 8, i + 1) : 0;
    }
    *exclusions = NULL;
    path = mode == 1 ? file_of("pairs.txt", list) : "molecule";
    if (mode > 0 && !exclusions_read(path, exclusions, &error)) {
        fail_msg("%s", error.message);
    }
    interaction.exclusions = *exclusions;
    free(list);
    return interaction;
}

static void compare_totals(const char *what, const struct totals *expected, double vdw,
                           double electric, const double *force) {
    assert_near_as(what, vdw, (double)expected->vdw, 1e-11 * 400);
    assert_near_as(what, electric, (double)expected->coulomb, 1e-11 * 2000);
    for (size_t i = 0; i < 3 * IONS; i++) {
        assert_near_as(what, force[i], (double)expected->force[i], 1e-10 * (100 + fabs(force[i])));
    }
}

TEST(reference_against_brute_force) {
    for (int mode = 0; mode < 3; mode++) {
        static struct totals expected;
        struct box box = make_ions(mode == 2);
        struct type_table *table;
        struct exclusions *exclusions;
        struct interaction interaction = ion_interaction(mode, &table, &exclusions);
        struct reference reference;
        struct error error;
        brute_sum(&box, mode, &expected);
        assert_true(fabsl(expected.vdw) > 10 && fabsl(expected.coulomb) > 10);
        assert_done(reference_direct(&box, &interaction, ion_cutoff, &reference, &error), &error);
        assert_true(reference.energies_apart);
        compare_totals("reference", &expected, reference.kinds[TERM_VAN_DER_WAALS].value,
                       reference.kinds[TERM_COULOMB].value, reference.force);
        assert_near_as("sum", reference.energy, (double)(expected.vdw + expected.coulomb), 1e-8);
        reference_free(&reference);
        type_table_free(table);
        exclusions_free(exclusions);
        free(box.molecule);
        hand_box_free(&box);
    }
}

/* The walk over cells leaves out and adds what the direct sum does. */
TEST(cells_against_the_direct_sum) {
    struct box box = hand_box_lattice(1200, 0.8, 0.15, true, 5);
    struct exclusions *exclusions;
    struct interaction interaction;
    struct reference direct, cells, all;
    struct error error;
    assert_true(
        interaction_parse("buckingham+ewald-real:buckingham.cutoff=1.5", &interaction, &error));
    for (size_t i = 0; i < box.n; i++) {
        box.charge[i] = i % 2 ? -1 : 1;
    }
    char *list = calloc(box.n + 1, 64);
    size_t length = 0;
    assert_non_null(list);
    for (size_t i = 1; i + 130 <= box.n; i++) { /* neighbours along each axis */
        length += (size_t)sprintf(list + length, "%zu %zu\n%zu %zu\n", i, i + 1, i + 11, i);
    }
    assert_true(reference_direct(&box, &interaction, 2.2, &all, &error));
    assert_true(exclusions_read(file_of("many.txt", list), &exclusions, &error));
    interaction.exclusions = exclusions;
    assert_true(reference_direct(&box, &interaction, 2.2, &direct, &error));
    assert_true(reference_cells(&box, &interaction, 2.2, &cells, &error));
    assert_int_equal(direct.pairs_in_cutoff, cells.pairs_in_cutoff);
    assert_int_equal(direct.pairs_in_cutoff, all.pairs_in_cutoff);
    assert_true(fabs(direct.energy - all.energy) > 1);
    for (int kind = 0; kind < TERM_KINDS; kind++) {
        assert_near_as("energy", cells.kinds[kind].value, direct.kinds[kind].value,
                       1e-13 * direct.kinds[kind].scale);
        assert_near_as("scale", cells.kinds[kind].scale, direct.kinds[kind].scale,
                       1e-12 * direct.kinds[kind].scale);
    }
    for (size_t i = 0; i < 3 * box.n; i++) {
        assert_near_as("force", cells.force[i], direct.force[i], 1e-13 * direct.scale[i / 3]);
    }
    reference_free(&direct);
    reference_free(&cells);
    reference_free(&all);
    exclusions_free(exclusions);
    free(list);
    hand_box_free(&box);
}

static void evaluate_variant(struct session *session, const struct variant *variant,
                             const struct interaction *interaction, const char *path,
                             enum type_table_place place, const struct totals *expected) {
    struct case_spec spec = { .variant = variant,
                              .interaction = *interaction,
                              .precision = PRECISION_DOUBLE,
                              .outputs = OUTPUTS_ENERGY,
                              .cutoff = cutoff_of(ion_cutoff) };
    struct evaluation evaluation;
    struct error error;
    (void)snprintf(spec.box.path, sizeof spec.box.path, "%s", path);
    case_preset_tunings(&spec);
    assert_string_equal(spec.tunings.items[spec.tunings.count - 1].name, "TYPE_TABLE");
    assert_int_equal(spec.tunings.items[spec.tunings.count - 1].value, TYPE_TABLE_GLOBAL);
    spec.tunings.items[spec.tunings.count - 1].value = (int)place;
    if (!session_evaluate(session, &spec, &evaluation, NULL, &error)) {
        if (variant->needs_cuda && error.status == STATUS_UNSUPPORTED) {
            return;
        }
        fail_msg("%s: %s", variant->name, error.message);
    }
    compare_totals(variant->name, expected, evaluation.energy_vdw, evaluation.energy_coulomb,
                   evaluation.force);
    assert_near_as(variant->name, evaluation.energy, (double)(expected->vdw + expected->coulomb),
                   1e-8);
    evaluation_free(&evaluation);
}

/* The energies and forces of every variant of `forces`, with types, own cutoffs and exclusions, the
 * table in each place where it can lie. */
TEST(variants_against_brute_force) {
    static struct totals expected;
    struct session *session;
    struct error error;
    size_t count;
    const struct variant *variants = variants_embedded(&count, &error);
    assert_non_null(variants);
    assert_done(session_open("", &session, &error), &error);
    const char *const files[] = { "plain.xyz", "ions.xyz", "molecules.xyz" };
    const enum type_table_place places[] = { TYPE_TABLE_CONSTANT, TYPE_TABLE_LOCAL,
                                             TYPE_TABLE_GLOBAL };
    for (int mode = 0; mode < 3; mode++) {
        struct box box = make_ions(mode == 2);
        struct type_table *table;
        struct exclusions *exclusions;
        struct interaction interaction = ion_interaction(mode, &table, &exclusions);
        const char *path = file_of(files[mode], "");
        assert_true(box_write(path, &box, NULL, NULL, &error));
        brute_sum(&box, mode, &expected);
        for (size_t v = 0; v < count; v++) {
            /* without exclusions every third: test_commands.sh has all of them */
            if (strcmp(variants[v].workload->name, "forces") == 0 && (mode > 0 || v % 3 == 0)) {
                evaluate_variant(session, &variants[v], &interaction, path, places[mode],
                                 &expected);
            }
        }
        type_table_free(table);
        exclusions_free(exclusions);
        free(box.molecule);
        hand_box_free(&box);
    }
    session_close(session);
}

/* The gate looks at both energies: errors of opposite sign leave their sum as it was. */
TEST(gate_tells_energies_apart) {
    struct box box = make_ions(false);
    struct interaction interaction;
    struct reference reference;
    struct verdict verdict;
    struct error error;
    assert_true(interaction_parse("lj+ewald-real:alpha=0.9", &interaction, &error));
    assert_true(reference_direct(&box, &interaction, ion_cutoff, &reference, &error));
    struct evaluation evaluation = { .n = box.n, .force = reference.force };
    evaluation.energy = reference.energy;
    for (int wrong = 0; wrong < 3; wrong++) {
        double off = wrong == 1 ? 1e-3 : wrong == 2 ? NAN : 0;
        evaluation.energy_vdw = reference.kinds[TERM_VAN_DER_WAALS].value + off;
        evaluation.energy_coulomb = reference.kinds[TERM_COULOMB].value - off;
        gate_compare(&reference, 7, PRECISION_DOUBLE, OUTPUTS_ENERGY, &evaluation, &verdict);
        assert_int_equal(verdict.status, wrong ? STATUS_WRONG : STATUS_OK);
        if (wrong) {
            assert_says(verdict.message, "van der Waals energy");
            assert_says(verdict.message, "Coulomb energy");
        }
    }
    reference_free(&reference);
    hand_box_free(&box);
}

/* Pairs near the cutoff of a term alone may count or not, whatever the case's cutoff is. */
TEST(terms_have_edge_pairs) {
    struct box box = hand_box_lattice(125, 1.0, 0.0, false, 1);
    struct interaction interaction;
    struct reference reference;
    struct error error;
    const double cutoffs[] = { 2.5, INFINITY };
    assert_true(interaction_parse("lj+ewald-real:lj.cutoff=2", &interaction, &error));
    for (int c = 0; c < 2; c++) {
        assert_true(reference_direct(&box, &interaction, cutoffs[c], &reference, &error));
        assert_int_equal(reference.edge_pair_count, 3 * 3 * 25); /* two sites apart along an axis */
        const struct reference_edge_pair *pair = &reference.edge_pairs[0];
        const double of_lj[] = { 1, 1 };
        assert_near_as("its energy", pair->energy[TERM_VAN_DER_WAALS], (double)-lj(of_lj, 2.0L),
                       1e-15);
        assert_true(pair->energy[TERM_COULOMB] == 0);
        reference_free(&reference);
    }
    hand_box_free(&box);
}

/* ---- types without a term ---- */

TEST(types_without_a_term_are_bare) {
    static const struct {
        const char *table;
        int32_t bare;
    } cases[] = {
        { "Na,Na,lj,1,1,,,\n", 2 },
        { "Cl,Cl,lj,1,1,,,\nCl,Cl,buckingham,,,1000,0.1,1\n", 1 },
        { "Na,Cl,lj,1,1,,,\n", 0 },
        { "Na,Na,lj,1,1,,,\nCl,Cl,buckingham,,,1000,0.1,1\n", 0 }, /* both have one of their own */
    };
    struct box box = make_ions(false);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char text[256];
        struct interaction interaction;
        struct type_table *table = NULL;
        struct type_parameters parameters;
        struct error error;
        (void)snprintf(text, sizeof text, "type_a,type_b,function,epsilon,sigma,A,rho,C\n%s",
                       cases[c].table);
        assert_true(interaction_parse("lj+buckingham+ewald-real", &interaction, &error));
        assert_done(type_table_read(file_of("table.csv", text), &interaction, &table, &error),
                    &error);
        interaction.table = table;
        assert_true(type_parameters_resolve(&interaction, &box, &parameters, &error));
        assert_int_equal(type_parameters_bare(&interaction, &parameters), cases[c].bare);
        type_parameters_free(&parameters);
        type_table_free(table);
    }
    hand_box_free(&box);
}

/* ---- mixing ---- */

TEST(single_types_are_mixed) {
    struct box box = make_ions(false);
    struct interaction interaction;
    struct type_parameters parameters;
    struct error error;
    assert_true(
        interaction_parse("lj:epsilon.Na=0.25,sigma.Na=2,sigma=3,epsilon=4", &interaction, &error));
    assert_true(type_parameters_resolve(&interaction, &box, &parameters, &error));
    assert_int_equal(parameters.types, 2);
    assert_int_equal(parameters.stride, 3);
    static const double expected[4][2] = { { 0.25, 2 }, { 1, 2.5 }, { 1, 2.5 }, { 4, 3 } };
    for (int k = 0; k < 4; k++) {
        assert_true(isinf(parameters.values[3 * k]));
        assert_near_as("epsilon", parameters.values[3 * k + 1], expected[k][0], 1e-15);
        assert_near_as("sigma", parameters.values[3 * k + 2], expected[k][1], 1e-15);
    }
    type_parameters_free(&parameters);
    hand_box_free(&box);
}

/* Kernels are given powers where all of them fit a float and there is no other function or cutoff.
 */
TEST(lennard_jones_is_told_as_powers) {
    static const struct {
        const char *words;
        bool as_powers;
    } cases[] = {
        { "lj:epsilon.Na=0.25,sigma=3", true },
        { "lj+ewald-real:sigma.Na=2", true },
        { "lj:sigma=3", false }, /* no types */
        { "lj:sigma.Na=3e-10", false },
        { "lj:epsilon.Na=0.25,cutoff=2", false },
        { "lj+buckingham:lj.epsilon.Na=0.25", false },
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct interaction interaction;
        struct error error;
        if (!interaction_parse(cases[c].words, &interaction, &error)) {
            fail_msg("%s: %s", cases[c].words, error.message);
        }
        assert_int_equal(type_parameters_as_powers(&interaction), cases[c].as_powers);
    }
    const double entry[] = { INFINITY, 0.5, 2 };
    double powers[2];
    type_parameters_powers(entry, powers);
    assert_near_as("twelfth", powers[0], 24 * 4096, 1e-9);
    assert_near_as("sixth", powers[1], 12 * 64, 1e-9);
}

/* ---- what is refused ---- */

TEST(malformed_tables) {
    static const char *const bad[][2] = {
        { "", "table.csv:1: the table is empty" },
        { "type_a,type_b,function,epsilon,sigma\n", "the table is empty" },
        { "type_a,function,epsilon,sigma\n", ":1: expected a column named \"type_b\"" },
        { "type_a,type_b,function,epsilon,zeta\n", ":1: expected the columns" },
        { "type_a,type_b,function,epsilon,epsilon\n", "two columns named \"epsilon\"" },
        { "type_a,type_b,function,epsilon,sigma\nNa,Na,lj,1\n", ":2: 4 fields; expected 5" },
        { "type_a,type_b,function,epsilon,sigma\nNa,Na,lj,1,\n",
          ":2: lj needs a value of \"sigma\"" },
        { "type_a,type_b,function,epsilon\nNa,Na,lj,1\n", ":2: lj needs a value of \"sigma\"" },
        { "type_a,type_b,function,epsilon,sigma\n\n#\nNa,Na,lj,1,-2\n",
          ":4: sigma must be greater than 0, not \"-2\"" },
        { "type_a,type_b,function,epsilon,sigma\nNa,Na,lj,one,2\n",
          ":2: epsilon: expected a number, not \"one\"" },
        { "type_a,type_b,function,epsilon,sigma\nNa,Na,lj,nan,2\n", "expected a number" },
        { "type_a,type_b,function,epsilon,sigma\nNa,Na,morse,1,2\n",
          ":2: function \"morse\"; expected one of" },
        { "type_a,type_b,function,epsilon,sigma\nNa,Na,ewald-real,1,2\n", ":2: function" },
        { "type_a,type_b,function,epsilon,sigma\n,Na,lj,1,2\n", ":2: type_a: expected the name" },
        { "type_a,type_b,function,epsilon,sigma\nNa,Cl,lj,1,2\nCl,Na,lj,1,2\n",
          ":3: lj for Cl and Na stands in line 2 already" },
        { "type_a,type_b,function,epsilon,sigma,rho\nNa,Cl,lj,1,2,3\n",
          ":2: lj has no parameter \"rho\"" },
        { "type_a,type_b,function,epsilon,sigma,cutoff\nNa,Cl,lj,1,2,0\n", ":2: cutoff must be" },
        { "type_a,type_b,function,epsilon,sigma\nNa,\"Cl,lj,1,2\n", ":2: a quote" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct interaction interaction;
        struct type_table *table = NULL;
        struct error error;
        assert_true(interaction_parse("lj+buckingham+ewald-real", &interaction, &error));
        assert_false(
            type_table_read(file_of("table.csv", bad[i][0]), &interaction, &table, &error));
        assert_int_equal(error.status, STATUS_BAD_INPUT);
        assert_says(error.message, bad[i][1]);
    }
}

TEST(tables_of_a_spreadsheet) {
    static const char saved[] = "\xef\xbb\xbftype_a,type_b,function,epsilon,sigma\r\n"
                                "A,A,lj,1,1\r\n";
    struct interaction interaction;
    struct type_table *table = NULL;
    struct error error;
    assert_true(interaction_parse("lj", &interaction, &error));
    assert_true(type_table_read(file_of("table.csv", saved), &interaction, &table, &error));
    type_table_free(table);
}

TEST(malformed_exclusions) {
    static const char *const bad[][2] = {
        { "1\n", "pairs.txt:1: \"1\"; expected two numbers" },
        { "1 2 3\n", ":1: " },
        { "# one\n\n3 3\n", ":3: particle 3 is paired with itself" },
        { "0 1\n", "1 or more" },
        { "-1 2\n", "1 or more" },
        { "1 b\n", "expected two numbers" },
        { "1 2.5\n", "expected two numbers" },
        { "1 99999999999999999999\n", "expected two numbers" },
    };
    struct exclusions *exclusions = NULL;
    struct error error;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(exclusions_read(file_of("pairs.txt", bad[i][0]), &exclusions, &error));
        assert_int_equal(error.status, STATUS_BAD_INPUT);
        assert_says(error.message, bad[i][1]);
    }
    struct box box = make_ions(false);
    assert_true(exclusions_read(file_of("pairs.txt", "1 2\n161 1"), &exclusions, &error));
    assert_false(exclusions_fit(exclusions, &box, &error));
    assert_says(error.message, "pairs.txt:2: there is no particle 161");
    exclusions_free(exclusions);
    /* As an editor saves it. */
    assert_true(exclusions_read(file_of("pairs.txt", "\xef\xbb\xbf"
                                                     "1 2\r\n"),
                                &exclusions, &error));
    assert_true(exclusions_fit(exclusions, &box, &error));
    exclusions_free(exclusions);
    assert_true(exclusions_read("molecule", &exclusions, &error));
    assert_false(exclusions_fit(exclusions, &box, &error));
    exclusions_free(exclusions);
    hand_box_free(&box);
}

/* next:K names each pair of particles up to K apart once. */
TEST(following_exclusions) {
    static const char *const bad[] = { "next:0", "next:", "next:1001", "next:a", "next:-1" };
    struct exclusions *exclusions = NULL;
    struct error error;
    int32_t pair[2];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(exclusions_read(bad[i], &exclusions, &error));
        assert_says(error.message, "expected next:K, K from 1 to 1000");
    }
    assert_true(exclusions_read("next:3", &exclusions, &error));
    assert_string_equal(exclusions_identity(exclusions), "next:3");
    for (size_t n = 1; n < 9; n++) {
        int met[9][9] = { { 0 } };
        size_t wanted = 0;
        for (size_t k = 0; k < exclusions_pair_count(exclusions, n); k++) {
            exclusions_pair(exclusions, n, k, pair);
            assert_true(pair[0] >= 0 && pair[0] < pair[1] && (size_t)pair[1] < n);
            assert_true(pair[1] - pair[0] <= 3);
            assert_int_equal(met[pair[0]][pair[1]]++, 0);
        }
        for (size_t i = 0; i < n; i++) {
            wanted += n - 1 - i < 3 ? n - 1 - i : 3;
        }
        assert_int_equal(exclusions_pair_count(exclusions, n), wanted);
    }
    exclusions_free(exclusions);
}

TEST(interaction_words) {
    struct interaction interaction;
    struct error error;
    struct strbuf words = { 0 };
    assert_true(interaction_parse("lj", &interaction, &error));
    assert_true(interaction_value(&interaction, "epsilon") == 1);
    assert_true(interaction_parse("lj:epsilon=0.1,sigma=3.4", &interaction, &error));
    assert_true(interaction_value(&interaction, "sigma") == 3.4);
    assert_true(isnan(interaction_value(&interaction, "colour")));
    assert_true(interaction.flops_distance > 0 && interaction.flops_pair > 0);
    interaction_describe(&interaction, &words);
    assert_string_equal(words.data, "lj:epsilon=0.1,sigma=3.4");
    struct interaction again;
    assert_true(interaction_parse(words.data, &again, &error));
    assert_true(interaction_value(&again, "epsilon") == interaction_value(&interaction, "epsilon"));
    strbuf_free(&words);
}

TEST(malformed_words) {
    static const char *const bad[][2] = {
        { "", "expected one of" },
        { "jl", "jl" },
        { "lj:sigma", "sigma" },
        { "lj:sigma=", "sigma" },
        { "lj:sigma=x", "NUMBER" },
        { "lj:sigma=nan", "sigma" },
        { "lj:sigma=0", "greater than" },
        { "lj:sigma=-1", "greater than" },
        { "lj:rho=1", "rho" },
        { "lj:", "parameter" },
        { "lj:sigma=1,,", "parameter" },
        { "a-name-that-is-far-longer-than-any-interaction-could-be:x=1", "unknown" },
        { "lj+lj", "stands twice" },
        { "lj+", "unknown interaction \"\"" },
        { "lj+buckingham+born-mayer-huggins:A=1", "has more than one \"A\"" },
        { "lj+ewald-real:cutoff=2", "has more than one \"cutoff\"" },
        { "lj:cutoff=0", "cutoff must be greater than 0" },
        { "lj:sigma.Na=-1", "sigma.Na must be greater than 0" },
        { "lj:epsilon.Na=-1", "epsilon.Na must not be negative" },
        { "lj:epsilon.Na=1,epsilon.Na=2", "given twice" },
        { "lj:epsilon=1,epsilon=2", "epsilon is given twice" },
        { "lj+ewald-real:epsilon=1,lj.epsilon=1", "lj.epsilon is given twice" },
        { "lj:cutoff=1,cutoff=2", "cutoff is given twice" },
        { "rational:dmax=inf,dmax=2", "dmax is given twice" },
        { "lj:epsilon.=1", "names no type" },
        { "buckingham:A.Na=1", "no mixing rule" },
        { "ewald-real:alpha=-1", "alpha must not be negative" },
        { "lj+ewald-real:buckingham.A=1", "no parameter" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct interaction interaction;
        struct error error;
        assert_false(interaction_parse(bad[i][0], &interaction, &error));
        assert_int_equal(error.status, STATUS_BAD_INPUT);
        assert_says(error.message, bad[i][1]);
    }
}

/* What differs in its table or its exclusions is another interaction. */
TEST(identities_differ) {
    struct strbuf words[3] = { { 0 } };
    for (int mode = 0; mode < 3; mode++) {
        struct type_table *table;
        struct exclusions *exclusions;
        struct interaction interaction = ion_interaction(mode, &table, &exclusions);
        interaction_describe(&interaction, &words[mode]);
        type_table_free(table);
        exclusions_free(exclusions);
    }
    assert_says(words[0].data, "table=");
    assert_null(strstr(words[0].data, "exclude="));
    assert_string_not_equal(words[0].data, words[1].data);
    assert_says(words[2].data, "exclude=molecule");
    for (int mode = 0; mode < 3; mode++) {
        strbuf_free(&words[mode]);
    }
}

TEST_GROUP(open_test_cache, close_test_cache)
