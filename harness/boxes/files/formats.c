/* Which format a file of a box has: its name and its content say so. */
#include "boxes/files/readers.h"
#include "core/files.h"

#include <string.h>
#include <strings.h>

enum { ENDINGS = 4, BEGINS = 6 };

/* The names of formats that others convert are those of ASE
 * (https://wiki.fysik.dtu.dk/ase/ase/io/io.html). */
static const struct format {
    const char *name, *ase;       /* ase: NULL where pairmark reads it */
    box_reader *read;             /* NULL: as XYZ */
    const char *endings[ENDINGS]; /* of the file's name */
    const char *begins[BEGINS];   /* of its first line */
} formats[] = {
    { "an XYZ file", NULL, NULL, { ".xyz", ".extxyz" }, { NULL } },
    { "a GROMACS file", NULL, gro_read, { ".gro" }, { NULL } },
    { "a PDB file",
      NULL,
      pdb_read,
      { ".pdb", ".ent" },
      { "HEADER", "CRYST1", "REMARK", "ATOM  ", "HETATM" } },
    { "a LAMMPS data file", NULL, lammps_read, { ".data", ".lmp", ".lammps" }, { "LAMMPS" } },
    { "a LAMMPS dump", "lammps-dump-text", NULL, { ".dump", ".lammpstrj" }, { "ITEM:" } },
    { "a CIF file", "cif", NULL, { ".cif", ".mmcif" }, { "data_" } },
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static bool has_ending(const char *path, const char *ending) {
    const size_t length = strlen(path);
    return length > strlen(ending) && strcasecmp(path + length - strlen(ending), ending) == 0;
}

static const struct format *format_of_ending(const char *path) {
    for (int f = 0; f < FORMATS; f++) {
        for (int e = 0; e < ENDINGS && formats[f].endings[e]; e++) {
            if (has_ending(path, formats[f].endings[e])) {
                return &formats[f];
            }
        }
    }
    return NULL;
}

static const struct format *format_that_reads(box_reader *read) {
    int f = 0;
    while (formats[f].read != read) {
        f++;
    }
    return &formats[f];
}

/* Whether a file is called data.NAME, as most of LAMMPS's own are. */
static bool is_called_data(const char *path) {
    const char *slash = strrchr(path, '/');
    return begins_with(slash ? slash + 1 : path, "data.");
}

/* LAMMPS data begins with any title. Lines of the header identify it: '8 atoms' and '0 9 xlo
 * xhi'. */
static bool has_lammps_header(struct span text) {
    enum { MOST_LINES = 100 };
    struct reader reader = { .at = text.begin, .end = text.end };
    struct span line;
    bool atoms = false;
    bool edges = false;
    for (int l = 0; l < MOST_LINES && !(atoms && edges) && reader_next_line(&reader, &line); l++) {
        struct span words[4];
        int count = 0;
        while (count < 4 && span_length(words[count] = next_word(&line)) > 0) {
            count++;
        }
        atoms =
            atoms || (l > 0 && count >= 2 && span_is_whole(words[0]) && span_is(words[1], "atoms"));
        edges =
            edges || (l > 0 && count == 4 && span_is(words[2], "xlo") && span_is(words[3], "xhi"));
    }
    return atoms && edges;
}

static const struct format *format_of_text(struct span text) {
    const size_t length = span_length(text);
    for (int f = 0; f < FORMATS; f++) {
        for (int b = 0; b < BEGINS && formats[f].begins[b]; b++) {
            const size_t most = strlen(formats[f].begins[b]);
            if (length >= most && memcmp(text.begin, formats[f].begins[b], most) == 0) {
                return &formats[f];
            }
        }
    }
    struct reader reader = { .at = text.begin, .end = text.end };
    struct span line;
    size_t count;
    return has_lammps_header(text) ? format_that_reads(lammps_read)
           : reader_next_line(&reader, &line) && span_is_count(line, &count)
               ? format_that_reads(NULL)
               : NULL;
}

/* The format by the ending of the name, else by the content, else by the rest of the name; else
 * XYZ. */
static const struct format *format_of(const char *path, struct span text) {
    const struct format *format = format_of_ending(path);
    format = format ? format : format_of_text(text);
    return format                 ? format
           : is_called_data(path) ? format_that_reads(lammps_read)
                                  : format_that_reads(NULL);
}

box_reader *reader_of_format(const struct reader *reader) {
    return format_of(reader->path, (struct span){ reader->at, reader->end })->read;
}

bool box_is_lammps_name(const char *path) {
    const struct format *format = format_of_ending(path);
    return format ? format->read == lammps_read : is_called_data(path);
}

bool box_is_lammps_file(const char *path) {
    enum { BEGINNING = 8192 };
    char text[BEGINNING + 1];
    const struct format *format = format_of_ending(path);
    if (!format) {
        const size_t length = input_read_beginning(path, text, sizeof text);
        const size_t mark = byte_order_mark(text);
        format = format_of_text((struct span){ text + mark, text + length });
    }
    return format && format->read == lammps_read;
}

bool box_check_name(const char *path, struct error *error) {
    const struct format *format = format_of_ending(path);
    const bool other = format ? format->read || format->ase : is_called_data(path);
    return !other || fail(error, STATUS_BAD_INPUT,
                          "%s: particles are written as extended XYZ, and a file of that name is "
                          "read as another format; expected a name that ends in .xyz",
                          path);
}

void other_format_hint(const struct reader *reader, struct span text, struct strbuf *hint) {
    const struct format *ending = format_of_ending(reader->path);
    const struct format *found = ending && ending->ase ? ending : format_of_text(text);
    if (!found) {
        return;
    }
    strbuf_append(hint, ": this looks like %s", found->name);
    if (!found->ase) {
        strbuf_append(hint, ", whose name ends in %s", found->endings[0]);
        return;
    }
    strbuf_append(hint,
                  "; boxes are XYZ, .gro, .pdb or .data: `ase convert -i %s -o extxyz %s box.xyz` "
                  "makes one, in angstrom",
                  found->ase, reader->path);
    if (strcmp(found->ase, "cif") == 0) { /* ASE makes an empty file of an mmCIF */
        strbuf_append(hint, "; of an mmCIF, `gemmi convert %s box.pdb`", reader->path);
    }
}
