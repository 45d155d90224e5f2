/* The schema: one table of axes and one of columns, from which options and their help, the header
 * of rows.csv, its readers and share/schemas/row.json come. Run with the name of a file, it writes
 * the JSON Schema there. */
#include "answers/summary/summary.h"
#include "campaign/axes/axes.h"
#include "campaign/plan/plan.h"
#include "core/error.h"
#include "core/files.h"
#include "core/strings.h"
#include "kernels/case.h"
#include "kernels/header/read_variant.h"

#include "support.h"

/* What sets two settings apart stands in the headings of their tables. */
TEST(settings_are_told_apart) {
    for (int c = 0; c < COLUMN_COUNT; c++) {
        int place = 0;
        while (summary_setting_columns[place] != COLUMN_COUNT &&
               summary_setting_columns[place] != (enum column)c) {
            place++;
        }
        if (column_is_setting((enum column)c) && summary_setting_columns[place] == COLUMN_COUNT) {
            fail_msg("%s is in no heading", column_names[c]);
        }
    }
}

/* Folders of the first day go on being read, and new columns stand at the end. */
TEST(older_headers_are_the_beginning) {
    static const char first[] =
        "run_id case_id utc host git_commit workload interaction variant structure precision "
        "outputs tunables box_kind n density cutoff seed box_hash pairs_in_cutoff backend device "
        "driver toolkit compiler_options kernel_hash registers local_bytes status message "
        "max_rel_force_error rms_rel_force_error rel_energy_error rel_virial_error "
        "bitwise_repeatable build_s_median force_s_median force_s_min force_s_p05 force_s_p95 "
        "force_s_mad cold_force_s_median samples stop_reason pairs_evaluated hit_ratio pairs_per_s "
        "evaluated_pairs_per_s ns_per_particle percent_of_peak sm_clock_mhz temperature_c power_w "
        "energy_j throttle_reasons";
    char **names = split_list(first, ' ');
    assert_non_null(names);
    for (int i = 0; names[i]; i++) {
        assert_string_equal(column_names[i], names[i]);
    }
    free(names);
    assert_null(column_names[COLUMN_COUNT]);
}

TEST(every_column_is_told_of) {
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const struct column_entry *entry = &column_table[i];
        assert_int_equal(column_find(entry->name), i); /* each name once */
        assert_string_equal(entry->name, column_names[i]);
        assert_true(strlen(entry->meaning) > 5);
        assert_int_equal(entry->meaning[strlen(entry->meaning) - 1], '.');
        assert_null(strpbrk(entry->meaning, "|\n"));
    }
    assert_int_equal(column_find("no such column"), -1);
}

TEST(columns_are_found_by_role) {
    size_t count = 0;
    for (enum column c = column_next(ROLE_BY_VARIANT, -1); c < COLUMN_COUNT;
         c = column_next(ROLE_BY_VARIANT, c)) {
        assert_true(c == COLUMN_VARIANT || c == COLUMN_STRUCTURE || c == COLUMN_TUNABLES);
        count++;
    }
    assert_int_equal(count, 3);
    assert_int_equal(column_next(ROLE_IDENTITY, -1), COLUMN_WORKLOAD);
}

TEST(types_have_units) {
    assert_string_equal(column_unit(COLUMN_FORCE_S_MEDIAN), "s");
    assert_string_equal(column_unit(COLUMN_PERCENT_OF_PEAK), "%");
    assert_string_equal(column_unit(COLUMN_N), "");
    assert_string_equal(column_unit(COLUMN_POWER_W), "W");
    assert_int_equal(column_table[COLUMN_TWIN].type, COLUMN_TYPE_FLAG);
}

/* ---- axes ---- */

TEST(options_fill_axes) {
    char *argv[] = {
        "x", "--n=1k", "--pairs", "--tune", "A=1", "--tune=B=2", "--reduction", "warp"
    };
    const int argc = sizeof argv / sizeof argv[0];
    struct axes axes = { 0 };
    struct error error;
    bool taken = true;
    for (struct command_words words = { argc, argv, 1 }; words.at < argc && taken;) {
        assert_true(axes_take_option(&axes, &words, &taken, &error));
        assert_true(taken);
    }
    assert_string_equal(axes.n, "1k");
    assert_string_equal(axes.reduction, "warp");
    assert_string_equal(axes.tunes[1], "B=2");
    assert_true(axes.pairs);
    for (int i = 0; i < AXIS_COUNT; i++) {
        assert_int_equal(axes_say(&axes, (enum axis)i),
                         i == AXIS_N || i == AXIS_PAIRS || i == AXIS_TUNE || i == AXIS_REDUCTION);
    }
    axes_free(&axes);
    assert_null(axes.tunes);
}

