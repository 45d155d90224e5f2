#include "campaign/worker/suspects.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void suspects_free(struct suspects *suspects) {
    free(suspects->served);
    free(suspects->distrusted);
    free(suspects->accusations);
    *suspects = (struct suspects){ 0 };
}

void suspects_begin_process(struct suspects *suspects) {
    suspects->served_count = 0;
}

void suspects_serve(struct suspects *suspects, size_t case_index) {
    size_t *served = realloc(suspects->served, (suspects->served_count + 1) * sizeof *served);
    if (served) {
        suspects->served = served;
        served[suspects->served_count++] = case_index;
    }
}

bool suspects_ran_others(const struct suspects *suspects, const struct plan *plan,
                         const struct variant *variant) {
    for (size_t i = 0; i < suspects->served_count; i++) {
        if (plan->cases[suspects->served[i]].variant != variant) {
            return true;
        }
    }
    return false;
}

static bool is_distrusted(const struct suspects *suspects, const struct variant *variant) {
    for (size_t i = 0; i < suspects->distrusted_count; i++) {
        if (suspects->distrusted[i] == variant) {
            return true;
        }
    }
    return false;
}

bool suspects_may_share(const struct suspects *suspects, const struct plan *plan,
                        const struct variant *variant) {
    for (size_t i = 0; i < suspects->served_count; i++) {
        const struct variant *other = plan->cases[suspects->served[i]].variant;
        if (other != variant &&
            (is_distrusted(suspects, variant) || is_distrusted(suspects, other))) {
            return false;
        }
    }
    return true;
}

void suspects_distrust(struct suspects *suspects, const struct variant *variant) {
    if (is_distrusted(suspects, variant)) {
        return;
    }
    const struct variant **distrusted =
        realloc(suspects->distrusted, (suspects->distrusted_count + 1) * sizeof *distrusted);
    if (distrusted) {
        suspects->distrusted = distrusted;
        distrusted[suspects->distrusted_count++] = variant;
    }
}

void suspects_accuse(struct suspects *suspects, const struct variant *variant, const char *format,
                     ...) {
    struct accusation *accusations =
        realloc(suspects->accusations, (suspects->accusation_count + 1) * sizeof *accusations);
    if (!accusations) {
        return;
    }
    suspects->accusations = accusations;
    struct accusation *made = &accusations[suspects->accusation_count++];
    va_list arguments;
    made->variant = variant;
    va_start(arguments, format);
    (void)vsnprintf(made->message, sizeof made->message, format, arguments);
    va_end(arguments);
}

const char *suspects_accused(const struct suspects *suspects, const struct variant *variant) {
    for (size_t i = 0; i < suspects->accusation_count; i++) {
        if (variant && suspects->accusations[i].variant == variant) {
            return suspects->accusations[i].message;
        }
    }
    return NULL;
}
