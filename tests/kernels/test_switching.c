/*
 * The rational switching function: kernels, reference and derived numbers against the definition,
 * (1 - x^n) / (1 - x^m), evaluated as it stands by MPFR with 600 bits. Kernels run on every usable
 * device, in every precision that it has.
 */
#include "core/error.h"
#include "core/strings.h"
#include "devices/device.h"
#include "kernels/potentials/interaction.h"
#include "kernels/text/kernel_text.h"
#include "kernels/workload.h"
#include "reference/pairs/reference.h"

#include "hand_box.h"

#include <float.h>
#include <mpfr.h>

#include "support.h"

enum { BITS = 600, MAX_POINTS = 256 };

/* ---- the definition ---- */

struct truth {
    mpfr_t r, s, ds; /* distance; s and ds/dr, unstretched */
    mpfr_t x, a, b, c;
};

static void truth_begin(struct truth *t) {
    mpfr_inits2(BITS, t->r, t->s, t->ds, t->x, t->a, t->b, t->c, (mpfr_ptr)NULL);
}

static void truth_end(struct truth *t) {
    mpfr_clears(t->r, t->s, t->ds, t->x, t->a, t->b, t->c, (mpfr_ptr)NULL);
}

/* At x = 1: s = n / m, ds/dx = n (n - m) / (2 m). */
static void truth_at_one(struct truth *t, const struct switching *p) {
    mpfr_set_si(t->s, p->n, MPFR_RNDN);
    mpfr_div_si(t->s, t->s, p->m, MPFR_RNDN);
    mpfr_mul_si(t->ds, t->s, p->n - p->m, MPFR_RNDN);
    mpfr_div_si(t->ds, t->ds, 2, MPFR_RNDN);
}

/* s = a / b with a = 1 - x^n, b = 1 - x^m; ds/dx = (s m x^m - n x^n) / (x b) */
static void truth_elsewhere(struct truth *t, const struct switching *p) {
    mpfr_pow_si(t->a, t->x, p->n, MPFR_RNDN);
    mpfr_pow_si(t->b, t->x, p->m, MPFR_RNDN);
    mpfr_ui_sub(t->s, 1, t->a, MPFR_RNDN);
    mpfr_ui_sub(t->c, 1, t->b, MPFR_RNDN);
    mpfr_div(t->s, t->s, t->c, MPFR_RNDN);
    mpfr_mul_si(t->b, t->b, p->m, MPFR_RNDN);
    mpfr_mul(t->b, t->b, t->s, MPFR_RNDN);
    mpfr_mul_si(t->a, t->a, p->n, MPFR_RNDN);
    mpfr_sub(t->ds, t->b, t->a, MPFR_RNDN);
    mpfr_div(t->ds, t->ds, t->c, MPFR_RNDN);
    mpfr_div(t->ds, t->ds, t->x, MPFR_RNDN);
}

/* s and ds/dr at t->r */
static void truth_evaluate(struct truth *t, const struct switching *p) {
    mpfr_sub_d(t->x, t->r, p->d0, MPFR_RNDN);
    mpfr_div_d(t->x, t->x, p->r0, MPFR_RNDN);
    if (mpfr_sgn(t->x) <= 0) {
        mpfr_set_ui(t->s, 1, MPFR_RNDN);
        mpfr_set_ui(t->ds, 0, MPFR_RNDN);
    } else if (mpfr_cmp_ui(t->x, 1) == 0) {
        truth_at_one(t, p);
    } else {
        truth_elsewhere(t, p);
    }
    mpfr_div_d(t->ds, t->ds, p->r0, MPFR_RNDN);
}

/* What the tests compare with: stretched, and what cancelled on the way. */
struct expected {
    long double r, s, ds, d2s;
    long double scale; /* |s| stretch + |shift|, s unstretched */
};

static void stretch_ends(struct truth *t, const struct switching *p, mpfr_t end, mpfr_t stretch) {
    mpfr_set_ui(end, 0, MPFR_RNDN);
    mpfr_set_ui(stretch, 1, MPFR_RNDN);
    if (isfinite(p->dmax)) {
        mpfr_set_d(t->r, p->dmax, MPFR_RNDN);
        truth_evaluate(t, p);
        mpfr_set(end, t->s, MPFR_RNDN);
        mpfr_set_ui(t->r, 0, MPFR_RNDN);
        truth_evaluate(t, p);
        mpfr_sub(stretch, t->s, end, MPFR_RNDN);
        mpfr_ui_div(stretch, 1, stretch, MPFR_RNDN);
    }
}

