#!/usr/bin/env bash
# python/pairmark over the program: answers, verdicts that are no, refusals as exceptions.
. "$2/lib.sh" || exit 1
command -v python3 >/dev/null || { echo 'no python3 (Debian package python3)'; exit 77; }
sed 's/force\[i\] = make_accum4(fx/&*1.01f/' "$tests/../variants/forces/all_pairs_loop.cl" >wrong.cl
cmp -s wrong.cl "$tests/../variants/forces/all_pairs_loop.cl" && { echo 'wrong.cl is no other'; exit 1; }
cat >commands.py <<'P'
import sys, pairmark
from pathlib import Path
small = dict(kind="fluid", cutoff=2, n=100, precision="float", outputs="forces", seed=1)
right = Path(sys.argv[1]).read_text(encoding="utf-8")

report = pairmark.check(right, **small)  # as text
assert report["passed"] == 2 and report["failed"] == 0, report  # periodic and open
assert report["cases"][0]["n"] == 100
report = pairmark.check("wrong.cl", **small)  # as a file: a verdict that is no is an answer
assert report["failed"] == 2, report
assert pairmark.check(variant="all_pairs_loop", tune={"GROUP_SIZE": [64, 128]}, **small)["passed"] == 4

numbers = pairmark.evaluate(variant="all_pairs_loop", kind="lattice", n=64)
assert numbers["status"] == "ok" and numbers["energy"] < 0, numbers

for wrong in (dict(kind="mud"), dict(n="many"), dict(nonsense=True)):
    try:
        pairmark.check(variant="all_pairs_loop", **wrong)
    except pairmark.PairmarkError as error:
        assert error.status == 2 and str(error).startswith("pairmark check:"), error
    else:
        raise AssertionError(wrong)
# What adds no word to the command line is known, or refused all the same.
for call, wrong in ((pairmark.check, {"sede": None}), (pairmark.check, {"thorogh": False}), (pairmark.evaluate, {"precison": None}),
                    (lambda **axes: pairmark.judge(right, **axes), {"base_line": None}), (pairmark.best, {"verbos": False})):
    try:
        call(variant="all_pairs_loop", kind="lattice", n=64, **wrong)
    except TypeError as error:
        assert str(error).startswith(f"{next(iter(wrong))}: no keyword of "), error
    else:
        raise AssertionError(wrong)
assert pairmark.evaluate(variant="all_pairs_loop", kind=b"lattice", n=64, seed=None, no_reference=False)["energy"] == numbers["energy"]
for wrong in (lambda: pairmark.evaluate(3), lambda: pairmark.evaluate(["a.xyz", "b.xyz"], cutoff=1), lambda: pairmark.check(5)):
    try:
        wrong()
    except TypeError as error:
        assert str(error).startswith(("box: a file", "source: a file")), error
    else:
        raise AssertionError(wrong)
try:
    pairmark.evaluate(help=True)
except pairmark.PairmarkError as error:
    assert "no JSON was printed" in str(error), error
try:
    pairmark.rows("nowhere")
except pairmark.PairmarkError as error:
    assert error.status == 2 and "there are no rows" in str(error), error
except ImportError as error:
    print(error)
else:
    raise AssertionError("rows of nothing")
P
export PYTHONPATH=$tests/../python PAIRMARK_PROGRAM=$pairmark PYTHONDONTWRITEBYTECODE=1
python3 commands.py "$tests/../variants/forces/all_pairs_loop.cl" >out 2>err
check 'every command answers' [ $? -eq 0 ]
[ -s err ] && cat err
# Kernels are UTF-8 whatever the locale writes; what no command line holds is named by its argument.
cat >texts.py <<'P'
import sys, pairmark
from pathlib import Path
small = dict(kind="fluid", cutoff=2, n=100, precision="float", outputs="forces", seed=1)
assert pairmark.check(Path(sys.argv[1]).read_text(encoding="utf-8"), **small)["passed"] == 2
for word in ("\0", "\ud800"):
    for name, call in (("kind", lambda: pairmark.evaluate(kind=word, n=20)), ("tune", lambda: pairmark.evaluate(tune={"A": word})),
                       ("box", lambda: pairmark.best(word)), ("source", lambda: pairmark.judge(word))):
        try:
            call()
        except ValueError as error:
            assert str(error).startswith(name + ": a text that command lines can hold is expected"), error
        else:
            raise AssertionError((name, word))
P
PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 LC_ALL=C python3 texts.py "$tests/../variants/forces/all_pairs_loop.cl" >out 2>err
check 'a locale of ASCII alone' [ $? -eq 0 ]
for file in "$PWD/nothing" "$PWD" wrong.cl; do
    PAIRMARK_PROGRAM=$file python3 -c 'import pairmark; pairmark.check()' >out 2>err
    check 'no program: an error' [ $? -ne 0 ]
    says err "PairmarkError: the program $file: "
    PAIRMARK_LIBRARY=$file python3 -c 'import pairmark; pairmark.devices()' >out 2>err
    check 'no library: an error' [ $? -ne 0 ]
    says err 'PairmarkError: no libpairmark: '
done

conclude
