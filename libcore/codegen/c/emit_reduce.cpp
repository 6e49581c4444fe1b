// Reductions along axes. Sums are added up as libcore/ops/onnx/reduce.cpp does: rows in eight lanes, else one after the other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "libcore/codegen/c/emit.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/reduction.h"
#include "libcore/ops/shared/shared.h"

namespace quern::cgen {
namespace {

struct Function {
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
    Function{"ReduceSum", "0", "v", sum_join, "total"},
    Function{"ReduceMean", "0", "v", sum_join, "total / (@X@)count"},
    Function{"ReduceProd", "1", "v", "a * b", "total"},
    Function{"ReduceL1", "0", "(v < 0 ? -v : v)", sum_join, "total"},
    Function{"ReduceSumSquare", "0", "v * v", sum_join, "total"},
    Function{"ReduceL2", "0", "v * v", sum_join, "@sqrtf@(total)", "sqrtf"},
    Function{"ReduceLogSum", "0", "v", sum_join, "@logf@(total)", "logf"},
    Function{"ReduceMax", "@least@", "v", "a > b@or_nan@ ? a : b", "total"},
    Function{"ReduceMin", "@most@", "v", "a < b@or_nan@ ? a : b", "total"},
};

void reduce(Emit& e, const std::string& type, const std::string& x, const std::string& y) {
    const auto found = std::ranges::find(functions, e.node.op->name, &Function::op);
    const bool real = is_real(type);
    if (!real && !found->math.empty()) throw unsupported("elements of type {}", type);
    const ReductionWalks walks = reduction_walks(e);
    const auto limit = [&](bool greatest) {
        return real ? infinity(type, greatest) : fmt::format("({})({})", type, integer_limit(e.f.held(e.in_id(0)), greatest));
    };
    Words words{{"X", type},
                {"start", std::string(found->start)},
                {"each", std::string(real ? found->each : found->each_integer())},
                {"join", std::string(real ? found->join : found->join_integer())},
                {"finish", std::string(real || !e.node.is(ops::ReduceMean) ? found->finish : "count ? total / (@X@)count : 0")},
                {"or_nan", real ? " || a != a" : ""},
                {"least", limit(false)},
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
    Words words{{"X", type}, {"infinity", infinity(type)}};
    e.add_math(words, "expf logf", type);
    const std::string x = e.real_in(0), fn = e.source.kernel("log_sum_exp", words);
    e.call(fn, {x, e.real_out(), walks.from, walks.over});
}

constexpr std::array rows{
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
};

}  // namespace

std::string integer_limit(DType dtype, bool greatest) {
    if (dtype == DType::i64) return greatest ? "INT64_MAX" : "INT64_MIN";
    if (dtype == DType::i32) return greatest ? "INT32_MAX" : "INT32_MIN";
    if (dtype == DType::boolean) return greatest ? "1" : "0";
    if (dtype == DType::u64) return greatest ? "UINT64_MAX" : "0";
    const IntRange range = int_range(dtype);
    return text_of(greatest ? range.max : range.min);
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

std::span<const EmitRow> reduce_rows() { return rows; }

}  // namespace quern::cgen
