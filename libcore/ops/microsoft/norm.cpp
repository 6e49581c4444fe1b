// Layer normalization fused with additions and embeddings.
#include <algorithm>

#include "libcore/ops/microsoft/contrib.h"
#include "libcore/ops/shared/norm.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

void need_count(const Tensor& tensor, int64_t count, std::string_view what) {
    if (tensor.count() != count) throw bad_input("{} has {} numbers, need {}", what, tensor.count(), count);
}

// The mean of squares less mean^2, or with `centre` off the mean square with mean 0.
template <class T>
LineMoments line_moments(std::span<const T> line, bool centre) {
    if (centre) return moments_of(line);
    LineMoments m;
    for (const T x : line) m.variance += static_cast<double>(x) * x;
    if (!line.empty()) m.variance /= static_cast<double>(line.size());
    return m;
}

// Statistics of each line, given out if asked for.
struct Statistics {
    std::vector<float> mean, inverse;
};

// y = (x - mean) * inverse * scale + bias for lines of `columns`; bias may be empty.
template <class T>
Statistics normalize_lines(std::span<const T> x, std::span<const T> scale, std::span<const T> bias, double epsilon, bool centre,
                           std::span<T> y) {
    Statistics statistics;
    const size_t columns = scale.size();
    for (size_t start = 0; columns > 0 && start < x.size(); start += columns) {
        const auto line = x.subspan(start, columns);
        const LineMoments m = line_moments(line, centre);
        const double inverse = 1 / std::sqrt(m.variance + epsilon);
        for (size_t i = 0; i < columns; ++i) {
            const T made = static_cast<T>((line[i] - m.mean) * inverse) * scale[i];
            y[start + i] = bias.empty() ? made : made + bias[i];
        }
        statistics.mean.push_back(static_cast<float>(m.mean));
        statistics.inverse.push_back(static_cast<float>(inverse));
    }
    return statistics;
}

template <class T>
std::vector<T> numbers_of(const Tensor* tensor) {
    if (!tensor) return {};
    const Numbers<T> items(*tensor);
    return {items.span().begin(), items.span().end()};
}

Dims line_dims(Dims dims) {
    if (!dims.empty()) dims.back() = 1;
    return dims;
}

Shape line_shape(Shape shape) {
    if (shape.ranked && shape.rank() > 0) shape.dims.back() = Dim::of(1);
    return shape;
}

}  // namespace

// ---- SimplifiedLayerNormalization --------------------------------------------------------------------------------------------------

void infer_simplified_layer_norm(InferCtx& ctx) {
    infer_same(ctx);
    Shape shape = ctx.shape(0);
    if (shape.ranked)
        std::fill(shape.dims.begin() + static_cast<int64_t>(normal_axis(ctx.integer("axis"), shape.rank())), shape.dims.end(), Dim::of(1));
    ctx.set(1, Type::tensor(DType::f32, std::move(shape)));
}

void eval_simplified_layer_norm(EvalCtx& ctx) {
    const Tensor &data = ctx.need(0), &scale = ctx.need(1);
    const size_t axis = normal_axis(ctx.integer("axis"), data.dims.size());
    need_count(scale, count_of(std::span(data.dims).subspan(axis)), "scale");
    Statistics statistics;
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(data), factor(scale);
        NumbersOut<T> y(ctx, 0, data.dtype, data.dims);
        statistics = normalize_lines<T>(x.span(), factor.span(), {}, ctx.real("epsilon"), false, y.span());
    });
    Dims dims = data.dims;
    std::fill(dims.begin() + static_cast<int64_t>(axis), dims.end(), 1);
    if (ctx.wants(1)) ctx.give(1, Tensor::make<float>(dims, statistics.inverse));
}

// ---- SkipLayerNormalization ----------------------------------------------------------------------------------------------------------

void infer_skip_layer_norm(InferCtx& ctx) {
    infer_same(ctx);
    ctx.set(1, Type::tensor(DType::f32, line_shape(ctx.shape(0))));
    ctx.set(2, Type::tensor(DType::f32, line_shape(ctx.shape(0))));
    ctx.set(3, ctx.in(0));
}

namespace {

// `bias_at`: the input that is added with the skip, after the normalization's own parameters.
void eval_skip(EvalCtx& ctx, bool centre, size_t bias_at) {
    const Tensor &data = ctx.need(0), &skip = ctx.need(1), &gamma = ctx.need(2);
    const Tensor *beta = centre ? ctx.in(3) : nullptr, *bias = ctx.in(bias_at);
    const int64_t columns = data.dims.empty() ? 0 : data.dims.back();
    if (broadcast(skip.dims, data.dims) != data.dims) throw bad_input("skip is {}, need {}", to_string(skip.dims), to_string(data.dims));
    need_count(gamma, columns, "gamma");
    if (beta) need_count(*beta, columns, "beta");
    if (bias) need_count(*bias, columns, "bias");
    Statistics statistics;
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(data), other(skip);
        const BroadcastIndex at(skip.dims, data.dims);
        const auto shift = numbers_of<T>(bias), scale = numbers_of<T>(&gamma), after = numbers_of<T>(beta);
        std::vector<T> sum(x.size());
        for (size_t i = 0; i < sum.size(); ++i) sum[i] = x[i] + other[at(i)] + (shift.empty() ? T{0} : shift[i % shift.size()]);
        NumbersOut<T> y(ctx, 0, data.dtype, data.dims);
        statistics = normalize_lines<T>(sum, scale, after, ctx.real("epsilon"), centre, y.span());
        if (!ctx.wants(3)) return;
        NumbersOut<T> sums(ctx, 3, data.dtype, data.dims);
        std::copy(sum.begin(), sum.end(), sums.span().begin());
    });
    if (ctx.wants(1)) ctx.give(1, Tensor::make<float>(line_dims(data.dims), statistics.mean));
    if (ctx.wants(2)) ctx.give(2, Tensor::make<float>(line_dims(data.dims), statistics.inverse));
}

}  // namespace

