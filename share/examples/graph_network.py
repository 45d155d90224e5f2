#!/usr/bin/env python3
"""A small graph network over pairmark's neighbours: its energy, and forces by torch (pip install torch), checked by gradcheck; and its training,
a batch of boxes of several sizes and cells at a time. On the device that is named, "cuda", else on the host.

Atoms send messages along the pairs within the cutoff, weighed by functions of the distance that end smoothly there.
"""
import math
import sys

import pairmark
import torch


class Network(torch.nn.Module):
    def __init__(self, kinds, cutoff, width=8, rounds=2):
        super().__init__()
        self.cutoff = cutoff
        self.embed = torch.nn.Embedding(kinds, width)
        self.weigh = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(rounds))
        self.update = torch.nn.ModuleList(torch.nn.Linear(2 * width, width) for _ in range(rounds))
        self.read = torch.nn.Linear(width, 1)
        self.frequency = math.pi / cutoff * torch.arange(1, width + 1)

    def forward(self, positions, cell, kinds, batch=None):
        """The energy, of a batch one for each box. The list is as it is, the distances have gradients by positions and cell."""
        pairs = pairmark.neighbours(positions, cell, self.cutoff, entries="distances", batch=batch)
        first, second, r = pairs.first.long(), pairs.second.long(), pairs.distances[:, None]
        end = 0.5 * (1 + torch.cos(math.pi * r / self.cutoff))
        waves = end * torch.sin(self.frequency.to(r) * r) / r
        atoms = self.embed(kinds)
        for weigh, update in zip(self.weigh, self.update):
            messages = torch.zeros_like(atoms).index_add(0, first, weigh(waves) * end * atoms[second])
            atoms = atoms + torch.tanh(update(torch.cat([atoms, messages], 1)))
        if batch is None:
            return self.read(atoms).sum()
        return torch.zeros(len(cell), dtype=positions.dtype, device=positions.device).index_add(0, batch, self.read(atoms)[:, 0])


def train(network, steps=40):
    """By energies and forces of Lennard-Jones boxes, which pairmark computes; prints the loss."""
    sizes, edges = torch.tensor([27, 64, 27]), torch.tensor([3.9, 5.2, 4.2], dtype=torch.double)
    batch = torch.repeat_interleave(torch.arange(3), sizes)
    grids = [torch.cartesian_prod(*3 * [torch.arange(round(n ** (1 / 3)))]) * edge / round(n ** (1 / 3)) for n, edge in zip(sizes.tolist(), edges)]
    positions = torch.cat(grids) + 0.05 * torch.randn(len(batch), 3, dtype=torch.double)
    cells, kinds = edges[:, None, None] * torch.eye(3, dtype=torch.double), torch.zeros(len(batch), dtype=torch.long)
    with pairmark.System(len(batch), cells, potential="lj", cutoff=1.9, batch=batch, precision="double") as melt:
        wanted_forces, wanted_energy, _ = melt.evaluate(positions)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    positions.requires_grad_()
    for step in range(steps):
        energy = network(positions, cells, kinds, batch)
        forces, = torch.autograd.grad(-energy.sum(), positions, create_graph=True)
        loss = ((energy - wanted_energy) ** 2 / sizes).mean() + ((forces - wanted_forces) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step in (0, steps - 1):
            print(f"step {step}: loss {loss.item():.3f}")


if __name__ == "__main__":
    torch.set_default_device(sys.argv[1] if sys.argv[1:] else "cpu")
    torch.manual_seed(1)
    n = 12
    cell = torch.tensor([[5.0, 0, 0], [1.0, 5.5, 0], [-0.5, 1.0, 6.0]], dtype=torch.double, requires_grad=True)
    positions = (torch.rand(n, 3, dtype=torch.double) @ cell).detach().requires_grad_()
    kinds = torch.arange(n) % 2
    network = Network(2, cutoff=4.0).double()
    energy = network(positions, cell, kinds)
    forces, = torch.autograd.grad(-energy, positions)
    print(f"energy {energy.item():.6f}, largest force {forces.norm(dim=1).max().item():.6f}, sum of forces {forces.sum(0).norm().item():.1e}")
    torch.autograd.gradcheck(lambda x, h: network(x, h, kinds), (positions, cell), nondet_tol=1e-12)  # lists of a GPU are in any order
    print("gradients by positions and cell: as finite differences have them")
    train(Network(1, cutoff=1.9).double())
