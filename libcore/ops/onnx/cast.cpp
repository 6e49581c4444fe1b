// Conversions between element types: Cast, CastLike, BitCast.
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "libcore/base/text.h"
#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

constexpr DTypes castable = dtypes::all | DType::string;

struct CastMode {
    bool saturate = true;
    std::string rounding;  // to float8e8m0: up, down, nearest
};

// ---- numbers to numbers ------------------------------------------------------------------------------------------------

uint8_t to_e8m0(float value, const CastMode& mode) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t exponent = (bits >> 23) & 0xff, fraction = bits & 0x7fffff;
    if (exponent == 0xff) return 0xff;  // infinity and NaN
    bool up = false;
    if (mode.rounding == "up")
        up = fraction > 0;
    else if (mode.rounding == "nearest")
        up = fraction > 0x400000 || (fraction == 0x400000 && exponent > 0);
    else if (mode.rounding != "down")
        throw bad_input("round_mode is \"{}\", need up, down or nearest", mode.rounding);
    if (up && exponent == 0xfe && mode.saturate) up = false;
    return static_cast<uint8_t>(exponent + up);
}

// The nearest float on the odd side of a double: rounding it again to a narrower type gives what one rounding would have.
float round_to_odd(double value) {
    const auto narrow = static_cast<float>(value);
    if (static_cast<double>(narrow) == value || std::isnan(value) || std::isinf(narrow)) return narrow;
    const uint32_t bits = std::bit_cast<uint32_t>(narrow);
    if (bits & 1) return narrow;
    const bool away = std::fabs(static_cast<double>(narrow)) < std::fabs(value);
    return std::bit_cast<float>(away ? bits + 1 : bits - 1);
}

bool narrower_than_f32(DType dtype) { return is_float(dtype) && bits_of(dtype) < 32; }

std::vector<float> floats_of(const Tensor& x, DType to) {
    if (x.dtype == DType::f64 && narrower_than_f32(to)) {
        const auto from = x.view<double>();
        std::vector<float> out(from.size());
        for (size_t i = 0; i < out.size(); ++i) out[i] = round_to_odd(from[i]);
        return out;
    }
    if (x.dtype == DType::u64) {
        const auto from = x.view<uint64_t>();
        return {from.begin(), from.end()};
    }
    return to_floats(x);
}

std::vector<double> doubles_of(const Tensor& x) {
    if (x.dtype != DType::u64) return to_doubles(x);
    const auto from = x.view<uint64_t>();
    return {from.begin(), from.end()};
}

void store_float8(const Tensor& x, DType to, const CastMode& mode, std::byte* out) {
    const auto from = floats_of(x, to);
    for (size_t i = 0; i < from.size(); ++i)
        out[i] = static_cast<std::byte>(to == DType::f8e8m0 ? to_e8m0(from[i], mode) : float_to_small_float(to, from[i], mode.saturate));
}

void cast_numbers(EvalCtx& ctx, const Tensor& x, DType to, const CastMode& mode) {
    std::byte* out = ctx.out(0, to, x.dims);
    const auto count = static_cast<size_t>(x.count());
    if ((dtypes::float8s | DType::f8e8m0).has(to)) return store_float8(x, to, mode, out);
    if (is_float(to) && to != DType::f64) return store_floats(to, out, count, floats_of(x, to).data());
    if (to == DType::f64) return store_doubles(to, out, count, doubles_of(x).data());
    if (x.dtype == DType::f64 || is_float(x.dtype)) return store_doubles(to, out, count, to_doubles(x).data());
    store_ints(to, out, count, to_ints(x).data());
}

// ---- text --------------------------------------------------------------------------------------------------------------

template <class T>
std::string float_text(T value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-INF" : "INF";
    return shortest(value);
}

void cast_to_text(EvalCtx& ctx, const Tensor& x) {
    std::vector<std::string> items(static_cast<size_t>(x.count()));
    if (x.dtype == DType::f64) {
        const auto from = x.view<double>();
        for (size_t i = 0; i < items.size(); ++i) items[i] = float_text(from[i]);
    } else if (is_float(x.dtype)) {
        const auto from = to_floats(x);
        for (size_t i = 0; i < items.size(); ++i) items[i] = float_text(from[i]);
    } else {
        const auto from = to_ints(x);
        for (size_t i = 0; i < items.size(); ++i) {
            items[i] = x.dtype == DType::u64       ? std::to_string(static_cast<uint64_t>(from[i]))
                       : x.dtype == DType::boolean ? (from[i] ? "True" : "False")
                                                   : std::to_string(from[i]);
        }
    }
    ctx.give(0, Tensor::strings(x.dims, items));
}

double number_in(std::string_view text) {
    std::string word(trim(text));
    for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    const bool negative = word.starts_with('-');
    if (negative || word.starts_with('+')) word.erase(0, 1);
    const double sign = negative ? -1 : 1;
    if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (word == "inf" || word == "infinity") return sign * std::numeric_limits<double>::infinity();
    const auto value = parse_double(word);
    if (!value) throw bad_input("\"{}\" is not a number", escape(text));
    return sign * *value;
}

