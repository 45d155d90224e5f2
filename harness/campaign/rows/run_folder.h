/*
 * run_folder — reads and writes the files of a run's folder beside its rows: environment.json,
 * kernels/, checksums.txt; finds what an earlier run recorded; formats rows, samples and stages;
 * merges folders.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_RUN_FOLDER_H
#define PAIRMARK_CAMPAIGN_ROWS_RUN_FOLDER_H

#include "campaign/plan/plan.h"
#include "campaign/rows/rows.h"
#include "core/error.h"
#include "core/strings.h"
#include "devices/device.h"
#include "devices/machine/peak.h"
#include "kernels/potentials/bonded.h"
#include "kernels/results.h"

#include <stddef.h>
#include <stdio.h>

/* ---- environment.json: where, when and how the rows were measured ---- */

/* What every row of one run repeats. */
struct run_identity {
    char run_id[128]; /* date and host: identifies a run in its folder */
    char utc[32];     /* ISO 8601, of the start */
    char host[65];
    char git_commit[64]; /* that the binary was built from; "" where unknown */
};

void run_identify(struct run_identity *identity);

/* Now, as 2026-01-31T23:59:59Z. */
void environment_utc(char *text, size_t size);

/* "results-20260131T235959Z-host": where a run without -o goes. */
void environment_default_folder(char *text, size_t size);

struct environment_device {
    const struct device_info *info;
    const struct device_rates *rates; /* NULL: not known */
    size_t beside;                    /* other devices that were timed at the same time */
};

/* The share of a plan that a run has (campaign/plan/plan.h). */
struct environment_shard {
    size_t index, total, cases; /* share 1, 2, ... of so many; cases of the whole plan */
    const char *plan;           /* hash of them all */
};

struct json_object;

/* The JSON of a file of at most INPUT_TABLE_BYTES; to be released by json_object_put.
 * STATUS_BAD_INPUT, naming the path, where it cannot be read or is no JSON object. */
bool input_read_json(const char *path, struct json_object **object, struct error *error);

struct campaign_settings;

struct environment {
    const struct run_identity *identity;
    const struct campaign_settings *settings;
    const struct environment_device *devices;
    size_t device_count;
    size_t cases, selected, repetitions; /* without the twins */
    size_t twins;
    size_t visits;       /* of every case */
    const char *changed; /* files of the run that it goes on with; NULL: none */
};

/* Writes environment.json. One that is there is kept inside the new one, under "earlier_runs": a
 * resumed folder describes all its runs. One of the same run_id is replaced. STATUS_BAD_INPUT: the
 * one that is there is no JSON object. STATUS_SYSTEM, STATUS_OUT_OF_MEMORY. */
bool environment_write(const char *folder, const struct environment *environment,
                       struct error *error);
/* What it says of a device, but for how fast it was in the run. */
struct json_object *environment_device_object(const struct device_info *info);
/* Writes what somebody else has made, and releases it. NULL: STATUS_OUT_OF_MEMORY. */
bool environment_write_object(const char *folder, struct json_object *object, struct error *error);

/* Adds what is known only at the end of the run, from the rows of the whole folder: "noise_floor":
 * {"ratio_spread": R, "pairs": K}, R being null where there is no pair. Of a run that is whole,
 * writes checksums.txt, which "checksums" names: one that was stopped has neither. STATUS_SYSTEM,
 * STATUS_OUT_OF_MEMORY. */
bool environment_end(const char *folder, bool is_whole, struct error *error);

/* The command line that it records, NULL-terminated, one free() for all; with the seed of the
 * order. STATUS_BAD_INPUT when there is no such file or it says nothing of them. */
bool environment_read_command(const char *folder, char ***command_line, uint64_t *shuffle_seed,
                              struct error *error);

/* ---- rows, samples and stages as they are written ---- */

/* A measurement as rows.csv, samples.csv and stages.csv record it. */

/* What was measured, and as part of what. */
struct campaign_record {
    const struct run_identity *identity;
    const struct case_spec *spec;
    const char *case_id, *case_name;
    const struct device_info *device;
    const struct measurement *measurement;
    size_t repetition, visit; /* 0, 1, ... */
    double wall_s;            /* what it cost in all */
    bool twin;
};

/* Fills a created row, of one visit. What is not known, and every time of a case that failed, stays
 * empty. */
void campaign_fill_row(const struct campaign_record *record, struct row *row);

