// Dynamic quantization as IBM's NNPA takes it: the vectors of ONNX's QuantizeLinear and DynamicQuantizeLinear cases for int8, which
// products are quantized, and what an ONNX file says of them.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "libcore/exec/session.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/passes/onnx/dynamic_spelling.h"
#include "libcore/passes/onnx/lower_encodings.h"
#include "libcore/passes/passes.h"
#include "libcore/quant/assign/weights.h"
#include "libcore/quant/quantize.h"

using namespace quern;

namespace {

Tensor floats(std::vector<float> items) { return Tensor::vector<float>(items); }

struct Coded {
    float scale;
    int64_t zero;
    std::vector<int64_t> codes;
};

Coded coded(const Tensor& x, const Encoding& e) { return {to_floats(e.scale)[0], e.zero_at(), to_ints(quantize(x, e))}; }
Coded at_run_time(const std::vector<float>& x, bool symmetric = false) {
    return coded(floats(x), dynamic_encoding(floats(x), dynamic_codes(DType::i8, symmetric)));
}
Coded as_weight(const std::vector<float>& x, bool symmetric) {
    return coded(floats(x), weight_encoding(floats(x), {.symmetric = symmetric, .clip = false}));
}

const std::vector<float> d1{0, 2, -3, -2.5f, 1.34f, 0.5f}, d2{-1, -2.1f, -1.3f, -2.5f, -3.34f, -4},
    d3{1, 2.1f, 1.3f, 2.5f, 3.34f, 4, 1.5f, 2.6f, 3.9f, 4, 3, 2.345f};

void check(const Coded& got, float scale, int64_t zero, const std::vector<int64_t>& codes) {
    BOOST_TEST(got.scale == scale);
    BOOST_TEST(got.zero == zero);
    BOOST_TEST(got.codes == codes, boost::test_tools::per_element());
}

// x[rows, 4] times 4 x 3 weights, by MatMul or Gemm.
struct Product {
    Graph graph;
    ValueId x, w, y;

    explicit Product(std::string_view op, Attrs attrs = {}, bool constant_weight = true, int bias = 0) {
        x = graph.add_value("x", Type::tensor(DType::f32, Shape::of(Dims{2, 4})));
        graph.inputs = {x};
        std::mt19937 random(7);
        std::vector<float> numbers(12);
        for (float& item : numbers) item = static_cast<float>(random() % 2001) / 500.0f - 1.5f;
        const Tensor weights = Tensor::make<float>({4, 3}, numbers);
        w = constant_weight ? graph.add_constant("w", weights) : graph.add_value("w", Type::tensor(DType::f32, Shape::of(Dims{4, 3})));
        if (!constant_weight) graph.inputs.push_back(w);
        std::vector<ValueId> in{x, w};
        const Tensor c = floats({0.5f, -1, 2});
        if (bias == 1) in.push_back(graph.add_constant("c", c));
        if (bias == 2) in.push_back(graph.add_value("c", Type::tensor(DType::f32, Shape::of(Dims{3}))));
        if (bias == 2) graph.inputs.push_back(in.back());
        y = graph.add_value("y", Type{});
        graph.add_node(find_op(op), "product", in, {y}, std::move(attrs));
        graph.outputs = {y};
        infer_types(graph);
    }

