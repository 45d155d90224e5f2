/*
 * The device layer through its public header, on the device that $PAIRMARK_TEST_DEVICE names, else
 * on the default one. A machine without any device fails: PoCL is there for every CPU.
 */
#include "core/cache.h"
#include "core/error.h"
#include "core/host.h"
#include "devices/device.h"

#include "device_calls.h" /* last: it brings cmocka.h, whose fail() is not ours */

#include "support.h"

/* ---- what every test begins with ---- */

struct fixture {
    struct device *device;
};

static struct device *device_of(void **state) {
    return ((struct fixture *)*state)->device;
}

static void assert_refused(bool done, const struct error *error, enum status status) {
    assert_false(done);
    if (error->status != status) {
        print_error("%s: %s\n", status_name(error->status), error->message);
    }
    assert_int_equal(error->status, status);
    assert_true(error->message[0] != '\0');
}

static int open_default(void **state) {
    static struct fixture fixture;
    struct error error;
    if (open_test_cache(state) != 0) {
        return -1;
    }
    if (!device_open(getenv("PAIRMARK_TEST_DEVICE"), &fixture.device, &error)) {
        print_error("no device to test: %s\n", error.message);
        (void)close_test_cache(state);
        return -1;
    }
    print_message("testing %s\n", device_describe(fixture.device)->name);
    *state = &fixture;
    return 0;
}

static int close_default(void **state) {
    struct fixture *fixture = *state;
    if (fixture) {
        device_close(fixture->device);
        return close_test_cache(state);
    }
    return 0;
}

/* A number that is as good as random, the same every time. */
static uint32_t scramble(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 32);
}

/* ---- what there is ---- */

TEST(devices_are_listed_best_first) {
    struct device_info *list;
    size_t count;
    char notes[1024];
    struct error error;
    assert_done(devices_enumerate(&list, &count, notes, sizeof notes, &error), &error);
    assert_true(count > 0);
    bool there = false;
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || list[i].kind >= list[i - 1].kind);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(list[i].name, list[j].name);
        }
        if (strcmp(list[i].name, device_describe(device_of(state))->name) == 0) {
            there = true;
            assert_memory_equal(&list[i], device_describe(device_of(state)), sizeof list[i]);
            assert_true(list[i].memory_bytes > 0 && list[i].compute_units > 0);
            assert_true(list[i].max_group_size > 0 && list[i].local_bytes > 0);
            assert_true(list[i].model[0] && list[i].driver[0] && list[i].toolkit[0]);
        }
    }
    assert_true(there);
#ifndef PAIRMARK_HAVE_CUDA
    assert_says(notes, "cuda: built without the CUDA toolkit");
#endif
    assert_true(notes[0] == '\0' || notes[strlen(notes) - 1] != '\n');
    free(list);
    assert_done(devices_enumerate(&list, &count, NULL, 0, &error), &error);
    free(list);
}

TEST(an_unknown_device_is_refused_with_the_choices) {
    static const char *const names[] = { "opencl:99:0", "opencl:0:99", "cuda:99",    "banana",
                                         "opencl",      "opencl:",     "opencl:0:0x" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct device *device;
        struct error error;
        assert_refused(device_open(names[i], &device, &error), &error, STATUS_BAD_INPUT);
        assert_says(error.message, names[i]);
        assert_non_null(strstr(error.message, device_describe(device_of(state))->name));
    }
}

TEST(a_device_opens_by_its_name_a_second_time) {
    struct device *device;
    struct error error;
    const char *name = device_describe(device_of(state))->name;
    assert_done(device_open(name, &device, &error), &error);
    assert_string_equal(device_describe(device)->name, name);
    device_close(device);
    device_close(NULL);
}

TEST(the_state_is_numbers_or_nothing) {
    struct device_state now;
    device_read_state(device_of(state), &now);
    assert_true(isnan(now.sm_clock_mhz) || now.sm_clock_mhz > 0);
    assert_true(isnan(now.temperature_c) || now.temperature_c > 0);
    assert_true(isnan(now.power_w) || now.power_w > 0);
    assert_true(isnan(now.energy_j) || now.energy_j > 0);
    assert_true(strlen(now.throttle_reasons) < sizeof now.throttle_reasons);
}

/* ---- buffers ---- */

TEST(what_is_written_is_read) {
    enum { BYTES = 100003 };
    static unsigned char out[BYTES];
    static unsigned char in[BYTES];
    struct error error;
    uint64_t seed = 1;
    for (size_t i = 0; i < BYTES; i++) {
        out[i] = (unsigned char)scramble(&seed);
    }
    struct buffer *buffer = buffer_of(device_of(state), out, BYTES);
    assert_int_equal(buffer_bytes(buffer), BYTES);
    read_all(buffer, in, BYTES);
    assert_memory_equal(in, out, BYTES);
    assert_done(buffer_write(buffer, 777, out, 1000, &error), &error);
    assert_done(buffer_read(buffer, 776, in, 1002, &error), &error);
    assert_int_equal(in[0], out[776]);
    assert_memory_equal(in + 1, out, 1000);
    assert_int_equal(in[1001], out[1777]);
    assert_done(buffer_write(buffer, BYTES, out, 0, &error), &error);
    buffer_free(buffer);
    buffer_free(NULL);
}

TEST(fills_reach_their_end_and_no_further) {
    static const size_t lengths[] = { 0, 1, 3, 4, 15, 16, 17, 24, 1000, 1001, 4095, 4096 };
    enum { BYTES = 4097 };
    unsigned char in[BYTES];
    struct error error;
    struct buffer *buffer = buffer_of(device_of(state), NULL, BYTES);
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        assert_done(buffer_fill(buffer, 0xA5, BYTES, &error), &error);
        assert_done(buffer_fill(buffer, (unsigned char)k, lengths[k], &error), &error);
        read_all(buffer, in, BYTES);
        for (size_t i = 0; i < BYTES; i++) {
            assert_int_equal(in[i], i < lengths[k] ? k : 0xA5);
        }
    }
    buffer_free(buffer);
}

struct copying {
    struct buffer *buffer;
    unsigned char *in, *out; /* of host_allocate() */
    size_t bytes;
};

static bool enqueue_copying(void *context, struct error *error) {
    const struct copying *copying = context;
    return buffer_write_enqueued(copying->buffer, 0, copying->in, copying->bytes, error) &&
           buffer_fill(copying->buffer, 7, 3, error) &&
           buffer_read_enqueued(copying->buffer, 0, copying->out, copying->bytes, error);
}

/* A recording takes what lies in host memory when it runs, not when it was recorded. */
TEST(recorded_work_is_done_each_time) {
    struct device *device = device_of(state);
    struct error error;
    struct graph *graph = NULL;
    void *memory[2] = { NULL, NULL };
    struct copying copying = { .bytes = 1001 };
    copying.buffer = buffer_of(device, NULL, copying.bytes);
    assert_done(host_allocate(device, copying.bytes, &memory[0], &error), &error);
    assert_done(host_allocate(device, copying.bytes, &memory[1], &error), &error);
    copying.in = memory[0];
    copying.out = memory[1];
    assert_done(device_record(device, enqueue_copying, &copying, &graph, &error), &error);
    assert_int_equal(graph_is_one_launch(graph), device_describe(device)->kind == DEVICE_CUDA);
    for (int run = 1; run <= 3; run++) {
        memset(copying.in, 10 * run, copying.bytes);
        memset(copying.out, 0, copying.bytes);
        assert_done(graph_enqueue(graph, &error), &error);
        assert_done(device_finish(device, &error), &error);
        for (size_t k = 0; k < copying.bytes; k++) {
            assert_int_equal(copying.out[k], k < 3 ? 7 : 10 * run);
        }
    }
    assert_refused(buffer_read_enqueued(copying.buffer, 1, copying.out, copying.bytes, &error),
                   &error, STATUS_LAUNCH_ERROR);
    graph_free(graph);
    graph_free(NULL);
    host_free(device, memory[0]);
    host_free(device, memory[1]);
    host_free(device, NULL);
    buffer_free(copying.buffer);
}

