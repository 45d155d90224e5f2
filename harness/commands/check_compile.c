/* check --compile-only: programs are compiled for targets, and nothing is computed. */
#include "commands/check_parts.h"
#include "commands/command_parts.h"
#include "measure/program.h"

#include "campaign/plan/plan.h"
#include "core/cache.h"
#include "core/files.h"
#include "core/strings.h"
#include "devices/device.h"
#include "kernels/launch.h"
#include "kernels/text/kernel_text.h"
#include "measure/judge/expected.h"
#include "prepare/kernel_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TARGETS = 8 };

enum outcome { NOT_COMPILED, COMPILED, FAILED, UNSUPPORTED };

/* What a compiler says that a kernel takes; -1: it did not say. Of AMD, registers are vectors'. */
struct compiled_usage {
    char kernel[128];
    int registers, spill_bytes, shared_bytes, stack_bytes;
    int spilled, waves; /* of AMD: spilled registers; waves per SIMD at once */
};

/* The outcome of a kernel, or of a program whose compiler reports nothing about its kernels. */
struct target_row {
    char program[64], kernel[64]; /* kernel "": the program */
    enum outcome outcome[MAX_TARGETS];
    struct compiled_usage most[MAX_TARGETS]; /* of all programs of that name */
};

struct compiling {
    const struct compile_options *options;
    const char *names[MAX_TARGETS]; /* those up to `target` */
    int target;                     /* whose turn it is */
    struct device *device;          /* a compiler for it */
    const struct device_info *info;
    char (*hashes)[HASH_TEXT_SIZE]; /* of programs that this target has compiled */
    size_t hash_count;
    struct target_row *rows; /* of the table */
    size_t row_count;
    int compiled, failed, unsupported;
    struct error unsupported_first;
    struct json_object *programs; /* NULL: not asked for */
};

/* ---- what a compiler says ---- */

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

/* Reads what ptxas says of a kernel. */
static void read_ptxas(const char *line, const char *end, struct compiled_usage *usage) {
    note(number_behind(line, end, "Used "), &usage->registers);
    note(number_before(line, end, "bytes spill stores"), &usage->spill_bytes);
    note(number_before(line, end, "bytes stack frame"), &usage->stack_bytes);
    note(number_before(line, end, "bytes smem"), &usage->shared_bytes);
}

/* Reads what clang says of a kernel for AMD. Vector registers include those that only matrix
 * instructions or copies reach: gfx90a counts both together. */
static void read_amd(const char *line, const char *end, struct compiled_usage *usage) {
    const int more = number_behind(line, end, " AGPRs: ");
    usage->registers += more > 0 ? more : 0;
    note(number_behind(line, end, " VGPRs: "), &usage->registers);
    note(number_behind(line, end, "VGPRs Spill: "), &usage->spilled);
    note(number_behind(line, end, "ScratchSize [bytes/lane]: "), &usage->stack_bytes);
    note(number_behind(line, end, "LDS Size [bytes/block]: "), &usage->shared_bytes);
    note(number_behind(line, end, "Occupancy [waves/SIMD]: "), &usage->waves);
}

