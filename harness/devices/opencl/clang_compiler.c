/* The dialect's OpenCL, compiled by clang where no such device is: machine code for AMD's GPUs, and
 * SPIR-V, which Intel's and other drivers take.
 *
 * AMD's functions of OpenCL come from libclc, so that registers are those of whole kernels. SPIR-V
 * is translated from LLVM's code by llvm-spirv and, where spirv-val is installed, validated. */
#include "core/files.h"
#include "core/strings.h"
#include "devices/backend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NEWEST = 25, OLDEST = 14, MAX_WORDS = 40 };

struct clang_device {
    struct device head;
    bool is_spirv;
    char clang[PATH_MAX];
    char translator[PATH_MAX]; /* of SPIR-V: llvm-spirv of clang's version */
    char validator[PATH_MAX];  /* of SPIR-V; "": there is none */
    char library[PATH_MAX];    /* of AMD: libclc; "": there is none, clang may know another */
};

/* ---- what is installed ---- */

/* The program `words` of PAIRMARK_CLANG, or the newest, with the translator of its version. */
static bool find_clang(struct clang_device *made, const char *name, struct error *error) {
    const char *asked = getenv("PAIRMARK_CLANG");
    bool found = asked && *asked && child_find(asked, made->clang, sizeof made->clang);
    bool translates = child_find("llvm-spirv", made->translator, sizeof made->translator);
    for (int version = NEWEST; !(asked && *asked) && !found && version >= OLDEST; version--) {
        char words[32];
        (void)snprintf(words, sizeof words, "clang-%d", version);
        found = child_find(words, made->clang, sizeof made->clang);
        (void)snprintf(words, sizeof words, "llvm-spirv-%d", version);
        if (found && made->is_spirv) {
            translates = child_find(words, made->translator, sizeof made->translator) || translates;
            found = translates;
        }
    }
    found = found || (!(asked && *asked) && child_find("clang", made->clang, sizeof made->clang));
    if (!found) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: %s; clang compiles for it (Debian 12: clang-15 libclc-15 llvm-spirv-15 "
                    "spirv-tools)",
                    name, asked && *asked ? "PAIRMARK_CLANG names no program" : "no clang in PATH");
    }
    return !made->is_spirv || translates ||
           fail(error, STATUS_BAD_INPUT,
                "%s: no llvm-spirv in PATH, which translates what clang compiles (Debian 12: "
                "llvm-spirv-15 beside clang-15)",
                name);
}

static void find_library(struct clang_device *made) {
    static const char *const folders[] = { "/usr/lib/clc", "/usr/share/clc", "/usr/lib64/clc" };
    for (size_t f = 0; f < sizeof folders / sizeof folders[0] && !made->library[0]; f++) {
        (void)snprintf(made->library, sizeof made->library, "%s/amdgcn--amdhsa.bc", folders[f]);
        if (access(made->library, R_OK) != 0) {
            made->library[0] = '\0';
        }
    }
}

/* ---- compiling ---- */

static void define(const struct device *head, struct strbuf *text) {
    (void)head;
    strbuf_append(text, "#define DEVICE_IS_NVIDIA 0\n");
}

/* Appends options as opencl_options() does; names of files come after. llvm-spirv cannot read code
 * that LLVM has optimised. */
static void choose_options(const struct device *head, const struct program_source *source,
                           struct strbuf *options) {
    const struct clang_device *device = (const struct clang_device *)head;
    (void)source;
    strbuf_append(options, "%s -x cl -cl-std=CL1.2 -cl-mad-enable -w -fno-caret-diagnostics -c",
                  device->clang);
    if (device->is_spirv) {
        strbuf_append(options, " --target=spir64 -O0 -emit-llvm");
        return;
    }
    strbuf_append(options, " --target=amdgcn-amd-amdhsa -mcpu=%s -O3", head->info.name);
    strbuf_append(options, " -Rpass-analysis=kernel-resource-usage");
    if (device->library[0]) {
        strbuf_append(options, " -nogpulib -Xclang -mlink-builtin-bitcode -Xclang %s",
                      device->library);
    }
}

/* Runs a program to its end; *log may be NULL. */
static bool run(const struct child_folder *folder, const char *name, char *const *words, char **log,
                struct error *error) {
    const int status = child_run(folder, words, log);
    if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return true;
    }
    (void)fail(error, STATUS_COMPILE_ERROR, "%s: %s: %s", name, fs_last_name(words[0]),
               status < 0 ? strerror(errno)
               : *log     ? *log
                          : "does not say why");
    free(*log);
    *log = NULL;
    return false;
}

