// Dynamic chains (DynamicQuantizeLinear, MatMulInteger, Cast, Mul) as encodings: every order of the scales folds, the integer run of
// the folded graph gives the numbers of the chain, and what an encoding cannot say stays as it is.
#include <array>
#include <boost/test/unit_test.hpp>
#include <random>

#include "libcore/exec/session.h"
#include "libcore/graph/summary.h"
#include "libcore/passes/onnx/lower_encodings.h"
#include "libcore/passes/passes.h"

using namespace quern;

namespace {

Tensor random_floats(Dims dims, uint32_t seed, float low, float high) {
    std::mt19937 random(seed);
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    for (float& item : items) item = low + (high - low) * static_cast<float>(random()) / 4294967296.0f;
    return Tensor::make<float>(std::move(dims), items);
}

Tensor random_codes(DType dtype, Dims dims, uint32_t seed) {
    std::mt19937 random(seed);
    const IntRange range = int_range(dtype);
    std::vector<int64_t> items(static_cast<size_t>(count_of(dims)));
    for (int64_t& item : items) item = range.min + static_cast<int64_t>(random() % 256);
    return from_ints(dtype, std::move(dims), items);
}

struct Net {
    Graph graph;

    ValueId input(const char* name, const Dims& dims) {
        graph.inputs.push_back(graph.add_value(name, Type::tensor(DType::f32, Shape::of(dims))));
        return graph.inputs.back();
    }
    ValueId node(const char* op, const std::string& result, std::vector<ValueId> in, Attrs attrs = {}, const char* domain = "") {
        const ValueId out = graph.add_value(graph.unique_name(result), Type{});
        graph.add_node(need_op(op, domain), graph.unique_node_name(result + "_node"), std::move(in), {out}, std::move(attrs));
        return out;
    }
    // Codes, scale and zero point of x.
    std::array<ValueId, 3> quantized(ValueId x, const std::string& name) {
        const std::array out{graph.add_value(name + "_quantized", Type{}), graph.add_value(name + "_scale", Type{}),
                             graph.add_value(name + "_zero", Type{})};
        graph.add_node(need_op("DynamicQuantizeLinear"), name + "_DynamicQuantizeLinear", {x}, {out.begin(), out.end()});
        return out;
    }
    ValueId real(ValueId sums) { return node("Cast", "real", {sums}, {{"to", int64_t{row_of(DType::f32).onnx}}}); }
    Graph& finish(std::vector<ValueId> outputs) {
        graph.outputs = std::move(outputs);
        infer_types(graph);
        verify(graph);
        return graph;
    }
    size_t count(std::string_view op) const {
        return static_cast<size_t>(
            std::count_if(graph.order().begin(), graph.order().end(), [&](NodeId id) { return graph.node(id).op->name == op; }));
    }
};

std::vector<Tensor> run(const Graph& graph, Mode mode, const std::vector<Tensor>& in) {
    ThreadPool pool(1);
    return Session(Program::compile(graph, {.mode = mode}), pool).run(in);
}

int fold(Graph& graph) {
    const int changes = run_passes(graph, std::array{&fold_qdq, &drop_dead});
    infer_types(graph);
    verify(graph);
    return changes;
}

// Where the scales meet the sums.
enum class Order { product, x_first, w_first };

struct Case {
    Order order = Order::product;
    bool swapped = false, per_channel = false, scale_in_row = false, has_zero = false, biased = false;
    DType weights = DType::i8;
};

Net matmul(const Case& c) {
    Net net;
    const auto [codes, x_scale, x_zero] = net.quantized(net.input("x", {3, 8}), "x");
    const ValueId w = net.graph.add_constant("w_quantized", random_codes(c.weights, {8, 5}, 3));
    Dims dims = c.per_channel ? Dims{5} : Dims{};
    if (c.scale_in_row) dims.insert(dims.begin(), 1);
    const ValueId w_scale = net.graph.add_constant("w_scale", random_floats(dims, 4, 0.01f, 0.03f));
    std::vector<ValueId> in{codes, w, x_zero};
    if (c.has_zero) in.push_back(net.graph.add_constant("w_zero", random_codes(c.weights, c.per_channel ? Dims{5} : Dims{}, 5)));
    const ValueId real = net.real(net.node("MatMulInteger", "sums", in));
    const auto mul = [&](const char* name, ValueId a, ValueId b) {
        return net.node("Mul", name, c.swapped ? std::vector{b, a} : std::vector{a, b});
    };
    ValueId y = ValueId::none;
    if (c.order == Order::product)
        y = mul("y", real, mul("scale", x_scale, w_scale));
    else if (c.order == Order::x_first)
        y = mul("y", mul("part", real, x_scale), w_scale);
    else
        y = mul("y", mul("part", real, w_scale), x_scale);
    if (c.biased) y = net.node("Add", "z", {y, net.graph.add_constant("bias", random_floats({5}, 6, -1, 1))});
    net.finish({y});
    return net;
}

// max|a - b| / max|b|
double difference(const Tensor& a, const Tensor& b) {
    const auto x = to_floats(a), y = to_floats(b);
    BOOST_TEST_REQUIRE(x.size() == y.size());
    double worst = 0, largest = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        worst = std::max(worst, std::fabs(static_cast<double>(x[i]) - y[i]));
        largest = std::max(largest, std::fabs(static_cast<double>(y[i])));
    }
    return worst / largest;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dynamic)

