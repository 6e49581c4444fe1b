// Operators by identity (cmake/op_ids.cmake) beside the table.
#include <boost/test/unit_test.hpp>
#include <set>

#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(op_ids)

BOOST_AUTO_TEST_CASE(are_the_rows_of_the_table) {
    std::set<const Op*> named;
    for (const OpId id : ops::all) named.insert(need_op(id));
    BOOST_TEST(named.size() == all_ops().size());  // no operator has two rows
    for (const Op* op : all_ops())
        BOOST_TEST(named.contains(op), op->domain << " " << op->name << " has no identity: cmake/op_ids.cmake does not see its row");
}

BOOST_AUTO_TEST_CASE(tell_domains_apart) {
    Graph graph;
    const ValueId x = graph.add_value("x", {}), y = graph.add_value("y", {}), z = graph.add_value("z", {});
    const Node& ours = graph.node(graph.add_node(need_op(ops::Gelu), "a", {x}, {y}));
    const Node& theirs = graph.node(graph.add_node(need_op(ops::microsoft::Gelu), "b", {y}, {z}));
    BOOST_TEST(ours.is(ops::Gelu));
    BOOST_TEST(!ours.is(ops::microsoft::Gelu));
    BOOST_TEST(!theirs.is(ops::Gelu));
    BOOST_TEST(theirs.is(ops::Relu, ops::microsoft::Gelu));
}

BOOST_AUTO_TEST_SUITE_END()
