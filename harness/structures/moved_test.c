#include "structures/moved_test.h"

#include "kernels/bindings.h"
#include "structures/builder.h"

#include <stdlib.h>

enum moved_kernel { NOTE_POSITIONS, FIND_MOVED_SINCE, MOVED_KERNELS };

static const char *const kernel_names[MOVED_KERNELS] = { "note_positions", "find_moved_since" };

struct moved_test {
    size_t n;
    struct argument box;
    double limit;
    bool is_double;
    const struct buffer *position; /* the caller's */
    struct buffer *noted;          /* n real4 */
    struct buffer *flag;           /* one int */
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
    if (!builder_compile(input, texts, kernel_names, MOVED_KERNELS, &made->program, made->kernels,
                         error) ||
        !buffer_allocate(input->device, buffer_bytes(input->position), &made->noted, error) ||
        !buffer_allocate(input->device, sizeof(int32_t), &made->flag, error)) {
        moved_test_free(made);
        return false;
    }
    *test = made;
    return true;
}

bool moved_test_note(struct moved_test *test, struct error *error) {
    const struct argument arguments[] = { argument_int((int32_t)test->n),
                                          argument_buffer(test->position),
                                          argument_buffer(test->noted) };
    return test->n == 0 || builder_launch(test->kernels[NOTE_POSITIONS], test->n, arguments,
                                          sizeof arguments / sizeof arguments[0], error);
}

double moved_test_limit(const struct moved_test *test) {
    return test->limit;
}

bool moved_test_ask(struct moved_test *test, bool *moved, struct error *error) {
    int32_t raised = 0;
    const struct argument arguments[] = { argument_int((int32_t)test->n),
                                          argument_buffer(test->position),
                                          argument_buffer(test->noted),
                                          test->box,
                                          argument_real(test->limit * test->limit, test->is_double),
                                          argument_buffer(test->flag) };
    const bool asked =
        test->n == 0 || (buffer_fill(test->flag, 0, sizeof raised, error) &&
                         builder_launch(test->kernels[FIND_MOVED_SINCE], test->n, arguments,
                                        sizeof arguments / sizeof arguments[0], error) &&
                         buffer_read(test->flag, 0, &raised, sizeof raised, error));
    *moved = raised != 0;
    return asked;
}
