#include "kernels/text/launch_tools.h"

#include "core/embedded.h"
#include "core/host.h"
#include "core/strings.h"

#include <math.h>
#include <string.h>

enum {
    TOOL_GROUP_SIZE = 128,
    STACK_BYTES = 1 << 18,
    GROUPS_PER_UNIT = 4 /* so that each thread gets one at least */
};

static const char *const tool_names[LAUNCH_TOOLS] = {
    [TOOL_REORDER_POSITIONS] = "reorder_positions",
    [TOOL_REORDER_INTS] = "reorder_ints",
    [TOOL_DISPLACE_POSITIONS] = "displace_positions",
    [TOOL_COVER_WORDS] = "cover_words",
    [TOOL_JUDGE_RESULTS] = "judge_results",
    [TOOL_KEEP_SUMS] = "keep_sums",
    [TOOL_POISON_NUMBERS] = "poison_numbers",
    [TOOL_SUM_UP_WORDS] = "sum_up_words",
    [TOOL_KEEP_WORDS] = "keep_words",
    [TOOL_COPY_RESULTS] = "copy_results",
    [TOOL_WRITE_VELOCITIES] = "tell_velocities",
    [TOOL_POISON_WORDS] = "poison_words",
    [TOOL_SPEND_TIME] = "spend_time",
};

/* Steps of the generator in spend_time a second: four cycles each at 1.7 GHz. No result depends on
 * it. */
static const double rounds_per_s = 4e8;
static const double longest_spell_s = 4e-3;

/* Leftover texts need a stack, which other devices would set aside for each of their work-items. */
static bool create_leftovers(struct launch_tools *tools, enum precision precision,
                             struct error *error) {
    struct strbuf text = { 0 };
    strbuf_append(&text, "#define STACK_WORDS %d\n%s", STACK_BYTES / (int)sizeof(int64_t),
                  embedded_text("harness/kernels/text/leftovers.cl"));
    static const char *const name = "poison_leftovers";
    const struct program_source source = { .name = "leftovers",
                                           .precision_words = precision_name(precision),
                                           .group_size = 1 };
    return program_build(tools->device, &source, &text,
                         &(struct named_kernels){ &name, 1, &tools->leftovers },
                         &tools->leftovers_program, error);
}

bool launch_tools_create(struct device *device, enum precision precision,
                         struct launch_tools *tools, struct error *error) {
    struct strbuf text = { 0 };
    strbuf_append(&text, "%s\n%s\n%s", embedded_text("variants/random.cl"),
                  embedded_text("harness/workloads/member_order.cl"),
                  embedded_text("harness/kernels/text/launch_tools.cl"));
    const struct program_source source = { .name = "launch_tools",
                                           .precision_words = precision_name(precision),
                                           .group_size = TOOL_GROUP_SIZE };
    *tools = (struct launch_tools){ .device = device };
    const bool made =
        program_build(device, &source, &text,
                      &(struct named_kernels){ tool_names, LAUNCH_TOOLS, tools->kernels },
                      &tools->program, error) &&
        buffer_allocate(device, sizeof(int32_t), &tools->nothing, error) &&
        (!device_describe(device)->is_cpu || create_leftovers(tools, precision, error));
    if (!made) {
        launch_tools_free(tools);
    }
    return made;
}

void launch_tools_free(struct launch_tools *tools) {
    buffer_free(tools->nothing);
    program_free(tools->program);
    program_free(tools->leftovers_program);
    memset(tools, 0, sizeof *tools);
}

bool launch_tool_run(const struct launch_tools *tools, enum launch_tool tool, size_t items,
                     const struct argument *arguments, size_t argument_count, struct error *error) {
    const size_t groups = (items + TOOL_GROUP_SIZE - 1) / TOOL_GROUP_SIZE;
    return groups == 0 || kernel_launch(tools->kernels[tool], groups, TOOL_GROUP_SIZE, arguments,
                                        argument_count, error);
}

bool launch_tools_spend(const struct launch_tools *tools, double seconds, struct error *error) {
    if (device_describe(tools->device)->is_cpu) {
        return true;
    }
    const double rounds = fmin(seconds, longest_spell_s) * rounds_per_s;
    const struct argument arguments[] = { argument_int((int32_t)rounds),
                                          argument_buffer(tools->nothing) };
    return launch_tool_run(tools, TOOL_SPEND_TIME, 1, arguments, 2, error);
}

bool launch_tools_poison_leftovers(const struct launch_tools *tools, int64_t local_bytes,
                                   struct error *error) {
    const struct device_info *info = device_describe(tools->device);
    if (!info->is_cpu) {
        return true;
    }
    const size_t room = (size_t)info->local_bytes;
    const size_t most = local_bytes < 0 || (size_t)local_bytes > room ? room : (size_t)local_bytes;
    const size_t words = (most + sizeof(uint32_t) - 1) / sizeof(uint32_t);
    return kernel_launch(tools->leftovers, (size_t)GROUPS_PER_UNIT * (size_t)info->compute_units, 1,
                         ARGUMENTS(argument_int((int32_t)words),
                                   argument_int((int32_t)(uint32_t)draw_seed()),
                                   argument_local((words > 0 ? words : 1) * sizeof(uint32_t)),
                                   argument_buffer(tools->nothing)),
                         error);
}
