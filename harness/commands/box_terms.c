#include "commands/box_terms.h"

#include "core/output_file.h"
#include "core/strings.h"
#include "kernels/potentials/bonded.h"

#include <string.h>

static const char terms_head[] = "# made by pairmark box\n";

static bool is_terms(const char *head) {
    return strncmp(head, terms_head, strlen(terms_head)) == 0;
}

static const struct output_kind terms_output = { "a file of terms that pairmark made", is_terms };

/* BEGIN.bonds.csv and the like. */
static bool append_path(const char *begin, int kind, struct strbuf *path, struct error *error) {
    strbuf_append(path, "%s.%s.csv", begin, bonded_forms[kind].name);
    return !path->failed || fail_out_of_memory(error, "the path of a file");
}

bool box_terms_check(const char *begin, struct error *error) {
    bool good = true;
    for (int kind = 0; good && kind < BONDED_KINDS; kind++) {
        struct strbuf path = { 0 };
        good =
            append_path(begin, kind, &path, error) && output_check(path.data, &terms_output, error);
        strbuf_free(&path);
    }
    return good || fail_within(error, "--terms");
}

static bool write_kind(const char *begin, int kind, const struct bonded_terms *terms,
                       struct error *error) {
    struct strbuf path = { 0 };
    struct strbuf text = { 0 };
    strbuf_append(&text, "%s", terms_head);
    bonded_write(terms, (enum bonded_kind)kind, &text);
    const bool written = append_path(begin, kind, &path, error) &&
                         (!text.failed || fail_out_of_memory(error, "a file of terms")) &&
                         output_write(path.data, &terms_output, text.data, text.length, error);
    strbuf_free(&path);
    strbuf_free(&text);
    return written;
}

bool box_terms_write(const char *begin, const struct box *box, struct error *error) {
    struct bonded_terms terms;
    if (!bonded_of_kind(box, &terms, error)) {
        return false;
    }
    bool written = true;
    for (int kind = 0; written && kind < BONDED_KINDS; kind++) {
        written = write_kind(begin, kind, &terms, error);
    }
    bonded_free(&terms);
    return written || fail_within(error, "--terms");
}
