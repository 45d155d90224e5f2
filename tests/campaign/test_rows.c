/* rows.csv and the CSV files beneath it: what is written is read back, and what is damaged is met
 * with a warning that names the line. */
#include "campaign/rows/rows.h"

#include <signal.h>
#include <sys/resource.h>

#include "support.h"

#include "core/files.h"

/* A folder of its own for each test, left with its files gone. */
struct scratch {
    char folder[TEST_FOLDER_SIZE];
    char path[TEST_FOLDER_SIZE + 16];
};

static int make_scratch(void **state) {
    struct scratch *scratch = calloc(1, sizeof *scratch);
    assert_non_null(scratch);
    make_test_folder(scratch->folder);
    (void)snprintf(scratch->path, sizeof scratch->path, "%s/rows.csv", scratch->folder);
    *state = scratch;
    return 0;
}

static int remove_scratch(void **state) {
    struct scratch *scratch = *state;
    const int removed = remove_test_folder(scratch->folder);
    free(scratch);
    return removed;
}

static void write_bytes(const char *path, const char *bytes, size_t length) {
    struct error error;
    assert_true(fs_write(path, bytes, length, &error));
}

static void write_text(const char *path, const char *text) {
    write_bytes(path, text, strlen(text));
}

enum { LOG_SIZE = 512 };

/* Reads a file of that text; what is said of it comes into the log. */
static void read_rows(const struct scratch *scratch, const char *text, struct row_table *table,
                      char log[LOG_SIZE]) {
    struct error error;
    memset(log, 0, LOG_SIZE);
    FILE *stream = fmemopen(log, LOG_SIZE, "w");
    assert_non_null(stream);
    write_text(scratch->path, text);
    assert_true(rows_read(scratch->path, stream, table, &error));
    (void)fclose(stream);
}

static void append_row(struct record_file *file, const char *id, const char *message, double n) {
    struct error error;
    struct row row;
    row_create(&row);
    row_set(&row, COLUMN_CASE_ID, id);
    row_set(&row, COLUMN_MESSAGE, message);
    row_set_number(&row, COLUMN_N, n);
    assert_true(row_append(file, &row, &error));
    row_free(&row);
}

TEST_WITH(round_trip, make_scratch, remove_scratch) {
    const struct scratch *scratch = *state;
    static const char *const messages[] = {
        "plain", "a, b", "say \"no\"", "line 1\nline 2\r\nline 3",  " led and followed by blanks ",
        "\"",    ",",    "",           "\"quoted\",\n\"all over\"", "snow \xe2\x9d\x84"
    };
    enum { COUNT = sizeof messages / sizeof messages[0] };
    struct record_file *file;
    struct row_table table;
    struct error error;
    assert_true(record_file_create(scratch->path, column_names, &file, &error));
    for (int i = 0; i < COUNT; i++) {
        append_row(file, "id", messages[i], i / 3.0);
    }
    record_file_close(file);
    assert_true(rows_read(scratch->path, NULL, &table, &error));
    assert_int_equal(table.count, COUNT);
    assert_int_equal(table.warnings, 0);
    for (int i = 0; i < COUNT; i++) {
        assert_string_equal(row_text(&table.rows[i], COLUMN_MESSAGE), messages[i]);
        assert_true(row_number(&table.rows[i], COLUMN_N) == i / 3.0);
        assert_string_equal(row_text(&table.rows[i], COLUMN_CASE_ID), "id");
    }
    rows_free(&table);
}

