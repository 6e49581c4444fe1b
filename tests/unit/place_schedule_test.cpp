// List scheduling: what holds of every schedule, and where its order is told by hand.
#include <boost/test/unit_test.hpp>
#include <random>

#include "libcore/place/schedule.h"

using namespace quern::place;

namespace {

std::vector<Task> random_tasks(std::mt19937& random, size_t count, size_t resources) {
    std::vector<Task> tasks(count);
    for (size_t t = 0; t < count; ++t) {
        tasks[t] = {random() % resources, static_cast<double>(random() % 8), {}};
        for (size_t before = 0; before < t; ++before)
            if (random() % count < 2) tasks[t].after.push_back(before);
    }
    return tasks;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(place_schedule)

// Of two that can begin on device 0 the one with the longer way to the end goes first, though it comes later in the list: 1 + 5 and not 2 +
// 1 + 5.
BOOST_AUTO_TEST_CASE(the_longer_way_goes_first) {
    const std::vector<Task> tasks{{0, 2, {}}, {0, 1, {}}, {1, 5, {1}}};
    const std::vector<Span> spans = list_schedule(tasks);
    BOOST_TEST(spans[1].start == 0);
    BOOST_TEST(spans[0].start == 1);
    BOOST_TEST(spans[2].end == 6);
}

BOOST_AUTO_TEST_CASE(nothing_overlaps_or_comes_before_what_it_waits_for) {
    std::mt19937 random(1);
    for (int turn = 0; turn < 200; ++turn) {
        const std::vector<Task> tasks = random_tasks(random, 1 + random() % 20, 1 + random() % 4);
        const std::vector<Span> spans = list_schedule(tasks);
        double makespan = 0, sum = 0;
        for (size_t t = 0; t < tasks.size(); ++t) {
            BOOST_TEST(spans[t].end == spans[t].start + tasks[t].seconds);
            for (const size_t before : tasks[t].after) BOOST_TEST(spans[t].start >= spans[before].end);
            for (size_t other = 0; other < t; ++other)
                if (tasks[other].on == tasks[t].on) BOOST_TEST((spans[t].start >= spans[other].end || spans[other].start >= spans[t].end));
            makespan = std::max(makespan, spans[t].end);
            sum += tasks[t].seconds;
        }
        BOOST_TEST(makespan <= sum);
    }
}

BOOST_AUTO_TEST_CASE(batches_wait_for_the_busiest) {
    const Schedule schedule{{}, 8, "a", 3};
    BOOST_TEST(schedule.of_batches(1) == 8);
    BOOST_TEST(schedule.of_batches(5) == 20);
}

BOOST_AUTO_TEST_SUITE_END()
