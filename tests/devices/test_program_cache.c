/*
 * The cache of compiled programs, over a backend whose binary is the text itself: what lies there
 * is taken, what the backend refuses is compiled anew, and where there is no binary nothing is
 * kept.
 */
#include "core/cache.h"
#include "core/error.h"
#include "devices/backend.h"
#include "devices/device.h"

#include "support.h" /* last: it brings cmocka.h, whose fail() is not ours */

static const char binary[] = "compiled";
static int compiled, taken; /* how many programs came from a text and from a binary */
static bool has_binary;

static void no_definitions(const struct device *device, struct strbuf *text) {
    (void)device;
    (void)text;
}

static void one_option(const struct device *device, const struct program_source *source,
                       struct strbuf *options) {
    (void)device;
    (void)source;
    strbuf_append(options, "-fast-enough");
}

static bool from_source(struct device *device, const struct program_request *request,
                        struct program **program, struct error *error) {
    (void)device;
    (void)request;
    (void)error;
    compiled++;
    *program = calloc(1, sizeof **program);
    return *program != NULL;
}

static bool from_binary(struct device *device, const struct program_request *request,
                        const void *bytes, size_t length, struct program **program) {
    (void)device;
    (void)request;
    if (length != sizeof binary || memcmp(bytes, binary, length) != 0) {
        return false;
    }
    taken++;
    *program = calloc(1, sizeof **program);
    return *program != NULL;
}

static bool give_binary(const struct program *program, void **bytes, size_t *length) {
    (void)program;
    if (!has_binary) {
        return false;
    }
    *bytes = malloc(sizeof binary);
    *length = sizeof binary;
    assert_non_null(*bytes);
    memcpy(*bytes, binary, sizeof binary);
    return true;
}

static void free_program(struct program *program) {
    free(program);
}

static const struct device_backend backend = {
    .name = "made",
    .prelude_path = "harness/devices/opencl/prelude_opencl.h",
    .definitions = no_definitions,
    .options = one_option,
    .program_from_source = from_source,
    .program_from_binary = from_binary,
    .program_binary = give_binary,
    .program_free = free_program,
};

/* Compiles `text` on a device of that driver; the hash is the key in the cache. */
static void compile(const char *text, const char *driver, char hash[HASH_TEXT_SIZE]) {
    struct device device = { .backend = &backend };
    const struct program_source source = { .name = "a text",
                                           .text = text,
                                           .precision_words = "float" };
    struct program *program;
    struct error error;
    (void)snprintf(device.info.driver, sizeof device.info.driver, "%s", driver);
    assert_true(program_compile(&device, &source, &program, &error));
    program_hash(program, hash);
    program_free(program);
}

static int begin(void **state) {
    (void)state;
    compiled = taken = 0;
    has_binary = true;
    return 0;
}

TEST_WITH(a_text_is_compiled_once, begin, NULL) {
    char hash[HASH_TEXT_SIZE];
    compile("one", "1.0", hash);
    compile("one", "1.0", hash);
    assert_int_equal(compiled, 1);
    assert_int_equal(taken, 1);
    compile("two", "1.0", hash);
    compile("one", "1.1", hash); /* another driver */
    assert_int_equal(compiled, 3);
    assert_int_equal(taken, 1);
}

TEST_WITH(a_binary_that_is_refused_is_replaced, begin, NULL) {
    char hash[HASH_TEXT_SIZE];
    void *bytes;
    size_t length;
    compile("three", "1.0", hash);
    cache_store("kernels", hash, "no binary", 9);
    compile("three", "1.0", hash);
    assert_int_equal(compiled, 2);
    assert_int_equal(taken, 0);
    assert_true(cache_load("kernels", hash, &bytes, &length));
    assert_int_equal(length, sizeof binary);
    free(bytes);
    compile("three", "1.0", hash);
    assert_int_equal(taken, 1);
}

TEST_WITH(without_a_binary_nothing_is_kept, begin, NULL) {
    char hash[HASH_TEXT_SIZE];
    void *bytes;
    size_t length;
    has_binary = false;
    compile("four", "1.0", hash);
    compile("four", "1.0", hash);
    assert_int_equal(compiled, 2);
    assert_false(cache_load("kernels", hash, &bytes, &length));
}

TEST_GROUP(open_test_cache, close_test_cache)
