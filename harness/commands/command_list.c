/* pairmark list, devices — what there is: variants, structures, parameters, columns, devices. */
#include "answers/tables/analysis.h"
#include "campaign/axes/axes.h"
#include "campaign/plan/plan.h"
#include "campaign/rows/run_folder.h"
#include "commands/command_parts.h"
#include "commands/commands.h"
#include "core/embedded.h"
#include "kernels/bindings.h"
#include "kernels/launch.h"
#include "kernels/schedule.h"
#include "kernels/structure.h"
#include "measure/program.h"
#include "measure/worker/confine.h"
#include "measure/worker/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- meanings ---- */

enum { HEADING_SIZE = 2 * VARIANT_NAME_SIZE + 16 };

/* What share/help/names.txt has after "\nKIND OWNER/NAME: "; NULL where it has no such line. */
static const char *find_meaning(const char *kind, const char *owner, const char *name,
                                int *length) {
    char heading[HEADING_SIZE];
    (void)snprintf(heading, sizeof heading, "\n%s%s%s%s: ", kind, owner, *owner ? "/" : "", name);
    const char *found = strstr(embedded_text("share/help/names.txt"), heading);
    found = found ? found + strlen(heading) : NULL;
    *length = found ? (int)strcspn(found, "\n") : 0;
    return found;
}

/* What a name is in the hands of its owner, a workload or structure; `kind` is "" or "unit ". */
static char *meaning_of(const char *kind, const char *owner, const char *name) {
    int length;
    struct strbuf text = { 0 };
    const char *meaning = find_meaning(kind, owner, name, &length);
    meaning = meaning ? meaning : find_meaning(kind, "", name, &length);
    strbuf_append(&text, "%.*s", length, meaning ? meaning : "");
    return text.data;
}

/* ---- names of parameters and units ---- */

/* Lines of one heading, which stands before the first. */
struct listing {
    const char *owner;   /* a workload or structure */
    const char *heading; /* of the next line */
};

static void print_heading(struct listing *listing) {
    (void)printf("  %-10s ", listing->heading);
    listing->heading = "";
}

static void print_parameter(struct listing *listing, const char *name, const char *type) {
    char plain[VARIANT_NAME_SIZE];
    const bool of_group = binding_set(name, plain) == 0;
    char *meaning = meaning_of("", listing->owner, of_group ? plain : name);
    print_heading(listing);
    (void)printf("%-24s %-24s %s\n", name, type, meaning);
    free(meaning);
}

static void print_units(const char *owner, const char *const *units) {
    struct listing listing = { owner, "units" };
    for (; units && *units; units++) {
        char *meaning = meaning_of("unit ", owner, *units);
        print_heading(&listing);
        (void)printf("%-24s %s\n", *units, meaning);
        free(meaning);
    }
}

static void print_structure_parameters(const struct structure_class *structure) {
    struct listing listing = { structure->name, "parameters" };
    for (const struct parameter_table *o = structure->parameter_tables; o && o->table; o++) {
        for (const struct kernel_parameter *parameter = o->table; parameter->name; parameter++) {
            print_parameter(&listing, parameter->name, parameter->type);
        }
    }
}

/* ---- structures ---- */

static void print_structure(const struct structure_class *structure) {
    (void)printf("%s — %s\n", structure->name, structure->summary);
    if (structure->needs) {
        (void)printf("  %-10s %s, and what that has\n", "needs", structure->needs->name);
    }
    print_structure_parameters(structure);
    print_units(structure->name, structure->units);
    const struct structure_tunable *tunable = structure->tunables;
    for (; tunable && tunable->name; tunable++) {
        (void)printf("  %-10s %s %d*: %s\n", tunable == structure->tunables ? "tunables" : "",
                     tunable->name, tunable->preset, tunable->what);
    }
    if (structure->ask) {
        (void)printf("  %-10s several launches, until particles have moved too far\n", "serves");
    }
}

/* What each structure provides to kernels, is built from, and looks at. */
static void print_structures(void) {
    for (size_t s = 0; structure_classes[s]; s++) {
        (void)printf("%s", s ? "\n" : "");
        print_structure(structure_classes[s]);
    }
}

/* ---- parameters of workloads ---- */

/* Those of kernels over such groups, without a structure; of two groups those of A, which stand for
 * both. */
static void print_of_groups(const struct variant *variant) {
    struct listing listing = { variant->workload->name, "parameters" };
    struct strbuf names = { 0 };
    bindings_list(variant, &names);
    char **words = memory_split(names.data, ',');
    for (char **word = words; *word; word++) {
        const char *name = *word + strspn(*word, " ");
        char plain[VARIANT_NAME_SIZE];
        struct binding binding;
        if (binding_set(name, plain) != 1 && bindings_look_up(variant, name, &binding)) {
            print_parameter(&listing, name, binding.type);
        }
    }
    free(words);
    strbuf_free(&names);
}

