// One layer of a decoder: attention and MLP, with the norms around them.
#pragma once

#include "formats/gguf/hyper.h"
#include "formats/gguf/net.h"
#include "formats/gguf/weights.h"

namespace quern::gguf {

// What all layers read.
struct Shared {
    ValueId mask = ValueId::none;                                      // bool [batch, 1, 1, total]
    ValueId cosine = ValueId::none, sine = ValueId::none;              // [batch, sequence, rotated / 2]; none: nothing turns
    ValueId local_cosine = ValueId::none, local_sine = ValueId::none;  // of layers with a window
};

class LayerBuilder {
   public:
    LayerBuilder(const Hyper& hyper, Weights& weights, Net& net, const Shared& shared)
        : hyper_(hyper), weights_(weights), net_(net), shared_(shared) {}

    ValueId layer(size_t i, ValueId x);
    // The norm whose weight has this name (".weight", ".bias") of the last dim; x itself if there is none.
    ValueId norm(ValueId x, const std::string& name, int64_t length);
    // The same of what a block reads, which some architectures norm without weights.
    ValueId input_norm(ValueId x, const std::string& name);
    // x times the tensor NAME.weight [rows, columns], plus NAME.bias if there is one.
    ValueId linear(ValueId x, const std::string& name, int64_t rows, int64_t columns);

   private:
    struct Heads {
        int64_t query, kv;
    };
    std::string in_layer(std::string_view name) const;
    ValueId attention(size_t i, ValueId x);
    std::vector<ValueId> projections(ValueId x, const Heads& heads);
    ValueId normed_heads(ValueId x, const std::string& name, int64_t heads);
    ValueId turned(size_t i, ValueId x, std::string_view name, int64_t heads);
    ValueId attended(size_t i, const std::vector<ValueId>& qkv, const Heads& heads);
    ValueId own_norm_of_each(ValueId x, const std::string& name, int64_t heads);
    bool parallel() const;
    ValueId mlp(size_t i, ValueId x);
    ValueId activated(ValueId x, std::string_view name);
    // layer_experts.cpp
    ValueId shares(ValueId x);
    ValueId mixture(ValueId x);
    ValueId shared_expert(ValueId x);

    const Hyper& hyper_;
    Weights& weights_;
    Net& net_;
    const Shared& shared_;
    std::string scope_;
};

}  // namespace quern::gguf
