/* Notes are what kernels find when they take positions. The host reads them without a copy where
 * kernels can address its memory. */
#include "library/work.h"

#include <string.h>

static bool make_host_notes(struct library_work *work, struct error *error) {
    struct error ignored;
    void *memory = NULL;
    if (!work->host_notes &&
        !host_allocate(work->device, NOTES * sizeof *work->host_notes, &memory, error)) {
        return false;
    }
    if (memory) {
        work->host_notes = memory;
        memset(work->host_notes, 0, NOTES * sizeof *work->host_notes);
    }
    if (!work->notes_on_host &&
        !buffer_of_host(work->device, work->host_notes, NOTES * sizeof *work->host_notes,
                        &work->notes_on_host, &ignored)) {
        work->notes_on_host = NULL;
    }
    return true;
}

bool work_make_notes(struct library_work *work, struct error *error) {
    return (work->notes ||
            (buffer_allocate(work->device, NOTES * sizeof(int32_t), &work->notes, error) &&
             buffer_fill(work->notes, 0, NOTES * sizeof(int32_t), error))) &&
           make_host_notes(work, error) &&
           (work->noted || event_create(work->device, &work->noted, error));
}

void work_free_notes(struct library_work *work) {
    buffer_free(work->notes);
    buffer_free(work->notes_on_host);
    if (work->host_notes) {
        host_free(work->device, work->host_notes);
    }
    event_free(work->noted);
}

struct argument work_host_notes_argument(const struct library_work *work) {
    return argument_buffer(work->notes_on_host ? work->notes_on_host : work->notes);
}

bool work_note_end(struct library_work *work, struct error *error) {
    const bool copied =
        work->notes_on_host || buffer_read_enqueued(work->notes, 0, work->host_notes,
                                                    NOTES * sizeof *work->host_notes, error);
    return copied && event_record(work->noted, error);
}

bool work_is_noted(const struct library_work *work, enum note note) {
    return work->host_notes[note] == work->call;
}

bool work_fail_of_place(size_t particle, struct error *error) {
    return fail(error, STATUS_BAD_INPUT,
                "particle %zu: a position that is not finite, or too far away", particle);
}
static bool fail_of_place_in_box(const int32_t *begin, size_t particle, struct error *error) {
    size_t box = 0;
    while (begin[box + 1] <= (int32_t)particle) {
        box++;
    }
    return work_fail_of_place(particle - (size_t)begin[box], error) ||
           fail_within(error, "box %zu", box);
}

bool work_check_noted_places(const struct library_work *work, struct error *error) {
    if (!work_is_noted(work, NOTE_NOWHERE)) {
        return true;
    }
    const size_t particle = (size_t)work->host_notes[NOTE_PARTICLE];
    return work->first_of_box ? fail_of_place_in_box(work->first_of_box, particle, error)
                              : work_fail_of_place(particle, error);
}

bool work_wait_for_notes(struct library_work *work, struct error *error) {
    return event_wait(work->noted, error);
}

bool work_check_places(struct library_work *work, struct error *error) {
    const bool known = work->notes_on_host ? device_finish(work->device, error)
                                           : buffer_read(work->notes, 0, work->host_notes,
                                                         NOTES * sizeof *work->host_notes, error);
    return known && work_check_noted_places(work, error);
}
