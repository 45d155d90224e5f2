#include "reference/terms/model.h"

#include "kernels/expressions/expression.h"
#include "kernels/potentials/exclusions.h"
#include "kernels/potentials/type_table.h"
#include "reference/interpreter/formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- terms ---- */

static bool bind_parameters(const struct pair_function *known,
                            const struct interaction *interaction,
                            const struct interaction_function *function, struct pair_term *term,
                            struct error *error) {
    const struct interaction_parameter *said = &interaction->parameters[function->first];
    while (term->parameters < PAIR_MAX_PARAMETERS && known->parameters[term->parameters].name) {
        const int p = term->parameters++;
        const char *name = known->parameters[p].name;
        if (p >= function->count || function->first + p >= interaction->parameter_count ||
            strcmp(said[p].name, name) != 0) {
            return fail(error, STATUS_UNSUPPORTED,
                        "interaction %s has no parameter %s in the place where its reference "
                        "needs it",
                        function->name, name);
        }
        term->parameter[p] = said[p].value;
    }
    if (known->prepare) {
        known->prepare(said, term->parameter);
    }
    term->cutoff = known->reach ? known->reach(term->parameter) : function->cutoff;
    term->jump = known->jump ? known->jump(term->parameter) : INFINITY;
    return true;
}

static bool bind_formula(const struct interaction *interaction,
                         const struct interaction_function *function, struct pair_term *term,
                         struct error *error) {
    if (!formula_read(interaction->expression_words, interaction, function, &term->formula,
                      error)) {
        return false;
    }
    term->parameters = function->count;
    for (int p = 0; p < function->count; p++) {
        term->parameter[p] = interaction->parameters[function->first + p].value;
    }
    term->kind = TERM_VAN_DER_WAALS;
    term->cutoff = function->cutoff;
    term->jump = INFINITY;
    term->may_jump = formula_may_jump(term->formula);
    return true;
}

/* The text's own is read once there is a box: see bind_texts(). */
static void bind_kernel_text(const struct interaction_function *function, struct pair_term *term) {
    term->kind = TERM_VAN_DER_WAALS;
    term->cutoff = function->cutoff;
    term->jump = INFINITY;
    term->may_jump = true;
}

static bool bind_term(const struct interaction *interaction,
                      const struct interaction_function *function, struct pair_term *term,
                      struct error *error) {
    if (interaction->expression_words) {
        return bind_formula(interaction, function, term, error);
    }
    if (interaction->text) {
        bind_kernel_text(function, term);
        return true;
    }
    const struct pair_function *known = pair_function_named(function->name);
    if (!known) {
        return fail(error, STATUS_UNSUPPORTED, "interaction %s has no serial reference",
                    function->name);
    }
    term->evaluate = known->evaluate;
    term->in_lanes = known->in_lanes;
    term->kind = known->kind;
    return bind_parameters(known, interaction, function, term, error);
}

static bool bind_terms(const struct interaction *interaction, struct pair_model *model,
                       struct error *error) {
    bool has[TERM_KINDS] = { false };
    for (int f = 0; f < interaction->function_count; f++) {
        struct pair_term *term = &model->terms[model->count++];
        if (!bind_term(interaction, &interaction->functions[f], term, error)) {
            return false;
        }
        has[term->kind] = true;
    }
    model->charged = has[TERM_COULOMB] ||
                     (model->terms[0].formula && formula_is_charged(model->terms[0].formula));
    model->charged = model->charged || interaction->text;
    model->passes_excluded = interaction->text;
    model->of_particles = interaction->text ||
                          (model->terms[0].formula && formula_is_valued(model->terms[0].formula));
    model->energies_apart = has[TERM_VAN_DER_WAALS] && has[TERM_COULOMB];
    return model->count > 0 || fail(error, STATUS_UNSUPPORTED,
                                    "interaction %s has no serial reference", interaction->name);
}

/* ---- types ---- */

/* Several types of a box may have one name. */
static bool is_named(const struct box *box, int32_t type, const char *name) {
    return strncmp(box->species[type], name, SPECIES_SIZE) == 0;
}

static bool require_type(const struct box *box, const char *name, struct error *error) {
    for (int32_t t = 0; t < box->types; t++) {
        if (is_named(box, t, name)) {
            return true;
        }
    }
    return fail(error, STATUS_BAD_INPUT, "the interaction names the type \"%s\"; the box has none",
                name);
}

