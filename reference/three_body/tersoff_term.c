#include "reference/three_body/tersoff_term.h"

#include <math.h>
#include <string.h>

static const long double pi = 3.14159265358979323846264338327950288L;
static const long double largest_exponent = 69;

/* ---- numbers with their doubts ---- */

static double size_of(struct doubtful a) {
    return (double)fabsl(a.value);
}

static struct doubtful known(double value) {
    return (struct doubtful){ value, fabs(value) };
}

/* `own` is what the operation itself adds, relative to its result. */
static struct doubtful doubt_more(long double value, double doubt, double own) {
    return (struct doubtful){ value, doubt + own * (double)fabsl(value) };
}

static struct doubtful add(struct doubtful a, struct doubtful b) {
    return doubt_more(a.value + b.value, a.doubt + b.doubt, 1);
}

static struct doubtful negate(struct doubtful a) {
    return (struct doubtful){ -a.value, a.doubt };
}

static struct doubtful subtract(struct doubtful a, struct doubtful b) {
    return add(a, negate(b));
}

static struct doubtful multiply(struct doubtful a, struct doubtful b) {
    return doubt_more(a.value * b.value, size_of(a) * b.doubt + size_of(b) * a.doubt, 1);
}

static struct doubtful multiply3(struct doubtful a, struct doubtful b, struct doubtful c) {
    return multiply(multiply(a, b), c);
}

static struct doubtful scale(struct doubtful a, long double by) {
    return (struct doubtful){ a.value * by, a.doubt * (double)fabsl(by) };
}

static struct doubtful divide(struct doubtful a, struct doubtful b) {
    const long double value = a.value / b.value;
    return doubt_more(value, (a.doubt + (double)fabsl(value) * b.doubt) / size_of(b), 5);
}

static struct doubtful root(struct doubtful a) {
    const long double value = sqrtl(a.value);
    return doubt_more(value, a.doubt / (2 * (double)value), 6);
}

static struct doubtful exponential(struct doubtful a) {
    const long double value = expl(a.value);
    return doubt_more(value, (double)value * a.doubt, 8);
}

static struct doubtful dot(const struct doubtful a[3], const struct doubtful b[3]) {
    return add(add(multiply(a[0], b[0]), multiply(a[1], b[1])), multiply(a[2], b[2]));
}

/* ---- legs ---- */

struct leg {
    struct doubtful d[3], r;
};

static struct leg leg_of(const struct tersoff_centre *centre, size_t k) {
    struct leg leg;
    for (int x = 0; x < 3; x++) {
        leg.d[x] = (struct doubtful){ centre->d[k][x], 4 * centre->length / sqrt(3) };
    }
    leg.r = root(dot(leg.d, leg.d));
    return leg;
}

static const struct tersoff_numbers *numbers_of(const struct tersoff_centre *centre, size_t j,
                                                size_t k) {
    return &centre->numbers[centre->type[j] * centre->types + centre->type[k]];
}

/* How far rounding may move a length, and so how far beyond its end a leg may count. */
double tersoff_margin(double length, double unit) {
    return 8 * length * unit;
}

static int ends_before(const struct tersoff_centre *centre, const struct tersoff_numbers *numbers,
                       long double r) {
    return r >= (long double)numbers->R + numbers->D +
                    tersoff_margin(centre->length + numbers->R + numbers->D, centre->unit);
}

/* fc and its derivative. A flat part may be taken for the slope beside it, and the other way. */
struct ending {
    struct doubtful value, slope;
};

static struct ending ending_of(const struct tersoff_numbers *numbers, struct doubtful r,
                               double unit) {
    const struct doubtful width = known(numbers->D);
    const struct doubtful left =
        divide(subtract(add(known(numbers->R), width), r), scale(width, 4));
    if (left.value - (long double)(left.doubt * unit) > 0.5L) {
        return (struct ending){ { 1, 0 }, { 0, 0 } };
    }
    const long double turns = fminl(fmaxl(left.value, 0), 0.5L); /* half a turn at R - D */
    const long double sine = sinl(pi * turns);
    const long double twice = sinl(2 * pi * turns);
    const double doubt = (double)pi * left.doubt;
    const double steep = (double)(pi / (4 * width.value));
    struct ending ending;
    ending.value = doubt_more(sine * sine, doubt * ((double)fabsl(twice) + doubt * unit), 17);
    ending.slope = doubt_more(-steep * twice, steep * 2 * doubt, 16);
    return ending;
}

/* ---- what another leg adds to the order of a bond ---- */

struct order {
    struct leg other;
    struct ending ending;
    struct doubtful cosine, angular, radial;
    struct doubtful by_cosine; /* of the angular part */
    struct doubtful by_length; /* of the exponent, by the length of the bond */
    struct doubtful product;
};

