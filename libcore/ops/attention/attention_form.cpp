#include "libcore/ops/attention/attention_form.h"

#include <cmath>

namespace quern {

AttentionRules::AttentionRules(const NodeView& node)
    : q_heads(node.has("q_num_heads") ? node.integer("q_num_heads") : 0),
      kv_heads(node.has("kv_num_heads") ? node.integer("kv_num_heads") : 0),
      causal(node.integer("is_causal") != 0),
      left(node.integer("left_window_size")),
      right(node.integer("right_window_size")),
      softcap(node.real("softcap")) {
    if (node.has("scale")) scale = node.real("scale");
}

double AttentionRules::scale_of(int64_t size) const { return scale ? *scale : 1 / std::sqrt(static_cast<double>(size)); }

AttentionHeads attention_heads(const Dims& dims, int64_t heads, std::string_view attribute) {
    if (dims.size() == 4) return {dims[0], dims[1], dims[2], dims[3], false};
    if (dims.size() != 3) throw bad_input("input is {}, need rank 3 or 4", to_string(dims));
    if (heads < 1 || dims[2] % heads != 0) throw bad_input("attribute \"{}\" is {}, the input has {} columns", attribute, heads, dims[2]);
    return {dims[0], heads, dims[1], dims[2] / heads, true};
}

namespace {

void check_state(const Dims* past, const Dims& like, std::string_view what) {
    if (past && (past->size() != 4 || (*past)[0] != like[0] || (*past)[1] != like[1] || (*past)[3] != like[3]))
        throw bad_input("{} is {}, need {} but for the length", what, to_string(*past), to_string(like));
}

std::string text_of(const AttentionHeads& h) {
    return h.packed ? to_string(Dims{h.batch, h.length, h.heads * h.size}) : to_string(Dims{h.batch, h.heads, h.length, h.size});
}

}  // namespace

AttentionShape attention_shape(const AttentionHeads& q, const AttentionHeads& k, const AttentionHeads& v, const Dims* past_key,
                               const Dims* past_value) {
    if (k.batch != q.batch || v.batch != q.batch || k.length != v.length || k.heads != v.heads || k.size != q.size || k.heads < 1 ||
        q.heads % k.heads != 0)
        throw bad_input("query is {}, key {} and value {}, which do not fit", text_of(q), text_of(k), text_of(v));
    if ((past_key != nullptr) != (past_value != nullptr)) throw bad_input("past_key and past_value need each other");
    check_state(past_key, {k.batch, k.heads, 0, k.size}, "past_key");
    check_state(past_value, {v.batch, v.heads, 0, v.size}, "past_value");
    const int64_t past = past_key ? (*past_key)[2] : 0;
    if (past && (*past_value)[2] != past) throw bad_input("past_key has {} positions, past_value {}", past, (*past_value)[2]);
    return {q.batch, q.heads, k.heads, q.length, past + k.length, q.size, v.size};
}

Dims mask_dims(const AttentionShape& shape, const Dims& mask) {
    Dims want = shape.scores();
    if (mask.size() > 4 || mask.empty()) throw bad_input("mask is {}, need rank 1 to 4", to_string(mask));
    const int64_t columns = mask.back();
    if (columns > shape.kv_len) throw bad_input("mask has {} columns, there are {} keys", columns, shape.kv_len);
    if (columns != 1) want.back() = columns;
    if (broadcast(mask, want) != want) throw bad_input("mask is {}, which does not broadcast to {}", to_string(mask), to_string(want));
    return want;
}

VisibleKeys::VisibleKeys(const AttentionRules& rules, const AttentionShape& shape, int64_t past, const Tensor* valid)
    : causal_(rules.causal),
      left_(std::min(rules.left, shape.q_len + shape.kv_len)),
      right_(std::min(rules.right, shape.q_len + shape.kv_len)),
      past_(past),
      q_len_(shape.q_len),
      kv_len_(shape.kv_len) {
    if (!valid) return;
    valid_ = to_ints(*valid);
    if (static_cast<int64_t>(valid_.size()) != shape.batch) throw bad_input("input 6 has {} lengths, need {}", valid_.size(), shape.batch);
    for (const int64_t length : valid_)
        if (length < 0 || length > shape.kv_len) throw bad_input("a row has {} keys, need 0 to {}", length, shape.kv_len);
}

}  // namespace quern
