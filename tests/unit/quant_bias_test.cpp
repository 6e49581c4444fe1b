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

BOOST_AUTO_TEST_SUITE_END()
