/*
 * expression_parts — what the files of this folder share: taking the words of an expression,
 * finding what names mean, tables, and the kernel text that comes of it all.
 */
#ifndef PAIRMARK_KERNELS_EXPRESSIONS_EXPRESSION_PARTS_H
#define PAIRMARK_KERNELS_EXPRESSIONS_EXPRESSION_PARTS_H

#include "core/cache.h"
#include "core/error.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- words, one after the other ---- */

/*
 * What takes a word leaves the reader at the next one. What fails returns false with the error set:
 * STATUS_BAD_INPUT, begun by the place, "PATH:LINE:COLUMN: " or "column N: ".
 */
struct reader {
    const char *text, *at;
    const char *path; /* NULL: an option */
    struct expression *expression;
    int depth;
    struct error *error;
};

/* `place`: bytes from the text's begin. */
__attribute__((format(printf, 3, 4))) bool reader_fail_at(const struct reader *reader, size_t place,
                                                          const char *format, ...);
/* "expected WHAT, not 'FOUND'" */
bool reader_fail_expected(const struct reader *reader, const char *what);

/* Where the reader stands. */
size_t reader_place(const struct reader *reader);

/* How long the number is that begins at `at`; 0: none does. Digits with a point and an exponent. */
size_t reader_number_length(const char *at);

/* Also comments, in a file. */
void reader_skip_space(struct reader *reader);
bool reader_take_sign(struct reader *reader, char sign);
bool reader_take_name(struct reader *reader, char name[EXPRESSION_NAME_SIZE]);
bool reader_take_number(struct reader *reader, double *value);

/* ---- names ---- */

/* Whether it is a variable or a function. */
bool expression_name_is_reserved(const struct expression *expression, const char *name);

/* -1: no definition has the name. */
int expression_find_definition(const struct expression *expression, const char *name);

/* Has every node that is a name say what it is of. False with the error set where nothing has a
 * name (it says which is the nearest), definitions go in a circle, or one serves nobody. */
bool expression_names_resolve(struct reader *reader);

/* ---- tables ---- */

/*
 * A function of one variable, given by its values: a natural cubic spline through them, 0 outside.
 *
 * A file has a line per value: the variable and the value, apart by spaces or a comma; '#' begins a
 * comment. Variables ascend in equal steps, so that the interval is found by one product.
 *
 * Source of the spline: C. de Boor, A Practical Guide to Splines (1978), chapter IV.
 */

enum { TABLE_MIN_VALUES = 3, TABLE_MAX_VALUES = 1000 };

struct expression_table {
    char *text; /* the file's */
    char hash[HASH_TEXT_SIZE];
    int count;
    double first, step; /* of the variable */
    double value[TABLE_MAX_VALUES];
    double curvature[TABLE_MAX_VALUES]; /* step^2 times the second derivative */
};

/* STATUS_BAD_INPUT "path:line: what is wrong; expected what"; free with expression_table_free(). */
bool expression_table_read(const char *path, struct expression_table **table, struct error *error);
void expression_table_free(struct expression_table *table); /* also NULL */

/* The kernel text of table number `number`: expression_tableN(x) and expression_tableN_slope(x). */
void expression_table_append(const struct expression_table *table, int number, struct strbuf *text);

/* ---- kernel text ---- */

/*
 * The kernel text of an expression: a function like those of variants/interactions/, which returns
 * f/r and sets the energy.
 *
 *   DEVICE real expression_force_over_r(real r2, real4 particle_i, real4 particle_j, real p0, ...,
 *                                       real value_0i, real value_0j, ..., real *energy)
 *
 * takes all parameters in the order of their definitions, then what has a value per particle, of
 * both particles. It is made of sums and products (algebra.h), differentiated by r^2, so that no
 * root is taken where only even powers of r stand; each value that is needed twice is computed
 * once.
 */

#define KERNEL_WORDS_NO_PLACE SIZE_MAX

/* Fills in `kernel` and `operations`: the first text has numbers in the place of parameters without
 * values for single types, the second takes all from its arguments. STATUS_BAD_INPUT for a constant
 * that is no finite number, and where the energy changes when the particles change places;
 * STATUS_OUT_OF_MEMORY. *place: where in what was read that constant is, KERNEL_WORDS_NO_PLACE:
 * nowhere alone. */
bool kernel_words_make(struct expression *expression, size_t *place, struct error *error);

#endif
