// Einsum and Det.
#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/ops/shared/cost.h"
#include "libcore/ops/shared/matmul.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

// Indices of an equation: letters, and the dims of an ellipsis as -1 (its last dim), -2 and so on.
using Labels = std::vector<int>;

struct Equation {
    std::vector<Labels> in;
    Labels out;
};

Labels labels_of(std::string_view term, size_t ellipsis) {
    Labels labels;
    for (size_t i = 0; i < term.size(); ++i) {
        const char c = term[i];
        if (c == ' ') continue;
        if (c == '.') {
            if (term.substr(i, 3) != "...") throw bad_input("equation term \"{}\" has a lone dot", escape(term));
            for (size_t d = ellipsis; d > 0; --d) labels.push_back(-static_cast<int>(d));
            i += 2;
        } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
            labels.push_back(c);
        } else {
            throw bad_input("equation term \"{}\" has an invalid character", escape(term));
        }
    }
    return labels;
}

// How many dims the ellipsis of a term stands for in an operand of `rank`; 0 without one.
size_t ellipsis_of(std::string_view term, size_t rank) {
    const size_t dots = term.find("...");
    if (dots == std::string_view::npos) return 0;
    if (term.find("...", dots + 3) != std::string_view::npos) throw bad_input("equation term \"{}\" has two ellipses", escape(term));
    const size_t letters = static_cast<size_t>(std::count_if(term.begin(), term.end(), [](char c) { return c != '.' && c != ' '; }));
    if (letters > rank) throw bad_input("equation term \"{}\" does not fit rank {}", escape(term), rank);
    return rank - letters;
}

// Without "->": the ellipsis first, then every letter that occurs once, sorted.
Labels implied_output(const std::vector<Labels>& in) {
    std::map<int, int> seen;
    for (const Labels& term : in)
        for (const int label : term) ++seen[label];
    Labels out;
    for (const auto& [label, count] : seen)
        if (label < 0 || count == 1) out.push_back(label);
    return out;
}

Equation parse(const NodeView& node, std::span<const size_t> ranks) {
    const std::string text = node.text("equation");
    const size_t arrow = text.find("->");
    std::vector<std::string> terms{""};
    for (const char c : text.substr(0, arrow)) c == ',' ? terms.emplace_back() : terms.back() += c;
    if (terms.size() != ranks.size())
        throw bad_input("equation \"{}\" has {} terms for {} inputs", escape(text), terms.size(), ranks.size());
    size_t widest = 0;
    Equation equation;
    for (size_t i = 0; i < terms.size(); ++i) {
        const size_t ellipsis = ellipsis_of(terms[i], ranks[i]);
        widest = std::max(widest, ellipsis);
        equation.in.push_back(labels_of(terms[i], ellipsis));
        if (equation.in.back().size() != ranks[i]) throw bad_input("equation term \"{}\" does not fit rank {}", escape(terms[i]), ranks[i]);
    }
    equation.out = arrow == std::string::npos ? implied_output(equation.in) : labels_of(std::string_view(text).substr(arrow + 2), widest);
    for (auto at = equation.out.begin(); at != equation.out.end(); ++at) {
        const bool known = std::any_of(equation.in.begin(), equation.in.end(),
                                       [&](const Labels& term) { return std::count(term.begin(), term.end(), *at); });
        if (!known || std::count(equation.out.begin(), at, *at))
            throw bad_input("the output of equation \"{}\" has a wrong index", escape(text));
    }
    return equation;
}

// ---- evaluation ----------------------------------------------------------------------------------------------------------------

// The loops of an equation: output indices first, summed ones after them, with each operand's stride along every loop.
struct Loops {
    Dims lengths;
    size_t out_loops;
    std::vector<Dims> strides;  // [operand][loop]
};

Loops loops_of(const Equation& equation, std::span<const Dims> dims) {
    std::map<int, int64_t> lengths;
    for (size_t i = 0; i < dims.size(); ++i)
        for (size_t d = 0; d < dims[i].size(); ++d) {
            int64_t& length = lengths.try_emplace(equation.in[i][d], 1).first->second;
            if (length == 1) length = dims[i][d];
            if (length != dims[i][d] && dims[i][d] != 1)
                throw bad_input("an index of the equation has lengths {} and {}", length, dims[i][d]);
        }
    Labels order = equation.out;
    for (const auto& [label, length] : lengths)
        if (!std::count(order.begin(), order.end(), label)) order.push_back(label);
    Loops loops;
    loops.out_loops = equation.out.size();
    for (const int label : order) loops.lengths.push_back(lengths[label]);
    for (size_t i = 0; i < dims.size(); ++i) {
        const auto strides = strides_of(dims[i]);
        Dims& steps = loops.strides.emplace_back(order.size(), 0);
        for (size_t d = 0; d < dims[i].size(); ++d)  // a repeated index walks the diagonal
            if (dims[i][d] != 1)
                steps[static_cast<size_t>(std::find(order.begin(), order.end(), equation.in[i][d]) - order.begin())] += strides[d];
    }
    return loops;
}

// Moves `at` and the operands' positions to the next point of loops [begin, end); false when they are through.
bool step(const Loops& loops, Dims& at, Dims& positions, size_t begin, size_t end) {
    for (size_t l = end; l-- > begin;) {
        const bool on = ++at[l] < loops.lengths[l];
        for (size_t i = 0; i < positions.size(); ++i)
            positions[i] += on ? loops.strides[i][l] : loops.strides[i][l] * (1 - loops.lengths[l]);
        if (on) return true;
        at[l] = 0;
    }
    return false;
}

