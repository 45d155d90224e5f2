#include "commands/simulation/simulation.h"

#include "boxes/box.h"
#include "core/files.h"
#include "core/host.h"
#include "core/output_file.h"
#include "core/strings.h"
#include "kernels/motion/step_rules.h"
#include "kernels/potentials/type_table.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_IMAGES = 1000000000 }; /* with room for more to come */

static const char mark[] = " pairmark_checkpoint=1 ";

static bool is_checkpoint(const char *head) {
    const char *line = strchr(head, '\n');
    const char *end = line ? strchr(line + 1, '\n') : NULL;
    const char *found = line ? strstr(line, mark) : NULL;
    return found && (!end || found < end);
}

static const struct output_kind kind = { "a checkpoint of pairmark's", is_checkpoint };

bool checkpoint_check(const char *path, struct error *error) {
    return output_check(path, &kind, error);
}

/* ---- writing ---- */

static void append_doubles(struct strbuf *text, const char *key, const double *numbers,
                           size_t count) {
    strbuf_append(text, " %s=\"", key);
    for (size_t k = 0; k < count; k++) {
        strbuf_append(text, "%s%.17g", k ? " " : "", numbers[k]);
    }
    strbuf_append(text, "\"");
}

static void append_keys(const struct simulation_state *state, const struct simulation_words *words,
                        struct strbuf *text) {
    const size_t faces = STEP_FACES * (size_t)state->box.types;
    strbuf_append(text, "%sstep=%llu rules=\"%s\" interaction=\"%s\" engine=\"%s\"", mark,
                  (unsigned long long)state->step, words->rules, words->interaction, words->engine);
    append_doubles(text, "cutoff", &words->cutoff, 1);
    append_doubles(text, "bath_position", state->thermostat.position, STEP_MAX_CHAIN);
    append_doubles(text, "bath_velocity", state->thermostat.velocity, STEP_MAX_CHAIN);
    append_doubles(text, "heat", &state->thermostat.heat, 1);
    append_doubles(text, "carried", state->carried, faces);
    strbuf_append(text, " crossing=\"");
    for (size_t f = 0; f < faces; f++) {
        strbuf_append(text, "%s%llu", f ? " " : "", (unsigned long long)state->crossing[f]);
    }
    strbuf_append(text, "\"");
}

bool checkpoint_write(const char *path, const struct simulation_state *state,
                      const struct simulation_words *words, struct error *error) {
    struct output *output = NULL;
    struct strbuf keys = { 0 };
    append_keys(state, words, &keys);
    if (keys.failed) {
        strbuf_free(&keys);
        return fail_out_of_memory(error, "a checkpoint");
    }
    const bool opened = output_open(path, &kind, &output, error);
    if (opened) {
        box_write_frame(output_stream(output), &state->box, state->image, keys.data);
    }
    strbuf_free(&keys);
    return opened && output_close(output, true, error);
}

/* ---- reading ---- */

/* What stands behind a key of the second line, up to its quote or blank; NULL: it is not there. The
 * keys are those that were written, in their order, so that none is met within a value. */
static char *value_of(const char *comment, const char *key) {
    char word[40];
    (void)snprintf(word, sizeof word, " %s=", key);
    const char *at = strstr(comment, word);
    if (!at) {
        return NULL;
    }
    at += strlen(word);
    const bool quoted = *at == '"';
    at += quoted;
    const size_t length = strcspn(at, quoted ? "\"" : " ");
    return strndup(at, length);
}

static bool take_doubles(const char *comment, const char *key, double *numbers, size_t count) {
    char *value = value_of(comment, key);
    char *at = value;
    bool good = value != NULL;
    for (size_t k = 0; good && k < count; k++) {
        char *end;
        numbers[k] = strtod(at, &end);
        good = end != at && isfinite(numbers[k]);
        at = end;
    }
    good = good && *at == '\0';
    free(value);
    return good;
}

static bool take_counts(const char *comment, const char *key, uint64_t *numbers, size_t count) {
    char *value = value_of(comment, key);
    char *at = value;
    bool good = value != NULL;
    for (size_t k = 0; good && k < count; k++) {
        char *end;
        at += strspn(at, " ");
        good = *at >= '0' && *at <= '9';
        numbers[k] = strtoull(at, &end, 10);
        good = good && numbers[k] < ULLONG_MAX; /* which stands for all that is more */
        at = end;
    }
    good = good && *at == '\0';
    free(value);
    return good;
}

