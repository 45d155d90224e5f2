#!/usr/bin/env bash
# `pairmark plot` from the command line: figures that are there and hold what they should, and clear refusals.
. "$2/lib.sh" || exit 1
build=$(dirname "$pairmark")

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
check 'of no name' exits 2 plot ''
check 'of no name, as it says' err "an empty name; expected the folder of a run, or its rows.csv"
mkdir "$work/nameless"
sed '1s/,n,/,number,/; 1s/,status,/,verdict,/' "$work/run/rows.csv" >"$work/nameless/rows.csv"
check 'without needed columns' exits 2 plot "$work/nameless"
says_like err 'rows.csv:1: without the column.* n,.*status'
check 'nor compared' exits 2 compare "$work/run" "$work/nameless"
says_like err 'rows.csv:1: without the column.* n,.*status'
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

crossover=$figures/crossover_$name
check 'the crossover map is drawn' grep -q '</svg>' "$crossover.svg"
check 'who wins where, and by how much' grep -qP '^float\tall_pairs_loop\t1000\t1\t0.5\t2.0×\t1e-05\t' "$crossover.dat"
check 'the fastest tunables compete' grep -qP '^float\tsorted_cells\t16000\t2\t0.5\t2.0×\t0.0001\t' "$crossover.dat"
check 'no structure is built here' bash -c "! ls '$figures' | grep -q crossover_built"
check 'without peaks no roofline' bash -c "! ls '$figures' | grep -q roofline"
check 'the fastest are the front, both precisions being as fast' test "$(awk '$6 == 1' "$figures/error_$name.dat" | wc -l)" -eq 2

check 'plots again and tells what it drew' exits 0 plot "$work/run" --format svg
check 'lists the figures, and nothing else, on standard output' bash -c "grep -q '^  crossover_$name$' out && ! grep -qv '^  ' out"
check 'tells why there is no roofline' err 'no roofline for NVIDIA H200 (cuda): environment.json beside the rows'

# Several devices, the second of them with structures to build, energies and peaks.
mkdir "$work/second"
{
    echo "$columns,build_s_median,percent_of_peak,nj_per_pair,twin"
    for variant in all_pairs_loop sorted_cells; do
        for n in 1000 16000; do
            device='NVIDIA H100' row $variant float '-' $n ok 3e-5 | sed "s/\$/,$([ $variant = sorted_cells ] && echo 1e-3),10,5,/"
            device='NVIDIA H100' row $variant float '-' $n ok 2.9e-5 | sed 's/$/,,,,1/'
        done
    done
} >"$work/second/rows.csv"
cat >"$work/second/environment.json" <<'END'
{"devices":[{"backend":"cuda","model":"NVIDIA H100",
  "peaks":{"fp32_operations_per_s":5e13,"copy_bytes_per_s":3e12}}]}
END
h100=nvidia-h100_cuda_fluid_d0.8442_c2.5_forces
check 'two runs' exits 0 plot "$work/run" "$work/second" -o "$work/both" --format svg
check 'second timings are counted' said '4 of 20 rows are second timings'
devices=$work/both/devices_float_fluid_d0.8442_c2.5_forces
check 'the variants on both devices' grep -q 'NVIDIA H100 (cuda)' "$devices.svg"
check 'a line a device, variant and N' test "$(grep -vc '^#' "$devices.dat")" -eq 8
check 'what one device ran alone is not compared' bash -c "! ls '$work/both' | grep -q devices_double"
check 'building is counted in a map of its own' grep -qP '^float\tall_pairs_loop\t1000\t.*\t34×\t' \
    "$work/both/crossover_built_$h100.dat"
check 'second timings tell the noise floor, which is drawn' grep -qE '>noise floor [0-9]+ %<' "$work/both/time_$h100.svg"
check 'where there are none nothing is' bash -c "! grep -q 'noise floor' '$work/both/time_$name.svg'"
check 'the map tells it, too' grep -qE 'within the noise floor \([0-9]+ %\)' "$work/both/crossover_built_$h100.svg"
check 'energy against N' grep -q '</svg>' "$work/both/energy_$h100.svg"
check 'no energies, no figure' test ! -e "$work/both/energy_$name.svg"
check 'the roofline' grep -q '3.0 TB/s' "$work/both/roofline_$h100.svg"
# 10 % of 5e13 operations/s for 3e-5 s over 1000 particles of 28 bytes.
check 'operations per byte' grep -qP '^float\tall_pairs_loop\t1000\t5357.14286\t5e\+12\t0$' "$work/both/roofline_$h100.dat"

