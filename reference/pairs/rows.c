#include "reference/pairs/rows.h"

#include "reference/pairs/lanes.h"
#include "reference/pairs/sites.h"
#include "reference/pairs/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_PER_TASK = 64 * LANES, /* the fixed ranges: part of what the bits depend on */
    MAX_WINDOWS = 16
};

/* Squared distances at which a pair may be an edge pair and is looked at by itself. */
struct window {
    double least, most;
};

/* What one range of rows adds to the box. */
struct part {
    struct sum energy[TERM_KINDS], virial[VIRIAL_COUNT];
    double energy_scale[TERM_KINDS], kind_slope[TERM_KINDS];
    double energy_slope, virial_scale, virial_slope;
    uint64_t pairs;
    struct edge_list edges;
    bool out_of_memory;
};

struct rows {
    struct scene scene;
    struct sites sites;
    uint32_t *wanted; /* sites of the particles asked for; NULL: every site */
    size_t count;     /* rows */
    struct window windows[MAX_WINDOWS];
    int window_count; /* MAX_WINDOWS: too many to list, every pair is looked at */
    struct part *parts;
    struct reference *reference;
    bool with_spread; /* of all sites */
};

/* One site's walk over its partners. */
struct row {
    size_t site; /* SIZE_MAX: none, of a lane that is left over or a particle in no group */
    struct run runs[MAX_RUNS];
    int run_count, run; /* run: the one it stands in */
    size_t next;        /* where it stands */
    size_t place;       /* of the row among those asked for */
    uint32_t neighbours;
    int steps; /* in the batch */
};

/* What a task works with. */
struct worker {
    const struct rows *rows;
    struct part *part;
    struct row row[LANES];
    struct lanes_batch batch;
    struct lanes_sums sums;
    double d[3][STEPS], r2[STEPS]; /* of the sites looked at */
};

/* ---- edge pairs ---- */

static void add_window(struct rows *rows, double r) {
    const double width = rows->scene.edge_width * (1.0 + 1e-9);
    if (!isfinite(r) || rows->window_count == MAX_WINDOWS) {
        return;
    }
    const double least = r > width ? (r - width) * (1.0 - 1e-12) : 0.0;
    const double most = (r + width) * (1.0 + 1e-12);
    rows->windows[rows->window_count++] = (struct window){ least * least, most * most };
}

static void choose_windows(struct rows *rows) {
    const struct pair_model *model = &rows->scene.model;
    const size_t pairs = (size_t)model->types * (size_t)model->types;
    add_window(rows, rows->scene.cutoff);
    for (int t = 0; t < model->count; t++) {
        const struct pair_term *term = &model->terms[t];
        if (term->may_jump) { /* every pair is looked at */
            rows->window_count = MAX_WINDOWS;
        }
        add_window(rows, term->jump);
        if (!term->of_types) {
            add_window(rows, term->cutoff);
        }
        for (size_t k = 0; term->of_types && k < pairs; k++) {
            const double own = term->of_types[k * (size_t)(1 + term->parameters)];
            if (own > 0.0 && own < rows->scene.cutoff) {
                add_window(rows, own);
            }
        }
    }
}

/* Whether scene_pair() may find an edge pair. */
static bool is_close(const struct rows *rows, const double d[3], double r2) {
    bool close = rows->window_count == MAX_WINDOWS;
    for (int w = 0; w < rows->window_count; w++) {
        close = close || (r2 >= rows->windows[w].least && r2 <= rows->windows[w].most);
    }
    for (int k = 0; k < 3 && rows->scene.every_image; k++) {
        const double half = 0.5 * rows->scene.box->edge[k];
        close =
            close || (rows->scene.images[k] && fabs(fabs(d[k]) - half) <= rows->scene.edge_width);
    }
    return close;
}

static void note_edges(struct worker *worker, const struct row *row, size_t partner,
                       const double d[3], double r2) {
    const struct rows *rows = worker->rows;
    struct edge_list *edges = &worker->part->edges;
    const size_t before = edges->count;
    struct pair_sums sums;
    (void)scene_pair(&rows->scene,
                     &(struct placed_pair){ d, r2, rows->sites.particle[row->site],
                                            rows->sites.particle[partner] },
                     &sums, edges);
    for (size_t p = before; rows->wanted && p < edges->count; p++) {
        edges->pairs[p].i = (uint32_t)row->place;
        edges->pairs[p].j = REFERENCE_ELSEWHERE;
    }
}

