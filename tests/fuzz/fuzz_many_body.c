/* Parameters of many-body interactions: LAMMPS's files of Stillinger-Weber's and Tersoff's, and
 * setfl files; the first byte chooses. */
#include "fuzz_input.h"
#include "kernels/potentials/element_table.h"

static void read_elements(const char *path, enum element_form form) {
    struct error error = { 0 };
    struct element_table *table = NULL;
    if (!element_table_read(path, form, &table, &error)) {
        fuzz_require_reason(&error);
    }
    element_table_free(table);
}

static void read_triplets(const char *path) {
    read_elements(path, ELEMENTS_TRIPLETS);
}

static void read_orders(const char *path) {
    read_elements(path, ELEMENTS_ORDERS);
}

static void read_atoms(const char *path) {
    struct error error = { 0 };
    struct eam_table *table = NULL;
    if (!eam_table_read(path, &table, &error)) {
        fuzz_require_reason(&error);
    } else {
        fuzz_require(table->elements > 0);
        fuzz_require(eam_table_element(table, table->element[table->elements - 1]) ==
                     table->elements - 1);
    }
    eam_table_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static void (*const readers[])(const char *) = { read_triplets, read_atoms, read_orders };
    if (size > 0) {
        readers[data[0] % 3](fuzz_file(0, data + 1, size - 1));
    }
    return 0;
}
