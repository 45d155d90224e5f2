#!/usr/bin/env bash
# System(batch=): boxes of a batch as each would be alone, their energies, gradients by torch and jax where they are; the example relaxes boxes.
. "$2/lib.sh" || exit 1
export PAIRMARK_LIBRARY=${pairmark%/*}/libpairmark.so PYTHONPATH=$tests/../python PYTHONDONTWRITEBYTECODE=1
[ -f "$PAIRMARK_LIBRARY" ] || { echo 'no libpairmark.so beside the program: make build-tests makes it'; exit 77; }
sanitized && { echo 'built with AddressSanitizer, which python would need'; exit 77; }
python3 -c 'import numpy' 2>/dev/null || { echo 'no python3 with numpy (Debian package python3-numpy)'; exit 77; }
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
        system.change(n=2, cell=None if cell is None else cells[:2], batch=[0, 1])
        assert system.evaluate(x[:2]).energy.tolist() == [0, 0]
assert refused(lambda: pairmark.System(2, batch=[1, 0], **words), ValueError, "batch: numbers from 0, ascending")
assert refused(lambda: pairmark.System(2, cells[:1], batch=[0, 1], **words), ValueError, "batch: numbers below 1")
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
if python3 -c 'import torch' 2>/dev/null; then
    check "an example" python3 "$tests/../share/examples/relax_boxes.py" 4 "${PAIRMARK_TEST_DEVICE:-opencl:0:0}" >out
    says_like out '^energy of a box .*, then -[0-9.]*; largest force [0-9.e-]+, median [0-9.e-]+$'
    says_like out '^gradient and forces differ by [0-9.]+(e-[0-9]+)?$'
fi
conclude
