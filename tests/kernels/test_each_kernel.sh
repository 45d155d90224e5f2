#!/usr/bin/env bash
# Each built-in variant passes a small box, and the gate refuses one fault and one trick of each kind: what `make test` asks of
# kernels. The boxes, tunables and faults that are harder to get right are those of `make test-all`.
. "$2/lib.sh" || exit 1

# ---- each variant ----
passes() { # passes CASES ARGUMENT...: `check` passes all, at least so many
    local least=$1 cases
    shift
    [[ $* == *--precision* ]] || set -- "$@" --precision float
    expect 0 check "$@"
    cases=$(sed -n 's/^\([0-9]*\) passed, 0 failed.*/\1/p' out)
    check "$least cases of $*: ${cases:-none}" [ "${cases:-0}" -ge "$least" ]
}
variants_of() { "$pairmark" list --short --workload "$1" | grep -c .; }
switching=rational:r0=0.9,n=6,m=12,dmax=1.2
leaning=(--kind fluid@75:100:60 --n 130 --interaction $switching --outputs virial)
"$pairmark" box brick@65:80:110 --n 130 -o brick.xyz # of a file: periodic alone

# All but those of CUDA alone, in a cell that leans, by a function with parameters and charges.
passes $(($(variants_of forces) - 1)) --workload forces --box brick.xyz --cutoff half --outputs virial \
    --interaction born-mayer-huggins+ewald-real:alpha=0.9
passes 6 --variant 'coordination_*' "${leaning[@]}"
passes 5 --workload coordination --ratio 31:70 "${leaning[@]}"
passes 1 --workload coordination --ratio 65:65 --pairs "${leaning[@]}"
passes "$(variants_of bonded)" --workload bonded --kind chains --n 50 --outputs virial
passes 4 --workload constraints --kind water --n 30
passes 3 --workload constraints --kind oligomers --n 22
passes $(($(variants_of random) - 1)) --workload random --n 2001 --distribution words
expect 0 box water --n 48 --temperature 2.5 -o warm.xyz
passes 6 --workload step --variant verlet_settle+list_lanes,settle_hoover+list_columns,settle_langevin+sorted_cells,settle_inside+boxes_tile,settle_hoover_inside+boxes_half,settle_langevin_inside+boxes_tile --box warm.xyz --cutoff 3 --dt 0.003 --steps 3 --precision double --outputs forces
integrators=$("$pairmark" list --short --workload step | sed -n 's/.* \([a-z_]*+sorted_cells\) .*/\1/p' | grep -v settle | paste -sd,)
passes 13 --workload step --variant "$integrators,verlet_fill+*,verlet+list_walk,verlet_inside+boxes_tile,langevin_inside+boxes_half,nose_hoover_inside+boxes_tile,verlet_resident+*" --kind fluid --n 200 --steps 3 --outputs forces

# Workloads that are not named above are taken as they come, but for sums: forces alone are those of their steps.
sums_of() { case $1 in eam | three_body) echo --outputs virial ;; *_step) echo --outputs forces ;; esac; }
while read -r workload; do
    # shellcheck disable=SC2046 # words
    grep -qE -- "(--workload|variants_of) $workload" "$0" || grep -q -- "--variant '${workload}_" "$0" ||
        passes "$(variants_of "$workload")" --workload "$workload" --n 130 $(sums_of "$workload")
done < <("$pairmark" list --short | awk '{ print $1 }' | sort -u)

# A group too small for its kernel is no build, and its text says why.
while read -r size variant; do
    expect 1 check --variant "$variant" --n 130 --outputs forces --tune GROUP_SIZE="$size"
    check "$variant: why" grep -qE 'error: .*(has|have) to' out err
done <<'END'
16 boxes_half
16 verlet_inside+boxes_half
16 verlet_resident+all_pairs_tile
16 pme_tiles
2 pme_lanes
2 all_pairs_shares
END

# The small cases of Oclgrind and Rusticl, one of each workload and form of words.
. "$tests/small_cases.sh" || exit 1
small_cases | awk '{ words = $0; sub(/.*--variant [^ ]+/, "", words); sub(/--tune GROUP_SIZE=[0-9]+/, "", words) } !seen[$3 words]++' >cases
check 'some small cases' [ "$(wc -l <cases)" -ge 20 ]
evaluate_cases cases
while read -r name _; do
    cp "$name.said" out
    check "$name: right" grep -q '^reference  *ok' "$name.said"
done <cases

# ---- what `make bench` computes, compiled as it is there ----
expect 0 bench --preset quick --n 130 --time-cap 0.001 --visits 1 --twins 0 --cold 0 --no-plot -o quick
check 'some rows' [ "$(grep -c ,ok, quick/rows.csv)" -ge 25 ]

# ---- one fault of each kind ----
refused() { # refused STATUS FILE ARGUMENT...: with 1 as its MUTATION or TRICK `check` calls it so, with 0 it passes where it can
    local status=$1 file=$2 what=MUTATION
    shift 2
    case $file in */cheats/*) what=TRICK ;; esac
    "$pairmark" check --variant-file "$file" --variant "$(basename "$file" .cl)" --tune "$what=0,1" --precision float "$@" -v >out 2>err </dev/null
    check "$file: right without a fault" grep -qE "^ok .*$what=0[:,]" out
    check "$file: refused with one" grep -qE "^$status .*$what=1[:,]" out
}
mutants=$tests/data/mutants cheats=$tests/data/cheats
"$pairmark" box fluid --n 300 --density 0.8442 -o fluid.xyz
forces=(--box fluid.xyz --cutoff 2.5 --outputs forces)
for name in mutant outside lists bits; do
    refused wrong "$mutants/$name.cl" "${forces[@]}"
done
refused wrong "$mutants/blocks.cl" --kind water --n 600 --cutoff 7 --outputs forces --interaction ewald-real:alpha=0.3 --exclude molecule
refused wrong "$mutants/coordination.cl" --kind fluid --n 300 --group-a 1-200 --group-b 101-300 --interaction rational:r0=1,n=6,m=12,dmax=2.5 --outputs virial
sed 's/bonded_mutant/bonded/g' "$mutants/bonded.cl" >bonded.cl
refused wrong bonded.cl --kind chains --n 500 --outputs virial
sed 's/constraints_mutant/constraints/g' "$mutants/constraints.cl" >constraints.cl
refused wrong constraints.cl --kind water --n 298
refused wrong "$mutants/random.cl" --distribution words --n 20001 --seed 12884901889
sed -e 's/^ \* verlet —/ * whole_kick —/; s/@forces .*/@forces all_pairs_loop/; 0,/ACCUM(0.5) \* dt/s//dt/' "$tests/../variants/step/verlet.cl" >whole_kick.cl
check 'an integrator of twice the kick' exits 1 check --variant-file whole_kick.cl --variant 'whole_kick+*' --workload step --kind fluid --n 65 \
    --precision double --outputs forces
check 'is wrong' said wrong

# ---- one trick of each kind ----
for name in counts_forces garbage; do
    refused wrong "$cheats/$name.cl" "${forces[@]}"
done
for name in forces structure scratch rebuild; do # time alone tells of these
    expect 1 bench --variant-file "$cheats/$name.cl" --variant $name --kind fluid --n 1000 --precision float --outputs forces --tune TRICK=1 \
        --time-cap 0.05 --twins 0 --visits 1 --no-plot -o $name
    says $name/rows.csv ,wrong,
    lacks $name/rows.csv ,ok,
done
conclude
