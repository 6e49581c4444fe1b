// One function, however a model names it, gives the same bits: the reference's rows of all domains, fused nodes and gates.
#include <fmt/format.h>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "formats/text/text.h"
#include "libcore/exec/session.h"

using namespace quern;

namespace {

// Numbers of all sizes, infinities and NaN; -0 is left out, which a sum with 0 makes 0.
Tensor sweep() {
    std::vector<float> items{0.0f};
    for (uint64_t bits = 1; bits < (uint64_t{1} << 32); bits += 100003) items.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    for (int i = -4000; i <= 4000; ++i) items.push_back(static_cast<float>(i) * 0.0031f);
    return Tensor::vector(std::span<const float>(items));
}

// What the statements make of %x, any of tensor<?xTYPE>, by the reference; the result is %y.
std::vector<double> results(const std::string& statements, const Tensor& x) {
    const std::string type = x.dtype == DType::f64 ? "f64" : "f32";
    std::string text = fmt::format("func.func @net(%x: tensor<{0}x{1}>) -> tensor<{0}x{1}> {{\n{2}\n  return %y : tensor<{0}x{1}>\n}}\n",
                                   x.count(), type, statements);
    for (const auto& [mark, value] : {std::pair("@T", fmt::format("tensor<{}x{}>", x.count(), type)),
                                      std::pair("@N", fmt::format("{}", x.count())), std::pair("@E", type)})
        for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) text.replace(at, 2, value);
    Graph graph = parse_text(text).graph;
    ThreadPool pool(1);
    Session session(Program::compile(graph, {.mode = Mode::floating, .reference = true}), pool);
    return to_doubles(session.run(std::vector<Tensor>{x}).at(0));
}

std::string unary(std::string_view op, std::string_view attributes = {}) {
    return fmt::format("  %y = \"{}\"(%x) {{{}}} : (@T) -> @T", op, attributes);
}

void check_same(const std::string& a, const std::string& b, const Tensor& x) {
    const std::vector<double> left = results(a, x), right = results(b, x);
    BOOST_TEST(left.size() == static_cast<size_t>(x.count()));
    BOOST_REQUIRE(left.size() == right.size());
    size_t different = 0, numbers = 0;
    for (size_t i = 0; i < left.size(); ++i) {
        numbers += left[i] == left[i];
        different += std::bit_cast<uint64_t>(left[i]) != std::bit_cast<uint64_t>(right[i]) && (left[i] == left[i] || right[i] == right[i]);
    }
    BOOST_TEST(numbers > left.size() / 2);
    BOOST_TEST(different == 0, fmt::format("{} of {} numbers differ:\n{}\n{}", different, left.size(), a, b));
}

// Nodes that compute x * 1, and then a function by itself or fused.
struct Activation {
    std::string_view op, own, gemm, conv, gate;  // attributes by themselves and in FusedGemm, FusedConv, RNN; gate: none
};
constexpr std::array activations{
    Activation{"Tanh", "", "", "", " "},
    Activation{"Sigmoid", "", "", "", " "},
    Activation{"Relu", "", "", "", " "},
    Activation{"LeakyRelu", "alpha = 0.2 : f32", ", activation_alpha = 0.2 : f32", ", activation_params = [0.2 : f32]",
               ", activation_alpha = [0.2 : f32]"},
    Activation{"HardSigmoid", "alpha = 0.3 : f32, beta = 0.4 : f32", ", activation_alpha = 0.3 : f32, activation_beta = 0.4 : f32",
               ", activation_params = [0.3 : f32, 0.4 : f32]", ", activation_alpha = [0.3 : f32], activation_beta = [0.4 : f32]"},
};

