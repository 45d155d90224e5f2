/* LAMMPS data files, as its command read_data takes them
 * (https://docs.lammps.org/read_data.html). */
#include "boxes/files/readers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TYPES = 1000 };

/* A section: the reader stands after its title. */
struct section {
    const char *title;
    struct reader at;
    struct span style; /* the word after the title's # */
    bool there;
};

enum { LABELS, MASSES, ATOMS, VELOCITIES, BONDS, PAIRS, PAIRS_IJ, SECTIONS };

struct data_file {
    size_t n, bonds, types; /* 0: the header does not say */
    double low[3], high[3], tilt[3];
    bool edge[3], tilted; /* whether the header says them */
    struct section section[SECTIONS];
    char name[MAX_TYPES][SPECIES_SIZE]; /* of type 1, 2, ... */
    double mass[MAX_TYPES];             /* 0: none is said */
    int32_t type_of[MAX_TYPES];         /* of the box, by the type of the file; -1: none yet */
    int64_t *id;                        /* n, ascending: the atom of particle i */
    struct span title;                  /* the first line */
};

/* The columns of an atom_style. The first word is the atom's number; only that and the molecule
 * stand before the type. */
struct style {
    int molecule, type, charge, position; /* -1: not there */
};
static const struct style styles[] = {
    { -1, 1, -1, 2 }, { -1, 1, 2, 3 }, { 1, 2, 3, 4 },
    { 1, 2, -1, 3 },  { 1, 2, -1, 3 }, { 1, 2, -1, 3 },
};
const char *const box_atom_styles[] = { "atomic", "charge", "full", "molecular",
                                        "bond",   "angle",  NULL };
enum { STYLES = sizeof styles / sizeof styles[0], MOST_WORDS = 10, IMAGES = 3 };

static int words_of(struct span row, struct span words[MOST_WORDS]) {
    return lammps_words(row, words, MOST_WORDS);
}

/* ---- the header and where sections begin ---- */

static bool ends_with_words(struct span row, const char *const *expected) {
    for (; *expected; expected++) {
        if (!span_is(next_word(&row), *expected)) {
            return false;
        }
    }
    return span_length(next_word(&row)) == 0;
}

static bool take_count(const struct reader *reader, struct span word, const char *what,
                       double least, double most, size_t *count) {
    int64_t number = 0;
    if (*count > 0) {
        return reader_fail(reader, "%s again; expected it once", what);
    }
    if (!lammps_whole(reader, word, what, least, most, &number)) {
        return false;
    }
    *count = (size_t)number;
    return true;
}

/* Two or three numbers, and the words that say what they are. */
static bool take_lengths(const struct reader *reader, struct span row, struct data_file *file) {
    static const char *const edges[3][3] = { { "xlo", "xhi" }, { "ylo", "yhi" }, { "zlo", "zhi" } };
    static const char *const tilts[] = { "xy", "xz", "yz", NULL };
    struct span first = next_word(&row);
    struct span second = next_word(&row);
    struct span rest = row;
    struct span third = next_word(&rest);
    for (int axis = 0; axis < 3; axis++) {
        if (ends_with_words(row, edges[axis])) {
            double *low = &file->low[axis];
            double *high = &file->high[axis];
            if (file->edge[axis]) {
                return reader_fail(reader, "%s again; expected it once", edges[axis][0]);
            }
            file->edge[axis] = true;
            return reader_number(reader, first, edges[axis][0], low) &&
                   reader_number(reader, second, edges[axis][1], high) &&
                   (*low < *high ||
                    reader_fail(reader, "%s is %g and %s is %g; expected %s < %s", edges[axis][0],
                                *low, edges[axis][1], *high, edges[axis][0], edges[axis][1]));
        }
    }
    const bool tilted = ends_with_words(rest, tilts);
    while (span_length(row) > 0 && !span_is(next_word(&row), tilts[0])) {
    }
    if (!tilted && span_length(row) == 0) {
        return true;
    }
    if (file->tilted || !tilted) {
        return reader_fail(reader, "expected three numbers before xy xz yz, once");
    }
    file->tilted = true;
    return reader_number(reader, first, "xy", &file->tilt[0]) &&
           reader_number(reader, second, "xz", &file->tilt[1]) &&
           reader_number(reader, third, "yz", &file->tilt[2]);
}

