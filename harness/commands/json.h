/*
 * json — what commands print with --json: members by their types, and a case and its verdict by
 * the names that rows.csv has for them (campaign/axes/columns.def).
 */
#ifndef PAIRMARK_COMMANDS_JSON_H
#define PAIRMARK_COMMANDS_JSON_H

#include "kernels/case.h"
#include "kernels/results.h"

#include <json-c/json.h>
#include <stdbool.h>

void json_add_text(struct json_object *object, const char *name, const char *text); /* NULL: null */
void json_add_count(struct json_object *object, const char *name, int64_t count);
void json_add_flag(struct json_object *object, const char *name, bool flag);
/* A number of six digits; nothing where it is none. */
void json_add_number(struct json_object *object, const char *name, double number);

/* In lines, on standard output. */
void json_print(struct json_object *object);

/* case_id, workload, interaction, variant... seed; the box as it was asked for, box_file where it
 * is read. A cutoff of none is null; what is not known has no member. STATUS_OUT_OF_MEMORY. */
bool json_add_case(struct json_object *object, const struct case_spec *spec, struct error *error);

/* status, message, worst_ratio and its like. */
void json_add_verdict(struct json_object *object, const struct verdict *verdict);

#endif
