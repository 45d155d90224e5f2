/* Keeps samples of the results of launches on the device, for the host to compare at the end of a
 * round. */
#include "measure/launches/judge_parts.h"

#include "core/host.h"

#include <stdlib.h>

enum { ROUNDS_PER_LOOK = 4 }; /* at more results than those at a few places */

/* ---- results that are not over particles ---- */

static size_t most_of(const struct kept_places *kept) {
    return kept->n < PLACES_MANY ? kept->n : PLACES_MANY;
}

bool kept_places_create(const struct judged_case *judged, struct kept_places *kept,
                        struct error *error) {
    const size_t results = (size_t)LAUNCH_JUDGE_MAX * PLACES_SAMPLE;
    struct device *device = kernel_plan_device(judged->plan);
    const struct workload_places *places = judged->spec->variant->workload->places;
    *kept = (struct kept_places){ .judged = judged,
                                  .n = places->count(judged->spec),
                                  .bytes = places->bytes(judged->spec) };
    if (kept->n > PLACES_SAMPLE && !judge_of(judged->spec)->choose) {
        return fail(error, STATUS_SYSTEM, "%s: %zu results, of which no sample is chosen",
                    judged->spec->variant->workload->name, kept->n);
    }
    kept->many_place = malloc(PLACES_MANY * sizeof *kept->many_place);
    if (!kept->many_place) {
        return fail_out_of_memory(error, "the places of results");
    }
    return buffer_allocate(device, sizeof kept->place, &kept->places, error) &&
           buffer_allocate(device, results * kept->bytes, &kept->sampled, error) &&
           buffer_allocate(device, most_of(kept) * sizeof *kept->many_place, &kept->many_places,
                           error) &&
           buffer_allocate(device, most_of(kept) * kept->bytes, &kept->many_kept, error);
}

void kept_places_free(struct kept_places *kept) {
    buffer_free(kept->places);
    buffer_free(kept->sampled);
    free(kept->many_place);
    buffer_free(kept->many_places);
    buffer_free(kept->many_kept);
    *kept = (struct kept_places){ 0 };
}

/* Chooses the places that are kept; all, where the judge of the workload does not choose. */
static size_t choose(const struct kept_places *kept, size_t most, int32_t *place) {
    const struct judge *judge = judge_of(kept->judged->spec);
    if (judge->choose) {
        return judge->choose(kept->judged->spec, kept->n, draw_seed(), most, place);
    }
    const size_t count = kept->n < most ? kept->n : most;
    for (size_t k = 0; k < count; k++) {
        place[k] = (int32_t)k;
    }
    return count;
}

bool kept_places_choose(struct kept_places *kept, struct error *error) {
    const bool looks = (!kept->has_looked || draw_seed() % ROUNDS_PER_LOOK == 0) &&
                       judge_of(kept->judged->spec)->choose;
    kept->place_count = choose(kept, PLACES_SAMPLE, kept->place);
    kept->many_count = looks ? choose(kept, PLACES_MANY, kept->many_place) : 0;
    return buffer_write(kept->places, 0, kept->place, kept->place_count * sizeof *kept->place,
                        error) &&
           (!looks || buffer_write(kept->many_places, 0, kept->many_place,
                                   kept->many_count * sizeof *kept->many_place, error));
}

/* Enqueues that results at `count` places are kept in `kept`, from result `at` on. */
static bool keep_results(const struct kept_places *kept, struct buffer *places, size_t count,
                         struct buffer *to, int at, struct error *error) {
    const struct judged_case *judged = kept->judged;
    const int words = (int)(kept->bytes / sizeof(int32_t));
    return launch_tool_run(judged->tools, TOOL_KEEP_WORDS, count,
                           ARGUMENTS(argument_int((int32_t)count), argument_int(words),
                                     argument_buffer(places),
                                     argument_buffer(kernel_plan_set(judged->plan, 0)->result),
                                     argument_buffer(to), argument_int(at)),
                           error);
}

/* Reservoir sampling: each launch from the second on is kept with the same probability. The first
 * one is kept only if it is the only one, because the gate has compared a first step already. */
