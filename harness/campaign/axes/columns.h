/*
 * columns — the columns of rows.csv and visits.csv: one table, from which come the enum that names
 * a column in C, the header line, reading and writing, what joins the visits of a case, what
 * identifies cases, and the headings of reports and docs/columns.md.
 *
 * A new column is an entry at the end of columns.def, and the line that fills it
 * (campaign/rows/campaign_row.c).
 */
#ifndef PAIRMARK_CAMPAIGN_AXES_COLUMNS_H
#define PAIRMARK_CAMPAIGN_AXES_COLUMNS_H

#include <stdbool.h>

#define COLUMN(id, ...) COLUMN_##id,
enum column {
#include "campaign/axes/columns.def"
    COLUMN_COUNT /* how many there are */
};
#undef COLUMN

/* What a field holds. An empty one is not known, in all of them. */
enum column_type {
    COLUMN_TYPE_TEXT,
    COLUMN_TYPE_COUNT,   /* a whole number, as a rule; a median of such may have a half */
    COLUMN_TYPE_NUMBER,  /* a real number; inf where the meaning says so */
    COLUMN_TYPE_SECONDS, /* a time */
    COLUMN_TYPE_PERCENT,
    COLUMN_TYPE_FLAG /* 1, 0 */
};

/* How the row of a case that passed comes from those of its visits. */
enum column_join {
    JOIN_LAST, /* the last visit's */
    JOIN_MEDIAN,
    JOIN_SUM,
    JOIN_LEAST,
    JOIN_LARGEST,
    JOIN_PER_TIME,   /* a rate: that of the median time, as the last visit's is of its own */
    JOIN_AS_TIME,    /* what grows with the time, likewise */
    JOIN_FIRST_KNOWN /* the last visit's; where that is empty, the first that is not */
};

/* What a column is to a case. */
enum column_role {
    ROLE_IDENTITY = 1,     /* identifies cases: rows that differ in it are not of one case */
    ROLE_BY_VARIANT = 2,   /* compared by: sides of `compare --by variant` differ in it */
    ROLE_BY_PRECISION = 4, /* likewise */
    ROLE_BY_DEVICE = 8,
    ROLE_BY_COMMIT = 16,
    ROLE_TUNING = 32, /* stored tunables hold for one value of it (campaign/tune/tuning.h) */
    ROLE_KNOB = 64    /* how a variant goes about it, which the result does not depend on: of cases
                         that differ in nothing else the fastest speaks for the variant */
};

/* How the table of a report shows it; 0: where its rows differ in it. */
enum column_shown {
    SHOWN_ALWAYS = 1, /* though all rows say the same */
    SHOWN_MORE = 2,   /* where all columns are asked for */
    SHOWN_CHOICE = 4, /* rows can be chosen by its values */
    SHOWN_NOWHERE = 8
};

struct column_entry {
    const char *name;    /* in rows.csv */
    const char *heading; /* in reports and figures */
    const char *meaning; /* a sentence or two */
    const char *unit;    /* NULL: none, or the type's own: see column_unit() */
    const char *absent;  /* what a row says that leaves it empty; NULL: that it is not known */
    enum column_type type;
    enum column_join join;
    unsigned role;  /* of enum column_role */
    unsigned shown; /* of enum column_shown */
};

extern const struct column_entry column_table[COLUMN_COUNT];

/* Their names in the order of the file, NULL-terminated. */
extern const char *const column_names[COLUMN_COUNT + 1];

/* The columns with any of these roles, in the order of the file: the first after `column`, which is
 * -1 for the first of all. COLUMN_COUNT: there is none any more. */
enum column column_next(unsigned roles, int column);

/* The column of that name; -1: there is none. */
int column_find(const char *name);

/* Whether rows of the workload of that name have the column; whether those of every workload do. */
bool column_is_of(enum column column, const char *workload);
bool column_is_of_all(enum column column);

/* "s", "pairs", ...; "" where it has none. */
const char *column_unit(enum column column);

#endif