/* ---- a batch ---- */

static void put_types(struct worker *worker, int at, int32_t one, int32_t other) {
    const struct pair_model *model = &worker->rows->scene.model;
    const struct pair pair = { .type = { one, other } };
    for (int t = 0; t < model->count; t++) {
        struct lanes_typed *typed = worker->batch.typed[t];
        const double *parameter;
        const double cutoff = pair_term_for(model, t, &pair, &parameter);
        if (typed) {
            typed->cutoff[at] = cutoff;
            for (int p = 0; p < model->terms[t].parameters; p++) {
                typed->parameter[p][at] = parameter[p];
            }
        }
    }
}

/* Puts a partner in the next step of the lane. */
static void put_partner(struct worker *worker, int lane, size_t partner, const double d[3],
                        double r2) {
    const struct scene *scene = &worker->rows->scene;
    const uint32_t *particle = worker->rows->sites.particle;
    struct lanes_batch *batch = &worker->batch;
    struct row *row = &worker->row[lane];
    const int step = row->steps++;
    const int at = step * LANES + lane;
    for (int k = 0; k < 3; k++) {
        batch->d[k][at] = d[k];
    }
    batch->r2[at] = r2;
    if (partner > row->site && batch->above[lane] > step) {
        batch->above[lane] = step;
    }
    if (scene->model.charged) {
        batch->charge[0][at] = scene->box->charge[particle[row->site]];
        batch->charge[1][at] = scene->box->charge[particle[partner]];
    }
    if (scene->model.of_particles) {
        batch->particle[0][at] = particle[row->site];
        batch->particle[1][at] = particle[partner];
        batch->excluded[at] =
            pair_model_passes_excluded(&scene->model, particle[row->site], particle[partner]);
    }
    if (scene->model.types > 0) {
        put_types(worker, at, scene->box->type[particle[row->site]],
                  scene->box->type[particle[partner]]);
    }
}

/* A partner within reach, as often as it is paired. */
static void take_partner(struct worker *worker, int lane, size_t partner, int times,
                         const double d[3], double r2) {
    const struct rows *rows = worker->rows;
    struct row *row = &worker->row[lane];
    const bool counts = r2 <= rows->scene.cutoff2;
    const bool above = partner > row->site;
    const bool excluded = pair_model_excludes(&rows->scene.model, rows->sites.particle[row->site],
                                              rows->sites.particle[partner]);
    const bool close = (above || rows->wanted) && is_close(rows, d, r2);
    worker->part->pairs += counts && above ? (unsigned)times : 0;
    for (int time = 0; time < times; time++) {
        if (close) {
            note_edges(worker, row, partner, d, r2);
        }
        if (counts && !excluded) {
            put_partner(worker, lane, partner, d, r2);
            row->neighbours++;
        }
    }
}

/* ---- partners ---- */

/* The displacements from a site to `count` sites from `first` on. */
static void find_distances(struct worker *worker, size_t site, size_t first, size_t count,
                           bool images) {
    const struct scene *scene = &worker->rows->scene;
    const struct sites *sites = &worker->rows->sites;
    double at[3];
    const double *position[3];
    for (int k = 0; k < 3; k++) {
        at[k] = sites->position[k][site];
        position[k] = sites->position[k] + first;
    }
    if (scene->inside || !scene->box->periodic) { /* no triclinic cell */
        const struct lanes_sites to = { { position[0], position[1], position[2] }, count };
        const struct lanes_displacements out = { { worker->d[0], worker->d[1], worker->d[2] },
                                                 worker->r2 };
        lanes_distances(at, &to, images && scene->box->periodic ? scene : NULL, &out);
        return;
    }
    for (size_t m = 0; m < count; m++) {
        const double to[3] = { position[0][m], position[1][m], position[2][m] };
        double d[3];
        scene_displacement(scene, at, to, d);
        for (int k = 0; k < 3; k++) {
            worker->d[k][m] = d[k];
        }
        worker->r2[m] = worker->d[0][m] * worker->d[0][m] + worker->d[1][m] * worker->d[1][m] +
                        worker->d[2][m] * worker->d[2][m];
    }
}