/* d2s/dr2, from differences of ds/dr over 1e-30 r to either side: exact to 50 digits. */
static long double second_derivative(struct truth *t, const struct switching *p, const mpfr_t r) {
    mpfr_t h, low;
    mpfr_inits2(BITS, h, low, (mpfr_ptr)NULL);
    mpfr_set_str(h, "1e-30", 10, MPFR_RNDN);
    mpfr_mul(h, h, r, MPFR_RNDN);
    mpfr_sub(t->r, r, h, MPFR_RNDN);
    truth_evaluate(t, p);
    mpfr_set(low, t->ds, MPFR_RNDN);
    mpfr_add(t->r, r, h, MPFR_RNDN);
    truth_evaluate(t, p);
    mpfr_sub(low, t->ds, low, MPFR_RNDN);
    mpfr_div(low, low, h, MPFR_RNDN);
    long double second = mpfr_get_ld(low, MPFR_RNDN) / 2.0L;
    mpfr_clears(h, low, (mpfr_ptr)NULL);
    return second;
}

static struct expected expect(const struct switching *p, double r2) {
    struct truth t;
    mpfr_t end, stretch, r;
    struct expected e;
    truth_begin(&t);
    mpfr_inits2(BITS, end, stretch, r, (mpfr_ptr)NULL);
    stretch_ends(&t, p, end, stretch);
    mpfr_set_d(r, r2, MPFR_RNDN);
    mpfr_sqrt(r, r, MPFR_RNDN);
    const long double factor = mpfr_get_ld(stretch, MPFR_RNDN);
    e.d2s = r2 > 0 ? second_derivative(&t, p, r) * factor : 0;
    mpfr_set(t.r, r, MPFR_RNDN);
    truth_evaluate(&t, p);
    e.r = mpfr_get_ld(r, MPFR_RNDN);
    e.scale =
        fabsl(mpfr_get_ld(t.s, MPFR_RNDN) * factor) + fabsl(mpfr_get_ld(end, MPFR_RNDN) * factor);
    mpfr_sub(t.s, t.s, end, MPFR_RNDN);
    mpfr_mul(t.s, t.s, stretch, MPFR_RNDN);
    mpfr_mul(t.ds, t.ds, stretch, MPFR_RNDN);
    e.s = mpfr_get_ld(t.s, MPFR_RNDN);
    e.ds = mpfr_get_ld(t.ds, MPFR_RNDN);
    mpfr_clears(end, stretch, r, (mpfr_ptr)NULL);
    truth_end(&t);
    return e;
}

/* ---- which functions, at which distances ---- */

static const int exponents[][2] = { { 6, 12 },  { 8, 12 }, { 5, 11 },
                                    { 12, 24 }, { 1, 2 },  { 30, 60 } };

enum { EXPONENTS = sizeof exponents / sizeof exponents[0] };

/* Without an end, with the end that follows, with one that is given, with a d0. */
static const char *const shapes[] = { "r0=1,dmax=inf", "r0=0.45", "r0=1.1,dmax=2.5",
                                      "r0=0.45,d0=0.3,dmax=inf", "r0=0.9,d0=-0.2,dmax=2" };

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* All shapes of all exponents are much to compile: the first two of each, the others by turns. */
static bool compiled_too(int k, int shape) {
    return shape < 2 || (k + shape) % 3 == 0;
}

/* Other relations of the exponents; the last overflows a float unless x > 1 is seen to. */
static const char *const others[] = { "n=12,m=5,r0=1.1,dmax=2.5", "n=2,m=4,r0=0.7",
                                      "n=3,m=1,r0=1,dmax=3",      "n=1,m=4,r0=0.8,d0=0.1,dmax=3",
                                      "n=6,m=9,r0=1.2,dmax=40",   "n=24,m=12,r0=1,dmax=1.3",
                                      "n=17,m=19,r0=1,dmax=1000", "n=200,m=301,r0=1,dmax=4",
                                      "n=11,m=12,r0=0.3,dmax=inf" };

