/* Random numbers of libpairmark: those of `pairmark eval`, to the bit, step by step, in memory of
 * the host and of OpenCL. */
#include "campaign/plan/plan.h"
#include "measure/measure.h"

#include "library_calls.h"
#include "support.h"

enum { N = 4099 };

static pm_kernel *kernel_of(pm_context *context, const pm_choice *choice) {
    pm_error error;
    pm_system *system = NULL;
    pm_kernel *kernel = NULL;
    assert_ok(pm_system_create(N, NULL, &system, &error), &error);
    assert_ok(pm_kernel_create(context, system, choice, &kernel, &error), &error);
    pm_system_free(system);
    return kernel;
}

static enum pm_status draw(pm_kernel *kernel, unsigned long long seed, unsigned long long step,
                           void *numbers, pm_error *error) {
    return pm_random(kernel, &(pm_draw)PM_DRAW(.seed = seed, .step = step, .numbers = numbers),
                     error);
}

static void evaluate_by_plan(const pm_choice *choice, struct evaluation *evaluation) {
    struct axes axes = { .workload = (char *)"random", .n = (char *)"4099", .seed = (char *)"7" };
    struct error error;
    struct plan plan;
    struct session *session = NULL;
    axes.variant = (char *)choice->variant;
    axes.precision = (char *)precision_name((enum precision)choice->precision);
    axes.distribution = (char *)distribution_names[choice->distribution];
    if (!plan_make(&axes, &plan, &error) || !session_open(device_name(), &session, &error) ||
        !session_evaluate(session, &plan.cases[0], evaluation, NULL, &error)) {
        fail_msg("%s: %s", choice->variant, error.message);
    }
    session_close(session);
    plan_free(&plan);
}

static double number_at(const pm_choice *choice, const void *numbers, size_t k) {
    return choice->distribution == PM_WORDS           ? (double)((const unsigned *)numbers)[k]
           : choice->precision == PM_PRECISION_DOUBLE ? ((const double *)numbers)[k]
                                                      : (double)((const float *)numbers)[k];
}

TEST(draws_are_those_of_eval) {
    static const pm_choice choices[] = {
        PM_CHOICE(.variant = "philox", .precision = PM_PRECISION_DOUBLE,
                  .distribution = PM_GAUSSIAN),
        PM_CHOICE(.variant = "philox_pool", .precision = PM_PRECISION_FLOAT,
                  .distribution = PM_WORDS),
        PM_CHOICE(.variant = "xorshift128", .precision = PM_PRECISION_FLOAT,
                  .distribution = PM_UNIFORM),
        PM_CHOICE(.variant = "kiss", .precision = PM_PRECISION_DOUBLE, .distribution = PM_KICK),
    };
    pm_context *context = open_context();
    pm_error error;
    for (size_t c = 0; c < sizeof choices / sizeof choices[0]; c++) {
        double numbers[N + 1];
        struct evaluation expected;
        const bool has_state = c >= 2;
        pm_kernel *kernel = kernel_of(context, &choices[c]);
        evaluate_by_plan(&choices[c], &expected);
        for (int turn = 0; turn < 3; turn++) { /* a step and a seed later, the first again */
            numbers[N] = 5;
            assert_ok(draw(kernel, turn == 1 ? 8 : 7, 0, numbers, &error), &error);
            for (size_t k = 0; k < N; k++) {
                assert_int_equal(number_at(&choices[c], numbers, k) == expected.force[k],
                                 turn != 1 || number_at(&choices[c], numbers, k) == 0);
            }
            assert_true(numbers[N] == 5);
            assert_ok(draw(kernel, turn == 1 ? 8 : 7, 1, numbers, &error), &error);
        }
        evaluation_free(&expected);
        const enum pm_status status = draw(kernel, 7, 5, numbers, &error);
        if (has_state) {
            expect_refusal(status, &error, PM_BAD_INPUT, "has a state");
        } else {
            assert_ok(status, &error);
        }
        pm_kernel_free(kernel);
    }
    pm_close(context);
}

