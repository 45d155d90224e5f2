#include "kernels/header/read_variant.h"

#include "core/embedded.h"
#include "core/files.h"
#include "core/strings.h"
#include "devices/compiled_code.h"
#include "kernels/header/header_parts.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Every kernel is compiled for a fixed group size, so every variant has that tunable. */
static void add_group_size(struct variant *variant) {
    if (!variant_has_tunable(variant, "GROUP_SIZE")) {
        variant->tunables[variant->tunable_count++] = (struct tunable){
            .name = "GROUP_SIZE", .values = { 128 }, .value_count = 1, .preset = 128
        };
    }
}

bool variant_parse(const char *path, const char *text, struct variant *variant,
                   struct error *error) {
    return variant_parse_kth(path, text, 0, variant, error);
}

/* Compiled code says itself what it runs on; the header may ask for more. */
static bool take_target(const char *place, struct variant *variant, struct error *error) {
    struct compiled_code code;
    int architecture = 0;
    bool exact = false;
    const char *begin = compiled_code_begin(variant->text);
    if (!begin) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: there is no code after the header; expected PTX from its line .version "
                    "on",
                    variant->path);
    }
    if (!compiled_code_read(begin, &code, error)) {
        return fail_within(error, "%s", variant->path);
    }
    const bool known = compiled_code_target(&code, &architecture, &exact);
    compiled_code_free(&code);
    if (!known) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: it does not say what it was compiled for; expected a line .target sm_90 "
                    "or another",
                    variant->path);
    }
    if (variant->names_arch && variant->arch < architecture) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: @arch sm_%d: the code was compiled for sm_%d%s; expected that one or none",
                    place, variant->arch, architecture, exact ? "a" : "");
    }
    variant->arch = variant->names_arch ? variant->arch : architecture;
    variant->arch_is_exact = variant->arch_is_exact || exact;
    variant->names_arch = true;
    return true;
}

/* ---- an integrator and its forces ---- */

/* An integrator and a variant that computes forces become one variant of time steps. The
 * integrator's header says where: "@forces all_pairs_loop sorted_cells" stands among its passes,
 * and the file is a variant with each of those, verlet+sorted_cells. Structure, scratch, tunables,
 * boxes that it takes and how results begin are those of the forces; so are their passes, which
 * were checked in their own file. Their text stands before the integrator's. */

static bool join_passes(const struct header_reader *reader, struct variant *variant) {
    const struct variant *of_forces = variant->forces.variant;
    struct variant_forces *forces = &variant->forces;
    if (variant->pass_count + of_forces->pass_count > VARIANT_MAX_PASSES) {
        return header_fail(reader, "more than %d passes with those of %s", VARIANT_MAX_PASSES,
                           of_forces->name);
    }
    struct pass *first = &variant->passes[forces->first];
    memmove(first + of_forces->pass_count, first,
            (size_t)(variant->pass_count - forces->first) * sizeof *first);
    memcpy(first, of_forces->passes, (size_t)of_forces->pass_count * sizeof *first);
    forces->count = of_forces->pass_count;
    variant->pass_count += of_forces->pass_count;
    return true;
}

/* Puts the scratch of the forces first: their passes know it by its place. */
static bool join_scratch(const struct header_reader *reader, struct variant *variant) {
    const struct variant *of_forces = variant->forces.variant;
    if (variant->scratch_count + of_forces->scratch_count > VARIANT_MAX_SCRATCH) {
        return header_fail(reader, "more than %d @scratch with those of %s", VARIANT_MAX_SCRATCH,
                           of_forces->name);
    }
    memmove(variant->scratch + of_forces->scratch_count, variant->scratch,
            (size_t)variant->scratch_count * sizeof *variant->scratch);
    memcpy(variant->scratch, of_forces->scratch,
           (size_t)of_forces->scratch_count * sizeof *variant->scratch);
    variant->scratch_count += of_forces->scratch_count;
    return true;
}

