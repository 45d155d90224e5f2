/* Draws the cases of `check`: makes plans of the rows of a covering array. A row stands if its
 * values can be planned together. Remembers which kernel files have passed them. */
#include "boxes/random.h"
#include "campaign/rows/run_folder.h"
#include "commands/search/search.h"
#include "core/cache.h"
#include "core/host.h"
#include "core/strings.h"
#include "kernels/potentials/element_table.h"
#include "kernels/potentials/exclusions.h"
#include "measure/program.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the space ---- */

/* What was planned of a row. Zeroed: a free place of the table. */
struct planned_row {
    size_t *row;      /* NULL: free */
    double *seconds;  /* for each variant; negative: the row does not stand */
    struct plan plan; /* of a row of an array: many more are tried, and a plan is large */
};

/* The factors that are open, and the rows that were asked for, for all variants at once. */
struct drawn_space {
    const struct axes *said;
    const struct workload *workload;
    const struct workload_factor *factors[COVERING_MAX_FACTORS];
    struct covering_factor sizes[COVERING_MAX_FACTORS];
    size_t factor_count;
    struct variant_choice variants;
    struct variant_choice of_waters; /* those that take rigid waters alone */
    struct variant_choice of_others; /* the other ones */
    char seed[32];
    uint64_t number;           /* the seed */
    struct planned_row *table; /* by the hash of the row; capacity is a power of two */
    size_t capacity, used;
    size_t variant;           /* whose array is made */
    double began_s, planning; /* when that began; the longest that it may take, s */
};

bool drawn_is_alone(const char *value) {
    return *value == '=';
}

bool drawn_is_joined(const char *value) {
    return *value == '@' || *value == ',';
}

static bool is_close(const char *value) {
    return *value == '!';
}

/* Without its mark. */
static const char *value_words(const char *value) {
    return value + (drawn_is_alone(value) || is_close(value));
}

bool drawn_is_said(const struct axes *said, const struct workload_factor *factor) {
    bool any = false;
    for (size_t v = 0; !any && factor->values[v] && !drawn_is_alone(factor->values[v]); v++) {
        struct axes of_value = { 0 };
        struct error ignored;
        const char *words = value_words(factor->values[v]);
        if (drawn_is_joined(words)) {
            any = *words == '@' ? said->kind || said->box_files : said->interaction != NULL;
            continue;
        }
        any = !axes_parse(&of_value, words, NULL, NULL, &ignored);
        for (int a = 0; a < AXIS_COUNT; a++) {
            const bool of_box = said->box_files && axis_table[a].makes_box;
            any = any || (a != AXIS_SEED && axes_say(&of_value, (enum axis)a) &&
                          (of_box || axes_say(said, (enum axis)a)));
        }
        axes_free(&of_value);
    }
    return any;
}

/* The values of so few particles that nothing else shows; images do, and all draws of numbers. */
static uint64_t bare_values(const struct drawn_space *space, const struct workload_factor *factor) {
    const double few = 3;
    const bool any = axis_is_of(AXIS_KIND, space->workload) && !space->workload->meets_images;
    uint64_t bare = 0;
    for (size_t v = 0; any && factor->values[v]; v++) {
        struct axes axes = { 0 };
        struct error ignored;
        double n;
        if (!drawn_is_joined(factor->values[v]) &&
            axes_parse(&axes, value_words(factor->values[v]), NULL, NULL, &ignored) && axes.n &&
            !axes.batch && parse_double(axes.n, &n) && n <= few) {
            bare |= UINT64_C(1) << v;
        }
        axes_free(&axes);
    }
    return bare;
}

/* The values that have a mark, a bit each. */
static uint64_t marked_values(const struct workload_factor *factor, bool (*is)(const char *value)) {
    uint64_t marked = 0;
    for (size_t v = 0; factor->values[v]; v++) {
        marked |= (uint64_t)is(factor->values[v]) << v;
    }
    return marked;
}

