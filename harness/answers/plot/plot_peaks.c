#include "answers/plot/plot_peaks.h"

#include "core/error.h"
#include "core/files.h"

#include <json.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void plot_peaks_free(struct plot_peaks *peaks) {
    free(peaks->items);
    *peaks = (struct plot_peaks){ 0 };
}

const struct plot_device_peaks *plot_peaks_of(const struct plot_peaks *peaks, const char *model,
                                              const char *backend) {
    for (size_t i = 0; i < peaks->count; i++) {
        const struct plot_device_peaks *item = &peaks->items[i];
        if (strcmp(item->model, model) == 0 && strcmp(item->backend, backend) == 0) {
            return item;
        }
    }
    return NULL;
}

double plot_peaks_operations(const struct plot_device_peaks *peaks, const char *precision) {
    if (strcmp(precision, "double") == 0) {
        return peaks->double_operations_per_s;
    }
    bool in_float = strcmp(precision, "float") == 0 || strcmp(precision, "mixed") == 0 ||
                    strcmp(precision, "fixed") == 0;
    return in_float ? peaks->float_operations_per_s : NAN;
}

/* ---- environment.json ---- */

/* A positive number under a name; NaN otherwise, also where `object` is no object. */
static double number_in(struct json_object *object, const char *name) {
    struct json_object *member = NULL;
    if (!json_object_is_type(object, json_type_object) ||
        !json_object_object_get_ex(object, name, &member) ||
        !(json_object_is_type(member, json_type_double) ||
          json_object_is_type(member, json_type_int))) {
        return NAN;
    }
    double value = json_object_get_double(member);
    return value > 0 && isfinite(value) ? value : NAN;
}

static struct json_object *member_of(struct json_object *object, const char *name) {
    struct json_object *member = NULL;
    return json_object_is_type(object, json_type_object) &&
                   json_object_object_get_ex(object, name, &member)
               ? member
               : NULL;
}

static const char *text_in(struct json_object *object, const char *name) {
    struct json_object *member = member_of(object, name);
    return json_object_is_type(member, json_type_string) ? json_object_get_string(member) : "";
}

static double known(double first, double second) {
    return isnan(first) ? second : first;
}

/* Runs from before the memory rate was measured have the multiply-adds alone, under another name.
 */
static void read_device(struct json_object *device, struct plot_device_peaks *item) {
    struct json_object *peaks = member_of(device, "peaks");
    struct json_object *older = member_of(device, "peak_operations_per_s");
    *item = (struct plot_device_peaks){
        .float_operations_per_s =
            known(number_in(peaks, "fp32_operations_per_s"), number_in(older, "float")),
        .double_operations_per_s =
            known(number_in(peaks, "fp64_operations_per_s"), number_in(older, "double")),
        .copy_bytes_per_s = number_in(peaks, "copy_bytes_per_s")
    };
    (void)snprintf(item->backend, sizeof item->backend, "%s", text_in(device, "backend"));
    (void)snprintf(item->model, sizeof item->model, "%s", text_in(device, "model"));
}

static bool take_device(struct plot_peaks *peaks, const struct plot_device_peaks *found,
                        struct error *error) {
    for (size_t i = 0; i < peaks->count; i++) {
        struct plot_device_peaks *item = &peaks->items[i];
        if (strcmp(item->model, found->model) == 0 && strcmp(item->backend, found->backend) == 0) {
            item->float_operations_per_s =
                known(item->float_operations_per_s, found->float_operations_per_s);
            item->double_operations_per_s =
                known(item->double_operations_per_s, found->double_operations_per_s);
            item->copy_bytes_per_s = known(item->copy_bytes_per_s, found->copy_bytes_per_s);
            return true;
        }
    }
    struct plot_device_peaks *items = realloc(peaks->items, (peaks->count + 1) * sizeof *items);
    if (!items) {
        return fail_out_of_memory(error, "the peaks of the devices");
    }
    peaks->items = items;
    items[peaks->count++] = *found;
    return true;
}

static bool take_devices(struct json_object *environment, struct plot_peaks *peaks,
                         struct error *error) {
    struct json_object *devices = member_of(environment, "devices");
    size_t count =
        json_object_is_type(devices, json_type_array) ? json_object_array_length(devices) : 0;
    for (size_t i = 0; i < count; i++) {
        struct plot_device_peaks item;
        read_device(json_object_array_get_idx(devices, i), &item);
        if (!take_device(peaks, &item, error)) {
            return false;
        }
    }
    return true;
}

bool plot_peaks_read(const char *rows_path, FILE *log, struct plot_peaks *peaks,
                     struct error *error) {
    char path[PATH_MAX];
    const char *slash = strrchr(rows_path, '/');
    int folder = slash ? (int)(slash - rows_path + 1) : 0;
    int length = snprintf(path, sizeof path, "%.*senvironment.json", folder, rows_path);
    if (length < 0 || (size_t)length >= sizeof path || access(path, F_OK) != 0) {
        return true;
    }
    struct json_object *environment = NULL;
    struct error reason;
    if (!input_read_json(path, &environment, &reason)) {
        log_warning(log, "%s: the peaks of its devices are not known", reason.message);
        return true;
    }
    bool taken = take_devices(environment, peaks, error);
    json_object_put(environment);
    return taken;
}
