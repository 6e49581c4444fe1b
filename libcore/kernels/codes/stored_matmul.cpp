// Products of a few rows of real numbers with weights that are stored as codes: MatMul and Gemm, and MatMulNBits of any number of rows.
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/stored_product.h"
#include "libcore/ops/microsoft/block_weights.h"

namespace quern::codes {
namespace {

class StoredKernel : public Kernel {
   public:
    // `bias`: which input is added; `adds_nothing`: so is 0 where it is absent.
    StoredKernel(std::string name, StoredWeights weights, std::vector<ValueId> held, size_t bias, bool adds_nothing)
        : name_(std::move(name)), weights_(std::move(weights)), held_(std::move(held)), bias_(bias), adds_nothing_(adds_nothing) {}

    std::string name() const override { return name_; }

    void run(KernelCtx& ctx) override {
        const StoredLayout& layout = weights_.layout();
        const Tensor& x = *ctx.in(0);
        if (x.dims.empty() || x.dims.back() != layout.depth)
            throw bad_input("input 0 is {}, need rows of {}", to_string(x.dims), layout.depth);
        Dims dims = x.dims;
        dims.back() = layout.columns;
        const Buffer out = ctx.memory().take(static_cast<size_t>(count_of(dims)) * sizeof(float));
        weights_.multiply(x.view<float>().data(), count_of(dims) / layout.columns, bias(ctx), reinterpret_cast<float*>(out.data.get()),
                          ctx.pool());
        ctx.give(Tensor{DType::f32, dims, out.freeze()});
    }

    std::vector<Bytes> state() const override { return weights_.state(); }
    std::vector<ValueId> held() const override { return held_; }

   private:
    std::vector<float> bias(KernelCtx& ctx) const {
        const auto columns = static_cast<size_t>(weights_.layout().columns);
        std::vector<float> numbers = ctx.in(bias_) ? to_floats(*ctx.in(bias_)) : std::vector<float>(adds_nothing_ ? 1 : 0, 0.0f);
        if (numbers.size() > 1 && numbers.size() != columns) throw bad_input("bias has {} numbers, need {}", numbers.size(), columns);
        if (!numbers.empty()) numbers.resize(columns, numbers[0]);
        return numbers;
    }