/* Which options a value says, a bit each; the highest: it is joined to what stands before it. */
static uint64_t options_of(const char *value) {
    struct axes axes = { 0 };
    struct error ignored;
    const char *words = value_words(value);
    uint64_t said = drawn_is_joined(words) ? UINT64_C(1) << 63 : 0;
    words += said ? strcspn(words, " ") : 0;
    if (axes_parse(&axes, words, NULL, NULL, &ignored)) {
        for (int a = 0; a < AXIS_COUNT; a++) {
            said |= (uint64_t)axes_say(&axes, (enum axis)a) << a;
        }
    }
    axes_free(&axes);
    return said;
}

/* Values that say the same options are of one class; each text, which is code of its own, is one.
 */
static void choose_classes(const struct workload_factor *factor, unsigned char *classes) {
    uint64_t said[COVERING_MAX_VALUES];
    unsigned char count = 0;
    for (size_t v = 0; v < COVERING_MAX_VALUES && factor->values[v]; v++) {
        const uint64_t options = factor->text ? v : options_of(factor->values[v]);
        classes[v] = 0;
        while (classes[v] < count && said[classes[v]] != options) {
            classes[v]++;
        }
        if (classes[v] == count) {
            said[count++] = options;
        }
    }
}

static void choose_factors(struct drawn_space *space) {
    for (const struct workload_factor *f = space->workload->factors; f && f->name; f++) {
        if (!drawn_is_said(space->said, f)) {
            const uint64_t close = marked_values(f, is_close);
            space->factors[space->factor_count] = f;
            struct covering_factor *size = &space->sizes[space->factor_count++];
            *size = (struct covering_factor){
                .values = words_count(f->values),
                .text = f->text,
                .closely = f->closely || close,
                .close = f->closely ? 0 : close,
                .bare = bare_values(space, f),
                .alone = marked_values(f, drawn_is_alone),
            };
            choose_classes(f, size->classes);
        }
    }
}

bool drawn_can(const struct axes *said, const struct workload *workload) {
    struct drawn_space space = { .said = said, .workload = workload };
    choose_factors(&space);
    return space.factor_count > 0;
}

/* ---- a row becomes a plan ---- */

/* FNV-1a, of the values of all factors. */
static uint64_t hash_of(const struct drawn_space *space, const size_t *row) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t f = 0; f < space->factor_count; f++) {
        hash = (hash ^ row[f]) * UINT64_C(1099511628211);
    }
    return hash ^ (hash >> 29);
}

/* Appends the numbers that "{LOW:HIGH*COUNT*STEP}" stands for; returns what is behind. */
static const char *append_numbers(const char *open, struct random *random, struct strbuf *words) {
    char *end;
    const double low = strtod(open + 1, &end);
    const double high = strtod(end + 1, &end);
    const bool whole = !memchr(open, '.', (size_t)(end - open));
    const double drawn = low + (high - low + whole) * random_unit(random);
    const double first = whole ? floor(drawn) : drawn;
    const long count = *end == '*' ? strtol(end + 1, &end, 10) : 1;
    const long step = *end == '*' ? strtol(end + 1, &end, 10) : 1;
    for (long k = 0; k < count; k++) {
        strbuf_append(words, "%s%.*g", k ? "," : "", whole ? DBL_DIG : 3,
                      first + (double)(k * step));
    }
    return end + 1;
}

void drawn_append_value(const char *value, struct random *random, struct strbuf *words) {
    const char *rest = value_words(value);
    while (*rest) {
        const size_t plain = strcspn(rest, "{[]");
        strbuf_append(words, "%.*s", (int)plain, rest);
        rest += plain;
        if (*rest == '{') {
            rest = append_numbers(rest, random, words);
        } else if (*rest) {
            rest += *rest == '[' && random_unit(random) < 0.5 ? strcspn(rest, "]") : 1;
        }
    }
}

/* Another number for each `row`: its hash. */
static void append_value(const struct drawn_space *space, size_t factor, size_t value, uint64_t row,
                         struct strbuf *words) {
    struct random random = random_from_seed((space->number + (value << 8) + factor) ^ row);
    drawn_append_value(space->factors[factor]->values[value], &random, words);
}

