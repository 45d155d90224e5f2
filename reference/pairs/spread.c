#include "reference/pairs/spread.h"

#include "reference/pairs/sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounding errors of pairs at different distances are as good as independent; those of the pairs of
 * a lattice are not. What falls into one class is taken as erring alike. */
enum { CLASS_BITS = 14, FEW_BITS = 10, FEW_TERMS = 1000 };

static const double max_terms = 4e6; /* each pair from both sides */

/* The sampled sites are added up in so many parts at most, for as many threads; how many there are
 * follows from the terms alone, and so do the bits of the sums. */
enum { MAX_PARTS = 16 };
static const double part_terms = 2.5e5;

struct class_sums {
    double energy, virial;
    double equal; /* energies again, by classes of their own size */
};

/* What the sampled pairs come to. */
struct sample {
    const struct scene *scene;
    const struct sites *sites;
    struct class_sums *classes;
    int bits;     /* there are 2^bits of them */
    double share; /* of all terms that each stands for, half of that: pairs are met from both sides
                   */
    double energy_condition, size, slope,
        virial_coherent;           /* sums of m, |f|, s, and r^2 s + r |f| + 2 r B */
    double slope_distance;         /* of r s */
    double energy_row, virial_row; /* what the pairs of a particle come to in the mean */
    double energy_small[REFERENCE_SMALL_BINS], virial_small[REFERENCE_SMALL_BINS];
    struct edge_list edges; /* found again, and let go */
};

/* Of squared distances: of 2^14 classes 2^12 per factor of two, which repeat after four of them. */
static size_t class_of_square(double r2, int class_bits) {
    uint64_t bits;
    memcpy(&bits, &r2, sizeof bits);
    return (size_t)(bits >> 40) % ((size_t)1 << class_bits);
}

/* Of a coordinate: one for each number, until they have to share. */
static size_t class_of_coordinate(double x, int class_bits) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (size_t)((bits * 0x9e3779b97f4a7c15u) >> (64 - class_bits));
}

/* Energies that are the same number in float; different ones share a class by chance alone. */
static size_t class_of_energy(double size, int class_bits) {
    return class_of_coordinate((double)(float)size, class_bits);
}

/* The roots of the sums of squares; most classes are empty in small boxes. */
static struct class_sums roots(const struct class_sums *classes, int bits) {
    struct class_sums root = { 0 };
    for (size_t c = 0; c < (size_t)1 << bits; c++) {
        if (classes[c].energy != 0.0 || classes[c].virial != 0.0) {
            root.energy = hypot(root.energy, classes[c].energy);
            root.virial = hypot(root.virial, classes[c].virial);
        }
    }
    return root;
}

/* Zero, and what is as large as the row, belong to no bin. */
static void add_small(double *bins, double size, double row, double share) {
    if (size > 0.0 && row > 0.0 && size < row) {
        const int bin = REFERENCE_SMALL_BINS + ilogb(size / row);
        bins[bin > 0 ? bin : 0] += share * size;
    }
}

static void add_pair(struct sample *sample, const struct pair_sums *pair, double r2, bool across) {
    const double length = across ? sample->scene->length_scale : 0.0;
    const double r = pair->r;
    const double energy = pair->scale[TERM_VAN_DER_WAALS] + pair->scale[TERM_COULOMB];
    const double stretch = pair->size + r * pair->slope;
    struct class_sums *sums = &sample->classes[class_of_square(r2, sample->bits)];
    sums->energy +=
        sample->share *
        (8.0 * energy + 2.0 * (r * pair->size + pair->energy_condition) + length * pair->size);
    sums->virial += sample->share * (8.0 * r * pair->size + 2.0 * r * r * pair->slope +
                                     4.0 * r * pair->force_condition + length * stretch);
    add_small(sample->energy_small, energy, sample->energy_row, sample->share);
    add_small(sample->virial_small, r * pair->size, sample->virial_row, sample->share);
    sample->classes[class_of_energy(energy, sample->bits)].equal += sample->share * energy;
    sample->energy_condition += sample->share * pair->energy_condition;
    sample->virial_coherent += sample->share * r * (stretch + 2.0 * pair->force_condition);
    sample->slope += pair->slope;
    sample->slope_distance += r * pair->slope;
}

