#include "plot/plot_points.h"

#include "variant/variant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sample {
    struct plot_set key; /* the identity alone: no points */
    struct plot_point point;
    const char *reduction;
    size_t source; /* in plot_data.sources */
};

/* ---- rows to samples ---- */

bool plot_is_half_edge(const struct row *row) {
    const double edge = cbrt(row_number(row, COLUMN_N) / row_number(row, COLUMN_DENSITY));
    return fabs(2.0 * row_number(row, COLUMN_CUTOFF) / edge - 1.0) < 1e-6;
}

/* "half the edge" grows with N, so that its numbers differ from row to row though the user asked
 * for one thing. A number that rows of another N share is a number, even if it is half an edge by
 * chance. */
static bool same_cutoff_elsewhere(const struct sample *samples, size_t count,
                                  const struct sample *sample) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(samples[i].key.cutoff, sample->key.cutoff) == 0 &&
            samples[i].point.n != sample->point.n) {
            return true;
        }
    }
    return false;
}

/* A number that can stand on a logarithmic axis; NaN for what no measurement comes to, which only a
 * hand or a torn file writes. */
static double number_between(const struct row *row, enum column column, double least, double most) {
    double value = row_number(row, column);
    return value >= least && value <= most ? value : NAN;
}

static double seconds_of(const struct row *row, enum column column) {
    return number_between(row, column, 1e-12, 1e9);
}

/* After the point: two of a ratio such as 1.58 that is no whole number, none of a large one. */
static int ratio_digits(double ratio) {
    return ratio >= 100 || ratio == floor(ratio) ? 0 : 2;
}

void plot_groups_in_words(const struct row *row, char *words, size_t size) {
    const char *groups = row_text(row, COLUMN_GROUPS);
    size_t length = strlen(groups);
    double n_a = number_between(row, COLUMN_N_A, 1, 1e12);
    double n_b = number_between(row, COLUMN_N_B, 1, 1e12);
    if (length > 6 && strcmp(groups + length - 6, " pairs") == 0) {
        (void)snprintf(words, size, "pairs");
    } else if (n_a > 0 && n_b > 0) {
        const double a = fmax(1, n_a / n_b);
        const double b = fmax(1, n_b / n_a);
        (void)snprintf(words, size, "|A|:|B| = %.*f:%.*f", ratio_digits(a), a, ratio_digits(b), b);
    } else {
        (void)snprintf(words, size, "%s",
                       n_a < row_number(row, COLUMN_N) ? "part of the particles" : "");
    }
}

static void groups_fill(const struct row *row, struct sample *sample) {
    const double n_a = row_number(row, COLUMN_N_A);
    const double n_b = row_number(row, COLUMN_N_B);
    plot_groups_in_words(row, sample->key.groups, sizeof sample->key.groups);
    const bool are_two = sample->key.groups[0] == '|';
    sample->point.n_a = are_two ? n_a : NAN;
    sample->point.n_b = are_two ? n_b : NAN;
}

static void sample_fill(const struct row *row, struct sample *sample) {
    struct plot_set *key = &sample->key;
    struct plot_point *point = &sample->point;
    double cutoff = row_number(row, COLUMN_CUTOFF);
    double density = row_number(row, COLUMN_DENSITY);
    const char *model = row_text(row, COLUMN_DEVICE_MODEL);
    *key = (struct plot_set){ .workload = row_text(row, COLUMN_WORKLOAD),
                              .interaction = row_text(row, COLUMN_INTERACTION),
                              .outputs = row_text(row, COLUMN_OUTPUTS),
                              .backend = row_text(row, COLUMN_BACKEND),
                              .device = *model ? model : row_text(row, COLUMN_DEVICE),
                              .run = "",
                              .kind = row_text(row, COLUMN_BOX_KIND) };
    if (isfinite(density)) {
        (void)snprintf(key->density, sizeof key->density, "%.4g", density);
    }
    if (isfinite(cutoff)) {
        (void)snprintf(key->cutoff, sizeof key->cutoff, "%.6g", cutoff);
    } else {
        (void)snprintf(key->cutoff, sizeof key->cutoff, "none");
    }
    *point =
        (struct plot_point){ .variant = row_text(row, COLUMN_VARIANT),
                             .precision = row_text(row, COLUMN_PRECISION),
                             .tunables = row_text(row, COLUMN_TUNABLES),
                             .n = number_between(row, COLUMN_N, 1, 1e12),
                             .time_s = seconds_of(row, COLUMN_FORCE_S_MEDIAN),
                             .p05_s = seconds_of(row, COLUMN_FORCE_S_P05),
                             .p95_s = seconds_of(row, COLUMN_FORCE_S_P95),
                             .build_s = seconds_of(row, COLUMN_BUILD_S_MEDIAN),
                             .pairs_per_s = number_between(row, COLUMN_PAIRS_PER_S, 1e-9, 1e24),
                             .error = number_between(row, COLUMN_MAX_REL_FORCE_ERROR, 0, 1e18),
                             .nj_per_pair = number_between(row, COLUMN_NJ_PER_PAIR, 1e-12, 1e18),
                             .percent_of_peak =
                                 number_between(row, COLUMN_PERCENT_OF_PEAK, 1e-12, 1e6),
                             .repetitions = 1 };
    sample->reduction = row_text(row, COLUMN_REDUCTION);
    groups_fill(row, sample);
}

