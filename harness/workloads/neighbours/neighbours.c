/* neighbours — neighbour lists as a result: of each particle, which others are within the cutoff,
 * and in which images.
 *
 * A launch begins with positions and ends with the list: what the list is made from is built in it.
 * The list has no order, so that rows are compared as sets: after a launch the harness reads it on
 * the device and sums up each row, three numbers for each particle (neighbour_lists.c). */
#include "kernels/bindings.h"
#include "kernels/text/kernel_text.h"
#include "kernels/workload.h"
#include "workloads/workload_buffers.h"

#include <stddef.h>
#include <string.h>

static const struct workload_field fields[] = {
    { "position", "real4", GROUPS_ONE_BIT, FIELD_IN, { { "position", 1 } } },
    { "rows", "accum4", GROUPS_ONE_BIT, FIELD_OUT, { { NULL, 1 } } },
    { .name = NULL },
};

static const struct workload_scalar scalars[] = { { .name = NULL } };

/* Cells smaller than the cutoff, with several images of each particle and of itself; every form and
 * every kind of entry in small boxes; cells that lean, open boxes, exclusions. */
static const struct workload_check checks[] = {
    { .options = "--kind fluid --n 1,2,3,17 --precision float,double --list * --list-pairs *" },
    { .options = "--kind fluid --n 65 --precision float --list matrix --list-entries *" },
    { .options = "--kind fluid --n 65 --precision double --list coo --list-pairs half "
                 "--list-entries *" },
    { .options = "--kind fluid --n 5 --precision float --cutoff 6 --list * --list-pairs * "
                 "--list-entries indices,shifts8" },
    { .options = "--kind fluid@75:100:65,brick@115:80:110 --n 3,130 --precision float,double "
                 "--list * --list-pairs *" },
    { .options = "--kind * --n 257 --precision float" },
    { .options = "--kind brick --n 130 --precision float --exclude molecule --list-pairs *" },
    { .options = "--kind brick --n 130 --precision float --exclude next:40 --list-pairs *" },
    { .options = "--kind fluid --n 1,2,65 --precision float,double --open --list *" },
    { .options = "--kind fluid --n 84 --batch 12,2 --precision float,double --list * "
                 "--list-pairs *" },
    { .options = "--kind brick@75:100:65 --n 60 --batch 2 --precision float --exclude molecule" },
    { .options = "--kind fluid --n 90 --batch 9 --open --precision float --list *" },
    { .options = "--kind fluid --n 300 --precision double --open --list-pairs *",
      .roomy = true,
      .for_user_n = true },
    { .options = "--kind fluid --n 1k --precision float --list *",
      .roomy = true,
      .for_user_n = true },
    /* one pair whose r^2 is 6.25 in float and beyond it in double */
    { .options = "--kind fluid --n 1000 --precision double --cutoff 2.5 --seed 494",
      .roomy = true,
      .always = true },
    /* particles in one place */
    { .options = "--kind degenerate --n 112 --precision float", .always = true },
    /* shifts beyond 4 bits, which take few particles and a long cutoff */
    { .options = "--kind fluid --n 3 --precision float --cutoff 20 --list matrix "
                 "--list-pairs full --list-entries shifts,shifts8",
      .always = true },
    /* more entries than 16 bits number, and than 24, which take size, density and cutoff */
    { .options = "--kind fluid --n 2k --open --precision float --list coo --list-entries indices",
      .always = true },
    { .options = "--kind fluid --n 4200 --open --cutoff 30 --precision float --list csr "
                 "--list-entries indices",
      .always = true },
    { .options = NULL },
};

/* Rows of boxes beyond the 16th of a batch, and of those that 8 bits do not number; shifts beyond
 * 4 bits; entries and offsets beyond 16. */
static const struct workload_factor factors[] = {
    { .name = "precision",
      .values = WORKLOAD_VALUES("--precision float", "--precision double"),
      .text = true,
      .closely = true },
    { .name = "list",
      .values = WORKLOAD_VALUES("--list matrix", "--list csr", "--list coo"),
      .text = true,
      .closely = true },
    { .name = "pairs",
      .values = WORKLOAD_VALUES("--list-pairs full", "--list-pairs half"),
      .text = true,
      .closely = true },
    { .name = "entries",
      .values =
          WORKLOAD_VALUES("--list-entries shifts", "--list-entries indices",
                          "--list-entries shifts8", "--list-entries vectors",
                          "--list-entries distances", "--list-entries shifts+vectors+distances"),
      .text = true,
      .closely = true },
    { .name = "types",
      .values = WORKLOAD_VALUES("", "--table built-in:share/presets/brick_lists.csv"),
      .text = true },
    { .name = "exclusions",
      .values = WORKLOAD_VALUES("", "--exclude molecule", "--exclude next:3", "--exclude next:40"),
      .text = true },
    { .name = "kind",
      .values = WORKLOAD_VALUES("--kind fluid", "--kind brick", WORKLOAD_OTHER_KINDS,
                                "--kind degenerate") },
    { .name = "cell", .values = WORKLOAD_VALUES("", WORKLOAD_OTHER_CELLS) },
    { .name = "n",
      .values = WORKLOAD_VALUES(
          "--n 257", WORKLOAD_OTHER_SIZES, "--n 2000", "--n 2 --batch 2", "--n 130 --batch 2",
          "--n 340 --batch 17", "--n 1320 --batch 33", "--n 1028 --batch 257",
          "--n 70000 --batch 35", "--n 4120 --batch 1030", WORKLOAD_REMAINDERS,
          "=--n 70001 --exclude next:3", "=--n 66048 --batch 129 --open --exclude next:3") },
    { .name = "density",
      .values =
          WORKLOAD_VALUES("", "--density 0.02", "--density 0.1", "--density {0.000002:0.00001}") },
    { .name = "cutoff",
      .values = WORKLOAD_VALUES("", "--cutoff half", "--cutoff 1.2", "--cutoff 3.5", "--cutoff 6",
                                "--cutoff 20") },
    { .name = NULL },
};

