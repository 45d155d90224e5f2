/* step — time steps from one state of the particles: their displacements, and the energies at the
 * end.
 *
 * Forces, the structure that they need and the sums over pairs are those of a variant of `forces`,
 * between the passes of an integrator. What is kept from one step to the next is the state:
 * positions inside the cell, what their type does not hold of them, velocities with one over the
 * mass, forces, and how often a particle has crossed each face. */
#include "kernels/bindings.h"
#include "kernels/schedule.h"
#include "kernels/text/kernel_text.h"
#include "kernels/workload.h"
#include "workloads/steps/steps.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const struct workload_field step_fields[] = {
    { "position", "real4", GROUPS_ONE_BIT, FIELD_KEPT, { { "position", 1 } } },
    { "index", "int", GROUPS_ONE_BIT, FIELD_IN, { { "index", 1 } } },
    { "position_rest", "real4", GROUPS_ONE_BIT, FIELD_KEPT, { { "position_rest", 1 } } },
    { "velocity", "accum4", GROUPS_ONE_BIT, FIELD_KEPT, { { "velocity", 1 } } },
    { "crossing", "int4", GROUPS_ONE_BIT, FIELD_KEPT, { { "crossing", 1 } } },
    { "force", "accum4", GROUPS_ONE_BIT, FIELD_KEPT, { { "force", 1 } } },
    { "displacement", "accum4", GROUPS_ONE_BIT, FIELD_OUT, { { NULL, 1 } } },
    { .name = NULL },
};

/* What the forces' kernels add up at the last step. */
const struct workload_scalar step_scalars[] = {
    { "energy", "the sum of the pairs' energies at the end", 1, 1, OUTPUTS_ENERGY },
    { "virial", "the sum over pairs of r_ij (outer) f_ij at the end", 9, 6, OUTPUTS_VIRIAL },
    { .name = NULL },
};

/* Groups that are not full, boxes whose cells are as few as can be, and one where lists are built
 * again. */
static const struct workload_check checks[] = {
    { .options = "--kind fluid --n 1,2,65,257 --precision * --outputs forces,virial" },
    { .options = "--kind fluid,brick --n 500 --precision * --outputs energy,virial",
      .for_user_n = true },
    { .options = "--kind fluid --n 1k --precision * --outputs virial", .roomy = true },
    { .options = "--kind brick@115:80:110 --n 500 --precision float,double --outputs virial" },
    { .options = "--kind fluid --n 65 --precision float,double --outputs virial --open",
      .for_user_n = true },
    /* nothing but motion, which has no errors of forces: velocities and places that are kept in
     * float are wrong */
    { .options = "--kind melt --density 0.05 --n 256,257 --precision mixed --outputs energy",
      .always = true },
    /* steps so short that forces in float change nothing: what of velocities and places is kept in
     * float, only where forces act, too */
    { .options = "--kind melt --n 257 --precision mixed --outputs energy --dt 1e-9",
      .always = true },
    /* particles that nothing holds cross the box several times */
    { .options = "--kind melt --density 0.5 --n 65 --precision double --outputs forces "
                 "--interaction lj:epsilon=0 --cutoff 1.2 --dt 0.25 --steps 90",
      .always = true },
    { .options =
          "--kind water --n 30 --precision double --outputs energy --dt 0.001" }, /* masses */
    /* sums over more groups than a group has work-items */
    { .options = "--kind melt --n 20011 --precision double --outputs energy --steps 1" },
    /* boxes of one particle and of none; several in a work-item */
    { .options = "--kind fluid --n 0-5 --batch 9 --open --precision float,double" },
    { .options = "--kind melt --n 130-300 --batch 3 --precision *" },
    { .options = "--kind brick@75:100:65 --n 300 --batch 3 --precision float,double" },
    /* rigid waters, a particle by itself, and nothing */
    { .options =
          "--kind water --n 0-50 --batch 7 --open --density 0.03 --cutoff 4 --exclude molecule "
          "--precision double --dt 0.0005 --steps 3" },
    { .options = "--kind water --n 120-200 --batch 3 --precision mixed,double --dt 0.0005" },
    /* what is done every tenth step has been done twice, and steps have followed */
    { .options = "--kind fluid --n 65 --precision double --outputs energy --steps 25" },
    /* more particles than 16 bits number, whose errors grow too far in several steps */
    { .options = "--kind fluid --n 70001 --precision float --outputs forces --steps 1 --cutoff 1.2",
      .always = true },
    { .options = NULL },
};

