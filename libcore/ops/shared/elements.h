// Elements of any dtype as runs of whole bytes, for operators that move numbers without looking at them: packed types become one
// byte an element, strings become string_views; and the strided copy that such operators are made of.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "libcore/ops/shared/shared.h"

namespace quern {

// Every dtype that operators can move.
inline constexpr DTypes movable = dtypes::all | DType::string | DType::c64 | DType::c128;

// An operator that moves or selects elements of any type.
constexpr Op moving(std::string_view name, Arity in, std::span<const AttrDef> attrs, void (*infer)(InferCtx&), void (*eval)(EvalCtx&),
                    QuantRule quant, std::string_view doc, Trait more = Trait::none, Layout layout = Layout::opaque) {
    return {.name = name,
            .in = in,
            .attrs = attrs,
            .traits = Trait::data_movement | more,
            .types = movable,
            .infer = infer,
            .eval = eval,
            .quant = quant,
            .layout = layout,
            .cost = cost_movement,
            .doc = doc};
}

// Bytes of one element in an Elements buffer.
size_t element_size(DType dtype);

// The elements of a tensor, which must outlive this object.
class Elements {
   public:
    explicit Elements(const Tensor& tensor);
    const std::byte* data() const { return data_; }
    size_t size() const { return size_; }  // bytes of one element
    const std::byte* at(size_t i) const { return data_ + i * size_; }

   private:
    size_t size_;
    const std::byte* data_;
    std::vector<std::byte> copy_;
};

// Output i, filled as elements; finish() stores it (packs, or joins the strings, whose sources must still be there).
class ElementsOut {
   public:
    ElementsOut(EvalCtx& ctx, size_t i, DType dtype, Dims dims);
    std::byte* data() { return data_; }
    size_t size() const { return size_; }
    size_t count() const { return count_; }
    std::byte* at(size_t i) { return data_ + i * size_; }
    void finish();

   private:
    EvalCtx& ctx_;
    size_t output_;
    DType dtype_;
    Dims dims_;
    size_t size_, count_;
    std::byte *bytes_ = nullptr, *data_ = nullptr;
    std::vector<std::byte> copy_;
};

// Copies an array of `dims`: element (i, j, ...) from `from` + i * from_strides[0] + ... (in bytes) to `to` likewise. Strides may be
// zero or negative. Dims that lie next to each other on both sides become one memcpy.
void copy_strided(std::byte* to, std::span<const int64_t> to_strides, const std::byte* from, std::span<const int64_t> from_strides,
                  std::span<const int64_t> dims, size_t element);

// Row-major strides in bytes.
std::vector<int64_t> byte_strides(std::span<const int64_t> dims, size_t element);

// Output 0 of input 0's type as `dims`, element (i, j, ...) read at `offset` + strides (both in elements of the input).
void eval_strided(EvalCtx& ctx, const Dims& dims, std::span<const int64_t> strides, int64_t offset = 0);

// `count` copies of the element at `value`.
void fill_elements(std::byte* to, size_t count, const std::byte* value, size_t element);

// Throws Exit::bad_input if a tensor that an operator makes from few numbers would have more than 2^33 bytes.
void check_size(DType dtype, std::span<const int64_t> dims);

// The product of dims[first, last).
size_t span_count(std::span<const int64_t> dims, size_t first, size_t last);

}  // namespace quern
