#include "kernels/memory_needs.h"

#include "boxes/box.h"
#include "core/host.h"
#include "core/strings.h"
#include "kernels/bindings.h"
#include "kernels/launch.h"
#include "kernels/structure.h"

#include <math.h>
#include <string.h>

enum { WORDS_SIZE = 32 };

/* Two sizes in words. */
struct sizes {
    char needed[WORDS_SIZE];
    char there[WORDS_SIZE];
};

/* Whether there is as much; where not, both in words. */
static bool suffices(double needed, double there, struct sizes *sizes) {
    if (needed <= there) {
        return true;
    }
    memory_words(needed, sizes->needed, sizeof sizes->needed);
    memory_words(there, sizes->there, sizeof sizes->there);
    return false;
}

bool memory_can_hold(const char *option, double n, int bytes_per_particle, struct error *error) {
    struct sizes sizes;
    if (suffices(n * bytes_per_particle, (double)memory_most(), &sizes)) {
        return true;
    }
    return fail(error, STATUS_BAD_INPUT,
                "%s: %.15g particles need about %s of host memory (%d bytes per particle); this "
                "process can have %s",
                option, n, sizes.needed, bytes_per_particle, sizes.there);
}

bool memory_on_host(size_t n, size_t spare, struct error *error) {
    struct sizes sizes;
    if (suffices((double)n * HOST_BYTES_OF_CASE, (double)memory_available() + (double)spare,
                 &sizes)) {
        return true;
    }
    return fail(error, STATUS_OUT_OF_MEMORY,
                "%zu particles need about %s of host memory (%d bytes per particle); %s are "
                "available",
                n, sizes.needed, HOST_BYTES_OF_CASE, sizes.there);
}

static double position_bytes(enum precision precision) {
    return 4.0 * (double)format_bytes(precision_numeric(precision).position);
}

static double result_bytes(enum precision precision) {
    const double numbers = 4.0 * (double)format_bytes(precision_numeric(precision).accumulation);
    return precision == PRECISION_FIXED ? 2.0 * numbers : numbers; /* as planes, and as results */
}

/* Device memory per particle that a structure and all below it keep, about. */
static double structure_bytes_per_particle(const struct structure_class *structure,
                                           double position_bytes,
                                           const struct structure_estimate *estimate) {
    double bytes = 0;
    for (; structure; structure = structure->needs) {
        const double more =
            structure->more_ints_per_particle ? structure->more_ints_per_particle(estimate) : 0;
        bytes += structure->positions_per_particle * position_bytes +
                 (structure->ints_per_particle + more) * (double)sizeof(int32_t);
    }
    return bytes;
}

/* What one evaluation has: positions, results, and what the structure keeps. */
static double evaluation_bytes(const struct structure_class *structure, enum precision precision,
                               const struct case_spec *spec) {
    const double position = position_bytes(precision);
    const double given = spec->box.density;
    const struct structure_estimate estimate = {
        .n = (double)spec->box.n,
        .density = *spec->box.path ? NAN
                   : given > 0     ? given
                                   : box_default_density(spec->box.kind),
        .cutoff = cutoff_in(spec->cutoff, spec->box.open, NAN),
        .tunings = &spec->tunings
    };
    return position + result_bytes(precision) +
           structure_bytes_per_particle(structure, position, &estimate);
}

/* Particles are known; of other units there is one at least. */
static bool min_units(const void *context, const char *unit, size_t *count) {
    const struct case_spec *spec = context;
    const bool particles = begins_with(unit, "particle") || strcmp(unit, "draw") == 0;
    *count = particles ? (size_t)spec->box.n : 1;
    return bindings_have_unit(spec->variant, unit);
}

/* What the variant's kernels have to themselves, at least. A size that cannot be is refused where
 * it is allocated. */
static double scratch_bytes(const struct case_spec *spec) {
    const struct variant *variant = spec->variant;
    double bytes = 0;
    for (int s = 0; s < variant->scratch_count; s++) {
        const struct scratch_buffer *scratch = &variant->scratch[s];
        const size_t each = scratch_element_bytes(scratch, precision_numeric(spec->precision));
        struct error ignored;
        size_t count = 0;
        if (scratch_count(scratch, &spec->tunings, min_units, spec, &count, &ignored)) {
            bytes += (double)count * (double)each;
        }
    }
    return bytes;
}

/* And what timed launches are judged by: positions in another order, and the results expected. */
static double case_bytes(const struct case_spec *spec) {
    const double scratch = spec->box.n > 0 ? scratch_bytes(spec) / (double)spec->box.n : 0;
    if (spec->variant->workload->bytes) {
        return spec->variant->workload->bytes(spec) + scratch;
    }
    return evaluation_bytes(spec->variant->structure_class, spec->precision, spec) +
           position_bytes(spec->precision) + result_bytes(spec->precision) + scratch;
}

static bool device_suffices(double n, double bytes_per_particle, const char *what,
                            const struct device_info *info, struct error *error) {
    struct sizes sizes;
    if (info->memory_bytes == 0 ||
        suffices(n * bytes_per_particle, (double)info->memory_bytes, &sizes)) {
        return true;
    }
    return fail(error, STATUS_OUT_OF_MEMORY,
                "%.15g particles need about %s of device memory %s (%.0f bytes per particle); %s "
                "has %s",
                n, sizes.needed, what, bytes_per_particle, info->name, sizes.there);
}

bool memory_on_device(const struct case_spec *spec, const struct device_info *info,
                      bool with_double, struct error *error) {
    const double n = (double)spec->box.n;
    return device_suffices(n, case_bytes(spec), "for this variant", info, error) &&
           (!with_double ||
            device_suffices(
                n, evaluation_bytes(structure_find("sorted_cells"), PRECISION_DOUBLE, spec),
                "to be judged by kernels in double", info, error));
}
