// Broken and hostile TFLite files are refused in one line, with the right exit code, without much time or memory.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <limits>
#include <random>

#include "formats/circle/circle.h"
#include "formats/tflite/file/flexbuffer.h"
#include "formats/tflite/file/options.h"
#include "formats/tflite/tflite.h"
#include "libcore/graph/op.h"
#include "tests/unit/tflite_files.h"

using namespace quern;
using namespace quern::test;
using tflite::BuiltinOptions;
using tflite::TensorType;
using Code = tflite::BuiltinOperator;

BOOST_AUTO_TEST_SUITE(tflite_broken)

namespace {

void refused(TfliteFile& file, const std::string& why, bool circle = false) {
    const std::string said = answer(file.finish(circle ? "CIR0" : "TFL3"), circle);
    BOOST_TEST(said.find(why) != std::string::npos, "\"" << said << "\" does not say \"" << why << "\"");
}

// x -> code(x, more...) -> y of one float row.
void refused_op(Code code, const std::function<std::vector<int32_t>(TfliteFile&)>& operands, BuiltinOptions kind,
                const std::function<fb::Offset<void>(TfliteFile&)>& options, const std::string& why, Ints32 dims = {1, 4, 4, 2}) {
    TfliteFile file;
    const int x = file.tensor("x", std::move(dims)), y = file.tensor("y", {1});
    std::vector<int32_t> in{x};
    for (const int32_t more : operands(file)) in.push_back(more);
    const auto table = options(file);
    file.op(code, in, {y}, kind, table);
    file.end_graph({x}, {y});
    refused(file, why);
}

const auto no_options = [](TfliteFile&) { return fb::Offset<void>(0); };
const auto filter = [](TfliteFile& file) { return std::vector<int32_t>{file.floats("w", {1, 1, 1, 2}, {1, 2})}; };

void refused_tensor(Ints32 dims, TensorSpec spec, size_t bytes, const std::string& why, bool circle = false) {
    TfliteFile file;
    const int x = file.tensor("x", {1}), y = file.tensor("y", {1});
    const int w = file.tensor("w", std::move(dims), bytes ? file.buffer(std::vector<uint8_t>(bytes)) : 0, std::move(spec));
    file.op(Code::ADD, {x, w}, {y});
    file.end_graph({x}, {y});
    refused(file, why, circle);
}

std::string small_file() {
    TfliteFile file;
    const int x = file.tensor("x", {1, 2, 2, 1}, 0, {.type = TensorType::INT8, .scale = {0.5f}, .zero = {3}});
    const int w =
        file.tensor("w", {2, 1, 1, 1}, file.buffer(std::vector<int8_t>{1, 2}), {.type = TensorType::INT8, .scale = {1, 2}, .zero = {0, 0}});
    const int y = file.tensor("y", {1, 2, 2, 2}), z = file.tensor("z", {1, 2, 2, 2}), shape = file.ints("shape", {2}, {1, 8}),
              r = file.tensor("r", {1, 8});
    file.op(Code::CONV_2D, {x, w}, {y}, BuiltinOptions::Conv2DOptions,
            tflite::CreateConv2DOptions(file.builder, tflite::Padding::SAME, 1, 1, tflite::ActivationFunctionType::RELU).Union());
    file.op(Code::SOFTMAX, {y}, {z}, BuiltinOptions::SoftmaxOptions, tflite::CreateSoftmaxOptions(file.builder, 2).Union());
    file.op(Code::RESHAPE, {z, shape}, {r});
    file.signature("key", 0, 0);
    file.end_graph({x}, {r});
    return file.finish();
}

}  // namespace

