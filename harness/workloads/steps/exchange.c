#include "workloads/steps/steps.h"

#include "core/embedded.h"
#include "core/strings.h"
#include "kernels/potentials/exclusions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXCHANGE_GROUP_SIZE = 128, MAX_KEY_BITS = 31, MAX_CURVE_BITS = 10 };

enum exchange_kernel { EXCHANGE_NUMBER, EXCHANGE_TAKE, EXCHANGE_PUT, EXCHANGE_KERNELS };
static const char *const kernel_names[EXCHANGE_KERNELS] = {
    [EXCHANGE_NUMBER] = "exchange_number",
    [EXCHANGE_TAKE] = "exchange_take",
    [EXCHANGE_PUT] = "exchange_put",
};

struct exchange {
    struct device *device;
    struct program *program;
    struct kernel *kernels[EXCHANGE_KERNELS];
    size_t n, molecules;
    int bits, key_bits; /* of the curve, per edge; of a group and a number on the curve */
    double origin[3], inverse_bin[3];
    bool real_is_double;
    struct buffer *start, *seats, *rank_of_seat, *group; /* of molecules in the order of groups */
    struct buffer *key, *rank, *sorted_key, *comes;
    struct exchange_state next;
};

/* ---- the seats ---- */

/* Molecules of one group side by side: their seats, as the device lists them. */
struct seats {
    int32_t *start;        /* molecules + 1 */
    int32_t *seat;         /* n, by ranks */
    int32_t *rank_of_seat; /* n, in the order of `seat` */
    int32_t *group;        /* molecules */
};

static void seats_free(struct seats *seats) {
    free(seats->start);
    free(seats->seat);
    free(seats->rank_of_seat);
    free(seats->group);
}

static bool seats_allocate(size_t n, size_t molecules, struct seats *seats, struct error *error) {
    seats->start = calloc(molecules + 1, sizeof *seats->start);
    seats->seat = calloc(n, sizeof *seats->seat);
    seats->rank_of_seat = calloc(n, sizeof *seats->rank_of_seat);
    seats->group = calloc(molecules, sizeof *seats->group);
    return (seats->start && seats->seat && seats->rank_of_seat && seats->group) ||
           fail_out_of_memory(error, "the seats of molecules");
}

/* Molecules are taken in their own order, so that those of a group keep it. */
static bool seats_fill(const struct alike *alike, struct seats *seats, struct error *error) {
    int32_t *next = calloc(alike->groups + 1, sizeof *next); /* rank */
    int32_t *molecule_at = calloc(alike->molecules, sizeof *molecule_at);
    const bool good = (next && molecule_at) || fail_out_of_memory(error, "the seats of molecules");
    for (size_t g = 0; good && g < alike->groups; g++) {
        next[g + 1] = next[g] + alike->count[g];
    }
    for (size_t m = 0; good && m < alike->molecules; m++) {
        molecule_at[next[alike->group[m]]++] = (int32_t)m;
    }
    int32_t at = 0;
    for (size_t rank = 0; good && rank < alike->molecules; rank++) {
        const int32_t m = molecule_at[rank];
        seats->start[rank] = at;
        seats->group[rank] = alike->group[m];
        for (int32_t k = alike->start[m]; k < alike->start[m + 1]; k++) {
            seats->seat[at] = alike->particle[k];
            seats->rank_of_seat[at++] = (int32_t)rank;
        }
    }
    if (good) {
        seats->start[alike->molecules] = at;
    }
    free(next);
    free(molecule_at);
    return good;
}

/* ---- the curve ---- */

static int bits_for(double count) {
    int bits = 0;
    while (bits < MAX_KEY_BITS && count > ldexp(1, bits)) {
        bits++;
    }
    return bits;
}

/* Bins of a cube around the cell, or around where the particles are, about half of a molecule's
 * share each. */
static void make_curve(const struct box *box, size_t groups, struct exchange *exchange) {
    double longest = 0;
    double high[3];
    for (size_t d = 0; d < 3; d++) {
        exchange->origin[d] = high[d] = box->position[d];
        for (size_t i = 1; i < box->n; i++) {
            exchange->origin[d] = fmin(exchange->origin[d], box->position[3 * i + d]);
            high[d] = fmax(high[d], box->position[3 * i + d]);
        }
        longest = fmax(longest, high[d] - exchange->origin[d]);
    }
    const int of_group = bits_for((double)groups);
    const int wanted = bits_for(cbrt((double)exchange->molecules)) + 1;
    const int room = (MAX_KEY_BITS - of_group) / 3;
    exchange->bits = wanted < room ? wanted : room;
    exchange->bits = exchange->bits < MAX_CURVE_BITS ? exchange->bits : MAX_CURVE_BITS;
    exchange->key_bits = of_group + 3 * exchange->bits;
    for (int d = 0; d < 3; d++) {
        exchange->inverse_bin[d] = longest > 0 ? ldexp(1, exchange->bits) / longest : 1;
    }
}

