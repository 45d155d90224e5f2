/*
 * axes — the options that span cases. One table, axes.def, makes struct axes, the options of every
 * command that takes axes, their help, shell completion, and the choice of recorded rows.
 *
 * A new axis is an entry of axes.def, a member of struct case_spec with its words
 * (campaign/plan/case_identity.c), and code that spans it (campaign/plan/plan.c).
 */
#ifndef PAIRMARK_CAMPAIGN_AXES_AXES_H
#define PAIRMARK_CAMPAIGN_AXES_AXES_H

#include "core/error.h"
#include "core/strings.h"
#include "kernels/workload.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- columns ---- */

/* The columns of rows.csv and visits.csv: one table, from which come the enum that names
 * a column in C, the header line, reading and writing, what joins the visits of a case, what
 * identifies cases, and `list --columns`.
 *
 * A new column is an entry at the end of columns.def, which says where its fields come from. */

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
    ROLE_TUNING = 32, /* stored tunables hold for one value of it (commands/search) */
    ROLE_KNOB = 64,   /* how a variant goes about it, which the result does not depend on: of cases
                         that differ in nothing else the fastest speaks for the variant */
    ROLE_WITHIN = 128 /* of the identity, but differs within a setting, or another column has it */
};

/* Where a row has a field from: a measurement has those from SOURCE_BOX on. */
enum column_source {
    SOURCE_RECORDED, /* the run, the device, the row itself */
    SOURCE_SETTING,  /* the case: case_words() */
    SOURCE_DERIVED,  /* other columns */
    SOURCE_JOINED,   /* the visits of the case, together */
    SOURCE_BOX,      /* the box as it came out; where it was not made, as it was asked for */
    SOURCE_GROUPS,   /* the groups, of a workload that has some, once the box is made */
    SOURCE_PROGRAM,  /* the kernels, once they are compiled */
    SOURCE_TERMS,    /* bonded terms, of a workload that has some, likewise */
    SOURCE_VERDICT,  /* the verdict, whatever it is */
    SOURCE_ERRORS,   /* the comparison with the reference, where there was one */
    SOURCE_TIMES     /* the samples, of a case that passed */
};

/* What the member of a measurement is. */
enum member_type {
    MEMBER_WORDS,
    MEMBER_DOUBLE,
    MEMBER_INT,
    MEMBER_INT64,
    MEMBER_SIZE,
    MEMBER_BOOL
};

struct column_entry {
    const char *name;    /* in rows.csv */
    const char *meaning; /* a sentence or two */
    const char *unit;    /* NULL: none, or the type's own: see column_unit() */
    const char *absent;  /* what a row says that leaves it empty; NULL: that it is not known */
    enum column_type type;
    enum column_source source;
    size_t member; /* of struct measurement, where the source is one: its offset */
    enum member_type member_type;
    enum column_join join;
    unsigned role; /* of enum column_role */
};

extern const struct column_entry column_table[COLUMN_COUNT];

/* Their names in the order of the file, NULL-terminated. */
extern const char *const column_names[COLUMN_COUNT + 1];

/* The columns with any of these roles, in the order of the file: the first after `column`, which is
 * -1 for the first of all. COLUMN_COUNT: there is none any more. */
enum column column_next(unsigned roles, int column);

/* Whether it is part of a setting, within which variants are compared: all of the identity but N,
 * seed, variant and its knobs. */
bool column_is_setting(enum column column);

/* The column of that name; -1: there is none. */
int column_find(const char *name);

/* Whether rows of the workload of that name have the column; whether those of every workload do. */
bool column_is_of(enum column column, const char *workload);
bool column_is_of_all(enum column column);

/* "s", "pairs", ...; "" where it has none. */
const char *column_unit(enum column column);

#define AXIS(id, ...) AXIS_##id,
enum axis {
#include "campaign/axes/axes.def"
    AXIS_COUNT
};
#undef AXIS

