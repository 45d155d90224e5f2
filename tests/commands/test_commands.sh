#!/usr/bin/env bash
# devices, list, eval and check from the command line: known answers, exit statuses, messages that name the argument.
# shellcheck disable=SC2016 # what stands in single quotes is awk's
. "$2/lib.sh" || exit 1
vectors=$tests/data/vectors

# virial_trace: of the nine numbers in $work/out
virial_trace() {
    sed -n 's/.*"virial": *\[\([^]]*\)\].*/\1/p' "$work/out" |
        awk -F, 'NF == 9 { printf "%.17g\n", $1 + $5 + $9 }'
}

# ---- the program itself ----
check "no command is refused" exits 2
check "and shows the usage" err "usage: pairmark COMMAND"
for words in --help help -h; do
    check "$words" exits 0 "$words"
    check "$words shows the usage" out "usage: pairmark COMMAND"
done
check "--version" exits 0 --version
check "--version says one" grep -qE '^pairmark [0-9]+\.[0-9]+' "$work/out"
refuses "did you mean 'eval'?" evla
refuses "there is no command 'zzz'" zzz
refuses "did you mean 'check'?" help chek
# No command is told of options that it does not take.
refuses "there is no such option; \`pairmark help devices\` has all of them" devices --nn 4
lacks "$work/err" "did you mean"
for command in devices list eval check; do
    check "help $command" exits 0 help $command
    check "help $command says how" out "usage: pairmark $command"
    check "$command --help" exits 0 $command --help
    check "$command -h" exits 0 $command -h
    refuses "did you mean '--help'?" $command --hlep
    refuses "pairmark $command: 'extra'" $command extra
done
# Axes are explained in one place; a command names them behind its own options.
check "help axes" exits 0 help axes
check "explains each axis that a command names" [ -z "$("$pairmark" best --help | sed -n '/^Axes/,/^$/s/^  //p' | grep -oE -- '--[a-z-]+' |
    grep -vxFf <(grep -oE -- '^  --[a-z-]+' "$work/out" | tr -d ' '))" ]
check "best --help has its own options first" [ "$("$pairmark" best --help | grep -n '^  --budget' | cut -d: -f1)" -lt "$("$pairmark" best --help |
    grep -n '^  --workload' | cut -d: -f1)" ]
check "help kernels" exits 0 help kernels
words=$tests/../harness/kernels/header/header_words.c
check "has every line of a header" [ "$(sed -nE 's/^ +\{ "([a-z]+)", (parse_[a-z]+|NULL), (parse_[a-z_]+|NULL) \},/@\1/p' "$words" | sort)" = \
    "$(grep -oE '^@[a-z]+' out | sort -u)" ]
sed '1,/^Dialect/d; /^ /d; s/  .*//; s/([^)]*)//g' out | grep -oE '[A-Za-z_][A-Za-z_0-9]+' >words
check "and words that there are: $(wc -l <words)" [ "$(wc -l <words)" -gt 90 ]
check "in a text before kernels" [ -z "$(grep -vxFf <(cat "$tests"/../harness/devices/*/prelude_*.h "$tests"/../harness/kernels/text/*.c "$tests"/../variants/*.cl "$tests"/../variants/structures/*.cl |
    grep -oE '[A-Za-z_][A-Za-z_0-9]+' | sort -u) words)" ]
if [ -w /dev/full ]; then
    "$pairmark" list >/dev/full 2>"$work/err"
    check "a full disk is no success" [ $? -eq 3 ]
    check "and is told" err "standard output"
