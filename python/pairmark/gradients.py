"""The energy of a System as a function that torch and jax differentiate once: its gradient is minus the forces."""
from __future__ import annotations

from typing import Any

from .arrays import is_of_jax


def energy_of(system: Any, positions: Any) -> Any:
    if is_of_jax(positions):
        return _of_jax(system, positions)
    if type(positions).__module__.split(".")[0] == "torch":
        return _of_torch(system, positions)
    return system.evaluate(positions).energy


def _of_torch(system: Any, positions: Any) -> Any:
    import torch

    class Energy(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            found = system.evaluate(x.detach())
            ctx.save_for_backward(found.forces)
            return found.energy

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[misc]
        def backward(ctx: Any, gradient: Any) -> Any:
            return -gradient * ctx.saved_tensors[0]

    return Energy.apply(positions)


def _of_jax(system: Any, positions: Any) -> Any:
    import jax
    import numpy

    shapes = jax.ShapeDtypeStruct((), positions.dtype), jax.ShapeDtypeStruct(positions.shape, positions.dtype)

    def evaluate(x: Any) -> Any:  # by way of the host
        found = system.evaluate(numpy.asarray(x))
        return numpy.asarray(found.energy), found.forces

    def forward(x: Any) -> Any:
        return jax.pure_callback(evaluate, shapes, x, vmap_method="sequential")

    def backward(forces: Any, gradient: Any) -> Any:
        return (-gradient * forces,)

    energy = jax.custom_vjp(lambda x: forward(x)[0])
    energy.defvjp(forward, backward)
    return energy(positions)
