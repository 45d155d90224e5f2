#include "kernels/launch.h"

#include "core/strings.h"
#include "kernels/scratch.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parsing ---- */

/* One to three counts, separated by commas. */
static bool take_dimensions(const char **words, struct count counts[LAUNCH_DIMENSIONS]) {
    for (int d = 0; d < LAUNCH_DIMENSIONS; d++) {
        if (!count_parse(words, &counts[d])) {
            return false;
        }
        if (**words != ',') {
            return true;
        }
        ++*words;
    }
    return false;
}

/* The word, and the blanks behind it, if the words begin with it. */
static bool take_keyword(const char **words, const char *keyword) {
    const size_t length = strlen(keyword);
    if (strncmp(*words, keyword, length) != 0 || !isspace((unsigned char)(*words)[length])) {
        return false;
    }
    *words += length;
    *words += strspn(*words, " \t");
    return true;
}

bool launch_parse(const char *words, struct launch_grid *launch) {
    *launch = (struct launch_grid){ .is_given = true };
    if (!take_dimensions(&words, launch->grid) || !take_keyword(&words, "block") ||
        !take_dimensions(&words, launch->block)) {
        return false;
    }
    while (*words) {
        const bool parsed =
            take_keyword(&words, "shared")
                ? launch->shared.factor_count == 0 && count_parse(&words, &launch->shared)
            : take_keyword(&words, "cluster")
                ? launch->cluster[0].factor_count == 0 && take_dimensions(&words, launch->cluster)
                : false;
        if (!parsed) {
            return false;
        }
    }
    return true;
}

static void describe_dimensions(const char *keyword, const struct count counts[LAUNCH_DIMENSIONS],
                                struct strbuf *words) {
    for (int d = 0; d < LAUNCH_DIMENSIONS && counts[d].factor_count > 0; d++) {
        strbuf_append(words, d == 0 ? "%s" : ", ", keyword);
        count_describe(&counts[d], words);
    }
}

void launch_describe(const struct launch_grid *launch, struct strbuf *words) {
    describe_dimensions("grid ", launch->grid, words);
    describe_dimensions(" block ", launch->block, words);
    if (launch->shared.factor_count > 0) {
        strbuf_append(words, " shared ");
        count_describe(&launch->shared, words);
    }
    describe_dimensions(" cluster ", launch->cluster, words);
}

/* ---- working out ---- */

/* Units of the case, and types, which stand for their bytes. */
static bool units_and_types(const void *context, const char *unit, size_t *count) {
    const struct launch_counts *counts = context;
    if (counts->units(counts->context, unit, count)) {
        return true;
    }
    const size_t bytes = scratch_type_bytes(unit, counts->numeric);
    *count = bytes;
    return bytes > 0;
}

static bool dimensions(const struct count expressions[LAUNCH_DIMENSIONS], const char *what,
                       const struct launch_counts *counts, size_t sizes[LAUNCH_DIMENSIONS],
                       struct error *error) {
    for (int d = 0; d < LAUNCH_DIMENSIONS; d++) {
        sizes[d] = 1;
        if (expressions[d].factor_count > 0 &&
            !count_value(&expressions[d], what, counts->tunings, counts->units, counts->context,
                         &sizes[d], error)) {
            return false;
        }
        sizes[d] = sizes[d] ? sizes[d] : 1;
    }
    return true;
}

bool launch_shape(const struct launch_grid *launch, const char *kernel,
                  const struct launch_counts *counts, struct kernel_shape *shape,
                  struct error *error) {
    char what[VARIANT_NAME_SIZE + sizeof "kernel "];
    (void)snprintf(what, sizeof what, "kernel %s", kernel);
    *shape = (struct kernel_shape){ 0 };
    if (!dimensions(launch->grid, what, counts, shape->grid, error) ||
        !dimensions(launch->block, what, counts, shape->block, error) ||
        !dimensions(launch->cluster, what, counts, shape->cluster, error)) {
        return false;
    }
    for (int d = 0; d < LAUNCH_DIMENSIONS; d++) {
        const size_t clusters = (shape->grid[d] + shape->cluster[d] - 1) / shape->cluster[d];
        shape->grid[d] = clusters * shape->cluster[d];
    }
    return launch->shared.factor_count == 0 ||
           count_value(&launch->shared, what, counts->tunings, units_and_types, counts,
                       &shape->shared_bytes, error);
}

bool arch_from_name(const char *name, int *arch, bool *is_exact) {
    static const char prefix[] = "sm_";
    char *end = NULL;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
        !isdigit((unsigned char)name[sizeof prefix - 1])) {
        return false;
    }
    const long number = strtol(name + sizeof prefix - 1, &end, 10);
    *is_exact = *end == 'a';
    *arch = (int)number;
    return number >= 50 && number < 1000 && (!*end || strcmp(end, "a") == 0);
}
