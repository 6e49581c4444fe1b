// Shape arithmetic: the shapes that exporters compute at run time are known before it.
#include <boost/test/unit_test.hpp>

#include "libcore/graph/op.h"

using namespace quern;

BOOST_AUTO_TEST_CASE(reshape_to_a_computed_shape_keeps_symbols) {
    Graph graph;
    const ValueId x = graph.add_value("x", Type::tensor(DType::f32, Shape::of_dims({Dim::named("batch"), Dim::of(8), Dim::of(6)})));
    graph.inputs = {x};
    const auto integers = [&](const char* name, Dims dims, std::vector<int64_t> items) {
        return graph.add_constant(name, Tensor::make<int64_t>(std::move(dims), items));
    };
    const auto add = [&](const char* op, std::vector<ValueId> in, Attrs attrs = {}) {
        const ValueId out = graph.add_value(graph.unique_name(op), Type{});
        graph.add_node(find_op(op), graph.unique_node_name(op), std::move(in), {out}, std::move(attrs));
        return out;
    };
    const ValueId shape = add("Shape", {x});
    const ValueId batch = add("Unsqueeze", {add("Gather", {shape, integers("zero", {}, {0})}), integers("axes", {1}, {0})});
    const ValueId wish = add("Concat", {batch, integers("rest", {2}, {-1, 3})}, {{"axis", int64_t{0}}});
    const ValueId y = add("Reshape", {x, wish});
    const ValueId z =
        add("Expand", {integers("one", {1, 1}, {1}), add("Slice", {shape, integers("from", {1}, {0}), integers("to", {1}, {2})})});
    graph.outputs = {y, z};
    infer_types(graph);
    BOOST_TEST(to_string(graph.value(y).type) == "float32[batch,16,3]");
    BOOST_TEST(to_string(graph.value(z).type) == "int64[batch,8]");
}
