#!/usr/bin/env bash
# The variants that walk lists, where they could go wrong: boxes hardly larger than the cutoff, no skin to speak of and a
# wide one, crowded particles whose rows are too short at first, hardly any, types and exclusions by input index.
. "$2/lib.sh" || exit 1

# Boxes from files are periodic alone: of a kind there is an open one, too, and every kernel is compiled a second time for it.
"$pairmark" box brick --n 200 -o brick.xyz
"$pairmark" box fluid --n 333 -o fluid.xyz
"$pairmark" box droplets --n 1500 -o droplets.xyz

lists=list_walk,list_columns,list_lanes,list_half,list_bits

# The edge of a fluid of 300 particles at this density is 8: with a skin, the list reaches beyond half of it.
all_pass "half an edge, any skin" --variant list_walk,list_columns,list_bits --kind fluid --n 300 --density 0.5859375 --cutoff 4 --precision double \
    --outputs energy --tune SKIN=1,100
all_pass "open" --variant $lists --kind fluid --n 300 --cutoff 2.5 --open --precision float --outputs virial --tune STABLE_SORT=1
all_pass "hardly any particles" --variant list_walk,list_columns,list_bits --kind fluid --n 1,3 --precision double --outputs energy
all_pass "crowded particles" --variant list_walk,list_columns,list_half,list_bits --box droplets.xyz --cutoff 2.5 --precision mixed --outputs energy
all_pass "types and molecules" --variant $lists --box brick.xyz --cutoff 2.5 --precision float --outputs energy \
    --interaction 'lj+ewald-real:alpha=0.3,epsilon.A=0.2' --exclude molecule
all_pass "one particle and four per column" --variant list_columns --box fluid.xyz --cutoff 2.5 --precision float --outputs energy \
    --tune PARTICLES=1,4 --tune ORDER=2
all_pass "in the order of cells" --variant list_columns --kind fluid --n 333 --cutoff 2.5 --open \
    --precision float --outputs energy --tune PARTICLES=3 --tune ORDER=0
all_pass 'a last column of one particle, and its exclusions' --variant list_columns,list_clusters --kind salt --n 64 --seed 3 --exclude next:3 \
    --interaction lj+ewald-real:alpha=0.9 --precision float --outputs virial --tune PARTICLES=3
# Columns are molecules where all are of as many particles that lie together, whatever their names; else those near to each other.
"$pairmark" box water --n 192 -o water.xyz
awk 'NR > 2 { $6 = 5 + 60 * $6 } 1' water.xyz >named.xyz
awk 'NR > 2 { $6 = NR % 64 } 1' water.xyz >torn.xyz
for box in named torn; do
    all_pass "columns of $box molecules" --variant list_clusters --box $box.xyz --cutoff 6 --exclude molecule --precision float --outputs virial \
        --interaction ewald-real:alpha=0.35 --tune STABLE_SORT=0,1
done
all_pass "forces of those within the cutoff alone" --variant list_columns --box brick.xyz --cutoff 2.5 --precision mixed --outputs virial \
    --interaction 'lj+ewald-real:alpha=0.3,epsilon.A=0.2' --exclude molecule --tune MASKED=0 --tune TYPE_TABLE=2
all_pass "blocks: neither types nor exclusions, and known to the builder" --variant list_blocks --kind fluid --n 333 --cutoff 2.5 --open \
    --precision float --outputs energy --tune BUILD_GROUPS=6
all_pass "blocks: types and molecules" --variant list_blocks --kind brick --n 400 --cutoff 2.5 --open --precision float --outputs energy \
    --interaction 'lj+ewald-real:alpha=0.3,epsilon.A=0.2' --exclude molecule
all_pass "lanes" --variant list_lanes --box fluid.xyz --cutoff 2.5 --precision float --outputs energy --tune LANES=32
all_pass "bits: several work-items, several at once, smaller cells" --variant list_bits --box brick.xyz --cutoff 2.5 --precision fixed \
    --outputs virial --interaction 'lj+ewald-real:alpha=0.3,epsilon.A=0.2' --exclude molecule --tune LANES=1,8 --tune AT_ONCE=4 \
    --tune CELLS_PER_CUTOFF=3
# Whole numbers: what overflows is the image. Without a sign, with half a turn or with one vector for another, it is another.
all_pass "places that overflow" --variant list_int32 --box brick.xyz --cutoff 2.5 --precision float,double --outputs virial \
    --interaction 'lj+ewald-real:alpha=0.3,epsilon.A=0.2' --exclude molecule
all_pass "places that overflow in a triclinic cell" --variant list_int32 --kind fluid@70:80:65 --n 300 --cutoff 2.5 --precision mixed,double
check "an open box" exits 2 check --variant list_int32 --kind fluid --n 300 --cutoff 2.5 --open --precision float
int32=$tests/../variants/forces/list_int32.cl
for mutant in 's/(real)(signed_whole)(a.z - b.z)/(real)(a.z - b.z)/' 's/ << 1;/;/' 's/dz \* box.inverse_edge.z, box.tilt.y/dz * box.inverse_edge.z, box.tilt.z/'; do
    sed "$mutant" "$int32" >list_int32.cl
    check "list_int32 with $mutant is refused" exits 1 check --variant-file list_int32.cl --variant list_int32 --kind fluid@70:80:65 --n 300 \
        --cutoff 2.5 --precision float --outputs forces
done
check "bench" exits 0 bench --variant list_walk --kind fluid --n 300 --precision float --time-cap 0.05 --visits 1 -o run
check "the building is timed" exits 0 query 'select min(build_s_median) > 0 as timed from rows' run --csv
check "the building takes time" [ "$(tr '\n' ' ' <out)" = "timed 1 " ]
# Without exclusions there are no molecules to find: columns along the curve need no more pairs than its own order does.
check "columns of a fluid" exits 0 bench --variant list_clusters --kind fluid --n 2000 --precision float --outputs forces --time-cap 0.01 \
    --samples-min 3 --samples-max 3 --visits 1 --twins 0 --cold 0 --tune STABLE_SORT=1 --tune LANES=1 --tune ORDER=3,4 -o columns
check "as many pairs in either order" exits 0 query 'select count(*) || count(distinct pairs_evaluated) as orders from rows' columns --csv
check "pairs of columns along the curve" [ "$(tr '\n' ' ' <out)" = "orders 21 " ]
check "--tune SKIN=0" exits 2 check --variant $lists --kind fluid --n 300 --tune SKIN=0

conclude
