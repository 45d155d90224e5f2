#include "kernels/potentials/exclusions.h"

#include "core/error.h"
#include "core/files.h"
#include "core/statistics.h"
#include "core/strings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NEXT = 1000 };

struct excluded_pair {
    int32_t particle[2]; /* from 0, the lesser first */
    int32_t line;
};

struct exclusions {
    bool molecule;
    size_t next; /* each particle and so many that follow it; 0: the pairs of a file */
    char *path;
    struct excluded_pair *pairs;
    size_t count, capacity;
    char hash[HASH_TEXT_SIZE]; /* of a file; "next:K" */
};

bool exclusions_by_molecule(const struct exclusions *exclusions) {
    return exclusions->molecule;
}

const char *exclusions_identity(const struct exclusions *exclusions) {
    return exclusions->molecule ? "molecule" : exclusions->hash;
}

/* How many particles have all `next` partners after them. */
static size_t count_full(const struct exclusions *exclusions, size_t n) {
    return n > exclusions->next ? n - exclusions->next : 0;
}

size_t exclusions_pair_count(const struct exclusions *exclusions, size_t n) {
    const size_t full = count_full(exclusions, n);
    const size_t rest = n - full; /* the first of these has one partner less than there are */
    return exclusions->next ? full * exclusions->next + rest * (rest > 0 ? rest - 1 : 0) / 2
                            : exclusions->count;
}

void exclusions_pair(const struct exclusions *exclusions, size_t n, size_t k, int32_t particle[2]) {
    if (exclusions->next == 0) {
        memcpy(particle, exclusions->pairs[k].particle, sizeof exclusions->pairs[k].particle);
        return;
    }
    const size_t full = count_full(exclusions, n);
    size_t first = k / exclusions->next;
    size_t off = k % exclusions->next;
    if (first >= full) {
        off = k - full * exclusions->next;
        for (first = full; off >= n - 1 - first; first++) {
            off -= n - 1 - first;
        }
    }
    particle[0] = (int32_t)first;
    particle[1] = (int32_t)(first + 1 + off);
}

void exclusions_free(struct exclusions *exclusions) {
    if (exclusions) {
        free(exclusions->path);
        free(exclusions->pairs);
        free(exclusions);
    }
}

/* ---- reading ---- */

static const char *skip_separators(const char *c) {
    return c + strspn(c, " \t\r,");
}

/* A particle's number at *c, which is moved past it. */
static bool take_particle(const char **c, int32_t *particle) {
    int64_t number = 0;
    const char *digit = skip_separators(*c);
    const char *first = digit;
    for (; *digit >= '0' && *digit <= '9' && number <= BOX_MAX_PARTICLES; digit++) {
        number = 10 * number + (*digit - '0');
    }
    bool taken = digit > first && number >= 1 && number <= BOX_MAX_PARTICLES &&
                 strchr(" \t\r,#\n", *digit); /* the end of the text among them */
    *c = digit;
    *particle = (int32_t)(number - 1);
    return taken;
}

static bool add_pair(struct exclusions *exclusions, const struct excluded_pair *pair,
                     struct error *error) {
    struct excluded_pair *pairs =
        with_room(exclusions->pairs, exclusions->count, &exclusions->capacity, sizeof *pairs,
                  "the exclusions", error);
    if (!pairs) {
        return false;
    }
    exclusions->pairs = pairs;
    exclusions->pairs[exclusions->count++] = *pair;
    return true;
}

/* Either may be the lesser. */
static bool add_particles(struct exclusions *exclusions, int32_t one, int32_t other, int number,
                          struct error *error) {
    const struct excluded_pair pair = { { one < other ? one : other, one < other ? other : one },
                                        number };
    return add_pair(exclusions, &pair, error);
}

static bool parse_line(struct exclusions *exclusions, const char *line, int number,
                       struct error *error) {
    const char *c = skip_separators(line);
    int32_t one = 0;
    int32_t other = 0;
    if (*c == '\n' || *c == '#' || *c == '\0') {
        return true;
    }
    size_t shown = strcspn(line, "\r\n");
    bool two = take_particle(&c, &one) && take_particle(&c, &other);
    c = skip_separators(c);
    if (!two || (*c != '\n' && *c != '#' && *c != '\0')) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%d: \"%.*s\"; expected two numbers of particles, 1 or more",
                    exclusions->path, number, shown < 80 ? (int)shown : 80, line);
    }
    if (one == other) {
        return fail(error, STATUS_BAD_INPUT, "%s:%d: particle %d is paired with itself",
                    exclusions->path, number, (int)one + 1);
    }
    return add_particles(exclusions, one, other, number, error);
}

