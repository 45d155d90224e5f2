"""drawn_files.py PAIRMARK FORMAT SEED COUNT: draws COUNT files of a format and compares what pairmark reads with what was written.

An atom is a dictionary: "at" its three coordinates, in the unit of pairmark's boxes, and what else the file says of it: "name" (the
species), "velocity", "charge", "molecule". A file is its text, its atoms in the order in which they are read, and its cell (three vectors,
or None). Cells may be turned as they are read: pairs of atoms are compared by the shortest of their distances.
"""
import math
import random
import re
import subprocess
import sys

SYMBOLS = "H He Li C N O F Na Mg Al Si P S Cl Ar K Ca Fe Cu Zn Ag I Xe Au U".split()


class Draw:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, share):
        return self.random.random() < share

    def one_of(self, *choices):
        return self.random.choice(choices)

    def blank(self):
        return self.one_of(" ", "  ", "\t", " \t ")

    def pad(self):
        return self.one_of("", "", "", " ", "\t")

    def number(self, value):
        """The same number as various programs write it."""
        short = ["%d" % value, "%d." % value, "%+.1f" % value, "%.0e" % value] if value in range(10) else []
        return self.one_of(repr(value), "%.17g" % value, "%.17e" % value, "%+.17E" % value, "%.17f" % value, *short)

    def coordinate(self, digits=None):
        value = self.one_of(self.random.uniform(-3, 12), self.random.uniform(-3, 12), float(self.random.randrange(10)))
        return value if digits is None else round(value, digits)


# ---- what is drawn ----


def draw_cell(draw, digits=None):
    """Of three kinds: none, along the axes, leaning in the order of LAMMPS and GROMACS."""
    kind = draw.one_of("none", "straight", "leaning")
    if kind == "none":
        return None
    edge = [round(draw.random.uniform(4, 20), digits or 6) for _ in range(3)]
    tilt = [round(draw.random.uniform(-0.49, 0.49) * e, digits or 6) for e in (edge[0], edge[0], edge[1])]
    if kind == "straight":
        tilt = [0.0] * 3
    return [[edge[0], 0.0, 0.0], [tilt[0], edge[1], 0.0], [tilt[1], tilt[2], edge[2]]]


def draw_count(draw):
    return draw.one_of(1, 2, 3, draw.random.randint(4, 12))


def join(draw, lines, ends_with_newline=True):
    newline = draw.one_of("\n", "\n", "\r\n")
    return newline.join(lines) + (newline if ends_with_newline or draw.chance(0.5) else "")


# ---- extended and plain XYZ ----


def xyz_header(draw, cell, columns):
    quotes = draw.one_of('""', "''", "{}", "[]")
    pairs = ["%s=%s%s%s" % (draw.one_of("Properties", "properties"), "", ":".join(columns), "")]
    if cell:
        numbers = draw.blank().join(draw.number(x) for vector in cell for x in vector)
        pairs.append("%s=%s%s%s" % (draw.one_of("Lattice", "lattice"), quotes[0], numbers, quotes[1]))
        pairs.append(draw.one_of("", 'pbc="T T T"', "pbc=[T,T,T]".replace(",", " ")))
    else:
        pairs.append(draw.one_of("", 'pbc="F F F"'))
    pairs += draw.random.sample(["energy=-1.5", "Time = 3", 'note="a = b, \\"c\\""', "stress='0 0 0 0 0 0 0 0 0'", "converged", "i=7", "cell_volume=3"],
                                draw.random.randint(0, 3))
    draw.random.shuffle(pairs)
    return draw.pad() + draw.blank().join(pair for pair in pairs if pair) + draw.pad()


def xyz_value(draw, atom, what):
    return {"pos": lambda: [draw.number(x) for x in atom["at"]],
            "species": lambda: [atom["name"]],
            "Z": lambda: [str(atom["Z"])],
            draw.velo: lambda: [draw.number(x) for x in atom.get("velocity", [0.0] * 3)],
            draw.charge: lambda: [draw.number(atom.get("charge", 0.0))],
            "molecule": lambda: [str(atom.get("molecule", 0))],
            "forces": lambda: [draw.number(draw.coordinate()) for _ in range(3)],
            "tag": lambda: [draw.one_of("a", "1", "#", "T")],
            "fixed": lambda: [draw.one_of("T", "F")]}[what]()


