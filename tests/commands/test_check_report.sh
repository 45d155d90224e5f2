#!/usr/bin/env bash
# What machines read: check --json with a field per axis, --junit, and documents that keep to the schemas of share/schemas/.
. "$2/lib.sh" || exit 1
schemas=$tests/../share/schemas

breaches() { # breaches SCHEMA FILE: a line per breach
    jq -n -r --slurpfile schema "$schemas/$1.json" --slurpfile document "$2" -f "$tests/validate.jq" 2>&1 | head -n 5
}
keeps_to() { # keeps_to SCHEMA FILE
    check "$2 keeps to $1.json: $(breaches "$1" "$2")" [ -z "$(breaches "$1" "$2")" ]
}
cat >wrong.cl <<'END'
/*
 * wrong — forces that are none
 *
 * One particle per work-item.
 *
 * @workload  forces
 * @structure none
 * @pass      wrong item per particle
 * @tunable   GROUP_SIZE 64
 */
KERNEL void wrong(int n, GLOBAL const real4 *RESTRICT position, GLOBAL accum4 *RESTRICT force)
{
    const int i = (int)GLOBAL_ID;
    if (i < n) force[i] = make_accum4(1, 2, 3, 0);
}
END
few=(--n 64 --kind fluid --open --precision float --outputs forces)

# ---- the schemas themselves find faults ----
printf '{ "passed": -1, "failed": "no", "unsupported": 0, "left_out": 0, "not_judged": 0, "cases": [ { "status": "fine" } ], "more": 1 }' >bad.json
for words in 'passed: below 0' 'failed: not of type' 'not_judged_groups: missing' 'status: not among' 'more: not in the schema'; do
    check "the schema finds $words" grep -qF "$words" <(breaches check bad.json; jq -n -r --slurpfile schema "$schemas/check.json" \
        --slurpfile document bad.json -f "$tests/validate.jq")
done

# ---- check ----
expect 0 check --variant all_pairs_loop "${few[@]}" --cutoff none --json --junit right.xml
cp out check.json
keeps_to check check.json
check "a field per axis" [ "$(json '.cases[0] | "\(.workload) \(.variant) \(.precision) \(.outputs) \(.box_kind) \(.n) \(.cutoff) \(.seed) \(.periodic)"' check.json)" = \
    "forces all_pairs_loop float forces fluid 64 null 1 false" ]
check "the verdict's numbers" [ "$(json '.cases[0] | .status == "ok" and .worst_ratio > 0 and .worst_ratio <= 1 and .pairs_in_cutoff == 2016 and .bitwise_repeatable' check.json)" = true ]

expect 1 check --variant all_pairs_loop --variant-file wrong.cl "${few[@]}" --junit both.xml
check "the lines are printed beside it" said '1 passed, 1 failed'
if command -v xmllint >/dev/null; then
    check "the XML is well formed" xmllint --noout right.xml both.xml
    check "one failure of two" [ "$(xmllint --xpath 'concat(/testsuites/@tests, " ", /testsuites/@failures, " ", count(//testcase[@classname="wrong"]/failure[@type="wrong" and @message!=""]))' both.xml)" = "2 1 1" ]
fi
says both.xml '<testsuites name="pairmark check" tests="2" failures="1" errors="0" skipped="0"'
says_like both.xml '<testcase classname="all_pairs_loop" name="forces/lj/all_pairs_loop/[^"]*" time="[0-9.]+"/>'
says both.xml '<failure type="wrong" message="'
expect 1 check --variant-file wrong.cl "${few[@]}" --json --junit both.xml
keeps_to check out
check "a report is replaced" [ "$(grep -c '<testcase' both.xml)" -eq 1 ]

# A box without a pair within the cutoff says nothing, and both say so.
expect 1 check --variant all_pairs_loop --n 2 --kind gas --precision float --outputs forces --cutoff 0.01 --json --junit empty.xml
keeps_to check out
check "the groups are told" [ "$(json '.not_judged == (.not_judged_groups | length) and .not_judged > 0')" = true ]
says empty.xml '<failure type="not_judged" message="nothing was judged: all_pairs_loop'

# What cannot run is skipped.
expect 3 check --variant all_pairs_loop "${few[@]}" --launch graph --json --junit skipped.xml
says skipped.xml '<skipped type="unsupported" message="'
keeps_to check out

printf 'mine\n' >mine.xml
refuses 'mine.xml is there already, and is not a report of pairmark check' check --variant all_pairs_loop "${few[@]}" --junit mine.xml
check "and left as it is" [ "$(cat mine.xml)" = mine ]
expect 2 check --variant all_pairs_loop "${few[@]}" --junit no/such/folder.xml
refuses '--junit' check --compile-only --variant all_pairs_loop "${few[@]}" --junit it.xml

# ---- rows and environment ----
expect 0 bench --variant all_pairs_loop "${few[@]}" --time-cap 0.02 --visits 1 --twins 0 --no-plot -o run
keeps_to environment run/environment.json
expect 0 query --json 'SELECT * FROM rows' run
json '.[0]' >row.json
keeps_to row row.json
for run in "$tests"/../results/*/*/*/environment.json; do
    keeps_to environment "$run"
done

# A kernel without the nearest image is told so, by the forces of a box without images, along the axes that it forgot.
sed 's/all_pairs_loop/imageless/g
s/const real4 d = displacement(pi, pj, box);/real4 d = displacement(pi, pj, box); d.z = pi.z - pj.z; d.w = d.x * d.x + d.y * d.y + d.z * d.z;/' \
    "$tests/../variants/forces/all_pairs_loop.cl" >imageless.cl
expect 1 check --variant-file imageless.cl --variant imageless --kind fluid,brick --n 300 --precision float --outputs forces -v
check 'it is right in open boxes' [ "$(grep -c '^ok .*/open' out)" = 2 ]
check 'and named in others' [ "$(grep -c 'differs where pairs cross the border: no nearest image along z$' out)" = 2 ]
sed -i 's/d.z = pi.z/d.z = REAL(1.01) * pi.z/' imageless.cl
expect 1 check --variant-file imageless.cl --variant imageless --kind fluid --n 300 --precision float --outputs forces -v
lacks out 'cross the border'

conclude
