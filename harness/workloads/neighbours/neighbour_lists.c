/* The lists of a case on its device: how much room they have, what is in them, in sums of rows, and
 * rows as they are. */
#include "workloads/neighbours/neighbour_lists.h"

#include "core/embedded.h"
#include "core/strings.h"
#include "kernels/potentials/type_table.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOOL_GROUP = 128,
    LANES = 32,
    FIRST_EDGES = 4096,
    EDGE_BYTES = 32,
    MOST_CHAINS = 64,
    CHAINS_OF_ALL = 1 << 20,
    LEAST_ROOM = 16
};

enum list_tool { TOOL_JUDGE_LIST, TOOL_JUDGE_EDGES, TOOL_WRITE_ROWS, LIST_TOOLS };
static const char *const tool_names[LIST_TOOLS] = { "judge_list", "judge_edges", "write_rows" };

/* Room is first too little, twice: it must show, and nothing may be written beyond. Then it is just
 * enough, once, and later ample. */
enum room { ROOM_FOR_ONE, ROOM_FOR_ALL_BUT_ONE, ROOM_FOR_ALL, ROOM_AMPLE };

/* As the kernels of neighbour_tools.cl have it. */
struct list_case {
    double vector[3][4]; /* of the cell; their fourth numbers: cutoff, width, tolerance */
    int32_t images[3], room;
    int32_t n, share, edge_room;
    int32_t circle, shift, stride; /* of the order of particles */
    int32_t chains;                /* of kept entries, of each row */
    uint64_t key[2];               /* of the hashes of entries */
};

/* Which entries of a COO list are of which place, those of a place in the order of the list: read
 * once, for whoever asks for one row after the other. Zeroed: not read. */
struct rows_of_coo {
    size_t *begin;  /* of each place, and one more */
    int32_t *entry; /* by places */
};

struct neighbour_lists {
    struct device *device;
    size_t n;
    enum list_form form;
    struct list_entries entries;
    bool real_is_double;
    struct program *program;
    struct kernel *tools[LIST_TOOLS];
    struct lists_arguments arguments;
    struct list_case list_case; /* but what depends on an order */
    const struct case_spec *spec;
    enum room room;
    int32_t needed; /* that kernels asked for last */
    bool has_edges; /* some entries are within rounding of the cutoff */
    struct buffer *sums, *faults, *heads, *edge_count, *edges;
    int32_t types;             /* 0: one cutoff for all */
    struct buffer *cutoffs;    /* of each pair of types, double */
    struct member_order order; /* when rows were compared last */
    struct listed_rows rows;
    struct rows_of_coo by_place; /* of that list */
};

/* ---- room ---- */

static size_t entries_of(const struct neighbour_lists *lists, int32_t capacity) {
    return lists->form == LIST_MATRIX ? lists->n * (size_t)capacity : (size_t)capacity;
}

static size_t real_bytes(const struct neighbour_lists *lists) {
    return lists->real_is_double ? sizeof(double) : sizeof(float);
}

static size_t shift_bytes(const struct neighbour_lists *lists) {
    return lists->entries.shifts == SHIFTS_CHAR  ? 3 * sizeof(int8_t)
           : lists->entries.shifts == SHIFTS_INT ? 3 * sizeof(int32_t)
                                                 : 0;
}

static bool replace(struct neighbour_lists *lists, const char *label, size_t bytes,
                    struct buffer **buffer, struct error *error) {
    if (!buffer_replace(lists->device, bytes, buffer, error)) {
        return false;
    }
    buffer_label(*buffer, label);
    return true;
}

static bool make_entries(struct neighbour_lists *lists, int32_t capacity, struct error *error) {
    struct lists_arguments *arguments = &lists->arguments;
    const size_t entries = entries_of(lists, capacity);
    const size_t real = real_bytes(lists);
    arguments->capacity = capacity;
    return replace(lists, "neighbours", entries * sizeof(int32_t), &arguments->neighbours, error) &&
           replace(lists, "pair_first", lists->form == LIST_COO ? entries * sizeof(int32_t) : 0,
                   &arguments->pair_first, error) &&
           replace(lists, "neighbour_shifts", entries * shift_bytes(lists), &arguments->shifts,
                   error) &&
           replace(lists, "neighbour_vectors", lists->entries.vectors ? 3 * entries * real : 0,
                   &arguments->vectors, error) &&
           replace(lists, "neighbour_distances", lists->entries.distances ? entries * real : 0,
                   &arguments->distances, error);
}

/* A copy of a whole buffer; NULL where that fails. */
static void *copy_of(struct buffer *buffer, struct error *error) {
    return buffer_copy(buffer, buffer_bytes(buffer), error);
}

