#include "campaign/plan/plan_judging.h"

#include "core/host.h"
#include "core/strings.h"

static const uint64_t default_sample = 1000;
static const uint64_t seeds = 1000000000; /* short enough to be typed again */

static bool take_count(const char *option, const char *word, uint64_t least, uint64_t *count,
                       struct error *error) {
    return !word || (parse_count(word, count) && *count >= least) ||
           fail(error, STATUS_BAD_INPUT, "%s '%.100s': expected a whole number from %d to 2^53",
                option, word, (int)least);
}

bool judging_choose(const struct axes *axes, struct judging *judging, struct error *error) {
    *judging = (struct judging){ .all_below = JUDGE_BY_COST, .sample = default_sample };
    judging->seed = axes->judge_seed ? 0 : draw_seed() % seeds;
    return take_count("--judge-all-below", axes->judge_all_below, 0, &judging->all_below, error) &&
           take_count("--judge-sample", axes->judge_sample, 1, &judging->sample, error) &&
           take_count("--judge-seed", axes->judge_seed, 0, &judging->seed, error);
}
