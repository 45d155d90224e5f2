#!/usr/bin/env bash
# No circle between files: what a file takes from another never leads back to it. Read from the objects that were built.
. "$2/lib.sh" || exit 1
objects=$(dirname "$pairmark")/CMakeFiles
[ -d "$objects/module_core.dir" ] || { echo 'no object files beside the program: needs the folder that it was built in'; exit 77; }
source=$(realpath "$tests/..")

# Objects of files that are there: a build folder may hold older ones.
find "$objects" -path '*/module_*.dir/*' -name '*.o' | while IFS= read -r object; do
    file=${object#*.dir/}
    if [ -e "$source/${file%.o}" ]; then printf '%s\n' "$object"; fi
done >built
check 'there are objects of many files' [ "$(wc -l <built)" -gt 200 ]

# arrows: "FILE FILE" per pair where the first takes a name from the second.
xargs nm -A <built 2>/dev/null | awk '
    {
        split($0, parts, ":")
        file = parts[1]
        sub(/.*\.dir\//, "", file)
        sub(/\.[a-z]+\.o$/, "", file)
    }
    NF == 3 && $2 ~ /^[TDBRV]$/ { home[$3] = file }
    $(NF - 1) == "U" { takes[file, $NF] }
    NF == 2 && $1 ~ /:U$/ { takes[file, $2] }
    END {
        for (pair in takes) {
            split(pair, parts, SUBSEP)
            to = home[parts[2]]
            if (to != "" && to != parts[1]) {
                print parts[1], to
            }
        }
    }' | sort -u >arrows
check 'and many arrows' [ "$(wc -l <arrows)" -gt 500 ]
tsort arrows >order 2>circles
check 'and no circle' [ ! -s circles ]
[ ! -s circles ] || cat circles
# It would see one.
{ cat arrows; printf 'harness/core/error harness/commands/command_bench\n'; } | tsort >order 2>circles
check 'a circle would be seen' [ -s circles ]
conclude
