// The numeric contract of encodings and of the operators that quantize.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "libcore/exec/session.h"
#include "libcore/graph/quantize.h"

using namespace quern;

namespace {

Tensor floats(Dims dims, std::vector<float> items) { return Tensor::make<float>(std::move(dims), items); }
Tensor bytes(Dims dims, std::vector<int8_t> items) { return Tensor::make<int8_t>(std::move(dims), items); }

// One node over constants and inputs; outputs of the node are those of the graph.
std::vector<Tensor> run_node(std::string_view op, const std::vector<Tensor>& in, Attrs attrs = {}, std::string_view domain = "",
                             size_t outputs = 1) {
    Graph graph;
    std::vector<ValueId> ids, made;
    for (size_t i = 0; i < in.size(); ++i)
        ids.push_back(graph.add_value("x" + std::to_string(i), Type::tensor(in[i].dtype, Shape::of(in[i].dims))));
    for (size_t i = 0; i < outputs; ++i) made.push_back(graph.add_value("y" + std::to_string(i), Type{}));
    graph.inputs = ids;
    graph.outputs = made;
    graph.add_node(find_op(op, domain), "node", ids, made, std::move(attrs));
    infer_types(graph);
    verify(graph);
    ThreadPool pool(1);
    Session session(Program::compile(graph, {.reference = true}), pool);
    return session.run(in);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quantized)

BOOST_AUTO_TEST_CASE(quantize_divides_rounds_half_to_even_and_clips) {
    const float big = std::numeric_limits<float>::infinity();
    const auto out = run_node("QuantizeLinear", {floats({8}, {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, big, -big, 1e30f}), Tensor::scalar(1.0f),
                                                 Tensor::scalar(int8_t{3})});
    BOOST_TEST(to_ints(out[0]) == std::vector<int64_t>({3, 5, 5, 3, 1, 127, -128, 127}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(whole_tensors_and_single_elements_agree) {
    std::vector<float> x{0, -0.0f, 1e-30f, 3.4e38f, -3.4e38f, std::nanf(""), std::numeric_limits<float>::infinity()};
    for (int i = -4000; i < 4000; ++i) x.push_back(static_cast<float>(i) * 0.0625f);
    for (const DType storage : {DType::i8, DType::u8, DType::i16, DType::u16})
        for (const float scale : {0.125f, 0.1f, 1e-6f, 3.0f}) {
            const int64_t zero = storage == DType::u16 ? 40000 : 5;
            const Encoding e = make_encoding(storage, Tensor::scalar(scale), from_ints(storage, {}, std::span(&zero, 1)));
            const auto codes = to_ints(quantize(floats({static_cast<int64_t>(x.size())}, x), e));
            for (size_t i = 0; i < x.size(); ++i)
                BOOST_TEST(codes[i] == quantize_one(x[i], scale, zero, e.qmin, e.qmax), name_of(storage) << " " << x[i]);
        }
}

BOOST_AUTO_TEST_CASE(blocks_have_scales_of_their_own) {
    const Tensor x = floats({2, 5}, {1, 1, 1, 1, 1, 4, 4, 4, 4, 4}), scale = floats({2, 3}, {1, 0.5f, 0.25f, 1, 2, 4});
    const auto codes =
        run_node("QuantizeLinear", {x, scale, bytes({2, 3}, {0, 0, 0, 0, 0, 1})}, {{"axis", int64_t{1}}, {"block_size", int64_t{2}}});
    BOOST_TEST(to_ints(codes[0]) == std::vector<int64_t>({1, 1, 2, 2, 4, 4, 4, 2, 2, 2}), boost::test_tools::per_element());
    const auto back = run_node("DequantizeLinear", {codes[0], scale, bytes({2, 3}, {0, 0, 0, 0, 0, 1})},
                               {{"axis", int64_t{1}}, {"block_size", int64_t{2}}});
    BOOST_TEST(to_floats(back[0]) == to_floats(x), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(scales_that_do_not_fit_are_refused) {
    const Tensor x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
    BOOST_CHECK_THROW(run_node("QuantizeLinear", {x, floats({2}, {1, 1}), bytes({2}, {0, 0})}, {{"axis", int64_t{1}}}), Error);
    BOOST_CHECK_THROW(run_node("QuantizeLinear", {x, floats({3}, {1, 1, 1}), bytes({2}, {0, 0})}, {{"axis", int64_t{1}}}), Error);
    BOOST_CHECK_THROW(run_node("QuantizeLinear", {x, Tensor::scalar(1.0f), Tensor::scalar(int8_t{0})}, {{"block_size", int64_t{-1}}}),
                      Error);
}

// As many scales in another shape are those of other elements.
BOOST_AUTO_TEST_CASE(scales_are_fitted_by_shape) {
    const auto message_of = [](const auto& fn) -> std::string {
        try {
            fn();
        } catch (const Error& error) {
            return error.message();
        }
        return "";
    };
    const Tensor codes = from_ints(DType::i8, {4, 4}, std::vector<int64_t>(16, 1)), scale = floats({4, 2}, std::vector<float>(8, 1));
    const std::string want = "(blocks of 2 along axis 0 of [4,4])";
    const Attrs blocks{{"axis", int64_t{0}}, {"block_size", int64_t{2}}};
    BOOST_TEST(message_of([&] {
                   run_node("DequantizeLinear", {codes, scale}, blocks);
               }) == "node \"node\" (DequantizeLinear): has scales [4,2], need [2,4] " + want);
    BOOST_TEST(message_of([&] {
                   run_node("QuantizeLinear", {floats({4, 4}, std::vector<float>(16, 1)), scale}, blocks);
               }) == "node \"node\" (QuantizeLinear): has scales [4,2], need [2,4] " + want);
    BOOST_TEST(message_of([&] {
                   run_node("DequantizeLinear", {codes, floats({2, 4}, std::vector<float>(8, 1)), bytes({4, 2}, std::vector<int8_t>(8, 0))},
                            blocks);
               }) == "node \"node\" (DequantizeLinear): has zero points [4,2], need [2,4] " + want);
    BOOST_TEST(message_of([&] {
                   run_node("DequantizeLinear", {codes, floats({1, 4}, {1, 1, 1, 1})}, {{"axis", int64_t{1}}});
               }) == "node \"node\" (DequantizeLinear): has scales [1,4], need [4]");
    Graph graph;
    const ValueId w = graph.add_constant("w", codes);
    graph.value(w).type.dtype = DType::f32;
    graph.value(w).enc = make_encoding(DType::i8, scale, {}, 0);
    graph.value(w).enc->block = 2;
    BOOST_TEST(message_of([&] { verify(graph); }) == "value \"w\": has scales [4,2], need [2,4] " + want);
    graph.value(w).enc->scale = floats({2, 4}, std::vector<float>(8, 1));
    BOOST_TEST(message_of([&] { verify(graph); }) == "");
    const Attrs weights{{"K", int64_t{32}}, {"N", int64_t{8}}, {"bits", int64_t{4}}, {"block_size", int64_t{16}}};
    BOOST_TEST(message_of([&] {
                   run_node("MatMulNBits",
                            {floats({1, 32}, std::vector<float>(32, 1)), from_ints(DType::u8, {8, 2, 8}, std::vector<int64_t>(128, 0)),
                             floats({2, 8}, std::vector<float>(16, 1))},
                            weights, "com.microsoft");
               }) == "node \"node\" (MatMulNBits): scales are [2,8], need [8,2]");
}

BOOST_AUTO_TEST_CASE(dynamic_quantization_includes_zero) {
    const auto out = run_node("DynamicQuantizeLinear", {floats({3}, {1, 2, 5.1f})}, {}, "", 3);
    BOOST_TEST(to_floats(out[1])[0] == 5.1f / 255);
    BOOST_TEST(to_ints(out[2])[0] == 0);
    const auto zeros = run_node("DynamicQuantizeLinear", {floats({2}, {0, 0})}, {}, "", 3);
    BOOST_TEST(to_floats(zeros[1])[0] == 1.0f);
    // An infinite range has no codes: every finite number is the zero point, which is the least code.
    const float infinite = std::numeric_limits<float>::infinity();
    const auto endless = run_node("DynamicQuantizeLinear", {floats({3}, {-infinite, 1, infinite})}, {}, "", 3);
    BOOST_TEST(to_ints(endless[2])[0] == 0);
    BOOST_TEST(to_ints(endless[0])[1] == 0);
}

BOOST_AUTO_TEST_CASE(integer_sums_wrap_and_requantize) {
    const auto out =
        run_node("QLinearMatMul", {bytes({1, 2}, {100, 100}), Tensor::scalar(0.1f), Tensor::scalar(int8_t{0}), bytes({2, 1}, {3, 4}),
                                   Tensor::scalar(0.1f), Tensor::scalar(int8_t{0}), Tensor::scalar(1.0f), Tensor::scalar(int8_t{-1})});
    BOOST_TEST(to_ints(out[0])[0] == 6);  // 700 * 0.01 = 7, zero point -1
}

BOOST_AUTO_TEST_CASE(recode_goes_from_one_encoding_to_another) {
    Graph graph;
    const Type type = Type::tensor(DType::f32, Shape::of(Dims{3}));
    const ValueId x = graph.add_value("x", type), y = graph.add_value("y", type);
    graph.inputs = {x};
    graph.outputs = {y};
    graph.add_node(find_op("Recode", "quern"), "recode", {x}, {y});
    graph.value(x).enc = make_encoding(DType::i8, Tensor::scalar(0.5f), Tensor::scalar(int8_t{0}));
    infer_types(graph);
    const std::vector<Tensor> in{floats({3}, {0.6f, -1.2f, 3})};
    ThreadPool pool(1);
    const auto run = [&](Mode mode) { return to_floats(Session(Program::compile(graph, {.mode = mode}), pool).run(in)[0]); };
    graph.value(y).enc = make_encoding(DType::u8, Tensor::scalar(2.0f), Tensor::scalar(uint8_t{1}));
    BOOST_TEST(run(Mode::floating) == std::vector<float>({0.6f, -1.2f, 3}), boost::test_tools::per_element());
    BOOST_TEST(run(Mode::integer) == std::vector<float>({0, 0, 4}), boost::test_tools::per_element());  // -0.5 rounds to even, 1.5 to 2
    graph.value(y).enc = make_encoding(DType::u8, {}, {});
    graph.value(y).enc->kind = Encoding::Kind::dynamic;
    const auto dynamic = run(Mode::integer);  // 0.5 -1 3 on a grid of 4/255
    for (size_t i = 0; i < 3; ++i) BOOST_TEST(std::fabs(dynamic[i] - std::vector<float>({0.5f, -1, 3})[i]) <= 2.0f / 255);
}

BOOST_AUTO_TEST_SUITE_END()
