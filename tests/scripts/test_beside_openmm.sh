#!/usr/bin/env bash
# scripts/beside_openmm: what it says where OpenMM, its platform or an argument is missing. With OpenMM it is run by hand: pip has it, Debian has not.
. "$2/lib.sh" || exit 1
script=$tests/../scripts/beside_openmm
command -v python3 >/dev/null || { echo 'no python3 (Debian package python3)'; exit 77; }

python3 "$script" --help >out
check '--help shows the usage' out 'usage: scripts/beside_openmm PAIRMARK'
script_refuses 'expected the program first'
script_refuses 'is no program' "$tests/lib.sh"
script_refuses '--speed: there is no such option' "$pairmark" --speed 3
script_refuses '--sites: a value is missing' "$pairmark" --sites
script_refuses '--pme: a value is missing' "$pairmark" --pme
script_refuses '--sites: a water has three sites' "$pairmark" --sites 3000,3001
script_refuses '--sites many: whole numbers are expected' "$pairmark" --sites many
script_refuses '--steps: numbers from 1' "$pairmark" --steps 0
script_refuses '--drift 10: a whole number from 200 is expected' "$pairmark" --drift 10
script_refuses '--drift 250: a multiple of 100 is expected' "$pairmark" --drift 250
script_refuses '--precision half: float, mixed or double' "$pairmark" --precision half

printf 'raise ImportError\n' >openmm.py
script_refuses 'OpenMM is not installed' "$pairmark"
printf '%s\n' 'class Named:' '    def getName(self): return "Reference"' 'class Platform:' '    getNumPlatforms = staticmethod(lambda: 1)' \
    '    getPlatform = staticmethod(lambda i: Named())' >openmm.py
script_refuses 'OpenMM has no platform CUDA here, only Reference' "$pairmark"

conclude
