/* Makes a case of words that are spelt as the options of the program. */
#include "core/files.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"
#include "kernels/header/read_variant.h"
#include "kernels/potentials/element_table.h"
#include "library/library.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the variant ---- */

static bool read_variant(const char *path, struct library_case *made, struct error *error) {
    made->read = calloc(1, sizeof *made->read);
    if (!made->read) {
        return fail_out_of_memory(error, "a variant");
    }
    if (!variant_read_kth(path, 0, made->read, error)) {
        free(made->read);
        made->read = NULL;
        return false;
    }
    made->spec.variant = made->read;
    return true;
}

static const struct variant *find_embedded(const char *name, size_t length, struct error *error) {
    size_t count = 0;
    const struct variant *variants = variants_embedded(&count, error);
    const struct variant *found = NULL;
    for (size_t v = 0; variants && v < count && !found; v++) {
        const bool same =
            strncmp(variants[v].name, name, length) == 0 && variants[v].name[length] == '\0';
        found = same ? &variants[v] : NULL;
    }
    if (variants && !found) {
        (void)fail(error, STATUS_BAD_INPUT,
                   "there is no variant '%.*s'; `pairmark list` names them",
                   (int)(length < 100 ? length : 100), name);
    }
    return found;
}

/* The integrator of any variant of time steps: "verlet" of "verlet+sorted_cells". */
static const struct variant *find_integrator(const char *name, size_t length) {
    struct error ignored;
    size_t count = 0;
    const struct variant *variants = variants_embedded(&count, &ignored);
    for (size_t v = 0; variants && v < count; v++) {
        if (variants[v].forces.variant && strncmp(variants[v].name, name, length) == 0 &&
            variants[v].name[length] == '+') {
            return &variants[v];
        }
    }
    return NULL;
}

/* Joins an integrator and forces by name (verlet+list_walk), also where the file of verlet does not
 * name list_walk. */
static bool join_variant(const char *name, size_t length, struct library_case *made,
                         struct error *error) {
    const struct variant *integrator = find_integrator(name, length);
    const struct variant *forces =
        integrator ? find_embedded(name + length + 1, strlen(name + length + 1), error) : NULL;
    if (!integrator) {
        return fail(error, STATUS_BAD_INPUT, "there is no integrator '%.*s'; `pairmark list step`",
                    (int)(length < 100 ? length : 100), name);
    }
    made->read = forces ? calloc(1, sizeof *made->read) : NULL;
    if (!made->read) {
        return forces ? fail_out_of_memory(error, "a variant") : false;
    }
    if (!variant_join(integrator, forces, made->read, error)) {
        free(made->read);
        made->read = NULL;
        return false;
    }
    made->spec.variant = made->read;
    return true;
}

static bool find_variant(const char *name, struct library_case *made, struct error *error) {
    struct error unknown;
    const size_t of_integrator = strcspn(name, "+");
    made->spec.variant = find_embedded(name, strlen(name), &unknown);
    if (!made->spec.variant && name[of_integrator]) {
        return join_variant(name, of_integrator, made, error);
    }
    if (!made->spec.variant) {
        *error = unknown;
    }
    return made->spec.variant != NULL;
}

bool library_has_workload(const struct workload *workload) {
    static const char *const missing[] = { "constraints", "rdf", NULL };
    return word_place(missing, workload->name) < 0;
}

static bool choose_variant(const char *name, struct library_case *made, struct error *error) {
    if (!(strchr(name, '.') ? read_variant(name, made, error) : find_variant(name, made, error))) {
        return false;
    }
    const struct variant *variant = made->spec.variant;
    const char *workload = variant->workload->name;
    return library_has_workload(variant->workload) ||
           fail(error, STATUS_UNSUPPORTED, "%s is of workload %s, which the library does not have",
                variant->name, workload);
}

/* ---- copies side by side ---- */

/* Repeats the members of a group in each of its copies; NULL: there is no group. */
static int *repeat_members(const int32_t *members, size_t count, size_t n, size_t all) {
    int *repeated = members ? malloc(all * count * sizeof *repeated) : NULL;
    for (size_t m = 0; repeated && m < all * count; m++) {
        repeated[m] = members[m % count] + (int)(m / count * n);
    }
    return repeated;
}