static bool keep_many(struct kept_places *kept, int launch, struct error *error) {
    if (launch < 0 || kept->many_count == 0 ||
        (launch > 1 && draw_seed() % (uint64_t)launch != 0)) {
        return true;
    }
    kept->many_launch = launch;
    return keep_results(kept, kept->many_places, kept->many_count, kept->many_kept, 0, error);
}

bool kept_places_launch(struct kept_places *kept, int launch, bool poison, struct error *error) {
    const struct judged_case *judged = kept->judged;
    const struct particle_set *set = kernel_plan_set(judged->plan, 0);
    const size_t words = kept->n * kept->bytes / sizeof(int32_t);
    const int slot = launch_slot(launch);
    kept->step_of[slot] = kernel_plan_step(judged->plan);
    return keep_results(kept, kept->places, kept->place_count, kept->sampled, slot * PLACES_SAMPLE,
                        error) &&
           keep_many(kept, launch, error) &&
           (!poison ||
            launch_tool_run(judged->tools, TOOL_POISON_WORDS, words,
                            ARGUMENTS(argument_int((int32_t)words), argument_buffer(set->result),
                                      garbage_seed(judged, launch, GARBAGE_OF_PLACES)),
                            error));
}

/* Results of a launch, as the kernel wrote them, at some places. */
struct results_at {
    int launch;
    const int32_t *place;
    size_t count;
    const void *results;
};

/* Compares them; `numbers` has room for as many. */
static void compare_at(const struct kept_places *kept, const struct results_at *at, double *numbers,
                       struct verdict *verdict) {
    const struct judged_case *judged = kept->judged;
    const struct judge_question question = question_of(judged);
    const struct workload_places *places = judged->spec->variant->workload->places;
    struct verdict of_launch = verdict_of(STATUS_OK);
    const struct placed_results placed = { .n = kept->n,
                                           .seed = kernel_plan_seed(judged->plan),
                                           .step = kept->step_of[at->launch],
                                           .got = numbers,
                                           .place = at->place,
                                           .count = at->count };
    for (size_t k = 0; k < at->count; k++) {
        numbers[k] = places->number(judged->spec, at->results, k);
    }
    judge_of(judged->spec)
        ->compare_placed(&question, judged->expected->reference, &placed, &of_launch);
    report_verdict_of_launch(at->launch, &of_launch, verdict);
}

static bool compare_many(struct kept_places *kept, struct verdict *verdict, struct error *error) {
    void *results = buffer_copy(kept->many_kept, kept->many_count * kept->bytes, error);
    double *numbers = malloc((kept->many_count + 1) * sizeof *numbers);
    const bool read = results && (numbers || fail_out_of_memory(error, "the draws"));
    if (read) {
        const struct results_at many = { kept->many_launch, kept->many_place, kept->many_count,
                                         results };
        compare_at(kept, &many, numbers, verdict);
        kept->has_looked = kept->has_looked || kept->many_launch > 0;
    }
    free(results);
    free(numbers);
    return read;
}

bool kept_places_end(struct kept_places *kept, int launches, struct verdict *verdict,
                     struct error *error) {
    double numbers[PLACES_SAMPLE];
    const size_t of_each = PLACES_SAMPLE * kept->bytes;
    void *results = buffer_copy(kept->sampled, (size_t)launches * of_each, error);
    const bool read = results != NULL;
    for (int launch = 0; read && launch < launches && verdict->status == STATUS_OK; launch++) {
        const struct results_at sample = { launch, kept->place, kept->place_count,
                                           (const char *)results + (size_t)launch * of_each };
        compare_at(kept, &sample, numbers, verdict);
    }
    free(results);
    return read && (kept->many_count == 0 || verdict->status != STATUS_OK ||
                    compare_many(kept, verdict, error));
}

/* ---- all results of a launch ---- */

/* Time steps of rigid molecules, and those that keep more digits than a float: neither shows in one
 * particle. An exchange leaves particles in places of its own after each launch. */
