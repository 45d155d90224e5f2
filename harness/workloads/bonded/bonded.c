/* bonded — what listed terms between a few particles each do: harmonic bonds and angles, periodic
 * and Ryckaert-Bellemans torsions. Forces are minus the gradient of the energy. */
#include "kernels/potentials/bonded.h"

#include "kernels/bindings.h"
#include "kernels/case.h"
#include "kernels/kernel_parameters.h"
#include "kernels/potentials/pair_text.h"
#include "kernels/text/kernel_text.h"
#include "reference/bonded/bonded.h"
#include "workloads/gate.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct workload_scalar scalars[] = {
    { "energy", "the sum of the terms' energies", 1, 1, OUTPUTS_ENERGY },
    { "virial", "the sum over the particles of each term of position (outer) force", 9, 6,
      OUTPUTS_VIRIAL },
    { .name = NULL },
};

/* Chains of every length up to a few, sizes at and beside those of groups, cells of both kinds. */
static const struct workload_check checks[] = {
    { .options = "--kind chains --n 1k --precision * --outputs forces,virial", .for_user_n = true },
    { .options =
          "--kind chains --n 1,2,3,4,5,17,65,257 --precision float,double --outputs virial" },
    { .options = "--kind proteins --n 37,500 --precision float,double --outputs virial" },
    { .options = "--kind water --n 3,100 --precision float,double --outputs virial" },
    /* torsions of every multiplicity, trans torsions, straight angles */
    { .options = "--kind hydrogens,oligomers --n 500 --precision float,double --outputs virial" },
    /* where terms are not defined, and at 0, 90 and 180 degrees */
    { .options = "--kind degenerate --n 56,229 --precision * --outputs virial" },
    { .options = "--kind degenerate --n 112 --precision * --outputs virial --open" },
    /* 76 terms per particle, several of the same particles */
    { .options = "--kind polymers --n 130,500 --precision float,double --outputs virial" },
    { .options = "--kind chains --n 130 --precision mixed --outputs energy,virial --reduction *" },
    { .options = "--kind chains@75:100:65 --n 500 --precision * --outputs virial" },
    /* batches: boxes of one particle and of none, cells that differ, by one cell for all */
    { .options = "--kind chains --n 0-9 --batch 9 --open --precision float,double --outputs "
                 "forces,virial" },
    { .options = "--kind chains,proteins --n 130-300 --batch 3 --precision * --outputs virial" },
    { .options = "--kind polymers@75:100:65 --n 200-260 --batch 3 --precision float,double "
                 "--outputs virial" },
    { .options = "--kind water,hydrogens --n 360 --batch 4 --precision float,double --outputs "
                 "forces" },
    { .options = "--kind chains --n 31,500 --precision * --outputs virial --open",
      .for_user_n = true },
    /* terms beyond 2^16, particles beyond 2^15 */
    { .options = "--kind chains --n 33013 --precision float,double --outputs virial" },
    /* many terms, some of which are alike, in an open box: what is wrong are sums (gate.h) */
    { .options = "--kind polymers --n 70001 --precision mixed --outputs virial --open",
      .always = true },
    /* 300 terms of a particle; lengths of 0, constants below it, angles and phases of all sizes */
    { .options = "--kind fluid --n 257 --precision float --outputs forces "
                 "--bonds built-in:share/presets/hub_bonds.csv "
                 "--angles built-in:share/presets/hub_angles.csv "
                 "--torsions built-in:share/presets/hub_torsions.csv",
      .always = true },
    /* small terms: what is wrong are units (measure/gate_sums.c) */
    { .options = "--kind gas --n 5 --precision fixed --outputs virial "
                 "--bonds built-in:share/presets/weak_bonds.csv "
                 "--angles built-in:share/presets/weak_angles.csv "
                 "--torsions built-in:share/presets/weak_torsions.csv "
                 "--rb-torsions built-in:share/presets/weak_rb_torsions.csv",
      .always = true },
    { .options = NULL },
};