// Integers wrap: they are multiplied and summed unsigned.
template <class T>
using Wrapping = std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>;

template <class T>
void sum_products(const Loops& loops, std::span<const Numbers<T>> in, std::span<T> out) {
    Dims at(loops.lengths.size(), 0), positions(in.size(), 0);
    const bool empty_sum = std::count(loops.lengths.begin() + static_cast<int64_t>(loops.out_loops), loops.lengths.end(), 0) > 0;
    for (T& item : out) {
        Wrapping<T> sum = 0;
        if (!empty_sum) do {
                auto product = static_cast<Wrapping<T>>(in[0][static_cast<size_t>(positions[0])]);
                for (size_t i = 1; i < in.size(); ++i) product *= static_cast<Wrapping<T>>(in[i][static_cast<size_t>(positions[i])]);
                sum += product;
            } while (step(loops, at, positions, loops.out_loops, at.size()));
        item = static_cast<T>(sum);
        step(loops, at, positions, 0, loops.out_loops);
    }
}

}  // namespace

void infer_einsum(InferCtx& ctx) {
    std::vector<size_t> ranks;
    for (size_t i = 0; i < ctx.in_count(); ++i) {
        if (!ctx.shape(i).ranked) return ctx.set(0, Type::tensor(ctx.dtype(0)));
        ranks.push_back(ctx.shape(i).rank());
    }
    const Equation equation = parse(ctx, ranks);
    std::map<int, Dim> lengths;
    for (size_t i = 0; i < ranks.size(); ++i)
        for (size_t d = 0; d < ranks[i]; ++d) {
            const Dim& dim = ctx.shape(i).dims[d];
            const auto [found, fresh] = lengths.try_emplace(equation.in[i][d], dim);
            if (!fresh && (found->second == Dim::of(1) || (dim.known() && dim.value != 1))) found->second = dim;
        }
    Shape out = Shape::of_rank(0);
    for (const int label : equation.out) out.dims.push_back(lengths.at(label));
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(out)));
}

void eval_einsum(EvalCtx& ctx) {
    std::vector<Dims> dims;
    std::vector<size_t> ranks;
    for (size_t i = 0; i < ctx.in_count(); ++i) {
        if (ctx.need(i).dtype != ctx.need(0).dtype) throw bad_input("inputs differ in type");
        dims.push_back(ctx.need(i).dims);
        ranks.push_back(dims.back().size());
    }
    const Loops loops = loops_of(parse(ctx, ranks), dims);
    const Dims out_dims(loops.lengths.begin(), loops.lengths.begin() + static_cast<int64_t>(loops.out_loops));
    with_arithmetic(ctx.need(0).dtype, [&](auto zero) {
        using T = decltype(zero);
        std::vector<Numbers<T>> in;
        in.reserve(ranks.size());
        for (size_t i = 0; i < ranks.size(); ++i) in.emplace_back(ctx.need(i));
        NumbersOut<T> out(ctx, 0, ctx.need(0).dtype, out_dims);
        sum_products<T>(loops, in, out.span());
    });
}

Cost einsum_cost(const CostCtx& ctx) {
    std::vector<size_t> ranks;
    for (const Dims& dims : ctx.in) ranks.push_back(dims.size());
    const Loops loops = loops_of(parse(NodeView(ctx.node), ranks), ctx.in);
    return {elements(loops.lengths), moved_bytes(ctx)};
}

// ---- Det -----------------------------------------------------------------------------------------------------------------------

void infer_det(InferCtx& ctx) {
    Shape shape = ctx.shape(0);
    if (shape.ranked && shape.rank() < 2) throw bad_input("input 0 is {}, need square matrices", to_string(shape));
    if (shape.ranked) shape.dims.resize(shape.rank() - 2);
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(shape)));
}

namespace {

// Gaussian elimination with partial pivoting, in double.
double determinant(std::vector<double> m, size_t n) {
    double det = 1;
    for (size_t c = 0; c < n; ++c) {
        size_t pivot = c;
        for (size_t r = c + 1; r < n; ++r)
            if (std::abs(m[r * n + c]) > std::abs(m[pivot * n + c])) pivot = r;
        if (m[pivot * n + c] == 0) return 0;
        if (pivot != c) {
            std::swap_ranges(m.begin() + static_cast<int64_t>(pivot * n), m.begin() + static_cast<int64_t>((pivot + 1) * n),
                             m.begin() + static_cast<int64_t>(c * n));
            det = -det;
        }
        det *= m[c * n + c];
        for (size_t r = c + 1; r < n; ++r) {
            const double factor = m[r * n + c] / m[c * n + c];
            for (size_t k = c; k < n; ++k) m[r * n + k] -= factor * m[c * n + k];
        }
    }
    return det;
}

}  // namespace

void eval_det(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const size_t rank = x.dims.size();
    if (rank < 2 || x.dims[rank - 1] != x.dims[rank - 2]) throw bad_input("input 0 is {}, need square matrices", to_string(x.dims));
    const auto n = static_cast<size_t>(x.dims.back());
    with_float(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<double> in(x);
        NumbersOut<T> out(ctx, 0, x.dtype, Dims(x.dims.begin(), x.dims.end() - 2));
        for (size_t i = 0; i < out.size(); ++i) {
            const auto matrix = in.span().subspan(i * n * n, n * n);
            out[i] = static_cast<T>(determinant(std::vector<double>(matrix.begin(), matrix.end()), n));
        }
    });
}

}  // namespace quern
