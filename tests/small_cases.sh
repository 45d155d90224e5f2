# shellcheck shell=bash disable=SC2154 # what lib.sh sets
# For tests that have each variant evaluate one small box: small_cases prints a case per line, a name and what eval takes, in float where
# the variant has it. Groups are so small that there are several, and cutoffs so short that there are three cells an edge.
small_cases() {
    local switching=rational:r0=0.6,n=6,m=12,dmax=1.1 workload structure variant warps words box size
    "$pairmark" box fluid --n 48 --density 0.8442 -o fluid.xyz
    "$pairmark" box water --n 24 --temperature 2.5 -o warm.xyz
    "$pairmark" list --json | jq -r '.[] | "\(.workload) \(.structure) \(.name) \(.warps)"' | while read -r workload structure variant warps; do
        words="--workload $workload --variant $variant --precision float" box='--box fluid.xyz --cutoff 1.1'
        size=$((warps > 16 ? warps : 16))
        case $structure:$variant in
        list_blocks:*) size='' ;; # blocks are made by groups of a size that their kernels count on
        list_clusters:*) size='' box='--kind fluid --n 30 --cutoff 1.1' ;; # its list does not grow: Oclgrind takes the new buffer to be as short
        *:pme_tiles) size=32 ;;
        esac
        words+=${size:+ --tune GROUP_SIZE=$size}
        case $workload:$variant in
        *:all_pairs_tensor | *:curand_philox) continue ;; # CUDA alone
        coordination:two_*) words+=" --box fluid.xyz --ratio 18:30 --interaction $switching --outputs virial" ;;
        coordination:pairs_*) words+=" --box fluid.xyz --ratio 24:24 --pairs --interaction $switching --outputs virial" ;;
        coordination:*) words+=" --box fluid.xyz --interaction $switching --outputs virial" ;;
        bonded:*) words+=' --kind chains --n 50 --outputs virial' ;;
        pme:*) words+=' --kind salt --n 30 --outputs virial --interaction pme:order=4,grid_x=6,grid_y=8,grid_z=7,alpha=0.5' ;;
        eam:*) words+=' --kind copper --n 130 --outputs virial' ;;
        three_body:*) words+=' --kind diamond --n 64 --outputs virial' ;;
        rdf:*) words+=' --box fluid.xyz --interaction rdf:bins=7,rc=1.1' ;;
        steinhardt:*) words+=' --box fluid.xyz --interaction steinhardt:rc=1.1' ;;
        eam_step:*) words+=' --kind copper --n 130 --steps 2 --outputs forces' ;;
        three_body_step:*) words+=' --kind diamond --n 64 --steps 2 --outputs forces' ;;
        constraints:shake_clusters) words+=' --kind hydrogens --n 30' ;;
        constraints:*) words+=' --kind water --n 30' ;;
        random:philox*) words+=' --n 101 --distribution words' ;;
        random:*) words+=' --n 101 --distribution words --tune STREAMS=128' ;;
        step:verlet_settle+* | step:settle_*+*) words="${words/float/double} --box warm.xyz --cutoff 2 --dt 0.003 --steps 2 --outputs forces" ;;
        step:verlet*+* | step:*+all_pairs_loop) words+=" $box --steps 2 --outputs forces" ;;
        step:*) continue ;; # forces as with verlet, all else as with all_pairs_loop
        *) words+=" $box" ;;
        esac
        echo "$workload.$variant $words"
    done
}
# evaluate_cases FILE: what eval says of each, and the device's tools, into NAME.said
evaluate_cases() {
    # shellcheck disable=SC2016 # the shell that xargs starts expands it
    pairmark=$pairmark xargs -P 2 -L 1 bash -c '"$pairmark" eval "${@:2}" --deadline 10000 >"$1.said" 2>&1 </dev/null ||
        echo "exit status $?" >>"$1.said"' evaluate <"$1"
}