/* The next kernel of a program_log(); false after the last. *log goes on after it. */
static bool compiled_usage_next(const char **log, struct compiled_usage *usage) {
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

/* ---- rows of the table ---- */

static struct target_row *row_of(struct compiling *compiling, const char *program,
                                 const char *kernel) {
    struct target_row wanted = { .program = "" };
    (void)snprintf(wanted.program, sizeof wanted.program, "%s", fs_last_name(program));
    (void)snprintf(wanted.kernel, sizeof wanted.kernel, "%s", kernel);
    for (size_t r = 0; r < compiling->row_count; r++) {
        if (strcmp(compiling->rows[r].program, wanted.program) == 0 &&
            strcmp(compiling->rows[r].kernel, wanted.kernel) == 0) {
            return &compiling->rows[r];
        }
    }
    compiling->rows = memory_grown(compiling->rows, compiling->row_count + 1, sizeof wanted);
    compiling->rows[compiling->row_count] = wanted;
    return &compiling->rows[compiling->row_count++];
}

static void note_outcome(struct compiling *compiling, const char *program, const char *kernel,
                         enum outcome outcome) {
    struct target_row *row = row_of(compiling, program, kernel);
    if (row->outcome[compiling->target] != FAILED) {
        row->outcome[compiling->target] = outcome;
    }
}

static void note_usage(struct compiling *compiling, const char *program,
                       const struct compiled_usage *usage) {
    struct target_row *row = row_of(compiling, program, usage->kernel);
    struct compiled_usage *most = &row->most[compiling->target];
    const bool first = row->outcome[compiling->target] == NOT_COMPILED;
    const int waves = first || usage->waves < most->waves ? usage->waves : most->waves;
    note(usage->registers, &most->registers);
    note(usage->spilled, &most->spilled);
    note(usage->spill_bytes, &most->spill_bytes);
    note(usage->stack_bytes, &most->stack_bytes);
    note(usage->shared_bytes, &most->shared_bytes);
    most->waves = waves;
    note_outcome(compiling, program, usage->kernel, COMPILED);
}

/* ---- what is printed ---- */

static void report_usage(struct compiling *compiling, const char *program,
                         const struct compiled_usage *usage) {
    const char *target = compiling->names[compiling->target];
    const int spilled = usage->spill_bytes > 0 ? usage->spill_bytes : 0;
    if (compiling->programs) {
        struct json_object *kernel = json_object_new_object();
        json_add_text(kernel, "target", target);
        json_add_text(kernel, "program", program);
        json_add_text(kernel, "kernel", usage->kernel);
        json_add_count(kernel, "registers", usage->registers);
        json_add_count(kernel, "spilled_registers", usage->spilled);
        json_add_count(kernel, "spilled_bytes", spilled);
        json_add_count(kernel, "private_bytes", usage->stack_bytes);
        json_add_count(kernel, "local_bytes", usage->shared_bytes);
        json_add_count(kernel, "waves", usage->waves);
        json_object_array_add(compiling->programs, kernel);
    } else if (compiling->options->verbose || (!compiling->options->structures && spilled > 0)) {
        (void)printf("%s: %s: %d registers, %d bytes spilled, %d bytes of shared memory: %s\n",
                     target, usage->kernel, usage->registers, spilled, usage->shared_bytes,
                     program);
    }
}

static void report_failure(struct compiling *compiling, const char *program, const char *words,
                           const char *message) {
    const char *target = compiling->names[compiling->target];
    if (compiling->programs) {
        struct json_object *object = json_object_new_object();
        json_add_text(object, "target", target);
        json_add_text(object, "program", program);
        json_add_text(object, "error", message);
        json_object_array_add(compiling->programs, object);
    } else {
        (void)printf("%s: %s: %s: %s\n", target, words, program, message);
    }
}

static void take_unsupported(struct compiling *compiling, const char *program,
                             const struct error *error) {
    if (compiling->unsupported++ == 0) {
        compiling->unsupported_first = *error;
    }
    if (compiling->options->verbose || (compiling->programs && !compiling->options->structures)) {
        report_failure(compiling, program, "unsupported", error->message);
    }
}

static void take_failure(struct compiling *compiling, const char *program,
                         const struct error *error) {
    compiling->failed++;
    report_failure(compiling, program, "FAILED", error->message);
}

static void take_log(struct compiling *compiling, const char *program, const char *log) {
    struct compiled_usage usage;
    compiling->compiled++;
    while (compiled_usage_next(&log, &usage)) {
        if (compiling->options->structures) {
            note_usage(compiling, program, &usage);
        }
        report_usage(compiling, program, &usage);
    }
}

/* Whether a program has not been compiled for this target yet. */
static bool wants(void *context, const char hash[HASH_TEXT_SIZE]) {
    struct compiling *compiling = context;
    for (size_t h = 0; h < compiling->hash_count; h++) {
        if (memcmp(compiling->hashes[h], hash, HASH_TEXT_SIZE) == 0) {
            return false;
        }
    }
    compiling->hashes = memory_grown(compiling->hashes, compiling->hash_count + 1, HASH_TEXT_SIZE);
    memcpy(compiling->hashes[compiling->hash_count++], hash, HASH_TEXT_SIZE);
    return true;
}

/* ---- the texts of kernels, for every kind of cell that they take ---- */

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

/* Counts one of every unit, since there is no box: the sizes of a block are numbers and tunables.
 */
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
        if (pass->launch) {
            if (!launch_shape(pass->launch, pass->kernel, &counts, &shape, error)) {
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
    hash_add_string(state, strbuf_text(&text));
    hash_add_string(state, words);
    hash_end(state, hash);
    strbuf_free(&text);
    return !wants(compiling, hash);
}

static void compile_one(struct compiling *compiling, const struct case_spec *spec,
                        const struct kernel_build *build) {
    struct strbuf words = { 0 };
    struct error error;
    struct program *program = NULL;
    describe(spec, build, &words);
    if (is_compiled(compiling, spec, build, words.data)) {
        strbuf_free(&words);
        return;
    }
    if (kernel_text_check(spec, compiling->info, &error) &&
        check_groups(spec, compiling->info, &error) &&
        kernel_text_compile(compiling->device, spec, build, &program, &error)) {
        take_log(compiling, words.data, program_log(program));
    } else {
        (error.status == STATUS_UNSUPPORTED ? take_unsupported : take_failure)(compiling,
                                                                               words.data, &error);
    }
    program_free(program);
    strbuf_free(&words);
}

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

/* ---- all that a case needs: structures, too ---- */

static void take_program(void *context, const char *program, const char *log,
                         const struct error *error) {
    struct compiling *compiling = context;
    note_outcome(compiling, program, "", error ? FAILED : COMPILED);
    if (error) {
        take_failure(compiling, program, error);
    } else {
        take_log(compiling, program, log);
    }
}

/* All that a launch of the case and the building of its structure need, in the case's own box.
 * Whether that was compiled. */
static bool prepare_case(struct device *device, struct expected_store *store,
                         const struct case_spec *spec, struct error *error) {
    struct kernel_plan *plan = NULL;
    const struct expected *expected = NULL;
    const bool prepared =
        kernel_text_check(spec, device_describe(device), error) &&
        (expected = expected_for(store, spec, false, error)) &&
        kernel_plan_create(&(struct plan_input){ device, spec, BUILD_PLAIN, &expected->box,
                                                 &expected->groups, expected->cutoff },
                           &plan, error);
    if (prepared) {
        kernel_plan_free(plan);
    }
    return prepared;
}

/* Whether no case before it has a box of the same kind and number of particles: where one of them
 * cannot be prepared, the others seldom can. */
static bool is_new_box(const struct case_spec *cases, size_t i) {
    for (size_t k = 0; k < i; k++) {
        if (cases[k].box.n == cases[i].box.n && strcmp(cases[k].box.kind, cases[i].box.kind) == 0) {
            return false;
        }
    }
    return true;
}

/* Compiles all of `count` cases of a variant, or the first that the target can take. */
static void compile_variant(struct compiling *compiling, struct expected_store *store,
                            const struct case_spec *cases, size_t count) {
    const char *name = cases->variant->name;
    const int failed = compiling->failed;
    bool prepared = false;
    struct error error;
    for (size_t i = 0; i < count && !(prepared && compiling->options->one_each) &&
                       !(compiling->failed > failed && compiling->options->one_each) &&
                       !(compiling->failed > 0 && compiling->options->fail_fast);
         i++) {
        if (!compiling->options->one_each || is_new_box(cases, i)) {
            prepared = prepare_case(compiling->device, store, &cases[i], &error) || prepared;
        }
    }
    if (!prepared && compiling->failed == failed) { /* a failure was noted */
        note_outcome(compiling, name, "", UNSUPPORTED);
        take_unsupported(compiling, name, &error);
    }
}

/* ---- the table ---- */

static void print_cell(const struct target_row *row, enum outcome of_program, int target) {
    const struct compiled_usage *most = &row->most[target];
    const enum outcome outcome =
        row->kernel[0] && row->outcome[target] == COMPILED ? COMPILED : of_program;
    if (outcome != COMPILED) {
        static const char *const words[] = { "", "", "FAILED", "unsupported" };
        (void)printf(" %s |", words[outcome]);
    } else if (row->outcome[target] != COMPILED || !row->kernel[0]) {
        (void)printf(" valid |");
    } else {
        (void)printf(" %d, %d, %d", most->registers, most->stack_bytes, most->shared_bytes);
        (void)printf(most->waves > 0 ? ", %d" : "%.0d", most->waves);
        if (most->spilled > 0 || most->spill_bytes > 0) {
            (void)printf(" spills %d", most->spilled > 0 ? most->spilled : most->spill_bytes);
        }
        (void)printf(" |");
    }
}

static bool has_kernels(const struct compiling *compiling, const char *program) {
    for (size_t r = 0; r < compiling->row_count; r++) {
        if (compiling->rows[r].kernel[0] && strcmp(compiling->rows[r].program, program) == 0) {
            return true;
        }
    }
    return false;
}

static void print_table(struct compiling *compiling) {
    (void)printf("| program | kernel |");
    for (int t = 0; t < compiling->target; t++) {
        (void)printf(" %s |", compiling->names[t]);
    }
    (void)printf("\n| --- | --- |");
    for (int t = 0; t < compiling->target; t++) {
        (void)printf(" --- |");
    }
    for (size_t r = 0; r < compiling->row_count; r++) {
        const struct target_row *row = &compiling->rows[r];
        if (!row->kernel[0] && has_kernels(compiling, row->program)) {
            continue;
        }
        const struct target_row *program = row_of(compiling, row->program, "");
        (void)printf("\n| %s | %s |", row->program, row->kernel);
        for (int t = 0; t < compiling->target; t++) {
            print_cell(row, program->outcome[t], t);
        }
    }
    (void)printf("\n\nregisters, bytes of private memory, bytes of local memory, waves per SIMD "
                 "(AMD); the most of\nany program of the name; 'spills' counts registers (AMD) or "
                 "bytes\n\n");
}

/* ---- every target ---- */

static bool compile_for(struct compiling *compiling, const struct plan *plan,
                        struct expected_store *store, struct error *error) {
    const struct compile_options *options = compiling->options;
    const struct compile_listener listener = { wants, take_program, compiling };
    if (!device_open_compiler(compiling->names[compiling->target],
                              options->structures ? &listener : NULL, &compiling->device, error)) {
        return fail_within(error, "--target");
    }
    compiling->info = device_describe(compiling->device);
    compiling->hash_count = 0;
    for (size_t i = 0, count; i < plan->count; i += count) {
        const struct case_spec *cases = &plan->cases[i];
        for (count = 1; i + count < plan->count && cases[count].variant == cases->variant;) {
            count++;
        }
        if (options->structures) {
            compile_variant(compiling, store, cases, count);
        }
        for (size_t c = 0; !options->structures && c < count; c++) {
            compile_case(compiling, &cases[c]);
        }
    }
    device_close(compiling->device);
    return true;
}

static void report(struct compiling *compiling) {
    if (compiling->programs) {
        (void)puts(json_object_to_json_string_ext(compiling->programs, JSON_C_TO_STRING_PRETTY));
        return;
    }
    if (compiling->options->structures) {
        print_table(compiling);
    }
    (void)printf("%d compiled, %d failed, %d unsupported\n", compiling->compiled, compiling->failed,
                 compiling->unsupported);
}

bool check_compile(const struct plan *plan, const struct compile_options *options, int *exit_code,
                   struct error *error) {
    struct compiling compiling = { .options = options };
    char **names = memory_split(options->targets, ',');
    struct expected_store *store = expected_store_create();
    memory_check(store != NULL);
    bool good = true;
    compiling.programs = options->json ? json_object_new_array() : NULL;
    for (char **name = names; good && *name; name++) {
        good =
            compiling.target < MAX_TARGETS - 1 ||
            fail(error, STATUS_BAD_INPUT, "%d targets are compiled for at most", MAX_TARGETS - 1);
        compiling.names[compiling.target] = *name;
        good = good && compile_for(&compiling, plan, store, error);
        compiling.target++;
    }
    if (good) {
        report(&compiling);
    }
    *exit_code = compiling.failed > 0;
    expected_store_free(store);
    json_object_put(compiling.programs);
    free(compiling.rows);
    free(compiling.hashes);
    free(names);
    return good &&
           (compiling.compiled > 0 || compiling.failed > 0 ||
            fail(error, STATUS_SYSTEM, "nothing was compiled: every case is unsupported%s%s",
                 compiling.unsupported > 0 ? ": " : "", compiling.unsupported_first.message));
}