/* Whether each of the sites looked at can be taken as it is: all are paired once, alike, and none
 * may be an edge pair. */
static bool is_plain(const struct worker *worker, size_t count) {
    const struct rows *rows = worker->rows;
    const struct scene *scene = &rows->scene;
    bool plain = !rows->sites.side && !scene->model.excluded && !scene->model.molecule &&
                 scene->model.types == 0 && !scene->model.of_particles &&
                 rows->window_count < MAX_WINDOWS;
    for (int w = 0; plain && w < rows->window_count; w++) {
        plain =
            !lanes_any_between(worker->r2, count, rows->windows[w].least, rows->windows[w].most);
    }
    for (int k = 0; plain && scene->every_image && k < 3; k++) {
        plain = !scene->images[k] ||
                !lanes_any_near(worker->d[k], count, 0.5 * scene->box->edge[k], scene->edge_width);
    }
    return plain;
}

/* take_partner() for many that are plain. */
static void take_plainly(struct worker *worker, int lane, size_t first, const int *near,
                         int found) {
    const struct rows *rows = worker->rows;
    struct lanes_batch *batch = &worker->batch;
    struct row *row = &worker->row[lane];
    int below = 0;
    while (below < found && first + (size_t)near[below] < row->site) {
        below++;
    }
    if (below < found && batch->above[lane] > row->steps + below) {
        batch->above[lane] = row->steps + below;
    }
    double *const d[3] = { batch->d[0] + lane, batch->d[1] + lane, batch->d[2] + lane };
    double *r2 = batch->r2 + lane;
    for (int f = 0; f < found; f++) {
        const int at = (row->steps + f) * LANES;
        d[0][at] = worker->d[0][near[f]];
        d[1][at] = worker->d[1][near[f]];
        d[2][at] = worker->d[2][near[f]];
        r2[at] = worker->r2[near[f]];
    }
    const double *charge = rows->scene.box->charge;
    const uint32_t *particle = rows->sites.particle;
    for (int f = 0; rows->scene.model.charged && f < found; f++) {
        const int at = (row->steps + f) * LANES + lane;
        batch->charge[0][at] = charge[particle[row->site]];
        batch->charge[1][at] = charge[particle[first + (size_t)near[f]]];
    }
    row->steps += found;
    row->neighbours += (uint32_t)found;
    worker->part->pairs += (unsigned)(found - below);
}

/* Takes those of the sites looked at that are within reach. */
static void take_near(struct worker *worker, int lane, size_t first, size_t count) {
    const struct rows *rows = worker->rows;
    const size_t site = worker->row[lane].site;
    const bool plain = is_plain(worker, count);
    /* Of plain ones, those within reach and those that count are the same. */
    const double reach2 = plain ? rows->scene.cutoff2 : rows->scene.reach2;
    int near[STEPS];
    int found = 0;
    if (site >= first && site < first + count) {
        worker->r2[site - first] = NAN;
    }
    for (size_t m = 0; m < count; m++) {
        near[found] = (int)m;
        found += worker->r2[m] <= reach2;
    }
    if (plain) {
        take_plainly(worker, lane, first, near, found);
        return;
    }
    for (int f = 0; f < found; f++) {
        const int m = near[f];
        const size_t partner = first + (size_t)m;
        const double d[3] = { worker->d[0][m], worker->d[1][m], worker->d[2][m] };
        const int times = sites_times(&rows->sites, site, partner);
        if (times > 0) {
            take_partner(worker, lane, partner, times, d, worker->r2[m]);
        }
    }
}

static void fill_from_runs(struct worker *worker, int lane) {
    const struct sites *sites = &worker->rows->sites;
    struct row *row = &worker->row[lane];
    const size_t max_times = sites->side ? 2 : 1;
    while (row->run < row->run_count) {
        const struct run *run = &row->runs[row->run];
        const size_t room = (size_t)(STEPS - row->steps) / max_times;
        const size_t left = run->last - row->next;
        const size_t count = left < room ? left : room;
        if (count == 0) {
            return;
        }
        find_distances(worker, row->site, row->next, count, run->images);
        take_near(worker, lane, row->next, count);
        row->next += count;
        if (row->next == run->last && ++row->run < row->run_count) {
            row->next = row->runs[row->run].first;
        }
    }
}

