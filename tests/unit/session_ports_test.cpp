// The session interface: shapes, signatures, outputs without buffers, products that are loaded.
#include "libcore/codegen/generator.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tflite_files.h"

using namespace session_test;

namespace {

constexpr const char* open_net =
    "func.func @net(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>) {\n"
    "  %y = \"onnx.Neg\"(%x) {onnx_node_name = \"neg\"} : (tensor<?x4xf32>) -> tensor<?x4xf32>\n"
    "  return %y : tensor<?x4xf32>\n"
    "}\n";

quern_io_info info_of(quern_inference_session* s, decltype(quern_input_info)* function) {
    quern_io_info info{};
    info.struct_size = sizeof info;
    Fixture::ok(function(s, 0, &info));
    return info;
}

std::vector<float> output_of(quern_inference_session* s, size_t index = 0) {
    const void* data = nullptr;
    size_t size = 0;
    Fixture::ok(quern_output_data(s, index, &data, &size));
    const auto* numbers = static_cast<const float*>(data);
    return {numbers, numbers + size / sizeof(float)};
}

// y = x, or x + x, under two signatures.
std::string two_signatures() {
    using namespace quern::test;
    TfliteFile file;
    for (const char* key : {"once", "twice"}) {
        const int x = file.tensor("x", {1, 2}), y = file.tensor("y", {1, 2});
        const bool twice = key[0] == 't';
        if (twice)
            file.op(quern::tflite::BuiltinOperator::ADD, {x, x}, {y});
        else
            file.op(quern::tflite::BuiltinOperator::ABS, {x}, {y});
        file.end_graph({x}, {y});
        file.signature(key, static_cast<uint32_t>(y), twice ? 1 : 0);
    }
    return file.finish();
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(session_pins_an_input, Fixture) {
    std::ofstream(folder / "two.mlir") << "func.func @net(%k: tensor<2xf32>, %x: tensor<2xf32>) -> (tensor<2xf32>) {\n"
                                          "  %y = \"onnx.Mul\"(%x, %k) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
                                          "  return %y : tensor<2xf32>\n"
                                          "}\n";
    fails(quern_pin_input(s(), "k=3"), QUERN_USAGE, "the session is created, it must be loaded");
    ok(quern_load_model_from_file(s(), (folder / "two.mlir").c_str()));
    fails(quern_pin_input(s(), nullptr), QUERN_USAGE, "pin is NULL");
    fails(quern_pin_input(s(), "z=3"), QUERN_USAGE, "no input \"z\"");
    ok(quern_pin_input(s(), "k=3,-1"));
    ok(quern_prepare(s()));
    ok(quern_set_input(s(), 0, QUERN_FLOAT32, x.data(), 8));
    ok(quern_set_output(s(), 0, QUERN_FLOAT32, y.data(), 8));
    fails(quern_set_input(s(), 1, QUERN_FLOAT32, x.data(), 8), QUERN_USAGE, "input 1: the model has 1");
    ok(quern_run(s()));
    BOOST_TEST(y[0] == 3.0f);
    BOOST_TEST(y[1] == 1.0f);
    fails(quern_pin_input(s(), "x=1"), QUERN_USAGE, "the model is prepared already");
}

BOOST_FIXTURE_TEST_CASE(session_shapes_are_fixed_before_preparing_and_set_after_it, Fixture) {
    std::ofstream(folder / "open.mlir") << open_net;
    ok(quern_load_model_from_file(s(), (folder / "open.mlir").c_str()));
    BOOST_TEST(info_of(s(), quern_input_info).dims[0] == -1);
    ok(quern_prepare(s()));
    const int64_t two[] = {2, 4}, one[] = {1, 4}, wrong[] = {2, 5};
    fails(quern_set_input_shape(s(), 0, 2, wrong), QUERN_BAD_INPUT, "got [2,5], need [?,4]");
    fails(quern_set_input_shape(s(), 0, 1, two), QUERN_BAD_INPUT, "got a rank of 1, need [?,4]");
    fails(quern_set_input_shape(s(), 0, std::numeric_limits<int32_t>::max(), two), QUERN_BAD_INPUT, "got a rank of 2147483647, need [?,4]");
    fails(quern_set_input_shape(s(), 1, std::numeric_limits<int32_t>::max(), two), QUERN_USAGE, "input 1: the model has 1");
    fails(quern_set_input_shape(s(), 1, 2, two), QUERN_USAGE, "input 1: the model has 1");
    fails(quern_set_input_shape(s(), 0, 2, nullptr), QUERN_USAGE, "dims is NULL");
    ok(quern_set_input(s(), 0, QUERN_FLOAT32, x.data(), 32));
    ok(quern_set_input_shape(s(), 0, 2, two));
    BOOST_TEST(info_of(s(), quern_input_info).dims[0] == 2);
    ok(quern_run(s()));
    BOOST_TEST(output_of(s()).size() == 8u);
    BOOST_TEST(info_of(s(), quern_output_info).dims[0] == 2);
    ok(quern_set_input_shape(s(), 0, 2, one));
    fails(quern_run(s()), QUERN_BAD_INPUT, "the buffer has 32 bytes, float32[1,4] needs 16");
    ok(quern_set_input(s(), 0, QUERN_FLOAT32, x.data(), 16));
    ok(quern_run(s()));
    BOOST_TEST(output_of(s()).size() == 4u);
    ok(quern_prepare(s()));  // anew: shapes and buffers stay
    ok(quern_run(s()));
    BOOST_TEST(output_of(s()).size() == 4u);

    ok(quern_load_model_from_file(s(), (folder / "open.mlir").c_str()));
    ok(quern_set_input_shape(s(), 0, 2, two));
    BOOST_TEST(info_of(s(), quern_output_info).dims[0] == 2);  // inferred
    ok(quern_prepare(s()));
    fails(quern_set_input_shape(s(), 0, 2, one), QUERN_BAD_INPUT, "got [1,4], need [2,4]");
}

BOOST_FIXTURE_TEST_CASE(session_takes_the_graph_of_a_signature, Fixture) {
    const std::string file = two_signatures();
    for (const auto& [name, factor] : {std::pair{"", 1.0f}, std::pair{"once", 1.0f}, std::pair{"twice", 2.0f}}) {
        quern_inference_session* session = nullptr;
        ok(quern_create_session(&session));
        held.reset(session);
        ok(quern_set_signature(s(), name));
        ok(quern_load_model_from_memory(s(), file.data(), file.size()));
        fails(quern_set_signature(s(), "once"), QUERN_USAGE, "a model is loaded already");
        ok(quern_prepare(s()));
        const float three[] = {3, 3};
        ok(quern_set_input(s(), 0, QUERN_FLOAT32, three, sizeof three));
        ok(quern_run(s()));
        BOOST_TEST(output_of(s()).at(1) == 3 * factor);
    }
    quern_inference_session* session = nullptr;
    ok(quern_create_session(&session));
    held.reset(session);
    ok(quern_set_signature(s(), "twize"));
    fails(quern_load_model_from_memory(s(), file.data(), file.size()), QUERN_USAGE, "did you mean \"twice\"");
}

BOOST_FIXTURE_TEST_CASE(session_hands_out_outputs_without_buffers, Fixture) {
    load();
    const void* data = nullptr;
    size_t size = 0;
    fails(quern_output_data(s(), 0, &data, &size), QUERN_USAGE, "the session is loaded");
    ok(quern_prepare(s()));
    fails(quern_output_data(s(), 0, &data, &size), QUERN_USAGE, "was not run yet");
    ok(quern_set_input(s(), 0, QUERN_FLOAT32, x.data(), 32));
    ok(quern_run(s()));
    y = output_of(s());
    BOOST_REQUIRE(y.size() == 6u);
    near_truth(1e-6f);
    fails(quern_output_data(s(), 1, &data, &size), QUERN_USAGE, "output 1: the model has 1");
    fails(quern_output_data(s(), 0, nullptr, &size), QUERN_USAGE, "data is NULL");
    std::vector<float> small(5);
    ok(quern_set_output(s(), 0, QUERN_FLOAT32, small.data(), 20));
    fails(quern_run(s()), QUERN_BAD_INPUT, "output \"y\": the buffer has 20 bytes, float32[2,3] needs 24");
    ok(quern_set_output(s(), 0, QUERN_FLOAT32, nullptr, 0));
    ok(quern_run(s()));
    ok(quern_set_quantization_type(s(), "int8_wo"));
    ok(quern_set_quantized_model_path(s(), (folder / "q.circle").c_str()));
    ok(quern_quantize(s()));
    fails(quern_output_data(s(), 0, &data, &size), QUERN_USAGE, "was not run yet");
}

BOOST_FIXTURE_TEST_CASE(session_loads_a_context_with_its_graphs, Fixture) {
    std::ofstream(folder / "open.mlir") << open_net;
    quern::GenerateRequest request{quern::read_model((folder / "net.mlir").string()), (folder / "net.mlir").string(),
                                   (folder / "both.qctx").string()};
    request.options["graphs"] = "other=" + (folder / "open.mlir").string();
    quern::context_generator.generate(request);
    ok(quern_load_model_from_file(s(), (folder / "both.qctx").c_str()));
    ok(quern_prepare(s()));
    set_buffers();
    ok(quern_run(s()));
    near_truth(1e-6f);
    fails(quern_set_execute_config(s(), QUERN_RECORD_MINMAX), QUERN_USAGE, "compiled already");
    ok(quern_set_quantization_type(s(), "int8_wo"));
    fails(quern_quantize(s()), QUERN_USAGE, "compiled already");

    quern_inference_session* session = nullptr;
    ok(quern_create_session(&session));
    held.reset(session);
    ok(quern_set_signature(s(), "other"));
    ok(quern_load_model_from_file(s(), (folder / "both.qctx").c_str()));
    ok(quern_prepare(s()));
    const int64_t two[] = {2, 4};
    ok(quern_set_input_shape(s(), 0, 2, two));
    ok(quern_set_input(s(), 0, QUERN_FLOAT32, x.data(), 32));
    ok(quern_run(s()));
    BOOST_TEST(output_of(s()).at(0) == -1);
}

// Weights beside a model in memory would be any file of that name in the current folder.
BOOST_FIXTURE_TEST_CASE(session_reads_no_files_for_a_model_from_memory, Fixture) {
    const fs::path here = fs::current_path();
    std::ofstream(folder / "net.mlir")  // large enough not to be written inline
        << "func.func @net(%x: tensor<2x32xf32>) -> (tensor<2x32xf32>) {\n"
           "  %w = \"onnx.Constant\"() {value = dense<0.5> : tensor<32x32xf32>} : () -> tensor<32x32xf32>\n"
           "  %y = \"onnx.MatMul\"(%x, %w) : (tensor<2x32xf32>, tensor<32x32xf32>) -> tensor<2x32xf32>\n"
           "  return %y : tensor<2x32xf32>\n"
           "}\n";
    quern::WriteOptions options;
    options.external_data = true;
    quern::write_model(quern::read_model((folder / "net.mlir").string()), (folder / "net.onnx").string(), "onnx", options);
    fs::current_path(folder);
    std::ifstream file("net.onnx", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const quern_status from_file = quern_load_model_from_file(s(), "net.onnx");
    const quern_status from_memory = quern_load_model_from_memory(s(), bytes.data(), bytes.size());
    fs::current_path(here);
    BOOST_TEST(from_file == QUERN_OK);
    fails(from_memory, QUERN_BAD_INPUT, "<memory>: ");
    fails(from_memory, QUERN_BAD_INPUT, "the model did not come from a file");
}

BOOST_FIXTURE_TEST_CASE(session_hands_out_no_strings, Fixture) {
    const std::string text =
        "func.func @net(%x: tensor<2xf32>) -> (tensor<2x!onnx.String>) {\n"
        "  %y = \"onnx.Cast\"(%x) {to = 8 : si64} : (tensor<2xf32>) -> tensor<2x!onnx.String>\n"
        "  return %y : tensor<2x!onnx.String>\n"
        "}\n";
    ok(quern_load_model_from_memory(s(), text.data(), text.size()));
    ok(quern_prepare(s()));
    ok(quern_set_input(s(), 0, QUERN_FLOAT32, x.data(), 8));
    ok(quern_run(s()));
    const void* data = nullptr;
    size_t size = 0;
    fails(quern_output_data(s(), 0, &data, &size), QUERN_UNSUPPORTED, "strings do not go through buffers");
    fails(quern_set_output(s(), 0, QUERN_STRING, y.data(), 24), QUERN_UNSUPPORTED, "strings do not go through buffers");
}
