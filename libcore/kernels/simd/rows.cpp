#include "libcore/kernels/simd/rows.h"

#include <array>

#include "libcore/graph/op_ids.h"

namespace quern::simd {
namespace {

constexpr KernelRow row(OpId op) { return {.name = "simd", .op = op, .absorbs = absorbs_chain, .make = make_chain}; }

constexpr std::array rows{
    row(ops::Add),         row(ops::Sub),        row(ops::Mul),
    row(ops::Div),         row(ops::PRelu),      row(ops::Neg),
    row(ops::Abs),         row(ops::Sqrt),       row(ops::Exp),
    row(ops::Erf),         row(ops::Reciprocal), row(ops::Sigmoid),
    row(ops::Tanh),        row(ops::Relu),       row(ops::LeakyRelu),
    row(ops::HardSigmoid), row(ops::Swish),      row(ops::HardSwish),
    row(ops::Gelu),        row(ops::Clip),       KernelRow{.name = "simd", .op = ops::RMSNormalization, .make = make_rms_norm},
};

}  // namespace

std::span<const KernelRow> simd_rows() { return rows; }

}  // namespace quern::simd
