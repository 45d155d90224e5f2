#include "kernels/schedule.h"
#include "core/strings.h"

#include "kernels/bindings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

const char *schedule_begin(const char *words) {
    static const char *const first[] = { " every ", " when ", " between ", " all " };
    const char *begin = words + strlen(words);
    for (size_t f = 0; f < sizeof first / sizeof first[0]; f++) {
        const char *at = strstr(words, first[f]);
        begin = at && at < begin ? at : begin;
    }
    return begin;
}

static bool parse_steps(const char *words, struct schedule *schedule) {
    char *end = NULL;
    const long steps = strtol(words, &end, 10);
    if (end == words || steps < 1 || steps > VARIANT_LARGEST_VALUE ||
        strcmp(end, steps == 1 ? " step" : " steps") != 0) {
        return false;
    }
    schedule->when = PASS_EVERY_STEP;
    schedule->steps = (int)steps;
    return true;
}

bool schedule_parse(const char *words, struct schedule *schedule) {
    static const struct {
        const char *words;
        enum pass_when when;
    } known[] = { { "", PASS_EVERY_STEP },
                  { "every step", PASS_EVERY_STEP },
                  { "every rebuild", PASS_EVERY_REBUILD },
                  { "when moved", PASS_WHEN_MOVED },
                  { "when asked", PASS_WHEN_ASKED },
                  { "between steps", PASS_BETWEEN_STEPS },
                  { "all steps", PASS_ALL_STEPS } };
    words += strspn(words, " \t");
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strcmp(words, known[k].words) == 0) {
            *schedule = (struct schedule){ known[k].when, 1 };
            return true;
        }
    }
    return begins_with(words, "every ") && parse_steps(words + strlen("every "), schedule);
}

const char *schedule_words(const struct schedule *schedule) {
    static const char *const words[] = { [PASS_EVERY_STEP] = "",
                                         [PASS_EVERY_REBUILD] = "every rebuild",
                                         [PASS_WHEN_MOVED] = "when moved",
                                         [PASS_WHEN_ASKED] = "when asked",
                                         [PASS_BETWEEN_STEPS] = "between steps",
                                         [PASS_ALL_STEPS] = "all steps" };
    return words[schedule->when];
}

/* ---- passes and their memory ---- */

bool pass_is_step(const struct pass *pass) {
    return pass->schedule.when == PASS_EVERY_STEP || pass->schedule.when == PASS_WHEN_ASKED ||
           pass->schedule.when == PASS_BETWEEN_STEPS || pass->schedule.when == PASS_ALL_STEPS;
}

static bool has_pass(const struct variant *variant, enum pass_when when) {
    for (int p = 0; p < variant->pass_count; p++) {
        if (variant->passes[p].schedule.when == when) {
            return true;
        }
    }
    return false;
}

bool variant_takes_all_steps(const struct variant *variant) {
    return has_pass(variant, PASS_ALL_STEPS);
}

bool variant_rebuilds(const struct variant *variant) {
    return has_pass(variant, PASS_EVERY_REBUILD) || has_pass(variant, PASS_WHEN_MOVED);
}

bool variant_rebuilds_when_moved(const struct variant *variant) {
    return has_pass(variant, PASS_WHEN_MOVED);
}

bool variant_keeps_scratch(const struct variant *variant, int scratch) {
    for (int p = 0; p < variant->pass_count; p++) {
        if (!pass_is_step(&variant->passes[p]) &&
            (variant->passes[p].scratch_taken >> scratch & 1U) != 0) {
            return true;
        }
    }
    return false;
}

bool variant_changes_scratch(const struct variant *variant, int scratch) {
    for (int p = 0; p < variant->pass_count; p++) {
        if (pass_is_step(&variant->passes[p]) &&
            (variant->passes[p].scratch_written >> scratch & 1U) != 0) {
            return true;
        }
    }
    return false;
}

/* ---- rules ---- */

static bool refuse(const struct variant *variant, const struct pass *pass, const char *what,
                   struct error *error) {
    return fail(error, STATUS_BAD_INPUT, "%s:%d: @pass %s %s: %s", variant->path, pass->line,
                pass->kernel, schedule_words(&pass->schedule), what);
}