/* Steps: beyond 32 and 40, and beyond what a thermostat does now and then. */
#define OF_FIELD "{-1.0:1}:{-1.0:1}:{-1.0:1}"
#define OF_WALL "{0.5:2}:{3.0:5}:{5.0:15}"

static const struct workload_factor factors[] = {
    { .name = "precision",
      .values = WORKLOAD_VALUES("--precision double", "--precision float", "--precision mixed",
                                "--precision fixed"),
      .text = true },
    { .name = "outputs",
      .values = WORKLOAD_VALUES("--outputs forces", "--outputs virial", "--outputs energy"),
      .text = true },
    { .name = "interaction", /* charges are kept where particles move */
      .values = WORKLOAD_VALUES("", "--interaction lj+ewald-real:alpha=0.9"),
      .text = true },
    { .name = "types",
      .values = WORKLOAD_VALUES("", "--table built-in:share/presets/brick_lj.csv"),
      .text = true },
    { .name = "long-range",
      .values = WORKLOAD_VALUES("", "--long-range pme_atomic:order=4",
                                "--long-range pme_tiles:order=6,STREAMS=2"),
      .text = true },
    { .name = "exclusions",
      .values = WORKLOAD_VALUES("", "--exclude molecule", "--exclude next:3"),
      .text = true },
    { .name = "steps",
      .values = WORKLOAD_VALUES("", "--steps 1", "--steps 2", "--steps 25", "--steps 33",
                                "--steps 45", "--steps 70") },
    { .name = "dt", .values = WORKLOAD_VALUES("--dt 0.001", "", "--dt 0.0002") },
    { .name = "thermostat",
      .values = WORKLOAD_VALUES(
          "", "--thermostat nose-hoover:temperature={0.2:2},time=0.1,chain=2",
          "--thermostat nose-hoover:temperature={0.2:2},time=0.1,chain=3",
          "--thermostat nose-hoover:temperature={0.2:2},time=0.2,chain=4",
          "--thermostat nose-hoover:temperature={0.5:2},time={0.01:0.02},chain={6:10}",
          "--thermostat berendsen:temperature={0.5:2},time={0.005:0.06}",
          "--thermostat rescale:temperature={0.5:2}",
          "--thermostat langevin:temperature={0.5:2},friction={0.5:5}",
          "--thermostat langevin:temperature=0,friction={50.0:400}",
          "--thermostat langevin:temperature=2,seed=12884901889",
          "--thermostat langevin:temperature=2,first=4294967290") },
    { .name = "field",
      .values = WORKLOAD_VALUES("", "--field mass=" OF_FIELD, "--field charge=" OF_FIELD,
                                ("--field wall-x=" OF_WALL "[,wall-y=" OF_WALL "][,wall-z=" OF_WALL
                                 "][,charge=" OF_FIELD "]"),
                                ("--field wall-z=" OF_WALL "[,wall-x=" OF_WALL "][,wall-y=" OF_WALL
                                 "][,mass=" OF_FIELD "]")) },
    { .name = "exchange", .values = WORKLOAD_VALUES("", "--exchange hilbert") },
    { .name = "kind",
      .values = WORKLOAD_VALUES("--kind fluid", "--kind brick", "--kind warm-water", "--kind melt",
                                "--kind gas", "--kind salt", "--kind borders") },
    { .name = "cell", .values = WORKLOAD_VALUES("", WORKLOAD_OTHER_CELLS) },
    { .name = "n",
      .values = WORKLOAD_VALUES(
          "--n 257", "--n 1", "--n 2", "--n 3", "--n 31", "--n 32", "--n 33", "--n 63", "--n 64",
          "--n 65", "--n 127", "--n 128", "--n 129", "--n 512", "--n 1023", "--n 1024", "--n 1025",
          "--n 4099", "--n 20011", "--n {4:1500}", "--n 340 --batch 17", "--n 20-40 --batch 33",
          "--n 130-700 --batch 3", "--n 514 --batch 257", WORKLOAD_BATCHES, WORKLOAD_REMAINDERS,
          WORKLOAD_REMAINDERS_OF_WATERS, "=--n 70001 --exclude next:3 --steps 1 --cutoff 1.2") },
    { .name = "cutoff", .values = WORKLOAD_VALUES("", "--cutoff half", "--cutoff 1.2") },
    { .name = NULL },
};

