#!/usr/bin/env bash
# The CI files of share/ci, and those of pairmark itself: they are YAML of the right form, use actions by commit, and the very commands that they hold run, in the
# order in which they stand, with stand-ins for git, cmake and apt alone.
# shellcheck disable=SC2016 # what the stand-ins expand is expanded by them
. "$2/lib.sh" || exit 1
evidence=(out err)
ci=$tests/../share/ci workflows=$tests/../.github/workflows

# ---- form ----
if python3 -c 'import yaml' 2>/dev/null; then
    yaml_json() { python3 -c 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))' "$1"; }
    yaml_json "$ci/github.yml" >github.json
    yaml_json "$ci/gitlab.yml" >gitlab.json
    check "GitHub: a job whose steps run or use something" [ "$(json '.jobs.check | ."runs-on" == "ubuntu-24.04" and
        (.steps | length >= 5 and all(has("run") != has("uses")))' github.json)" = true ]
    check "GitLab: a job with a script and a report" [ "$(json '.pairmark | (.script | length) == 3 and (.script | all(type == "string")) and
        .artifacts.reports.junit == "pairmark.xml" and .artifacts.when == "always"' gitlab.json)" = true ]
    json '.jobs.check.steps[] | .run | select(.)' github.json >github.parsed
    yaml_json "$workflows/rows.yml" >rows.json
    check "rows: a job of pull requests that change results/" [ "$(json '.[] | objects | .pull_request.paths[0] | select(.)' rows.json)" = 'results/**' ]
    json '.jobs.check.steps[] | .run | select(.)' rows.json >rows.parsed
    check "rows: its commands are shell" bash -n rows.parsed
    check "rows: they check all" grep -q 'rows check results$' rows.parsed
    systems=$(sed -n 's/^systems=(\(.*\))$/\1/p' "$tests/../scripts/try_bare")
    for name in ci release; do
        yaml_json "$workflows/$name.yml" >$name.json
        check "$name: on the systems of scripts/try_bare" [ "$(json '[.jobs[].strategy.matrix.system | select(.) | map(sub(":"; "")) | join(" ")] | unique | join(";")' $name.json)" = "$systems" ]
        json '.jobs[].steps[] | .run | select(.)' $name.json >$name.steps
        check "$name: its commands are shell" bash -n $name.steps
    done
    says ci.steps '.ci/run'
    says release.steps 'make release'
    says release.steps 'scripts/try_bare --use debian12/dist tarball wheel'
    says release.steps 'make setup SETUP_FLAGS=--release'
    json '.pairmark | (.before_script + .script)[]' gitlab.json >gitlab.parsed
fi

grep -hE '^ *(- )?uses:' "$workflows"/*.yml "$ci/github.yml" >uses
check 'actions are named by commit' eval '[ -s uses ] && ! grep -vE "uses: actions/[a-z-]+@[0-9a-f]{40} # v[0-9.]+" uses'

# ---- the commands, without a reader of YAML: blocks of `run: |`, items of the scripts ----
awk '/^        run: \|$/ { on = 1; next } on && /^          / { print substr($0, 11); next } { on = 0 }' "$ci/github.yml" >github.sh
awk '/^  (before_)?script:$/ { on = 1; next } on && /^    - / { line = substr($0, 7)
        if (line ~ /^'\''.*'\''$/) line = substr(line, 2, length(line) - 2)
        print line; next } { on = 0 }' "$ci/gitlab.yml" >gitlab.sh
for name in github gitlab; do
    check "$name has commands" [ "$(wc -l <$name.sh)" -ge 5 ]
    check "$name: they are shell" bash -n $name.sh
    [ ! -e $name.parsed ] || check "$name: they are those that a reader of YAML finds" diff -B $name.parsed $name.sh
done
sed -n '/^RUN /,/[^\\]$/p' "$ci/Dockerfile" | sed 's/^RUN //' >docker.sh
check "the image's commands are shell" bash -n docker.sh

# ---- they run ----
mkdir bin
stand_in() { # stand_in NAME TEXT
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}
# A clone is the source folder, with a set-up that asks for nothing; what is built is the program of this test.
stand_in git 'case $1 in
clone) mkdir -p "${@: -1}/share" "${@: -1}/scripts"; cp -r "$source/share/ci" "${@: -1}/share"
    printf "#!/bin/sh\necho set up >>\"$work/asked\"\n" >"${@: -1}/scripts/setup"; chmod +x "${@: -1}/scripts/setup" ;;
-C) echo 0123abcd ;;
esac'
stand_in cmake 'echo "cmake $*" >>"$work/asked"
while [ $# -gt 0 ]; do case $1 in --install) install=1 ;; --prefix) prefix=$2 ;; esac; shift; done
[ -z "${install:-}" ] || { mkdir -p "$prefix/bin"; ln -sf "$pairmark" "$prefix/bin/pairmark"; }'
stand_in tee 'echo "tee $*" >>"$work/asked"; cat >>"$work/apt.conf"'
stand_in sudo '[ "$1" != -n ] || shift; exec "$@"'
stand_in apt-get 'echo "apt-get $*" >>"$work/asked"'
export source pairmark work
source=$(realpath "$tests/..")

mkdir -p repository/kernels home temp
cp "$tests/../variants/forces/all_pairs_loop.cl" repository/kernels/mine.cl
sed -i 's/all_pairs_loop/mine/g' repository/kernels/mine.cl
sed 's/\bmine\b/other/g; s/force\[i\] = make_accum4(fx, fy, fz, 0)/force[i] = make_accum4(fx, fy, fx, 0)/' repository/kernels/mine.cl >other.cl
value_of() { sed -n "s/^ *$1: \([^#]*[^# ]\) *\(#.*\)\{0,1\}$/\1/p" "$ci/$2.yml" | head -n 1; } # value_of NAME FILE
job() { # job NAME [VARIABLE=VALUE...]: runs all its commands in the repository, as a runner does
    local name=$1 shell=(bash -e)
    shift
    rm -f asked
    : >output
    (cd repository && rm -rf .pairmark-source pairmark.xml ../temp/* && exec env -i PATH="$work/bin:$PATH" source="$source" pairmark="$pairmark" work="$work" \
        ${POCL_EXTRA_BUILD_FLAGS:+"POCL_EXTRA_BUILD_FLAGS=$POCL_EXTRA_BUILD_FLAGS"} ${OCL_ICD_VENDORS:+"OCL_ICD_VENDORS=$OCL_ICD_VENDORS"} \
        ${COMPILER_PATH:+"COMPILER_PATH=$COMPILER_PATH"} HOME="$work/home" RUNNER_TEMP="$work/temp" GITHUB_OUTPUT="$work/output" CI_PROJECT_DIR="$work/repository" \
        PAIRMARK_CACHE="$PAIRMARK_CACHE" PAIRMARK_REPOSITORY=https://example.org/pairmark.git PAIRMARK_REF="$(value_of PAIRMARK_REF "$name")" \
        KERNELS="$(value_of KERNELS "$name")" CASES="$(value_of CASES "$name")" "$@" "${shell[@]}" "$work/$name.sh") >out 2>err
}
for name in github gitlab; do
    check "$name: KERNELS and CASES are there" [ -n "$(value_of KERNELS $name)" -a -n "$(value_of CASES $name)" ]
    job $name CASES='--kind fluid --n 64 --precision float --outputs forces'
    check "$name: a right kernel passes" [ $? -eq 0 ]
    says repository/pairmark.xml '<testcase classname="mine" name="forces/lj/mine/float/'
    check "$name: it set up, and built without tests" [ "$(grep -c -e '^set up' -e '^cmake -S .*BUILD_TESTING=OFF' asked)" -eq 2 ]
    [ $name = gitlab ] || says output 'commit=0123abcd'
    says apt.conf 'Dir::Cache::archives "'
    [ $name = github ] || continue # what follows is the same in both
    cp other.cl repository/kernels/other.cl
    job $name CASES='--kind fluid --n 64 --precision float --outputs forces'
    check "$name: a wrong one fails" [ $? -eq 1 ]
    check "$name: again, nothing is built" [ "$(grep -c '^cmake' asked)" -eq 0 ]
    says repository/pairmark.xml '<failure type="wrong"'
    rm repository/kernels/other.cl
done
for name in github gitlab; do
    job $name PAIRMARK_REPOSITORY=
    check "$name: without the URL it says what to do" grep -q 'set this variable to the URL of pairmark' err
done
# The words that the files come with are ones that check understands.
check "GitHub: its cases, of smaller boxes" job github CASES="$(value_of CASES github | sed s/1k/100/)"
check "and they are several" [ "$(grep -c '<testcase' repository/pairmark.xml)" -ge 8 ]
check "GitLab has the same" [ "$(value_of CASES gitlab)" = "$(value_of CASES github)" ]

# ---- contributed rows: what a pull request may change ----
blocks() { awk '/^        run: \|$/ { on = 1; print "# step"; next } on && /^          / { print substr($0, 11); next } { on = 0 }' "$1"; }
blocks "$workflows/rows.yml" | awk -v folder="$work" '/^# step$/ { n++; next } { print >(folder "/rows-" n ".sh") }'
check 'rows: three steps' [ -s rows-3.sh -a ! -e rows-4.sh ]
real() { PATH=${PATH#"$work/bin:"} git -c user.name=a -c user.email=a@example.org -c init.defaultBranch=main "$@"; }
mkdir -p origin/share/ci origin/results/old && (
    cd origin && real init -q && echo 1 >results/old/rows.csv
    printf '#!/bin/sh\nmkdir -p "$1/bin"; printf "%%s\\n" "#!/bin/sh" "echo asked \$*; cat results/*/rows.csv; ! grep -rq bad results" >"$1/bin/pairmark"
chmod +x "$1/bin/pairmark"\n' >share/ci/install
    chmod +x share/ci/install && real add . && real commit -qm begun
) || exit 1
request() { # request NUMBER COMMAND: a pull request from where main began; rows are checked on main as it is now
    (cd origin && real checkout -q -b "request$1" "$(real rev-list --max-parents=0 main)" && eval "$2" && real add -A && real commit -qm "$1" &&
        real update-ref "refs/pull/$1/head" HEAD && real checkout -q main) || exit 1
    rm -rf checkout home/pairmark-ci && real clone -q origin checkout
    local step
    for step in 1 2 3; do
        (cd checkout && exec env -i PATH="${PATH#"$work/bin:"}" HOME="$work/home" NUMBER="$1" bash -e "$work/rows-$step.sh") || return
    done
}
check 'rows: new ones pass' eval 'request 1 "mkdir results/new; echo 2 >results/new/rows.csv; echo exit 9 >share/ci/install" >out 2>err'
check 'and are looked at beside the old, by the program of the branch' [ "$(tail -n 3 out | tr '\n' ' ')" = 'asked rows check results 2 1 ' ]
(cd origin && mkdir results/since && echo 3 >results/since/rows.csv && real add . && real commit -qm since) || exit 1
check 'rows: others may have come since' eval 'request 2 "mkdir results/new; echo 2 >results/new/rows.csv" >out 2>err'
check 'rows: bad ones are refused' eval '! request 3 "mkdir results/new; echo bad >results/new/rows.csv" >out 2>err'
number=10
for change in 'echo 2 >results/old/rows.csv' 'rm results/old/rows.csv; echo >results/a' 'mkdir results/b; mv results/old/rows.csv results/b' 'ln -sf a results/old/rows.csv'; do
    check "rows: recorded ones stay: $change" eval '! request $((++number)) "$change" >out 2>err'
    says out 'recorded runs stay as they are: results/'
done

# ---- .ci/run: all parts run whatever fails, and lint by the tools whose findings count ----
mkdir -p ours/.ci ours/scripts && cp "$tests/../.ci/run" ours/.ci && printf '#!/bin/bash\nln -s "%s/tools/make" "${@: -1}"\n' "$work" >ours/scripts/minimal_path && chmod +x ours/scripts/minimal_path
mkdir tools && printf '#!/bin/sh\necho "$1" >>"%s/made"; [ "$1" != sanitize ]\n' "$work" >tools/make && chmod +x tools/make
for version in 14.0.6 19.1.7; do
    printf '#!/bin/sh\necho "Debian clang-format version %s"\n' $version >tools/clang-format && chmod +x tools/clang-format
    : >made
    check "clang-format $version: what fails is the exit status" eval '! PATH=$work/tools:$PATH ours/.ci/run >out 2>err'
    says out 'failed: make sanitize'
    check 'and lint is run by version 14 alone' [ "$(grep -c lint made)" -eq "$([ $version = 14.0.6 ] && echo 1 || echo 0)" ]
done
check 'without lint all others are run' [ "$(tr '\n' ' ' <made)" = 'setup test sanitize fuzz ' ]

# ---- what .ci/run compiles, in `make test` ----
built() { [ -x "$(dirname "$pairmark")/tests/fuzz/$1" ] && [ ! "$tests/fuzz/$1.c" -nt "$(dirname "$pairmark")/tests/fuzz/$1" ]; }
for source in "$tests"/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    check "the tests are built with $name" built "$name"
    check "$name has inputs" [ -n "$(ls "$tests/fuzz/corpus/${name#fuzz_}" 2>/dev/null)" ]
done

# ---- the image ----
check "the image installs what there is to install" grep -q 'share/ci/install /usr/local' docker.sh
check "and copies the source" grep -qx 'COPY . /usr/src/pairmark' "$ci/Dockerfile"

# The commands that a bare machine has: what the guard of the tests runs them with.
setup=$tests/../scripts/setup
if command -v dpkg-query >/dev/null && bash "$setup" --check --run 2>/dev/null; then
    check 'minimal_path' bash -c "'$tests/../scripts/minimal_path' '$work/minimal' >'$work/out' 2>'$work/err'"
    check 'prints the folder' grep -qx "$work/minimal" out
    for tool in awk cc cmake git gnuplot make perl sh; do
        check "$tool is there" [ -x "$work/minimal/$tool" ]
    done
    if command -v spirv-val llvm-spirv-15 >/dev/null; then
        check 'minimal_path --all' bash -c "'$tests/../scripts/minimal_path' --all '$work/more' >'$work/out' 2>'$work/err'"
        check 'has what test-all installs' [ -x "$work/more/spirv-val" ]
    fi
    for tool in xxd curl clang-tidy; do
        check "$tool is not" [ ! -e "$work/minimal/$tool" ]
    done
    check 'not twice into one folder' bash -c "! '$tests/../scripts/minimal_path' '$work/minimal' 2>'$work/err'"
fi

conclude