static const struct workload_factor factors[] = {
    WORKLOAD_SUM_FACTORS,
    { .name = "kind",
      .values =
          WORKLOAD_VALUES("--kind chains", "--kind proteins", "--kind water", "--kind hydrogens",
                          "--kind oligomers", "--kind polymers", "--kind degenerate") },
    { .name = "cell", .values = WORKLOAD_VALUES("", WORKLOAD_OTHER_CELLS), .closely = true },
    { .name = "n",
      .values = WORKLOAD_VALUES("--n 257", WORKLOAD_OTHER_SIZES, "--n 0-3 --batch 17",
                                "--n 130-900 --batch 5", "--n 1280 --batch 5",
                                "--n 2-6 --batch 1030", WORKLOAD_REMAINDERS) },
    { .name = NULL },
};

static const char *const axes[] = {
    WORKLOAD_AXES_OF_BOXES, "--interaction",       "--bonds",  "--angles", "--torsions",
    "--rb-torsions",        WORKLOAD_AXES_OF_SUMS, "--launch", "--batch",  NULL
};

static const struct workload_refusal refusals[] = {
    { "--cutoff", "has none: its terms are listed" },
    { NULL, NULL },
};

static const char *const interactions[] = { "bonded", NULL };

static const char *refuse_case(const struct case_spec *spec) {
    const char *why = batch_refuse_lists(
        spec, "has terms of the particles of one box: a batch takes kinds that have their own");
    if (why) {
        return why;
    }
    return spec->interaction.bonded || bonded_kind_has_terms(spec->box.kind)
               ? NULL
               : "needs bonded terms: --bonds, --angles, --torsions or --rb-torsions, or a box of "
                 "kind chains, which has its own";
}

/* ---- what kernels may bind ---- */

static const struct kernel_parameter term_parameters[] = {
    { "term_count", "int", FROM_INT(terms_arguments, term_count) },
    { "bond_count", "int", FROM_INT(terms_arguments, counts[BONDED_BONDS]) },
    { "angle_count", "int", FROM_INT(terms_arguments, counts[BONDED_ANGLES]) },
    { "torsion_count", "int", FROM_INT(terms_arguments, counts[BONDED_TORSIONS]) },
    { "rb_torsion_count", "int", FROM_INT(terms_arguments, counts[BONDED_RB_TORSIONS]) },
    { "term_atoms", "GLOBAL const int4 *", FROM_BUFFER(terms_arguments, term_atoms) },
    { "term_ranks", "GLOBAL const int4 *", FROM_BUFFER(terms_arguments, term_ranks) },
    { "incidence_start", "GLOBAL const int *", FROM_BUFFER(terms_arguments, incidence_start) },
    { "incidences", "GLOBAL const int *", FROM_BUFFER(terms_arguments, incidences) },
    { "bond_parameters", "GLOBAL const real2 *",
      FROM_BUFFER(terms_arguments, parameters[BONDED_BONDS]) },
    { "angle_parameters", "GLOBAL const real2 *",
      FROM_BUFFER(terms_arguments, parameters[BONDED_ANGLES]) },
    { "torsion_parameters", "GLOBAL const real4 *",
      FROM_BUFFER(terms_arguments, parameters[BONDED_TORSIONS]) },
    { "rb_torsion_parameters", "GLOBAL const real2 *",
      FROM_BUFFER(terms_arguments, parameters[BONDED_RB_TORSIONS]) },
    { 0 },
};
static const struct parameter_table parameter_tables[] = {
    { bindings_of_case, 0 },
    { term_parameters, offsetof(struct case_arguments, terms) },
    { batch_parameters, offsetof(struct case_arguments, batch) },
    { NULL, 0 }
};
static const char *const units[] = {
    "particle", "compute_unit", "box", "term", "force_buffer", NULL
};

/* ---- on the device ---- */

/* The terms stand in the order that the tunable TERM_ORDER says. Those of all kinds are numbered in
 * one row: bonds, angles, torsions, Ryckaert-Bellemans torsions. */

enum { PLACES = BONDED_MAX_ATOMS };