static bool compile_in(const struct clang_device *device, const struct child_folder *folder,
                       const struct program_request *request, char **words, char **log,
                       struct error *error) {
    char source[PATH_MAX];
    char code[PATH_MAX];
    char spirv[PATH_MAX];
    char to[] = "-o";
    char version[] = "--spirv-max-version=1.2"; /* of OpenCL 2.2; drivers take it and later ones */
    char *all[MAX_WORDS + 4];
    int count = 0;
    child_folder_file(folder, "kernel.cl", source);
    child_folder_file(folder, "kernel.code", code);
    child_folder_file(folder, "kernel.spv", spirv);
    for (; count < MAX_WORDS && words[count]; count++) {
        all[count] = words[count];
    }
    char *const rest[] = { to, code, source, NULL };
    memcpy(&all[count], rest, sizeof rest);
    if (!fs_write(source, request->text, strlen(request->text), error) ||
        !run(folder, request->name, all, log, error)) {
        return false;
    }
    char *const translate[] = { (char *)device->translator, version, code, to, spirv, NULL };
    char *const validate[] = { (char *)device->validator, spirv, NULL };
    free(device->is_spirv ? *log : NULL);
    return !device->is_spirv || (run(folder, request->name, translate, log, error) &&
                                 (!device->validator[0] ||
                                  (free(*log), run(folder, request->name, validate, log, error))));
}

static bool compile(struct device *head, const struct program_request *request,
                    struct program **program, struct error *error) {
    struct child_folder folder;
    char *log = NULL;
    char **words = split_list(request->options, ' ');
    struct program *made = calloc(1, sizeof *made);
    bool compiled = (words && made) || fail_out_of_memory(error, request->name);
    if (compiled && (compiled = child_folder_make(&folder, error))) {
        compiled = compile_in((struct clang_device *)head, &folder, request, words, &log, error);
        fs_remove_folder(folder.path);
    }
    free(words);
    if (!compiled) {
        free(made);
        return false;
    }
    made->log = log;
    *program = made;
    return true;
}

static void free_program(struct program *program) {
    free(program);
}

/* ---- opening it ---- */

static void close_compiler(struct device *head) {
    free(head);
}

/* Compiles the smallest program, to see whether something is missing. */
static bool try_out(struct device *device, struct error *error) {
    const struct program_source source = { .name = "a first kernel" };
    struct strbuf options = { 0 };
    struct program *program = NULL;
    choose_options(device, &source, &options);
    const struct program_request request = {
        .name = source.name,
        .text = "kernel void first(global float *x) { x[get_global_id(0)] = sqrt(x[0]); }",
        .options = options.data
    };
    const bool works = options.data ? compile(device, &request, &program, error)
                                    : fail_out_of_memory(error, "compiler options");
    if (works) {
        free(program->log);
        free_program(program);
    }
    strbuf_free(&options);
    return works;
}

static bool open_compiler(const char *name, struct device **device, struct device_info *info,
                          struct error *error) {
    enum { GROUP = 1024, LOCAL = 64 << 10, CONSTANT = 64 << 10 };
    struct clang_device *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, name);
    }
    made->is_spirv = strcmp(name, "spirv") == 0;
    *info = (struct device_info){ .kind = DEVICE_OPENCL_GPU,
                                  .max_group_size = GROUP,
                                  .local_bytes = LOCAL,
                                  .constant_bytes = CONSTANT,
                                  .subgroup_size = 1,
                                  .fp64 = true,
                                  .atomics64 = true };
    (void)snprintf(info->name, sizeof info->name, "%s", name);
    made->head.info = *info;
    find_library(made);
    if (!child_find("spirv-val", made->validator, sizeof made->validator)) {
        made->validator[0] = '\0';
    }
    if (!find_clang(made, name, error)) {
        free(made);
        return false;
    }
    if (!try_out(&made->head, error)) {
        error->status = STATUS_BAD_INPUT;
        free(made);
        return fail_within(error, "%s", name);
    }
    *device = &made->head;
    return true;
}

const struct device_backend device_backend_clang = {
    .name = "clang",
    .open_compiler = open_compiler,
    .close = close_compiler,
    .definitions = define,
    .options = choose_options,
    .program_from_source = compile,
    .program_free = free_program,
};
