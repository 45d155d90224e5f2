/* The words of --interaction. What they come to must read back as the same. */
#include "core/strings.h"
#include "fuzz_input.h"
#include "kernels/potentials/interaction.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = { 0 };
    struct interaction interaction;
    struct interaction again;
    struct switching rational;
    struct strbuf described[2] = { { 0 }, { 0 } };
    char *words = fuzz_words(data, size);
    if (interaction_parse(words, &interaction, &error)) {
        (void)switching_of(&interaction, &rational);
        interaction_describe(&interaction, &described[0]);
        fuzz_require(described[0].length > 0 && !described[0].failed);
        fuzz_require(interaction_parse(described[0].data, &again, &error));
        interaction_describe(&again, &described[1]);
        fuzz_require(strcmp(described[0].data, described[1].data) == 0);
    } else {
        fuzz_require_reason(&error);
    }
    strbuf_free(&described[0]);
    strbuf_free(&described[1]);
    free(words);
    return 0;
}
