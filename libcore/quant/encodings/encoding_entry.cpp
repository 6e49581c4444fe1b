#include "libcore/quant/encodings/encoding_entry.h"

#include <algorithm>
#include <set>

#include "libcore/graph/block_encoding.h"
#include "libcore/graph/grid.h"
#include "libcore/graph/op_ids.h"

namespace quern {
namespace {

// Of which value an encoding is said: the source of the first fixed Recode of a value without an encoding of its own, as files of
// encodings know no Recode; nullopt: of none, as the source, whose name is in `second`, has one.
std::optional<ValueId> said_of(const Graph& graph, ValueId id, std::set<ValueId>& recoded) {
    const Value& value = graph.value(id);
    if (value.producer == NodeId::none || !graph.node(value.producer).is(ops::own::Recode)) return id;
    const ValueId source = graph.node(value.producer).in[0];
    if (graph.value(source).enc || !recoded.insert(source).second) return std::nullopt;
    return source;
}

std::optional<EncodingEntry> entry_of(const Graph& graph, ValueId id, std::string key) {
    const Value& value = graph.value(id);
    EncodingEntry entry{std::move(key), value.constant(), *value.enc, value.type.shape.concrete().value_or(Dims())};
    if (const BlockFormat* format = value.enc->format) {
        const Tensor no_rows{DType::u8, {0, static_cast<int64_t>(format->bytes)}, Bytes()};
        const auto outline = unpacked(no_rows, block_encoding(*format, 1)).encoding;
        if (!outline) return std::nullopt;  // plain numbers
        entry.encoding = *outline;
        entry.encoding.axis = value.enc->axis;
        entry.blocks = graph.constant(id);
        entry.blocks_as = *value.enc;
    }
    return entry;
}

}  // namespace

EncodingEntry EncodingEntry::filled() const {
    EncodingEntry out = *this;
    if (blocks) {
        out.encoding = *unpacked(*blocks, blocks_as).encoding;
        blocks->data.release();
    }
    if (is_scaled(out.encoding.storage)) {
        out.scale = to_floats(out.encoding.scale);
        out.zero = out.encoding.zeros();
    }
    return out;
}

EncodingEntries encoding_entries(const Graph& graph) {
    EncodingEntries out;
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        std::set<ValueId> recoded;
        for (size_t i = 0; i < part.value_count(); ++i) {
            const auto id = static_cast<ValueId>(i);
            const Value& value = part.value(id);
            if (value.erased || !value.enc) continue;
            const std::string name = path + value.name;
            if (value.enc->is_dynamic()) {
                out.dynamic.push_back(name);
            } else if (const auto source = said_of(part, id, recoded); !source) {
                out.second.push_back(path + part.value(part.node(value.producer).in[0]).name);
            } else if (auto entry = entry_of(part, id, path + part.value(*source).name)) {
                out.entries.push_back(std::move(*entry));
            }
        }
    });
    std::ranges::sort(out.entries, {}, &EncodingEntry::key);
    for (auto* names : {&out.dynamic, &out.second}) {
        std::ranges::sort(*names);
        names->erase(std::unique(names->begin(), names->end()), names->end());
    }
    return out;
}

}  // namespace quern