/* A line of the header; what is not needed is skipped. */
static bool take_header(const struct reader *reader, struct span row, struct data_file *file) {
    static const char *const atoms[] = { "atoms", NULL };
    static const char *const types[] = { "atom", "types", NULL };
    static const char *const bonds[] = { "bonds", NULL };
    static const char *const vectors[] = { "avec", "bvec", "cvec" };
    struct span words = row;
    const struct span number = next_word(&words);
    if (ends_with_words(words, atoms)) {
        return take_count(reader, number, "the number of atoms", 1, BOX_MAX_PARTICLES, &file->n);
    }
    if (ends_with_words(words, types)) {
        return take_count(reader, number, "the number of atom types", 1, MAX_TYPES, &file->types);
    }
    if (ends_with_words(words, bonds)) {
        return take_count(reader, number, "the number of bonds", 0, 1e15, &file->bonds);
    }
    struct span all[MOST_WORDS];
    const int count = words_of(row, all);
    for (int v = 0; v < 3 && count > 3 && count <= MOST_WORDS; v++) {
        if (span_is(all[3], vectors[v])) {
            return reader_fail(
                reader,
                "%s: general triclinic cells are not read; expected xlo xhi, "
                "ylo yhi, zlo zhi and xy xz yz (write_data without triclinic/general)",
                vectors[v]);
        }
    }
    return take_lengths(reader, row, file);
}

/* A section that is not needed is skipped, whatever its name: fixes have sections of their own. One
 * that is misspelt would be lost. */
static bool check_title(const struct reader *reader, struct span title) {
    static const char *const choices[] = { "Masses", "Velocities", NULL };
    char hint[HINT_SIZE];
    const char *nearest = words_nearest(show(title).text, choices);
    return !nearest || reader_fail(reader, "no section is named '%s'%s", show(title).text,
                                   did_you_mean(nearest, '\'', hint));
}

static bool note_section(const struct reader *reader, struct span row, struct span comment,
                         struct data_file *file) {
    struct span title = { next_word(&row).begin, row.end };
    while (title.end > title.begin && (title.end[-1] == ' ' || title.end[-1] == '\t')) {
        title.end--;
    }
    for (int s = 0; s < SECTIONS; s++) {
        struct section *section = &file->section[s];
        if (!span_is(title, section->title)) {
            continue;
        }
        if (section->there) {
            return reader_fail(reader, "%s again; expected it once", section->title);
        }
        section->there = true;
        section->at = *reader;
        section->style = next_word(&comment);
        return true;
    }
    return check_title(reader, title);
}

static bool read_outline(struct reader *reader, struct data_file *file) {
    struct span row;
    struct span comment;
    bool header = true;
    (void)reader_next_line(reader, &file->title);
    while (lammps_next_row(reader, &row, &comment)) {
        header = header && !span_begins_with_letter(row);
        if (header ? !take_header(reader, row, file)
                   : span_begins_with_letter(row) && !note_section(reader, row, comment, file)) {
            return false;
        }
    }
    return true;
}

/* Refuses a file that lacks what every box needs. */
static bool check_outline(struct reader *reader, const struct data_file *file) {
    const size_t left = (size_t)(reader->end - file->section[ATOMS].at.at);
    reader->line = 1;
    if (file->n == 0) {
        return reader_fail(reader, "the header has no line 'N atoms'; expected a LAMMPS data file");
    }
    if (file->types == 0) {
        return reader_fail(reader, "the header has no line 'N atom types'");
    }
    for (int axis = 0; axis < 3; axis++) {
        if (!file->edge[axis]) {
            return reader_fail(reader, "the header has no line '%clo %chi'; expected the cell",
                               "xyz"[axis], "xyz"[axis]);
        }
    }
    if (!file->section[ATOMS].there) {
        return reader_fail(reader, "no section Atoms; expected one, as Atoms # full");
    }
    if (file->bonds > 0 && !file->section[BONDS].there) { /* a file that was cut short */
        return reader_fail(reader, "the header says %zu bonds; expected a section Bonds",
                           file->bonds);
    }
    enum { SHORTEST_ROW = 10 };
    return file->n <= left / SHORTEST_ROW + 1 ||
           reader_fail(reader,
                       "%zu atoms, but only %zu bytes follow Atoms: too few for as many lines",
                       file->n, left);
}

/* ---- types ---- */

static bool read_type(const struct reader *reader, struct span word, const struct data_file *file,
                      size_t *type) {
    return lammps_type(reader, word, file->name, file->types, type);
}

