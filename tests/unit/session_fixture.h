// A session of quern.h with a small model in a folder of its own, for tests.
#pragma once

#include <unistd.h>
#include "include/quern/quern.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace session_test {

namespace fs = std::filesystem;

inline constexpr const char* net =
    "func.func @net(%x: tensor<2x4xf32>) -> (tensor<2x3xf32>) {\n"
    "  %w = \"onnx.Constant\"() {value = dense<[[1.0, 0.5, -1.0], [0.25, -2.0, 1.0], [0.5, 0.75, 1.5], [-1.0, 1.0, 0.125]]> : "
    "tensor<4x3xf32>} : () -> "
    "tensor<4x3xf32>\n"
    "  %a = \"onnx.MatMul\"(%x, %w) {onnx_node_name = \"product\"} : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>\n"
    "  %y = \"onnx.Relu\"(%a) {onnx_node_name = \"relu\"} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
    "  return %y : tensor<2x3xf32>\n"
    "}\n";

struct Close {
    void operator()(quern_inference_session* session) const { quern_close_session(session); }
};
using Held = std::unique_ptr<quern_inference_session, Close>;

// A session with the net from a file in a folder of its own, and its buffers.
struct Fixture {
    fs::path folder = fs::temp_directory_path() / ("quern_session_" + std::to_string(::getpid()));
    Held held;
    std::vector<float> x{1, -1, 0.5f, 2, 0.25f, 1, -2, 0}, y = std::vector<float>(6);

    Fixture() {
        fs::create_directories(folder);
        std::ofstream(folder / "net.mlir") << net;
        quern_inference_session* session = nullptr;
        BOOST_REQUIRE_EQUAL(quern_create_session(&session), QUERN_OK);
        held.reset(session);
    }
    ~Fixture() {
        held.reset();
        fs::remove_all(folder);
    }
    quern_inference_session* s() const { return held.get(); }
    void load() { ok(quern_load_model_from_file(s(), (folder / "net.mlir").c_str())); }
    void set_buffers() {
        ok(quern_set_input(s(), 0, QUERN_FLOAT32, x.data(), x.size() * 4));
        ok(quern_set_output(s(), 0, QUERN_FLOAT32, y.data(), y.size() * 4));
    }
    static void ok(quern_status status) { BOOST_REQUIRE_MESSAGE(status == QUERN_OK, quern_last_error()); }
    static void fails(quern_status got, quern_status want, const std::string& text) {
        BOOST_TEST(got == want);
        BOOST_TEST(std::string(quern_last_error()).find(text) != std::string::npos, quern_last_error());
    }
    void near_truth(float tolerance) const {
        const float product[] = {-1.0f, 4.875f, -1.0f, -0.5f, -3.375f, -2.25f};
        for (size_t i = 0; i < y.size(); ++i) BOOST_TEST(std::fabs(y[i] - std::fmax(product[i], 0.0f)) <= tolerance);
    }
    quern_session_state state() const {
        quern_session_state now = -1;
        ok(quern_get_state(s(), &now));
        return now;
    }
};

}  // namespace session_test