static void hash_pairs(struct exclusions *exclusions) {
    struct hash_state *hash = hash_begin();
    for (size_t p = 0; p < exclusions->count; p++) {
        hash_add(hash, exclusions->pairs[p].particle, sizeof exclusions->pairs[p].particle);
    }
    hash_end(hash, exclusions->hash);
}

static bool parse_lines(struct exclusions *exclusions, const char *text, struct error *error) {
    int number = 0;
    for (const char *line = text; *line; line = line_after(line)) {
        if (!parse_line(exclusions, line, ++number, error)) {
            return false;
        }
    }
    if (exclusions->count == 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: no pair; expected lines of two numbers of particles each",
                    exclusions->path);
    }
    hash_pairs(exclusions);
    return true;
}

static const char following[] = "next:";

static bool is_following(const char *word) {
    return begins_with(word, following);
}

bool exclusions_in_file(const char *word) {
    return word && strcmp(word, "molecule") != 0 && !is_following(word);
}

static bool take_following(struct exclusions *exclusions, struct error *error) {
    uint64_t next = 0;
    if (!parse_count(exclusions->path + sizeof following - 1, &next) || next < 1 ||
        next > MOST_NEXT) {
        return fail(error, STATUS_BAD_INPUT, "\"%s\"; expected next:K, K from 1 to %d",
                    exclusions->path, MOST_NEXT);
    }
    exclusions->next = (size_t)next;
    (void)snprintf(exclusions->hash, sizeof exclusions->hash, "next:%d", (int)next);
    return true;
}

bool exclusions_read(const char *word, struct exclusions **exclusions, struct error *error) {
    char *text = NULL;
    struct exclusions *made = calloc(1, sizeof *made);
    if (!made || !(made->path = strdup(word))) {
        free(made);
        return fail_out_of_memory(error, "the exclusions");
    }
    made->molecule = strcmp(word, "molecule") == 0;
    bool read = made->molecule;
    if (is_following(word)) {
        read = take_following(made, error);
    } else if (!read) {
        read = input_read_text(word, INPUT_TABLE_BYTES, &text, error) &&
               parse_lines(made, text, error);
    }
    free(text);
    if (!read) {
        exclusions_free(made);
        return false;
    }
    *exclusions = made;
    return true;
}

bool exclusions_of_pairs(const int *pairs, size_t count, struct exclusions **exclusions,
                         struct error *error) {
    struct exclusions *made = calloc(1, sizeof *made);
    if (!made || !(made->path = strdup("excluded pairs"))) {
        free(made);
        return fail_out_of_memory(error, "the exclusions");
    }
    for (size_t p = 0; p < count; p++) {
        if (!add_particles(made, pairs[2 * p], pairs[2 * p + 1], (int)(p + 1), error)) {
            exclusions_free(made);
            return false;
        }
    }
    hash_pairs(made);
    *exclusions = made;
    return true;
}

/* ---- for a box ---- */

bool exclusions_fit(const struct exclusions *exclusions, const struct box *box,
                    struct error *error) {
    if (exclusions->molecule) {
        return box->molecule != NULL ||
               fail(error, STATUS_BAD_INPUT,
                    "--exclude molecule: the box says no molecules; expected a file with a column "
                    "molecule:I:1");
    }
    for (size_t p = 0; p < exclusions->count; p++) {
        const struct excluded_pair *pair = &exclusions->pairs[p];
        if ((size_t)pair->particle[1] >= box->n) {
            return fail(error, STATUS_BAD_INPUT, "%s:%d: there is no particle %d; the box has %zu",
                        exclusions->path, (int)pair->line, (int)pair->particle[1] + 1, box->n);
        }
    }
    return true;
}

/* ---- lists of partners ---- */

/* Sorts each particle's partners and drops repeated ones. */
static void tidy_partners(size_t n, struct excluded_partners *partners) {
    int32_t kept = 0;
    int32_t first = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t last = partners->start[i + 1];
        sort_ints(partners->partner + first, (size_t)(last - first));
        partners->start[i] = kept;
        for (int32_t k = first; k < last; k++) {
            if (k == first || partners->partner[k] != partners->partner[k - 1]) {
                partners->partner[kept++] = partners->partner[k];
            }
        }
        first = last;
    }
    partners->start[n] = kept;
}

static bool refuse_so_many(const struct exclusions *exclusions, struct error *error) {
    return fail(error, STATUS_BAD_INPUT, "%s: more pairs than %d", exclusions->path, INT32_MAX / 2);
}