static void name_type(struct data_file *file, size_t type, struct span name) {
    memset(file->name[type], 0, SPECIES_SIZE);
    memcpy(file->name[type], name.begin, span_length(name));
}

static bool read_labels(struct data_file *file) {
    struct reader reader = file->section[LABELS].at;
    struct span row;
    while (file->section[LABELS].there && lammps_row(&reader, &row)) {
        const struct span number = next_word(&row);
        const struct span name = next_word(&row);
        int64_t type = 0;
        if (!lammps_whole(&reader, number, "the type", 1, (double)file->types, &type)) {
            return false;
        }
        if (!span_is_name(name) || span_length(name) >= SPECIES_SIZE) {
            return reader_fail(&reader,
                               "the label of type %d is '%s'; expected a word of at most %d "
                               "characters",
                               (int)type, show(name).text, SPECIES_SIZE - 1);
        }
        name_type(file, (size_t)type - 1, name);
    }
    return true;
}

/* Where types have no labels, the word after # names the species, as in "1 15.9994 # O". */
static bool read_masses(struct data_file *file) {
    struct reader reader = file->section[MASSES].at;
    struct span row;
    struct span comment;
    while (file->section[MASSES].there &&
           lammps_typed_row(&reader, file->name, file->types, &row, &comment)) {
        const struct span word = next_word(&row);
        const struct span mass = next_word(&row);
        const struct span name = next_word(&comment);
        size_t type = 0;
        if (!read_type(&reader, word, file, &type)) {
            return false;
        }
        if (file->mass[type] > 0.0) {
            return reader_fail(&reader, "Masses has type %zu twice; expected it once", type + 1);
        }
        if (!reader_number(&reader, mass, "the mass", &file->mass[type])) {
            return false;
        }
        if (!(file->mass[type] > 0.0)) {
            return reader_fail(&reader, "the mass is '%s'; expected a positive number",
                               show(mass).text);
        }
        if (span_is_name(name) && span_length(name) < SPECIES_SIZE &&
            !file->section[LABELS].there) {
            name_type(file, type, name);
        }
    }
    for (size_t t = 0; t < file->types && file->section[MASSES].there; t++) {
        if (!(file->mass[t] > 0.0)) {
            return reader_fail(&reader, "Masses ends without type %zu; expected all %zu", t + 1,
                               file->types);
        }
    }
    return true;
}

/* Types are numbered as they occur among the particles. */
static bool add_type(const struct reader *reader, struct data_file *file, size_t type,
                     struct box *box) {
    const char *name = file->name[type];
    file->type_of[type] = box->types;
    return reader_add_species(reader, (struct span){ name, name + strlen(name) }, box);
}

/* ---- atoms ---- */

/* The style without the suffix of an accelerator package: write_data writes full/kk after a run
 * with Kokkos. */
static struct span without_suffix(struct span name) {
    static const char *const suffixes[] = { "/gpu", "/intel", "/kk", "/omp", "/opt", NULL };
    for (int s = 0; suffixes[s]; s++) {
        const size_t length = strlen(suffixes[s]);
        if (span_length(name) > length &&
            span_is((struct span){ name.end - length, name.end }, suffixes[s])) {
            name.end -= length;
        }
    }
    return name;
}

static const struct style *style_of(struct span name) {
    const int most = STYLES;
    for (int s = 0; s < most; s++) {
        if (span_is(name, box_atom_styles[s])) {
            return &styles[s];
        }
    }
    return NULL;
}

/* The style after the section's title, else the one of --atom-style. Without either, five columns
 * are atomic: no other style has five. */
static const struct style *find_style(const struct section *section) {
    const char *asked = section->at.atom_style;
    const struct span option = { asked, asked ? asked + strlen(asked) : asked };
    const struct span named = without_suffix(section->style);
    const struct span name = span_length(named) > 0 ? named : option;
    const struct style *style = style_of(name);
    struct reader reader = section->at;
    struct span words[MOST_WORDS];
    struct span row;
    if (asked && span_length(named) > 0 && !span_is(named, asked)) {
        (void)reader_fail(&reader, "atom_style %s; --atom-style says %s", show(named).text, asked);
        return NULL;
    }
    if (span_length(name) > 0) {
        if (!style) {
            (void)reader_fail(&reader,
                              "atom_style %s; expected atomic, charge, full, molecular, bond or "
                              "angle",
                              show(name).text);
        }
        return style;
    }
    const int count = lammps_row(&reader, &row) ? words_of(row, words) : 0;
    if (count == 5) {
        return &styles[0];
    }
    (void)reader_fail(&reader,
                      "%d columns, which may be of several styles or of none; say which it is by "
                      "--atom-style or after the title: Atoms # full (or atomic, charge, "
                      "molecular)",
                      count);
    return NULL;
}

