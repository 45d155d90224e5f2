#!/usr/bin/env bash
# scripts/beside_nvalchemi: what it says where torch, warp, the package, a GPU or an argument is missing. With them it is run by hand: pip has
# them, Debian has not.
. "$2/lib.sh" || exit 1
script=$tests/../scripts/beside_nvalchemi
command -v python3 >/dev/null || { echo 'no python3'; exit 77; }
refused() { # refused WORDS ARGUMENT...: it ends with status 2 and says so
    local words=$1
    shift
    PYTHONPATH=$work python3 "$script" "$@" >out 2>err </dev/null
    check "exit status 2: $*" [ $? -eq 2 ]
    check "$words" err "$words"
    check 'no trace of the script' [ "$(wc -l <err)" = 1 ]
}

python3 "$script" --help >out
check '--help shows the usage' out 'usage: scripts/beside_nvalchemi PAIRMARK'
refused 'expected the program first'
refused 'is no program' "$tests/lib.sh"
refused '--speed: there is no such option' "$pairmark" --speed 3
refused '--cases: a value is missing' "$pairmark" --cases
refused '--cases 1000:2.5: expected N:DENSITY:CUTOFF' "$pairmark" --cases 1000:1:2.5,1000:2.5
refused '--cases 1000:0:2.5: positive numbers are expected' "$pairmark" --cases 1000:0:2.5
refused '--methods best: one of cell_list_atom_centric' "$pairmark" --methods best
refused '--repeat 0: a whole number from 1' "$pairmark" --repeat 0

printf 'raise ImportError\n' >torch.py
refused 'torch is not installed' "$pairmark"
printf '%s\n' 'class cuda:' '    is_available = staticmethod(lambda: False)' >torch.py
printf 'raise ImportError\n' >warp.py
refused 'warp is not installed' "$pairmark"
: >warp.py
mkdir -p nvalchemiops/torch
: >nvalchemiops/__init__.py
: >nvalchemiops/torch/__init__.py
printf 'raise ImportError\n' >nvalchemiops/torch/neighbors.py
refused 'nvalchemi-toolkit-ops is not installed' "$pairmark"
: >nvalchemiops/torch/neighbors.py
refused 'torch finds no GPU here' "$pairmark"

conclude