struct of_molecule {
    int32_t molecule, particle;
};

static int by_molecule(const void *left, const void *right) {
    const struct of_molecule *a = left;
    const struct of_molecule *b = right;
    return a->molecule != b->molecule ? (a->molecule < b->molecule ? -1 : 1)
                                      : (a->particle > b->particle) - (a->particle < b->particle);
}

/* The end of the molecule that begins at `first`. */
static size_t end_of_molecule(const struct of_molecule *sorted, size_t n, size_t first) {
    size_t end = first;
    while (end < n && sorted[end].molecule == sorted[first].molecule) {
        end++;
    }
    return end;
}

/* Lists for each particle all others of its molecule. */
static bool list_sorted(const struct exclusions *exclusions, const struct of_molecule *sorted,
                        size_t n, struct excluded_partners *partners, struct error *error) {
    size_t end;
    for (size_t first = 0; first < n; first = end) {
        end = end_of_molecule(sorted, n, first);
        for (size_t a = first; a < end; a++) {
            partners->start[sorted[a].particle + 1] = (int32_t)(end - first - 1);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (partners->start[i + 1] > INT32_MAX - 1 - partners->start[i]) {
            return refuse_so_many(exclusions, error);
        }
        partners->start[i + 1] += partners->start[i];
    }
    partners->partner = malloc(((size_t)partners->start[n] + 1) * sizeof *partners->partner);
    if (!partners->partner) {
        return fail_out_of_memory(error, "the exclusions");
    }
    for (size_t first = 0; first < n; first = end) {
        end = end_of_molecule(sorted, n, first);
        for (size_t a = first; a < end; a++) {
            int32_t *to = partners->partner + partners->start[sorted[a].particle];
            for (size_t b = first; b < end; b++) {
                if (b != a) {
                    *to++ = sorted[b].particle;
                }
            }
        }
    }
    return true;
}

static bool list_molecules(const struct exclusions *exclusions, const struct box *box,
                           struct excluded_partners *partners, struct error *error) {
    struct of_molecule *sorted = malloc((box->n + 1) * sizeof *sorted);
    *partners = (struct excluded_partners){
        .start = calloc(box->n + 1, sizeof *partners->start),
    };
    bool listed = sorted && partners->start;
    if (listed) {
        for (size_t i = 0; i < box->n; i++) {
            sorted[i] = (struct of_molecule){ box->molecule[i], (int32_t)i };
        }
        qsort(sorted, box->n, sizeof *sorted, by_molecule);
        listed = list_sorted(exclusions, sorted, box->n, partners, error);
    } else {
        (void)fail_out_of_memory(error, "the exclusions");
    }
    if (!listed) {
        excluded_partners_free(partners);
    }
    free(sorted);
    return listed;
}

static bool list_pairs(const struct exclusions *exclusions, size_t n,
                       struct excluded_partners *partners, struct error *error) {
    const size_t count = exclusions_pair_count(exclusions, n);
    int32_t pair[2];
    if (count > INT32_MAX / 2) {
        return refuse_so_many(exclusions, error);
    }
    partners->start = calloc(n + 2, sizeof *partners->start);
    partners->partner = malloc((2 * count + 1) * sizeof *partners->partner);
    if (!partners->start || !partners->partner) {
        excluded_partners_free(partners);
        return fail_out_of_memory(error, "the exclusions");
    }
    /* Counts go two places on: start[i + 1] then moves from the begin of i's partners to their end
     * while they are filled in. */
    int32_t *place = partners->start + 1;
    for (size_t p = 0; p < count; p++) {
        exclusions_pair(exclusions, n, p, pair);
        for (int side = 0; side < 2; side++) {
            if ((size_t)pair[side] + 1 < n) {
                place[pair[side] + 1]++;
            }
        }
    }
    for (size_t i = 1; i <= n; i++) {
        partners->start[i] += partners->start[i - 1];
    }
    for (size_t p = 0; p < count; p++) {
        exclusions_pair(exclusions, n, p, pair);
        partners->partner[place[pair[0]]++] = pair[1];
        partners->partner[place[pair[1]]++] = pair[0];
    }
    tidy_partners(n, partners);
    return true;
}

bool exclusions_list(const struct exclusions *exclusions, const struct box *box,
                     struct excluded_partners *partners, struct error *error) {
    return exclusions->molecule ? list_molecules(exclusions, box, partners, error)
                                : list_pairs(exclusions, box->n, partners, error);
}

void excluded_partners_free(struct excluded_partners *partners) {
    free(partners->start);
    free(partners->partner);
    *partners = (struct excluded_partners){ 0 };
}
