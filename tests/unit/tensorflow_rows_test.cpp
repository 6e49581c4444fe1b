// Operators of TensorFlow where their defaults and their numbers are easily mistaken.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "formats/format.h"
#include "formats/read.h"
#include "libcore/exec/session.h"
#include "libcore/graph/op_ids.h"
#include "tests/unit/graph_def_file.h"

using namespace quern;
using namespace quern::test;

BOOST_AUTO_TEST_SUITE(tensorflow_rows)

namespace {

Tensor reals(Dims dims, const std::vector<float>& items) { return Tensor::make<float>(std::move(dims), items); }
Tensor wholes(Dims dims, const std::vector<int32_t>& items) { return Tensor::make<int32_t>(std::move(dims), items); }
std::vector<float> upto(size_t count) {
    std::vector<float> items;
    for (size_t i = 0; i < count; ++i) items.push_back(static_cast<float>(i));
    return items;
}

std::vector<Tensor> results_of(const GraphDefFile& file, const std::vector<Tensor>& inputs) {
    const Model model = read_model(file.bytes(), "", "");
    ThreadPool pool(1);
    Session session(Program::compile(model.graph, {}), pool);
    return session.run(inputs);
}

void expect(const Tensor& got, const Dims& dims, const std::vector<double>& want) {
    BOOST_TEST(got.dims == dims, boost::test_tools::per_element());
    const std::vector<double> items = to_doubles(got);
    BOOST_REQUIRE_EQUAL(items.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i)
        BOOST_TEST(std::abs(items[i] - want[i]) <= 1e-5 * std::max(1.0, std::abs(want[i])), items[i] << " is not " << want[i]);
}
void expect(const GraphDefFile& file, const std::vector<Tensor>& inputs, const Dims& dims, const std::vector<double>& want) {
    const std::vector<Tensor> got = results_of(file, inputs);
    BOOST_REQUIRE_EQUAL(got.size(), 1);
    expect(got[0], dims, want);
}

GraphDefFile cut(const std::vector<int32_t>& begin, const std::vector<int32_t>& end, const std::vector<int32_t>& strides,
                 const std::vector<NamedAttr>& masks) {
    return GraphDefFile()
        .placeholder("x", {2, 3, 4})
        .ints("begin", begin)
        .ints("end", end)
        .ints("strides", strides)
        .node("y", "StridedSlice", {"x", "begin", "end", "strides"}, masks);
}

// Two operands of four numbers.
GraphDefFile pair(const std::string& op, int code) {
    return GraphDefFile().placeholder("a", {4}, code).placeholder("b", {4}, code).node("y", op, {"a", "b"}, {attr_type("T", code)});
}

}  // namespace

// Bit i of a mask speaks of entry i, not of a dim; an element that is dropped is cut by its begin alone.
BOOST_AUTO_TEST_CASE(slices_by_masks) {
    const Tensor x = reals({2, 3, 4}, upto(24));
    expect(cut({1, 9, 9, 9}, {2, 9, 9, 9}, {1, 1, 1, -1},
               {attr_i("begin_mask", 0b1010), attr_i("end_mask", 0b1010), attr_i("new_axis_mask", 0b0100),
                attr_i("shrink_axis_mask", 0b0001)}),
           {x}, {3, 1, 4}, {15, 14, 13, 12, 19, 18, 17, 16, 23, 22, 21, 20});
    expect(cut({7, -1}, {7, 0}, {1, 1}, {attr_i("ellipsis_mask", 1), attr_i("shrink_axis_mask", 2)}), {x}, {2, 3}, {3, 7, 11, 15, 19, 23});
    expect(cut({0, 2}, {1, -4}, {1, -2}, {attr_i("end_mask", 1)}), {x}, {2, 2, 4},
           {8, 9, 10, 11, 0, 1, 2, 3, 20, 21, 22, 23, 12, 13, 14, 15});
}

