/* pairmark init — a kernel file to begin with: the plainest built-in variant of a workload, under a
 * name of the user's own. */
#include "campaign/axes/axes.h"
#include "commands/commands.h"
#include "core/embedded.h"
#include "core/output_file.h"
#include "core/strings.h"
#include "kernels/header/read_variant.h"
#include "measure/program.h"

#include <stdio.h>
#include <string.h>

struct request {
    char name[VARIANT_NAME_SIZE]; /* empty: not given */
    const char *workload;         /* NULL: the default */
    bool cuda;
};

/* ---- the arguments ---- */

static bool take_name(void *context, const char *word, struct error *error) {
    struct request *request = context;
    if (request->name[0]) {
        return fail(error, STATUS_BAD_INPUT, "'%.100s': one name is expected, and that is %.100s",
                    word, request->name);
    }
    if (!is_identifier(word) || strlen(word) >= sizeof request->name) {
        return fail(error, STATUS_BAD_INPUT,
                    "'%.100s': expected the name of a kernel, as mine: letters, digits and _, at "
                    "most %zu, the first no digit",
                    word, sizeof request->name - 1);
    }
    (void)snprintf(request->name, sizeof request->name, "%s", word);
    return true;
}

static bool find_workload(const char *name, const struct workload **workload, struct error *error) {
    enum { MOST = 64 };
    const char *names[MOST + 1] = { NULL };
    for (int w = 0; w < MOST && workloads[w]; w++) {
        names[w] = workloads[w]->name;
    }
    *workload = name ? workload_find(name) : workload_default();
    return *workload != NULL || words_fail_unknown("--workload", "workload", name, names, error);
}

/* ---- the text ---- */

/* The plainest variant of the workload, and what its file calls it. */
struct plainest {
    const struct variant *variant;
    const char *text, *header_end; /* where the comment that begins it ends */
    char name[VARIANT_NAME_SIZE];
};

static bool find_plainest(const struct workload *workload, struct plainest *plainest,
                          struct error *error) {
    size_t count = 0;
    const struct variant *variants = variants_embedded(&count, error);
    *plainest = (struct plainest){ 0 };
    if (!variants) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (variants[i].workload == workload &&
            strcmp(variants[i].name, workload->words.all_pairs[0]) == 0) {
            plainest->variant = &variants[i];
        }
    }
    plainest->text = plainest->variant ? embedded_original(plainest->variant->path) : NULL;
    plainest->header_end = plainest->text ? strstr(plainest->text, "*/") : NULL;
    if (!plainest->header_end) {
        (void)fail(error, STATUS_SYSTEM, "workload %s has no variant %s", workload->name,
                   workload->words.all_pairs[0]);
        return false;
    }
    const char *file = strrchr(plainest->variant->path, '/') + 1;
    (void)snprintf(plainest->name, sizeof plainest->name, "%.*s", (int)strcspn(file, "."), file);
    return true;
}

