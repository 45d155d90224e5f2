#!/usr/bin/env bash
# Combinations of a System's keywords, drawn, beside sums over all pairs and images in numpy: forces, energy, virial, energies, time steps; then
# terms of many bodies, Ewald sums and batches, with gradients. Some contradict each other: an exception names the argument, and nothing is left
# out in silence. PAIRMARK_SEED repeats a run.
. "$2/lib.sh" || exit 1
use_python_package
cat >oracle.py <<'P'
import itertools, math, numpy, pairmark
from seeded import device, random, short

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
        shifts = shifts[numpy.linalg.norm(shifts, axis=1) <= RC + numpy.linalg.norm(numpy.ptp(x, axis=0))]
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


stepped = 0
for turn in range(8 if short else 20):
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
print(turn + 1, "cases", stepped, "of steps")
P
python3 oracle.py >out 2>err
check 'keywords beside sums over pairs' [ $? -eq 0 ]
cat >workloads.py <<'P'
import itertools, math, numpy, pairmark
from seeded import device, random, short

H = 1e-30  # of complex steps, which give slopes to rounding
try:
    import jax
    jax.config.update("jax_enable_x64", True)
except ImportError:
    jax = None
try:
    import torch
except ImportError:
    torch = None


class Box:
    """Particles near sites of a lattice one apart, in a cell of some kind."""

    def __init__(self, kinds=("cube", "leaning", "turned", "small", "slab", "wire", "open"), most=20):
        kind = self.kind = str(random.choice(kinds))
        side = 2 if kind == "small" else 4
        cell = numpy.diag(random.uniform(1.06, 1.25, 3)) * side
        if kind in ("leaning", "turned", "slab", "small"):
            cell += numpy.tril(random.uniform(-0.2, 0.2, (3, 3)), -1) * side
        if kind == "turned":  # of either hand
            cell = cell @ numpy.linalg.qr(random.normal(size=(3, 3)))[0]
        self.along = numpy.array({"slab": (1, 1, 0), "wire": (0, 1, 0), "open": (0, 0, 0)}.get(kind, (1, 1, 1)), bool)
        self.n = int(random.integers(1, min(most, side**3 - 2) + 1))
        sites = random.permutation(side**3)[: self.n]
        self.at = numpy.stack([sites % side, sites // side % side, sites // side**2], 1) / side + random.uniform(-0.02, 0.02, (self.n, 3))
        self.cell = cell
        self.x = (self.at + random.integers(-2, 3, (self.n, 3)) * self.along) @ cell
        self.words = dict(n=self.n, cell=None if kind == "open" else cell)
        if kind in ("slab", "wire"):
            self.words["pbc"] = tuple(map(bool, self.along))

    def legs(self, cutoff):
        """i, j and the way from i to an image of j, of all within the cutoff."""
        heights = 1 / numpy.linalg.norm(numpy.linalg.inv(self.cell), axis=0)
        reach = [int(cutoff / height) + 2 if along else 0 for height, along in zip(heights, self.along)]
        shifts = numpy.array(list(itertools.product(*(range(-k, k + 1) for k in reach)))) @ self.cell
        x = self.at @ self.cell
        r = x[None, :, None] + shifts - x[:, None, None]
        d = (r**2).sum(-1)
        i, j, s = numpy.nonzero((d <= cutoff**2) & (d > 0))
        return i, j, r[i, j, s]


def norm(r):
    return numpy.sqrt((r**2).sum(-1))


def add_up(values, index, n):
    """Of the last axis."""
    found = numpy.zeros((*values.shape[:-1], n), values.dtype)
    numpy.add.at(found, (..., index), values)
    return found


def slopes(energies, box, cutoff):
    """Forces, energy, virial and energies, of energies(i, j, ways from i to j) by particle."""
    i, j, r = box.legs(cutoff)
    steps = numpy.zeros((3 * box.n + 9, *r.shape), complex)
    for k in range(3 * box.n):
        steps[k, j == k // 3, k % 3] += 1j * H
        steps[k, i == k // 3, k % 3] -= 1j * H
    for k in range(9):
        steps[3 * box.n + k, :, k % 3] = 1j * H * r[:, k // 3]
    found = energies(i, j, r + steps).sum(-1).imag / H
    of_each = energies(i, j, r[None] + 0j)[0].real
    return -found[: 3 * box.n].reshape(-1, 3), of_each.sum(), -found[3 * box.n:].reshape(3, 3), of_each


def triplets(i):
    """Numbers of two legs of one centre."""
    first, second = numpy.nonzero((i[:, None] == i) & ~numpy.eye(len(i), dtype=bool))
    return first, second


# ---- eam ----

def sutton_chen(box):
    epsilon, a, n, m, c, rc = random.uniform(0.5, 2), 1.3, random.integers(7, 11), random.integers(4, 7), random.uniform(5, 20), random.uniform(1.5, 2)
    def energies(i, j, r):
        d = norm(r)
        rho = add_up((a / d) ** m, i, box.n)
        return add_up(epsilon * (a / d) ** n, i, box.n) / 2 - epsilon * c * numpy.sqrt(rho)
    return dict(eam=f"sutton-chen:epsilon={epsilon},a={a},n={n},m={m},c={c},rc={rc}"), rc, energies


def finnis_sinclair(box):
    A, d0, beta, c, c0, c1, c2 = random.uniform(0.5, 2), random.uniform(1.6, 1.9), random.uniform(-0.3, 0.3), random.uniform(1.4, 1.9), 9.0, random.uniform(-6, -3), 1.2
    def energies(i, j, r):
        d = norm(r)
        near, close = d.real < d0, d.real < c
        rho = add_up(numpy.where(near, (d - d0) ** 2 + beta * (d - d0) ** 3 / d0, 0), i, box.n)
        pairs = add_up(numpy.where(close, (d - c) ** 2 * (c0 + c1 * d + c2 * d**2), 0), i, box.n)
        return pairs / 2 - A * numpy.sqrt(rho)
    return dict(eam=f"finnis-sinclair:A={A},d={d0},beta={beta},c={c},c0={c0},c1={c1},c2={c2}"), max(c, d0), energies


# ---- three_body, by files of two elements ----

def drawn_types(box):
    return random.integers(0, 2, box.n)


def stillinger_weber(box):
    """Records of LAMMPS: epsilon, sigma, a, lambda, gamma, cos theta0, A, B, p, q, tolerance."""
    types, pairs, record = drawn_types(box), {}, {}
    for s, t in ((0, 0), (0, 1), (1, 1)):
        pairs[s, t] = pairs[t, s] = [random.uniform(0.5, 2), random.uniform(0.8, 1), random.uniform(1.6, 2), random.uniform(1, 20), random.uniform(0.8, 1.3), -1 / 3,
                                     random.uniform(3, 8), random.uniform(0.4, 0.7), 4, 0, 0]
    lines = []
    for s, t, u in itertools.product((0, 1), repeat=3):
        one = list(pairs[s, t]) if t == u else record.get((s, u, t)) or list(pairs[s, t])
        if t == u and s != t and random.random() < 0.5:
            one[3] = 7.0 if s else 8.0  # of angles of one kind of leg
        record[s, t, u] = one
        lines.append(" ".join("AB"[k] for k in (s, t, u)) + " " + " ".join(f"{number:.17g}" for number in one))
    with open("drawn.sw", "w") as file:
        file.write("\n".join(lines) + "\n")
    table = numpy.array([[[record[s, t, u] for u in (0, 1)] for t in (0, 1)] for s in (0, 1)])
    def energies(i, j, r):
        d, of = norm(r), table[types[i], types[j], types[j]].T
        epsilon, sigma, a, _, gamma, _, A, B, p, q = of[:10]
        near = d.real < a * sigma
        end = numpy.where(near, d - a * sigma, -1)
        pair = numpy.where(near, A * epsilon * (B * (sigma / d) ** p - (sigma / d) ** q) * numpy.exp(sigma / end), 0)
        first, second = triplets(i)
        first, second = first[first < second], second[first < second]
        kind = table[types[i[first]], types[j[first]], types[j[second]]].T
        cosine = (r[..., first, :] * r[..., second, :]).sum(-1) / (d[..., first] * d[..., second])
        both = near[..., first] & near[..., second]
        e = numpy.where(both, kind[3] * kind[0] * (cosine - kind[5]) ** 2 * numpy.exp((gamma * sigma / end)[..., first] + (gamma * sigma / end)[..., second]), 0)
        found = add_up(pair, i, box.n) / 2
        for index in (i[first], j[first], j[second]):
            found = found + add_up(e, index, box.n) / 3
        return found
    return dict(three_body="drawn.sw", types=types, names=["A", "B"]), 2.0, energies


def tersoff(box):
    """Records of LAMMPS: m, gamma, lambda3, c, d, cos theta0, n, beta, lambda2, B, R, D, lambda1, A."""
    types, pairs, lines, record = drawn_types(box), {}, [], {}
    for s, t in ((0, 0), (0, 1), (1, 1)):
        pairs[s, t] = pairs[t, s] = random.uniform(2, 3), random.uniform(1.5, 1.7), random.uniform(0.1, 0.25), random.uniform(20, 60)  # lambda1, R, D, A
    m = [int(random.choice([1, 3])) for _ in range(2)]
    for s, t, u in itertools.product((0, 1), repeat=3):
        lambda1, R, D, A = pairs[s, t]
        if t != u:
            _, R, D, _ = pairs[s, u]
        record[s, t, u] = [m[s], random.uniform(0.5, 1), random.uniform(0, 1), random.uniform(0.5, 2), random.uniform(0.5, 1.5), random.uniform(-1, 0.5), random.uniform(0.7, 1.3),
                           random.uniform(0.1, 0.5), lambda1 / 2, A / 4, R, D, lambda1, A]
        lines.append(" ".join("AB"[k] for k in (s, t, u)) + " " + " ".join(f"{number:.17g}" for number in record[s, t, u]))
    with open("drawn.tersoff", "w") as file:
        file.write("\n".join(lines) + "\n")
    table = numpy.array([[[record[s, t, u] for u in (0, 1)] for t in (0, 1)] for s in (0, 1)])
    def end_of(d, R, D):
        return numpy.where(d.real <= R - D, 1, numpy.where(d.real < R + D, 0.5 - 0.5 * numpy.sin(math.pi * (d - R) / (2 * D)), 0))
    def energies(i, j, r):
        d, of = norm(r), table[types[i], types[j], types[j]].T
        n, beta, lambda2, B, R, D, lambda1, A = of[6:]
        first, second = triplets(i)
        power, gamma, lambda3, c, spread, cosine0 = table[types[i[first]], types[j[first]], types[j[second]]].T[:6]
        of_leg = table[types[i[first]], types[j[second]], types[j[second]]].T  # R and D of the other leg
        cosine = (r[..., first, :] * r[..., second, :]).sum(-1) / (d[..., first] * d[..., second])
        g = gamma * (1 + c**2 / spread**2 - c**2 / (spread**2 + (cosine0 - cosine) ** 2))
        zeta = add_up(end_of(d[..., second], of_leg[10], of_leg[11]) * g * numpy.exp((lambda3 * (d[..., first] - d[..., second])) ** power), first, len(i))
        with numpy.errstate(all="ignore"):
            order = numpy.where(zeta.real > 0, (1 + (beta * zeta) ** n) ** (-1 / (2 * n)), 1)
        half = end_of(d, R, D) * (A * numpy.exp(-lambda1 * d) - order * B * numpy.exp(-lambda2 * d)) / 2
        return (add_up(half, i, box.n) + add_up(half, j, box.n)) / 2
    return dict(three_body="drawn.tersoff", types=types, names=["A", "B"]), 1.95, energies


# ---- charges ----

def pairs_of(epsilon, cutoff, n):
    def energies(i, j, r):
        d = norm(r)
        return add_up(4 * epsilon * (d**-12.0 - d**-6.0), i, n) / 2
    return energies


def complex_erfc(x):
    """By its value and slope."""
    return numpy.vectorize(math.erfc, otypes=[float])(x.real) - 1j * x.imag * 2 / math.sqrt(math.pi) * numpy.exp(-x.real**2)


def ewald(box, q, out, alpha, coulomb):
    """Sums over images and reciprocal vectors that end where nothing is left; forces, energy, virial."""
    reach = 6.2 / alpha
    def real(i, j, r):
        d = norm(r)
        return add_up(coulomb * q[i] * q[j] * complex_erfc(alpha * d) / d, i, box.n) / 2
    found = slopes(real, box, reach)
    forces, energy, virial = found[0].copy(), found[1], found[2].copy()
    for i, j in out:  # of excluded pairs all of it goes, by the nearest image
        a, b, r = box.legs(reach)
        r = min(r[(a == i) & (b == j)], key=numpy.linalg.norm)
        d = numpy.linalg.norm(r)
        e, pull = coulomb * q[i] * q[j] / d, -coulomb * q[i] * q[j] / d**3 * r
        energy, virial = energy - e, virial + numpy.outer(r, pull)
        forces[i], forces[j] = forces[i] - pull, forces[j] + pull
    inverse, volume = numpy.linalg.inv(box.cell), abs(numpy.linalg.det(box.cell))
    most = [int(6.2 * 2 * alpha / (2 * math.pi) * length) + 2 for length in numpy.linalg.norm(box.cell, axis=1)]
    m = numpy.array([one for one in itertools.product(*(range(-k, k + 1) for k in most)) if any(one)])
    k = 2 * math.pi * m @ inverse.T
    k2 = (k**2).sum(1)
    keep = k2 < (6.2 * 2 * alpha) ** 2
    k, k2 = k[keep], k2[keep]
    waves = numpy.exp(1j * box.x @ k.T)
    S = q @ waves
    weight = coulomb * 2 * math.pi / volume * numpy.exp(-k2 / (4 * alpha**2)) / k2
    of_k = weight * abs(S) ** 2
    energy += of_k.sum() - coulomb * alpha / math.sqrt(math.pi) * (q**2).sum()
    background = -coulomb * math.pi / (2 * volume * alpha**2) * q.sum() ** 2
    energy += background
    forces += 2 * q[:, None] * ((weight * (waves * S.conj()).imag) @ k)
    virial += numpy.eye(3) * (of_k.sum() + background) - numpy.einsum("k,ka,kb->ab", of_k * 2 * (1 / k2 + 1 / (4 * alpha**2)), k, k)
    return forces, energy, virial


# ---- what is compared ----

def near(got, wanted, tolerance=1e-9):
    return numpy.allclose(got, wanted, rtol=tolerance, atol=tolerance * max(1, numpy.abs(wanted).max(initial=0)))


def compare(what, system, x, wanted, tolerance=1e-9, energies=True):
    names = ("forces", "energy", "virial", "energies")
    got = (*system.evaluate(x), *([system.energies(x)] if energies else []))
    for name, one, other in zip(names, got, wanted):
        assert near(one, other, tolerance), (what, name, one, other)
    assert near(system.forces(x), wanted[0], tolerance), (what, "forces alone")


def compare_slopes(what, system, x, forces, tolerance=1e-9):
    """Gradients by jax and torch, weighed where there are several energies."""
    boxes = () if system.batch is None else (system.boxes,)
    weight = random.uniform(0.5, 2, boxes)
    wanted = -forces * (weight if not boxes else weight[system.batch][:, None])
    if jax:
        energy = lambda x: (weight * system.energy(x)).sum()
        y = jax.numpy.asarray(x)
        way = [lambda: jax.grad(energy)(y), lambda: jax.jit(jax.grad(energy))(y), lambda: jax.vmap(jax.grad(energy))(y[None])[0]][random.integers(3)]
        assert near(way(), wanted, tolerance), (what, "jax")
    if torch:
        leaf = torch.tensor(x, requires_grad=True)
        slope, = torch.autograd.grad((torch.tensor(weight) * system.energy(leaf)).sum(), leaf)
        assert near(slope.numpy(), wanted, tolerance), (what, "torch")


def many_body(kind):
    box = Box(most=14)
    words, cutoff, energies = kind(box)
    variants = ("eam_loop", "eam_list", "eam_kept", "eam_blocks") if "eam" in words else \
        ("three_body_loop", "three_body_list", "three_body_atomic", "three_body_lanes", "three_body_partial")
    words["variant"] = str(random.choice(variants))
    wanted = slopes(energies, box, cutoff)
    what = kind.__name__, box.kind, box.n, words
    with pairmark.System(**box.words, **words, precision="double", device=device) as system:
        compare(what, system, box.x, wanted)
        compare_slopes(what, system, box.x, wanted[0])


def charges():
    box = Box(("cube", "leaning", "turned"), most=14)
    q, coulomb, tables = random.uniform(-1, 1, box.n), random.uniform(0.5, 3), random.random() < 0.5
    if random.random() < 0.7:
        q -= q.mean()
    pairs = list(itertools.combinations(range(box.n), 2))
    out = [pairs[k] for k in random.permutation(len(pairs))[: random.integers(0, 4)]]
    words = dict(charges=q, exclude=out or None, cutoff=2.0, long_range=f"pme:coulomb={coulomb},alpha=1.6,order=6,grid_x=48,grid_y=48,grid_z=48")
    def both(i, j, r):
        excluded = numpy.array([(min(a, b), max(a, b)) in out for a, b in zip(i, j)], bool)
        return pairs_of(1.0, 2.0, box.n)(i[~excluded], j[~excluded], r[..., ~excluded, :])
    wanted = ewald(box, q, out, 1.6, coulomb)
    if tables:
        wanted = [one + other for one, other in zip(wanted, slopes(both, box, 2.0))]
        words["potential"] = "lj"
    words["variant"] = str(random.choice(["list_lanes", "sorted_cells", "list_walk"]))
    what = "charges", box.kind, box.n, words
    with pairmark.System(**box.words, **words, precision="double", device=device) as system:
        compare(what, system, box.x, wanted, 2e-3, energies=False)
        compare_slopes(what, system, box.x, system.forces(box.x))


def batches():
    kinds = ("open",) if random.random() < 0.3 else ("cube", "leaning")
    boxes = [Box(kinds, most=12) for _ in range(random.integers(1, 6))]
    batch = numpy.repeat(numpy.arange(len(boxes)), [box.n for box in boxes])
    right = [slopes(pairs_of(1.0, 2.0, box.n), box, 2.0) for box in boxes]
    wanted = numpy.concatenate([one[0] for one in right]), numpy.array([one[1] for one in right]), numpy.array([one[2] for one in right])
    x = numpy.concatenate([box.x for box in boxes])
    cells = None if kinds == ("open",) else numpy.array([box.cell for box in boxes])
    what = "batch", kinds, [box.n for box in boxes]
    with pairmark.System(len(x), cells, batch=batch, potential="lj", cutoff=2.0, precision="double", device=device) as system:
        compare(what, system, x, wanted, energies=False)
        compare_slopes(what, system, x, wanted[0])


cases = [lambda: many_body(sutton_chen), lambda: many_body(finnis_sinclair), lambda: many_body(stillinger_weber), lambda: many_body(tersoff), charges, batches]
for turn in range(6 if short else 18):
    cases[turn % len(cases)]()
print(turn + 1, "cases")
P
python3 workloads.py >out 2>err
check 'many bodies, charges and batches beside sums' [ $? -eq 0 ]
conclude