/* Turns groups in `before` copies of n particles into groups in `all` copies. */
static bool copy_groups(const struct groups *groups, size_t before, size_t n, size_t all,
                        struct groups *copied, struct error *error) {
    const size_t count_a = groups->n_a / before;
    const size_t count_b = groups->n_b / before;
    int *a = repeat_members(groups->a, count_a, n, all);
    int *b = repeat_members(groups->b, count_b, n, all);
    const struct particle_numbers all_a = { a, all * count_a };
    const struct particle_numbers all_b = { b, b ? all * count_b : 0 };
    const bool good = a && (b || !groups->b)
                          ? groups_of_particles(groups->mode, all * n, all_a, all_b, copied, error)
                          : fail_out_of_memory(error, "the groups");
    free(a);
    free(b);
    return good;
}

/* Finds how many copies the cutoff needs: one where there is no cutoff, or where the kernels visit
 * all images themselves. */
static void find_copies(const struct library_case *made, const struct box *box, int copies[3]) {
    const struct workload *workload = made->spec.variant->workload;
    const double cutoff = cutoff_in(made->spec.cutoff, !box->periodic, INFINITY);
    const bool some = workload_has_particles(workload) && box->periodic &&
                      !(workload->takes_cutoff && workload->takes_cutoff(box, isinf(cutoff)));
    library_copies(box, some ? cutoff : INFINITY, copies);
    for (size_t k = 0; k < 3; k++) {
        copies[k] = copies[k] > made->copies[k] ? copies[k] : made->copies[k];
    }
}

bool library_case_copy(const struct library_case *made, const struct box *box, size_t n,
                       struct library_copied *copied, struct error *error) {
    const size_t before = library_product(made->copies);
    const struct groups *groups = &made->groups;
    memset(copied, 0, sizeof *copied);
    find_copies(made, box, copied->copies);
    const size_t all = library_product(copied->copies);
    copied->more = all != before;
    if (!copied->more) {
        return true;
    }
    const double cutoff = cutoff_in(made->spec.cutoff, false, INFINITY);
    if (all > BOX_MAX_PARTICLES / (n > 0 ? n : 1)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "cutoff %g: reaches too many images of the cell for %zu particles", cutoff, n);
    }
    if (made->exclusions || groups->mode == GROUPS_PAIRS) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s in a cell of less than twice the cutoff (%g): of which image is not said",
                    made->exclusions ? "exclusions" : "groups of pairs", cutoff);
    }
    return !groups->a || copy_groups(groups, before, n, all, &copied->groups, error);
}

void library_case_take_copies(struct library_case *made, size_t n,
                              const struct library_copied *copied) {
    if (copied->more) {
        groups_free(&made->groups);
        made->groups = copied->groups;
        memcpy(made->copies, copied->copies, sizeof made->copies);
        made->spec.box.n = library_product(made->copies) * n;
    }
}

/* A group of all particles in their order is no group. */
static bool choose_groups(const struct groups *groups, struct library_case *made,
                          struct error *error) {
    static const char *const words[] = { "one group", "two groups", "pairs" };
    const struct variant *variant = made->spec.variant;
    if (groups->a && !workload_lists_axis(variant->workload, "--group-a")) {
        return fail(error, STATUS_UNSUPPORTED, "groups: workload %s has none",
                    variant->workload->name);
    }
    if (variant->groups != groups->mode) {
        return fail(error, STATUS_UNSUPPORTED, "groups: %s is for %s, the system has %s",
                    variant->name, words[variant->groups], words[groups->mode]);
    }
    made->spec.group.mode = groups->mode;
    return !groups->a || groups->everything ||
           groups_of_particles(
               groups->mode, made->spec.box.n, (struct particle_numbers){ groups->a, groups->n_a },
               (struct particle_numbers){ groups->b, groups->n_b }, &made->groups, error);
}

/* ---- a stored answer ---- */

/* The text behind "name":" in JSON that the program wrote; NULL: there is none. */
static const char *json_word(const char *json, const char *name, char *word, size_t size) {
    char key[VARIANT_NAME_SIZE + 8];
    (void)snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *at = strstr(json, key);
    const char *from = at ? at + strlen(key) : NULL;
    const size_t length = from ? strcspn(from, "\"") : size;
    if (length >= size) {
        return NULL;
    }
    memcpy(word, from, length);
    word[length] = '\0';
    return from + length;
}

