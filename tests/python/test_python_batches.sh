#!/usr/bin/env bash
# System(batch=) and neighbours(batch=): boxes of a batch as each would be alone, their energies, gradients by torch and jax where they are; the example relaxes boxes.
. "$2/lib.sh" || exit 1
use_python_package
cat >batches.py <<'P'
import os, numpy, pairmark
device = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0")
random = numpy.random.default_rng(5)
sizes = [30, 0, 1, 64, 17]
batch = numpy.repeat(numpy.arange(len(sizes)), sizes)
n = len(batch)
cells = numpy.stack([numpy.diag([5.2, 6, 7]) + numpy.array([[0, 0, 0], [0.5 * b, 0, 0], [0, -0.7 * b, 0]]) for b in range(len(sizes))])
grid = numpy.stack(numpy.meshgrid(*[numpy.arange(4)] * 3, indexing="ij"), -1).reshape(-1, 3)
x = numpy.concatenate([grid[:size] * 1.25 + 0.2 * random.random((size, 3)) for size in sizes])
words = dict(potential="lj", cutoff=2.2, precision="double", device=device)

def refused(call, error, words):
    try:
        call()
    except error as reason:
        return words in str(reason)
    return False

for cell in (cells, None):
    with pairmark.System(n, cell, batch=batch, **words) as system:
        together = system.evaluate(x)
        assert together.energy.shape == (5,) and together.virial.shape == (5, 3, 3) and together.energy[1] == together.energy[2] == 0
        assert (system.energy(x) == together.energy).all()
        assert "boxes_half" in system.words and refused(lambda: system.energies(x), pairmark.PairmarkError, "energies")
        for b in (0, 3, 4):
            mine = batch == b
            with pairmark.System(sizes[b], None if cell is None else cell[b], variant="all_pairs_loop", **words) as one:
                alone = one.evaluate(x[mine])
            for got, expected in zip(together, alone):
                got = got[mine] if got.shape == x.shape else got[b]
                assert numpy.allclose(got, expected, rtol=1e-10, atol=1e-9) and abs(expected).max() > 0.1
        for wrong in (dict(n=2, batch=[0, 1], cell=None, potential="none"), dict(n=2, batch=[1, 0]), dict(n=2, batch=[0, 1], cell=numpy.zeros((2, 3, 3)))):
            assert refused(lambda: system.change(**wrong), Exception, "") and system.evaluate(x).energy.shape == (5,)  # it is as it was
            assert (system.energy(x) == together.energy).all()
        system.change(n=2, cell=None if cell is None else cells[:2], batch=[0, 1])
        assert system.evaluate(x[:2]).energy.tolist() == [0, 0]
assert refused(lambda: pairmark.System(2, batch=[1, 0], **words), ValueError, "batch: numbers from 0, ascending")
assert refused(lambda: pairmark.System(2, cells[:1], batch=[0, 1], **words), ValueError, "batch: numbers below 1")
assert refused(lambda: pairmark.System(1, batch=[10**9], **words), ValueError, "batch: 1000000001 boxes")
assert refused(lambda: pairmark.System(n, batch=batch, variant="list_lanes", **words), pairmark.PairmarkError, "computes one box")

weights = random.random(5)
with pairmark.System(n, cells, batch=batch, **words) as system:
    expected = -weights[batch, None] * system.forces(x)
    try:
        import torch
    except ImportError:
        print("no torch")
    else:
        leaf = torch.tensor(x, requires_grad=True)
        slope, = torch.autograd.grad((torch.tensor(weights) * system.energy(leaf)).sum(), leaf)
        assert numpy.allclose(slope, expected)
        assert numpy.allclose(pairmark.System(n, cells, batch=torch.tensor(batch), **words).energy(torch.tensor(x)), system.energy(x))
    try:
        import jax
    except ImportError:
        print("no jax")
    else:
        jax.config.update("jax_enable_x64", True)
        assert numpy.allclose(jax.grad(lambda x: (weights * system.energy(x)).sum())(jax.numpy.asarray(x)), expected)
