#!/usr/bin/env bash
# What people pass to the Python package, and do with its objects: arrays of every kind, numbers that do not fit, words in another order,
# copies, pickles, children of fork(), the contract of ASE's calculators.
. "$2/lib.sh" || exit 1
use_python_package

cat >arrays.py <<'P'
import functools, os, re, numpy, pairmark
device = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0")
grid = 2 * numpy.stack(numpy.meshgrid(*[numpy.arange(4)] * 3), -1).reshape(-1, 3)
n, cell = len(grid), [8, 8, 8]
read_only = grid.astype(float)
read_only.flags.writeable = False
same = {"integers": grid, "small": grid.astype(numpy.int8), "columns": numpy.asfortranarray(grid.astype(float)), "list": grid.tolist(),
        "strided": numpy.repeat(grid.astype(float), 2, 0)[::2], "turned": grid.astype(float)[::-1][::-1], "big-endian": grid.astype(">f8"),
        "misaligned": numpy.frombuffer(b"_" + grid.astype(float).tobytes(), offset=1).reshape(n, 3), "wide": grid.astype(numpy.longdouble), "objects": grid.astype(object), "floats": grid.astype(numpy.float32), "read": read_only,
        "columns of four": numpy.c_[grid, numpy.ones(n)].astype(float)[:, :3],
        "mask": numpy.ma.array(grid.astype(float)), "class": grid.astype(float).view(type("Own", (numpy.ndarray,), {}))}
wrong = {"half": grid.astype(numpy.float16), "complex": grid.astype(complex), "flat": grid.ravel(), "two": grid[:, :2], "words": grid.astype(str),
         "masked": numpy.ma.array(grid.astype(float), mask=grid > 5), "ragged": [[0, 0, 0], [1, 1]], "flags": grid > 1, "nothing": None}
with pairmark.System(n, cell, potential="lj", cutoff=2.5, precision="double", device=device) as melt:
    forces, energy, _ = melt.evaluate(grid.astype(float))
    pairs = len(pairmark.neighbours(grid.astype(float), cell, 2.5, device=device).second)
    for name, x in same.items():
        found = melt.evaluate(x)
        assert type(found.forces) is numpy.ndarray and abs(found.energy - energy) < 1e-5 * abs(energy), name
        assert found.forces.dtype == (numpy.float32 if name == "floats" else float) and numpy.abs(found.forces - forces).max() < 1e-5, name
        assert len(pairmark.neighbours(x, cell, 2.5, device=device).second) == pairs, name
    for name, x in wrong.items():
        for call in (melt.evaluate, lambda y: pairmark.neighbours(y, cell, 2.5, device=device)):
            try:
                call(x)
            except (TypeError, ValueError) as error:
                assert str(error).startswith("positions: "), (name, error)
                assert name != "half" or "11 bits" in str(error), error
            else:
                raise AssertionError(name)
with pairmark.Random(9, device=device) as draws:
    drawn = draws.draw(3)
    assert (draws.draw(3, out=numpy.frombuffer(bytearray(37), numpy.float32, offset=1)) == drawn).all()
    fixed = numpy.zeros(9, numpy.float32)
    fixed.flags.writeable = False
    for out in (fixed, numpy.zeros(18, numpy.float32)[::2], numpy.zeros(9), numpy.zeros(9, ">f4"), numpy.zeros((9, 1), numpy.float32), [0.0] * 9,
                numpy.broadcast_to(numpy.float32(0), 9)):
        try:
            draws.draw(3, out=out)
        except (TypeError, ValueError) as error:
            assert "out: " in str(error), error
        else:
            raise AssertionError(out)
    assert not fixed.any()
for few in (0, 1):
    for box in (cell, None):
        with pairmark.System(few, box, potential="lj", cutoff=2.5, types=[0] * few, charges=[0.0] * few, exclude=[], device=device) as empty:
            forces, energy, virial = empty.evaluate(grid[:few].astype(float))
            assert forces.shape == (few, 3) and energy == 0 and not virial.any() and not forces.any()
        assert len(pairmark.neighbours(grid[:few], box, 2.5, device=device).second) == 0
assert len(pairmark.neighbours([], cell, 2.5).second) == 0 and len(pairmark.neighbours([[1, 1, 1]], [2, 9, 9], 2.5, device=device).second) == 2

