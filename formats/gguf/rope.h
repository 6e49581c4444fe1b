// Tables of the angles by which rotary position embeddings turn (RoPE), with the scalings that llama.cpp knows.
#pragma once

#include "formats/gguf/hyper.h"
#include "libcore/graph/tensor.h"

namespace quern::gguf {

struct RopeTables {
    Tensor cosine, sine;  // float32 [positions, rotated / 2]
};

// Position p turns pair i by p * base^(-2i / rotated) / divisor_i, scaled as `scaling` says: linear divides positions; yarn (Peng et al.,
// arXiv:2309.00071, as ggml has it) only of the slow pairs, and lengthens all; longrope lengthens (its divisors are `divisors`).
// `divisors`: one for each pair, or none.
RopeTables rope_tables(const Hyper& hyper, double base, const RopeScaling& scaling, std::span<const float> divisors, int64_t positions);

}  // namespace quern::gguf