/* The tunable of variants by which they choose in which order terms of a kind stand. */
#define TERM_ORDER_TUNABLE "TERM_ORDER"
enum term_order {
    TERM_ORDER_LISTED,   /* as in the lists */
    TERM_ORDER_SORTED,   /* by the least particle of each */
    TERM_ORDER_SCATTERED /* far from each other: what order is worth */
};

struct listed_terms {
    struct terms_arguments arguments;
    size_t n;      /* particles */
    int32_t *atom; /* of each term four particles of the box, -1 after those that there are */
    /* Of each kind, the parameters term by term, so many each; 0: not kept, for the terms stay
     * where they are. */
    double *numbers[BONDED_KINDS];
    size_t each[BONDED_KINDS];
    bool are_doubles;
    struct batch_on_device batch; /* the boxes */
};

/* ---- on the device: the order of terms ---- */

static uint64_t least_atom(const struct bonded_list *list, int atoms, size_t term) {
    int32_t least = INT32_MAX;
    for (int a = 0; a < atoms; a++) {
        const int32_t atom = list->atom[term * (size_t)atoms + (size_t)a];
        least = atom < least ? atom : least;
    }
    return (uint64_t)least;
}

/* Which term of the list stands at each place. Caller frees; NULL when memory ran out. */
static struct keyed *rank_terms(const struct bonded_list *list, int atoms, enum term_order order) {
    struct keyed *ranked = malloc((list->count + 1) * sizeof *ranked);
    for (size_t t = 0; ranked && t < list->count; t++) {
        const uint64_t scattered = (t + 1) * 0x9e3779b97f4a7c15U;
        ranked[t].number = (int32_t)t;
        ranked[t].key = order == TERM_ORDER_SORTED      ? least_atom(list, atoms, t)
                        : order == TERM_ORDER_SCATTERED ? scattered ^ scattered >> 31
                                                        : 0;
    }
    if (ranked && order != TERM_ORDER_LISTED) {
        keyed_sort(ranked, list->count);
    }
    return ranked;
}

/* ---- on the device: parameters ---- */

static double radians(double degrees) {
    return degrees * (3.14159265358979323846 / 180.0);
}

/* How many numbers kernels get of a term of the kind; where a file says the energy, all that it may
 * be of. */
static size_t numbers_of(const struct bonded_list *list, int kind) {
    static const size_t numbers[BONDED_KINDS] = { 2, 2, 4, 6 };
    static const size_t written[BONDED_KINDS] = { 6, 6, 8, 6 };
    if (list->written.text) {
        return (size_t)term_text_width(list->written.text);
    }
    return list->written.expression ? written[kind] : numbers[kind];
}

/* Fills in these numbers of one term. */
static void stage_parameters(int kind, const double *parameter, double *numbers) {
    switch (kind) {
    case BONDED_ANGLES:
        numbers[0] = parameter[0];
        numbers[1] = radians(parameter[1]);
        break;
    case BONDED_TORSIONS:
        numbers[0] = parameter[0];
        numbers[1] = parameter[1];
        numbers[2] = cos(radians(parameter[2]));
        numbers[3] = sin(radians(parameter[2]));
        break;
    default:
        memcpy(numbers, parameter, (size_t)bonded_forms[kind].parameters * sizeof *numbers);
        break;
    }
}

/* ---- on the device: one kind ---- */

static bool upload_reals(struct device *device, int kind, const struct reals *reals,
                         struct buffer **buffer, struct error *error) {
    for (size_t k = 0; k < reals->count && !reals->are_doubles; k++) {
        if (!(fabs(reals->numbers[k]) <= 3e38)) {
            return fail(
                error, STATUS_UNSUPPORTED,
                "a parameter of %s, %g, is beyond the range of float: take larger or smaller "
                "units, or double",
                bonded_forms[kind].name, reals->numbers[k]);
        }
    }
    return buffer_upload_reals(device, bonded_forms[kind].name, reals, buffer, error);
}

