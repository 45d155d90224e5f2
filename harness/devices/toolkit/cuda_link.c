#include "devices/toolkit/cuda_link.h"

#include "core/strings.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* By malloc; NULL where nothing was said. */
static char *take_log(link_handle handle, int (*size_of)(link_handle, size_t *),
                      int (*read)(link_handle, char *)) {
    size_t size = 0;
    char *log = NULL;
    if (size_of(handle, &size) != LINK_SUCCESS || size < 2 || !(log = calloc(1, size + 1)) ||
        read(handle, log) != LINK_SUCCESS) {
        free(log);
        return NULL;
    }
    for (size_t end = strlen(log); end > 0 && log[end - 1] == '\n'; end--) {
        log[end - 1] = '\0';
    }
    return log;
}

/* What a work-group may have of its own that is declared by size, on every card. */
static const long max_declared_bytes = 48 * 1024;

/* ptxas says so as an error, and nvJitLink's only by how much is used. */
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
