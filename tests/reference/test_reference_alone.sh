#!/usr/bin/env bash
# The reference calls nothing that feeds the kernels: of all that harness/ and variants/ define, it uses what reads and
# names the user's words, not what is made of them. Looked up in the object files, so that no way round is left. And what it
# has computed is kept for itself: a program with another reference computes anew.
. "$2/lib.sh" || exit 1
objects=$(dirname "$pairmark")/CMakeFiles
command -v nm >"$work/nm" || { echo 'no nm (Debian package binutils)'; exit 77; }
[ -d "$objects" ] || { echo 'no object files beside the program: needs the folder that it was built in'; exit 77; }
evidence=(used)

defined() { find "$@" -name '*.o' -exec nm --defined-only --extern-only {} + 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u; }
defined "$objects"/module_*.dir/harness >harness
defined "$objects/module_core.dir" >base
modules=()
for folder in "$tests"/../reference/*/; do # a build folder may hold modules that were renamed
    modules+=("$objects/module_reference_$(basename "$folder").dir")
done
check "a module for each folder of the reference" [ "$(find "${modules[@]}" -maxdepth 0 -type d | wc -l)" = ${#modules[@]} ]
defined "${modules[@]}" >reference
find "${modules[@]}" -name '*.o' -exec nm --undefined-only {} + | awk 'NF == 2 { print $2 }' | sort -u >wanted
# What was read: names, runs of particles, pairs of a file. What something is called: hashes and spellings.
sort -u >words <<END
bonded_forms
box_hash
exclusions_by_molecule
exclusions_pair
exclusions_pair_count
group_mode_name
interaction_describe
particle_list_run
particle_list_run_count
step_rules_describe
END
check "object files of the reference" grep -qx reference_compute_groups reference
check "object files of the harness" grep -qx type_parameters_resolve harness
comm -12 wanted harness | comm -23 - base | comm -23 - words >used
check "nothing else of the harness is used by the reference: $(tr '\n' ' ' <used)" empty used
check "no kernel, structure or plan is included" \
    sh -c "! grep -rnE '#include \"(variants|devices|kernels/[^/]*\"|kernels/(header|text)|structures|workloads|prepare|library|measure|campaign|answers|commands)/?' '$tests'/../reference >used"

code=$(sed -n 's/^#define PAIRMARK_REFERENCE_CODE "\(.*\)"/\1/p' "$(dirname "$pairmark")/pairmark_reference.h")
sed "s/$code/$(printf %s "$code" | tr 0-9a-f 1-9a-f0)/" "$pairmark" >another
chmod +x another
kept() { # kept PROGRAM: how many results lie in the cache after it has checked a case
    PAIRMARK_CACHE=$work/kept "$1" check --reference serial --variant sorted_cells --kind fluid --n 6000 --precision double --outputs forces >log 2>&1 &&
        find "$work/kept/references" -type f | wc -l
}
first=$(kept "$pairmark")
check "a result is kept ($first)" [ "${first:-0}" -ge 1 ]
check "and found again" [ "$(kept "$pairmark")" = "$first" ]
check "not by another reference" [ "$(kept ./another)" = $((2 * first)) ]
mkdir tree && cp -r "$tests/../reference" tree
for change in '' "sed -i '1s/^/ /' tree/reference/pairs/store.c"; do
    sh -c "$change"
    check "the hash of what '$change' leaves" cmake -DROOT="$PWD/tree" -DOUTPUT="$PWD/code.h" -P "$tests/../cmake/reference_code.cmake"
    grep -c "$code" code.h >>same
done
check "is another of another text" [ "$(tr '\n' ' ' <same)" = '1 0 ' ]

conclude
