#include "boxes/groups.h"

#include "boxes/box.h"
#include "boxes/random.h"
#include "core/cache.h"

#include <stdlib.h>
#include <string.h>

/* Every step-th particle from first to last, counted from 1; 1 <= first <= last. */
struct particle_run {
    uint64_t first, last, step;
};

struct particle_list {
    struct particle_run *runs;
    size_t count; /* at least 1 */
};

static const char *const mode_names[] = {
    [GROUPS_ONE] = "one", [GROUPS_TWO] = "two", [GROUPS_PAIRS] = "pairs", NULL
};

const char *group_mode_name(enum group_mode mode) {
    return mode <= GROUPS_PAIRS ? mode_names[mode] : "unknown";
}

bool group_mode_from_name(const char *name, enum group_mode *mode) {
    const int place = word_place(mode_names, name);
    *mode = place >= 0 ? (enum group_mode)place : *mode;
    return place >= 0;
}

/* ---- words ---- */

/* Digits alone; *end is after them. False for none, for 0 and for what no box has. */
static bool take_index(const char *word, const char **end, uint64_t *index) {
    size_t digits = strspn(word, "0123456789");
    *end = word + digits;
    *index = digits > 0 && digits < 19 ? strtoull(word, NULL, 10) : 0;
    return *index > 0;
}

/* FIRST, FIRST-LAST or FIRST-LAST:STEP */
static bool parse_run(const char *item, struct particle_run *run, struct error *error) {
    const char *end;
    bool good = take_index(item, &end, &run->first);
    run->last = run->first;
    run->step = 1;
    if (good && *end == '-') {
        good = take_index(end + 1, &end, &run->last);
        if (good && *end == ':') {
            good = take_index(end + 1, &end, &run->step);
        }
    }
    if (!good || *end != '\0') {
        return fail(error, STATUS_BAD_INPUT,
                    "'%.100s' is no particle; expected numbers from 1 and ranges such as 5, 1-100, "
                    "2-100:2, separated by commas",
                    item);
    }
    return run->last >= run->first ||
           fail(error, STATUS_BAD_INPUT, "'%.100s' ends before it begins", item);
}

bool particle_list_parse(const char *words, struct particle_list **list, struct error *error) {
    char **items = split_list(words, ',');
    size_t total = 0;
    while (items && items[total]) {
        total++;
    }
    struct particle_list *made = calloc(1, sizeof *made);
    struct particle_run *runs = calloc(total + 1, sizeof *runs);
    bool good = (items && made && runs) || fail_out_of_memory(error, "a group");
    if (good && words[strspn(words, ", \t")] == '\0') {
        good = fail(error, STATUS_BAD_INPUT, "the group is empty");
    }
    for (size_t i = 0; good && i < total; i++) {
        good = parse_run(items[i], &runs[i], error);
    }
    free(items);
    if (!good) {
        free(runs);
        free(made);
        return false;
    }
    *made = (struct particle_list){ .runs = runs, .count = total };
    *list = made;
    return true;
}

size_t particle_list_run_count(const struct particle_list *list) {
    return list->count;
}

void particle_list_run(const struct particle_list *list, size_t k, uint64_t *first, uint64_t *last,
                       uint64_t *step) {
    *first = list->runs[k].first;
    *last = list->runs[k].last;
    *step = list->runs[k].step;
}

void particle_list_free(struct particle_list *list) {
    if (list) {
        free(list->runs);
        free(list);
    }
}

/* The whole list, however it was spelled. */
static void append_runs(const struct particle_list *list, struct strbuf *text) {
    for (size_t i = 0; i < list->count; i++) {
        const struct particle_run *run = &list->runs[i];
        strbuf_append(text, "%s%llu", i ? "," : "", (unsigned long long)run->first);
        if (run->last > run->first) {
            strbuf_append(text, "-%llu", (unsigned long long)run->last);
        }
        if (run->last > run->first && run->step > 1) {
            strbuf_append(text, ":%llu", (unsigned long long)run->step);
        }
    }
}

static void append_list(const char *name, const struct particle_list *list, struct strbuf *text) {
    enum { MAX_SHOWN = 40 };
    struct strbuf whole = { 0 };
    char hash[HASH_TEXT_SIZE];
    if (!list) {
        strbuf_append(text, "%s=all", name);
        return;
    }
    append_runs(list, &whole);
    if (whole.failed || !whole.data) {
        text->failed = true;
    } else if (whole.length <= MAX_SHOWN) {
        strbuf_append(text, "%s=%s", name, whole.data);
    } else {
        hash_bytes(whole.data, whole.length + 1, hash);
        text->failed = text->failed || !hash[0];
        strbuf_append(text, "%s=%.*s,...%.16s", name, (int)strcspn(whole.data, ","), whole.data,
                      hash);
    }
    strbuf_free(&whole);
}

