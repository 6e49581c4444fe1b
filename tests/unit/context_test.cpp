// Contexts: they compute what the model computes, equal models give equal bytes, broken files are refused, weights are used in place.
#include "libcore/deploy/context.h"

#include <sys/resource.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>

#include "formats/context/sections.h"
#include "include/quern/backend.h"
#include "libcore/backend/program_blob.h"
#include "libcore/graph/op.h"
#include "libcore/kernels/table/loader.h"
#include "libcore/passes/pass.h"
#include "tests/fuzz/context_repair.h"
#include "tests/unit/parsed_graph.h"

using namespace quern;
using quern::test::parsed;

BOOST_AUTO_TEST_SUITE(context)

namespace {

std::string numbers(int count, int period) {
    std::string out = "[";
    for (int i = 0; i < count; ++i) out += fmt::format("{}{}.{}", i ? ", " : "", (i * 7) % period - period / 2, i % 10);
    return out + "]";
}

// Convolution with normalization, residual and activation, pooling, product with bias, chain.
Graph float_net(int channels = 8) {
    const auto constant = [](const std::string& name, const std::string& shape, int count, int period) {
        return fmt::format("    %{0} = \"onnx.Constant\"() {{value = dense<{1}> : tensor<{2}xf32>}} : () -> tensor<{3}xf32>\n", name,
                           numbers(count, period), count, count) +
               (shape == std::to_string(count)
                    ? ""
                    : fmt::format(
                          "    %{0}_d = \"onnx.Constant\"() {{value = dense<[{1}]> : tensor<{2}xi64>}} : () -> tensor<{2}xi64>\n"
                          "    %{0}_r = \"onnx.Reshape\"(%{0}, %{0}_d) : (tensor<{3}xf32>, tensor<{2}xi64>) -> tensor<{4}xf32>\n",
                          name,
                          [&] {
                              std::string list;
                              for (const char c : shape) list += c == 'x' ? std::string(", ") : std::string(1, c);
                              return list;
                          }(),
                          std::count(shape.begin(), shape.end(), 'x') + 1, count, shape));
    };
    std::string text = fmt::format("func.func @main(%x: tensor<1x{}x10x10xf32>) -> (tensor<1x5xf32>) {{\n", channels);
    text += constant("w", fmt::format("16x{}x3x3", channels), 144 * channels, 11) + constant("b", "16", 16, 5) +
            constant("s", "16", 16, 7) + constant("m", "16", 16, 3);
    text += constant("v", "16", 16, 2) + constant("w2", "16x16x1x1", 256, 9) + constant("fc", "16x5", 80, 9) + constant("fb", "5", 5, 4);
    text += R"(
    %a = "onnx.Abs"(%v) : (tensor<16xf32>) -> tensor<16xf32>)";
    text += fmt::format(R"(
    %c = "onnx.Conv"(%x, %w_r, %b) {{onnx_node_name = "c1", pads = [1, 1, 1, 1]}} : (tensor<1x{0}x10x10xf32>, tensor<16x{0}x3x3xf32>, tensor<16xf32>) -> tensor<1x16x10x10xf32>)",
                        channels);
    text += R"(
    %n = "onnx.BatchNormalization"(%c, %s, %b, %m, %a) {onnx_node_name = "bn"} : (tensor<1x16x10x10xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x10x10xf32>
    %r = "onnx.Relu"(%n) {onnx_node_name = "r1"} : (tensor<1x16x10x10xf32>) -> tensor<1x16x10x10xf32>
    %d = "onnx.Conv"(%r, %w2_r) {onnx_node_name = "c2"} : (tensor<1x16x10x10xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x10x10xf32>
    %e = "onnx.Add"(%d, %r) {onnx_node_name = "add"} : (tensor<1x16x10x10xf32>, tensor<1x16x10x10xf32>) -> tensor<1x16x10x10xf32>
    %p = "onnx.GlobalAveragePool"(%e) {onnx_node_name = "pool"} : (tensor<1x16x10x10xf32>) -> tensor<1x16x1x1xf32>
    %f = "onnx.Flatten"(%p) {onnx_node_name = "flat"} : (tensor<1x16x1x1xf32>) -> tensor<1x16xf32>
    %g = "onnx.MatMul"(%f, %fc_r) {onnx_node_name = "fc"} : (tensor<1x16xf32>, tensor<16x5xf32>) -> tensor<1x5xf32>
    %h = "onnx.Add"(%g, %fb) {onnx_node_name = "bias"} : (tensor<1x5xf32>, tensor<5xf32>) -> tensor<1x5xf32>
    %y = "onnx.Tanh"(%h) {onnx_node_name = "tanh"} : (tensor<1x5xf32>) -> tensor<1x5xf32>
    onnx.Return %y : tensor<1x5xf32>
  }
)";
    Graph graph = parsed(text);
    run_passes(graph, std::array{&pass_named("fold_constants"), &pass_named("drop_dead")});
    return graph;
}

