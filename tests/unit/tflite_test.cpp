// Reading TFLite: what operators, options, quantization and subgraphs become, by the numbers that they give.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <numeric>

#include "formats/circle/circle.h"
#include "formats/format.h"
#include "formats/tflite/map/map.h"
#include "formats/tflite/tflite.h"
#include "libcore/exec/session.h"
#include "libcore/graph/op.h"
#include "libcore/os/threads.h"
#include "tests/unit/tflite_files.h"

using namespace quern;
using namespace quern::test;
using tflite::BuiltinOptions;
using tflite::TensorType;
using Code = tflite::BuiltinOperator;

BOOST_AUTO_TEST_SUITE(tflite_files)

namespace {

Model read(const std::string& file) {
    Model model = tflite_format::read(Bytes::copy(file.data(), file.size()), "-");
    infer_types(model.graph);
    verify(model.graph);
    return model;
}

std::vector<std::string> ops_of(const Graph& graph) {
    std::vector<std::string> names;
    for (const NodeId id : graph.order()) names.emplace_back(graph.node(id).op->name);
    return names;
}

std::vector<Tensor> run(const Model& model, const std::vector<Tensor>& inputs) {
    ThreadPool pool(1);
    Session session(Program::compile(model.graph, {.reference = true}), pool);
    return session.run(inputs);
}

Tensor counted(Dims dims, float first = 0) {
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    std::iota(items.begin(), items.end(), first);
    return Tensor::make<float>(std::move(dims), items);
}

void check_floats(const Tensor& got, const Dims& dims, const std::vector<float>& want) {
    BOOST_TEST(got.dims == dims, boost::test_tools::per_element());
    BOOST_TEST(to_floats(got) == want, boost::test_tools::per_element());
}

// One operator from float input 0 and constants to one output.
struct One {
    TfliteFile file;
    Dims dims;
    std::vector<int32_t> operands{0};

