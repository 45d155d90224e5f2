/*
 * Functions that end at a border (roots, powers, logarithms, arc cosines), two at a time, under
 * guards (step, select, max, min, abs) at that border, where guard and guarded term round
 * differently: energies and forces by kernels beside what MPFR finds. Texts are drawn;
 * PAIRMARK_TEST_SEED=N repeats a run.
 */
#include <mpfr.h>
#include <time.h>

#include "library_calls.h"

enum { BITS = 600, TEXT = 400 };

/* ---- what is drawn ---- */

/* What is 0 at r = s, and more where r is less. */
static const char *const arguments[] = { "(s-r)", "(1-r/s)", "(1-(r/s)^2)", "(2*(s-r))",
                                         "(s/r-1)" };
enum { ARGUMENTS = sizeof arguments / sizeof arguments[0] };

static void argument_at(mpfr_t x, int which, const mpfr_t r, const mpfr_t s) {
    mpfr_t q;
    mpfr_init2(q, BITS);
    mpfr_div(q, which == 4 ? s : r, which == 4 ? r : s, MPFR_RNDN);
    if (which == 2) {
        mpfr_sqr(q, q, MPFR_RNDN);
    }
    if (which == 0 || which == 3) {
        mpfr_sub(x, s, r, MPFR_RNDN);
        mpfr_mul_ui(x, x, which == 3 ? 2 : 1, MPFR_RNDN);
    } else if (which == 4) {
        mpfr_sub_ui(x, q, 1, MPFR_RNDN);
    } else {
        mpfr_ui_sub(x, 1, q, MPFR_RNDN);
    }
    mpfr_clear(q);
}

/* Of an argument that %s stands for. All are 0 at 0, and so are their derivatives. */
enum { HALF, ROOT, ANY, VARYING, LOGARITHM, ARC, FUNCTIONS };
static const char *const functions[FUNCTIONS] = { "%s^2.5",     "sqrt(%s)^3",   "%s^1.7",
                                                  "%s^(1.5+r)", "%s^2*log(%s)", "acos(1-%s)^3" };

static void function_at(mpfr_t f, int which, const mpfr_t x, const mpfr_t r) {
    static const char *const powers[] = { "2.5", "1.5", "1.7", "1.5", "2", "3" };
    mpfr_t power, base;
    mpfr_inits2(BITS, power, base, (mpfr_ptr)NULL);
    mpfr_set_str(power, powers[which], 10, MPFR_RNDN);
    mpfr_set(base, x, MPFR_RNDN);
    if (which == VARYING) {
        mpfr_add(power, power, r, MPFR_RNDN);
    } else if (which == ARC) {
        mpfr_ui_sub(base, 1, x, MPFR_RNDN);
        mpfr_acos(base, base, MPFR_RNDN);
    }
    mpfr_pow(f, base, power, MPFR_RNDN);
    if (which == LOGARITHM) {
        mpfr_log(base, x, MPFR_RNDN);
        mpfr_mul(f, f, base, MPFR_RNDN);
    }
    mpfr_clears(power, base, (mpfr_ptr)NULL);
}

struct drawn {
    int function[2], argument[2];
    int tenths; /* of the border s */
    bool is_double;
    char text[TEXT];
};

static int draw(int count) {
    return rand() / 7 % count;
}

/* STEP and SELECT guard by an argument of their own, the others what is guarded. */
static void write_text(struct drawn *d) {
    static const char *const inside[] = { "max(0, %s)", "(0-min(0, -%s))", "abs(%s)" };
    char part[2][TEXT / 4];
    /* Of exactly 0, a logarithm has no value. */
    const bool apart = d->function[0] == LOGARITHM || d->function[1] == LOGARITHM;
    const int guard = draw(apart ? 2 : 5);
    for (int k = 0; k < 2; k++) {
        char x[64];
        (void)snprintf(x, sizeof x, guard < 2 ? "%s" : inside[guard - 2],
                       arguments[d->argument[k]]);
        (void)snprintf(part[k], sizeof part[k], functions[d->function[k]], x, x);
    }
    (void)snprintf(d->text, sizeof d->text,
                   guard == 0   ? "energy = step(%s)*(%s*%s); s = %g"
                   : guard == 1 ? "energy = select(step(%s), %s*%s, 0); s = %g"
                                : "energy = %.0s%s*%s; s = %g",
                   arguments[draw(ARGUMENTS)], part[0], part[1], 0.1 * d->tenths);
}

/* ---- the definition ---- */

