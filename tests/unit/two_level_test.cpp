// Two-level scales of blocks (LPBQ): exact products, back from them, and through files of encodings.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "libcore/base/error.h"
#include "libcore/graph/quantize.h"
#include "libcore/quant/algorithms/type_spec.h"
#include "libcore/quant/assign/assign.h"
#include "libcore/quant/assign/weights.h"
#include "libcore/quant/encodings/encodings_json.h"
#include "libcore/quant/types/two_level.h"
#include "tests/common/graph_of.h"

using namespace quern;

namespace {

Tensor normal_matrix(Dims dims) {
    std::mt19937 random(11);
    std::normal_distribution<float> normal(0, 1);
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    for (float& item : items) item = normal(random);
    return Tensor::make<float>(std::move(dims), items);
}

Encoding encoded(const Tensor& weight, int axis, int64_t block) {
    WeightSpec spec{.storage = DType::i4, .axis = axis, .block = block};
    spec.two_level = true;
    return weight_encoding(weight, spec);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(two_levels)

// Two channels of three blocks: 16, 12 and 4 sixteenths of 1.5; 16, 1 (not 0) and 8 of 32.
BOOST_AUTO_TEST_CASE(by_hand) {
    std::vector<float> scales{1.5f, 1.1f, 0.37f, 32, 0.01f, 15.2f};
    make_two_level(scales, {2, 3}, 1, 0);
    BOOST_TEST(scales == (std::vector<float>{1.5f, 12 * 0.09375f, 4 * 0.09375f, 32, 2, 16}), boost::test_tools::per_element());
    Encoding e = make_encoding(DType::i4, Tensor::make<float>({2, 3}, scales), {}, 1);
    e.block = 32;
    const auto levels = two_level_of(e, scales);
    BOOST_TEST_REQUIRE(levels.has_value());
    BOOST_TEST(levels->channels == (std::vector<float>{0.09375f, 2}), boost::test_tools::per_element());
    BOOST_TEST(levels->integers == (std::vector<int64_t>{16, 12, 4, 16, 1, 8}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_scale_is_an_exact_product_along_either_axis) {
    for (const int axis : {0, 1})
        for (const int64_t block : {1, 16, 64, 256})
            for (const Dims& dims : {Dims{70, 33}, {300, 5}, {1, 1}}) {
                BOOST_TEST_INFO_SCOPE("blocks of " << block << " of " << to_string(dims) << " along " << axis);
                const Encoding e = encoded(normal_matrix(dims), axis, block);
                const auto scales = to_floats(e.scale);
                const auto levels = two_level_of(e, scales);
                BOOST_TEST_REQUIRE(levels.has_value());
                BOOST_TEST(levels->channels.size() == static_cast<size_t>(dims[static_cast<size_t>(1 - axis)]));
                for (size_t i = 0; i < scales.size(); ++i) {
                    BOOST_TEST((levels->integers[i] >= 1 && levels->integers[i] <= two_level_most));
                    const auto channel = static_cast<double>(levels->channels[channel_of_block(e.scale.dims, axis, i)]);
                    BOOST_TEST(static_cast<double>(levels->integers[i]) * channel == static_cast<double>(scales[i]));
                }
            }
}

BOOST_AUTO_TEST_CASE(costs_little_beside_float_scales) {
    const Tensor weight = normal_matrix({512, 16});
    const auto db = [&](const Encoding& e) { return weight_sqnr_db(weight, quantize(weight, e), e); };
    const double two = db(encoded(weight, 0, 64)), one = db(weight_encoding(weight, {.storage = DType::i4, .axis = 0, .block = 64}));
    BOOST_TEST(two > one - 0.5);
    BOOST_TEST(two > db(weight_encoding(weight, {.storage = DType::i4, .axis = 1})) + 0.5);
}

BOOST_AUTO_TEST_CASE(other_encodings_are_not_taken_for_it) {
    const Tensor weight = normal_matrix({512, 16});
    const Encoding plain = weight_encoding(weight, {.storage = DType::i4, .axis = 0, .block = 64});
    BOOST_TEST(!two_level_of(plain, to_floats(plain.scale)).has_value());
    Encoding wide = encoded(weight, 0, 64);
    wide.storage = DType::i8;
    BOOST_TEST(!two_level_of(wide, to_floats(wide.scale)).has_value());
}

BOOST_AUTO_TEST_CASE(hostile_numbers) {
    constexpr float big = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
    for (const std::vector<float>& numbers :
         {std::vector<float>{0, 0, 0, 0}, {big, -1, 1, 0}, {tiny, tiny, -tiny, 0}, {big, big, tiny, 0}}) {
        const Encoding e = encoded(Tensor::make<float>({4, 1}, numbers), 0, 2);
        for (const float scale : to_floats(e.scale)) BOOST_TEST((std::isfinite(scale) && scale > 0));
        BOOST_TEST(two_level_of(e, to_floats(e.scale)).has_value());
    }
}

BOOST_AUTO_TEST_CASE(files_say_both_levels) {
    for (const int axis : {0, 1}) {
        Graph graph;
        const Tensor weight = normal_matrix({70, 9});
        const Encoding e = encoded(weight, axis, 32);
        const ValueId id = graph.add_constant("w", quantize(weight, e));
        graph.value(id).type.dtype = DType::f32;
        graph.value(id).enc = e;
        for (const std::string_view version : {"1.0.0", "2.0.0"}) {
            const std::string text = write_encodings(graph, version);
            BOOST_TEST((text.find("per_block_int_scale") != std::string::npos), text);
            const Encoding back = override_encoding(parse_encodings(text).at("w"), weight.dims, 1 - axis, "w");
            BOOST_TEST((back.axis == axis && back.block == 32 && back.storage == DType::i4));
            BOOST_TEST((back.qmin == -8 && back.qmax == 7 && back.symmetric()));
            BOOST_TEST(to_floats(back.scale) == to_floats(e.scale), boost::test_tools::per_element());
        }
    }
}

// Algorithms that change the float graph judge by the scales that the weight will have.
BOOST_AUTO_TEST_CASE(algorithms_judge_by_both_levels) {
    const Graph graph = graph_of(R"(%y = "onnx.MatMul"(%x, %w) : (tensor<2x64xf32>, tensor<64x3xf32>) -> tensor<2x3xf32>)",
                                 {{"w", normal_matrix({64, 3})}});
    const auto spec_of = [&](std::string_view type) {
        const QuantRequest request{.scheme = &scheme_named(type)};
        return type_spec(graph, layers_of(graph).at(0), *request.scheme, QuantWork(request)).value();
    };
    const WeightSpec both = spec_of("w4a16-lpbq"), one = spec_of("w4a16");
    BOOST_TEST((both.two_level && both.block > 0 && both.axis == 0));
    BOOST_TEST((!one.two_level && one.block > 0 && one.axis == 0));
}

BOOST_AUTO_TEST_SUITE_END()