BOOST_AUTO_TEST_CASE(bytes) {
    const std::string good = small_file();
    BOOST_TEST(answer(good) == "read");
    for (size_t length = 0; length < good.size(); length += 3) answer(good.substr(0, length));
    BOOST_TEST(answer(good.substr(0, good.size() / 2)) != "read");
    BOOST_TEST(answer(good, true).find("not a valid FlatBuffer of Circle") != std::string::npos);
    std::mt19937 random(3);
    for (int round = 0; round < 3000; ++round) {
        std::string file = good;
        for (int flips = 0; flips < 1 + round % 4; ++flips) file[random() % file.size()] = static_cast<char>(random());
        answer(file);
    }
}

BOOST_AUTO_TEST_CASE(lists_and_indices) {
    TfliteFile none;
    refused(none, "holds no graph");
    const auto one = [](Ints32 in, Ints32 out, Ints32 inputs, Ints32 outputs, const std::string& why) {
        TfliteFile file;
        file.tensor("x", {1});
        file.tensor("y", {1});
        file.floats("c", {1}, {1});
        file.tensor("z", {1});
        file.op(Code::ABS, std::move(in), std::move(out));
        file.end_graph(inputs, outputs);
        refused(file, why);
    };
    one({9}, {1}, {0}, {1}, "input is tensor 9 of 4");
    one({-2}, {1}, {0}, {1}, "input is tensor -2 of 4");
    one({0}, {-1}, {0}, {1}, "output is tensor -1 of 4");
    one({0}, {1}, {4}, {1}, "input is tensor 4 of 4");
    one({0}, {1}, {0, 0}, {1}, "is an input twice");
    one({1}, {1}, {0}, {1}, "is read before it is computed");
    one({0}, {0}, {0}, {0}, "is computed twice");
    one({0}, {2}, {0}, {2}, "is a constant that is computed");
    one({}, {1}, {0}, {1}, "input 0 is missing");
    one({0}, {1, 3}, {0}, {1}, "output 1 is not computed");
}

BOOST_AUTO_TEST_CASE(tensors) {
    refused_tensor({2}, {}, 7, "has 7 bytes, need 8");
    refused_tensor({2}, {}, 12, "has 12 bytes, need 8");
    refused_tensor({-3}, {}, 4, "has a dimension of -3");
    refused_tensor({1 << 30, 1 << 30, 1 << 30}, {}, 4, "element");
    refused_tensor(Ints32(65, 1), {}, 4, "65 dimensions");
    refused_tensor({2}, {.signature = {2, 1}}, 8, "its signature 2");
    refused_tensor({2}, {.signature = {-2}}, 8, "has a dimension of -2");
    refused_tensor({1}, {.type = static_cast<TensorType>(99)}, 4, "element type 99");
    refused_tensor({32}, {.type = TensorType::GGML_Q4_0}, 18, "is not defined by TFLite");
    refused_tensor({33}, {.type = TensorType::GGML_Q4_0}, 18, "does not divide into blocks", true);
    refused_tensor({64}, {.type = TensorType::GGML_Q8_1}, 71, "need 72", true);
    refused_tensor({5}, {.type = TensorType::STRING}, 12, "a text tensor of 5");
    refused_tensor({1 << 30, 4}, {.variable = true}, 0, "a state of");
    TfliteFile text;
    const int t = text.tensor("t", {1}, text.buffer(Ints32{1, 12, 99}), {.type = TensorType::STRING});
    text.end_graph({}, {t});
    refused(text, "is not inside its buffer");
    TfliteFile outside;
    outside.tensor("x", {1});
    outside.tensor("w", {1}, outside.outside_buffer(std::numeric_limits<uint64_t>::max() - 2, 4));
    outside.end_graph({0}, {1});
    refused(outside, "are not inside the file");
    TfliteFile missing;
    missing.tensor("w", {1}, 7);
    missing.end_graph({0}, {0});
    refused(missing, "buffer 7 does not exist");
    TfliteFile named;
    named.tensor("\xff\xfe", {1});
    named.end_graph({0}, {0});
    refused(named, "not valid UTF-8");
}

