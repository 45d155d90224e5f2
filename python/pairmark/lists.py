"""Neighbour lists of positions in an array of numpy, torch, cupy or jax, by libpairmark, on the host or the device."""
from __future__ import annotations

import atexit
import collections
import ctypes
import functools
import math
import os
import sys
import threading
from typing import Any, NamedTuple, Optional

import numpy

from .arrays import address_of, aligned_like, as_reals, images_along, module_of, number_of, reals_of, short, vectors_of, word_of
from .library import ENTRIES, Kernel, Library, Sized, arrays_of
from .program import PairmarkError

_NO_ROOM = 8


class _List(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("room", ctypes.c_size_t)] + [(name, ctypes.c_void_p) for name in (
        "count", "row_begin", "first", "neighbours", "shifts", "vectors", "distances")] + [("by_first", ctypes.c_int)]


class Neighbours(NamedTuple):
    """Entries: second[e] is a neighbour of first[e] (coo), of i where row_begin[i] <= e < row_begin[i + 1] (csr); second[i, k] of i where
    k < count[i], -1 behind (matrix). Its image is shifts[e] . cell away, vectors[e] = positions[second[e]] + shifts[e] . cell -
    positions[first[e]], and distances[e] its length. Entries of one particle have no order. None: what was not asked for."""

    first: Any = None
    second: Any = None
    shifts: Any = None
    vectors: Any = None
    distances: Any = None
    row_begin: Any = None
    count: Any = None


def neighbours(positions: Any, cell: Any = None, cutoff: float = math.nan, pbc: Any = True, *, entries: str = "shifts+vectors",
               form: str = "coo", half: bool = False, variant: Optional[str] = None, device: Optional[str] = None) -> Neighbours:
    """All pairs within the cutoff, with their images.

    positions: n x 3 or n x 4, floats or doubles, also outside of the cell; others are copied. cell: 3 x 3, a vector a row, of any direction and smaller than
    the cutoff where wanted; three edges; None: no images. pbc: whether there are images, or three of that, along each vector. entries:
    "indices", or some of shifts, vectors, distances joined by "+". form: "coo", "csr", "matrix". half: each pair once. variant: of workload
    neighbours; None: one that suits the size. device: for positions on the host; None: the best.

    Arrays are like the positions, indices and shifts of 32 bits. Where torch's positions or cell require gradients, vectors and distances
    have them (coo). Kernels and the room that lists need are kept for further calls of as many particles with the same cutoff.
    """
    cutoff = _length(cutoff)
    if not isinstance(half, (bool, numpy.bool_)):
        raise TypeError(f"half: True or False is expected, not {short(half)}")
    for what, word in (("variant", variant), ("device", device)):
        word_of(word, what)
    if type(positions).__module__.split(".")[0] == "torch":
        from .gradients import outside_of_graphs

        return outside_of_graphs(_neighbours)(positions, cell, cutoff, pbc, entries, form, half, variant, device)  # type: ignore[no-any-return]
    return _neighbours(positions, cell, cutoff, pbc, entries, form, half, variant, device)


def by_first(positions: Any, cell: Any, cutoff: float, pbc: Any, entries: str, device: Optional[str]) -> Neighbours:
    """As ASE has it: entries in ascending order of their first particles, whole numbers of 64 bits."""
    return _neighbours(positions, cell, _length(cutoff), pbc, entries, "coo", False, None, device, True)


def _length(cutoff: Any) -> float:
    length: float = number_of(cutoff, "cutoff")
    if not length > 0 or math.isinf(length):
        raise ValueError(f"cutoff: a length is expected, not {length}")
    return length


