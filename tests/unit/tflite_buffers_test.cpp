// Where the contents of TFLite and Circle tensors may be: beyond 2 GiB, in 4 bits, in other files, compressed.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "formats/circle/circle.h"
#include "formats/circle/circle_generated.h"
#include "formats/format.h"
#include "formats/tflite/tflite.h"
#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/graph/quantize.h"
#include "tests/unit/tflite_files.h"

using namespace quern;
using namespace quern::test;
using tflite::TensorType;
using Code = tflite::BuiltinOperator;

BOOST_AUTO_TEST_SUITE(tflite_buffers)

namespace {

// A file of holes that is removed.
struct HoleyFile {
    std::string path = (std::filesystem::temp_directory_path() / fmt::format("quern-holes-{}.tflite", ::getpid())).string();
    ~HoleyFile() { std::filesystem::remove(path); }
};

// Memory of this process that is no file's, in KiB.
size_t own_memory() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("RssAnon:")) return std::stoul(line.substr(8));
    return 0;
}

void refused(const Bytes& bytes, const std::string& why) {
    const auto read = [&] { return circle_format::sniff(bytes) ? circle_format::read(bytes, "-") : tflite_format::read(bytes, "-"); };
    BOOST_CHECK_EXCEPTION(read(), Error, [&](const Error& error) {
        return error.exit() == Exit::unsupported && error.message().find(why) != std::string::npos;
    });
}

// x + w; w is a tensor of Circle.
Bytes circle_file(TensorType type, circle::CompressionType compression) {
    fb::FlatBufferBuilder to;
    const std::vector<uint8_t> contents(16, 1);
    const std::vector<fb::Offset<tflite::Buffer>> buffers{tflite::CreateBuffer(to), tflite::CreateBufferDirect(to, &contents)};
    const Ints32 shape{4}, inputs{0}, operands{0, 1}, outputs{2};
    const auto tensor = [&](const char* name, TensorType kind, uint32_t buffer, circle::CompressionType how) {
        return circle::CreateTensorDirect(to, &shape, kind, buffer, name, 0, false, 0, nullptr, false, nullptr, how);
    };
    const std::vector<fb::Offset<circle::Tensor>> tensors{tensor("x", TensorType::FLOAT32, 0, circle::CompressionType::NONE),
                                                          tensor("w", type, 1, compression),
                                                          tensor("y", TensorType::FLOAT32, 0, circle::CompressionType::NONE)};
    const std::vector<fb::Offset<circle::Operator>> operators{circle::CreateOperatorDirect(to, 0, &operands, &outputs)};
    const std::vector<fb::Offset<circle::SubGraph>> graphs{circle::CreateSubGraphDirect(to, &tensors, &inputs, &outputs, &operators)};
    const std::vector<fb::Offset<tflite::OperatorCode>> codes{tflite::CreateOperatorCode(to)};
    to.Finish(circle::CreateModelDirect(to, 0, &codes, &graphs, nullptr, &buffers), "CIR0");
    return Bytes::copy(to.GetBufferPointer(), to.GetSize());
}

}  // namespace

BOOST_AUTO_TEST_CASE(buffers_beyond_2_gib) {
    constexpr uint64_t place = (uint64_t{1} << 31) + 4096;
    TfliteFile file;
    const int x = file.tensor("x", {3}), y = file.tensor("y", {3}), w = file.tensor("w", {3}, file.outside_buffer(place, 12));
    file.op(Code::ADD, {x, w}, {y});
    file.end_graph({x}, {y});
    const HoleyFile holey;
    std::ofstream out(holey.path, std::ios::binary);
    const std::string head = file.finish();
    const std::array<float, 3> items{1, 2, 3};
    out.write(head.data(), static_cast<std::streamsize>(head.size()));
    out.seekp(static_cast<std::streamoff>(place));
    out.write(reinterpret_cast<const char*>(items.data()), sizeof items);
    out.close();
    const size_t before = own_memory();
    const Model model = read_model(holey.path);
    BOOST_TEST(own_memory() < before + (64 << 10));
    const ValueId id = model.graph.find("w");
    BOOST_REQUIRE(id != ValueId::none);
    BOOST_TEST(to_floats(*model.graph.constant(id)) == (std::vector<float>{1, 2, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(four_bits_without_a_sign) {
    for (const TensorType type : {TensorType::UINT4, TensorType::CIRCLE_UINT4}) {
        TfliteFile file;
        const int x = file.tensor("x", {3}), y = file.tensor("y", {3});
        const int w = file.tensor("w", {3}, file.buffer(std::vector<uint8_t>{0xf0, 0x07}), {.type = type, .scale = {0.5f}, .zero = {8}});
        file.op(Code::ADD, {x, w}, {y});
        file.end_graph({x}, {y});
        const bool circle = type == TensorType::CIRCLE_UINT4;
        const std::string bytes = file.finish(circle ? "CIR0" : "TFL3");
        const Bytes contents = Bytes::copy(bytes.data(), bytes.size());
        const Model model = circle ? circle_format::read(contents, "-") : tflite_format::read(contents, "-");
        const Value& value = model.graph.value(model.graph.find("w"));
        BOOST_REQUIRE(value.enc.has_value());
        BOOST_TEST(to_floats(dequantize(*model.graph.constant(model.graph.find("w")), *value.enc)) == (std::vector<float>{-4, 3.5f, -0.5f}),
                   boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(what_the_file_does_not_hold_is_refused) {
    refused(circle_file(TensorType::FLOAT32, circle::CompressionType::HUFFMAN), "Huffman");
    refused(circle_file(TensorType::MXFP4, circle::CompressionType::NONE), "MX elements");
    refused(circle_file(TensorType::MXINT8, circle::CompressionType::NONE), "MX elements");

    fb::FlatBufferBuilder to;
    const std::vector<fb::Offset<tflite::Buffer>> buffers{tflite::CreateBuffer(to)};
    const Ints32 shape{4}, inputs{0}, operands{0, 1}, outputs{2};
    const auto tensor = [&](const char* name, uint32_t external) {
        return tflite::CreateTensorDirect(to, &shape, TensorType::FLOAT32, 0, name, 0, false, 0, nullptr, false, nullptr, external);
    };
    const std::vector<fb::Offset<tflite::Tensor>> tensors{tensor("x", 0), tensor("w", 1), tensor("y", 0)};
    const std::vector<fb::Offset<tflite::Operator>> operators{tflite::CreateOperatorDirect(to, 0, &operands, &outputs)};
    const std::vector<fb::Offset<tflite::SubGraph>> graphs{tflite::CreateSubGraphDirect(to, &tensors, &inputs, &outputs, &operators)};
    const std::vector<fb::Offset<tflite::OperatorCode>> codes{tflite::CreateOperatorCode(to)};
    to.Finish(tflite::CreateModelDirect(to, 3, &codes, &graphs, nullptr, &buffers), "TFL3");
    refused(Bytes::copy(to.GetBufferPointer(), to.GetSize()), "in another file");
}

BOOST_AUTO_TEST_SUITE_END()
