/* The coefficients of pair styles lj/cut and lj/cut/... in LAMMPS data files
 * (https://docs.lammps.org/pair_lj.html): epsilon, sigma and, where it is said, a cutoff. */
#include "boxes/files/readers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST = 2, MOST = 3, MOST_WORDS = 2 + MOST };

/* The coefficients of two types; a cutoff of INFINITY stands for the case's. */
struct pair_value {
    double epsilon, sigma, cutoff;
    size_t line;
    bool known;
};

struct pair_reader {
    const struct pair_sections *sections;
    struct pair_value *values; /* types * types; [i * types + j] with i <= j */
    int *line;                 /* of each row of the table */
    size_t rows;
};

static struct pair_value *value_of(const struct pair_reader *pairs, size_t i, size_t j) {
    const size_t types = pairs->sections->types;
    return &pairs->values[i < j ? i * types + j : j * types + i];
}

static bool read_not_negative(const struct reader *reader, struct span word, const char *what,
                              double *value) {
    return reader_number(reader, word, what, value) &&
           (*value >= 0.0 || reader_fail(reader,
                                         "%s is '%s'; expected a number that is not "
                                         "negative",
                                         what, show(word).text));
}

/* Reads a value after the types of a row. */
static bool read_value(const struct reader *reader, const struct span *words, int count,
                       struct pair_value *value) {
    *value = (struct pair_value){ .cutoff = INFINITY, .line = reader->line, .known = true };
    return read_not_negative(reader, words[0], "epsilon", &value->epsilon) &&
           read_not_negative(reader, words[1], "sigma", &value->sigma) &&
           (count == FEWEST ||
            (reader_number(reader, words[2], "the cutoff", &value->cutoff) &&
             (value->cutoff > 0.0 ||
              reader_fail(reader, "the cutoff is '%s'; expected a positive number",
                          show(words[2]).text))));
}

/* A section whose rows begin with so many types. */
static bool read_section(const struct pair_reader *pairs, const struct reader *from, int types) {
    struct reader reader = *from;
    struct span words[MOST_WORDS];
    struct span row;
    while (lammps_typed_row(&reader, pairs->sections->name, pairs->sections->types, &row, NULL)) {
        const int count = lammps_words(row, words, MOST_WORDS) - types;
        size_t type[2] = { 0, 0 };
        if (count < FEWEST || count > MOST) {
            return reader_fail(&reader,
                               "%d columns; expected %s, epsilon, sigma and at most one cutoff, as "
                               "of pair style lj/cut",
                               count + types, types == 1 ? "a type" : "two types");
        }
        for (int k = 0; k < types; k++) {
            if (!lammps_type(&reader, words[k], pairs->sections->name, pairs->sections->types,
                             &type[k])) {
                return false;
            }
        }
        if (!read_value(&reader, words + types, count, value_of(pairs, type[0], type[types - 1]))) {
            return false;
        }
    }
    return true;
}

/* Geometric means of all three, as pair_modify mix geometric, which lj/cut has by default. */
static bool mix(const struct reader *reader, const struct pair_value *a, const struct pair_value *b,
                struct pair_value *mixed) {
    if (!a->known || !b->known) {
        return true;
    }
    if (isinf(a->cutoff) != isinf(b->cutoff)) {
        struct reader at = *reader;
        at.line = isinf(a->cutoff) ? b->line : a->line;
        return reader_fail(&at, "a cutoff for one type, and none for another; expected one for all "
                                "types, or section PairIJ Coeffs");
    }
    *mixed =
        (struct pair_value){ .epsilon = sqrt(a->epsilon * b->epsilon),
                             .sigma = sqrt(a->sigma * b->sigma),
                             .cutoff = isinf(a->cutoff) ? INFINITY : sqrt(a->cutoff * b->cutoff),
                             .line = a->line,
                             .known = true };
    return true;
}

static bool occurs(const struct pair_reader *pairs, size_t type) {
    return pairs->sections->type_of[type] >= 0;
}

/* Types that do not occur need no coefficients. */
static bool mix_all(const struct pair_reader *pairs) {
    const struct pair_sections *sections = pairs->sections;
    for (size_t i = 0; sections->of_types && i < sections->types; i++) {
        for (size_t j = i + 1; j < sections->types && occurs(pairs, i); j++) {
            if (occurs(pairs, j) && !value_of(pairs, i, j)->known &&
                !mix(sections->of_types, value_of(pairs, i, i), value_of(pairs, j, j),
                     value_of(pairs, i, j))) {
                return false;
            }
        }
    }
    return true;
}

static bool same_value(const struct pair_value *a, const struct pair_value *b) {
    return a->epsilon == b->epsilon && a->sigma == b->sigma && a->cutoff == b->cutoff;
}

