/* Bonded terms (--bonds, --angles, --torsions, --rb-torsions): the first byte says of which kind;
 * read, fitted to a box and, where the energy is that of the kind, written and read again. */
#include "core/strings.h"
#include "fuzz_input.h"
#include "kernels/potentials/bonded.h"

enum { PARTICLES = 100 };

static void require_in_range(const struct bonded_terms *terms, enum bonded_kind kind) {
    const struct bonded_list *list = &terms->lists[kind];
    for (size_t a = 0; a < list->count * (size_t)bonded_forms[kind].atoms; a++) {
        fuzz_require(list->atom[a] >= 0 && list->atom[a] < BOX_MAX_PARTICLES);
    }
}

/* What was read is what is written. */
static void require_written(const struct bonded_terms *terms, enum bonded_kind kind) {
    struct error error = { 0 };
    struct bonded_terms again = { 0 };
    struct strbuf text = { 0 };
    bonded_write(terms, kind, &text);
    fuzz_require(!text.failed);
    fuzz_require(
        bonded_read(fuzz_file(1, (const uint8_t *)text.data, text.length), kind, &again, &error));
    bonded_close(&again);
    fuzz_require(strcmp(again.hash, terms->hash) == 0);
    bonded_free(&again);
    strbuf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = { 0 };
    struct bonded_terms terms = { 0 };
    const struct box box = { .n = PARTICLES };
    if (size == 0) {
        return 0;
    }
    const enum bonded_kind kind = (enum bonded_kind)(data[0] % LISTED_KINDS);
    if (bonded_read(fuzz_file(0, data + 1, size - 1), kind, &terms, &error)) {
        bonded_close(&terms);
        require_in_range(&terms, kind);
        if (!bonded_is_written(&terms.lists[kind])) {
            require_written(&terms, kind);
        }
        if (!bonded_fit(&terms, &box, &error)) {
            fuzz_require_reason(&error);
        }
    } else {
        fuzz_require_reason(&error);
    }
    bonded_free(&terms);
    return 0;
}
