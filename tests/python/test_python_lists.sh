#!/usr/bin/env bash
# pairmark.neighbours beside all pairs and images, in cells of every kind; pairmark.ase.neighbor_list beside ASE's; torch's tensors, and
# gradients through the vectors; jax's arrays.
. "$2/lib.sh" || exit 1
use_python_package
cat >lists.py <<'P'
import itertools, numpy, pairmark
from seeded import device, short
rng, n = numpy.random.default_rng(1), 40
nothing = [0, 0, 0]
cells = [(numpy.eye(3) * 7, True), ([[5, 0, 0], [1.5, 6, 0], [-1, 2, 7]], True), ([[1, 5, 2], [-4, 1, 1], [0, 2, 6]], True),
         ([[0, 5, 0], [5, 0, 0], [0, 1, 6]], True), ([[5, 0, 0], [1.5, 6, 0], [-1, 2, 7]], (True, True, False)),
         ([nothing, [0, 6, 1], [0, 0, 7]], (False, True, True)), ([[1, 2, 6], nothing, nothing], (True, False, False)), (None, True),
         (numpy.eye(3) * 6, False)]

def plain(x, cell, pbc, cutoff):
    """Rows (i, j, S), by the images of all pairs."""
    far = [range(-9, 10) if along else [0] for along in pbc]
    shifts = numpy.array(list(itertools.product(*far)))
    shifts = shifts[numpy.linalg.norm(shifts @ cell, axis=1) <= cutoff + numpy.linalg.norm(numpy.ptp(x, axis=0))]
    r = x[None, :, None] + (shifts @ cell)[None, None] - x[:, None, None]
    i, j, s = numpy.nonzero((r**2).sum(-1) <= cutoff**2)
    return {row for row in zip(i.tolist(), j.tolist(), *shifts[s].T.tolist()) if row[0] != row[1] or any(row[2:])}

