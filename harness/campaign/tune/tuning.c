/* Looks up stored tunables by the key of a case, and gives them to the cases of a plan. */
#include "campaign/tune/tuning.h"

#include "boxes/box.h"
#include "campaign/memory.h"
#include "campaign/plan/plan.h"
#include "campaign/rows/run_folder.h"
#include "core/cache.h"
#include "core/embedded.h"
#include "core/error.h"
#include "core/strings.h"
#include "kernels/text/kernel_text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the key ---- */

void tuning_size_class(size_t n, size_t *first, size_t *last) {
    *first = 1;
    while (*first <= n / 4) {
        *first *= 4;
    }
    *last = 4 * *first - 1;
}

static void hash_texts(const struct case_spec *spec, enum device_class kind,
                       char text[HASH_TEXT_SIZE]) {
    struct hash_state *hash = hash_begin();
    hash_add_string(hash, spec->variant->text);
    if (spec->variant->forces.variant) {
        hash_add_string(hash, spec->variant->forces.variant->text);
    }
    for (int f = 0; f < spec->interaction.function_count; f++) {
        hash_add_string(hash, spec->interaction.functions[f].source);
    }
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        if (kernel_text_is_shared(file->path, kind)) {
            hash_add_string(hash, embedded_text(file->path));
        }
    }
    hash_end(hash, text);
}

/* The key has no values of parameters, which hardly change the best tunables; it has whether they
 * are looked up by types, and whether pairs are excluded, which do. */
static void interaction_words(const struct interaction *interaction, char *words, size_t size) {
    (void)snprintf(words, size, "%s%s%s", interaction->name,
                   interaction_has_types(interaction) ? " by types" : "",
                   interaction->exclusions ? " with exclusions" : "");
}

static void box_words(const struct case_spec *spec, struct tuning_entry *entry) {
    const struct box_spec *box = &spec->box;
    const char *kind = box->path[0] ? box->path : box->kind;
    char words[64] = "";
    tuning_entry_set(entry, TUNING_BOX, kind);
    if (!box->path[0]) {
        (void)snprintf(words, sizeof words, "%.4g",
                       box->density > 0 ? box->density : box_default_density(box->kind));
    }
    tuning_entry_set(entry, COLUMN_DENSITY, words);
    tuning_entry_set(entry, COLUMN_PERIODIC, box->path[0] ? "" : (box->open ? "0" : "1"));
    struct strbuf cutoff = { 0 };
    cutoff_append(&cutoff, spec->cutoff, 6);
    memory_check(!cutoff.failed);
    tuning_entry_set(entry, COLUMN_CUTOFF, cutoff.data);
    strbuf_free(&cutoff);
}

static void size_words(size_t n, struct tuning_entry *entry) {
    char words[64] = "";
    size_t first = 0;
    size_t last = 0;
    if (n > 0) { /* else the box's file decides */
        tuning_size_class(n, &first, &last);
        (void)snprintf(words, sizeof words, "%zu-%zu", first, last);
    }
    tuning_entry_set(entry, TUNING_SIZE_CLASS, words);
    (void)snprintf(words, sizeof words, "%zu", n);
    tuning_entry_set(entry, COLUMN_N, words);
}

/* The columns of the key that the case says by itself. */
static void case_fields(const struct case_spec *spec, struct tuning_entry *entry) {
    for (enum column column = column_next(ROLE_TUNING, -1); column < COLUMN_COUNT;
         column = column_next(ROLE_TUNING, column)) {
        struct strbuf words = { 0 };
        if (case_words(spec, column, &words)) {
            memory_check(!words.failed);
            tuning_entry_set(entry, (int)column, words.data ? words.data : "");
        }
        strbuf_free(&words);
    }
}

void tuning_key(const struct case_spec *spec, const struct device_info *info,
                struct tuning_entry *entry) {
    char interaction[2 * INTERACTION_WORDS_SIZE];
    char hash[HASH_TEXT_SIZE];
    struct strbuf groups = { 0 };
    *entry = (struct tuning_entry){ 0 };
    case_fields(spec, entry);
    interaction_words(&spec->interaction, interaction, sizeof interaction);
    hash_texts(spec, info->kind, hash);
    group_spec_describe(&spec->group, &groups);
    memory_check(!groups.failed);
    tuning_entry_set(entry, COLUMN_DEVICE_MODEL, info->model);
    tuning_entry_set(entry, COLUMN_BACKEND, backend_of_class(info->kind));
    tuning_entry_set(entry, COLUMN_INTERACTION, interaction);
    tuning_entry_set(entry, COLUMN_GROUPS, groups.data ? groups.data : "");
    tuning_entry_set(entry, TUNING_TEXT_HASH, hash);
    box_words(spec, entry);
    size_words(spec->box.n, entry);
    strbuf_free(&groups);
}

/* ---- values ---- */

/* "NAME=VALUE" of `length` letters into the tunable of that name; -1: there is none, or no value.
 */
