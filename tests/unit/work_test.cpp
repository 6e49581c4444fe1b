// What is evaluated although nobody asked for a run is bounded, in steps, in scratch and over a whole graph; what is usual stays so.
#include "libcore/ops/shared/work.h"

#include <boost/test/unit_test.hpp>

#include "libcore/exec/session.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/eval_node.h"
#include "libcore/passes/passes.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(work)

namespace {

using Ints = std::vector<int64_t>;
constexpr uint64_t unknown = 16 << 20;

Tensor zeros(Dims dims, DType dtype = DType::f32) {
    return {dtype, dims, Bytes::own(std::vector<std::byte>(storage_size(dtype, static_cast<uint64_t>(count_of(dims)))))};
}

// A graph whose result is one node of constants (undefined: absent).
Graph of_constants(OpId op, const std::vector<Tensor>& inputs, Attrs attrs) {
    Graph graph;
    std::vector<ValueId> in;
    for (const Tensor& tensor : inputs)
        in.push_back(tensor.defined() ? graph.add_constant("c" + std::to_string(in.size()), tensor) : ValueId::none);
    const ValueId out = graph.add_value("y", Type{});
    graph.outputs = {out};
    graph.add_node(need_op(op), "node", in, {out}, std::move(attrs));
    infer_types(graph);
    return graph;
}

struct Case {
    OpId op;
    std::vector<Tensor> inputs;
    Attrs attrs = {};
};

bool small(const Case& c) {
    const Graph graph = of_constants(c.op, c.inputs, c.attrs);
    return is_small(work_of(graph.node(graph.order().front()), c.inputs, unknown), bytes_of(c.inputs));
}

}  // namespace

// Each of these takes seconds to days, or gigabytes.
BOOST_AUTO_TEST_CASE(what_takes_long_is_left_to_the_run) {
    const Tensor side = zeros({200}), image = zeros({1, 1, 64, 64});
    const std::vector<std::string> words(1000, "a b c d e f g h i j k l m n o p q r s t u v w x y z");
    for (const Case& c : std::vector<Case>{
             {ops::Einsum, {side, side, side, side, side, side}, {{"equation", std::string("a,b,c,d,e,f->")}}},
             {ops::NonMaxSuppression, {zeros({1, 60000, 4}), zeros({1, 1, 60000})}},
             {ops::LRN, {zeros({1, 100001, 1, 1})}, {{"size", int64_t{100001}}}},
             {ops::Conv, {zeros({1, 1, 400, 400}), zeros({1, 1, 199, 199})}},
             {ops::MaxPool, {zeros({1, 1, 2000, 2000})}, {{"kernel_shape", Ints{1000, 1000}}}},
             {ops::AveragePool, {image}, {{"kernel_shape", Ints{100000, 100000}}, {"pads", Ints{99999, 99999, 99999, 99999}}}},
             {ops::Det, {zeros({3000, 3000})}},
             {ops::MatMul, {zeros({1000, 1000}), zeros({1000, 4000})}},
             {ops::Attention, {zeros({1, 1, 30000, 1}), zeros({1, 1, 30000, 1}), zeros({1, 1, 30000, 1})}},
             {ops::Attention, {zeros({1, 1, 30000, 0}), zeros({1, 1, 30000, 0}), zeros({1, 1, 30000, 0})}},
             {ops::Resize, {zeros({2000, 1, 1}), {}, {}, from_ints(DType::i64, {3}, Ints{1, 1000, 1000})}},
             {ops::RoiAlign,
              {image, Tensor::make<float>({1, 4}, std::vector<float>{0, 0, 1e9f, 1e9f}), from_ints(DType::i64, {1}, Ints{0})}},
             {ops::StringSplit, {Tensor::strings({1000}, words)}},
         })
        BOOST_TEST(!small(c), c.op.name);
}

