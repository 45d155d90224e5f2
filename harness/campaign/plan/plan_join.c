/* Two plans made one. */
#include "campaign/case_identity.h"
#include "campaign/plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* The names under which a plan's cases are known, sorted. */
typedef char case_key[HASH_TEXT_SIZE];

static int compare_case_keys(const void *a, const void *b) {
    return strcmp(*(const case_key *)a, *(const case_key *)b);
}

static case_key *case_keys(const struct plan *plan) {
    case_key *keys = calloc(plan->count + 1, sizeof *keys);
    for (size_t i = 0; keys && i < plan->count; i++) {
        case_id(&plan->cases[i], keys[i]);
    }
    if (keys) {
        qsort(keys, plan->count, sizeof *keys, compare_case_keys);
    }
    return keys;
}

bool plan_join(struct plan *plan, struct plan *other, struct error *error) {
    case_key *known = case_keys(plan);
    struct plan *kept = calloc(1, sizeof *kept);
    struct case_spec *cases = calloc(plan->count + other->count + 1, sizeof *cases);
    bool joined = known && kept && cases;
    if (joined) {
        size_t count = plan->count;
        for (size_t i = 0; i < count; i++) {
            cases[i] = plan->cases[i];
        }
        for (size_t i = 0; i < other->count; i++) {
            case_key key;
            case_id(&other->cases[i], key);
            if (!bsearch(&key, known, count, sizeof *known, compare_case_keys)) {
                cases[plan->count++] = other->cases[i];
            }
        }
        free(plan->cases);
        plan->cases = cases;
        plan->left_out += other->left_out;
        /* Its tail is other's own chain, which is empty unless it was joined before. */
        *kept = *other;
        struct plan **end = &plan->joined;
        while (*end) {
            end = &(*end)->joined;
        }
        *end = kept;
        *other = (struct plan){ 0 };
    } else {
        free(kept);
        free(cases);
        plan_free(other);
        (void)fail_out_of_memory(error, "the plan");
    }
    free(known);
    return joined;
}
