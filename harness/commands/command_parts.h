/*
 * command_parts — what two files of a command share: JSON, the report of eval, the request of
 * tune and best, the parts of best.
 */
#ifndef PAIRMARK_COMMANDS_COMMAND_PARTS_H
#define PAIRMARK_COMMANDS_COMMAND_PARTS_H

#include "campaign/axes/axes.h"
#include "campaign/campaign.h"
#include "campaign/plan/plan.h"
#include "commands/commands.h"
#include "commands/search/search.h"
#include "commands/simulation/simulation.h"
#include "devices/device.h"
#include "kernels/case.h"
#include "kernels/results.h"
#include "measure/measure.h"
#include "measure/worker/worker.h"
#include "reference/bonded/bonded.h"
#include "workloads/judges.h"

#include <json-c/json.h>
#include <limits.h>
#include <stdbool.h>

/* ---- what commands print with --json: members by their types, and a case and its verdict by the
 * names that rows.csv has for them (campaign/axes/columns.def) ---- */

void json_add_text(struct json_object *object, const char *name, const char *text); /* NULL: null */
void json_add_count(struct json_object *object, const char *name, int64_t count);
void json_add_flag(struct json_object *object, const char *name, bool flag);
/* A number of six digits; nothing where it is none. */
void json_add_number(struct json_object *object, const char *name, double number);

/* Prints the object on standard output, over several lines, and releases it. */
void json_print(struct json_object *object);

/* case_id, workload, interaction, variant... seed; the box as it was asked for, box_file where it
 * is read. A cutoff of none is null; what is not known has no member. */
void json_add_case(struct json_object *object, const struct case_spec *spec);

/* status, message, worst_ratio and its like. */
void json_add_verdict(struct json_object *object, const struct verdict *verdict);

/* ---- the report of eval ---- */

/* What `pairmark eval` prints: the case, its numbers, and how they compare with the
 * reference. */

struct eval_result {
    const struct case_spec *spec;
    const char *device;
    const struct evaluation *evaluation;
    const struct verdict *verdict; /* NULL: not compared */
    bool has_terms;                /* there are bonded terms, whose energies were computed: */
    struct bonded_energies terms;  /* those of the reference */
    struct beside beside[JUDGE_MOST_BESIDE]; /* what the judge has besides */
    size_t beside_count;
};

/* Prints a line per number, or one JSON object on one line, numbers with 17 digits. */
void eval_report(const struct eval_result *result, bool json);

/* The energies of the kinds of bonded terms, which kernels add up in one number: as the reference
 * has them for the box that the device gets. Errors: those of making or reading the box, of
 * bonded_resolve() and reference_bonded(). */
bool eval_terms(const struct case_spec *spec, struct bonded_energies *energies,
                struct error *error);
/* What the judge of the case has besides the results; nothing where it has nothing. */
bool eval_beside(struct eval_result *result, struct error *error);

/* ---- the request of tune and best ---- */

/* What `pairmark tune` (command_tune.c) and `pairmark best` have in common:
 * options, the sweep over tunables, the store of the best, and a worker that tries them. */

struct tuning_request {
    struct axes axes;
    const char *store_option; /* NULL: not given */
    double budget_s;          /* INFINITY: none */
    uint64_t seed;
    double deadline_s;
    struct tuning_effort effort;
    /* from tuning_request_begin() on */
    char store[PATH_MAX];
    struct tuning_sweep sweep;
    /* of the device that is being asked */
    struct worker *worker;
    struct device_info info;
    size_t wrong, without; /* combinations that were wrong; questions with none that passed */
    size_t unusable;       /* of these, whose input is why */
};

struct tuning_request tuning_request_defaults(void);

/* Spans the sweep and finds the store. `breadth`: see tuning_sweep_make(). */
bool tuning_request_begin(struct tuning_request *request, enum tuning_breadth breadth,
                          struct error *error);
void tuning_request_end(struct tuning_request *request);

/* Starts the device's worker, to be released by worker_free() whatever is returned. */
bool tuning_request_open(struct tuning_request *request, const char *device, struct error *error);

/* The case that stands for a question of the sweep. */
const struct case_spec *tuning_request_case(const struct tuning_request *request, size_t question);

/* STATUS_WRONG's where something was wrong or nothing passed, else 0; `what` was wrong, for a
 * message in the name of the command. */
