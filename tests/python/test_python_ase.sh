#!/usr/bin/env bash
# ASE's own tests of its Lennard-Jones calculator, and of what uses it (bands, filters, optimizers, phonons), with pairmark's calculator in its
# place; but those of stresses of atoms, which pairmark has not.
. "$2/lib.sh" || exit 1
python3 -c 'import ase.test, pytest' 2>/dev/null || { echo 'no ASE with its tests and pytest for python3: pip install ase pytest'; exit 77; }
use_python_package
PYTHONPATH+=:$work
cat >lj_by_pairmark.py <<'P'
import os
import ase.calculators.lj
from pairmark.ase import Pairmark


class LennardJones(Pairmark):
    def __init__(self, sigma=1.0, epsilon=1.0, rc=None, ro=None, smooth=False, **keywords):
        sigma, epsilon = float(sigma), float(epsilon)
        rc = 3 * sigma if rc is None else float(rc)
        ro = 0.66 * rc if ro is None else float(ro)
        energy = f"4*{epsilon!r}*(({sigma!r}/r)^12 - ({sigma!r}/r)^6)"
        shift = 4 * epsilon * ((sigma / rc) ** 12 - (sigma / rc) ** 6)
        switched = f"u*select(step(r-{ro!r}), ({rc!r}^2-r^2)^2*({rc!r}^2+2*r^2-3*{ro!r}^2)/({rc!r}^2-{ro!r}^2)^3, 1); u = {energy}"
        super().__init__("energy = " + (switched if smooth else f"{energy} - ({shift!r})"), rc, device=os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0"),
                         **keywords)


ase.calculators.lj.LennardJones = LennardJones
P
folder=$(python3 -c 'import ase.test, os; print(os.path.dirname(ase.test.__file__))')
mapfile -t users < <(cd "$folder" && grep -rl LennardJones --include='test_*.py' . | grep -v 'lammps\|kim\|gui' | sed 's|^\./||; s|/|.|g; s|\.py$||; s|^|ase.test.|' | sort)
check 'some tests use it' [ "${#users[@]}" -ge 3 ]
python3 -m pytest -q -p lj_by_pairmark -p no:cacheprovider --pyargs "${users[@]}" -k 'not test_bulk_stress and not test_stress_voigt_shape' >out 2>err
check 'all pass' [ $? -eq 0 ]
check 'and there are some' grep -qE '^[0-9]+ passed' out
tail -n 1 out
conclude
