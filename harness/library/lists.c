/* Lists neighbours into arrays of the program. Kernels write directly to arrays on the device and
 * to host memory that they can address, else to buffers that are copied. */
#include "library/work.h"
#include "workloads/neighbours/neighbour_lists.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- of a plan, or of boxes ---- */

static struct lists_arguments *arrays_of_lists(struct library_work *work) {
    return work->box_lists ? box_lists_arrays(work)
                           : neighbour_lists_arrays(kernel_plan_own(work->plan));
}

static bool reserve(struct library_work *work, int32_t room, struct error *error) {
    return work->box_lists ? box_lists_reserve(work, room, error)
                           : neighbour_lists_reserve(kernel_plan_own(work->plan), room, error);
}

static bool needed_of(struct library_work *work, int32_t *needed, struct error *error) {
    return work->box_lists ? box_lists_needed(work, needed, error)
                           : neighbour_lists_needed(kernel_plan_own(work->plan), needed, error);
}

/* ---- the arrays of a list ---- */

struct part {
    const char *name;
    void *memory;           /* of the program; NULL: not wanted */
    struct buffer **buffer; /* that kernels are bound to */
    struct buffer *own;     /* that was there before the program's */
    size_t each, fixed;     /* bytes an entry; of arrays by particles: in all */
    bool written, needed;   /* by the kernel; in any case */
};
enum { COUNT, ROW_BEGIN, FIRST, SECOND, SHIFTS, ENTRY_VECTORS, DISTANCES, PARTS };

static void find_parts(const struct library_work *work, const struct pm_list *list,
                       struct lists_arguments *to, struct part parts[PARTS]) {
    const struct list_entries entries = list_entries_of(work->spec->list_entries);
    const enum list_form form = work->spec->list;
    const struct numeric numeric = precision_numeric(work->spec->precision);
    const size_t real = numeric_real_is_double(numeric) ? sizeof(double) : sizeof(float);
    const size_t row = work->box.n * sizeof(int);
    const size_t whole = list->by_first ? sizeof(int64_t) : sizeof(int);
    const bool room = list->room > 0;
    const struct part all[PARTS] = {
        { "count", list->count, &to->count, NULL, 0, row, form != LIST_COO, false },
        { "row_begin", list->row_begin, &to->row_begin, NULL, 0, row + sizeof(int),
          form == LIST_CSR, room },
        { "first", list->first, &to->pair_first, NULL, whole, 0, form == LIST_COO, room },
        { "neighbours", list->neighbours, &to->neighbours, NULL, whole, 0, true, room },
        { "shifts", list->shifts, &to->shifts, NULL, 3 * whole, 0, entries.shifts != SHIFTS_NONE,
          room },
        { "vectors", list->vectors, &to->vectors, NULL, 3 * real, 0, entries.vectors, room },
        { "distances", list->distances, &to->distances, NULL, real, 0, entries.distances, room },
    };
    memcpy(parts, all, sizeof all);
}

/* How many entries there is memory for. */
static size_t entries_in(const struct library_work *work, size_t room) {
    return work->spec->list == LIST_MATRIX ? work->box.n * room : room;
}

static size_t bytes_of(const struct library_work *work, const struct part *part, size_t room) {
    return part->fixed + part->each * entries_in(work, room);
}

/* Refuses arrays that overlap. A cl_mem is no address: two of them are the same array or different
 * ones. */
static bool check_apart(const struct library_work *work, const struct pm_arrays *arrays,
                        const struct pm_list *list, const struct part parts[PARTS],
                        struct error *error) {
    const bool by_address =
        arrays->place == PM_HOST || device_describe(work->device)->kind == DEVICE_CUDA;
    for (int p = 0; p < PARTS; p++) {
        const uintptr_t at = (uintptr_t)parts[p].memory;
        const size_t bytes = bytes_of(work, &parts[p], list->room);
        for (int q = 0; at && q < PARTS; q++) {
            const uintptr_t other = (uintptr_t)parts[q].memory;
            if (q != p && other >= at && other - at < (by_address || bytes == 0 ? bytes : 1)) {
                return fail(error, STATUS_BAD_INPUT, "%s and %s: the same memory", parts[p].name,
                            parts[q].name);
            }
        }
    }
    return true;
}