/* What the kernels say that they need: of a matrix for the longest row, else for all entries. */
static bool read_needed(const struct neighbour_lists *lists, int32_t *needed, struct error *error) {
    const struct lists_arguments *arguments = &lists->arguments;
    *needed = 0;
    if (lists->form != LIST_MATRIX) {
        return buffer_read(arguments->pair_count, 0, needed, sizeof *needed, error);
    }
    int32_t *count = copy_of(arguments->count, error);
    const bool read = count != NULL;
    for (size_t i = 0; read && i < lists->n; i++) {
        *needed = count[i] > *needed ? count[i] : *needed;
    }
    free(count);
    return read;
}

/* More room than is needed: in another order of particles, rounding may list pairs at the edge of
 * the cutoff. */
static int32_t ample_for(const struct neighbour_lists *lists, int32_t least) {
    const int64_t needed = (int64_t)least + lists->has_edges;
    const int64_t more = lists->form == LIST_MATRIX
                             ? (needed + LEAST_ROOM - 1) / LEAST_ROOM * LEAST_ROOM
                             : needed + needed / 16 + LEAST_ROOM;
    return more > INT32_MAX ? INT32_MAX : more < LEAST_ROOM ? LEAST_ROOM : (int32_t)more;
}

/* What it takes must be there; guards are looked at as long as they stand around what was too
 * small. */
static bool set_room(struct neighbour_lists *lists, int32_t capacity, struct error *error) {
    const struct device_info *info = device_describe(lists->device);
    const double each =
        (double)(sizeof(int32_t) + shift_bytes(lists)) +
        (double)real_bytes(lists) * (3 * lists->entries.vectors + lists->entries.distances);
    const double bytes = each * (double)entries_of(lists, capacity);
    if (info->memory_bytes > 0 && bytes > (double)info->memory_bytes) {
        return fail(error, STATUS_OUT_OF_MEMORY,
                    "the kernels ask for room of %d entries%s: %.3g bytes; %s has %.3g", capacity,
                    lists->form == LIST_MATRIX ? " a row" : "", bytes, info->name,
                    (double)info->memory_bytes);
    }
    return device_check_guards(lists->device, error) && make_entries(lists, capacity, error);
}

static bool say_unsteady(const struct neighbour_lists *lists, int32_t needed, struct error *error) {
    return fail(error, STATUS_WRONG,
                "with room for %d entries%s the kernels ask for %d, with room for less they asked "
                "for %d",
                lists->arguments.capacity, lists->form == LIST_MATRIX ? " a row" : "", needed,
                lists->needed);
}

/* The next size of those that are tried at first. */
static bool try_next_room(struct neighbour_lists *lists, int32_t needed, struct error *error) {
    if (lists->room != ROOM_FOR_ONE && needed != lists->needed) {
        return say_unsteady(lists, needed, error);
    }
    lists->room = lists->room == ROOM_FOR_ONE && needed > 2 ? ROOM_FOR_ALL_BUT_ONE : ROOM_FOR_ALL;
    lists->needed = needed;
    return set_room(lists, lists->room == ROOM_FOR_ALL ? (needed > 1 ? needed : 1) : needed - 1,
                    error);
}

/* ---- sums of rows ---- */

static bool launch_tool(const struct neighbour_lists *lists, enum list_tool tool, size_t items,
                        const struct argument *arguments, size_t count, struct error *error) {
    return kernel_launch(lists->tools[tool], (items + TOOL_GROUP - 1) / TOOL_GROUP, TOOL_GROUP,
                         arguments, count, error);
}

static bool clear_rows(struct neighbour_lists *lists, struct error *error) {
    return buffer_fill(lists->sums, 0, buffer_bytes(lists->sums), error) &&
           buffer_fill(lists->faults, 0, buffer_bytes(lists->faults), error) &&
           buffer_fill(lists->heads, 0xFF, buffer_bytes(lists->heads), error) &&
           buffer_fill(lists->edge_count, 0, buffer_bytes(lists->edge_count), error);
}

static struct list_case case_of(const struct neighbour_lists *lists,
                                const struct launched *launched) {
    struct list_case list_case = lists->list_case;
    list_case.room = lists->arguments.capacity;
    list_case.circle = (int32_t)order_share(launched->order, lists->n);
    list_case.shift = (int32_t)launched->order->shift;
    list_case.stride = (int32_t)order_stride(launched->order);
    list_case.edge_room = (int32_t)(buffer_bytes(lists->edges) / EDGE_BYTES);
    return list_case;
}

/* Nobody looks at types where there are none. */
static struct argument types_of(const struct neighbour_lists *lists,
                                const struct launched *launched) {
    return argument_buffer(lists->types > 0 ? launched->pair->type : lists->faults);
}

