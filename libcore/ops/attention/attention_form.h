// What an Attention of ai.onnx is asked for, checked once for its reference and its kernels: attributes, sizes of the operands, the keys
// that a query may see.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "libcore/ops/attention/attention.h"

namespace quern {

struct AttentionRules {
    int64_t q_heads, kv_heads;  // of operands of rank 3; 0: not said
    bool causal;
    int64_t left, right;  // keys before and behind that a query sees; -1: no bound
    std::optional<float> scale;
    float softcap;  // 0: none
    explicit AttentionRules(const NodeView& node);
    double scale_of(int64_t size) const;
};

// An operand of rank 4 as it is; one of rank 3 is [batch, length, heads * size].
struct AttentionHeads {
    int64_t batch, heads, length, size;
    bool packed;
};
// Throws Exit::bad_input; `heads` is the attribute of that name.
AttentionHeads attention_heads(const Dims& dims, int64_t heads, std::string_view attribute);

// Of query, key, value and the state, whose dims are nullptr where there is none. kv_len counts the state, too.
AttentionShape attention_shape(const AttentionHeads& q, const AttentionHeads& k, const AttentionHeads& v, const Dims* past_key,
                               const Dims* past_value);

// The dims that a mask broadcasts to: those of the scores, fewer columns if the mask has fewer, which hides the keys behind.
Dims mask_dims(const AttentionShape& shape, const Dims& mask);

// Which keys a query may see, apart from the mask.
class VisibleKeys {
   public:
    // past: length of past_key; valid: nonpad_kv_seqlen or nullptr.
    VisibleKeys(const AttentionRules& rules, const AttentionShape& shape, int64_t past, const Tensor* valid);

    // Of query i of batch row b: keys [begin, end), all of which there are.
    struct Range {
        int64_t begin, end;
    };
    Range of(int64_t b, int64_t i) const {
        const int64_t position = i + (valid_.empty() ? past_ : valid_[static_cast<size_t>(b)] - q_len_);
        int64_t end = valid_.empty() ? kv_len_ : valid_[static_cast<size_t>(b)];
        if (causal_) end = std::min(end, position + 1);
        if (right_ >= 0) end = std::min(end, position + right_ + 1);
        const int64_t begin = left_ < 0 ? 0 : std::clamp<int64_t>(position - left_, 0, kv_len_);
        return {begin, std::max(begin, end)};
    }

   private:
    bool causal_;
    int64_t left_, right_, past_, q_len_, kv_len_;
    std::vector<int64_t> valid_;  // keys that are not padding, of each batch row; empty: all
};

}  // namespace quern
