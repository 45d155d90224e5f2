/* What a case is called: its words in the columns of rows.csv, its name, and the hash that joins it
 * with the same case of other runs. */
#include "campaign/plan/plan.h"

#include "boxes/box.h"
#include "core/files.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"
#include "kernels/potentials/pair_text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words in columns ---- */

/* Where a case has the value of an axis whose words are numbered: an enum each. */
static const struct {
    enum axis axis;
    size_t at;
} numbered[] = {
    { AXIS_PRECISION, offsetof(struct case_spec, precision) },
    { AXIS_OUTPUTS, offsetof(struct case_spec, outputs) },
    { AXIS_REDUCTION, offsetof(struct case_spec, reduction) },
    { AXIS_DISTRIBUTION, offsetof(struct case_spec, distribution) },
    { AXIS_LIST_FORM, offsetof(struct case_spec, list) },
    { AXIS_LIST_PAIRS, offsetof(struct case_spec, list_pairs) },
    { AXIS_LIST_ENTRIES, offsetof(struct case_spec, list_entries) },
};
enum { NUMBERED = sizeof numbered / sizeof numbered[0] };
_Static_assert(sizeof(enum precision) == sizeof(unsigned),
               "enums are as large as what they are copied by");

static void append_tunables(const struct case_spec *spec, struct strbuf *words) {
    char tunables[TUNINGS_WORDS_SIZE];
    tunings_describe(&spec->tunings, tunables, sizeof tunables);
    strbuf_append(words, "%s", tunables);
}

static bool append_numbered(const struct case_spec *spec, enum column column,
                            struct strbuf *words) {
    for (int n = 0; n < NUMBERED; n++) {
        if (axis_table[numbered[n].axis].column == column) {
            unsigned value;
            memcpy(&value, (const char *)spec + numbered[n].at, sizeof value);
            strbuf_append(words, "%s", axis_value_name(numbered[n].axis, value));
            return true;
        }
    }
    return false;
}

/* The column `outputs`: the distribution of random numbers, the form of lists, else the outputs. */
static bool append_outputs(const struct case_spec *spec, struct strbuf *words) {
    const struct workload *workload = spec->variant->workload;
    if (!axis_is_of(AXIS_LIST_FORM, workload)) {
        return append_numbered(
            spec, axis_is_of(AXIS_DISTRIBUTION, workload) ? COLUMN_DISTRIBUTION : COLUMN_OUTPUTS,
            words);
    }
    bool known = append_numbered(spec, COLUMN_LIST, words);
    strbuf_append(words, "-");
    known = append_numbered(spec, COLUMN_LIST_PAIRS, words) && known;
    strbuf_append(words, "-");
    known = append_numbered(spec, COLUMN_LIST_ENTRIES, words) && known;
    if (spec->box.batch > 1) {
        strbuf_append(words, "-%zu-boxes", spec->box.batch);
    }
    return known;
}

/* Appends what only whole time steps have. */
static bool append_of_steps(const struct case_spec *spec, enum column column,
                            struct strbuf *words) {
    if (!axis_is_of(AXIS_STEPS, spec->variant->workload)) {
        return true;
    }
    if (column == COLUMN_STEPS) {
        strbuf_append(words, "%llu", (unsigned long long)spec->step.steps);
    } else if (column == COLUMN_DT) {
        strbuf_append(words, "%.15g", spec->step.dt);
    } else {
        step_rules_describe(&spec->step, words);
    }
    return true;
}

bool case_words(const struct case_spec *spec, enum column column, struct strbuf *words) {
    const struct variant *variant = spec->variant;
    switch (column) {
    case COLUMN_WORKLOAD:
        strbuf_append(words, "%s", variant->workload->name);
        return true;
    case COLUMN_INTERACTION:
        interaction_describe(&spec->interaction, words);
        return true;
    case COLUMN_VARIANT:
        strbuf_append(words, "%s", variant->name);
        return true;
    case COLUMN_STRUCTURE:
        strbuf_append(words, "%s", variant->structure);
        return true;
    case COLUMN_TUNABLES:
        append_tunables(spec, words);
        return true;
    case COLUMN_TUNED:
        strbuf_append(words, "%s", spec->tuned ? "1" : "");
        return true;
    case COLUMN_GROUPS:
        if (axis_is_of(AXIS_GROUP_A, variant->workload)) {
            group_spec_describe(&spec->group, words);
        }
        return true;
    case COLUMN_OUTPUTS:
        return append_outputs(spec, words);
    case COLUMN_DISTRIBUTION:
        return !axis_is_of(AXIS_DISTRIBUTION, variant->workload) ||
               append_numbered(spec, column, words);
    case COLUMN_LIST:
    case COLUMN_LIST_PAIRS:
    case COLUMN_LIST_ENTRIES:
        return !axis_is_of(AXIS_LIST_FORM, variant->workload) ||
               append_numbered(spec, column, words);
    case COLUMN_BATCH:
        if (spec->box.batch > 1) {
            strbuf_append(words, "%zu", spec->box.batch);
        }
        return true;
    case COLUMN_BATCH_SIZES:
        if (spec->box.sizes.most > 0) {
            strbuf_append(words, "%zu-%zu", spec->box.sizes.least, spec->box.sizes.most);
        }
        return true;
    case COLUMN_STEPS:
    case COLUMN_DT:
    case COLUMN_DYNAMICS:
        return append_of_steps(spec, column, words);
    case COLUMN_EXCHANGE:
        strbuf_append(words, "%s", spec->exchange.by_hilbert ? "hilbert" : "none");
        if (spec->exchange.every > 0) {
            strbuf_append(words, ":%llu", (unsigned long long)spec->exchange.every);
        }
        return true;
    case COLUMN_LAUNCH:
        strbuf_append(words, "%s", axis_value_name(AXIS_LAUNCH, spec->launch));
        if (spec->evaluations > 0) {
            strbuf_append(words, ":%zu", spec->evaluations);
        }
        return true;
    case COLUMN_LONG_RANGE:
        long_range_describe(&spec->long_range, words);
        return true;
    default:
        return append_numbered(spec, column, words);
    }
}

