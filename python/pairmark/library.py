"""libpairmark by ctypes: forces of particles whose positions are in an array of numpy, torch, cupy or jax, on the host or the device.

Floats and doubles, rows one after the other, are taken without copies, by DLPack, and results given. On a device the work is enqueued on the
current stream of torch or cupy.
"""
from __future__ import annotations

import atexit
import ctypes
import ctypes.util
import functools
import inspect
import json
import logging
import math
import os
import threading
import warnings
from pathlib import Path
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

from .arrays import (DEVICE, HOST, address_of, as_reals, empty_like, images_along, integers, is_of_jax, is_plain_tensor, is_traced_by_jax, memory_test,
                     module_of, number_of, raw_stream, reals, short, stream_of, vectors_of, view, whole_of, word_of)
from .program import PairmarkError

# ---- pairmark.h ----

_TERMS = {"bonds": (0, 2, 2), "angles": (1, 3, 2), "torsions": (2, 4, 3), "rb_torsions": (3, 4, 6)}  # kind, particles, parameters


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 2048)]


class Sized(ctypes.Structure):
    """A struct of pairmark.h that begins with its size."""

    def __init__(self, *values: Any, **members: Any):
        super().__init__(ctypes.sizeof(self), *values, **members)


_CHOICES = {"precision": ("float", "mixed", "double", "fixed"), "outputs": ("forces", "energy", "virial"), "list": ("matrix", "csr", "coo"),
            "list_pairs": ("full", "half"), "distribution": ("uniform", "gaussian", "words", "kick")}  # enums, in their order
ENTRIES = ("shifts", "vectors", "distances")  # of lists: a bit each


class _Choice(Sized):
    _fields_ = [("size", ctypes.c_size_t), *((name, ctypes.c_char_p) for name in ("variant", "tunables", "answer")),
                *((name, ctypes.c_int) for name in ("precision", "outputs", "list", "list_pairs", "list_entries", "distribution")),
                ("dt", ctypes.c_double), ("thermostat", ctypes.c_char_p), ("field", ctypes.c_char_p)]


def _choice_of(words: Mapping[str, Any]) -> _Choice:
    choice = _Choice()
    for name, word in words.items():
        if name == "list_entries":
            choice.list_entries = sum(1 << bit for bit, entry in enumerate(ENTRIES) if entry in word.split("+"))
        elif name == "dt":
            choice.dt = number_of(word, "dt")
        elif name in _CHOICES:
            if not isinstance(word, str) or word not in _CHOICES[name]:
                raise ValueError(f"{name}: one of {', '.join(_CHOICES[name])} is expected, not {short(word)}")
            setattr(choice, name, _CHOICES[name].index(word))
        else:
            setattr(choice, name, word_of(word, name) or None)
    return choice


class _Arrays(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("place", ctypes.c_int), ("number", ctypes.c_int), ("width", ctypes.c_int), ("positions", ctypes.c_void_p),
                ("forces", ctypes.c_void_p), ("energy", ctypes.c_void_p), ("virial", ctypes.c_void_p), ("queue", ctypes.c_void_p),
                ("energies", ctypes.c_void_p)]


class _Motion(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("place", ctypes.c_int), ("number", ctypes.c_int), ("width", ctypes.c_int),
                ("positions", ctypes.c_void_p), ("velocities", ctypes.c_void_p), ("step", ctypes.c_ulonglong), ("forces", ctypes.c_void_p),
                ("energy", ctypes.POINTER(ctypes.c_double)), ("virial", ctypes.POINTER(ctypes.c_double)),
                ("kinetic", ctypes.POINTER(ctypes.c_double)), ("queue", ctypes.c_void_p)]


class _Groups(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("a", ctypes.c_void_p), ("count_a", ctypes.c_size_t), ("b", ctypes.c_void_p), ("count_b", ctypes.c_size_t),
                ("paired", ctypes.c_int)]


class _Trial(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("arrays", ctypes.POINTER(_Arrays)), ("steps", ctypes.c_double), ("milliseconds", ctypes.c_double)]


class _Draw(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("seed", ctypes.c_ulonglong), ("step", ctypes.c_ulonglong), ("numbers", ctypes.c_void_p),
                ("place", ctypes.c_int), ("queue", ctypes.c_void_p)]


_FORKED = 7  # of enum pm_status
_Say = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
_TakeDevice = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *3 * (ctypes.c_char_p,))
_log = logging.getLogger("pairmark")
_said: list[bytes] = []  # by calls that have not told it yet
_say = _Say(_said.insert)  # no code of Python, in which Ctrl-C would be met and lost: C cannot pass an exception on
_AT_END = ctypes.c_void_p(2**30)  # where to insert


def _tell() -> None:
    while _said:
        try:
            line = _said.pop(0)
        except IndexError:  # another thread tells it
            return
        _log.info("%s", line.decode(errors="replace"))


def library_path() -> str:
    """That of PAIRMARK_LIBRARY, else the one that came with this package, else the system's."""
    named = os.environ.get("PAIRMARK_LIBRARY")
    if named:
        return named
    for folder in ("lib", "lib64"):
        bundled = Path(__file__).parent / folder / "libpairmark.so"
        if bundled.is_file():
            return str(bundled)
    found = ctypes.util.find_library("pairmark")
    if found:
        return found
    raise PairmarkError("there is no libpairmark: neither in this package nor in the system; PAIRMARK_LIBRARY names one", 2)


