#!/usr/bin/env bash
# `pairmark history`: a case's time at each commit in the order of the days, its steps and none that is noise.
. "$2/lib.sh" || exit 1

head=run_id,case_id,utc,git_commit,workload,interaction,variant,precision,outputs,box_kind,n,density,cutoff,device,device_model,status,force_s_median,force_s_mad,samples,repetition,twin,case_name
line() { # line COMMIT DAY VARIANT SECONDS [STATUS]
    printf '%s,%s,2026-01-%sT00:00:00Z,%s,forces,lj:e=1,%s,float,forces,fluid,1000,0.8,2.5,cuda:0,Card,%s,%s,1e-9,1000,0,0,forces/%s\n' \
        "$1" "$3" "$2" "$1" "$3" "${5:-ok}" "$4" "$3"
}
mkdir -p all/z all/a/b all/c
{ echo $head; line first 01 grows 1e-3; line first 01 stays 1e-3; line first 01 alone 1e-3; line first 01 breaks 1e-3; } >all/z/rows.csv
{ echo $head; line second 02 grows 1.01e-3; line second 02 stays 1.01e-3; line second 02 breaks '' wrong; } >all/a/b/rows.csv
{ echo $head; line third 03 grows 2e-3; line third 03 stays 0.99e-3; } >all/c/rows.csv
for folder in all/z all/a/b all/c; do echo '{"noise_floor":{"ratio_spread":0.02,"pairs":9}}' >$folder/environment.json; done

expect 0 history all
check 'the order is first, second, third' [ "$(grep -A3 '^forces/grows' out | grep -o 'first\|second\|third' | tr '\n' ' ')" = 'first second third ' ]
says_like out '^\* 2026-01-03  third +2 ms  1\.9802  .*slower$'
check 'one percent is no step' [ "$(grep -A3 '^forces/stays' out | grep -c '^\*')" -eq 0 ]
says_like out '^\* 2026-01-02  second .*newly wrong$'
lacks out forces/alone
says out '3 cases over 3 commits: 1 step, 1 slower and 0 faster'
expect 0 history all --steps
says out forces/grows
lacks out forces/stays
expect 0 history all --csv
says_like out '^Card cuda:0,forces/grows,third,2026-01-03T00:00:00Z,0\.0020*[0-9]*,1\.980.*,slower,$'
expect 0 history all --threshold 5
says out '0 steps'
refuses 'all rows are of one commit' history all/z
expect 2 history
expect 2 history nowhere
conclude
