/* The second line of an XYZ file: key=value pairs of extended XYZ, the three or nine numbers of the
 * plumed driver, or free text. */
#include "boxes/files/readers.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { MAX_COLUMNS = 1000 };

static const struct columns no_columns = {
    0, true, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1
};

/* What the keys said; a value is NULL (begin) where its key did not occur. */
struct comment {
    struct span lattice, properties, pbc;
};

static bool is_space(char c) {
    return c == ' ' || c == '\t';
}

static void skip_spaces(struct span *line) {
    while (line->begin < line->end && is_space(*line->begin)) {
        line->begin++;
    }
}

/* The end of a quoted or bracketed value; NULL: it has none. Within quotes, \" is a quote of the
 * value; brackets nest. */
static const char *find_closer(const char *at, const char *end, char opener, char closer) {
    const bool quoted = opener == closer;
    int depth = 1;
    for (; at < end; at++) {
        depth += *at == closer ? -1 : *at == opener;
        if (depth == 0 || (quoted && *at == closer)) {
            break;
        }
        at += quoted && *at == '\\' && at + 1 < end;
    }
    return at < end ? at : NULL;
}

/* A word, or what stands between "", '', {} or []. `stops` are characters that end a bare word. */
static bool take_value(const struct reader *reader, struct span *line, const char *stops,
                       struct span *value) {
    static const char openers[] = "\"'{[";
    static const char closers[] = "\"'}]";
    const char *opener = line->begin < line->end ? strchr(openers, *line->begin) : NULL;
    if (opener && *opener != '\0') {
        char closer = closers[opener - openers];
        value->begin = line->begin + 1;
        value->end = find_closer(value->begin, line->end, *opener, closer);
        if (!value->end) {
            return reader_fail(reader, "a %c without its %c; expected key=\"value\"", *opener,
                               closer);
        }
        line->begin = value->end + 1;
        return true;
    }
    value->begin = line->begin;
    while (line->begin < line->end && !strchr(stops, *line->begin)) {
        line->begin++;
    }
    value->end = line->begin;
    return true;
}

/* One key, or key=value; *value is empty for a bare key. */
static bool take_pair(const struct reader *reader, struct span *line, struct span *key,
                      struct span *value) {
    if (!take_value(reader, line, " \t=", key)) {
        return false;
    }
    skip_spaces(line);
    *value = (struct span){ line->begin, line->begin };
    if (line->begin == line->end || *line->begin != '=') {
        return true;
    }
    line->begin++;
    skip_spaces(line);
    return take_value(reader, line, " \t", value);
}

static bool take_comment(const struct reader *reader, struct span line, struct comment *comment) {
    struct {
        const char *key;
        struct span *value;
    } known[] = { { "Lattice", &comment->lattice },
                  { "Properties", &comment->properties },
                  { "pbc", &comment->pbc } };
    for (skip_spaces(&line); line.begin < line.end; skip_spaces(&line)) {
        struct span key;
        struct span value;
        if (!take_pair(reader, &line, &key, &value)) {
            return false;
        }
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
            if (!span_is(key, known[k].key)) {
                continue;
            }
            if (known[k].value->begin) {
                return reader_fail(reader, "%s occurs twice; expected it once", known[k].key);
            }
            *known[k].value = value;
        }
    }
    return true;
}

/* Nine numbers that are not all on the diagonal, or not all positive. */
static bool set_triclinic_cell(struct reader *reader, const double numbers[9], struct box *box) {
    struct error error = { STATUS_OK, "" };
    return reader_set_cell(reader, numbers, box, &error) ||
           reader_fail(reader, "%s", error.message);
}

