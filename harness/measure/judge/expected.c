#include "measure/judge/expected.h"

#include "boxes/box.h"
#include "core/strings.h"
#include "kernels/case.h"
#include "kernels/header/read_variant.h"
#include "kernels/potentials/type_table.h"
#include "kernels/schedule.h"
#include "kernels/structure.h"
#include "prepare/kernel_plan.h"
#include "reference/pairs/reference.h"
#include "workloads/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_KEPT = 32,
    KEY_SIZE = 2048,
    /* a box (40) and its reference (44), per particle; a box for each of the moved */
    BYTES_PER_PARTICLE = 84 + 40 * MOVED_BOXES
};

static const size_t max_bytes = (size_t)3 << 30;

struct slot {
    char key[KEY_SIZE]; /* empty: free */
    const struct judge *judge;
    uint64_t used; /* when, in calls */
    struct expected expected;
    char hash[HASH_TEXT_SIZE]; /* of what `expected` holds but for boxes: these have their own */
};

struct expected_store {
    struct device *device; /* NULL: none */
    struct slot slots[MAX_KEPT];
    uint64_t calls;
    char box_key[KEY_SIZE]; /* of the box made last, before rounding */
    struct box box;
};

struct expected_store *expected_store_create(void) {
    return calloc(1, sizeof(struct expected_store));
}

void expected_store_use_device(struct expected_store *store, struct device *device) {
    store->device = device;
}

static void slot_free(struct slot *slot) {
    box_free(&slot->expected.box);
    groups_free(&slot->expected.groups);
    for (int m = 0; slot->expected.moved && m < MOVED_BOXES; m++) {
        moved_box_free(&slot->expected.moved[m]);
    }
    free(slot->expected.moved);
    if (slot->expected.reference) {
        slot->judge->free(slot->expected.reference);
    }
    memset(slot, 0, sizeof *slot);
}

void expected_store_free(struct expected_store *store) {
    if (!store) {
        return;
    }
    for (int s = 0; s < MAX_KEPT; s++) {
        slot_free(&store->slots[s]);
    }
    box_free(&store->box);
    free(store);
}

static void box_key(const struct box_spec *spec, char key[KEY_SIZE]) {
    (void)snprintf(key, KEY_SIZE, "%s|%s|%zu|%zu|%zu-%zu|%.17g|%llu|%d|%s|%s|%s", spec->path,
                   spec->kind, spec->n, spec->batch, spec->sizes.least, spec->sizes.most,
                   spec->density, (unsigned long long)spec->seed, spec->open, spec->periodic,
                   spec->charges, spec->atom_style);
}

static bool expected_key(const struct case_spec *spec, char key[KEY_SIZE], struct error *error) {
    struct strbuf words = { 0 };
    char box[KEY_SIZE];
    box_key(&spec->box, box);
    interaction_describe(&spec->interaction, &words);
    strbuf_append(&words, "|%s|", spec->variant->workload->name);
    group_spec_describe(&spec->group, &words);
    strbuf_append(&words, "|");
    cutoff_append(&words, spec->cutoff, 17);
    if (judge_of(spec)->append_key) {
        judge_of(spec)->append_key(spec, &words);
    }
    if (words.failed) {
        strbuf_free(&words);
        return fail_out_of_memory(error, "the interaction's name");
    }
    const struct judging *judging = &spec->judging;
    int length =
        snprintf(key, KEY_SIZE, "%s|%s|%s|%llu|%llu|%llu",
                 precision_numeric(spec->precision).position == FORMAT_DOUBLE ? "double" : "float",
                 words.data, box, (unsigned long long)judging->all_below,
                 (unsigned long long)judging->sample, (unsigned long long)judging->seed);
    strbuf_free(&words);
    return (length > 0 && length < KEY_SIZE) ||
           fail(error, STATUS_BAD_INPUT, "%s: the path or the interaction is too long",
                spec->box.path);
}

/* The box of a case before rounding; the one made last is kept. */
static bool raw_box(struct expected_store *store, const struct box_spec *spec,
                    struct error *error) {
    char key[KEY_SIZE];
    box_key(spec, key);
    if (strcmp(key, store->box_key) == 0) {
        return true;
    }
    box_free(&store->box);
    store->box_key[0] = '\0';
    if (!box_of_spec(spec, &store->box, error)) {
        return false;
    }
    memcpy(store->box_key, key, sizeof key);
    return true;
}

/* Half the least height of the cell, rounded down to a float so that it is within half of it in
 * every precision; a triclinic cell's height moves with the rounding of each of its numbers. */
