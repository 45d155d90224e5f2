#include "commands/console/structure_list.h"

#include "kernels/structure.h"

#include <json-c/json.h>
#include <stdio.h>

/* ---- words ---- */

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
        (void)printf("  %-10s %s, and offers what that offers\n", "needs", structure->needs);
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

/* ---- JSON ---- */

static struct json_object *string_or_null(const char *words) {
    return words ? json_object_new_string(words) : NULL;
}

static struct json_object *parameters_object(const struct structure_class *structure) {
    struct json_object *array = json_object_new_array();
    for (const struct offers *o = structure->offers; o && o->table; o++) {
        for (const struct offer *offer = o->table; offer->name; offer++) {
            struct json_object *object = json_object_new_object();
            json_object_object_add(object, "name", json_object_new_string(offer->name));
            json_object_object_add(object, "type", json_object_new_string(offer->type));
            json_object_array_add(array, object);
        }
    }
    return array;
}

static struct json_object *tunables_object(const struct structure_class *structure) {
    struct json_object *array = json_object_new_array();
    const struct structure_tunable *tunable = structure->tunables;
    for (; tunable && tunable->name; tunable++) {
        struct json_object *object = json_object_new_object();
        json_object_object_add(object, "name", json_object_new_string(tunable->name));
        json_object_object_add(object, "preset", json_object_new_int(tunable->preset));
        json_object_object_add(object, "what", json_object_new_string(tunable->what));
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
    json_object_object_add(object, "name", json_object_new_string(structure->name));
    json_object_object_add(object, "summary", json_object_new_string(structure->summary));
    json_object_object_add(object, "needs", string_or_null(structure->needs));
    json_object_object_add(object, "needs_cutoff",
                           json_object_new_boolean(structure->needs_cutoff));
    json_object_object_add(object, "parameters", parameters_object(structure));
    json_object_object_add(object, "units", units);
    json_object_object_add(object, "tunables", tunables_object(structure));
    json_object_object_add(object, "outlives_moves",
                           json_object_new_boolean(structure->is_valid != NULL));
    return object;
}

/* ---- all of them ---- */

static void print_words(void) {
    for (size_t s = 0; structure_classes[s]; s++) {
        (void)printf("%s", s ? "\n" : "");
        print_structure(structure_classes[s]);
    }
}

static void print_json(void) {
    struct json_object *array = json_object_new_array();
    for (size_t s = 0; structure_classes[s]; s++) {
        json_object_array_add(array, structure_object(structure_classes[s]));
    }
    (void)puts(json_object_to_json_string_ext(array, JSON_C_TO_STRING_PRETTY |
                                                         JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(array);
}

void structure_list_print(bool json) {
    if (json) {
        print_json();
    } else {
        print_words();
    }
}
