#include "kernels/case.h"

#include "boxes/kinds/make.h"
#include "campaign/axes/axes.h"
#include "core/error.h"
#include "core/input_file.h"
#include "core/strbuf.h"
#include "kernels/expressions/expression.h"
#include "kernels/holds.h"
#include "kernels/potentials/pair_text.h"
#include "kernels/potentials/type_table.h"
#include "kernels/type_table_place.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a name leaves unsaid. */
static const double default_cutoff = 2.5;
static const uint64_t default_seed = 1;

/* The density that a made box will have. */
static double box_spec_density(const struct box_spec *box) {
    return box->density > 0 ? box->density : box_default_density(box->kind);
}

/* The name alone where every parameter is at its default, else the full spelling. */
static void append_interaction(struct strbuf *text, const struct interaction *interaction) {
    struct strbuf full = { 0 };
    struct strbuf plain = { 0 };
    struct interaction defaults;
    struct error ignored;
    if (interaction->expression) { /* long, and of any letters: by its hash */
        strbuf_append(text, "%s-%.8s", interaction->name, interaction->expression->hash);
        return;
    }
    if (interaction->text) {
        strbuf_append(text, "%s-%.8s", interaction->name, interaction->text->hash);
        return;
    }
    interaction_describe(interaction, &full);
    if (interaction_parse(interaction->name, &defaults, &ignored)) {
        interaction_describe(&defaults, &plain);
    }
    bool usual = full.data && plain.data && strcmp(full.data, plain.data) == 0;
    strbuf_append(text, "%s", usual || !full.data ? interaction->name : full.data);
    strbuf_free(&full);
    strbuf_free(&plain);
}

static void append_box(struct strbuf *text, const struct box_spec *box) {
    const bool is_none = strcmp(box->kind, "none") == 0;
    if (!is_none) {
        strbuf_append(text, "/%s%s", box->path[0] ? box->path : box->kind,
                      box->open ? "/open" : "");
    }
    if (box->charges[0]) {
        strbuf_append(text, "/charges:%s", box->charges);
    }
    if (box->n > 0) {
        strbuf_append(text, "/n:%zu", box->n);
    }
    if (box->path[0]) {
        return;
    }
    if (box->density > 0 && box->density != box_default_density(box->kind)) {
        strbuf_append(text, "/density:%.15g", box->density);
    }
    if (box->seed != default_seed) {
        strbuf_append(text, "/seed:%llu", (unsigned long long)box->seed);
    }
}

/* "/ratio:1000:1", "/a:1-100/b:101-300/pairs"; nothing where all pairs of all particles count. */
static void append_groups(struct strbuf *text, const struct group_spec *group) {
    struct strbuf words = { 0 };
    if (group_spec_is_default(group)) {
        return;
    }
    group_spec_describe(group, &words);
    strbuf_append(text, "/");
    for (const char *c = words.data; c && *c; c++) {
        strbuf_append(text, "%c", *c == ' ' ? '/' : *c == '=' ? ':' : *c);
    }
    text->failed = text->failed || words.failed;
    strbuf_free(&words);
}

/* Axes that came later have a default, which leaves names and ids as they were; other values go
 * into both. The next such column of the case after `column`, with its words. */
static enum column next_later(const struct case_spec *spec, int column, struct strbuf *words) {
    for (column = column_next(ROLE_IDENTITY, column); column < COLUMN_COUNT;
         column = column_next(ROLE_IDENTITY, column)) {
        const char *absent = column_table[column].absent;
        strbuf_free(words);
        if (absent && case_words(spec, (enum column)column, words) &&
            strcmp(words->data ? words->data : "", absent) != 0) {
            break;
        }
    }
    return (enum column)column;
}

static void append_later(const struct case_spec *spec, struct strbuf *text) {
    struct strbuf words = { 0 };
    for (enum column column = next_later(spec, -1, &words); column < COLUMN_COUNT;
         column = next_later(spec, column, &words)) {
        const bool is_number = column_table[column].type != COLUMN_TYPE_TEXT;
        for (char *c = words.data; c && *c; c++) {
            *c = *c == ' ' ? '/' : *c;
        }
        strbuf_append(text, "/%s%s%s", is_number ? column_table[column].name : "",
                      is_number ? ":" : "", words.data ? words.data : "");
    }
    strbuf_free(&words);
}

static void append_tunings(struct strbuf *text, const struct tunings *tunings) {
    char words[TUNINGS_WORDS_SIZE];
    tunings_describe(tunings, words, sizeof words);
    for (char *c = words; *c; c++) {
        *c = *c == ' ' ? ',' : *c;
    }
    if (words[0]) {
        strbuf_append(text, "/%s", words);
    }
}

int case_tunable_count(const struct case_spec *spec) {
    return spec->variant->tunable_count + interaction_has_types(&spec->interaction);
}

const struct tunable *case_tunable(const struct case_spec *spec, int index) {
    return index < spec->variant->tunable_count ? &spec->variant->tunables[index]
                                                : &type_table_tunable;
}

/* ---- what tunables hold ---- */

/* Of a box in a file the cutoff may depend on its cell, which the case does not have. */
static double half_height(const struct box_spec *box) {
    return *box->path ? NAN : box_least_height(box->kind, box->n, box->density) / 2;
}

