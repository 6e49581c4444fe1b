// The quantizer on small networks: what shares, what is fixed, biases that fit, and that every type runs and survives export.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "libcore/base/error.h"
#include "libcore/exec/session.h"
#include "libcore/graph/quantize.h"
#include "libcore/graph/summary.h"
#include "libcore/passes/onnx/lower_encodings.h"
#include "libcore/passes/passes.h"
#include "libcore/quant/quantize.h"
#include "libcore/support/units.h"
#include "tests/common/graph_of.h"

using namespace quern;

namespace {

Tensor random_tensor(Dims dims, uint32_t seed, float spread = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, spread);
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    for (float& item : items) item = normal(random);
    return Tensor::make<float>(std::move(dims), items);
}

struct Net {
    Graph graph;
    const std::optional<Encoding>& enc(const char* name) const { return graph.value(graph.find(name)).enc; }
};

// Convolutions, a branch that joins again, data movement, a matrix product with bias, Softmax.
Net classifier() {
    std::map<std::string, Tensor> weights;
    for (const auto& [name, dims, spread] : {std::tuple{"w1", Dims{8, 3, 3, 3}, 0.4f},
                                             {"b1", {8}, 0.4f},
                                             {"w2", {8, 8, 1, 1}, 0.4f},
                                             {"b2", {8}, 0.4f},
                                             {"w3", {256, 10}, 0.05f},
                                             {"b3", {10}, 0.4f},
                                             {"w4", {10, 10}, 0.4f},
                                             {"b4", {10}, 0.4f}})
        weights[name] = random_tensor(dims, static_cast<uint32_t>(name[0] + name[1]), spread);
    return {
        graph_of(R"(func.func @main(%x: tensor<1x3x8x8xf32>, %w1: tensor<*xf32>, %b1: tensor<*xf32>, %w2: tensor<*xf32>, %b2: tensor<*xf32>,
    %w3: tensor<*xf32>, %b3: tensor<*xf32>, %w4: tensor<*xf32>, %b4: tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %c1 = "onnx.Conv"(%x, %w1, %b1) {onnx_node_name = "c1_node", pads = [1, 1, 1, 1]} : (tensor<1x3x8x8xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %r1 = "onnx.Relu"(%c1) {onnx_node_name = "r1_node"} : (tensor<*xf32>) -> tensor<*xf32>
  %c2 = "onnx.Conv"(%r1, %w2, %b2) {onnx_node_name = "c2_node"} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %sum = "onnx.Add"(%c2, %r1) {onnx_node_name = "sum_node"} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %m = "onnx.MaxPool"(%sum) {kernel_shape = [2, 2], onnx_node_name = "m_node", strides = [2, 2]} : (tensor<*xf32>) -> tensor<*xf32>
  %a = "onnx.AveragePool"(%sum) {kernel_shape = [2, 2], onnx_node_name = "a_node", strides = [2, 2]} : (tensor<*xf32>) -> tensor<*xf32>
  %cat = "onnx.Concat"(%m, %a) {axis = 1, onnx_node_name = "cat_node"} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %flat = "onnx.Flatten"(%cat) {onnx_node_name = "flat_node"} : (tensor<*xf32>) -> tensor<*xf32>
  %p = "onnx.MatMul"(%flat, %w3) {onnx_node_name = "p_node"} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %s = "onnx.Add"(%p, %b3) {onnx_node_name = "s_node"} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %g = "onnx.Gemm"(%s, %w4, %b4) {onnx_node_name = "g_node", transB = 1} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %y = "onnx.Softmax"(%g) {onnx_node_name = "y_node"} : (tensor<*xf32>) -> tensor<*xf32>
  return %y, %g : tensor<*xf32>, tensor<*xf32>
})",
                 weights)};
}

std::vector<Tensor> samples_of(const Graph& graph, uint32_t seed) {
    std::vector<Tensor> inputs;
    for (const ValueId id : graph.inputs) inputs.push_back(random_tensor(*graph.value(id).type.shape.concrete(), seed));
    return inputs;
}

