/* What others may see of a prepared case. */
#include "core/strings.h"
#include "prepare/steps_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what it has on the device ---- */

struct device *kernel_plan_device(const struct kernel_plan *plan) {
    return plan->device;
}

const struct box *kernel_plan_box(const struct kernel_plan *plan) {
    return plan->box;
}

bool kernel_plan_accum_is_double(const struct kernel_plan *plan) {
    return plan->accum_is_double;
}

size_t kernel_plan_accum_size(const struct kernel_plan *plan) {
    return plan->accum_is_double ? sizeof(double) : sizeof(float);
}

double kernel_plan_sign(const struct kernel_plan *plan) {
    return plan->spec->variant->result->sign;
}

uint64_t kernel_plan_seed(const struct kernel_plan *plan) {
    return plan->seed;
}

uint64_t kernel_plan_step(const struct kernel_plan *plan) {
    return plan->step;
}

void *kernel_plan_own(const struct kernel_plan *plan) {
    return plan->own;
}

int kernel_plan_set_count(const struct kernel_plan *plan) {
    return plan->set_count;
}

const struct particle_set *kernel_plan_set(const struct kernel_plan *plan, int set) {
    return &plan->sets[set];
}

struct buffer *kernel_plan_scratch(const struct kernel_plan *plan, int scratch) {
    return plan->scratch[scratch];
}

int kernel_plan_sum_count(const struct kernel_plan *plan) {
    return plan->sum_count;
}

size_t kernel_plan_sum_boxes(const struct kernel_plan *plan) {
    return plan->sum_boxes;
}

bool kernel_plan_sums(const struct kernel_plan *plan, int pass, struct plan_sums *sums) {
    const struct planned_pass *planned = &plan->passes[pass];
    *sums = (struct plan_sums){ planned->sums, planned->partial_sums };
    return planned->has_sums;
}

struct step_outputs kernel_plan_step_outputs(const struct kernel_plan *plan) {
    const struct plan_steps *steps = plan->steps;
    return (struct step_outputs){ .index = steps->index,
                                  .velocity = steps->velocity,
                                  .totals = steps->totals,
                                  .face_sums = steps->face_sums,
                                  .exchanges = steps->exchange != NULL };
}

/* ---- inputs of kernels ---- */

struct visit {
    workload_buffer_visitor *call;
    void *context;
};

static void visit(const struct visit *visit, struct buffer *buffer, const char *words) {
    if (buffer) {
        visit->call(visit->context, buffer, words);
    }
}

static void visit_own(void *context, struct buffer *buffer, const char *words) {
    visit(context, buffer, words);
}

/* The buffers among the arguments from a structure; `kept`: among what no building makes. */
static void visit_parameters(const struct parameter_table *tables, const void *state, bool kept,
                             const struct visit *to) {
    for (; tables && tables->table; tables++) {
        if (kept && !structure_keeps(tables)) {
            continue;
        }
        for (const struct kernel_parameter *parameter = tables->table; parameter->name;
             parameter++) {
            visit(to, kernel_parameter_value(parameter, (const char *)state + tables->at).buffer,
                  parameter->name);
        }
    }
}

static void visit_structures(const struct kernel_plan *plan, bool kept, const struct visit *to) {
    for (int s = 0; s < plan->set_count; s++) {
        for (const struct structure_class *structure = plan->structure; structure;
             structure = structure->needs) {
            visit_parameters(structure->parameter_tables,
                             structure_chain_state(plan->sets[s].structure, structure), kept, to);
        }
    }
}

static void visit_pair(const struct pair_buffers *pair, const struct visit *to) {
    visit(to, pair->type, "the types");
    visit(to, pair->table, "the table of types");
    visit(to, pair->molecule, "the molecules");
    visit(to, pair->excluded_start, "the exclusions");
    visit(to, pair->excluded, "the exclusions");
    for (int quad = 0; quad < PAIR_BUFFERS_MAX_QUADS; quad++) {
        visit(to, pair->values[quad], "the values of particles");
    }
    for (int a = 0; a < PAIR_BUFFERS_MAX_ARRAYS; a++) {
        visit(to, pair->arrays[a], "the arrays of a text");
    }
}

static void visit_given(const struct kernel_plan *plan, const struct visit *to) {
    for (int s = 0; s < plan->set_count && !plan_has_steps(plan); s++) {
        visit(to, plan->sets[s].position, "position");
        visit(to, plan->sets[s].index_on_device, "index");
    }
    if (plan->own) {
        workload_buffers_visit(plan->spec->variant->workload, plan->own, visit_own, (void *)to);
    }
    visit_pair(&plan->pair, to);
}

static void visit_start(const struct plan_steps *steps, const struct visit *to) {
    visit(to, steps->start_position, "position");
    visit(to, steps->start_rest, "position_rest");
    visit(to, steps->start_velocity, "velocity");
    visit(to, steps->field, "the field");
    visit(to, steps->parameters, "the numbers of a step");
}

static void visit_built(const struct kernel_plan *plan, const struct visit *to) {
    const struct variant *variant = plan->spec->variant;
    visit_structures(plan, false, to);
    for (int s = 0; s < variant->scratch_count; s++) {
        if (variant_keeps_scratch(variant, s) && !variant_changes_scratch(variant, s)) {
            visit(to, plan->scratch[s], variant->scratch[s].name);
        }
    }
}

void kernel_plan_visit_inputs(const struct kernel_plan *plan, enum plan_inputs inputs,
                              workload_buffer_visitor *call, void *context) {
    const struct visit to = { call, context };
    switch (inputs) {
    case INPUTS_GIVEN:
        visit_given(plan, &to);
        break;
    case INPUTS_OF_START:
        visit_start(plan->steps, &to);
        break;
    case INPUTS_BUILT:
        visit_built(plan, &to);
        break;
    case INPUTS_STRUCTURES:
    case INPUTS_KEPT_STRUCTURES:
        visit_structures(plan, inputs == INPUTS_KEPT_STRUCTURES, &to);
        break;
    }
}

/* ---- how its passes are launched, in words ---- */

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

/* ---- how long what was built serves ---- */

double kernel_plan_reach(const struct kernel_plan *plan) {
    const struct particle_set *set = &plan->sets[0];
    return fmin(structure_chain_limit(set->structure),
                set->moved ? moved_test_limit(set->moved) : NAN);
}