TEST(unknown_is_empty) {
    struct row row;
    row_create(&row);
    row_set_number(&row, COLUMN_POWER_W, 12.0);
    row_set_number(&row, COLUMN_POWER_W, NAN);
    row_set_count(&row, COLUMN_REGISTERS, -1);
    row_set_count(&row, COLUMN_SAMPLES, 0);
    row_set_number(&row, COLUMN_CUTOFF, INFINITY);
    row_set_number(&row, COLUMN_DENSITY, 0.8442);
    assert_string_equal(row_text(&row, COLUMN_POWER_W), "");
    assert_true(isnan(row_number(&row, COLUMN_POWER_W)));
    assert_string_equal(row_text(&row, COLUMN_REGISTERS), "");
    assert_string_equal(row_text(&row, COLUMN_SAMPLES), "0");
    assert_true(isinf(row_number(&row, COLUMN_CUTOFF)));
    assert_string_equal(row_text(&row, COLUMN_DENSITY), "0.8442");
    assert_true(row_is_default(&row, COLUMN_GROUPS));
    row_set(&row, COLUMN_REDUCTION, "atomic");
    assert_false(row_is_default(&row, COLUMN_REDUCTION));
    row_set(&row, COLUMN_REDUCTION, "tree");
    assert_true(row_is_default(&row, COLUMN_REDUCTION));
    row_free(&row);
}

TEST_WITH(older_rows_say_the_same, make_scratch, remove_scratch) {
    const struct scratch *scratch = *state;
    struct row_table table;
    char log[LOG_SIZE];
    /* Before there were reductions, repeats and energies of a pair; and a periodic box that was
     * never made, an open one, and a file that could not be read. */
    read_rows(scratch,
              "case_id,box_kind,n,density,cutoff,periodic,pairs_in_cutoff,energy_j,seed,case_name\n"
              "a,fluid,1000,0.8442,2.5,1,500,0.001,1,forces/fluid/n:1000\n"
              "b,fluid,1000,1,,1,,,,\nc,fluid,1000,,,0,,,,\nd,file,,,,,,,,\n"
              "e,fluid,1000,1,,1,,,1,forces/fluid/open/n:1000\n"
              "f,file,1000,1,2.5,1,,,,forces/open/n:1000.xyz\n"
              "g,fluid,2e37,1,,1,,,1,forces/fluid/n:2e37\n",
              &table, log);
    assert_int_equal(table.count, 7);
    for (size_t i = 0; i < table.count; i++) {
        assert_string_equal(row_text(&table.rows[i], COLUMN_REDUCTION), "tree");
        assert_string_equal(row_text(&table.rows[i], COLUMN_TWIN), "0");
        assert_string_equal(row_text(&table.rows[i], COLUMN_TUNED), "");
    }
    assert_true(row_number(&table.rows[0], COLUMN_CUTOFF) == 2.5);
    assert_true(fabs(row_number(&table.rows[0], COLUMN_NJ_PER_PAIR) - 2000) < 1e-9);
    assert_true(fabs(row_number(&table.rows[1], COLUMN_CUTOFF) - 5) < 1e-9);
    assert_string_equal(row_text(&table.rows[1], COLUMN_NJ_PER_PAIR), "");
    assert_string_equal(row_text(&table.rows[2], COLUMN_CUTOFF), "");
    assert_string_equal(row_text(&table.rows[3], COLUMN_CUTOFF), "");
    /* Made boxes that were open were said to be periodic. */
    assert_string_equal(row_text(&table.rows[0], COLUMN_PERIODIC), "1");
    assert_string_equal(row_text(&table.rows[4], COLUMN_PERIODIC), "0");
    assert_string_equal(row_text(&table.rows[4], COLUMN_CUTOFF), "");
    assert_string_equal(row_text(&table.rows[5], COLUMN_PERIODIC), "1");
    assert_string_equal(row_text(&table.rows[6], COLUMN_CUTOFF), ""); /* no box has as many */
    rows_free(&table);
}

TEST_WITH(last_line_cut_short, make_scratch, remove_scratch) {
    const struct scratch *scratch = *state;
    struct row_table table;
    struct error error;
    char log[LOG_SIZE];
    read_rows(scratch, "case_id,message,n\na,\"1\n2\",3\nb,\"cut", &table, log);
    assert_int_equal(table.count, 1);
    assert_int_equal(table.warnings, 1);
    assert_string_equal(row_text(&table.rows[0], COLUMN_MESSAGE), "1\n2");
    assert_says(log, "rows.csv:4: dropped");
    rows_free(&table);
    /* All fields there, but no end of line: the last number may lack digits. */
    write_text(scratch->path, "case_id,message,n\na,x,3\nb,y,12");
    assert_true(rows_read(scratch->path, NULL, &table, &error));
    assert_int_equal(table.count, 1);
    rows_free(&table);
}

