#include "reference/pairs/store.h"

#include "core/cache.h"
#include "core/strings.h"

#include <stdlib.h>
#include <string.h>

/* Of this code, in which layout and numbers may be others. */
#include PAIRMARK_REFERENCE_HEADER

/* What reading an entry back costs, guessed high, so that what is kept is worth it. */
static const double read_start_s = 1e-3;
static const double read_bytes_per_s = 2e8;

/* Of time steps, beside arrays. */
struct store_motion {
    uint64_t types; /* 0: of what has no steps */
    double kinetic, kinetic_error, thermostat, thermostat_error, potential_error, virial_error;
};

/* An entry is this head, then force, scale, slope, condition, lost, neighbours and edge pairs;
 * of time steps also velocities, errors of displacements and of velocities, and what is known of
 * faces. */
struct store_head {
    uint64_t n, pairs_in_cutoff, edge_pair_count;
    uint64_t energies_apart;
    double cutoff, energy, virial[9];
    struct reference_energy kinds[TERM_KINDS];
    double energy_scale, energy_slope, virial_scale, virial_slope, length_scale;
    struct reference_spread spread;
    struct store_motion motion;
};

static void hash_groups(struct hash_state *hash, const struct groups *groups) {
    const uint64_t sizes[2] = { groups->n_a, groups->n_b };
    hash_add_string(hash, group_mode_name(groups->mode));
    hash_add(hash, sizes, sizeof sizes);
    hash_add(hash, groups->a, groups->n_a * sizeof *groups->a);
    if (groups->b) {
        hash_add(hash, groups->b, groups->n_b * sizeof *groups->b);
    }
}

void reference_key(const struct box *box, const struct interaction *interaction, double cutoff,
                   const struct groups *groups, enum reference_way way, char key[HASH_TEXT_SIZE]) {
    char box_text[HASH_TEXT_SIZE];
    struct strbuf words = { 0 };
    key[0] = '\0';
    box_hash(box, box_text);
    interaction_describe(interaction, &words);
    if (words.data && !words.failed && box_text[0]) {
        struct hash_state *hash = hash_begin();
        hash_add_string(hash, PAIRMARK_REFERENCE_CODE);
        hash_add_string(hash, box_text);
        hash_add_string(hash, words.data);
        hash_add(hash, &cutoff, sizeof cutoff);
        hash_add_string(hash, way == REFERENCE_SERIAL ? "serial" : "threads");
        if (box->in_double && interaction->expression_words) {
            hash_add_string(hash, "double");
        }
        if (groups) {
            hash_groups(hash, groups);
        }
        hash_end(hash, key);
    }
    strbuf_free(&words);
}

void reference_key_of(const char *what, const struct box *box,
                      const struct interaction *interaction, double cutoff,
                      char key[HASH_TEXT_SIZE]) {
    char of_pairs[HASH_TEXT_SIZE];
    reference_key(box, interaction, cutoff, NULL, REFERENCE_THREADS, of_pairs);
    key[0] = '\0';
    if (of_pairs[0]) {
        struct hash_state *hash = hash_begin();
        hash_add_string(hash, what);
        hash_add_string(hash, of_pairs);
        hash_end(hash, key);
    }
}

enum { FACES = 6 }; /* per type */

static size_t entry_size(const struct store_head *head) {
    const size_t per_particle =
        8 * sizeof(double) + sizeof(uint32_t) + (head->motion.types > 0 ? 5 * sizeof(double) : 0);
    return sizeof *head + head->n * per_particle +
           FACES * head->motion.types * (2 * sizeof(uint64_t) + 2 * sizeof(double)) +
           head->edge_pair_count * sizeof(struct reference_edge_pair);
}

/* A copy of the next `bytes` of an entry; NULL when memory ran out. */
static void *take(const char **place, size_t bytes) {
    void *copy = malloc(bytes ? bytes : 1);
    if (copy) {
        memcpy(copy, *place, bytes);
        *place += bytes;
    }
    return copy;
}

static bool unpack_motion(const struct store_head *head, const char *place,
                          struct reference_motion *motion) {
    const struct store_motion *kept = &head->motion;
    const size_t faces = FACES * (size_t)kept->types;
    if (kept->types == 0) {
        return true;
    }
    motion->types = (int32_t)kept->types;
    motion->kinetic = kept->kinetic;
    motion->kinetic_error = kept->kinetic_error;
    motion->thermostat = kept->thermostat;
    motion->thermostat_error = kept->thermostat_error;
    motion->potential_error = kept->potential_error;
    motion->virial_error = kept->virial_error;
    return (motion->velocity = take(&place, 3 * head->n * sizeof(double))) != NULL &&
           (motion->displacement_error = take(&place, head->n * sizeof(double))) != NULL &&
           (motion->velocity_error = take(&place, head->n * sizeof(double))) != NULL &&
           (motion->crossing = take(&place, faces * sizeof(uint64_t))) != NULL &&
           (motion->doubt = take(&place, faces * sizeof(uint64_t))) != NULL &&
           (motion->carried = take(&place, faces * sizeof(double))) != NULL &&
           (motion->carried_error = take(&place, faces * sizeof(double))) != NULL;
}