    explicit One(Dims input) : dims(std::move(input)) { file.tensor("x", Ints32(dims.begin(), dims.end())); }
    One& ints(const Ints32& items, bool scalar = false) {
        operands.push_back(
            file.ints("c" + std::to_string(operands.size()), scalar ? Ints32() : Ints32{static_cast<int32_t>(items.size())}, items));
        return *this;
    }
    One& pairs(const Ints32& items) {
        operands.push_back(file.ints("p", {static_cast<int32_t>(items.size() / 2), 2}, items));
        return *this;
    }
    Tensor operator()(Code code, Ints32 out, BuiltinOptions kind = BuiltinOptions::NONE, fb::Offset<void> options = 0) {
        const int y = file.tensor("y", std::move(out));
        file.op(code, operands, {y}, kind, options);
        file.end_graph({0}, {y});
        return run(read(file.finish()), {counted(dims)}).at(0);
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(quantized_convolution_with_fused_activation) {
    TfliteFile file;
    const int x = file.tensor("x", {1, 2, 2, 1}, 0, {.type = TensorType::INT8, .scale = {0.5f}, .zero = {3}});
    const std::vector<int8_t> weights{1, 2};
    const int w = file.tensor("w", {2, 1, 1, 1}, file.buffer(weights), {.type = TensorType::INT8, .scale = {1, 0.25f}, .zero = {0, 0}});
    const int b = file.tensor("b", {2}, file.buffer(Ints32{2, -8}), {.type = TensorType::INT32, .scale = {0.5f, 0.125f}, .zero = {0, 0}});
    const int y = file.tensor("y", {1, 2, 2, 2}, 0, {.type = TensorType::INT8, .scale = {0.25f}, .zero = {-128}});
    file.op(Code::CONV_2D, {x, w, b}, {y}, BuiltinOptions::Conv2DOptions,
            tflite::CreateConv2DOptions(file.builder, tflite::Padding::VALID, 1, 1, tflite::ActivationFunctionType::RELU6).Union());
    file.signature("serve", 0, 0);
    file.end_graph({x}, {y});
    const Model model = read(file.finish());
    BOOST_TEST(ops_of(model.graph) == (std::vector<std::string>{"Conv", "Clip"}), boost::test_tools::per_element());
    const Graph& graph = model.graph;
    const Encoding& in = graph.value(graph.inputs[0]).enc.value();
    BOOST_TEST(to_string(in) == "int8 scale 0.5 zero 3");
    BOOST_TEST(name_of(graph.value(graph.inputs[0]).type.dtype) == "float32");
    BOOST_TEST(to_string(graph.value(graph.find("w")).enc.value()) == "int8[axis 0, 2 scales]");
    BOOST_TEST(to_string(graph.value(graph.find("b")).enc.value()) == "int32[axis 0, 2 scales]");
    BOOST_TEST(graph.value(graph.find("y")).enc.has_value());
    BOOST_TEST(!graph.value(graph.find("y/Conv")).enc.has_value());
    BOOST_TEST(model.graph.metadata.at("tflite.signature.serve") ==
               R"({"inputs": {"alias": "x"}, "outputs": {"alias": "x"}, "subgraph": 0})");
    // 1 * x + 1 and 0.5 * x - 1, between 0 and 6
    check_floats(run(model, {counted({1, 2, 2, 1}, 4)}).at(0), {1, 2, 2, 2}, {5, 1, 6, 1.5f, 6, 2, 6, 2.5f});
}

// As LiteRT's convolutions take them: what is added to sums of codes is in steps of data times weights.
BOOST_AUTO_TEST_CASE(a_bias_without_scale_has_that_of_the_sums) {
    TfliteFile file;
    const TensorSpec data{.type = TensorType::INT8, .scale = {0.5f}, .zero = {0}};
    const int x = file.tensor("x", {1, 1, 1, 2}, 0, data), b = file.ints("b", {2}, {2, -8});
    const int w = file.tensor("w", {2, 1, 1, 2}, file.buffer(std::vector<int8_t>{1, 2, 3, 4}),
                              {.type = TensorType::INT8, .scale = {1, 0.25f}, .zero = {0, 0}});
    const int d = file.tensor("d", {1, 1, 1, 2}, file.buffer(std::vector<int8_t>{1, 2}),
                              {.type = TensorType::INT8, .scale = {2, 4}, .zero = {0, 0}, .axis = 3});
    const int f =
        file.tensor("f", {2, 2}, file.buffer(std::vector<int8_t>{1, 2, 3, 4}), {.type = TensorType::INT8, .scale = {0.125f}, .zero = {0}});
    const int shape = file.ints("shape", {4}, {1, 1, 1, 2});
    std::vector<int> y;
    for (const char* name : {"conv", "depth", "transposed", "dense"}) y.push_back(file.tensor(name, {1, 1, 1, 2}, 0, data));
    const auto valid = tflite::Padding::VALID;
    file.op(Code::CONV_2D, {x, w, b}, {y[0]}, BuiltinOptions::Conv2DOptions,
            tflite::CreateConv2DOptions(file.builder, valid, 1, 1).Union());
    file.op(Code::DEPTHWISE_CONV_2D, {x, d, b}, {y[1]}, BuiltinOptions::DepthwiseConv2DOptions,
            tflite::CreateDepthwiseConv2DOptions(file.builder, valid, 1, 1, 1).Union());
    file.op(Code::TRANSPOSE_CONV, {shape, w, x, b}, {y[2]}, BuiltinOptions::TransposeConvOptions,
            tflite::CreateTransposeConvOptions(file.builder, valid, 1, 1).Union());
    file.op(Code::FULLY_CONNECTED, {x, f, b}, {y[3]}, BuiltinOptions::FullyConnectedOptions,
            tflite::CreateFullyConnectedOptions(file.builder, tflite::ActivationFunctionType::NONE,
                                                tflite::FullyConnectedOptionsWeightsFormat::DEFAULT, true)
                .Union());
    file.end_graph({x}, y);
    const Model model = read(file.finish());
    std::vector<std::string> scales;
    for (const ValueId out : model.graph.outputs) {
        NodeId id = model.graph.value(out).producer;
        if (model.graph.node(id).is(ops::Reshape)) id = model.graph.value(model.graph.node(id).in[0]).producer;
        const Encoding& e = model.graph.value(model.graph.node(id).in.at(2)).enc.value();
        BOOST_TEST(name_of(e.storage) == "int32");
        scales.push_back(fmt::format("{}", fmt::join(to_floats(e.scale), " ")));
    }
    BOOST_TEST(scales == (std::vector<std::string>{"0.5 0.125", "1 2", "0.5 0.125", "0.0625"}), boost::test_tools::per_element());
    const auto out = run(model, {Tensor::make<float>({1, 1, 1, 2}, std::vector<float>{1, 2})});
    check_floats(out[0], {1, 1, 1, 2}, {6, 1.75f});  // 1 + 4 + 1, 0.75 + 2 - 1
    check_floats(out[1], {1, 1, 1, 2}, {4, 0});      // 2 + 2, 16 - 16
}

BOOST_AUTO_TEST_CASE(depthwise_filters_are_turned) {
    TfliteFile file;
    const int x = file.tensor("x", {1, 1, 2, 2});
    const int w = file.floats("w", {1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
    const int y = file.tensor("y", {1, 1, 1, 4});
    file.op(Code::DEPTHWISE_CONV_2D, {x, w}, {y}, BuiltinOptions::DepthwiseConv2DOptions,
            tflite::CreateDepthwiseConv2DOptions(file.builder, tflite::Padding::VALID, 1, 1, 2).Union());
    file.end_graph({x}, {y});
    // channel 0 is 0, 2 and channel 1 is 1, 3
    check_floats(run(read(file.finish()), {counted({1, 1, 2, 2})}).at(0), {1, 1, 1, 4}, {10, 12, 24, 28});
}

BOOST_AUTO_TEST_CASE(transposed_convolution) {
    TfliteFile file;
    const int shape = file.ints("shape", {4}, {1, 1, 4, 1});
    const int w = file.floats("w", {1, 1, 3, 1}, {1, 2, 3});
    const int x = file.tensor("x", {1, 1, 2, 1});
    const int y = file.tensor("y", {1, 1, 4, 1});
    file.op(Code::TRANSPOSE_CONV, {shape, w, x}, {y}, BuiltinOptions::TransposeConvOptions,
            tflite::CreateTransposeConvOptions(file.builder, tflite::Padding::SAME, 2, 2).Union());
    file.end_graph({x}, {y});
    // Full result 1 2 5 4 6 of x = 1, 2; the last element is padding.
    check_floats(run(read(file.finish()), {counted({1, 1, 2, 1}, 1)}).at(0), {1, 1, 4, 1}, {1, 2, 5, 4});
}

BOOST_AUTO_TEST_CASE(fully_connected_takes_any_rank) {
    for (const bool keep : {false, true}) {
        TfliteFile file;
        const int x = file.tensor("x", {1, 2, 2});
        const int w = file.floats("w", {1, 2}, {1, 10});
        const int y = file.tensor("y", keep ? Ints32{1, 2, 1} : Ints32{2, 1});
        file.op(Code::FULLY_CONNECTED, {x, w, -1}, {y}, BuiltinOptions::FullyConnectedOptions,
                tflite::CreateFullyConnectedOptions(file.builder, tflite::ActivationFunctionType::NONE,
                                                    tflite::FullyConnectedOptionsWeightsFormat::DEFAULT, keep)
                    .Union());
        file.end_graph({x}, {y});
        check_floats(run(read(file.finish()), {counted({1, 2, 2})}).at(0), keep ? Dims{1, 2, 1} : Dims{2, 1}, {10, 32});
    }
}

BOOST_AUTO_TEST_CASE(strided_slices) {
    const auto slice = [](Dims dims, Ints32 begin, Ints32 end, Ints32 steps, int b, int e, int ellipsis, int fresh, int shrink) {
        One one(std::move(dims));
        one.ints(begin).ints(end).ints(steps);
        return one(Code::STRIDED_SLICE, {1}, BuiltinOptions::StridedSliceOptions,
                   tflite::CreateStridedSliceOptions(one.file.builder, b, e, ellipsis, fresh, shrink).Union());
    };
    check_floats(slice({2, 3}, {0, 1}, {2, 3}, {1, 1}, 0, 0, 0, 0, 0), {2, 2}, {1, 2, 4, 5});
    check_floats(slice({2, 3}, {0, -1}, {0, -4}, {1, -2}, 1, 1, 0, 0, 0), {2, 2}, {2, 0, 5, 3});
    check_floats(slice({2, 3}, {0, -1}, {0, 0}, {1, 1}, 1, 1, 0, 0, 2), {2}, {2, 5});
    check_floats(slice({2, 3}, {0, 0}, {0, 0}, {1, -1}, 3, 3, 0, 0, 0), {2, 3}, {2, 1, 0, 5, 4, 3});
    check_floats(slice({2, 1, 2}, {0, 1}, {0, 2}, {1, 1}, 0, 0, 1, 0, 2), {2, 1}, {1, 3});
    check_floats(slice({2}, {0, 0}, {0, 2}, {1, 1}, 0, 0, 0, 1, 0), {1, 2}, {0, 1});
}

BOOST_AUTO_TEST_CASE(blocks_of_space) {
    check_floats(One({1, 2, 2, 1}).ints({2, 2}).pairs({0, 0, 0, 0})(Code::SPACE_TO_BATCH_ND, {4, 1, 1, 1}), {4, 1, 1, 1}, {0, 1, 2, 3});
    check_floats(One({1, 1, 3, 1}).ints({1, 2}).pairs({0, 0, 1, 0})(Code::SPACE_TO_BATCH_ND, {2, 1, 2, 1}), {2, 1, 2, 1}, {0, 1, 0, 2});
    check_floats(One({4, 1, 1, 1}).ints({2, 2}).pairs({0, 0, 0, 1})(Code::BATCH_TO_SPACE_ND, {1, 2, 1, 1}), {1, 2, 1, 1}, {0, 2});
    One apart({1, 2, 2, 1});
    check_floats(apart(Code::SPACE_TO_DEPTH, {1, 1, 1, 4}, BuiltinOptions::SpaceToDepthOptions,
                       tflite::CreateSpaceToDepthOptions(apart.file.builder, 2).Union()),
                 {1, 1, 1, 4}, {0, 1, 2, 3});
    One together({1, 1, 1, 8});
    check_floats(together(Code::DEPTH_TO_SPACE, {1, 2, 2, 2}, BuiltinOptions::DepthToSpaceOptions,
                          tflite::CreateDepthToSpaceOptions(together.file.builder, 2).Union()),
                 {1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
}

BOOST_AUTO_TEST_CASE(movement_and_reduction) {
    check_floats(One({1, 2}).pairs({0, 1, 1, 0})(Code::PAD, {2, 3}), {2, 3}, {0, 0, 1, 0, 0, 0});
    check_floats(One({3}).ints({0})(Code::REVERSE_V2, {3}), {3}, {2, 1, 0});
    check_floats(One({2, 2}).ints({-1}, true)(Code::EXPAND_DIMS, {2, 2, 1}), {2, 2, 1}, {0, 1, 2, 3});
    check_floats(One({2, 2}).ints({1})(Code::MEAN, {2}), {2}, {0.5f, 2.5f});
    check_floats(One({2, 2}).ints({1, 0})(Code::TRANSPOSE, {2, 2}), {2, 2}, {0, 2, 1, 3});
    check_floats(One({4})(Code::SQUARE, {4}), {4}, {0, 1, 4, 9});
    One legacy({1});
    check_floats(legacy(Code::RESHAPE, {}, BuiltinOptions::ReshapeOptions,
                        tflite::CreateReshapeOptions(legacy.file.builder, legacy.file.builder.CreateVector(Ints32{0})).Union()),
                 {}, {0});
}

BOOST_AUTO_TEST_CASE(division_rounds_down) {
    for (const Code code : {Code::FLOOR_DIV, Code::FLOOR_MOD}) {
        TfliteFile file;
        const int x = file.tensor("x", {4}, 0, {.type = TensorType::INT32});
        const int d = file.ints("d", {4}, {2, -2, 3, 3});
        const int y = file.tensor("y", {4}, 0, {.type = TensorType::INT32});
        file.op(code, {x, d}, {y});
        file.end_graph({x}, {y});
        const auto got = to_ints(run(read(file.finish()), {Tensor::vector<int32_t>(Ints32{-7, 7, -6, 5})}).at(0));
        BOOST_TEST(got == (code == Code::FLOOR_DIV ? std::vector<int64_t>{-4, -4, -2, 1} : std::vector<int64_t>{1, -1, 0, 2}),
                   boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(branches_and_loops) {
    TfliteFile file;  // while (x < 10) x = x + x
    const int x = file.tensor("x", {});
    const int y = file.tensor("y", {});
    file.op(Code::WHILE, {x}, {y}, BuiltinOptions::WhileOptions, tflite::CreateWhileOptions(file.builder, 1, 2).Union());
    file.end_graph({x}, {y});
    const int a = file.tensor("a", {}), ten = file.floats("ten", {}, {10}), less = file.tensor("less", {}, 0, {.type = TensorType::BOOL});
    file.op(Code::LESS, {a, ten}, {less});
    file.end_graph({a}, {less});
    const int b = file.tensor("b", {}), twice = file.tensor("twice", {});
    file.op(Code::ADD, {b, b}, {twice});
    file.end_graph({b}, {twice});
    const Model loop = read(file.finish());
    check_floats(run(loop, {Tensor::scalar(3.0f)}).at(0), {}, {12});
    check_floats(run(loop, {Tensor::scalar(11.0f)}).at(0), {}, {11});

    TfliteFile choice;
    const int c = choice.tensor("c", {}, 0, {.type = TensorType::BOOL}), v = choice.tensor("v", {1}), z = choice.tensor("z", {1});
    choice.op(Code::IF, {c, v}, {z}, BuiltinOptions::IfOptions, tflite::CreateIfOptions(choice.builder, 1, 2).Union());
    choice.end_graph({c, v}, {z});
    for (const Code code : {Code::NEG, Code::SQUARE}) {
        const int in = choice.tensor("in", {1}), out = choice.tensor("out", {1});
        choice.op(code, {in}, {out});
        choice.end_graph({in}, {out});
    }
    const Model branch = read(choice.finish());
    check_floats(run(branch, {Tensor::scalar(true), counted({1}, 3)}).at(0), {1}, {-3});
    check_floats(run(branch, {Tensor::scalar(false), counted({1}, 3)}).at(0), {1}, {9});
}

BOOST_AUTO_TEST_CASE(what_is_not_known_is_kept) {
    TfliteFile file;
    const int x = file.tensor("x", {2}), y = file.tensor("y", {2}), z = file.tensor("z", {3});
    file.op(Code::CUSTOM, {x}, {y}, BuiltinOptions::NONE, 0, "TheirOperator");
    const int pads = file.tensor("pads", {1, 2}, 0, {.type = TensorType::INT32});
    file.op(Code::MIRROR_PAD, {y, pads}, {z}, BuiltinOptions::MirrorPadOptions,
            tflite::CreateMirrorPadOptions(file.builder, tflite::MirrorPadMode::SYMMETRIC).Union());
    file.end_graph({x, pads}, {z});
    const Model model = read(file.finish());
    const Node& custom = model.graph.node(model.graph.order().at(0));
    BOOST_TEST(custom.op->name == "TheirOperator");
    BOOST_TEST(custom.op->domain == "tflite.custom");
    const Node& pad = model.graph.node(model.graph.order().at(1));
    BOOST_TEST(pad.op->name == "MIRROR_PAD");
    BOOST_TEST(NodeView(pad).text("mode") == "SYMMETRIC");
    BOOST_TEST(to_string(model.graph.value(model.graph.outputs[0]).type) == "float32[3]");
}

BOOST_AUTO_TEST_CASE(memory_of_custom_operators_is_carried_through) {
    TfliteFile file;
    const int x = file.tensor("x", {2}), y = file.tensor("y", {2}), z = file.tensor("z", {2});
    const int scratch = file.tensor("scratch", {64}, 0, {.type = TensorType::INT8});
    file.op(Code::CUSTOM, {scratch, x}, {y}, BuiltinOptions::NONE, 0, "ethos-u");
    file.op(Code::ABS, {y}, {z});
    file.end_graph({x}, {z});
    Model model = read(file.finish());
    const auto check = [&] {
        const Node& custom = model.graph.node(model.graph.order().at(0));
        BOOST_TEST(custom.op->name == "ethos-u");
        BOOST_REQUIRE(custom.in.size() == 2);
        BOOST_TEST((custom.in[0] == ValueId::none));
        BOOST_TEST(to_string(std::get<Type>(custom.attrs.at("memory_0"))) == "int8[64]");
    };
    check();
    const std::string path = (std::filesystem::temp_directory_path() / fmt::format("quern-memory-{}.tflite", ::getpid())).string();
    write_model(model, path, "tflite");
    model = read_model(path);
    std::filesystem::remove(path);
    check();
}

BOOST_AUTO_TEST_CASE(sparse_tensors_are_filled_up) {
    TfliteFile file;
    auto& to = file.builder;
    const auto dense = tflite::CreateDimensionMetadata(to, tflite::DimensionType::DENSE, 2);
    const std::vector<int32_t> starts{0, 1, 3};
    const auto segments = tflite::CreateInt32VectorDirect(to, &starts);
    const std::vector<uint8_t> columns{2, 0, 1};
    const auto indices = tflite::CreateUint8VectorDirect(to, &columns);
    const auto rows = tflite::CreateDimensionMetadata(to, tflite::DimensionType::SPARSE_CSR, 0, tflite::SparseIndexVector::Int32Vector,
                                                      segments.Union(), tflite::SparseIndexVector::Uint8Vector, indices.Union());
    const std::vector<int32_t> order{0, 1};
    const std::vector<fb::Offset<tflite::DimensionMetadata>> dims{dense, rows};
    const auto sparsity = tflite::CreateSparsityParametersDirect(to, &order, nullptr, &dims);
    const int w = file.tensor("w", {2, 3}, file.buffer(std::vector<float>{5, 6, 7}), {.sparsity = sparsity});
    const int x = file.tensor("x", {2, 3}), y = file.tensor("y", {2, 3});
    file.op(Code::ADD, {x, w}, {y});
    file.end_graph({x}, {y});
    const Tensor zeros = Tensor::make<float>({2, 3}, std::vector<float>(6, 0));
    check_floats(run(read(file.finish()), {zeros}).at(0), {2, 3}, {0, 0, 5, 6, 7, 0});
}

BOOST_AUTO_TEST_CASE(blocks_of_ggml) {
    std::vector<uint8_t> q4(18), q8(34);
    q4[1] = q8[1] = 0x40;  // 2.0 as float16
    for (size_t i = 0; i < 16; ++i) q4[2 + i] = static_cast<uint8_t>(i | ((15 - i) << 4));
    for (size_t i = 0; i < 32; ++i) q8[2 + i] = static_cast<uint8_t>(i - 16);
    const auto contents = [](TensorType type, const std::vector<uint8_t>& blocks) {
        TfliteFile file;
        const int w = file.tensor("w", {1, 32}, file.buffer(blocks), {.type = type});
        const int x = file.tensor("x", {1, 32}), y = file.tensor("y", {1, 32});
        file.op(Code::ADD, {x, w}, {y});
        file.end_graph({x}, {y});
        const std::string bytes = file.finish("CIR0");
        Model model = circle_format::read(Bytes::copy(bytes.data(), bytes.size()), "-");
        infer_types(model.graph);
        return to_floats(run(model, {Tensor::make<float>({1, 32}, std::vector<float>(32, 0))}).at(0));
    };
    const auto four = contents(TensorType::GGML_Q4_0, q4), eight = contents(TensorType::GGML_Q8_0, q8);
    for (int i = 0; i < 16; ++i) {
        BOOST_TEST(four[static_cast<size_t>(i)] == 2.0f * static_cast<float>(i - 8));
        BOOST_TEST(four[static_cast<size_t>(i) + 16] == 2.0f * static_cast<float>(7 - i));
        BOOST_TEST(eight[static_cast<size_t>(i)] == 2.0f * static_cast<float>(i - 16));
    }
}

// LiteRT's numbers for these seeds.
BOOST_AUTO_TEST_CASE(random_numbers_of_a_seed) {
    const auto numbers = [](int64_t seed, int64_t seed2) {
        TfliteFile file;
        const int shape = file.ints("shape", {1}, {4}), y = file.tensor("y", {4});
        const auto options = tflite::CreateRandomOptions(file.builder, seed, seed2).Union();
        file.op(Code::RANDOM_UNIFORM, {shape}, {y}, BuiltinOptions::RandomOptions, options);
        file.end_graph({}, {y});
        return to_floats(run(read(file.finish()), {}).at(0));
    };
    BOOST_TEST(numbers(7, 5) == (std::vector<float>{0.8669311f, 0.0021675825f, 0.91945195f, 0.4260975f}), boost::test_tools::per_element());
    BOOST_TEST(numbers(7, -5) == (std::vector<float>{0.97982836f, 0.95165527f, 0.10804105f, 0.14631212f}),
               boost::test_tools::per_element());
}

// The greatest number of a block says its exponent; Circle's files hold none.
BOOST_AUTO_TEST_CASE(blocks_that_share_exponents) {
    const auto after = [](TensorType type) {
        TfliteFile file;
        const int x = file.tensor("x", {1, 36}), m = file.tensor("m", {1, 36}, 0, {.type = type, .mx_axis = 1}),
                  y = file.tensor("y", {1, 36});
        file.op(Code::NEG, {x}, {m});
        file.op(Code::NEG, {m}, {y});
        file.end_graph({x}, {y});
        const std::string bytes = file.finish("CIR0");
        Model model = circle_format::read(Bytes::copy(bytes.data(), bytes.size()), "-");
        infer_types(model.graph);
        verify(model.graph);
        std::vector<float> items(36, 0.0f);
        const std::vector<float> first{1, 2.6f, -6, 0.3f}, second{0.01f, 0.026f, -0.06f, 0.003f};
        std::copy(first.begin(), first.end(), items.begin());
        std::copy(second.begin(), second.end(), items.begin() + 32);
        ThreadPool pool(1);
        Session session(Program::compile(model.graph, {.mode = Mode::fake}), pool);
        const Tensor in = Tensor::make<float>({1, 36}, items);
        const auto out = to_floats(session.run(std::span(&in, 1)).at(0));
        std::vector<float> both(out.begin(), out.begin() + 4);
        both.insert(both.end(), out.begin() + 32, out.end());
        return both;
    };
    constexpr float small = 1.0f / 128, fine = 1.0f / 2048;  // 0.06 has the exponent -5
    BOOST_TEST(after(TensorType::MXFP4) == (std::vector<float>{1, 3, -6, 0.5f, 1.5f * small, 3 * small, -6 * small, 0.5f * small}),
               boost::test_tools::per_element());
    BOOST_TEST(after(TensorType::MXINT8) == (std::vector<float>{1, 2.625f, -6, 0.3125f, 20 * fine, 53 * fine, -123 * fine, 6 * fine}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(rows_name_operators_that_exist) {
    for (const tflite_format::MapRow* row : tflite_format::map_rows()) {
        std::string word;
        for (const char letter : std::string(row->ops) + " ") {
            if (letter != ' ') {
                word += letter;
                continue;
            }
            if (!word.empty()) BOOST_TEST((find_op(word) || find_op(word, "quern")), word);
            word.clear();
        }
        if (!row->rewrite) BOOST_TEST(find_op(row->ops) != nullptr);
    }
}

BOOST_AUTO_TEST_SUITE_END()
