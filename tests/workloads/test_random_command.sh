#!/usr/bin/env bash
# The workload random from the command line: what is drawn, what is refused.
. "$2/lib.sh" || exit 1
mutants=$tests/data/mutants

# ---- cases ----
expect 0 eval --workload random --variant philox --n 100k --distribution uniform --precision float --seed 7 --json
check "the mean of uniform draws is a half" near "$(json .mean)" 0.5 0.01
check "their variance is a twelfth" near "$(json .variance)" 0.083333 0.02
first=$(json '.first[0]')
expect 0 eval --workload random --variant philox_pool --n 100k --distribution uniform --precision float --seed 7 --json
check "from the pool come the same numbers" [ "$(json '.first[0]')" = "$first" ]
expect 0 eval --workload random --variant philox --n 10 --distribution uniform --precision float --seed 8 --json
check "another seed, other numbers" [ "$(json '.first[0]')" != "$first" ]
expect 0 eval --workload random --variant philox --n 4 --distribution words --seed 0 --json
# Philox's published words of counter and key zero.
check "the published words" [ "$(json '.first | map(floor) | join(" ")')" = "1713891541 3781805453 3159862348 2600524760" ]
expect 0 eval --distribution kick --variant xorshift128 --n 100k --precision double
says out "variance"
check "kicks have the variance of four" near "$(awk '$1 == "variance" { print $2 }' out)" 4 0.05

expect 0 eval --distribution gaussian --variant kiss --n 100k --precision float --seed 3
check "Gaussian draws of KISS have variance one" near "$(awk '$1 == "variance" { print $2 }' out)" 1 0.03

# ---- a pool is of one seed ----
refuses "the axes span 2 cases, one is taken: narrow --seed (a case per seed); the first" eval --workload random --variant philox_pool --n 10 --seed 1,2
refuses "--seed: given twice, as '1' and as '2'; expected it once (a list where it takes several)" eval --workload random --variant philox_pool --n 10 --seed 1 --seed 2
refuses "narrow --n; the first" eval --workload random --variant philox --n 10,20
refuses "narrow --distribution, --n, --seed (a case per seed); the first" eval --workload random --variant philox --n 10,20 --seed 1,2 --distribution '*'

# ---- the noise of a step has a seed of its own, and one ----
noise=(eval --workload step --variant langevin+all_pairs_loop --kind melt --n 32 --cutoff half --steps 1)
refuses "narrow --seed (of the box; noise has --thermostat langevin:seed=S); the first" "${noise[@]}" --seed 1,2
refuses "--thermostat: integrator langevin: seed: given twice, as '1' and as '3'; expected it once" "${noise[@]}" --thermostat langevin:seed=1,friction=2,seed=3
expect 2 "${noise[@]}" --thermostat langevin:seed=1 --thermostat langevin:seed=2
says err "--thermostat: given twice, as 'langevin:seed=1' and as 'langevin:seed=2'; expected it once"

# ---- what makes no sense ----
for option in "--kind fluid" "--density 1" "--cutoff 2" "--interaction lj" "--exclude molecule"; do
    # shellcheck disable=SC2086
    refuses "has no particles" check --workload random $option
done
refuses "has no particles" eval --workload random --variant philox --open
refuses "--distribution: workload forces draws no numbers" check --workload forces --distribution uniform
refuses "there is no distribution 'normal'" check --distribution normal
expect 2 check --workload random --ratio 1:1
refuses "has no particles" eval --workload random --variant philox --forces out.xyz

# ---- headers ----
sed '/@generator/d' "$mutants/random.cl" >silent.cl
refuses "expected @generator" check --variant-file silent.cl
sed 's/philox4x32-10/mt19937/' "$mutants/random.cl" >other.cl
refuses '@generator "mt19937"' check --variant-file other.cl
sed 's/philox4x32-10/xorshift128/' "$mutants/random.cl" >streams.cl
refuses "expected a @tunable STREAMS" check --variant-file streams.cl

conclude
