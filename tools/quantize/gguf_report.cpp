#include "tools/quantize/gguf_report.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/quant/report/report.h"

namespace quern {
namespace {

double rms_error(const gguf::TensorChange& change) {
    return change.elements > 0 ? std::sqrt(change.noise / static_cast<double>(change.elements)) : 0;
}

// NaN: the tensor is as it was; infinite: nothing was lost.
double sqnr_of(const gguf::TensorChange& change) {
    if (change.from == change.to) return std::numeric_limits<double>::quiet_NaN();
    if (!(change.noise > 0)) return std::numeric_limits<double>::infinity();
    return change.signal > 0 ? 10 * portable::log10(change.signal / change.noise) : 0;
}

// The number of a block in "blk.12.attn_q.weight".
std::optional<int64_t> block_of(std::string_view name) {
    constexpr std::string_view blocks = "blk.";
    if (!name.starts_with(blocks)) return std::nullopt;
    name.remove_prefix(blocks.size());
    return parse_int(name.substr(0, name.find('.')));
}

// How far from the input: embeddings, blocks in order, what is behind them.
int depth_of(std::string_view name, int64_t blocks) {
    if (const auto block = block_of(name)) return static_cast<int>(*block + 1);
    return name.starts_with("output") ? static_cast<int>(blocks + 1) : 0;
}

// A type as wide as a weight is, its part of the block's scales left aside: colours and filters of the page go by bits.
DType width_of(const BlockFormat& format) {
    const double bits = 8.0 * static_cast<double>(format.bytes) / static_cast<double>(format.elements);
    return bits < 3 ? DType::u2 : bits < 5 ? DType::u4 : bits < 10 ? DType::u8 : bits <= 16 ? DType::f16 : DType::f32;
}

ValueReport value_of(const gguf::TensorChange& change, const gguf::Mix& mix, int64_t blocks) {
    ValueReport out;
    out.key = change.name;
    out.role = "weight";
    out.rule = fmt::format("--type {}", mix.name);
    out.sqnr_db = sqnr_of(change);
    out.encoding.storage = width_of(*change.to);
    out.encoding.format = change.to;
    out.depth = depth_of(change.name, blocks);
    out.note = fmt::format("{} elements from {}, {} bytes", change.elements, change.from->name, stored_bytes(change, *change.to));
    if (change.from == change.to)
        out.note += ", as they were";
    else
        out.note += fmt::format("; greatest error {:.3g}, root mean square {:.3g}", change.largest, rms_error(change));
    if (change.fallback) out.note += "; not the type that was asked for, as its rows are not whole blocks";
    return out;
}

}  // namespace

uint64_t stored_bytes(const gguf::TensorChange& change, const BlockFormat& format) {
    return static_cast<uint64_t>(change.elements / format.elements) * format.bytes;
}

std::string GgufReport::json() const {
    Json tensors = Json::array();
    for (const gguf::TensorChange& change : plan) {
        Json row{{"name", change.name},
                 {"from", change.from->name},
                 {"to", change.to->name},
                 {"elements", change.elements},
                 {"bytes", stored_bytes(change, *change.to)},
                 {"fallback", change.fallback},
                 {"source_digest", change.source},
                 {"digest", change.written}};
        const double db = sqnr_of(change);
        if (change.from != change.to)
            row.update(
                {{"max_error", change.largest}, {"rms_error", rms_error(change)}, {"sqnr_db", std::isfinite(db) ? Json(db) : Json()}});
        tensors.push_back(std::move(row));
    }
    return json_document({{"kind", "gguf-types"}, {"version", 1}, {"type", mix.name}, {"tensors", std::move(tensors)}});
}

std::string GgufReport::html() const {
    QuantReport report;
    report.type = mix.name;
    report.model = model;
    report.sizes = Sizes{.file_before = file_before, .file_after = file_after};
    int64_t blocks = 0;
    for (const gguf::TensorChange& change : plan) blocks = std::max(blocks, block_of(change.name).value_or(-1) + 1);
    for (const gguf::TensorChange& change : plan) {
        report.sizes->before += stored_bytes(change, *change.from);
        report.sizes->after += stored_bytes(change, *change.to);
        report.values.push_back(value_of(change, mix, blocks));
    }
    return report_html(report);
}

}  // namespace quern
