/*
 * kernel_text — the text that a case is compiled from: definitions, words, interaction,
 * structure, variant, in that order.
 */
#ifndef PAIRMARK_KERNELS_TEXT_KERNEL_TEXT_H
#define PAIRMARK_KERNELS_TEXT_KERNEL_TEXT_H

#include "core/strings.h"
#include "devices/device.h"
#include "kernels/case.h"

#include <stdbool.h>

/* What a build of a variant computes. */
enum build_kind {
    BUILD_PLAIN,   /* the outputs that the case asks for */
    BUILD_COUNTING /* forces, and how many distances and pairs each work-item met */
};

/* How many sums besides the forces a build yields: 0, 1 (energy), 7 (energy and six of the virial)
 * or 2 (counts). One more where the energies of van der Waals and Coulomb are separate: Coulomb is
 * last. */
int kernel_text_sums(const struct case_spec *spec, enum build_kind build);

/* The size of the sub-groups whose shuffles the text uses on the device: that of its @warps or,
 * without that line, of its words. 0: it does not shuffle, or the device has none of that size. */
int kernel_text_warp_size(const struct case_spec *spec, const struct device_info *info);

/* Whether an embedded text is part of the cases on a device of this kind, whatever the variant and
 * interaction: words, structures, the prelude of the dialect. */
bool kernel_text_is_shared(const char *path, enum device_class kind);

/* What a program is compiled for, besides the case. */
struct kernel_build {
    enum build_kind kind;
    bool periodic, triclinic; /* the box */
    bool with_cutoff;
    bool groups_overlap; /* two groups share a particle */
    bool never_halts;    /* of time steps: kernels never exit early */
};

/* Compiles the text of a case. Errors as program_compile(). */
bool kernel_text_compile(struct device *device, const struct case_spec *spec,
                         const struct kernel_build *build, struct program **program,
                         struct error *error);

/* Whether the header of the variant allows it to be compiled for a case on the device:
 * STATUS_UNSUPPORTED with the reason. */
bool kernel_text_check(const struct case_spec *spec, const struct device_info *info,
                       struct error *error);

/* Appends the whole text below the dialect's prelude. groups_overlap: two groups share a particle.
 * Check text->failed. */
void kernel_text_append(const struct case_spec *spec, enum build_kind build, bool periodic,
                        bool with_cutoff, bool groups_overlap, struct strbuf *text);

/* ---- words ---- */

/* Appends the words of an embedded text. */
void kernel_text_append_file(const char *path, struct strbuf *text);
/* Appends the words that a variant of the dialect finds before its own text where there are
 * particles: box, pairs, interaction, structure. A member of struct workload. */
void kernel_text_append_words(const struct case_spec *spec, struct strbuf *text);
/* The same with an embedded text of the workload's own before the interaction; NULL: none. */
void kernel_text_append_words_with(const struct case_spec *spec, const char *own,
                                   struct strbuf *text);

/* ---- sums ---- */

/* How energies, virials and counts become one number each. Every group of a launch adds up those of
 * its work-items; the method adds up the groups. */
struct sum_method {
    bool in_place; /* groups add to the sums, which begin as zero; else each has its own place in
                      the partial sums, and `add` adds these up */
    bool by_warps; /* groups shuffle */
    /* What the device lacks for the method, in words; NULL: nothing. */
    const char *(*lacks)(const struct device_info *info, bool sums_are_double);
    /* As device_sum(); NULL where sums are in place. */
    bool (*add)(struct device *device, const struct summands *summands, struct buffer *out,
                struct error *error);
};

/* The method of the case; counts, which have no such axis, use the first. */
const struct sum_method *sum_method_of(const struct case_spec *spec);
const struct sum_method *sum_method_of_counts(void);

/* STATUS_UNSUPPORTED: the device lacks something for it. */
bool sum_method_check(const struct sum_method *method, const struct device_info *info,
                      bool sums_are_double, struct error *error);

/* Appends the definitions that kernels see. */
void sum_method_define(const struct sum_method *method, size_t boxes, struct strbuf *text);

/* ---- early exit ---- */

/*
 * Kernels of time steps exit early once the list has expired.
 *
 * Several steps are enqueued at a time. When one of them finds that the list has expired, the state
 * must not change until the list is built again. So every kernel of the integrator and of the
 * forces gets parameters after its own, and begins by testing them. Those of the forces get
 * `step_halted`. Those of the integrator also get what LOOK_HOW_FAR reads: each particle's position
 * when the list was built, how far it may be from there, and the number of the step in the run. If
 * the list expires in a kernel's own step, all of that kernel runs, also its work-groups that begin
 * later.
 */

enum early_exit_kind { EARLY_EXIT_FORCES, EARLY_EXIT_INTEGRATOR };

/* Appends kernels of the dialect, each with these parameters after its own, and with a test as its
 * first statement: STEP_HALTS, of integrators STEP_HALTS_BEFORE. Line numbers stay the same. */
void early_exit_append(struct strbuf *text, enum early_exit_kind kind, const char *kernels);

/* Defines these statements and LOOK_HOW_FAR. Where STEP_HALTS is defined, all are empty. */
void early_exit_append_words(struct strbuf *text);

/* Whether an integrator's own kernels use LOOK_HOW_FAR. */
bool early_exit_looks_how_far(const char *kernels);

/* ---- pieces, for the files of this folder ---- */

/* The pair function of a case and what it is compiled by (interaction_text.c). */
/* Macros, for in front of the words of pairs: types, exclusions, values of particles; parameters
 * and cutoffs of functions that have no types; where functions are switched off. */
void interaction_text_define(const struct case_spec *spec, struct strbuf *text);
/* The functions and what calls them, to stand after the words of pairs. */
void interaction_text_append(const struct case_spec *spec, struct strbuf *text);

#endif
