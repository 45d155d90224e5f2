"""Arrays of numpy, torch, cupy and jax, and what people pass in place of them, as libpairmark takes them."""
from __future__ import annotations

import ctypes
import functools
import math
import operator
import os
import sys
from typing import Any, Callable, NamedTuple, Optional, Sequence

HOST, DEVICE = 0, 1  # enum pm_place
DOUBLE, FLOAT = 0, 1  # enum pm_number

# ---- single values ----


def short(given: Any) -> str:
    """For messages."""
    words = repr(given)
    return words if len(words) <= 60 else words[:57] + "..."


def word_of(given: Any, what: str) -> Optional[bytes]:
    """Words, or a path, as the library takes them; None: none."""
    if given is None:
        return None
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"{what}: words are expected, not {short(given)}")
    try:
        word = os.fspath(given).encode()
    except (AttributeError, UnicodeEncodeError):
        raise ValueError(f"{what}: words of Unicode are expected, not {short(given)}") from None
    if b"\0" in word:
        raise ValueError(f"{what}: {short(given)} has a zero character")
    return word


def number_of(given: Any, what: str) -> float:
    """One number."""
    try:
        if isinstance(given, (str, bytes)) or getattr(given, "shape", ()) != ():
            raise TypeError
        return float(given)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{what}: a number is expected, not {short(given)}") from None


def whole_of(given: Any, what: str, most: int) -> int:
    """A whole number from 0."""
    try:
        number = operator.index(given)
    except TypeError:
        raise TypeError(f"{what}: a whole number is expected, not {short(given)}") from None
    if not 0 <= number <= most:
        raise ValueError(f"{what}: 0 to {most} is expected, not {short(given)}")
    return number


# ---- copies of what the library does not take as it is ----


def as_reals(array: Any, what: str = "positions") -> Any:
    """The array itself where it holds floats or doubles, rows one after the other; else a copy that does. Integers become doubles, and so
    does whatever numpy makes an array of."""
    root = _root(array)
    if root == "torch":
        _check_strided(array, what)
    if root == "torch" and array.dtype in _reals_of_torch(sys.modules["torch"]) and array.is_contiguous() and not array.is_neg():
        return array
    if root not in ("torch", "cupy", "jax", "jaxlib"):
        array = _as_reals_of_numpy(array, what)
        return array.reshape(0, 3) if array.shape == (0,) else array
    module, name = module_of(array), str(array.dtype).split(".")[-1]
    if name.startswith(("int", "uint")):
        array = array.double() if module.__name__ == "torch" else array.astype(module.result_type(float))
    elif name not in ("float32", "float64"):
        raise TypeError(_unfit(what, name))
    if module.__name__ == "torch":
        return array.resolve_neg().contiguous()
    return array if is_of_jax(array) else module.ascontiguousarray(array)


def _check_strided(tensor: Any, what: str) -> None:
    if tensor.is_nested or tensor.layout is not sys.modules["torch"].strided:
        kind = "tensors" if tensor.is_nested else tensor.layout
        raise TypeError(f"{what}: numbers one after the other are expected, not a tensor of {kind}")


@functools.lru_cache(maxsize=None)
def _reals_of_torch(torch: Any) -> dict[Any, int]:
    return {torch.float64: DOUBLE, torch.float32: FLOAT}


def _as_reals_of_numpy(given: Any, what: str) -> Any:
    import numpy

    if numpy.ma.is_masked(given):
        raise ValueError(f"{what}: some are masked")
    array = array_of(given, what)
    if array.dtype.kind in "iuO" or array.dtype.char == "g":
        try:
            array = array.astype(numpy.float64)
        except (TypeError, ValueError) as reason:
            raise TypeError(f"{what}: {reason}") from None
    if array.dtype.kind != "f" or array.dtype.itemsize == 2:
        raise TypeError(_unfit(what, array.dtype))
    return numpy.require(numpy.ascontiguousarray(array, array.dtype.newbyteorder("=")), None, ["ALIGNED"])


