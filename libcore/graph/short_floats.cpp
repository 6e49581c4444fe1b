#include "libcore/graph/short_floats.h"

#include "libcore/blocks/block_format.h"

namespace quern {
namespace {

bool is_coded(const Value& value) {
    if (value.erased || !value.enc) return false;
    if (!value.constant()) return true;
    return value.enc->format ? value.enc->format->quantized() : !is_short_float(*value.enc);
}

}  // namespace

bool is_short_float(const Encoding& e) { return e.is_fixed() && !e.format && (e.storage == DType::f16 || e.storage == DType::bf16); }

bool has_codes(const Graph& graph) {
    bool any = false;
    for_each_graph(graph, [&](const Graph& part, const std::string&) {
        for (size_t i = 0; i < part.value_count(); ++i) any = any || is_coded(part.value(static_cast<ValueId>(i)));
    });
    return any;
}

}  // namespace quern