/* The words of its values. */
static void append_words(const struct drawn_space *space, const size_t *row, struct strbuf *words) {
    const uint64_t hash = hash_of(space, row);
    for (size_t f = 0; f < space->factor_count; f++) {
        const char *value = value_words(space->factors[f]->values[row[f]]);
        strbuf_append(words, "%s", *value && !drawn_is_joined(value) ? " " : "");
        /* a text is the same in all rows, so that no more kernels are compiled */
        append_value(space, f, row[f], space->sizes[f].text ? 0 : hash, words);
    }
}

/* How many particles whole waters have where the last of a box would lack a hydrogen: one more for
 * each box; 0: the user says how many there are, or none is lacking. */
static double whole_waters(const struct axes *said, const struct axes *all) {
    double n = 0;
    double batch = 1;
    if (said->n || !all->n || !parse_double(all->n, &n) ||
        (all->batch && !parse_double(all->batch, &batch))) {
        return 0;
    }
    return fmod(n / batch, 3) == 2 ? n + batch : 0;
}

/* Plans a row whose last water would lack a hydrogen: variants that take rigid waters alone have
 * `n` particles. */
static bool plan_waters(const struct drawn_space *space, const struct axes *axes, double n,
                        struct plan *plan) {
    char words[32];
    struct axes whole = *axes;
    struct plan of_waters;
    struct error ignored;
    const bool planned =
        space->of_others.count > 0 && plan_make_of(axes, &space->of_others, plan, &ignored);
    (void)snprintf(words, sizeof words, "%.0f", n);
    whole.n = words;
    if (space->of_waters.count == 0 ||
        !plan_make_of(&whole, &space->of_waters, &of_waters, &ignored)) {
        return planned;
    }
    if (planned) {
        plan_join(plan, &of_waters);
    } else {
        *plan = of_waters;
    }
    return true;
}

static bool is_plain(const struct drawn_space *space, const size_t *row) {
    bool plain = true;
    for (size_t f = 0; f < space->factor_count; f++) {
        plain = plain && (!space->sizes[f].text || row[f] == 0);
    }
    return plain;
}

static bool is_held(const struct variant *variant, const char *tunable) {
    bool held = false;
    for (int h = 0; h < variant->holds_count; h++) {
        held = held || strcmp(variant->holds[h].tunable, tunable) == 0;
    }
    return held;
}

/* The number of a row's words among all that there are. */
static uint64_t text_rank(const struct drawn_space *space, const size_t *row) {
    uint64_t rank = 0;
    for (size_t f = 0; f < space->factor_count; f++) {
        rank = space->sizes[f].text ? rank * space->sizes[f].values + row[f] : rank;
    }
    return rank;
}

/* Which of `count` values a tunable has: words that follow each other have all of them. */
static size_t draw_tuning(const struct drawn_space *space, uint64_t rank, int tunable,
                          size_t count) {
    const uint64_t turn = rank / count * TUNINGS_MAX + (uint64_t)tunable;
    struct random random = random_from_seed(space->number ^ (turn << 16));
    return (size_t)((rank + random_next(&random) % count) % count);
}

/* Other values that a variant lists of its tunables than the presets: the same for all rows of the
 * same words, so that no more kernels are compiled. What holds a box follows from the others. */
static void draw_tunings(const struct drawn_space *space, const size_t *row,
                         struct case_spec *spec) {
    const struct variant *variant = spec->variant;
    if (kernel_language_is_compiled(variant->language)) { /* for the values that it has */
        return;
    }
    const uint64_t rank = text_rank(space, row);
    bool named[TUNINGS_MAX] = { false };
    for (int t = 0; t < variant->tunable_count; t++) {
        const struct tunable *tunable = &variant->tunables[t];
        named[t] = !is_held(variant, tunable->name);
        if (named[t]) {
            spec->tunings.items[t].value =
                tunable->values[draw_tuning(space, rank, t, (size_t)tunable->value_count)];
        }
    }
    case_hold_tunings(spec, named);
}

