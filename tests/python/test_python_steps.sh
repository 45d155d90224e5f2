#!/usr/bin/env bash
# pairmark.Steps with all of an Ewald sum beside `pairmark run --long-range`, from the same state to the same state; by forces of many bodies.
. "$2/lib.sh" || exit 1
use_python_package
grid=order=6,grid_x=20,grid_y=20,grid_z=20
"$pairmark" run --kind water --n 192 --density 0.05 --cutoff 4 --exclude molecule --long-range "pme:$grid" --precision double --steps 40 --dt 0.002 \
    --interaction 'lj+ewald-real:epsilon=0.05,sigma=2.5,ewald-real.alpha=0.7,ewald-real.coulomb=14.4' --variant verlet+list_walk --temperature 0.1 \
    --device "${PAIRMARK_TEST_DEVICE:-opencl:0:0}" --trajectory states.xyz --trajectory-every 40 --log log.csv --log-every 40 >out 2>err
check 'run' [ $? -eq 0 ]
cat >steps.py <<'P'
import csv, os, sys, numpy, pairmark
lines = open("states.xyz").read().splitlines()
n = int(lines[0])
frames = [[line.split() for line in lines[k + 2:k + 2 + n]] for k in (0, n + 2)]
edge = float(lines[1].split('"')[1].split()[0])
numbers = [numpy.array([row[1:] for row in frame], float) for frame in frames]  # place, charge, molecule, momentum, velocity, mass, image
places = [rows[:, :3] + edge * rows[:, 12:] for rows in numbers]
velocities = [rows[:, 8:11] for rows in numbers]
log = list(csv.DictReader(open("log.csv")))
steps = pairmark.Steps(n, [edge] * 3, dt=0.002, variant="verlet+list_walk", precision="double", potential="lj:epsilon=0.05,sigma=2.5", cutoff=4,
                       charges=numbers[0][:, 3], masses=numbers[0][:, 11], molecules=numbers[0][:, 4].astype(int), exclude="molecule",
                       long_range=f"pme:alpha=0.7,coulomb=14.4,{sys.argv[1]}", device=os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0"))
begin = steps.take(places[0], velocities[0], 0)
end = steps.take(places[0], velocities[0], 40)
assert abs(end.positions - places[0]).max() > 1e-3
assert abs(end.positions - places[1]).max() < 1e-9 and abs(end.velocities - velocities[1]).max() < 1e-9
for motion, row in ((begin, log[0]), (end, log[1])):
    assert abs(motion.energy / float(row["potential"]) - 1) < 1e-9 and abs(motion.kinetic / float(row["kinetic"]) - 1) < 1e-9
P
check 'the same steps' python3 steps.py "$grid"

cat >bodies.py <<'P'
import os, numpy, pairmark
device = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0")
edge, random = 4 * 3.61, numpy.random.default_rng(7)
sites = numpy.stack(numpy.meshgrid(*[numpy.arange(8)] * 3), -1).reshape(-1, 3)
start = sites[sites.sum(1) % 2 == 0] * 3.61 / 2 + random.uniform(-0.1, 0.1, (256, 3))
for words in (dict(eam="sutton-chen"), dict(three_body="stillinger-weber:epsilon=0.1,sigma=1.9")):
    keywords = dict(precision="double", device=device, **words)
    with pairmark.Steps(256, [edge] * 3, dt=0.01, **keywords) as steps, pairmark.System(256, [edge] * 3, **keywords) as system:
        end = steps.take(start, numpy.zeros((256, 3)), 30)
        here = system.evaluate(end.positions)
        assert abs(end.positions - start).max() > 1e-3
        assert abs(end.energy - here.energy) < 1e-10 * abs(here.energy) and abs(end.forces - here.forces).max() < 1e-10 * abs(here.forces).max()
P
check 'by forces of many bodies' python3 bodies.py
conclude
