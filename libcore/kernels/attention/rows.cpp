#include "libcore/kernels/attention/rows.h"

#include <array>

#include "libcore/graph/op_ids.h"

namespace quern::attention {
namespace {

constexpr std::array rows{
    KernelRow{.name = "attention", .op = ops::Attention, .make = make_attention},
    KernelRow{.name = "attention", .op = ops::RotaryEmbedding, .make = make_rotary},
    KernelRow{.name = "attention", .op = ops::TensorScatter, .make = make_cache_rows},
    KernelRow{.name = "attention", .op = ops::Reshape, .absorbs = absorbs_cache_rows, .make = make_cache_rows},
};

}  // namespace

std::span<const KernelRow> attention_rows() { return rows; }

}  // namespace quern::attention
