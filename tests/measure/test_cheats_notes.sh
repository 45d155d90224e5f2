#!/usr/bin/env bash
# Nothing that a kernel leaves behind the data of an array that it is given serves the next launch: in every workload, for each array
# that kernels get, one that finds a note of an earlier launch does not pass. Notes are generated, and whoever finds one prints it.
. "$2/lib.sh" || exit 1
variants=$tests/../variants

# noting FILE: the variant, renamed, which leaves a note in array WHERE (counted over its kernels) at word SPOT. An array as long
# as its data has guards there.
noting() {
    awk -v name="$(basename "$1" .cl)" '
        { sub(name " —", "noting —") }
        /^ \* @pass / && !declared { declared = 1; tunables = 1 }
        tunables { print " * @tunable   WHERE 0*@WHERES@\n * @tunable   SPOT 1*"; tunables = 0 }
        { print }
        /^KERNEL / { head = ""; reading = 1 }
        reading { head = head " " $0 }
        reading && /^{/ { reading = 0; counted = 1; waiting = head ~ /STEP_PARAMETERS/ }
        counted && !reading && (!waiting || /NAME_STEP_PARAMETERS/) {
            counted = 0
            while (match(head, /GLOBAL [a-z0-9_ ]+ \*(RESTRICT )?[a-z_]+/)) {
                array = substr(head, RSTART, RLENGTH)
                head = substr(head, RSTART + RLENGTH)
                sub(/.*[ *]/, "", array)
                if (array in seen || array ~ /^neighbour_(shifts|vectors|distances)$/) {
                    continue
                }
                seen[array] = 1
                where++
                printf "#if WHERE == %d\n    if (GLOBAL_ID == 0) {\n        GLOBAL int *spot = (GLOBAL int *)%s + SPOT;\n" \
                    "        if (*spot == %d) {\n            printf(\"SPOT=%%d WHERE=%d met\\n\", SPOT);\n        }\n        *spot = %d;\n    }\n#endif\n", \
                    where, array, 424242 + where, where, 424242 + where
            }
        }
        END { print where > "wheres" }' "$1" >noting.cl
    sed -i "s/@WHERES@/$(seq -s ' ' 1 "$(cat wheres)" | sed 's/^/ /')/" noting.cl
}
# passing: cases that passed, as WHERE and SPOT; met: those in which a note was found
passing() { sed -n 's/^ok .*\(SPOT=[0-9]*\).*\(WHERE=[0-9]*\).*/\1 \2/p' out | sort -u; }
met() { grep -ohE 'SPOT=[0-9]+ WHERE=[0-9]+ met' out err | sed 's/ met//' | sort -u; }
served() { comm -12 <(passing) <(met) | grep -q .; }
none_survives() { # none_survives N FILE ARGUMENT...: in boxes of N particles, so few that all spots are in arrays or guards
    local n=$1
    shift
    noting "$1"
    check "$1 has arrays" [ "$(cat wheres)" -gt 0 ]
    expect 0 check --variant-file noting.cl --tune WHERE=0 --tune SPOT=1 "${@:2}" --n "$n"
    exits 1 check --variant-file noting.cl --tune "WHERE=$(seq -s , 1 "$(cat wheres)")" --tune "SPOT=$n,$((4 * n)),$((8 * n))" "${@:2}" --n "$n" -v
    check "$1: notes were left" grep -qE '^(wrong|crashed) ' out
    check "$1: none that was found served" not served
}
not() { ! "$@"; }
none_survives 120 "$variants"/forces/list_walk.cl --precision float --kind fluid --outputs virial
none_survives 120 "$variants"/forces/sorted_cells.cl --precision float --kind fluid --outputs virial
none_survives 120 "$variants"/coordination/coordination_loop.cl --precision float --kind fluid --outputs virial
none_survives 120 "$variants"/bonded/bonded_atomic.cl --precision float --kind chains --outputs virial
none_survives 120 "$variants"/constraints/shake.cl --precision float --kind water
none_survives 120 "$variants"/random/philox.cl --distribution words --precision float
none_survives 120 "$variants"/random/xorshift128.cl --distribution words --precision float --tune STREAMS=256
for list in matrix csr; do
    none_survives 120 "$variants"/neighbours/neighbours_loop.cl --precision float --kind fluid --list $list --list-entries shifts+vectors+distances
done
sed 's/@forces .*/@forces list_walk/' "$variants/step/verlet.cl" >verlet.cl
none_survives 120 verlet.cl --precision float --kind fluid --outputs energy --steps 1 --cutoff 1.5
conclude