static bool plan_row(const struct drawn_space *space, const size_t *row, struct plan *plan) {
    struct strbuf words = { 0 };
    struct axes of_row = { 0 };
    struct error ignored;
    append_words(space, row, &words);
    bool planned = axes_parse(&of_row, strbuf_text(&words), NULL, NULL, &ignored);
    if (planned) {
        struct axes axes = *space->said;
        axes.seed = NULL;
        axes_fill(&axes, &of_row);
        axes.seed = axes.seed ? axes.seed : (char *)space->seed;
        axes.workload = (char *)space->workload->name;
        const double whole = whole_waters(space->said, &axes);
        planned = whole > 0 ? plan_waters(space, &axes, whole, plan)
                            : plan_make_of(&axes, &space->variants, plan, &ignored);
    }
    const bool keeps = space->said->tunes || is_plain(space, row);
    for (size_t c = 0; planned && !keeps && c < plan->count; c++) {
        draw_tunings(space, row, &plan->cases[c]);
    }
    axes_free(&of_row);
    strbuf_free(&words);
    return planned;
}

static size_t variant_index(const struct drawn_space *space, const struct variant *variant) {
    size_t v = 0;
    while (v < space->variants.count && space->variants.chosen[v] != variant) {
        v++;
    }
    return v;
}

/* A kind of box has its densities, which the plan leaves to whoever makes the box. */
static bool can_be_made(const struct box_spec *box) {
    const double far_apart = 1e-4; /* so thin that only droplets have pairs */
    struct error ignored;
    if (!box->path[0] && box->density > 0 && box->density < far_apart &&
        !box_is_of_kind(box->kind, "droplets")) {
        return false;
    }
    return box->path[0] || isnan(box_default_density(box->kind)) || /* no particles */
           box_check_made(box->kind, box_spec_share(box), box->density, &ignored);
}

/* Types of a mixture are drawn, and few particles may lack one that the interaction names. A table
 * of several elements shows where there are several, and where they are crowded. */
static bool has_types(const struct case_spec *spec) {
    const struct interaction *interaction = &spec->interaction;
    const bool several = (interaction->elements && interaction->elements->count > 1) ||
                         (interaction->eam && interaction->eam->elements > 1);
    if (several && !box_kind_has_types(spec->box.kind) && spec->box.density <= 1) {
        return false;
    }
    return !box_is_of_kind(spec->box.kind, "mixture") || box_spec_least(&spec->box) >= 250 ||
           !interaction_has_types(interaction);
}

/* The reciprocal part of an Ewald sum has images. */
static bool suits_long_range(const struct case_spec *spec) {
    return !spec->long_range.variant || (!spec->box.open && !spec->box.periodic[0]);
}

/* How sums are added up says nothing where there are none. */
static bool has_sums(const struct drawn_space *space, const struct case_spec *spec) {
    const struct workload_scalar *scalar = spec->variant->workload->scalars;
    while (scalar && scalar->name && scalar->from > spec->outputs) {
        scalar++;
    }
    return space->said->reduction || spec->reduction == REDUCTION_TREE || (scalar && scalar->name);
}

/* Whose trajectory can be judged: what rounds the sides of rigid waters turns velocities, the more
 * the shorter a step is, so that errors are about twice as large after each: in float they are as
 * large as the way after ten steps or short ones, in double after 25 that are not short. */
static bool is_followed(const struct case_spec *spec) {
    const struct step_rules *rules = &spec->step;
    const bool is_short = rules->dt < 0.0005;
    const bool in_float = precision_numeric(spec->precision).accumulation == FORMAT_FLOAT;
    return rules->integrator != INTEGRATOR_SETTLE ||
           (in_float ? rules->steps <= 8 && !is_short : rules->steps <= 24 || is_short);
}

