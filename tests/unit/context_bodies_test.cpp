// Kernels of bodies in programs that are files: planned and packed when the file is made, equal in their results, refused where they do not
// fit.
#include <boost/test/unit_test.hpp>

#include "libcore/backend/program_blob.h"
#include "libcore/kernels/table/loader.h"

using namespace quern;

namespace {

Tensor matrix(const Dims& dims, int period) {
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    for (size_t i = 0; i < items.size(); ++i) items[i] = 0.1f * static_cast<float>(static_cast<int>(i * 7) % period - period / 2);
    return Tensor::make<float>(dims, items);
}

// state = relu(state x W + item), for each of 3 items; If inside of it: a product with another matrix in one branch.
Graph scan_graph() {
    Graph graph;
    const Type state = Type::tensor(DType::f32, Shape::of(Dims{2, 4}));
    const ValueId start = graph.add_value("start", state),
                  items = graph.add_value("items", Type::tensor(DType::f32, Shape::of(Dims{3, 2, 4})));
    const ValueId last = graph.add_value("last", Type{}), all = graph.add_value("all", Type{});
    graph.inputs = {start, items};
    const NodeId scan = graph.add_node(find_op("Scan"), "scan", {start, items}, {last, all}, {{"num_scan_inputs", int64_t{1}}});
    Graph& body = graph.add_body(scan, "body");
    const ValueId before = body.add_value("before", state), item = body.add_value("item", state);
    const ValueId w = body.add_constant("w", matrix({4, 4}, 11)), yes = body.add_constant("yes", Tensor::scalar(true));
    const ValueId product = body.add_value("product", Type{}), sum = body.add_value("sum", Type{}), next = body.add_value("next", Type{});
    const ValueId chosen = body.add_value("chosen", Type{});
    body.inputs = {before, item};
    body.add_node(find_op("MatMul"), "product", {before, w}, {product});
    body.add_node(find_op("Add"), "sum", {product, item}, {sum});
    const NodeId branch = body.add_node(find_op("If"), "if", {yes}, {chosen});
    for (const char* name : {"then_branch", "else_branch"}) {
        Graph& inner = body.add_body(branch, name);
        const ValueId in = inner.add_value("in", state), v = inner.add_constant("v", matrix({4, 4}, name[0] == 't' ? 5 : 9));
        const ValueId out = inner.add_value("out", Type{});
        inner.captures = {{in, sum}};
        inner.add_node(find_op("MatMul"), "mm", {in, v}, {out});
        inner.outputs = {out};
    }
    body.add_node(find_op("Relu"), "next", {chosen}, {next});
    body.outputs = {next, next};
    graph.outputs = {last, all};
    infer_types(graph);
    verify(graph);
    return graph;
}

Bytes program_of(const Graph& graph) {
    SpoolFile spool;
    context_format::write_program(graph, {}, spool.file());
    return spool.finish();
}

std::vector<Tensor> run(std::shared_ptr<const Program> program, int threads) {
    ThreadPool pool(threads);
    Session session(std::move(program), pool);
    return session.run(std::vector{matrix({2, 4}, 13), matrix({3, 2, 4}, 17)});
}

}  // namespace

BOOST_AUTO_TEST_CASE(kernels_of_bodies_are_packed_in_programs) {
    const Graph graph = scan_graph();
    const auto want = run(Program::compile(graph, {}), 1);
    const Bytes bytes = program_of(graph);
    BOOST_TEST((bytes.text() == program_of(graph).text()));
    const auto file = context_format::read_program(bytes);
    BOOST_REQUIRE(file.recorded.bodies.size() >= 2u);
    if (!onednn_library().rows.empty())
        for (const Recorded::Body& body : file.recorded.bodies) {
            const bool packed = std::ranges::any_of(body.steps, [](const Recorded::Step& step) { return step.state.size() >= 2; });
            BOOST_TEST(packed, body.path);
        }
    for (const int threads : {1, 2}) {
        const auto got = run(context_format::load_program(bytes), threads);
        for (size_t i = 0; i < want.size(); ++i) BOOST_TEST(identical(got[i], want[i]));
    }
}

BOOST_AUTO_TEST_CASE(plans_of_bodies_that_do_not_fit_are_refused) {
    const auto file = context_format::read_program(program_of(scan_graph()));
    const auto refused = [&](const auto& change) {
        Recorded recorded = file.recorded;
        change(recorded.bodies.at(0));
        try {
            CompiledGraph::restore(file.graph, file.options, recorded);
        } catch (const Error& error) {
            return error.exit() == Exit::bad_input || error.exit() == Exit::unsupported;
        }
        return false;
    };
    BOOST_TEST(refused([](Recorded::Body& body) { body.steps.pop_back(); }));
    BOOST_TEST(refused([](Recorded::Body& body) { body.steps.push_back(body.steps[0]); }));
    BOOST_TEST(refused([](Recorded::Body& body) { body.steps[0].row = "none"; }));
    BOOST_TEST(refused([](Recorded::Body& body) {
                   for (auto& step : body.steps)
                       if (step.state.size() >= 2) step.state[1] = step.state[1].slice(0, 4);
               }) == !onednn_library().rows.empty());
}
