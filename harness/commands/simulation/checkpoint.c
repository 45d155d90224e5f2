#include "commands/simulation/simulation.h"

#include "boxes/box.h"
#include "core/files.h"
#include "core/output_file.h"
#include "core/strings.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_IMAGES = 1000000000 }; /* with room for more to come */

static const char mark[] = " pairmark_checkpoint=1 ";

static bool is_checkpoint(const char *head) {
    const char *line = strchr(head, '\n');
    const char *end = line ? strchr(line + 1, '\n') : NULL;
    const char *found = line ? strstr(line, mark) : NULL;
    return found && (!end || found < end);
}

static const struct output_kind kind = { "a checkpoint of pairmark's", is_checkpoint };

bool checkpoint_check(const char *path, struct error *error) {
    return output_check(path, &kind, error);
}

/* ---- writing ---- */

static void append_doubles(struct strbuf *text, const char *key, const double *numbers,
                           size_t count) {
    strbuf_append(text, " %s=\"", key);
    for (size_t k = 0; k < count; k++) {
        strbuf_append(text, "%s%.17g", k ? " " : "", numbers[k]);
    }
    strbuf_append(text, "\"");
}

static void append_keys(const struct simulation_state *state, const struct simulation_words *words,
                        struct strbuf *text) {
    const size_t faces = STEP_FACES * (size_t)state->box.types;
    strbuf_append(text, "%sstep=%llu rules=\"%s\" interaction=\"%s\" engine=\"%s\"", mark,
                  (unsigned long long)state->step, words->rules, words->interaction, words->engine);
    append_doubles(text, "cutoff", &words->cutoff, 1);
    append_doubles(text, "bath_position", state->thermostat.position, STEP_MAX_CHAIN);
    append_doubles(text, "bath_velocity", state->thermostat.velocity, STEP_MAX_CHAIN);
    append_doubles(text, "heat", &state->thermostat.heat, 1);
    append_doubles(text, "carried", state->carried, faces);
    strbuf_append(text, " crossing=\"");
    for (size_t f = 0; f < faces; f++) {
        strbuf_append(text, "%s%llu", f ? " " : "", (unsigned long long)state->crossing[f]);
    }
    strbuf_append(text, "\"");
}

bool checkpoint_write(const char *path, const struct simulation_state *state,
                      const struct simulation_words *words, struct error *error) {
    struct output *output = NULL;
    struct strbuf keys = { 0 };
    append_keys(state, words, &keys);
    if (keys.failed) {
        strbuf_free(&keys);
        return fail_out_of_memory(error, "a checkpoint");
    }
    const bool opened = output_open(path, &kind, &output, error);
    if (opened) {
        box_write_frame(output_stream(output), &state->box, state->image, keys.data);
    }
    strbuf_free(&keys);
    return opened && output_close(output, true, error);
}

/* ---- reading ---- */

/* What stands behind a key of the second line, up to its quote or blank; NULL: it is not there. The
 * keys are those that were written, in their order, so that none is met within a value. */
static char *value_of(const char *comment, const char *key) {
    char word[40];
    (void)snprintf(word, sizeof word, " %s=", key);
    const char *at = strstr(comment, word);
    if (!at) {
        return NULL;
    }
    at += strlen(word);
    const bool quoted = *at == '"';
    at += quoted;
    const size_t length = strcspn(at, quoted ? "\"" : " ");
    return strndup(at, length);
}

static bool take_doubles(const char *comment, const char *key, double *numbers, size_t count) {
    char *value = value_of(comment, key);
    char *at = value;
    bool good = value != NULL;
    for (size_t k = 0; good && k < count; k++) {
        char *end;
        numbers[k] = strtod(at, &end);
        good = end != at && isfinite(numbers[k]);
        at = end;
    }
    good = good && *at == '\0';
    free(value);
    return good;
}

static bool take_counts(const char *comment, const char *key, uint64_t *numbers, size_t count) {
    char *value = value_of(comment, key);
    char *at = value;
    bool good = value != NULL;
    for (size_t k = 0; good && k < count; k++) {
        char *end;
        at += strspn(at, " ");
        good = *at >= '0' && *at <= '9';
        numbers[k] = strtoull(at, &end, 10);
        good = good && numbers[k] < ULLONG_MAX; /* which stands for all that is more */
        at = end;
    }
    good = good && *at == '\0';
    free(value);
    return good;
}

