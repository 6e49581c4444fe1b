#include "libcore/quant/profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "libcore/base/error.h"

namespace quern {
namespace {

constexpr std::array<std::string_view, 2> tflite_channels{"Conv", "ConvTranspose"};
constexpr std::array<std::string_view, 5> tflite_friendly{"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "Abs"};
constexpr std::array tflite_sharing{
    SharingRow{"MaxPool", Sharing::together},      SharingRow{"AveragePool", Sharing::together},
    SharingRow{"Resize", Sharing::together},       SharingRow{"Reshape", Sharing::together},
    SharingRow{"Squeeze", Sharing::together},      SharingRow{"Unsqueeze", Sharing::together},
    SharingRow{"Flatten", Sharing::together},      SharingRow{"Identity", Sharing::together},
    SharingRow{"Dropout", Sharing::together},      SharingRow{"Transpose", Sharing::together},
    SharingRow{"Slice", Sharing::together},        SharingRow{"Split", Sharing::together},
    SharingRow{"Gather", Sharing::together},       SharingRow{"GatherND", Sharing::together},
    SharingRow{"Pad", Sharing::together},          SharingRow{"Expand", Sharing::together},
    SharingRow{"Tile", Sharing::together},         SharingRow{"SpaceToDepth", Sharing::together},
    SharingRow{"DepthToSpace", Sharing::together}, SharingRow{"ReduceMax", Sharing::together},
    SharingRow{"ReduceMin", Sharing::together},    SharingRow{"GlobalMaxPool", Sharing::together},
    SharingRow{"Concat", Sharing::together},       SharingRow{"Max", Sharing::together},
    SharingRow{"Min", Sharing::together},
};

// Samsung/ONE, luci's passes: QuantizationUtils, QuantizeActivation, PropagateQParamForward and -Backward.
constexpr std::array one_sharing{
    SharingRow{"Gather", Sharing::forward},  SharingRow{"Reshape", Sharing::forward},   SharingRow{"Squeeze", Sharing::forward},
    SharingRow{"Flatten", Sharing::forward}, SharingRow{"Unsqueeze", Sharing::forward}, SharingRow{"Identity", Sharing::forward},
    SharingRow{"Dropout", Sharing::forward}, SharingRow{"Transpose", Sharing::forward}, SharingRow{"Slice", Sharing::forward},
    SharingRow{"Split", Sharing::forward},   SharingRow{"Concat", Sharing::backward},   SharingRow{"Pad", Sharing::backward},
};
constexpr std::array<std::string_view, 3> one_whole{"Floor", "Ceil", "Mod"};
constexpr std::array one_channel_constants{ChannelConstants{"PRelu", 0b10}, ChannelConstants{"InstanceNormalization", 0b110}};
constexpr std::array<std::string_view, 3> one_weight_only{"Conv", "Gemm", "MatMul"};

constexpr std::array rows{
    QuantProfile{.name = "onnx", .doc = "onnxruntime's rules"},
    QuantProfile{.name = "tflite",
                 .doc = "TensorFlow Lite's quantization specification",
                 .fixed = support::fixed_by_tflite,
                 .sharing = tflite_sharing,
                 .channels = tflite_channels,
                 .friendly = tflite_friendly,
                 .wide_bias = DType::i64,
                 .lstm = true,
                 .runtime = "litert"},
    QuantProfile{.name = "one",
                 .doc = "Samsung/ONE's rules",
                 .fixed = support::fixed_by_one,
                 .fixed_by_rows = false,
                 .sharing = one_sharing,
                 .whole_scale = one_whole,
                 .asymmetric_channels = true,
                 .channel_constants = one_channel_constants,
                 .weight_only = one_weight_only,
                 .least_scale = 1e-5f,
                 .least_scale_16 = 1e-8f,
                 .half_away = true,
                 .wide_bias = DType::i64,
                 .by_runs = true,
                 .products_runtime = "onert",
                 .averaging_batch = 16},
};

bool holds(std::span<const std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

int64_t code_half_away(float x, float scale, int64_t zero, const Encoding& e) {
    const auto number = [&](int64_t code) { return static_cast<float>(static_cast<double>(code - zero) * static_cast<double>(scale)); };
    const bool plain = int_range(e.storage).min < 0;
    const float least = number(e.qmin), greatest = number(e.qmax);
    const float clipped = std::min(std::max(x, least), greatest), reciprocal = static_cast<float>(1.0 / static_cast<double>(scale));
    const double steps = std::round(static_cast<double>((plain ? clipped : clipped - least) * reciprocal));
    const double code = steps + static_cast<double>(plain ? zero : e.qmin);
    if (!(code > static_cast<double>(e.qmin))) return e.qmin;
    return code < static_cast<double>(e.qmax) ? static_cast<int64_t>(code) : e.qmax;
}

}  // namespace

const support::FixedResult* QuantProfile::fixed_result(std::string_view op, DType storage) const {
    return support::fixed_result(fixed, op, storage);
}

Sharing QuantProfile::sharing_of(const Op& op) const {
    if (sharing) {
        for (const SharingRow& row : *sharing)
            if (row.op == op.name && op.domain.empty()) return row.sharing;
        return Sharing::none;
    }
    const auto kind = op.quant.kind;
    const bool shares = kind == QuantRule::Kind::same_as_input || kind == QuantRule::Kind::all_same;
    return shares && !has(op.traits, Trait::activation) ? Sharing::together : Sharing::none;
}

bool QuantProfile::makes_whole(std::string_view op) const { return holds(whole_scale, op); }
bool QuantProfile::has_channels(std::string_view op, bool symmetric) const {
    return (symmetric || asymmetric_channels) && (channels.empty() || holds(channels, op));
}
bool QuantProfile::has_channel_constant(std::string_view op, size_t input) const {
    return std::ranges::any_of(channel_constants,
                               [&](const ChannelConstants& row) { return row.op == op && input < 32 && (row.inputs >> input & 1u) != 0; });
}
bool QuantProfile::is_friendly(std::string_view op) const { return holds(friendly, op); }
bool QuantProfile::takes_weight_only(std::string_view op) const { return weight_only.empty() || holds(weight_only, op); }

GridSpec QuantProfile::grid(GridSpec spec) const {
    spec.min_scale = spec.symmetric && bits_of(spec.storage) == 16 ? least_scale_16 : least_scale;
    spec.half_away = half_away;
    return spec;
}

Grid QuantProfile::whole(Grid grid) {
    grid.scale = grid.scale < 1 ? 1.0f : std::round(grid.scale);
    return grid;
}

std::span<const QuantProfile> all_quant_profiles() { return rows; }

const QuantProfile& quant_profile(std::string_view name) {
    for (const QuantProfile& row : rows)
        if (row.name == name) return row;
    throw bug("no quantizer profile {}", name);
}

Tensor constant_codes(const Tensor& real, const Encoding& e, const QuantProfile& profile) {
    if (!profile.half_away || e.block > 0 || !is_integer(e.storage)) return quantize(real, e);
    const Tensor numbers = real.dtype == DType::f32 ? real : from_floats(DType::f32, real.dims, to_floats(real));
    const std::span<const float> values = numbers.view<float>();
    const auto scales = to_floats(e.scale);
    const auto zeros = e.zero.defined() ? to_ints(e.zero) : std::vector<int64_t>(scales.size(), 0);
    size_t length = 1, inner = 1;
    if (e.axis >= 0) {
        length = static_cast<size_t>(real.dims.at(static_cast<size_t>(e.axis)));
        for (size_t i = static_cast<size_t>(e.axis) + 1; i < real.dims.size(); ++i) inner *= static_cast<size_t>(real.dims[i]);
    }
    // Piece by piece: the wide codes of a large weight would take many times its memory.
    constexpr size_t piece = 1 << 16;
    MutableBytes bytes(storage_size(e.storage, values.size()));
    std::vector<int64_t> codes;
    for (size_t begin = 0; begin < values.size(); begin += piece) {
        codes.resize(std::min(piece, values.size() - begin));
        for (size_t i = 0; i < codes.size(); ++i) {
            const size_t at = begin + i, k = e.axis >= 0 ? at / inner % length : 0;
            codes[i] = code_half_away(values[at], scales[k], zeros[k], e);
        }
        const Tensor part = from_ints(e.storage, {static_cast<int64_t>(codes.size())}, codes);
        std::memcpy(bytes.data() + storage_size(e.storage, begin), part.data.data(), part.data.size());
    }
    return {e.storage, real.dims, std::move(bytes).freeze()};
}

}  // namespace quern
