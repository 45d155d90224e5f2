#include "kernels/header/header_parts.h"

#include "core/error.h"
#include "kernels/bindings.h"
#include "kernels/launch.h"
#include "kernels/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the names in a count mean shows when the whole header is known. with_types: the name of a
 * type stands for the bytes of an element. */
static bool check_count(const struct header_reader *reader, const struct variant *variant,
                        const char *what, const struct count *count, bool with_types) {
    for (int f = 0; f < count->factor_count; f++) {
        const char *name = count->factors[f].name;
        if (*name && !bindings_have_unit(variant, name) && !variant_has_tunable(variant, name) &&
            !(with_types && scratch_type_bytes(name, precision_numeric(PRECISION_FLOAT)) > 0)) {
            struct strbuf units = { 0 };
            bindings_list_units(variant, &units);
            (void)header_fail(reader,
                              "%s: \"%s\" is no launch unit and no @tunable; expected one of %s, "
                              "a tunable or a number",
                              what, name, strbuf_text(&units));
            strbuf_free(&units);
            return false;
        }
    }
    return true;
}

static bool check_launch(const struct header_reader *reader, const struct variant *variant,
                         const struct pass *pass) {
    const struct launch_grid *launch = pass->launch;
    char what[VARIANT_NAME_SIZE + sizeof "@pass "];
    (void)snprintf(what, sizeof what, "@pass %s", pass->kernel);
    bool good = check_count(reader, variant, what, &launch->shared, true);
    for (int d = 0; good && d < LAUNCH_DIMENSIONS; d++) {
        good = check_count(reader, variant, what, &launch->grid[d], false) &&
               check_count(reader, variant, what, &launch->block[d], false) &&
               check_count(reader, variant, what, &launch->cluster[d], false);
    }
    return good;
}

/* The grid and its spectrum are the variant's own, of numbers that sums are of. */
static bool check_transform(const struct header_reader *reader, const struct variant *variant,
                            struct pass *pass) {
    if (!workload_has_word(variant->workload, "@transform")) {
        return header_fail(reader, "@transform: workload %s has no grid", variant->workload->name);
    }
    if (pass->of_planes != (strcmp(pass->arguments[0], pass->arguments[1]) == 0)) {
        return header_fail(reader, "@transform %s: planes are transformed in place, a grid is not",
                           pass->kernel);
    }
    for (int p = 0; p < variant->pass_count; p++) {
        const struct pass *other = &variant->passes[p];
        if (other->transform != TRANSFORM_NONE && other->of_planes != pass->of_planes) {
            return header_fail(reader, "@transform: expected planes in all of them, or in none");
        }
    }
    for (int a = 0; a < pass->argument_count; a++) {
        struct binding binding;
        if (!binding_find(variant, pass->arguments[a], &binding) ||
            binding.source != BINDING_SCRATCH ||
            strcmp(variant->scratch[binding.scratch].type, "accum") != 0) {
            return header_fail(reader, "@transform %s %s: expected the name of a @scratch of accum",
                               pass->kernel, pass->arguments[a]);
        }
        pass->scratch_taken |= 1U << binding.scratch;
        pass->scratch_written |= 1U << binding.scratch;
    }
    return true;
}

/* What one pass names must exist: its unit, its tunables, its kernel, the kernel's parameters. */
static bool check_pass(const struct header_reader *reader, const char *plain,
                       struct variant *variant, struct pass *pass) {
    if (pass->transform != TRANSFORM_NONE) {
        return check_transform(reader, variant, pass);
    }
    if (pass->launch) {
        return check_launch(reader, variant, pass) &&
               arguments_parse(reader->path, plain, variant, pass, reader->error);
    }
    if (!bindings_have_unit(variant, pass->unit)) {
        struct strbuf choices = { 0 };
        bindings_list_units(variant, &choices);
        (void)header_fail(reader, "@pass %s: structure %s has no unit \"%s\"; expected one of %s",
                          pass->kernel, variant->structure, pass->unit, strbuf_text(&choices));
        strbuf_free(&choices);
        return false;
    }
    const char *const tunables[] = { pass->divisor, pass->multiplier };
    for (int i = 0; i < 2; i++) {
        if (*tunables[i] && !variant_has_tunable(variant, tunables[i])) {
            return header_fail(reader,
                               "@pass %s names %s; expected a @tunable of that name (a number is "
                               "a tunable of one value)",
                               pass->kernel, tunables[i]);
        }
    }
    return arguments_parse(reader->path, plain, variant, pass, reader->error);
}

