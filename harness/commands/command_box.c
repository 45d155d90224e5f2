/* pairmark box — makes a box and writes it as extended XYZ. */
#include "boxes/box.h"
#include "campaign/axes/axes.h"
#include "commands/commands.h"
#include "core/error.h"
#include "core/files.h"
#include "core/output_file.h"
#include "core/strings.h"
#include "kernels/case.h"
#include "kernels/potentials/bonded.h"
#include "measure/program.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- the bonded terms of a box of chains, as files that --bonds and its like take ---- */

static const char terms_head[] = "# made by pairmark box\n";

static bool is_terms(const char *head) {
    return begins_with(head, terms_head);
}

static const struct output_kind terms_output = { "a file of terms that pairmark made", is_terms };

/* BEGIN.bonds.csv and the like. */
static void append_path(const char *begin, int kind, struct strbuf *path) {
    strbuf_append(path, "%s.%s.csv", begin, bonded_forms[kind].name);
}

/* Before the box is made: whether BEGIN.bonds.csv, BEGIN.angles.csv, BEGIN.torsions.csv and
 * BEGIN.rb_torsions.csv can be written: by output_check() of core/output_file.h. A file that is
 * there is replaced only where it was written so. */
static bool box_terms_check(const char *begin, struct error *error) {
    bool good = true;
    for (int kind = 0; good && kind < BONDED_KINDS; kind++) {
        struct strbuf path = { 0 };
        append_path(begin, kind, &path);
        good = output_check(path.data, &terms_output, error);
        strbuf_free(&path);
    }
    return good || fail_within(error, "--terms");
}

static bool write_kind(const char *begin, int kind, const struct bonded_terms *terms,
                       struct error *error) {
    struct strbuf path = { 0 };
    struct strbuf text = { 0 };
    strbuf_append(&text, "%s", terms_head);
    bonded_write(terms, (enum bonded_kind)kind, &text);
    append_path(begin, kind, &path);
    const bool written = output_write(path.data, &terms_output, text.data, text.length, error);
    strbuf_free(&path);
    strbuf_free(&text);
    return written;
}

/* Writes them. The box is of kind chains. */
static bool box_terms_write(const char *begin, const struct box *box, struct error *error) {
    struct bonded_terms terms;
    if (!bonded_of_kind(box, &terms, error)) {
        return false;
    }
    bool written = true;
    for (int kind = 0; written && kind < BONDED_KINDS; kind++) {
        written = write_kind(begin, kind, &terms, error);
    }
    bonded_free(&terms);
    return written || fail_within(error, "--terms");
}

/* ---- the command ---- */

struct request {
    const char *kind, *file, *path; /* file: a box that is there */
    const char *periodic;           /* axes; NULL: as the box has it */
    const char *atom_style;         /* of a LAMMPS data file; NULL: it says */
    const char *terms;              /* what the files of terms begin with; NULL: none are written */
    uint64_t n, seed;
    double density, temperature; /* less than 0: none is asked for */
    bool has_n, open, describe;
};

static void append_kinds(struct strbuf *text) {
    for (size_t k = 0; box_kinds[k]; k++) {
        strbuf_append(text, "  %-10s %s (density %g)\n", box_kinds[k], box_kind_words(box_kinds[k]),
                      box_default_density(box_kinds[k]));
    }
    strbuf_append(text,
                  "\n"
                  "KIND@ALPHA:BETA:GAMMA shears the box into a triclinic cell: the angles between "
                  "the\n"
                  "second and third, first and third, first and second edge, in degrees (30 to "
                  "150), as\n"
                  "in fluid@80:70:60. Its volume stays.\n");
}

/* A box that is there has a kind, a size and a density already. */
static bool check_file_alone(const struct request *request, struct error *error) {
    if (request->kind) {
        return fail(error, STATUS_BAD_INPUT, "--box %s beside the kind %s; expected one of them",
                    request->file, request->kind);
    }
    if (request->has_n || request->density > 0.0) {
        return fail(error, STATUS_BAD_INPUT, "--box %s has its own %s; expected no --%s",
                    request->file, request->has_n ? "particles" : "density",
                    request->has_n ? "n" : "density");
    }
    if (request->path && fs_same_file(request->path, request->file)) {
        return fail(error, STATUS_BAD_INPUT, "-o %s is the box that is read; name another file",
                    request->path);
    }
    return true;
}

