#include "libcore/base/error.h"

#include <boost/test/unit_test.hpp>

#include "libcore/base/few.h"
#include "libcore/base/shortened.h"
#include "libcore/base/text.h"

using namespace quern;

BOOST_AUTO_TEST_CASE(messages_are_one_printable_line) {
    const Error error(Exit::bad_input, "attribute \"mode\" is \"a\nb\xff\x01\", \xc3\xa4");
    BOOST_TEST(error.message() == "attribute \"mode\" is \"a\\nb\\xff\\x01\", \xc3\xa4");
}

BOOST_AUTO_TEST_CASE(what_moves_the_cursor_or_turns_text_is_escaped) {
    const Error error(Exit::bad_input,
                      "a\x1b[2Jb\xc2\x9b"
                      "1mc\xe2\x80\xae"
                      "d\xe2\x81\xa6"
                      "e\xe2\x80\x8f"
                      "f\xd8\x9c"
                      "g\xef\xbb\xbf"
                      "h\xf3\xa0\x80\x81");
    BOOST_TEST(error.message() == "a\\x1b[2Jb\\u009b1mc\\u202ed\\u2066e\\u200ff\\u061cg\\ufeffh\\U000e0001");
    BOOST_TEST(printable("\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80") == "\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80");
}

BOOST_AUTO_TEST_CASE(messages_are_bounded) {
    const std::string name(1'000'000, 'x');
    BOOST_TEST(escape(name) == std::string(100, 'x') + "..." + std::string(50, 'x') + " (1000000 bytes)");
    BOOST_TEST(escape(std::string(200, 'x')) == std::string(200, 'x'));
    BOOST_TEST(escape_whole(name) == name);
    BOOST_TEST(is_utf8(shortened(
        std::string(3, 'a') +
            [] {
                std::string text;
                for (int i = 0; i < 1000; ++i) text += "\xe2\x82\xac";
                return text;
            }(),
        200)));
    const Error error = Error(Exit::bad_input, name).with_details({name});
    BOOST_TEST(error.message().size() < 4100u);
    BOOST_TEST(error.details()[0].size() < 4100u);
    BOOST_TEST(few_of({"a", "b", "c", "d", "e", "f"}).size() == 6u);
    BOOST_TEST(few_of(std::vector<std::string>(200'000, "x")).back() == "and 199995 more");
}

// What a reader takes for a word says nothing of its length, nor of what a terminal would not show.
BOOST_AUTO_TEST_CASE(plain_text_is_of_any_length) {
    BOOST_TEST(is_plain(std::string(100000, 'x')));
    BOOST_TEST(is_plain("a b \u200d \u00e9"));
    for (const char* text : {"a\nb", "a\x7f", "a\"b", "a\\b", "\xff"}) BOOST_TEST(!is_plain(text), text);
}
