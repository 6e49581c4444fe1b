// The thread pool where threads cannot be started.
#include "libcore/os/threads.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <optional>

#include "libcore/base/error.h"

using namespace quern;

// Their stacks do not fit into the memory that is left: an error, and those that were started end.
BOOST_AUTO_TEST_CASE(threads_that_cannot_be_started_are_an_error) {
    rlimit before{};
    ::getrlimit(RLIMIT_AS, &before);
    rlimit limit = before;
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    limit.rlim_cur = std::min<rlim_t>(before.rlim_cur, pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{64} << 20));
    std::optional<Error> failure;
    ::setrlimit(RLIMIT_AS, &limit);
    try {
        ThreadPool(200).run(2, [](size_t) {});
    } catch (const Error& error) {
        failure = error;
    }
    ::setrlimit(RLIMIT_AS, &before);
    BOOST_REQUIRE(failure);
    BOOST_TEST(static_cast<int>(failure->exit()) == static_cast<int>(Exit::io));
    BOOST_TEST(failure->message().starts_with("cannot start 200 threads"), failure->message());
    std::atomic<int> calls = 0;
    ThreadPool(4).run(100, [&](size_t) { ++calls; });
    BOOST_TEST(calls == 100);
}