static void print_workload(const struct workload *workload, enum group_mode groups) {
    const struct variant variant = { .workload = workload, .groups = groups };
    (void)printf("%s — %s\n", workload->name, workload->summary);
    if (workload->groups != GROUPS_ONE_BIT) {
        (void)printf("  %-10s %s%s\n", "@groups", group_mode_name(groups),
                     groups == GROUPS_ONE ? "" : "; names that end in _a: also those in _b");
    }
    print_of_groups(&variant);
    print_units(workload->name, workload->units[groups]);
}

/* The parameters and launch units of a workload's kernels that no structure provides; NULL: of all
 * workloads. */
static void print_parameters(const struct workload *workload) {
    const char *between = "";
    for (size_t w = 0; workloads[w]; w++) {
        for (int g = 0; g <= GROUPS_PAIRS && (!workload || workload == workloads[w]); g++) {
            if (workloads[w]->groups >> g & 1U) {
                (void)printf("%s", between);
                print_workload(workloads[w], (enum group_mode)g);
                between = "\n";
            }
        }
    }
}

/* ---- columns ---- */

static const char *const joins[] = { [JOIN_LAST] = "last",
                                     [JOIN_MEDIAN] = "median",
                                     [JOIN_SUM] = "sum",
                                     [JOIN_LEAST] = "least",
                                     [JOIN_LARGEST] = "largest",
                                     [JOIN_PER_TIME] = "of the median",
                                     [JOIN_AS_TIME] = "of the median",
                                     [JOIN_FIRST_KNOWN] = "first known" };

/* The meaning, the workloads that alone fill the column, and what an empty field of old rows is. */
static char *describe_column(enum column column) {
    const struct column_entry *entry = &column_table[column];
    struct strbuf text = { 0 };
    const char *between = " Only ";
    strbuf_append(&text, "%s", entry->meaning);
    for (size_t w = 0; workloads[w] && !column_is_of_all(column); w++) {
        if (column_is_of(column, workloads[w]->name)) {
            strbuf_append(&text, "%s%s", between, workloads[w]->name);
            between = ", ";
        }
    }
    strbuf_append(&text, "%s", *between == ',' ? "." : "");
    if (entry->absent && *entry->absent) {
        strbuf_append(&text, " In older rows: %s.", entry->absent);
    }
    return text.data;
}

/* The columns of rows.csv. */
static void print_columns(void) {
    static const bool is_number[4];
    struct text_table table = { .columns = 4 };
    const char *const headings[] = { "column", "unit", "of visits", "meaning" };
    for (size_t h = 0; h < table.columns; h++) {
        text_table_add(&table, "%s", headings[h]);
    }
    for (int c = 0; c < COLUMN_COUNT; c++) {
        const struct column_entry *entry = &column_table[c];
        char *meaning = describe_column((enum column)c);
        text_table_add(&table, "%s%s", entry->name, entry->role & ROLE_IDENTITY ? "*" : "");
        text_table_add(&table, "%s", column_unit((enum column)c));
        text_table_add(&table, "%s", joins[entry->join]);
        text_table_add(&table, "%s", meaning);
        free(meaning);
    }
    text_table_print(&table, is_number);
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
        if (pass->launch) {
            struct strbuf words = { 0 };
            launch_describe(pass->launch, &words);
            (void)printf("  %-10s %s: %s", i ? "" : "passes", pass->kernel, strbuf_text(&words));
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
    if (variant_warp_size(variant)) {
        (void)printf("  %-10s sub-groups of %d, where a device has them\n", "warps",
                     variant_warp_size(variant));
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
    json_add_count(object, "warps", variant_warp_size(variant));
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
}

static void print_short(const struct variant_choice *choice) {
    static const bool is_number[4];
    struct text_table table = { .columns = 4 };
    for (size_t i = 0; i < choice->count; i++) {
        const struct variant *variant = choice->chosen[i];
        text_table_add(&table, "%s", variant->workload->name);
        text_table_add(&table, "%s", variant->structure);
        text_table_add(&table, "%s", variant->name);
        text_table_add(&table, "%s", variant->summary);
    }
    text_table_print(&table, is_number);
}

struct list_options {
    struct axes axes;
    bool json;
    bool in_short;
    bool structures, parameters, columns;
};

/* The axes are those that say something about variants. */
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
    { "--json", .help = "the variants as one JSON document",
      OPTION_STORED(struct list_options, json) },
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
    if (options->in_short + options->json + (other != NULL) > 1) {
        return fail(error, STATUS_BAD_INPUT,
                    "--short and --json are of the list of variants: take one, without %s",
                    other ? other : "the other");
    }
    const bool narrowed = axes->variant || axes->structure || axes->variant_files ||
                          (axes->workload && !options->parameters);
    return !other || !narrowed ||
           fail(error, STATUS_BAD_INPUT, "%s lists no variants: take it alone%s", other,
                options->parameters ? ", or with --workload" : "");
}

static int print_named_parameters(const struct list_options *options, struct error *error) {
    const bool is_named = options->axes.workload != NULL;
    const struct workload *workload = is_named ? plan_workload(&options->axes, error) : NULL;
    if (is_named && !workload) {
        return COMMAND_FAILED;
    }
    print_parameters(workload);
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
        return print_named_parameters(options, error);
    }
    if (!options->structures && !options->columns) {
        return print_list(options, error);
    }
    if (options->structures) {
        print_structures();
    } else {
        print_columns();
    }
    return 0;
}