/* Any step of a generator without state; the same by two variants. */
TEST(steps_are_any) {
    const pm_choice choice = PM_CHOICE(.variant = "philox", .distribution = PM_WORDS);
    const pm_choice other = PM_CHOICE(.variant = "philox_pool", .distribution = PM_WORDS);
    static const unsigned long long steps[] = { 1, 5, 1ull << 40, ~0ull, 0 };
    pm_context *context = open_context();
    pm_kernel *kernels[2] = { kernel_of(context, &choice), kernel_of(context, &other) };
    pm_error error;
    unsigned before[N] = { 0 };
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        unsigned numbers[2][N];
        for (int k = 0; k < 2; k++) {
            assert_ok(draw(kernels[k], ~0ull - 3, steps[s], numbers[k], &error), &error);
        }
        assert_memory_equal(numbers[0], numbers[1], sizeof numbers[0]);
        assert_memory_not_equal(numbers[0], before, sizeof before);
        memcpy(before, numbers[0], sizeof before);
    }
    expect_refusal(draw(NULL, 0, 0, before, &error), &error, PM_BAD_INPUT, "null");
    expect_refusal(draw(kernels[0], 0, 0, NULL, &error), &error, PM_BAD_INPUT, "null");
    expect_refusal(pm_random(kernels[0],
                             &(pm_draw)PM_DRAW(.numbers = before, .place = (enum pm_place)7),
                             &error),
                   &error, PM_BAD_INPUT, "place 7");
    const pm_arrays arrays = PM_ARRAYS(.positions = before);
    expect_refusal(pm_evaluate(kernels[0], &arrays, &error), &error, PM_BAD_INPUT,
                   "workload random, which");
    expect_refusal(pm_neighbours(kernels[0], &arrays, &(pm_list)PM_LIST(), NULL, &error), &error,
                   PM_BAD_INPUT, "workload random, which");
    assert_ok(pm_compile(kernels[0], &error), &error);
    pm_kernel_free(kernels[0]);
    pm_kernel_free(kernels[1]);
    pm_close(context);
}

TEST(choices_are_checked) {
    const pm_choice odd = PM_CHOICE(.variant = "philox", .distribution = (enum pm_distribution)4);
    const pm_choice fixed = PM_CHOICE(.variant = "philox", .precision = PM_PRECISION_FIXED);
    const pm_choice forces = PM_CHOICE(.variant = "all_pairs_loop");
    pm_context *context = open_context();
    pm_error error;
    float numbers[N];
    pm_system *system = NULL;
    pm_kernel *kernel = NULL;
    assert_ok(pm_system_create(N, NULL, &system, &error), &error);
    expect_refusal(pm_kernel_create(context, system, &odd, &kernel, &error), &error, PM_BAD_INPUT,
                   "distribution 4");
    expect_refusal(pm_kernel_create(context, system, &fixed, &kernel, &error), &error,
                   PM_UNSUPPORTED, "philox");
    assert_ok(pm_system_potential(system, "lj", NULL, INFINITY, &error), &error);
    assert_ok(pm_kernel_create(context, system, &forces, &kernel, &error), &error);
    expect_refusal(draw(kernel, 0, 0, numbers, &error), &error, PM_BAD_INPUT, "draws no numbers");
    pm_kernel_free(kernel);
    pm_system_free(system);
    pm_close(context);
}

TEST(memory_may_be_the_devices) {
    const pm_choice choice = PM_CHOICE(.variant = "xorshift128");
    struct program_of_opencl program;
    pm_error error;
    pm_context *context = NULL;
    if (!start_opencl(&program, 0)) {
        skip_because("no OpenCL device");
    }
    assert_ok(pm_open_opencl(program.context, program.id, &context, &error), &error);
    pm_kernel *kernel = kernel_of(context, &choice);
    cl_mem memory = make_memory(&program, N * sizeof(float));
    cl_mem small = make_memory(&program, sizeof(float));
    for (unsigned step = 0; step < 3; step++) {
        float numbers[N];
        float expected[N];
        pm_kernel *beside = kernel_of(context, &choice);
        for (unsigned s = 0; s <= step; s++) {
            assert_ok(draw(beside, 3, s, expected, &error), &error);
        }
        assert_ok(
            pm_random(kernel, &(pm_draw)PM_DRAW(3, step, memory, PM_DEVICE, program.queue), &error),
            &error);
        assert_int_equal(program.api.clEnqueueReadBuffer(program.queue, memory, CL_TRUE, 0,
                                                         sizeof numbers, numbers, 0, NULL, NULL),
                         CL_SUCCESS);
        assert_memory_equal(numbers, expected, sizeof numbers);
        pm_kernel_free(beside);
    }
    expect_refusal(
        pm_random(kernel, &(pm_draw)PM_DRAW(3, 0, small, PM_DEVICE, program.queue), &error), &error,
        PM_BAD_INPUT, "numbers: ");
    expect_refusal(pm_random(kernel, &(pm_draw)PM_DRAW(3, 0, memory, PM_DEVICE), &error), &error,
                   PM_BAD_INPUT, "queue");
    pm_kernel_free(kernel);
    pm_close(context);
    (void)program.api.clReleaseMemObject(memory);
    (void)program.api.clReleaseMemObject(small);
    (void)program.api.clReleaseCommandQueue(program.queue);
    (void)program.api.clReleaseContext(program.context);
}

TEST_GROUP(open_test_cache, close_test_cache)