class Library:
    """The functions, loaded once; each raises what it reports."""

    loaded: Optional[ctypes.CDLL] = None

    @classmethod
    def call(cls, name: str, *arguments: Any, of: str = "") -> None:
        """of: the argument that an error is of, where the message says none."""
        error = _Error()
        if cls.status(name, *arguments, ctypes.byref(error)):
            raise PairmarkError((of and f"{of}: ") + error.message.decode(errors="replace"), error.status)

    @classmethod
    def status(cls, name: str, *arguments: Any) -> int:
        status: int = getattr(cls.loaded or cls.get(), name)(*arguments)
        if _said:
            _tell()
        return status

    @classmethod
    def get(cls) -> ctypes.CDLL:
        if cls.loaded is None:
            try:
                library = ctypes.CDLL(library_path())
                library.pm_version.restype = ctypes.c_char_p
            except (OSError, AttributeError) as error:
                raise PairmarkError(f"no libpairmark: {error}", 2) from None
            library.pm_system_create.argtypes = [ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
            library.pm_system_exclude_pairs.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
            library.pm_system_potential.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_double, ctypes.c_void_p]
            library.pm_moved.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p]
            library.pm_device.restype = ctypes.c_char_p
            library.pm_caution.restype = ctypes.c_char_p
            library.pm_kernel_words.restype = ctypes.c_char_p
            for name in ("pm_close", "pm_system_free", "pm_kernel_free"):
                getattr(library, name).argtypes = [ctypes.c_void_p]
                getattr(library, name).restype = None
            cls.loaded = library
        return cls.loaded


def version() -> str:
    """Of the library."""
    return str(Library.get().pm_version().decode())


class Device(NamedTuple):
    """One of devices()."""

    name: str  # "cuda:0"
    model: str
    unusable: str  # "", or why it cannot be opened


class Variant(NamedTuple):
    """One of variants()."""

    name: str
    workload: str
    summary: str


def _listed(function: str, kind: Any) -> Any:
    found: list[Any] = []
    Library.call(function, _TakeDevice(lambda _, *words: found.append(kind(*(word.decode() for word in words)))), None)
    return found


def devices() -> list[Device]:
    """What System(device=...) can be given, best first."""
    made: list[Device] = _listed("pm_devices", Device)
    return made


def variants() -> list[Variant]:
    """What `variant` of System, neighbours and Random can be given."""
    made: list[Variant] = _listed("pm_variants", Variant)
    return made


class _Handle(ctypes.c_void_p):
    """What the library made, freed once nobody has it: neither an owner, who closed it, nor a call in another thread."""

    _free = ""

    def __del__(self) -> None:
        if self and Library.loaded:
            getattr(Library.loaded, self._free)(self)


class _SystemHandle(_Handle):
    _free = "pm_system_free"


class _KernelHandle(_Handle):
    _free = "pm_kernel_free"


# ---- evaluations ----


def arrays_of(positions: Any, n: int) -> _Arrays:
    """pm_arrays with the positions, as as_reals() makes them, and the current stream, without results."""
    ready = is_of_jax(positions) and not is_traced_by_jax(positions)
    seen = view(positions.block_until_ready() if ready else positions, n, "positions")
    arrays = _Arrays(seen.place, seen.number, seen.width, seen.address)
    arrays.queue = stream_of(module_of(positions), seen.device) if seen.place == DEVICE else None
    arrays.capsule = seen.capsule  # as long as they live
    arrays.waits_for = seen.device if seen.place == DEVICE and is_of_jax(positions) else None
    return arrays


def finish_default(device: int) -> None:
    """Waits for the default stream of CUDA, for which those of jax do not wait."""
    cuda, context, ordinal = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_int()
    if cuda.cuDeviceGet(ctypes.byref(ordinal), device) or cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), ordinal):
        raise PairmarkError(f"cuda:{device}: no context", 6)
    cuda.cuCtxPushCurrent_v2(context)
    failed = cuda.cuStreamSynchronize(None)
    cuda.cuCtxPopCurrent_v2(ctypes.byref(context))
    cuda.cuDevicePrimaryCtxRelease_v2(ordinal)
    if failed:
        raise PairmarkError(f"cuda:{device}: error {failed} of CUDA", 5)


class Again:
    """What a call for tensors hands to the library, for further ones of that shape, kind and device, of which only addresses are new."""

    __slots__ = ("kind", "shape", "dtype", "device", "is_memory", "stream", "arrays", "error", "handed", "empty_like", "lists")

    def __init__(self, x: Any, arrays: _Arrays):
        self.kind, self.shape, self.dtype, self.device, self.is_memory = type(x), x.shape, x.dtype, x.device, memory_test()
        self.stream = raw_stream(module_of(x), x.device.index) if arrays.place == DEVICE else None
        self.arrays, self.error = _Arrays(arrays.place, arrays.number, arrays.width), _Error()
        self.handed, self.empty_like = (ctypes.byref(self.arrays), ctypes.byref(self.error)), module_of(x).empty_like
        self.lists: Any = None  # of those, where they are left

    def fits(self, x: Any) -> bool:
        return (type(x) is self.kind and x.shape == self.shape and x.dtype is self.dtype and x.device == self.device and
                self.is_memory(x))

    def take(self, x: Any) -> None:
        self.arrays.positions = x.data_ptr()
        if self.stream is not None:
            self.arrays.queue = self.stream()

    def failed(self) -> PairmarkError:
        return PairmarkError(self.error.message.decode(errors="replace"), self.error.status)


