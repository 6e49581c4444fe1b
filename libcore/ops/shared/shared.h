// What operator families share: inference and evaluation patterns.
#pragma once

#include <functional>
#include <type_traits>

#include "libcore/graph/op.h"

namespace quern {

// out 0 has the type of input 0.
void infer_same(InferCtx& ctx);
// out 0: dtype of input 0, shape of all inputs broadcast together.
void infer_broadcast(InferCtx& ctx);
// The same with a bool output.
void infer_compare(InferCtx& ctx);

// The element type that attribute `name` gives as ONNX's number; `fallback` for 0.
DType dtype_attr(const NodeView& node, std::string_view name, DType fallback);
// `dtype` if it is allowed, else throws Exit::bad_input naming `what`.
DType need_type(DType dtype, DTypes allowed, std::string_view what);

// One operation an element of output 0; none, only moved; one per element of input 0. Bytes as if elements had 4.
Cost cost_elementwise(const CostCtx& ctx);
Cost cost_movement(const CostCtx& ctx);
Cost cost_reading(const CostCtx& ctx);

// An operator of which there is no more to say.
constexpr Op plain(std::string_view name, Arity in, std::span<const AttrDef> attrs, DTypes types, void (*infer)(InferCtx&),
                   void (*eval)(EvalCtx&), std::string_view doc, Cost (*cost)(const CostCtx&) = nullptr) {
    return {.name = name, .in = in, .attrs = attrs, .types = types, .infer = infer, .eval = eval, .cost = cost, .doc = doc};
}

// The arithmetic class of a dtype: reference eval computes in float, double or int64.
enum class Arithmetic : uint8_t { f32, f64, i64 };
Arithmetic arithmetic_of(DType dtype);

// Elements of a tensor in the arithmetic class of T; float32, float64 and int64 tensors are viewed without a copy.
template <class T>
class Numbers {
   public:
    explicit Numbers(const Tensor& tensor) {
        if (tensor.dtype == dtype_of<T>) {
            view_ = tensor.view<T>();
            return;
        }
        if constexpr (std::is_same_v<T, float>) copy_ = to_floats(tensor);
        if constexpr (std::is_same_v<T, double>) copy_ = to_doubles(tensor);
        if constexpr (std::is_same_v<T, int64_t>) copy_ = to_ints(tensor);
        view_ = copy_;
    }
    size_t size() const { return view_.size(); }
    const T& operator[](size_t i) const { return view_[i]; }
    std::span<const T> span() const { return view_; }

   private:
    std::span<const T> view_;
    std::vector<T> copy_;
};

// Output i of any dtype, filled as T; stored (converted if need be) when the object is finished.
template <class T>
class NumbersOut {
   public:
    NumbersOut(EvalCtx& ctx, size_t i, DType dtype, Dims dims) : dtype_(dtype), count_(static_cast<size_t>(count_of(dims))) {
        if (!dtypes::all.has(dtype)) throw unsupported("numbers as {} elements", name_of(dtype));
        bytes_ = ctx.out(i, dtype, std::move(dims));
        if (dtype == dtype_of<T>) {
            view_ = {reinterpret_cast<T*>(bytes_), count_};
        } else {
            copy_.resize(count_);
            view_ = copy_;
        }
    }
    ~NumbersOut() {
        if (copy_.empty()) return;
        if constexpr (std::is_same_v<T, float>) store_floats(dtype_, bytes_, count_, copy_.data());
        if constexpr (std::is_same_v<T, double>) store_doubles(dtype_, bytes_, count_, copy_.data());
        if constexpr (std::is_same_v<T, int64_t>) store_ints(dtype_, bytes_, count_, copy_.data());
    }
    NumbersOut(const NumbersOut&) = delete;
    NumbersOut& operator=(const NumbersOut&) = delete;
    size_t size() const { return count_; }
    T& operator[](size_t i) { return view_[i]; }
    std::span<T> span() { return view_; }

   private:
    DType dtype_;
    size_t count_;
    std::byte* bytes_;
    std::span<T> view_;
    std::vector<T> copy_;
};

// Calls fn with a value of the arithmetic class of `dtype`: fn(float{}) and so on.
template <class Fn>
void with_arithmetic(DType dtype, const Fn& fn) {
    switch (arithmetic_of(dtype)) {
        case Arithmetic::f32: return fn(float{});
        case Arithmetic::f64: return fn(double{});
        case Arithmetic::i64: return fn(int64_t{});
    }
}

// Walks two broadcast inputs: for output element i, the element numbers of a and b.
class BroadcastIndex {
   public:
    BroadcastIndex(std::span<const int64_t> in, std::span<const int64_t> out);
    size_t operator()(size_t i) const;  // input element of output element i
    bool identity() const { return identity_; }

   private:
    struct Axis {
        size_t out_stride, length, in_stride;
    };
    std::vector<Axis> axes_;
    bool identity_ = false;
};

// Row-major strides in elements.
std::vector<int64_t> strides_of(std::span<const int64_t> dims);

}  // namespace quern