void cast_from_text(EvalCtx& ctx, const Tensor& x, DType to, const CastMode& mode) {
    const auto count = static_cast<size_t>(x.count());
    if (is_integer(to)) {
        std::vector<int64_t> items(count);
        for (size_t i = 0; i < count; ++i) {
            const auto whole = parse_int(trim(string_at(x, i)));
            items[i] = whole ? *whole : static_cast<int64_t>(number_in(string_at(x, i)));
        }
        return ctx.give(0, from_ints(to, x.dims, items));
    }
    std::vector<double> items(count);
    for (size_t i = 0; i < count; ++i) items[i] = number_in(string_at(x, i));
    cast_numbers(ctx, Tensor::make<double>(x.dims, items), to, mode);
}

// ---- evaluation ----------------------------------------------------------------------------------------------------------

void cast(EvalCtx& ctx, DType to) {
    const Tensor& x = ctx.need(0);
    need_type(to, castable, "the wanted type");
    need_type(x.dtype, castable, "input 0");
    const CastMode mode{ctx.integer("saturate") != 0, ctx.text("round_mode")};
    if (x.dtype == to)
        ctx.give(0, x);
    else if (to == DType::string)
        cast_to_text(ctx, x);
    else if (x.dtype == DType::string)
        cast_from_text(ctx, x, to, mode);
    else
        cast_numbers(ctx, x, to, mode);
}

DType wanted(const NodeView& node) {
    const DType to = dtype_attr(node, "to", DType::none);
    if (to == DType::none) throw bad_input("attribute \"to\" is 0, which is not an element type");
    return to;
}

void eval_cast(EvalCtx& ctx) { cast(ctx, wanted(ctx)); }
void eval_cast_like(EvalCtx& ctx) { cast(ctx, ctx.need(1).dtype); }

void infer_cast_to(InferCtx& ctx, DType to) {
    ctx.set(0, Type::tensor(to, ctx.shape(0)));
    if (to == DType::i64 || to == DType::i32) forward_dims_value(ctx, 0);
}
void infer_cast(InferCtx& ctx) { infer_cast_to(ctx, wanted(ctx)); }
void infer_cast_like(InferCtx& ctx) { infer_cast_to(ctx, ctx.dtype(1)); }

void infer_bit_cast(InferCtx& ctx) {
    const DType to = wanted(ctx);
    if (ctx.dtype(0) != DType::none && bits_of(ctx.dtype(0)) != bits_of(to))
        throw bad_input("{} has not as many bits as {}", name_of(ctx.dtype(0)), name_of(to));
    ctx.set(0, Type::tensor(to, ctx.shape(0)));
}
void eval_bit_cast(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const DType to = wanted(ctx);
    if (x.dtype == DType::string || to == DType::string || bits_of(x.dtype) != bits_of(to))
        throw bad_input("{} has not as many bits as {}", name_of(x.dtype), name_of(to));
    if (to == DType::boolean) {  // any set bit is true
        const auto out = ctx.out_as<bool>(0, x.dims);
        for (size_t i = 0; i < out.size(); ++i) out[i] = x.data.data()[i] != std::byte{0};
        return;
    }
    ctx.give(0, {to, x.dims, x.data});
}

constexpr std::array cast_attrs{AttrDef{"round_mode", AttrKind::text, "up"}, AttrDef{"saturate", AttrKind::integer, "1"},
                                AttrDef{"to", AttrKind::integer, "", true}};
constexpr std::array cast_like_attrs{AttrDef{"round_mode", AttrKind::text, "up"}, AttrDef{"saturate", AttrKind::integer, "1"}};
constexpr std::array bit_cast_attrs{AttrDef{"to", AttrKind::integer, "", true}};

constexpr std::array cast_table{
    Op{.name = "Cast",
       .attrs = cast_attrs,
       .traits = Trait::elementwise,
       .types = castable,
       .infer = infer_cast,
       .eval = eval_cast,
       .layout = Layout::agnostic,
       .cost = cost_movement,
       .doc = "the same numbers in another element type"},
    plain("CastLike", {2, 2}, cast_like_attrs, castable, infer_cast_like, eval_cast_like,
          "the same numbers in the element type of the second input", cost_movement),
    Op{.name = "BitCast",
       .attrs = bit_cast_attrs,
       .traits = Trait::elementwise,
       .types = dtypes::all | DType::c64 | DType::c128,
       .infer = infer_bit_cast,
       .eval = eval_bit_cast,
       .layout = Layout::agnostic,
       .cost = cost_movement,
       .doc = "the same bits as another element type"},
};

}  // namespace

std::span<const Op> cast_ops() { return cast_table; }

}  // namespace quern
