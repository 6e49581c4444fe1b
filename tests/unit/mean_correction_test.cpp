// Bias correction by means of inputs: those that BatchNormalization says, and measured ones.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "libcore/quantize/quantize_model.h"
#include "tests/common/graph_of.h"
#include "tests/unit/algorithm_nets.h"

using namespace quern;

namespace {

constexpr uint64_t samples = 64;

// Convolution, normalization with the statistics that its samples have, an activation, convolution.
Graph normalized_net(const std::string& activation) {
    const std::string first =
        R"(%a = "onnx.Conv"(%x, %w1) {onnx_node_name = "first"} : (tensor<1x3x8x8xf32>, tensor<6x3x3x3xf32>) -> tensor<*xf32>)";
    const Tensor w1 = random_tensor({6, 3, 3, 3}, 1);
    const Graph head = graph_of(first, {{"w1", w1}});
    std::vector<float> mean(6, 0.0f), variance(6, 0.0f);
    std::vector<double> sums(6, 0.0), squares(6, 0.0);
    size_t count = 0;
    for (uint64_t i = 0; i < samples; ++i) {
        const std::vector<float> out = outputs_of(head, Mode::floating, i);
        for (size_t k = 0; k < out.size(); ++k) {
            sums[k / 36] += static_cast<double>(out[k]);
            squares[k / 36] += static_cast<double>(out[k]) * static_cast<double>(out[k]);
        }
        count += 36;
    }
    for (size_t c = 0; c < 6; ++c) {
        const double middle = sums[c] / static_cast<double>(count);
        mean[c] = static_cast<float>(middle);
        variance[c] = static_cast<float>(squares[c] / static_cast<double>(count) - middle * middle);
    }
    std::map<std::string, Tensor> constants{{"w1", w1},
                                            {"w2", random_tensor({4, 6, 3, 3}, 2)},
                                            {"scale", random_tensor({6}, 3, 0.5, 1)},
                                            {"shift", random_tensor({6}, 4, 1, 0.5)},
                                            {"mean", Tensor::vector<float>(mean)},
                                            {"var", Tensor::vector<float>(variance)}};
    if (activation.find("Clip") != std::string::npos) {
        constants["zero"] = Tensor::make<float>({}, std::vector<float>{0});
        constants["one"] = Tensor::make<float>({}, std::vector<float>{1});
    }
    return graph_of(first + R"(
%b = "onnx.BatchNormalization"(%a, %scale, %shift, %mean, %var) {onnx_node_name = "norm"} : (tensor<*xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<*xf32>
)" + activation + R"(
%y = "onnx.Conv"(%c, %w2) {onnx_node_name = "second"} : (tensor<*xf32>, tensor<4x6x3x3xf32>) -> tensor<*xf32>)",
                    constants);
}

// With the first layer left float, so that all error is the second's.
Graph corrected(const Graph& source, const std::vector<std::string>& names, const Ranges* ranges = nullptr,
                const SampleFeed* feed = nullptr) {
    Model model{source, {}, {}};
    const Rules rules = parse_rules(R"({"kind": "rules", "version": 1, "node_names": {"first": "none"}})");
    const QuantRequest request{.scheme = &scheme_named("wo-i4"), .rules = &rules};
    ThreadPool pool(2);
    quantize_model(model, ranges, request, pool, "overrides", {.chosen = algorithms_named(names), .feed = feed});
    return model.graph;
}

Ranges ranges_of(const Graph& source, bool per_channel) {
    std::string text;
    collect_ranges(source, "", feed_of(source, samples), {.threads = 2, .per_channel = per_channel}, [](uint64_t) {
    })->write([&](std::string_view part) { text += part; });
    return parse_ranges(text);
}

// The greatest mean error of an output channel.
double mean_error(const Graph& source, const Graph& made) {
    std::vector<double> errors(4, 0.0);
    for (uint64_t i = 0; i < samples; ++i) {
        const std::vector<float> want = outputs_of(source, Mode::floating, i), got = outputs_of(made, Mode::fake, i);
        for (size_t k = 0; k < want.size(); ++k)
            errors[k / (want.size() / 4)] += static_cast<double>(got[k]) - static_cast<double>(want[k]);
    }
    double most = 0;
    for (const double error : errors) most = std::max(most, std::abs(error) / (16 * samples));
    return most;
}

constexpr const char* relu = R"(%c = "onnx.Relu"(%b) : (tensor<*xf32>) -> tensor<*xf32>)";
constexpr const char* clip = R"(%c = "onnx.Clip"(%b, %zero, %one) : (tensor<*xf32>, tensor<f32>, tensor<f32>) -> tensor<*xf32>)";
constexpr const char* sum = R"(%r = "onnx.Relu"(%b) : (tensor<*xf32>) -> tensor<*xf32>
%c = "onnx.Add"(%b, %r) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>)";

}  // namespace

BOOST_AUTO_TEST_SUITE(mean_correction)

