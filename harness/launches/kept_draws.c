#include "launches/kept_draws.h"

#include "system/seed.h"

#include <stdlib.h>

bool kept_draws_create(const struct judged_case *judged, struct kept_draws *draws,
                       struct error *error) {
    const size_t results = (size_t)LAUNCH_JUDGE_MAX * DRAWS_SAMPLE;
    struct device *device = judged->plan->device;
    *draws = (struct kept_draws){ .of = judged };
    return buffer_allocate(device, sizeof draws->place, &draws->places, error) &&
           buffer_allocate(device, results * case_drawn_bytes(judged->spec), &draws->sampled,
                           error);
}

void kept_draws_free(struct kept_draws *draws) {
    buffer_free(draws->places);
    buffer_free(draws->sampled);
    *draws = (struct kept_draws){ 0 };
}

bool kept_draws_choose(struct kept_draws *draws, struct error *error) {
    draws->place_count =
        draws_choose(draws->of->spec, draws->of->plan->sets[0].n, draw_seed(), draws->place);
    return buffer_write(draws->places, 0, draws->place, draws->place_count * sizeof *draws->place,
                        error);
}

bool kept_draws_launch(struct kept_draws *draws, int launch, bool spoil, struct error *error) {
    const struct judged_case *of = draws->of;
    const struct particle_set *set = &of->plan->sets[0];
    const size_t bytes = case_drawn_bytes(of->spec);
    const size_t words = set->n * bytes / sizeof(int32_t);
    const int slot = launch_slot(launch);
    const struct argument keep[] = { argument_int((int32_t)draws->place_count),
                                     argument_int((int32_t)(bytes / sizeof(int32_t))),
                                     argument_buffer(draws->places),
                                     argument_buffer(set->result),
                                     argument_buffer(draws->sampled),
                                     argument_int(slot * DRAWS_SAMPLE) };
    const struct argument garbage[] = { argument_int((int32_t)words), argument_buffer(set->result),
                                        garbage_seed(of, launch, GARBAGE_OF_DRAWS) };
    draws->step_of[slot] = of->plan->step;
    return launch_tool_run(of->tools, TOOL_KEEP_WORDS, draws->place_count, keep,
                           sizeof keep / sizeof keep[0], error) &&
           (!spoil || launch_tool_run(of->tools, TOOL_SPOIL_WORDS, words, garbage,
                                      sizeof garbage / sizeof garbage[0], error));
}

static void compare_sample(const struct kept_draws *draws, int launch, const void *results,
                           double *numbers, struct verdict *verdict) {
    const struct judged_case *of = draws->of;
    struct verdict of_launch = verdict_of(STATUS_OK);
    const struct drawn_numbers drawn = { .spec = of->spec,
                                         .n = of->plan->sets[0].n,
                                         .seed = of->plan->seed,
                                         .step = draws->step_of[launch],
                                         .got = numbers,
                                         .place = draws->place,
                                         .count = draws->place_count };
    const size_t offset = (size_t)launch * DRAWS_SAMPLE * case_drawn_bytes(of->spec);
    set_take_draws(of->plan, (const char *)results + offset, draws->place_count, numbers);
    draws_compare(&drawn, &of_launch);
    tell_verdict_of_launch(launch, &of_launch, verdict);
}

bool kept_draws_end(const struct kept_draws *draws, int launches, struct verdict *verdict,
                    struct error *error) {
    double numbers[DRAWS_SAMPLE];
    const size_t bytes = (size_t)launches * DRAWS_SAMPLE * case_drawn_bytes(draws->of->spec);
    void *results = malloc(bytes);
    if (!results) {
        return fail_out_of_memory(error, "the draws");
    }
    const bool read = buffer_read(draws->sampled, 0, results, bytes, error);
    for (int launch = 0; read && launch < launches && verdict->status == STATUS_OK; launch++) {
        compare_sample(draws, launch, results, numbers, verdict);
    }
    free(results);
    return read;
}
