#include "campaign/axes/axis_words.h"

#include "core/error.h"
#include "core/strings.h"

#include <stdlib.h>
#include <string.h>

bool words_fail_unknown(const char *option, const char *what, const char *word,
                        const char *const *choices, struct error *error) {
    struct strbuf list = { 0 };
    char hint[HINT_SIZE];
    for (size_t i = 0; choices[i]; i++) {
        strbuf_append(&list, "%s%s", i ? ", " : "", choices[i]);
    }
    (void)fail(error, STATUS_BAD_INPUT, "%s: there is no %s '%.200s'%s; there %s: %.1500s", option,
               what, word, did_you_mean(words_nearest(word, choices), '\'', hint),
               choices[0] && choices[1] ? "are" : "is", list.data ? list.data : "none");
    strbuf_free(&list);
    return false;
}

/* Adds the choices that one item selects to those taken. */
static bool select_item(const char *item, const char *const *choices, bool *taken, size_t *indices,
                        size_t *count) {
    bool matched = false;
    for (size_t i = 0; choices[i]; i++) {
        if (!matches_pattern(item, choices[i])) {
            continue;
        }
        matched = true;
        if (!taken[i]) {
            taken[i] = true;
            indices[(*count)++] = i;
        }
    }
    return matched;
}

bool select_names(const char *option, const char *what, const char *list,
                  const char *const *choices, size_t **indices, size_t *count,
                  struct error *error) {
    size_t choice_count = 0;
    while (choices[choice_count]) {
        choice_count++;
    }
    char **items = split_list(list, ',');
    bool *taken = calloc(choice_count + 1, sizeof *taken);
    size_t *selected = calloc(choice_count + 1, sizeof *selected);
    bool good = (items && taken && selected) || fail_out_of_memory(error, option);
    *count = 0;
    for (size_t i = 0; good && items[i]; i++) {
        good = select_item(items[i], choices, taken, selected, count) ||
               words_fail_unknown(option, what, items[i], choices, error);
    }
    free(items);
    free(taken);
    if (!good) {
        free(selected);
        return false;
    }
    *indices = selected;
    return true;
}

bool words_select_axis(const struct axes *axes, enum axis axis, const char *usual, size_t **indices,
                       size_t *count, struct error *error) {
    const struct axis_entry *entry = &axis_table[axis];
    const char *said = *axes_word((struct axes *)axes, axis);
    const char *list = said ? said : usual ? usual : entry->otherwise;
    return select_names(entry->option, entry->noun, list, entry->values, indices, count, error);
}