/* One group size serves all kernels of a program: that of the integrator, if it declares one. */
static bool join_tunables(const struct header_reader *reader, struct variant *variant) {
    const struct variant *of_forces = variant->forces.variant;
    for (int t = 0; t < of_forces->tunable_count; t++) {
        const struct tunable *theirs = &of_forces->tunables[t];
        if (!variant_has_tunable(variant, theirs->name)) {
            if (variant->tunable_count == VARIANT_MAX_TUNABLES) {
                return header_fail(reader, "more than %d @tunable with those of %s",
                                   VARIANT_MAX_TUNABLES, of_forces->name);
            }
            variant->tunables[variant->tunable_count++] = *theirs;
        } else if (strcmp(theirs->name, "GROUP_SIZE") != 0) {
            return header_fail(reader,
                               "@tunable %s: %s, which computes the forces, has one of that "
                               "name; expected another",
                               theirs->name, of_forces->name);
        }
    }
    return true;
}

static bool join_holds(const struct header_reader *reader, struct variant *variant) {
    const struct variant *of_forces = variant->forces.variant;
    if (variant->holds_count + of_forces->holds_count > VARIANT_MAX_HOLDS) {
        return header_fail(reader, "more than %d @holds with those of %s", VARIANT_MAX_HOLDS,
                           of_forces->name);
    }
    memcpy(&variant->holds[variant->holds_count], of_forces->holds,
           (size_t)of_forces->holds_count * sizeof *variant->holds);
    variant->holds_count += of_forces->holds_count;
    return true;
}

/* INTEGRATOR+FORCES: a name that were cut short would be found by nobody. */
static bool join_name(const struct header_reader *reader, struct variant *variant) {
    const struct variant *of_forces = variant->forces.variant;
    const size_t own = strlen(variant->name);
    const size_t length = own + 1 + strlen(of_forces->name);
    if (length >= sizeof variant->name) {
        return header_fail(reader,
                           "%s+%s: a name of %zu characters; expected up to %zu with that of the "
                           "forces",
                           variant->name, of_forces->name, length, sizeof variant->name - 1);
    }
    variant->name[own] = '+';
    memcpy(variant->name + own + 1, of_forces->name, length - own);
    return true;
}

/* Particles of an open box may leave the bounds that a structure was made for. */
static void join_words(struct variant *variant) {
    const struct variant *of_forces = variant->forces.variant;
    const bool bound = strcmp(of_forces->structure, "none") != 0;
    memcpy(variant->structure, of_forces->structure, sizeof variant->structure);
    variant->structure_class = of_forces->structure_class;
    memcpy(variant->accumulated, of_forces->accumulated, sizeof variant->accumulated);
    variant->accumulates = of_forces->accumulates;
    variant->accepts_open = variant->accepts_open && of_forces->accepts_open && !bound;
    variant->accepts_periodic = variant->accepts_periodic && of_forces->accepts_periodic;
    variant->accepts_triclinic = variant->accepts_triclinic && of_forces->accepts_triclinic;
    variant->needs_cuda = variant->needs_cuda || of_forces->needs_cuda;
}

/* What has no meaning without steps, or beside the words of the forces. */
static bool check_words(const struct header_reader *reader, const struct variant *variant) {
    if (!workload_has_word(variant->workload, "@forces")) {
        return (variant->forces.name_count == 0 && !*variant->integrator && !*variant->thermostat &&
                !*variant->fills) ||
               header_fail(reader,
                           "@forces, @integrator, @thermostat and @fills are of time steps; "
                           "workload %s has none",
                           variant->workload->name);
    }
    if (variant->language != LANGUAGE_DIALECT) {
        return header_fail(reader, "workload %s is written in the dialect, in a file .cl",
                           variant->workload->name);
    }
    if (variant->forces.name_count == 0 || !*variant->integrator) {
        return header_fail(reader, "workload %s: expected @forces VARIANT and @integrator NAME",
                           variant->workload->name);
    }
    return (!*variant->structure && !variant->accumulates) ||
           header_fail(reader,
                       "@structure and @accumulates are those of the variant that @forces names");
}

/* Whether what the header says of forces fits its workload, before the variant that computes them
 * is looked for. */
static bool join_forces_check(const struct header_reader *reader, const struct variant *variant) {
    return check_words(reader, variant) &&
           (variant->forces.name_count == 0 || variant->kth < variant->forces.name_count ||
            header_fail(reader, "@forces names %d", variant->forces.name_count));
}

/* Joins the variant with variant->forces.variant, where it has one, when the whole header was read
 * and before its passes are checked. */
static bool join_forces(const struct header_reader *reader, struct variant *variant) {
    if (!variant->forces.variant) {
        return true;
    }
    if (!join_passes(reader, variant) || !join_scratch(reader, variant) ||
        !join_tunables(reader, variant) || !join_holds(reader, variant) ||
        !join_name(reader, variant)) {
        return false;
    }
    join_words(variant);
    return true;
}

