#!/usr/bin/env bash
# Two ways to the same thing, drawn at random, agree: many steps in one call and in several, boxes of a batch and each alone, Steps of the library and
# `pairmark run`, System and `pairmark eval`. PAIRMARK_SEED repeats a run; SECONDS_OF_CALLS says how long it goes on.
. "$2/lib.sh" || exit 1
use_python_package
cat >ways.py <<'P'
import csv, json, os, subprocess, sys, time, numpy, pairmark
from seeded import device, random

pick = lambda *values: values[random.integers(len(values))]
# By rounding alone; what starts with a difference of it doubles it every few steps.
allowed = {"double": 1e-9, "mixed": 2e-4, "float": 2e-3}
drawn = {}
forces = ("list_walk", "list_lanes", "all_pairs_tile", "list_columns", "sorted_cells", "list_half", "cell_star", "clusters_8x8", "list_clusters")
integrators = (("verlet", ""), ("verlet_fused", ""), ("leapfrog", ""), ("langevin", "langevin:temperature=1,friction=2,seed=77"),
               ("nose_hoover", "nose-hoover:temperature=1.2,time=0.1,chain=3"), ("berendsen", "berendsen:temperature=0.7,time=0.2"),
               ("rescale", "rescale:temperature=1.5,interval=10"), ("verlet_field", ""))


def alike(one, other, allowed, what):
    one, other = numpy.asarray(one, float), numpy.asarray(other, float)
    off = abs(one - other).max(initial=0)
    assert one.shape == other.shape and off <= allowed * (1 + abs(other).max(initial=0)), f"{what}: off by {off:g}"


def draw(**values):
    drawn.update(values)
    return values


def box_of(n, density, leans):
    """Particles on a lattice that is shaken, in a cell that may lean."""
    edge = (n / density) ** (1 / 3)
    cell = numpy.diag(edge * numpy.array([1, 1.1, 1 / 1.1]))
    cell[[1, 2, 2], [0, 0, 1]] = edge * random.uniform(-0.3, 0.3, 3) * leans
    m = int(numpy.ceil(max(n, 1) ** (1 / 3)))
    sites = numpy.stack(numpy.meshgrid(*[numpy.arange(m)] * 3), -1).reshape(-1, 3)[random.permutation(m**3)[:n]]
    return cell, ((sites + random.uniform(-0.1, 0.1, (n, 3))) / m) @ cell + random.integers(-2, 3, (n, 3)) @ cell


def steps_of(n, cell, integrator, thermostat, forces, **keywords):
    return pairmark.Steps(n, cell, variant=f"{integrator}+{forces}", thermostat=thermostat or None, potential="lj", device=device, **keywords)