// Codes through a product, a table and an operator on real numbers.
Graph integer_net() {
    const std::string q =
        "quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.05> : tensor<f32>, zero = dense<3> : tensor<i8>}]";
    return parsed("func.func @main(%x: tensor<2x4xf32> {" + q + R"(}) -> (tensor<2x2xf32>) {
    %w = "onnx.Constant"() {quern.encoding = [{storage = i8, qmin = -127, qmax = 127, scale = dense<0.25> : tensor<f32>}], value = dense<[[-8, 7], [0, 1], [3, 100], [-4, 5]]> : tensor<4x2xi8>} : () -> tensor<4x2xf32>
    %m = "onnx.MatMul"(%x, %w) {onnx_node_name = "mm", )" +
                  q + R"(} : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
    %y = "onnx.Sigmoid"(%m) {onnx_node_name = "sig", )" +
                  q + R"(} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    onnx.Return %y : tensor<2x2xf32>
  }
)");
}

std::shared_ptr<const MixedProgram> compiled(const Graph& graph, Mode mode, const std::string& cache = {}) {
    MixedOptions options;
    options.compile.mode = mode;
    options.cache = cache;
    return MixedProgram::compile(graph, options);
}

Bytes context_of(const std::vector<ContextSource>& sources) {
    SpoolFile spool;
    write_context(sources, spool.file());
    return spool.finish();
}

std::vector<Tensor> inputs_of(const Graph& graph) {
    std::vector<Tensor> inputs;
    for (const ValueId id : graph.inputs) {
        const Dims dims = *graph.value(id).type.shape.concrete();
        std::vector<float> items(static_cast<size_t>(count_of(dims)));
        for (size_t i = 0; i < items.size(); ++i) items[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) * 0.03f;
        Tensor tensor = Tensor::vector<float>(items);
        tensor.dims = dims;
        inputs.push_back(std::move(tensor));
    }
    return inputs;
}

std::vector<Tensor> results(const MixedProgram& program, const std::vector<Tensor>& inputs, int threads = 1) {
    const auto session = program.open({.threads = threads});
    session->run(inputs);
    return session->run(inputs);
}

void check_equal(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    BOOST_REQUIRE(a.size() == b.size());
    for (size_t i = 0; i < a.size(); ++i) BOOST_TEST((a[i].dims == b[i].dims && a[i].data.text() == b[i].data.text()));
}

}  // namespace

BOOST_AUTO_TEST_CASE(computes_what_the_model_computes) {
    const Graph real = float_net(), codes = integer_net();
    const Bytes bytes = context_of({{"real", compiled(real, Mode::floating), "ab"}, {"codes", compiled(codes, Mode::integer), "cd"}});
    BOOST_TEST((bytes.text() ==
                context_of({{"real", compiled(real, Mode::floating), "ab"}, {"codes", compiled(codes, Mode::integer), "cd"}}).text()));
    const Context context(bytes);
    Context::check_digests(bytes);
    BOOST_REQUIRE(context.graphs().size() == 2u);
    for (const auto& [name, graph, mode] : {std::tuple("real", &real, Mode::floating), std::tuple("codes", &codes, Mode::integer)}) {
        ThreadPool pool(1);
        Session session(Program::compile(*graph, {.mode = mode}), pool);
        const auto inputs = inputs_of(*graph);
        const auto program = context.load(context.graph(name));
        for (const int threads : {1, 2}) check_equal(session.run(inputs), results(*program, inputs, threads));
    }
    BOOST_CHECK_THROW(context.graph("cods"), Error);
}

