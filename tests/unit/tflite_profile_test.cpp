// The tflite profile: fixed-point arithmetic, and operators on codes worked out by hand.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "formats/text/text.h"
#include "libcore/exec/session.h"
#include "libcore/integer/functions.h"
#include "libcore/integer/rounding.h"
#include "libcore/ops/integer/fixed_point.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/os/threads.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(tflite_profile)

namespace {

std::vector<float> run(const std::string& body, const Tensor& input, const std::string& profile = "tflite") {
    const Model model =
        parse_text("module attributes {quern.metadata = {profile = \"" + profile + "\"}} {\n  func.func @main" + body + "\n}\n");
    ThreadPool pool(1);
    Session session(Program::compile(model.graph, {.mode = Mode::integer}), pool);
    return to_floats(session.run(std::vector<Tensor>{input}).at(0));
}

std::string encoding(const std::string& scale, int zero) {
    return "quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<" + scale + "> : tensor<f32>, zero = dense<" +
           std::to_string(zero) + "> : tensor<i8>}]";
}

}  // namespace

BOOST_AUTO_TEST_CASE(fixed_point) {
    const auto times = [](const FixedFactor& f, int32_t x) { return scaled(x, f.factor, f.shift); };
    const auto wide = [](const FixedFactor& f, int64_t x) { return scaled_wide(x, f.factor, f.shift); };
    const FixedFactor half = FixedFactor::of(0.5), three = FixedFactor::of(3);
    BOOST_TEST(half.factor == 1 << 30);
    BOOST_TEST(half.shift == 0);
    BOOST_TEST(three.shift == 2);
    BOOST_TEST(times(half, 3) == 2);  // ties up
    BOOST_TEST(times(half, -3) == -1);
    BOOST_TEST(times(three, 7) == 21);
    BOOST_TEST(times(FixedFactor::of(0), 100) == 0);
    BOOST_TEST(wide(FixedFactor::of(0.25), 6) == 2);  // ties up
    BOOST_TEST(wide(FixedFactor::of(0.25), -6) == -1);
    BOOST_TEST(rounded_shift(-5, 1) == -3);
    BOOST_TEST(rounded_shift(5, 1) == 3);
    BOOST_TEST(rounded_shift(7, 0) == 7);
    constexpr int32_t least = std::numeric_limits<int32_t>::min(), greatest = std::numeric_limits<int32_t>::max();
    BOOST_TEST(high_product(least, least) == greatest);
    BOOST_TEST(saturated_shift(1 << 30, 1) == greatest);
}

BOOST_AUTO_TEST_CASE(exponentials_and_reciprocals) {
    constexpr double one = 2147483648.0;
    BOOST_TEST(exp_of_negative(0) == std::numeric_limits<int32_t>::max());
    for (const double x : {-0.01, -0.25, -0.3, -1.0, -2.7, -9.5, -20.0}) {
        const auto raw = static_cast<int32_t>(std::lround(x * (1 << 26)));
        BOOST_TEST(std::abs(exp_of_negative(raw) / one - std::exp(x)) < 1e-6);
    }
    for (const double x : {0.0, 0.1, 0.5, 0.999})
        BOOST_TEST(std::abs(reciprocal_of_one_plus(static_cast<int32_t>(x * one)) / one - 1 / (1 + x)) < 1e-6);
}

BOOST_AUTO_TEST_CASE(rounding_differs_from_onnx) {
    // Codes 1 and 3 at half the scale: 0.5 and 1.5 steps, up here and to even there.
    const std::string recode = "(%x: tensor<4xf32> {" + encoding("1.0", 0) + "}) -> (tensor<4xf32>) {\n    %y = \"quern.Recode\"(%x) {" +
                               encoding("2.0", 0) + "} : (tensor<4xf32>) -> tensor<4xf32>\n    onnx.Return %y : tensor<4xf32>\n  }";
    const Tensor x = Tensor::vector<float>(std::vector<float>{1, 3, 5, -1});
    BOOST_TEST(run(recode, x) == (std::vector<float>{2, 4, 6, 0}), boost::test_tools::per_element());
    BOOST_TEST(run(recode, x, "onnx") == (std::vector<float>{0, 4, 4, 0}), boost::test_tools::per_element());
    BOOST_CHECK_THROW(run(recode, x, "tflight"), Error);
}

