#include <algorithm>

#include "formats/sniff/sniff.h"
#include "formats/wire/wire.h"
#include "libcore/base/error.h"

namespace quern::tensorflow_format {
namespace {

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

}  // namespace

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

bool sniff(const Bytes& bytes) { return is_saved_model(bytes) || is_graph(bytes); }

}  // namespace quern::tensorflow_format