static void find_angular(const struct tersoff_numbers *numbers, struct order *order) {
    const struct doubtful one = { 1, 0 };
    const struct doubtful gamma = known(numbers->gamma);
    const struct doubtful d2 = multiply(known(numbers->d), known(numbers->d));
    const struct doubtful c2 = multiply(known(numbers->c), known(numbers->c));
    const struct doubtful off = subtract(known(numbers->h), order->cosine);
    const struct doubtful sum = add(d2, multiply(off, off));
    const struct doubtful part = divide(c2, sum);
    order->angular = multiply(gamma, add(one, divide(multiply3(part, off, off), d2)));
    order->by_cosine = scale(divide(multiply3(gamma, part, off), sum), -2);
}

static void find_radial(const struct tersoff_numbers *numbers, struct doubtful r,
                        struct order *order) {
    const struct doubtful lambda = known(numbers->lambda3);
    const struct doubtful apart = multiply(lambda, subtract(r, order->other.r));
    const struct doubtful square = multiply(apart, apart);
    const int cubic = numbers->m == 3;
    struct doubtful exponent = cubic ? multiply(square, apart) : apart;
    order->by_length = cubic ? scale(multiply(lambda, square), 3) : lambda;
    if (exponent.value > largest_exponent) {
        exponent = (struct doubtful){ largest_exponent, exponent.doubt };
        order->by_length = (struct doubtful){ 0, 0 };
    }
    order->radial = exponential(exponent);
}

static struct order order_of(const struct tersoff_centre *centre, const struct leg *bond, size_t j,
                             size_t k) {
    const struct tersoff_numbers *numbers = numbers_of(centre, j, k);
    struct order order = { .other = leg_of(centre, k) };
    order.ending = ending_of(numbers, order.other.r, centre->unit);
    order.cosine = divide(dot(bond->d, order.other.d), multiply(bond->r, order.other.r));
    find_angular(numbers, &order);
    find_radial(numbers, bond->r, &order);
    order.product = multiply3(order.ending.value, order.angular, order.radial);
    return order;
}

