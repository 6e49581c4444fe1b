// onert's minmax.bin: there and back, and files that do not hold what they say.
#include <boost/test/unit_test.hpp>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/quant/ranges/minmax_bin.h"
#include "libcore/quant/ranges/ranges_json.h"

using namespace quern;

namespace {

const onert::Places places{{"conv", "", "relu"}, {"x"}};

std::vector<onert::MinmaxRun> two_runs() {
    return {{{{0, 0, 0, -1, 2}, {0, 0, 2, 0, 2}}, {{0, 0, 0, -3, 3}}}, {{{0, 0, 0, -1.5f, 1}, {0, 0, 2, 0, 1}}, {{0, 0, 0, -2, 4}}}};
}

std::vector<onert::MinmaxRun> parse(const std::string& file) { return onert::parse_minmax(Bytes::borrow(file.data(), file.size())); }

std::string refusal(const std::function<void()>& body) {
    try {
        body();
    } catch (const Error& error) {
        BOOST_TEST((error.exit() == Exit::bad_input));
        return error.message();
    }
    return "accepted";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(minmax_bin)

BOOST_AUTO_TEST_CASE(the_bytes_are_those_of_the_format) {
    const std::string file = onert::write_minmax({{{{0, 0, 7, -1, 2}}, {}}});
    const std::string want("DMMO\1\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\7\0\0\0\0\0\x80\xbf\0\0\0\x40", 40);
    BOOST_TEST(file == want);
    BOOST_TEST((parse(onert::write_minmax(two_runs())) == two_runs()));
}

BOOST_AUTO_TEST_CASE(runs_become_ranges_and_runs_again) {
    size_t skipped = 0;
    auto runs = two_runs();
    runs.push_back({{{0, 1, 5, -9, 9}}, {}});  // a body: no sample of its own
    const Ranges ranges = onert::ranges_of_minmax(runs, places, skipped);
    BOOST_TEST(skipped == 1);
    BOOST_TEST(ranges.samples == 2);
    BOOST_TEST(ranges.values.size() == 3);
    BOOST_TEST(ranges.values.at("conv").min == -1.5f);
    BOOST_TEST(ranges.values.at("conv").max == 2);
    BOOST_TEST((ranges.values.at("x").runs.at(1) == std::pair(-2.0f, 4.0f)));
    BOOST_TEST((onert::minmax_of_ranges(ranges, places) == two_runs()));
    BOOST_TEST((parse_ranges(to_json(ranges)).values.at("relu").runs == ranges.values.at("relu").runs));
    Ranges less = ranges;
    less.values.at("relu").runs.erase(0);
    BOOST_TEST(refusal([&] { (void)onert::minmax_of_ranges(less, places); }) == "value \"relu\" has the extremes of 1 of 2 runs");
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
    const std::string file = onert::write_minmax(two_runs());
    for (size_t size = 0; size < file.size(); ++size)
        BOOST_TEST(refusal([&] { (void)parse(file.substr(0, size)); }) != "accepted", "first " << size << " bytes");
    BOOST_TEST(refusal([&] { (void)parse(file + "x"); }) == "has 1 bytes behind its last run");
}

BOOST_AUTO_TEST_CASE(sizes_beyond_the_file_take_no_memory) {
    const auto with = [](size_t at, char value) {
        std::string file = onert::write_minmax(two_runs());
        for (size_t i = 0; i < 4; ++i) file[at + i] = value;
        return refusal([&] { (void)parse(file); });
    };
    BOOST_TEST(with(0, 0) == "begins with 0x00000000, need 0x4f4d4d44 of minmax.bin");
    BOOST_TEST(with(4, 2) == "is version 33686018, need 1");
    BOOST_TEST(with(8, '\xff') == "says 4294967295 runs, 136 bytes are left");
    BOOST_TEST(with(12, '\xff') == "run 0: says 4294967295 operators at byte 20, 128 bytes are left");
    BOOST_TEST(with(16, '\xff') == "run 0: says 4294967295 inputs at byte 60, 88 bytes are left");
}

BOOST_AUTO_TEST_CASE(records_that_mean_nothing_are_refused) {
    const auto with = [](onert::MinmaxRecord record) {
        size_t skipped = 0;
        return refusal([&] { (void)onert::ranges_of_minmax({{{record}, {}}}, places, skipped); });
    };
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    BOOST_TEST(with({0, 0, 3, 0, 1}) == "run 0: operator 3: the model has none there that is recorded");
    BOOST_TEST(with({0, 0, 1, 0, 1}) == "run 0: operator 1: the model has none there that is recorded");
    BOOST_TEST(with({1, 0, 0, 0, 1}) == "run 0: operator 0 of model 1: only one model is known");
    BOOST_TEST(with({0, 0, 0, 2, 1}) == "run 0: operator 0: runs from 2 to 1");
    BOOST_TEST(with({0, 0, 0, nan, 1}) == "run 0: operator 0: runs from nan to 1");
    BOOST_TEST(with({0, 0, 0, 0, infinity}) == "run 0: operator 0: runs from 0 to inf");
    BOOST_TEST(with({0, 1, 0, 0, 1}) == "holds no run of the main graph");
    size_t skipped = 0;
    BOOST_TEST(refusal([&] {
                   (void)onert::ranges_of_minmax({{{{0, 0, 0, 0, 1}, {0, 0, 0, 0, 1}}, {}}}, places, skipped);
               }) == "run 0: operator 0: is recorded twice in one run");
}

BOOST_AUTO_TEST_SUITE_END()
