/* What memory there is, what boxes need of it, and grids whose cells an int still numbers. */
#include "core/host.h"
#include "kernels/case.h"
#include "structures/cell_grid.h"

#include <string.h>
#include <sys/resource.h>

#include "built_in.h" /* last: see there */

static const uint64_t gigabyte = 1000000000;

TEST(amounts_in_words) {
    char words[32];
    memory_words(0, words, sizeof words);
    assert_string_equal(words, "0 bytes");
    memory_words(999, words, sizeof words);
    assert_string_equal(words, "999 bytes");
    memory_words(1.5e6, words, sizeof words);
    assert_string_equal(words, "1.5 MB");
    memory_words(25.6e9, words, sizeof words);
    assert_string_equal(words, "25.6 GB");
    memory_words(999.9e9, words, sizeof words);
    assert_string_equal(words, "1 TB");
    memory_words(4e15, words, sizeof words);
    assert_string_equal(words, "4e+03 TB");
}

TEST(what_is_available_is_of_what_there_is) {
    assert_true(memory_available() > 0);
    assert_true(memory_available() <= memory_most());
}

/* The limit of address space counts, as ulimit -v sets it. */
TEST(a_limit_of_the_process_is_met) {
    struct rlimit before;
    struct error error;
#ifdef PAIRMARK_SANITIZE
    skip_because("built with AddressSanitizer, which reserves more addresses than the limit");
#endif
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    struct rlimit limit = { .rlim_cur = 64 * gigabyte, .rlim_max = before.rlim_max };
    if (before.rlim_cur < limit.rlim_cur) {
        skip_because("the address space is limited already (ulimit -v)");
    }
    const uint64_t most = memory_most();
    limit.rlim_cur = most < 4 * gigabyte ? most / 2 : 2 * gigabyte;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    const uint64_t lowered = memory_most();
    const uint64_t available = memory_available();
    const bool fits = memory_can_hold("--n", 1e6, HOST_BYTES_OF_CASE, &error);
    const bool too_large = memory_can_hold("--n", 1e7, HOST_BYTES_OF_CASE, &error);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(lowered, limit.rlim_cur);
    assert_true(available < lowered);
    assert_true(fits);
    assert_false(too_large);
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, "--n: 10000000 particles need about 2.56 GB");
}

TEST(what_is_given_back_counts_as_available) {
    struct error error;
    const size_t too_many = (size_t)(memory_most() / HOST_BYTES_OF_CASE) + 1;
    assert_false(memory_on_host(too_many, 0, &error));
    assert_int_equal(error.status, STATUS_OUT_OF_MEMORY);
    assert_true(memory_on_host(too_many, too_many * HOST_BYTES_OF_CASE, &error));
}

/* A box as long as thin asks for four cells a particle, and of the most particles for more than an
 * int numbers. */
TEST(cells_of_the_largest_box_are_numbered_by_int) {
    double position[3] = { 0, 0, 0 };
    const struct box box = {
        .n = BOX_MAX_PARTICLES, .periodic = true, .edge = { 2.6, 2.6, 3e12 }, .position = position
    };
    struct cell_grid grid;
    cell_grid_make(&box, 1.0, 1, 0x1p-52, &grid);
    assert_true(grid.total > 1000000000);
    assert_true(grid.total < INT32_MAX); /* a builder has one more */
    assert_true((int64_t)grid.cells[0] * grid.cells[1] * grid.cells[2] == grid.total);
}

/* Whether a device of so many bytes per particle could hold the variant over a fluid. */
static bool device_holds(const char *name, double bytes_per_particle, struct error *error) {
    struct case_spec spec = { .variant = built_in(name),
                              .box = { .kind = "fluid", .n = 1000000, .density = 0.8442 },
                              .cutoff = { .length = 2.5 },
                              .precision = PRECISION_FLOAT };
    const struct device_info info = { .name = "one",
                                      .memory_bytes = (uint64_t)(1e6 * bytes_per_particle) };
    tunings_preset(spec.variant, &spec.tunings);
    return memory_on_device(&spec, &info, false, error);
}

/* A list has four bytes per neighbour within the cutoff and the skin, 78 of them here, besides what
 * its cells have. */
TEST(lists_count_their_neighbours) {
    struct error error;
    assert_true(device_holds("sorted_cells", 110, &error));
    assert_false(device_holds("list_walk", 400, &error));
    assert_int_equal(error.status, STATUS_OUT_OF_MEMORY);
    assert_true(device_holds("list_walk", 430, &error));
}