def refused(argument, call, *words, **keywords):
    try:
        call(*words, **{"device": device, **keywords})
    except (TypeError, ValueError, pairmark.PairmarkError) as error:
        assert argument in str(error), (argument, error)
        # No words of others: functions of C, options of the program, numpy's own messages.
        assert not re.search(r"\bpm_|command line|(^| )--[a-z]|truth value|0-d|expected at least 1 argument", str(error)), error
    else:
        raise AssertionError(keywords)

# What acts is named by the keyword that brought it, whatever the library has to say of it.
for name, words in (("potential", "lj:epsilon=x"), ("potential", "energy = r +"), ("eam", "sutton-chen:x=3"), ("eam", "/no/such.eam.alloy"), ("eam", os.devnull),
                    ("three_body", "tersoff:q=1"), ("three_body", "/no/such.sw"), ("table", "/no/such.csv")):
    for variant in (None, "list_walk", "verlet+list_walk", *(("eam_list", "three_body_list") if name in ("eam", "three_body") else ())):
        for call in (pairmark.System, functools.partial(pairmark.Steps, dt=0.1)):
            try:
                call(5, cell, **{name: words}, cutoff=2.5 if name in ("potential", "table") else numpy.inf, variant=variant, device=device)
            except (ValueError, pairmark.PairmarkError) as error:
                assert str(error).startswith((name + ": ", "variant: ")), (name, words, variant, error)
            else:
                raise AssertionError(words)

shut = pairmark.System(5, cell, potential="lj", cutoff=2.5, device=device)
shut.close()
refused("closed", lambda **_: shut.change(n=3))
refused("closed", lambda **_: shut.evaluate(grid[:5].astype(float)))
bonded = dict(variant="bonded_gather", potential=None, cutoff=numpy.inf)
for argument, keywords in (
        ("groups", dict(groups=())), ("groups", dict(groups=([0], [1], [2]))), ("exclude", dict(exclude=[(0, 2**32 + 1)])), ("exclude", dict(exclude=[(0, 1, 2)])), ("exclude", dict(exclude=[(0, 1, 2), (3,)])),
        ("exclude", dict(exclude=[(0, 2**70)])), ("exclude", dict(exclude=[(0, 1.5)])), ("types", dict(types=[0] * 4 + [2**32 + 1], names=["A", "B"])),
        ("types", dict(types=["a"] * 5)), ("types", dict(types=[0] * 4)), ("types", dict(types=[numpy.nan] * 5)), ("types", dict(types=[0] * 4 + [10**9])), ("types", dict(types=[0] * 5, names=[f"T{t}" for t in range(1001)])),
        ("molecules", dict(molecules=[2**31] * 5)), ("charge", dict(charges=[numpy.nan] * 5)), ("charges", dict(charges=[1j] * 5)),
        ("charge", dict(charges=[numpy.inf] * 5)), ("mass", dict(masses=[numpy.nan] * 5)), ("masses", dict(masses=1.0)),
        ("pbc", dict(pbc=(True, False))), ("pbc", dict(pbc="xyz")), ("pbc", dict(pbc=7)), ("pbc", dict(pbc=(1, 0, -1))), ("cell", dict(cell=[8, 8, numpy.nan])), ("cell", dict(cell="abc")),
        ("cell", dict(cell=[8, 8])), ("groups", dict(groups=([0, 2**32],))), ("terms", dict(terms={"bond": ([(0, 1)], [(1, 1)])})),
        ("terms: bonds", dict(bonded, terms={"bonds": ([(0, 2**32 + 1)], [(1, 1)])})), ("terms: bonds", dict(bonded, terms={"bonds": ([(0, 1)], [1])})),
        # What does not count is not left out in silence.
        ("charges", dict(long_range="pme")), ("charges", dict(potential="lj+ewald-real:alpha=1")), ("names", dict(names=["A"])), ("paired", dict(paired=True)),
        ("paired", dict(paired=True, groups=([0, 1],))), ("terms", dict(terms={"bonds": ([(0, 1)], [(1, 1)])})), ("answer", dict(answer=[], variant="list_walk")),
        ("best_within", dict(best_within=1, tune={"SKIN": 9})), ("best_within", dict(best_within=1, variant="list_walk")), ("best_within", dict(best_within=1, terms={"bonds": ([(0, 1)], [(1, 1)])})),
        ("cutoff", dict(eam="sutton-chen", potential=None)), ("cutoff", dict(potential="rational:r0=1,dmax=2", variant="coordination_loop")),
        ("potential", dict(variant="bonded_gather", terms={"bonds": ([(0, 1)], [(1, 1)])})), ("pbc", dict(cell=None, pbc=(True, False, True))),
        ("types: 0 to 999", dict(types=[-1] * 5)), ("types: 0 to 999", dict(types=[0, 0, 0, 0, -1], names=["A"])), ("names: one for each", dict(types=[0] * 5, names=[])),
        ("names: several", dict(types=[0] * 5, names=numpy.array(3.0))), ("groups: several", dict(groups=numpy.array(3))),
        ("terms: a mapping", dict(terms=numpy.arange(3))), ("terms: a mapping", dict(terms=0)), ("cell: ", dict(cell={})), ("cell: ", dict(cell=numpy.ones((3, 3)))),
        ("cell: three vectors, or three edges, are expected, not 1 numbers, for each box", dict(batch=[0] * 5)), ("potential: the system has none", dict(potential=None, cutoff=numpy.inf)),
        ("variant: a name", dict(variant="")), ("best_within: milliseconds", dict(best_within=-1)), ("best_within: milliseconds", dict(best_within=numpy.nan)),
        ("given with the interaction's name", dict(potential="lj:epsilon=1", table=os.devnull)), ("mass 0; expected more than 0", dict(masses=[0.0] * 5)),
        ("expected a finite number", dict(charges=[numpy.inf] * 5)),
        ("variant: 'verlet+list_walk' takes time steps", dict(variant="verlet+list_walk")), ("exclusions: the system has no molecules", dict(exclude="molecule")),
        ("terms: bonded_gather needs some", dict(variant="bonded_gather", potential=None, cutoff=numpy.inf)),
        ("n: ", dict(n=-1)), ("cutoff", dict(cutoff=numpy.nan)), ("epsilon", dict(potential="lj:epsilon=nan,sigma=1"))):
    refused(argument, pairmark.System, **{"n": 5, "cell": cell, "potential": "lj", "cutoff": 2.5, **keywords})