void eval_skip_layer_norm(EvalCtx& ctx) { eval_skip(ctx, true, 4); }
void eval_skip_simplified_layer_norm(EvalCtx& ctx) { eval_skip(ctx, false, 3); }

// ---- EmbedLayerNormalization -----------------------------------------------------------------------------------------------------------

void infer_embed_layer_norm(InferCtx& ctx) {
    const Shape &ids = ctx.shape(0), &words = ctx.shape(2);
    if (ids.ranked && ids.rank() != 2) throw bad_input("input 0 is {}, need rank 2", to_string(ids));
    const Dim batch = ids.ranked ? ids.dims[0] : Dim(), length = ids.ranked ? ids.dims[1] : Dim(),
              columns = words.rank() == 2 ? words.dims[1] : Dim();
    const Type embedded = Type::tensor(ctx.dtype(2), Shape::of_dims({batch, length, columns}));
    ctx.set(0, embedded);
    ctx.set(1, Type::tensor(DType::i32, Shape::of_dims({batch})));
    ctx.set(2, embedded);
}

namespace {

// Adds row ids[i] of a table to line i.
template <class T>
void add_rows(std::vector<T>& lines, const Tensor& table, std::span<const int64_t> ids, int64_t columns, std::string_view what) {
    if (table.dims.size() != 2 || table.dims[1] != columns)
        throw bad_input("{} table is {}, need [*,{}]", what, to_string(table.dims), columns);
    const Numbers<T> items(table);
    for (size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] < 0 || ids[i] >= table.dims[0]) throw bad_input("{} {} is outside of the table's {}", what, ids[i], table.dims[0]);
        for (int64_t c = 0; c < columns; ++c)
            lines[i * static_cast<size_t>(columns) + static_cast<size_t>(c)] += items[static_cast<size_t>(ids[i] * columns + c)];
    }
}

std::vector<int64_t> positions_of(EvalCtx& ctx, const Dims& dims) {
    const size_t length = static_cast<size_t>(dims[1]), count = static_cast<size_t>(count_of(dims));
    std::vector<int64_t> stated, positions(count);
    if (ctx.in(8)) stated = to_ints(*ctx.in(8));
    if (ctx.in(8) && stated.size() != length && stated.size() != count)
        throw bad_input("there are {} position ids, need {}", stated.size(), count);
    for (size_t i = 0; i < count; ++i) positions[i] = stated.empty() ? static_cast<int64_t>(i % length) : stated[i % stated.size()];
    return positions;
}

// How many tokens of each batch row the mask lets through; 0 without a mask.
Tensor mask_index(EvalCtx& ctx, const Dims& dims) {
    std::vector<int32_t> counts(static_cast<size_t>(dims[0]), 0);
    if (const Tensor* mask = ctx.in(7)) {
        if (mask->dims != dims) throw bad_input("mask is {}, need {}", to_string(mask->dims), to_string(dims));
        const auto items = to_ints(*mask);
        for (size_t i = 0; i < items.size(); ++i) counts[i / static_cast<size_t>(dims[1])] += items[i] == 1;
    }
    return Tensor::vector<int32_t>(counts);
}

}  // namespace

void eval_embed_layer_norm(EvalCtx& ctx) {
    const Dims dims = ctx.need(0).dims;
    const Tensor &words = ctx.need(2), &gamma = ctx.need(5), &beta = ctx.need(6);
    if (dims.size() != 2 || words.dims.size() != 2)
        throw bad_input("input 0 is {} and 2 {}, need rank 2", to_string(dims), to_string(words.dims));
    const int64_t columns = words.dims[1];
    need_count(gamma, columns, "gamma");
    need_count(beta, columns, "beta");
    with_float(words.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Dims out_dims{dims[0], dims[1], columns};
        std::vector<T> lines(static_cast<size_t>(count_of(out_dims)), T{0});
        add_rows(lines, words, to_ints(ctx.need(0)), columns, "word id");
        add_rows(lines, ctx.need(3), positions_of(ctx, dims), columns, "position id");
        if (ctx.in(1) && ctx.in(4)) {
            if (ctx.in(1)->dims != dims) throw bad_input("segment ids are {}, need {}", to_string(ctx.in(1)->dims), to_string(dims));
            add_rows(lines, *ctx.in(4), to_ints(*ctx.in(1)), columns, "segment id");
        }
        const Numbers<T> scale(gamma), shift(beta);
        NumbersOut<T> y(ctx, 0, words.dtype, out_dims);
        normalize_lines<T>(lines, scale.span(), shift.span(), ctx.real("epsilon"), true, y.span());
        if (!ctx.wants(2)) return;
        NumbersOut<T> sums(ctx, 2, words.dtype, out_dims);
        std::copy(lines.begin(), lines.end(), sums.span().begin());
    });
    if (ctx.wants(1)) ctx.give(1, mask_index(ctx, dims));
}

}  // namespace quern
