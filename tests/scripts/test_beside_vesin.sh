#!/usr/bin/env bash
# scripts/beside_vesin: what it says where a package or an argument is missing, and that it finds what a list lacks. With vesin it is run by
# hand: pip has it, Debian has not.
. "$2/lib.sh" || exit 1
script=$tests/../scripts/beside_vesin
python3 -c 'import numpy' 2>/dev/null || { echo 'no python3 with numpy'; exit 77; }
export PYTHONDONTWRITEBYTECODE=1

python3 "$script" --help >out
check '--help shows the usage' out 'usage: scripts/beside_vesin'
script_refuses '--speed: there is no such option' --speed 3
script_refuses '--cases: a value is missing' --cases
script_refuses '--cases 1000:2.5: expected N:DENSITY:CUTOFF' --cases 1000:1:2.5,1000:2.5
script_refuses '--cases 0:1:2: positive numbers are expected' --cases 0:1:2
script_refuses '--number half: float32 or float64' --number half
script_refuses '--repeat 0: a whole number from 1' --repeat 0
printf 'raise ImportError\n' >pairmark.py
script_refuses 'pairmark is not installed'
# Lists of two, of which one has an entry beyond the cutoff and one twice, and lacks one.
cat >pairmark.py <<'P'
import collections, numpy
def neighbours(x, box, cutoff, entries):
    kinds = collections.namedtuple("Found", "first second shifts vectors distances")
    return kinds(numpy.array([0, 1]), numpy.array([1, 0]), numpy.zeros((2, 3), int), None, None)
P
cat >vesin.py <<'P'
import numpy
class NeighborList:
    def __init__(self, cutoff, full_list):
        pass
    def compute(self, points, box, periodic, quantities):
        shifts = numpy.zeros((3, 3), int)
        shifts[2] = 9
        return numpy.array([0, 0, 0]), numpy.array([1, 1, 1]), shifts, None, None
P
printf 'raise ImportError\n' >ase.py
PYTHONPATH=$work python3 "$script" --cases 2:1:3 --repeat 1 >out 2>err
check 'pairmark has both' grep -Eq 'pairmark .* 2 +0 +0 +0$' out
check 'vesin has others' grep -Eq 'vesin .* 3 +1 +1 +1$' out
check 'rows have the same' grep -Eq '^2,1.0,3.0,vesin,.*,3,1,1,1$' beside-vesin/rows.csv
conclude
