// What operators read as weights: which operand, along which axes its scales and blocks are.
#include <boost/test/unit_test.hpp>

#include "libcore/support/operands.h"
#include "tests/common/graph_of.h"

using namespace quern;

namespace {

using Places = std::vector<size_t>;

// `line` is one operator, whose operand "t" is a constant of zeros.
struct One {
    One(const std::string& line, Dims dims)
        : graph(graph_of(line, {{"t", Tensor::make<float>(dims, std::vector<float>(static_cast<size_t>(count_of(dims))))}})),
          rank(dims.size()) {}
    const Node& node() const { return graph.node(graph.order().back()); }
    Places weights() const { return weight_inputs(graph, node()); }
    int channels() const { return weight_axis_of(node(), rank); }
    int blocks() const { return reduction_axis_of(node(), rank); }

    Graph graph;
    size_t rank;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(operands)

BOOST_AUTO_TEST_CASE(tables_of_slices_that_are_long_enough_are_weights) {
    const One rows(R"(%y = "onnx.Gather"(%t, %i) : (tensor<9x16xf32>, tensor<4xi64>) -> tensor<4x16xf32>)", {9, 16});
    BOOST_TEST(rows.weights() == Places{0});
    BOOST_TEST(rows.channels() == 0);
    BOOST_TEST(rows.blocks() == 1);

    const One columns(R"(%y = "onnx.Gather"(%t, %i) {axis = -1 : si64} : (tensor<16x9xf32>, tensor<4xi64>) -> tensor<16x4xf32>)", {16, 9});
    BOOST_TEST(columns.weights() == Places{0});
    BOOST_TEST(columns.channels() == 1);
    BOOST_TEST(columns.blocks() == -1);

    const One planes(R"(%y = "onnx.Gather"(%t, %i) : (tensor<9x4x4xf32>, tensor<4xi64>) -> tensor<4x4x4xf32>)", {9, 4, 4});
    BOOST_TEST(planes.weights() == Places{0});
    BOOST_TEST(planes.channels() == 0);
    BOOST_TEST(planes.blocks() == -1);
}

BOOST_AUTO_TEST_CASE(lists_short_slices_and_fed_tables_are_none) {
    const One list(R"(%y = "onnx.Gather"(%t, %i) : (tensor<99xf32>, tensor<4xi64>) -> tensor<4xf32>)", {99});
    BOOST_TEST(list.weights() == Places{});
    const One few(R"(%y = "onnx.Gather"(%t, %i) : (tensor<9x15xf32>, tensor<4xi64>) -> tensor<4x15xf32>)", {9, 15});
    BOOST_TEST(few.weights() == Places{});
    const One none(R"(%y = "onnx.Gather"(%t, %i) : (tensor<0x16xf32>, tensor<4xi64>) -> tensor<4x16xf32>)", {0, 16});
    BOOST_TEST(none.weights() == Places{});
    const Graph fed = graph_of(R"(%y = "onnx.Gather"(%x, %i) : (tensor<9x16xf32>, tensor<4xi64>) -> tensor<4x16xf32>)", {});
    BOOST_TEST(weight_inputs(fed, fed.node(fed.order().back())) == Places{});
    const One elements(R"(%y = "onnx.GatherElements"(%t, %i) : (tensor<9x16xf32>, tensor<9x16xi64>) -> tensor<9x16xf32>)", {9, 16});
    BOOST_TEST(elements.weights() == Places{});
}

BOOST_AUTO_TEST_CASE(products_share_a_table_row_by_row) {
    const One head(R"(%y = "onnx.Gemm"(%x, %t) {transB = 1 : si64} : (tensor<2x16xf32>, tensor<9x16xf32>) -> tensor<2x9xf32>)", {9, 16});
    BOOST_TEST(head.weights() == Places{1});
    BOOST_TEST(head.channels() == 0);
    BOOST_TEST(head.blocks() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