const struct command list_command = { .name = "list",
                                      .summary = "the variants: structure, tunables, source",
                                      .run = run,
                                      COMMAND_REQUEST(struct list_options),
                                      COMMAND_AXES(struct list_options, axes),
                                      .options = option_table };

/* ---- pairmark devices ---- */

static void memory_words(uint64_t bytes, char *words, size_t size) {
    (void)snprintf(words, size, "%.1f GiB", (double)bytes / (1 << 30));
}

static void print_devices(const struct device_info *list, size_t count) {
    static const char *const names[] = { "device", "model", "driver", "memory",
                                         "units",  "fp64",  "usable" };
    enum { COLUMNS = sizeof names / sizeof names[0] };
    static const bool is_number[COLUMNS] = { [3] = true, [4] = true };
    struct text_table table = { .columns = COLUMNS };
    for (size_t c = 0; c < COLUMNS; c++) {
        text_table_add(&table, "%s", names[c]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct device_info *info = &list[i];
        char memory[32];
        memory_words(info->memory_bytes, memory, sizeof memory);
        text_table_add(&table, "%s", info->name);
        text_table_add(&table, "%s", info->model);
        text_table_add(&table, "%s", info->driver);
        text_table_add(&table, "%s", memory);
        text_table_add(&table, "%d", info->compute_units);
        text_table_add(&table, "%s", info->fp64 ? "yes" : "no");
        text_table_add(&table, "%s%s", info->unusable[0] ? "no: " : "yes", info->unusable);
    }
    text_table_print(&table, is_number);
}

static struct json_object *device_object(const struct device_info *info) {
    struct json_object *object = environment_device_object(info);
    json_add_flag(object, "usable", info->unusable[0] == '\0');
    if (info->unusable[0]) {
        json_add_text(object, "why_not", info->unusable);
    }
    return object;
}

static void print_devices_json(const struct device_info *list, size_t count, const char *notes) {
    struct json_object *object = json_object_new_object();
    struct json_object *devices = json_object_new_array();
    for (size_t i = 0; i < count; i++) {
        json_object_array_add(devices, device_object(&list[i]));
    }
    json_object_object_add(object, "devices", devices);
    json_add_text(object, "confinement", confine_words());
    json_add_text(object, "notes", notes);
    json_print(object);
}

struct devices_request {
    bool json;
};

static int run_devices(void *request, struct error *error) {
    const bool json = ((struct devices_request *)request)->json;
    struct device_info *list = NULL;
    size_t count = 0;
    char notes[2048] = "";
    if (!worker_enumerate(&list, &count, notes, sizeof notes, error)) {
        return COMMAND_FAILED;
    }
    if (json) {
        print_devices_json(list, count, notes);
    } else if (count > 0) {
        print_devices(list, count);
    } else {
        (void)puts("no device was found");
    }
    if (!json) {
        (void)printf("\nconfinement of kernels: %s\n", confine_words());
    }
    if (!json && notes[0]) {
        (void)printf("\n%s%s", notes, notes[strlen(notes) - 1] == '\n' ? "" : "\n");
    }
    free(list);
    return 0;
}

static const struct command_option devices_options[] = {
    { "--json", .help = "one JSON object", OPTION_STORED(struct devices_request, json) },
    { .name = NULL },
};

const struct command devices_command = { .name = "devices",
                                         .summary = "what can run here",
                                         .run = run_devices,
                                         COMMAND_REQUEST(struct devices_request),
                                         .options = devices_options,
                                         .runs_kernels = true };
