"""Relaxes many small boxes at once: all forces in one launch, each box by steps of its own.

    python3 relax_boxes.py [BOXES [DEVICE]]

Each box is a cluster of 10 to 40 Lennard-Jones particles, of another size. FIRE (E. Bitzek et al., Phys. Rev. Lett. 97, 170201, 2006) moves
them; what it keeps of a box is a number in a tensor, so that no box waits for another. A second time torch's own optimizer goes on from there,
by the gradient of the sum of all energies.
"""
import sys
import time

import pairmark
import torch


def clusters(boxes, seed=1):
    """Positions one box after the other, and the box of each particle."""
    random = torch.Generator().manual_seed(seed)
    sizes = torch.randint(10, 41, (boxes,), generator=random)
    batch = torch.repeat_interleave(torch.arange(boxes), sizes)
    place = torch.arange(len(batch)) - (torch.cumsum(sizes, 0) - sizes)[batch]
    grid = torch.stack([place % 4, place // 4 % 4, place // 16], 1).float()
    return 1.2 * grid + 0.2 * torch.rand(len(batch), 3, generator=random), batch


def relax(system, x, batch, boxes, steps=500, dt=0.005, largest=0.02):
    """FIRE; returns positions, energies and the largest force of each box."""
    def each(numbers):  # a sum for each box
        return torch.zeros(boxes, dtype=x.dtype, device=x.device).index_add_(0, batch, numbers)

    v = torch.zeros_like(x)
    step, mix, downhill = (torch.full((boxes,), value, dtype=x.dtype, device=x.device) for value in (dt, 0.1, 0))
    for _ in range(steps):
        found = system.evaluate(x)
        force = found.forces
        goes_down = each((force * v).sum(1)) > 0
        size = (each((v * v).sum(1)) / each((force * force).sum(1)).clamp_min(1e-12)).sqrt()
        v = torch.where(goes_down[batch, None], (1 - mix)[batch, None] * v + (mix * size)[batch, None] * force, torch.zeros_like(v))
        downhill = torch.where(goes_down, downhill + 1, torch.zeros_like(downhill))
        faster = downhill > 5
        step = torch.where(goes_down, torch.where(faster, (1.1 * step).clamp_max(10 * dt), step), 0.5 * step)
        mix = torch.where(goes_down, torch.where(faster, 0.99 * mix, mix), torch.full_like(mix, 0.1))
        v = v + step[batch, None] * force
        x = x + (step[batch, None] * v).clamp(-largest, largest)
    found = system.evaluate(x)
    worst = torch.zeros(boxes, dtype=x.dtype, device=x.device).scatter_reduce_(0, batch, found.forces.norm(dim=1), "amax")
    return x, found.energy, worst


def main(boxes=1000, device=None):
    x, batch = clusters(boxes)
    with pairmark.System(len(x), potential="lj", batch=batch, device=device, outputs="energy") as system:
        if "cuda" in system.device:
            x, batch = x.cuda(), batch.cuda()
        before = system.evaluate(x).energy
        start = time.perf_counter()
        x, after, worst = relax(system, x, batch, boxes)
        print(f"{boxes} boxes, {len(x)} particles on {system.device}: {time.perf_counter() - start:.2f} s")
        print(f"energy of a box {before.mean():.3f}, then {after.mean():.3f}; largest force {worst.max():.3g}, median {worst.median():.3g}")
        leaf = x.clone().requires_grad_()
        slope, = torch.autograd.grad(system.energy(leaf).sum(), leaf)
        print(f"gradient and forces differ by {(slope + system.forces(x)).abs().max():.3g}")


if __name__ == "__main__":
    main(*(int(word) if word.isdigit() else word for word in sys.argv[1:3]))
