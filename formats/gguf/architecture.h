// Architectures of llama.cpp, one row each: what their files do not say by the tensors and metadata that they have. What these say is not
// here: biases, fused or separate projections, norms of queries and keys or behind attention and MLP, tied heads, grouped heads, gates.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace quern::gguf {

struct Architecture {
    enum class Rope : uint8_t {
        none,    // positions are learned
        pairs,   // elements 2i and 2i + 1 turn together ("norm")
        halves,  // elements i and i + n / 2 ("neox")
    };
    enum class Activation : uint8_t { silu, gelu, relu_squared };  // gelu: the tanh form
    enum class Parallel : uint8_t {
        never,
        always,      // attention and MLP read the same, or a norm each, and both are added
        as_said,     // by use_parallel_residual
        by_tensors,  // where the MLP has no norm of its own
    };

    std::string_view name, doc;
    Rope rope = Rope::pairs;
    Activation activation = Activation::silu;
    bool layer_norm = false;  // LayerNormalization; else RMSNormalization
    bool bare_norms = false;  // without weights
    Parallel parallel = Parallel::never;
    bool scaled_embedding = false;       // by the root of its length
    int64_t default_window = 0;          // keys that a local layer sees, where metadata do not say
    int64_t window_period = 0;           // every so many layers one sees all keys; 0: none is local
    bool unscaled_local = false;         // local layers turn without scaling
    bool own_local_base = false;         // they turn by rope.freq_base_swa; else by the base of all, as llama.cpp has it
    double local_base = 0;               // that base where metadata do not say; 0: that of all
    bool turns_local = false;            // local layers alone turn
    int64_t windowed_layers = 0;         // a model of so many layers alone has windows; 0: any
    bool turned_then_normed = false;     // queries and keys
    bool norm_behind_attention = false;  // of what the MLP reads has the name post_attention_norm
    int64_t unturned_period = 0;         // every so many layers one does not turn; 0: all do
    int64_t wide_layers = 0;             // a model of so many layers scales scores by the root of embedding / heads, not of a head
    double attention_softcap = 0;        // where metadata do not say; 0: none
    double logit_softcap = 0;            // the same
    bool divides_logits = false;         // by logit_scale
    bool doubled_mlp = false;            // feed_forward_length counts gates and what they gate
    bool whole_shares = false;           // of the experts of a mixture that are chosen: they sum to 1
    double embedding_scale = 1;          // where metadata do not say
    double residual_scale = 0;           // the same, by the root of the number of layers; 0: none
    int64_t logit_width = 0;             // the same: logits are divided by this over the embedding's length; 0: by nothing
};

std::span<const Architecture> architectures();
const Architecture& architecture_named(std::string_view name);  // throws Exit::unsupported with the list of those known

}  // namespace quern::gguf
