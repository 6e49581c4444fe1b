#include "libcore/base/error.h"

#include <boost/test/unit_test.hpp>

using namespace quern;

BOOST_AUTO_TEST_CASE(messages_are_one_printable_line) {
    const Error error(Exit::bad_input, "attribute \"mode\" is \"a\nb\xff\x01\", \xc3\xa4");
    BOOST_TEST(error.message() == "attribute \"mode\" is \"a\\nb\\xff\\x01\", \xc3\xa4");
}
