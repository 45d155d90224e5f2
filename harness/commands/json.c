#include "commands/command_parts.h"

#include "campaign/plan/plan.h"
#include "campaign/rows/run_folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- members ---- */

void json_add_text(struct json_object *object, const char *name, const char *text) {
    json_object_object_add(object, name, text ? json_object_new_string(text) : NULL);
}

void json_add_count(struct json_object *object, const char *name, int64_t count) {
    json_object_object_add(object, name, json_object_new_int64(count));
}

void json_add_flag(struct json_object *object, const char *name, bool flag) {
    json_object_object_add(object, name, json_object_new_boolean(flag));
}

void json_add_number(struct json_object *object, const char *name, double number) {
    if (isfinite(number)) {
        struct json_object *value = json_object_new_double(number);
        json_object_set_serializer(value, json_object_double_to_json_string, (void *)"%.6g", NULL);
        json_object_object_add(object, name, value);
    }
}

void json_print(struct json_object *object) {
    (void)puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
                                                          JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(object);
}

/* ---- the case ---- */

static struct json_object *value_of(const struct row *row, enum column column) {
    const double number = row_number(row, column);
    switch (column_table[column].type) {
    case COLUMN_TYPE_TEXT:
        return json_object_new_string(row_text(row, column));
    case COLUMN_TYPE_COUNT:
        return json_object_new_int64((int64_t)number);
    case COLUMN_TYPE_FLAG:
        return json_object_new_boolean(number != 0);
    default:
        return isfinite(number) ? json_object_new_double_s(number, row_text(row, column)) : NULL;
    }
}

void json_add_case(struct json_object *object, const struct case_spec *spec) {
    struct row row;
    char id[HASH_TEXT_SIZE];
    row_create(&row);
    campaign_fill_case(spec, &row);
    case_id(spec, id);
    row_set(&row, COLUMN_CASE_ID, id);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (*row_text(&row, (enum column)i)) {
            json_object_object_add(object, column_table[i].name, value_of(&row, (enum column)i));
        }
    }
    if (spec->box.path[0]) {
        json_add_text(object, "box_file", spec->box.path);
    }
    row_free(&row);
}

/* ---- the verdict ---- */

static void add_judged(struct json_object *object, const struct judged *judged) {
    if (judged->rest[0]) {
        json_add_count(object, "judged_particles", judged->particles);
        json_add_count(object, "judge_seed", judged->seed);
        json_add_text(object, "judged_rest", judged->rest);
    }
}

void json_add_verdict(struct json_object *object, const struct verdict *verdict) {
    json_add_text(object, "status", status_name(verdict->status));
    if (verdict->message[0]) {
        json_add_text(object, "message", verdict->message);
    }
    json_add_number(object, "worst_ratio", verdict->worst_ratio);
    json_add_number(object, "max_force_error", verdict->max_force_error);
    json_add_number(object, "rms_force_error", verdict->rms_force_error);
    json_add_number(object, "energy_error", verdict->energy_error);
    json_add_number(object, "virial_error", verdict->virial_error);
    json_add_number(object, "net_force", verdict->net_force);
    if (verdict->pairs_in_cutoff >= 0) {
        json_add_count(object, "pairs_in_cutoff", verdict->pairs_in_cutoff);
    }
    add_judged(object, &verdict->judged);
    if (verdict->bitwise_repeatable >= 0) {
        json_add_flag(object, "bitwise_repeatable", verdict->bitwise_repeatable);
    }
    if (verdict->repeatable[0]) {
        json_add_text(object, "repeatable", verdict->repeatable);
        json_add_text(object, "result_hash", verdict->result_hash);
    }
}