BOOST_AUTO_TEST_CASE(sections_come_back_as_they_were) {
    const auto bytes = [](std::string_view text) { return Bytes::copy(text.data(), text.size()); };
    SpoolFile spool;
    context_format::write_sections("QUERNCTX", {{"one", 0, {bytes("abc")}}, {"two", 0, {bytes("d"), bytes("ef")}}, {"none", 0, {}}},
                                   spool.file());
    const Bytes file = spool.finish();
    BOOST_TEST(file.size() % 64 == 0u);
    const context_format::Sections sections("QUERNCTX", file);
    BOOST_TEST(sections.need("one").text() == "abc");
    BOOST_TEST(sections.need("two").text() == "d" + std::string(63, '\0') + "ef");
    BOOST_TEST(sections.need("none").empty());
}

BOOST_AUTO_TEST_CASE(kernels_hold_weights_once) {
    if (onednn_library().rows.empty()) return;
    SpoolFile spool;
    context_format::write_program(float_net(), {}, spool.file());
    const Bytes bytes = spool.finish();
    const auto file = context_format::read_program(bytes);
    BOOST_TEST(file.recorded.held.size() >= 5u);
    BOOST_REQUIRE(file.recorded.layouts.size() == 1u);
    const auto program = context_format::load_program(bytes);
    ThreadPool pool(1);
    Session session(program, pool);
    Graph graph = float_net();
    session.run(inputs_of(graph));
    BOOST_TEST(session.arena_bytes() >= file.recorded.layouts[0].bytes);
    BOOST_TEST(session.arena_bytes() < 2 * file.recorded.layouts[0].bytes + 4096);
    context_format::check_program(bytes);
}

BOOST_AUTO_TEST_CASE(parts_on_several_devices) {
    Graph graph = float_net();
    graph.node(graph.find_node("r1")).device = "ref";
    const auto program = compiled(graph, Mode::floating);
    BOOST_TEST(program->parts().size() == 3u);
    const Bytes bytes = context_of({{"main", program, ""}});
    const Context context(bytes);
    const auto inputs = inputs_of(graph);
    check_equal(results(*program, inputs), results(*context.load(context.graphs()[0]), inputs));
}

BOOST_AUTO_TEST_CASE(a_changed_layer_changes_one_blob_of_the_cache) {
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("quern-cache-{}", ::getpid());
    std::filesystem::remove_all(folder);
    const auto count = [&] { return std::distance(std::filesystem::directory_iterator(folder), {}); };
    Graph graph = float_net();
    graph.node(graph.find_node("r1")).device = "ref";
    const Bytes first = context_of({{"main", compiled(graph, Mode::floating, folder), ""}});
    BOOST_TEST(count() == 3);
    BOOST_TEST((first.text() == context_of({{"main", compiled(graph, Mode::floating, folder), ""}}).text()));
    BOOST_TEST(count() == 3);
    Value& bias = graph.value(graph.node(graph.find_node("bias")).in[1]);
    bias.data = Bytes::own(std::vector<std::byte>(bias.data->size()));
    compiled(graph, Mode::floating, folder);
    BOOST_TEST(count() == 4);
    std::filesystem::remove_all(folder);
}

// Entries of a cache that are cut off, changed, or another's are made again.
BOOST_AUTO_TEST_CASE(a_damaged_cache_changes_no_result) {
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("quern-cache-{}", ::getpid());
    const auto only = [&] { return std::filesystem::directory_iterator(folder)->path(); };
    const auto write = [](const std::filesystem::path& path, std::string_view bytes) {
        std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    };
    std::filesystem::remove_all(folder);
    Graph graph = float_net();
    compiled(graph, Mode::floating, folder);
    const std::string other = std::string(map_input(only()).text());
    std::filesystem::remove_all(folder);
    Value& bias = graph.value(graph.node(graph.find_node("bias")).in[1]);
    bias.data = Bytes::own(std::vector<std::byte>(bias.data->size()));
    const std::string wanted = std::string(context_of({{"main", compiled(graph, Mode::floating, folder), ""}}).text());
    const std::string entry = std::string(map_input(only()).text());
    std::string flipped = entry;
    flipped[flipped.size() - 70] ^= 1;
    for (const std::string& damaged : {entry.substr(0, 100), std::string(), std::string("junk"), flipped, other}) {
        write(only(), damaged);
        BOOST_TEST((context_of({{"main", compiled(graph, Mode::floating, folder), ""}}).text() == wanted));
        BOOST_TEST((map_input(only()).text() == entry));
    }
    std::filesystem::remove_all(folder);
}

