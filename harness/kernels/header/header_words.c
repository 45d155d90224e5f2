#include "kernels/header/header_parts.h"

#include "core/error.h"
#include "core/strings.h"
#include "kernels/launch.h"
#include "kernels/potentials/interaction.h"
#include "kernels/potentials/type_table.h"
#include "kernels/schedule.h"
#include "kernels/structure.h"
#include "kernels/variant.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool take_word(const char **rest, char word[VARIANT_NAME_SIZE]) {
    return cut_word(rest, word, VARIANT_NAME_SIZE);
}

/* Which workloads there are. */
bool header_refuse_workload(const struct header_reader *reader, const char *word) {
    struct strbuf names = { 0 };
    workloads_list(&names);
    const char *expected = names.data ? names.data : "another";
    (void)(word ? header_fail(reader, "unknown @workload \"%s\"; expected %s", word, expected)
                : header_fail(reader, "the header names no workload; expected @workload %s",
                              expected));
    strbuf_free(&names);
    return false;
}

static bool serves(const struct variant *variant, const struct workload *workload) {
    for (int w = 0; w < variant->workload_count; w++) {
        if (variant->workloads[w] == workload) {
            return true;
        }
    }
    return false;
}

static bool parse_workload(struct header_reader *reader, const char *rest,
                           struct variant *variant) {
    char word[VARIANT_NAME_SIZE] = "";
    if (variant->workload_count > 0) {
        return header_fail(reader, "@workload stands twice");
    }
    do {
        const struct workload *workload = take_word(&rest, word) ? workload_find(word) : NULL;
        if (!workload || variant->workload_count == VARIANT_MAX_WORKLOADS) {
            return header_refuse_workload(reader, word);
        }
        if (serves(variant, workload)) {
            return header_fail(reader, "@workload names %s twice", word);
        }
        variant->workloads[variant->workload_count++] = workload;
    } while (*rest);
    const bool has_steps = workload_has_word(variant->workloads[0], "@forces");
    if (has_steps && variant->workload_count > 1) {
        return header_fail(reader, "@workload %s: expected no other beside it",
                           variant->workloads[0]->name);
    }
    if (!has_steps && variant->kth >= variant->workload_count) {
        return header_fail(reader, "@workload names %d", variant->workload_count);
    }
    variant->workload = variant->workloads[has_steps ? 0 : variant->kth];
    return true;
}

/* Every file has a name; @name is that of the variant that it is to one workload of several. */
static bool parse_name(struct header_reader *reader, const char *rest, struct variant *variant) {
    return (take_word(&rest, variant->name) && !*rest && is_identifier(variant->name)) ||
           header_fail(reader, "expected: @name NAME for WORKLOAD");
}

static bool parse_groups(struct header_reader *reader, const char *rest, struct variant *variant) {
    if (variant->names_groups) {
        return header_fail(reader, "@groups stands twice");
    }
    variant->names_groups = true;
    return group_mode_from_name(rest, &variant->groups) ||
           header_fail(reader, "unknown @groups \"%s\"; expected one, two or pairs", rest);
}

