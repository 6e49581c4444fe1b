#include "libcore/graph/from_c.h"

#include "libcore/base/text.h"

namespace quern {
namespace {

static_assert(c_dtype(DType::f32) == QUERN_FLOAT32 && c_dtype(DType::f4e2m1) == QUERN_FLOAT4E2M1 && c_dtype(DType::i8) == QUERN_INT8 &&
              c_dtype(DType::u64) == QUERN_UINT64 && c_dtype(DType::i4) == QUERN_INT4 && c_dtype(DType::boolean) == QUERN_BOOL &&
              c_dtype(DType::c128) == QUERN_COMPLEX128);

constexpr int32_t max_rank = 64;

}  // namespace

DType dtype_from_c(quern_dtype dtype, bool unknown) {
    if (dtype < (unknown ? 0 : 1) || dtype >= dtype_count) throw bad_input("element type {} is unknown", dtype);
    return static_cast<DType>(dtype);
}

Dims dims_from_c(int32_t rank, const int64_t* dims, int64_t min_dim, const Giver& giver) {
    if (rank < 0 || rank > max_rank || (rank > 0 && !dims)) throw Error(giver.exit, fmt::format("{} rank {}", giver.who, rank));
    Dims out(dims, dims + rank);
    for (const int64_t dim : out)
        if (dim < min_dim) throw Error(giver.exit, fmt::format("{} dim {}", giver.who, dim));
    return out;
}

Type type_from_c(quern_dtype dtype, int32_t rank, const int64_t* dims, const Giver& giver) {
    Type type = Type::tensor(dtype_from_c(dtype, true));
    if (rank < 0) return type;
    type.shape = Shape::of(dims_from_c(rank, dims, -1, giver));
    return type;
}

Tensor borrowed_from(const quern_tensor& view) {
    if (!QUERN_HAS(&view, size)) throw bad_input("a tensor of {} bytes", view.struct_size);
    Tensor out;
    out.dtype = dtype_from_c(view.dtype);
    out.dims = dims_from_c(view.rank, view.dims, 0, a_buffer);
    const auto count = static_cast<uint64_t>(count_of(out.dims));
    const bool text = out.dtype == DType::string;
    if (text ? view.size / 8 <= count : view.size != storage_size(out.dtype, count))
        throw bad_input("a buffer of {} bytes for {} elements of {}", view.size, count, name_of(out.dtype));
    if (view.size > 0 && !view.data) throw bad_input("a buffer of {} bytes without memory", view.size);
    out.data = Bytes::borrow(view.data, view.size);
    return out;
}

Encoding encoding_from(const quern_encoding& view, const KeepBytes& keep) {
    if (!QUERN_HAS(&view, min)) throw bad_input("an encoding of {} bytes", view.struct_size);
    Encoding out;
    out.kind = view.kind == QUERN_DYNAMIC ? Encoding::Kind::dynamic : Encoding::Kind::fixed;
    out.storage = dtype_from_c(view.storage);
    out.real = dtype_from_c(view.real, true);
    copy_numbers(view, out);
    for (const auto& [ours, theirs] : encoding_tensors) {
        if (!(view.*theirs)) continue;
        Tensor tensor = borrowed_from(*(view.*theirs));
        tensor.data = keep(tensor.data);
        out.*ours = std::move(tensor);
    }
    return out;
}

}  // namespace quern
