#include "measure/launches/kept_sums.h"

#include <stdlib.h>

enum { WORDS_PER_FACE_NUMBER = 2 }; /* as the device copies them */

_Static_assert((int)OFFERED_TOTALS <= (int)MAX_SUMS,
               "the totals of time steps have the room of a pass");

/* Where the sums of a pass of a launch are kept; behind the last pass, the totals of time steps. */
static size_t kept_at(int launch, int pass) {
    return ((size_t)launch * (VARIANT_MAX_PASSES + 1) + (size_t)pass) * MAX_SUMS;
}

/* ---- making ---- */

/* What is counted at faces. */
static bool make_room_for_faces(struct kept_sums *kept, struct error *error) {
    const struct kernel_plan *plan = kept->of->plan;
    if (!plan_has_steps(plan) || !kernel_plan_counts_faces(plan)) {
        return true;
    }
    kept->face_numbers = buffer_bytes(plan->steps->face_sums) / sizeof(int64_t);
    const size_t bytes = kept->face_numbers * sizeof(int32_t);
    int32_t *places = malloc(bytes);
    if (!places) {
        return fail_out_of_memory(error, "the sums at faces");
    }
    for (size_t p = 0; p < kept->face_numbers; p++) {
        places[p] = (int32_t)p;
    }
    const bool made =
        buffer_allocate(plan->device, bytes, &kept->face_places, error) &&
        buffer_write(kept->face_places, 0, places, bytes, error) &&
        buffer_allocate(plan->device, LAUNCH_JUDGE_MAX * kept->face_numbers * sizeof(int64_t),
                        &kept->faces, error);
    free(places);
    return made;
}

bool kept_sums_create(const struct judged_case *judged, struct kept_sums *kept,
                      struct error *error) {
    const size_t bytes = kept_at(LAUNCH_JUDGE_MAX, 0) * kernel_plan_accum_size(judged->plan);
    *kept = (struct kept_sums){ .of = judged };
    return buffer_allocate(judged->plan->device, bytes, &kept->sums, error) &&
           make_room_for_faces(kept, error);
}

void kept_sums_free(struct kept_sums *kept) {
    buffer_free(kept->sums);
    buffer_free(kept->face_places);
    buffer_free(kept->faces);
    *kept = (struct kept_sums){ 0 };
}

/* ---- a round ---- */

/* Saves so many sums where those of a pass belong, and overwrites them with garbage. */
static bool keep_sums(const struct kept_sums *kept, const struct buffer *sums, int count,
                      int launch, int pass, bool poison, int garbage, struct error *error) {
    const struct kernel_plan *plan = kept->of->plan;
    /* what sums over particles come to: some units of energy per particle */
    const double size = 4.0 * (double)plan->sets[0].n;
    return launch_tool_run(
        kept->of->tools, TOOL_KEEP_SUMS, (size_t)count,
        ARGUMENTS(argument_int(count), argument_buffer(sums), argument_buffer(kept->sums),
                  argument_int((int32_t)kept_at(launch_slot(launch), pass)), argument_int(poison),
                  argument_real(size, plan->accum_is_double),
                  garbage_seed(kept->of, launch, garbage)),
        error);
}

static bool keep_pass(const struct kept_sums *kept, int p, int launch, bool poison,
                      struct error *error) {
    const struct kernel_plan *plan = kept->of->plan;
    const struct planned_pass *pass = &plan->passes[p];
    const size_t partial = buffer_bytes(pass->partial_sums) / kernel_plan_accum_size(plan);
    return keep_sums(kept, pass->sums, plan->sum_count, launch, p, poison, GARBAGE_OF_SUMS + p,
                     error) &&
           (!poison ||
            launch_tool_run(kept->of->tools, TOOL_POISON_NUMBERS, partial,
                            ARGUMENTS(argument_int((int32_t)partial),
                                      argument_buffer(pass->partial_sums),
                                      garbage_seed(kept->of, launch, GARBAGE_OF_PARTIAL_SUMS + p)),
                            error));
}