static bool find_quantity(const void *context, const char *name, double *value) {
    const struct case_spec *spec = context;
    const struct box_spec *box = &spec->box;
    if (strcmp(name, "n") == 0) {
        *value = (double)box->n;
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

void case_name(const struct case_spec *spec, char *name, size_t size) {
    struct strbuf text = { 0 };
    const struct workload *workload = spec->variant->workload;
    strbuf_append(&text, "%s/", workload->name);
    if (workload->is_of_draws) {
        strbuf_append(&text, "%s/%s", spec->variant->name, precision_name(spec->precision));
    } else {
        append_interaction(&text, &spec->interaction);
        strbuf_append(&text, "/%s/%s/%s", spec->variant->name, precision_name(spec->precision),
                      outputs_name(spec->outputs));
    }
    append_box(&text, &spec->box);
    append_groups(&text, &spec->group);
    append_later(spec, &text);
    if (!cutoff_same(spec->cutoff, cutoff_of(default_cutoff)) && !workload->cutoff_is_its_own &&
        !workload->is_of_draws) {
        strbuf_append(&text, "/cutoff:");
        cutoff_append(&text, spec->cutoff, 15);
    }
    append_tunings(&text, &spec->tunings);
    (void)snprintf(name, size, "%s", text.data ? text.data : "");
    strbuf_free(&text);
}

size_t case_drawn_bytes(const struct case_spec *spec) {
    return spec->distribution == DISTRIBUTION_WORDS
               ? sizeof(uint32_t)
               : format_bytes(precision_numeric(spec->precision).position);
}

/* The hash of the file's bytes: the plan's, which read it, or else of what it holds now. False: it
 * cannot be read. */
static bool find_content(const struct box_spec *box, char content[HASH_TEXT_SIZE]) {
    char *bytes = NULL;
    size_t length = 0;
    struct error ignored;
    memcpy(content, box->content, HASH_TEXT_SIZE);
    if (content[0] || !input_read(box->path, INPUT_BOX_BYTES, &bytes, &length, &ignored)) {
        return content[0] != '\0';
    }
    struct hash_state *hash = hash_begin();
    hash_add(hash, bytes, length);
    hash_end(hash, content);
    free(bytes);
    return true;
}

/* A file is what it holds, wherever it lies; one that cannot be read is at least its path. */
static void hash_box(struct hash_state *hash, const struct box_spec *box) {
    char content[HASH_TEXT_SIZE];
    if (box->path[0] && find_content(box, content)) {
        hash_add_string(hash, "file");
        hash_add_string(hash, content);
    } else if (box->path[0]) {
        hash_add_string(hash, "path");
        hash_add_string(hash, box->path);
    } else {
        double density = box_spec_density(box);
        uint64_t numbers[3] = { box->n, box->seed, box->open };
        hash_add_string(hash, box->kind);
        hash_add(hash, numbers, sizeof numbers);
        hash_add(hash, &density, sizeof density);
    }
    if (box->charges[0]) {
        hash_add_string(hash, "charges");
        hash_add_string(hash, box->charges);
    }
}

/* Nothing where they are as they were before there were any, so that old ids stay. */
static void hash_groups(struct hash_state *hash, const struct case_spec *spec) {
    struct strbuf words = { 0 };
    if (!group_spec_is_default(&spec->group)) {
        group_spec_describe(&spec->group, &words);
        hash_add_string(hash, words.data ? words.data : "");
    }
    strbuf_free(&words);
}

static void hash_later(struct hash_state *hash, const struct case_spec *spec) {
    struct strbuf words = { 0 };
    for (enum column column = next_later(spec, -1, &words); column < COLUMN_COUNT;
         column = next_later(spec, column, &words)) {
        hash_add_string(hash, words.data ? words.data : "");
    }
    strbuf_free(&words);
}

void case_id(const struct case_spec *spec, char text[HASH_TEXT_SIZE]) {
    struct strbuf words = { 0 };
    char tunings[TUNINGS_WORDS_SIZE];
    tunings_describe(&spec->tunings, tunings, sizeof tunings);
    interaction_describe(&spec->interaction, &words);
    strbuf_append(&words, " cutoff ");
    cutoff_append(&words, spec->cutoff, 17);
    struct hash_state *hash = hash_begin();
    hash_add_string(hash, spec->variant->workload->name);
    hash_add_string(hash, spec->variant->name);
    hash_add_string(hash, spec->variant->text ? spec->variant->text : "");
    if (spec->variant->forces.variant) {
        hash_add_string(hash, spec->variant->forces.variant->text);
    }
    hash_add_string(hash, words.data ? words.data : "");
    hash_add_string(hash, precision_name(spec->precision));
    hash_add_string(hash, outputs_name(spec->outputs));
    hash_add_string(hash, tunings);
    hash_box(hash, &spec->box);
    hash_groups(hash, spec);
    hash_later(hash, spec);
    hash_end(hash, text);
    strbuf_free(&words);
}

bool case_is_long_on_cpu(const struct case_spec *spec) {
    enum { MOST = 20000 };
    const struct workload *workload = spec->variant->workload;
    return spec->box.n > MOST && strcmp(spec->variant->structure, "none") == 0 &&
           !workload->takes_terms && !workload->is_of_draws;
}
