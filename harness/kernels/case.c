#include "kernels/case.h"

#include "boxes/box.h"
#include "core/host.h"
#include "core/strings.h"
#include "kernels/bindings.h"
#include "kernels/launch.h"
#include "kernels/potentials/type_table.h"
#include "kernels/structure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const distribution_names[] = { "uniform", "gaussian", "words", "kick", NULL };
const char *const list_form_names[] = { "matrix", "csr", "coo", NULL };
const char *const list_pairs_names[] = { "full", "half", NULL };
const char *const list_entries_names[LIST_ENTRY_WORDS + 1] = { "indices",
                                                               "shifts",
                                                               "shifts8",
                                                               "vectors",
                                                               "shifts+vectors",
                                                               "shifts8+vectors",
                                                               "distances",
                                                               "shifts+distances",
                                                               "shifts8+distances",
                                                               "vectors+distances",
                                                               "shifts+vectors+distances",
                                                               "shifts8+vectors+distances" };

double box_spec_density(const struct box_spec *box) {
    return box->density > 0 ? box->density : box_default_density(box->kind);
}

int case_tunable_count(const struct case_spec *spec) {
    return spec->variant->tunable_count + spec->interaction.tunable_count +
           interaction_has_types(&spec->interaction);
}

const struct tunable *case_tunable(const struct case_spec *spec, int index) {
    const int of_interaction = index - spec->variant->tunable_count;
    if (of_interaction < 0) {
        return &spec->variant->tunables[index];
    }
    return of_interaction < spec->interaction.tunable_count
               ? &spec->interaction.tunables[of_interaction]
               : &type_table_tunable;
}

const struct tunable *case_find_tunable(const struct case_spec *spec, const char *name) {
    for (int t = 0; t < case_tunable_count(spec); t++) {
        const struct tunable *tunable = case_tunable(spec, t);
        if (strcmp(tunable->name, name) == 0) {
            return tunable;
        }
    }
    return NULL;
}

/* NaN for a box in a file: its cell is not known before it is read. */
static double half_height(const struct box_spec *box) {
    return *box->path
               ? NAN
               : box_least_height(box->kind, box_spec_least(box), box->density, box->periodic) / 2;
}

static bool find_quantity(const void *context, const char *name, double *value) {
    const struct case_spec *spec = context;
    const struct box_spec *box = &spec->box;
    if (strcmp(name, "n") == 0) {
        *value = (double)box->n;
    } else if (strcmp(name, "particles_per_box") == 0) {
        *value = (double)box_spec_share(box);
    } else if (strcmp(name, "density") == 0) {
        *value = !*box->path             ? box_spec_density(box)
                 : box->read_density > 0 ? box->read_density
                                         : NAN;
    } else if (strcmp(name, "cutoff") == 0) {
        *value = cutoff_in(spec->cutoff, box->open, half_height(box));
    } else {
        *value = tunings_value(&spec->tunings, name, 0);
        return variant_has_tunable(spec->variant, name);
    }
    return true;
}

/* NaN where the box's quantities are not known. */
static double value_needed(const struct case_spec *spec, const struct holding *holding) {
    struct error ignored; /* the header was read by the same words */
    double need = NAN;
    return holds_value(holding->words, find_quantity, spec, &need, &ignored) ? need : NAN;
}

void case_hold_tunings(struct case_spec *spec, const bool named[TUNINGS_MAX]) {
    const struct variant *variant = spec->variant;
    for (int h = 0; h < variant->holds_count; h++) {
        const double need = value_needed(spec, &variant->holds[h]);
        for (int t = 0; need > 0 && t < variant->tunable_count; t++) {
            if (!named[t] && strcmp(variant->tunables[t].name, variant->holds[h].tunable) == 0) {
                spec->tunings.items[t].value = holds_choose(&variant->tunables[t], need);
            }
        }
    }
}

const struct tuning *case_short_tuning(const struct case_spec *spec, int *needed) {
    for (int h = 0; h < spec->variant->holds_count; h++) {
        const double need = ceil(value_needed(spec, &spec->variant->holds[h]));
        for (int t = 0; t < spec->tunings.count; t++) {
            const struct tuning *tuning = &spec->tunings.items[t];
            if (strcmp(tuning->name, spec->variant->holds[h].tunable) == 0 &&
                tuning->value < need) {
                *needed = need < VARIANT_LARGEST_VALUE ? (int)need : VARIANT_LARGEST_VALUE;
                return tuning;
            }
        }
    }
    return NULL;
}

