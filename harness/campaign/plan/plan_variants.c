/* Chooses the variants: reads those in files, joins integrators with forces, selects by workload,
 * structure and name, and deduces the workload that the user does not name. */
#include "campaign/plan/plan_parts.h"

#include "campaign/axes/axes.h"
#include "core/strings.h"
#include "kernels/header/read_variant.h"
#include "measure/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* All variants there are to choose from: built-in ones, those of files, pairings. */
struct pool {
    const struct variant **variants;
    size_t count;
    size_t built_in, file_end; /* those of files are from the one to before the other */
};

static bool is_of_file(const struct pool *pool, size_t i) {
    return i >= pool->built_in && i < pool->file_end;
}

/* The variant of a file that has the name and the workload of another; NULL when there is none. */
static const struct variant *find_in_files(const struct variant_choice *choice,
                                           const struct variant *other) {
    for (size_t i = 0; i < choice->file_count; i++) {
        const struct variant *file = choice->read[i];
        if (file->workload == other->workload && strcmp(file->name, other->name) == 0) {
            return file;
        }
    }
    return NULL;
}

/* Makes room for another variant of the choice's own. */
static struct variant *next_read(struct variant_choice *choice) {
    choice->read = memory_grown(choice->read, choice->read_count + 1, sizeof *choice->read);
    return choice->read[choice->read_count] = memory_zeroed(1, sizeof(struct variant));
}

/* Reads a file, which may be several variants (struct variant, kth). */
static bool read_file(const char *path, char *const *folders, struct variant_choice *choice,
                      struct error *error) {
    int variant_count = 1;
    for (int k = 0; k < variant_count; k++) {
        struct variant *variant = next_read(choice);
        if (!variant_read_including(path, folders, k, variant, error)) {
            free(variant);
            return fail_within(error, "--variant-file");
        }
        variant_count = variant_count_of_file(variant);
        const struct variant *same = find_in_files(choice, variant);
        choice->file_count = ++choice->read_count;
        if (same) {
            return fail(error, STATUS_BAD_INPUT,
                        "--variant-file: %s and %s both declare the variant %s", same->path, path,
                        variant->name);
        }
    }
    return true;
}

/* Whether the folders of --include exist, and some file is CUDA C++, which can include from them.
 */
static bool check_folders(const struct axes *axes, struct error *error) {
    struct stat status;
    bool any = false;
    for (char **path = axes->variant_files; path && *path; path++) {
        any = any || kernel_language_of(*path) == LANGUAGE_CUDA;
    }
    for (char **folder = axes->include_folders; folder && *folder; folder++) {
        if (!any) {
            return fail(error, STATUS_BAD_INPUT,
                        "--include %.200s: CUDA C++ alone includes files, and no --variant-file "
                        "ends in .cu",
                        *folder);
        }
        if (stat(*folder, &status) != 0 || !S_ISDIR(status.st_mode)) {
            return fail(error, STATUS_BAD_INPUT, "--include: there is no folder %.200s", *folder);
        }
    }
    return true;
}

static bool read_files(const struct axes *axes, struct variant_choice *choice,
                       struct error *error) {
    bool good = check_folders(axes, error);
    for (char **path = axes->variant_files; good && path && *path; path++) {
        good = read_file(*path, axes->include_folders, choice, error);
    }
    return good;
}

static bool pool_make(const struct variant_choice *choice, struct pool *pool, struct error *error) {
    size_t count = 0;
    const struct variant *embedded = variants_embedded(&count, error);
    if (!embedded) {
        return false;
    }
    pool->variants = memory_zeroed(count + choice->file_count + 1, sizeof *pool->variants);
    for (size_t i = 0; i < count; i++) {
        if (!find_in_files(choice, &embedded[i])) {
            pool->variants[pool->count++] = &embedded[i];
        }
    }
    pool->built_in = pool->count;
    for (size_t i = 0; i < choice->file_count; i++) {
        pool->variants[pool->count++] = choice->read[i];
    }
    pool->file_end = pool->count;
    return true;
}

