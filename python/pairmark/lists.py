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
from typing import Any, Callable, NamedTuple, Optional

import numpy

from .arrays import (address_of, are_flags, array_of, aligned_like, as_reals, images_along, is_differentiated, is_memory, is_plain_tensor,
                     is_traced_by_jax, module_of, number_of, reals_of, short, vectors_of, word_of)
from .gradients import is_compiling, numbers_of, outside_of_graphs, pairs_of
from .library import ENTRIES, Again, Kernel, Library, Sized, arrays_of, finish_default, segments_of
from .program import PairmarkError

_NO_ROOM = 8
_MOST_KEPT = 16
_SMALL, _MOST_OF_SMALL = 4096, 256  # of up to so many particles: boxes of batches have many sizes
_TRIPLES = ("shifts", "vectors")
_PLACES = {"second": "neighbours"}  # members of pm_list with other names


class _List(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("room", ctypes.c_size_t)] + [(name, ctypes.c_void_p) for name in (
        "count", "row_begin", "first", "neighbours", "shifts", "vectors", "distances")] + [("by_first", ctypes.c_int)] + [
            ("cell", ctypes.c_void_p)]


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
               form: str = "coo", half: bool = False, variant: Optional[str] = None, device: Optional[str] = None,
               batch: Any = None) -> Neighbours:
    """All pairs within the cutoff, with their images.

    positions: n x 3 or n x 4, floats or doubles, also outside of the cell; others are copied. cell: 3 x 3, a vector a row, of any direction and smaller than
    the cutoff where wanted; three edges; None: no images. pbc: whether there are images, or three of that, along each vector. entries:
    "indices", or some of shifts, vectors, distances joined by "+". form: "coo", "csr", "matrix". half: each pair once. variant: of workload
    neighbours; None: one that suits the size. device: for positions on the host; None: the best.
    batch: of boxes that know nothing of each other, in which each particle is: n numbers from 0, ascending, as torch's segment indices. cell is
    then one 3 x 3 for each box, or None; pbc one or three flags for all, or three for each box; form coo or csr. Entries number the particles of
    all boxes; the lists of small boxes are made in one pass, in ascending order of first, then of second.

    Arrays are like the positions, indices and shifts of 32 bits. Where torch's positions or cell require gradients, vectors and distances
    have them (coo). Kernels and the room that lists need are kept for further calls of as many particles with the same cutoff.
    """
    if batch is not None:
        return _call_of_boxes(positions)(positions, cell, pbc, batch, dict(cutoff=cutoff, entries=entries, form=form, half=half, variant=variant, device=device))  # type: ignore[no-any-return]
    if type(positions).__module__.split(".")[0] != "torch":
        return _checked(positions, cell, cutoff, pbc, entries, form, half, variant, device)
    if is_compiling():
        return outside_of_graphs(_checked)(positions, cell, cutoff, pbc, entries, form, half, variant, device)  # type: ignore[no-any-return]
    key = _key_of(positions, cell, cutoff, pbc, entries, form, half, variant, device)
    recent = _recent.get(key)
    found = recent.find_again(positions, cell) if recent else None
    return _checked(positions, cell, cutoff, pbc, entries, form, half, variant, device, key) if found is None else found


def _checked(positions: Any, cell: Any, cutoff: Any, pbc: Any, entries: str, form: str, half: bool, variant: Optional[str], device: Optional[str],
             key: Any = None) -> Neighbours:
    cutoff = _checked_words(cutoff, half, variant, device)
    return _neighbours(positions, cell, cutoff, pbc, entries, form, half, variant, device, key=key)


def _checked_words(cutoff: Any, half: Any, variant: Any, device: Any) -> float:
    length = _length(cutoff)
    if not isinstance(half, (bool, numpy.bool_)):
        raise TypeError(f"half: True or False is expected, not {short(half)}")
    for what, word in (("variant", variant), ("device", device)):
        word_of(word, what)
    return length


def _call_of_boxes(positions: Any) -> Any:
    compiling = type(positions).__module__.split(".")[0] == "torch" and is_compiling()
    return outside_of_graphs(_of_boxes) if compiling else _of_boxes