static int parse_value(const char *word, size_t length, struct tunings *tunings) {
    for (int t = 0; t < tunings->count; t++) {
        size_t name = strlen(tunings->items[t].name);
        if (name < length && strncmp(word, tunings->items[t].name, name) == 0 &&
            word[name] == '=') {
            char *end = NULL;
            long value = strtol(word + name + 1, &end, 10);
            if (end != word + length || value < 0 || value > INT_MAX) {
                return -1;
            }
            tunings->items[t].value = (int)value;
            return t;
        }
    }
    return -1;
}

bool tuning_parse(const char *words, struct tunings *tunings) {
    bool seen[TUNINGS_MAX] = { false };
    int found = 0;
    while (*words) {
        size_t length = strcspn(words, " ");
        int index = parse_value(words, length, tunings);
        if (index < 0 || seen[index]) {
            return false;
        }
        seen[index] = true;
        found++;
        words += length;
        words += strspn(words, " ");
    }
    return found == tunings->count;
}

/* ---- a plan ---- */

static bool same_tunings(const struct tunings *a, const struct tunings *b) {
    char left[TUNING_WORDS_SIZE];
    char right[TUNING_WORDS_SIZE];
    tunings_describe(a, left, sizeof left);
    tunings_describe(b, right, sizeof right);
    return strcmp(left, right) == 0;
}

static void apply_case(const struct tuning_store *store, const struct device_info *info,
                       struct case_spec *spec, struct tuning_applied *applied) {
    struct tuning_entry key;
    struct case_spec preset = *spec;
    case_preset_tunings(&preset);
    struct tunings *tunings = &preset.tunings;
    if (!same_tunings(tunings, &spec->tunings)) {
        applied->chosen++;
        return;
    }
    tuning_key(spec, info, &key);
    const struct tuning_entry *found = tuning_store_find(store, &key);
    if (!found) {
        applied->missing++;
    } else if (strcmp(tuning_entry_text(found, TUNING_TEXT_HASH),
                      tuning_entry_text(&key, TUNING_TEXT_HASH)) != 0 ||
               !tuning_parse(tuning_entry_text(found, COLUMN_TUNABLES), tunings)) {
        applied->stale++;
    } else {
        spec->tunings = *tunings;
        spec->tuned = true;
        applied->tuned++;
    }
    tuning_entry_free(&key);
}

void tuning_apply(const struct tuning_store *store, const struct device_info *info,
                  struct plan *plan, struct tuning_applied *applied) {
    *applied = (struct tuning_applied){ 0 };
    for (size_t i = 0; i < plan->count; i++) {
        apply_case(store, info, &plan->cases[i], applied);
    }
    /* Where a preset of the bench spans tunables itself, one of its cases may be the stored one. */
    if (applied->tuned > 0 && applied->chosen > 0) {
        plan_drop_doubles(plan);
    }
}

bool tuning_apply_stored(const char *given, const struct device_info *info, struct plan *plan,
                         FILE *log, struct error *error) {
    char path[PATH_MAX];
    struct tuning_store store = { 0 };
    struct tuning_applied applied = { 0 };
    if (!tuning_store_path(given, path, sizeof path, error) ||
        !tuning_store_read(path, log, &store, error)) {
        return false;
    }
    tuning_apply(&store, info, plan, &applied);
    tuning_store_free(&store);
    if (access(path, F_OK) != 0) {
        log_warning(log,
                    "%s: there is no such file: all run at their presets (pairmark tune and best, "
                    "with the same axes, store tunables)",
                    path);
        return true;
    }
    log_warning(log, "%s: tunables of %zu case%s", path, applied.tuned,
                applied.tuned == 1 ? "" : "s");
    if (applied.missing > 0) {
        log_warning(log,
                    "%s: nothing is stored for %zu case%s on %s: presets (pairmark tune, with the "
                    "same axes, stores tunables)",
                    path, applied.missing, applied.missing == 1 ? "" : "s", info->model);
    }
    if (applied.stale > 0) {
        log_warning(log,
                    "%s: what is stored for %zu cases is of another kernel text: ignored, "
                    "they run at their presets",
                    path, applied.stale);
    }
    return true;
}

/* ---- a record of the store from a sweep ---- */

static void fill(const struct case_spec *spec, const struct tuning_result *result,
                 struct tuning_entry *entry) {
    struct case_spec preset = *spec;
    char words[TUNING_WORDS_SIZE];
    char ratio[32];
    char utc[32];
    tunings_describe(&result->best, words, sizeof words);
    tuning_entry_set(entry, COLUMN_TUNABLES, words);
    case_preset_tunings(&preset);
    tunings_describe(&preset.tunings, words, sizeof words);
    (void)snprintf(ratio, sizeof ratio, "%.4g",
                   result->outcome == TUNING_BETTER ? result->ratio : 1.0);
    environment_utc(utc, sizeof utc);
    tuning_entry_set(entry, TUNING_PRESET, words);
    tuning_entry_set(entry, TUNING_RATIO, ratio);
    tuning_entry_set(entry, COLUMN_UTC, utc);
}

bool tuning_keep(const char *store, const struct case_spec *spec, const struct device_info *info,
                 const struct tuning_result *result, struct error *error) {
    struct tuning_entry entry;
    tuning_key(spec, info, &entry);
    fill(spec, result, &entry);
    const bool kept = tuning_store_put(store, &entry, stderr, error);
    tuning_entry_free(&entry);
    return kept;
}