struct scanning {
    struct device *device;
    struct buffer *in, *out;
    size_t n;
};

static bool enqueue_scan(void *context, struct error *error) {
    const struct scanning *scanning = context;
    return device_exclusive_scan(scanning->device, scanning->in, scanning->out, scanning->n, error);
}

/* Other work, which needs more of the device's own memory, may come between: that memory moves. */
TEST(recorded_work_outlives_larger_work) {
    enum { FEW = 100, MANY = 4 << 20 };
    struct device *device = device_of(state);
    struct error error;
    struct graph *graph = NULL;
    struct scanning few = { .device = device, .n = FEW };
    int32_t sums[FEW];
    few.in = buffer_of(device, NULL, MANY * sizeof(int32_t));
    few.out = buffer_of(device, NULL, MANY * sizeof(int32_t));
    struct scanning many = few;
    many.n = MANY;
    assert_done(buffer_fill(few.in, 1, MANY * sizeof(int32_t), &error), &error);
    assert_done(enqueue_scan(&few, &error), &error);
    assert_done(device_record(device, enqueue_scan, &few, &graph, &error), &error);
    assert_done(enqueue_scan(&many, &error), &error);
    assert_done(buffer_fill(few.out, 0, sizeof sums, &error), &error);
    assert_done(graph_enqueue(graph, &error), &error);
    read_all(few.out, sums, sizeof sums);
    for (int k = 0; k < FEW; k++) {
        assert_int_equal(sums[k], 0x01010101 * k);
    }
    graph_free(graph);
    buffer_free(few.in);
    buffer_free(few.out);
}

TEST(ranges_outside_a_buffer_are_refused) {
    unsigned char bytes[16] = { 0 };
    struct error error;
    struct buffer *buffer = buffer_of(device_of(state), NULL, 10);
    assert_refused(buffer_write(buffer, 0, bytes, 11, &error), &error, STATUS_LAUNCH_ERROR);
    assert_refused(buffer_read(buffer, 8, bytes, 3, &error), &error, STATUS_LAUNCH_ERROR);
    assert_refused(buffer_read(buffer, 11, bytes, 0, &error), &error, STATUS_LAUNCH_ERROR);
    assert_refused(buffer_read(buffer, 1, bytes, SIZE_MAX, &error), &error, STATUS_LAUNCH_ERROR);
    assert_refused(buffer_fill(buffer, 0, 11, &error), &error, STATUS_LAUNCH_ERROR);
    buffer_free(buffer);
    buffer = buffer_of(device_of(state), NULL, 0);
    assert_int_equal(buffer_bytes(buffer), 0);
    buffer_free(buffer);
}

TEST(too_large_a_buffer_is_out_of_memory_and_harms_nothing) {
    struct buffer *buffer;
    struct error error;
    int value = 42;
    int back = 0;
    assert_refused(buffer_allocate(device_of(state), (size_t)1 << 46, &buffer, &error), &error,
                   STATUS_OUT_OF_MEMORY);
    assert_refused(buffer_allocate(device_of(state), SIZE_MAX, &buffer, &error), &error,
                   STATUS_OUT_OF_MEMORY);
    buffer = buffer_of(device_of(state), &value, sizeof value);
    read_all(buffer, &back, sizeof back);
    assert_int_equal(back, value);
    buffer_free(buffer);
}

/* ---- guards ---- */

static const char storing[] =
    "KERNEL void work(GLOBAL int *a, int at, int value) { a[at] = value; }\n";

/* Stores a number in a buffer of 3, whatever the index. */
static void store_at(struct program *program, struct buffer *buffer, int at, int value) {
    const struct argument arguments[] = { argument_buffer(buffer), argument_int(at),
                                          argument_int(value) };
    launch(program, "work", 1, 1, arguments, 3);
}

TEST(a_write_outside_of_a_buffer_is_told_and_costs_the_device) {
    static const struct {
        int at;
        const char *where;
    } writes[] = {
        { 3, "byte offset 12 on, past the end of buffer force of 12 bytes" },
        { 1026, "byte offset 4104 on, past the end of buffer force of 12 bytes" },
        { -1, "byte offset -4 on, before the start of buffer force of 12 bytes" },
        { -1024, "byte offset -4096 on, before the start of buffer force of 12 bytes" },
    };
    for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++) {
        struct device *device;
        struct error error;
        assert_done(device_open(device_describe(device_of(state))->name, &device, &error), &error);
        struct program *program = compile(device, storing, "float", 0);
        struct buffer *before = buffer_of(device, NULL, 64);
        struct buffer *buffer = buffer_of(device, NULL, 12);
        struct buffer *behind = buffer_of(device, NULL, 0);
        buffer_label(buffer, "force");
        for (int at = 0; at < 3; at++) {
            store_at(program, buffer, at, 5);
        }
        assert_done(device_check_guards(device, &error), &error);
        assert_done(device_check_guards(device, &error), &error); /* of the other kind */
        assert_true(device_works(device));
        store_at(program, buffer, writes[i].at, 5);
        assert_refused(device_check_guards(device, &error), &error, STATUS_WRONG);
        assert_says(error.message, writes[i].where);
        assert_false(device_works(device));
        buffer_free(behind);
        buffer_free(buffer);
        buffer_free(before);
        program_free(program);
        device_close(device);
    }
}

/* The two kinds of guards take turns, so that of two reads beyond a buffer one finds NaN and a wild
 * index, the other zeros. */
TEST(what_lies_beside_a_buffer_is_nan_or_zero) {
    static const char reading[] =
        "KERNEL void work(GLOBAL const int *a, GLOBAL int *found) {\n"
        "    found[0] = a[-1];\n"
        "    found[1] = a[3];\n"
        "    found[2] = ((GLOBAL const float *)a)[3] != ((GLOBAL const float *)a)[3];\n"
        "}\n";
    struct device *device = device_of(state);
    struct program *program = compile(device, reading, "float", 0);
    struct buffer *buffer = buffer_of(device, NULL, 12);
    struct buffer *found = buffer_of(device, NULL, 12);
    const struct argument arguments[] = { argument_buffer(buffer), argument_buffer(found) };
    int kinds = 0;
    for (int turn = 0; turn < 2; turn++) {
        int32_t words[3];
        struct error error;
        launch(program, "work", 1, 1, arguments, 2);
        read_all(found, words, sizeof words);
        assert_int_equal(words[0], words[1]);
        assert_true(words[2] ? words[0] > 2000000000 : words[0] == 0);
        kinds |= words[2] ? 1 : 2;
        assert_done(device_check_guards(device, &error), &error);
    }
    assert_int_equal(kinds, 3);
    buffer_free(found);
    buffer_free(buffer);
    program_free(program);
}

/* ---- programs ---- */

static const char doubling[] = "KERNEL void work(GLOBAL int *a) { a[GLOBAL_ID] *= 2; }\n";
static const char tripling[] = "KERNEL void work(GLOBAL int *a) { a[GLOBAL_ID] *= 3; }\n";

