#include "campaign/failures.h"
#include "core/strings.h"

#include <stdlib.h>
#include <string.h>

enum { STATUSES = STATUS_SYSTEM + 1 };

struct failure_group {
    char *variant;
    size_t cases[STATUSES]; /* by status, those printed in full included */
};

static struct failure_group *find_group(const struct failures *failures, const char *variant) {
    for (size_t i = 0; i < failures->count; i++) {
        if (strcmp(failures->groups[i].variant, variant) == 0) {
            return &failures->groups[i];
        }
    }
    return NULL;
}

/* NULL when memory ran out. */
static struct failure_group *add_group(struct failures *failures, const char *variant) {
    struct failure_group *groups =
        realloc(failures->groups, (failures->count + 1) * sizeof *groups);
    if (!groups) {
        return NULL;
    }
    failures->groups = groups;
    groups[failures->count] = (struct failure_group){ .variant = strdup(variant) };
    return groups[failures->count].variant ? &groups[failures->count++] : NULL;
}

bool failures_note(struct failures *failures, const char *variant, enum status status) {
    struct failure_group *group = find_group(failures, variant);
    group = group ? group : add_group(failures, variant);
    return !group || group->cases[status]++ == 0;
}

/* Of one status, how many were not printed in full. */
static size_t unreported(const struct failure_group *group, int status) {
    return group->cases[status] > 0 ? group->cases[status] - 1 : 0;
}

void failures_append_rest(const struct failures *failures, struct strbuf *text) {
    for (size_t i = 0; i < failures->count; i++) {
        const struct failure_group *group = &failures->groups[i];
        const char *separator = ": ";
        size_t rest = 0;
        for (int s = 0; s < STATUSES; s++) {
            rest += unreported(group, s);
        }
        if (rest == 0) {
            continue;
        }
        strbuf_append(text, "and %zu more case%s of %s", rest, rest == 1 ? "" : "s",
                      group->variant);
        for (int s = 0; s < STATUSES; s++) {
            if (unreported(group, s) > 0) {
                strbuf_append(text, "%s%s (%zu)", separator, status_name(s), unreported(group, s));
                separator = ", ";
            }
        }
        strbuf_append(text, "\n");
    }
}

void failures_free(struct failures *failures) {
    for (size_t i = 0; i < failures->count; i++) {
        free(failures->groups[i].variant);
    }
    free(failures->groups);
    *failures = (struct failures){ 0 };
}
