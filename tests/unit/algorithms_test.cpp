// Algorithms of the quantizer, beside what follows from their definitions.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "libcore/exec/session.h"
#include "libcore/graph/quantize.h"
#include "libcore/quant/algorithms/adaround.h"
#include "libcore/quant/algorithms/apply.h"
#include "libcore/quant/algorithms/choice.h"
#include "libcore/quant/algorithms/gptq.h"
#include "libcore/quant/algorithms/seqmse.h"
#include "libcore/quant/assign/weights.h"
#include "tests/common/graph_of.h"
#include "tests/unit/algorithm_nets.h"

using namespace quern;

namespace {

// The greatest number of value "b" over the samples.
double greatest_of_b(const Graph& graph) {
    double found = 0;
    ThreadPool pool(1);
    Session session(Program::compile(graph, {.observable = true}), pool);
    session.set_observer([&](std::string_view key, const Tensor& tensor) {
        if (key == "b") found = std::max(found, greatest(to_floats(tensor), 0, static_cast<size_t>(tensor.count())));
    });
    for (uint64_t i = 0; i < 48; ++i) session.run(std::vector<Tensor>{sample_of(graph, i)});
    return found;
}

// One output with correlated inputs, some of which are no use; 4-bit codes.
struct TinyLayer {
    std::vector<float> x, y;
    Channel channel;
    TinyLayer(size_t rows, size_t depth, unsigned seed, Bend bend = {}) {
        std::mt19937 random(seed);
        std::normal_distribution<float> normal(0, 1);
        channel.depth = depth;
        channel.rows = rows;
        for (size_t k = 0; k < depth; ++k) channel.weight.push_back(normal(random));
        for (size_t r = 0; r < rows; ++r) {
            const float common = normal(random);
            for (size_t k = 0; k < depth; ++k) x.push_back(common + 0.4f * normal(random));
        }
        channel.scale.assign(depth, 0.4f);
        channel.zero.assign(depth, 0.0f);
        channel.qmin = -8;
        channel.qmax = 7;
        channel.bias = 0.25f;
        channel.bend = bend;
        for (size_t r = 0; r < rows; ++r) {
            float sum = channel.bias;
            for (size_t k = 0; k < depth; ++k) sum += channel.weight[k] * x[r * depth + k];
            y.push_back(sum);
        }
        channel.x = x.data();
        channel.y = y.data();
    }
};

// A normalization whose scale makes outliers in two channels; behind it two products.
Graph net_with_outliers() {
    std::vector<float> gamma(16, 1.0f);
    gamma[3] = 60;
    gamma[9] = 35;
    return graph_of(
        R"(%n = "onnx.LayerNormalization"(%x, %g, %b) {onnx_node_name = "norm"} : (tensor<4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
%p = "onnx.MatMul"(%n, %w1) {onnx_node_name = "p"} : (tensor<4x16xf32>, tensor<16x12xf32>) -> tensor<4x12xf32>
%q = "onnx.MatMul"(%n, %w2) {onnx_node_name = "q"} : (tensor<4x16xf32>, tensor<16x12xf32>) -> tensor<4x12xf32>
%y = "onnx.Add"(%p, %q) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>)",
        {{"g", Tensor::make<float>({16}, gamma)},
         {"b", random_tensor({16}, 1)},
         {"w1", random_tensor({16, 12}, 2)},
         {"w2", random_tensor({16, 12}, 3)}});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(algorithms)

BOOST_AUTO_TEST_CASE(equalization_preserves_the_function_and_equalizes_ranges) {
    const Graph source = small_net();
    const Quantized made = quantized(source, "wo-i8-sym", {"cle"});
    BOOST_TEST(made.reports.at(0).changed() == 4);
    for (uint64_t i = 0; i < 5; ++i) {
        const std::vector<float> want = outputs_of(source, Mode::floating, i), got = outputs_of(made.reference, Mode::floating, i);
        for (size_t k = 0; k < want.size(); ++k) BOOST_TEST(got[k] == want[k], boost::test_tools::tolerance(1e-4f));
    }
    const auto w1 = constant(made.reference, "first", 1), w2 = constant(made.reference, "depthwise", 1),
               w3 = constant(made.reference, "last", 1), w4 = constant(made.reference, "scores", 1);
    for (size_t c = 0; c < 8; ++c) {
        BOOST_TEST(greatest(w1, c * 27, 27) == greatest(w2, c * 9, 9), boost::test_tools::tolerance(1e-3));
        BOOST_TEST(greatest(w2, c * 9, 9) == greatest(w3, c, 6, 8), boost::test_tools::tolerance(1e-3));
    }
    for (size_t c = 0; c < 6; ++c) {
        double columns = 0;
        for (size_t out = 0; out < 5; ++out) columns = std::max(columns, greatest(w4, out * 24 + c * 4, 4));
        BOOST_TEST(greatest(w3, c * 8, 8) == columns, boost::test_tools::tolerance(1e-3));
    }
}

BOOST_AUTO_TEST_CASE(equalization_serves_weights_with_one_scale) {
    const Graph source = small_net();
    const double before = sqnr(source, quantized(source, "i8", {}, 2, true).graph, 1000, 50);
    const double after = sqnr(source, quantized(source, "i8", {"cle"}, 2, true).graph, 1000, 50);
    BOOST_TEST(after > before + 3);
}

// A channel of tiny weights whose bias is great: its factor is limited, or it alone would fill the grid of the value.
BOOST_AUTO_TEST_CASE(no_channel_outgrows_its_value) {
    Graph source = small_net();
    std::vector<float> weight = constant(source, "first", 1), bias = constant(source, "first", 2);
    std::fill_n(weight.begin(), 27, 1e-6f);
    bias[0] = 1;
    source.value(source.node(source.find_node("first")).in[1]).data = Bytes::copy_of(std::span<const float>(weight));
    source.value(source.node(source.find_node("first")).in[2]).data = Bytes::copy_of(std::span<const float>(bias));
    const Quantized made = quantized(source, "i8", {"cle"});
    BOOST_TEST(greatest_of_b(made.reference) <= 1.001 * greatest_of_b(source));
}

BOOST_AUTO_TEST_CASE(high_biases_move_on_where_relu_is_linear) {
    Graph source = small_net();
    std::vector<float> bias = constant(source, "first", 2);
    bias[3] = 1000;  // far above what the products of channel 3 can take away
    source.value(source.node(source.find_node("first")).in[2]).data = Bytes::copy_of(std::span<const float>(bias));
    const Quantized made = quantized(source, "i8", {"cle"});
    BOOST_TEST(made.reports.at(0).notes.size() == 1);
    for (uint64_t i = 0; i < 48; ++i) {
        const std::vector<float> want = outputs_of(source, Mode::floating, i), got = outputs_of(made.reference, Mode::floating, i);
        for (size_t k = 0; k < want.size(); ++k) BOOST_TEST(got[k] == want[k], boost::test_tools::tolerance(1e-2f));
    }
    BOOST_TEST(greatest_of_b(made.reference) < 0.2 * greatest_of_b(source));
}

BOOST_AUTO_TEST_CASE(ranges_follow_or_are_asked_for) {
    Ranges ranges;
    ValueRange& value = ranges.values["v"];
    value = {-4, 8, 10, {}, 1, {-4, -1, 0}, {8, 1, 3}};
    ranges.values["w"] = {-1, 1, 10};
    ChangedValues changed;
    change_value(changed, "v", 1, std::vector<double>{0.5, 2, 1}, std::vector<double>{0, 0, 0});
    change_value(changed, "v", 1, std::vector<double>{1, 1, 1}, std::vector<double>{0, 0, -3});
    change_value(changed, "w", 1, std::vector<double>{2}, std::vector<double>{0});
    const std::vector<std::string> unknown = rescale_ranges(ranges, changed);
    BOOST_TEST(unknown == std::vector<std::string>{"w"}, boost::test_tools::per_element());
    BOOST_TEST(value.channel_min == (std::vector<float>{-2, -2, -3}), boost::test_tools::per_element());
    BOOST_TEST(value.channel_max == (std::vector<float>{4, 2, 0}), boost::test_tools::per_element());
    BOOST_TEST(value.min == -3);
    BOOST_TEST(value.max == 4);
}

BOOST_AUTO_TEST_CASE(bias_correction_leaves_no_mean_error) {
    const Graph source = small_net();
    const auto mean_errors = [&](const Graph& graph) {
        std::vector<double> errors(5, 0.0);
        for (uint64_t i = 0; i < 48; ++i) {
            const std::vector<float> want = outputs_of(source, Mode::floating, i), got = outputs_of(graph, Mode::fake, i);
            for (size_t k = 0; k < errors.size(); ++k) errors[k] += (static_cast<double>(got[k]) - static_cast<double>(want[k])) / 48;
        }
        double most = 0;
        for (const double error : errors) most = std::max(most, std::abs(error));
        return most;
    };
    const double before = mean_errors(quantized(source, "wo-i4", {}).graph);
    const double after = mean_errors(quantized(source, "wo-i4", {"bias-correction"}).graph);
    BOOST_TEST(before > 0.01);
    BOOST_TEST(after < 1e-4);
}

// As the ONNX model zoo has it: the bias is an Add of [C, 1, 1]. It becomes the convolution's own.
BOOST_AUTO_TEST_CASE(added_biases_are_corrected) {
    const Graph source = graph_of(
        R"(%a = "onnx.Conv"(%x, %w) {pads = [1, 1, 1, 1], onnx_node_name = "conv"} : (tensor<1x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x6x6xf32>
%b = "onnx.Add"(%a, %c) : (tensor<1x8x6x6xf32>, tensor<8x1x1xf32>) -> tensor<1x8x6x6xf32>
%y = "onnx.Relu"(%b) : (tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>)",
        {{"w", random_tensor({8, 3, 3, 3}, 1)}, {"c", random_tensor({8, 1, 1}, 2)}});
    const Quantized made = quantized(source, "i8", {"bias-correction"});
    BOOST_TEST(made.reports.at(0).changed() == 1);
    BOOST_TEST(made.reference.order().size() == 2);
    BOOST_TEST(sqnr(source, made.graph, 0, 48) > 30);
    const std::vector<float> want = outputs_of(source, Mode::floating, 3), got = outputs_of(made.reference, Mode::floating, 3);
    for (size_t k = 0; k < want.size(); ++k) BOOST_TEST(std::abs(got[k] - want[k]) < 1e-5f);
}

BOOST_AUTO_TEST_CASE(gptq_is_better_than_nearest_on_other_rows) {
    double nearest = 0, found = 0;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const TinyLayer layer(400, 24, seed);
        ThreadPool pool(2);
        const InverseHessian hessian(layer.x.data(), 400, 24, 0.01, pool);
        nearest += layer.channel.noise(layer.channel.nearest(), true);
        found += layer.channel.noise(gptq(layer.channel, hessian), true);
    }
    BOOST_TEST(found < 0.3 * nearest);
}

