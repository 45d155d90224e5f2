/* three_body — forces of terms over a particle and its neighbours: Stillinger-Weber, Tersoff. */
#include "reference/three_body/three_body.h"

#include "kernels/bindings.h"
#include "kernels/case.h"
#include "kernels/kernel_parameters.h"
#include "kernels/potentials/element_table.h"
#include "kernels/potentials/pair_text.h"
#include "kernels/text/kernel_text.h"
#include "workloads/gate.h"
#include "workloads/member_order.h"
#include "workloads/steps/steps.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct workload_scalar scalars[] = {
    { "energy", "the sum of the energies of pairs and triplets", 1, 1, OUTPUTS_ENERGY },
    { "virial", "the sum over the particles of each term of position (outer) force", 9, 6,
      OUTPUTS_VIRIAL },
    { .name = NULL },
};

/* In units of sigma, as boxes are made by default: cutoff 1.8. Another has powers that are no whole
 * numbers, a pair function with two powers and another angle. */
#define UNITS "--interaction stillinger-weber:epsilon=1,sigma=1"
#define OTHERS                                                                                     \
    "--interaction stillinger-weber:epsilon=0.7,sigma=0.95,reach=1.6,lambda=12,gamma=0.8,"         \
    "costheta0=0.25,A=6,B=0.8,p=4.5,q=1.5"
#define ORDERS                                                                                     \
    "--interaction tersoff:A=30,B=12,lambda1=3.5,lambda2=1.7,lambda3=1.2,n=0.8,beta=0.4,c=1.5,"    \
    "d=0.8,costheta0=-0.4,R=1.55,width=0.2"
#define OTHER_ORDERS                                                                               \
    "--interaction tersoff:A=25,B=15,lambda1=3,lambda2=1.5,lambda3=0.4,m=1,n=22.9,beta=0.3,"       \
    "gamma=0.7,c=4.8,d=2,costheta0=0.1,R=1.4,width=0.3"
#define ELEMENTS "--interaction stillinger-weber --table built-in:share/interactions/brick.sw"

#define ORDERED_ELEMENTS "--interaction tersoff --table built-in:share/interactions/brick.tersoff"

/* Of more elements than 2 bits number. */
#define ALLOY "--interaction stillinger-weber --table built-in:share/interactions/alloy.sw"
#define ORDERED_ALLOY "--interaction tersoff --table built-in:share/interactions/alloy.tersoff"

static const struct workload_check checks[] = {
    { .options = "--kind diamond --n 1k --precision * --outputs virial", .for_user_n = true },
    { .options = "--kind diamond --n 1k --precision float,mixed,double --outputs virial "
                 "--interaction tersoff" },
    { .options = "--kind fluid --n 300 --precision float,mixed,double --outputs virial " ORDERS },
    { .options =
          "--kind brick --n 500 --precision float,double --outputs virial " ORDERED_ELEMENTS },
    { .options = "--kind fluid@75:100:65 --n 500 --precision float,double --outputs "
                 "virial " OTHER_ORDERS },
    { .options = "--kind fluid --n 120 --precision * --outputs virial " UNITS },
    { .options = "--kind brick --n 500 --precision float,double --outputs virial " ELEMENTS },
    { .options =
          "--kind uniform --n 1,2,3,17 --precision float,double --outputs virial --open " UNITS },
    { .options = "--kind fluid@75:100:65 --n 500 --precision * --outputs virial " OTHERS },
    { .options = "--kind droplets --n 500 --precision mixed --outputs energy,virial --reduction "
                 "* " UNITS },
    /* small terms: what is wrong are units (measure/gate_sums.c) */
    { .options = "--kind fluid --n 120 --precision fixed --outputs virial --interaction "
                 "stillinger-weber:epsilon=1e-9,sigma=1",
      .always = true },
    /* more neighbours than 8 bits count */
    { .options = "--kind melt --density 10 --n 310 --open --precision float --outputs forces "
                 "--interaction stillinger-weber:epsilon=1,sigma=1.15",
      .always = true },
    { .options = NULL },
};

static const struct workload_factor factors[] = {
    WORKLOAD_SUM_FACTORS,
    { .name = "interaction",
      .values = WORKLOAD_VALUES(UNITS, OTHERS, ALLOY, ORDERS, OTHER_ORDERS, ORDERED_ALLOY),
      .text = true },
    { .name = "kind",
      .values = WORKLOAD_VALUES("--kind fluid", "--kind brick", "--kind diamond --density 0.46",
                                "--kind plate", "--kind gas", "--kind droplets", "--kind melt",
                                "--kind uniform", "--kind alloy", "--kind borders") },
    WORKLOAD_BOX_FACTORS,
    { .name = "density", .values = WORKLOAD_VALUES("", "--density 0.2", "--density 3.5") },
    { .name = NULL },
};