static const char *const axes[] = { WORKLOAD_AXES_OF_BOXES,
                                    WORKLOAD_AXES_OF_TYPES,
                                    "--interaction",
                                    "--cutoff",
                                    WORKLOAD_AXES_OF_SUMS,
                                    "--launch",
                                    "--steps",
                                    "--all-pairings",
                                    "--dt",
                                    "--thermostat",
                                    "--field",
                                    "--exchange",
                                    "--long-range",
                                    "--batch",
                                    NULL };

const char *const step_axes_of_bodies[] = { WORKLOAD_AXES_OF_BOXES,
                                            "--interaction",
                                            "--table",
                                            WORKLOAD_AXES_OF_SUMS,
                                            "--launch",
                                            "--steps",
                                            "--all-pairings",
                                            "--dt",
                                            "--thermostat",
                                            "--field",
                                            NULL };

const struct workload_refusal step_refusals_of_bodies[] = {
    { "--cutoff", "ends by its interaction: give its parameters, or a table" },
    { "--exchange", "keeps particles where they are in the arrays" },
    { NULL, NULL },
};

/* ---- what kernels may bind ---- */

static const struct case_arguments *as_case(const void *owner) {
    return owner;
}

/* The rules are NULL where a header is checked, and no value is asked for. */
static struct argument accum_of(const void *owner, double value) {
    return argument_real(value, as_case(owner)->accum_is_double);
}

static struct argument value_of_dt(const void *owner) {
    return accum_of(owner, as_case(owner)->rules->dt);
}

static struct argument value_of_steps(const void *owner) {
    return argument_int((int32_t)as_case(owner)->rules->steps);
}

static struct argument value_of_temperature(const void *owner) {
    return accum_of(owner, as_case(owner)->rules->temperature);
}

static struct argument value_of_thermostat_time(const void *owner) {
    return accum_of(owner, as_case(owner)->rules->time_constant);
}

static struct argument value_of_freedom(const void *owner) {
    return accum_of(owner, as_case(owner)->freedom);
}

static struct argument value_of_links(const void *owner) {
    return argument_int(as_case(owner)->rules->chain);
}

/* What velocities keep in a step, and how much noise they get, per root of a mass. */
static struct argument value_of_noise_keep(const void *owner) {
    const struct step_rules *rules = as_case(owner)->rules;
    return accum_of(owner, exp(-rules->friction * rules->dt));
}

static struct argument value_of_noise_size(const void *owner) {
    const struct step_rules *rules = as_case(owner)->rules;
    return accum_of(owner, sqrt(-expm1(-2.0 * rules->friction * rules->dt) * rules->temperature));
}

static struct argument value_of_noise_seed(const void *owner) {
    const int64_t seed = (int64_t)as_case(owner)->rules->seed;
    return argument_value(&seed, sizeof seed);
}

static struct argument value_of_face_scale(const void *owner) {
    return accum_of(owner, as_case(owner)->face_scale);
}

const struct kernel_parameter step_parameters[] = {
    { "dt", "accum", FROM_FUNCTION(value_of_dt) },
    { "steps", "int", FROM_FUNCTION(value_of_steps) },
    { "totals", "GLOBAL accum *", FROM_BUFFER(case_arguments, totals) },
    { "bath", "GLOBAL accum *", FROM_BUFFER(case_arguments, thermostat) },
    { "field", "GLOBAL const accum *", FROM_BUFFER(case_arguments, field) },
    { "face_sums", "GLOBAL long64 *", FROM_BUFFER(case_arguments, face_sums) },
    { "face_scale", "accum", FROM_FUNCTION(value_of_face_scale) },
    { "molecule_count", "int", FROM_INT(case_arguments, molecule_count) },
    { "molecule_begin", "GLOBAL const int *", FROM_BUFFER(case_arguments, molecule_begin) },
    { "water_atoms", "GLOBAL const int4 *", FROM_BUFFER(case_arguments, water_atoms) },
    { "water_sides", "GLOBAL const accum *", FROM_BUFFER(case_arguments, water_sides) },
    { "temperature", "accum", FROM_FUNCTION(value_of_temperature) },
    { "thermostat_time", "accum", FROM_FUNCTION(value_of_thermostat_time) },
    { "freedom", "accum", FROM_FUNCTION(value_of_freedom) },
    { "links", "int", FROM_FUNCTION(value_of_links) },
    { "noise_keep", "accum", FROM_FUNCTION(value_of_noise_keep) },
    { "noise_size", "accum", FROM_FUNCTION(value_of_noise_size) },
    { "noise_seed", "long64", FROM_FUNCTION(value_of_noise_seed) },
    { "step", "long64", FROM_LONG(case_arguments, step) },
    { 0 },
};