TEST(every_axis_is_whole) {
    for (int i = 0; i < AXIS_COUNT; i++) {
        const struct axis_entry *entry = &axis_table[i];
        assert_int_equal(strncmp(entry->option, "--", 2), 0);
        assert_int_equal(entry->shape == AXIS_SWITCH, entry->placeholder == NULL);
        assert_int_equal(entry->values != NULL && entry->noun == NULL, i == AXIS_CUTOFF);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(entry->option, axis_table[j].option);
            assert_int_not_equal(entry->offset, axis_table[j].offset);
        }
        /* Where rows can be chosen by its names, the column has the same default. */
        const char *absent = column_table[entry->column].absent;
        const bool of_all = column_is_of_all(entry->column); /* else empty in the others */
        if (entry->chooses == ROWS_BY_NAME && absent && of_all) {
            assert_string_equal(entry->otherwise, absent);
        }
    }
}

/* The enums of the harness count in the order of the table. */
TEST(values_are_those_of_the_enums) {
    assert_string_equal(axis_value_name(AXIS_REDUCTION, REDUCTION_TREE), "tree");
    assert_string_equal(axis_value_name(AXIS_REDUCTION, REDUCTION_CUB), "cub");
    assert_string_equal(axis_value_name(AXIS_REDUCTION, (enum reduction)99), "unknown");
    assert_string_equal(outputs_name(OUTPUTS_FORCES), "forces");
    assert_string_equal(outputs_name(OUTPUTS_VIRIAL), "virial");
    for (int i = 0; i <= PRECISION_DOUBLE; i++) {
        assert_string_equal(precision_name((enum precision)i),
                            axis_value_name(AXIS_PRECISION, (size_t)i));
    }
    assert_null(axis_table[AXIS_PRECISION].values[PRECISION_COUNT]);
    assert_null(axis_table[AXIS_OUTPUTS].values[OUTPUTS_VIRIAL + 1]);
    assert_null(axis_table[AXIS_REDUCTION].values[REDUCTION_CUB + 1]);
}

/* The first whose workload has the axis. */
static const struct variant *variant_with(const struct variant *variants, size_t count,
                                          enum axis axis) {
    size_t v = 0;
    while (v < count && !axis_is_of(axis, variants[v].workload)) {
        v++;
    }
    assert_true(v < count);
    return &variants[v];
}

/* Whatever cases hold by number they take by number, and say by the same word. */
TEST(numbered_words_are_chosen) {
    struct error error;
    size_t count;
    const struct variant *variants = variants_embedded(&count, &error);
    assert_non_null(variants);
    int numbered = 0;
    for (int a = 0; a < AXIS_COUNT; a++) {
        const struct axis_entry *entry = &axis_table[a];
        struct case_spec spec = { .variant = variant_with(variants, count, (enum axis)a),
                                  .outputs = OUTPUTS_VIRIAL };
        for (size_t v = 0; entry->numbered && entry->values[v]; v++) {
            struct strbuf words = { 0 };
            assert_true(case_depends_on(&spec, (enum axis)a));
            case_choose(&spec, (enum axis)a, v);
            assert_true(case_words(&spec, entry->column, &words));
            assert_string_equal(words.data, entry->values[v]);
            strbuf_free(&words);
        }
        numbered += entry->numbered;
    }
    assert_true(numbered >= 3);
    const struct case_spec forces = { .variant = variants, .outputs = OUTPUTS_FORCES };
    assert_false(case_depends_on(&forces, AXIS_REDUCTION));
    assert_true(case_depends_on(&forces, AXIS_PRECISION));
    assert_false(case_depends_on(&forces, AXIS_DISTRIBUTION));
    const struct case_spec draws = { .variant = variant_with(variants, count, AXIS_DISTRIBUTION) };
    assert_false(case_depends_on(&draws, AXIS_OUTPUTS));
}

/* Where the section of axes begins, and in it the option of this axis. */
static const char *find_in_manual(const char *section, const char *words) {
    struct strbuf spelt = { 0 };
    for (const char *c = words; *c; c++) {
        strbuf_append(&spelt, *c == '-' ? "\\-" : "%c", *c);
    }
    const char *found = strstr(section, spelt.data);
    strbuf_free(&spelt);
    return found;
}

