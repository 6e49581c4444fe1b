// Units that a device's memory does not hold whole: the rows that a stripe needs, and what stripes take.
#include <boost/test/unit_test.hpp>

#include "libcore/base/error.h"
#include "libcore/place/assign.h"
#include "libcore/place/partition_memory.h"
#include "libcore/place/stripes.h"
#include "libcore/place/target_file.h"
#include "libcore/place/unit_rows.h"
#include "tests/common/graph_of.h"
#include "tests/unit/partition_runs.h"

using namespace quern;
using namespace quern::place;

namespace {

struct Case {
    const char* name;
    std::string net;
    size_t axis;  // of the rows, in the inputs and the result
    bool exact;   // the first and the last row that are needed matter
};

std::string conv(const std::string& attributes, int64_t height, int64_t out, const char* op = "Conv", int64_t width = 7,
                 int64_t group = 1) {
    const std::string data = fmt::format("tensor<1x4x{}x{}xf32>", height, width), filter = fmt::format("tensor<4x{}x3x1xf32>", 4 / group),
                      made = fmt::format("tensor<1x4x{}x{}xf32>", out, width);
    return fmt::format(R"(func.func @main(%x: {0}) -> {2} {{
  %w = "onnx.Constant"() {{value = dense<0.5> : {1}}} : () -> {1}
  %y = "onnx.{3}"(%x, %w) {{onnx_node_name = "y", {4}}} : ({0}, {1}) -> {2}
  onnx.Return %y : {2}
}})",
                       data, filter, made, op, attributes);
}

std::string one(const char* op, const char* from, const char* to, const std::string& attributes = "") {
    return fmt::format(R"(func.func @main(%x: tensor<{1}xf32>) -> tensor<{2}xf32> {{
  %y = "onnx.{0}"(%x) {{onnx_node_name = "y"{3}}} : (tensor<{1}xf32>) -> tensor<{2}xf32>
  onnx.Return %y : tensor<{2}xf32>
}})",
                       op, from, to, attributes);
}

std::string resize(const char* mode, const char* how, int64_t from, int64_t to) {
    return fmt::format(R"(func.func @main(%x: tensor<1x{0}x5x2xf32>) -> tensor<1x{1}x5x2xf32> {{
  %none = "onnx.NoValue"() : () -> none
  %s = "onnx.Constant"() {{value = dense<[1, {1}, 5, 2]> : tensor<4xi64>}} : () -> tensor<4xi64>
  %y = "onnx.Resize"(%x, %none, %none, %s) {{onnx_node_name = "y", mode = "{2}", coordinate_transformation_mode = "{3}"}} : (tensor<1x{0}x5x2xf32>, none, none, tensor<4xi64>) -> tensor<1x{1}x5x2xf32>
  onnx.Return %y : tensor<1x{1}x5x2xf32>
}})",
                       from, to, mode, how);
}

std::vector<Case> cases() {
    return {{"conv", conv("pads = [1, 0, 1, 0]", 16, 16), 2, true},
            {"conv with a stride", conv("pads = [1, 0, 0, 0], strides = [2, 1]", 16, 8), 2, true},
            {"conv with a dilation", conv("pads = [2, 0, 2, 0], dilations = [2, 1]", 16, 16), 2, false},
            {"conv with a stride beyond its window", conv("strides = [5, 1]", 16, 3), 2, true},
            {"depthwise conv", conv("pads = [1, 0, 1, 0], group = 4", 16, 16, "Conv", 7, 4), 2, true},
            {"same", conv("auto_pad = \"SAME_UPPER\", strides = [2, 1]", 15, 8), 2, true},
            {"transposed conv", conv("strides = [2, 1], pads = [1, 0, 0, 0]", 8, 16, "ConvTranspose"), 2, true},
            {"max pool", one("MaxPool", "1x2x16x4", "1x2x8x4", ", kernel_shape = [3, 1], strides = [2, 1], pads = [1, 0, 0, 0]"), 2, false},
            {"average pool", one("AveragePool", "1x2x16x4", "1x2x7x4", ", kernel_shape = [3, 1], strides = [2, 1]"), 2, true},
            {"elements", one("Sigmoid", "1x2x9x4", "1x2x9x4"), 1, true},
            {"matrix", one("Sigmoid", "9x4", "9x4"), 0, true},
            {"line", one("Sigmoid", "9", "9"), 0, true},
            {"softmax", one("Softmax", "1x9x4", "1x9x4", ", axis = -1 : si64"), 1, true},
            {"linear upwards", resize("linear", "half_pixel", 7, 16), 1, false},
            {"linear downwards", resize("linear", "half_pixel", 23, 9), 1, false},
            {"linear between corners", resize("linear", "align_corners", 23, 9), 1, false},
            {"linear between corners, upwards", resize("linear", "align_corners", 7, 30), 1, false},
            {"nearest", resize("nearest", "asymmetric", 7, 21), 1, false},
            {"nearest downwards", resize("nearest", "half_pixel", 40, 7), 1, false}};
}

