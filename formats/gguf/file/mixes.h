// Which type each tensor of a file gets when the file is quantized: mixes of llama.cpp, a row each. What they know of models: outputs,
// values and what goes down again are worth more bits than the rest.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "formats/gguf/file/container.h"

namespace quern::gguf {

struct MixRule {
    enum class Where : uint8_t {
        all,
        more_bits,  // the first eighth of the layers, the last one, and every third between
        first_8th,
        first_16th,
        first_2,
        first_4,
        shared_heads,       // at least 4 query heads for one of keys and values
        with_importance,    // the first eighth, and an importance matrix is there
        without_importance  // the first eighth, and none is
    };
    std::string_view part;  // of a layer: "attn_v" (also of a fused attn_qkv), "ffn_down"; or token_embd
    Where where;
    std::string_view type;
};

struct Mix {
    std::string_view name;                // as in --type
    uint32_t file_type;                   // general.file_type
    std::string_view base;                // what no rule is for
    std::span<const MixRule> rules = {};  // the first that fits counts
    bool output_apart = true;             // the output has 6 bits, or 8
};
std::span<const Mix> mixes();
const Mix* mix_named(std::string_view name);  // nullptr: none

// Is it a matrix of weights? Norms, biases, routers and tables of positions stay as they are.
bool is_quantized_by_mixes(const TensorInfo& tensor);

// What the mix gives a tensor, whether its rows fit or not.
const BlockFormat& type_by_mix(const Mix& mix, const File& file, const TensorInfo& tensor, bool importance);
// The next best one for rows that are not whole blocks of `format`, as llama.cpp has it; nullptr: none fits but float16.
const BlockFormat* stand_in(const BlockFormat& format, int64_t row);

}  // namespace quern::gguf