def _unfit(what: str, kind: Any) -> str:
    why = " (of 11 bits, in which particles 100 from the origin lie 0.06 apart)" if str(kind) == "float16" else ""
    return f"{what}: numbers of 32 or 64 bits are expected, not {kind}{why}"


def array_of(given: Any, what: str) -> Any:
    """As numpy has it, whatever class it is of."""
    import numpy

    try:
        return numpy.asarray(given)
    except (RuntimeError, TypeError, ValueError) as reason:  # the first of a tensor that requires gradients
        raise (TypeError if isinstance(reason, TypeError) else ValueError)(f"{what}: {reason}") from None


def _shaped(array: Any, shape: Sequence[Optional[int]], what: str) -> Any:
    """That array if it has the shape; None: any length."""
    if array.size == 0 and shape[0] is None:
        return array.reshape(0, *shape[1:])
    if array.ndim != len(shape) or any(length not in (None, found) for length, found in zip(shape, array.shape)):
        wanted = " x ".join("any number" if length is None else str(length) for length in shape)
        raise ValueError(f"{what}: {wanted} numbers are expected, not {' x '.join(map(str, array.shape))}")
    return array


def integers(given: Any, shape: Sequence[Optional[int]], what: str) -> Any:
    """An array of numpy of 32 bits a number, which holds exactly what was given."""
    import numpy

    array = _shaped(array_of(given, what), shape, what)
    if array.dtype == numpy.int32:
        return numpy.ascontiguousarray(array)
    if array.size and array.dtype.kind not in "iufO":
        raise TypeError(f"{what}: whole numbers are expected, not {array.dtype}")
    with numpy.errstate(invalid="ignore"):
        try:
            made = array.astype(numpy.int32)
            wrong = made != array
        except (OverflowError, TypeError, ValueError):  # of objects
            wrong = numpy.array([not isinstance(one, int) or abs(one) >= 2**31 for one in array.flat]).reshape(array.shape)
    if wrong.any():
        raise ValueError(f"{what}: {array[wrong][0]} is no whole number of 32 bits")
    return numpy.ascontiguousarray(made)


def reals(given: Any, shape: Sequence[Optional[int]], what: str) -> Any:
    """An array of numpy of doubles."""
    import numpy

    array = _shaped(_as_reals_of_numpy(given, what), shape, what)
    return numpy.ascontiguousarray(array, numpy.float64)


def reals_of(given: Any, what: str) -> Any:
    """An array of numpy of floats or doubles, of an array of any kind."""
    if _root(given) == "torch":
        _check_strided(given, what)
        refuse_gradients(given, what)
        if given.device.type not in ("cpu", "cuda"):
            raise ValueError(f"{what}: memory of the host or of CUDA is expected")
    return _as_reals_of_numpy(given.detach().cpu() if hasattr(given, "detach") else given.get() if _root(given) == "cupy" else given, what)


def vectors_of(cell: Any, along: Any) -> Any:
    """The vectors of a cell, a row each: of three vectors or of three edges, in an array of any kind. Where they span no volume, those without
    images are made perpendicular to the others."""
    import numpy

    rows = reals_of(cell, "cell")
    if rows.shape not in ((3,), (3, 3)):
        raise ValueError(f"cell: three vectors, or three edges, are expected, not {' x '.join(map(str, rows.shape))} numbers")
    rows = numpy.diag(rows).astype(float) if rows.ndim == 1 else rows.astype(float)
    if not all(along) and not abs(numpy.linalg.det(rows)) > 1e-6 * numpy.linalg.norm(rows, axis=1).prod():
        known = rows[along]
        for k in numpy.flatnonzero(~along):
            rows[k] = _perpendicular(known)
            known = numpy.vstack([known, rows[k]])
    return rows


def _perpendicular(rows: Any) -> Any:
    """A unit vector, along an axis where one is perpendicular to the rows."""
    import numpy

    q = numpy.linalg.qr(numpy.transpose(rows))[0]
    away = numpy.eye(3) - q @ q.T
    away = away[away.diagonal().argmax()]
    return away / numpy.linalg.norm(away)


