#!/usr/bin/env bash
# What is too large is refused before anything is allocated, and named.
. "$2/lib.sh" || exit 1

refuses "--n: 1000000000 is outside 1 to 536870911" eval --variant all_pairs_loop --n 1G
refuses "--n '2G'; expected the number of particles, 1 to 536870911" box fluid --n 2G -o fluid.xyz

# What this process can never have, though the machine might.
if sanitized; then
    echo "skipped: the sanitizer needs more address space than the limit"
else
    (ulimit -v 4000000; exec "$pairmark" eval --variant all_pairs_loop --n 0.1G) >out 2>err
    check "more than the process can have" [ $? -eq 2 ]
    says err "--n: 100000000 particles need about 25.6 GB of host memory (256 bytes per particle); this process can have 4.1 GB"
    (ulimit -v 4000000; exec "$pairmark" box fluid --n 100M -o fluid.xyz) >out 2>err
    check "a box of more than the process can have" [ $? -eq 2 ]
    says err "--n: 100000000 particles need about 17.6 GB of host memory (176 bytes per particle)"
fi

# A device with less memory than the host: known before the box is made, which would take minutes.
if POCL_MEMORY_LIMIT=1 "$pairmark" devices 2>/dev/null | grep -q '^opencl:0:0 .*1\.[01]'; then
    # by processor time, which a busy machine does not take
    (ulimit -t 60; POCL_MEMORY_LIMIT=1 exec "$pairmark" check --device opencl:0:0 --variant sorted_cells --kind fluid --n 16M \
        --precision float --outputs forces --judge-all-below 16M >out 2>err)
    check "more than the device has: fails at once" [ $? -eq 1 ]
    says out "out_of_memory"
    says_like out "16000000 particles need about 1.66 GB of device memory for this variant .104 bytes per particle.; opencl:0:0 has"
else
    echo "skipped: opencl:0:0 is no processor under PoCL, which can be told to have less memory"
fi

# Work-items that an int cannot number are not launched.
expect 2 check --variant sorted_cells --n 100k --tune LANES=16777217
exits 3 check --variant sorted_cells --kind fluid --n 1k --precision float --outputs forces --tune LANES=16777216
check "too many work-items" said "more than kernels can number by int (2^31 - 1)"

conclude