static bool sum_up_entries(struct neighbour_lists *lists, const struct launched *launched,
                           struct error *error) {
    const struct lists_arguments *arguments = &lists->arguments;
    const struct list_case list_case = case_of(lists, launched);
    const size_t most = (size_t)1 << 26; /* work-items, which share the entries of COO */
    const size_t items = lists->n * LANES;
    return launch_tool(
        lists, TOOL_JUDGE_LIST, lists->form == LIST_COO && items > most ? most : items,
        ARGUMENTS(argument_value(&list_case, sizeof list_case), argument_int(LANES),
                  argument_buffer(launched->position), argument_int(lists->types),
                  types_of(lists, launched), argument_buffer(lists->cutoffs),
                  argument_buffer(arguments->count), argument_buffer(arguments->row_begin),
                  argument_buffer(arguments->pair_first), argument_buffer(arguments->pair_count),
                  argument_buffer(arguments->neighbours), argument_buffer(arguments->shifts),
                  argument_buffer(arguments->vectors), argument_buffer(arguments->distances),
                  argument_buffer(lists->sums), argument_buffer(lists->faults),
                  argument_buffer(lists->heads), argument_buffer(lists->edge_count),
                  argument_buffer(lists->edges)),
        error);
}

static bool sum_up_edges(struct neighbour_lists *lists, const struct launched *launched,
                         struct error *error) {
    const struct list_case list_case = case_of(lists, launched);
    return launch_tool(lists, TOOL_JUDGE_EDGES, lists->n * (size_t)list_case.chains,
                       ARGUMENTS(argument_value(&list_case, sizeof list_case),
                                 argument_buffer(launched->position), argument_int(lists->types),
                                 types_of(lists, launched), argument_buffer(lists->cutoffs),
                                 argument_buffer(lists->sums), argument_buffer(lists->faults),
                                 argument_buffer(lists->heads), argument_buffer(lists->edges)),
                       error);
}

static bool make_tools(struct neighbour_lists *lists, struct error *error);

static bool compute(void *context, const struct launched *launched, struct error *error) {
    struct neighbour_lists *lists = context;
    if (!make_tools(lists, error)) {
        return false;
    }
    lists->order = *launched->order;
    return clear_rows(lists, error) && sum_up_entries(lists, launched, error) &&
           sum_up_edges(lists, launched, error) &&
           launch_tool(lists, TOOL_WRITE_ROWS, lists->n,
                       ARGUMENTS(argument_int((int32_t)lists->n), argument_buffer(lists->sums),
                                 argument_buffer(lists->faults), argument_buffer(launched->result)),
                       error);
}

/* Half as many places again for entries at the edge as there are, for particles that move. */
static bool make_edge_room(struct neighbour_lists *lists, const struct launched *launched,
                           struct error *error) {
    int32_t counts[2] = { 0, 0 }; /* kept; of these at the edge */
    const size_t each = EDGE_BYTES;
    if (!compute(lists, launched, error) ||
        !buffer_read(lists->edge_count, 0, counts, sizeof counts, error)) {
        return false;
    }
    const int32_t count = counts[0];
    const size_t places = count > 0 ? (size_t)count + (size_t)count / 2 : 0;
    const size_t room = buffer_bytes(lists->edges) / each;
    lists->has_edges = lists->has_edges || counts[1] > 0;
    return places <= room || buffer_replace(lists->device, (2 * (size_t)count + FIRST_EDGES) * each,
                                            &lists->edges, error);
}

/* Adds the entries of a half list to the rows of both particles; returns the longest. */
static int32_t longest_of_both(const struct neighbour_lists *lists, const int32_t *count,
                               const int32_t *neighbours, int32_t *both) {
    const size_t width = (size_t)lists->arguments.capacity;
    int32_t longest = 0;
    for (size_t i = 0; i < lists->n; i++) {
        for (size_t k = 0; k < width && (int32_t)k < count[i]; k++) {
            const int32_t j = neighbours[i * width + k];
            both[i]++;
            if (j >= 0 && (size_t)j < lists->n) {
                both[j]++;
            }
        }
    }
    for (size_t i = 0; i < lists->n; i++) {
        longest = both[i] > longest ? both[i] : longest;
    }
    return longest;
}

/* A half list has each pair in one of two rows, depending on the order of particles: in some order
 * a row has all pairs of its particle. */
static bool need_for_any_order(struct neighbour_lists *lists, struct error *error) {
    if (lists->form != LIST_MATRIX || lists->spec->list_pairs != LIST_HALF) {
        return true;
    }
    int32_t *count = copy_of(lists->arguments.count, error);
    int32_t *neighbours = count ? copy_of(lists->arguments.neighbours, error) : NULL;
    int32_t *both = calloc(lists->n + 1, sizeof *both);
    const bool read =
        count && neighbours && (both || fail_out_of_memory(error, "the rows of a list"));
    if (read) {
        const int32_t longest = longest_of_both(lists, count, neighbours, both);
        lists->needed = longest > lists->needed ? longest : lists->needed;
    }
    free(count);
    free(neighbours);
    free(both);
    return read;
}

/* Makes the room ample after a launch with just enough, which has shown whether anything is written
 * beyond it. */