bool library_answer_read(const char *path, char variant[VARIANT_NAME_SIZE],
                         char tunables[TUNINGS_WORDS_SIZE], struct error *error) {
    char name[VARIANT_NAME_SIZE] = "";
    char *json = NULL;
    if (!input_read_text(path, INPUT_TABLE_BYTES, &json, error)) {
        return false;
    }
    const char *at = json_word(json, "best", variant, VARIANT_NAME_SIZE);
    do {
        at = at ? json_word(at, "variant", name, sizeof name) : NULL;
    } while (at && strcmp(name, variant) != 0);
    const bool found = at && json_word(at, "tunables", tunables, TUNINGS_WORDS_SIZE);
    free(json);
    return found ||
           fail(error, STATUS_BAD_INPUT,
                "%s: names no best variant; expected the JSON that `pairmark best` prints", path);
}

/* ---- what acts between particles ---- */

static bool take_expression(const char *words, struct library_case *made, struct error *error) {
    return expression_parse(words, NULL, &made->expression, error) &&
           interaction_of_expression(made->expression, &made->spec.interaction, error);
}

/* Refuses functions without a pair function, which other workloads compute; some workloads compute
 * nothing else. */
static bool check_functions(const struct interaction *interaction, const struct workload *workload,
                            struct error *error) {
    for (int f = 0; f < interaction->function_count; f++) {
        const struct workload *owner = workload_of_others(workload, &interaction->functions[f]);
        if (owner) {
            return fail(error, STATUS_UNSUPPORTED,
                        "%s: workload %s computes it, the variant is of workload %s",
                        interaction->name, owner->name, workload->name);
        }
    }
    return !workload->interactions || workload_owns_interaction(workload, interaction->name) ||
           fail(error, STATUS_UNSUPPORTED, "%s: workload %s, of the variant, has another potential",
                interaction->name, workload->name);
}

/* Parameters of many-body terms by elements. */
static bool take_elements(const char *table, bool is_text, struct library_case *made,
                          struct error *error) {
    struct interaction *interaction = &made->spec.interaction;
    const enum element_form form = interaction->functions[0].elements;
    if (form == ELEMENTS_SETFL) {
        const bool read = is_text ? eam_table_parse("table", table, &made->eam, error)
                                  : eam_table_read(table, &made->eam, error);
        interaction->eam = made->eam;
        return read;
    }
    const bool read = is_text ? element_table_parse("table", table, form, &made->elements, error)
                              : element_table_read(table, form, &made->elements, error);
    interaction->elements = made->elements;
    return read;
}

static bool take_table(const char *table, struct library_case *made, struct error *error) {
    struct interaction *interaction = &made->spec.interaction;
    const bool is_text = table && strchr(table, '\n');
    if (!table) {
        return true;
    }
    if (interaction->functions[0].elements != ELEMENTS_NONE) {
        return take_elements(table, is_text, made, error);
    }
    if (!(is_text ? type_table_parse("table", table, interaction, &made->table, error)
                  : type_table_read(table, interaction, &made->table, error))) {
        return false;
    }
    interaction_use_table(interaction, made->table);
    return true;
}

/* A table is read for the functions of the potential. */
static bool take_potential(const char *words, const char *table, struct library_case *made,
                           struct error *error) {
    return (expression_is_meant(words)
                ? take_expression(words, made, error)
                : interaction_parse(words, &made->spec.interaction, error)) &&
           take_table(table, made, error);
}

/* Some functions have a range of their own: the switching function of a coordination, terms of many
 * bodies. */
static bool accepts_cutoff(const struct library_case *made, const struct workload *owner,
                           bool periodic, double cutoff, struct error *error) {
    const struct interaction *interaction = &made->spec.interaction;
    const struct workload *coordination = workload_find("coordination");
    if (owner && owner->own_cutoff) {
        const char *refusal = owner->refuse_case ? owner->refuse_case(&made->spec) : NULL;
        return !refusal || fail(error, STATUS_BAD_INPUT, "%s", refusal);
    }
    if ((owner && owner->takes_cutoff) ||
        workload_owns_interaction(coordination, interaction->functions[0].name)) {
        return true;
    }
    return periodic && isinf(cutoff)
               ? fail(error, STATUS_BAD_INPUT, "cutoff %g; expected a length, in a cell", cutoff)
               : interaction_accepts_cutoff(interaction, cutoff, error);
}