static double *entry_of(const struct pair_model *model, const struct pair_term *term, int32_t a,
                        int32_t b) {
    const size_t place = (size_t)a * (size_t)model->types + (size_t)b;
    return term->of_types + place * (size_t)(1 + term->parameters);
}

static bool allocate_types(const struct box *box, struct pair_model *model, struct pair_term *term,
                           struct error *error) {
    const size_t pairs = (size_t)box->types * (size_t)box->types;
    model->types = box->types;
    term->of_types = calloc(pairs * (size_t)(1 + term->parameters), sizeof *term->of_types);
    return term->of_types || fail_out_of_memory(error, "the parameters of the types");
}

static void set_entry(const struct pair_term *term, const struct table_entry *record,
                      double function_cutoff, double *entry) {
    entry[0] = isfinite(record->cutoff) ? record->cutoff : function_cutoff;
    memcpy(entry + 1, record->value, (size_t)term->parameters * sizeof *entry);
}

/* A record holds for both orders of its types. */
static void take_record(const struct table_entry *record, const struct box *box,
                        double function_cutoff, const struct pair_model *model,
                        const struct pair_term *term) {
    for (int32_t a = 0; a < box->types; a++) {
        for (int32_t b = 0; is_named(box, a, record->type[0]) && b < box->types; b++) {
            if (is_named(box, b, record->type[1])) {
                set_entry(term, record, function_cutoff, entry_of(model, term, a, b));
                set_entry(term, record, function_cutoff, entry_of(model, term, b, a));
            }
        }
    }
}

/* Pairs of types without a record have no term. */
static bool take_records(const struct interaction *interaction, int f, const struct box *box,
                         const struct pair_model *model, struct error *error) {
    const struct type_table *table = interaction->table;
    const struct pair_term *term = &model->terms[f];
    for (int32_t a = 0; a < box->types; a++) {
        for (int32_t b = 0; b < box->types; b++) {
            entry_of(model, term, a, b)[0] = -1.0;
        }
    }
    for (size_t r = 0; r < table->count; r++) {
        const struct table_entry *record = &table->entries[r];
        if (!require_type(box, record->type[0], error) ||
            !require_type(box, record->type[1], error)) {
            return false;
        }
        if (record->function == f) {
            take_record(record, box, interaction->functions[f].cutoff, model, term);
        }
    }
    return true;
}

/* What the user said of a parameter for one type; else what holds for all. */
static double value_of(const struct interaction *interaction, int parameter, const char *type) {
    double value = interaction->parameters[parameter].value;
    for (int v = 0; v < interaction->type_value_count; v++) {
        const struct interaction_type_value *said = &interaction->type_values[v];
        if (said->parameter == parameter && strncmp(said->type, type, SPECIES_SIZE) == 0) {
            value = said->value;
        }
    }
    return value;
}

/* Like values stay what they are. */
static double mixed(enum pair_mixing mixing, double a, double b) {
    if (a == b || mixing == PAIR_UNMIXED) {
        return a;
    }
    return mixing == PAIR_LORENTZ ? (a + b) / 2.0 : sqrt(a * b);
}

static enum pair_mixing mixing_of(const struct pair_term *term, const char *name, int parameter) {
    return term->formula ? formula_mixing(term->formula, parameter)
                         : pair_function_named(name)->parameters[parameter].mixing;
}

static void mix_types(const struct interaction *interaction, int f, const struct box *box,
                      struct pair_model *model) {
    const struct interaction_function *function = &interaction->functions[f];
    const struct pair_term *term = &model->terms[f];
    for (int32_t a = 0; a < box->types; a++) {
        for (int32_t b = 0; b < box->types; b++) {
            double *entry = entry_of(model, term, a, b);
            entry[0] = term->cutoff;
            for (int p = 0; p < term->parameters; p++) {
                entry[1 + p] = mixed(mixing_of(term, function->name, p),
                                     value_of(interaction, function->first + p, box->species[a]),
                                     value_of(interaction, function->first + p, box->species[b]));
            }
        }
    }
}

static bool bind_types(const struct interaction *interaction, const struct box *box,
                       struct pair_model *model, struct error *error) {
    for (int v = 0; v < interaction->type_value_count; v++) {
        if (!require_type(box, interaction->type_values[v].type, error)) {
            return false;
        }
    }
    if (!interaction->table && interaction->type_value_count == 0) {
        return true;
    }
    for (int f = 0; f < model->count; f++) {
        if (!model->terms[f].formula &&
            !pair_function_named(interaction->functions[f].name)->typed) {
            continue;
        }
        if (!allocate_types(box, model, &model->terms[f], error)) {
            return false;
        }
        if (!interaction->table) {
            mix_types(interaction, f, box, model);
        } else if (!take_records(interaction, f, box, model, error)) {
            return false;
        }
    }
    return true;
}

