#include "kernels/text/kernel_text.h"

#include "core/embedded.h"
#include "devices/compiled_code.h"
#include "kernels/header/read_variant.h"
#include "kernels/structure.h"

#include <ctype.h>
#include <string.h>

int kernel_text_sums(const struct case_spec *spec, enum build_kind build) {
    if (build == BUILD_COUNTING) {
        return 2;
    }
    if (spec->outputs == OUTPUTS_FORCES) {
        return 0;
    }
    return workload_sums(spec->variant->workload, spec->outputs) +
           interaction_energies_apart(&spec->interaction);
}

/* Defines the tunables that the code uses: one that only the builder of a structure reads must not
 * cause a compilation for each of its values. */
static void append_tunings(struct strbuf *text, const struct tunings *tunings, const char *code) {
    for (int i = 0; i < tunings->count; i++) {
        const char *name = tunings->items[i].name;
        /* The device itself defines GROUP_SIZE. */
        if (strcmp(name, "GROUP_SIZE") != 0 && find_in_code(code, name)) {
            strbuf_append(text, "#define %s %d\n", name, tunings->items[i].value);
        }
    }
}

static bool code_uses_any(const char *code, const char *const *words) {
    while (*words && !find_in_code(code, *words)) {
        words++;
    }
    return *words != NULL;
}

/* The words of a structure after those of what it is built from, each text once. */
static void append_structure_words(struct strbuf *text, const struct structure_class *structure) {
    const struct structure_class *below = structure->needs;
    if (below) {
        append_structure_words(text, below);
    }
    const char *words = structure->words;
    for (; below && words; below = below->needs) {
        words = below->words && strcmp(below->words, words) == 0 ? NULL : words;
    }
    if (words) {
        kernel_text_append_file(words, text);
    }
}

/* Whether a text uses any of the words for random numbers. */
static bool code_draws(const char *code) {
    static const char *const words[] = { "philox4x32_10",        "random_block",
                                         "random_uniform4",      "random_gaussian4",
                                         "random_uniform_float", "random_uniform_double",
                                         "random_uniform_quad",  "random_uniform_pair",
                                         "random_gaussian_quad", "random_gaussian_pair",
                                         "random_box_muller",    "random_radial_float",
                                         "RANDOM_DRAWS",         NULL };
    return code_uses_any(code, words);
}

/* Whether the text of the variant, or that of the forces of its steps, does. */
static bool variant_uses_any(const struct variant *variant, const char *const *words) {
    return code_uses_any(variant->text, words) ||
           (variant->forces.variant && code_uses_any(variant->forces.variant->text, words));
}

/* Whether forces are added up by the words for that: other variants may define functions of those
 * names. */
static bool accumulates_by_words(const struct case_spec *spec) {
    static const char *const words[] = { "force_sum", "own_force", NULL };
    return numeric_sums_are_fixed(precision_numeric(spec->precision)) ||
           variant_uses_any(spec->variant, words);
}

static const char step_words[] = "variants/step.cl";
static const char member_order[] = "harness/workloads/member_order.cl";
static const char step_tools[] = "harness/kernels/text/step_tools.cl";
static const char excluded_slope[] = "harness/kernels/text/excluded_slope.cl";
static const char reciprocal_tools[] = "harness/kernels/text/reciprocal_tools.cl";
static const char fixed_tools[] = "harness/kernels/text/fixed_tools.cl";

void kernel_text_append_file(const char *path, struct strbuf *text) {
    strbuf_append_file(text, path, embedded_text(path));
}

static const char rigid[] = "variants/rigid.cl";

/* Appends kernels of the harness that need the words, before the variant, whose definitions must
 * not reach them. */
void kernel_text_append_words_with(const struct case_spec *spec, const char *own,
                                   struct strbuf *text) {
    static const char *const rigid_words[] = { "settle_displacements", "settle_velocities",
                                               "hold_molecules",       "nearest_accum",
                                               "of_molecule",          NULL };
    static const char *const screen_words[] = { "SCREEN_BIT", "screen_32", NULL };
    static const char *const slot_words[] = { "STAGED_POSITIONS", NULL };
    const struct structure_class *structure = spec->variant->structure_class;
    if (accumulates_by_words(spec)) {
        kernel_text_append_file("variants/accumulation.cl", text);
    }
    kernel_text_append_file("variants/box.cl", text);
    kernel_text_append_file("variants/pair.cl", text);
    if (own) {
        kernel_text_append_file(own, text);
    } else if (variant_uses_any(spec->variant, rigid_words)) {
        kernel_text_append_file(rigid, text);
    }
    interaction_text_append(spec, text);
    if (structure) {
        append_structure_words(text, structure);
    }
    if (variant_uses_any(spec->variant, slot_words)) {
        kernel_text_append_file("variants/structures/block_slots.cl", text);
    }
    if (spec->variant->groups == GROUPS_TWO) {
        kernel_text_append_file("variants/group_tile.cl", text);
    }
    if (variant_uses_any(spec->variant, screen_words)) {
        kernel_text_append_file("variants/screen.cl", text);
    }
    if (code_draws(spec->variant->text)) {
        kernel_text_append_file("variants/random.cl", text);
    }
    if (spec->precision == PRECISION_FIXED) {
        kernel_text_append_file(fixed_tools, text);
    }
}