def _of_boxes(positions: Any, cell: Any, pbc: Any, batch: Any, words: dict[str, Any]) -> Neighbours:
    if words["form"] not in ("coo", "csr"):
        raise ValueError(f"form: of a batch coo or csr is expected, not {short(words['form'])}")
    positions = as_reals(positions)
    module, segments = module_of(positions), segments_of(batch, len(positions))
    boxes = int(segments[-1]) + 1 if len(segments) else 0
    graded = module.__name__ in ("torch", "jax.numpy") and _is_graded(module, positions, cell)
    cells = cell if cell is None or (graded and hasattr(cell, "shape")) else reals_of(cell, "cell")  # on the host, once for all boxes
    if cells is not None and (cells.ndim != 3 or cells.shape[0] < boxes or tuple(cells.shape[1:]) != (3, 3)):
        raise ValueError(f"cell: of a batch {boxes} x 3 x 3 numbers are expected, not {' x '.join(map(str, cells.shape))}")
    flags = pbc.detach().cpu().numpy() if hasattr(pbc, "detach") else array_of(pbc, "pbc")
    if cells is None and pbc is not True and flags.any():
        raise ValueError("pbc: there are no cells that could have images")
    if flags.ndim == 2 and (flags.shape[0] < boxes or flags.shape[1] != 3 or not are_flags(flags)):
        raise ValueError(f"pbc: of a batch {boxes} x 3 flags are expected, not {' x '.join(map(str, flags.shape))}")
    starts = numpy.flatnonzero(numpy.concatenate([[True], segments[1:] != segments[:-1]])[:len(segments)])  # boxes without particles add nothing
    numbers, begin = segments[starts], numpy.append(starts, len(segments))
    if len(numbers) > 1 and words["variant"] is None and _are_small(positions, begin):
        along = numpy.broadcast_to(flags[:boxes].astype(bool) if flags.ndim == 2 else images_along(pbc), (boxes, 3))[numbers]
        return _together(positions, cells, _Boxes(numbers, begin, along), graded, **words)
    return _one_by_one(positions, cells, pbc if flags.ndim < 2 else flags, numbers, begin, words)


class _Boxes(NamedTuple):
    """Those with particles: their numbers, where each begins (and the end), and along which vectors each has images."""

    numbers: Any
    begin: Any
    along: Any


_TOGETHER = 500, 2500  # particles of a box, on the host and on a device; of more, cells find neighbours in less time


def _are_small(positions: Any, begin: Any) -> bool:
    """Whether all pairs within the boxes are looked at in less time than there is a call for each box."""
    sizes, most = numpy.diff(begin).astype(float), _TOGETHER["cuda" in str(getattr(positions, "device", "")).lower()]
    return bool((sizes**2).mean() <= most**2)


def _together(positions: Any, cells: Any, boxes: _Boxes, graded: bool, cutoff: Any, entries: Any, form: str, half: Any, variant: Optional[str],
              device: Optional[str]) -> Neighbours:
    """In one pass over all particles."""
    cutoff, entries = _checked_words(cutoff, half, variant, device), _entries_of(entries)
    if not graded:
        return _list_boxes(positions, None if cells is None else cells[boxes.numbers], boxes, cutoff, entries, form, half, device)
    module = module_of(positions)
    if form != "coo":
        raise ValueError(f"form {form}: with gradients it is coo, or detach() positions and cell")
    words = "shifts" if cells is not None else "indices"

    def find(x: Any, rows: Any) -> Any:
        of_boxes = None if rows is None else reals_of(rows, "cell")[boxes.numbers]
        found = _list_boxes(x, of_boxes, boxes, cutoff, words, form, half, device)
        return (found.first, found.second, found.shifts) if words == "shifts" else (found.first, found.second)

    of_particle = numpy.repeat(boxes.numbers, numpy.diff(boxes.begin))
    return _grade(_found_by(module, find, positions, cells), positions, cells, entries, of_particle)


def _list_boxes(x: Any, cells: Any, boxes: _Boxes, cutoff: float, entries: str, form: str, half: bool, device: Optional[str]) -> Neighbours:
    if cells is not None:
        cells = numpy.where(boxes.along[:, :, None], cells, 0.0)
        wrong = ~numpy.isfinite(cells).all((1, 2)) | (boxes.along & ~cells.any(2)).any(1)
        if wrong.any():
            raise ValueError(f"cell: box {boxes.numbers[wrong][0]}: three vectors of finite numbers are expected")
    double, key = str(x.dtype).endswith("float64"), _device_of(x, device)
    kept = _kept_as(("boxes", key, float(cutoff), form, half, entries, double),
                    lambda: _BoxLists(cells, boxes, key, float(cutoff), form, half, entries, double))
    try:
        return kept.find_in(x, cells, boxes)  # type: ignore[no-any-return]
    except PairmarkError as error:
        box, _, words = str(error).partition(": ")
        if not box.startswith("box "):
            raise
        raise PairmarkError(f"box {boxes.numbers[int(box[4:])]}: {words}", error.status) from None