def many_and_one():
    integrator, thermostat = pick(*integrators)
    n, precision = int(pick(343, 512, random.integers(256, 700))), pick(*allowed)
    words = draw(integrator=integrator, thermostat=thermostat, forces=pick(*forces), precision=precision, dt=pick(0.001, 0.004), cutoff=pick(2.2, 2.5))
    if integrator == "verlet_field":
        words["field"] = draw(field="mass=0.3:-0.5:1")["field"]
    leans, count, masses = pick(0, 1), int(pick(2, 12, 23, 41)), random.uniform(0.5, 4, n)
    cell, x = box_of(n, 0.7, leans)
    v = random.normal(size=(n, 3)) / numpy.sqrt(masses)[:, None]
    first = 0 if integrator == "nose_hoover" else int(pick(0, 9, 2**32 - 7, 10**12))
    draw(n=n, leans=leans, count=count, first=first)
    with steps_of(n, cell, masses=masses, **words) as steps:
        together = steps.take(x, v, count, first)
        parts = pick([1] * count, [count - 1, 1], [1, count - 1], [count // 2, 0, count - count // 2])
        state = pairmark.Motion(x, v, None, first, 0, None, None)
        for part in parts:
            state = steps.take(state.positions, state.velocities, part, state.step)
        assert state.step == together.step == first + count
        wide = allowed[precision] * 2 ** (count / 8)
        for name in ("positions", "velocities", "forces", "energy", "kinetic", "virial"):
            alike(getattr(state, name), getattr(together, name), wide * (100 if name in ("forces", "virial") else 1), f"{name} by {len(parts)} calls")
        assert abs(together.positions - x).max() > 1e-3


def batch_and_alone():
    sizes = [int(pick(0, 1, 2, 31, 32, 33, 65, random.integers(3, 300))) for _ in range(int(pick(0, 1, 2, 8, 16, 40)))] + [7]
    precision, variant = pick(*allowed), pick("boxes_half", "boxes_tile", "list_boxes")
    potential, exclude = pick("lj", "lj+coulomb-shift", "lj-shift"), pick(None, "next:2", "molecule")
    leans, is_open = pick(0, 1), pick(False, False, True)
    draw(sizes=sizes, precision=precision, variant=variant, potential=potential, exclude=exclude, leans=leans, is_open=is_open)
    n, batch = sum(sizes), numpy.repeat(numpy.arange(len(sizes)), sizes)
    made = [box_of(max(size, 60), 0.6, leans) for size in sizes]
    cells, x = numpy.stack([cell for cell, _ in made]), numpy.concatenate([x[:size] for (_, x), size in zip(made, sizes)])
    charges, molecules = random.uniform(-1, 1, n), numpy.arange(n) // 3
    if is_open:
        x = numpy.concatenate([x[batch == b] - cell.sum(0) * random.integers(2) for b, cell in enumerate(cells)])

    def result(of, variant, cell, **more):
        words = dict(potential=potential, cutoff=1.9, precision=precision, device=device, variant=variant, charges=charges[of], molecules=molecules[of], exclude=exclude)
        with pairmark.System(int(of.sum()), None if is_open else cell, **words, **more) as system:
            return system.evaluate(x[of])

    together = result(batch >= 0, variant, cells, batch=batch)
    for b in range(len(sizes)):
        mine = batch == b
        alone = result(mine, pick("all_pairs_loop", "all_pairs_tile", "list_walk"), cells[b])
        for name in ("forces", "energy", "virial"):
            got, expected = getattr(together, name), getattr(alone, name)
            alike(got[mine] if name == "forces" else got[b], expected, allowed[precision], f"{name} of box {b}")


def frames(path, n):
    """Places, with images, velocities, charges and masses of each frame, and the cell."""
    lines = open(path).read().splitlines()
    for at in range(0, len(lines), n + 2):
        cell = numpy.array(lines[at + 1].split('"')[1].split(), float).reshape(3, 3)
        columns, names, first = {}, lines[at + 1].split("Properties=")[1].split()[0].split(":"), 0
        rows = [line.split() for line in lines[at + 2:at + 2 + n]]
        for name, kind, count in zip(names[::3], names[1::3], map(int, names[2::3])):
            columns[name] = numpy.array([row[first:first + count] for row in rows], str if kind == "S" else float)
            first += count
        yield cell, columns


def library_and_run():
    integrator, thermostat = pick(*integrators[:2], *integrators[3:7])
    kind = pick("fluid", "melt", "gas", "salt", "brick", "fluid@75:100:65", "mixture")
    n, count = int(pick(300, 512, random.integers(200, 600))), int(pick(1, 7, 20, 43))
    words = draw(integrator=integrator, thermostat=thermostat, forces=pick(*forces), precision=pick(*allowed), dt=pick(0.0005, 0.002), cutoff=2.0)
    draw(kind=kind, n=n, count=count)
    box_seed = int(random.integers(1, 10**6))
    for name in ("states.xyz", "log.csv"):
        if os.path.exists(name):
            os.remove(name)
    line = ["--kind", kind, "--n", n, "--seed", box_seed, "--steps", count, "--dt", words["dt"], "--precision", words["precision"], "--interaction", "lj", "--cutoff", 2,
            "--variant", f"{integrator}+{words['forces']}", "--trajectory", "states.xyz", "--trajectory-every", count, "--log", "log.csv", "--log-every", count,
            "--device", device, "--temperature", 1.1, *(("--integrator" if integrator == "langevin" else "--thermostat", thermostat) if thermostat else ())]
    done = subprocess.run([sys.argv[1], "run", *map(str, line)], capture_output=True, text=True)
    if done.returncode == 3:
        return drawn.update(unsupported=done.stderr.strip()[-200:])
    assert done.returncode == 0, done.stderr[-600:]
    (cell, begin), (_, end) = frames("states.xyz", n)
    place = lambda of: of["pos"] + of["image"] @ cell if "image" in of else of["pos"]
    log = list(csv.DictReader(open("log.csv")))
    with steps_of(n, cell, masses=begin.get("masses", numpy.ones(n)).ravel(), **words) as steps:
        motion = steps.take(place(begin), begin["velo"], count)
    wide = allowed[words["precision"]] * 2 ** (count / 8)
    alike(motion.positions, place(end), wide, "positions")
    alike(motion.velocities, end["velo"], wide, "velocities")
    alike(motion.energy, float(log[-1]["potential"]), wide, "potential")
    alike(motion.kinetic, float(log[-1]["kinetic"]), wide, "kinetic")


def library_and_eval():
    kind, n = pick("fluid", "melt", "borders", "plate", "salt", "fluid@60:75:110", "uniform"), int(pick(255, 256, 257, 511, 513, random.integers(250, 900)))
    variant, precision = pick(*forces, "all_pairs_half", "list_bits", "blocks_32", "list_int32"), pick(*allowed)
    potential = pick("lj", "lj-shift", "energy = (1 - r / 1.9)^2 * exp(-r)", "lj+coulomb-shift")
    draw(kind=kind, n=n, variant=variant, precision=precision, potential=potential)
    if os.path.exists("forces.xyz"):
        os.remove("forces.xyz")
    line = ["--kind", kind, "--n", n, "--seed", random.integers(1, 10**6), "--variant", variant, "--precision", precision, "--interaction", potential, "--cutoff", 1.9,
            "--forces", "forces.xyz", "--json", "--device", device]
    done = subprocess.run([sys.argv[1], "eval", *map(str, line)], capture_output=True, text=True)
    if done.returncode in (2, 3):
        return drawn.update(unsupported=done.stderr.strip()[-200:])
    assert done.returncode == 0, done.stderr[-600:]
    (cell, box), = frames("forces.xyz", n)
    with pairmark.System(n, cell, potential=potential, cutoff=1.9, variant=variant, precision=precision, device=device,
                         charges=box.get("charge", numpy.zeros(n)).ravel()) as system:
        found = system.evaluate(box["pos"])
    scale = allowed[precision] * 10
    alike(found.forces, box["forces"], scale, "forces")
    alike(found.energy, json.loads(done.stdout)["energy"], scale, "energy")


ways = [many_and_one, batch_and_alone, library_and_run, library_and_eval]
ends = time.time() + float(os.environ.get("SECONDS_OF_CALLS", 25))
turns, unsupported = 0, []
while time.time() < ends or turns < 8:
    drawn.clear()
    way = ways[turns % len(ways)]
    turns += 1
    try:
        way()
    except pairmark.PairmarkError as reason:
        if reason.status != 2:
            print(f"{way.__name__}: {drawn}", file=sys.stderr)
            raise
        drawn["unsupported"] = str(reason)
    except BaseException:
        print(f"{way.__name__}: {drawn}", file=sys.stderr)
        raise
    unsupported += [drawn["unsupported"]] if "unsupported" in drawn else []
print(f"{turns} draws, {len(unsupported)} not supported: {sorted(set(unsupported))}", file=sys.stderr)
assert 2 * len(unsupported) <= turns
P
check 'two ways agree' python3 ways.py "$pairmark"
conclude
