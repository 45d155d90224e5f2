#include "boxes/files/fixed_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SPECIES = 1000 };

struct span field_of(struct span line, size_t first, size_t last) {
    const size_t length = span_length(line);
    const size_t end = last < length ? last : length;
    struct span field = { line.begin + (first - 1 < end ? first - 1 : end), line.begin + end };
    while (field.begin < field.end && *field.begin == ' ') {
        field.begin++;
    }
    while (field.begin < field.end && field.end[-1] == ' ') {
        field.end--;
    }
    return field;
}

bool field_number(const struct reader *reader, struct span line, size_t first, size_t last,
                  const char *what, int shift, double *value) {
    char digits[40] = "";
    struct span field = field_of(line, first, last);
    const size_t length = span_length(field);
    /* To the right end of its columns: this detects a line that lost a character. */
    const bool aligned = length > 0 && field.end == line.begin + last;
    char *end = digits;
    if (aligned && length < sizeof digits - 8 && strspn(field.begin, "+-.0123456789") >= length) {
        /* The exponent takes part in the one rounding that there is. */
        (void)snprintf(digits, sizeof digits, "%.*se%d", (int)length, field.begin, shift);
        *value = strtod(digits, &end);
    }
    return (end > digits && *end == '\0') ||
           reader_fail(reader, "%s (columns %zu-%zu) is '%s'%s; expected a decimal number", what,
                       first, last, show(field).text,
                       length > 0 && !aligned ? ", which does not end there" : "");
}

bool particles_begin(const struct reader *reader, size_t n, struct box *box,
                     struct particle_reader *particles) {
    if (!box_allocate(n, box, reader->error)) {
        return false;
    }
    box->molecule = calloc(n, sizeof *box->molecule);
    box->types = 0;
    *particles = (struct particle_reader){ .box = box };
    return box->molecule || fail_out_of_memory(reader->error, "the molecules of a box");
}

static bool same(struct span a, struct span b) {
    return span_length(a) == span_length(b) &&
           (span_length(a) == 0 || memcmp(a.begin, b.begin, span_length(a)) == 0);
}

static bool is_species(const struct box *box, int32_t type, struct span name) {
    const char *known = box->species[type];
    return same((struct span){ known, known + strlen(known) }, name);
}

static bool add_species(const struct reader *reader, struct box *box, struct span name) {
    char(*species)[SPECIES_SIZE] =
        realloc(box->species, ((size_t)box->types + 1) * sizeof *species);
    if (box->types >= MAX_SPECIES) {
        box->species = species ? species : box->species;
        return reader_fail(reader, "more than %d species; expected fewer", MAX_SPECIES);
    }
    if (!species) {
        return fail_out_of_memory(reader->error, "the species of a box");
    }
    box->species = species;
    memset(species[box->types], 0, sizeof *species);
    memcpy(species[box->types++], name.begin, span_length(name));
    return true;
}

bool particles_add(const struct reader *reader, struct particle_reader *particles,
                   struct span species, struct span residue, size_t *particle) {
    struct box *box = particles->box;
    int32_t type = particles->last_type;
    if (type >= box->types || !is_species(box, type, species)) {
        type = 0;
        while (type < box->types && !is_species(box, type, species)) {
            type++;
        }
        if (type == box->types && !add_species(reader, box, species)) {
            return false;
        }
        particles->last_type = type;
    }
    if (particles->next == 0 || !same(residue, particles->residue)) {
        particles->molecule++;
    }
    particles->residue = residue;
    *particle = particles->next++;
    box->type[*particle] = type;
    box->molecule[*particle] = particles->molecule;
    return true;
}