/* What would be unsupported once its time has come leaves its place to others. */
static bool is_taken(const struct case_spec *spec) {
    const struct workload *workload = spec->variant->workload;
    return !workload->refuse_case || !workload->refuse_case(spec);
}

bool drawn_suits(const struct case_spec *spec) {
    return can_be_made(&spec->box) && has_types(spec) && suits_long_range(spec) &&
           is_followed(spec) && is_taken(spec);
}

/* ---- how long a row takes ---- */

/* Three-body terms: each neighbour's row is searched or, without a list, all particles: 50 or 500
 * ns, for some thirty launches. Terms with bond orders search the rows of those neighbours as well,
 * and once more. */
static double triplet_seconds(const struct case_spec *spec, double near) {
    const double looked_at = 5e-8, listed = 5e-7;
    const enum element_form form = spec->interaction.functions[0].elements;
    const bool has_orders = form == ELEMENTS_ORDERS;
    const double n = (double)spec->box.n;
    const double neighbours = near / n;
    const bool looks_at_all = strcmp(spec->variant->structure, "none") == 0;
    if (form != ELEMENTS_TRIPLETS && !has_orders) {
        return 0;
    }
    if (!has_orders) {
        return near * (looks_at_all ? looked_at * n : listed * neighbours);
    }
    return looked_at * near * neighbours * (looks_at_all ? n : neighbours * neighbours);
}

/* A rough model of two cores, to compare cases by: 0.06 s + 20 us n + steps (1 us near pairs + 40
 * ns tested pairs) for some thirty launches. A case that is long there has a single one: 2 ns a
 * tested pair; of lists, whose room is looked for first, about four. */
double drawn_case_seconds(const struct case_spec *spec) {
    const double launches = 0.06, particle = 2e-5, near = 1e-6, tested = 4e-8;
    const double near_once = 1e-7; /* mostly by the reference */
    const double tested_once = spec->variant->workload->meets_images ? 8e-9 : 2e-9;
    const struct case_pairs pairs = case_count_pairs(spec);
    const double triplets = triplet_seconds(spec, pairs.near);
    const double steps = spec->step.steps > 0 ? (double)spec->step.steps : 1;
    const double of_pairs =
        case_is_long(spec, true)
            ? pairs.tested * tested_once + pairs.near * near_once + triplets * tested_once / tested
            : pairs.near * near + pairs.tested * tested + triplets;
    return launches + (double)spec->box.n * particle + steps * of_pairs;
}

static void fill_place(const struct drawn_space *space, const size_t *row,
                       struct planned_row *place) {
    place->row = memory_zeroed(space->factor_count, sizeof *row);
    place->seconds = memory_zeroed(space->variants.count, sizeof *place->seconds);
    memcpy(place->row, row, space->factor_count * sizeof *row);
    for (size_t v = 0; v < space->variants.count; v++) {
        place->seconds[v] = -1;
    }
    struct plan plan;
    if (!plan_row(space, row, &plan)) {
        return;
    }
    for (size_t c = 0; c < plan.count; c++) {
        const struct case_spec *spec = &plan.cases[c];
        const size_t v = variant_index(space, spec->variant);
        if (v < space->variants.count && drawn_suits(spec) && has_sums(space, spec)) {
            place->seconds[v] = fmax(place->seconds[v], 0) + drawn_case_seconds(spec);
        }
    }
    plan_free(&plan);
}

/* ---- the table of rows ---- */

static struct planned_row *place_of(const struct drawn_space *space, const size_t *row) {
    size_t place = (size_t)hash_of(space, row) & (space->capacity - 1);
    while (space->table[place].row &&
           memcmp(space->table[place].row, row, space->factor_count * sizeof *row) != 0) {
        place = (place + 1) & (space->capacity - 1);
    }
    return &space->table[place];
}

static void grow_table(struct drawn_space *space) {
    struct planned_row *before = space->table;
    const size_t places = space->capacity;
    space->capacity = places ? 2 * places : 1024;
    space->table = memory_zeroed(space->capacity, sizeof *space->table);
    for (size_t i = 0; i < places; i++) {
        if (before[i].row) {
            *place_of(space, before[i].row) = before[i];
        }
    }
    free(before);
}