static const char *const axes[] = { WORKLOAD_AXES_OF_BOXES, "--interaction", "--table",
                                    WORKLOAD_AXES_OF_SUMS,  "--launch",      NULL };

static const struct workload_refusal refusals[] = {
    { "--cutoff", "ends by its parameters: at reach times sigma" },
    { NULL, NULL },
};

static const char *const interactions[] = { "stillinger-weber", "tersoff", NULL };

static bool has_orders(const struct case_spec *spec) {
    return spec->interaction.functions[0].elements == ELEMENTS_ORDERS;
}

static struct own_cutoff own_cutoff(const struct interaction *interaction) {
    const enum element_form form = interaction->functions[0].elements;
    const struct triplet_record record = element_record_of(interaction);
    const char *name = form == ELEMENTS_ORDERS ? "R+D" : "reach*sigma";
    return interaction->elements ? (struct own_cutoff){ element_table_cutoff(interaction->elements),
                                                        "--table", name, false }
                                 : (struct own_cutoff){ element_record_cutoff(&record, form),
                                                        "--interaction", name, false };
}

static const char *refuse_case(const struct case_spec *spec) {
    const struct triplet_record record = element_record_of(&spec->interaction);
    if (isfinite(spec->interaction.functions[0].cutoff)) {
        return "ends by itself: expected no cutoff among its parameters";
    }
    if (has_orders(spec) && spec->precision == PRECISION_FIXED) {
        return "sums orders of bonds, which are of many sizes: expected no precision fixed";
    }
    return spec->interaction.elements
               ? NULL
               : element_record_refusal(&record, spec->interaction.functions[0].elements);
}

/* An all-pairs kernel looks at all particles once more for each neighbour, some 20. */
static bool all_pairs_exceed(const struct case_spec *spec, size_t particles) {
    const double neighbours = 20;
    const double n = (double)spec->box.n;
    return n * n * neighbours > (double)particles * (double)particles;
}

/* Kinds of other presets have densities in units of sigma, and the interaction is in angstrom. */
static bool suits_kind(const char *kind) {
    return strcmp(kind, "diamond") == 0;
}

/* ---- what kernels may bind ---- */

static const struct kernel_parameter element_parameters[] = {
    { "element_count", "int", FROM_INT(elements_arguments, count) },
    { "elements", "GLOBAL const int *", FROM_BUFFER(elements_arguments, types) },
    { "element_pairs", "GLOBAL const real4 *", FROM_BUFFER(elements_arguments, pairs) },
    { "element_triplets", "GLOBAL const real2 *", FROM_BUFFER(elements_arguments, triplets) },
    { 0 },
};
static const struct parameter_table parameter_tables[] = {
    { bindings_of_case, 0 },
    { element_parameters, offsetof(struct case_arguments, elements) },
    { NULL, 0 }
};
static const char *const units[] = { "particle", "compute_unit", "box", NULL };

/* ---- on the device: parameters by types, and the types of the particles; without a table kernels
 * find the parameters in their text, and read nothing of these ---- */

/* Numbers of a pair, and of a triplet at most: see variants/interactions/stillinger-weber.cl and
 * tersoff.cl. */
enum { PAIR_NUMBERS = 12, SW_TRIPLET_NUMBERS = 2, TRIPLET_NUMBERS = 8 };

struct element_arrays {
    struct elements_arguments arguments;
    struct placed_types types;
};

static void take(const double *from, int count, double *number) {
    for (int k = 0; k < count; k++) {
        number[k] = from[k];
    }
}

static void stage_pair(const double *value, enum element_form form, double *number) {
    const double pair[] = { value[SW_BIG_A] * value[SW_EPSILON],
                            value[SW_BIG_B],
                            value[SW_P],
                            value[SW_Q],
                            value[SW_SIGMA],
                            value[SW_A] * value[SW_SIGMA],
                            value[SW_GAMMA] * value[SW_SIGMA],
                            0 };
    const double bond[] = { value[TERSOFF_BIG_A],   value[TERSOFF_LAMBDA1], value[TERSOFF_BIG_B],
                            value[TERSOFF_LAMBDA2], value[TERSOFF_N],       value[TERSOFF_BETA],
                            value[TERSOFF_R],       value[TERSOFF_WIDTH] };
    take(form == ELEMENTS_ORDERS ? bond : pair, 8, number);
}