static void fill_from_list(struct worker *worker, int lane) {
    const struct scene *scene = &worker->rows->scene;
    const struct sites *sites = &worker->rows->sites;
    struct row *row = &worker->row[lane];
    for (; row->next < sites->first[row->site + 1] && row->steps < STEPS; row->next++) {
        const size_t partner = sites->partner[row->next];
        double at[3], to[3], d[3];
        for (int k = 0; k < 3; k++) {
            at[k] = sites->position[k][row->site];
            to[k] = sites->position[k][partner];
        }
        scene_displacement(scene, at, to, d);
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (r2 <= scene->reach2) {
            take_partner(worker, lane, partner, 1, d, r2);
        }
    }
}

/* ---- rows ---- */

static void begin_row(struct worker *worker, int lane, size_t place) {
    const struct rows *rows = worker->rows;
    struct row *row = &worker->row[lane];
    *row = (struct row){ .site = SIZE_MAX, .place = place };
    if (place >= rows->count || (rows->wanted && rows->wanted[place] == REFERENCE_ELSEWHERE)) {
        return;
    }
    row->site = rows->wanted ? rows->wanted[place] : place;
    row->run_count = sites_runs(&rows->sites, row->site, row->runs);
    row->next = rows->sites.partner ? rows->sites.first[row->site] : row->runs[0].first;
}

/* The next steps of every lane; false when there are none left. */
static bool fill_batch(struct worker *worker) {
    struct lanes_batch *batch = &worker->batch;
    batch->steps = 0;
    for (int lane = 0; lane < LANES; lane++) {
        struct row *row = &worker->row[lane];
        row->steps = 0;
        /* Of some particles the shares are wanted: every partner counts, not those above alone. */
        batch->above[lane] = worker->rows->wanted ? 0 : STEPS;
        if (row->site != SIZE_MAX) {
            (worker->rows->sites.partner ? fill_from_list : fill_from_runs)(worker, lane);
        }
        batch->steps = row->steps > batch->steps ? row->steps : batch->steps;
    }
    for (int lane = 0; lane < LANES; lane++) {
        for (int step = worker->row[lane].steps; step < batch->steps; step++) {
            const int at = step * LANES + lane;
            batch->d[0][at] = batch->d[1][at] = batch->d[2][at] = 0.0;
            batch->r2[at] = NAN;
        }
    }
    return batch->steps > 0;
}

static double lane_total(const struct lanes_sum *sum, int lane) {
    const struct sum whole = { sum->value[lane], sum->rest[lane] };
    return sum_total(&whole);
}

/* Where the sums of a row belong. */
static size_t result_of(const struct rows *rows, const struct row *row) {
    return rows->wanted ? row->place : rows->sites.particle[row->site];
}

static void end_row(const struct worker *worker, int lane) {
    const struct rows *rows = worker->rows;
    const struct row *row = &worker->row[lane];
    struct reference *reference = rows->reference;
    if (row->site == SIZE_MAX) {
        return;
    }
    const size_t i = result_of(rows, row);
    for (int k = 0; k < 3; k++) {
        reference->force[3 * i + (size_t)k] = lane_total(&worker->sums.force[k], lane);
    }
    reference->scale[i] = worker->sums.scale[lane];
    reference->largest[i] = worker->sums.largest[lane];
    reference->slope[i] = worker->sums.slope[lane];
    reference->condition[i] = worker->sums.force_condition[lane];
    reference->neighbours[i] = row->neighbours;
    if (reference->share) {
        for (int kind = 0; kind < TERM_KINDS; kind++) {
            reference->share[2 * i] += lane_total(&worker->sums.energy[kind], lane);
        }
        for (int k = 0; k < 3; k++) { /* xx, yy, zz */
            reference->share[2 * i + 1] += lane_total(&worker->sums.virial[k], lane);
        }
    }
}

