#!/usr/bin/env bash
# Files on the command line: what is written over and what is not, and what is read and what is not.
# shellcheck disable=SC2016 # what stands in single quotes is another shell's
. "$2/lib.sh" || exit 1

# promptly STATUS ARGUMENT...: as exits, but what waits for ever fails
promptly() {
    local status=$1
    shift
    timeout 600 "$pairmark" "$@" >"$work/out" 2>"$work/err" </dev/null
    [ $? -eq "$status" ]
}
refuses() { # likewise
    local words=$1
    shift
    check "status 2 of: $*" promptly 2 "$@"
    check "'$words' said by: $*" err "$words"
}

box=(box lattice --n 4)
columns=workload,interaction,variant,precision,outputs,tunables,box_kind,n,density,cutoff,backend,device,status
columns=$columns,case_id,max_rel_force_error,force_s_median,force_s_p05,force_s_p95,pairs_per_s
mkdir run
{
    echo "$columns"
    for n in 1000 4000; do
        printf 'forces,"lj:epsilon=1,sigma=1",a,float,forces,-,fluid,%s,0.8442,2.5,cuda,G,ok,%s,1e-7,1e-5,1e-5,1e-5,1e9\n' $n $n
    done
} >run/rows.csv
cp -r run second
forces=(eval --variant all_pairs_loop --kind lattice --n 32 --cutoff 1 --precision float)

# ---- what is there already ----
# writes FILE: the command that writes such a file, in "command"
writes() {
    case $1 in
    box) command=("${box[@]}" -o) ;;
    page) command=(report run -o) ;;
    table) command=(compare run second -o) ;;
    csv) command=(compare run second --format csv -o) ;;
    markdown) command=(compare run second --format markdown -o) ;;
    forces) command=("${forces[@]}" --forces) ;;
    esac
}
for kind in box page table csv markdown forces; do
    writes $kind
    check "a new file: $kind" promptly 0 "${command[@]}" $kind.new
    cp $kind.new again
    check "over its own: $kind" promptly 0 "${command[@]}" again
    : >empty
    check "over an empty file: $kind" promptly 0 "${command[@]}" empty
    check "which it fills: $kind" has_file empty
    printf '3\nmine kind=x\n<!DOCTYPE html>\n' >mine
    cp mine kept
    refuses 'mine is there already, and is not' "${command[@]}" mine
    check "which is as it was: $kind" cmp -s mine kept
    for other in box page csv forces; do
        [ $kind = $other ] || [ $kind.$other = table.csv ] || [ $kind.$other = markdown.csv ] || [ ! -e $other.new ] ||
            refuses 'is there already, and is not' "${command[@]}" $other.new
    done

    # Links are followed, and stay.
    ln -sf target.$kind link
    check "a link to nothing: $kind" promptly 0 "${command[@]}" link
    check "stays: $kind" [ -L link ]
    check "its target is made: $kind" has_file target.$kind
    mkdir -p far
    cp target.$kind far/end
    ln -sf ../far/end far/middle
    ln -sf far/middle link
    check "a link to a link: $kind" promptly 0 "${command[@]}" link
    check "stays: $kind" [ -L link ]
    check "so does the other: $kind" [ -L far/middle ]
    ln -sf mine link
    refuses 'is there already' "${command[@]}" link
    check "through which nothing is lost: $kind" cmp -s mine kept
    ln -sf link link
    refuses 'symbolic links' "${command[@]}" link
    rm link

    # Devices and pipes are written to and stay what they are.
    check "to /dev/null: $kind" promptly 0 "${command[@]}" /dev/null
    check "which stays: $kind" [ -c /dev/null ]
    if mknod node c 1 3 2>/dev/null && echo >node 2>/dev/null; then
        check "a device: $kind" promptly 0 "${command[@]}" node
        check "stays one: $kind" [ -c node ]
        ln -s node link
        check "by a link: $kind" promptly 0 "${command[@]}" link
        check "stays one: $kind" [ -c node ]
        rm link
    fi
    rm -f node
    mkfifo pipe
    cat pipe >through &
    check "a pipe: $kind" promptly 0 "${command[@]}" pipe
    wait $!
    check "stays one: $kind" [ -p pipe ]
    check "and brings all: $kind" has_file through
    rm pipe
    if mknod disk b 1 250 2>/dev/null; then
        refuses 'is a disk' "${command[@]}" disk
        check "which stays: $kind" [ -b disk ]
        rm disk
    fi
    refuses 'is a folder' "${command[@]}" run
    refuses 'No such file or directory' "${command[@]}" nowhere/file
    refuses 'is not a folder' "${command[@]}" mine/file

    # A disk that is full leaves the old file whole and nothing else. PoCL builds no kernel without room on a disk.
    cp $kind.new old
    status=3
    [ $kind != forces ] || status=1
    (trap '' XFSZ; ulimit -f 0; exec "$pairmark" "${command[@]}" old) >/dev/null 2>err </dev/null
    check "a full disk: $kind" [ $? -eq $status ]
    check "leaves the old file: $kind" cmp -s old $kind.new
    check "and no other: $kind" [ -z "$(find . -name '*.tmp' -o -name '.pairmark*')" ]