static bool take_n(void *context, const char *option, const char *value, struct error *error) {
    struct request *request = context;
    request->has_n = true;
    if (!parse_count(value, &request->n) || request->n < 1 || request->n > BOX_MAX_PARTICLES) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s '%s'; expected the number of particles, 1 to %d (64, 16k, 1M)", option,
                    value, BOX_MAX_PARTICLES);
    }
    return memory_can_hold(option, (double)request->n, HOST_BYTES_OF_BOX, error);
}

static bool take_kind(void *context, const char *word, struct error *error) {
    struct request *request = context;
    if (request->kind) {
        return fail(error, STATUS_BAD_INPUT, "'%s' after the kind %s; expected one kind of box",
                    word, request->kind);
    }
    request->kind = word;
    return true;
}

static const struct command_option options[] = {
    { "--n", .placeholder = "N",
      .help = "particles: 64, 16k, 1M (as many as memory holds, 536870911 at most)" },
    { "--density", .placeholder = "D",
      .help = "particles per volume, in reduced units (default: the kind's own)",
      OPTION_POSITIVE(struct request, density) },
    { "--seed", .placeholder = "S", .help = "a whole number (default 1)",
      OPTION_COUNT(struct request, seed, 0, OPTION_ANY) },
    { "--temperature", .placeholder = "T",
      .help = "velocities by Maxwell's distribution, of zero total momentum and exactly this "
              "temperature (an energy, k_B T; 3n - 3 degrees of freedom)",
      OPTION_AT_LEAST(struct request, temperature, 0) },
    { "--open", .help = "no periodic images, and no cell", OPTION_STORED(struct request, open) },
    { "--periodic", .placeholder = "AXES",
      .help = "keeps the periodic images along these axes alone: xy of a slab, z of a wire",
      OPTION_STORED(struct request, periodic) },
    { "--box", .placeholder = "FILE", .values = OPTION_FILE,
      .help = "reads a box instead (`pairmark help axes`: --box)",
      OPTION_STORED(struct request, file) },
    { "--atom-style", .placeholder = "STYLE",
      .help =
          "of a LAMMPS data file that does not say: atomic, charge, full, molecular, bond, angle",
      OPTION_STORED(struct request, atom_style) },
    { "--describe",
      .help = "prints what is in the box: species, masses, charges, temperature, momentum",
      OPTION_STORED(struct request, describe) },
    { "--terms", .placeholder = "BEGIN", .values = OPTION_FILE,
      .help = "where to write the bonded terms of chains and the like: BEGIN.bonds.csv, "
              "BEGIN.angles.csv, BEGIN.torsions.csv and BEGIN.rb_torsions.csv",
      OPTION_STORED(struct request, terms) },
    { "--output", "-o", "FILE", .values = OPTION_FILE,
      .help = "where to write: extended XYZ, or by the names FILE.data, .lmp, .lammps and "
              "data.FILE a LAMMPS data file; - is standard output. Of files that are there, only "
              "boxes that "
              "were made so are replaced",
      OPTION_STORED(struct request, path) },
    { .name = NULL },
};

static const struct missing_option missing[] = {
    { "--kind", "is no option of this command: the kind stands alone, as in `pairmark box fluid`" },
    { .name = NULL },
};