print("as alone")
P
check "boxes of a batch" python3 batches.py
cat >listed.py <<'P'
# neighbours(batch=): boxes of several sizes, each with its own cell and images, as brute force has them and as each has alone.
import itertools, os, numpy, pairmark
device = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0")
random = numpy.random.default_rng(7)
sizes, cutoff = [20, 0, 1, 33, 7, 20], 2.1
batch = numpy.repeat(numpy.arange(len(sizes)), sizes)
cells = numpy.stack([numpy.diag([3.1 + b, 4, 5.5 - 0.4 * b]) + 0.3 * b * random.normal(size=(3, 3)) for b in range(len(sizes))])
cells[2] = numpy.diag([1.5, 1.7, 30])  # smaller than the cutoff
cells[3] = cells[3][[1, 0, 2]]  # of the other hand
flags = numpy.array([[1, 1, 1], [1, 1, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0], [1, 0, 1]], bool)
x = numpy.concatenate([random.random((size, 3)) @ cell * 1.5 for size, cell in zip(sizes, cells)])

def brute(cells, flags):
    found = set()
    for b, cell in enumerate(cells):
        mine, reach = numpy.flatnonzero(batch == b), [7 if one else 0 for one in flags[b]]
        shifts = numpy.array(list(itertools.product(*(range(-k, k + 1) for k in reach))))
        far = cutoff + numpy.linalg.norm(numpy.ptp(x[mine], axis=0)) if len(mine) else 0
        for shift in shifts[numpy.linalg.norm(shifts @ cell, axis=1) <= far].tolist():
            r = x[mine][None] + shift @ cell - x[mine][:, None]
            for i, j in zip(*numpy.nonzero((r**2).sum(2) <= cutoff**2)):
                if i != j or any(shift):
                    found.add((mine[i], mine[j], *shift))
    return found

def listed(found, n=len(x)):
    first = numpy.repeat(numpy.arange(n), numpy.diff(found.row_begin)) if found.first is None else found.first
    return {(int(i), int(j), *map(int, s)) for i, j, s in zip(first, found.second, found.shifts)}

words = dict(cutoff=cutoff, batch=batch, device=device)
every = numpy.ones_like(flags)
for pbc, of_each in ((True, every), (flags, flags), ((True, True, False), numpy.tile([True, True, False], (6, 1)))):
    wanted = brute(cells, of_each)
    assert len(wanted) > 100
    for form in ("coo", "csr"):
        found = pairmark.neighbours(x, cells, pbc=pbc, form=form, entries="shifts+vectors+distances", **words)
        assert listed(found) == wanted and len(found.second) == len(wanted) == len(found.shifts), (pbc, form)
        first = numpy.repeat(numpy.arange(len(x)), numpy.diff(found.row_begin)) if form == "csr" else found.first
        r = x[found.second] - x[first] + numpy.einsum("es,esd->ed", found.shifts, cells[batch[first]])
        assert numpy.allclose(r, found.vectors) and numpy.allclose(found.distances, numpy.sqrt((r**2).sum(1))) and found.second.dtype == numpy.int32
    half = pairmark.neighbours(x, cells, pbc=pbc, half=True, **words)
    assert 2 * len(half.second) == len(wanted) and listed(half) < wanted
assert listed(pairmark.neighbours(x, None, entries="shifts", **words)) == brute(cells, 0 * flags)
more = numpy.concatenate([cells, cells[:1]])  # the last box has no particles
assert listed(pairmark.neighbours(x.tolist(), more.tolist(), form="csr", **{**words, "batch": batch.tolist()})) == brute(cells, every)
none = pairmark.neighbours(numpy.zeros((0, 3)), cells[:0], form="csr", **{**words, "batch": []})
assert len(pairmark.neighbours(x[:2], None, **{**words, "batch": [5, 2**31 - 1]}).second) == 0  # and many boxes without particles
assert len(none.second) == 0 and none.row_begin.tolist() == [0]
many = numpy.repeat(numpy.arange(40), numpy.arange(40))  # more sizes than lists are kept of large ones
y = random.random((len(many), 3)) * 5
for _ in range(2):
    assert pairmark.neighbours(y, None, **{**words, "batch": many}).first.max() < len(many)