/* What `work` makes of 7. */
static int work_on_seven(struct device *device, struct program *program) {
    int value = 7;
    struct buffer *buffer = buffer_of(device, &value, sizeof value);
    const struct argument arguments[] = { argument_buffer(buffer) };
    launch(program, "work", 1, 1, arguments, 1);
    read_all(buffer, &value, sizeof value);
    buffer_free(buffer);
    return value;
}

TEST(a_text_that_does_not_compile_gives_its_log) {
    const struct program_source source = {
        .name = "broken.cl",
        .text = "KERNEL void fine(GLOBAL int *a) { a[0] = 1; }\n"
                "KERNEL void bad(GLOBAL int *a) { a[0] = mistake; }\n",
        .precision_words = "float",
    };
    struct program *program;
    struct error error;
    assert_refused(program_compile(device_of(state), &source, &program, &error), &error,
                   STATUS_COMPILE_ERROR);
    assert_says(error.message, "mistake");
    assert_says(error.message, "broken.cl");
    const struct program_source unknown = { .name = "a.cl",
                                            .text = doubling,
                                            .precision_words = "half" };
    assert_refused(program_compile(device_of(state), &unknown, &program, &error), &error,
                   STATUS_BAD_INPUT);
}

TEST(an_unknown_kernel_is_refused_by_name) {
    struct program *program = compile(device_of(state), doubling, "float", 0);
    struct kernel *kernel;
    struct kernel *again;
    struct error error;
    assert_refused(program_kernel(program, "nothing", &kernel, &error), &error,
                   STATUS_COMPILE_ERROR);
    assert_says(error.message, "nothing");
    assert_done(program_kernel(program, "work", &kernel, &error), &error);
    assert_done(program_kernel(program, "work", &again, &error), &error);
    assert_ptr_equal(kernel, again);
    program_free(program);
    program_free(NULL);
}

TEST(hashes_tell_programs_apart) {
    struct device *device = device_of(state);
    struct program *programs[] = { compile(device, doubling, "float", 0),
                                   compile(device, tripling, "float", 0),
                                   compile(device, doubling, "float", 32),
                                   compile(device, doubling, "float", 0) };
    enum { COUNT = sizeof programs / sizeof programs[0] };
    char hash[COUNT][HASH_TEXT_SIZE];
    for (int i = 0; i < COUNT; i++) {
        program_hash(programs[i], hash[i]);
        assert_int_equal(strlen(hash[i]), HASH_TEXT_SIZE - 1);
        assert_non_null(program_options(programs[i]));
        assert_null(strstr(program_options(programs[i]), "fast"));
        program_free(programs[i]);
    }
    assert_string_not_equal(hash[0], hash[1]);
    assert_string_not_equal(hash[0], hash[2]);
    assert_string_not_equal(hash[1], hash[2]);
    assert_string_equal(hash[0], hash[3]);
}

/* The cache is seen at work by putting a wrong thing into it: the binary of another program under
 * this one's key is what runs, and one that no driver takes is compiled anew. */
TEST(compiled_programs_come_from_the_cache) {
    struct device *device = device_of(state);
    char two[HASH_TEXT_SIZE];
    char three[HASH_TEXT_SIZE];
    void *bytes;
    size_t length;
    struct program *program = compile(device, doubling, "float", 0);
    program_hash(program, two);
    assert_int_equal(work_on_seven(device, program), 14);
    program_free(program);
    program = compile(device, tripling, "float", 0);
    program_hash(program, three);
    assert_int_equal(work_on_seven(device, program), 21);
    program_free(program);

    const bool kept = cache_load("kernels", three, &bytes, &length);
    if (!kept && device_describe(device)->is_cpu) {
        skip_because(
            "PoCL keeps what it compiles itself: needs another device (PAIRMARK_TEST_DEVICE)");
    }
    assert_true(kept);
    cache_store("kernels", two, bytes, length);
    free(bytes);
    program = compile(device, doubling, "float", 0);
    assert_int_equal(work_on_seven(device, program), 21);
    program_free(program);

    cache_store("kernels", two, "no binary", 9);
    program = compile(device, doubling, "float", 0);
    assert_int_equal(work_on_seven(device, program), 14);
    program_free(program);
    assert_true(cache_load("kernels", two, &bytes, &length));
    assert_true(length > 9);
    free(bytes);
}

/* ---- launches ---- */

static const char every_kind[] =
    "KERNEL void kinds(GLOBAL accum *out, GLOBAL int *places, int n, real scale, real4 v) {\n"
    "    int i = GLOBAL_ID;\n"
    "    if (i < n) {\n"
    "        out[i] = (accum)(scale * (real)i + v.x + REAL(10.0) * v.y + REAL(100.0) * v.z)\n"
    "               + ACCUM(1000.0) * (accum)v.w;\n"
    "        places[i] = GROUP_ID * LOCAL_SIZE + LOCAL_ID == i &&\n"
    "                    GLOBAL_SIZE == NUM_GROUPS * LOCAL_SIZE ? i : -1;\n"
    "    }\n"
    "}\n";

static void check_kinds(struct device *device, const char *precision, bool real_is_double,
                        bool accum_is_double) {
    enum { N = 1000, GROUP = 64 };
    const double v[4] = { 1, 2, 3, 4 };
    static unsigned char sums[N * sizeof(double)];
    static int32_t places[N];
    size_t width = accum_is_double ? sizeof(double) : sizeof(float);
    struct program *program = compile(device, every_kind, precision, 0);
    struct buffer *out = buffer_of(device, NULL, N * width);
    struct buffer *where = buffer_of(device, NULL, sizeof places);
    const struct argument arguments[] = { argument_buffer(out), argument_buffer(where),
                                          argument_int(N), argument_real(0.5, real_is_double),
                                          argument_real4(v, real_is_double) };
    launch(program, "kinds", (N + GROUP - 1) / GROUP, GROUP, arguments, 5);
    read_all(out, sums, N * width);
    read_all(where, places, sizeof places);
    for (int i = 0; i < N; i++) {
        double wide;
        float narrow;
        memcpy(&wide, sums + (size_t)i * (accum_is_double ? sizeof wide : 0), sizeof wide);
        memcpy(&narrow, sums + (size_t)i * (accum_is_double ? 0 : sizeof narrow), sizeof narrow);
        assert_true((accum_is_double ? wide : (double)narrow) == 0.5 * i + 4321);
        assert_int_equal(places[i], i);
    }
    buffer_free(out);
    buffer_free(where);
    program_free(program);
}

TEST(arguments_of_every_kind_arrive) {
    struct device *device = device_of(state);
    check_kinds(device, "float", false, false);
    if (device_describe(device)->fp64) {
        check_kinds(device, "mixed", false, true);
        check_kinds(device, "double", true, true);
    } else {
        const struct program_source source = { .name = "a.cl",
                                               .text = every_kind,
                                               .precision_words = "double" };
        struct program *program;
        struct error error;
        assert_refused(program_compile(device, &source, &program, &error), &error,
                       STATUS_UNSUPPORTED);
    }
}

