# Kernels that are wrong wherever they are looked at: `always NAME ARGUMENT...` of check for each, by whoever sources this
# (tests/measure/test_mutants_drawn.sh, scripts/mutants_found). What is not among them must pass in one of the precisions or has no
# condition that is drawn; each of these has a test of its own.
always_of() { # always_of FILE TUNABLE OTHER: each of its values but 0
    local name value workload others=()
    name=$(basename "$1" .cl)
    workload=$(sed -n 's/^ \* @workload *//p' "$1")
    grep -q "@tunable *$3" "$1" && others=(--tune "$3=0")
    [ "$name" = tersoff ] && # its text has Tersoff's terms alone
        others+=(--interaction tersoff --table built-in:share/interactions/alloy.tersoff --kind alloy)
    [ "$name" = three_body ] && # and this one Stillinger's and Weber's
        others+=(--interaction stillinger-weber --table built-in:share/interactions/alloy.sw --kind alloy)
    for value in $(sed -n "s/^ \* @tunable *$2 *//p" "$1" | tr -d '*'); do
        if [ "$value" != 0 ]; then
            always "$name,$2=$value" --workload "$workload" --variant-file "$1" --tune "$2=$value" "${others[@]}"
        fi
    done
}
for mutant_file in "$(dirname "${BASH_SOURCE[0]}")"/*.cl; do
    case $(basename "$mutant_file" .cl) in
    large | column_race | race | heap | slight) ;;
    *)
        always_of "$mutant_file" MUTATION MORE
        always_of "$mutant_file" MORE MUTATION
        ;;
    esac
done