/* The first term of the kind in the row of all. */
static size_t first_of(const struct bonded_terms *terms, int kind) {
    size_t first = 0;
    for (int k = 0; k < kind; k++) {
        first += terms->lists[k].count;
    }
    return first;
}

/* Fills in the particles of the kind's terms, and uploads their parameters. */
static bool create_kind(struct device *device, const struct case_spec *spec,
                        const struct bonded_terms *terms, int kind, struct listed_terms *buffers,
                        struct error *error) {
    const size_t first = first_of(terms, kind);
    const struct bonded_form *form = &bonded_forms[kind];
    const struct bonded_list *list = &terms->lists[kind];
    const size_t each = numbers_of(list, kind);
    const size_t given = (size_t)bonded_parameters(list, form);
    const enum term_order order =
        (enum term_order)tunings_value(&spec->tunings, TERM_ORDER_TUNABLE, TERM_ORDER_LISTED);
    if (list->written.text && list->written.text->uses_atoms &&
        !numeric_real_is_double(precision_numeric(spec->precision)) &&
        buffers->n > TERM_TEXT_MAX_ATOM_IN_FLOAT) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s uses particle numbers (atom1), and floats hold numbers up to %d; the box "
                    "has %zu: take double",
                    list->written.text->path, TERM_TEXT_MAX_ATOM_IN_FLOAT, buffers->n);
    }
    struct keyed *ranked = rank_terms(list, form->atoms, order);
    double *numbers = calloc(list->count * each + 1, sizeof *numbers);
    if (!ranked || !numbers) {
        free(ranked);
        free(numbers);
        return fail_out_of_memory(error, "the bonded terms");
    }
    for (size_t t = 0; t < list->count; t++) {
        const size_t from = (size_t)ranked[t].number;
        const double *parameter = list->parameter + from * given;
        if (list->written.text) {
            term_text_place(list->written.text, parameter, list->atom + from * (size_t)form->atoms,
                            t, list->count, numbers);
        } else if (list->written.expression) {
            memcpy(numbers + t * each, parameter, given * sizeof *numbers);
        } else {
            stage_parameters(kind, parameter, numbers + t * each);
        }
        memcpy(buffers->atom + PLACES * (first + t), list->atom + from * (size_t)form->atoms,
               (size_t)form->atoms * sizeof *buffers->atom);
    }
    const struct reals reals = { numbers, list->count * each, buffers->are_doubles };
    free(ranked);
    buffers->numbers[kind] = numbers;
    buffers->each[kind] = list->written.text ? 0 : each; /* those of a text are in planes */
    return upload_reals(device, kind, &reals, &buffers->arguments.parameters[kind], error);
}

/* ---- on the device: what holds places of particles ---- */

static size_t term_count(const struct listed_terms *buffers) {
    return (size_t)buffers->arguments.term_count;
}

/* The terms of each particle, by its place. */
struct incidence_lists {
    int32_t *start; /* n + 1 */
    int32_t *entry; /* start[n]: PLACES times the term and which of its particles */
    int32_t *rank;  /* PLACES per term: which entry of its particle's that is */
};

static void incidence_lists_free(struct incidence_lists *lists) {
    free(lists->start);
    free(lists->entry);
    free(lists->rank);
}

static bool list_incidences(const struct listed_terms *buffers, const int32_t *place,
                            struct incidence_lists *lists, struct error *error) {
    const size_t places = PLACES * term_count(buffers);
    lists->start = calloc(buffers->n + 1, sizeof *lists->start);
    lists->entry = malloc((places + 1) * sizeof *lists->entry);
    lists->rank = malloc((places + 1) * sizeof *lists->rank);
    if (!lists->start || !lists->entry || !lists->rank) {
        incidence_lists_free(lists);
        return fail_out_of_memory(error, "the bonded terms");
    }
    for (size_t k = 0; k < places; k++) {
        lists->rank[k] = place[k] < 0 ? -1 : lists->start[place[k] + 1]++;
    }
    for (size_t i = 0; i < buffers->n; i++) {
        lists->start[i + 1] += lists->start[i];
    }
    for (size_t k = 0; k < places; k++) {
        if (place[k] >= 0) {
            lists->entry[lists->start[place[k]] + lists->rank[k]] = (int32_t)k;
        }
    }
    return true;
}

