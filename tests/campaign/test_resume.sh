#!/usr/bin/env bash
# pairmark bench --resume: one run has one text of each kernel, and one process at a time.
. "$2/lib.sh" || exit 1

forces=$tests/../variants/forces
fast=(--samples-min 3 --samples-max 5 --time-cap 0.05 --warm-up 0 --cold 0 --visits 1 --twins 0 --no-plot)
case=(--precision float --kind fluid)
one=(--variant sorted_cells "${case[@]}" --n 300 "${fast[@]}")
rows() { # rows FOLDER COUNT
    check "$2 rows in $1" test "$(($(wc -l <"$1/rows.csv") - 1))" -eq "$2"
}
column() { # column FOLDER NAME: its values, of rows whose messages are empty
    local place
    place=$(head -n 1 "$1/rows.csv" | tr ',' '\n' | grep -nx "$2" | cut -d: -f1)
    tail -n +2 "$1/rows.csv" | sed 's/"[^"]*"/quoted/g' | cut -d, -f"$place"
}
refused() { # refused FOLDER WORDS ARGUMENTS...: exit status 2, the words, and nothing in the folder has changed
    rm -rf before && cp -r "$1" before
    refuses "$2" bench "${@:3}"
    check "a refused run left $1 as it was: ${*:3}" diff -r --exclude .lock before "$1"
}
edit() { # edit FILE: another kernel of the same name, as right as before
    sed -i '$a /* changed '"$RANDOM$RANDOM"' */' "$1"
}

# What was run is kept: the variants by name, and what they are compiled with.
sed 's/all_pairs_loop/mine/g' "$forces/all_pairs_loop.cl" >mine.cl
cp mine.cl original.cl
expect 0 bench --variant-file mine.cl --variant mine,sorted_cells "${case[@]}" --n 300 "${fast[@]}" -o run
check 'the variant is kept' cmp -s mine.cl run/kernels/mine.cl
check 'a built-in one, too' cmp -s "$forces/sorted_cells.cl" run/kernels/sorted_cells.cl
check 'the interaction' cmp -s "$forces/../interactions/lj.cl" run/kernels/shared/variants/interactions/lj.cl
check 'the words' cmp -s "$forces/../pair.cl" run/kernels/shared/variants/pair.cl
says_like run/kernels/kernels.csv '^mine\.cl,mine\.cl,[0-9a-f]{32}$'
says_like run/kernels/kernels.csv '^sorted_cells\.cl,variants/forces/sorted_cells\.cl,[0-9a-f]{32}$'
check 'nothing that was not run' test ! -e run/kernels/all_pairs_tile.cl

# A kernel that was changed since: refused where the user names it, and the kept one used where he does not.
edit mine.cl
refused run 'run/kernels/mine.cl' --resume run --variant-file mine.cl --variant mine "${case[@]}" --n 300,400 "${fast[@]}"
says err '--variant-file mine.cl differs from'
mine() { grep ',mine,' run/rows.csv; }
check 'one row of mine' test "$(mine | wc -l)" -eq 1
head -n 1 run/rows.csv >empty.csv && cp run/rows.csv full.csv && cp empty.csv run/rows.csv
forget_checksums run
expect 0 bench --resume run --no-plot
rows run 2
check 'its row is made again from the text that is kept' \
    test "$(column run kernel_hash | sort)" = "$(cp full.csv run/rows.csv && column run kernel_hash | sort)"
rm mine.cl
cp empty.csv run/rows.csv
forget_checksums run
expect 0 bench --resume run --no-plot
rows run 2
expect 0 bench --resume run --variant-file run/kernels/mine.cl --variant mine "${case[@]}" --n 300,400 "${fast[@]}"
rows run 3
check 'two Ns of one kernel' test "$(column run variant | grep -cx mine)" -eq 2
expect 0 bench --variant-file run/kernels/mine.cl "${case[@]}" --n 300 "${fast[@]}" -o again
check 'a kept kernel is the same kernel elsewhere' grep -qF "$(column again kernel_hash)" run/rows.csv
# The axes of the last resume: mine at 300 and 400.
expect 0 bench --resume run --no-plot
rows run 3

# A user's kernel in the place of a built-in one is not mistaken for it.
cp "$forces/all_pairs_loop.cl" all_pairs_loop.cl
edit all_pairs_loop.cl
expect 0 bench --variant-file all_pairs_loop.cl "${case[@]}" --n 300 "${fast[@]}" -o shadowed
refused shadowed 'the built-in variants/forces/all_pairs_loop.cl differs from shadowed/kernels/all_pairs_loop.cl' \
    --resume shadowed --variant all_pairs_loop "${case[@]}" --n 400 "${fast[@]}"

