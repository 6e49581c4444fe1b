// Scales and zero points of weights in blocks: by hand, of odd sizes, of every width, and of hostile numbers.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "libcore/base/error.h"
#include "libcore/graph/quantize.h"
#include "libcore/quant/assign/weights.h"

using namespace quern;

namespace {

Tensor normal_matrix(Dims dims, float mean = 0) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal(mean, 1);
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    for (float& item : items) item = normal(random);
    return Tensor::make<float>(std::move(dims), items);
}

WeightSpec asymmetric(DType storage, int axis, int64_t block, bool clip = false) {
    return {.storage = storage, .symmetric = false, .axis = axis, .block = block, .clip = clip};
}

double db_of(const Tensor& weight, const WeightSpec& spec) {
    const Encoding e = weight_encoding(weight, spec);
    return weight_sqnr_db(weight, quantize(weight, e), e);
}

constexpr std::array narrow{DType::u2, DType::i2, DType::u4, DType::i4, DType::u8, DType::i8};

}  // namespace

BOOST_AUTO_TEST_SUITE(quant_weights)

// Two columns of five weights in blocks of two along the rows; the last block has one.
BOOST_AUTO_TEST_CASE(asymmetric_blocks_by_hand) {
    const Tensor weight = Tensor::make<float>({5, 2}, std::vector<float>{-1, 0, 2, 0, 3, 0.25f, 0, 0.6f, -6, 1.5f});
    const Encoding e = weight_encoding(weight, asymmetric(DType::u2, 0, 2));
    BOOST_TEST((e.scale.dims == Dims{3, 2} && e.zero.dims == Dims{3, 2} && e.zero.dtype == DType::u2 && e.block == 2 && e.axis == 0));
    BOOST_TEST(to_floats(e.scale) == (std::vector<float>{1, 1, 1, 0.2f, 2, 0.5f}), boost::test_tools::per_element());
    BOOST_TEST(e.zeros() == (std::vector<int64_t>{1, 0, 0, 0, 3, 0}), boost::test_tools::per_element());
    const Tensor codes = quantize(weight, e);
    BOOST_TEST(to_ints(codes) == (std::vector<int64_t>{0, 0, 3, 0, 3, 1, 0, 3, 0, 3}), boost::test_tools::per_element());
    BOOST_TEST(codes.data.size() == 3u);  // ten codes of two bits
    const auto back = to_floats(dequantize(codes, e));
    const std::vector<float> want{-1, 0, 2, 0, 3, 0.2f, 0, 0.6f, -6, 1.5f};
    for (size_t i = 0; i < want.size(); ++i) BOOST_TEST(std::abs(back[i] - want[i]) < 1e-6f);
}

// No number is farther from what its code stands for than the rounding of code and zero point make it.
BOOST_AUTO_TEST_CASE(every_width_block_and_odd_size_is_within_a_step) {
    for (const DType storage : narrow)
        for (const int64_t block : {1, 3, 16, 32, 64, 128, 256})
            for (const Dims& dims : {Dims{1, 1}, {17, 3}, {300, 5}, {7, 259}})
                for (const int axis : {0, 1}) {
                    BOOST_TEST_INFO_SCOPE(name_of(storage) << " blocks of " << block << " of " << to_string(dims) << " along " << axis);
                    const Tensor weight = normal_matrix(dims, 0.5f);
                    const Encoding e = weight_encoding(weight, asymmetric(storage, axis, block));
                    const Tensor codes = quantize(weight, e);
                    BOOST_TEST(codes.data.size() == storage_size(storage, static_cast<uint64_t>(count_of(dims))));
                    const auto want = to_floats(weight), got = to_floats(dequantize(codes, e)), scales = to_floats(e.scale);
                    const int64_t blocks = e.scale.dims[1];
                    size_t far = 0;
                    for (int64_t i = 0; i < weight.count(); ++i) {
                        const int64_t row = i / dims[1], column = i % dims[1];
                        const int64_t k = axis == 0 ? row / block * blocks + column : row * blocks + column / block;
                        far +=
                            std::abs(want[static_cast<size_t>(i)] - got[static_cast<size_t>(i)]) > 1.0001f * scales[static_cast<size_t>(k)];
                    }
                    BOOST_TEST(far == 0u);
                }
}

BOOST_AUTO_TEST_CASE(zero_points_keep_more_of_weights_with_a_mean) {
    const Tensor weight = normal_matrix({256, 16}, 2);
    for (const auto& [plain, offset] : {std::pair{DType::i2, DType::u2}, {DType::i4, DType::u4}, {DType::i8, DType::u8}}) {
        const double symmetric = db_of(weight, {.storage = plain, .axis = 0, .block = 32});
        BOOST_TEST(db_of(weight, asymmetric(offset, 0, 32, true)) > symmetric + 1, name_of(offset));
    }
}

BOOST_AUTO_TEST_CASE(clipping_helps_few_codes_and_never_hurts) {
    const Tensor weight = normal_matrix({256, 16});
    for (const DType storage : {DType::u2, DType::i2, DType::u4, DType::i4})
        for (const bool symmetric : {true, false})
            for (const int64_t block : {16, 64, 256}) {
                const auto db = [&](bool clip) { return db_of(weight, {storage, symmetric, 0, block, 0, false, clip}); };
                BOOST_TEST(db(true) > db(false) + (bits_of(storage) == 2 ? 0.5 : 0), name_of(storage) << ", blocks of " << block);
            }
}

BOOST_AUTO_TEST_CASE(hostile_numbers) {
    constexpr float big = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
    for (const DType storage : narrow)
        for (const bool symmetric : {true, false})
            for (const bool clip : {true, false})
                for (const std::vector<float>& numbers :
                     {std::vector<float>{0, 0, 0, 0}, {big, -big, big, 1}, {tiny, -tiny, 0, tiny}, {-5, -5, 7, 7}, {1, 1, -0.0f, 0}}) {
                    const WeightSpec spec{storage, symmetric, 0, 2, 0, false, clip};
                    const Tensor weight = Tensor::make<float>({4, 1}, numbers);
                    const Encoding e = weight_encoding(weight, spec);
                    for (const float scale : to_floats(e.scale)) BOOST_TEST((std::isfinite(scale) && scale > 0));
                    for (const int64_t zero : e.zeros()) BOOST_TEST((zero >= e.qmin && zero <= e.qmax));
                    for (const float number : to_floats(dequantize(quantize(weight, e), e))) BOOST_TEST(!std::isnan(number));
                }
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
        BOOST_CHECK_THROW(weight_encoding(Tensor::make<float>({2, 1}, std::vector<float>{1, bad}), asymmetric(DType::u4, 0, 2)), Error);
}

BOOST_AUTO_TEST_SUITE_END()