x = grid.astype(float)
for argument, keywords in (("entries", dict(entries="vector")), ("entries", dict(entries="")), ("entries", dict(entries="indices+shifts")),
                           ("form", dict(form="xyz")), ("pbc", dict(pbc=(True, False))), ("pbc", dict(pbc=7)), ("pbc", dict(cell=numpy.diag([8.0] * 3)[None], pbc=[[1, 7, 1]], batch=[0] * len(x))), ("pbc", dict(cell=None, pbc=(True, False, False))),
                           ("pbc", dict(cell=None, pbc=(True, False, False), batch=[0] * len(x))), ("cell", dict(cell=[8, 8, numpy.inf])), ("cell", dict(cell="abc")),
                           ("cutoff", dict(cutoff=-1)), ("cutoff: 1e+09 reaches", dict(cutoff=1e9)), ("cutoff: 1e+300 reaches", dict(cutoff=1e300, pbc=(False, True, False)))):
    refused(argument, pairmark.neighbours, x, **{"cell": cell, "cutoff": 2.5, **keywords})
many = 2.5 * numpy.stack(numpy.meshgrid(*[numpy.arange(42)] * 3), -1).reshape(-1, 3)  # of whom there are 2^32 pairs, but not within the cutoff
assert len(many) ** 2 > 2**32 and len(pairmark.neighbours(many, [105] * 3, 2.6, device=device).second) == 6 * len(many)
found = pairmark.neighbours(x, cell, 2.5, entries="distances+shifts", device=device)
assert found.vectors is None and len(found.distances) == len(found.shifts) == pairs
for pbc in (True, (True, True, False)):  # wherever the particle is, in the first list and later
    for place in (numpy.nan, numpy.inf, 1e300):
        y = x.copy()
        y[7, 1] = place
        refused("particle 7:", pairmark.neighbours, y, cell, 2.5, pbc)
        assert len(pairmark.neighbours(x, cell, 2.5, pbc, device=device).second) > 0
