#include "devices/toolkit/cuda_toolkit.h"

#include "core/files.h"
#include "core/strings.h"
#include "devices/backend.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void cut_last_name(char *path) {
    char *slash = strrchr(path, '/');
    if (slash) {
        *slash = '\0';
    }
}

/* ROOT/include is one of headers if it has this. */
static bool has_headers(const char *include) {
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/cuda_fp16.h", include) < PATH_MAX &&
           access(path, R_OK) == 0;
}

static bool add(struct cuda_folders *folders, const char *path) {
    struct strbuf option = { 0 };
    strbuf_append(&option, "-I%s", path);
    if (option.failed || folders->count == MAX_CUDA_FOLDERS) {
        strbuf_free(&option);
        return folders->count == MAX_CUDA_FOLDERS;
    }
    folders->options[folders->count++] = option.data;
    return true;
}

/* Takes the headers of a root, if it has some; *failed: memory ran out. */
static bool take_root(const char *root, struct cuda_folders *folders, bool *failed) {
    static const char *const layouts[] = { "include", "targets/x86_64-linux/include",
                                           "targets/sbsa-linux/include" };
    char include[PATH_MAX];
    char library[PATH_MAX];
    for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; l++) {
        if (snprintf(include, sizeof include, "%s/%s", root, layouts[l]) >= PATH_MAX ||
            !has_headers(include)) {
            continue;
        }
        *failed = !add(folders, include) ||
                  (snprintf(library, sizeof library, "%s/cccl", include) < PATH_MAX &&
                   access(library, R_OK) == 0 && !add(folders, library));
        return true;
    }
    return false;
}

/* The root above the folder of libraries that NVRTC was loaded from. */
static bool root_of_nvrtc(const struct nvrtc_library *nvrtc, char root[PATH_MAX]) {
    Dl_info info;
    char resolved[PATH_MAX];
    void *function;
    memcpy(&function, &nvrtc->nvrtcVersion, sizeof function);
    if (!dladdr(function, &info) || !info.dli_fname || !realpath(info.dli_fname, resolved)) {
        return false;
    }
    cut_last_name(resolved);
    cut_last_name(resolved);
    (void)snprintf(root, PATH_MAX, "%s", resolved);
    return true;
}

static bool is_nvcc(const char *path) {
    return access(path, X_OK) == 0;
}

static bool root_of_nvcc(char root[PATH_MAX]) {
    char path[PATH_MAX];
    if (!child_find("nvcc", path, sizeof path) || !realpath(path, root)) {
        return false;
    }
    cut_last_name(root);
    cut_last_name(root);
    return true;
}

bool cuda_folders_nvcc(char *path, size_t size) {
    static const char *const variables[] = { "CUDA_HOME", "CUDA_PATH" };
    char found[PATH_MAX];
    char resolved[PATH_MAX];
    bool is_found = false;
    for (size_t v = 0; !is_found && v < sizeof variables / sizeof variables[0]; v++) {
        const char *value = getenv(variables[v]);
        is_found = value && *value &&
                   snprintf(found, sizeof found, "%s/bin/nvcc", value) < (int)sizeof found &&
                   is_nvcc(found);
    }
    is_found = is_found || child_find("nvcc", found, sizeof found);
    if (!is_found) {
        (void)snprintf(found, sizeof found, "/usr/local/cuda/bin/nvcc");
        is_found = is_nvcc(found);
    }
    is_found = is_found && realpath(found, resolved) && strlen(resolved) < size;
    (void)snprintf(path, size, "%s", is_found ? resolved : "nvcc");
    return is_found;
}

bool cuda_folders_find(const struct nvrtc_library *nvrtc, struct cuda_folders *folders) {
    static const char *const variables[] = { "CUDA_HOME", "CUDA_PATH" };
    char root[PATH_MAX];
    bool failed = false;
    *folders = (struct cuda_folders){ .count = 0 };
    bool found = root_of_nvrtc(nvrtc, root) && take_root(root, folders, &failed);
    for (size_t v = 0; !found && v < sizeof variables / sizeof variables[0]; v++) {
        const char *value = getenv(variables[v]);
        found = value && *value && take_root(value, folders, &failed);
    }
    found = found || take_root("/usr/local/cuda", folders, &failed);
    found = found || (root_of_nvcc(root) && take_root(root, folders, &failed));
    if (failed) {
        cuda_folders_free(folders);
    }
    return !failed;
}

