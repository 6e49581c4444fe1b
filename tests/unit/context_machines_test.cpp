// Contexts for other machines, and what the graphs of one context have in common.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>

#include "libcore/backend/program_blob.h"
#include "libcore/deploy/context.h"
#include "libcore/exec/program.h"
#include "libcore/graph/op.h"
#include "libcore/kernels/context_isa.h"
#include "libcore/kernels/isa.h"
#include "libcore/kernels/table/loader.h"
#include "libcore/kernels/table/table.h"
#include "tests/unit/parsed_graph.h"

using namespace quern;
using quern::test::parsed;

BOOST_AUTO_TEST_SUITE(context_machines)

namespace {

const std::string other = context_isa() == "aarch64" ? "avx2" : "aarch64";

// A product on codes, a table, and a function that is computed on real numbers; in a float run a float product and a chain.
Graph mixed_net(bool encoded) {
    const std::string q = encoded ? ", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.05> : tensor<f32>, zero = "
                                    "dense<3> : tensor<i8>}]"
                                  : "";
    const std::string weights =
        encoded ? "quern.encoding = [{storage = i8, qmin = -127, qmax = 127, scale = dense<0.25> : tensor<f32>}], value = dense<[[-8, 7], "
                  "[0, 1], [3, 100], [-4, 5]]> : tensor<4x2xi8>"
                : "value = dense<[[-8.0, 7.0], [0.0, 1.0], [3.0, 100.0], [-4.0, 5.0]]> : tensor<4x2xf32>";
    return parsed("func.func @main(%x: tensor<2x4xf32> " + (encoded ? "{" + q.substr(2) + "}" : std::string()) + R"() -> (tensor<2x2xf32>) {
    %w = "onnx.Constant"() {)" +
                  weights + R"(} : () -> tensor<4x2xf32>
    %m = "onnx.MatMul"(%x, %w) {onnx_node_name = "mm")" +
                  q + R"(} : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
    %s = "onnx.Sigmoid"(%m) {onnx_node_name = "sig")" +
                  q + R"(} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %n = "onnx.Neg"(%s) {onnx_node_name = "neg"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %y = "onnx.Exp"(%n) {onnx_node_name = "exp"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    onnx.Return %y : tensor<2x2xf32>
  }
)");
}

Tensor input_of(const Graph& graph, size_t i = 0) {
    const Dims dims = *graph.value(graph.inputs[i]).type.shape.concrete();
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    for (size_t k = 0; k < items.size(); ++k) items[k] = static_cast<float>(static_cast<int>(k * 37 % 101) - 50) * 0.03f;
    Tensor tensor = Tensor::vector<float>(items);
    tensor.dims = dims;
    return tensor;
}

std::string run(const std::shared_ptr<const Program>& program, const Tensor& input) {
    ThreadPool pool(1);
    Session session(program, pool);
    return std::string(session.run(std::array{input})[0].data.text());
}

Bytes program_of(const Graph& graph, const BlobOptions& options) {
    SpoolFile spool;
    context_format::write_program(graph, options, spool.file());
    return spool.finish();
}

std::shared_ptr<const MixedProgram> compiled(const Graph& graph, Mode mode, const std::string& isa = {}) {
    MixedOptions options;
    options.compile.mode = mode;
    options.isa = isa;
    return MixedProgram::compile(graph, options);
}

Bytes context_of(const std::vector<ContextSource>& sources) {
    SpoolFile spool;
    write_context(sources, spool.file());
    return spool.finish();
}

bool is_refused(const Error& error) {
    return error.exit() == Exit::unsupported && error.message() == fmt::format("is compiled for {}, here is {}", other, context_isa());
}

}  // namespace

BOOST_AUTO_TEST_CASE(machines_by_name) {
    for (const std::string_view name : context_isas)
        BOOST_TEST(runs_isa(name) ==
                   (name == context_isa() || (name != "aarch64" && context_isa() != "aarch64" &&
                                              std::ranges::find(context_isas, name) < std::ranges::find(context_isas, context_isa()))));
    BOOST_CHECK_EXCEPTION(need_isa(other), Error, is_refused);
    BOOST_CHECK_EXCEPTION(need_isa("mips"), Error, [](const Error& error) { return error.exit() == Exit::bad_input; });
}