static bool check_list(const struct library_work *work, const struct pm_arrays *arrays,
                       const struct pm_list *list, const struct part parts[PARTS],
                       struct error *error) {
    for (int p = 0; p < PARTS; p++) {
        const struct part *part = &parts[p];
        if (part->memory && !part->written) {
            return fail(error, STATUS_BAD_INPUT, "%s: lists of this kernel have none", part->name);
        }
        if (part->written && part->needed && !part->memory) {
            return fail(error, STATUS_BAD_INPUT, "%s: a null pointer", part->name);
        }
        if (part->each % 3 == 0 &&
            !work_check_alignment(work, arrays, part->name, part->memory, error)) {
            return false;
        }
    }
    if (list->by_first == 1 && work->box_lists) {
        return fail(error, STATUS_UNSUPPORTED, "by_first: of boxes they are anyway, in 32 bits");
    }
    if (list->by_first != 0 && (list->by_first != 1 || work->spec->list != LIST_COO)) {
        return fail(error, STATUS_BAD_INPUT, "by_first %d; expected 0, or 1 of coo",
                    list->by_first);
    }
    return list->room <= INT32_MAX ? check_apart(work, arrays, list, parts, error)
                                   : fail(error, STATUS_BAD_INPUT, "room %zu; expected at most %d",
                                          list->room, INT32_MAX);
}

/* Whether kernels can write to all arrays directly: memory that the device addresses, aligned for
 * the widest vector that a kernel may store. */
static bool reaches_all(const struct library_work *work, const struct part parts[PARTS]) {
    enum { LARGEST_VECTOR = 128 }; /* bytes of double16 */
    bool reaches = device_describe(work->device)->in_place;
    for (int p = 0; p < PARTS; p++) {
        reaches = reaches && (uintptr_t)parts[p].memory % LARGEST_VECTOR == 0;
    }
    return reaches;
}

static bool wrap(struct library_work *work, enum pm_place place, const struct part *part,
                 size_t bytes, struct buffer **theirs, struct error *error) {
    return place == PM_HOST ? buffer_in_place(work->device, part->memory, bytes, theirs, error)
                            : work_wrap(work, part->name, part->memory, bytes, theirs, error);
}

static bool point_to_theirs(struct library_work *work, const struct pm_arrays *arrays,
                            const struct pm_list *list, struct part parts[PARTS],
                            struct error *error) {
    bool wrapped = true;
    for (int p = 0; wrapped && p < PARTS; p++) {
        struct part *part = &parts[p];
        const size_t bytes = bytes_of(work, part, list->room);
        struct buffer *theirs = NULL;
        /* Where the program gives no room, kernels write one entry to memory of the library. */
        if (part->memory && (part->fixed || list->room > 0)) {
            wrapped = wrap(work, arrays->place, part, bytes, &theirs, error);
        }
        if (theirs) {
            part->own = *part->buffer;
            *part->buffer = theirs;
        }
    }
    arrays_of_lists(work)->capacity = list->room > 0 ? (int32_t)list->room : 1;
    return wrapped;
}

static void point_back(struct part parts[PARTS]) {
    for (int p = 0; p < PARTS; p++) {
        if (parts[p].own) {
            buffer_free(*parts[p].buffer);
            *parts[p].buffer = parts[p].own;
        }
    }
}

/* ---- a list ---- */

/* Whether kernels tell the host how many entries are needed, so that nothing is copied. For a
 * matrix that is not known before its longest row is. */
static bool host_sees_count(const struct library_work *work) {
    return work->notes_on_host && work->spec->list != LIST_MATRIX;
}