/* The last three words of each row: whole vectors of the file's cell. */
static bool take_images(const char *rows, const struct box *box, int32_t *image) {
    for (size_t i = 0; i < box->n; i++) {
        const char *end = rows ? strchr(rows, '\n') : NULL;
        const char *at = end;
        if (!end) {
            return false;
        }
        for (int words = 0; words < 3 && at > rows; words++) {
            at--;
            while (at > rows && at[-1] != ' ') {
                at--;
            }
            char *behind;
            const long value = strtol(at, &behind, 10);
            if (behind == at || (*behind != ' ' && *behind != '\n') || labs(value) > MAX_IMAGES) {
                return false;
            }
            const size_t v = (size_t)(2 - words);
            image[3 * i + v] = (int32_t)(box->reversed[v] ? -value : value);
            at -= at > rows;
        }
        rows = end + 1;
    }
    return true;
}

static bool same_words(const char *comment, const char *key, const char *what, const char *now,
                       struct error *error) {
    char *then = value_of(comment, key);
    const bool same = then && strcmp(then, now) == 0;
    if (!same) {
        (void)fail(error, STATUS_BAD_INPUT,
                   "the checkpoint has the %s '%.300s', the command line '%.300s': it goes on as "
                   "it began alone",
                   what, then ? then : "", now);
    }
    free(then);
    return same;
}

static bool check_words(const char *comment, const struct simulation_words *words,
                        struct error *error) {
    double cutoff = 0.0;
    if (!same_words(comment, "rules", "rules", words->rules, error) ||
        !same_words(comment, "interaction", "interaction", words->interaction, error) ||
        !same_words(comment, "engine", "engine", words->engine, error)) {
        return false;
    }
    char *written = value_of(comment, "cutoff");
    const bool endless = written && strcmp(written, "inf") == 0 && isinf(words->cutoff);
    free(written);
    return endless || (take_doubles(comment, "cutoff", &cutoff, 1) && cutoff == words->cutoff) ||
           fail(error, STATUS_BAD_INPUT,
                "the checkpoint has the cutoff %.17g, the command line %.17g: it goes on as it "
                "began alone",
                cutoff, words->cutoff);
}

static bool take_keys(const char *comment, const char *rows, struct simulation_state *state,
                      struct error *error) {
    const size_t faces = STEP_FACES * (size_t)state->box.types;
    const bool good =
        take_counts(comment, "step", &state->step, 1) &&
        take_doubles(comment, "bath_position", state->thermostat.position, STEP_MAX_CHAIN) &&
        take_doubles(comment, "bath_velocity", state->thermostat.velocity, STEP_MAX_CHAIN) &&
        take_doubles(comment, "heat", &state->thermostat.heat, 1) &&
        take_doubles(comment, "carried", state->carried, faces) &&
        take_counts(comment, "crossing", state->crossing, faces) &&
        take_images(rows, &state->box, state->image);
    return good || fail(error, STATUS_BAD_INPUT, "a checkpoint that is damaged");
}

bool checkpoint_cutoff(const char *path, char *words, size_t size, struct error *error) {
    char *text = NULL;
    if (!input_read(path, INPUT_BOX_BYTES, &text, NULL, error)) {
        return false;
    }
    char *cutoff = is_checkpoint(text) ? value_of(text, "cutoff") : NULL;
    free(text);
    if (!cutoff) {
        return fail(error, STATUS_BAD_INPUT, "%s: no checkpoint of pairmark's", path);
    }
    (void)snprintf(words, size, "%s", strcmp(cutoff, "inf") == 0 ? "none" : cutoff);
    free(cutoff);
    return true;
}

