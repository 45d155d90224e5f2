/* Kernel files: the header comment, the parameters of the kernels, the words of their tunables, and
 * the text that is compiled. */
#include "commands/search/stored_tunables.h"
#include "core/strings.h"
#include "fuzz_input.h"
#include "kernels/header/read_variant.h"
#include "kernels/text/kernel_text.h"
#include "kernels/variant.h"

static void require_tunables(const struct variant *variant) {
    struct tunings preset;
    char words[TUNING_WORDS_SIZE];
    tunings_preset(variant, &preset);
    tunings_describe(&preset, words, sizeof words);
    fuzz_require(tuning_parse(words, &preset));
}

static void require_text(const struct variant *variant) {
    struct error error = { 0 };
    struct strbuf text = { 0 };
    struct case_spec spec = { .variant = variant,
                              .outputs = OUTPUTS_VIRIAL,
                              .precision = PRECISION_DOUBLE,
                              .cutoff = { .length = 2.5 } };
    const char *words = variant->workload->interactions ? "rational:r0=1" : "lj+ewald-real:alpha=1";
    fuzz_require(interaction_parse(words, &spec.interaction, &error));
    case_preset_tunings(&spec);
    (void)kernel_text_warp_size(&spec, &(struct device_info){ .subgroup_size = 1 });
    kernel_text_append(&spec, BUILD_PLAIN, true, true, false, &text);
    fuzz_require(!text.failed && strstr(text.data, variant->text) != NULL);
    strbuf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = { 0 };
    struct variant variant;
    if (!variant_read_kth(fuzz_file(0, data, size), 0, &variant, &error)) {
        fuzz_require_reason(&error);
        return 0;
    }
    fuzz_require(variant.name[0] != '\0' && variant.pass_count > 0);
    require_tunables(&variant);
    require_text(&variant);
    variant_free(&variant);
    return 0;
}