/* ---- making ---- */

void exchange_free(struct exchange *exchange) {
    if (!exchange) {
        return;
    }
    struct buffer *const buffers[] = {
        exchange->start,         exchange->seats,      exchange->rank_of_seat,
        exchange->group,         exchange->key,        exchange->rank,
        exchange->sorted_key,    exchange->comes,      exchange->next.position,
        exchange->next.velocity, exchange->next.force, exchange->next.position_rest,
        exchange->next.crossing, exchange->next.index,
    };
    for (size_t b = 0; b < sizeof buffers / sizeof buffers[0]; b++) {
        buffer_free(buffers[b]);
    }
    program_free(exchange->program);
    free(exchange);
}

static bool compile(struct exchange *exchange, enum precision precision, struct error *error) {
    struct strbuf text = { 0 };
    strbuf_append(&text, "%s\n%s\n%s", embedded_text("variants/structures/curve.cl"),
                  embedded_text("harness/workloads/member_order.cl"),
                  embedded_text("harness/workloads/steps/exchange.cl"));
    const struct program_source source = { .name = "exchange",
                                           .precision_words = precision_name(precision),
                                           .group_size = EXCHANGE_GROUP_SIZE };
    return program_build(
        exchange->device, &source, &text,
        &(struct named_kernels){ kernel_names, EXCHANGE_KERNELS, exchange->kernels },
        &exchange->program, error);
}

static bool make_ints(struct device *device, const int32_t *numbers, size_t count,
                      struct buffer **buffer, struct error *error) {
    return buffer_allocate(device, count * sizeof *numbers, buffer, error) &&
           (!numbers || buffer_write(*buffer, 0, numbers, count * sizeof *numbers, error));
}

static bool write_seats(struct exchange *exchange, const struct seats *seats, struct error *error) {
    struct device *device = exchange->device;
    const size_t n = exchange->n;
    const size_t molecules = exchange->molecules;
    return make_ints(device, seats->start, molecules + 1, &exchange->start, error) &&
           make_ints(device, seats->seat, n, &exchange->seats, error) &&
           make_ints(device, seats->rank_of_seat, n, &exchange->rank_of_seat, error) &&
           make_ints(device, seats->group, molecules, &exchange->group, error) &&
           make_ints(device, NULL, molecules, &exchange->key, error) &&
           make_ints(device, NULL, molecules, &exchange->rank, error) &&
           make_ints(device, NULL, molecules, &exchange->sorted_key, error) &&
           make_ints(device, NULL, molecules, &exchange->comes, error);
}

static bool allocate_next(struct exchange *exchange, enum precision precision,
                          struct error *error) {
    const struct numeric numeric = precision_numeric(precision);
    struct device *device = exchange->device;
    struct exchange_state *next = &exchange->next;
    const size_t reals = 4 * exchange->n * format_bytes(numeric.position);
    const size_t accums =
        4 * exchange->n * (numeric_accum_is_double(numeric) ? sizeof(double) : sizeof(float));
    return buffer_allocate(device, reals, &next->position, error) &&
           buffer_allocate(device, reals, &next->position_rest, error) &&
           buffer_allocate(device, accums, &next->velocity, error) &&
           buffer_allocate(device, accums, &next->force, error) &&
           buffer_allocate(device, 4 * exchange->n * sizeof(int32_t), &next->crossing, error) &&
           buffer_allocate(device, exchange->n * sizeof(int32_t), &next->index, error);
}

static bool make_seats(struct exchange *exchange, const struct box *box, struct error *error) {
    struct alike alike = { 0 };
    struct seats seats = { 0 };
    bool made = alike_find(box, &alike, error);
    if (made) {
        exchange->molecules = alike.molecules;
        make_curve(box, alike.groups, exchange);
        made = (exchange->bits >= 1 ||
                fail(error, STATUS_UNSUPPORTED,
                     "--exchange: %zu groups of identical molecules are too many to be sorted",
                     alike.groups)) &&
               seats_allocate(box->n, alike.molecules, &seats, error) &&
               seats_fill(&alike, &seats, error) && write_seats(exchange, &seats, error);
    }
    seats_free(&seats);
    alike_free(&alike);
    return made;
}

