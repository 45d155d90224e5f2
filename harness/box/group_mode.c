#include "box/groups.h"

#include <string.h>

static const char *const mode_names[] = {
    [GROUPS_ONE] = "one",
    [GROUPS_TWO] = "two",
    [GROUPS_PAIRS] = "pairs",
};

enum { MODE_COUNT = sizeof mode_names / sizeof mode_names[0] };

const char *group_mode_name(enum group_mode mode) {
    return (int)mode < MODE_COUNT ? mode_names[mode] : "unknown";
}

bool group_mode_from_name(const char *name, enum group_mode *mode) {
    for (int i = 0; i < MODE_COUNT; i++) {
        if (strcmp(name, mode_names[i]) == 0) {
            *mode = (enum group_mode)i;
            return true;
        }
    }
    return false;
}
