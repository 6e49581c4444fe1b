// Small TFLite files for tests.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "formats/tflite/file/tflite_generated.h"

namespace quern::test {

namespace fb = flatbuffers;
using Ints32 = std::vector<int32_t>;

struct TensorSpec {
    tflite::TensorType type = tflite::TensorType::FLOAT32;
    std::vector<float> scale = {};
    std::vector<int64_t> zero = {};
    int32_t axis = 0;
    bool variable = false;
    fb::Offset<tflite::SparsityParameters> sparsity = {};
    std::vector<int32_t> signature = {};
    int32_t mx_axis = -1;  // Circle's parameters of elements that share exponents
};

// One file: tensors and operators are added to the graph that is open, finish() gives the bytes.
class TfliteFile {
   public:
    fb::FlatBufferBuilder builder;

    // Contents of constants; 0 is the empty buffer that every file begins with.
    uint32_t buffer(const void* data, size_t size);
    template <class T>
    uint32_t buffer(const std::vector<T>& items) {
        return buffer(items.data(), items.size() * sizeof(T));
    }
    uint32_t outside_buffer(uint64_t offset, uint64_t size);
    int tensor(const std::string& name, Ints32 shape, uint32_t buffer = 0, TensorSpec spec = {});
    int floats(const std::string& name, Ints32 shape, const std::vector<float>& items) {
        return tensor(name, std::move(shape), buffer(items));
    }
    int ints(const std::string& name, Ints32 shape, const Ints32& items) {
        return tensor(name, std::move(shape), buffer(items), {.type = tflite::TensorType::INT32});
    }
    void op(tflite::BuiltinOperator code, Ints32 in, Ints32 out, tflite::BuiltinOptions kind = tflite::BuiltinOptions::NONE,
            fb::Offset<void> options = 0, const std::string& custom = "");
    void end_graph(const Ints32& inputs, const Ints32& outputs);
    void signature(const std::string& key, uint32_t tensor, uint32_t subgraph);
    std::string finish(const char* identifier = "TFL3");

   private:
    std::vector<fb::Offset<tflite::Buffer>> buffers_;
    std::vector<fb::Offset<tflite::OperatorCode>> codes_;
    std::vector<fb::Offset<tflite::Tensor>> tensors_;
    std::vector<fb::Offset<tflite::Operator>> operators_;
    std::vector<fb::Offset<tflite::SubGraph>> graphs_;
    std::vector<fb::Offset<tflite::SignatureDef>> signatures_;
};

// Reads a file whole and says "read", or the message with which it is refused: one line, with the exit code of bad or unsupported input.
std::string answer(const std::string& file, bool circle = false);

}  // namespace quern::test