/* A struct of ROOM ints by value; the last of them goes to `found`. */
static void pass_struct(struct device *device, size_t ints, struct error *error, int32_t *last) {
    char text[256];
    int32_t *values = calloc(ints, sizeof *values);
    struct buffer *found = buffer_of(device, NULL, sizeof *last);
    struct kernel *kernel;
    assert_non_null(values);
    values[ints - 1] = 42;
    (void)snprintf(text, sizeof text,
                   "typedef struct { int values[%zu]; } many;\n"
                   "KERNEL void take(many all, GLOBAL int *found) {\n"
                   "    found[0] = all.values[%zu];\n}\n",
                   ints, ints - 1);
    struct program *program = compile(device, text, "float", 1);
    assert_done(program_kernel(program, "take", &kernel, error), error);
    const struct argument arguments[] = { argument_value(values, ints * sizeof *values),
                                          argument_buffer(found) };
    error->status = STATUS_OK;
    *last = 0;
    if (kernel_launch(kernel, 1, 1, arguments, 2, error)) {
        assert_done(buffer_read(found, 0, last, sizeof *last, error), error);
    }
    buffer_free(found);
    program_free(program);
    free(values);
}

TEST(structs_arrive_by_value) {
    struct device *device = device_of(state);
    const size_t most = (size_t)device_describe(device)->argument_bytes;
    /* Before the pointer to the result, which stands at a multiple of its size. */
    const size_t largest = (most - sizeof(uint64_t)) / sizeof(uint64_t) * sizeof(uint64_t);
    const size_t sizes[] = { 1, ARGUMENT_OWN_BYTES / 4, ARGUMENT_OWN_BYTES / 4 + 1, largest / 4 };
    struct error error;
    int32_t last;
    assert_true(most >= 256); /* OpenCL's least for any device that it fully supports */
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        pass_struct(device, sizes[s], &error, &last);
        assert_done(error.status == STATUS_OK, &error);
        assert_int_equal(last, 42);
    }
}

/* Larger ones than the device takes: the message says how much that is. */
TEST(arguments_beyond_the_limit_are_refused) {
    struct device *device = device_of(state);
    struct program *program = compile(device, doubling, "float", 64);
    const size_t most = (size_t)device_describe(device)->argument_bytes;
    char *bytes = calloc(1, most + 1);
    struct kernel *kernel;
    struct error error;
    char words[64];
    assert_non_null(bytes);
    assert_done(program_kernel(program, "work", &kernel, &error), &error);
    const struct argument argument = argument_value(bytes, most + 1);
    assert_refused(kernel_launch(kernel, 1, 64, &argument, 1, &error), &error, STATUS_UNSUPPORTED);
    (void)snprintf(words, sizeof words, "%zu bytes; %s passes %zu at most", most + 1,
                   device_describe(device)->name, most);
    assert_says(error.message, words);
    program_free(program);
    free(bytes);
}

TEST(unusable_launches_are_refused) {
    struct device *device = device_of(state);
    struct program *program = compile(device, doubling, "float", 64);
    struct buffer *buffer = buffer_of(device, NULL, 1024 * sizeof(int));
    struct argument arguments[] = { argument_buffer(buffer), argument_int(1) };
    struct kernel *kernel;
    struct error error;
    size_t most = (size_t)device_describe(device)->max_group_size;
    assert_done(buffer_fill(buffer, 0, buffer_bytes(buffer), &error), &error);
    assert_done(program_kernel(program, "work", &kernel, &error), &error);
    assert_refused(kernel_launch(kernel, 0, 64, arguments, 1, &error), &error, STATUS_LAUNCH_ERROR);
    assert_refused(kernel_launch(kernel, 1, 0, arguments, 1, &error), &error, STATUS_LAUNCH_ERROR);
    assert_refused(kernel_launch(kernel, 1, most + 1, arguments, 1, &error), &error,
                   STATUS_LAUNCH_ERROR);
    assert_refused(kernel_launch(kernel, 1, 128, arguments, 1, &error), &error,
                   STATUS_LAUNCH_ERROR); /* compiled for 64 */
    struct argument nothing = { .size = 0 };
    assert_refused(kernel_launch(kernel, 1, 64, &nothing, 1, &error), &error, STATUS_LAUNCH_ERROR);
    if (device_describe(device)->kind != DEVICE_CUDA) { /* older drivers of CUDA cannot tell */
        assert_refused(kernel_launch(kernel, 1, 64, arguments, 2, &error), &error,
                       STATUS_LAUNCH_ERROR);
        assert_refused(kernel_launch(kernel, 1, 64, arguments, 0, &error), &error,
                       STATUS_LAUNCH_ERROR);
    }
    assert_done(kernel_launch(kernel, 1, 64, arguments, 1, &error), &error);
    assert_done(device_finish(device, &error), &error);
    buffer_free(buffer);
    program_free(program);
}

/* Local memory whose size the host says, and at most one piece of it. */
TEST(local_memory_can_be_an_argument) {
    static const char reversing[] =
        "KERNEL void turn(GLOBAL int *a, LOCAL_ARG int *tile, int n) {\n"
        "    LOCAL_ARGUMENT(int, tile)\n"
        "    LOCAL int other[GROUP_SIZE];\n"
        "    other[LOCAL_ID] = -1;\n"
        "    for (int k = LOCAL_ID; k < n; k += LOCAL_SIZE) { tile[k] = a[GROUP_ID * n + k]; }\n"
        "    SYNC_THREADS;\n"
        "    for (int k = LOCAL_ID; k < n; k += LOCAL_SIZE) {\n"
        "        a[GROUP_ID * n + k] = tile[n - 1 - k] + other[GROUP_SIZE - 1 - LOCAL_ID] + 1;\n"
        "    }\n"
        "}\n";
    enum { GROUP = 64, PART = 201, GROUPS = 3, N = GROUPS * PART };
    struct device *device = device_of(state);
    const size_t all = (size_t)device_describe(device)->local_bytes;
    int32_t values[N];
    struct kernel *kernel;
    struct error error;
    for (int i = 0; i < N; i++) {
        values[i] = i;
    }
    struct buffer *buffer = buffer_of(device, values, sizeof values);
    struct program *program = compile(device, reversing, "float", GROUP);
    struct argument arguments[] = { argument_buffer(buffer), argument_local(PART * sizeof(int)),
                                    argument_int(PART) };
    launch(program, "turn", GROUPS, GROUP, arguments, 3);
    read_all(buffer, values, sizeof values);
    for (int i = 0; i < N; i++) {
        assert_int_equal(values[i], i - i % PART + PART - 1 - i % PART);
    }
    assert_done(program_kernel(program, "turn", &kernel, &error), &error);
    arguments[2] = arguments[1];
    assert_refused(kernel_launch(kernel, GROUPS, GROUP, arguments, 3, &error), &error,
                   STATUS_LAUNCH_ERROR);
    arguments[2] = argument_int(PART);
    const size_t useless[] = { 0, all + 1 };
    for (int u = 0; u < 2; u++) {
        arguments[1] = argument_local(useless[u]);
        assert_refused(kernel_launch(kernel, GROUPS, GROUP, arguments, 3, &error), &error,
                       STATUS_LAUNCH_ERROR);
    }
    buffer_free(buffer);
    program_free(program);
}

