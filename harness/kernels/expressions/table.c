#include "kernels/expressions/expression_parts.h"

#include "core/embedded.h"
#include "core/files.h"
#include "core/strings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t max_bytes = 1 << 20;
static const double step_tolerance = 1e-6; /* of a step: variables are written with few digits */

/* ---- reading ---- */

struct lines {
    const char *path;
    struct expression_table *table;
    double last; /* variable */
    int line;
    struct error *error;
};

static bool fail_line(const struct lines *lines, const char *what) {
    return fail(lines->error, STATUS_BAD_INPUT, "%s:%d: %s", lines->path, lines->line, what);
}

/* A number at *at, which is moved past it. */
static bool take_number(const char **at, double *value) {
    *at += strspn(*at, " \t\r");
    const size_t length = strcspn(*at, " \t\r\n,#");
    const bool taken = read_decimal(*at, length, value) == DECIMAL_FINITE;
    *at += length;
    return taken;
}

static bool take_value(struct lines *lines, double x, double y) {
    struct expression_table *table = lines->table;
    if (table->count == TABLE_MAX_VALUES) {
        return fail(lines->error, STATUS_BAD_INPUT, "%s:%d: more than %d values", lines->path,
                    lines->line, TABLE_MAX_VALUES);
    }
    if (table->count == 0) {
        table->first = x;
    } else if (!(x > lines->last)) {
        return fail_line(lines, "expected a variable greater than that of the line before");
    } else if (table->count == 1) {
        table->step = x - table->first;
    } else if (!(fabs(x - lines->last - table->step) <=
                 step_tolerance * table->step + 1e-15 * fabs(x))) {
        return fail(lines->error, STATUS_BAD_INPUT,
                    "%s:%d: a step of %.9g; expected equal steps, the first is %.9g", lines->path,
                    lines->line, x - lines->last, table->step);
    }
    lines->last = x;
    table->value[table->count++] = y;
    return true;
}

static bool take_line(struct lines *lines, const char *line) {
    double x, y;
    line += strspn(line, " \t\r");
    if (*line == '\n' || *line == '#' || *line == '\0') {
        return true;
    }
    bool good = take_number(&line, &x);
    line += strspn(line, " \t\r");
    line += *line == ',';
    good = good && take_number(&line, &y);
    line += strspn(line, " \t\r");
    return good && (*line == '\n' || *line == '#' || *line == '\0')
               ? take_value(lines, x, y)
               : fail_line(lines, "expected two numbers, a variable and its value");
}

static bool take_lines(struct lines *lines, const char *text) {
    struct expression_table *table = lines->table;
    for (const char *line = text; *line; line = line_after(line)) {
        lines->line++;
        if (!take_line(lines, line)) {
            return false;
        }
    }
    if (table->count < TABLE_MIN_VALUES) {
        return fail(lines->error, STATUS_BAD_INPUT, "%s: %d values; expected at least %d",
                    lines->path, table->count, TABLE_MIN_VALUES);
    }
    table->step = (lines->last - table->first) / (table->count - 1);
    return true;
}

/* ---- the spline ---- */

/* c[k-1] + 4 c[k] + c[k+1] = 6 (y[k-1] - 2 y[k] + y[k+1]), c = 0 at both ends. */
static void find_curvatures(struct expression_table *table) {
    double left[TABLE_MAX_VALUES] = { 0.0 }; /* what elimination leaves of the next unknown */
    double *c = table->curvature;
    const double *y = table->value;
    for (int k = 1; k < table->count - 1; k++) {
        const double pivot = 4.0 - left[k - 1];
        left[k] = 1.0 / pivot;
        c[k] = (6.0 * (y[k - 1] - 2.0 * y[k] + y[k + 1]) - c[k - 1]) / pivot;
    }
    c[table->count - 1] = 0.0;
    for (int k = table->count - 2; k > 0; k--) {
        c[k] -= left[k] * c[k + 1];
    }
}

bool expression_table_read(const char *path, struct expression_table **table, struct error *error) {
    struct expression_table *made = calloc(1, sizeof *made);
    struct lines lines = { .path = path, .table = made, .error = error };
    *table = NULL;
    if (!made) {
        return fail_out_of_memory(error, "a table");
    }
    if (!embedded_or_file_text(path, max_bytes, &made->text, error) ||
        !take_lines(&lines, made->text)) {
        expression_table_free(made);
        return false;
    }
    find_curvatures(made);
    hash_bytes(made->text, strlen(made->text), made->hash);
    *table = made;
    return true;
}

void expression_table_free(struct expression_table *table) {
    if (table) {
        free(table->text);
        free(table);
    }
}

/* ---- kernel text ---- */

/* y = a + b t + c t^2 + d t^3 of interval k, t from 0 to 1. */
static void append_interval(const struct expression_table *table, int k, struct strbuf *text) {
    const double *y = table->value + k;
    const double *c = table->curvature + k;
    strbuf_append(text, "    REAL(%.17e), REAL(%.17e),\n    REAL(%.17e), REAL(%.17e)%s\n", y[0],
                  y[1] - y[0] - (2.0 * c[0] + c[1]) / 6.0, c[0] / 2.0, (c[1] - c[0]) / 6.0,
                  k < table->count - 2 ? "," : "");
}

static void append_function(const struct expression_table *table, int number, bool slope,
                            struct strbuf *text) {
    strbuf_append(text, "DEVICE real expression_table%d%s(real x)\n{\n", number,
                  slope ? "_slope" : "");
    strbuf_append(text,
                  "    const real place = (x - REAL(%.17e)) * REAL(%.17e);\n"
                  "    if (!(place >= REAL(0.0) && place <= REAL(%d.0))) {\n"
                  "        return REAL(0.0);\n    }\n",
                  table->first, 1.0 / table->step, table->count - 1);
    strbuf_append(text,
                  "    int k = (int)place;\n    k = k < %d ? k : %d;\n"
                  "    const real t = place - (real)k;\n"
                  "    EXPRESSION_TABLE const real *c = expression_values%d + 4 * k;\n",
                  table->count - 2, table->count - 2, number);
    if (slope) {
        strbuf_append(text,
                      "    return (c[1] + t * (REAL(2.0) * c[2] + t * (REAL(3.0) * c[3]))) * "
                      "REAL(%.17e);\n}\n",
                      1.0 / table->step);
    } else {
        strbuf_append(text, "    return c[0] + t * (c[1] + t * (c[2] + t * c[3]));\n}\n");
    }
}

void expression_table_append(const struct expression_table *table, int number,
                             struct strbuf *text) {
    strbuf_append(text, "%s",
                  number > 0 ? ""
                             : "#if HAVE_CONSTANT_ARRAYS\n#define EXPRESSION_TABLE\n"
                               "#define EXPRESSION_VALUES CONSTANT_ARRAY\n#else\n"
                               "#define EXPRESSION_TABLE CONSTANT_ARG\n"
                               "#define EXPRESSION_VALUES CONSTANT_ARG\n#endif\n");
    strbuf_append(text, "EXPRESSION_VALUES const real expression_values%d[%d] = {\n", number,
                  4 * (table->count - 1));
    for (int k = 0; k < table->count - 1; k++) {
        append_interval(table, k, text);
    }
    strbuf_append(text, "};\n\n");
    append_function(table, number, false, text);
    append_function(table, number, true, text);
}