static void add_partner(struct sample *sample, size_t site, size_t partner, int times) {
    const struct scene *scene = sample->scene;
    const struct sites *sites = sample->sites;
    const uint32_t one = sites->particle[site];
    const uint32_t other = sites->particle[partner];
    struct pair_sums sums;
    bool across = false;
    double from[3], to[3], d[3];
    for (int k = 0; k < 3; k++) {
        from[k] = sites->position[k][site];
        to[k] = sites->position[k][partner];
    }
    scene_displacement(scene, from, to, d);
    for (int k = 0; k < 3; k++) { /* an image is an edge away along some axis at least */
        across = across ||
                 (scene->images[k] && fabs(from[k] - to[k] - d[k]) > 0.5 * scene->box->edge[k]);
    }
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (r2 <= scene->cutoff2) {
        const struct placed_pair at = { d, r2, one, other };
        const bool acts = scene_pair(scene, &at, &sums, &sample->edges);
        sample->edges.count = 0;
        for (int time = 0; acts && time < times; time++) {
            add_pair(sample, &sums, r2, across);
        }
    }
}

static void add_site(struct sample *sample, size_t site) {
    const struct sites *sites = sample->sites;
    struct run runs[MAX_RUNS];
    if (sites->partner) {
        for (size_t p = sites->first[site]; p < sites->first[site + 1]; p++) {
            add_partner(sample, site, sites->partner[p], 1);
        }
        return;
    }
    const int count = sites_runs(sites, site, runs);
    for (int r = 0; r < count; r++) {
        for (size_t partner = runs[r].first; partner < runs[r].last; partner++) {
            const int times = partner == site ? 0 : sites_times(sites, site, partner);
            if (times > 0) {
                add_partner(sample, site, partner, times);
            }
        }
    }
}

static double count_terms(const struct reference *reference) {
    double terms = 0.0;
    for (size_t i = 0; i < reference->n; i++) {
        terms += reference->neighbours[i];
    }
    return terms;
}

/* What particles are moved by alike that have a coordinate in common, per axis. */
struct shifts {
    const double *position; /* 3 per particle */
    const struct reference *reference;
    double distance;
    struct class_sums *classes[3];
    int bits;
};

static void add_shifts(void *context, size_t axis) {
    const struct shifts *shifts = context;
    const struct reference *reference = shifts->reference;
    for (size_t i = 0; i < reference->n; i++) {
        struct class_sums *sums =
            &shifts
                 ->classes[axis][class_of_coordinate(shifts->position[3 * i + axis], shifts->bits)];
        sums->energy += reference->force[3 * i + axis];
        sums->virial += reference->scale[i] + shifts->distance * reference->slope[i];
    }
}

static bool fill_shifts(const struct sample *sample, struct threads *threads,
                        struct reference *reference, struct error *error) {
    const size_t classes = (size_t)1 << sample->bits;
    struct class_sums *all = calloc(3 * classes, sizeof *all);
    struct shifts shifts = { .position = sample->scene->box->position,
                             .reference = reference,
                             .distance =
                                 sample->slope > 0.0 ? sample->slope_distance / sample->slope : 0.0,
                             .classes = { all, all + classes, all + 2 * classes },
                             .bits = sample->bits };
    if (!all) {
        return fail_out_of_memory(error, "the sums of the reference");
    }
    threads_run(threads, 3, add_shifts, &shifts);
    for (int k = 0; k < 3; k++) {
        const struct class_sums root = roots(shifts.classes[k], sample->bits);
        struct reference_spread *spread = &reference->spread;
        spread->energy_shift = hypot(spread->energy_shift, root.energy);
        spread->virial_shift = hypot(spread->virial_shift, root.virial);
    }
    free(all);
    return true;
}

/* One of the parts in which the sites are gone through. */
struct parts {
    struct sample *sample;
    size_t count, stride;
};

static void add_part(void *context, size_t part) {
    const struct parts *parts = context;
    struct sample *sample = &parts->sample[part];
    const size_t sampled = (sample->sites->count + parts->stride - 1) / parts->stride;
    const size_t end = (part + 1) * sampled / parts->count;
    for (size_t s = part * sampled / parts->count; s < end; s++) {
        add_site(sample, s * parts->stride);
    }
}

static void add_sample(struct sample *to, const struct sample *from) {
    for (size_t c = 0; c < (size_t)1 << to->bits; c++) {
        to->classes[c].energy += from->classes[c].energy;
        to->classes[c].virial += from->classes[c].virial;
        to->classes[c].equal += from->classes[c].equal;
    }
    for (int bin = 0; bin < REFERENCE_SMALL_BINS; bin++) {
        to->energy_small[bin] += from->energy_small[bin];
        to->virial_small[bin] += from->virial_small[bin];
    }
    to->energy_condition += from->energy_condition;
    to->virial_coherent += from->virial_coherent;
    to->slope += from->slope;
    to->slope_distance += from->slope_distance;
}

