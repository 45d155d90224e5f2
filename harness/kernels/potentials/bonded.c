#include "kernels/potentials/bonded.h"

#include "core/error.h"
#include "kernels/expressions/expression.h"
#include "kernels/potentials/pair_text.h"

#include <stdlib.h>
#include <string.h>

const struct bonded_form bonded_forms[LISTED_KINDS] = {
    [BONDED_BONDS] = { "r", "bonds", "--bonds", "a bond", "i,j,k,r0", 2, 2 },
    [BONDED_ANGLES] = { "theta", "angles", "--angles", "an angle",
                        "i,j,k,force_constant,theta0_degrees", 3, 2 },
    [BONDED_TORSIONS] = { "phi", "torsions", "--torsions", "a torsion",
                          "i,j,k,l,force_constant,multiplicity,phi0_degrees", 4, 3 },
    [BONDED_RB_TORSIONS] = { NULL, "rb_torsions", "--rb-torsions", "a Ryckaert-Bellemans torsion",
                             "i,j,k,l,c0,c1,c2,c3,c4,c5", 4, 6 },
    [LISTED_CONSTRAINTS] = { NULL, "constraints", "--constraints", "a constraint", "i,j,length", 2,
                             1 },
};

bool bonded_is_written(const struct bonded_list *list) {
    return list->written.expression || list->written.text;
}

int bonded_parameters(const struct bonded_list *list, const struct bonded_form *form) {
    return bonded_is_written(list) ? list->written.columns : form->parameters;
}

size_t bonded_count(const struct bonded_terms *terms) {
    size_t count = 0;
    for (int kind = 0; kind < LISTED_KINDS; kind++) {
        count += terms->lists[kind].count;
    }
    return count;
}

void bonded_free(struct bonded_terms *terms) {
    for (int kind = 0; kind < LISTED_KINDS; kind++) {
        struct bonded_list *list = &terms->lists[kind];
        free(list->atom);
        free(list->parameter);
        free(list->line);
        free(list->path);
        free(list->written.words);
        expression_free(list->written.expression);
        pair_text_free(list->written.text);
    }
    memset(terms, 0, sizeof *terms);
}

/* False when memory ran out; what there was is kept. */
static bool grow_array(void **array, size_t bytes) {
    void *grown = realloc(*array, bytes);
    if (grown) {
        *array = grown;
    }
    return grown != NULL;
}

static bool make_room(struct bonded_list *list, const struct bonded_form *form) {
    if (list->count < list->capacity) {
        return true;
    }
    const size_t capacity = list->capacity ? 2 * list->capacity : 256;
    void *atom = list->atom;
    void *parameter = list->parameter;
    bool grown = grow_array(&atom, capacity * (size_t)form->atoms * sizeof *list->atom);
    list->atom = atom;
    grown = grown && grow_array(&parameter, capacity * (size_t)bonded_parameters(list, form) *
                                                sizeof *list->parameter);
    list->parameter = parameter;
    if (list->path) {
        void *line = list->line;
        grown = grown && grow_array(&line, capacity * sizeof *list->line);
        list->line = line;
    }
    list->capacity = grown ? capacity : list->capacity;
    return grown;
}

bool bonded_add(struct bonded_terms *terms, enum bonded_kind kind, const int32_t *atom,
                const double *parameter, struct error *error) {
    const struct bonded_form *form = &bonded_forms[kind];
    struct bonded_list *list = &terms->lists[kind];
    if (bonded_count(terms) >= BONDED_MAX_TERMS) {
        return fail(error, STATUS_BAD_INPUT, "more than %d bonded terms", BONDED_MAX_TERMS);
    }
    if (!make_room(list, form)) {
        return fail_out_of_memory(error, "the bonded terms");
    }
    memcpy(list->atom + list->count * (size_t)form->atoms, atom,
           (size_t)form->atoms * sizeof *atom);
    memcpy(list->parameter + list->count * (size_t)bonded_parameters(list, form), parameter,
           (size_t)bonded_parameters(list, form) * sizeof *parameter);
    list->count++;
    return true;
}

void bonded_close(struct bonded_terms *terms) {
    struct hash_state *hash = hash_begin();
    for (int kind = 0; kind < LISTED_KINDS; kind++) {
        const struct bonded_form *form = &bonded_forms[kind];
        const struct bonded_list *list = &terms->lists[kind];
        if (kind < BONDED_KINDS || list->count > 0) {
            hash_add_string(hash, form->name);
        }
        if (list->written.expression) {
            hash_add_string(hash, list->written.expression->text);
        }
        if (list->written.text) {
            hash_add_string(hash, list->written.text->hash);
        }
        if (list->count > 0) {
            hash_add(hash, list->atom, list->count * (size_t)form->atoms * sizeof *list->atom);
            hash_add(hash, list->parameter,
                     list->count * (size_t)bonded_parameters(list, form) * sizeof *list->parameter);
        }
    }
    hash_end(hash, terms->hash);
}

bool bonded_fit(const struct bonded_terms *terms, const struct box *box, struct error *error) {
    for (int kind = 0; kind < LISTED_KINDS; kind++) {
        const struct bonded_form *form = &bonded_forms[kind];
        const struct bonded_list *list = &terms->lists[kind];
        for (size_t a = 0; a < list->count * (size_t)form->atoms; a++) {
            if ((size_t)list->atom[a] < box->n) {
                continue;
            }
            const size_t term = a / (size_t)form->atoms;
            return fail(error, STATUS_BAD_INPUT, "%s:%d: there is no particle %d; the box has %zu",
                        list->path ? list->path : form->name,
                        list->line ? (int)list->line[term] : (int)term + 1, (int)list->atom[a] + 1,
                        box->n);
        }
    }
    return true;
}

void bonded_write(const struct bonded_terms *terms, enum bonded_kind kind, struct strbuf *text) {
    const struct bonded_form *form = &bonded_forms[kind];
    const struct bonded_list *list = &terms->lists[kind];
    strbuf_append(text, "%s\n", form->header);
    for (size_t t = 0; t < list->count; t++) {
        for (int a = 0; a < form->atoms; a++) {
            strbuf_append(text, "%s%d", a ? "," : "",
                          (int)list->atom[t * (size_t)form->atoms + (size_t)a] + 1);
        }
        for (int p = 0; p < bonded_parameters(list, form); p++) {
            strbuf_append(text, ",%.17g",
                          list->parameter[t * (size_t)bonded_parameters(list, form) + (size_t)p]);
        }
        strbuf_append(text, "\n");
    }
}