bool group_spec_is_default(const struct group_spec *spec) {
    return spec->mode == GROUPS_ONE && !spec->a && spec->ratio_a == 0;
}

void group_spec_describe(const struct group_spec *spec, struct strbuf *text) {
    if (group_spec_is_default(spec)) {
        strbuf_append(text, "all");
        return;
    }
    if (spec->ratio_a > 0) {
        strbuf_append(text, "ratio=%zu:%zu", spec->ratio_a, spec->ratio_b);
    } else {
        append_list("a", spec->a, text);
    }
    if (spec->ratio_a == 0 && spec->mode != GROUPS_ONE) {
        strbuf_append(text, " ");
        append_list("b", spec->b, text);
    }
    if (spec->mode == GROUPS_PAIRS) {
        strbuf_append(text, " pairs");
    }
}

/* ---- groups ---- */

/* What errors call them, and the number of the first particle. */
struct naming {
    const char *a, *b, *pairs;
    int first;
};
static const struct naming of_options = { "--group-a", "--group-b", "--pairs", 1 };
static const struct naming of_arrays = { "group a", "group b", "pairs", 0 };

void groups_free(struct groups *groups) {
    free(groups->a);
    free(groups->b);
    *groups = (struct groups){ 0 };
}

static bool allocate_group(size_t count, int32_t **indices, struct error *error) {
    *indices = calloc(count ? count : 1, sizeof **indices);
    return *indices || fail_out_of_memory(error, "a group");
}

/* How many particles a list names; its runs are within a box of n. */
static size_t list_size(const struct particle_list *list) {
    size_t size = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct particle_run *run = &list->runs[i];
        size += (size_t)((run->last - run->first) / run->step + 1);
    }
    return size;
}

/* All particles where there is no list. */
static bool resolve_list(const struct particle_list *list, const char *option, size_t n,
                         int32_t **indices, size_t *count, struct error *error) {
    const struct particle_run everything = { 1, n, 1 };
    const struct particle_run *runs = list ? list->runs : &everything;
    const size_t run_count = list ? list->count : 1;
    size_t next = 0;
    for (size_t i = 0; i < run_count; i++) {
        if (runs[i].last > n) {
            return fail(error, STATUS_BAD_INPUT, "%s: particle %llu: the box has %zu", option,
                        (unsigned long long)runs[i].last, n);
        }
    }
    *count = list ? list_size(list) : n;
    if (!allocate_group(*count, indices, error)) {
        return false;
    }
    for (size_t i = 0; i < run_count; i++) {
        for (uint64_t p = runs[i].first; p <= runs[i].last; p += runs[i].step) {
            (*indices)[next++] = (int32_t)(p - 1);
        }
    }
    return true;
}

/* Marks the members of a group; STATUS_BAD_INPUT for one that is in it twice. */
static bool mark_members(const char *name, int first, const int32_t *members, size_t count,
                         bool *marks, struct error *error) {
    for (size_t i = 0; i < count; i++) {
        if (marks[members[i]]) {
            return fail(error, STATUS_BAD_INPUT, "%s: particle %d is given twice", name,
                        members[i] + first);
        }
        marks[members[i]] = true;
    }
    return true;
}

/* That groups are sets, and how many particles two of them have in common. */
static bool check_sets(size_t n, const struct naming *names, struct groups *groups,
                       struct error *error) {
    bool *in_a = calloc(n, sizeof *in_a);
    bool *in_b = calloc(n, sizeof *in_b);
    bool good = (in_a && in_b) || fail_out_of_memory(error, "a group");
    good = good && mark_members(names->a, names->first, groups->a, groups->n_a, in_a, error) &&
           mark_members(names->b, names->first, groups->b, groups->n_b, in_b, error);
    for (size_t j = 0; good && j < groups->n_b; j++) {
        groups->common += in_a[groups->b[j]];
    }
    groups->overlap = groups->common > 0;
    free(in_a);
    free(in_b);
    return good;
}

static bool check_pairs(const struct naming *names, const struct groups *groups,
                        struct error *error) {
    if (groups->n_a != groups->n_b) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: %s has %zu particles and %s %zu: pairs need as many", names->pairs,
                    names->a, groups->n_a, names->b, groups->n_b);
    }
    for (size_t k = 0; k < groups->n_a; k++) {
        if (groups->a[k] == groups->b[k]) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s: pair %zu of %s and %s is particle %d and itself", names->pairs,
                        k + (size_t)names->first, names->a, names->b, groups->a[k] + names->first);
        }
    }
    return true;
}

