// Biases: codes of 64 bits, and room for the sum beside them.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "libcore/graph/quantize.h"
#include "libcore/quant/assign/weights.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(quant_bias)

namespace {

Encoding weight_of(float scale) { return make_encoding(DType::i8, Tensor::scalar(scale), {}, -1, true); }

}  // namespace

BOOST_AUTO_TEST_CASE(codes_of_64_bits_are_exact) {
    const Encoding wide = make_encoding(DType::i64, Tensor::scalar(1.0f), {});
    const Tensor codes = quantize(Tensor::vector<float>(std::vector<float>{4e9f, -4e9f, 0x1p62f, -0x1p40f, 1e30f, -1e30f}), wide);
    const std::vector<int64_t> want{4'000'000'000, -4'000'000'000, int64_t{1} << 62, -(int64_t{1} << 40), INT64_MAX, INT64_MIN};
    BOOST_TEST(to_ints(codes) == want, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(bias_and_sum_fit_together) {
    const Tensor weight = Tensor::make<float>({1, 4}, std::vector<float>{1, -1, 1, 1}),
                 bias = Tensor::vector<float>(std::vector<float>{21400.0f});
    const Encoding input = make_encoding(DType::i8, Tensor::scalar(1.0f), {}), codes = weight_of(1e-5f);
    const SumBound sum = sum_bound(weight, codes, input);
    BOOST_TEST(sum.reach == 128);
    BOOST_TEST(sum.weights.at(0) == 4);
    BOOST_TEST(bias_encoding(bias, 1.0f, codes).enlarged.empty());  // 2.14e9 steps fit alone
    const BiasEncoding found = bias_encoding(bias, 1.0f, codes, DType::i32, sum);
    BOOST_TEST(found.enlarged.size() == 1);
    const double scale = static_cast<double>(to_floats(found.weight.scale).at(0));
    BOOST_TEST((21400.0 + 4 * 128) / scale < 0x1p31);
    BOOST_TEST(bias_encoding(bias, 1.0f, codes, DType::i64, sum).enlarged.empty());
}

BOOST_AUTO_TEST_CASE(wide_biases_stay_within_what_runtimes_multiply) {
    const BiasEncoding found = bias_encoding(Tensor::vector<float>(std::vector<float>{300.0f}), 1e-6f, weight_of(1e-7f), DType::i64);
    BOOST_TEST(found.enlarged.size() == 1);
    const double steps = 300.0 / (1e-6 * static_cast<double>(to_floats(found.weight.scale).at(0)));
    BOOST_TEST(steps <= 0x1p47);
    BOOST_TEST(steps >= 0x1p46);
}

// Of filters without weights, or with none but the least of floats, any scale is right: the bias takes one that it needs.
BOOST_AUTO_TEST_CASE(biases_of_dead_channels_are_exact) {
    const Tensor weight = Tensor::make<float>({4, 2}, std::vector<float>{1, -1, 0, 0, 1e-41f, -3e-40f, 0, 0}),
                 bias = Tensor::vector<float>(std::vector<float>{0.3f, 5.0f, -0.7f, 0});
    for (const WeightSpec& spec : {WeightSpec{.axis = 0}, WeightSpec{.storage = DType::u8, .symmetric = false, .axis = 0}})
        for (const DType storage : {DType::i32, DType::i64}) {
            const float input_scale = 0.02f;
            const Encoding input = make_encoding(DType::i8, Tensor::scalar(input_scale), {}), codes = weight_encoding(weight, spec);
            const BiasEncoding found = bias_encoding(bias, input_scale, codes, storage, sum_bound(weight, codes, input));
            BOOST_TEST(found.enlarged.empty());  // nothing has become coarser
            const auto before = to_floats(codes.scale), after = to_floats(found.weight.scale);
            BOOST_TEST(after[0] == before[0]);
            BOOST_TEST(after[3] == before[3]);
            const auto numbers = to_floats(dequantize(quantize(bias, found.bias), found.bias));
            BOOST_TEST(std::fabs(numbers[0] - 0.3f) <= input_scale * before[0]);
            BOOST_TEST(std::fabs(numbers[1] - 5.0f) < 1e-6f);
            BOOST_TEST(std::fabs(numbers[2] + 0.7f) < 1e-7f);
            for (const int64_t code : to_ints(quantize(weight, found.weight)))
                BOOST_TEST((code >= found.weight.qmin && code <= found.weight.qmax));
        }
}

// A tensor of zeros has one scale, which the greatest of its biases decides.
BOOST_AUTO_TEST_CASE(biases_of_a_dead_tensor_are_exact) {
    const Tensor weight = Tensor::make<float>({2, 2}, std::vector<float>{0, 0, 0, 0}),
                 bias = Tensor::vector<float>(std::vector<float>{5.0f, 0.001f});
    const Encoding input = make_encoding(DType::i8, Tensor::scalar(0.5f), {}), codes = weight_encoding(weight, {});
    const BiasEncoding found = bias_encoding(bias, 0.5f, codes, DType::i32, sum_bound(weight, codes, input));
    const auto numbers = to_floats(dequantize(quantize(bias, found.bias), found.bias));
    BOOST_TEST(std::fabs(numbers[0] - 5.0f) < 1e-6f);
    BOOST_TEST(std::fabs(numbers[1] - 0.001f) < 1e-6f);
}

BOOST_AUTO_TEST_SUITE_END()
