"""pairmark from Python: kernels that are judged, and the numbers of measurements.

`check`, `judge`, `best`, `evaluate` and `rows` run the program `pairmark` that the package brings; `System`, `neighbours` and `Random` call
libpairmark in process. Axes of a case are keyword arguments with the names of the command line: `--n 4k --precision float,double --tune
SKIN=12` is `n="4k", precision=["float", "double"], tune={"SKIN": 12}`.
"""
from typing import Any

from .library import Device, Motion, Random, Results, Steps, System, Variant, devices, variants
from .program import PairmarkError, best, check, evaluate, judge, program, rows

__all__ = ["Device", "Motion", "Neighbours", "PairmarkError", "Random", "Results", "Steps", "System", "Variant", "__version__", "best", "check", "devices", "evaluate", "judge",
           "neighbours", "program", "rows", "variants"]


def __getattr__(name: str) -> Any:
    if name in ("Neighbours", "neighbours"):  # which import numpy
        from . import lists

        globals().update(Neighbours=lists.Neighbours, neighbours=lists.neighbours)
        return getattr(lists, name)
    if name == "__version__":
        from .library import version

        return version()
    raise AttributeError(f"module pairmark has no attribute {name!r}")
