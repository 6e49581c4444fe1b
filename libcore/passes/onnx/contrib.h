// A language model in com.microsoft's operators, for runtimes that have kernels of their own for these: products of weights in blocks, and
// attention that turns queries and keys and appends to its caches.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "libcore/graph/graph.h"

namespace quern {

struct Contrib {
    size_t products = 0, attentions = 0, rotated = 0;  // rotated: attentions that turn queries and keys, too
    std::map<std::string, size_t> kept_weights;        // by type: those that MatMulNBits cannot say exactly
    std::map<std::string, size_t> kept_attentions;     // by reason
    bool changed() const { return products + attentions > 0; }
};

// MatMul of constants in blocks of a format (Encoding::format) becomes MatMulNBits where not a bit is lost, causal Attention with caches
// that grow, or are written in place (static_cache.h), GroupQueryAttention, RMSNormalization SimplifiedLayerNormalization. An input
// position_ids that nobody reads any more goes.
Contrib make_contrib(Graph& graph);

// ---- its parts ---------------------------------------------------------------------------------------------------------------------

// Attention whose caches TensorScatter writes at position_ids, as make_static_caches makes it, with what stands around it.
struct InPlace {
    ValueId query = ValueId::none, key = ValueId::none, value = ValueId::none;  // [batch, sequence, heads * size]
    ValueId past_key = ValueId::none, past_value = ValueId::none;
    ValueId result = ValueId::none, present_key = ValueId::none, present_value = ValueId::none;
    int64_t window = -1;  // of tokens to the left; -1: all
};
std::optional<InPlace> in_place_of(const Graph& graph, const Node& attention);

void make_block_products(Graph& graph, Contrib& made);
void make_grouped_attention(Graph& graph, Contrib& made);

}  // namespace quern
