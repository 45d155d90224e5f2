#include "structures/lists/skin.h"

#include "kernels/bindings.h"
#include "structures/builder.h"
#include "structures/cell_grid.h"

#include <math.h>
#include <stdlib.h>

enum {
    MAX_GUESSED = 512 /* a wrong guess must not take all memory: rows that are too short grow */
};

/* ---- how far a list reaches ---- */

/* A radius is limited in a periodic box: to an edge, since cells look no farther for images; in a
 * triclinic cell to half the least height, since beyond it an image is not certain to be the
 * nearest. */
double skin_radius_by(const struct structure_input *input, const char *tunable) {
    const struct cell *cell = &input->box->cell;
    const double radius = input->cutoff * (1 + 0.01 * builder_tunable(input, tunable));
    const double most = cell_least_height(cell) * (cell_is_triclinic(cell) ? 0.5 : 1);
    return input->box->periodic ? fmax(input->cutoff, fmin(radius, most)) : radius;
}

double skin_radius(const struct structure_input *input) {
    return skin_radius_by(input, "SKIN");
}

void skin_ask_below(const struct structure_input *input, struct structure_input *below,
                    struct requested_names *requested) {
    (void)requested;
    below->cutoff = skin_radius(input);
}

/* ---- how much room it needs ---- */

double skin_mean_neighbours(double density, double radius) {
    const double pi = 3.14159265358979323846;
    return density * 4.0 / 3.0 * pi * radius * radius * radius;
}

double skin_mean_around(double density, double radius, int particles) {
    const double pi = 3.14159265358979323846;
    const double edge = cbrt(particles / density);
    return density * (edge * edge * edge + 6 * edge * edge * radius +
                      3 * pi * edge * radius * radius + 4 * pi / 3 * radius * radius * radius);
}

double skin_estimated_neighbours(const struct structure_estimate *estimate) {
    const double skin = 0.01 * tunings_value(estimate->tunings, "SKIN", SKIN_PRESET);
    const double neighbours =
        skin_mean_neighbours(estimate->density, estimate->cutoff * (1 + skin));
    return isfinite(neighbours) ? fmin(neighbours, estimate->n) : 0;
}

double skin_density(const struct structure_input *input) {
    struct cell_grid grid;
    double volume = 1;
    cell_grid_make(input->box, skin_radius(input), 1, 0, &grid);
    for (int d = 0; d < 3; d++) {
        volume *= grid.cells[d] * grid.width[d];
    }
    return (double)input->box->n / volume;
}

size_t skin_guess_capacity(const struct structure_input *input, double mean) {
    const int asked = builder_tunable(input, "LIST_CAPACITY");
    const double guess = fmin(16 + 1.2 * mean, (double)input->box->n);
    return asked > 0 ? (size_t)asked : (size_t)fmin(guess, MAX_GUESSED);
}

bool skin_needed_capacity(const struct buffer *lengths, size_t *places, struct error *error) {
    const size_t bytes = buffer_bytes(lengths);
    size_t largest = 0;
    int32_t *values = buffer_copy(lengths, bytes, error);
    const bool read = values != NULL;
    for (size_t i = 0; read && i < bytes / sizeof *values; i++) {
        largest = values[i] > (int64_t)largest ? (size_t)values[i] : largest;
    }
    *places = largest + largest / 8;
    free(values);
    return read;
}

/* ---- how long it is valid ---- */

/* An int that is 0. */
static bool allocate_clear(struct device *device, struct buffer **flag, struct error *error) {
    return buffer_allocate(device, sizeof(int32_t), flag, error) &&
           buffer_fill(*flag, 0, sizeof(int32_t), error);
}

bool skin_create_by(const struct structure_input *input, const char *tunable, struct skin *skin,
                    struct error *error) {
    static const char *const name = "find_moved";
    static const char *const texts[] = { "variants/box.cl", "variants/structures/skin.cl", NULL };
    skin->cells = input->below;
    skin->position = input->position;
    skin->n = input->box->n;
    skin->is_double = builder_is_double(input);
    skin->width = skin_radius_by(input, tunable) - input->cutoff;
    skin->box = bindings_box(&input->box->cell, input->box->periodic, skin->is_double);
    return builder_compile(input, texts, &(struct named_kernels){ &name, 1, &skin->find_moved },
                           &skin->program, error) &&
           buffer_allocate(input->device, sizeof(int32_t), &skin->flag, error) &&
           allocate_clear(input->device, &skin->expired, error);
}

bool skin_create(const struct structure_input *input, struct skin *skin, struct error *error) {
    return skin_create_by(input, "SKIN", skin, error);
}