/* Whether any workload has a result of that name. */
static bool is_result(const char *name) {
    for (size_t w = 0; workloads[w]; w++) {
        const struct workload_parameter *parameters = workload_result(workloads[w])->parameters;
        for (int p = 0; p < WORKLOAD_MAX_PARAMETERS; p++) {
            if (parameters[p].name && strcmp(parameters[p].name, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Whether the workload has such an array is seen when the whole header is known. */
static bool parse_accumulates(struct header_reader *reader, const char *rest,
                              struct variant *variant) {
    variant->accumulates = true;
    const char *const words = rest;
    if (take_word(&rest, variant->accumulated) && !*rest && is_result(variant->accumulated)) {
        return true;
    }
    return header_fail(reader,
                       "@accumulates \"%s\"; expected the parameter by which kernels write the "
                       "result of the workload: force, or another",
                       words);
}

static bool parse_structure(struct header_reader *reader, const char *rest,
                            struct variant *variant) {
    if (*variant->structure) {
        return header_fail(reader, "@structure stands twice");
    }
    if (take_word(&rest, variant->structure) && !*rest) {
        variant->structure_class = structure_find(variant->structure);
    }
    if (variant->structure_class) {
        return true;
    }
    struct strbuf choices = { 0 };
    for (size_t i = 0; structure_classes[i]; i++) {
        strbuf_append(&choices, "%s%s", i ? ", " : "", structure_classes[i]->name);
    }
    (void)header_fail(reader, "unknown @structure \"%s\"; expected one of %s", variant->structure,
                      strbuf_text(&choices));
    strbuf_free(&choices);
    return false;
}

/* KERNEL grid ..., of CUDA C++ alone. */
static bool parse_launch(struct header_reader *reader, const char *rest,
                         const struct variant *variant, struct pass *pass) {
    if (variant->language == LANGUAGE_DIALECT) {
        return header_fail(reader,
                           "@pass %s grid: a file of the dialect is launched by item or group per "
                           "UNIT; grids are of CUDA C++, in a file that ends in .cu",
                           pass->kernel);
    }
    pass->launch = malloc(sizeof *pass->launch);
    if (!pass->launch) {
        return fail_out_of_memory(reader->error, variant->path);
    }
    return launch_parse(rest, pass->launch) ||
           header_fail(reader,
                       "@pass %s: expected grid COUNT[, COUNT[, COUNT]] block COUNT[, ...] "
                       "[shared BYTES] [cluster COUNT[, ...]], each a count such as "
                       "particle / 16 + 1",
                       pass->kernel);
}

/* KERNEL (item|group) per UNIT [/ TUNABLE] [* TUNABLE] */
static bool parse_shape(struct header_reader *reader, const char *rest,
                        const struct variant *variant, struct pass *pass) {
    static const char expected[] =
        "expected: @pass KERNEL item|group per UNIT [/ TUNABLE] [* TUNABLE]";
    char word[VARIANT_NAME_SIZE];
    if (!take_word(&rest, pass->kernel) || !is_identifier(pass->kernel) ||
        !take_word(&rest, word)) {
        return header_fail(reader, "%s", expected);
    }
    if (strcmp(word, "grid") == 0) {
        return parse_launch(reader, rest, variant, pass);
    }
    pass->per_group = strcmp(word, "group") == 0;
    if ((!pass->per_group && strcmp(word, "item") != 0) || !take_word(&rest, word) ||
        strcmp(word, "per") != 0 || !take_word(&rest, pass->unit)) {
        return header_fail(reader, "%s", expected);
    }
    while (*rest) {
        char sign[VARIANT_NAME_SIZE];
        if (!take_word(&rest, sign) || !take_word(&rest, word) ||
            (strcmp(sign, "/") != 0 && strcmp(sign, "*") != 0)) {
            return header_fail(reader, "%s", expected);
        }
        char *factor = sign[0] == '/' ? pass->divisor : pass->multiplier;
        if (*factor) {
            return header_fail(reader, "%s", expected); /* the same sign twice */
        }
        (void)snprintf(factor, VARIANT_NAME_SIZE, "%s", word);
    }
    return true;
}

/* @forces: where the passes of the variant that computes forces stand, and which variant. */
static bool parse_forces(struct header_reader *reader, const char *rest, struct variant *variant) {
    struct variant_forces *forces = &variant->forces;
    if (forces->name_count > 0) {
        return header_fail(reader, "@forces stands twice");
    }
    forces->first = variant->pass_count;
    do {
        if (forces->name_count == VARIANT_MAX_FORCES ||
            !take_word(&rest, forces->names[forces->name_count])) {
            return header_fail(reader, "expected: @forces VARIANT [VARIANT...], %d at most",
                               VARIANT_MAX_FORCES);
        }
        forces->name_count++;
    } while (*rest);
    return true;
}

static bool parse_integrator(struct header_reader *reader, const char *rest,
                             struct variant *variant) {
    return (take_word(&rest, variant->integrator) && !*rest) ||
           header_fail(reader, "expected: @integrator NAME");
}

static bool parse_thermostat(struct header_reader *reader, const char *rest,
                             struct variant *variant) {
    return (take_word(&rest, variant->thermostat) && !*rest) ||
           header_fail(reader, "expected: @thermostat NAME");
}

/* STRUCTURE [TUNABLE] */
static bool parse_fills(struct header_reader *reader, const char *rest, struct variant *variant) {
    return (!*variant->fills && take_word(&rest, variant->fills) &&
            (!*rest || take_word(&rest, variant->fills_where)) && !*rest) ||
           header_fail(reader, "expected, once: @fills STRUCTURE [TUNABLE]");
}

/* The shape of the launch, and when it is made. */
static bool parse_pass(struct header_reader *reader, const char *rest, struct variant *variant) {
    char shape[HEADER_LINE_SIZE];
    const char *when = schedule_begin(rest);
    if (variant->pass_count == VARIANT_MAX_PASSES) {
        return header_fail(reader, "more than %d passes", VARIANT_MAX_PASSES);
    }
    struct pass *pass = &variant->passes[variant->pass_count];
    (void)snprintf(shape, sizeof shape, "%.*s", (int)(when - rest), rest);
    if (!schedule_parse(when, &pass->schedule)) {
        return header_fail(reader,
                           "\"%s\": when? expected all steps, every step, every N steps, every "
                           "rebuild, when moved or when asked",
                           when + strspn(when, " "));
    }
    pass->line = reader->line;
    variant->pass_count++;
    return parse_shape(reader, shape, variant, pass);
}

/* forward GRID SPECTRUM [planes], or backward SPECTRUM GRID [planes]: a pass by the device */
static bool parse_transform(struct header_reader *reader, const char *rest,
                            struct variant *variant) {
    if (variant->pass_count == VARIANT_MAX_PASSES) {
        return header_fail(reader, "more than %d passes", VARIANT_MAX_PASSES);
    }
    struct pass *pass = &variant->passes[variant->pass_count];
    char extent[VARIANT_NAME_SIZE] = "";
    const bool is_read = take_word(&rest, pass->kernel) && take_word(&rest, pass->arguments[0]) &&
                         take_word(&rest, pass->arguments[1]) &&
                         (!*rest || take_word(&rest, extent)) && !*rest;
    pass->of_planes = strcmp(extent, "planes") == 0;
    pass->transform = strcmp(pass->kernel, "forward") == 0    ? TRANSFORM_FORWARD
                      : strcmp(pass->kernel, "backward") == 0 ? TRANSFORM_BACKWARD
                                                              : TRANSFORM_NONE;
    pass->argument_count = 2;
    pass->line = reader->line;
    variant->pass_count++;
    return (is_read && pass->transform != TRANSFORM_NONE && (!*extent || pass->of_planes)) ||
           header_fail(reader,
                       "expected: @transform forward GRID SPECTRUM, or backward SPECTRUM GRID, "
                       "each the name of a @scratch, and planes where x is left out");
}

/* The place of a tunable; the count where there is none of that name. */
static int tunable_place(const struct variant *variant, const char *name) {
    int place = 0;
    while (place < variant->tunable_count && strcmp(variant->tunables[place].name, name) != 0) {
        place++;
    }
    return place;
}

/* What is said of the workload alone stands in the place of what is said of all. */
static bool add_tunable(struct header_reader *reader, const struct tunable *tunable,
                        struct variant *variant) {
    const int place = tunable_place(variant, tunable->name);
    struct tunable *there = &variant->tunables[place];
    if (place == VARIANT_MAX_TUNABLES) {
        return header_fail(reader, "more than %d tunables", VARIANT_MAX_TUNABLES);
    }
    if (place == variant->tunable_count) {
        variant->tunable_count++;
    } else if (there->for_the_workload == tunable->for_the_workload) {
        return header_fail(reader, "@tunable %s stands twice", tunable->name);
    } else if (there->for_the_workload) {
        return true;
    }
    *there = *tunable;
    return true;
}

/* NAME value value* ... */
static bool parse_any_tunable(struct header_reader *reader, const char *rest, bool for_the_workload,
                              struct variant *variant) {
    struct tunable tunable = { .for_the_workload = for_the_workload };
    if (!tunable_parse(reader, rest, &tunable)) {
        return false;
    }
    const bool of_types = strcmp(tunable.name, TYPE_TABLE_TUNABLE) == 0;
    if (of_types || interaction_declares_tunable(tunable.name)) {
        return header_fail(
            reader, "@tunable %s: every variant has it where %s; expected another name",
            tunable.name, of_types ? "there are types" : "an interaction declares it");
    }
    return add_tunable(reader, &tunable, variant);
}

static bool parse_tunable(struct header_reader *reader, const char *rest, struct variant *variant) {
    return parse_any_tunable(reader, rest, false, variant);
}

static bool parse_own_tunable(struct header_reader *reader, const char *rest,
                              struct variant *variant) {
    return parse_any_tunable(reader, rest, true, variant);
}

/* NAME EXPRESSION */
static bool parse_holds(struct header_reader *reader, const char *rest, struct variant *variant) {
    if (variant->holds_count == VARIANT_MAX_HOLDS) {
        return header_fail(reader, "more than %d @holds", VARIANT_MAX_HOLDS);
    }
    struct holding *holding = &variant->holds[variant->holds_count];
    if (!take_word(&rest, holding->tunable) || !is_identifier(holding->tunable) || !*rest ||
        strlen(rest) >= sizeof holding->words) {
        return header_fail(reader, "expected: @holds TUNABLE EXPRESSION, of at most %zu characters",
                           sizeof holding->words - 1);
    }
    (void)snprintf(holding->words, sizeof holding->words, "%s", rest);
    for (int h = 0; h < variant->holds_count; h++) {
        if (strcmp(variant->holds[h].tunable, holding->tunable) == 0) {
            return header_fail(reader, "@holds %s stands twice", holding->tunable);
        }
    }
    variant->holds_count++;
    return true;
}

/* NAME TYPE COUNT */
static bool parse_scratch(struct header_reader *reader, const char *rest, struct variant *variant) {
    const char *expected = NULL;
    if (variant->scratch_count == VARIANT_MAX_SCRATCH) {
        return header_fail(reader, "more than %d @scratch", VARIANT_MAX_SCRATCH);
    }
    struct scratch_buffer *scratch = &variant->scratch[variant->scratch_count];
    if (!scratch_parse(rest, scratch, &expected)) {
        return expected ? header_fail(reader, "@scratch %s: %s", rest, expected)
                        : header_fail(reader, "@scratch %s of \"%s\"; expected %s", scratch->name,
                                      scratch->type, scratch_types());
    }
    for (int s = 0; s < variant->scratch_count; s++) {
        if (strcmp(variant->scratch[s].name, scratch->name) == 0) {
            return header_fail(reader, "@scratch %s stands twice", scratch->name);
        }
    }
    variant->scratch_count++;
    return true;
}

static bool parse_boxes(struct header_reader *reader, const char *rest, struct variant *variant) {
    char word[VARIANT_NAME_SIZE];
    variant->accepts_open = false;
    variant->accepts_periodic = false;
    variant->accepts_triclinic = false;
    while (*rest) {
        if (take_word(&rest, word) && strcmp(word, "open") == 0) {
            variant->accepts_open = true;
        } else if (strcmp(word, "periodic") == 0) {
            variant->accepts_periodic = true;
        } else if (strcmp(word, "triclinic") == 0) {
            variant->accepts_periodic = true;
            variant->accepts_triclinic = true;
        } else {
            return header_fail(reader,
                               "@boxes \"%s\"; expected open, periodic, triclinic or several of "
                               "them",
                               word);
        }
    }
    return true;
}

static bool parse_needs(struct header_reader *reader, const char *rest, struct variant *variant) {
    variant->needs_cuda = strcmp(rest, "cuda") == 0;
    return variant->needs_cuda || header_fail(reader, "@needs \"%s\"; expected cuda", rest);
}

static bool parse_warps(struct header_reader *reader, const char *rest, struct variant *variant) {
    static const char *const sizes[] = { "8", "16", "32", "64", NULL };
    const int place = word_place(sizes, rest);
    variant->warp_size = place < 0 ? 0 : 8 << place;
    return place >= 0 || header_fail(reader, "@warps \"%s\"; expected 8, 16, 32 or 64", rest);
}

static bool parse_generator(struct header_reader *reader, const char *rest,
                            struct variant *variant) {
    variant->generator = strcmp(rest, "philox4x32-10") == 0 ? GENERATOR_PHILOX
                         : strcmp(rest, "xorshift128") == 0 ? GENERATOR_XORSHIFT
                         : strcmp(rest, "kiss") == 0        ? GENERATOR_KISS
                                                            : GENERATOR_NONE;
    return variant->generator != GENERATOR_NONE ||
           header_fail(reader, "@generator \"%s\"; expected philox4x32-10, xorshift128 or kiss",
                       rest);
}

/* Words of CUDA in a file of another language; those of CUDA C++ in compiled code, too. */
static bool refuse_cuda_word(const struct header_reader *reader, const struct variant *variant,
                             const char *word, bool of_source) {
    return (variant->language == LANGUAGE_DIALECT ||
            (of_source && variant->language != LANGUAGE_CUDA)) &&
           !header_fail(reader, "@%s is of CUDA C++; expected it in a file that ends in .cu", word);
}

/* sm_90, and up; or sm_90a, and no other */
static bool parse_arch(struct header_reader *reader, const char *rest, struct variant *variant) {
    if (refuse_cuda_word(reader, variant, "arch", false)) {
        return false;
    }
    variant->names_arch = true;
    return arch_from_name(rest, &variant->arch, &variant->arch_is_exact) ||
           header_fail(reader,
                       "@arch \"%s\"; expected sm_90 (that one and up), sm_90a (that one alone) or "
                       "another",
                       rest);
}

static bool parse_standard(struct header_reader *reader, const char *rest,
                           struct variant *variant) {
    if (refuse_cuda_word(reader, variant, "std", true)) {
        return false;
    }
    variant->standard = strcmp(rest, "c++17") == 0 ? 17 : strcmp(rest, "c++20") == 0 ? 20 : 0;
    return variant->standard || header_fail(reader, "@std \"%s\"; expected c++17 or c++20", rest);
}

/* The one that is written in the text, in the place of PAIR_FORCE. */
static bool parse_interaction(struct header_reader *reader, const char *rest,
                              struct variant *variant) {
    struct interaction interaction;
    struct error reason;
    struct strbuf words = { 0 };
    if (*variant->interaction) {
        return header_fail(reader, "@interaction stands twice");
    }
    if (!interaction_parse(rest, &interaction, &reason)) {
        return header_fail(reader, "@interaction %s: %s", rest, reason.message);
    }
    interaction_describe(&interaction, &words);
    const bool fits = !words.failed && words.length < sizeof variant->interaction;
    (void)snprintf(variant->interaction, sizeof variant->interaction, "%s", fits ? words.data : "");
    strbuf_free(&words);
    return fits || header_fail(reader, "@interaction: more than %zu characters",
                               sizeof variant->interaction - 1);
}

static bool parse_compiler(struct header_reader *reader, const char *rest,
                           struct variant *variant) {
    if (refuse_cuda_word(reader, variant, "compiler", true)) {
        return false;
    }
    variant->by_nvcc = strcmp(rest, "nvcc") == 0;
    return variant->by_nvcc || strcmp(rest, "nvrtc") == 0 ||
           header_fail(reader, "@compiler \"%s\"; expected nvrtc or nvcc", rest);
}

/* NAME..., parameters that a compiler adds to a kernel's own. */
static bool parse_null(struct header_reader *reader, const char *rest, struct variant *variant) {
    if (!kernel_language_is_compiled(variant->language)) {
        return header_fail(reader,
                           "@null is of compiled code; expected it in the header of a file that "
                           "ends in .ptx or .cubin");
    }
    do {
        if (variant->null_count == VARIANT_MAX_NULLS ||
            !take_word(&rest, variant->nulls[variant->null_count]) ||
            !is_identifier(variant->nulls[variant->null_count])) {
            return header_fail(reader, "expected: @null NAME [NAME...], %d at most",
                               VARIANT_MAX_NULLS);
        }
        variant->null_count++;
    } while (*rest);
    return true;
}

static bool parse_source(struct header_reader *reader, const char *rest, struct variant *variant) {
    (void)reader;
    (void)reader->error;
    (void)snprintf(variant->source_note, sizeof variant->source_note, "%s", rest);
    return true;
}

struct declaration {
    const char *word;
    bool (*parse)(struct header_reader *reader, const char *rest, struct variant *variant);
    /* Of a line that ends in "for WORKLOAD"; NULL: it cannot. */
    bool (*parse_own)(struct header_reader *reader, const char *rest, struct variant *variant);
};

/* Takes the line without " for WORKLOAD", where it is of the workload at hand. */
static bool parse_own_line(struct header_reader *reader, const struct declaration *declaration,
                           const char *rest, const char *end, struct variant *variant) {
    char words[HEADER_LINE_SIZE];
    const struct workload *workload = workload_find(end + strlen(" for "));
    if (!workload || !serves(variant, workload)) {
        return header_fail(reader,
                           "@%s%s: expected one of the workloads that @workload names, above",
                           declaration->word, end);
    }
    (void)snprintf(words, sizeof words, "%.*s", (int)(end - rest), rest);
    return workload != variant->workload || declaration->parse_own(reader, words, variant);
}

static const struct declaration declarations[] = {
    { "workload", parse_workload, NULL },
    { "name", NULL, parse_name },
    { "groups", parse_groups, parse_groups },
    { "structure", parse_structure, NULL },
    { "pass", parse_pass, NULL },
    { "transform", parse_transform, NULL },
    { "forces", parse_forces, NULL },
    { "integrator", parse_integrator, NULL },
    { "thermostat", parse_thermostat, NULL },
    { "fills", parse_fills, NULL },
    { "tunable", parse_tunable, parse_own_tunable },
    { "holds", parse_holds, NULL },
    { "boxes", parse_boxes, NULL },
    { "needs", parse_needs, NULL },
    { "warps", parse_warps, NULL },
    { "accumulates", parse_accumulates, NULL },
    { "source", parse_source, NULL },
    { "scratch", parse_scratch, NULL },
    { "arch", parse_arch, NULL },
    { "std", parse_standard, NULL },
    { "compiler", parse_compiler, NULL },
    { "interaction", parse_interaction, NULL },
    { "null", parse_null, NULL },
    { "generator", parse_generator, NULL },
};
enum { DECLARATIONS = sizeof declarations / sizeof declarations[0] };

static bool refuse_word(const struct header_reader *reader, const char *line) {
    struct strbuf words = { 0 };
    for (size_t d = 0; d < DECLARATIONS; d++) {
        strbuf_append(&words, "%s@%s", d ? ", " : "", declarations[d].word);
    }
    (void)header_fail(reader, "unknown word \"%s\"; expected one of %s", line, strbuf_text(&words));
    strbuf_free(&words);
    return false;
}

static bool parse_declaration(struct header_reader *reader, const char *line,
                              struct variant *variant) {
    const char *rest = NULL;
    size_t d = 0;
    while (d < DECLARATIONS && !header_word(line, declarations[d].word, &rest)) {
        d++;
    }
    if (d == DECLARATIONS) {
        return refuse_word(reader, line);
    }
    const struct declaration *declaration = &declarations[d];
    const char *end = declaration->parse_own ? strstr(rest, " for ") : NULL;
    if (end) {
        return parse_own_line(reader, declaration, rest, end, variant);
    }
    return declaration->parse
               ? declaration->parse(reader, rest, variant)
               : header_fail(reader, "expected: @%s ... for WORKLOAD", declaration->word);
}

/* A line of @source goes on in the indented lines after it. */
static void continue_source(struct variant *variant, const char *line) {
    size_t length = strlen(variant->source_note);
    (void)snprintf(variant->source_note + length, sizeof variant->source_note - length, " %s",
                   line + strspn(line, " \t"));
}

bool variant_take_words(struct header_reader *reader, struct variant *variant) {
    char line[HEADER_LINE_SIZE];
    const char *rest;
    bool named = false;
    bool in_source = false;
    size_t declared = SIZE_MAX; /* how far the declaration of the line before is indented */
    while (header_next(reader, line)) {
        const size_t indent = strspn(line, " \t");
        const char *content = line + indent;
        if (!*content) {
            in_source = false;
            declared = SIZE_MAX;
        } else if (!named) {
            named = header_split_name(content, variant->name, sizeof variant->name,
                                      variant->summary, sizeof variant->summary) &&
                    is_identifier(variant->name);
            if (!named) {
                return header_fail(reader,
                                   "expected the first line to be: NAME \xe2\x80\x94 what it does");
            }
        } else if (*content == '@') {
            if (reader->cut) {
                return header_fail(reader, "the line is longer than %d characters",
                                   HEADER_LINE_SIZE - 1);
            }
            if (!parse_declaration(reader, content, variant)) {
                return false;
            }
            in_source = header_word(content, "source", &rest);
            declared = indent;
        } else if (in_source) {
            continue_source(variant, line);
        } else if (declared < indent) {
            return header_fail(reader, "no declaration but @source goes on in the line after it; "
                                       "expected it in one line");
        }
    }
    if (!named) {
        return header_fail(reader,
                           "the comment is empty; expected: NAME \xe2\x80\x94 what it does");
    }
    return true;
}