    QuantReport quantize(bool act_sym = false, bool weight_sym = true) {
        const Scheme scheme = changed(scheme_named("dynamic-nnpa"), {.act_sym = act_sym, .weight_sym = weight_sym});
        QuantRequest request;
        request.scheme = &scheme;
        ThreadPool pool(1);
        QuantReport report = quantize_graph(graph, nullptr, QuantWork(request), pool);
        infer_types(graph);
        verify(graph);
        return report;
    }
};

std::vector<float> run(const Graph& graph, const Tensor& x, bool reference = false) {
    ThreadPool pool(1);
    return to_floats(
        Session(Program::compile(graph, {.mode = Mode::integer, .reference = reference}), pool).run(std::vector<Tensor>{x})[0]);
}

Tensor drawn(uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<float> numbers(8);
    for (float& item : numbers) item = static_cast<float>(random() % 4001) / 700.0f - 2.5f;
    return Tensor::make<float>({2, 4}, numbers);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(nnpa)

BOOST_AUTO_TEST_CASE(asymmetric_codes) {
    // -2.5 is 127.49999 steps by float32 division: a reciprocal, or float64, would give -103.
    check(at_run_time(d1), 0.0196078438f, 25, {25, 127, -128, -102, 93, 51});
    check(at_run_time(d2), 0.0156862754f, 127, {63, -7, 44, -32, -86, -128});
    check(at_run_time(d3), 0.0156862754f, -128, {-64, 6, -45, 31, 85, 127, -32, 38, 121, 127, 63, 21});
    for (const auto& x : {d1, d2, d3}) {
        const Coded weights = as_weight(x, false), data = at_run_time(x);
        check(weights, data.scale, data.zero, data.codes);
    }
}

BOOST_AUTO_TEST_CASE(symmetric_codes) {
    check(at_run_time(d1, true), 0.0236220472f, 0, {0, 85, -127, -106, 57, 21});
    check(at_run_time(d2, true), 4.0f / 127, 0, {-32, -67, -41, -79, -106, -127});
    for (const auto& x : {d1, d2, d3}) {
        const Coded weights = as_weight(x, true), data = at_run_time(x, true);
        check(weights, data.scale, data.zero, data.codes);
        BOOST_TEST(*std::ranges::min_element(data.codes) >= -127);
    }
}

BOOST_AUTO_TEST_CASE(weights_of_onnx_mlir) {
    const Coded q1 = as_weight({-2.17088842f, 2.20424f, -0.00718058366f}, true);
    BOOST_TEST(std::abs(1 / q1.scale - 57.61623f) < 1e-4f);
    BOOST_TEST(q1.codes == std::vector<int64_t>({-125, 127, 0}), boost::test_tools::per_element());
    const Coded q3 = as_weight(std::vector<float>(200, -0.00718058366f), true);
    BOOST_TEST(std::abs(1 / q3.scale - 17686.584f) < 0.01f);
    BOOST_TEST(std::ranges::count(q3.codes, -127) == 200);
}

BOOST_AUTO_TEST_CASE(ranges_hold_zero_and_ties_go_to_even) {
    BOOST_TEST(at_run_time({3, 4, 5}).zero == -128);
    BOOST_TEST(at_run_time({-3, -4}).zero == 127);
    BOOST_TEST(at_run_time({0.5f, 1.5f, 2.5f, -0.5f, 127}, true).codes == std::vector<int64_t>({0, 2, 2, 0, 127}),
               boost::test_tools::per_element());
    const Encoding shifted = make_encoding(DType::i8, Tensor::scalar(1.0f), Tensor::scalar(int8_t{100}));
    BOOST_TEST(coded(floats({26.5f, 27.5f, 28.5f}), shifted).codes == std::vector<int64_t>({126, 127, 127}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(nothing_but_zeros_and_what_has_no_codes) {
    for (const bool symmetric : {false, true}) {
        check(at_run_time({0, 0, -0.0f}, symmetric), 1, 0, {0, 0, 0});
        check(at_run_time({}, symmetric), 1, 0, {});
        check(as_weight({0, 0}, symmetric), 1, 0, {0, 0});
        for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
            BOOST_CHECK_THROW(at_run_time({1, bad, 2}, symmetric), Error);
            BOOST_CHECK_THROW(as_weight({1, bad, 2}, symmetric), Error);
        }
    }
}

BOOST_AUTO_TEST_CASE(products_of_constant_weights_are_quantized) {
    for (const auto& [op, bias] : {std::pair("MatMul", 0), std::pair("Gemm", 0), std::pair("Gemm", 1)})
        for (const bool act_sym : {false, true})
            for (const bool weight_sym : {false, true}) {
                Product net(op, {}, true, bias);
                const Graph source = net.graph;
                const QuantReport report = net.quantize(act_sym, weight_sym);
                BOOST_TEST(report.float_nodes() == 0);
                const Encoding& w = *net.graph.value(net.w).enc;
                BOOST_TEST((w.storage == DType::i8 && w.scale.dims.empty() && w.symmetric() == weight_sym &&
                            net.graph.value(net.w).data->size() == 12));
                const ValueId coded_x = net.graph.node(net.graph.value(net.y).producer).in[0];
                const Encoding& x = *net.graph.value(coded_x).enc;
                BOOST_TEST((x.is_dynamic() && x.storage == DType::i8 && x.qmin == (act_sym ? -127 : -128)));
                for (uint32_t seed = 1; seed < 5; ++seed) {
                    // The float product of what the codes stand for.
                    const Tensor given = drawn(seed);
                    const Encoding grid = dynamic_encoding(given, x);
                    const auto a = to_floats(dequantize(quantize(given, grid), grid)),
                               b = to_floats(dequantize(*net.graph.constant(net.w), w));
                    const std::vector<float> c = bias ? std::vector<float>{0.5f, -1, 2} : std::vector<float>(3, 0.0f);
                    const auto got = run(net.graph, given), same = run(net.graph, given, true);
                    BOOST_TEST(got == same, boost::test_tools::per_element());
                    for (size_t i = 0; i < got.size(); ++i) {
                        double sum = static_cast<double>(c[i % 3]);
                        for (size_t k = 0; k < 4; ++k) sum += static_cast<double>(a[i / 3 * 4 + k]) * static_cast<double>(b[k * 3 + i % 3]);
                        BOOST_TEST(std::abs(sum - static_cast<double>(got[i])) < 1e-5);
                    }
                }
            }
}

BOOST_AUTO_TEST_CASE(other_products_stay_float_with_their_reasons) {
    const auto reason = [](Product net) {
        const QuantReport report = net.quantize();
        BOOST_REQUIRE(report.nodes.size() == 1);
        BOOST_TEST(!report.nodes[0].quantized);
        return report.nodes[0].reason;
    };
    BOOST_TEST(reason(Product("MatMul", {}, false)) == "has no weight that this type quantizes");
    BOOST_TEST(reason(Product("Gemm", {}, false)) == "has no weight that this type quantizes");
    BOOST_TEST(reason(Product("Gemm", {}, true, 2)) == "its bias is not a constant");
    Product turned("Gemm");
    turned.graph.value(turned.x).type = Type::tensor(DType::f32, Shape::of(Dims{4, 2}));
    turned.graph.node(turned.graph.value(turned.y).producer).attrs["transA"] = int64_t{1};
    infer_types(turned.graph);
    BOOST_TEST(reason(std::move(turned)) == "its first operand is transposed");
}

BOOST_AUTO_TEST_CASE(onnx_says_it_in_its_own_operators_and_it_is_read_back) {
    for (const bool act_sym : {false, true})
        for (const bool weight_sym : {false, true}) {
            Product net("Gemm", {}, true, 1);
            net.quantize(act_sym, weight_sym);
            Graph written = net.graph;
            lower_dynamic(written);
            infer_types(written);
            verify(written);
            const auto count = [&](std::string_view op) {
                return std::ranges::count_if(written.order(), [&](NodeId id) { return written.node(id).op->name == op; });
            };
            BOOST_TEST(count("MatMulInteger") == 1);
            BOOST_TEST(count("QuantizeLinear") == 1);
            BOOST_TEST(count("Recode") == 0);
            Graph read = written;
            run_passes(read, std::array{&fold_qdq, &drop_dead});
            verify(read);
            const auto recode = std::ranges::find_if(read.order(), [&](NodeId id) { return read.node(id).op->name == "Recode"; });
            BOOST_REQUIRE((recode != read.order().end()));
            BOOST_TEST((read.value(read.node(*recode).out[0]).enc->qmin == (act_sym ? -127 : -128)));
            BOOST_TEST(read.order().size() == 3);  // Recode, MatMul, Add
            for (uint32_t seed = 1; seed < 5; ++seed) {
                const auto want = run(net.graph, drawn(seed));
                BOOST_TEST(run(written, drawn(seed)) == want, boost::test_tools::per_element());
                BOOST_TEST(run(read, drawn(seed)) == want, boost::test_tools::per_element());
            }
            const Tensor zeros = Tensor::make<float>({2, 4}, std::vector<float>(8, 0.0f));
            BOOST_TEST(run(written, zeros) == run(net.graph, zeros), boost::test_tools::per_element());
        }
}

BOOST_AUTO_TEST_CASE(the_profile_is_known) { BOOST_TEST(need_profile("nnpa").rows.empty()); }

BOOST_AUTO_TEST_SUITE_END()
