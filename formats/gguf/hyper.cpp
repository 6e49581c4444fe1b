#include "formats/gguf/hyper.h"

#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::gguf {
namespace {

constexpr int64_t most = int64_t{1} << 31;  // of any length here
constexpr int64_t most_layers = 512;

// Metadata of one architecture.
class Keys {
   public:
    Keys(const Metadata& metadata, std::string prefix) : metadata_(metadata), prefix_(std::move(prefix)) {}

    int64_t need(std::string_view key, int64_t at_most = most) const {
        const auto number = metadata_.integer(full(key));
        if (!number) throw bad_input("metadata \"{}\" is missing", full(key));
        return checked(key, *number, 1, at_most);
    }
    int64_t length(std::string_view key, int64_t fallback, int64_t at_least = 1) const {
        return checked(key, metadata_.integer(full(key)).value_or(fallback), at_least, most);
    }
    // One for each layer, or one for all.
    std::vector<int64_t> each(std::string_view key, std::vector<int64_t> fallback, size_t layers, int64_t at_least) const {
        std::vector<int64_t> out = metadata_.integers(full(key));
        if (out.empty()) out = std::move(fallback);
        if (out.size() == 1) out.assign(layers, out[0]);
        if (out.size() != layers) throw bad_input("{} has {} numbers, need one for each of {} layers", full(key), out.size(), layers);
        for (const int64_t number : out) checked(key, number, at_least, most);
        return out;
    }
    double real(std::string_view key, double fallback) const {
        const double number = metadata_.real(full(key)).value_or(fallback);
        if (!std::isfinite(number)) throw bad_input("{} is {}, need a finite number", full(key), number);
        return number;
    }
    double positive(std::string_view key, double fallback) const {
        const double number = real(key, fallback);
        if (!(number > 0)) throw bad_input("{} is {}, need a number above 0", full(key), number);
        return number;
    }
    std::vector<int64_t> listed(std::string_view key) const { return metadata_.integers(full(key)); }
    bool flag(std::string_view key) const { return metadata_.boolean(full(key)).value_or(false); }
    bool has(std::string_view key) const { return metadata_.find(full(key)) != nullptr; }
    std::string text(std::string_view key) const { return metadata_.text(full(key)).value_or(""); }
    std::string full(std::string_view key) const { return fmt::format("{}.{}", prefix_, key); }

   private:
    int64_t checked(std::string_view key, int64_t number, int64_t least, int64_t greatest) const {
        if (number < least || number > greatest) throw bad_input("{} is {}, need {} to {}", full(key), number, least, greatest);
        return number;
    }

    const Metadata& metadata_;
    std::string prefix_;
};

RopeScaling scaling_of(const Keys& keys, const Hyper& h) {
    RopeScaling s;
    const std::string kind = keys.text("rope.scaling.type");
    s.factor = keys.real("rope.scaling.factor", keys.real("rope.scale_linear", 1));
    if (s.factor == 0) s.factor = 1;
    if (s.factor < 0) throw bad_input("{} is {}, need 0 or more", keys.full("rope.scaling.factor"), s.factor);
    if (kind == "none")
        s.factor = 1;
    else if (kind.empty() || kind == "linear")
        s.kind = s.factor == 1 ? RopeScaling::Kind::none : RopeScaling::Kind::linear;
    else if (kind == "yarn")
        s.kind = RopeScaling::Kind::yarn;
    else if (kind == "longrope")
        s.kind = RopeScaling::Kind::longrope;
    else
        throw unsupported("{} is \"{}\", known are none, linear, yarn and longrope", keys.full("rope.scaling.type"), escape(kind));
    s.original_context = keys.length("rope.scaling.original_context_length", h.context);
    s.attention_factor = keys.positive("rope.scaling.attn_factor", 1);
    s.beta_fast = keys.positive("rope.scaling.yarn_beta_fast", 32);
    s.beta_slow = keys.positive("rope.scaling.yarn_beta_slow", 1);
    return s;
}

// Which layers see a window of keys only: all but each window_period-th, or those that the file lists.
std::vector<int64_t> windows_of(const Keys& keys, const Architecture& a, size_t layers) {
    std::vector<int64_t> out(layers, 0);
    if (a.window_period == 0 || (a.windowed_layers != 0 && static_cast<int64_t>(layers) != a.windowed_layers)) return out;
    const int64_t window = keys.length("attention.sliding_window", a.default_window, 0);
    const auto listed = keys.listed("attention.sliding_window_pattern");
    if (listed.size() > 1 && listed.size() != layers)
        throw bad_input("{} has {} truths, need one for each of {} layers", keys.full("attention.sliding_window_pattern"), listed.size(),
                        layers);
    const int64_t period = listed.size() == 1 ? listed[0] : a.window_period;
    for (size_t i = 0; i < layers; ++i)
        if (listed.size() > 1 ? listed[i] != 0 : period == 0 || (static_cast<int64_t>(i) + 1) % period != 0) out[i] = window;
    return out;
}

// Experts of which a router chooses some for each token.
void add_experts(const Keys& keys, Hyper& h) {
    h.experts = keys.length("expert_count", 0, 0);
    if (h.experts == 0) return;
    h.experts_used = keys.need("expert_used_count", h.experts);
    if (const double scale = keys.real("expert_weights_scale", 0); scale != 0 && scale != 1)
        throw unsupported("{} is {}: that is not built", keys.full("expert_weights_scale"), scale);
    constexpr int64_t softmax = 1;  // 0: not said
    if (const int64_t gating = keys.length("expert_gating_func", softmax, 0); gating != softmax && gating != 0)
        throw unsupported("{} is {}, known is {} (softmax)", keys.full("expert_gating_func"), gating, softmax);
    if (const int64_t groups = keys.length("expert_group_count", 1, 0); groups > 1)
        throw unsupported("{} is {}: experts in groups are not built", keys.full("expert_group_count"), groups);
}

void refuse_what_is_not_built(const Keys& keys) {
    for (const char* key : {"attention.temperature_scale", "attention.max_alibi_bias", "attention.clamp_kqv", "rope.scaling.alpha"})
        if (keys.real(key, 0) != 0) throw unsupported("{} is {}: that is not built", keys.full(key), keys.real(key, 0));
}

// Positions of several axes, for images.
void refuse_sections(const Keys& keys) {
    for (const int64_t length : keys.listed("rope.dimension_sections"))
        if (length != 0)
            throw unsupported("{} has {}: positions of several axes are not built", keys.full("rope.dimension_sections"), length);
}

int64_t vocabulary_of(const File& file, const Keys& keys) {
    if (keys.has("vocab_size")) return keys.need("vocab_size");
    const TensorInfo* table = file.find("token_embd.weight");
    return table && !table->dims.empty() ? table->dims[0] : 0;
}

}  // namespace