fi
# ---- standard output that is closed: no file gets what is printed, and no command ends as if it were ----
commands=$("$pairmark" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
check "there are many commands" [ "$(wc -w <<<"$commands")" -ge 20 ]
for command in $commands; do
    "$pairmark" "$command" --help >&- 2>"$work/err"
    check "$command: its help goes nowhere" [ $? -eq 3 ]
    [ ! -w /dev/full ] || check "$command: a full disk" [ "$("$pairmark" "$command" --help 2>"$work/err" >/dev/full; echo $?)" -eq 3 ]
done
few=(--kind fluid --n 32 --variant all_pairs_loop --precision float --outputs forces)
"$pairmark" bench "${few[@]}" --visits 1 --no-plot -o unheard >&- 2>"$work/err" </dev/null
check "a summary that nobody can read is no success" [ $? -eq 3 ]
check "and is in no file of the run" [ ! -s unheard/.lock ]
for words in "report unheard -o -" "report unheard" "rows check unheard" "box fluid --n 5 -o -" "list" "eval ${few[*]} --reference none" "run --reference --kind melt --n 32 --steps 2 --log -"; do
    # shellcheck disable=SC2086 # words of a command
    "$pairmark" $words >&- 2>"$work/err" </dev/null
    check "$words: to nobody" [ $? -ne 0 ]
    check "$words: says so" err 'standard output: '
done

# ---- numbers beyond what variables hold, for each option that takes one: stored, or refused by its name ----
draw_numbers() { # some of many
    printf '%s\n' 214748364{7,8,9} 429496729{5,6,7} 900719925474099{1,2,3} 922337203685477580{7,8,9} 1844674407370955161{5,6,7} -1 -2147483649 1e999 -1e999 nan inf \
        1e308 5e-324 0x10 1e3 0.5 '' ' 1' '1 ' | shuf -n 3 --random-source=<(yes "$1$seed")
}
seed=${PAIRMARK_SEED:-$RANDOM}
echo "PAIRMARK_SEED=$seed"
tried=0
for command in $commands; do
    for option in $("$pairmark" "$command" --help | sed -nE 's/^ *(-[a-z], )?(--[a-z-]+) (S|N|F|K|T|X|D|SECONDS)( .*|)$/\2/p'); do
        while IFS= read -r number; do
            "$pairmark" "$command" "$option" "$number" --help >"$work/out" 2>"$work/err"
            status=$?
            tried=$((tried + 1))
            if [ $status -ne 0 ] && ! { [ $status -eq 2 ] && grep -qF -- "$option" "$work/err"; }; then
                complain "$command $option '$number': status $status"
            fi
        done < <(draw_numbers "$command$option")
    done
done
check "numbers were tried: $tried" [ "$tried" -gt 100 ]
refuses 'temperature 1e+308; expected an energy, 0 or more, that all particles can have' box fluid --n 20 --temperature 1e308 -o hot.xyz
check "and no box is made" [ ! -e hot.xyz ]
"$pairmark" list 2>"$work/err" | head -n 1 >"$work/out"
check "a reader that leaves is no trouble" empty "$work/err"

# ---- devices ----
check "devices" exits 0 devices
check "devices has a table" grep -qE '^device +model +driver +memory +units +fp64 +usable' "$work/out"
check "a device can be used" grep -qE '^(cuda:[0-9]+|opencl:[0-9]+:[0-9]+) .* yes$' "$work/out"
check "devices --json" exits 0 devices --json
check "devices --json names them" grep -qE '"name": ?"(cuda|opencl):' "$work/out"
check "devices --json says whether usable" grep -qE '"usable": ?true' "$work/out"
device=$(field name)
# Where PoCL is all there is, it offers nothing without a cache of its own, and does not say why.
POCL_CACHE_DIR=/proc/none "$pairmark" devices >"$work/out" 2>"$work/err"
if out "no device was found"; then
    check "what PoCL may be in want of" out POCL_CACHE_DIR
    POCL_CACHE_DIR=/proc/none "$pairmark" eval --kind lattice --n 64 >"$work/out" 2>"$work/err"
    check "a command that needs one says so" err "no usable device; none was found; "
fi

# ---- list ----
check "list" exits 0 list
check "list has all workloads" [ "$(grep -oE '^  workload +(forces|coordination|bonded|constraints|step)$' out | sort -u | wc -l)" -eq 5 ]
check "list --workload" exits 0 list --workload forces
variants=$(grep -oE '^[a-z_0-9]+ —' "$work/out" | tr -d ' —')
check "list names the four" [ "$(grep -cxE 'all_pairs_(loop|half|tile)|sorted_cells' <<<"$variants")" -eq 4 ]
check "a preset is starred" grep -qE 'GROUP_SIZE .*[0-9]+\*' "$work/out"
check "list --structures" exits 0 list --structures
check "a structure's parameter and its type" grep -qE '^ +neighbours +GLOBAL const int \* +neighbours of ' "$work/out"
check "what it is built from" grep -qE '^  needs +sorted_cells' "$work/out"
check "its tunables" grep -qE '^  tunables +SKIN 12\*: ' "$work/out"
check "list --structures of variants" exits 2 list --structures --variant list_walk
check "list --parameters" exits 0 list --parameters --workload random
check "of a workload" grep -qE '^  parameters n +int +' "$work/out"
check "and of it alone" [ "$(grep -c ' — ' "$work/out")" -eq 1 ]
check "list --columns" exits 0 list --columns
check "a column, its unit and what a row of visits has of it" grep -qE '^force_s_median +s +median +Median' "$work/out"
refuses "one of" list --columns --structures
refuses "--columns lists no variants" list --columns --workload forces
check "list --variant" exits 0 list --variant 'all_pairs_l*'
check "narrows" [ "$(grep -c ' — ' "$work/out")" -eq 1 ]
check "list --json" exits 0 list --json
check "with presets" grep -qE '"preset": ?[0-9]+' "$work/out"
check "list --short" exits 0 list --short --workload forces
check "is a line per variant" [ "$(grep -c '^forces  ' "$work/out")" -eq "$(wc -l <"$work/out")" ]
check "with structure, name and summary" grep -qE '^forces +sorted_cells +sorted_cells +[a-z].* ' "$work/out"
refuses "--short" list --short --json
refuses "take one, without --columns" list --columns --json
refuses "--n" list --n 1k
refuses "--variant: there is no variant 'all_pair_loop' (did you mean 'all_pairs_loop'?); \`pairmark list\` names them" list --variant all_pair_loop
refuses "--workload" list --workload bonding

# ---- init: a kernel of one's own, which is right as it stands ----
tiny=(--n 96 --precision float)
one_box() { case $1 in forces | step) echo --kind fluid --outputs forces ;; *_step) echo --outputs forces ;; esac; } # default cases are many
for workload in $("$pairmark" list --short | awk '{ print $1 }' | sort -u); do
    check "init --workload $workload" exits 0 init "own_$workload" --workload "$workload"
    says out "pairmark check --variant-file own_$workload.cl"
    sed -i 's/\(@forces *[^ ]*\) .*/\1/' "own_$workload.cl" # of steps: one is enough
    variant=$(sed -n 's/.* --variant \([^,]*\),.*/\1/p' out) command=$(sed -n 's/^  pairmark check/check/p' out)
    # They are built-in variants by another name, which test_each_kernel has.
    if [[ " bonded forces neighbours step $(at_length "$workload") " == *" $workload "* ]]; then
        # shellcheck disable=SC2046,SC2086 # words
        check "$variant passes" exits 0 $command --variant "$variant" "${tiny[@]}" $(one_box "$workload") -v
        says out "ok $workload/"
    else
        check "$variant is listed" exits 0 list --variant-file "own_$workload.cl" --variant "$variant"
    fi
