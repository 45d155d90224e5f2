/* From words, as the options of the program have them, to a case. */
#include "core/files.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"
#include "kernels/header/read_variant.h"
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

static bool find_variant(const char *name, struct library_case *made, struct error *error) {
    size_t count = 0;
    const struct variant *variants = variants_embedded(&count, error);
    for (size_t v = 0; variants && v < count && !made->spec.variant; v++) {
        if (strcmp(variants[v].name, name) == 0) {
            made->spec.variant = &variants[v];
        }
    }
    return variants && (made->spec.variant ||
                        fail(error, STATUS_BAD_INPUT,
                             "there is no variant '%.100s'; `pairmark list` names them", name));
}

static bool choose_variant(const char *name, struct library_case *made, struct error *error) {
    if (!(strchr(name, '.') ? read_variant(name, made, error) : find_variant(name, made, error))) {
        return false;
    }
    static const char *const workloads_here[] = { "forces",       "neighbours", "bonded",
                                                  "coordination", "random",     NULL };
    const struct variant *variant = made->spec.variant;
    const char *workload = variant->workload->name;
    return word_place(workloads_here, workload) >= 0 ||
           fail(
               error, STATUS_UNSUPPORTED,
               "%s is of workload %s; the library has forces, neighbours, bonded, coordination and "
               "random",
               variant->name, workload);
}

/* ---- copies side by side ---- */

/* Of each copy the same members; of no group none. */
static int *repeat_members(const int32_t *members, size_t count, size_t n, size_t all) {
    int *repeated = members ? malloc(all * count * sizeof *repeated) : NULL;
    for (size_t m = 0; repeated && m < all * count; m++) {
        repeated[m] = members[m % count] + (int)(m / count * n);
    }
    return repeated;
}

/* Those of the first `count` members of each group. */
static bool copy_groups(const struct groups *groups, size_t count_a, size_t count_b, size_t n,
                        size_t all, struct groups *copied, struct error *error) {
    int *a = repeat_members(groups->a, count_a, n, all);
    int *b = repeat_members(groups->b, count_b, n, all);
    const bool good = a && (b || !groups->b)
                          ? groups_of_particles(groups->mode, all * n, a, all * count_a, b,
                                                b ? all * count_b : 0, copied, error)
                          : fail_out_of_memory(error, "the groups");
    free(a);
    free(b);
    return good;
}

/* What a cutoff does not reach, or reaches in all its images by itself, needs no copies. */
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
    return !groups->a || copy_groups(groups, groups->n_a / before, groups->n_b / before, n, all,
                                     &copied->groups, error);
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

/* All particles in their order are no group. */
static bool choose_groups(const struct groups *groups, struct library_case *made,
                          struct error *error) {
    static const char *const words[] = { "one group", "two groups", "pairs" };
    const struct variant *variant = made->spec.variant;
    if (groups->a && !workload_lists_axis(variant->workload, "--group-a")) {
        return fail(error, STATUS_UNSUPPORTED, "workload %s has no groups",
                    variant->workload->name);
    }
    if (variant->groups != groups->mode) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s is for %s, the system has %s: pm_system_groups()", variant->name,
                    words[variant->groups], words[groups->mode]);
    }
    made->spec.group.mode = groups->mode;
    return !groups->a || groups->everything ||
           groups_of_particles(groups->mode, made->spec.box.n, groups->a, groups->n_a, groups->b,
                               groups->n_b, &made->groups, error);
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

/* The first answer of `pairmark best --json`: its best variant, with the tunables that it has among
 * all that were timed. */
static bool read_answer(const char *path, char variant[VARIANT_NAME_SIZE],
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
                "%s: names no best variant; expected what `pairmark best --json` prints", path);
}

/* ---- what acts between particles ---- */

static bool take_expression(const char *words, struct library_case *made, struct error *error) {
    return expression_parse(words, NULL, &made->expression, error) &&
           interaction_of_expression(made->expression, &made->spec.interaction, error);
}

/* A function that only another workload computes has no pair function. */
static bool check_functions(const struct interaction *interaction, const struct workload *workload,
                            struct error *error) {
    for (int f = 0; f < interaction->function_count; f++) {
        const char *name = interaction->functions[f].name;
        if (workload_find(name) && workload_find(name) != workload) {
            return fail(error, STATUS_UNSUPPORTED, "workload %s computes it, which is not here yet",
                        name);
        }
    }
    return true;
}

