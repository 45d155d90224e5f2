/* Keys by which rows of neighbour lists are summed up: nobody can know those of another process,
 * and sums depend on every bit of them. Whoever finds other rows with the same sums all the same is
 * found by rows that are compared entry by entry. */

#include "reference/neighbours/neighbours.h"
#include "workloads/judges.h"
#include "workloads/neighbours/neighbour_lists.h"

#include "support.h"

#include <sys/wait.h>
#include <unistd.h>

extern const struct judge judge_listed;

enum { KEYS = 2, BITS = 64, PROCESSES = 40 };

static void keys_of_another_process(uint64_t keys[KEYS]) {
    int ends[2];
    int status;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const size_t bytes = KEYS * sizeof *keys;
        _exit(write(ends[1], neighbour_keys(), bytes) == (ssize_t)bytes ? 0 : 1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], keys, KEYS * sizeof *keys), KEYS * sizeof *keys);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Each bit is set in some process and not in another; by chance one would not be once in 2^32 runs.
 */
TEST(each_process_draws_all_bits) {
    uint64_t ones[KEYS] = { 0, 0 };
    uint64_t zeros[KEYS] = { 0, 0 };
    for (int p = 0; p < PROCESSES; p++) {
        uint64_t keys[KEYS];
        keys_of_another_process(keys);
        assert_true(keys[0] != keys[1]);
        for (int k = 0; k < KEYS; k++) {
            ones[k] |= keys[k];
            zeros[k] |= ~keys[k];
        }
    }
    for (int k = 0; k < KEYS; k++) {
        assert_true(ones[k] == UINT64_MAX && zeros[k] == UINT64_MAX);
    }
}

TEST(a_process_keeps_its_keys) {
    uint64_t keys[KEYS];
    memcpy(keys, neighbour_keys(), sizeof keys);
    assert_memory_equal(keys, neighbour_keys(), sizeof keys);
}

/* Of three particles, all neighbours of each other. */
static void sum_up(const uint64_t keys[KEYS], struct neighbour_rows *rows) {
    double position[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    const struct box box = { .n = 3, .position = position };
    const struct interaction interaction = { 0 };
    const struct neighbours_asked asked = {
        .box = &box, .cutoff = 2, .interaction = &interaction, .key = { keys[0], keys[1] }
    };
    struct error error;
    assert_true(neighbour_rows_compute(&asked, NULL, 0, rows, &error));
    assert_int_equal(rows->all_within, 6);
}

TEST(sums_depend_on_each_bit) {
    const size_t row = NEIGHBOUR_NUMBERS * sizeof(uint32_t);
    uint64_t keys[KEYS] = { 1, 2 };
    struct neighbour_rows rows = { 0 };
    sum_up(keys, &rows);
    for (int b = 0; b < KEYS * BITS; b++) {
        struct neighbour_rows other = { 0 };
        keys[b / BITS] ^= (uint64_t)1 << b % BITS;
        sum_up(keys, &other);
        keys[b / BITS] ^= (uint64_t)1 << b % BITS;
        for (size_t i = 0; i < rows.n; i++) {
            const size_t at = NEIGHBOUR_NUMBERS * i;
            assert_int_not_equal(memcmp(&rows.plain[at], &other.plain[at], row), 0);
            assert_int_not_equal(memcmp(&rows.shifted[at], &other.shifted[at], row), 0);
        }
        neighbour_rows_free(&other);
    }
    neighbour_rows_free(&rows);
}

/* ---- rows, whatever their sums are ---- */

enum { LINE = 300, REACH = 70 };
static const double spacing = 0.125;

/* Particles on a line, each with its neighbours; of particle `of`, so many are missing, and so many
 * that are no neighbours are there in their place. */
struct line {
    size_t of;
    int32_t missing, strangers;
};

static bool read_line(void *context, size_t particle, struct listed_row *row, struct error *error) {
    const struct line *line = context;
    const int32_t own = (int32_t)particle;
    const int32_t skipped = particle == line->of ? line->missing : 0;
    (void)error;
    listed_row_free(row);
    row->j = calloc(LINE, sizeof *row->j);
    assert_non_null(row->j);
    for (int32_t j = 0; j < LINE; j++) {
        const int32_t apart = j > own ? j - own : own - j;
        const bool listed = apart <= REACH && apart > skipped;
        const bool strange =
            particle == line->of && apart > REACH && apart <= REACH + line->strangers;
        if (j != own && (listed || strange)) {
            row->j[row->count++] = j;
        }
    }
    return true;
}

/* Looks until each row was drawn, most likely: 8 parts of the rows, one of each at a time. */
static bool finds(const struct line *line) {

    struct case_spec spec = { .precision = PRECISION_DOUBLE };
    double position[3 * LINE] = { 0 };
    const struct box box = { .n = LINE, .position = position };
    for (size_t i = 0; i < LINE; i++) {
        position[3 * i] = spacing * (double)i;
    }
    const struct judge_question question = { .spec = &spec,
                                             .box = &box,
                                             .cutoff = (REACH + 0.5) * spacing };
    const struct listed_rows rows = { (void *)line, read_line, NULL };
    struct verdict verdict = verdict_of(STATUS_OK);
    struct error error;
    for (uint64_t look = 0; look < 1000 && verdict.status == STATUS_OK; look++) {
        assert_true(judge_listed.compare_rows(&question, &rows, look, &verdict, &error));
    }
    return verdict.status == STATUS_WRONG;
}

TEST(drawn_rows_are_compared_entry_by_entry) {
    assert_false(finds(&(struct line){ 0, 0, 0 }));
    for (size_t of = 0; of < LINE; of += 23) {
        assert_true(finds(&(struct line){ of, 1, 0 }));
        assert_true(finds(&(struct line){ of, 0, 1 }));
        assert_true(finds(&(struct line){ of, 61, 63 }));
    }
}
