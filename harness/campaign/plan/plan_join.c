/* Two plans made one. */
#include "campaign/memory.h"
#include "campaign/plan/plan_parts.h"
#include "core/cache.h"
#include "core/strings.h"

#include <stdlib.h>
#include <string.h>

/* The names under which a plan's cases are known, sorted. */
typedef char case_key[HASH_TEXT_SIZE];

static int compare_case_keys(const void *a, const void *b) {
    return strcmp(*(const case_key *)a, *(const case_key *)b);
}

static case_key *case_keys(const struct plan *plan) {
    case_key *keys = memory_zeroed(plan->count + 1, sizeof *keys);
    for (size_t i = 0; i < plan->count; i++) {
        case_id(&plan->cases[i], keys[i]);
    }
    qsort(keys, plan->count, sizeof *keys, compare_case_keys);
    return keys;
}

void plan_join(struct plan *plan, struct plan *other) {
    const size_t count = plan->count;
    case_key *known = case_keys(plan);
    plan->cases = memory_grown(plan->cases, count + other->count + 1, sizeof *plan->cases);
    for (size_t i = 0; i < other->count; i++) {
        case_key key;
        case_id(&other->cases[i], key);
        if (!bsearch(&key, known, count, sizeof *known, compare_case_keys)) {
            plan->cases[plan->count++] = other->cases[i];
        }
    }
    plan->left_out += other->left_out;
    spans_append(&plan->spans, other->spans);
    other->spans = NULL;
    plan_free(other);
    free(known);
}

/* ---- one of several equal shares ---- */

enum { MAX_SHARES = 1000000 };

bool plan_shard_parse(const char *option, const char *value, struct plan_shard *shard,
                      struct error *error) {
    char words[64];
    uint64_t index, of;
    (void)snprintf(words, sizeof words, "%s", value);
    char *slash = strchr(words, '/');
    if (slash) {
        *slash = '\0';
    }
    if (!slash || !parse_count(words, &index) || !parse_count(slash + 1, &of) || index < 1 ||
        index > of || of > MAX_SHARES) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s '%.60s': expected K/N, share K of N: 1/4, 2/4, 3/4, 4/4", option, value);
    }
    *shard = (struct plan_shard){ .index = (size_t)index, .of = (size_t)of };
    return true;
}

/* A case by its identity. */
struct dealt {
    char id[HASH_TEXT_SIZE];
    size_t place; /* in the plan */
    bool ours;
};

static int compare_ids(const void *left, const void *right) {
    const struct dealt *a = left;
    const struct dealt *b = right;
    const int order = strcmp(a->id, b->id);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static int compare_places(const void *left, const void *right) {
    const struct dealt *a = left;
    const struct dealt *b = right;
    return (a->place > b->place) - (a->place < b->place);
}

static void deal(const struct plan_shard *shard, struct dealt *cases, size_t count,
                 char id[HASH_TEXT_SIZE]) {
    struct hash_state *hash = hash_begin();
    qsort(cases, count, sizeof *cases, compare_ids);
    for (size_t i = 0; i < count; i++) {
        hash_add_string(hash, cases[i].id);
        cases[i].ours = i % shard->of == shard->index - 1;
    }
    hash_end(hash, id);
    qsort(cases, count, sizeof *cases, compare_places);
}

bool plan_shard_take(const struct plan_shard *shard, struct plan *plan, char id[HASH_TEXT_SIZE],
                     struct error *error) {
    struct dealt *cases = memory_zeroed(plan->count + 1, sizeof *cases);
    const size_t all = plan->count;
    for (size_t i = 0; i < all; i++) {
        case_id(&plan->cases[i], cases[i].id);
        cases[i].place = i;
    }
    deal(shard, cases, all, id);
    plan->count = 0;
    for (size_t i = 0; i < all; i++) {
        if (cases[i].ours) {
            plan->cases[plan->count++] = plan->cases[i];
        }
    }
    free(cases);
    return plan->count > 0 ||
           fail(error, STATUS_BAD_INPUT, "--shard %zu/%zu: the plan has %zu cases alone",
                shard->index, shard->of, all);
}
