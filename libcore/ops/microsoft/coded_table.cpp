#include "libcore/ops/microsoft/coded_table.h"

#include <algorithm>

#include "libcore/graph/quantize.h"
#include "libcore/ops/microsoft/quantized.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/indices.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

// Of packed bytes as `bits` says.
DType code_type(const NodeView& node, DType stored) {
    if (stored == DType::i4 || stored == DType::u4) return stored;
    if (stored != DType::u8) throw unsupported("GatherBlockQuantized of {}, need int4, uint4 or uint8", name_of(stored));
    const int64_t bits = node.integer("bits");
    if (bits != 2 && bits != 4 && bits != 8) throw bad_input("bits is {}, need 2, 4 or 8", bits);
    return bits == 8 ? DType::u8 : bits == 4 ? DType::u4 : DType::u2;
}

int64_t checked_block(const NodeView& node) {
    const int64_t block = node.integer("block_size");
    if (block < 16 || (block & (block - 1)) != 0) throw bad_input("block_size is {}, need a power of two from 16", block);
    return block;
}

// Rows of packed codes begin with a byte each; the last may not be full.
Tensor without_padding(const Tensor& packed, DType type, const Dims& dims) {
    const auto row = static_cast<size_t>(dims.back());
    const size_t bits = static_cast<size_t>(bits_of(type)), bytes = (row * bits + 7) / 8;
    const auto from = packed.view<uint8_t>();
    if (static_cast<size_t>(count_of(dims)) * bytes != from.size() * row)
        throw bad_input("zero points are {}, which do not fit scales {}", to_string(packed.dims), to_string(dims));
    std::vector<int64_t> codes(static_cast<size_t>(count_of(dims)));
    for (size_t i = 0; i < codes.size(); ++i) {
        const size_t at = i % row * bits;
        codes[i] = from[i / row * bytes + at / 8] >> at % 8 & ((1u << bits) - 1);
    }
    return from_ints(type, dims, codes);
}

// Where there are none, 0, of bytes the middle of the codes.
Tensor zeros_of(const Tensor& stored, DType type, const Dims& dims, const Tensor* zeros) {
    if (!zeros) {
        const int64_t middle = stored.dtype == DType::u8 ? int64_t{1} << (bits_of(type) - 1) : 0;
        return from_ints(type, dims, std::vector<int64_t>(static_cast<size_t>(count_of(dims)), middle));
    }
    if (zeros->dtype != stored.dtype) throw bad_input("zero points are {}, need {}", name_of(zeros->dtype), name_of(stored.dtype));
    if (type != stored.dtype) return without_padding(*zeros, type, dims);
    if (zeros->dims != dims) throw bad_input("zero points are {}, need {}", to_string(zeros->dims), to_string(dims));
    return *zeros;
}

size_t axis_of(const NodeView& node, const char* which, size_t rank) { return normal_axis(node.integer(which), rank, which); }

}  // namespace

Dims coded_table_dims(const NodeView& node, DType stored, Dims dims) {
    if (dims.empty()) throw bad_input("the table is a number, need rank 1 or more");
    dims.back() *= bits_of(stored) / bits_of(code_type(node, stored));
    return dims;
}

CodedTable coded_table(const NodeView& node, const Tensor& stored, const Tensor& scales, const Tensor* zeros) {
    const DType type = code_type(node, stored.dtype);
    const Dims dims = coded_table_dims(node, stored.dtype, stored.dims);
    const size_t axis = axis_of(node, "quantize_axis", dims.size());
    const int64_t block = checked_block(node);
    Dims wanted = dims;
    wanted[axis] = (dims[axis] + block - 1) / block;
    if (scales.dims != wanted) throw bad_input("scales are {}, need {}", to_string(scales.dims), to_string(wanted));
    Encoding e = make_encoding(type, scales, zeros_of(stored, type, wanted, zeros), static_cast<int>(axis));
    e.block = block;
    e.real = scales.dtype;
    return {{type, dims, stored.data}, std::move(e)};
}

void infer_gather_block_quantized(InferCtx& ctx) {
    const Shape &data = ctx.shape(0), &indices = ctx.shape(1);
    const auto stored = data.concrete();
    if (!stored || !indices.ranked) return ctx.set(0, Type::tensor(ctx.dtype(2)));
    const Dims table = coded_table_dims(ctx, ctx.dtype(0), *stored);
    const auto axis = static_cast<ptrdiff_t>(axis_of(ctx, "gather_axis", table.size()));
    std::vector<Dim> dims = Shape::of(table).dims;
    dims.erase(dims.begin() + axis);
    dims.insert(dims.begin() + axis, indices.dims.begin(), indices.dims.end());
    ctx.set(0, Type::tensor(ctx.dtype(2), Shape::of_dims(std::move(dims))));
}

void eval_gather_block_quantized(EvalCtx& ctx) {
    const CodedTable table = coded_table(ctx, ctx.need(0), ctx.need(2), ctx.in(3));
    const Tensor real = dequantize(table.codes, table.encoding);
    const size_t axis = axis_of(ctx, "gather_axis", real.dims.size());
    Dims dims = real.dims;
    const int64_t length = dims[axis];
    dims.erase(dims.begin() + static_cast<ptrdiff_t>(axis));
    const Dims& of_indices = ctx.need(1).dims;
    dims.insert(dims.begin() + static_cast<ptrdiff_t>(axis), of_indices.begin(), of_indices.end());
    const size_t outer = span_count(real.dims, 0, axis);
    const size_t slice = span_count(real.dims, axis + 1, real.dims.size()) * static_cast<size_t>(bits_of(real.dtype)) / 8;
    std::byte* to = ctx.out(0, real.dtype, std::move(dims));
    const auto indices = indices_of(ctx.need(1));
    for (size_t o = 0; o < outer; ++o)
        for (const int64_t index : indices) {
            const size_t from = (o * static_cast<size_t>(length) + checked_index(index, length)) * slice;
            to = std::copy_n(real.data.data() + from, slice, to);
        }
}

}  // namespace quern