done
check "list --variant-file" exits 0 list --short --variant-file own_forces.cl
check "lists the file's alone" [ "$(awk '{ print $3 }' out)" = own_forces ]
check "no source but the user's" bash -c '! grep -q @source own_*.cl'
cp own_forces.cl before.cl
refuses "own_forces.cl is there already" init own_forces
check "it is left as it was" cmp before.cl own_forces.cl
refuses "expected a name" init
refuses "9mine" init 9mine
refuses "mine.cl" init mine.cl
refuses "'position' is a word that kernels use" init position
refuses "'sorted_cells' is a built-in variant" init sorted_cells
refuses "did you mean 'forces'?" init mine --workload fores
check "--cuda" exits 0 init ported --cuda
if "$pairmark" check --compile-only --variant all_pairs_loop --kind fluid "${tiny[@]}" --outputs forces >/dev/null 2>compiling; then
    check "compiles" exits 0 check --compile-only --variant-file ported.cu "${tiny[@]}" --outputs forces
    "$pairmark" check --compile-only --variant sorted_cells_screened --kind fluid "${tiny[@]}" --outputs forces \
        --tune GROUP_SIZE=256 --tune WORDS=32 --tune ROWS=9 --tune LANES=1 --tune CELLS_PER_CUTOFF=2 --verbose >"$work/out" 2>&1
    check "too much local memory is unsupported" out "needs more local memory"
elif grep -q 'built without' compiling; then
    says compiling "install it"
fi
echo 'int x;' >no_kernel.cl
refuses "pairmark init NAME" check --variant-file no_kernel.cl

# ---- eval: a known answer. (test_each_kernel has every variant beside the reference, test_reference the reference beside NIST.) ----
nist=(--box "$vectors/nist/lj-fluid-30.xyz" --interaction "lj:epsilon=1,sigma=1" --cutoff 3 --precision double)
if [[ $device != cuda* ]]; then
    check "a variant of CUDA elsewhere" exits 3 eval --variant all_pairs_tensor "${nist[@]}" --json
    check "why not" err 'needs a CUDA device'