static double half_height(const struct box *box) {
    const double share = cell_is_triclinic(&box->cell) ? 0.5 * (1.0 - 1e-6) : 0.5;
    const double half = share * box_least_repeat(box);
    float rounded = (float)half;
    if ((double)rounded > half) {
        rounded = nextafterf(rounded, 0.0F);
    }
    return rounded;
}

static bool resolve_cutoff(const struct box *box, const struct case_spec *spec, double *cutoff,
                           struct error *error) {
    const bool endless = !cutoff_ends(spec->cutoff, !box->periodic);
    *cutoff = cutoff_in(spec->cutoff, !box->periodic, box->periodic ? half_height(box) : INFINITY);
    return (spec->variant->workload->takes_cutoff &&
            spec->variant->workload->takes_cutoff(box, endless)) ||
           box_accepts_cutoff(box, *cutoff, error);
}

static size_t expected_bytes(const struct expected *expected) {
    return !expected->box.position ? 0 : expected->box.n * BYTES_PER_PARTICLE;
}

/* A free slot, freeing what was used longest ago while there are too many or too large ones. */
static struct slot *make_room(struct expected_store *store, size_t n) {
    for (;;) {
        struct slot *free_slot = NULL;
        struct slot *oldest = NULL;
        size_t bytes = n * BYTES_PER_PARTICLE;
        for (int s = 0; s < MAX_KEPT; s++) {
            struct slot *slot = &store->slots[s];
            if (!*slot->key) {
                free_slot = slot;
            } else {
                bytes += expected_bytes(&slot->expected);
                oldest = !oldest || slot->used < oldest->used ? slot : oldest;
            }
        }
        if (free_slot && (bytes <= max_bytes || !oldest)) {
            return free_slot;
        }
        slot_free(oldest);
    }
}

static bool make_box(struct expected_store *store, const struct case_spec *spec,
                     struct expected *expected, struct error *error) {
    memset(expected, 0, sizeof *expected);
    expected->moved = calloc(MOVED_BOXES, sizeof *expected->moved);
    if (!expected->moved) {
        return fail_out_of_memory(error, "a box");
    }
    if (!resolve_cutoff(&store->box, spec, &expected->cutoff, error) ||
        !interaction_fits(&spec->interaction, &store->box, expected->cutoff, error) ||
        !groups_resolve(&spec->group, store->box.n, spec->box.seed, &expected->groups, error) ||
        !case_box_as_device(spec, &store->box, expected->cutoff, &expected->box, error)) {
        return false;
    }
    box_hash(&expected->box, expected->box_hash);
    return true;
}

/* Without particles there is no box but N, and nothing that could be expected before a launch. */
static void expect_numbers(const struct case_spec *spec, struct expected *expected) {
    *expected =
        (struct expected){ .box = { .n = spec->box.n, .density = NAN, .seed = spec->box.seed },
                           .cutoff = INFINITY,
                           .groups = { .n_a = spec->box.n, .everything = true },
                           .has_reference = true,
                           .judged = { .particles = -1, .seed = -1 } };
    memcpy(expected->box.kind, spec->box.kind, sizeof expected->box.kind);
    box_hash(&expected->box, expected->box_hash);
}

static struct slot *find_slot(struct expected_store *store, const char *key) {
    for (int s = 0; s < MAX_KEPT; s++) {
        if (strcmp(store->slots[s].key, key) == 0) {
            return &store->slots[s];
        }
    }
    return NULL;
}

/* ---- what a judge has kernels compute ---- */

static bool run_kernel(void *context, const struct case_spec *spec, const struct box *box,
                       double cutoff, struct evaluation *evaluation, struct error *error) {
    struct kernel_plan *plan = NULL;
    if (!kernel_plan_create(&(struct plan_input){ context, spec, BUILD_PLAIN, box, NULL, cutoff },
                            &plan, error)) {
        return fail_within(error, "%s, which is to judge a box of %zu particles",
                           spec->variant->name, box->n);
    }
    const bool ran =
        kernel_plan_build(plan, error) && fill_outputs_with_byte(plan, GATE_POISON_BYTE, error) &&
        kernel_plan_enqueue(plan, error) && kernel_plan_collect(plan, evaluation, error) &&
        device_check_guards(context, error);
    kernel_plan_free(plan);
    return ran;
}

