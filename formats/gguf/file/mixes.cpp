#include "formats/gguf/file/mixes.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "libcore/base/error.h"

namespace quern::gguf {
namespace {

using enum MixRule::Where;

constexpr std::array q2_k{MixRule{"attn_v", shared_heads, "q4_k"}, MixRule{"attn_v", all, "q3_k"}, MixRule{"ffn_down", all, "q3_k"},
                          MixRule{"attn_output", all, "q3_k"}};
constexpr std::array q2_k_s{MixRule{"attn_v", shared_heads, "q4_k"}, MixRule{"ffn_down", first_8th, "q4_k"}};
constexpr std::array q3_k_m{MixRule{"attn_v", first_2, "q5_k"}, MixRule{"attn_v", all, "q4_k"}, MixRule{"ffn_down", first_16th, "q5_k"},
                            MixRule{"ffn_down", all, "q4_k"}, MixRule{"attn_output", all, "q4_k"}};
constexpr std::array q3_k_l{MixRule{"attn_v", all, "q5_k"}, MixRule{"ffn_down", all, "q5_k"}, MixRule{"attn_output", all, "q5_k"}};
constexpr std::array q4_k_s{MixRule{"attn_v", first_4, "q5_k"}, MixRule{"ffn_down", first_8th, "q5_k"}};
constexpr std::array q4_k_m{MixRule{"attn_v", more_bits, "q6_k"}, MixRule{"ffn_down", more_bits, "q6_k"}};
constexpr std::array q4_0{MixRule{"ffn_down", with_importance, "q4_1"}};
constexpr std::array q5_0{MixRule{"ffn_down", with_importance, "q5_1"}};
constexpr std::array iq4{MixRule{"attn_v", shared_heads, "q5_k"}, MixRule{"ffn_down", without_importance, "q5_k"}};
constexpr std::array ternary{MixRule{"token_embd", all, "q4_k"}};

constexpr std::array mixes_table{
    Mix{"f32", 0, "f32", {}, false},
    Mix{"f16", 1, "f16", {}, false},
    Mix{"bf16", 32, "bf16", {}, false},
    Mix{"q4_0", 2, "q4_0", q4_0},
    Mix{"q4_1", 3, "q4_1"},
    Mix{"q5_0", 8, "q5_0", q5_0},
    Mix{"q5_1", 9, "q5_1"},
    Mix{"q8_0", 7, "q8_0", {}, false},
    Mix{"q2_k", 10, "q2_k", q2_k},
    Mix{"q2_k_s", 21, "q2_k", q2_k_s},
    Mix{"q3_k_s", 11, "q3_k"},
    Mix{"q3_k_m", 12, "q3_k", q3_k_m},
    Mix{"q3_k", 12, "q3_k", q3_k_m},
    Mix{"q3_k_l", 13, "q3_k", q3_k_l},
    Mix{"q4_k_s", 14, "q4_k", q4_k_s},
    Mix{"q4_k_m", 15, "q4_k", q4_k_m},
    Mix{"q4_k", 15, "q4_k", q4_k_m},
    Mix{"q5_k_s", 16, "q5_k"},
    Mix{"q5_k_m", 17, "q5_k", q4_k_m},
    Mix{"q5_k", 17, "q5_k", q4_k_m},
    Mix{"q6_k", 18, "q6_k"},
    Mix{"iq4_nl", 25, "iq4_nl", iq4},
    Mix{"iq4_xs", 30, "iq4_xs", iq4},
    Mix{"tq1_0", 36, "tq1_0", ternary},
    Mix{"tq2_0", 37, "tq2_0", ternary},
    Mix{"mxfp4", 38, "mxfp4"},
};

struct StandIn {
    std::string_view format, other;
};
constexpr std::array stand_ins{StandIn{"q2_k", "q4_0"},     StandIn{"q3_k", "q4_0"},     StandIn{"tq1_0", "q4_0"},
                               StandIn{"tq2_0", "q4_0"},    StandIn{"q4_k", "q5_0"},     StandIn{"q5_k", "q5_1"},
                               StandIn{"q6_k", "q8_0"},     StandIn{"iq4_xs", "iq4_nl"}, StandIn{"iq3_s", "iq4_nl"},
                               StandIn{"iq3_xxs", "iq4_nl"}};

// Of "blk.3.attn_v.weight": 3 and attn_v; of others no layer.
struct Place {
    int64_t layer = -1;
    std::string_view part;
};
Place place_of(std::string_view name) {
    Place place;
    if (name.ends_with(".weight")) name.remove_suffix(7);
    if (name.starts_with("blk.")) {
        name.remove_prefix(4);
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place.layer);
        if (error != std::errc() || end == name.data() + name.size()) return {-1, name};
        name.remove_prefix(static_cast<size_t>(end - name.data()) + 1);
    }
    place.part = name == "attn_qkv" || name == "attn_kv_b" ? "attn_v" : name;
    return place;
}

bool has_shared_heads(const File& file) {
    const std::string architecture = file.metadata.text("general.architecture").value_or("");
    const auto heads = file.metadata.integers(architecture + ".attention.head_count"),
               kv = file.metadata.integers(architecture + ".attention.head_count_kv");
    return !heads.empty() && !kv.empty() && kv[0] > 0 && heads[0] / kv[0] >= 4;
}

bool fits(MixRule::Where where, const File& file, int64_t layer, int64_t layers, bool importance) {
    switch (where) {
        case all: return true;
        case more_bits: return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
        case first_8th: return layer < layers / 8;
        case first_16th: return layer < layers / 16;
        case first_2: return layer < 2;
        case first_4: return layer < 4;
        case shared_heads: return has_shared_heads(file);
        case with_importance: return importance && layer < layers / 8;
        case without_importance: return !importance && layer < layers / 8;
    }
    return false;
}

bool is_output(const File& file, std::string_view name) {
    return name == "output.weight" || (name == "token_embd.weight" && !file.find("output.weight"));
}

}  // namespace

