/* Orders in which kernels find particles: each particle in one place, near in memory or scattered.
 */

#include "workloads/member_order.h"

#include "support.h"

static const size_t counts[] = { 1, 2, 3, 4, 6, 7, 30, 210, 1000, 1024, 4097 };

/* One place per member and one member per place. */
TEST(orders_can_be_undone) {
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (uint64_t k = 0; k < 40; k++) {
            const size_t n = counts[c];
            const uint64_t bits = (k + 1) * 0x9e3779b97f4a7c15U;
            const struct member_order order = member_order_draw(n, 1, bits, k % 2 == 0);
            assert_true(order.shift < n);
            for (size_t place = 0; place < n; place++) {
                const size_t member = member_at(&order, n, place);
                assert_true(member < n);
                assert_int_equal(place_of_member(&order, n, member), place);
            }
        }
    }
}

/* Boxes of a batch stay whole, and each has its particles in the same order. */
TEST(boxes_stay_whole) {
    static const size_t boxes[] = { 2, 3, 4, 30 };
    for (size_t c = 0; c < 4 * sizeof boxes / sizeof boxes[0]; c++) {
        const size_t share = counts[c / 4];
        const size_t n = boxes[c % 4] * share;
        for (uint64_t k = 0; k < 40; k++) {
            const uint64_t bits = (k + 1) * 0x9e3779b97f4a7c15U;
            const struct member_order order = member_order_draw(n, boxes[c % 4], bits, k % 2 == 0);
            assert_true(order.shift < n && order.stride < n);
            for (size_t place = 0; place < n; place++) {
                const size_t member = member_at(&order, n, place);
                const size_t first = member_at(&order, n, place / share * share);
                assert_true(member < n);
                assert_int_equal(member / share, first / share);
                assert_int_equal(member % share, member_at(&order, n, place % share) % share);
                assert_int_equal(place_of_member(&order, n, member), place);
            }
        }
    }
}

static size_t distance_in_circle(size_t a, size_t b, size_t n) {
    const size_t apart = a > b ? a - b : b - a;
    return apart < n - apart ? apart : n - apart;
}

TEST(neighbours_stay_neighbours_unless_scattered) {
    enum { N = 1000 };
    int far = 0;
    for (uint64_t k = 1; k <= 40; k++) {
        const uint64_t bits = k * 0x9e3779b97f4a7c15U;
        const struct member_order near = member_order_draw(N, 1, bits, false);
        const struct member_order scattered = member_order_draw(N, 1, bits, true);
        for (size_t member = 0; member + 1 < N; member++) {
            assert_int_equal(distance_in_circle(place_of_member(&near, N, member),
                                                place_of_member(&near, N, member + 1), N),
                             1);
        }
        far +=
            distance_in_circle(member_at(&scattered, N, 0), member_at(&scattered, N, 1), N) > N / 5;
    }
    assert_true(far >= 38);
}

TEST(zeroed_is_as_they_are) {
    const struct member_order order = { 0 };
    for (size_t place = 0; place < 10; place++) {
        assert_int_equal(member_at(&order, 10, place), place);
        assert_int_equal(place_of_member(&order, 10, place), place);
    }
}
