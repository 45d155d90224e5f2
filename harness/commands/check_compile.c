#include "campaign/memory.h"
#include "commands/check_parts.h"
#include "commands/command_parts.h"

#include "campaign/plan/plan.h"
#include "core/strings.h"
#include "devices/device.h"
#include "kernels/launch.h"
#include "kernels/text/kernel_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The programs of one architecture. */
struct compiling {
    const struct compile_options *options;
    struct device *device;
    const struct device_info *info;
    struct json_object *programs; /* NULL: not asked for */
    char (*hashes)[HASH_TEXT_SIZE];
    size_t hash_count;
    int compiled, failed, unsupported;
    struct error unsupported_first;
};

/* ---- what the compiler said ---- */

static int number_before(const char *line, const char *end, const char *words) {
    const char *at = strstr(line, words);
    if (!at || at >= end) {
        return -1;
    }
    while (at > line && at[-1] == ' ') {
        at--;
    }
    while (at > line && at[-1] >= '0' && at[-1] <= '9') {
        at--;
    }
    return (int)strtol(at, NULL, 10);
}

static int number_behind(const char *line, const char *end, const char *words) {
    const char *at = strstr(line, words);
    return at && at < end ? (int)strtol(at + strlen(words), NULL, 10) : -1;
}

static void note(int value, int *most) {
    *most = value > *most ? value : *most;
}

/* Of what ptxas says of a kernel. */
static void read_ptxas(const char *line, const char *end, struct compiled_usage *usage) {
    note(number_behind(line, end, "Used "), &usage->registers);
    note(number_before(line, end, "bytes spill stores"), &usage->spill_bytes);
    note(number_before(line, end, "bytes stack frame"), &usage->stack_bytes);
    note(number_before(line, end, "bytes smem"), &usage->shared_bytes);
}

/* Of what clang says of a kernel for AMD: vector registers, with those that only matrix
 * instructions or copies reach, which gfx90a counts together. */
static void read_amd(const char *line, const char *end, struct compiled_usage *usage) {
    const int more = number_behind(line, end, " AGPRs: ");
    usage->registers += more > 0 ? more : 0;
    note(number_behind(line, end, " VGPRs: "), &usage->registers);
    note(number_behind(line, end, "VGPRs Spill: "), &usage->spilled);
    note(number_behind(line, end, "ScratchSize [bytes/lane]: "), &usage->stack_bytes);
    note(number_behind(line, end, "LDS Size [bytes/block]: "), &usage->shared_bytes);
    note(number_behind(line, end, "Occupancy [waves/SIMD]: "), &usage->waves);
}

bool compiled_usage_next(const char **log, struct compiled_usage *usage) {
    static const char *const entries[] = { "Compiling entry function '",
                                           "remark: Function Name: " };
    const bool by_ptxas = strstr(*log, entries[0]) != NULL;
    const char *entry = entries[!by_ptxas];
    const char *at = strstr(*log, entry);
    if (!at) {
        return false;
    }
    at += strlen(entry);
    *usage = (struct compiled_usage){ .registers = -1, .spill_bytes = -1 };
    (void)snprintf(usage->kernel, sizeof usage->kernel, "%.*s", (int)strcspn(at, "' \n"), at);
    const char *stop = strstr(at, entry);
    stop = stop ? stop : at + strlen(at);
    for (const char *line = at; line < stop;) {
        const char *end = line + strcspn(line, "\n");
        (by_ptxas ? read_ptxas : read_amd)(line, end, usage);
        line = *end ? end + 1 : end;
    }
    *log = stop;
    return true;
}

/* ---- one program ---- */

/* "all_pairs_tile, lj, double, virial, tree, GROUP_SIZE=128, periodic, counting" */
static void describe(const struct case_spec *spec, const struct kernel_build *build,
                     struct strbuf *words) {
    char tunings[TUNINGS_WORDS_SIZE];
    tunings_describe(&spec->tunings, tunings, sizeof tunings);
    strbuf_append(words, "%s, ", spec->variant->name);
    interaction_describe(&spec->interaction, words);
    strbuf_append(words, ", %s, %s", precision_name(spec->precision),
                  build->kind == BUILD_COUNTING ? "counting" : outputs_name(spec->outputs));
    if (build->kind == BUILD_PLAIN) {
        strbuf_append(words, ", ");
        (void)case_words(spec, COLUMN_REDUCTION, words);
    }
    strbuf_append(words, ", %s%s",
                  build->triclinic  ? "triclinic"
                  : build->periodic ? "periodic"
                                    : "open",
                  build->with_cutoff ? "" : ", no cutoff");
    strbuf_append(words, "%s%s", *tunings ? ", " : "", tunings);
}