/* An array of the program on CUDA, a buffer on OpenCL. */
TEST(constant_memory_is_read) {
    static const char picking[] = "#if HAVE_CONSTANT_ARRAYS\n"
                                  "CONSTANT_ARRAY int table[64];\n"
                                  "#define TABLE\n"
                                  "#else\n"
                                  "#define TABLE , CONSTANT_ARG const int *table\n"
                                  "#endif\n"
                                  "KERNEL void pick(GLOBAL int *a TABLE) {\n"
                                  "    CONSTANT_ARG const int *entry = table + 63 - LOCAL_ID;\n"
                                  "    a[GLOBAL_ID] = *entry;\n"
                                  "}\n";
    enum { N = 64 };
    struct device *device = device_of(state);
    const bool arrays = device_describe(device)->kind == DEVICE_CUDA;
    int32_t table[N];
    int32_t values[N];
    struct error error;
    assert_true(device_describe(device)->constant_bytes >= sizeof table);
    for (int i = 0; i < N; i++) {
        table[i] = 7 * i;
    }
    struct program *program = compile(device, picking, "float", N);
    struct buffer *out = buffer_of(device, NULL, sizeof values);
    struct buffer *source = buffer_of(device, table, sizeof table);
    const struct argument arguments[] = { argument_buffer(out), argument_buffer(source) };
    bool written = program_write_constant(program, "table", table, sizeof table, &error);
    if (arrays) {
        assert_done(written, &error);
        assert_refused(program_write_constant(program, "table", table, sizeof table + 4, &error),
                       &error, STATUS_UNSUPPORTED);
        assert_refused(program_write_constant(program, "nothing", table, 4, &error), &error,
                       STATUS_COMPILE_ERROR);
    } else {
        assert_refused(written, &error, STATUS_UNSUPPORTED);
    }
    launch(program, "pick", 1, N, arguments, arrays ? 1 : 2);
    read_all(out, values, sizeof values);
    for (int i = 0; i < N; i++) {
        assert_int_equal(values[i], table[N - 1 - i]);
    }
    buffer_free(out);
    buffer_free(source);
    program_free(program);
}

TEST(local_memory_is_counted_and_shared) {
    static const char reversing[] = "KERNEL void turn(GLOBAL int *a) {\n"
                                    "    LOCAL int tile[GROUP_SIZE];\n"
                                    "    tile[LOCAL_ID] = a[GLOBAL_ID];\n"
                                    "    SYNC_THREADS;\n"
                                    "    a[GLOBAL_ID] = tile[GROUP_SIZE - 1 - LOCAL_ID];\n"
                                    "}\n";
    enum { GROUP = 128, N = 4 * GROUP };
    struct device *device = device_of(state);
    int32_t values[N];
    int registers;
    int64_t local_bytes;
    struct kernel *kernel;
    struct error error;
    for (int i = 0; i < N; i++) {
        values[i] = i;
    }
    struct buffer *buffer = buffer_of(device, values, sizeof values);
    struct program *program = compile(device, reversing, "float", GROUP);
    const struct argument arguments[] = { argument_buffer(buffer) };
    launch(program, "turn", N / GROUP, GROUP, arguments, 1);
    read_all(buffer, values, sizeof values);
    for (int i = 0; i < N; i++) {
        assert_int_equal(values[i], i - i % GROUP + GROUP - 1 - i % GROUP);
    }
    assert_done(program_kernel(program, "turn", &kernel, &error), &error);
    kernel_resources(kernel, &registers, &local_bytes);
    assert_true(registers == -1 || registers > 0);
    /* A CPU has no local memory to count; PoCL 5 says 0. */
    assert_true(local_bytes >= (device_describe(device)->is_cpu ? -1 : GROUP * 4));
    kernel_divide(kernel, 50); /* it computes as before */
    assert_done(kernel_launch(kernel, N / GROUP, GROUP, arguments, 1, &error), &error);
    read_all(buffer, values, sizeof values);
    for (int i = 0; i < N; i++) {
        assert_int_equal(values[i], i);
    }
    buffer_free(buffer);
    program_free(program);
}

/* ---- the words of the dialect ---- */

enum { WORDS = 14, WORD_ARGUMENTS = 64 };

static const char arithmetic[] =
    "KERNEL void words(GLOBAL const real *RESTRICT in, GLOBAL real *RESTRICT out, int n) {\n"
    "    int i = GLOBAL_ID;\n"
    "    if (i < n) {\n"
    "        real x = in[i];\n"
    "        real y = in[n - 1 - i];\n"
    "        real magic = (REAL_IS_DOUBLE) ? REAL(6755399441055744.0) : REAL(12582912.0);\n"
    "        out[i] = SQRT(FABS(x));\n"
    "        out[n + i] = RSQRT(FABS(x));\n"
    "        out[2 * n + i] = RECIP(x);\n"
    "        out[3 * n + i] = EXP(x);\n"
    "        out[4 * n + i] = ERFC(x);\n"
    "        out[5 * n + i] = RINT(x);\n"
    "        out[6 * n + i] = FLOOR(x);\n"
    "        out[7 * n + i] = FABS(x);\n"
    "        out[8 * n + i] = FMA(x, y, REAL(0.25));\n"
    "        out[9 * n + i] = MIN_REAL(x, y);\n"
    "        out[10 * n + i] = MAX_REAL(x, y);\n"
    "        out[11 * n + i] = COPYSIGN(x, y);\n"
    "        out[12 * n + i] = (x + magic) - magic;\n"
    "        out[13 * n + i] = REAL(0.1);\n"
    "    }\n"
    "}\n";

static double word_in_c(int word, double x, double y, bool is_double) {
    switch (word) {
    case 0:
        return sqrt(fabs(x));
    case 1:
        return 1 / sqrt(fabs(x));
    case 2:
        return 1 / x;
    case 3:
        return exp(x);
    case 4:
        return erfc(x);
    case 5:
    case 12: /* the magic number rounds as rint does */
        return rint(x);
    case 6:
        return floor(x);
    case 7:
        return fabs(x);
    case 8:
        return fma(x, y, 0.25);
    case 9:
        return fmin(x, y);
    case 10:
        return fmax(x, y);
    case 11:
        return copysign(x, y);
    default:
        return is_double ? 0.1 : (double)0.1f;
    }
}

/* Relative errors allowed, in units of epsilon; 0: exact. erfc and exp are the loosest that OpenCL
 * lets a full-profile device be. */
static const double word_tolerance[WORDS] = { 4, 4, 3, 4, 16, 0, 0, 0, 1, 0, 0, 0, 0, 0 };

static void check_words(struct device *device, bool is_double) {
    enum { N = WORD_ARGUMENTS };
    size_t width = is_double ? sizeof(double) : sizeof(float);
    double epsilon = is_double ? 0x1p-52 : 0x1p-23;
    double x[N];
    float narrow[WORDS * N];
    double wide[WORDS * N];
    for (int i = 0; i < N; i++) {
        x[i] = (i - 0.5 * N + 0.3125) * 0.1875; /* exact in float; -5.9 to 5.9, never a half */
        narrow[i] = (float)x[i];
    }
    struct program *program = compile(device, arithmetic, is_double ? "double" : "float", 0);
    struct buffer *in =
        buffer_of(device, is_double ? (const void *)x : (const void *)narrow, N * width);
    struct buffer *out = buffer_of(device, NULL, WORDS * N * width);
    const struct argument arguments[] = { argument_buffer(in), argument_buffer(out),
                                          argument_int(N) };
    launch(program, "words", 1, N, arguments, 3);
    read_all(out, is_double ? (void *)wide : (void *)narrow, WORDS * N * width);
    for (int k = 0; k < WORDS * N; k++) {
        int word = k / N;
        double got = is_double ? wide[k] : (double)narrow[k];
        double expected = word_in_c(word, x[k % N], x[N - 1 - k % N], is_double);
        if (!(fabs(got - expected) <= word_tolerance[word] * epsilon * fabs(expected))) {
            print_error("word %d of %g: %.17g, expected %.17g\n", word, x[k % N], got, expected);
            fail();
        }
    }
    buffer_free(in);
    buffer_free(out);
    program_free(program);
}

