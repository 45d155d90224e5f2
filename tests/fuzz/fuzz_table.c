/* Parameters by pairs of types (--table), and what they come to in a box; the first byte chooses
 * the interaction. */
#include "boxes/box.h"
#include "fuzz_input.h"
#include "kernels/potentials/type_table.h"

enum { TYPES = 3 };

static const char *const interactions[] = {
    "lj",
    "buckingham:A=1,rho=1,C=1",
    "born-mayer-huggins+ewald-real:A=1,sigma=1,rho=1,C=1,D=1,alpha=0.3",
    "lj+ewald-real:alpha=0.3,lj.cutoff=2",
};

static void resolve(const struct interaction *interaction) {
    char species[TYPES][SPECIES_SIZE] = { "Na", "Cl", "B" };
    const struct box box = { .types = TYPES, .species = species };
    struct error error = { 0 };
    struct type_parameters parameters;
    if (!type_parameters_resolve(interaction, &box, &parameters, &error)) {
        fuzz_require_reason(&error);
        return;
    }
    fuzz_require(parameters.types == TYPES && parameters.stride > 0);
    for (int k = 0; k < TYPES * TYPES * parameters.stride; k++) {
        fuzz_require(parameters.values[k] == parameters.values[k]);
    }
    type_parameters_free(&parameters);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = { 0 };
    struct interaction interaction;
    struct type_table *table = NULL;
    if (size == 0) {
        return 0;
    }
    const size_t choice = data[0] % (sizeof interactions / sizeof interactions[0]);
    fuzz_require(interaction_parse(interactions[choice], &interaction, &error));
    if (type_table_read(fuzz_file(0, data + 1, size - 1), &interaction, &table, &error)) {
        fuzz_require(type_table_hash(table)[0] != '\0');
        interaction.table = table;
        resolve(&interaction);
        type_table_free(table);
    } else {
        fuzz_require_reason(&error);
    }
    return 0;
}
