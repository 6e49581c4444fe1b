#include "libcore/ops/microsoft/block_weights.h"

namespace quern {

BlockWeights::BlockWeights(const NodeView& view) {
    const int64_t depth = view.integer("K"), outputs = view.integer("N"), width = view.integer("bits"), each = view.integer("block_size");
    if (depth < 1 || outputs < 1) throw bad_input("K is {} and N {}, need at least 1", depth, outputs);
    if (width != 2 && width != 4 && width != 8) throw unsupported("MatMulNBits with {} bits, need 2, 4 or 8", width);
    if (each < 16 || (each & (each - 1)) != 0 || each > (1 << 20)) throw bad_input("block_size is {}, need a power of two from 16", each);
    count_of(Dims{depth, outputs});
    k = static_cast<size_t>(depth);
    n = static_cast<size_t>(outputs);
    bits = static_cast<size_t>(width);
    block = static_cast<size_t>(each);
    blocks = k / block + (k % block != 0);
}

std::vector<float> block_zeros(const BlockWeights& w, const Tensor* zeros) {
    std::vector<float> out(w.n * w.blocks, static_cast<float>(1u << (w.bits - 1)));
    if (!zeros) return out;
    if (zeros->dtype != DType::u8) {
        out = to_floats(*zeros);
        if (out.size() != w.n * w.blocks) throw bad_input("{} zero points, need {}", out.size(), w.n * w.blocks);
        return out;
    }
    const size_t row = (w.blocks * w.bits + 7) / 8;
    const auto packed = zeros->view<uint8_t>();
    if (packed.size() != w.n * row) throw bad_input("zero points have {} bytes, need {}", packed.size(), w.n * row);
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(w.code(packed, i / w.blocks * row, i % w.blocks));
    return out;
}

}  // namespace quern
