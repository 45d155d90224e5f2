#include "answers/tables/sql_functions.h"

#include "core/statistics.h"

#include <stdbool.h>

/* The numbers of a group. SQLite zeroes it when the group begins. */
struct numbers {
    double *values; /* SQLite's memory, which its limit counts */
    size_t count, capacity;
    double percent;
};

static void numbers_add(sqlite3_context *context, struct numbers *numbers, double value) {
    if (numbers->count == numbers->capacity) {
        const size_t capacity = numbers->capacity ? 2 * numbers->capacity : 16;
        double *values = sqlite3_realloc64(numbers->values, capacity * sizeof *values);
        if (!values) {
            sqlite3_result_error_nomem(context);
            return;
        }
        numbers->values = values;
        numbers->capacity = capacity;
    }
    numbers->values[numbers->count++] = value;
}

static bool is_number(sqlite3_value *value) {
    const int type = sqlite3_value_type(value);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static void take_value(sqlite3_context *context, int count, sqlite3_value **arguments) {
    struct numbers *numbers = sqlite3_aggregate_context(context, sizeof *numbers);
    if (!numbers) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (count == 2) {
        numbers->percent = is_number(arguments[1]) ? sqlite3_value_double(arguments[1]) : -1;
        if (!(numbers->percent >= 0 && numbers->percent <= 100)) {
            sqlite3_result_error(context, "percentile(x, p): p is a number from 0 to 100", -1);
            return;
        }
    }
    if (is_number(arguments[0])) {
        numbers_add(context, numbers, sqlite3_value_double(arguments[0]));
    }
}

static void give_median(sqlite3_context *context) {
    struct numbers *numbers = sqlite3_aggregate_context(context, 0);
    if (numbers && numbers->count > 0) {
        const size_t count = numbers->count;
        sort_numbers(numbers->values, count);
        sqlite3_result_double(
            context, 0.5 * (numbers->values[(count - 1) / 2] + numbers->values[count / 2]));
    }
    sqlite3_free(numbers ? numbers->values : NULL);
}

static void give_percentile(sqlite3_context *context) {
    struct numbers *numbers = sqlite3_aggregate_context(context, 0);
    if (numbers && numbers->count > 0) {
        sort_numbers(numbers->values, numbers->count);
        sqlite3_result_double(
            context, quantile_of_sorted(numbers->values, numbers->count, numbers->percent / 100));
    }
    sqlite3_free(numbers ? numbers->values : NULL);
}

int sql_functions_add(sqlite3 *database) {
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    const int code =
        sqlite3_create_function(database, "median", 1, flags, NULL, NULL, take_value, give_median);
    return code != SQLITE_OK ? code
                             : sqlite3_create_function(database, "percentile", 2, flags, NULL, NULL,
                                                       take_value, give_percentile);
}