// U^T U is the inverse of the damped Hessian in the order of its columns.
BOOST_AUTO_TEST_CASE(inverse_hessian_is_the_inverse) {
    const size_t rows = 100, n = 9;
    const TinyLayer layer(rows, n, 3);
    ThreadPool pool(2);
    const InverseHessian hessian(layer.x.data(), rows, n, 0.01, pool);
    std::vector<double> h(n * n, 0.0);
    double trace = 0;
    for (size_t r = 0; r < rows; ++r)
        for (size_t i = 0; r % 4 != 3 && i < n; ++i)
            for (size_t j = 0; j < n; ++j)
                h[i * n + j] +=
                    static_cast<double>(layer.x[r * n + hessian.order()[i]]) * static_cast<double>(layer.x[r * n + hessian.order()[j]]);
    for (size_t i = 0; i < n; ++i) trace += h[i * n + i];
    for (size_t i = 0; i < n; ++i) h[i * n + i] += 0.01 * trace / static_cast<double>(n);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            double sum = 0;  // of (U^T U H)[i][j]
            for (size_t k = 0; k <= i; ++k)
                for (size_t l = k; l < n; ++l) sum += hessian.row(k)[i] * hessian.row(k)[l] * h[l * n + j];
            BOOST_TEST(std::abs(sum - (i == j ? 1 : 0)) < 1e-8);
        }
}