static bool structure_has_skin(const struct structure_class *structure) {
    while (structure && !structure->ask) {
        structure = structure->needs;
    }
    return structure != NULL;
}

/* Nothing is launched, and nothing built, between the steps that a pass takes by itself. */
static bool check_all_steps(const struct variant *variant, const struct pass *pass,
                            struct error *error) {
    if (!*variant->integrator) {
        return refuse(variant, pass, "an evaluation is one step; expected workload step", error);
    }
    if (strcmp(variant->structure, "none") != 0 || has_pass(variant, PASS_WHEN_MOVED)) {
        return refuse(variant, pass,
                      "nothing is built between steps; expected forces with @structure none",
                      error);
    }
    for (int p = 0; p < variant->pass_count; p++) {
        if (!pass_is_of_forces(variant, p) && variant->passes[p].schedule.when != PASS_ALL_STEPS) {
            return refuse(variant, pass, "it stands for all passes; expected none of another time",
                          error);
        }
    }
    return true;
}

/* Some passes are of time steps alone, and some stand for others. */
static bool check_of_steps(const struct variant *variant, const struct pass *pass,
                           struct error *error) {
    const bool has_steps = *variant->integrator != '\0';
    if (pass->schedule.when == PASS_WHEN_ASKED && !has_steps) {
        return refuse(variant, pass,
                      "every evaluation is asked for; of steps alone it is said which are", error);
    }
    if (pass->schedule.when == PASS_BETWEEN_STEPS && !has_steps) {
        return refuse(variant, pass, "an evaluation is one step; expected workload step", error);
    }
    if (pass->schedule.steps > 1 && has_pass(variant, PASS_BETWEEN_STEPS)) {
        return fail(
            error, STATUS_BAD_INPUT,
            "%s:%d: @pass %s every %d steps: a pass between steps stands for those before and "
            "after the forces; expected every step",
            variant->path, pass->line, pass->kernel, pass->schedule.steps);
    }
    return pass->schedule.steps <= 1 || has_steps ||
           fail(error, STATUS_BAD_INPUT,
                "%s:%d: @pass %s every %d steps: workload %s has no steps, a case is one state "
                "of the particles; expected every step, every rebuild or when moved, or "
                "workload step",
                variant->path, pass->line, pass->kernel, pass->schedule.steps,
                variant->workload->name);
}

/* Passes that fill something for several steps need a structure with a skin, or a skin of their
 * own. Data kept of a structure that is built at every move could not be distinguished from results
 * that are computed beforehand. */
static bool check_rebuild(const struct variant *variant, const struct pass *pass,
                          struct error *error) {
    const bool has_skin = structure_has_skin(variant->structure_class);
    char what[256];
    if (pass->schedule.when == PASS_EVERY_REBUILD && !has_skin &&
        !generator_has_streams(variant->generator)) {
        (void)snprintf(what, sizeof what,
                       "structure %s is built again whenever particles move, so that nothing lasts "
                       "longer than a step; expected when moved, or a structure that outlives "
                       "moves, as pair_list does",
                       variant->structure);
        return refuse(variant, pass, what, error);
    }
    if (pass->schedule.when == PASS_WHEN_MOVED && has_skin) {
        (void)snprintf(what, sizeof what,
                       "structure %s says itself when it is built again; expected every rebuild",
                       variant->structure);
        return refuse(variant, pass, what, error);
    }
    return pass->schedule.when != PASS_WHEN_MOVED || variant_has_tunable(variant, SCHEDULE_SKIN) ||
           refuse(variant, pass,
                  "moved how far? expected a @tunable " SCHEDULE_SKIN
                  ", in hundredths of the cutoff: half of it",
                  error);
}

