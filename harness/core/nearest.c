#include "core/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_WORD = 64 };

static int small_letter(char c) {
    return tolower((unsigned char)c);
}

/* By rows of the table of distances between beginnings. */
size_t word_distance(const char *a, const char *b) {
    size_t row[LONGEST_WORD + 1];
    const size_t a_length = strnlen(a, LONGEST_WORD);
    const size_t b_length = strnlen(b, LONGEST_WORD);
    for (size_t j = 0; j <= b_length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t above = row[j];
            size_t least = diagonal + (small_letter(a[i - 1]) != small_letter(b[j - 1]));
            least = above + 1 < least ? above + 1 : least;
            least = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
            row[j] = least;
            diagonal = above;
        }
    }
    return row[b_length];
}

const char *words_nearest(const char *word, const char *const *choices) {
    const char *nearest = NULL;
    /* A third of the letters may be wrong: more is another word. */
    size_t least = strlen(word) / 3 + 2;
    for (size_t i = 0; choices[i]; i++) {
        size_t distance = word_distance(word, choices[i]);
        if (strlen(word) >= 3 && strncasecmp(word, choices[i], strlen(word)) == 0) {
            distance = 1; /* an abbreviation */
        }
        if (distance < least && distance < strlen(choices[i])) {
            least = distance;
            nearest = choices[i];
        }
    }
    return nearest;
}

const char *did_you_mean(const char *nearest, char quote, char hint[HINT_SIZE]) {
    hint[0] = '\0';
    if (nearest) {
        (void)snprintf(hint, HINT_SIZE, " (did you mean %c%.220s%c?)", quote, nearest, quote);
    }
    return hint;
}