BOOST_AUTO_TEST_CASE(quantization) {
    const auto int8 = TensorType::INT8;
    refused_tensor({2}, {.type = int8, .scale = {std::numeric_limits<float>::quiet_NaN()}}, 2, "has a scale of");
    refused_tensor({2}, {.type = int8, .scale = {-1}}, 2, "has a scale of -1");
    refused_tensor({2}, {.type = int8, .scale = {0}}, 2, "has a scale of 0");
    refused_tensor({2}, {.type = int8, .scale = {1, 1, 1}}, 2, "3 scales along dimension 0");
    refused_tensor({2, 1}, {.type = int8, .scale = {1, 1}, .axis = 1}, 2, "2 scales along dimension 1");
    refused_tensor({2, 1}, {.type = int8, .scale = {1, 1}, .axis = -1}, 2, "dimension -1");
    refused_tensor({2}, {.type = int8, .scale = {1}, .zero = {200}}, 2, "zero point 200 does not fit int8");
    refused_tensor({2}, {.type = int8, .scale = {1, 1}, .zero = {1}}, 2, "1 zero points and 2 scales");
    refused_tensor({2}, {.type = TensorType::FLOAT16, .scale = {1}, .zero = {3}}, 4, "has zero points, which float16 elements have not");
}

BOOST_AUTO_TEST_CASE(operators) {
    const auto conv = [](int pad, int stride, int dilation) {
        return [=](TfliteFile& file) {
            return tflite::CreateConv2DOptions(file.builder, static_cast<tflite::Padding>(pad), stride, stride,
                                               tflite::ActivationFunctionType::NONE, dilation, dilation)
                .Union();
        };
    };
    refused_op(Code::CONV_2D, filter, BuiltinOptions::Conv2DOptions, conv(0, 0, 1), "has strides [0,0]");
    refused_op(Code::CONV_2D, filter, BuiltinOptions::Conv2DOptions, conv(0, 1, -1), "has dilations [-1,-1]");
    refused_op(Code::CONV_2D, filter, BuiltinOptions::Conv2DOptions, conv(7, 1, 1), "option padding is 7");
    refused_op(Code::CONV_2D, filter, BuiltinOptions::Conv2DOptions, conv(0, 1, 1), "a filter of 2 channels for data with 3", {1, 4, 4, 3});
    refused_op(Code::CONV_2D, filter, BuiltinOptions::Conv2DOptions, conv(0, 1, 1), "need rank 4", {4});
    refused_op(
        Code::CONV_2D, [](TfliteFile&) { return std::vector<int32_t>{-1}; }, BuiltinOptions::Conv2DOptions, conv(0, 1, 1),
        "input 1 is missing");
    const auto constants = [](Ints32 a, Ints32 b, Ints32 c) {
        return [=](TfliteFile& file) {
            const auto put = [&](const char* name, const Ints32& items) {
                return file.ints(name, {static_cast<int32_t>(items.size())}, items);
            };
            return std::vector<int32_t>{put("a", a), put("b", b), put("c", c)};
        };
    };
    refused_op(Code::STRIDED_SLICE, constants({0}, {1, 1}, {1}), BuiltinOptions::NONE, no_options, "has 1 begins, 2 ends");
    refused_op(Code::STRIDED_SLICE, constants({0}, {1}, {0}), BuiltinOptions::NONE, no_options, "has a stride of 0");
    refused_op(Code::STRIDED_SLICE, constants(Ints32(5, 0), Ints32(5, 1), Ints32(5, 1)), BuiltinOptions::NONE, no_options,
               "cuts more dimensions");
    refused_op(Code::SPACE_TO_BATCH_ND, constants({0}, {0, 0}, {0}), BuiltinOptions::NONE, no_options, "in blocks of 0");
    refused_op(Code::BATCH_TO_SPACE_ND, constants({1}, {9, 9}, {0}), BuiltinOptions::NONE, no_options, "crops 9 and 9");
    refused_op(Code::TRANSPOSE, constants({0, 1, 2, 9}, {0}, {0}), BuiltinOptions::NONE, no_options, "axis is 9");
    const auto block = [](TfliteFile& file) { return tflite::CreateDepthToSpaceOptions(file.builder, 1 << 30).Union(); };
    const auto nothing = [](TfliteFile&) { return std::vector<int32_t>{}; };
    refused_op(Code::DEPTH_TO_SPACE, nothing, BuiltinOptions::DepthToSpaceOptions, block, "has blocks of 1073741824");
    refused_op(static_cast<Code>(9999), nothing, BuiltinOptions::NONE, no_options, "operator code 9999 is not known");
    TfliteFile custom;
    custom.tensor("x", {1});
    custom.op(Code::CUSTOM, {0}, {}, BuiltinOptions::NONE, 0, "bad\nname");
    custom.end_graph({0}, {0});
    refused(custom, "a custom operator is called");
    TfliteFile early;
    for (const char* name : {"x", "y", "z"}) early.tensor(name, {1});
    early.op(Code::CUSTOM, {1}, {2}, BuiltinOptions::NONE, 0, "reads what comes later");
    early.op(Code::ABS, {0}, {1});
    early.end_graph({0}, {2});
    refused(early, "is read before it is computed");
}

