#!/usr/bin/env bash
# scripts/beside_nvalchemi: what it says where torch, warp, the package, a GPU or an argument is missing. With them it is run by hand: pip has
# them, Debian has not.
. "$2/lib.sh" || exit 1
script=$tests/../scripts/beside_nvalchemi
command -v python3 >/dev/null || { echo 'no python3 (Debian package python3)'; exit 77; }

python3 "$script" --help >out
check '--help shows the usage' out 'usage: scripts/beside_nvalchemi PAIRMARK'
script_refuses 'expected the program first'
script_refuses 'is no program' "$tests/lib.sh"
script_refuses '--speed: there is no such option' "$pairmark" --speed 3
script_refuses '--cases: a value is missing' "$pairmark" --cases
script_refuses '--cases 1000:2.5: expected N:DENSITY:CUTOFF' "$pairmark" --cases 1000:1:2.5,1000:2.5
script_refuses '--cases 1000:0:2.5: positive numbers are expected' "$pairmark" --cases 1000:0:2.5
script_refuses '--methods best: one of cell_list_atom_centric' "$pairmark" --methods best
script_refuses '--repeat 0: a whole number from 1' "$pairmark" --repeat 0

printf 'raise ImportError\n' >torch.py
script_refuses 'torch is not installed' "$pairmark"
printf '%s\n' 'class cuda:' '    is_available = staticmethod(lambda: False)' >torch.py
printf 'raise ImportError\n' >warp.py
script_refuses 'warp is not installed' "$pairmark"
: >warp.py
mkdir -p nvalchemiops/torch
: >nvalchemiops/__init__.py
: >nvalchemiops/torch/__init__.py
printf 'raise ImportError\n' >nvalchemiops/torch/neighbors.py
script_refuses 'nvalchemi-toolkit-ops is not installed' "$pairmark"
: >nvalchemiops/torch/neighbors.py
script_refuses 'torch finds no GPU here' "$pairmark"

conclude