TEST(words_compute_what_they_say) {
    check_words(device_of(state), false);
    if (device_describe(device_of(state))->fp64) {
        check_words(device_of(state), true);
    }
}

static const char adding[] =
    "KERNEL void add(GLOBAL accum *sum, GLOBAL int *counter, GLOBAL int *tickets) {\n"
    "    ATOMIC_ADD(&sum[GLOBAL_ID % 3], ACCUM(0.5));\n"
    "    tickets[GLOBAL_ID] = ATOMIC_ADD_INT(counter, 1);\n"
    "}\n"
    "#if HAVE_ATOMICS64\n"
    "KERNEL void add_long(GLOBAL long64 *sum) {\n"
    "    ATOMIC_ADD_LONG(sum, ((long64)1 << 33) + (long64)GLOBAL_ID);\n"
    "}\n"
    "#endif\n";

static void check_atomics(struct device *device, const char *precision, bool accum_is_double) {
    enum { GROUP = 64, N = 150 * GROUP, EACH = N / 3 };
    static int32_t tickets[N];
    static char seen[N];
    double wide[3];
    float narrow[3];
    size_t width = 3 * (accum_is_double ? sizeof(double) : sizeof(float));
    struct error error;
    struct buffer *sum = buffer_of(device, NULL, width);
    struct buffer *counter = buffer_of(device, NULL, sizeof(int32_t));
    struct buffer *taken = buffer_of(device, NULL, sizeof tickets);
    struct program *program = compile(device, adding, precision, GROUP);
    assert_done(buffer_fill(sum, 0, width, &error), &error);
    assert_done(buffer_fill(counter, 0, sizeof(int32_t), &error), &error);
    const struct argument arguments[] = { argument_buffer(sum), argument_buffer(counter),
                                          argument_buffer(taken) };
    launch(program, "add", N / GROUP, GROUP, arguments, 3);
    read_all(sum, accum_is_double ? (void *)wide : (void *)narrow, width);
    read_all(taken, tickets, sizeof tickets);
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < N; i++) {
        assert_true(tickets[i] >= 0 && tickets[i] < N && !seen[tickets[i]]);
        seen[tickets[i]] = 1;
    }
    for (int i = 0; i < 3; i++) {
        assert_true((accum_is_double ? wide[i] : (double)narrow[i]) == 0.5 * EACH);
    }
    if (device_describe(device)->atomics64) {
        int64_t total = 0;
        struct buffer *long_sum = buffer_of(device, &total, sizeof total);
        const struct argument argument = argument_buffer(long_sum);
        launch(program, "add_long", N / GROUP, GROUP, &argument, 1);
        read_all(long_sum, &total, sizeof total);
        assert_true(total == ((int64_t)N << 33) + (int64_t)N * (N - 1) / 2);
        buffer_free(long_sum);
    }
    buffer_free(sum);
    buffer_free(counter);
    buffer_free(taken);
    program_free(program);
}

TEST(atomics_lose_nothing) {
    check_atomics(device_of(state), "float", false);
    if (device_describe(device_of(state))->fp64) {
        check_atomics(device_of(state), "mixed", true);
        check_atomics(device_of(state), "double", true);
    }
}

static const char shuffling[] =
    "KERNEL void turn(GLOBAL real *out, GLOBAL int *lanes) {\n"
    "#if HAVE_SHUFFLE\n"
    "    int other = (LOCAL_ID % WARP_SIZE + 5) % WARP_SIZE;\n"
    "    out[GLOBAL_ID] = SHUFFLE((real)GLOBAL_ID + REAL(0.25), other);\n"
    "    SYNC_WARPS;\n"
    "    lanes[GLOBAL_ID] = SHUFFLE(GLOBAL_ID, other);\n"
    "#else\n"
    "    SYNC_WARPS;\n"
    "    out[GLOBAL_ID] = (real)GLOBAL_ID + REAL(0.25);\n"
    "    lanes[GLOBAL_ID] = GLOBAL_ID;\n"
    "#endif\n"
    "}\n";

static void check_shuffle(struct device *device, bool is_double) {
    enum { GROUP = 128, N = 2 * GROUP };
    double wide[N];
    float narrow[N];
    int32_t lanes[N];
    size_t bytes = N * (is_double ? sizeof(double) : sizeof(float));
    struct program *program = compile(device, shuffling, is_double ? "double" : "float", GROUP);
    struct buffer *out = buffer_of(device, NULL, bytes);
    struct buffer *from = buffer_of(device, NULL, sizeof lanes);
    const struct argument arguments[] = { argument_buffer(out), argument_buffer(from) };
    launch(program, "turn", N / GROUP, GROUP, arguments, 2);
    read_all(out, is_double ? (void *)wide : (void *)narrow, bytes);
    read_all(from, lanes, sizeof lanes);
    int warp = device_describe(device)->subgroup_size;
    for (int i = 0; i < N; i++) {
        int expected = i - i % warp + (i % warp + (warp > 1 ? 5 : 0)) % warp;
        assert_int_equal(lanes[i], expected);
        assert_true((is_double ? wide[i] : (double)narrow[i]) == expected + 0.25);
    }
    buffer_free(out);
    buffer_free(from);
    program_free(program);
}

TEST(shuffles_take_from_the_lane_named) {
    check_shuffle(device_of(state), false);
    if (device_describe(device_of(state))->fp64) {
        check_shuffle(device_of(state), true);
    }
}

/* Where the device has ballots; else each work-item says what it would be told. */
static const char voting[] =
    "KERNEL void vote(GLOBAL int *votes, GLOBAL int *counts) {\n"
    "#if HAVE_BALLOT\n"
    "    const uint told = BALLOT(GLOBAL_ID * 7 % 5 < 2);\n"
    "#else\n"
    "    const int first = GLOBAL_ID / 32 * 32;\n"
    "    uint told = 0;\n"
    "    for (int l = 0; l < 32; l++) {\n"
    "        told |= (uint)((first + l) * 7 % 5 < 2) << l;\n"
    "    }\n"
    "#endif\n"
    "    votes[GLOBAL_ID] = (int)told;\n"
    "    counts[GLOBAL_ID] = BIT_COUNT(told & (0xffffffffu >> LOCAL_ID % 32));\n"
    "}\n";

TEST(ballots_tell_who_says_so) {
    enum { GROUP = 64, N = 2 * GROUP, WARP = 32 };
    struct device *device = device_of(state);
    int32_t votes[N];
    int32_t counts[N];
    struct program *program = compile(device, voting, "float", GROUP);
    struct buffer *told = buffer_of(device, NULL, sizeof votes);
    struct buffer *counted = buffer_of(device, NULL, sizeof counts);
    const struct argument arguments[] = { argument_buffer(told), argument_buffer(counted) };
    launch(program, "vote", N / GROUP, GROUP, arguments, 2);
    read_all(told, votes, sizeof votes);
    read_all(counted, counts, sizeof counts);
    for (int i = 0; i < N; i++) {
        int count = 0;
        for (int l = 0; l < WARP; l++) {
            const bool is_so = (i / WARP * WARP + l) * 7 % 5 < 2;
            assert_int_equal((uint32_t)votes[i] >> l & 1U, is_so);
            count += is_so && l < WARP - i % WARP;
        }
        assert_int_equal(counts[i], count);
    }
    buffer_free(told);
    buffer_free(counted);
    program_free(program);
}

/* ---- time ---- */