BOOST_AUTO_TEST_CASE(ep_context_models) {
    const Graph graph = integer_net();
    const Bytes bytes = context_of({{"main", compiled(graph, Mode::integer), "ab"}});
    const Model inside = wrap_context(Context(bytes).graphs()[0], bytes.text(), true);
    BOOST_TEST((unwrap_context(inside.graph, "-").text() == bytes.text()));
    for (const char* path : {"../net.qctx", "/etc/passwd", "missing.qctx", ""}) {
        const Model beside = wrap_context(Context(bytes).graphs()[0], path, false);
        BOOST_CHECK_THROW(unwrap_context(beside.graph, "net.onnx"), Error);
    }
    BOOST_TEST(unwrap_context(graph, "-").empty());
}

// The file beside a model may be another's.
BOOST_AUTO_TEST_CASE(ep_context_models_and_their_context_belong_together) {
    const Bytes both =
        context_of({{"real", compiled(float_net(), Mode::floating), ""}, {"codes", compiled(integer_net(), Mode::integer), ""}});
    const Context context(both), other(context_of({{"codes", compiled(float_net(), Mode::floating), ""}}));
    const Model model = wrap_context(context.graph("codes"), "net.qctx", false);
    BOOST_TEST(wrapped_graph(model.graph, context).name == "codes");
    BOOST_TEST(wrapped_graph(Graph(), context).name == "real");  // a context by itself
    BOOST_CHECK_EXCEPTION(wrapped_graph(model.graph, other), Error, [](const Error& error) {
        return error.exit() == Exit::bad_input &&
               error.message() ==
                   "node \"quern_context\" (EPContext): its context is another's: that has \"x\" float32[1,8,10,10], "
                   "the model \"x\" float32[2,4]";
    });
}

// `from` in the description of the context as `to`, of the same length.
Bytes changed(const Bytes& bytes, const std::string& from, const std::string& to) {
    BOOST_REQUIRE(from.size() == to.size());
    const size_t at = bytes.text().find(from);
    BOOST_REQUIRE(at != std::string_view::npos);
    MutableBytes copy(bytes.size());
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    std::memcpy(copy.data() + at, to.data(), to.size());
    repair_sections(copy.data(), copy.size());
    return std::move(copy).freeze();
}

BOOST_AUTO_TEST_CASE(contexts_of_other_versions_are_refused) {
    const Graph graph = integer_net();
    const Bytes bytes = context_of({{"main", compiled(graph, Mode::integer), "ab"}});
    const std::string_view text = bytes.text();
    const auto value_of = [&](const std::string& key) {
        const size_t at = text.find('"' + key + "\":\"") + key.size() + 4;
        return std::string(text.substr(at, text.find('"', at) - at));
    };
    const auto message = [](const Bytes& file) {
        try {
            const Context context(file);
            context.load(context.graphs()[0]);
        } catch (const Error& error) {
            BOOST_TEST(static_cast<int>(error.exit()) == static_cast<int>(Exit::unsupported));
            return error.message();
        }
        return std::string("loads");
    };
    const auto unknown_isa = [](const Bytes& file) {
        const Context context(file);
        BOOST_CHECK_EXCEPTION(context.load(context.graphs()[0]), Error, [](const Error& e) { return e.exit() == Exit::bad_input; });
        try {
            context.load(context.graphs()[0]);
        } catch (const Error& error) {
            return error.message();
        }
        return std::string("loads");
    };
    BOOST_TEST(message(bytes) == "loads");
    const std::string tool = value_of("tool"), operators = value_of("operators");
    const std::string other_tool(tool.size(), '9'), other_operators(operators.size(), '0');
    BOOST_TEST(message(changed(bytes, "\"tool\":\"" + tool, "\"tool\":\"" + other_tool)) ==
               "was made with version " + other_tool + ", here is " + tool);
    BOOST_TEST(message(changed(bytes, operators, other_operators)) ==
               "was made with operators " + other_operators + ", here is " + operators);
    BOOST_TEST(message(changed(bytes, "\"version\":\"1\"", "\"version\":\"7\"")) ==
               "was made with back end \"cpu\" of version 7, here is 1");
    const std::string abi = fmt::format("\"backend_abi\":{}", QUERN_BACKEND_ABI), other = abi.substr(0, abi.size() - 1) + "9";
    BOOST_TEST(message(changed(bytes, abi, other)).starts_with("was made for version 9 of the interface of back ends"));
    const std::string set = value_of("isa");
    BOOST_TEST(unknown_isa(changed(bytes, "\"isa\":\"" + set, "\"isa\":\"" + std::string(set.size(), 'q'))) ==
               "is for the unknown instruction set \"" + std::string(set.size(), 'q') + "\"");
    BOOST_TEST(message(changed(bytes, "\"backend\":\"cpu\"", "\"backend\":\"npu\"")).find("npu") != std::string::npos);
}

