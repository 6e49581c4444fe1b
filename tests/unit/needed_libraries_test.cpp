// What a shared library asks the loader for, of whole files and of cut and changed ones.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>

#include "libcore/os/io.h"
#include "libcore/os/needed_libraries.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(needed_libraries_test)

BOOST_AUTO_TEST_CASE(a_program_needs_the_library_of_c) {
    const auto needed = needed_libraries(map_input("/proc/self/exe"));
    BOOST_TEST(std::ranges::any_of(needed, [](const std::string& name) { return name.starts_with("libc.so"); }));
}

BOOST_AUTO_TEST_CASE(what_is_no_library_needs_none) {
    BOOST_TEST(needed_libraries(Bytes::copy("", 0)).empty());
    BOOST_TEST(needed_libraries(Bytes::copy("\x7f"
                                            "ELF",
                                            4))
                   .empty());
    const std::string text(4096, 'x');
    BOOST_TEST(needed_libraries(Bytes::copy(text.data(), text.size())).empty());
}

// None of these may read beyond the file, whose end is the end of a block.
BOOST_AUTO_TEST_CASE(cut_and_changed_files_are_read_to_their_end) {
    const Bytes whole = map_input("/proc/self/exe");
    const std::string head(whole.text().substr(0, std::min<size_t>(whole.size(), 1 << 16)));
    for (size_t size = 0; size < 1200; size += 7) needed_libraries(Bytes::copy(head.data(), size));
    for (size_t at = 0; at < 1200; ++at)
        for (const char byte : {'\0', '\x7f', '\xff'}) {
            std::string changed = head;
            changed[at] = byte;
            needed_libraries(Bytes::copy(changed.data(), changed.size()));
        }
}

BOOST_AUTO_TEST_SUITE_END()
