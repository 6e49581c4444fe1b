#include "formats/tensorflow/tensorflow.h"

#include <algorithm>
#include <filesystem>

#include "formats/tensorflow/bundle.h"
#include "formats/tensorflow/frozen.h"
#include "formats/tensorflow/graph_def.h"
#include "formats/tensorflow/import.h"
#include "formats/tensorflow/saved_model.h"
#include "formats/tensorflow/slice_spec.h"
#include "formats/wire/wire.h"
#include "libcore/base/text.h"
#include "libcore/os/folder.h"

namespace quern::tensorflow_format {
namespace {

bool is_saved_model(const Bytes& bytes) {
    if (!bytes.text().starts_with("\x08\x01\x12")) return false;  // so does an old ONNX file, with the name of its producer
    try {
        WireReader reader(bytes);
        reader.next();
        const auto graph = WireReader(reader.next()->message()).next();
        return graph && (graph->number == 1 || graph->number == 2) && graph->kind == WireField::Kind::bytes;
    } catch (const Error&) {
        return false;
    }
}

bool is_name(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; });
}

// A graph begins with a node: its name, then its operator.
bool is_graph(const Bytes& bytes) {
    if (!bytes.text().starts_with('\x0a')) return false;
    try {
        WireReader reader(WireReader(bytes).next()->message());
        const auto name = reader.next(), op = reader.next();
        return name && op && name->number == 1 && op->number == 2 && is_name(name->message().text()) && is_name(op->message().text());
    } catch (const Error&) {
        return false;
    }
}

// What lies in the folder `path`, or beside the file that it is.
Bytes map_variables(const std::string& path, const std::string& name) {
    if (path == "-") throw unsupported("is a SavedModel on standard input, where its variables are not").with_hint("name its folder");
    std::error_code failed;
    return std::filesystem::is_directory(path, failed) ? map_inside(path, name) : map_beside(path, name);
}

// The checkpoint is opened when a variable is first read.
class Checkpoint {
   public:
    explicit Checkpoint(std::string path) : path_(std::move(path)) {}
    Tensor read(const Restored& variable) {
        if (!bundle_)
            bundle_ =
                std::make_unique<Bundle>("variables/variables", [this](const std::string& name) { return map_variables(path_, name); });
        const Tensor whole = bundle_->read(variable.key);
        return variable.slice.empty() ? whole : part_of(whole, variable.slice);
    }
    std::vector<Bytes> files() const { return bundle_ ? bundle_->files() : std::vector<Bytes>(); }

   private:
    std::string path_;
    std::unique_ptr<Bundle> bundle_;
};

Model read_saved_model(const Bytes& bytes, const std::string& path, const std::string& signature) {
    const MetaGraph meta = read_meta_graph(bytes);
    Library library(read_graph_def(meta.graph));
    const Interface interface = signature_of(meta, library.main(), signature);
    Checkpoint checkpoint(path);
    VariableContents variables;
    for (const auto& [handle, variable] : restored_variables(library, meta))
        variables[handle] = {variable.name, [&checkpoint, own = variable] { return checkpoint.read(own); }};
    Model model;
    model.graph = import_graph(library, interface, variables, bytes.size());
    std::vector<Bytes> files{bytes};
    for (const Bytes& file : checkpoint.files()) files.push_back(file);
    model.lineage = Lineage::of(std::move(files));
    return model;
}

}  // namespace

bool sniff(const Bytes& bytes) { return is_saved_model(bytes) || is_graph(bytes); }

Model read_signature(const Bytes& bytes, const std::string& path, const std::string& name) {
    if (is_saved_model(bytes)) return read_saved_model(bytes, path, name);
    if (!name.empty()) throw usage_error("--signature: a graph without a SavedModel around it has none");
    if (constexpr std::string_view fields = "\x0a\x12\x22"; fields.find(bytes.text()[0]) == std::string_view::npos)
        throw bad_input("is not a GraphDef");
    Library library(read_graph_def(bytes));
    Model model;
    model.graph = import_graph(library, interface_of(library.main()), {}, bytes.size());
    return model;
}

Model read(const Bytes& bytes, const std::string& path) { return read_signature(bytes, path, ""); }

}  // namespace quern::tensorflow_format
