/*
 * kernel_text — the text that a case is compiled from: definitions, words, interaction, structure,
 * variant, in that order.
 */
#ifndef PAIRMARK_KERNELS_TEXT_KERNEL_TEXT_H
#define PAIRMARK_KERNELS_TEXT_KERNEL_TEXT_H

#include "core/strings.h"
#include "devices/device.h"
#include "kernels/case.h"

/* A tunable by which the pair function of a sum is one of its terms alone, for conditioning.cl. */
#define KERNEL_TEXT_TERM "JUDGED_TERM"

/* What a build of a variant computes. */
enum build_kind {
    BUILD_PLAIN,   /* the outputs that the case asks for */
    BUILD_COUNTING /* forces, and how many distances and pairs each work-item met */
};

/* How many sums besides the forces a build yields: 0, 1 (energy), 7 (energy, six of the virial), 2
 * (counts); one more with energies where van der Waals and Coulomb come apart, the latter last. */
int kernel_text_sums(const struct case_spec *spec, enum build_kind build);

/* Whether the text shuffles, so that it needs warps: for its sums, or by the variant's own
 * words. */
bool kernel_text_shuffles(const struct case_spec *spec);

/* Whether an embedded text is one that cases on a device of this kind may be compiled with,
 * whatever their variant and interaction: words, structures, the dialect's prelude. */
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

/* Whether the variant can be compiled for a case on the device, by what its header says:
 * STATUS_UNSUPPORTED with the reason. */
bool kernel_text_check(const struct case_spec *spec, const struct device_info *info,
                       struct error *error);

/* Appends the whole text below the dialect's prelude. groups_overlap: two groups share a particle.
 * Check text->failed. */
void kernel_text_append(const struct case_spec *spec, enum build_kind build, bool periodic,
                        bool with_cutoff, bool groups_overlap, struct strbuf *text);

#endif