void kernel_text_append_words(const struct case_spec *spec, struct strbuf *text) {
    kernel_text_append_words_with(spec, NULL, text);
}

/* Appends the words. A text in CUDA C++ gets them, and those of the dialect, where it includes
 * them. */
static void append_cuda(const struct case_spec *spec, struct strbuf *text) {
    static const char prelude[] = "harness/devices/cuda/prelude_cuda.h";
    const char *whole = spec->variant->text;
    const char *begin = NULL;
    const char *end = NULL;
    const int line = cuda_text_find_include(whole, "pairmark/pair.cuh", &begin, &end);
    if (line > 0) {
        strbuf_append_line(text, 1, spec->variant->path);
        strbuf_append(text, "%.*s", (int)(begin - whole), whole);
        kernel_text_append_file(prelude, text);
        spec->variant->workload->append_words(spec, text);
        strbuf_append_line(text, line + 1, spec->variant->path);
        strbuf_append(text, "%s\n", end);
    } else {
        strbuf_append_file(text, spec->variant->path, whole);
    }
}

/* Appends the kernels of a step, with early exits where it can exit early. */
static void append_step_kernels(const struct variant *variant, enum early_exit_kind kind,
                                struct strbuf *text) {
    strbuf_append_line(text, 1, variant->path);
    early_exit_append(text, kind, variant->text);
    strbuf_append(text, "\n");
}

/* Appends the kernels that the harness launches around a step, those of the forces, and those of
 * the integrator. */
static void append_steps(const struct case_spec *spec, struct strbuf *text) {
    static const char *const chain_words[] = { "move_links", "held_bath", NULL };
    static const char *const water_words[] = { "of_molecule", NULL };
    static const char *const held_words[] = { "held_particles", NULL };
    kernel_text_append_file(step_words, text);
    kernel_text_append_file(member_order, text);
    kernel_text_append_file(step_tools, text);
    if (spec->long_range.variant) {
        kernel_text_append_file(excluded_slope, text);
        strbuf_append(text, "#define RECIPROCAL_IN_FLOAT %d\n", spec->long_range.in_float);
        kernel_text_append_file(reciprocal_tools, text);
    }
    early_exit_append_words(text);
    append_step_kernels(spec->variant->forces.variant, EARLY_EXIT_FORCES, text);
    if (code_uses_any(spec->variant->text, chain_words)) {
        kernel_text_append_file("variants/chain.cl", text);
    }
    if (code_uses_any(spec->variant->text, water_words)) {
        kernel_text_append_file("variants/waters.cl", text);
    }
    if (code_uses_any(spec->variant->text, held_words)) { /* they use words of the forces */
        kernel_text_append_file("variants/held.cl", text);
    }
    append_step_kernels(spec->variant, EARLY_EXIT_INTEGRATOR, text);
}

/* Appends the text after the definitions. */
static void append_code(const struct case_spec *spec, struct strbuf *text) {
    if (spec->variant->language == LANGUAGE_CUDA) {
        append_cuda(spec, text);
        return;
    }
    spec->variant->workload->append_words(spec, text);
    if (spec->variant->forces.variant) {
        append_steps(spec, text);
    } else {
        strbuf_append_file(text, spec->variant->path, spec->variant->text);
    }
}

bool kernel_text_is_shared(const char *path, enum device_class kind) {
    if (begins_with(path, "variants/")) {
        return begins_with(path, "variants/structures/") || !strchr(strchr(path, '/') + 1, '/');
    }
    return strcmp(path, member_order) == 0 || strcmp(path, step_tools) == 0 ||
           strcmp(path, excluded_slope) == 0 || strcmp(path, reciprocal_tools) == 0 ||
           strcmp(path, fixed_tools) == 0 ||
           strcmp(path, kind == DEVICE_CUDA ? "harness/devices/cuda/prelude_cuda.h"
                                            : "harness/devices/opencl/prelude_opencl.h") == 0;
}