static bool finish_list(struct library_work *work, struct error *error) {
    const struct lists_arguments *lists = arrays_of_lists(work);
    const struct device_info *info = device_describe(work->device);
    /* Work-items, which share the rows: what a card has at once. */
    const size_t most =
        info->is_cpu || info->compute_units < 1 ? 1 << 22 : (size_t)info->compute_units << 10;
    const bool moves = work_keeps_crossings(work);
    const bool rotates =
        work->rotation.rotates && list_entries_of(work->spec->list_entries).vectors;
    /* Mostly they find nothing to do, which on a processor costs time for each. */
    const size_t each = info->is_cpu ? 1 : 32;
    const size_t items = moves || rotates ? each * work->box.n : GROUP;
    const struct argument arguments[] = { argument_int((int)work->spec->list),
                                          argument_int((int32_t)work->box.n),
                                          argument_int(lists->capacity),
                                          argument_buffer(work->notes),
                                          argument_int(work->call),
                                          argument_int(rotates),
                                          work_rotation_argument(work),
                                          argument_buffer(moves ? work->crossing : work->notes),
                                          argument_buffer(lists->count),
                                          argument_buffer(lists->row_begin),
                                          argument_buffer(lists->pair_first),
                                          argument_buffer(lists->pair_count),
                                          argument_buffer(lists->neighbours),
                                          argument_buffer(lists->shifts),
                                          argument_buffer(lists->vectors),
                                          argument_int(host_sees_count(work)),
                                          work_host_notes_argument(work) };
    return LAUNCH(work->finish_list, items < most ? items : most, arguments, error);
}

/* Binds the passes to the current arrays, and launches them. */
static bool launch_passes(struct library_work *work, struct error *error) {
    return work->box_lists
               ? box_lists_launch(work, error)
               : kernel_plan_build_and_launch(work->plan, error) && finish_list(work, error);
}

static bool copy_back(const struct library_work *work, const struct pm_list *list, size_t needed,
                      const struct part parts[PARTS], struct error *error) {
    const size_t used =
        work->spec->list == LIST_MATRIX || needed > list->room ? list->room : needed;
    bool copied = true;
    for (int p = 0; copied && p < PARTS; p++) {
        const struct part *part = &parts[p];
        const size_t bytes = bytes_of(work, part, used);
        copied = !part->memory || bytes == 0 ||
                 buffer_read_enqueued(*part->buffer, 0, part->memory, bytes, error);
    }
    return copied && device_finish(work->device, error);
}

static bool read_needed(struct library_work *work, size_t *needed, struct error *error) {
    int32_t read = 0;
    const bool seen = host_sees_count(work);
    if (!(seen ? device_wait_for_word(work->device, &work->host_notes[NOTE_LISTED], work->call,
                                      error)
               : needed_of(work, &read, error))) {
        return false;
    }
    read = seen ? work->host_notes[NOTE_ENTRIES] : read;
    if (read <= 0 && !work_check_places(work, error)) {
        return false;
    }
    *needed = (size_t)(read > 0 ? read : 0);
    return read >= 0 ||
           fail(error, STATUS_UNSUPPORTED, "the list has more than %d entries", INT32_MAX);
}

/* Copies a list into host memory: reading the number of entries waits for everything enqueued. */
static bool list_in_place(struct library_work *work, const struct pm_arrays *arrays,
                          const struct pm_list *list, struct part parts[PARTS], size_t *needed,
                          struct error *error) {
    const bool listed = point_to_theirs(work, arrays, list, parts, error) &&
                        launch_passes(work, error) && (!needed || read_needed(work, needed, error));
    point_back(parts);
    return listed;
}

static bool list_by_copies(struct library_work *work, const struct pm_list *list,
                           struct part parts[PARTS], size_t *needed, struct error *error) {
    const int32_t room = list->room > 0 ? (int32_t)list->room : 1;
    return reserve(work, room, error) && launch_passes(work, error) &&
           read_needed(work, needed, error) && copy_back(work, list, *needed, parts, error);
}

