/* JSON from files: apart from files.c, so that libpairmark needs no json-c. */
#include "core/files.h"

#include <json-c/json.h>
#include <stdlib.h>

bool input_read_json(const char *path, struct json_object **object, struct error *error) {
    enum json_tokener_error reason = json_tokener_success;
    char *data = NULL;
    if (!input_read(path, INPUT_TABLE_BYTES, &data, NULL, error)) {
        return false;
    }
    struct json_object *parsed = json_tokener_parse_verbose(data, &reason);
    free(data);
    if (!json_object_is_type(parsed, json_type_object)) {
        json_object_put(parsed);
        return fail(error, STATUS_BAD_INPUT, "%s: cannot be read as JSON: %s", path,
                    reason == json_tokener_success ? "a JSON object is expected"
                                                   : json_tokener_error_desc(reason));
    }
    *object = parsed;
    return true;
}