fi
for variant in all_pairs_loop sorted_cells list_walk; do
    check "eval of $variant" exits 0 eval --variant "$variant" "${nist[@]}" --json
    check "$variant: one line" [ "$(wc -l <"$work/out")" -eq 1 ]
    check "$variant: its name" [ "$(field variant)" = "$variant" ]
    check "$variant: workload, precision, device" \
        [ "$(field workload) $(field precision) $(field device)" = "forces double $device" ]
    check "$variant: 30 particles, 129 pairs" [ "$(field n) $(field pairs_in_cutoff)" = "30 129" ]
    check "$variant: energy $(field energy)" near "$(field energy)" -16.790321304625856 1e-12
    check "$variant: virial trace $(virial_trace)" near "$(virial_trace)" -46.24919674630892 1e-12
done
check "eval in words" exits 0 eval --variant all_pairs_loop "${nist[@]}" --outputs energy
check "has the energy" grep -qE '^energy +-16\.7903213046' "$work/out"
check "and no virial, which was not asked for" [ "$(grep -c virial "$work/out")" -eq 0 ]
check "eval of forces alone" exits 0 eval --variant all_pairs_loop "${nist[@]}" --outputs forces --json
check "has no energy" [ -z "$(field energy)" ]

# The forces come in input order with the particles, and add up to nothing.
check "eval --forces" exits 0 eval --variant sorted_cells "${nist[@]}" --forces "$work/forces.xyz"
check "writes a line a particle" [ "$(wc -l <"$work/forces.xyz")" -eq 32 ]
check "names the columns" grep -q 'forces:R:3' "$work/forces.xyz"
awk 'NR > 2 { print $2, $3, $4 }' "$work/forces.xyz" >"$work/got"
awk 'NR > 2 { print $2, $3, $4 }' "$vectors/nist/lj-fluid-30.xyz" >"$work/expected"
check "in input order" awk 'NR == FNR { x[FNR] = $1; next } { d = $1 - x[FNR]; bad += d * d > 1e-18 } END { exit bad }' \
    "$work/expected" "$work/got"
check "forces add up to nothing" awk 'NR > 2 { a += $(NF - 2); b += $(NF - 1); c += $NF; s += $NF * $NF }
    END { exit !(s > 1 && a * a + b * b + c * c < 1e-20 * s) }' "$work/forces.xyz"

# ---- eval: what is refused ----
refuses "the axes span" eval "${nist[@]}" --structure none
refuses "narrow --variant" eval "${nist[@]}" --structure none
refuses "the first of them is forces/lj/all_pairs_buffers/" eval "${nist[@]}" --structure none
refuses "narrow --seed; the first" eval --n 100 --seed 1,2
refuses "narrow --precision, --cutoff" eval --variant all_pairs_loop --cutoff 1,2 --precision float,double
loop=(eval --variant all_pairs_loop)
refuses "--cutoff: 4.5 is more than half the shortest edge" "${loop[@]}" --box "$vectors/nist/lj-fluid-30.xyz" --cutoff 4.5
refuses "can be at most 4" "${loop[@]}" --box "$vectors/nist/lj-fluid-30.xyz" --cutoff 4.5
refuses "--cutoff: none needs an open box" "${loop[@]}" --cutoff none
refuses "nowhere.xyz" "${loop[@]}" --box "$work/nowhere.xyz"
printf '3\n8 8 8\nA 0 0 0\nA 1 nan 0\nA 2 0 0\n' >"$work/nan.xyz"
refuses "nan.xyz:4" "${loop[@]}" --box "$work/nan.xyz"
: >"$work/empty.xyz"
refuses "empty.xyz" "${loop[@]}" --box "$work/empty.xyz"
refuses "no case is left: sorted_cells needs a cutoff" eval --variant sorted_cells --open --cutoff none
refuses "--device" "${loop[@]}" --device opencl:7:7
refuses "--device: one device" "${loop[@]}" --device opencl:0:0,cuda:0
refuses "--deadline" "${loop[@]}" --deadline soon
refuses "--forces: a value is missing" "${loop[@]}" --forces
refuses "--n: 0 is outside 1 to 536870911" "${loop[@]}" --n 0
refuses "--n: -3 is outside" "${loop[@]}" --n -3
refuses "--n: 1000000000000 is outside" "${loop[@]}" --n 1000000M
refuses "--n: 'many' is no number" "${loop[@]}" --n many
refuses "--n: given twice" "${loop[@]}" --n 1 --n 2
refuses "--kind: there is no kind of box 'fluit' (did you mean 'fluid'?)" "${loop[@]}" --kind fluit
refuses "--kind: says how a box is made" "${loop[@]}" "${nist[@]:0:2}" --kind gas
refuses "--precision" "${loop[@]}" --precision half
refuses "--outputs" "${loop[@]}" --outputs torque
refuses "--interaction" "${loop[@]}" --interaction lj:sigma=abc
refuses "--tune: there is no tunable of the chosen variants 'GROUPSIZE' (did you mean 'GROUP_SIZE'?)" \
    "${loop[@]}" --tune GROUPSIZE=64