// Beside numbers that are drawn.
BOOST_AUTO_TEST_CASE(means_of_limited_normals) {
    const Graph graph = graph_of(
        R"(%b = "onnx.Relu"(%x) : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
%c = "onnx.Clip"(%x, %low, %high) : (tensor<1x3x2x2xf32>, tensor<f32>, tensor<f32>) -> tensor<1x3x2x2xf32>
%y = "onnx.Add"(%b, %c) : (tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>)",
        {{"low", Tensor::make<float>({}, std::vector<float>{-0.5f})}, {"high", Tensor::make<float>({}, std::vector<float>{1.5f})}});
    const Normals normals{{"x", {{0.3, -1, 2}, {1, 0.5, 0}}}};
    const auto relu = expected_means(graph, graph.find("b"), normals), clip = expected_means(graph, graph.find("c"), normals),
               both = expected_means(graph, graph.find("y"), normals);
    BOOST_TEST_REQUIRE((relu && clip && both));
    std::mt19937 random(1);
    for (size_t c = 0; c < 3; ++c) {
        std::normal_distribution<double> normal(0, 1);
        double first = 0, second = 0;
        for (int i = 0; i < 200000; ++i) {
            const double x = normals.at("x").mean[c] + normals.at("x").deviation[c] * normal(random);
            first += std::max(x, 0.0) / 200000;
            second += std::clamp(x, -0.5, 1.5) / 200000;
        }
        BOOST_TEST(std::abs((*relu)[c] - first) < 0.01);
        BOOST_TEST(std::abs((*clip)[c] - second) < 0.01);
        BOOST_TEST(std::abs((*both)[c] - first - second) < 0.02);
    }
    BOOST_TEST(!expected_means(graph, graph.find("b"), {}).has_value());
}

BOOST_AUTO_TEST_CASE(biases_take_the_mean_error_away) {
    for (const char* activation : {relu, clip, sum}) {
        const Graph source = normalized_net(activation);
        const double before = mean_error(source, corrected(source, {})),
                     after = mean_error(source, corrected(source, {"analytic-bias-correction"}));
        BOOST_TEST(before > 0.02, activation);
        BOOST_TEST(after < 0.3 * before, activation << ": " << after << " of " << before);
    }
}

// By the means of ranges, and by those that samples have where ranges have none.
BOOST_AUTO_TEST_CASE(measured_means_take_the_mean_error_away) {
    for (const char* activation : {relu, clip, sum}) {
        const Graph source = normalized_net(activation);
        const Ranges ranges = ranges_of(source, true), without = ranges_of(source, false);
        const SampleFeed feed = feed_of(source, samples);
        const double before = mean_error(source, corrected(source, {}));
        for (const auto& [given, fed] : {std::pair(&ranges, static_cast<const SampleFeed*>(nullptr)), std::pair(&without, &feed),
                                         std::pair(static_cast<const Ranges*>(nullptr), &feed)}) {
            const double after = mean_error(source, corrected(source, {"fast-bias-correction"}, given, fed));
            BOOST_TEST(after < 0.1 * before, activation << ": " << after << " of " << before);
        }
        BOOST_CHECK_EXCEPTION(corrected(source, {"fast-bias-correction"}, &without), Error,
                              [](const Error& error) { return error.exit() == Exit::usage; });
    }
}

// Sums follow the values that equalization scales.
BOOST_AUTO_TEST_CASE(equalized_values_keep_their_means) {
    Ranges ranges;
    ranges.values["v"] = {.min = -1, .max = 3, .count = 8, .axis = 1, .channel_min = {-1, 0}, .channel_max = {1, 3}};
    ranges.values["v"].channel_sum = {ExactSum(2), ExactSum(6)};
    ChangedValues changed;
    change_value(changed, "v", 1, std::vector<double>{2, 0.5}, std::vector<double>{0, -1});
    BOOST_TEST(rescale_ranges(ranges, changed).empty());
    BOOST_TEST(ranges.values["v"].channel_means() == (std::vector<double>{1, -0.25}), boost::test_tools::per_element());
}

// Statistics follow the values that equalization scales.
BOOST_AUTO_TEST_CASE(equalized_values_keep_their_statistics) {
    Normals normals{{"v", {{1, 2}, {3, 4}}}, {"w", {{1}, {1}}}};
    ChangedValues changed;
    change_value(changed, "v", 1, std::vector<double>{2, 0.5}, std::vector<double>{0, -1});
    change_value(changed, "w", 1, std::vector<double>{2, 2}, std::vector<double>{0, 0});
    rescale_normals(normals, changed);
    BOOST_TEST(normals.at("v").mean == (std::vector<double>{2, 0}), boost::test_tools::per_element());
    BOOST_TEST(normals.at("v").deviation == (std::vector<double>{6, 2}), boost::test_tools::per_element());
    BOOST_TEST(!normals.contains("w"));
}

BOOST_AUTO_TEST_CASE(without_normalizations_it_is_refused) {
    BOOST_CHECK_EXCEPTION(corrected(small_net(), {"analytic-bias-correction"}), Error,
                          [](const Error& error) { return error.exit() == Exit::unsupported; });
}

BOOST_AUTO_TEST_SUITE_END()
