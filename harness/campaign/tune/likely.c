/* Orders variants by how likely each is to be the fastest, as recorded rows say. */
#include "campaign/tune/tuning.h"

#include "core/embedded.h"
#include "core/strings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A line of the order: of a class of devices at one N. */
struct order {
    char device[8];
    double n;
    const char *names; /* separated by blanks, up to the end of the line */
};

static bool read_order(const char *line, struct order *order) {
    int names_at = 0;
    const bool read =
        sscanf(line, "%7[a-z] %lf %n", order->device, &order->n, &names_at) == 2 && names_at > 0;
    order->names = line + names_at;
    return read && order->n > 0;
}

/* The line whose N is nearest by ratio; NULL names: there is none of the class. */
static struct order nearest_order(const char *device, size_t n) {
    struct order nearest = { .names = NULL };
    double least = INFINITY;
    for (const char *line = embedded_text("share/presets/likely.txt"); *line;
         line = line_after(line)) {
        struct order order;
        if (!read_order(line, &order) || strcmp(order.device, device) != 0) {
            continue;
        }
        const double distance = fabs(log((double)n / order.n));
        if (distance < least) {
            least = distance;
            nearest = order;
        }
    }
    return nearest;
}

/* From 1; BEST_UNLISTED: it is none of them. */
static size_t place_of(const char *name, const char *names) {
    size_t place = 1;
    for (const char *word = names; *word && *word != '\n'; place++) {
        const size_t length = strcspn(word, " \n");
        if (strlen(name) == length && strncmp(name, word, length) == 0) {
            return place;
        }
        word += length;
        word += strspn(word, " ");
    }
    return BEST_UNLISTED;
}

size_t best_place(const struct case_spec *spec, bool is_processor) {
    const struct variant *forces =
        spec->variant->forces.variant ? spec->variant->forces.variant : spec->variant;
    const struct order order = nearest_order(is_processor ? "cpu" : "gpu", spec->box.n);
    const size_t place = order.names ? place_of(forces->name, order.names) : BEST_UNLISTED;
    const bool is_own = !embedded_original(spec->variant->path);
    return place == BEST_UNLISTED && is_own ? 0 : place;
}
