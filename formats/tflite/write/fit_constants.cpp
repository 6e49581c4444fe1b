// Constants of operators on codes: biases, slopes, zeros.
#include <algorithm>
#include <array>
#include <cmath>

#include "formats/tflite/file/products.h"
#include "formats/tflite/file/tensors.h"
#include "formats/tflite/write/fit.h"
#include "libcore/base/error.h"
#include "libcore/graph/grid.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/integer/profile.h"

namespace quern::tflite_format {
namespace {

Ints codes_of(const FileTensor& tensor) { return to_ints(aligned({dtype_of(tensor.type), tensor.shape, tensor.data})); }

}  // namespace

// Beside 16-bit data kernels read 64-bit biases, unless the operator says 32: then their sums have 32 bits, too.
void Fitter::fit_bias(FileOperator& op) {
    const ProductRow* row = product_row(op.code);
    if (!row || !has(op, row->data) || !has(op, row->bias)) return;
    const FileTensor bias = tensor(op.in[row->bias]);
    if (!on_codes(op.in[row->data]) || tensor(op.in[row->data]).type != Element::INT16) return;
    if (bias.type != Element::INT32 || bias.quantization.scale.empty()) return;
    if (options_.narrow_biases && row->says_bias_type) {
        op.options["quantized_bias_type"] = std::string("INT32");
        return;
    }
    if (bias.data.empty()) throw unsupported("a computed bias of int32 beside data of int16");
    const auto [known, fresh] = widened_.emplace(op.in[row->bias], 0);
    if (fresh) {
        Tensor codes = from_ints(DType::i64, bias.shape, codes_of(bias));
        FileTensor wide = bias;
        wide.type = Element::INT64;
        wide.data = codes.data;
        known->second = add(std::move(wide));
    }
    op.in[row->bias] = known->second;
}

// PRELU's kernels take slopes for codes: of the data's type, but of int8 beside int16.
void Fitter::fit_slopes(FileOperator& op) {
    if (op.code != Code::PRELU || !has(op, 1) || !on_codes(op.in[0]) || tensor(op.in[1]).type != Element::FLOAT32) return;
    const FileTensor slopes = tensor(op.in[1]);
    if (slopes.data.empty()) return;
    const DType storage = tensor(op.in[0]).type == Element::UINT8 ? DType::u8 : DType::i8;
    const Tensor real = aligned({DType::f32, slopes.shape, slopes.data});
    double low = 0, high = 0;
    for (const float x : real.view<float>()) {
        if (!std::isfinite(x)) throw bad_input("slopes hold NaN or infinity");
        low = std::min(low, static_cast<double>(x));
        high = std::max(high, static_cast<double>(x));
    }
    const Grid grid = grid_of({low, high}, grid_spec(storage, false));
    const Encoding encoding = make_encoding(storage, Tensor::scalar(grid.scale), from_ints(storage, {}, std::array{grid.zero}));
    op.in[1] = add_constant(slopes, quantize(real, encoding), encoding);
}

// A constant of zeros is worth the same by any scale, and a scale far from that of the other operand has no multiplier.
void Fitter::fit_zeros(FileOperator& op) {
    constexpr std::array codes{Code::ADD, Code::SUB, Code::MUL, Code::MAXIMUM, Code::MINIMUM, Code::SQUARED_DIFFERENCE};
    if (std::find(codes.begin(), codes.end(), op.code) == codes.end() || op.in.size() != 2) return;
    for (size_t i = 0; i < 2; ++i) {
        if (!on_codes(op.in[i]) || !on_codes(op.in[1 - i])) continue;
        const FileTensor from = tensor(op.in[i]), other = tensor(op.in[1 - i]);
        if (from.data.empty() || from.type != other.type || !other.data.empty() || same_grid(from.quantization, other.quantization))
            continue;
        if (from.quantization.scale.size() != 1 || other.quantization.scale.size() != 1 || from.sparsity) continue;
        const auto zero_of = [](const Quantization& q) { return q.zero.empty() ? int64_t{0} : q.zero[0]; };
        Ints numbers = codes_of(from);
        if (std::any_of(numbers.begin(), numbers.end(), [&](int64_t code) { return code != zero_of(from.quantization); })) continue;
        std::fill(numbers.begin(), numbers.end(), zero_of(other.quantization));
        FileTensor made = from;
        made.quantization = other.quantization;
        made.data = from_ints(dtype_of(from.type), from.shape, numbers).data;
        op.in[i] = add(std::move(made));
    }
}

// Sums of 16-bit codes take scales that are no powers of two only if they are told so.
void Fitter::fit_powers(FileOperator& op) {
    if ((op.code != Code::ADD && op.code != Code::SUB) || op.out.empty() || !on_codes(op.out[0])) return;
    if (tensor(op.out[0]).type == Element::INT16 && !op.options.contains(powers_key)) op.options[powers_key] = int64_t{0};
}

}  // namespace quern::tflite_format