enum axis_shape {
    AXIS_WORD,  /* one value, which may be a list */
    AXIS_LIST,  /* may be given several times */
    AXIS_SWITCH /* takes no value */
};

/* How recorded rows are chosen by it. */
enum axis_rows {
    ROWS_BY_NOTHING,     /* rows do not record it */
    ROWS_BY_NAME,        /* globs of its column */
    ROWS_BY_NUMBER,      /* numbers and ranges of its column; a cutoff also by the word none */
    ROWS_BY_INTERACTION, /* globs of all of it, or of its name without parameters */
    ROWS_BY_DEVICE,      /* globs of the device's name, model or backend */
    ROWS_BY_RATIO,       /* the sizes of both groups */
    ROWS_BY_PAIRS        /* pairs of particles, one by one */
};

/* The words of the command line, of each axis: NULL or false where the user did not say it. Every
 * list has at least one entry. What is not said is filled in by the command. */
#define AXIS_TYPE_WORD char *
#define AXIS_TYPE_LIST char **
#define AXIS_TYPE_SWITCH bool
#define AXIS(id, field, shape, ...) AXIS_TYPE_##shape field;
struct axes {
#include "campaign/axes/axes.def"
};
#undef AXIS

struct axis_entry {
    const char *option;      /* "--n" */
    const char *placeholder; /* of its value, in help; NULL: a switch */
    const char *help;        /* one line, however long */
    size_t offset;           /* in struct axes */
    const char *otherwise;   /* what it is unless said; NULL: it depends on the other axes */
    const char *noun;        /* what one of its values is called */
    const char *const
        *values;         /* words that it knows, NULL-terminated; NULL: it knows none by name */
    const char *lacking; /* what a message says of a workload without it, where that has no reason
                            of its own: see axes_check_workload(); NULL: it may be said, and counts
                            for nothing */
    enum axis_shape shape;
    enum axis_rows chooses;
    enum column column;    /* that records it, where rows are chosen by it */
    bool numbered;         /* cases hold its words by their numbers: see case_choose() */
    bool implies_workload; /* the workload that lists it is the one that is meant */
    bool makes_box;        /* says how a box is made: makes no sense beside --box */
};

extern const struct axis_entry axis_table[AXIS_COUNT];

/* The axis of that option, as "--n"; AXIS_COUNT: none. */
enum axis axis_find(const char *option);

/* One of the words that an axis knows by its number, in the order of the enum that the harness
 * counts them by; "unknown" where there are not so many. */
const char *axis_value_name(enum axis axis, size_t value);

/* What was said of an axis: of a word, of a list, of a switch. */
char **axes_word(struct axes *axes, enum axis axis);
bool axes_say(const struct axes *axes, enum axis axis);
/* The word that was said, or what it is otherwise. */
const char *axes_value(const struct axes *axes, enum axis axis);

/* Whether one of the words of --tune is of this tunable. */
bool axes_tune(const struct axes *axes, const char *tunable);

/* Whether a box may be both: STATUS_BAD_INPUT for --periodic (NULL: not given) beside --open. */
bool axes_allow_open(const char *periodic, bool open, struct error *error);
/* Takes over what `from` says of an axis; what is pointed to stays that of `from`. */
void axes_borrow(struct axes *axes, const struct axes *from, enum axis axis);
/* ... of all axes that are not said yet. */
void axes_fill(struct axes *axes, const struct axes *from);
void axes_free(struct axes *axes);

/* Whether cases of the workload have the axis (struct workload). */
bool axis_is_of(enum axis axis, const struct workload *workload);
/* STATUS_BAD_INPUT where the user says an axis that makes no sense for the workload. A kind of box
 * that is its own may always be said. */
bool axes_check_workload(const struct axes *axes, const struct workload *workload,
                         struct error *error);
/* The first of all workloads that has an axis that was said, which implies it; NULL: none. */
const struct workload *axes_implied_workload(const struct axes *axes);

/* Whether the word is the option, or "OPTION=VALUE"; false where `option` is NULL. */
bool is_word_of(const char *word, const char *option);

