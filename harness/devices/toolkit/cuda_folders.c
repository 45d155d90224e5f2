#include "devices/toolkit/cuda_folders.h"

#include "core/strings.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* The nvcc in a folder of PATH. */
static bool nvcc_of_path(char *path, size_t size) {
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        const int length = (int)strcspn(folders, ":");
        if (length > 0 && snprintf(path, size, "%.*s/nvcc", length, folders) < (int)size &&
            is_nvcc(path)) {
            return true;
        }
        folders += length;
        folders += *folders == ':';
    }
    return false;
}

static bool root_of_nvcc(char root[PATH_MAX]) {
    char path[PATH_MAX];
    if (!nvcc_of_path(path, sizeof path) || !realpath(path, root)) {
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
    is_found = is_found || nvcc_of_path(found, sizeof found);
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