enum { OTHERS = sizeof others / sizeof others[0] };

static struct interaction parse(const char *parameters, struct switching *s) {
    char words[160];
    struct interaction interaction;
    struct error error;
    (void)snprintf(words, sizeof words, "rational:%s", parameters);
    assert_done(interaction_parse(words, &interaction, &error), &error);
    assert_true(switching_of(&interaction, s));
    return interaction;
}

struct points {
    double r2[MAX_POINTS];
    size_t count;
};

/* Squared distances, as the precision holds them. */
static void add_distance(struct points *points, const struct switching *s, double r,
                         bool is_double) {
    double r2 = is_double ? r * r : (double)(float)(r * r);
    if (r >= 0 && r <= s->dmax && points->count < MAX_POINTS && isfinite((float)r2)) {
        points->r2[points->count++] = r2;
    }
}

static void add_x(struct points *points, const struct switching *s, double x, bool is_double) {
    add_distance(points, s, s->d0 + x * s->r0, is_double);
}

static struct points points_of(const struct switching *s, bool is_double) {
    static const double some[] = { 0, 1e-15, 1e-8, 1e-5, 1e-3, 0.03, 0.5, 2, 10, 1e3, 1e6, 1e15 };
    struct points points = { .count = 0 };
    uint64_t random = 88172645463325252U;
    add_x(&points, s, 1, is_double);
    for (int k = 1; k <= 16; k++) {
        add_x(&points, s, 1 + pow(10, -k), is_double);
        add_x(&points, s, 1 - pow(10, -k), is_double);
        add_distance(&points, s, s->dmax * (1 - pow(10, -k)), is_double);
    }
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        add_x(&points, s, some[i], is_double);
        add_distance(&points, s, s->d0 * some[i], is_double); /* and inside d0 */
    }
    for (int i = 0; i < 100; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        add_x(&points, s, 5.0 * (double)(random >> 11) * 0x1p-53, is_double);
    }
    return points;
}

/* ---- how far off ---- */

/* The unit in the last place of a number. */
static long double ulp(long double value, bool is_double) {
    int exponent;
    (void)frexpl(value, &exponent);
    return ldexpl(1.0L, exponent - (is_double ? DBL_MANT_DIG : FLT_MANT_DIG));
}

struct error_seen {
    long double worst; /* over what is allowed */
    char where[400];
};

static void compare(struct error_seen *seen, const char *what, const char *words, long double r,
                    double got, long double expected, long double allowed) {
    long double ratio = fabsl((long double)got - expected) / allowed;
    if (!(ratio <= seen->worst)) {
        seen->worst = ratio;
        (void)snprintf(seen->where, sizeof seen->where,
                       "%s %s at r = %.9Lg: %.17g, expected %.17Lg (%.3Lg of what is allowed)",
                       words, what, r, got, expected, ratio);
    }
}

/* 8 + 2m units in the last place, times what r - d0 makes of r's own; for a stretched
 * value of the terms that cancel; and what underflows may be zero. */
static void compare_point(struct error_seen *seen, const char *words, const struct switching *s,
                          const struct expected *e, double value, double force_over_r,
                          bool is_double) {
    const long double tiny = is_double ? DBL_MIN : FLT_MIN;
    long double units = 8 + 2 * s->m;
    if (s->d0 > 0 && fabsl(e->r - s->d0) <= 8 * ulp(s->d0, is_double)) {
        return; /* rounding decides which branch it is on: the gate lists it as an edge pair */
    }
    if (s->d0 != 0 && e->r > s->d0) {
        units *= fmaxl(1.0L, e->r / (e->r - s->d0));
    }
    compare(seen, "s", words, e->r, value, e->s, units * ulp(e->scale, is_double) + tiny);
    if (e->r == 0) { /* no derivative, as long as the quotient is a number to be multiplied by 0 */
        compare(seen, "0 ds/dr / r", words, 0, 0 * force_over_r, 0, tiny);
        return;
    }
    long double f = -e->ds / e->r;
    compare(seen, "ds/dr / r", words, e->r, force_over_r, f,
            units * ulp(f, is_double) + tiny * s->stretch);
}

/* ---- kernels ---- */