def _one_by_one(positions: Any, cells: Any, pbc: Any, numbers: Any, begin: Any, words: dict[str, Any]) -> Neighbours:
    flags = getattr(pbc, "ndim", 0) == 2
    found = []
    for b, start, end in zip(numbers.tolist(), begin[:-1], begin[1:]):
        try:
            found.append(neighbours(positions[start:end], None if cells is None else cells[b],
                                    pbc=pbc[b] if flags else pbc, **words))
        except PairmarkError as error:
            raise PairmarkError(f"box {b}: {error}", error.status) from None
    return _joined(found, begin[:-1]) if found else neighbours(positions, **words)


def _joined(found: list[Neighbours], begin: Any) -> Neighbours:
    """Lists of boxes one behind the other, each of which begins with such a particle."""
    module = module_of(found[0].second)
    join = module.cat if module.__name__ == "torch" else module.concatenate
    before = [0, *numpy.cumsum([len(one.second) for one in found]).tolist()]
    joined = {}
    for name, columns in zip(Neighbours._fields, zip(*found)):
        if name in ("first", "second"):
            columns = tuple(None if column is None else column + int(start) for column, start in zip(columns, begin))
        if name == "row_begin" and columns[0] is not None:
            columns = tuple(column[:len(column) - (k + 1 < len(found))] + before[k] for k, column in enumerate(columns))
        joined[name] = None if columns[0] is None else join(columns)
    return Neighbours(**joined)


_recent: "dict[Any, _Recent]" = {}  # by what neighbours() was called with


def _key_of(x: Any, cell: Any, cutoff: Any, pbc: Any, entries: Any, form: Any, half: Any, variant: Any, device: Any) -> Any:
    """What calls for tensors have in common that need the same list and no other check; None: nobody knows."""
    if (type(cutoff) is float and type(half) is bool and type(entries) is str and type(form) is str and (variant is None or type(variant) is str) and
            (device is None or type(device) is str) and (type(pbc) is bool or (type(pbc) is tuple and all(type(one) is bool for one in pbc))) and
            is_plain_tensor(x) and is_memory(x)):
        return x.shape, x.dtype, x.device, cell is None, cutoff, pbc, entries, form, half, variant, device
    return None


def by_first(positions: Any, cell: Any, cutoff: float, pbc: Any, entries: str, device: Optional[str]) -> Neighbours:
    """As ASE has it: entries in ascending order of their first particles, whole numbers of 64 bits."""
    return _neighbours(positions, cell, _length(cutoff), pbc, entries, "coo", False, None, device, True)


def _length(cutoff: Any) -> float:
    length: float = number_of(cutoff, "cutoff")
    if not length > 0 or math.isinf(length):
        raise ValueError(f"cutoff: a length is expected, not {length}")
    return length


def _neighbours(positions: Any, cell: Any, cutoff: float, pbc: Any, entries: str, form: str, half: bool, variant: Optional[str],
                device: Optional[str], ordered: bool = False, key: Any = None) -> Neighbours:
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
    if cell is None and pbc is not True and any(along):
        raise ValueError("pbc: there is no cell that could have images")
    vectors, small, content = None, False, None
    if cell is not None and any(along):
        numbers = reals_of(cell, "cell")
        content = numbers.tobytes(), numbers.dtype.char, numbers.shape
        vectors, small = _known_cell(*content, along, cutoff)
    if vectors is not None:
        _check_images(vectors, along, len(x), cutoff)
    double = str(x.dtype).endswith("float64")
    device = _device_of(x, device)
    if not len(x):
        found = Neighbours(**_make(x, _kinds_of(module, 0, form, entries, double, ordered), 0))
        return found._replace(row_begin=module.zeros_like(found.row_begin)) if form == "csr" else found
    variant = variant or ("neighbours_tile" if small else "neighbours")
    kept = _list_of(vectors, along, device, len(x), float(cutoff), form, half, entries, variant, double)
    found = kept.find(x, vectors, content, ordered)
    if key is not None:
        if len(_recent) >= _MOST_KEPT:
            _recent.clear()
        _recent[key] = _Recent(kept, x)
    return found


