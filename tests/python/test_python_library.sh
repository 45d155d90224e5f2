#!/usr/bin/env bash
# pairmark.System and Random over libpairmark: forces beside plain sums of numpy and beside ASE's own calculator; arrays that it must refuse;
# random numbers.
. "$2/lib.sh" || exit 1
use_python_package
cat >system.py <<'P'
import json, os, numpy, pairmark
device = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0")
rng = numpy.random.default_rng(3)
n, edge, cutoff = 216, 7.0, 2.5
grid = numpy.stack(numpy.meshgrid(*[numpy.arange(6)] * 3), -1).reshape(-1, 3) * (edge / 6)
x = grid + rng.uniform(-0.1, 0.1, (n, 3))

def plain(x, along=(1, 1, 1)):
    """Lennard-Jones by the nearest images: forces, energy, virial."""
    d = x[:, None] - x[None]
    d -= edge * numpy.round(d / edge) * along
    r2 = (d ** 2).sum(-1)
    within = (r2 < cutoff ** 2) & ~numpy.eye(n, dtype=bool)
    s6 = numpy.where(within, 1 / numpy.where(within, r2, 1) ** 3, 0)
    f = d * (within * 24 * (2 * s6 ** 2 - s6) / numpy.where(within, r2, 1))[..., None]
    return f.sum(1), 2 * (s6 ** 2 - s6).sum(), 0.5 * numpy.einsum("ijk,ijl->kl", d, f)

with pairmark.System(n, [edge] * 3, potential="lj", cutoff=cutoff, variant="list_walk", precision="double", device=device) as melt:
    for shift in (0, 0.4, 20):  # moved beyond the skin; out of the cell
        forces, energy, virial = melt.evaluate(x + shift)
        f, e, v = plain(x)
        assert numpy.abs(forces - f).max() < 1e-9 * numpy.abs(f).max(), shift
        assert abs(energy - e) < 1e-11 * abs(e) and numpy.abs(virial - v).max() < 1e-9 * numpy.abs(v).max()
    quads = numpy.zeros((n, 4), numpy.float32)
    quads[:, :3] = x
    found = melt.forces(quads)
    assert found.shape == (n, 4) and found.dtype == numpy.float32 and numpy.abs(found[:, :3] - f).max() < 1e-4 * numpy.abs(f).max()
    for wrong, why in ((x[:5], ValueError), (x[:, :2], ValueError), (numpy.where(x > 5, numpy.nan, x), pairmark.PairmarkError)):
        try:
            melt.forces(wrong)
        except why:
            continue
        raise AssertionError(wrong)
with pairmark.System(n, [edge] * 3, pbc=(True, False, True), potential="lj", cutoff=cutoff, precision="double", device=device) as slab:
    for stretch in (1, 1.4):  # beyond the room that kernels had
        y = x * (1, stretch, 1) - (0, 9, 0)
        g, e, v = plain(y, (1, 0, 1))
        forces, energy, virial = slab.evaluate(y)
        assert numpy.abs(forces - g).max() < 1e-9 * numpy.abs(g).max() and abs(energy - e) < 1e-11 * abs(e)
        assert numpy.abs(virial - v).max() < 1e-9 * numpy.abs(v).max()
with pairmark.System(n, [edge] * 3, pbc=False, potential="lj", cutoff=cutoff, precision="double", device=device) as drop:
    g, e, v = plain(x, (0, 0, 0))
    forces, energy, virial = drop.evaluate(x)
    assert numpy.abs(forces - g).max() < 1e-9 * numpy.abs(g).max() and abs(energy - e) < 1e-11 * abs(e)
# lists, of which the arrays that the library is handed are the only copies
of = numpy.arange(n) // 3
apart, charge = of[:, None] != of[None], 0.1 * (numpy.arange(n) % 5 - 2)
for potential, given, pair in (("lj", {}, lambda r: 4 * (r ** -12 - r ** -6)),
                               ("coulomb-shift", {"charges": charge.tolist()}, lambda r: charge[:, None] * charge / r)):
    with pairmark.System(n, pbc=False, potential=potential, cutoff=cutoff, molecules=of.tolist(), exclude="molecule", precision="double", device=device,
                         **given) as bonded:
        r = numpy.sqrt(((x[:, None] - x[None]) ** 2).sum(-1)) + 9 * numpy.eye(n)
        expected = numpy.where(apart & (r < cutoff), pair(r), 0).sum() / 2
        assert abs(bonded.evaluate(x).energy - expected) < 1e-10 * abs(expected), potential
