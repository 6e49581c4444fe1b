// What several threads may do at the same time: sessions of one program over changing shapes, collections, quantization, compilation with
// one cache, contexts, runs over samples in lanes, comparisons. Results are those of one thread; under ThreadSanitizer (scripts/sanitized
// --thread) nothing is shared without a word.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <thread>

#include <unistd.h>

#include "formats/samples/random_source.h"
#include "libcore/deploy/context.h"
#include "libcore/quant/collect/collect.h"
#include "libcore/quantize/quantize_model.h"
#include "libcore/runs/compare.h"
#include "libcore/runs/runner.h"
#include "tests/common/graph_of.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(side_by_side)

namespace {

constexpr size_t callers = 4;

Tensor ramp(Dims dims, float from) {
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    for (size_t i = 0; i < items.size(); ++i) items[i] = from + 0.01f * static_cast<float>(i % 97);
    return Tensor::make<float>(std::move(dims), items);
}

// Of any batch: a convolution, what is around it, a product, a normalization.
Graph net() {
    return graph_of(
        R"(%c = "onnx.Conv"(%x, %w) {onnx_node_name = "conv", pads = [1, 1, 1, 1]} : (tensor<?{n}x3x?{h}x?{v}xf32>, tensor<*xf32>) -> tensor<*xf32>
%r = "onnx.Relu"(%c) {onnx_node_name = "relu"} : (tensor<*xf32>) -> tensor<*xf32>
%p = "onnx.GlobalAveragePool"(%r) {onnx_node_name = "pool"} : (tensor<*xf32>) -> tensor<*xf32>
%f = "onnx.Flatten"(%p) {onnx_node_name = "flat"} : (tensor<*xf32>) -> tensor<*xf32>
%m = "onnx.MatMul"(%f, %v) {onnx_node_name = "product"} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
%y = "onnx.Softmax"(%m) {onnx_node_name = "soft"} : (tensor<*xf32>) -> tensor<*xf32>)",
        {{"w", ramp({8, 3, 3, 3}, -0.4f)}, {"v", ramp({8, 5}, -0.2f)}});
}

// The same for one size, so that it can be compiled and placed.
Graph fixed_net() {
    Graph graph = net();
    graph.value(graph.inputs[0]).type.shape = Shape::of(std::vector<int64_t>{1, 3, 9, 9});
    infer_types(graph);
    return graph;
}

