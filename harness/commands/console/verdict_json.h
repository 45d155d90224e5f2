/*
 * verdict_json — a case and its verdict as members of a JSON object, by the names that rows.csv has
 * for them (campaign/axes/columns.def). What is not known has no member.
 */
#ifndef PAIRMARK_COMMANDS_CONSOLE_VERDICT_JSON_H
#define PAIRMARK_COMMANDS_CONSOLE_VERDICT_JSON_H

#include "core/error.h"
#include "kernels/case.h"
#include "kernels/results.h"

#include <json-c/json.h>

/* case_id, workload, interaction, variant... seed; the box as it was asked for, box_file where it
 * is read. A cutoff of none is null; flags are true or false. STATUS_OUT_OF_MEMORY. */
bool verdict_json_add_case(struct json_object *object, const struct case_spec *spec,
                           struct error *error);

/* status, message, worst_ratio and its like. */
void verdict_json_add(struct json_object *object, const struct verdict *verdict);

/* A number of six digits; nothing where it is none. */
void verdict_json_add_number(struct json_object *object, const char *name, double value);

#endif