BOOST_AUTO_TEST_CASE(what_models_contain_is_computed) {
    const Tensor mask = zeros({1, 1, 1024, 1024}, DType::boolean), weight = zeros({1024, 1024});
    for (const Case& c : std::vector<Case>{
             {ops::Where, {mask, weight, Tensor::scalar(-1e9f)}},
             {ops::Transpose, {weight}},
             {ops::Expand, {Tensor::scalar(1.0f), from_ints(DType::i64, {2}, Ints{1024, 1024})}},
             {ops::MatMul, {zeros({512, 512}), zeros({512, 512})}},
             {ops::Cos, {weight}},
             {ops::CumSum, {weight, from_ints(DType::i64, {}, Ints{0})}},
             {ops::ReduceSum, {weight, from_ints(DType::i64, {1}, Ints{0})}},
             {ops::Conv, {zeros({1, 16, 64, 64}), zeros({16, 16, 3, 3})}},
             {ops::NonMaxSuppression, {zeros({1, 1000, 4}), zeros({1, 1, 1000})}},
             {ops::Resize, {zeros({1, 3, 64, 64}), {}, {}, from_ints(DType::i64, {4}, Ints{1, 3, 128, 128})}},
             {ops::Gather, {weight, from_ints(DType::i64, {2}, Ints{1, 2})}},
             {ops::Shape, {Tensor{DType::f32, {1 << 20, 1 << 20}, Bytes()}}},
         })
        BOOST_TEST(small(c), c.op.name);
}

BOOST_AUTO_TEST_CASE(folding_leaves_what_takes_long) {
    const Tensor side = zeros({200});
    Graph graph = of_constants(ops::Einsum, std::vector<Tensor>(6, side), {{"equation", std::string("a,b,c,d,e,f->")}});
    BOOST_TEST(fold_constants.run(graph) == 0);
    const Graph& one = graph;
    BOOST_CHECK_EXCEPTION(eval_small(one.node(one.order().front()), std::vector<Tensor>(6, side)), Error,
                          [](const Error& error) { return error.exit() == Exit::unsupported; });
}

// Nodes that are small each are not small together: a call folds some of them.
BOOST_AUTO_TEST_CASE(a_graph_is_bounded_as_a_whole) {
    Graph graph;
    const ValueId one = graph.add_constant("one", Tensor::scalar(1.0f)),
                  dims = graph.add_constant("dims", from_ints(DType::i64, {1}, Ints{1 << 20}));
    for (int i = 0; i < 500; ++i) {
        const std::string name = "y" + std::to_string(i);
        const ValueId out = graph.add_value(name, Type{});
        graph.outputs.push_back(out);
        graph.add_node(need_op(ops::Expand), name, {one, dims}, {out});
    }
    infer_types(graph);
    const int folded = fold_constants.run(graph);
    BOOST_TEST(folded > 10);
    BOOST_TEST(folded < 100);
}

// The runs of large windows are made one by one: they would take gigabytes together.
BOOST_AUTO_TEST_CASE(large_windows_take_no_memory_of_their_own) {
    Graph graph;
    const ValueId x = graph.add_value("x", Type::tensor(DType::f32, Shape::of(Dims{1, 1, 1026, 1026}))), y = graph.add_value("y", Type{});
    graph.inputs = {x};
    graph.outputs = {y};
    graph.add_node(need_op(ops::MaxPool), "pool", {x}, {y}, {{"kernel_shape", Ints{1025, 1025}}});
    infer_types(graph);
    std::vector<float> items(1026 * 1026);
    for (size_t i = 0; i < items.size(); ++i) items[i] = static_cast<float>(i % 1026) + static_cast<float>(i / 1026) * 2000;
    static ThreadPool pool(1);
    Session session(Program::compile(graph, {.reference = true}), pool);
    const auto result = session.run(std::vector<Tensor>{Tensor::make<float>({1, 1, 1026, 1026}, items)});
    BOOST_TEST(to_floats(result.at(0)) ==
                   (std::vector<float>{1024 + 1024 * 2000.0f, 1025 + 1024 * 2000.0f, 1024 + 1025 * 2000.0f, 1025 + 1025 * 2000.0f}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
