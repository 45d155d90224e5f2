/* What others may see of a prepared case. */
#include "prepare/steps_parts.h"

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

const struct buffer *kernel_plan_scratch(const struct kernel_plan *plan, int scratch) {
    return plan->scratch[scratch];
}

int kernel_plan_sum_count(const struct kernel_plan *plan) {
    return plan->sum_count;
}

size_t kernel_plan_sum_boxes(const struct kernel_plan *plan) {
    return plan->sum_boxes;
}

bool kernel_plan_sums(const struct kernel_plan *plan, int pass, struct plan_sums *sums) {
    const struct planned_pass *of = &plan->passes[pass];
    *sums = (struct plan_sums){ of->sums, of->partial_sums };
    return of->has_sums;
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

static void visit(const struct visit *visit, const struct buffer *buffer, const char *words) {
    if (buffer) {
        visit->call(visit->context, buffer, words);
    }
}

static void visit_own(void *context, const struct buffer *buffer, const char *words) {
    visit(context, buffer, words);
}

/* The buffers among what a structure offers; `kept`: among what no building makes. */
static void visit_offers(const struct offers *offers, const void *state, bool kept,
                         const struct visit *to) {
    for (; offers && offers->table; offers++) {
        if (kept && !structure_keeps(offers)) {
            continue;
        }
        for (const struct offer *offer = offers->table; offer->name; offer++) {
            visit(to, offer_value(offer, (const char *)state + offers->at).buffer, offer->name);
        }
    }
}

static void visit_structures(const struct kernel_plan *plan, bool kept, const struct visit *to) {
    for (int s = 0; s < plan->set_count; s++) {
        for (const struct structure_class *structure = plan->structure; structure;
             structure = structure->needs) {
            visit_offers(structure->offers,
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
        plan_own_class(plan)->visit(plan->own, visit_own, (void *)to);
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