/* The same of a case that never ran: what it decides by itself, and its box as it was asked for. */
void campaign_fill_case(const struct case_spec *spec, struct row *row);

/* The columns of samples.csv, and one record for each sample. */
extern const char *const sample_columns[];
void campaign_format_samples(const struct campaign_record *record, struct strbuf *records);

/* The columns of stages.csv, and three records for each stage: median_s, min_s, samples. */
extern const char *const stage_columns[];
void campaign_format_stages(const struct campaign_record *record, struct strbuf *records);

/* ---- what an earlier run recorded ---- */

/* What a folder's rows record of an earlier run: which repetitions of which
 * cases are done, and whether they are of the kernels and boxes that there are now. */

struct recorded {
    struct row_table table;
    const struct row **sorted; /* by case, device and repetition; those that are final */
    size_t sorted_count;
    const struct row **by_names; /* by device and name of the case */
};

/* A row of a hand or of another program is no result that a run may go on with. STATUS_BAD_INPUT,
 * naming the line: it has no verdict, or passed and has no time. */
bool recorded_check_row(const char *path, const struct row *row, struct error *error);

/* Reads rows.csv, or visits.csv. STATUS_BAD_INPUT as rows_read() and recorded_check_row(). */
bool recorded_read(const char *path, bool is_of_visits, FILE *log, struct recorded *recorded,
                   struct error *error);
void recorded_free(struct recorded *recorded); /* also of a zeroed one */

/* All rows of a repetition, in their order, of a file that has several, as visits.csv; NULL and 0
 * where there are none. */
const struct row *const *recorded_find_all(const struct recorded *recorded, const char *case_id,
                                           const char *device, size_t repetition, size_t *count);

/* Whether the case's rows that passed were compiled from the program of this hash ("": not known).
 * STATUS_BAD_INPUT, naming the row that was not. */
bool recorded_check_program(const struct recorded *recorded, const char *path, const char *case_id,
                            const char *device, const char *kernel_hash, struct error *error);

/* A run's folder belongs to one process at a time, so that two never append to its
 * rows at once.
 *
 * The lock is a POSIX record lock on FOLDER/.lock. The system lets it go when the process ends,
 * however it ends, and children do not hold it. The file stays: taking it away could part two
 * processes that wait for it. On NFS the lock reaches other hosts where both run the lock service;
 * a process number is then one of the other host. A file system without locks keeps nobody out:
 * that is logged. */

/* The folder is there. *lock is for folder_unlock. `log` may be NULL. STATUS_BAD_INPUT: another
 * process has the folder, named by its number where the system knows it; or the file cannot be
 * made. A process that has the lock already gets it again. */
bool folder_lock(const char *folder, FILE *log, int *lock, struct error *error);
void folder_unlock(int lock); /* -1 is fine */

/* ---- checksums.txt: a hash of each file that was recorded, as xxhsum writes it ----
 *
 * `xxh128sum -c checksums.txt` reads it. It finds what was changed or lost after the run; not who
 * changes a file and its line, too. Summary, figures and report, which are made from the other
 * files, have no line. */

#define CHECKSUMS_FILE "checksums.txt"

/* Writes checksums.txt with a line for each file that is there. STATUS_SYSTEM,
 * STATUS_OUT_OF_MEMORY. */
bool checksums_write(const char *folder, struct error *error);
/* Removes checksums.txt: a run that goes on has none until it ends. */
void checksums_remove(const char *folder);

/* Says what differs, once per reason; `file` is that of the folder. What is large and was left out
 * as a whole (samples, Google Benchmark's file, kernels) is no error. */
typedef void checksums_say(void *context, const char *file, bool is_error, const char *reason);
/* Says nothing of a folder without the file. STATUS_BAD_INPUT: it cannot be read. */
bool checksums_check(const char *folder, checksums_say *say, void *context, struct error *error);
/* The files of which it says an error: "rows.csv, visits.csv". The run that goes on with them, or
 * is merged from them, keeps their names in environment.json: its own checksums are of what it
 * found. */
bool checksums_changed(const char *folder, struct strbuf *changed, struct error *error);
#define CHANGED_FILES "changed_files" /* of environment.json */

/* Appends why the run of a path, a folder or its rows.csv, is not as it was recorded: "RUN/rows.csv
 * was changed after the run (checksums.txt:1); ..."; also of runs that it went on with or was
 * merged from. Nothing of a run without checksums that names none in environment.json: one that
 * goes on, was stopped, or is older than checksums. Whatever answers from rows says this with the
 * answer. */
