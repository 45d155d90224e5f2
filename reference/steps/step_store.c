#include "reference/steps/step_store.h"

#include "reference/steps/step_motion.h"

#include "reference/pairs/store.h"

#include "core/cache.h"
#include "core/strings.h"

static void hash_long_range(struct hash_state *hash, const struct step_long_range *long_range) {
    const double numbers[] = { long_range->alpha,           long_range->coulomb,
                               (double)long_range->grid[0], (double)long_range->grid[1],
                               (double)long_range->grid[2], long_range->order,
                               long_range->rounding.unit,   long_range->rounding.sum_unit,
                               long_range->rounding.quantum };
    hash_add_string(hash, "reciprocal");
    hash_add(hash, numbers, sizeof numbers);
}

void step_reference_key(const struct step_case *step_case, char key[HASH_TEXT_SIZE]) {
    const struct step_rules *rules = step_case->rules;
    struct strbuf words = { 0 };
    char state[HASH_TEXT_SIZE];
    const bool float_noise = rules->float_noise;
    key[0] = '\0';
    reference_key(step_case->box, step_case->interaction, step_case->cutoff, NULL,
                  reference_is_serial() ? REFERENCE_SERIAL : REFERENCE_THREADS, state);
    step_rules_describe(rules, &words);
    if (state[0] && words.data && !words.failed) {
        struct hash_state *hash = hash_begin();
        hash_add_string(hash, "steps");
        hash_add_string(hash, state);
        hash_add_string(hash, words.data);
        hash_add(hash, &float_noise, sizeof float_noise);
        hash_add(hash, &rules->steps, sizeof rules->steps);
        if (motion_has_noise(rules)) {
            const uint64_t first = step_case->box->first;
            hash_add(hash, &first, sizeof first);
        }
        hash_add(hash, step_case->units, sizeof *step_case->units);
        if (step_case->long_range) {
            hash_long_range(hash, step_case->long_range);
        }
        hash_end(hash, key);
    }
    strbuf_free(&words);
}

bool step_reference_load(const char *key, size_t n, struct reference *reference) {
    const bool loaded = reference_load(key, n, reference);
    if (loaded && !reference->motion.velocity) {
        reference_free(reference);
        return false;
    }
    return loaded;
}

void step_reference_store(const char *key, const struct reference *reference, double seconds) {
    reference_store(key, reference, seconds);
}