# What rules out pairs by other means than a distance is no dot of the roofline, and that is said.
mkdir "$work/screened"
{
    echo "$columns,percent_of_peak,structure,pairs_evaluated"
    for n in 1000 16000; do
        row all_pairs_loop float '-' $n ok 1e-5 | sed "s/\$/,10,none,$((n * n))/"
        row all_pairs_tensor float '-' $n ok 1e-6 | sed "s/\$/,10,none,$((20 * n))/"
        row sorted_cells_screened float '-' $n ok 1e-6 | sed "s/\$/,10,sorted_cells,$((20 * n))/"
    done
} >"$work/screened/rows.csv"
sed 's/H100/H200/' "$work/second/environment.json" >"$work/screened/environment.json"
check 'screened variants' exits 0 plot "$work/screened" --format svg
screened=$work/screened/figures/roofline_$name
check 'are no dots' test "$(grep -vc '^#' "$screened.dat")" -eq 2
check 'and named' grep -q 'Operations not known: all_pairs_tensor, sorted_cells_screened<' "$screened.svg"
check 'an undecided winner is hatched' grep -qP '^float\tall_pairs_tensor\t1000\t.*\t≈\t' "$work/screened/figures/crossover_$name.dat"

# Two runs of one device are two lines, with the peaks of each; runs that have no line in common are one figure.
mkdir -p "$work/runs/before" "$work/runs/after" "$work/runs/rest" "$work/elsewhere/before"
run_of() { # run_of FOLDER SECONDS PEAK VARIANT...: rows at N = 1000 and 16000
    {
        echo "$columns,percent_of_peak"
        for variant in "${@:4}"; do
            row "$variant" float '-' 1000 ok "$2" | sed 's/$/,10/'
            row "$variant" float '-' 16000 ok "${2/e-5/e-4}" | sed 's/$/,10/'
        done
    } >"$work/$1/rows.csv"
    printf '{"devices":[{"backend":"cuda","model":"NVIDIA H200","peaks":{"fp32_operations_per_s":%s,"copy_bytes_per_s":3e12}}]}' \
        "$3" >"$work/$1/environment.json"
}
run_of runs/before 1e-5 5e13 all_pairs_loop sorted_cells
run_of runs/after 3e-5 2e13 all_pairs_loop sorted_cells
run_of runs/rest 7e-5 5e13 all_pairs_tile
run_of elsewhere/before 9e-5 5e13 all_pairs_loop
apart=$work/apart
h200=nvidia-h200_cuda
box=fluid_d0.8442_c2.5_forces
check 'two runs of one device' exits 0 plot "$work/runs/before" "$work/runs/after/rows.csv" -o "$apart" --format svg
for run in before:1e-05 after:3e-05; do
    figure=${h200}_${run%:*}_$box
    check "a figure of ${run%:*}" grep -q "NVIDIA H200 (cuda), ${run%:*}<" "$apart/time_$figure.svg"
    check "the times of ${run%:*} alone" test "$(grep -cP "^float\tsorted_cells\t1000\t${run#*:}\t" "$apart/$figure.dat")" -eq 1
    check "no others with ${run%:*}" test "$(grep -vc '^#' "$apart/$figure.dat")" -eq 4
done
check 'nothing is pooled' test ! -e "$apart/time_${h200}_$box.svg"
check 'both against each other' grep -q 'The same variants in several runs: forces, float' "$apart/devices_float_$box.svg"
check 'each by its name' bash -c "grep -q '(cuda), before' '$apart/devices_float_$box.svg' && grep -q '(cuda), after' '$apart/devices_float_$box.svg'"
check 'in the order in which they were given' grep -qP '^1\tall_pairs_loop\t1000\t1e-05\t' "$apart/devices_float_$box.dat"
check 'two lines of each variant' test "$(grep -vc '^#' "$apart/devices_float_$box.dat")" -eq 8
# 10 % of each run's own peak.
check 'the peaks of the first' grep -qP '^float\tall_pairs_loop\t1000\t[0-9.]+\t5e\+12\t' "$apart/roofline_${h200}_before_$box.dat"
check 'and of the second' grep -qP '^float\tall_pairs_loop\t1000\t[0-9.]+\t2e\+12\t' "$apart/roofline_${h200}_after_$box.dat"
check 'runs of different variants' exits 0 plot "$work/runs/before" "$work/runs/rest" -o "$work/joined" --format svg
check 'are one figure' test "$(cut -f 2 "$work/joined/${h200}_$box.dat" | grep -v '#' | sort -u | wc -l)" -eq 4
check 'folders of one name' exits 0 plot "$work/runs/before" "$work/elsewhere/before" -o "$work/alike" --format svg
check 'are told apart by their paths' test "$(ls "$work/alike" | grep -c '^time_.*svg')" -eq 2
(cd "$work/runs/before" && exits 0 plot . ../after -o "$work/here" --format svg)
check 'a folder is called by its name from within' test -e "$work/here/time_${h200}_before_$box.svg"
mkdir "$work/cards"
{
    echo "$columns,device_model"
    for card in 0 1; do
        device=cuda:$card row all_pairs_loop float '-' 1000 ok "${card}e-5" | sed 's/0e-5/5e-6/g;s/$/,NVIDIA H200/'
        device=cuda:$card row all_pairs_loop float '-' 16000 ok "2e-$((4 + card))" | sed 's/$/,NVIDIA H200/'
    done
} >"$work/cards/rows.csv"
check 'two cards of one model in one run' exits 0 plot "$work/cards" --format svg
check 'are two lines' grep -q 'NVIDIA H200 (cuda), cuda:1<' "$work/cards/figures/time_${h200}_cuda-1_$box.svg"

# Groups of several ratios.
mkdir "$work/ratio"
{
    echo "$columns,groups,n_a,n_b"
    for sizes in 100:10000 1000:1000 10000:100; do
        row one float '-' 20000 ok 1e-4 | sed "s/\$/,ratio=$sizes,${sizes/:/,}/"
        row two float '-' 20000 ok 2e-4 | sed "s/\$/,ratio=$sizes,${sizes/:/,}/"
    done
    row one float '-' 20000 ok 1e-3 | sed 's/$/,ratio=100:100,100,100/'
} | sed 's/^forces/coordination/' >"$work/ratio/rows.csv"
check 'ratios of groups' exits 0 plot "$work/ratio" --format svg
check 'a figure each where two variants have it' test "$(ls "$work/ratio/figures" | grep -c 'error.*svg')" -eq 3
check 'names what is computed' grep -q 'error: derivatives' "$work"/ratio/figures/error*.svg

# Of many variants eight are named, at the ends of their lines, by what they are in the rows: the others are drawn, in grey.
quick=$(echo "$tests"/../results/nvidia/h100/*-quick) # of every variant
check 'all variants' exits 0 plot "$quick" -o "$work/all" --format svg
ask() { "$pairmark" query "$1" "$quick" --csv | tail -n +2; }
named() { grep -oE "<text>[a-z0-9_]+<" "$1" | grep -oE '[a-z0-9]+_[a-z0-9_]+' | sort -u; }
for figure in time pairs roofline; do
    svg=$(echo "$work/all/${figure}_"*.svg)
    check "$figure names eight or fewer" test "$(named "$svg" | wc -l)" -le 8 -a "$(named "$svg" | wc -l)" -ge 4
    check "$figure says which" grep -q '>Named (up to eight): .* Grey: the others<' "$svg"
done
variants=$(ask "SELECT count(DISTINCT variant) FROM rows WHERE status = 'ok'")
check 'all are drawn' test "$(grep -cE "^(lines|rest)\[[0-9]+\] = " "$work"/all/time_*.plt)" -eq "$variants"
fastest=$(ask "SELECT DISTINCT variant FROM (SELECT variant, rank() OVER (PARTITION BY precision, n ORDER BY force_s_median) AS place FROM rows
    WHERE status = 'ok' AND twin IS NOT 1) WHERE place = 1")
slowest=$(ask "SELECT variant FROM rows WHERE status = 'ok' AND n = 256000 GROUP BY variant ORDER BY min(force_s_median) DESC LIMIT 1")
for variant in $fastest $slowest; do
    check "$variant is named" eval 'named "$work"/all/time_*.svg | grep -qx "$variant"'
done
# Of the figure of errors every variant on the front is named, and a variant has its own colour in every figure.
for variant in $(awk -F'\t' '!/^#/ && $6 == 1 { print $2 }' "$work"/all/error_*.dat | sort -u); do
    check "$variant is on the front and named" eval 'named "$work"/all/error_*.svg | grep -qx "$variant"'
done
check 'why is said' grep -q '>Named: those on the front, .* Grey: the others<' "$work"/all/error_*.svg
styles=$(for script in "$work"/all/*.plt; do
    sed -nE "s/^(lines|variants|line_style|variant_index)\[([0-9]+)\] = '?([^']*)'?$/\1 \2 \3/p" "$script" | awk '
        $1 == "lines" || $1 == "variants" { name[$2] = $3 }
        $1 == "line_style" || $1 == "variant_index" { print name[$2], $3 }'
done | sort -u)
check 'a colour a variant' [ "$(wc -l <<<"$styles")" -gt 8 ] && [ -z "$(awk '{ print $1 }' <<<"$styles" | uniq -d)" ]
check 'and a variant a colour' [ -z "$(awk '{ print $2 % 48 }' <<<"$styles" | sort | uniq -d)" ]
sheet=$tests/../scripts/plot/common.gp
list=$(sed -n '/^colours = /,/^darks/p' "$sheet" | grep -oE '#[0-9A-F]{6}' | tr A-F a-f)
check 'of 48' [ "$(sort -u <<<"$list" | wc -l)" = 48 ]

# No point is on the frame.
margins() { # margins SCRIPT X Y: these columns of its table are well within the axes
    local script=$1 data
    data=$(sed -n "s/^data = '\(.*\)'$/\1/p" "$script")
    awk -F'\t' -v x="$2" -v y="$3" '
        NR == FNR { if ($0 ~ /^[xy]m(in|ax) = /) { split($0, words, " = "); limit[words[1]] = words[2] }; next }
        /^#/ || $y == "nan" { next }
        { seen++; if ($x < 1.02 * limit["xmin"] || 1.02 * $x > limit["xmax"] || $y < 1.02 * limit["ymin"] || 1.02 * $y > limit["ymax"]) bad = 1 }
        END { exit bad || !seen }' "$script" "$(dirname "$script")/$data"
}
check 'times keep off the frame' margins "$work"/all/time_*.plt 3 4
check 'rates, too' margins "$work"/all/pairs_*.plt 3 8
check 'errors, too' margins "$work"/all/error_*.plt 5 4
check 'dots of rooflines, too' margins "$work"/all/roofline_*.plt 4 5

# Names as long as they come are cut or given room.
mkdir "$work/long"
{
    echo "$columns"
    device='a device of many words, a device of many words, a device of many words, a device of many words, a device of more words'
    for n in 1000 16000; do
        for i in 1 2 3; do row "a_variant_whose_author_could_not_stop_describing_it_$i" float '-' $n ok 1e-5; done
    done
} >"$work/long/rows.csv"
unset device
check 'long names' exits 0 plot "$work/long" --format svg

# No text leaves a canvas or lies over another; a figure in which one does is found.
check 'the texts of all figures are apart' "$tests/../scripts/figure_texts" "$work"/*/*.svg "$work"/*/figures/*.svg
svg() { printf '<svg viewBox="0 0 200 100">'; printf '<g transform="translate(%s)" font-size="12.00" text-anchor="%s"><text>%s</text></g>' "$@"; printf '</svg>'; }
sees() { svg "${@:2}" >"$work/bad.svg"; ! "$tests/../scripts/figure_texts" "$work/bad.svg" 2>"$work/err" && grep -q "$1" "$work/err"; }
check 'one that leaves it is seen' sees 'outside of the canvas: a long name' 150,50 start 'a long name'
check 'on the left' sees 'outside of the canvas: a long name' 50,50 end 'a long name'
check 'turned, too' sees 'outside of the canvas: a long name' '50,20) rotate(-90' middle 'a long name'
check 'two that overlap are seen' sees 'overlap: one name; another' 10,50 start 'one name' 40,55 start another
check 'turned against each other' sees 'overlap: one name; another' 100,50 middle 'one name' '100,60) rotate(-90' middle another
check 'two beside each other are not' eval 'svg 10,50 start "one name" 10,66 start another >"$work/good.svg" && "$tests/../scripts/figure_texts" "$work/good.svg"'

# The axes choose among rows.
chosen() { # chosen LINES FOLDER AXES...: that many lines are drawn of time against N
    local lines=$1
    check "chosen by ${*:3}" exits 0 plot "$work/$2" -o "$work/chosen" --format svg "${@:3}"
    check "$lines lines of ${*:3}" test "$(cat "$work"/chosen/*.dat | grep -vc '^#')" -eq "$lines"
    rm -rf "$work/chosen"
}
lines() { # lines FOLDER: of all that is drawn
    cat "$work/$1"/*.dat | grep -vc '^#'
}
exits 0 plot "$work/run" -o "$work/whole" --format svg
chosen "$(lines whole)" run --workload forces --kind 'flu*' --device cuda --interaction lj --cutoff 2.5 --density 0.8442 --reduction tree
exits 0 plot "$work/ratio" -o "$work/ratios" --format svg
chosen "$(lines ratios)" ratio --ratio 100:10k,10k:100,1k:1k,100:100 --variant 'o*,t*'
check 'one variant alone' exits 0 plot "$work/run" -o "$work/one" --format svg --variant 'sorted_*' --precision float --n 1k:64k:x4
check 'has no other' bash -c "! grep -rqE 'all_pairs|double' '$work/one'"
check 'two of four ratios' exits 0 plot "$work/ratio" -o "$work/two" --format svg --ratio 100:10k,1k:1k
check 'are drawn' test "$(ls "$work"/two/error*.dat | wc -l)" -eq 2
check 'none' exits 2 plot "$work/run" -o "$work/none" --variant nothing
check 'is said' said 'no row is chosen of 12'
check 'a word that rows do not have' exits 2 plot "$work/run" --tune GROUP_SIZE=64
check 'is refused' said '--tune: rows are not chosen by it'
check 'numbers that are none' exits 2 plot "$work/run" --n many
check 'name the axis' said '--n'
check 'a ratio that is none' exits 2 plot "$work/ratio" --ratio 3
check 'names it' said "--ratio: '3'"

# A killed run, a hand and another version: what is whole is drawn, the rest is named.
mkdir "$work/torn"
{
    echo "$columns,mood" | sed 's/,pairs_per_s//'
    for n in 1000 4000 16000; do
        row a float '-' $n ok 1e-5 | sed 's/1e9$/fine/'
        row b float '-' $n ok 2e-5 | sed 's/1e9$/fine/'
    done
    row a float '-' many ok 1e-5 | sed 's/1e9$/fine/'
    row a float '-' 64000 ok '-3' | sed 's/1e9$/fine/'
    row a float '-' 1e308 ok 1e-5 | sed 's/1e9$/fine/'
    row a float '-' 64000 ok inf | sed 's/1e9$/fine/'
    echo 'a,line,of,another,kind'
    row a float '-' 64000 ok 1e-5 | head -c 60
} >"$work/torn/rows.csv"
check 'a torn file is drawn' exits 0 plot "$work/torn" --format svg
check 'names the unknown column' said 'rows.csv:1: unknown column skipped: mood'
check 'names the odd line' said 'rows.csv:12: dropped: 5 fields where 18 were expected'
check 'names the line cut short' said 'rows.csv:13: dropped'
check 'counts what has no N or time' said '4 of 10 rows are not drawn'
check 'draws the rest' test "$(grep -vc '^#' "$work/torn/figures/$name.dat")" -eq 6
check 'no pairs per second, no figure' test ! -e "$work/torn/figures/pairs_$name.svg"
echo '{"devices":[' >"$work/torn/environment.json"
check 'a torn environment' exits 0 plot "$work/torn" --format svg
check 'is named' said 'environment.json: cannot be read as JSON'

check 'a file, a folder for the figures, one format' exits 0 plot "$work/run/rows.csv" -o "$work/other" --format svg
check 'the SVG is where it was asked for' has_file "$work/other/time_$name.svg"
check 'no PNG was asked for' bash -c "! ls '$work/other' | grep -q png"

# Rates are of what a workload counts; what has no cutoff, or no box, has none in its titles.
recorded=$(realpath "$tests/..")/results
check 'terms' exits 0 plot "$(echo "$recorded"/nvidia/h200/*-figures/bonded)" -o "$work/terms" --format svg
check 'per second' grep -q 'Terms per second: forces' "$work"/terms/pairs_*.svg
check 'on their axis, too' grep -q '>terms per second<' "$work"/terms/pairs_*.svg
check 'and no cutoff' bash -c "! grep -q 'cutoff' '$work'/terms/*.svg"
measured() { # measured NAME WORDS: a run of these words, drawn into NAME
    check "$1 are measured" exits 0 bench "${@:2}" --precision float --time-cap 0.02 --visits 1 --twins 0 --cold 0 --no-plot -o "$work/run-$1"
    check "$1 are drawn" exits 0 plot "$work/run-$1" -o "$work/$1" --format svg
}
measured constraints --workload constraints --kind water --n 300,600 --variant settle
check 'per second, likewise' grep -q 'Constraints per second' "$work"/constraints/pairs_*.svg
measured draws --workload random --n 4k,8k --variant philox
check 'against how many' grep -q 'N (draws)' "$work"/draws/time_*.svg
check 'without a box' bash -c "! grep -q 'open box' '$work'/draws/*.svg"

# Names are data: nothing in them is run, and nothing breaks the script.
mkdir "$work/hostile"
{
    echo "$columns"
    device="it's \`touch $work/owned\` \$(touch $work/owned) ^{a}_b @x"
    row "a'b^{c}" float '-' 1000 ok 1e-5
    row "a'b^{c}" float '-' 4000 ok 1e-4
} >"$work/hostile/rows.csv"
check 'names with quotes and mark-up' exits 0 plot "$work/hostile"
mkdir "$work/quoted"
{
    echo "$columns"
    for n in 1000 4000; do row "'; system('touch $work/owned'); x = 'y" float '-' $n ok 1e-5; done
    device="'" row b float '-' 1000 ok 1e-5
} >"$work/quoted/rows.csv"
check 'a name that begins with a quote' exits 0 plot "$work/quoted" --format svg
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

check 'without gnuplot' env PATH="$work/bin" "$BASH" -c "'$pairmark' plot '$work/run' >'$work/out' 2>'$work/err'; [ \$? -eq 3 ]"
check 'names the package' said gnuplot-nox
check 'PAIRMARK_SHARE without scripts' env PAIRMARK_SHARE="$work" "$BASH" -c \
    "'$pairmark' plot '$work/run' >'$work/out' 2>'$work/err'; [ \$? -eq 2 ]"
check 'names the variable' said PAIRMARK_SHARE

# Installed, the program uses the scripts that were installed with it.
if [ -f "$build/cmake_install.cmake" ]; then
    check 'install' bash -c "cmake --install '$build' --prefix '$work/prefix' >'$work/out' 2>'$work/err'"
    pairmark=$work/prefix/bin/pairmark
    check 'the installed program plots' exits 0 plot "$work/run" -o "$work/installed" --format svg
    check 'by the installed scripts' grep -qF "share = '$work/prefix/share/pairmark/plot'" "$work/installed/time_$name.plt"
    check 'a kernel file to begin from is installed' has_file "$work/prefix/share/pairmark/variants/forces/all_pairs_loop.cl"
    check 'the manual page is installed' has_file "$work/prefix/share/man/man1/pairmark.1"
fi

conclude
