/* Notes what limits the times of a run: load of the machine, noise, short kernels. */
#include "answers/summary/summary.h"

#include "campaign/rows/rows.h"
#include "core/quantity.h"
#include "core/strings.h"
#include "devices/machine/machine_watch.h"

static void write_noise(const struct row_table *table, struct strbuf *text) {
    struct noise_floor floor;
    noise_floor_find(table, &floor);
    if (floor.pairs > 0) {
        char spread[QUANTITY_SIZE];
        quantity_percent(floor.ratio_spread, spread, sizeof spread);
        strbuf_append(text,
                      "noise    %s: smaller differences mean nothing (from %zu case%s timed "
                      "twice)\n",
                      spread, floor.pairs, floor.pairs == 1 ? "" : "s");
    }
}

static void write_visits(struct analysis *analysis, struct strbuf *text) {
    struct answer visits = analysis_ask(
        analysis, "SELECT percentile(visit_deviation, 50), max(visit_deviation),"
                  " count(visit_deviation), (SELECT case_name FROM results"
                  "   ORDER BY visit_deviation DESC NULLS LAST, id LIMIT 1) FROM results");
    const double count = answer_number(&visits, 0, 2);
    if (count > 0) {
        char median[QUANTITY_SIZE], most[QUANTITY_SIZE];
        quantity_percent(answer_number(&visits, 0, 0), median, sizeof median);
        quantity_percent(answer_number(&visits, 0, 1), most, sizeof most);
        strbuf_append(text,
                      "visits   of one case differ by %s (standard deviation; median of %.0f "
                      "case%s)\n         at most by %s: %s\n",
                      median, count, count == 1 ? "" : "s", most, answer_text(&visits, 0, 3));
    }
    answer_free(&visits);
}

static void write_short(struct analysis *analysis, struct strbuf *text) {
    const double count =
        analysis_ask_number(analysis, "SELECT count(*) FROM results WHERE short_kernel = 1");
    if (count > 0) {
        strbuf_append(
            text,
            "short    %.0f row%s (marked *) shorter than 3 launch overheads of the device: much of "
            "the time\n         is launching; --launch graph:16 times evaluations without it\n",
            count, count == 1 ? " is" : "s are");
    }
}

static void write_throttled(struct analysis *analysis, struct strbuf *text) {
    struct answer dropped = analysis_ask(analysis, "SELECT sum(samples_dropped), count(*) FROM rows"
                                                   " WHERE samples_dropped > 0");
    struct answer reasons = analysis_ask(
        analysis, "SELECT throttle_reasons, count(*) FROM results GROUP BY throttle_reasons");
    const double thinned = answer_number(&dropped, 0, 1);
    double slowed = 0;
    for (size_t i = 0; i < reasons.rows; i++) {
        slowed += throttle_slows(answer_text(&reasons, i, 0)) ? answer_number(&reasons, i, 1) : 0;
    }
    if (thinned > 0) {
        strbuf_append(text, "throttle %.0f samples of %.0f row%s were dropped: the clock was low\n",
                      answer_number(&dropped, 0, 0), thinned, thinned == 1 ? "" : "s");
    }
    if (slowed > 0) {
        strbuf_append(text, "throttle %.0f row%s timed at a low clock, which did not recover\n",
                      slowed, slowed == 1 ? " was" : "s were");
    }
    answer_free(&dropped);
    answer_free(&reasons);
}

static void write_load(struct analysis *analysis, struct strbuf *text) {
    struct answer loads = analysis_ask(analysis,
                                       "SELECT count(*), max(machine_load) FROM results"
                                       " WHERE machine_load > %!.15g",
                                       machine_load_bound);
    const double loaded = answer_number(&loads, 0, 0);
    if (loaded > 0) {
        char bound[QUANTITY_SIZE], load[QUANTITY_SIZE];
        quantity_percent(machine_load_bound, bound, sizeof bound);
        quantity_percent(answer_number(&loads, 0, 1), load, sizeof load);
        strbuf_append(text,
                      "load     other processes took more than %s of the processors, up to %s, "
                      "while\n         %.0f row%s timed\n",
                      bound, load, loaded, loaded == 1 ? " was" : "s were");
    }
    answer_free(&loads);
}

void summary_notes(struct analysis *analysis, const struct row_table *table, struct strbuf *text) {
    write_noise(table, text);
    write_visits(analysis, text);
    write_short(analysis, text);
    write_throttled(analysis, text);
    write_load(analysis, text);
}
