/* The words of --group-a and --group-b, by 0xff, resolved in a box; the first byte is the mode. */
#include "boxes/groups.h"
#include "core/strings.h"
#include "fuzz_input.h"

enum { PARTICLES = 1000 };

static void require_inside(const struct groups *groups) {
    fuzz_require(groups->n_a > 0);
    for (size_t k = 0; k < groups->n_a; k++) {
        fuzz_require(groups->a[k] >= 0 && groups->a[k] < PARTICLES);
    }
    for (size_t k = 0; k < groups->n_b; k++) {
        fuzz_require(groups->b[k] >= 0 && groups->b[k] < PARTICLES);
    }
}

static void resolve(const struct group_spec *spec) {
    struct error error = { 0 };
    struct strbuf words = { 0 };
    struct groups groups;
    group_spec_describe(spec, &words);
    fuzz_require(words.length > 0 && !words.failed);
    if (groups_resolve(spec, PARTICLES, 1, &groups, &error)) {
        require_inside(&groups);
        groups_free(&groups);
    } else {
        fuzz_require_reason(&error);
    }
    strbuf_free(&words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = { 0 };
    struct particle_list *lists[2] = { NULL, NULL };
    if (size == 0) {
        return 0;
    }
    const uint8_t *between = memchr(data + 1, 0xff, size - 1);
    const uint8_t *end = data + size;
    const uint8_t *rest = between ? between + 1 : end;
    char *words[2] = { fuzz_words(data + 1, (size_t)((between ? between : end) - data - 1)),
                       fuzz_words(rest, (size_t)(end - rest)) };
    bool parsed = particle_list_parse(words[0], &lists[0], &error);
    const enum group_mode mode = (enum group_mode)(data[0] % 3);
    if (parsed && mode != GROUPS_ONE) {
        parsed = particle_list_parse(words[1], &lists[1], &error);
    }
    if (parsed) {
        resolve(&(struct group_spec){ .mode = mode, .a = lists[0], .b = lists[1] });
    } else {
        fuzz_require_reason(&error);
    }
    for (int i = 0; i < 2; i++) {
        particle_list_free(lists[i]);
        free(words[i]);
    }
    return 0;
}