static bool write_ints(struct buffer *buffer, const int32_t *numbers, size_t count,
                       struct error *error) {
    return !buffer || count == 0 ||
           buffer_write(buffer, 0, numbers, count * sizeof *numbers, error);
}

static bool wants_incidences(const struct listed_terms *buffers) {
    return buffers->arguments.incidences || buffers->arguments.term_ranks;
}

static bool write_places(struct listed_terms *buffers, const int32_t *place, struct error *error) {
    const struct terms_arguments *arguments = &buffers->arguments;
    const size_t places = PLACES * term_count(buffers);
    struct incidence_lists lists = { 0 };
    if (!write_ints(arguments->term_atoms, place, places, error)) {
        return false;
    }
    if (!wants_incidences(buffers)) {
        return true;
    }
    if (!list_incidences(buffers, place, &lists, error)) {
        return false;
    }
    const bool written =
        write_ints(arguments->term_ranks, lists.rank, places, error) &&
        write_ints(arguments->incidence_start, lists.start, buffers->n + 1, error) &&
        write_ints(arguments->incidences, lists.entry, (size_t)lists.start[buffers->n], error);
    incidence_lists_free(&lists);
    return written;
}

/* How many places the terms of a kind are shifted, in a circle: where particles are scattered, sums
 * over terms are in another order, too. */
static size_t shift_of(const struct listed_terms *buffers, const struct member_order *order,
                       int kind) {
    const size_t stride = order_stride(order);
    const size_t count = (size_t)buffers->arguments.counts[kind];
    const bool is_scattered = stride > 1 && stride + 1 < buffers->n;
    return is_scattered && buffers->each[kind] > 0 && count > 0 ? order->shift % count : 0;
}

/* Copies `count` things of so many bytes, the first to where `shift` says. */
static void copy_shifted(void *to, const void *from, size_t count, size_t bytes, size_t shift) {
    memcpy((char *)to + shift * bytes, from, (count - shift) * bytes);
    memcpy(to, (const char *)from + (count - shift) * bytes, shift * bytes);
}

static bool shift_parameters(const struct listed_terms *buffers, int kind, size_t shift,
                             struct error *error) {
    const size_t count = (size_t)buffers->arguments.counts[kind];
    const size_t each = buffers->each[kind];
    double *shifted = malloc((count * each + 1) * sizeof *shifted);
    if (!shifted) {
        return fail_out_of_memory(error, "the bonded terms");
    }
    copy_shifted(shifted, buffers->numbers[kind], count, each * sizeof *shifted, shift);
    const bool written = buffer_write_reals(buffers->arguments.parameters[kind], shifted,
                                            count * each, buffers->are_doubles, error);
    free(shifted);
    return written;
}

/* Writes the parameters, and fills in the particles of the box that are in each term. */
static bool order_terms(const struct listed_terms *buffers, const struct member_order *order,
                        int32_t *atom, struct error *error) {
    size_t first = 0;
    bool ordered = true;
    for (int kind = 0; ordered && kind < BONDED_KINDS; kind++) {
        const size_t count = (size_t)buffers->arguments.counts[kind];
        const size_t shift = shift_of(buffers, order, kind);
        copy_shifted(atom + PLACES * first, buffers->atom + PLACES * first, count,
                     PLACES * sizeof *atom, shift);
        ordered = count * buffers->each[kind] == 0 || shift_parameters(buffers, kind, shift, error);
        first += count;
    }
    return ordered;
}

static bool reorder(void *context, const struct member_order *order, struct error *error) {
    struct listed_terms *buffers = context;
    const size_t places = PLACES * term_count(buffers);
    int32_t *place = malloc((places + 1) * sizeof *place);
    if (!place) {
        return fail_out_of_memory(error, "the bonded terms");
    }
    bool written = order_terms(buffers, order, place, error);
    for (size_t k = 0; written && k < places; k++) {
        place[k] =
            place[k] < 0 ? -1 : (int32_t)place_of_member(order, buffers->n, (size_t)place[k]);
    }
    written = written && write_places(buffers, place, error) &&
              batch_buffers.reorder(&buffers->batch, order, error);
    free(place);
    return written;
}