class Spare:
    """Those of a System or a list that no thread is using."""

    def __init__(self) -> None:
        self.kept: list[Again] = []

    def pop(self, x: Any) -> Optional[Again]:
        try:
            found = self.kept.pop()
        except IndexError:
            return None
        return found if found.fits(x) else None

    def keep(self, x: Any, arrays: _Arrays) -> None:
        if is_plain_tensor(x):
            self.kept.append(Again(x, arrays))


# ---- systems ----


class Results(NamedTuple):
    """Of one evaluation: arrays like the positions were, in the units of the potential. None: not asked for."""

    forces: Any  # n x 3 or n x 4, as the positions; energy per length
    energy: Any  # one number; of a batch one for each box
    virial: Any  # 3 x 3, of a batch for each box: the sum of r_ij F_ij over pairs, an energy


class _Context:
    """A device. Threads have contexts of their own, whose calls do not wait for each other; what one has compiled is kept as long as its thread."""

    kept = threading.local()

    def __init__(self, device: Optional[str]):
        self.handle: Any = ctypes.c_void_p()
        Library.call("pm_open", word_of(device, "device"), ctypes.byref(self.handle))
        Library.call("pm_log", self.handle, _say, _AT_END)
        caution = Library.get().pm_caution(self.handle).decode()
        if caution:
            warnings.warn(caution, RuntimeWarning, stacklevel=4)

    def __del__(self) -> None:
        if self.handle:
            Library.get().pm_close(self.handle)

    @classmethod
    def of(cls, device: Optional[str]) -> "_Context":
        word_of(device, "device")
        kept: dict[Optional[str], _Context] = cls.kept.__dict__  # type: ignore[assignment]
        if device not in kept:
            kept[device] = cls(device)
        return kept[device]


atexit.register(_Context.kept.__dict__.clear)


