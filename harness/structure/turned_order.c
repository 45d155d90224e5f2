/* Builder of turned_order: see turned_order.cl for what the kernel does. */
#include "structure/builder.h"
#include "structure/structures.h"

#include <stdlib.h>

struct turned_order {
    size_t n;
    struct program *program;
    struct kernel *turn;
    struct buffer *turned; /* an int a particle */
};

static void turned_order_release(void *state) {
    struct turned_order *order = state;
    if (order) {
        buffer_free(order->turned);
        program_free(order->program);
        free(order);
    }
}

static bool turned_order_create(const struct structure_input *input, void **state,
                                struct error *error) {
    static const char *const texts[] = { "variants/structures/turned_order.cl", NULL };
    static const char *const kernel_names[] = { "turn_order" };
    struct turned_order *order = calloc(1, sizeof *order);
    if (!order) {
        return fail_out_of_memory(error, "turned_order");
    }
    order->n = input->box->n;
    if (!builder_compile(input, texts, kernel_names, 1, &order->program, &order->turn, error) ||
        !buffer_allocate(input->device, order->n * sizeof(int32_t), &order->turned, error)) {
        turned_order_release(order);
        return false;
    }
    *state = order;
    return true;
}

static bool turned_order_build(void *state, struct error *error) {
    const struct turned_order *order = state;
    const struct argument arguments[] = { argument_int((int32_t)order->n),
                                          argument_buffer(order->turned) };
    return builder_launch(order->turn, order->n, arguments, 2, error);
}

DEFINE_BUFFER_VALUE(turned_order, turned)

static const struct offer turned_order_offers[] = {
    { "turned", "GLOBAL const int *", value_of_turned },
    { NULL, NULL, NULL },
};

static const struct offers turned_order_parts[] = { { turned_order_offers, 0 }, { NULL, 0 } };

const struct structure_class structure_turned_order = {
    .name = "turned_order",
    .summary = "the particles from the last to the first",
    .offers = turned_order_parts,
    .ints_per_particle = 1,
    .create = turned_order_create,
    .build = turned_order_build,
    .release = turned_order_release,
};
