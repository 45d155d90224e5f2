#include "kernels/header/join_forces.h"

#include <stdio.h>
#include <string.h>

static bool join_passes(const struct header_reader *reader, struct variant *variant,
                        struct error *error) {
    const struct variant *of_forces = variant->forces.variant;
    struct variant_forces *forces = &variant->forces;
    if (variant->pass_count + of_forces->pass_count > VARIANT_MAX_PASSES) {
        return header_fail(reader, error, "more than %d passes with those of %s",
                           VARIANT_MAX_PASSES, of_forces->name);
    }
    struct pass *first = &variant->passes[forces->first];
    memmove(first + of_forces->pass_count, first,
            (size_t)(variant->pass_count - forces->first) * sizeof *first);
    memcpy(first, of_forces->passes, (size_t)of_forces->pass_count * sizeof *first);
    forces->count = of_forces->pass_count;
    variant->pass_count += of_forces->pass_count;
    return true;
}

/* Those of the forces come first: their passes know them by their place. */
static bool join_scratch(const struct header_reader *reader, struct variant *variant,
                         struct error *error) {
    const struct variant *of_forces = variant->forces.variant;
    if (variant->scratch_count + of_forces->scratch_count > VARIANT_MAX_SCRATCH) {
        return header_fail(reader, error, "more than %d @scratch with those of %s",
                           VARIANT_MAX_SCRATCH, of_forces->name);
    }
    memmove(variant->scratch + of_forces->scratch_count, variant->scratch,
            (size_t)variant->scratch_count * sizeof *variant->scratch);
    memcpy(variant->scratch, of_forces->scratch,
           (size_t)of_forces->scratch_count * sizeof *variant->scratch);
    variant->scratch_count += of_forces->scratch_count;
    return true;
}

/* One group size serves all kernels of a program: the integrator has none of its own. */
static bool join_tunables(const struct header_reader *reader, struct variant *variant,
                          struct error *error) {
    const struct variant *of_forces = variant->forces.variant;
    if (variant->tunable_count + of_forces->tunable_count > VARIANT_MAX_TUNABLES) {
        return header_fail(reader, error, "more than %d @tunable with those of %s",
                           VARIANT_MAX_TUNABLES, of_forces->name);
    }
    for (int t = 0; t < of_forces->tunable_count; t++) {
        for (int own = 0; own < variant->tunable_count; own++) {
            if (strcmp(variant->tunables[own].name, of_forces->tunables[t].name) == 0) {
                return header_fail(reader, error,
                                   "@tunable %s: %s, which computes the forces, has one of that "
                                   "name; expected another",
                                   of_forces->tunables[t].name, of_forces->name);
            }
        }
    }
    memcpy(&variant->tunables[variant->tunable_count], of_forces->tunables,
           (size_t)of_forces->tunable_count * sizeof *variant->tunables);
    variant->tunable_count += of_forces->tunable_count;
    return true;
}

static bool join_holds(const struct header_reader *reader, struct variant *variant,
                       struct error *error) {
    const struct variant *of_forces = variant->forces.variant;
    if (variant->holds_count + of_forces->holds_count > VARIANT_MAX_HOLDS) {
        return header_fail(reader, error, "more than %d @holds with those of %s", VARIANT_MAX_HOLDS,
                           of_forces->name);
    }
    memcpy(&variant->holds[variant->holds_count], of_forces->holds,
           (size_t)of_forces->holds_count * sizeof *variant->holds);
    variant->holds_count += of_forces->holds_count;
    return true;
}

/* Particles of an open box may leave the bounds that a structure was made for. */
static void join_words(struct variant *variant) {
    const struct variant *of_forces = variant->forces.variant;
    const bool bound = strcmp(of_forces->structure, "none") != 0;
    char name[VARIANT_NAME_SIZE];
    (void)snprintf(name, sizeof name, "%.*s+%.*s", (int)(sizeof name / 2 - 1), variant->name,
                   (int)(sizeof name / 2 - 1), of_forces->name);
    memcpy(variant->name, name, sizeof name);
    memcpy(variant->structure, of_forces->structure, sizeof variant->structure);
    memcpy(variant->accumulated, of_forces->accumulated, sizeof variant->accumulated);
    variant->accumulates = of_forces->accumulates;
    variant->accepts_open = variant->accepts_open && of_forces->accepts_open && !bound;
    variant->accepts_periodic = variant->accepts_periodic && of_forces->accepts_periodic;
    variant->accepts_triclinic = variant->accepts_triclinic && of_forces->accepts_triclinic;
    variant->needs_cuda = variant->needs_cuda || of_forces->needs_cuda;
}

/* What has no meaning without steps, or beside the words of the forces. */
static bool check_words(const struct header_reader *reader, const struct variant *variant,
                        struct error *error) {
    const bool has_steps = variant->workload->forces_of != NULL;
    if (!has_steps) {
        return (variant->forces.name_count == 0 && !*variant->integrator && !*variant->thermostat &&
                !*variant->fills) ||
               header_fail(reader, error,
                           "@forces, @integrator, @thermostat and @fills are of time steps; "
                           "workload %s has none",
                           variant->workload->name);
    }
    if (variant->language != LANGUAGE_DIALECT) {
        return header_fail(reader, error, "workload %s is written in the dialect, in a file .cl",
                           variant->workload->name);
    }
    if (variant->forces.name_count == 0 || !*variant->integrator) {
        return header_fail(reader, error,
                           "workload %s: expected @forces VARIANT and @integrator NAME",
                           variant->workload->name);
    }
    return (!*variant->structure && !variant->accumulates) ||
           header_fail(reader, error,
                       "@structure and @accumulates are those of the variant that @forces names");
}

bool join_forces_check(const struct header_reader *reader, const struct variant *variant,
                       struct error *error) {
    return check_words(reader, variant, error) &&
           (!variant->workload->forces_of || variant->kth < variant->forces.name_count ||
            header_fail(reader, error, "@forces names %d", variant->forces.name_count));
}

bool join_forces(const struct header_reader *reader, struct variant *variant, struct error *error) {
    if (!variant->forces.variant) {
        return true;
    }
    if (!join_passes(reader, variant, error) || !join_scratch(reader, variant, error) ||
        !join_tunables(reader, variant, error) || !join_holds(reader, variant, error)) {
        return false;
    }
    join_words(variant);
    return true;
}