class Kernel:
    """A context, a system and a kernel of libpairmark, which nobody else has: a copy, and what is unpickled, makes its own. `choice`: of
    pm_choice."""

    _made_of: tuple[Any, ...]
    _cell: Any
    _spare: Spare
    boxes = 1  # of a batch how many
    _lacks_images = False  # whether boxes of a batch may, along vectors of zeros
    _acts_by = ""  # the keyword that says what acts

    def __new__(cls, *words: Any, **keywords: Any) -> Any:
        made = super().__new__(cls)
        made._made_of = words, keywords
        made._cell = None
        made._spare = Spare()
        return made

    def __reduce__(self) -> Any:
        self._open(self._context)
        return _made_again, (type(self), *self._made_of, self._cell)

    def __init__(self, n: int, cell: Any, device: Optional[str], potential: Optional[str], cutoff: float, choice: Mapping[str, str],
                 table: Optional[str] = None, pbc: Any = True, batch: Any = None, **particles: Any):
        self.n = _count_of(n)
        self.batch = segments_of(batch, self.n)
        self._context = self._system = self._kernel = None
        kernel = _KernelHandle()
        try:
            self._context = _Context.of(device)
            self._along = images_along(pbc)
            if not any(self._along):
                cell = None
            self._system = self._make_system(cell, potential, cutoff, table, particles)
            self._choice = _choice_of(choice)
            if choice["variant"] == "" and getattr(self, "_best_within", None) is None:
                raise ValueError("variant: a name is expected, not ''")
            if choice["variant"] != "":
                Library.call("pm_kernel_create", self._context.handle, self._system, ctypes.byref(self._choice), ctypes.byref(kernel))
                self._kernel = kernel
        except BaseException:
            self.close()
            raise

    def _make_system(self, cell: Any, potential: Optional[str], cutoff: float, table: Any, particles: Mapping[str, Any]) -> Any:
        system = _SystemHandle()
        Library.call("pm_system_create", self.n, None if self.batch is not None else self._vectors(cell), ctypes.byref(system))
        if self.batch is not None:
            self._make_boxes(system, cell)
            cell = None
        if cell is not None and not all(self._along):
            Library.call("pm_system_periodic", system, (ctypes.c_int * 3)(*map(int, self._along)))
        if particles:
            self._describe(system, **particles)
        cutoff = number_of(cutoff, "cutoff")
        if not cutoff > 0:
            raise ValueError(f"cutoff: a length of more than 0 is expected, not {short(cutoff)}")
        if potential is not None or table is not None or not math.isinf(cutoff):
            Library.call("pm_system_potential", system, word_of(potential, "potential"), word_of(table, "table"), cutoff, of=self._acts_by)
        return system

    def _make_boxes(self, system: Any, cell: Any) -> None:
        import numpy

        cells = None
        if cell is not None:
            whole = type(cell) is numpy.ndarray and cell.dtype == float and cell.shape[1:] == (3, 3)
            try:
                cells = numpy.ascontiguousarray(cell if whole else [vectors_of(one, self._along) for one in _listed_of(cell, "cell")], float)
            except ValueError as error:
                raise ValueError(f"{error}, for each box of the batch") from None
        self.boxes = len(cells) if cells is not None and len(cells) else int(self.batch[-1]) + 1 if len(self.batch) else 0
        if not all(self._along) and cell is not None:
            raise ValueError("pbc: boxes of a batch are periodic along all vectors, or open")
        if self.boxes < 1 or (len(self.batch) and int(self.batch[-1]) >= self.boxes):
            raise ValueError(f"batch: numbers below {self.boxes}, the boxes of cell, are expected")
        if self.boxes > 2**24:
            raise ValueError(f"batch: {self.boxes} boxes; expected at most {2**24}")
        whole_cells = None if cells is None or self._lacks_images else numpy.all(numpy.any(cells != 0, axis=2), axis=1)
        if whole_cells is not None and not numpy.all(whole_cells):
            raise ValueError(f"cell: box {numpy.argmin(whole_cells)} has a vector of zeros")
        begin = self.batch.searchsorted(numpy.arange(self.boxes + 1)).astype(numpy.uintp)
        Library.call("pm_system_boxes", system, _pointer(begin), ctypes.c_size_t(self.boxes), _pointer(cells))

    def _describe(self, system: Any, types: Any, names: Any, charges: Any, masses: Any, molecules: Any, exclude: Any, terms: Mapping[str, Any],
                  groups: Any, paired: bool, long_range: Optional[str]) -> None:
        if types is not None:
            of_type = integers(types, (self.n,), "types")
            for one in (min(of_type, default=0), max(of_type, default=0)):
                if not 0 <= one < 1000:
                    raise ValueError(f"types: 0 to 999 are expected, not {one}")
            kinds = list(_listed_of(names, "names")) if names is not None else [f"T{t}" for t in range(max(of_type, default=0) + 1)]
            if not kinds:
                raise ValueError("names: one for each type is expected, not none")
            words = (ctypes.c_char_p * len(kinds))(*[word_of(kind, "names") for kind in kinds])
            Library.call("pm_system_types", system, _pointer(of_type), words, len(kinds))
        for name, given, numbers in (("charges", charges, reals), ("masses", masses, reals), ("molecules", molecules, integers)):
            if given is not None:
                Library.call("pm_system_" + name, system, _pointer(numbers(given, (self.n,), name)))
        if isinstance(exclude, str):
            Library.call("pm_system_exclude", system, word_of(exclude, "exclude"))
        elif exclude is not None:
            pairs = integers(exclude, (None, 2), "exclude")
            Library.call("pm_system_exclude_pairs", system, _pointer(pairs), len(pairs))
        for word, rows in terms.items():
            if word not in _TERMS or not isinstance(rows, (tuple, list)) or len(rows) != 2:
                raise ValueError(f"terms: {word!r}: (particles, parameters) of {', '.join(_TERMS)} are expected")
            which, width, count = _TERMS[word]
            particles = integers(rows[0], (None, width), f"terms: {word}")
            parameters = reals(rows[1], (len(particles), count), f"terms: {word}")
            Library.call("pm_system_terms", system, which, _pointer(particles), _pointer(parameters), ctypes.c_size_t(len(particles)))
        if long_range is not None:
            Library.call("pm_system_long_range", system, word_of(long_range, "long_range"))
        if paired not in (True, False):
            raise TypeError(f"paired: True or False is expected, not {short(paired)}")
        if paired and (groups is None or any(group is None for group in [*_listed_of(groups, "groups"), None][:2])):
            raise ValueError("paired: two groups are expected")
        if groups is not None:
            given = list(_listed_of(groups, "groups"))
            if len(given) not in (1, 2):
                raise ValueError(f"groups: (a,) or (a, b) are expected, not {len(given)} groups")
            a, b = (None if group is None else integers(group, (None,), "groups") for group in (*given, None)[:2])
            both = _Groups(*(word for group in (a, b) for word in ((None, 0) if group is None else (group.ctypes.data, len(group)))), int(paired))
            Library.call("pm_system_groups", system, ctypes.byref(both))

    def kernel(self) -> Any:
        return self._open(self._kernel)

    @property
    def device(self) -> str:
        """"cuda:0 (NVIDIA H100)"."""
        return str(Library.get().pm_device(self._open(self._context).handle).decode())

    @property
    def words(self) -> str:
        """Variant and tunables."""
        return str(Library.get().pm_kernel_words(self.kernel()).decode())

    def set_cell(self, cell: Any) -> None:
        """Another cell from the next evaluation on; of an open box there is none."""
        if cell is None:
            raise TypeError("cell: three vectors, or three edges, are expected, not None")
        Library.call("pm_set_cell", self.kernel(), self._vectors(cell))
        self._cell = cell

    def _vectors(self, cell: Any) -> Any:
        return None if cell is None else (ctypes.c_double * 9)(*vectors_of(cell, self._along).ravel())

    def close(self) -> None:
        """Frees kernel and system; of the memory of the device nothing is left but what is compiled, as soon as calls
        in other threads return. Once is enough, twice does no harm."""
        self._kernel = self._system = self._context = None

    @staticmethod
    def _open(handle: Any) -> Any:
        if not handle:
            raise ValueError("the system is closed, or has no kernel before its first evaluation (best_within)")
        return handle

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class System(Kernel):
    """Particles in a cell under a potential, and the kernel that computes their forces.

    n: how many. cell: 3 x 3, a vector a row, of any direction, hand and size; three edges; or None, an open box. pbc: along which vectors
    there are images; along none is an open box. types: a number from 0 per particle, with their `names`; charges, masses, molecules: a
    number per particle. exclude: "molecule", "next:K" or a file; or pairs of particles, from 0. potential, table, cutoff: as --interaction,
    --table and --cutoff have them. terms, of a variant of bonded terms: {"bonds": (particles, parameters), "angles": ..., "torsions": ...,
    "rb_torsions": ...}, a row a term, in the order of docs/bonded.md. groups, of a coordination: (a,) or (a, b), particles from 0 (None:
    all); paired: a[k] with b[k].
    batch: of small boxes that know nothing of each other, in which each particle is: n numbers from 0, ascending, as torch's segment indices.
    cell is then one 3 x 3 for each box, a along x and b in the xy plane, or None; energy and virial are of each box; the variant is one of workload
    forces that takes box_begin (None: boxes_half).
    eam and three_body, in place of potential and cutoff: embedded atoms, Stillinger-Weber and Tersoff terms, in LAMMPS's files (.eam.alloy,
    .eam, .sw, .tersoff), whose elements are the types' names; or by parameters, "sutton-chen:a=3.61", "finnis-sinclair",
    "stillinger-weber:epsilon=2.1683", "tersoff".
    long_range: charges beyond the cutoff by an Ewald sum, "pme:coulomb=1389.35457644,tolerance=1e-6" (docs/pme.md), beside a potential
    without charges or none.
    variant (None: list_lanes, eam_list or three_body_list), precision, outputs, tune: what `pairmark best` says; or answer: what
    pairmark.best() returned, or a file that has the output of `pairmark best --json`; or best_within: at the first evaluation variants are timed for so many milliseconds, and the fastest right one is
    taken (pm_kernel_best() of pairmark.h). outputs "virial" also gives energies. device: "cuda:0", "opencl:0:0"; None: the best.
    """

    _of_steps: Mapping[str, Any] = {}
    _integrator = ""

    def __init__(self, n: int, cell: Any = None, *, potential: Optional[str] = None, cutoff: float = math.inf, table: Optional[str] = None,
                 types: Optional[Sequence[int]] = None, names: Optional[Sequence[str]] = None, charges: Optional[Sequence[float]] = None,
                 masses: Optional[Sequence[float]] = None, molecules: Optional[Sequence[int]] = None,
                 exclude: Union[None, str, Sequence[Sequence[int]]] = None, terms: Optional[Mapping[str, Any]] = None,
                 pbc: Union[bool, Sequence[bool]] = True, groups: Optional[Sequence[Optional[Sequence[int]]]] = None, paired: bool = False,
                 eam: Optional[str] = None, three_body: Optional[str] = None, long_range: Optional[str] = None, batch: Any = None, variant: Optional[str] = None,
                 precision: str = "float", outputs: str = "virial", tune: Optional[Mapping[str, int]] = None, answer: Any = None, best_within: Optional[float] = None,
                 device: Optional[str] = None):
        self.outputs = outputs
        self._best_within = None if best_within is None else _none_below_zero(best_within, "best_within", "milliseconds")
        terms = _terms_of(terms)
        if tune is not None and not isinstance(tune, Mapping):
            raise TypeError(f"tune: a mapping is expected, not {short(tune)}")
        tunables = " ".join(f"{name}={value}" for name, value in (tune or {}).items())
        choosing = dict(answer=answer, best_within=best_within, variant=variant, tune=tune)
        for name in ("answer", "best_within"):
            others = [other for other, given in choosing.items() if other != name and given is not None]
            if others and choosing[name] is not None:
                raise ValueError(f"{name}: chooses variant and tunables by itself, without {others[0]}")
        if answer is not None:
            variant, tunables = _chosen(answer)
        elif best_within is not None and self._integrator:
            raise ValueError("best_within: variants are timed by their forces, not by steps")
        elif best_within is not None:
            variant = ""
        given = dict(potential=potential, cutoff=cutoff, table=table, types=types, names=names, terms=terms, eam=eam, three_body=three_body,
                     long_range=long_range, cell=cell, pbc=pbc)
        potential, table, usual, self._acts_by = _acting(potential, table, eam, three_body)
        usual = usual if batch is None else "boxes_half"
        self._variant = self._integrator + usual if variant is None else (word_of(variant, "variant") or b"").decode()
        if isinstance(variant, str) and "+" in variant and os.sep not in variant and not self._integrator:
            raise ValueError(f"variant: {short(variant)} takes time steps, as Steps does")
        _refuse_idle(self._variant, given)
        choice = {"variant": self._variant, "precision": precision, "outputs": outputs, "tunables": tunables, **self._of_steps}
        super().__init__(n, cell, device, potential, cutoff, choice, table, pbc, batch, types=types, names=names, charges=charges, masses=masses,
                         molecules=molecules, exclude=exclude, terms=terms, groups=groups, paired=paired, long_range=long_range)

    def change(self, **keywords: Any) -> None:
        """Other particles for the same kernel: another n, cell, pbc, types, names, charges, masses, molecules, exclude, terms, groups, paired,
        potential, cutoff, table, eam, three_body or long_range; what is not said stays. Nothing is compiled where the potential and the kind of cell stay. An exception
        leaves the system as it was."""
        self._open(self._system)
        kernels = ("variant", "precision", "outputs", "tune", "answer", "best_within", "device")
        said = inspect.signature(System.__init__).bind(self, *self._made_of[0], **self._made_of[1])
        said.apply_defaults()
        given = {name: value for name, value in said.arguments.items() if name != "self"}
        for name in keywords:
            if name in kernels or name not in given:
                raise TypeError(f"{name}: no keyword of change(); there are {', '.join(word for word in given if word not in kernels)}")
        if self._cell is not None:
            given["cell"] = self._cell
        given.update(keywords)
        particles = {name: given[name] for name in ("types", "names", "charges", "masses", "molecules", "exclude", "groups", "paired", "long_range")}
        before = self.n, self._along, self.batch, self.boxes
        terms = given["terms"] = _terms_of(given["terms"])
        self.n, self._along = _count_of(given["n"]), images_along(given["pbc"])
        try:
            self.batch = segments_of(given["batch"], self.n)
            cell = given["cell"] if any(self._along) else None
            potential, table, _, self._acts_by = _acting(given["potential"], given["table"], given["eam"], given["three_body"])
            _refuse_idle(self._variant, given)
            system = self._make_system(cell, potential, given["cutoff"], table, {**particles, "terms": terms})
            if self._kernel:
                Library.call("pm_set_system", self._kernel, system)
        except BaseException:
            self.n, self._along, self.batch, self.boxes = before
            raise
        self._system, self._cell, self._made_of = system, None, ((), given)

    def evaluate(self, positions: Any, moved: Optional[float] = None) -> Results:
        """Forces, and what `outputs` says besides. positions: n x 3 or n x 4, finite, anywhere. moved: how far particles have moved at most
        since the last call; then the device is not asked whether a list still serves."""
        return self._evaluate(positions, moved, self.outputs)

    def _evaluate(self, positions: Any, moved: Optional[float], outputs: str) -> Results:
        again = self._spare.pop(positions) if self._kernel else None
        if again is not None and positions.shape[0] == self.n:
            if moved is not None:
                moved = moved if type(moved) is float and moved >= 0 else _none_below_zero(moved, "moved", "a distance")
                if Library.status("pm_moved", self.kernel(), moved, again.handed[1]):
                    raise again.failed()
            return self._evaluate_again(again, positions, outputs)
        positions = as_reals(positions)
        arrays = arrays_of(positions, self.n)
        boxes = () if self.batch is None else (self.boxes,)
        forces = empty_like(positions, positions.shape)
        energy = empty_like(positions, boxes) if outputs != "forces" else None
        virial = empty_like(positions, (*boxes, 3, 3)) if outputs == "virial" else None
        arrays.forces, arrays.energy, arrays.virial = address_of(forces), address_of(energy), address_of(virial)
        if self._best_within is not None and not self._kernel:
            kernel, trial = _KernelHandle(), _Trial(ctypes.pointer(arrays), steps=10, milliseconds=self._best_within)
            Library.call("pm_kernel_best", self._open(self._context).handle, self._system, ctypes.byref(self._choice), ctypes.byref(trial),
                         ctypes.byref(kernel))
            self._kernel = kernel
        if moved is not None:
            Library.call("pm_moved", self.kernel(), _none_below_zero(moved, "moved", "a distance"))
        Library.call("pm_evaluate", self.kernel(), ctypes.byref(arrays))
        if arrays.waits_for is not None:
            finish_default(arrays.waits_for)
        self._spare.keep(positions, arrays)
        if self.batch is None and arrays.place == HOST and energy is not None:
            energy = energy[()]  # of numpy a number
        return Results(forces, energy, virial)

    def _evaluate_again(self, again: Again, x: Any, outputs: str) -> Results:
        boxes = () if self.batch is None else (self.boxes,)
        arrays, forces, energy, virial = again.arrays, again.empty_like(x), None, None  # new_empty() takes thrice the time
        again.take(x)
        arrays.forces = forces.data_ptr()
        if outputs != "forces":
            energy = x.new_empty(boxes)
            arrays.energy = energy.data_ptr()
        if outputs == "virial":
            virial = x.new_empty((*boxes, 3, 3))
            arrays.virial = virial.data_ptr()
        if Library.status("pm_evaluate", self.kernel(), *again.handed):
            raise again.failed()
        if energy is not None:
            arrays.energy = arrays.virial = None
        self._spare.kept.append(again)
        return Results(forces, energy, virial)

    def forces(self, positions: Any) -> Any:
        """The forces of evaluate(), like the positions, in the potential's energy per its length. Energy and virial are not added up: of the
        three this call takes the least time."""
        kernel = self._kernel
        again = self._spare.pop(positions) if kernel else None
        if again is None or again.shape[0] != self.n:
            return self._evaluate(positions, None, "forces").forces
        # _evaluate_again() without what energies take: this call is to cost least
        forces = again.empty_like(positions)
        again.take(positions)
        again.arrays.forces = forces.data_ptr()
        if Library.status("pm_evaluate", kernel, *again.handed):
            raise again.failed()
        self._spare.kept.append(again)
        return forces

    def energies(self, positions: Any) -> Any:
        """The energy of each particle, n numbers: that of its embedding, half of that of each of its pairs, a third of that of each of its
        triplets. Of a variant of workload forces, eam or three_body."""
        positions = as_reals(positions)
        if not self._kernel:
            self.evaluate(positions)  # best_within
        arrays = arrays_of(positions, self.n)
        energies = empty_like(positions, (self.n,))
        arrays.energies = address_of(energies)
        Library.call("pm_evaluate", self.kernel(), ctypes.byref(arrays))
        if arrays.waits_for is not None:
            finish_default(arrays.waits_for)
        return energies

    def energy(self, positions: Any) -> Any:
        """The energy alone, of a batch one for each box, which torch and jax differentiate by the positions, once. Under jit, grad and vmap of jax positions go by way of the
        host (pure_callback), and boxes one after the other."""
        from .gradients import energy_of

        return energy_of(self, positions)