bool checksums_doubt(const char *path, struct strbuf *doubts, struct error *error);

/* ---- kernel texts ---- */

/* The kernel texts that a run's folder keeps, so that its rows can be made again
 * whatever becomes of the files that they were compiled from.
 *
 * FOLDER/kernels/NAME.cl is the variant NAME; FOLDER/kernels/shared/PATH a text that variants are
 * compiled with: interaction, words, structure, the dialect's prelude. FOLDER/kernels/inputs has
 * the files of --table and --exclude, by what they hold. FOLDER/kernels/kernels.csv lists them all,
 * a line each:
 *
 *     file    within FOLDER/kernels
 *     source  the path of the file as it was given, or the path of a built-in text
 *     hash    of the text (core/cache.h)
 *
 * One folder has one text of each kernel: its rows are comparable. */

struct kept_kernel {
    char *file, *source, *text;
    bool is_written; /* in the folder, and on its list */
};

struct kept_kernels {
    struct kept_kernel *items;
    size_t count;
};

/* The files of a run that are no kernels, by what they are called in the folder. */
struct kept_input {
    const char *what;
    enum axis axis; /* the option that names it */
};
enum { KEPT_INPUTS = 3 + LISTED_KINDS };
extern const struct kept_input kept_inputs[KEPT_INPUTS];

/* What the folder keeps; nothing where there is no list: the folder is new, or older than lists.
 * STATUS_BAD_INPUT: the list is no such list, a text is missing, or another than was listed. */
bool kept_kernels_read(const char *folder, struct kept_kernels *kept, struct error *error);
/* Finds a kept text by the name of its file; NULL: there is none. */
struct kept_kernel *kept_kernels_find(const struct kept_kernels *kept, const char *file);
void kept_kernels_free(struct kept_kernels *kept); /* also of a zeroed one */

/* Puts what is kept of built-in texts in their place (embedded_replace), for the whole program. */
void kept_kernels_use(const struct kept_kernels *kept);

/* Turns the files of --variant-file and of kept_inputs that are kept, by the paths that they were
 * given by, into those of the folder. */
bool kept_kernels_point(const struct kept_kernels *kept, const char *folder, struct axes *axes,
                        struct error *error);

/* Takes in what cases on a device of this kind share, and what a case is compiled from besides.
 * STATUS_BAD_INPUT, naming both: the folder keeps another text of that name. */
bool kept_kernels_take_shared(struct kept_kernels *kept, const char *folder, enum device_class kind,
                              struct error *error);
bool kept_kernels_take_case(struct kept_kernels *kept, const char *folder,
                            const struct case_spec *spec, struct error *error);

/* Takes in the file of one of kept_inputs. Files of other content stand beside each other: they
 * make other interactions. STATUS_BAD_INPUT: it cannot be read. */
bool kept_kernels_take_input(struct kept_kernels *kept, const char *folder, const char *what,
                             const char *path, struct error *error);

/* Writes the texts that are new, then the list. A file that is there and on no list is not written
 * over: STATUS_BAD_INPUT. STATUS_SYSTEM. */
bool kept_kernels_write(struct kept_kernels *kept, const char *folder, struct error *error);

/* ---- shares that become one run ---- */

/* The shares of one plan (bench --shard), which ran on several machines, as one run.
 *
 * Rows, visits, samples and stages are joined as they are, each with the host and run that it is
 * from. The kernels that the shares kept are those of the new folder. Its environment.json is that
 * of a run of the whole plan, so that `bench --resume` measures what no share has; "merged_runs"
 * holds what each share's own said. */

struct merged_shares {
    size_t total;   /* shares that the plan was dealt into */
    size_t cases;   /* of the whole plan, times repetitions */
    size_t rows;    /* of cases that have one that is final */
    bool *is_there; /* is_there[k - 1]: share k was among the runs; release with free() */
};

/* STATUS_BAD_INPUT, naming the run, before anything is written: one is no share, or of another
 * plan, sampling or kernel; two have a row of the same case; the output holds something.
 * STATUS_SYSTEM: it cannot be written. */
bool merge_runs(const char *const *runs, size_t count, const char *output, FILE *log,
                struct merged_shares *shares, struct error *error);

#endif