bool library_potential_check(const struct library_potential *potential, bool periodic,
                             const struct workload **owner, struct error *error) {
    struct library_case made = { 0 };
    const char *words = potential->words;
    const char *potential_words = words ? words : workload_find("neighbours")->default_interaction;
    const bool good = take_potential(potential_words, potential->table, &made, error);
    *owner = good && words ? workload_of_function(&made.spec.interaction.functions[0]) : NULL;
    const bool fits =
        good && (!words || accepts_cutoff(&made, *owner, periodic, potential->cutoff, error));
    library_case_free(&made);
    return fits;
}

static bool take_exclusions(const struct pm_system *system, struct library_case *made,
                            struct error *error) {
    if (!(system->exclude ? exclusions_read(system->exclude, &made->exclusions, error)
          : system->pairs
              ? exclusions_of_pairs(system->pairs, system->pair_count, &made->exclusions, error)
              : true)) {
        return fail_within(error, "exclusions");
    }
    if (system->exclude && !strcmp(system->exclude, "molecule") && !system->box.molecule) {
        return fail(error, STATUS_BAD_INPUT, "exclusions: the system has no molecules");
    }
    made->spec.interaction.exclusions = made->exclusions;
    return true;
}

static bool take_terms(const struct pm_system *system, struct library_case *made,
                       struct error *error) {
    bool taken = true;
    if (made->spec.variant->workload->buffers != &bonded_buffers) {
        return true;
    }
    if (bonded_count(&system->terms) == 0) {
        return fail(error, STATUS_BAD_INPUT, "terms: %s needs some, and the system has none",
                    made->spec.variant->name);
    }
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        const struct bonded_form *form = &bonded_forms[kind];
        const struct bonded_list *list = &system->terms.lists[kind];
        for (size_t t = 0; taken && t < list->count; t++) {
            taken = bonded_add(&made->terms, (enum bonded_kind)kind,
                               &list->atom[t * (size_t)form->atoms],
                               &list->parameter[t * (size_t)form->parameters], error);
        }
    }
    bonded_close(&made->terms);
    made->spec.interaction.bonded = &made->terms;
    return taken;
}

/* Some functions have a range of their own; bonded terms have no cutoff. */
static void choose_cutoff(struct case_spec *spec) {
    const struct workload *workload = spec->variant->workload;
    if (workload->own_cutoff) {
        spec->cutoff = cutoff_of(workload->own_cutoff(&spec->interaction).length);
    } else if (workload->buffers == &bonded_buffers) {
        spec->cutoff = cutoff_of(INFINITY);
    }
}

static bool choose_pairs_of_long_range(const struct pm_system *system, struct library_case *made,
                                       struct error *error) {
    struct strbuf words = { 0 };
    const bool chosen =
        library_long_range_pairs(system, &words, error) &&
        (!words.failed || fail_out_of_memory(error, "a potential")) &&
        take_potential(words.data, system->table, made, error) &&
        check_functions(&made->spec.interaction, made->spec.variant->workload, error) &&
        take_exclusions(system, made, error);
    strbuf_free(&words);
    return chosen;
}

static bool choose_interaction(const struct pm_system *system, struct library_case *made,
                               struct error *error) {
    const struct workload *workload = made->spec.variant->workload;
    const bool lists = workload->buffers == &neighbour_buffers;
    const bool own = lists || workload->buffers == &bonded_buffers;
    const char *words = own ? workload->default_interaction : system->interaction;
    if (!workload_has_particles(workload)) {
        made->spec.cutoff = cutoff_of(INFINITY);
        return true;
    }
    if (system->long_range && !own) {
        const bool pairs = workload == workload_default() || made->spec.variant->forces.variant;
        return pairs ? choose_pairs_of_long_range(system, made, error)
                     : fail(error, STATUS_UNSUPPORTED,
                            "long_range: %s is of workload %s; expected one of forces or step",
                            made->spec.variant->name, workload->name);
    }
    if (!words || (lists && !(system->cutoff > 0))) {
        return fail(error, STATUS_BAD_INPUT, "%s: the system has none",
                    lists ? "cutoff" : "potential");
    }
    if (!take_potential(words, own && !lists ? NULL : system->table, made, error)) {
        return false;
    }
    if (!own && !check_functions(&made->spec.interaction, workload, error)) {
        return false;
    }
    choose_cutoff(&made->spec);
    if (!take_terms(system, made, error) || !take_exclusions(system, made, error)) {
        return false;
    }
    return own || !made->exclusions || workload_lists_axis(workload, "--exclude") ||
           fail(error, STATUS_UNSUPPORTED, "exclusions: workload %s has none", workload->name);
}

