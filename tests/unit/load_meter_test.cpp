// Whether others take the processors from a thread, by clocks that the tests set.
#include "libcore/os/load_meter.h"

#include <boost/test/unit_test.hpp>

using quern::LoadMeter;

namespace {

constexpr uint64_t ms = 1'000'000;

// A meter after a thread has computed alone for a while.
struct Clocks {
    bool others = true;
    LoadMeter meter{[this] { return others; }};
    uint64_t wall = 1000 * ms, own = 500 * ms;
    Clocks() { meter.crowded_at(wall, own); }
    bool after(uint64_t passed, uint64_t got) { return meter.crowded_at(wall += passed, own += got); }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_thread_that_gets_its_time_is_alone) {
    Clocks clocks;
    for (int i = 0; i < 10; ++i) BOOST_TEST(!clocks.after(5 * ms, 5 * ms));
}

BOOST_AUTO_TEST_CASE(a_thread_that_waits_for_a_processor_is_not) {
    Clocks clocks;
    BOOST_TEST(clocks.after(5 * ms, 2 * ms));
    BOOST_TEST(clocks.after(3 * ms, 3 * ms));  // a calm time must be as long as it takes to be believed
    BOOST_TEST(!clocks.after(5 * ms, 5 * ms));
}

BOOST_AUTO_TEST_CASE(sleep_until_others_are_ready_is_no_sign_of_a_crowd) {
    Clocks clocks;
    for (int i = 0; i < 10; ++i) {
        clocks.meter.slept(4 * ms);
        BOOST_TEST(!clocks.after(8 * ms, 4 * ms));
    }
    clocks.meter.slept(4 * ms);
    BOOST_TEST(clocks.after(8 * ms, 1 * ms));
}

BOOST_AUTO_TEST_CASE(threads_of_the_same_process_are_no_crowd) {
    Clocks clocks;
    clocks.others = false;
    BOOST_TEST(!clocks.after(5 * ms, 2 * ms));
    clocks.others = true;
    BOOST_TEST(clocks.after(5 * ms, 2 * ms));
    BOOST_TEST(quern::running_threads() >= 1);
}