void case_choose(struct case_spec *spec, enum axis axis, size_t value) {
    const unsigned number = (unsigned)value;
    for (int n = 0; n < NUMBERED; n++) {
        if (numbered[n].axis == axis) {
            memcpy((char *)spec + numbered[n].at, &number, sizeof number);
        }
    }
}

bool case_depends_on(const struct case_spec *spec, enum axis axis) {
    return axis_is_of(axis, spec->variant->workload) &&
           (axis != AXIS_REDUCTION || spec->outputs != OUTPUTS_FORCES);
}

/* ---- name ---- */

/* Defaults that a name leaves out. */
static const double default_cutoff = 2.5;
static const uint64_t default_seed = 1;

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
    if (box->periodic[0]) {
        strbuf_append(text, "/periodic:%s", box->periodic);
    }
    if (box->atom_style[0]) {
        strbuf_append(text, "/atom_style:%s", box->atom_style);
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

/* The next column after `column` that came later than names and ids and in which the case is not at
 * the default; `words` are what it has there. Defaults are left out of names and ids, so that these
 * stay what they were before the column came. */
static enum column next_later(const struct case_spec *spec, int column, struct strbuf *words) {
    for (column = column_next(ROLE_IDENTITY, column); column < COLUMN_COUNT;
         column = column_next(ROLE_IDENTITY, column)) {
        const char *absent = column_table[column].absent;
        strbuf_free(words);
        if (absent && case_words(spec, (enum column)column, words) &&
            strcmp(strbuf_text(words), absent) != 0) {
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
                      is_number ? ":" : "", strbuf_text(&words));
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

void case_name(const struct case_spec *spec, char *name, size_t size) {
    struct strbuf text = { 0 };
    const struct workload *workload = spec->variant->workload;
    strbuf_append(&text, "%s/", workload->name);
    if (axis_is_of(AXIS_INTERACTION, workload)) {
        append_interaction(&text, &spec->interaction);
        strbuf_append(&text, "/%s/%s/%s", spec->variant->name, precision_name(spec->precision),
                      outputs_name(spec->outputs));
    } else {
        strbuf_append(&text, "%s/%s", spec->variant->name, precision_name(spec->precision));
    }
    append_box(&text, &spec->box);
    append_groups(&text, &spec->group);
    append_later(spec, &text);
    if (axis_is_of(AXIS_CUTOFF, workload) &&
        !cutoff_same(spec->cutoff, cutoff_of(default_cutoff))) {
        strbuf_append(&text, "/cutoff:");
        cutoff_append(&text, spec->cutoff, 15);
    }
    append_tunings(&text, &spec->tunings);
    (void)snprintf(name, size, "%s", strbuf_text(&text));
    strbuf_free(&text);
}

/* The hash of the file's bytes: as the plan read them or, if it did not, as they are now. False:
 * the file cannot be read. */
static bool find_content(const struct box_spec *box, char content[HASH_TEXT_SIZE]) {
    char *bytes = NULL;
    size_t length = 0;
    struct error ignored;
    memcpy(content, box->content, HASH_TEXT_SIZE);
    if (content[0] || !input_read(box->path, INPUT_BOX_BYTES, &bytes, &length, &ignored)) {
        return content[0] != '\0';
    }
    hash_bytes(bytes, length, content);
    free(bytes);
    return true;
}

/* A box from a file is identified by the file's content or, if it cannot be read, by its path. */
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
    if (box->periodic[0]) {
        hash_add_string(hash, "periodic");
        hash_add_string(hash, box->periodic);
    }
    if (box->atom_style[0]) {
        hash_add_string(hash, "atom_style");
        hash_add_string(hash, box->atom_style);
    }
    if (box->charges[0]) {
        hash_add_string(hash, "charges");
        hash_add_string(hash, box->charges);
    }
}

/* Adds nothing for the default groups, so that ids from before there were groups stay valid. */
static void hash_groups(struct hash_state *hash, const struct case_spec *spec) {
    struct strbuf words = { 0 };
    if (!group_spec_is_default(&spec->group)) {
        group_spec_describe(&spec->group, &words);
        hash_add_string(hash, strbuf_text(&words));
    }
    strbuf_free(&words);
}

static void hash_later(struct hash_state *hash, const struct case_spec *spec) {
    struct strbuf words = { 0 };
    for (enum column column = next_later(spec, -1, &words); column < COLUMN_COUNT;
         column = next_later(spec, column, &words)) {
        hash_add_string(hash, strbuf_text(&words));
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
    hash_add_string(hash, strbuf_text(&words));
    hash_add_string(hash, precision_name(spec->precision));
    hash_add_string(hash, outputs_name(spec->outputs));
    hash_add_string(hash, tunings);
    hash_box(hash, &spec->box);
    hash_groups(hash, spec);
    hash_later(hash, spec);
    hash_end(hash, text);
    strbuf_free(&words);
}
