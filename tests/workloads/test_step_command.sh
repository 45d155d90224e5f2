#!/usr/bin/env bash
# Time steps: integrators between the kernels of a variant that computes forces, judged by the reference's integrator.
. "$2/lib.sh" || exit 1
one=(--workload step --kind fluid --precision double)

check 'steps in double' exits 0 check "${one[@]}" --variant 'verlet+all_pairs_loop' --n 65 --outputs energy
expect 0 eval "${one[@]}" --variant 'verlet+all_pairs_loop' --n 65 --outputs energy --json
check 'the kinetic energy is told' out '"kinetic_energy"'
expect 0 list --workload step --variant 'verlet+sorted_cells'
check 'passes of both files in order' out 'passes     verlet_first: an item per particle'
check 'the forces between' out '             sorted_cells: an item per particle * LANES'
check 'and the schedule' out 'sum_kinetic: a group per box, when asked'
# GROUP_SIZE is one of both, and counts once among the tunables that there may be.
expect 0 list --workload step --variant 'verlet+list_blocks'

expect 0 bench "${one[@]}" --variant 'verlet+all_pairs_loop' --n 65 --outputs energy --steps 5,10 --dt 0.001 --time-cap 0.05 \
    --visits 1 --twins 0 -o run
expect 0 query "SELECT steps, dt, dynamics, atom_steps_per_s * force_s_median / n - steps AS off FROM rows WHERE status = 'ok' ORDER BY steps" run --csv
check 'rows tell the steps' out '5,0.001,verlet:dt=0.001'
check 'and all of them' [ "$(wc -l <out)" = 3 ]
check 'and the rate' awk -F, 'NR > 1 && ($NF > 0.01 || $NF < -0.01) { exit 1 }' out

# Kernels with and without energies are two programs, each with its own constant memory on CUDA: both have the table.
printf 'type_a,type_b,function,epsilon,sigma\nNa,Na,lj,1,1\nNa,Cl,lj,1.1,0.9\nCl,Cl,lj,0.9,1\n' >types.csv
check 'a table of types in constant memory' exits 0 check --workload step --kind salt --n 64 --interaction lj --table types.csv --precision double \
    --variant 'verlet+all_pairs_loop' --outputs forces,energy --tune TYPE_TABLE=1 --tune PARAMETERS=2
check 'in both' out '4 passed, 0 failed, 0 unsupported'

# ---- pairings that no header names ----
check 'an integrator with any forces' exits 0 check "${one[@]}" --variant 'verlet+sorted_cells_ballot' --n 130 --outputs energy
check 'is tried' out '1 passed, 0 failed'
sed -e 's/^ \* all_pairs_loop —/ * own_loop —/' "$tests/../variants/forces/all_pairs_loop.cl" >own_loop.cl
check 'and with forces from a file' exits 0 check --workload step --kind fluid --n 65 --precision double --variant-file own_loop.cl --variant 'langevin+own_loop' --outputs forces
check 'by that name' out '2 passed, 0 failed'
expect 0 list --workload step --short
named=$(wc -l <out)
expect 0 list --all-pairings --short
check 'all pairings are more' [ "$(wc -l <out)" -gt $((3 * named)) ]
check 'and each is there once' [ -z "$(sort out | uniq -d)" ]
expect 2 check "${one[@]}" --variant 'verlet_fill+blocks_32'
check 'why two do not go together' err '@fills linked_cells: expected the structure that the forces walk, blocks_32 here'
expect 2 check "${one[@]}" --variant 'verlet+nobody'
check 'no such forces' err "there is no variant 'verlet+nobody'"
expect 2 check --workload forces --all-pairings
check 'no integrators elsewhere' err '--all-pairings: workload forces has no time steps'

# ---- what is refused ----
expect 2 check --workload forces --steps 5
check 'no steps elsewhere' err '--steps: workload forces has no time steps'
expect 2 check "${one[@]}" --steps 0
expect 2 check "${one[@]}" --dt -1
expect 2 check "${one[@]}" --variant 'verlet+all_pairs_loop' --thermostat rescale:temperature=1
check 'no thermostat' err 'that of verlet+all_pairs_loop is none'
check 'too long a step leaves nothing to judge' exits 3 check --workload step --kind fluid --precision float --n 65 \
    --variant 'verlet+all_pairs_loop' --outputs forces --dt 0.005 --steps 400
check 'and says so' said 'nothing is left to judge'
refused() { # refused SED WORDS: of a header
    sed -e "$1" "$tests/../variants/step/verlet.cl" >changed.cl
    check "exit status 2: $1" exits 2 check --variant-file changed.cl
    check "$2" err "$2"
}
refused 's/all_pairs_loop all_pairs_tile/nobody/' '@forces nobody: there is no built-in variant'
refused 's/@forces .*/@forces nobody.cl/' 'nobody.cl'
refused 's/@integrator verlet/@tunable NOTHING 1/' 'expected @forces VARIANT and @integrator NAME'
refused 's/@integrator verlet/@integrator best/' 'best'
refused 's/@boxes .*/@structure none/' '@structure and @accumulates are those of the variant that @forces names'
refused 's/WRAP 0\* 1/ITEMS 1 2/; s/all_pairs_loop all_pairs_tile/all_pairs_tile/' '@tunable ITEMS: all_pairs_tile, which computes the forces, has one of that name'

# Particles that start at rest and come less than half a unit in the last place of float: what rounding loses has one sign.
for dt in 0.0001 0.0002; do
    expect 0 check --workload step --variant verlet+sorted_cells --kind water --n 1024 --precision mixed --outputs virial --steps 1 --dt $dt \
        --cutoff half --interaction lj --seed 4242002
    says out '1 passed, 0 failed'
done

conclude
