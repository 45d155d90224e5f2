/* Checks a recorded run: its commit, its hashes, and whether rows are what their visits come to. */
#include "answers/tables/analysis.h"
#include "boxes/box.h"
#include "campaign/rows/run_folder.h"
#include "campaign/visits.h"
#include "core/host.h"
#include "core/quantity.h"
#include "core/strings.h"
#include "measure/program.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- git: a commit of the repository that a folder is in ----
 *
 * Whether its history has it, and the kernel texts that it has. Nothing of the repository is
 * executed or changed. */

struct git_text {
    char *file, *text;
};

struct git_commit {
    const char *folder;
    char name[41]; /* "": none */
    char *files;   /* all of its paths, a line each; NULL: not asked yet */
    struct git_text *texts;
    size_t text_count;
};

enum git_answer {
    GIT_RELEASED,  /* HEAD or one before it */
    GIT_UNKNOWN,   /* the history is all there and does not have it */
    GIT_NO_COMMIT, /* the word is no commit's hash */
    GIT_NO_HISTORY /* no git, no repository of pairmark, or a shallow one */
};

/* Runs `git WORD...` in the folder; what it prints goes to `text`, unless that is NULL. */
#define GIT(folder, text, ...)                                                                     \
    program_run(folder, (const char *const[]){ "git", __VA_ARGS__, NULL }, false, text)

static bool is_hash(const char *name) {
    return strlen(name) == 40 && strspn(name, "0123456789abcdef") == 40;
}

static enum git_answer git_look_up(struct git_commit *commit, const char *folder,
                                   const char *name) {
    struct strbuf shallow = { 0 };
    *commit = (struct git_commit){ .folder = folder };
    if (!is_hash(name)) {
        return GIT_NO_COMMIT;
    }
    const bool is_ours =
        GIT(folder, NULL, "cat-file", "-e", "HEAD:harness/campaign/axes/columns.def") == 0 &&
        GIT(folder, &shallow, "rev-parse", "--is-shallow-repository") == 0;
    const bool is_whole = is_ours && shallow.data && begins_with(shallow.data, "false");
    strbuf_free(&shallow);
    if (is_ours && GIT(folder, NULL, "merge-base", "--is-ancestor", name, "HEAD") == 0) {
        (void)snprintf(commit->name, sizeof commit->name, "%s", name);
        return GIT_RELEASED;
    }
    return is_whole ? GIT_UNKNOWN : GIT_NO_HISTORY;
}

/* The path, among those of the commit, whose last name this is. */
static bool find_path(struct git_commit *commit, const char *file, struct strbuf *path) {
    struct strbuf files = { 0 };
    if (!commit->files) {
        (void)GIT(commit->folder, &files, "ls-tree", "-r", "--name-only", "--full-tree",
                  commit->name);
        commit->files = files.data ? files.data : memory_copy("");
    }
    const size_t length = strlen(file);
    for (const char *at = strstr(commit->files, file); at; at = strstr(at + 1, file)) {
        if (at > commit->files && at[-1] == '/' && at[length] == '\n') {
            const char *line = at;
            while (line > commit->files && line[-1] != '\n') {
                line--;
            }
            if (!begins_with(line, "tests/")) {
                strbuf_append(path, "%s:%.*s", commit->name, (int)(at + length - line), line);
                return true;
            }
        }
    }
    return false;
}

static const char *git_find_text(struct git_commit *commit, const char *file) {
    struct strbuf path = { 0 }, text = { 0 };
    for (size_t t = 0; t < commit->text_count; t++) {
        if (strcmp(commit->texts[t].file, file) == 0) {
            return commit->texts[t].text;
        }
    }
    if (!commit->name[0]) {
        return NULL;
    }
    if (find_path(commit, file, &path) &&
        GIT(commit->folder, &text, "cat-file", "blob", path.data) != 0) {
        strbuf_free(&text);
    }
    strbuf_free(&path);
    commit->texts = memory_grown(commit->texts, commit->text_count + 1, sizeof *commit->texts);
    commit->texts[commit->text_count++] = (struct git_text){ memory_copy(file), text.data };
    return text.data;
}

