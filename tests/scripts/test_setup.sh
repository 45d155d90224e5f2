#!/usr/bin/env bash
# scripts/setup and the targets of the Makefile, with stand-ins for dpkg-query, apt-get and apt-cache: what they ask for, and when
# they ask for nothing.
# shellcheck disable=SC2016 # what the stand-ins expand is expanded by them
. "$2/lib.sh" || exit 1
evidence=(out err asked)
setup=$tests/../scripts/setup

command_file() { # command_file NAME TEXT
    printf '#!%s\n%s\n' "$BASH" "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
# The tools of the machine, less what the test stands in for. $absent are the packages that are not installed.
fresh_machine() {
    rm -rf "${work:?}/bin" "$work/asked"
    mkdir "$work/bin"
    local tool
    for tool in bash env grep sed awk tail mktemp rm cat touch dirname nproc ls make sort; do
        ln -s "$(command -v $tool)" "$work/bin/$tool" 2>/dev/null
    done
    command_file id 'echo 0'
    command_file dpkg-query 'for package in "${@:3}"; do case " $absent " in *" $package "*) ;; *) echo "$package installed" ;; esac; done'
    command_file apt-get 'printf "%s\n" "$*" >>"$work/asked"; [ -z "$apt_fails" ] || { echo "E: no"; exit 100; }'
    command_file apt-cache '[ "$1" != pkgnames ] || { printf "llvm-spirv-%s\n" 9 14 15 16; exit; }; case " $unoffered " in *" $2 "*) ;; *) echo "  Candidate: 1.0-1" ;; esac'
}
runs() { # runs STATUS [ARGUMENT...]: setup ends with that status
    local status=$1
    shift
    env -i PATH="$work/bin" work="$work" absent="${absent:-}" unoffered="${unoffered:-}" apt_fails="${apt_fails:-}" \
        PAIRMARK_SKIP_SETUP="${skip:-}" bash "$setup" "$@" >"$work/out" 2>"$work/err" </dev/null
    [ $? -eq "$status" ]
}
asked() { grep -qE -- "$1" "$work/asked" 2>/dev/null; }
asked_nothing() { [ ! -e "$work/asked" ]; }
# A GPU without a toolkit earns a line of advice, which is not what is looked at here.
silent() { ! grep -v 'CUDA' "$work/out" "$work/err" | grep -q .; }

fresh_machine
check 'all there' runs 0
check 'then it says nothing' silent
check 'and leaves apt-get alone' asked_nothing

absent='libcsv-dev gnuplot-nox'
check 'two missing' runs 0
check 'installs these two and no more' asked ' install .*--no-install-recommends libcsv-dev gnuplot-nox$'
check 'without questions' asked '-y .*install'
check 'after refreshing the lists' asked 'update$'
check 'and says which, and what for' grep -qE '^setup:   libcsv-dev +[a-z].* [a-z]' err
check 'before it does so' bash -c "grep -n . '$work/err' | grep -A 9 'libcsv-dev' | grep -q 'installing them'"

# A machine with nothing: a name such as g++ is no regular expression.
fresh_machine
absent=$(bash "$setup" --list)
absent=${absent//$'\n'/ }
check 'everything missing' runs 0
for package in cmake g++ jq; do
    check "$package is named" grep -qF "setup:   $package " err
done
check 'and all are installed' asked ' install .*cmake g\+\+ gcc .* jq python3 python3-numpy$'

# What only checks installs nothing.
fresh_machine
check '--check, two missing' runs 3 --check
check 'names the one that the build needs' said libcsv-dev
lacks err gnuplot-nox # runs need it, the build does not
check 'and the command that installs it' said "run 'make setup'"
check 'and installs nothing' asked_nothing
absent=clang-tidy
check '--check --lint' runs 3 --check --lint
check 'names the command for its packages' said "run 'make setup SETUP_FLAGS=--lint'"
check 'and still installs nothing' asked_nothing
check '--check without --lint' runs 0 --check
check 'is silent' silent
absent=gnuplot-nox
check 'what runs need' runs 0 --check
check 'is looked for by --run' runs 3 --check --run
check 'which names it' said gnuplot-nox

fresh_machine
absent=clang-tidy
check 'lint tools are not asked for' runs 0
check 'so nothing is installed' asked_nothing
check 'unless by --lint' runs 0 --lint
check 'then they are' asked 'install .* clang-tidy$'

fresh_machine
absent=libcsv-dev unoffered=libcsv-dev
check 'a package that no source offers' runs 3
check 'is named' said 'offers: libcsv-dev'
check 'and nothing is installed' bash -c "! grep -q ' install ' '$work/asked'"

# What more tests run with can be done without.
fresh_machine
absent=oclgrind unoffered=''
check 'nothing more is asked for' runs 0
check 'so nothing more is installed' asked_nothing
check 'unless by --all' runs 0 --all
check 'then it is' asked 'install .* oclgrind$'
fresh_machine
unoffered=oclgrind
check '--all where no source offers it' runs 0 --all
check 'says what is skipped' said 'without oclgrind: its tests are skipped'

# The compiler for other targets: of the newest version that has all three packages.
fresh_machine
absent='clang-14 libclc-14 llvm-spirv-14 clang-15 libclc-15 llvm-spirv-15 clang-16 libclc-16 llvm-spirv-16' unoffered='libclc-16 clang-16'
check '--all, no clang' runs 0 --all
for package in clang-15 libclc-15 llvm-spirv-15; do check "installs $package" asked "install .* $package\$"; done
check 'and no other' bash -c "! grep -E 'install .*-(9|14|16)' '$work/asked'"
check 'and they are listed' bash -c 'env -i PATH="$1/bin" unoffered="libclc-16" bash "$2" --list --all | grep -qx libclc-15' bash "$work" "$setup"
fresh_machine
unoffered='clang-9 clang-14 clang-15 clang-16'
check 'none' runs 0 --all
check 'says what is skipped' said 'no source offers clang, libclc and llvm-spirv of one version'

fresh_machine
absent=libcsv-dev unoffered='' apt_fails=1
check 'apt-get fails' runs 3
check 'its words are shown' said 'E: no'
apt_fails=''

fresh_machine
command_file id 'echo 1000'
check 'neither root nor sudo' runs 3
check 'says what to ask for' said 'apt-get install libcsv-dev'
command_file sudo '[ "$1" = -n ] && shift; exec "$@"'
check 'with sudo' runs 0
check 'it installs' asked 'install .* libcsv-dev$'

fresh_machine
skip=1
check 'PAIRMARK_SKIP_SETUP' runs 0
check 'asks for nothing' asked_nothing
skip=''

fresh_machine
rm "$work/bin/dpkg-query"
check 'another distribution' runs 3
check 'says what it needs' said gnuplot-nox
check 'there, --check leaves it to CMake' runs 0 --check
check 'an unknown argument' runs 2 --frobnicate

# The Makefile: only setup, bench and test install. (None of them gets to build anything: what is missing stays missing.)
makes() { # makes TARGET...: make fails
    env -i PATH="$work/bin" work="$work" absent="$absent" bash -c 'make -C "$1" "${@:2}"' make "$(dirname "$setup")/.." \
        BUILD="$work/build" "$@" >"$work/out" 2>"$work/err" </dev/null
    [ $? -ne 0 ]
}
if command -v make >/dev/null; then
    absent='libcsv-dev cppcheck'
    for target in build plot report sanitize lint package install; do
        fresh_machine
        check "make $target, a package missing" makes $target
        check "make $target installs nothing" asked_nothing
        check "make $target names the package" said libcsv-dev
        check "make $target names the command" grep -qE "run 'make setup( SETUP_FLAGS=--lint)?'" err
    done
    for target in bench test; do
        fresh_machine
        check "make $target, a package missing" makes $target
        check "make $target installs it" asked 'install .* libcsv-dev$'
    done
    # What is built: the program for bench, all for the tests. ./pairmark is the program, unless something else has that name.
    absent='' tree=$work/tree
    fresh_machine
    command_file cmake 'printf "%s\n" "$*" >>"$work/asked"; touch "$work/build/CMakeCache.txt"; printf "#!/bin/sh\necho \"ran \$*\"\n" >"$work/build/pairmark"; chmod +x "$work/build/pairmark"'
    for tool in ln date chmod; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
    mkdir -p "$tree/scripts" "$work/build" # a tree without sources: nothing here compiles
    cp "$tests/../Makefile" "$tree"
    cp "$setup" "$tree/scripts"
    in_tree() { env -i PATH="$work/bin" work="$work" absent= make -C "$tree" BUILD="$work/build" "$@" >"$work/out" 2>"$work/err" </dev/null; }
    check 'make bench' in_tree bench
    check 'builds the program' asked '--build .* --target pairmark$'
    check 'and no more' bash -c "! grep -e --build '$work/asked' | grep -qv -e '--target pairmark\$'"
    check 'and runs it by its link' says "$work/out" 'ran bench --preset quick -o runs/'
    check './pairmark is the program' [ "$(readlink "$tree/pairmark")" = "$work/build/pairmark" ]
    check 'make build-tests' in_tree build-tests
    check 'builds everything' bash -c "grep -e --build '$work/asked' | grep -qv -e --target"
    check 'make clean' in_tree clean
    check 'removes the link' [ ! -e "$tree/pairmark" ]
    mkdir "$tree/pairmark" "$work/build"
    check 'a folder of that name' in_tree build
    check 'is left alone' [ -z "$(ls -A "$tree/pairmark")" ]

    fresh_machine
    absent='libcsv-dev cppcheck'
    makes setup SETUP_FLAGS=--lint
    check 'make setup SETUP_FLAGS=--lint installs what lint runs' asked 'install .* libcsv-dev cppcheck$'
fi

conclude
