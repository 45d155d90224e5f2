/* How the passes of a prepared case are launched, in words. */
#include "core/strings.h"
#include "prepare/kernel_plan_parts.h"

#include <stdlib.h>
#include <string.h>

static void append_value(const struct kernel_plan *plan, const struct argument *argument,
                         struct strbuf *text) {
    const unsigned char *bytes = argument_bytes(argument);
    const size_t real = kernel_plan_real_size(plan);
    int32_t whole = 0;
    if (argument->size == sizeof whole) {
        float number;
        memcpy(&whole, bytes, sizeof whole);
        memcpy(&number, bytes, sizeof number);
        /* Whole numbers of this size have the bits of denormal floats. */
        if (abs(whole) < 1 << 23) {
            strbuf_append(text, "%d", (int)whole);
        } else {
            strbuf_append(text, "%.9g", (double)number);
        }
        return;
    }
    strbuf_append(text, "%zu bytes:", argument->size);
    for (size_t at = 0; at + real <= argument->size; at += real) {
        float narrow;
        double wide;
        memcpy(&narrow, bytes + at, sizeof narrow);
        memcpy(&wide, bytes + at, real);
        strbuf_append(text, " %.*g", real == sizeof wide ? 17 : 9,
                      real == sizeof wide ? wide : (double)narrow);
    }
}

static void append_argument(const struct kernel_plan *plan, const char *name,
                            const struct argument *argument, struct strbuf *text) {
    strbuf_append(text, "    %-24s ", name);
    if (argument->buffer) {
        strbuf_append(text, "device memory, %zu bytes", buffer_bytes(argument->buffer));
    } else if (argument->is_local) {
        strbuf_append(text, "local memory, %zu bytes", argument->size);
    } else {
        append_value(plan, argument, text);
    }
    strbuf_append(text, "\n");
}

static void append_pass(const struct kernel_plan *plan, int index, struct strbuf *text) {
    const struct pass *pass = &plan->spec->variant->passes[index];
    const struct planned_pass *made = &plan->passes[index];
    const char *when = schedule_words(&pass->schedule);
    strbuf_append(text, "\n%s: ", pass->kernel);
    if (pass->transform != TRANSFORM_NONE) {
        strbuf_append(text, "a discrete Fourier transform, by a library");
    } else if (made->is_grid) {
        const struct kernel_shape *shape = &made->shape;
        strbuf_append(text, "grid %zu x %zu x %zu, block %zu x %zu x %zu, shared %zu bytes",
                      shape->grid[0], shape->grid[1], shape->grid[2], shape->block[0],
                      shape->block[1], shape->block[2], shape->shared_bytes);
    } else {
        strbuf_append(text, "%zu groups of %d", made->groups, plan->group_size);
    }
    strbuf_append(text, "%s%s\n", *when ? ", " : "", when);
    for (size_t a = 0; a < made->argument_count; a++) {
        const bool own = a < (size_t)pass->argument_count;
        append_argument(plan, own ? pass->arguments[a] : "(of the pair function)",
                        &made->arguments[a], text);
    }
}

void kernel_plan_describe_launches(const struct kernel_plan *plan, struct strbuf *text) {
    for (int p = 0; p < plan->spec->variant->pass_count; p++) {
        append_pass(plan, p, text);
    }
}