/* A case that failed, or one without a time, is no point. Written so that NaN is refused. */
static bool row_usable(const struct row *row) {
    return strcmp(row_text(row, COLUMN_STATUS), "ok") == 0 &&
           !isnan(number_between(row, COLUMN_N, 1, 1e12)) &&
           !isnan(seconds_of(row, COLUMN_FORCE_S_MEDIAN));
}

static bool collect_samples(const struct row_table *tables, size_t table_count,
                            struct sample **samples, struct plot_data *data, struct error *error) {
    for (size_t t = 0; t < table_count; t++) {
        data->rows += tables[t].count;
    }
    const struct row **rows = calloc(data->rows + 1, sizeof *rows);
    *samples = calloc(data->rows + 1, sizeof **samples);
    if (!*samples || !rows) {
        free(rows);
        return fail_out_of_memory(error, "the points of the figures");
    }
    for (size_t t = 0; t < table_count; t++) {
        for (size_t r = 0; r < tables[t].count; r++) {
            const struct row *row = &tables[t].rows[r];
            if (row_is_twin(row)) {
                data->twins++;
            } else if (row_usable(row)) {
                struct sample *sample = &(*samples)[data->ok_rows];
                rows[data->ok_rows++] = row;
                sample_fill(row, sample);
                if (!plot_sources_take(&data->sources, t, row, &sample->source, error)) {
                    free(rows);
                    return false;
                }
                sample->key.table = t;
            }
        }
    }
    bool *half = calloc(data->ok_rows + 1, sizeof *half);
    if (!half) {
        free(rows);
        return fail_out_of_memory(error, "the points of the figures");
    }
    for (size_t i = 0; i < data->ok_rows; i++) {
        half[i] = plot_is_half_edge(rows[i]) &&
                  !same_cutoff_elsewhere(*samples, data->ok_rows, &(*samples)[i]);
    }
    for (size_t i = 0; i < data->ok_rows; i++) {
        if (half[i]) {
            (void)snprintf((*samples)[i].key.cutoff, sizeof(*samples)[i].key.cutoff,
                           "half the edge");
        }
    }
    free(half);
    free(rows);
    return true;
}

/* ---- order ---- */

static int precision_rank(const char *precision) {
    static const char *const ranks[] = { "float", "mixed", "double" };
    for (int i = 0; i < 3; i++) {
        if (strcmp(precision, ranks[i]) == 0) {
            return i;
        }
    }
    return 3;
}

int plot_compare_precisions(const char *a, const char *b) {
    int order = precision_rank(a) - precision_rank(b);
    return order != 0 ? order : strcmp(a, b);
}

/* What a set is about, in three parts. */
enum { KEY_DEVICE = 1, KEY_BOX = 2, KEY_GROUPS = 4 };

/* Runs that are apart in the order in which they were given. */
static int compare_runs(const struct plot_set *a, const struct plot_set *b) {
    const int order = (a->table > b->table) - (a->table < b->table);
    return *a->run && *b->run && order != 0 ? order : strcmp(a->run, b->run);
}

/* Compares all but the parts in `but`. */
static int compare_keys(const struct plot_set *a, const struct plot_set *b, unsigned but) {
    const struct {
        unsigned part;
        const char *left, *right;
    } keys[] = {
        { 0, a->workload, b->workload },      { 0, a->interaction, b->interaction },
        { KEY_DEVICE, a->device, b->device }, { KEY_DEVICE, a->backend, b->backend },
        { KEY_BOX, a->kind, b->kind },        { KEY_BOX, a->density, b->density },
        { KEY_BOX, a->cutoff, b->cutoff },    { 0, a->outputs, b->outputs },
        { KEY_GROUPS, a->groups, b->groups },
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        int order = keys[i].part & but ? 0 : strcmp(keys[i].left, keys[i].right);
        if (order != 0) {
            return order;
        }
    }
    return KEY_DEVICE & but ? 0 : compare_runs(a, b);
}