/* The last three words of each row. */
static bool take_images(const char *rows, size_t n, int32_t *image) {
    for (size_t i = 0; i < n; i++) {
        const char *end = rows ? strchr(rows, '\n') : NULL;
        const char *at = end;
        if (!end) {
            return false;
        }
        for (int words = 0; words < 3 && at > rows; words++) {
            at--;
            while (at > rows && at[-1] != ' ') {
                at--;
            }
            char *behind;
            const long value = strtol(at, &behind, 10);
            if (behind == at || (*behind != ' ' && *behind != '\n') || labs(value) > MAX_IMAGES) {
                return false;
            }
            image[3 * i + (size_t)(2 - words)] = (int32_t)value;
            at -= at > rows;
        }
        rows = end + 1;
    }
    return true;
}

static bool same_words(const char *comment, const char *key, const char *what, const char *now,
                       struct error *error) {
    char *then = value_of(comment, key);
    const bool same = then && strcmp(then, now) == 0;
    if (!same) {
        (void)fail(error, STATUS_BAD_INPUT,
                   "the checkpoint has the %s '%.300s', the command line '%.300s': it goes on as "
                   "it began alone",
                   what, then ? then : "", now);
    }
    free(then);
    return same;
}

static bool check_words(const char *comment, const struct simulation_words *words,
                        struct error *error) {
    double cutoff = 0.0;
    if (!same_words(comment, "rules", "rules", words->rules, error) ||
        !same_words(comment, "interaction", "interaction", words->interaction, error) ||
        !same_words(comment, "engine", "engine", words->engine, error)) {
        return false;
    }
    char *written = value_of(comment, "cutoff");
    const bool endless = written && strcmp(written, "inf") == 0 && isinf(words->cutoff);
    free(written);
    return endless || (take_doubles(comment, "cutoff", &cutoff, 1) && cutoff == words->cutoff) ||
           fail(error, STATUS_BAD_INPUT,
                "the checkpoint has the cutoff %.17g, the command line %.17g: it goes on as it "
                "began alone",
                cutoff, words->cutoff);
}

static bool take_keys(const char *comment, const char *rows, struct simulation_state *state,
                      struct error *error) {
    const size_t faces = STEP_FACES * (size_t)state->box.types;
    const bool good =
        take_counts(comment, "step", &state->step, 1) &&
        take_doubles(comment, "bath_position", state->thermostat.position, STEP_MAX_CHAIN) &&
        take_doubles(comment, "bath_velocity", state->thermostat.velocity, STEP_MAX_CHAIN) &&
        take_doubles(comment, "heat", &state->thermostat.heat, 1) &&
        take_doubles(comment, "carried", state->carried, faces) &&
        take_counts(comment, "crossing", state->crossing, faces) &&
        take_images(rows, state->box.n, state->image);
    return good || fail(error, STATUS_BAD_INPUT, "a checkpoint that is damaged");
}

bool checkpoint_cutoff(const char *path, char *words, size_t size, struct error *error) {
    char *text = NULL;
    if (!input_read(path, INPUT_BOX_BYTES, &text, NULL, error)) {
        return false;
    }
    char *cutoff = is_checkpoint(text) ? value_of(text, "cutoff") : NULL;
    free(text);
    if (!cutoff) {
        return fail(error, STATUS_BAD_INPUT, "%s: no checkpoint of pairmark's", path);
    }
    (void)snprintf(words, size, "%s", strcmp(cutoff, "inf") == 0 ? "none" : cutoff);
    free(cutoff);
    return true;
}

static bool read_text(char *text, const char *path, const struct simulation_words *words,
                      struct simulation_state *state, struct error *error) {
    struct box box = { 0 };
    char *comment = strchr(text, '\n');
    char *end = comment ? strchr(comment + 1, '\n') : NULL;
    if (!end || !is_checkpoint(text)) {
        return fail(error, STATUS_BAD_INPUT, "%s: no checkpoint of pairmark's", path);
    }
    *end = '\0';
    if (!check_words(comment, words, error)) {
        return fail_within(error, "%s", path);
    }
    if (!box_read(path, &box, error) || !state_begin(&box, state, error)) {
        return false;
    }
    if (!take_keys(comment, end + 1, state, error)) {
        state_free(state);
        return fail_within(error, "%s", path);
    }
    return true;
}

bool checkpoint_read(const char *path, const struct simulation_words *words,
                     struct simulation_state *state, struct error *error) {
    char *text = NULL;
    *state = (struct simulation_state){ 0 };
    if (!input_read(path, INPUT_BOX_BYTES, &text, NULL, error)) {
        return false;
    }
    const bool read = read_text(text, path, words, state, error);
    free(text);
    return read;
}
