#include "campaign/worker.h"
#include "commands/commands.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: pairmark eval --variant V [--box FILE | --kind K --n N] [axes] [--json]\n"
    "                     [--forces FILE] [--deadline SECONDS]\n\n"
    "One evaluation of one case: numbers out, no timing, no comparison. Unless the axes say\n"
    "otherwise: precision double, outputs virial; of a coordination, a variant that walks no\n"
    "structure.\n"
    "  --json              one JSON object, full precision\n"
    "  --forces FILE       writes the box with the force on each particle, or the derivatives of\n"
    "                      a coordination by its position (extended XYZ)\n"
    "  --deadline SECONDS  how long it may take (60)\n\n";

struct eval_options {
    struct axes axes;
    const char *forces; /* NULL: not written */
    double deadline_s;
    bool json;
    bool help;
};

static bool take_deadline(const char *word, double *deadline_s, struct error *error) {
    return (text_to_double(word, deadline_s) && *deadline_s > 0) ||
           fail(error, STATUS_BAD_INPUT, "--deadline: '%.100s' is not a positive number", word);
}

static bool take_option(int argc, char **argv, int *index, struct eval_options *options,
                        struct error *error) {
    static const char *const own[] = { "--json", "--forces", "--deadline", "--help", NULL };
    const char *value;
    bool taken;
    if (strcmp(argv[*index], "--json") == 0 || command_is_help(argv[*index])) {
        options->json = options->json || strcmp(argv[*index], "--json") == 0;
        options->help = options->help || command_is_help(argv[*index]);
        *index += 1;
        return true;
    }
    if (!command_take_value("--forces", argc, argv, index, &options->forces, &taken, error)) {
        return false;
    }
    if (taken) {
        return true;
    }
    if (!command_take_value("--deadline", argc, argv, index, &value, &taken, error)) {
        return false;
    }
    if (taken) {
        return take_deadline(value, &options->deadline_s, error);
    }
    if (!axes_take_option(&options->axes, argc, argv, index, &taken, error)) {
        return false;
    }
    return taken || command_unknown_option(argv[*index], own, true, error);
}

/* ---- that it is one case ---- */

static bool same_box(const struct box_spec *a, const struct box_spec *b) {
    return strcmp(a->path, b->path) == 0 && strcmp(a->kind, b->kind) == 0 && a->n == b->n &&
           a->density == b->density && a->seed == b->seed;
}

static bool same_cutoff(double a, double b) {
    return a == b || (a != a && b != b);
}

static bool same_interaction(const struct interaction *a, const struct interaction *b) {
    bool same = strcmp(a->name, b->name) == 0;
    for (int i = 0; same && i < a->parameter_count; i++) {
        same = a->parameters[i].value == b->parameters[i].value;
    }
    return same;
}

/* The options along which the cases of the plan differ, as "--variant, --precision". */
static void append_differences(const struct plan *plan, struct text *text) {
    enum { AXES = 8 };
    static const char *const names[AXES] = { "--variant",   "--precision",     "--interaction",
                                             "--outputs",   "--box or --kind", "--cutoff",
                                             "--reduction", "--ratio" };
    bool differ[AXES] = { false };
    const struct case_spec *first = &plan->cases[0];
    for (size_t i = 1; i < plan->count; i++) {
        const struct case_spec *other = &plan->cases[i];
        differ[0] = differ[0] || other->variant != first->variant;
        differ[1] = differ[1] || other->precision != first->precision;
        differ[2] = differ[2] || !same_interaction(&other->interaction, &first->interaction);
        differ[3] = differ[3] || other->outputs != first->outputs;
        differ[4] = differ[4] || !same_box(&other->box, &first->box);
        differ[5] = differ[5] ||
                    (!case_is_coordination(first) && !same_cutoff(other->cutoff, first->cutoff));
        differ[6] = differ[6] || other->reduction != first->reduction;
        differ[7] = differ[7] || other->group.ratio_a != first->group.ratio_a ||
                    other->group.ratio_b != first->group.ratio_b;
    }
    for (int i = 0; i < AXES; i++) {
        if (differ[i]) {
            text_append(text, "%s%s", text->length ? ", " : "", names[i]);
        }
    }
    if (text->length == 0) {
        text_append(text, "--tune");
    }
}