float& at_row(std::vector<float>& values, const Dims& dims, size_t axis, int64_t row, size_t i) {
    size_t inner = 1;
    for (size_t d = axis + 1; d < dims.size(); ++d) inner *= static_cast<size_t>(dims[d]);
    const size_t block = inner * static_cast<size_t>(dims[axis]);
    return values[i / inner * block + static_cast<size_t>(row) * inner + i % inner];
}

size_t in_row(const Dims& dims, size_t axis) {
    size_t count = 1;
    for (size_t d = 0; d < dims.size(); ++d) count *= d == axis ? 1 : static_cast<size_t>(dims[d]);
    return count;
}

// The result's rows from `first` to `end` where rows of the input outside of `kept` are other numbers.
std::vector<float> rows_made(const Graph& graph, const Case& c, Rows kept, int64_t first, int64_t end) {
    const Dims in = *graph.value(graph.inputs[0]).type.shape.concrete(), out = *graph.value(graph.outputs[0]).type.shape.concrete();
    std::vector<float> x(static_cast<size_t>(count_of(in)));
    for (int64_t row = 0; row < in[c.axis]; ++row)
        for (size_t i = 0; i < in_row(in, c.axis); ++i) {
            const bool other = row < kept.first || row >= kept.end;
            at_row(x, in, c.axis, row, i) = (other ? 1000.0f : 0.01f) * static_cast<float>((static_cast<size_t>(row) * 7 + i * 3) % 11 + 1);
        }
    const std::vector<Tensor> made = run_whole(graph, {Tensor::make<float>(in, x)});
    const std::span<const float> made_all = made[0].view<float>();
    std::vector<float> all(made_all.begin(), made_all.end()), rows;
    for (int64_t row = first; row < end; ++row)
        for (size_t i = 0; i < in_row(out, c.axis); ++i) rows.push_back(at_row(all, out, c.axis, row, i));
    return rows;
}

UnitRows rows_of(const Graph& graph, std::string_view name = "y") {
    const std::vector<NodeId> unit{graph.find_node(std::string(name))};
    return UnitRows(graph, unit);
}

// A device for everything, with `bytes` of memory, that reads again at 1e9 bytes a second.
Target striped(uint64_t bytes, const std::string& stripes, const std::string& more = "") {
    return parse_target(fmt::format(R"({{"kind": "target", "version": 1, "name": "small", "basis": "measured on paper",
        "memories": [{{"name": "sram", "bytes": {}, "bytes_per_second": 4e9}}, {{"name": "dram", "bytes_per_second": 1e9}}],
        "devices": [{{"name": "cpu", "memory": "dram", "costs": [{{"op": "*", "precision": "*", "seconds": 1}}]}},
                    {{"name": "npu", "memory": "sram", {} {}
                     "costs": [{{"op": "*", "precision": "*", "seconds": 1e-6}}]}}]}})",
                                    bytes, stripes, more));
}
const std::string by_rows = R"("stripes": ["rows"],)", by_both = R"("stripes": ["rows", "channels"], "weights": "sram",)";

