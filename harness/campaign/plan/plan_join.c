/* Treats plans as sets of cases: joins two, drops doubles, deals cases out in shares. */
#include "campaign/memory.h"
#include "campaign/plan/plan_parts.h"
#include "core/cache.h"
#include "core/strings.h"

#include <stdlib.h>
#include <string.h>

/* A case by its identity. */
struct keyed_case {
    char id[HASH_TEXT_SIZE];
    size_t place; /* in the plan */
    bool stays;
};

static int compare_places(const void *left, const void *right) {
    const struct keyed_case *a = left;
    const struct keyed_case *b = right;
    return (a->place > b->place) - (a->place < b->place);
}

static int compare_ids(const void *left, const void *right) {
    const struct keyed_case *a = left;
    const struct keyed_case *b = right;
    const int order = strcmp(a->id, b->id);
    return order ? order : compare_places(left, right);
}

/* All cases, sorted by identity. */
static struct keyed_case *key_cases(const struct plan *plan) {
    struct keyed_case *keys = memory_zeroed(plan->count + 1, sizeof *keys);
    for (size_t i = 0; i < plan->count; i++) {
        keys[i] = (struct keyed_case){ .place = i, .stays = true };
        case_id(&plan->cases[i], keys[i].id);
    }
    qsort(keys, plan->count, sizeof *keys, compare_ids);
    return keys;
}

/* Leaves those that stay, in the order of the plan; frees the keys. */
static void keep_cases(struct plan *plan, struct keyed_case *keys) {
    const size_t all = plan->count;
    plan->count = 0;
    qsort(keys, all, sizeof *keys, compare_places);
    for (size_t i = 0; i < all; i++) {
        if (keys[i].stays) {
            plan->cases[plan->count++] = plan->cases[i];
        }
    }
    free(keys);
}

void plan_drop_doubles(struct plan *plan) {
    struct keyed_case *keys = key_cases(plan);
    size_t first = 0; /* of those with one identity */
    for (size_t i = 1; i < plan->count; i++) {
        if (strcmp(keys[i].id, keys[first].id) != 0) {
            first = i;
            continue;
        }
        struct case_spec *kept = &plan->cases[keys[first].place];
        kept->tuned = kept->tuned || plan->cases[keys[i].place].tuned;
        keys[i].stays = false;
    }
    keep_cases(plan, keys);
}

size_t plan_drop_of_batches(struct plan *plan) {
    enum { MOST_ALONE = 1024 }; /* particles that a work-group still serves in little time */
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct case_spec *spec = &plan->cases[i];
        const struct variant *forces = spec->variant->forces.variant;
        if (spec->box.batch > 1 || spec->box.n <= MOST_ALONE ||
            !variant_is_by_box(forces ? forces : spec->variant)) {
            plan->cases[kept++] = *spec;
        }
    }
    const size_t dropped = plan->count - kept;
    plan->left_out += dropped;
    plan->count = kept;
    return dropped;
}

void plan_join(struct plan *plan, struct plan *other) {
    plan->cases = memory_grown(plan->cases, plan->count + other->count + 1, sizeof *plan->cases);
    memcpy(plan->cases + plan->count, other->cases, other->count * sizeof *plan->cases);
    plan->count += other->count;
    plan->left_out += other->left_out;
    spans_append(&plan->spans, other->spans);
    other->spans = NULL;
    plan_free(other);
    plan_drop_doubles(plan);
}

/* ---- one of several equal shares ---- */

enum { MAX_SHARES = 1000000 };

bool plan_shard_parse(const char *option, const char *value, struct plan_shard *shard,
                      struct error *error) {
    char words[64];
    uint64_t index, total;
    (void)snprintf(words, sizeof words, "%s", value);
    char *slash = strchr(words, '/');
    if (slash) {
        *slash = '\0';
    }
    if (!slash || !parse_count(words, &index) || !parse_count(slash + 1, &total) || index < 1 ||
        index > total || total > MAX_SHARES) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s '%.60s': expected K/N, share K of N: 1/4, 2/4, 3/4, 4/4", option, value);
    }
    *shard = (struct plan_shard){ .index = (size_t)index, .total = (size_t)total };
    return true;
}

bool plan_shard_take(const struct plan_shard *shard, struct plan *plan, char id[HASH_TEXT_SIZE],
                     struct error *error) {
    struct keyed_case *keys = key_cases(plan);
    struct hash_state *hash = hash_begin();
    const size_t all = plan->count;
    for (size_t i = 0; i < all; i++) {
        hash_add_string(hash, keys[i].id);
        keys[i].stays = i % shard->total == shard->index - 1;
    }
    hash_end(hash, id);
    keep_cases(plan, keys);
    return plan->count > 0 ||
           fail(error, STATUS_BAD_INPUT, "--shard %zu/%zu: the plan has %zu cases alone",
                shard->index, shard->total, all);
}