def draw_xyz(draw):
    draw.velo, draw.charge = draw.one_of("velo", "vel", "velocities"), draw.one_of("charge", "initial_charges", "q", "charges")
    plain = draw.chance(0.25)
    cell = draw_cell(draw)
    cell = cell if not plain or not cell or cell[2][0] == cell[2][1] == cell[1][0] == 0 else None
    by_number = draw.chance(0.2) and not plain
    names = [str(k) + "x" * draw.random.randint(0, 12) for k in range(300)] if draw.chance(0.2) else SYMBOLS
    atoms = [{"at": [draw.coordinate() for _ in range(3)], "name": draw.one_of(*names)} for _ in range(draw_count(draw))]
    optional = [] if plain else draw.random.sample([draw.velo, draw.charge, "molecule", "forces", "tag", "fixed"], draw.random.randint(0, 4))
    for atom in atoms:
        if by_number:
            atom["Z"] = draw.random.randint(1, 3)
            atom["name"] = ("H", "He", "Li")[atom["Z"] - 1]
        if draw.velo in optional:
            atom["velocity"] = [draw.coordinate() for _ in range(3)]
        if draw.charge in optional:
            atom["charge"] = draw.coordinate()
        if "molecule" in optional:
            atom["molecule"] = draw.random.randint(-5, 5)
    if plain:
        header = draw.one_of("", "a box", "of 1 kind", "t 0.5", "water box: at 300 K") if not cell else "  ".join(draw.number(cell[k][k]) for k in range(3))
        rows = [[atom["name"]] + [draw.number(x) for x in atom["at"]] + (["more", "0"] if draw.chance(0.3) else []) for atom in atoms]
    else:
        order = ["Z" if by_number else "species", "pos"] + optional
        draw.random.shuffle(order)
        form = {"pos": "R:3", "species": "S:1", "Z": "I:1", draw.velo: "R:3", draw.charge: "R:1", "molecule": "I:1", "forces": "R:3",
                "tag": "S:1", "fixed": "L:1"}
        header = xyz_header(draw, cell, [name + ":" + form[name] for name in order])
        rows = [[word for what in order for word in xyz_value(draw, atom, what)] for atom in atoms]
    lines = [draw.pad() + str(len(atoms)) + draw.pad(), header] + [draw.pad() + draw.blank().join(row) + draw.pad() for row in rows]
    if draw.chance(0.3):
        lines += [""] * draw.random.randint(0, 2) + [str(len(atoms)), header] + ["He 0 0 0"] * len(atoms)
    lines += [""] * draw.random.randint(0, 2)
    return draw.one_of("", "", "\ufeff") + join(draw, lines, False), atoms, cell


# ---- GROMACS: columns, nanometres, picoseconds ----


def draw_gro(draw):
    decimals = draw.one_of(3, 3, 3, 4, 5, 8)
    width = decimals + 5
    velocities = draw.chance(0.4)
    far = draw.one_of(0, 0, 900, -900)  # numbers that touch
    cell = draw_cell(draw, 3)
    atoms, lines = [], []
    residue, first = draw.one_of(1, 1, 99998, 5), draw.one_of(1, 1, 99995)
    for k in range(draw_count(draw)):
        residue += k > 0 and draw.chance(0.4)
        name = draw.one_of("OW", "HW1", "HW2", "CA", "C", "1HB2", "NA+", "CL-", "H11A", "C1'", "OP1*", "ABCDE")
        at = [round(draw.coordinate() / 10 + far, decimals) for _ in range(3)]
        row = "%5d%-5s%5s%5d" % (residue % 100000, draw.one_of("SOL", "ALA", "LIPID", "DA5"), name, (first + k) % 100000)
        row += "".join("%*.*f" % (width, decimals, x) for x in at)
        atom = {"at": [10 * x for x in at], "name": name.strip("0123456789")}
        if velocities:
            speed = [round(draw.random.uniform(-9, 9), decimals + 1) for _ in range(3)]
            row += "".join("%*.*f" % (width, decimals + 1, x) for x in speed)
            atom["velocity"] = [10 * x for x in speed]
        atoms.append(atom)
        lines.append(row + draw.one_of("", "", "  "))
    title = draw.one_of("", "water t=   1.00000 step= 5", "6", "  a title, of $ % words", "  3.0 3.0 3.0")
    v = cell or [[0.0] * 3] * 3
    numbers = [v[0][0], v[1][1], v[2][2]]
    if cell and (cell[1][0] or cell[2][0] or cell[2][1]) or draw.chance(0.2):
        numbers += [v[0][1], v[0][2], v[1][0], v[1][2], v[2][0], v[2][1]]
    last = draw.one_of(" ", "  ").join("%10.5f" % (x / 10) for x in numbers)
    frame = [title, draw.pad() + "%d" % len(atoms)] + lines + [last]
    more = frame if draw.chance(0.3) else []
    return join(draw, frame + more + [""] * draw.random.randint(0, 2), False), atoms, cell