void cuda_folders_free(struct cuda_folders *folders) {
    for (int f = 0; f < folders->count; f++) {
        free(folders->options[f]);
    }
    *folders = (struct cuda_folders){ .count = 0 };
}

/* ---- nvJitLink ---- */

/* As nvJitLink.h declares them; its results and kinds of input are numbers of an enum. */
typedef struct link_state *link_handle;
enum { LINK_SUCCESS = 0, INPUT_PTX = 2 };

struct link_library {
    void *opened;
    int (*create)(link_handle *handle, uint32_t count, const char **options);
    int (*destroy)(link_handle *handle);
    int (*add)(link_handle handle, int kind, const void *data, size_t size, const char *name);
    int (*complete)(link_handle handle);
    int (*error_size)(link_handle handle, size_t *size);
    int (*error_log)(link_handle handle, char *log);
    int (*info_size)(link_handle handle, size_t *size);
    int (*info_log)(link_handle handle, char *log);
};

static bool bind(const struct link_library *library, const char *symbol, void *function) {
    void *found = dlsym(library->opened, symbol);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool bind_all(struct link_library *library) {
    return bind(library, "nvJitLinkCreate", &library->create) &&
           bind(library, "nvJitLinkDestroy", &library->destroy) &&
           bind(library, "nvJitLinkAddData", &library->add) &&
           bind(library, "nvJitLinkComplete", &library->complete) &&
           bind(library, "nvJitLinkGetErrorLogSize", &library->error_size) &&
           bind(library, "nvJitLinkGetErrorLog", &library->error_log) &&
           bind(library, "nvJitLinkGetInfoLogSize", &library->info_size) &&
           bind(library, "nvJitLinkGetInfoLog", &library->info_log);
}

/* The library of NVRTC's own version, from its folder or wherever the loader finds it. */
static bool open_library(const struct nvrtc_library *nvrtc, struct link_library *library) {
    char path[PATH_MAX + 32];
    char name[32];
    Dl_info info;
    void *function;
    *library = (struct link_library){ .opened = NULL };
    (void)snprintf(name, sizeof name, "libnvJitLink.so.%d", nvrtc->major);
    memcpy(&function, &nvrtc->nvrtcVersion, sizeof function);
    if (dladdr(function, &info) && info.dli_fname && strrchr(info.dli_fname, '/')) {
        const int folder = (int)(strrchr(info.dli_fname, '/') - info.dli_fname);
        (void)snprintf(path, sizeof path, "%.*s/%s", folder, info.dli_fname, name);
        library->opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    library->opened = library->opened ? library->opened : dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return library->opened && bind_all(library);
}

/* The log of the linker, in memory of malloc(); NULL where it is empty. */
static char *take_log(link_handle handle, int (*size_of)(link_handle, size_t *),
                      int (*read)(link_handle, char *)) {
    size_t size = 0;
    char *log = NULL;
    if (size_of(handle, &size) != LINK_SUCCESS || size < 2 || !(log = calloc(1, size + 1)) ||
        read(handle, log) != LINK_SUCCESS) {
        free(log);
        return NULL;
    }
    trim_end(log, "\n");
    return log;
}

/* The most local memory of a fixed size that a work-group may have, on every card. */
static const long max_declared_bytes = 48 * 1024;

/* Whether too much local memory is used: ptxas reports it as an error, nvJitLink only as the bytes
 * used. */
static bool uses_too_much(const char *log) {
    const char *used = strstr(log, " bytes smem");
    while (used && used > log && isdigit((unsigned char)used[-1])) {
        used--;
    }
    return strstr(log, "uses too much shared data") ||
           (used && strtol(used, NULL, 10) > max_declared_bytes);
}

bool cuda_fail_by_log(const char *name, const char *log, struct error *error) {
    if (uses_too_much(log)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s needs more local memory than a work-group of this device has:\n%s", name,
                    log);
    }
    return fail(error, STATUS_COMPILE_ERROR, "%s does not compile:\n%s", name, log);
}

static bool link_with(const struct link_library *library, const char *name, const char *ptx,
                      const char *architecture, char **log, struct error *error) {
    char target[32];
    const char *options[] = { target, "-Xptxas=-v" };
    link_handle handle = NULL;
    (void)snprintf(target, sizeof target, "-arch=%s", architecture);
    if (library->create(&handle, 2, options) != LINK_SUCCESS) {
        return fail(error, STATUS_COMPILE_ERROR, "%s: nvJitLink takes no %s", name, target);
    }
    const bool linked =
        library->add(handle, INPUT_PTX, ptx, strlen(ptx) + 1, name) == LINK_SUCCESS &&
        library->complete(handle) == LINK_SUCCESS;
    if (linked) {
        *log = take_log(handle, library->info_size, library->info_log);
    } else {
        char *said = take_log(handle, library->error_size, library->error_log);
        (void)cuda_fail_by_log(name, said ? said : "nvJitLink does not say why", error);
        free(said);
    }
    (void)library->destroy(&handle);
    return linked;
}

bool cuda_link_ptx(const struct nvrtc_library *nvrtc, const char *name, const char *ptx,
                   const char *architecture, char **log, struct error *error) {
    struct link_library library;
    const bool linked =
        open_library(nvrtc, &library)
            ? link_with(&library, name, ptx, architecture, log, error)
            : fail(error, STATUS_UNSUPPORTED,
                   "%s: its header and its lists of parameters are right; for more there is no "
                   "nvJitLink (libnvJitLink.so.%d) beside NVRTC or where the loader looks",
                   name, nvrtc->major);
    if (library.opened) {
        (void)dlclose(library.opened);
    }
    return linked;
}

/* ---- nvcc ---- */

enum { MAX_WORDS = 40 };

static bool take_results(const struct child_folder *folder, struct nvcc_output *output,
                         struct error *error) {
    char path[PATH_MAX];
    child_folder_file(folder, "kernel.cubin", path);
    if (!input_read(path, INPUT_KERNEL_BYTES, &output->cubin, &output->cubin_bytes, error)) {
        return false;
    }
    child_folder_file(folder, "kernel.ptx", path);
    return input_read(path, INPUT_TABLE_BYTES, &output->ptx, NULL, error);
}

static bool compile_in(const struct child_folder *folder, const char *name, const char *text,
                       char *const *words, struct nvcc_output *output, struct error *error) {
    char source[PATH_MAX];
    char cubin[PATH_MAX];
    char keep[] = "--keep";
    char keep_in[] = "--keep-dir";
    char to[] = "-o";
    char *arguments[MAX_WORDS + 8];
    int count = 0;
    child_folder_file(folder, "kernel.cu", source);
    child_folder_file(folder, "kernel.cubin", cubin);
    for (; count < MAX_WORDS && words[count]; count++) {
        arguments[count] = words[count];
    }
    char *const rest[] = { keep, keep_in, (char *)folder->path, to, cubin, source, NULL };
    memcpy(&arguments[count], rest, sizeof rest);
    if (!fs_write(source, text, strlen(text), error)) {
        return false;
    }
    const int status = child_run(folder, arguments, &output->log);
    if (status < 0) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s says @compiler nvcc, and %s cannot be started: %s; expected nvcc in "
                    "CUDA_HOME/bin, CUDA_PATH/bin, PATH or /usr/local/cuda/bin",
                    name, words[0], strerror(errno));
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return cuda_fail_by_log(name, output->log ? output->log : "nvcc does not say why", error);
    }
    return take_results(folder, output, error);
}

bool cuda_nvcc_compile(const char *name, const char *text, char *const *words,
                       struct nvcc_output *output, struct error *error) {
    struct child_folder folder;
    *output = (struct nvcc_output){ .cubin = NULL };
    if (!child_folder_make(&folder, error)) {
        return false;
    }
    const bool compiled = compile_in(&folder, name, text, words, output, error);
    fs_remove_folder(folder.path);
    if (!compiled) {
        nvcc_output_free(output);
    }
    return compiled;
}

void nvcc_output_free(struct nvcc_output *output) {
    free(output->cubin);
    free(output->ptx);
    free(output->log);
    *output = (struct nvcc_output){ .cubin = NULL };
}
