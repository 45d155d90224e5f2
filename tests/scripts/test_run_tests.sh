#!/usr/bin/env bash
# scripts/run_tests: what it counts, and which tests of a build with sanitizers it runs again. The tests are stand-ins that
# fail when they are run first and pass when they are run again.
# shellcheck disable=SC2016 # what the stand-ins expand is expanded by them
. "$2/lib.sh" || exit 1
run_tests=$tests/../scripts/run_tests
tracer='==7==LeakSanitizer has encountered a fatal error.'

build() { # build: an empty one
    rm -rf "$work/build"
    mkdir "$work/build"
}
stand_in() { # stand_in NAME TEXT [STATUS OF THE SECOND RUN]: prints TEXT and fails, then passes
    printf '%s\n' "$2" >"$work/build/$1.says"
    printf 'add_test(%s "%s" "-c" "%s")\n' "$1" "$BASH" \
        "[ ! -e $1.ran ] || exit ${3:-0}; touch $1.ran; cat $1.says; exit 1" >>"$work/build/CTestTestfile.cmake"
}
passing() { printf 'add_test(%s "true")\n' "$1" >>"$work/build/CTestTestfile.cmake"; }
runs() { # runs STATUS [ARGUMENT...]: run_tests ends with that status
    local status=$1
    shift
    bash "$run_tests" "$work/build" "$@" >"$work/out" 2>"$work/err" </dev/null
    [ $? -eq "$status" ]
}

build
passing fine
passing good
check 'all pass' runs 0
check 'and are counted' out '2 passed, 0 failed, 0 skipped'
check 'no test is a failure' runs 8 --tests-regex nothing

# A folder that is none, or of no build, is named, and nothing else is said.
for wrong in "$work/nowhere" "$work" -R ''; do
    bash "$run_tests" "$wrong" --times >"$work/out" 2>"$work/err" </dev/null
    check "status 2 for '$wrong'" [ $? -eq 2 ]
    says err "run_tests: '$wrong' is no build folder with tests"
    check "one line for '$wrong'" [ "$(cat out err | wc -l)" -eq 1 ]
done

# A test that is skipped is named with what it said last; one that is skipped in part, with its words.
build
says_and_ends() { # says_and_ends NAME STATUS LINE...: a test
    printf '%s\n' "${@:3}" >"$work/build/$1.says"
    printf 'add_test(%s "%s" "-c" "cat %s.says; exit %d")\nset_tests_properties(%s PROPERTIES SKIP_RETURN_CODE 77)\n' \
        "$1" "$BASH" "$1" "$2" "$1" >>"$work/build/CTestTestfile.cmake"
}
says_and_ends whole 77 'looking' 'no numpy & no "torch" (Debian: python3-numpy)'
says_and_ends part 0 'skipped: needs a GPU' '3 passed, 0 failed'
says_and_ends none 0 'fine'
passing absent
echo 'set_tests_properties(absent PROPERTIES DISABLED TRUE)' >>"$work/build/CTestTestfile.cmake"
check 'some are skipped' runs 0
check 'they are counted' out '2 passed, 0 failed, 2 skipped'
check 'they are named, with why, before the last two lines' test "$(tail -n 5 "$work/out" | head -n 3)" = \
    'skipped: absent: CMake did not find a library that it needs
skipped: part: needs a GPU
skipped: whole: no numpy & no "torch" (Debian: python3-numpy)'

# Of the time left it is right within a factor of 1.5 once a third has gone by, whatever is wrong in common with the seconds that are
# expected: here they are a third of what the tests take, and the longest begins. They sleep, which a busy machine hardly delays; of
# what nproc says they get two processors.
if has_terminals; then
    build
    mkdir "$work/build/Testing"
    add_sleep() { # add_sleep NAME SECONDS EXPECTED
        printf 'add_test(%s sleep %s)\nset_tests_properties(%s PROPERTIES COST %s)\n' "$1" "$2" "$1" "$2" >>"$work/build/CTestTestfile.cmake"
        echo "$1 $3" >>"$work/build/Testing/times"
    }
    add_sleep long 6 2
    for ((i = 20; i > 0; i--)); do add_sleep "short$i" 0.6 0.2; done
    TERM=xterm OMP_NUM_THREADS=2 script -qefc "bash '$run_tests' '$work/build'" /dev/null </dev/null 2>&1 | while IFS= read -r -d $'\r' line; do
        echo "$(date +%s.%N) $line"
    done >"$work/estimates"
    TERM=dumb script -qec "bash '$run_tests' '$work/build' --tests-regex short1\$" /dev/null </dev/null >"$work/dumb" 2>&1
    says dumb '1 passed'
    lacks dumb "$(printf '\033')"
    check 'the estimate of the time left' awk '{ split($0, at, /about |:| left/) }
        /% about/ { n++; when[n] = $1; left[n] = 60 * at[2] + at[3] }
        END {
            whole = when[n] - when[1]
            for (i = 1; i <= n; i++) {
                rest = when[n] - when[i]
                if (when[i] - when[1] < whole / 3 || rest < whole / 5) continue
                looked++
                if (left[i] + 1 < rest / 1.5 || left[i] > 1.5 * rest + 1) { print rest, left[i]; bad++ }
            }
            exit bad > 0 || looked < 5
        }' "$work/estimates"
fi

# The tracer died, and nothing else failed: at the end of a unit test, and beside a complaint of a test of the command line.
build
passing fine
stand_in unit "[  PASSED  ] 3 test(s).
$tracer"
stand_in command "FAILED: exit status not 0: list
    ==> err <==
    $tracer
3 passed, 1 failed"
check 'a tracer that died fails where none is forgiven' runs 8
check 'as two failures' out '1 passed, 2 failed, 0 skipped'
rm "$work"/build/*.ran
check 'and is forgiven on request' runs 0 --retry-tracer
check 'with the counts of the second run' out '3 passed, 0 failed, 0 skipped'
says out 'unit again'
says out 'command again'

# Any other failure stands, though it would pass the second time, and also beside a tracer that died.
for other in '[  FAILED  ] a_test' '==7==ERROR: AddressSanitizer: heap-use-after-free' 'a.c:3:4: runtime error: overflow' \
    '==7==ERROR: LeakSanitizer: detected memory leaks' 'FAILED: no such row'; do
    build
    passing fine
    stand_in alone "$other"
    stand_in beside "$tracer
$other"
    check "stands: $other" runs 8 --retry-tracer
    check "is counted: $other" out '1 passed, 2 failed, 0 skipped'
    lacks out again
done
build
stand_in two "FAILED: the first
    $tracer
FAILED: the second
1 passed, 2 failed"
check 'one complaint of two is without the tracer' runs 8 --retry-tracer
build
stand_in twice "$tracer" 1
check 'what fails twice has failed' runs 8 --retry-tracer
says out 'twice again'
check 'and is counted' out '0 passed, 1 failed, 0 skipped'
conclude