static struct planned_row *planned(struct drawn_space *space, const size_t *row) {
    if (2 * space->used >= space->capacity) {
        grow_table(space);
    }
    struct planned_row *place = place_of(space, row);
    if (!place->row) {
        space->used++;
        fill_place(space, row, place);
    }
    return place;
}

/* ---- what the array asks ---- */

/* A row that takes long counts as invalid. */
static bool row_stands(void *context, const size_t *row) {
    const double most = 6; /* a busy machine takes several times as long, and a case has a minute */
    struct drawn_space *space = context;
    const double seconds = planned(space, row)->seconds[space->variant];
    return seconds >= 0 && seconds <= most;
}

static double row_seconds(void *context, const size_t *row) {
    struct drawn_space *space = context;
    return fmax(planned(space, row)->seconds[space->variant], 0);
}

static bool is_late(void *context) {
    const struct drawn_space *space = context;
    return clock_s() - space->began_s > space->planning;
}

/* ---- the cases ---- */

static void append_case(struct drawn *drawn, const struct case_spec *spec, size_t row) {
    const struct drawn_space *space = drawn->space;
    struct plan *plan = &drawn->plan;
    plan->cases = memory_grown(plan->cases, plan->count + 1, sizeof *plan->cases);
    drawn->cases = memory_grown(drawn->cases, plan->count + 1, sizeof *drawn->cases);
    drawn->cases[plan->count] = (struct drawn_case){ .variant = space->variant, .row = row };
    plan->cases[plan->count++] = *spec;
}

static void append_rows(struct drawn *drawn, const struct covering *covering) {
    struct drawn_space *space = drawn->space;
    for (size_t r = 0; r < covering_row_count(covering); r++) {
        struct planned_row *place = planned(space, covering_row(covering, r));
        const bool is_planned = place->plan.cases || plan_row(space, place->row, &place->plan);
        for (size_t c = 0; is_planned && c < place->plan.count; c++) {
            const struct case_spec *spec = &place->plan.cases[c];
            if (variant_index(space, spec->variant) == space->variant) {
                append_case(drawn, spec, r);
            }
        }
    }
}

static void draw_variant(struct drawn *drawn, const struct drawn_settings *drawing, size_t index) {
    struct drawn_space *space = drawn->space;
    const struct covering_space covered = { .factors = space->sizes,
                                            .count = space->factor_count,
                                            .strength = drawing->strength,
                                            .seed = drawing->seed,
                                            .seconds = drawing->seconds,
                                            .compile_second = 1,
                                            .stands = row_stands,
                                            .row_seconds = row_seconds,
                                            .is_late = is_late,
                                            .context = space };
    struct drawn_variant *variant = &drawn->variants[index];
    space->variant = index;
    space->began_s = clock_s();
    space->planning = drawing->planning_seconds;
    variant->variant = space->variants.chosen[index];
    variant->covering = covering_make(&covered);
    drawn->variant_count = index + 1;
    append_rows(drawn, variant->covering);
    variant->planning_s = clock_s() - space->began_s;
}

static bool is_of_waters(const struct variant *variant) {
    return strcmp(variant->integrator, "settle") == 0 || variant_takes(variant, "water_atoms");
}

/* Chooses the variants that take rigid waters alone, or the others. */
static void choose_some(const struct variant_choice *all, bool of_waters,
                        struct variant_choice *some) {
    *some = *all;
    some->is_shared = true;
    some->count = 0;
    some->chosen = memory_zeroed(all->count, sizeof(const struct variant *));
    for (size_t v = 0; v < all->count; v++) {
        if (is_of_waters(all->chosen[v]) == of_waters) {
            some->chosen[some->count++] = all->chosen[v];
        }
    }
}