/* Of each row how small terms may be lost; false: of none. */
static bool find_lost_below(struct worker *worker) {
    const struct rows *rows = worker->rows;
    const struct reference *reference = rows->reference;
    bool any = false;
    for (int lane = 0; lane < LANES; lane++) {
        const struct row *row = &worker->row[lane];
        if (row->site != SIZE_MAX) {
            const size_t i = result_of(rows, row);
            const double other =
                reference->scale[i] + rows->scene.length_scale * reference->slope[i];
            worker->sums.lost_below[lane] = sum_lost_below(
                reference->force + 3 * i, reference->scale[i], row->neighbours, other);
            any = any || worker->sums.lost_below[lane] > 0.0;
        }
    }
    return any;
}

/* Walks rows again of which small terms may be lost. What else walks note is known already. */
static void sum_lost(struct worker *worker, size_t first) {
    struct part *part = worker->part;
    struct part again = { .pairs = 0 };
    if (!find_lost_below(worker)) {
        return;
    }
    worker->part = &again;
    for (int lane = 0; lane < LANES; lane++) {
        const bool is_asked = worker->sums.lost_below[lane] > 0.0;
        begin_row(worker, lane, is_asked ? first + (size_t)lane : SIZE_MAX);
    }
    while (fill_batch(worker)) {
        lanes_evaluate(&worker->rows->scene, &worker->batch);
        lanes_add_lost(&worker->batch, &worker->sums);
    }
    for (int lane = 0; lane < LANES; lane++) {
        const struct row *row = &worker->row[lane];
        const double(*lost)[LANES] = worker->sums.lost;
        if (row->site != SIZE_MAX) {
            worker->rows->reference->lost[result_of(worker->rows, row)] =
                fmax(lost[0][lane], fmax(lost[1][lane], lost[2][lane]));
        }
    }
    free(again.edges.pairs);
    worker->part = part;
}

static void add_lane(struct sum *sum, const struct lanes_sum *lanes, int lane) {
    sum_add(sum, lanes->value[lane]);
    sum_add(sum, lanes->rest[lane]);
}

static void add_to_part(const struct lanes_sums *sums, int lane, struct part *part) {
    for (int kind = 0; kind < TERM_KINDS; kind++) {
        add_lane(&part->energy[kind], &sums->energy[kind], lane);
        part->energy_scale[kind] += sums->energy_scale[kind][lane];
        part->kind_slope[kind] += sums->kind_slope[kind][lane];
    }
    for (int k = 0; k < VIRIAL_COUNT; k++) {
        add_lane(&part->virial[k], &sums->virial[k], lane);
    }
    part->energy_slope += sums->energy_slope[lane];
    part->virial_scale += sums->virial_scale[lane];
    part->virial_slope += sums->virial_slope[lane];
}

/* LANES rows from `first` on, side by side. */
static void sum_rows(struct worker *worker, size_t first) {
    const struct scene *scene = &worker->rows->scene;
    memset(&worker->sums, 0, sizeof worker->sums);
    for (int lane = 0; lane < LANES; lane++) {
        begin_row(worker, lane, first + (size_t)lane);
    }
    while (fill_batch(worker)) {
        lanes_evaluate(scene, &worker->batch);
        lanes_add(scene, &worker->batch, &worker->sums);
    }
    for (int lane = 0; lane < LANES; lane++) {
        end_row(worker, lane);
        add_to_part(&worker->sums, lane, worker->part);
    }
    sum_lost(worker, first);
}

/* ---- tasks ---- */

static void worker_free(struct worker *worker) {
    for (int t = 0; worker && t < INTERACTION_MAX_FUNCTIONS; t++) {
        free(worker->batch.typed[t]);
    }
    free(worker);
}

static struct worker *worker_create(const struct rows *rows, struct part *part) {
    struct worker *worker = calloc(1, sizeof *worker);
    bool made = worker != NULL;
    for (int t = 0; made && t < rows->scene.model.count; t++) {
        if (rows->scene.model.terms[t].of_types) {
            worker->batch.typed[t] = calloc(1, sizeof *worker->batch.typed[t]);
            made = worker->batch.typed[t] != NULL;
        }
    }
    if (!made) {
        worker_free(worker);
        return NULL;
    }
    worker->rows = rows;
    worker->part = part;
    return worker;
}

static void sum_range(void *context, size_t task) {
    const struct rows *rows = context;
    struct part *part = &rows->parts[task];
    struct worker *worker = worker_create(rows, part);
    if (!worker) {
        part->out_of_memory = true;
        return;
    }
    const size_t end = (task + 1) * ROWS_PER_TASK;
    for (size_t first = task * ROWS_PER_TASK; first < end && first < rows->count; first += LANES) {
        sum_rows(worker, first);
    }
    worker_free(worker);
}

