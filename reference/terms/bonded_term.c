#include "reference/terms/bonded_term.h"

#include "reference/interpreter/formula.h"
#include "reference/interpreter/text_program.h"
#include "reference/terms/text_term.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const long double pi = 3.141592653589793238462643383279502884L;

static long double dot(const long double a[3], const long double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static long double length(const long double a[3]) {
    return sqrtl(dot(a, a));
}

/* What rounding took from a product, exactly, by halves of its factors (Veltkamp's split, Dekker
 * 1971). fmal of the C library says the same, and is slow where the processor has none for long
 * double. */
static long double lost_by_product(long double a, long double b, long double product) {
    const long double split = scalbnl(1, (LDBL_MANT_DIG + 1) / 2) + 1;
    const long double a_high = split * a - (split * a - a), a_low = a - a_high;
    const long double b_high = split * b - (split * b - b), b_low = b - b_high;
    return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
}

/* a b - c d to a rounding of itself, not of the products: the sine of a torsion is a product with a
 * cross product that may be far shorter than its factors. */
static long double difference(long double a, long double b, long double c, long double d) {
    const long double first = a * b, second = c * d;
    return (first - second) + (lost_by_product(a, b, first) - lost_by_product(c, d, second));
}

static void cross(const long double a[3], const long double b[3], long double product[3]) {
    product[0] = difference(a[1], b[2], a[2], b[1]);
    product[1] = difference(a[2], b[0], a[0], b[2]);
    product[2] = difference(a[0], b[1], a[1], b[0]);
}

static long double radians(double degrees) {
    return (long double)degrees * pi / 180;
}

/* E of q: the energy, its first derivative, and bounds that do not depend on where q is. */
struct curve {
    long double energy, slope;
    double first, second; /* what |E'| is made of, |E''| at most */
    double sizes;         /* of what is added up to the energy, errors of parameters included */
};

/* k/2 (q - q0)^2: a relative error of q, or of q0, is one of the greater of them. */
static struct curve harmonic(double k, long double q, long double q0) {
    const long double apart = q - q0;
    const double both = (double)(fabsl(q) + fabsl(q0));
    return (struct curve){ .energy = (long double)k / 2 * apart * apart,
                           .slope = (long double)k * apart,
                           .first = fabs(k) * both,
                           .second = fabs(k),
                           .sizes = fabs(k) * (double)fabsl(apart) * both };
}

/* What was written, by dual numbers. How its slope is made up is not known: an error of q, or of a
 * parameter of its size, moves it as |E''| says, several times over where terms cancel; and as the
 * energy's roundings do that are carried along. */
static struct curve of_words(const struct written_energy *written, const double *parameter,
                             long double q) {
    double all[BONDED_MAX_CONSTANTS + BONDED_MAX_PARAMETERS];
    const struct bonded_energy *said = written->said;
    memcpy(all, said->constant, (size_t)said->constants * sizeof *all);
    memcpy(all + said->constants, parameter, (size_t)said->columns * sizeof *all);
    const struct dual u = formula_evaluate_term(written->formula, all, q);
    const double size = (double)fabsl(q);
    const double rounded = (double)(u.error / 4);
    return (struct curve){ .energy = u.v,
                           .slope = u.d,
                           .first = (double)fabsl(u.d) + 4 * (double)fabsl(u.dd) * size +
                                    (size > 0 ? rounded / size : 0.0),
                           .second = 1.5 * (double)fabsl(u.dd),
                           .sizes = rounded + 2 * size * (double)fabsl(u.d) };
}

static struct curve periodic(const double *parameter, long double phi) {
    const long double k = (long double)parameter[0];
    const long double n = (long double)parameter[1];
    const long double angle = n * phi - radians(parameter[2]);
    const double size = fabs(parameter[0]);
    const double turned = (double)(n * pi + fabsl(radians(parameter[2])));
    return (struct curve){ .energy = k * (1 + cosl(angle)),
                           .slope = -k * n * sinl(angle),
                           .first = size * (double)n * (1 + turned),
                           .second = size * (double)(n * n),
                           .sizes = size * (2 + turned) };
}

/* A polynomial of x = cos psi = -cos phi. */
static struct curve ryckaert(const double *c, long double phi) {
    struct curve curve = { 0 };
    const long double x = -cosl(phi);
    long double by_x = 0;
    for (int m = 5; m >= 0; m--) {
        by_x = by_x * x + curve.energy;
        curve.energy = curve.energy * x + (long double)c[m];
        curve.first += fabs(c[m]) * m;
        curve.second += fabs(c[m]) * m * m;
        curve.sizes += fabs(c[m]) * (1 + m);
    }
    curve.slope = by_x * sinl(phi);
    return curve;
}

/* ---- what is common to all ---- */

/* Along the particle's derivative of q. */
static void push(struct bonded_result *result, int a, long double slope, const long double by[3]) {
    for (int d = 0; d < 3; d++) {
        result->force[a][d] -= slope * by[d];
    }
}

/* Scales and slopes from g, the sizes of the derivatives of q, and h of its second ones; r, how far
 * each particle is from the one that virials are taken about. */
static void condition(struct bonded_result *result, const struct curve *curve, int atoms,
                      const double *g, const double *h, const double *r) {
    double sum = 0.0;
    for (int a = 0; a < atoms; a++) {
        sum += g[a];
    }
    for (int a = 0; a < atoms; a++) {
        result->scale[a] = curve->first * g[a];
        result->slope[a] = curve->second * g[a] * sum + (double)fabsl(curve->slope) * h[a];
        result->virial_scale += r[a] * result->scale[a];
        result->virial_slope += result->scale[a] + r[a] * result->slope[a];
    }
    result->energy_scale = (double)fabsl(curve->energy) + curve->sizes;
    result->energy_slope = (double)fabsl(curve->slope) * sum;
}

static void add_virial(struct bonded_result *result, const long double place[3], int a) {
    for (int k = 0; k < 9; k++) {
        result->virial[k] += place[k / 3] * result->force[a][k % 3];
    }
}

/* ---- bonds ---- */

static void evaluate_bond(const struct written_energy *written, const double *parameter,
                          long double step[3][3], struct bonded_result *result) {
    const long double r = length(step[0]);
    const struct curve curve = written->formula
                                   ? of_words(written, parameter, r)
                                   : harmonic(parameter[0], r, (long double)parameter[1]);
    result->coordinate = r;
    result->energy = curve.energy;
    if (!(r > 0)) {
        result->energy_scale = (double)fabsl(curve.energy);
        return;
    }
    long double along[3], back[3];
    for (int d = 0; d < 3; d++) {
        along[d] = step[0][d] / r;
        back[d] = -along[d];
    }
    push(result, 0, curve.slope, back);
    push(result, 1, curve.slope, along);
    const double g[2] = { 1.0, 1.0 };
    const double h[2] = { 2.0 / (double)r, 2.0 / (double)r };
    const double from[2] = { 0.0, (double)r };
    condition(result, &curve, 2, g, h, from);
    add_virial(result, step[0], 1);
}

/* ---- angles ---- */

/* Whether a length is there, but so short that errors of positions may make it any, or none: then
 * what is in proportion to its reciprocal has no bound. From ten blurs on the bound is that of
 * small errors. */
static bool is_lost(long double length, double blur) {
    return length > 0 && length < 10 * (long double)blur;
}

/* No kernel can be held to forces that errors of positions may make any. */
static void leave_unbounded(struct bonded_result *result, int atoms) {
    for (int a = 0; a < atoms && result->scale[a] > 0; a++) {
        result->slope[a] = INFINITY;
        result->virial_slope = INFINITY;
    }
}

/* A sine that positions off by `blur` can make of a smaller one. */
static double blurred(long double sine, double blur, long double shortest) {
    const double least = blur / (double)shortest;
    return fmax((double)sine, fmin(least, 1.0));
}

static void evaluate_angle(const struct written_energy *written, const double *parameter,
                           long double step[3][3], double blur, struct bonded_result *result) {
    const long double *w = step[1];
    const long double u[3] = { -step[0][0], -step[0][1], -step[0][2] };
    const long double u_length = length(u);
    const long double w_length = length(w);
    long double normal[3];
    cross(u, w, normal);
    const long double area = length(normal);
    const long double along = dot(u, w);
    const long double theta = area > 0 || along != 0 ? atan2l(area, along) : 0;
    const struct curve curve = written->formula
                                   ? of_words(written, parameter, theta)
                                   : harmonic(parameter[0], theta, radians(parameter[1]));
    result->coordinate = theta;
    result->energy = curve.energy;
    if (!(u_length > 0 && w_length > 0)) {
        result->energy_scale = (double)fabsl(curve.energy);
        return;
    }
    const double g[3] = { 1.0 / (double)u_length, 1.0 / (double)u_length + 1.0 / (double)w_length,
                          1.0 / (double)w_length };
    const double sine = blurred(area / (u_length * w_length), blur, fminl(u_length, w_length));
    const double h[3] = { g[0] * g[1] / sine, g[1] * g[1] / sine, g[2] * g[1] / sine };
    const double from[3] = { (double)u_length, 0.0, (double)w_length };
    condition(result, &curve, 3, g, h, from);
    if (is_lost(u_length, blur) || is_lost(w_length, blur)) {
        leave_unbounded(result, 3);
    }
    if (!(area > 0)) {
        return;
    }
    long double first[3], last[3], middle[3];
    cross(u, normal, first);
    cross(normal, w, last);
    for (int d = 0; d < 3; d++) {
        first[d] /= u_length * u_length * area;
        last[d] /= w_length * w_length * area;
        middle[d] = -first[d] - last[d];
    }
    push(result, 0, curve.slope, first);
    push(result, 1, curve.slope, middle);
    push(result, 2, curve.slope, last);
    add_virial(result, u, 0);
    add_virial(result, w, 2);
}

/* ---- torsions ---- */

/* The derivatives of phi by the four positions, of bond vectors b whose products are m and n. */
static void differentiate(long double b[3][3], const long double m[3], const long double n[3],
                          long double by[4][3]) {
    const long double axis = length(b[1]);
    const long double before = dot(b[0], b[1]) / (axis * axis);
    const long double behind = dot(b[2], b[1]) / (axis * axis);
    const long double mm = dot(m, m);
    const long double nn = dot(n, n);
    for (int d = 0; d < 3; d++) {
        by[0][d] = -axis / mm * m[d];
        by[3][d] = axis / nn * n[d];
        by[1][d] = -(1 + before) * by[0][d] + behind * by[3][d];
        by[2][d] = before * by[0][d] - (1 + behind) * by[3][d];
    }
}

static void condition_torsion(struct bonded_result *result, const struct curve *curve,
                              long double b[3][3], const long double m[3], const long double n[3],
                              double blur) {
    const long double size[3] = { length(b[0]), length(b[1]), length(b[2]) };
    const long double first =
        blurred(length(m) / (size[0] * size[1]), blur, fminl(size[0], size[1]));
    const long double last =
        blurred(length(n) / (size[1] * size[2]), blur, fminl(size[1], size[2]));
    double g[4], h[4], from[4];
    g[0] = (double)(1 / (size[0] * first));
    g[3] = (double)(1 / (size[2] * last));
    g[1] = (1.0 + (double)(size[0] / size[1])) * g[0] + (double)(size[2] / size[1]) * g[3];
    g[2] = (double)(size[0] / size[1]) * g[0] + (1.0 + (double)(size[2] / size[1])) * g[3];
    /* Bounds of |E'|, not |E'| itself: where phi is uncertain, so is that. A cross product that is
     * off by a rounding of its factors moves phi by one over both sines. */
    const double turn = (double)(1 / (first * last));
    struct curve bound = *curve;
    bound.slope = (long double)curve->first;
    bound.first += curve->second * turn;
    bound.sizes += (double)fabsl(curve->slope) * turn;
    for (int a = 0; a < 4; a++) {
        h[a] = g[a] * (g[0] + g[1] + g[2] + g[3]);
    }
    from[0] = (double)size[0];
    from[1] = 0.0;
    from[2] = (double)size[1];
    from[3] = (double)(size[1] + size[2]);
    condition(result, &bound, 4, g, h, from);
}

/* The particles of a torsion whose planes nobody can tell: one at the end is hardly off the axis.
 */
static bool is_turned_at_will(long double b[3][3], const long double m[3], const long double n[3],
                              double blur) {
    const long double size[3] = { length(b[0]), length(b[1]), length(b[2]) };
    return is_lost(length(m) / fmaxl(size[0], size[1]), blur) ||
           is_lost(length(n) / fmaxl(size[1], size[2]), blur);
}

static void evaluate_torsion(enum bonded_kind kind, const struct written_energy *written,
                             const double *parameter, long double b[3][3], double blur,
                             struct bonded_result *result) {
    long double m[3], n[3], by[4][3];
    cross(b[0], b[1], m);
    cross(b[1], b[2], n);
    const bool is_defined = dot(m, m) > 0 && dot(n, n) > 0;
    const long double phi = is_defined ? atan2l(length(b[1]) * dot(b[0], n), dot(m, n)) : 0;
    const struct curve curve = written->formula          ? of_words(written, parameter, phi)
                               : kind == BONDED_TORSIONS ? periodic(parameter, phi)
                                                         : ryckaert(parameter, phi);
    result->coordinate = phi;
    result->energy = curve.energy;
    if (!(length(b[0]) > 0 && length(b[1]) > 0 && length(b[2]) > 0)) {
        result->energy_scale = (double)fabsl(curve.energy) + curve.sizes;
        return;
    }
    condition_torsion(result, &curve, b, m, n, blur);
    if (!is_defined) {
        return;
    }
    if (is_turned_at_will(b, m, n, blur)) {
        leave_unbounded(result, 4);
    }
    differentiate(b, m, n, by);
    for (int a = 0; a < 4; a++) {
        push(result, a, curve.slope, by[a]);
    }
    const long double first[3] = { -b[0][0], -b[0][1], -b[0][2] };
    const long double last[3] = { b[1][0] + b[2][0], b[1][1] + b[2][1], b[1][2] + b[2][2] };
    add_virial(result, first, 0);
    add_virial(result, b[1], 2);
    add_virial(result, last, 3);
}

void bonded_term_evaluate_written(enum bonded_kind kind, const struct written_energy *written,
                                  const struct kernel_term *term, long double step[3][3],
                                  double blur, struct bonded_result *result) {
    const double *parameter = term->column;
    memset(result, 0, sizeof *result);
    if (written->text) {
        text_term_evaluate(written->text, bonded_forms[kind].atoms, term, step, result);
        return;
    }
    switch (kind) {
    case BONDED_BONDS:
        evaluate_bond(written, parameter, step, result);
        break;
    case BONDED_ANGLES:
        evaluate_angle(written, parameter, step, blur, result);
        break;
    default:
        evaluate_torsion(kind, written, parameter, step, blur, result);
        break;
    }
}

void bonded_term_evaluate(enum bonded_kind kind, const double *parameter, long double step[3][3],
                          double blur, struct bonded_result *result) {
    const struct written_energy own = { .formula = NULL };
    bonded_term_evaluate_written(kind, &own, &(struct kernel_term){ parameter, NULL }, step, blur,
                                 result);
}
