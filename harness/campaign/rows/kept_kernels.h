/*
 * kept_kernels — the kernel texts that a run's folder keeps, so that its rows can be made again
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
 * One folder has one text of each kernel: its rows are comparable.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_KEPT_KERNELS_H
#define PAIRMARK_CAMPAIGN_ROWS_KEPT_KERNELS_H

#include "campaign/plan/plan.h"
#include "devices/device.h"

struct kept_kernel {
    char *file, *source, *text;
    bool is_written; /* in the folder, and on its list */
};

struct kept_kernels {
    struct kept_kernel *items;
    size_t count;
};

/* What the folder keeps; nothing where there is no list: the folder is new, or older than lists.
 * STATUS_BAD_INPUT: the list is no such list, a text is missing, or another than was listed. */
bool kept_kernels_read(const char *folder, struct kept_kernels *kept, struct error *error);
/* That of the name; NULL: none. */
struct kept_kernel *kept_kernels_find(const struct kept_kernels *kept, const char *file);
void kept_kernels_free(struct kept_kernels *kept); /* also of a zeroed one */

/* Puts what is kept of built-in texts in their place (embedded_replace), for the whole program. */
bool kept_kernels_use(const struct kept_kernels *kept, struct error *error);

/* Turns the files of --variant-file, --table, --exclude and bonded terms that are kept, by the
 * paths that they were given by, into those of the folder. */
bool kept_kernels_point(const struct kept_kernels *kept, const char *folder, struct axes *axes,
                        struct error *error);

/* Takes in what cases on a device of this kind share, and what a case is compiled from besides.
 * STATUS_BAD_INPUT, naming both: the folder keeps another text of that name. */
bool kept_kernels_take_shared(struct kept_kernels *kept, const char *folder, enum device_class kind,
                              struct error *error);
bool kept_kernels_take_case(struct kept_kernels *kept, const char *folder,
                            const struct case_spec *spec, struct error *error);

/* Takes in the file of --table, --exclude or bonded terms (`what`: "table", "exclusions", the name
 * of a bonded_form). Files of other content stand beside each other: they make other interactions.
 * STATUS_BAD_INPUT: it cannot be read. */
bool kept_kernels_take_input(struct kept_kernels *kept, const char *folder, const char *what,
                             const char *path, struct error *error);

/* Writes the texts that are new, then the list. A file that is there and on no list is not written
 * over: STATUS_BAD_INPUT. STATUS_SYSTEM. */
bool kept_kernels_write(struct kept_kernels *kept, const char *folder, struct error *error);

#endif
