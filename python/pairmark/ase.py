"""An ASE calculator: energy, forces and stress of a pair potential by a kernel of pairmark.

    atoms.calc = pairmark.ase.Pairmark(potential="lj:epsilon=0.0104,sigma=3.4", cutoff=8.5)

Units are ASE's: angstrom and eV, so parameters of the potential are, too.
"""
from __future__ import annotations

from typing import Any

import numpy
from ase.calculators.calculator import Calculator, CalculatorSetupError, all_changes
from ase.stress import full_3x3_to_voigt_6_stress

from .library import System


class Pairmark(Calculator):
    """Keywords are those of pairmark.System but n, cell, types, names and outputs, which come from the atoms. Charges are the atoms'
    initial charges, types their elements. The kernel is made anew when atoms or cell change; positions alone go on with its list."""

    implemented_properties = ["energy", "free_energy", "forces", "stress"]

    def __init__(self, **keywords: Any):
        self.keywords = {"precision": "double", **keywords}
        self.system: Any = None
        super().__init__()

    def calculate(self, atoms: Any = None, properties: Any = ("energy",), system_changes: Any = all_changes) -> None:
        super().calculate(atoms, properties, system_changes)
        periodic = bool(self.atoms.pbc.any())
        if periodic and not self.atoms.pbc.all():
            raise CalculatorSetupError("pairmark: periodic along all axes or none")
        # ASE's cell has any direction; the library wants a along x and b in the xy plane. turn: rows of one into rows of the other.
        cell, turn = self.atoms.cell.standard_form() if periodic else (None, numpy.eye(3))
        if self.system is None or set(system_changes) - {"positions"}:
            self._make(cell)
        found = self.system.evaluate(numpy.ascontiguousarray(self.atoms.positions @ turn.T))
        self.results = {"energy": float(found.energy), "free_energy": float(found.energy), "forces": found.forces @ turn}
        if periodic:
            stress = -turn.T @ found.virial @ turn / self.atoms.get_volume()
            self.results["stress"] = full_3x3_to_voigt_6_stress(stress)

    def _make(self, cell: Any) -> None:
        if self.system is not None:
            self.system.close()
        symbols = self.atoms.get_chemical_symbols()
        names = sorted(set(symbols))
        self.system = System(len(self.atoms), cell, types=[names.index(symbol) for symbol in symbols], names=names,
                             charges=self.atoms.get_initial_charges(), masses=self.atoms.get_masses(), outputs="virial", **self.keywords)