TEST_WITH(other_columns, make_scratch, remove_scratch) {
    const struct scratch *scratch = *state;
    struct row_table table;
    char log[LOG_SIZE];
    read_rows(scratch, "n,colour,case_id\r\n5,red,a\r\n\r\n6,blue\r\n7,green,b\r\n", &table, log);
    assert_int_equal(table.count, 2);
    assert_int_equal(table.warnings, 2);
    assert_says(log, "rows.csv:1: unknown column skipped: colour");
    assert_says(log, "rows.csv:4: dropped: 2 fields where 3");
    assert_true(row_number(&table.rows[1], COLUMN_N) == 7);
    assert_string_equal(row_text(&table.rows[1], COLUMN_CASE_ID), "b");
    assert_true(isnan(row_number(&table.rows[1], COLUMN_FORCE_S_MEDIAN)));
    rows_free(&table);
}

/* As a spreadsheet saves it: the mark before the first name belongs to no name. */
TEST_WITH(saved_by_a_spreadsheet, make_scratch, remove_scratch) {
    const struct scratch *scratch = *state;
    struct row_table table;
    struct error error;
    write_text(scratch->path, "\xEF\xBB\xBFrun_id,n\r\nfirst,5\r\n");
    assert_true(rows_read(scratch->path, NULL, &table, &error));
    assert_int_equal(table.count, 1);
    assert_int_equal(table.warnings, 0);
    assert_string_equal(row_text(&table.rows[0], COLUMN_RUN_ID), "first");
    rows_free(&table);
}

/* What a terminal would obey is not sent to it. */
TEST_WITH(rubbish, make_scratch, remove_scratch) {
    const struct scratch *scratch = *state;
    struct row_table table;
    char log[LOG_SIZE];
    read_rows(scratch, "\x1b[2J\x07\xff,n\n1,2\n", &table, log);
    rows_free(&table);
    assert_says(log, "unknown column skipped: ?[2J??\n");
}

/* Nor is what stands in the fields themselves; of them only a message has several lines. */
TEST_WITH(fields_are_printable, make_scratch, remove_scratch) {
    const struct scratch *scratch = *state;
    struct row_table table;
    struct error error;
    write_text(scratch->path, "variant,message,case_id\n"
                              "\x1b[31mred,\"\x1b[1mone\n\ttwo\",\"a\nb\"\n");
    assert_true(rows_read(scratch->path, NULL, &table, &error));
    assert_int_equal(table.count, 1);
    assert_string_equal(row_text(&table.rows[0], COLUMN_VARIANT), "?[31mred");
    assert_string_equal(row_text(&table.rows[0], COLUMN_MESSAGE), "?[1mone\n\ttwo");
    assert_string_equal(row_text(&table.rows[0], COLUMN_CASE_ID), "a?b");
    rows_free(&table);
}

