#!/usr/bin/env bash
# The gate rejects every kernel of bonded terms that is broken on purpose, and accepts the same kernel unbroken.
. "$2/lib.sh" || exit 1

says_so() { grep -qE "^$2 .*MUTATION=$1:" out; } # says_so MUTATION VERDICT
"$pairmark" check --variant-file "$tests/mutants/bonded.cl" --variant bonded_mutant --tune MUTATION=0,1,2,3,4,5 \
    --kind chains --n 500 --precision float --outputs virial -v >out 2>err </dev/null
for mutation in 0 1 2 3 4 5; do
    check "mutation $mutation" says_so "$mutation" "$([ "$mutation" -eq 0 ] && echo ok || echo wrong)"
done

conclude
