/* The bonded terms of a case on the device, as kernels of workload `bonded` are given them, in the
 * order that the tunable TERM_ORDER says. Terms of all kinds are numbered in one row: bonds,
 * angles, torsions, Ryckaert-Bellemans torsions. */
#include "workloads/workload_buffers.h"

#include "kernels/kernel_parameters.h"
#include "kernels/potentials/bonded.h"
#include "kernels/potentials/pair_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    void *batch; /* what batch_buffers make of the boxes */
};

/* ---- the order of terms ---- */

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

/* ---- parameters ---- */

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

/* What they are. */
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

/* ---- one kind ---- */

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

/* ---- what holds places of particles ---- */

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

/* By how many places the terms of a kind are shifted, in a circle: where particles are scattered,
 * sums over terms are in another order, too. */
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
              batch_buffers.reorder(buffers->batch, order, error);
    free(place);
    return written;
}

/* ---- making ---- */

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

/* What nobody names is not made. */
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
    struct terms_arguments *arguments = &buffers->arguments;
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        buffer_free(arguments->parameters[kind]);
        free(buffers->numbers[kind]);
    }
    if (buffers->batch) {
        batch_buffers.free(buffers->batch);
        free(buffers->batch);
    }
    buffer_free(arguments->term_atoms);
    buffer_free(arguments->term_ranks);
    buffer_free(arguments->incidence_start);
    buffer_free(arguments->incidences);
    free(buffers->atom);
}

static bool create(struct device *device, const struct case_spec *spec, const struct box *box,
                   double cutoff, void *buffers, struct error *error) {
    struct bonded_terms own;
    const struct bonded_terms *terms;
    struct listed_terms *made = buffers;
    made->n = box->n;
    made->batch = calloc(1, batch_buffers.size);
    if (!made->batch) {
        return fail_out_of_memory(error, "the bonded terms");
    }
    if (!batch_buffers.create(device, spec, box, cutoff, made->batch, error)) {
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

static void fill_arguments(const void *context, struct case_arguments *arguments) {
    const struct listed_terms *buffers = context;
    arguments->terms = buffers->arguments;
    batch_buffers.fill_arguments(buffers->batch, arguments);
}

static void count_terms(const void *context, int64_t count[BONDED_KINDS]) {
    const struct listed_terms *buffers = context;
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        count[kind] = buffers->arguments.counts[kind];
    }
}

static void visit_all(const void *context, workload_buffer_visitor *visit, void *visitor) {
    const struct listed_terms *buffers = context;
    const struct terms_arguments *arguments = &buffers->arguments;
    batch_buffers.visit(buffers->batch, visit, visitor);
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        visit(visitor, arguments->parameters[kind], "the parameters of terms");
    }
    visit(visitor, arguments->term_atoms, "the particles of terms");
    visit(visitor, arguments->term_ranks, "the ranks of terms");
    visit(visitor, arguments->incidence_start, "the terms of particles");
    visit(visitor, arguments->incidences, "the terms of particles");
}

const struct workload_buffers bonded_buffers = { .size = sizeof(struct listed_terms),
                                                 .create = create,
                                                 .free = free_terms,
                                                 .reorder = reorder,
                                                 .unit = count_unit,
                                                 .fill_arguments = fill_arguments,
                                                 .visit = visit_all,
                                                 .count = count_terms };
