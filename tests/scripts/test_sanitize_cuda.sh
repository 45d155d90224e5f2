#!/usr/bin/env bash
# scripts/sanitize_cuda, with a stand-in for compute-sanitizer: what it takes for clean, and what it does not.
# shellcheck disable=SC2016 # what the stand-in expands is expanded by it
. "$2/lib.sh" || exit 1
sanitize=$tests/../scripts/sanitize_cuda

# stand_in TEXT: TEXT sees $tool, $broken (1: a kernel that is broken on purpose) and "$@", pairmark's arguments.
stand_in() {
    cat >"$work/sanitizer" <<END
#!$BASH
tool=\$2
shift 5 # --tool TOOL --target-processes all PAIRMARK
broken=0
case "\$*" in *MUTATION=13* | *race.cl*) broken=1 ;; esac
echo "\$tool \$*" >>"$work/asked"
[ "\$PAIRMARK_GUARDS" = 0 ] || broken=0
summary() { # summary COUNT
    case \$tool in
    memcheck) echo "========= ERROR SUMMARY: \$1 errors" ;;
    *) echo "========= RACECHECK SUMMARY: \$1 hazards displayed (\$1 errors, 0 warnings)" ;;
    esac
}
passes() { echo "3 passed, 0 failed, 0 unsupported"; }
$1
END
    chmod +x "$work/sanitizer"
    rm -f "$work/asked"
}
sanitizes() { # sanitizes STATUS DESCRIPTION [NAME=VALUE...]
    local status=$1 what=$2
    env SANITIZER="$work/sanitizer" "${@:3}" bash "$sanitize" "$pairmark" "${device:-cuda:0}" >"$work/out" 2>"$work/err" </dev/null
    check "$what" [ $? -eq "$status" ]
}

stand_in 'passes; summary $broken; exit 0'
sanitizes 0 "nothing but what is broken on purpose is found"
says out "memcheck forces: 3 passed, 0 failed, 0 unsupported; SUMMARY: 0 errors"
says out "racecheck finds a missing barrier: SUMMARY: 1 hazards"
check "each tool looks at every part" [ "$(grep -c ^memcheck "$work/asked")" -eq "$(grep -c ^racecheck "$work/asked")" ]
check "and there are several" [ "$(grep -c . "$work/asked")" -ge 16 ]
cp "$work/asked" "$work/parts"

stand_in 'passes; summary 0'
sanitizes 1 "a tool that finds nothing in a broken kernel is no witness"
says out "FAILED: memcheck does not find a write beyond the end"
says out "FAILED: racecheck does not find a missing barrier"

stand_in 'passes; summary $((broken || $(echo "$*" | grep -c -- --pairs)))'
sanitizes 1 "an error in one part fails"
says out "FAILED: memcheck coordination, pairs"
says out "racecheck coordination, two groups: 3 passed"

stand_in 'passes; [ $broken -eq 0 ] || summary 1'
sanitizes 1 "a part without a summary fails"
stand_in 'passes; summary $broken; summary 0'
sanitizes 0 "a process more, in which nothing was found, does no harm"
stand_in 'summary $broken; exit $((1 - broken))'
sanitizes 1 "a part that does not pass the gate fails" TOOLS=memcheck
check "of that tool alone" [ "$(grep -c ^racecheck "$work/asked")" -eq 0 ]

stand_in 'passes; summary $broken'
sanitizes 2 "a tool that there is not" TOOLS=synccheck
says err "synccheck"
sanitizes 2 "a sanitizer that there is not" SANITIZER="$work/none"
says err "no $work/none"
stand_in 'passes; summary $broken'
pairmark=$work/none sanitizes 2 "a pairmark that there is not"
pairmark=$work sanitizes 2 "a folder in its place"
check "nothing is asked of it" [ ! -e "$work/asked" ]

# pairmark takes the arguments of every part: all that it has against them is the device.
stand_in '"$pairmark" "$@" 2>>"$refusals"; summary $broken; exit 1'
export pairmark refusals=$work/refusals
device=cuda:99 sanitizes 1 "a device that there is not"
check "is what each part is refused for" [ "$(grep -c "no device is called 'cuda:99'" "$refusals")" -eq "$(grep -c . "$work/parts")" ]
# The broken kernels are of files, and pairmark says that those are not confined, as the script asks for.
check "and nothing else" [ "$(grep -vc 'are not confined here (off, as asked for)' "$refusals")" -eq "$(grep -c . "$work/parts")" ]

conclude
