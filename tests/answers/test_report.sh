#!/usr/bin/env bash
# `pairmark report` from the command line: what the page says, what it must not let through, and clear refusals.
# What a browser makes of it: test_report_browser.sh.
. "$2/lib.sh" || exit 1
mkdir "$work/tmp"
export TMPDIR=$work/tmp

has() { grep -qF -- "$2" "$work/$1"; } # has PAGE WORDS
has_no() { [ -s "$work/$1" ] && ! has "$@"; }
count_is() { # count_is NUMBER PATTERN FILE: so many matches
    [ "$(grep -oE -- "$2" "$3" | wc -l)" -eq "$1" ]
}
well_formed() { # Beyond HTML 4, which is what libxml2 knows: its elements and SVG's.
    command -v xmllint >/dev/null || return 0
    xmllint --html --huge --noout "$1" 2>&1 | grep 'error :' | grep -vE 'Tag [A-Za-z]+ invalid' >"$work/malformed"
    [ ! -s "$work/malformed" ]
}
loads_nothing() { ! grep -qE "<(script|link rel=(icon href=\"[^d]|[^i])|iframe|object|embed)|[ \t]src=(\"[^d]|[^\"])|@import|url\(['\"]?(https?:)?//" "$1"; }

columns=utc,host,git_commit,workload,interaction,variant,structure,precision,outputs,tunables,box_kind,n,density,cutoff
columns=$columns,backend,device,driver,device_model,status,message,force_s_median,force_s_p05,force_s_p95,pairs_per_s,twin
row() { # row VARIANT PRECISION TUNABLES N STATUS MESSAGE SECONDS [TWIN]
    printf '%s,%s,abcdef0123456789-dirty,forces,"lj:epsilon=1,sigma=1",%s,none,%s,forces,%s,fluid,%s,0.8442,2.5,cuda,' \
        2026-11-21T08:00:00Z "${host:-node7}" "$1" "$2" "$3" "$4"
    printf 'cuda:0,580.1,%s,%s,%s,%s,%s,%s,1e9,%s\n' "${model:-NVIDIA H200}" "$5" "$6" "$7" "$7" "$7" "${8:-}${extra:-}"
}
mkdir "$work/first" "$work/second"
{
    echo "$columns,colour_of_the_case"
    extra=,x
    row steady float GROUP_SIZE=64 1000 ok '' 2e-5
    row steady float GROUP_SIZE=128 1000 ok '' 9e-6
    row other float GROUP_SIZE=64 1000 ok '' 1.2e-5
    row other float GROUP_SIZE=32 1000 ok '' 1e-7 1
    row steady float GROUP_SIZE=64 16000 ok '' 4e-4
    row other float GROUP_SIZE=64 16000 ok '' 1e-4
    row broken float GROUP_SIZE=64 16000 wrong 'force of particle 17 is off' 1e-9
    row noisy float GROUP_SIZE=64 16000 compile_error $'"first line of the log\nsecond line of it"' ''
    row old float GROUP_SIZE=64 16000 unsupported 'no fp64 here' ''
    extra=''
    printf '2026-11-21T08:00:00Z,node7,abc'
} >"$work/first/rows.csv"
cat >"$work/first/environment.json" <<'END'
{ "command_line": ["pairmark", "bench", "--variant", "a b"], "plan": { "selected": 12 },
  "host": { "name": "node7", "cpu": "Some CPU" }, "noise_floor": 0.0125, "devices": [ { "l2_bytes": null } ] }
END
{
    echo "$columns"
    model='Another GPU' row steady double GROUP_SIZE=64 1000 ok '' 7e-5
} >"$work/second/rows.csv"

