// The native format: everything survives, equal models give equal bytes, broken files are refused, weights are mapped.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "formats/native/native.h"
#include "formats/text/text.h"
#include "libcore/graph/op.h"
#include "libcore/os/io.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(native)

namespace {

const char* const source = R"(module attributes {quern.facts = {ranges = "{}"}, quern.lineage = "00ff", quern.metadata = {key = "text"}} {
  func.func @main(%x: tensor<?{batch}x2xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.5> : tensor<f32>, zero = dense<3> : tensor<i8>}]}, %c: tensor<i1>, %s: !onnx.Seq<tensor<*xf32>>) -> (tensor<?{batch}x2xf32>, tensor<2xf32>) {
    %none = "onnx.NoValue"() : () -> none
    %w = "onnx.Constant"() {quern.encoding = [{storage = i4, real = f16, qmin = -8, qmax = 7, axis = 1, scale = dense<[0.5, 1.5]> : tensor<2xf16>}], quern.permutation = [[1, 0]], value = dense<[[-8, 7], [0, 1]]> : tensor<2x2xi4>} : () -> tensor<2x2xf32>
    %v = "onnx.Constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %t = "onnx.Constant"() {value = dense<["a", "b"]> : tensor<2x!onnx.String>} : () -> tensor<2x!onnx.String>
    %0, %none_1 = "my.Op"(%x, %none, %w) {device = "npu", f = [1.0, -0.0], g = -0.0 : f32, i = 3 : si64, onnx_node_name = "n/1", quern.internal = {gate = {kind = "dynamic", storage = ui8, qmin = 0, qmax = 255}}, quern.scope = "/enc/", quern.version = 7 : si64, s = ["p", "q"], t = dense<1> : tensor<3xi64>, ts = [dense<1.0> : tensor<f32>, dense<2> : tensor<i8>], ty = tensor<?xf32>} : (tensor<?{batch}x2xf32>, none, tensor<2x2xf32>) -> (tensor<?{batch}x2xf32>, none)
    %1 = "onnx.If"(%c) ({
      %inner = "quern.Capture"(%v) : (tensor<2xf32>) -> tensor<2xf32>
      onnx.Yield %inner : tensor<2xf32>
    }, {
    ^"a body"():
      %2 = "onnx.Relu"(%v) {onnx_node_name = "r"} : (tensor<2xf32>) -> tensor<2xf32>
      onnx.Yield %2 : tensor<2xf32>
    }) {onnx_node_name = "if"} : (tensor<i1>) -> tensor<2xf32>
    onnx.Return %0, %1 : tensor<?{batch}x2xf32>, tensor<2xf32>
  }
}
)";

std::string text_of(const Model& model) {
    std::string out;
    print_text(model, {}, [&](std::string_view part) { out += part; });
    return out;
}

struct Folder {
    std::string path = (std::filesystem::temp_directory_path() / fmt::format("quern-native-{}", ::getpid())).string();
    Folder() { make_folder(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file(const std::string& name) const { return path + "/" + name; }
};

}  // namespace

BOOST_AUTO_TEST_CASE(everything_survives) {
    const Folder folder;
    const Model model = parse_text(source);
    BOOST_TEST(text_of(model) == source);
    native_format::write(model, folder.file("a.quern"), {});
    const Bytes bytes = map_input(folder.file("a.quern"));
    const Model back = native_format::read(bytes, "a.quern");
    BOOST_TEST(text_of(back) == source);
    native_format::check_digests(bytes);
    native_format::write(back, folder.file("b.quern"), {});
    BOOST_TEST((map_input(folder.file("b.quern")).text() == bytes.text()));
    const Bytes& weight = *back.graph.value(back.graph.find("v")).data;
    BOOST_TEST(weight.mapped());
    BOOST_TEST(reinterpret_cast<uintptr_t>(weight.data()) % 64 == 0u);
}

BOOST_AUTO_TEST_CASE(broken_files_are_refused) {
    const Folder folder;
    native_format::write(parse_text(source), folder.file("a.quern"), {});
    const std::string good(map_input(folder.file("a.quern")).text());
    const auto refused = [&](const std::string& contents) {
        try {
            const Bytes bytes = Bytes::copy(contents.data(), contents.size());
            native_format::read(bytes, "x");
            native_format::check_digests(bytes);
        } catch (const Error& error) {
            return error.exit() == Exit::bad_input || error.exit() == Exit::unsupported;
        }
        return false;
    };
    for (size_t cut = 8; cut < good.size(); cut += 37) BOOST_TEST(refused(good.substr(0, cut)));
    for (const size_t at : {size_t{8}, size_t{12}, size_t{64}, good.size() - 60, good.size() - 20, good.size() - 200}) {
        std::string changed = good;
        changed[at] = static_cast<char>(changed[at] ^ 0x55);
        BOOST_TEST(refused(changed), "a change at byte " << at << " is not noticed");
    }
}

BOOST_AUTO_TEST_SUITE_END()
