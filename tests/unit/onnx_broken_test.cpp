// Broken ONNX files: each gives one clear line and the right exit code.
#include <boost/test/unit_test.hpp>

#include <functional>

#include "formats/format.h"
#include "tests/unit/onnx_files.h"

namespace quern::test {
namespace {

using Break = std::function<void(onnx::Model&)>;

// Reads the file and checks how that fails.
void expect(const std::string& what, const std::string& path, const std::string& fragment, Exit exit = Exit::bad_input) {
    BOOST_TEST_CONTEXT(what) {
        try {
            read_model(path);
            BOOST_ERROR("was read");
        } catch (const Error& error) {
            BOOST_TEST(static_cast<int>(error.exit()) == static_cast<int>(exit));
            BOOST_TEST(error.message().find(fragment) != std::string::npos, error.message());
            BOOST_TEST(error.message().rfind(path + ": ", 0) == 0, error.message());
            BOOST_TEST(error.message().find('\n') == std::string::npos, error.message());
            BOOST_TEST(error.message().size() < 400u);
        }
    }
}

void expect_model(const std::string& what, const Break& change, const std::string& fragment, Exit exit = Exit::bad_input) {
    const Folder folder;
    onnx::Model model = relu_model();
    change(model);
    expect(what, folder.write("model.onnx", model.SerializeAsString()), fragment, exit);
}

void expect_bytes(const std::string& what, const std::string& bytes, const std::string& fragment) {
    const Folder folder;
    expect(what, folder.write("model.onnx", bytes), fragment);
}

onnx::Function& add_function(onnx::Model& model, const std::string& name) {
    onnx::Function& function = *model.add_functions();
    function.set_name(name);
    function.set_domain("local");
    function.add_input("a");
    function.add_output("b");
    function.add_opset_import()->set_version(21);
    auto* own = function.add_opset_import();
    own->set_domain("local");
    own->set_version(1);
    return function;
}

onnx::Node& add_call(onnx::Function& function, const std::string& op, const std::string& in, const std::string& out) {
    onnx::Node& node = *function.add_node();
    node.set_op_type(op);
    node.set_domain("local");
    node.add_input(in);
    node.add_output(out);
    return node;
}

void call(onnx::Model& model, const std::string& function) {
    auto& node = *model.mutable_graph()->mutable_node(0);
    node.set_op_type(function);
    node.set_domain("local");
    auto* own = model.add_opset_import();
    own->set_domain("local");
    own->set_version(1);
}

void nest(onnx::Graph& graph, int depth) {
    set_type(*graph.add_output(), "r", 1, {});
    auto& node = add_node(graph, "If", {"c"}, {"r"});
    for (const char* branch : {"then_branch", "else_branch"}) {
        auto& attribute = *node.add_attribute();
        attribute.set_name(branch);
        attribute.set_type(5);
        attribute.mutable_g()->set_name("body");
        if (depth > 0 && std::string(branch) == "then_branch") nest(*attribute.mutable_g(), depth - 1);
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(onnx_broken_bytes) {
    const std::string whole = relu_model().SerializeAsString();
    expect_bytes("empty", "", "is empty");
    expect_bytes("text", "not a model at all\n", "");
    expect_bytes("truncated", whole.substr(0, whole.size() - 9), "only");
    expect_bytes("length past the end", std::string("\x08\x0a\x3a\xff\xff\xff\x7f", 7), "only");
    expect_bytes("endless number", "\x08" + std::string(12, '\xff'), "more than 10 bytes");
    expect_bytes("ends in a number", std::string("\x08\x0a\x08\x80", 4), "ends inside a number");
    expect_bytes("group", std::string("\x08\x0a\x3b", 3), "wire type");
    expect_bytes("field 0", std::string("\x08\x0a\x02\x00", 4), "not a field of protobuf");
    expect_bytes("a number where a graph should be", std::string("\x08\x0a\x38\x05", 4), "");
}

BOOST_AUTO_TEST_CASE(onnx_broken_models) {
    expect_model(
        "no graph", [](auto& m) { m.clear_graph(); }, "no graph");
    expect_model(
        "no opset", [](auto& m) { m.clear_opset_import(); }, "opset");
    expect_model(
        "opset 99", [](auto& m) { m.mutable_opset_import(0)->set_version(99); }, "opset 99 is newer", Exit::unsupported);
    expect_model(
        "opset 0", [](auto& m) { m.mutable_opset_import(0)->set_version(0); }, "opset 0: the first is 1");
    expect_model(
        "scale",
        [](auto& m) {
            auto& graph = *m.mutable_graph();
            add_floats(graph, "scale", {}, {0});
            add_node(graph, "QuantizeLinear", {"x", "scale"}, {"q"});
        },
        "scale is 0, need a finite one above 0");
    expect_model(
        "scale of codes",
        [](auto& m) {
            auto& graph = *m.mutable_graph();
            add_floats(graph, "one", {}, {1});
            add_floats(graph, "scale", {}, {std::numeric_limits<float>::quiet_NaN()});
            add_node(graph, "QuantizeLinear", {"x", "one"}, {"q"});
            add_node(graph, "DequantizeLinear", {"q", "scale"}, {"r"});
        },
        "scale is nan");
    expect_model(
        "reshape that contradicts",
        [](auto& m) {
            auto& graph = *m.mutable_graph();
            auto& shape = *graph.add_initializer();
            shape.set_name("shape");
            shape.set_data_type(7);
            shape.add_dims(1);
            shape.add_int64_data(5);
            add_node(graph, "Reshape", {"x", "shape"}, {"r"});
        },
        "6 elements cannot take the shape [5]");
    expect_model(
        "cycle",
        [](auto& m) {
            m.mutable_graph()->mutable_node(0)->set_input(0, "b");
            add_node(*m.mutable_graph(), "Relu", {"y"}, {"b"});
        },
        "cycle");
    expect_model(
        "self loop", [](auto& m) { m.mutable_graph()->mutable_node(0)->set_input(0, "y"); }, "cycle");
    expect_model(
        "missing value", [](auto& m) { m.mutable_graph()->mutable_node(0)->set_input(0, "gone"); }, "\"gone\" is not defined");
    expect_model(
        "missing output", [](auto& m) { m.mutable_graph()->mutable_output(0)->set_name("z"); }, "\"z\" is not defined");
    expect_model(
        "defined twice", [](auto& m) { add_node(*m.mutable_graph(), "Relu", {"x"}, {"y"}); }, "\"y\" is defined twice");
    expect_model(
        "computes an input", [](auto& m) { add_node(*m.mutable_graph(), "Relu", {"y"}, {"x"}); }, "\"x\" is defined twice");
    expect_model(
        "input twice", [](auto& m) { *m.mutable_graph()->add_input() = m.graph().input(0); }, "\"x\" is defined twice");
    expect_model(
        "input without a type", [](auto& m) { m.mutable_graph()->mutable_input(0)->clear_type(); }, "no element type");
    expect_model(
        "too many inputs", [](auto& m) { m.mutable_graph()->mutable_node(0)->add_input("x"); }, "has 2 inputs");
    expect_model(
        "bad value name", [](auto& m) { m.mutable_graph()->mutable_node(0)->add_output("\xff\xfe"); }, "UTF-8");
    expect_model(
        "bad node name", [](auto& m) { m.mutable_graph()->mutable_node(0)->set_name("\xc3"); }, "UTF-8");
    expect_model(
        "old operator without input",
        [](auto& m) {
            m.mutable_opset_import(0)->set_version(9);
            m.mutable_graph()->mutable_node(0)->set_op_type("Softmax");
            m.mutable_graph()->mutable_node(0)->clear_input();
        },
        "");
    expect_model(
        "operator of two lines", [](auto& m) { m.mutable_graph()->mutable_node(0)->set_op_type("Re\nlu"); }, "control characters");
    expect_model(
        "wrong attribute type",
        [](auto& m) {
            m.mutable_graph()->mutable_node(0)->set_op_type("Softmax");
            auto& attribute = *m.mutable_graph()->mutable_node(0)->add_attribute();
            attribute.set_name("axis");
            attribute.set_type(3);
            attribute.set_s("last");
        },
        "wrong type");
    expect_model(
        "attribute without value", [](auto& m) { m.mutable_graph()->mutable_node(0)->add_attribute()->set_name("a"); }, "no value");
    expect_model(
        "contradicting type",
        [](auto& m) {
            set_type(*m.mutable_graph()->mutable_output(0), "y", 7, {2, 3});
        },
        "is declared int64");
    expect_model(
        "unknown element type", [](auto& m) { m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor()->set_elem_type(99); },
        "element type 99");
}

BOOST_AUTO_TEST_CASE(onnx_broken_tensors) {
    const auto with = [](const std::function<void(onnx::Tensor&)>& change) {
        return [change](onnx::Model& model) { change(add_floats(*model.mutable_graph(), "w", {2}, {1, 2})); };
    };
    expect_model("no name", with([](auto& t) { t.clear_name(); }), "no name");
    expect_model(
        "same name",
        [](auto& m) {
            add_floats(*m.mutable_graph(), "w", {1}, {1});
            add_floats(*m.mutable_graph(), "w", {1}, {1});
        },
        "\"w\" is defined twice");
    expect_model("too few", with([](auto& t) { t.set_dims(0, 3); }), "the shape needs 3");
    expect_model("raw too short", with([](auto& t) { t.clear_float_data(), t.set_raw_data("1234567"); }), "7 bytes");
    expect_model("raw too long", with([](auto& t) { t.clear_float_data(), t.set_raw_data(std::string(5000, '1')); }), "5000 bytes");
    expect_model("no data", with([](auto& t) { t.clear_float_data(); }), "0 bytes");
    expect_model("huge", with([](auto& t) { t.set_dims(0, int64_t{1} << 40), t.add_dims(int64_t{1} << 40); }), "");
    expect_model("huge bytes", with([](auto& t) { t.set_dims(0, int64_t{1} << 62), t.set_data_type(15); }), "");
    expect_model("negative", with([](auto& t) { t.set_dims(0, -2); }), "");
    expect_model("unknown type", with([](auto& t) { t.set_data_type(77); }), "element type 77");
    expect_model("wrong field", with([](auto& t) { t.set_data_type(11); }), "cannot hold float64");
    expect_model("strings", with([](auto& t) { t.set_data_type(8), t.add_string_data("a"); }), "string_data");
    expect_model("forged payload", with([](auto& t) { set_external(t, "x"), t.mutable_external_data(0)->set_key("quern.payload"); }),
                 "payload");
    expect_model(
        "sparse index",
        [](auto& m) {
            auto& sparse = *m.mutable_graph()->add_sparse_initializer();
            sparse.add_dims(4);
            *sparse.mutable_values() = add_floats(*m.mutable_graph(), "s", {1}, {1});
            m.mutable_graph()->clear_initializer();
            sparse.mutable_indices()->set_data_type(7);
            sparse.mutable_indices()->add_dims(1);
            sparse.mutable_indices()->add_int64_data(9);
        },
        "sparse index 9");
}

BOOST_AUTO_TEST_CASE(onnx_broken_external_data) {
    const auto with = [](const std::string& location, const std::string& offset = "", const std::string& length = "") {
        return [=](onnx::Model& model) { set_external(add_floats(*model.mutable_graph(), "w", {2}, {1, 2}), location, offset, length); };
    };
    expect_model("parent", with("../../etc/passwd"), "leaves the folder");
    expect_model("hidden parent", with("a/../../b"), "leaves the folder");
    expect_model("absolute", with("/etc/passwd"), "not a relative path");
    expect_model("missing", with("weights.bin"), "is not there");
    expect_model("folder", with("."), "is not a file");
    expect_model("no location", with(""), "no location");
    const Folder folder;
    folder.write("weights.bin", "12345678");
    std::filesystem::create_symlink("/etc/passwd", folder.file("link"));
    const auto expect_beside = [&](const std::string& what, const Break& change, const std::string& fragment) {
        onnx::Model model = relu_model();
        change(model);
        expect(what, folder.write("model.onnx", model.SerializeAsString()), fragment);
    };
    expect_beside("link", with("link"), "through a link");
    expect_beside("offset past the end", with("weights.bin", "9", "8"), "begins at 9");
    expect_beside("length past the end", with("weights.bin", "4", "8"), "8 bytes at 4");
    expect_beside("wrong length", with("weights.bin", "0", "4"), "need 8");
    expect_beside("bad offset", with("weights.bin", "-4"), "offset");
    expect_beside("no number", with("weights.bin", "four"), "offset");
    expect_beside("overflow", with("weights.bin", "18446744073709551615", "8"), "offset");
}

BOOST_AUTO_TEST_CASE(onnx_broken_bodies_and_functions) {
    expect_model(
        "nested bodies",
        [](auto& m) {
            set_type(*m.mutable_graph()->add_input(), "c", 9, {});
            nest(*m.mutable_graph(), 60);
        },
        "nested deeper");
    expect_model(
        "body without value",
        [](auto& m) {
            set_type(*m.mutable_graph()->add_input(), "c", 9, {});
            nest(*m.mutable_graph(), 0);
            auto& body = *m.mutable_graph()->mutable_node(1)->mutable_attribute(0)->mutable_g();
            set_type(*body.add_output(), "nowhere", 1, {});
        },
        "\"nowhere\" is not defined");
    expect_model(
        "one branch",
        [](auto& m) {
            set_type(*m.mutable_graph()->add_input(), "c", 9, {});
            nest(*m.mutable_graph(), 0);
            m.mutable_graph()->mutable_node(1)->mutable_attribute()->RemoveLast();
        },
        "else_branch");
    expect_model(
        "recursive function",
        [](auto& m) {
            add_call(add_function(m, "f"), "f", "a", "b");
            call(m, "f");
        },
        "calls itself");
    expect_model(
        "exploding functions",
        [](auto& m) {
            for (int i = 0; i < 40; ++i) {
                auto& function = add_function(m, "f" + std::to_string(i));
                add_call(function, "f" + std::to_string(i + 1), "a", "c");
                add_call(function, "f" + std::to_string(i + 1), "c", "b");
            }
            add_call(add_function(m, "f40"), "Leaf", "a", "b");
            call(m, "f0");
        },
        "functions bring more", Exit::unsupported);
    expect_model(
        "functions with long names",
        [](auto& m) {
            for (int i = 0; i < 13; ++i) {
                auto& function = add_function(m, "f" + std::to_string(i));
                add_call(function, "f" + std::to_string(i + 1), "a", "c").set_name(std::string(i < 4 ? 1 : 16000, 'n'));
                add_call(function, "f" + std::to_string(i + 1), "c", "b");
            }
            add_call(add_function(m, "f13"), "Leaf", "a", "b");
            call(m, "f0");
        },
        "functions bring nodes of more than", Exit::unsupported);
    expect_model(
        "function without result",
        [](auto& m) {
            add_call(add_function(m, "f"), "Leaf", "a", "c");
            call(m, "f");
        },
        "does not compute");
    expect_model(
        "function defines twice",
        [](auto& m) {
            auto& function = add_function(m, "f");
            add_call(function, "Leaf", "a", "b");
            add_call(function, "Leaf", "a", "b");
            call(m, "f");
        },
        "defined twice");
    expect_model(
        "too many arguments",
        [](auto& m) {
            add_call(add_function(m, "f"), "Leaf", "a", "b");
            call(m, "f");
            m.mutable_graph()->mutable_node(0)->add_input("x");
        },
        "the function takes 1");
}

}  // namespace quern::test
