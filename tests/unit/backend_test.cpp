// Back ends behind the C interface: blobs, sessions, asynchronous runs, work in child processes.
#include <sys/wait.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <chrono>
#include <filesystem>

#include "formats/foreign/child.h"
#include "libcore/backend/builtin.h"
#include "libcore/backend/client.h"
#include "libcore/backend/compile_options.h"
#include "libcore/backend/view.h"
#include "libcore/graph/quantize.h"
#include "tests/common/graph_of.h"

using namespace quern;

namespace {

Encoding grid(float scale, int8_t zero) { return make_encoding(DType::i8, Tensor::scalar(scale), Tensor::scalar(zero)); }

// y = relu(x * w), z = tanh(y), all encoded as int8 but z.
Graph small_net() {
    std::vector<int8_t> weights(12);
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<int8_t>(17 * i % 23) - 9;
    Graph graph = graph_of(R"(func.func @small(%x: tensor<?{n}x4xf32>, %w: tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %product = "onnx.MatMul"(%x, %w) {onnx_node_name = "multiply"} : (tensor<?{n}x4xf32>, tensor<*xf32>) -> tensor<*xf32>
  %y = "onnx.Relu"(%product) {onnx_node_name = "relu"} : (tensor<*xf32>) -> tensor<*xf32>
  %z = "onnx.Tanh"(%y) {onnx_node_name = "tanh"} : (tensor<*xf32>) -> tensor<*xf32>
  return %y, %z : tensor<*xf32>, tensor<*xf32>
})",
                           {{"w", dequantize(Tensor::make<int8_t>({4, 3}, weights), grid(0.03125f, 0))}});
    graph.value(graph.find("w")).data = Bytes::copy_of(std::span<const int8_t>(weights));
    for (const auto& [name, codes] :
         {std::pair{"x", grid(0.02f, -3)}, {"w", grid(0.03125f, 0)}, {"product", grid(0.04f, 5)}, {"y", grid(0.03f, -128)}})
        graph.value(graph.find(name)).enc = codes;
    verify(graph);
    return graph;
}

Tensor sample(int64_t rows) {
    std::vector<float> items(static_cast<size_t>(rows * 4));
    for (size_t i = 0; i < items.size(); ++i) items[i] = 0.37f * static_cast<float>(i % 11) - 1.7f;
    return Tensor::make<float>({rows, 4}, items);
}

std::vector<Tensor> numbers(const std::vector<Stored>& stored) {
    std::vector<Tensor> out;
    for (const Stored& s : stored) out.push_back(s.encoding ? dequantize(s.tensor, *s.encoding) : s.tensor);
    return out;
}