/* Those of the forces were checked in their own file. */
static bool check_passes(const struct header_reader *reader, struct variant *variant) {
    char *plain = arguments_text(variant);
    bool good = plain || fail_out_of_memory(reader->error, reader->path);
    for (int i = 0; good && i < variant->pass_count; i++) {
        good = pass_is_of_forces(variant, i) ||
               check_pass(reader, plain, variant, &variant->passes[i]);
    }
    free(plain);
    return good;
}

/* What a name means shows when the whole header is known. */
static bool check_scratch(const struct header_reader *reader, const struct variant *variant,
                          const struct scratch_buffer *scratch) {
    struct binding binding;
    if (bindings_look_up(variant, scratch->name, &binding) ||
        variant_has_tunable(variant, scratch->name)) {
        return header_fail(reader,
                           "@scratch %s: a parameter or a tunable has that name; expected another",
                           scratch->name);
    }
    char what[VARIANT_NAME_SIZE + sizeof "@scratch "];
    (void)snprintf(what, sizeof what, "@scratch %s", scratch->name);
    return check_count(reader, variant, what, &scratch->count, false);
}

/* What a box may be for a look at the sign of what @holds comes to. */
static bool find_sample(const void *context, const char *name, double *value) {
    const struct variant *variant = context;
    struct tunings presets;
    const bool is_tunable = variant_has_tunable(variant, name);
    tunings_preset(variant, &presets);
    *value = is_tunable ? tunings_value(&presets, name, 0) : 1;
    /* Added after the header where it says none. */
    *value = !is_tunable && strcmp(name, "GROUP_SIZE") == 0 ? 128 : *value;
    return is_tunable || holds_is_quantity(name) || strcmp(name, "GROUP_SIZE") == 0;
}

static bool check_holding(const struct header_reader *reader, const struct variant *variant,
                          const struct holding *holding) {
    double value = 0;
    struct error reason;
    if (!variant_has_tunable(variant, holding->tunable)) {
        return header_fail(reader, "@holds %s: expected a @tunable of that name", holding->tunable);
    }
    if (!holds_value(holding->words, find_sample, variant, &value, &reason)) {
        return header_fail(reader, "@holds %s: %s", holding->tunable, reason.message);
    }
    return (isfinite(value) && value > 0) ||
           header_fail(reader,
                       "@holds %s: it comes to %.6g where n, density and cutoff are 1 and tunables "
                       "are at their presets; expected a number above 0",
                       holding->tunable, value);
}

static bool check_nulls(const struct header_reader *reader, const struct variant *variant) {
    struct binding binding;
    for (int i = 0; i < variant->null_count; i++) {
        if (!binding_find(variant, variant->nulls[i], &binding) || binding.source != BINDING_NULL) {
            return header_fail(reader, "@null %s: something else has that name; expected another",
                               variant->nulls[i]);
        }
    }
    return true;
}

/* A word that some workloads need and the others have no use for. */
struct workload_word {
    const char *word, *which, *lacking;
};

static bool check_word(const struct header_reader *reader, const struct workload *workload,
                       const struct workload_word *word, bool stands) {
    const bool needed = workload_has_word(workload, word->word);
    if (needed && !stands) {
        return header_fail(reader, "@workload %s: of which %s", workload->name, word->which);
    }
    return needed || !stands ||
           header_fail(reader, "%s: workload %s %s", word->word, workload->name, word->lacking);
}

bool variant_check_workload(const struct header_reader *reader, const struct variant *variant) {
    const struct workload *workload = variant->workload;
    if (!workload) {
        return header_refuse_workload(reader, NULL);
    }
    static const struct workload_word groups = { "@groups",
                                                 "groups? expected @groups one, two or pairs",
                                                 "takes no groups" };
    static const struct workload_word generator = {
        "@generator", "generator? expected @generator philox4x32-10, xorshift128 or kiss",
        "draws nothing"
    };
    if (!check_word(reader, workload, &groups, variant->names_groups) ||
        !check_word(reader, workload, &generator, variant->generator != GENERATOR_NONE)) {
        return false;
    }
    const char *refusal = workload->refuse_variant ? workload->refuse_variant(variant) : NULL;
    if (refusal) {
        return header_fail(reader, "workload %s %s", workload->name, refusal);
    }
    return !generator_has_streams(variant->generator) ||
           variant_has_tunable(variant, STREAMS_TUNABLE) ||
           header_fail(reader,
                       "@generator %s: how many streams? expected a @tunable " STREAMS_TUNABLE,
                       variant->generator == GENERATOR_KISS ? "kiss" : "xorshift128");
}