def _device_of(x: Any, device: Optional[str]) -> Optional[str]:
    """That of an array, or the one that is named for those of the host."""
    if type(x) is numpy.ndarray or "cuda" not in str(x.device).lower():
        return device
    return f"cuda:{x.device.index if module_of(x).__name__ == 'torch' else x.device.id}"


def _is_graded(module: Any, positions: Any, cell: Any) -> bool:
    """Whether somebody differentiates by them."""
    if module.__name__ == "torch":
        return any(module.is_tensor(one) and is_differentiated(one) for one in (positions, cell))
    return is_traced_by_jax(positions) or is_traced_by_jax(cell)


def _found_by(module: Any, find: Any, positions: Any, cell: Any) -> Neighbours:
    """By the values of what is differentiated."""
    if module.__name__ == "torch":
        rows = numbers_of(cell) if module.is_tensor(cell) else cell
        return Neighbours(*pairs_of(lambda x: find(x, rows), positions))
    stopped = [None if one is None else sys.modules["jax"].lax.stop_gradient(one) for one in (positions, cell)]
    if any(is_traced_by_jax(one) for one in stopped):
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


def _grade(found: Neighbours, positions: Any, cell: Any, entries: str, of_particle: Any = None) -> Neighbours:
    """The same with vectors that torch can differentiate. of_particle: which of several cells each is in."""
    module = module_of(positions)
    second, first = (pair.long() if module.__name__ == "torch" else pair for pair in (found.second, found.first))
    vectors = positions[second, :3] - positions[first, :3]
    if cell is not None:
        rows = cell.to(positions) if hasattr(cell, "requires_grad") else _like(positions, cell)
        shifts = module.asarray(found.shifts, dtype=positions.dtype)
        if of_particle is None:
            vectors = vectors + shifts @ (module.diag(rows) if rows.ndim == 1 else rows)
        else:
            of_particle = module.asarray(of_particle, **({"device": first.device} if module.__name__ == "torch" else {}))
            vectors = vectors + module.einsum("es,esd->ed", shifts, rows[of_particle[first]])
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