static bool is_of(const struct variant *variant, const char *workload) {
    return strcmp(variant->workload->name, workload) == 0;
}

/* What is parsed. */
struct variant_source {
    const char *path, *text;
    const char *place;            /* where the header lies, for messages */
    int k;                        /* of the forces that the header of an integrator names */
    const struct variant *forces; /* those of its steps, in place of the k-th; else NULL */
};

static bool parse_text(const struct variant_source *source, struct variant *variant,
                       struct error *error);

/* The variant of the file that is of that workload; false with *error where it has none. */
static bool parse_of(const char *path, const char *text, const char *workload,
                     struct variant *variant, struct error *error) {
    int count = 1;
    for (int k = 0; k < count; k++) {
        if (!variant_parse_kth(path, text, k, variant, error)) {
            return false;
        }
        if (is_of(variant, workload)) {
            return true;
        }
        count = variant_count_of_file(variant);
        variant_free(variant);
    }
    return fail(error, STATUS_BAD_INPUT, "%s: no variant of workload %s", path, workload);
}

/* A name with a dot is that of a file, which lies where the integrator's does. */
static bool is_file(const char *name) {
    return strchr(name, '.') != NULL;
}

static bool read_beside(const char *path, const char *name, char *beside, size_t size, char **text,
                        struct error *error) {
    if (!fs_beside(path, name, strlen(name), beside, size)) {
        return fail(error, STATUS_BAD_INPUT, "%s: @forces %s: the path is too long", path, name);
    }
    return input_read(beside, INPUT_KERNEL_BYTES, text, NULL, error) ||
           fail_within(error, "@forces");
}

/* The variant becomes the one of its integrator with these forces, whatever its header names. */
static bool take_forces(const struct variant *forces, struct variant *variant,
                        struct error *error) {
    struct variant *found = calloc(1, sizeof *found);
    if (!found) {
        return fail_out_of_memory(error, forces->name);
    }
    const struct workload *steps = workload_of_steps(forces->workload);
    variant->workload = steps ? steps : variant->workload;
    if (!parse_of(forces->path, forces->text, variant->workload->forces_by, found, error)) {
        free(found);
        return false;
    }
    variant->forces.variant = found;
    variant->forces.name_count = 1;
    memcpy(variant->forces.names[0], forces->name, sizeof variant->forces.names[0]);
    return true;
}

/* The text of a built-in variant that computes forces for steps, whose workload `steps` becomes. */
static const char *find_built_in(const char *name, const struct workload **steps, char *path,
                                 size_t size) {
    for (size_t w = 0; workloads[w]; w++) {
        if (workload_has_word(workloads[w], "@forces")) {
            (void)snprintf(path, size, "variants/%s/%s.cl", workloads[w]->forces_by, name);
            const char *text = embedded_text(path);
            if (text) {
                *steps = workloads[w];
                return text;
            }
        }
    }
    return NULL;
}

/* The variant that computes the forces of steps: built in, as variants/WORKLOAD/NAME.cl, or a file
 * beside the integrator's. */
static bool find_forces(const struct header_reader *reader, struct variant *variant) {
    if (variant->forces.name_count == 0) {
        return true;
    }
    const char *name = variant->forces.names[variant->kth];
    char path[sizeof variant->path];
    char *read = NULL;
    if (is_file(name) &&
        !read_beside(variant->path, name, path, sizeof path, &read, reader->error)) {
        return false;
    }
    const char *text = read ? read : find_built_in(name, &variant->workload, path, sizeof path);
    const char *workload = variant->workload->forces_by;
    if (!text) {
        return header_fail(reader,
                           "@forces %s: there is no built-in variant of workload %s of that name, "
                           "written in the dialect",
                           name, workload);
    }
    struct variant *found = calloc(1, sizeof *found);
    const bool parsed = found ? parse_of(path, text, workload, found, reader->error)
                              : fail_out_of_memory(reader->error, name);
    free(read);
    if (!parsed) {
        free(found);
        return false;
    }
    variant->forces.variant = found;
    return true;
}

/* ---- a text ---- */

