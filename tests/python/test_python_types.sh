#!/usr/bin/env bash
# The types of the package, as mypy --strict sees them: of its own code, and of a user's, right and wrong.
. "$2/lib.sh" || exit 1
python3 -c 'import mypy, numpy' 2>/dev/null || { echo 'no mypy and numpy for python3: pip install mypy numpy'; exit 77; }
source=$(realpath "$tests/..")
check 'the package' bash -c 'cd "$1" && python3 -m mypy --cache-dir "$2/types" --config-file pyproject.toml python/pairmark >"$2/out" 2>&1' _ "$source" "$work"
cat >right.py <<'P'
import pairmark

system = pairmark.System(3, [9.0] * 3, potential="lj", cutoff=2.5, types=[0, 0, 1], names=["A", "B"])
forces, energy, virial = system.evaluate([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]], moved=0.1)
name: str = system.device
names: list[str] = [one.name for one in pairmark.devices()] + [one.workload for one in pairmark.variants()]
pairs: pairmark.Neighbours = pairmark.neighbours([[0.0, 0, 0]], None, 2.5, entries="shifts")
P
sed 's/names=\[/nams=[/; s/moved=0.1/moved="far"/; s/name: str/name: int/' right.py >wrong.py
export MYPYPATH=$source/python
check 'a user' bash -c 'python3 -m mypy --cache-dir types --follow-imports=silent --strict right.py >out 2>&1'
python3 -m mypy --cache-dir types --follow-imports=silent --strict wrong.py >out 2>&1
check 'a misspelt keyword, a word for a number, a number for a word' [ "$(grep -c '^wrong.py:[345]: error' out)" -ge 3 ]
conclude
