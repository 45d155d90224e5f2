#include "core/command_words.h"

#include <string.h>

bool command_words_value(struct command_words *words, const char *option, const char **value,
                         struct error *error) {
    const char *equals = strchr(words->words[words->at++], '=');
    *value = equals ? equals + 1 : words->at < words->count ? words->words[words->at++] : "";
    return (**value && strncmp(*value, "--", 2) != 0) ||
           fail(error, STATUS_BAD_INPUT, "%s: a value is missing", option);
}
