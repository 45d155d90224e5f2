#!/usr/bin/env bash
# A System through calls drawn at random (moves, other cells, numbers, charges and exclusions, copies, refusals) beside one that is new at each
# evaluation: what came before must not show. PAIRMARK_SEED repeats a run.
. "$2/lib.sh" || exit 1
use_python_package
cat >sequences.py <<'P'
import copy, os, pickle, sys, time, numpy, pairmark
from seeded import device, random

charged = {"charges": True, "exclude": True}
kinds = [  # keywords of System; whether it has charges and exclusions
    (dict(potential="lj", cutoff=2.5, variant="list_lanes"), {"exclude": True}),
    (dict(potential="lj+coulomb-shift", cutoff=2.5, variant="clusters_8x8"), charged),
    (dict(potential="lj", cutoff=2.5, variant="sorted_cells"), {}),
    (dict(potential="lj", cutoff=2.5, variant="list_walk", pbc=(True, False, True)), {"exclude": True}),
    (dict(potential="lj", cutoff=2.5, variant="list_lanes", pbc=False), {}),
    (dict(potential="lj", cutoff=2.5, variant="list_lanes", long_range="pme:alpha=1,grid_x=16,grid_y=16,grid_z=16"), charged),
    (dict(eam="sutton-chen:rc=2.5"), {}),
    (dict(potential="lj", cutoff=2.5, batch=True), {}),
]


class Case:
    """What a System is to know now."""

    def __init__(self, keywords, has):
        self.keywords, self.has = dict(keywords, precision="double", device=device), has
        self.is_batch = self.keywords.pop("batch", False)
        self.draw_particles()

    def draw_particles(self):
        boxes = int(random.integers(1, 4)) if self.is_batch else 1
        sizes = [int(random.integers(0 if self.is_batch else 1, 60)) for _ in range(boxes)]
        self.n = sum(sizes)
        self.batch = numpy.repeat(numpy.arange(boxes), sizes)
        self.cells = numpy.stack([self.draw_cell() for _ in range(boxes)])
        self.draw_positions()
        self.draw_rest()

    def draw_cell(self):
        return numpy.diag(random.uniform(5.5, 8, 3)) + numpy.triu(random.uniform(-0.5, 0.5, (3, 3)), 1).T

    def draw_positions(self):
        """Of each box at some sites of a lattice, shaken, anywhere."""
        self.x = numpy.empty((self.n, 3))
        for b, cell in enumerate(self.cells):
            mine = numpy.flatnonzero(self.batch == b)
            sites = random.permutation(64)[: len(mine)]
            grid = numpy.stack([sites % 4, sites // 4 % 4, sites // 16], 1) + random.uniform(-0.05, 0.05, (len(mine), 3))
            self.x[mine] = (grid / 4 + random.integers(-2, 3, (len(mine), 3))) @ cell

    def draw_rest(self):
        self.charges = random.uniform(-1, 1, self.n) if self.has.get("charges") else None
        self.exclude = "next:1" if self.has.get("exclude") and self.n > 1 and random.random() < 0.5 else None

    def of(self):
        if self.is_batch:
            return dict(n=self.n, cell=self.cells, batch=self.batch)
        return dict(n=self.n, cell=self.cells[0], charges=self.charges, exclude=self.exclude)

    def new(self):
        return pairmark.System(**self.of(), **self.keywords)


def same(got, wanted, what):
    scale = 1 + numpy.abs(wanted).max(initial=0)
    if got.shape != wanted.shape or not numpy.abs(got - wanted).max(initial=0) <= 1e-9 * scale:
        raise AssertionError(f"{what}: {numpy.abs(got - wanted).max()} of {scale}")


def evaluate(case, system):
    with case.new() as fresh:
        wanted = fresh.evaluate(case.x)
    way = random.integers(4)
    if way == 0:
        same(system.forces(case.x), wanted.forces, "forces alone")
    elif way == 1 and not case.is_batch and "long_range" not in case.keywords:
        same(numpy.asarray(system.energies(case.x).sum()), numpy.asarray(wanted.energy), "energies")
    else:
        x = case.x.astype(case.x.dtype, order="F") if way == 2 else case.x
        for name, got, expected in zip(wanted._fields, system.evaluate(x), wanted):
            same(numpy.asarray(got), numpy.asarray(expected), name)
    return system


def shake(case, system):
    case.x = case.x + random.normal(0, random.choice([0.003, 0.03]), case.x.shape)
    return evaluate(case, system)


def place(case, system):
    case.draw_positions()
    return evaluate(case, system)


def strain(case, system):
    if case.is_batch:
        case.cells = numpy.stack([case.draw_cell() for _ in case.cells])
        system.change(cell=case.cells)
    elif case.keywords.get("pbc", True) is not False:
        case.cells = case.draw_cell()[None]
        system.set_cell(case.cells[0])
    case.draw_positions()
    return system


def change_rest(case, system):
    case.draw_rest()
    if not case.is_batch:
        system.change(charges=case.charges, exclude=case.exclude)
    return system


def change_particles(case, system):
    case.draw_particles()
    system.change(**case.of())
    return system


def copied(case, system):
    other = copy.copy(system) if random.random() < 0.5 else pickle.loads(pickle.dumps(system))
    system.close()
    return other


def refused(case, system):
    """Leaves all as it was."""
    def of(name, call):
        try:
            call()
        except (pairmark.PairmarkError, ValueError, TypeError):
            return
        raise AssertionError(f"{name} was not refused")

    nowhere = case.x.copy()
    nowhere[case.n // 2:] = numpy.nan
    if case.n:
        of("a position that is not a number", lambda: system.evaluate(nowhere))
    of("another number of positions", lambda: system.evaluate(numpy.zeros((case.n + 1, 3))))
    if case.keywords.get("pbc", True) is True:
        of("a cell without volume", lambda: system.change(cell=numpy.zeros_like(case.cells if case.is_batch else case.cells[0])))
    of("fewer types than particles", lambda: system.change(types=[0] * (case.n + 1)))
    return system


actions = [evaluate, shake, shake, shake, place, strain, change_rest, change_particles, copied, refused]
ends = time.time() + float(os.environ.get("SECONDS_OF_CALLS", 60))
turns = 0
for k in [*random.permutation(len(kinds)), *random.integers(len(kinds), size=100)]:
    case = Case(*kinds[k])
    system, done = case.new(), []
    for _ in range(12):
        if time.time() > ends and turns > 40:
            break
        action = actions[random.integers(len(actions))]
        done.append(action.__name__)
        try:
            system = action(case, system)
        except BaseException:
            print(f"{case.keywords}, n {case.n}: {' '.join(done)}", file=sys.stderr)
            raise
        turns += 1
    system.close()
    if time.time() > ends and turns > 40:
        break
print(f"{turns} calls", file=sys.stderr)
P
check 'what came before does not show' python3 sequences.py
conclude
