// Normalizations by norms, by neighbouring channels and over free axes.
#include <fmt/format.h>

#include <array>

#include "libcore/codegen/c/emit.h"
#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"

namespace quern::cgen {
namespace {

void emit_lp_normalization(Emit& e) {
    const std::string type(e.real_in_type(0));
    const Dims& dims = e.in_dims(0);
    const size_t axis = normal_axis(e.view.integer("axis"), dims.size());
    const int64_t step = strides_of(dims)[axis], length = dims[axis];
    const bool plain = e.view.integer("p") == 1;
    Words words{{"A", type}, {"each", plain ? "(u < 0 ? -u : u)" : "u * u"}, {"norm", plain ? "sum" : "@sqrtf@(sum)"}};
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

constexpr std::array rows{
    EmitRow{Kind::real, "LpNormalization", emit_lp_normalization},
    EmitRow{Kind::real, "LRN", emit_lrn},
    EmitRow{Kind::real, "MeanVarianceNormalization", emit_mean_variance},
};

}  // namespace

std::span<const EmitRow> norm_rows() { return rows; }

}  // namespace quern::cgen
