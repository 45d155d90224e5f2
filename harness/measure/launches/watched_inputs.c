#include "measure/launches/judge_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORDS_PER_ITEM = 16, /* that are summed up */
    WORDS_PER_SLICE =
        1 << 30 /* at a time: kernels count by int, lists of 10^8 particles have more */
};

static void name_input(void *context, struct buffer *buffer, const char *name) {
    struct watched_inputs *inputs = context;
    for (int i = 0; i < inputs->count; i++) {
        if (inputs->items[i].buffer == buffer) {
            return;
        }
    }
    if (inputs->count < MAX_WATCHED_INPUTS) {
        struct watched_input *input = &inputs->items[inputs->count++];
        input->buffer = buffer;
        (void)snprintf(input->name, sizeof input->name, "%s", name);
    }
}

static void find(struct watched_inputs *inputs, enum plan_inputs which) {
    kernel_plan_visit_inputs(inputs->plan, which, name_input, inputs);
}

/* The sums of one of them, to a mark. */
static bool sum_up_words(struct watched_inputs *inputs, int input, int mark, struct error *error) {
    struct buffer *buffer = inputs->items[input].buffer;
    const size_t words = buffer_bytes(buffer) / sizeof(int32_t);
    bool summed = true;
    for (size_t first = 0; summed && first < words; first += WORDS_PER_SLICE) {
        const size_t left = words - first;
        const size_t count = left < WORDS_PER_SLICE ? left : WORDS_PER_SLICE;
        const struct argument arguments[] = {
            argument_int((int32_t)count),
            argument_int((int32_t)(first / WORDS_PER_SLICE)),
            argument_int(WORDS_PER_SLICE),
            argument_buffer(buffer),
            argument_int((int32_t)inputs->random),
            argument_buffer(inputs->marks),
            argument_int(2 * (MAX_WATCHED_INPUTS * mark + input)),
        };
        summed = launch_tool_run(inputs->tools, TOOL_SUM_UP_WORDS,
                                 (count + WORDS_PER_ITEM - 1) / WORDS_PER_ITEM, arguments,
                                 sizeof arguments / sizeof arguments[0], error);
    }
    return summed;
}

bool watched_inputs_mark(struct watched_inputs *inputs, int mark, struct error *error) {
    bool marked = true;
    for (int i = 0; marked && i < inputs->count; i++) {
        marked = sum_up_words(inputs, i, mark, error);
    }
    return marked;
}

bool watched_inputs_begin(struct watched_inputs *inputs, uint64_t random, struct error *error) {
    inputs->random = random;
    inputs->count = 0;
    inputs->built_in_launch = false;
    if (!kernel_plan_has_steps(inputs->plan)) {
        find(inputs, INPUTS_GIVEN);
    }
    return buffer_fill(inputs->marks, 0, buffer_bytes(inputs->marks), error) &&
           watched_inputs_mark(inputs, 0, error);
}

bool watched_inputs_built(struct watched_inputs *inputs, struct error *error) {
    const int before = inputs->count;
    bool marked = true;
    if (kernel_plan_has_steps(inputs->plan)) {
        find(inputs, INPUTS_OF_START); /* the rest they change, or build anew */
        find(inputs, INPUTS_GIVEN);
    } else if (kernel_plan_builds_in_launch(inputs->plan)) {
        find(inputs, INPUTS_KEPT_STRUCTURES);
    } else {
        find(inputs, INPUTS_BUILT);
    }
    for (int i = before; marked && i < inputs->count; i++) {
        marked = sum_up_words(inputs, i, 0, error);
    }
    return marked;
}

bool watched_inputs_before_building(struct watched_inputs *inputs, struct error *error) {
    return watched_inputs_mark(inputs, 1 + inputs->launches, error);
}

bool watched_inputs_behind_building(struct watched_inputs *inputs, struct error *error) {
    return watched_inputs_mark(inputs, 2 + inputs->launches, error);
}

bool watched_inputs_built_in_launch(struct watched_inputs *inputs, struct error *error) {
    if (inputs->built_in_launch) {
        return true;
    }
    inputs->built_in_launch = true;
    find(inputs, INPUTS_STRUCTURES);
    return watched_inputs_before_building(inputs, error);
}

/* The first input that is not at one mark what it was at another; NULL: none. */
static const struct watched_input *find_changed(const struct watched_inputs *inputs,
                                                const int32_t *marks, int before, int after) {
    const size_t each = (size_t)2 * MAX_WATCHED_INPUTS;
    for (int i = 0; i < inputs->count; i++) {
        if (memcmp(&marks[each * (size_t)before + (size_t)(2 * i)],
                   &marks[each * (size_t)after + (size_t)(2 * i)], 2 * sizeof *marks) != 0) {
            return &inputs->items[i];
        }
    }
    return NULL;
}

static void judge_building(const struct watched_inputs *inputs, const int32_t *marks,
                           struct verdict *verdict) {
    const struct watched_input *changed =
        find_changed(inputs, marks, 1 + inputs->launches, 2 + inputs->launches);
    if (changed) {
        verdict_say(verdict, STATUS_WRONG, "%s changed what it is only given to read: %s",
                    inputs->built_in_launch ? "the kernel" : "a kernel that builds", changed->name);
    }
}

static void judge_launch(const struct watched_inputs *inputs, const int32_t *marks, int launch,
                         struct verdict *verdict) {
    const struct watched_input *changed = find_changed(inputs, marks, 0, 1 + launch);
    if (changed) {
        verdict_say(verdict, STATUS_WRONG,
                    "launch %d of a round: the kernel changed what it is only given to read: %s",
                    launch + 1, changed->name);
    }
}

bool watched_inputs_judge(const struct watched_inputs *inputs, int launches,
                          struct verdict *verdict, struct error *error) {
    int32_t *marks = buffer_copy(inputs->marks, buffer_bytes(inputs->marks), error);
    const bool read = marks != NULL;
    if (read) {
        judge_building(inputs, marks, verdict);
    }
    for (int launch = 0; read && launch < launches && verdict->status == STATUS_OK; launch++) {
        judge_launch(inputs, marks, launch, verdict);
    }
    free(marks);
    return read;
}

bool watched_inputs_create(const struct kernel_plan *plan, const struct launch_tools *tools,
                           int launches, struct watched_inputs *inputs, struct error *error) {
    const size_t marks = (size_t)2 * (size_t)(3 + launches) * MAX_WATCHED_INPUTS;
    inputs->launches = launches;
    inputs->plan = plan;
    inputs->tools = tools;
    return buffer_allocate(kernel_plan_device(plan), marks * sizeof(int32_t), &inputs->marks,
                           error);
}

void watched_inputs_free(struct watched_inputs *inputs) {
    buffer_free(inputs->marks);
}