std::vector<Tensor> run(const Graph& graph, Mode mode, uint32_t seed, const Observer& observer = {}) {
    ThreadPool pool(1);
    Session session(Program::compile(graph, {.mode = mode, .observable = static_cast<bool>(observer)}), pool);
    if (observer) session.set_observer(observer);
    return session.run(samples_of(graph, seed));
}

Ranges ranges_of(const Graph& graph) {
    Ranges ranges;
    ranges.samples = 8;
    for (uint32_t sample = 0; sample < 8; ++sample)
        run(graph, Mode::floating, sample, [&](std::string_view key, const Tensor& tensor) {
            if (tensor.dtype != DType::f32) return;
            ValueRange& range = ranges.values[std::string(key)];
            for (const float value : to_floats(tensor)) {
                range.min = range.count ? std::min(range.min, value) : value;
                range.max = range.count ? std::max(range.max, value) : value;
                ++range.count;
                ++range.histogram.bins[Histogram::bin_of(value)];
                const auto [run, fresh] = range.runs.emplace(sample, std::pair(value, value));
                if (!fresh) run->second = {std::min(run->second.first, value), std::max(run->second.second, value)};
            }
        });
    return ranges;
}

QuantReport quantize_as(Graph& graph, std::string_view type, QuantRequest request = {}) {
    request.scheme = &scheme_named(type);
    const Ranges ranges = ranges_of(graph);
    ThreadPool pool(1);
    QuantReport report = quantize_graph(graph, &ranges, QuantWork(request), pool);
    infer_types(graph);
    verify(graph);
    return report;
}

double sqnr_db(const Tensor& want, const Tensor& got) {
    const auto a = to_floats(want), b = to_floats(got);
    BOOST_REQUIRE(a.size() == b.size());
    double signal = 0, noise = 1e-30;
    for (size_t i = 0; i < a.size(); ++i) {
        const double error = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        signal += static_cast<double>(a[i]) * static_cast<double>(a[i]);
        noise += error * error;
    }
    return 10 * std::log10(signal / noise);
}

bool same_zero(const Tensor& a, const Tensor& b) {
    const auto all_zero = [](const Tensor& t) {
        if (!t.defined()) return true;
        const auto zeros = to_ints(t);
        return std::all_of(zeros.begin(), zeros.end(), [](int64_t z) { return z == 0; });
    };
    return (all_zero(a) && all_zero(b)) || (a.defined() && b.defined() && to_ints(a) == to_ints(b));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quantizer)

BOOST_AUTO_TEST_CASE(every_type_runs_and_stays_near_float) {
    const Net source = classifier();
    for (const Scheme& scheme : all_schemes())
        for (const Method* method : {&default_method(), &whole_range()}) {
            Net net = source;
            QuantRequest request;
            request.search.method = method;
            quantize_as(net.graph, scheme.name, request);
            const bool clips = method == &default_method();
            const double least = bits_of(scheme.weight) == 2   ? (clips ? 4 : -3)
                                 : is_float(scheme.activation) ? (scheme.activation == DType::f8e5m2 ? 14 : 16)
                                 : bits_of(scheme.weight) == 4 ? (scheme.blocks ? 12 : 7)
                                 : scheme.activation == DType::i8 || scheme.activation == DType::u8 || bits_of(scheme.weight) == 8 ? 22
                                                                                                                                   : 40;
            for (uint32_t seed = 20; seed < 23; ++seed) {
                const auto exact = run(source.graph, Mode::floating, seed), fake = run(net.graph, Mode::fake, seed),
                           codes = run(net.graph, Mode::integer, seed);
                BOOST_TEST(sqnr_db(exact[1], fake[1]) > least, scheme.name << " fake: " << sqnr_db(exact[1], fake[1]) << " dB");
                BOOST_TEST(sqnr_db(exact[1], codes[1]) > least, scheme.name << " integer: " << sqnr_db(exact[1], codes[1]) << " dB");
                BOOST_TEST(sqnr_db(exact[0], codes[0]) > least - 6, scheme.name << " softmax: " << sqnr_db(exact[0], codes[0]) << " dB");
                BOOST_TEST(sqnr_db(fake[1], codes[1]) > 28, scheme.name << " integer beside fake: " << sqnr_db(fake[1], codes[1]) << " dB");
            }
        }
}

