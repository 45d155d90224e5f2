#include "devices/cuda/cuda_device.h"

#include "core/strings.h"
#include "devices/compiled_code.h"
#include "devices/toolkit/cuda_toolkit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 32, VERSION_WITH_CACHE = 13 };

void cuda_options(const struct device *device, const struct program_source *source,
                  struct strbuf *options) {
    const struct cuda_device *cuda = cuda_device_of(device);
    if (source->by_nvcc) {
        char nvcc[PATH_MAX];
        (void)cuda_folders_nvcc(nvcc, sizeof nvcc);
        strbuf_append(options, "%s -cubin -arch=sm_%d%s -fmad=true -lineinfo -w -std=c++%d", nvcc,
                      cuda->architecture, source->arch_specific ? "a" : "", source->standard);
        strbuf_append(options, "%s", device->compiles_only ? " --ptxas-options=-v" : "");
        return;
    }
    /* No --use_fast_math: kernels may round by adding and taking away a large number. No warnings:
     * the log is shown on errors only, which would drown in them. */
    strbuf_append(options, "-arch=%s_%d%s -fmad=true -default-device -lineinfo -w",
                  cuda->as_ptx ? "compute" : "sm", cuda->architecture,
                  source->arch_specific ? "a" : "");
    if (source->language == SOURCE_CUDA) {
        strbuf_append(options, " -std=c++%d", source->standard);
    }
    if (device->compiles_only) { /* resources of the code, which no driver and no cache of NVRTC
                                    knows here */
        strbuf_append(options, " --ptxas-options=-v%s",
                      cuda->nvrtc.major >= VERSION_WITH_CACHE ? " --no-cache" : "");
    }
}

/* ---- source to code ---- */

static bool nvrtc_fail(const struct nvrtc_library *nvrtc, nvrtcResult result, const char *name,
                       struct error *error) {
    return fail(error,
                result == NVRTC_ERROR_OUT_OF_MEMORY ? STATUS_OUT_OF_MEMORY : STATUS_COMPILE_ERROR,
                "%s: NVRTC: %s", name, nvrtc->nvrtcGetErrorString(result));
}

/* What the compiler said, by malloc; NULL where it said nothing. */
static char *take_log(const struct nvrtc_library *nvrtc, nvrtcProgram source) {
    size_t size = 0;
    char *log = NULL;
    if (nvrtc->nvrtcGetProgramLogSize(source, &size) != NVRTC_SUCCESS || size < 2 ||
        !(log = calloc(1, size + 1)) || nvrtc->nvrtcGetProgramLog(source, log) != NVRTC_SUCCESS) {
        free(log);
        return NULL;
    }
    trim_end(log, "\n");
    return log;
}

/* The compiler's log as the error's message, cut where that ends. */
static bool compile_fail(const struct nvrtc_library *nvrtc, nvrtcProgram source, nvrtcResult result,
                         const char *name, struct error *error) {
    char *log = result == NVRTC_ERROR_COMPILATION ? take_log(nvrtc, source) : NULL;
    if (!log) {
        return nvrtc_fail(nvrtc, result, name, error);
    }
    (void)cuda_fail_by_log(name, log, error);
    free(log);
    return false;
}

/* Machine code, or PTX with its NUL. */
static bool fetch_code(const struct cuda_device *cuda, nvrtcProgram source, const char *name,
                       struct cuda_code *code, struct error *error) {
    const struct nvrtc_library *nvrtc = &cuda->nvrtc;
    nvrtcResult result = cuda->as_ptx ? nvrtc->nvrtcGetPTXSize(source, &code->length)
                                      : nvrtc->nvrtcGetCUBINSize(source, &code->length);
    if (result != NVRTC_SUCCESS) {
        return nvrtc_fail(nvrtc, result, name, error);
    }
    code->bytes = malloc(code->length + 1);
    if (!code->bytes) {
        return fail_out_of_memory(error, name);
    }
    result = cuda->as_ptx ? nvrtc->nvrtcGetPTX(source, code->bytes)
                          : nvrtc->nvrtcGetCUBIN(source, code->bytes);
    return result == NVRTC_SUCCESS || nvrtc_fail(nvrtc, result, name, error);
}

static bool fail_state(const char *name, const char *variable, struct error *error) {
    if (strcmp(variable, CUDA_STATE_HEAP) == 0) {
        return fail(error, STATUS_COMPILE_ERROR,
                    "%s: calls %s, and what lies on the device's heap outlives the launch, so that "
                    "results could be remembered; memory of a kernel's own is @scratch",
                    name, variable);
    }
    return fail(error, STATUS_COMPILE_ERROR,
                "%s: the variable %s keeps its value from launch to launch, so that results could "
                "be remembered; kernels may have none in device memory",
                name, variable);
}

/* What keeps its value between launches is refused by name. */
static bool refuse_state(const struct nvrtc_library *nvrtc, nvrtcProgram source,
                         const struct program_request *request, struct error *error) {
    char variable[128];
    size_t size = 0;
    char *ptx = NULL;
    nvrtcResult result = nvrtc->nvrtcGetPTXSize(source, &size);
    if (result == NVRTC_SUCCESS) {
        ptx = calloc(1, size + 1);
        result = ptx ? nvrtc->nvrtcGetPTX(source, ptx) : NVRTC_ERROR_OUT_OF_MEMORY;
    }
    const bool keeps = result == NVRTC_SUCCESS && cuda_state_find(ptx, variable, sizeof variable);
    free(ptx);
    if (result != NVRTC_SUCCESS) {
        return nvrtc_fail(nvrtc, result, request->name, error);
    }
    return !keeps || fail_state(request->name, variable, error);
}