def _neighbours(positions: Any, cell: Any, cutoff: float, pbc: Any, entries: str, form: str, half: bool, variant: Optional[str],
                device: Optional[str], ordered: bool = False) -> Neighbours:
    if not isinstance(form, str) or form not in ("coo", "csr", "matrix"):
        raise ValueError(f"form: coo, csr or matrix is expected, not {short(form)}")
    entries = _entries_of(entries)
    positions = as_reals(positions)
    module = module_of(positions)
    graded = module.__name__ in ("torch", "jax.numpy") and _is_graded(module, positions, cell)
    if graded and form != "coo":
        raise ValueError(f"form {form}: with gradients it is coo, or detach() positions and cell")
    if graded:
        words = "shifts" if cell is not None else "indices"

        def find(x: Any, rows: Any) -> Any:
            found = _neighbours(x, rows, cutoff, pbc, words, form, half, variant, device)
            return (found.first, found.second, found.shifts) if words == "shifts" else (found.first, found.second)

        return _grade(_found_by(module, find, positions, cell), positions, cell, entries)
    x = positions
    along = tuple(images_along(pbc).tolist())
    vectors, small = None, False
    if cell is not None and any(along):
        numbers = reals_of(cell, "cell")
        vectors, small = _known_cell(numbers.tobytes(), numbers.dtype.char, numbers.shape, along, cutoff)
    double = str(x.dtype).endswith("float64")
    if module.__name__ != "numpy" and "cuda" in str(x.device).lower():
        device = f"cuda:{x.device.index if module.__name__ == 'torch' else x.device.id}"
    if not len(x):
        found = _allocate(x, form, entries, double, 0, ordered)
        return found._replace(row_begin=module.zeros_like(found.row_begin)) if form == "csr" else found
    variant = variant or ("neighbours_tile" if small else "neighbours")
    kept = _list_of(vectors, along, device, len(x), float(cutoff), form, half, entries, variant, double)
    return kept.find(x, vectors, ordered)


def _is_graded(module: Any, positions: Any, cell: Any) -> bool:
    """Whether somebody differentiates by them."""
    if module.__name__ == "torch":
        from .gradients import is_transformed

        return any(module.is_tensor(one) and (one.requires_grad or is_transformed(one)) for one in (positions, cell))
    tracer = sys.modules["jax"].core.Tracer
    return isinstance(positions, tracer) or isinstance(cell, tracer)


def _found_by(module: Any, find: Any, positions: Any, cell: Any) -> Neighbours:
    """By the values of what is differentiated."""
    if module.__name__ == "torch":
        from .gradients import pairs_of

        rows = cell.detach() if hasattr(cell, "detach") else cell
        while hasattr(rows, "detach") and _is_graded(module, rows, None):
            rows = module._C._functorch.get_unwrapped(rows)
        return Neighbours(*pairs_of(lambda x: find(x, rows), positions))
    stopped = [None if one is None else sys.modules["jax"].lax.stop_gradient(one) for one in (positions, cell)]
    if any(isinstance(one, sys.modules["jax"].core.Tracer) for one in stopped):
        raise TypeError("neighbours: under jax.jit, and vmap, arrays have lengths that are known before: list outside, and compute there what is "
                        "made of the pairs")
    return Neighbours(*find(*stopped))


def _entries_of(words: str) -> str:
    """In the library's order."""
    if not isinstance(words, str):
        raise ValueError(f"entries: words are expected, not {short(words)}")
    return _in_order(words)


@functools.lru_cache(maxsize=64)
def _in_order(words: str) -> str:
    given = words.split("+")
    if given != ["indices"] and (not given or set(given) - set(ENTRIES)):
        raise ValueError(f"entries: 'indices', or some of {', '.join(ENTRIES)} joined by '+' are expected, not {short(words)}")
    return "+".join(word for word in ENTRIES if word in given) or "indices"


def _like(array: Any, numbers: Any) -> Any:
    module = module_of(array)
    device = {"device": array.device} if module.__name__ == "torch" else {}
    return module.asarray(numbers, dtype=array.dtype, **device)


def _grade(found: Neighbours, positions: Any, cell: Any, entries: str) -> Neighbours:
    """The same with vectors that torch can differentiate."""
    module = module_of(positions)
    second, first = (pair.long() if module.__name__ == "torch" else pair for pair in (found.second, found.first))
    vectors = positions[second, :3] - positions[first, :3]
    if cell is not None:
        rows = cell.to(positions) if hasattr(cell, "requires_grad") else _like(positions, cell)
        shifts = module.asarray(found.shifts, dtype=positions.dtype)
        vectors = vectors + shifts @ (module.diag(rows) if rows.ndim == 1 else rows)
    words = entries.split("+")
    return found._replace(shifts=found.shifts if "shifts" in words else None, vectors=vectors if "vectors" in words else None,
                          distances=module.sqrt((vectors**2).sum(1)) if "distances" in words else None)


@functools.lru_cache(maxsize=64)
def _known_cell(content: bytes, kind: str, shape: tuple[int, ...], along: tuple[bool, ...], cutoff: float) -> tuple[Any, bool]:
    """The vectors of a cell, and whether the cutoff reaches beyond an image: once for many calls with the same cell."""
    vectors = vectors_of(numpy.frombuffer(content, kind).reshape(shape), numpy.array(along))
    if not numpy.isfinite(vectors).all():
        raise ValueError("cell: finite numbers are expected")
    return vectors, _is_small(vectors, along, cutoff)


