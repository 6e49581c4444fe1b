// LSTM on codes: what calibration sees of its cells, and the encodings that the tflite profile asks for.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "libcore/exec/session.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/quant/collect/collect.h"
#include "libcore/quant/quantize.h"

using namespace quern;

namespace {

constexpr int64_t steps = 12, width = 3, hidden = 4;

Tensor waves(Dims dims, float size, float speed) {
    std::vector<float> numbers(static_cast<size_t>(count_of(dims)));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = size * std::sin(speed * static_cast<float>(i + 1));
    return Tensor::make<float>(std::move(dims), numbers);
}

struct Net {
    Graph graph;
    ValueId y;

    explicit Net(bool state = false, bool last = false) {
        const ValueId x = graph.add_value("x", Type::tensor(DType::f32, Shape::of(Dims{steps, 1, width})));
        const ValueId w = graph.add_constant("w", waves({1, 4 * hidden, width}, 0.9f, 1.7f));
        const ValueId r = graph.add_constant("r", waves({1, 4 * hidden, hidden}, 0.6f, 2.3f));
        const ValueId b = graph.add_constant("b", waves({1, 8 * hidden}, 0.2f, 0.9f));
        const ValueId h = state ? graph.add_constant("h", waves({1, 1, hidden}, 0.5f, 1)) : ValueId::none;
        y = graph.add_value("y", Type{});
        const ValueId y_h = last ? graph.add_value("y_h", Type{}) : ValueId::none;
        graph.add_node(need_op("LSTM"), "lstm", {x, w, r, b, ValueId::none, h}, {y, y_h}, {{"hidden_size", hidden}});
        graph.inputs = {x};
        graph.outputs = {y};
        if (last) graph.outputs.push_back(y_h);
        infer_types(graph);
        graph.metadata[std::string(profile_key)] = "tflite";
    }

    Ranges measured() const {
        const auto recorder = make_recorder(graph, "", {});
        recorder->run({waves({steps, 1, width}, 2, 0.7f)});
        return recorder->ranges(true);
    }