class Motion(NamedTuple):
    """Of Steps.take(): arrays like the positions were, and numbers, in the units of the potential. None: not asked for."""

    positions: Any  # n x 3 or n x 4, as far as particles went
    velocities: Any  # the same; of leapfrog those half a step before
    forces: Any  # the same, at the end
    step: int  # number of the state
    kinetic: float  # energy of these velocities
    energy: Optional[float]
    virial: Any  # 3 x 3


class Steps(System):
    """A System that takes time steps: variant is an integrator with forces, "leapfrog+list_walk" (None: "verlet+" and what System takes).
    dt: of a step. thermostat: numbers of the variant's, "nose-hoover:temperature=1.5,time=0.5", or of its integrator,
    "langevin:temperature=1,friction=1,seed=7". field: as --field has it. Others are those of System; the cell is periodic along all vectors
    and at least twice the cutoff, or there is none."""

    _integrator = "verlet+"

    def __init__(self, n: int, cell: Any = None, *, dt: float, thermostat: Optional[str] = None, field: Optional[str] = None,
                 variant: Optional[str] = None, **keywords: Any):
        self._of_steps = {"dt": number_of(dt, "dt"), **{name: word for name, word in (("thermostat", thermostat), ("field", field)) if word is not None}}
        super().__init__(n, cell, variant=variant, **keywords)

    def change(self, **keywords: Any) -> None:
        raise TypeError("Steps: make another one")

    def take(self, positions: Any, velocities: Any, steps: int, step: int = 0) -> Motion:
        """So many steps from a state of that number, in one call; 0: forces and sums alone. The arrays stay as they are."""
        steps, step = whole_of(steps, "steps", 2**53), whole_of(step, "step", 2**63)
        x, v = as_reals(positions), as_reals(velocities, "velocities")
        module = module_of(x)
        if module_of(v) is not module or v.dtype != x.dtype or tuple(v.shape) != tuple(x.shape):
            raise ValueError("velocities: an array like the positions is expected")
        if is_of_jax(x):
            raise TypeError("positions: arrays of numpy, torch or cupy are expected: those of jax do not change")
        x, v = (one.clone() if module.__name__ == "torch" else one.copy() for one in (x, v))
        arrays, forces = arrays_of(x, self.n), empty_like(x, tuple(x.shape))
        kinetic, energy, virial = ctypes.c_double(), ctypes.c_double(), (ctypes.c_double * 9)()
        motion = _Motion(arrays.place, arrays.number, arrays.width, arrays.positions, address_of(v), step, address_of(forces))
        motion.kinetic, motion.queue = ctypes.pointer(kinetic), arrays.queue
        motion.energy = ctypes.pointer(energy) if self.outputs != "forces" else None
        motion.virial = ctypes.cast(virial, ctypes.POINTER(ctypes.c_double)) if self.outputs == "virial" else None
        Library.call("pm_steps", self.kernel(), ctypes.c_ulonglong(steps), ctypes.byref(motion))
        return Motion(x, v, forces, int(motion.step), kinetic.value, energy.value if self.outputs != "forces" else None,
                      module.asarray(list(virial), dtype=x.dtype).reshape(3, 3) if self.outputs == "virial" else None)