/* ---- on the device: making ---- */

/* How many terms the particle with most of them has, at least 1, and all particles of terms. */
static bool count_incidences(struct listed_terms *buffers, size_t *total, struct error *error) {
    int32_t *count = calloc(buffers->n + 1, sizeof *count);
    int32_t most = 1;
    *total = 0;
    if (!count) {
        return fail_out_of_memory(error, "the bonded terms");
    }
    for (size_t k = 0; k < PLACES * term_count(buffers); k++) {
        if (buffers->atom[k] >= 0) {
            const int32_t now = ++count[buffers->atom[k]];
            most = now > most ? now : most;
            ++*total;
        }
    }
    buffers->arguments.force_buffers = most;
    free(count);
    return true;
}

static bool allocate_ints(struct device *device, const char *label, size_t count,
                          struct buffer **buffer, struct error *error) {
    return buffer_allocate_labelled(device, label, count * sizeof(int32_t), buffer, error);
}

/* Makes the arrays that the variant names among its parameters. */
static bool allocate_places(struct device *device, const struct variant *variant,
                            struct listed_terms *buffers, struct error *error) {
    struct terms_arguments *arguments = &buffers->arguments;
    const size_t places = PLACES * term_count(buffers);
    size_t incidences = 0;
    struct requested_names *requested = calloc(1, sizeof *requested);
    if (!requested) {
        return fail_out_of_memory(error, "the bonded terms");
    }
    requested_names_of_variant(variant, requested);
    bool made = count_incidences(buffers, &incidences, error) &&
                allocate_ints(device, "term_atoms", places, &arguments->term_atoms, error);
    if (made && requested_names_have(requested, "term_ranks")) {
        made = allocate_ints(device, "term_ranks", places, &arguments->term_ranks, error);
    }
    if (made && (requested_names_have(requested, "incidences") ||
                 requested_names_have(requested, "incidence_start"))) {
        made = allocate_ints(device, "incidence_start", buffers->n + 1, &arguments->incidence_start,
                             error) &&
               allocate_ints(device, "incidences", incidences, &arguments->incidences, error);
    }
    free(requested);
    return made;
}

static bool create_all(struct device *device, const struct case_spec *spec,
                       const struct bonded_terms *terms, struct listed_terms *buffers,
                       struct error *error) {
    const size_t count = bonded_count(terms);
    if (count > BONDED_MAX_TERMS) {
        return fail(error, STATUS_UNSUPPORTED, "more than %d bonded terms", BONDED_MAX_TERMS);
    }
    buffers->atom = malloc((PLACES * count + 1) * sizeof *buffers->atom);
    if (!buffers->atom) {
        return fail_out_of_memory(error, "the bonded terms");
    }
    memset(buffers->atom, 0xff, PLACES * count * sizeof *buffers->atom); /* -1 */
    buffers->arguments.term_count = (int32_t)count;
    buffers->are_doubles = numeric_real_is_double(precision_numeric(spec->precision));
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        buffers->arguments.counts[kind] = (int32_t)terms->lists[kind].count;
        if (!create_kind(device, spec, terms, kind, buffers, error)) {
            return false;
        }
    }
    return allocate_places(device, spec->variant, buffers, error) &&
           write_places(buffers, buffers->atom, error);
}

static void free_terms(void *context) {
    struct listed_terms *buffers = context;
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        free(buffers->numbers[kind]);
    }
    free(buffers->atom);
}

static bool create(struct device *device, const struct case_spec *spec, const struct box *box,
                   double cutoff, void *buffers, struct error *error) {
    struct bonded_terms own;
    const struct bonded_terms *terms;
    struct listed_terms *made = buffers;
    made->n = box->n;
    if (!batch_buffers.create(device, spec, box, cutoff, &made->batch, error)) {
        return false;
    }
    const bool created = bonded_resolve(spec->interaction.bonded, box, &own, &terms, error) &&
                         create_all(device, spec, terms, made, error);
    bonded_free(&own);
    return created;
}

