// Reads ONNX (onnx.h): the skeleton by protobuf, weights where they lie in the file.
#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>

#include "formats/onnx/import.h"
#include "formats/onnx/metadata.h"
#include "formats/onnx/onnx.h"
#include "formats/onnx/onnx.pb.h"
#include "formats/onnx/skeleton.h"
#include "libcore/graph/declared_types.h"
#include "libcore/os/io.h"

namespace quern::onnx_format {
namespace {

const onnx::Model& parse(const std::string& message, google::protobuf::Arena& arena) {
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(message.data()), static_cast<int>(message.size()));
    stream.SetRecursionLimit(200);
    onnx::Model& model = *google::protobuf::Arena::CreateMessage<onnx::Model>(&arena);
    if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) throw bad_input("not an ONNX model");
    return model;
}

}  // namespace

// A model begins with its IR version, or any other of its few fields.
bool sniff(const Bytes& bytes) {
    if (bytes.size() < 2) return false;
    const auto first = static_cast<uint8_t>(bytes.data()[0]), second = static_cast<uint8_t>(bytes.data()[1]);
    return (first == 0x08 && second > 0 && second < 64) || (first == 0x3a) || (first == 0x42 && second < 64);
}

Model read(const Bytes& bytes, const std::string& path) {
    const Skeleton skeleton = skeleton_of_model(bytes);
    if (skeleton.message.size() > 0x7fffffff) throw unsupported("the graph alone is larger than 2 GiB");
    google::protobuf::Arena arena;  // what is read goes at once
    const onnx::Model& message = parse(skeleton.message, arena);
    Model model;
    TensorSource tensors(skeleton.payloads, path == "-" ? "" : path);
    Importer importer(message, tensors);
    model.graph = importer.run();
    model.other_quantizers = importer.spelled_quantizers();
    say_told(display_name(path), importer.told());
    take_metadata(message, model);
    if (model.lineage.empty() && !tensors.files().empty()) {
        std::vector<Bytes> files{bytes};  // the weights beside the model are part of it
        for (const auto& [name, contents] : tensors.files()) files.push_back(contents);
        model.lineage = Lineage::of(std::move(files));
    }
    return model;
}

}  // namespace quern::onnx_format
