"""pairmark from Python: kernels that are judged, and the numbers of measurements.

`check`, `judge`, `best`, `evaluate` and `rows` run the program `pairmark` that the package brings; `System` calls libpairmark in process. Axes of a case are keyword arguments with the names of the
command line: `--n 4k --precision float,double --tune SKIN=12` is `n="4k", precision=["float", "double"], tune={"SKIN": 12}`.
"""
from .library import Results, System
from .program import PairmarkError, best, check, evaluate, judge, program, rows

__all__ = ["PairmarkError", "Results", "System", "best", "check", "evaluate", "judge", "program", "rows"]
