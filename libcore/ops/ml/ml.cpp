// ai.onnx.ml: ArrayFeatureExtractor Binarizer LabelEncoder.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

// ---- ArrayFeatureExtractor: columns of the last axis ---------------------------------------------------------------------

Dims extracted_dims(const Dims& x, int64_t columns) {
    if (x.empty()) throw bad_input("input 0 is a scalar, need an axis to extract from");
    Dims dims = x.size() == 1 ? Dims{1} : Dims(x.begin(), x.end() - 1);
    dims.push_back(columns);
    return dims;
}

void infer_extractor(InferCtx& ctx) {
    Shape shape;
    if (const Shape& x = ctx.shape(0); x.ranked && x.rank() > 0) {
        shape = x;
        if (shape.rank() == 1) shape.dims.insert(shape.dims.begin(), Dim::of(1));
        const auto columns = ctx.shape(1).concrete();
        shape.dims.back() = columns ? Dim::of(count_of(*columns)) : ctx.shape(1).rank() == 1 ? ctx.shape(1).dims[0] : Dim::unknown();
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(shape)));
}

void eval_extractor(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const std::vector<int64_t> columns = to_ints(ctx.need(1));
    const Dims dims = extracted_dims(x.dims, static_cast<int64_t>(columns.size()));
    const int64_t width = x.dims.back();
    for (const int64_t column : columns)
        if (column < 0 || column >= width) throw bad_input("index {} is outside of {} columns", column, width);
    const Elements from(x);
    ElementsOut to(ctx, 0, x.dtype, dims);
    for (size_t i = 0; i < to.count(); ++i) {
        const size_t row = i / columns.size(), column = static_cast<size_t>(columns[i % columns.size()]);
        std::memcpy(to.at(i), from.at(row * static_cast<size_t>(width) + column), to.size());
    }
    to.finish();
}

// ---- Binarizer -------------------------------------------------------------------------------------------------------------

void eval_binarizer(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const Numbers<double> in(x);
    const double threshold = ctx.real("threshold");
    NumbersOut<double> out(ctx, 0, x.dtype, x.dims);
    for (size_t i = 0; i < out.size(); ++i) out[i] = in[i] > threshold ? 1 : 0;
}

// ---- LabelEncoder: a dictionary ----------------------------------------------------------------------------------------------

Tensor one_of(const NodeView& view, const std::string& what) {
    if (view.has(what + "_strings")) {
        const auto items = view.texts(what + "_strings");
        return Tensor::strings({static_cast<int64_t>(items.size())}, items);
    }
    if (view.has(what + "_int64s")) return Tensor::vector<int64_t>(view.integers(what + "_int64s"));
    if (view.has(what + "_floats")) return Tensor::vector<float>(view.reals(what + "_floats"));
    if (const Tensor* tensor = view.tensor(what + "_tensor")) return *tensor;
    throw bad_input("has no {}", what);
}

// What two numbers or texts that mean the same have in common: one NaN, one zero.
std::vector<std::string> keys_of(const Tensor& tensor) {
    std::vector<std::string> keys;
    const auto count = static_cast<size_t>(tensor.count());
    if (tensor.dtype == DType::string) {
        for (size_t i = 0; i < count; ++i) keys.emplace_back(string_at(tensor, i));
    } else if (is_float(tensor.dtype)) {
        for (const double x : to_doubles(tensor)) keys.push_back(std::isnan(x) ? "nan" : std::to_string(std::bit_cast<int64_t>(x + 0.0)));
    } else {
        for (const int64_t x : to_ints(tensor)) keys.push_back(std::to_string(x));
    }
    return keys;
}

Tensor default_of(const NodeView& view, DType dtype) {
    if (const Tensor* tensor = view.tensor("default_tensor")) {
        if (tensor->dtype != dtype || tensor->count() != 1)
            throw bad_input("default_tensor is {} {}, need one {}", name_of(tensor->dtype), to_string(tensor->dims), name_of(dtype));
        return *tensor;
    }
    if (dtype == DType::string) return Tensor::strings({1}, std::vector<std::string>{view.text("default_string")});
    if (is_float(dtype)) return from_doubles(dtype, {1}, std::vector<double>{view.real("default_float")});
    return from_ints(dtype, {1}, std::vector<int64_t>{view.integer("default_int64")});
}

void infer_label_encoder(InferCtx& ctx) { ctx.set(0, Type::tensor(one_of(ctx, "values").dtype, ctx.shape(0))); }

void eval_label_encoder(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const Tensor keys = one_of(ctx, "keys"), values = one_of(ctx, "values"), otherwise = default_of(ctx, values.dtype);
    if (keys.count() != values.count()) throw bad_input("has {} keys and {} values, need as many", keys.count(), values.count());
    if (keys.dtype != x.dtype) throw bad_input("input 0 is {}, need {} as the keys", name_of(x.dtype), name_of(keys.dtype));
    std::unordered_map<std::string, size_t> places;
    const std::vector<std::string> known = keys_of(keys);
    for (size_t i = 0; i < known.size(); ++i) places.emplace(known[i], i);
    const Elements from(values), none(otherwise);
    ElementsOut to(ctx, 0, values.dtype, x.dims);
    const std::vector<std::string> asked = keys_of(x);
    for (size_t i = 0; i < asked.size(); ++i) {
        const auto at = places.find(asked[i]);
        std::memcpy(to.at(i), at == places.end() ? none.at(0) : from.at(at->second), to.size());
    }
    to.finish();
}

constexpr std::array binarizer_attrs{AttrDef{"threshold", AttrKind::real, "0"}};
constexpr std::array encoder_attrs{
    AttrDef{"default_float", AttrKind::real, "-0.0"},
    AttrDef{"default_int64", AttrKind::integer, "-1"},
    AttrDef{"default_string", AttrKind::text, "_Unused"},
    AttrDef{"default_tensor", AttrKind::tensor},
    AttrDef{"keys_floats", AttrKind::reals},
    AttrDef{"keys_int64s", AttrKind::integers},
    AttrDef{"keys_strings", AttrKind::texts},
    AttrDef{"keys_tensor", AttrKind::tensor},
    AttrDef{"values_floats", AttrKind::reals},
    AttrDef{"values_int64s", AttrKind::integers},
    AttrDef{"values_strings", AttrKind::texts},
    AttrDef{"values_tensor", AttrKind::tensor},
};
constexpr DTypes numbers = DType::f32 | DType::f64 | DType::i32 | DType::i64;

constexpr std::array ml_table{
    Op{.name = "ArrayFeatureExtractor",
       .domain = "ai.onnx.ml",
       .in = {2, 2},
       .types = numbers | DType::string,
       .infer = infer_extractor,
       .eval = eval_extractor,
       .doc = "columns of the last axis"},
    Op{.name = "Binarizer",
       .domain = "ai.onnx.ml",
       .attrs = binarizer_attrs,
       .types = numbers,
       .infer = infer_same,
       .eval = eval_binarizer,
       .doc = "1 above a threshold, else 0"},
    Op{.name = "LabelEncoder",
       .domain = "ai.onnx.ml",
       .attrs = encoder_attrs,
       .types = DType::f32 | DType::f64 | DType::i64 | DType::string,
       .infer = infer_label_encoder,
       .eval = eval_label_encoder,
       .doc = "values of a dictionary"},
};

}  // namespace

std::span<const Op> ml_ops() { return ml_table; }

}  // namespace quern
