#!/usr/bin/env bash
# `pairmark query`: known rows, known answers; what is well formed, what is refused, what old runs hold.
. "$2/lib.sh" || exit 1

answer() { # answer QUERY ARGUMENT...: what it prints, in $work/out; exit status 0
    exits 0 query "$@" || { complain "exit status not 0: $*"; return 1; }
}
gives() { # gives EXPECTED QUERY ARGUMENT...: the whole output, \n for line ends
    local expected
    expected=$(printf '%b' "$1")
    shift
    answer "$@" && check "the answer to $1" [ "$(cat "$work/out")" = "$expected" ]
}

mkdir one two broken
cat >one/rows.csv <<'END'
case_id,device,variant,precision,n,density,cutoff,status,message,force_s_median,pairs_in_cutoff,pairs_evaluated,repetition,twin,interaction
a,cuda:0,plain,float,1000,0.8442,2.5,ok,,4e-05,30000,60000,0,0,"lj:epsilon=1,sigma=1"
a,cuda:0,plain,float,1000,0.8442,2.5,ok,,2e-05,30000,60000,1,0,"lj:epsilon=1,sigma=1"
a,cuda:0,plain,float,1000,0.8442,2.5,ok,,1e-05,30000,60000,2,0,"lj:epsilon=1,sigma=1"
b,cuda:0,quick,float,1000,,inf,ok,,3e-06,,,0,0,"lj:epsilon=1,sigma=1"
c,cuda:0,broken,float,1000,,inf,wrong,"it said ""no"", twice",,,,0,,"lj:epsilon=1,sigma=1"
END
cat >one/samples.csv <<'END'
case_id,repetition,sample,cache,seconds,device,run_id,visit
a,0,0,hot,1e-05,cuda:0,r,0
a,0,1,hot,3e-05,cuda:0,r,0
a,0,2,cold,9e-05,cuda:0,r,1
a,0,3,hot,none,cuda:0,r,1
END
cat >one/stages.csv <<'END'
case_id,repetition,visit,stage,statistic,value,device,run_id
a,0,0,build cells,median_s,0.00025,cuda:0,r
a,0,0,pass plain,median_s,0.00075,cuda:0,r
a,0,0,pass plain,samples,5,cuda:0,r
a,0,0,pass plain,min_s,soon,cuda:0,r
END
head -n 1 one/rows.csv >one/visits.csv
sed -n '2p;2p;3p;5p' one/rows.csv >>one/visits.csv
cat >one/environment.json <<'END'
{ "run_id": "r", "utc": "2026-11-21T08:00:00Z", "command_line": ["pairmark", "bench"], "host": { "cpu": "Some CPU" },
  "noise_floor": { "ratio_spread": 0.0125, "pairs": 8 }, "sampling": { "noise_target": 0.005 },
  "devices": [ { "name": "cuda:0", "model": "NVIDIA H200", "peaks": { "fp32_operations_per_s": 6e13 } } ] }
END
sed 's/plain/slow/; s/e-05/e-04/' one/rows.csv >two/rows.csv

# ---- answers ----
gives 'count(*)\n5' 'SELECT count(*) FROM rows' one --csv
gives 'variant,t\nquick,3e-06\nplain,2e-05' \
    "SELECT variant, median(force_s_median) t FROM rows WHERE status = 'ok' GROUP BY variant ORDER BY t" one --csv
gives 'p\n3.5' "SELECT percentile(line, 75) p FROM rows WHERE variant = 'plain'" one --csv
gives 'm,p\n,' "SELECT median(density) m, percentile(message, 50) p FROM rows WHERE variant = 'quick'" one --csv
gives 'm\n2e-05' "SELECT median(seconds) m FROM samples WHERE cache = 'hot'" one --csv
gives 'file_line,case_id,sample,seconds\n4,a,2,9e-05' "SELECT file_line, case_id, sample, seconds FROM samples WHERE cache = 'cold'" one --csv
gives 'file_line,stage,statistic,value\n2,build cells,median_s,0.00025\n3,pass plain,median_s,0.00075\n4,pass plain,samples,5' \
    'SELECT file_line, stage, statistic, value FROM stages' one --csv
# Lines of two files have nothing to do with each other: no table but the view of rows shares that name with `rows`.
for table in visits samples stages; do
    refuses 'line' query "SELECT * FROM rows JOIN $table USING (run, line)" one
    answer "SELECT count(*) FROM rows JOIN $table USING (run, case_id, device, repetition)" one