void plot_device_in_words(const struct plot_set *set, char *words, size_t size) {
    (void)snprintf(words, size, "%s (%s)%s%s", set->device, set->backend, *set->run ? ", " : "",
                   set->run);
}

static int compare_sets(const struct plot_set *a, const struct plot_set *b) {
    return compare_keys(a, b, 0);
}

bool plot_same_but_device(const struct plot_set *a, const struct plot_set *b) {
    return compare_keys(a, b, KEY_DEVICE) == 0;
}

bool plot_same_but_box(const struct plot_set *a, const struct plot_set *b) {
    return compare_keys(a, b, KEY_BOX) == 0;
}

bool plot_same_but_groups(const struct plot_set *a, const struct plot_set *b) {
    return compare_keys(a, b, KEY_GROUPS) == 0;
}

/* By precision, variant and N: what one point of a figure stands for. */
static int compare_places(const struct plot_point *a, const struct plot_point *b) {
    int order = plot_compare_precisions(a->precision, b->precision);
    if (order == 0) {
        order = strcmp(a->variant, b->variant);
    }
    if (order == 0) {
        order = (a->n > b->n) - (a->n < b->n);
    }
    return order;
}

static int compare_samples(const void *left, const void *right) {
    const struct sample *a = left;
    const struct sample *b = right;
    int order = compare_sets(&a->key, &b->key);
    if (order == 0) {
        order = compare_places(&a->point, &b->point);
    }
    if (order == 0) {
        order = strcmp(a->point.tunables, b->point.tunables);
    }
    return order != 0 ? order : strcmp(a->reduction, b->reduction);
}

/* Whether two samples belong to one line of a figure. */
static bool is_same_line(const struct sample *a, const struct sample *b) {
    return compare_sets(&a->key, &b->key) == 0 &&
           strcmp(a->point.precision, b->point.precision) == 0 &&
           strcmp(a->point.variant, b->point.variant) == 0;
}

/* Sorted samples: those of one line follow one another. Gives the sources that share one sets of
 * their own. */
static void part_sources(struct sample *samples, struct plot_data *data,
                         const struct row_table *tables) {
    for (size_t i = 1; i < data->ok_rows; i++) {
        if (samples[i].source != samples[i - 1].source &&
            is_same_line(&samples[i], &samples[i - 1])) {
            plot_sources_part(&data->sources, samples[i].source);
        }
    }
    plot_sources_label(&data->sources, tables);
    for (size_t i = 0; i < data->ok_rows; i++) {
        samples[i].key.run = data->sources.items[samples[i].source].label;
    }
}

static int compare_texts(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static int compare_numbers(const void *left, const void *right) {
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* ---- samples to points ---- */

/* Median of the known ones among one number of each sample; NaN when none is known. */
static double median_of(const struct sample *samples, size_t count, size_t offset,
                        double *scratch) {
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, (const char *)&samples[i].point + offset, sizeof value);
        if (!isnan(value)) {
            scratch[known++] = value;
        }
    }
    if (known == 0) {
        return NAN;
    }
    qsort(scratch, known, sizeof *scratch, compare_numbers);
    return known % 2 ? scratch[known / 2] : 0.5 * (scratch[known / 2 - 1] + scratch[known / 2]);
}

static struct plot_point point_of(const struct sample *samples, size_t count, double *scratch) {
    struct plot_point point = samples[0].point;
    point.repetitions = count;
    point.time_s = median_of(samples, count, offsetof(struct plot_point, time_s), scratch);
    point.p05_s = median_of(samples, count, offsetof(struct plot_point, p05_s), scratch);
    point.p95_s = median_of(samples, count, offsetof(struct plot_point, p95_s), scratch);
    point.build_s = median_of(samples, count, offsetof(struct plot_point, build_s), scratch);
    point.pairs_per_s =
        median_of(samples, count, offsetof(struct plot_point, pairs_per_s), scratch);
    point.nj_per_pair =
        median_of(samples, count, offsetof(struct plot_point, nj_per_pair), scratch);
    point.percent_of_peak =
        median_of(samples, count, offsetof(struct plot_point, percent_of_peak), scratch);
    for (size_t i = 0; i < count; i++) {
        point.error = fmax(point.error, samples[i].point.error); /* fmax leaves NaN out */
    }
    if (!(point.p05_s > 0 && point.p05_s <= point.time_s)) {
        point.p05_s = point.time_s;
    }
    if (!(point.p95_s >= point.time_s && isfinite(point.p95_s))) {
        point.p95_s = point.time_s;
    }
    return point;
}

