// MatMulNBits of weights in blocks of a format: codes from 0 on, a scale for each block, and zero points where the format has minima that
// are whole multiples of the scale.
#include <set>

#include "libcore/graph/block_encoding.h"
#include "libcore/graph/op_ids.h"
#include "libcore/os/spool.h"
#include "libcore/passes/onnx/contrib.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

// What MatMulNBits reads.
struct Parts {
    int64_t bits = 0, block = 0, rows = 0, columns = 0;
    Tensor codes, scales, zeros;  // zeros: undefined where all are half the range
};

// Codes below 0 are stored from 0 on, which turns their uppermost bit around.
Bytes from_zero_on(const Tensor& codes, int bits) {
    if (codes.dtype == DType::u4 || codes.dtype == DType::u8) return codes.data;
    const std::byte turn = bits == 4 ? std::byte{0x88} : std::byte{0x80};
    std::vector<std::byte> out(codes.data.data(), codes.data.data() + codes.data.size());
    for (std::byte& item : out) item ^= turn;
    return Bytes::own(std::move(out));
}

// The code that stands for 0 in a block, if (code - zero) * scale has the bits of code * scale + min for every code; else -1.
int64_t exact_zero(float scale, float min, int64_t most) {
    if (scale == 0) return min == 0 ? 0 : -1;
    const float zero = __builtin_rintf(-min / scale);
    if (!(zero >= 0 && zero <= static_cast<float>(most))) return -1;
    for (int64_t code = 0; code <= most; ++code) {
        const auto number = static_cast<float>(code);
        if ((number - zero) * scale != number * scale + min) return -1;
    }
    return static_cast<int64_t>(zero);
}

// Packed as the codes are, each row from a byte on; nullopt: some block has none.
std::optional<Tensor> exact_zeros(const Encoding& e, int bits) {
    const std::vector<float> scales = to_floats(e.scale), mins = to_floats(e.min);
    const int64_t most = (int64_t{1} << bits) - 1, blocks = e.scale.dims.back();
    const int64_t row = (blocks * bits + 7) / 8, rows = e.scale.dims[0];
    std::vector<uint8_t> out(static_cast<size_t>(rows * row));
    for (int64_t i = 0; i < rows * blocks; ++i) {
        const int64_t zero = exact_zero(scales[static_cast<size_t>(i)], mins[static_cast<size_t>(i)], most), at = i % blocks * bits;
        if (zero < 0) return std::nullopt;
        out[static_cast<size_t>(i / blocks * row + at / 8)] |= static_cast<uint8_t>(zero << at % 8);
    }
    return Tensor::make<uint8_t>({rows, row}, out);
}

// nullopt: it cannot be said exactly.
std::optional<Parts> parts_of(const Tensor& stored, const BlockFormat& format) {
    const Unpacked apart = unpacked(stored, block_encoding(format, 1));
    Parts parts;
    parts.bits = bits_of(apart.codes.dtype);
    parts.block = format.sub_block;
    parts.rows = apart.codes.dims[0];
    parts.columns = apart.codes.dims[1];
    if (format.has_min) {
        const auto zeros = exact_zeros(*apart.encoding, static_cast<int>(parts.bits));
        if (!zeros) return std::nullopt;
        parts.zeros = *zeros;
    }
    const int64_t blocks = parts.columns / parts.block;
    parts.codes = {DType::u8, {parts.rows, blocks, parts.block * parts.bits / 8}, from_zero_on(apart.codes, static_cast<int>(parts.bits))};
    parts.scales = apart.encoding->scale;
    return parts;
}

class ProductMaker {
   public:
    ProductMaker(Graph& graph, Contrib& made) : graph_(graph), made_(made) {}

    void run() {
        for (const NodeId id : std::vector<NodeId>(graph_.order())) {
            const Node& node = graph_.node(id);
            if (!node.is(ops::MatMul)) continue;
            if (takes(node.in[1]))
                replace(id);
            else
                count_halves(node.in[1]);
        }
    }

   private:
    // A matrix stored transposed, in blocks along the depth of each of its columns.
    bool takes(ValueId id) const {
        const Value& value = graph_.value(id);
        return value.constant() && value.enc && value.enc->format && value.enc->format->quantized() && value.enc->axis == 0 &&
               value.type.shape.rank() == 2;
    }

    // Matrices of numbers that are not codes, but not float32 either.
    void count_halves(ValueId id) {
        const Value& value = graph_.value(id);
        const BlockFormat* format = value.constant() && value.enc ? value.enc->format : nullptr;
        if (format && !format->quantized() && format->bytes < sizeof(float) && halves_.insert(id).second)
            ++made_.kept_weights[std::string(format->name)];
    }

    // Constants of a weight, once for all that read it.
    struct Made {
        std::vector<ValueId> in;
        Attrs attrs;
    };

    const Made* made_of(ValueId id) {
        if (const auto found = done_.find(id); found != done_.end()) return found->second ? &*found->second : nullptr;
        std::optional<Made>& made = done_[id];
        const Tensor stored = *graph_.constant(id);
        const BlockFormat& format = *graph_.value(id).enc->format;
        std::optional<Parts> parts = parts_of(stored, format);
        stored.data.release();
        if (!parts) {
            ++made_.kept_weights[std::string(format.name)];
            return nullptr;
        }
        made.emplace();
        const std::string name = graph_.value(id).name;
        const auto constant = [&](const char* what, Tensor& tensor) {
            tensor.data = spool_.put(std::move(tensor.data));
            made->in.push_back(graph_.add_constant(name + what, tensor));
        };
        constant("_codes", parts->codes);
        constant("_scales", parts->scales);
        if (parts->zeros.defined()) constant("_zeros", parts->zeros);
        made->attrs = {{"K", parts->columns}, {"N", parts->rows}, {"bits", parts->bits}, {"block_size", parts->block}};
        return &*made;
    }

    void replace(NodeId id) {
        const Node& node = graph_.node(id);
        const Made* made = made_of(node.in[1]);
        if (!made) return;
        std::vector<ValueId> in{node.in[0]};
        in.insert(in.end(), made->in.begin(), made->in.end());
        take_over(graph_, node.out[0], need_op(ops::microsoft::MatMulNBits), std::move(in), made->attrs);
        ++made_.products;
    }

    Graph& graph_;
    Contrib& made_;
    Spool spool_;  // of a large model only one weight is in memory
    std::map<ValueId, std::optional<Made>> done_;
    std::set<ValueId> halves_;
};

}  // namespace

void make_block_products(Graph& graph, Contrib& made) { ProductMaker(graph, made).run(); }

}  // namespace quern