void case_preset_tunings(struct case_spec *spec) {
    static const bool named[TUNINGS_MAX] = { false };
    tunings_preset(spec->variant, &spec->tunings);
    for (int t = spec->tunings.count; t < case_tunable_count(spec); t++) {
        const struct tunable *tunable = case_tunable(spec, t);
        struct tuning *added = &spec->tunings.items[spec->tunings.count++];
        memcpy(added->name, tunable->name, sizeof added->name);
        added->value = tunable->preset;
    }
    case_hold_tunings(spec, named);
}

/* "SKIN=20", of `length` characters. */
static bool set_tuning(struct case_spec *spec, const char *word, size_t length,
                       bool named[TUNINGS_MAX], struct error *error) {
    char name[VARIANT_NAME_SIZE + 16];
    uint64_t value = 0;
    (void)snprintf(name, sizeof name, "%.*s", (int)length, word);
    char *equals = strchr(name, '=');
    if (length >= sizeof name || !equals || !parse_count(equals + 1, &value)) {
        return fail(error, STATUS_BAD_INPUT, "tunables: '%s'; expected NAME=NUMBER", name);
    }
    *equals = '\0';
    const int place = tunings_place(&spec->tunings, name);
    if (place >= 0) {
        spec->tunings.items[place].value = (int)value;
        named[place] = true;
        return tunable_check(case_tunable(spec, place), place < spec->variant->tunable_count,
                             (double)value, error);
    }
    char known[TUNINGS_WORDS_SIZE];
    tunings_describe(&spec->tunings, known, sizeof known);
    return fail(error, STATUS_BAD_INPUT, "tunables: %s has no %s; it has %s", spec->variant->name,
                name, known);
}

bool case_set_tunings(struct case_spec *spec, const char *words, struct error *error) {
    static const char between[] = " ,\t\n";
    bool named[TUNINGS_MAX] = { false };
    const char *word = words ? words : "";
    case_preset_tunings(spec);
    for (word += strspn(word, between); *word; word += strspn(word, between)) {
        const size_t length = strcspn(word, between);
        if (!set_tuning(spec, word, length, named, error)) {
            return false;
        }
        word += length;
    }
    case_hold_tunings(spec, named);
    return true;
}

bool case_computes_more_pairs(const struct case_spec *spec, size_t particles) {
    const struct workload *workload = spec->variant->workload;
    return strcmp(spec->variant->structure, "none") == 0 && workload->all_pairs_exceed &&
           workload->all_pairs_exceed(spec, particles);
}

/* How many images of each pair an all-pairs kernel tests at a cutoff of so many edges: one, the
 * nearest, where the cutoff is short. */
static double count_images(const struct case_spec *spec, double edges) {
    const char *axes = spec->box.open ? "" : *spec->box.periodic ? spec->box.periodic : "xyz";
    return spec->variant->workload->meets_images ? pow(2 * ceil(edges) + 1, (double)strlen(axes))
                                                 : 1;
}

struct case_pairs case_count_pairs(const struct case_spec *spec) {
    if (!spec->variant->workload->all_pairs_exceed) {
        return (struct case_pairs){ 0, 0 }; /* terms or draws, which are as many as particles */
    }
    const double n = (double)spec->box.n, share = (double)box_spec_share(&spec->box);
    const double density = box_spec_density(&spec->box);
    const double half = 0.5 * cbrt(share / density);
    const double reach = cutoff_in(spec->cutoff, spec->box.open, half);
    const bool all = strcmp(spec->variant->structure, "none") == 0;
    const double inside = box_is_of_kind(spec->box.kind, "droplets") ? fmax(density, 1) : density;
    double neighbours = isfinite(reach) ? 4.2 * reach * reach * reach * inside : share;
    if (!spec->variant->workload->meets_images) {
        neighbours = fmin(neighbours, share);
    }
    const double images = all ? count_images(spec, reach / (2 * half)) : 0;
    return (struct case_pairs){ .near = n * neighbours,
                                .tested = n * fmax(neighbours, images * share) };
}

bool case_is_long(const struct case_spec *spec, bool is_cpu) {
    enum { MOST = 20000 };
    const double most_tested = 1.5e9; /* with images: a minute of launches */
    if (!is_cpu) {
        return variant_is_by_box(spec->variant) && box_spec_share(&spec->box) > MOST &&
               case_computes_more_pairs(spec, MOST);
    }
    return case_computes_more_pairs(spec, MOST) ||
           (spec->variant->workload->meets_images && case_count_pairs(spec).tested > most_tested);
}