BOOST_AUTO_TEST_CASE(every_order_of_the_scales_folds) {
    for (const Order order : {Order::product, Order::x_first, Order::w_first})
        for (int bits = 0; bits < 64; ++bits) {
            const Case c{order,
                         (bits & 1) != 0,
                         (bits & 2) != 0,
                         (bits & 4) != 0,
                         (bits & 8) != 0,
                         (bits & 16) != 0,
                         bits & 32 ? DType::u8 : DType::i8};
            BOOST_TEST_INFO_SCOPE("order " << static_cast<int>(order) << ", variant " << bits);
            const Net chain = matmul(c);
            Net folded = chain;
            BOOST_TEST(fold(folded.graph) > 0);
            BOOST_TEST(folded.count("MatMulInteger") == 0u);
            BOOST_TEST(folded.count("DynamicQuantizeLinear") == 0u);
            BOOST_TEST(folded.count("Mul") == 0u);
            BOOST_TEST(folded.graph.order().size() == (c.biased ? 3u : 2u));
            const auto& x = folded.graph.value(folded.graph.find("x_dynamic")).enc;
            BOOST_TEST((x && x->is_dynamic() && x->storage == DType::u8));
            const auto& w = folded.graph.value(folded.graph.find("w")).enc;
            BOOST_TEST_REQUIRE((w && w->storage == c.weights));
            BOOST_TEST(w->axis == (c.per_channel ? 1 : -1));
            BOOST_TEST(fold(folded.graph) == 0);
            const std::vector<Tensor> in{random_floats({3, 8}, 9, -2, 3)};
            const auto explicitly = run(chain.graph, Mode::floating, in), codes = run(folded.graph, Mode::integer, in);
            if (order == Order::product)  // the order of the contract: nothing else is rounded otherwise
                BOOST_TEST(to_floats(codes[0]) == to_floats(explicitly[0]), boost::test_tools::per_element());
            else
                BOOST_TEST(difference(codes[0], explicitly[0]) < 3e-7);
        }
}

