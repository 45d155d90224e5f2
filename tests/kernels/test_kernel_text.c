/* The text that a case is compiled from: which definitions stand in it, hence what costs a
 * compilation. */
#include "core/strings.h"
#include "kernels/header/read_variant.h"
#include "kernels/text/kernel_text.h"

#include "support.h"

static const char source[] =
    "/*\n * mine - of this test\n * @workload forces\n * @structure sorted_cells\n"
    " * @pass mine item per particle\n"
    " * @tunable ITEMS 1* 2\n * @tunable CELLS_PER_CUTOFF 1* 2\n * @tunable QUOTED 1* 2\n */\n"
    "// QUOTED is in this comment, and in a string:\n"
    "#pragma message \"QUOTED\"\n"
    "KERNEL void mine(int n, GLOBAL const real4 *RESTRICT sorted_position, GLOBAL accum4 *force) "
    "{\n"
    "    const int first = ITEMS*GLOBAL_ID; /* ITEMS_BEHIND */ const int NOT_QUOTED = 0;\n"
    "}\n";

/* The text with one tunable changed. Caller frees. */
static struct strbuf text_with(const struct variant *variant, const char *name, int value) {
    struct case_spec spec = { .variant = variant };
    struct strbuf text = { 0 };
    struct error error;
    assert_true(interaction_parse("lj", &spec.interaction, &error));
    tunings_preset(variant, &spec.tunings);
    for (int i = 0; i < spec.tunings.count; i++) {
        if (strcmp(spec.tunings.items[i].name, name) == 0) {
            spec.tunings.items[i].value = value;
        }
    }
    kernel_text_append(&spec, BUILD_PLAIN, true, true, false, &text);
    assert_false(text.failed);
    return text;
}

static bool depends_on(const struct variant *variant, const char *name) {
    struct strbuf one = text_with(variant, name, 1);
    struct strbuf two = text_with(variant, name, 2);
    const bool differ = strcmp(one.data, two.data) != 0;
    strbuf_free(&one);
    strbuf_free(&two);
    return differ;
}

TEST(tunables_are_defined_where_the_code_names_them) {
    struct variant variant;
    struct error error;
    assert_true(variant_parse("mine.cl", source, &variant, &error));
    assert_true(depends_on(&variant, "ITEMS"));
    assert_false(depends_on(&variant, "CELLS_PER_CUTOFF")); /* the builder's alone */
    assert_false(depends_on(&variant, "QUOTED"));
    struct strbuf text = text_with(&variant, "ITEMS", 2);
    assert_says(text.data, "#define ITEMS 2\n");
    strbuf_free(&text);
    variant_free(&variant);
}