static int takes_part(const struct tersoff_centre *centre, size_t j, size_t k) {
    const long double *d = centre->d[k];
    return k != j && !ends_before(centre, numbers_of(centre, j, k),
                                  sqrtl(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
}

size_t tersoff_partners(const struct tersoff_centre *centre, size_t j) {
    size_t partners = 0;
    for (size_t k = 0; k < centre->legs; k++) {
        partners += takes_part(centre, j, k) != 0;
    }
    return partners;
}

/* ---- the strength of a bond ---- */

/* b and its derivative by zeta; where that has no bound of its own, `rough`, both at `most`, the
 * largest that zeta may be. */
struct strength {
    struct doubtful value, slope;
    int rough;
    long double most, slope_at_most, share_at_most;
};

/* b, and t = x^n / (1 + x^n). */
static long double strength_at(const struct tersoff_numbers *numbers, long double zeta,
                               long double *share) {
    const long double x = (long double)numbers->beta * zeta;
    const long double n = numbers->n;
    if (!(x > 0)) {
        *share = 0;
        return 1;
    }
    const long double power = powl(x > 1 ? 1 / x : x, n);
    const long double b = powl(1 + power, -1 / (2 * n));
    *share = (x > 1 ? 1 : power) / (1 + power);
    return x > 1 ? b / sqrtl(x) : b;
}

static struct strength strength_of(const struct tersoff_centre *centre,
                                   const struct tersoff_numbers *numbers, struct doubtful zeta) {
    const double n = numbers->n;
    const double allowed = 0.1 / (n + 2);
    long double share;
    const long double b = strength_at(numbers, zeta.value, &share);
    /* beta errs by u, and so does x; a power of it by n */
    const double relative = zeta.value > 0 ? zeta.doubt / size_of(zeta) + 2 : INFINITY;
    struct strength strength = { .value = { b, 40 * (double)b } };
    if (zeta.value == 0 && zeta.doubt == 0) {
        return strength;
    }
    strength.rough = !(relative * centre->unit <= allowed);
    strength.most =
        (zeta.value + (long double)(zeta.doubt * centre->unit)) * (1 + 4 * centre->unit);
    const long double at_most = strength_at(numbers, strength.most, &strength.share_at_most);
    strength.slope_at_most = at_most * strength.share_at_most / (2 * strength.most);
    if (strength.rough) {
        strength.value.doubt += (double)(1 - at_most) / centre->unit;
        return strength;
    }
    const double steep = fabs(n * (double)(1 - share) - (double)share / 2 - 1);
    const long double slope = -b * share / (2 * zeta.value);
    strength.value.doubt += (double)(b * share) / 2 * relative;
    strength.slope =
        doubt_more(slope, 1.2 * fmax(steep, 1) * (double)fabsl(slope) * relative, 80 + 2 * n);
    return strength;
}

/* ---- a bond ---- */

/* The derivative of the energy by a leg's length, over it, and by the cosine over both lengths. */
static void add_along(const struct doubtful d[3], struct doubtful by, struct doubtful force[3],
                      double *size) {
    double sum = 0;
    for (int x = 0; x < 3; x++) {
        const struct doubtful part = negate(multiply(by, d[x]));
        force[x] = add(force[x], part);
        sum += (double)(part.value * part.value);
    }
    *size += sqrt(sum);
}

/* What the order of bond j does through leg k, weight being the energy's derivative by it. */
static void add_through(const struct leg *bond, const struct order *order, struct doubtful weight,
                        struct doubtful (*force)[3], double *size, const size_t place[2]) {
    const struct leg *other = &order->other;
    const struct doubtful whole = multiply(weight, order->radial);
    const struct doubtful across = divide(multiply3(whole, order->ending.value, order->by_cosine),
                                          multiply(bond->r, other->r));
    const struct doubtful by_bond =
        multiply3(multiply(whole, order->ending.value), order->angular, order->by_length);
    const struct doubtful by_other =
        subtract(multiply3(whole, order->ending.slope, order->angular), by_bond);
    const struct doubtful turn = multiply(across, order->cosine);
    add_along(bond->d, divide(by_bond, bond->r), force[place[0]], &size[place[0]]);
    add_along(bond->d, negate(divide(multiply(turn, other->r), bond->r)), force[place[0]],
              &size[place[0]]);
    add_along(other->d, across, force[place[0]], &size[place[0]]);
    add_along(other->d, divide(by_other, other->r), force[place[1]], &size[place[1]]);
    add_along(other->d, negate(divide(multiply(turn, bond->r), other->r)), force[place[1]],
              &size[place[1]]);
    add_along(bond->d, across, force[place[1]], &size[place[1]]);
}

/* The same where the strength is rough: how large that may be is how far it may be off. */
static void doubt_through(const struct tersoff_centre *centre, const struct strength *strength,
                          const struct order *order, double attraction, struct doubtful (*force)[3],
                          const size_t place[2]) {
    const double width = numbers_of(centre, place[0], place[1])->D;
    const double ge = size_of(order->angular) * size_of(order->radial);
    const double end =
        (double)(sqrtl(strength->most * ge) * pi / (2 * width) * strength->slope_at_most);
    const double turn = size_of(order->by_cosine) / size_of(order->angular);
    const double nearest = fmin(size_of(order->other.r), centre->length);
    const double steep = 2 * turn / nearest + size_of(order->by_length);
    const double most = attraction * (end + steep * (double)strength->share_at_most / 2);
    for (int e = 0; e < 2; e++) {
        for (int x = 0; x < 3; x++) {
            force[place[e]][x].doubt += 5 * most / centre->unit;
        }
    }
}

int tersoff_bond(const struct tersoff_centre *centre, size_t j, struct doubtful *energy,
                 struct doubtful (*force)[3], double *size) {
    const struct tersoff_numbers *numbers = numbers_of(centre, j, j);
    const struct leg bond = leg_of(centre, j);
    memset(force, 0, centre->legs * sizeof *force);
    memset(size, 0, centre->legs * sizeof *size);
    if (ends_before(centre, numbers, bond.r.value)) {
        return 0;
    }
    struct doubtful zeta = { 0, 0 };
    for (size_t k = 0; k < centre->legs; k++) {
        if (takes_part(centre, j, k)) {
            zeta = add(zeta, order_of(centre, &bond, j, k).product);
        }
    }
    const struct ending ending = ending_of(numbers, bond.r, centre->unit);
    const struct strength strength = strength_of(centre, numbers, zeta);
    const struct doubtful lambda[2] = { known(numbers->lambda1), known(numbers->lambda2) };
    const struct doubtful repulsion =
        multiply(known(numbers->A), exponential(negate(multiply(lambda[0], bond.r))));
    const struct doubtful attraction =
        multiply(known(numbers->B), exponential(negate(multiply(lambda[1], bond.r))));
    const struct doubtful bound = multiply(strength.value, attraction);
    const struct doubtful inside = subtract(repulsion, bound);
    const struct doubtful slope =
        add(multiply(ending.slope, inside),
            multiply(ending.value,
                     subtract(multiply(lambda[1], bound), multiply(lambda[0], repulsion))));
    const struct doubtful end_attraction = scale(multiply(ending.value, attraction), 0.5L);
    const struct doubtful weight = negate(multiply(end_attraction, strength.slope));
    *energy = scale(multiply(ending.value, inside), 0.5L);
    add_along(bond.d, divide(scale(slope, 0.5L), bond.r), force[j], &size[j]);
    size[j] +=
        0.5 *
        (size_of(ending.slope) + size_of(ending.value) * fmax(numbers->lambda1, numbers->lambda2)) *
        (size_of(repulsion) + size_of(bound));
    for (size_t k = 0; k < centre->legs; k++) {
        if (takes_part(centre, j, k)) {
            const struct order order = order_of(centre, &bond, j, k);
            const size_t place[2] = { j, k };
            add_through(&bond, &order, weight, force, size, place);
            if (strength.rough) {
                doubt_through(centre, &strength, &order, size_of(end_attraction), force, place);
            }
        }
    }
    return 1;
}