// Each scale is the one of the candidates that leaves least, found here by going through them: per channel, in blocks, for all.
BOOST_AUTO_TEST_CASE(sequential_scales_are_the_best_of_the_candidates) {
    const size_t depth = 12, outs = 3, count = 40;
    LayerRows rows;
    rows.rows = count;
    rows.depth = depth;
    rows.outs = outs;
    rows.x = to_floats(random_tensor({static_cast<int64_t>(count * depth)}, 5, 1, 0.5));
    rows.y.assign(outs * count, 0.0f);
    const Tensor weight = random_tensor({static_cast<int64_t>(depth), static_cast<int64_t>(outs)}, 6);
    const std::vector<float> real = to_floats(weight);
    ThreadPool pool(2);
    int better = 0;
    for (const int64_t block : {-1, 0, 4}) {
        Graph graph =
            graph_of(R"(%y = "onnx.MatMul"(%x, %w) {onnx_node_name = "p"} : (tensor<2x12xf32>, tensor<12x3xf32>) -> tensor<2x3xf32>)",
                     {{"w", weight}});
        const Layer layer = *layer_of(graph, graph.find_node("p"));
        const WeightSpec spec{.storage = DType::i4, .axis = block < 0 ? -1 : block == 0 ? 1 : 0, .block = std::max<int64_t>(block, 0)};
        const Encoding encoding = weight_encoding(weight, spec);
        graph.value(layer.weight).data = quantize(weight, encoding).data;
        graph.value(layer.weight).enc = encoding;
        const std::vector<float> found = sequential_scales(graph, layer, real, rows, pool), old = to_floats(encoding.scale);
        const auto scale_of = [&](size_t k, size_t out) { return block < 0 ? size_t{0} : block == 0 ? out : k / 4 * outs + out; };
        BOOST_TEST(found.size() == old.size());
        for (size_t s = 0; s < old.size(); ++s) {
            float widest = 0;
            for (size_t i = 0; i < real.size(); ++i)
                if (scale_of(i / outs, i % outs) == s) widest = std::max(widest, std::abs(real[i]) / 7);
            const auto error_of = [&](float scale) {
                double error = 0;
                for (size_t out = 0; out < outs; ++out)
                    for (size_t r = 0; r < count; ++r) {
                        double sum = 0;
                        for (size_t k = 0; r % 4 != 3 && k < depth; ++k) {
                            if (scale_of(k, out) != s) continue;
                            const float w = real[k * outs + out];
                            const float code = std::clamp(std::nearbyint(w / scale), static_cast<float>(encoding.qmin), 7.0f);
                            sum += static_cast<double>(rows.x[r * depth + k]) * static_cast<double>(w - code * scale);
                        }
                        error += sum * sum;
                    }
                return error;
            };
            double least = error_of(old[s]);
            for (size_t c = 1; c <= 20; ++c) least = std::min(least, error_of(widest * static_cast<float>(c) / 20));
            BOOST_TEST(error_of(found[s]) <= least * 1.0001);
            better += error_of(found[s]) < 0.9 * error_of(old[s]) ? 1 : 0;
        }
    }
    BOOST_TEST(better > 0);
}

