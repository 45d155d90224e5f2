#!/usr/bin/env bash
# Boxes above a size are judged by a sample of particles and by two kernels in double: the size is lowered to where a test can
# afford it.
. "$2/lib.sh" || exit 1
mutant=(--variant-file "$tests/data/mutants/large.cl" --variant large --kind fluid --density 0.8442 --cutoff 2.5)
few=(--judge-all-below 1000 --judge-sample 1 --judge-seed 7)
evidence=(out err)

# What small boxes do not show...
expect 0 check "${mutant[@]}" --n 2048 --precision double --outputs energy --tune MUTATION=0,1,2,3,4

# ...is found at all of the particles but the one that the reference computes.
expect 1 check "${mutant[@]}" --n 4000 --precision float,double --outputs energy --tune MUTATION=0,1,2,3,4 "${few[@]}" -v
for precision in float double; do
    says_like out "^ok .*/$precision/.*MUTATION=0:"
    says_like out "^wrong .*/$precision/.*MUTATION=1: force on particle 2719,"
    says_like out "^wrong .*/$precision/.*MUTATION=2: force on particle [0-9]+, .*expected"
    says_like out "^wrong .*/$precision/.*MUTATION=3: (force on particle [0-9]+, .*expected|energy: got)"
done
says_like out "^wrong .*/double/.*MUTATION=4: energy: got"

# Which it is, is said.
expect 0 check "${mutant[@]}" --n 4000 --precision mixed --outputs virial --tune MUTATION=0 "${few[@]}" --json
check "one particle by the reference" [ "$(field judged_particles)" = 1 ]
check "the seed of the sample" [ "$(field judge_seed)" = 7 ]
says out '"judged_rest":"sorted_cells and linked_cells_by_cell in double"'

# Without a cutoff most energies are below half a unit in the last place of what they are added to: float loses them, and
# that is no fault of a kernel. What is lost of energies within a cutoff is.
expect 0 check --variant all_pairs_loop,all_pairs_half --kind fluid --n 3000 --open --cutoff none --precision float --outputs energy
naive=(--variant-file "$tests/data/mutants/slight.cl" --variant slight --kind fluid --n 3000 --precision float --outputs virial)
expect 1 check "${naive[@]}" --open --cutoff none --tune WHAT=3 --tune EXPONENT=9
says out 'out of tolerance: energy'
expect 1 check "${naive[@]}" --tune WHAT=3 --tune EXPONENT=19
says out 'out of tolerance: energy'

# Sums of pair functions, types, exclusions and cutoffs of terms; charges; exact distances at the cutoff.
expect 0 check --variant all_pairs_loop --kind brick --n 2400 --precision float,double --outputs virial --exclude molecule \
    --interaction 'lj+ewald-real:alpha=0.9,lj.cutoff=1.9,sigma.B=0.9,epsilon.C=0.5' --judge-all-below 2000
expect 0 check --variant cell_star,all_pairs_half --kind salt,droplets --n 2400 --precision float --outputs virial \
    --judge-all-below 2000

# A row says what was judged; a run can be repeated, and draws another sample otherwise.
bench() { # bench FOLDER ARGUMENT...: what becomes of times on a busy machine is no matter here
    "$pairmark" bench --variant all_pairs_loop --kind fluid --n 1200 --precision float --time-cap 0.02 --samples-max 11 --visits 1 --twins 0 \
        --no-plot -o "$@" >out 2>err </dev/null
    check "a row of $1" has_file "$1/rows.csv"
}
column() { # column FOLDER NAME
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR == 2 { print $c }' \
        <(sed 's/"[^"]*"/quoted/g' "$1/rows.csv")
}
bench sampled --judge-all-below 1k --judge-sample 20 --judge-seed 11
check "judged_particles" [ "$(column sampled judged_particles)" = 20 ]
check "judge_seed" [ "$(column sampled judge_seed)" = 11 ]
check "judged_rest" [ "$(column sampled judged_rest)" = "sorted_cells and linked_cells_by_cell in double" ]
bench all
check "all by the reference" [ "$(column all judged_particles)" = 1200 ]
check "no sample, no seed" [ -z "$(column all judge_seed)" ]
bench one --judge-all-below 1k
bench other --judge-all-below 1k
check "a thousand by default" [ "$(column one judged_particles)" = 1000 ]
check "another sample in every run" [ "$(column one judge_seed)" != "$(column other judge_seed)" ]

refuses "--judge-sample '0': expected a whole number from 1" check --variant all_pairs_loop --judge-sample 0
refuses "--judge-all-below 'many'" check --variant all_pairs_loop --judge-all-below many

conclude
