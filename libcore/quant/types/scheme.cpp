#include "libcore/quant/types/scheme.h"

#include <algorithm>
#include <array>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

using A = Scheme::Activations;

constexpr std::array scheme_table{
    Scheme{.name = "i8", .doc = "asymmetric int8 activations, symmetric int8 weights per channel", .activation = DType::i8},
    Scheme{.name = "i8-sym", .doc = "symmetric int8 activations and weights", .activation = DType::i8, .activation_symmetric = true},
    Scheme{
        .name = "u8-asym",
        .doc = "asymmetric uint8 activations, asymmetric uint8 weights per channel (of products one scale), by ONE's rules (onert: uint8)",
        .activation = DType::u8,
        .weight = DType::u8,
        .weight_symmetric = false,
        .recipe = "one",
        .alias = "uint8"},
    Scheme{.name = "u8i8", .doc = "asymmetric uint8 activations, symmetric int8 weights per channel", .activation = DType::u8},
    Scheme{.name = "w8a16",
           .doc = "symmetric int16 activations, symmetric int8 weights per channel",
           .activation = DType::i16,
           .activation_symmetric = true},
    Scheme{.name = "w4a16",
           .doc = "symmetric int16 activations, int4 weights in blocks of input channels where the shape allows",
           .activation = DType::i16,
           .activation_symmetric = true,
           .weight = DType::i4,
           .blocks = true},
    Scheme{.name = "w4a16-lpbq",
           .doc = "like w4a16, scales of blocks as 4-bit integers times a scale of the channel (LPBQ)",
           .activation = DType::i16,
           .activation_symmetric = true,
           .weight = DType::i4,
           .blocks = true,
           .two_level = true},
    Scheme{.name = "w8u16",
           .doc = "asymmetric uint16 activations, symmetric int8 weights per channel (Qualcomm's HTP)",
           .activation = DType::u16},
    Scheme{.name = "w4u16",
           .doc = "asymmetric uint16 activations, int4 weights in blocks of input channels where the shape allows",
           .activation = DType::u16,
           .weight = DType::i4,
           .blocks = true},
    Scheme{.name = "w4u16-lpbq",
           .doc = "like w4u16, scales of blocks as 4-bit integers times a scale of the channel (LPBQ)",
           .activation = DType::u16,
           .weight = DType::i4,
           .blocks = true,
           .two_level = true},
    Scheme{.name = "w4a8",
           .doc = "asymmetric int8 activations, symmetric int4 weights per channel",
           .activation = DType::i8,
           .weight = DType::i4},
    Scheme{.name = "w16a16",
           .doc = "symmetric int16 activations, symmetric int16 weights per channel",
           .activation = DType::i16,
           .activation_symmetric = true,
           .weight = DType::i16},
    Scheme{.name = "i16-asym", .doc = "asymmetric int16 activations, symmetric int8 weights per channel (ONNX)", .activation = DType::i16},
    Scheme{.name = "i16-sym",
           .doc = "symmetric int16 activations and weights, by ONE's rules (onert: int16)",
           .activation = DType::i16,
           .activation_symmetric = true,
           .weight = DType::i16,
           .recipe = "one",
           .alias = "int16"},
    Scheme{.name = "dynamic-i8",
           .doc = "int8 weights of MatMul, Gemm and LSTM, uint8 inputs whose range is found at run time",
           .activations = A::dynamic,
           .activation = DType::u8},
    Scheme{.name = "dynamic-nnpa",
           .doc = "int8 weights of MatMul and Gemm, int8 inputs whose range is found at run time, one scale each: IBM's NNPA (--dynamic)",
           .activations = A::dynamic,
           .activation = DType::i8,
           .per_channel = false,
           .per_row = false,
           .recipe = "nnpa"},
    Scheme{.name = "wo-i8-sym",
           .doc = "int8 weights only, per channel, by ONE's rules (onert: int8_wo)",
           .activations = A::float32,
           .recipe = "one",
           .alias = "int8_wo"},
    Scheme{.name = "wo-i16-sym",
           .doc = "int16 weights only, per channel, by ONE's rules (onert: int16_wo)",
           .activations = A::float32,
           .weight = DType::i16,
           .recipe = "one",
           .alias = "int16_wo"},
    Scheme{.name = "wo-i8",
           .doc = "int8 weights only, in blocks of input channels where the shape allows",
           .activations = A::float32,
           .weight = DType::i8,
           .blocks = true},
    Scheme{.name = "wo-i16",
           .doc = "int16 weights only, in blocks of input channels where the shape allows",
           .activations = A::float32,
           .weight = DType::i16,
           .blocks = true},
    Scheme{.name = "wo-i4",
           .doc = "int4 weights only, in blocks of input channels where the shape allows",
           .activations = A::float32,
           .weight = DType::i4,
           .blocks = true},
    Scheme{.name = "wo-i2",
           .doc = "int2 weights only, in blocks of input channels where the shape allows",
           .activations = A::float32,
           .weight = DType::i2,
           .blocks = true},
    Scheme{.name = "wo-u8",
           .doc = "asymmetric uint8 weights only, in blocks of input channels where the shape allows",
           .activations = A::float32,
           .weight = DType::u8,
           .weight_symmetric = false,
           .blocks = true},
    Scheme{.name = "wo-u4",
           .doc = "asymmetric uint4 weights only, in blocks of input channels where the shape allows",
           .activations = A::float32,
           .weight = DType::u4,
           .weight_symmetric = false,
           .blocks = true},
    Scheme{.name = "wo-u2",
           .doc = "asymmetric uint2 weights only, in blocks of input channels where the shape allows",
           .activations = A::float32,
           .weight = DType::u2,
           .weight_symmetric = false,
           .blocks = true},
    Scheme{.name = "f8-e4m3",
           .doc = "float8 E4M3FN activations with one scale, float8 E4M3FN weights with a scale per channel",
           .activation = DType::f8e4m3fn,
           .activation_symmetric = true,
           .weight = DType::f8e4m3fn},
    Scheme{.name = "f8-e5m2",
           .doc = "float8 E5M2 activations with one scale, float8 E5M2 weights with a scale per channel",
           .activation = DType::f8e5m2,
           .activation_symmetric = true,
           .weight = DType::f8e5m2},
    Scheme{.name = "wo-f8", .doc = "float8 E4M3FN weights only, per channel", .activations = A::float32, .weight = DType::f8e4m3fn},
    Scheme{.name = "f16", .doc = "float16 weights only", .activations = A::float32, .weight = DType::f16},
    Scheme{.name = "bf16", .doc = "bfloat16 weights only", .activations = A::float32, .weight = DType::bf16},
};

