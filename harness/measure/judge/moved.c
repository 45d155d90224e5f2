#include "measure/judge/expected.h"

#include "boxes/cell.h"
#include "boxes/random.h"
#include "core/host.h"
#include "core/quantity.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double share_of_spacing = 1e-3;
static const double most_drawn = 0.25;
static const double most_stretched = 0.003; /* where the work has to stay the same */

/* ---- moving ---- */

struct moving {
    struct box *box;
    double least[3], most[3];
    double shift[3]; /* of all */
    double step;     /* at random, in any direction */
    uint64_t seed;   /* each range of particles has a sequence of its own */
};

/* A plane wave that moves particles along its own direction. */
struct wave {
    const struct box *box;
    double least[3], most[3];
    double number[3]; /* radians per length, along x, y and z */
    double phase, height[3];
};

/* The share of the shift that a particle at this place moves by: in a periodic box all of it, which
 * keeps all distances; in an open box half a sine wave, which is 0 at the bounds. */
static double share_of_shift(const struct moving *moving, double place, size_t axis) {
    const double extent = moving->most[axis] - moving->least[axis];
    if (moving->box->periodic) {
        return 1;
    }
    return extent > 0 ? sin(pi * (place - moving->least[axis]) / extent) : 0;
}

static void move_some(void *context, size_t first, size_t end) {
    const struct moving *moving = context;
    struct box *box = moving->box;
    struct random random = random_from_seed(moving->seed + first);
    for (size_t k = 3 * first; k < 3 * end; k++) {
        const double from = box->position[k];
        double place = from + moving->step * random_signed(&random) +
                       moving->shift[k % 3] * share_of_shift(moving, from, k % 3);
        if (!box->periodic) { /* a cell is left on one side and entered on the other */
            place = fmin(fmax(place, moving->least[k % 3]), moving->most[k % 3]);
        }
        box->position[k] = place;
    }
}

/* Moves all particles together in a random direction and each by a step of its own, by at most
 * `reach` in all. */
static void draw_shift(struct moving *moving, double reach) {
    struct random random = random_from_seed(draw_seed());
    const double length = fmax(0, reach - sqrt(3) * moving->step);
    double direction[3];
    draw_direction(&random, direction);
    for (size_t k = 0; k < 3; k++) {
        const double most = most_stretched * (moving->most[k] - moving->least[k]) / pi;
        moving->shift[k] = length * direction[k];
        if (!moving->box->periodic) {
            moving->shift[k] = fmin(fmax(moving->shift[k], -most), most);
        }
    }
}

/* Moves all particles together by up to a cell, so that what a kernel kept about places is useless.
 */
static void draw_far_shift(struct moving *moving) {
    struct random random = random_from_seed(draw_seed());
    for (size_t k = 0; k < 3; k++) {
        moving->shift[k] = (moving->most[k] - moving->least[k]) * random_unit(&random);
    }
}

static void move_particles(struct box *box, const struct moves *moves) {
    struct moving moving = { .box = box, .seed = draw_seed() };
    box_bounds(box, moving.least, moving.most);
    const double volume = (moving.most[0] - moving.least[0]) * (moving.most[1] - moving.least[1]) *
                          (moving.most[2] - moving.least[2]);
    const double share = (double)box->n / (double)(box->periodic ? box_count(box) : 1);
    moving.step = share_of_spacing * cbrt(volume / share);
    if (isfinite(moving.step)) {
        if (moves->anywhere && box->periodic && !box_is_partly_periodic(box)) {
            draw_far_shift(&moving);
        } else {
            draw_shift(&moving, moves->together);
        }
        threads_share(box->n, move_some, &moving);
    }
}

static void wave_some(void *context, size_t first, size_t end) {
    const struct wave *wave = context;
    for (size_t i = first; i < end; i++) {
        double *place = &wave->box->position[3 * i];
        const double from[3] = { place[0] - wave->least[0], place[1] - wave->least[1],
                                 place[2] - wave->least[2] };
        const double share = sin(vector_dot(wave->number, from) + wave->phase);
        for (size_t d = 0; d < 3; d++) {
            place[d] += wave->height[d] * share;
            if (!wave->box->periodic) {
                place[d] = fmin(fmax(place[d], wave->least[d]), wave->most[d]);
            }
        }
    }
}

/* How many waves there are along a, b and c, for a length of about two cutoffs: whole numbers, so
 * that a wave fits its images, and one at least. */