/* The first type of the same name; `type` itself where that is the first. */
static size_t namesake(const struct pair_reader *pairs, size_t type) {
    size_t other = 0;
    while (other < type && !(occurs(pairs, other) && strcmp(pairs->sections->name[other],
                                                            pairs->sections->name[type]) == 0)) {
        other++;
    }
    return other;
}

/* A table of types knows types by name: two of one name must have the same coefficients. */
static bool check_names(const struct pair_reader *pairs, const struct reader *reader) {
    for (size_t i = 0; i < pairs->sections->types; i++) {
        const size_t other = occurs(pairs, i) ? namesake(pairs, i) : i;
        if (occurs(pairs, i) && strpbrk(pairs->sections->name[i], ",\"")) {
            return reader_fail(reader,
                               "type %zu is called %s; expected a name without comma and "
                               "quote",
                               i + 1, pairs->sections->name[i]);
        }
        for (size_t j = 0; other != i && j < pairs->sections->types; j++) {
            if (occurs(pairs, j) && !same_value(value_of(pairs, i, j), value_of(pairs, other, j))) {
                return reader_fail(reader,
                                   "types %zu and %zu are both called %s and have different "
                                   "coefficients; expected other names, in Atom Type Labels or "
                                   "behind # in Masses",
                                   other + 1, i + 1, pairs->sections->name[i]);
            }
        }
    }
    return true;
}

static bool has_cutoffs(const struct pair_reader *pairs) {
    const size_t types = pairs->sections->types;
    for (size_t k = 0; k < types * types; k++) {
        if (pairs->values[k].known && isfinite(pairs->values[k].cutoff)) {
            return true;
        }
    }
    return false;
}

/* Names the row that would have said what acts between two types. */
static bool fail_missing(const struct pair_reader *pairs, size_t i, size_t j,
                         const struct reader *reader) {
    const char *cutoff = has_cutoffs(pairs) ? " CUTOFF" : "";
    const size_t type = value_of(pairs, i, i)->known ? j : i;
    if (pairs->sections->of_types) {
        return reader_fail(reader,
                           "Pair Coeffs has no row of type %zu; expected \"%zu EPSILON SIGMA%s\"",
                           type + 1, type + 1, cutoff);
    }
    return reader_fail(reader,
                       "PairIJ Coeffs has no row of types %zu and %zu; expected \"%zu %zu EPSILON "
                       "SIGMA%s\"",
                       i + 1, j + 1, i + 1, j + 1, cutoff);
}

/* One row a pair of names; a depth or a diameter of 0 is no interaction. */
static bool append_pair(struct pair_reader *pairs, size_t i, size_t j, const struct reader *reader,
                        struct strbuf *table) {
    const struct pair_value *value = value_of(pairs, i, j);
    if (!value->known) {
        return fail_missing(pairs, i, j, reader);
    }
    if (value->epsilon == 0.0 || value->sigma == 0.0 || namesake(pairs, i) != i ||
        namesake(pairs, j) != j) {
        return true;
    }
    strbuf_append(table, "%s,%s,lj,%.17g,%.17g,", pairs->sections->name[i],
                  pairs->sections->name[j], value->epsilon, value->sigma);
    if (isfinite(value->cutoff)) {
        strbuf_append(table, "%.17g", value->cutoff);
    }
    strbuf_append(table, "\n");
    pairs->line[pairs->rows++] = (int)value->line;
    return true;
}

static bool write_table(struct pair_reader *pairs, const struct reader *reader,
                        struct strbuf *table) {
    strbuf_append(table, "type_a,type_b,function,epsilon,sigma,cutoff\n");
    const size_t none = table->length;
    for (size_t i = 0; i < pairs->sections->types; i++) {
        for (size_t j = i; j < pairs->sections->types && occurs(pairs, i); j++) {
            if (occurs(pairs, j) && !append_pair(pairs, i, j, reader, table)) {
                return false;
            }
        }
    }
    return (!table->failed || fail_out_of_memory(reader->error, "coefficients")) &&
           (table->length > none ||
            reader_fail(reader, "every epsilon or sigma is 0: no two particles interact"));
}

bool lammps_read_pairs(const struct pair_sections *sections, struct box_pairs *pairs) {
    const struct reader *first = sections->first;
    struct strbuf table = { 0 };
    struct pair_reader reader = {
        .sections = sections,
        .values = calloc(sections->types * sections->types, sizeof *reader.values),
        .line = calloc(sections->types * sections->types, sizeof *reader.line)
    };
    const bool read =
        ((reader.values && reader.line) || fail_out_of_memory(first->error, "coefficients")) &&
        (!sections->of_types || read_section(&reader, sections->of_types, 1)) &&
        (!sections->of_pairs || read_section(&reader, sections->of_pairs, 2)) && mix_all(&reader) &&
        check_names(&reader, first) && write_table(&reader, first, &table);
    free(reader.values);
    if (read) {
        pairs->lj = table.data;
        pairs->lj_line = reader.line;
    } else {
        free(reader.line);
        strbuf_free(&table);
    }
    return read;
}
