/*
 * plot_figures — the kinds of figures: what each draws, and when there is nothing to draw.
 */
#ifndef PAIRMARK_ANSWERS_PLOT_PLOT_FIGURES_H
#define PAIRMARK_ANSWERS_PLOT_PLOT_FIGURES_H

#include "answers/plot/plot_sheet.h"

/* ---- curves: time, interacting pairs/s and energy per pair against N; a panel per precision, a
 * line per variant ---- */

/* The table of a set's points, which the figures of one set share: columns by the names in its
 * first line. False: memory ran out or it cannot be written. */
bool plot_write_set(const struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                    struct error *error);

/* Those of the three for which some variant has two Ns. */
bool plot_curves(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                 struct error *error);

/* ---- accuracy: time against error at one N; a point per variant and precision, the Pareto front
 * marked ---- */

/* Whether no other point of the same N is faster with an error at most 10 % larger, or as fast and
 * more accurate. */
bool plot_on_front(const struct plot_set *set, const struct plot_point *point);

/* At the N that most variants and precisions have in common; none where no N has two points. */
bool plot_accuracy(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                   struct error *error);

/* ---- balance: time against the ratio of two groups' sizes, |A|:|B|, at a constant number of pairs
 * |A| |B|; a panel per precision, a line per variant ---- */

/* Whether the set is part of such a figure: other sets differ from it in the ratio alone. */
bool plot_balance_covers(const struct plot_data *data, const struct plot_set *set);

/* One for each setting and product, the products within 5 % of each other, for which some variant
 * has two ratios. */
bool plot_balances(struct plot_sheet *sheet, struct error *error);

/* ---- crossover map: the fastest correct variant at each N and density as colours, with its lead
 * over the next; of a single box, a band over N per precision ---- */

/* Who wins among points of one N. */
struct plot_winner {
    const struct plot_point *point; /* NULL: nobody ran */
    double seconds;
    double lead;   /* the next variant's time over the winner's; NaN where it ran alone */
    bool is_close; /* the lead is within the noise floor, or the 5th to 95th percentiles overlap */
};

/* The fastest of a precision at n, building its structure counted when asked. */
struct plot_winner plot_winner_of(const struct plot_set *set, const char *precision, double n,
                                  bool with_build);

/* One map for each device, interaction, outputs and groups with two variants and two Ns; where some
 * variant builds a structure a second one, with the structure built at each evaluation. */
bool plot_crossovers(struct plot_sheet *sheet, struct error *error);

/* ---- devices: the same variants on several devices; time against N, a panel per variant, a line
 * per device ---- */

/* One figure for each box, interaction, outputs and precision for which some variant ran on two
 * devices, with two Ns. A device is a model and the backend that drove it. */
bool plot_devices(struct plot_sheet *sheet, struct error *error);

/* ---- roofline: operations per second against operations per byte, under the measured roofs of the
 * device; a panel per precision, a dot per case ----
 *
 * Operations are those of counted_percent_of_peak: a documented number for each distance computed
 * and each pair function applied. Bytes are the least that any variant has to move: of each
 * particle that takes part, position and charge read once, and the force written once. A variant
 * that reads its positions repeatedly is in truth further to the left: the figure shows how far it
 * could be from being bound by memory, not its traffic. */

/* Peaks of a device as environment.json beside the rows recorded them; NaN: not recorded. */
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

/* The least traffic of one particle, in bytes: four numbers of the arithmetic's type read, three of
 * the accumulation's written. NaN for a precision that is not ours. */
double plot_least_bytes(const char *precision);

/* Skipped, with a line to the log, where the peaks of the device are not known. */
bool plot_roofline(struct plot_sheet *sheet, const struct plot_set *set,
                   const struct plot_peaks *peaks, const char *slug, struct error *error);

#endif
