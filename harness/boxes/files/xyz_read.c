#include "boxes/box.h"

#include "boxes/files/readers.h"
#include "core/error.h"
#include "core/files.h"
#include "core/strings.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words that distinguish the types: the type column where there is one, else species. */
struct type_keys {
    struct span key[MAX_SPECIES];
    int32_t last; /* the one found last, looked at first: neighbours in a file are often alike */
};

static bool read_count(struct reader *reader, size_t *n) {
    struct span line;
    if (!reader_next_line(reader, &line)) {
        reader->line = 1;
        return reader_fail(reader, "the file is empty; expected the number of particles");
    }
    struct span word = next_word(&line);
    if (span_length(next_word(&line)) > 0 || !span_to_count(word, n)) {
        struct strbuf hint = { 0 };
        line.begin = word.begin;
        other_format_hint(reader, (struct span){ word.begin, reader->end }, &hint);
        (void)reader_fail(reader, "'%s'; expected the number of particles alone, 1 to %d%s",
                          show(line).text, BOX_MAX_PARTICLES, strbuf_text(&hint));
        strbuf_free(&hint);
        return false;
    }
    return true;
}

static bool add_type(const struct reader *reader, struct span key, struct span name,
                     struct type_keys *keys, struct box *box) {
    if (span_length(name) >= SPECIES_SIZE) {
        return reader_fail(reader, "species '%s' is too long; expected at most %d characters",
                           show(name).text, SPECIES_SIZE - 1);
    }
    if (!span_is_name(name)) {
        return reader_fail(reader,
                           "the species is '%s'; expected a name, without control characters",
                           show(name).text);
    }
    if (!reader_add_species(reader, name, box)) {
        return false;
    }
    keys->last = box->types - 1;
    keys->key[keys->last] = key;
    return true;
}

/* The type with this key, a new one where it is the first of its kind. */
static bool find_type(const struct reader *reader, struct span key, struct span name,
                      struct type_keys *keys, struct box *box, int32_t *type) {
    bool found = box->types > 0 && span_same(keys->key[keys->last], key);
    for (int32_t t = 0; t < box->types && !found; t++) {
        found = span_same(keys->key[t], key);
        keys->last = found ? t : keys->last;
    }
    if (!found && !add_type(reader, key, name, keys, box)) {
        return false;
    }
    *type = keys->last;
    const char *known = box->species[*type];
    if (!span_same((struct span){ known, known + strlen(known) }, name)) {
        return reader_fail(reader, "type %s has species '%s', and '%s' before; expected one",
                           show(key).text, show(name).text, known);
    }
    return true;
}

/* Parts a line into its words. */
static bool take_words(const struct reader *reader, struct span line, const struct columns *columns,
                       struct span *words) {
    int count = 0;
    for (struct span word = next_word(&line); span_length(word); word = next_word(&line)) {
        if (count < columns->count) {
            words[count] = word;
        }
        count++;
    }
    if (count < columns->count || (columns->exact && count > columns->count)) {
        return reader_fail(reader, "%d columns; expected %d%s", count, columns->count,
                           columns->exact ? ", as Properties says"
                                          : ": a species and three coordinates");
    }
    return true;
}

/* A whole number; any may be a molecule's. */
static bool read_molecule(const struct reader *reader, struct span word, int32_t *molecule) {
    double number = 0;
    bool not_finite;
    if (!span_to_double(word, &number, &not_finite) || number != floor(number) ||
        fabs(number) > INT32_MAX) {
        return reader_fail(reader, "the molecule is '%s'; expected a whole number",
                           show(word).text);
    }
    *molecule = (int32_t)number;
    return true;
}