static bool count_unit(const void *context, const char *unit, size_t *count) {
    const struct listed_terms *buffers = context;
    if (strcmp(unit, "term") == 0) {
        *count = term_count(buffers);
    } else if (strcmp(unit, "force_buffer") == 0) {
        *count = (size_t)buffers->arguments.force_buffers;
    } else {
        return false;
    }
    return true;
}

static void count_terms(const void *context, int64_t count[BONDED_KINDS]) {
    const struct listed_terms *buffers = context;
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        count[kind] = buffers->arguments.counts[kind];
    }
}

const struct workload_buffers bonded_buffers = {
    .size = sizeof(struct listed_terms),
    .arguments = { WORKLOAD_ARGUMENTS(listed_terms, arguments, terms),
                   WORKLOAD_ARGUMENTS(listed_terms, batch.arguments, batch) },
    .create = create,
    .free = free_terms,
    .reorder = reorder,
    .unit = count_unit,
    .count = count_terms,
};

/* ---- the class ---- */

static const char *const columns[] = { "bonds", "angles",      "torsions", "rb_torsions",
                                       "batch", "batch_sizes", NULL };

extern const struct judge judge_bonded_terms;
extern const struct workload workload_bonded;
const struct workload workload_bonded = {
    .name = "bonded",
    .summary = "forces, energy and virial of bonds, angles and torsions",
    .judge = &judge_bonded_terms,
    .fields = workload_force_fields,
    .scalars = scalars,
    .buffers = &bonded_buffers,
    .words = WORKLOAD_WORDS_OF_FORCES("terms", "term", "terms/s", "bonded_atomic"),
    .axes = axes,
    .columns = columns,
    .parameter_tables = parameter_tables,
    .units = { [GROUPS_ONE] = units },
    .append_words = kernel_text_append_words,
    .refusals = refusals,
    .interactions = interactions,
    .refuse_case = refuse_case,
    .suits_kind = bonded_kind_has_terms,
    .takes_cutoff = workload_takes_any_cutoff,
    .groups = GROUPS_ONE_BIT,
    .default_interaction = "bonded",
    .default_kind = "chains",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
    .factors = factors,
};

/* ---- the judge ---- */

/* How errors move a term near where it is not defined depends on how large they are. */
static double unit_of(const struct judge_question *question) {
    return format_unit(precision_numeric(question->spec->precision).arithmetic);
}

static bool expect(const struct judge_question *question, enum expect_use use,
                   struct expectation **expected, struct error *error) {
    struct bonded_terms made = { 0 };
    const struct bonded_terms *terms;
    struct expectation *sums = sums_allocate(error);
    (void)use; /* computed in less time than it is read */
    const bool computed =
        sums &&
        bonded_resolve(question->spec->interaction.bonded, question->box, &made, &terms, error) &&
        reference_bonded(question->box, terms, unit_of(question), &sums->reference, NULL, error);
    bonded_free(&made);
    return sums_take(sums, computed, expected);
}

static bool expect_some(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct expectation **expected, struct error *error) {
    struct bonded_terms made = { 0 };
    const struct bonded_terms *terms;
    struct expectation *sums = sums_allocate(error);
    const bool computed =
        sums &&
        bonded_resolve(question->spec->interaction.bonded, question->box, &made, &terms, error) &&
        reference_bonded_some(&(struct bonded_case){ question->box, terms, unit_of(question) },
                              particle, count, &sums->reference, error);
    bonded_free(&made);
    return sums_take(sums, computed, expected);
}

const struct judge judge_bonded_terms = { .name = "bonded_terms",
                                          .expect = expect,
                                          .expect_some = expect_some,
                                          .totals_are_small = sums_totals_are_small,
                                          .compare = sums_compare,
                                          SUMS_JUDGE_MEMBERS };