static bool has_steps_seen_whole(const struct judged_case *judged) {
    const struct kernel_plan *plan = judged->plan;
    const struct numeric numeric = precision_numeric(judged->spec->precision);
    return kernel_plan_has_steps(plan) && !kernel_plan_step_outputs(plan).exchanges &&
           (judged->spec->step.integrator == INTEGRATOR_SETTLE ||
            numeric_real_is_double(numeric) != numeric_accum_is_double(numeric));
}

bool kept_results_create(const struct judged_case *judged, struct kept_results *kept,
                         struct error *error) {
    const struct kernel_plan *plan = judged->plan;
    *kept = (struct kept_results){ .judged = judged, .first = true };
    struct device *device = kernel_plan_device(plan);
    const bool has_steps = has_steps_seen_whole(judged);
    if (!judge_of(judged->spec)->compare_all || (kernel_plan_has_steps(plan) && !has_steps)) {
        return true;
    }
    return buffer_allocate(device, buffer_bytes(kernel_plan_set(plan, 0)->result), &kept->kept,
                           error) &&
           (!has_steps ||
            buffer_allocate(device, buffer_bytes(kernel_plan_step_outputs(plan).velocity),
                            &kept->velocities, error));
}

void kept_results_free(struct kept_results *kept) {
    buffer_free(kept->kept);
    buffer_free(kept->velocities);
    *kept = (struct kept_results){ 0 };
}

void kept_results_begin(struct kept_results *kept, bool scattered) {
    kept->scattered = scattered;
    kept->looks = kept->kept && (kept->first || draw_seed() % ROUNDS_PER_LOOK == 0);
    kept->launch = 0;
}

static bool copy(const struct kept_results *kept, struct buffer *from, struct buffer *to,
                 struct error *error) {
    const size_t n = kernel_plan_set(kept->judged->plan, 0)->n;
    return launch_tool_run(
        kept->judged->tools, TOOL_COPY_RESULTS, n,
        ARGUMENTS(argument_int((int32_t)n), argument_buffer(from), argument_buffer(to)), error);
}

bool kept_results_launch(struct kept_results *kept, int launch, struct error *error) {
    if (!kept->looks || draw_seed() % ((uint64_t)launch + 1) != 0) {
        return true;
    }
    const struct kernel_plan *plan = kept->judged->plan;
    kept->launch = launch;
    return copy(kept, kernel_plan_set(plan, 0)->result, kept->kept, error) &&
           (!kept->velocities ||
            copy(kept, kernel_plan_step_outputs(plan).velocity, kept->velocities, error));
}

bool kept_results_end(struct kept_results *kept, struct verdict *verdict, struct error *error) {
    struct evaluation evaluation = { 0 };
    struct verdict of_launch;
    if (!kept->looks) {
        return true;
    }
    kept->first = kept->first && kept->scattered;
    struct kernel_plan *plan = kept->judged->plan;
    const struct judge_question question = question_of(kept->judged);
    if (!copy(kept, kept->kept, kernel_plan_set(plan, 0)->result, error) ||
        (kept->velocities &&
         !copy(kept, kept->velocities, kernel_plan_step_outputs(plan).velocity, error)) ||
        !kernel_plan_collect(plan, &evaluation, error)) {
        return false;
    }
    judge_compare_all(&question, kept->judged->expected->reference, &evaluation, &of_launch);
    evaluation_free(&evaluation);
    report_verdict_of_launch(kept->launch, &of_launch, verdict);
    return true;
}

/* ---- sums ---- */

enum { WORDS_PER_FACE_NUMBER = 2 }; /* as the device copies them */

/* Where the sums of a pass of a launch are kept; after the last pass, the totals of time steps. */
static size_t kept_at(const struct kept_sums *kept, int launch, int pass) {
    return ((size_t)launch * (size_t)(kept->passes + 1) + (size_t)pass) * kept->room;
}