static char kernel_source[] =
    "KERNEL void pair_values(int n, GLOBAL const real *RESTRICT r2, GLOBAL real *RESTRICT value,\n"
    "                        GLOBAL real *RESTRICT force)\n"
    "{\n"
    "    const int i = GLOBAL_ID;\n"
    "    if (i < n) {\n"
    "        const real4 particle = make_real4(REAL(0.0), REAL(0.0), REAL(0.0), REAL(0.0));\n"
    "        pair_energy energy = NO_ENERGY;\n"
    "        force[i] = PAIR_FORCE(r2[i], particle, particle, 0, 0, &energy);\n"
    "        value[i] = energy;\n"
    "    }\n"
    "}\n";

struct results {
    double value[MAX_POINTS], force[MAX_POINTS]; /* force over r */
};

static struct program *compile(struct device *device, const struct interaction *interaction,
                               bool is_double, struct error *error) {
    struct variant variant = { .path = "pair_values",
                               .text = kernel_source,
                               .structure = "none",
                               .workload = workload_find("coordination") };
    struct case_spec spec = { .variant = &variant,
                              .interaction = *interaction,
                              .precision = is_double ? PRECISION_DOUBLE : PRECISION_FLOAT,
                              .outputs = OUTPUTS_ENERGY,
                              .cutoff = cutoff_of(interaction->functions[0].cutoff) };
    struct strbuf text = { 0 };
    struct program *program = NULL;
    kernel_text_append(&spec, BUILD_PLAIN, false, true, false, &text);
    assert_false(text.failed);
    const struct program_source source = { .name = "pair_values",
                                           .text = text.data,
                                           .precision_words = precision_name(spec.precision),
                                           .group_size = 64 };
    bool compiled = program_compile(device, &source, &program, error);
    strbuf_free(&text);
    return compiled ? program : NULL;
}

static void to_device(const double *from, size_t count, bool is_double, void *to) {
    for (size_t i = 0; i < count; i++) {
        if (is_double) {
            ((double *)to)[i] = from[i];
        } else {
            ((float *)to)[i] = (float)from[i];
        }
    }
}

static void from_device(const void *from, size_t count, bool is_double, double *to) {
    for (size_t i = 0; i < count; i++) {
        to[i] = is_double ? ((const double *)from)[i] : (double)((const float *)from)[i];
    }
}

static bool launch(struct device *device, struct program *program, const struct points *points,
                   bool is_double, struct results *results, struct error *error) {
    const size_t bytes = points->count * (is_double ? sizeof(double) : sizeof(float));
    double staged[MAX_POINTS];
    struct buffer *buffers[3] = { NULL };
    struct kernel *kernel;
    bool done = program_kernel(program, "pair_values", &kernel, error);
    for (int b = 0; b < 3; b++) {
        done = done && buffer_allocate(device, bytes, &buffers[b], error);
    }
    to_device(points->r2, points->count, is_double, staged);
    if (done && buffer_write(buffers[0], 0, staged, bytes, error)) {
        const struct argument arguments[] = { argument_int((int32_t)points->count),
                                              argument_buffer(buffers[0]),
                                              argument_buffer(buffers[1]),
                                              argument_buffer(buffers[2]) };
        done = kernel_launch(kernel, (points->count + 63) / 64, 64, arguments, 4, error);
        done = done && buffer_read(buffers[1], 0, staged, bytes, error);
        from_device(staged, points->count, is_double, results->value);
        done = done && buffer_read(buffers[2], 0, staged, bytes, error);
        from_device(staged, points->count, is_double, results->force);
    }
    for (int b = 0; b < 3; b++) {
        buffer_free(buffers[b]);
    }
    return done;
}

static void run_kernel(struct device *device, const struct interaction *interaction,
                       const struct points *points, bool is_double, struct results *results) {
    struct error error;
    struct program *program = compile(device, interaction, is_double, &error);
    if (!program || !launch(device, program, points, is_double, results, &error)) {
        fail_msg("%s", error.message);
    }
    program_free(program);
}