def _check_images(vectors: Any, along: tuple[bool, ...], n: int, cutoff: float) -> None:
    """That a list, which each particle is in with its own images, those of others beside them, is not longer than numbers reach."""
    lengths = [math.hypot(*row) for row in vectors.tolist()]
    inside = cutoff - sum(lengths) if all(along) else cutoff
    least = float(n * n if all(along) and inside > 0 else n)  # each pair has an image within the sum of lengths
    for length, images in zip(lengths, along):
        least *= 2 * inside / (sum(along) * length) - 1 if images and 0 < sum(along) * length < inside else 1
    if least > 2**32:
        raise ValueError(f"cutoff: {cutoff:g} reaches so many images that the list has more than 2^31 entries")


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
        self.names = _names_of(form, entries)
        self.content: Any = None  # of the cell, as it was given: bytes, kind and shape
        self.is_exact = False  # which the library has as it was given
        self.there: Optional[int] = None  # a cell on the device, to be compared with that
        volume = math.inf if cell is None or not all(pbc) else abs(numpy.linalg.det(cell))
        row = 8 + 1.3 * n / volume * 4.2 * min(cutoff, 1e100)**3 * (0.5 if half else 1)  # a larger cube is no number
        guessed, most = (row + 4 * math.sqrt(row), 2**26 // n) if form == "matrix" else (row * n, 2**26)
        self.room = int(max(8, min(most, guessed)))  # the library says where that is too little

    def find(self, x: Any, cell: Any, content: Any, ordered: bool) -> Neighbours:
        with self.lock:
            if cell is not self.cell and (cell != self.cell).any():
                self.set_cell(cell)
                self.cell = cell
            self.content, self.there = content, None
            self.is_exact = cell is not None and content is not None and cell.astype(content[1]).tobytes() == content[0]
            return self._find(x, ordered)

    def is_content(self, x: Any, cell: Any, again: Optional[Again]) -> bool:
        """Whether a cell has the numbers of the one before. Those of one on the device are compared there, with positions of that kind."""
        if type(cell) in (list, tuple):
            cell = reals_of(cell, "cell")
        if type(cell) is numpy.ndarray:
            return bool(cell.dtype.isnative) and (cell.tobytes(), cell.dtype.char, cell.shape) == tuple(self.content or ())
        if not is_plain_tensor(cell) or not is_memory(cell):
            return False
        if cell.device.type == "cpu":
            numbers = cell.numpy()
            return bool((numbers.tobytes(), numbers.dtype.char, numbers.shape) == self.content)
        if again is None or not self.is_exact or cell.dtype is not x.dtype or cell.shape != (3, 3) or cell.device != x.device:
            return False
        self.there = cell.data_ptr()
        return True

    def _find(self, x: Any, ordered: bool) -> Neighbours:
        again = self._spare.pop(x)
        if again is not None:
            if _is_on_device(again) and self.form != "matrix" and not ordered:
                all_of_it = self.find_on_device(again, x)
                if all_of_it is not None:
                    self._spare.kept.append(again)
                    return all_of_it
            again.take(x)
        needed, places = ctypes.c_size_t(), _List(0, by_first=int(ordered))
        arrays = again.arrays if again else arrays_of(x, self.n)
        kinds = _kinds_of(module_of(x), self.n, self.form, self.entries, self.double, ordered)
        while True:
            places.room = self.room
            found = _make(x, kinds, self.room)
            for name, array in found.items():
                setattr(places, _PLACES.get(name, name), address_of(array))
            try:
                # Waits for what is needed; the list is there in the order of the stream, for which jax does not wait.
                Library.call("pm_neighbours", self.kernel(), ctypes.byref(arrays), ctypes.byref(places), ctypes.byref(needed))
                if again is None and arrays.waits_for is not None:
                    finish_default(arrays.waits_for)
                break
            except PairmarkError as error:
                if error.status != _NO_ROOM:
                    raise
                self.room = int(min(2**31 - 1, 1.1 * needed.value + 8))
        if again is None:
            self._spare.keep(x, arrays)
        else:
            self._spare.kept.append(again)
        count = needed.value
        for name in self.names:
            array = found[name]
            found[name] = array[:, :count] if self.form == "matrix" else array[:count]
        return Neighbours(**found)

    def find_on_device(self, again: Again, x: Any) -> Optional[Neighbours]:
        """None: there was too little room."""
        to = again.lists
        if to is None or to.places.room != self.room:
            to = again.lists = _Places(x, _kinds_of(module_of(x), self.n, self.form, self.entries, self.double, False), self.room)
        made: list[Any] = [None] * len(Neighbours._fields)
        places, empty_like = to.places, again.empty_like
        again.take(x)
        places.cell = self.there
        for member, field, _, like in to.arrays:
            made[field] = array = empty_like(like)
            setattr(places, member, array.data_ptr())
        arrays, error = again.handed
        if Library.status("pm_neighbours", self.kernel(), arrays, *to.handed, error):
            if again.error.status != _NO_ROOM:
                raise again.failed()
            self.room = int(min(2**31 - 1, 1.1 * to.needed.value + 8))
            return None
        count = to.needed.value
        for _, field, numbers, _ in to.arrays:  # nobody else has them: a view would take longer to make
            if numbers == 3:
                made[field].resize_(count, 3)
            elif numbers == 1:
                made[field].resize_(count)
        return Neighbours._make(made)


def _is_on_device(again: Again) -> bool:
    return again.stream is not None


class _Recent:
    """A list that was made for a tensor, for further ones of its shape, kind and device."""

    def __init__(self, lists: _Lists, x: Any):
        again = Again(x, arrays_of(x, lists.n))
        self.lists, self.again = lists, again if _is_on_device(again) and lists.form != "matrix" else None

    def find_again(self, x: Any, cell: Any) -> Optional[Neighbours]:
        """The same in the cell of the call before; None: this is another, nobody knows, or there was too little room."""
        lists, again = self.lists, self.again
        with lists.lock:
            lists.there = None
            if cell is not None and not lists.is_content(x, cell, again):
                return None
            if again is None:
                return lists._find(x, False)
            try:
                return lists.find_on_device(again, x)
            except PairmarkError:
                if lists.there is not None:  # what is wrong may be that it is another
                    return None
                raise


class _Places:
    """pm_list for further calls with the same room. arrays: of each the member, the field of Neighbours, how many numbers an entry has (0: they
    are of particles), and what it is made like."""

    def __init__(self, x: Any, kinds: list[Any], room: int):
        self.places, self.needed = _List(room), ctypes.c_size_t()
        self.handed = ctypes.byref(self.places), ctypes.byref(self.needed)
        self.arrays = [(_PLACES.get(name, name), Neighbours._fields.index(name), 0 if None not in shape else len(shape) * 2 - 1,
                        # One number in the place of all: empty_like() takes half the time of new_empty().
                        x.new_empty(1, dtype=kind).expand([room if length is None else length for length in shape])) for name, shape, kind, _ in kinds]


class _BoxLists(_Lists):
    """Of boxes, which may be others at each call."""

    _lacks_images = True

    def __init__(self, cells: Any, boxes: _Boxes, device: Optional[str], cutoff: float, form: str, half: bool, entries: str, double: bool):
        Kernel.__init__(self, int(boxes.begin[-1]), cells, device, None, cutoff,
                        {"variant": "neighbours", "precision": "double" if double else "float", "list": form,
                         "list_pairs": "half" if half else "full", "list_entries": entries}, batch=_ranks_of(boxes))
        self.cell, self.form, self.entries, self.double, self.lock = cells, form, entries, double, threading.Lock()
        self.begin, self.cutoff, self.names, self.room, self.there = boxes.begin, cutoff, _names_of(form, entries), 32 * self.n, None

    def find_in(self, x: Any, cells: Any, boxes: _Boxes) -> Neighbours:
        with self.lock:
            same = numpy.array_equal(boxes.begin, self.begin) and (cells is None) == (self.cell is None)
            if not (same and (cells is None or numpy.array_equal(cells, self.cell))):
                before = self.n, self.batch
                self.n, self.batch = int(boxes.begin[-1]), _ranks_of(boxes)
                try:
                    system = self._make_system(cells, None, self.cutoff, None, {})
                    Library.call("pm_set_system", self.kernel(), system)
                except BaseException:
                    self.n, self.batch = before
                    raise
                self._system, self.begin, self.cell = system, boxes.begin, cells
            return self._find(x, False)


def _ranks_of(boxes: _Boxes) -> Any:
    return numpy.repeat(numpy.arange(len(boxes.numbers), dtype=numpy.int32), numpy.diff(boxes.begin))


def _names_of(form: str, entries: str) -> list[str]:
    return ["second"] + ["first"] * (form == "coo") + [word for word in entries.split("+") if word != "indices"]


@functools.lru_cache(maxsize=64)
def _kinds_of(module: Any, n: int, form: str, entries: str, double: bool, ordered: bool) -> list[Any]:
    """Of each array its name, shape (None: the room), kind of numbers and bytes a number."""
    whole, real = (module.int64, 8) if ordered else (module.int32, 4), (module.float64, 8) if double else (module.float32, 4)
    row = (n, None) if form == "matrix" else (None,)
    kinds = {"shifts": ((*row, 3), *whole), "vectors": ((*row, 3), *real), "distances": (row, *real)}
    of_rows = {"coo": [], "csr": [("row_begin", (n + 1,), module.int32, 4)], "matrix": [("count", (n,), module.int32, 4)]}
    return [(name, *kinds.get(name, (row, *whole))) for name in _names_of(form, entries)] + of_rows[form]


def _make(x: Any, kinds: list[Any], room: int) -> dict[str, Any]:
    make = aligned_like
    if is_plain_tensor(x) and x.is_cuda:
        make = _empty
    return {name: make(x, tuple([room if length is None else length for length in shape]), kind, each) for name, shape, kind, each in kinds}


def _empty(array: Any, shape: tuple[int, ...], dtype: Any, itemsize: int) -> Any:
    return array.new_empty(shape, dtype=dtype)


_kept: "collections.OrderedDict[tuple[Any, ...], _Lists]" = collections.OrderedDict()  # those that were used last
_keeping = threading.Lock()


def _list_of(cell: Any, *rest: Any) -> _Lists:
    """Of any cell, if of one."""
    return _kept_as((cell is None, *rest), lambda: _Lists(cell, *rest))  # type: ignore[no-any-return]


def _kept_as(key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    with _keeping:
        made = _kept.pop(key, None) or make()
        _kept[key] = made
        if len(_kept) > (_MOST_OF_SMALL if max(one.n for one in _kept.values()) <= _SMALL else _MOST_KEPT):
            _kept.popitem(last=False)
    return made


def _begin_child() -> None:
    """After fork(): another thread may have held the lock. The library refuses children of a process that has used a device."""
    global _keeping
    _keeping = threading.Lock()
    _kept.clear()
    _recent.clear()


atexit.register(_recent.clear)
atexit.register(_kept.clear)
os.register_at_fork(after_in_child=_begin_child)