static bool count_pairs(void *context, const struct case_spec *spec, const struct box *box,
                        double cutoff, int64_t *pairs, struct error *error) {
    struct kernel_plan *plan = NULL;
    int64_t distances;
    if (!kernel_plan_create(
            &(struct plan_input){ context, spec, BUILD_COUNTING, box, NULL, cutoff }, &plan,
            error)) {
        return false;
    }
    const bool counted = kernel_plan_build(plan, error) && kernel_plan_enqueue(plan, error) &&
                         kernel_plan_counts(plan, &distances, pairs, error);
    kernel_plan_free(plan);
    return counted;
}

struct kernel_runner kernel_runner_of(struct device *device) {
    const struct device_info *info = device_describe(device);
    return (struct kernel_runner){ .context = device,
                                   .device = info->name,
                                   .has_double = info->fp64,
                                   .built_in = variants_embedded,
                                   .parse = variant_parse,
                                   .evaluate = run_kernel,
                                   .count_pairs = count_pairs };
}

bool expected_by_kernels(const struct case_spec *spec, const struct device_info *info, size_t n,
                         bool ends) {
    /* The reference takes seconds for so many on a few processors; a sample and two kernels on a
     * GPU take as long. */
    static const uint64_t max_by_cost = 2000000;
    uint64_t most = spec->judging.all_below;
    if (most == JUDGE_BY_COST && !info->is_cpu) {
        most = max_by_cost;
    }
    return spec->box.batch <= 1 && judge_of(spec)->expect_by_kernels && spec->judging.sample > 0 &&
           n > most && ends;
}

/* ---- making ---- */

static bool make_reference(struct expected_store *store, const struct case_spec *spec,
                           struct expected *expected, struct error *error) {
    const struct judge_question question = { spec, &expected->box, expected->cutoff,
                                             &expected->groups };
    if (store->device && expected_by_kernels(spec, device_describe(store->device), expected->box.n,
                                             isfinite(expected->cutoff))) {
        const struct kernel_runner runner = kernel_runner_of(store->device);
        expected->has_reference = judge_of(spec)->expect_by_kernels(
            &question, &runner, &expected->reference, &expected->judged, error);
        return expected->has_reference;
    }
    expected->judged = (struct judged){ .particles = (int64_t)expected->box.n, .seed = -1 };
    expected->has_reference =
        reference_checks_groups(&spec->group, expected->box.n, &expected->groups, error) &&
        judge_expect(&question, EXPECT_KEPT, &expected->reference, error);
    return expected->has_reference;
}

static void hash_expected(const struct judge *judge, const struct expected *expected,
                          char text[HASH_TEXT_SIZE]) {
    struct hash_state *hash = hash_begin();
    const struct groups *groups = &expected->groups;
    hash_add(hash, &expected->cutoff, sizeof expected->cutoff);
    hash_add(hash, groups->a, groups->n_a * sizeof *groups->a);
    hash_add(hash, groups->b, groups->n_b * sizeof *groups->b);
    if (expected->reference) {
        judge->hash(expected->reference, hash);
    }
    hash_end(hash, text);
}

static void hash_moved(const struct moved_box *moved, char text[HASH_TEXT_SIZE]) {
    struct hash_state *hash = hash_begin();
    char box[HASH_TEXT_SIZE];
    box_hash(&moved->box, box);
    hash_add_string(hash, box);
    hash_add(hash, moved->particle, moved->count * sizeof *moved->particle);
    moved->judge->hash(moved->reference, hash);
    hash_end(hash, text);
}

static bool is_intact(const struct slot *slot) {
    char hash[HASH_TEXT_SIZE];
    char box[HASH_TEXT_SIZE];
    hash_expected(slot->judge, &slot->expected, hash);
    box_hash(&slot->expected.box, box);
    return strcmp(hash, slot->hash) == 0 && strcmp(box, slot->expected.box_hash) == 0;
}

bool expected_store_intact(const struct expected_store *store) {
    char hash[HASH_TEXT_SIZE];
    bool intact = true;
    for (int s = 0; s < MAX_KEPT && intact; s++) {
        const struct slot *slot = &store->slots[s];
        if (!*slot->key) {
            continue;
        }
        intact = is_intact(slot);
        for (int m = 0; slot->expected.moved && m < MOVED_BOXES && intact; m++) {
            const struct moved_box *moved = &slot->expected.moved[m];
            if (moved->count > 0) {
                hash_moved(moved, hash);
                intact = strcmp(hash, moved->hash) == 0;
            }
        }
    }
    return intact;
}