/* Three numbers from a column on; `vector` stands before x, y or z where one is refused. */
static bool read_three(const struct reader *reader, const struct span *words, int column,
                       const char *vector, double three[3]) {
    for (int axis = 0; axis < 3; axis++) {
        bool not_finite;
        if (!span_to_double(words[column + axis], &three[axis], &not_finite)) {
            char what[64];
            (void)snprintf(what, sizeof what, "%s%c (column %d)", vector, "xyz"[axis],
                           column + axis + 1);
            return reader_number(reader, words[column + axis], what, &three[axis]);
        }
    }
    return true;
}

static bool read_mass(const struct reader *reader, struct span word, double *mass) {
    return reader_number(reader, word, "the mass", mass) &&
           (*mass > 0.0 ||
            reader_fail(reader, "the mass is '%s'; expected a positive number", show(word).text));
}

/* Velocities are exact where both stand, as in files that pairmark wrote. */
static bool by_momenta(const struct columns *columns) {
    return columns->momentum >= 0 && columns->velocity < 0;
}

/* The symbol of the element whose number stands there. */
static bool read_element(const struct reader *reader, struct span word, struct span *symbol) {
    double number = -1.0;
    bool not_finite;
    const char *name = NULL;
    if (span_to_double(word, &number, &not_finite) && number == floor(number) && number >= 0.0) {
        name = element_symbol(number < INT32_MAX ? (size_t)number : SIZE_MAX);
    }
    if (!name) {
        return reader_fail(reader, "Z is '%s'; expected the atomic number of an element",
                           show(word).text);
    }
    *symbol = (struct span){ name, name + strlen(name) };
    return true;
}

/* What the species is called; empty where no column says. */
static bool find_species(const struct reader *reader, const struct columns *columns,
                         const struct span *words, struct span *species) {
    *species = columns->species >= 0 ? words[columns->species] : (struct span){ 0 };
    return columns->species >= 0 || columns->number < 0 ||
           read_element(reader, words[columns->number], species);
}

/* Velocities of momenta, which have the unit of the masses times that of the velocities. */
static bool read_momentum(const struct reader *reader, const struct columns *columns,
                          const struct span *words, struct box *box, size_t i) {
    double momentum[3];
    if (columns->mass < 0) {
        struct span species;
        if (!find_species(reader, columns, words, &species)) {
            return false;
        }
        box->mass[i] = element_mass(species.begin, span_length(species));
        if (!(box->mass[i] > 0.0)) {
            return reader_fail(reader,
                               "momenta, but no mass of '%s' is known; expected a column "
                               "masses:R:1 in Properties, or the symbol of an element",
                               show(species).text);
        }
    }
    if (!read_three(reader, words, columns->momentum, "momentum ", momentum)) {
        return false;
    }
    for (size_t axis = 0; axis < 3; axis++) {
        box->velocity[3 * i + axis] = momentum[axis] / box->mass[i];
        if (!isfinite(box->velocity[3 * i + axis])) {
            return reader_fail(
                reader, "momentum %c divided by the mass, %g / %g, is beyond the range of double",
                "xyz"[axis], momentum[axis], box -> mass[i]);
        }
    }
    return true;
}

static bool read_particle(const struct reader *reader, const struct columns *columns,
                          const struct span *words, struct type_keys *keys, struct box *box,
                          size_t i) {
    if (!read_three(reader, words, columns->position, "", box->position + 3 * i) ||
        (columns->velocity >= 0 &&
         !read_three(reader, words, columns->velocity, "velocity ", box->velocity + 3 * i)) ||
        (columns->mass >= 0 && !read_mass(reader, words[columns->mass], &box->mass[i])) ||
        (by_momenta(columns) && !read_momentum(reader, columns, words, box, i))) {
        return false;
    }
    if (columns->charge >= 0 &&
        !reader_number(reader, words[columns->charge], "the charge", &box->charge[i])) {
        return false;
    }
    if (columns->molecule >= 0 &&
        !read_molecule(reader, words[columns->molecule], &box->molecule[i])) {
        return false;
    }
    static const char one_species[] = "A";
    struct span name = { one_species, one_species + 1 };
    if (columns->name >= 0) {
        name = words[columns->name];
    } else if (columns->species >= 0 || columns->number >= 0) {
        if (!find_species(reader, columns, words, &name)) {
            return false;
        }
    } else if (columns->type >= 0) {
        name = words[columns->type];
    }
    struct span key = columns->type >= 0 ? words[columns->type] : name;
    return find_type(reader, key, name, keys, box, &box->type[i]);
}

