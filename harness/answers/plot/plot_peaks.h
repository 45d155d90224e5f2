/*
 * plot_peaks — the measured peaks of devices, as environment.json beside the rows recorded them.
 */
#ifndef PAIRMARK_ANSWERS_PLOT_PLOT_PEAKS_H
#define PAIRMARK_ANSWERS_PLOT_PLOT_PEAKS_H

#include "core/error.h"

#include <stddef.h>
#include <stdio.h>

/* NaN: not recorded. */
struct plot_device_peaks {
    char backend[16];
    char model[256];
    double float_operations_per_s; /* multiply-adds, each two operations */
    double double_operations_per_s;
    double copy_bytes_per_s; /* device memory, read and written together */
};

/* Zero-initialise; release with plot_peaks_free. One item for each model and backend. */
struct plot_peaks {
    struct plot_device_peaks *items;
    size_t count;
};

/* Adds what environment.json beside a rows.csv says. Of several runs on a device the first that
 * knows a peak is believed. A run without the file, or with one that cannot be read, adds nothing;
 * the latter is logged. False: memory ran out. */
bool plot_peaks_read(const char *rows_path, FILE *log, struct plot_peaks *peaks,
                     struct error *error);
void plot_peaks_free(struct plot_peaks *peaks);

/* NULL where nothing is known of the device. */
const struct plot_device_peaks *plot_peaks_of(const struct plot_peaks *peaks, const char *model,
                                              const char *backend);
/* In a precision's arithmetic: mixed computes in float. NaN where not known. */
double plot_peaks_operations(const struct plot_device_peaks *peaks, const char *precision);

#endif
