/*
 * sorted_cells_ballot — LANES work-items of a warp test a row's candidates; a ballot tells where those within the cutoff queue
 *
 * As sorted_cells, a particle against the rows of cells around it, cells built for each evaluation. There a lane that has no pair
 * within the cutoff waits for those that do: of the candidates a fifth are, and in nearly every round some lane of a warp has one, so
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
 * Where a device has no ballots, a team's votes go through local memory, and all work-items of a group take as many rounds.
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
 * @warps     32
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

#if BY_BALLOT
/* For which work-items of the team it is so, a bit each, the first one's the lowest; all of a warp call it. */
DEVICE uint team_votes(int is_so, int first_lane, LOCAL_ARG int *said)
{
    return BALLOT(is_so) >> first_lane % 32 & TEAM_BITS;
}
#else
/* What the work-items of a team said, the first in the lowest bit. */
DEVICE uint read_votes(LOCAL_ARG const int *of_team)
{
    uint votes = 0;
    for (int l = 0; l < TEAM; l++) {
        votes |= (uint)(of_team[l] != 0) << l;
    }
    return votes;
}

/* The same through local memory; all work-items of the group call it. */
DEVICE uint team_votes(int is_so, int first_lane, LOCAL_ARG int *said)
{
    said[LOCAL_ID] = is_so;
    SYNC_THREADS;
    return read_votes(said + first_lane);
}
#endif

/* ---- rows and runs ---- */

/* Row `index` of those around a particle; none where there is no such row, or no particle. */
DEVICE cell_row row_of_lane(cell_grid grid, real4 own, int4 home, int index, int rows, int is_one)
{
    cell_row row = row_around(grid, own, home, index < rows ? index : 0);
    if (!is_one || index >= rows) {
        row.last_image = row.first_image - 1;
    }
    return row;
}

/* The runs that a group has looked up, one per work-item, and where each sees the particle. */
typedef struct {
    LOCAL_ARG int *begin, *stop;
    LOCAL_ARG real4 *seen;
} group_runs;

#if !BY_BALLOT
/* A team's first work-item notes how many rounds it needs to test all of its candidates. */
DEVICE void note_rounds(group_runs of_group, LOCAL_ARG int *rounds_of_team)
{
    if (LOCAL_ID % TEAM == 0) {
        int rounds = 0;
        for (int l = 0; l < TEAM; l++) {
            rounds += (of_group.stop[LOCAL_ID + l] - of_group.begin[LOCAL_ID + l] + TEAM - 1) / TEAM;
        }
        rounds_of_team[LOCAL_ID / TEAM] = rounds;
    }
}

DEVICE int most_rounds(LOCAL_ARG const int *rounds_of_team)
{
    int rounds = 0;
    for (int t = 0; t < TEAMS; t++) {
        rounds = rounds_of_team[t] > rounds ? rounds_of_team[t] : rounds;
    }
    return rounds;
}
#endif

/* What a team walks: a run from `at` on, and the runs that it has not begun, a bit per work-item. */
typedef struct {
    int at, stop;
    uint runs;
    real4 seen;
} team_walk;

/* On to the next run, where one has ended. */
DEVICE team_walk begin_run(team_walk walk, group_runs of_group, int first_lane)
{
    if (walk.at >= walk.stop && walk.runs != 0) {
        const int l = first_lane + 31 - LEADING_ZEROS(walk.runs);
        walk.runs ^= 0x80000000u >> LEADING_ZEROS(walk.runs);
        walk.at = of_group.begin[l];
        walk.stop = of_group.stop[l];
        walk.seen = of_group.seen[l];
    }
    return walk;
}

/* ---- pairs ---- */

/* A candidate, sorted particle j: whether it is within the cutoff, the difference and, last, its charge. */
typedef struct {
    int j, passes;
    real4 d;
} candidate;

/* Of sorted particle j, if the run goes that far, as a partner of particle k. */
DEVICE candidate test_candidate(int j, team_walk walk, int k, GLOBAL const real4 *RESTRICT sorted_position, real cutoff2,
                                pair_sums *sums)
{
    candidate tested;
    tested.j = j;
    tested.passes = 0;
    tested.d = make_real4(0, 0, 0, 0);
    if (j < walk.stop) {
        const real4 other = sorted_position[j];
        tested.d = make_real4(walk.seen.x - other.x, walk.seen.y - other.y, walk.seen.z - other.z, other.w);
        const real r2 = FMA(tested.d.x, tested.d.x, FMA(tested.d.y, tested.d.y, tested.d.z * tested.d.z));
        COUNT_DISTANCE(sums);
        tested.passes = IN_CUTOFF(r2, cutoff2) && j != k;
    }
    return tested;
}