# ---- PDB: columns, angstrom ----


def angles_of(cell):
    def angle(a, b):
        return math.degrees(math.acos(sum(x * y for x, y in zip(a, b)) / math.hypot(*a) / math.hypot(*b)))

    return [math.hypot(*v) for v in cell] + [angle(cell[1], cell[2]), angle(cell[0], cell[2]), angle(cell[0], cell[1])]


def cell_of(numbers):
    a, b, c, alpha, beta, gamma = numbers[:3] + [math.radians(x) for x in numbers[3:]]
    along = (math.cos(alpha) - math.cos(beta) * math.cos(gamma)) / math.sin(gamma)
    return [[a, 0, 0], [b * math.cos(gamma), b * math.sin(gamma), 0],
            [c * math.cos(beta), c * along, c * math.sqrt(1 - math.cos(beta) ** 2 - along ** 2)]]


def pdb_name(draw, symbol):
    """Columns 13 to 16: the element in 13-14, to the right."""
    tail = draw.one_of("", "A", "1", "'")
    return ("%2s%s" % (symbol.upper(), tail)).ljust(4)


def draw_pdb(draw):
    cell = draw_cell(draw)
    numbers = [round(x, 3 if k < 3 else 2) for k, x in enumerate(angles_of(cell))] if cell else None
    lines = draw.random.sample(["HEADER    SOMETHING", "TITLE     ATOM AND HETATM", "REMARK 350 ATOM  1", "COMPND    MOL_ID: 1;", ""],
                               draw.random.randint(0, 4))
    if cell or draw.chance(0.5):
        lines.append("CRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f%s" % (*(numbers or draw.one_of([1, 1, 1, 90, 90, 90], [0, 0, 0, 90, 90, 90])),
                                                             draw.one_of(" P 1           1", "", " P 1")))
    models, lower = draw.chance(0.3), draw.chance(0.1)
    serial = draw.one_of(1, 1, 99990, 100000, 123456)
    serials = draw.one_of("%5d", "%5X", "*****", "hybrid")
    element = draw.chance(0.7)
    atoms, rows = [], []
    for k in range(draw_count(draw)):
        symbol = draw.one_of("H", "C", "N", "O", "S", "P") if not element else draw.one_of("H", "C", "O", "Na", "Cl", "Zn", "Fe", "Ca")
        at = [round(draw.coordinate(), 3) for _ in range(3)]
        number = {"*****": "*****", "hybrid": "A%04d" % (k % 10000)}.get(serials) or serials % (serial + k)
        start = draw.one_of("ATOM  ", "HETATM") + number
        start = "%-12s" % (start.lower() if lower else start)[:12] if len(number) > 5 else start + " "
        row = start + pdb_name(draw, symbol) + " " + draw.one_of("ALA ", "HOH ", " DA ", "TIP3") + draw.one_of(" ", "A", "z", "7")
        row += "%4s%s   " % (draw.one_of("   1", "9999", " -12"), draw.one_of(" ", "A")) + "".join("%8.3f" % x for x in at)
        if element or draw.chance(0.5):
            row += "%6.2f%6.2f" % (1, draw.random.uniform(0, 99)) + draw.one_of("          ", "      PROA")
            row += "%2s%s" % (symbol.upper(), draw.one_of("", "  ", "1+", "2-")) if element else ""
        rows.append(row)
        rows += draw.random.sample(["TER", "ANISOU    1  N   ALA A   1      100    100    100      0      0      0", "REMARK"],
                                   draw.random.randint(0, 2) if draw.chance(0.2) else 0)
        atoms.append({"at": at, "name": symbol})
    lines += (["MODEL        1"] + rows + ["ENDMDL", "MODEL        2"] + rows + ["ENDMDL"]) if models else rows
    lines += draw.random.sample(["CONECT    1    2", "MASTER        0    0"], draw.random.randint(0, 2)) + draw.one_of(["END"], ["END   "], [])
    return join(draw, lines, False), atoms, cell_of(numbers) if cell else None