int kernel_text_warp_size(const struct case_spec *spec, const struct device_info *info) {
    static const char *const words[] = { "HAVE_SHUFFLE", "SHUFFLE", "WARP_SIZE", NULL };
    int own = variant_warp_size(spec->variant);
    own = own == 0 && variant_uses_any(spec->variant, words) ? info->subgroup_size : own;
    /* Where the whole group emulates sub-groups, all of it must shuffle together. */
    const bool together =
        !info->subgroups_emulated || tunings_value(&spec->tunings, "GROUP_SIZE", 128) == own;
    const bool has_own = (info->subgroup_sizes & (unsigned)own) != 0;
    const int widest = info->subgroup_size > 1 ? info->subgroup_size : 0;
    return has_own && together ? own : sum_method_of(spec)->by_warps ? widest : 0;
}

/* Defines the macros by which the words of pairs are compiled. */
static void append_pair_definitions(const struct case_spec *spec, enum build_kind build,
                                    bool periodic, bool with_cutoff, bool groups_overlap,
                                    struct strbuf *text) {
    const bool plain = build == BUILD_PLAIN;
    strbuf_append(text, "#define PERIODIC %d\n#define WITH_CUTOFF %d\n", periodic, with_cutoff);
    strbuf_append(text, "#define WITH_ENERGY %d\n#define WITH_VIRIAL %d\n#define COUNT_PAIRS %d\n",
                  plain && spec->outputs != OUTPUTS_FORCES,
                  plain && spec->outputs == OUTPUTS_VIRIAL, !plain);
    sum_method_define(sum_method_of(spec), spec->box.batch, text);
    if (spec->variant->workload->groups != GROUPS_ONE_BIT) {
        strbuf_append(text, "#define GROUPS_OVERLAP %d\n", groups_overlap);
    }
    interaction_text_define(spec, text);
}

void kernel_text_append(const struct case_spec *spec, enum build_kind build, bool periodic,
                        bool with_cutoff, bool groups_overlap, struct strbuf *text) {
    struct strbuf code = { 0 };
    if (kernel_language_is_compiled(spec->variant->language)) {
        strbuf_append(text, "%s", compiled_code_begin(spec->variant->text));
        return;
    }
    if (spec->variant->workload->append_definitions) {
        spec->variant->workload->append_definitions(spec, text);
    } else {
        append_pair_definitions(spec, build, periodic, with_cutoff, groups_overlap, text);
    }
    append_code(spec, &code);
    if (!code.failed) {
        append_tunings(text, &spec->tunings, code.data);
        strbuf_append_bytes(text, code.data, code.length);
    }
    text->failed = text->failed || code.failed;
    strbuf_free(&code);
}

bool kernel_text_compile(struct device *device, const struct case_spec *spec,
                         const struct kernel_build *build, struct program **program,
                         struct error *error) {
    const struct variant *variant = spec->variant;
    struct strbuf text = { 0 };
    const bool is_compiled = kernel_language_is_compiled(variant->language);
    strbuf_append(&text, "%s%s", build->triclinic && !is_compiled ? "#define TRICLINIC 1\n" : "",
                  build->never_halts && !is_compiled ? "#define STEP_HALTS\n" : "");
    kernel_text_append(spec, build->kind, build->periodic, build->with_cutoff,
                       build->groups_overlap, &text);
    const struct program_source source = {
        .name = variant->name,
        .precision_words = precision_name(spec->precision),
        .group_size = tunings_value(&spec->tunings, "GROUP_SIZE", 128),
        .warp_size = kernel_text_warp_size(spec, device_describe(device)),
        .of_case = true,
        .language = is_compiled                          ? SOURCE_COMPILED
                    : variant->language == LANGUAGE_CUDA ? SOURCE_CUDA
                                                         : SOURCE_DIALECT,
        .standard = variant->standard,
        .by_nvcc = variant->by_nvcc,
        .arch_specific = variant->arch_is_exact
    };
    return program_build(device, &source, &text, NULL, program, error);
}

/* Checks what the header of a text asks for: an architecture, and precisions by the types of its
 * parameters. */