BOOST_AUTO_TEST_CASE(products_share_one_quantization) {
    Net net;
    const auto [codes, x_scale, x_zero] = net.quantized(net.input("x", {4, 6}), "x");
    std::vector<ValueId> outputs;
    for (const char* name : {"q", "k", "v"}) {
        const ValueId w = net.graph.add_constant(std::string(name) + "_quantized", random_codes(DType::i8, {6, 3}, name[0]));
        const ValueId w_scale = net.graph.add_constant(std::string(name) + "_scale", Tensor::scalar(0.02f));
        const ValueId scale = net.node("Mul", "scale", {w_scale, x_scale});
        outputs.push_back(net.node("Mul", name, {scale, net.real(net.node("MatMulInteger", "sums", {codes, w, x_zero}))}));
    }
    outputs.push_back(net.node("DequantizeLinear", "back", {codes, x_scale, x_zero}));
    const Net chain = [&] {
        net.finish(outputs);
        return net;
    }();
    fold(net.graph);
    BOOST_TEST(net.count("Recode") == 1u);
    BOOST_TEST(net.graph.order().size() == 4u);
    const std::vector<Tensor> in{random_floats({4, 6}, 2, -1, 4)};
    const auto want = run(chain.graph, Mode::floating, in), got = run(net.graph, Mode::integer, in);
    for (size_t i = 0; i < want.size(); ++i) BOOST_TEST(to_floats(got[i]) == to_floats(want[i]), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(convolutions_fold) {
    for (const bool per_channel : {false, true}) {
        Net net;
        const auto [codes, x_scale, x_zero] = net.quantized(net.input("x", {1, 4, 5, 5}), "x");
        const ValueId w = net.graph.add_constant("w_quantized", random_codes(DType::u8, {6, 2, 3, 3}, 3));
        const ValueId zero = net.graph.add_constant("w_zero", random_codes(DType::u8, per_channel ? Dims{6} : Dims{}, 5));
        const ValueId w_scale = net.graph.add_constant("w_scale", random_floats(per_channel ? Dims{1, 6, 1, 1} : Dims{}, 4, 0.01f, 0.03f));
        const ValueId sums =
            net.node("ConvInteger", "sums", {codes, w, x_zero, zero}, {{"group", int64_t{2}}, {"pads", std::vector<int64_t>{1, 1, 1, 1}}});
        const ValueId y = net.node("Mul", "y", {net.real(sums), net.node("Mul", "scale", {x_scale, w_scale})});
        net.finish({net.node("Add", "z", {y, net.graph.add_constant("bias", random_floats({1, 6, 1, 1}, 7, -1, 1))})});
        const Net chain = net;
        fold(net.graph);
        BOOST_TEST(net.count("Conv") == 1u);
        BOOST_TEST(net.graph.order().size() == 3u);
        const std::vector<Tensor> in{random_floats({1, 4, 5, 5}, 2, -1, 4)};
        const auto want = run(chain.graph, Mode::floating, in), got = run(net.graph, Mode::integer, in);
        BOOST_TEST(to_floats(got[0]) == to_floats(want[0]), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(two_dynamic_operands_fold) {
    Net net;
    const auto [a, a_scale, a_zero] = net.quantized(net.input("a", {2, 3, 4}), "a");
    const auto [b, b_scale, b_zero] = net.quantized(net.input("b", {2, 4, 5}), "b");
    const ValueId real = net.real(net.node("MatMulInteger", "sums", {a, b, a_zero, b_zero}));
    net.finish({net.node("Mul", "y", {net.node("Mul", "scale", {b_scale, a_scale}), real})});
    const Net chain = net;
    fold(net.graph);
    BOOST_TEST(net.count("Recode") == 2u);
    BOOST_TEST(net.count("MatMul") == 1u);
    const std::vector<Tensor> in{random_floats({2, 3, 4}, 2, -1, 4), random_floats({2, 4, 5}, 3, -3, 1)};
    const auto want = run(chain.graph, Mode::floating, in), got = run(net.graph, Mode::integer, in);
    BOOST_TEST(to_floats(got[0]) == to_floats(want[0]), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(operators_of_onnxruntime_fold) {
    const Tensor bias = random_floats({5}, 6, -1, 1);
    for (const bool biased : {false, true})
        for (const bool quantizes : {false, true}) {  // DynamicQuantizeMatMul, else MatMulIntegerToFloat
            Net net;
            const ValueId x = net.input("x", {3, 8}), w = net.graph.add_constant("w_quantized", random_codes(DType::u8, {8, 5}, 3)),
                          scale = net.graph.add_constant("w_scale", random_floats({5}, 4, 0.01f, 0.03f)),
                          zero = net.graph.add_constant("w_zero", random_codes(DType::u8, {5}, 5));
            std::vector<ValueId> in{x, w, scale, zero};
            if (!quantizes) {
                const auto [codes, x_scale, x_zero] = net.quantized(x, "x");
                in = {codes, w, x_scale, scale, x_zero, zero};
            }
            if (biased) in.push_back(net.graph.add_constant("bias", bias));
            net.finish({net.node(quantizes ? "DynamicQuantizeMatMul" : "MatMulIntegerToFloat", "y", in, {}, "com.microsoft")});
            const Net fused = net;
            fold(net.graph);
            BOOST_TEST(net.count("MatMul") == 1u);
            BOOST_TEST(net.graph.order().size() == (biased ? 3u : 2u));
            const std::vector<Tensor> feed{random_floats({3, 8}, 2, -1, 4)};
            const auto want = run(fused.graph, Mode::floating, feed), got = run(net.graph, Mode::integer, feed);
            BOOST_TEST(to_floats(got[0]) == to_floats(want[0]), boost::test_tools::per_element());
        }
}

// Written as nodes and read again, everything is as it was: encodings, names, and the numbers to the bit.
BOOST_AUTO_TEST_CASE(what_is_written_folds_back) {
    Net net;
    const ValueId image = net.input("image", {1, 4, 5, 5}), x = net.input("x", {3, 8}), other = net.input("other", {8, 3});
    const auto recode = [&](ValueId from, const char* name) {
        const ValueId to = net.node("Recode", name, {from}, {}, "quern");
        net.graph.value(to).enc = make_encoding(DType::u8, {}, {});
        net.graph.value(to).enc->kind = Encoding::Kind::dynamic;
        return to;
    };
    const auto weights = [&](const char* name, DType dtype, const Dims& dims, int axis) {
        const ValueId id = net.graph.add_constant(name, random_codes(dtype, dims, name[0]));
        const Dims scales = axis < 0 ? Dims{} : Dims{dims[static_cast<size_t>(axis)]};
        net.graph.value(id).type.dtype = DType::f32;
        net.graph.value(id).enc = make_encoding(dtype, random_floats(scales, 8, 0.01f, 0.03f), random_codes(dtype, scales, 9), axis);
        return id;
    };
    const auto bias = [&](const char* name, const Dims& dims) { return net.graph.add_constant(name, random_floats(dims, 5, -1, 1)); };
    const ValueId image_d = recode(image, "image_dynamic"), x_d = recode(x, "x_dynamic"), other_d = recode(other, "other_dynamic");
    const ValueId shared = weights("w", DType::i8, {8, 8}, 1);
    const ValueId conv = net.node("Conv", "conv", {image_d, weights("f", DType::u8, {6, 2, 3, 3}, 0), bias("fb", {6})},
                                  {{"group", int64_t{2}}, {"strides", std::vector<int64_t>{2, 2}}});
    const ValueId matmul = net.node("MatMul", "matmul", {x_d, shared}),
                  again = net.node("MatMul", "again", {recode(matmul, "m_d"), shared});
    const ValueId gemm = net.node("Gemm", "gemm", {x_d, weights("g", DType::i8, {5, 8}, 0), bias("gb", {5})}, {{"transB", int64_t{1}}});
    const ValueId both = net.node("MatMul", "both", {x_d, other_d});
    const ValueId left = net.node("MatMul", "left", {weights("l", DType::u8, {2, 8}, -1), other_d});
    const ValueId seen = net.node("Relu", "seen", {x_d});
    net.finish({conv, again, gemm, both, left, seen});

    Graph written = net.graph;
    lower_encodings(written, "qdq", 21);
    verify(written);
    BOOST_TEST(!has_encodings(written));
    Graph back = written;
    fold(back);
    for (const NodeId id : back.order()) {
        const std::string_view op = back.node(id).op->name;
        BOOST_TEST((op == "Recode" || op == "MatMul" || op == "Conv" || op == "Add" || op == "Relu"), op);
    }
    for (const char* name : {"image_dynamic", "x_dynamic", "other_dynamic", "m_d", "w", "f", "l"}) {
        BOOST_TEST_INFO_SCOPE(name);
        const auto &before = net.graph.value(net.graph.find(name)).enc, &after = back.value(back.find(name)).enc;
        BOOST_TEST_REQUIRE(after.has_value());
        BOOST_TEST((*after == *before));
    }
    const std::vector<Tensor> in{random_floats({1, 4, 5, 5}, 1, -1, 3), random_floats({3, 8}, 2, -2, 1), random_floats({8, 3}, 3, -2, 1)};
    const auto want = run(net.graph, Mode::integer, in), nodes = run(written, Mode::floating, in), got = run(back, Mode::integer, in);
    for (size_t i = 0; i < want.size(); ++i) {
        BOOST_TEST_INFO_SCOPE("output " << i);
        BOOST_TEST(to_floats(nodes[i]) == to_floats(want[i]), boost::test_tools::per_element());
        BOOST_TEST(to_floats(got[i]) == to_floats(want[i]), boost::test_tools::per_element());
    }
    lower_encodings(back, "qdq", 21);
    BOOST_TEST(back.order().size() == written.order().size());
    for (const NodeId id : written.order()) BOOST_TEST((back.find_node(written.node(id).name) != NodeId::none), written.node(id).name);
}

BOOST_AUTO_TEST_CASE(what_an_encoding_cannot_say_stays) {
    enum class Oddity { no_zero, other_zero, scale_of_rows, higher_rank, read_twice, an_output, changing_scale };
    for (const Oddity oddity : {Oddity::no_zero, Oddity::other_zero, Oddity::scale_of_rows, Oddity::higher_rank, Oddity::read_twice,
                                Oddity::an_output, Oddity::changing_scale}) {
        BOOST_TEST_INFO_SCOPE("oddity " << static_cast<int>(oddity));
        Net net;
        const auto [codes, x_scale, x_zero] = net.quantized(net.input("x", {5, 8}), "x");
        const auto [other, other_scale, other_zero] = net.quantized(net.input("other", {5, 8}), "other");
        const ValueId w = net.graph.add_constant("w_quantized", random_codes(DType::i8, {8, 5}, 3));
        const Dims dims = oddity == Oddity::scale_of_rows ? Dims{5, 1} : oddity == Oddity::higher_rank ? Dims{1, 1, 1} : Dims{};
        const ValueId w_scale = net.graph.add_constant("w_scale", random_floats(dims, 4, 0.01f, 0.03f));
        std::vector<ValueId> in{codes, w};
        if (oddity != Oddity::no_zero) in.push_back(oddity == Oddity::other_zero ? other_zero : x_zero);
        const ValueId real = net.real(net.node("MatMulInteger", "sums", in));
        const ValueId scale = oddity == Oddity::changing_scale ? net.node("Mul", "scale", {other_scale, w_scale})
                                                               : net.node("Mul", "scale", {x_scale, w_scale});
        std::vector<ValueId> outputs{net.node("Mul", "y", {real, scale})};
        if (oddity == Oddity::read_twice) outputs.push_back(net.node("Relu", "r", {real}));
        if (oddity == Oddity::an_output) outputs.push_back(real);
        net.finish(outputs);
        const Net before = net;
        fold(net.graph);
        BOOST_TEST(net.count("MatMulInteger") == 1u);
        const std::vector<Tensor> feed{random_floats({5, 8}, 2, -1, 4), random_floats({5, 8}, 3, -1, 2)};
        const auto want = run(before.graph, Mode::floating, feed), got = run(net.graph, Mode::integer, feed);
        for (size_t i = 0; i < want.size(); ++i) BOOST_TEST(to_floats(got[i]) == to_floats(want[i]), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_SUITE_END()
