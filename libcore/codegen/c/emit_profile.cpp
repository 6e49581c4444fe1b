// Operators on codes by the profile tflite: those whose rows name their text, rescaling, pools, softmax, and along axes.
#include <fmt/format.h>

#include <array>

#include "libcore/codegen/c/emit.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/logistic16.h"
#include "libcore/ops/integer/parameters.h"
#include "libcore/ops/integer/tflite_resize.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/ops/shared/spatial_steps.h"

namespace quern::cgen {
namespace {

// A function of single codes, or of pairs of them, with parameters.
void emit_each(Emit& e, const CodeText& text, std::span<const int32_t> numbers) {
    e.source.kernel(text.kernel);
    Words words{{"A", std::string(e.in_type(0))},
                {"Y", std::string(e.out_type())},
                {"PARAMETERS", fmt::format(", const {}* t", text.type)},
                {"VALUE", fmt::format("(@Y@)({}({}, t){})", text.kernel, text.pairs ? "u, v" : "u", text.test)}};
    const std::string variant = text.test.empty() ? std::string(text.kernel) : slug(e.node.op->name);
    const std::string table = e.source.parameters(text.type, numbers, e.label("scale"));
    if (!text.pairs) return e.call(e.source.kernel("unary", words, variant), {e.in(0), e.out(), text_of(e.out_count()), table});
    words.emplace_back("B", std::string(e.in_type(1)));
    e.call(e.source.kernel("binary", words, variant), {e.in(0), e.in(1), e.out(), pair_walk(e), table});
}

void emit_recode(Emit& e) {
    if (const Encoding* from = e.in_encoding(0)) {
        const rescale_t t = recode_parameters(*from, *e.out_encoding());
        return emit_each(e, {"rescale_code", "rescale_t"}, {reinterpret_cast<const int32_t*>(&t), sizeof(t) / sizeof(int32_t)});
    }
    const Grid y(*e.out_encoding());
    e.source.kernel("code_of_real");
    const std::string fn = e.source.kernel("unary",
                                           {{"A", "float"},
                                            {"Y", std::string(e.out_type())},
                                            {"PARAMETERS", ", float scale, int32_t zero, int32_t low, int32_t high"},
                                            {"VALUE", "(@Y@)code_of_real(u, scale, zero, low, high)"}},
                                           "to_codes");
    e.call(fn, {e.in(0), e.out(), text_of(e.out_count()), c_float(y.scale), text_of(y.zero), text_of(y.low), text_of(y.high)});
}

void emit_root(Emit& e) {
    const Grid x(*e.in_encoding(0)), y(*e.out_encoding());
    e.source.kernel("root_code");
    const std::string type(e.in_type(0));
    e.call(e.source.kernel("unary",
                           {{"A", type},
                            {"Y", type},
                            {"PARAMETERS", ", int32_t x_zero, float x_scale, float y_scale, int32_t zero, int32_t low, int32_t high"},
                            {"VALUE", "(@Y@)clip(root_code(u - x_zero, x_scale, y_scale) + zero, low, high)"}},
                           "root"),
           {e.in(0), e.out(), text_of(e.out_count()), text_of(x.zero), c_float(x.scale), c_float(y.scale), text_of(y.zero), text_of(y.low),
            text_of(y.high)});
}

void emit_average_pool(Emit& e) {
    const bool last = channels_last(e.view);
    const Spatial x(e.in_dims(0), last), y(e.out_dims(), last);
    const Window window = window_in_2d(e.view, x, e.view.integers("kernel_shape"));
    const std::string fn = e.source.kernel("average_codes", {{"CODE", std::string(e.in_type(0))}});
    const Grid grid(*e.out_encoding());
    e.call(fn, {e.in(0), e.out(), e.source.parameters("conv_t", conv_sizes(x, y, window), e.label("window")), text_of(grid.low),
                text_of(grid.high)});
}

// What the operand is multiplied by: a Mul in front of the Softmax.
float beta_of(Emit& e) {
    if (!e.node.is(ops::Mul)) return 1.0f;
    const auto beta = e.constant(1);
    if (!beta) throw unsupported("a factor that is computed in the run");
    return to_floats(*beta)[0];
}

void emit_softmax_8(Emit& e) {
    const int64_t length = e.in_dims(0).back();
    const std::string fn = e.source.kernel("softmax_codes", {{"CODE", std::string(e.in_type(0))}, {"RESULT", std::string(e.out_type())}});
    const softmax_t t = softmax_parameters(*e.in_encoding(0), *e.out_encoding(), beta_of(e));
    e.call(fn, {e.in(0), e.out(), text_of(e.out_count() / length), text_of(length), e.source.parameters("softmax_t", t, e.label("scale"))});
}

template <bool micro>
void emit_softmax_16(Emit& e) {
    const FixedFactor factor = softmax_factor_16(*e.in_encoding(0), beta_of(e), micro);
    const int64_t length = e.in_dims(0).back();
    if (length > max_softmax_16) throw unsupported("softmax over {} codes of 16 bits, need at most {}", length, max_softmax_16);
    const std::string fn = e.source.kernel("softmax_16");
    e.call(fn, {e.in(0), e.out(), text_of(e.out_count() / length), text_of(length), text_of(factor.factor), text_of(factor.shift),
                e.source.numbers<int16_t>(softmax_exponentials(micro), e.label("exp")),
                e.source.numbers<int16_t>(softmax_reciprocals(micro), e.label("reciprocal"))});
}

void emit_softmax(Emit& e) { bits_of(e.in_encoding(0)->storage) > 8 ? emit_softmax_16<false>(e) : emit_softmax_8(e); }

// 16-bit codes; those of 8 bits are a table.
void emit_logistic(Emit& e) {
    const bool is_tanh = e.node.is(ops::Tanh);
    const ToTwelveBits to(Grid(*e.in_encoding(0)).scale, is_tanh ? 2 : 1);
    e.source.kernel("logistic_codes");
    e.source.kernel("clip");
    const std::string fn = e.source.kernel(
        "unary",
        {{"A", std::string(e.in_type(0))},
         {"Y", std::string(e.out_type())},
         {"PARAMETERS", ", int32_t factor, int32_t shift, int32_t is_tanh, const uint16_t* table, int32_t low, int32_t high"},
         {"VALUE", "(@Y@)clip(logistic_codes(u, factor, shift, is_tanh, table), low, high)"}},
        "logistic");
    const Grid y(*e.out_encoding());
    e.call(fn, {e.in(0), e.out(), text_of(e.out_count()), text_of(to.factor), text_of(to.shift), is_tanh ? "1" : "0",
                e.source.numbers<uint16_t>(logistic_table(), e.label("table")), text_of(y.low), text_of(y.high)});
}

template <bool mean>
void emit_reduced_sum(Emit& e) {
    const ReductionWalks walks = reduction_walks(e);
    if (walks.count == 0) throw unsupported("a sum of nothing");
    const rescale_t t = mean_parameters(*e.in_encoding(0), *e.out_encoding(), mean ? walks.count : 1);
    const std::string fn = e.source.kernel("mean_codes", {{"CODE", std::string(e.in_type(0))}});
    e.call(fn, {e.in(0), e.out(), walks.from, walks.over, e.source.parameters("rescale_t", t, e.label("scale"))});
}

void emit_product_along(Emit& e) {
    const ReductionWalks walks = reduction_walks(e);
    if (walks.count == 0) throw unsupported("a product of nothing");
    const rescale_t t = product_along_parameters(*e.in_encoding(0), *e.out_encoding(), walks.count);
    const std::string fn = e.source.kernel("product_codes", {{"CODE", std::string(e.in_type(0))}});
    e.call(fn, {e.in(0), e.out(), walks.from, walks.over, e.source.parameters("rescale_t", t, e.label("scale"))});
}

void emit_l2_normalization(Emit& e) {
    const int64_t depth = e.in_dims(0).back();
    const std::string fn = e.source.kernel("l2_codes", {{"CODE", std::string(e.in_type(0))}});
    e.call(fn, {e.in(0), e.out(), text_of(e.in_count(0) / depth), text_of(depth),
                e.source.parameters("normalize_t", normalize_parameters(*e.in_encoding(0), *e.out_encoding()), e.label("scale"))});
}

template <class Part>
void call_resize(Emit& e, std::string_view kernel) {
    const ResizeTaps<Part> taps(e.view, e.in_dims(0), e.out_dims(), false);
    e.call(e.source.kernel(kernel, {{"CODE", std::string(e.in_type(0))}}),
           {e.in(0), e.out(), e.source.numbers<int32_t>(taps.rows.places, e.label("rows")),
            e.source.numbers<Part>(taps.rows.parts, e.label("rows")), e.source.numbers<int32_t>(taps.columns.places, e.label("columns")),
            e.source.numbers<Part>(taps.columns.parts, e.label("columns")), e.source.parameters("resize_t", taps.sizes, e.label("sizes"))});
}

void emit_resize(Emit& e) {
    e.in_encoding(0)->storage == DType::u8 ? call_resize<float>(e, "resize_unsigned") : call_resize<int32_t>(e, "resize_codes");
}

constexpr std::array profile_table{
    EmitRow{Kind::profile, "Recode", emit_recode, "quern"},
    EmitRow{Kind::profile, "Sqrt", emit_root},
    EmitRow{Kind::profile, "AveragePool", emit_average_pool},
    EmitRow{Kind::profile, "Softmax", emit_softmax},
    EmitRow{Kind::profile, "Mul+Softmax", emit_softmax},
    EmitRow{Kind::profile, "tflm:Softmax", emit_softmax_16<true>},
    EmitRow{Kind::profile, "tflm:Mul+Softmax", emit_softmax_16<true>},
    EmitRow{Kind::profile, "Sigmoid", emit_logistic},
    EmitRow{Kind::profile, "Tanh", emit_logistic},
    EmitRow{Kind::profile, "ReduceMean", emit_reduced_sum<true>},
    EmitRow{Kind::profile, "GlobalAveragePool", emit_reduced_sum<true>},
    EmitRow{Kind::profile, "ReduceSum", emit_reduced_sum<false>},
    EmitRow{Kind::profile, "ReduceMax", emit_extreme},
    EmitRow{Kind::profile, "ReduceMin", emit_extreme},
    EmitRow{Kind::profile, "ReduceProd", emit_product_along},
    EmitRow{Kind::profile, "Mul+ReduceSum+Sqrt+Max+Div", emit_l2_normalization},
    EmitRow{Kind::profile, "Resize", emit_resize},
};

}  // namespace

void emit_text(Emit& e, const CodeText& text) {
    const auto bound = [&](size_t i) {
        const auto x = e.in_encoding(i) ? std::nullopt : e.constant(i);
        return x && x->count() == 1 ? std::optional(to_floats(*x)[0]) : std::nullopt;
    };
    const CodeSite site{e.view, e.in_encoding(0), e.in_encoding(1), e.out_encoding(), bound(1), bound(2)};
    emit_each(e, text, text.numbers(site));
}

std::span<const EmitRow> profile_rows() { return profile_table; }

}  // namespace quern::cgen