/* The options, and the toolkit's folders of headers for CUDA C++. Freed by free_options(). */
struct nvrtc_options {
    char **words;
    struct cuda_folders folders;
    const char *all[MAX_OPTIONS];
    int count;
};

static void free_options(struct nvrtc_options *options) {
    free(options->words);
    cuda_folders_free(&options->folders);
}

static bool make_options(const struct cuda_device *cuda, const struct program_request *request,
                         struct nvrtc_options *options, struct error *error) {
    *options = (struct nvrtc_options){ .words = split_list(request->options, ' ') };
    if (!options->words ||
        (request->language == SOURCE_CUDA && !cuda_folders_find(&cuda->nvrtc, &options->folders))) {
        free_options(options);
        return fail_out_of_memory(error, "compiler options");
    }
    for (char **word = options->words; *word && options->count < MAX_OPTIONS; word++) {
        options->all[options->count++] = *word;
    }
    for (int f = 0; f < options->folders.count && options->count < MAX_OPTIONS; f++) {
        options->all[options->count++] = options->folders.options[f];
    }
    return true;
}

static bool compile_by_nvrtc(const struct cuda_device *cuda, const struct program_request *request,
                             struct cuda_code *code, struct error *error) {
    const struct nvrtc_library *nvrtc = &cuda->nvrtc;
    struct nvrtc_options options;
    nvrtcProgram source = NULL;
    if (!make_options(cuda, request, &options, error)) {
        return false;
    }
    nvrtcResult result =
        nvrtc->nvrtcCreateProgram(&source, request->text, request->name, 0, NULL, NULL);
    if (result != NVRTC_SUCCESS) {
        free_options(&options);
        return nvrtc_fail(nvrtc, result, request->name, error);
    }
    result = nvrtc->nvrtcCompileProgram(source, options.count, options.all);
    free_options(&options);
    bool compiled = result == NVRTC_SUCCESS
                        ? refuse_state(nvrtc, source, request, error) &&
                              fetch_code(cuda, source, request->name, code, error)
                        : compile_fail(nvrtc, source, result, request->name, error);
    code->log = compiled && cuda->head.compiles_only ? take_log(nvrtc, source) : NULL;
    (void)nvrtc->nvrtcDestroyProgram(&source);
    return compiled;
}

/* ---- code that another compiler made ---- */

/* Takes a copy. */
static bool keep_code(const char *name, const void *bytes, size_t length, struct cuda_code *code,
                      struct error *error) {
    code->bytes = malloc(length + 1);
    if (!code->bytes) {
        return fail_out_of_memory(error, name);
    }
    memcpy(code->bytes, bytes, length);
    code->bytes[length] = '\0';
    code->length = length;
    return true;
}

static bool compile_by_nvcc(const struct cuda_device *cuda, const struct program_request *request,
                            struct cuda_code *code, struct error *error) {
    char variable[128];
    struct nvcc_output output;
    char **words = split_list(request->options, ' ');
    if (!words) {
        return fail_out_of_memory(error, "compiler options");
    }
    bool compiled = cuda_nvcc_compile(request->name, request->text, words, &output, error);
    free(words);
    if (!compiled) {
        return false;
    }
    compiled = cuda_state_find(output.ptx, variable, sizeof variable)
                   ? fail_state(request->name, variable, error)
                   : keep_code(request->name, output.cubin, output.cubin_bytes, code, error);
    if (compiled && cuda->head.compiles_only) {
        code->log = output.log;
        output.log = NULL;
    }
    nvcc_output_free(&output);
    return compiled;
}

/* PTX goes to the driver's compiler as it is; with no device nvJitLink tries it. */
static bool take_ptx(const struct cuda_device *cuda, const struct program_request *request,
                     const char *ptx, struct cuda_code *code, struct error *error) {
    char variable[128];
    char architecture[32];
    if (cuda_state_find(ptx, variable, sizeof variable)) {
        return fail_state(request->name, variable, error);
    }
    (void)snprintf(architecture, sizeof architecture, "sm_%d%s", cuda->architecture,
                   request->arch_specific ? "a" : "");
    return keep_code(request->name, ptx, strlen(ptx) + 1, code, error) &&
           (!cuda->head.compiles_only ||
            cuda_link_ptx(&cuda->nvrtc, request->name, ptx, architecture, &code->log, error));
}

static bool take_compiled(const struct cuda_device *cuda, const struct program_request *request,
                          struct cuda_code *code, struct error *error) {
    char variable[128];
    struct compiled_code given;
    if (!compiled_code_read(request->text, &given, error)) {
        return false;
    }
    bool taken;
    if (given.ptx) {
        taken = take_ptx(cuda, request, given.ptx, code, error);
    } else if (cubin_state_find(given.bytes, given.length, variable, sizeof variable)) {
        taken = fail_state(request->name, variable, error);
    } else {
        taken = keep_code(request->name, given.bytes, given.length, code, error);
    }
    compiled_code_free(&given);
    return taken;
}

/* ---- all of them ---- */

bool cuda_compile(const struct cuda_device *cuda, const struct program_request *request,
                  struct cuda_code *code, struct error *error) {
    *code = (struct cuda_code){ 0 };
    if (request->language == SOURCE_COMPILED) {
        return take_compiled(cuda, request, code, error);
    }
    return request->by_nvcc ? compile_by_nvcc(cuda, request, code, error)
                            : compile_by_nvrtc(cuda, request, code, error);
}

void cuda_code_free(struct cuda_code *code) {
    free(code->bytes);
    free(code->log);
}