class Random(Kernel):
    """n random numbers a step: of `distribution` "uniform", "gaussian", "words" (of 32 bits) or "kick", in `precision` "float" or "double", by a
    variant of workload random."""

    def __init__(self, n: int, distribution: str = "uniform", *, variant: str = "philox", precision: str = "float", device: Optional[str] = None):
        for what, word in (("distribution", distribution), ("variant", variant), ("precision", precision)):
            if not isinstance(word, str):
                raise TypeError(f"{what}: words are expected, not {short(word)}")
        self.dtype = "uint32" if distribution == "words" else "float64" if precision == "double" else "float32"
        super().__init__(n, None, device, None, math.inf, {"variant": variant, "precision": precision, "distribution": distribution})

    def draw(self, seed: int, step: int = 0, out: Any = None) -> Any:
        """Those of a step of a seed, as an array of numpy; or into `out`, a contiguous array of numpy, torch or cupy, which is returned."""
        if out is None:
            import numpy

            out = numpy.empty(self.n, self.dtype)
        if not hasattr(out, "dtype"):
            raise TypeError("out: an array of numpy, torch or cupy is expected")
        if is_of_jax(out):
            raise TypeError("out: arrays of jax do not change")
        module, kind = module_of(out), str(out.dtype).split(".")[-1]
        contiguous = out.is_contiguous() if hasattr(out, "is_contiguous") else out.flags.c_contiguous
        if tuple(out.shape) != (self.n,) or not contiguous or kind not in (self.dtype, self.dtype.replace("uint", "int")):
            raise ValueError(f"out: {self.n} numbers {self.dtype} one after the other are expected")
        if module.__name__ == "numpy" and not (out.flags.writeable and out.dtype.isnative):
            raise ValueError("out: an array of this machine's numbers that can be written is expected")
        on_device = module.__name__ != "numpy" and "cuda" in str(out.device).lower()
        draw = _Draw(whole_of(seed, "seed", 2**64 - 1), whole_of(step, "step", 2**64 - 1), address_of(out), DEVICE if on_device else HOST)
        draw.queue = stream_of(module) if on_device else None
        Library.call("pm_random", self.kernel(), ctypes.byref(draw))
        return out