BOOST_AUTO_TEST_CASE(slices_by_bounds_that_are_computed) {
    const auto file = GraphDefFile()
                          .placeholder("x", {6})
                          .placeholder("at", {1}, GraphDefFile::i32)
                          .ints("strides", {1})
                          .node("one", "StridedSlice", {"x", "at", "at", "strides"}, {attr_i("shrink_axis_mask", 1)})
                          .node("rest", "StridedSlice", {"x", "at", "at", "strides"}, {attr_i("end_mask", 1)});
    const std::vector<Tensor> last = results_of(file, {reals({6}, upto(6)), wholes({1}, {-1})});
    expect(last.at(0), {}, {5});
    expect(last.at(1), {1}, {5});
    const std::vector<Tensor> third = results_of(file, {reals({6}, upto(6)), wholes({1}, {3})});
    expect(third.at(0), {}, {3});
    expect(third.at(1), {3}, {3, 4, 5});
}

// Of an odd number of padded elements one more is at the end, and the mean does not count them.
BOOST_AUTO_TEST_CASE(pools_pad_at_the_end) {
    const std::vector<NamedAttr> window{attr_ints("ksize", {1, 3, 1, 1}), attr_ints("strides", {1, 2, 1, 1}), attr_s("padding", "SAME")};
    const Tensor x = reals({1, 4, 1, 1}, {1, 2, 3, 4});
    expect(GraphDefFile().placeholder("x", {1, 4, 1, 1}).node("y", "MaxPool", {"x"}, window), {x}, {1, 2, 1, 1}, {3, 4});
    expect(GraphDefFile().placeholder("x", {1, 4, 1, 1}).node("y", "AvgPool", {"x"}, window), {x}, {1, 2, 1, 1}, {2, 3.5});
}

// Filters are [height, width, in, out], with channels first as well; a depthwise one has its multiples side by side.
BOOST_AUTO_TEST_CASE(filters_of_convolutions) {
    const std::vector<NamedAttr> valid{attr_ints("strides", {1, 1, 1, 1}), attr_s("padding", "VALID")};
    const std::vector<NamedAttr> first{attr_ints("strides", {1, 1, 1, 1}), attr_s("padding", "VALID"), attr_s("data_format", "NCHW")};
    const auto filter = [](const std::string& op, const std::vector<int64_t>& data, const std::vector<NamedAttr>& attrs) {
        return GraphDefFile().placeholder("x", data).floats("w", {1, 1, 2, 2}, {1, 10, 100, 1000}).node("y", op, {"x", "w"}, attrs);
    };
    expect(filter("Conv2D", {1, 1, 1, 2}, valid), {reals({1, 1, 1, 2}, {2, 3})}, {1, 1, 1, 2}, {302, 3020});
    expect(filter("Conv2D", {1, 2, 1, 1}, first), {reals({1, 2, 1, 1}, {2, 3})}, {1, 2, 1, 1}, {302, 3020});
    expect(filter("DepthwiseConv2dNative", {1, 1, 1, 2}, valid), {reals({1, 1, 1, 2}, {2, 3})}, {1, 1, 1, 4}, {2, 20, 300, 3000});
}

// Keras' way to say dilations becomes one convolution.
BOOST_AUTO_TEST_CASE(blocks_around_a_convolution_are_dilations) {
    const auto file = GraphDefFile()
                          .placeholder("x", {1, 5, 1, 1})
                          .ints("block", {2, 1})
                          .constant<int32_t>("pads", {2, 2}, {2, 3, 0, 0}, GraphDefFile::i32)
                          .constant<int32_t>("crops", {2, 2}, {0, 1, 0, 0}, GraphDefFile::i32)
                          .floats("w", {3, 1, 1, 1}, {1, 10, 100})
                          .node("apart", "SpaceToBatchND", {"x", "block", "pads"})
                          .node("conv", "Conv2D", {"apart", "w"}, {attr_ints("strides", {1, 1, 1, 1}), attr_s("padding", "VALID")})
                          .node("y", "BatchToSpaceND", {"conv", "block", "crops"});
    expect(file, {reals({1, 5, 1, 1}, {1, 2, 3, 4, 5})}, {1, 5, 1, 1}, {310, 420, 531, 42, 53});
    const Model model = read_model(file.bytes(), "", "");
    BOOST_REQUIRE_EQUAL(model.graph.order().size(), 1);
    BOOST_TEST(model.graph.node(model.graph.order()[0]).is(ops::Conv));
}

