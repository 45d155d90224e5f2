/* pairmark export — the text of a kernel and of its structure, with every word of the dialect
 * resolved, to be compiled and launched by a program of the user's own. */
#include "campaign/plan/plan.h"
#include "commands/commands.h"
#include "core/cache.h"
#include "core/files.h"
#include "core/strings.h"
#include "measure/judge/expected.h"
#include "measure/program.h"
#include "prepare/kernel_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_PROGRAMS = 64 };

struct request {
    struct axes axes;
    const char *variant; /* NULL: not given */
    const char *folder;
    uint64_t compute_units;
    bool opencl;
};

static bool take_variant(void *context, const char *word, struct error *error) {
    struct request *request = context;
    if (request->variant) {
        return fail(error, STATUS_BAD_INPUT, "'%.100s': one variant is expected", word);
    }
    request->variant = word;
    return true;
}

/* ---- texts ---- */

struct exporting {
    const struct request *request;
    char hashes[MOST_PROGRAMS][HASH_TEXT_SIZE]; /* of those that were written */
    char files[MOST_PROGRAMS][128];
    size_t count;
};

static bool write_text(const char *folder, const char *name, const char *text,
                       struct error *error) {
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        return fail(error, STATUS_BAD_INPUT, "--output: the path is too long");
    }
    return fs_write(path, text, strlen(text), error);
}

static const char *ending_of(const struct exporting *exporting, enum source_language language,
                             const char *text) {
    const bool is_ptx = language == SOURCE_COMPILED && strstr(text, ".version");
    return language == SOURCE_COMPILED  ? (is_ptx ? "ptx" : "cubin")
           : exporting->request->opencl ? "cl"
                                        : "cu";
}

/* Each text once: structures may share one. */
static bool take_text(void *context, const char *name, const char *text,
                      enum source_language language, struct error *error) {
    struct exporting *exporting = context;
    char hash[HASH_TEXT_SIZE];
    hash_bytes(text, strlen(text), hash);
    const char *slash = strrchr(name, '/');
    char stem[64];
    size_t alike = 0;
    (void)snprintf(stem, sizeof stem, "%s", slash ? slash + 1 : name);
    stem[strcspn(stem, ".")] = '\0';
    for (size_t k = 0; k < exporting->count; k++) {
        if (strcmp(exporting->hashes[k], hash) == 0) {
            return true;
        }
        alike += begins_with(exporting->files[k], stem);
    }
    if (exporting->count == MOST_PROGRAMS) {
        return fail(error, STATUS_SYSTEM, "more than %d programs", MOST_PROGRAMS);
    }
    char *file = exporting->files[exporting->count];
    char number[24] = "";
    if (alike > 0) {
        (void)snprintf(number, sizeof number, "_%zu", alike + 1);
    }
    (void)snprintf(file, sizeof exporting->files[0], "%s%s.%s", stem, number,
                   ending_of(exporting, language, text));
    for (char *c = file; *c; c++) {
        *c = strchr("+ ", *c) ? '_' : *c; /* of an integrator and its forces */
    }
    memcpy(exporting->hashes[exporting->count++], hash, sizeof hash);
    return write_text(exporting->request->folder, file, text, error);
}

/* ---- parameters ---- */

static bool write_parameters(const struct case_spec *spec, const struct kernel_plan *plan,
                             const struct exporting *exporting, struct error *error) {
    const int sums = kernel_plan_sum_count(plan);
    char name[1024];
    struct strbuf text = { 0 };
    case_name(spec, name, sizeof name);
    strbuf_append(&text, "%s\nbuilt from %s\n\n", name, spec->variant->structure);
    for (size_t k = 0; k < exporting->count; k++) {
        strbuf_append(&text, "%s\n", exporting->files[k]);
    }
    strbuf_append(
        &text,
        "\nThe first is launched as follows. The others build the structure and look whether it "
        "still serves, which is\nthe work of harness/structures; for each the comment of its file "
        "under variants/structures says what it fills.\n");
    strbuf_append(&text, "\nLaunches of an evaluation, in order. Results: force of n vectors%s.\n",
                  spec->variant->accumulates ? ", zeroed before" : "");
    if (sums > 0) {
        strbuf_append(
            &text, "partial_sums has %d planes of a number per group, to be added up: energy%s.\n",
            sums, spec->outputs == OUTPUTS_VIRIAL ? ", virial xx xy xz yy yz zz" : "");
    }
    kernel_plan_describe_launches(plan, &text);
    const bool good = write_text(exporting->request->folder, "parameters.txt", text.data, error);
    strbuf_free(&text);
    return good;
}