refuses "--tune: GROUP_SIZE=0; expected a power of two" "${loop[@]}" --tune GROUP_SIZE=0
refuses "--variant-file" eval --variant-file "$work/nowhere.cl"
refuses "(did you mean '--cutoff'?)" "${loop[@]}" --cutof 3
check "forces that cannot be written" exits 2 "${loop[@]}" "${nist[@]}" --forces "$work/no/such/folder.xyz"
check "are told with the path" err "no/such/folder.xyz"
printf '2\n8 8 8\nA 1 1 1\nA 1 1 1\n' >"$work/coincident.xyz"
check "coincident particles give no number" exits 1 "${loop[@]}" --box "$work/coincident.xyz" --cutoff 3
check "and the reason" err "coincide"

# ---- check ----
few=(--n 64 --kind fluid --precision float --outputs forces)
check "a check that passes" exits 0 check --variant 'all_pairs_[hl]*,all_pairs_tile' "${few[@]}"
check "counts" out "6 passed, 0 failed, 0 unsupported"
check "and says nothing else" [ "$(wc -l <"$work/out")" -eq 1 ]
check "check -v" exits 0 check --variant all_pairs_loop "${few[@]}" -v
check "lists all" grep -q '^ok forces/lj/all_pairs_loop/float/forces/fluid/n:64/' "$work/out"
check "check --json" exits 0 check --variant all_pairs_loop "${few[@]}" --json
check "has totals" [ "$(field passed) $(field failed) $(field unsupported)" = "2 0 0" ]
check "and cases" grep -qE '"status": ?"ok"' "$work/out"
check "check of a box file" exits 0 check --variant sorted_cells "${nist[@]}" --outputs virial
check "is one case" out "1 passed, 0 failed, 0 unsupported"

kernel wrong 'if (i < n) force[i] = make_accum4(1, 2, 3, 0);'
check "a wrong kernel fails" exits 1 check --variant-file "$work/wrong.cl" "${few[@]}"
check "is called wrong, with its case" grep -q '^wrong forces/lj/wrong/float/forces/fluid/n:64/.*: ' "$work/out"
check "is counted" out "0 passed, 2 failed, 0 unsupported"
check "a wrong kernel among right ones fails" exits 1 \
    check --variant all_pairs_loop --variant-file "$work/wrong.cl" "${few[@]}" --json
check "which pass" [ "$(field passed) $(field failed)" = "2 2" ]
check "with the message" grep -qE '"status": ?"wrong"' "$work/out"

kernel broken 'if (i < n) force[i] = no_such_thing(position[i]);'
check "a kernel that does not compile fails" exits 1 check --variant-file "$work/broken.cl" "${few[@]}"
check "as compile_error" grep -q '^compile_error forces/lj/broken/' "$work/out"
check "with the compiler's words" out "no_such_thing"

kernel crash 'if (i < n) force[((long64)1 << 40) + i] = make_accum4(0, 0, 0, 0);'
check "a kernel that crashes fails" exits 1 check --variant-file "$work/crash.cl" --variant all_pairs_loop "${few[@]}"
check "as crashed" grep -qE '^(crashed|launch_error) forces/lj/crash/' "$work/out"
check "and costs no other case" out "2 passed, 2 failed, 0 unsupported"

kernel hang 'if (i < n) while (((GLOBAL volatile int *)partial_sums)[0] != 1234567) force[i] = make_accum4(0, 0, 0, 0);'
check "a kernel that never ends fails" exits 1 \
    check --variant-file "$work/hang.cl" --variant all_pairs_loop "${few[@]}" --open --deadline 2
