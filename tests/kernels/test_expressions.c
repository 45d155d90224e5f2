/* Expressions: the reference's walk against the functions that it knows and against finite
 * differences, the normalised text, what kernel text is made of. */
#include "kernels/expressions/expression.h"
#include "kernels/potentials/interaction.h"
#include "reference/pairs/reference.h"

#include "support.h"

static struct expression *read_text(const char *text) {
    struct expression *expression = NULL;
    struct error error = { 0 };
    if (!expression_parse(text, NULL, &expression, &error)) {
        fail_msg("%s: %s", text, error.message);
    }
    return expression;
}

struct values {
    double energy, force, slope;
};

static struct values values_at(const struct interaction *interaction, double r) {
    struct values values = { 0 };
    struct error error = { 0 };
    assert_done(
        reference_pair(interaction, r, &values.energy, &values.force, &values.slope, &error),
        &error);
    return values;
}

static struct interaction interaction_of(const struct expression *expression) {
    struct interaction interaction;
    struct error error = { 0 };
    assert_true(interaction_of_expression(expression, &interaction, &error));
    return interaction;
}

static void assert_alike(const char *what, double r, double got, double expected, double relative) {
    if (!(fabs(got - expected) <= relative * (fabs(expected) + 1e-12))) {
        fail_msg("%s at %g: %.17g, expected %.17g", what, r, got, expected);
    }
}

/* ---- known functions ---- */

TEST(same_as_known) {
    static const struct {
        const char *known, *text;
    } pairs[] = {
        { "lj:epsilon=0.7,sigma=1.1", "energy = 4*eps*((s/r)^12 - (s/r)^6); eps = 0.7; s = 1.1" },
        { "buckingham:A=2000,rho=0.2,C=3", "energy = A*exp(-r/rho) - C/r^6; A = 2000; rho = 0.2; "
                                           "C = 3" },
        { "born-mayer-huggins:A=2,sigma=1.1,rho=0.3,C=0.5,D=0.25",
          "energy = 2*exp((1.1 - r)/0.3) - 0.5*i3 - 0.25*i3*i; i3 = i^3; i = 1/r^2" },
        { "ewald-real:alpha=0.4,coulomb=3", "energy = 3*q1*q2*erfc(0.4*r)/r" },
    };
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++) {
        struct interaction known;
        struct error error = { 0 };
        struct expression *expression = read_text(pairs[p].text);
        const struct interaction own = interaction_of(expression);
        assert_true(interaction_parse(pairs[p].known, &known, &error));
        for (double r = 0.7; r < 4.0; r += 0.13) {
            const struct values expected = values_at(&known, r);
            const struct values got = values_at(&own, r);
            assert_alike(pairs[p].text, r, got.energy, expected.energy, 1e-11);
            assert_alike(pairs[p].text, r, got.force, expected.force, 1e-11);
            assert_alike(pairs[p].text, r, got.slope, expected.slope, 1e-11);
        }
        expression_free(expression);
    }
}

/* ---- derivatives ---- */

TEST(derivatives_are_those_of_the_energy) {
    static const char *const texts[] = {
        "energy = exp(-r)*log(r + 1) + sqrt(1 + r^3)",
        "energy = sin(r)*cos(2*r) + tan(r/4) + asin(r/9) + acos(r/8) + atan(r)",
        "energy = sinh(r/2) - cosh(r/3)*tanh(r) + erf(r) - erfc(r/2)",
        "energy = r^r + pow(r, 2.3) + (1 + r)^-3 + 2^r + (-r)^3",
        "energy = abs(r - 9) + min(r, r^2 + 1) + max(r^3, r) + floor(r/9)",
        "energy = select(step(r - 9), 1, r^2) + delta(r)*r + ceil(r/9)",
        "energy = sec(r/4) + csc(r/2) + cot(r/3) + square(r + 1) - cube(r/2) + recip(r)",
        "energy = atan2(r, 2.2) + atan2(1 - r, r^2) + atan2(-r, -3) + sign(r - 9)*r + sign(r)*r^2",
    };
    const double step = 1e-5;
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        struct expression *expression = read_text(texts[t]);
        const struct interaction own = interaction_of(expression);
        for (double r = 1.13; r < 4.0; r += 0.37) {
            const struct values below = values_at(&own, r - step);
            const struct values here = values_at(&own, r);
            const struct values above = values_at(&own, r + step);
            assert_alike(texts[t], r, here.force, -(above.energy - below.energy) / (2.0 * step),
                         1e-7);
            assert_alike(texts[t], r, here.slope, (above.force - below.force) / (2.0 * step), 1e-7);
        }
        expression_free(expression);
    }
}