cases = itertools.product(cells, ((numpy.float64, 2.5), (numpy.float32, 5.5)))
for k, ((cell, pbc), (dtype, cutoff)) in enumerate(cases):
    x = rng.uniform(-2, 8, (n, 3)).astype(dtype)
    rows, along = numpy.zeros((3, 3)) if cell is None else numpy.array(cell), numpy.broadcast_to(pbc, 3) & (cell is not None)
    wanted, tolerance = plain(x.astype(float), rows, along, cutoff), 1e-12 if dtype is numpy.float64 else 2e-5
    for form in [("coo", "csr", "matrix")[k % 3]] if short else ("coo", ("csr", "matrix")[k // 2 % 2]):
        found = pairmark.neighbours(x, cell, cutoff, pbc, form=form, entries="shifts+vectors+distances", device=device)
        part = found.second >= 0
        j, s, r, d = found.second[part], found.shifts[part], found.vectors[part], found.distances[part]
        i = found.first if form == "coo" else numpy.repeat(numpy.arange(n), found.count if form == "matrix" else numpy.diff(found.row_begin))
        assert len(i) == len(wanted) and set(zip(i.tolist(), j.tolist(), *s.T.tolist())) == wanted, (cell, pbc, dtype, cutoff, form)
        right = x[j].astype(float) + s @ rows - x[i]
        assert r.dtype == d.dtype == dtype and numpy.abs(r - right).max() < tolerance
        assert numpy.abs(d - numpy.linalg.norm(right, axis=1)).max() < tolerance
    if k % 3 == 0 or not short:
        assert 2 * len(pairmark.neighbours(x, cell, cutoff, pbc, half=True, device=device).second) == len(wanted)

assert pairmark.neighbours(numpy.zeros((0, 3)), None, 1.0, form="csr").row_begin.tolist() == [0]
for wrong in (dict(cutoff=0), dict(cutoff=numpy.inf), dict(cell=[1, 2]), dict(cell=numpy.zeros((3, 3))), dict(form="list"), dict(entries="all"),
              dict(cell=numpy.eye(3) * 9, pbc=(True, False, True), positions=x * numpy.nan), dict(variant="none")):
    try:
        pairmark.neighbours(**{"positions": x, "cutoff": 2.0, "device": device, **wrong})
    except (pairmark.PairmarkError, ValueError, TypeError):
        continue
    raise AssertionError(wrong)
P
python3 -W error lists.py >out 2>err
check 'lists beside all pairs' [ $? -eq 0 ]

if python3 -c 'import ase' 2>/dev/null; then
    cat >ase_lists.py <<'P'
import os, numpy
from ase import Atoms
from ase.build import add_adsorbate, bulk, fcc111, molecule, nanotube
from ase.neighborlist import natural_cutoffs, neighbor_list as by_ase
from pairmark.ase import neighbor_list
device, rng = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0"), numpy.random.default_rng(2)
slab = fcc111("Al", (2, 2, 3), vacuum=8)
add_adsorbate(slab, "O", 1.5)
lean = Atoms("C20O10", cell=[[6, 1, 0], [-2, 7, 1], [1, 2, 5]], pbc=True, positions=rng.uniform(-8, 12, (30, 3)))
for atoms in (bulk("Cu"), bulk("Cu", cubic=True).repeat(3), bulk("NaCl", "rocksalt", a=5.64), bulk("C", "hcp", a=2.46, c=6.7), slab, lean,
              nanotube(6, 0, length=2), molecule("CH3CH2OH"), Atoms("H"), Atoms()):
    edge = atoms.cell[0, 0] or 3.0
    for cutoff in (2.6, edge, 0.0, {("C", "C"): 3.0, (6, 8): 2.0, ("Al", "O"): 4.0, (11, 17): 6.0}, natural_cutoffs(atoms, mult=1.3) or 1):
        for own in (False, True):
            right, found = (call("ijSDd", atoms, cutoff, self_interaction=own) for call in (
                by_ase, lambda *words, **more: neighbor_list(*words, **more, device=device)))
            orders = [numpy.lexsort([*one[2].T, one[1], one[0]]) for one in (right, found)]
            for one, other in zip(right, found):
                assert one.dtype == other.dtype and one.shape == other.shape, (atoms, cutoff, own, one.shape, other.shape)
                assert numpy.abs(one[orders[0]] - other[orders[1]]).max(initial=0) < 1e-13, (atoms, cutoff, own)
            assert (numpy.diff(found[0]) >= 0).all() and (neighbor_list("d", atoms, cutoff, own, device=device) == found[4]).all()
try:
    neighbor_list("ix", bulk("Cu"), 3.0, device=device)
except ValueError as error:
    print(error)
else:
    raise AssertionError("ix")
P
    python3 -W error::RuntimeWarning ase_lists.py >out 2>err
    check 'the lists of ASE' [ $? -eq 0 ]
fi

if python3 -c 'import torch' 2>/dev/null; then
    cat >tensors.py <<'P'
import os, threading, numpy, pairmark, torch
device = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0")
x, cell = torch.rand(50, 3, dtype=torch.float32) * 6, torch.eye(3) * 6
for pbc in (True, (True, True, False)):
    found = pairmark.neighbours(x, cell, 2.5, pbc, entries="shifts+distances", device=device)
    other = pairmark.neighbours(x.numpy(), cell.numpy(), 2.5, pbc, entries="shifts+distances", device=device)
    assert found.second.dtype == torch.int32 and found.distances.dtype == torch.float32 and found.vectors is None
    assert (torch.sort(found.distances)[0].numpy() == numpy.sort(other.distances)).all() and len(found.first) > 500
lattice = torch.cartesian_prod(*[torch.arange(5.0)] * 3) * 1.2
with pairmark.System(125, [6] * 3, potential="lj", cutoff=2.5, device=device) as melt:
    moved = lattice + 0.1 * torch.rand(125, 3)
    forces, energy, virial = melt.evaluate(moved)
    moved.requires_grad_()
    (gradient,) = torch.autograd.grad(3 * melt.energy(moved), moved)
    assert torch.allclose(gradient, -3 * forces)
    assert (forces.numpy() == melt.forces(moved.detach().numpy())).all() and energy < 0 and virial.shape == (3, 3)

# What a call keeps for the next shows in none: places and cells changed in place, other kinds and numbers, room that grows, refusals, threads.
def sorted_entries(found):
    return numpy.unique(numpy.c_[tuple(numpy.asarray(part) for part in (found.first, found.second, *numpy.asarray(found.shifts).T))], axis=0)

def refused(call, error, words):
    try:
        call()
    except error as reason:
        return words in str(reason)
    return False

def agree(y, rows, **words):
    """Tensors and arrays; and what tensors have twice is the same."""
    words = dict(entries="shifts", device=device, **words)
    one, again = (pairmark.neighbours(y, rows, 2.5, **words) for _ in "ab")
    other = pairmark.neighbours(y.numpy(), rows if rows is None else numpy.asarray(rows), 2.5, **words)
    assert len(one.first) == len(again.first) and one.first.data_ptr() != again.first.data_ptr()
    for made in (one, again):
        assert len(made.first) > 100 and (words.get("half") or (sorted_entries(made) == sorted_entries(other)).all())
    return again

y, rows, known = x.clone(), cell.clone(), []
for turn in range(6):
    known.append((agree(y, rows), y.clone(), rows.clone()))
    for other in ((y.double(), rows.numpy().astype(float)), (y[:40], rows)):
        agree(*other)
    for words in (dict(pbc=(True, False, True)), dict(half=True), dict(pbc=False)):
        agree(y, rows, **words)
    y += 0.1 * torch.rand(50, 3)
    rows *= 0.99 if turn % 2 else 1.03
    rows[1, 0] += 0.1
for found, y, rows in known:  # nobody has written to lists of before
    assert (sorted_entries(found) == sorted_entries(pairmark.neighbours(y.numpy(), rows.numpy(), 2.5, entries="shifts", device=device))).all()
agree(0.2 * x, cell)
agree(x, cell)
nowhere = x.clone()
nowhere[7, 1] = float("nan")
words = dict(entries="shifts", device=device)
for _ in "ab":
    assert refused(lambda: pairmark.neighbours(nowhere, cell, 2.5, **words), pairmark.PairmarkError, "particle 7:")
    assert refused(lambda: pairmark.neighbours(x, float("nan") * cell, 2.5, **words), ValueError, "cell: ")
    assert refused(lambda: pairmark.neighbours(x, cell, 2.5, half=1, **words), TypeError, "half: ")
    assert refused(lambda: pairmark.neighbours(x, cell, 2.5, 1.0, **words), ValueError, "pbc: ")
    assert refused(lambda: pairmark.neighbours(x, cell, 2.5, entries=["shifts"]), ValueError, "entries: ")
    agree(x, cell)
for leaf, rows in ((x.clone().requires_grad_(), cell), (x, cell.clone().requires_grad_())):
    assert pairmark.neighbours(leaf, rows, 2.5, device=device).vectors.requires_grad and not pairmark.neighbours(x, cell, 2.5, device=device).vectors.requires_grad

with pairmark.System(125, [6] * 3, potential="lj", cutoff=2.5, precision="double", device=device) as melt:
    known = {}
    for kind in (torch.float64, torch.float32):
        for turn in range(3):
            y = (lattice + 0.1 * turn * torch.rand(125, 3)).to(kind)
            forces, energy, virial = melt.evaluate(y.numpy())
            for given in (y, torch.nn.functional.pad(y, (0, 1)), y.T.contiguous().T, y):
                made, wide = melt.forces(given), melt.evaluate(given)
                for one in (made, wide.forces):
                    assert one.dtype is kind and one.shape == given.shape and torch.allclose(one[:, :3], torch.tensor(forces), 1e-5, 1e-4) and not one[:, 3:].any()
                assert abs(float(wide.energy) - energy) < 1e-5 * abs(energy) and numpy.allclose(wide.virial, virial, 1e-4, 1e-3)
            known[kind, turn] = y, made
    for y, made in known.values():
        assert torch.allclose(made, melt.forces(y), 1e-5, 1e-4)
    nowhere = y.clone()
    nowhere[3, 2] = float("inf")
    for call in (lambda: melt.forces(nowhere), lambda: melt.evaluate(nowhere)):
        assert refused(call, pairmark.PairmarkError, "particle 3:") and torch.allclose(melt.forces(y), made, 1e-5, 1e-4)
    assert refused(lambda: melt.forces(y.clone().requires_grad_()), ValueError, "positions: ") and refused(lambda: melt.forces(y[:124]), ValueError, "positions: ")
    lists = {key: [] for key in known}
    threads = [threading.Thread(target=lambda key=key: lists[key].extend(melt.forces(known[key][0]) for _ in range(20))) for key in lists]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert all(len(found) == 20 and all(torch.allclose(one, known[key][1], 1e-4, 1e-4) for one in found) for key, found in lists.items())
    melt.change(n=124)
    assert melt.forces(y[:124]).shape == (124, 3) and refused(lambda: melt.forces(y), ValueError, "positions: ")
    melt.change(n=125, cell=[7] * 3)
    assert not torch.allclose(melt.forces(y), made, 1e-2, 1e-2) and torch.allclose(melt.forces(y), torch.tensor(melt.forces(y.numpy())))
assert refused(lambda: melt.forces(y), ValueError, "closed")
sparse = torch.eye(3).to_sparse() * 6
for call, argument in ((lambda: pairmark.neighbours(x.to_sparse(), cell, 2.5, device=device), "positions: "),
                       (lambda: pairmark.neighbours(x, sparse, 2.5, device=device), "cell: "),
                       (lambda: pairmark.neighbours(torch.nested.nested_tensor([x]), cell, 2.5, device=device), "positions: "),
                       (lambda: pairmark.neighbours(x, torch.nested.nested_tensor([6 * torch.eye(3)]), 2.5, device=device), "cell: "),
                       (lambda: pairmark.neighbours(x, torch.eye(3, device="meta"), 2.5, device=device), "cell: "),
                       (lambda: pairmark.neighbours(x.to("meta"), cell, 2.5, device=device), "positions: ")):
    assert refused(call, (TypeError, ValueError), argument)

# Whoever closes a system takes nothing from a thread that is using it.
for _ in range(3):
    melt, found = pairmark.System(125, [6] * 3, potential="lj", cutoff=2.5, device=device), []
    y = lattice + 0.1

    def until_closed():
        melt.forces(y)
        found.append(0)
        while not refused(lambda: melt.forces(y), ValueError, "closed"):
            pass

    for other in (y.to_sparse(), torch.nested.nested_tensor([y])):
        assert refused(lambda: melt.forces(other), TypeError, "positions: ")
    threads = [threading.Thread(target=until_closed) for _ in range(3)]
    for one in threads:
        one.start()
    while len(found) < 3:
        threads[0].join(0.01)
    melt.close()
    for one in threads:
        one.join()
P
    python3 tensors.py >out 2>err
    check 'tensors and gradients of torch' [ $? -eq 0 ]
    for example in $(at_length graph_network); do
        python3 "$tests/../share/examples/$example.py" >out 2>err
        check 'a network learns' awk '/^step/ { loss[n++] = $4 } END { exit !(n == 2 && loss[1] < 0.2 * loss[0]) }' out
    done
    cat >again.py <<'P'
import itertools, numpy, pairmark, torch
from pairmark import lists
from seeded import device, short
lists._is_on_device = lambda again: True  # as tensors of CUDA are listed
cell = numpy.eye(3) * 6
torch.manual_seed(2)

def rows(found):
    i = found.first if found.first is not None else numpy.repeat(numpy.arange(len(found.row_begin) - 1), numpy.diff(found.row_begin))
    values = [numpy.asarray(one).reshape(len(i), -1).tolist() for one in (found.second, found.shifts, found.distances, found.vectors) if one is not None]
    return sorted(zip(numpy.asarray(i).tolist(), *values))

ways = list(itertools.product(("coo", "csr"), (False, True), ("indices", "shifts", "shifts+vectors+distances"), (torch.float32, torch.float64)))
for form, half, entries, kind in ways[::5 if short else 1]:  # five of 24 have each word
    words = dict(form=form, half=half, entries=entries, device=device)
    for call in range(4):
        x = torch.rand(60, 3, dtype=kind) * (6 if call < 3 else 2)  # more pairs than there is room for
        found = pairmark.neighbours(x, cell, 2.0, **words)
        assert rows(found) == rows(pairmark.neighbours(x.numpy(), cell, 2.0, variant="neighbours_tile", **words)) and all(one is None or one.is_contiguous() for one in found), words
    try:
        pairmark.neighbours(x * torch.nan, cell, 2.0, **words)
    except pairmark.PairmarkError as reason:
        assert str(reason).startswith("particle "), reason
    else:
        raise AssertionError(words)
    assert rows(pairmark.neighbours(x, cell, 2.0, **words)) == rows(found), words
P
    python3 again.py >out 2>err
    check 'lists of tensors, called again' [ $? -eq 0 ]
fi

if python3 -c 'import jax' 2>/dev/null; then
    cat >of_jax.py <<'P'
import os, numpy, jax, jax.test_util, pairmark
device = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0")
grid = 1.2 * numpy.stack(numpy.meshgrid(*[numpy.arange(5.0)] * 3), -1).reshape(-1, 3)
x = grid + numpy.random.default_rng(5).uniform(-0.1, 0.1, grid.shape)
for wide in (False, True):
    jax.config.update("jax_enable_x64", wide)
    of_jax = jax.numpy.asarray(x)
    of_numpy = numpy.array(of_jax)
    with pairmark.System(125, [6] * 3, potential="lj", cutoff=2.5, precision="double", device=device) as melt:
        for one, other in zip(melt.evaluate(of_jax), melt.evaluate(of_numpy)):
            assert isinstance(one, jax.Array) and one.dtype == other.dtype and numpy.allclose(one, other, 1e-6, 1e-4)
        energy, gradient = jax.jit(jax.value_and_grad(lambda y: 2 * melt.energy(y)))(of_jax)
        forces, right, _ = melt.evaluate(of_numpy)
        assert numpy.allclose(energy, 2 * right, 1e-5) and numpy.allclose(gradient, -2 * forces, 1e-4, 1e-4) and melt.energy(of_numpy) == right
        several = jax.vmap(melt.energy)(jax.numpy.stack([of_jax, of_jax + 0.3]))
        assert several.shape == (2,) and numpy.allclose(several, right, 1e-5)
        if wide:
            jax.test_util.check_grads(melt.energy, (of_jax,), 1, ["rev"], 1e-5, 1e-5, 1e-5)
    found, other = (pairmark.neighbours(y, numpy.eye(3) * 6, 2.5, variant="neighbours_loop", device=device) for y in (of_jax, of_numpy))
    lean = pairmark.neighbours(of_jax, [[6, 1, 0], [0, 6, 0], [0, 0, 6]], 2.5, (True, True, False), form="csr", device=device)
    assert len(lean.second) == len(pairmark.neighbours(of_numpy, [[6, 1, 0], [0, 6, 0], [0, 0, 6]], 2.5, (True, True, False), device=device).second)
    assert isinstance(found.vectors, jax.Array) and found.vectors.dtype == of_jax.dtype and found.distances is None
    assert len(found.first) == len(other.first) > 500 and abs(float((found.vectors**2).sum()) / (other.vectors**2).sum() - 1) < 1e-5
P
    python3 of_jax.py >out 2>err
    check 'arrays of jax' [ $? -eq 0 ]
fi
conclude