def _is_small(vectors: Any, along: tuple[bool, ...], cutoff: float) -> bool:
    """By heights, which are volume over area."""
    rows = vectors.tolist()
    normals = [_cross(rows[(k + 1) % 3], rows[(k + 2) % 3]) for k in range(3)]
    volume = abs(sum(a * b for a, b in zip(rows[0], normals[0])))
    return any(volume <= cutoff * math.hypot(*normal) for normal, images in zip(normals, along) if images)


def _cross(a: list[float], b: list[float]) -> list[float]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


# ---- a list of the library ----


class _Lists(Kernel):
    def __init__(self, cell: Any, pbc: Any, device: Optional[str], n: int, cutoff: float, form: str, half: bool, entries: str, variant: str,
                 double: bool):
        super().__init__(n, cell, device, None, cutoff,
                         {"variant": variant, "precision": "double" if double else "float", "list": form,
                          "list_pairs": "half" if half else "full", "list_entries": entries}, pbc=pbc)
        self.cell, self.form, self.entries, self.double, self.lock = cell, form, entries, double, threading.Lock()
        volume = math.inf if cell is None or not all(pbc) else abs(numpy.linalg.det(cell))
        row = 8 + 1.3 * n / volume * 4.2 * min(cutoff, 1e100)**3 * (0.5 if half else 1)  # a larger cube is no number
        self.room = int(min(2**31 - 1, row + 4 * math.sqrt(row) if form == "matrix" else row * n))

    def find(self, x: Any, cell: Any, ordered: bool) -> Neighbours:
        needed, arrays = ctypes.c_size_t(), arrays_of(x, self.n)
        with self.lock:
            if cell is not self.cell and (cell != self.cell).any():
                self.set_cell(cell)
                self.cell = cell
            while True:
                room = self.room
                found = _allocate(x, self.form, self.entries, self.double, room, ordered)
                places = _List(room, *[address_of(getattr(found, name)) for name in (
                    "count", "row_begin", "first", "second", "shifts", "vectors", "distances")], int(ordered))
                try:
                    # Waits for what is needed, and so for all of it.
                    Library.call("pm_neighbours", self.kernel(), ctypes.byref(arrays), ctypes.byref(places), ctypes.byref(needed))
                    break
                except PairmarkError as error:
                    if error.status != _NO_ROOM:
                        raise
                    self.room = int(min(2**31 - 1, 1.1 * needed.value + 8))
        part = (slice(None), slice(needed.value)) if self.form == "matrix" else slice(needed.value)
        return found._replace(**{name: getattr(found, name)[part] for name in _entries(self.form, self.entries)})


def _entries(form: str, words: str) -> list[str]:
    return ["second"] + ["first"] * (form == "coo") + [word for word in words.split("+") if word != "indices"]


def _allocate(x: Any, form: str, words: str, double: bool, room: int, ordered: bool) -> Neighbours:
    module = module_of(x)
    whole = (module.int64, 8) if ordered else (module.int32, 4)
    shape = (len(x), room) if form == "matrix" else (room,)
    real = module.float64 if double else module.float32
    kinds = {"shifts": ((*shape, 3), *whole), "vectors": ((*shape, 3), real, 8 if double else 4),
             "distances": (shape, real, 8 if double else 4), "row_begin": ((len(x) + 1,), module.int32, 4), "count": ((len(x),), module.int32, 4)}
    names = _entries(form, words) + {"coo": [], "csr": ["row_begin"], "matrix": ["count"]}[form]
    made = {name: aligned_like(x, *kinds.get(name, (shape, *whole))) for name in names}
    return Neighbours(**made)


_kept: "collections.OrderedDict[tuple[Any, ...], _Lists]" = collections.OrderedDict()  # those that were used last
_keeping = threading.Lock()


def _list_of(cell: Any, *rest: Any) -> _Lists:
    """Of any cell, if of one."""
    key = (cell is None, *rest)
    with _keeping:
        made = _kept.pop(key, None) or _Lists(cell, *rest)
        _kept[key] = made
        if len(_kept) > 16:
            _kept.popitem(last=False)
    return made


def _begin_child() -> None:
    """After fork(): another thread may have held the lock. The library refuses children of a process that has used a device."""
    global _keeping
    _keeping = threading.Lock()
    _kept.clear()


atexit.register(_kept.clear)
os.register_at_fork(after_in_child=_begin_child)
