#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

#include <unistd.h>

#include "libcore/graph/op.h"
#include "libcore/os/io.h"
#include "libcore/quant/collect/collect.h"
#include "libcore/quant/ranges/observe.h"
#include "tests/common/graph_of.h"

using namespace quern;

namespace {

// y = Relu(x * k)
Graph small_graph() {
    return graph_of(R"(%k = "onnx.Constant"() {value = dense<-1.5> : tensor<1xf32>} : () -> tensor<1xf32>
%p = "onnx.Mul"(%x, %k) : (tensor<2x30xf32>, tensor<1xf32>) -> tensor<2x30xf32>
%y = "onnx.Relu"(%p) : (tensor<2x30xf32>) -> tensor<2x30xf32>)");
}

Tensor sample_of(uint64_t i, bool broken = false) {
    std::mt19937 random(static_cast<unsigned>(i));
    std::normal_distribution<float> normal(0, 1 + static_cast<float>(i % 7));
    std::vector<float> values(60);
    for (float& v : values) v = normal(random);
    if (broken) values[7] = NAN;
    return Tensor::make<float>({2, 30}, values);
}

SampleFeed feed_of(uint64_t first, uint64_t count) {
    return {count, [=](uint64_t i) { return std::vector<Tensor>{sample_of(first + i)}; },
            [](uint64_t i) { return fmt::format("sample {}", i); }, [=](uint64_t i) { return first + i; }, "test"};
}

std::string text_of(const Collection& collection) {
    std::string text;
    collection.write([&](std::string_view part) { text += part; });
    return text;
}

std::string collect(const SampleFeed& feed, const CollectOptions& options) {
    return text_of(*collect_ranges(small_graph(), "abc", feed, options, [](uint64_t) {}));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(collect_ranges_of_samples)

BOOST_AUTO_TEST_CASE(equal_for_any_threads_and_shards) {
    for (const bool per_channel : {false, true}) {
        const std::string whole = collect(feed_of(0, 100), {.per_channel = per_channel});
        for (const int threads : {2, 3, 7}) BOOST_TEST(collect(feed_of(0, 100), {.threads = threads, .per_channel = per_channel}) == whole);
        for (const uint64_t cut : {1u, 32u, 63u}) {
            Ranges a = parse_ranges(collect(feed_of(0, cut), {.threads = 2, .per_channel = per_channel}));
            Ranges b = parse_ranges(collect(feed_of(cut, 100 - cut), {.per_channel = per_channel}));
            b.merge(a);
            BOOST_TEST(to_json(b) == whole);
        }
        BOOST_TEST(to_json(parse_ranges(whole)) == whole);
    }
}

BOOST_AUTO_TEST_CASE(random_numbers_are_those_of_their_sample) {
    const Graph graph = graph_of(R"(%r = "onnx.RandomNormalLike"(%x) : (tensor<2x30xf32>) -> tensor<2x30xf32>
%y = "onnx.Add"(%x, %r) : (tensor<2x30xf32>, tensor<2x30xf32>) -> tensor<2x30xf32>)");
    const auto ranges = [&](int threads) {
        return text_of(*collect_ranges(graph, "abc", feed_of(0, 40), {.threads = threads}, [](uint64_t) {}));
    };
    const std::string one = ranges(1);
    for (const int threads : {2, 3, 7}) BOOST_TEST(ranges(threads) == one);
}
BOOST_AUTO_TEST_CASE(statistics_are_those_of_the_numbers) {
    const Ranges ranges = parse_ranges(collect(feed_of(0, 50), {.per_channel = true}));
    Ranges want;
    ValueRange& x = want.values["x"];
    x.min = 1e9f;
    x.max = -1e9f;
    for (uint64_t i = 0; i < 50; ++i) {
        const Tensor sample = sample_of(i);
        for (const float v : sample.view<float>()) {
            x.min = std::min(x.min, v);
            x.max = std::max(x.max, v);
            ++x.histogram.bins[Histogram::bin_of(v)];
        }
    }
    const ValueRange& got = ranges.values.at("x");
    BOOST_TEST(got.min == x.min);
    BOOST_TEST(got.max == x.max);
    BOOST_TEST(got.count == 3000);
    BOOST_TEST((got.histogram.bins == x.histogram.bins));
    BOOST_TEST(got.channel_min.size() == 30);
    BOOST_TEST(got.runs.size() == 50);
    BOOST_TEST(!std::signbit(ranges.values.at("y").min));
    BOOST_TEST(ranges.values.at("y").min == 0);
    std::vector<double> sums(30, 0.0), limited(30, 0.0);
    for (uint64_t i = 0; i < 50; ++i)
        for (size_t k = 0; k < 60; ++k) {
            const auto v = static_cast<double>(sample_of(i).view<float>()[k]);
            sums[k % 30] += v;
            limited[k % 30] += std::max(-1.5 * v, 0.0);
        }
    const std::vector<double> means = got.channel_means(), of_y = ranges.values.at("y").channel_means();
    BOOST_TEST_REQUIRE(means.size() == 30);
    BOOST_TEST_REQUIRE(of_y.size() == 30);
    for (size_t c = 0; c < 30; ++c) {
        BOOST_TEST(std::abs(means[c] - sums[c] / 100) < 1e-6);
        BOOST_TEST(std::abs(of_y[c] - limited[c] / 100) < 1e-6);
    }
}

// Statistics of limited numbers, as they follow from those of all, and as they are counted: numbers of all sizes, bounds inside of bins,
// too.
BOOST_AUTO_TEST_CASE(limits_of_statistics_are_statistics_of_limited_numbers) {
    std::mt19937 random(3);
    std::vector<float> values{0.0f, -0.0f, 1e-42f, -1e-42f, 6.0f, -6.0f, 1e30f, -1e30f};
    while (values.size() < 6000) {
        const float size = std::ldexp(1.0f, static_cast<int>(random() % 24) - 12);
        values.push_back((static_cast<float>(random() % 2000001) / 1e6f - 1) * size);
    }
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const Bounds bounds : {Bounds{0, infinity}, {0, 6}, {-0.0f, 6}, {-1.234f, 1.005f}, {0.777f, 0.778f}, {-3, -2.5f}, {1e-40f, 1}}) {
        std::vector<float> limited = values;
        for (float& x : limited) x = std::clamp(x, bounds.low, bounds.high);
        ValueStatistics all(true, 1), some(true, 1);
        all.add(values, {6, 10, 100});
        some.add(limited, {6, 10, 100});
        ValueRange follows, counted;
        all.add_to(follows);
        clip(follows, bounds);
        some.add_to(counted);
        BOOST_TEST((follows.histogram.bins == counted.histogram.bins));
        BOOST_TEST(follows.min == counted.min);
        BOOST_TEST(follows.max == counted.max);
        BOOST_TEST((follows.channel_min == counted.channel_min));
        BOOST_TEST((follows.channel_max == counted.channel_max));
        BOOST_TEST(!std::signbit(follows.min) == !std::signbit(counted.min));
    }
}

// y = Relu(x * k) of [batch,30], fed with rows; what fills up the last batch is out of range.
std::string collect_in_batches(uint64_t batch, uint64_t rows, const CollectOptions& options) {
    Graph graph = small_graph();
    for (const char* name : {"x", "p", "y"}) graph.value(graph.find(name)).type.shape = Shape::of(Dims{static_cast<int64_t>(batch), 30});
    const auto count_of_sample = [=](uint64_t i) { return std::min(batch, rows - i * batch); };
    SampleFeed feed;
    feed.count = (rows + batch - 1) / batch;
    feed.sample = [=](uint64_t i) {
        std::vector<float> values;
        for (uint64_t k = 0; k < batch; ++k) {
            const Tensor row = sample_of(i * batch + k);
            for (size_t j = 0; j < 30; ++j) values.push_back(k < count_of_sample(i) ? row.view<float>()[j] : 1e6f);
        }
        return std::vector<Tensor>{Tensor::make<float>({static_cast<int64_t>(batch), 30}, values)};
    };
    feed.place = [](uint64_t i) { return fmt::format("sample {}", i); };
    feed.index = [=](uint64_t i) { return i * batch; };
    feed.rows = count_of_sample;
    feed.batch = [=](uint64_t) { return batch; };
    return text_of(*collect_ranges(graph, "abc", feed, options, [](uint64_t) {}));
}

BOOST_AUTO_TEST_CASE(equal_for_any_batch) {
    for (const bool per_channel : {false, true}) {
        const std::string whole = collect_in_batches(1, 41, {.per_channel = per_channel});
        BOOST_TEST(parse_ranges(whole).samples == 41);
        for (const uint64_t batch : {2u, 4u, 7u, 64u})
            BOOST_TEST(collect_in_batches(batch, 41, {.threads = 2, .per_channel = per_channel}) == whole);
    }
}

BOOST_AUTO_TEST_CASE(a_killed_run_goes_on_from_its_checkpoint) {
    const std::string whole = collect(feed_of(0, 200), {});
    const std::string path = (std::filesystem::temp_directory_path() / fmt::format("quern-checkpoint-{}", ::getpid())).string();
    SampleFeed dying = feed_of(0, 200);
    dying.sample = [](uint64_t i) {
        if (i == 150) throw io_error("killed");
        return std::vector<Tensor>{sample_of(i)};
    };
    CollectOptions options{.threads = 2, .checkpoint = path, .checkpoint_seconds = 0};
    BOOST_CHECK_THROW(collect(dying, options), Error);
    uint64_t asked = 0;
    SampleFeed rest = feed_of(0, 200);
    rest.sample = [&](uint64_t i) {
        ++asked;
        return std::vector<Tensor>{sample_of(i)};
    };
    options.threads = 1;
    BOOST_TEST(collect(rest, options) == whole);
    BOOST_TEST(asked == 200 - 128);
    rest.digest = "other";
    BOOST_CHECK_THROW(collect(rest, options), Error);
    remove_file(path);
}

// y = x + h, and y is the next h.
BOOST_AUTO_TEST_CASE(a_sequence_hands_its_state_on_also_over_a_kill) {
    const Graph graph = graph_of(R"(%y = "onnx.Add"(%x, %h) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>)");
    const auto run = [&](uint64_t dies_at, const std::string& checkpoint, int threads) {
        SampleFeed feed;
        feed.count = 100;
        feed.sample = [&](uint64_t i) {
            if (i == dies_at) throw io_error("killed");
            return std::vector<Tensor>{Tensor::make<float>({1}, std::vector<float>{static_cast<float>(i)}), Tensor()};
        };
        feed.place = feed_of(0, 100).place;
        feed.index = [](uint64_t i) { return i; };
        feed.feedback = {{{1, 0}}, {Tensor::make<float>({1}, std::vector<float>{0.5f})}};
        const CollectOptions options{.threads = threads, .checkpoint = checkpoint, .checkpoint_seconds = 0};
        std::string text;
        collect_ranges(graph, "abc", feed, options, [](uint64_t) {})->write([&](std::string_view part) { text += part; });
        return parse_ranges(text);
    };
    const Ranges whole = run(1000, "", 1);
    BOOST_TEST(whole.values.at("y").max == 4950.5f);
    BOOST_TEST(whole.values.at("h").max == 4851.5f);
    BOOST_TEST((whole.values.at("y").runs.at(3) == std::pair(6.5f, 6.5f)));
    const std::string path = (std::filesystem::temp_directory_path() / fmt::format("quern-sequence-{}", ::getpid())).string();
    BOOST_CHECK_THROW(run(70, path, 2), Error);
    const Ranges resumed = run(20, path, 4);  // 20 is done already
    remove_file(path);
    BOOST_TEST((resumed.values.at("y").runs == whole.values.at("y").runs));
    BOOST_TEST((resumed.values.at("h").runs == whole.values.at("h").runs));
}

BOOST_AUTO_TEST_CASE(convergence_and_odd_numbers) {
    const auto some = collect_ranges(small_graph(), "abc", feed_of(0, 4000), {.threads = 2, .until_converged = true}, [](uint64_t) {});
    BOOST_TEST(some->converged());
    BOOST_TEST(some->head().samples % 32 == 0);
    SampleFeed broken = feed_of(0, 40);
    broken.sample = [](uint64_t i) { return std::vector<Tensor>{sample_of(i, i == 20 || i == 30)}; };
    for (const int threads : {1, 4}) {
        try {
            collect(broken, {.threads = threads});
            BOOST_ERROR("not refused");
        } catch (const Error& error) {
            BOOST_TEST(error.message() == "sample 20: value \"x\": element 7 is NaN");
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