BOOST_AUTO_TEST_CASE(means_round_away_from_zero) {
    const std::string pool = "(%x: tensor<1x1x1x4xf32> {" + encoding("1.0", 0) +
                             "}) -> (tensor<1x1x1x2xf32>) {\n    %y = \"onnx.AveragePool\"(%x) {kernel_shape = [1, 2], strides = [1, 2], " +
                             encoding("1.0", 0) +
                             "} : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x2xf32>\n    onnx.Return %y : tensor<1x1x1x2xf32>\n  }";
    const Tensor x = Tensor::make<float>({1, 1, 1, 4}, std::vector<float>{0, 1, -1, -2});
    BOOST_TEST(run(pool, x) == (std::vector<float>{1, -2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(activations_of_hybrid_products_are_rounded) {
    // Rows of 127 and 2 as greatest numbers: steps of 1 and of 2 / 127, in which 0.4 is 25.4, so 25.
    const std::string gemm =
        "(%x: tensor<2x2xf32>) -> (tensor<2x1xf32>) {\n    %w = \"onnx.Constant\"() {" + encoding("0.5", 0) +
        ", value = dense<[[2, 4]]> : tensor<1x2xi8>} : () -> tensor<1x2xf32>\n    %b = \"onnx.Constant\"() {value = dense<[10.0]> : "
        "tensor<1xf32>} : () -> tensor<1xf32>\n    %y = \"onnx.Gemm\"(%x, %w, %b) {transB = 1 : si64} : (tensor<2x2xf32>, tensor<1x2xf32>, "
        "tensor<1xf32>) -> tensor<2x1xf32>\n    onnx.Return %y : tensor<2x1xf32>\n  }";
    const auto y = run(gemm, Tensor::make<float>({2, 2}, std::vector<float>{127, 3.4f, 2, 0.4f}));
    BOOST_TEST(y[0] == 127 + 2 * 3 + 10);
    BOOST_TEST(y[1] == static_cast<float>(2 * 127 + 4 * 25) * (2.0f / 127 * 0.5f) + 10);
}

BOOST_AUTO_TEST_CASE(activations_of_hybrid_recurrence_are_rounded) {
    // Steps of 1 for a row of 127 and 3.4, whose codes are 127 and 3; the first result, 133, is a code of 127 steps, too.
    const auto rnn = [](const std::string& asymmetric) {
        const std::string form =
            ", activations = [\"Affine\"], activation_alpha = [1.0], activation_beta = [0.0], hidden_size = 1 : si64, layout = 1 : si64";
        return "(%x: tensor<1x2x2xf32>) -> (tensor<1x2x1x1xf32>) {\n    %w = \"onnx.Constant\"() {" + encoding("0.5", 0) +
               ", value = dense<[[[2, 4]]]> : tensor<1x1x2xi8>} : () -> tensor<1x1x2xf32>\n    %r = \"onnx.Constant\"() {" +
               encoding("0.25", 0) +
               ", value = dense<[[[2]]]> : tensor<1x1x1xi8>} : () -> tensor<1x1x1xf32>\n    %y = \"onnx.RNN\"(%x, %w, %r) {" + asymmetric +
               form.substr(2) +
               "} : (tensor<1x2x2xf32>, tensor<1x1x2xf32>, tensor<1x1x1xf32>) -> tensor<1x2x1x1xf32>\n    onnx.Return %y : "
               "tensor<1x2x1x1xf32>\n  }";
    };
    const Tensor x = Tensor::make<float>({1, 2, 2}, std::vector<float>{127, 3.4f, 0, 0});
    const auto y = run(rnn(""), x), shifted = run(rnn("asymmetric_quantize_inputs = 1 : si64, "), x);
    BOOST_TEST(y[0] == (2 * 127 + 4 * 3) * 0.5f);
    BOOST_TEST(y[1] == (2 * 127) * (133.0f / 127 * 0.25f));
    // 255 steps from 0 to 127: 3.4 is 6.8 of them.
    BOOST_TEST(shifted[0] == (2 * 255 + 4 * 7) * (static_cast<float>(127.0 / 255) * 0.5f));
}

BOOST_AUTO_TEST_CASE(channels_last_convolution_on_codes) {
    // Two pixels of two channels; outputs are a + 2 b and b, in steps of 2: ties to even in onnx, up in tflite.
    const std::string conv =
        "(%x: tensor<1x1x2x2xf32> {" + encoding("1.0", 0) + "}) -> (tensor<1x1x2x2xf32>) {\n    %w = \"onnx.Constant\"() {" +
        encoding("1.0", 0) +
        ", value = dense<[[[[1, 2]]], [[[0, 1]]]]> : tensor<2x1x1x2xi8>} : () -> tensor<2x1x1x2xf32>\n    %y = "
        "\"onnx.Conv\"(%x, %w) {layout = \"NHWC\", " +
        encoding("2.0", 0) +
        "} : (tensor<1x1x2x2xf32>, tensor<2x1x1x2xf32>) -> tensor<1x1x2x2xf32>\n    onnx.Return %y : tensor<1x1x2x2xf32>\n  }";
    const Tensor x = Tensor::make<float>({1, 1, 2, 2}, std::vector<float>{3, 1, -4, 5});
    BOOST_TEST(run(conv, x, "onnx") == (std::vector<float>{4, 0, 6, 4}), boost::test_tools::per_element());
    BOOST_TEST(run(conv, x) == (std::vector<float>{6, 2, 6, 6}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(scales_that_do_not_fit_are_refused) {
    const auto gemm = [](const std::string& axis, const std::string& scales, int count) {
        const std::string n = std::to_string(count);
        return "(%x: tensor<1x2xf32> {" + encoding("1.0", 0) +
               "}) -> (tensor<1x2xf32>) {\n    %w = \"onnx.Constant\"() {quern.encoding = [{storage = i8, " + axis +
               "qmin = -128, qmax = 127, scale = dense<" + scales + "> : tensor<" + n +
               "xf32>}], value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>} : () -> tensor<2x2xf32>\n    %y = \"onnx.Gemm\"(%x, %w) {transB "
               "= 1 : si64, " +
               encoding("1.0", 0) + "} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>\n    onnx.Return %y : tensor<1x2xf32>\n  }";
    };
    const Tensor x = Tensor::make<float>({1, 2}, std::vector<float>{1, 1});
    BOOST_TEST(run(gemm("axis = 0, ", "[1.0, 2.0]", 2), x) == (std::vector<float>{3, 14}), boost::test_tools::per_element());
    BOOST_CHECK_THROW(run(gemm("axis = 0, ", "[1.0, 2.0, 3.0]", 3), x), Error);
}

BOOST_AUTO_TEST_CASE(padding_is_the_real_zero) {
    const std::string pad =
        "(%x: tensor<1xf32> {" + encoding("0.5", 7) +
        "}) -> (tensor<3xf32>) {\n    %p = \"onnx.Constant\"() {value = dense<[1, 1]> : tensor<2xi64>} : () -> tensor<2xi64>\n"
        "    %y = \"onnx.Pad\"(%x, %p) {" +
        encoding("0.5", 7) + "} : (tensor<1xf32>, tensor<2xi64>) -> tensor<3xf32>\n    onnx.Return %y : tensor<3xf32>\n  }";
    for (const char* profile : {"tflite", "onnx"})
        BOOST_TEST(run(pad, Tensor::vector<float>(std::vector<float>{2}), profile) == (std::vector<float>{0, 2, 0}),
                   boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