// A field of the options that is no longer in use is read like any other: it lies far outside the file.
BOOST_AUTO_TEST_CASE(options_beyond_the_file) {
    TfliteFile file;
    file.tensor("x", {1, 2, 2, 1});
    file.ints("size", {2}, {4, 4});
    file.tensor("y", {1, 4, 4, 1});
    const auto start = file.builder.StartTable();
    file.builder.AddElement<int32_t>(fb::FieldIndexToOffset(0), 7, 0);
    file.op(Code::RESIZE_BILINEAR, {0, 1}, {2}, BuiltinOptions::ResizeBilinearOptions, fb::Offset<void>(file.builder.EndTable(start)));
    file.end_graph({0}, {2});
    std::string bytes = file.finish();
    BOOST_TEST(answer(bytes) == "read");
    const auto* options =
        static_cast<const uint8_t*>(tflite::GetModel(bytes.data())->subgraphs()->Get(0)->operators()->Get(0)->builtin_options());
    const auto vtable = options - fb::ReadScalar<fb::soffset_t>(options) - reinterpret_cast<const uint8_t*>(bytes.data());
    fb::WriteScalar<fb::voffset_t>(bytes.data() + vtable + 4, 0xfff0);
    BOOST_TEST(answer(bytes).find("not a valid FlatBuffer") != std::string::npos);
}

// A list of 8-byte numbers begins 4 bytes late, at what was the first half of its first number: the verifier lets it pass.
void begin_late(std::string& bytes, const void* table, fb::voffset_t field) {
    const auto place = static_cast<const fb::Table*>(table)->GetAddressOf(field) - reinterpret_cast<const uint8_t*>(bytes.data());
    fb::WriteScalar(bytes.data() + place, fb::ReadScalar<fb::uoffset_t>(bytes.data() + place) + 4);
}

