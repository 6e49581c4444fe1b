#include "formats/tensorflow/tensorflow.h"

#include "formats/tensorflow/frozen.h"
#include "formats/tensorflow/graph_def.h"
#include "formats/tensorflow/import.h"
#include "formats/tensorflow/wire.h"

namespace quern::tensorflow_format {
namespace {

bool is_saved_model(const Bytes& bytes) { return bytes.text().starts_with("\x08\x01\x12"); }

bool is_name(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; });
}

// A graph begins with a node: its name, then its operator.
bool is_graph(const Bytes& bytes) {
    if (!bytes.text().starts_with('\x0a')) return false;
    try {
        const auto node = WireReader(bytes).next();
        WireReader reader(node->message());
        const auto name = reader.next(), op = reader.next();
        return name && op && name->number == 1 && op->number == 2 && is_name(name->text()) && is_name(op->text());
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

bool sniff(const Bytes& bytes) { return is_saved_model(bytes) || is_graph(bytes); }

Model read(const Bytes& bytes, const std::string&) {
    Library library(read_graph_def(bytes));
    Model model;
    model.graph = import_graph(library, interface_of(library.main()), {}, bytes.size());
    return model;
}

}  // namespace quern::tensorflow_format