static void check_kernel(struct device *device, const char *parameters, bool is_double,
                         struct error_seen *seen) {
    struct switching s;
    struct results results;
    struct interaction interaction = parse(parameters, &s);
    struct points points = points_of(&s, is_double);
    run_kernel(device, &interaction, &points, is_double, &results);
    for (size_t i = 0; i < points.count; i++) {
        struct expected e = expect(&s, points.r2[i]);
        compare_point(seen, parameters, &s, &e, results.value[i], results.force[i], is_double);
    }
}

/* Calls `check` for each usable device and each precision that it has. */
static void on_every_device(void (*check)(struct device *device, bool is_double)) {
    struct device_info *list;
    size_t count, used = 0;
    struct error error;
    assert_true(devices_enumerate(&list, &count, NULL, 0, &error));
    for (size_t d = 0; d < count; d++) {
        struct device *device;
        if (list[d].unusable[0]) {
            continue;
        }
        if (!device_open(list[d].name, &device, &error)) {
            fail_msg("%s: %s", list[d].name, error.message);
        }
        for (int is_double = 0; is_double <= list[d].fp64; is_double++) {
            check(device, is_double);
        }
        used++;
        device_close(device);
    }
    free(list);
    assert_true(used > 0);
}

static void report(struct device *device, bool is_double, const struct error_seen *seen) {
    print_message("%s, %s: worst is %s\n", device_describe(device)->name,
                  is_double ? "double" : "float", seen->where);
    if (!(seen->worst <= 1)) {
        fail_msg("too far off");
    }
}

static void check_listed(struct device *device, bool is_double) {
    struct error_seen seen = { 0 };
    char parameters[128];
    for (int k = 0; k < EXPONENTS; k++) {
        for (int shape = 0; shape < SHAPES; shape++) {
            (void)snprintf(parameters, sizeof parameters, "n=%d,m=%d,%s", exponents[k][0],
                           exponents[k][1], shapes[shape]);
            if (compiled_too(k, shape)) {
                check_kernel(device, parameters, is_double, &seen);
            }
        }
    }
    report(device, is_double, &seen);
}

static void check_others(struct device *device, bool is_double) {
    struct error_seen seen = { 0 };
    for (int k = 0; k < OTHERS; k++) {
        check_kernel(device, others[k], is_double, &seen);
    }
    report(device, is_double, &seen);
}

TEST(kernels_against_the_definition) {
    on_every_device(check_listed);
}

TEST(kernels_of_other_exponents) {
    on_every_device(check_others);
}

/* The force is minus the slope of the energy, by the kernel's own values. */
static void check_differences(struct device *device, bool is_double) {
    const double h = 1e-5;
    struct switching s;
    struct results results;
    struct points points = { .count = 0 };
    struct interaction interaction = parse("n=8,m=12,r0=0.9,d0=0.1,dmax=2.5", &s);
    if (!is_double) {
        return;
    }
    for (double r = 0.2; r < 2.4; r += 0.1) {
        for (int k = -1; k <= 1; k++) {
            points.r2[points.count++] = (r + k * h) * (r + k * h);
        }
    }
    run_kernel(device, &interaction, &points, true, &results);
    for (size_t i = 1; i < points.count; i += 3) {
        double difference = (results.value[i + 1] - results.value[i - 1]) / (2 * h);
        assert_true(fabs(difference + results.force[i] * sqrt(points.r2[i])) < 1e-8);
    }
}

TEST(forces_are_differences_of_values) {
    on_every_device(check_differences);
}

/* ---- the reference ---- */

static void check_reference(const char *parameters, struct error_seen *seen) {
    struct switching s;
    struct interaction interaction = parse(parameters, &s);
    struct points points = points_of(&s, true);
    for (size_t i = 0; i < points.count; i++) {
        const double r = sqrt(points.r2[i]);
        double value, force, slope;
        struct error error;
        struct expected e = expect(&s, r * r);
        if (r > s.dmax) {
            continue;
        }
        assert_true(reference_pair(&interaction, r, &value, &force, &slope, &error));
        if (e.r == 0) { /* by convention, where d0 < 0 */
            e.ds = 0;
        }
        /* Two units in the last place, what r - d0 makes of a rounding of long double, and a
         * power of x in long double where it cancels with that at dmax. */
        long double units = 2;
        if (s.d0 > 0 && e.r > s.d0) {
            units += 0x1p-9L * s.m * e.r / (e.r - s.d0);
        }
        compare(seen, "s", parameters, e.r, value, e.s,
                units * ulp(e.s, true) + 0x1p-56L * e.scale + DBL_MIN);
        compare(seen, "ds/dr", parameters, e.r, force, -e.ds, units * ulp(e.ds, true) + DBL_MIN);
        compare(seen, "d2s/dr2", parameters, e.r, slope, -e.d2s,
                (1e-9L + 0x1p-53L * units) *
                        (fabsl(e.d2s) + fabsl(e.ds) / fmaxl(e.r - s.d0, 1e-18L)) +
                    DBL_MIN);
    }
}