// So do blocks whose pads and crops only the run knows.
BOOST_AUTO_TEST_CASE(blocks_of_open_lengths_around_a_convolution) {
    const auto file = GraphDefFile()
                          .placeholder("x", {1, -1, 1, 1})
                          .placeholder("pads", {2, 2}, GraphDefFile::i32)
                          .placeholder("crops", {2, 2}, GraphDefFile::i32)
                          .ints("block", {2, 1})
                          .floats("w", {3, 1, 1, 1}, {1, 10, 100})
                          .node("apart", "SpaceToBatchND", {"x", "block", "pads"})
                          .node("conv", "Conv2D", {"apart", "w"}, {attr_ints("strides", {1, 1, 1, 1}), attr_s("padding", "VALID")})
                          .node("y", "BatchToSpaceND", {"conv", "block", "crops"});
    expect(file, {reals({1, 5, 1, 1}, {1, 2, 3, 4, 5}), wholes({2, 2}, {2, 3, 0, 0}), wholes({2, 2}, {0, 1, 0, 0})}, {1, 5, 1, 1},
           {310, 420, 531, 42, 53});
}

// epsilon is 1e-4 and is_training true where nothing is said.
BOOST_AUTO_TEST_CASE(batch_normalization_by_default) {
    const auto norm = [](const std::vector<NamedAttr>& attrs) {
        return GraphDefFile()
            .placeholder("x", {1, 2, 1, 1})
            .floats("scale", {1}, {2})
            .floats("offset", {1}, {0})
            .floats("mean", {1}, {0})
            .floats("variance", {1}, {0})
            .node("y", "FusedBatchNormV3", {"x", "scale", "offset", "mean", "variance"}, attrs);
    };
    const Tensor x = reals({1, 2, 1, 1}, {1, 3});
    expect(norm({attr_b("is_training", false)}), {x}, {1, 2, 1, 1}, {200, 600});
    expect(norm({}), {x}, {1, 2, 1, 1}, {-2 / std::sqrt(1.0001), 2 / std::sqrt(1.0001)});
}

// A condition of rank 1 chooses rows, not columns.
BOOST_AUTO_TEST_CASE(select_takes_rows) {
    const auto file = GraphDefFile()
                          .placeholder("c", {2}, GraphDefFile::boolean)
                          .placeholder("a", {2, 2})
                          .placeholder("b", {2, 2})
                          .node("y", "Select", {"c", "a", "b"});
    const Tensor condition = from_ints(DType::boolean, {2}, std::array<int64_t, 2>{1, 0});
    expect(file, {condition, reals({2, 2}, {1, 2, 3, 4}), reals({2, 2}, {5, 6, 7, 8})}, {2, 2}, {1, 2, 7, 8});
}

BOOST_AUTO_TEST_CASE(quotients_and_remainders_of_negative_numbers) {
    const Tensor a = wholes({4}, {7, -7, 7, -7}), b = wholes({4}, {3, 3, -3, -3});
    expect(pair("FloorDiv", GraphDefFile::i32), {a, b}, {4}, {2, -3, -3, 2});
    expect(pair("FloorMod", GraphDefFile::i32), {a, b}, {4}, {1, 2, -2, -1});
    expect(pair("TruncateDiv", GraphDefFile::i32), {a, b}, {4}, {2, -2, -2, 2});
    expect(pair("TruncateMod", GraphDefFile::i32), {a, b}, {4}, {1, -1, 1, -1});
    expect(pair("FloorMod", GraphDefFile::f32), {reals({4}, {7, -7, 7, -7}), reals({4}, {3, 3, -3, -3})}, {4}, {1, 2, -2, -1});
    expect(pair("RightShift", GraphDefFile::i32), {a, wholes({4}, {1, 1, 2, 2})}, {4}, {3, -4, 1, -2});
}