def _count_of(n: int) -> int:
    return whole_of(n, "n", 2**29 - 1)


def _none_below_zero(given: Any, what: str, of_what: str) -> float:
    number = number_of(given, what)
    if not number >= 0:
        raise ValueError(f"{what}: {of_what}, 0 or more, is expected, not {short(given)}")
    return number


def _terms_of(given: Any) -> Mapping[str, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(f"terms: a mapping is expected, not {short(given)}")
    return given or {}


def _listed_of(given: Any, what: str) -> Any:
    """What has members, but words."""
    if isinstance(given, (str, bytes, Mapping)) or not hasattr(given, "__iter__") or getattr(given, "shape", None) == ():
        raise TypeError(f"{what}: several are expected, not {short(given)}")
    return given


def segments_of(batch: Any, n: int) -> Any:
    """In which box each particle is; None: all are in one."""
    if batch is None:
        return None
    segments = integers(batch.detach().cpu() if hasattr(batch, "detach") else batch, (n,), "batch")
    if n and (segments[0] < 0 or (segments[1:] < segments[:-1]).any()):
        raise ValueError("batch: numbers from 0, ascending, are expected: the box of each particle")
    return segments


def _acting(potential: Optional[str], table: Any, eam: Any, three_body: Any) -> tuple[Optional[str], Any, str, str]:
    """Potential, table, the usual variant and the keyword. Many-body terms are one of the two, by the words of a potential or a file."""
    given = [name for name, one in (("potential", potential), ("eam", eam), ("three_body", three_body)) if one is not None]
    if len(given) > 1 or (table is not None and given not in ([], ["potential"])):
        raise ValueError(f"{given[-1]}: stands alone, without {'table' if len(given) == 1 else given[0]}")
    for one, name, of_words, variant in ((eam, "eam", ("sutton-chen", "finnis-sinclair"), "eam_list"),
                                         (three_body, "three_body", ("stillinger-weber", "tersoff"), "three_body_list")):
        if one is not None:
            if not isinstance(one, (str, os.PathLike)):
                raise TypeError(f"{name}: a file, or words, are expected, not {short(one)}")
            if str(one).split(":")[0] in of_words:
                return one, None, variant, name  # type: ignore[return-value]
            of_file = "eam" if name == "eam" else "tersoff" if str(one).endswith(".tersoff") else "stillinger-weber"
            return of_file, one, variant, name
    return potential, table, "list_lanes", "potential" if given else "table" if table is not None else ""


@functools.lru_cache(maxsize=1)
def _workloads() -> Mapping[str, str]:
    """Of variants."""
    return {variant.name: variant.workload for variant in variants()}


def _refuse_idle(variant: str, given: Mapping[str, Any]) -> None:
    """What was given and does not count: who gave it believes that it does."""
    workload = "step" if "+" in variant else _workloads().get(variant, "")  # of a file nobody knows
    if given["names"] is not None and given["types"] is None:
        raise ValueError("names: types, which they would be the names of, are not given")
    if given["cell"] is None and given["pbc"] is not True and any(images_along(given["pbc"])):
        raise ValueError("pbc: there is no cell that could have images")
    if given["terms"] and (not variant or workload not in ("bonded", "")):
        raise ValueError(f"terms: {f'{variant} is of workload {workload}' if variant else 'what best_within times'}, which has none")
    if workload == "bonded":
        for name in ("potential", "table", "eam", "three_body", "long_range"):
            if given[name] is not None:
                raise ValueError(f"{name}: {variant} has bonded terms alone")
    for name in ("eam", "three_body"):
        if given[name] is not None and workload not in (name, "step", ""):
            raise ValueError(f"{name}: {variant} is of workload {workload}")
    if workload in ("neighbours", "random"):
        raise ValueError(f"variant: {variant} is for pairmark.{'neighbours()' if workload == 'neighbours' else 'Random'}")
    ends = workload in ("bonded", "coordination", "eam", "three_body") or given["eam"] is not None or given["three_body"] is not None
    if ends and not math.isinf(number_of(given["cutoff"], "cutoff")):
        raise ValueError("cutoff: what is computed ends by itself, or has no end")


def _chosen(answer: Any) -> tuple[str, str]:
    """Variant and tunables of the first answer."""
    try:
        first = (json.loads(Path(answer).read_bytes()) if isinstance(answer, (str, os.PathLike)) else answer)[0]
        return first["best"], next(one["tunables"] for one in first["variants"] if one["variant"] == first["best"])
    except OSError as reason:
        raise ValueError(f"answer: {reason}") from None
    except (IndexError, KeyError, StopIteration, TypeError, ValueError):
        raise ValueError(f"answer: what pairmark.best() returned, or a file of that, is expected, not {short(answer)}") from None


class _Refused:
    """In the place of what a child of fork() cannot make: it says so when it is used. A pool waits for ever for a worker that could not unpickle."""

    def __init__(self, error: PairmarkError):
        self.error = error

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise PairmarkError(str(self.error), self.error.status)


def _made_again(kind: Any, words: Any, keywords: Any, cell: Any) -> Any:
    try:
        made = kind(*words, **keywords)
    except PairmarkError as error:
        if error.status != _FORKED:
            raise
        return _Refused(error)
    if cell is not None:
        made.set_cell(cell)
    return made


def _pointer(array: Any) -> Any:
    """NULL: of none. Holds the array, which may have no other name, until the call is over."""
    return None if array is None else array.ctypes.data_as(ctypes.c_void_p)
