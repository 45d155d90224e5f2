#include "campaign/memory.h"
#include "campaign/plan/plan.h"
#include "campaign/text_table.h"
#include "commands/command_parts.h"
#include "commands/commands.h"
#include "kernels/launch.h"
#include "kernels/schedule.h"
#include "kernels/structure.h"

#include <stdio.h>
#include <string.h>

/* ---- structures ---- */

static void print_parameters(const struct structure_class *structure) {
    const char *heading = "parameters";
    for (const struct offers *o = structure->offers; o && o->table; o++) {
        for (const struct offer *offer = o->table; offer->name; offer++) {
            (void)printf("  %-10s %-24s %s\n", heading, offer->name, offer->type);
            heading = "";
        }
    }
}

static void print_structure(const struct structure_class *structure) {
    (void)printf("%s — %s\n", structure->name, structure->summary);
    if (structure->needs) {
        (void)printf("  %-10s %s, and offers what that offers\n", "needs", structure->needs->name);
    }
    print_parameters(structure);
    for (const char *const *unit = structure->units; unit && *unit; unit++) {
        (void)printf("  %-10s %s\n", unit == structure->units ? "units" : "", *unit);
    }
    const struct structure_tunable *tunable = structure->tunables;
    for (; tunable && tunable->name; tunable++) {
        (void)printf("  %-10s %s %d*: %s\n", tunable == structure->tunables ? "tunables" : "",
                     tunable->name, tunable->preset, tunable->what);
    }
    if (structure->is_valid) {
        (void)printf("  %-10s several launches, until particles have moved too far\n", "serves");
    }
}

static struct json_object *parameters_object(const struct structure_class *structure) {
    struct json_object *array = json_object_new_array();
    for (const struct offers *o = structure->offers; o && o->table; o++) {
        for (const struct offer *offer = o->table; offer->name; offer++) {
            struct json_object *object = json_object_new_object();
            json_add_text(object, "name", offer->name);
            json_add_text(object, "type", offer->type);
            json_object_array_add(array, object);
        }
    }
    return array;
}

static struct json_object *structure_tunables(const struct structure_class *structure) {
    struct json_object *array = json_object_new_array();
    const struct structure_tunable *tunable = structure->tunables;
    for (; tunable && tunable->name; tunable++) {
        struct json_object *object = json_object_new_object();
        json_add_text(object, "name", tunable->name);
        json_add_count(object, "preset", tunable->preset);
        json_add_text(object, "what", tunable->what);
        json_object_array_add(array, object);
    }
    return array;
}

static struct json_object *structure_object(const struct structure_class *structure) {
    struct json_object *object = json_object_new_object();
    struct json_object *units = json_object_new_array();
    for (const char *const *unit = structure->units; unit && *unit; unit++) {
        json_object_array_add(units, json_object_new_string(*unit));
    }
    json_add_text(object, "name", structure->name);
    json_add_text(object, "summary", structure->summary);
    json_add_text(object, "needs", structure->needs ? structure->needs->name : NULL);
    json_add_flag(object, "needs_cutoff", structure->needs_cutoff);
    json_object_object_add(object, "parameters", parameters_object(structure));
    json_object_object_add(object, "units", units);
    json_object_object_add(object, "tunables", structure_tunables(structure));
    json_add_flag(object, "outlives_moves", structure->is_valid != NULL);
    return object;
}

/* All of them on standard output, as words or as one JSON array. */
static void print_structures(bool json) {
    struct json_object *array = json_object_new_array();
    for (size_t s = 0; structure_classes[s]; s++) {
        if (json) {
            json_object_array_add(array, structure_object(structure_classes[s]));
        } else {
            (void)printf("%s", s ? "\n" : "");
            print_structure(structure_classes[s]);
        }
    }
    if (json) {
        json_print(array);
    }
    json_object_put(array);
}

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
            (void)printf("  %-10s transform %s: %s to %s\n", i ? "" : "passes", pass->kernel,
                         pass->arguments[0], pass->arguments[1]);
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
    bool structures;
};

static bool check_alone(const struct axes *axes, struct error *error) {
    return (!axes->workload && !axes->variant && !axes->structure && !axes->variant_files) ||
           fail(error, STATUS_BAD_INPUT,
                "--structures lists all structures and no variants: take it alone, or with --json");
}

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
      .help = "what variants walk instead: the names and types that each structure offers to "
              "kernels, what it is built from, its tunables",
      OPTION_STORED(struct list_options, structures) },
    { "--json", .help = "one JSON document", OPTION_STORED(struct list_options, json) },
    { .name = NULL },
};

static bool check_options(const struct list_options *options, struct error *error) {
    if (options->in_short && (options->json || options->structures)) {
        return fail(error, STATUS_BAD_INPUT,
                    "--short is of the list of variants, in lines: take it "
                    "without --json and --structures");
    }
    return !options->structures || check_alone(&options->axes, error);
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
    if (options->structures) {
        print_structures(options->json);
        return 0;
    }
    return print_list(options, error);
}

const struct command list_command = { .name = "list",
                                      .summary = "the variants: structure, tunables, source",
                                      .run = run,
                                      COMMAND_REQUEST(struct list_options),
                                      COMMAND_AXES(struct list_options, axes),
                                      .options = option_table };
