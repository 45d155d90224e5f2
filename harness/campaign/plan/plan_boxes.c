/* Chooses the boxes, which are read or made, the groups of particles of a coordination, and the
 * cutoffs, and tests whether a cutoff fits a box. */
#include "campaign/plan/plan_parts.h"

#include "boxes/box.h"
#include "campaign/axes/axes.h"
#include "core/strings.h"
#include "kernels/case.h"
#include "measure/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Limits the number of boxes: a mistyped range could ask for more than memory holds. */
enum { MAX_BOXES = 100000 };

static const struct cutoff default_cutoff = { CUTOFF_LENGTH, 2.5 };

/* ---- boxes that are read ---- */

static bool choose_file(const char *path, const struct axes *axes, struct box_choice *choice,
                        struct error *error) {
    const char *periodic = axes->periodic;
    struct box box;
    struct box_spec *spec = &choice->spec;
    if (strlen(path) >= sizeof spec->path) {
        return fail(error, STATUS_BAD_INPUT, "the path is longer than %zu characters",
                    sizeof spec->path - 1);
    }
    /* Refuses a pipe: the worker reads the file again, and nothing more would come. */
    struct stat entry;
    if (stat(path, &entry) == 0 && !S_ISREG(entry.st_mode) && !S_ISDIR(entry.st_mode)) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s is no file but a pipe or a device; expected a file, which can be read "
                    "several times",
                    path);
    }
    char content[HASH_TEXT_SIZE];
    if (!box_read_styled(path, axes->atom_style, &box, content, error)) {
        return false;
    }
    const double density = box.density;
    if (periodic && !box_keep_axes(&box, periodic, error)) {
        box_free(&box);
        return fail_within(error, "--periodic");
    }
    *choice = (struct box_choice){ .open = !box.periodic, .min_height = box_least_repeat(&box) };
    memcpy(spec->path, path, strlen(path) + 1);
    (void)snprintf(spec->atom_style, sizeof spec->atom_style, "%s",
                   axes->atom_style ? axes->atom_style : "");
    memcpy(spec->kind, "file", sizeof "file");
    memcpy(spec->content, content, sizeof content);
    spec->n = box.n;
    spec->read_open = !box.periodic;
    spec->left_out = box.left_out;
    if (box.periodic) {
        choice->cell = box.cell;
        spec->read_density = isfinite(density) ? density : 0.0;
    }
    box_free(&box);
    return true;
}

static bool choose_files(const struct axes *axes, struct box_choice **boxes, size_t *count,
                         struct error *error) {
    char **paths = axes->box_files;
    const size_t total = words_count((const char *const *)paths);
    *boxes = memory_zeroed(total + 1, sizeof **boxes);
    for (size_t i = 0; i < total; i++) {
        bool repeated = false;
        for (size_t j = 0; j < i; j++) {
            repeated = repeated || strcmp(paths[i], paths[j]) == 0;
        }
        if (!repeated && !choose_file(paths[i], axes, &(*boxes)[(*count)++], error)) {
            return fail_within(error, "--box");
        }
    }
    return true;
}

/* ---- boxes that are made ---- */

/* The numbers that make boxes, and the kinds, some with angles. */
struct made_axes {
    char (*kinds)[BOX_KIND_SIZE];
    size_t kind_count;
    struct number_list n, batch, density, seed;
    struct batch_sizes sizes; /* --n LEAST-MOST; else zeros */
};

/* Refuses a box that this machine can never hold: it is a mistake, not a case that failed. */
static bool check_memory(double n, struct error *error) {
    const double small = 1e6; /* as every machine holds: what there is need not be read */
    return n <= small || memory_can_hold("--n", n, HOST_BYTES_OF_CASE, error);
}

/* Cuts the angles off an item: "@80:75:60" in the one spelling that case_id knows; nothing where
 * there are none. */