struct EdgeName {
    std::string_view name;
    DType storage;
    bool edge, weight;  // of what nodes read and make; of weights
};
constexpr std::array edge_table{
    EdgeName{"none", DType::f32, true, true}, EdgeName{"i2", DType::i2, false, true},  EdgeName{"i4", DType::i4, false, true},
    EdgeName{"i8", DType::i8, true, true},    EdgeName{"i16", DType::i16, true, true}, EdgeName{"u2", DType::u2, false, true},
    EdgeName{"u4", DType::u4, false, true},   EdgeName{"u8", DType::u8, true, true},   EdgeName{"u16", DType::u16, true, false}};

const Scheme* find_scheme(std::string_view name) {
    const auto row =
        std::ranges::find_if(scheme_table, [&](const Scheme& s) { return s.name == name || (!s.alias.empty() && s.alias == name); });
    return row == scheme_table.end() ? nullptr : &*row;
}

}  // namespace

std::vector<std::string> edge_names(bool weights) {
    std::vector<std::string> names;
    for (const EdgeName& row : edge_table)
        if (weights ? row.weight : row.edge) names.emplace_back(row.name);
    return names;
}

std::string_view edge_name(DType storage) { return std::ranges::find(edge_table, storage, &EdgeName::storage)->name; }

DType edge_storage(std::string_view name, bool weights) {
    const auto row = std::ranges::find_if(edge_table, [&](const EdgeName& e) { return e.name == name && (weights ? e.weight : e.edge); });
    if (row != edge_table.end()) return row->storage;
    throw usage_error("got \"{}\", need one of {}", escape(name), join(edge_names(weights), ", "));
}

std::span<const Scheme> all_schemes() { return scheme_table; }

std::vector<std::string_view> scheme_names() {
    std::vector<std::string_view> names;
    names.reserve(2 * scheme_table.size());
    for (const Scheme& row : scheme_table) names.push_back(row.name);
    for (const Scheme& row : scheme_table)
        if (!row.alias.empty()) names.push_back(row.alias);
    return names;
}

bool is_scheme_name(std::string_view name) { return find_scheme(name) != nullptr; }

const Scheme& scheme_named(std::string_view name) {
    if (const Scheme* row = find_scheme(name)) return *row;
    std::vector<std::string> names;
    names.reserve(std::size(scheme_table));
    for (const Scheme& row : scheme_table) names.emplace_back(row.name);
    throw usage_error("unknown type \"{}\"{}", escape(name), did_you_mean(name, names)).with_hint("one of " + join(names, ", "));
}

}  // namespace quern
