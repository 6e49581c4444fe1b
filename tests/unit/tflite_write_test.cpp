// Writing TFLite and Circle: what is read back is what was written.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <regex>

#include "formats/format.h"
#include "formats/text/text.h"
#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/graph/quantize.h"

using namespace quern;

namespace {

Model parsed(const std::string& text) {
    Model model = parse_text(text);
    infer_types(model.graph);
    return model;
}

Model written_and_read(const Model& model, const std::string& format, const WriteOptions& options = {}) {
    const std::string path = (std::filesystem::temp_directory_path() / fmt::format("quern-write-{}.{}", ::getpid(), format)).string();
    write_model(model, path, format, options);
    Model back = read_model(path);
    std::filesystem::remove(path);
    return back;
}

std::vector<std::string> ops(const Graph& graph) {
    std::vector<std::string> names;
    for (const NodeId id : graph.order()) names.emplace_back(graph.node(id).op->name);
    return names;
}

const std::string conv = R"(func.func @main(%x: tensor<1x2x5x5xf32>) -> tensor<1x3x3x3xf32> {
  %w = "onnx.Constant"() {value = dense<0.5> : tensor<3x2x3x3xf32>} : () -> tensor<3x2x3x3xf32>
  %c = "onnx.Conv"(%x, %w) : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x3x3xf32>
  %y = "onnx.Relu"(%c) : (tensor<1x3x3x3xf32>) -> tensor<1x3x3x3xf32>
  return %y : tensor<1x3x3x3xf32>
})";

}  // namespace

BOOST_AUTO_TEST_SUITE(tflite_write)

BOOST_AUTO_TEST_CASE(convolutions_become_channels_last_with_their_activation) {
    for (const char* format : {"tflite", "circle"}) {
        const Graph graph = written_and_read(parsed(conv), format).graph;
        BOOST_TEST(ops(graph) == (std::vector<std::string>{"Transpose", "Conv", "Relu", "Transpose"}), boost::test_tools::per_element());
        BOOST_TEST(graph.value(graph.inputs[0]).name == "x");
        BOOST_TEST(graph.value(graph.outputs[0]).name == "y");
        BOOST_TEST(to_string(graph.value(graph.outputs[0]).type) == "float32[1,3,3,3]");
    }
}

// Each block type of ggml, and blocks that none of them says: a tensor of scales beside the codes.
// In Circle as they are; in TFLite as real numbers, since LiteRT computes something else from blocks.
BOOST_AUTO_TEST_CASE(blocks_are_written_so_that_runtimes_read_them) {
    struct Case {
        DType storage, scale;
        int64_t block;
        bool min;
    };
    for (const Case& c :
         {Case{DType::i4, DType::f16, 32, false}, Case{DType::i8, DType::f16, 32, false}, Case{DType::u4, DType::f16, 32, true},
          Case{DType::i4, DType::f32, 16, false}, Case{DType::i8, DType::f16, 64, false}}) {
        Model model = parsed(R"(func.func @main(%x: tensor<2x64xf32>) -> tensor<2x3xf32> {
  %w = "onnx.Constant"() {value = dense<0.0> : tensor<3x64xf32>} : () -> tensor<3x64xf32>
  %y = "onnx.Gemm"(%x, %w) {transB = 1 : si64} : (tensor<2x64xf32>, tensor<3x64xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
})");
        Value& w = model.graph.value(model.graph.find("w"));
        std::vector<int64_t> codes;
        for (int64_t i = 0; i < 192; ++i) codes.push_back((i * 5 + i / 16) % 16 - (c.storage == DType::u4 ? 0 : 8));
        std::vector<float> scales;
        for (int64_t i = 0; i < 3 * 64 / c.block; ++i) scales.push_back(0.25f * static_cast<float>(i + 1));
        const Dims dims{3, 64 / c.block};
        Encoding encoding = make_encoding(c.storage, from_floats(c.scale, dims, scales), {}, 1);
        encoding.block = c.block;
        if (c.min) encoding.min = from_floats(c.scale, dims, std::vector<float>(scales.rbegin(), scales.rend()));
        w.data = from_ints(c.storage, {3, 64}, codes).data;
        w.enc = encoding;
        for (const char* format : {"circle", "tflite"}) {
            if (c.min && std::string_view(format) == "tflite") {
                BOOST_CHECK_THROW(written_and_read(model, format), Error);
                continue;
            }
            const Graph graph = written_and_read(model, format).graph;
            if (std::string_view(format) == "tflite") {
                const auto real = graph.constant(graph.find("w/real"));
                BOOST_REQUIRE(real);
                BOOST_TEST(to_floats(*real) == to_floats(dequantize({c.storage, {3, 64}, *w.data}, encoding)));
                continue;
            }
            const Value& back = graph.value(graph.find("w"));
            BOOST_TEST((back.enc && *back.enc == encoding),
                       format << " with " << name_of(c.storage) << ": " << to_string(back.enc.value()));
            BOOST_TEST(std::equal(back.data->data(), back.data->data() + back.data->size(), w.data->data()));
        }
    }
}

