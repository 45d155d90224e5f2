#!/usr/bin/env bash
# Files of every format that boxes are read from, drawn at random, valid, in all forms that their writers use: what is read is what was
# written. A Python script draws a file and knows what is in it; pairmark reads it and writes extended XYZ, which the script compares.
. "$2/lib.sh" || exit 1
command -v python3 >/dev/null || { echo 'no python3 (Debian package python3)'; exit 77; }
seed=${PAIRMARK_TEST_SEED:-$RANDOM}
for format in xyz gro pdb data; do
    check "$format, PAIRMARK_TEST_SEED=$seed" python3 "$tests/boxes/drawn_files.py" "$pairmark" "$format" "$seed" "${PAIRMARK_TEST_FILES:-60}"
done
conclude