void skin_free(struct skin *skin) {
    buffer_free(skin->flag);
    buffer_free(skin->expired);
    program_free(skin->program);
}

struct argument skin_of_cells(const struct skin *skin, const char *name) {
    struct argument argument = { 0 };
    (void)structure_chain_argument(skin->cells, name, &argument);
    return argument;
}

double skin_limit(const void *state) {
    return 0.5 * ((const struct skin *)state)->width;
}

bool skin_ask_of(const struct skin *skin, struct places_of_build places, struct buffer **expired,
                 struct error *error) {
    *expired = skin->expired;
    return builder_launch(skin->find_moved, skin->n,
                          ARGUMENTS(argument_int((int32_t)skin->n), argument_buffer(skin->position),
                                    argument_buffer(places.position), argument_buffer(places.index),
                                    skin->box,
                                    argument_real(places.limit * places.limit, skin->is_double),
                                    argument_buffer(skin->expired)),
                          error);
}

bool skin_ask(void *state, struct buffer **expired, struct error *error) {
    return skin_ask_of(state, skin_kept(state), expired, error);
}

struct places_of_build skin_kept(const void *state) {
    const struct skin *skin = state;
    return (struct places_of_build){ skin_of_cells(skin, "sorted_position").buffer,
                                     skin_of_cells(skin, "sorted_index").buffer, skin_limit(skin) };
}

/* ---- how far particles have moved ---- */

enum moved_kernel { NOTE_POSITIONS, FIND_MOVED_SINCE, FIND_MOVED_IN_BOXES, MOVED_KERNELS };

static const char *const kernel_names[MOVED_KERNELS] = { "note_positions", "find_moved_since",
                                                         "find_moved_in_boxes" };

struct moved_test {
    size_t n;
    struct argument box;
    double limit;
    bool is_double;
    struct buffer *position; /* the caller's */
    struct buffer *noted;    /* n real4 */
    struct buffer *flag;     /* one int */
    struct program *program;
    struct kernel *kernels[MOVED_KERNELS];
};

void moved_test_free(struct moved_test *test) {
    if (test) {
        buffer_free(test->noted);
        buffer_free(test->flag);
        program_free(test->program);
        free(test);
    }
}

bool moved_test_create(const struct structure_input *input, size_t n, double limit,
                       struct moved_test **test, struct error *error) {
    static const char *const texts[] = { "variants/box.cl", "variants/structures/moved.cl", NULL };
    struct moved_test *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a test of moves");
    }
    made->n = n;
    made->is_double = builder_is_double(input);
    made->box = bindings_box(&input->box->cell, input->box->periodic, made->is_double);
    made->limit = limit;
    made->position = input->position;
    if (!builder_compile(input, texts,
                         &(struct named_kernels){ kernel_names, MOVED_KERNELS, made->kernels },
                         &made->program, error) ||
        !buffer_allocate(input->device, buffer_bytes(input->position), &made->noted, error) ||
        !allocate_clear(input->device, &made->flag, error)) {
        moved_test_free(made);
        return false;
    }
    *test = made;
    return true;
}

bool moved_test_note(struct moved_test *test, struct error *error) {
    return test->n == 0 ||
           builder_launch(test->kernels[NOTE_POSITIONS], test->n,
                          ARGUMENTS(argument_int((int32_t)test->n), argument_buffer(test->position),
                                    argument_buffer(test->noted)),
                          error);
}

double moved_test_limit(const struct moved_test *test) {
    return test->limit;
}

struct places_of_build moved_test_kept(const struct moved_test *test) {
    return (struct places_of_build){ .position = test->noted, .limit = test->limit };
}

bool moved_test_ask(struct moved_test *test, struct buffer **moved, struct error *error) {
    *moved = test->flag;
    return test->n == 0 ||
           builder_launch(test->kernels[FIND_MOVED_SINCE], test->n,
                          ARGUMENTS(argument_int((int32_t)test->n), argument_buffer(test->position),
                                    argument_buffer(test->noted), test->box,
                                    argument_real(test->limit * test->limit, test->is_double),
                                    argument_buffer(test->flag)),
                          error);
}

bool moved_test_ask_boxes(struct moved_test *test, const struct moved_boxes *boxes,
                          struct buffer **moved, struct error *error) {
    *moved = test->flag;
    return kernel_launch(test->kernels[FIND_MOVED_IN_BOXES], boxes->count, BUILD_GROUP_SIZE,
                         ARGUMENTS(argument_buffer(boxes->begin), argument_buffer(boxes->cells),
                                   argument_buffer(test->position), argument_buffer(test->noted),
                                   argument_real(test->limit * test->limit, test->is_double),
                                   argument_buffer(test->flag)),
                         error);
}
