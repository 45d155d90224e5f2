"""For ASE: a calculator of energy, forces and stress by a kernel of pairmark, and neighbour lists.

    atoms.calc = pairmark.ase.Pairmark(potential="lj:epsilon=0.0104,sigma=3.4", cutoff=8.5)
    i, j, S = pairmark.ase.neighbor_list("ijS", atoms, 5.0)

Units are ASE's: angstrom and eV, so parameters of the potential are, too.
"""
from __future__ import annotations

import math
from typing import Any, Mapping, Optional, Sequence, Union

import numpy
from ase.calculators.calculator import Calculator, all_changes
from ase.data import atomic_numbers
from ase.stress import full_3x3_to_voigt_6_stress

from .arrays import number_of, short
from .library import System
from .lists import by_first


__all__ = ["Pairmark", "neighbor_list"]

_EDGE = 1e-9  # of a cutoff: so near it rounding decides


class Pairmark(Calculator):  # type: ignore[misc, unused-ignore]
    """Energy, forces and stress of atoms. Keywords, here and of set(), are those of pairmark.System but n, cell, pbc, types, names, charges,
    masses and outputs, which come from the atoms: types are elements, charges the initial ones. The kernel is made anew when keywords or
    atoms change; positions alone go on with its list. Copies, and what is unpickled, make a kernel of their own."""

    implemented_properties = ["energy", "energies", "free_energy", "forces", "stress"]
    default_parameters = {
        "potential": None, "cutoff": numpy.inf, "table": None, "molecules": None, "exclude": None, "terms": None, "groups": None, "paired": False,
        "eam": None, "three_body": None, "long_range": None, "variant": None, "precision": "double", "tune": None, "answer": None, "best_within": None, "device": None}
    discard_results_on_any_change = True

    def __init__(self, potential: Optional[str] = None, cutoff: float = numpy.inf, *, table: Optional[str] = None,
                 molecules: Optional[Sequence[int]] = None, exclude: Union[None, str, Sequence[Sequence[int]]] = None,
                 terms: Optional[Mapping[str, Any]] = None, groups: Optional[Sequence[Optional[Sequence[int]]]] = None, paired: bool = False,
                 eam: Optional[str] = None, three_body: Optional[str] = None, long_range: Optional[str] = None, variant: Optional[str] = None,
                 precision: str = "double", tune: Optional[Mapping[str, int]] = None, answer: Any = None, best_within: Optional[float] = None, device: Optional[str] = None, atoms: Any = None):
        self.atoms: Any = None
        self.system: Any = None
        super().__init__(atoms=atoms, potential=potential, cutoff=cutoff, table=table, molecules=molecules, exclude=exclude, terms=terms, groups=groups,
                         paired=paired, eam=eam, three_body=three_body, long_range=long_range, variant=variant, precision=precision, tune=tune, answer=answer,
                         best_within=best_within, device=device)

    def set(self, **keywords: Any) -> dict[str, Any]:
        unknown = sorted(set(keywords) - set(self.default_parameters))
        if unknown:
            raise TypeError(f"{unknown[0]}: no keyword of pairmark.ase.Pairmark; there are {', '.join(self.default_parameters)}")
        changed: dict[str, Any] = super().set(**keywords)
        if changed:
            self.system = None
        return changed

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "system": None}

    def calculate(self, atoms: Any = None, properties: Any = ("energy",), system_changes: Any = all_changes) -> None:
        super().calculate(atoms, properties, system_changes)
        if self.system is None:
            self.system = System(**self._particles(), outputs="virial", **self.parameters)
        elif set(system_changes) - {"positions", "cell"}:
            self.system.change(**self._particles())
        elif "cell" in system_changes and self.atoms.pbc.any():
            self.system.set_cell(self.atoms.cell.array)
        found = self.system.evaluate(self.atoms.positions)
        self.results = {"energy": float(found.energy), "free_energy": float(found.energy), "forces": found.forces}
        if "energies" in properties:
            self.results["energies"] = self.system.energies(self.atoms.positions)
        if self.atoms.cell.rank == 3:
            self.results["stress"] = full_3x3_to_voigt_6_stress(-found.virial / self.atoms.get_volume())

    def _particles(self) -> dict[str, Any]:
        """Of System: what the atoms say."""
        symbols = self.atoms.get_chemical_symbols()
        names = sorted(set(symbols)) or ["X"]
        return {"n": len(self.atoms), "cell": self.atoms.cell.array, "pbc": self.atoms.pbc, "types": [names.index(symbol) for symbol in symbols],
                "names": names, "charges": self.atoms.get_initial_charges() if self.atoms.has("initial_charges") else None, "masses": self.atoms.get_masses()}


