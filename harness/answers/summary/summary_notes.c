#include "answers/summary/summary.h"

#include "campaign/rows/rows.h"
#include "core/quantity.h"
#include "core/statistics.h"
#include "core/strings.h"
#include "devices/machine/machine_watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_result(const struct row *row) {
    return strcmp(row_text(row, COLUMN_STATUS), "ok") == 0 && !row_is_repeat(row);
}

static bool write_noise(const struct row_table *table, struct strbuf *text, struct error *error) {
    struct noise_floor floor;
    if (!noise_floor_find(table, &floor, error)) {
        return false;
    }
    if (floor.pairs > 0) {
        char spread[QUANTITY_SIZE];
        quantity_percent(floor.ratio_spread, spread, sizeof spread);
        strbuf_append(text,
                      "noise    %s: smaller differences mean nothing (from %zu case%s timed "
                      "twice)\n",
                      spread, floor.pairs, floor.pairs == 1 ? "" : "s");
    }
    return true;
}

/* Relative; NaN where there is but one visit. */
static double deviation_of_visits(const struct row *row) {
    return is_result(row)
               ? row_number(row, COLUMN_VISIT_S_SD) / row_number(row, COLUMN_FORCE_S_MEDIAN)
               : NAN;
}

static bool write_visits(const struct row_table *table, struct strbuf *text, struct error *error) {
    double *deviations = calloc(table->count + 1, sizeof *deviations);
    size_t count = 0;
    const struct row *worst = NULL;
    if (!deviations) {
        return fail_out_of_memory(error, "the visits");
    }
    for (size_t i = 0; i < table->count; i++) {
        const double deviation = deviation_of_visits(&table->rows[i]);
        if (!isnan(deviation)) {
            deviations[count++] = deviation;
            worst = worst && deviation <= deviation_of_visits(worst) ? worst : &table->rows[i];
        }
    }
    if (worst) {
        char median[QUANTITY_SIZE], most[QUANTITY_SIZE];
        sort_numbers(deviations, count);
        quantity_percent(quantile_of_sorted(deviations, count, 0.5), median, sizeof median);
        quantity_percent(deviations[count - 1], most, sizeof most);
        strbuf_append(text,
                      "visits   of one case differ by %s (standard deviation; median of %zu "
                      "case%s)\n         at most by %s: %s\n",
                      median, count, count == 1 ? "" : "s", most,
                      row_text(worst, COLUMN_CASE_NAME));
    }
    free(deviations);
    return true;
}

static void write_short(const struct row_table *table, struct strbuf *text) {
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        count +=
            is_result(&table->rows[i]) && row_number(&table->rows[i], COLUMN_SHORT_KERNEL) == 1;
    }
    if (count > 0) {
        strbuf_append(
            text,
            "short    %zu row%s (marked *) shorter than 3 launch overheads of the device: much of "
            "the time\n         is launching\n",
            count, count == 1 ? " is" : "s are");
    }
}

static void write_throttled(const struct row_table *table, struct strbuf *text) {
    double dropped = 0;
    size_t thinned = 0;
    size_t slowed = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        const double samples = row_number(row, COLUMN_SAMPLES_DROPPED);
        dropped += samples > 0 ? samples : 0;
        thinned += samples > 0;
        slowed += is_result(row) && throttle_slows(row_text(row, COLUMN_THROTTLE_REASONS));
    }
    if (thinned > 0) {
        strbuf_append(text, "throttle %.0f samples of %zu row%s were dropped: the clock was low\n",
                      dropped, thinned, thinned == 1 ? "" : "s");
    }
    if (slowed > 0) {
        strbuf_append(text, "throttle %zu row%s timed at a low clock, which did not recover\n",
                      slowed, slowed == 1 ? " was" : "s were");
    }
}

static void write_load(const struct row_table *table, struct strbuf *text) {
    size_t loaded = 0;
    double most = 0;
    for (size_t i = 0; i < table->count; i++) {
        const double load = row_number(&table->rows[i], COLUMN_MACHINE_LOAD);
        if (is_result(&table->rows[i]) && load > machine_load_bound) {
            loaded++;
            most = fmax(most, load);
        }
    }
    if (loaded > 0) {
        char bound[QUANTITY_SIZE], load[QUANTITY_SIZE];
        quantity_percent(machine_load_bound, bound, sizeof bound);
        quantity_percent(most, load, sizeof load);
        strbuf_append(text,
                      "load     other processes took more than %s of the processors, up to %s, "
                      "while\n         %zu row%s timed\n",
                      bound, load, loaded, loaded == 1 ? " was" : "s were");
    }
}

bool summary_notes(const struct row_table *table, struct strbuf *text, struct error *error) {
    if (!write_noise(table, text, error) || !write_visits(table, text, error)) {
        return false;
    }
    write_short(table, text);
    write_throttled(table, text);
    write_load(table, text);
    return true;
}