static bool read_particles(struct reader *reader, const struct columns *columns, struct box *box) {
    struct type_keys *keys = calloc(1, sizeof *keys);
    struct span *words = calloc((size_t)columns->count, sizeof *words);
    if (columns->molecule >= 0) {
        box->molecule = calloc(box->n, sizeof *box->molecule);
    }
    bool usable = keys && words && (columns->molecule < 0 || box->molecule);
    if (!usable) {
        (void)fail_out_of_memory(reader->error, "reading a box");
    }
    const bool momenta = by_momenta(columns);
    usable = usable &&
             ((columns->velocity < 0 && !momenta) || box_add_velocities(box, reader->error)) &&
             ((columns->mass < 0 && !momenta) || box_add_masses(box, reader->error));
    box->types = 0;
    box->uncharged = columns->charge < 0;
    for (size_t i = 0; usable && i < box->n; i++) {
        struct span line;
        if (!reader_next_line(reader, &line)) {
            reader->line++;
            usable = reader_fail(reader,
                                 "the file ends after %zu particles; expected %zu, as line "
                                 "1 says",
                                 i, box->n);
        } else {
            usable = take_words(reader, line, columns, words) &&
                     read_particle(reader, columns, words, keys, box, i);
        }
    }
    free(keys);
    free(words);
    return usable;
}

/* Checks what follows the first frame: nothing, or more frames, each of which begins with a count.
 * Anything else means that the count of the frame before was wrong. */
static bool check_rest(struct reader *reader, struct box *box) {
    struct span line;
    size_t n = box->n, counted = 1; /* of the frame before, and the line that says so */
    while (reader_next_line(reader, &line)) {
        struct span words = line;
        const struct span word = next_word(&words);
        size_t next;
        if (span_length(word) == 0) {
            continue;
        }
        if (!span_is_count(line, &next)) {
            return reader_fail(reader,
                               "'%s' after the %zu particles that line %zu announces; expected "
                               "the end of the file or the count of another frame",
                               show(word).text, n, counted);
        }
        n = next;
        counted = reader->line;
        reader_skip_lines(reader, n < SIZE_MAX ? n + 1 : n);
        box->left_out++;
    }
    return true;
}

/* Memory is not taken for more particles than the file can hold: a row has a species, three
 * coordinates and the blanks between them. What costs little is left to the reading of rows, which
 * knows the line. */
static bool check_room(struct reader *reader, size_t n) {
    enum { SHORTEST_ROW = 7, COSTS_LITTLE = 1 << 20 };
    const size_t left = (size_t)(reader->end - reader->at);
    return n <= COSTS_LITTLE || n <= left / SHORTEST_ROW + 1 ||
           reader_fail(reader,
                       "line 1 announces %zu particles, but only %zu bytes follow line 2: too few "
                       "for as many rows",
                       n, left);
}

static bool read_frame(struct reader *reader, struct box *box) {
    struct columns columns;
    struct span line;
    size_t n = 0;
    if (!read_count(reader, &n)) {
        return false;
    }
    if (!reader_next_line(reader, &line)) {
        reader->line++;
        return reader_fail(reader, "the file ends after its first line; expected the comment line "
                                   "with the cell");
    }
    if (!check_room(reader, n) || !box_allocate(n, box, reader->error)) {
        return false;
    }
    return xyz_read_comment(reader, line, box, &columns) && read_particles(reader, &columns, box) &&
           check_rest(reader, box);
}

