#include "boxes/files/other_formats.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* The names of formats are those of ASE (https://wiki.fysik.dtu.dk/ase/ase/io/io.html). */
static const struct {
    const char *name, *ase; /* ase: NULL where pairmark reads it by a name that ends in ... */
    const char *ending;
    const char *endings[4]; /* of the file's name */
    const char *begins[6];  /* of its first line */
} formats[] = {
    { "a PDB file", NULL, ".pdb", { NULL }, { "HEADER", "CRYST1", "REMARK", "ATOM  ", "HETATM" } },
    { "a LAMMPS data file", NULL, ".data", { NULL }, { "LAMMPS" } },
    { "a LAMMPS dump", "lammps-dump-text", NULL, { ".dump", ".lammpstrj" }, { "ITEM:" } },
    { "a CIF file", "cif", NULL, { ".cif", ".mmcif" }, { "data_" } },
};
enum { FORMATS = sizeof formats / sizeof formats[0], ENDINGS = 4, BEGINS = 6 };

static bool ends_in(const char *path, const char *ending) {
    const size_t length = strlen(path);
    return length > strlen(ending) && strcasecmp(path + length - strlen(ending), ending) == 0;
}

static bool is_format(int f, const char *path, const char *line) {
    bool is = false;
    for (int e = 0; e < ENDINGS && formats[f].endings[e]; e++) {
        is = is || ends_in(path, formats[f].endings[e]);
    }
    for (int b = 0; b < BEGINS && formats[f].begins[b]; b++) {
        is = is || strncmp(line, formats[f].begins[b], strlen(formats[f].begins[b])) == 0;
    }
    return is;
}

void other_format_hint(const char *path, const char *line, struct strbuf *hint) {
    int f = 0;
    while (f < FORMATS && !is_format(f, path, line)) {
        f++;
    }
    if (f < FORMATS && !formats[f].ase) {
        strbuf_append(hint, ": this looks like %s, which is known by a name that ends in %s",
                      formats[f].name, formats[f].ending);
    } else if (f < FORMATS) {
        strbuf_append(hint,
                      ": this looks like %s; boxes are XYZ, .gro, .pdb or .data: `ase convert -i "
                      "%s -o extxyz %s box.xyz` makes one, in angstrom",
                      formats[f].name, formats[f].ase, path);
        if (strcmp(formats[f].ase, "cif") == 0) { /* ASE makes an empty file of an mmCIF */
            strbuf_append(hint, "; of an mmCIF, `gemmi convert %s box.pdb`", path);
        }
    }
}
