#!/usr/bin/env bash
# share/cluster/pairmark.sbatch by a real slurmctld and slurmd on this machine, as Debian's slurm-wlm has them: an array of shares, one
# of them lost. PAIRMARK_SLURM_ROOT names a folder that the packages were unpacked into, where they are not installed.
. "$2/lib.sh" || exit 1
evidence=(out err slurmctld.log slurmd.log)
root=${PAIRMARK_SLURM_ROOT:-}
PATH=$root/usr/bin:$root/usr/sbin:$PATH:/usr/sbin
[ -z "$root" ] || export LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu:$root/usr/lib/x86_64-linux-gnu/slurm-wlm:$root/lib/x86_64-linux-gnu
find_one() { for name in "$@"; do command -v "$name" && return; done; }
controller=$(find_one slurmctld slurmctld-wlm)
daemon=$(find_one slurmd slurmd-wlm)
stepd=$(find_one slurmstepd slurmstepd-wlm)
plugins=$(find "$root"/usr/lib -maxdepth 2 -type d -name slurm-wlm 2>/dev/null | head -n 1)
if [ -z "$controller" ] || [ -z "$daemon" ] || [ -z "$plugins" ] || [ "$(id -u)" -ne 0 ]; then
    echo "skipped: no slurmctld and slurmd (Debian package slurm-wlm), or nobody who may run them"
    exit 77
fi

mkdir -p state spool
export SLURM_CONF=$work/slurm.conf
host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
PluginDir=$plugins
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/linear
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SchedulerParameters=sched_interval=1
MinJobAge=300
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=$host Default=YES State=UP MaxTime=INFINITE OverSubscribe=FORCE:4
END
"$controller" -D >controller.out 2>&1 &
controller_id=$!
"$daemon" -D -N "$host" -d "$stepd" >daemon.out 2>&1 &
daemon_id=$!
trap 'kill $daemon_id $controller_id 2>/dev/null; wait; rm -rf "$work"' EXIT

# shellcheck disable=SC2317 # what is waited for is called by wait_for
wait_for() { # wait_for SECONDS COMMAND...
    local tries=$1
    shift
    for ((t = 0; t < tries * 2; t++)); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.5
    done
    return 1
}
node_is_idle() { sinfo -h -o %T | grep -qx idle; }
queue_is_empty() { [ -z "$(squeue -h 2>/dev/null)" ]; }
if ! wait_for 30 node_is_idle; then
    complain "slurmctld and slurmd come up: $(tail -n 3 controller.out daemon.out 2>/dev/null)"
    conclude
fi

mkdir bin
ln -s "$pairmark" bin/pairmark
export PATH=$work/bin:$PATH
plan=(--variant 'all_pairs_loop,sorted_cells' --n '60,80' --precision float --time-cap 0.01 --visits 1 --twins 0)
job=$(sbatch --parsable --array=1-4 "$tests/../share/cluster/pairmark.sbatch" "${plan[@]}" 2>err)
check "the array is sent: $job" [ -n "$job" ]
check "it ends" wait_for 120 queue_is_empty
expect 0 merge runs/"$job"/1 runs/"$job"/2 runs/"$job"/3 runs/"$job"/4 -o all
says err '4 of 4 cases have a row'

# A machine that is lost: its share is missing, is sent again alone, and nothing else is measured again.
rm -r runs/"$job"/3
expect 1 merge runs/"$job"/* -o some
says err 'share 3/4 is missing'
SHARES=4 RUN=runs/$job sbatch --parsable --array=3 "$tests/../share/cluster/pairmark.sbatch" "${plan[@]}" >out 2>err
check "the lost share runs again" wait_for 60 queue_is_empty
expect 0 merge runs/"$job"/* -o whole
# A job that is requeued finds its folder and goes on with it.
SHARES=4 RUN=runs/$job sbatch --parsable --array=2 "$tests/../share/cluster/pairmark.sbatch" "${plan[@]}" >again 2>err
check "a share that is whole is left as it is" wait_for 60 queue_is_empty
check "it was resumed" grep -q 'goes on\|results in runs/' pairmark-"$(cut -d_ -f1 again)"_2.log
check "with its one row" [ "$(wc -l <runs/"$job"/2/rows.csv)" -eq 2 ]

conclude
