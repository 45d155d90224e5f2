# shellcheck shell=bash disable=SC2034 # what is set here is the tests'
# What the tests of the command line share. A test is run as `bash test_X.sh PAIRMARK TESTS_FOLDER`; it begins with
#     . "$2/lib.sh" || exit 1
# and ends with `conclude`. It stands in an empty folder of its own, $work, which goes when it ends, with a cache of its own, which holds
# the peaks of the device where run_tests has measured them; $pairmark and $tests are absolute paths.
set -u
unset COLUMNS # tables are as wide as they are for files
export TERM=xterm # a terminal that a test makes is one, whatever the caller has
pairmark=$(realpath "$1") || exit 1
tests=$(realpath "$2") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export PAIRMARK_CACHE=$work/cache
if [ -d "${PAIRMARK_TEST_PEAKS:-}" ]; then mkdir cache && cp -r "$PAIRMARK_TEST_PEAKS" cache/peaks; fi
evidence=(out err) # shown beside a failure
passed=0
failed=0

pass() { passed=$((passed + 1)); }
complain() { # complain WORDS...: a failure, and what the program said last
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$*"
    (cd "$work" && head -n 20 "${evidence[@]}" 2>/dev/null | cut -c 1-400 | sed 's/^/    /'
        tail -qn +21 "${evidence[@]}" 2>/dev/null | grep -F Sanitizer | cut -c 1-400 | sed 's/^/    /')
}
check() { # check DESCRIPTION COMMAND...: the command is successful
    local what=$1
    shift
    if "$@"; then pass; else complain "$what"; fi
}
exits() { # exits STATUS ARGUMENT...: pairmark ends with that status, leaving $work/out and $work/err; no message names a place twice
    local status=$1
    shift
    "$pairmark" "$@" >"$work/out" 2>"$work/err" </dev/null
    [ $? -eq "$status" ] || return
    ! grep -E '(^|[ :])([^ :]*[./-][^ :]*): \2:' "$work/err" || complain "a place is named twice: $*"
}
expect() { # expect STATUS ARGUMENT...: the same, as a check
    if exits "$@"; then pass; else complain "exit status not $1: ${*:2}"; fi
}
all_pass() { # all_pass DESCRIPTION ARGUMENT...: `pairmark check` passes every case, and there are some
    check "$1" exits 0 check "${@:2}"
    check "$1: some cases" grep -q '^[1-9][0-9]* passed, 0 failed' out
}
says_so() { grep -qE "^$2 .*MUTATION=${1}([,:]|$)" "$work/out"; } # says_so MUTATION VERDICT: of some case that `check -v` lists
# rejects_mutants LAST WHAT ARGUMENT...: `check` of a file whose MUTATION is 0 to LAST passes 0 in every case, and no other in all of them
rejects_mutants() {
    local mutation last=$1 what=$2
    shift 2
    "$pairmark" check "$@" --tune "MUTATION=$(seq -s , 0 "$last")" --budget 0 -v >"$work/out" 2>"$work/err" </dev/null
    check "$what: the unbroken one passes" says_so 0 ok
    if says_so 0 wrong; then complain "$what: not in every case"; else pass; fi
    for mutation in $(seq "$last"); do
        check "$what: mutation $mutation" says_so "$mutation" wrong
    done
}
# finds_changed NAME SOURCE SED WORDS ARGUMENT...: `check` of a kernel of variants/, changed by sed, refuses it and says so
finds_changed() {
    local name=$1 source=$tests/../variants/$2 file=${2##*/} words=$4
    sed -e "$3" "$source" >"$file"
    if cmp -s "$source" "$file"; then complain "$name: the same text as $2"; fi
    check "$name is refused" exits 1 check --variant-file "$file" --workload "${2%%/*}" "${@:5}"
    says_like out "^wrong .*: $words"
}
# For finds_changed: energies and virials of work-items in units twice as coarse as fixed has them.
coarse_units='s/^    STORE_SUMS/#if ACCUM_IS_FIXED \&\& WITH_ENERGY\n    for (int s = 0; s < SUM_COUNT; s++) {\n        sums.value[s] = sums.value[s] \/ 2 * 2;\n    }\n#endif\n&/'
kernel() { # kernel NAME BODY: a variant of all pairs whose inner statement is BODY, in $work/NAME.cl
    cat >"$work/$1.cl" <<END
/*
 * $1 — a kernel of this test
 *
 * One particle per work-item.
 *
 * @workload  forces
 * @structure none
 * @pass      $1 item per particle
 * @tunable   GROUP_SIZE 64
 */
KERNEL void $1(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
               GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums)
{
    const int i = GLOBAL_ID;
    $2
}
END
}
bonded_line() { # bonded_line: particles on one line, in one place, across it by little, in line.xyz; $terms name files of their terms
    cat >line.xyz <<END
9
Properties=species:S:1:pos:R:3 pbc="F F F"
C 0 0 0
C 1 0 0
C 2 0 0
C 3 1 0.5
C 1 0 0
C 0.5 0 0
C 4 0 1e-4
C 5 0 0
C 6 0 1e-3
END
    printf 'i,j,k,r0\n1,2,50,0.9\n2,5,50,1\n' >bonds.csv
    printf 'i,j,k,force_constant,theta0_degrees\n1,2,3,20,180\n1,2,3,20,90\n2,6,1,20,90\n2,3,6,20,120\n7,8,9,20,170\n' >angles.csv
    printf 'i,j,k,l,force_constant,multiplicity,phi0_degrees\n1,2,3,4,2,3,30\n3,7,8,9,2,2,0\n4,7,8,9,2,1,180\n2,5,3,4,2,1,0\n' >torsions.csv
    printf 'i,j,k,l,c0,c1,c2,c3,c4,c5\n1,2,3,4,9.28,12.16,-13.12,-3.06,26.24,-31.5\n9,4,3,8,1,2,3,4,5,6\n' >rb.csv
    terms=(--bonds bonds.csv --angles angles.csv --torsions torsions.csv --rb-torsions rb.csv)
}
has_terminals() { script -qec true /dev/null </dev/null >/dev/null 2>&1; } # a bare root may have none
# refuses WORDS ARGUMENT...: pairmark ends with status 2, prints nothing, and its last line names it and says these words
refuses() {
    expect 2 "${@:2}"
    says err "$1"
    check "last: '$1': ${*:2}" grep -qF -- "$1" <(tail -n 1 "$work/err")
    check "the command named by: ${*:2}" err pairmark
    check "nothing printed by: ${*:2}" empty "$work/out"
}
# script_refuses WORDS ARGUMENT...: the Python program $script ends with status 2 and one line that has these words; modules in $work are
# found first
script_refuses() {
    local words=$1
    shift
    PYTHONPATH=$work python3 "$script" "$@" >"$work/out" 2>"$work/err" </dev/null
    check "exit status 2: $*" [ $? -eq 2 ]
    check "$words" err "$words"
    check 'no trace of the script' [ "$(wc -l <"$work/err")" = 1 ]
}
forget_checksums() { # forget_checksums RUN: as of a run that was stopped, or of an older pairmark
    rm "$1/checksums.txt" && sed -zi 's/,[^,{}]*"checksums":[^,{}]*//g' "$1/environment.json"
}
out() { grep -qF -- "$1" "$work/out"; }
err() { grep -qF -- "$1" "$work/err"; }
said() { out "$1" || err "$1"; }
says() { # says FILE TEXT
    if grep -qF -- "$2" "$1"; then pass; else complain "no '$2' in $1: $(tail -n 5 "$1")"; fi
}
says_like() { # says_like FILE REGEX
    if grep -qE -- "$2" "$1"; then pass; else complain "no '$2' in $1: $(tail -n 5 "$1")"; fi
}
lacks() { # lacks FILE TEXT
    if ! grep -qF -- "$2" "$1"; then pass; else complain "'$2' in $1: $(grep -F -- "$2" "$1" | head -n 3)"; fi
}
empty() { [ ! -s "$1" ]; }
has_file() { [ -s "$1" ]; }
near() { # near A B TOLERANCE: |A - B| <= TOLERANCE |B|, both numbers
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {
        number = "^-?[0-9.]+([eE][-+]?[0-9]+)?$"
        d = a - b
        exit !(a ~ number && b ~ number && (d < 0 ? -d : d) <= t * (b < 0 ? -b : b))
    }'
}
json() { # json FILTER [FILE]: what jq says of a file, or of $work/out; nothing where it is no JSON
    jq -r "$1" "${2:-$work/out}" 2>/dev/null
}
field() { # field NAME: the first value of that name in the JSON of $work/out; nothing where there is none
    json "first(.. | objects | select(has(\"$1\")) | .[\"$1\"]) | select(. != null)"
}
# use_python_package: python3 finds the package of this checkout, and it this build's library; the test is skipped where there is none
use_python_package() {
    export PAIRMARK_LIBRARY=${pairmark%/*}/libpairmark.so PYTHONPATH=$tests/../python:$tests/python PYTHONDONTWRITEBYTECODE=1
    python3 -c 'import numpy' 2>/dev/null || { echo 'no python3 with numpy (Debian package python3-numpy)'; exit 77; }
    [ -f "$PAIRMARK_LIBRARY" ] || { echo 'no libpairmark.so beside the program: make build-tests makes it'; exit 77; }
    ! sanitized || { echo 'built with AddressSanitizer, which python would need'; exit 77; }
}
# Built with AddressSanitizer, which keeps much of the address space for itself. It sees the harness alone, not kernels: where many do the
# same to that, a test tries them `unsanitized` only, WORD by WORD.
unsanitized() { sanitized || printf '%s\n' "$@"; }
# What says little more than a first one does: `make test` and `make sanitize` set TESTS_ARE_SHORT, and leave it to `make test-all`.
at_length() { [ "${TESTS_ARE_SHORT:-}" ] || printf '%s\n' "$@"; }
sanitized() { grep -q __asan_init "$pairmark"; }
conclude() {
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ $failed -eq 0 ] && [ $passed -gt 0 ]
    exit
}

# no_row_gains FILE: no row is ok whose time (hot, cold or with copies) is below a third of that of launches over moved particles
no_row_gains() {
    sed 's/"[^"]*"/x/g' "$1" | awk -F, 'function gains(column) { return $at[column] != "" && 3 * $at[column] + 5e-4 < $at["fresh_force_s_median"] }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["status"] == "ok" { found = found || gains("force_s_median") || gains("cold_force_s_median") || gains("end_to_end_s_median") }
        END { exit found || NR < 2 }'
}
