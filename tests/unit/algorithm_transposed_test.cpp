// Algorithms on transposed convolutions.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/quant/algorithms/layer_rows.h"
#include "libcore/quant/algorithms/refine.h"
#include "tests/common/graph_of.h"
#include "tests/unit/algorithm_nets.h"

using namespace quern;

namespace {

// A convolution, two transposed ones - the second in two groups - and a convolution: chains between all of them.
Graph transposed_net() {
    return graph_of(
        R"(%a = "onnx.Conv"(%x, %w1, %b1) {onnx_node_name = "first"} : (tensor<1x3x5x5xf32>, tensor<8x3x1x1xf32>, tensor<8xf32>) -> tensor<1x8x5x5xf32>
%b = "onnx.Relu"(%a) : (tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32>
%c = "onnx.ConvTranspose"(%b, %w2, %b2) {strides = [2, 2], pads = [1, 1, 0, 0], onnx_node_name = "up"} : (tensor<1x8x5x5xf32>, tensor<8x6x3x3xf32>, tensor<6xf32>) -> tensor<*xf32>
%d = "onnx.Relu"(%c) : (tensor<*xf32>) -> tensor<*xf32>
%e = "onnx.ConvTranspose"(%d, %w3, %b3) {group = 2 : si64, onnx_node_name = "groups"} : (tensor<*xf32>, tensor<6x2x2x2xf32>, tensor<4xf32>) -> tensor<*xf32>
%f = "onnx.Relu"(%e) : (tensor<*xf32>) -> tensor<*xf32>
%y = "onnx.Conv"(%f, %w4, %b4) {onnx_node_name = "last"} : (tensor<*xf32>, tensor<3x4x1x1xf32>, tensor<3xf32>) -> tensor<*xf32>)",
        {{"w1", uneven(random_tensor({8, 3, 1, 1}, 1), 0, false)},
         {"b1", uneven(random_tensor({8}, 2, 0.1), 0, false)},
         {"w2", uneven(uneven(random_tensor({8, 6, 3, 3}, 3), 0, true), 1, false)},
         {"b2", uneven(random_tensor({6}, 4, 0.1), 0, false)},
         {"w3", uneven(random_tensor({6, 2, 2, 2}, 5), 0, true)},
         {"b3", random_tensor({4}, 6, 0.1)},
         {"w4", random_tensor({3, 4, 1, 1}, 7)},
         {"b4", random_tensor({3}, 8)}});
}

// The results of a layer are the products of its rows with its matrix.
void rows_give_results(const Graph& graph) {
    const Layer layer = layers_of(graph).at(0);
    ThreadPool pool(2);
    const SampleFeed feed = feed_of(graph, 3);
    const LayerRows rows = RowGatherer(graph, graph, feed, 4096, true, pool).gather({graph, layer, graph, layer});
    const std::vector<float> weight = to_floats(*graph.constant(layer.weight)), bias = to_floats(*graph.constant(layer.bias));
    BOOST_TEST(rows.rows > 20);
    for (size_t out = 0; out < layer.outs; ++out)
        for (size_t r = 0; r < rows.rows; ++r) {
            double sum = static_cast<double>(bias[out]);
            for (size_t k = 0; k < layer.depth; ++k)
                sum += static_cast<double>(weight[layer.at(out, k)]) *
                       static_cast<double>(rows.group(layer.group_of(out))[r * rows.depth + k]);
            BOOST_REQUIRE(std::abs(sum - static_cast<double>(rows.results(out)[r])) < 1e-4);
        }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(algorithm_transposed)

BOOST_AUTO_TEST_CASE(rows_of_all_geometries) {
    for (const char* attributes : {"", "strides = [2, 3]", "strides = [2, 2], pads = [1, 0, 2, 1]", "dilations = [2, 1], strides = [1, 2]",
                                   "strides = [3, 2], output_padding = [1, 1]", R"(strides = [2, 2], auto_pad = "SAME_UPPER")",
                                   R"(strides = [2, 2], auto_pad = "SAME_LOWER")", "strides = [2, 2], output_shape = [9, 10]"})
        for (const int groups : {1, 2}) {
            BOOST_TEST_CONTEXT(attributes << ", groups " << groups)
            rows_give_results(graph_of(
                fmt::format(
                    R"(%y = "onnx.ConvTranspose"(%x, %w, %b) {{{}{}group = {} : si64}} : (tensor<2x4x4x5xf32>, tensor<4x3x3x2xf32>, tensor<{}xf32>) -> tensor<*xf32>)",
                    attributes, *attributes ? ", " : "", groups, 3 * groups),
                {{"w", random_tensor({4, 3, 3, 2}, 1)}, {"b", random_tensor({3 * groups}, 2)}}));
        }
    rows_give_results(graph_of(
        R"(%y = "onnx.ConvTranspose"(%x, %w, %b) {strides = [2, 2], layout = "NHWC"} : (tensor<1x4x5x4xf32>, tensor<4x3x2x6xf32>, tensor<6xf32>) -> tensor<*xf32>)",
        {{"w", random_tensor({4, 3, 2, 6}, 1)}, {"b", random_tensor({6}, 2)}}));
}

BOOST_AUTO_TEST_CASE(equalization_preserves_the_function_and_equalizes_ranges) {
    const Graph source = transposed_net();
    const Quantized made = quantized(source, "wo-i8-sym", {"cle"});
    BOOST_TEST(made.reports.at(0).changed() == 4);
    same_function(source, made.reference);
    const auto w1 = constant(made.reference, "first", 1), w2 = constant(made.reference, "up", 1),
               w3 = constant(made.reference, "groups", 1), w4 = constant(made.reference, "last", 1);
    for (size_t c = 0; c < 8; ++c) BOOST_TEST(greatest(w1, c * 3, 3) == greatest(w2, c * 54, 54), boost::test_tools::tolerance(1e-3));
    for (size_t c = 0; c < 6; ++c) {
        double most = 0;
        for (size_t in = 0; in < 8; ++in) most = std::max(most, greatest(w2, in * 54 + c * 9, 9));
        BOOST_TEST(most == greatest(w3, c * 8, 8), boost::test_tools::tolerance(1e-3));
    }
    for (size_t c = 0; c < 4; ++c) {
        double most = 0;
        for (size_t in = 0; in < 3; ++in) most = std::max(most, greatest(w3, (c / 2 * 3 + in) * 8 + c % 2 * 4, 4));
        BOOST_TEST(most == greatest(w4, c, 3, 4), boost::test_tools::tolerance(1e-3));
    }
}

BOOST_AUTO_TEST_CASE(rounding_and_biases_serve_transposed_convolutions) {
    const Graph source = transposed_net();
    const double before = sqnr(source, quantized(source, "w4a16", {"cle"}).graph, 1000, 50);
    for (const char* name : {"gptq", "adaround", "seqmse", "bias-correction"}) {
        const Quantized made = quantized(source, "w4a16", {"cle", name});
        size_t changed = 0;
        for (const LayerGain& gain : made.reports.at(1).layers) {
            if (gain.layer != "up" && gain.layer != "groups") continue;
            BOOST_TEST(!std::isnan(gain.before_db), gain.layer);
            BOOST_TEST(gain.after_db >= gain.before_db, name << " " << gain.layer);
            changed += gain.changed ? 1 : 0;
        }
        BOOST_TEST(changed >= 1, name << ": " << made.reports.at(1).text());
        BOOST_TEST(sqnr(source, made.graph, 1000, 50) > before, name << made.reports.at(1).text());
    }
}

BOOST_AUTO_TEST_SUITE_END()