/* What is counted at faces. */
static bool make_room_for_faces(struct kept_sums *kept, struct error *error) {
    const struct kernel_plan *plan = kept->judged->plan;
    if (!kernel_plan_has_steps(plan) || !kernel_plan_counts_faces(plan)) {
        return true;
    }
    kept->face_numbers = buffer_bytes(kernel_plan_step_outputs(plan).face_sums) / sizeof(int64_t);
    struct device *device = kernel_plan_device(plan);
    const size_t bytes = kept->face_numbers * sizeof(int32_t);
    int32_t *places = malloc(bytes);
    if (!places) {
        return fail_out_of_memory(error, "the sums at faces");
    }
    for (size_t p = 0; p < kept->face_numbers; p++) {
        places[p] = (int32_t)p;
    }
    const bool made =
        buffer_allocate(device, bytes, &kept->face_places, error) &&
        buffer_write(kept->face_places, 0, places, bytes, error) &&
        buffer_allocate(device, LAUNCH_JUDGE_MAX * kept->face_numbers * sizeof(int64_t),
                        &kept->faces, error);
    free(places);
    return made;
}

bool kept_sums_create(const struct judged_case *judged, struct kept_sums *kept,
                      struct error *error) {
    const struct kernel_plan *plan = judged->plan;
    const size_t sums = (size_t)kernel_plan_sum_count(plan) * kernel_plan_sum_boxes(plan);
    *kept = (struct kept_sums){ .judged = judged,
                                .room = sums > TOTAL_NUMBERS ? sums : TOTAL_NUMBERS,
                                .passes = judged->spec->variant->pass_count };
    const size_t kept_numbers = kept_at(kept, LAUNCH_JUDGE_MAX, 0);
    const size_t bytes = kept_numbers * kernel_plan_accum_size(plan);
    if (kept_numbers > INT32_MAX) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%zu sums of a launch are more than can be kept of a round of %d launches",
                    sums, LAUNCH_JUDGE_MAX);
    }
    return buffer_allocate(kernel_plan_device(judged->plan), bytes, &kept->sums, error) &&
           make_room_for_faces(kept, error);
}

void kept_sums_free(struct kept_sums *kept) {
    buffer_free(kept->sums);
    buffer_free(kept->face_places);
    buffer_free(kept->faces);
    *kept = (struct kept_sums){ 0 };
}

/* The sums of a pass, or the totals after the last pass, and which garbage overwrites them. */
struct sums_of_pass {
    struct buffer *sums;
    int count, pass, garbage;
};

/* Saves them where those of the pass belong, and overwrites them with garbage. */
static bool keep_sums(const struct kept_sums *kept, const struct sums_of_pass *sums, int launch,
                      bool poison, struct error *error) {
    const struct kernel_plan *plan = kept->judged->plan;
    /* what sums over particles come to: some units of energy per particle */
    const double size = 4.0 * (double)kernel_plan_set(plan, 0)->n;
    return launch_tool_run(
        kept->judged->tools, TOOL_KEEP_SUMS, (size_t)sums->count,
        ARGUMENTS(argument_int(sums->count), argument_buffer(sums->sums),
                  argument_buffer(kept->sums),
                  argument_int((int32_t)kept_at(kept, launch_slot(launch), sums->pass)),
                  argument_int(poison), argument_real(size, kernel_plan_accum_is_double(plan)),
                  garbage_seed(kept->judged, launch, sums->garbage)),
        error);
}

static bool keep_pass(const struct kept_sums *kept, int p, int launch, bool poison,
                      struct error *error) {
    const struct kernel_plan *plan = kept->judged->plan;
    struct plan_sums pass;
    if (!kernel_plan_sums(plan, p, &pass)) {
        return true;
    }
    const size_t partial = buffer_bytes(pass.partial_sums) / kernel_plan_accum_size(plan);
    const int sums = kernel_plan_sum_count(plan) * (int)kernel_plan_sum_boxes(plan);
    const struct sums_of_pass own = { pass.sums, sums, p, GARBAGE_OF_SUMS + p };
    return keep_sums(kept, &own, launch, poison, error) &&
           (!poison ||
            launch_tool_run(
                kept->judged->tools, TOOL_POISON_NUMBERS, partial,
                ARGUMENTS(argument_int((int32_t)partial), argument_buffer(pass.partial_sums),
                          garbage_seed(kept->judged, launch, GARBAGE_OF_PARTIAL_SUMS + p)),
                error));
}

