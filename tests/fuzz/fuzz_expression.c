/* The words of an expression, as an option and as a file. What it comes to must read back as the
 * same, and the reference must understand it. */
#include "fuzz_input.h"
#include "kernels/expressions/expression.h"
#include "kernels/potentials/interaction.h"
#include "reference/pairs/reference.h"

static void try_reading(const char *words, const char *path) {
    struct error error = { 0 };
    struct expression *expression = NULL;
    struct expression *again = NULL;
    struct interaction interaction;
    double energy, force, slope;
    if (!expression_parse(words, path, &expression, &error)) {
        fuzz_require_reason(&error);
        return;
    }
    fuzz_require(expression->kernel[0] && expression->kernel[1]);
    if (expression->table_count == 0) { /* else the text has a hash in the place of a file */
        fuzz_require(expression_parse(expression->text, NULL, &again, &error));
        fuzz_require(strcmp(expression->text, again->text) == 0);
    }
    if (interaction_of_expression(expression, &interaction, &error)) {
        fuzz_require(reference_pair(&interaction, 1.25, &energy, &force, &slope, &error));
    } else {
        fuzz_require_reason(&error);
    }
    expression_free(expression);
    expression_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *words = fuzz_words(data, size);
    try_reading(words, NULL);
    try_reading(words, "file");
    free(words);
    return 0;
}