static bool names_a_kernel(const struct variant *variant, const char *name) {
    for (int p = 0; p < variant->pass_count; p++) {
        if (strcmp(variant->passes[p].kernel, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The text from `from` to `end` with the one name in the place of the other; `old` NULL: as it is.
 */
static void append_renamed(const char *from, const char *end, const char *old, const char *name,
                           struct strbuf *to) {
    const char *found = old ? find_identifier(from, old) : NULL;
    while (found && found < end) {
        strbuf_append(to, "%.*s%s", (int)(found - from), from, name);
        from = found + strlen(old);
        found = find_identifier(from, old);
    }
    strbuf_append_bytes(to, from, (size_t)(end - from));
}

/* Where the @source of the header begins, which is not that of what the user will write, and where
 * the header goes on; both NULL where it has none. */
static const char *find_source(const struct plainest *plainest, const char **rest) {
    const char *source = strstr(plainest->text, " * @source");
    *rest = NULL;
    if (!source || source > plainest->header_end) {
        return NULL;
    }
    *rest = line_after(source);
    while (strncmp(*rest, " * @", 4) != 0 && strncmp(*rest, " */", 3) != 0 &&
           strncmp(*rest, " *\n", 3) != 0) {
        *rest = line_after(*rest);
    }
    return source;
}

/* The name stands in the title, and wherever the kernel is called as the variant is. */
static void append_template(const struct plainest *plainest, const struct request *request,
                            struct strbuf *to) {
    const char *text = plainest->text;
    const char *prose = line_after(line_after(text)); /* below the title */
    const char *code = line_after(plainest->header_end);
    const char *old = names_a_kernel(plainest->variant, plainest->name) ? plainest->name : NULL;
    const char *rest = NULL;
    const char *source = find_source(plainest, &rest);
    append_renamed(text, prose, plainest->name, request->name, to);
    strbuf_append(
        to,
        " *\n"
        " * A copy of %s, made by `pairmark init`: change what it does, then this text.\n"
        " * docs/kernels.md has the words after an @, with which this comment declares the "
        "kernel, and the\n"
        " * words in capitals; `pairmark list --parameters` prints the parameters.\n",
        plainest->variant->path);
    if (source) {
        append_renamed(prose, source, old, request->name, to);
        prose = rest;
    }
    append_renamed(prose, code, old, request->name, to);
    strbuf_append(to, request->cuda ? "#include <pairmark/pair.cuh>\n\n" : "");
    append_renamed(code, code + strlen(code), old, request->name, to);
}

/* Refuses names that already mean something in kernel texts or to pairmark. */
static bool check_name(const struct plainest *plainest, const char *name, struct error *error) {
    size_t count = 0;
    const struct variant *variants = variants_embedded(&count, error);
    for (size_t i = 0; variants && i < count; i++) {
        if (strcmp(variants[i].name, name) == 0) {
            return fail(error, STATUS_BAD_INPUT,
                        "'%s' is a built-in variant: take another name, so that both can be "
                        "compared",
                        name);
        }
    }
    return variants != NULL && (!find_identifier(plainest->header_end, name) ||
                                fail(error, STATUS_BAD_INPUT,
                                     "'%s' is a word that kernels use: take another name", name));
}

/* ---- the file ---- */

static bool is_never_ours(const char *head) {
    (void)head;
    return false;
}

static void print_next(const struct plainest *plainest, const char *name, const char *path) {
    const char *baseline = plainest->variant->name;
    const char *workload = plainest->variant->workload->name;
    char folder[64];
    char option[64] = "";
    (void)snprintf(folder, sizeof folder, "variants/%s/", workload);
    if (strncmp(plainest->variant->path, folder, strlen(folder)) != 0) {
        /* An integrator: by itself a file of it is of step, whose forces are others. */
        (void)snprintf(option, sizeof option, " --workload %s", workload);
    }
    (void)printf("%s: a copy of %s, to be changed. Is it right, and is it faster?\n"
                 "  pairmark check --variant-file %s%s\n"
                 "  pairmark bench --variant-file %s%s --variant %s%s,%s --baseline %s\n",
                 path, plainest->variant->path, path, option, path, option, name,
                 baseline + strlen(plainest->name), baseline, baseline);
}

static bool init(const struct request *request, struct error *error) {
    static const struct output_kind kernel = { "empty", is_never_ours };
    const struct workload *workload = NULL;
    struct plainest plainest;
    struct strbuf text = { 0 };
    char path[VARIANT_NAME_SIZE + 8];
    if (!find_workload(request->workload, &workload, error) ||
        !find_plainest(workload, &plainest, error) ||
        !check_name(&plainest, request->name, error)) {
        return false;
    }
    (void)snprintf(path, sizeof path, "%s.%s", request->name, request->cuda ? "cu" : "cl");
    append_template(&plainest, request, &text);
    const bool written = output_write(path, &kernel, text.data, text.length, error);
    strbuf_free(&text);
    if (written) {
        print_next(&plainest, request->name, path);
    }
    return written;
}

static const struct command_option options[] = {
    { "--cuda",
      .help = "write NAME.cu, CUDA C++ in the place of the dialect that OpenCL knows, too",
      OPTION_STORED(struct request, cuda) },
    { "--workload", .placeholder = "W",
      .help = "what it computes, as `pairmark list --short` has it (forces)",
      OPTION_STORED(struct request, workload) },
    { .name = NULL },
};

static int run(void *context, struct error *error) {
    const struct request *request = context;
    return (request->name[0] ||
            fail(error, STATUS_BAD_INPUT, "expected a name for the kernel, as mine")) &&
                   init(request, error)
               ? 0
               : COMMAND_FAILED;
}

const struct command init_command = {
    .name = "init",
    .summary = "write a kernel file to begin with: one that is right, under your name",
    .run = run,
    COMMAND_REQUEST(struct request),
    .options = options,
    .take_operand = take_name
};
