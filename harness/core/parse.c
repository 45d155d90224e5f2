#include "core/parse.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool is_vanished(const char *word, double value) {
    return value == 0.0 && strcspn(word, "123456789") < strcspn(word, "eE") &&
           word[strcspn(word, "123456789")] != '\0';
}

bool parse_double(const char *word, double *value) {
    char *end = NULL;
    if (*word == '\0' || isspace((unsigned char)*word)) {
        return false; /* strtod would skip them */
    }
    double number = strtod(word, &end);
    if (*end != '\0' || !isfinite(number) || is_vanished(word, number)) {
        return false;
    }
    *value = number;
    return true;
}

bool parse_count(const char *word, uint64_t *value) {
    char *end = NULL;
    if (*word < '0' || *word > '9') {
        return false;
    }
    double number = strtod(word, &end);
    if (*end == 'k') {
        number *= 1e3;
        end++;
    } else if (*end == 'M') {
        number *= 1e6;
        end++;
    } else if (*end == 'G') {
        number *= 1e9;
        end++;
    }
    if (*end != '\0' || !(number < 9007199254740992.0) || number != floor(number)) {
        return false;
    }
    *value = (uint64_t)number;
    return true;
}

bool matches_pattern(const char *pattern, const char *name) {
    return fnmatch(pattern, name, 0) == 0;
}

char **split_list(const char *list, char separator) {
    size_t items = 1;
    for (const char *c = list; *c; c++) {
        items += *c == separator;
    }
    size_t table = (items + 1) * sizeof(char *);
    char **split = malloc(table + strlen(list) + 1);
    if (!split) {
        return NULL;
    }
    char *copy = strcpy((char *)split + table, list);
    size_t item = 0;
    split[item++] = copy;
    for (; *copy; copy++) {
        if (*copy == separator) {
            *copy = '\0';
            split[item++] = copy + 1;
        }
    }
    split[item] = NULL;
    return split;
}