/* Of time steps: what was counted at faces. */
static bool keep_faces(const struct kept_sums *kept, int launch, struct error *error) {
    const size_t slot = (size_t)launch_slot(launch);
    return launch_tool_run(
        kept->of->tools, TOOL_KEEP_WORDS, kept->face_numbers,
        ARGUMENTS(argument_int((int32_t)kept->face_numbers), argument_int(WORDS_PER_FACE_NUMBER),
                  argument_buffer(kept->face_places),
                  argument_buffer(kept->of->plan->steps->face_sums), argument_buffer(kept->faces),
                  argument_int((int32_t)(slot * kept->face_numbers))),
        error);
}

bool kept_sums_launch(struct kept_sums *kept, int launch, bool poison, struct error *error) {
    const struct kernel_plan *plan = kept->of->plan;
    bool is_kept =
        !plan_has_steps(plan) || (keep_sums(kept, plan->steps->totals, OFFERED_TOTALS, launch,
                                            VARIANT_MAX_PASSES, poison, GARBAGE_OF_TOTALS, error) &&
                                  keep_faces(kept, launch, error));
    for (int p = 0; is_kept && p < plan->spec->variant->pass_count; p++) {
        is_kept = !plan->passes[p].has_sums || keep_pass(kept, p, launch, poison, error);
    }
    return is_kept;
}

/* ---- the verdict ---- */

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
    const size_t bytes = kept_at(launches, 0) * kernel_plan_accum_size(kept->of->plan);
    const size_t of_faces = (size_t)launches * kept->face_numbers * sizeof *read->faces;
    *read = (struct read_sums){ .sums = malloc(bytes) };
    read->faces = of_faces > 0 ? malloc(of_faces) : NULL;
    if (!read->sums || (of_faces > 0 && !read->faces)) {
        return fail_out_of_memory(error, "the sums");
    }
    return buffer_read(kept->sums, 0, read->sums, bytes, error) &&
           (of_faces == 0 || buffer_read(kept->faces, 0, read->faces, of_faces, error));
}

static bool take_faces(const struct kernel_plan *plan, const int64_t *faces,
                       struct evaluation *evaluation, struct error *error) {
    if (!faces) {
        return true;
    }
    if (!evaluation_make_faces(plan, evaluation, error)) {
        return false;
    }
    steps_tell_faces(plan, faces, evaluation->face_count, evaluation->face_momentum);
    return true;
}

static void take_sums_of_launch(const struct kernel_plan *plan, int launch,
                                const struct read_sums *read, struct evaluation *evaluation) {
    const size_t size = kernel_plan_accum_size(plan);
    double sums[MAX_SUMS] = { 0 };
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        if (plan->passes[p].has_sums) {
            add_sums(plan, (const char *)read->sums + kept_at(launch, p) * size, sums);
        }
    }
    evaluation_take_sums(plan, sums, evaluation);
    if (plan_has_steps(plan)) {
        evaluation_take_totals(
            plan, (const char *)read->sums + kept_at(launch, VARIANT_MAX_PASSES) * size,
            evaluation);
    }
}

static bool judge_launch(const struct kept_sums *kept, int launch, const struct read_sums *read,
                         struct verdict *verdict, struct error *error) {
    const struct judged_case *of = kept->of;
    struct evaluation evaluation = { .n = of->plan->box->n };
    const int64_t *faces = read->faces ? read->faces + (size_t)launch * kept->face_numbers : NULL;
    struct verdict of_sums;
    const struct judge_question question = question_of(of);
    take_sums_of_launch(of->plan, launch, read, &evaluation);
    const bool taken = take_faces(of->plan, faces, &evaluation, error);
    if (taken) {
        judge_of(of->spec)->compare_scalars(&question, of->expected->reference, &evaluation,
                                            &of_sums);
        report_verdict_of_launch(launch, &of_sums, verdict);
    }
    evaluation_free(&evaluation);
    return taken;
}

bool kept_sums_end(const struct kept_sums *kept, int launches, struct verdict *verdict,
                   struct error *error) {
    struct read_sums read;
    if (kept->of->plan->sum_count == 0 && kept->face_numbers == 0) {
        return true;
    }
    bool judged = read_sums(kept, launches, &read, error);
    for (int launch = 0; judged && launch < launches && verdict->status == STATUS_OK; launch++) {
        judged = judge_launch(kept, launch, &read, verdict, error);
    }
    read_sums_free(&read);
    return judged;
}
