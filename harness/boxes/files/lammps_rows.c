/* Rows of LAMMPS data files. */
#include "boxes/files/readers.h"

#include <math.h>
#include <string.h>

/* The next line that says something, its comment split off; false at the end of the file. */
bool lammps_next_row(struct reader *reader, struct span *row, struct span *comment) {
    struct span line;
    while (reader_next_line(reader, &line)) {
        const char *hash = memchr(line.begin, '#', span_length(line));
        *row = (struct span){ line.begin, hash ? hash : line.end };
        *comment = (struct span){ hash ? hash + 1 : line.end, line.end };
        struct span words = *row;
        if (span_length(next_word(&words)) > 0) {
            return true;
        }
    }
    return false;
}

bool span_begins_with_letter(struct span row) {
    const struct span word = next_word(&row);
    return span_length(word) > 0 && ((*word.begin >= 'A' && *word.begin <= 'Z') ||
                                     (*word.begin >= 'a' && *word.begin <= 'z'));
}

bool lammps_row(struct reader *reader, struct span *row, struct span *comment) {
    struct reader ahead = *reader;
    struct span ignored;
    if (!lammps_next_row(&ahead, row, comment ? comment : &ignored) ||
        span_begins_with_letter(*row)) {
        return false;
    }
    *reader = ahead;
    return true;
}

static bool find_label(struct span word, const char (*name)[SPECIES_SIZE], size_t types,
                       size_t *type) {
    *type = 0;
    while (*type < types &&
           !span_same(word, (struct span){ name[*type], name[*type] + strlen(name[*type]) })) {
        ++*type;
    }
    return *type < types;
}

bool lammps_typed_row(struct reader *reader, const char (*name)[SPECIES_SIZE], size_t types,
                      struct span *row, struct span *comment) {
    struct reader ahead = *reader;
    struct span ignored;
    size_t type;
    if (!lammps_next_row(&ahead, row, comment ? comment : &ignored)) {
        return false;
    }
    struct span words = *row;
    const struct span first = next_word(&words);
    const bool is_title =
        span_length(next_word(&words)) == 0 || !find_label(first, name, types, &type);
    if (span_begins_with_letter(*row) && is_title) {
        return false;
    }
    *reader = ahead;
    return true;
}

int lammps_words(struct span row, struct span *words, int most) {
    int count = 0;
    for (struct span word = next_word(&row); span_length(word) > 0; word = next_word(&row)) {
        if (count < most) {
            words[count] = word;
        }
        count++;
    }
    return count;
}

bool lammps_whole(const struct reader *reader, struct span word, const char *what, double least,
                  double most, int64_t *number) {
    double value = 0.0;
    bool not_finite;
    if (!span_to_double(word, &value, &not_finite) || value != floor(value) || value < least ||
        value > most) {
        return reader_fail(reader, "%s is '%s'; expected a whole number from %.0f to %.0f", what,
                           show(word).text, least, most);
    }
    *number = (int64_t)value;
    return true;
}

bool lammps_type(const struct reader *reader, struct span word, const char (*name)[SPECIES_SIZE],
                 size_t types, size_t *type) {
    int64_t number = 0;
    const bool is_number = span_length(word) > 0 && *word.begin >= '0' && *word.begin <= '9';
    if (!is_number && find_label(word, name, types, type)) {
        return true;
    }
    if (!lammps_whole(reader, word, "the type of an atom", 1, (double)types, &number)) {
        return false;
    }
    *type = (size_t)number - 1;
    return true;
}
