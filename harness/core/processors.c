#include "core/processors.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* One processor, as Linux numbers it; what is not known is 0 and `number`. */
struct processor {
    int number, package, core;
};

/* A number that the system has of a processor. */
static int told(int number, const char *name, int otherwise) {
    char path[128];
    int value = otherwise;
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", number, name);
    FILE *file = fopen(path, "r");
    if (file) {
        if (fscanf(file, "%d", &value) != 1) {
            value = otherwise;
        }
        (void)fclose(file);
    }
    return value;
}

static int compare(int a, int b) {
    return (a > b) - (a < b);
}

static int compare_processors(const void *a, const void *b) {
    const struct processor *left = a;
    const struct processor *right = b;
    int order = compare(left->package, right->package);
    order = order ? order : compare(left->core, right->core);
    return order ? order : compare(left->number, right->number);
}

/* The processors of the set, neighbours beside each other. */
static size_t list_processors(const cpu_set_t *set, struct processor *list) {
    size_t count = 0;
    for (int number = 0; number < CPU_SETSIZE; number++) {
        if (CPU_ISSET(number, set)) {
            list[count++] = (struct processor){ .number = number,
                                                .package = told(number, "physical_package_id", 0),
                                                .core = told(number, "core_id", number) };
        }
    }
    qsort(list, count, sizeof *list, compare_processors);
    return count;
}

static bool begins_core(const struct processor *list, size_t i) {
    return i == 0 || list[i].package != list[i - 1].package || list[i].core != list[i - 1].core;
}

/* Those of the share; cores stay whole where there are enough of them. */
static void choose_share(const struct processor *list, size_t count, size_t share, size_t of,
                         cpu_set_t *chosen) {
    size_t cores = 0;
    size_t place = 0;
    for (size_t i = 0; i < count; i++) {
        cores += begins_core(list, i);
    }
    const bool whole = cores >= of;
    const size_t places = whole ? cores : count;
    CPU_ZERO(chosen);
    for (size_t i = 0; i < count; i++) {
        place += i > 0 && (!whole || begins_core(list, i));
        if (place * of / places == share) {
            CPU_SET(list[i].number, chosen);
        }
    }
}

int processors_take_share(size_t share, size_t of) {
    static const int this_thread = 0;
    cpu_set_t set;
    cpu_set_t chosen;
    CPU_ZERO(&set);
    if (of == 0 || share >= of || sched_getaffinity(this_thread, sizeof set, &set) != 0 ||
        (size_t)CPU_COUNT(&set) < of) {
        return 0;
    }
    struct processor *list = calloc((size_t)CPU_COUNT(&set), sizeof *list);
    if (!list) {
        return 0;
    }
    choose_share(list, list_processors(&set, list), share, of, &chosen);
    free(list);
    return sched_setaffinity(this_thread, sizeof chosen, &chosen) == 0 ? CPU_COUNT(&chosen) : 0;
}
