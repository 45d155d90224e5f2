/*
 * junit — what `pairmark check` says of its cases as JUnit XML, the form that GitLab, Jenkins and
 * most CI servers show.
 */
#ifndef PAIRMARK_COMMANDS_CONSOLE_JUNIT_H
#define PAIRMARK_COMMANDS_CONSOLE_JUNIT_H

#include "core/error.h"

#include <json-c/json.h>

/* Before the cases run: whether the file may be written. A report of an earlier check is replaced,
 * any other file refused. STATUS_BAD_INPUT. */
bool junit_check(const char *path, struct error *error);

/* One test suite per device and one test case per case: <skipped> where it is unsupported, <error>
 * where it never got to run (bad input, the system), <failure> where it failed otherwise. `cases`:
 * objects with case, device, variant, status, message, seconds. `empty`: texts, each a failure:
 * nothing was judged. STATUS_SYSTEM, STATUS_OUT_OF_MEMORY. */
bool junit_write(const char *path, struct json_object *cases, struct json_object *empty,
                 struct error *error);

#endif
