#include "devices/cuda/cuda_library.h"

#include "core/strings.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYMBOL_TEXT(name) #name
#define SYMBOL(name) SYMBOL_TEXT(name) /* of what a macro of cuda.h makes of the name */

enum { OLDEST_NVRTC = 12, MAX_ARCHITECTURES = 64 };

/* Libraries stay loaded when closed (RTLD_NODELETE): the CUDA runtime and the driver's own threads
 * may still be in them. */
enum { OPEN_FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };

/* dlsym returns an object pointer; POSIX makes its bytes good as a function's address. */
static bool library_bind(void *handle, const char *symbol, void *function) {
    void *address = dlsym(handle, symbol);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

bool cuda_library_fail(const struct cuda_library *library, CUresult result, enum status status,
                       const char *what, struct error *error) {
    const char *name = NULL;
    const char *words = NULL;
    if (library->cuGetErrorName(result, &name) != CUDA_SUCCESS || !name) {
        name = "unknown error";
    }
    if (library->cuGetErrorString(result, &words) != CUDA_SUCCESS || !words) {
        words = "no description";
    }
    return fail(error, result == CUDA_ERROR_OUT_OF_MEMORY ? STATUS_OUT_OF_MEMORY : status,
                "%s: %s (%s, %d)", what, words, name, (int)result);
}

static bool cuda_library_start(struct cuda_library *library, struct error *error) {
    CUresult result = library->cuInit(0);
    if (result == CUDA_ERROR_NO_DEVICE) {
        return fail(error, STATUS_SYSTEM, "no NVIDIA GPU here");
    }
    if (result == CUDA_SUCCESS) {
        result = library->cuDriverGetVersion(&library->version);
    }
    return result == CUDA_SUCCESS || cuda_library_fail(library, result, STATUS_SYSTEM,
                                                       "the NVIDIA driver does not start", error);
}

bool cuda_library_open(struct cuda_library *library, struct error *error) {
    *library = (struct cuda_library){ 0 };
    library->handle = dlopen("libcuda.so.1", OPEN_FLAGS);
    if (!library->handle) {
        return fail(error, STATUS_SYSTEM, "no NVIDIA driver here (libcuda.so.1)");
    }
    const char *missing = NULL;
#define CUDA_BIND(function)                                                                        \
    if (!library_bind(library->handle, SYMBOL(function), &library->function)) {                    \
        missing = SYMBOL(function);                                                                \
    }
    CUDA_FUNCTIONS(CUDA_BIND)
#undef CUDA_BIND
    (void)library_bind(library->handle, "cuFuncGetParamInfo", &library->parameter_info);
    (void)library_bind(library->handle, "cuStreamGetId", &library->stream_number);
    if (missing) {
        cuda_library_close(library);
        return fail(error, STATUS_SYSTEM,
                    "the NVIDIA driver is too old: it lacks %s; pairmark was built with CUDA %d.%d",
                    missing, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
    }
    if (!cuda_library_start(library, error)) {
        cuda_library_close(library);
        return false;
    }
    return true;
}

void cuda_library_close(struct cuda_library *library) {
    if (library->handle) {
        (void)dlclose(library->handle);
        library->handle = NULL;
    }
}

/* ---- NVRTC ---- */

static bool nvrtc_bind(struct nvrtc_library *library, const char *path, struct error *error) {
    const char *missing = NULL;
#define NVRTC_BIND(function)                                                                       \
    if (!library_bind(library->handle, SYMBOL(function), &library->function)) {                    \
        missing = SYMBOL(function);                                                                \
    }
    NVRTC_FUNCTIONS(NVRTC_BIND)
#undef NVRTC_BIND
    if (missing) {
        return fail(error, STATUS_SYSTEM, "%s: lacks %s", path, missing);
    }
    int architectures[MAX_ARCHITECTURES];
    int count = 0;
    if (library->nvrtcVersion(&library->major, &library->minor) != NVRTC_SUCCESS ||
        library->nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count < 1 ||
        count > MAX_ARCHITECTURES ||
        library->nvrtcGetSupportedArchs(architectures) != NVRTC_SUCCESS) {
        return fail(error, STATUS_SYSTEM, "%s: does not say what it supports", path);
    }
    library->min_architecture = architectures[0]; /* in ascending order */
    library->max_architecture = architectures[count - 1];
    return true;
}

/* Loads the library of NVRTC's built-in functions, which NVRTC finds by name then. By the loader's
 * own rules it might miss the one that lies beside it. */
static void nvrtc_load_builtins(const struct nvrtc_library *library, const char *folder) {
    struct strbuf path = { 0 };
    strbuf_append(&path, "%s/libnvrtc-builtins.so.%d.%d", folder, library->major, library->minor);
    if (!path.failed) {
        (void)dlopen(path.data, OPEN_FLAGS);
    }
    strbuf_free(&path);
}

/* `folder` NULL: wherever the loader finds it. *error says why not, unless it is just not there. */
static bool nvrtc_open_in(const char *folder, int newest, struct nvrtc_library *library,
                          struct error *error) {
    bool opened = false;
    for (int major = newest; !opened && major >= OLDEST_NVRTC; major--) {
        struct strbuf path = { 0 };
        strbuf_append(&path, "%s%slibnvrtc.so.%d", folder ? folder : "", folder ? "/" : "", major);
        if (path.failed) {
            return fail_out_of_memory(error, "a path");
        }
        library->handle = dlopen(path.data, OPEN_FLAGS);
        if (library->handle) {
            opened = nvrtc_bind(library, path.data, error);
            if (!opened) {
                nvrtc_library_close(library);
            } else if (folder) {
                nvrtc_load_builtins(library, folder);
            }
        }
        strbuf_free(&path);
    }
    return opened;
}

/* The folder ../lib of the program's own, where a packed copy has its libraries. */
static bool bundle_folder(char folder[PATH_MAX]) {
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (length <= 0) {
        return false;
    }
    folder[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(folder, '/');
        if (!slash) {
            return false;
        }
        *slash = '\0';
    }
    const size_t end = strlen(folder);
    if (end + sizeof "/lib" > PATH_MAX) {
        return false;
    }
    memcpy(folder + end, "/lib", sizeof "/lib");
    return true;
}

static bool nvrtc_open_of_variable(const char *variable, int newest, struct nvrtc_library *library,
                                   struct error *error) {
    const char *root = getenv(variable);
    struct strbuf folder = { 0 };
    if (!root || !*root) {
        return false;
    }
    strbuf_append(&folder, "%s/lib64", root);
    bool opened = !folder.failed && nvrtc_open_in(folder.data, newest, library, error);
    strbuf_free(&folder);
    return opened;
}

bool nvrtc_library_open(int newest, struct nvrtc_library *library, struct error *error) {
    char bundle[PATH_MAX];
    *library = (struct nvrtc_library){ 0 };
    (void)fail(error, STATUS_SYSTEM,
               "no NVRTC: libnvrtc.so.%d or older (to %d) is neither where the loader looks nor in "
               "CUDA_HOME/lib64, CUDA_PATH/lib64, /usr/local/cuda/lib64",
               newest, OLDEST_NVRTC);
    return (bundle_folder(bundle) && nvrtc_open_in(bundle, newest, library, error)) ||
           nvrtc_open_of_variable("CUDA_HOME", newest, library, error) ||
           nvrtc_open_of_variable("CUDA_PATH", newest, library, error) ||
           nvrtc_open_in(NULL, newest, library, error) ||
           nvrtc_open_in("/usr/local/cuda/lib64", newest, library, error) ||
           nvrtc_open_in(PAIRMARK_CUDA_LIBRARY_DIR, newest, library, error);
}

void nvrtc_library_close(struct nvrtc_library *library) {
    if (library->handle) {
        (void)dlclose(library->handle);
        library->handle = NULL;
    }
}

bool nvrtc_library_supports(const struct nvrtc_library *library, int architecture) {
    int architectures[MAX_ARCHITECTURES];
    int count = 0;
    if (library->nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count > MAX_ARCHITECTURES ||
        library->nvrtcGetSupportedArchs(architectures) != NVRTC_SUCCESS) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (architectures[i] == architecture) {
            return true;
        }
    }
    return false;
}

/* ---- cuFFT ---- */

static void cufft_open_in(const char *folder, int newest, struct cufft_library *library) {
    enum { OLDEST = 11, OF_CUDA = -1 }; /* libcufft.so.12 is of CUDA 13 */
    for (int major = newest + OF_CUDA; !library->handle && major >= OLDEST; major--) {
        struct strbuf path = { 0 };
        strbuf_append(&path, "%s%slibcufft.so.%d", folder, *folder ? "/" : "", major);
        library->handle = path.failed ? NULL : dlopen(path.data, OPEN_FLAGS);
        strbuf_free(&path);
    }
}

static void cufft_open_of_variable(const char *variable, int newest,
                                   struct cufft_library *library) {
    const char *root = getenv(variable);
    struct strbuf folder = { 0 };
    if (!root || !*root || library->handle) {
        return;
    }
    strbuf_append(&folder, "%s/lib64", root);
    if (!folder.failed) {
        cufft_open_in(folder.data, newest, library);
    }
    strbuf_free(&folder);
}

bool cufft_library_open(int newest, struct cufft_library *library) {
    char bundle[PATH_MAX];
    bool bound = true;
    *library = (struct cufft_library){ 0 };
    if (bundle_folder(bundle)) {
        cufft_open_in(bundle, newest, library);
    }
    cufft_open_of_variable("CUDA_HOME", newest, library);
    cufft_open_of_variable("CUDA_PATH", newest, library);
    cufft_open_in("", newest, library);
    cufft_open_in("/usr/local/cuda/lib64", newest, library);
    cufft_open_in(PAIRMARK_CUDA_LIBRARY_DIR, newest, library);
    if (!library->handle) {
        return false;
    }
#define CUFFT_BIND(function, ...)                                                                  \
    bound = library_bind(library->handle, #function, &library->function) && bound;
    CUFFT_FUNCTIONS(CUFFT_BIND)
#undef CUFFT_BIND
    if (!bound) {
        cufft_library_close(library);
    }
    return bound;
}

void cufft_library_close(struct cufft_library *library) {
    if (library->handle) {
        (void)dlclose(library->handle);
        library->handle = NULL;
    }
}