int tuning_request_exit_code(const struct tuning_request *request, const char *command,
                             const char *what);

/* ---- best: how long lists last in its box, short simulations that measure that, and the answer as
 * a table of 80 columns or as JSON ---- */

/* A neighbour list lasts until a particle has moved by half of its skin. To know for how many
 * steps, a box is brought to a temperature by rescaling its velocities every few steps; then it
 * moves freely, and after each step the largest displacement of all particles is recorded. One such
 * record serves every skin. */

enum { RECORDED_STEPS = 400 };

struct displacement_record {
    double temperature;               /* mean while it was recorded */
    size_t steps;                     /* recorded */
    double moved[RECORDED_STEPS + 1]; /* the largest displacement after 0, 1, ... steps */
};

/* How many steps a list of this skin (a length) lasts, at least 1. Beyond the record, as if the
 * fastest particle went on as fast. */
double steps_within_skin(const struct displacement_record *record, double skin);

/* What a time is of. */
enum best_time {
    BEST_EVALUATION, /* nothing that is built counts */
    BEST_STATED,     /* a list lasts for so many steps as the user says */
    BEST_MEASURED,   /* as many as were measured */
    BEST_WHOLE_STEP  /* workload step: integrator, forces and lists as they come */
};

struct best_report {
    const struct tuning_request *request;
    enum best_time time;
    const struct best_motion *motion; /* of the box; BEST_MEASURED, BEST_WHOLE_STEP */
    const double *steps_per_list;     /* of each case of the sweep, NaN: none; BEST_WHOLE_STEP */
    double steps_per_build;           /* BEST_STATED */
    bool verbose;                     /* the tunables of each line, and how long each skin lasts */
};

void best_report_print(const struct best_report *report, const struct best_answer *answer);

struct json_object *best_report_json(const struct best_report *report,
                                     const struct best_answer *answer);

/* How the box that `best` is asked about moves: its temperature, its integrator, and the record of
 * displacements. */

/* The words of the user about how particles move. */
struct motion_words {
    const char *integrator; /* NULL: settle for rigid waters, else verlet */
    double temperature;     /* less than 0: that of the box's velocities, else 1 */
    double dt;
};

/* Zero-initialise; release with best_motion_free. */
struct best_motion {
    struct box box; /* with velocities, as kernels have it */
    struct step_rules rules;
    double cutoff, temperature;
    bool assumed; /* nobody said the temperature: it is 1 */
    bool by_reference;
    bool measured;
    bool straight; /* the simulation failed: as if the fastest particle went straight on */
    struct displacement_record record;
};

/* Makes or reads the box of the case. Errors: those of moving_box() and moving_cutoff(). */
bool best_motion_prepare(const struct motion_words *words, const struct case_spec *spec,
                         struct best_motion *motion, struct error *error);
void best_motion_free(struct best_motion *motion);

/* Up to half of a skin, for about `cap_s` seconds, a trial of at most `deadline_s`. */
struct best_motion_wanted {
    double widest_skin, cap_s, deadline_s;
};

/* Leaves the box where the record began. Small boxes on processors are moved by the reference,
 * others by kernels; by the reference where these cannot. A simulation that fails (particles
 * overlap, the time step is too long) is reported on stderr, and displacements follow from speeds
 * alone. */
bool best_motion_measure(const struct case_spec *spec, const struct device_info *device,
                         const struct best_motion_wanted *wanted, struct best_motion *motion,
                         struct error *error);

/* A short simulation in a process of its own: how long lists last, how long a step takes.
 *
 * The caller's process opens no device, so that workers can still be forked from it. The other one
 * is confined as a worker is, and ends with the caller, at a signal, or at the deadline. */

struct trial {
    const char *device;
    const struct case_spec
        *spec; /* of workload step; of `by_reference` step and interaction alone */
    double cutoff;
    bool by_reference; /* the serial integrator takes the steps, no kernel */
    double deadline_s;
};

struct trial_time {
    double step_s;         /* of a step, lists included */
    double steps_per_list; /* NaN: nothing lasts for several steps */
    double machine_load;   /* NaN: not known */
};

/* Some steps from the box on, then so many as take about `cap_s` seconds. Errors likewise. */
bool trial_steps(const struct trial *trial, const struct box *box, double cap_s,
                 struct trial_time *time, struct error *error);

#endif