static int triplet_numbers(enum element_form form) {
    return form == ELEMENTS_ORDERS ? TRIPLET_NUMBERS : SW_TRIPLET_NUMBERS;
}

static void stage_triplet(const double *value, enum element_form form, double *number) {
    const double triplet[] = { value[SW_LAMBDA] * value[SW_EPSILON], value[SW_COS_THETA0] };
    const double order[] = { value[TERSOFF_GAMMA], value[TERSOFF_LAMBDA3],    value[TERSOFF_C],
                             value[TERSOFF_D],     value[TERSOFF_COS_THETA0], value[TERSOFF_M],
                             value[TERSOFF_R],     value[TERSOFF_WIDTH] };
    take(form == ELEMENTS_ORDERS ? order : triplet, triplet_numbers(form), number);
}

/* Stages the numbers of all types of the box; without a table there is one type. */
static void stage(const struct interaction *interaction, const struct box *box, int32_t types,
                  double *pairs, double *triplets) {
    const struct triplet_record same = element_record_of(interaction);
    const enum element_form form = interaction->functions[0].elements;
    for (int32_t k = 0; k < types * types * types; k++) {
        const int32_t second = k / types % types;
        const int32_t third = k % types;
        const double *value =
            interaction->elements
                ? element_table_find(interaction->elements, box->species[k / types / types],
                                     box->species[second], box->species[third])
                      ->value
                : same.value;
        stage_triplet(value, form, triplets + (size_t)triplet_numbers(form) * (size_t)k);
        if (second == third) {
            stage_pair(value, form, pairs + PAIR_NUMBERS * (size_t)(k / types));
        }
    }
}

static bool check_numbers(const double *numbers, size_t count, bool real_is_double,
                          struct error *error) {
    for (size_t k = 0; k < count && !real_is_double; k++) {
        if (!interaction_parameter_fits_float(numbers[k])) {
            return fail(error, STATUS_UNSUPPORTED,
                        "a parameter of elements, %g, is beyond the range of float: take larger or "
                        "smaller units, or double",
                        numbers[k]);
        }
    }
    return true;
}

static bool upload_parameters(struct device *device, const struct case_spec *spec,
                              const struct box *box, struct elements_arguments *arguments,
                              struct error *error) {
    const bool wide = numeric_real_is_double(precision_numeric(spec->precision));
    const size_t types = (size_t)arguments->count;
    const size_t pairs = PAIR_NUMBERS * types * types;
    const size_t triplets =
        (size_t)triplet_numbers(spec->interaction.functions[0].elements) * types * types * types;
    double *numbers = calloc(pairs + triplets, sizeof *numbers);
    if (!numbers) {
        return fail_out_of_memory(error, "the parameters of elements");
    }
    stage(&spec->interaction, box, arguments->count, numbers, numbers + pairs);
    const struct reals of_pairs = { numbers, pairs, wide };
    const struct reals of_triplets = { numbers + pairs, triplets, wide };
    const bool made =
        check_numbers(numbers, pairs + triplets, wide, error) &&
        buffer_upload_reals(device, "pairs of elements", &of_pairs, &arguments->pairs, error) &&
        buffer_upload_reals(device, "triplets of elements", &of_triplets, &arguments->triplets,
                            error);
    free(numbers);
    return made;
}

static bool create(struct device *device, const struct case_spec *spec, const struct box *box,
                   double cutoff, void *context, struct error *error) {
    struct element_arrays *buffers = context;
    const struct element_table *table = spec->interaction.elements;
    (void)cutoff; /* the parameters say where they end */
    if (table && !element_table_fits(table, box, error)) {
        return false;
    }
    buffers->arguments.count = table ? box->types : 1;
    const bool placed = placed_types_create(device, box, !table, &buffers->types, error);
    buffers->arguments.types = buffers->types.buffer;
    return placed && upload_parameters(device, spec, box, &buffers->arguments, error);
}

static bool reorder(void *context, const struct member_order *order, struct error *error) {
    return placed_types_reorder(&((struct element_arrays *)context)->types, order, error);
}

const struct workload_buffers element_buffers = {
    .size = sizeof(struct element_arrays),
    .arguments = { WORKLOAD_ARGUMENTS(element_arrays, arguments, elements) },
    .create = create,
    .reorder = reorder,
};

/* ---- the class ---- */

/* Whether parameters are read from memory, or are part of the text. */
static void append_words(const struct case_spec *spec, struct strbuf *text) {
    strbuf_append(text, "#define WITH_ELEMENTS %d\n#define WITH_ORDERS %d\n",
                  spec->interaction.elements != NULL, has_orders(spec));
    kernel_text_append_words_with(spec, "variants/three_body.cl", text);
}