page=one.html
check 'one run' exits 0 report "$work/first" -o "$work/$page"
check 'says what it wrote' said '9 rows of 1 run'
check 'it is well-formed' well_formed "$work/$page"
check 'it loads nothing' loads_nothing "$work/$page"
check 'and may not' grep -q "default-src 'none'" "$work/$page"
check 'what failed is counted' has $page '5 ok, 1 wrong, 1 unsupported, 1 compile_error; 1 more timed a second time'
check 'its message is told' has $page 'force of particle 17 is off'
check 'a log in several lines' has $page 'first line of the log&#10;      second line of it'
check 'what is not supported' has $page 'no fp64 here'
check 'an unknown column is warned of in the page' has $page 'unknown column skipped: colour_of_the_case'
check 'and on the terminal' said 'unknown column skipped: colour_of_the_case'
check 'a cut line is warned of' has $page 'the line is cut short'
check 'the device, the driver and the host' has $page 'NVIDIA H200, driver 580.1, on node7'
check 'the date' has $page 2026-11-21T08:00:00Z
check 'the command, as it would be typed' has $page "pairmark bench --variant &#39;a b&#39;"
check 'that the run was cut short' has $page '12 cases planned'
check 'all of environment.json' has $page '&quot;cpu&quot;:&quot;Some CPU&quot;'
check 'the fastest at N = 1000, of its tunables' grep -qE '&#10; +1000 +steady +9 us .*GROUP_SIZE=128&#10;' "$work/$page"
check 'the fastest at N = 16000' grep -qE '&#10; +16000 +other +100 us' "$work/$page"
if command -v gnuplot >/dev/null; then
    check 'a figure is in line' has $page '<img src="data:image/svg+xml,%3C?xml'
    check 'which says what it shows' has $page 'alt="Time against N: forces; NVIDIA H200 (cuda); fluid'
    check 'with its title' has $page '<figcaption>Time against N: forces; NVIDIA H200 (cuda); fluid'
fi
check 'nothing is left in TMPDIR' test -z "$(ls "$TMPDIR")"

page=two.html
check 'two runs, one by its file' exits 0 report "$work/first" "$work/second/rows.csv" -o "$work/$page"
check 'says how many' said '10 rows of 2 runs'
check 'a missing environment.json is told' has $page "$work/second/environment.json"
check 'the rows tell the device then' has $page 'Another GPU'
check 'runs are kept apart' has $page "<h2>run B: $work/second/rows.csv</h2>"
check 'it is well-formed' well_formed "$work/$page"

# Two runs of one device: figures tell them apart, by the letters of the tables.
mkdir "$work/same"
{
    echo "$columns"
    for n in 1000 16000; do row steady float GROUP_SIZE=64 $n ok '' 5e-4; done
} >"$work/same/rows.csv"
page=same.html
check 'two runs of one device' exits 0 report "$work/first" "$work/same" -o "$work/$page"
if command -v gnuplot >/dev/null; then
    check 'a figure of the first' has $page '<figcaption>Time against N: forces; NVIDIA H200 (cuda), run A; fluid'
    check 'and one of the second' has $page '<figcaption>Time against N: forces; NVIDIA H200 (cuda), run B; fluid'
    check 'and both in one' has $page 'The same variants in several runs'
    check 'none has them pooled' has_no $page 'NVIDIA H200 (cuda); fluid'
fi

# Settings are told apart in their headings.
mkdir "$work/steps"
{
    echo "steps,$columns"
    for steps in 10 20; do printf '%s,' $steps; row steady float GROUP_SIZE=64 1000 ok '' 1e-3; done
} >"$work/steps/rows.csv"
check 'settings that differ in steps alone' exits 0 report "$work/steps" -o "$work/steps.html"
check 'say which' count_is 2 ', steps [12]0&#10;' "$work/steps.html"

# Names and messages are data: none of them becomes mark-up.
evil='</script></style></title><img src=x onerror=alert(1)><script>alert(2)</script>'
mkdir "$work/hostile"
{
    echo "$columns"
    host=$evil model=$evil row "$evil" float "$evil" 1000 ok '' 1e-5
    host=$evil model=$evil row "$evil" float "$evil" 4000 ok '' 1e-4
    host=$evil model=$evil row "\"\"\"' onmouseover=alert(3) x='\"" float - 4000 wrong "$evil" 1e-4
    printf '%s' "$evil"
} >"$work/hostile/rows.csv"
printf '{"command_line":["%s"],"%s":"%s"}' "${evil//\//\\/}" "${evil//\//\\/}" "${evil//\//\\/}" >"$work/hostile/environment.json"
mv "$work/hostile" "$work/hostile<script>"
page=hostile.html
check 'hostile names' exits 0 report "$work/hostile<script>" -o "$work/$page"
check 'no script came in' count_is 0 '</?script' "$work/$page"
check 'the only style is our own' count_is 1 '</style' "$work/$page"
check 'no image came in' count_is 0 '<img src=x' "$work/$page"
check 'no attribute came in' count_is 0 "<[^<>]*['\" ]onmouseover" "$work/$page"
check 'the message is readable' has $page '&lt;img src=x onerror=alert(1)&gt;'
check 'it is well-formed' well_formed "$work/$page"