/* ---- the rest ---- */

/* The values of the enums in pairmark.h are those of cases. */
_Static_assert((int)PM_PRECISION_FLOAT == (int)PRECISION_FLOAT &&
                   (int)PM_PRECISION_MIXED == (int)PRECISION_MIXED &&
                   (int)PM_PRECISION_DOUBLE == (int)PRECISION_DOUBLE &&
                   (int)PM_PRECISION_FIXED == (int)PRECISION_FIXED,
               "precisions");
_Static_assert((int)PM_OUTPUTS_FORCES == (int)OUTPUTS_FORCES &&
                   (int)PM_OUTPUTS_ENERGY == (int)OUTPUTS_ENERGY &&
                   (int)PM_OUTPUTS_VIRIAL == (int)OUTPUTS_VIRIAL,
               "outputs");
_Static_assert((int)PM_MATRIX == (int)LIST_MATRIX && (int)PM_CSR == (int)LIST_CSR &&
                   (int)PM_COO == (int)LIST_COO && (int)PM_FULL_LIST == (int)LIST_FULL &&
                   (int)PM_HALF_LIST == (int)LIST_HALF,
               "lists");
_Static_assert((int)PM_UNIFORM == (int)DISTRIBUTION_UNIFORM &&
                   (int)PM_GAUSSIAN == (int)DISTRIBUTION_GAUSSIAN &&
                   (int)PM_WORDS == (int)DISTRIBUTION_WORDS &&
                   (int)PM_KICK == (int)DISTRIBUTION_KICK,
               "distributions");

/* Checks a member of a choice that has few values: at most `last`, and zero unless the workload of
 * the variant has it. */
struct member {
    const char *name;
    int value, last;
    bool has;
    const char *expected;
};

static bool check_member(const struct member *member, const struct variant *variant,
                         struct error *error) {
    if (member->value < 0 || member->value > member->last) {
        return fail(error, STATUS_BAD_INPUT, "%s %d; expected %s", member->name, member->value,
                    member->expected);
    }
    return member->value == 0 || member->has ||
           fail(error, STATUS_BAD_INPUT, "%s: %s is of workload %s, which has none", member->name,
                variant->name, variant->workload->name);
}

static bool check_members(const struct pm_choice *choice, const struct variant *variant,
                          struct error *error) {
    const struct workload *workload = variant->workload;
    const bool lists = workload->buffers == &neighbour_buffers;
    const bool particles = workload_has_particles(workload);
    const struct member members[] = {
        { "precision", (int)choice->precision, PM_PRECISION_FIXED, true,
          "PM_PRECISION_FLOAT to PM_PRECISION_FIXED" },
        { "outputs", (int)choice->outputs, PM_OUTPUTS_VIRIAL, particles && !lists,
          "PM_OUTPUTS_FORCES to PM_OUTPUTS_VIRIAL" },
        { "list", (int)choice->list, PM_COO, lists, "PM_MATRIX, PM_CSR or PM_COO" },
        { "list_pairs", (int)choice->list_pairs, PM_HALF_LIST, lists,
          "PM_FULL_LIST or PM_HALF_LIST" },
        { "list_entries", choice->list_entries, PM_SHIFTS + PM_VECTORS + PM_DISTANCES, lists,
          "a sum of PM_SHIFTS, PM_VECTORS and PM_DISTANCES" },
        { "distribution", (int)choice->distribution, PM_KICK, !particles, "PM_UNIFORM to PM_KICK" },
    };
    bool good = true;
    for (size_t m = 0; good && m < sizeof members / sizeof members[0]; m++) {
        good = check_member(&members[m], variant, error);
    }
    return good;
}

