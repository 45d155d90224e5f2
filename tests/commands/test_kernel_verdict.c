/* The interval of the ratio of two kernels that were timed in turns. */
#include "commands/search/search.h"

#include "support.h"

/* Logarithms 0.1 and -0.1 have a standard error of 0.1, and t at 97.5 % of one degree of freedom is
 * 12.706. */
TEST(turns_make_the_interval_of_a_ratio) {
    double ratio, low, high;
    kernel_interval((const double[]){ 0.1, -0.1 }, 2, &ratio, &low, &high);
    assert_close(ratio, 1, 1e-12);
    assert_close(low, exp(-1.27062), 1e-4);
    assert_close(high, exp(1.27062), 1e-4);
}

TEST(turns_that_agree_are_sure) {
    double ratio, low, high;
    kernel_interval((const double[]){ 0.5, 0.5, 0.5 }, 3, &ratio, &low, &high);
    assert_close(ratio, exp(0.5), 1e-12);
    assert_close(low, exp(0.5), 1e-12);
    assert_close(high, exp(0.5), 1e-12);
}

TEST(one_turn_knows_nothing) {
    double ratio, low, high;
    kernel_interval((const double[]){ 0.5 }, 1, &ratio, &low, &high);
    assert_close(ratio, exp(0.5), 1e-12);
    assert_true(low == 0 && isinf(high));
}
