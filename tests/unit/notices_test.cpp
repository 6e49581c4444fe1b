#include <boost/test/unit_test.hpp>
#include <string_view>

#include "libcore/codegen/c/source.h"

using namespace quern::cgen;

BOOST_AUTO_TEST_SUITE(notices)

// fdlibm may be copied where its notice is preserved: in generated C, too.
BOOST_AUTO_TEST_CASE(generated_c_has_the_notice_of_fdlibm_once) {
    constexpr std::string_view notice =
        "Copyright (C) "  // of the text that is looked for, not of this file
        "1993 by Sun Microsystems, Inc. All rights "
        "reserved.\n\n"
        "   Developed at SunPro, a Sun Microsystems, Inc. business.\n"
        "   Permission to use, copy, modify, and distribute this\n"
        "   software is freely granted, provided that this notice\n"
        "   is preserved.\n";
    int pieces = 0;
    for (const Piece& piece : all_pieces()) {
        if (piece.text.find("float fdlibm_") == std::string_view::npos) continue;
        ++pieces;
        Source source;
        source.kernel(piece.name);
        source.kernel(piece.name);
        const std::string text = source.kernels();
        const size_t at = text.find(notice);
        BOOST_TEST_REQUIRE(at != std::string::npos, piece.name);
        BOOST_TEST(at < text.find("float fdlibm_"));
        BOOST_TEST(text.find(notice, at + 1) == std::string::npos);
    }
    BOOST_TEST(pieces == 1);
}

BOOST_AUTO_TEST_SUITE_END()