static bool read_text(char *text, const char *path, const struct simulation_words *words,
                      struct simulation_state *state, struct error *error) {
    struct box box = { 0 };
    char *comment = strchr(text, '\n');
    char *end = comment ? strchr(comment + 1, '\n') : NULL;
    if (!end || !is_checkpoint(text)) {
        return fail(error, STATUS_BAD_INPUT, "%s: no checkpoint of pairmark's", path);
    }
    *end = '\0';
    if (!check_words(comment, words, error)) {
        return fail_within(error, "%s", path);
    }
    if (!box_read(path, &box, error) || !state_begin(&box, state, error)) {
        return false;
    }
    state->box.uncharged = false; /* zeros are not written */
    if (!take_keys(comment, end + 1, state, error)) {
        state_free(state);
        return fail_within(error, "%s", path);
    }
    return true;
}

bool checkpoint_read(const char *path, const struct simulation_words *words,
                     struct simulation_state *state, struct error *error) {
    char *text = NULL;
    *state = (struct simulation_state){ 0 };
    if (!input_read(path, INPUT_BOX_BYTES, &text, NULL, error)) {
        return false;
    }
    const bool read = read_text(text, path, words, state, error);
    free(text);
    return read;
}

/* ---- particles between two steps ---- */

bool state_begin(struct box *box, struct simulation_state *state, struct error *error) {
    const size_t faces = STEP_FACES * (size_t)box->types;
    *state = (struct simulation_state){ .box = *box };
    *box = (struct box){ 0 };
    strcpy(state->box.kind, "file");
    state->image = calloc(3 * state->box.n, sizeof *state->image);
    state->crossing = calloc(faces, sizeof *state->crossing);
    state->carried = calloc(faces, sizeof *state->carried);
    const bool made = (state->image && state->crossing && state->carried) ||
                      fail_out_of_memory(error, "the particles of a simulation");
    if (!made || !box_add_velocities(&state->box, error)) {
        state_free(state);
        return false;
    }
    return true;
}

void state_free(struct simulation_state *state) {
    box_free(&state->box);
    free(state->image);
    free(state->crossing);
    free(state->carried);
    *state = (struct simulation_state){ 0 };
}

/* ---- the box that run and best begin with ---- */

bool moving_box(const struct box_spec *spec, const struct step_rules *rules, double temperature,
                bool keeps_velocities, struct box *box, struct error *error) {
    if (!box_of_spec(spec, box, error)) {
        return false;
    }
    if (box_is_partly_periodic(box)) {
        char axes[AXES_SIZE];
        box_axes(box, axes);
        box_free(box);
        return fail(error, STATUS_BAD_INPUT,
                    "the box is periodic along %s only, which particles that move on and on leave; "
                    "expected one that is periodic along all axes, or --open (`bench --workload "
                    "step` takes it for some steps)",
                    axes);
    }
    const bool good = (temperature < 0.0 ||
                       box_set_temperature(box, temperature, spec->seed ? spec->seed : 1, error)) &&
                      (rules->integrator != INTEGRATOR_SETTLE || keeps_velocities ||
                       rigid_set_velocities(box, rules, temperature, error));
    if (!good) {
        box_free(box);
    }
    return good;
}

bool moving_box_round(enum precision precision, struct box *box, struct error *error) {
    struct box rounded;
    if (!box_as_device(box, precision, &rounded, error)) {
        return false;
    }
    box_free(box);
    *box = rounded;
    return true;
}

bool moving_cutoff(const struct case_spec *spec, const struct box *box, double *cutoff,
                   struct error *error) {
    *cutoff = cutoff_in(spec->cutoff, !box->periodic, 0.5 * box_least_repeat(box));
    return box_accepts_cutoff(box, *cutoff, error) &&
           interaction_fits(&spec->interaction, box, *cutoff, error);
}

void moving_variant(const struct step_rules *rules, bool open, char *words, size_t size) {
    static const char *const of_thermostat[] = { [THERMOSTAT_NONE] = "verlet",
                                                 [THERMOSTAT_RESCALE] = "rescale",
                                                 [THERMOSTAT_BERENDSEN] = "berendsen",
                                                 [THERMOSTAT_NOSE_HOOVER] = "nose_hoover" };
    const bool plain = rules->integrator == INTEGRATOR_VERLET;
    const char *name =
        plain ? of_thermostat[rules->thermostat] : integrator_name(rules->integrator);
    if (plain && rules->thermostat == THERMOSTAT_NONE && step_field_is_there(&rules->field)) {
        name = "verlet_field";
    }
    if (rules->integrator == INTEGRATOR_SETTLE) {
        name = "verlet_settle";
    }
    (void)snprintf(words, size, "%s+%s", name, open ? "all_pairs_loop" : "sorted_cells");
}