BOOST_AUTO_TEST_CASE(written_once_more_the_bytes_are_the_same) {
    const Model first = written_and_read(parsed(conv), "tflite"), second = written_and_read(first, "tflite");
    BOOST_TEST(print_text(first.graph) == print_text(second.graph));
}

// The second conversion would merge what the first has left apart: constants of lowered operators, of outputs not.
BOOST_AUTO_TEST_CASE(equal_constants_are_written_once) {
    const Model model = parsed(R"(func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>) {
  %a = "onnx.Constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %b = "onnx.Constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %g = "onnx.HardSigmoid"(%x) {alpha = 0.25 : f32, beta = 0.5 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %h = "onnx.HardSigmoid"(%g) {alpha = 0.25 : f32, beta = 0.5 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = "onnx.Mul"(%g, %h) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y, %a, %b : tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>
})");
    for (const char* format : {"tflite", "circle"}) {
        const Graph graph = written_and_read(model, format).graph;
        size_t scalars = 0;
        for (size_t i = 0; i < graph.value_count(); ++i) {
            const auto contents = graph.constant(static_cast<ValueId>(i));
            scalars += contents && contents->dtype == DType::f32 && (to_floats(*contents) == std::vector<float>{0.25f});
        }
        BOOST_TEST(scalars == 1U);
        BOOST_TEST(graph.value(graph.outputs[1]).name == "a");
        BOOST_TEST(graph.value(graph.outputs[2]).name == "b");
    }
}

BOOST_AUTO_TEST_CASE(interfaces_are_stored_as_asked) {
    Model model = parsed(R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "onnx.Relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
})");
    for (const ValueId id : {model.graph.inputs[0], model.graph.outputs[0]})
        model.graph.value(id).enc = make_encoding(DType::i8, Tensor::scalar(0.5f), from_ints(DType::i8, {}, std::array<int64_t, 1>{-3}));
    const auto storage = [&](const std::string& io) {
        const Graph graph = written_and_read(model, "tflite", {.io = io}).graph;
        const auto& encoding = graph.value(graph.inputs[0]).enc;
        return encoding ? to_string(*encoding) : std::string("float");
    };
    BOOST_TEST(storage("") == "int8 scale 0.5 zero -3");
    BOOST_TEST(storage("float") == "float");
    BOOST_TEST(storage("uint8") == "uint8 scale 0.5 zero 125");
    BOOST_TEST(storage("int16").starts_with("int16 scale 0.0019837"));  // reaches as far as 130 * 0.5
    model.graph.value(model.graph.inputs[0]).enc.reset();
    BOOST_CHECK_THROW(storage("int8"), Error);
}

// Codes may be moved between the interface and Q or DQ; what a scale for each channel says is no interface of these formats.
BOOST_AUTO_TEST_CASE(codes_on_the_interface_are_encodings) {
    const std::string net = R"(func.func @main(%x: tensor<2x4xi8>) -> (tensor<4x2xi8>, tensor<4x2xf32>) {
  %s = "onnx.Constant"() {value = dense<SCALE> : tensor<SHAPEf32>} : () -> tensor<SHAPEf32>
  %z = "onnx.Constant"() {value = dense<-3> : tensor<SHAPEi8>} : () -> tensor<SHAPEi8>
  %m = "onnx.Transpose"(%x) {perm = [1, 0]} : (tensor<2x4xi8>) -> tensor<4x2xi8>
  %r = "onnx.DequantizeLinear"(%m, %s, %z) {axis = 1 : si64} : (tensor<4x2xi8>, tensor<SHAPEf32>, tensor<SHAPEi8>) -> tensor<4x2xf32>
  %y = "onnx.Relu"(%r) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %q = "onnx.QuantizeLinear"(%y, %s, %z) {axis = 1 : si64} : (tensor<4x2xf32>, tensor<SHAPEf32>, tensor<SHAPEi8>) -> tensor<4x2xi8>
  return %q, %y : tensor<4x2xi8>, tensor<4x2xf32>
})";
    const auto with = [&](const std::string& scale, const std::string& shape) {
        std::string text = std::regex_replace(net, std::regex("SCALE"), scale);
        return parsed(std::regex_replace(text, std::regex("SHAPE"), shape));
    };
    const Graph graph = written_and_read(with("0.5", ""), "tflite").graph;
    const auto encoding = [&](ValueId id) { return graph.value(id).enc ? to_string(*graph.value(id).enc) : std::string(); };
    BOOST_TEST(graph.value(graph.inputs[0]).name == "x");
    BOOST_TEST(encoding(graph.inputs[0]) == "int8 scale 0.5 zero -3");
    BOOST_TEST(graph.value(graph.outputs[0]).name == "q");
    BOOST_TEST(encoding(graph.outputs[0]) == "int8 scale 0.5 zero -3");
    BOOST_TEST(graph.value(graph.outputs[1]).name == "y");
    BOOST_CHECK_THROW(written_and_read(with("[0.5, 0.25]", "2x"), "tflite"), Error);
}

