/* The words of time steps: integrators, thermostats, fields. */
#include "kernels/motion/step_rules.h"

#include "support.h"

static void expect_words(const struct step_rules *rules, const char *words) {
    struct strbuf text = { 0 };
    step_rules_describe(rules, &text);
    assert_string_equal(text.data, words);
    strbuf_free(&text);
}

TEST(words_and_back) {
    struct error error = { 0 };
    struct step_rules rules = step_rules_default();
    expect_words(&rules, "verlet:dt=0.005 thermostat=none");
    assert_true(step_rules_check(&rules, &error));
    assert_true(step_thermostat_parse("nose-hoover:temperature=1.44,chain=3", &rules, &error));
    assert_true(rules.chain == 3 && rules.time_constant == 0.5);
    expect_words(&rules,
                 "verlet:dt=0.005 thermostat=nose-hoover:temperature=1.44,time=0.5,chain=3");
    assert_true(step_rules_check(&rules, &error));
    rules = step_rules_default();
    rules.dt = 0.1 + 0.2;
    assert_true(step_integrator_parse("langevin:friction=0,temperature=0.5,seed=7,first=9", &rules,
                                      &error));
    assert_true(
        step_field_parse("charge=0:0:-1.5,mass=1:2:3,wall-z=0.5:9.5:100", &rules.field, &error));
    assert_true(rules.field.wall[2].present && rules.field.wall[2].high == 9.5);
    expect_words(&rules,
                 "langevin:dt=0.30000000000000004,friction=0,temperature=0.5,seed=7,first=9 "
                 "thermostat=none field=charge=0:0:-1.5,mass=1:2:3,wall-z=0.5:9.5:100");
    assert_true(step_rules_check(&rules, &error));
    rules = step_rules_default();
    assert_true(step_integrator_parse("leapfrog", &rules, &error));
    assert_true(step_thermostat_parse("rescale:temperature=1,interval=25", &rules, &error));
    expect_words(&rules, "leapfrog:dt=0.005 thermostat=rescale:temperature=1,interval=25");
    assert_true(step_thermostat_parse("berendsen:time=0.1", &rules, &error));
    expect_words(&rules, "leapfrog:dt=0.005 thermostat=berendsen:temperature=1,time=0.1");
}

TEST(wrong_words) {
    static const struct {
        char what; /* i, t, f */
        const char *words, *message;
    } cases[] = {
        { 'i', "euler",
          "unknown integrator 'euler'; expected verlet, leapfrog, langevin or settle" },
        { 'i', "verlet:friction=1", "verlet has no numbers" },
        { 'i', "langevin:tau=1", "'tau' is none of its numbers" },
        { 'i', "langevin:", "expected NAME=VALUE" },
        { 'i', "langevin:friction=-1", "friction '-1'; expected a number, 0 or more" },
        { 'i', "langevin:first=1e30", "first '1e30'; expected a whole number below 2^62" },
        { 't', "", "unknown thermostat ''" },
        { 't', "nose", "expected none, rescale, berendsen, nose-hoover or langevin" },
        { 't', "nose-hoover:chain=11", "chain '11'; expected a whole number from 1 to 10" },
        { 't', "berendsen:time=0", "time '0'; expected a positive number" },
        { 't', "rescale:interval=0", "interval '0'" },
        { 'f', "spin=1:1:1", "expected charge, mass, wall-x, wall-y or wall-z" },
        { 'f', "charge=1:2", "expected three numbers, X:Y:Z" },
        { 'f', "mass=1:2:3:4", "expected three numbers" },
        { 'f', "wall-y=5:1:10", "expected LOW below HIGH" },
        { 'f', "wall-y=1:5:0", "positive strength" },
        { 'f', "wall-w=1:5:1", "expected charge" },
        { 'f', "charge", "expected NAME=X:Y:Z" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct error error = { 0 };
        struct step_rules rules = step_rules_default();
        const bool taken =
            cases[c].what == 'i'   ? step_integrator_parse(cases[c].words, &rules, &error)
            : cases[c].what == 't' ? step_thermostat_parse(cases[c].words, &rules, &error)
                                   : step_field_parse(cases[c].words, &rules.field, &error);
        if (taken || !strstr(error.message, cases[c].message)) {
            fail_msg("'%s': %s", cases[c].words, taken ? "taken" : error.message);
        }
        assert_int_equal(error.status, STATUS_BAD_INPUT);
    }
}

TEST(rules_that_do_not_go_together) {
    struct error error = { 0 };
    struct step_rules rules = step_rules_default();
    rules.dt = 0.0;
    assert_false(step_rules_check(&rules, &error));
    assert_says(error.message, "time step 0");
    rules = step_rules_default();
    rules.thermostat = THERMOSTAT_BERENDSEN;
    assert_false(step_rules_check(&rules, &error));
    assert_says(error.message, "berendsen needs a temperature");
    rules.temperature = 1.0;
    assert_true(step_rules_check(&rules, &error));
    rules.time_constant = 0.9 * rules.dt;
    assert_false(step_rules_check(&rules, &error));
    assert_says(error.message, "thermostat berendsen:time=0.0045 at dt 0.005; expected a time of "
                               "0.005 or more");
    rules.thermostat = THERMOSTAT_NOSE_HOOVER;
    rules.time_constant = 1.9 * rules.dt;
    assert_false(step_rules_check(&rules, &error));
    assert_says(error.message, "nose-hoover:time=0.0095 at dt 0.005; expected a time of 0.01 or");
    rules.time_constant = 2 * rules.dt;
    assert_true(step_rules_check(&rules, &error));
    rules.integrator = INTEGRATOR_LANGEVIN;
    assert_false(step_rules_check(&rules, &error));
    assert_says(error.message, "expected no thermostat");
    rules.integrator = INTEGRATOR_LEAPFROG;
    rules.thermostat = THERMOSTAT_NOSE_HOOVER;
    assert_false(step_rules_check(&rules, &error));
    assert_says(error.message, "expected the integrator verlet");
    rules.thermostat = THERMOSTAT_LANGEVIN;
    assert_false(step_rules_check(&rules, &error));
    assert_says(error.message, "is of rigid waters, beside settle");
    rules.integrator = INTEGRATOR_SETTLE;
    assert_true(step_rules_check(&rules, &error));
    expect_words(&rules, "settle:dt=0.005,oh=1,hh=1.632993161855452 "
                         "thermostat=langevin:friction=1,temperature=1,seed=1");
    assert_true(step_rules_freedom(&rules, 7, 2) == 15.0);
    rules.thermostat = THERMOSTAT_NOSE_HOOVER;
    assert_true(step_rules_check(&rules, &error) && step_rules_freedom(&rules, 7, 2) == 12.0);
}
