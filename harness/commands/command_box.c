/* pairmark box — makes a box and writes it as extended XYZ. */
#include "commands/commands.h"

#include "base/error.h"
#include "base/parse.h"
#include "box/box.h"
#include "plan/plan_words.h"
#include "prepare/memory_needs.h"
#include "xyz/xyz.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: pairmark box KIND --n N [--density D] [--seed S] [--open] -o FILE\n"
    "\n"
    "Makes a box of N particles and writes it as extended XYZ. The same kind, N, density and seed\n"
    "give the same bytes on every machine.\n"
    "\n";

static const char usage_options[] =
    "\n"
    "  --n N         particles: 64, 16k, 1M (as many as memory holds, 536870911 at most)\n"
    "  --density D   particles per volume, in reduced units (default: the kind's own)\n"
    "  --seed S      a whole number (default 1)\n"
    "  --open        no periodic images, and no cell\n"
    "  -o FILE       where to write; - is standard output. Of files that are there, only boxes\n"
    "                that were made so are replaced\n"
    "  --help        this text\n";

struct request {
    const char *kind, *path;
    uint64_t n, seed;
    double density;
    bool has_n, open, help;
};

static const char *describe(const char *kind) {
    static const struct {
        const char *kind, *words;
    } kinds[] = {
        { "lattice", "face-centred cubic sites, jittered" },
        { "uniform", "random points at least 0.8 apart" },
        { "fluid", "a Lennard-Jones melt without overlap" },
        { "gas", "as uniform, thin" },
        { "droplets", "dense clusters in an empty cell: the load-imbalance case" },
        { "salt", "charges +1 (Na) and -1 (Cl) on a jittered cubic lattice" },
        { "cubic", "simple-cubic sites, each up to a tenth of the spacing off" },
        { "brick", "three edges, types and charges, molecules, particles on the faces" },
        { "plate", "a flat cell, edges 4.4 : 2.1 : 1, with pairs as near as 0.3" },
        { "water", "SPC/E molecules of random orientation on a lattice, in angstrom" },
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (strcmp(kind, kinds[k].kind) == 0) {
            return kinds[k].words;
        }
    }
    return "";
}

static int print_help(void) {
    (void)fputs(usage, stdout);
    for (size_t k = 0; box_kinds[k]; k++) {
        (void)printf("  %-9s %s (density %g)\n", box_kinds[k], describe(box_kinds[k]),
                     box_default_density(box_kinds[k]));
    }
    (void)fputs(
        "\n"
        "KIND@ALPHA:BETA:GAMMA shears the box into a triclinic cell: the angles between the\n"
        "second and third, first and third, first and second edge, in degrees (30 to 150), as\n"
        "in fluid@80:70:60. Its volume stays.\n",
        stdout);
    (void)fputs(usage_options, stdout);
    return 0;
}

static bool take_n(struct request *request, const char *value, struct error *error) {
    request->has_n = true;
    if (!parse_count(value, &request->n) || request->n < 1 || request->n > BOX_MAX_PARTICLES) {
        return fail(error, STATUS_BAD_INPUT,
                    "--n '%s'; expected the number of particles, 1 to %d (64, 16k, 1M)", value,
                    BOX_MAX_PARTICLES);
    }
    return memory_can_hold("--n", (double)request->n, HOST_BYTES_OF_BOX, error);
}

/* --n, --density, --seed, -o: an option with a value, where argv[*index] is one. */
static bool take_valued(struct request *request, int argc, char **argv, int *index, bool *taken,
                        struct error *error) {
    const char *value = NULL;
    if (!command_take_value("--n", argc, argv, index, &value, taken, error)) {
        return false;
    }
    if (*taken) {
        return take_n(request, value, error);
    }
    if (!command_take_value("--density", argc, argv, index, &value, taken, error)) {
        return false;
    }
    if (*taken) {
        return (parse_double(value, &request->density) && request->density > 0.0) ||
               fail(error, STATUS_BAD_INPUT, "--density '%s'; expected a positive number", value);
    }
    if (!command_take_value("--seed", argc, argv, index, &value, taken, error)) {
        return false;
    }
    if (*taken) {
        return parse_count(value, &request->seed) ||
               fail(error, STATUS_BAD_INPUT, "--seed '%s'; expected a whole number from 0 to 2^53",
                    value);
    }
    return command_take_value("-o", argc, argv, index, &request->path, taken, error) &&
           (*taken ||
            command_take_value("--output", argc, argv, index, &request->path, taken, error));
}

static bool take_word(struct request *request, const char *word, struct error *error) {
    if (strcmp(word, "--open") == 0) {
        request->open = true;
    } else if (command_is_help(word)) {
        request->help = true;
    } else if (word[0] == '-') {
        return command_unknown_option(word, "box", error);
    } else if (request->kind) {
        return fail(error, STATUS_BAD_INPUT, "'%s' after the kind %s; expected one kind of box",
                    word, request->kind);
    } else {
        request->kind = word;
    }
    return true;
}

static bool take_request(struct request *request, int argc, char **argv, struct error *error) {
    for (int i = 1; i < argc;) {
        bool taken = false;
        if (!take_valued(request, argc, argv, &i, &taken, error)) {
            return false;
        }
        if (!taken && !take_word(request, argv[i++], error)) {
            return false;
        }
    }
    if (request->help) {
        return true;
    }
    if (!request->kind) {
        return box_fail_kind(NULL, error);
    }
    if (isnan(box_default_density(request->kind)) && !strchr(request->kind, '@')) {
        return words_fail_unknown("KIND", "kind of box", request->kind, box_kinds, error);
    }
    if (!request->has_n) {
        return fail(error, STATUS_BAD_INPUT, "no number of particles; expected --n N");
    }
    return request->path || fail(error, STATUS_BAD_INPUT,
                                 "nowhere to write; expected -o FILE, or -o - for standard output");
}

static bool make_and_write(const struct request *request, struct error *error) {
    struct box box;
    if (!output_check(request->path, &box_output, error)) {
        return fail_within(error, "-o");
    }
    if (!box_make(request->kind, (size_t)request->n, request->density, request->seed, &box,
                  error)) {
        return false;
    }
    if (request->open) {
        box_open(&box);
    }
    bool written = box_write(request->path, &box, NULL, NULL, error);
    box_free(&box);
    return written;
}

int command_box(int argc, char **argv) {
    struct request request = { .seed = 1 };
    struct error error = { 0 };
    if (!take_request(&request, argc, argv, &error)) {
        return command_fail("box", &error);
    }
    if (request.help) {
        return print_help();
    }
    return make_and_write(&request, &error) ? 0 : command_fail("box", &error);
}
