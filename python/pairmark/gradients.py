"""What torch and jax differentiate: the energy of a System, once, by its forces; and which pairs neighbours() lists, for the vectors between
them."""
from __future__ import annotations

import functools
from typing import Any, Callable

from .arrays import as_reals, is_of_jax, is_traced_by_jax
from .program import PairmarkError, REFUSED


def energy_of(system: Any, positions: Any) -> Any:
    if is_of_jax(positions):
        return _of_jax(system, positions)
    if type(positions).__module__.split(".")[0] == "torch":
        return outside_of_graphs(_of_torch)(system, positions)
    return system.evaluate(positions).energy


def _of_torch(system: Any, positions: Any) -> Any:
    return _torch_functions()[0].apply(system, positions)[0]


@functools.lru_cache(maxsize=None)
def outside_of_graphs(function: Callable[..., Any]) -> Callable[..., Any]:
    """That torch.compile leaves to the library: its graph breaks there."""
    import torch

    disabled: Callable[..., Any] = torch.compiler.disable(function)
    return disabled


@functools.lru_cache(maxsize=None)
def _asks_for_compiling() -> Callable[[], bool]:
    import torch

    asks: Callable[[], bool] = getattr(torch.compiler, "is_dynamo_compiling", getattr(torch.compiler, "is_compiling", lambda: True))
    return asks


def is_compiling() -> bool:
    """Whether torch.compile traces this; else outside_of_graphs() would only take time."""
    return _asks_for_compiling()()


_ONCE = "System.energy() is differentiated once: of forces there is no gradient"
_OF_BOXES = "neighbours: boxes have lists of different lengths: list each by itself, and vmap what is made of the vectors"


def numbers_of(tensor: Any) -> Any:
    """The values alone: without a graph, a tangent, and what torch.func has wrapped around them."""
    from torch.autograd import forward_ad

    return _unwrapped(forward_ad.unpack_dual(_unwrapped(tensor)).primal.detach())  # whose result may be wrapped anew


def _unwrapped(tensor: Any) -> Any:
    from torch._C import _functorch

    while _functorch.is_functorch_wrapped_tensor(tensor):
        if _functorch.is_batchedtensor(tensor):
            raise PairmarkError(_OF_BOXES, REFUSED)
        tensor = _functorch.get_unwrapped(tensor)
    return tensor


def pairs_of(find: Callable[[Any], Any], positions: Any) -> Any:
    """What `find` says of the values of a tensor, as tensors that nobody differentiates."""
    return _torch_functions()[1].apply(find, positions)


@functools.lru_cache(maxsize=None)
def _torch_functions() -> tuple[Any, Any]:
    import torch

    class Forces(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
        """Minus the forces, times numbers; nobody knows how forces change."""

        @staticmethod
        def forward(gradient: Any, forces: Any, x: Any) -> Any:
            return -gradient * forces

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(inputs[1])

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            raise PairmarkError(_ONCE, REFUSED)

        @staticmethod
        def jvp(ctx: Any, *_: Any) -> Any:
            raise PairmarkError(_ONCE, REFUSED)

        @staticmethod
        def vmap(info: Any, in_dims: Any, gradient: Any, forces: Any, x: Any) -> Any:
            arrays = gradient, forces, x
            moved = [array if where is None else array.movedim(where, 0) for array, where in zip(arrays, in_dims)]
            rank = max(array.dim() - (where is not None) for array, where in zip(moved, in_dims))
            parts = [array if where is None else array.reshape(array.shape[:1] + (1,) * (rank + 1 - array.dim()) + array.shape[1:])
                     for array, where in zip(moved, in_dims)]
            return Forces.apply(*parts), 0  # which knows that x is in them

    class Energy(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
        @staticmethod
        def forward(system: Any, x: Any) -> Any:
            found = system.evaluate(x.detach())
            if found.forces.shape[1] > 3:
                found.forces[:, 3] = 0  # what a kernel leaves there is no slope
            return found.energy, found.forces

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.system = inputs[0]
            ctx.save_for_backward(output[1], inputs[1])
            ctx.save_for_forward(output[1], inputs[1])
            ctx.mark_non_differentiable(output[1])

        @staticmethod
        def backward(ctx: Any, gradient: Any, _: Any) -> Any:
            forces, x = ctx.saved_tensors
            if ctx.system.batch is not None:  # of each box, to its particles
                gradient = gradient[torch.as_tensor(ctx.system.batch, dtype=torch.long, device=gradient.device), None]
            return None, Forces.apply(gradient, forces, x)

        @staticmethod
        def jvp(ctx: Any, _: Any, way: Any) -> Any:
            forces, x = ctx.saved_tensors
            along = Forces.apply(way, forces, x).sum(-1)
            if ctx.system.batch is None:
                return along.sum(-1), None
            segments = torch.as_tensor(ctx.system.batch, dtype=torch.long, device=x.device)
            return along.new_zeros(ctx.system.boxes).index_add(-1, segments, along), None

        @staticmethod
        def vmap(info: Any, in_dims: Any, system: Any, x: Any) -> Any:
            found = [Energy.apply(system, box) for box in x.movedim(in_dims[1], 0).unbind()]
            return tuple(torch.stack(part) for part in zip(*found)), (0, 0)

    class Pairs(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
        @staticmethod
        def forward(find: Any, x: Any) -> Any:
            return find(numbers_of(x))

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.count = len(output)
            ctx.mark_non_differentiable(*output)

        @staticmethod
        def backward(ctx: Any, *_: Any) -> Any:
            return None, None

        @staticmethod
        def jvp(ctx: Any, *_: Any) -> Any:
            return (None,) * ctx.count

        @staticmethod
        def vmap(info: Any, in_dims: Any, find: Any, x: Any) -> Any:
            raise PairmarkError(_OF_BOXES, REFUSED)

    return Energy, Pairs


def _of_jax(system: Any, positions: Any) -> Any:
    import jax
    import numpy

    if not is_traced_by_jax(positions):
        return system.evaluate(positions).energy
    if positions.ndim != 2 or positions.shape[0] != system.n or positions.shape[1] not in (3, 4):
        raise ValueError(f"positions: the shape ({system.n}, 3) or ({system.n}, 4) is expected, not {positions.shape}")
    as_reals(positions)  # says which numbers are none
    shaped: Any = jax.ShapeDtypeStruct
    batch = system.batch
    shapes = shaped(() if batch is None else (system.boxes,), positions.dtype), shaped(positions.shape, positions.dtype)

    def evaluate(x: Any) -> Any:  # by way of the host
        found = system.evaluate(numpy.asarray(x))
        return numpy.asarray(found.energy), found.forces

    def forward(x: Any) -> Any:
        return jax.pure_callback(evaluate, shapes, x, vmap_method="sequential")

    def backward(forces: Any, gradient: Any) -> Any:
        return (-(gradient if batch is None else gradient[batch, None]) * forces,)

    energy = jax.custom_vjp(lambda x: forward(x)[0])
    energy.defvjp(forward, backward)
    return energy(positions)
