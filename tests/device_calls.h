/*
 * device_calls — what tests of kernels ask of a device, each of which must be done.
 * To be included after all headers of the project, since it brings cmocka.h.
 */
#ifndef PAIRMARK_TESTS_DEVICE_CALLS_H
#define PAIRMARK_TESTS_DEVICE_CALLS_H

#include "devices/device.h"

#include "support.h" /* last: it brings cmocka.h, whose fail() is not ours */

/* What failed must say so: prints the message that would else be lost. */
static struct buffer *buffer_of(struct device *device, const void *data, size_t bytes) {
    struct buffer *buffer;
    struct error error;
    assert_done(buffer_allocate(device, bytes, &buffer, &error), &error);
    if (data) {
        assert_done(buffer_write(buffer, 0, data, bytes, &error), &error);
    }
    return buffer;
}

static void read_all(const struct buffer *buffer, void *data, size_t bytes) {
    struct error error;
    assert_done(buffer_read(buffer, 0, data, bytes, &error), &error);
}

static struct program *compile(struct device *device, const char *text, const char *precision,
                               int group_size) {
    const struct program_source source = { .name = "test.cl",
                                           .text = text,
                                           .precision_words = precision,
                                           .group_size = group_size,
                                           .warp_size = strstr(text, "SHUFFLE")
                                                            ? device_describe(device)->subgroup_size
                                                            : 0 };
    struct program *program;
    struct error error;
    assert_done(program_compile(device, &source, &program, &error), &error);
    return program;
}

static void launch(struct program *program, const char *name, size_t groups, size_t group_size,
                   const struct argument *arguments, size_t count) {
    struct kernel *kernel;
    struct error error;
    assert_done(program_kernel(program, name, &kernel, &error), &error);
    assert_done(kernel_launch(kernel, groups, group_size, arguments, count, &error), &error);
}

#endif