/* ---- pairings: an integrator with forces that its header does not name ---- */

static bool pool_has(const struct pool *pool, const char *name) {
    size_t i = 0;
    while (i < pool->count && strcmp(pool->variants[i]->name, name) != 0) {
        i++;
    }
    return i < pool->count;
}

/* Whether the list, of names separated by commas, has this one word for word. */
static bool list_has(const char *list, const char *name) {
    const size_t length = strlen(name);
    while (strcspn(list, ",") != length || strncmp(list, name, length) != 0) {
        const char *comma = strchr(list, ',');
        if (!comma) {
            return false;
        }
        list = comma + 1;
    }
    return true;
}

/* Adds a pairing if it is asked for and not in the pool yet. If the two do not go together, this is
 * an error where the user named the pairing; where all pairings are asked for it is skipped. */
static bool add_pairing(const struct axes *axes, const struct variant *integrator,
                        const struct variant *forces, const struct pool *pool,
                        struct variant_choice *choice, struct error *error) {
    char name[2 * VARIANT_NAME_SIZE];
    (void)snprintf(name, sizeof name, "%.*s+%s", (int)strcspn(integrator->name, "+"),
                   integrator->name, forces->name);
    const bool named = axes->variant && list_has(axes->variant, name);
    if ((!named && !axes->all_pairings) || pool_has(pool, name)) {
        return true;
    }
    struct variant *joined = next_read(choice);
    if (variant_join(integrator, forces, joined, error)) {
        choice->read_count++;
        return true;
    }
    free(joined);
    return !named || fail_within(error, "--variant");
}

/* Pairs each integrator with each variant of forces. An integrator's file may be several variants,
 * of which only the first is taken. */
static bool find_pairings(const struct axes *axes, const struct pool *pool,
                          struct variant_choice *choice, struct error *error) {
    bool good = true;
    for (size_t i = 0; i < pool->count; i++) {
        const struct variant *integrator = pool->variants[i];
        const bool joins = integrator->forces.variant && integrator->kth == 0;
        for (size_t f = 0; good && joins && f < pool->count; f++) {
            const struct variant *forces = pool->variants[f];
            good = !workload_of_steps(forces->workload) || forces->language != LANGUAGE_DIALECT ||
                   add_pairing(axes, integrator, forces, pool, choice, error);
        }
    }
    return good;
}

static bool add_pairings(const struct axes *axes, struct pool *pool, struct variant_choice *choice,
                         struct error *error) {
    if (!axes->all_pairings && !(axes->variant && strchr(axes->variant, '+'))) {
        return true;
    }
    if (!find_pairings(axes, pool, choice, error)) {
        return false;
    }
    const size_t count = pool->count + choice->read_count - choice->file_count;
    pool->variants = memory_grown(pool->variants, count + 1, sizeof *pool->variants);
    for (size_t p = choice->file_count; p < choice->read_count; p++) {
        pool->variants[pool->count++] = choice->read[p];
    }
    return true;
}

/* A property by which an option selects variants: name, workload or structure. */
typedef const char *(*property_of)(const struct variant *variant);

static const char *name_of(const struct variant *variant) {
    return variant->name;
}

static const char *workload_of(const struct variant *variant) {
    return variant->workload->name;
}

static const char *structure_of(const struct variant *variant) {
    return variant->structure;
}

/* Lists the different words of a property in the pool. */
static const char **pool_words(const struct pool *pool, property_of property) {
    const char **words = memory_zeroed(pool->count + 1, sizeof *words);
    size_t count = 0;
    for (size_t i = 0; i < pool->count; i++) {
        const char *word = property(pool->variants[i]);
        if (word_place(words, word) < 0) { /* NULL ends them: they were zeroed */
            words[count++] = word;
        }
    }
    return words;
}

