#include "formats/tensorflow/tensorflow.h"

#include <filesystem>

#include "formats/shared/front_end.h"
#include "formats/sniff/sniff.h"
#include "formats/tensorflow/file/bundle.h"
#include "formats/tensorflow/file/graph_def.h"
#include "formats/tensorflow/file/slice_spec.h"
#include "formats/tensorflow/frozen.h"
#include "formats/tensorflow/import.h"
#include "formats/tensorflow/saved_model.h"
#include "libcore/base/text.h"
#include "libcore/os/folder.h"

namespace quern::tensorflow_format {
namespace {

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

extern "C" const quern::FrontEnd* quern_front_end() {
    static const quern::FrontEnd front_end{.read = quern::tensorflow_format::read,
                                           .read_signature = quern::tensorflow_format::read_signature};
    return &front_end;
}