constexpr std::string_view shapes = R"(
  %column = "onnx.Constant"() {value = dense<[-1, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %pixels = "onnx.Constant"() {value = dense<[1, 1, -1, 1]> : tensor<4xi64>} : () -> tensor<4xi64>
  %batch = "onnx.Constant"() {value = dense<[1, -1, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
  %flat = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
)";

std::string around(std::string_view shape, std::string_view type, const std::string& inner) {
    return fmt::format(
        "{0}  %x1 = \"onnx.Reshape\"(%x, %{1}) : (@T, tensor<{2}xi64>) -> {3}\n{4}\n  %y = \"onnx.Reshape\"(%y1, %flat) : ({3}, "
        "tensor<1xi64>) -> @T",
        shapes, shape,
        shape == "column"   ? 2
        : shape == "pixels" ? 4
                            : 3,
        type, inner);
}

std::string product(std::string_view op, std::string_view attributes) {
    return fmt::format(
        "  %w = \"onnx.Constant\"() {{value = dense<1.0> : tensor<1x1x@E>}} : () -> tensor<1x1x@E>\n"
        "  %y1 = \"{}\"(%x1, %w) {{{}}} : (tensor<@Nx1x@E>, tensor<1x1x@E>) -> tensor<@Nx1x@E>",
        op, attributes);
}
std::string convolution(std::string_view op, std::string_view attributes) {
    return fmt::format(
        "  %w = \"onnx.Constant\"() {{value = dense<1.0> : tensor<1x1x1x1x@E>}} : () -> tensor<1x1x1x1x@E>\n"
        "  %y1 = \"{}\"(%x1, %w) {{{}}} : (tensor<1x1x@Nx1x@E>, tensor<1x1x1x1x@E>) -> tensor<1x1x@Nx1x@E>",
        op, attributes);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(activation)

BOOST_AUTO_TEST_CASE(both_domains) {
    const Tensor floats = sweep();
    for (const Tensor& x : {floats, from_doubles(DType::f64, floats.dims, to_doubles(floats))}) {
        check_same(unary("onnx.Gelu"), unary("com.microsoft.Gelu"), x);
        check_same(unary("onnx.Gelu", "approximate = \"tanh\""), unary("com.microsoft.FastGelu"), x);
        check_same(unary("onnx.Swish", "alpha = 1.5 : f32"), unary("com.microsoft.QuickGelu", "alpha = 1.5 : f32"), x);
    }
}

BOOST_AUTO_TEST_CASE(with_a_bias) {
    const Tensor x = sweep();
    const std::string bias = "  %c = \"onnx.Constant\"() {value = dense<0.7> : tensor<1xf32>} : () -> tensor<1xf32>\n",
                      sum = bias + "  %s = \"onnx.Add\"(%x, %c) : (@T, tensor<1xf32>) -> @T\n";
    const auto own = [&](std::string_view attributes) {
        return sum + fmt::format("  %y = \"onnx.Gelu\"(%s) {{{}}} : (@T) -> @T", attributes);
    };
    const auto fused = [&](std::string_view op) {
        return around("column", "tensor<@Nx1x@E>",
                      bias + fmt::format("  %y1 = \"{}\"(%x1, %c) : (tensor<@Nx1x@E>, tensor<1xf32>) -> tensor<@Nx1x@E>", op));
    };
    check_same(own(""), fused("com.microsoft.BiasGelu"), x);
    check_same(own("approximate = \"tanh\""), fused("com.microsoft.FastGelu"), x);
}

BOOST_AUTO_TEST_CASE(fused_nodes) {
    const Tensor x = sweep();
    for (const Activation& a : activations) {
        const std::string own = unary(fmt::format("onnx.{}", a.op), a.own);
        check_same(
            own,
            around("column", "tensor<@Nx1x@E>", product("com.microsoft.FusedGemm", fmt::format("activation = \"{}\"{}", a.op, a.gemm))), x);
        check_same(own,
                   around("pixels", "tensor<1x1x@Nx1x@E>",
                          convolution("com.microsoft.FusedConv", fmt::format("activation = \"{}\"{}", a.op, a.conv))),
                   x);
    }
}

BOOST_AUTO_TEST_CASE(gates) {
    const Tensor x = sweep();
    for (const Activation& a : activations)
        check_same(
            unary(fmt::format("onnx.{}", a.op), a.own),
            around("batch", "tensor<1x@Nx1x@E>",
                   fmt::format("  %w = \"onnx.Constant\"() {{value = dense<1.0> : tensor<1x1x1xf32>}} : () -> tensor<1x1x1xf32>\n"
                               "  %r = \"onnx.Constant\"() {{value = dense<0.0> : tensor<1x1x1xf32>}} : () -> tensor<1x1x1xf32>\n"
                               "  %none = \"onnx.NoValue\"() : () -> none\n"
                               "  %all, %y1 = \"onnx.RNN\"(%x1, %w, %r) {{hidden_size = 1 : si64, activations = [\"{}\"]{}}} : "
                               "(tensor<1x@Nx1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x@Nx1xf32>, tensor<1x@Nx1xf32>)",
                               a.op, a.gate)),
            x);
    check_same(unary("onnx.Swish"),
               "  %c = \"onnx.Constant\"() {value = dense<1.0> : tensor<1xf32>} : () -> tensor<1xf32>\n"
               "  %y = \"onnx.SwiGLU\"(%x, %c) : (@T, tensor<1xf32>) -> @T",
               x);
}

BOOST_AUTO_TEST_SUITE_END()
