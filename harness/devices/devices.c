/* Lists the devices of all backends, and opens one. */
#include "devices/backend.h"

#include "core/error.h"
#include "core/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct device_backend *const backends[] = {
#ifdef PAIRMARK_HAVE_CUDA
    &device_backend_cuda,
#endif
    &device_backend_opencl,
};

enum { BACKEND_COUNT = sizeof backends / sizeof backends[0] };

/* ---- what there is ---- */

const char *backend_of_class(enum device_class kind) {
    return kind == DEVICE_CUDA ? "cuda" : "opencl";
}

/* Best class first; within a class the order in which the backend listed them. */
static void sort_devices(struct device_list *list) {
    for (size_t i = 1; i < list->count; i++) {
        struct device_info moving = list->items[i];
        size_t place = i;
        while (place > 0 && list->items[place - 1].kind > moving.kind) {
            list->items[place] = list->items[place - 1];
            place--;
        }
        list->items[place] = moving;
    }
}

/* The devices of the backend called `only`, or of all of them for NULL. */
static bool list_devices(const char *only, struct device_list *list, struct strbuf *notes,
                         struct error *error) {
#ifndef PAIRMARK_HAVE_CUDA
    if (!only || strcmp(only, "cuda") == 0) {
        strbuf_append(notes, "cuda: built without the CUDA toolkit\n");
    }
#endif
    for (int i = 0; i < BACKEND_COUNT; i++) {
        if (only && strcmp(only, backends[i]->name) != 0) {
            continue;
        }
        struct strbuf note = { 0 };
        bool listed = backends[i]->enumerate(list, &note, error);
        if (note.length > 0) {
            strbuf_append(notes, "%s: %s\n", backends[i]->name, note.data);
        }
        strbuf_free(&note);
        if (!listed) {
            free(list->items);
            *list = (struct device_list){ 0 };
            return false;
        }
    }
    sort_devices(list);
    return true;
}

bool devices_enumerate(struct device_info **list, size_t *count, char *notes, size_t notes_size,
                       struct error *error) {
    struct device_list found = { 0 };
    struct strbuf all_notes = { 0 };
    bool listed = list_devices(NULL, &found, &all_notes, error);
    if (listed && notes && notes_size > 0) {
        size_t length = all_notes.length;
        while (length > 0 && all_notes.data[length - 1] == '\n') {
            length--;
        }
        (void)snprintf(notes, notes_size, "%.*s", (int)length, length ? all_notes.data : "");
    }
    strbuf_free(&all_notes);
    if (!listed) {
        return false;
    }
    *list = found.items;
    *count = found.count;
    return true;
}

/* ---- opening one ---- */

static const struct device_backend *backend_of(const char *name) {
    for (int i = 0; i < BACKEND_COUNT; i++) {
        size_t length = strlen(backends[i]->name);
        if (strncmp(name, backends[i]->name, length) == 0 && name[length] == ':') {
            return backends[i];
        }
    }
    return NULL;
}

/* The device of that name, or the first usable one for "". */
static const struct device_info *find_device(const struct device_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++) {
        const struct device_info *info = &list->items[i];
        if (*name ? strcmp(info->name, name) == 0 : !info->unusable[0]) {
            return info;
        }
    }
    return NULL;
}

/* Says that `name` is not there, what is, and why a backend is absent. */
static bool fail_no_device(const char *name, const struct device_list *list,
                           const struct strbuf *notes, struct error *error) {
    struct strbuf choices = { 0 };
    for (size_t i = 0; i < list->count; i++) {
        const struct device_info *info = &list->items[i];
        strbuf_append(&choices, "%s%s (%s)", i ? ", " : "there are: ", info->name,
                      info->unusable[0] ? info->unusable : info->model);
    }
    struct strbuf reasons = { 0 };
    for (const char *c = notes->length ? notes->data : ""; *c; c++) {
        if (*c != '\n') {
            strbuf_append_bytes(&reasons, c, 1);
        } else if (c[1]) {
            strbuf_append(&reasons, "; ");
        }
    }
    const char *there = choices.length ? choices.data : "none was found";
    const char *separator = reasons.length ? "; " : "";
    const char *why = reasons.length ? reasons.data : "";
    if (*name) {
        (void)fail(error, STATUS_BAD_INPUT, "no device is called '%s'; %s%s%s", name, there,
                   separator, why);
    } else {
        (void)fail(error, STATUS_SYSTEM, "no usable device; %s%s%s", there, separator, why);
    }
    strbuf_free(&choices);
    strbuf_free(&reasons);
    return false;
}