static void git_free(struct git_commit *commit) {
    for (size_t t = 0; t < commit->text_count; t++) {
        free(commit->texts[t].file);
        free(commit->texts[t].text);
    }
    free(commit->texts);
    free(commit->files);
    *commit = (struct git_commit){ 0 };
}

/* ---- one run while it is checked ---- */

struct subject {
    char *folder;
    struct analysis analysis; /* with the table of reasons */
    struct row_table table;
    struct kept_kernels kept;
    struct git_commit commit; /* of a row, by its name */
    char commit_name[64];
};

static void say(void *context, const char *file, bool is_error, const char *reason) {
    struct subject *subject = context;
    analysis_run(&subject->analysis, "INSERT INTO reasons VALUES(%Q, NULL, %d, %Q)", file, is_error,
                 reason);
}

static void say_of_row(struct subject *subject, const struct row *row, const char *reason) {
    analysis_run(&subject->analysis, "INSERT INTO reasons VALUES('rows.csv', %lld, 1, %Q)",
                 (sqlite3_int64)row->line, reason);
}

/* ---- the tables, and what reading them says ---- */

/* differ(a, b) of SQL: both are numbers, and apart by more than a millionth. */
static void differ(sqlite3_context *context, int count, sqlite3_value **arguments) {
    const double a = sqlite3_value_double(arguments[0]);
    const double b = sqlite3_value_double(arguments[count - 1]);
    const bool known = sqlite3_value_type(arguments[0]) != SQLITE_NULL &&
                       sqlite3_value_type(arguments[1]) != SQLITE_NULL;
    sqlite3_result_int(context, known && !(fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b))));
}

/* has_file(name) of SQL: the folder has it. */
static void has_file(sqlite3_context *context, int count, sqlite3_value **arguments) {
    const unsigned char *name = sqlite3_value_text(arguments[count - 1]);
    sqlite3_result_int(context, name && run_holds(sqlite3_user_data(context), (const char *)name));
}

/* The rows of both files, with that of each. */
static void make_every(struct analysis *analysis) {
    struct strbuf names = { 0 };
    for (int c = 0; c < COLUMN_COUNT; c++) {
        strbuf_append(&names, ", \"%s\"", column_names[c]);
    }
    analysis_run(analysis,
                 "CREATE VIEW every AS SELECT 'rows.csv' AS file, line%s FROM rows"
                 " UNION ALL SELECT 'visits.csv', file_line%s FROM visits",
                 names.data, names.data);
    strbuf_free(&names);
}

/* Reports as errors what other readers skip with a warning. */
static void say_lines(struct subject *subject, char *lines) {
    char *rest = NULL;
    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const size_t folder = strlen(subject->folder);
        const bool names = strncmp(line, subject->folder, folder) == 0 && line[folder] == '/';
        say(subject, NULL, true, names ? line + folder + 1 : line);
    }
}

static void fill_tables(struct subject *subject, FILE *log) {
    struct analysis *analysis = &subject->analysis;
    struct error reason;
    analysis_add_function(analysis, "differ", 2, NULL, differ);
    analysis_add_function(analysis, "has_file", 1, subject->folder, has_file);
    make_every(analysis);
    if (!analysis_add_run(analysis, subject->folder, subject->folder, log, &reason)) {
        log_warning(log, "%s", reason.message);
    }
    analysis_run_file(analysis, "harness/answers/tables/rows_check.sql");
}

static bool read_run(struct subject *subject, struct error *error) {
    char *lines = NULL;
    size_t length = 0;
    char path[PATH_MAX];
    struct recorded recorded;
    struct error reason;
    FILE *log = open_memstream(&lines, &length);
    memory_check(log != NULL);
    fill_tables(subject, log);
    bool read = run_path(subject->folder, "rows.csv", path, error);
    if (read && !recorded_read(path, false, NULL, &recorded, &reason)) {
        log_warning(log, "%s", reason.message);
    } else if (read) {
        recorded_free(&recorded);
        read = rows_read(path, NULL, &subject->table, error);
    }
    (void)fclose(log);
    if (read) {
        say_lines(subject, lines);
    }
    free(lines);
    return read;
}

/* ---- the commit ---- */