static bool keep_room(void *context, bool *known, struct error *error) {
    struct neighbour_lists *lists = context;
    *known = lists->room == ROOM_AMPLE;
    const int32_t ample = ample_for(lists, lists->needed);
    return !*known || ample <= lists->arguments.capacity || set_room(lists, ample, error);
}

static bool make_room(void *context, const struct launched *launched, bool *fits,
                      struct error *error) {
    struct neighbour_lists *lists = context;
    int32_t needed;
    *fits = false;
    if (!device_finish(lists->device, error) || !read_needed(lists, &needed, error)) {
        return false;
    }
    if (lists->room < ROOM_FOR_ALL) {
        return try_next_room(lists, needed, error);
    }
    if (lists->room == ROOM_FOR_ALL && needed != lists->needed) {
        return say_unsteady(lists, needed, error);
    }
    lists->room = ROOM_AMPLE;
    lists->needed = needed;
    if (needed > lists->arguments.capacity) {
        return set_room(lists, ample_for(lists, needed), error);
    }
    *fits = true;
    return need_for_any_order(lists, error) && make_edge_room(lists, launched, error);
}

/* The first row of a matrix with entries and no count. Other forms have no room per row. */
static size_t first_stray(const struct neighbour_lists *lists, const int32_t *count,
                          const int32_t *neighbours) {
    const size_t width = (size_t)lists->arguments.capacity;
    for (size_t i = 0; i < lists->n; i++) {
        for (size_t k = 0; count[i] == -1 && k < width; k++) {
            if (neighbours[i * width + k] != -1) {
                return i;
            }
        }
    }
    return lists->n;
}

static bool find_stray(void *context, size_t *place, struct error *error) {
    struct neighbour_lists *lists = context;
    *place = lists->n;
    if (lists->form != LIST_MATRIX) {
        return true;
    }
    if (!device_finish(lists->device, error)) {
        return false;
    }
    int32_t *count = copy_of(lists->arguments.count, error);
    int32_t *neighbours = count ? copy_of(lists->arguments.neighbours, error) : NULL;
    const bool read = neighbours != NULL;
    if (read) {
        *place = first_stray(lists, count, neighbours);
    }
    free(count);
    free(neighbours);
    return read;
}

/* ---- making ---- */

static void free_rows_of_coo(struct neighbour_lists *lists) {
    free(lists->by_place.begin);
    free(lists->by_place.entry);
    lists->by_place = (struct rows_of_coo){ NULL, NULL };
}

static void free_lists(void *context) {
    struct neighbour_lists *lists = context;
    struct buffer *const buffers[] = { lists->sums,       lists->faults, lists->heads,
                                       lists->edge_count, lists->edges,  lists->cutoffs };
    for (size_t b = 0; b < sizeof buffers / sizeof buffers[0]; b++) {
        buffer_free(buffers[b]);
    }
    free_rows_of_coo(lists);
    program_free(lists->program);
}

static bool compile_tools(struct neighbour_lists *lists, struct error *error) {
    const struct case_spec *spec = lists->spec;
    const bool wide = numeric_accum_is_double(precision_numeric(spec->precision));
    struct strbuf text = { 0 };
    strbuf_append(&text, "#define POSITION %s\n#define RESULT %s\n",
                  lists->real_is_double ? "double" : "float", wide ? "double" : "float");
    strbuf_append(&text,
                  "#define LIST_FORM %d\n#define LIST_HALF %d\n#define WITH_SHIFTS %d\n"
                  "#define WITH_VECTORS %d\n#define WITH_DISTANCES %d\n%s\n%s",
                  (int)spec->list, spec->list_pairs == LIST_HALF, (int)lists->entries.shifts,
                  lists->entries.vectors, lists->entries.distances,
                  embedded_text("harness/workloads/member_order.cl"),
                  embedded_text("harness/workloads/neighbours/neighbour_tools.cl"));
    const struct program_source source = { .name = "neighbour_tools",
                                           .precision_words = "double",
                                           .group_size = TOOL_GROUP };
    return program_build(lists->device, &source, &text,
                         &(struct named_kernels){ tool_names, LIST_TOOLS, lists->tools },
                         &lists->program, error);
}

/* Uploads the cutoffs of a table by types. */
static bool make_cutoffs(struct neighbour_lists *lists, const struct case_spec *spec,
                         const struct box *box, double cutoff, struct error *error) {
    static const double none = 0;
    struct type_parameters parameters;
    if (interaction_has_types(&spec->interaction) &&
        !find_in_code(spec->variant->text, "PAIR_WITHIN")) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s has one cutoff for all pairs: it does not ask PAIR_WITHIN",
                    spec->variant->name);
    }
    if (!type_parameters_resolve(&spec->interaction, box, &parameters, error)) {
        return false;
    }
    lists->types = parameters.types;
    const size_t pairs = (size_t)parameters.types * (size_t)parameters.types;
    for (size_t k = 0; k < pairs; k++) { /* a number each, which may be infinite */
        parameters.values[k] = fmin(parameters.values[k], cutoff);
    }
    const bool made = buffer_upload(lists->device, "cutoffs", pairs > 0 ? parameters.values : &none,
                                    (pairs > 0 ? pairs : 1) * sizeof none, &lists->cutoffs, error);
    type_parameters_free(&parameters);
    return made;
}

