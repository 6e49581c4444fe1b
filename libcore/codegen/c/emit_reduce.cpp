// Reductions along axes, and normalizations by norms, neighbouring channels and over free axes. Sums are added up as
// libcore/ops/onnx/reduce.cpp does: rows in eight lanes, else one after the other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "libcore/codegen/c/emit.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/reduction.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"

namespace quern::cgen {
namespace {

struct Reducer {
    std::string_view op, start, each, join, finish;
    std::string_view math = {};  // a function of math.h

    // Whole numbers wrap around.
    std::string_view each_integer() const { return each == "v * v" ? "(@X@)((uint64_t)v * (uint64_t)v)" : each; }
    std::string_view join_integer() const {
        return join == "a + b" ? "(@X@)((uint64_t)a + (uint64_t)b)" : join == "a * b" ? "(@X@)((uint64_t)a * (uint64_t)b)" : join;
    }
};
constexpr std::string_view sum_join = "a + b";
constexpr std::array functions{
    Reducer{"ReduceSum", "0", "v", sum_join, "total"},
    Reducer{"ReduceMean", "0", "v", sum_join, "total / (@X@)count"},
    Reducer{"ReduceProd", "1", "v", "a * b", "total"},
    Reducer{"ReduceL1", "0", "(v > 0 ? v : 0 - v)", sum_join, "total"},
    Reducer{"ReduceSumSquare", "0", "v * v", sum_join, "total"},
    Reducer{"ReduceL2", "0", "v * v", sum_join, "@sqrtf@(total)", "sqrtf"},
    Reducer{"ReduceLogSum", "0", "v", sum_join, "@logf@(total)", "logf"},
    Reducer{"ReduceMax", "@LEAST@", "v", "a > b@or_nan@ ? a : b", "total"},
    Reducer{"ReduceMin", "@most@", "v", "a < b@or_nan@ ? a : b", "total"},
};

void reduce(Emit& e, const std::string& type, const std::string& x, const std::string& y) {
    const auto found = std::ranges::find(functions, e.node.op->name, &Reducer::op);
    const bool real = is_real(type);
    if (!real && !found->math.empty()) throw unsupported("elements of type {}", type);
    const ReductionWalks walks = reduction_walks(e);
    const auto limit = [&](bool max) {
        return real ? infinity(type, max) : fmt::format("({})({})", type, integer_limit(e.f.held(e.in_id(0)), max));
    };
    Words words{{"X", type},
                {"START", std::string(found->start)},
                {"EACH", std::string(real ? found->each : found->each_integer())},
                {"JOIN", std::string(real ? found->join : found->join_integer())},
                {"FINISH", std::string(real || !e.node.is(ops::ReduceMean) ? found->finish : "count ? total / (@X@)count : 0")},
                {"or_nan", real ? " || a != a" : ""},
                {"LEAST", limit(false)},
                {"most", limit(true)}};
    e.add_math(words, found->math, type);
    const std::string fn = e.source.kernel("reduce", words, slug(e.node.op->name.substr(6)));
    e.call(fn, {x, y, walks.from, walks.over, walks.rows ? "1" : "0", text_of(walks.count)});
}

void emit_reduce(Emit& e) {
    if (e.node.is(ops::ReduceMax, ops::ReduceMin)) {
        const Encoding *in = e.in_encoding(0), *out = e.out_encoding();
        if ((!in && !out && !is_short_float(e.f.held(e.in_id(0)))) || (in && out && *in == *out && in->per_tensor()))
            return emit_extreme(e);
    }
    const std::string x = e.real_in(0);
    reduce(e, std::string(e.real_in_type(0)), x, e.real_out());
}

// The greatest element is taken out of the sum, so that nothing overflows.
void emit_log_sum_exp(Emit& e) {
    const std::string type(e.real_in_type(0));
    if (!is_real(type)) throw unsupported("elements of type {}", type);
    const ReductionWalks walks = reduction_walks(e);
    Words words{{"X", type}, {"LEAST", infinity(type, false)}, {"MOST", infinity(type)}};
    e.add_math(words, "expf logf", type);
    const std::string x = e.real_in(0), fn = e.source.kernel("log_sum_exp", words);
    e.call(fn, {x, e.real_out(), walks.from, walks.over});
}

void emit_lp_normalization(Emit& e) {
    const std::string type(e.real_in_type(0));
    const Dims& dims = e.in_dims(0);
    const size_t axis = normal_axis(e.view.integer("axis"), dims.size());
    const int64_t step = strides_of(dims)[axis], length = dims[axis];
    const bool plain = e.view.integer("p") == 1;
    Words words{{"A", type}, {"EACH", plain ? "(u > 0 ? u : 0 - u)" : "u * u"}, {"NORM", plain ? "sum" : "@sqrtf@(sum)"}};
    if (!plain) e.add_math(words, "sqrtf", type);
    const std::string x = e.real_in(0), fn = e.source.kernel("lp_normalization", words, plain ? "of_sizes" : "of_squares");
    e.call(fn, {x, e.real_out(), text_of(e.in_count(0) / (step * length)), text_of(length), text_of(step)});
}

void emit_lrn(Emit& e) {
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    const bool last = channels_last(e.view);
    const Dims& dims = e.in_dims(0);
    const int64_t channels = last ? dims.back() : dims[1], pixels = e.in_count(0) / (dims[0] * channels), size = e.view.integer("size");
    Words words;
    e.add_math(words, "powf", "double");
    const std::string x = e.real_in(0), fn = e.source.kernel("local_response", words);
    e.call(fn,
           {x, e.real_out(), text_of(dims[0]), text_of(channels), text_of(pixels), text_of(last ? 1 : pixels), text_of(last ? channels : 1),
            text_of((size - 1) / 2), text_of(size / 2), c_double(static_cast<double>(e.view.real("alpha")) / static_cast<double>(size)),
            c_double(static_cast<double>(e.view.real("beta"))), c_double(static_cast<double>(e.view.real("bias")))});
}

void emit_mean_variance(Emit& e) {
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    const Dims axes = e.view.has("axes") ? e.view.integers("axes") : Dims{0, 2, 3};
    const ReductionWalks walks = walks_over(e, axis_flags(axes, e.in_dims(0).size()));
    const std::string x = e.real_in(0), fn = e.source.kernel("mean_variance", {{"sqrt", e.math("sqrt")}});
    e.call(fn, {x, e.real_out(), walks.from, walks.over, text_of(walks.count)});
}

constexpr std::array reduce_table{
    EmitRow{Kind::real, "ReduceLogSumExp", emit_log_sum_exp},
    EmitRow{Kind::real, "ReduceSum", emit_reduce},
    EmitRow{Kind::real, "ReduceMean", emit_reduce},
    EmitRow{Kind::real, "ReduceProd", emit_reduce},
    EmitRow{Kind::real, "ReduceL1", emit_reduce},
    EmitRow{Kind::real, "ReduceL2", emit_reduce},
    EmitRow{Kind::real, "ReduceSumSquare", emit_reduce},
    EmitRow{Kind::real, "ReduceMax", emit_reduce},
    EmitRow{Kind::real, "ReduceMin", emit_reduce},
    EmitRow{Kind::real, "ReduceLogSum", emit_reduce},
    EmitRow{Kind::real, "LpNormalization", emit_lp_normalization},
    EmitRow{Kind::real, "LRN", emit_lrn},
    EmitRow{Kind::real, "MeanVarianceNormalization", emit_mean_variance},
};

}  // namespace

std::string integer_limit(DType dtype, bool max) {
    if (dtype == DType::i64) return max ? "INT64_MAX" : "INT64_MIN";
    if (dtype == DType::i32) return max ? "INT32_MAX" : "INT32_MIN";
    if (dtype == DType::boolean) return max ? "1" : "0";
    if (dtype == DType::u64) return max ? "UINT64_MAX" : "0";
    const IntRange range = int_range(dtype);
    return text_of(max ? range.max : range.min);
}

ReductionWalks reduction_walks(Emit& e) {
    std::optional<Tensor> axes;
    if (e.has_in(1)) {
        axes = e.constant(1);
        if (!axes) throw unsupported("axes that are computed in the run");
    }
    return walks_over(e, reduced_axes(e.node, e.in_dims(0).size(), axes ? &*axes : nullptr));
}

ReductionWalks walks_over(Emit& e, const std::vector<bool>& flags) {
    auto [lengths, steps] = ReductionSteps(e.in_dims(0), flags);
    const int64_t count = count_of(lengths[1]);
    if (count == 0) lengths[1] = steps[1] = {0};
    return {walk_as_given(e, lengths[0], steps[0], "from"), walk_as_given(e, lengths[1], steps[1], "over"), !flags.empty() && flags.back(),
            count};
}

void emit_extreme(Emit& e) { reduce(e, std::string(e.in_type(0)), e.in(0), e.out()); }

std::span<const EmitRow> reduce_rows() { return reduce_table; }

}  // namespace quern::cgen
