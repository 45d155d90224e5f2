#include "measure/launches/kept_places.h"

#include "core/host.h"

#include <stdlib.h>

enum { ROUNDS_PER_LOOK = 4 }; /* at many results */

/* ---- making ---- */

static size_t most_of(const struct kept_places *kept) {
    return kept->n < PLACES_MANY ? kept->n : PLACES_MANY;
}

bool kept_places_create(const struct judged_case *judged, struct kept_places *kept,
                        struct error *error) {
    const size_t results = (size_t)LAUNCH_JUDGE_MAX * PLACES_SAMPLE;
    struct device *device = judged->plan->device;
    const struct workload_places *places = judged->spec->variant->workload->places;
    *kept = (struct kept_places){ .of = judged,
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

/* ---- a round ---- */

/* All of them where the judge does not choose. */
static size_t choose(const struct kept_places *kept, size_t most, int32_t *place) {
    const struct judge *judge = judge_of(kept->of->spec);
    if (judge->choose) {
        return judge->choose(kept->of->spec, kept->n, draw_seed(), most, place);
    }
    const size_t count = kept->n < most ? kept->n : most;
    for (size_t k = 0; k < count; k++) {
        place[k] = (int32_t)k;
    }
    return count;
}

bool kept_places_choose(struct kept_places *kept, struct error *error) {
    const bool looks = (!kept->has_looked || draw_seed() % ROUNDS_PER_LOOK == 0) &&
                       judge_of(kept->of->spec)->choose;
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
    const struct judged_case *of = kept->of;
    const int words = (int)(kept->bytes / sizeof(int32_t));
    return launch_tool_run(
        of->tools, TOOL_KEEP_WORDS, count,
        ARGUMENTS(argument_int((int32_t)count), argument_int(words), argument_buffer(places),
                  argument_buffer(of->plan->sets[0].result), argument_buffer(to), argument_int(at)),
        error);
}

/* Those of the first launch stay where it is the only one, for the gate has compared a first step
 * of a seed that no kernel knows; each of the others is as likely as the next. */
static bool keep_many(struct kept_places *kept, int launch, struct error *error) {
    if (launch < 0 || kept->many_count == 0 ||
        (launch > 1 && draw_seed() % (uint64_t)launch != 0)) {
        return true;
    }
    kept->many_launch = launch;
    return keep_results(kept, kept->many_places, kept->many_count, kept->many_kept, 0, error);
}

bool kept_places_launch(struct kept_places *kept, int launch, bool poison, struct error *error) {
    const struct judged_case *of = kept->of;
    const struct particle_set *set = &of->plan->sets[0];
    const size_t words = kept->n * kept->bytes / sizeof(int32_t);
    const int slot = launch_slot(launch);
    kept->step_of[slot] = of->plan->step;
    return keep_results(kept, kept->places, kept->place_count, kept->sampled, slot * PLACES_SAMPLE,
                        error) &&
           keep_many(kept, launch, error) &&
           (!poison ||
            launch_tool_run(of->tools, TOOL_POISON_WORDS, words,
                            ARGUMENTS(argument_int((int32_t)words), argument_buffer(set->result),
                                      garbage_seed(of, launch, GARBAGE_OF_PLACES)),
                            error));
}

/* ---- the verdict ---- */

/* Compares so many results of a launch, as the kernel wrote them, at these places. */
static void compare_at(const struct kept_places *kept, int launch, const int32_t *place,
                       size_t count, const void *results, double *numbers,
                       struct verdict *verdict) {
    const struct judged_case *of = kept->of;
    const struct judge_question question = question_of(of);
    const struct workload_places *places = of->spec->variant->workload->places;
    struct verdict of_launch = verdict_of(STATUS_OK);
    const struct placed_results placed = { .n = kept->n,
                                           .seed = of->plan->seed,
                                           .step = kept->step_of[launch],
                                           .got = numbers,
                                           .place = place,
                                           .count = count };
    for (size_t k = 0; k < count; k++) {
        numbers[k] = places->number(of->spec, results, k);
    }
    judge_of(of->spec)->compare_placed(&question, of->expected->reference, &placed, &of_launch);
    report_verdict_of_launch(launch, &of_launch, verdict);
}

static bool compare_many(struct kept_places *kept, struct verdict *verdict, struct error *error) {
    const size_t bytes = kept->many_count * kept->bytes;
    void *results = malloc(bytes ? bytes : 1);
    double *numbers = malloc((kept->many_count + 1) * sizeof *numbers);
    const bool read = results && numbers ? buffer_read(kept->many_kept, 0, results, bytes, error)
                                         : fail_out_of_memory(error, "the draws");
    if (read) {
        compare_at(kept, kept->many_launch, kept->many_place, kept->many_count, results, numbers,
                   verdict);
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
    const size_t bytes = (size_t)launches * of_each;
    void *results = malloc(bytes);
    if (!results) {
        return fail_out_of_memory(error, "the draws");
    }
    const bool read = buffer_read(kept->sampled, 0, results, bytes, error);
    for (int launch = 0; read && launch < launches && verdict->status == STATUS_OK; launch++) {
        compare_at(kept, launch, kept->place, kept->place_count,
                   (const char *)results + (size_t)launch * of_each, numbers, verdict);
    }
    free(results);
    return read && (kept->many_count == 0 || verdict->status != STATUS_OK ||
                    compare_many(kept, verdict, error));
}