/* The manual page tells of every axis, by name, and of the words that it knows. */
TEST(the_manual_tells_of_every_axis) {
    char *page = NULL;
    struct error error;
    assert_true(
        input_read(TEST_DATA "/../../docs/pairmark.1", INPUT_TABLE_BYTES, &page, NULL, &error));
    char *section = strstr(page, ".SH AXES");
    assert_non_null(section);
    char *end = strstr(section + 1, ".SH ");
    assert_non_null(end);
    *end = '\0';
    for (int i = 0; i < AXIS_COUNT; i++) {
        if (!find_in_manual(section, axis_table[i].option)) {
            fail_msg("the manual page has no %s", axis_table[i].option);
        }
        for (size_t v = 0; axis_table[i].values && axis_table[i].values[v]; v++) {
            if (!find_in_manual(page, axis_table[i].values[v])) {
                fail_msg("the manual page has no %s of %s", axis_table[i].values[v],
                         axis_table[i].option);
            }
        }
    }
    free(page);
}

TEST(help_is_folded_at_words) {
    struct strbuf text = { 0 };
    help_append_option(&text, "--n", "N", "few words");
    help_append_option(&text, "--an-option-that-is-long", NULL, "words");
    help_append_option(
        &text, "--x", NULL,
        "words that are too many for a line of this width and so are folded where a word ends, and "
        "go on beneath");
    assert_string_equal(
        text.data,
        "  --n N                few words\n"
        "  --an-option-that-is-long\n"
        "                       words\n"
        "  --x                  words that are too many for a line of this width and so\n"
        "                       are folded where a word ends, and go on beneath\n");
    strbuf_free(&text);
}

/* What `pairmark query --json "SELECT * FROM rows"` has for a column. */
static void append_property(struct strbuf *text, enum column column) {
    static const char *const types[] = {
        [COLUMN_TYPE_TEXT] = "string",    [COLUMN_TYPE_COUNT] = "number",
        [COLUMN_TYPE_NUMBER] = "number",  [COLUMN_TYPE_SECONDS] = "number",
        [COLUMN_TYPE_PERCENT] = "number", [COLUMN_TYPE_FLAG] = "integer"
    };
    const struct column_entry *entry = &column_table[column];
    const char *unit = column_unit(column);
    struct strbuf meaning = { 0 };
    strbuf_append(&meaning, "%s%s%s%s", entry->meaning, *unit ? " In " : "", unit,
                  *unit ? "." : "");
    strbuf_append(text,
                  "    \"%s\": { \"type\": [\"%s\", \"null\"], \"description\": ", entry->name,
                  types[entry->type]);
    strbuf_append_quoted(text, meaning.data);
    strbuf_append(text, " }%s\n", column + 1 < COLUMN_COUNT ? "," : "");
    text->failed = text->failed || meaning.failed;
    strbuf_free(&meaning);
}

static void write_row_schema(struct strbuf *text) {
    strbuf_append(text,
                  "{\n"
                  "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                  "  \"title\": \"A row of rows.csv\",\n"
                  "  \"description\": \"As `pairmark query --json 'SELECT * FROM rows' DIR` "
                  "prints them, in an array. Unknown values are null; an infinite cutoff is "
                  "9e999. Made from harness/campaign/axes/columns.def.\",\n"
                  "  \"type\": \"object\",\n"
                  "  \"required\": [\"case_id\", \"variant\", \"status\"],\n"
                  "  \"properties\": {\n"
                  "    \"run\": { \"type\": \"integer\", \"description\": \"The run, as the "
                  "command line counts them, from 1.\" },\n"
                  "    \"run_name\": { \"type\": \"string\", \"description\": \"Its folder.\" },\n"
                  "    \"line\": { \"type\": \"integer\", \"description\": \"Where the row "
                  "begins in its file.\" },\n");
    for (int i = 0; i < COLUMN_COUNT; i++) {
        append_property(text, (enum column)i);
    }
    strbuf_append(text, "  }\n}\n");
}

TEST(the_json_schema_is_of_this_table) {
    char *bytes = NULL;
    size_t length = 0;
    struct error error;
    struct strbuf text = { 0 };
    write_row_schema(&text);
    assert_false(text.failed);
    assert_true(input_read(TEST_DATA "/../../share/schemas/row.json", INPUT_TABLE_BYTES, &bytes,
                           &length, &error));
    if (length != text.length || memcmp(bytes, text.data, length) != 0) {
        fail_msg("share/schemas/row.json is not what the schema says: build/tests/test_schema "
                 "share/schemas/row.json writes it anew");
    }
    free(bytes);
    strbuf_free(&text);
}

static bool write_file(const char *path) {
    struct strbuf text = { 0 };
    struct error error;
    write_row_schema(&text);
    const bool written = fs_write(path, text.data, text.length, &error);
    strbuf_free(&text);
    return written;
}

int main(int argc, char **argv) {
    if (argc > 1) {
        return write_file(argv[1]) ? 0 : 1;
    }
    return run_listed_tests();
}