std::string product(int64_t rows) {
    return fmt::format(R"(func.func @main(%x: tensor<{0}x16xf32>) -> tensor<{0}x32xf32> {{
  %w = "onnx.Constant"() {{value = dense<0.5> : tensor<16x32xf32>}} : () -> tensor<16x32xf32>
  %y = "onnx.Gemm"(%x, %w) {{onnx_node_name = "y"}} : (tensor<{0}x16xf32>, tensor<16x32xf32>) -> tensor<{0}x32xf32>
  onnx.Return %y : tensor<{0}x32xf32>
}})",
                       rows);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(place_stripes)

// Of every range: other rows than those that are needed change nothing of it, and where that is claimed the outermost of them do.
BOOST_AUTO_TEST_CASE(rows_that_are_not_needed_change_nothing) {
    for (const Case& c : cases()) {
        BOOST_TEST_CONTEXT(c.name) {
            const Graph graph = graph_of(c.net);
            const UnitRows unit = rows_of(graph);
            BOOST_TEST_REQUIRE(unit.refusal() == "");
            const Rows everything{0, int64_t{1} << 40, 1, false};
            for (int64_t first = 0; first < unit.length(); ++first)
                for (int64_t end = first + 1; end <= unit.length(); ++end) {
                    const std::vector<Rows> needed = unit.needed(first, end);
                    BOOST_TEST_REQUIRE(needed.size() == 2u);
                    const Rows rows = needed[0];
                    const std::vector<float> right = rows_made(graph, c, everything, first, end);
                    BOOST_TEST((rows_made(graph, c, rows, first, end) == right), first << " to " << end);
                    if (!c.exact) continue;
                    const auto without = [&](int64_t from, int64_t to) {
                        return rows_made(graph, c, {from, to, 1, false}, first, end) == right;
                    };
                    BOOST_TEST(!without(rows.first + 1, rows.end));
                    BOOST_TEST(!without(rows.first, rows.end - 1));
                }
        }
    }
}

// 8 rows of 7 columns of 4 channels of floats, 112 bytes each, in and out, under a window of 3 rows: 4 rows need 5 at the edge, 2 rows 4 in
// the middle.
BOOST_AUTO_TEST_CASE(a_convolution_runs_in_stripes) {
    Graph graph = graph_of(conv("pads = [1, 0, 1, 0]", 8, 8));
    const Target target = striped(1100, by_rows);  // whole: 1792; 4 rows: 5 + 4, from 64 to 64 bytes: 560 in 576, and 448
    const Placement placement = assign(graph, target);
    BOOST_TEST(placement.decisions.back().device == "npu");
    const PartitionMemory memory = memory_of(graph, placement.partitions.parts.at(0), target);
    BOOST_TEST_REQUIRE(memory.stripes.has_value());
    BOOST_TEST(memory.stripes->rows == 4);
    BOOST_TEST(memory.stripes->count == 2);
    BOOST_TEST(memory.stripes->read_again == 2 * 112u);  // rows 3 and 4 are read by both
    BOOST_TEST(memory.arena_bytes == 576 + 448u);
    BOOST_TEST(memory.fits());
    BOOST_TEST(std::abs(memory.stripes->seconds - 224e-9) < 1e-15);
    BOOST_TEST(std::abs(placement.compute_seconds - (1e-6 + 224e-9)) < 1e-12);
    BOOST_TEST(explain(placement, "y").find("in 2 stripes of 4 rows; 224 B are read again in 224 ns") != std::string::npos);
    // 3 rows: in the middle 5 of them, 560 bytes in 576, and 336 in 384; at a byte less 2 rows: 4 and 2.
    const auto with = [&](uint64_t bytes) {
        return memory_of(graph, placement.partitions.parts.at(0), striped(bytes, by_rows)).stripes.value();
    };
    BOOST_TEST(with(576 + 384).rows == 3);
    BOOST_TEST(with(576 + 384).read_again == 4 * 112u);
    BOOST_TEST(with(576 + 383).rows == 2);
    BOOST_TEST(with(576 + 383).read_again == 6 * 112u);
    BOOST_TEST(with(384 + 128).rows == 1);
    BOOST_TEST(with(384 + 128).read_again == 14 * 112u);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_in_a_row_is_refused) {
    Graph graph = graph_of(conv("pads = [1, 0, 1, 0]", 8, 8));
    const auto refusal = [&](const Target& target) {
        Graph again = graph_of(conv("pads = [1, 0, 1, 0]", 8, 8));
        return assign(again, target).decisions.back().choices.at(1).refusal;
    };
    BOOST_TEST(refusal(striped(511, by_rows)) == "needs 512 B of 511 B of sram for a stripe of a row");
    BOOST_TEST(refusal(striped(1100, "")) == "needs 1.8 KB of 1.1 KB of sram");
    BOOST_TEST(refusal(striped(512, by_rows, R"("weights": "sram",)")) ==
               "needs 704 B of 512 B of sram (arena 512 B, weights 192 B) for a stripe of a row");
    Graph moved = graph_of(one("Transpose", "1x8x8x8", "1x8x8x8", ", perm = [0, 3, 1, 2]"));
    BOOST_TEST(assign(moved, striped(1100, by_rows)).decisions[0].choices.at(1).refusal ==
               "needs 4.0 KB of 1.1 KB of sram; Transpose does not run in stripes of rows");
}

