#include "measure/kernel_text.h"

#include "variant/embedded.h"
#include "variant/structure.h"

#include <ctype.h>
#include <string.h>

int kernel_text_sums(const struct case_spec *spec, enum build_kind build) {
    if (build == BUILD_COUNTING) {
        return 2;
    }
    return spec->outputs == OUTPUTS_VIRIAL ? 7 : spec->outputs == OUTPUTS_ENERGY ? 1 : 0;
}

/* Messages of the compiler then name the file's own lines. */
static void append_file(struct text *text, const char *path, const char *content) {
    text_append(text, "#line 1 \"%s\"\n%s\n", path, content);
}

static void append_upper(struct text *text, const char *word) {
    for (; *word; word++) {
        const char upper =
            isalnum((unsigned char)*word) ? (char)toupper((unsigned char)*word) : '_';
        text_append_bytes(text, &upper, 1);
    }
}

/* lj:epsilon=1 becomes #define LJ_EPSILON REAL(1.0e+00) */
static void append_parameters(struct text *text, const struct interaction *interaction) {
    for (int i = 0; i < interaction->parameter_count; i++) {
        text_append(text, "#define ");
        append_upper(text, interaction->name);
        text_append(text, "_");
        append_upper(text, interaction->parameters[i].name);
        text_append(text, " REAL(%.17e)\n", interaction->parameters[i].value);
    }
}

static void append_tunings(struct text *text, const struct tunings *tunings) {
    for (int i = 0; i < tunings->count; i++) {
        if (strcmp(tunings->items[i].name, "GROUP_SIZE") != 0) { /* the device's own definition */
            text_append(text, "#define %s %d\n", tunings->items[i].name, tunings->items[i].value);
        }
    }
}

void kernel_text_append(const struct case_spec *spec, enum build_kind build, bool periodic,
                        bool with_cutoff, struct text *text) {
    const bool plain = build == BUILD_PLAIN;
    const struct structure_class *structure = structure_find(spec->variant->structure);
    text_append(text, "#define PERIODIC %d\n#define WITH_CUTOFF %d\n", periodic, with_cutoff);
    text_append(text, "#define WITH_ENERGY %d\n#define WITH_VIRIAL %d\n#define COUNT_PAIRS %d\n",
                plain && spec->outputs != OUTPUTS_FORCES, plain && spec->outputs == OUTPUTS_VIRIAL,
                !plain);
    append_parameters(text, &spec->interaction);
    append_tunings(text, &spec->tunings);
    append_file(text, "variants/pair_words.cl", embedded_text("variants/pair_words.cl"));
    append_file(text, spec->interaction.name, spec->interaction.source);
    if (structure && structure->words) {
        append_file(text, structure->words, embedded_text(structure->words));
    }
    append_file(text, spec->variant->path, spec->variant->text);
}