TEST(reference_against_the_definition) {
    struct error_seen seen = { 0 };
    char parameters[128];
    for (int k = 0; k < EXPONENTS; k++) {
        for (int shape = 0; shape < SHAPES; shape++) {
            (void)snprintf(parameters, sizeof parameters, "n=%d,m=%d,%s", exponents[k][0],
                           exponents[k][1], shapes[shape]);
            check_reference(parameters, &seen);
        }
    }
    for (int k = 0; k < OTHERS; k++) {
        check_reference(others[k], &seen);
    }
    print_message("reference: worst is %s\n", seen.where);
    assert_true(seen.worst <= 1);
}

/* Particles in one place, and a pair at d0 as near as rounding tells. */
TEST(sums_at_corners) {
    struct switching s;
    struct reference reference;
    struct error error;
    struct interaction interaction = parse("n=1,m=3,r0=0.8,d0=0.5,dmax=2", &s);
    struct box box = hand_box_lattice(4, 1.0, 0.0, false, 1);
    const double positions[12] = { 1, 1, 1, 1, 1, 1, 1.5 + 1e-9, 1, 1, 9, 9, 9 };
    memcpy(box.position, positions, sizeof positions);
    assert_true(reference_direct(&box, &interaction, s.dmax, &reference, &error));
    assert_int_equal(reference.pairs_in_cutoff, 3);
    assert_true(fabs(reference.energy - 3) < 1e-8);
    assert_true(fabs(reference.force[6] - 2 * s.stretch / s.r0) < 1e-6);
    assert_true(reference.force[0] + reference.force[3] + reference.force[6] == 0);
    assert_true(reference.force[1] == 0 && isfinite(reference.virial[0]));
    assert_int_equal(reference.edge_pair_count, 2);
    for (int p = 0; p < 2; p++) { /* the derivative may be that of either side */
        assert_true(reference.edge_pairs[p].force[0] >= s.stretch / s.r0);
        assert_true(reference.edge_pairs[p].force[0] < 1.01 * s.stretch / s.r0);
    }
    reference_free(&reference);
    hand_box_free(&box);
}

/* ---- what follows from the parameters ---- */

TEST(derived_numbers) {
    for (int k = 0; k < EXPONENTS; k++) {
        struct error_seen seen = { 0 };
        struct switching s;
        struct truth t;
        mpfr_t end, stretch;
        char parameters[64];
        (void)snprintf(parameters, sizeof parameters, "n=%d,m=%d,r0=0.45,d0=0.1", exponents[k][0],
                       exponents[k][1]);
        (void)parse(parameters, &s);
        truth_begin(&t);
        mpfr_inits2(BITS, end, stretch, (mpfr_ptr)NULL);
        /* dmax = d0 + r0 (1e-5)^(1/(n-m)): by a logarithm; the power is conditioned by ln(1e5). */
        mpfr_set_str(t.a, "1e-5", 10, MPFR_RNDN);
        mpfr_log(t.a, t.a, MPFR_RNDN);
        mpfr_div_si(t.a, t.a, s.n - s.m, MPFR_RNDN);
        mpfr_exp(t.a, t.a, MPFR_RNDN);
        mpfr_mul_d(t.a, t.a, s.r0, MPFR_RNDN);
        mpfr_add_d(t.a, t.a, s.d0, MPFR_RNDN);
        long double dmax = mpfr_get_ld(t.a, MPFR_RNDN);
        compare(&seen, "dmax", parameters, 0, s.dmax, dmax, 12 * ulp(dmax, true));
        stretch_ends(&t, &s, end, stretch);
        long double factor = mpfr_get_ld(stretch, MPFR_RNDN);
        compare(&seen, "stretch", parameters, 0, s.stretch, factor, ulp(factor, true));
        mpfr_mul(end, end, stretch, MPFR_RNDN);
        long double shift = -mpfr_get_ld(end, MPFR_RNDN);
        compare(&seen, "shift", parameters, 0, s.shift, shift, ulp(shift, true));
        mpfr_clears(end, stretch, (mpfr_ptr)NULL);
        truth_end(&t);
        if (!(seen.worst <= 1)) {
            fail_msg("%s", seen.where);
        }
    }
}