/* Every particle in its turn goes to A, to B or to neither with the chance that makes all choices
 * of that many equally likely, so that groups are in the order of the box and are drawn in one pass
 * (D. Knuth, The Art of Computer Programming 2, section 3.4.2, algorithm S). */
static bool draw_groups(const struct group_spec *spec, size_t n, uint64_t seed,
                        struct groups *groups, struct error *error) {
    const uint64_t stream = 0x67726f757073u; /* other numbers than those that made the box */
    struct random random = random_from_seed(seed ^ stream);
    size_t a_left = spec->ratio_a;
    size_t b_left = spec->ratio_b;
    size_t next_a = 0;
    size_t next_b = 0;
    if (a_left > n || b_left > n - a_left) {
        return fail(error, STATUS_BAD_INPUT,
                    "--ratio: %zu:%zu are more particles than the %zu of the box", a_left, b_left,
                    n);
    }
    groups->n_a = a_left;
    groups->n_b = b_left;
    if (!allocate_group(a_left, &groups->a, error) || !allocate_group(b_left, &groups->b, error)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t drawn = random_next(&random) % (n - i);
        if (drawn < a_left) {
            groups->a[next_a++] = (int32_t)i;
            a_left--;
        } else if (drawn < a_left + b_left) {
            groups->b[next_b++] = (int32_t)i;
            b_left--;
        }
    }
    return true;
}

static bool fill_groups(const struct group_spec *spec, size_t n, uint64_t seed,
                        struct groups *groups, struct error *error) {
    if (n > BOX_MAX_PARTICLES) {
        return fail(error, STATUS_BAD_INPUT, "a box of %zu particles is too large for groups", n);
    }
    if (spec->ratio_a > 0) {
        return draw_groups(spec, n, seed, groups, error) &&
               (spec->mode != GROUPS_PAIRS || groups->n_a == groups->n_b ||
                fail(error, STATUS_BAD_INPUT, "--ratio: %zu:%zu with --pairs: pairs need as many",
                     groups->n_a, groups->n_b));
    }
    if (!resolve_list(spec->a, "--group-a", n, &groups->a, &groups->n_a, error)) {
        return false;
    }
    if (spec->mode != GROUPS_ONE &&
        !resolve_list(spec->b, "--group-b", n, &groups->b, &groups->n_b, error)) {
        return false;
    }
    return spec->mode == GROUPS_PAIRS ? check_pairs(&of_options, groups, error)
                                      : check_sets(n, &of_options, groups, error);
}

/* A single group has no second one; notes whether it is all particles in their order. */
static void close_groups(size_t n, struct groups *groups) {
    if (groups->mode != GROUPS_ONE) {
        return;
    }
    free(groups->b);
    groups->b = NULL;
    groups->everything = groups->n_a == n;
    for (size_t i = 0; groups->everything && i < n; i++) {
        groups->everything = groups->a[i] == (int32_t)i;
    }
}

bool groups_resolve(const struct group_spec *spec, size_t n, uint64_t seed, struct groups *groups,
                    struct error *error) {
    *groups = (struct groups){ .mode = spec->mode };
    if (!fill_groups(spec, n, seed, groups, error)) {
        groups_free(groups);
        return false;
    }
    close_groups(n, groups);
    return true;
}

/* NULL: all particles. */
static bool take_particles(const char *name, size_t n, struct particle_numbers particles,
                           int32_t **indices, size_t *taken, struct error *error) {
    *taken = particles.numbers ? particles.count : n;
    if (*taken == 0) {
        return fail(error, STATUS_BAD_INPUT, "%s is empty", name);
    }
    if (!allocate_group(*taken, indices, error)) {
        return false;
    }
    for (size_t k = 0; k < *taken; k++) {
        (*indices)[k] = particles.numbers ? particles.numbers[k] : (int32_t)k;
        if ((*indices)[k] < 0 || (size_t)(*indices)[k] >= n) {
            return fail(error, STATUS_BAD_INPUT, "%s: particle %d of %zu", name, (*indices)[k], n);
        }
    }
    return true;
}

bool groups_of_particles(enum group_mode mode, size_t n, struct particle_numbers a,
                         struct particle_numbers b, struct groups *groups, struct error *error) {
    const struct naming *names = &of_arrays;
    *groups = (struct groups){ .mode = mode };
    const bool taken =
        take_particles(names->a, n, a, &groups->a, &groups->n_a, error) &&
        (mode == GROUPS_ONE || take_particles(names->b, n, b, &groups->b, &groups->n_b, error)) &&
        (mode == GROUPS_PAIRS ? check_pairs(names, groups, error)
                              : check_sets(n, names, groups, error));
    if (!taken) {
        groups_free(groups);
        return false;
    }
    close_groups(n, groups);
    return true;
}
