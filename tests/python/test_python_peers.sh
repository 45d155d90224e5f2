#!/usr/bin/env bash
# The Python package beside programs of others, each where it is installed: forces on water by OpenMM, COORDINATION by PLUMED.
. "$2/lib.sh" || exit 1
use_python_package
export PAIRMARK_PROGRAM=$pairmark
has() { python3 -c "$1" >/dev/null 2>&1; }

if has 'import numpy, openmm'; then
    python3 "$tests/../share/examples/openmm_water.py" >out 2>err
    check 'OpenMM: double' awk '/^pairmark, double/ { good = $3 < 1e-12 } END { exit !good }' out
    check 'OpenMM: float' awk '/^pairmark, float/ { good = $3 < 5e-5 } END { exit !good }' out
fi

# PLUMED's package has no library of its own: PLUMED_KERNEL names one, or the package hillclimber brings it.
if has 'import numpy, plumed; plumed.Plumed()'; then
    cat >plumed_groups.py <<'P'
import numpy, pairmark, plumed
n, edge = 300, 2.6
x = numpy.random.default_rng(5).uniform(0, edge, (n, 3))
with open("box.xyz", "w") as out:
    out.write(f'{n}\nLattice="{edge} 0 0 0 {edge} 0 0 0 {edge}" Properties=species:S:1:pos:R:3\n')
    out.writelines("A {!r} {!r} {!r}\n".format(*row) for row in x.tolist())

def by_plumed(words):
    value, forces, virial = numpy.zeros(1), numpy.zeros((n, 3)), numpy.zeros((3, 3))
    it = plumed.Plumed()
    for command in (("setNatoms", n), ("setTimestep", 1.0), ("setKbT", 1.0), ("setLogFile", "/dev/null"), ("init",),
                    ("readInputLine", "c: COORDINATION " + words), ("readInputLine", "BIASVALUE ARG=c"), ("setStep", 0),
                    ("setBox", edge * numpy.eye(3)), ("setMasses", numpy.ones(n)), ("setCharges", numpy.zeros(n)), ("setPositions", x),
                    ("setForces", forces), ("setVirial", virial), ("calc",), ("getBias", value)):
        it.cmd(*command)
    return value[0], -forces, -virial

for k, (groups, words) in enumerate(((dict(group_a="1-200"), "GROUPA=1-200"),
                                     (dict(group_a="1-120", group_b="81-300"), "GROUPA=1-120 GROUPB=81-300"),
                                     (dict(group_a="1-150", group_b="151-300", pairs=True), "GROUPA=1-150 GROUPB=151-300 PAIR"))):
    value, derivatives, box = by_plumed(words + " SWITCH={RATIONAL R_0=0.45 NN=6 MM=12 D_0=0.05 D_MAX=1.2}")
    found = pairmark.evaluate("box.xyz", interaction="rational:r0=0.45,n=6,m=12,d0=0.05,dmax=1.2", forces=f"{k}.xyz", **groups)
    rows = [line.split()[5:] for line in open(f"{k}.xyz").read().splitlines()[2:]]
    assert abs(found["coordination"] - value) < 1e-12 * value, (words, found["coordination"], value)
    assert numpy.abs(numpy.array(rows, float) - derivatives).max() < 1e-9, words
    assert numpy.abs(numpy.reshape(found["box_derivatives"], (3, 3)) - box).max() < 1e-9 * numpy.abs(box).max(), words

value, derivatives, box = by_plumed("GROUPA=1-300 SWITCH={RATIONAL R_0=0.45 D_MAX=1.2}")
with pairmark.System(n, [edge] * 3, potential="rational:r0=0.45,dmax=1.2", variant="coordination_cells", precision="double") as all_pairs:
    found = all_pairs.evaluate(x)
assert abs(found.energy - value) < 1e-12 * value and numpy.abs(found.forces - derivatives).max() < 1e-9
assert numpy.abs(found.virial - box).max() < 1e-9 * numpy.abs(box).max()
P
    python3 plumed_groups.py >out 2>err
    check 'COORDINATION of PLUMED' [ $? -eq 0 ]
fi

[ $((passed + failed)) -gt 0 ] || { echo 'no OpenMM and no PLUMED for python3: pip install openmm plumed'; exit 77; }
conclude
