#include "devices/opencl/opencl.h"

#include "core/files.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char vendor_folder[] = "/etc/OpenCL/vendors";
static const char nvidia_driver[] = "libnvidia-opencl.so.1";

/* ---- a platform that lacks its ICD file ---- */

/*
 * The loader finds drivers by the .icd files in a vendor folder. Machines that get NVIDIA's driver
 * from outside (containers above all) often have its libnvidia-opencl.so.1 and no .icd file for it.
 * The loader can be pointed to another folder by OCL_ICD_VENDORS, which it reads once, at the first
 * call: so a temporary folder with the machine's own files and the missing one is made for that
 * call.
 */
struct vendor_overlay {
    char folder[PATH_MAX]; /* "": there is none */
};

static bool icd_names_nvidia(const char *path) {
    struct error ignored;
    char *content = NULL;
    if (!fs_read(path, &content, NULL, &ignored)) {
        return false;
    }
    bool found = strstr(content, "nvidia-opencl") != NULL;
    free(content);
    return found;
}

/* Links the machine's .icd files into `folder` ("": links nothing). True when one of them is
 * NVIDIA's. */
static bool walk_vendors(const char *folder) {
    bool nvidia = false;
    DIR *directory = opendir(vendor_folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        struct strbuf from = { 0 };
        struct strbuf to = { 0 };
        strbuf_append(&from, "%s/%s", vendor_folder, entry->d_name);
        strbuf_append(&to, "%s/%s", folder, entry->d_name);
        if (!from.failed && !to.failed && ends_with(entry->d_name, ".icd")) {
            nvidia = nvidia || icd_names_nvidia(from.data);
            if (*folder) {
                (void)!symlink(from.data, to.data); /* one less to be found, should it fail */
            }
        }
        strbuf_free(&from);
        strbuf_free(&to);
    }
    if (directory) {
        (void)closedir(directory);
    }
    return nvidia;
}

static bool library_opens(const char *name) {
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library) {
        (void)dlclose(library);
    }
    return library != NULL;
}

static void overlay_end(struct vendor_overlay *overlay) {
    if (!overlay->folder[0]) {
        return;
    }
    (void)unsetenv("OCL_ICD_VENDORS");
    fs_remove_folder(overlay->folder);
}

/* Does nothing where the user chose a folder, where NVIDIA's file is in place, or where its driver
 * is not on this machine. */
static void overlay_begin(struct vendor_overlay *overlay, struct strbuf *note) {
    overlay->folder[0] = '\0';
    if (getenv("OCL_ICD_VENDORS") || getenv("OCL_ICD_FILENAMES") || walk_vendors("") ||
        !library_opens(nvidia_driver)) {
        return;
    }
    char folder[sizeof overlay->folder];
    struct error ignored;
    struct strbuf path = { 0 };
    struct strbuf with_slash = {
        0
    }; /* without it, Khronos' own loader finds no file in a folder */
    /* a confined process may write nowhere else */
    if (fs_make_temporary("icd", folder, sizeof folder, &ignored)) {
        memcpy(overlay->folder, folder, sizeof folder);
        strbuf_append(&path, "%s/pairmark-nvidia.icd", folder);
        strbuf_append(&with_slash, "%s/", folder);
        (void)walk_vendors(folder);
    }
    if (!path.length || path.failed || with_slash.failed ||
        !fs_write(path.data, nvidia_driver, strlen(nvidia_driver), &ignored) ||
        setenv("OCL_ICD_VENDORS", with_slash.data, 1) != 0) {
        overlay_end(overlay);
        overlay->folder[0] = '\0';
        strbuf_append(note,
                      "%s is here but no file in %s names it; write that name into %s/nvidia.icd",
                      nvidia_driver, vendor_folder, vendor_folder);
    }
    strbuf_free(&path);
    strbuf_free(&with_slash);
}

/* ---- the loader ---- */

static void *open_loader(void) {
    /* CUDA's toolkit brings a loader that is often outside the search path. */
    static const char *const names[] = { "libOpenCL.so.1", "/usr/local/cuda/lib64/libOpenCL.so.1" };
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof names[0]; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    return library;
}

/* The address of one function, stored into the pointer that `member` is. */
static bool find_function(void *library, const char *name, void *member, struct strbuf *note) {
    void *address = dlsym(library, name);
    if (!address) {
        strbuf_append(note, "the OpenCL loader has no %s: it is older than OpenCL 1.2", name);
        return false;
    }
    memcpy(member, &address, sizeof address);
    return true;
}