static bool take_table(const char *table, struct library_case *made, struct error *error) {
    struct interaction *interaction = &made->spec.interaction;
    const bool is_text = table && strchr(table, '\n');
    if (!table) {
        return true;
    }
    if (!(is_text ? type_table_parse("table", table, interaction, &made->table, error)
                  : type_table_read(table, interaction, &made->table, error))) {
        return false;
    }
    interaction_use_table(interaction, made->table);
    return true;
}

static bool take_exclusions(const struct pm_system *system, struct library_case *made,
                            struct error *error) {
    if (!(system->exclude ? exclusions_read(system->exclude, &made->exclusions, error)
          : system->pairs
              ? exclusions_of_pairs(system->pairs, system->pair_count, &made->exclusions, error)
              : true)) {
        return fail_within(error, "exclusions");
    }
    made->spec.interaction.exclusions = made->exclusions;
    return true;
}

static bool take_terms(const struct pm_system *system, struct library_case *made,
                       struct error *error) {
    bool taken = true;
    if (made->spec.variant->workload->buffers != &bonded_buffers ||
        bonded_count(&system->terms) == 0) {
        return true; /* the workload refuses a case without terms */
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

/* Some end by themselves, bonded terms not at all. */
static void choose_cutoff(struct case_spec *spec) {
    const struct workload *workload = spec->variant->workload;
    if (workload->own_cutoff) {
        spec->cutoff = cutoff_of(workload->own_cutoff(&spec->interaction));
    } else if (workload->buffers == &bonded_buffers) {
        spec->cutoff = cutoff_of(INFINITY);
    }
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
    if (!words || (lists && !(system->cutoff > 0))) {
        return fail(error, STATUS_BAD_INPUT, "the system has no %s: pm_system_potential()",
                    lists ? "cutoff" : "potential");
    }
    const bool parsed = expression_is_meant(words)
                            ? take_expression(words, made, error)
                            : interaction_parse(words, &made->spec.interaction, error);
    if (!parsed || !check_functions(&made->spec.interaction, workload, error) ||
        !take_table(own && !lists ? NULL : system->table, made, error)) {
        return fail_within(error, "potential");
    }
    choose_cutoff(&made->spec);
    return take_terms(system, made, error) && take_exclusions(system, made, error);
}

/* ---- the rest ---- */

static bool choose_outputs(const char *name, enum outputs *outputs, struct error *error) {
    const int place = name ? word_place(outputs_names, name) : OUTPUTS_FORCES;
    *outputs = place < 0 ? OUTPUTS_FORCES : (enum outputs)place;
    return place >= 0 || fail(error, STATUS_BAD_INPUT,
                              "outputs '%.100s'; expected forces, energy or virial", name);
}

static bool choose_word(const char *what, const char *word, const char *const *words,
                        unsigned *number, struct error *error) {
    const int place = word ? word_place(words, word) : (int)*number;
    *number = (unsigned)(place < 0 ? 0 : place);
    return place >= 0 ||
           fail(error, STATUS_BAD_INPUT, "%s '%.100s'; see `pairmark bench --help`", what, word);
}

/* Whether each of the words, joined by '+', is one of those within. */
static bool has_words(const char *within, const char *words) {
    bool found = true;
    for (const char *word = words; found && word;) {
        const size_t length = strcspn(word, "+");
        found = false;
        for (const char *other = within; !found && other;) {
            const size_t of_other = strcspn(other, "+");
            found = of_other == length && memcmp(other, word, length) == 0;
            other = other[of_other] ? other + of_other + 1 : NULL;
        }
        word = word[length] ? word + length + 1 : NULL;
    }
    return found;
}

/* In any order. */
static bool choose_entries(const char *words, unsigned *number, struct error *error) {
    for (unsigned w = 0; w < LIST_ENTRY_WORDS; w++) {
        const char *known = list_entries_names[w];
        if (strlen(known) == strlen(words) && has_words(known, words) && has_words(words, known)) {
            *number = w;
            return true;
        }
    }
    return fail(error, STATUS_BAD_INPUT,
                "list_entries '%.100s'; expected indices, or some of shifts, vectors and distances "
                "joined by '+'",
                words);
}

/* Shifts of 8 bits hold no images of particles anywhere. */
static bool choose_result(const struct pm_choice *choice, struct case_spec *spec,
                          struct error *error) {
    unsigned form = LIST_MATRIX;
    unsigned pairs = LIST_FULL;
    unsigned distribution = DISTRIBUTION_UNIFORM;
    spec->list_entries = 1; /* shifts */
    if (!choose_word("list", choice->list, list_form_names, &form, error) ||
        !choose_word("list_pairs", choice->list_pairs, list_pairs_names, &pairs, error) ||
        (choice->list_entries &&
         !choose_entries(choice->list_entries, &spec->list_entries, error)) ||
        !choose_word("distribution", choice->distribution, distribution_names, &distribution,
                     error)) {
        return false;
    }
    spec->distribution = (enum distribution)distribution;
    spec->list = (enum list_form)form;
    spec->list_pairs = (enum list_pairs)pairs;
    return list_entries_of(spec->list_entries).shifts != SHIFTS_CHAR ||
           fail(error, STATUS_UNSUPPORTED, "list_entries '%s': the library's shifts are ints",
                choice->list_entries);
}

static bool choose_precision(const char *name, struct case_spec *spec, struct error *error) {
    if (name && !precision_from_name(name, &spec->precision)) {
        return fail(error, STATUS_BAD_INPUT,
                    "precision '%.100s'; expected float, mixed, double or fixed", name);
    }
    return spec->precision != PRECISION_FIXED || variant_adds_in_fixed_point(spec->variant) ||
           fail(error, STATUS_UNSUPPORTED, "%s %s", spec->variant->name, variant_not_fixed);
}

/* What tunables are worked out from: the box as one that was read. */
static void describe_box(const struct pm_system *system, struct case_spec *spec) {
    const struct box *box = &system->box;
    (void)snprintf(spec->box.path, sizeof spec->box.path, "memory");
    (void)snprintf(spec->box.kind, sizeof spec->box.kind, "file");
    spec->box.n = box->n;
    spec->box.open = !box->periodic;
    spec->box.read_density = isfinite(box->density) ? box->density : 0;
    spec->cutoff = cutoff_of(system->cutoff);
}

bool library_case_fits(const struct case_spec *spec, const struct box *box, struct error *error) {
    const struct workload *workload = spec->variant->workload;
    const double cutoff = cutoff_in(spec->cutoff, !box->periodic, INFINITY);
    return !workload_has_particles(workload) ||
           (((workload->takes_cutoff && workload->takes_cutoff(box, isinf(cutoff))) ||
             box_accepts_cutoff(box, cutoff, error)) &&
            interaction_fits(&spec->interaction, box, cutoff, error));
}

bool library_case_make(const struct pm_system *system, const struct pm_choice *choice,
                       struct library_case *made, struct error *error) {
    struct case_spec *spec = &made->spec;
    char variant[VARIANT_NAME_SIZE];
    char tunables[TUNINGS_WORDS_SIZE];
    if (choice->answer && !read_answer(choice->answer, variant, tunables, error)) {
        return false;
    }
    struct box box = system->box; /* its arrays, too */
    struct library_copied copied;
    describe_box(system, spec);
    made->copies[0] = made->copies[1] = made->copies[2] = 1;
    if (!choose_variant(choice->answer ? variant : choice->variant, made, error) ||
        !choose_groups(&system->groups, made, error) || !choose_interaction(system, made, error) ||
        !choose_outputs(choice->outputs, &spec->outputs, error) ||
        !choose_precision(choice->precision, spec, error) || !choose_result(choice, spec, error) ||
        !library_case_copy(made, &box, box.n, &copied, error)) {
        return false;
    }
    library_case_take_copies(made, box.n, &copied);
    library_cell_copy(made->copies, &box.cell);
    if (!library_case_fits(spec, &box, error) ||
        !case_set_tunings(spec, choice->answer ? tunables : choice->tunables, error)) {
        return false;
    }
    const struct workload *workload = spec->variant->workload;
    const char *refusal = workload->refuse_case ? workload->refuse_case(spec) : NULL;
    return !refusal || fail(error, STATUS_UNSUPPORTED, "%s: %s", spec->variant->name, refusal);
}

void library_case_free(struct library_case *made) {
    if (made->read) {
        variant_free(made->read);
        free(made->read);
    }
    type_table_free(made->table);
    expression_free(made->expression);
    exclusions_free(made->exclusions);
    bonded_free(&made->terms);
    groups_free(&made->groups);
    memset(made, 0, sizeof *made);
}
