/* What is said of arguments and files is fit for a terminal, whatever stands in them. */
#include "core/error.h"
#include "core/quantity.h"
#include "core/strings.h"

#include "support.h"
#undef fail /* ours is meant, not that of the tests */

typedef struct quantity quantity_fn(double value);

TEST(numbers_have_no_exponents) {
    static const struct {
        quantity_fn *write;
        double value;
        const char *text;
    } cases[] = {
        { quantity_seconds, 3.355e-4, "336 us" },
        { quantity_seconds, 9.9996e-4, "1 ms" },
        { quantity_seconds, 4321, "4321 s" },
        { quantity_seconds, 2.5e-13, "0 ns" },
        { quantity_even_seconds, 0.024, "24.0 ms" },
        { quantity_even_seconds, 9.996e-6, "10.0 us" },
        { quantity_percent, 2.5, "250 %" },
        { quantity_percent, 0.0438, "4.4 %" },
        { quantity_percent, 0.0012, "0.12 %" },
        { quantity_percent, 1e-6, "below 0.01 %" },
        { quantity_percent, INFINITY, "over 999 %" },
        { quantity_percent, NAN, "-" },
        { quantity_percent, 0, "0.00 %" },
        { quantity_ratio, 1e-5, "<0.01" },
        { quantity_ratio, 1.005, "1.00" },
        { quantity_ratio, 1e9, "1000000000" },
        { quantity_large, 1.64e9, "1.64 G" },
        { quantity_large, 80412345, "80.4 M" },
        { quantity_large, 999.9, "1 k" },
        { quantity_large, INFINITY, "-" },
        { quantity_exact, 0.1, "0.1" },
        { quantity_exact, 1.0 / 3, "0.33333333333333331" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(cases[i].write(cases[i].value).text, cases[i].text);
    }
}

TEST(printable_texts_stay) {
    static const char *const texts[] = {
        "",
        "plain words, 5 %",
        "caf\xc3\xa9 \xe2\x80\x94 \xf0\x9f\x9a\x80",
        "\xc2\xa0\xef\xbf\xbf",
        "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", /* around the surrogates; the last of all */
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char words[64];
        (void)snprintf(words, sizeof words, "%s", texts[i]);
        make_printable(words, PRINTABLE_LINE);
        assert_string_equal(words, texts[i]);
    }
}

TEST(what_drives_a_terminal_becomes_a_question_mark) {
    static const struct {
        const char *raw, *printable;
    } texts[] = {
        { "\x1b[31mred\x07", "?[31mred?" },
        { "a\rb\x7f", "a?b?" },
        { "\xc2\x9b"
          "31m",
          "?31m" },            /* a control character of two bytes */
        { "\x9b", "?" },       /* the same of one */
        { "caf\xe9", "caf?" }, /* no UTF-8 */
        { "\xe2\x80", "??" },  /* cut short */
        { "\xc0\xaf \xe0\x9f\xbf \xf0\x8f\xbf\xbf", "?? ??? ????" }, /* longer than need be */
        { "\xed\xa0\x80 \xf4\x90\x80\x80", "??? ????" },             /* surrogate; beyond Unicode */
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char words[64];
        (void)snprintf(words, sizeof words, "%s", texts[i].raw);
        make_printable(words, PRINTABLE_LINES);
        assert_string_equal(words, texts[i].printable);
    }
}

TEST(line_breaks_stay_where_there_may_be_lines) {
    char lines[] = "one\n\ttwo\r\n\rthree";
    char line[] = "one\n\ttwo\r\n";
    make_printable(lines, PRINTABLE_LINES);
    assert_string_equal(lines, "one\n\ttwo\r\n?three");
    make_printable(line, PRINTABLE_LINE);
    assert_string_equal(line, "one??two??");
}

TEST(messages_are_printable) {
    struct error error;
    assert_false(fail(&error, STATUS_BAD_INPUT, "line 3: '%s'", "\x1b[2J\nok"));
    assert_string_equal(error.message, "line 3: '?[2J?ok'");
    assert_false(fail_within(&error, "a\x1b%s", "b"));
    assert_string_equal(error.message, "a?b: line 3: '?[2J?ok'");
    assert_false(fail(&error, STATUS_COMPILE_ERROR, "x.cl does not compile:\n\t%s", "\x1b[1mno"));
    assert_string_equal(error.message, "x.cl does not compile:\n\t?[1mno");
}

TEST(a_byte_order_mark_is_no_text) {
    assert_int_equal(byte_order_mark("\xef\xbb\xbfn"), 3);
    assert_int_equal(byte_order_mark("\xef\xbb"), 0);
    assert_int_equal(byte_order_mark(""), 0);
}

TEST(lines_end_by_newline_whatever_ended_them) {
    char text[] = "\ra\rb\r\nc\n\r\rd\r\r\ne\r";
    end_lines_by_newline(text, sizeof text - 1);
    assert_string_equal(text, "\na\nb\r\nc\n\n\nd\n\r\ne\n");
}

/* A character that the end of the message cuts through is no character. */
TEST(long_messages_end_in_whole_characters) {
    struct error error;
    char long_words[sizeof error.message + 10];
    memset(long_words, 'x', sizeof long_words);
    memcpy(long_words + sizeof error.message - 2, "\xc3\xa9", 3);
    assert_false(fail(&error, STATUS_BAD_INPUT, "%s", long_words));
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    assert_int_equal(error.message[sizeof error.message - 2], '?');
}

TEST(a_log_gets_lines_that_are_printable) {
    char *said = NULL;
    size_t length = 0;
    FILE *log = open_memstream(&said, &length);
    assert_non_null(log);
    log_warning(log, "%s:%d: left aside", "a\x1b\nb", 7);
    log_warning(log, "%s", "");
    log_warning(NULL, "%s", "nobody listens");
    assert_int_equal(fclose(log), 0);
    assert_string_equal(said, "a??b:7: left aside\n\n");
    free(said);
}