/* Checks memory before anything is made; what is kept of other boxes can be freed. */
static bool check_memory(const struct expected_store *store, const struct case_spec *spec,
                         bool kept, struct error *error) {
    size_t spare = store->box.n * BYTES_PER_PARTICLE / 2;
    for (int s = 0; s < MAX_KEPT; s++) {
        spare += expected_bytes(&store->slots[s].expected);
    }
    if (!store->device) {
        return true;
    }
    const struct device_info *info = device_describe(store->device);
    const bool ends = cutoff_ends(spec->cutoff, spec->box.open);
    const bool sampled = expected_by_kernels(spec, info, spec->box.n, ends);
    return (kept || memory_on_host(spec->box.n, spare, error)) &&
           memory_on_device(spec, info, sampled, error);
}

const struct expected *expected_for(struct expected_store *store, const struct case_spec *spec,
                                    bool with_reference, struct error *error) {
    char key[KEY_SIZE];
    if (!expected_key(spec, key, error)) {
        return NULL;
    }
    struct slot *slot = find_slot(store, key);
    if (!check_memory(store, spec, slot != NULL, error)) {
        return NULL;
    }
    if (!slot && !workload_has_particles(spec->variant->workload)) {
        slot = make_room(store, 0);
        expect_numbers(spec, &slot->expected);
        memcpy(slot->key, key, sizeof slot->key);
        slot->judge = judge_of(spec);
        hash_expected(slot->judge, &slot->expected, slot->hash);
    }
    if (!slot) {
        if (!raw_box(store, &spec->box, error)) {
            return NULL;
        }
        slot = make_room(store, store->box.n);
        if (!make_box(store, spec, &slot->expected, error)) {
            slot_free(slot);
            return NULL;
        }
        memcpy(slot->key, key, sizeof slot->key);
        slot->judge = judge_of(spec);
        hash_expected(slot->judge, &slot->expected, slot->hash);
    }
    slot->used = ++store->calls;
    if (with_reference && !slot->expected.has_reference) {
        if (!make_reference(store, spec, &slot->expected, error)) {
            return NULL;
        }
        hash_expected(slot->judge, &slot->expected, slot->hash);
    }
    return &slot->expected;
}

struct expected_work expected_work_of(const struct case_spec *spec,
                                      const struct expected *expected) {
    const struct judge_question question = { spec, &expected->box, expected->cutoff,
                                             &expected->groups };
    struct expected_work work = { .pairs = -1 };
    if (judge_of(spec)->work && expected->has_reference) {
        judge_work(&question, expected->reference, &work);
    }
    return work;
}

/* Half the skin of lists. In a periodic cell those of the harness reach as far as skin_radius_by()
 * of lists/skin.c says, and a variant's own, which its passes build when moved, as far as it says.
 */
double expected_half_skin(const struct expected *expected, const struct case_spec *spec) {
    const struct box *box = &expected->box;
    int preset = 0;
    (void)structure_has_tunable(structure_find(spec->variant->structure), SCHEDULE_SKIN, &preset);
    double skin = 0.01 * tunings_value(&spec->tunings, SCHEDULE_SKIN, preset) * expected->cutoff;
    if (box->periodic && !variant_rebuilds_when_moved(spec->variant)) {
        const double reach =
            cell_least_height(&box->cell) * (cell_is_triclinic(&box->cell) ? 0.5 : 1);
        skin = fmax(0, fmin(skin, reach - expected->cutoff));
    }
    return isfinite(expected->cutoff) ? 0.5 * skin : 0;
}

/* Moves particles nearly as far as a list with a skin must tolerate. */
static double moves_reach(const struct expected *expected, const struct case_spec *spec) {
    return 0.98 * expected_half_skin(expected, spec);
}

struct moves expected_moves_new(const struct expected *expected, const struct case_spec *spec) {
    const double reach = moves_reach(expected, spec);
    /* walls and fields are at places */
    return (struct moves){ .together = reach, .anywhere = !(reach > 0) && spec->step.steps == 0 };
}

const struct moved_box *expected_moved(const struct expected *expected,
                                       const struct case_spec *spec, enum moved_use use,
                                       struct error *error) {
    struct moved_box *moved = &expected->moved[use == MOVED_KEPT ? 0 : 1];
    if (use == MOVED_NEW || use == MOVED_FAR) {
        moved_box_free(moved);
    }
    if (moved->count > 0) {
        return moved;
    }
    struct moves moves = { 0 };
    if (use == MOVED_NEW) {
        moves = expected_moves_new(expected, spec);
    } else if (use == MOVED_FAR) {
        moves.waves = moves_reach(expected, spec);
    }
    if (!moved_box_make(
            &(struct judge_question){ spec, &expected->box, expected->cutoff, &expected->groups },
            &moves, moved, error)) {
        return NULL;
    }
    hash_moved(moved, moved->hash);
    return moved;
}