bool exchange_create(struct device *device, const struct box *box,
                     const struct interaction *interaction, enum precision precision,
                     struct exchange **exchange, struct error *error) {
    if (interaction->exclusions && !exclusions_by_molecule(interaction->exclusions)) {
        return fail(error, STATUS_BAD_INPUT,
                    "--exchange: exclusions of a file make particles distinct; expected --exclude "
                    "molecule or none");
    }
    struct exchange *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "exchanges of molecules");
    }
    made->device = device;
    made->n = box->n;
    made->real_is_double = numeric_real_is_double(precision_numeric(precision));
    if (!compile(made, precision, error) || !make_seats(made, box, error) ||
        !allocate_next(made, precision, error)) {
        exchange_free(made);
        return false;
    }
    *exchange = made;
    return true;
}

/* ---- an exchange ---- */

static bool launch(const struct exchange *exchange, enum exchange_kernel kernel, size_t items,
                   const struct argument *arguments, size_t count, struct error *error) {
    return kernel_launch(exchange->kernels[kernel],
                         (items + EXCHANGE_GROUP_SIZE - 1) / EXCHANGE_GROUP_SIZE,
                         EXCHANGE_GROUP_SIZE, arguments, count, error);
}

static bool number(struct exchange *exchange, const struct member_order *order,
                   const struct exchange_state *state, struct error *error) {
    return launch(exchange, EXCHANGE_NUMBER, exchange->molecules,
                  ARGUMENTS(argument_int((int32_t)exchange->molecules),
                            argument_int((int32_t)exchange->n), argument_int((int32_t)order->shift),
                            argument_int((int32_t)order_back(order)),
                            argument_real3(exchange->origin, exchange->real_is_double),
                            argument_real3(exchange->inverse_bin, exchange->real_is_double),
                            argument_int(exchange->bits), argument_buffer(exchange->start),
                            argument_buffer(exchange->seats), argument_buffer(exchange->group),
                            argument_buffer(state->position), argument_buffer(exchange->key),
                            argument_buffer(exchange->rank)),
                  error) &&
           device_sort_pairs(exchange->device, (struct key_values){ exchange->key, exchange->rank },
                             (struct key_values){ exchange->sorted_key, exchange->comes },
                             exchange->molecules, exchange->key_bits, error);
}

static bool take(struct exchange *exchange, const struct member_order *order,
                 const struct exchange_state *state, struct error *error) {
    const struct exchange_state *next = &exchange->next;
    return launch(exchange, EXCHANGE_TAKE, exchange->n,
                  ARGUMENTS(argument_int((int32_t)exchange->n), argument_int((int32_t)order->shift),
                            argument_int((int32_t)order_back(order)),
                            argument_buffer(exchange->start), argument_buffer(exchange->seats),
                            argument_buffer(exchange->rank_of_seat),
                            argument_buffer(exchange->comes), argument_buffer(state->position),
                            argument_buffer(state->position_rest), argument_buffer(state->velocity),
                            argument_buffer(state->force), argument_buffer(state->crossing),
                            argument_buffer(state->index), argument_buffer(next->position),
                            argument_buffer(next->position_rest), argument_buffer(next->velocity),
                            argument_buffer(next->force), argument_buffer(next->crossing),
                            argument_buffer(next->index)),
                  error);
}

static bool put(struct exchange *exchange, const struct exchange_state *state,
                struct error *error) {
    const struct exchange_state *next = &exchange->next;
    return launch(exchange, EXCHANGE_PUT, exchange->n,
                  ARGUMENTS(argument_int((int32_t)exchange->n), argument_buffer(next->position),
                            argument_buffer(next->position_rest), argument_buffer(next->velocity),
                            argument_buffer(next->force), argument_buffer(next->crossing),
                            argument_buffer(next->index), argument_buffer(state->position),
                            argument_buffer(state->position_rest), argument_buffer(state->velocity),
                            argument_buffer(state->force), argument_buffer(state->crossing),
                            argument_buffer(state->index)),
                  error);
}

bool exchange_enqueue(struct exchange *exchange, const struct member_order *order,
                      const struct exchange_state *state, struct error *error) {
    return number(exchange, order, state, error) && take(exchange, order, state, error) &&
           put(exchange, state, error);
}