done
gives 'variant,stage,percent\nplain,build cells,25\nplain,pass plain,75' \
    "SELECT variant, stage, 100 * value / sum(value) OVER () percent FROM stages JOIN rows USING (run, case_id, device, repetition)
     WHERE statistic = 'median_s'" one --csv
gives 'case_id,repetition,visit\na,0,0\na,0,1\na,1,0\nb,0,0' \
    'SELECT case_id, repetition, visit FROM visits ORDER BY case_id, repetition, visit' one --csv
gives 'name,utc,command_line,cpu,noise_floor,target\none,2026-11-21T08:00:00Z,pairmark bench,Some CPU,0.0125,0.005' \
    "SELECT name, utc, command_line, cpu, noise_floor, json_extract(environment, '\$.sampling.noise_target') target FROM runs" \
    one --csv
gives 'device,device_model,fp32_operations_per_s\ncuda:0,NVIDIA H200,60000000000000' \
    'SELECT device, device_model, fp32_operations_per_s FROM devices' one --csv
gives 'run,run_name,variant,count(*)\n1,one,plain,3\n2,two,slow,3' \
    "SELECT run, run_name, variant, count(*) FROM rows WHERE case_id = 'a' GROUP BY run, variant" one two/rows.csv --csv
gives 'share\n0.5' "SELECT DISTINCT pairs_in_cutoff / pairs_evaluated share FROM rows WHERE variant = 'plain'" one --csv
gives 'lines\n2-6' "SELECT min(line) || '-' || max(line) lines FROM rows" one --csv
gives 'd\n' "SELECT density d FROM rows WHERE variant = 'quick'" one --csv
answer "SELECT name FROM columns WHERE table_name = 'rows'" one --csv
for column in run run_name line case_id force_s_median fresh_force_s_median; do
    check "rows has the column $column" grep -qx "$column" out
done

gives 'type,unit,meaning\nREAL,,Particles.' \
    "SELECT type, unit, meaning FROM columns WHERE table_name = 'rows' AND name = 'n'" one --csv

# ---- forms ----
gives 'variant     n  cutoff  density\nplain    1000     2.5   0.8442\nquick    1000     inf         ' \
    "SELECT variant, n, cutoff, density FROM rows WHERE repetition = 0 AND status = 'ok'" one
gives '[\n{"variant": "plain", "cutoff": 2.5, "density": 0.8442},\n{"variant": "quick", "cutoff": "inf", "density": null}\n]' \
    "SELECT variant, cutoff, density FROM rows WHERE repetition = 0 AND status = 'ok'" one --json
gives '[\n{"message": "it said \\"no\\", twice"}\n]' "SELECT message FROM rows WHERE status = 'wrong'" one --json
gives '[]' 'SELECT * FROM rows WHERE 0' one --json
gives 'message\n"it said ""no"", twice"' "SELECT message FROM rows WHERE status = 'wrong'" one --csv
refuses "two columns are called n" query 'SELECT a.n, b.n FROM rows a, rows b' one --json
answer "SELECT char(27) || '[31m' AS e" one
check 'no control character reaches the terminal' bash -c "! grep -q $'\\x1b' '$work/out'"

# ---- refusals ----
refuses "no such column: force_s: at character 8, 'force_s FROM rows'" query 'SELECT force_s FROM rows' one
# "okay" in double quotes is a column: newer releases of SQLite add a hint, which is not compared
refuses 'no such column: ' query 'SELECT * FROM rows WHERE status = "okay"' one
refuses 'okay' query 'SELECT * FROM rows WHERE status = "okay"' one
refuses 'syntax error' query 'SELEC 1' one
refuses 'no such table: row' query 'SELECT * FROM row' one
refuses 'the query is empty' query '  -- nothing' one
refuses "one statement is expected: after it stands" query 'SELECT 1; SELECT 2' one
answer 'SELECT 1; -- and no more' one
for sql in "INSERT INTO rows(n) VALUES(1)" "UPDATE rows SET n = 1" "DELETE FROM rows" "DROP TABLE rows" "CREATE TABLE t(a)" \
    "CREATE TEMP TABLE t(a)" "ATTACH 'stolen.db' AS a" "VACUUM INTO 'stolen.db'" "BEGIN" \
    "ALTER TABLE rows RENAME TO r" "CREATE VIRTUAL TABLE t USING fts5(a)" "REINDEX" "ANALYZE"; do
    refuses 'a query only reads: expected SELECT' query "$sql" one