BOOST_AUTO_TEST_CASE(parts_put_together_and_taken_apart) {
    const auto split = GraphDefFile()
                           .placeholder("x", {5})
                           .ints("sizes", {1, -1, 2})
                           .one("axis", 0)
                           .node("parts", "SplitV", {"x", "sizes", "axis"}, {attr_i("num_split", 3)})
                           .node("y", "Identity", {"parts:1"});
    expect(split, {reals({5}, upto(5))}, {2}, {1, 2});
    const auto pack = GraphDefFile()
                          .placeholder("x", {2, 3})
                          .node("rows", "Unpack", {"x"}, {attr_i("num", 3), attr_i("axis", 1)})
                          .node("y", "Pack", {"rows:2", "rows"}, {attr_i("N", 2)});
    expect(pack, {reals({2, 3}, upto(6))}, {2, 2}, {2, 5, 0, 3});
}

// Updates at one place are added up; those of TensorScatterUpdate are not.
BOOST_AUTO_TEST_CASE(scattered_twice_to_one_place) {
    const auto file = GraphDefFile()
                          .placeholder("u", {2})
                          .constant<int32_t>("at", {2, 1}, {1, 1}, GraphDefFile::i32)
                          .ints("shape", {3})
                          .node("y", "ScatterNd", {"at", "u", "shape"});
    expect(file, {reals({2}, {3, 4})}, {3}, {0, 7, 0});
}

// The axis behind the batch dims, with a dim between them.
BOOST_AUTO_TEST_CASE(gathers_in_batches) {
    const auto file = GraphDefFile()
                          .placeholder("x", {2, 2, 3})
                          .placeholder("i", {2, 2}, GraphDefFile::i32)
                          .one("axis", 2)
                          .node("y", "GatherV2", {"x", "i", "axis"}, {attr_i("batch_dims", 1)});
    expect(file, {reals({2, 2, 3}, upto(12)), wholes({2, 2}, {2, 0, 1, 1})}, {2, 2, 2}, {2, 0, 5, 3, 7, 7, 10, 10});
}

// The range is moved until 0 is one of its steps; halves go up.
BOOST_AUTO_TEST_CASE(fake_quantization_is_nudged) {
    const auto file = GraphDefFile().placeholder("x", {4}).node("y", "FakeQuantWithMinMaxArgs", {"x"},
                                                                {attr_f("min", -1.1f), attr_f("max", 1.9f), attr_i("num_bits", 2)});
    expect(file, {reals({4}, {-3, 0.5f, 1.4f, 9})}, {4}, {-1, 1, 1, 2});
}

// The bias and what follows it are named in the node; the bias goes into the convolution.
BOOST_AUTO_TEST_CASE(products_that_grappler_has_fused) {
    const auto file =
        GraphDefFile()
            .placeholder("x", {1, 1, 1, 2})
            .floats("w", {1, 1, 2, 2}, {1, 10, 100, -1000})
            .floats("b", {2}, {5, 6})
            .node("y", "_FusedConv2D", {"x", "w", "b"},
                  {attr_ints("strides", {1, 1, 1, 1}), attr_s("padding", "VALID"), attr_texts("fused_ops", {"BiasAdd", "Relu"})});
    expect(file, {reals({1, 1, 1, 2}, {2, 3})}, {1, 1, 1, 2}, {307, 0});
}