with pairmark.System(n, cell, potential="lj", cutoff=2.5, device=device) as melt:
    refused("cell: three vectors", lambda device: melt.set_cell(None))
    refused("names", lambda device: melt.change(names=["A"]))
    refused("terms", lambda device: melt.change(terms={"bonds": ([(0, 1)], [(1, 1)])}))
    refused("terms: a mapping", lambda device: melt.change(terms=numpy.arange(2)))
    for moved in (-1, numpy.nan):
        refused("moved: a distance", lambda device: melt.evaluate(x, moved=moved))
for word in ("distribution", "variant", "precision"):
    refused(word + ": ", pairmark.Random, 9, **{word: numpy.arange(2)})
refused("variant: a name", pairmark.Random, 9, variant="")
for word in ("thermostat", "field"):
    refused(word + ": ", pairmark.Steps, 5, cell, dt=0.01, potential="lj", cutoff=2.5, **{word: "x"})
refused("best_within", pairmark.Steps, 5, cell, dt=0.01, potential="lj", cutoff=2.5, best_within=1)
refused("terms", pairmark.Steps, 5, cell, dt=0.01, potential="lj", cutoff=2.5, terms={"bonds": ([(0, 1)], [(1, 1)])})
assert pairmark.__version__.count(".") == 2
P
python3 -W error arrays.py >out 2>err
check 'arrays and numbers' [ $? -eq 0 ]

# Values of every kind for every keyword, drawn anew: an exception that says what is wrong, and whose results are used all the same.
cat >drawn.py <<'P'
import inspect, os, random, re, sys, numpy, pairmark
device, seed = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0"), int(os.environ.get("PAIRMARK_SEED") or random.randrange(10**9))
print(f"PAIRMARK_SEED={seed}", flush=True)
draw = random.Random(seed)
grid = 2.0 * numpy.stack(numpy.meshgrid(*[numpy.arange(3)] * 3), -1).reshape(-1, 3)
numbers = [None, True, 0, -1, 1, 2**31, 2**63, 2**70, -(2**40), 1.5, numpy.nan, numpy.inf, -numpy.inf, 1e300, 5e-324, 3 + 4j, numpy.int8(3)]
words = ["", "x", "lj", "lj\0x", "\ud800", "a" * 5000, b"lj", "molecule", "next:-1", "/", "none", "pme", "lj:epsilon=nan", "energy = ", "stillinger-weber",
         "verlet+list_walk", "philox", "neighbours", "eam_list", "rational:r0=1", "float", "fixed", "energy", numpy.str_("lj"), numpy.datetime64("2020")]
several = [[], (), {}, [[]], [1], [1, 2, 3], [None], ["a"], [numpy.nan] * 3, numpy.zeros(0), numpy.zeros((3, 3)), numpy.eye(3) * 6, numpy.zeros((27, 3)),
           numpy.zeros(27), grid.astype(object), grid * numpy.nan, grid.astype(complex), grid.T, grid[::2], range(27), {1}, {"bonds": 1},
           {"bonds": ([], [])}, {"bonds": ([[0, 0]], [[1, 1]])}, {"GROUP_SIZE": "x"}, {"SKIN": -1}, [(0, 99)], ([0], [1]), ([0, 1],), (None, None)]
values = [*numbers, *words, *several, object(), len]
some = dict(n=27, cell=[6] * 3, potential="lj", cutoff=2.5)
made = {pairmark.System: some, pairmark.Steps: {**some, "dt": 0.001}, pairmark.Random: dict(n=10)}
names = {kind: [name for name in inspect.signature(kind).parameters if name not in ("keywords", "device")] for kind in made}
vague = ("ctypes", "argument ", "NoneType", "object has no", "unhashable", "subscriptable", "ufunc", "embedded null", "must be real", "not supported between")

def attempt(call, *given, **keywords):
    print(call.__name__, [repr(one)[:80] for one in given], {name: repr(one)[:80] for name, one in keywords.items()}, file=sys.stderr, flush=True)
    try:
        return call(*given, **keywords)
    except (TypeError, ValueError, pairmark.PairmarkError) as error:
        assert 5 < len(str(error)) < 2500 and (isinstance(error, pairmark.PairmarkError) or re.match("[a-z_ ]+: ", str(error)) or
                                              not any(word in str(error) for word in vague)), error
    except MemoryError:
        pass