std::span<const Mix> mixes() { return mixes_table; }

const Mix* mix_named(std::string_view name) {
    const auto found = std::ranges::find(mixes_table, name, &Mix::name);
    return found == mixes_table.end() ? nullptr : &*found;
}

bool is_quantized_by_mixes(const TensorInfo& tensor) {
    constexpr std::array<std::string_view, 12> others{
        "_norm.weight", "ffn_gate_inp.weight",  "position_embd", "token_types", "pos_embd", "ssm_conv1d", "shortconv", "time_mix", "altup",
        "laurel",       "per_layer_model_proj", "indexer"};
    const std::string_view name = tensor.name;
    return tensor.dims.size() >= 2 && name.ends_with("weight") &&
           std::ranges::none_of(others, [&](std::string_view part) { return name.find(part) != name.npos; });
}

const BlockFormat& type_by_mix(const Mix& mix, const File& file, const TensorInfo& tensor, bool importance) {
    const BlockFormat& base = need_block_format(mix.base);
    const std::string architecture = file.metadata.text("general.architecture").value_or("");
    if (mix.output_apart && is_output(file, tensor.name))
        return need_block_format(tensor.dims.back() % base.elements != 0 || architecture == "falcon" ? "q8_0" : "q6_k");
    const Place place = place_of(tensor.name);
    const int64_t layers = file.metadata.integer(architecture + ".block_count").value_or(1);
    for (const MixRule& rule : mix.rules)
        if (rule.part == place.part && fits(rule.where, file, place.layer, layers, importance)) return need_block_format(rule.type);
    return base;
}

const BlockFormat* stand_in(const BlockFormat& format, int64_t row) {
    const auto found = std::ranges::find(stand_ins, format.name, &StandIn::format);
    if (found == stand_ins.end()) return nullptr;
    const BlockFormat& other = need_block_format(found->other);
    return row % other.elements == 0 ? &other : nullptr;
}

}  // namespace quern::gguf