// All 2^8 ways to round up or down: AdaRound finds one that is nearly the best.
BOOST_AUTO_TEST_CASE(adaround_comes_near_the_best_of_all_roundings) {
    for (unsigned seed = 1; seed <= 10; ++seed)
        for (const Bend bend : {Bend{}, Bend{1, 0}, Bend{0.1f}}) {
            const TinyLayer layer(200, 8, seed, bend);
            const Channel& channel = layer.channel;
            double best = 1e300;
            for (unsigned bits = 0; bits < 256; ++bits) {
                std::vector<float> codes(8);
                for (size_t k = 0; k < 8; ++k)
                    codes[k] =
                        std::clamp(std::floor(channel.weight[k] / channel.scale[k]) + static_cast<float>(bits >> k & 1), -8.0f, 7.0f);
                best = std::min(best, channel.noise(codes, false));
            }
            const double found = channel.noise(adaround(channel, {.iterations = 1000}), false);
            const double nearest = channel.noise(channel.nearest(), false);
            BOOST_TEST(found <= 0.2 * nearest + 1.5 * best);
        }
}

BOOST_AUTO_TEST_CASE(adaround_is_better_than_nearest_on_other_rows) {
    double nearest = 0, found = 0;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const TinyLayer layer(400, 24, seed, {1, 0});
        nearest += layer.channel.noise(layer.channel.nearest(), true);
        found += layer.channel.noise(adaround(layer.channel, {}), true);
    }
    BOOST_TEST(found < 0.3 * nearest);
}

BOOST_AUTO_TEST_CASE(rounding_serves_models_on_samples_not_fitted_to) {
    const Graph source = small_net();
    const double before = sqnr(source, quantized(source, "wo-i4", {"cle"}).graph, 1000, 50);
    for (const char* name : {"gptq", "adaround", "seqmse"}) {
        const Quantized made = quantized(source, "wo-i4", {"cle", name});
        BOOST_TEST(made.reports.at(1).changed() >= 2);
        BOOST_TEST(sqnr(source, made.graph, 1000, 50) > before + 1, name);
    }
}