/* ---- the whole ---- */

static void add_part(const struct part *part, struct part *whole) {
    for (int kind = 0; kind < TERM_KINDS; kind++) {
        sum_add(&whole->energy[kind], part->energy[kind].value);
        sum_add(&whole->energy[kind], part->energy[kind].rest);
        whole->energy_scale[kind] += part->energy_scale[kind];
        whole->kind_slope[kind] += part->kind_slope[kind];
    }
    for (int k = 0; k < VIRIAL_COUNT; k++) {
        sum_add(&whole->virial[k], part->virial[k].value);
        sum_add(&whole->virial[k], part->virial[k].rest);
    }
    whole->energy_slope += part->energy_slope;
    whole->virial_scale += part->virial_scale;
    whole->virial_slope += part->virial_slope;
    whole->pairs += part->pairs;
    whole->edges.count += part->edges.count;
    whole->out_of_memory = whole->out_of_memory || part->out_of_memory || part->edges.out_of_memory;
}

/* All edge pairs in the order of the parts. */
static bool join_edges(const struct part *parts, size_t count, size_t total,
                       struct reference *reference, struct error *error) {
    reference->edge_pairs = malloc((total ? total : 1) * sizeof *reference->edge_pairs);
    if (!reference->edge_pairs) {
        return fail_out_of_memory(error, "the reference");
    }
    for (size_t p = 0; p < count; p++) {
        if (parts[p].edges.count > 0) {
            memcpy(reference->edge_pairs + reference->edge_pair_count, parts[p].edges.pairs,
                   parts[p].edges.count * sizeof *reference->edge_pairs);
            reference->edge_pair_count += parts[p].edges.count;
        }
    }
    return true;
}

static void move_sums(const struct part *whole, struct reference *reference) {
    struct sum energy = { 0.0, 0.0 };
    reference->pairs_in_cutoff = whole->pairs;
    for (int kind = 0; kind < TERM_KINDS; kind++) {
        sum_add(&energy, whole->energy[kind].value);
        sum_add(&energy, whole->energy[kind].rest);
        reference->kinds[kind] =
            (struct reference_energy){ sum_total(&whole->energy[kind]), whole->energy_scale[kind],
                                       whole->kind_slope[kind] };
        reference->energy_scale += whole->energy_scale[kind];
    }
    reference->energy = sum_total(&energy);
    for (int k = 0; k < 9; k++) {
        reference->virial[k] = sum_total(&whole->virial[virial_place[k]]);
    }
    reference->energy_slope = whole->energy_slope;
    reference->virial_scale = whole->virial_scale;
    reference->virial_slope = whole->virial_slope;
}

static void clear_sums(struct reference *some) {
    some->energy = some->energy_scale = some->energy_slope = NAN;
    some->virial_scale = some->virial_slope = NAN;
    some->spread = (struct reference_spread){ .energy = NAN,
                                              .virial = NAN,
                                              .energy_shift = NAN,
                                              .virial_shift = NAN,
                                              .energy_equal = NAN,
                                              .energy_condition = NAN,
                                              .virial_coherent = NAN };
    for (int k = 0; k < 9; k++) {
        some->virial[k] = NAN;
    }
    for (int kind = 0; kind < TERM_KINDS; kind++) {
        some->kinds[kind] = (struct reference_energy){ NAN, NAN, NAN };
    }
}