extern const struct judge judge_three_body;
extern const struct workload workload_three_body;
const struct workload workload_three_body = {
    .name = "three_body",
    .summary = "forces, energy and virial of triplets: Stillinger-Weber, Tersoff",
    .judge = &judge_three_body,
    .fields = workload_force_fields,
    .scalars = scalars,
    .buffers = &element_buffers,
    .words = WORKLOAD_WORDS_OF_FORCES("pairs and triplets", "pair or triplet", "terms/s",
                                      "three_body_loop"),
    .axes = axes,
    .refusals = refusals,
    .interactions = interactions,
    .own_cutoff = own_cutoff,
    .forces_by = "three_body",
    .all_pairs_exceed = all_pairs_exceed,
    .refuse_case = refuse_case,
    .suits_kind = suits_kind,
    .parameter_tables = parameter_tables,
    .units = { [GROUPS_ONE] = units },
    .append_words = append_words,
    .groups = GROUPS_ONE_BIT,
    .default_mover = "three_body_lanes",
    .default_interaction = "stillinger-weber",
    .default_kind = "diamond",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
    .factors = factors,
};

/* ---- time steps ---- */

static const struct workload_check step_checks[] = {
    { .options = "--kind diamond --n 1k --precision * --outputs virial --dt 0.01",
      .for_user_n = true },
    { .options = "--kind fluid --n 300 --precision float,double --outputs virial " UNITS },
    { .options = "--kind brick --n 500 --precision float,double --outputs virial " ELEMENTS },
    { .options = NULL },
};

static const struct workload_factor step_factors[] = {
    STEP_FACTORS,
    { .name = "interaction",
      .values = WORKLOAD_VALUES(UNITS, OTHERS, ELEMENTS, ORDERS, ORDERED_ELEMENTS),
      .text = true },
    { .name = "kind",
      .values = WORKLOAD_VALUES("--kind fluid", "--kind brick", "--kind diamond --density 0.46",
                                "--kind melt", "--kind gas") },
    { .name = "cell", .values = WORKLOAD_VALUES("", WORKLOAD_OTHER_CELLS) },
    { .name = "n", .values = STEP_SIZES },
    { .name = NULL },
};

static const struct parameter_table tables_of_steps[] = {
    { bindings_of_case, 0 },
    { step_parameters, 0 },
    { element_parameters, offsetof(struct case_arguments, elements) },
    { NULL, 0 }
};

extern const struct workload workload_three_body_step;
const struct workload workload_three_body_step = {
    .name = "three_body_step",
    .summary = "time steps by forces of triplets: displacements, and the energies at the end",
    .buffers = &element_buffers,
    STEP_MEMBERS_OF_BODIES,
    .words = STEP_WORDS("pair or triplet", "verlet+three_body_loop"),
    .interactions = interactions,
    .own_cutoff = own_cutoff,
    .forces_by = "three_body",
    .all_pairs_exceed = all_pairs_exceed,
    .refuse_case = refuse_case,
    .suits_kind = suits_kind,
    .parameter_tables = tables_of_steps,
    .append_words = append_words,
    .default_interaction = "stillinger-weber",
    .default_kind = "diamond",
    .checks = step_checks,
    .factors = step_factors,
};

/* ---- the judge ---- */

static struct three_body_asked asked_of(const struct judge_question *question) {
    const struct case_spec *spec = question->spec;
    return (struct three_body_asked){ .box = question->box,
                                      .interaction = &spec->interaction,
                                      .cutoff = question->cutoff,
                                      .unit = format_unit(
                                          precision_numeric(spec->precision).arithmetic) };
}

static bool expect(const struct judge_question *question, enum expect_use use,
                   struct expectation **expected, struct error *error) {
    struct three_body_asked asked = asked_of(question);
    struct expectation *made = sums_allocate(error);
    asked.kept = use == EXPECT_KEPT;
    return sums_take(made, made && reference_three_body(&asked, &made->reference, error), expected);
}

static bool expect_some(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct expectation **expected, struct error *error) {
    const struct three_body_asked asked = asked_of(question);
    struct expectation *made = sums_allocate(error);
    return sums_take(
        made, made && reference_three_body_some(&asked, particle, count, &made->reference, error),
        expected);
}

const struct judge judge_three_body = { .name = "three_body",
                                        .expect = expect,
                                        .expect_some = expect_some,
                                        .totals_are_small = sums_totals_are_small,
                                        .compare = sums_compare,
                                        SUMS_JUDGE_MEMBERS };
