#!/usr/bin/env bash
# In every workload a kernel that remembers gets no time: the launches that it has seen before, or the box. Each is generated: it does its
# work, but loses time where it does not remember. A trick that a processor alone knows: memory that is mapped at a fixed place.
. "$2/lib.sh" || exit 1
variants=$tests/../variants
if sanitized || [ "$(uname -m)" != x86_64 ] || ! "$pairmark" devices | grep -q 'pthread'; then
    echo 'needs an OpenCL device that is a processor, x86-64'
    exit 77
fi
cat >memory.cl <<'END'
#if TRICK
enum { PLACES = 1 << 20 };
typedef struct { int pass, item, x, y; int met; } place;
/* Mapped by a call of the operating system at a fixed place: what is there stays. */
DEVICE place *memory(void)
{
    long result = 9;
    __asm__ volatile("movq $0x100022, %%r10\n\tmovq $-1, %%r8\n\tmovq $0, %%r9\n\tsyscall"
                     : "+a"(result)
                     : "D"(0x600000000000), "S"((long)sizeof(place) * PLACES), "d"(3L)
                     : "rcx", "r8", "r9", "r10", "r11", "memory");
    return (place *)0x600000000000;
}
/* How often it was here, for this pass and item. */
DEVICE int times_met(int pass, int item, int x, int y)
{
    const uint hash = ((uint)pass * 73856093u ^ (uint)item * 19349663u ^ (uint)x * 83492791u ^ (uint)y * 2654435761u) * 0x9e3779b9u;
    place *p = memory() + (hash >> 12) % (PLACES - 64);
    for (int k = 0; k < 64; k++, p++) {
        if (!p->met) {
            p->pass = pass, p->item = item, p->x = x, p->y = y;
        }
        if (p->pass == pass && p->item == item && p->x == x && p->y == y) {
            return p->met++;
        }
    }
    return 0;
}
DEVICE void lose_time(int pass, GLOBAL const real4 *position)
{
    const int item = GLOBAL_ID;
    GLOBAL const int *words = (GLOBAL const int *)(position + (TRICK == 3 ? item % 64 : 0));
    if (ALWAYS ? TRICK == 1 || item < 64 : times_met(pass, TRICK == 3 ? 0 : item, words[0], words[1]) < 1) {
        volatile float lost = 1;
        for (int k = 0; k < (TRICK == 3 ? 40000 : 5000); k++) {
            lost = lost * 0.5f + 1;
        }
    }
}
#define LOSE_TIME(pass, position) lose_time(pass, position);
#else
#define LOSE_TIME(pass, position)
#endif
END
# remembering FILE: the variant, renamed; TRICK 1: the order and places of the particles, 3: the particle at each of some places. With ALWAYS
# it remembers nothing, and loses as much time in every launch: so long it takes by right.
remembering() {
    awk -v name="$(basename "$1" .cl)" '
        { sub(name " —", "remembering —") }
        /^ \* @pass / && !declared { declared = 1; print " * @tunable   TRICK 0* 1 3"; print " * @tunable   ALWAYS 0* 1" }
        { print }
        /^ \*\// && !defined {
            defined = 1
            while ((getline line < "memory.cl") > 0) {
                print line
            }
        }
        /^KERNEL / { head = ""; reading = 1 }
        reading { head = head " " $0 }
        reading && /^{/ {
            reading = 0
            pass++
            if (head ~ /real4 \*(RESTRICT )?position[ ,)]/) {
                print "    LOSE_TIME(" pass ", position)"
            }
        }' "$1" >remembering.cl
}
# No row that remembers is ok in less than a third of the least time of the one that does not: a busy machine makes others longer.
no_row_remembers() { # no_row_remembers FILE
    sed 's/"[^"]*"/x/g' "$1" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["tunables"] ~ /ALWAYS=1/ { always = $at["force_s_min"]; next }
        $at["status"] == "ok" {
            for (i = split("force_s_median cold_force_s_median end_to_end_s_median", times, " "); i > 0; i--) {
                if ($at[times[i]] != "" && (least == "" || $at[times[i]] + 0 < least)) { least = $at[times[i]] + 0 }
            }
        }
        END { exit !always || (least != "" && 3 * least + 5e-4 < always) }'
}
# Whether other programs were at work while a row was timed: bench forgives slow launches then, and says so in its report.
was_busy() { grep -q '^load ' out; }
gains_nothing() { # gains_nothing FILE VARIANT ARGUMENT...
    remembering "$variants/$1"
    for trick in 1 3; do
        for _ in 1 2 3 4 5; do
            rm -rf run
            "$pairmark" bench --variant-file remembering.cl --variant "$2" --precision float --tune TRICK=$trick --tune ALWAYS=0,1 \
                --time-cap 0.2 --twins 0 --visits 1 --no-plot --cold 9 -o run "${@:3}" >out 2>err </dev/null
            no_row_remembers run/rows.csv && break
            was_busy || break
        done
        check "$1, trick $trick: it was judged" grep -qE ',(ok|stale),' run/rows.csv
        if was_busy && ! no_row_remembers run/rows.csv; then
            echo "skipped: $1, trick $trick: other programs kept the processors busy; a machine with nothing else to do enables it"
        else
            check "$1, trick $trick: gains nothing" no_row_remembers run/rows.csv
        fi
    done
}
gains_nothing forces/list_walk.cl remembering --kind fluid --n 500 --outputs forces
gains_nothing forces/boxes_tile.cl remembering --kind fluid --n 100 --batch 5 --outputs forces
gains_nothing forces/all_pairs_loop.cl verlet+remembering --workload step --kind fluid --n 200 --steps 5 --outputs energy
gains_nothing coordination/coordination_loop.cl remembering --workload coordination --kind fluid --n 300
gains_nothing bonded/bonded_atomic.cl remembering --workload bonded --kind chains --n 300
gains_nothing constraints/shake.cl remembering --workload constraints --kind water --n 300
gains_nothing eam/eam_loop.cl remembering --workload eam --kind copper --n 256
gains_nothing three_body/three_body_loop.cl remembering --workload three_body --kind diamond --n 216
gains_nothing rdf/rdf_loop.cl remembering --workload rdf --kind fluid --n 300
gains_nothing steinhardt/steinhardt_loop.cl remembering --workload steinhardt --kind fluid --n 300
gains_nothing pme/pme_atomic.cl remembering --workload pme --kind water --n 300
gains_nothing neighbours/neighbours_loop.cl remembering --workload neighbours --kind fluid --n 300
conclude
