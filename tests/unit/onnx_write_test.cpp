// The ONNX writer: what is written reads back as the same graph, at any opset that can say it.
#include <boost/test/unit_test.hpp>

#include <fstream>

#include "formats/format.h"
#include "formats/onnx/tensors.h"
#include "libcore/graph/op.h"
#include "libcore/passes/pass.h"
#include "tests/unit/onnx_files.h"

namespace quern::test {
namespace {

std::string name_of(const Graph& graph, ValueId id) { return id == ValueId::none ? "" : graph.value(id).name; }

std::vector<std::string> names_of(const Graph& graph, const std::vector<ValueId>& ids) {
    std::vector<std::string> out;
    for (const ValueId id : ids) out.push_back(name_of(graph, id));
    while (!out.empty() && out.back().empty()) out.pop_back();
    return out;
}

void check_same(const Graph& a, const Graph& b) {
    BOOST_TEST(names_of(a, a.inputs) == names_of(b, b.inputs));
    BOOST_TEST(names_of(a, a.outputs) == names_of(b, b.outputs));
    BOOST_TEST((a.metadata == b.metadata));
    BOOST_REQUIRE(a.order().size() == b.order().size());
    for (size_t i = 0; i < a.order().size(); ++i) {
        const Node &x = a.node(a.order()[i]), &y = b.node(b.order()[i]);
        BOOST_TEST_CONTEXT(x.name) {
            BOOST_TEST(x.name == y.name);
            BOOST_TEST(x.op == y.op);
            BOOST_TEST(x.device == y.device);
            BOOST_TEST(identical(x.attrs, y.attrs));
            BOOST_TEST(names_of(a, x.in) == names_of(b, y.in));
            BOOST_TEST(names_of(a, x.out) == names_of(b, y.out));
            for (size_t k = 0; k < x.in.size(); ++k) {
                if (x.in[k] == ValueId::none) continue;
                BOOST_TEST((a.value(x.in[k]).type == b.value(y.in[k]).type));
                const auto left = a.constant(x.in[k]), right = b.constant(y.in[k]);
                BOOST_REQUIRE(left.has_value() == right.has_value());
                if (left) BOOST_TEST(identical(*left, *right));
            }
            BOOST_REQUIRE(x.bodies.size() == y.bodies.size());
            for (size_t k = 0; k < x.bodies.size(); ++k) check_same(x.bodies[k], y.bodies[k]);
        }
    }
}

onnx::Attribute& add_attribute(onnx::Node& node, const std::string& name, int64_t number) {
    onnx::Attribute& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(2);
    attribute.set_i(number);
    return attribute;
}

// Operators whose inputs were attributes, a body that captures, weights large enough to be streamed.
onnx::Model varied_model() {
    onnx::Model model = relu_model();
    auto& graph = *model.mutable_graph();
    graph.clear_output();
    set_type(*graph.add_input(), "flag", 9, {});
    auto& large = add_floats(graph, "large", {3, 700}, {});
    for (int i = 0; i < 2100; ++i) large.add_float_data(static_cast<float>(i));
    auto& axes = *graph.add_initializer();
    axes.set_name("axes");
    axes.set_data_type(7);
    axes.add_dims(1);
    axes.add_int64_data(1);
    add_node(graph, "MatMul", {"y", "large"}, {"product"});
    add_attribute(add_node(graph, "Softmax", {"product"}, {"soft"}), "axis", 0);
    add_attribute(add_node(graph, "ReduceSum", {"soft", "axes"}, {"sum"}), "keepdims", 1);
    add_node(graph, "Squeeze", {"sum", "axes"}, {"flat"});
    auto& branch = add_node(graph, "If", {"flag"}, {"out"});
    branch.set_name("choice");
    for (const char* which : {"then_branch", "else_branch"}) {
        auto& attribute = *branch.add_attribute();
        attribute.set_name(which);
        attribute.set_type(5);
        auto& body = *attribute.mutable_g();
        body.set_name("body");
        add_floats(body, "one", {1}, {1});
        add_node(body, "Add", {"flat", "one"}, {"inner"});
        set_type(*body.add_output(), "inner", 1, {2});
    }
    set_type(*graph.add_output(), "out", 1, {2});
    auto* entry = model.add_metadata_props();
    entry->set_key("author");
    entry->set_value("test");
    return model;
}

}  // namespace

BOOST_AUTO_TEST_CASE(onnx_round_trip) {
    const Folder folder;
    Model model = read_model(folder.write("source.onnx", varied_model().SerializeAsString()));
    model.facts["ranges"] = "{}";
    model.graph.node(model.graph.order()[0]).device = "npu";
    for (const bool external : {false, true}) {
        const std::string path = folder.file("copy.onnx");
        write_model(model, path, "onnx", {.external_data = external});
        BOOST_TEST(std::filesystem::exists(path + ".data") == external);
        const Model copy = read_model(path);
        check_same(model.graph, copy.graph);
        BOOST_TEST(copy.lineage.text() == model.lineage.text());
        BOOST_TEST((copy.facts == model.facts));
    }
}

BOOST_AUTO_TEST_CASE(onnx_older_opsets) {
    const Folder folder;
    const Model model = read_model(folder.write("source.onnx", varied_model().SerializeAsString()));
    for (const int opset : {11, 12, 13, 17, 18, 21, 28}) {
        BOOST_TEST_CONTEXT("opset " << opset) {
            const std::string path = folder.file("copy.onnx"), again = folder.file("again.onnx");
            write_model(model, path, "onnx", {.opset = opset});
            const Model copy = read_model(path);
            write_model(copy, again, "onnx", {.opset = opset});
            check_same(copy.graph, read_model(again).graph);
            onnx::Model message;
            std::ifstream stream(path, std::ios::binary);
            BOOST_TEST(message.ParseFromIstream(&stream));
            BOOST_TEST(message.opset_import(0).version() == opset);
        }
    }
}

// Readers lag behind: a model is written at the lowest opset from 13 on that says it with the operators that it has.
BOOST_AUTO_TEST_CASE(onnx_usual_opset) {
    const Folder folder;
    const auto opset_of = [&](const Model& model) {
        const std::string path = folder.file("usual.onnx");
        write_model(model, path, "onnx");
        onnx::Model message;
        std::ifstream stream(path, std::ios::binary);
        BOOST_TEST(message.ParseFromIstream(&stream));
        return message.opset_import(0).version();
    };
    const auto model_of = [&](const char* op) {
        onnx::Model message = relu_model();
        message.mutable_graph()->mutable_node(0)->set_op_type(op);
        return read_model(folder.write("source.onnx", message.SerializeAsString()));
    };
    for (const auto& [op, opset] : {std::pair("Relu", 13), std::pair("HardSwish", 14), std::pair("Mish", 18), std::pair("Gelu", 20)})
        BOOST_TEST(opset_of(model_of(op)) == opset, op << " is written at opset " << opset_of(model_of(op)));
    for (const auto& [storage, opset] : {std::pair(DType::i8, 13), std::pair(DType::i16, 13), std::pair(DType::i4, 21)}) {
        Model model = model_of("Relu");
        model.graph.value(model.graph.outputs[0]).enc = make_encoding(storage, Tensor::scalar(0.5f), {});
        BOOST_TEST(opset_of(model) == opset, name_of(storage) << " codes are written at opset " << opset_of(model));
    }
    Model half = model_of("Relu");
    half.graph.value(half.graph.inputs[0]).type.dtype = DType::f16;
    half.graph.value(half.graph.outputs[0]).type.dtype = DType::f16;
    Encoding narrow = make_encoding(DType::i8, Tensor::scalar(0.5f), {});
    narrow.real = DType::f16;
    half.graph.value(half.graph.outputs[0]).enc = narrow;
    BOOST_TEST(opset_of(half) == 19);
    onnx::Model message = relu_model();  // axes that are fed: an input of opset 18, an attribute before
    set_type(*message.mutable_graph()->add_input(), "axes", 7, {1});
    add_node(*message.mutable_graph(), "ReduceMax", {"y", "axes"}, {"most"});
    set_type(*message.mutable_graph()->add_output(), "most", 1, {});
    message.mutable_graph()->mutable_output(1)->mutable_type()->mutable_tensor()->clear_shape();
    BOOST_TEST(opset_of(read_model(folder.write("fed.onnx", message.SerializeAsString()))) == 18);
}

BOOST_AUTO_TEST_CASE(onnx_tensor_files) {
    const std::vector<std::string> words{"a", "", "\xc3\xa4"};
    const std::vector<Tensor> tensors{Tensor::make<float>({2}, std::array{1.0f, 2.0f}), Tensor::strings({3}, words),
                                      from_ints(DType::i4, {3}, std::array<int64_t, 3>{-8, 7, 1}), Tensor::make<double>({0}, {})};
    for (const Tensor& tensor : tensors) {
        const std::string file = write_onnx_tensor("t", tensor);
        // At an odd address, as in a mapped file.
        const std::string shifted = "x" + file;
        BOOST_TEST(identical(parse_onnx_tensor(Bytes::borrow(shifted.data() + 1, file.size())), tensor));
    }
}

BOOST_AUTO_TEST_CASE(onnx_refusals) {
    const Folder folder;
    onnx::Model message = relu_model();
    message.mutable_graph()->mutable_node(0)->set_op_type("Mish");
    const Model model = read_model(folder.write("source.onnx", message.SerializeAsString()));
    const auto fails = [&](const WriteOptions& options, Exit exit) {
        BOOST_CHECK_EXCEPTION(write_model(model, folder.file("copy.onnx"), "onnx", options), Error,
                              [&](const Error& error) { return error.exit() == exit; });
        BOOST_TEST(!std::filesystem::exists(folder.file("copy.onnx")));
    };
    fails({.opset = 6}, Exit::usage);
    fails({.opset = 99}, Exit::usage);
}

BOOST_AUTO_TEST_CASE(onnx_writes_encodings_as_nodes_that_fold_back) {
    const Folder folder;
    Model model = read_model(folder.write("source.onnx", relu_model().SerializeAsString()));
    const Encoding encoding = make_encoding(DType::i8, Tensor::scalar(0.5f), Tensor::scalar<int8_t>(3));
    const ValueId output = model.graph.outputs[0];
    model.graph.value(output).enc = encoding;
    const std::string name = model.graph.value(output).name;
    write_model(model, folder.file("encoded.onnx"), "onnx");
    Model back = read_model(folder.file("encoded.onnx"));
    BOOST_TEST(back.graph.order().size() == model.graph.order().size() + 2);
    pass_named("fold_qdq").run(back.graph);
    verify(back.graph);
    BOOST_TEST(back.graph.value(back.graph.outputs[0]).name == name);
    BOOST_TEST((back.graph.value(back.graph.outputs[0]).enc == encoding));
}

// An index that is outside below 0 is said with the depth, a scalar beside indices of any shape.
BOOST_AUTO_TEST_CASE(onnx_says_the_shapes_of_what_it_adds) {
    const Folder folder;
    Graph graph;
    const auto value = [&](const char* name, DType dtype, Dims dims) {
        return graph.add_value(name, Type::tensor(dtype, Shape::of(dims)));
    };
    const ValueId which = value("which", DType::i32, {2, 3}), depth = value("depth", DType::i64, {}),
                  out = value("out", DType::f32, {2, 3, 4});
    graph.inputs = {which, depth};
    graph.outputs = {out};
    const ValueId values = graph.add_constant("values", Tensor::vector<float>(std::vector<float>{0, 1}));
    graph.add_node(need_op("OneHot"), "hot", {which, depth, values}, {out}, {{"axis", int64_t{-1}}, {"negative_outside", int64_t{1}}});
    Model model;
    model.graph = std::move(graph);
    write_model(model, folder.file("hot.onnx"), "onnx");
    std::ifstream file(folder.file("hot.onnx"), std::ios::binary);
    onnx::Model message;
    BOOST_REQUIRE(message.ParseFromString(std::string(std::istreambuf_iterator<char>(file), {})));
    int found = 0;
    for (const onnx::Node& node : message.graph().node())
        for (const onnx::ValueInfo& info : message.graph().value_info())
            if (node.op_type() == "Cast" && info.name() == node.output(0)) {
                ++found;
                BOOST_TEST(info.type().tensor().has_shape());
                BOOST_TEST(info.type().tensor().shape().dim_size() == 0);
            }
    BOOST_TEST(found == 1);
}

}  // namespace quern::test