static unsigned entries_number(int wanted) {
    unsigned number = 0;
    for (unsigned w = 0; w < LIST_ENTRY_WORDS; w++) {
        const struct list_entries entries = list_entries_of(w);
        const int has = (entries.shifts == SHIFTS_INT ? PM_SHIFTS : 0) +
                        (entries.vectors ? PM_VECTORS : 0) + (entries.distances ? PM_DISTANCES : 0);
        number = has == wanted && entries.shifts != SHIFTS_CHAR ? w : number;
    }
    return number;
}

static bool choose_result(const struct pm_choice *choice, struct case_spec *spec,
                          struct error *error) {
    if (!check_members(choice, spec->variant, error)) {
        return false;
    }
    spec->precision = (enum precision)choice->precision;
    spec->outputs = (enum outputs)choice->outputs;
    spec->list = (enum list_form)choice->list;
    spec->list_pairs = (enum list_pairs)choice->list_pairs;
    spec->list_entries = entries_number(choice->list_entries);
    spec->distribution = (enum distribution)choice->distribution;
    return spec->precision != PRECISION_FIXED || variant_adds_in_fixed_point(spec->variant) ||
           fail(error, STATUS_UNSUPPORTED, "%s %s", spec->variant->name, variant_not_fixed);
}

/* Takes the length of time steps, the thermostat and the field from the choice. */
static bool choose_steps(const struct pm_choice *choice, struct case_spec *spec,
                         struct error *error) {
    const struct variant *variant = spec->variant;
    if (!variant->forces.variant) {
        return (choice->dt == 0 && !choice->thermostat && !choice->field) ||
               fail(error, STATUS_BAD_INPUT, "%s: %s takes no time steps",
                    choice->dt != 0      ? "dt"
                    : choice->thermostat ? "thermostat"
                                         : "field",
                    variant->name);
    }
    if (!(choice->dt > 0) || !isfinite(choice->dt)) {
        return fail(error, STATUS_BAD_INPUT, "dt %g; expected a time of more than 0", choice->dt);
    }
    if (!case_step_rules(variant, spec->precision, &spec->step, error)) {
        return false;
    }
    if (!case_take_thermostat(variant, choice->thermostat, &spec->step, error)) {
        return fail_within(error, "thermostat");
    }
    if (!case_take_field(variant, choice->field, &spec->step, error)) {
        return fail_within(error, "field");
    }
    spec->step.steps = 1;
    spec->step.dt = choice->dt;
    return step_rules_check(&spec->step, error);
}

/* The box from which tunables are computed, described as one that was read. */
static void describe_box(const struct pm_system *system, struct case_spec *spec) {
    const struct box *box = &system->box;
    (void)snprintf(spec->box.path, sizeof spec->box.path, "memory");
    (void)snprintf(spec->box.kind, sizeof spec->box.kind, "file");
    spec->box.n = box->n;
    spec->box.batch = box->batch;
    for (size_t b = 0; b < box->batch; b++) {
        const size_t size = box_begin(box, b + 1) - box_begin(box, b);
        spec->box.sizes.most = size > spec->box.sizes.most ? size : spec->box.sizes.most;
    }
    spec->box.open = !box->periodic;
    spec->box.read_density = isfinite(box->density) ? box->density : 0;
    spec->cutoff = cutoff_of(system->cutoff);
}

static bool elements_fit(const struct interaction *interaction, const struct box *box,
                         struct error *error) {
    return (!interaction->eam || eam_table_fits(interaction->eam, box, error)) &&
           (!interaction->elements || element_table_fits(interaction->elements, box, error));
}

bool library_case_fits(const struct case_spec *spec, const struct box *box, struct error *error) {
    const struct workload *workload = spec->variant->workload;
    const double cutoff = cutoff_in(spec->cutoff, !box->periodic, INFINITY);
    return !workload_has_particles(workload) ||
           (((workload->takes_cutoff && workload->takes_cutoff(box, isinf(cutoff))) ||
             box_accepts_cutoff(box, cutoff, error)) &&
            elements_fit(&spec->interaction, box, error) &&
            interaction_fits(&spec->interaction, box, cutoff, error));
}