done
# Some settings answer, too, and some take effect before they run.
for sql in "PRAGMA query_only = 0" "PRAGMA writable_schema = 1" "PRAGMA temp_store_directory = '.'" "PRAGMA soft_heap_limit = 1000" \
    "PRAGMA hard_heap_limit = 1000" "PRAGMA threads = 4" "PRAGMA busy_timeout = 5" "SELECT * FROM pragma_soft_heap_limit"; do
    refuses 'a query only reads: PRAGMA is refused' query "$sql" one
done
for sql in "DETACH main" "ROLLBACK" "SAVEPOINT s" "EXPLAIN DELETE FROM rows" \
    "INSERT INTO rows(n) VALUES(1) RETURNING n" "WITH a AS (SELECT 1) DELETE FROM rows" "VACUUM" "CREATE TEMP VIEW v AS SELECT 1" "DROP TABLE sqlite_master"; do
    expect 2 query "$sql" one
done
# Nothing of SQLite's own leads to code or to files.
refuses 'not authorized' query "SELECT load_extension('x')" one
refuses 'no such function: writefile' query "SELECT writefile('stolen.db', 'x')" one
refuses 'no such function: readfile' query "SELECT readfile('one/rows.csv')" one
check 'no file was made' [ ! -e stolen.db ]
refuses 'no parameters' query 'SELECT * FROM rows WHERE n = ?' one
refuses 'percentile(x, p): p is a number from 0 to 100' query 'SELECT percentile(n, 101) FROM rows' one
refuses 'more than 0.2 s' query 'WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t' one --timeout 0.2
refuses 'more than 3 rows' query 'SELECT * FROM rows' one --csv --rows 3
answer 'SELECT variant FROM rows' one --rows 3
check 'the first three, under their names' [ "$(wc -l <out)" -eq 4 ]
says err 'only the first 3 rows'
refuses 'absent' query 'SELECT 1' absent
refuses 'expected a query' query 'SELECT 1'
refuses "did you mean '--json'" query 'SELECT 1' one --jsn
refuses 'one of them' query 'SELECT 1' one --csv --json
refuses "--rows 'x'" query 'SELECT 1' one --rows x
refuses "--timeout '-1'" query 'SELECT 1' one --timeout -1
expect 0 query --help
says out 'usage: pairmark query'
sql=$(sed -n 's/.*"\(SELECT .* FROM columns\)" DIR.*/\1/p' out)
answer "${sql:-none}" one --csv
check 'the statement of the help has the columns of every table' [ "$(tail -n +2 out | cut -d, -f1 | sort -u | tr '\n' ' ')" = \
    'devices rows runs samples stages visits ' ]

# ---- a statement in a file ----
printf "/* kept */ SELECT count(*) FROM rows\n" >count.sql
gives 'count(*)\n5' count.sql one --csv
refuses 'none.sql' query none.sql one
# What one thing costs, by hand: two cases of eleven samples each, which differ in a tunable; two others in two.
mkdir pair
printf '%s\n' 'case_id,device,host,workload,box_hash,variant,precision,n,cutoff,outputs,interaction,tunables,status,force_s_median,twin' \
    'a,d,h,forces,b,v,float,9,1,forces,lj,A=1 B=2,ok,6,' 'b,d,h,forces,b,v,float,9,1,forces,lj,A=2 B=2,ok,12,' \
    'c,d,h,forces,b,v,float,9,1,energy,lj,A=2 B=2,ok,3,' 'e,d,h,forces,b,v,float,9,1,energy,lj,A=3 B=3,wrong,,' >pair/rows.csv
{
    echo 'case_id,repetition,sample,cache,seconds,device,run_id,visit'
    for i in $(seq 11); do printf 'a,0,%d,hot,%d,d,r,0\nb,0,%d,hot,%d,d,r,0\n' "$i" "$i" "$i" $((10 + i)); done
} >pair/samples.csv
# Of 11 samples the limits are the second and the tenth: 2 to 10 about 6, 12 to 20 about 16. Of c there is no sample.
gives 'changes,was,becomes,variant,n,ratio,low,high,outputs,tunables\nA,1,2,v,9,2.6666666666666665,1.2,10,forces,A=2 B=2\noutputs,forces,energy,v,9,0.1875,,,energy,A=2 B=2' \
    "$tests/../share/queries/one-change.sql" pair --csv

