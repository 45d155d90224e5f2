/* The numbers of a step as kernels have them that say STEP_PARAMETERS: by the tunable PARAMETERS of
 * variants/step.cl as arguments, as a struct by value, or in constant memory. */
#include "measure/prepare/kernel_plan_parts.h"

#include <assert.h>
#include <string.h>

#define PARAMETERS_TUNABLE "PARAMETERS"
enum parameters_place { PARAMETERS_ARGUMENTS, PARAMETERS_STRUCT, PARAMETERS_CONSTANT };

/* The largest box_args and, behind it, what a struct of that alignment has room for. */
enum { PARAMETERS_BYTES = sizeof(struct box_args_double) + 32 };

/* As step_parameters of variants/step.cl. */
struct packed_parameters {
    _Alignas(16) unsigned char bytes[PARAMETERS_BYTES];
    size_t size;
};

static enum parameters_place place_of(const struct kernel_plan *plan) {
    return (enum parameters_place)tunings_value(&plan->spec->tunings, PARAMETERS_TUNABLE,
                                                PARAMETERS_ARGUMENTS);
}

static void pack(struct packed_parameters *packed, const struct argument *argument) {
    memcpy(packed->bytes + packed->size, argument_bytes(argument), argument->size);
    packed->size += argument->size;
}

/* What PARAMETERS=0 has. */
static void list_arguments(const struct kernel_plan *plan,
                           struct argument arguments[STEP_PARAMETERS_MAX]) {
    const struct box *box = plan->box;
    arguments[0] = argument_int((int32_t)plan->sets[0].n);
    arguments[1] = argument_real(plan->spec->step.dt, plan->accum_is_double);
    arguments[2] = bindings_box(&box->cell, box->periodic, plan->real_is_double);
    arguments[3] = argument_real(plan->steps.face_scale, plan->accum_is_double);
}

/* The box comes first, then accums, then the int: nothing is left out between them. A struct is as
 * long as whole ones of its widest member, a real4. */
static void pack_all(const struct kernel_plan *plan, struct packed_parameters *packed) {
    const size_t widest = 4 * kernel_plan_real_size(plan);
    struct argument arguments[STEP_PARAMETERS_MAX];
    list_arguments(plan, arguments);
    *packed = (struct packed_parameters){ .size = 0 };
    pack(packed, &arguments[2]);
    pack(packed, &arguments[1]);
    pack(packed, &arguments[3]);
    pack(packed, &arguments[0]);
    packed->size = (packed->size + widest - 1) / widest * widest;
}

bool step_parameters_create(struct kernel_plan *plan, struct error *error) {
    static const char array[] = "parameters_of_step";
    struct packed_parameters packed;
    if (place_of(plan) != PARAMETERS_CONSTANT) {
        return true;
    }
    pack_all(plan, &packed);
    if (device_describe(plan->device)->kind != DEVICE_CUDA) {
        return buffer_upload(plan->device, "numbers of a step", packed.bytes, packed.size,
                             &plan->steps.parameters, error);
    }
    return program_write_constant(plan->program, array, packed.bytes, packed.size, error) &&
           (!plan->steps.quiet ||
            program_write_constant(plan->steps.quiet, array, packed.bytes, packed.size, error));
}

size_t step_parameters_arguments(const struct kernel_plan *plan, struct argument *arguments) {
    static_assert((int)PARAMETERS_BYTES <= (int)ARGUMENT_OWN_BYTES, "an argument has its own copy");
    struct packed_parameters packed;
    switch (place_of(plan)) {
    case PARAMETERS_STRUCT:
        pack_all(plan, &packed);
        arguments[0] = argument_value(packed.bytes, packed.size);
        return 1;
    case PARAMETERS_CONSTANT:
        arguments[0] = argument_buffer(plan->steps.parameters);
        return plan->steps.parameters ? 1 : 0;
    default:
        list_arguments(plan, arguments);
        return STEP_PARAMETERS_MAX;
    }
}