/* Whether buffers get guards. */
static bool guards_wanted(void) {
    const char *words = getenv("PAIRMARK_GUARDS");
    return !words || strcmp(words, "0") != 0;
}

static void fill_in(const struct device_backend *backend, const struct device_info *info,
                    struct device *device) {
    device->backend = backend;
    device->info = *info;
    device->has_guards = guards_wanted();
}

static bool open_listed(const struct device_info *info, struct device **device,
                        struct error *error) {
    const struct device_backend *backend = backend_of(info->name);
    if (info->unusable[0]) {
        return fail(error, STATUS_SYSTEM, "%s cannot be used: %s", info->name, info->unusable);
    }
    if (!backend) {
        return fail(error, STATUS_SYSTEM, "%s belongs to no backend", info->name);
    }
    if (!backend->open(info, device, error)) {
        return fail_within(error, "%s", info->name);
    }
    fill_in(backend, info, *device);
    return true;
}

bool device_open(const char *name, struct device **device, struct error *error) {
    struct device_list list = { 0 };
    struct strbuf notes = { 0 };
    name = name ? name : "";
    /* A named device needs its own backend only: opening opencl:0:0 must not wake CUDA up. */
    const struct device_backend *only = backend_of(name);
    if (!list_devices(only ? only->name : NULL, &list, &notes, error)) {
        strbuf_free(&notes);
        return false;
    }
    const struct device_info *info = find_device(&list, name);
    if (!info && only) { /* list what the other backends have, too */
        free(list.items);
        list = (struct device_list){ 0 };
        strbuf_free(&notes);
        if (!list_devices(NULL, &list, &notes, error)) {
            strbuf_free(&notes);
            return false;
        }
    }
    bool opened =
        info ? open_listed(info, device, error) : fail_no_device(name, &list, &notes, error);
    free(list.items);
    strbuf_free(&notes);
    return opened;
}

bool device_open_shared(const char *name, void *context, void *id, struct device **device,
                        struct error *error) {
    struct device_info info = { 0 };
    bool opened = false;
    if (!context) {
        opened = device_open(name, device, error);
    } else if (device_backend_opencl.open_within(context, id, &info, device, error)) {
        fill_in(&device_backend_opencl, &info, *device);
        opened = true;
    }
    if (opened) {
        (*device)->is_shared = true;
    }
    return opened;
}

bool device_open_texts(enum device_class kind, int compute_units,
                       const struct text_receiver *receiver, struct device **device,
                       struct error *error) {
    return text_device_make(kind, compute_units, receiver, device, error);
}

bool device_open_compiler(const char *name, const struct compile_listener *listener,
                          struct device **device, struct error *error) {
    const bool by_clang = begins_with(name, "gfx") || begins_with(name, "spirv");
    const struct device_backend *compiler = by_clang ? &device_backend_clang : backends[0];
    struct device_info info = { 0 };
    if (!by_clang && !begins_with(name, "sm_")) {
        return fail(error, STATUS_BAD_INPUT,
                    "there is no target '%.50s'; expected sm_90, gfx90a or another of these kinds, "
                    "or spirv",
                    name);
    }
    if (!compiler->open_compiler) {
        return fail(error, STATUS_SYSTEM,
                    "this pairmark was built without the CUDA toolkit, which compiles with no GPU: "
                    "install it (Debian and Ubuntu: nvidia-cuda-toolkit; or "
                    "https://developer.nvidia.com/cuda-downloads) and build again");
    }
    if (!compiler->open_compiler(name, device, &info, error)) {
        return false;
    }
    info.memory_bytes = UINT64_MAX; /* of buffers that hold nothing */
    info.compute_units = 100;       /* a number that large cards have about */
    (*device)->backend = text_device_backend(info.kind);
    (*device)->info = info;
    (*device)->compiles_only = true;
    (*device)->compiler = compiler;
    (*device)->listener = listener;
    return true;
}