static bool is_new(struct compiling *compiling, const char *hash) {
    for (size_t h = 0; h < compiling->hash_count; h++) {
        if (strcmp(compiling->hashes[h], hash) == 0) {
            return false;
        }
    }
    memcpy(compiling->hashes[compiling->hash_count++], hash, HASH_TEXT_SIZE);
    return true;
}

static void print_usage(const struct compiling *compiling, const char *log, const char *words,
                        struct json_object *object) {
    struct compiled_usage usage;
    struct json_object *kernels = object ? json_object_new_array() : NULL;
    while (compiled_usage_next(&log, &usage)) {
        if (object) {
            struct json_object *kernel = json_object_new_object();
            json_add_text(kernel, "kernel", usage.kernel);
            json_add_count(kernel, "registers", usage.registers);
            json_add_count(kernel, "spilled_bytes", usage.spill_bytes);
            json_add_count(kernel, "shared_bytes", usage.shared_bytes);
            json_add_count(kernel, "stack_bytes", usage.stack_bytes);
            json_object_array_add(kernels, kernel);
        } else if (compiling->options->verbose || usage.spill_bytes > 0) {
            (void)printf("%s: %s: %d registers, %d bytes spilled, %d bytes of shared memory: %s\n",
                         compiling->info->name, usage.kernel, usage.registers, usage.spill_bytes,
                         usage.shared_bytes, words);
        }
    }
    if (object) {
        json_object_object_add(object, "kernels", kernels);
    }
}

static void report_failure(struct compiling *compiling, const char *words,
                           const struct error *error, struct json_object *object) {
    const bool unsupported = error->status == STATUS_UNSUPPORTED;
    if (unsupported && compiling->unsupported++ == 0) {
        compiling->unsupported_first = *error;
    }
    compiling->failed += !unsupported;
    if (object) {
        json_add_text(object, "error", error->message);
    } else if (!unsupported || compiling->options->verbose) {
        (void)printf("%s: %s: %s: %s\n", compiling->info->name,
                     unsupported ? "unsupported" : "FAILED", words, error->message);
    }
}

/* Of no box, one of every unit: what remains of a block are numbers and tunables. */
static bool one_unit(const void *context, const char *unit, size_t *count) {
    *count = 1;
    return tunings_value(context, unit, -1) == -1;
}

/* Blocks and groups of a size that no launch of the architecture can have. */
static bool check_groups(const struct case_spec *spec, const struct device_info *info,
                         struct error *error) {
    const struct launch_counts counts = { .tunings = &spec->tunings,
                                          .units = one_unit,
                                          .context = &spec->tunings,
                                          .numeric = precision_numeric(spec->precision) };
    for (int p = 0; p < spec->variant->pass_count; p++) {
        const struct pass *pass = &spec->variant->passes[p];
        struct kernel_shape shape;
        const int group_size = tunings_value(&spec->tunings, "GROUP_SIZE", 128);
        double items = group_size;
        if (pass->launch.is_given) {
            if (!launch_shape(&pass->launch, pass->kernel, &counts, &shape, error)) {
                return false;
            }
            items = (double)shape.block[0] * (double)shape.block[1] * (double)shape.block[2];
        }
        if (items > info->max_group_size) {
            return fail(error, STATUS_UNSUPPORTED,
                        "kernel %s: a block of %.0f threads; %s takes %d at most", pass->kernel,
                        items, info->name, info->max_group_size);
        }
    }
    return true;
}

/* Two cases that differ in their boxes alone are one program. */
static bool is_compiled(struct compiling *compiling, const struct case_spec *spec,
                        const struct kernel_build *build, const char *words) {
    struct strbuf text = { 0 };
    char hash[HASH_TEXT_SIZE];
    struct hash_state *state = hash_begin();
    kernel_text_append(spec, build->kind, build->periodic, build->with_cutoff,
                       build->groups_overlap, &text);
    hash_add_string(state, text.data ? text.data : "");
    hash_add_string(state, words);
    hash_end(state, hash);
    strbuf_free(&text);
    return !is_new(compiling, hash);
}