// each(i) for all callers, at the same time.
void at_once(const std::function<void(size_t)>& each) {
    std::vector<std::exception_ptr> failures(callers);
    {
        std::vector<std::jthread> threads;
        for (size_t i = 0; i < callers; ++i)
            threads.emplace_back([&, i] {
                try {
                    each(i);
                } catch (...) {
                    failures[i] = std::current_exception();
                }
            });
    }
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

// What each caller makes is what one makes alone.
void same_for_all(const std::function<std::string(size_t)>& make) {
    const std::string want = make(0);
    std::vector<std::string> got(callers);
    at_once([&](size_t i) { got[i] = make(i); });
    for (const std::string& one : got) BOOST_TEST((one == want));
}

std::string bytes_of(const std::vector<Tensor>& tensors) {
    std::string all;
    for (const Tensor& tensor : tensors) all += tensor.data.text();
    return all;
}

SampleFeed feed() {
    return {.count = 40,
            .sample =
                [](uint64_t i) {
                    return std::vector{ramp({1, 3, 9, 9}, -0.01f * static_cast<float>(i))};
                },
            .place = [](uint64_t i) { return fmt::format("sample {}", i); },
            .index = [](uint64_t i) { return i; },
            .digest = "ramps"};
}

std::string collected(int threads) {
    std::string text;
    collect_ranges(net(), "abc", feed(), {.threads = threads, .per_channel = true}, [](uint64_t) {})->write([&](std::string_view part) {
        text += part;
    });
    return text;
}

std::filesystem::path folder_of(const char* name) {
    return std::filesystem::temp_directory_path() / fmt::format("quern-{}-{}", name, ::getpid());
}

std::string context_bytes(const Graph& graph, const std::string& cache) {
    MixedOptions options;
    options.cache = cache;
    std::string text;
    OutputFile file([&](const void* data, size_t size) { text.append(static_cast<const char*>(data), size); });
    write_context({{"main", MixedProgram::compile(graph, options), ""}}, file);
    file.commit();
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_program_over_changing_shapes) {
    for (const Mode mode : {Mode::floating, Mode::fake}) {
        const auto program = Program::compile(net(), {.mode = mode});
        same_for_all([&](size_t) {
            ThreadPool pool(2);
            Session session(program, pool);
            std::string all;
            for (const int64_t size : {9, 5, 9, 12, 5, 9}) {
                const Tensor x = ramp({size % 3 + 1, 3, size, size}, -0.3f);
                all += bytes_of(session.run(std::span(&x, 1)));
            }
            return all;
        });
    }
}

BOOST_AUTO_TEST_CASE(pools_that_fail_and_go_on) {
    at_once([](size_t) {
        ThreadPool pool(3);
        for (int round = 0; round < 200; ++round) {
            std::vector<int> counts(17);
            const auto count = [&](size_t i) {
                if (++counts[i]; round % 5 == 0 && i == 3) throw bad_input("piece {}", i);
            };
            try {
                pool.run(counts.size(), count);
                if (round % 5 == 0) throw bug("nothing was thrown");
            } catch (const Error& error) {
                if (error.exit() == Exit::bug) throw;
            }
            if (counts != std::vector<int>(17, 1)) throw bug("round {}: a piece was not done once", round);
        }
    });
}

BOOST_AUTO_TEST_CASE(collections) {
    same_for_all([](size_t i) { return collected(static_cast<int>(i % 3) + 1); });
}

BOOST_AUTO_TEST_CASE(quantizations) {
    const Ranges ranges = parse_ranges(collected(1));
    same_for_all([&](size_t i) {
        Model model;
        model.graph = fixed_net();
        ThreadPool pool(static_cast<int>(i % 3) + 1);
        const QuantReport report = quantize_model(model, &ranges, {.scheme = &scheme_named("i8")}, pool);
        if (report.nodes.empty()) throw bug("nothing was quantized");  // Boost.Test is of one thread
        Session session(Program::compile(model.graph, {.mode = Mode::integer}), pool);
        const Tensor x = ramp({1, 3, 9, 9}, -0.2f);
        return bytes_of(session.run(std::span(&x, 1)));
    });
}

BOOST_AUTO_TEST_CASE(one_cache_of_compiled_parts) {
    const auto folder = folder_of("side-by-side");
    Graph graph = fixed_net();
    graph.node(graph.find_node("product")).device = "ref";
    for (int round = 0; round < 3; ++round) {
        std::filesystem::remove_all(folder);
        same_for_all([&](size_t) { return context_bytes(graph, folder.string()); });
    }
    std::filesystem::remove_all(folder);
}

BOOST_AUTO_TEST_CASE(sessions_of_one_context) {
    Graph graph = fixed_net();
    graph.node(graph.find_node("conv")).device = "ref";
    const std::string text = context_bytes(graph, "");
    const Context context(Bytes::copy(text.data(), text.size()));
    const auto program = context.load(context.graphs().front());
    const Tensor x = ramp({1, 3, 9, 9}, -0.2f);
    same_for_all([&](size_t i) {
        const auto own = i % 2 ? program : context.load(context.graphs().front());
        const auto session = own->open({.threads = 2});
        std::string all;
        for (int run = 0; run < 5; ++run) all += bytes_of(session->run(std::span(&x, 1)));
        return all;
    });
}

BOOST_AUTO_TEST_CASE(samples_in_lanes) {
    const Graph graph = fixed_net();
    const std::vector<InputSpec> specs{{"x", graph.value(graph.inputs[0]).type, {}}};
    const auto results = [&](int threads, bool parallel) {
        const auto source = random_samples(specs, 7, 30);
        StatePlan plan;
        plan.fed = {0};
        std::string all;
        run_samples(
            graph, *source, plan, {.threads = threads, .runs = 2, .timing = true, .parallel = parallel},
            [&](const Result& result) { all += bytes_of(result.outputs); }, [] {});
        return all;
    };
    const std::string want = results(1, false);
    BOOST_TEST((results(3, true) == want));
    same_for_all([&](size_t i) { return results(static_cast<int>(i % 3) + 1, i % 2 == 0); });
}

BOOST_AUTO_TEST_CASE(comparisons) {
    const Graph graph = fixed_net();
    const std::vector<InputSpec> specs{{"x", graph.value(graph.inputs[0]).type, {}}};
    at_once([&](size_t i) {
        const auto source = random_samples(specs, 7, 10);
        const Comparison found = compare_models({graph}, {graph}, *source, false, static_cast<int>(i % 3) + 1, [] {});
        for (const ComparedValue& value : found.values)
            if (!value.difference.identical()) throw bug("\"{}\" differs from itself", value.key);
    });
}

BOOST_AUTO_TEST_SUITE_END()