Hyper hyper_of(const File& file) {
    const auto name = file.metadata.text("general.architecture");
    if (!name) throw bad_input("metadata \"general.architecture\" is missing");
    Hyper h;
    h.architecture = &architecture_named(*name);
    const Architecture& a = *h.architecture;
    const Keys keys(file.metadata, *name);
    refuse_what_is_not_built(keys);
    refuse_sections(keys);
    h.context = keys.need("context_length");
    h.embedding = keys.need("embedding_length");
    h.layers = keys.need("block_count", most_layers);
    const auto layers = static_cast<size_t>(h.layers);
    h.vocabulary = vocabulary_of(file, keys);
    h.feed_forward = keys.each("feed_forward_length", {}, layers, 1);
    if (a.doubled_mlp)
        for (int64_t& length : h.feed_forward) length /= 2;
    h.heads = keys.each("attention.head_count", {}, layers, 1);
    h.kv_heads = keys.each("attention.head_count_kv", h.heads, layers, 1);
    for (size_t i = 0; i < layers; ++i)
        if (h.heads[i] % h.kv_heads[i] != 0)
            throw bad_input("{} heads share {} of keys and values in layer {}", h.heads[i], h.kv_heads[i], i);
    if (h.embedding % h.heads[0] != 0 && !keys.has("attention.key_length"))
        throw bad_input("{} is {}, no multiple of {} heads", keys.full("embedding_length"), h.embedding, h.heads[0]);
    h.key_length = keys.length("attention.key_length", h.embedding / h.heads[0]);
    h.value_length = keys.length("attention.value_length", h.embedding / h.heads[0]);
    const std::string_view epsilon = a.layer_norm ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon";
    if (!keys.has(epsilon)) throw bad_input("metadata \"{}\" is missing", keys.full(epsilon));
    h.epsilon = keys.real(epsilon, 0);
    h.rotated = a.rope == Architecture::Rope::none ? 0 : keys.length("rope.dimension_count", h.key_length, 0);
    if (h.rotated % 2 != 0 || h.rotated > h.key_length)
        throw bad_input("{} is {}, need an even number up to {}", keys.full("rope.dimension_count"), h.rotated, h.key_length);
    h.base = keys.positive("rope.freq_base", 10000);
    h.local_base = a.own_local_base ? keys.positive("rope.freq_base_swa", a.local_base == 0 ? h.base : a.local_base) : h.base;
    h.scaling = scaling_of(keys, h);
    h.windows = windows_of(keys, a, layers);
    h.embedding_scale = a.scaled_embedding ? std::sqrt(static_cast<double>(h.embedding)) : keys.real("embedding_scale", a.embedding_scale);
    h.residual_scale = keys.real("residual_scale", a.residual_scale == 0 ? 1 : a.residual_scale / std::sqrt(static_cast<double>(h.layers)));
    const int64_t width = a.wide_layers != 0 && h.layers == a.wide_layers ? h.embedding / h.heads[0] : h.key_length;
    h.attention_scale = keys.real("attention.scale", 0);
    if (h.attention_scale == 0) h.attention_scale = 1 / std::sqrt(static_cast<double>(width));
    h.logit_scale =
        keys.real("logit_scale", a.logit_width == 0 ? 1 : static_cast<double>(a.logit_width) / static_cast<double>(h.embedding));
    if (h.logit_scale == 0) h.logit_scale = 1;
    if (a.divides_logits) h.logit_scale = 1 / h.logit_scale;
    h.attention_softcap = keys.real("attn_logit_softcapping", a.attention_softcap);
    h.parallel = keys.flag("use_parallel_residual");
    add_experts(keys, h);
    h.logit_softcap = keys.real("final_logit_softcapping", a.logit_softcap);
    return h;
}

}  // namespace quern::gguf