/* Finds how many images along each vector a cutoff reaches, for particles inside the cell. */
static bool find_images(struct neighbour_lists *lists, const struct case_spec *spec,
                        const struct box *box, double cutoff, struct error *error) {
    const struct variant *variant = spec->variant;
    double height[3];
    cell_heights(&box->cell, height);
    for (int k = 0; k < 3; k++) {
        const double images =
            box_has_images(box, (size_t)k) ? floor(cutoff / height[k] * (1 + 1e-6)) + 1 : 0;
        const int most = lists->entries.shifts == SHIFTS_CHAR ? INT8_MAX : 511;
        if (images > most) {
            return fail(error, STATUS_UNSUPPORTED,
                        "cutoff %g: reaches %.0f images of a cell that is %g high; shifts hold %d",
                        cutoff, images, height[k], most);
        }
        if (images > 1 && strcmp(variant->structure, "none") != 0) {
            return fail(error, STATUS_UNSUPPORTED,
                        "cutoff %g: %s sees one image to either side, and the cell is %g high",
                        cutoff, variant->structure, height[k]);
        }
        lists->arguments.images[k] = (int32_t)images;
    }
    memcpy(lists->list_case.images, lists->arguments.images, sizeof lists->list_case.images);
    return true;
}

/* Distances alone tell images apart: then rows are matched particle by particle. */
static int32_t chains_of(const struct case_spec *spec, size_t n) {
    const size_t chains = CHAINS_OF_ALL / (n > 0 ? n : 1);
    if (neighbour_images_known(spec) || !list_entries_of(spec->list_entries).distances) {
        return 1;
    }
    return chains < 1 ? 1 : chains > MOST_CHAINS ? MOST_CHAINS : (int32_t)chains;
}

static void describe_case(struct neighbour_lists *lists, const struct case_spec *spec,
                          const struct box *box, double cutoff) {
    struct list_case *list_case = &lists->list_case;
    const double width = neighbour_width(spec, box, cutoff);
    const double vectors[3][4] = { { box->edge[0], 0, 0, cutoff },
                                   { box->tilt[0], box->edge[1], 0, width },
                                   { box->tilt[1], box->tilt[2], box->edge[2], width } };
    memcpy(list_case->vector, vectors, sizeof vectors);
    memcpy(list_case->key, neighbour_keys(), sizeof list_case->key);
    list_case->n = (int32_t)box->n;
    list_case->share = (int32_t)box_share(box);
    list_case->chains = chains_of(spec, box->n);
}

static bool allocate(struct neighbour_lists *lists, struct error *error) {
    struct lists_arguments *arguments = &lists->arguments;
    const size_t n = lists->n;
    const size_t row = n * sizeof(int32_t);
    return replace(lists, "neighbour_count", row, &arguments->count, error) &&
           replace(lists, "row_begin",
                   lists->form == LIST_CSR ? (n + 1) * sizeof(int32_t) : sizeof(int32_t),
                   &arguments->row_begin, error) &&
           replace(lists, "pair_count", sizeof(int32_t), &arguments->pair_count, error) &&
           make_entries(lists, 1, error);
}

/* Makes what sums of rows need, when they are first asked for: the library's lists are not judged.
 */
static bool make_tools(struct neighbour_lists *lists, struct error *error) {
    struct device *device = lists->device;
    const size_t row = lists->n * sizeof(int32_t);
    return lists->edges ||
           (compile_tools(lists, error) && buffer_allocate(device, 3 * row, &lists->sums, error) &&
            buffer_allocate(device, row, &lists->faults, error) &&
            buffer_allocate(device, row * (size_t)lists->list_case.chains, &lists->heads, error) &&
            buffer_allocate(device, 2 * sizeof(int32_t), &lists->edge_count, error) &&
            buffer_allocate(device, FIRST_EDGES * EDGE_BYTES, &lists->edges, error));
}

/* ---- for a client that takes the lists as they are ---- */

struct lists_arguments *neighbour_lists_arrays(void *buffers) {
    return &((struct neighbour_lists *)buffers)->arguments;
}

bool neighbour_lists_reserve(void *buffers, int32_t capacity, struct error *error) {
    struct neighbour_lists *lists = buffers;
    const size_t bytes = entries_of(lists, capacity) * sizeof(int32_t);
    if (buffer_bytes(lists->arguments.neighbours) < bytes) {
        return make_entries(lists, capacity, error);
    }
    lists->arguments.capacity = capacity;
    return true;
}

