/*
 * sorted_cells_ballot — LANES work-items of a warp test a row's candidates; a ballot tells where those within the cutoff queue
 *
 * As sorted_cells, a particle against the rows of cells around it, cells built for each evaluation. There a lane that has no pair
 * within the cutoff waits for those that do: of the candidates a fifth are, and in nearly every turn some lane of a warp has one, so
 * that forces are computed with few lanes at work. Here a team of LANES work-items tests LANES candidates of a row at a time for
 * one particle and computes no force. A ballot tells every one of the team who of them has a pair, hence the place of its own in
 * a queue of the team in local memory; what waits there is computed LANES pairs at a time, all lanes at work, by all teams
 * of the warp together as long as each has enough. Teams queue at different rates: a queue of DEPTH * LANES places lets them. All
 * pairs of a team are its particle's, so that sums stay in registers, and no atomics are needed; each pair is met from both sides.
 *
 * Rows are looked up LANES at a time, one per work-item, into local memory, from which the team takes one after the other.
 *
 * What it costs are the vote, the count and the place per LANES candidates, and lanes beyond the end of a row: few lanes per
 * particle leave fewer of them. What it saves is the force at lanes that have none, so it is for pairs that are dear, or double.
 * Where a device has no ballots, a team's votes go through local memory, and all work-items of a group take as many turns.
 *
 * @workload  forces
 * @structure sorted_cells
 * @boxes     open periodic triclinic
 * @pass      sorted_cells_ballot item per particle * LANES
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   LANES 4 8* 16 32
 * @tunable   DEPTH 2 4*
 * @tunable   CELLS_PER_CUTOFF 1* 2 3
 * @tunable   STABLE_SORT 0* 1
 * @source    our own; queues that votes fill, after all_pairs_tensor
 */
#define TEAM LANES_PER_PARTICLE
#define TEAMS (GROUP_SIZE / TEAM)
#define PLACES (DEPTH * TEAM) /* of a team's queue */
#define TEAM_BITS (TEAM < 32 ? (1u << TEAM % 32) - 1u : 0xffffffffu)

#if HAVE_BALLOT && GROUP_SIZE >= 32
#define BY_BALLOT 1
/* Whether it is so for some team of the warp, or for each. */
#define SOME_TEAM(is_so) (BALLOT(is_so) != 0)
#define EACH_TEAM(is_so) (BALLOT(!(is_so)) == 0)
#else
#define BY_BALLOT 0
#define SOME_TEAM(is_so) (is_so) /* each team for itself */
#define EACH_TEAM(is_so) (is_so)
#endif

#if !BY_BALLOT
/* What the work-items of a team said, the first in the lowest bit. */
DEVICE uint read_votes(LOCAL_ARG const int *of_team)
{
    uint votes = 0;
    for (int l = 0; l < TEAM; l++) {
        votes |= (uint)(of_team[l] != 0) << l;
    }
    return votes;
}
#endif

/* Adds the force of a pair that waited: `d` is the difference and, last, the partner's charge. */
DEVICE void compute_pair(real4 d, int j, int k, real4 own, GLOBAL const int *RESTRICT sorted_index, own_force *sum,
                         pair_sums *sums PAIR_PARAMETERS)
{
    const real r2 = FMA(d.x, d.x, FMA(d.y, d.y, d.z * d.z));
    const real4 other = make_real4(own.x - d.x, own.y - d.y, own.z - d.z, d.w);
    pair_energy energy = NO_ENERGY;
    const real f = PAIR_FORCE(r2, own, other, sorted_index[k], sorted_index[j], &energy);
    add_to_force(sum, f * d.x, f * d.y, f * d.z);
    add_to_sums(sums, energy, f, d.x, d.y, d.z);
}

