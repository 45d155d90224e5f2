/* What the commands share: their messages and their options. */
#include "commands/commands.h"
#include "plan/plan_words.h"
#include "system/confine.h"

#include "reference/reference.h"

#include <stdio.h>
#include <string.h>

const char command_axes_help[] =
    "axes (lists by comma, globs for names, ranges for numbers: 1k:1M:x4, 100:500:+100):\n"
    "  --workload W         forces or coordination; told from the other words where it is left "
    "out\n"
    "  --variant GLOB       see `pairmark list`\n"
    "  --structure GLOB     what variants walk: none, cell_table, linked_cells...\n"
    "  --variant-file FILE  a kernel file of your own; may be repeated\n"
    "  --precision P        float, mixed, double\n"
    "  --interaction I      NAME[+NAME...][:parameter=value,...], as lj:epsilon=1,sigma=1 or\n"
    "                       lj+ewald-real:alpha=0.28,lj.cutoff=2.5,sigma.Na=2.3; lists by ';'.\n"
    "                       NAME: lj, buckingham, born-mayer-huggins, ewald-real; rational, of a\n"
    "                       coordination, as rational:r0=0.45,n=8,m=12,d0=0,dmax=1.2 (or inf)\n"
    "  --table FILE         parameters by pairs of types: type_a,type_b,function,parameters\n"
    "  --exclude FILE       pairs that do not interact: a line for two particles, from 1; or\n"
    "                       the word molecule: all pairs within a molecule of the box file\n"
    "  --outputs O          forces, energy (and forces), virial (and both)\n"
    "  --reduction R        of energies and virials: tree, warp, atomic, cub (CUDA)\n"
    "  --group-a LIST       particles of a coordination, from 1: 1-100,105,110-200:2; all unless "
    "given\n"
    "  --group-b LIST       those with which they are paired; each other unless given\n"
    "  --pairs              the first of A with the first of B, the second with the second...\n"
    "  --ratio A:B          two groups of so many particles, drawn from the box by its seed\n"
    "  --box FILE           a box to read (extended XYZ, XYZ of `plumed driver`); may be repeated\n"
    "  --kind K             a box to make: lattice, uniform, fluid, gas, droplets, salt, cubic,\n"
    "                       brick, plate\n"
    "  --n N                its particles: 64, 16k, 1M\n"
    "  --density D          particles per volume; the kind's own unless given\n"
    "  --seed S             of its random numbers\n"
    "  --open               without periodic images\n"
    "  --cutoff R           a distance, half (of the shortest edge) or none (open boxes); 2.5\n"
    "                       unless given, but of a box that is read it must be given\n"
    "  --tune NAME=V,...    values of a tunable; may be repeated\n"
    "  --judge-all-below N  larger boxes: the reference judges a sample, kernels in double the "
    "rest\n"
    "                       (2M, on processors any; none without a cutoff)\n"
    "  --judge-sample K     how many particles the sample has (1000)\n"
    "  --judge-seed S       of the sample (the time of day; recorded)\n"
    "  --device D           as `pairmark devices` names it; the best one unless given\n"
    "  --reference WAY      what results are compared with: threads (all processors; unless "
    "given)\n"
    "                       or serial, the plain sums, which differ in rounding alone\n"
    "  --no-confinement     let kernels do all that you may do: see the manual page, SECURITY\n";

static const char *const axis_options[] = {
    "--workload",     "--variant",    "--structure", "--variant-file", "--precision",
    "--interaction",  "--table",      "--exclude",   "--outputs",      "--box",
    "--kind",         "--n",          "--density",   "--seed",         "--open",
    "--cutoff",       "--tune",       "--device",    "--reduction",    "--group-a",
    "--group-b",      "--pairs",      "--ratio",     "--reference",    "--judge-all-below",
    "--judge-sample", "--judge-seed",
};

enum { AXIS_OPTIONS = sizeof axis_options / sizeof axis_options[0], MOST_OPTIONS = 64 };