static const char spinning[] = "KERNEL void spin(GLOBAL real *a, int turns) {\n"
                               "    real x = a[GLOBAL_ID];\n"
                               "    for (int i = 0; i < turns; i++) {\n"
                               "        x = x * REAL(0.999) + REAL(0.1);\n"
                               "    }\n"
                               "    a[GLOBAL_ID] = x;\n"
                               "}\n";

TEST(stamps_bracket_the_work_between_them) {
    enum { GROUP = 64, N = 64 * GROUP, TURNS = 2000, MORE = 20 };
    struct device *device = device_of(state);
    struct program *program = compile(device, spinning, "float", GROUP);
    struct buffer *buffer = buffer_of(device, NULL, N * sizeof(float));
    struct event *events[3];
    double min_of_few = INFINITY, min_of_many = INFINITY;
    double few, many, all;
    struct error error;
    for (int i = 0; i < 3; i++) {
        assert_done(event_create(device, &events[i], &error), &error);
    }
    assert_refused(event_elapsed(events[0], events[1], &few, &error), &error, STATUS_LAUNCH_ERROR);
    assert_done(buffer_fill(buffer, 0, buffer_bytes(buffer), &error), &error);
    for (int round = 0; round < 5; round++) { /* the first warms up; stamps can be set again */
        const struct argument little[] = { argument_buffer(buffer), argument_int(TURNS) };
        const struct argument much[] = { argument_buffer(buffer), argument_int(MORE * TURNS) };
        double begin = clock_s();
        assert_done(event_record(events[0], &error), &error);
        launch(program, "spin", N / GROUP, GROUP, little, 2);
        assert_done(event_record(events[1], &error), &error);
        launch(program, "spin", N / GROUP, GROUP, much, 2);
        assert_done(event_record(events[2], &error), &error);
        assert_done(event_elapsed(events[0], events[1], &few, &error), &error);
        assert_done(event_elapsed(events[1], events[2], &many, &error), &error);
        assert_done(event_elapsed(events[0], events[2], &all, &error), &error);
        double host = clock_s() - begin;
        assert_true(few > 0 && many > 0);
        assert_true(all <= host);
        assert_true(fabs(few + many - all) <= 2e-6 + 1e-6 * all);
        min_of_few = fmin(min_of_few, few); /* a processor may be away for a while */
        min_of_many = fmin(min_of_many, many);
    }
    assert_true(min_of_many > 3 * min_of_few);
    for (int i = 0; i < 3; i++) {
        event_free(events[i]);
    }
    event_free(NULL);
    buffer_free(buffer);
    program_free(program);
}

TEST(the_cache_is_flushed_without_harm) {
    struct error error;
    int value = 5;
    struct buffer *buffer = buffer_of(device_of(state), &value, sizeof value);
    assert_done(device_flush_cache(device_of(state), &error), &error);
    assert_done(device_flush_cache(device_of(state), &error), &error);
    assert_done(device_finish(device_of(state), &error), &error);
    read_all(buffer, &value, sizeof value);
    assert_int_equal(value, 5);
    buffer_free(buffer);
}

/* ---- primitives ---- */

static const size_t counts[] = { 1,    2,    3,     31,    32,    63,     64,      65,
                                 255,  256,  257,   1000,  2047,  2048,   2049,    4095,
                                 4096, 4097, 16383, 16384, 16385, 100003, 1048575, 1300001 };
enum { COUNTS = sizeof counts / sizeof counts[0], MOST = 1300001 };

/* With values 0, 1, 2, ... the result is right when it is ordered by the masked key, ties by value,
 * every key goes with its value and no value comes twice. */
static void check_sort(struct device *device, size_t n, int key_bits, uint64_t seed) {
    uint32_t mask = key_bits == 32 ? UINT32_MAX : (1u << key_bits) - 1;
    uint32_t *keys = malloc((n + 1) * sizeof *keys);
    uint32_t *values = malloc((n + 1) * sizeof *values);
    uint32_t *sorted = malloc((n + 1) * sizeof *sorted);
    struct error error;
    assert_true(keys && values && sorted);
    for (size_t i = 0; i < n; i++) {
        keys[i] = scramble(&seed);
        keys[i] = n > 1000 && i % 2 ? keys[i / 2] : keys[i]; /* ties also among long keys */
        values[i] = (uint32_t)i;
    }
    size_t bytes = n * sizeof *keys;
    struct buffer *keys_in = buffer_of(device, keys, bytes);
    struct buffer *values_in = buffer_of(device, values, bytes);
    struct buffer *keys_out = buffer_of(device, NULL, bytes);
    struct buffer *values_out = buffer_of(device, NULL, bytes);
    assert_done(device_sort_pairs(device, (struct key_values){ keys_in, values_in },
                                  (struct key_values){ keys_out, values_out }, n, key_bits, &error),
                &error);
    read_all(keys_out, sorted, bytes);
    read_all(values_out, values, bytes);
    for (size_t i = 0; i < n; i++) {
        assert_true(values[i] < n && sorted[i] == keys[values[i]]);
        if (i > 0) {
            uint32_t before = sorted[i - 1] & mask;
            uint32_t here = sorted[i] & mask;
            assert_true(before < here || (before == here && values[i - 1] < values[i]));
        }
    }
    buffer_free(keys_in);
    buffer_free(values_in);
    buffer_free(keys_out);
    buffer_free(values_out);
    free(keys);
    free(values);
    free(sorted);
}

TEST(sorting_is_right_and_stable) {
    static const int bits[] = { 1, 3, 4, 5, 8, 13, 20, 31, 32 };
    enum { BITS = sizeof bits / sizeof bits[0] };
    struct device *device = device_of(state);
    check_sort(device, 0, 32, 1);
    for (size_t i = 0; i < COUNTS; i++) {
        check_sort(device, counts[i], bits[i % BITS], i + 1);
    }
    for (size_t i = 0; i < BITS; i++) {
        check_sort(device, 5000, bits[i], 100 + i);
    }
    check_sort(device, MOST, 32, 7);
}

static void check_scan(struct device *device, size_t n, bool in_place, uint64_t seed) {
    int32_t *in = malloc((n + 1) * sizeof *in);
    int32_t *out = malloc((n + 1) * sizeof *out);
    struct error error;
    assert_true(in && out);
    for (size_t i = 0; i < n; i++) {
        in[i] = (int32_t)(scramble(&seed) % 2001) - 900;
    }
    struct buffer *from = buffer_of(device, in, n * sizeof *in);
    struct buffer *to = in_place ? from : buffer_of(device, NULL, n * sizeof *out);
    assert_done(device_exclusive_scan(device, from, to, n, &error), &error);
    read_all(to, out, n * sizeof *out);
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(out[i], sum);
        sum += in[i];
    }
    if (!in_place) {
        read_all(from, out, n * sizeof *out);
        assert_memory_equal(in, out, n * sizeof *in);
        buffer_free(to);
    }
    buffer_free(from);
    free(in);
    free(out);
}

TEST(scanning_is_right) {
    check_scan(device_of(state), 0, false, 1);
    for (size_t i = 0; i < COUNTS; i++) {
        check_scan(device_of(state), counts[i], false, i + 1);
        check_scan(device_of(state), counts[i], true, i + 1);
    }
    check_scan(device_of(state), 17000001, false, 3); /* three levels of tiles */
}

static size_t sum_width(enum sum_type type) {
    return type == SUM_FLOAT ? sizeof(float) : 8;
}

