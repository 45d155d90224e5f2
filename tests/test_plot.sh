#!/usr/bin/env bash
# `pairmark plot` from the command line: figures that are there and hold what they should, and clear refusals.
set -u
pairmark=$1
build=$(dirname "$pairmark")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

check() { # check DESCRIPTION COMMAND...
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n' "$what"
        sed 's/^/    /' "$work/said" 2>/dev/null
    fi
}
exits() { # exits STATUS ARGUMENT...: pairmark ends with that status
    local status=$1
    shift
    "$pairmark" "$@" >"$work/said" 2>&1
    [ $? -eq "$status" ]
}
said() { grep -qF -- "$1" "$work/said"; }
has_file() { [ -s "$1" ]; }

columns=workload,interaction,variant,precision,outputs,tunables,box_kind,n,density,cutoff,backend,device,status
columns=$columns,max_rel_force_error,force_s_median,force_s_p05,force_s_p95,pairs_per_s
row() { # row VARIANT PRECISION TUNABLES N STATUS SECONDS
    printf 'forces,"lj:epsilon=1,sigma=1",%s,%s,forces,%s,fluid,%s,0.8442,2.5,cuda,"%s",%s,1e-7,%s,%s,%s,1e9\n' \
        "$1" "$2" "$3" "$4" "${device:-NVIDIA H200}" "$5" "$6" "$6" "$6"
}
mkdir "$work/run"
{
    echo "$columns"
    for precision in float double; do
        row all_pairs_loop $precision GROUP_SIZE=64 1000 ok 1e-5
        row all_pairs_loop $precision GROUP_SIZE=64 16000 ok 4e-4
        row all_pairs_loop $precision GROUP_SIZE=128 16000 ok 2e-4
        row sorted_cells $precision GROUP_SIZE=64 1000 ok 2e-5
        row sorted_cells $precision GROUP_SIZE=64 16000 ok 1e-4
        row broken $precision GROUP_SIZE=64 16000 wrong 1e-9
    done
} >"$work/run/rows.csv"

figures=$work/run/figures
name=nvidia-h200_cuda_fluid_d0.8442_c2.5_forces
check 'plot of a folder' exits 0 plot "$work/run"
for figure in time pairs error; do
    check "$figure.png is a PNG" bash -c "head -c 4 '$figures/${figure}_$name.png' | grep -q PNG"
    check "$figure.svg is complete" grep -q '</svg>' "$figures/${figure}_$name.svg"
    check "$figure.svg names the device" grep -q 'NVIDIA H200 (cuda)' "$figures/${figure}_$name.svg"
    check "$figure.svg names the variant as it is" grep -q '>.*sorted_cells.*<' "$figures/${figure}_$name.svg"
    check "$figure.svg leaves out what failed" bash -c "! grep -q broken '$figures/${figure}_$name.svg'"
done
check 'the best tunables are in the table' grep -qP '^float\tall_pairs_loop\t16000\t0.0002\t.*GROUP_SIZE=128$' \
    "$figures/$name.dat"
check 'one line a point in the table' test "$(grep -vc '^#' "$figures/$name.dat")" -eq 8

check 'a file, a folder for the figures, one format' exits 0 plot "$work/run/rows.csv" -o "$work/other" --format svg
check 'the SVG is where it was asked for' has_file "$work/other/time_$name.svg"
check 'no PNG was asked for' bash -c "! ls '$work/other' | grep -q png"

# Names are data: nothing in them is run, and nothing breaks the script.
mkdir "$work/hostile"
{
    echo "$columns"
    device="it's \`touch $work/owned\` \$(touch $work/owned) ^{a}_b @x"
    row "a'b^{c}" float '-' 1000 ok 1e-5
    row "a'b^{c}" float '-' 4000 ok 1e-4
} >"$work/hostile/rows.csv"
check 'names with quotes and mark-up' exits 0 plot "$work/hostile"
check 'nothing in a name is run' test ! -e "$work/owned"

mkdir "$work/failed" "$work/empty" "$work/bin"
{ echo "$columns"; row a float '-' 1000 wrong 1e-5; } >"$work/failed/rows.csv"
check 'only failed cases' exits 2 plot "$work/failed"
check 'says that there is nothing to draw' said 'nothing to draw'
check 'no such run' exits 2 plot "$work/nowhere"
check 'names the path' said "$work/nowhere"
check 'a folder without rows' exits 2 plot "$work/empty"
check 'no argument' exits 2 plot
check 'an unknown format' exits 2 plot "$work/run" --format pdf
check 'names the format' said pdf
check 'an unknown option' exits 2 plot "$work/run" --colour
check 'help' exits 0 plot --help

check 'without gnuplot' env PATH="$work/bin" "$BASH" -c "'$pairmark' plot '$work/run' >'$work/said' 2>&1; [ \$? -eq 3 ]"
check 'names the package' said gnuplot-nox
check 'PAIRMARK_SHARE without scripts' env PAIRMARK_SHARE="$work" "$BASH" -c \
    "'$pairmark' plot '$work/run' >'$work/said' 2>&1; [ \$? -eq 2 ]"
check 'names the variable' said PAIRMARK_SHARE

# Installed, the program uses the scripts that were installed with it.
if [ -f "$build/cmake_install.cmake" ]; then
    check 'install' bash -c "cmake --install '$build' --prefix '$work/prefix' >'$work/said' 2>&1"
    pairmark=$work/prefix/bin/pairmark
    check 'the installed program plots' exits 0 plot "$work/run" -o "$work/installed" --format svg
    check 'by the installed scripts' grep -qF "share = '$work/prefix/share/pairmark/plot'" "$work/installed/time_$name.plt"
    check 'the manual page is installed' has_file "$work/prefix/share/man/man1/pairmark.1"
fi

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
