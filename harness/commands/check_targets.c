#include "campaign/memory.h"
#include "commands/check_parts.h"
#include "commands/command_parts.h"

#include "core/cache.h"
#include "core/files.h"
#include "core/strings.h"
#include "devices/device.h"
#include "measure/judge/expected.h"
#include "prepare/kernel_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TARGETS = 8 };

enum outcome { NOT_COMPILED, COMPILED, FAILED, UNSUPPORTED };

/* The outcome of a kernel, or of a program whose compiler reports nothing about its kernels. */
struct target_row {
    char program[64], kernel[64]; /* kernel "": the program */
    enum outcome outcome[MAX_TARGETS];
    struct compiled_usage most[MAX_TARGETS]; /* of all programs of that name */
};

struct targets {
    const struct compile_options *options;
    const char *names[MAX_TARGETS]; /* those up to `target` */
    int target;                     /* whose turn it is */
    struct target_row *rows;
    size_t row_count;
    char (*hashes)[HASH_TEXT_SIZE]; /* of programs that this target has compiled */
    size_t hash_count;
    int compiled, failed, unsupported;
    struct json_object *programs; /* NULL: not asked for */
};

/* ---- rows ---- */

static struct target_row *row_of(struct targets *targets, const char *program, const char *kernel) {
    struct target_row wanted = { .program = "" };
    (void)snprintf(wanted.program, sizeof wanted.program, "%s", fs_last_name(program));
    (void)snprintf(wanted.kernel, sizeof wanted.kernel, "%s", kernel);
    for (size_t r = 0; r < targets->row_count; r++) {
        if (strcmp(targets->rows[r].program, wanted.program) == 0 &&
            strcmp(targets->rows[r].kernel, wanted.kernel) == 0) {
            return &targets->rows[r];
        }
    }
    targets->rows = memory_grown(targets->rows, targets->row_count + 1, sizeof wanted);
    targets->rows[targets->row_count] = wanted;
    return &targets->rows[targets->row_count++];
}

static void note_outcome(struct targets *targets, const char *program, const char *kernel,
                         enum outcome outcome) {
    struct target_row *row = row_of(targets, program, kernel);
    if (row->outcome[targets->target] != FAILED) {
        row->outcome[targets->target] = outcome;
    }
}

static void note_most(int value, int *most) {
    *most = value > *most ? value : *most;
}

static void note_usage(struct targets *targets, const char *program,
                       const struct compiled_usage *usage) {
    struct target_row *row = row_of(targets, program, usage->kernel);
    struct compiled_usage *most = &row->most[targets->target];
    const bool first = row->outcome[targets->target] == NOT_COMPILED;
    const int waves = first || usage->waves < most->waves ? usage->waves : most->waves;
    note_most(usage->registers, &most->registers);
    note_most(usage->spilled, &most->spilled);
    note_most(usage->spill_bytes, &most->spill_bytes);
    note_most(usage->stack_bytes, &most->stack_bytes);
    note_most(usage->shared_bytes, &most->shared_bytes);
    most->waves = waves;
    note_outcome(targets, program, usage->kernel, COMPILED);
}

/* ---- what the compiler says ---- */

static bool wants(void *context, const char hash[HASH_TEXT_SIZE]) {
    struct targets *targets = context;
    for (size_t h = 0; h < targets->hash_count; h++) {
        if (memcmp(targets->hashes[h], hash, HASH_TEXT_SIZE) == 0) {
            return false;
        }
    }
    targets->hashes = memory_grown(targets->hashes, targets->hash_count + 1, HASH_TEXT_SIZE);
    memcpy(targets->hashes[targets->hash_count++], hash, HASH_TEXT_SIZE);
    return true;
}

static void tell_kernel(struct targets *targets, const char *program,
                        const struct compiled_usage *usage) {
    if (targets->programs) {
        struct json_object *kernel = json_object_new_object();
        json_add_text(kernel, "target", targets->names[targets->target]);
        json_add_text(kernel, "program", program);
        json_add_text(kernel, "kernel", usage->kernel);
        json_add_count(kernel, "registers", usage->registers);
        json_add_count(kernel, "spilled_registers", usage->spilled);
        json_add_count(kernel, "spilled_bytes", usage->spill_bytes > 0 ? usage->spill_bytes : 0);
        json_add_count(kernel, "private_bytes", usage->stack_bytes);
        json_add_count(kernel, "local_bytes", usage->shared_bytes);
        json_add_count(kernel, "waves", usage->waves);
        json_object_array_add(targets->programs, kernel);
    } else if (targets->options->verbose) {
        (void)printf("%s: %s: %s: %d registers, %d bytes of private and %d of local memory\n",
                     targets->names[targets->target], program, usage->kernel, usage->registers,
                     usage->stack_bytes, usage->shared_bytes);
    }
}

static void tell_failure(struct targets *targets, const char *program, const char *words,
                         const char *message) {
    if (targets->programs) {
        struct json_object *object = json_object_new_object();
        json_add_text(object, "target", targets->names[targets->target]);
        json_add_text(object, "program", program);
        json_add_text(object, "error", message);
        json_object_array_add(targets->programs, object);
    } else {
        (void)printf("%s: %s: %s: %s\n", targets->names[targets->target], words, program, message);
    }
}

