"""What the scripts beside_* share: how options are taken, and refused with exit status 2; rows."""
import csv
import os
import re
import sys


def stop(words):
    print(f"{os.path.basename(sys.argv[0])}: {words}", file=sys.stderr)
    sys.exit(2)


def take_options(words, usual, page, programs=()):
    """`usual` with the values in `words`; one that is a list there may be given several times. `programs` are the names of what stands before the
    options: under these, the path of each. --help prints `page`."""
    options = {name: list(value) if isinstance(value, list) else value for name, value in usual.items()}
    if words and words[0] in ("-h", "--help"):
        print(page.strip())
        sys.exit(0)
    words = list(words)
    for program in programs:
        if not words or words[0].startswith("-"):
            what = "the program" if len(programs) == 1 else program
            stop(f"expected {what} first: scripts/{os.path.basename(sys.argv[0])} {' '.join(programs)} [options]")
        options[program] = os.path.abspath(words[0])
        if not os.access(options[program], os.X_OK) or os.path.isdir(options[program]):
            stop(f"{words[0]} is no program")
        words.pop(0)
    while words:
        name = words.pop(0)
        if name not in usual:
            stop(f"{name}: there is no such option; --help lists them")
        if not words:
            stop(f"{name}: a value is missing")
        value = words.pop(0)
        options[name] = options[name] + [value] if isinstance(options[name], list) else value
    return options


def whole_number(options, name, least):
    if not options[name].isdigit() or int(options[name]) < least:
        stop(f"{name} {options[name]}: a whole number from {least} is expected")
    return int(options[name])


class Rows:
    """FOLDER/rows.csv, of which each row is written as it comes: a script that is cut off leaves what it measured."""

    def __init__(self, folder, columns):
        os.makedirs(folder, exist_ok=True)
        self.file = open(os.path.join(folder, "rows.csv"), "w", newline="")
        self.add(columns)

    def add(self, row):
        csv.writer(self.file, lineterminator="\n").writerow(row)
        self.file.flush()


def ms_per_step(printed):
    """The milliseconds per step that `pairmark run` printed, with what goes to and from the host; None where it printed none."""
    found = re.search(r"^rate .* ([0-9.]+) (s|ms|us) per step", printed, re.M)
    return found and float(found.group(1)) * {"s": 1e3, "ms": 1, "us": 1e-3}[found.group(2)]
