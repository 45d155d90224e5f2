/* libpairmark's systems and choices: numbers from the first bytes, then words, each up to a byte
 * 0xff; what becomes of them is a case or a message. No device is opened. */
#include "fuzz_input.h"
#include "library/library.h"

enum { NUMBERS = 24, WORDS = 7, MOST = 40 };

struct input {
    double number[NUMBERS];
    char *word[WORDS]; /* NULL: empty */
};

/* No files but those of the fuzzer: words that name others are left out. */
static bool is_path(const char *word) {
    return strchr(word, '/') || strchr(word, '.') == word;
}

static void take_input(const uint8_t *data, size_t size, struct input *input) {
    const size_t bytes = size < sizeof input->number ? size : sizeof input->number;
    memset(input, 0, sizeof *input);
    memcpy(input->number, data, bytes);
    data += bytes;
    size -= bytes;
    for (int w = 0; w < WORDS && size > 0; w++) {
        const uint8_t *end = memchr(data, 0xff, size);
        const size_t length = end ? (size_t)(end - data) : size;
        input->word[w] = length > 0 ? fuzz_words(data, length) : NULL;
        if (input->word[w] && is_path(input->word[w]) && !strchr(input->word[w], '\n')) {
            free(input->word[w]);
            input->word[w] = NULL;
        }
        data += length + (end ? 1 : 0);
        size -= length + (end ? 1 : 0);
    }
}

static void require_said(enum pm_status status, const pm_error *error) {
    fuzz_require(status == PM_OK || (error->status == status && error->message[0]));
}

/* Whole numbers of any size from the bits of a number. */
static void ints_of(const double *numbers, int ints[2 * NUMBERS]) {
    memcpy(ints, numbers, 2 * NUMBERS * sizeof *ints);
}

static void fill_system(pm_system *system, const struct input *input, size_t n) {
    const char *const names[] = { input->word[0] ? input->word[0] : "A", input->word[1] };
    int ints[2 * NUMBERS];
    int types[MOST] = { 0 };
    pm_error error;
    ints_of(input->number, ints);
    for (size_t i = 0; i < n; i++) {
        types[i] = ints[i % 8] % 3;
    }
    require_said(pm_system_types(system, types, names, 1 + ints[9] % 2, &error), &error);
    require_said(pm_system_molecules(system, types, &error), &error);
    require_said(pm_system_exclude_pairs(system, ints, (size_t)(ints[10] & 7), &error), &error);
    require_said(pm_system_exclude(system, input->word[2], &error), &error);
    require_said(pm_system_terms(system, (enum pm_terms)(ints[11] % 6), ints, input->number,
                                 (size_t)(ints[12] & 3), &error),
                 &error);
    require_said(pm_system_periodic(system, &ints[13], &error), &error);
    const pm_groups groups =
        PM_GROUPS(ints[16] & 1 ? types : NULL, (size_t)(ints[17] & 1),
                  ints[16] & 2 ? &types[n / 2] : NULL, (size_t)(ints[17] & 1), ints[16] & 4);
    require_said(pm_system_groups(system, &groups, &error), &error);
    require_said(
        pm_system_potential(system, input->word[3], input->word[4], input->number[9], &error),
        &error);
}

static void make_case(const pm_system *system, const struct input *input) {
    int ints[2 * NUMBERS];
    ints_of(input->number, ints);
    const pm_choice choice =
        PM_CHOICE(.variant = input->word[5] ? input->word[5] : "list_walk",
                  .tunables = input->word[6], .precision = (enum pm_precision)(ints[40] % 6),
                  .outputs = (enum pm_outputs)(ints[41] % 5), .list = (enum pm_form)(ints[42] % 5),
                  .list_entries = ints[43] % 10);
    struct library_case made = { 0 };
    struct error error;
    struct box box = system->box;
    struct rotation rotation;
    if (!library_case_make(system, &choice, &made, &error)) {
        fuzz_require(error.status != STATUS_OK && error.message[0]);
    } else if (library_cell_take(&input->number[10], &box, &rotation, &error)) {
        (void)library_case_fits(&made.spec, &box, &error);
    }
    library_case_free(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input;
    pm_error error;
    pm_system *system = NULL;
    if (size < 2) {
        return 0;
    }
    const size_t n = 1 + data[0] % (MOST - 1);
    take_input(data + 2, size - 2, &input);
    const enum pm_status status =
        pm_system_create(n, data[1] % 2 ? input.number : NULL, &system, &error);
    require_said(status, &error);
    if (status == PM_OK) {
        fill_system(system, &input, n);
        make_case(system, &input);
        pm_system_free(system);
    }
    for (int w = 0; w < WORDS; w++) {
        free(input.word[w]);
    }
    return 0;
}