/* An end so near that s hardly falls: the stretch is still good. */
TEST(steep_stretch) {
    struct error_seen seen = { 0 };
    struct switching s;
    struct truth t;
    mpfr_t end, stretch;
    (void)parse("n=8,m=12,r0=1,dmax=0.01", &s);
    truth_begin(&t);
    mpfr_inits2(BITS, end, stretch, (mpfr_ptr)NULL);
    stretch_ends(&t, &s, end, stretch);
    long double factor = mpfr_get_ld(stretch, MPFR_RNDN);
    compare(&seen, "stretch", "", 0, s.stretch, factor, ulp(factor, true));
    assert_true(factor > 1e15L && seen.worst <= 1);
    mpfr_clears(end, stretch, (mpfr_ptr)NULL);
    truth_end(&t);
}

TEST(spelling) {
    static const char *const words[][2] = {
        { "rational:r0=0.45,n=8,m=12,d0=0,dmax=1.2", "rational:r0=0.45,n=8,m=12,d0=0,dmax=1.2" },
        { "rational:n=4,dmax=inf", "rational:r0=1,n=4,m=8,d0=0,dmax=inf" },
        { "rational:n=1,m=2", "rational:r0=1,n=1,m=2,d0=0,dmax=99999.99999999999" },
        { "lj+rational:dmax=2,cutoff=3", "lj+rational:epsilon=1,sigma=1,cutoff=3,r0=1,n=6,m=12,"
                                         "d0=0,dmax=2" },
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct interaction interaction;
        struct error error;
        for (int k = 0; k < 2; k++) { /* what is spelled out reads back as the same */
            struct strbuf text = { 0 };
            assert_true(interaction_parse(words[i][k], &interaction, &error));
            interaction_describe(&interaction, &text);
            assert_string_equal(text.data, words[i][1]);
            strbuf_free(&text);
        }
    }
}

TEST(what_is_refused) {
    static const char *const bad[][2] = {
        { "r0=0", "r0 must be greater than 0" },
        { "r0=-1", "r0 must be greater than 0" },
        { "n=6,m=6", "n = m = 6" },
        { "n=2.5", "n = 2.5; expected a whole number from 1 to 1000" },
        { "n=0", "n must be greater than 0" },
        { "n=-3", "n must be greater than 0" },
        { "m=-2", "m must not be negative" },
        { "m=1e9", "m = 1e+09; expected a whole number from 0 to 1000" },
        { "n=600", "m = 2n = 1200" },
        { "d0=2,dmax=2", "dmax = 2; expected more than d0 = 2" },
        { "d0=-2,dmax=-1", "dmax must be greater than 0" },
        { "dmax=0", "dmax must be greater than 0" },
        { "dmax=nan", "expected dmax=NUMBER" },
        { "r0=inf", "expected r0=NUMBER" },
        { "n=12,m=6", "n = 12 greater than m = 6 grows without bound" },
        { "n=12,m=6,dmax=inf", "expected a finite dmax" },
        { "n=1000,m=1,dmax=4", "cannot be stretched" },
        { "n=100,m=200,dmax=0.1", "cannot be stretched" },
        { "cutoff=2", "expected one of r0, n, m, d0, dmax" },
        { "r0.Na=2", "rational has no values for single types" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char words[64];
        struct interaction interaction;
        struct error error;
        (void)snprintf(words, sizeof words, "rational:%s", bad[i][0]);
        assert_false(interaction_parse(words, &interaction, &error));
        assert_int_equal(error.status, STATUS_BAD_INPUT);
        if (!strstr(error.message, bad[i][1])) {
            fail_msg("%s: expected \"%s\" in: %s", words, bad[i][1], error.message);
        }
    }
}
