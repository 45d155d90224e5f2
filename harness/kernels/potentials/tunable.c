#include "kernels/potentials/tunable.h"

#include "core/strings.h"

#include <stdlib.h>
#include <string.h>

bool tunable_has(const struct tunable *tunable, double value) {
    for (int v = 0; v < tunable->value_count; v++) {
        if (tunable->values[v] == value) {
            return true;
        }
    }
    return false;
}

/* One of "value value* ..." */
static bool parse_value(const struct header_reader *reader, const char *word, bool *starred,
                        struct tunable *tunable, struct error *error) {
    char *end = NULL;
    const long value = strtol(word, &end, 10);
    const bool star = strcmp(end, "*") == 0;
    if (end == word || (*end && !star) || value < 0 || value > TUNABLE_LARGEST_VALUE ||
        (star && *starred)) {
        return header_fail(reader, error,
                           "\"%s\" is no value of a tunable; expected whole numbers, one of "
                           "them at most starred as the preset",
                           word);
    }
    if (strcmp(tunable->name, "GROUP_SIZE") == 0 && (value == 0 || (value & (value - 1)) != 0)) {
        return header_fail(reader, error, "GROUP_SIZE \"%s\"; expected powers of two", word);
    }
    if (tunable_has(tunable, (double)value)) {
        return header_fail(reader, error, "@tunable %s has the value %ld twice", tunable->name,
                           value);
    }
    if (star || tunable->value_count == 0) {
        tunable->preset = (int)value;
    }
    *starred = *starred || star;
    tunable->values[tunable->value_count++] = (int)value;
    return true;
}

bool tunable_parse(const struct header_reader *reader, const char *rest, struct tunable *tunable,
                   struct error *error) {
    char word[TUNABLE_NAME_SIZE];
    bool starred = false;
    if (!cut_word(&rest, tunable->name, TUNABLE_NAME_SIZE) || !is_identifier(tunable->name) ||
        !*rest) {
        return header_fail(reader, error, "expected: @tunable NAME value value* ...");
    }
    while (*rest) {
        if (tunable->value_count == TUNABLE_MAX_VALUES ||
            !cut_word(&rest, word, TUNABLE_NAME_SIZE)) {
            return header_fail(reader, error, "more than %d values", TUNABLE_MAX_VALUES);
        }
        if (!parse_value(reader, word, &starred, tunable, error)) {
            return false;
        }
    }
    return true;
}
