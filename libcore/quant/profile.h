// Quantizer profiles: what a runtime asks of the encodings that its models hold - the quantizer's half of an arithmetic profile, as rows.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "libcore/graph/encoding.h"
#include "libcore/graph/op.h"
#include "libcore/quant/grid.h"
#include "libcore/support/fixed_results.h"

namespace quern {

// Whose grid the values share that an operator only moves or selects. `together` is over all their numbers.
enum class Sharing : uint8_t { none, together, forward, backward };
struct SharingRow {
    std::string_view op;
    Sharing sharing;
};

// Operands of an operator that are constants with a number for each channel: bit i is input i.
struct ChannelConstants {
    std::string_view op;
    uint32_t inputs;
};

struct QuantProfile {
    std::string_view name, doc;
    std::span<const support::FixedResult> fixed;
    bool fixed_by_rows = true;                            // ranges of operators' rows stand where `fixed` has none
    std::optional<std::span<const SharingRow>> sharing;   // what is not listed shares nothing; nullopt: as operators' rows say
    std::span<const std::string_view> whole_scale;        // results are whole numbers: their scale is, too, and at least 1
    std::span<const std::string_view> channels;           // operators whose weights may have a scale a channel; empty: all
    bool asymmetric_channels = false;                     // asymmetric weights may, too
    std::span<const ChannelConstants> channel_constants;  // quantized, too, each number by a scale of its own; else they stay float
    std::span<const std::string_view> friendly;           // operators that its runtimes compute on codes, beside those that all do
    std::span<const std::string_view> weight_only;        // operators whose weights alone are quantized; empty: all
    float least_scale = 0, least_scale_16 = 0;            // no scale is smaller; of symmetric 16-bit codes
    bool half_away = false;                               // codes and zero points round half away from zero
    DType wide_bias = DType::i32;                         // of biases behind 16-bit activations
    bool lstm = false;                                    // LSTM has a form on int8 codes
    bool by_runs = false;                                 // "auto" is the percentile of the runs' extremes, and clips no weight
    std::string_view runtime = {};                        // whose kernels it is for (support/runtime.h); empty: none in particular
    std::string_view products_runtime = {};  // whose kernels of products decide whether their weights have channels; empty: none
    int64_t averaging_batch = 1;             // runs that count as one in a moving average

    const support::FixedResult* fixed_result(std::string_view op, DType storage) const;
    Sharing sharing_of(const Op& op) const;
    bool makes_whole(std::string_view op) const;
    bool has_channels(std::string_view op, bool symmetric) const;
    bool has_channel_constant(std::string_view op, size_t input) const;
    bool takes_weight_only(std::string_view op) const;
    bool is_friendly(std::string_view op) const;
    GridSpec grid(GridSpec spec) const;  // with this profile's floors and rounding
    // A grid for whole numbers: its scale rounded, 1 at least; the zero point stays.
    static Grid whole(Grid grid);
};

std::span<const QuantProfile> all_quant_profiles();
const QuantProfile& quant_profile(std::string_view name);  // throws Exit::bug for a name that is none

// Codes of constants. Half away from zero: in float32, x is clipped to the numbers of the grid, less the lowest of them (0 if the
// codes are signed), times the reciprocal of the scale.
Tensor constant_codes(const Tensor& real, const Encoding& encoding, const QuantProfile& profile);

}  // namespace quern