# What the folder keeps of a built-in variant is what the program then takes for built in.
mkdir -p variants/forces && cp "$forces/sorted_cells.cl" variants/forces/
edit variants/forces/sorted_cells.cl
expect 0 bench --variant-file variants/forces/sorted_cells.cl "${case[@]}" --n 300 "${fast[@]}" -o older
expect 0 bench --resume older --variant sorted_cells "${case[@]}" --n 300,400 "${fast[@]}"
rows older 2
check 'the new row is of the old text' test "$(column older kernel_hash | sort -u | wc -l)" -eq 1
expect 0 bench --variant sorted_cells "${case[@]}" --n 300 "${fast[@]}" -o built
check 'which the built-in one is not' test "$(column built kernel_hash)" != "$(column older kernel_hash | head -n 1)"

# What is kept and a hand has changed is refused, by name.
touched() { # touched WORDS: `touched` is refused; it is then as `built` again
    refused touched "$1" --resume touched --no-plot
    rm -r touched && cp -r built touched
}
cp -r built touched
edit touched/kernels/shared/variants/pair.cl
touched 'touched/kernels/shared/variants/pair.cl: has changed since the run kept it'
rm touched/kernels/sorted_cells.cl
touched 'touched/kernels/sorted_cells.cl: No such file'
printf 'file,source\n' >touched/kernels/kernels.csv
touched 'touched/kernels/kernels.csv: line 1: expected file, source and hash'
printf 'file,source,hash\n../rows.csv,x,y\n' >touched/kernels/kernels.csv
touched 'touched/kernels/kernels.csv: line 2'

# A folder of an older pairmark keeps no kernels: of which its rows are cannot be known.
cp original.cl mine.cl
expect 0 bench --variant-file mine.cl "${case[@]}" --n 300 "${fast[@]}" -o old
rm -r old/kernels
forget_checksums old
refused old 'no kernels are kept there' --resume old --no-plot

# Another box of the same name and size.
expect 0 bench --variant-file mine.cl "${case[@]}" --n 300 "${fast[@]}" -o other
sed -i '2s/^\([^,]*\),[0-9a-f]*,/\1,0123456789abcdef0123456789abcdef,/' other/rows.csv
forget_checksums other
refused other 'other/rows.csv:2: ' --resume other --no-plot
says err 'was measured with another kernel or box'

# Parameters and exclusions are part of the interaction: they are kept, too.
cat >parameters <<'END'
type_a,type_b,function,epsilon,sigma
A,A,lj,1,1
A,B,lj,0.8,0.9
B,B,lj,0.5,0.88
END
printf '1 2\n3 4\n' >pairs
exits 0 box fluid --n 300 -o plain.xyz
sed '3,$s/^[A-Za-z]* /A /;10,20s/^A /B /;10,20s/ A$/ B/' plain.xyz >types.xyz
expect 0 bench --variant-file mine.cl --box types.xyz --cutoff 2.5 --precision float --interaction lj --table parameters --exclude pairs "${fast[@]}" -o typed
cp typed/rows.csv full.csv
check 'the table is kept' cmp -s parameters typed/kernels/inputs/table-*.txt
check 'and the exclusions' cmp -s pairs typed/kernels/inputs/exclusions-*.txt
head -n 1 full.csv >typed/rows.csv
forget_checksums typed
sed -i 's/0\.8,/0.7,/' parameters
rm pairs
expect 0 bench --resume typed --no-plot
check 'a run goes on with the interaction that it had' test "$(column typed case_id)" = \
    "$(cp full.csv typed/rows.csv && column typed case_id)"

# A box file that has changed is another box.
cp original.cl mine.cl
exits 0 box fluid --n 300 -o box.xyz
expect 0 bench --variant-file mine.cl --box box.xyz --cutoff 2.5 --precision float "${fast[@]}" -o boxed
rm box.xyz
exits 0 box fluid --n 300 --seed 2 -o box.xyz
refused boxed 'another kernel or box' --resume boxed --no-plot

# Where the rows so far came from is told when it was another program.
sed -i "2,\$s/$(column built git_commit | head -n 1 | sed 's/[.]/\\./g')/0000aaaa/" built/rows.csv
expect 0 bench --resume built --despite-checksums --no-plot
says err "git_commit of the rows so far is '0000aaaa', of those to come"
# Repetitions of one case are of one program.
sed -i "2s/$(column built kernel_hash)/ffffffffffffffffffffffffffffffff/" built/rows.csv
cp built/rows.csv before.csv
expect 2 bench --variant sorted_cells "${case[@]}" --n 300 "${fast[@]}" --resume built --despite-checksums -- --benchmark_repetitions=2
says err 'built/rows.csv:2: a repetition of the same case was compiled from another program'
check 'the other program made no row' cmp -s built/rows.csv before.csv