a, b = range(0, 60), numpy.arange(40, n, 3)
switching = dict(potential="rational:r0=1,n=6,m=12,dmax=inf", precision="double", device=device)
for variant, groups, paired in (("two_groups_one_pass", (a, b), False), ("coordination_tile", (a,), False), ("pairs_direct", (a[:9], b[:9]), True)):
    with pairmark.System(n, variant=variant, groups=groups, paired=paired, **switching) as coordination:
        derivatives, number, _ = coordination.evaluate(x)
    first, second = groups[0], groups[-1]
    i, j = (numpy.array(first), numpy.array(second)) if paired else map(numpy.ravel, numpy.meshgrid(first, second, indexing="ij"))
    i, j = (i[i != j], j[i != j]) if len(groups) == 2 else (i[i < j], j[i < j])
    d = x[i] - x[j]
    r = numpy.linalg.norm(d, axis=1)
    one = (-6 * r**5 / (1 + r**6) ** 2 / r)[:, None] * d
    wanted = numpy.zeros((n, 3))
    numpy.add.at(wanted, i, one)
    numpy.add.at(wanted, j, -one)
    assert abs(number - (1 / (1 + r**6)).sum()) < 1e-9 * number and numpy.abs(derivatives - wanted).max() < 1e-9, variant
answer = [{"best": "sorted_cells", "variants": [{"variant": "list_walk", "tunables": "SKIN=7"},
                                                {"variant": "sorted_cells", "tunables": "GROUP_SIZE=64"}]}]
with open("answer.json", "w") as file:
    json.dump(answer, file)
for given in (answer, "answer.json"):
    with pairmark.System(n, [edge] * 3, potential="lj", cutoff=cutoff, answer=given, precision="double", device=device) as melt:
        assert numpy.abs(melt.forces(x) - f).max() < 1e-9 * numpy.abs(f).max()
        assert melt.words.startswith("sorted_cells ") and "GROUP_SIZE=64" in melt.words.split(), melt.words
with pairmark.System(n, [edge] * 3, potential="lj", cutoff=cutoff, best_within=1, precision="double", device=device) as melt:
    for shift in (0, 0.4):
        assert numpy.abs(melt.forces(x + shift) - f).max() < 1e-9 * numpy.abs(f).max()
    assert melt.words.split()[0] in ("blocks_32", "clusters_8x8") or "SKIN=" in melt.words, melt.words
chain = numpy.stack([numpy.arange(n - 1), numpy.arange(1, n)], 1)
k, rest = rng.uniform(1, 2, n - 1), rng.uniform(0.5, 1, n - 1)
with pairmark.System(n, terms={"bonds": (chain, numpy.stack([k, rest], 1))}, variant="bonded_gather", precision="double", device=device) as bonds:
    forces, energy, virial = bonds.evaluate(x)
    d = x[1:] - x[:-1]
    r = numpy.linalg.norm(d, axis=1)
    pull, f = (k * (r - rest) / r)[:, None] * d, numpy.zeros((n, 3))
    f[:-1] += pull
    f[1:] -= pull
    assert abs(energy - 0.5 * (k * (r - rest) ** 2).sum()) < 1e-10 * energy and numpy.abs(forces - f).max() < 1e-10 * numpy.abs(f).max()
for variant in ("philox", "kiss"):
    with pairmark.Random(40000, "gaussian", variant=variant, precision="double", device=device) as normal:
        first, out = normal.draw(7), numpy.empty(40000)
        assert normal.draw(7, 1, out) is out and (out != first).all() and (normal.draw(7) == first).all()
        assert abs(first.mean()) < 0.03 and abs(first.var() - 1) < 0.05 and abs((first * out).mean()) < 0.03
        for wrong in (numpy.empty(40000, numpy.float32), numpy.empty(80000)[::2], numpy.empty(39999)):
            try:
                normal.draw(7, 0, wrong)
            except ValueError:
                continue
            raise AssertionError(wrong.shape)
with pairmark.Random(4, "words", device=device) as words:
    assert words.draw(1).dtype == numpy.uint32 and words.draw(2**64 - 1, 2**64 - 1, numpy.empty(4, numpy.int32)).any()