/* ---- the case ---- */

/* The box, its cutoff and its groups are those that any command evaluates the case with. */
static bool export_expected(const struct case_spec *spec, const struct expected *expected,
                            struct exporting *exporting, struct error *error) {
    const struct request *request = exporting->request;
    const struct text_receiver receiver = { take_text, exporting };
    struct device *device = NULL;
    struct kernel_plan *plan = NULL;
    const bool done =
        device_open_texts(request->opencl ? DEVICE_OPENCL_GPU : DEVICE_CUDA,
                          (int)request->compute_units, &receiver, &device, error) &&
        kernel_plan_create(&(struct plan_input){ device, spec, BUILD_PLAIN, &expected->box,
                                                 &expected->groups, expected->cutoff },
                           &plan, error) &&
        write_parameters(spec, plan, exporting, error);
    kernel_plan_free(plan);
    device_close(device);
    return done;
}

static bool export_case(const struct request *request, const struct case_spec *spec,
                        struct error *error) {
    struct exporting *exporting = memory_zeroed(1, sizeof *exporting);
    struct expected_store *store = expected_store_create();
    memory_check(store != NULL);
    exporting->request = request;
    const struct expected *expected = expected_for(store, spec, false, error);
    const bool done = expected && export_expected(spec, expected, exporting, error);
    for (size_t k = 0; done && k < exporting->count; k++) {
        (void)printf("%s/%s\n", request->folder, exporting->files[k]);
    }
    if (done) {
        (void)printf("%s/parameters.txt\n", request->folder);
    }
    expected_store_free(store);
    free(exporting);
    return done;
}

static bool make_folder(const char *path, struct error *error) {
    return mkdir(path, 0777) == 0 ||
           fail(error, STATUS_BAD_INPUT, "--output: %s: %s", path,
                errno == EEXIST ? "is there already; expected a new folder" : strerror(errno));
}

static bool export_one(const struct request *request, struct error *error) {
    struct plan plan;
    struct axes axes = request->axes;
    axes.variant = (char *)request->variant;
    if (!plan_make(&axes, &plan, error)) {
        return false;
    }
    const struct case_spec *spec = &plan.cases[0];
    command_report_left_out(export_command.name, &plan);
    const bool done =
        (plan.count == 1 ||
         fail(error, STATUS_BAD_INPUT, "the axes span %zu cases; expected one", plan.count)) &&
        (workload_has_particles(spec->variant->workload) ||
         fail(error, STATUS_UNSUPPORTED, "workload %s has no particles; its file is its text",
              spec->variant->workload->name)) &&
        make_folder(request->folder, error) && export_case(request, spec, error);
    plan_free(&plan);
    return done;
}

static void append_axes(struct strbuf *text) {
    command_append_axes("one value of each", text);
}

static void begin(void *context) {
    ((struct request *)context)->compute_units = 132; /* of an H100 */
}

static int run(void *context, struct error *error) {
    const struct request *request = context;
    if (!request->variant || request->axes.variant) {
        (void)fail(error, STATUS_BAD_INPUT,
                   "expected a variant, as `pairmark list` names them, without --variant");
        return COMMAND_FAILED;
    }
    if (!request->folder) {
        (void)fail(error, STATUS_BAD_INPUT, "expected a folder: --output DIR");
        return COMMAND_FAILED;
    }
    return export_one(request, error) ? 0 : COMMAND_FAILED;
}

static const struct command_option options[] = {
    { "--output", "-o", "DIR", .values = OPTION_FOLDER, .help = "the folder, which is made",
      OPTION_STORED(struct request, folder) },
    { "--opencl", .help = "in OpenCL C instead of CUDA C++",
      OPTION_STORED(struct request, opencl) },
    { "--compute-units", .placeholder = "N", .help = "of the device, for launches by them (132)",
      OPTION_COUNT(struct request, compute_units, 1, 1 << 16) },
    { .name = NULL },
};

const struct command export_command = {
    .name = "export",
    .summary = "the device source of a kernel and its structure, for your own program",
    .run = run,
    COMMAND_REQUEST(struct request),
    .begin = begin,
    COMMAND_AXES(struct request, axes),
    .append_help = append_axes,
    .options = options,
    .take_operand = take_variant,
    .takes_axes = true,
    .makes_boxes = true
};