def any_of(usual):
    return draw.choice([usual] * 60 + values)

for _ in range(120):
    kind = draw.choice(list(made))
    changed = {name: draw.choice(values) for name in draw.sample(names[kind], draw.choice((1, 1, 2)))}
    one = attempt(kind, **{**made[kind], **changed, "device": device})
    if kind is pairmark.System and one:
        attempt(draw.choice((one.evaluate, one.energies, one.energy, one.forces)), any_of(grid))
        attempt(one.change, **{draw.choice(names[kind]): draw.choice(values)})
        attempt(one.set_cell, any_of([6] * 3))
        attempt(one.evaluate, any_of(grid), moved=any_of(0.1))
    elif kind is pairmark.Steps and one:
        attempt(one.take, any_of(grid), any_of(0 * grid), draw.choice((0, 2, -1, None, "x", 1.5, 2**70)), draw.choice((0, 0, *numbers)))
    elif one:
        attempt(one.draw, any_of(1), any_of(0), any_of(None))
    if one:
        one.close()
    listed = dict(positions=grid, cell=[6] * 3, cutoff=2.5, pbc=True, entries="shifts", form="coo", half=False, variant=None)
    for name in draw.sample(list(listed), draw.choice((1, 1, 2))):
        listed[name] = draw.choice(values)
    attempt(pairmark.neighbours, **listed, device=device)
P
timeout 500 python3 -W ignore drawn.py >out 2>err
code=$?
tail -n 12 err >last && mv last err
check 'whatever is passed' [ $code -eq 0 ]
cat out

cat >owners.py <<'P'
import copy, multiprocessing, os, pickle, subprocess, sys, numpy, pairmark
device = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0")
x = 2.0 * numpy.stack(numpy.meshgrid(*[numpy.arange(4)] * 3), -1).reshape(-1, 3)

def work(seed):
    return len(pairmark.neighbours(x, [8] * 3, 2.5, device=device).second)

def evaluate(system):
    return float(system.evaluate(x).energy)

def fail(seed):
    pairmark.System(5, device="none")

if __name__ == "__main__":
    system = pairmark.System(64, [9] * 3, potential="lj", cutoff=2.5, precision="double", device=device)
    system.set_cell([8] * 3)
    energy = evaluate(system)
    for other in (copy.copy(system), copy.deepcopy(system), pickle.loads(pickle.dumps(system))):
        assert abs(evaluate(other) - energy) < 1e-12 * abs(energy)
        other.close()
        other.close()
        del other
    assert abs(evaluate(system) - energy) < 1e-12 * abs(energy)
    with pairmark.Random(10, "gaussian", device=device) as one, copy.copy(one) as other:
        assert (one.draw(5) == other.draw(5)).all()
    error = pickle.loads(pickle.dumps(pairmark.PairmarkError("words", 3)))
    assert str(error) == "words" and error.status == 3
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply_async(work, [1]).get(120) == work(1)
        assert abs(pool.apply_async(evaluate, [system]).get(120) - energy) < 1e-12 * abs(energy)
        try:
            pool.apply_async(fail, [1]).get(120)
        except pairmark.PairmarkError as error:
            print(error)
    with multiprocessing.get_context("forkserver").Pool(1) as pool:
        assert pool.apply_async(work, [1]).get(120) == work(1)
    counted = subprocess.run([sys.executable, "-c", "import owners; print(owners.work(1))"], stdout=subprocess.PIPE, check=True)  # exec()
    assert int(counted.stdout) == work(1)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        for call, argument in ((work, 1), (evaluate, system), (evaluate, pairmark.System(64, batch=[0] * 64, potential="lj", cutoff=2.5, device=device))):
            try:
                pool.apply_async(call, [argument]).get(120)
            except pairmark.PairmarkError as error:
                assert "spawn" in str(error) and error.status == 7, error
            else:
                raise AssertionError("a child of fork()")
    pid = os.fork()  # which has the system itself
    if pid == 0:
        try:
            evaluate(system)
        except pairmark.PairmarkError as error:
            os._exit(0 if error.status == 7 else 1)
        os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0 and abs(evaluate(system) - energy) < 1e-12 * abs(energy)
