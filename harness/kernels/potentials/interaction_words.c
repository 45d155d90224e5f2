/* How an interaction is spelled. */
#include "kernels/potentials/interaction.h"

#include "core/strings.h"
#include "kernels/potentials/bonded.h"
#include "kernels/potentials/exclusions.h"
#include "kernels/potentials/type_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The shortest spelling that reads back as the same number. */
static void append_number(struct strbuf *text, double value) {
    char word[40];
    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(word, sizeof word, "%.*g", digits, value);
        if (strtod(word, NULL) == value) {
            break;
        }
    }
    strbuf_append(text, "%s", word);
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
    bool tabled = interaction->table && interaction_function_may_be_typed(function);
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
    if (interaction->exclusions) {
        strbuf_append(text, "%cexclude=%.16s", first ? ':' : ',',
                      exclusions_identity(interaction->exclusions));
        first = false;
    }
    if (interaction->bonded) {
        strbuf_append(text, "%cterms=%.16s", first ? ':' : ',', interaction->bonded->hash);
    }
}