static bool check_cuda(const struct case_spec *spec, const char *device, int architecture,
                       struct error *error) {
    const struct variant *variant = spec->variant;
    if (spec->precision == PRECISION_FIXED && !variant_adds_in_fixed_point(variant)) {
        return fail(error, STATUS_UNSUPPORTED, "%s %s", variant->name, variant_not_fixed);
    }
    if (!(variant->precisions >> spec->precision & 1U)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s does not compute in %s: the types of its kernels' parameters are of other "
                    "precisions%s",
                    variant->name, precision_name(spec->precision),
                    kernel_language_is_compiled(variant->language)
                        ? ""
                        : " (real4 and accum4 of pairmark/pair.cuh are right in each)");
    }
    if (!variant->names_arch) {
        return true;
    }
    /* Machine code runs on architectures of its generation, from its own on. */
    const bool same_generation =
        variant->language != LANGUAGE_CUBIN || architecture / 10 == variant->arch / 10;
    return (variant->arch_is_exact ? architecture == variant->arch
                                   : same_generation && architecture >= variant->arch) ||
           fail(error, STATUS_UNSUPPORTED, "%s %s sm_%d%s; %s is sm_%d", variant->name,
                kernel_language_is_compiled(variant->language) ? "is compiled for" : "says @arch",
                variant->arch,
                variant->arch_is_exact                ? "a"
                : variant->language == LANGUAGE_CUBIN ? " (and up, of that generation)"
                                                      : " (and up)",
                device, architecture);
}

/* Refuses cases that a text for one interaction, or without sums, does not compute. */
static bool check_computed(const struct case_spec *spec, struct error *error) {
    const struct variant *variant = spec->variant;
    struct strbuf words = { 0 };
    bool same = true;
    if (*variant->interaction) {
        interaction_describe(&spec->interaction, &words);
        same = words.failed ? fail_out_of_memory(error, "an interaction")
                            : strcmp(words.data, variant->interaction) == 0 ||
                                  fail(error, STATUS_UNSUPPORTED,
                                       "%s says @interaction %s, which alone it computes",
                                       variant->name, variant->interaction);
        strbuf_free(&words);
    }
    static const char *const by_type[] = { "PAIR_FORCE_OF_TYPES", "PAIR_FORCE_OF_TERMS", NULL };
    if (same && (spec->interaction.value_count > 0 || spec->interaction.text) &&
        variant_uses_any(variant, by_type)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s keeps the types of particles beside their positions, not their indices, by "
                    "which %s",
                    variant->name,
                    spec->interaction.text
                        ? "kernel text of an interaction is given particles; and excluded pairs "
                          "are left out before it is reached"
                        : "values of particles are found");
    }
    const bool has_sums =
        spec->outputs == OUTPUTS_FORCES || variant->language == LANGUAGE_DIALECT ||
        !variant->workload->scalars->name || variant_takes(variant, "partial_sums");
    return same && (has_sums ||
                    fail(error, STATUS_UNSUPPORTED,
                         "%s computes forces alone: no kernel takes partial_sums", variant->name));
}

bool kernel_text_check(const struct case_spec *spec, const struct device_info *info,
                       struct error *error) {
    const struct variant *variant = spec->variant;
    if (variant->needs_cuda && info->kind != DEVICE_CUDA) {
        return fail(error, STATUS_UNSUPPORTED, "%s %s", variant->name,
                    variant->language == LANGUAGE_CUDA
                        ? "is written in CUDA C++, and needs a CUDA device"
                    : kernel_language_is_compiled(variant->language)
                        ? "is compiled for NVIDIA's GPUs, and needs a CUDA device"
                        : "needs a CUDA device");
    }
    if (variant->workload->needs_atomics64 && !info->atomics64) {
        return fail(error, STATUS_UNSUPPORTED,
                    "workload %s: %s has no 64-bit atomics (cl_khr_int64_base_atomics)",
                    variant->workload->name, info->name);
    }
    return check_computed(spec, error) && check_cuda(spec, info->name, info->architecture, error);
}

/* ---- sums ---- */

static const char *lacks_warps(const struct device_info *info, bool sums_are_double) {
    (void)sums_are_double;
    return info->subgroup_size <= 1 ? "shuffles within a warp" : NULL;
}

static const char *lacks_atomics(const struct device_info *info, bool sums_are_double) {
    return sums_are_double && !info->atomics64 ? "64-bit atomics" : NULL;
}

static const char *lacks_cub(const struct device_info *info, bool sums_are_double) {
    (void)sums_are_double;
    return info->kind != DEVICE_CUDA ? "CUB, which needs a CUDA device" : NULL;
}

static const struct sum_method methods[] = {
    [REDUCTION_TREE] = { .add = device_sum },
    [REDUCTION_WARP] = { .by_warps = true, .lacks = lacks_warps, .add = device_sum },
    [REDUCTION_ATOMIC] = { .in_place = true, .lacks = lacks_atomics },
    [REDUCTION_CUB] = { .lacks = lacks_cub, .add = device_library_sum },
};

