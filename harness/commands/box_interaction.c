/* Chooses the interaction of a box that is read where the command line names none. */
#include "boxes/box.h"
#include "campaign/axes/axes.h"
#include "campaign/plan/plan.h"
#include "commands/commands.h"
#include "core/files.h"
#include "core/strings.h"
#include "kernels/potentials/interaction.h"
#include "measure/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- boxes that hardly mean the default ---- */

static bool has_element_names(const struct box *box) {
    for (int32_t type = 0; type < box->types; type++) {
        if (is_element(box->species[type], strlen(box->species[type]))) {
            return true;
        }
    }
    return false;
}

/* Species of GROMACS and PDB are names of atoms. */
static bool has_elements(const struct box *box, const char *path) {
    return ends_with(path, ".gro") || ends_with(path, ".pdb") || ends_with(path, ".ent") ||
           has_element_names(box);
}

static bool has_charges(const struct box *box) {
    size_t i = 0;
    while (i < box->n && box->charge[i] == 0.0) {
        i++;
    }
    return i < box->n;
}

static void warn_of_default(const char *command, const char *path, const struct box *box,
                            const char *usual) {
    const struct {
        bool there;
        const char *words;
    } signs[] = { { has_elements(box, path), "chemical elements" },
                  { box->types > 1 && !has_elements(box, path), "several types" },
                  { has_charges(box), "charges" },
                  { box->molecule != NULL, "molecules" } };
    const size_t most = sizeof signs / sizeof signs[0];
    struct strbuf words = { 0 };
    struct strbuf named = { 0 };
    struct interaction interaction;
    struct error none;
    size_t left = 0;
    for (size_t s = 0; s < most; s++) {
        left += signs[s].there;
    }
    for (size_t s = 0; s < most; s++) {
        if (signs[s].there) {
            left--;
            strbuf_append(&words, "%s%s", signs[s].words,
                          left > 1    ? ", "
                          : left == 1 ? " and "
                                      : "");
        }
    }
    if (words.data && interaction_parse(usual, &interaction, &none)) {
        interaction_describe(&interaction, &named);
        (void)fprintf(stderr,
                      "pairmark %s: %s has %s, and the default interaction is %s: --interaction "
                      "says which you mean\n",
                      command, path, words.data, named.data ? named.data : usual);
    }
    strbuf_free(&words);
    strbuf_free(&named);
}

/* ---- coefficients ---- */

static bool fail_style(const char *path, const struct box_pairs *pairs, struct error *error) {
    if (!*pairs->style) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%zu: coefficients of a pair style that the file does not name; expected "
                    "Pair Coeffs # lj/cut, or --interaction (lj with --table %s)",
                    path, pairs->line, path);
    }
    return fail(error, STATUS_BAD_INPUT,
                "%s:%zu: coefficients of pair style %s, of which only lj/cut is read; "
                "--interaction says what acts",
                path, pairs->line, pairs->style);
}

/* What a style with a Coulomb part needs and the file does not say. */
static bool fail_coulomb(const char *path, const struct box_pairs *pairs, struct error *error) {
    char coulomb[32] = "C";
    const bool is_plain = strcmp(pairs->style, "lj/cut/coul/cut") == 0;
    if (!isnan(pairs->coulomb)) {
        (void)snprintf(coulomb, sizeof coulomb, "%.12g", pairs->coulomb);
    }
    return fail(error, STATUS_BAD_INPUT,
                "%s:%zu: pair style %s, whose %s the file does not say; expected --interaction "
                "lj+ewald-real:alpha=%s,coulomb=%s --table %s",
                path, pairs->line, pairs->style, is_plain ? "units" : "screening of charges",
                is_plain ? "0" : "A", coulomb, path);
}

/* The words of --interaction that the style and the charges come to. */
static bool find_words(const char *path, const struct box *box, const struct box_pairs *pairs,
                       char *words, size_t size, struct error *error) {
    if (!pairs->lj) {
        return fail_style(path, pairs, error);
    }
    if (strcmp(pairs->style, "lj/cut") == 0 || !has_charges(box)) {
        (void)snprintf(words, size, "lj");
        return true;
    }
    if (strcmp(pairs->style, "lj/cut/coul/cut") != 0 || isnan(pairs->coulomb)) {
        return fail_coulomb(path, pairs, error);
    }
    (void)snprintf(words, size, "lj+ewald-real:alpha=0,coulomb=%.12g", pairs->coulomb);
    return true;
}

static bool take_coefficients(const char *command, struct axes *axes, const char *path,
                              const struct box *box, const struct box_pairs *pairs,
                              struct error *error) {
    char words[80];
    if (axes->box_files[1]) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s has coefficients of its own, and there are other boxes; expected one box, "
                    "or --interaction",
                    path);
    }
    if (!find_words(path, box, pairs, words, sizeof words, error)) {
        return false;
    }
    axes->interaction = memory_copy(words);
    axes->table = memory_copy(path);
    (void)fprintf(stderr,
                  "pairmark %s: %s: --interaction %s by its coefficients of pairs, two types mixed "
                  "by geometric means\n",
                  command, path, words);
    if (pairs->has_bonds && !axes->exclude) {
        (void)fprintf(stderr,
                      "pairmark %s: %s: bound particles interact, too, unless --exclude leaves "
                      "them out\n",
                      command, path);
    }
    return true;
}

/* ---- boxes ---- */

/* A missing file, or one that holds no box, is left for the plan to refuse. */
static bool take_box(const char *command, struct axes *axes, const char *path, const char *usual,
                     struct error *error) {
    struct box_pairs pairs = { .atom_style = axes->atom_style };
    struct box box;
    bool taken = true;
    if (!fs_is_file(path)) {
        return true;
    }
    if (!box_read_pairs(path, &box, &pairs, error)) {
        taken = false;
    } else if (pairs.line > 0) {
        taken = take_coefficients(command, axes, path, &box, &pairs, error);
    } else {
        warn_of_default(command, path, &box, usual);
    }
    box_free(&box);
    box_pairs_free(&pairs);
    return taken || fail_within(error, "--box");
}

void command_append_open(const struct box_spec *box, struct strbuf *text) {
    strbuf_append(text, "open box%s",
                  !*box->path                    ? ""
                  : ends_with(box->path, ".xyz") ? " (its file has no Lattice)"
                                                 : " (its file has no cell)");
}

void command_report_frames(const char *command, const char *path, size_t frames) {
    if (frames > 0) {
        (void)fprintf(stderr,
                      "pairmark %s: %s: the first frame is read, and %zu behind it are left out\n",
                      command, path, frames);
    }
}

void command_report_left_out(const char *command, const struct plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        const struct box_spec *box = &plan->cases[i].box;
        bool reported = false;
        for (size_t k = 0; box->left_out > 0 && !reported && k < i; k++) {
            reported = strcmp(plan->cases[k].box.path, box->path) == 0;
        }
        command_report_frames(command, box->path, reported ? 0 : box->left_out);
    }
}

bool command_take_boxes(const char *command, struct axes *axes, struct error *error) {
    struct error none;
    if (!axes->box_files || axes->interaction || axes->interaction_file || axes->table) {
        return true;
    }
    const struct workload *workload = plan_workload(axes, &none);
    if (!workload || !axis_is_of(AXIS_TABLE, workload) ||
        strcmp(workload->default_interaction, "lj") != 0) {
        return true;
    }
    for (size_t b = 0; axes->box_files[b] && !axes->interaction; b++) {
        if (!take_box(command, axes, axes->box_files[b], workload->default_interaction, error)) {
            return false;
        }
    }
    return true;
}