/* Fills number i of `in` and adds it to the exact sum and the sum of magnitudes of its segment. */
static void put_number(enum sum_type type, unsigned char *in, size_t i, uint64_t *seed,
                       int64_t *whole, long double *sum, long double *magnitude) {
    int64_t integer = (int64_t)scramble(seed) * 1009 - ((int64_t)1 << 41);
    double wide = (double)integer * 0x1p-30;
    float narrow = (float)wide;
    switch (type) {
    case SUM_FLOAT:
        memcpy(in + i * sizeof narrow, &narrow, sizeof narrow);
        wide = (double)narrow;
        break;
    case SUM_DOUBLE:
        memcpy(in + i * sizeof wide, &wide, sizeof wide);
        break;
    default:
        memcpy(in + i * sizeof integer, &integer, sizeof integer);
        break;
    }
    *whole += integer;
    *sum += wide;
    *magnitude += fabs(wide);
}

/* A tree of depth log2 n errs by no more than that many roundings of the sum of magnitudes. */
static void check_one_sum(enum sum_type type, const unsigned char *out, size_t segment, size_t n,
                          int64_t whole, long double sum, long double magnitude) {
    int64_t integer;
    double wide;
    float narrow;
    long double epsilon = type == SUM_FLOAT ? 0x1p-24L : 0x1p-53L;
    long double allowed = (ceil(log2((double)n)) + 1) * epsilon * magnitude;
    switch (type) {
    case SUM_FLOAT:
        memcpy(&narrow, out + segment * sizeof narrow, sizeof narrow);
        assert_true(fabsl(narrow - sum) <= allowed);
        break;
    case SUM_DOUBLE:
        memcpy(&wide, out + segment * sizeof wide, sizeof wide);
        assert_true(fabsl(wide - sum) <= allowed);
        break;
    default:
        memcpy(&integer, out + segment * sizeof integer, sizeof integer);
        assert_true(integer == whole);
        break;
    }
}

typedef bool (*sum_function)(struct device *device, const struct summands *of, struct buffer *out,
                             struct error *error);

static void check_sum(struct device *device, sum_function add_up, enum sum_type type, size_t n,
                      size_t segments, uint64_t seed) {
    size_t width = sum_width(type);
    unsigned char *in = malloc(n * segments * width);
    unsigned char *out = malloc(segments * width);
    unsigned char *again = malloc(segments * width);
    int64_t *whole = calloc(segments, sizeof *whole);
    long double *sum = calloc(segments, sizeof *sum);
    long double *magnitude = calloc(segments, sizeof *magnitude);
    struct error error;
    assert_true(in && out && again && whole && sum && magnitude);
    for (size_t i = 0; i < n * segments; i++) {
        put_number(type, in, i, &seed, &whole[i / n], &sum[i / n], &magnitude[i / n]);
    }
    struct buffer *from = buffer_of(device, in, n * segments * width);
    struct buffer *to = buffer_of(device, NULL, segments * width);
    assert_done(add_up(device, &(struct summands){ type, from, n, segments }, to, &error), &error);
    read_all(to, out, segments * width);
    assert_done(buffer_fill(to, 0xFF, segments * width, &error), &error);
    assert_done(add_up(device, &(struct summands){ type, from, n, segments }, to, &error), &error);
    read_all(to, again, segments * width);
    assert_memory_equal(out, again, segments * width);
    for (size_t s = 0; s < segments; s++) {
        check_one_sum(type, out, s, n, whole[s], sum[s], magnitude[s]);
    }
    buffer_free(from);
    buffer_free(to);
    free(in);
    free(out);
    free(again);
    free(whole);
    free(sum);
    free(magnitude);
}

static void check_sums(struct device *device, sum_function add_up) {
    static const enum sum_type types[] = { SUM_FLOAT, SUM_DOUBLE, SUM_INT64 };
    for (int t = 0; t < 3; t++) {
        if (types[t] == SUM_DOUBLE && !device_describe(device)->fp64) {
            continue;
        }
        for (size_t i = 0; i < COUNTS; i++) {
            check_sum(device, add_up, types[t], counts[i], counts[i] < 5000 ? 10 : 1, i + 1);
        }
        check_sum(device, add_up, types[t], 1, 5000, 5);
        check_sum(device, add_up, types[t], 7, 3333, 6);
        check_sum(device, add_up, types[t], 100, 300, 7);
        check_sum(device, add_up, types[t], 100001, 7, 8);
    }
}

TEST(sums_are_right_and_repeatable) {
    check_sums(device_of(state), device_sum);
}

TEST(sums_of_the_library_are_right_or_unsupported) {
    struct device *device = device_of(state);
    if (device_describe(device)->kind == DEVICE_CUDA) {
        check_sums(device, device_library_sum);
        return;
    }
    struct error error;
    struct buffer *numbers = buffer_of(device, NULL, 80);
    assert_refused(
        device_library_sum(device, &(struct summands){ SUM_INT64, numbers, 5, 2 }, numbers, &error),
        &error, STATUS_UNSUPPORTED);
    buffer_free(numbers);
}

/* A running sum in float would stay at 2^24; and no numbers leave the output alone. */
TEST(sums_are_trees) {
    enum { N = 1000001 };
    struct device *device = device_of(state);
    struct error error;
    float *in = malloc(N * sizeof *in);
    float sum = 3;
    assert_non_null(in);
    for (int i = 0; i < N; i++) {
        in[i] = i == 0 ? 0x1p24f : 1;
    }
    struct buffer *from = buffer_of(device, in, N * sizeof *in);
    struct buffer *to = buffer_of(device, &sum, sizeof sum);
    assert_done(device_sum(device, &(struct summands){ SUM_FLOAT, from, 0, 1 }, to, &error),
                &error);
    assert_done(device_sum(device, &(struct summands){ SUM_FLOAT, from, N, 0 }, to, &error),
                &error);
    read_all(to, &sum, sizeof sum);
    assert_true(sum == 3);
    assert_done(device_sum(device, &(struct summands){ SUM_FLOAT, from, N, 1 }, to, &error),
                &error);
    read_all(to, &sum, sizeof sum);
    assert_true(fabs((double)sum - (0x1p24 + N - 1)) <= 50);
    buffer_free(from);
    buffer_free(to);
    free(in);
}

TEST(primitives_refuse_buffers_that_are_too_small) {
    struct device *device = device_of(state);
    struct buffer *small = buffer_of(device, NULL, 40);
    struct buffer *large = buffer_of(device, NULL, 80);
    struct error error;
    assert_refused(device_exclusive_scan(device, large, small, 11, &error), &error,
                   STATUS_LAUNCH_ERROR);
    assert_refused(device_exclusive_scan(device, large, large, (size_t)1 << 31, &error), &error,
                   STATUS_LAUNCH_ERROR);
    assert_refused(device_sort_pairs(device, (struct key_values){ large, large },
                                     (struct key_values){ small, large }, 11, 8, &error),
                   &error, STATUS_LAUNCH_ERROR);
    assert_refused(device_sort_pairs(device, (struct key_values){ large, large },
                                     (struct key_values){ small, small }, 4, 33, &error),
                   &error, STATUS_LAUNCH_ERROR);
    assert_refused(device_sum(device, &(struct summands){ SUM_INT64, large, 11, 1 }, small, &error),
                   &error, STATUS_LAUNCH_ERROR);
    assert_refused(device_sum(device, &(struct summands){ SUM_INT64, large, 1, 6 }, small, &error),
                   &error, STATUS_LAUNCH_ERROR);
    buffer_free(small);
    buffer_free(large);
}

TEST_GROUP(open_default, close_default)