/* An option that selects variants. */
struct variant_filter {
    const char *option, *what;
    property_of property;
    bool built_in; /* variants of files are not looked at */
};

static const struct variant_filter by_workload = { "--workload", "workload", workload_of, false };
static const struct variant_filter by_structure = { "--structure", "structure", structure_of,
                                                    false };
static const struct variant_filter by_name = { "--variant", "variant", name_of, true };

/* Clears keep[i] for the variants whose property the list does not select. */
static bool pool_filter(const struct pool *pool, const struct variant_filter *filter,
                        const char *list, bool *keep, struct error *error) {
    const char **words = pool_words(pool, filter->property);
    struct selection selected = { 0 };
    bool good = select_names(filter->option, filter->what, list, words, &selected, error);
    for (size_t i = 0; good && i < pool->count; i++) {
        bool match = filter->built_in && is_of_file(pool, i);
        for (size_t j = 0; j < selected.count; j++) {
            match = match ||
                    strcmp(words[selected.indices[j]], filter->property(pool->variants[i])) == 0;
        }
        keep[i] = keep[i] && match;
    }
    free(selected.indices);
    free(words);
    return good;
}

/* ---- which workload ---- */

/* Whether every interaction that the user names is one that the workload takes, and it no other. */
static bool only_its_own(const struct axes *axes, const struct workload *workload) {
    char name[INTERACTION_WORDS_SIZE];
    const char *next = !axes->interaction_file ? axes->interaction : NULL;
    bool its_own = next != NULL;
    while (its_own && next) {
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(next, ":;"), next);
        its_own = workload_owns_interaction(workload, name);
        next = strchr(next, ';');
        next = next ? next + 1 : NULL;
    }
    return its_own;
}

/* How many of the variants kept compute the workload. */
static size_t count_kept(const struct pool *pool, const bool *keep,
                         const struct workload *workload) {
    size_t count = 0;
    for (size_t i = 0; i < pool->count; i++) {
        count += keep[i] && (!workload || pool->variants[i]->workload == workload);
    }
    return count;
}

/* The workload where --workload is not given. In this order: the one that an option implies; the
 * one that all named variants compute; the only one that takes the interactions; the default,
 * unless no named variant computes it. `keep`: the variants that were named. */
static const char *deduce_workload(const struct axes *axes, const struct pool *pool,
                                   const bool *keep) {
    const bool named = axes->variant || axes->variant_files;
    const size_t kept = count_kept(pool, keep, NULL);
    const struct workload *implied = axes_implied_workload(axes);
    if (implied && (!named || kept == 0 || count_kept(pool, keep, implied) > 0)) {
        return implied->name;
    }
    for (size_t w = 0; named && kept > 0 && workloads[w]; w++) {
        if (count_kept(pool, keep, workloads[w]) == kept) {
            return workloads[w]->name;
        }
    }
    for (size_t w = 0; workloads[w]; w++) {
        if (only_its_own(axes, workloads[w])) {
            return workloads[w]->name;
        }
    }
    /* The workload of a file that has variants of several: the default, or the first in their
     * order. */
    const bool has_default = !named || kept == 0 || count_kept(pool, keep, workload_default()) > 0;
    for (size_t w = 0; !has_default && workloads[w]; w++) {
        if (count_kept(pool, keep, workloads[w]) > 0) {
            return workloads[w]->name;
        }
    }
    return workload_default()->name;
}

/* A plan is of one workload: interactions, outputs and options differ. */
static bool check_workload(const struct axes *axes, const struct variant_choice *choice,
                           struct error *error) {
    const struct workload *workload = choice->workload;
    for (size_t i = 0; i < choice->count; i++) {
        if (choice->chosen[i]->workload != workload) {
            struct strbuf names = { 0 };
            workloads_list(&names);
            (void)fail(error, STATUS_BAD_INPUT,
                       "--workload: '%.100s' is several: one at a time is taken, %s",
                       axes->workload, strbuf_text(&names));
            strbuf_free(&names);
            return false;
        }
    }
    return axes_check_workload(axes, workload, error);
}

