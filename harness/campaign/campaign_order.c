/* Which cases run, in which order. */
#include "campaign/campaign_parts.h"

#include "boxes/random.h"
#include "campaign/case_identity.h"
#include "campaign/rows/rows.h"

#include <stdlib.h>
#include <string.h>

static void swap(char *one, char *other, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const char moved = one[i];
        one[i] = other[i];
        other[i] = moved;
    }
}

void campaign_shuffle(void *items, size_t count, size_t size, uint64_t seed) {
    struct random random = random_from_seed(seed);
    char *bytes = items;
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)(random_next(&random) % i);
        swap(bytes + j * size, bytes + (i - 1) * size, size);
    }
}

static void name_entry(const struct campaign *campaign, struct entry *entry) {
    const struct campaign_part *part = &campaign->parts[entry->part];
    const struct case_spec *spec = &part->plan->cases[entry->case_index];
    char name[NAME_SIZE - sizeof part->info.name];
    case_name(spec, name, sizeof name);
    if (campaign->part_count > 1) {
        (void)snprintf(entry->name, sizeof entry->name, "%s/%s", part->info.name, name);
    } else {
        (void)snprintf(entry->name, sizeof entry->name, "%s", name);
    }
    case_id(spec, entry->id);
}

/* Room for every case and a repeat of each. */
static bool allocate_entries(struct campaign *campaign, size_t cases, struct error *error) {
    campaign->entries = calloc(2 * cases + 1, sizeof *campaign->entries);
    campaign->names = calloc(2 * cases + 1, sizeof *campaign->names);
    campaign->chosen = calloc(2 * cases + 1, sizeof *campaign->chosen);
    campaign->units = calloc((2 * cases + 1) * campaign->repetitions, sizeof *campaign->units);
    campaign->measurement = calloc(1, sizeof *campaign->measurement);
    campaign->lost = calloc(campaign->part_count + 1, sizeof *campaign->lost);
    return (campaign->entries && campaign->names && campaign->chosen && campaign->units &&
            campaign->measurement && campaign->lost) ||
           fail_out_of_memory(error, "the cases of the campaign");
}

static bool select_entries(struct campaign *campaign, bool *chosen, struct error *error) {
    for (size_t i = 0; i < campaign->count; i++) {
        campaign->names[i] = campaign->entries[i].name;
    }
    return gbench_select(campaign->names, campaign->count, chosen, &campaign->selected, error);
}

bool campaign_make_entries(struct campaign *campaign, struct error *error) {
    size_t cases = 0;
    for (size_t p = 0; p < campaign->part_count; p++) {
        cases += campaign->parts[p].plan->count;
    }
    if (!allocate_entries(campaign, cases, error)) {
        return false;
    }
    for (size_t p = 0; p < campaign->part_count; p++) {
        for (size_t i = 0; i < campaign->parts[p].plan->count; i++) {
            struct entry *entry = &campaign->entries[campaign->count++];
            entry->part = p;
            entry->case_index = i;
            name_entry(campaign, entry);
        }
    }
    return true;
}

/* What is alike together: by device, variant, precision and size. */
static int compare_alike(const void *a, const void *b, void *context) {
    const struct entry *left = a;
    const struct entry *right = b;
    const struct campaign_part *parts = context;
    const struct case_spec *one = &parts[left->part].plan->cases[left->case_index];
    const struct case_spec *other = &parts[right->part].plan->cases[right->case_index];
    int order = (left->part > right->part) - (left->part < right->part);
    order = order ? order : strcmp(one->variant->name, other->variant->name);
    order =
        order ? order : (one->precision > other->precision) - (one->precision < other->precision);
    order = order ? order : (one->box.n > other->box.n) - (one->box.n < other->box.n);
    return order ? order : strcmp(left->name, right->name);
}

static void append_repeat(struct campaign *campaign, const struct entry *of) {
    struct entry *repeat = &campaign->entries[campaign->count++];
    char id[HASH_TEXT_SIZE];
    *repeat = *of;
    repeat->repeat = true;
    const size_t length = strlen(repeat->name);
    (void)snprintf(repeat->name + length, sizeof repeat->name - length, "%s", REPEAT_SUFFIX);
    repeat_id(of->id, id);
    memcpy(repeat->id, id, sizeof repeat->id);
    campaign->repeats++;
}

/* Of those cases that the user's words select, which are the first `candidates` entries. */
static bool append_repeats(struct campaign *campaign, size_t candidates, struct error *error) {
    const size_t wanted = repeats_wanted(candidates, campaign->settings->repeats);
    size_t *places = calloc(wanted + 1, sizeof *places);
    if (!places) {
        return fail_out_of_memory(error, "the cases of the campaign");
    }
    qsort_r(campaign->entries, candidates, sizeof *campaign->entries, compare_alike,
            (void *)campaign->parts);
    repeats_choose(candidates, wanted, places);
    for (size_t k = 0; k < wanted; k++) {
        append_repeat(campaign, &campaign->entries[places[k]]);
    }
    free(places);
    return true;
}

/* The selected entries first, the others behind them, each in its order. */
static bool selected_first(struct campaign *campaign, const bool *chosen, struct error *error) {
    struct entry *sorted = calloc(campaign->count + 1, sizeof *sorted);
    size_t next = 0;
    if (!sorted) {
        return fail_out_of_memory(error, "the cases of the campaign");
    }
    for (int wanted = 1; wanted >= 0; wanted--) {
        for (size_t i = 0; i < campaign->count; i++) {
            if (chosen[i] == (wanted == 1)) {
                sorted[next++] = campaign->entries[i];
            }
        }
    }
    memcpy(campaign->entries, sorted, next * sizeof *sorted);
    free(sorted);
    return true;
}

bool campaign_order_entries(struct campaign *campaign, struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    bool *chosen = calloc(campaign->count + 1, sizeof *chosen);
    bool made = chosen || fail_out_of_memory(error, "the cases of the campaign");
    made = made && select_entries(campaign, chosen, error);
    campaign->cases_selected = campaign->selected;
    if (made && settings->repeats > 0 && !settings->wishes.lists_only) {
        made = selected_first(campaign, chosen, error) &&
               append_repeats(campaign, campaign->selected, error);
    }
    free(chosen);
    if (made) {
        campaign_shuffle(campaign->entries, campaign->count, sizeof *campaign->entries,
                         settings->shuffle_seed);
    }
    return made && select_entries(campaign, campaign->chosen, error);
}
