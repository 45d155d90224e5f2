/*
 * The table of all rows. A column whose rows all say the same is named above the table instead,
 * and one that is empty throughout is left out; what is left is shown in two measures: the columns
 * that most readers look for, and, where the reader asks for them, all.
 */
#include "base/quantity.h"
#include "report/html.h"
#include "report/report_sections.h"

#include <math.h>
#include <string.h>

enum column_kind { WORDS, COUNT, NUMBER, SECONDS, PERCENT, FLAG };

/* ALWAYS stays though all rows say the same; MORE is shown when all columns are; CHOICE can be
 * filtered by a list of its values. */
enum { ALWAYS = 1, MORE = 2, CHOICE = 4 };

struct column {
    const char *name; /* in rows.csv */
    const char *heading;
    enum column_kind kind;
    unsigned flags;
};

static const struct column columns[] = {
    { "status", "Status", WORDS, ALWAYS | CHOICE },
    { "device_model", "Device", WORDS, CHOICE },
    { "backend", "Backend", WORDS, CHOICE },
    { "device", "Device name", WORDS, MORE },
    { "host", "Host", WORDS, CHOICE },
    { "git_commit", "Commit", WORDS, MORE },
    { "workload", "Workload", WORDS, CHOICE },
    { "interaction", "Interaction", WORDS, CHOICE },
    { "variant", "Variant", WORDS, ALWAYS | CHOICE },
    { "structure", "Structure", WORDS, MORE },
    { "tunables", "Tunables", WORDS, 0 },
    { "tuned", "Tuned", FLAG, CHOICE },
    { "precision", "Precision", WORDS, ALWAYS | CHOICE },
    { "outputs", "Outputs", WORDS, CHOICE },
    { "reduction", "Reduction", WORDS, CHOICE },
    { "groups", "Groups", WORDS, 0 },
    { "n_a", "N in A", COUNT, 0 },
    { "n_b", "N in B", COUNT, 0 },
    { "box_kind", "Box", WORDS, CHOICE },
    { "n", "N", COUNT, ALWAYS | CHOICE },
    { "density", "Density", NUMBER, 0 },
    { "cutoff", "Cutoff", NUMBER, 0 },
    { "periodic", "Periodic", FLAG, CHOICE },
    { "seed", "Seed", COUNT, MORE },
    { "repetition", "Repetition", COUNT, MORE },
    { "twin", "Second timing", FLAG, CHOICE },
    { "force_s_median", "Time", SECONDS, ALWAYS },
    { "force_s_mad", "MAD", SECONDS, 0 },
    { "force_s_min", "Least", SECONDS, MORE },
    { "force_s_p05", "5th percentile", SECONDS, MORE },
    { "force_s_p95", "95th percentile", SECONDS, MORE },
    { "build_s_median", "Building", SECONDS, 0 },
    { "cold_force_s_median", "Cold", SECONDS, MORE },
    { "end_to_end_s_median", "With transfers", SECONDS, 0 },
    { "short_kernel", "Short kernel", FLAG, CHOICE },
    { "samples", "Samples", COUNT, MORE },
    { "samples_dropped", "Dropped", COUNT, MORE },
    { "stop_reason", "Stopped by", WORDS, MORE },
    { "machine_load", "Load by others", NUMBER, MORE },
    { "pairs_in_cutoff", "Pairs in cutoff", COUNT, MORE },
    { "pairs_evaluated", "Distances", COUNT, MORE },
    { "hit_ratio", "Hit ratio", NUMBER, 0 },
    { "pairs_per_s", "Pairs/s", NUMBER, 0 },
    { "evaluated_pairs_per_s", "Distances/s", NUMBER, MORE },
    { "ns_per_particle", "ns per particle", NUMBER, MORE },
    { "percent_of_peak", "Of peak", PERCENT, 0 },
    { "nj_per_pair", "nJ per pair", NUMBER, 0 },
    { "max_rel_force_error", "Largest error", NUMBER, 0 },
    { "rms_rel_force_error", "RMS error", NUMBER, MORE },
    { "rel_energy_error", "Energy error", NUMBER, MORE },
    { "rel_virial_error", "Virial error", NUMBER, MORE },
    { "worst_ratio", "Error / tolerance", NUMBER, 0 },
    { "bitwise_repeatable", "Repeatable", FLAG, MORE },
    { "registers", "Registers", COUNT, MORE },
    { "local_bytes", "Local bytes", COUNT, MORE },
    { "sm_clock_mhz", "Clock, MHz", COUNT, MORE },
    { "temperature_c", "Temperature, C", COUNT, MORE },
    { "power_w", "Power, W", NUMBER, MORE },
    { "energy_j", "Energy, J", NUMBER, MORE },
    { "throttle_reasons", "Throttled by", WORDS, MORE },
    { "driver", "Driver", WORDS, MORE },
    { "toolkit", "Toolkit", WORDS, MORE },
    { "compiler_options", "Compiler options", WORDS, MORE },
    { "wall_s", "Whole case", SECONDS, MORE },
    { "utc", "When (UTC)", WORDS, MORE },
    { "message", "Message", WORDS, 0 },
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

struct rows_table {
    const struct report_data *data;
    bool is_shown[COLUMNS];
    const char *common[COLUMNS]; /* what all rows say; NULL where they differ */
};

static void find_common(struct rows_table *table, int c) {
    const struct report_data *data = table->data;
    const char *common = NULL;
    for (size_t r = 0; r < data->count; r++) {
        for (size_t i = 0; i < data->runs[r].rows->count; i++) {
            const char *words = row_text(&data->runs[r].rows->rows[i], columns[c].name);
            if (common && strcmp(common, words) != 0) {
                table->is_shown[c] = true;
                return;
            }
            common = words;
        }
    }
    table->common[c] = common;
    table->is_shown[c] = columns[c].flags & ALWAYS;
}

/* ---- what is common ---- */

static const char *flag_in_words(const char *flag) {
    if (strcmp(flag, "1") == 0) {
        return "yes";
    }
    return strcmp(flag, "0") == 0 ? "no" : flag;
}

static void write_common(const struct rows_table *table, struct text *html) {
    text_append(html, "<details><summary>The same in all rows</summary><dl class=common>");
    for (int c = 0; c < COLUMNS; c++) {
        if (table->common[c] && *table->common[c] && !table->is_shown[c]) {
            text_append(html, "<dt>%s</dt><dd>", columns[c].heading);
            html_name(html,
                      columns[c].kind == FLAG ? flag_in_words(table->common[c]) : table->common[c]);
            text_append(html, "</dd>");
        }
    }
    text_append(html, "</dl></details>\n");
}

/* ---- the head ---- */

static void write_heading(const struct column *column, struct text *html) {
    text_append(html, "<th scope=col data-column=%s%s%s%s title=\"%s\">%s</th>", column->name,
                column->kind == WORDS || column->kind == FLAG ? "" : " data-number",
                column->flags & CHOICE ? " data-choice" : "",
                column->flags & MORE ? " class=more" : "", column->name, column->heading);
}

static void write_head(const struct rows_table *table, struct text *html) {
    text_append(html, "<thead><tr>");
    if (table->data->count > 1) {
        text_append(html, "<th scope=col data-column=run data-choice>Run</th>");
    }
    for (int c = 0; c < COLUMNS; c++) {
        if (table->is_shown[c]) {
            write_heading(&columns[c], html);
        }
    }
    text_append(html, "</tr></thead>\n");
}

/* ---- rows ---- */

/* As few digits as tell it; data-v is the number itself, which sorting goes by. */
static void write_number(const struct column *column, const char *words, double value,
                         struct text *html) {
    char shown[40];
    if (column->kind == SECONDS) {
        text_append(html, " data-v=%.9g>", value);
        html_seconds(html, value);
        return;
    }
    if (column->kind == PERCENT) {
        quantity_number(value, " %", shown, sizeof shown);
    } else if (column->kind == COUNT && value < 1e15 && value == floor(value)) {
        (void)snprintf(shown, sizeof shown, "%.0f", value);
    } else if (isinf(value)) {
        text_append(html, " data-v=Infinity>none");
        return;
    } else {
        (void)snprintf(shown, sizeof shown, "%.4g", value);
    }
    if (strcmp(shown, words) == 0) {
        text_append(html, ">%s", words);
    } else {
        text_append(html, " data-v=%.9g>%s", value, shown);
    }
}

/* The variant is what a row is called by. */
static void write_cell(const struct column *column, const struct row *row, struct text *html) {
    const char *words = row_text(row, column->name);
    double value = row_number(row, column->name);
    if (strcmp(column->name, "variant") == 0) {
        text_append(html, "<th scope=row>");
        html_text(html, words);
        text_append(html, "</th>");
        return;
    }
    if (column->kind == WORDS || column->kind == FLAG || isnan(value)) {
        text_append(html, column->flags & MORE ? "<td class=more>" : "<td>");
        html_text(html, column->kind == FLAG ? flag_in_words(words) : words);
    } else {
        text_append(html, column->flags & MORE ? "<td class=\"more r\"" : "<td class=r");
        write_number(column, words, value, html);
    }
    text_append(html, "</td>");
}

static void write_row(const struct rows_table *table, const struct report_run *run,
                      const struct row *row, struct text *html) {
    text_append(html, report_passed(row) ? "<tr" : "<tr class=failed");
    text_append(html, report_passed(row) && row_is_twin(row) ? " class=twin>" : ">");
    if (table->data->count > 1) {
        text_append(html, "<td>%s</td>", run->label);
    }
    for (int c = 0; c < COLUMNS; c++) {
        if (table->is_shown[c]) {
            write_cell(&columns[c], row, html);
        }
    }
    text_append(html, "</tr>\n");
}

/* The script fills the controls in and shows them. */
static void write_controls(struct text *html) {
    text_append(html,
                "<form id=controls hidden><p><label for=filter>Words that a row holds</label> "
                "<input id=filter type=search autocomplete=off spellcheck=false> "
                "<label><input id=all type=checkbox> all columns</label> "
                "<button type=reset>Show all rows</button> "
                "<output id=shown aria-live=polite></output></p>"
                "<fieldset id=choices><legend>Only</legend></fieldset></form>\n");
}

void report_rows(const struct report_data *data, struct text *html) {
    struct rows_table table = { .data = data };
    for (int c = 0; c < COLUMNS; c++) {
        find_common(&table, c);
    }
    text_append(html, "<section id=rows>\n<h2>Rows</h2>\n");
    write_common(&table, html);
    write_controls(html);
    text_append(html,
                "<div class=\"scroll tall\" role=region aria-label=\"Rows\" tabindex=0>"
                "<table id=table class=numbers><caption>All rows: medians; building the structure "
                "is not in the time; the titles of columns name them in rows.csv</caption>\n");
    write_head(&table, html);
    text_append(html, "<tbody>\n");
    for (size_t r = 0; r < data->count; r++) {
        for (size_t i = 0; i < data->runs[r].rows->count; i++) {
            write_row(&table, &data->runs[r], &data->runs[r].rows->rows[i], html);
        }
    }
    text_append(html, "</tbody></table></div>\n<p><button id=rest type=button "
                      "hidden></button></p>\n</section>\n");
}
