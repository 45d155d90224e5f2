/* GROMACS' .gro: a title, a count, an atom per line, the vectors of the cell. */
#include "boxes/files/fixed_columns.h"

#include <math.h>
#include <string.h>

/* 20 columns of numbers and names, then numbers of equal width: three coordinates, with one decimal
 * more three velocities. */
enum { NAMES = 20, MIN_WIDTH = 6, MAX_WIDTH = 24, TO_ANGSTROM = 1 };

struct gro_layout {
    size_t width; /* of a number */
    bool velocities;
};

static bool is_whole(struct span word) {
    bool whole = span_length(word) > 0;
    for (const char *c = word.begin; c < word.end; c++) {
        whole = whole && *c >= '0' && *c <= '9';
    }
    return whole;
}

static bool read_count(struct reader *reader, size_t *n) {
    struct span line;
    const bool titled = reader_next_line(reader, &line);
    if (!titled || !reader_next_line(reader, &line)) {
        reader->line++;
        return reader_fail(reader, "the file ends; expected a title and, in line 2, how many atoms "
                                   "there are");
    }
    struct span word = next_word(&line);
    bool good = is_whole(word) && span_length(next_word(&line)) == 0;
    *n = 0;
    for (const char *c = word.begin; good && c < word.end; c++) {
        *n = 10 * *n + (size_t)(*c - '0');
        good = *n <= BOX_MAX_PARTICLES;
    }
    return (good && *n >= 1) ||
           reader_fail(reader, "'%s'; expected the number of atoms alone, 1 to %d", show(word).text,
                       BOX_MAX_PARTICLES);
}

/* From the first atom: numbers are as wide as their decimal points are apart. */
static bool find_layout(const struct reader *reader, struct span line, struct gro_layout *layout) {
    const size_t length = span_length(line);
    const char *numbers = line.begin + (length < NAMES ? length : NAMES);
    const char *first = memchr(numbers, '.', (size_t)(line.end - numbers));
    const char *second = first ? memchr(first + 1, '.', (size_t)(line.end - first - 1)) : NULL;
    layout->width = second ? (size_t)(second - first) : 0;
    if (layout->width < MIN_WIDTH || layout->width > MAX_WIDTH) {
        return reader_fail(reader,
                           "no two decimal points after column %d that are %d to %d "
                           "columns apart; expected three coordinates, as %%8.3f",
                           NAMES, MIN_WIDTH, MAX_WIDTH);
    }
    layout->velocities =
        span_length(field_of(line, NAMES + 3 * layout->width + 1, NAMES + 6 * layout->width)) > 0;
    return true;
}

/* Three numbers behind `before` columns. */
static bool read_three(const struct reader *reader, struct span line, size_t before, size_t width,
                       const char *of, double three[3]) {
    for (size_t axis = 0; axis < 3; axis++) {
        char what[32];
        (void)snprintf(what, sizeof what, "%s%c", of, "xyz"[axis]);
        if (!field_number(reader, line, before + axis * width + 1, before + (axis + 1) * width,
                          what, TO_ANGSTROM, &three[axis])) {
            return false;
        }
    }
    return true;
}

/* OW of OW, HW of HW1, HB of 1HB2: digits number atoms of one kind. */
static struct span species_of(struct span name) {
    struct span species = name;
    while (species.begin < species.end && *species.begin >= '0' && *species.begin <= '9') {
        species.begin++;
    }
    while (species.begin < species.end && species.end[-1] >= '0' && species.end[-1] <= '9') {
        species.end--;
    }
    return species;
}

/* One word, which XYZ can hold: no blank and nothing that is no character. */
static bool is_name(struct span word) {
    bool name = span_length(word) > 0;
    for (const char *c = word.begin; c < word.end; c++) {
        name = name && (unsigned char)*c > ' ' && *c != '\177';
    }
    return name;
}

static bool read_atom(const struct reader *reader, struct span line,
                      const struct gro_layout *layout, struct particle_reader *particles) {
    struct box *box = particles->box;
    const size_t positions = NAMES + 3 * layout->width;
    const struct span species = species_of(field_of(line, 11, 15));
    size_t i = 0;
    struct span number = field_of(line, 1, 5);
    number.begin += span_length(number) > 0 && *number.begin == '-'; /* a tag before residue 1 */
    if (!is_whole(number)) {
        return reader_fail(reader,
                           "the residue's number (columns 1-5) is '%s'; expected a whole "
                           "number",
                           show(field_of(line, 1, 5)).text);
    }
    if (!is_name(species)) {
        return reader_fail(reader, "the atom's name (columns 11-15) is '%s'; expected a name",
                           show(field_of(line, 11, 15)).text);
    }
    const struct span residue = { line.begin, line.begin + 10 };
    return particles_add(reader, particles, species, residue, &i) &&
           read_three(reader, line, NAMES, layout->width, "", box->position + 3 * i) &&
           (!layout->velocities ||
            read_three(reader, line, positions, layout->width, "velocity ", box->velocity + 3 * i));
}