static bool check_one_case(const struct plan *plan, struct error *error) {
    struct text differences = { 0 };
    if (plan->count == 1) {
        return true;
    }
    append_differences(plan, &differences);
    (void)fail(error, STATUS_BAD_INPUT, "the axes span %zu cases, one is taken: narrow %s",
               plan->count, differences.data ? differences.data : "the axes");
    text_free(&differences);
    return false;
}

/* Who asks for a coordination asks for numbers that all variants agree on, and need not name one:
 * the first that walks no structure is taken, as that one takes any dmax. NULL where variants are
 * named, or of forces. */
static char *variant_unnamed(const struct axes *axes, const struct plan *plan) {
    if (axes->variant || axes->structure || axes->variant_files ||
        !case_is_coordination(&plan->cases[0])) {
        return NULL;
    }
    for (size_t i = 0; i < plan->count; i++) {
        if (strcmp(plan->cases[i].variant->structure, "none") == 0) {
            return strdup(plan->cases[i].variant->name);
        }
    }
    return NULL;
}

/* Makes the plan anew, of one variant, where that can be chosen for the user. */
static bool choose_variant(struct axes axes, struct plan *plan, struct error *error) {
    struct plan chosen;
    axes.variant = plan->count > 1 ? variant_unnamed(&axes, plan) : NULL;
    if (!axes.variant) {
        return true;
    }
    const bool made = plan_make(&axes, &chosen, error);
    free(axes.variant);
    plan_free(plan);
    if (made) {
        *plan = chosen;
    }
    return made;
}

static bool plan_one(const struct eval_options *options, struct plan *plan, struct error *error) {
    char precision[] = "double";
    char outputs[] = "virial"; /* as a coordination has it anyway */
    struct axes axes = options->axes;
    axes.precision = axes.precision ? axes.precision : precision;
    axes.outputs = axes.outputs ? axes.outputs : outputs;
    if (axes.device && strchr(axes.device, ',')) {
        return fail(error, STATUS_BAD_INPUT, "--device: one device is taken, not '%.100s'",
                    axes.device);
    }
    if (!plan_make(&axes, plan, error) || !choose_variant(axes, plan, error)) {
        return false;
    }
    if (!check_one_case(plan, error)) {
        plan_free(plan);
        return false;
    }
    return true;
}

/* ---- what comes out ---- */

/* A number that is none is no result: say so rather than leave it out. */
static bool check_finite(const struct case_spec *spec, const struct evaluation *evaluation,
                         struct error *error) {
    bool finite = spec->outputs == OUTPUTS_FORCES || isfinite(evaluation->energy);
    for (int i = 0; i < 9; i++) {
        finite = finite && (spec->outputs != OUTPUTS_VIRIAL || isfinite(evaluation->virial[i]));
    }
    for (size_t i = 0; finite && i < 3 * evaluation->n; i++) {
        finite = isfinite(evaluation->force[i]);
    }
    return finite || fail(error, STATUS_WRONG,
                          "%s: the result is not finite; do particles of the box coincide?",
                          spec->variant->name);
}

static struct json_object *number_object(double value) {
    struct json_object *number = json_object_new_double(value);
    json_object_set_serializer(number, json_object_double_to_json_string, (void *)"%.17g", NULL);
    return number;
}

/* What the sums are called. */
static const char *energy_word(const struct case_spec *spec) {
    return case_is_coordination(spec) ? "coordination" : "energy";
}

static const char *virial_word(const struct case_spec *spec) {
    return case_is_coordination(spec) ? "box_derivatives" : "virial";
}

static void print_json(const struct case_spec *spec, const char *device,
                       const struct evaluation *evaluation) {
    struct json_object *object = json_object_new_object();
    struct json_object *virial = json_object_new_array();
    json_object_object_add(object, "workload", json_object_new_string(spec->variant->workload));
    json_object_object_add(object, "variant", json_object_new_string(spec->variant->name));
    json_object_object_add(object, "precision",
                           json_object_new_string(precision_name(spec->precision)));
    json_object_object_add(object, "device", json_object_new_string(device));
    json_object_object_add(object, "n", json_object_new_int64((int64_t)evaluation->n));
    json_object_object_add(object, "pairs_in_cutoff",
                           json_object_new_int64((int64_t)evaluation->pairs_in_cutoff));
    if (spec->outputs != OUTPUTS_FORCES) {
        json_object_object_add(object, energy_word(spec), number_object(evaluation->energy));
    }
    if (isfinite(evaluation->energy_vdw)) {
        json_object_object_add(object, "energy_vdw", number_object(evaluation->energy_vdw));
        json_object_object_add(object, "energy_coulomb", number_object(evaluation->energy_coulomb));
    }
    for (int i = 0; i < 9; i++) {
        json_object_array_add(virial, number_object(evaluation->virial[i]));
    }
    if (spec->outputs == OUTPUTS_VIRIAL) {
        json_object_object_add(object, virial_word(spec), virial);
    } else {
        json_object_put(virial);
    }
    (void)puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_SPACED |
                                                          JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(object);
}