/* ---- entries by their first particles ---- */

/* Sorts entries into the program's arrays or, where the device cannot address these, into staging
 * buffers. */
static bool place_by_first(struct library_work *work, const struct part parts[PARTS],
                           struct buffer *const to[PARTS], size_t entries, struct error *error) {
    const size_t n = work->box.n;
    /* On a processor each work-item takes many entries, which makes few runs that end within a
     * work-item. */
    const size_t each = device_describe(work->device)->is_cpu ? 512 : 1;
    const int wanted = (to[SHIFTS] ? 1 : 0) + (to[ENTRY_VECTORS] ? 2 : 0) + (to[DISTANCES] ? 4 : 0);
    if (!buffer_reserve(work->device, n * sizeof(int32_t), &work->runs, error)) {
        return false;
    }
    const struct argument count[] = { argument_int((int32_t)entries), argument_int((int32_t)each),
                                      argument_buffer(*parts[FIRST].buffer),
                                      argument_buffer(work->runs) };
    struct argument place[] = { argument_int((int32_t)entries),
                                argument_int((int32_t)each),
                                argument_int(wanted),
                                argument_buffer(*parts[FIRST].buffer),
                                argument_buffer(*parts[SECOND].buffer),
                                argument_buffer(*parts[SHIFTS].buffer),
                                argument_buffer(*parts[ENTRY_VECTORS].buffer),
                                argument_buffer(*parts[DISTANCES].buffer),
                                argument_buffer(work->runs),
                                argument_buffer(to[FIRST]),
                                argument_buffer(to[SECOND]),
                                argument_buffer(to[SHIFTS] ? to[SHIFTS] : to[FIRST]),
                                argument_buffer(to[ENTRY_VECTORS] ? to[ENTRY_VECTORS] : to[FIRST]),
                                argument_buffer(to[DISTANCES] ? to[DISTANCES] : to[FIRST]) };
    const size_t items = entries / each + 1;
    return buffer_fill(work->runs, 0, n * sizeof(int32_t), error) &&
           LAUNCH(work->count_runs, items, count, error) &&
           device_exclusive_scan(work->device, work->runs, work->runs, n, error) &&
           LAUNCH(work->place_runs, items, place, error);
}

static bool give_by_first(struct library_work *work, const struct pm_arrays *arrays,
                          const struct part parts[PARTS], size_t entries, struct error *error) {
    const bool staged = arrays->place == PM_HOST && !reaches_all(work, parts);
    struct buffer *to[PARTS] = { NULL };
    bool done = true;
    for (int p = FIRST; done && p < PARTS; p++) {
        const size_t bytes = parts[p].each * entries;
        if (parts[p].memory) {
            done = staged ? buffer_allocate(work->device, bytes, &to[p], error)
                          : wrap(work, arrays->place, &parts[p], bytes, &to[p], error);
        }
    }
    done = done && place_by_first(work, parts, to, entries, error);
    for (int p = FIRST; p < PARTS; p++) {
        done = done && (!to[p] || !staged ||
                        buffer_read(to[p], 0, parts[p].memory, parts[p].each * entries, error));
    }
    done = done && (staged || arrays->place != PM_HOST || device_finish(work->device, error));
    for (int p = FIRST; p < PARTS; p++) {
        buffer_free(to[p]);
    }
    return done;
}

/* Lists pairs into buffers of the library, which stay from call to call, and copies them to the
 * program's arrays. */
static bool list_by_first(struct library_work *work, const struct pm_arrays *arrays,
                          const struct pm_list *list, const struct part parts[PARTS],
                          size_t *needed, struct error *error) {
    const int32_t room = list->room > 0 ? (int32_t)list->room : 1;
    return reserve(work, room, error) && launch_passes(work, error) &&
           read_needed(work, needed, error) &&
           (*needed == 0 || *needed > list->room ||
            give_by_first(work, arrays, parts, *needed, error));
}