// What a target's compiler divides is not divided here.
BOOST_AUTO_TEST_CASE(no_stripes_where_the_compiler_decides) {
    Graph graph = graph_of(conv("pads = [1, 0, 1, 0]", 8, 8));
    Target target = striped(1100, by_rows);
    target.compiler_decides = true;
    const Placement placement = assign(graph, target);
    BOOST_TEST(!memory_of(graph, placement.partitions.parts.at(0), target).stripes.has_value());
}

// 16 x 32 floats of weights are 2048 bytes; a row in and out takes 64 and 128.
BOOST_AUTO_TEST_CASE(weights_are_brought_in_by_channels) {
    const auto stripes = [](int64_t rows, uint64_t bytes, const std::string& how) {
        Graph graph = graph_of(product(rows));
        const Target target = striped(bytes, how);
        const Placement placement = assign(graph, target);
        return memory_of(graph, placement.partitions.parts.at(0), target);
    };
    // All of 4 rows, 768 bytes, beside a half of the weights: nothing is read twice.
    const PartitionMemory halves = stripes(4, 768 + 1024, by_both);
    BOOST_TEST_REQUIRE(halves.stripes.has_value());
    BOOST_TEST(halves.stripes->groups == 2);
    BOOST_TEST(halves.stripes->count == 1);
    BOOST_TEST(halves.stripes->read_again == 0u);
    BOOST_TEST(halves.needed() == 768 + 1024u);
    // 12 rows are 2304 bytes: with the weights whole 8 rows fit (1536), and nothing is read twice.
    const PartitionMemory whole = stripes(12, 2048 + 1536, by_both);
    BOOST_TEST(whole.stripes->groups == 1);
    BOOST_TEST(whole.stripes->rows == 8);
    BOOST_TEST(whole.stripes->read_again == 0u);
    // Beside a channel alone, 64 bytes: 6 rows of 192, so all weights are read again for the second stripe.
    const PartitionMemory single = stripes(12, 64 + 1152, by_both);
    BOOST_TEST(single.stripes->groups == 32);
    BOOST_TEST(single.stripes->rows == 6);
    BOOST_TEST(single.stripes->read_again == 2048u);
    BOOST_TEST(single.misfit() == "");
    // A row and a channel need 256 bytes.
    Graph graph = graph_of(product(12));
    BOOST_TEST(assign(graph, striped(255, by_both)).decisions.back().choices.at(1).refusal ==
               "needs 256 B of 255 B of sram (arena 192 B, weights 64 B) for a stripe of a row");
}

BOOST_AUTO_TEST_CASE(other_words_are_refused) { BOOST_CHECK_THROW(striped(1, R"("stripes": ["columns"],)"), Error); }

BOOST_AUTO_TEST_SUITE_END()