static void print_text(const struct case_spec *spec, const char *device,
                       const struct evaluation *evaluation) {
    (void)printf("%-15s  %s\n", "workload", spec->variant->workload);
    (void)printf("%-15s  %s\n", "variant", spec->variant->name);
    (void)printf("%-15s  %s\n", "precision", precision_name(spec->precision));
    (void)printf("%-15s  %s\n", "device", device);
    (void)printf("%-15s  %zu\n", "n", evaluation->n);
    (void)printf("%-15s  %llu\n", "pairs_in_cutoff",
                 (unsigned long long)evaluation->pairs_in_cutoff);
    if (spec->outputs != OUTPUTS_FORCES) {
        (void)printf("%-15s  %.17g\n", energy_word(spec), evaluation->energy);
    }
    if (isfinite(evaluation->energy_vdw)) {
        (void)printf("%-15s  %.17g\n", "energy_vdw", evaluation->energy_vdw);
        (void)printf("%-15s  %.17g\n", "energy_coulomb", evaluation->energy_coulomb);
    }
    for (int row = 0; row < 3 && spec->outputs == OUTPUTS_VIRIAL; row++) {
        const double *virial = &evaluation->virial[3 * row];
        (void)printf("%-15s  %24.17g %24.17g %24.17g\n", row ? "" : virial_word(spec), virial[0],
                     virial[1], virial[2]);
    }
}

static bool write_forces(const char *path, const struct case_spec *spec,
                         const struct evaluation *evaluation, struct error *error) {
    const struct box_spec *wanted = &spec->box;
    struct box box;
    bool made = wanted->path[0]
                    ? box_read(wanted->path, &box, error)
                    : box_make(wanted->kind, wanted->n, wanted->density, wanted->seed, &box, error);
    if (!made) {
        return false;
    }
    if (wanted->open) {
        box.periodic = false;
        memset(box.edge, 0, sizeof box.edge);
    }
    bool written = box.n == evaluation->n ||
                   fail(error, STATUS_BAD_INPUT, "%s: changed while it was in use", wanted->path);
    written = written && box_write(path, &box, evaluation->force,
                                   case_is_coordination(spec) ? "derivatives" : "forces", error);
    box_free(&box);
    return written || fail_within(error, "--forces");
}

/* ---- the command ---- */

static bool evaluate(const struct eval_options *options, const struct plan *plan,
                     struct error *error) {
    const struct case_spec *spec = &plan->cases[0];
    if (options->forces && text_same_file(options->forces, spec->box.path)) {
        return fail(error, STATUS_BAD_INPUT,
                    "--forces: %s is the box that is read; name another file", options->forces);
    }
    struct worker *worker = NULL;
    struct device_info info;
    struct evaluation evaluation = { 0 };
    if (!worker_create(plan, options->axes.device, options->deadline_s, &worker, error)) {
        return false;
    }
    bool good = command_open_device(worker, options->axes.device, &info, error) &&
                worker_evaluate(worker, 0, &evaluation, error) &&
                check_finite(spec, &evaluation, error) &&
                (!options->forces || write_forces(options->forces, spec, &evaluation, error));
    if (good) {
        (options->json ? print_json : print_text)(spec, info.name, &evaluation);
    }
    evaluation_free(&evaluation);
    worker_free(worker);
    return good;
}

int command_eval(int argc, char **argv) {
    struct eval_options options = { .deadline_s = 60 };
    struct plan plan = { 0 };
    struct error error;
    bool good = true;
    for (int i = 1; i < argc && good;) {
        good = take_option(argc, argv, &i, &options, &error);
    }
    if (good && options.help) {
        (void)printf("%s%s", help, command_axes_help);
    } else {
        good = good && plan_one(&options, &plan, &error) && evaluate(&options, &plan, &error);
    }
    int status = good ? 0 : command_fail(argv[0], &error);
    plan_free(&plan);
    axes_free(&options.axes);
    return status;
}