wanted = brute(cells, every)
for form in ("coo", "csr"):  # after a call that was refused a list is as it was
    flat = cells[:2][:, [0, 1, 1]]
    assert listed(pairmark.neighbours(x, cells, form=form, entries="shifts", **words)) == wanted
    try:
        pairmark.neighbours(x[:2], flat, form=form, entries="shifts", **{**words, "batch": [0, 1]})
    except pairmark.PairmarkError as error:
        assert str(error).startswith("box 0: cell"), error
    else:
        raise AssertionError(flat)
    assert listed(pairmark.neighbours(x, cells, form=form, entries="shifts", **words)) == wanted
bad = x.copy()
bad[25, 1] = numpy.nan
for argument, given, changed in (("box 3: particle 4", bad, {}), ("batch: numbers from 0", x, {"batch": batch[::-1]}), ("batch: ", x, {"batch": batch[:-1]}),
                                 ("cell: of a batch 6 x 3 x 3", x, {"cell": cells[:5]}), ("cell: of a batch", x, {"cell": cells[0]}), ("batch: ", x, {"batch": 0.5 + batch}),
                                 ("pbc: of a batch", x, {"pbc": flags[:4]}), ("form: of a batch", x, {"form": "matrix"}), ("pbc: ", x, {"pbc": "xyz"})):
    try:
        pairmark.neighbours(given, **{"cell": cells, **words, **changed})
    except (ValueError, TypeError, pairmark.PairmarkError) as error:
        assert str(error).startswith(argument), error
    else:
        raise AssertionError(argument)

wanted = brute(cells, flags)
try:
    import torch
except ImportError:
    print("no torch")
else:
    segments = torch.tensor(batch)
    place, cell = torch.tensor(x, requires_grad=True), torch.tensor(cells, requires_grad=True)
    def energy(place, cell):
        found = pairmark.neighbours(place, cell, pbc=torch.tensor(flags), entries="shifts+vectors", **{**words, "batch": segments})
        assert listed(found) == wanted and found.vectors.requires_grad
        return ((cutoff**2 - (found.vectors**2).sum(1)).clamp(min=0)**3).sum()
    assert torch.autograd.gradcheck(energy, (place, cell), eps=1e-6, atol=1e-3, fast_mode=True)
    plain = pairmark.neighbours(torch.tensor(x, dtype=torch.float32), torch.tensor(cells), pbc=flags, **words)
    assert listed(plain) == wanted and plain.vectors.dtype == torch.float32
try:
    import jax
except ImportError:
    print("no jax")
else:
    jax.config.update("jax_enable_x64", True)
    slope = jax.grad(lambda x: (pairmark.neighbours(x, cells, pbc=flags, entries="distances", **words).distances**2).sum())(jax.numpy.asarray(x))
    found = pairmark.neighbours(x, cells, pbc=flags, **words)
    expected = numpy.zeros_like(x)
    numpy.add.at(expected, found.second, 2 * found.vectors)
    numpy.add.at(expected, found.first, -2 * found.vectors)
    assert numpy.allclose(slope, expected)
print("as alone")
P
check "lists of boxes" python3 listed.py
if [ "$(at_length yes)" ] && python3 -c 'import torch' 2>/dev/null; then
    check "an example" python3 "$tests/../share/examples/relax_boxes.py" 4 "${PAIRMARK_TEST_DEVICE:-opencl:0:0}" >out
    says_like out '^energy of a box .*, then -[0-9.]*; largest force [0-9.e-]+, median [0-9.e-]+$'
    says_like out '^gradient and forces differ by [0-9.]+(e-[0-9]+)?$'
fi
conclude