/* Looks up the commit of a row, unless it is that of the row before. */
static void look_up_commit(struct subject *subject, const struct row *row) {
    const char *name = row_text(row, COLUMN_GIT_COMMIT);
    if (strcmp(name, subject->commit_name) == 0) {
        return;
    }
    (void)snprintf(subject->commit_name, sizeof subject->commit_name, "%s", name);
    git_free(&subject->commit);
    switch (git_look_up(&subject->commit, subject->folder, name)) {
    case GIT_RELEASED:
    case GIT_NO_COMMIT: /* said already */
        break;
    case GIT_UNKNOWN:
        say(subject, "rows.csv", true, "git_commit is not in the history of this repository");
        break;
    case GIT_NO_HISTORY:
        say(subject, "rows.csv", false,
            "git_commit cannot be looked up: the folder is in no clone of pairmark with all of "
            "its history");
        break;
    }
}

/* ---- hashes: the kernels that the folder keeps or the commit has; boxes made anew ---- */

/* The text of a variant; NULL: neither the folder nor the commit has it. */
static const char *find_text(struct subject *subject, const char *variant) {
    char file[NAME_MAX];
    (void)snprintf(file, sizeof file, "%.200s.cl", variant);
    const struct kept_kernel *kept = kept_kernels_find(&subject->kept, file);
    return kept ? kept->text : git_find_text(&subject->commit, file);
}

/* Where the columns have all that the identity of the case is made of
 * (campaign/plan/case_identity.c).
 */
static bool has_identity(const struct row *row) {
    const char *name = row_text(row, COLUMN_CASE_NAME);
    const char *workload = row_text(row, COLUMN_WORKLOAD);
    return strcmp(workload, "forces") == 0 && !row_is_twin(row) &&
           strcmp(row_text(row, COLUMN_BOX_KIND), "file") != 0 && !strstr(name, "/charges:") &&
           !strstr(name, "/periodic:") && !strstr(name, "/ratio:");
}

/* The density of an open box stands in its name, where it is not the kind's own. */
static double density_of(const struct row *row) {
    const char *words = strstr(row_text(row, COLUMN_CASE_NAME), "/density:");
    const double density = row_number(row, COLUMN_DENSITY);
    return density > 0 ? density
           : words     ? strtod(words + strlen("/density:"), NULL)
                       : box_default_density(row_text(row, COLUMN_BOX_KIND));
}

static void hash_box_words(struct hash_state *hash, const struct row *row) {
    const double density = density_of(row);
    const uint64_t numbers[3] = { (uint64_t)row_number(row, COLUMN_N),
                                  (uint64_t)row_number(row, COLUMN_SEED),
                                  row_number(row, COLUMN_PERIODIC) == 0 };
    hash_add_string(hash, row_text(row, COLUMN_BOX_KIND));
    hash_add(hash, numbers, sizeof numbers);
    hash_add(hash, &density, sizeof density);
}

static void hash_case(const struct row *row, const char *text, const char *cutoff,
                      char hash_text[HASH_TEXT_SIZE]) {
    struct hash_state *hash = hash_begin();
    struct strbuf words = { 0 };
    strbuf_append(&words, "%s cutoff %s", row_text(row, COLUMN_INTERACTION), cutoff);
    hash_add_string(hash, row_text(row, COLUMN_WORKLOAD));
    hash_add_string(hash, row_text(row, COLUMN_VARIANT));
    hash_add_string(hash, text);
    hash_add_string(hash, strbuf_text(&words));
    hash_add_string(hash, row_text(row, COLUMN_PRECISION));
    hash_add_string(hash, row_text(row, COLUMN_OUTPUTS));
    hash_add_string(hash, row_text(row, COLUMN_TUNABLES));
    hash_box_words(hash, row);
    for (enum column column = column_next(ROLE_IDENTITY, -1); column < COLUMN_COUNT;
         column = column_next(ROLE_IDENTITY, column)) {
        if (column_table[column].absent && !row_is_default(row, column)) {
            hash_add_string(hash, row_text(row, column));
        }
    }
    hash_end(hash, hash_text);
    strbuf_free(&words);
}