const char *const reduction_names[] = { [REDUCTION_TREE] = "tree",
                                        [REDUCTION_WARP] = "warp",
                                        [REDUCTION_ATOMIC] = "atomic",
                                        [REDUCTION_CUB] = "cub",
                                        NULL };

const struct sum_method *sum_method_of(const struct case_spec *spec) {
    return &methods[spec->reduction];
}

const struct sum_method *sum_method_of_counts(void) {
    return &methods[REDUCTION_TREE];
}

bool sum_method_check(const struct sum_method *method, const struct device_info *info,
                      bool sums_are_double, struct error *error) {
    const char *lacks = method->lacks ? method->lacks(info, sums_are_double) : NULL;
    return !lacks || fail(error, STATUS_UNSUPPORTED, "reduction %s: %s has no %s",
                          reduction_names[method - methods], info->name, lacks);
}

void sum_method_define(const struct sum_method *method, size_t boxes, struct strbuf *text) {
    strbuf_append(text, "#define REDUCTION_WARP %d\n#define REDUCTION_ATOMIC %d\n",
                  method->by_warps, method->in_place);
    if (method->in_place && boxes > 1) {
        strbuf_append(text, "#define SUM_BOXES %zu\n", boxes);
    }
}

/* ---- early exit ---- */

/* The next place of any of the characters outside of comments and strings; the end where there is
 * none. */
static const char *find_any(const char *c, const char *characters) {
    while (*c && !strchr(characters, *c)) {
        const char *behind = skip_quoted(c);
        c = behind > c ? behind : c + 1;
    }
    return c;
}

/* The parenthesis that closes the one at c; the end where none does. */
static const char *find_closing(const char *c) {
    int depth = 0;
    for (c = find_any(c, "()"); *c; c = find_any(c + 1, "()")) {
        depth += *c == '(' ? 1 : -1;
        if (depth == 0) {
            break;
        }
    }
    return c;
}

/* Whether nothing but blanks lies between two places. */
static bool is_blank(const char *begin, const char *end) {
    while (begin < end && isspace((unsigned char)*begin)) {
        begin++;
    }
    return begin == end;
}

void early_exit_append_words(struct strbuf *text) {
    strbuf_append(text, "#ifndef STEP_HALTS\n"
                        "#define STEP_HALTS if (*step_halted != 0) { return; }\n"
                        "#define STEP_HALTS_BEFORE "
                        "if (*step_halted != 0 && *step_halted != step_mark) { return; }\n"
                        "#define LOOK_HOW_FAR(i, position, box) "
                        "if (step_mark != 0 && "
                        "!(displacement((position)[i], step_built[i], box).w <= step_way2)) "
                        "{ (void)ATOMIC_EXCHANGE(step_halted, step_mark); }\n"
                        "#else\n"
                        "#define STEP_HALTS_BEFORE\n"
                        "#define LOOK_HOW_FAR(i, position, box)\n"
                        "#endif\n");
}

bool early_exit_looks_how_far(const char *kernels) {
    return find_in_code(kernels, "LOOK_HOW_FAR") != NULL;
}

void early_exit_append(struct strbuf *text, enum early_exit_kind kind, const char *kernels) {
    static const char *const parameters[] = {
        [EARLY_EXIT_FORCES] = "GLOBAL const int *RESTRICT step_halted",
        [EARLY_EXIT_INTEGRATOR] = "GLOBAL int *RESTRICT step_halted, GLOBAL const real4 *RESTRICT "
                                  "step_built, real step_way2, int step_mark"
    };
    static const char *const statements[] = {
        [EARLY_EXIT_FORCES] = "STEP_HALTS", [EARLY_EXIT_INTEGRATOR] = "STEP_HALTS_BEFORE"
    };
    const char *rest = kernels;
    for (const char *kernel = find_in_code(rest, "KERNEL"); kernel;
         kernel = find_in_code(rest, "KERNEL")) {
        const char *open = find_any(kernel, "({;");
        const char *close = *open == '(' ? find_closing(open) : open;
        const char *body = *close == ')' ? find_any(close, "{;") : close;
        strbuf_append_bytes(text, rest, (size_t)(kernel - rest));
        rest = kernel;
        if (*body != '{' || *close != ')') {
            continue;
        }
        strbuf_append_bytes(text, kernel, (size_t)(close - kernel));
        strbuf_append(text, "%s %s", is_blank(open + 1, close) ? "" : ",", parameters[kind]);
        strbuf_append_bytes(text, close, (size_t)(body + 1 - close));
        strbuf_append(text, " %s", statements[kind]);
        rest = body + 1;
    }
    strbuf_append(text, "%s", rest);
}
