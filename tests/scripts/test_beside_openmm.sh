#!/usr/bin/env bash
# scripts/beside_openmm: what it says where OpenMM, its platform or an argument is missing. With OpenMM it is run by hand: pip has it, Debian has not.
. "$2/lib.sh" || exit 1
script=$tests/../scripts/beside_openmm
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
check '--help shows the usage' out 'usage: scripts/beside_openmm PAIRMARK'
refused 'expected the program first'
refused 'is no program' "$tests/lib.sh"
refused '--speed: there is no such option' "$pairmark" --speed 3
refused '--sites: a value is missing' "$pairmark" --sites
refused '--sites: a water has three sites' "$pairmark" --sites 3000,3001
refused '--sites many: whole numbers are expected' "$pairmark" --sites many
refused '--steps: numbers from 1' "$pairmark" --steps 0
refused '--precision half: float, mixed or double' "$pairmark" --precision half

printf 'raise ImportError\n' >openmm.py
refused 'OpenMM is not installed' "$pairmark"
printf '%s\n' 'class Named:' '    def getName(self): return "Reference"' 'class Platform:' '    getNumPlatforms = staticmethod(lambda: 1)' \
    '    getPlatform = staticmethod(lambda i: Named())' >openmm.py
refused 'OpenMM has no platform CUDA here, only Reference' "$pairmark"

conclude
