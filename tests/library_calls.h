/* What tests of libpairmark share. */
#ifndef PAIRMARK_TESTS_LIBRARY_CALLS_H
#define PAIRMARK_TESTS_LIBRARY_CALLS_H

#include "core/strings.h"
#include "devices/opencl/opencl.h"
#include "library/pairmark.h"

#include "support.h"

static inline const char *device_name(void) {
    const char *name = getenv("PAIRMARK_TEST_DEVICE");
    return name ? name : "opencl:0:0";
}

static inline void assert_ok(enum pm_status status, const pm_error *error) {
    if (status != PM_OK) {
        fail_msg("status %d: %s", (int)status, error->message);
    }
}

static inline pm_context *open_context(void) {
    pm_error error;
    pm_context *context = NULL;
    assert_ok(pm_open(device_name(), &context, &error), &error);
    return context;
}

static inline void expect_refusal(enum pm_status status, const pm_error *error,
                                  enum pm_status expected, const char *words) {
    if (status != expected || error->status != expected || !strstr(error->message, words)) {
        fail_msg("status %d, '%s'; expected %d, '%s'", (int)status, error->message, (int)expected,
                 words);
    }
    if (strstr(error->message, "--") || strstr(error->message, "()")) {
        fail_msg("'%s': options of the program and functions of C, which not every caller has",
                 error->message);
    }
}

/* ---- a program of OpenCL ---- */

struct program_of_opencl {
    struct opencl_api api;
    cl_context context;
    cl_device_id id;
    cl_command_queue queue;
};

static inline bool start_opencl(struct program_of_opencl *program,
                                cl_command_queue_properties order) {
    cl_platform_id *platforms = NULL;
    cl_uint count = 0;
    struct strbuf note = { 0 };
    cl_int code = 0;
    const bool there = opencl_load(&program->api, &platforms, &count, &note) && count > 0 &&
                       program->api.clGetDeviceIDs(platforms[0], CL_DEVICE_TYPE_ALL, 1,
                                                   &program->id, NULL) == CL_SUCCESS;
    free(platforms);
    strbuf_free(&note);
    if (there) {
        program->context = program->api.clCreateContext(NULL, 1, &program->id, NULL, NULL, &code);
        program->queue =
            program->api.clCreateCommandQueue(program->context, program->id, order, &code);
    }
    return there;
}

static inline cl_mem make_memory(const struct program_of_opencl *program, size_t bytes) {
    cl_int code = 0;
    cl_mem memory =
        program->api.clCreateBuffer(program->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    return memory;
}

#endif
