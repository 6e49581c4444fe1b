// Weights: in memory once, whatever their kernels make of them, and right for every shape.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <fstream>
#include <random>
#include <string>

#include "libcore/exec/session.h"
#include "libcore/os/io.h"
#include "libcore/os/sanitized.h"
#include "tests/common/graph_of.h"

using namespace quern;

namespace {

Tensor random_tensor(Dims dims, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    for (float& item : items) item = uniform(random);
    return Tensor::make<float>(std::move(dims), items);
}

// The tensor as it lies in a file, mapped, at an address that no float may have; its pages are not resident.
Tensor askew(const Tensor& tensor) {
    std::vector<std::byte> bytes(1 + tensor.data.size());
    std::copy_n(tensor.data.data(), tensor.data.size(), bytes.data() + 1);
    const Bytes file = spooled(Bytes::own(std::move(bytes)));
    const Tensor mapped{tensor.dtype, tensor.dims, file.slice(1, tensor.data.size())};
    file.release();
    return mapped;
}

[[maybe_unused]] double resident_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) * 1024;
    return 0;
}

// Of one session over inputs of all these dims, beside the reference.
void compare(const Graph& graph, std::initializer_list<Dims> shapes) {
    ThreadPool pool(2);
    Session fast(Program::compile(graph, {}), pool), slow(Program::compile(graph, {.reference = true}), pool);
    for (const Dims& dims : shapes) {
        const Tensor x = random_tensor(dims, 5), a = fast.run(std::vector{x})[0], b = slow.run(std::vector{x})[0];
        BOOST_REQUIRE(a.dims == b.dims);
        for (size_t i = 0; i < a.view<float>().size(); ++i)
            BOOST_REQUIRE_SMALL(static_cast<double>(a.view<float>()[i] - b.view<float>()[i]), 1e-4);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(weights_of_kernels)

BOOST_AUTO_TEST_CASE(are_in_memory_once) {
    if (sanitized) return;  // what is freed is kept
    constexpr int64_t n = 2048;
    constexpr double weights = 2.0 * n * n * sizeof(float) + 512 * 512 * 9 * sizeof(float);
    const Graph graph = graph_of(
        R"(%a = "onnx.MatMul"(%x, %u) : (tensor<40x2048xf32>, tensor<*xf32>) -> tensor<*xf32>
%b = "onnx.Gemm"(%a, %v) {transB = 1 : si64} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
%s = "onnx.Constant"() {value = dense<[1, 512, 8, 20]> : tensor<4xi64>} : () -> tensor<4xi64>
%c = "onnx.Reshape"(%b, %s) : (tensor<*xf32>, tensor<4xi64>) -> tensor<*xf32>
%y = "onnx.Conv"(%c, %w) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>)",
        {{"u", askew(random_tensor({n, n}, 1))}, {"v", askew(random_tensor({n, n}, 2))}, {"w", askew(random_tensor({512, 512, 3, 3}, 3))}});
    ThreadPool pool(1);
    const double before = resident_bytes();
    Session session(Program::compile(graph, {}), pool);
    for (int i = 0; i < 2; ++i) session.run(std::vector{random_tensor({40, n}, 4)});
    BOOST_TEST(resident_bytes() - before < 1.4 * weights);
}

BOOST_AUTO_TEST_CASE(serve_all_shapes_and_the_reference_of_empty_ones) {
    const Graph product = graph_of(R"(%y = "onnx.MatMul"(%x, %u) : (tensor<?{n}x33xf32>, tensor<*xf32>) -> tensor<*xf32>)",
                                   {{"u", askew(random_tensor({33, 47}, 1))}});
    compare(product, {{1, 33}, {40, 33}, {0, 33}, {3, 33}, {300, 33}});
    const Graph conv = graph_of(R"(%y = "onnx.Conv"(%x, %w) : (tensor<?{n}x5x?{h}x9xf32>, tensor<*xf32>) -> tensor<*xf32>)",
                                {{"w", askew(random_tensor({19, 5, 3, 3}, 1))}});
    compare(conv, {{1, 5, 9, 9}, {0, 5, 9, 9}, {2, 5, 40, 9}, {1, 5, 3, 9}, {1, 5, 9, 9}});
}

BOOST_AUTO_TEST_CASE(of_which_rows_are_copied_are_read_where_they_lie) {
    const Tensor table = random_tensor({50000, 96}, 1);
    const Graph graph = graph_of(R"(%y = "onnx.Gather"(%t, %x) : (tensor<*xf32>, tensor<3xi64>) -> tensor<*xf32>)", {{"t", askew(table)}});
    ThreadPool pool(1);
    const double before = resident_bytes();
    Session session(Program::compile(graph, {}), pool);
    const Tensor y = session.run(std::vector{Tensor::make<int64_t>({3}, std::vector<int64_t>{49999, 0, 7})})[0];
    for (size_t i = 0; i < 96; ++i) BOOST_REQUIRE(y.view<float>()[i] == table.view<float>()[49999 * 96 + i]);
    BOOST_TEST((sanitized || resident_bytes() - before < 0.2 * static_cast<double>(table.data.size())));
}

BOOST_AUTO_TEST_SUITE_END()
