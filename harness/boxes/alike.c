#include "boxes/box.h"

#include <stdlib.h>
#include <string.h>

void alike_free(struct alike *alike) {
    free(alike->start);
    free(alike->particle);
    free(alike->group);
    free(alike->first);
    free(alike->count);
    *alike = (struct alike){ 0 };
}

/* ---- molecules ---- */

static int compare_keyed(const void *left, const void *right) {
    const struct keyed *a = left;
    const struct keyed *b = right;
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

void keyed_sort(struct keyed *keyed, size_t count) {
    qsort(keyed, count, sizeof *keyed, compare_keyed);
}

/* Sorts particles by molecules, in the order of their first particles. */
static void sort_particles(const struct box *box, struct keyed *keyed) {
    uint64_t name = 0;
    uint64_t first = 0;
    for (size_t i = 0; i < box->n; i++) {
        keyed[i].number = (int32_t)i;
        keyed[i].key = box->molecule ? (uint64_t)(uint32_t)box->molecule[i] : (uint64_t)i;
    }
    keyed_sort(keyed, box->n);
    for (size_t k = 0; k < box->n; k++) {
        if (k == 0 || keyed[k].key != name) {
            name = keyed[k].key;
            first = (uint64_t)keyed[k].number;
        }
        keyed[k].key = first;
    }
    keyed_sort(keyed, box->n);
}

static void list_molecules(const struct box *box, struct keyed *keyed, struct alike *alike) {
    sort_particles(box, keyed);
    for (size_t k = 0; k < box->n; k++) {
        alike->particle[k] = keyed[k].number;
        if (k == 0 || keyed[k].key != keyed[k - 1].key) {
            alike->start[alike->molecules++] = (int32_t)k;
        }
    }
    alike->start[alike->molecules] = (int32_t)box->n;
}

/* ---- groups ---- */

static size_t length_of(const struct alike *alike, int32_t molecule) {
    return (size_t)(alike->start[molecule + 1] - alike->start[molecule]);
}

static bool same_particles(const struct box *box, int32_t i, int32_t j) {
    return box->type[i] == box->type[j] && box->charge[i] == box->charge[j] &&
           box_mass(box, (size_t)i) == box_mass(box, (size_t)j);
}

static bool same_molecules(const struct box *box, const struct alike *alike, int32_t a, int32_t b) {
    const size_t length = length_of(alike, a);
    bool same = length == length_of(alike, b);
    for (size_t k = 0; same && k < length; k++) {
        same = same_particles(box, alike->particle[(size_t)alike->start[a] + k],
                              alike->particle[(size_t)alike->start[b] + k]);
    }
    return same;
}

static uint64_t mix(uint64_t hash, double number) {
    uint64_t bits;
    number = number == 0 ? 0 : number; /* one of the two zeros */
    memcpy(&bits, &number, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15U;
    return hash ^ hash >> 29;
}

/* Alike molecules have the same; others hardly ever. */
static uint64_t hash_molecule(const struct box *box, const struct alike *alike, int32_t molecule) {
    uint64_t hash = length_of(alike, molecule);
    for (int32_t k = alike->start[molecule]; k < alike->start[molecule + 1]; k++) {
        const int32_t i = alike->particle[k];
        hash = mix(mix(mix(hash, box->type[i]), box->charge[i]), box_mass(box, (size_t)i));
    }
    return hash;
}

/* Gives each molecule, as its group for now, the number of the first molecule that it is identical
 * to. Molecules of one hash follow each other in `keyed`, lowest numbers first. */
static void find_first(const struct box *box, const struct keyed *keyed, struct alike *alike) {
    size_t run = 0;
    for (size_t k = 0; k < alike->molecules; k++) {
        const int32_t molecule = keyed[k].number;
        run = k > 0 && keyed[k].key == keyed[k - 1].key ? run : k;
        alike->group[molecule] = molecule;
        for (size_t before = run; before < k; before++) {
            const int32_t other = keyed[before].number;
            if (alike->group[other] == other && same_molecules(box, alike, other, molecule)) {
                alike->group[molecule] = other;
                break;
            }
        }
    }
}

static void number_groups(struct alike *alike) {
    for (size_t m = 0; m < alike->molecules; m++) {
        const int32_t first = alike->group[m];
        if ((size_t)first == m) {
            alike->first[alike->groups] = first;
            alike->group[m] = (int32_t)alike->groups++;
        } else {
            alike->group[m] = alike->group[first]; /* numbered before */
        }
        alike->count[alike->group[m]]++;
    }
}

bool alike_find(const struct box *box, struct alike *alike, struct error *error) {
    const size_t n = box->n;
    struct keyed *keyed = malloc((n + 1) * sizeof *keyed);
    *alike = (struct alike){ 0 };
    alike->start = calloc(n + 1, sizeof *alike->start);
    alike->particle = malloc((n + 1) * sizeof *alike->particle);
    alike->group = calloc(n + 1, sizeof *alike->group);
    alike->first = malloc((n + 1) * sizeof *alike->first);
    alike->count = calloc(n + 1, sizeof *alike->count);
    if (!keyed || !alike->start || !alike->particle || !alike->group || !alike->first ||
        !alike->count) {
        free(keyed);
        alike_free(alike);
        return fail_out_of_memory(error, "the molecules of a box");
    }
    list_molecules(box, keyed, alike);
    for (size_t m = 0; m < alike->molecules; m++) {
        keyed[m].number = (int32_t)m;
        keyed[m].key = hash_molecule(box, alike, (int32_t)m);
    }
    keyed_sort(keyed, alike->molecules);
    find_first(box, keyed, alike);
    number_groups(alike);
    free(keyed);
    return true;
}

/* ---- particles that bonds or constraints join ---- */

void joined_begin(size_t n, int32_t *molecule) {
    for (size_t i = 0; i < n; i++) {
        molecule[i] = (int32_t)i;
    }
}

/* The first particle of the molecule of i (union-find, with path halving). */
static int32_t first_of(int32_t *molecule, int32_t i) {
    while (molecule[i] != i) {
        molecule[i] = molecule[molecule[i]];
        i = molecule[i];
    }
    return i;
}

void joined_add(int32_t *molecule, int32_t a, int32_t b) {
    const int32_t first_a = first_of(molecule, a);
    const int32_t first_b = first_of(molecule, b);
    molecule[first_a > first_b ? first_a : first_b] = first_a > first_b ? first_b : first_a;
}

void joined_end(size_t n, int32_t *molecule) {
    for (size_t i = 0; i < n; i++) {
        molecule[i] = first_of(molecule, (int32_t)i);
    }
}