static void compile_one(struct compiling *compiling, const struct case_spec *spec,
                        const struct kernel_build *build) {
    struct strbuf words = { 0 };
    struct error error;
    struct program *program = NULL;
    describe(spec, build, &words);
    const char *said = words.data ? words.data : "";
    if (is_compiled(compiling, spec, build, said)) {
        strbuf_free(&words);
        return;
    }
    struct json_object *object = compiling->programs ? json_object_new_object() : NULL;
    if (object) {
        json_add_text(object, "program", said);
        json_add_text(object, "architecture", compiling->info->name);
    }
    if (kernel_text_check(spec, compiling->info, &error) &&
        check_groups(spec, compiling->info, &error) &&
        kernel_text_compile(compiling->device, spec, build, &program, &error)) {
        compiling->compiled++;
        print_usage(compiling, program_log(program), said, object);
    } else {
        report_failure(compiling, said, &error, object);
    }
    if (object) {
        json_object_array_add(compiling->programs, object);
    }
    program_free(program);
    strbuf_free(&words);
}

/* ---- all of them ---- */

/* Boxes that the variant takes, whichever the case has: a text must compile for each. Open ones
 * alone where the case says so. */
static void compile_case(struct compiling *compiling, const struct case_spec *spec) {
    const struct variant *variant = spec->variant;
    const bool stop = compiling->options->fail_fast;
    for (int b = 0; b < 3; b++) {
        const bool takes = b == 0   ? variant->accepts_open
                           : b == 1 ? variant->accepts_periodic
                                    : variant->accepts_triclinic;
        struct kernel_build build = { .kind = BUILD_PLAIN,
                                      .periodic = b > 0,
                                      .triclinic = b == 2,
                                      .with_cutoff = cutoff_ends(spec->cutoff, b == 0) };
        if (!takes || (b > 0 && spec->box.open) || (stop && compiling->failed > 0)) {
            continue;
        }
        compile_one(compiling, spec, &build);
        if (variant_takes(variant, "partial_sums") && !(stop && compiling->failed > 0)) {
            build.kind = BUILD_COUNTING;
            struct case_spec counted = case_of_forces_alone(spec);
            compile_one(compiling, &counted, &build);
        }
    }
}

static bool compile_for(const struct plan *plan, const char *architecture,
                        struct compiling *compiling, struct error *error) {
    enum { BUILDS_PER_CASE = 6 };
    if (!device_open_compiler(architecture, NULL, &compiling->device, error)) {
        return fail_within(error, "--arch");
    }
    compiling->info = device_describe(compiling->device);
    compiling->hash_count = 0;
    compiling->hashes = memory_zeroed(plan->count * BUILDS_PER_CASE + 1, sizeof *compiling->hashes);
    bool good = true;
    for (size_t i = 0; good && i < plan->count; i++) {
        if (!compiling->options->fail_fast || compiling->failed == 0) {
            compile_case(compiling, &plan->cases[i]);
        }
    }
    free(compiling->hashes);
    device_close(compiling->device);
    return good;
}

static void print_summary(const struct compiling *compiling) {
    (void)printf("%d compiled, %d failed, %d unsupported\n", compiling->compiled, compiling->failed,
                 compiling->unsupported);
}

bool check_compile(const struct plan *plan, const struct compile_options *options, int *exit_code,
                   struct error *error) {
    struct compiling compiling = { .options = options };
    char **names = memory_split(options->architectures ? options->architectures : "sm_90", ',');
    compiling.programs = options->json ? json_object_new_array() : NULL;
    bool good = true;
    for (char **name = names; good && *name; name++) {
        good = compile_for(plan, *name, &compiling, error);
    }
    free(names);
    if (good && compiling.programs) {
        (void)puts(json_object_to_json_string_ext(compiling.programs, JSON_C_TO_STRING_PRETTY));
    } else if (good) {
        print_summary(&compiling);
    }
    json_object_put(compiling.programs);
    *exit_code = compiling.failed > 0;
    return good &&
           (compiling.compiled > 0 || compiling.failed > 0 ||
            fail(error, STATUS_SYSTEM, "nothing was compiled: every case is unsupported%s%s",
                 compiling.unsupported > 0 ? ": " : "", compiling.unsupported_first.message));
}