static bool compute(struct rows *rows, struct threads *threads, struct error *error) {
    const size_t tasks = (rows->count + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
    struct part whole = { .pairs = 0 };
    struct reference *reference = rows->reference;
    rows->parts = calloc(tasks ? tasks : 1, sizeof *rows->parts);
    if (!rows->parts) {
        return fail_out_of_memory(error, "the sums of the reference");
    }
    threads_run(threads, tasks, sum_range, rows);
    for (size_t p = 0; p < tasks; p++) {
        add_part(&rows->parts[p], &whole);
    }
    bool made = whole.out_of_memory
                    ? fail_out_of_memory(error, "the sums of the reference")
                    : join_edges(rows->parts, tasks, whole.edges.count, reference, error);
    for (size_t p = 0; p < tasks; p++) {
        free(rows->parts[p].edges.pairs);
    }
    free(rows->parts);
    if (rows->wanted) {
        clear_sums(reference);
    } else {
        move_sums(&whole, reference);
    }
    reference->cutoff = rows->scene.cutoff;
    reference->energies_apart = rows->scene.model.energies_apart;
    reference->length_scale = rows->scene.length_scale;
    return made && (!rows->with_spread ||
                    spread_fill(&rows->scene, &rows->sites, threads, reference, error));
}

/* The sites of the particles asked for. NULL when memory ran out. */
static uint32_t *find_wanted(const struct sites *sites, size_t n, const uint32_t *particle,
                             size_t count) {
    uint32_t *site_of = malloc(n * sizeof *site_of);
    uint32_t *wanted = malloc((count ? count : 1) * sizeof *wanted);
    if (site_of && wanted) {
        memset(site_of, 0xff, n * sizeof *site_of); /* REFERENCE_ELSEWHERE */
        for (size_t s = 0; s < sites->count; s++) {
            site_of[sites->particle[s]] = (uint32_t)s;
        }
        for (size_t k = 0; k < count; k++) {
            wanted[k] = site_of[particle[k]];
        }
    } else {
        free(wanted);
        wanted = NULL;
    }
    free(site_of);
    return wanted;
}

static bool check_particles(size_t n, const uint32_t *particle, size_t count, struct error *error) {
    for (size_t k = 0; particle && k < count; k++) {
        if (particle[k] >= n) {
            return fail(error, STATUS_BAD_INPUT, "there is no particle %u; the box has %zu",
                        particle[k] + 1, n);
        }
    }
    return true;
}

static bool prepare(struct rows *rows, const struct groups *groups, const uint32_t *particle,
                    size_t count, struct threads *threads, struct error *error) {
    const size_t n = rows->scene.box->n;
    choose_windows(rows);
    if (!sites_begin(&rows->scene, groups, threads, &rows->sites, error) ||
        !reference_allocate(particle ? count : n, rows->reference, error)) {
        return false;
    }
    rows->count = particle ? count : rows->sites.count;
    if (!particle) {
        return true;
    }
    rows->wanted = find_wanted(&rows->sites, n, particle, count);
    rows->reference->share = calloc(2 * count + 1, sizeof *rows->reference->share);
    return (rows->wanted && rows->reference->share) ||
           fail_out_of_memory(error, "the sites of the reference");
}

/* wider: pairs so much farther from a cutoff are edge pairs, too. */
static bool compute_rows(struct rows *rows, const struct reference_case *asked, double wider,
                         const uint32_t *particle, size_t count, struct error *error) {
    struct scene *scene = &rows->scene;
    const size_t n = asked->box->n;
    *rows->reference = (struct reference){ 0 };
    if (!check_particles(n, particle, count, error) ||
        !scene_begin(asked->box, asked->interaction, asked->cutoff, scene, error)) {
        return false;
    }
    if (wider > 0.0) {
        scene->edge_width += wider;
        scene->reach = scene->cutoff + scene->edge_width;
        scene->reach2 = scene->reach * scene->reach;
    }
    /* Of few particles there are few rows, but the sites are those of the whole box. */
    const size_t rows_of = particle ? count + n / 64 : n;
    struct threads *threads = threads_open(rows_of / ROWS_PER_TASK + 1);
    const bool computed = prepare(rows, asked->groups, particle, count, threads, error) &&
                          compute(rows, threads, error);
    threads_close(threads);
    free(rows->wanted);
    sites_free(&rows->sites);
    scene_free(scene);
    if (!computed) {
        reference_free(rows->reference);
    }
    return computed;
}

bool reference_rows(const struct reference_case *asked, const uint32_t *particle, size_t count,
                    struct reference *reference, struct error *error) {
    struct rows rows = { .reference = reference, .with_spread = particle == NULL };
    return compute_rows(&rows, asked, 0.0, particle, count, error);
}

bool reference_rows_of_step(const struct reference_case *asked, double wider,
                            struct reference *reference, struct error *error) {
    struct rows rows = { .reference = reference };
    return compute_rows(&rows, asked, wider, NULL, 0, error);
}