BOOST_AUTO_TEST_CASE(export_and_folding_give_the_same_encodings) {
    const Net source = classifier();
    for (const Scheme& scheme : all_schemes()) {
        if (is_float(scheme.weight)) continue;  // no encodings there
        Net net = source;
        quantize_as(net.graph, scheme.name);
        Graph back = net.graph;
        lower_encodings(back, "qdq", 21);
        BOOST_TEST(!has_encodings(back));
        infer_types(back);
        verify(back);
        run_passes(back, std::array{&fold_qdq, &drop_dead});
        infer_types(back);
        verify(back);
        for (size_t i = 0; i < net.graph.value_count(); ++i) {
            const Value& value = net.graph.value(static_cast<ValueId>(i));
            if (value.erased || !value.enc) continue;
            BOOST_TEST_INFO_SCOPE("type " << scheme.name << ", value " << value.name);
            const ValueId id = back.find(value.name);
            BOOST_TEST_REQUIRE((id != ValueId::none));
            const auto& found = back.value(id).enc;
            BOOST_TEST_REQUIRE(found.has_value());
            const DType narrow = value.enc->storage == DType::i64 ? DType::i32 : value.enc->storage;  // as ONNX has it
            BOOST_TEST((found->storage == narrow));
            BOOST_TEST((found->kind == value.enc->kind));
            if (found->is_dynamic()) continue;
            // The weights of a Gemm with transB, which MatMulInteger does not have, come back turned.
            if (scheme.activations == Scheme::Activations::dynamic && value.name == "w4") continue;
            BOOST_TEST(found->axis == value.enc->axis);
            BOOST_TEST(found->block == value.enc->block);
            BOOST_TEST(to_floats(found->scale) == to_floats(value.enc->scale), boost::test_tools::per_element());
            BOOST_TEST(same_zero(found->zero, value.enc->zero));
            if (value.constant())
                BOOST_TEST(
                    (back.value(id).constant() && to_ints(*back.constant(id)) == to_ints(*net.graph.constant(static_cast<ValueId>(i)))));
        }
        for (uint32_t seed = 20; seed < 22; ++seed) {
            const auto before = run(net.graph, Mode::integer, seed), after = run(back, Mode::integer, seed);
            BOOST_TEST(to_floats(before[1]) == to_floats(after[1]), boost::test_tools::per_element());
        }
    }
}

BOOST_AUTO_TEST_CASE(every_type_runs_as_it_is_exported) {
    const Net source = classifier();
    for (const Scheme& scheme : all_schemes())
        for (const std::string_view form : {"qdq", "qoperator"}) {
            if (is_float(scheme.weight)) continue;
            Net net = source;
            quantize_as(net.graph, scheme.name);
            const auto want = run(net.graph, Mode::fake, 20);
            lower_encodings(net.graph, form, 21);
            infer_types(net.graph);
            verify(net.graph);
            for (const Mode mode : {Mode::floating, Mode::integer}) {
                const double db = sqnr_db(want[1], run(net.graph, mode, 20)[1]);
                BOOST_TEST(db > 28, scheme.name << " as " << form << ", mode " << static_cast<int>(mode) << ": " << db << " dB");
            }
        }
}