bool neighbour_lists_needed(const void *buffers, int32_t *needed, struct error *error) {
    return read_needed(buffers, needed, error);
}

static bool read_row(void *context, size_t particle, struct listed_row *row, struct error *error);
static bool list_all(void *context, struct evaluation *evaluation, struct error *error);

static bool create(struct device *device, const struct case_spec *spec, const struct box *box,
                   double cutoff, void *buffers, struct error *error) {
    struct neighbour_lists *lists = buffers;
    lists->device = device;
    lists->spec = spec;
    lists->n = box->n;
    lists->form = spec->list;
    lists->entries = list_entries_of(spec->list_entries);
    lists->real_is_double = numeric_real_is_double(precision_numeric(spec->precision));
    lists->rows = (struct listed_rows){ lists, read_row, list_all };
    lists->arguments.box_count = (int32_t)box_count(box);
    lists->arguments.particles_per_box = (int32_t)box_share(box);
    describe_case(lists, spec, box, cutoff);
    if (!device_describe(device)->fp64) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s has no double precision, in which lists are judged",
                    device_describe(device)->name);
    }
    return find_images(lists, spec, box, cutoff, error) &&
           make_cutoffs(lists, spec, box, cutoff, error) && allocate(lists, error);
}

/* Units of one form do not exist in the others. */
static bool count_unit(const void *context, const char *unit, size_t *count) {
    const struct neighbour_lists *lists = context;
    const bool is_csr = lists->form == LIST_CSR;
    if (strcmp(unit, "csr_row") == 0) {
        *count = is_csr ? lists->n : 0;
    } else if (strcmp(unit, "csr") == 0) {
        *count = is_csr;
    } else if (strcmp(unit, "coo") == 0) {
        *count = lists->form == LIST_COO;
    } else {
        return false;
    }
    return true;
}

static bool fill(void *context, unsigned char value, struct error *error) {
    struct neighbour_lists *lists = context;
    struct buffer *const written[] = { lists->arguments.count,      lists->arguments.neighbours,
                                       lists->arguments.row_begin,  lists->arguments.pair_first,
                                       lists->arguments.pair_count, lists->arguments.shifts,
                                       lists->arguments.vectors,    lists->arguments.distances };
    bool filled = true;
    for (size_t b = 0; filled && b < sizeof written / sizeof written[0]; b++) {
        filled = buffer_fill(written[b], value, buffer_bytes(written[b]), error);
    }
    return filled;
}

/* ---- rows as they are ---- */

static bool read_ints(struct buffer *buffer, size_t first, size_t count, int32_t *numbers,
                      struct error *error) {
    return count == 0 ||
           buffer_read(buffer, first * sizeof *numbers, numbers, count * sizeof *numbers, error);
}

static bool read_bytes(struct buffer *buffer, size_t first, size_t count, int32_t *numbers,
                       struct error *error) {
    if (count > 0 && !buffer_read(buffer, first, numbers, count, error)) {
        return false;
    }
    for (size_t k = count; k-- > 0;) { /* from behind: in place */
        numbers[k] = ((const int8_t *)numbers)[k];
    }
    return true;
}

static bool row_allocate(size_t count, struct listed_row *row, struct error *error) {
    listed_row_free(row);
    row->j = calloc(count + 1, sizeof *row->j);
    row->shift = calloc(3 * count + 1, sizeof *row->shift);
    row->vector = calloc(3 * count + 1, sizeof *row->vector);
    row->distance = calloc(count + 1, sizeof *row->distance);
    if (!row->j || !row->shift || !row->vector || !row->distance) {
        listed_row_free(row);
        return fail_out_of_memory(error, "a row of a list");
    }
    return true;
}

static bool read_reals(const struct neighbour_lists *lists, struct buffer *buffer, size_t first,
                       size_t count, double *numbers, struct error *error) {
    const size_t each = real_bytes(lists);
    if (!buffer_read(buffer, first * each, numbers, count * each, error)) {
        return false;
    }
    for (size_t k = count; k-- > 0 && !lists->real_is_double;) { /* from behind: in place */
        float narrow;
        memcpy(&narrow, (const char *)numbers + k * sizeof narrow, sizeof narrow);
        numbers[k] = (double)narrow;
    }
    return true;
}

/* Reads `count` entries, from `first` on, to a place of the row. */
static bool read_entries(const struct neighbour_lists *lists, size_t first, size_t count, size_t at,
                         struct listed_row *row, struct error *error) {
    const struct lists_arguments *arguments = &lists->arguments;
    bool read = read_ints(arguments->neighbours, first, count, row->j + at, error);
    if (lists->entries.shifts == SHIFTS_INT) {
        read =
            read && read_ints(arguments->shifts, 3 * first, 3 * count, row->shift + 3 * at, error);
    } else if (lists->entries.shifts == SHIFTS_CHAR) {
        read =
            read && read_bytes(arguments->shifts, 3 * first, 3 * count, row->shift + 3 * at, error);
    }
    return read && count > 0
               ? (!lists->entries.vectors || read_reals(lists, arguments->vectors, 3 * first,
                                                        3 * count, row->vector + 3 * at, error)) &&
                     (!lists->entries.distances || read_reals(lists, arguments->distances, first,
                                                              count, row->distance + at, error))
               : read;
}