    QuantReport quantized(const Ranges& ranges, const char* type = "i8", const char* recipe = "tflite") {
        QuantRequest request;
        request.scheme = &scheme_named(type);
        QuantWork work(request);
        work.recipe = &recipe_named(recipe);
        ThreadPool pool(1);
        return quantize_graph(graph, &ranges, work, pool);
    }
};

std::vector<float> run(const Graph& graph, Mode mode) {
    ThreadPool pool(1);
    Session session(Program::compile(graph, {.mode = mode}), pool);
    const std::vector<Tensor> inputs{waves({steps, 1, width}, 2, 0.7f)};
    return to_floats(session.run(inputs).at(0));
}

const std::string in_float = "computes in float on weights that are codes: ";

// Why it is float in TFLite, and computes in float on weights that are codes in ONNX.
std::string reason(Net net, const char* type = "i8", const std::string& recipe = "tflite") {
    const Ranges ranges = net.measured();
    const NodeReport node = net.quantized(ranges, type, recipe.c_str()).nodes.at(0);
    const bool codes = recipe == "onnx";
    BOOST_TEST_REQUIRE((node.quantized == codes && node.reason.starts_with(in_float) == codes), node.reason);
    return codes ? node.reason.substr(in_float.size()) : node.reason;
}

double decibel(const std::vector<float>& real, const std::vector<float>& got) {
    double signal = 0, noise = 0;
    for (size_t i = 0; i < real.size(); ++i) {
        signal += static_cast<double>(real[i] * real[i]);
        noise += static_cast<double>((real[i] - got[i]) * (real[i] - got[i]));
    }
    return 10 * std::log10(signal / noise);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quant_lstm)

BOOST_AUTO_TEST_CASE(calibration_sees_the_cells_of_all_steps) {
    const ValueRange cells = Net().measured().values.at("y:cell");
    BOOST_TEST(cells.count == static_cast<uint64_t>(steps * hidden));
    BOOST_TEST(cells.max - cells.min > 0.5f);
    // h = o * tanh(c), and 0 < o < 1
    const ValueRange results = Net().measured().values.at("y");
    BOOST_TEST(std::abs(results.max) < std::tanh(std::max(-cells.min, cells.max)));
}

BOOST_AUTO_TEST_CASE(codes_stay_near_float) {
    Net net;
    const auto real = run(net.graph, Mode::floating);
    const Ranges ranges = net.measured();
    const QuantReport report = net.quantized(ranges);
    BOOST_TEST(report.nodes.at(0).quantized);
    const Node& node = net.graph.node(net.graph.order().back());
    const auto encoding = [&](size_t i) { return *net.graph.value(node.in.at(i)).enc; };
    BOOST_TEST((encoding(5) == *net.graph.value(net.y).enc && node.internal.at("hidden") == encoding(5)));
    BOOST_TEST((encoding(6).storage == DType::i16));
    int exponent = 0;
    const ValueRange& cells = ranges.values.at("y:cell");
    const float scale = to_floats(encoding(6).scale)[0], most = std::max(-cells.min, cells.max);
    BOOST_TEST(std::frexp(scale, &exponent) == 0.5f);
    BOOST_TEST((most <= scale * 32768 && (scale == 1.0f / 32768 || most > scale * 16384)));
    const auto weights = to_floats(encoding(1).scale), biases = to_floats(encoding(3).scale);
    const float x_scale = to_floats(encoding(0).scale)[0];
    for (size_t i = 0; i < weights.size(); ++i) {
        BOOST_TEST(weights[i] == weights[i / hidden * hidden]);
        BOOST_TEST(biases[i] == weights[i] * x_scale);
    }
    BOOST_TEST(decibel(real, run(net.graph, Mode::integer)) > 30);
}

BOOST_AUTO_TEST_CASE(weights_alone_have_scales_for_gate_rows_or_blocks) {
    for (const std::string_view type : {"wo-i8-sym", "wo-i8"}) {
        Net net;
        const auto real = run(net.graph, Mode::floating);
        const QuantReport report = net.quantized(net.measured(), type.data(), "onnx");
        BOOST_TEST(report.nodes.at(0).quantized);
        const Node& node = net.graph.node(net.graph.order().back());
        for (const size_t at : {1, 2}) {
            const Encoding& encoding = net.graph.value(node.in[at]).enc.value();
            BOOST_TEST(encoding.axis == (type == "wo-i8" ? 2 : 1));
            BOOST_TEST(encoding.scale.count() == 4 * hidden);  // a row is one block
        }
        BOOST_TEST(!net.graph.value(node.in[3]).enc.has_value());
        BOOST_TEST(decibel(real, run(net.graph, Mode::integer)) > 35);
    }
}

BOOST_AUTO_TEST_CASE(what_is_quantized_at_run_time_is_the_operator_of_onnxruntime) {
    Net net;
    const auto real = run(net.graph, Mode::floating);
    const QuantReport report = net.quantized(net.measured(), "dynamic-i8", "onnx");
    BOOST_TEST(report.nodes.at(0).quantized);
    BOOST_TEST(report.values.size() == 2u);
    const Node& node = net.graph.node(net.graph.order().back());
    BOOST_TEST(node.op->name == "DynamicQuantizeLSTM");
    BOOST_REQUIRE(node.in.size() == 12u);
    for (const size_t at : {1, 2}) {
        const size_t scale_at = at == 1 ? 8 : 10;
        const Tensor codes = *net.graph.constant(node.in[at]), scale = *net.graph.constant(node.in[scale_at]);
        BOOST_TEST((codes.dtype == DType::u8 && codes.dims == Dims{1, at == 1 ? width : hidden, 4 * hidden}));
        BOOST_TEST((scale.dims == Dims{1, 4 * hidden}));
        for (const int64_t zero : to_ints(*net.graph.constant(node.in[scale_at + 1]))) BOOST_TEST(zero == 128);
        const auto numbers = to_floats(at == 1 ? waves({1, 4 * hidden, width}, 0.9f, 1.7f) : waves({1, 4 * hidden, hidden}, 0.6f, 2.3f));
        const auto ints = to_ints(codes);
        const auto scales = to_floats(scale);
        const size_t rows = scales.size(), columns = numbers.size() / rows;
        for (size_t row = 0; row < rows; ++row)
            for (size_t column = 0; column < columns; ++column) {
                const auto code = static_cast<float>(ints[column * rows + row] - 128);
                BOOST_TEST(std::abs(code * scales[row] - numbers[row * columns + column]) <=
                           14 * scales[row]);  // the greatest may be clipped
                BOOST_TEST(std::abs(code) <= 127);
            }
    }
    BOOST_TEST((net.graph.find("w") == ValueId::none));
    BOOST_TEST(decibel(real, run(net.graph, Mode::integer)) > 25);
}

// As TensorFlow Lite's hybrid kernels take them: a scale for each gate, or real numbers made of codes with a scale for each row.
BOOST_AUTO_TEST_CASE(weights_beside_real_data_are_codes_in_tflite) {
    for (const std::string_view type : {"dynamic-i8", "wo-i8"}) {
        const bool dynamic = type == "dynamic-i8";
        Net net;
        const auto real = run(net.graph, Mode::floating);
        BOOST_TEST(net.quantized(net.measured(), type.data(), "tflite").nodes.at(0).quantized);
        const Node& node = net.graph.node(net.graph.order().back());
        BOOST_TEST(node.op->name == "LSTM");
        BOOST_TEST(node.attrs.contains("asymmetric_quantize_inputs") == dynamic);
        BOOST_TEST(node.attrs.contains("weight_only") == !dynamic);
        for (const size_t at : {1, 2}) {
            const Encoding& encoding = net.graph.value(node.in[at]).enc.value();
            BOOST_TEST(encoding.axis == (encoding.block > 0 ? 2 : 1));
            const auto scales = to_floats(encoding.scale);
            BOOST_REQUIRE(scales.size() == 4 * hidden);
            const std::set<float> different(scales.begin(), scales.end());
            BOOST_TEST((dynamic ? different.size() <= 4 : different.size() > 4));
            for (size_t i = 0; dynamic && i < scales.size(); ++i) BOOST_TEST(scales[i] == scales[i - i % hidden]);
        }
        BOOST_TEST(decibel(real, run(net.graph, Mode::integer)) > 30);
    }
}

// Types that follow one runtime's rules store what that runtime reads: floats.
BOOST_AUTO_TEST_CASE(what_has_no_dynamic_form_keeps_codes_for_weights) {
    Net nnpa;
    const QuantReport report = nnpa.quantized(nnpa.measured(), "dynamic-nnpa", "onnx");
    BOOST_TEST(!report.nodes.at(0).quantized);
    BOOST_TEST(report.nodes.at(0).reason == "has no weight that this type quantizes");
    Net lengths;
    Node& node = lengths.graph.node(lengths.graph.order().back());
    node.in[4] = lengths.graph.add_constant("lengths", Tensor::vector<int32_t>(std::vector<int32_t>{steps}));
    BOOST_TEST(reason(lengths, "dynamic-i8", "onnx") == "its sequences have lengths of their own");
}

BOOST_AUTO_TEST_CASE(what_has_no_form_on_codes_is_float_in_tflite) {
    BOOST_TEST(reason(Net(true)) == "it has a first state");
    BOOST_TEST(reason(Net(false, true)) == "on codes it gives the results of all steps only, and no last state");
    BOOST_TEST(reason(Net(), "w8a16") == "LSTM has a form on int8 codes only");
    Net net;
    Ranges ranges = net.measured();
    ranges.values.erase("y:cell");
    BOOST_TEST(net.quantized(ranges).nodes.at(0).reason.starts_with("its cells were not observed"));
    Net wide;
    ranges = wide.measured();
    ranges.values.at("y:cell").max = 65;
    BOOST_TEST(wide.quantized(ranges).nodes.at(0).reason == "its cells reach 65, and int16 codes 64");
}

// What ONNX has no integer form for: between codes, on weights that are codes with a scale for each row of a gate.
BOOST_AUTO_TEST_CASE(types_of_activations_leave_codes_for_weights_in_onnx) {
    for (const char* type : {"i8", "u8i8", "w8a16", "w16a16"}) {
        Net net;
        const auto real = run(net.graph, Mode::floating);
        const QuantReport report = net.quantized(net.measured(), type, "onnx");
        BOOST_TEST(report.nodes.at(0).quantized);
        BOOST_TEST(report.nodes.at(0).reason.starts_with(in_float));
        const Node& node = net.graph.node(net.graph.order().back());
        BOOST_TEST(node.is(ops::LSTM));
        for (const size_t at : {1, 2}) {
            const Encoding& encoding = net.graph.value(node.in[at]).enc.value();
            BOOST_TEST((encoding.storage == scheme_named(type).weight && encoding.axis == 1));
            BOOST_TEST(encoding.scale.count() == 4 * hidden);
        }
        BOOST_TEST(!net.graph.value(node.in[3]).enc.has_value());
        BOOST_TEST(decibel(real, run(net.graph, Mode::integer)) > 35);
    }
}

BOOST_AUTO_TEST_SUITE_END()
