#include "libcore/quantize/quantized_before.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "libcore/base/text.h"
#include "libcore/blocks/block_format.h"

namespace quern {

QuantizedBefore::QuantizedBefore(const Graph& graph) {
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const Value& value = graph.value(static_cast<ValueId>(i));
        if (value.erased || !value.constant()) continue;
        const auto dims = value.type.shape.concrete();
        const int64_t elements = dims ? count_of(*dims) : 0;
        all_ += elements;
        if (!value.enc || !value.enc->format || !value.enc->format->quantized()) continue;
        elements_ += elements;
        weights_.emplace(value.name, ggml_name(*value.enc->format));
    }
}

void QuantizedBefore::note(QuantReport& report) const {
    for (ValueReport& value : report.values)
        if (const auto found = weights_.find(value.key); found != weights_.end())
            value.note += fmt::format("{}was {}", value.note.empty() ? "" : "; ", found->second);
}

std::string QuantizedBefore::text() const {
    std::set<std::string> types;
    for (const auto& [name, type] : weights_) types.insert(type);
    const double percent = 100.0 * static_cast<double>(elements_) / static_cast<double>(std::max<int64_t>(all_, 1));
    return fmt::format("{} weights in blocks of {}, {:.1f} % of the parameters,", weights_.size(),
                       join(std::vector<std::string>(types.begin(), types.end()), ", "), percent);
}

std::string QuantizedBefore::requantized_text(const QuantReport& report) const {
    size_t count = 0;
    const ValueReport* worst = nullptr;
    for (const ValueReport& value : report.values) {
        if (!weights_.contains(value.key)) continue;
        ++count;
        if (!std::isnan(value.sqnr_db) && (!worst || value.sqnr_db < worst->sqnr_db)) worst = &value;
    }
    std::string out = text() + (count == weights_.size() ? " are quantized again" : fmt::format(" {} of them are quantized again", count));
    if (worst)
        out += fmt::format(": the error that this adds is {:.1f} dB below \"{}\", farther below the others", worst->sqnr_db,
                           escape(worst->key));
    return out;
}

}  // namespace quern
