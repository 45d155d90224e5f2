#include "answers/summary/summary_samples.h"

#include "answers/tables/analysis.h"
#include "answers/tables/run_long_tables.h"

#include <math.h>
#include <stdlib.h>

/* ---- the interval ---- */

/* The largest rank r such that the median lies below the r-th smallest of `count` samples with a
 * probability of at most `tail`; 0: there is none. The number of samples below the median is
 * binomial with probability one half. */
static size_t rank_of_tail(size_t count, double tail) {
    const double n = (double)count;
    double sum = 0;
    size_t rank = 0;
    for (; rank < count / 2; rank++) {
        const double k = (double)rank;
        sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2));
        if (sum > tail) {
            break;
        }
    }
    return rank;
}

/* rank_of_tail(count), of the intervals that timed_cases_read promises. */
static void give_rank(sqlite3_context *context, int count, sqlite3_value **arguments) {
    const size_t samples = (size_t)sqlite3_value_int64(arguments[0]);
    (void)count;
    sqlite3_result_int64(context, (sqlite3_int64)rank_of_tail(samples, 0.0125));
}

/* ---- cases ---- */

/* A case has rows, all of which are ok, and no repeat among them: that is a case of its own, and no
 * result. `place` orders the samples of a case by time, from 1. */
static const char cases_sql[] =
    "WITH passed AS (SELECT case_id, coalesce(device, '') AS unit, max(rowid) AS id FROM rows"
    "   GROUP BY 1, 2 HAVING min(status IS 'ok' AND twin IS NOT 1) = 1),"
    " hot AS MATERIALIZED (SELECT case_id, coalesce(device, '') AS unit, seconds, row_number() OVER"
    "   (PARTITION BY device, case_id ORDER BY seconds) AS place FROM samples WHERE cache = 'hot'),"
    " timed AS MATERIALIZED (SELECT case_id, unit, count(*) AS count,"
    "   rank_of_tail(count(*)) AS rank FROM hot GROUP BY 1, 2)"
    " SELECT id, count, percentile(seconds, 50), max(seconds) FILTER (WHERE place = rank),"
    "   max(seconds) FILTER (WHERE place = count - rank + 1)"
    " FROM timed JOIN passed USING (case_id, unit) JOIN hot USING (case_id, unit)"
    " GROUP BY unit, case_id ORDER BY unit, case_id";

static bool read_cases(struct analysis *analysis, struct timed_cases *cases, struct error *error) {
    sqlite3_stmt *statement = NULL;
    bool found = true;
    bool read = analysis_prepare(analysis, cases_sql, &statement, error);
    while (read && found) {
        read = analysis_next(analysis, statement, &found, error);
        if (read && found) {
            cases->cases[cases->count++] = (struct timed_case){
                .row = analysis_row(analysis, statement, 0),
                .samples = (size_t)sqlite3_column_int64(statement, 1),
                .median_s = analysis_number(statement, 2),
                .low_s = analysis_number(statement, 3),
                .high_s = analysis_number(statement, 4),
            };
        }
    }
    (void)sqlite3_finalize(statement);
    return read;
}

bool timed_cases_read(const struct row_table *table, const char *samples_path,
                      struct timed_cases *cases, struct error *error) {
    struct analysis analysis;
    *cases = (struct timed_cases){ .cases = calloc(table->count + 1, sizeof *cases->cases) };
    if (!cases->cases) {
        return fail_out_of_memory(error, "the samples");
    }
    bool read = analysis_open(&analysis, error);
    read = read &&
           (sqlite3_create_function(analysis.database, "rank_of_tail", 1,
                                    SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, give_rank, NULL,
                                    NULL) == SQLITE_OK ||
            analysis_fail(&analysis, error)) &&
           analysis_add_table(&analysis, table, error) &&
           run_samples_add(&analysis, samples_path, NULL, error) &&
           read_cases(&analysis, cases, error);
    analysis_close(&analysis);
    if (!read) {
        timed_cases_free(cases);
    }
    return read;
}

void timed_cases_free(struct timed_cases *cases) {
    free(cases->cases);
    *cases = (struct timed_cases){ 0 };
}
