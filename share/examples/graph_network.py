#!/usr/bin/env python3
"""A small graph network over pairmark's neighbours: its energy, and forces by torch (pip install torch), checked by gradcheck.

Atoms send messages along the pairs within the cutoff, weighed by functions of the distance that end smoothly there.
"""
import math

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

    def forward(self, positions, cell, kinds):
        """The energy. The list is as it is, the distances have gradients by positions and cell."""
        pairs = pairmark.neighbours(positions, cell, self.cutoff, entries="distances")
        first, second, r = pairs.first.long(), pairs.second.long(), pairs.distances[:, None]
        end = 0.5 * (1 + torch.cos(math.pi * r / self.cutoff))
        waves = end * torch.sin(self.frequency.to(r) * r) / r
        atoms = self.embed(kinds)
        for weigh, update in zip(self.weigh, self.update):
            messages = torch.zeros_like(atoms).index_add(0, first, weigh(waves) * end * atoms[second])
            atoms = atoms + torch.tanh(update(torch.cat([atoms, messages], 1)))
        return self.read(atoms).sum()


if __name__ == "__main__":
    torch.manual_seed(1)
    n = 12
    cell = torch.tensor([[5.0, 0, 0], [1.0, 5.5, 0], [-0.5, 1.0, 6.0]], dtype=torch.double, requires_grad=True)
    positions = (torch.rand(n, 3, dtype=torch.double) @ cell).detach().requires_grad_()
    kinds = torch.arange(n) % 2
    network = Network(2, cutoff=4.0).double()
    energy = network(positions, cell, kinds)
    forces, = torch.autograd.grad(-energy, positions)
    print(f"energy {energy.item():.6f}, largest force {forces.norm(dim=1).max().item():.6f}, sum of forces {forces.sum(0).norm().item():.1e}")
    torch.autograd.gradcheck(lambda x, h: network(x, h, kinds), (positions, cell))
    print("gradients by positions and cell: as finite differences have them")