TEST_WITH(a_column_twice, make_scratch, remove_scratch) {
    const struct scratch *scratch = *state;
    struct row_table table;
    struct error error;
    write_text(scratch->path, "n,variant,n\n1,a,2\n");
    assert_false(rows_read(scratch->path, NULL, &table, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, "rows.csv: line 1: the column n stands twice");
}

/* Whether they stand in a field, which would end there, or are what a crash left at the end. */
TEST_WITH(zero_bytes, make_scratch, remove_scratch) {
    const struct scratch *scratch = *state;
    static const char within[] = "case_id,n\na,1\nb\0c,2\nd,3\n";
    static const char behind[] = "case_id,n\na,1\n\0\0\0\0\0";
    struct row_table table;
    struct error error;
    write_bytes(scratch->path, within, sizeof within - 1);
    assert_false(rows_read(scratch->path, NULL, &table, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, "rows.csv: line 3: a zero byte");
    write_bytes(scratch->path, behind, sizeof behind - 1);
    assert_true(rows_read(scratch->path, NULL, &table, &error));
    assert_int_equal(table.count, 1);
    assert_int_equal(table.warnings, 1);
    rows_free(&table);
}

TEST_WITH(not_rows, make_scratch, remove_scratch) {
    const struct scratch *scratch = *state;
    struct row_table table;
    struct error error;
    assert_false(rows_read(scratch->path, NULL, &table, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, scratch->folder);
    write_text(scratch->path, "");
    assert_false(rows_read(scratch->path, NULL, &table, &error));
    write_text(scratch->path, "apples,pears\n1,2\n");
    assert_false(rows_read(scratch->path, NULL, &table, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_int_equal(table.count, 0);
}

TEST_WITH(no_second_beginning, make_scratch, remove_scratch) {
    const struct scratch *scratch = *state;
    struct record_file *file;
    struct error error;
    write_text(scratch->path, "precious\n");
    assert_false(record_file_create(scratch->path, column_names, &file, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    char *data;
    assert_true(fs_read(scratch->path, &data, NULL, &error));
    assert_string_equal(data, "precious\n");
    free(data);
    assert_false(record_file_resume(scratch->path, column_names, &file, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
}

TEST_WITH(resumed_after_a_cut, make_scratch, remove_scratch) {
    const struct scratch *scratch = *state;
    struct record_file *file;
    struct row_table table;
    struct error error;
    assert_true(record_file_create(scratch->path, column_names, &file, &error));
    append_row(file, "a", "first", 1);
    record_file_close(file);
    FILE *stream = fopen(scratch->path, "a");
    assert_non_null(stream);
    (void)fprintf(stream, "x,b,\"cut, in a\nquoted field");
    (void)fclose(stream);
    assert_true(record_file_resume(scratch->path, column_names, &file, &error));
    append_row(file, "c", "second", 2);
    record_file_close(file);
    assert_true(rows_read(scratch->path, NULL, &table, &error));
    assert_int_equal(table.warnings, 0);
    assert_int_equal(table.count, 2);
    assert_string_equal(row_text(&table.rows[1], COLUMN_CASE_ID), "c");
    rows_free(&table);
    /* Killed before the columns were whole. */
    write_text(scratch->path, "run_id,case");
    assert_true(record_file_resume(scratch->path, column_names, &file, &error));
    append_row(file, "d", "", 2);
    record_file_close(file);
    assert_true(rows_read(scratch->path, NULL, &table, &error));
    assert_int_equal(table.count, 1);
    rows_free(&table);
}

/* A file that cannot grow stands for a full disk: the row that did not fit leaves no trace. */
TEST_WITH(full_disk, make_scratch, remove_scratch) {
    const struct scratch *scratch = *state;
    struct record_file *file;
    struct row_table table;
    struct error error;
    struct rlimit before, little;
    struct row row;
    assert_true(record_file_create(scratch->path, column_names, &file, &error));
    append_row(file, "a", "fits", 1);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    little = before;
    little.rlim_cur = 1500;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    char *long_message = calloc(1, 4000);
    assert_non_null(long_message);
    memset(long_message, 'x', 3999);
    row_create(&row);
    row_set(&row, COLUMN_MESSAGE, long_message);
    bool appended = row_append(file, &row, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(appended);
    assert_int_equal(error.status, STATUS_SYSTEM);
    append_row(file, "b", "fits again", 1);
    record_file_close(file);
    assert_true(rows_read(scratch->path, NULL, &table, &error));
    assert_int_equal(table.count, 2);
    assert_int_equal(table.warnings, 0);
    rows_free(&table);
    row_free(&row);
    free(long_message);
}
