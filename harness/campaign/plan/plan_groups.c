/* Chooses the groups of particles of a coordination, and the boxes that they are taken from. */
#include "campaign/memory.h"
#include "campaign/plan/plan_parts.h"
#include "core/strings.h"

#include <stdlib.h>
#include <string.h>

static bool check_options(const struct axes *axes, struct error *error) {
    if (axes->ratio && (axes->group_a || axes->group_b)) {
        return fail(error, STATUS_BAD_INPUT,
                    "--ratio: draws both groups, and %s says what is in one: give one of the two",
                    axes->group_a ? "--group-a" : "--group-b");
    }
    return !axes->pairs || axes->group_b || axes->ratio ||
           fail(error, STATUS_BAD_INPUT,
                "--pairs: pairs each particle of --group-a with one of --group-b, which is not "
                "given");
}

static bool parse_list(const char *option, const char *words, struct particle_list **list,
                       struct error *error) {
    return !words || particle_list_parse(words, list, error) || fail_within(error, "%s", option);
}

/* ---- --ratio ---- */

/* "1000:1", "10k:10k" */
static bool parse_ratio(const char *item, struct group_spec *spec, struct error *error) {
    char **parts = memory_split(item, ':');
    uint64_t a = 0, b = 0;
    bool good = parts[0] && parts[1] && !parts[2] && parse_count(parts[0], &a) &&
                parse_count(parts[1], &b) && a > 0 && b > 0 && a <= BOX_MAX_PARTICLES &&
                b <= BOX_MAX_PARTICLES;
    free(parts);
    spec->ratio_a = (size_t)a;
    spec->ratio_b = (size_t)b;
    return good || fail(error, STATUS_BAD_INPUT,
                        "--ratio: '%.100s' is not of the form A:B, the particles of either group: "
                        "whole numbers such as 1000:1, 10k:32, of 1 to %d",
                        item, BOX_MAX_PARTICLES);
}

static bool known_ratio(const struct group_choices *choices, const struct group_spec *spec) {
    for (size_t i = 0; i < choices->count; i++) {
        const struct group_spec *known = &choices->items[i].spec;
        if (known->ratio_a == spec->ratio_a && known->ratio_b == spec->ratio_b) {
            return true;
        }
    }
    return false;
}

static bool choose_ratios(const struct axes *axes, struct group_choices *choices,
                          struct error *error) {
    char **items = memory_split(axes->ratio, ',');
    const size_t total = words_count((const char *const *)items);
    choices->items = memory_zeroed(total + 1, sizeof *choices->items);
    bool good = true;
    for (size_t i = 0; good && i < total; i++) {
        struct group_spec spec = { .mode = axes->pairs ? GROUPS_PAIRS : GROUPS_TWO };
        good = parse_ratio(items[i], &spec, error);
        if (good && !known_ratio(choices, &spec)) {
            choices->items[choices->count++].spec = spec;
        }
    }
    free(items);
    return good;
}

static bool choose_lists(const struct axes *axes, struct group_choices *choices,
                         struct error *error) {
    choices->items = memory_zeroed(1, sizeof *choices->items);
    if (!parse_list("--group-a", axes->group_a, &choices->a, error) ||
        !parse_list("--group-b", axes->group_b, &choices->b, error)) {
        return false;
    }
    struct group_spec *spec = &choices->items[choices->count++].spec;
    spec->a = choices->a;
    spec->b = choices->b;
    if (choices->b) {
        spec->mode = axes->pairs ? GROUPS_PAIRS : GROUPS_TWO;
    }
    return true;
}

/* ---- their boxes ---- */

/* A ratio's box has as many particles as its groups unless the user says how many. */
static bool choose_boxes(const struct axes *axes, struct group_choice *choice,
                         struct error *error) {
    struct axes own = *axes;
    char n[32];
    if (choice->spec.ratio_a > 0 && !axes->n && !axes->box_files) {
        (void)snprintf(n, sizeof n, "%zu", choice->spec.ratio_a + choice->spec.ratio_b);
        own.n = n;
    }
    return boxes_choose(&own, &choice->boxes, &choice->box_count, error);
}

/* That the groups are right in every box that they are for. */
static bool check_boxes(const struct group_choice *choice, struct error *error) {
    for (size_t b = 0; b < choice->box_count; b++) {
        const struct box_spec *box = &choice->boxes[b].spec;
        struct groups groups;
        if (group_spec_is_default(&choice->spec)) {
            continue;
        }
        if (!groups_resolve(&choice->spec, box->n, box->seed, &groups, error)) {
            return false;
        }
        groups_free(&groups);
    }
    return true;
}

bool groups_choose(const struct axes *axes, struct group_choices *choices, struct error *error) {
    *choices = (struct group_choices){ 0 };
    bool good = check_options(axes, error) &&
                (axes->ratio ? choose_ratios : choose_lists)(axes, choices, error);
    for (size_t i = 0; good && i < choices->count; i++) {
        good =
            choose_boxes(axes, &choices->items[i], error) && check_boxes(&choices->items[i], error);
    }
    if (!good) {
        groups_release(choices);
    }
    return good;
}

void groups_release(struct group_choices *choices) {
    for (size_t i = 0; i < choices->count; i++) {
        free(choices->items[i].boxes);
    }
    free(choices->items);
    particle_list_free(choices->a);
    particle_list_free(choices->b);
    *choices = (struct group_choices){ 0 };
}
