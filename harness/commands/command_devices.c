#include "answers/tables/analysis.h"
#include "campaign/rows/run_folder.h"
#include "commands/command_parts.h"
#include "commands/commands.h"
#include "measure/program.h"
#include "measure/worker/confine.h"
#include "measure/worker/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void memory_words(uint64_t bytes, char *words, size_t size) {
    (void)snprintf(words, size, "%.1f GiB", (double)bytes / (1 << 30));
}

static void print_table(const struct device_info *list, size_t count) {
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

static void print_json(const struct device_info *list, size_t count, const char *notes) {
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

struct request {
    bool json;
};

static int run(void *request, struct error *error) {
    const bool json = ((struct request *)request)->json;
    struct device_info *list = NULL;
    size_t count = 0;
    char notes[2048] = "";
    if (!worker_enumerate(&list, &count, notes, sizeof notes, error)) {
        return COMMAND_FAILED;
    }
    if (json) {
        print_json(list, count, notes);
    } else if (count > 0) {
        print_table(list, count);
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

static const struct command_option options[] = {
    { "--json", .help = "one JSON object", OPTION_STORED(struct request, json) },
    { .name = NULL },
};

const struct command devices_command = { .name = "devices",
                                         .summary = "what can run here",
                                         .run = run,
                                         COMMAND_REQUEST(struct request),
                                         .options = options,
                                         .runs_kernels = true };
