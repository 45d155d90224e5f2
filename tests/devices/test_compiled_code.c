/* What PTX and machine code say of themselves, and what is made of texts that are neither. */
#include "devices/compiled_code.h"

#include "support.h"

static const char ptx[] = "// .entry commented(.param .u32 a)\n"
                          ".version 8.0\n.target sm_90a\n.address_size 64\n"
                          ".visible .entry first(\n"
                          "    .param .u32 first_param_0, /* , ) */\n"
                          "    .param .u64 .ptr .global .align 16 first_param_1,\n"
                          "    .param .align 16 .b8 first_param_2[16], // .u64\n"
                          "    .param .bf16 first_param_3, .param .f64 first_param_4\n"
                          ")\n{\n    ret;\n}\n"
                          ".weak .entry second()\n{ .param .b32 local; ret; }\n"
                          ".visible .entry first_and_more(.param .b16 x) { ret; }\n";

TEST(reads_lists_of_parameters) {
    static const size_t bytes[] = { 4, 8, 16, 2, 8 };
    struct compiled_code code;
    struct compiled_parameters found;
    struct error error;
    assert_true(compiled_code_read(ptx, &code, &error));
    assert_true(compiled_code_parameters(&code, "first", &found));
    assert_int_equal(found.count, 5);
    for (int p = 0; p < found.count; p++) {
        assert_int_equal(found.bytes[p], bytes[p]);
    }
    assert_true(compiled_code_parameters(&code, "second", &found));
    assert_int_equal(found.count, 0);
    assert_true(compiled_code_parameters(&code, "first_and_more", &found));
    assert_int_equal(found.bytes[0], 2);
    assert_false(compiled_code_parameters(&code, "commented", &found));
    assert_false(compiled_code_parameters(&code, "firs", &found));
    compiled_code_free(&code);
}

TEST(reads_targets_and_names) {
    struct compiled_code code;
    struct error error;
    struct strbuf names = { 0 };
    int architecture = 0;
    bool exact = false;
    assert_true(compiled_code_read(ptx, &code, &error));
    assert_true(compiled_code_target(&code, &architecture, &exact));
    assert_int_equal(architecture, 90);
    assert_true(exact);
    compiled_code_list_kernels(&code, &names);
    assert_string_equal(names.data, "first, second, first_and_more");
    strbuf_free(&names);
    assert_true(compiled_code_read(".version 8.0\n.target texmode\n", &code, &error));
    assert_false(compiled_code_target(&code, &architecture, &exact));
}

TEST(finds_the_code_behind_a_header) {
    struct strbuf text = { 0 };
    strbuf_append(&text, "/* .version of a header */\n");
    assert_null(compiled_code_begin(text.data));
    compiled_code_append(ptx, strlen(ptx), true, &text);
    assert_string_equal(compiled_code_begin(text.data), ptx);
    strbuf_free(&text);
    assert_string_equal(compiled_code_begin("words\n .version 8.0\n"), " .version 8.0\n");
}

/* Machine code is kept as digits, byte by byte; what is cut anywhere is refused, and nothing behind
 * its end is read. */
TEST(refuses_what_is_no_machine_code) {
    static const unsigned char head[64] = { 0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8 };
    unsigned char bytes[64];
    struct compiled_code code;
    struct error error;
    memcpy(bytes, head, sizeof bytes);
    bytes[18] = 190;  /* CUDA's machine */
    bytes[49] = 90;   /* flags: the architecture */
    bytes[40] = 0xff; /* sections beyond the end */
    bytes[58] = 64;
    bytes[60] = 3;
    for (size_t length = 0; length <= sizeof bytes; length++) {
        struct strbuf text = { 0 };
        compiled_code_append((const char *)bytes, length, false, &text);
        const bool read = compiled_code_read(compiled_code_begin(text.data), &code, &error);
        assert_int_equal(read, length == sizeof bytes);
        strbuf_free(&text);
        if (read) {
            struct compiled_parameters found;
            int architecture = 0;
            bool exact = true;
            char name[16];
            assert_memory_equal(code.bytes, bytes, sizeof bytes);
            assert_true(compiled_code_target(&code, &architecture, &exact));
            assert_int_equal(architecture, 90);
            assert_false(exact);
            assert_false(compiled_code_parameters(&code, "first", &found));
            assert_false(cubin_state_find(code.bytes, code.length, name, sizeof name));
            compiled_code_free(&code);
        }
    }
    assert_false(compiled_code_read(".cubin\n7f4\n", &code, &error));
    assert_false(compiled_code_read(".cubin\nhello\n", &code, &error));
}