struct case_spec case_of_forces_alone(const struct case_spec *spec) {
    struct case_spec plain = *spec;
    plain.outputs = OUTPUTS_FORCES;
    plain.reduction = REDUCTION_TREE;
    plain.launch = LAUNCH_EACH;
    plain.evaluations = 0;
    return plain;
}

/* ---- the cutoff ---- */

struct cutoff cutoff_of(double length) {
    const struct cutoff none = { .kind = CUTOFF_NONE };
    const struct cutoff finite = { .kind = CUTOFF_LENGTH, .length = length };
    return isinf(length) ? none : finite;
}

bool cutoff_same(struct cutoff a, struct cutoff b) {
    return a.kind == b.kind && (a.kind != CUTOFF_LENGTH || a.length == b.length);
}

bool cutoff_ends(struct cutoff cutoff, bool open) {
    return cutoff.kind == CUTOFF_LENGTH || (cutoff.kind == CUTOFF_HALF && !open);
}

double cutoff_in(struct cutoff cutoff, bool open, double half) {
    if (!cutoff_ends(cutoff, open)) {
        return INFINITY;
    }
    return cutoff.kind == CUTOFF_HALF ? half : cutoff.length;
}

void cutoff_append(struct strbuf *text, struct cutoff cutoff, int digits) {
    if (cutoff.kind == CUTOFF_LENGTH) {
        strbuf_append(text, "%.*g", digits, cutoff.length);
    } else {
        strbuf_append(text, "%s", cutoff.kind == CUTOFF_HALF ? "half" : "none");
    }
}

/* ---- the box ---- */

bool box_of_spec(const struct box_spec *spec, struct box *box, struct error *error) {
    if (!(spec->path[0]
              ? box_read_styled(spec->path, spec->atom_style, box, NULL, error)
              : box_make_batch(&(struct box_batch){ spec->kind, spec->n, spec->batch, spec->sizes,
                                                    spec->density, spec->seed },
                               box, error))) {
        return false;
    }
    if (!spec->path[0] && (spec->open || spec->periodic[0])) {
        box_unwrap(box, spec->periodic);
    }
    if (spec->open) {
        box_open(box);
    }
    if (spec->periodic[0] && !box_keep_axes(box, spec->periodic, error)) {
        box_free(box);
        return fail_within(error, "--periodic");
    }
    if (spec->charges[0] && !box_set_charges(box, spec->charges, error)) {
        box_free(box);
        return false;
    }
    return true;
}

/* Beyond the particles. The gate moves them by less than half a skin; steps by no more than twice
 * what the fastest goes at first, or they are refused (reference/steps). */