/* Three or nine numbers, as `count` says, into the cell. */
static bool set_cell(struct reader *reader, const double *numbers, int count, struct box *box) {
    int zeros = 0;
    for (int k = 0; k < 9 && count == 9; k++) {
        if (k % 4 == 0 ? numbers[k] < 0.0 : numbers[k] != 0.0) {
            return set_triclinic_cell(reader, numbers, box);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        double edge = numbers[count == 9 ? 4 * axis : axis];
        if (edge < 0.0) {
            return reader_fail(reader, "an edge of the cell is %g; expected positive lengths",
                               edge);
        }
        box->edge[axis] = edge;
        zeros += edge == 0.0;
    }
    if (zeros != 0 && zeros != 3) {
        return reader_fail(reader,
                           "a cell with edges %g %g %g; expected three lengths, three zeros for an "
                           "open box, or Lattice with pbc=\"T T F\" and the like",
                           box->edge[0], box->edge[1], box->edge[2]);
    }
    box->periodic = zeros == 0;
    return true;
}

/* The next word of an array's value, which has blanks, or commas and inner brackets, between. */
static struct span next_of_array(struct span *words) {
    static const char between[] = " \t,[]{}";
    while (words->begin < words->end && strchr(between, *words->begin)) {
        words->begin++;
    }
    struct span word = { words->begin, words->begin };
    while (word.end < words->end && !strchr(between, *word.end)) {
        word.end++;
    }
    words->begin = word.end;
    return word;
}

/* All the numbers of a span into at most nine; *count is how many there were. */
static bool take_numbers(const struct reader *reader, struct span words, const char *what,
                         double numbers[9], int *count) {
    *count = 0;
    for (struct span word = next_of_array(&words); span_length(word);
         word = next_of_array(&words)) {
        double value;
        if (!reader_number(reader, word, what, &value)) {
            return false;
        }
        if (*count < 9) {
            numbers[*count] = value;
        }
        ++*count;
    }
    return true;
}

/* ---- vectors without images, which may be anything ---- */

/* Scales it to length 1; false where its length is 0. */
static bool make_unit(double *vector) {
    const double length = sqrt(vector_dot(vector, vector));
    for (int k = 0; k < 3; k++) {
        vector[k] /= length;
    }
    return length > 0.0 && isfinite(length);
}

/* The direction of a vector's part perpendicular to a unit vector; false where that part is
 * rounding alone. */
static bool stand_beside(const double *unit, const double *vector, double *rest) {
    const double along = vector_dot(unit, vector);
    for (int k = 0; k < 3; k++) {
        rest[k] = vector[k] - along * unit[k];
    }
    return vector_dot(rest, rest) > 1e-12 * vector_dot(vector, vector) && make_unit(rest);
}

/* Two directions perpendicular to the one periodic vector. The first is as near as possible to the
 * vector that the file has there. */
static bool find_directions(const double v[9], int with, double unit[9]) {
    static const double axes[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    double *own = unit + 3 * with;
    const int first = 3 * ((with + 1) % 3);
    const int second = 3 * ((with + 2) % 3);
    memcpy(own, v + 3 * with, 3 * sizeof *own);
    if (!make_unit(own) || !(stand_beside(own, v + first, unit + first) ||
                             stand_beside(own, axes + first, unit + first) ||
                             stand_beside(own, axes + second, unit + first))) {
        return false;
    }
    vector_cross(own, unit + first, unit + second);
    return true;
}

/* Makes vectors without images perpendicular to the others. Each keeps the length of its part in
 * that direction; where it has none, it gets length 1 and counts as empty. */
static bool straighten(const bool images[3], double v[9], bool empty[3]) {
    double unit[9] = { 0.0 };
    if (images[0] + images[1] + images[2] == 2) {
        const int without = !images[0] ? 0 : !images[1] ? 1 : 2;
        vector_cross(v + 3 * ((without + 1) % 3), v + 3 * ((without + 2) % 3), unit + 3 * without);
        if (!make_unit(unit + 3 * without)) {
            return false;
        }
    } else if (!find_directions(v, images[0] ? 0 : images[1] ? 1 : 2, unit)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        const double length = images[k] ? 0.0 : vector_dot(v + 3 * k, unit + 3 * k);
        empty[k] = !images[k] && !(length > 0.0);
        for (int d = 0; d < 3 && !images[k]; d++) {
            v[3 * k + d] = unit[3 * k + d] * (empty[k] ? 1.0 : length);
        }
    }
    return true;
}

/* The cell of a slab or a wire. Edges that the file does not give stay 0 until fill_edges() finds
 * them. */
static bool set_partly_periodic_cell(struct reader *reader, double numbers[9], const bool images[3],
                                     struct box *box) {
    bool empty[3];
    if (!straighten(images, numbers, empty)) {
        return reader_fail(reader, "the vectors of Lattice along which the box is periodic span "
                                   "nothing; expected such that do not lie in a line");
    }
    if (!set_cell(reader, numbers, 9, box)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        box->open_along[k] = !images[k];
        box->edge[k] = empty[k] ? 0.0 : box->edge[k];
    }
    for (int k = 0; k < 3; k++) { /* what rounding left */
        const int upon[3] = { 1, 2, 2 };
        const int along[3] = { 0, 0, 1 };
        if (!images[upon[k]] || !images[along[k]]) {
            box->tilt[k] = 0.0;
        }
    }
    return true;
}

static bool apply_lattice(struct reader *reader, struct span lattice, const bool images[3],
                          struct box *box) {
    double numbers[9];
    int count;
    const int periodic = images[0] + images[1] + images[2];
    if (!take_numbers(reader, lattice, "a number of Lattice", numbers, &count)) {
        return false;
    }
    if (count != 9) {
        return reader_fail(reader, "Lattice has %d numbers; expected 9", count);
    }
    if (periodic == 1 || periodic == 2) {
        return set_partly_periodic_cell(reader, numbers, images, box);
    }
    if (!set_cell(reader, numbers, 9, box)) {
        return false;
    }
    return box->periodic || periodic == 0 ||
           reader_fail(reader, "Lattice is all zero; expected positive edges, or no Lattice for an "
                               "open box");
}

/* -1: not a truth value. */
static int expected_of(struct span word) {
    if (span_is(word, "T") || span_is(word, "true") || span_is(word, "1")) {
        return 1;
    }
    return span_is(word, "F") || span_is(word, "false") || span_is(word, "0") ? 0 : -1;
}

static bool take_pbc(const struct reader *reader, struct span pbc, bool images[3]) {
    int count = 0;
    for (struct span word = next_of_array(&pbc); span_length(word); word = next_of_array(&pbc)) {
        const int expected = expected_of(word);
        if (expected < 0 || count == 3) {
            return reader_fail(reader, "pbc has '%s'; expected three of T and F", show(word).text);
        }
        images[count++] = expected == 1;
    }
    return count == 3 || reader_fail(reader, "pbc has %d values; expected three of T and F", count);
}

/* The cell, and along which of its vectors there are images: all, unless pbc says otherwise. */
static bool apply_cell(struct reader *reader, const struct comment *comment, struct box *box) {
    bool images[3] = { true, true, true };
    if (comment->pbc.begin && !take_pbc(reader, comment->pbc, images)) {
        return false;
    }
    if (comment->lattice.begin && !apply_lattice(reader, comment->lattice, images, box)) {
        return false;
    }
    if (!images[0] && !images[1] && !images[2]) {
        box_open(box);
        box->rotated = false;
        return true;
    }
    return box->periodic || !comment->pbc.begin ||
           reader_fail(reader, "pbc=\"%c %c %c\" without a cell; expected Lattice=\"9 numbers\"",
                       images[0] ? 'T' : 'F', images[1] ? 'T' : 'F', images[2] ? 'T' : 'F');
}

/* The next piece of name:type:columns. */
static struct span next_piece(struct span *list) {
    struct span piece = *list;
    const char *colon = memchr(list->begin, ':', span_length(*list));
    piece.end = colon ? colon : list->end;
    list->begin = colon ? colon + 1 : list->end;
    return piece;
}

/* Properties by their names, that of ASE second, with the types and the columns that each has. Z is
 * a capital: z may be anything. */
static const struct property {
    const char *names[3];
    const char *types;
    int width;
    size_t at; /* in struct columns */
} properties[] = {
    { { "species", "symbols", "element" }, "SI", 1, offsetof(struct columns, species) },
    { { "pairmark_species" }, "S", 1, offsetof(struct columns, name) },
    { { "type" }, "IS", 1, offsetof(struct columns, type) },
    { { "pos", "positions" }, "RI", 3, offsetof(struct columns, position) },
    { { "charge", "initial_charges", "q" }, "RI", 1, offsetof(struct columns, charge) },
    { { "charges" }, "RI", 1, offsetof(struct columns, charges) },
    { { "Z", "numbers" }, "I", 1, offsetof(struct columns, number) },
    { { "velo", "vel", "velocities" }, "RI", 3, offsetof(struct columns, velocity) },
    { { "momenta" }, "RI", 3, offsetof(struct columns, momentum) },
    { { "mass", "masses" }, "RI", 1, offsetof(struct columns, mass) },
    { { "molecule" }, "I", 1, offsetof(struct columns, molecule) },
};

static const struct property *find_property(struct span name) {
    for (size_t p = 0; p < sizeof properties / sizeof properties[0]; p++) {
        for (int k = 0; k < 3 && properties[p].names[k]; k++) {
            const char *known = properties[p].names[k];
            if (*known == 'Z' ? span_same(name, (struct span){ known, known + 1 })
                              : span_is(name, known)) {
                return &properties[p];
            }
        }
    }
    return NULL;
}

/* Notes at which column a property stands. */
static bool note_property(const struct reader *reader, const struct property *property, char type,
                          int width, int first, struct columns *columns) {
    const char *name = property->names[0];
    int *place = (int *)(void *)((char *)columns + property->at);
    if (*place >= 0) {
        return reader_fail(reader, "Properties has %s twice; expected it once", name);
    }
    if (!strchr(property->types, type) || width != property->width) {
        return reader_fail(reader, "Properties has %s:%c:%d; expected %s:%c:%d", name, type, width,
                           name, property->types[0], property->width);
    }
    *place = first;
    return true;
}

static bool take_property(const struct reader *reader, struct span *list, struct columns *columns) {
    struct span name = next_piece(list);
    struct span type = next_piece(list);
    struct span columns_word = next_piece(list);
    double width;
    bool not_finite;
    if (span_length(name) == 0 || span_length(type) != 1 || !strchr("SRIL", *type.begin) ||
        !span_to_double(columns_word, &width, &not_finite) || width != floor(width) || width < 1 ||
        width > MAX_COLUMNS || columns->count + width > MAX_COLUMNS) {
        return reader_fail(reader,
                           "'%s' in Properties is followed by '%s' and '%s'; expected triples "
                           "name:type:columns, type one of S R I L, at most %d columns in all",
                           show(name).text, show(type).text, show(columns_word).text, MAX_COLUMNS);
    }
    int first = columns->count;
    columns->count += (int)width;
    const struct property *property = find_property(name);
    if (!property && *type.begin == 'S' && columns->text < 0) {
        columns->text = first;
    }
    return !property || note_property(reader, property, *type.begin, (int)width, first, columns);
}

static bool apply_properties(const struct reader *reader, struct span list,
                             struct columns *columns) {
    *columns = no_columns;
    while (list.begin < list.end) {
        if (!take_property(reader, &list, columns)) {
            return false;
        }
    }
    columns->charge = columns->charge >= 0 ? columns->charge : columns->charges;
    if (columns->text >= 0 && columns->species < 0 && columns->name < 0 && columns->type < 0 &&
        columns->number < 0) {
        return reader_fail(reader,
                           "Properties has words (column %d), but no species; expected species:S:1 "
                           "in it",
                           columns->text + 1);
    }
    return columns->position >= 0 ||
           reader_fail(reader, "Properties has no positions; expected pos:R:3 in it");
}

static bool is_number(struct span word) {
    double number;
    bool not_finite;
    return span_to_double(word, &number, &not_finite) || not_finite;
}

static const char marks[] = "\"'=:([{, \t"; /* what stands before and between numbers of a cell */

/* Whether three numbers follow, behind nothing but words: " 9 9 9", "size 9 9 9". */
static bool three_follow(struct span rest) {
    int numbers = 0;
    while (rest.begin < rest.end && (isalpha((unsigned char)*rest.begin) || *rest.begin == '_' ||
                                     strchr(marks, *rest.begin))) {
        rest.begin++;
    }
    for (const char *at = rest.begin; at < rest.end; numbers++) {
        const char *const begin = at;
        while (at < rest.end && !strchr(marks, *at)) {
            at++;
        }
        if (!is_number((struct span){ begin, at })) {
            break;
        }
        while (at < rest.end && strchr(marks, *at)) {
            at++;
        }
    }
    return numbers >= 3;
}

/* Whether a number or a bracket stands behind the name of a cell, as in cell="9, cell: 9, CELL(, or
 * three numbers do. */
static bool is_given(struct span rest) {
    const struct span behind = rest;
    const bool marked = !is_space(*rest.begin) && strchr(marks, *rest.begin);
    const bool bracket = *rest.begin == '(';
    while (rest.begin < rest.end && strchr(marks, *rest.begin)) {
        rest.begin++;
    }
    return bracket || (marked && rest.begin < rest.end && strchr("0123456789+-.", *rest.begin)) ||
           three_follow(behind);
}

/* Whether the line has a cell in the words of other programs: CELL(abcABC): of i-PI, cell="9 9 9",
 * Tv_1="9 0 0", "Lattice": [9, 0, 0]. The box would be open without them. */
static bool has_other_cell(struct span line) {
    static const char *const names[] = {
        "cell", "unitcell", "supercell", "lattice", "box", "tv_1"
    };
    bool has = false;
    for (const char *at = line.begin; at < line.end; at++) {
        const char before = at > line.begin ? at[-1] : ' ';
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            const size_t length = strlen(names[k]);
            const struct span rest = { at + length, line.end };
            has = has || (!isalnum((unsigned char)before) && before != '_' &&
                          (size_t)(line.end - at) > length &&
                          strncasecmp(at, names[k], length) == 0 && is_given(rest));
        }
    }
    return has;
}

static bool check_no_other_cell(const struct reader *reader, struct span line) {
    return !has_other_cell(line) ||
           reader_fail(reader, "a cell in words that are not read; expected Lattice=\"9 numbers\", "
                               "or pbc=\"F F F\" for an open box");
}

/* A line without '=': the numbers of the plumed driver, or free text (an open box), as a time or
 * "300 K" is. */
static bool apply_plain(struct reader *reader, struct span line, struct box *box) {
    struct span rest = line;
    const struct span first = next_word(&rest);
    const struct span second = next_word(&rest);
    double numbers[9];
    int count;
    if (!is_number(first) || !is_number(second)) {
        return check_no_other_cell(reader, line);
    }
    if (!take_numbers(reader, line, "a number of the cell", numbers, &count)) {
        return false;
    }
    if (count != 3 && count != 9) {
        return reader_fail(reader,
                           "%d numbers for the cell; expected three edges, nine numbers, or "
                           "key=\"value\" pairs",
                           count);
    }
    return set_cell(reader, numbers, count, box);
}

bool xyz_read_comment(struct reader *reader, struct span line, struct box *box,
                      struct columns *columns) {
    *columns = no_columns; /* unless said otherwise: a species, three coordinates and anything */
    columns->count = 4;
    columns->exact = false;
    columns->species = 0;
    columns->position = 1;
    if (!memchr(line.begin, '=', span_length(line))) {
        return apply_plain(reader, line, box);
    }
    struct comment comment = { 0 };
    return take_comment(reader, line, &comment) && apply_cell(reader, &comment, box) &&
           (comment.lattice.begin || comment.pbc.begin || check_no_other_cell(reader, line)) &&
           (!comment.properties.begin || apply_properties(reader, comment.properties, columns));
}
