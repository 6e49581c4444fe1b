// The row of the text form: recognising, reading and writing files.

#include "formats/text/scan.h"
#include "formats/text/text.h"
#include "libcore/base/file_kind.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

std::string file_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

bool sniff_text(const Bytes& bytes) {
    if (!file_kind(bytes.text()).empty()) return false;  // "%PDF" begins as a value does
    text::Scanner scan(bytes.text().substr(0, 65536));
    for (const std::string_view word : {"module", "func.func", "func"})
        if (scan.next_is_word(word)) return true;
    return scan.peek() == '%' || scan.next_is("\"builtin.module\"") || scan.next_is("\"onnx.");
}

Model read_text(const Bytes& bytes, const std::string& path) { return parse_text(bytes.text(), path == "-" ? "" : path); }

void write_text(const Model& model, const std::string& path, const WriteOptions& options) {
    if (options.tell) options.tell(model.graph);
    OutputFile out = options.outputs->open(path);
    const TextSink sink = [&](std::string_view part) { out.write(part); };
    if (!options.external_data) {
        print_text(model, {}, sink);
        return out.commit();
    }
    if (is_stream(path)) throw usage_error("weights beside the text need a file name, not standard output").with_hint("give -o FILE");
    OutputFile side = options.outputs->open(path + ".data");
    print_text(model, {.weights = TextWeights::file, .side_file = file_of(path) + ".data", .side = &side}, sink);
    side.commit();
    out.commit();
}

}  // namespace quern
