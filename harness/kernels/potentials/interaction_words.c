/* How an interaction is spelled, and the interaction that an expression is. */
#include "kernels/potentials/interaction.h"

#include "core/quantity.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"
#include "kernels/potentials/bonded.h"
#include "kernels/potentials/element_table.h"
#include "kernels/potentials/exclusions.h"
#include "kernels/potentials/type_table.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void append_number(struct strbuf *text, double value) {
    strbuf_append(text, "%s", quantity_shortest(value).text);
}

/* ":" before the first assignment, "," before the others, and the name as it must be said. */
static void append_name(struct strbuf *text, const struct interaction *interaction, int f,
                        const char *name, bool *first) {
    strbuf_append(text, "%c", *first ? ':' : ',');
    *first = false;
    if (interaction_count_owners(interaction, name, strlen(name)) > 1) {
        strbuf_append(text, "%s.", interaction->functions[f].name);
    }
    strbuf_append(text, "%s", name);
}

static void describe_function(const struct interaction *interaction, int f, bool *first,
                              struct strbuf *text) {
    const struct interaction_function *function = &interaction->functions[f];
    bool tabled = interaction->elements ||
                  (interaction->table && interaction_function_may_be_typed(function));
    for (int p = function->first; p < function->first + function->count && !tabled; p++) {
        append_name(text, interaction, f, interaction->parameters[p].name, first);
        strbuf_append(text, "=");
        append_number(text, interaction->parameters[p].value);
        for (int v = 0; v < interaction->type_value_count; v++) {
            const struct interaction_type_value *typed = &interaction->type_values[v];
            if (typed->parameter == p) {
                append_name(text, interaction, f, interaction->parameters[p].name, first);
                strbuf_append(text, ".%s=", typed->type);
                append_number(text, typed->value);
            }
        }
    }
    if (isfinite(function->cutoff) && function->cutoff_parameter < 0) {
        append_name(text, interaction, f, "cutoff", first);
        strbuf_append(text, "=");
        append_number(text, function->cutoff);
    }
}

void interaction_describe(const struct interaction *interaction, struct strbuf *text) {
    const bool written = interaction->expression_text != NULL;
    bool first = !written;
    strbuf_append(text, "%s", written ? interaction->expression_text : interaction->name);
    for (int f = 0; !written && f < interaction->function_count; f++) {
        describe_function(interaction, f, &first, text);
    }
    if (interaction->table) {
        strbuf_append(text, "%ctable=%.16s", first ? ':' : ',',
                      type_table_hash(interaction->table));
        first = false;
    }
    if (interaction->eam) {
        strbuf_append(text, "%ctable=%.16s", first ? ':' : ',', interaction->eam->hash);
        first = false;
    }
    if (interaction->elements) {
        strbuf_append(text, "%ctable=%.16s", first ? ':' : ',', interaction->elements->hash);
        first = false;
    }
    if (interaction->exclusions) {
        strbuf_append(text, "%cexclude=%.16s", first ? ':' : ',',
                      exclusions_identity(interaction->exclusions));
        first = false;
    }
    if (interaction->bonded) {
        strbuf_append(text, "%cterms=%.16s", first ? ':' : ',', interaction->bonded->hash);
    }
}

/* ---- expressions ---- */

static enum mixing mixing_of(enum expression_mixing mixing) {
    switch (mixing) {
    case EXPRESSION_ARITHMETIC:
        return MIXING_ARITHMETIC;
    case EXPRESSION_GEOMETRIC:
        return MIXING_GEOMETRIC;
    default:
        return MIXING_NONE;
    }
}

static bool take_type_values(const struct expression *expression, struct interaction *interaction,
                             struct error *error) {
    for (int v = 0; v < expression->type_value_count; v++) {
        const struct expression_type_value *from = &expression->type_values[v];
        struct interaction_type_value *to =
            &interaction->type_values[interaction->type_value_count++];
        const struct interaction_parameter *parameter = &interaction->parameters[from->parameter];
        to->parameter = from->parameter;
        (void)snprintf(to->type, sizeof to->type, "%s", from->type);
        to->value = from->value;
        if (parameter->mixing == MIXING_GEOMETRIC && !(parameter->value >= 0)) {
            return fail(error, STATUS_BAD_INPUT, "interaction %s: %s must not be negative",
                        interaction->name, parameter->name);
        }
    }
    return true;
}

bool interaction_of_expression(const struct expression *expression, struct interaction *interaction,
                               struct error *error) {
    static_assert((int)EXPRESSION_MAX_PARAMETERS <= (int)INTERACTION_MAX_PARAMETERS &&
                      (int)EXPRESSION_MAX_TYPE_VALUES <= (int)INTERACTION_MAX_TYPE_VALUES,
                  "an interaction has room for what an expression has");
    memset(interaction, 0, sizeof *interaction);
    struct interaction_function *function = &interaction->functions[0];
    interaction->expression = expression;
    interaction->expression_text = expression->text;
    interaction->expression_words = expression->words;
    interaction->expression_tables = expression->table_texts;
    interaction->expression_table_count = expression->table_count;
    interaction->values = expression->values;
    interaction->value_count = expression->value_count;
    interaction->flops_distance = 9;
    interaction->flops_pair = expression->operations;
    interaction->function_count = 1;
    (void)snprintf(interaction->name, sizeof interaction->name, "expression");
    *function = (struct interaction_function){ .path = expression->path,
                                               .source = expression->kernel[0],
                                               .kind = TERM_VAN_DER_WAALS,
                                               .count = expression->parameter_count,
                                               .cutoff = INFINITY,
                                               .cutoff_parameter = -1 };
    (void)snprintf(function->name, sizeof function->name, "expression");
    for (int p = 0; p < expression->parameter_count; p++) {
        const struct expression_definition *from =
            &expression->definitions[expression->parameters[p]];
        struct interaction_parameter *to = &interaction->parameters[p];
        (void)snprintf(to->name, sizeof to->name, "%s", from->name);
        to->value = from->value;
        to->mixing = mixing_of(from->mixing);
    }
    interaction->parameter_count = expression->parameter_count;
    return take_type_values(expression, interaction, error);
}
