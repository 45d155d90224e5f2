#!/usr/bin/env bash
# pairmark judge: one verdict on a kernel file; the cheats and outputs that docs/adversarial.md shows; what it refuses.
. "$2/lib.sh" || exit 1
source=$(realpath "$tests/..")
schema=$source/share/schemas/judge.json

breaches() { # breaches FILE: where it does not keep to the schema
    jq -n -r --slurpfile schema "$schema" --slurpfile document "$1" -f "$tests/validate.jq" 2>&1 | head -n 3
}
few=(--outputs forces --time-cap 0.03)

# ---- a right kernel, in full ----
expect 0 judge "$tests/data/cheats/shown_box.cl" --n 300 "${few[@]}" --baseline all_pairs_loop --turns 3 --hidden 2 --hidden-seed 11 --json
cp out first.json
check "keeps to judge.json: $(breaches first.json)" [ -z "$(breaches first.json)" ]
check "it is right" [ "$(json '"\(.verdict) \(.correct) \(.repeatable) \(.hidden_seed)"' first.json)" = 'ok true true 11' ]
check "two of three boxes are hidden, of other seeds and sizes" [ "$(json '[.cases[] | select(.hidden)] | length == 2 and
    (map(.seed) | unique | length == 2) and all(.n >= 225 and .n <= 300 and .seed != 1)' first.json)" = true ]
check "the ratio lies in its interval" [ "$(json '.speed | .low <= .ratio and .ratio <= .high and .turns == 3 and .baseline == "all_pairs_loop"' first.json)" = true ]
check "the answer is that of the interval" [ "$(json '.speed | .answer == (if .low > 1 then "faster" elif .high < 1 then "slower" else "undecided" end)' first.json)" = true ]
check "the ratio is that of the times" [ "$(json '.speed.ratio as $ratio | [.cases[] | select(.force_s)] | length == 1 and
    (.[0].baseline_force_s / .[0].force_s / $ratio - 1 | fabs) < 1e-4' first.json)" = true ]
check "the shown case has both times and the limit" [ "$(json '.cases[0] | .hidden == false and .force_s > 0 and .baseline_force_s > 0 and
    .percent_of_peak > 0 and .percent_of_roof >= .percent_of_peak' first.json)" = true ]
expect 0 judge "$tests/data/cheats/shown_box.cl" --n 300 "${few[@]}" --hidden 2 --hidden-seed 11 --turns 2 --json
check "the same seed gives the same boxes" [ "$(json '[.cases[].case_id]')" = "$(json '[.cases[].case_id]' first.json)" ]
check "no baseline, no ratio" [ "$(json '.speed | "\(.answer) \(has("ratio"))"')" = 'not_timed false' ]
expect 0 judge "$tests/data/cheats/shown_box.cl" --n 300 "${few[@]}" --hidden 2 --turns 2 --json
check "seeds are drawn anew" [ "$(json '[.cases[].case_id]')" != "$(json '[.cases[].case_id]' first.json)" ]

# ---- batches: hidden ones have as many boxes ----
expect 0 judge "$tests/data/mutants/boxes.cl" --kind fluid --n 60 --batch 6 --open "${few[@]}" --baseline boxes_tile --hidden 2 --hidden-seed 4 --turns 2 --json
check "of other sizes, six boxes each" [ "$(json '.verdict == "ok" and ([.cases[] | select(.hidden)] | length == 2 and all(.n % 6 == 0 and .n >= 48))')" = true ]
expect 0 judge "$tests/data/mutants/boxes.cl" --kind fluid --n 2-20 --batch 6 --open "${few[@]}" --hidden 1 --turns 2
expect 1 judge "$tests/data/mutants/boxes.cl" --kind fluid --n 60 --batch 6 --open "${few[@]}" --hidden 1 --turns 2 --tune MUTATION=1

# ---- what check passes in the shown box, hidden ones find ----
expect 0 check --variant-file "$tests/data/cheats/shown_box.cl" --variant shown_box --tune TRICK=1 --n 500 --kind fluid --precision float --outputs forces
"$pairmark" box fluid --n 500 -o read.xyz >out 2>err
expect 0 judge "$tests/data/cheats/shown_box.cl" --tune TRICK=1 --box read.xyz --cutoff 2.5 "${few[@]}" --turns 2
says out 'no hidden boxes: boxes that are read have no seed'

# A kernel that is right in cubic cells alone, or in periodic ones.
for cubic in 'box.edge.x != box.edge.y' 'box.edge.x == 0'; do
    sed -e "s/if (IN_CUTOFF(d.w, cutoff2) \&\& j != i/& \&\& !($cubic \&\& j % 2 == 0)/; s/all_pairs_loop/one_kind/g" \
        "$source/variants/forces/all_pairs_loop.cl" >one_kind.cl
    expect 0 judge one_kind.cl --n 300 "${few[@]}" --turns 2 --hidden 1
    expect 1 judge one_kind.cl --n 300 "${few[@]}" --turns 2 --hidden 12 --hidden-seed 3
    says_like out 'over a hidden box'
done
# Conditions that a few hidden boxes miss: near pairs, open boxes, charges of one sign.
without() { # without NAME CONDITION OPTION...: pairs of that condition are left out
    sed -e "s/if (IN_CUTOFF(d.w, cutoff2) \&\& j != i/& \&\& !($2)/; s/all_pairs_loop/one_kind/g" "$source/variants/forces/all_pairs_loop.cl" >one_kind.cl
    expect 1 judge one_kind.cl --n 300 "${few[@]}" --turns 2 --hidden-seed 9 "${@:3}"
    says_like out 'over a hidden box'
}
without 'near pairs' 'd.w < REAL(0.6)'
without 'open boxes' 'box.edge.x == 0 \&\& j < 9'
without 'charges' 'pi.w < REAL(-0.5) \&\& j < 9' --interaction lj+ewald-real:alpha=0.9
# Hidden boxes differ in all that is left open: sizes, cutoffs, kinds with terms.
without 'whole groups' 'n % 64 == 0 \&\& j == n - 1'
without 'near images' 'cutoff2 < REAL(2.0) \&\& j < 9'
sed 's/if (t < term_count)/if (t < term_count \&\& box.edge.x > 0)/; s/bonded_atomic/one_kind/g' "$source/variants/bonded/bonded_atomic.cl" >one_kind.cl
expect 1 judge one_kind.cl --workload bonded --n 300 "${few[@]}" --turns 2 --hidden-seed 9
says_like out 'over a hidden box'
# Those of a default verdict are of many kinds.
expect 0 judge "$tests/data/cheats/shown_box.cl" --n 16 --turns 2 "${few[@]}" --json
check "sixteen boxes, of six kinds or more" [ "$(json '[.cases[] | select(.hidden)] | length == 16 and
    ([.[1:][].case | capture("float/forces/(?<kind>[a-z]+)[@/]").kind] | unique | length) >= 6')" = true ]

# ---- what returns earlier results is stale, what does not compute each time wrong ----
expect 1 judge "$tests/data/cheats/forces.cl" --tune TRICK=2 --n 2000 --outputs forces --hidden 0 --turns 2
says_like out '^stale: '
expect 1 judge "$tests/data/cheats/forces.cl" --tune TRICK=1 --n 1000 --outputs forces --hidden 1 --hidden-seed 7
says_like out '^wrong: '

# ---- what does not compile ----
sed 's/pair_sums sums;/no_such_type sums;/' "$tests/data/cheats/shown_box.cl" >broken.cl
expect 1 judge broken.cl --n 300 "${few[@]}" --json
check "says so" [ "$(json '"\(.verdict) \(.correct) \(.speed.answer)"')" = 'compile_error false not_timed' ]
check "with the compiler's words" grep -q no_such_type out

# ---- what is refused ----
refuses 'expected the file of a kernel' judge
refuses 'nothing.cl' judge nothing.cl
refuses 'one kernel file is judged' judge broken.cl broken.cl
refuses 'is called shown_box itself' judge "$tests/data/cheats/shown_box.cl" --baseline shown_box
refuses 'all_pairs_loop' judge "$tests/data/cheats/shown_box.cl" --baseline all_pairs_lop
refuses 'expected one variant' judge "$tests/data/cheats/shown_box.cl" --baseline 'all_pairs_*'
refuses 'named by --baseline' judge "$tests/data/cheats/shown_box.cl" --variant all_pairs_loop
refuses '--turns' judge "$tests/data/cheats/shown_box.cl" --turns 1
refuses '--hidden-seed' judge "$tests/data/cheats/shown_box.cl" --hidden-seed minus
sed 's/TRICK 0\* 1/TRICK 0 1*/' "$tests/data/cheats/scratch.cl" >scratch.cl
refuses 'is no measure: wrong' judge "$tests/data/cheats/shown_box.cl" --variant-file scratch.cl --baseline scratch --n 500 "${few[@]}"

# ---- the page: each command is run, and each line that it shows begins one that is printed, numbers aside ----
# On a loaded machine a rate can be "below 0.01 %".
plain() { sed -E 's/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/#/g; s/below (#)/\1/g; s/(# )(ns|us|ms|s)\b/\1time/g; s/\bopencl:#:#/DEVICE/; s/\bcuda:#/DEVICE/' "$@"; }
shown_begin() { # shown_begin: whether each line of $work/shown begins a line of $work/out
    plain shown >shown.plain
    plain out >out.plain
    while IFS= read -r line; do
        awk -v line="$line" 'index($0, line) == 1 { found = 1 } END { exit !found }' out.plain ||
            { printf 'not printed: %s\n' "$line"; return 1; }
    done <shown.plain
}
run_shown() { # run_shown COMMAND: with the lines of $work/shown
    local words
    read -ra words <<<"${1#\$ pairmark }"
    (cd "$source" && exec "$pairmark" "${words[@]}") >out 2>err
    echo $? >status
    check "the page shows what this prints: $1" shown_begin
    check "and what it ends with" [ "$(cat status)" -eq "$(grep -cv '^ok:' <(head -n 1 shown))" ]
    pages=$((pages + 1))
}
pages=0
command=
while IFS= read -r line; do
    case $line in
    '$ pairmark judge '*) command=$line && : >shown ;;
    '```') [ -z "$command" ] || run_shown "$command"
        command= ;;
    *) [ -z "$command" ] || printf '%s\n' "$line" >>shown ;;
    esac
done <"$source/docs/adversarial.md"
check "there is such a command" [ $pages -ge 1 ]

conclude
