// AIMET's quantsim configurations: what becomes which rule, and what is named as not applied.
#include <boost/test/unit_test.hpp>

#include "libcore/base/error.h"
#include "libcore/quant/encodings/quantsim.h"

using namespace quern;

namespace {

Quantsim read(const std::string& json, std::string_view base = "i8") { return parse_quantsim(json, scheme_named(base)); }

std::string message_of(const std::string& json) {
    try {
        read(json);
    } catch (const Error& error) {
        BOOST_TEST((error.exit() == Exit::bad_input));
        return error.message();
    }
    return "no error";
}

// As AIMET ships it for operators by channel.
const char* const usual = R"({
    "defaults": {"ops": {"is_output_quantized": "True"}, "params": {"is_quantized": "True", "is_symmetric": "True"},
                 "strict_symmetric": "False", "unsigned_symmetric": "False", "per_channel_quantization": "True"},
    "params": {"bias": {"is_quantized": "False"}},
    "op_type": {"Squeeze": {"is_output_quantized": "False"}, "Pad": {"is_output_quantized": "False"},
                "Mean": {"is_output_quantized": "False"}, "Gemm": {"per_channel_quantization": "False"},
                "LayerNormalization": {"per_channel_quantization": "False", "params": {"bias": {"is_quantized": "False"}}}},
    "supergroups": [{"op_list": ["Conv", "Relu"]}, {"op_list": ["Conv", "Clip"]}, {"op_list": ["Add", "Relu"]}, {"op_list": ["Gemm", "Relu"]}],
    "model_input": {"is_input_quantized": "True"}, "model_output": {}})";

}  // namespace

BOOST_AUTO_TEST_SUITE(quantsim)

BOOST_AUTO_TEST_CASE(the_usual_configuration) {
    const Quantsim config = read(usual);
    BOOST_TEST(config.unapplied.empty());
    BOOST_REQUIRE(config.rules.global && config.rules.global->scheme);
    BOOST_TEST(!config.rules.global->scheme->activation_symmetric);
    BOOST_TEST(config.rules.global->scheme->weight_symmetric);
    BOOST_TEST(config.rules.global->scheme->per_channel);
    BOOST_TEST(!config.rules.io);
    BOOST_TEST(config.rules.op_types.size() == 3u);  // Squeeze and Pad only move numbers
    BOOST_TEST(!config.rules.op_types.at("Mean").scheme);
    BOOST_TEST(!config.rules.op_types.at("Gemm").scheme->per_channel);
    BOOST_TEST(config.rules.op_types.at("Gemm").scheme->weight_symmetric);
    BOOST_TEST(config.rules.unmatched(Graph(), {}).empty());
}

BOOST_AUTO_TEST_CASE(bits_are_those_of_the_type) {
    const Quantsim wide = read(usual, "w8a16");
    BOOST_TEST((wide.rules.global->scheme->activation == DType::i16));
    BOOST_TEST(!wide.rules.global->scheme->activation_symmetric);  // AIMET's default
    const Quantsim weights = read(usual, "wo-i8");
    BOOST_TEST(!weights.rules.global->scheme->full());
}

BOOST_AUTO_TEST_CASE(symmetry_and_what_is_quantized_by_default) {
    const Quantsim some = read(R"({"defaults": {"ops": {"is_symmetric": true}, "params": {"is_symmetric": "False"}},
        "params": {"weight": {"is_symmetric": "True"}}, "model_output": {"is_output_quantized": "False"},
        "op_type": {"Conv": {"is_output_quantized": "True"}, "Softmax": {"is_output_quantized": "True", "is_symmetric": "False"},
                    "MatMul": {"is_output_quantized": "True", "params": {"weight": {"is_symmetric": "False"}}}, "Relu": {}}})");
    BOOST_TEST(some.unapplied.empty());
    BOOST_REQUIRE(some.rules.global);
    BOOST_TEST(!some.rules.global->scheme);
    BOOST_TEST(some.rules.op_types.size() == 3u);
    BOOST_TEST(some.rules.op_types.at("Conv").scheme->activation_symmetric);
    BOOST_TEST(some.rules.op_types.at("Conv").scheme->weight_symmetric);
    BOOST_TEST(!some.rules.op_types.at("Conv").scheme->per_channel);
    BOOST_TEST(!some.rules.op_types.at("Softmax").scheme->activation_symmetric);
    BOOST_TEST(!some.rules.op_types.at("MatMul").scheme->weight_symmetric);
}

BOOST_AUTO_TEST_CASE(what_has_no_counterpart_is_named) {
    const std::vector<std::string> want{
        "hw_version: it is about the kernels of a device, which --target and quern place know",
        "supergroup: it is not a section that is known (did you mean \"supergroups\"?)",
        "defaults.kernel: it has no counterpart",
        "defaults.params: weights of a quantized operator are quantized, too",
        "defaults.strict_symmetric: symmetric weights leave out the least code anyway, activations use it",
        "defaults.unsigned_symmetric: symmetric codes are signed, whatever the range",
        "params.bias: biases always have 32 bits",
        "params.scale: only weight and bias have settings",
        "op_type.\"Conv\".is_input_quantized: a quantized operator reads quantized inputs",
        "op_type.\"CustomMarker\": it is not an operator of ONNX",
        "supergroups[1]: Relu, Conv are not one integer unit",
        "supergroups[2]: Conv, Swish2 are not one integer unit",
        "model_input: inputs of the model are quantized where quantized operators read them",
        "model_output: outputs of the model are quantized as other results are",
    };
    const Quantsim config = read(R"({
        "defaults": {"ops": {"is_output_quantized": "True"}, "params": {"is_quantized": "False"}, "strict_symmetric": "True",
                     "unsigned_symmetric": "True", "kernel": 1},
        "params": {"bias": {"is_quantized": "True"}, "scale": {}},
        "op_type": {"Conv": {"is_input_quantized": "False"}, "CustomMarker": {}},
        "supergroups": [{"op_list": ["Conv", "BatchNormalization", "Relu"]}, {"op_list": ["Relu", "Conv"]}, {"op_list": ["Conv", "Swish2"]}],
        "model_output": {"is_output_quantized": "False"}, "hw_version": "V73", "supergroup": []})");
    BOOST_TEST(config.unapplied == want, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(broken_ones) {
    BOOST_TEST(is_quantsim(usual));
    BOOST_TEST(!is_quantsim(R"({"kind": "rules", "version": 1, "global": "i8"})"));
    BOOST_TEST(message_of(R"({"defaults": {"ops": {"is_symmetric": "yes"}}})") ==
               "defaults.ops.is_symmetric: is \"yes\", need True or False");
    BOOST_TEST(message_of(R"({"defaults": {"ops": []}})") == "defaults.ops: is an array, need an object");
    BOOST_TEST(message_of(R"({"defaults": {}, "supergroups": [{}]})") == "supergroups[0]: \"op_list\" is missing");
}

BOOST_AUTO_TEST_SUITE_END()