static void count_waves(const struct cell *cell, const double direction[3], double cutoff,
                        double count[3]) {
    const double along[3] = { cell->edge[0] * direction[0],
                              cell->tilt[0] * direction[0] + cell->edge[1] * direction[1],
                              cell->tilt[1] * direction[0] + cell->tilt[2] * direction[1] +
                                  cell->edge[2] * direction[2] };
    size_t longest = 0;
    for (size_t d = 0; d < 3; d++) {
        count[d] = rint(along[d] / (2 * cutoff));
        longest = fabs(along[d]) > fabs(along[longest]) ? d : longest;
    }
    if (count[0] == 0 && count[1] == 0 && count[2] == 0) {
        count[longest] = 1;
    }
}

/* Moves particles by reach times the sine of a wave, from a phase and in a direction that are
 * drawn: neighbours of all sides come nearer in some case. The moves are less where they would
 * bring particles nearer by more than a quarter of their distance. */
static void move_in_wave(const struct box *box, const double direction[3], double phase,
                         double cutoff, double reach) {
    struct wave wave = { .box = box, .phase = phase };
    double count[3];
    box_bounds(box, wave.least, wave.most);
    struct cell cell = box->cell;
    for (size_t d = 0; d < 3 && !box->periodic; d++) {
        cell.edge[d] = wave.most[d] - wave.least[d];
    }
    if (!(cell.edge[0] > 0 && cell.edge[1] > 0 && cell.edge[2] > 0)) {
        return;
    }
    count_waves(&cell, direction, cutoff, count);
    for (size_t d = 0; d < 3; d++) {
        double fraction[3];
        const double unit[3] = { d == 0, d == 1, d == 2 };
        cell_fractions(&cell, unit, fraction);
        wave.number[d] = 2 * pi * vector_dot(count, fraction);
    }
    const double radians = sqrt(vector_dot(wave.number, wave.number));
    for (size_t d = 0; d < 3; d++) {
        wave.height[d] = fmin(reach, most_drawn / radians) * wave.number[d] / radians;
    }
    threads_share(box->n, wave_some, &wave);
}

static void move_in_waves(const struct box *box, double cutoff, double reach) {
    struct random random = random_from_seed(draw_seed());
    double direction[3];
    draw_direction(&random, direction);
    const double phase = 2 * pi * random_unit(&random);
    for (size_t b = 0; b < (box->cells ? box->batch : 1); b++) {
        const struct box part = box->cells ? box_of_batch(box, b) : *box;
        if (part.n > 0) {
            move_in_wave(&part, direction, phase, cutoff, reach);
        }
    }
}

/* ---- what is expected ---- */

/* Whether an image of j is within a cutoff of i. A triclinic cell is taken for an orthorhombic one:
 * any sample will do. */
static bool is_near(const struct box *box, size_t i, size_t j, double cutoff) {
    double sum = 0;
    for (size_t k = 0; k < 3; k++) {
        double d = box->position[3 * i + k] - box->position[3 * j + k];
        d -= box->periodic ? box->edge[k] * rint(d / box->edge[k]) : 0;
        sum += d * d;
    }
    return sum <= cutoff * cutoff;
}

/* Draws a particle and count - 1 of those around it, each with the same probability (Vitter's
 * algorithm R). Where these are fewer, the particle itself stands in the rest. */
static void draw_around(const struct box *box, double cutoff, struct random *random,
                        uint32_t *particle, size_t count) {
    const size_t centre = random_next(random) % box->n;
    size_t met = 0;
    for (size_t k = 0; k < count; k++) {
        particle[k] = (uint32_t)centre;
    }
    for (size_t i = 0; i < box->n && count > 1; i++) {
        if (i != centre && is_near(box, i, centre, cutoff)) {
            const size_t place = met < count - 1 ? met : random_next(random) % (met + 1);
            met++;
            if (place < count - 1) {
                particle[1 + place] = (uint32_t)i;
            }
        }
    }
}

/* Draws the sample of particles: from all of them or, where the workload's judge asks for a number
 * of places, around that many centres. */