// Restored here, without regard to what it says it is for.
BOOST_AUTO_TEST_CASE(programs_for_another_machine_choose_their_float_kernels_there) {
    for (const Mode mode : {Mode::integer, Mode::fake, Mode::floating})
        for (const bool encoded : {true, false}) {
            const Graph graph = mixed_net(encoded);
            const Bytes bytes = program_of(graph, {{.mode = mode}, other});
            BOOST_CHECK_EXCEPTION(context_format::load_program(bytes), Error, is_refused);
            auto file = context_format::read_program(bytes);
            BOOST_TEST(file.isa == other);
            BOOST_TEST(
                std::ranges::none_of(file.recorded.steps, [](const auto& step) { return step.row == "simd" || step.row == "onednn"; }));
            BOOST_TEST(file.recorded.layouts.empty());
            const bool on_codes = mode == Mode::integer && encoded && !code_kernel_rows().empty();
            const auto named = [&](std::string_view node, std::string_view row) {
                return std::ranges::any_of(file.recorded.steps, [&](const Recorded::Step& step) {
                    return step.nodes.front() == node && step.row == row && !step.state.empty();
                });
            };
            BOOST_TEST(named("mm", "codes") == on_codes);
            BOOST_TEST(named("sig", "lookup") == (mode == Mode::integer && encoded));
            BOOST_TEST((file.recorded.held.size() == (on_codes ? 1u : 0u)));
            const auto program = CompiledGraph::restore(std::move(file.graph), file.options, file.recorded);
            const auto here = Program::compile(graph, {.mode = mode});
            BOOST_TEST((run(program, input_of(graph)) == run(here, input_of(graph))));
            const std::vector<Choice> chosen = program->choices(), wanted = here->choices();
            BOOST_REQUIRE(chosen.size() == wanted.size());
            for (size_t i = 0; i < chosen.size(); ++i)
                BOOST_TEST((chosen[i].node == wanted[i].node && chosen[i].kernel == wanted[i].kernel));
        }
}

BOOST_AUTO_TEST_CASE(contexts_for_another_machine_are_refused_here) {
    const auto program = compiled(mixed_net(true), Mode::integer, other);
    const Context context(context_of({{"main", program, ""}}));
    BOOST_TEST(context.isa() == other);
    BOOST_CHECK_EXCEPTION(context.load(context.graph("")), Error, is_refused);
    BOOST_CHECK_EXCEPTION(program->open({}), Error, is_refused);
    const Context own(context_of({{"main", compiled(mixed_net(true), Mode::integer), ""}}));
    BOOST_TEST(own.isa() == context_isa());
    BOOST_CHECK_NO_THROW(own.load(own.graph("")));
}

// ---- graphs with common weights ----

namespace {

constexpr int side = 2048;  // 16 MiB of weights

// A product with the common weights, in another surrounding for each graph.
Graph wide_net(const Bytes& weights, std::string_view behind) {
    Graph graph = parsed(fmt::format(R"(func.func @main(%x: tensor<1x{0}xf32>, %w: tensor<{0}x{0}xf32>) -> (tensor<1x{0}xf32>) {{
    %m = "onnx.MatMul"(%x, %w) {{onnx_node_name = "mm"}} : (tensor<1x{0}xf32>, tensor<{0}x{0}xf32>) -> tensor<1x{0}xf32>
    %y = "onnx.{1}"(%m) {{onnx_node_name = "behind"}} : (tensor<1x{0}xf32>) -> tensor<1x{0}xf32>
    onnx.Return %y : tensor<1x{0}xf32>
  }}
)",
                                     side, behind));
    graph.value(graph.inputs[1]).data = weights;
    graph.inputs.pop_back();
    return graph;
}

Bytes wide_weights() {
    std::vector<float> numbers(size_t{side} * side);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(static_cast<int>(i * 31 % 257) - 128) / 128;
    return Bytes::copy(numbers.data(), numbers.size() * sizeof(float));
}

size_t resident_bytes() {
    size_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * 4096;
}

}  // namespace

BOOST_AUTO_TEST_CASE(graphs_of_one_context_have_common_weights_once) {
    const Bytes weights = wide_weights();
    const Graph first = wide_net(weights, "Tanh"), second = wide_net(weights, "Sigmoid");
    const auto programs = std::pair(compiled(first, Mode::floating), compiled(second, Mode::floating));
    const size_t one = context_of({{"a", programs.first, ""}}).size();
    const Bytes both = context_of({{"a", programs.first, ""}, {"b", programs.second, ""}});
    BOOST_TEST(one >= weights.size());
    BOOST_TEST(both.size() < one + one / 20);

    const std::string path = fmt::format("{}/quern_common_{}.qctx", std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp", ::getpid());
    OutputFile file(path);
    file.write(both);
    file.commit();
    const Context context(map_input(path));
    const auto load = [&](const char* name, const Graph& graph) {
        auto program = context.load(context.graph(name));
        const auto session = program->open({.threads = 1});
        const std::vector<Tensor> made = session->run(std::array{input_of(graph)});
        return std::pair(std::move(program), std::string(made[0].data.text()));
    };
    const auto a = load("a", first);
    const size_t before = resident_bytes();
    const auto b = load("b", second);
    BOOST_TEST(resident_bytes() < before + weights.size() / 20);
    BOOST_TEST((a.second == run(Program::compile(first, {}), input_of(first))));
    BOOST_TEST((b.second == run(Program::compile(second, {}), input_of(second))));
    std::remove(path.c_str());
}

BOOST_AUTO_TEST_SUITE_END()