/* ---- the choice ---- */

/* Refuses --variant FILE, which users write for --variant-file FILE. */
static bool refuse_path_as_name(const struct axes *axes, struct error *error) {
    return !axes->variant ||
           (!strstr(axes->variant, ".cl") && !strstr(axes->variant, ".cu") &&
            !strstr(axes->variant, ".ptx")) ||
           fail(error, STATUS_BAD_INPUT,
                "--variant: '%.200s' has the name of a file, and variants are chosen by the names "
                "that `pairmark list` prints; --variant-file takes a file",
                axes->variant);
}

/* Whether the integrator or the forces of a pairing were read from a file of the user. */
static bool pairing_is_of_file(const struct pool *pool, const struct variant *pairing) {
    bool is = false;
    for (size_t i = pool->built_in; pairing->forces.variant && i < pool->file_end; i++) {
        is = is || strcmp(pool->variants[i]->path, pairing->path) == 0 ||
             strcmp(pool->variants[i]->path, pairing->forces.variant->path) == 0;
    }
    return is;
}

static bool pool_choose(const struct axes *axes, const struct pool *pool, bool *keep,
                        const char **workload, struct error *error) {
    bool only_files = !axes->variant && axes->variant_files;
    for (size_t i = 0; i < pool->count; i++) {
        keep[i] = !only_files || is_of_file(pool, i) ||
                  (i >= pool->file_end && pairing_is_of_file(pool, pool->variants[i]));
    }
    *workload = axes->workload ? axes->workload : "*";
    bool good =
        refuse_path_as_name(axes, error) &&
        pool_filter(pool, &by_workload, *workload, keep, error) &&
        pool_filter(pool, &by_structure, axes->structure ? axes->structure : "*", keep, error) &&
        pool_filter(pool, &by_name, axes->variant ? axes->variant : "*", keep, error);
    if (good && !axes->workload && axes->structure && count_kept(pool, keep, NULL) == 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "--structure: none of the variants that are named walks '%.200s'; `pairmark "
                    "list` says what each walks",
                    axes->structure);
    }
    if (good && !axes->workload) {
        *workload = deduce_workload(axes, pool, keep);
        good = pool_filter(pool, &by_workload, *workload, keep, error);
    }
    return good;
}

/* STATUS_BAD_INPUT about what the user names, `one` having it, and none of those chosen. */
static bool fail_unmet(const char *option, const char *name, const struct variant *unmet,
                       const struct variant *chosen, struct error *error) {
    const char *theirs = unmet->workload->name;
    const char *ours = chosen->workload->name;
    if (unmet->workload == chosen->workload) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: '%.200s' has nothing in common with the other words: no variant has all; "
                    "see `pairmark list --workload %s`",
                    option, name, ours);
    }
    return fail(error, STATUS_BAD_INPUT,
                "%s: '%.200s' is of workload %s, and what else is chosen is of %s: expected one "
                "workload (--workload %s chooses that)",
                option, name, theirs, ours, theirs);
}

/* Refuses a word of a list that selects variants, but none of those chosen. */
static bool check_words_met(const struct pool *pool, const struct variant_filter *filter,
                            const char *list, const struct variant_choice *choice,
                            struct error *error) {
    char **items = memory_split(list ? list : "", ',');
    bool good = true;
    for (size_t k = 0; good && items[k]; k++) {
        const struct variant *unmet = NULL;
        bool met = false;
        for (size_t i = 0; i < choice->count; i++) {
            met = met || matches_pattern(items[k], filter->property(choice->chosen[i]));
        }
        for (size_t i = 0; !met && i < pool->count; i++) {
            const struct variant *variant = pool->variants[i];
            const bool is_nearer = !unmet || variant->workload == choice->workload;
            if (is_nearer && matches_pattern(items[k], filter->property(variant))) {
                unmet = variant;
            }
        }
        good =
            met || !unmet || fail_unmet(filter->option, items[k], unmet, choice->chosen[0], error);
    }
    free(items);
    return good;
}