static bool take_angles(char *item, char text[BOX_KIND_SIZE], struct error *error) {
    char *at = strchr(item, '@');
    double angle[3];
    text[0] = '\0';
    if (!at) {
        return true;
    }
    *at = '\0';
    if (!cell_angles_parse(at + 1, angle, error)) {
        return fail_within(error, "--kind");
    }
    if (cell_angles_are_right(angle)) {
        (void)snprintf(text, BOX_KIND_SIZE, "@brick");
    } else {
        (void)snprintf(text, BOX_KIND_SIZE, "@%.6g:%.6g:%.6g", angle[0], angle[1], angle[2]);
    }
    return true;
}

/* Adds the kinds that one item of the list selects, once each. */
static bool add_kinds(char *item, struct made_axes *made, struct error *error) {
    char angles[BOX_KIND_SIZE];
    struct selection selected;
    if (!take_angles(item, angles, error) ||
        !select_names("--kind", "kind of box", item, box_kinds, &selected, error)) {
        return false;
    }
    made->kinds = memory_grown(made->kinds, made->kind_count + selected.count, sizeof *made->kinds);
    for (size_t i = 0; i < selected.count; i++) {
        char kind[BOX_KIND_SIZE + BOX_KIND_SIZE];
        bool repeated = false;
        (void)snprintf(kind, sizeof kind, "%s%s", box_kinds[selected.indices[i]], angles);
        if (strpbrk(item, "*?[") && box_kind_overlaps(kind)) {
            continue;
        }
        for (size_t k = 0; k < made->kind_count; k++) {
            repeated = repeated || strcmp(made->kinds[k], kind) == 0;
        }
        if (!repeated) {
            memcpy(made->kinds[made->kind_count++], kind, BOX_KIND_SIZE);
        }
    }
    free(selected.indices);
    return true;
}

static bool choose_kinds(const char *list, struct made_axes *made, struct error *error) {
    char **items = memory_split(list, ',');
    bool good = true;
    for (size_t i = 0; good && items[i]; i++) {
        good = add_kinds(items[i], made, error);
    }
    free(items);
    return good;
}

/* Reads a range of particles for each box of a batch, "20-500". True, with zeros, where the words
 * are other numbers. */
static bool take_sizes(const char *words, struct batch_sizes *sizes, struct error *error) {
    char least[32];
    const char *dash = strchr(words, '-');
    uint64_t from;
    uint64_t to;
    if (!dash || dash == words || dash[-1] == 'e' || dash[-1] == 'E') {
        return true;
    }
    (void)snprintf(least, sizeof least, "%.*s", (int)(dash - words), words);
    if (!parse_count(least, &from) || !parse_count(dash + 1, &to) || from > to || to < 1 ||
        to > BOX_MAX_PARTICLES) {
        return fail(error, STATUS_BAD_INPUT,
                    "--n: '%.100s' is no range of sizes; expected LEAST-MOST such as 20-500, of "
                    "each box of a batch",
                    words);
    }
    *sizes = (struct batch_sizes){ (size_t)from, (size_t)to, false };
    return true;
}

static bool choose_sizes(const char *words, struct made_axes *made, struct error *error) {
    if (!take_sizes(words, &made->sizes, error)) {
        return false;
    }
    if (made->sizes.most > 0) {
        made->n =
            (struct number_list){ memory_zeroed(1, sizeof(double)), 1 }; /* known with the seed */
        return true;
    }
    double most = 0;
    if (!axis_numbers("--n", words, &made->n, error) ||
        !numbers_check_whole("--n", &made->n, 1, BOX_MAX_PARTICLES, error)) {
        return false;
    }
    for (size_t i = 0; i < made->n.count; i++) {
        most = fmax(most, made->n.values[i]);
    }
    return check_memory(most, error);
}

static bool choose_numbers(const struct axes *axes, struct made_axes *made, struct error *error) {
    const double largest_whole = 9007199254740992.0; /* of a double */
    if (!choose_kinds(axes_value(axes, AXIS_KIND), made, error) ||
        !choose_sizes(axes_value(axes, AXIS_N), made, error) ||
        !axis_numbers("--batch", axes_value(axes, AXIS_BATCH), &made->batch, error) ||
        !numbers_check_whole("--batch", &made->batch, 1, BOX_MAX_PARTICLES, error) ||
        !axis_numbers("--seed", axes_value(axes, AXIS_SEED), &made->seed, error) ||
        !numbers_check_whole("--seed", &made->seed, 0, largest_whole, error) ||
        !axis_numbers("--density", axes->density ? axes->density : "0", &made->density, error)) {
        return false;
    }
    for (size_t i = 0; axes->density && i < made->density.count; i++) {
        if (!(made->density.values[i] > 0)) {
            return fail(error, STATUS_BAD_INPUT, "--density: %.15g is not positive",
                        made->density.values[i]);
        }
    }
    return true;
}

