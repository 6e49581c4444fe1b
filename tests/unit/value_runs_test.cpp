// Values over samples, whether what is between them is kept or not.
#include <atomic>
#include <boost/test/unit_test.hpp>

#include "libcore/quant/algorithms/value_runs.h"
#include "tests/common/graph_of.h"
#include "tests/unit/algorithm_nets.h"

using namespace quern;

namespace {

constexpr uint64_t count = 5;

// A branch that is joined again, a node with two results, an input that is read late, a constant that is alone.
Graph joined_net() {
    return graph_of(R"(%a = "onnx.MatMul"(%x, %w) : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
%b, %c = "onnx.Split"(%a) {axis = 1 : si64, num_outputs = 2 : si64} : (tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)
%d = "onnx.Relu"(%b) : (tensor<4x3xf32>) -> tensor<4x3xf32>
%e = "onnx.Mul"(%d, %c) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
%f = "onnx.Concat"(%e, %b, %x) {axis = 1 : si64} : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
%y = "onnx.Add"(%f, %k) : (tensor<4x12xf32>, tensor<1xf32>) -> tensor<4x12xf32>)",
                    {{"w", random_tensor({6, 6}, 1)}, {"k", Tensor::vector<float>(std::vector<float>{0.5f})}});
}

using Seen = std::vector<std::vector<std::vector<float>>>;  // by sample, by value

Seen seen(ValueRuns& runs, const Graph& graph, const std::vector<std::string>& names) {
    std::vector<ValueId> wanted;
    wanted.reserve(names.size());
    for (const std::string& name : names) wanted.push_back(graph.find(name));
    std::vector<uint64_t> samples(count);
    for (uint64_t i = 0; i < count; ++i) samples[i] = i;
    Seen all(count);
    runs.run(wanted, samples, [&](size_t i, const std::vector<Tensor>& tensors) {
        for (const Tensor& tensor : tensors) all[i].push_back(to_floats(tensor));
    });
    return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(values_over_samples)

BOOST_AUTO_TEST_CASE(what_is_kept_changes_nothing) {
    const Graph graph = joined_net();
    const SampleFeed feed = feed_of(graph, count);
    ThreadPool pool(2);
    ValueRuns kept(graph, Mode::floating, feed, pool, Between::kept), forgotten(graph, Mode::floating, feed, pool);
    // In the order of the graph, values twice, then from the beginning again.
    for (const std::vector<std::string>& names : std::vector<std::vector<std::string>>{
             {"x"}, {"x", "a"}, {"b"}, {"b", "d"}, {"e", "c"}, {"f"}, {"y", "x"}, {"y"}, {"a"}, {"d", "b"}, {"y", "a"}})
        BOOST_TEST((seen(kept, graph, names) == seen(forgotten, graph, names)), names.front());
}

// Samples are read by what reads them, and no more.
BOOST_AUTO_TEST_CASE(what_is_kept_is_not_computed_again) {
    const Graph graph = joined_net();
    std::atomic<uint64_t> read = 0;
    SampleFeed feed = feed_of(graph, count);
    feed.sample = [&, sample = feed.sample](uint64_t i) {
        ++read;
        return sample(i);
    };
    ThreadPool pool(2);
    ValueRuns kept(graph, Mode::floating, feed, pool, Between::kept);
    const auto reads = [&](const std::vector<std::string>& names) {
        read = 0;
        seen(kept, graph, names);
        return read.load();
    };
    BOOST_TEST(reads({"a"}) == count);
    for (const char* name : {"b", "d", "e"}) BOOST_TEST(reads({name}) == 0, name);
    BOOST_TEST(reads({"f"}) == count);
    BOOST_TEST(reads({"y"}) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