/* Adds a point to a set, or lets it compete with the one that stands in its place. */
static void set_take(struct plot_set *set, const struct plot_point *point) {
    set->averaged = set->averaged || point->repetitions > 1;
    set->built = set->built || point->build_s > 0;
    if (set->count > 0 && compare_places(&set->point[set->count - 1], point) == 0) {
        set->tuned = true;
        if (point->time_s < set->point[set->count - 1].time_s) {
            set->point[set->count - 1] = *point;
        }
        return;
    }
    set->point[set->count++] = *point;
}

static void form_sets(const struct sample *samples, struct plot_data *data, double *scratch) {
    size_t used = 0;
    for (size_t begin = 0, end; begin < data->ok_rows; begin = end) {
        for (end = begin + 1;
             end < data->ok_rows && compare_samples(&samples[begin], &samples[end]) == 0;) {
            end++;
        }
        if (begin == 0 || compare_sets(&samples[begin - 1].key, &samples[begin].key) != 0) {
            data->sets[data->count] = samples[begin].key;
            data->sets[data->count++].point = data->points + used;
        }
        struct plot_set *set = &data->sets[data->count - 1];
        size_t before = set->count;
        struct plot_point point = point_of(&samples[begin], end - begin, scratch);
        set_take(set, &point);
        used += set->count - before;
    }
}

/* Index of a variant in data->variants; their count where it is not among them. */
static size_t index_of(const struct plot_data *data, const char *variant) {
    size_t i = 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): every point has a variant */
    while (i < data->variant_count && strcmp(data->variants[i], variant) != 0) {
        i++;
    }
    return i;
}

static void list_variants(struct plot_data *data) {
    for (size_t s = 0; s < data->count; s++) {
        for (size_t p = 0; p < data->sets[s].count; p++) {
            const char *variant = data->sets[s].point[p].variant;
            if (index_of(data, variant) == data->variant_count) {
                data->variants[data->variant_count++] = variant;
            }
        }
    }
    if (data->variant_count > 0) {
        qsort(data->variants, data->variant_count, sizeof *data->variants, compare_texts);
    }
}

bool plot_points_collect(const struct row_table *tables, size_t count, struct plot_data *data,
                         struct error *error) {
    struct sample *samples = NULL;
    *data = (struct plot_data){ 0 };
    if (!collect_samples(tables, count, &samples, data, error)) {
        plot_points_free(data);
        free(samples);
        return false;
    }
    if (data->ok_rows == 0) {
        free(samples);
        return true;
    }
    double *scratch = calloc(data->ok_rows, sizeof *scratch);
    data->points = calloc(data->ok_rows, sizeof *data->points);
    data->sets = calloc(data->ok_rows, sizeof *data->sets);
    data->variants = calloc(data->ok_rows, sizeof *data->variants);
    if (!scratch || !data->points || !data->sets || !data->variants) {
        plot_points_free(data);
        free(scratch);
        free(samples);
        return fail_out_of_memory(error, "the points of the figures");
    }
    qsort(samples, data->ok_rows, sizeof *samples, compare_samples);
    part_sources(samples, data, tables);
    qsort(samples, data->ok_rows, sizeof *samples, compare_samples);
    form_sets(samples, data, scratch);
    list_variants(data);
    free(scratch);
    free(samples);
    return true;
}

void plot_points_free(struct plot_data *data) {
    free(data->points);
    free(data->sets);
    free(data->variants);
    plot_sources_free(&data->sources);
    *data = (struct plot_data){ 0 };
}

/* The place of a built-in variant among those of its workload, or -1; `most` is the largest
 * workload's number of variants. */
static int built_in_index(const char *variant, size_t *most) {
    struct error error;
    size_t count = 0;
    int found = -1;
    const struct variant *all = variants_embedded(&count, &error);
    *most = 0;
    for (size_t i = 0; all && i < count; i++) {
        size_t before = 0;
        for (size_t j = 0; j < i; j++) {
            before += all[j].workload == all[i].workload;
        }
        *most = before + 1 > *most ? before + 1 : *most;
        found = strcmp(all[i].name, variant) == 0 ? (int)before : found;
    }
    return found;
}

size_t plot_variant_index(const struct plot_data *data, const char *variant) {
    size_t first = 0;
    int own = built_in_index(variant, &first);
    if (own >= 0) {
        return (size_t)own;
    }
    size_t others = 0;
    for (size_t i = 0; i < index_of(data, variant); i++) {
        size_t unused;
        others += built_in_index(data->variants[i], &unused) < 0;
    }
    return first + others;
}