def neighbor_list(quantities: str, a: Any, cutoff: Any, self_interaction: bool = False, max_nbins: float = 1e6, *,
                  device: Optional[str] = None) -> Any:
    """What ase.neighborlist.neighbor_list returns, in an order that may differ within one `i`. cutoff: a distance, one per pair of elements
    (a dictionary), or a radius per atom. max_nbins is not used."""
    if not hasattr(a, "positions") or not hasattr(a, "cell"):
        raise TypeError(f"a: ase.Atoms are expected, not {short(a)}")
    if not quantities or not isinstance(quantities, str) or set(quantities) - set("ijSDd"):
        raise ValueError(f"quantities {quantities!r}: some of i, j, S, D, d are expected")
    n, largest = len(a), _largest(cutoff, len(a))
    i: Any
    j: Any
    shifts: Any
    vectors: Any
    distances: Any
    if not n or not largest > 0:
        i, j, shifts, vectors, distances = numpy.zeros(0, int), numpy.zeros(0, int), numpy.zeros((0, 3), int), numpy.zeros((0, 3)), numpy.zeros(0)
    else:
        entries = "shifts+vectors+distances" if "D" in quantities else "shifts+distances"
        found = by_first(a.positions, a.cell.array, (1 + _EDGE) * largest, a.pbc, entries, device)
        i, j, shifts, vectors, distances = found.first, found.second, found.shifts, found.vectors, found.distances
        most = numpy.asarray(_cutoffs(cutoff, a.numbers, i, j))
        edge = numpy.flatnonzero(distances >= most - 2 * _EDGE * largest)  # where rounding decides, as ASE rounds; and beyond
        if len(edge):
            exact = a.positions[j[edge]] - a.positions[i[edge]] + shifts[edge] @ a.cell.array
            distances[edge] = numpy.sqrt((exact**2).sum(1))
            if vectors is not None:
                vectors[edge] = exact
            left_out = edge[distances[edge] >= (most[edge] if most.ndim else most)]  # ASE leaves out pairs at the cutoff
            if len(left_out):
                i, j, shifts, vectors, distances = (None if one is None else numpy.delete(one, left_out, 0) for one in (i, j, shifts, vectors, distances))
    results = {name: one for name, one in zip("ijSDd", (i, j, shifts, vectors, distances)) if name in quantities}
    if self_interaction and n:
        results["i"] = i
        own = numpy.flatnonzero(0 < _cutoffs(cutoff, a.numbers, numpy.arange(n), numpy.arange(n)) + numpy.zeros(n))
        order = numpy.append(own, i).argsort(kind="stable")
        for name, given in results.items():
            first = own if name in "ij" else numpy.zeros((len(own), *given.shape[1:]), given.dtype)
            results[name] = numpy.append(first, given, 0)[order]
    return results[quantities] if len(quantities) == 1 else tuple(results[word] for word in quantities)


def _largest(cutoff: Any, n: int) -> float:
    """Of what is a distance, or some for pairs of elements, or a radius for each of n atoms."""
    several = cutoff.values() if isinstance(cutoff, dict) else cutoff if numpy.ndim(cutoff) else [cutoff]
    lengths = [number_of(one, "cutoff") for one in several]
    if any(math.isnan(length) for length in lengths) or not (lengths or n == 0):
        raise ValueError(f"cutoff: lengths are expected, not {short(cutoff)}")
    if isinstance(cutoff, dict):
        for given in cutoff:
            if not isinstance(given, (tuple, list)) or len(given) != 2:
                raise ValueError(f"cutoff: pairs of elements are expected, not {short(given)}")
        for one in (element for pair in cutoff for element in pair):
            if one not in atomic_numbers and one not in atomic_numbers.values():
                raise ValueError(f"cutoff: elements are expected, not {short(one)}")
    elif numpy.ndim(cutoff) and len(lengths) != n:
        raise ValueError(f"cutoff: a radius for each of {n} atoms is expected, not {len(lengths)}")
    return max(lengths, default=0.0) * (2 if numpy.ndim(cutoff) else 1)


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