KERNEL void sorted_cells_ballot(int n, int4 cells, int4 reach, real4 cell_width, real4 inverse_cell_width,
                                real4 cell_origin, real search_radius2, GLOBAL const int *RESTRICT cell_start,
                                GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_index,
                                box_args box, real cutoff2, GLOBAL force_sum *RESTRICT force, int force_plane,
                                GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL int run_begin[GROUP_SIZE];
    LOCAL int run_stop[GROUP_SIZE];
    LOCAL real4 run_seen[GROUP_SIZE];
    LOCAL real4 queue_difference[TEAMS * PLACES];
    LOCAL int queue_partner[TEAMS * PLACES];
    LOCAL force_sum of_lane[OWN_FORCE_NUMBERS * GROUP_SIZE];
#if !BY_BALLOT
    LOCAL int said[GROUP_SIZE];
    LOCAL int turns_of_team[TEAMS];
#endif
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int k = GLOBAL_ID / TEAM;
    const int lane = LOCAL_ID % TEAM;
    const int first_lane = LOCAL_ID - lane; /* of the team */
    const uint before = (1u << lane) - 1u;  /* lanes of the team before this one */
    LOCAL_ARG real4 *difference = queue_difference + LOCAL_ID / TEAM * PLACES;
    LOCAL_ARG int *partner = queue_partner + LOCAL_ID / TEAM * PLACES;
    int waiting = 0; /* in the queue, the same for all of the team */
    own_force sum;
    pair_sums sums;
    clear_force(&sum);
    clear_sums(&sums);
    const int is_one = k < n;
    const real4 own = sorted_position[is_one ? k : 0];
    const int4 home = grid_cell(grid, own);
    const int rows = rows_around(grid);
    for (int first_row = 0; first_row < rows; first_row += TEAM) {
        /* a row per work-item */
        cell_row row = row_around(grid, own, home, first_row + lane < rows ? first_row + lane : 0);
        if (!is_one || first_row + lane >= rows) {
            row.last_image = row.first_image - 1;
        }
        for (int image = PERIODIC ? -1 : 0; image <= (PERIODIC ? 1 : 0); image++) {
            int begin = 0;
            int stop = 0;
            if (image >= row.first_image && image <= row.last_image) {
                begin = cell_start[row_begin(grid, row, image)];
                stop = cell_start[row_stop(grid, row, image)];
            }
            run_begin[LOCAL_ID] = begin;
            run_stop[LOCAL_ID] = stop;
            run_seen[LOCAL_ID] = make_real4(row_x(grid, row, image), row.y, row.z, own.w);
#if BY_BALLOT
            uint runs = BALLOT(begin < stop) >> first_lane % 32 & TEAM_BITS; /* that the team has not begun */
            SYNC_WARPS;
#else
            said[LOCAL_ID] = begin < stop;
            SYNC_THREADS;
            uint runs = read_votes(said + first_lane);
            if (lane == 0) {
                int turns_here = 0;
                for (int l = 0; l < TEAM; l++) {
                    turns_here += (run_stop[LOCAL_ID + l] - run_begin[LOCAL_ID + l] + TEAM - 1) / TEAM;
                }
                turns_of_team[LOCAL_ID / TEAM] = turns_here;
            }
            SYNC_THREADS;
            int turns = 0;
            for (int t = 0; t < TEAMS; t++) {
                turns = turns_of_team[t] > turns ? turns_of_team[t] : turns;
            }
#endif
            int at = 0;
            real4 seen = own;
            stop = 0;
#if BY_BALLOT
            while (SOME_TEAM(at < stop || runs != 0)) {
#else
            for (int turn = 0; turn < turns; turn++) {
#endif
                if (at >= stop && runs != 0) {
                    /* on to the next run */
                    const int l = first_lane + 31 - LEADING_ZEROS(runs);
                    runs ^= 0x80000000u >> LEADING_ZEROS(runs);
                    at = run_begin[l];
                    stop = run_stop[l];
                    seen = run_seen[l];
                }
                /* a candidate per work-item */
                const int j = at + lane;
                real4 d = make_real4(0, 0, 0, 0);
                int passes = 0;
                if (j < stop) {
                    const real4 other = sorted_position[j];
                    d = make_real4(seen.x - other.x, seen.y - other.y, seen.z - other.z, other.w);
                    const real r2 = FMA(d.x, d.x, FMA(d.y, d.y, d.z * d.z));
                    COUNT_DISTANCE(&sums);
                    passes = IN_CUTOFF(r2, cutoff2) && j != k;
                }
                at += TEAM;
                /* queue those within the cutoff */
#if BY_BALLOT
                const uint votes = BALLOT(passes) >> first_lane % 32 & TEAM_BITS;
#else
                said[LOCAL_ID] = passes;
                SYNC_THREADS;
                const uint votes = read_votes(said + first_lane);
#endif
                if (passes) {
                    const int place = waiting + BIT_COUNT(votes & before);
                    difference[place] = d;
                    partner[place] = j;
                }
                waiting += BIT_COUNT(votes);
                SYNC_WARPS;
                /* compute, as long as all teams have enough */
                if (SOME_TEAM(waiting > PLACES - TEAM)) {
                    do {
                        const int take = waiting < TEAM ? waiting : TEAM;
                        waiting -= take;
                        if (lane < take) {
                            compute_pair(difference[waiting + lane], partner[waiting + lane], k, own, sorted_index, &sum,
                                         &sums PAIR_ARGUMENTS);
                        }
                    } while (EACH_TEAM(waiting >= TEAM));
#if BY_BALLOT
                    SYNC_WARPS;
#endif
                }
            }
            SYNC_WARPS;
        }
    }
    /* what still waits, which is less than fills a queue */
    for (int rest = 0; rest < DEPTH - 1; rest++) {
        const int take = waiting < TEAM ? waiting : TEAM;
        waiting -= take;
        if (lane < take) {
            compute_pair(difference[waiting + lane], partner[waiting + lane], k, own, sorted_index, &sum,
                         &sums PAIR_ARGUMENTS);
        }
    }
    own_force_over_lanes(of_lane, TEAM, 1, lane == 0, &sum);
    if (is_one && lane == 0) {
        store_own_force(force, force_plane, sorted_index[k], &sum);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