/* Gives back the room of passes that the variant does not have. */
static bool keep_passes(struct variant *variant) {
    struct pass *passes =
        realloc(variant->passes, (size_t)variant->pass_count * sizeof *variant->passes);
    if (!passes) {
        variant_free(variant);
        return false;
    }
    variant->passes = passes;
    return true;
}

static bool parse_text(const struct variant_source *source, struct variant *variant,
                       struct error *error) {
    const char *path = source->path;
    const char *place = source->place;
    const struct variant *forces = source->forces;
    struct header_reader reader;
    memset(variant, 0, sizeof *variant);
    variant->kth = source->k;
    variant->accepts_open = true;
    variant->accepts_periodic = true;
    variant->language = kernel_language_of(path);
    variant->needs_cuda = variant->language != LANGUAGE_DIALECT;
    variant->standard = 17;
    variant->precisions = ~0U;
    (void)snprintf(variant->path, sizeof variant->path, "%s", path);
    variant->text = strdup(source->text);
    variant->passes = calloc(VARIANT_MAX_PASSES, sizeof *variant->passes);
    if (!variant->text || !variant->passes) {
        variant_free(variant);
        return fail_out_of_memory(error, path);
    }
    if (!header_begin(place, source->text, &reader, error) ||
        !variant_take_words(&reader, variant) ||
        (kernel_language_is_compiled(variant->language) && !take_target(place, variant, error)) ||
        !variant_check_workload(&reader, variant) || !join_forces_check(&reader, variant) ||
        !(forces ? take_forces(forces, variant, error) : find_forces(&reader, variant)) ||
        !join_forces(&reader, variant) || !variant_check(&reader, variant)) {
        variant_free(variant);
        return false;
    }
    add_group_size(variant);
    return keep_passes(variant) || fail_out_of_memory(error, path);
}

bool variant_parse_kth(const char *path, const char *text, int k, struct variant *variant,
                       struct error *error) {
    return parse_text(&(struct variant_source){ .path = path, .place = path, .text = text, .k = k },
                      variant, error);
}

bool variant_join(const struct variant *integrator, const struct variant *forces,
                  struct variant *variant, struct error *error) {
    return parse_text(&(struct variant_source){ .path = integrator->path,
                                                .place = integrator->path,
                                                .text = integrator->text,
                                                .forces = forces },
                      variant, error);
}

/* Checks a path, which stands in #line, in rows and in messages, one line each. */
static bool check_path(const char *path, struct error *error) {
    struct variant variant;
    if (has_control_characters(path)) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: a line break or another control character in the path of a kernel file; "
                    "rename it",
                    path);
    }
    return strlen(path) < sizeof variant.path ||
           fail(error, STATUS_BAD_INPUT, "%s: the path of a kernel file has %zu characters at most",
                path, sizeof variant.path - 1);
}

static bool fail_nul(const char *path, struct error *error) {
    return fail(error, STATUS_BAD_INPUT, "%s: not a text: it holds a NUL byte", path);
}

/* A file of compiled code, with the header that lies beside it, or before it in the same file. */
static bool read_compiled(const char *path, const char *data, size_t length, int k,
                          struct variant *variant, struct error *error) {
    const bool is_ptx = kernel_language_of(path) == LANGUAGE_PTX;
    const bool is_text = strlen(data) == length;
    char place[sizeof variant->path + sizeof ".header"];
    char *header = NULL;
    size_t header_length = 0;
    struct strbuf text = { 0 };
    (void)snprintf(place, sizeof place, "%s.header", path);
    if (access(place, F_OK) != 0) {
        const char *start = data + byte_order_mark(data);
        if (is_text && strncmp(start, "/*", 2) == 0) {
            return variant_parse_kth(path, start, k, variant, error);
        }
        return fail(error, STATUS_BAD_INPUT,
                    "%s: nothing says what it computes: expected %s, the comment that declares it "
                    "and the kernels' lists of parameters",
                    path, place);
    }
    if (!input_read(place, INPUT_KERNEL_BYTES, &header, &header_length, error)) {
        return false;
    }
    bool parsed = strlen(header) == header_length || fail_nul(place, error);
    parsed = parsed && (is_text || !is_ptx || fail_nul(path, error));
    if (parsed) {
        strbuf_append(&text, "%s", header + byte_order_mark(header));
        compiled_code_append(data, length, is_ptx, &text);
        parsed = text.failed ? fail_out_of_memory(error, path)
                             : parse_text(
                                   &(struct variant_source){
                                       .path = path, .place = place, .text = text.data, .k = k },
                                   variant, error);
    }
    strbuf_free(&text);
    free(header);
    return parsed;
}

