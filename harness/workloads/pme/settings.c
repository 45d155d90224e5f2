#include "workloads/pme/settings.h"

#include "devices/device.h"
#include "workloads/tolerances.h"

#include <math.h>

enum { LEAST_ORDER = 4, MOST_ORDER = 6, OPENMM_LEAST_POINTS = 6, MOST_POINTS = 1 << 29 };

static const double distances_of_cutoff = 4; /* mean ones, in the cutoff that is derived */
static const double gromacs_spacing = 0.12;  /* of points, in cutoffs: 0.12 nm where that is 1 nm */
static const double largest_grid = 1 << 20;  /* along a vector */

/* alpha times the cutoff where erfc() of it is the tolerance, by bisection. */
static double screening(double tolerance) {
    double low = 0;
    double high = 30;
    for (int step = 0; step < 64; step++) {
        const double middle = 0.5 * (low + high);
        if (erfc(middle) > tolerance) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

static double derive_cutoff(const struct box *box) {
    const double volume = box->edge[0] * box->edge[1] * box->edge[2];
    return fmin(distances_of_cutoff * cube_root(volume / (double)box->n),
                0.5 * cell_least_height(&box->cell));
}

/* Points along a vector of the cell that the tolerance asks for. */
static double wanted_points(const struct interaction *interaction, const struct box *box, int a,
                            double alpha, double cutoff) {
    const double tolerance = interaction_value(interaction, "tolerance");
    if (interaction_value(interaction, "rule") > 0.5) {
        double length[3];
        cell_lengths(&box->cell, length);
        return ceil(length[a] / (gromacs_spacing * cutoff));
    }
    return fmax(ceil(2 * alpha * box->edge[a] / (3 * pow(tolerance, 0.2))), OPENMM_LEAST_POINTS);
}

/* The next number of points that can be transformed. A derived one is no multiple of 49: on an
 * H200, cuFFT takes half as long again for 147^3 points as for 150^3. */
static size_t round_up(double wanted, int order, bool is_derived) {
    size_t points = wanted > order ? (size_t)wanted : (size_t)order;
    while (!transform_takes(points) || (is_derived && points % 49 == 0)) {
        points++;
    }
    return points;
}

static bool find_grid(const struct interaction *interaction, const struct box *box, double cutoff,
                      struct pme_settings *settings, struct error *error) {
    static const char *const names[3] = { "grid_x", "grid_y", "grid_z" };
    double points = 1;
    for (int a = 0; a < 3; a++) {
        const double given = interaction_value(interaction, names[a]);
        const double wanted =
            given > 0 ? given : wanted_points(interaction, box, a, settings->alpha, cutoff);
        if (!(wanted <= largest_grid)) {
            return fail(error, STATUS_UNSUPPORTED,
                        "a grid of %g points along a vector; expected %g at most", wanted,
                        largest_grid);
        }
        settings->grid[a] = round_up(wanted, settings->order, !(given > 0));
        points *= (double)settings->grid[a];
        if (given > 0 && (double)settings->grid[a] != given) {
            return fail(error, STATUS_BAD_INPUT,
                        "pme:%s=%g; expected a product of 2, 3, 5 and 7 that is at least the order "
                        "of the splines, %d; %zu is the next",
                        names[a], given, settings->order, settings->grid[a]);
        }
    }
    return points <= MOST_POINTS || fail(error, STATUS_UNSUPPORTED,
                                         "a grid of %zu x %zu x %zu points; expected 2^29 at most",
                                         settings->grid[0], settings->grid[1], settings->grid[2]);
}

bool pme_settings_resolve(const struct interaction *interaction, const struct box *box,
                          struct pme_settings *settings, struct error *error) {
    const double order = interaction_value(interaction, "order");
    const double tolerance = interaction_value(interaction, "tolerance");
    const double given = interaction_value(interaction, "real_cutoff");
    const double alpha = interaction_value(interaction, "alpha");
    if (!box->periodic || box_is_partly_periodic(box)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "workload pme: a box that is not periodic along all three vectors");
    }
    *settings = (struct pme_settings){ .order = (int)order,
                                       .coulomb = interaction_value(interaction, "coulomb") };
    if (order != LEAST_ORDER && order != LEAST_ORDER + 1 && order != MOST_ORDER) {
        return fail(error, STATUS_BAD_INPUT, "pme:order=%g; expected 4, 5 or 6", order);
    }
    if (!(tolerance < 0.5)) {
        return fail(error, STATUS_BAD_INPUT, "pme:tolerance=%g; expected less than 0.5", tolerance);
    }
    const double cutoff = given > 0 ? given : derive_cutoff(box);
    const bool by_gromacs = interaction_value(interaction, "rule") > 0.5;
    settings->alpha = alpha > 0    ? alpha
                      : by_gromacs ? screening(tolerance) / cutoff
                                   : sqrt(-log(2 * tolerance)) / cutoff;
    return find_grid(interaction, box, cutoff, settings, error);
}

bool pme_grid_is_padded(const struct variant *variant) {
    bool padded = false;
    for (int p = 0; p < variant->pass_count; p++) {
        padded = padded || variant->passes[p].of_planes;
    }
    return padded;
}

struct pme_rounding pme_rounding_of(enum precision precision) {
    const struct numeric numeric = precision_numeric(precision);
    return (struct pme_rounding){
        .unit = format_unit(numeric.arithmetic),
        .sum_unit = format_unit(numeric.accumulation),
        .quantum = numeric_sums_are_fixed(numeric) ? FIXED_POINT_ERROR : 0,
    };
}

bool pme_settings_of_steps(const struct long_range *long_range, enum precision precision,
                           const struct box *box, struct step_long_range *made,
                           struct error *error) {
    struct pme_settings settings;
    if (!pme_settings_resolve(&long_range->interaction, box, &settings, error)) {
        return false;
    }
    *made =
        (struct step_long_range){ .alpha = settings.alpha,
                                  .coulomb = settings.coulomb,
                                  .grid = { settings.grid[0], settings.grid[1], settings.grid[2] },
                                  .order = settings.order,
                                  .rounding =
                                      pme_rounding_of(long_range_precision(long_range, precision)),
                                  .adding = pme_rounding_of(precision) };
    return true;
}
