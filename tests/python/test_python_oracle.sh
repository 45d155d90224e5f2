#!/usr/bin/env bash
# Combinations of a System's keywords, drawn, beside sums over all pairs and images in numpy: forces, energy, virial, energies, time steps. Some
# contradict each other: an exception names the argument, and nothing is left out in silence. PAIRMARK_SEED repeats a run.
. "$2/lib.sh" || exit 1
export PAIRMARK_LIBRARY=${pairmark%/*}/libpairmark.so PYTHONPATH=$tests/../python PYTHONDONTWRITEBYTECODE=1
[ -f "$PAIRMARK_LIBRARY" ] || { echo 'no libpairmark.so beside the program: make build-tests makes it'; exit 77; }
sanitized && { echo 'built with AddressSanitizer, which python would need'; exit 77; }
python3 -c 'import numpy' 2>/dev/null || { echo 'no python3 with numpy (Debian package python3-numpy)'; exit 77; }
cat >oracle.py <<'P'
import itertools, math, os, sys, time, numpy, pairmark

seed = int(os.environ.get("PAIRMARK_SEED") or time.time_ns() % 2**31)
print(f"PAIRMARK_SEED={seed}", file=sys.stderr)
random = numpy.random.default_rng(seed)
device = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0")
RC, ALPHA, COULOMB = 2.5, 0.6, 1.5
erfc = numpy.vectorize(math.erfc, otypes=[float])
table = """type_a,type_b,function,epsilon,sigma
A,A,lj,1,1
A,B,lj,0.8,0.9
B,B,lj,0.5,1.1
"""


def lj(r, epsilon, sigma):
    s6 = (sigma / r) ** 6
    return 4 * epsilon * (s6**2 - s6), 4 * epsilon * (6 * s6 - 12 * s6**2) / r


def real_part(r, q):
    e = COULOMB * q * erfc(ALPHA * r) / r
    return e, -e / r - COULOMB * q * 2 * ALPHA / math.sqrt(math.pi) * numpy.exp(-((ALPHA * r) ** 2)) / r


class Case:
    """A box, its particles and keywords, and what is right."""

    def __init__(self):
        kind = random.choice(["cube", "leaning", "turned", "small", "slab", "wire", "open"])
        self.n = int(random.integers(2, 28))
        edge = 3.3 if kind == "small" else 6.5
        cell = numpy.diag(random.uniform(edge, edge + 1, 3))
        if kind in ("leaning", "turned", "slab"):
            cell += numpy.tril(random.uniform(-0.8, 0.8, (3, 3)), -1)
        if kind == "turned":  # of either hand
            cell = cell @ numpy.linalg.qr(random.normal(size=(3, 3)))[0]
        self.along = [bool(a) for a in {"slab": (1, 1, 0), "wire": (0, 1, 0), "open": (0, 0, 0)}.get(kind, (1, 1, 1))]
        sites = random.permutation(27)[: self.n]
        grid = numpy.stack([sites % 3, sites // 3 % 3, sites // 9], 1) + random.uniform(-0.06, 0.06, (self.n, 3))
        away = random.integers(-2, 3, (self.n, 3)) * self.along
        self.x, self.cell, self.kind = (grid / 3 + away) @ cell, cell, kind
        self.words = dict(n=self.n, cell=None if kind == "open" else cell, cutoff=RC, precision="double", device=device)
        if kind in ("slab", "wire"):
            self.words["pbc"] = tuple(self.along)
        self.types, self.q, self.out = numpy.zeros(self.n, int), numpy.zeros(self.n), set()
        self.charged = random.random() < 0.5
        potential = "lj"
        if random.random() < 0.4:
            self.types = random.integers(0, 2, self.n)
            self.words.update(types=self.types, names=["A", "B"], table=table)
        if self.charged:
            potential += f"+ewald-real:alpha={ALPHA},coulomb={COULOMB}"
            self.q = random.uniform(-1, 1, self.n)
            self.words["charges"] = self.q
        self.words["potential"] = potential
        if kind != "small" and random.random() < 0.4:
            self.draw_exclusions()
        self.words["variant"] = str(random.choice(["list_lanes", "sorted_cells", "all_pairs_loop"]))

    def draw_exclusions(self):
        way = random.choice(["pairs", "next:2", "molecule"])
        pairs = list(itertools.combinations(range(self.n), 2))
        if way == "pairs":
            chosen = [pairs[k] for k in random.permutation(len(pairs))[: random.integers(1, 9)]]
            self.words["exclude"], self.out = chosen, set(chosen)
        elif way == "next:2":
            self.words["exclude"], self.out = way, {(i, j) for i, j in pairs if j - i <= 2}
        else:
            molecules = random.integers(0, 4, self.n)
            self.words.update(exclude=way, molecules=molecules)
            self.out = {(i, j) for i, j in pairs if molecules[i] == molecules[j]}

    def right(self, x):
        """Forces, energy, virial and energies."""
        shifts = numpy.array(list(itertools.product(*[range(-7, 8) if along else [0] for along in self.along]))) @ self.cell
        r = x[None, :, None] + shifts[None, None] - x[:, None, None]  # from i to an image of j
        d = numpy.linalg.norm(r, axis=-1)
        within = (d <= RC) & (d > 0)
        for i, j in self.out:
            within[i, j] = within[j, i] = False
        i, j, s = numpy.nonzero(within)
        r, d = r[i, j, s], d[i, j, s]
        epsilon, sigma = numpy.array([[1, 0.8], [0.8, 0.5]]), numpy.array([[1, 0.9], [0.9, 1.1]])
        e, slope = lj(d, epsilon[self.types[i], self.types[j]], sigma[self.types[i], self.types[j]])
        if self.charged:
            more = real_part(d, self.q[i] * self.q[j])
            e, slope = e + more[0], slope + more[1]
        pull = (slope / d)[:, None] * r  # what j does to i
        forces, energies = numpy.zeros((self.n, 3)), numpy.zeros(self.n)
        numpy.add.at(forces, i, pull)
        numpy.add.at(energies, i, e / 2)
        return forces, energies.sum(), -0.5 * (r.T @ pull), energies


def near(got, wanted):
    return numpy.allclose(got, wanted, rtol=1e-9, atol=1e-9 * max(1, numpy.abs(wanted).max(initial=0)))


def contradict(words):
    """What keywords contradict, and how they begin the message."""
    some = [("names", dict(types=None, names=["A"], table=None)), ("paired", dict(paired=True)), ("terms", dict(terms={"bonds": ([(0, 1)], [(1, 1)])})),
            ("answer", dict(answer=[{"best": "list_lanes", "variants": [{"variant": "list_lanes", "tunables": ""}]}])), ("best_within", dict(best_within=1)),
            ("cutoff", dict(eam="sutton-chen", potential=None, table=None, variant=None, types=None, names=None, exclude=None)), ("groups", dict(groups=([0, 1],))),
            ("long_range", dict(long_range="pme", cell=None, pbc=True, charges=numpy.ones(words["n"]), potential="lj", cutoff=2.5)),
            ("types", dict(types=[0] * (words["n"] + 1), names=["A"], table=None)), ("exclu", dict(exclude="molecule", molecules=None)),
            ("dt", dict(dt=0.1)), ("table", dict(table="type_a,type_b,function,epsilon,sigma\nA,X,lj,1,1\n", types=[0] * words["n"], names=["B"]))]
    if "charges" in words:
        some.append(("charges", dict(charges=None)))
    elif words["cell"] is not None and words.get("pbc", True) is True:
        some.append(("charges", dict(long_range="pme")))
    if words["cell"] is None:
        some.append(("pbc", dict(pbc=(True, False, True))))
    return some[random.integers(len(some))]


def step(case, x, v, mass, dt, count):
    f = case.right(x)[0]
    for _ in range(count):
        v = v + dt / 2 * f / mass[:, None]
        x = x + dt * v
        f = case.right(x)[0]
        v = v + dt / 2 * f / mass[:, None]
    return x, v, f


ends, stepped = time.time() + 40, 0
for turn in range(60):
    case = Case()
    wanted = case.right(case.x)
    said = {name: given for name, given in case.words.items() if name != "device"}
    with pairmark.System(**case.words) as system:
        for _ in range(2):
            got = (*system.evaluate(case.x), system.energies(case.x))
            assert all(near(one, other) for one, other in zip(got, wanted)), (turn, case.kind, said, got[1], wanted[1])
        assert near(system.forces(case.x), wanted[0])
    argument, wrong = contradict(case.words)
    try:
        with pairmark.System(**{**case.words, **wrong}) as system:
            system.evaluate(case.x)
    except (TypeError, ValueError, pairmark.PairmarkError) as error:
        assert argument.rstrip("s") in str(error), (argument, str(error), said)
    else:
        raise AssertionError((argument, "is accepted", said))
    if all(case.along) and case.kind != "small" and "exclude" not in case.words and stepped < 8:
        stepped += 1
        mass, v = random.uniform(1, 3, case.n), random.normal(scale=0.2, size=(case.n, 3))
        words = dict(case.words, masses=mass, dt=0.002, variant="verlet+" + case.words["variant"])
        with pairmark.Steps(**words) as steps:
            after = steps.take(case.x, v, 5)
        right = step(case, case.x, v, mass, 0.002, 5)
        assert near(after.positions, right[0]) and near(after.velocities, right[1]), (turn, said)
        assert near(after.kinetic, 0.5 * (mass[:, None] * after.velocities**2).sum()) and near(after.energy, case.right(after.positions)[1])
    if time.time() > ends and turn >= 15:
        break
print(turn + 1, "cases", stepped, "of steps")
P
python3 oracle.py >out 2>err
check 'keywords beside sums over pairs' [ $? -eq 0 ]
conclude
