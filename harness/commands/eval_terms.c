#include "commands/eval_terms.h"

static bool take_box(const struct case_spec *spec, struct box *rounded, struct error *error) {
    struct box box;
    if (!box_of_spec(&spec->box, &box, error)) {
        return false;
    }
    const bool taken = box_as_device(&box, spec->precision, rounded, error);
    box_free(&box);
    return taken;
}

bool eval_terms(const struct case_spec *spec, struct bonded_energies *energies,
                struct error *error) {
    struct box box;
    struct bonded_terms made;
    const struct bonded_terms *terms;
    struct reference reference = { 0 };
    if (!take_box(spec, &box, error)) {
        return false;
    }
    const bool computed =
        bonded_resolve(spec->interaction.bonded, &box, &made, &terms, error) &&
        reference_bonded(&box, terms, format_unit(precision_numeric(spec->precision).arithmetic),
                         &reference, energies, error);
    reference_free(&reference);
    bonded_free(&made);
    box_free(&box);
    return computed;
}
