/* Opens and closes devices, and begins and ends every call for one. */
#include "core/error.h"
#include "devices/device.h"
#include "library/library.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *pm_version(void) {
    return PAIRMARK_VERSION;
}

/* ---- errors ---- */

static enum pm_status status_of(enum status status) {
    switch (status) {
    case STATUS_OK:
        return PM_OK;
    case STATUS_UNSUPPORTED:
        return PM_UNSUPPORTED;
    case STATUS_OUT_OF_MEMORY:
        return PM_OUT_OF_MEMORY;
    case STATUS_COMPILE_ERROR:
        return PM_COMPILE_ERROR;
    case STATUS_BAD_INPUT:
        return PM_BAD_INPUT;
    case STATUS_SYSTEM:
        return PM_SYSTEM;
    default:
        return PM_LAUNCH_ERROR;
    }
}

static enum pm_status report(enum pm_status status, const char *message, pm_error *error) {
    if (error) {
        error->status = status;
        (void)snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

enum pm_status library_error(const struct error *from, pm_error *error) {
    return report(status_of(from->status), from->message, error);
}

enum pm_status library_no_room(size_t room, size_t needed, pm_error *error) {
    char message[128];
    (void)snprintf(message, sizeof message, "room for %zu entries; the list needs %zu", room,
                   needed);
    return report(PM_NO_ROOM, message, error);
}

bool library_take_struct(const char *name, const void *given, size_t least, void *taken,
                         size_t known, struct error *error) {
    enum { MOST = 4096 };
    const unsigned char *bytes = given;
    size_t size = 0;
    memcpy(&size, given, sizeof size);
    if (size < least || size > MOST || size % sizeof size != 0) { /* else it ends within a member */
        return fail(error, STATUS_BAD_INPUT, "size %zu of %s; expected sizeof(%s), %zu", size, name,
                    name, known);
    }
    for (size_t k = known; k < size; k++) {
        if (bytes[k]) {
            return fail(error, STATUS_UNSUPPORTED,
                        "%s has a member that this library, %s, does not know: size %zu, not %zu",
                        name, pm_version(), size, known);
        }
    }
    memset(taken, 0, known);
    memcpy(taken, given, size < known ? size : known);
    return true;
}

enum pm_status library_fail_null(const char *what, pm_error *error) {
    struct error null;
    (void)fail(&null, STATUS_BAD_INPUT, "%s: a null pointer", what);
    return library_error(&null, error);
}

/* ---- processes ---- */

/* Drivers start threads, which a child of fork() does not have: it would wait for them for ever. */
static atomic_int process_of_drivers; /* that has loaded some; 0: none yet */

static bool is_of_this_process(const struct pm_context *context) {
    return context->process == getpid();
}

static enum pm_status refuse_child(pm_error *error) {
    return report(
        PM_FORKED,
        "this process is a child of fork(), whose parent had opened a device before: open "
        "devices after fork(), or start processes anew (exec(); of Python's "
        "multiprocessing the methods spawn and forkserver)",
        error);
}

/* Whether this process may load drivers: once it has, no child of it may. */
static bool claim_drivers(void) {
    int nobody = 0;
    const int here = (int)getpid();
    return atomic_compare_exchange_strong(&process_of_drivers, &nobody, here) || nobody == here;
}

/* ---- the calling thread ---- */

/* A program may round otherwise, flush small numbers to zero, trap invalid operations, or write
 * numbers with a comma; the library computes, writes and reads numbers as C programs begin. */
struct caller caller_enter(void) {
    struct caller caller = { .locale = (locale_t)0 };
    (void)fegetenv(&caller.floats);
    (void)fesetenv(FE_DFL_ENV);
    caller.own = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* which exists: nothing is allocated */
    if (caller.own != (locale_t)0) {
        caller.locale = uselocale(caller.own);
    }
    return caller;
}

void caller_leave(const struct caller *caller) {
    if (caller->own != (locale_t)0) {
        (void)uselocale(caller->locale);
        freelocale(caller->own);
    }
    (void)fesetenv(&caller->floats);
}

/* ---- a call ---- */

enum pm_status context_begin(struct pm_context *context, pm_error *error) {
    if (!is_of_this_process(context)) {
        return refuse_child(error);
    }
    (void)pthread_mutex_lock(&context->lock);
    if (context->busy || context->closed) {
        const char *why = context->busy ? "within a call for the same context: who is told lines "
                                          "of its log calls none"
                                        : "the context is closed";
        (void)pthread_mutex_unlock(&context->lock);
        return report(PM_BAD_INPUT, why, error);
    }
    context->busy = true;
    context->caller = caller_enter();
    device_enter(context->device);
    return PM_OK;
}

/* The last user closes the device; others only leave it. */
static void leave_and_unlock(struct pm_context *context) {
    const bool last = context->users == 0;
    if (last) {
        device_close(context->device);
    } else {
        device_leave(context->device);
    }
    (void)pthread_mutex_unlock(&context->lock);
    if (last) {
        (void)pthread_mutex_destroy(&context->lock);
        free(context);
    }
}

enum pm_status context_end(struct pm_context *context, bool done, const struct error *from,
                           pm_error *error) {
    const struct caller caller = context->caller;
    context->busy = false;
    leave_and_unlock(context);
    caller_leave(&caller);
    return done ? PM_OK : library_error(from, error);
}

/* ---- the log ---- */

void context_say(const struct pm_context *context, const char *format, ...) {
    char line[512];
    va_list arguments;
    if (context->say) {
        va_start(arguments, format);
        (void)vsnprintf(line, sizeof line, format, arguments);
        va_end(arguments);
        context->say(context->say_to, line);
    }
}

enum pm_status pm_log(pm_context *context, void (*say)(void *data, const char *line), void *data,
                      pm_error *error) {
    const struct error none = { .status = STATUS_OK };
    if (!context) {
        return library_fail_null("pm_log: context", error);
    }
    const enum pm_status begun = context_begin(context, error);
    if (begun != PM_OK) {
        return begun;
    }
    context->say = say;
    context->say_to = data;
    return context_end(context, true, &none, error);
}

/* ---- opening and closing ---- */

/* The lock is recursive: Python frees unused objects at any time, also within the function that
 * pm_log() calls. */
static void make_lock(pthread_mutex_t *lock) {
    pthread_mutexattr_t kind;
    (void)pthread_mutexattr_init(&kind);
    (void)pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    (void)pthread_mutex_init(lock, &kind);
    (void)pthread_mutexattr_destroy(&kind);
}

static enum pm_status open_context(const char *name, void *cl_context, void *cl_device,
                                   pm_context **context, pm_error *error) {
    struct error reason;
    CALLER_IS_SET_ASIDE; /* the driver's threads begin as this one is */
    if (!claim_drivers()) {
        return refuse_child(error);
    }
    struct pm_context *made = calloc(1, sizeof *made);
    if (!made) {
        (void)fail_out_of_memory(&reason, "a context");
        return library_error(&reason, error);
    }
    if (!device_open_shared(name, cl_context, cl_device, &made->device, &reason)) {
        free(made);
        return library_error(&reason, error);
    }
    device_leave(made->device);
    const struct device_info *info = device_describe(made->device);
    (void)snprintf(made->name, sizeof made->name, "%s (%s)", info->name, info->model);
    make_lock(&made->lock);
    made->process = getpid();
    made->users = 1;
    *context = made;
    return PM_OK;
}

enum pm_status pm_devices(pm_take_device *take, void *data, pm_error *error) {
    struct error reason;
    struct device_info *list = NULL;
    size_t count = 0;
    CALLER_IS_SET_ASIDE;
    if (!take) {
        return library_fail_null("pm_devices: take", error);
    }
    if (!claim_drivers()) {
        return refuse_child(error);
    }
    if (!devices_enumerate(&list, &count, NULL, 0, &reason)) {
        return library_error(&reason, error);
    }
    for (size_t d = 0; d < count; d++) {
        take(data, list[d].name, list[d].model, list[d].unusable);
    }
    free(list);
    return PM_OK;
}

enum pm_status pm_open(const char *device, pm_context **context, pm_error *error) {
    return context ? open_context(device, NULL, NULL, context, error)
                   : library_fail_null("pm_open: context", error);
}

enum pm_status pm_open_opencl(void *cl_context, void *cl_device, pm_context **context,
                              pm_error *error) {
    return !context      ? library_fail_null("pm_open_opencl: context", error)
           : !cl_context ? library_fail_null("pm_open_opencl: cl_context", error)
           : !cl_device  ? library_fail_null("pm_open_opencl: cl_device", error)
                         : open_context(NULL, cl_context, cl_device, context, error);
}

const char *pm_device(const pm_context *context) {
    return context ? context->name : "";
}

const char *pm_caution(const pm_context *context) {
    return context ? device_describe(context->device)->caution : "";
}

void context_take(struct pm_context *context) {
    context->users++;
}

/* A child's copy of the device belongs to the driver, and is left as it is. */
void context_leave(struct pm_context *context, void (*free_parts)(void *parts), void *parts) {
    if (!is_of_this_process(context)) {
        return;
    }
    (void)pthread_mutex_lock(&context->lock);
    const bool within = context->busy; /* a call, which leaves the device */
    if (!within) {
        device_enter(context->device);
    }
    if (free_parts) {
        free_parts(parts);
    }
    context->users--;
    if (within) {
        (void)pthread_mutex_unlock(&context->lock);
    } else {
        leave_and_unlock(context);
    }
}

static void close_it(void *context) {
    ((struct pm_context *)context)->closed = true;
}

void pm_close(pm_context *context) {
    if (context) {
        context_leave(context, close_it, context);
    }
}