/* What the axes say of one box. */
struct said_box {
    const char *kind;
    double n, batch, density, seed;
    struct batch_sizes sizes;
};

/* Draws the sizes of all boxes and adds them up. */
static bool draw_total(const struct said_box *said, struct box_spec *spec, struct error *error) {
    if (spec->batch == 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "--n %zu-%zu: sizes of the boxes of a batch; expected --batch of two or more",
                    said->sizes.least, said->sizes.most);
    }
    if ((double)said->sizes.most * said->batch > BOX_MAX_PARTICLES) {
        return fail(error, STATUS_BAD_INPUT,
                    "--n %zu-%zu --batch %zu: may be more than %d particles", said->sizes.least,
                    said->sizes.most, spec->batch, BOX_MAX_PARTICLES);
    }
    const double most = (double)said->sizes.most * said->batch;
    spec->sizes = said->sizes;
    spec->sizes.of_waters = box_is_of_waters(spec->kind);
    spec->n = batch_total(&spec->sizes, spec->seed, spec->batch);
    return check_memory(most, error) &&
           (spec->n > 0 ||
            fail(error, STATUS_BAD_INPUT,
                 "--n %zu-%zu --batch %zu --seed %llu: no box has a particle", said->sizes.least,
                 said->sizes.most, spec->batch, (unsigned long long)spec->seed));
}

static bool make_choice(const struct axes *axes, const struct said_box *said,
                        struct box_choice *choice, struct error *error) {
    const bool open = axes->open;
    const char *periodic = axes->periodic ? axes->periodic : "";
    *choice = (struct box_choice){ .open = open, .min_height = INFINITY };
    (void)snprintf(choice->spec.kind, sizeof choice->spec.kind, "%s", said->kind);
    choice->spec.n = (size_t)said->n;
    choice->spec.batch = said->batch > 1 ? (size_t)said->batch : 0;
    choice->spec.density = said->density;
    choice->spec.seed = (uint64_t)said->seed;
    choice->spec.open = open;
    if (said->sizes.most > 0 && !draw_total(said, &choice->spec, error)) {
        return false;
    }
    if (fmod(said->n, said->batch) != 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "--batch %.15g: %.15g particles (--n) are no whole number in each box",
                    said->batch, said->n);
    }
    if (!open) {
        choice->min_height =
            box_least_height(said->kind, box_spec_least(&choice->spec), said->density, periodic);
    }
    return !isnan(choice->min_height) ||
           fail(
               error, STATUS_BAD_INPUT,
               "--periodic %s: a vector with images leans along an axis without; expected xy, or a "
               "kind without angles",
               periodic);
}

/* Stores the periodic axes in all boxes, unless they are the default. */
static void store_axes(const char *periodic, struct box_choice *boxes, size_t count) {
    for (size_t i = 0; i < count && strcmp(periodic, "xyz") != 0; i++) {
        (void)snprintf(boxes[i].spec.periodic, AXES_SIZE, "%s", periodic);
    }
}

static bool span_made(const struct made_axes *made, const struct axes *axes,
                      struct box_choice **boxes, size_t *count, struct error *error) {
    size_t total = made->kind_count * made->n.count * made->batch.count * made->density.count *
                   made->seed.count;
    if (total > MAX_BOXES) { /* no overflow: there are few kinds, and 10000 of each number */
        return fail(error, STATUS_BAD_INPUT,
                    "--n, --batch, --density, --seed and --kind span more than %d boxes",
                    MAX_BOXES);
    }
    *boxes = memory_zeroed(total + 1, sizeof **boxes);
    for (size_t i = 0; i < total; i++) {
        size_t rest = i;
        double seed = made->seed.values[rest % made->seed.count];
        rest /= made->seed.count;
        double density = made->density.values[rest % made->density.count];
        rest /= made->density.count;
        double batch = made->batch.values[rest % made->batch.count];
        rest /= made->batch.count;
        const char *kind = made->kinds[rest % made->kind_count];
        rest /= made->kind_count;
        const struct said_box said = {
            kind, made->n.values[rest], batch, density, seed, made->sizes
        };
        if (!make_choice(axes, &said, &(*boxes)[(*count)++], error)) {
            return false;
        }
    }
    return true;
}