static const struct parameter_table parameter_tables[] = {
    { bindings_of_case, 0 },
    { step_parameters, 0 },
    { batch_parameters, offsetof(struct case_arguments, batch) },
    { NULL, 0 }
};
const char *const step_units[] = { "particle", "compute_unit", "box", "molecule", NULL };
const char *const step_header_words[] = { "@forces", "STEP_PARAMETERS", NULL };

static const char *const columns[] = { "steps", "dt",          "dynamics",   "exchange",
                                       "batch", "batch_sizes", "long_range", "atom_steps_per_s",
                                       NULL };

/* ---- which cases ---- */

/* Integrators but for those that ask for box_cells have one cell. */
static bool has_own_cells(const struct case_spec *spec) {
    const struct variant *variant = spec->variant;
    bool takes = false;
    for (int p = 0; p < variant->pass_count; p++) {
        takes = takes ||
                (!pass_is_of_forces(variant, p) && pass_takes(&variant->passes[p], "box_cells"));
    }
    return takes;
}

static const char *refuse_batch(const struct case_spec *spec) {
    const struct step_rules *rules = &spec->step;
    if (spec->box.sizes.most > 0 && !spec->box.open && !has_own_cells(spec)) {
        return "moves particles in one cell: boxes of several sizes have their own, for which an "
               "integrator asks for box_cells";
    }
    if (step_rules_have_bath(rules) && !variant_takes_all_steps(spec->variant)) {
        return "has one bath for all particles: a batch of time steps takes none";
    }
    if (spec->exchange.by_hilbert) {
        return "exchanges molecules of one box: a batch of time steps has none that are";
    }
    if (spec->outputs != OUTPUTS_FORCES ||
        tunings_value(&spec->tunings, "COUNT_CROSSINGS", 1) == COUNT_FACES) {
        return "sums over all boxes: a batch of time steps takes --outputs forces, and counts "
               "nothing at faces";
    }
    return spec->long_range.variant ? "has one grid: a batch takes no --long-range"
                                    : batch_refuse(spec);
}

/* Why settle cannot take a box of this kind; boxes of files are checked when they are read. */
static const char *refuse_waters(const struct case_spec *spec) {
    const bool is_drawn = spec->box.sizes.most > 0;
    const bool is_made = !isnan(box_default_density(spec->box.kind)) && !spec->box.path[0];
    if (strcmp(spec->variant->integrator, "settle") != 0 || !is_made) {
        return NULL;
    }
    if (!box_is_of_waters(spec->box.kind)) {
        return "takes rigid waters: a box of kind water, or one with molecules";
    }
    return !is_drawn && box_spec_share(&spec->box) % 3 == 2
               ? "takes whole rigid waters, and single particles: 3 m or 3 m + 1 of them"
               : NULL;
}

static const char *refuse_case(const struct case_spec *spec) {
    const char *why = refuse_waters(spec);
    if (why) {
        return why;
    }
    if (variant_takes_all_steps(spec->variant) &&
        (spec->long_range.variant || spec->exchange.every > 0)) {
        return "takes all steps in one kernel: nothing is done between them, as a long range or an "
               "exchange would be";
    }
    return spec->box.batch > 1 ? refuse_batch(spec) : NULL;
}

const char *const step_columns_of_bodies[] = { "steps", "dt", "dynamics", "atom_steps_per_s",
                                               NULL };

extern const struct workload workload_step;
const struct workload workload_step = {
    .name = "step",
    .summary = "time steps from one state: displacements, and the energies at the end",
    .judge = &judge_trajectory,
    .fields = step_fields,
    .scalars = step_scalars,
    .words = STEP_WORDS("interacting pair", "verlet+all_pairs_loop"),
    .axes = axes,
    .columns = columns,
    .parameter_tables = parameter_tables,
    .buffers = &batch_buffers,
    .refuse_case = refuse_case,
    .units = { [GROUPS_ONE] = step_units },
    .header_words = step_header_words,
    .append_words = kernel_text_append_words,
    .all_pairs_exceed = workload_all_pairs_exceed,
    .forces_by = "forces",
    .groups = GROUPS_ONE_BIT,
    .default_interaction = "lj",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
    .factors = factors,
};