/* ---- cutoffs ---- */

/* No pair beyond the cutoff counts, so no term may want one. */
static bool check_cutoffs(const struct pair_model *model, double cutoff, struct error *error) {
    for (int t = 0; t < model->count; t++) {
        const struct pair_term *term = &model->terms[t];
        const size_t pairs = (size_t)model->types * (size_t)model->types;
        double longest = isfinite(term->cutoff) ? term->cutoff : 0.0;
        for (size_t k = 0; term->of_types && k < pairs; k++) {
            const double own = term->of_types[k * (size_t)(1 + term->parameters)];
            longest = isfinite(own) ? fmax(longest, own) : longest;
        }
        if (longest > cutoff) {
            return fail(error, STATUS_BAD_INPUT,
                        "a term of the interaction ends at %.9g, beyond the cutoff %.9g", longest,
                        cutoff);
        }
    }
    return true;
}

/* ---- exclusions ---- */

static int by_particle(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Notes each pair of the list with both its particles. */
static void list_excluded(const struct exclusions *exclusions, size_t n, uint32_t *next,
                          struct pair_model *model) {
    const size_t pairs = exclusions_pair_count(exclusions, n);
    int32_t pair[2];
    for (size_t k = 0; k < pairs; k++) {
        exclusions_pair(exclusions, n, k, pair);
        model->excluded_start[pair[0] + 1]++;
        model->excluded_start[pair[1] + 1]++;
    }
    for (size_t i = 0; i < n; i++) {
        model->excluded_start[i + 1] += model->excluded_start[i];
        next[i] = model->excluded_start[i];
    }
    for (size_t k = 0; k < pairs; k++) {
        exclusions_pair(exclusions, n, k, pair);
        model->excluded[next[pair[0]]++] = (uint32_t)pair[1];
        model->excluded[next[pair[1]]++] = (uint32_t)pair[0];
    }
    for (size_t i = 0; i < n; i++) {
        qsort(model->excluded + model->excluded_start[i],
              model->excluded_start[i + 1] - model->excluded_start[i], sizeof *model->excluded,
              by_particle);
    }
}

static bool bind_list(const struct exclusions *exclusions, size_t n, struct pair_model *model,
                      struct error *error) {
    const size_t pairs = exclusions_pair_count(exclusions, n);
    for (size_t k = 0; k < pairs; k++) {
        int32_t pair[2];
        exclusions_pair(exclusions, n, k, pair);
        const int32_t last = pair[0] > pair[1] ? pair[0] : pair[1];
        if ((size_t)last >= n) {
            return fail(error, STATUS_BAD_INPUT, "the exclusions name particle %u; the box has %zu",
                        (unsigned)last + 1, n);
        }
    }
    uint32_t *next = malloc(n * sizeof *next);
    model->excluded_start = calloc(n + 1, sizeof *model->excluded_start);
    model->excluded = malloc((2 * pairs + 1) * sizeof *model->excluded);
    const bool allocated = next && model->excluded_start && model->excluded;
    if (allocated) {
        list_excluded(exclusions, n, next, model);
    }
    free(next);
    return allocated || fail_out_of_memory(error, "the exclusions");
}

static bool bind_exclusions(const struct exclusions *exclusions, const struct box *box,
                            struct pair_model *model, struct error *error) {
    if (!exclusions) {
        return true;
    }
    if (!exclusions_by_molecule(exclusions)) {
        return bind_list(exclusions, box->n, model, error);
    }
    model->molecule = box->molecule;
    return box->molecule || fail(error, STATUS_BAD_INPUT,
                                 "pairs within molecules are excluded; the box says no molecules");
}

static bool leaves_out(const struct pair_model *model, uint32_t a, uint32_t b) {
    if (model->molecule) {
        return model->molecule[a] == model->molecule[b];
    }
    if (!model->excluded) {
        return false;
    }
    const uint32_t *first = model->excluded + model->excluded_start[a];
    return bsearch(&b, first, model->excluded_start[a + 1] - model->excluded_start[a], sizeof b,
                   by_particle) != NULL;
}

bool pair_model_excludes(const struct pair_model *model, uint32_t a, uint32_t b) {
    return !model->passes_excluded && leaves_out(model, a, b);
}

bool pair_model_passes_excluded(const struct pair_model *model, uint32_t a, uint32_t b) {
    return model->passes_excluded && leaves_out(model, a, b);
}

/* ---- values of particles, and texts that find particles ---- */

/* Of a smaller box of the same kind, the first are taken. */
static bool check_values(const struct interaction *interaction, const struct box *box,
                         struct error *error) {
    bool enough = true;
    for (int v = 0; v < interaction->value_count; v++) {
        enough = enough && box && interaction->values[v]->count >= box->n;
    }
    return enough || fail(error, STATUS_BAD_INPUT,
                          "the interaction has values of particles; expected a box, and one value "
                          "per particle of it");
}

/* Whether a text gives some pairs of the box the same energy in both orders. */
static bool is_symmetric(const struct pair_term *term, const struct box *box) {
    enum { TRIED = 16 };
    const double tolerance = 1e-9; /* roundings of sums in another order */
    bool same = true;
    for (size_t k = 0; same && k < TRIED; k++) {
        const uint32_t a = (uint32_t)(k * 7919U % box->n);
        const uint32_t b = (uint32_t)((k * 104729U + 1) % box->n);
        const double r = 0.7 + 0.11 * (double)k;
        struct pair pair = {
            .r = r, .r2 = r * r, .particle = { a, b }, .charge = { box->charge[a], box->charge[b] }
        };
        const struct pair other = {
            .r = r, .r2 = r * r, .particle = { b, a }, .charge = { box->charge[b], box->charge[a] }
        };
        struct pair_value one, two;
        pair_term_evaluate(term, NULL, &pair, &one);
        pair_term_evaluate(term, NULL, &other, &two);
        same = a == b || one.energy == two.energy || isnan(one.energy) || isnan(two.energy) ||
               fabs(one.energy - two.energy) <= tolerance * (fabs(one.energy) + fabs(two.energy));
    }
    return same;
}

static bool bind_texts(const struct interaction *interaction, const struct box *box, double cutoff,
                       struct pair_model *model, struct error *error) {
    if (!interaction->text) {
        return true;
    }
    if (!box) {
        return fail(error, STATUS_UNSUPPORTED, "kernel text is of particles; expected a box");
    }
    const struct kernel_scene scene = { .n = box->n,
                                        .is_periodic = box->periodic,
                                        .cutoff = cutoff };
    return text_program_read(interaction->text, &scene, &model->terms[0].text, error) &&
           (is_symmetric(&model->terms[0], box) ||
            fail(error, STATUS_BAD_INPUT,
                 "%s: the energy changes when the two particles change places",
                 interaction->text->path));
}

/* ---- the whole ---- */

bool pair_model_bind(const struct interaction *interaction, const struct box *box, double cutoff,
                     struct pair_model *model, struct error *error) {
    *model = (struct pair_model){ .types = 0 };
    const bool bound = bind_terms(interaction, model, error) &&
                       (!box || (bind_types(interaction, box, model, error) &&
                                 bind_exclusions(interaction->exclusions, box, model, error))) &&
                       check_values(interaction, box, error) &&
                       bind_texts(interaction, box, cutoff, model, error) &&
                       check_cutoffs(model, cutoff, error);
    if (!bound) {
        pair_model_free(model);
    } else if (box && box->in_double && model->terms[0].formula) {
        formula_in_double(model->terms[0].formula);
    }
    return bound;
}

void pair_model_free(struct pair_model *model) {
    for (int t = 0; t < model->count; t++) {
        free(model->terms[t].of_types);
        formula_free(model->terms[t].formula);
        text_program_free(model->terms[t].text);
    }
    free(model->excluded_start);
    free(model->excluded);
    *model = (struct pair_model){ 0 };
}

void pair_term_evaluate(const struct pair_term *term, const double *parameter,
                        const struct pair *pair, struct pair_value *value) {
    *value = (struct pair_value){ 0 };
    if (term->text) {
        text_program_evaluate(term->text, pair, value);
    } else if (term->formula) {
        formula_evaluate(term->formula, parameter, pair, value);
    } else {
        term->evaluate(parameter, pair, value);
    }
}

double pair_term_for(const struct pair_model *model, int term, const struct pair *pair,
                     const double **parameter) {
    const struct pair_term *own = &model->terms[term];
    if (!own->of_types) {
        *parameter = own->parameter;
        return own->cutoff;
    }
    const double *entry = entry_of(model, own, pair->type[0], pair->type[1]);
    *parameter = entry + 1;
    return entry[0];
}