static void product_at(mpfr_t u, const struct drawn *d, const mpfr_t r, const mpfr_t s) {
    mpfr_t x, f;
    mpfr_inits2(BITS, x, f, (mpfr_ptr)NULL);
    mpfr_set_ui(u, 1, MPFR_RNDN);
    for (int k = 0; k < 2; k++) {
        argument_at(x, d->argument[k], r, s);
        function_at(f, d->function[k], x, r);
        mpfr_mul(u, u, f, MPFR_RNDN);
    }
    mpfr_clears(x, f, (mpfr_ptr)NULL);
}

/* Value and derivative at (1 - below) s, the latter by differences of 1e-60 r. */
static void expect(const struct drawn *d, double below, double *value, double *slope) {
    mpfr_t r, s, h, u, v;
    mpfr_inits2(BITS, r, s, h, u, v, (mpfr_ptr)NULL);
    mpfr_set_si(s, d->tenths, MPFR_RNDN);
    mpfr_div_ui(s, s, 10, MPFR_RNDN);
    mpfr_mul_d(r, s, 1.0 - below, MPFR_RNDN);
    mpfr_set_str(h, "1e-60", 10, MPFR_RNDN);
    product_at(u, d, r, s);
    *value = mpfr_get_d(u, MPFR_RNDN);
    mpfr_add(r, r, h, MPFR_RNDN);
    product_at(v, d, r, s);
    mpfr_sub(v, v, u, MPFR_RNDN);
    mpfr_div(v, v, h, MPFR_RNDN);
    *slope = mpfr_get_d(v, MPFR_RNDN);
    mpfr_clears(r, s, h, u, v, (mpfr_ptr)NULL);
}

/* ---- by kernels ---- */

/* Three in a row: the outer two are s apart, the third between them. No argument is 1 there, where
 * logarithms are 0. */
static void check(pm_context *context, const struct drawn *d) {
    const double s = 0.1 * d->tenths;
    const double start = 0.1 * draw(9);
    const double x[9] = { start, 0, 0, start + s, 0, 0, start + 0.4 * s, 0, 0 };
    const double unit = d->is_double ? 0x1p-53 : 0x1p-24;
    const pm_choice choice =
        PM_CHOICE(.variant = "all_pairs_loop",
                  .precision = d->is_double ? PM_PRECISION_DOUBLE : PM_PRECISION_FLOAT,
                  .outputs = PM_OUTPUTS_ENERGY);
    double energy = NAN, force[9] = { NAN }, u[3], slope[3];
    const pm_arrays arrays = PM_ARRAYS(.positions = x, .forces = force, .energy = &energy);
    pm_system *system = NULL;
    pm_kernel *kernel = NULL;
    pm_error error = { 0 };
    assert_ok(pm_system_create(3, NULL, &system, &error), &error);
    assert_ok(pm_system_potential(system, d->text, NULL, INFINITY, &error), &error);
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &error), &error);
    assert_ok(pm_evaluate(kernel, &arrays, &error), &error);
    pm_kernel_free(kernel);
    pm_system_free(system);
    expect(d, 0.6, &u[0], &slope[0]);
    expect(d, 0.4, &u[1], &slope[1]);
    expect(d, 64.0 * unit, &u[2], &slope[2]); /* the border, by all that may move it there */
    const double sizes = fabs(u[0]) + fabs(u[1]) + fabs(slope[0]) + fabs(slope[1]);
    const double allowed = 256.0 * unit * sizes;
    if (!(fabs(energy - u[0] - u[1]) <= allowed + 2.0 * fabs(u[2])) ||
        !(fabs(force[0] - slope[0]) <= allowed + 2.0 * fabs(slope[2])) ||
        !(fabs(force[3] + slope[1]) <= allowed + 2.0 * fabs(slope[2]))) {
        fail_msg("%s in %s: energy %.17g, forces %.17g, %.17g; expected %.17g, %.17g, %.17g",
                 d->text, d->is_double ? "double" : "float", energy, force[0], force[3],
                 u[0] + u[1], slope[0], -slope[1]);
    }
}

TEST(guards_and_guarded_agree) {
    const char *said = getenv("PAIRMARK_TEST_SEED");
    const unsigned seed = said ? (unsigned)strtoul(said, NULL, 10) : (unsigned)time(NULL);
    pm_context *context = open_context(); /* pm_open() */
    print_message("PAIRMARK_TEST_SEED=%u\n", seed);
    srand(seed);
    for (int a = 0; a < FUNCTIONS; a++) {
        for (int b = a; b < FUNCTIONS; b++) {
            struct drawn d = { .function = { a, b },
                               .argument = { draw(ARGUMENTS), draw(ARGUMENTS) },
                               .tenths = 7 + draw(7),
                               .is_double = draw(2) };
            write_text(&d);
            check(context, &d);
        }
    }
    pm_close(context);
}