bool drawn_make(const struct axes *said, const struct workload *workload,
                const struct drawn_settings *drawing, struct drawn *drawn, struct error *error) {
    struct drawn_space *space = memory_zeroed(1, sizeof *space);
    struct axes of_workload = *said;
    *drawn = (struct drawn){ .workload = workload, .space = space };
    of_workload.workload = (char *)workload->name;
    space->said = said;
    space->workload = workload;
    space->number = drawing->seed;
    (void)snprintf(space->seed, sizeof space->seed, "%llu", (unsigned long long)drawing->seed);
    choose_factors(space);
    if (!variants_choose(&of_workload, &space->variants, error)) {
        return false;
    }
    choose_some(&space->variants, true, &space->of_waters);
    choose_some(&space->variants, false, &space->of_others);
    drawn->variants = memory_zeroed(space->variants.count, sizeof *drawn->variants);
    for (size_t v = 0; v < space->variants.count; v++) {
        draw_variant(drawn, drawing, v);
    }
    return true;
}

void drawn_free(struct drawn *drawn) {
    struct drawn_space *space = drawn->space;
    for (size_t i = 0; space && i < space->capacity; i++) {
        free(space->table[i].row);
        free(space->table[i].seconds);
        plan_free(&space->table[i].plan);
    }
    for (size_t v = 0; v < drawn->variant_count; v++) {
        covering_free(drawn->variants[v].covering);
    }
    if (space) {
        variants_release(&space->variants);
        free(space->of_waters.chosen);
        free(space->of_others.chosen);
        free(space->table);
    }
    free(space);
    free(drawn->variants);
    free(drawn->cases);
    free(drawn->plan.cases);
    *drawn = (struct drawn){ 0 };
}

bool drawn_is_whole(const struct drawn *drawn) {
    size_t count = 0;
    while (drawn->workload->factors[count].name) {
        count++;
    }
    return drawn->space->factor_count == count;
}

/* ---- what is missing ---- */

struct listing {
    const struct drawn_space *space;
    struct strbuf *lines;
};

static void append_tuple(void *context, int size, const size_t *factors, const size_t *values) {
    const struct listing *listing = context;
    for (int k = 0; k < size; k++) {
        const struct workload_factor *factor = listing->space->factors[factors[k]];
        strbuf_append(listing->lines, "%s%s %s", k ? " with " : "  ", factor->name,
                      *factor->values[values[k]] ? "" : "as usual");
        const char *words = value_words(factor->values[values[k]]);
        if (listing->space->sizes[factors[k]].text) {
            append_value(listing->space, factors[k], values[k], 0, listing->lines);
        } else {
            strbuf_append(listing->lines, "%s", words);
        }
    }
    strbuf_append(listing->lines, "\n");
}

void drawn_append_missing(const struct drawn *drawn, size_t variant, int size,
                          enum covering_state state, struct strbuf *lines) {
    struct listing listing = { .space = drawn->space, .lines = lines };
    covering_list(drawn->variants[variant].covering, size, state, append_tuple, &listing);
}

/* ---- kernel files that passed `check` ---- */

static const char checked_kind[] = "checked";

static void checked_key(const struct variant *variant, char key[HASH_TEXT_SIZE]) {
    struct run_identity program;
    struct hash_state *hash = hash_begin();
    run_identify(&program);
    hash_add_string(hash, program.git_commit);
    hash_add_string(hash, variant->name);
    hash_add_string(hash, variant->text);
    hash_end(hash, key);
}

void checked_store(const struct variant *variant, const char *words) {
    char key[HASH_TEXT_SIZE];
    checked_key(variant, key);
    cache_store(checked_kind, key, words, strlen(words));
}

bool checked_find(const struct variant *variant, char *words, size_t size) {
    char key[HASH_TEXT_SIZE];
    void *data = NULL;
    size_t length = 0;
    checked_key(variant, key);
    if (!cache_load(checked_kind, key, &data, &length)) {
        return false;
    }
    const size_t kept = length < size ? length : size - 1;
    memcpy(words, data, kept);
    words[kept] = '\0';
    free(data);
    return true;
}