// Lengths that only the run knows: the result is as long as Keras asks.
BOOST_AUTO_TEST_CASE(transposed_convolutions_of_open_lengths) {
    const auto file =
        GraphDefFile()
            .placeholder("x", {1, -1, 1, 1})
            .placeholder("sizes", {4}, GraphDefFile::i32)
            .floats("w", {2, 1, 1, 1}, {1, 10})
            .node("y", "Conv2DBackpropInput", {"sizes", "w", "x"}, {attr_ints("strides", {1, 2, 1, 1}), attr_s("padding", "SAME")});
    expect(file, {reals({1, 2, 1, 1}, {3, 4}), wholes({4}, {1, 4, 1, 1})}, {1, 4, 1, 1}, {3, 30, 4, 40});
}

BOOST_AUTO_TEST_CASE(boxes_are_padded_where_they_are_wanted_so) {
    const auto boxes = [](bool padded) {
        return GraphDefFile()
            .placeholder("boxes", {3, 4})
            .placeholder("scores", {3})
            .one("most", 3)
            .constant<float>("overlap", {}, {0.5f}, GraphDefFile::f32)
            .constant<float>("least", {}, {0.1f}, GraphDefFile::f32)
            .node("y", "NonMaxSuppressionV4", {"boxes", "scores", "most", "overlap", "least"}, {attr_b("pad_to_max_output_size", padded)})
            .node("valid", "Identity", {"y:1"});
    };
    const std::vector<Tensor> in{reals({3, 4}, {0, 0, 1, 1, 0, 2, 1, 3, 0, 0.1f, 1, 1.1f}), reals({3}, {0.6f, 0.7f, 0.9f})};
    expect(results_of(boxes(false), in).at(0), {}, {2});
    const auto all = boxes(false).node("z", "Identity", {"y"});
    expect(results_of(all, in).at(1), {2}, {2, 1});
    const auto padded = boxes(true).node("z", "Identity", {"y"});
    expect(results_of(padded, in).at(1), {3}, {2, 1, 0});
}

// Fake-quantized weights are codes, which are rearranged where they lie: ranges for each channel of a depthwise filter, reshaped around.
BOOST_AUTO_TEST_CASE(weights_of_trained_quantization_are_codes) {
    const auto file =
        GraphDefFile()
            .placeholder("x", {1, 1, 1, 2})
            .floats("w", {1, 1, 2, 1}, {1, -4})
            .ints("flat", {1, 1, 2})
            .ints("back", {1, 1, 2, 1})
            .floats("low", {2}, {-1, -6})
            .floats("high", {2}, {1, 6})
            .node("columns", "Reshape", {"w", "flat"})
            .node("grid", "FakeQuantWithMinMaxVarsPerChannel", {"columns", "low", "high"},
                  {attr_i("num_bits", 2), attr_b("narrow_range", true)})
            .node("filter", "Reshape", {"grid", "back"})
            .node("y", "DepthwiseConv2dNative", {"x", "filter"}, {attr_ints("strides", {1, 1, 1, 1}), attr_s("padding", "SAME")});
    expect(file, {reals({1, 1, 1, 2}, {2, 3})}, {1, 1, 1, 2}, {2, -18});
    const Model model = read_model(file.bytes(), "", "");
    BOOST_REQUIRE_EQUAL(model.graph.order().size(), 2);
    const Node& weights = model.graph.node(model.graph.order()[0]);
    BOOST_TEST(weights.is(ops::DequantizeLinear));
    BOOST_TEST((model.graph.node(model.graph.order()[1]).in[1] == weights.out[0]));
}

BOOST_AUTO_TEST_CASE(graphs_that_compute_on_codes_are_refused) {
    const auto file = GraphDefFile().placeholder("x", {4}).node("y", "QuantizedRelu", {"x"});
    BOOST_CHECK_EXCEPTION(read_model(file.bytes(), "", ""), Error, [](const Error& error) {
        return error.exit() == Exit::unsupported && error.message().find("QuantizedRelu") != std::string::npos;
    });
}

BOOST_AUTO_TEST_SUITE_END()
