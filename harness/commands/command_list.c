#include "answers/tables/text_table.h"
#include "campaign/memory.h"
#include "campaign/plan/plan.h"
#include "commands/command_parts.h"
#include "commands/commands.h"
#include "kernels/launch.h"
#include "kernels/schedule.h"

#include <stdio.h>
#include <string.h>

/* ---- the command ---- */

/* ", when moved"; nothing of a pass that runs in every step. */
static void print_schedule(const struct schedule *schedule) {
    const char *words = schedule_words(schedule);
    if (schedule->steps > 1) {
        (void)printf(", every %d steps", schedule->steps);
    } else if (*words) {
        (void)printf(", %s", words);
    }
}

static void print_passes(const struct variant *variant) {
    for (int i = 0; i < variant->pass_count; i++) {
        const struct pass *pass = &variant->passes[i];
        if (pass->launch.is_given) {
            struct strbuf words = { 0 };
            launch_describe(&pass->launch, &words);
            (void)printf("  %-10s %s: %s", i ? "" : "passes", pass->kernel,
                         words.data ? words.data : "");
            print_schedule(&pass->schedule);
            (void)putchar('\n');
            strbuf_free(&words);
            continue;
        }
        if (pass->transform != TRANSFORM_NONE) {
            (void)printf("  %-10s transform %s: %s to %s%s\n", i ? "" : "passes", pass->kernel,
                         pass->arguments[0], pass->arguments[1], pass->of_planes ? ", planes" : "");
            continue;
        }
        (void)printf("  %-10s %s: %s per %s", i ? "" : "passes", pass->kernel,
                     pass->per_group ? "a group" : "an item", pass->unit);
        if (pass->divisor[0]) {
            (void)printf(" / %s", pass->divisor);
        }
        if (pass->multiplier[0]) {
            (void)printf(" * %s", pass->multiplier);
        }
        print_schedule(&pass->schedule);
        (void)putchar('\n');
    }
}

static void print_tunables(const struct variant *variant) {
    for (int i = 0; i < variant->tunable_count; i++) {
        const struct tunable *tunable = &variant->tunables[i];
        (void)printf("  %-10s %s", i ? "" : "tunables", tunable->name);
        for (int v = 0; v < tunable->value_count; v++) {
            (void)printf(" %d%s", tunable->values[v],
                         tunable->values[v] == tunable->preset ? "*" : "");
        }
        (void)putchar('\n');
    }
}

static void print_scratch(const struct variant *variant) {
    for (int s = 0; s < variant->scratch_count; s++) {
        char words[SCRATCH_WORDS_SIZE];
        scratch_describe(&variant->scratch[s], words, sizeof words);
        (void)printf("  %-10s %s\n", s ? "" : "scratch", words);
    }
}

static void print_variant(const struct variant *variant) {
    (void)printf("%s — %s\n", variant->name, variant->summary);
    (void)printf("  %-10s %s\n", "workload", variant->workload->name);
    (void)printf("  %-10s %s\n", "structure", variant->structure);
    print_passes(variant);
    print_tunables(variant);
    print_scratch(variant);
    if (!variant->accepts_open || !variant->accepts_periodic) {
        (void)printf("  %-10s %s only\n", "boxes", variant->accepts_open ? "open" : "periodic");
    }
    if (variant->accepts_triclinic) {
        (void)printf("  %-10s orthorhombic and triclinic\n", "cells");
    }
    if (variant->needs_cuda) {
        (void)printf("  %-10s cuda", "needs");
        if (variant->names_arch) {
            (void)printf(", sm_%d%s", variant->arch,
                         variant->arch_is_exact ? "a alone" : " and up");
        }
        (void)putchar('\n');
    }
    if (variant->warp_size) {
        (void)printf("  %-10s sub-groups of %d, where a device has them\n", "warps",
                     variant->warp_size);
    }
    if (variant->source_note[0]) {
        (void)printf("  %-10s %s\n", "source", variant->source_note);
    }
    (void)printf("  %-10s %s\n", "file", variant->path);
}

static struct json_object *tunables_object(const struct variant *variant) {
    struct json_object *array = json_object_new_array();
    for (int i = 0; i < variant->tunable_count; i++) {
        const struct tunable *tunable = &variant->tunables[i];
        struct json_object *object = json_object_new_object();
        struct json_object *values = json_object_new_array();
        for (int v = 0; v < tunable->value_count; v++) {
            json_object_array_add(values, json_object_new_int(tunable->values[v]));
        }
        json_add_text(object, "name", tunable->name);
        json_object_object_add(object, "values", values);
        json_add_count(object, "preset", tunable->preset);
        json_object_array_add(array, object);
    }
    return array;
}

static struct json_object *scratch_object(const struct variant *variant) {
    struct json_object *array = json_object_new_array();
    for (int s = 0; s < variant->scratch_count; s++) {
        char words[SCRATCH_WORDS_SIZE];
        scratch_describe(&variant->scratch[s], words, sizeof words);
        json_object_array_add(array, json_object_new_string(words));
    }
    return array;
}