/* The pairs of a team that wait. */
typedef struct {
    LOCAL_ARG real4 *difference;
    LOCAL_ARG int *partner;
} team_queue;

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

/* Takes a pair per work-item off the end of the queue, as far as there are some, and computes it; tells how many still wait. */
DEVICE int compute_waiting(team_queue queue, int waiting, int k, real4 own, GLOBAL const int *RESTRICT sorted_index,
                           own_force *sum, pair_sums *sums PAIR_PARAMETERS)
{
    const int lane = LOCAL_ID % TEAM;
    const int take = waiting < TEAM ? waiting : TEAM;
    const int left = waiting - take;
    if (lane < take) {
        compute_pair(queue.difference[left + lane], queue.partner[left + lane], k, own, sorted_index, sum,
                     sums PAIR_ARGUMENTS);
    }
    return left;
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
    LOCAL int said[BY_BALLOT ? 1 : GROUP_SIZE];
    LOCAL int rounds_of_team[BY_BALLOT ? 1 : TEAMS];
    const group_runs of_group = { run_begin, run_stop, run_seen };
    const team_queue queue = { queue_difference + LOCAL_ID / TEAM * PLACES, queue_partner + LOCAL_ID / TEAM * PLACES };
    const cell_grid grid =
        make_cell_grid(cells, reach, cell_width, inverse_cell_width, cell_origin, search_radius2, box);
    const int k = GLOBAL_ID / TEAM;
    const int lane = LOCAL_ID % TEAM;
    const int first_lane = LOCAL_ID - lane; /* of the team */
    const uint before = (1u << lane) - 1u; /* lanes of the team before this one */
    int waiting = 0;                       /* in the queue, the same for all of the team */
    own_force sum;
    pair_sums sums;
    clear_force(&sum);
    clear_sums(&sums);
    const int is_one = k < n;
    const real4 own = sorted_position[is_one ? k : 0];
    const int4 home = grid_cell(grid, own);
    const int rows = rows_around(grid);
    for (int first_row = 0; first_row < rows; first_row += TEAM) {
        const cell_row row = row_of_lane(grid, own, home, first_row + lane, rows, is_one);
        for (int image = PERIODIC ? -1 : 0; image <= (PERIODIC ? 1 : 0); image++) {
            const particle_run run = run_in_reach(grid, cell_start, row, image);
            run_begin[LOCAL_ID] = run.begin;
            run_stop[LOCAL_ID] = run.stop;
            run_seen[LOCAL_ID] = make_real4(row_x(grid, row, image), row.y, row.z, own.w);
            team_walk walk = { 0, 0, team_votes(run.begin < run.stop, first_lane, said), own };
#if BY_BALLOT
            SYNC_WARPS;
            while (SOME_TEAM(walk.at < walk.stop || walk.runs != 0)) {
#else
            note_rounds(of_group, rounds_of_team);
            SYNC_THREADS;
            const int rounds = most_rounds(rounds_of_team);
            for (int round = 0; round < rounds; round++) {
#endif
                /* a candidate per work-item */
                walk = begin_run(walk, of_group, first_lane);
                const candidate tested = test_candidate(walk.at + lane, walk, k, sorted_position, cutoff2, &sums);
                walk.at += TEAM;
                /* queue those within the cutoff */
                const uint votes = team_votes(tested.passes, first_lane, said);
                if (tested.passes) {
                    const int place = waiting + BIT_COUNT(votes & before);
                    queue.difference[place] = tested.d;
                    queue.partner[place] = tested.j;
                }
                waiting += BIT_COUNT(votes);
                SYNC_WARPS;
                /* compute, as long as all teams have enough */
                if (SOME_TEAM(waiting > PLACES - TEAM)) {
                    do {
                        waiting = compute_waiting(queue, waiting, k, own, sorted_index, &sum, &sums PAIR_ARGUMENTS);
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
        waiting = compute_waiting(queue, waiting, k, own, sorted_index, &sum, &sums PAIR_ARGUMENTS);
    }
    own_force_over_lanes(of_lane, TEAM, 1, lane == 0, &sum);
    if (is_one && lane == 0) {
        store_own_force(force, force_plane, sorted_index[k], &sum);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