/* ---- words ---- */

TEST(normalised_text_reads_back) {
    static const char *const texts[][2] = {
        { "energy=-(r^2)-(-r)^2-(-r^2)", "energy = -r^2 - (-r)^2 - -r^2" },
        { "energy=a-(b-r)-(a+b);a=1e-3;b=-2.50",
          "energy = a - (b - r) - (a + b); a = 0.001; b = -2.5" },
        { "energy=r^70+1e3*r", "energy = r^70 + 1000*r" },
        { "energy=r/(2*r)*(r/3)^(1+1)", "energy = r/(2*r)*(r/3)^(1 + 1)" },
        { "energy=(r^2)^3+r^2^3+r^-2", "energy = (r^2)^3 + r^2^3 + r^-2" },
        { "energy=-(r*2)+-r*2", "energy = -(r*2) + -r*2" },
        { " energy = s*r ;\n s = 1 arithmetic; s.B=2;", "energy = s*r; s = 1 arithmetic; s.B = 2" },
    };
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        struct expression *once = read_text(texts[t][0]);
        struct expression *twice = read_text(once->text);
        assert_string_equal(once->text, texts[t][1]);
        assert_string_equal(twice->text, once->text);
        assert_string_equal(twice->hash, once->hash);
        expression_free(once);
        expression_free(twice);
    }
}

/* ---- kernel text ---- */

static int times(const char *text, const char *word) {
    int count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

TEST(no_root_is_taken_of_even_powers) {
    struct expression *even =
        read_text("energy = 4*eps*((s/r)^12 - (s/r)^6); eps = 1; s = 3.4e-10");
    struct expression *odd = read_text("energy = (1/r)^9 - (1/r)^6");
    assert_int_equal(times(even->kernel[0], "RECIP(r2)"), 1);
    assert_int_equal(times(even->kernel[0], "SQRT") + times(even->kernel[0], "POW"), 0);
    assert_int_equal(times(even->kernel[0], "e-19"), 1); /* s^12 would vanish in float */
    assert_true(even->operations <= 15);                 /* those of lj.cl */
    assert_int_equal(times(odd->kernel[0], "RSQRT(r2)"), 1);
    assert_int_equal(times(odd->kernel[0], "POW"), 0);
    expression_free(even);
    expression_free(odd);
}

TEST(what_is_needed_twice_is_computed_once) {
    struct expression *expression =
        read_text("energy = q1*q2*exp(-k*r)/r + exp(-k*r)*exp(-k*r); k = 2");
    assert_int_equal(times(expression->kernel[0], "EXP("), 1);
    expression_free(expression);
}

/* Whatever is the same with the charges exchanged is seen to be. */
TEST(particles_may_change_places) {
    static const char *const texts[] = {
        "energy = (q1 - q2)^2*r + abs(q2 - q1)/r",
        "energy = q1/q2 + q2/q1 + min(q1, q2) + (q1 + q2)/r",
        "energy = (q1 - q2)^3*(q1 - q2)/r",
        "energy = (3/r^2)^4 + (2*s/r)^4 + ((s*r)^2)^6; s = 1 arithmetic; s.A = 2",
        "energy = select(q1*q2, exp(-q1^2 - q2^2), r)",
        "energy = tan(((3/r)^3*(q1 + q2 + 1.1))^4)^0.5"
    };
    struct expression *expression = NULL;
    struct error error = { 0 };
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        expression_free(read_text(texts[t]));
    }
    assert_false(expression_parse("energy = (q1 - q2)^3*r", NULL, &expression, &error));
}

/* Deep and long ones are refused or read, never more than that. */
TEST(sizes_have_bounds) {
    static char text[200000];
    struct expression *expression = NULL;
    struct error error = { 0 };
    (void)strcpy(text, "energy = ");
    memset(text + 9, '(', 150000);
    assert_false(expression_parse(text, NULL, &expression, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    char *at = text + 9;
    for (int k = 0; k < 3000; k++) {
        at += sprintf(at, "+r^%d", k % 900);
    }
    assert_false(expression_parse(text, NULL, &expression, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
}