# Another system for a live kernel: the numbers of a new one, and nothing is compiled.
import copy, logging
lines = []
logging.getLogger("pairmark").setLevel(logging.INFO)
logging.getLogger("pairmark").addHandler(type("Keeper", (logging.Handler,), {"emit": lambda self, record: lines.append(record.getMessage())})())
words = dict(potential="lj", cutoff=cutoff, variant="list_walk", precision="double", tune={"STABLE_SORT": 1}, device=device)
with pairmark.System(n, [edge] * 3, **words) as live:
    # An interrupt while the library tells what it does is not lost.
    def stop(record):
        raise KeyboardInterrupt
    stopping = logging.Handler()
    stopping.emit = stop
    logging.getLogger("pairmark").addHandler(stopping)
    try:
        live.evaluate(x)
    except KeyboardInterrupt:
        logging.getLogger("pairmark").removeHandler(stopping)
    else:
        raise AssertionError("an interrupt was lost")
    live.evaluate(x)
    del lines[:]
    for k, m in enumerate((100, n, 57, 100, 180)):
        more = dict(charges=numpy.arange(m), exclude=[(0, 1)], types=numpy.zeros(m, int), cell=[edge + k] * 3)
        live.change(n=m, **more)
        with pairmark.System(m, **more, **words) as fresh, copy.copy(live) as again:
            for a, b, c in zip(live.evaluate(x[:m]), fresh.evaluate(x[:m]), again.evaluate(x[:m])):
                assert numpy.array_equal(a, b) and numpy.array_equal(a, c), m
            energies = live.energies(x[:m])
            assert energies.shape == (m,) and abs(energies.sum() - live.energy(x[:m])) < 1e-11 * abs(energies).sum()
        if k == 0:
            del lines[:]  # the first with types and exclusions
    assert lines and all(line.endswith("s, 0 programs compiled") for line in lines), lines
    before = live.evaluate(x[:180])
    for wrong in (dict(n=-1), dict(charges=[1]), dict(variant="sorted_cells"), dict(cutoff=-1), dict(cel=1), dict(types=[5])):
        try:
            live.change(**wrong)
        except (pairmark.PairmarkError, TypeError, ValueError):
            assert all(map(numpy.array_equal, live.evaluate(x[:180]), before)), wrong
            continue
        raise AssertionError(wrong)
assert device in [one.name for one in pairmark.devices() if not one.unusable]
assert {"forces", "neighbours", "random"} <= {one.workload for one in pairmark.variants()}
# Time steps beside velocity Verlet with forces of a System.
v = rng.normal(0, 1, (n, 3))
masses, dt = rng.uniform(1, 2, n), 0.004
words = dict(potential="lj", cutoff=cutoff, masses=masses, precision="double", device=device)
with pairmark.System(n, [edge] * 3, variant="list_walk", **words) as by_hand, pairmark.Steps(n, [edge] * 3, dt=dt, **words) as steps:
    y, u, f = x - 20, v.copy(), by_hand.forces(x)
    for _ in range(10):
        u += dt / 2 * f / masses[:, None]
        y += dt * u
        f, energy, virial = by_hand.evaluate(y)
        u += dt / 2 * f / masses[:, None]
    found = steps.take(x - 20, v, 10)
    for got, wanted in ((found.positions, y), (found.velocities, u), (found.forces, f), (found.virial, virial)):
        assert numpy.abs(got - wanted).max() < 1e-9 * (1 + numpy.abs(wanted).max())
    assert found.step == 10 and abs(found.energy - energy) < 1e-9 * abs(energy)
    assert abs(found.kinetic - (masses[:, None] * u**2).sum() / 2) < 1e-9 * found.kinetic
    again = steps.take(found.positions, found.velocities, 0, found.step)
    assert numpy.array_equal(again.velocities, found.velocities) and again.step == 10 and abs(again.energy - energy) < 1e-9 * abs(energy)
    for wrong in (lambda: steps.take(x, v[:5], 1), lambda: steps.take(x, v, -1), lambda: steps.evaluate(x), lambda: steps.change(n=1),
                  lambda: pairmark.Steps(n, [edge] * 3, dt=0, **words)):
        try:
            wrong()
        except (pairmark.PairmarkError, TypeError, ValueError):
            continue
        raise AssertionError("steps")
for wrong in (dict(variant="nothing"), dict(potential="no such"), dict(cutoff=-1), dict(charges=[1]), dict(device="cuda:99"),
              dict(tune={"GROUP_SIZE": 7}), dict(terms={"bonds": ([[0, 1]], [[1]])}), dict(precision="half"), dict(groups=([0, 0],)), dict(groups=([0], [n]))):
    try:
        pairmark.System(n, [edge] * 3, **{"potential": "lj", "cutoff": cutoff, "device": device, **wrong})
    except (pairmark.PairmarkError, ValueError):
        continue
    raise AssertionError(wrong)
