/* What a text in CUDA C++ includes is put in its place: once where the file says so, wherever it is
 * found, and never left out where a condition might have left out what stood before. */
#include "kernels/header/read_variant.h"

#include "core/files.h"

#include "support.h"

static void write_header(const char *folder, const char *name, const char *text) {
    struct error error;
    char path[TEST_FOLDER_SIZE + 64];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(fs_write(path, text, strlen(text), &error));
}

static char *expand(const char *folder, const char *text) {
    struct error error;
    char *const folders[] = { (char *)folder, NULL };
    char *expanded = NULL;
    assert_done(include_text_expand("mine.cu", text, folders, &expanded, &error), &error);
    return expanded;
}

static int count(const char *text, const char *word) {
    int found = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        found++;
    }
    return found;
}

TEST_WITH(puts_once_what_says_so, open_own_folder, close_own_folder) {
    write_header(*state, "pragma.h", "#pragma once\nint pragma_text;\n");
    write_header(*state, "guard.h",
                 "/* words */\n#ifndef GUARD_H\n#define GUARD_H\nint guard_text;\n#endif\n");
    write_header(*state, "each.h", "ITEM(each_text)\n");
    char *text =
        expand(*state, "#include <pragma.h>\n#include \"guard.h\"\n#include <each.h>\n"
                       "#include <pragma.h>\n#include <guard.h>\n#include <each.h>\nend\n");
    assert_int_equal(count(text, "pragma_text"), 1);
    assert_int_equal(count(text, "guard_text"), 1);
    assert_int_equal(count(text, "each_text"), 2);
    assert_int_equal(count(text, "#pragma once"), 0);
    assert_int_equal(count(text, "#include"), 0);
    assert_says(text, "#line 7 \"mine.cu\"\nend\n");
    free(text);
}

TEST_WITH(puts_again_what_a_condition_may_leave_out, open_own_folder, close_own_folder) {
    write_header(*state, "pragma.h", "#pragma once\nint pragma_text;\n");
    char *text = expand(
        *state, "#if 0\n#include <pragma.h>\n#endif\n#include <pragma.h>\n#include <pragma.h>\n");
    assert_int_equal(count(text, "pragma_text"), 2);
    assert_int_equal(count(text, "#ifndef PAIRMARK_ONCE_0"), 2);
    free(text);
}

TEST_WITH(follows_files_into_files, open_own_folder, close_own_folder) {
    write_header(
        *state, "outer.h",
        "#ifndef OUTER\n#define OUTER\n#include \"inner.h\"\n#include \"inner.h\"\n#endif\n");
    write_header(*state, "inner.h", "#pragma once\n#include <outer.h>\nint inner_text;\n");
    char *text = expand(*state, "#include <outer.h>\n#include <inner.h>\n");
    assert_int_equal(count(text, "inner_text"), 1);
    free(text);
}

TEST_WITH(leaves_to_the_compiler_what_is_not_there, open_own_folder, close_own_folder) {
    static const char words[] =
        "#include <cub/cub.cuh>\n#include <pairmark/pair.cuh>\n// #include <each.h>\n"
        "/*\n#include <each.h>\n*/\n#include NAME\n#include <each.h\n";
    write_header(*state, "each.h", "each_text\n");
    char *text = expand(*state, words);
    assert_string_equal(text, words);
    free(text);
}

TEST_WITH(refuses_a_file_within_itself, open_own_folder, close_own_folder) {
    struct error error;
    char *const folders[] = { *state, NULL };
    char *expanded = NULL;
    write_header(*state, "circle.h", "\n#include <circle.h>\n");
    assert_false(
        include_text_expand("mine.cu", "#include <circle.h>\n", folders, &expanded, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, "circle.h:2: ");
    assert_says(error.message, "includes itself; expected #pragma once");
}