static const char *const axes[] = {
    WORKLOAD_AXES_OF_BOXES, "--batch",        "--table", "--exclude", "--cutoff", "--list",
    "--list-pairs",         "--list-entries", NULL
};

#define NO_INTERACTION "lists pairs, and computes nothing of them"
static const struct workload_refusal refusals[] = {
    { "--interaction", NO_INTERACTION },
    { "--interaction-file", NO_INTERACTION },
    { NULL, NULL },
};

static const char *refuse_case(const struct case_spec *spec) {
    if (spec->box.batch > 1 && !variant_takes(spec->variant, "particles_per_box")) {
        return "lists one box: a batch takes kernels that ask for particles_per_box";
    }
    if (spec->box.sizes.most > 0) {
        return "lists boxes of one size: --n LEAST-MOST is of forces";
    }
    if (!cutoff_ends(spec->cutoff, spec->box.open)) {
        return "lists what is within a cutoff, and there is none";
    }
    return spec->precision == PRECISION_MIXED ? "sums nothing: expected float or double" : NULL;
}

/* A cutoff may reach beyond the cell, but it must end. */
static bool takes_cutoff(const struct box *box, bool endless) {
    (void)box;
    return !endless;
}

/* ---- what kernels may bind ---- */

static struct argument value_of_images(const void *owner) {
    const struct lists_arguments *lists = owner;
    return argument_int4(lists->images, 0);
}

static const struct kernel_parameter list_parameters[] = {
    { "neighbour_capacity", "int", FROM_INT(lists_arguments, capacity) },
    { "images", "int4", FROM_FUNCTION(value_of_images) },
    { "box_count", "int", FROM_INT(lists_arguments, box_count) },
    { "particles_per_box", "int", FROM_INT(lists_arguments, particles_per_box) },
    { "neighbour_count", "GLOBAL int *", FROM_BUFFER(lists_arguments, count) },
    { "neighbours", "GLOBAL int *", FROM_BUFFER(lists_arguments, neighbours) },
    { "row_begin", "GLOBAL int *", FROM_BUFFER(lists_arguments, row_begin) },
    { "pair_first", "GLOBAL int *", FROM_BUFFER(lists_arguments, pair_first) },
    { "pair_count", "GLOBAL int *", FROM_BUFFER(lists_arguments, pair_count) },
    { "neighbour_shifts", "GLOBAL shift_t *", FROM_BUFFER(lists_arguments, shifts) },
    { "neighbour_vectors", "GLOBAL real *", FROM_BUFFER(lists_arguments, vectors) },
    { "neighbour_distances", "GLOBAL real *", FROM_BUFFER(lists_arguments, distances) },
    { 0 },
};
static const struct parameter_table parameter_tables[] = {
    { bindings_of_case, 0 },
    { list_parameters, offsetof(struct case_arguments, lists) },
    { NULL, 0 }
};
static const char *const units[] = { "particle", "compute_unit", "box", "csr",
                                     "csr_row",  "coo",          NULL };

/* All is built in every launch. */
static const char *refuse_pass(const struct variant *variant, const struct pass *pass) {
    (void)variant;
    return pass->schedule.when == PASS_EVERY_STEP
               ? NULL
               : "a list is made from positions alone in every launch; expected every step";
}

static void append_words(const struct case_spec *spec, struct strbuf *text) {
    const struct list_entries entries = list_entries_of(spec->list_entries);
    strbuf_append(text, "#define LIST_FORM %d\n#define LIST_HALF %d\n", (int)spec->list,
                  spec->list_pairs == LIST_HALF);
    strbuf_append(text,
                  "#define WITH_SHIFTS %d\n#define WITH_VECTORS %d\n#define WITH_DISTANCES %d\n",
                  (int)entries.shifts, entries.vectors, entries.distances);
    kernel_text_append_words(spec, text);
    kernel_text_append_file("variants/neighbours.cl", text);
    kernel_text_append_file("variants/neighbour_lines.cl", text);
}

static const char *const columns[] = { "list",  "list_pairs",  "list_entries",
                                       "batch", "batch_sizes", NULL };

extern const struct judge judge_listed;
extern const struct workload workload_neighbours;
const struct workload workload_neighbours = {
    .name = "neighbours",
    .summary = "neighbour lists as a result: pairs within the cutoff and their images",
    .judge = &judge_listed,
    .fields = fields,
    .scalars = scalars,
    .buffers = &neighbour_buffers,
    .words =
        WORKLOAD_WORDS_WITHOUT_SUMS("row", "a list", "listed pair", "pairs/s", "neighbours_loop"),
    .axes = axes,
    .columns = columns,
    .parameter_tables = parameter_tables,
    .units = { [GROUPS_ONE] = units },
    .precisions_refused = 1U << PRECISION_FIXED,
    .builds_in_launch = true,
    .refuse_pass = refuse_pass,
    .append_words = append_words,
    .refusals = refusals,
    .all_pairs_exceed = workload_all_pairs_exceed,
    .refuse_case = refuse_case,
    .meets_images = true,
    .takes_cutoff = takes_cutoff,
    .groups = GROUPS_ONE_BIT,
    .default_interaction = "neighbours",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
    .factors = factors,
};