std::string failure(const std::function<void()>& body) {
    try {
        body();
    } catch (const Error& error) {
        return fmt::format("{}: {}", static_cast<int>(error.exit()), error.message());
    }
    return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(built_in_backends_compute_as_programs_do) {
    const Graph graph = small_net();
    for (const char* name : {"cpu", "ref"})
        for (const Mode mode : {Mode::floating, Mode::fake, Mode::integer}) {
            const CompileOptions options{.mode = mode, .reference = std::string(name) == "ref"};
            const auto backend = Backend::open(name);
            const Bytes blob = backend->compile(graph, options);
            const auto executable = backend->load(blob);
            ThreadPool pool(2);
            Session session(Program::compile(graph, options), pool);
            const auto lane = executable->open({.threads = 2, .timing = true});
            for (const int64_t rows : {1, 3, 1}) {
                const std::vector<Tensor> inputs{sample(rows)};
                const auto expected = session.run(inputs);
                const std::vector<Stored> stored{{inputs[0], {}}};
                const auto got = lane->run(stored);
                BOOST_TEST(got[0].encoding.has_value() == (mode == Mode::integer));
                const auto plain = numbers(got);
                lane->start(stored);
                const auto later = numbers(lane->finish());
                for (size_t i = 0; i < expected.size(); ++i) {
                    BOOST_TEST(identical(plain[i], expected[i]));
                    BOOST_TEST(identical(later[i], expected[i]));
                }
            }
            BOOST_TEST(!lane->step_times().empty());
            BOOST_TEST(!executable->choices().empty());
            BOOST_TEST(executable->inputs()[0].name == "x");
        }
}

BOOST_AUTO_TEST_CASE(blobs_are_equal_bytes_and_not_trusted) {
    const auto backend = Backend::open("ref");
    const CompileOptions options{.mode = Mode::integer};
    const Bytes blob = backend->compile(small_net(), options), again = backend->compile(small_net(), options);
    BOOST_TEST((blob.text() == again.text()));
    for (size_t size = 0; size < blob.size(); size += 97) BOOST_CHECK_THROW(backend->load(blob.slice(0, size)), Error);
    BOOST_TEST(failure([&] { backend->load(Bytes::borrow("nonsense", 8)); }) == "3: back end \"ref\": is not a blob of this back end");
}

BOOST_AUTO_TEST_CASE(codes_cross_the_border_as_they_are) {
    const auto executable = Backend::open("cpu")->load(Backend::open("cpu")->compile(small_net(), CompileOptions{.mode = Mode::integer}));
    const auto lane = executable->open({});
    const Tensor x = sample(2);
    const std::vector<Stored> real{{x, {}}}, codes{{quantize(x, grid(0.02f, -3)), grid(0.02f, -3)}};
    const auto a = lane->run(real), b = lane->run(codes);
    BOOST_TEST(identical(a[0].tensor, b[0].tensor));
    BOOST_TEST((a[0].tensor.dtype == DType::i8));
    const std::vector<Stored> wrong{{Tensor::make<float>({2, 3}, std::vector<float>(6)), {}}};
    BOOST_TEST(failure([&] { lane->run(wrong); }) == "3: back end \"cpu\": input \"x\" is [2,3], need float32[n,4]");
}

BOOST_AUTO_TEST_CASE(support_is_asked_for_each_node) {
    Graph graph = small_net();
    const ValueId q = graph.add_value("q", Type::tensor(DType::f32));
    graph.add_node(unknown_op("Warp", "com.example", 1), "warp", {graph.outputs[1]}, {q});
    graph.outputs.push_back(q);
    const auto refusals = Backend::open("cpu")->refusals(graph, {});
    BOOST_TEST(refusals.size() == 4u);
    BOOST_TEST(!refusals[0]);
    BOOST_TEST(*refusals[3] == "there is no implementation of operator com.example.Warp");
}

BOOST_AUTO_TEST_CASE(options_and_names_are_checked) {
    BOOST_TEST(failure([] { Backend::open("cpu", R"({"speed": 3})"); }) == "2: back end \"cpu\": unknown option \"speed\"");
    BOOST_TEST(failure([] { Backend::open("ref", R"({"device": "gpu"})"); }) ==
               "2: back end \"ref\": device \"gpu\" is unknown: there is \"ref\"");
    BOOST_TEST(failure([] { Backend::open("reff"); }) == "4: there is no back end \"reff\" (did you mean \"ref\"?)");
    BOOST_TEST(failure([] { Backend::open("../cpu"); }).starts_with("4: there is no back end"));
    BOOST_TEST(Backend::exists("cpu"));
    BOOST_TEST(!Backend::exists("none"));
}

BOOST_AUTO_TEST_CASE(the_table_in_c) {
    const quern_backend_api& api = *builtin_backend("cpu");
    const Graph graph = small_net();
    const GraphView view(graph);
    BOOST_TEST(view.get()->node_count == 3u);
    BOOST_TEST(view.get()->nodes[0]->inputs[1]->constant->size == 12u);
    BOOST_TEST(view.get()->nodes[0]->inputs[0]->dims[0] == -1);
    quern_backend* backend = nullptr;
    BOOST_TEST(api.create(nullptr, "", &backend) == QUERN_OK);
    std::string blob;
    const quern_sink sink{sizeof(quern_sink), &blob, [](const quern_sink* s, const void* data, size_t size) -> quern_status {
                              static_cast<std::string*>(s->self)->append(static_cast<const char*>(data), size);
                              return QUERN_OK;
                          }};
    BOOST_TEST(api.compile(backend, view.get(), R"({"mode":"int"})", &sink) == QUERN_OK);
    const Bytes aligned_blob = Bytes::copy(blob.data(), blob.size());
    quern_executable* executable = nullptr;
    BOOST_TEST(api.load(backend, aligned_blob.data(), aligned_blob.size(), &executable) == QUERN_OK);
    quern_session* session = nullptr;
    BOOST_TEST(api.open(executable, nullptr, &session) == QUERN_OK);
    BOOST_TEST(api.execute(session) == QUERN_USAGE);
    BOOST_TEST(api.last_error(backend) == std::string("input 0 is not set"));
    BOOST_TEST(api.wait(session, 0) == QUERN_USAGE);
    std::vector<int8_t> codes{1, 2, 3, 4}, out(3);
    const std::vector<int64_t> dims{1, 4};
    quern_buffer in{sizeof in, QUERN_INT8, 2, dims.data(), codes.data(), 4, nullptr};
    BOOST_TEST(api.set_input(session, 0, &in) == QUERN_OK);
    BOOST_TEST(api.set_input(session, 1, &in) == QUERN_USAGE);
    quern_buffer target{sizeof target, QUERN_INT8, 0, nullptr, out.data(), 2, nullptr};
    BOOST_TEST(api.set_output(session, 0, &target) == QUERN_OK);
    BOOST_TEST(api.execute(session) == QUERN_BAD_INPUT);
    target.size = 3;
    BOOST_TEST(api.set_output(session, 0, &target) == QUERN_OK);
    BOOST_TEST(api.execute(session) == QUERN_OK);
    quern_buffer result{};
    result.struct_size = sizeof result;
    BOOST_TEST(api.get_output(session, 0, &result) == QUERN_OK);
    BOOST_TEST(result.data == static_cast<void*>(out.data()));
    in.dims = nullptr;
    BOOST_TEST(api.set_input(session, 0, &in) == QUERN_BAD_INPUT);
    api.close(session);
    api.unload(executable);
    api.destroy(backend);
}

// Of tests/common/foreign_jobs.cpp.
const std::string program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "foreign_jobs";

Bytes run_job(std::string_view job, int seconds = 0) { return run_in_child({.job = job, .seconds = seconds, .program = program}); }

BOOST_AUTO_TEST_CASE(child_processes_bring_back_bytes) {
    BOOST_TEST(run_job("hello").text() == "hello");
    BOOST_TEST(run_job("input").text() == "empty");
    const auto before = std::chrono::steady_clock::now();
    BOOST_TEST(run_job("another").text() == "done");
    BOOST_TEST((std::chrono::steady_clock::now() - before < std::chrono::seconds(2)));
}

BOOST_AUTO_TEST_CASE(child_processes_take_words_and_graphs_and_talk) {
    BOOST_TEST(run_in_child({.job = "echo", .request = {"a b", "", "\xff\n"}, .program = program}).text() == "a b||\xff\n|");
    BOOST_TEST(run_in_child({.job = "echo", .program = program}).text() == "");
    const Graph graph = small_net();
    std::string names;
    for (const NodeId id : graph.order()) names += graph.node(id).op->name;
    BOOST_TEST(run_in_child({.job = "nodes", .graph = &graph, .program = program}).text() == names);
    std::string said;
    const auto log = [&](int level, const std::string& text) {
        said += std::to_string(level) + text[0] + std::to_string(text.size()) + " ";
    };
    run_in_child({.job = "talk", .log = log, .program = program});
    BOOST_TEST(said == "0a5000 1b5000 2c5000 ");
}

BOOST_AUTO_TEST_CASE(child_processes_bring_back_failures) {
    BOOST_TEST(failure([] { run_job("crash"); }) == "4: crashed in compile (signal 9, Killed)");
    BOOST_TEST(failure([] { run_job("fail"); }) == "3: broken");
    BOOST_TEST(failure([] { run_job("strange"); }) == "4: threw an exception that is not a std::exception");
    BOOST_TEST(failure([] { run_job("leave"); }) == "4: ended its process in start (exit code 7)");
    BOOST_TEST(failure([] { run_job("hang", 1); }) == "4: did not finish create within 1 s");
    BOOST_TEST(failure([] { run_job("meddle"); }) == "4: wrote to descriptor 5, which is not its own");
    BOOST_TEST(failure([] { run_job("no such job"); }) == "4: ended its process in start (exit code 2)");
    BOOST_TEST(failure([] { run_in_child({.job = "x", .program = "/no/program"}); }) == "5: /no/program: No such file or directory");
}

// What somebody says who must not throw: the process ends, and nothing of it is left.
BOOST_AUTO_TEST_CASE(child_processes_end_with_who_listens) {
    const auto log = [](int, const std::string&) { throw bad_input("no more"); };
    BOOST_TEST(failure([&] { run_in_child({.job = "talk", .log = log, .program = program}); }) == "3: no more");
    BOOST_TEST((::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD));
}