// A convolution whose padding says that its result has 256 MB, in a file whose memory plan does not.
BOOST_AUTO_TEST_CASE(sizes_that_do_not_fit_the_memory_plan_are_refused) {
    const Graph graph = float_net(16);
    const Bytes bytes = context_of({{"main", compiled(graph, Mode::floating), ""}});
    std::string ones, pads;
    for (const int64_t pad : {1, 1, 1, 1}) ones.append(reinterpret_cast<const char*>(&pad), sizeof pad);
    for (const int64_t pad : {1, 1, 400000, 1}) pads.append(reinterpret_cast<const char*>(&pad), sizeof pad);
    const Context context(changed(bytes, ones, pads));
    const auto program = context.load(context.graphs()[0]);
    BOOST_CHECK_EXCEPTION(program->open({})->run(inputs_of(graph)), Error, [](const Error& error) {
        BOOST_TEST_MESSAGE(error.message());
        return error.exit() == Exit::bad_input && error.message().find("more than its memory plan of") != std::string::npos &&
               error.message().find("(Conv)") != std::string::npos;
    });
}

// Attributes and shapes of a mutated file can ask for any amount of memory: it is limited meanwhile.
class MemoryLimit {
   public:
    MemoryLimit() {
        ::getrlimit(RLIMIT_AS, &before_);
        rlimit limit = before_;
        rlim_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        limit.rlim_cur = std::min<rlim_t>(before_.rlim_cur, pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{3} << 30));
        ::setrlimit(RLIMIT_AS, &limit);
    }
    ~MemoryLimit() { ::setrlimit(RLIMIT_AS, &before_); }

   private:
    rlimit before_{};
};

// QUERN_MUTATIONS sets how many, QUERN_SEED which; .ci/run wants 10,000.
BOOST_AUTO_TEST_CASE(mutated_contexts_are_refused_or_run) {
    const Graph real = float_net(), codes = integer_net();
    const Bytes whole = context_of({{"real", compiled(real, Mode::floating), "ab"}, {"codes", compiled(codes, Mode::integer), "cd"}});
    const auto inputs = std::map<std::string, std::vector<Tensor>>{{"real", inputs_of(real)}, {"codes", inputs_of(codes)}};
    const auto setting = [](const char* name, int by_default) {
        const char* text = std::getenv(name);
        return text ? std::atoi(text) : by_default;
    };
    std::mt19937 random(static_cast<uint32_t>(setting("QUERN_SEED", 5)));
    const int count = setting("QUERN_MUTATIONS", 500);
    int ran = 0, refused = 0;
    const MemoryLimit limit;
    for (int i = 0; i < count; ++i) {
        MutableBytes copy(i % 50 == 0 ? random() % whole.size() : whole.size());
        std::memcpy(copy.data(), whole.data(), copy.size());
        for (unsigned k = 0, changes = 1 + random() % 4; k < changes && copy.size() > 0; ++k) {
            constexpr std::array<uint8_t, 6> special{0, 1, 0x7f, 0x80, 0xfe, 0xff};
            const uint8_t byte = random() % 2 ? special[random() % special.size()] : static_cast<uint8_t>(random());
            copy.data()[random() % copy.size()] = static_cast<std::byte>(byte);
        }
        if (i % 4 != 0) repair_sections(copy.data(), copy.size());
        const Bytes bytes = std::move(copy).freeze();
        try {
            const Context context(bytes);
            for (const ContextGraph& graph : context.graphs()) {
                const auto feed = inputs.find(graph.name);
                const auto program = context.load(graph);
                if (feed != inputs.end()) program->open({})->run(feed->second);
            }
            ++ran;
        } catch (const Error& error) {
            BOOST_TEST(static_cast<int>(error.exit()) != static_cast<int>(Exit::bug), error.message());
            ++refused;
        } catch (const std::bad_alloc&) {
            ++refused;
        }
    }
    BOOST_TEST_MESSAGE(ran << " ran, " << refused << " refused");
    BOOST_TEST(ran > count / 20);
    BOOST_TEST(refused > count / 20);
}

BOOST_AUTO_TEST_SUITE_END()