static bool list_platforms(const struct opencl_api *api, cl_platform_id **platforms, cl_uint *count,
                           struct strbuf *note) {
    cl_uint there = 0;
    cl_int code = api->clGetPlatformIDs(0, NULL, &there);
    if (code != CL_SUCCESS || there == 0) { /* the loader has an error code of its own for none */
        strbuf_append(note,
                      "no OpenCL platform here (install a driver, for a CPU: pocl-opencl-icd)");
        return false;
    }
    cl_platform_id *ids = calloc(there, sizeof *ids);
    if (!ids || api->clGetPlatformIDs(there, ids, NULL) != CL_SUCCESS) {
        free(ids);
        strbuf_append(note, "the OpenCL platforms could not be listed");
        return false;
    }
    *platforms = ids;
    *count = there;
    return true;
}

bool opencl_load(struct opencl_api *api, cl_platform_id **platforms, cl_uint *count,
                 struct strbuf *note) {
    void *library = open_loader();
    if (!library) {
        strbuf_append(note,
                      "no libOpenCL.so.1 here (install ocl-icd-libopencl1 and a driver, for a CPU: "
                      "pocl-opencl-icd)");
        return false;
    }
#define OPENCL_FIND(name)                                                                          \
    if (!find_function(library, #name, &api->name, note)) {                                        \
        return false;                                                                              \
    }
    OPENCL_FUNCTIONS(OPENCL_FIND)
#undef OPENCL_FIND
    struct vendor_overlay overlay;
    overlay_begin(&overlay, note);
    bool listed = list_platforms(api, platforms, count, note);
    overlay_end(&overlay);
    return listed;
}

const char *opencl_error_name(cl_int code) {
    static const struct {
        cl_int code;
        const char *name;
    } names[] = {
#define OPENCL_ERROR(name) { CL_##name, #name }
        OPENCL_ERROR(DEVICE_NOT_FOUND),
        OPENCL_ERROR(DEVICE_NOT_AVAILABLE),
        OPENCL_ERROR(COMPILER_NOT_AVAILABLE),
        OPENCL_ERROR(MEM_OBJECT_ALLOCATION_FAILURE),
        OPENCL_ERROR(OUT_OF_RESOURCES),
        OPENCL_ERROR(OUT_OF_HOST_MEMORY),
        OPENCL_ERROR(PROFILING_INFO_NOT_AVAILABLE),
        OPENCL_ERROR(BUILD_PROGRAM_FAILURE),
        OPENCL_ERROR(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        OPENCL_ERROR(INVALID_VALUE),
        OPENCL_ERROR(INVALID_PLATFORM),
        OPENCL_ERROR(INVALID_DEVICE),
        OPENCL_ERROR(INVALID_CONTEXT),
        OPENCL_ERROR(INVALID_QUEUE_PROPERTIES),
        OPENCL_ERROR(INVALID_COMMAND_QUEUE),
        OPENCL_ERROR(INVALID_MEM_OBJECT),
        OPENCL_ERROR(INVALID_BINARY),
        OPENCL_ERROR(INVALID_BUILD_OPTIONS),
        OPENCL_ERROR(INVALID_PROGRAM),
        OPENCL_ERROR(INVALID_PROGRAM_EXECUTABLE),
        OPENCL_ERROR(INVALID_KERNEL_NAME),
        OPENCL_ERROR(INVALID_KERNEL_DEFINITION),
        OPENCL_ERROR(INVALID_KERNEL),
        OPENCL_ERROR(INVALID_ARG_INDEX),
        OPENCL_ERROR(INVALID_ARG_VALUE),
        OPENCL_ERROR(INVALID_ARG_SIZE),
        OPENCL_ERROR(INVALID_KERNEL_ARGS),
        OPENCL_ERROR(INVALID_WORK_DIMENSION),
        OPENCL_ERROR(INVALID_WORK_GROUP_SIZE),
        OPENCL_ERROR(INVALID_WORK_ITEM_SIZE),
        OPENCL_ERROR(INVALID_GLOBAL_OFFSET),
        OPENCL_ERROR(INVALID_EVENT),
        OPENCL_ERROR(INVALID_OPERATION),
        OPENCL_ERROR(INVALID_BUFFER_SIZE),
        OPENCL_ERROR(INVALID_GLOBAL_WORK_SIZE),
#undef OPENCL_ERROR
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].code == code) {
            return names[i].name;
        }
    }
    return "unknown error";
}

bool opencl_check(struct error *error, enum status status, cl_int code, const char *what) {
    if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY) {
        status = STATUS_OUT_OF_MEMORY;
    }
    return code == CL_SUCCESS ||
           fail(error, status, "%s: OpenCL says %s (%d)", what, opencl_error_name(code), code);
}