static void hear(void *context, const char *program, const char *log, const struct error *error) {
    struct targets *targets = context;
    struct compiled_usage usage;
    if (error) {
        targets->failed++;
        note_outcome(targets, program, "", FAILED);
        tell_failure(targets, program, "FAILED", error->message);
        return;
    }
    targets->compiled++;
    note_outcome(targets, program, "", COMPILED);
    while (compiled_usage_next(&log, &usage)) {
        note_usage(targets, program, &usage);
        tell_kernel(targets, program, &usage);
    }
}

/* ---- all cases ---- */

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

/* Of `count` cases of a variant all, or the first that the target can take. */
static void compile_variant(struct targets *targets, struct device *device,
                            struct expected_store *store, const struct case_spec *cases,
                            size_t count) {
    const char *name = cases->variant->name;
    const int failed = targets->failed;
    bool prepared = false;
    struct error error;
    for (size_t i = 0; i < count && !(prepared && targets->options->one_each) &&
                       !(targets->failed > failed && targets->options->one_each) &&
                       !(targets->failed > 0 && targets->options->fail_fast);
         i++) {
        if (!targets->options->one_each || is_new_box(cases, i)) {
            prepared = prepare_case(device, store, &cases[i], &error) || prepared;
        }
    }
    if (!prepared && targets->failed == failed) { /* a failure was heard */
        targets->unsupported++;
        note_outcome(targets, name, "", UNSUPPORTED);
        if (targets->options->verbose) {
            tell_failure(targets, name, "unsupported", error.message);
        }
    }
}

static bool compile_for(struct targets *targets, const struct plan *plan,
                        struct expected_store *store, struct error *error) {
    const struct compile_listener listener = { wants, hear, targets };
    struct device *device = NULL;
    if (!device_open_compiler(targets->names[targets->target], &listener, &device, error)) {
        return fail_within(error, "--target");
    }
    targets->hash_count = 0;
    for (size_t i = 0, count; i < plan->count; i += count) {
        const struct variant *variant = plan->cases[i].variant;
        for (count = 1; i + count < plan->count && plan->cases[i + count].variant == variant;) {
            count++;
        }
        compile_variant(targets, device, store, &plan->cases[i], count);
    }
    device_close(device);
    return true;
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

static bool has_kernels(const struct targets *targets, const char *program) {
    for (size_t r = 0; r < targets->row_count; r++) {
        if (targets->rows[r].kernel[0] && strcmp(targets->rows[r].program, program) == 0) {
            return true;
        }
    }
    return false;
}

static void print_table(struct targets *targets) {
    (void)printf("| program | kernel |");
    for (int t = 0; t < targets->target; t++) {
        (void)printf(" %s |", targets->names[t]);
    }
    (void)printf("\n| --- | --- |");
    for (int t = 0; t < targets->target; t++) {
        (void)printf(" --- |");
    }
    for (size_t r = 0; r < targets->row_count; r++) {
        const struct target_row *row = &targets->rows[r];
        if (!row->kernel[0] && has_kernels(targets, row->program)) {
            continue;
        }
        const struct target_row *program = row_of(targets, row->program, "");
        (void)printf("\n| %s | %s |", row->program, row->kernel);
        for (int t = 0; t < targets->target; t++) {
            print_cell(row, program->outcome[t], t);
        }
    }
    (void)printf("\n\nregisters, bytes of private memory, bytes of local memory, waves per SIMD "
                 "(AMD); the most of\nany program of the name; 'spills' counts registers (AMD) or "
                 "bytes\n\n%d compiled, %d failed, %d unsupported\n",
                 targets->compiled, targets->failed, targets->unsupported);
}

bool check_targets(const struct plan *plan, const struct compile_options *options, int *exit_code,
                   struct error *error) {
    struct targets targets = { .options = options };
    char **names = memory_split(options->architectures, ',');
    struct expected_store *store = expected_store_create();
    memory_check(store != NULL);
    bool good = true;
    targets.programs = options->json ? json_object_new_array() : NULL;
    for (char **name = names; good && *name; name++) {
        targets.names[targets.target] = *name;
        good = (targets.target < MAX_TARGETS - 1 ||
                fail(error, STATUS_BAD_INPUT, "--target: %d at most", MAX_TARGETS - 1)) &&
               compile_for(&targets, plan, store, error);
        targets.target++;
    }
    if (good && targets.programs) {
        (void)puts(json_object_to_json_string_ext(targets.programs, JSON_C_TO_STRING_PRETTY));
    } else if (good) {
        print_table(&targets);
    }
    *exit_code = targets.failed > 0;
    expected_store_free(store);
    json_object_put(targets.programs);
    free(targets.rows);
    free(targets.hashes);
    free(names);
    return good && (targets.compiled > 0 || targets.failed > 0 ||
                    fail(error, STATUS_SYSTEM, "nothing was compiled: every case is unsupported"));
}