static bool list_pairs(struct library_work *work, const struct pm_arrays *arrays,
                       const struct pm_list *list, const struct brought *brought, size_t *needed,
                       struct error *error) {
    struct part parts[PARTS];
    if (!(work->box_lists ? box_lists_take(work, arrays, brought, error)
                          : work_place(work, arrays, brought, error))) {
        return false;
    }
    find_parts(work, list, arrays_of_lists(work), parts);
    if (list->by_first) {
        return list_by_first(work, arrays, list, parts, needed, error);
    }
    return arrays->place == PM_DEVICE || reaches_all(work, parts)
               ? list_in_place(work, arrays, list, parts, needed, error)
               : list_by_copies(work, list, parts, needed, error);
}

/* ---- the cell as the program has it ---- */

static bool fail_of_cell(struct error *error) {
    return fail(error, STATUS_BAD_INPUT, "cell: not that of the kernel");
}

/* Compares a cell in host memory with that of the kernel; one on the device is compared there. */
static bool bring_cell(struct library_work *work, const struct pm_arrays *arrays,
                       const struct pm_list *list, const size_t *needed, struct brought *brought,
                       struct error *error) {
    if (!list->cell) {
        return true;
    }
    if (!work->box.periodic || work->box_lists || !needed) {
        return fail(error, STATUS_BAD_INPUT, "cell: %s",
                    needed ? "the system was made without one" : "without `needed` nobody hears");
    }
    for (size_t k = 0; arrays->place == PM_HOST && k < 9; k++) {
        const double number = arrays->number == PM_FLOAT ? (double)((const float *)list->cell)[k]
                                                         : ((const double *)list->cell)[k];
        if (!(number == work->vectors[k])) {
            return fail_of_cell(error);
        }
    }
    return arrays->place == PM_HOST ||
           work_wrap(work, "cell", list->cell, 9 * number_bytes(arrays), &brought->cell, error);
}

/* Fails where the device found another cell; called after the wait for the list. */
static bool check_cell(struct library_work *work, const struct brought *brought,
                       struct error *error) {
    const bool known =
        !brought->cell || work->notes_on_host ||
        buffer_read(work->notes, 0, work->host_notes, NOTES * sizeof *work->host_notes, error);
    return known && (!brought->cell || !work_is_noted(work, NOTE_CELL) || fail_of_cell(error));
}

bool library_work_list(struct library_work *work, const struct pm_arrays *arrays,
                       const struct pm_list *list, size_t *needed, struct error *error) {
    struct brought brought = { 0 };
    struct lists_arguments unknown; /* there may be no plan yet */
    struct part parts[PARTS];
    if (!work_check_arrays(work, arrays, error)) {
        return false;
    }
    if (!work_is_of_lists(work)) {
        return fail(error, STATUS_BAD_INPUT, "%s is of workload %s, which lists no neighbours",
                    work->spec->variant->name, work->spec->variant->workload->name);
    }
    if (arrays->forces || (!needed && work->spec->list == LIST_COO)) {
        return fail(error, STATUS_BAD_INPUT, "%s",
                    arrays->forces ? "forces: lists have none" : "needed: a null pointer");
    }
    find_parts(work, list, &unknown, parts);
    if (!check_list(work, arrays, list, parts, error)) {
        return false;
    }
    if (work->box.n == 0) {
        const struct zeros begin = { list->row_begin, sizeof *list->row_begin };
        *(needed ? needed : &(size_t){ 0 }) = 0;
        return work_give_nothing(work, arrays, &begin, 1, error);
    }
    bool done = bring_cell(work, arrays, list, needed, &brought, error) &&
                work_bring(work, arrays, &brought, error);
    if (done) {
        done = list_pairs(work, arrays, list, &brought, needed, error) &&
               check_cell(work, &brought, error);
        done = work_leave(work, arrays, done, error);
    }
    work_release(&brought);
    return done;
}
