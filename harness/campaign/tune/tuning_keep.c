/* What a sweep found, as a record of the store. */
#include "campaign/rows/environment.h"
#include "campaign/tune/tuning.h"
#include "campaign/tune/tuning_sweep.h"

#include <stdio.h>

static bool fill(const struct case_spec *spec, const struct tuning_result *result,
                 struct tuning_entry *entry) {
    struct case_spec preset = *spec;
    char words[TUNING_WORDS_SIZE];
    char ratio[32];
    char utc[32];
    tunings_describe(&result->best, words, sizeof words);
    bool set = tuning_entry_set(entry, COLUMN_TUNABLES, words);
    case_preset_tunings(&preset);
    tunings_describe(&preset.tunings, words, sizeof words);
    (void)snprintf(ratio, sizeof ratio, "%.4g",
                   result->outcome == TUNING_BETTER ? result->ratio : 1.0);
    environment_utc(utc, sizeof utc);
    return set && tuning_entry_set(entry, TUNING_PRESET, words) &&
           tuning_entry_set(entry, TUNING_RATIO, ratio) && tuning_entry_set(entry, COLUMN_UTC, utc);
}

bool tuning_keep(const char *store, const struct case_spec *spec, const struct device_info *info,
                 const struct tuning_result *result, struct error *error) {
    struct tuning_entry entry;
    if (!tuning_key(spec, info, &entry)) {
        return fail_out_of_memory(error, "the best tunables");
    }
    const bool kept = fill(spec, result, &entry) ? tuning_store_put(store, &entry, stderr, error)
                                                 : fail_out_of_memory(error, "the best tunables");
    tuning_entry_free(&entry);
    return kept;
}
