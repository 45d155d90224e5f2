#include "kernels/cutoff.h"

#include <math.h>

struct cutoff cutoff_of(double length) {
    const struct cutoff none = { .kind = CUTOFF_NONE };
    const struct cutoff finite = { .kind = CUTOFF_LENGTH, .length = length };
    return isinf(length) ? none : finite;
}

bool cutoff_same(struct cutoff a, struct cutoff b) {
    return a.kind == b.kind && (a.kind != CUTOFF_LENGTH || a.length == b.length);
}

bool cutoff_ends(struct cutoff cutoff, bool open) {
    return cutoff.kind == CUTOFF_LENGTH || (cutoff.kind == CUTOFF_HALF && !open);
}

double cutoff_in(struct cutoff cutoff, bool open, double half) {
    if (!cutoff_ends(cutoff, open)) {
        return INFINITY;
    }
    return cutoff.kind == CUTOFF_HALF ? half : cutoff.length;
}

void cutoff_append(struct strbuf *text, struct cutoff cutoff, int digits) {
    if (cutoff.kind == CUTOFF_LENGTH) {
        strbuf_append(text, "%.*g", digits, cutoff.length);
    } else {
        strbuf_append(text, "%s", cutoff.kind == CUTOFF_HALF ? "half" : "none");
    }
}
