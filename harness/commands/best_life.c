#include "commands/best_life.h"

#include "campaign/campaign_signals.h"
#include "campaign/plan/plan.h"
#include "commands/moving.h"
#include "commands/trial_run.h"
#include "kernels/motion/rigid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Kernels on a processor take longer to compile than the reference takes for fewer particles. Of
 * more than the second, the reference takes a second per step. */
enum { REFERENCE_ON_CPU = 8192, REFERENCE_AT_MOST = 262144 };
/* What a short simulation may take beside its time: compiling, opening the device. */
static const double least_deadline_s = 60;

bool best_life_has_elements(const struct box *box) {
    static const char elements[] =
        " H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As "
        "Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu "
        "Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np "
        "Pu ";
    for (int32_t type = 0; type < box->types; type++) {
        char word[SPECIES_SIZE + 2];
        (void)snprintf(word, sizeof word, " %s ", box->species[type]);
        if (box->species[type][0] && strstr(elements, word)) {
            return true;
        }
    }
    return false;
}

/* Rigid waters keep their shape where nobody says otherwise and no pair of a molecule interacts. */
static void choose_integrator(const struct case_spec *spec, struct best_life *life) {
    struct rigid_molecules molecules = { 0 };
    struct step_rules rules = life->rules;
    struct error none;
    rules.integrator = INTEGRATOR_SETTLE;
    if (spec->interaction.exclusions && life->box.molecule &&
        rigid_molecules_find(&life->box, &rules, &molecules, &none) && molecules.rigid > 0) {
        life->rules = rules;
    }
    rigid_molecules_free(&molecules);
}

static bool choose_rules(const struct life_words *words, const struct case_spec *spec,
                         struct best_life *life, struct error *error) {
    life->rules = step_rules_default();
    life->rules.dt = words->dt;
    life->rules.temperature = life->temperature; /* of langevin */
    if (!words->integrator) {
        choose_integrator(spec, life);
        return true;
    }
    return (step_integrator_parse(words->integrator, &life->rules, error) &&
            step_rules_check(&life->rules, error)) ||
           fail_within(error, "--integrator");
}

static bool give_velocities(const struct life_words *words, const struct case_spec *spec,
                            struct best_life *life, struct error *error) {
    struct box *box = &life->box;
    const bool drawn = words->temperature >= 0 || life->assumed;
    return (!drawn || box_set_temperature(box, life->temperature,
                                          spec->box.seed ? spec->box.seed : 1, error)) &&
           (life->rules.integrator != INTEGRATOR_SETTLE ||
            rigid_set_velocities(box, &life->rules, life->temperature, error));
}

bool best_life_prepare(const struct life_words *words, const struct case_spec *spec,
                       struct best_life *life, struct error *error) {
    const struct step_rules plain = step_rules_default();
    *life = (struct best_life){ 0 };
    if (!moving_box(&spec->box, &plain, -1, true, &life->box, error)) {
        return false;
    }
    const double own = life->box.velocity ? box_temperature(&life->box) : 0;
    life->assumed = words->temperature < 0 && !(own > 0);
    life->temperature = words->temperature >= 0 ? words->temperature : own > 0 ? own : 1;
    const bool good = choose_rules(words, spec, life, error) &&
                      give_velocities(words, spec, life, error) &&
                      moving_box_round(spec->precision, &life->box, error) &&
                      moving_cutoff(spec, &life->box, &life->cutoff, error);
    if (!good) {
        best_life_free(life);
    }
    return good;
}

void best_life_free(struct best_life *life) {
    box_free(&life->box);
    *life = (struct best_life){ 0 };
}

/* A case of workload step that moves the box of another case. */
static bool plan_steps(const struct case_spec *spec, const struct best_life *life,
                       struct plan *plan, struct error *error) {
    char workload[] = "step", outputs[] = "virial", variant[48];
    struct axes axes = { .workload = workload, .outputs = outputs, .variant = variant };
    moving_variant(&life->rules, !life->box.periodic, variant, sizeof variant);
    if (!plan_make(&axes, plan, error)) {
        return false;
    }
    struct case_spec *steps = &plan->cases[0];
    const bool float_noise = steps->step.float_noise;
    steps->box = spec->box;
    steps->interaction = spec->interaction;
    steps->cutoff = spec->cutoff;
    steps->precision = spec->precision == PRECISION_FIXED ? PRECISION_FLOAT : spec->precision;
    steps->step = life->rules;
    steps->step.float_noise = float_noise;
    case_preset_tunings(steps);
    return true;
}

/* As if each particle kept its velocity. */
static void go_straight_on(struct best_life *life) {
    const double *velocity = life->box.velocity;
    double fastest = 0; /* its square */
    for (size_t i = 0; i < 3 * life->box.n; i += 3) {
        fastest = fmax(fastest, velocity[i] * velocity[i] + velocity[i + 1] * velocity[i + 1] +
                                    velocity[i + 2] * velocity[i + 2]);
    }
    life->life = (struct list_life){ .temperature = life->temperature, .steps = LIST_LIFE_STEPS };
    for (size_t k = 0; k <= LIST_LIFE_STEPS; k++) {
        life->life.moved[k] = (double)k * life->rules.dt * sqrt(fastest);
    }
    life->measured = life->straight = true;
}

static bool measure_by(const struct trial *trial, double widest_skin, double cap_s,
                       struct best_life *life, struct error *error) {
    life->by_reference = trial->by_reference;
    life->measured = trial_life(trial, &life->box, life->temperature, 0.5 * widest_skin, cap_s,
                                &life->life, error);
    return life->measured;
}

bool best_life_measure(const struct case_spec *spec, const struct device_info *device,
                       double widest_skin, double cap_s, double deadline_s, struct best_life *life,
                       struct error *error) {
    struct plan plan = { 0 };
    if (!plan_steps(spec, life, &plan, error)) {
        return false;
    }
    struct trial trial = { .device = device->name,
                           .spec = &plan.cases[0],
                           .cutoff = life->cutoff,
                           .by_reference = device->is_cpu && life->box.n <= REFERENCE_ON_CPU,
                           .deadline_s = fmax(deadline_s, least_deadline_s) };
    bool good = measure_by(&trial, widest_skin, cap_s, life, error);
    const bool kernels_cannot = !good && !trial.by_reference && error->status != STATUS_BAD_INPUT &&
                                life->box.n <= REFERENCE_AT_MOST;
    if (kernels_cannot) {
        trial.by_reference = true;
        good = measure_by(&trial, widest_skin, cap_s, life, error);
    }
    plan_free(&plan);
    if (!good && !campaign_signals_noted()) {
        (void)fprintf(stderr,
                      "pairmark best: no simulation says how long lists last, speeds alone do: "
                      "%s\n  (--dt, --temperature and --integrator say how particles move)\n",
                      error->message);
        go_straight_on(life);
        good = true;
    }
    return good;
}
