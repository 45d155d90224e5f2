#!/usr/bin/env bash
# Gradients of neighbours() and System.energy(): torch's autograd, func.grad, func.hessian, vmap and compile, jax's grad, jit and vmap, beside
# each other and differences; what cannot be differentiated says so.
. "$2/lib.sh" || exit 1
use_python_package
has() { python3 -c "import numpy, $1" 2>/dev/null; }
has torch || has jax || { echo 'no torch and no jax for python3: pip install torch jax'; exit 77; }
cat >common.py <<'P'
import os, numpy, pairmark
device = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0")
n, edge, cutoff = 12, 6.0, 2.0
grid = numpy.stack(numpy.meshgrid(*[numpy.arange(4)] * 3, indexing="ij"), -1).reshape(-1, 3)[-n:] * 1.5
x = grid + 0.1 * numpy.random.default_rng(1).random((n, 3))
words = dict(potential="lj", cutoff=2.5, variant="sorted_cells", precision="double", device=device)

def refused(call, *errors):
    try:
        call()
    except errors:
        return True
    return False
P
cat >of_torch.py <<'P'
from common import *
import torch
from torch import func
from torch.autograd import forward_ad
x, cell = torch.tensor(x), torch.eye(3).double() * edge

def energy(x, cell=cell):
    pairs = pairmark.neighbours(x, cell, cutoff, entries="shifts+vectors+distances", device=device)
    assert pairs.shifts.dtype == torch.int32
    return (torch.exp(-pairs.distances) * (cutoff - pairs.distances) ** 2).sum()

def autograd(function, *arguments):
    leaves = [one.clone().requires_grad_() for one in arguments]
    return torch.autograd.grad(function(*leaves), leaves)

of_x, of_cell = autograd(energy, x, cell)
assert torch.autograd.gradcheck(energy, (x.clone().requires_grad_(), cell.clone().requires_grad_()))
assert of_x.abs().max() > 0.01 and of_cell.abs().max() > 0.01
assert torch.allclose(func.grad(energy)(x), of_x) and torch.allclose(func.grad(energy, argnums=1)(x, cell), of_cell)
hessian = func.jacrev(func.grad(energy))(x)
assert torch.allclose(hessian, func.hessian(energy)(x)) and torch.allclose(hessian, torch.autograd.functional.hessian(energy, x))
pairs = pairmark.neighbours(x, cell, cutoff, entries="vectors", device=device)
assert torch.allclose(func.vmap(lambda s: (s * pairs.vectors).norm(dim=1).sum())(torch.arange(1, 4).double())[2], 3 * pairs.vectors.norm(dim=1).sum())
assert refused(lambda: func.vmap(energy)(x[None].repeat(2, 1, 1)), pairmark.PairmarkError)
for cells in (cell[None].repeat(2, 1, 1), torch.full((3, 3), edge).double()):  # of three times three edges, too
    assert refused(lambda: func.vmap(lambda one: energy(x, one))(cells), pairmark.PairmarkError)

def along(function, x, tangent):
    """By forward mode, with and without torch.func."""
    with forward_ad.dual_level():
        found = forward_ad.unpack_dual(function(forward_ad.make_dual(x, tangent))).tangent
    assert torch.allclose(func.jvp(function, (x,), (tangent,))[1], found)
    return found

way, segments = torch.linspace(-1, 1, 3 * n).double().reshape(n, 3), [0] * 5 + [1] * (n - 5)
lists = (energy, lambda x: pairmark.neighbours(x, None, cutoff, entries="distances", device=device).distances.sum(),
         lambda x: pairmark.neighbours(x, cell.repeat(2, 1, 1), cutoff, entries="distances", batch=segments, device=device).distances.sum())
for function in lists:
    for _ in range(2):  # the second call of a list goes another way
        assert torch.allclose(along(function, x, way), (autograd(function, x)[0] * way).sum())