static bool draw_sample(const struct judge_question *question, struct moved_box *moved,
                        struct error *error) {
    const size_t places = judge_places(question);
    const size_t n = moved->box.n;
    struct random random = random_from_seed(draw_seed());
    moved->particle = malloc(MOVED_SAMPLE * sizeof *moved->particle);
    if (!moved->particle) {
        return fail_out_of_memory(error, "a sample of particles");
    }
    for (size_t k = 0; k < MOVED_SAMPLE && places == 0; k++) {
        moved->particle[k] = (uint32_t)(random_next(&random) % n);
    }
    for (size_t p = 0; p < places; p++) {
        const size_t first = p * MOVED_SAMPLE / places;
        const size_t end = (p + 1) * MOVED_SAMPLE / places;
        draw_around(&moved->box, question->cutoff, &random, moved->particle + first, end - first);
    }
    moved->count = MOVED_SAMPLE;
    return true;
}

static bool compute_expected(const struct case_spec *spec, double cutoff,
                             const struct groups *groups, struct moved_box *moved,
                             struct error *error) {
    const struct judge *judge = judge_of(spec);
    const struct judge_question question = { spec, &moved->box, cutoff, groups };
    moved->judge = judge;
    if (moved->box.n <= MAX_MOVED_WHOLE || !judge->expect_some) {
        moved->count = moved->box.n;
        return judge_expect(&question, EXPECT_ONCE, &moved->reference, error);
    }
    return draw_sample(&question, moved, error) &&
           judge_expect_some(&question, moved->particle, moved->count, &moved->reference, error);
}

bool moved_box_make(const struct judge_question *of_case, const struct moves *moves,
                    struct moved_box *moved, struct error *error) {
    const struct case_spec *spec = of_case->spec;
    struct box shaken;
    memset(moved, 0, sizeof *moved);
    if (!box_as_device(of_case->box, spec->precision, &shaken, error)) {
        return false;
    }
    if (moves->waves > 0) {
        move_in_waves(&shaken, of_case->cutoff, moves->waves);
    } else {
        move_particles(&shaken, moves);
    }
    bool made = box_as_device(&shaken, spec->precision, &moved->box, error);
    box_free(&shaken);
    if (made && !compute_expected(spec, of_case->cutoff, of_case->groups, moved, error)) {
        moved_box_free(moved);
        made = false;
    }
    return made;
}

void moved_box_free(struct moved_box *moved) {
    box_free(&moved->box);
    if (moved->reference) {
        moved->judge->free(moved->reference);
    }
    free(moved->particle);
    memset(moved, 0, sizeof *moved);
}

/* ---- judging ---- */

static void judge_sample(const struct moved_box *moved, const struct workload_words *words,
                         const double *wanted, const double *tolerances,
                         const struct evaluation *evaluation, struct verdict *verdict) {
    const size_t sampled = moved->count;
    for (size_t k = 0; k < 3 * sampled && verdict->status == STATUS_OK; k++) {
        const size_t i = moved->particle[k / 3];
        const double got = evaluation->force[3 * i + k % 3];
        const double expected = wanted[k];
        if (fabs(got - expected) <= tolerances[k]) {
            continue; /* false for NaN */
        }
        verdict_say(verdict, STATUS_WRONG,
                    "%s %s particle %zu, %c: got %.9g, expected %.9g, tolerance %.3g (one of a "
                    "sample of %zu)",
                    words->result, words->preposition, i + 1, "xyz"[k % 3], unsigned_nan(got),
                    expected, tolerances[k], sampled);
    }
}

bool moved_box_judge(const struct moved_box *moved, const struct judge_question *of_case,
                     const struct evaluation *evaluation, struct verdict *verdict,
                     struct error *error) {
    struct judge_question question = *of_case;
    question.box = &moved->box;
    *verdict = verdict_of(STATUS_OK);
    if (!moved->particle) {
        judge_compare(&question, moved->reference, evaluation, verdict);
        if (verdict->status == STATUS_UNSUPPORTED) { /* places that nobody asked for */
            *verdict = verdict_of(STATUS_OK);
        }
        return true;
    }
    double *wanted = malloc(3 * moved->count * sizeof *wanted);
    double *tolerances = malloc(3 * moved->count * sizeof *tolerances);
    const bool made = wanted && tolerances ? judge_bounds(&question, moved->reference,
                                                          JUDGED_RESULT, wanted, tolerances, error)
                                           : fail_out_of_memory(error, "the tolerances");
    if (made) {
        judge_sample(moved, &of_case->spec->variant->workload->words, wanted, tolerances,
                     evaluation, verdict);
    }
    free(wanted);
    free(tolerances);
    return made;
}
