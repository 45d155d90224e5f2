/* Maps groups, over whose members kernels have arrays, to all particles, over which the program
 * has. */
#include "library/work.h"

#include <stdlib.h>

static bool upload(struct library_work *work, const int32_t *numbers, size_t count,
                   struct buffer **buffer, struct error *error) {
    return buffer_upload(work->device, "groups", numbers, count * sizeof *numbers, buffer, error);
}

/* Lists the places of each particle: of particle i those from begin[i] to begin[i + 1] - 1. Places
 * in the first group come before those in the second, which count on. `begin`: n + 2 zeros. */
static void list_places(const struct groups *groups, size_t n, int32_t *begin, int32_t *place) {
    const size_t members = groups->n_a + groups->n_b;
    for (size_t m = 0; m < members; m++) {
        begin[(m < groups->n_a ? groups->a[m] : groups->b[m - groups->n_a]) + 2]++;
    }
    for (size_t i = 1; i <= n + 1; i++) {
        begin[i] += begin[i - 1];
    }
    for (size_t m = 0; m < members; m++) {
        const int32_t i = m < groups->n_a ? groups->a[m] : groups->b[m - groups->n_a];
        place[begin[i + 1]++] = (int32_t)m;
    }
}

void work_free_groups(struct library_work *work) {
    struct buffer **const buffers[] = { &work->index[0], &work->index[1], &work->place_begin,
                                        &work->place_of };
    for (size_t k = 0; k < sizeof buffers / sizeof buffers[0]; k++) {
        buffer_free(*buffers[k]);
        *buffers[k] = NULL;
    }
}

bool work_place_groups(struct library_work *work, struct error *error) {
    const struct groups *groups = work->groups;
    const size_t n = work->box.n;
    if (!groups || work->place_of) {
        return true;
    }
    const size_t members = groups->n_a + groups->n_b;
    int32_t *begin = calloc(n + 2, sizeof *begin);
    int32_t *place = calloc(members, sizeof *place);
    bool placed = false;
    if (begin && place) {
        list_places(groups, n, begin, place);
        placed = upload(work, groups->a, groups->n_a, &work->index[0], error) &&
                 (!groups->b || upload(work, groups->b, groups->n_b, &work->index[1], error)) &&
                 upload(work, begin, n + 1, &work->place_begin, error) &&
                 upload(work, place, members, &work->place_of, error);
    } else {
        (void)fail_out_of_memory(error, "the groups");
    }
    if (!placed) {
        work_free_groups(work);
    }
    free(begin);
    free(place);
    return placed;
}