# ---- LAMMPS data ----


def section(draw, title, rows):
    draw.random.shuffle(rows)
    lines = []
    for row in rows:
        lines += [""] * (draw.random.random() < 0.05) + (["# a comment"] if draw.chance(0.05) else []) + [draw.pad() + draw.blank().join(row)]
    return [draw.pad() + title, ""] + lines + [""]


def draw_data(draw):
    cell = draw_cell(draw) or [[9.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 7.5]]
    style = draw.one_of("atomic", "charge", "full", "molecular", "bond", "angle")
    hinted = style != "atomic" or draw.chance(0.5)
    types = draw.one_of(1, 3, 40)
    images = draw.chance(0.4) and hinted
    labels = draw.chance(0.3)
    names = ["%s-%d" % (draw.one_of("O", "H*", "c3", "Atoms", "Na+"), t + 1) for t in range(types)]
    ids = draw.random.sample(range(1, draw.one_of(20, 10 ** 6, 9 * 10 ** 12)), draw_count(draw))
    commented = draw.chance(0.5) and not labels
    masses = labels or commented or draw.chance(0.5)
    atoms, rows, speeds = {}, [], []
    for k, number in enumerate(ids):
        t = draw.random.randrange(types)
        at = [draw.coordinate() for _ in range(3)]
        atom = {"at": at, "name": names[t] if labels or commented else str(t + 1)}
        row = [str(number)]
        if style not in ("atomic", "charge"):
            atom["molecule"] = draw.random.randint(1, 4)
            row.append(str(atom["molecule"]))
        row.append(names[t] if labels and draw.chance(0.5) else str(t + 1))
        if style in ("charge", "full"):
            atom["charge"] = draw.coordinate()
            row.append(draw.number(atom["charge"]))
        row += [draw.number(x) for x in at] + ([str(draw.random.randint(-3, 3)) for _ in range(3)] if images else [])
        rows.append(row + (["#", "5", "more"] if draw.chance(0.1) else []))
        atom["velocity"] = [draw.coordinate() for _ in range(3)]
        speeds.append([str(number)] + [draw.number(x) for x in atom["velocity"]])
        atoms[number] = atom
    if draw.chance(0.5):
        speeds = []
        for atom in atoms.values():
            del atom["velocity"]
    low = [draw.coordinate() for _ in range(3)]
    header = [["%d" % len(ids), "atoms"], ["%d" % types, "atom", "types"], ["0", "angles"], ["2", "bond types"], ["3", "extra bond per atom"]]
    for k, axis in enumerate("xyz"):
        high = low[k] + cell[k][k]
        cell[k][k] = high - low[k]
        header.append([repr(low[k]), repr(high), axis + "lo", axis + "hi"])
    tilted = any((cell[1][0], cell[2][0], cell[2][1]))
    if tilted or draw.chance(0.3):
        header.append([draw.number(cell[1][0]), draw.number(cell[2][0]), draw.number(cell[2][1]), "xy xz yz"])
    draw.random.shuffle(header)
    parts = [section(draw, "Atoms" + draw.one_of("  # ", " # ", "#", " #") + style if hinted else "Atoms", rows)]
    if masses:
        parts.append(section(draw, "Masses", [[names[t] if labels and draw.chance(0.5) else str(t + 1), "12.011"]
                                              + (["#", names[t], "of it"] if commented else []) for t in range(types)]))
    if speeds:
        parts.append(section(draw, "Velocities", speeds))
    if draw.chance(0.3):
        parts.append(section(draw, draw.one_of("Bond Coeffs # harmonic", "Bond Coeffs"), [["1", "300", "1.5"], ["2", "100", "1"]]))
    draw.random.shuffle(parts)
    if labels:  # before they are used
        parts.insert(0, section(draw, "Atom Type Labels", [[str(t + 1), names[t]] for t in range(types)]))
    lines = [draw.one_of("", "LAMMPS data file", "# 3 atoms", "2 atoms")] + [""] * draw.one_of(0, 1)
    lines += [draw.pad() + draw.blank().join(row) + draw.one_of("", "", "  # comment") for row in header] + [""]
    return join(draw, lines + [line for part in parts for line in part], False), [atoms[number] for number in sorted(atoms)], cell