static double margin_of(const struct case_spec *spec, const struct box *box, double cutoff) {
    double fastest = 0.0;
    for (size_t i = 0; box->velocity && i < box->n; i++) {
        const double *v = box->velocity + 3 * i;
        fastest = fmax(fastest, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    const double way = 2.0 * sqrt(fastest) * spec->step.dt * (double)spec->step.steps;
    return 1.5 * cutoff + (spec->step.steps > 0 ? cutoff + way : 0.0);
}

bool case_field_fits(const struct step_field *field, const struct box_spec *spec,
                     const struct box *box, struct error *error) {
    bool charged = false;
    for (int k = 0; k < 3; k++) {
        charged = charged || field->per_charge[k] != 0.0;
    }
    return !charged || box_says_charges(box, "--field charge=", error) ||
           fail_within(error, "%s", spec->path);
}

bool case_box_as_device(const struct case_spec *spec, const struct box *box, double cutoff,
                        struct box *rounded, struct error *error) {
    for (int k = 0; k < 3; k++) {
        if (box->open_along[k] && spec->step.field.wall[k].present) {
            return fail(error, STATUS_BAD_INPUT,
                        "--field: walls along %c, where the box has no images, and particles are "
                        "moved into the middle of the room that kernels have",
                        "xyz"[k]);
        }
    }
    return case_field_fits(&spec->step.field, &spec->box, box, error) &&
           box_as_device_in_room(box, margin_of(spec, box, cutoff), spec->precision, rounded, NULL,
                                 error);
}

/* ---- the rules of time steps, from what a variant's header says and what the user does ---- */

/* "rescale" of "rescale:temperature=1". */
static size_t name_length(const char *words) {
    return strcspn(words, ":");
}

static bool same_name(const char *one, const char *other) {
    const size_t length = name_length(one);
    return length == name_length(other) && strncmp(one, other, length) == 0;
}

/* The user's numbers of the variant's thermostat, or of an integrator that is one itself. */
static bool take_thermostat(const struct variant *variant, const char *words,
                            struct step_rules *rules, struct error *error) {
    const bool of_integrator = same_name(words, variant->integrator);
    if (!of_integrator && !same_name(words, *variant->thermostat ? variant->thermostat : "none")) {
        return fail(error, STATUS_BAD_INPUT, "%.100s: that of %s is %s; other variants have others",
                    words, variant->name, *variant->thermostat ? variant->thermostat : "none");
    }
    return of_integrator ? step_integrator_parse(words, rules, error)
                         : step_thermostat_parse(words, rules, error);
}

/* Periods of passes stand in the header. */
static bool check_interval(const struct variant *variant, uint64_t interval,
                           const struct step_rules *rules, struct error *error) {
    return rules->thermostat != THERMOSTAT_RESCALE || rules->interval == interval ||
           fail(error, STATUS_BAD_INPUT,
                "interval=%llu: the passes of %s run every %llu steps; its file says "
                "so, in a copy you may say otherwise",
                (unsigned long long)rules->interval, variant->name, (unsigned long long)interval);
}

bool case_step_rules(const struct variant *variant, enum precision precision,
                     struct step_rules *rules, struct error *error) {
    *rules = step_rules_default();
    rules->float_noise = precision_numeric(precision).position == FORMAT_FLOAT;
    if (!step_integrator_parse(variant->integrator, rules, error) ||
        (*variant->thermostat && !step_thermostat_parse(variant->thermostat, rules, error))) {
        return fail_within(error, "%s", variant->path);
    }
    return true;
}

bool case_take_thermostat(const struct variant *variant, const char *words,
                          struct step_rules *rules, struct error *error) {
    const uint64_t interval = rules->interval;
    return !words || (take_thermostat(variant, words, rules, error) &&
                      check_interval(variant, interval, rules, error));
}

bool case_take_field(const struct variant *variant, const char *words, struct step_rules *rules,
                     struct error *error) {
    return !words || (variant_takes(variant, "field")
                          ? step_field_parse(words, &rules->field, error)
                          : fail(error, STATUS_BAD_INPUT, "%s knows of none", variant->name));
}

/* ---- the reciprocal part of an Ewald sum, in time steps ---- */

enum precision long_range_precision(const struct long_range *long_range, enum precision of_steps) {
    return long_range->in_float ? PRECISION_FLOAT : of_steps;
}

void long_range_describe(const struct long_range *long_range, struct strbuf *text) {
    char tunables[TUNINGS_WORDS_SIZE];
    if (!long_range->variant) {
        strbuf_append(text, "none");
        return;
    }
    strbuf_append(text, "%s:", long_range->variant->name);
    for (int p = 0; p < long_range->interaction.parameter_count; p++) {
        const struct interaction_parameter *parameter = &long_range->interaction.parameters[p];
        if (strcmp(parameter->name, "alpha") != 0 && strcmp(parameter->name, "coulomb") != 0) {
            strbuf_append(text, "%s=%.15g,", parameter->name, parameter->value);
        }
    }
    tunings_describe(&long_range->tunings, tunables, sizeof tunables);
    for (char *c = tunables; *c; c++) {
        *c = *c == ' ' ? ',' : *c;
    }
    strbuf_append(text, "%s%sSTREAMS=%d%s", tunables, *tunables ? "," : "", long_range->streams,
                  long_range->in_float ? ",PRECISION=float" : "");
}

/* ---- the memory that it needs ---- */

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

/* Device memory of one evaluation: positions, results, and what the structure keeps. */
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

/* Counts units: particles as they are, of other units at least one. */
static bool min_units(const void *context, const char *unit, size_t *count) {
    const struct case_spec *spec = context;
    const bool particles = begins_with(unit, "particle") || strcmp(unit, "draw") == 0;
    *count = particles ? (size_t)spec->box.n : 1;
    return bindings_have_unit(spec->variant, unit);
}

/* The least memory of the variant's @scratch. An impossible size is refused where it is allocated.
 */
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

/* Device memory of the whole case, with what the judge of timed launches keeps: positions in
 * another order, and expected results. */
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
