// The formats, in the order in which they are recognised.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "formats/circle/circle.h"
#include "formats/context/sections.h"
#include "formats/format.h"
#include "formats/gguf/file/container.h"
#include "formats/library/library.h"
#include "formats/native/native.h"
#include "formats/onnx/onnx.h"
#include "formats/read.h"
#include "formats/safetensors/safetensors.h"
#include "formats/shared/front_end.h"
#include "formats/sniff/sniff.h"
#include "formats/text/text.h"
#include "formats/tflite/tflite.h"
#include "libcore/base/file_kind.h"
#include "libcore/base/text.h"
#include "libcore/graph/declared_types.h"
#include "libcore/graph/op.h"
#include "libcore/os/folder.h"

namespace quern {
namespace {

const FrontEnd& tensorflow_library() {
    static const FrontEnd& loaded = load_front_end("libquern_tensorflow.so");
    return loaded;
}

const FrontEnd& gguf_library() {
    static const FrontEnd& loaded = load_front_end("libquern_gguf.so");
    return loaded;
}

const FrontEnd& torch_library() {
    static const FrontEnd& loaded = load_front_end("libquern_torch.so");
    return loaded;
}

// What the rows of these have: the library is loaded when they are called.
template <const FrontEnd& (*front_end)()>
Model read_by(const Bytes& bytes, const std::string& path) {
    return front_end().read(bytes, path);
}

template <const FrontEnd& (*front_end)()>
Model read_signature_by(const Bytes& bytes, const std::string& path, const std::string& name) {
    return front_end().read_signature(bytes, path, name);
}

template <const FrontEnd& (*front_end)()>
void write_by(const Model& model, const std::string& path, const WriteOptions& options) {
    front_end().write(model, path, options);
}

constexpr std::array rows{
    Format{.name = "native",
           .suffixes = ".qn .quern",
           .doc = "everything a model has, in one mapped file",
           .sniff = native_format::sniff,
           .read = native_format::read,
           .write = native_format::write},
    Format{.name = "tflite",
           .suffixes = ".tflite .lite",
           .doc = "TFLite, schema version 3",
           .sniff = tflite_format::sniff,
           .read = tflite_format::read,
           .write = tflite_format::write,
           .io = true,
           .read_signature = tflite_format::read_signature},
    Format{.name = "circle",
           .suffixes = ".circle",
           .doc = "Circle 0.10, the format of ONE and onert",
           .sniff = circle_format::sniff,
           .read = circle_format::read,
           .write = circle_format::write,
           .io = true,
           .read_signature = circle_format::read_signature},
    Format{.name = "tf",
           .suffixes = ".pb",
           .doc = "TensorFlow: frozen graphs, and SavedModel folders",
           .sniff = tensorflow_format::sniff,
           .read = read_by<tensorflow_library>,
           .write = nullptr,
           .read_signature = read_signature_by<tensorflow_library>},
    Format{.name = "onnx",
           .suffixes = ".onnx",
           .doc = "ONNX, opsets 7 to 28",
           .sniff = onnx_format::sniff,
           .read = onnx_format::read,
           .write = onnx_format::write,
           .external_data = true,
           .io = true},
    Format{.name = "gguf",
           .suffixes = ".gguf",
           .doc = "GGUF, versions 2 and 3, the format of llama.cpp",
           .sniff = gguf::has_magic,
           .read = read_by<gguf_library>,
           .write = write_by<gguf_library>},
    Format{.name = "pt2",
           .suffixes = ".pt2 .pt .pth",
           .doc = "programs of torch.export, torch 2.5 to 2.15",
           .sniff = torch_format::sniff,
           .read = read_by<torch_library>,
           .write = nullptr,
           .read_signature = read_signature_by<torch_library>},
    Format{.name = "library",
           .suffixes = ".so",
           .doc = "a model library of codegen --plugin cpp --lib; reading it runs its code",
           .sniff = library_format::sniff,
           .read = library_format::read,
           .write = nullptr},
    Format{.name = "text",
           .suffixes = ".mlir .txt",
           .doc = "the text form: generic MLIR syntax, weights in hex",
           .sniff = sniff_text,
           .read = read_text,
           .write = write_text,
           .external_data = true,
           .text = true},
};

bool has_suffix(const Format& format, const std::string& path) {
    const auto suffixes = split(format.suffixes, ' ');
    return std::any_of(suffixes.begin(), suffixes.end(), [&](const std::string& suffix) {
        return path.size() > suffix.size() && path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
    });
}

// Words and lines, as far as one looks.
bool is_text(std::string_view bytes) {
    constexpr size_t far = 4096;
    if (bytes.size() > far) bytes = bytes.substr(0, bytes.rfind('\n', far) + 1);
    return !bytes.empty() && is_utf8(bytes) && std::ranges::none_of(bytes, [](unsigned char c) { return c < 32 && std::isspace(c) == 0; });
}

// Of a name that no other sign speaks for.
const Format* format_by_suffix(const Bytes& bytes, const std::string& path) {
    const auto format = std::ranges::find_if(rows, [&](const Format& row) { return has_suffix(row, path); });
    if (format != rows.end() && format->text) return &*format;
    if (trim(bytes.text().substr(0, 64)).starts_with('{')) throw bad_input("is JSON, which is not a model");
    if (format == rows.end()) return nullptr;
    if (is_text(bytes.text())) throw bad_input("is text, which {} files are not", format->name);
    return &*format;
}

// How a product gets a name that names no format of models.
std::string hint_for_suffix(const std::string& path) {
    if (path.ends_with(".qctx")) return "quern compile or codegen -p context makes contexts";
    if (path.ends_with(".safetensors")) return "model-convert --dump-weights FILE writes the weights";
    std::vector<std::string> suffixes;
    for (const Format& format : rows)
        if (format.write) suffixes.emplace_back(format.suffixes);
    return "give -f FORMAT, or a name that ends in one of " + join(suffixes, " ");
}

bool runs_code(const Format& format) { return format.read == library_format::read; }

// What a file holds never makes it code that is run: the user asked for that by the file's name, or did not.
bool is_asked_for(const Format& format, const std::string& path) { return !runs_code(format) || has_suffix(format, path); }

void check_asked_for(const Format& format, const std::string& path) {
    if (is_asked_for(format, path)) return;
    if (path.empty() || path == "-") throw unsupported("a model library is code and is loaded from a file, not from a stream");
    throw bad_input("is a library or a program, which is code").with_hint("a model library is read by a name that ends in .so");
}

const Format& format_of(const Bytes& bytes, const std::string& path) {
    for (const Format& format : rows)
        if (format.sniff(bytes)) return check_asked_for(format, path), format;
    if (safetensors::sniff(bytes) || path.ends_with(".safetensors") || safetensors::is_index(path))
        throw unsupported("is safetensors, weights without a graph")
            .with_hint("model-convert MODEL --weights FILE takes them into a model");
    if (context_format::has_magic(bytes, "QUERNCTX"))
        throw bad_input("is a compiled context: quern run and model-info take it, other tools the model that it was made of");
    if (const std::string kind = file_kind(bytes.text()); !kind.empty()) throw bad_input("is {}", kind);
    if (const Format* format = format_by_suffix(bytes, path)) return *format;
    throw bad_input("is not a recognised model format").with_hint("quern model-convert --list-formats names them");
}

}  // namespace

std::span<const Format> all_formats() { return rows; }

const Format& format_named(std::string_view name) {
    std::vector<std::string> names;
    for (const Format& format : rows) {
        if (format.name == name) return format;
        names.emplace_back(format.name);
    }
    throw usage_error("unknown format \"{}\"{}", escape(name), did_you_mean(name, names))
        .with_hint(fmt::format("one of {}", join(names, ", ")));
}

const Format& format_for_writing(const std::string& path, std::string_view name) {
    if (!name.empty()) return format_named(name);
    for (const Format& format : rows)
        if (has_suffix(format, path)) return format;
    if (is_stream(path)) return format_named("native");
    throw usage_error("{}: the suffix names no format", path).with_hint(hint_for_suffix(path));
}

std::string hint_for_kept(const Op& op) { return op.domain.starts_with("torch.") ? torch_library().remedy(op) : ""; }

bool is_library(const std::string& path) {
    return std::ranges::any_of(rows, [&](const Format& format) { return runs_code(format) && has_suffix(format, path); });
}

bool is_model(const Bytes& bytes, const std::string& path) {
    return std::ranges::any_of(rows, [&](const Format& format) { return format.sniff(bytes) && is_asked_for(format, path); });
}

bool is_model_folder(const std::string& path) {
    std::error_code failed;
    return path != "-" && std::filesystem::is_directory(path, failed) && file_exists(path + "/saved_model.pb");
}

Bytes map_model(const std::string& path) {
    if (is_model_folder(path)) return at_place(path, [&] { return map_inside(path, "saved_model.pb"); });
    if (file_exists(path + "/saved_model.cpb") || file_exists(path + "/saved_model.pbtxt"))
        throw unsupported("{}: is a SavedModel in several pieces or as text, need saved_model.pb", path);
    return map_input(path);
}

Model read_model(const std::string& path, const std::string& signature) { return read_model(map_model(path), path, signature); }

Model read_model(const Bytes& bytes, const std::string& path, const std::string& signature) {
    const std::string name = path.empty() ? "<memory>" : display_name(path);
    return at_place(name, [&] {
        if (bytes.empty()) throw bad_input("is empty");
        const Format& format = format_of(bytes, path);
        if (!signature.empty() && !format.read_signature)
            throw usage_error("--signature is for TFLite, Circle and .pt2 files and SavedModels, not for {}", format.name);
        const std::string place = path.empty() ? "-" : path;
        Model model = signature.empty() ? format.read(bytes, place) : format.read_signature(bytes, place, signature);
        if (model.lineage.empty()) model.lineage = Lineage::of({bytes});
        for_each_graph(model.graph, [](Graph& graph, const std::string&) { graph.sort(); });
        std::vector<std::string> told;
        infer_declared_types(model.graph, told);
        say_told(name, std::move(told));
        verify(model.graph);
        return model;
    });
}

void check_output(const std::string& path, std::string_view format, const WriteOptions& options) {
    const Format& row = format_for_writing(path, format);
    if (!row.write) throw unsupported("format {} is read only", row.name);
    if (!row.text) refuse_terminal(path);
    if (options.external_data && !row.external_data)
        throw usage_error("--external-data is for ONNX and text outputs, not for {}", row.name);
    if (!options.io.empty() && !row.io)
        throw usage_error("--io, --input-type and --output-type are for ONNX, TFLite and Circle outputs, not for {}", row.name);
    if (row.name == "onnx") return;
    if (options.opset != 0) throw usage_error("--opset is for ONNX outputs, not for {}", row.name);
    if (!options.quant_form.empty()) throw usage_error("--form is for ONNX outputs, not for {}", row.name);
    if (options.contrib) throw usage_error("--contrib is for ONNX outputs, not for {}", row.name);
}

void write_model(const Model& model, const std::string& path, std::string_view format, const WriteOptions& options) {
    check_output(path, format, options);
    format_for_writing(path, format).write(model, path, options);
}

}  // namespace quern