def are_flags(array: Any) -> bool:
    """Booleans, or whole numbers that are 0 or 1."""
    return array.dtype.kind in "biu" and bool((array == array.astype(bool)).all())


def images_along(pbc: Any) -> Any:
    """Three flags."""
    import numpy

    if pbc is True or pbc is False:
        return _flags_of(pbc)
    flags = array_of(pbc, "pbc")
    if flags.shape not in ((), (3,)) or not are_flags(flags):
        raise ValueError(f"pbc: a flag, or three, are expected, not {short(pbc)}")
    return numpy.broadcast_to(flags.astype(bool), 3)


@functools.lru_cache(maxsize=None)
def _flags_of(pbc: bool) -> Any:
    import numpy

    return numpy.broadcast_to(numpy.asarray(pbc), 3)  # which nobody can write to


# ---- DLPack (github.com/dmlc/dlpack, version 0.8) ----


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_CPU, _CUDA, _CUDA_HOST = 1, 2, 3


class View(NamedTuple):
    address: int
    place: int
    number: int
    width: int
    device: int
    capsule: Any  # holds the memory


def view(array: Any, n: int, what: str) -> View:
    """Of an n x 3 or n x 4 array as as_reals() makes it."""
    shape = tuple(array.shape)
    if len(shape) != 2 or shape[0] != n or shape[1] not in (3, 4):
        raise ValueError(f"{what}: the shape ({n}, 3) or ({n}, 4) is expected, not {shape}")
    root = _root(array)
    if root == "numpy":  # which exports none that cannot be written
        return View(array.ctypes.data, HOST, FLOAT if array.itemsize == 4 else DOUBLE, shape[1], 0, array)
    if root == "torch":
        return _view_of_torch(array, shape[1], what)
    if is_traced_by_jax(array):
        raise TypeError(f"{what}: under jax.jit, grad and vmap there are no numbers yet: ask for energy(), or call this outside")
    capsule = array.__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.argtypes, pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
    tensor = ctypes.cast(pointer(capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents
    if tensor.device_type not in (_CPU, _CUDA, _CUDA_HOST):
        raise ValueError(f"{what}: memory of the host or of CUDA is expected")
    return View(tensor.data + tensor.byte_offset, DEVICE if tensor.device_type == _CUDA else HOST,
                 FLOAT if tensor.bits == 32 else DOUBLE, shape[1], tensor.device_id, capsule)


def _view_of_torch(array: Any, width: int, what: str) -> View:
    """Without DLPack, which takes several times as long as the rest of a call."""
    torch, device = sys.modules["torch"], array.device
    refuse_gradients(array, what, ", or ask for energy()")
    if device.type not in ("cpu", "cuda") or (device.type == "cuda" and not torch.version.cuda):
        raise ValueError(f"{what}: memory of the host or of CUDA is expected")
    return View(array.data_ptr(), DEVICE if device.type == "cuda" else HOST, _reals_of_torch(torch)[array.dtype], width, device.index or 0, array)


def module_of(array: Any) -> Any:
    """numpy, torch, cupy or jax.numpy: whose array it is."""
    name = _root(array)
    if is_of_jax(array):
        return sys.modules["jax"].numpy
    if name not in ("numpy", "torch", "cupy"):
        raise TypeError(f"arrays of numpy, torch, cupy or jax are expected, not of {name}")
    return sys.modules[name]


def is_of_jax(array: Any) -> bool:
    return _root(array) in ("jax", "jaxlib")


def empty_like(array: Any, shape: tuple[int, ...], dtype: Any = None) -> Any:
    """An array of that shape beside this one: of the same module, on the same device."""
    module = module_of(array)
    if module.__name__ == "torch":
        return array.new_empty(shape, dtype=dtype)
    device = {"device": array.device} if module.__name__ == "jax.numpy" else {}
    made = module.empty(shape, dtype=dtype or array.dtype, **device)
    # Arrays of jax do not change once anybody has seen them; this one has nobody seen yet, and it is written through its address.
    return made.block_until_ready() if is_of_jax(made) else made


_VECTOR = 128  # bytes of the largest one that kernels may store


def aligned_like(array: Any, shape: tuple[int, ...], dtype: Any, itemsize: int) -> Any:
    """The same where PoCL's kernels can write to it themselves, of arrays of the host that are not jax's."""
    root = _root(array)
    if root == "jax" or root == "jaxlib" or root == "cupy" or (root == "torch" and array.is_cuda):
        return empty_like(array, shape, dtype)
    count = math.prod(shape)
    whole = empty_like(array, (count + _VECTOR // itemsize,), dtype)
    skipped = -(address_of(whole) or 0) % _VECTOR // itemsize
    return whole[skipped:skipped + count].reshape(shape)


def stream_of(module: Any, device: int = 0) -> int:
    """The current stream, of torch that of the device."""
    if module.__name__ == "torch":
        return raw_stream(module, device)()
    if module.__name__ == "jax.numpy":
        return 0  # jax does not say which its own are
    return int(module.cuda.get_current_stream().ptr)


def raw_stream(torch: Any, device: int) -> Callable[[], int]:
    """What says which the current stream of a device is: what Triton calls, in a tenth of the time of current_stream(), which makes an object."""
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return functools.partial(raw, device) if raw else lambda: int(torch.cuda.current_stream(device).cuda_stream)


def is_plain_tensor(array: Any) -> bool:
    """Whether it is of torch's own class."""
    torch = sys.modules.get("torch")
    return torch is not None and type(array) is torch.Tensor


def is_memory(tensor: Any) -> bool:
    """Whether a tensor is numbers one after the other, and nobody differentiates by them."""
    return memory_test()(tensor)


@functools.lru_cache(maxsize=None)
def memory_test() -> Callable[[Any], bool]:
    """is_memory() for calls that are to cost little: what it asks of torch is looked up once."""
    torch, forward = sys.modules["torch"], sys.modules["torch.autograd.forward_ad"]
    is_wrapped, strided = torch._C._functorch.is_functorch_wrapped_tensor, torch.strided

    def test(tensor: Any) -> bool:
        return (tensor.layout is strided and not tensor.is_nested and not tensor.requires_grad and not is_wrapped(tensor) and
                tensor.is_contiguous() and not tensor.is_neg() and (forward._current_level < 0 or not is_dual(tensor)))

    return test


def is_dual(tensor: Any) -> bool:
    """Whether a tensor has a tangent (forward mode)."""
    forward = sys.modules["torch.autograd.forward_ad"]
    return getattr(forward, "_current_level", 0) >= 0 and forward.unpack_dual(tensor).tangent is not None


def is_differentiated(tensor: Any) -> bool:
    """Whether torch is to know what is made of a tensor: of results without a graph it would take derivatives for zero, without a word."""
    wrapped: bool = sys.modules["torch"]._C._functorch.is_functorch_wrapped_tensor(tensor)
    return bool(tensor.requires_grad) or wrapped or is_dual(tensor)


def refuse_gradients(tensor: Any, what: str, instead: str = "") -> None:
    if is_differentiated(tensor):
        raise ValueError(f"{what}: a tensor that requires gradients, or that torch.func sees: detach() it{instead}")


def is_traced_by_jax(array: Any) -> bool:
    return is_of_jax(array) and isinstance(array, sys.modules["jax"].core.Tracer)


def address_of(array: Any) -> Optional[int]:
    if array is None:
        return None
    if hasattr(array, "data_ptr"):
        return int(array.data_ptr())
    if is_of_jax(array):
        return int(array.unsafe_buffer_pointer())
    return int(array.data.ptr if hasattr(array.data, "ptr") else array.ctypes.data)


_roots: dict[type, str] = {}  # of the classes of arrays that were seen


def _root(array: Any) -> str:
    kind = type(array)
    root = _roots.get(kind)
    if root is None:
        root = _roots[kind] = str(kind.__module__).split(".")[0]
    return root