P
python3 system.py >out 2>err
check 'systems' [ $? -eq 0 ]

# Terms of many bodies, by files and by parameters, also where something else changes.
cat >manybody.py <<'P'
import csv, os, sys, numpy, pairmark
device, folder = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0"), sys.argv[1]
known = {row["file"]: float(row["energy_eV"]) for row in csv.DictReader(open(f"{folder}/expected.csv"))}

def read(name):
    rows = [line.split() for line in open(f"{folder}/{name}")]
    names = sorted({row[0] for row in rows[2:]})
    return [names.index(row[0]) for row in rows[2:]], names, numpy.array([row[1:4] for row in rows[2:]], float), float(rows[1][8].strip('"'))

for name, words, usual in (("si-64.xyz", dict(three_body=f"{folder}/si.sw"), "three_body_list"),
                           ("cd-256.xyz", dict(eam=f"{folder}/ab.eam.alloy"), "eam_list")):
    types, names, x, edge = read(name)
    with pairmark.System(len(x), [edge + 1] * 3, types=types, names=names, precision="double", device=device, **words) as atoms:
        atoms.set_cell([edge] * 3)
        forces, energy, virial = atoms.evaluate(x)
        energies = atoms.energies(x)
        assert atoms.words.startswith(usual) and abs(energy - known[name]) < 1e-11 * abs(energy)
        assert abs(energies.sum() - energy) < 1e-11 * abs(energy) and energies.std() > 0.1
        assert numpy.abs(forces - numpy.loadtxt(f"{folder}/{name[:-4]}-forces.txt")).max() < 1e-11
        try:
            atoms.change(names=["X"] * len(names))
        except pairmark.PairmarkError:
            assert atoms.evaluate(x).energy == energy
        else:
            raise AssertionError("another element")
        atoms.change(n=60, types=types[:60], cell=None)
        assert abs(atoms.evaluate(x[:60]).energy - atoms.energies(x[:60]).sum()) < 1e-10
    word, found = next(iter(words)), []
    for parameters in dict(eam=("sutton-chen", "sutton-chen:c=50"), three_body=("stillinger-weber", "stillinger-weber:lambda=1"))[word]:
        with pairmark.System(len(x), [edge] * 3, precision="double", device=device, **{word: parameters}) as atoms:
            found.append(float(atoms.energy(x)))
    assert found[0] != found[1], found
types, names, x, edge = read("si-64.xyz")
for wrong in (dict(eam="none.alloy"), dict(eam=f"{folder}/si.sw"), dict(three_body=f"{folder}/ab.eam.alloy"), dict(eam="sutton-chen:b=1"), dict(eam=3),
              dict(eam="sutton-chen", potential="lj", cutoff=2.5), dict(eam="sutton-chen", three_body="stillinger-weber"), dict(eam="sutton-chen", table="x"),
              dict(three_body="stillinger-weber", variant="list_walk"), dict(potential="lj", cutoff=2.5, variant="eam_list"),
              dict(three_body="stillinger-weber", exclude=[(0, 1)])):
    try:
        pairmark.System(64, [edge] * 3, device=device, **wrong)
    except (pairmark.PairmarkError, ValueError, TypeError) as error:
        print(error)
        continue
    raise AssertionError(wrong)
P
python3 manybody.py "$tests/data/vectors/manybody" >out 2>err
check 'terms of many bodies' [ $? -eq 0 ]

if python3 -c 'import ase' 2>/dev/null; then
    cat >calculator.py <<'P'
import os, numpy
from ase.build import bulk
from ase.calculators.lj import LennardJones
from pairmark.ase import Pairmark
device = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0")
for cubic, pbc, times in ((True, True, 4), (False, True, 8), (False, (True, True, False), 8), (True, (False, False, True), 4), (True, False, 4),
                          (True, True, 1), (False, True, 2), (False, (True, True, False), 2)):  # smaller than the cutoff
    argon = bulk("Ar", "fcc", a=5.26, cubic=cubic).repeat(times)  # the primitive cell is neither along x nor upper
    argon.pbc = pbc
    argon.rattle(0.1, seed=1)
    if times == 2:  # left-handed
        argon.set_cell(argon.cell[[1, 0, 2]])
        argon.pbc = argon.pbc[[1, 0, 2]]
    other = argon.copy()
    argon.calc = Pairmark(potential="energy = 4*0.0104*((3.4/r)^12 - (3.4/r)^6) - 4*0.0104*((3.4/8.5)^12 - (3.4/8.5)^6)", cutoff=8.5,
                          variant="sorted_cells", device=device)
    other.calc = LennardJones(sigma=3.4, epsilon=0.0104, rc=8.5)
    for step in range(3):
        assert abs(argon.get_potential_energy() - other.get_potential_energy()) < 1e-9 * abs(other.get_potential_energy())
        assert numpy.abs(argon.get_forces() - other.get_forces()).max() < 1e-9
        assert numpy.abs(argon.get_stress() - other.get_stress()).max() < 1e-9, pbc
        assert numpy.abs(argon.get_potential_energies() - other.get_potential_energies()).max() < 1e-9, pbc
        for atoms in (argon, other):
            atoms.positions[3] += 0.2
            if step == 1:  # the same kernel in another cell
                atoms.set_cell(atoms.cell * [[1.01], [0.99], [1.02]], scale_atoms=True)
