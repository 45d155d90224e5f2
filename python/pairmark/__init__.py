"""pairmark from Python: kernels that are judged, and the numbers of measurements.

Everything here runs the program `pairmark` that the package brings. Axes of a case are keyword arguments with the names of the
command line: `--n 4k --precision float,double --tune SKIN=12` is `n="4k", precision=["float", "double"], tune={"SKIN": 12}`.
"""
from .program import PairmarkError, best, check, evaluate, judge, program, rows

__all__ = ["PairmarkError", "best", "check", "evaluate", "judge", "program", "rows"]
