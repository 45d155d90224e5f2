/* Texts of pair functions that are wrong in one place, each in another: the gate refuses every one,
 * and passes those that are not. */
#include "core/embedded.h"
#include "kernels/variant.h"
#include "measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "built_in.h" /* last: see there */

struct mutant {
    const char *words; /* the interaction; its charges are those of water, else it is of a fluid */
    const char *tunable; /* NULL: none is set */
    int value;
    enum precision precision;
    const char *function; /* from which word on; "" */
    const char *right;    /* what is replaced there, once; NULL: nothing */
    const char *wrong;
};

#define EWALD(alpha) "ewald-real:alpha=" #alpha
#define SWITCH "lj-switch:inner=1.5,outer=2.4"

static const struct mutant mutants[] = {
    /* the ranges of the fits */
    { EWALD(0.7), "ERFC_BY", 1, PRECISION_DOUBLE, "", NULL, NULL },
    { EWALD(0.7), "ERFC_BY", 1, PRECISION_DOUBLE, "", "EWALD_NEAR REAL(3.2)",
      "EWALD_NEAR REAL(5.0)" },
    { EWALD(1.0), "ERFC_BY", 1, PRECISION_DOUBLE, "", NULL, NULL },
    { EWALD(1.0), "ERFC_BY", 1, PRECISION_DOUBLE, "", "EWALD_FAR REAL(4.4)",
      "EWALD_FAR REAL(6.1)" },
    { EWALD(0.7), "ERFC_BY", 3, PRECISION_FLOAT, "", NULL, NULL },
    { EWALD(1.0), "ERFC_BY", 3, PRECISION_FLOAT, "", "EWALD_FAR REAL(4.4)", "EWALD_FAR REAL(6.1)" },
    /* coefficients: a digit that stands for a few roundings, and what makes them of alpha */
    { EWALD(0.5), "ERFC_BY", 1, PRECISION_DOUBLE, "", NULL, NULL },
    { EWALD(0.5), "ERFC_BY", 1, PRECISION_DOUBLE, "ewald_force_near_rational_values[",
      "REAL(7.5225277", "REAL(7.5225276" },
    { EWALD(0.5), "ERFC_BY", 1, PRECISION_DOUBLE, "", "EWALD_ALPHA_SQUARED * EWALD_REAL_ALPHA))",
      "EWALD_ALPHA_SQUARED))" },
    { EWALD(0.5), "ERFC_BY", 1, PRECISION_DOUBLE, "", "EWALD_OF_ENERGY (-", "EWALD_OF_ENERGY (" },
    { EWALD(0.5), "ERFC_BY", 1, PRECISION_FLOAT, "", "EWALD_POWER_3 (EWALD_POWER_1",
      "EWALD_POWER_3 (EWALD_POWER_2" },
    { EWALD(0.5), "ERFC_BY", 3, PRECISION_FLOAT, "", NULL, NULL },
    { EWALD(0.5), "ERFC_BY", 3, PRECISION_FLOAT, "", "REAL(-1.4))", "REAL(-1.39))" },
    { EWALD(0.5), "ERFC_BY", 3, PRECISION_DOUBLE, "", NULL, NULL },
    { EWALD(0.5), "ERFC_BY", 3, PRECISION_DOUBLE, "real ewald_energy_near_polynomial(",
      "return sum + plain", "return sum - plain" },
    /* what is smooth at the cutoff */
    { "lj-shift:zero=2.5", NULL, 0, PRECISION_DOUBLE, "", NULL, NULL },
    { "lj-shift:zero=2.5", NULL, 0, PRECISION_DOUBLE, "", "- z6 * (z6 - REAL(1.0))", "- z6 * z6" },
    { SWITCH, NULL, 0, PRECISION_DOUBLE, "", NULL, NULL },
    { SWITCH, NULL, 0, PRECISION_FLOAT, "", NULL, NULL },
    { SWITCH, NULL, 0, PRECISION_FLOAT, "", "(n + REAL(4.0))", "(n + REAL(3.0))" },
    { SWITCH, NULL, 0, PRECISION_DOUBLE, "", "* REAL(0.25)", "* REAL(0.3)" },
    { SWITCH, NULL, 0, PRECISION_DOUBLE, "", "r2 < outer * outer ? FMA",
      "r2 > outer * outer ? FMA" },
    { SWITCH, NULL, 0, PRECISION_DOUBLE, "", "REAL(1.0) - REAL(6.0)", "REAL(1.0) + REAL(6.0)" },
    { "reaction-field:rc=6", NULL, 0, PRECISION_DOUBLE, "", NULL, NULL },
    { "reaction-field:rc=6,dielectric=0", NULL, 0, PRECISION_DOUBLE, "", NULL, NULL },
    { "reaction-field:rc=6", NULL, 0, PRECISION_DOUBLE, "", "- REAL(2.0) * k)", "- k)" },
    { "reaction-field:rc=6", NULL, 0, PRECISION_DOUBLE, "", "(REAL(1.0) + share)", "REAL(1.5)" },
    { "coulomb-shift:rc=6", NULL, 0, PRECISION_DOUBLE, "", NULL, NULL },
    { "coulomb-shift:rc=6", NULL, 0, PRECISION_DOUBLE, "", "-(inverse_rc * inverse_rc)",
      "-inverse_rc" },
    { "coulomb-shift:rc=6", NULL, 0, PRECISION_DOUBLE, "", "(REAL(2.0) -", "(REAL(1.0) -" },
};