static struct json_object *variant_object(const struct variant *variant) {
    struct json_object *object = json_object_new_object();
    struct json_object *passes = json_object_new_array();
    for (int i = 0; i < variant->pass_count; i++) {
        json_object_array_add(passes, json_object_new_string(variant->passes[i].kernel));
    }
    json_add_text(object, "name", variant->name);
    json_add_text(object, "summary", variant->summary);
    json_add_text(object, "workload", variant->workload->name);
    json_add_text(object, "structure", variant->structure);
    json_object_object_add(object, "passes", passes);
    json_object_object_add(object, "tunables", tunables_object(variant));
    json_object_object_add(object, "scratch", scratch_object(variant));
    json_add_flag(object, "open", variant->accepts_open);
    json_add_flag(object, "periodic", variant->accepts_periodic);
    json_add_flag(object, "triclinic", variant->accepts_triclinic);
    json_add_flag(object, "needs_cuda", variant->needs_cuda);
    json_add_count(object, "warps", variant->warp_size);
    json_add_text(object, "source", variant->source_note);
    json_add_text(object, "file", variant->path);
    return object;
}

static void print_json(const struct variant_choice *choice) {
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < choice->count; i++) {
        json_object_array_add(array, variant_object(choice->chosen[i]));
    }
    json_print(array);
    json_object_put(array);
}

static void print_short(const struct variant_choice *choice) {
    static const bool is_number[4];
    struct text_table table = { .columns = 4 };
    struct strbuf text = { 0 };
    for (size_t i = 0; i < choice->count; i++) {
        const struct variant *variant = choice->chosen[i];
        text_table_add(&table, "%s", variant->workload->name);
        text_table_add(&table, "%s", variant->structure);
        text_table_add(&table, "%s", variant->name);
        text_table_add(&table, "%s", variant->summary);
    }
    text_table_write(&table, is_number, &text);
    memory_check(!text.failed);
    (void)fputs(text.data ? text.data : "", stdout);
    strbuf_free(&text);
    text_table_free(&table);
}

struct list_options {
    struct axes axes;
    bool json;
    bool in_short;
    bool structures, parameters, columns;
};

/* Of the axes, those that say something about variants. */
static const struct command_option option_table[] = {
    { "--workload", .is_axis = true },
    { "--variant", .is_axis = true },
    { "--structure", .is_axis = true },
    { "--variant-file", .is_axis = true },
    { "--include", .is_axis = true },
    { "--all-pairings", .is_axis = true },
    { "--short", .help = "a line per variant: its workload, structure, name and summary",
      OPTION_STORED(struct list_options, in_short) },
    { "--structures",
      .help = "instead what variants walk: the names that each structure provides to kernels, what "
              "it is built from, its tunables",
      OPTION_STORED(struct list_options, structures) },
    { "--parameters",
      .help = "instead the names that each workload, or the one named, provides to kernels",
      OPTION_STORED(struct list_options, parameters) },
    { "--columns", .help = "instead the columns of rows.csv; those with a * identify a case",
      OPTION_STORED(struct list_options, columns) },
    { "--json", .help = "one JSON document", OPTION_STORED(struct list_options, json) },
    { .name = NULL },
};

/* The option that asks for something besides variants; NULL: none. */
static const char *other_list(const struct list_options *options) {
    return options->structures   ? "--structures"
           : options->parameters ? "--parameters"
           : options->columns    ? "--columns"
                                 : NULL;
}

static bool check_options(const struct list_options *options, struct error *error) {
    const struct axes *axes = &options->axes;
    const char *other = other_list(options);
    if (options->structures + options->parameters + options->columns > 1) {
        return fail(error, STATUS_BAD_INPUT,
                    "expected one of --structures, --parameters and --columns");
    }
    if (options->in_short && (options->json || other)) {
        return fail(error, STATUS_BAD_INPUT,
                    "--short is of the list of variants, in lines: take it without --json and %s",
                    other ? other : "--structures");
    }
    const bool narrowed = axes->variant || axes->structure || axes->variant_files ||
                          (axes->workload && !options->parameters);
    return !other || !narrowed ||
           fail(error, STATUS_BAD_INPUT, "%s lists no variants: take it alone, or with %s--json",
                other, options->parameters ? "--workload and " : "");
}

static int print_parameters(const struct list_options *options, struct error *error) {
    const bool is_named = options->axes.workload != NULL;
    const struct workload *workload = is_named ? plan_workload(&options->axes, error) : NULL;
    if (is_named && !workload) {
        return COMMAND_FAILED;
    }
    list_parameters(workload, options->json);
    return 0;
}

static int print_list(const struct list_options *options, struct error *error) {
    /* All that there is, unless narrowed; where files are given and no names, theirs. */
    char everything[] = "*";
    struct axes axes = options->axes;
    struct variant_choice choice;
    axes.workload = axes.workload ? axes.workload : everything;
    axes.variant = axes.variant || axes.variant_files ? axes.variant : everything;
    if (!variants_list(&axes, &choice, error)) {
        return COMMAND_FAILED;
    }
    if (options->json) {
        print_json(&choice);
    } else if (options->in_short) {
        print_short(&choice);
    } else {
        for (size_t i = 0; i < choice.count; i++) {
            (void)printf("%s", i ? "\n" : "");
            print_variant(choice.chosen[i]);
        }
    }
    variants_release(&choice);
    return 0;
}

static int run(void *context, struct error *error) {
    const struct list_options *options = context;
    if (!check_options(options, error)) {
        return COMMAND_FAILED;
    }
    if (options->parameters) {
        return print_parameters(options, error);
    }
    if (!options->structures && !options->columns) {
        return print_list(options, error);
    }
    if (options->structures) {
        list_structures(options->json);
    } else {
        list_columns(options->json);
    }
    return 0;
}

const struct command list_command = { .name = "list",
                                      .summary = "the variants: structure, tunables, source",
                                      .run = run,
                                      COMMAND_REQUEST(struct list_options),
                                      COMMAND_AXES(struct list_options, axes),
                                      .options = option_table };
