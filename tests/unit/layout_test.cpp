// Orders of dims, and what move_layout carries along.
#include <boost/test/unit_test.hpp>

#include "formats/text/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/os/io.h"
#include "libcore/passes/layout.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

using namespace quern;

namespace {

Shape shape(const Dims& dims) {
    Shape out = Shape::of(dims);
    for (Dim& dim : out.dims)
        if (dim.value < 0) dim = Dim::unknown();
    return out;
}

std::string way(const Dims& from, const Dims& to, const Order& order) {
    const auto carry = carried(shape(from), shape(to), order, true);
    return carry ? to_string(carry->in) + " to " + to_string(carry->out) : "none";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layout)

BOOST_AUTO_TEST_CASE(orders_compose) {
    BOOST_TEST(to_string(channels_order(true, 4)) == "[0,2,3,1]");
    BOOST_TEST(to_string(channels_order(false, 5)) == "[0,4,1,2,3]");
    BOOST_TEST(to_string(between({0, 2, 3, 1}, {0, 1, 2, 3})) == "[0,3,1,2]");
    BOOST_TEST(to_string(without({0, 2, 3, 1}, Order{2})) == "[0,2,1]");
    BOOST_TEST(to_string(with_ones({0, 3, 1}, Order{2}, true)) == "[0,2,3,1]");
    BOOST_TEST(to_string(with_ones({0, 1}, Order{2, 3}, true)) == "[0,1,2,3]");
}

BOOST_AUTO_TEST_CASE(reshapes_carry_what_stays_together) {
    const Order last{0, 2, 3, 1};
    BOOST_TEST(way({1, 6, 5, 5}, {1, 2, 3, 5, 5}, last) == "[0,2,3,1] to [0,3,4,1,2]");             // channels taken apart
    BOOST_TEST(way({1, 3, 2, 5, 5}, {1, 6, 5, 5}, {0, 3, 4, 2, 1}) == "[0,3,4,1,2] to [0,2,3,1]");  // and mixed: they are sorted first
    BOOST_TEST(way({4, 6, 1, 1}, {4, 6}, last) == "[0,2,3,1] to [0,1]");
    BOOST_TEST(way({1, 6, 5, 5}, {1, 150}, last) == "[0,1,2,3] to [0,1]");
    BOOST_TEST(way({1, 6, 5, 5}, {1, 6, 25}, last) == "[0,2,3,1] to [0,2,1]");
    BOOST_TEST(way({-1, 6, 5, 5}, {-1, 6, 25}, last) == "[0,2,3,1] to [0,2,1]");
    BOOST_TEST(way({-1, 6, 5, 5}, {6, -1, 25}, last) == "none");
    BOOST_TEST(way({-1, 6, -1, 5}, {-1, 6, -1}, last) == "none");
    BOOST_TEST(way({1, 0, 5, 5}, {1, 0, 25}, last) == "none");
}

// Does it move more than dims of length 1?
bool moves(const Graph& graph, const Node& node) {
    const auto& dims = graph.value(node.in[0]).type.shape.dims;
    Order order;
    for (const int64_t axis : NodeView(node).integers("perm"))
        if (dims[static_cast<size_t>(axis)].value != 1) order.push_back(axis);
    return !in_source_order(order);
}

// One Transpose at the input, one at each of two outputs with channels and space, and the shuffle that is put together again.
BOOST_AUTO_TEST_CASE(no_transpose_that_a_person_would_not_put_there) {
    const Bytes text = map_input(QUERN_LAW_GRAPHS "/layout.mlir");
    Graph graph = parse_text(text.text()).graph;
    infer_types(graph);
    run_passes(graph, std::array{&move_layout, &drop_transpose_pairs, &drop_dead});
    size_t transposes = 0;
    for (const NodeId id : graph.order()) transposes += graph.node(id).is(ops::Transpose) && moves(graph, graph.node(id)) ? 1 : 0;
    BOOST_TEST(transposes == 4);
}

BOOST_AUTO_TEST_SUITE_END()
