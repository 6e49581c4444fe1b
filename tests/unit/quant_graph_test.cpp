// The quantizer on small networks: what shares, what is fixed, biases that fit, and that every type runs and survives export.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "libcore/base/error.h"
#include "libcore/exec/session.h"
#include "libcore/graph/summary.h"
#include "libcore/passes/lower_encodings.h"
#include "libcore/passes/passes.h"
#include "libcore/quant/quantize.h"

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

    ValueId input(const char* name, const Dims& dims) {
        graph.inputs.push_back(graph.add_value(name, Type::tensor(DType::f32, Shape::of(dims))));
        return graph.inputs.back();
    }
    ValueId weight(const char* name, const Dims& dims, float spread = 0.4f) {
        return graph.add_constant(name, random_tensor(dims, static_cast<uint32_t>(name[0] + name[1]), spread));
    }
    ValueId node(const char* op, const char* result, std::vector<ValueId> in, Attrs attrs = {}) {
        const ValueId out = graph.add_value(result, Type{});
        graph.add_node(find_op(op), std::string(result) + "_node", std::move(in), {out}, std::move(attrs));
        return out;
    }
    Graph& finish(std::vector<ValueId> outputs) {
        graph.outputs = std::move(outputs);
        infer_types(graph);
        verify(graph);
        return graph;
    }
    const std::optional<Encoding>& enc(const char* name) const { return graph.value(graph.find(name)).enc; }
};

// Convolutions, a branch that joins again, data movement, a matrix product with bias, Softmax.
Net classifier() {
    Net net;
    const ValueId x = net.input("x", {1, 3, 8, 8});
    const Attrs pads{{"pads", std::vector<int64_t>{1, 1, 1, 1}}},
        pool{{"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}};
    const ValueId c1 = net.node("Conv", "c1", {x, net.weight("w1", {8, 3, 3, 3}), net.weight("b1", {8})}, pads);
    const ValueId r1 = net.node("Relu", "r1", {c1});
    const ValueId c2 = net.node("Conv", "c2", {r1, net.weight("w2", {8, 8, 1, 1}), net.weight("b2", {8})});
    const ValueId sum = net.node("Add", "sum", {c2, r1});
    const ValueId m = net.node("MaxPool", "m", {sum}, pool), a = net.node("AveragePool", "a", {sum}, pool);
    const ValueId cat = net.node("Concat", "cat", {m, a}, {{"axis", int64_t{1}}});
    const ValueId flat = net.node("Flatten", "flat", {cat});
    const ValueId p = net.node("MatMul", "p", {flat, net.weight("w3", {256, 10}, 0.05f)});
    const ValueId s = net.node("Add", "s", {p, net.weight("b3", {10})});
    const ValueId g = net.node("Gemm", "g", {s, net.weight("w4", {10, 10}), net.weight("b4", {10})}, {{"transB", int64_t{1}}});
    net.finish({net.node("Softmax", "y", {g}), g});
    return net;
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

QuantReport quantize_as(Graph& graph, std::string_view type, QuantOptions options = {}) {
    options.scheme = &scheme_named(type);
    const Ranges ranges = ranges_of(graph);
    ThreadPool pool(1);
    QuantReport report = quantize_graph(graph, &ranges, options, pool);
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
            QuantOptions options;
            options.search.method = method;
            quantize_as(net.graph, scheme.name, options);
            const double least = scheme.weight == DType::i4                                                                       ? 12
                                 : scheme.activation == DType::i8 || scheme.activation == DType::u8 || scheme.weight == DType::i8 ? 22
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
            if (scheme.activations == Scheme::Activations::dynamic && found->axis != value.enc->axis) continue;
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

BOOST_AUTO_TEST_CASE(qoperators_leave_no_float_operator_between_codes) {
    const auto count = [](const Graph& graph, std::string_view op) {
        return std::count_if(graph.order().begin(), graph.order().end(), [&](NodeId id) { return graph.node(id).op->name == op; });
    };
    for (const int opset : {11, 21}) {
        Net net = classifier();
        QuantOptions options;
        options.per_tensor = true;
        quantize_as(net.graph, "u8i8", options);
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
    const auto unit = [&](const char* name) { return net.graph.node(net.graph.find_node(name)).unit; };
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
    Net net;
    const ValueId x = net.input("x", {1, 2});
    const ValueId w = net.graph.add_constant("w", Tensor::make<float>({2, 2}, std::vector<float>{1e-7f, 1, 1e-7f, 1}));
    const ValueId b = net.graph.add_constant("b", Tensor::make<float>({2}, std::vector<float>{5000, 1}));
    net.finish({net.node("Gemm", "y", {x, w, b})});
    const Net source = net;
    QuantOptions options;
    options.search.method = &whole_range();
    const QuantReport report = quantize_as(net.graph, "i8", options);
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
    QuantOptions options;
    options.rules = &none;
    const QuantReport report = quantize_as(net.graph, "i8", options);
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
    options.rules = &nothing;
    BOOST_CHECK_THROW(quantize_as(again.graph, "i8", options), Error);
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
    QuantOptions options;
    options.overrides = &overrides;
    Net net = source;
    const QuantReport report = quantize_as(net.graph, "i8", options);
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
    BOOST_CHECK_THROW(quantize_as(broken.graph, "i8", options), Error);
    BOOST_CHECK_THROW(check_overrides({{"nobody", {}}}, value_keys(source.graph)), Error);
}

BOOST_AUTO_TEST_CASE(a_value_that_was_not_observed_is_named) {
    Net net = classifier();
    Ranges ranges = ranges_of(net.graph);
    ranges.values.erase("sum");
    QuantOptions options;
    options.scheme = &scheme_named("i8");
    ThreadPool pool(1);
    try {
        quantize_graph(net.graph, &ranges, options, pool);
        BOOST_ERROR("accepted");
    } catch (const Error& error) {
        BOOST_TEST((error.exit() == Exit::bad_input));
        BOOST_TEST(error.message().find("\"sum\"") != std::string::npos, error.message());
    }
}

BOOST_AUTO_TEST_SUITE_END()