bool library_steps_fit(const struct case_spec *spec, const struct box *box, const int copies[3],
                       struct error *error) {
    const struct variant *variant = spec->variant;
    const bool bounds = !box->periodic && structure_find(variant->structure)->create;
    if (!variant->forces.variant) {
        return true;
    }
    if (library_product(copies) > 1 || (box->periodic && box_is_partly_periodic(box)) || bounds) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: time steps are in cells of at least twice the cutoff, periodic along all "
                    "vectors, or without a cell by all pairs",
                    variant->name);
    }
    return true;
}

static bool lists_fit(const struct pm_system *system, const struct library_case *made,
                      struct error *error) {
    const struct case_spec *spec = &made->spec;
    const char *has = spec->list == LIST_MATRIX ? "list: of boxes PM_CSR or PM_COO"
                      : spec->precision != PRECISION_FLOAT && spec->precision != PRECISION_DOUBLE
                          ? "precision: of lists float or double"
                      : made->exclusions ? "exclusions: lists of boxes have none"
                      : system->table    ? "table: lists of boxes have one cutoff"
                                         : NULL;
    return !has || fail(error, STATUS_UNSUPPORTED, "%s", has);
}

/* Refuses a potential that acts on charges which were not given: it would silently compute
 * nothing. */
static bool charges_are_known(const struct box *box, const struct case_spec *spec,
                              struct error *error) {
    const double *field = spec->step.field.per_charge;
    const char *acts = interaction_has_charges(&spec->interaction)       ? "the potential"
                       : field[0] != 0 || field[1] != 0 || field[2] != 0 ? "the field"
                                                                         : NULL;
    return !acts || !box->uncharged ||
           fail(error, STATUS_BAD_INPUT, "charges: %s acts on them, and the system has none", acts);
}

bool library_case_make(const struct pm_system *system, const struct pm_choice *choice,
                       struct library_case *made, struct error *error) {
    struct case_spec *spec = &made->spec;
    struct box box = system->box; /* its arrays, too */
    struct library_copied copied;
    describe_box(system, spec);
    made->copies[0] = made->copies[1] = made->copies[2] = 1;
    if (!choose_variant(choice->variant, made, error) ||
        !choose_groups(&system->groups, made, error) || !choose_interaction(system, made, error) ||
        !choose_result(choice, spec, error) || !choose_steps(choice, spec, error) ||
        !charges_are_known(&box, spec, error) ||
        !library_case_copy(made, &box, box.n, &copied, error) ||
        !library_steps_fit(spec, &box, copied.copies, error)) {
        return false;
    }
    library_case_take_copies(made, box.n, &copied);
    library_cell_copy(made->copies, &box.cell);
    if (!library_case_fits(spec, &box, error) || !case_set_tunings(spec, choice->tunables, error)) {
        return false;
    }
    const struct workload *workload = spec->variant->workload;
    if (made->lists_boxes) {
        return lists_fit(system, made, error);
    }
    if (system->only_lists) {
        return fail(error, STATUS_BAD_INPUT,
                    "box %zu: cell: expected a along x and b in the plane of x and y, of lists "
                    "alone any",
                    system->only_lists - 1);
    }
    if (box.batch > 1 &&
        (!workload_lists_axis(workload, "--batch") || *spec->variant->integrator)) {
        return fail(error, STATUS_UNSUPPORTED, "%s: workload %s is of one box, not of boxes",
                    spec->variant->name, workload->name);
    }
    if (box.batch > 1 && system->long_range) {
        return fail(error, STATUS_UNSUPPORTED, "long_range: is of one box, not of boxes");
    }
    const char *refusal = workload->refuse_case ? workload->refuse_case(spec) : NULL;
    return !refusal || fail(error, STATUS_UNSUPPORTED, "%s: %s", spec->variant->name, refusal);
}

void library_case_free(struct library_case *made) {
    if (made->read) {
        variant_free(made->read);
        free(made->read);
    }
    type_table_free(made->table);
    element_table_free(made->elements);
    eam_table_free(made->eam);
    expression_free(made->expression);
    exclusions_free(made->exclusions);
    bonded_free(&made->terms);
    groups_free(&made->groups);
    memset(made, 0, sizeof *made);
}