static int compare_ids(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool read_id(const struct reader *reader, struct span word, int64_t *id) {
    return lammps_whole(reader, word, "the number of an atom", 1, 9e15, id);
}

/* The particle that is atom `id`. */
static bool find_particle(const struct reader *reader, const struct data_file *file,
                          struct span word, size_t *particle) {
    int64_t id = 0;
    if (!read_id(reader, word, &id)) {
        return false;
    }
    const int64_t *found = bsearch(&id, file->id, file->n, sizeof *file->id, compare_ids);
    if (!found) {
        return reader_fail(reader, "atom %lld, which is none of Atoms", (long long)id);
    }
    *particle = (size_t)(found - file->id);
    return true;
}

/* Particles are in the order of the atoms' numbers, whatever that of the file. */
static bool read_ids(struct data_file *file) {
    struct reader reader = file->section[ATOMS].at;
    struct span row;
    size_t count = 0;
    file->id = calloc(file->n, sizeof *file->id);
    if (!file->id) {
        return fail_out_of_memory(reader.error, "the numbers of atoms");
    }
    while (lammps_row(&reader, &row)) {
        if (count == file->n) {
            return reader_fail(&reader, "an atom more; expected %zu, as the header says", file->n);
        }
        if (!read_id(&reader, next_word(&row), &file->id[count++])) {
            return false;
        }
    }
    if (count < file->n) {
        return reader_fail(&reader, "Atoms ends after %zu; expected %zu, as the header says", count,
                           file->n);
    }
    qsort(file->id, file->n, sizeof *file->id, compare_ids);
    for (size_t i = 1; i < file->n; i++) {
        if (file->id[i] == file->id[i - 1]) {
            return reader_fail(&reader, "Atoms has the number %lld twice; expected it once",
                               (long long)file->id[i]);
        }
    }
    return true;
}

static bool read_three(const struct reader *reader, const struct span *words, const char *vector,
                       double three[3]) {
    for (int axis = 0; axis < 3; axis++) {
        char what[32];
        (void)snprintf(what, sizeof what, "%s%c", vector, "xyz"[axis]);
        if (!reader_number(reader, words[axis], what, &three[axis])) {
            return false;
        }
    }
    return true;
}

/* The file's type of each particle, until types are numbered, stands in box->type. */
static bool read_atom(const struct reader *reader, const struct style *style, struct span row,
                      const struct data_file *file, struct box *box) {
    struct span words[MOST_WORDS];
    const int count = words_of(row, words);
    const int expected = style->position + 3;
    size_t i = 0;
    size_t type = 0;
    int64_t number = 0;
    if (count != expected && count != expected + IMAGES) {
        return reader_fail(reader, "%d columns; atom_style %s has %d, or %d with image flags",
                           count, box_atom_styles[style - styles], expected, expected + IMAGES);
    }
    if (!find_particle(reader, file, words[0], &i) ||
        !read_type(reader, words[style->type], file, &type) ||
        !read_three(reader, words + style->position, "", box->position + 3 * i) ||
        (style->charge >= 0 &&
         !reader_number(reader, words[style->charge], "the charge", &box->charge[i]))) {
        return false;
    }
    for (int k = expected; k < count; k++) { /* which cell: images are all alike */
        if (!lammps_whole(reader, words[k], "an image flag", -1e9, 1e9, &number)) {
            return false;
        }
    }
    if (box->molecule && style->molecule >= 0) {
        if (!lammps_whole(reader, words[style->molecule], "the molecule", 0, INT32_MAX, &number)) {
            return false;
        }
        box->molecule[i] = (int32_t)number;
    }
    box->type[i] = (int32_t)type;
    if (box->mass) {
        box->mass[i] = file->mass[type];
    }
    return true;
}

static bool read_atoms(struct data_file *file, struct box *box) {
    const struct style *style = find_style(&file->section[ATOMS]);
    struct reader reader = file->section[ATOMS].at;
    struct span row;
    if (!style || (file->section[MASSES].there && !box_add_masses(box, reader.error))) {
        return false;
    }
    box->uncharged = style->charge < 0;
    box->molecule = style->molecule >= 0 ? calloc(box->n, sizeof *box->molecule) : NULL;
    if (style->molecule >= 0 && !box->molecule) {
        return fail_out_of_memory(reader.error, "the molecules of a box");
    }
    while (lammps_row(&reader, &row)) {
        if (!read_atom(&reader, style, row, file, box)) {
            return false;
        }
    }
    box->types = 0;
    for (size_t i = 0; i < box->n; i++) {
        const size_t type = (size_t)box->type[i];
        if (file->type_of[type] < 0 && !add_type(&reader, file, type, box)) {
            return false;
        }
        box->type[i] = file->type_of[type];
    }
    return true;
}

static bool read_velocities(const struct data_file *file, struct box *box) {
    struct reader reader = file->section[VELOCITIES].at;
    struct span words[MOST_WORDS];
    struct span row;
    size_t count = 0;
    if (!file->section[VELOCITIES].there) {
        return true;
    }
    if (!box_add_velocities(box, reader.error)) {
        return false;
    }
    for (size_t k = 0; k < 3 * box->n; k++) {
        box->velocity[k] = NAN; /* none is said yet */
    }
    for (; lammps_row(&reader, &row); count++) {
        size_t i = 0;
        if (words_of(row, words) != 4) {
            return reader_fail(&reader,
                               "%d columns; expected the number of an atom and three "
                               "velocities",
                               words_of(row, words));
        }
        if (!find_particle(&reader, file, words[0], &i)) {
            return false;
        }
        if (!isnan(box->velocity[3 * i])) {
            return reader_fail(&reader, "Velocities has atom %s twice; expected it once",
                               show(words[0]).text);
        }
        if (!read_three(&reader, words + 1, "velocity ", box->velocity + 3 * i)) {
            return false;
        }
    }
    return count == box->n ||
           reader_fail(&reader, "Velocities has %zu rows; expected %zu", count, box->n);
}

/* ---- molecules ---- */

static bool join_bonds(const struct data_file *file, int32_t *molecule) {
    struct reader reader = file->section[BONDS].at;
    struct span words[MOST_WORDS];
    struct span row;
    size_t count = 0;
    for (; lammps_row(&reader, &row); count++) {
        size_t a = 0;
        size_t b = 0;
        if (words_of(row, words) != 4) {
            return reader_fail(&reader, "%d columns; expected a number, a type and two atoms",
                               words_of(row, words));
        }
        if (!find_particle(&reader, file, words[2], &a) ||
            !find_particle(&reader, file, words[3], &b)) {
            return false;
        }
        joined_add(molecule, (int32_t)a, (int32_t)b);
    }
    return count == file->bonds ||
           reader_fail(&reader, "Bonds has %zu rows; the header says %zu", count, file->bonds);
}

/* Atoms that bonds join, where no molecules are numbered. */
static bool molecules_of_bonds(const struct data_file *file, struct box *box, struct error *error) {
    box->molecule = box->molecule ? box->molecule : calloc(box->n, sizeof *box->molecule);
    if (!box->molecule) {
        return fail_out_of_memory(error, "the molecules of a box");
    }
    joined_begin(box->n, box->molecule);
    if (!join_bonds(file, box->molecule)) {
        return false;
    }
    joined_end(box->n, box->molecule);
    for (size_t i = 0; i < box->n; i++) {
        box->molecule[i]++; /* named by its first particle, from 1 */
    }
    return true;
}

/* Molecule 0 is LAMMPS' word for none: such an atom is a molecule by itself. */
static bool number_molecules(const struct data_file *file, struct box *box, struct error *error) {
    int64_t most = 0;
    for (size_t i = 0; box->molecule && i < box->n; i++) {
        most = box->molecule[i] > most ? box->molecule[i] : most;
    }
    if (most == 0) {
        if (file->section[BONDS].there) {
            return molecules_of_bonds(file, box, error);
        }
        free(box->molecule);
        box->molecule = NULL;
    }
    for (size_t i = 0; box->molecule && i < box->n; i++) {
        if (box->molecule[i] == 0) {
            if (++most > INT32_MAX) {
                return reader_fail(&file->section[ATOMS].at,
                                   "molecules are numbered up to %d, with "
                                   "none left for atoms of molecule 0",
                                   INT32_MAX);
            }
            box->molecule[i] = (int32_t)most;
        }
    }
    return true;
}

/* ---- pairs ---- */

/* The constant of Coulomb's law in each of LAMMPS' units that charges are used with (its command
 * units, https://docs.lammps.org/units.html; values of its source, update.cpp). */
static double coulomb_of_units(struct span title) {
    static const struct {
        const char *units;
        double coulomb;
    } known[] = { { "lj", 1 }, { "real", 332.06371 }, { "metal", 14.399645 } };
    double coulomb = NAN;
    for (struct span word = next_word(&title); span_length(word) > 0; word = next_word(&title)) {
        struct span rest = title;
        const bool named = span_is(word, "units") && span_is(next_word(&rest), "=");
        const struct span units = named ? next_word(&rest) : rest;
        for (size_t u = 0; named && u < sizeof known / sizeof known[0]; u++) {
            coulomb = span_is(units, known[u].units) ? known[u].coulomb : coulomb;
        }
    }
    return coulomb;
}

/* lj/cut/omp is lj/cut. */
static void take_pair_style(struct span style, struct box_pairs *pairs) {
    style = without_suffix(style);
    (void)snprintf(pairs->style, sizeof pairs->style, "%.*s", (int)span_length(style), style.begin);
}

/* What is asked for besides the box. */
static bool read_pairs(const struct data_file *file, struct box_pairs *pairs) {
    const struct section *of_types = &file->section[PAIRS];
    const struct section *of_pairs = &file->section[PAIRS_IJ];
    const struct section *first = of_types->there ? of_types : of_pairs;
    if (!pairs) {
        return true;
    }
    pairs->coulomb = coulomb_of_units(file->title);
    pairs->has_bonds = file->section[BONDS].there;
    if (!first->there) {
        return true;
    }
    pairs->line = first->at.line;
    take_pair_style(first->style, pairs);
    const bool is_lj = strcmp(pairs->style, "lj/cut") == 0 ||
                       strncmp(pairs->style, "lj/cut/", strlen("lj/cut/")) == 0 ||
                       (!*pairs->style && pairs->as_lj);
    const struct pair_sections sections = { .of_types = of_types->there ? &of_types->at : NULL,
                                            .of_pairs = of_pairs->there ? &of_pairs->at : NULL,
                                            .first = &first->at,
                                            .types = file->types,
                                            .type_of = file->type_of,
                                            .name = file->name };
    return !is_lj || lammps_read_pairs(&sections, pairs);
}

/* ---- the file ---- */

static bool set_cell(struct reader *reader, const struct data_file *file, struct box *box) {
    const double *tilt = file->tilt;
    double edge[3];
    struct error error;
    for (int axis = 0; axis < 3; axis++) {
        edge[axis] = file->high[axis] - file->low[axis];
    }
    const double vectors[9] = {
        edge[0], 0.0, 0.0, tilt[0], edge[1], 0.0, tilt[1], tilt[2], edge[2]
    };
    return reader_set_cell(reader, vectors, box, &error) ||
           reader_fail(reader, "the cell of the header: %s", error.message);
}

bool lammps_read(struct reader *reader, struct box *box) {
    struct data_file *file = calloc(1, sizeof *file);
    static const char *const titles[SECTIONS] = { "Atom Type Labels", "Masses", "Atoms",
                                                  "Velocities",       "Bonds",  "Pair Coeffs",
                                                  "PairIJ Coeffs" };
    if (!file) {
        return fail_out_of_memory(reader->error, "reading a box");
    }
    for (int s = 0; s < SECTIONS; s++) {
        file->section[s].title = titles[s];
        file->section[s].at = *reader;
    }
    bool read = read_outline(reader, file) && check_outline(reader, file);
    for (size_t t = 0; t < MAX_TYPES; t++) {
        (void)snprintf(file->name[t], SPECIES_SIZE, "%zu", t + 1);
        file->type_of[t] = -1;
    }
    read = read && box_allocate(file->n, box, reader->error) && set_cell(reader, file, box) &&
           read_labels(file) && read_masses(file) && read_ids(file) && read_atoms(file, box) &&
           read_velocities(file, box) && number_molecules(file, box, reader->error) &&
           read_pairs(file, reader->pairs);
    free(file->id);
    free(file);
    return read;
}
