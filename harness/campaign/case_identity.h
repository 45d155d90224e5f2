/*
 * case_identity — what a case is called: its name, its id, and its words in columns.
 */
#ifndef PAIRMARK_CAMPAIGN_CASE_IDENTITY_H
#define PAIRMARK_CAMPAIGN_CASE_IDENTITY_H

#include "campaign/axes/axes.h"
#include "kernels/case.h"

/* "forces/lj/all_pairs_tile/float/energy/fluid/n:16000/GROUP_SIZE=128",
 * "coordination/rational/two_groups_one_pass/float/virial/fluid/n:1001/ratio:1000:1/atomic": what
 * Google Benchmark, rows and the progress line call the case. Unique within a campaign. */
void case_name(const struct case_spec *spec, char *name, size_t size);

/* Hash of everything that decides the result and the work (not the device): joins rows of several
 * runs. */
void case_id(const struct case_spec *spec, char text[HASH_TEXT_SIZE]);

/* Appends what a case says in a column of rows.csv, where the case itself decides that: workload,
 * interaction, variant, structure, precision, outputs, reduction, launch, tunables, tuned, groups.
 * False: it does not. */
bool case_words(const struct case_spec *spec, enum column column, struct strbuf *words);

/* Gives the case one of the words that an axis knows by their numbers: precision, outputs,
 * reduction or launch. */
void case_choose(struct case_spec *spec, enum axis axis, size_t value);

/* Whether the case is another one with another word of such an axis: how sums are added up makes no
 * difference where there are none. */
bool case_depends_on(const struct case_spec *spec, enum axis axis);

#endif