/* The words of a command line, and at which of them a parser stands. */
struct command_words {
    int count;
    char **words;
    int at;
};

/* Moves past an option with a value, which stands after '=' or is the next word.
 * STATUS_BAD_INPUT, naming the option, where it is empty or looks like another option. */
bool command_words_value(struct command_words *words, const char *option, const char **value,
                         struct error *error);

/* Takes the option at which the words stand, if it is an axis, and moves past it and its value
 * ("--n 1k" and "--n=1k" both work). *taken says whether it was an axis. STATUS_BAD_INPUT
 * for a missing value, a word that is given twice, and what makes a box beside --box. */
bool axes_take_option(struct axes *axes, struct command_words *words, bool *taken,
                      struct error *error);

/* What takes an option that is no axis, as axes_take_option() does. */
typedef bool axes_other_fn(void *context, struct command_words *words, bool *taken,
                           struct error *error);

/* Takes over the options of a line, "--kind fluid --n 1k --open": words divided by blanks, or
 * between '...'. The errors of axes_take_option(); STATUS_BAD_INPUT for what is no axis, unless
 * `other` takes it (NULL: none does). */
bool axes_parse(struct axes *axes, const char *line, axes_other_fn *other, void *context,
                struct error *error);

/* Adds a value to an axis that is a list, before those that were said. STATUS_BAD_INPUT for an
 * empty one. */
bool axes_put_first(struct axes *axes, enum axis axis, const char *value, struct error *error);

/* The axes as --help lists them, a line or several per axis. */
void axes_append_help(struct strbuf *text);
/* Their names alone. */
void axes_append_names(struct strbuf *text);
/* The options by which rows are chosen, "--workload, --variant, ...". */
void axes_append_row_options(struct strbuf *text);

/* Options as --help lists them: the option and what its value is, and from a fixed column on
 * what it means, over as many lines as that takes. */

/* Appends words that are separated by blanks, in lines up to column `width`; the first begins in
 * column `at`, the others in column `indent`, and each ends with '\n'. */
enum { HELP_WIDTH = 79 };
void help_append_lines(struct strbuf *text, const char *words, size_t at, size_t indent,
                       size_t width);

/* Appends one option. `placeholder` is what its value is called; NULL: it takes none. */
void help_append_option(struct strbuf *text, const char *option, const char *placeholder,
                        const char *help);

/* Names on the command line: matching them against what there is, and saying what
 * there is when nothing matches. */

/* STATUS_BAD_INPUT: "OPTION: there is no WHAT 'word' (did you mean 'choice'?); there are: ...". Of
 * variants it says where they are listed. */
bool words_fail_unknown(const char *option, const char *what, const char *word,
                        const char *const *choices, struct error *error);

/* The values that an axis which knows them by name was said to have; where nothing was said, those
 * of the list `usual`, or of its own default where that is NULL. As select_names(). */
bool words_select_axis(const struct axes *axes, enum axis axis, const char *usual, size_t **indices,
                       size_t *count, struct error *error);

struct selection {
    size_t *indices; /* caller frees */
    size_t count;
};

/* The choices that a comma list of names and globs selects, each once, in the order of the list and
 * then of the choices. indices[i] is a position in choices. Errors: STATUS_BAD_INPUT
 * for an item that matches nothing. */
bool select_names(const char *option, const char *what, const char *list,
                  const char *const *choices, struct selection *selection, struct error *error);

/* Lists and ranges of numbers on the command line. */

struct number_list {
    double *values; /* caller frees */
    size_t count;
};

/* "1k:1M:x4" is 1000 4000 16000 ... up to and including 1M if reached; each number once. */
bool axis_numbers(const char *option, const char *list, struct number_list *numbers,
                  struct error *error);

/* STATUS_BAD_INPUT, naming the option, for one that is not whole or outside of these bounds. */
bool numbers_check_whole(const char *option, const struct number_list *numbers, double least,
                         double most, struct error *error);

#endif