/* Keeps what time steps counted at faces. */
static bool keep_faces(const struct kept_sums *kept, int launch, struct error *error) {
    const size_t slot = (size_t)launch_slot(launch);
    return launch_tool_run(
        kept->judged->tools, TOOL_KEEP_WORDS, kept->face_numbers,
        ARGUMENTS(argument_int((int32_t)kept->face_numbers), argument_int(WORDS_PER_FACE_NUMBER),
                  argument_buffer(kept->face_places),
                  argument_buffer(kernel_plan_step_outputs(kept->judged->plan).face_sums),
                  argument_buffer(kept->faces), argument_int((int32_t)(slot * kept->face_numbers))),
        error);
}

bool kept_sums_launch(struct kept_sums *kept, int launch, bool poison, struct error *error) {
    const struct kernel_plan *plan = kept->judged->plan;
    bool is_kept = true;
    if (kernel_plan_has_steps(plan)) {
        const struct sums_of_pass totals = { kernel_plan_step_outputs(plan).totals, TOTAL_NUMBERS,
                                             kept->passes, GARBAGE_OF_TOTALS };
        is_kept =
            keep_sums(kept, &totals, launch, poison, error) && keep_faces(kept, launch, error);
    }
    for (int p = 0; is_kept && p < kept->judged->spec->variant->pass_count; p++) {
        is_kept = keep_pass(kept, p, launch, poison, error);
    }
    return is_kept;
}

/* What the launches of a round left for the host. */
struct read_sums {
    void *sums;     /* of each launch and pass, as kept_at() says */
    int64_t *faces; /* of each launch face_numbers; NULL: nobody counts */
};

static void read_sums_free(struct read_sums *read) {
    free(read->sums);
    free(read->faces);
}

static bool read_sums(const struct kept_sums *kept, int launches, struct read_sums *read,
                      struct error *error) {
    const size_t bytes = kept_at(kept, launches, 0) * kernel_plan_accum_size(kept->judged->plan);
    const size_t of_faces = (size_t)launches * kept->face_numbers * sizeof *read->faces;
    *read = (struct read_sums){ .sums = buffer_copy(kept->sums, bytes, error) };
    if (!read->sums || of_faces == 0) {
        return read->sums != NULL;
    }
    read->faces = buffer_copy(kept->faces, of_faces, error);
    return read->faces != NULL;
}

static bool take_sums_of_launch(const struct kept_sums *kept, int launch,
                                const struct read_sums *read, struct evaluation *evaluation,
                                struct error *error) {
    const char *sums = read->sums;
    const size_t size = kernel_plan_accum_size(kept->judged->plan);
    struct raw_sums raw = { .totals = sums + kept_at(kept, launch, kept->passes) * size };
    raw.faces = read->faces ? read->faces + (size_t)launch * kept->face_numbers : NULL;
    for (int p = 0; p < kept->passes; p++) {
        raw.of_pass[p] = sums + kept_at(kept, launch, p) * size;
    }
    return kernel_plan_take_sums(kept->judged->plan, &raw, evaluation, error);
}

static bool judge_launch(const struct kept_sums *kept, int launch, const struct read_sums *read,
                         struct verdict *verdict, struct error *error) {
    const struct judged_case *judged = kept->judged;
    struct evaluation evaluation = { .n = kernel_plan_box(judged->plan)->n };
    struct verdict of_sums;
    const struct judge_question question = question_of(judged);
    const bool taken = take_sums_of_launch(kept, launch, read, &evaluation, error);
    if (taken) {
        judge_compare_scalars(&question, judged->expected->reference, &evaluation, &of_sums);
        report_verdict_of_launch(launch, &of_sums, verdict);
    }
    evaluation_free(&evaluation);
    return taken;
}

bool kept_sums_end(const struct kept_sums *kept, int launches, struct verdict *verdict,
                   struct error *error) {
    struct read_sums read;
    if (kernel_plan_sum_count(kept->judged->plan) == 0 && kept->face_numbers == 0) {
        return true;
    }
    bool judged = read_sums(kept, launches, &read, error);
    for (int launch = 0; judged && launch < launches && verdict->status == STATUS_OK; launch++) {
        judged = judge_launch(kept, launch, &read, verdict, error);
    }
    read_sums_free(&read);
    return judged;
}