done

# What replaces a file has its mode; a new one, what the mask says.
chmod 640 box.new
check 'over a file of another mode' promptly 0 "${box[@]}" -o box.new
check 'the mode stays' [ "$(stat -c %a box.new)" = 640 ]
check 'a new file under a mask' bash -c "umask 027; '$pairmark' ${box[*]} -o masked && [ \$(stat -c %a masked) = 640 ]"

# Descriptors that are open are written to, after what went there before.
"$pairmark" "${box[@]}" -o /dev/stdout >stdout
check '/dev/stdout' cmp -s stdout box.new
{ echo before; "$pairmark" "${box[@]}" -o /dev/stdout; echo after; } >around
check 'between other lines' [ "$(sed -n '1p;$p' around | tr '\n' ' ')" = 'before after ' ]
check 'all of it' [ "$(wc -l <around)" -eq 8 ]
"$pairmark" "${box[@]}" -o /dev/fd/7 7>seven
check '/dev/fd/7' cmp -s seven box.new
ln -s /dev/stdout out-link
"$pairmark" "${box[@]}" -o out-link >stdout
check 'a link to it' cmp -s stdout box.new
"$pairmark" report run -o - >page.stdout 2>err
check 'a page on standard output' [ "$(tail -n 1 page.stdout)" = '</html>' ]
check 'what is said of it goes elsewhere' err '2 rows of 1 run'

# Found out before the work is done.
refuses 'mine is there already' "${forces[@]}" --forces mine --device no:such
refuses 'mine is there already' box fluid --n 16M -o mine

# ---- folders ----
mkdir others
for file in summary.txt environment.json benchmark.json samples.csv stages.csv visits.csv; do
    rm -f others/*
    echo '{}' >others/$file
    refuses "others/$file is there already" bench --variant all_pairs_loop --n 8 --precision float --time-cap 0.01 --no-plot -o others
    check "which is as it was: $file" [ "$(cat others/$file)" = '{}' ]
done
if command -v gnuplot >/dev/null; then
    check 'figures' promptly 0 plot run -o drawn --format svg
    check 'again' promptly 0 plot run -o drawn --format svg
    figure=$(find drawn -name 'time_*.svg')
    table=$(find drawn -name '*.dat' ! -name 'crossover*' ! -name 'error*')
    for file in "$figure" "$table" "${figure%.svg}.plt"; do
        rm -rf mixed
        mkdir mixed
        echo mine >"mixed/${file##*/}"
        refuses "${file##*/} is there already" plot run -o mixed --format svg
        check "which is as it was: $file" [ "$(cat "mixed/${file##*/}")" = mine ]
    done
fi
mkdir tuned
ln -s tuned/real.csv store.csv
check 'tunables by a link' promptly 0 tune --variant all_pairs_loop --n 64 --precision float --time-cap 0.01 \
    --tune GROUP_SIZE=64,128 --store store.csv
check 'which stays' [ -L store.csv ]
check 'go where it leads' has_file tuned/real.csv

# ---- what is read ----
mkfifo pipe
cp "$tests/naive_kernel.h" huge
truncate -s 70000000000 huge
for source in pipe /dev/zero; do
    what='is a device; expected a file'
    [ $source = pipe ] && what='is a pipe; expected a file'
    refuses "$source: $what" check --variant-file $source
    refuses "$source: $what" check --variant all_pairs_loop --n 8 --table $source --interaction lj
    refuses "$source: $what" check --variant all_pairs_loop --n 8 --exclude $source
    refuses "$source" check --variant all_pairs_loop --cutoff 1 --box $source
    refuses "$source: $what" plot $source
    refuses "$source: $what" report $source
    refuses "$source: $what" compare run $source
    refuses "$source: $what" tune --variant all_pairs_loop --n 64 --store $source
done
refuses 'huge: has 70000000000 bytes; expected 16777216 at most' check --variant-file huge
refuses 'huge: has 70000000000 bytes; expected' check --variant all_pairs_loop --n 8 --exclude huge
refuses 'huge: has 70000000000 bytes; expected' check --variant all_pairs_loop --cutoff 1 --box huge
refuses 'huge: has 70000000000 bytes; expected' report huge
for file in rows.csv samples.csv environment.json; do
    rm -rf odd
    cp -r run odd
    rm -f odd/$file
    mkfifo odd/$file
    case $file in
    rows.csv)
        refuses 'is a pipe' plot odd
        refuses 'is a pipe' report odd -o odd.html
        refuses 'is a pipe' compare odd run
        echo '{}' >odd/environment.json
        refuses 'is a pipe' bench --resume odd --variant all_pairs_loop --n 8
        ;;
    samples.csv) check 'samples that are a pipe do not hang compare' timeout 600 "$pairmark" compare odd run ;;
    environment.json)
        check 'an environment that is a pipe' promptly 0 report odd -o odd.html
        check 'is told' said 'environment.json: is a pipe'
        check 'by plot' promptly 0 plot odd -o odd-figures --format svg
        check 'as well' said 'environment.json: is a pipe'
        check 'by compare' promptly 0 compare odd run
        check 'as well' said 'environment.json: is a pipe'
        ;;
    esac