static void rotate(const struct reader *reader, double *vectors, size_t n) {
    const double *r = reader->rotation;
    for (size_t i = 0; i < n; i++) {
        double *x = vectors + 3 * i;
        const double from[3] = { x[0], x[1], x[2] };
        for (int k = 0; k < 3; k++) {
            x[k] = r[3 * k] * from[0] + r[3 * k + 1] * from[1] + r[3 * k + 2] * from[2];
        }
    }
}

/* Edges along axes without images that the file does not say: as far as the particles reach. */
static void fill_edges(struct box *box) {
    for (size_t axis = 0; axis < 3; axis++) {
        double least = INFINITY;
        double most = -INFINITY;
        for (size_t i = 0; i < box->n && box->open_along[axis] && box->edge[axis] == 0.0; i++) {
            least = fmin(least, box->position[3 * i + axis]);
            most = fmax(most, box->position[3 * i + axis]);
        }
        if (box->open_along[axis] && box->edge[axis] == 0.0) {
            box->edge[axis] = most > least ? most - least : 1.0;
        }
    }
}

static bool read_format(struct reader *reader, struct box *box) {
    box_reader *other = reader_of_format(reader);
    if (!(other ? other : read_frame)(reader, box)) {
        box_free(box);
        return false;
    }
    if (box->rotated) {
        rotate(reader, box->position, box->n);
        rotate(reader, box->velocity, box->velocity ? box->n : 0);
    }
    strcpy(box->kind, "file");
    fill_edges(box);
    if (box->periodic && !box_is_partly_periodic(box)) {
        box->density = (double)box->n / (box->edge[0] * box->edge[1] * box->edge[2]);
    }
    return true;
}

/* A byte that no text has gives a binary file away. */
static bool check_is_text(struct reader *reader) {
    const char *zero = memchr(reader->at, '\0', (size_t)(reader->end - reader->at));
    if (!zero) {
        return true;
    }
    reader->line = 1;
    for (const char *c = reader->at; c < zero; c++) {
        reader->line += *c == '\n';
    }
    const bool is_gzip = strncmp(reader->at, "\x1f\x8b", 2) == 0;
    return reader_fail(reader, "a zero byte; expected text%s",
                       is_gzip ? ": this looks like a gzip file, which gunzip unpacks" : "");
}

static bool read_file(const char *path, const char *atom_style, struct box *box,
                      struct box_pairs *pairs, char content[HASH_TEXT_SIZE], struct error *error) {
    char *data;
    size_t length;
    memset(box, 0, sizeof *box);
    if (!input_read(path, INPUT_BOX_BYTES, &data, &length, error)) {
        return false;
    }
    if (content) {
        hash_bytes(data, length, content);
    }
    struct reader reader = { .path = path,
                             .at = data,
                             .end = data + length,
                             .error = error,
                             .atom_style = atom_style && *atom_style ? atom_style : NULL,
                             .pairs = pairs };
    reader.at += byte_order_mark(data);
    end_lines_by_newline(data, length);
    bool read = check_is_text(&reader) && read_format(&reader, box);
    free(data);
    return read;
}

bool box_read_styled(const char *path, const char *atom_style, struct box *box,
                     char content[HASH_TEXT_SIZE], struct error *error) {
    return read_file(path, atom_style, box, NULL, content, error);
}

bool box_read(const char *path, struct box *box, struct error *error) {
    return read_file(path, NULL, box, NULL, NULL, error);
}

bool box_read_pairs(const char *path, struct box *box, struct box_pairs *pairs,
                    struct error *error) {
    pairs->coulomb = NAN;
    return read_file(path, pairs->atom_style, box, pairs, NULL, error);
}

void box_pairs_free(struct box_pairs *pairs) {
    free(pairs->lj);
    free(pairs->lj_line);
    *pairs = (struct box_pairs){ 0 };
}
