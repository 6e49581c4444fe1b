// Shapes that ONNX files declare beside those computed of the same values.
#include <boost/test/unit_test.hpp>

#include "formats/format.h"
#include "libcore/base/notice.h"
#include "libcore/graph/summary.h"
#include "tests/unit/onnx_files.h"

namespace quern::test {
namespace {

std::vector<std::string> heard;

// The type of output y, whose file declares `change`; what was said is in `heard`.
std::string read_with(const std::function<void(onnx::Model&)>& change) {
    heard.clear();
    set_notice_sink([](std::string_view line) { heard.emplace_back(line); });
    const Folder folder;
    onnx::Model model = relu_model();
    change(model);
    const Model read = read_model(folder.write("m.onnx", model.SerializeAsString()));
    set_notice_sink(nullptr);
    return to_string(read.graph.value(read.graph.outputs[0]).type);
}

void declare(onnx::Model& model, std::initializer_list<int64_t> dims) {
    onnx::ValueInfo& y = *model.mutable_graph()->mutable_output(0);
    y.Clear();
    set_type(y, "y", 1, dims);
}

std::function<void(onnx::Model&)> declared(std::initializer_list<int64_t> dims) {
    return [=](onnx::Model& model) { declare(model, dims); };
}

bool says(const std::string& what) { return heard.size() == 1 && heard[0].find(what) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(onnx_declared)

BOOST_AUTO_TEST_CASE(the_computed_shape_counts) {
    BOOST_TEST(read_with(declared({2, 4})) == "float32[2,3]");
    BOOST_TEST(says("m.onnx: value \"y\" is declared float32[2,4] but computed as float32[2,3], which counts"));
    BOOST_TEST(read_with(declared({6})) == "float32[2,3]");
    BOOST_TEST(says("is declared float32[6]"));
    BOOST_TEST(read_with(declared({2, 3})) == "float32[2,3]");
    BOOST_TEST(heard.empty());
}

BOOST_AUTO_TEST_CASE(a_shape_without_dims_is_an_unknown_rank) {
    BOOST_TEST(read_with(declared({})) == "float32[2,3]");
    BOOST_TEST(heard.empty());
}

BOOST_AUTO_TEST_CASE(older_opsets_are_read_alike) {
    BOOST_TEST(read_with([](onnx::Model& model) {
                   model.mutable_opset_import(0)->set_version(12);
                   model.mutable_graph()->mutable_node(0)->set_op_type("Softmax");
                   declare(model, {1});
               }) == "float32[2,3]");
    BOOST_TEST(says("is declared float32[1]"));
}

BOOST_AUTO_TEST_CASE(many_are_few_lines) {
    read_with([](onnx::Model& model) {
        auto& graph = *model.mutable_graph();
        for (int i = 0; i < 20; ++i) {
            const std::string name = "y" + std::to_string(i);
            add_node(graph, "Relu", {"x"}, {name});
            set_type(*graph.add_output(), name, 1, {7});
        }
    });
    BOOST_TEST(heard.size() == 6u);
    BOOST_TEST(heard.back().find("and 15 more") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quern::test
