#include "reference/steps/step_store.h"

#include "reference/pairs/store.h"

#include "core/cache.h"
#include "core/strings.h"

static void hash_long_range(struct hash_state *hash, const struct step_long_range *of) {
    const double numbers[] = { of->alpha,           of->coulomb,           (double)of->grid[0],
                               (double)of->grid[1], (double)of->grid[2],   of->order,
                               of->rounding.unit,   of->rounding.sum_unit, of->rounding.quantum };
    hash_add_string(hash, "reciprocal");
    hash_add(hash, numbers, sizeof numbers);
}

void step_reference_key(const struct step_case *of, char key[HASH_TEXT_SIZE]) {
    const struct step_rules *rules = of->rules;
    struct strbuf words = { 0 };
    char state[HASH_TEXT_SIZE];
    const bool float_noise = rules->float_noise;
    key[0] = '\0';
    reference_key(of->box, of->interaction, of->cutoff, NULL,
                  reference_is_serial() ? REFERENCE_SERIAL : REFERENCE_THREADS, state);
    step_rules_describe(rules, &words);
    if (state[0] && words.data && !words.failed) {
        struct hash_state *hash = hash_begin();
        hash_add_string(hash, "steps");
        hash_add_string(hash, state);
        hash_add_string(hash, words.data);
        hash_add(hash, &float_noise, sizeof float_noise);
        hash_add(hash, &rules->steps, sizeof rules->steps);
        if (rules->integrator == INTEGRATOR_LANGEVIN) {
            const uint64_t first = of->box->first;
            hash_add(hash, &first, sizeof first);
        }
        hash_add(hash, of->units, sizeof *of->units);
        if (of->long_range) {
            hash_long_range(hash, of->long_range);
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