/* The cutoff as it was asked for: as in the case's name, which leaves the default, 2.5, out. */
static void cutoff_words(const struct row *row, char words[64]) {
    const char *name = strstr(row_text(row, COLUMN_CASE_NAME), "/cutoff:");
    const char *word = name ? name + strlen("/cutoff:") : "2.5";
    (void)snprintf(words, 64, "%.*s", (int)strcspn(word, "/"), word);
}

static void check_case_id(struct subject *subject, const struct row *row) {
    char hash[HASH_TEXT_SIZE], cutoff[64];
    const char *text = has_identity(row) ? find_text(subject, row_text(row, COLUMN_VARIANT)) : NULL;
    if (!text) {
        return;
    }
    cutoff_words(row, cutoff);
    hash_case(row, text, cutoff, hash);
    if (strcmp(hash, row_text(row, COLUMN_CASE_ID)) != 0) {
        say_of_row(subject, row, "case_id is not that of its columns and its kernel's text");
    }
}

enum { LARGEST_BOX = 1 << 15 }; /* made anew */

static bool make_box(const struct row *row, char hash[HASH_TEXT_SIZE]) {
    struct box box, rounded;
    struct error ignored;
    enum precision precision;
    struct box_spec spec = { .n = (size_t)row_number(row, COLUMN_N),
                             .batch = strtoul(row_text(row, COLUMN_BATCH), NULL, 10),
                             .density = density_of(row),
                             .seed = (uint64_t)row_number(row, COLUMN_SEED),
                             .open = row_number(row, COLUMN_PERIODIC) == 0 };
    (void)snprintf(spec.kind, sizeof spec.kind, "%s", row_text(row, COLUMN_BOX_KIND));
    (void)sscanf(row_text(row, COLUMN_BATCH_SIZES), "%zu-%zu", &spec.sizes.least, &spec.sizes.most);
    if (!precision_from_name(row_text(row, COLUMN_PRECISION), &precision) ||
        !box_of_spec(&spec, &box, &ignored)) {
        return false;
    }
    const bool made = box_as_device(&box, precision, &rounded, &ignored);
    if (made) {
        box_hash(&rounded, hash);
        box_free(&rounded);
    }
    box_free(&box);
    return made;
}

/* Rows of one box have one hash (rows_check.sql): the first of each is enough. */
static bool is_first_of_box(const struct row_table *table, size_t place) {
    const struct row *row = &table->rows[place];
    for (size_t i = 0; i < place; i++) {
        if (has_identity(&table->rows[i]) && strcmp(row_text(&table->rows[i], COLUMN_BOX_HASH),
                                                    row_text(row, COLUMN_BOX_HASH)) == 0) {
            return false;
        }
    }
    return true;
}

static void check_box(struct subject *subject, size_t place) {
    const struct row *row = &subject->table.rows[place];
    char hash[HASH_TEXT_SIZE];
    if (has_identity(row) && *row_text(row, COLUMN_BOX_HASH) &&
        row_number(row, COLUMN_N) <= LARGEST_BOX && is_first_of_box(&subject->table, place) &&
        make_box(row, hash) && strcmp(hash, row_text(row, COLUMN_BOX_HASH)) != 0) {
        say_of_row(subject, row, "box_hash is not that of the box, made anew");
    }
}

static void check_hashes(struct subject *subject) {
    struct error reason;
    if (!checksums_check(subject->folder, say, subject, &reason)) {
        say(subject, NULL, true, reason.message);
    }
    if (!kept_kernels_read(subject->folder, &subject->kept, &reason)) {
        say(subject, "kernels", true, reason.message);
    }
    for (size_t i = 0; i < subject->table.count; i++) {
        look_up_commit(subject, &subject->table.rows[i]);
        check_case_id(subject, &subject->table.rows[i]);
        check_box(subject, i);
    }
}

/* ---- a row is what its visits come to ---- */

static bool is_alike(const struct row *row, const struct row *other, enum column column) {
    const double a = row_number(row, column), b = row_number(other, column);
    return isnan(a) || isnan(b) ? strcmp(row_text(row, column), row_text(other, column)) == 0
                                : a == b || fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b)); /* inf */
}