assert torch.allclose(along(lambda cell: energy(x, cell), cell, cell), (of_cell * cell).sum())
compiled = torch.compile(lambda x: energy(x * 1) * 2, backend="eager")  # a graph breaks at the call
assert torch.allclose(compiled(x), 2 * energy(x)) and torch.allclose(autograd(compiled, x)[0], 2 * of_x)
with pairmark.System(n, [edge] * 3, **words) as system:
    boxes = x[None] * torch.tensor([1, 1.01, 0.99])[:, None, None]
    slope, = autograd(system.energy, x)
    assert torch.autograd.gradcheck(system.energy, (x.clone().requires_grad_(),))
    assert torch.allclose(slope, -system.forces(x)) and torch.allclose(func.grad(system.energy)(x), slope)
    assert torch.allclose(func.vmap(system.energy)(boxes), torch.stack([system.energy(one) for one in boxes]))
    assert torch.allclose(func.vmap(func.grad(system.energy))(boxes), torch.stack([-system.forces(one) for one in boxes]))
    compiled = torch.compile(lambda x: system.energy(x * 1) * 3, backend="eager")
    assert torch.allclose(compiled(x), 3 * system.energy(x)) and torch.allclose(autograd(compiled, x)[0], 3 * slope)
    assert torch.allclose(along(system.energy, x, way), (slope * way).sum()) and torch.allclose(func.jacfwd(system.energy)(x), slope)
    assert torch.allclose(func.vmap(lambda x, way: func.jvp(system.energy, (x,), (way,))[1])(boxes, boxes), (boxes * func.vmap(func.grad(system.energy))(boxes)).sum((1, 2)))
    with pairmark.System(n, [[edge] * 3] * 2, **{**words, "variant": None}, batch=segments) as both:
        assert torch.allclose(func.jacfwd(both.energy)(x), func.jacrev(both.energy)(x)) and func.jacrev(both.energy)(x)[1, 5:].abs().max() > 0.01
        assert torch.autograd.gradcheck(both.energy, (x.clone().requires_grad_(),), check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)
    for call in (system.forces, system.energies, lambda x: system.evaluate(x).forces):  # after calls that were right
        call(x)
        for way_in in (lambda: along(call, x, way), lambda: func.grad(lambda x: call(x).sum())(x), lambda: func.vmap(call)(boxes)):
            assert refused(way_in, ValueError)
    wide = torch.cat([x, x], 1)[:, :4]
    assert torch.equal(autograd(system.energy, wide)[0], torch.cat([slope, 0 * slope[:, :1]], 1))
    for name, given in (("cell", cell), ("charges", torch.zeros(n)), ("cell", func)):
        if given is func:
            assert refused(lambda: func.grad(lambda cell: (system.set_cell(cell), system.energy(x))[1])(cell), ValueError)
        else:
            assert refused(lambda: pairmark.System(n, **{"cell": cell, **words, name: given.clone().requires_grad_()}), ValueError)
    once = func.grad, func.jacrev, func.jacfwd, lambda function: lambda x: func.jvp(function, (x,), (way,))[1]
    for twice in (lambda: torch.autograd.functional.hessian(system.energy, x), lambda: func.vmap(func.hessian(system.energy))(boxes),
                  *(lambda outer=outer, inner=inner: outer(inner(system.energy))(x) for outer in (func.jacrev, func.jacfwd) for inner in once)):
        try:
            twice()
        except pairmark.PairmarkError as error:
            assert "differentiated once" in str(error), error
        else:
            raise AssertionError("zeros")
P
cat >of_jax.py <<'P'
from common import *
import jax, jax.numpy as jnp
jax.config.update("jax_enable_x64", True)
x, cell, h = jnp.asarray(x), jnp.eye(3) * edge, 1e-5

def energy(x, cell=cell):
    pairs = pairmark.neighbours(x, cell, cutoff, entries="shifts+vectors+distances", device=device)
    return (jnp.exp(-pairs.distances) * (cutoff - pairs.distances) ** 2).sum()

of_x, of_cell = jax.grad(energy, argnums=(0, 1))(x, cell)
for k in ((3, 1), (11, 0)):
    assert abs(of_x[k] - (energy(x.at[k].add(h)) - energy(x.at[k].add(-h))) / (2 * h)) < 1e-7
assert abs(of_cell[2, 2] - (energy(x, cell.at[2, 2].add(h)) - energy(x, cell.at[2, 2].add(-h))) / (2 * h)) < 1e-7 and abs(of_cell[2, 2]) > 0.01
assert refused(lambda: jax.jit(energy)(x), TypeError) and refused(lambda: jax.vmap(energy)(x[None]), TypeError)
pairs = pairmark.neighbours(x, cell, cutoff, device=device)

@jax.jit
def of_pairs(x, first, second, shifts):
    r = jnp.sqrt(((x[second] - x[first] + shifts @ cell) ** 2).sum(1))
    return (jnp.exp(-r) * (cutoff - r) ** 2).sum()

assert jnp.allclose(jax.grad(of_pairs)(x, pairs.first, pairs.second, pairs.shifts), of_x)
with pairmark.System(n, [edge] * 3, **words) as system:
    slope = jax.grad(system.energy)(x)
    assert jnp.allclose(slope, -system.forces(x)) and jnp.allclose(jax.jit(jax.grad(system.energy))(x), slope)
    for call in (system.forces, system.energies, lambda x: system.evaluate(x).energy):
        assert refused(lambda: jax.jit(call)(x), TypeError) and refused(lambda: jax.grad(lambda x: call(x).sum())(x), TypeError)
    for energy_of in (system.energy, jax.jit(system.energy)):
        assert refused(lambda: energy_of(x[:5]), ValueError) and refused(lambda: energy_of(x.astype(jnp.bfloat16)), TypeError)
    assert refused(lambda: system.energy(x.at[3, 1].set(jnp.nan)), pairmark.PairmarkError)
    assert jnp.allclose(jax.vmap(system.energy)(jnp.stack([x, 1.01 * x])), jnp.stack([system.energy(x), system.energy(1.01 * x)]))
P
for module in torch jax; do
    if has "$module"; then
        python3 "of_$module.py" >out 2>err
        check "$module" [ $? -eq 0 ]
    fi
done
conclude