static bool unpack(const struct store_head *head, const char *place, struct reference *reference) {
    size_t n = head->n;
    *reference = (struct reference){ .n = n,
                                     .pairs_in_cutoff = head->pairs_in_cutoff,
                                     .cutoff = head->cutoff,
                                     .energy = head->energy,
                                     .energy_scale = head->energy_scale,
                                     .energy_slope = head->energy_slope,
                                     .virial_scale = head->virial_scale,
                                     .virial_slope = head->virial_slope,
                                     .length_scale = head->length_scale,
                                     .spread = head->spread,
                                     .edge_pair_count = head->edge_pair_count,
                                     .energies_apart = head->energies_apart != 0 };
    memcpy(reference->kinds, head->kinds, sizeof head->kinds);
    memcpy(reference->virial, head->virial, sizeof head->virial);
    bool taken =
        (reference->force = take(&place, 3 * n * sizeof(double))) != NULL &&
        (reference->scale = take(&place, n * sizeof(double))) != NULL &&
        (reference->largest = take(&place, n * sizeof(double))) != NULL &&
        (reference->slope = take(&place, n * sizeof(double))) != NULL &&
        (reference->condition = take(&place, n * sizeof(double))) != NULL &&
        (reference->lost = take(&place, n * sizeof(double))) != NULL &&
        (reference->neighbours = take(&place, n * sizeof(uint32_t))) != NULL &&
        (reference->edge_pairs =
             take(&place, head->edge_pair_count * sizeof(struct reference_edge_pair))) != NULL &&
        unpack_motion(head, place, &reference->motion);
    if (!taken) {
        reference_free(reference);
    }
    return taken;
}

bool reference_load(const char *key, size_t n, struct reference *reference) {
    void *data = NULL;
    size_t length = 0;
    struct store_head head;
    if (!key[0] || !cache_load("references", key, &data, &length)) {
        return false;
    }
    bool loaded = false;
    if (length >= sizeof head) {
        memcpy(&head, data, sizeof head);
        loaded = head.n == n && head.edge_pair_count <= length && head.motion.types <= length &&
                 length == entry_size(&head) &&
                 unpack(&head, (const char *)data + sizeof head, reference);
    }
    free(data);
    return loaded;
}

static struct store_head head_of(const struct reference *reference) {
    const struct reference_motion *motion = &reference->motion;
    struct store_head head = { .n = reference->n,
                               .pairs_in_cutoff = reference->pairs_in_cutoff,
                               .edge_pair_count = reference->edge_pair_count,
                               .cutoff = reference->cutoff,
                               .energy = reference->energy,
                               .energy_scale = reference->energy_scale,
                               .energy_slope = reference->energy_slope,
                               .virial_scale = reference->virial_scale,
                               .virial_slope = reference->virial_slope,
                               .length_scale = reference->length_scale,
                               .spread = reference->spread,
                               .energies_apart = reference->energies_apart };
    head.motion = (struct store_motion){ motion->velocity ? (uint64_t)motion->types : 0,
                                         motion->kinetic,
                                         motion->kinetic_error,
                                         motion->thermostat,
                                         motion->thermostat_error,
                                         motion->potential_error,
                                         motion->virial_error };
    memcpy(head.kinds, reference->kinds, sizeof head.kinds);
    memcpy(head.virial, reference->virial, sizeof head.virial);
    return head;
}

static void append_motion(struct strbuf *entry, size_t n, const struct reference_motion *motion) {
    const size_t faces = FACES * (size_t)motion->types;
    strbuf_append_bytes(entry, motion->velocity, 3 * n * sizeof(double));
    strbuf_append_bytes(entry, motion->displacement_error, n * sizeof(double));
    strbuf_append_bytes(entry, motion->velocity_error, n * sizeof(double));
    strbuf_append_bytes(entry, motion->crossing, faces * sizeof(uint64_t));
    strbuf_append_bytes(entry, motion->doubt, faces * sizeof(uint64_t));
    strbuf_append_bytes(entry, motion->carried, faces * sizeof(double));
    strbuf_append_bytes(entry, motion->carried_error, faces * sizeof(double));
}

void reference_store(const char *key, const struct reference *reference, double seconds) {
    struct strbuf entry = { 0 };
    const size_t n = reference->n;
    const struct store_head head = head_of(reference);
    if (!key[0] || seconds < read_start_s + (double)entry_size(&head) / read_bytes_per_s) {
        return;
    }
    strbuf_append_bytes(&entry, &head, sizeof head);
    strbuf_append_bytes(&entry, reference->force, 3 * n * sizeof(double));
    strbuf_append_bytes(&entry, reference->scale, n * sizeof(double));
    strbuf_append_bytes(&entry, reference->largest, n * sizeof(double));
    strbuf_append_bytes(&entry, reference->slope, n * sizeof(double));
    strbuf_append_bytes(&entry, reference->condition, n * sizeof(double));
    strbuf_append_bytes(&entry, reference->lost, n * sizeof(double));
    strbuf_append_bytes(&entry, reference->neighbours, n * sizeof(uint32_t));
    if (reference->edge_pair_count > 0) {
        strbuf_append_bytes(&entry, reference->edge_pairs,
                            reference->edge_pair_count * sizeof *reference->edge_pairs);
    }
    if (head.motion.types > 0) {
        append_motion(&entry, n, &reference->motion);
    }
    if (!entry.failed) {
        cache_store("references", key, entry.data, entry.length);
    }
    strbuf_free(&entry);
}