/* Refuses a file of which nothing is chosen, by itself or in a pairing. */
static bool check_files_met(const struct variant_choice *choice, struct error *error) {
    for (size_t f = 0; f < choice->file_count; f++) {
        const struct variant *file = choice->read[f];
        bool met = false;
        for (size_t i = 0; i < choice->count; i++) {
            const struct variant *chosen = choice->chosen[i];
            const struct variant *forces = chosen->forces.variant;
            met = met || strcmp(chosen->path, file->path) == 0 ||
                  (forces && strcmp(forces->path, file->path) == 0);
        }
        if (!met) {
            return fail_unmet("--variant-file", file->path, file, choice->chosen[0], error);
        }
    }
    return true;
}

static bool choose_kept(const struct axes *axes, const struct pool *pool,
                        struct variant_choice *choice, struct error *error) {
    const char *workload = NULL;
    bool *keep = memory_zeroed(pool->count + 1, sizeof *keep);
    choice->chosen = memory_zeroed(pool->count + 1, sizeof *choice->chosen);
    const bool good = pool_choose(axes, pool, keep, &workload, error);
    for (size_t i = 0; good && i < pool->count; i++) {
        if (keep[i]) {
            choice->workload = pool->variants[i]->workload;
            choice->chosen[choice->count++] = pool->variants[i];
        }
    }
    free(keep);
    if (!good) {
        return false;
    }
    if (choice->count == 0) {
        return fail(
            error, STATUS_BAD_INPUT,
            "%s: none of these variants has the workload '%s'%s%s%s; `pairmark list --short "
            "--workload %s` has all",
            axes->structure ? "--structure"
            : axes->variant ? "--variant"
                            : "--workload",
            workload, axes->structure ? " and the structure '" : "",
            axes->structure ? axes->structure : "", axes->structure ? "'" : "", workload);
    }
    return check_words_met(pool, &by_name, axes->variant, choice, error) &&
           check_words_met(pool, &by_structure, axes->structure, choice, error) &&
           check_files_met(choice, error);
}

bool variants_list(const struct axes *axes, struct variant_choice *choice, struct error *error) {
    struct pool pool = { 0 };
    *choice = (struct variant_choice){ 0 };
    bool good = read_files(axes, choice, error) && pool_make(choice, &pool, error) &&
                add_pairings(axes, &pool, choice, error) && choose_kept(axes, &pool, choice, error);
    free(pool.variants);
    if (!good) {
        variants_release(choice);
    }
    return good;
}

bool variants_choose(const struct axes *axes, struct variant_choice *choice, struct error *error) {
    if (!variants_list(axes, choice, error)) {
        return false;
    }
    bool good = check_workload(axes, choice, error);
    if (!good) {
        variants_release(choice);
    }
    return good;
}

bool variants_share(const struct axes *axes, const struct variant_choice *from,
                    struct variant_choice *choice, struct error *error) {
    *choice = *from;
    choice->is_shared = true;
    return check_workload(axes, choice, error);
}

const struct workload *plan_workload(const struct axes *axes, struct error *error) {
    struct variant_choice choice;
    const bool good = variants_choose(axes, &choice, error);
    const struct workload *workload = good ? choice.workload : NULL;
    variants_release(&choice);
    return workload;
}

void variants_release(struct variant_choice *choice) {
    for (size_t i = 0; !choice->is_shared && i < choice->read_count; i++) {
        variant_free(choice->read[i]);
        free(choice->read[i]);
    }
    if (!choice->is_shared) {
        free(choice->read);
        free(choice->chosen);
    }
    *choice = (struct variant_choice){ 0 };
}
