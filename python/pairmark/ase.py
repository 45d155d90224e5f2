"""For ASE: a calculator of energy, forces and stress by a kernel of pairmark, and neighbour lists.

    atoms.calc = pairmark.ase.Pairmark(potential="lj:epsilon=0.0104,sigma=3.4", cutoff=8.5)
    i, j, S = pairmark.ase.neighbor_list("ijS", atoms, 5.0)

Units are ASE's: angstrom and eV, so parameters of the potential are, too.
"""
from __future__ import annotations

from typing import Any, Optional

import numpy
from ase.calculators.calculator import Calculator, all_changes
from ase.data import atomic_numbers
from ase.stress import full_3x3_to_voigt_6_stress

from .library import System
from .lists import box_of, neighbours


class Pairmark(Calculator):
    """Keywords are those of pairmark.System but n, cell, types, names and outputs, which come from the atoms. Charges are the atoms'
    initial charges, types their elements. The kernel is made anew when the atoms change; positions alone go on with its list."""

    implemented_properties = ["energy", "free_energy", "forces", "stress"]

    def __init__(self, **keywords: Any):
        self.keywords = {"precision": "double", **keywords}
        self.system: Any = None
        self.box: Any = None
        super().__init__()

    def calculate(self, atoms: Any = None, properties: Any = ("energy",), system_changes: Any = all_changes) -> None:
        super().calculate(atoms, properties, system_changes)
        x, cell = self.atoms.positions, self.atoms.cell.array
        box: Any
        box, turn = box_of(x, cell, self.keywords.get("cutoff", numpy.inf), self.atoms.pbc)
        if self.system is None or set(system_changes) - {"positions", "cell"} or (box is None) != (self.box is None):
            self._make(box)
        elif box != self.box:
            self.system.set_cell(numpy.reshape(box, (3, 3)))
        self.box = box
        found = self.system.evaluate(x if turn is None else x @ turn.T)
        forces, virial = (found.forces, found.virial) if turn is None else (found.forces @ turn, turn.T @ found.virial @ turn)
        self.results = {"energy": float(found.energy), "free_energy": float(found.energy), "forces": forces}
        if self.atoms.cell.rank == 3:
            self.results["stress"] = full_3x3_to_voigt_6_stress(-virial / self.atoms.get_volume())

    def _make(self, box: Any) -> None:
        if self.system is not None:
            self.system.close()
        symbols = self.atoms.get_chemical_symbols()
        names = sorted(set(symbols))
        cell = None if box is None else numpy.reshape(box, (3, 3))
        self.system = System(len(self.atoms), cell, types=[names.index(symbol) for symbol in symbols], names=names,
                             charges=self.atoms.get_initial_charges(), masses=self.atoms.get_masses(), outputs="virial", **self.keywords)


def neighbor_list(quantities: str, a: Any, cutoff: Any, self_interaction: bool = False, max_nbins: float = 1e6, *,
                  device: Optional[str] = None) -> Any:
    """What ase.neighborlist.neighbor_list returns, in an order that may differ within one `i`. cutoff: a distance, one per pair of elements
    (a dictionary), or a radius per atom. max_nbins is not used."""
    n, largest = len(a), _largest(cutoff)
    i, j, shifts = numpy.zeros(0, int), numpy.zeros(0, int), numpy.zeros((0, 3), int)
    if n and largest > 0:
        found = neighbours(a.positions, a.cell.array, (1 + 1e-9) * largest, a.pbc, form="csr", entries="shifts", device=device)
        i, j, shifts = numpy.repeat(numpy.arange(n), numpy.diff(found.row_begin)), found.second.astype(int), found.shifts.astype(int)
        if self_interaction:
            i, j, shifts = numpy.append(numpy.arange(n), i), numpy.append(numpy.arange(n), j), numpy.append(numpy.zeros((n, 3), int), shifts, 0)
            order = i.argsort(kind="stable")
            i, j, shifts = i[order], j[order], shifts[order]
    vectors = a.positions[j] - a.positions[i] + shifts @ a.cell.array
    distances = numpy.sqrt((vectors**2).sum(1))
    keep = distances < _cutoffs(cutoff, a.numbers, i, j)  # ASE leaves out pairs at the cutoff
    results = {"i": i[keep], "j": j[keep], "S": shifts[keep], "D": vectors[keep], "d": distances[keep]}
    if not quantities or set(quantities) - set(results):
        raise ValueError(f"quantities {quantities!r}: some of i, j, S, D, d are expected")
    return results[quantities] if len(quantities) == 1 else tuple(results[word] for word in quantities)


def _largest(cutoff: Any) -> float:
    if isinstance(cutoff, dict):
        return max(cutoff.values())
    return float(cutoff) if numpy.ndim(cutoff) == 0 else 2 * float(numpy.max(cutoff))


def _cutoffs(cutoff: Any, numbers: Any, i: Any, j: Any) -> Any:
    """Of each pair."""
    if isinstance(cutoff, dict):
        pairs = [(atomic_numbers.get(one, one), atomic_numbers.get(other, other), distance) for (one, other), distance in cutoff.items()]
        kinds = 1 + max([*numbers, *(z for pair in pairs for z in pair[:2])])
        table = numpy.zeros((kinds, kinds))
        for one, other, distance in pairs:
            table[one, other] = table[other, one] = distance
        return table[numbers[i], numbers[j]]
    return cutoff if numpy.ndim(cutoff) == 0 else numpy.asarray(cutoff)[i] + numpy.asarray(cutoff)[j]
