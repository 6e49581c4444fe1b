// Constants in blocks of a format, or in a shorter float type, as plain ones: numbers, or codes with scales and minima of their own, for
// whoever reads no blocks.
#include <algorithm>
#include <vector>

#include "libcore/graph/block_encoding.h"
#include "libcore/graph/op.h"
#include "libcore/graph/quantize.h"
#include "libcore/graph/short_floats.h"
#include "libcore/os/spool.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

// Is it what products multiply by, and nothing else?
bool is_weight(const Graph& graph, ValueId id) {
    const std::vector<Use> uses = graph.uses(id);
    return !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
        return use.node != NodeId::none && use.index >= 0 && graph.node(use.node).op->quant.weight == use.index;
    });
}

enum class Which { all, floats, floats_and_weights };

bool takes(const Graph& graph, ValueId id, const Encoding& e, Which which) {
    if (!e.format) return which != Which::all && is_short_float(e);
    return which == Which::all || !e.format->quantized() || (which == Which::floats_and_weights && is_weight(graph, id));
}

// As `plain` makes them.
int each_in_blocks(Graph& graph, Which which, Unpacked (*plain)(const Tensor&, const Encoding&)) {
    int changes = 0;
    Spool spool;  // of a large model only one constant is in memory
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const auto id = static_cast<ValueId>(i);
        Value& value = graph.value(id);
        if (value.erased || !value.constant() || !value.enc || !takes(graph, id, *value.enc, which)) continue;
        const Tensor stored = *graph.constant(id);
        Unpacked apart = plain(stored, *value.enc);
        stored.data.release();
        value.data = spool.put(std::move(apart.codes.data));
        if (apart.encoding)
            for (Tensor* part : {&apart.encoding->scale, &apart.encoding->min})
                if (part->defined()) part->data = spool.put(std::move(part->data));
        value.enc = std::move(apart.encoding);
        ++changes;
    }
    return changes;
}

int unpack_in(Graph& graph) { return each_in_blocks(graph, Which::all, unpacked); }

template <Which which>
int decode_in(Graph& graph) {
    return each_in_blocks(graph, which, [](const Tensor& stored, const Encoding& encoding) {
        return Unpacked{dequantize(stored, encoding), {}};
    });
}

}  // namespace

constinit const Pass unpack_blocks{"unpack_blocks", "constants in blocks of ggml's formats become codes with scales and minima",
                                   [](Graph& graph) { return on_every_graph(graph, unpack_in); }, 0, false};
constinit const Pass decode_floats{"decode_floats",
                                   "constants that are stored as float16 or bfloat16, or in blocks of floats, become float32",
                                   [](Graph& graph) { return on_every_graph(graph, decode_in<Which::floats>); }, 0, false};
constinit const Pass decode_weights{"decode_weights", "what products multiply by, in blocks of any of ggml's formats, becomes float32",
                                    [](Graph& graph) { return on_every_graph(graph, decode_in<Which::floats_and_weights>); }, 0, false};

}  // namespace quern