/* Vectors in GROMACS' order: the diagonal, then a_y a_z b_x b_z c_x c_y; three numbers are the
 * diagonal, and zeros no cell. */
static bool read_cell(struct reader *reader, struct box *box) {
    static const int place[9] = { 0, 4, 8, 1, 2, 3, 5, 6, 7 };
    double vectors[9] = { 0 };
    struct error error;
    struct span line;
    int count = 0;
    bool any = false;
    if (!reader_next_line(reader, &line)) {
        reader->line++;
        return reader_fail(reader, "the file ends; expected the vectors of the cell");
    }
    for (struct span word = next_word(&line); span_length(word) > 0; word = next_word(&line)) {
        const struct span alone = { word.begin, word.end };
        const size_t wide = span_length(alone);
        double *number = &vectors[place[count < 9 ? count : 8]];
        if (!field_number(reader, alone, 1, wide, "a number of the cell", TO_ANGSTROM, number)) {
            return false;
        }
        any = any || *number != 0.0;
        count++;
    }
    if (count != 3 && count != 9) {
        return reader_fail(reader, "%d numbers for the cell; expected 3 or 9", count);
    }
    box->periodic = any;
    return !any ||
           cell_from_vectors(vectors, &box->cell, reader->rotation, &box->rotated, &error) ||
           reader_fail(reader, "the cell: %s", error.message);
}

/* Nothing, or another frame, whose second line is a count. */
static bool check_rest(struct reader *reader) {
    struct span title;
    struct span count;
    while (reader_next_line(reader, &title)) {
        struct span words = title;
        if (span_length(next_word(&words)) == 0) {
            continue;
        }
        return (reader_next_line(reader, &count) && is_whole(next_word(&count))) ||
               reader_fail(reader,
                           "'%s' after the cell; expected the end of the file or another "
                           "frame",
                           show(title).text);
    }
    return true;
}

/* Memory is not taken for more atoms than the file can hold. */
static bool check_room(const struct reader *reader, size_t n) {
    const size_t left = (size_t)(reader->end - reader->at);
    return n <= left / NAMES + 1 ||
           reader_fail(reader, "%zu atoms, but only %zu bytes follow: too few for as many lines", n,
                       left);
}

/* Three or nine decimal numbers, as the last line has. */
static bool looks_like_cell(struct span line) {
    int count = 0;
    for (struct span word = next_word(&line); span_length(word) > 0; word = next_word(&line)) {
        for (const char *c = word.begin; c < word.end; c++) {
            if (!strchr("+-.0123456789", *c)) { /* no text has a zero byte */
                return false;
            }
        }
        if (!memchr(word.begin, '.', span_length(word))) {
            return false;
        }
        count++;
    }
    return count == 3 || count == 9;
}

/* The cell, which an atom may stand in the place of. */
static bool read_end(struct reader *reader, size_t n, struct box *box) {
    struct span line = { reader->at, reader->at };
    struct reader ahead = *reader;
    const bool any = reader_next_line(&ahead, &line);
    return read_cell(reader, box) ||
           (any && is_whole(field_of(line, 1, 5)) && is_whole(field_of(line, 16, 20)) &&
            reader_fail(reader,
                        "an atom; expected the vectors of the cell after the %zu that line "
                        "2 announces",
                        n));
}

bool gro_read(struct reader *reader, struct box *box) {
    struct particle_reader particles;
    struct gro_layout layout = { 0 };
    size_t n = 0;
    bool read = read_count(reader, &n) && check_room(reader, n) &&
                particles_begin(reader, n, box, &particles);
    for (size_t i = 0; read && i < n; i++) {
        struct span line;
        if (!reader_next_line(reader, &line)) {
            reader->line++;
            read = reader_fail(reader,
                               "the file ends after %zu atoms; expected %zu, as line 2 says", i, n);
            break;
        }
        read = (i > 0 || (find_layout(reader, line, &layout) &&
                          (!layout.velocities || box_add_velocities(box, reader->error)))) &&
               read_atom(reader, line, &layout, &particles);
        if (!read && i > 0 && looks_like_cell(line)) {
            (void)reader_fail(reader, "the vectors of the cell after %zu atoms; line 2 says %zu", i,
                              n);
        }
    }
    return read && read_end(reader, n, box) && check_rest(reader);
}
