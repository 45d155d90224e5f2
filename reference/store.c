#include "reference/store.h"

#include "base/strbuf.h"
#include "files/cache.h"

#include <stdlib.h>
#include <string.h>

/* To be raised with every change of the layout below, or of the numbers that a walk gives. */
enum { STORE_VERSION = 8 };

/* What reading an entry back costs, guessed high, so that what is kept is worth it. */
static const double read_start_s = 1e-3;
static const double read_bytes_per_s = 2e8;

/* An entry is this head, then force, scale, slope, bend, neighbours and edge pairs. */
struct store_head {
    uint64_t n, pairs_in_cutoff, edge_pair_count;
    uint64_t energies_apart;
    double cutoff, energy, virial[9];
    struct reference_energy kinds[TERM_KINDS];
    double energy_scale, energy_slope, virial_scale, virial_slope, length_scale;
    struct reference_spread spread;
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
    const uint32_t version = STORE_VERSION;
    key[0] = '\0';
    box_hash(box, box_text);
    interaction_describe(interaction, &words);
    if (words.data && !words.failed && box_text[0]) {
        struct hash_state *hash = hash_begin();
        hash_add(hash, &version, sizeof version);
        hash_add_string(hash, box_text);
        hash_add_string(hash, words.data);
        hash_add(hash, &cutoff, sizeof cutoff);
        hash_add_string(hash, way == REFERENCE_SERIAL ? "serial" : "threads");
        if (groups) {
            hash_groups(hash, groups);
        }
        hash_end(hash, key);
    }
    strbuf_free(&words);
}

static size_t entry_size(uint64_t n, uint64_t edge_pairs) {
    return sizeof(struct store_head) + n * (6 * sizeof(double) + sizeof(uint32_t)) +
           edge_pairs * sizeof(struct reference_edge_pair);
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
    bool taken = (reference->force = take(&place, 3 * n * sizeof(double))) != NULL &&
                 (reference->scale = take(&place, n * sizeof(double))) != NULL &&
                 (reference->slope = take(&place, n * sizeof(double))) != NULL &&
                 (reference->bend = take(&place, n * sizeof(double))) != NULL &&
                 (reference->neighbours = take(&place, n * sizeof(uint32_t))) != NULL &&
                 (reference->edge_pairs = take(
                      &place, head->edge_pair_count * sizeof(struct reference_edge_pair))) != NULL;
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
        loaded = head.n == n && head.edge_pair_count <= length &&
                 length == entry_size(head.n, head.edge_pair_count) &&
                 unpack(&head, (const char *)data + sizeof head, reference);
    }
    free(data);
    return loaded;
}

void reference_store(const char *key, const struct reference *reference, double seconds) {
    struct strbuf entry = { 0 };
    size_t n = reference->n;
    size_t size = entry_size(n, reference->edge_pair_count);
    if (!key[0] || seconds < read_start_s + (double)size / read_bytes_per_s) {
        return;
    }
    struct store_head head = { .n = n,
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
    memcpy(head.kinds, reference->kinds, sizeof head.kinds);
    memcpy(head.virial, reference->virial, sizeof head.virial);
    strbuf_append_bytes(&entry, &head, sizeof head);
    strbuf_append_bytes(&entry, reference->force, 3 * n * sizeof(double));
    strbuf_append_bytes(&entry, reference->scale, n * sizeof(double));
    strbuf_append_bytes(&entry, reference->slope, n * sizeof(double));
    strbuf_append_bytes(&entry, reference->bend, n * sizeof(double));
    strbuf_append_bytes(&entry, reference->neighbours, n * sizeof(uint32_t));
    if (reference->edge_pair_count > 0) {
        strbuf_append_bytes(&entry, reference->edge_pairs,
                            reference->edge_pair_count * sizeof *reference->edge_pairs);
    }
    if (!entry.failed) {
        cache_store("references", key, entry.data, entry.length);
    }
    strbuf_free(&entry);
}
