/* Pieces of kernel text: the first byte says whether of pairs or of terms of two to four particles.
 * What is read becomes a kernel, and the reference walks it or says why not. Of files a text may
 * name one alone, v.dat, which holds a number per particle. */
#include "boxes/box.h"
#include "fuzz_input.h"
#include "kernels/potentials/bonded.h"
#include "kernels/potentials/pair_text.h"
#include "reference/bonded/bonded.h"
#include "reference/pairs/reference.h"

enum { PARTICLES = 4, COLUMNS = 3 };

static const char only_file[] = "\"v.dat\"";

/* Whether each '"' that begins a word begins the name of that file. */
static bool names_one_file(const char *text) {
    const char *at = strchr(text, '"');
    while (at && strncmp(at, only_file, strlen(only_file)) == 0) {
        at = strchr(at + strlen(only_file), '"');
    }
    return at == NULL;
}

static struct box make_box(void) {
    static const double place[3 * PARTICLES] = { 0.1, 0.2, -0.3, 1.2, 0.5,  0.1,
                                                 1.6, 1.7, -0.2, 2.9, 1.25, 0.7 };
    struct box box;
    struct error error;
    fuzz_require(box_allocate(PARTICLES, &box, &error));
    memcpy(box.position, place, sizeof place);
    for (int i = 0; i < PARTICLES; i++) {
        box.charge[i] = i % 2 ? 0.5 : -1.0;
    }
    return box;
}

static void walk_pairs(const struct pair_text *text) {
    struct error error = { 0 };
    struct interaction interaction;
    struct reference reference;
    struct box box = make_box();
    interaction_of_text(text, &interaction);
    if (reference_compute(&box, &interaction, 2.5, &reference, &error)) {
        reference_free(&reference);
    } else {
        fuzz_require_reason(&error);
    }
    box_free(&box);
}

static void walk_terms(struct pair_text *text, enum bonded_kind kind) {
    static const int32_t atom[] = { 0, 1, 2, 3 };
    static const double parameter[COLUMNS] = { 1.5, 0.75, 3.0 };
    struct error error = { 0 };
    struct bonded_terms terms = { 0 };
    struct reference reference;
    struct box box = make_box();
    terms.lists[kind].written.text = text;
    terms.lists[kind].written.columns = COLUMNS;
    fuzz_require(bonded_add(&terms, kind, atom, parameter, &error));
    bonded_close(&terms);
    if (reference_bonded(&box, &terms, 1e-16, &reference, NULL, &error)) {
        reference_free(&reference);
    } else {
        fuzz_require_reason(&error);
    }
    bonded_free(&terms); /* and the text */
    box_free(&box);
}

static void read_terms_text(const char *path, enum bonded_kind kind) {
    static const char *const columns[COLUMNS] = { "a", "b", "c" };
    const struct pair_text_columns given = { .name = columns,
                                             .count = COLUMNS,
                                             .atoms = bonded_forms[kind].atoms };
    struct error error = { 0 };
    struct pair_text *text = NULL;
    if (!term_text_read(path, &given, "text_of_terms", &text, &error)) {
        fuzz_require_reason(&error);
        return;
    }
    fuzz_require(text->kernel && strstr(text->kernel, "text_of_terms"));
    walk_terms(text, kind);
}

static void read_pairs_text(const char *path) {
    struct error error = { 0 };
    struct pair_text *text = NULL;
    if (!pair_text_read(path, &text, &error)) {
        fuzz_require_reason(&error);
        return;
    }
    fuzz_require(text->kernel && text->identity);
    walk_pairs(text);
    pair_text_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = { "v.dat", "text.omm", NULL };
    static const char numbers[] = "0.5\n1\n1.5\n2\n\xff";
    if (size == 0) {
        return 0;
    }
    const size_t head = strlen(numbers);
    uint8_t *files = malloc(head + size);
    char path[2 * FUZZ_PATH_SIZE];
    fuzz_require(files != NULL);
    memcpy(files, numbers, head);
    memcpy(files + head, data + 1, size - 1);
    files[head + size - 1] = '\0';
    if (names_one_file((const char *)files + head)) {
        (void)snprintf(path, sizeof path, "%s/text.omm",
                       fuzz_folder(names, files, head + size - 1));
        if (data[0] % 4 == 0) {
            read_pairs_text(path);
        } else {
            read_terms_text(path, (enum bonded_kind)(data[0] % 4 - 1));
        }
    }
    free(files);
    return 0;
}
