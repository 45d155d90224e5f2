"""Commands of the program, as functions that take keyword arguments and return what the command prints with --json."""
from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Mapping, Union

Source = Union[str, "os.PathLike[str]"]

FAILED, REFUSED = 1, 2  # exit statuses: a verdict that is no; a request that makes no sense


class PairmarkError(RuntimeError):
    """The program could not do what it was asked for; the message is its own."""

    def __init__(self, message: str, status: int):
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.status)


def program() -> str:
    """The path of the program: that of PAIRMARK_PROGRAM, else the one that came with this package, else the first on the path."""
    named = os.environ.get("PAIRMARK_PROGRAM")
    if named:
        return named
    bundled = Path(__file__).parent / "bin" / "pairmark"
    if bundled.is_file():
        return str(bundled)
    found = shutil.which("pairmark")
    if found and Path(found).resolve() != Path(sys.argv[0]).resolve():
        return found
    raise PairmarkError("there is no program `pairmark`: neither in this package nor on the path; PAIRMARK_PROGRAM names one", REFUSED)


@functools.lru_cache(None)
def _options(path: str, command: str) -> frozenset[str]:
    """Those that the program's help of the command has."""
    return frozenset(re.findall(r"--[a-z][a-z-]*", _done([path, command, "--help"]).stdout))


def _words(command: str, axes: Mapping[str, Any]) -> list[str]:
    """The command line of keyword arguments: True is an option without a value, None and False none; a mapping is repeated as NAME=VALUE;
    other sequences are lists by comma, but of files, which are repeated."""
    words: list[str] = []
    for name, value in axes.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:  # the program sees no such word, and cannot refuse it
            if option not in _options(program(), command):
                raise TypeError(f"{name}: no keyword of `pairmark {command}`, whose --help lists them")
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, Mapping):
            for key, held in value.items():
                words += [option, _word(f"{key}={_joined(held)}", name)]
        elif option in ("--box", "--variant-file", "--include") and isinstance(value, (list, tuple)):
            for file in value:
                words += [option, _path(file, name)]
        else:
            words += [option, _word(_joined(value), name)]
    return words


def _word(text: str, what: str) -> str:
    """A word as command lines have them."""
    try:
        good = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        good = False
    if not good:
        raise ValueError(f"{what}: a text that command lines can hold is expected, not {text!r:.60}")
    return text


def _joined(value: Any) -> str:
    if isinstance(value, bytes):
        return os.fsdecode(value)
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return str(value)
    return ",".join(str(one) for one in value)


def _path(file: Any, what: str) -> str:
    if not isinstance(file, (str, bytes, os.PathLike)):
        raise TypeError(f"{what}: a file is expected, not {file!r:.60}")
    return _word(os.fsdecode(file), what)


def _done(words: list[str]) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace", check=False)
    except OSError as error:
        raise PairmarkError(f"the program {words[0]}: {error.strerror}", REFUSED) from None


def _run(command: str, words: list[str]) -> str:
    """What the command printed. A verdict that is no (status 1) is an answer, not an error, if there is one."""
    done = _done([program(), command, *words])
    if done.returncode not in (0, FAILED) or not done.stdout.strip():
        message = done.stderr.strip() or f"pairmark {command} ended with status {done.returncode}"
        raise PairmarkError(message, done.returncode)
    return done.stdout


def _ask(command: str, words: list[str]) -> Any:
    printed = _run(command, [*words, "--json"])
    try:
        return json.loads(printed)
    except ValueError:
        raise PairmarkError(f"pairmark {command}: no JSON was printed but {printed[:60]!r}", REFUSED) from None


class _KernelFile:
    """A kernel as a file: one that is there, or text that is written to one for as long as it is needed."""

    def __init__(self, source: Source):
        self.folder: tempfile.TemporaryDirectory[str] | None = None
        text = source if isinstance(source, str) and "\n" in source else None
        if text is None:
            self.path = _path(source, "source")
            return
        self.folder = tempfile.TemporaryDirectory(prefix="pairmark-")
        suffix = ".cu" if "__global__" in text else ".cl"
        self.path = os.path.join(self.folder.name, "kernel" + suffix)
        Path(self.path).write_bytes(text.encode("utf-8", "surrogatepass"))  # whatever the locale

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *_: object) -> None:
        if self.folder:
            self.folder.cleanup()


def check(source: Source | None = None, **axes: Any) -> dict[str, Any]:
    """Whether a kernel is right: `source` is its text or its file; None: the variants that the axes name. The answer is that of
    `pairmark check --json` (share/schemas/check.json): "passed", "failed", "cases"..."""
    if source is None:
        return dict(_ask("check", _words("check", axes)))
    with _KernelFile(source) as path:
        return dict(_ask("check", ["--variant-file", path, *_words("check", axes)]))


def judge(source: Source, baseline: str | None = None, **axes: Any) -> Any:
    """One verdict on a kernel: right, repeatable, how fast beside the baseline (share/schemas/judge.json)."""
    with _KernelFile(source) as path:
        return _ask("judge", [path, *_words("judge", {"baseline": baseline, **axes})])


def best(box: Source | None = None, **axes: Any) -> Any:
    """Which variant, with which tunables, is the fastest for a box that is read, or for the one that the axes make."""
    return _ask("best", _words("best", {"box": None if box is None else _path(box, "box"), **axes}))


def evaluate(box: Source | None = None, **axes: Any) -> Any:
    """Energy, virial and largest errors of one case (`pairmark eval`)."""
    return _ask("eval", _words("eval", {"box": None if box is None else _path(box, "box"), **axes}))


def rows(folder: Source, despite_checksums: bool = False) -> Any:
    """The rows of a folder of results as a DataFrame of pandas. A run that does not fit its checksums is refused; with `despite_checksums` the
    column `doubts` says why it does not."""
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("pairmark.rows needs pandas: pip install pandas") from missing
    folder = _path(folder, "folder")
    path = Path(folder) / "rows.csv"
    if not path.is_file():
        raise PairmarkError(f"{path}: there are no rows; expected a folder of `pairmark bench`", REFUSED)
    frame = pandas.read_csv(path, comment="#")
    doubt = _ask("query", ["SELECT doubts FROM runs", folder, *_words("query", {"despite_checksums": despite_checksums})])[0]["doubts"]
    return frame if doubt is None else frame.assign(doubts=doubt)


def main() -> None:
    """The program itself, for the command `pairmark` of an environment."""
    try:
        path = program()
    except PairmarkError as error:
        print(f"pairmark: {error}", file=sys.stderr)
        sys.exit(REFUSED)
    os.execv(path, [path, *sys.argv[1:]])