/* Sorts entries by counting; those of no particle are of no row. */
static void sort_entries(const int32_t *first, size_t count, size_t n, struct rows_of_coo *rows) {
    for (size_t e = 0; e < count; e++) {
        if (first[e] >= 0 && (size_t)first[e] < n) {
            rows->begin[(size_t)first[e] + 2]++;
        }
    }
    for (size_t i = 0; i < n; i++) {
        rows->begin[i + 2] += rows->begin[i + 1];
    }
    for (size_t e = 0; e < count; e++) {
        if (first[e] >= 0 && (size_t)first[e] < n) {
            rows->entry[rows->begin[(size_t)first[e] + 1]++] = (int32_t)e;
        }
    }
}

/* How many entries of a COO list there are, within its room. */
static bool read_pair_count(const struct neighbour_lists *lists, size_t *count,
                            struct error *error) {
    int32_t all = 0;
    if (!read_ints(lists->arguments.pair_count, 0, 1, &all, error)) {
        return false;
    }
    *count =
        all < 0 ? 0 : (size_t)(all < lists->arguments.capacity ? all : lists->arguments.capacity);
    return true;
}

static bool read_rows_of_coo(struct neighbour_lists *lists, struct error *error) {
    struct rows_of_coo *rows = &lists->by_place;
    size_t count;
    if (rows->begin || !read_pair_count(lists, &count, error)) {
        return rows->begin != NULL;
    }
    int32_t *first = malloc((count + 1) * sizeof *first);
    rows->begin = calloc(lists->n + 2, sizeof *rows->begin);
    rows->entry = malloc((count + 1) * sizeof *rows->entry);
    const bool read = first && rows->begin && rows->entry
                          ? read_ints(lists->arguments.pair_first, 0, count, first, error)
                          : fail_out_of_memory(error, "the rows of a list");
    if (read) {
        sort_entries(first, count, lists->n, rows);
    } else {
        free_rows_of_coo(lists);
    }
    free(first);
    return read;
}

/* Gathers a row of COO; entries that follow each other are read together. */
static bool gather_entries(struct neighbour_lists *lists, size_t place, struct listed_row *row,
                           struct error *error) {
    if (!read_rows_of_coo(lists, error)) {
        return false;
    }
    const struct rows_of_coo *rows = &lists->by_place;
    const int32_t *entry = rows->entry + rows->begin[place];
    const size_t own = rows->begin[place + 1] - rows->begin[place];
    bool read = row_allocate(own, row, error);
    for (size_t k = 0, run; read && k < own; k += run) {
        for (run = 1; k + run < own && entry[k + run] == entry[k] + (int32_t)run;) {
            run++;
        }
        read = read_entries(lists, (size_t)entry[k], run, k, row, error);
        row->count = k + run;
    }
    return read;
}

static bool read_listed(struct neighbour_lists *lists, size_t place, struct listed_row *row,
                        struct error *error) {
    const struct lists_arguments *arguments = &lists->arguments;
    int32_t count = 0;
    int32_t begin = 0;
    if (lists->form == LIST_COO) {
        return gather_entries(lists, place, row, error);
    }
    if (!read_ints(arguments->count, place, 1, &count, error) ||
        (lists->form == LIST_CSR && !read_ints(arguments->row_begin, place, 1, &begin, error))) {
        return false;
    }
    const size_t from = lists->form == LIST_MATRIX ? place * (size_t)arguments->capacity
                                                   : (size_t)(begin > 0 ? begin : 0);
    const size_t end = lists->form == LIST_MATRIX ? from + (size_t)arguments->capacity
                                                  : (size_t)arguments->capacity;
    const size_t there = end > from ? end - from : 0;
    const size_t wanted = count > 0 ? (size_t)count : 0;
    const size_t taken = wanted < there ? wanted : there;
    if (!row_allocate(taken, row, error)) {
        return false;
    }
    row->count = taken;
    return read_entries(lists, from, taken, 0, row, error);
}

/* Turns places into particles. A number that is no place stays as it is. */
static bool read_row(void *context, size_t particle, struct listed_row *row, struct error *error) {
    struct neighbour_lists *lists = context;
    const size_t n = lists->n;
    if (!read_listed(lists, place_of_member(&lists->order, n, particle), row, error)) {
        return false;
    }
    for (size_t k = 0; k < row->count; k++) {
        if (row->j[k] >= 0 && (size_t)row->j[k] < n) {
            row->j[k] = (int32_t)member_at(&lists->order, n, (size_t)row->j[k]);
        }
    }
    if (lists->entries.shifts == SHIFTS_NONE) {
        free(row->shift);
        row->shift = NULL;
    }
    if (!lists->entries.vectors) {
        free(row->vector);
        row->vector = NULL;
    }
    if (!lists->entries.distances) {
        free(row->distance);
        row->distance = NULL;
    }
    return true;
}