# ---- what is not as it should be ----
{
    head -n 1 one/rows.csv
    echo 'a,cuda:0,plain,float,many,0.8442,2.5,ok,,fast,,,0,,x'
    echo 'a,cuda:0,plain,float'
    printf 'b,cuda:0,plain,float,1000,0.8442,2.5,ok,,2e-05,,,0,,x\nc,cuda'
} >broken/rows.csv
echo 'nothing,of,ours' >broken/samples.csv
echo 'nothing,of,ours' >broken/stages.csv
echo '[ 1, 2' >broken/environment.json
echo 'nothing,of,ours' >broken/visits.csv
gives 'case_id,n,force_s_median\na,,\nb,1000,2e-05' 'SELECT case_id, n, force_s_median FROM rows' broken --csv
says err "broken/rows.csv:2: n: 'many' is no number, nor are 1 more fields: NULL"
says err 'broken/rows.csv:3: dropped'
says err 'broken/rows.csv:5: dropped'
says_like err 'broken/samples.csv.*skipped'
says_like err 'broken/stages.csv.*skipped'
says_like err 'broken/visits.csv.*skipped'
says_like err 'broken/environment.json.*skipped'
answer 'SELECT 1' one
says err 'one/samples.csv:5: dropped: the line is no sample'
says err 'one/stages.csv:5: dropped: the line is no number of a stage'
refuses 'broken/samples.csv' query 'SELECT 1' broken/samples.csv

# ---- pipes ----
"$pairmark" query 'SELECT a.n FROM rows a, rows b, rows c, rows d, rows e, rows f, rows g' two --csv 2>err | head -n 1 >out
check 'a reader that leaves is no error' [ "${PIPESTATUS[0]}" -eq 141 -a "$(cat err)" = 'two/rows.csv:1: without the column outputs, box_kind' ]
if [ -e /dev/full ]; then
    "$pairmark" query 'SELECT * FROM rows' one >/dev/full 2>err
    check 'a full disk is' [ $? -eq 3 ]
fi

# ---- limits and the score of SOL-ExecBench ----
gives 'a    b     c  d\n1  0.5  0.25  1' 'SELECT sol_score(1, 3, 1) AS a, sol_score(3, 3, 1) AS b, sol_score(7, 3, 1) AS c, sol_score(1, 1, 1) AS d' one
mkdir limited
cat >limited/rows.csv <<'END'
case_id,device,workload,interaction,precision,n,status,force_s_median,pairs_in_cutoff,percent_of_peak,counted_percent_of_peak
a,cuda:0,forces,"lj:epsilon=1,sigma=1",float,1000,ok,1e-3,1000000,50,60
b,cuda:0,forces,"lj:epsilon=1,sigma=1",float,1000,ok,1e-3,1000000,50,
c,cuda:0,forces,"lj:epsilon=1,sigma=1",double,1000000,ok,1e-3,1,,
d,cuda:0,forces,"lj:epsilon=1,sigma=1",float,1000,wrong,,1000000,,
END
echo '{"devices":[{"name":"cuda:0","l2_bytes":1000000,"peaks":{"fp32_operations_per_s":24e9,"fp64_operations_per_s":12e9,"copy_bytes_per_s":46e6}}]}' >limited/environment.json
gives 'case_id  limit_s\na         0.0005\nb          0.001\nc              1' 'SELECT case_id, limit_s FROM limits ORDER BY case_id' limited

# ---- old runs ----
runs=$(find "$tests"/../results -name rows.csv -printf '%h\n')
# shellcheck disable=SC2086 # several words
answer "SELECT run_name, count(*) rows, sum(status = 'ok') ok, count(force_s_median) timed FROM rows GROUP BY run" $runs --csv
check 'every recorded run is read' [ "$(wc -l <out)" -eq "$(($(wc -w <<<"$runs") + 1))" ]
check 'and has rows that passed' bash -c "! tail -n +2 '$work/out' | cut -d, -f3 | grep -qvE '^[1-9]'"
check 'without a warning' empty err

conclude
