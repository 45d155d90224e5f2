#include "commands/check_report.h"

#include "campaign/case_identity.h"
#include "campaign/rows/campaign_row.h"

#include <math.h>
#include <string.h>

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

bool verdict_json_add_case(struct json_object *object, const struct case_spec *spec,
                           struct error *error) {
    struct row row;
    char id[HASH_TEXT_SIZE];
    if (!row_create(&row, error)) {
        return false;
    }
    campaign_fill_case(spec, &row);
    case_id(spec, id);
    row_set(&row, COLUMN_CASE_ID, id);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (*row_text(&row, (enum column)i)) {
            json_object_object_add(object, column_table[i].name, value_of(&row, (enum column)i));
        }
    }
    if (spec->box.path[0]) {
        json_object_object_add(object, "box_file", json_object_new_string(spec->box.path));
    }
    const bool filled = !row.failed;
    row_free(&row);
    return filled || fail_out_of_memory(error, "the cases");
}

/* ---- the verdict ---- */

void verdict_json_add_number(struct json_object *object, const char *name, double value) {
    if (isfinite(value)) {
        struct json_object *number = json_object_new_double(value);
        json_object_set_serializer(number, json_object_double_to_json_string, (void *)"%.6g", NULL);
        json_object_object_add(object, name, number);
    }
}

static void add_judged(struct json_object *object, const struct judged *judged) {
    if (judged->rest[0]) {
        json_object_object_add(object, "judged_particles",
                               json_object_new_int64(judged->particles));
        json_object_object_add(object, "judge_seed", json_object_new_int64(judged->seed));
        json_object_object_add(object, "judged_rest", json_object_new_string(judged->rest));
    }
}

void verdict_json_add(struct json_object *object, const struct verdict *verdict) {
    json_object_object_add(object, "status", json_object_new_string(status_name(verdict->status)));
    if (verdict->message[0]) {
        json_object_object_add(object, "message", json_object_new_string(verdict->message));
    }
    verdict_json_add_number(object, "worst_ratio", verdict->worst_ratio);
    verdict_json_add_number(object, "max_force_error", verdict->max_force_error);
    verdict_json_add_number(object, "rms_force_error", verdict->rms_force_error);
    verdict_json_add_number(object, "energy_error", verdict->energy_error);
    verdict_json_add_number(object, "virial_error", verdict->virial_error);
    verdict_json_add_number(object, "net_force", verdict->net_force);
    if (verdict->pairs_in_cutoff >= 0) {
        json_object_object_add(object, "pairs_in_cutoff",
                               json_object_new_int64(verdict->pairs_in_cutoff));
    }
    add_judged(object, &verdict->judged);
    if (verdict->bitwise_repeatable >= 0) {
        json_object_object_add(object, "bitwise_repeatable",
                               json_object_new_boolean(verdict->bitwise_repeatable));
    }
    if (verdict->repeatable[0]) {
        json_object_object_add(object, "repeatable", json_object_new_string(verdict->repeatable));
        json_object_object_add(object, "result_hash", json_object_new_string(verdict->result_hash));
    }
}
