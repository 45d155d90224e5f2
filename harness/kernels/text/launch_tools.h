/*
 * launch_tools — kernels of the harness that work between two launches of a case: see
 * launch_tools.cl.
 */
#ifndef PAIRMARK_KERNELS_TEXT_LAUNCH_TOOLS_H
#define PAIRMARK_KERNELS_TEXT_LAUNCH_TOOLS_H

#include "boxes/box.h"
#include "devices/device.h"

enum launch_tool {
    TOOL_REORDER_POSITIONS,
    TOOL_REORDER_INTS,
    TOOL_DISPLACE_POSITIONS,
    TOOL_COVER_WORDS,
    TOOL_JUDGE_RESULTS,
    TOOL_KEEP_SUMS,
    TOOL_POISON_NUMBERS,
    TOOL_SUM_UP_WORDS,
    TOOL_KEEP_WORDS,
    TOOL_COPY_RESULTS,
    TOOL_WRITE_VELOCITIES,
    TOOL_POISON_WORDS,
    TOOL_SPEND_TIME,
    LAUNCH_TOOLS
};

struct launch_tools {
    struct device *device;
    struct program *program; /* NULL: not made yet */
    struct kernel *kernels[LAUNCH_TOOLS];
    struct buffer *nothing;            /* that a kernel could write to */
    struct program *leftovers_program; /* of processors; else NULL */
    struct kernel *leftovers;
};

/* Compiles the tools for the types of a precision. */
bool launch_tools_create(struct device *device, enum precision precision,
                         struct launch_tools *tools, struct error *error);
void launch_tools_free(struct launch_tools *tools); /* also of zeroed ones */

/* Enqueues a tool with a work-item for each of `items` (0: nothing is done). */
bool launch_tool_run(const struct launch_tools *tools, enum launch_tool tool, size_t items,
                     const struct argument *arguments, size_t argument_count, struct error *error);

/* Keeps the device busy for about so long, so that whatever is enqueued next has arrived before it
 * starts and its time excludes the host. Does nothing on a processor, which launches without a
 * queue. */
bool launch_tools_spend(const struct launch_tools *tools, double seconds, struct error *error);

/* On a processor, fills the local memory of its threads (so many bytes from where that of a group
 * begins; negative: all) and the upper 256 KiB of their stacks with garbage, since both are
 * otherwise as the kernel before left them. Does nothing on other devices. */
bool launch_tools_poison_leftovers(const struct launch_tools *tools, int64_t local_bytes,
                                   struct error *error);

#endif