static bool reads_lammps(const struct axes *axes) {
    bool reads = false;
    for (char **path = axes->box_files; path && *path; path++) {
        reads = reads || box_is_lammps_file(*path);
    }
    return reads;
}

/* Caller frees the array. */
static bool choose_boxes(const struct axes *axes, struct box_choice **boxes, size_t *count,
                         struct error *error) {
    struct made_axes made = { 0 };
    bool good;
    *boxes = NULL;
    *count = 0;
    if (axes->periodic && !axes_check(axes->periodic, error)) {
        return fail_within(error, "--periodic");
    }
    if (axes->atom_style && !reads_lammps(axes)) {
        return fail(error, STATUS_BAD_INPUT,
                    "--atom-style %s: no LAMMPS data file is read; expected --box FILE.data",
                    axes->atom_style);
    }
    if (axes->box_files) {
        good = choose_files(axes, boxes, count, error);
    } else {
        good = choose_numbers(axes, &made, error) && span_made(&made, axes, boxes, count, error);
    }
    if (good && axes->periodic) {
        store_axes(axes->periodic, *boxes, *count);
    }
    for (size_t i = 0; good && axes->charges && i < *count; i++) {
        char *charges = (*boxes)[i].spec.charges;
        good = strlen(axes->charges) < sizeof(*boxes)[i].spec.charges ||
               fail(error, STATUS_BAD_INPUT, "--charges: expected at most %zu characters",
                    sizeof(*boxes)[i].spec.charges - 1);
        if (good) {
            strcpy(charges, axes->charges);
        }
    }
    free(made.kinds);
    free(made.n.values);
    free(made.batch.values);
    free(made.density.values);
    free(made.seed.values);
    if (!good) {
        free(*boxes);
        *boxes = NULL;
    }
    return good;
}

/* ---- groups: --group-a, --group-b ---- */