int command_fail(const char *command, const struct error *error) {
    int code = status_exit_code(error->status);
    (void)fflush(stdout);
    (void)fprintf(stderr, "pairmark %s: %s\n", command, error->message);
    return code ? code : status_exit_code(STATUS_SYSTEM);
}

void command_tell_confinement(const char *command, const struct axes *axes) {
    if (axes->variant_files && axes->variant_files[0] && !confine_works()) {
        (void)fprintf(
            stderr, "pairmark %s: kernels of files are programs, and are not confined here (%s)\n",
            command, confine_words());
    }
}

bool command_is_help(const char *word) {
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool ends_in(const char *word, const char *end) {
    const size_t length = strlen(word);
    return length > strlen(end) && strcmp(word + length - strlen(end), end) == 0;
}

/* A file that stands alone: which option takes such a one. */
static bool fail_stray_word(const char *word, bool takes_axes, struct error *error) {
    const char *option = !takes_axes             ? NULL
                         : ends_in(word, ".cl")  ? "--variant-file "
                         : ends_in(word, ".xyz") ? "--box "
                                                 : NULL;
    return fail(error, STATUS_BAD_INPUT, "'%.200s': options alone are expected%s%s%.200s%s", word,
                option ? " (did you mean '" : "", option ? option : "", option ? word : "",
                option ? "'?)" : "");
}

bool command_unknown_option(const char *word, const char *const *options, bool takes_axes,
                            struct error *error) {
    const char *choices[MOST_OPTIONS + AXIS_OPTIONS + 1] = { NULL };
    char name[64];
    size_t count = 0;
    if (word[0] != '-') {
        return fail_stray_word(word, takes_axes, error);
    }
    for (; count < MOST_OPTIONS && options[count]; count++) {
        choices[count] = options[count];
    }
    for (int i = 0; takes_axes && i < AXIS_OPTIONS; i++) {
        choices[count++] = axis_options[i];
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *nearest = words_nearest(name, choices);
    return fail(error, STATUS_BAD_INPUT, "%.200s: there is no such option%s%s%s", name,
                nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
}

/* Whether the word is the option NAME, or NAME=VALUE. */
static bool is_option(const char *word, const char *name) {
    const size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

bool command_take_value(const char *name, int argc, char **argv, int *index, const char **value,
                        bool *taken, struct error *error) {
    size_t length = strlen(name);
    const char *word = argv[*index];
    *taken = is_option(word, name);
    if (!*taken) {
        return true;
    }
    for (int i = 1; i < *index; i++) {
        if (is_option(argv[i], name)) {
            return fail(error, STATUS_BAD_INPUT, "%s: given twice", name);
        }
    }
    *index += 1;
    if (word[length] == '=') {
        *value = word + length + 1;
    } else if (*index < argc) {
        *value = argv[(*index)++];
    } else {
        *value = "";
    }
    if (**value == '\0' || strncmp(*value, "--", 2) == 0) {
        return fail(error, STATUS_BAD_INPUT, "%s: a value is missing", name);
    }
    return true;
}

bool command_take_reference(int argc, char **argv, int *index, bool *none, bool *taken,
                            struct error *error) {
    const char *value = "";
    if (!command_take_value("--reference", argc, argv, index, &value, taken, error)) {
        return false;
    }
    const bool serial = strcmp(value, "serial") == 0;
    if (*taken && none && strcmp(value, "none") == 0) {
        *none = true;
        return true;
    }
    if (*taken && !serial && strcmp(value, "threads") != 0) {
        return fail(error, STATUS_BAD_INPUT, "--reference: '%.100s'; expected threads or serial%s",
                    value, none ? ", or none" : "");
    }
    if (*taken) {
        reference_choose_way(serial ? REFERENCE_SERIAL : REFERENCE_THREADS);
    }
    return true;
}

bool command_open_device(struct worker *worker, const char *name, struct device_info *info,
                         struct error *error) {
    return worker_device(worker, info, error) ||
           (name && *name && error->status == STATUS_BAD_INPUT && fail_within(error, "--device"));
}
