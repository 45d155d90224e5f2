#!/usr/bin/env bash
# scripts/beside_gpumd with a stand-in for GPUMD, which prints what that prints: rows of both programs, and energies that are compared.
. "$2/lib.sh" || exit 1
device=${PAIRMARK_TEST_DEVICE:-opencl:0:0}
script=$tests/../scripts/beside_gpumd
command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 77; }
# It reads run.in and model.xyz as GPUMD does; the energy is that of pairmark times $OFF.
cat >gpumd <<END
#!/bin/sh
if grep -q tersoff run.in; then set -- three_body three_body_list --interaction tersoff:lambda3=0; else set -- eam eam_list --interaction eam --table table.eam.alloy; fi
workload=\$1 variant=\$2; shift 2
energy=\$("$pairmark" eval --workload \$workload --variant \$variant "\$@" --box model.xyz --precision double --device $device | awk '/^energy/ { print \$2 }')
grep -q 'dump_thermo' run.in && echo '# dump_thermo' >thermo.out
echo "300 1.0 \$(awk "BEGIN { printf \"%.10g\", \$energy * \${OFF:-1} }") 0 0 0 0" >>thermo.out
echo 'Speed of this run = 1e+06 atom*step/second.'
END
chmod +x gpumd
beside() { # beside STATUS ARGUMENT...
    local status=$1
    shift
    python3 "$script" "$@" >out 2>err </dev/null
    [ $? -eq "$status" ] || complain "exit status not $status: $*"
}
small=(--silicon 64 --copper 256 --precision float --steps 4 --device "$device")
beside 0 "$pairmark" ./gpumd "${small[@]}" -o good
says_like out '^silicon +64 +GPUMD +mixed +64 us per step +1e\+06 atom-steps/s'
check 'two rows of each program' [ "$(grep -cE '^(GPUMD|pairmark),(silicon|copper),' good/rows.csv)" -eq 4 ]
OFF=1.0001 beside 1 "$pairmark" ./gpumd "${small[@]}" -o bad
says_like out 'energies differ by 1.0e-04'
beside 1 "$pairmark" /bin/false "${small[@]}" -o none
beside 2 "$pairmark" ./gone
beside 2 "$pairmark" ./gpumd --steps 0
beside 2 "$pairmark" ./gpumd --sites 3
beside 0 --help
conclude