/* CUDA C++, with what it includes of the user's own. */
static bool read_cuda(const char *path, const char *text, char *const *folders, int k,
                      struct variant *variant, struct error *error) {
    char *expanded = NULL;
    if (!include_text_expand(path, text, folders, &expanded, error)) {
        return false;
    }
    const bool parsed = variant_parse_kth(path, expanded, k, variant, error);
    free(expanded);
    return parsed;
}

bool variant_read_kth(const char *path, int k, struct variant *variant, struct error *error) {
    return variant_read_including(path, NULL, k, variant, error);
}

bool variant_read_including(const char *path, char *const *folders, int k, struct variant *variant,
                            struct error *error) {
    char *text = NULL;
    size_t length = 0;
    if (!check_path(path, error) || !input_read(path, INPUT_KERNEL_BYTES, &text, &length, error)) {
        return false;
    }
    const enum kernel_language language = kernel_language_of(path);
    const char *start = text + byte_order_mark(text);
    bool parsed;
    if (kernel_language_is_compiled(language)) {
        parsed = read_compiled(path, text, length, k, variant, error);
    } else if (strlen(text) != length) {
        parsed = fail_nul(path, error);
    } else {
        parsed = language == LANGUAGE_CUDA ? read_cuda(path, start, folders, k, variant, error)
                                           : variant_parse_kth(path, start, k, variant, error);
    }
    free(text);
    return parsed;
}

/* ---- the variants of the program ---- */

/* variants/WORKLOAD/NAME.cl */
bool variant_is_built_in(const char *path) {
    static const char folder[] = "variants/";
    if (!begins_with(path, folder)) {
        return false;
    }
    const char *name = path + strlen(folder);
    for (size_t w = 0; workloads[w]; w++) {
        const size_t length = strlen(workloads[w]->name);
        if (strncmp(name, workloads[w]->name, length) == 0 && name[length] == '/') {
            return true;
        }
    }
    return false;
}

/* Orders variants by name; those of one name by path, then as their file has them. */
static int compare_names(const void *left, const void *right) {
    const struct variant *l = left;
    const struct variant *r = right;
    const int order = strcmp(l->name, r->name);
    const int by_path = strcmp(l->path, r->path);
    return order ? order : by_path ? by_path : l->kth - r->kth;
}

/* Parses the built-in files, `most` at most. */
static bool parse_all(struct variant *variants, size_t most, size_t *count, struct error *error) {
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        if (!variant_is_built_in(file->path)) {
            continue;
        }
        for (int k = 0; k == 0 || k < variant_count_of_file(&variants[*count - 1]); k++) {
            if (*count == most) {
                return fail(error, STATUS_SYSTEM, "%s: more variants than there is room for",
                            file->path);
            }
            if (!variant_parse_kth(file->path, embedded_text(file->path), k, &variants[*count],
                                   error)) {
                return false;
            }
            ++*count;
        }
    }
    return true;
}

static size_t count_files(void) {
    size_t files = 0;
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        files += variant_is_built_in(file->path);
    }
    return files;
}

/* The one table of the program that is built at run time: constant once it is there. */
static struct {
    pthread_mutex_t lock;
    struct variant *variants; /* NULL: not yet */
    size_t count;
} embedded = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool parse_embedded(struct error *error) {
    const size_t most = count_files() * VARIANT_MAX_OF_FILE;
    size_t count = 0;
    struct variant *variants = calloc(most + 1, sizeof *variants);
    if (!variants) {
        return fail_out_of_memory(error, "the table of variants");
    }
    if (!parse_all(variants, most, &count, error)) {
        for (size_t i = 0; i < count; i++) {
            variant_free(&variants[i]);
        }
        free(variants);
        return false;
    }
    qsort(variants, count, sizeof *variants, compare_names);
    embedded.variants = variants;
    embedded.count = count;
    return true;
}

const struct variant *variants_embedded(size_t *count, struct error *error) {
    (void)pthread_mutex_lock(&embedded.lock);
    const bool parsed = embedded.variants || parse_embedded(error);
    *count = parsed ? embedded.count : *count;
    (void)pthread_mutex_unlock(&embedded.lock);
    return parsed ? embedded.variants : NULL;
}
