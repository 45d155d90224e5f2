/*
 * naive_kernel — a plain Lennard-Jones kernel (epsilon = sigma = 1) in the arithmetic at hand, for
 * the tests of the gate. A text to be included once for each precision, with these defined:
 *   NAIVE(name)  the name for this precision
 *   REAL, ACCUM  the types of arithmetic and of sums
 *   RINT, FLOOR  rounding in REAL
 *
 * Every pair once, added to both particles as atomics would; energy and virial are summed along
 * each particle's pairs, and then over the particles, from first to last.
 */

static REAL *NAIVE(coordinates)(const struct box *box, enum style style) {
    REAL *x = malloc(3 * box->n * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < 3 * box->n; i++) {
        REAL edge = (REAL)box->edge[i % 3];
        x[i] = (REAL)box->position[i];
        if (box->periodic && style == STYLE_WRAPPED) {
            x[i] -= edge * FLOOR(x[i] * (1 / edge));
        } else if (box->periodic && style == STYLE_FRACTIONAL) {
            x[i] *= 1 / edge;
        }
    }
    return x;
}

static inline REAL NAIVE(displacement)(REAL difference, REAL edge, REAL inverse, enum style style) {
    if (style == STYLE_FRACTIONAL) {
        return (difference - RINT(difference)) * edge;
    }
    return difference - edge * RINT(difference * inverse);
}

/* Adds the pairs of i and all later particles; totals: energy, then the nine virials. */
static void NAIVE(row)(const struct box *box, const REAL *x, REAL cutoff, enum style style,
                       size_t i, ACCUM *f, ACCUM totals[10]) {
    REAL edge[3], inverse[3], d[3];
    for (int k = 0; k < 3; k++) {
        edge[k] = (REAL)box->edge[k];
        inverse[k] = box->periodic ? 1 / edge[k] : 0;
    }
    for (size_t j = i + 1; j < box->n; j++) {
        for (size_t k = 0; k < 3; k++) {
            d[k] = x[3 * i + k] - x[3 * j + k];
            d[k] = box->periodic ? NAIVE(displacement)(d[k], edge[k], inverse[k], style) : d[k];
        }
        REAL r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (!(r2 <= cutoff * cutoff)) {
            continue;
        }
        REAL inverse2 = 1 / r2;
        REAL s6 = inverse2 * inverse2 * inverse2;
        REAL s12 = s6 * s6;
        REAL factor = 24 * (2 * s12 - s6) * inverse2;
        totals[0] += (ACCUM)(4 * (s12 - s6));
        for (size_t k = 0; k < 3; k++) {
            f[3 * i + k] += (ACCUM)(factor * d[k]);
            f[3 * j + k] -= (ACCUM)(factor * d[k]);
        }
        for (size_t k = 0; k < 9; k++) {
            totals[1 + k] += (ACCUM)(factor * d[k / 3] * d[k % 3]);
        }
    }
}

static void NAIVE(kernel)(const struct box *box, double cutoff, enum style style,
                          struct evaluation *out) {
    REAL *x = NAIVE(coordinates)(box, style);
    ACCUM *f = calloc(3 * box->n, sizeof *f);
    ACCUM totals[10] = { 0 };
    assert_non_null(f);
    for (size_t i = 0; i < box->n; i++) {
        ACCUM own[10] = { 0 };
        NAIVE(row)(box, x, (REAL)cutoff, style, i, f, own);
        for (size_t k = 0; k < 10; k++) {
            totals[k] += own[k];
        }
    }
    out->n = box->n;
    out->sum_items = (double)box->n;
    out->sum_serial = (double)box->n;
    out->energy = (double)totals[0];
    for (size_t k = 0; k < 9; k++) {
        out->virial[k] = (double)totals[1 + k];
    }
    for (size_t i = 0; i < 3 * box->n; i++) {
        out->force[i] = (double)f[i];
    }
    free(x);
    free(f);
}

#undef NAIVE
#undef REAL
#undef ACCUM
#undef RINT
#undef FLOOR