# So are the visits of a case.
visited=(--samples-min 3 --samples-max 5 --time-cap 20 --warm-up 0 --cold 0 --no-plot)
expect 0 bench --variant sorted_cells "${case[@]}" --n 300 "${visited[@]}" -o visited
check 'three visits' test "$(wc -l <visited/visits.csv)" -eq 4
hash=$(column visited kernel_hash)
head -n 1 visited/rows.csv >empty.csv && cp empty.csv visited/rows.csv
head -n 2 visited/visits.csv | sed "2s/$hash/ffffffffffffffffffffffffffffffff/" >one.csv && cp one.csv visited/visits.csv
expect 2 bench --resume visited --despite-checksums --no-plot
says err 'visited/visits.csv:2: a repetition of the same case was compiled from another program'
check 'the other program made no visit' cmp -s visited/visits.csv one.csv
rows visited 0

# The request is written first: a run that ends before its rows exist goes on with its own cases.
mkdir blocked && ln -s "$work/none/kernels" blocked/kernels
check 'a run that cannot keep its kernels fails' test ! "$("$pairmark" bench "${one[@]}" -o blocked >out 2>err; echo $?)" -eq 0
check 'and has recorded its request' test -s blocked/environment.json
rm blocked/kernels
expect 0 bench --resume blocked --no-plot
rows blocked 1
check 'a run stands once in its record' test "$(json '.earlier_runs | length' blocked/environment.json)" -eq 1
# What says how to run does not replace what is run.
expect 0 bench --resume blocked --samples-max 6 -- --benchmark_list_tests
check 'the listed case is the recorded one' test "$(grep -c . out)" -eq 1
# Nothing is written through a link, whichever file of the run it is in the place of, and whether or not there is what it names.
mkdir elsewhere
for file in $(cd blocked && find . -type f -printf '%P\n' | grep -v '^kernels/shared/'; echo visits.csv figures/new.svg); do
    cp -r blocked through
    rm -f "through/$file"
    mkdir -p "$(dirname "through/$file")"
    for target in "$work/elsewhere/none" "$work/elsewhere/mine"; do
        echo mine >elsewhere/mine
        ln -sf "$target" "through/$file"
        expect 2 bench --resume through --despite-checksums
        check "$file: nothing is made" [ "$(ls elsewhere)" = mine ]
        check "$file: nothing is lost" [ "$(cat elsewhere/mine)" = mine ]
    done
    rm -rf through
done
# Without a request nothing is run.
cp -r blocked lost && rm lost/environment.json
refused lost 'lost/environment.json' --resume lost
refused lost 'lost/environment.json' --resume lost --samples-max 6
refused lost 'lost/environment.json' --resume lost "${one[@]}"
# Ctrl-C ends a run in order from the moment that its folder is there.
set -m
"$pairmark" bench --variant 'all_*' "${case[@]}" --n 500:4k:+50 "${fast[@]}" -o early >out 2>err </dev/null &
running=$!
set +m
until [ -d early ] || ! kill -0 $running 2>/dev/null; do sleep 0.02; done
kill -INT -- -$running
wait $running
check 'the status says interrupted' test $? -eq 130
says err 'bench --resume early'
"$pairmark" bench --variant 'all_*' "${case[@]}" --n 500:4k:+50 -- --benchmark_list_tests >listed 2>/dev/null
expect 0 bench --resume early -- --benchmark_list_tests
check 'all of its cases and no others are resumed' cmp -s <(sort listed) <(sort out)

# A folder in use is nobody else's; a process that was killed has left it.
"$pairmark" bench --variant 'all_*' "${case[@]}" --n 500:4k:+50 "${fast[@]}" -o busy >/dev/null 2>&1 </dev/null &
running=$!
for _ in $(seq 600); do
    [ -f busy/rows.csv ] && [ "$(wc -l <busy/rows.csv)" -ge 2 ] && break
    sleep 0.1
done
refuses "busy: process $running is running in this folder" bench --resume busy --no-plot
expect 2 bench --variant sorted_cells "${case[@]}" --n 300 "${fast[@]}" --resume busy
kill -KILL $running
{ wait $running; } 2>/dev/null
check 'no case is recorded twice' test -z "$(tail -n +2 busy/rows.csv | cut -d, -f 2 | sort | uniq -d)"
expect 0 bench --variant sorted_cells "${case[@]}" --n 300 "${fast[@]}" --resume busy
check 'the lock went with its process' grep -q ',sorted_cells,' busy/rows.csv

conclude