/* Whether the pass may run when its header says. */
static bool check_when(const struct variant *variant, const struct pass *pass,
                       struct error *error) {
    const struct workload *workload = variant->workload;
    const char *refusal = workload->refuse_pass ? workload->refuse_pass(variant, pass) : NULL;
    if (refusal) {
        return refuse(variant, pass, refusal, error);
    }
    return pass->schedule.when == PASS_ALL_STEPS
               ? check_all_steps(variant, pass, error)
               : check_of_steps(variant, pass, error) && check_rebuild(variant, pass, error);
}

/* Whether a parameter says how particles move on from where they are. */
static bool is_of_motion(const struct variant *variant, const char *name) {
    static const char *const names[] = { "velocity", "dt", "step", "bath", "position_rest" };
    bool of_motion = false;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        of_motion = of_motion || strcmp(name, names[k]) == 0;
    }
    return of_motion && *variant->integrator;
}

/* What a pass between rebuilds is given of the step: no results, nothing that steps write. The
 * first building of a launch stands outside of its time, so nothing that would have a pass compute
 * ahead there what the steps are timed for. */
static bool check_parameters(const struct variant *variant, const struct pass *pass,
                             struct error *error) {
    char what[256];
    for (int a = 0; a < pass->argument_count; a++) {
        const char *name = pass->arguments[a];
        if (binding_result(variant, name) || strcmp(name, "partial_sums") == 0 ||
            is_of_motion(variant, name)) {
            (void)snprintf(what, sizeof what,
                           "kernels take %s in passes of every step alone, which compute it anew",
                           name);
            return refuse(variant, pass, what, error);
        }
    }
    return !pass->takes_step_parameters ||
           refuse(variant, pass,
                  "kernels take STEP_PARAMETERS in passes of every step alone, which compute it "
                  "anew",
                  error);
}

/* What the structure provides is, in a step, of the time of the building. */
static bool check_step(const struct variant *variant, const struct pass *pass,
                       struct error *error) {
    for (int a = 0; a < pass->argument_count; a++) {
        struct binding binding;
        if (variant_rebuilds_when_moved(variant) &&
            binding_find(variant, pass->arguments[a], &binding) &&
            binding.source == BINDING_STRUCTURE) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s:%d: @pass %s: %s is what it was when particles had moved last; "
                        "expected a @scratch that a pass fills when moved",
                        variant->path, pass->line, pass->kernel, pass->arguments[a]);
        }
    }
    return true;
}

/* Checks that all passes which write to a scratch array are on one schedule, except the state of a
 * generator, which continues from step to step. */
static bool check_scratch(const struct variant *variant, int s, struct error *error) {
    const struct pass *writer = NULL;
    for (int p = 0; p < variant->pass_count; p++) {
        const struct pass *pass = &variant->passes[p];
        if (!pass_is_step(pass) && (pass->scratch_written >> s & 1U) != 0) {
            writer = pass;
        }
    }
    for (int p = 0; p < variant->pass_count; p++) {
        const struct pass *pass = &variant->passes[p];
        if (writer && pass_is_step(pass) && (pass->scratch_written >> s & 1U) != 0 &&
            !generator_has_streams(variant->generator)) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s:%d: @pass %s: @scratch %s is kept from one rebuild to the next, and "
                        "kernel %s fills it %s; expected GLOBAL const in every step",
                        variant->path, pass->line, pass->kernel, variant->scratch[s].name,
                        writer->kernel, schedule_words(&writer->schedule));
        }
        if (!writer && !pass_is_step(pass) && (pass->scratch_taken >> s & 1U) != 0) {
            char what[128];
            (void)snprintf(what, sizeof what,
                           "no such pass fills @scratch %s, and what steps leave there is gone",
                           variant->scratch[s].name);
            return refuse(variant, pass, what, error);
        }
    }
    return true;
}

bool schedule_check(const struct variant *variant, struct error *error) {
    bool fits = true;
    for (int p = 0; fits && p < variant->pass_count; p++) {
        const struct pass *pass = &variant->passes[p];
        fits = check_when(variant, pass, error) &&
               (pass_is_step(pass) ? check_step(variant, pass, error)
                                   : check_parameters(variant, pass, error));
    }
    for (int s = 0; fits && s < variant->scratch_count; s++) {
        fits = check_scratch(variant, s, error);
    }
    return fits;
}