static bool part_begin(const struct sample *like, struct sample *sample, struct error *error) {
    *sample = *like;
    sample->classes = calloc((size_t)1 << like->bits, sizeof *sample->classes);
    return sample->classes || fail_out_of_memory(error, "the sums of the reference");
}

static void part_end(struct sample *sample) {
    free(sample->classes);
    free(sample->edges.pairs);
}

/* All parts into the first, in their order. */
static bool add_parts(struct parts *parts, const struct sample *like, struct threads *threads,
                      struct error *error) {
    bool good = true;
    for (size_t p = 0; p < parts->count && good; p++) {
        good = part_begin(like, &parts->sample[p], error);
    }
    if (good) {
        threads_run(threads, parts->count, add_part, parts);
    }
    for (size_t p = 1; p < parts->count; p++) {
        if (good) {
            add_sample(&parts->sample[0], &parts->sample[p]);
        }
        part_end(&parts->sample[p]);
    }
    return good;
}

static void take_sums(const struct sample *sample, struct reference *reference) {
    const struct class_sums root = roots(sample->classes, sample->bits);
    struct reference_spread *spread = &reference->spread;
    *spread = (struct reference_spread){ .energy = root.energy,
                                         .virial = root.virial,
                                         .energy_condition = sample->energy_condition,
                                         .virial_coherent = sample->virial_coherent };
    for (size_t c = 0; c < (size_t)1 << sample->bits; c++) {
        spread->energy_equal = hypot(spread->energy_equal, sample->classes[c].equal);
    }
    memcpy(spread->energy_small, sample->energy_small, sizeof spread->energy_small);
    memcpy(spread->virial_small, sample->virial_small, sizeof spread->virial_small);
}

bool spread_fill(const struct scene *scene, const struct sites *sites, struct threads *threads,
                 struct reference *reference, struct error *error) {
    const double terms = count_terms(reference);
    const double sampled = fmin(terms, max_terms);
    struct sample samples[MAX_PARTS] = { { 0 } };
    const struct sample like = { .scene = scene,
                                 .sites = sites,
                                 .bits = terms > FEW_TERMS ? CLASS_BITS : FEW_BITS,
                                 /* so that there are not too many */
                                 .share = 0.5 * (1.0 + floor(terms / max_terms)),
                                 .energy_row = 2.0 * reference->energy_scale / (double)reference->n,
                                 .virial_row =
                                     2.0 * reference->virial_scale / (double)reference->n };
    struct parts parts = { .sample = samples,
                           .count = 1 + (size_t)fmin(MAX_PARTS - 1, sampled / part_terms),
                           .stride = 1 + (size_t)(terms / max_terms) };
    bool good = add_parts(&parts, &like, threads, error);
    if (good && samples[0].classes) { /* there is one part at least */
        take_sums(&samples[0], reference);
        good = fill_shifts(&samples[0], threads, reference, error);
    }
    part_end(&samples[0]);
    return good;
}

static bool fill_box(const struct reference_case *asked, struct threads *threads,
                     struct reference *reference, struct error *error) {
    struct scene scene;
    struct sites sites = { 0 };
    if (!scene_begin(asked->box, asked->interaction, asked->cutoff, &scene, error)) {
        return false;
    }
    const bool filled = sites_begin(&scene, asked->groups, threads, &sites, error) &&
                        spread_fill(&scene, &sites, threads, reference, error);
    sites_free(&sites);
    scene_free(&scene);
    return filled;
}

bool spread_fill_box(const struct box *box, const struct interaction *interaction, double cutoff,
                     const struct groups *groups, struct reference *reference,
                     struct error *error) {
    const struct reference_case asked = { box, interaction, cutoff, groups };
    return fill_box(&asked, NULL, reference, error);
}

bool reference_fill_spread(const struct box *box, const struct interaction *interaction,
                           double cutoff, struct reference *reference, struct error *error) {
    const struct reference_case asked = { box, interaction, cutoff, NULL };
    struct threads *threads = threads_open(box->n / 4096 + 1);
    const bool filled = fill_box(&asked, threads, reference, error);
    threads_close(threads);
    return filled;
}