P
timeout 300 python3 owners.py >out 2>err
check 'copies, pickles and children' [ $? -eq 0 ]

if python3 -c 'import ase' 2>/dev/null; then
    cat >contract.py <<'P'
import copy, inspect, json, os, pickle, numpy, pairmark
from ase import Atoms
from ase.build import bulk
from ase.calculators.calculator import Calculator
from ase.calculators.test import gradient_test
from ase.io import read, write
from pairmark.ase import Pairmark, neighbor_list
device = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0")
words = dict(potential="lj:epsilon=0.0104,sigma=3.4", variant="sorted_cells", device=device)
argon = bulk("Ar", a=5.4, cubic=True).repeat(4)
argon.rattle(0.1, seed=1)
argon.calc = Pairmark(cutoff=8.5, **words)
first = argon.get_potential_energy()
assert argon.calc.set(cutoff=8.5) == {} and argon.calc.results
assert argon.calc.set(cutoff=6.0) == {"cutoff": 6.0} and not argon.calc.results
second = argon.get_potential_energy()
fresh = argon.copy()
fresh.calc = Pairmark(cutoff=6.0, **words)
assert first != second and abs(second - fresh.get_potential_energy()) < 1e-12 * abs(second)
for wrong in (lambda: Pairmark(cut=6.0, **words), lambda: argon.calc.set(cutof=6.0), lambda: Pairmark(outputs="forces")):
    try:
        wrong()
    except TypeError as error:
        assert "cut" in str(error) or "outputs" in str(error), error
    else:
        raise AssertionError("a misspelt keyword")
for other in (copy.copy(argon.calc), copy.deepcopy(argon.calc), pickle.loads(pickle.dumps(argon.calc))):
    twin = argon.copy()
    twin.calc = other
    assert abs(twin.get_potential_energy() - second) < 1e-12 * abs(second)
assert abs(copy.deepcopy(argon).get_potential_energy() - second) < 1e-12 * abs(second)
told = json.loads(json.dumps(argon.calc.todict()))
again = argon.copy()
again.calc = Pairmark(**told)
assert told["cutoff"] == 6.0 and "precision" not in told and abs(again.get_potential_energy() - second) < 1e-12 * abs(second)
write("argon.traj", argon)
assert abs(read("argon.traj").get_potential_energy() - second) < 1e-9
# Keywords are those of a System, with its defaults but for the precision.
keywords = {name: one.default for name, one in inspect.signature(pairmark.System).parameters.items()}
for name in ("n", "cell", "pbc", "types", "names", "charges", "masses", "outputs", "batch"):
    del keywords[name]
assert Pairmark.default_parameters == {**keywords, "precision": "double"}
for wrong in ([1.9] * (len(argon) - 1), [1.9] * (len(argon) + 1), numpy.nan, numpy.inf, "3", None, {}, {("Ar",): 3}, {"Ar": 3}, {("Q", "Ar"): 3}, {("Ar", "Ar"): "x"}, [], [numpy.nan] * len(argon)):
    try:
        neighbor_list("ij", argon, wrong)
    except (TypeError, ValueError) as error:
        assert str(error).startswith("cutoff: "), (wrong, error)
    else:
        raise AssertionError(wrong)
for wrong in (("", argon), (3, argon), (None, argon), ("ij", None), ("ij", argon.positions)):
    try:
        neighbor_list(*wrong, 3.0)
    except (TypeError, ValueError) as error:
        assert str(error).startswith(("quantities ", "a: ase.Atoms")), (wrong, error)
    else:
        raise AssertionError(wrong)
argon.positions[5, 1] = numpy.nan
try:
    argon.get_forces()
except pairmark.PairmarkError as error:
    assert "particle 5:" in str(error)
else:
    raise AssertionError("a place that is none")
for few in (Atoms(), Atoms("Ar", cell=[20] * 3, pbc=True)):
    few.calc = Pairmark(cutoff=6.0, **words)
    assert few.get_potential_energy() == 0 and not few.get_forces().any()
P
    python3 contract.py >out 2>err
    check 'the contract of ASE' [ $? -eq 0 ]
fi
conclude
