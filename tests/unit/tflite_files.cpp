#include "tests/unit/tflite_files.h"

#include <boost/test/unit_test.hpp>

#include "formats/circle/circle.h"
#include "formats/tflite/tflite.h"
#include "libcore/graph/op.h"

namespace quern::test {

uint32_t TfliteFile::buffer(const void* data, size_t size) {
    if (buffers_.empty()) buffers_.push_back(tflite::CreateBuffer(builder));
    builder.ForceVectorAlignment(size, 1, 16);
    const auto bytes = builder.CreateVector(static_cast<const uint8_t*>(data), size);
    buffers_.push_back(tflite::CreateBuffer(builder, bytes));
    return static_cast<uint32_t>(buffers_.size() - 1);
}

uint32_t TfliteFile::outside_buffer(uint64_t offset, uint64_t size) {
    if (buffers_.empty()) buffers_.push_back(tflite::CreateBuffer(builder));
    buffers_.push_back(tflite::CreateBuffer(builder, 0, offset, size));
    return static_cast<uint32_t>(buffers_.size() - 1);
}

int TfliteFile::tensor(const std::string& name, Ints32 shape, uint32_t buffer, TensorSpec spec) {
    fb::Offset<tflite::QuantizationParameters> quantization = 0;
    if (!spec.scale.empty())
        quantization = tflite::CreateQuantizationParametersDirect(builder, nullptr, nullptr, &spec.scale, &spec.zero,
                                                                  tflite::QuantizationDetails::NONE, 0, spec.axis);
    if (spec.mx_axis >= 0) {  // the second of the details in both formats, a table that begins with a number
        const auto axis = tflite::CreateBlockwiseQuantization(builder, spec.mx_axis).Union();
        quantization = tflite::CreateQuantizationParameters(builder, 0, 0, 0, 0, tflite::QuantizationDetails::BlockwiseQuantization, axis);
    }
    tensors_.push_back(tflite::CreateTensorDirect(builder, &shape, spec.type, buffer, name.c_str(), quantization, spec.variable,
                                                  spec.sparsity, spec.signature.empty() ? nullptr : &spec.signature));
    return static_cast<int>(tensors_.size() - 1);
}

void TfliteFile::op(tflite::BuiltinOperator code, Ints32 in, Ints32 out, tflite::BuiltinOptions kind, fb::Offset<void> options,
                    const std::string& custom) {
    const auto old = static_cast<int8_t>(std::min(static_cast<int>(code), 127));
    codes_.push_back(tflite::CreateOperatorCodeDirect(builder, old, custom.empty() ? nullptr : custom.c_str(), 1, code));
    operators_.push_back(tflite::CreateOperatorDirect(builder, static_cast<uint32_t>(codes_.size() - 1), &in, &out, kind, options));
}

void TfliteFile::end_graph(const Ints32& inputs, const Ints32& outputs) {
    graphs_.push_back(tflite::CreateSubGraphDirect(builder, &tensors_, &inputs, &outputs, &operators_, "main"));
    tensors_.clear();
    operators_.clear();
}

void TfliteFile::signature(const std::string& key, uint32_t tensor, uint32_t subgraph) {
    const std::vector<fb::Offset<tflite::TensorMap>> one{tflite::CreateTensorMapDirect(builder, "alias", tensor)};
    signatures_.push_back(tflite::CreateSignatureDefDirect(builder, &one, &one, key.c_str(), subgraph));
}

std::string TfliteFile::finish(const char* identifier) {
    if (buffers_.empty()) buffers_.push_back(tflite::CreateBuffer(builder));
    builder.Finish(tflite::CreateModelDirect(builder, 3, &codes_, &graphs_, nullptr, &buffers_, nullptr, nullptr, &signatures_),
                   identifier);
    return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

std::string answer(const std::string& file, bool circle) {
    try {
        const Bytes bytes = Bytes::copy(file.data(), file.size());
        Model model = circle ? circle_format::read(bytes, "-") : tflite_format::read(bytes, "-");
        for_each_graph(model.graph, [](Graph& graph, const std::string&) { graph.sort(); });
        infer_types(model.graph);
        verify(model.graph);
    } catch (const Error& error) {
        BOOST_TEST((error.exit() == Exit::bad_input || error.exit() == Exit::unsupported), error.message());
        BOOST_TEST(error.message().find('\n') == std::string::npos);
        return error.message();
    }
    return "read";
}

}  // namespace quern::test
