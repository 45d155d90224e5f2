#include "plot/plot_sources.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

void plot_sources_free(struct plot_sources *sources) {
    free(sources->items);
    *sources = (struct plot_sources){ 0 };
}

static const char *model_of(const struct row *row) {
    const char *model = row_text(row, COLUMN_DEVICE_MODEL);
    return *model ? model : row_text(row, COLUMN_DEVICE);
}

static bool is_of(const struct plot_source *source, const struct plot_source *other) {
    return source->table == other->table && strcmp(source->host, other->host) == 0 &&
           strcmp(source->device, other->device) == 0 && strcmp(source->model, other->model) == 0 &&
           strcmp(source->backend, other->backend) == 0;
}

bool plot_sources_take(struct plot_sources *sources, size_t table, const struct row *row,
                       size_t *index, struct error *error) {
    const struct plot_source source = { .table = table,
                                        .host = row_text(row, COLUMN_HOST),
                                        .device = row_text(row, COLUMN_DEVICE),
                                        .model = model_of(row),
                                        .backend = row_text(row, COLUMN_BACKEND) };
    /* Rows of one source follow one another: the last is tried first. */
    for (size_t i = sources->count; i > 0; i--) {
        if (is_of(&sources->items[i - 1], &source)) {
            *index = i - 1;
            return true;
        }
    }
    struct plot_source *items = realloc(sources->items, (sources->count + 1) * sizeof *items);
    if (!items) {
        return fail_out_of_memory(error, "the runs of the figures");
    }
    sources->items = items;
    *index = sources->count;
    items[sources->count++] = source;
    return true;
}

static bool are_of_one_model(const struct plot_source *a, const struct plot_source *b) {
    return strcmp(a->model, b->model) == 0 && strcmp(a->backend, b->backend) == 0;
}

void plot_sources_part(struct plot_sources *sources, size_t index) {
    if (sources->items[index].apart) {
        return;
    }
    for (size_t i = 0; i < sources->count; i++) {
        if (are_of_one_model(&sources->items[i], &sources->items[index])) {
            sources->items[i].apart = true;
        }
    }
}

/* ---- labels ---- */

/* What several sources of one model differ in. */
struct difference {
    bool run, host, device;
};

static struct difference difference_of(const struct plot_sources *sources,
                                       const struct plot_source *one) {
    struct difference differ = { false, false, false };
    for (size_t i = 0; i < sources->count; i++) {
        const struct plot_source *a = &sources->items[i];
        for (size_t j = 0; are_of_one_model(a, one) && j < i; j++) {
            const struct plot_source *b = &sources->items[j];
            if (!are_of_one_model(a, b)) {
                continue;
            }
            const bool same_host = strcmp(a->host, b->host) == 0;
            differ.run = differ.run || a->table != b->table;
            differ.host = differ.host || (a->table == b->table && !same_host);
            differ.device = differ.device || (a->table == b->table && same_host &&
                                              strcmp(a->device, b->device) != 0);
        }
    }
    return differ;
}

static void label_source(struct plot_source *source, const struct difference *differ,
                         const char *run) {
    char number[RUN_NAME_SIZE] = "";
    if (differ->run && !run) {
        (void)snprintf(number, sizeof number, "run %zu", source->table + 1);
    }
    (void)snprintf(source->label, sizeof source->label, "%.80s%s%.40s%s%.30s",
                   differ->run && run ? run : number, differ->run && differ->host ? ", " : "",
                   differ->host ? source->host : "",
                   differ->device && (differ->run || differ->host) ? ", " : "",
                   differ->device ? source->device : "");
}

void plot_sources_label(struct plot_sources *sources, const struct row_table *tables) {
    for (size_t first = 0; first < sources->count; first++) {
        struct plot_source *one = &sources->items[first];
        if (!one->apart || *one->label) {
            continue;
        }
        const struct difference differ = difference_of(sources, one);
        for (size_t i = first; i < sources->count; i++) {
            struct plot_source *source = &sources->items[i];
            if (are_of_one_model(source, one)) {
                label_source(source, &differ, tables[source->table].label);
            }
        }
    }
}
