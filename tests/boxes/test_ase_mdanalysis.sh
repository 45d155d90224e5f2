#!/usr/bin/env bash
# What pairmark writes, ASE and MDAnalysis read, both of PyPI: cell, positions, velocities and masses. Skipped where one is missing.
. "$2/lib.sh" || exit 1
python=${PAIRMARK_TEST_PYTHON:-python3}
"$python" -c 'import ase, MDAnalysis' 2>err || {
    echo "skipped: ASE and MDAnalysis are not installed ($(tail -n 1 err)); pip install ase MDAnalysis"
    exit 77
}
expect 0 box fluid@80:70:60 --n 64 --temperature 0.7 -o fluid.xyz
expect 0 box water --n 30 --temperature 2.5 -o water.xyz
expect 0 box brick --n 30 -o brick.xyz
expect 0 box salt --n 64 --temperature 1 -o salt.xyz
check 'ASE reads extended XYZ' "$python" - <<'EOF'
import ase.io, numpy
for kind in "fluid", "water", "brick", "salt":
    lines = open(kind + ".xyz").read().splitlines()
    properties = lines[1].split("Properties=")[1].split()[0].split(":")
    place, at = {}, 0
    for name, _, width in zip(properties[::3], properties[1::3], properties[2::3]):
        place[name], at = slice(at, at + int(width)), at + int(width)
    rows = [line.split() for line in lines[2:]]
    column = lambda name: numpy.array([row[place[name]] for row in rows], float)
    atoms = ase.io.read(kind + ".xyz")
    lattice = numpy.array(lines[1].split('"')[1].split(), float).reshape(3, 3)
    assert numpy.array_equal(atoms.cell.array, lattice) and atoms.pbc.all(), kind
    assert numpy.array_equal(atoms.positions, column("pos")), kind
    masses = column("masses")[:, 0] if "masses" in place else numpy.ones(len(rows))
    assert kind == "brick" or numpy.array_equal(atoms.get_masses(), masses), kind
    if "velo" in place:
        assert numpy.allclose(atoms.get_velocities(), column("velo"), rtol=1e-15, atol=0), kind
    elif kind != "brick":
        raise AssertionError(kind)
assert ase.io.read("fluid.xyz").symbols[0] == "X" and ase.io.read("water.xyz").symbols[:3].get_chemical_formula() == "H2O"
EOF
expect 0 box water@80:70:60 --n 30 --temperature 2.5 -o water.data
rm water.xyz
expect 0 box water@80:70:60 --n 30 --temperature 2.5 -o water.xyz
check 'both read LAMMPS data, MDAnalysis in units of fs' "$python" -W ignore - <<'EOF'
import ase.io, MDAnalysis, numpy
expected = ase.io.read("water.xyz")
universe = MDAnalysis.Universe("water.data", format="DATA")
close = lambda a, b: numpy.allclose(a, b, rtol=1e-6, atol=1e-5)
atoms = universe.atoms
assert close(universe.dimensions, expected.cell.cellpar()) and close(atoms.positions, expected.positions)
assert close(atoms.masses, expected.get_masses()) and close(atoms.charges[:3], [-0.8476, 0.4238, 0.4238])
assert close(atoms.velocities / 1000, expected.get_velocities())
assert list(atoms.resids[:4]) == [1, 1, 1, 2]
read = ase.io.read("water.data", format="lammps-data", units="metal")
assert close(read.get_masses(), expected.get_masses()) and close(read.cell.array, expected.cell.array)
assert close(read.get_velocities() * ase.units.Angstrom ** -1 * 1e3 * ase.units.fs, expected.get_velocities())
EOF
conclude
