// Automatic compilation of models that are quantized or compiled already, and of sessions whose settings change meanwhile.
#include <chrono>
#include <cstring>
#include <thread>

#include "libcore/graph/quantize.h"
#include "tests/unit/session_fixture.h"

using namespace session_test;

namespace {

// Its functions differ in the last bits between the back ends cpu and ref.
constexpr const char* soft_net =
    "func.func @net(%x: tensor<2x4xf32>) -> (tensor<2x3xf32>) {\n"
    "  %w = \"onnx.Constant\"() {value = dense<[[1.0, 0.5, -1.0], [0.25, -2.0, 1.0], [0.5, 0.75, 1.5], [-1.0, 1.0, 0.125]]> : "
    "tensor<4x3xf32>} : () -> tensor<4x3xf32>\n"
    "  %e = \"onnx.Softmax\"(%x) {onnx_node_name = \"soft\"} : (tensor<2x4xf32>) -> tensor<2x4xf32>\n"
    "  %a = \"onnx.MatMul\"(%e, %w) {onnx_node_name = \"product\"} : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>\n"
    "  %y = \"onnx.Sigmoid\"(%a) {onnx_node_name = \"sigmoid\"} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
    "  return %y : tensor<2x3xf32>\n"
    "}\n";

struct Auto : Fixture {
    quern_status compile(const char* target) {
        y.assign(6, -1);
        return quern_run_with_auto_compilation(s(), target, QUERN_PREFERENCE_DEFAULT);
    }
    // Until the session runs `file`.
    void compile_until(const char* target, const std::string& file) {
        const char* path = "";
        for (int i = 0; i < 2000 && fs::path(path).filename() != file; ++i) {
            ok(compile(target));
            ok(quern_model_path(s(), &path));
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        BOOST_TEST(fs::path(path).filename() == file);
    }
    void quantize(const char* type) {
        ok(quern_set_quantization_type(s(), type));
        ok(quern_set_quantized_model_path(s(), (folder / "net.q.qn").c_str()));
        ok(quern_quantize(s()));
    }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(session_makes_nothing_of_a_context, Auto) {
    load();
    ok(quern_codegen(s(), "context", QUERN_PREFERENCE_DEFAULT));
    ok(quern_prepare(s()));
    set_buffers();
    ok(quern_set_quantization_type(s(), "uint8"));
    fails(compile("context"), QUERN_USAGE, "compiled already");
    ok(quern_run(s()));
    near_truth(1e-6f);
}

BOOST_FIXTURE_TEST_CASE(session_generates_from_what_is_quantized_already, Auto) {
    load();
    ok(quern_prepare(s()));
    set_buffers();
    ok(quern_set_execute_config(s(), QUERN_RECORD_MINMAX));
    for (int i = 0; i < 2; ++i) ok(quern_run(s()));
    quantize("uint8");
    ok(quern_run(s()));
    const std::vector<float> wanted = y;
    ok(quern_load_model_from_file(s(), (folder / "net.q.qn").c_str()));
    ok(quern_prepare(s()));
    set_buffers();
    fails(compile(""), QUERN_USAGE, "quantized already");
    ok(compile("context"));  // on codes, not recorded
    BOOST_TEST(y == wanted);
    uint64_t runs = 1;
    ok(quern_recorded_runs(s(), &runs));
    BOOST_TEST(runs == 0u);
    compile_until("context", "net.q.qctx");
    BOOST_TEST(y == wanted);
}

BOOST_FIXTURE_TEST_CASE(session_uses_the_back_ends_that_are_set_while_it_compiles, Auto) {
    std::ofstream(folder / "net.mlir") << soft_net;
    load();
    ok(quern_prepare(s()));
    set_buffers();
    quantize("int8_wo");
    ok(quern_run(s()));
    const std::vector<float> on_cpu = y;
    ok(quern_set_available_backends(s(), "ref"));
    ok(quern_run(s()));
    const std::vector<float> on_ref = y;
    BOOST_TEST(on_cpu != on_ref);
    ok(quern_set_available_backends(s(), ""));
    load();
    ok(quern_prepare(s()));
    set_buffers();
    ok(compile(""));
    ok(quern_set_available_backends(s(), "ref"));
    compile_until("", "net.q.qn");
    ok(quern_run(s()));
    BOOST_TEST(y == on_ref);
}