/* The text with the replacement made; the test frees it. */
static char *mutated(const char *text, const struct mutant *mutant) {
    const char *from = strstr(text, mutant->function);
    assert_non_null(from);
    /* in double the later of two branches counts */
    for (const char *next = from; *mutant->function && next;
         next = strstr(next + 1, mutant->function)) {
        from = next;
    }
    const char *place = mutant->right ? strstr(from, mutant->right) : text;
    if (!place) {
        fail_msg("no \"%s\" in the text", mutant->right);
    }
    const size_t before = (size_t)(place - text);
    const size_t skipped = mutant->right ? strlen(mutant->right) : 0;
    const char *put = mutant->right ? mutant->wrong : "";
    const size_t size = strlen(text) + strlen(put) + 1;
    char *made = malloc(size);
    assert_non_null(made);
    (void)snprintf(made, size, "%.*s%s%s", (int)before, text, put, place + skipped);
    return made;
}

static void judge(struct session *session, const struct variant *variant,
                  const struct mutant *mutant) {
    struct case_spec spec = { .variant = variant,
                              .precision = mutant->precision,
                              .outputs = OUTPUTS_ENERGY,
                              .box = { .kind = "fluid", .n = 300, .seed = 1 } };
    struct verdict verdict;
    struct error error;
    assert_done(interaction_parse(mutant->words, &spec.interaction, &error), &error);
    const bool charged = spec.interaction.functions[0].kind == TERM_COULOMB;
    spec.cutoff = cutoff_of(charged ? 6.0 : 2.5);
    if (charged) {
        (void)snprintf(spec.box.kind, sizeof spec.box.kind, "water");
    }
    char *text = mutated(spec.interaction.functions[0].source, mutant);
    spec.interaction.functions[0].source = text;
    case_preset_tunings(&spec);
    bool found = !mutant->tunable;
    for (int t = 0; t < spec.tunings.count && !found; t++) {
        found = strcmp(spec.tunings.items[t].name, mutant->tunable) == 0;
        if (found) {
            spec.tunings.items[t].value = mutant->value;
        }
    }
    assert_true(found);
    session_check(session, &spec, &verdict);
    if (verdict.status != (mutant->right ? STATUS_WRONG : STATUS_OK)) {
        fail_msg("%s, %s=%d: \"%s\" for \"%s\": %s", mutant->words,
                 mutant->tunable ? mutant->tunable : "", mutant->value,
                 mutant->right ? mutant->wrong : "", mutant->right ? mutant->right : "",
                 verdict.message);
    }
    free(text);
}

TEST(the_gate_refuses_them) {
    struct session *session;
    struct error error;
    const struct variant *loop = built_in("all_pairs_loop");
    assert_done(session_open("", &session, &error), &error);
    for (size_t m = 0; m < sizeof mutants / sizeof mutants[0]; m++) {
        judge(session, loop, &mutants[m]);
    }
    session_close(session);
}

TEST_GROUP(open_test_cache, close_test_cache)