check "as timeout" grep -q '^timeout forces/lj/hang/' "$work/out"
check "and costs no other case" out "1 passed, 1 failed, 0 unsupported"

kernel headless 'force[i] = 0;'
sed -i 's/@structure none/@structur none/' "$work/headless.cl"
refuses "did you mean '--variant-file wrong.cl'?" check wrong.cl
refuses "did you mean '--box some.xyz'?" check some.xyz
refuses "--variant-file takes a file" check --variant wrong.cl
refuses "headless.cl:7" check --variant-file "$work/headless.cl"
check "a check of nothing is no success" exits 2 check --variant sorted_cells --open --cutoff none
check "tunables of another size" exits 0 check --variant all_pairs_tile "${few[@]}" --tune ITEMS=1,2,4
check "are cases of their own" out "6 passed"
check "what the device refuses is no success" exits 3 check --variant all_pairs_loop "${few[@]}" --tune GROUP_SIZE=1048576
check "and says so" err "nothing was checked"
check "and why" err "GROUP_SIZE=1048576, but"
kernel uncompiled 'force[i] = 0 0;'
check "one compiler log for all cases" exits 1 check --variant-file "$work/uncompiled.cl" --n 65 --kind fluid
check "is printed" grep -q 'uncompiled\.cl[:(][0-9]' "$work/out"
check "once" [ "$(grep -c '^compile_error ' out)" -eq 1 ]
check "and the compiler counts nothing of its own" empty "$work/err"
check "once with -v, too" exits 1 check --variant-file "$work/uncompiled.cl" --n 65 --kind fluid --precision float -v
check "then the others refer to it" out "the same as above"
refuses "--device" check --device cuda:99 "${few[@]}"
refuses "--device: no device is called 'gpu'" check --device gpu
refuses "--device: no device is called 'gpu'" bench --device gpu
refuses "pairmark judge: $work/nowhere.cl: No such file" judge "$work/nowhere.cl"
refuses "--baseline: there is no variant 'all_pair_loop' (did you mean 'all_pairs_loop'?)" judge "$tests/../variants/forces/list_walk.cl" --baseline all_pair_loop
refuses "expected one of temperature, time" run --kind melt --n 500 --steps 1 --thermostat berendsen:temp=1
mkdir "$work/folder"
refuses "$work/folder: holds no run" plot "$work/folder"
refuses "--time-cap '5x': expected seconds" bench --time-cap 5x
refuses "--deadline" check --deadline 0
refuses "--deadline: given twice" check --deadline 9 --deadline=10

# What is read is not overwritten, and what is read several times is no pipe.
printf '2\n6 6 6\nA 0 0 0\nA 1 1 1\n' >"$work/two.xyz"
cp "$work/two.xyz" "$work/kept.xyz"
refuses "--forces: ./two.xyz is the box that is read" eval --variant all_pairs_loop --box "$work/two.xyz" --cutoff 2 --forces ./two.xyz
check "the box is as it was" cmp -s "$work/two.xyz" "$work/kept.xyz"
mkfifo "$work/pipe"
refuses "--box: $work/pipe is no file but a pipe" eval --variant all_pairs_loop --box "$work/pipe" --cutoff 2
refuses "--outputs" check --outputs all

# A check that is ended leaves no process behind. (ps is not everywhere.)
state_and_parent() { sed 's/.*) \(.\) \([0-9]*\) .*/\1 \2/' "/proc/$1/stat" 2>/dev/null; }
child_of() {
    local entry
    for entry in /proc/[0-9]*; do
        [ "$(state_and_parent "${entry#/proc/}" | cut -d ' ' -f 2)" = "$1" ] && echo "${entry#/proc/}"
    done
}
gone() { # gone PROCESS: within half a minute; one that nobody has waited for counts as gone
    local state
    for _ in $(seq 600); do
        state=$(state_and_parent "$1")
        case $state in "" | Z*) return 0 ;; esac
        sleep 0.05
    done
    return 1
}
"$pairmark" check --variant-file "$work/hang.cl" "${few[@]}" --deadline 60 >"$work/out" 2>"$work/err" &
process=$!
for _ in $(seq 600); do
    child=$(child_of $process)
    [ -n "$child" ] && break
    sleep 0.05
done
check "a check has a worker" [ -n "$child" ]
kill -TERM $process
wait $process 2>/dev/null
check "which dies with it" gone "${child:-none}"

conclude