static bool check_request(const struct request *request, struct error *error) {
    if (request->atom_style && !(request->file && box_is_lammps_file(request->file))) {
        return fail(error, STATUS_BAD_INPUT,
                    "--atom-style %s: no LAMMPS data file is read; expected --box FILE.data",
                    request->atom_style);
    }
    if (!axes_allow_open(request->periodic, request->open, error)) {
        return false;
    }
    if (request->terms && !(request->kind && bonded_kind_has_terms(request->kind))) {
        return fail(error, STATUS_BAD_INPUT,
                    "--terms: a box that is %s%s has no bonded terms of its own; expected the kind "
                    "chains, proteins, water, hydrogens, oligomers or polymers",
                    request->kind ? "of kind " : "read", request->kind ? request->kind : "");
    }
    if (!request->path && !request->describe) {
        return (request->kind || request->file || box_fail_kind(NULL, error)) &&
               fail(error, STATUS_BAD_INPUT,
                    "nowhere to write; expected -o FILE, or -o - for standard output, or "
                    "--describe");
    }
    if (request->path && !box_is_lammps_name(request->path) &&
        !box_check_name(request->path, error)) {
        return fail_within(error, "-o");
    }
    if (request->file) {
        return check_file_alone(request, error);
    }
    if (!request->kind) {
        return box_fail_kind(NULL, error);
    }
    if (isnan(box_default_density(request->kind)) && !strchr(request->kind, '@')) {
        return access(request->kind, F_OK) == 0
                   ? fail(error, STATUS_BAD_INPUT,
                          "%s: a file, where a kind of box is expected; "
                          "--box %s reads it",
                          request->kind, request->kind)
                   : words_fail_unknown("KIND", "kind of box", request->kind, box_kinds, error);
    }
    return request->has_n ||
           fail(error, STATUS_BAD_INPUT, "no number of particles; expected --n N");
}

/* ---- what is in a box ---- */

static void describe_cell(FILE *stream, const struct box *box) {
    double length[3];
    double angle[3];
    if (!box->periodic) {
        (void)fprintf(stream, "cell          none: open\n");
        return;
    }
    cell_lengths(&box->cell, length);
    (void)fprintf(stream, "cell          %.9g %.9g %.9g", length[0], length[1], length[2]);
    if (cell_is_triclinic(&box->cell)) {
        cell_angles(&box->cell, angle);
        (void)fprintf(stream, ", angles %.6g %.6g %.6g", angle[0], angle[1], angle[2]);
    }
    if (box_is_partly_periodic(box)) {
        char axes[AXES_SIZE];
        box_axes(box, axes);
        (void)fprintf(stream, "\nperiodic      along %s only\n", axes);
    } else {
        (void)fprintf(stream, "\ndensity       %.9g\n", box->density);
    }
}

/* Least and largest of numbers of one species, as one number where they are the same. */
static void describe_range(FILE *stream, const char *what, double least, double most) {
    if (least == most) {
        (void)fprintf(stream, ", %s %.9g", what, least);
    } else {
        (void)fprintf(stream, ", %s %.9g to %.9g", what, least, most);
    }
}

static void describe_species(FILE *stream, const struct box *box, int32_t type) {
    size_t count = 0;
    double mass[2] = { INFINITY, -INFINITY };
    double charge[2] = { INFINITY, -INFINITY };
    for (size_t i = 0; i < box->n; i++) {
        if (box->type[i] == type) {
            count++;
            mass[0] = fmin(mass[0], box_mass(box, i));
            mass[1] = fmax(mass[1], box_mass(box, i));
            charge[0] = fmin(charge[0], box->charge[i]);
            charge[1] = fmax(charge[1], box->charge[i]);
        }
    }
    (void)fprintf(stream, "species       %s: %zu", box->species[type], count);
    if (count > 0) {
        describe_range(stream, "mass", mass[0], mass[1]);
        describe_range(stream, "charge", charge[0], charge[1]);
    }
    (void)fprintf(stream, "\n");
}

enum { MAX_GROUPS = 12, MAX_PLACES = 8 };

/* "99 of O H H: particles 1, 2, 3 and on" */
static void describe_group(FILE *stream, const struct box *box, const struct alike *alike,
                           size_t group) {
    const int32_t first = alike->first[group];
    const int32_t begin = alike->start[first];
    const int32_t places = alike->start[first + 1] - begin;
    (void)fprintf(stream, "  alike       %d of", (int)alike->count[group]);
    for (int32_t k = 0; k < places && k < MAX_PLACES; k++) {
        (void)fprintf(stream, " %s", box->species[box->type[alike->particle[begin + k]]]);
    }
    (void)fprintf(stream, "%s (%d particle%s), the first from particle %d on\n",
                  places > MAX_PLACES ? " ..." : "", (int)places, places == 1 ? "" : "s",
                  (int)alike->particle[begin] + 1);
}