P
    python3 calculator.py >out 2>err
    check 'the calculator of ASE' [ $? -eq 0 ]

    cat >metals.py <<'P'
import os, sys, numpy, pairmark
from ase.build import bulk
from pairmark.ase import Pairmark
device, folder = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0"), sys.argv[1]
silicon, copper = bulk("Si", a=5.5), bulk("Cu", cubic=True).repeat((1, 2, 3))
salt = bulk("NaCl", "rocksalt", a=5.6, cubic=True)  # charges are those of the atoms, where they have some
salt.calc = Pairmark(long_range="pme", cutoff=2.5, device=device)
try:
    raise AssertionError(salt.get_potential_energy())
except pairmark.PairmarkError as error:
    assert str(error).startswith("charges"), error
salt.set_initial_charges([1.0, -1.0] * 4)
assert abs(salt.get_potential_energy() + 8 * 1.747564594633 / 5.6 * 1.0) < 1e-3, salt.get_potential_energy()
for atoms, words in ((silicon, dict(three_body=f"{folder}/si.sw")), (copper, dict(eam="sutton-chen"))):
    atoms.rattle(0.1, seed=2)
    atoms.calc = Pairmark(device=device, **words)
    stress, energy, h = atoms.get_stress(voigt=False), atoms.get_potential_energy(), 1e-5
    assert abs(atoms.get_potential_energies().sum() - energy) < 1e-10
    for k in range(9):
        found = []
        for side in (h, -h):
            strain, moved = numpy.eye(3), atoms.copy()
            strain[k // 3, k % 3] += side
            moved.calc = atoms.calc
            moved.set_cell(atoms.cell @ strain, scale_atoms=True)
            found.append(moved.get_potential_energy())
        assert abs((found[0] - found[1]) / (2 * h) / atoms.get_volume() - stress[k // 3, k % 3]) < 1e-6, k
P
    python3 metals.py "$tests/data/vectors/manybody" >out 2>err
    check 'its silicon and copper' [ $? -eq 0 ]

    cat >salt.py <<'P'
import os, numpy, pairmark
from ase.build import bulk
from pairmark.ase import Pairmark
device = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0")
salt = bulk("NaCl", "rocksalt", a=5.64, cubic=True).repeat(2)
salt.set_initial_charges([1 if symbol == "Na" else -1 for symbol in salt.symbols])
wanted = -1.747564594633 * 14.399645 / 2.82 * 32
for words in ("alpha=1", "alpha=1.1"):
    salt.calc = Pairmark(cutoff=5.6, long_range=f"pme:coulomb=14.399645,order=6,grid_x=64,grid_y=64,grid_z=64,{words}", device=device)
    assert abs(salt.get_potential_energy() - wanted) < 1e-5 * abs(wanted), (salt.get_potential_energy(), wanted)
    assert numpy.abs(salt.get_forces()).max() < 1e-4
    assert numpy.abs(salt.get_stress()[:3] * 3 * salt.get_volume() + wanted).max() < 1e-3 * abs(wanted)
with pairmark.System(8, [5] * 3, cutoff=2, charges=[1, -1] * 4, long_range="pme", device=device) as ions:
    x = numpy.random.default_rng(2).uniform(0, 5, (8, 3))
    energy = ions.energy(x)
    ions.change(exclude=[(0, 1), (3, 6)])
    assert ions.energy(x) != energy
    for wrong in (dict(long_range="ewald"), dict(long_range="pme:order=9"), dict(potential="ewald-real", cutoff=2), dict(cell=None)):
        try:
            ions.change(**wrong)
        except pairmark.PairmarkError:
            continue
        raise AssertionError(wrong)
P
    python3 salt.py >out 2>err
    check 'its rock salt' [ $? -eq 0 ]
fi
conclude
