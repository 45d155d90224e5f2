/* The direct sum, pair by pair: nothing is plainer. */
#include "reference/pairs/reference.h"
#include "reference/pairs/spread.h"
#include "reference/pairs/tally.h"

/* Every unordered pair of all particles. */
static void walk_all(struct tally *tally) {
    for (size_t i = 0; i < tally->scene.box->n; i++) {
        for (size_t j = i + 1; j < tally->scene.box->n; j++) {
            tally_pair(tally, i, j);
        }
    }
}

static void walk_groups(struct tally *tally, const struct groups *groups) {
    for (size_t k = 0; k < groups->n_a; k++) {
        const size_t a = (size_t)groups->a[k];
        if (groups->mode == GROUPS_PAIRS) {
            tally_pair(tally, a, (size_t)groups->b[k]);
            continue;
        }
        const bool one = groups->mode == GROUPS_ONE;
        const int32_t *other = one ? groups->a : groups->b;
        const size_t end = one ? groups->n_a : groups->n_b;
        for (size_t m = one ? k + 1 : 0; m < end; m++) {
            if ((size_t)other[m] != a) {
                tally_pair(tally, a, (size_t)other[m]);
            }
        }
    }
}

bool reference_direct_groups(const struct box *box, const struct interaction *interaction,
                             double cutoff, const struct groups *groups,
                             struct reference *reference, struct error *error) {
    struct tally tally;
    *reference = (struct reference){ 0 };
    if (!tally_begin(box, interaction, cutoff, &tally, error)) {
        tally_free(&tally);
        return false;
    }
    do {
        if (groups) {
            walk_groups(&tally, groups);
        } else {
            walk_all(&tally);
        }
    } while (!tally.is_second && tally_walk_again(&tally));
    return tally_end(&tally, reference, error) &&
           spread_fill_box(box, interaction, cutoff, groups, reference, error);
}

bool reference_direct(const struct box *box, const struct interaction *interaction, double cutoff,
                      struct reference *reference, struct error *error) {
    return reference_direct_groups(box, interaction, cutoff, NULL, reference, error);
}
