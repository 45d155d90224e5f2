#!/usr/bin/env bash
# Modules: cmake/modules.cmake declares each folder of harness/ and reference/, docs/architecture.md lists those of harness/, and what
# is private to a folder is included there alone.
. "$2/lib.sh" || exit 1
root=$(realpath "$tests/..")
cd "$root" || exit 1
evidence=()

folders() { find "$1" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort; }
declared() { sed -nE "s|^pairmark_module\($1/([a-z_]+)[ )].*|\1|p" cmake/modules.cmake | sort; }
check 'the folders of harness/ are its modules' [ "$(folders harness)" = "$(declared harness)" ]
check 'those of reference/, too' [ "$(folders reference)" = "$(declared reference)" ]
layers=$(sed -nE 's/^# Layer: ([a-z]+):.*/\1/p' cmake/modules.cmake | grep -vx reference)
check 'docs/architecture.md lists them from the lowest up' \
    [ "$layers" = "$(sed -nE 's/^- `([a-z]+)`:.*/\1/p' docs/architecture.md)" ]
check 'there are some' [ "$(wc -w <<<"$layers")" -gt 8 ]

# strangers: includes of X_parts.h by files that are not below its folder.
strangers() {
    grep -rnE '#include "[a-z_/]+_parts\.h"' harness reference | awk -F '[:"]' '{
        folder = $4
        sub("[^/]*$", "", folder)
        if (index($1, "harness/" folder) != 1 && index($1, folder) != 1) {
            print $1 ":" $2 ": " $4
        }
    }'
}
check "headers *_parts.h are private to their folders: $(strangers | tr '\n' ' ')" [ -z "$(strangers)" ]
conclude