BOOST_AUTO_TEST_CASE(lists_that_are_not_aligned) {
    TfliteFile file;
    file.tensor("x", {2, 1}, 0, {.type = TensorType::INT8, .scale = {1, 2}, .zero = {1, 0}});
    file.end_graph({0}, {0});
    std::string bytes = file.finish();
    BOOST_TEST(answer(bytes) == "read");
    begin_late(bytes, tflite::GetModel(bytes.data())->subgraphs()->Get(0)->tensors()->Get(0)->quantization(),
               tflite::QuantizationParameters::VT_ZERO_POINT);
    const std::string said = answer(bytes);
    BOOST_TEST(said.find("a list of 8-byte numbers is not aligned") != std::string::npos, said);

    fb::FlatBufferBuilder builder;
    const std::vector<int64_t> axes{1, 0};
    builder.Finish(tflite::CreateStablehloTransposeOptionsDirect(builder, &axes));
    std::string options(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
    const auto read = [&] {
        return tflite_format::options_of(fb::GetRoot<tflite::StablehloTransposeOptions>(options.data()),
                                         static_cast<uint8_t>(tflite::BuiltinOptions2::StablehloTransposeOptions),
                                         tflite::BuiltinOptions2TypeTable());
    };
    BOOST_TEST((std::get<std::vector<int64_t>>(read().at("permutation")) == axes));
    begin_late(options, fb::GetRoot<tflite::StablehloTransposeOptions>(options.data()), tflite::StablehloTransposeOptions::VT_PERMUTATION);
    BOOST_CHECK_THROW(read(), Error);
}

BOOST_AUTO_TEST_CASE(subgraphs) {
    const auto branch = [](TfliteFile& file, int then_graph, int else_graph) {
        const int c = file.tensor("c", {}, 0, {.type = TensorType::BOOL}), y = file.tensor("y", {}, 0, {.type = TensorType::BOOL});
        file.op(Code::IF, {c, c}, {y}, BuiltinOptions::IfOptions, tflite::CreateIfOptions(file.builder, then_graph, else_graph).Union());
        file.end_graph({c}, {y});
    };
    TfliteFile missing;
    branch(missing, 1, 5);
    branch(missing, 0, 0);
    refused(missing, "subgraph");
    TfliteFile itself;
    branch(itself, 0, 0);
    refused(itself, "nest deeper than");
    TfliteFile many;  // 2^22 branches in a few kilobytes
    for (int i = 1; i <= 22; ++i) branch(many, i, i);
    const int c = many.tensor("c", {}, 0, {.type = TensorType::BOOL});
    many.end_graph({c}, {c});
    refused(many, "operators");
    TfliteFile loop;
    const int x = loop.tensor("x", {}), y = loop.tensor("y", {});
    loop.op(Code::WHILE, {x}, {y}, BuiltinOptions::WhileOptions, tflite::CreateWhileOptions(loop.builder, 1, 1).Union());
    loop.end_graph({x}, {y});
    const int a = loop.tensor("a", {}), b = loop.tensor("b", {});
    loop.end_graph({a, b}, {a});
    refused(loop, "has 2 inputs, gets 1");
    TfliteFile signature;
    signature.tensor("x", {1});
    signature.end_graph({0}, {0});
    signature.signature("key", 9, 0);
    refused(signature, "signature names tensor 9 of 1");
}

BOOST_AUTO_TEST_CASE(sparse_tensors) {
    const auto sparse = [](Ints32 dims, std::vector<int32_t> order, std::vector<int32_t> segments, std::vector<int32_t> indices,
                           const std::string& why) {
        TfliteFile file;
        auto& to = file.builder;
        const auto starts = tflite::CreateInt32VectorDirect(to, &segments), places = tflite::CreateInt32VectorDirect(to, &indices);
        std::vector<fb::Offset<tflite::DimensionMetadata>> walked;
        for (size_t i = 0; i + 1 < order.size(); ++i)
            walked.push_back(tflite::CreateDimensionMetadata(to, tflite::DimensionType::DENSE, dims[i]));
        walked.push_back(tflite::CreateDimensionMetadata(to, tflite::DimensionType::SPARSE_CSR, 0, tflite::SparseIndexVector::Int32Vector,
                                                         starts.Union(), tflite::SparseIndexVector::Int32Vector, places.Union()));
        const auto table = tflite::CreateSparsityParametersDirect(to, &order, nullptr, &walked);
        const int w = file.tensor("w", dims, file.buffer(std::vector<float>(3, 1)), {.sparsity = table});
        const int x = file.tensor("x", {1}), y = file.tensor("y", {1});
        file.op(Code::ADD, {x, w}, {y});
        file.end_graph({x}, {y});
        refused(file, why);
    };
    sparse({2, 3}, {0, 0}, {0, 1, 3}, {2, 0, 1}, "order is none");
    sparse({2, 3}, {0, 7}, {0, 1, 3}, {2, 0, 1}, "order is none");
    sparse({2, 3}, {0}, {0, 3}, {2, 0, 1}, "walks 1");
    sparse({2, 3}, {0, 1}, {0, 3, 1}, {2, 0, 1}, "segments are out of order");
    sparse({2, 3}, {0, 1}, {0, 1, 9}, {2, 0, 1}, "segments are out of order");
    sparse({2, 3}, {0, 1}, {0, 3}, {2, 0, 1}, "has no segment");
    sparse({2, 3}, {0, 1}, {0, 1, 3}, {2, 0, 8}, "coordinate 8");
    sparse({2, 3}, {0, 1}, {0, 1, 2}, {2, 0}, "names 2 elements");
    sparse({1 << 15, 1 << 15}, {0, 1}, {0, 3}, {2, 0, 1}, "a sparse tensor of");
}

// Found by mutated files.
BOOST_AUTO_TEST_CASE(operands_of_recurrent_operators) {
    TfliteFile file;
    const int x = file.tensor("x", {1, 2, 3}), y = file.tensor("y", {1, 2, 4});
    Ints32 in(24, -1);
    in[0] = x;
    for (int i = 1; i <= 4; ++i) in[static_cast<size_t>(i)] = file.floats("w" + std::to_string(i), {4, 3}, std::vector<float>(12));
    for (int i = 5; i <= 8; ++i) in[static_cast<size_t>(i)] = file.floats("r" + std::to_string(i), {4}, std::vector<float>(4));
    for (int i = 12; i <= 15; ++i) in[static_cast<size_t>(i)] = file.floats("b" + std::to_string(i), {4}, std::vector<float>(4));
    for (int i = 18; i <= 19; ++i) in[static_cast<size_t>(i)] = file.tensor("s" + std::to_string(i), {1, 4}, 0, {.variable = true});
    file.op(Code::UNIDIRECTIONAL_SEQUENCE_LSTM, in, {y}, BuiltinOptions::UnidirectionalSequenceLSTMOptions,
            tflite::CreateUnidirectionalSequenceLSTMOptions(file.builder, tflite::ActivationFunctionType::TANH).Union());
    file.end_graph({x}, {y});
    refused(file, "input 5 has no dimension 1");
}

BOOST_AUTO_TEST_CASE(operators_that_need_large_constants) {
    const auto padded = [](int32_t length, int count) {
        TfliteFile file;
        const int x = file.tensor("x", {length}), pads = file.ints("pads", {1, 2}, {1, 0});
        for (int i = 0; i < count; ++i)
            file.op(Code::MIRROR_PAD, {x, pads}, {file.tensor("y" + std::to_string(i), {length + 1})}, BuiltinOptions::MirrorPadOptions,
                    tflite::CreateMirrorPadOptions(file.builder, tflite::MirrorPadMode::SYMMETRIC).Union());
        file.end_graph({x}, {2});
        return file;
    };
    TfliteFile one = padded(1 << 30, 1), many = padded(1 << 21, 40);
    BOOST_TEST(answer(one.finish()) == "read");  // kept as it is
    refused(many, "take more than");
}

// The verifier of libflatbuffers takes the second one.
BOOST_AUTO_TEST_CASE(keys_of_custom_options_end) {
    const auto numbers = [](const std::string& bytes) {
        return tflite_format::flexbuffer_numbers(Bytes::copy(bytes.data(), bytes.size()));
    };
    BOOST_TEST(numbers({'a', 0, 1, 3, 1, 1, 1, 5, 4, 2, 36, 1}).at("a") == 5);
    BOOST_CHECK_THROW(numbers({'a', 1, 2, 1, 1, 1, 5, 4, 2, 36, 1}), Error);
}

BOOST_AUTO_TEST_SUITE_END()
