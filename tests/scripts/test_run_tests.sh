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