static bool check_group_options(const struct axes *axes, struct error *error) {
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

static bool parse_group(const char *option, const char *words, struct particle_list **list,
                        struct error *error) {
    return !words || particle_list_parse(words, list, error) || fail_within(error, "%s", option);
}

/* ---- groups: --ratio ---- */

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
    if (!parse_group("--group-a", axes->group_a, &choices->a, error) ||
        !parse_group("--group-b", axes->group_b, &choices->b, error)) {
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

/* ---- groups: their boxes ---- */

/* A ratio's box has as many particles as its groups unless the user says how many. */
static bool choose_group_boxes(const struct axes *axes, struct group_choice *choice,
                               struct error *error) {
    struct axes own = *axes;
    char n[32];
    if (choice->spec.ratio_a > 0 && !axes->n && !axes->box_files) {
        (void)snprintf(n, sizeof n, "%zu", choice->spec.ratio_a + choice->spec.ratio_b);
        own.n = n;
    }
    return choose_boxes(&own, &choice->boxes, &choice->box_count, error);
}

/* Whether the groups fit every box that they are chosen for. */
static bool check_group_boxes(const struct group_choice *choice, struct error *error) {
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
    bool good = check_group_options(axes, error) &&
                (axes->ratio ? choose_ratios : choose_lists)(axes, choices, error);
    for (size_t i = 0; good && i < choices->count; i++) {
        good = choose_group_boxes(axes, &choices->items[i], error) &&
               check_group_boxes(&choices->items[i], error);
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

/* ---- cutoffs ---- */

/* Adds a cutoff unless it is there already. */
static void add_cutoff(struct cutoff cutoff, struct cutoff_choice **cutoffs, size_t *total) {
    for (size_t j = 0; j < *total; j++) {
        if (cutoff_same((*cutoffs)[j].cutoff, cutoff)) {
            return;
        }
    }
    *cutoffs = memory_grown(*cutoffs, *total + 1, sizeof **cutoffs);
    (*cutoffs)[(*total)++] = (struct cutoff_choice){ .cutoff = cutoff, .explicit = true };
}

/* A number or a range. */
static bool add_lengths(const char *item, struct cutoff_choice **cutoffs, size_t *total,
                        struct error *error) {
    struct number_list lengths;
    if (!axis_numbers("--cutoff", item, &lengths, error)) {
        size_t length = strlen(error->message);
        (void)snprintf(error->message + length, sizeof error->message - length,
                       "; or the words none, half");
        return false;
    }
    bool added = true;
    for (size_t i = 0; added && i < lengths.count; i++) {
        const double length = lengths.values[i];
        added =
            length > 0 || fail(error, STATUS_BAD_INPUT, "--cutoff: %.15g is not positive", length);
        add_cutoff(cutoff_of(length), cutoffs, total);
    }
    free(lengths.values);
    return added;
}

/* Reads one item of the list: a word, a number or a range. */
static bool add_item(const char *item, struct cutoff_choice **cutoffs, size_t *total,
                     struct error *error) {
    if (strcmp(item, "none") == 0 || strcmp(item, "half") == 0) {
        const enum cutoff_kind kind = *item == 'n' ? CUTOFF_NONE : CUTOFF_HALF;
        add_cutoff((struct cutoff){ .kind = kind }, cutoffs, total);
        return true;
    }
    return add_lengths(item, cutoffs, total, error);
}

bool cutoffs_choose(const struct axes *axes, struct cutoff_choice **cutoffs, size_t *count,
                    struct error *error) {
    *cutoffs = NULL;
    *count = 0;
    if (!axes->cutoff) {
        add_cutoff(default_cutoff, cutoffs, count);
        (*cutoffs)[0].explicit = false;
        return true;
    }
    char **items = memory_split(axes->cutoff, ',');
    bool good = true;
    for (size_t i = 0; good && items[i]; i++) {
        good = add_item(items[i], cutoffs, count, error);
    }
    free(items);
    if (!good) {
        free(*cutoffs);
        *cutoffs = NULL;
    }
    return good;
}

static void describe_box(const struct box_choice *box, char *words, size_t size) {
    if (box->spec.path[0]) {
        (void)snprintf(words, size, "%s", box->spec.path);
    } else {
        (void)snprintf(words, size, "the %s box of n = %zu", box->spec.kind, box->spec.n);
    }
}

/* The default cutoff: the interaction's own, else 2.5 (0.8442 / density)^(1/3), rounded to two
 * digits, which gives a particle as many neighbours as in the usual fluid. The word half where that
 * does not fit. */
static void suggest_cutoff(const struct box_choice *box, double own, char *words, size_t size) {
    const double *edge = box->cell.edge;
    const double volume = edge[0] * edge[1] * edge[2];
    const double like_fluid = 2.5 * cbrt(0.8442 * volume / (double)box->spec.n);
    const double step = pow(10, floor(log10(like_fluid)) - 1);
    const double rounded = own > 0 ? own : round(like_fluid / step) * step;
    if (rounded < box->min_height / 2) {
        (void)snprintf(words, size, "%.15g", rounded);
    } else {
        (void)snprintf(words, size, "half");
    }
}

bool box_choice_is_triclinic(const struct box_choice *box) {
    return !box->open && (cell_is_triclinic(&box->cell) || strchr(box->spec.kind, ':'));
}

static const char *height_words(const struct box_choice *box) {
    return box_choice_is_triclinic(box) ? "least height of the cell" : "shortest edge";
}

/* Refuses a default cutoff for a file: it is in units of a Lennard-Jones sigma, and a file may be
 * in angstrom or nanometres. */
static bool refuse_silent_cutoff(const struct box_choice *box, double own, struct error *error) {
    const char *path = box->spec.path;
    char suggestion[32];
    if (box->open) {
        return fail(error, STATUS_BAD_INPUT,
                    "--cutoff: needed for %s, an open box in a unit of length that pairmark does "
                    "not know: a number, or none",
                    path);
    }
    if (own > box->min_height / 2) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: the interaction has a cutoff of %.10g; expected a cell whose %s is at "
                    "least %.10g, not %.10g",
                    path, own, height_words(box), 2 * own, box->min_height);
    }
    double length[3];
    suggest_cutoff(box, own, suggestion, sizeof suggestion);
    cell_lengths(&box->cell, length);
    return fail(error, STATUS_BAD_INPUT,
                "--cutoff: needed for %s, whose unit of length pairmark does not know: a number, "
                "or half (of the %s); its edges are %.10g x %.10g x %.10g; for example: --cutoff "
                "%s",
                path, height_words(box), length[0], length[1], length[2], suggestion);
}

/* Whether the cutoff is at most half the box's least height, or need not be. */
static bool has_room(const struct cutoff_choice *choice, const struct box_choice *box) {
    const struct cutoff cutoff = choice->cutoff;
    return cutoff.kind == CUTOFF_HALF || box->open ||
           (cutoff.kind == CUTOFF_LENGTH &&
            (choice->images || cutoff.length <= box->min_height / 2)) ||
           (choice->own.name && cutoff.kind == CUTOFF_NONE && !box_choice_is_triclinic(box));
}

/* Appends by which vectors a cell that leans farther than its lattice needs would allow a longer
 * cutoff; nothing for other cells. */
static void suggest_vectors(const struct box_choice *box, char *words, size_t size) {
    int whole[9];
    char vectors[128];
    words[0] = '\0';
    if (!box->spec.path[0] || !cell_is_triclinic(&box->cell)) {
        return;
    }
    const double height = cell_shorten(&box->cell, whole);
    if (height > 1.0001 * box->min_height) {
        cell_whole_words(whole, vectors, sizeof vectors);
        (void)snprintf(words, size, "; the vectors %s span the same lattice and would allow %.10g",
                       vectors, floor(height / 2 * 1e6) / 1e6);
    }
}

bool cutoff_in_box(const struct cutoff_choice *choice, const struct box_choice *box,
                   struct cutoff *cutoff, struct error *error) {
    char words[sizeof box->spec.path + 64];
    const double half = box->min_height / 2;
    const bool none = choice->cutoff.kind == CUTOFF_NONE;
    const struct own_cutoff *own = &choice->own;
    const char *name = own->name ? own->name : "cutoff";
    *cutoff = choice->cutoff;
    if (box->spec.path[0] && !choice->explicit) {
        return refuse_silent_cutoff(box, choice->least, error);
    }
    if (has_room(choice, box)) {
        return true;
    }
    if (!choice->explicit) {
        *cutoff = (struct cutoff){ .kind = CUTOFF_HALF };
        return true;
    }
    describe_box(box, words, sizeof words);
    if (own->name && none) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: no %s, and the cell of %s is triclinic: there, pairs are found within a "
                    "distance alone; expected a %s of at most %.10g",
                    own->option, name, words, name, floor(half * 1e6) / 1e6);
    }
    if (none) {
        return fail(error, STATUS_BAD_INPUT,
                    "--cutoff: none needs an open box, and %s is periodic (--open makes it open)",
                    words);
    }
    char suggestion[256];
    suggest_vectors(box, suggestion, sizeof suggestion);
    /* Rounded down, so that the number printed is accepted. */
    return fail(
        error, STATUS_BAD_INPUT,
        "%s: %s%s%.15g is more than half the %s of %s: the %s is %.10g, the %s can be at most "
        "%.10g%s%s",
        own->name ? own->option : "--cutoff", own->name ? name : "", own->name ? ": " : "",
        choice->cutoff.length, height_words(box), words,
        box_choice_is_triclinic(box) ? "height" : "edge", box->min_height, name,
        floor(half * 1e6) / 1e6, own->may_be_inf && !box_choice_is_triclinic(box) ? ", or inf" : "",
        suggestion);
}
