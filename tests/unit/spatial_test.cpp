// Operators over channels and space give the same numbers in both layouts.
#include <boost/test/unit_test.hpp>

#include "libcore/exec/session.h"
#include "libcore/ops/shared/spatial.h"

using namespace quern;

namespace {

Tensor ramp(Dims dims) {
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    for (size_t i = 0; i < items.size(); ++i) items[i] = static_cast<float>((i * 37 + 11) % 23) - 11.0f;
    return Tensor::make<float>(std::move(dims), items);
}

// [N, C, space...] as [N, space..., C]
Tensor moved(const Tensor& tensor) {
    if (tensor.dims.size() < 3) return tensor;
    std::vector<float> to(static_cast<size_t>(tensor.count()));
    swap_axes(tensor.view<float>().data(), to.data(), tensor.dims[0], tensor.dims[1], count_of(space_of(tensor.dims)));
    return Tensor::make<float>(to_channels_last(tensor.dims), to);
}

Tensor run_node(std::string_view op, const Attrs& attrs, const std::vector<Tensor>& inputs) {
    Graph graph;
    std::vector<ValueId> in;
    for (size_t i = 0; i < inputs.size(); ++i)
        in.push_back(graph.add_value(fmt::format("x{}", i), Type::tensor(DType::f32, Shape::of(inputs[i].dims))));
    const ValueId out = graph.add_value("y", {});
    graph.add_node(find_op(op), "node", in, {out}, attrs);
    graph.inputs = in;
    graph.outputs = {out};
    infer_types(graph);
    verify(graph);
    ThreadPool pool(1);
    Session session(Program::compile(graph, {.reference = true}), pool);
    const Tensor y = session.run(inputs).at(0);
    BOOST_TEST((graph.value(out).type.shape == Shape::of(y.dims)), op << " is inferred " << to_string(graph.value(out).type));
    return y;
}

void check_layouts(std::string_view op, Attrs attrs, const std::vector<Tensor>& inputs) {
    const Tensor first = run_node(op, attrs, inputs);
    attrs["layout"] = std::string("NHWC");
    std::vector<Tensor> last_inputs;
    for (const Tensor& input : inputs) last_inputs.push_back(moved(input));
    BOOST_TEST(identical(moved(first), run_node(op, attrs, last_inputs)), op);
}

}  // namespace

BOOST_AUTO_TEST_CASE(channels_may_come_last) {
    const Dims three{3, 3}, two{2, 2}, pads{1, 0, 1, 2};
    const Tensor x = ramp({2, 6, 7, 5}), c = ramp({6});
    check_layouts("Conv", {{"group", int64_t{2}}, {"strides", two}, {"pads", pads}}, {x, ramp({4, 3, 3, 2}), ramp({4})});
    check_layouts("MaxPool", {{"kernel_shape", three}, {"strides", two}, {"ceil_mode", int64_t{1}}}, {x});
    check_layouts("AveragePool", {{"kernel_shape", two}, {"pads", Dims{1, 1, 0, 0}}}, {x});
    check_layouts("LpPool", {{"kernel_shape", two}}, {x});
    for (const std::string_view op : {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"}) check_layouts(op, {}, {x});
    check_layouts("BatchNormalization", {}, {x, c, c, c, Tensor::make<float>({6}, std::vector<float>(6, 2.0f))});
    check_layouts("InstanceNormalization", {}, {x, c, c});
    check_layouts("GroupNormalization", {{"num_groups", int64_t{3}}}, {x, c, c});
    check_layouts("LRN", {{"size", int64_t{3}}}, {x});
}

BOOST_AUTO_TEST_CASE(symbolic_lengths_pass_a_window_that_keeps_them) {
    Graph graph;
    const ValueId x =
        graph.add_value("x", Type::tensor(DType::f32, Shape::of_dims({Dim::named("batch"), Dim::of(2), Dim::named("h"), Dim::of(9)})));
    const ValueId w = graph.add_constant("w", ramp({4, 2, 3, 3})), y = graph.add_value("y", {});
    graph.add_node(find_op("Conv"), "conv", {x, w}, {y}, {{"pads", Dims{1, 0, 1, 0}}});
    graph.inputs = {x};
    graph.outputs = {y};
    infer_types(graph);
    BOOST_TEST(to_string(graph.value(y).type) == "float32[batch,4,h,7]");
}