/* Fills in the parameter by which the kernels write the result: one of those that the workload has
 * for it, the same in all passes. */
static bool find_result(const struct header_reader *reader, struct variant *variant) {
    const struct workload_field *field = workload_result(variant->workload);
    if (!field->parameters[0].name) { /* computed by the harness */
        variant->result = &field->parameters[0];
    }
    for (int p = 0; p < variant->pass_count; p++) {
        for (int a = 0; a < variant->passes[p].argument_count; a++) {
            const struct workload_parameter *parameter =
                binding_result(variant, variant->passes[p].arguments[a]);
            if (parameter && variant->result && parameter != variant->result) {
                return header_fail(reader,
                                   "kernels write %s and %s; expected one of them in all passes",
                                   variant->result->name, parameter->name);
            }
            variant->result = parameter ? parameter : variant->result;
        }
    }
    if (!variant->result) {
        return header_fail(reader,
                           "no kernel takes what workload %s computes; expected a parameter %s",
                           variant->workload->name, field->parameters[0].name);
    }
    const char *written = variant->result->name;
    return !variant->accumulates || variant->forces.variant || !written ||
           strcmp(variant->accumulated, written) == 0 ||
           header_fail(reader,
                       "@accumulates %s: kernels write no such array; expected @accumulates %s",
                       variant->accumulated, written);
}

/* What steps fill is what their forces walk, can be filled, and is built in each step. */
static bool check_fills(const struct header_reader *reader, const struct variant *variant) {
    const struct structure_class *structure = variant->structure_class;
    if (!*variant->fills) {
        return true;
    }
    if (strcmp(variant->fills, variant->structure) != 0 || !structure || !structure->clear) {
        return header_fail(reader,
                           "@fills %s: expected the structure that the forces walk, %s here, and "
                           "one that can be filled: linked_cells",
                           variant->fills, variant->structure);
    }
    if (*variant->fills_where && !variant_has_tunable(variant, variant->fills_where)) {
        return header_fail(reader, "@fills %s %s: expected a @tunable of that name", variant->fills,
                           variant->fills_where);
    }
    return !variant_rebuilds(variant) ||
           header_fail(reader,
                       "@fills %s: the forces have passes that do not run in every step, which a "
                       "structure is built for",
                       variant->fills);
}

bool variant_check(const struct header_reader *reader, struct variant *variant) {
    if (!*variant->structure) {
        return header_fail(reader,
                           "the header names no structure; expected @structure none or another");
    }
    if (variant->groups == GROUPS_PAIRS && strcmp(variant->structure, "none") != 0) {
        return header_fail(
            reader, "@groups pairs lists the pairs that there are; expected @structure none");
    }
    if (variant->pass_count == 0) {
        return header_fail(reader, "the header names no pass; expected @pass KERNEL item per "
                                   "particle or another");
    }
    if (variant->tunable_count == VARIANT_MAX_TUNABLES &&
        !variant_has_tunable(variant, "GROUP_SIZE")) {
        return header_fail(reader, "more than %d tunables besides GROUP_SIZE",
                           VARIANT_MAX_TUNABLES - 1);
    }
    const int of_forces = variant->forces.variant ? variant->forces.variant->scratch_count : 0;
    for (int i = of_forces; i < variant->scratch_count; i++) {
        if (!check_scratch(reader, variant, &variant->scratch[i])) {
            return false;
        }
    }
    for (int i = 0; i < variant->holds_count; i++) {
        if (!check_holding(reader, variant, &variant->holds[i])) {
            return false;
        }
    }
    if (!check_nulls(reader, variant) || !check_fills(reader, variant)) {
        return false;
    }
    return check_passes(reader, variant) && schedule_check(variant, reader->error) &&
           find_result(reader, variant);
}
