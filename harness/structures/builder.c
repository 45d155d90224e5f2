/* What the builders of structures share: their tunables, compiling, launches. */
#include "structures/builder.h"

#include "core/embedded.h"
#include "core/error.h"
#include "core/strings.h"

#include <math.h>
#include <string.h>

bool structure_has_tunable(const struct structure_class *structure, const char *name, int *preset) {
    for (; structure; structure = structure->needs) {
        const struct structure_tunable *tunable = structure->tunables;
        for (; tunable && tunable->name; tunable++) {
            if (strcmp(tunable->name, name) == 0) {
                *preset = tunable->preset;
                return true;
            }
        }
    }
    return false;
}

int builder_tunable(const struct structure_input *input, const char *name) {
    int preset = 0;
    (void)structure_has_tunable(input->structure, name, &preset);
    return tunings_value(input->tunings, name, preset);
}

int builder_bits_for(double count) {
    int bits = 1;
    while (bits < 31 && count > ldexp(1, bits)) {
        bits++;
    }
    return bits;
}

static bool any_names(const char *const *texts, const char *word) {
    while (*texts && !strstr(embedded_text(*texts), word)) {
        texts++;
    }
    return *texts;
}

/* Defines only the tunables that the texts name: a program serves all values of the others. */
static void define_tunables(const struct structure_input *input, const char *const *texts,
                            struct strbuf *text) {
    const struct structure_tunable *tunable = input->structure ? input->structure->tunables : NULL;
    for (; tunable && tunable->name; tunable++) {
        if (any_names(texts, tunable->name)) {
            strbuf_append(text, "#define %s %d\n", tunable->name,
                          tunings_value(input->tunings, tunable->name, tunable->preset));
        }
    }
}

bool builder_compile(const struct structure_input *input, const char *const *texts,
                     const struct named_kernels *kernels, struct program **program,
                     struct error *error) {
    return builder_compile_for(input, BUILD_GROUP_SIZE, texts, kernels, program, error);
}

bool builder_compile_for(const struct structure_input *input, int group_size,
                         const char *const *texts, const struct named_kernels *kernels,
                         struct program **program, struct error *error) {
    struct strbuf text = { 0 };
    const char *path = "";
    strbuf_append(&text, "#define PERIODIC %d\n#define WITH_CUTOFF 1\n", input->box->periodic);
    strbuf_append(&text, "%s", cell_is_triclinic(&input->box->cell) ? "#define TRICLINIC 1\n" : "");
    define_tunables(input, texts, &text);
    for (; *texts; texts++) {
        path = *texts;
        strbuf_append(&text, "%s\n", embedded_text(path));
    }
    const struct program_source source = { .name = path,
                                           .precision_words = precision_name(input->precision),
                                           .group_size = group_size,
                                           .of_case = true };
    return program_build(input->device, &source, &text, kernels, program, error);
}

bool builder_launch(struct kernel *kernel, size_t n, const struct argument *arguments, size_t count,
                    struct error *error) {
    const size_t groups = (n + BUILD_GROUP_SIZE - 1) / BUILD_GROUP_SIZE;
    return kernel_launch(kernel, groups, BUILD_GROUP_SIZE, arguments, count, error);
}

bool builder_launch_flagged(struct kernel *kernel, size_t n, struct arguments arguments,
                            struct buffer *flag, struct error *error) {
    return buffer_fill(flag, 0, sizeof(int32_t), error) &&
           builder_launch(kernel, n, arguments.items, arguments.count, error);
}