    std::string name_;
    StoredWeights weights_;
    std::vector<ValueId> held_;
    size_t bias_;
    bool adds_nothing_;
};

// ---- MatMul and Gemm -------------------------------------------------------------------------------------------------------

// Parameters of the encoding, one for each column and block.
std::vector<float> spread(const std::vector<float>& items, const StoredLayout& layout, bool blocked) {
    std::vector<float> out;
    for (int64_t c = 0; c < layout.columns; ++c)
        for (int64_t b = 0; b < layout.blocks(); ++b) {
            const int64_t at = layout.depth_step == 1 ? c * layout.blocks() + b : b * layout.columns + c;
            out.push_back(items[static_cast<size_t>(items.size() == 1 ? 0 : blocked ? at : c)]);
        }
    return out;
}

StoredWeights weights_of(const Site& site) {
    const Encoding& e = *site.value(site.first().in[1]).enc;
    const StoredLayout layout = stored_layout(site.graph, site.first());
    const int bits = bits_of(e.storage);
    if (!site.state.empty()) return {layout, bits, site.state};
    const int moved = e.storage == DType::u8 ? -128 : e.storage == DType::i4 ? 8 : 0;
    const std::vector<int64_t> whole = e.zeros();
    std::vector<float> zeros;
    zeros.reserve(whole.size());
    for (const int64_t zero : whole) zeros.push_back(static_cast<float>(zero + moved));
    const Tensor codes = *site.graph.constant(site.first().in[1]);
    const auto* bytes = reinterpret_cast<const uint8_t*>(codes.data.data());
    const auto code = [&](int64_t k, int64_t column) {
        const int64_t at = k * layout.depth_step + column * layout.column_step;
        if (bits == 8) return bytes[at] + moved;
        return (bytes[at / 2] >> at % 2 * 4 & 15) ^ moved;  // of int4 -8 becomes 0
    };
    return {layout, bits, code, spread(to_floats(e.scale), layout, e.block > 0), spread(zeros, layout, e.block > 0)};
}

std::unique_ptr<Kernel> make_product(const Site& site, std::string& refusal) {
    const Node& node = site.first();
    refusal = site.arithmetic                           ? "its data are rounded to codes"
              : !reads_stored_weights(site.graph, node) ? "the weights are not constant codes"
                                                        : stored_weights_obstacle(site.graph, node);
    if (!refusal.empty()) return nullptr;
    return std::make_unique<StoredKernel>(node.is(ops::Gemm) ? "codes stored gemm" : "codes stored matmul", weights_of(site),
                                          std::vector{node.in[1]}, 2, false);
}

// ---- MatMulNBits -----------------------------------------------------------------------------------------------------------

std::string_view nbits_obstacle(const Site& site) {
    const Node& node = site.first();
    const NodeView view(node);
    const auto absent = [&](size_t i) { return node.in.size() <= i || node.in[i] == ValueId::none; };
    const auto constant = [&](size_t i) { return absent(i) || site.value(node.in[i]).constant(); };
    const auto has = [&](size_t i, int64_t count) {
        const auto dims = site.value(node.in[i]).type.shape.concrete();
        return dims && count_of(*dims) == count;
    };
    if (!is_f32(site, node.in[0]) || site.value(node.in[0]).enc) return "its data are not float32";
    if (!constant(1) || !constant(2) || !constant(3)) return "its weights are not constant";
    if (!absent(4) || view.integer("weight_prepacked") != 0) return "its weights are in another order";
    const BlockWeights w(view);
    const auto blocks = static_cast<int64_t>(w.n * w.blocks);
    if (site.value(node.in[1]).type.dtype != DType::u8 || !has(1, blocks * static_cast<int64_t>(w.block * w.bits / 8)) || !has(2, blocks))
        return "its weights do not fit its sizes";
    return !absent(3) && site.value(node.in[3]).type.dtype != DType::u8 && w.bits == 8 ? "its zero points are real numbers" : "";
}

StoredWeights weights_of(const Site& site, const BlockWeights& w) {
    const Node& node = site.first();
    const auto depth = static_cast<int64_t>(w.k), columns = static_cast<int64_t>(w.n);
    const StoredLayout layout{depth, columns, 1, depth, static_cast<int64_t>(w.block)};
    const int bits = w.bits == 8 ? 8 : 4, moved = bits == 8 ? -128 : 0;
    if (!site.state.empty()) return {layout, bits, site.state};
    const auto given = node.in.size() > 3 && node.in[3] != ValueId::none ? site.graph.constant(node.in[3]) : std::nullopt;
    std::vector<float> zeros = block_zeros(w, given ? &*given : nullptr);
    for (float& zero : zeros) zero += static_cast<float>(moved);
    const Tensor packed = *site.graph.constant(node.in[1]);
    const auto bytes = packed.view<uint8_t>();
    const size_t blob = w.block * w.bits / 8;
    const auto code = [&](int64_t k, int64_t column) {
        const auto row = static_cast<size_t>(k), block = static_cast<size_t>(column) * w.blocks + row / w.block;
        return static_cast<int>(w.code(bytes, block * blob, row % w.block)) + moved;
    };
    return {layout, bits, code, to_floats(*site.graph.constant(node.in[2])), zeros};
}

std::unique_ptr<Kernel> make_nbits(const Site& site, std::string& refusal) {
    refusal = nbits_obstacle(site);
    if (!refusal.empty()) return nullptr;
    std::vector<ValueId> held{site.first().in[1], site.first().in[2]};
    if (site.first().in.size() > 3 && site.first().in[3] != ValueId::none) held.push_back(site.first().in[3]);
    return std::make_unique<StoredKernel>("codes matmul of n bits", weights_of(site, BlockWeights(NodeView(site.first()))), std::move(held),
                                          5, true);
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::MatMul, .make = make_product},
                          KernelRow{.name = "codes", .op = ops::Gemm, .make = make_product},
                          KernelRow{.name = "codes", .op = ops::microsoft::MatMulNBits, .make = make_nbits}};

}  // namespace

std::span<const KernelRow> stored_matmul_rows() { return rows; }

}  // namespace quern::codes