static void compare_joined(struct subject *subject, const struct row *row,
                           const struct row *joined) {
    for (int c = 0; c < COLUMN_COUNT; c++) {
        char reason[96];
        (void)snprintf(reason, sizeof reason, "%s is not of visits.csv", column_names[c]);
        if (!is_alike(row, joined, (enum column)c)) {
            say_of_row(subject, row, reason);
        }
    }
}

static void check_joined(struct subject *subject, const struct recorded *recorded,
                         const struct row *row) {
    struct visits visits = { 0 };
    struct row joined;
    size_t count = 0;
    const double repetition = row_number(row, COLUMN_REPETITION);
    const struct row *const *found =
        recorded_find_all(recorded, row_text(row, COLUMN_CASE_ID), row_text(row, COLUMN_DEVICE),
                          repetition > 0 ? (size_t)repetition : 0, &count);
    visits.rows = memory_zeroed(count + 1, sizeof *visits.rows); /* their fields stay the table's */
    for (; visits.count < count; visits.count++) {
        visits.rows[visits.count] = *found[visits.count];
    }
    if (visits.count == 0) {
        say_of_row(subject, row, "its times are not of visits.csv, which does not have it");
    } else {
        visits_join(&visits, &joined);
        compare_joined(subject, row, &joined);
        row_free(&joined);
    }
    free(visits.rows);
}

static void check_visits(struct subject *subject) {
    char path[PATH_MAX];
    struct recorded recorded;
    struct error reason;
    if (!run_path(subject->folder, "visits.csv", path, &reason) || access(path, F_OK) != 0) {
        return;
    }
    if (!recorded_read(path, true, NULL, &recorded, &reason)) {
        say(subject, NULL, true, reason.message);
        return;
    }
    for (size_t i = 0; i < subject->table.count; i++) {
        if (row_passed(&subject->table.rows[i])) {
            check_joined(subject, &recorded, &subject->table.rows[i]);
        }
    }
    recorded_free(&recorded);
}

/* ---- one run, and all of a folder ---- */

/* "FOLDER/rows.csv:12: error: ...; 3 lines in all". */
static void print_reasons(struct rows_check *check, struct subject *subject) {
    struct answer answer = analysis_ask(
        &subject->analysis, "SELECT coalesce(file, ''), reason, is_error, coalesce(min(line), 0),"
                            " count(DISTINCT line) FROM reasons GROUP BY file, reason, is_error"
                            " ORDER BY is_error DESC, file, min(line)");
    size_t errors = 0;
    for (size_t i = 0; i < answer.rows; i++) {
        const bool is_error = answer_number(&answer, i, 2) > 0;
        const double line = answer_number(&answer, i, 3), lines = answer_number(&answer, i, 4);
        char place[32] = "", more[48] = "";
        if (line > 0) {
            (void)snprintf(place, sizeof place, ":%.0f", line);
        }
        if (lines > 1) {
            (void)snprintf(more, sizeof more, "; %.0f lines in all", lines);
        }
        (void)fprintf(check->results, "%s/%s%s: %s: %s%s\n", subject->folder,
                      answer_text(&answer, i, 0), place, is_error ? "error" : "warning",
                      answer_text(&answer, i, 1), more);
        errors += is_error;
    }
    check->errors += errors;
    check->warnings += answer.rows - errors;
    check->failed += errors > 0;
    if (errors == 0) {
        (void)fprintf(check->results, "%s: passes\n", subject->folder);
    }
    answer_free(&answer);
}

static bool check_run(struct rows_check *check, char *folder, struct error *error) {
    struct subject subject = { .folder = folder };
    analysis_open(&subject.analysis);
    const bool done = read_run(&subject, error);
    if (done) {
        check_hashes(&subject);
        check_visits(&subject);
        print_reasons(check, &subject);
    }
    check->runs++;
    git_free(&subject.commit);
    kept_kernels_free(&subject.kept);
    rows_free(&subject.table);
    analysis_close(&subject.analysis);
    return done;
}

bool rows_check(struct rows_check *check, const char *folder, struct error *error) {
    struct run_folders folders = { 0 };
    bool done = run_folders_find(&folders, folder, error);
    for (size_t i = 0; done && i < folders.count; i++) {
        done = check_run(check, folders.paths[i], error);
    }
    run_folders_free(&folders);
    return done;
}
