/*
 * device_fixture — the group set-up of a cmocka program whose tests share the best device: *state.
 * To be included after all headers of the project, since it brings cmocka.h.
 */
#ifndef PAIRMARK_TESTS_DEVICE_FIXTURE_H
#define PAIRMARK_TESTS_DEVICE_FIXTURE_H

#include "devices/device.h"

#include "support.h" /* last: it brings cmocka.h, whose fail() is not ours */

static int open_device(void **state) {
    struct error error;
    struct device *device = NULL;
    if (!device_open("", &device, &error)) {
        print_error("%s\n", error.message);
        return -1;
    }
    *state = device;
    return 0;
}

static int close_device(void **state) {
    device_close(*state);
    return 0;
}

TEST_GROUP(open_device, close_device)

#endif