done

# A path stands in #line: what would end the line or the quotes does not.
{
    cat <<'END'
/*
 * mine — a kernel of this test
 *
 * @workload  forces
 * @structure none
 * @pass      mine item per particle
 * @tunable   GROUP_SIZE 64
 */
KERNEL void mine(int n, GLOBAL accum4 *RESTRICT force)
{
    not_c at all;
}
END
} >mine.cl
mkdir 'a"b\c??/' $'line\nbreak'
for folder in 'a"b\c??/' $'line\nbreak'; do cp mine.cl "$folder/"; done
check 'quotes, backslashes and trigraphs in a path' promptly 1 check --variant-file 'a"b\c??/mine.cl' --n 8 --kind lattice --precision float
check 'are those that the compiler names' out 'a"b\c??/mine.cl:11:'
refuses 'a line break or another control character in the path' check --variant-file $'line\nbreak/mine.cl' --n 8
long=$(printf 'd%.0s' $(seq 200))
mkdir -p "$long/$long"
cp mine.cl "$long/$long/"
refuses 'the path of a kernel file has 255 characters at most' check --variant-file "$long/$long/mine.cl" --n 8

# ---- the cache ----
# Entries that are cut short, altered or another's, pipes in their place: all cost time, no result.
exits 0 check --variant all_pairs_loop --n 500 --kind fluid --precision double --json
first="$(field passed) $(field failed)"
[ -n "$(find cache -type f -path '*references*')" ] || complain 'no references in the cache' # kernels are PoCL's to keep
spoil() { # spoil WHAT COMMAND: a command line that spoils the entry "$1"
    find cache -type f ! -name tuned.csv -print0 | xargs -0 -n 1 bash -c "$2" spoil
    check "a cache that is $1" promptly 0 check --variant all_pairs_loop --n 500 --kind fluid --precision double --json
    check "changes nothing: $1" [ "$(field passed) $(field failed)" = "$first" ]
}
spoil 'cut short' 'truncate -s -9 "$1"'
spoil 'empty' ': >"$1"'
spoil 'altered' 'printf x | dd of="$1" bs=1 seek=70 conv=notrunc status=none'
spoil 'all pipes' 'rm "$1"; mkfifo "$1"'
find cache -type p -delete
exits 0 check --variant all_pairs_loop --n 500 --kind fluid --precision double --json
kept=$(find cache -type f -path '*references*' | head -n 1)
check 'there are several entries' [ "$(find cache -type f -path '*references*' | wc -l)" -gt 1 ]
for entry in $(find cache -type f -path '*references*'); do [ "$entry" = "$kept" ] || cp "$kept" "$entry"; done
check 'an entry under the name of another' promptly 0 check --variant all_pairs_loop --n 500 --kind fluid --precision double --json
check 'is not taken for it' [ "$(field passed) $(field failed)" = "$first" ]

conclude