/* ---- for how many steps a list lasts ---- */

/* Of bringing a box to a temperature. */
enum { SETTLING_ROUNDS = 20, SETTLING_STEPS = 10 };
static const double settling_share = 0.5; /* of the time */

/* By whole vectors of the cell, so that who leaves at one side has not moved far. */
static void unwrap(const struct simulation_state *state, size_t i, double place[3]) {
    const struct box *box = &state->box;
    const int32_t *image = &state->image[3 * i];
    place[0] = box->position[3 * i] + image[0] * box->edge[0] + image[1] * box->tilt[0] +
               image[2] * box->tilt[1];
    place[1] = box->position[3 * i + 1] + image[1] * box->edge[1] + image[2] * box->tilt[2];
    place[2] = box->position[3 * i + 2] + image[2] * box->edge[2];
}

static bool advance(struct engine *engine, uint64_t steps, struct simulation_state *state,
                    struct step_sums *sums, struct error *error) {
    return engine->advance(engine, steps, state, sums, error) &&
           engine->fetch(engine, state, error);
}

static void scale_velocities(struct simulation_state *state, double factor) {
    for (size_t k = 0; k < 3 * state->box.n; k++) {
        state->box.velocity[k] *= factor;
    }
}

static bool settle(struct engine *engine, struct simulation_state *state, double temperature,
                   double end_s, struct error *error) {
    for (int r = 0; r < SETTLING_ROUNDS && clock_s() < end_s; r++) {
        struct step_sums sums;
        if (!advance(engine, SETTLING_STEPS, state, &sums, error)) {
            return false;
        }
        if (sums.temperature > 0) {
            scale_velocities(state, sqrt(temperature / sums.temperature));
            engine->state_changed = true;
        }
    }
    return true;
}

static double farthest_from(const struct simulation_state *state, const double *origin) {
    double most = 0;
    for (size_t i = 0; i < state->box.n; i++) {
        double place[3];
        double square = 0;
        unwrap(state, i, place);
        for (int k = 0; k < 3; k++) {
            const double way = place[k] - origin[3 * i + (size_t)k];
            square += way * way;
        }
        most = fmax(most, square);
    }
    return sqrt(most);
}

static bool record(struct engine *engine, struct simulation_state *state, const double *origin,
                   double farthest, double end_s, struct list_life *life, struct error *error) {
    double temperatures = 0;
    while (life->steps < LIST_LIFE_STEPS && life->moved[life->steps] <= farthest &&
           (life->steps < 2 || clock_s() < end_s)) {
        struct step_sums sums;
        if (!advance(engine, 1, state, &sums, error)) {
            return false;
        }
        temperatures += sums.temperature;
        life->steps++;
        life->moved[life->steps] = fmax(farthest_from(state, origin), life->moved[life->steps - 1]);
    }
    life->temperature = temperatures / (double)life->steps;
    return true;
}

bool list_life_measure(struct engine *engine, struct simulation_state *state, double temperature,
                       double farthest, double cap_s, struct list_life *life, struct error *error) {
    const double began_s = clock_s();
    double *origin = malloc(3 * state->box.n * sizeof *origin);
    *life = (struct list_life){ 0 };
    if (!origin) {
        return fail_out_of_memory(error, "where particles were");
    }
    bool good = settle(engine, state, temperature, began_s + settling_share * cap_s, error);
    for (size_t i = 0; good && i < state->box.n; i++) {
        unwrap(state, i, &origin[3 * i]);
    }
    good = good && record(engine, state, origin, farthest, began_s + cap_s, life, error);
    free(origin);
    return good;
}

double list_life_of(const struct list_life *life, double skin) {
    const double half = 0.5 * skin;
    const double last = life->moved[life->steps];
    size_t served = 0;
    while (served < life->steps && life->moved[served] <= half) {
        served++;
    }
    if (life->moved[served] <= half && last > 0) {
        return (double)life->steps * half / last;
    }
    return served < 1 ? 1 : (double)served;
}
