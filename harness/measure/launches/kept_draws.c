#include "measure/launches/kept_draws.h"

#include "core/host.h"

#include <stdlib.h>

enum { ROUNDS_PER_LOOK = 4 }; /* at many results */

/* ---- making ---- */

static size_t most_of(const struct kept_draws *draws) {
    const size_t n = draws->of->plan->sets[0].n;
    return n < DRAWS_MANY ? n : DRAWS_MANY;
}

bool kept_draws_create(const struct judged_case *judged, struct kept_draws *draws,
                       struct error *error) {
    const size_t results = (size_t)LAUNCH_JUDGE_MAX * DRAWS_SAMPLE;
    struct device *device = judged->plan->device;
    *draws = (struct kept_draws){ .of = judged };
    draws->many_place = malloc(DRAWS_MANY * sizeof *draws->many_place);
    if (!draws->many_place) {
        return fail_out_of_memory(error, "the places of draws");
    }
    return buffer_allocate(device, sizeof draws->place, &draws->places, error) &&
           buffer_allocate(device, results * case_drawn_bytes(judged->spec), &draws->sampled,
                           error) &&
           buffer_allocate(device, most_of(draws) * sizeof *draws->many_place, &draws->many_places,
                           error) &&
           buffer_allocate(device, most_of(draws) * case_drawn_bytes(judged->spec), &draws->many,
                           error);
}

void kept_draws_free(struct kept_draws *draws) {
    buffer_free(draws->places);
    buffer_free(draws->sampled);
    free(draws->many_place);
    buffer_free(draws->many_places);
    buffer_free(draws->many);
    *draws = (struct kept_draws){ 0 };
}

/* ---- a round ---- */

bool kept_draws_choose(struct kept_draws *draws, struct error *error) {
    const struct case_spec *spec = draws->of->spec;
    const size_t n = draws->of->plan->sets[0].n;
    const bool looks = !draws->has_looked || draw_seed() % ROUNDS_PER_LOOK == 0;
    draws->place_count = draws_choose(spec, n, draw_seed(), draws->place);
    draws->many_count = looks ? draws_choose_many(spec, n, draw_seed(), draws->many_place) : 0;
    return buffer_write(draws->places, 0, draws->place, draws->place_count * sizeof *draws->place,
                        error) &&
           (!looks || buffer_write(draws->many_places, 0, draws->many_place,
                                   draws->many_count * sizeof *draws->many_place, error));
}

/* Enqueues that results at `count` places are kept in `kept`, from result `at` on. */
static bool keep_results(const struct kept_draws *draws, struct buffer *places, size_t count,
                         struct buffer *kept, int at, struct error *error) {
    const struct judged_case *of = draws->of;
    const int words = (int)(case_drawn_bytes(of->spec) / sizeof(int32_t));
    const struct argument keep[] = {
        argument_int((int32_t)count), argument_int(words),
        argument_buffer(places),      argument_buffer(of->plan->sets[0].result),
        argument_buffer(kept),        argument_int(at)
    };
    return launch_tool_run(of->tools, TOOL_KEEP_WORDS, count, keep, sizeof keep / sizeof keep[0],
                           error);
}

/* Those of the first launch stay where it is the only one, for the gate has compared a first step
 * of a seed that no kernel knows; each of the others is as likely as the next. */
static bool keep_many(struct kept_draws *draws, int launch, struct error *error) {
    if (launch < 0 || draws->many_count == 0 ||
        (launch > 1 && draw_seed() % (uint64_t)launch != 0)) {
        return true;
    }
    draws->many_launch = launch;
    return keep_results(draws, draws->many_places, draws->many_count, draws->many, 0, error);
}

bool kept_draws_launch(struct kept_draws *draws, int launch, bool poison, struct error *error) {
    const struct judged_case *of = draws->of;
    const struct particle_set *set = &of->plan->sets[0];
    const size_t words = set->n * case_drawn_bytes(of->spec) / sizeof(int32_t);
    const int slot = launch_slot(launch);
    const struct argument garbage[] = { argument_int((int32_t)words), argument_buffer(set->result),
                                        garbage_seed(of, launch, GARBAGE_OF_DRAWS) };
    draws->step_of[slot] = of->plan->step;
    return keep_results(draws, draws->places, draws->place_count, draws->sampled,
                        slot * DRAWS_SAMPLE, error) &&
           keep_many(draws, launch, error) &&
           (!poison || launch_tool_run(of->tools, TOOL_POISON_WORDS, words, garbage,
                                       sizeof garbage / sizeof garbage[0], error));
}

/* ---- the verdict ---- */

/* Compares so many results of a launch, as the kernel wrote them, at these places. */
static void compare_at(const struct kept_draws *draws, int launch, const int32_t *place,
                       size_t count, const void *results, double *numbers,
                       struct verdict *verdict) {
    const struct judged_case *of = draws->of;
    struct verdict of_launch = verdict_of(STATUS_OK);
    const struct drawn_numbers drawn = { .spec = of->spec,
                                         .n = of->plan->sets[0].n,
                                         .seed = of->plan->seed,
                                         .step = draws->step_of[launch],
                                         .got = numbers,
                                         .place = place,
                                         .count = count };
    set_take_draws(of->plan, results, count, numbers);
    draws_compare(&drawn, &of_launch);
    report_verdict_of_launch(launch, &of_launch, verdict);
}

static bool compare_many(struct kept_draws *draws, struct verdict *verdict, struct error *error) {
    const size_t bytes = draws->many_count * case_drawn_bytes(draws->of->spec);
    void *results = malloc(bytes ? bytes : 1);
    double *numbers = malloc((draws->many_count + 1) * sizeof *numbers);
    const bool read = results && numbers ? buffer_read(draws->many, 0, results, bytes, error)
                                         : fail_out_of_memory(error, "the draws");
    if (read) {
        compare_at(draws, draws->many_launch, draws->many_place, draws->many_count, results,
                   numbers, verdict);
        draws->has_looked = draws->has_looked || draws->many_launch > 0;
    }
    free(results);
    free(numbers);
    return read;
}

bool kept_draws_end(struct kept_draws *draws, int launches, struct verdict *verdict,
                    struct error *error) {
    double numbers[DRAWS_SAMPLE];
    const size_t of_each = DRAWS_SAMPLE * case_drawn_bytes(draws->of->spec);
    const size_t bytes = (size_t)launches * of_each;
    void *results = malloc(bytes);
    if (!results) {
        return fail_out_of_memory(error, "the draws");
    }
    const bool read = buffer_read(draws->sampled, 0, results, bytes, error);
    for (int launch = 0; read && launch < launches && verdict->status == STATUS_OK; launch++) {
        compare_at(draws, launch, draws->place, draws->place_count,
                   (const char *)results + (size_t)launch * of_each, numbers, verdict);
    }
    free(results);
    return read && (draws->many_count == 0 || verdict->status != STATUS_OK ||
                    compare_many(draws, verdict, error));
}