static bool describe_molecules(FILE *stream, const struct box *box, struct error *error) {
    struct alike alike;
    if (!box->molecule) {
        (void)fprintf(stream, "molecules     not given\n");
        return true;
    }
    if (!alike_find(box, &alike, error)) {
        return false;
    }
    (void)fprintf(stream, "molecules     %zu, in %zu group%s of identical ones\n", alike.molecules,
                  alike.groups, alike.groups == 1 ? "" : "s");
    for (size_t group = 0; group < alike.groups && group < MAX_GROUPS; group++) {
        describe_group(stream, box, &alike, group);
    }
    if (alike.groups > MAX_GROUPS) {
        (void)fprintf(stream, "  alike       ... and %zu groups more\n", alike.groups - MAX_GROUPS);
    }
    alike_free(&alike);
    return true;
}

static bool describe(FILE *stream, const struct box *box, struct error *error) {
    double momentum[3];
    (void)fprintf(stream, "particles     %zu\n", box->n);
    describe_cell(stream, box);
    for (int32_t type = 0; type < box->types; type++) {
        describe_species(stream, box, type);
    }
    if (!box->mass) {
        (void)fprintf(stream, "masses        not given: all are 1\n");
    }
    if (!box->velocity) {
        (void)fprintf(stream, "velocities    none\n");
        return describe_molecules(stream, box, error);
    }
    box_momentum(box, momentum);
    (void)fprintf(stream, "temperature   %.9g (k_B T, 2 K / (3n - 3))\n", box_temperature(box));
    (void)fprintf(stream, "momentum      %.3g %.3g %.3g\n", momentum[0], momentum[1], momentum[2]);
    return describe_molecules(stream, box, error);
}

/* ---- the box ---- */

static bool take_box(const struct request *request, struct box *box, struct error *error) {
    if (request->file ? !box_read_styled(request->file, request->atom_style, box, NULL, error)
                      : !box_make(request->kind, (size_t)request->n, request->density,
                                  request->seed, box, error)) {
        return false;
    }
    command_report_frames("box", request->file, box->left_out);
    if (!request->file && (request->open || request->periodic)) {
        box_unwrap(box, request->periodic ? request->periodic : "");
    }
    if (request->open) {
        box_open(box);
    }
    if (request->periodic && !box_keep_axes(box, request->periodic, error)) {
        box_free(box);
        return fail_within(error, "--periodic");
    }
    if (request->temperature >= 0.0 &&
        !box_set_temperature(box, request->temperature, request->seed, error)) {
        box_free(box);
        return false;
    }
    return true;
}

static bool make_and_write(const struct request *request, struct error *error) {
    struct box box;
    if (request->path && !output_check(request->path, &box_output, error)) {
        return fail_within(error, "-o");
    }
    if (request->terms && !box_terms_check(request->terms, error)) {
        return false;
    }
    if (!take_box(request, &box, error)) {
        return false;
    }
    bool written = (!request->terms || box_terms_write(request->terms, &box, error)) &&
                   (!request->path || box_write(request->path, &box, NULL, NULL, error));
    if (written && request->describe) {
        written = describe(request->path && output_is_standard(request->path) ? stderr : stdout,
                           &box, error);
    }
    box_free(&box);
    return written;
}

static void begin(void *request) {
    *(struct request *)request = (struct request){ .seed = 1, .temperature = -1.0 };
}

static int run(void *request, struct error *error) {
    return check_request(request, error) && make_and_write(request, error) ? 0 : COMMAND_FAILED;
}

const struct command box_command = { .name = "box",
                                     .summary = "make a box of particles (extended XYZ)",
                                     .run = run,
                                     COMMAND_REQUEST(struct request),
                                     .begin = begin,
                                     .append_help = append_kinds,
                                     .options = options,
                                     .missing = missing,
                                     .take_option = take_n,
                                     .take_operand = take_kind,
                                     .operands = OPTION_KIND };