# Figures are optional.
mkdir "$work/bin"
page=plain.html
check 'without gnuplot' env PATH="$work/bin" "$BASH" -c "'$pairmark' report '$work/first' -o '$work/$page' >'$work/out' 2>'$work/err'"
check 'names the package' said gnuplot-nox
check 'in the page too' has $page gnuplot-nox
check 'and has all the rest' has $page ' steady '
check 'nothing is left in TMPDIR' test -z "$(ls "$TMPDIR")"
mkdir "$work/failed"
{ echo "$columns"; row a float - 1000 wrong bad 1e-5; } >"$work/failed/rows.csv"
echo '[' >"$work/failed/environment.json"
page=failed.html
check 'only failed rows' exits 0 report "$work/failed" -o "$work/$page"
check 'are told of' has $page '1 wrong'
check 'an environment.json that is cut is warned of' has $page 'environment.json: cannot be read as JSON'
check 'there is nothing to draw' has $page 'nothing to draw'

# What cannot be reported, and a page that is there already.
mkdir "$work/empty" "$work/headed" "$work/folder"
echo "$columns" >"$work/headed/rows.csv"
check 'a page to be replaced' exits 0 report "$work/first" -o "$work/kept.html"
cp "$work/kept.html" "$work/as-it-was.html"
check 'no argument' exits 2 report
check 'no such run' exits 2 report "$work/nowhere" -o "$work/kept.html"
check 'names it' said "$work/nowhere"
check 'a folder without rows' exits 2 report "$work/empty" -o "$work/kept.html"
check 'no row' exits 2 report "$work/headed" -o "$work/kept.html"
check 'says so' said 'no row'
check 'one bad run among several' exits 2 report "$work/first" "$work/nowhere" -o "$work/kept.html"
check 'the page that was there is as it was' cmp -s "$work/kept.html" "$work/as-it-was.html"
check 'it is replaced when all is well' exits 0 report "$work/second" -o "$work/kept.html"
check 'by the new one' bash -c "! cmp -s '$work/kept.html' '$work/as-it-was.html'"
check 'as a whole' bash -c "head -n 1 '$work/kept.html' | grep -qx '<!DOCTYPE html>' && tail -n 1 '$work/kept.html' | grep -qx '</html>'"
check 'leaving no temporary file' test -z "$(find "$work" -name '*.tmp')"
check 'no folder for the page' exits 2 report "$work/first" -o "$work/nowhere/page.html"
check 'names it' said "$work/nowhere"
check 'a folder for a page' exits 2 report "$work/first" -o "$work/folder"
check 'a file for a folder' exits 2 report "$work/first" -o "$work/kept.html/page.html"
cp "$work/first/rows.csv" "$work/rows.before"
check 'the rows for a page' exits 2 report "$work/first" -o "$work/first/rows.csv"
check 'says why' said "-o: $work/first/rows.csv is what a run recorded"
check 'and leaves them' cmp -s "$work/first/rows.csv" "$work/rows.before"
check 'an unknown option' exits 2 report "$work/first" --colour
check '-o without a value' exits 2 report "$work/first" -o
check 'help' exits 0 report --help

# A recorded run in an older format, without the newer columns.
run=$tests/data/runs/card
page=recorded.html
check 'a recorded run' exits 0 report "$run" -o "$work/$page"
check 'all its rows' has $page '6 ok'
check 'its device' has $page 'NVIDIA H200'
check 'it is well-formed' well_formed "$work/$page"

# ---- a slab, a wire and a cell are three settings ----
mkdir -p "$work/axes/one" "$work/axes/two"
head='case_id,device_model,device,workload,interaction,variant,precision,outputs,box_kind,n,cutoff,periodic,axes,status,force_s_median'
{ echo "$head"; printf '%s,A,cuda:0,forces,lj,%s,float,forces,fluid,1000,2.5,1,%s,ok,1e-%s\n' 1 one xy 5 2 two z 4 3 three '' 3; } >"$work/axes/one/rows.csv"
sed 's/,A,/,B,/' "$work/axes/one/rows.csv" >"$work/axes/two/rows.csv"
expect 0 report --devices "$work/axes" -o "$work/axes.md"
for winner in one two three; do
    check "the winner $winner on all cards" grep -q "^| 1000 | $winner .* | $winner .* |" "$work/axes.md"
done