/* ---- all entries ---- */

/* Arrays of the list as they are on the device. */
struct host_list {
    int32_t *j, *first, *count, *begin, *shift;
    int8_t *narrow;
    size_t room;
};

static void host_list_free(struct host_list *host) {
    free(host->j);
    free(host->first);
    free(host->count);
    free(host->begin);
    free(host->shift);
    free(host->narrow);
}

static bool host_list_read(const struct neighbour_lists *lists, struct host_list *host,
                           struct error *error) {
    const struct lists_arguments *arguments = &lists->arguments;
    host->room = entries_of(lists, arguments->capacity);
    host->j = copy_of(arguments->neighbours, error);
    host->first = copy_of(arguments->pair_first, error);
    host->count =
        copy_of(lists->form == LIST_COO ? arguments->pair_count : arguments->count, error);
    host->begin = copy_of(arguments->row_begin, error);
    if (lists->entries.shifts == SHIFTS_INT) {
        host->shift = copy_of(arguments->shifts, error);
    } else if (lists->entries.shifts == SHIFTS_CHAR) {
        host->narrow = copy_of(arguments->shifts, error);
    }
    return host->j && host->first && host->count && host->begin &&
           (lists->entries.shifts == SHIFTS_NONE || host->shift || host->narrow);
}

static double particle_at(const struct neighbour_lists *lists, int32_t place) {
    return place >= 0 && (size_t)place < lists->n
               ? (double)member_at(&lists->order, lists->n, (size_t)place)
               : place;
}

static void put_entry(const struct neighbour_lists *lists, const struct host_list *host,
                      int32_t place, size_t at, double *numbers) {
    numbers[0] = particle_at(lists, place);
    numbers[1] = particle_at(lists, host->j[at]);
    for (size_t d = 0; d < 3; d++) {
        numbers[2 + d] = host->shift    ? host->shift[3 * at + d]
                         : host->narrow ? host->narrow[3 * at + d]
                                        : 0;
    }
}

/* Copies the entries of each row (COO has one) from the first on, and returns how many there are.
 * Where numbers is NULL they are only counted. */
static size_t put_entries(const struct neighbour_lists *lists, const struct host_list *host,
                          double *numbers) {
    const size_t rows = lists->form == LIST_COO ? 1 : lists->n;
    size_t total = 0;
    for (size_t r = 0; r < rows; r++) {
        const size_t from = lists->form == LIST_COO   ? 0
                            : lists->form == LIST_CSR ? (size_t)(uint32_t)host->begin[r]
                                                      : r * (size_t)lists->arguments.capacity;
        for (size_t k = 0; host->count[r] > 0 && k < (size_t)host->count[r]; k++) {
            const size_t at = from + k;
            if (at < host->room && numbers) {
                put_entry(lists, host, lists->form == LIST_COO ? host->first[at] : (int32_t)r, at,
                          numbers + LISTED_NUMBERS * total);
            }
            total += at < host->room;
        }
    }
    return total;
}

static bool list_all(void *context, struct evaluation *evaluation, struct error *error) {
    const struct neighbour_lists *lists = context;
    struct host_list host = { 0 };
    if (!host_list_read(lists, &host, error)) {
        host_list_free(&host);
        return false;
    }
    const size_t total = put_entries(lists, &host, NULL);
    const size_t kept = total <= LISTED_MOST ? total : 0;
    double *numbers = malloc((LISTED_NUMBERS * kept + 1) * sizeof *numbers);
    if (numbers && kept > 0) {
        (void)put_entries(lists, &host, numbers);
    }
    host_list_free(&host);
    if (!numbers) {
        return fail_out_of_memory(error, "the entries of a list");
    }
    free(evaluation->force);
    evaluation->force = numbers;
    evaluation->numbers = LISTED_NUMBERS * kept;
    evaluation->listed = (int64_t)total;
    return true;
}

/* The list may be another than when rows were read last. */
static void collect(void *context, struct evaluation *evaluation) {
    struct neighbour_lists *lists = context;
    free_rows_of_coo(lists);
    evaluation->rows = &lists->rows;
}

static const struct workload_outputs outputs = {
    .keep_room = keep_room,
    .make_room = make_room,
    .find_stray = find_stray,
    .fill = fill,
    .compute = compute,
    .collect = collect,
};

const struct workload_buffers neighbour_buffers = {
    .size = sizeof(struct neighbour_lists),
    .arguments = { WORKLOAD_ARGUMENTS(neighbour_lists, arguments, lists) },
    .create = create,
    .free = free_lists,
    .unit = count_unit,
    .outputs = &outputs,
};