// ONNX counts indices below 0 from the end, kernels of both formats refuse them or read outside.
BOOST_AUTO_TEST_CASE(indices_count_from_the_start) {
    const auto written = [](const std::string& node, const std::string& type, const std::string& what, const std::string& result) {
        Model model = parsed(fmt::format(R"(func.func @main(%x: tensor<3x4xf32>, %i: tensor<2xi64>, %k: tensor<2xi32>) -> tensor<{3}xf32> {{
  %c = "onnx.Constant"() {{value = dense<{2}> : tensor<{1}>}} : () -> tensor<{1}>
  %z = "onnx.Constant"() {{value = dense<0.0> : tensor<3x4xf32>}} : () -> tensor<3x4xf32>
  %w = "onnx.Cast"(%k) {{to = 7}} : (tensor<2xi32>) -> tensor<2xi64>
  %p = "onnx.ArgMax"(%x) {{axis = 1, keepdims = 0}} : (tensor<3x4xf32>) -> tensor<3xi64>
  %s = "onnx.Relu"(%x) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = {0} -> tensor<{3}xf32>
  return %y : tensor<{3}xf32>
}})",
                                         node, type, what, result));
        std::string out;
        for (const char* format : {"tflite", "circle"}) {
            const Graph graph = written_and_read(model, format).graph;
            for (size_t i = 0; i < graph.value_count(); ++i) {
                const auto id = static_cast<ValueId>(i);
                const auto items = graph.value(id).erased ? std::nullopt : graph.constant(id);
                if (items && is_integer(items->dtype))
                    for (const int64_t item : to_ints(*items)) BOOST_TEST((item >= 0), format << ": " << item << " in " << node);
            }
            const auto names = ops(graph);
            out += std::ranges::count(names, "Mod") > 0 ? "remainder " : "plain ";
        }
        return out;
    };
    const std::string gather = R"("onnx.Gather"(%s, %{}) {{axis = 1}} : (tensor<3x4xf32>, tensor<{}>))";
    const auto gathered = [&](const char* by, const char* type) { return fmt::format(fmt::runtime(gather), by, type); };
    BOOST_TEST(written(gathered("c", "2xi64"), "2xi64", "[-1, 2]", "3x2") == "plain plain ");
    BOOST_TEST(written(gathered("c", "i64"), "i64", "-4", "3") == "plain plain ");
    BOOST_TEST(written(gathered("i", "2xi64"), "i64", "0", "3x2") == "remainder remainder ");
    BOOST_TEST(written(gathered("w", "2xi64"), "i64", "0", "3x2") == "remainder remainder ");
    BOOST_TEST(written(gathered("p", "3xi64"), "i64", "0", "3x3") == "plain plain ");
    BOOST_TEST(written(R"("onnx.GatherND"(%s, %c) : (tensor<3x4xf32>, tensor<2x2xi64>))", "2x2xi64", "[[0, -1], [-3, 2]]", "2") ==
               "plain plain ");
    BOOST_TEST(written(R"("onnx.ScatterND"(%z, %c, %s) {reduction = "add"} : (tensor<3x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>))",
                       "3x1xi64", "[[-1], [-3], [1]]", "3x4") == "plain plain ");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_said_is_refused_by_name) {
    const Model model = parsed(R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "onnx.Acosh"(%x) {onnx_node_name = "odd"} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
})");
    BOOST_CHECK_EXCEPTION(written_and_read(model, "tflite"), Error, [](const Error& error) {
        return error.exit() == Exit::unsupported && std::string(error.what()).find("\"odd\"") != std::string::npos;
    });
}

BOOST_AUTO_TEST_SUITE_END()