# ---- all cards on one page ----
mkdir -p "$work/cards/a" "$work/cards/b/c" && cd "$work/cards" || exit 1
head='case_id,device_model,backend,workload,interaction,variant,precision,outputs,box_kind,n,density,cutoff,status,force_s_median'
rowof() { printf '%s,%s,cuda,forces,lj:e=1,%s,float,forces,fluid,%s,0.8,2.5,%s,%s\n' "$1" "$2" "$3" "$4" "$5" "$6"; }
{ echo "$head"; rowof 1 Fast quick 1000 ok 1e-5; rowof 2 Fast slow 1000 ok 2e-5; rowof 3 Fast broken 1000 wrong 1e-6; rowof 4 Fast quick 64 ok 1e-6; } >a/rows.csv
{ echo "$head"; rowof 1 'Card|B <b>' slow 1000 ok 3e-5; } >b/c/rows.csv
expect 0 report --devices . -o cards.md
check 'the winners, the ratio of the cards and the lead' grep -qxF '| 1000 | quick 10 µs (1), slow 2 | slow 30 µs (3) |' cards.md
lacks cards.md broken
lacks cards.md '| 64 |'
says cards.md '| Card\|B \<b> |'
expect 0 report --devices . -o cards.md
expect 0 report --devices a -o alone.md
check 'one card alone has its winners, too' grep -qxF '| 64 | quick 1 µs (1) |' alone.md
check 'a page of HTML' exits 2 report --devices . -o cards.html
check 'is none' said 'the page of --devices is Markdown'
echo mine >mine.md
expect 2 report --devices a -o mine.md
expect 2 report --devices "$work/cards/nothing" -o other.md
expect 0 report --devices "$tests"/../results/nvidia/h200/*-figures/quick "$tests"/../results/nvidia/h100/*-quick -o two.md
check 'docs/which-gpu.md has those of its two runs: make figures' cmp <(awk '/^###/ { off = /double$/ } !off' two.md) <(sed -n '/^<!-- pairmark report --devices -->$/,$p' "$tests/../docs/which-gpu.md")

# ---- T4: the schema of Kernel Tuner, 1.0.0, in jq ----
mkdir -p "$work/t4/one" "$work/t4/two" && cd "$work/t4" || exit 1
head='case_id,utc,device,device_model,variant,tunables,precision,n,cutoff,status,force_s_median,repetition,twin,energy_j,worst_ratio'
{ echo "$head"
    for state in ok wrong compile_error timeout unsupported crashed; do
        echo "$state,2026-01-01T00:00:00Z,cuda:0,Card,v,GROUP_SIZE=128 LANES=4,float,1000,inf,$state,$([ $state != ok ] || echo 2e-3),0,0,,0.5"
    done
    echo 'again,2026-01-01T00:00:00Z,cuda:0,Card,v,,float,1000,2.5,ok,1,0,1,,0.5'; } >one/rows.csv
printf 'case_id,repetition,sample,cache,seconds,device,run_id,visit\nok,0,0,hot,1e-3,cuda:0,r,0\nok,0,1,hot,3e-3,cuda:0,r,0\nok,0,2,cold,9,cuda:0,r,0\n' >one/samples.csv
sed 's/^ok,/of,/; /^[^o]/d' one/rows.csv | sed "1i$head" >two/rows.csv
expect 0 report --kernel-tuner . -o t4.json
check 'it is of the schema' [ "$(json '(.schema_version | test("^[0-9]+[.][0-9]+[.][0-9]+$")) and (.results | all(
    (.timestamp | type) == "string" and (.configuration | type) == "object" and (.objectives | type) == "array" and
    (.times.runtimes | type) == "array" and (.correctness | type) == "number" and
    (.invalidity | IN("timeout", "compile", "runtime", "correctness", "constraints", "correct")) and
    (.measurements | all((.name | type) == "string" and (.value | type) == "number" and (.unit | type) == "string"))))' t4.json)" = true ]
check 'a status each, without the second timing' [ "$(json '[.results[] | .invalidity] | join(" ")' t4.json)" = \
    'correct correctness compile timeout constraints runtime correct' ]
check 'tunables are numbers' [ "$(json '.results[0].configuration | "\(.GROUP_SIZE + .LANES) \(.variant) \(.cutoff)"' t4.json)" = '132 v none' ]
check 'samples in ms, hot ones' [ "$(json '.results[0].times.runtimes | map(. + 0) | join(" ")' t4.json)" = '1 3' ]
check 'without samples the median' [ "$(json '.results[6].times.runtimes | map(. + 0) | join(" ")' t4.json)" = 2 ]
check 'and it is measured' [ "$(json '.results[0].measurements[] | select(.name == "time") | "\(.value + 0) \(.unit)"' t4.json)" = '2 ms' ]
expect 0 report --kernel-tuner one
check 'its usual name' has_file t4.json
expect 2 report --kernel-tuner --devices one
expect 2 report --kernel-tuner one -o one/rows.csv

conclude