# ---- what pairmark read ----


def read_back(path):
    """The extended XYZ that pairmark writes: cell or None, and columns by their names."""
    lines = open(path).read().split("\n")
    lattice = re.search(r'Lattice="([^"]*)"', lines[1])
    is_open = 'pbc="F F F"' in lines[1] or not lattice
    numbers = [float(x) for x in lattice.group(1).split()] if lattice else []
    words = re.search(r"Properties=(\S*)", lines[1]).group(1).split(":")
    columns, at = {}, 0
    for name, width in zip(words[::3], words[2::3]):
        columns[name] = (at, at + int(width))
        at += int(width)
    rows = [line.split() for line in lines[2:2 + int(lines[0])]]
    return None if is_open else [numbers[:3], numbers[3:6], numbers[6:]], rows, columns


def shortest(a, b, cell):
    d = [x - y for x, y in zip(a, b)]
    if not cell:
        return math.hypot(*d)
    for k in (2, 1, 0):  # cells of either side are lower triangles
        times = round(d[k] / cell[k][k])
        d = [x - times * v for x, v in zip(d, cell[k])]
    steps = (-1, 0, 1)
    return min(math.hypot(*(d[k] + x * cell[0][k] + y * cell[1][k] + z * cell[2][k] for k in range(3))) for x in steps for y in steps for z in steps)


def near(a, b):
    return abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))


def lower(cell):
    """Whether the vectors are in the order that shortest() takes."""
    return cell is None or (cell[0][1] == cell[0][2] == cell[1][2] == 0)


def compare(atoms, cell, path):
    got_cell, rows, columns = read_back(path)
    assert len(rows) == len(atoms), "%d atoms, not %d" % (len(rows), len(atoms))
    assert (got_cell is None) == (cell is None) and lower(got_cell), "cell %s, not %s" % (got_cell, cell)
    for got, wanted in zip(sum(got_cell or [], []), sum(cell or [], [])):
        assert near(got, wanted), "cell %s, not %s" % (got_cell, cell)
    named = columns.get("pairmark_species", columns["species"])
    at = [[float(x) for x in row[slice(*columns["pos"])]] for row in rows]
    groups = {}
    for k, (row, atom) in enumerate(zip(rows, atoms)):
        assert row[named[0]] == atom["name"], "atom %d is %s, not %s" % (k, row[named[0]], atom["name"])
        for other in range(k):
            got, wanted = shortest(at[k], at[other], got_cell), shortest(atom["at"], atoms[other]["at"], cell)
            assert near(got, wanted), "atoms %d and %d: %r apart, not %r" % (k, other, got, wanted)
        if cell is None:
            assert all(near(x, y) for x, y in zip(at[k], atom["at"])), "atom %d at %s, not %s" % (k, at[k], atom["at"])
        for what, column in (("velocity", "velo"), ("charge", "charge")):
            if what in atom:
                wanted = atom[what] if isinstance(atom[what], list) else [atom[what]]
                got = [float(x) for x in row[slice(*columns[column])]] if column in columns else [0.0] * len(wanted)
                assert all(near(x, y) for x, y in zip(got, wanted)), "%s of atom %d: %s, not %s" % (what, k, got, wanted)
        if "molecule" in atom:
            got = row[columns["molecule"][0]] if "molecule" in columns else None
            assert groups.setdefault(atom["molecule"], got) == got, "atom %d is of molecule %s" % (k, got)
    assert len(set(groups.values())) == len(groups), "molecules %s" % groups


def main():
    program, form, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    bad = 0
    for k in range(count):
        draw = Draw("%s %d %d" % (form, seed, k))
        text, atoms, cell = {"xyz": draw_xyz, "gro": draw_gro, "pdb": draw_pdb, "data": draw_data}[form](draw)
        path = "drawn-%d.%s" % (k, form)
        with open(path, "w", newline="", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([program, "box", "--box", path, "-o", "read-%s-%d.xyz" % (form, k)], capture_output=True, text=True)
        try:
            assert done.returncode == 0, done.stderr.strip()
            compare(atoms, cell, "read-%s-%d.xyz" % (form, k))
        except AssertionError as error:
            bad += 1
            print("%s, seed %d, file %d: %s\n%s" % (form, seed, k, error, text) if bad < 4 else "and file %d: %s" % (k, error))
    sys.exit(bad > 0)


main()