BOOST_AUTO_TEST_CASE(equal_for_any_threads) {
    const Graph source = small_net();
    const auto codes = [&](int threads) {
        const Graph graph = quantized(source, "i8", {"cle", "seqmse", "adaround", "gptq", "bias-correction"}, threads).graph;
        std::string bytes;
        for (size_t i = 0; i < graph.value_count(); ++i)
            if (const Value& value = graph.value(static_cast<ValueId>(i)); value.constant()) bytes += value.data->text();
        return bytes;
    };
    const std::string one = codes(1);
    for (const int threads : {2, 5}) BOOST_TEST((codes(threads) == one));
}

BOOST_AUTO_TEST_CASE(smoothing_preserves_the_function_and_lowers_outliers) {
    const Graph source = net_with_outliers();
    const std::vector<float> gamma = constant(source, "norm", 1);
    const Quantized made = quantized(source, "i8", {"smoothquant"});
    BOOST_TEST(made.reports.at(0).changed() == 2);
    same_function(source, made.reference);
    // s = sqrt(max|x| / max|w|) evens the two out: both have sqrt(max|x| max|w|).
    const std::vector<float> scaled = constant(made.reference, "norm", 1), w1 = constant(made.reference, "p", 1),
                             w2 = constant(made.reference, "q", 1), first = constant(source, "p", 1);
    const double factor = static_cast<double>(gamma[3] / scaled[3]);
    BOOST_TEST(factor > 3);
    for (size_t out = 0; out < 12; ++out)
        BOOST_TEST(static_cast<double>(w1[3 * 12 + out]) == factor * static_cast<double>(first[3 * 12 + out]),
                   boost::test_tools::tolerance(1e-4));
    BOOST_TEST(sqnr(source, made.graph, 1000, 50) > sqnr(source, quantized(source, "i8", {}).graph, 1000, 50) + 3);
}

// Where weights alone are rounded no input gains: nothing is changed, and that is said.
BOOST_AUTO_TEST_CASE(smoothing_leaves_weight_only_types) {
    const Graph source = net_with_outliers();
    for (const char* type : {"wo-i8", "wo-i4"}) {
        const Quantized made = quantized(source, type, {"smoothquant"});
        const AlgorithmReport& report = made.reports.at(0);
        BOOST_TEST((report.changed() == 0 && report.layers.size() == 2), type << ": " << report.text());
        BOOST_TEST(report.text().find("its input is not rounded, so that nothing would be gained") != std::string::npos, report.text());
        BOOST_TEST((constant(made.reference, "norm", 1) == constant(source, "norm", 1)));
    }
}

// The weights of channels that meet great inputs are multiplied, and what makes those is divided, by a power of their mean magnitude.
BOOST_AUTO_TEST_CASE(awq_rounds_what_meets_great_inputs_more_finely) {
    const Graph source = net_with_outliers();
    for (const char* type : {"wo-i4", "w4a16"}) {
        const Quantized plain = quantized(source, type, {}), made = quantized(source, type, {"awq"});
        BOOST_TEST(made.reports.at(0).changed() == 2, type << ": " << made.reports.at(0).text());
        same_function(source, made.reference);
        const std::vector<float> before = constant(source, "norm", 1), after = constant(made.reference, "norm", 1),
                                 w = constant(source, "p", 1), scaled = constant(made.reference, "p", 1);
        const double factor3 = static_cast<double>(before[3] / after[3]), factor9 = static_cast<double>(before[9] / after[9]);
        BOOST_TEST(factor3 > factor9);
        BOOST_TEST(factor9 > 2 * static_cast<double>(before[0] / after[0]));
        for (size_t out = 0; out < 12; ++out)
            BOOST_TEST(static_cast<double>(scaled[3 * 12 + out]) == factor3 * static_cast<double>(w[3 * 12 + out]),
                       boost::test_tools::tolerance(1e-4));
        BOOST_TEST(sqnr(source, made.graph, 1000, 50) > sqnr(source, plain.graph, 1000, 50) + 3, type);
        for (const LayerGain& gain : made.reports.at(0).layers) BOOST_TEST(gain.after_db > gain.before_db + 3);
    }
    // Where types have no integer weights there is nothing to do.
    BOOST_TEST(quantized(source, "f16", {"awq"}).reports.at(0).layers.empty());
}

BOOST_AUTO_TEST_CASE(names_are_checked) {
    BOOST_CHECK_THROW(algorithm_named("cel"), Error);
    BOOST_CHECK_THROW(algorithms_named(std::vector<std::string>{"cle", "cle"}), Error);
    BOOST_CHECK_THROW(check_samples({algorithms_named(std::vector<std::string>{"gptq"}), nullptr}, nullptr), Error);
}

BOOST_AUTO_TEST_SUITE_END()