// QuantizeLinear has no limits but those of its codes: what is said in the graph must not have others.
BOOST_AUTO_TEST_CASE(numbers_beyond_the_range_clip_as_in_the_exported_model) {
    for (const char* type : {"i8-sym", "i16-sym"}) {
        Net net = classifier();
        quantize_as(net.graph, type);
        Graph exported = net.graph;
        lower_encodings(exported, "qdq", 21);
        const auto far = [](const Graph& graph) {
            ThreadPool pool(1);
            Session session(Program::compile(graph, {.mode = Mode::integer}), pool);
            return session.run(std::array{random_tensor({1, 3, 8, 8}, 30, 20)});
        };
        BOOST_TEST_CONTEXT(type) BOOST_TEST(to_floats(far(net.graph)[1]) == to_floats(far(exported)[1]), boost::test_tools::per_element());
    }
}

// A back end is given what crosses its border: an output that is read inside, too, and one that is not.
BOOST_AUTO_TEST_CASE(ends_that_are_passed_as_stored_hold_the_codes_of_those_in_float) {
    for (const char* type : {"u8i8", "w8u16", "i8-sym"}) {
        Net net = classifier();
        quantize_as(net.graph, type);
        Graph stored = net.graph;
        lower_encodings(stored, "qdq", 21, {.inputs = true, .outputs = true});
        verify(stored);
        BOOST_TEST(!has_encodings(stored));
        const auto code = [&](const std::vector<ValueId>& ends, size_t i) {
            const Value& own = net.graph.value(net.graph.find(stored.value(ends[i]).name));
            BOOST_TEST((stored.value(ends[i]).type.dtype == own.enc->storage));
            return *own.enc;
        };
        ThreadPool pool(1);
        const Tensor image = samples_of(net.graph, 20)[0];
        Session exact(Program::compile(net.graph, {.mode = Mode::fake}), pool), passed(Program::compile(stored, {}), pool);
        const auto want = exact.run(std::array{image});
        const auto got = passed.run(std::array{quantize(image, code(stored.inputs, 0))});
        for (size_t i = 0; i < want.size(); ++i)
            BOOST_TEST(to_ints(got[i]) == to_ints(quantize(want[i], code(stored.outputs, i))), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(qoperators_leave_no_float_operator_between_codes) {
    const auto count = [](const Graph& graph, std::string_view op) {
        return std::count_if(graph.order().begin(), graph.order().end(), [&](NodeId id) { return graph.node(id).op->name == op; });
    };
    for (const int opset : {11, 21}) {
        Net net = classifier();
        QuantRequest request;
        request.per_tensor = true;
        quantize_as(net.graph, "u8i8", request);
        const auto want = run(net.graph, Mode::integer, 20);
        lower_encodings(net.graph, "qoperator", opset);
        verify(net.graph);
        for (const char* op : {"Conv", "Add", "Relu", "MatMul", "Gemm", "Softmax", "Concat", "AveragePool"})
            BOOST_TEST(count(net.graph, op) == (std::string_view(op) == "Concat" ? 1 : 0), op << " at opset " << opset);
        BOOST_TEST(count(net.graph, "QLinearConv") == 2);
        BOOST_TEST(count(net.graph, "QGemm") == 2);  // the product with its bias, too
        BOOST_TEST(count(net.graph, "QLinearAdd") == 1);
        BOOST_TEST(count(net.graph, "QuantizeLinear") == (opset < 12 ? 2 : 1));  // MaxPool takes codes from opset 12 on
        BOOST_TEST(to_floats(run(net.graph, Mode::integer, 20)[1]) == to_floats(want[1]), boost::test_tools::per_element());
        run_passes(net.graph, std::array{&fold_qdq, &drop_dead});
        verify(net.graph);
        BOOST_TEST(count(net.graph, "QLinearAdd") + count(net.graph, "QLinearSoftmax") + count(net.graph, "QLinearAveragePool") == 0);
        BOOST_TEST(to_floats(run(net.graph, Mode::integer, 20)[1]) == to_floats(want[1]), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(what_moves_or_joins_numbers_shares_and_softmax_is_fixed) {
    Net net = classifier();
    quantize_as(net.graph, "i8");
    for (const char* name : {"m", "a", "cat", "flat"}) BOOST_TEST((net.enc(name).has_value() && *net.enc(name) == *net.enc("cat")), name);
    BOOST_TEST((*net.enc("sum") == *net.enc("m")));  // MaxPool hands on what it reads
    BOOST_TEST(!net.enc("c1").has_value());          // inside the unit of the convolution and its Relu
    BOOST_TEST(!net.enc("p").has_value());           // inside the unit of the product and its bias
    BOOST_TEST(to_ints(net.enc("r1")->zero).at(0) == -128);
    BOOST_TEST(to_floats(net.enc("y")->scale).at(0) == 1.0f / 255);
    BOOST_TEST(to_ints(net.enc("y")->zero).at(0) == -128);
    const support::Units units = support::units_of(net.graph);
    const auto unit = [&](const char* name) { return units.of[index_of(net.graph.find_node(name))]; };
    BOOST_TEST(unit("c1_node") == unit("r1_node"));
    BOOST_TEST(unit("p_node") == unit("s_node"));
    BOOST_TEST(unit("c1_node") != unit("c2_node"));
}

BOOST_AUTO_TEST_CASE(biases_have_the_scale_of_input_times_weight) {
    Net net = classifier();
    quantize_as(net.graph, "i8");
    const char* rows[][3] = {{"x", "w1", "b1"}, {"r1", "w2", "b2"}, {"flat", "w3", "b3"}, {"s", "w4", "b4"}};
    for (const auto& [in, weight, bias] : rows) {
        BOOST_TEST_REQUIRE(net.enc(bias).has_value());
        BOOST_TEST((net.enc(bias)->storage == DType::i32), bias);
        const float input = to_floats(net.enc(in)->scale).at(0);
        const auto scales = to_floats(net.enc(weight)->scale), own = to_floats(net.enc(bias)->scale);
        BOOST_TEST_REQUIRE(scales.size() == own.size());
        for (size_t i = 0; i < own.size(); ++i) BOOST_TEST(own[i] == scales[i] * input);
    }
}

BOOST_AUTO_TEST_CASE(a_bias_that_would_overflow_enlarges_the_scale_of_its_channel) {
    Net net{graph_of(R"(%w = "onnx.Constant"() {value = dense<[[1e-7, 1.0], [1e-7, 1.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
%b = "onnx.Constant"() {value = dense<[5000.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
%y = "onnx.Gemm"(%x, %w, %b) : (tensor<1x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>)")};
    const Net source = net;
    QuantRequest request;
    request.search.method = &whole_range();
    const QuantReport report = quantize_as(net.graph, "i8", request);
    const auto codes = to_ints(*net.graph.constant(net.graph.find("b")));
    BOOST_TEST(std::abs(codes[0]) > 2000000000);
    BOOST_TEST(std::abs(codes[0]) < 2147483647);
    const double back = static_cast<double>(codes[0]) * static_cast<double>(to_floats(net.enc("b")->scale)[0]);
    BOOST_TEST(std::abs(back - 5000) < 0.01);
    BOOST_TEST(to_floats(net.enc("w")->scale)[0] > 1e-7f / 127);
    BOOST_TEST(to_floats(net.enc("w")->scale)[1] == 1.0f / 127);
    BOOST_TEST(report.find("w")->note == "scale of 1 channel enlarged: an int32 bias would have overflowed");
    for (const Mode mode : {Mode::fake, Mode::integer})
        BOOST_TEST(sqnr_db(run(source.graph, Mode::floating, 3)[0], run(net.graph, mode, 3)[0]) > 40);
}

BOOST_AUTO_TEST_CASE(none_excludes_and_two_types_meet_in_a_recode) {
    Net net = classifier();
    const Net source = net;
    const Rules none =
        parse_rules(R"({"kind": "rules", "version": 1, "op_types": {"MatMul": "none"}, "node_names": {"c2_node": "w8a16"}})");
    QuantRequest request;
    request.rules = &none;
    const QuantReport report = quantize_as(net.graph, "i8", request);
    BOOST_TEST(!net.enc("w3").has_value());
    BOOST_TEST((net.enc("c2")->storage == DType::i16));
    BOOST_TEST((net.enc("r1")->storage == DType::i8));
    BOOST_TEST((net.graph.find("r1_int16") != ValueId::none));
    const auto node = std::find_if(report.nodes.begin(), report.nodes.end(), [](const NodeReport& n) { return n.key == "p_node"; });
    BOOST_TEST(node->reason == "the rule of op type MatMul sets none");
    for (const Mode mode : {Mode::fake, Mode::integer})
        BOOST_TEST(sqnr_db(run(source.graph, Mode::floating, 3)[1], run(net.graph, mode, 3)[1]) > 22);
    Net again = source;
    const Rules nothing = parse_rules(R"({"kind": "rules", "version": 1, "node_names": {"c9": "none"}})");
    request.rules = &nothing;
    BOOST_CHECK_THROW(quantize_as(again.graph, "i8", request), Error);
}

BOOST_AUTO_TEST_CASE(overrides_are_taken_as_they_are) {
    const Net source = classifier();
    Overrides overrides;
    overrides["x"] = {.storage = DType::u8, .any_sign = true, .scale = {0.05f}, .zero = {130}};
    overrides["m"] = {.storage = DType::i8, .scale = {0.1f}, .zero = {1}};
    overrides["a"] = {.storage = DType::i8, .scale = {0.2f}, .zero = {2}};
    overrides["w2"] = {.storage = DType::i8, .scale = {0.015625f}, .zero = {0}};
    overrides["b4"] = {.storage = DType::i32, .scale = {0.001f}, .zero = {0}};
    overrides["y"] = {.storage = DType::f32};
    overrides["c1"] = {.storage = DType::i8, .scale = {1}, .zero = {0}};
    QuantRequest request;
    request.overrides = &overrides;
    Net net = source;
    const QuantReport report = quantize_as(net.graph, "i8", request);
    BOOST_TEST((net.enc("x")->storage == DType::i8));  // the sign was open, so the type's is taken
    BOOST_TEST(to_ints(net.enc("x")->zero).at(0) == 2);
    BOOST_TEST(to_floats(net.enc("m")->scale).at(0) == 0.1f);
    BOOST_TEST(to_floats(net.enc("a")->scale).at(0) == 0.2f);
    BOOST_TEST(net.enc("w2")->axis == -1);
    BOOST_TEST(to_floats(net.enc("b4")->scale).at(0) == 0.001f);
    BOOST_TEST(!net.enc("y").has_value());
    BOOST_TEST(report.unapplied == std::vector<std::string>{"c1"}, boost::test_tools::per_element());
    BOOST_TEST(report.find("x")->method == "override");
    for (const Mode mode : {Mode::fake, Mode::integer})
        BOOST_TEST(sqnr_db(run(source.graph, Mode::floating, 3)[1], run(net.graph, mode, 3)[1]) > 15);
    overrides["w2"].scale = {1, 2, 3};
    overrides["w2"].zero = {0, 0, 0};
    Net broken = source;
    BOOST_CHECK_THROW(quantize_as(broken.graph, "i8", request), Error);
    BOOST_CHECK_THROW(check_overrides({{"nobody", {}}}, value_keys(source.graph)), Error);
}

BOOST_AUTO_TEST_CASE(a_value_that_was_not_observed_is_named) {
    Net net = classifier();
    Ranges ranges = ranges_of(net.graph);
    ranges.values.erase("sum");
    QuantRequest request;
    request.scheme = &scheme_named("i8");
    ThreadPool pool(1);
    try {
        quantize_graph(net.graph, &ranges, QuantWork(request), pool);
        BOOST_ERROR("accepted");
    } catch (const Error& error) {
        BOOST_TEST((error.exit() == Exit::bad_input));
        BOOST_TEST(error.message().find("\"sum\"") != std::string::npos, error.message());
    }
}

BOOST_AUTO_TEST_SUITE_END()
