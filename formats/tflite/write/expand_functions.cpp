// Functions of an element, and of the elements along axes.
#include <array>
#include <limits>

#include "formats/tflite/lower/fused.h"
#include "formats/tflite/write/expand.h"
#include "libcore/passes/decompose/math.h"

namespace quern::tflite_format {
namespace {

using decompose::of;
using decompose::Term;

template <Term (*function)(const Term& x)>
bool unary(Spelling& at) {
    return at.end(function(at.x()));
}

bool elu(Spelling& at) {
    const double alpha = static_cast<double>(at.view.real("alpha"));
    return alpha != 1 && at.end(decompose::elu(at.x(), 1, alpha, 1));
}
bool selu(Spelling& at) {
    const auto alpha = static_cast<double>(at.view.real("alpha")), gamma = static_cast<double>(at.view.real("gamma"));
    return at.end(decompose::elu(at.x(), gamma, gamma * alpha, 1));
}
bool celu(Spelling& at) {
    const auto alpha = static_cast<double>(at.view.real("alpha"));
    return at.end(decompose::elu(at.x(), 1, alpha, alpha));
}

bool is_infinite(Spelling& at) {
    const bool above = at.view.integer("detect_positive") != 0, below = at.view.integer("detect_negative") != 0;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return (above || below) && at.end((above && below ? of(ops::Abs, at.x()) : at.x()) == (above ? infinity : -infinity));
}

bool thresholded_relu(Spelling& at) {
    const Term x = at.x();
    return at.end(where(number(x, static_cast<double>(at.view.real("alpha"))) < x, x, number(x, 0)));
}

bool shrink(Spelling& at) {
    const auto bias = static_cast<double>(at.view.real("bias")), edge = static_cast<double>(at.view.real("lambd"));
    const Term x = at.x();
    return at.end(where(x < -edge, x + bias, where(number(x, edge) < x, x - bias, number(x, 0))));
}

bool mean_of_operands(Spelling& at) {
    const Term sum{&at, at.add(ops::Sum, at.node.in)};
    return at.end(sum * (1.0 / static_cast<double>(at.node.in.size())));
}

// ---- sums along axes -----------------------------------------------------------------------------------------------------------------

// The node's own reduction of something else, by another operator.
ValueId reduced(Spelling& at, OpId op, ValueId x, bool keeps_dims) {
    Builder::Values in{x};
    if (at.has(1)) in.push_back(at.in(1));
    Attrs attrs = at.node.attrs;
    attrs["keepdims"] = int64_t{keeps_dims};
    return at.add(op, std::move(in), std::move(attrs));
}
bool keeps_dims(const Spelling& at) { return at.view.integer("keepdims") != 0; }

bool reduce_l1(Spelling& at) { return at.end(reduced(at, ops::ReduceSum, of(ops::Abs, at.x()), keeps_dims(at))); }

bool reduce_log_sum(Spelling& at) { return at.end(of(ops::Log, Term{&at, reduced(at, ops::ReduceSum, at.in(0), keeps_dims(at))})); }

// The greatest taken out before, where it is a number.
bool reduce_log_sum_exp(Spelling& at) {
    if (at.view.integer("noop_with_empty_axes") != 0) return false;
    const Term greatest{&at, reduced(at, ops::ReduceMax, at.in(0), true)};
    const Term shift = where(decompose::is_finite(greatest), greatest, number(greatest, 0));
    const Term sum{&at, reduced(at, ops::ReduceSum, of(ops::Exp, at.x() - shift), true)};
    const Term whole = of(ops::Log, sum) + shift;
    return at.end(keeps_dims(at) ? whole.id : reduced(at, ops::ReduceMax, whole, false));
}

// ---- normalizations ------------------------------------------------------------------------------------------------------------------

Term mean(const Term& x, const Dims& axes) {
    return {x.to, x.to->add(ops::ReduceMean, {x.id, x.to->integers(axes, "axes")}, {{"keepdims", int64_t{1}}})};
}

Term normal(const Term& x, const Dims& axes, double epsilon) {
    const Term centred = x - mean(x, axes);
    return centred * decompose::reciprocal_root(mean(centred * centred, axes) + epsilon);
}

Dims axes_from(size_t first, size_t rank) {
    Dims axes;
    for (size_t i = first; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
    return axes;
}

// Times operand 1 and plus operand 2, numbers of each channel.
bool end_by_channels(Spelling& at, const Term& x) {
    Dims column(at.channels_first() ? at.rank() - 1 : 1, 1);
    column[0] = -1;
    const auto of_channels = [&](size_t i) { return Term{&at, column.size() == 1 ? at.in(i) : at.reshape(at.in(i), column)}; };
    return at.end(x * of_channels(1) + of_channels(2));
}

bool instance_norm(Spelling& at) {
    if (!at.type_of(at.in(0)).shape.ranked || at.rank() < 3 || (at.format == "circle" && at.rank() == 4)) return false;
    const size_t first = at.channels_first() ? 2 : 1;
    return end_by_channels(at, normal(at.x(), axes_from(first, first + at.rank() - 2), static_cast<double>(at.view.real("epsilon"))));
}

// Channels are groups of channels, and brought back.
bool group_norm(Spelling& at) {
    const auto& shape = at.type_of(at.in(0)).shape;
    if (!shape.ranked || shape.rank() < 2 || !at.channels_first()) return false;
    Dims whole{0};
    int64_t places = 1;
    for (size_t i = 1; i < shape.rank(); ++i) {
        if (!shape.dims[i].known()) return false;
        whole.push_back(shape.dims[i].value);
        if (i > 1) places *= whole.back();
    }
    const int64_t groups = at.view.integer("num_groups");
    const Term apart{&at, at.reshape(at.in(0), {0, groups, whole[1] / groups, places})};
    const Term made = normal(apart, {2, 3}, static_cast<double>(at.view.real("epsilon")));
    return end_by_channels(at, {&at, at.reshape(made, whole)});
}

bool mean_variance(Spelling& at) {
    Dims given = at.view.integers("axes");
    if (given.empty()) given = {0, 2, 3};
    const Term centred = at.x() - mean(at.x(), given);
    return at.end(centred / (of(ops::Sqrt, mean(centred * centred, given)) + 1e-9));
}

// As L2_NORMALIZATION is read; onert's own takes codes for others.
bool lp_normalization(Spelling& at) {
    const bool squares = at.view.integer("p") == 2, on_codes = at.format == "circle" && at.graph().value(at.in(0)).enc;
    const Term x = at.x(), sizes = squares ? x * x : of(ops::Abs, x);
    const Term sum{&at, at.add(ops::ReduceSum, {sizes, at.integers({at.view.integer("axis")}, "axes")}, {{"keepdims", int64_t{1}}})};
    return at.end(x / of(ops::Max, squares ? of(ops::Sqrt, sum) : sum, on_codes ? 1e-7 : 1e-6));
}

// The format's remainder has the sign of the divisor: of sizes it is the same.
bool truncated_remainder(Spelling& at) {
    if (at.view.integer("fmod") == 0 || !is_float(at.dtype_of(at.in(0))) || is_mod_of_sizes(at.graph(), at.node)) return false;
    const Term x = at.x(), rest = decompose::truncated_remainder(of(ops::Abs, x), of(ops::Abs, Term{&at, at.in(1)}));
    return at.end(decompose::copy_sign(rest, x));
}

bool exclusive_or(Spelling& at) { return at.end(decompose::not_equal(at.x(), Term{&at, at.in(1)})); }

constexpr std::array table{
    ExpandRow{ops::Celu, celu},
    ExpandRow{ops::Elu, elu},
    ExpandRow{ops::Erf, unary<decompose::erf>},
    ExpandRow{ops::GroupNormalization, group_norm},
    ExpandRow{ops::InstanceNormalization, instance_norm},
    ExpandRow{ops::IsInf, is_infinite},
    ExpandRow{ops::IsNaN, unary<decompose::is_nan>},
    ExpandRow{ops::LpNormalization, lp_normalization},
    ExpandRow{ops::Mean, mean_of_operands},
    ExpandRow{ops::MeanVarianceNormalization, mean_variance},
    ExpandRow{ops::Mish, unary<decompose::mish>},
    ExpandRow{ops::ReduceL1, reduce_l1},
    ExpandRow{ops::ReduceLogSum, reduce_log_sum},
    ExpandRow{ops::ReduceLogSumExp, reduce_log_sum_exp},
    ExpandRow{ops::Selu, selu},
    ExpandRow{ops::Shrink, shrink},
    ExpandRow{ops::Softplus, unary<decompose::softplus>},
    ExpandRow{ops::Softsign, unary<decompose::softsign>},
    ExpandRow{ops::ThresholdedRelu, thresholded_relu},
};
constexpr std::array left_table{ExpandRow{ops::Atan, unary<decompose::atan>}, ExpandRow{ops::Mod, truncated_remainder},
                                ExpandRow{ops::Xor, exclusive_or}};

}  // namespace

std::span<const ExpandRow> expand_function_rows() { return table; }
std::span<const ExpandRow> expand_left_rows() { return left_table; }

}  // namespace quern::tflite_format
