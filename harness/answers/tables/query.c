#include "answers/tables/query.h"

#include "answers/tables/query_format.h"
#include "core/host.h"
#include "core/strings.h"

#include <string.h>

/* What a statement takes besides the tables. */
#define QUERY_MEMORY_BYTES ((sqlite3_int64)4 << 30)
enum { STEPS_BETWEEN_LOOKS = 10000, QUERY_VALUE_BYTES = 64 << 20 };

struct guard {
    double deadline;
    bool late;
    const char *refused; /* what the statement may not do; NULL: nothing that it does */
};

/* ---- what a statement may do ---- */

/* Whether the action reads and no more. */
static bool is_reading(int action, const char *function) {
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return true;
    case SQLITE_FUNCTION:
        return strcmp(function, "load_extension") != 0;
    default:
        return false;
    }
}

static const char *action_name(int action) {
    static const struct {
        int action;
        const char *name;
    } names[] = {
        { SQLITE_ATTACH, "ATTACH" },
        { SQLITE_DETACH, "DETACH" },
        { SQLITE_INSERT, "writing" },
        { SQLITE_UPDATE, "UPDATE" },
        { SQLITE_DELETE, "DELETE" },
        { SQLITE_PRAGMA, "PRAGMA" },
        { SQLITE_TRANSACTION, "a transaction" },
        { SQLITE_FUNCTION, "load_extension" },
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].action == action) {
            return names[i].name;
        }
    }
    return "what it asks for";
}

static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger) {
    struct guard *guard = context;
    (void)first;
    (void)first;
    (void)database;
    (void)trigger;
    if (is_reading(action, second ? second : "")) {
        return SQLITE_OK;
    }
    guard->refused = guard->refused ? guard->refused : action_name(action);
    return SQLITE_DENY;
}

static int look_at_clock(void *context) {
    struct guard *guard = context;
    guard->late = clock_s() > guard->deadline;
    return guard->late;
}

/* ---- errors ---- */

/* Where in the statement the error was found, as it goes on from there; "": SQLite does not know.
 */
static const char *error_place(sqlite3 *database, const char *sql) {
#if SQLITE_VERSION_NUMBER >= 3038000
    const int offset = sqlite3_error_offset(database);
    return offset >= 0 && (size_t)offset <= strlen(sql) ? sql + offset : "";
#else
    (void)database;
    (void)sql;
    return "";
#endif
}

static bool fail_query(sqlite3 *database, const struct query *query, const struct guard *guard,
                       struct error *error) {
    if (guard->late) {
        return fail(error, STATUS_BAD_INPUT, "the query took more than %g s: --timeout allows more",
                    query->max_seconds);
    }
    if (sqlite3_errcode(database) == SQLITE_NOMEM) {
        return fail_out_of_memory(error, "the query");
    }
    if (guard->refused) {
        return fail(error, STATUS_BAD_INPUT,
                    "a query only reads the recorded tables: %s is refused", guard->refused);
    }
    const char *place = error_place(database, query->sql);
    if (*place == '\0') {
        return fail(error, STATUS_BAD_INPUT, "%s", sqlite3_errmsg(database));
    }
    return fail(error, STATUS_BAD_INPUT, "%s: at character %zu, '%.40s'", sqlite3_errmsg(database),
                (size_t)(place - query->sql) + 1, place);
}

/* ---- the statement ---- */

static bool prepare(sqlite3 *database, const struct query *query, const struct guard *guard,
                    sqlite3_stmt **statement, struct error *error) {
    const char *rest = NULL;
    sqlite3_stmt *second = NULL;
    if (sqlite3_prepare_v2(database, query->sql, -1, statement, &rest) != SQLITE_OK) {
        return fail_query(database, query, guard, error);
    }
    if (!*statement) {
        return fail(error, STATUS_BAD_INPUT, "the query is empty");
    }
    /* Blanks and comments make no statement. */
    const bool one = sqlite3_prepare_v2(database, rest, -1, &second, NULL) == SQLITE_OK && !second;
    (void)sqlite3_finalize(second);
    if (!one) {
        return fail(error, STATUS_BAD_INPUT, "one statement is expected: after it stands '%.40s'",
                    rest);
    }
    if (!sqlite3_stmt_readonly(*statement) || sqlite3_column_count(*statement) == 0) {
        return fail(error, STATUS_BAD_INPUT, "a query only reads: expected SELECT ...");
    }
    return sqlite3_bind_parameter_count(*statement) == 0 ||
           fail(error, STATUS_BAD_INPUT, "a query has no parameters: put the value in its place");
}

static bool fetch(sqlite3 *database, sqlite3_stmt *statement, const struct query *query,
                  const struct guard *guard, struct query_writer *writer, bool *cut,
                  struct error *error) {
    for (size_t rows = 0;; rows++) {
        const int code = sqlite3_step(statement);
        if (code == SQLITE_DONE) {
            return true;
        }
        if (code != SQLITE_ROW) {
            return fail_query(database, query, guard, error);
        }
        if (rows == query->max_rows) {
            *cut = true;
            return query->format == QUERY_TABLE ||
                   fail(error, STATUS_BAD_INPUT,
                        "the answer has more than %zu rows: --rows N allows more", query->max_rows);
        }
        if (!query_write_row(writer, statement)) {
            return fail_out_of_memory(error, "the answer");
        }
    }
}

bool query_answer(struct analysis *analysis, const struct query *query, struct strbuf *text,
                  bool *cut, struct error *error) {
    sqlite3 *database = analysis->database;
    sqlite3_stmt *statement = NULL;
    struct guard guard = { .deadline = clock_s() + query->max_seconds };
    struct query_writer writer = { .format = query->format, .text = text };
    const sqlite3_int64 limit = sqlite3_memory_used() + QUERY_MEMORY_BYTES;
    const sqlite3_int64 limit_before = sqlite3_hard_heap_limit64(limit);
    *cut = false;
    (void)sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    /* "okay" is a column, so that a misspelt one is an error and no text. */
    (void)sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    (void)sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    /* Making and writing one value is not interrupted by the clock. */
    const int length_before = sqlite3_limit(database, SQLITE_LIMIT_LENGTH, QUERY_VALUE_BYTES);
    (void)sqlite3_set_authorizer(database, authorize, &guard);
    sqlite3_progress_handler(database, STEPS_BETWEEN_LOOKS, look_at_clock, &guard);
    bool answered = prepare(database, query, &guard, &statement, error) &&
                    query_write_names(&writer, statement, error) &&
                    fetch(database, statement, query, &guard, &writer, cut, error);
    answered = answered && (query_write_end(&writer) || fail_out_of_memory(error, "the answer"));
    (void)sqlite3_finalize(statement);
    query_writer_free(&writer);
    (void)sqlite3_set_authorizer(database, NULL, NULL);
    sqlite3_progress_handler(database, 0, NULL, NULL);
    (void)sqlite3_hard_heap_limit64(limit_before);
    (void)sqlite3_limit(database, SQLITE_LIMIT_LENGTH, length_before);
    return answered;
}
