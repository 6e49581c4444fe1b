// Products of matrices, in float and of codes.
#include <algorithm>
#include <cmath>

#include "libcore/opencl/product.h"

namespace quern::opencl {
namespace {

constexpr int32_t rows_an_item = 4;
constexpr size_t min_for_blas = 64ull * 64 * 64;  // multiplications: below, its copies cost more

// y[batch..., m, n] = alpha * a * b + beta * c
struct Product {
    const Value *a = nullptr, *b = nullptr, *c = nullptr;
    int32_t a_id = none, b_id = none, c_id = none;
    int64_t m = 0, n = 0, k = 0;
    int64_t a_row = 0, a_step = 0, b_step = 0, b_column = 0;
    float alpha = 1, beta = 1;
    Dims batch, a_batch, b_batch;  // lengths, and the steps of both
    int64_t batches() const { return count_of(batch); }
};

Product product_of_matmul(Lowering& to, const Node& node) {
    to.need_operands(node, 2, 2);
    Product p;
    p.a = &to.in(node, 0), p.b = &to.in(node, 1);
    p.a_id = node.inputs[0], p.b_id = node.inputs[1];
    Dims a = p.a->dims, b = p.b->dims;
    if (a.empty() || b.empty()) throw broken("node \"{}\" multiplies a scalar", node.name);
    const bool row = a.size() == 1, column = b.size() == 1;
    if (row) a.insert(a.begin(), 1);
    if (column) b.push_back(1);
    p.m = a[a.size() - 2], p.k = a.back(), p.n = b.back();
    if (b[b.size() - 2] != p.k) throw broken("node \"{}\" multiplies {} and {}", node.name, text_of(p.a->dims), text_of(p.b->dims));
    p.a_row = p.k, p.a_step = 1, p.b_step = p.n, p.b_column = 1;
    const Dims a_outer(a.begin(), a.end() - 2), b_outer(b.begin(), b.end() - 2);
    p.batch = broadcast(a_outer, b_outer);
    p.a_batch = broadcast_steps(a_outer, p.batch), p.b_batch = broadcast_steps(b_outer, p.batch);
    for (int64_t& step : p.a_batch) step *= p.m * p.k;
    for (int64_t& step : p.b_batch) step *= p.k * p.n;
    Dims out = p.batch;
    if (!row) out.push_back(p.m);
    if (!column) out.push_back(p.n);
    to.need_dims(node, out);
    // Rows of all batches beside one matrix are rows of one product.
    if (b_outer.empty() || count_of(b_outer) == 1) {
        p.m *= count_of(p.batch);
        p.batch.clear(), p.a_batch.clear(), p.b_batch.clear();
    }
    return p;
}

Product product_of_gemm(Lowering& to, const Node& node) {
    to.need_operands(node, 2, 3);
    Product p;
    p.a = &to.in(node, 0), p.b = &to.in(node, 1);
    p.a_id = node.inputs[0], p.b_id = node.inputs[1];
    if (node.has_input(2)) p.c = &to.in(node, 2), p.c_id = node.inputs[2];
    if (p.a->dims.size() != 2 || p.b->dims.size() != 2)
        throw broken("node \"{}\" multiplies {} and {}", node.name, text_of(p.a->dims), text_of(p.b->dims));
    const bool turned_a = node.integer("transA", 0) != 0, turned_b = node.integer("transB", 0) != 0;
    p.m = p.a->dims[turned_a ? 1 : 0], p.k = p.a->dims[turned_a ? 0 : 1], p.n = p.b->dims[turned_b ? 0 : 1];
    if (p.b->dims[turned_b ? 1 : 0] != p.k)
        throw broken("node \"{}\" multiplies {} and {}", node.name, text_of(p.a->dims), text_of(p.b->dims));
    p.a_row = turned_a ? 1 : p.k, p.a_step = turned_a ? p.m : 1;
    p.b_step = turned_b ? 1 : p.n, p.b_column = turned_b ? p.k : 1;
    p.alpha = node.real("alpha", 1), p.beta = node.real("beta", 1);
    to.need_dims(node, {p.m, p.n});
    return p;
}

Product product_of(Lowering& to, const Node& node) { return node.op == "Gemm" ? product_of_gemm(to, node) : product_of_matmul(to, node); }

std::vector<int32_t> shape_numbers(const Product& p, int64_t c_row, int64_t c_column, int32_t zero_a, int32_t zero_b, float low,
                                   float high) {
    std::vector<int32_t> numbers;
    for (const int64_t x : {p.m, p.n, p.k, p.a_row, p.a_step, p.b_step, p.b_column, c_row, c_column})
        numbers.push_back(static_cast<int32_t>(x));
    numbers.insert(numbers.end(), {p.c ? 1 : 0, zero_a, zero_b, bits(p.alpha), bits(p.beta), bits(low), bits(high)});
    for (size_t i = 0; i < p.batch.size(); ++i)
        for (const int64_t x : {p.batch[i], p.a_batch[i], p.b_batch[i]}) numbers.push_back(static_cast<int32_t>(x));
    return numbers;
}

std::array<size_t, 3> items_of(const Product& p) {
    return {static_cast<size_t>(p.n), static_cast<size_t>((p.m + rows_an_item - 1) / rows_an_item), static_cast<size_t>(p.batches())};
}

// ---- of codes ----

// Scales of b for its columns, as the reference takes them.
void need_integer_form(const Node& node, const Product& p) {
    const Encoding &a = *p.a->encoding, &b = *p.b->encoding;
    if (!a.per_tensor() || bits_of(a.storage) > 16 || bits_of(b.storage) > 16)
        throw refused("its operands are not codes with one scale each");
    const size_t rank = p.b->dims.size();
    const size_t axis = node.op == "Gemm" ? (node.integer("transB", 0) != 0 ? 0 : 1) : rank - 1;
    if (!b.per_tensor() && (rank < 2 || static_cast<size_t>(b.axis) != axis))
        throw refused("the scales of its weights are not those of columns");
    if (!b.per_tensor() && !p.b->constant) throw refused("\"{}\" has several scales", p.b->name);
    if (p.c && (!p.c->constant || p.c->dims.size() > 1)) throw refused("its bias is not one constant a column");
}

// One product beside constant codes of 8 bits without zero points: rows of four.
bool takes_dots(const Product& p, const Operand& a) {
    return p.b->constant && p.batch.empty() && p.a_step == 1 && (a.tag == "s8" || a.tag == "u8") && bits_of(p.b->encoding->storage) <= 8 &&
           p.b->encoding->storage != QUERN_UINT8 && std::ranges::all_of(p.b->encoding->zero, [](int64_t zero) { return zero == 0; });
}

std::vector<std::byte> packed_columns(const Product& p) {
    const std::vector<int64_t> codes = codes_of(*p.b);
    const auto depth = static_cast<size_t>(p.k + 3) / 4 * 4;
    std::vector<std::byte> out(static_cast<size_t>(p.n) * depth);
    for (size_t n = 0; n < static_cast<size_t>(p.n); ++n)
        for (size_t k = 0; k < static_cast<size_t>(p.k); ++k)
            out[n * depth + k] = static_cast<std::byte>(codes[k * static_cast<size_t>(p.b_step) + n * static_cast<size_t>(p.b_column)]);
    return out;
}

// What the zero point of a takes of each column's sum.
std::vector<int64_t> column_shifts(const Product& p) {
    const std::vector<int64_t> codes = codes_of(*p.b);
    std::vector<int64_t> out(static_cast<size_t>(p.n));
    for (size_t n = 0; n < out.size(); ++n)
        for (size_t k = 0; k < static_cast<size_t>(p.k); ++k)
            out[n] -= p.a->encoding->zero[0] * codes[k * static_cast<size_t>(p.b_step) + n * static_cast<size_t>(p.b_column)];
    return out;
}

void lower_codes(Lowering& to, const Node& node, const Product& p) {
    need_integer_form(node, p);
    const Encoding &ea = *p.a->encoding, &eb = *p.b->encoding;
    if (!eb.per_tensor() && std::ranges::any_of(eb.zero, [&](int64_t zero) { return zero != eb.zero[0]; }))
        throw refused("its columns have zero points of their own");
    const SumResult result = sum_result(to, node);
    const bool wide = bits_of(ea.storage) + bits_of(eb.storage) > 16;
    const Operand a = to.stored(p.a_id);
    const auto channels = static_cast<size_t>(p.n);
    const std::vector<float> scales = product_scales(ea, eb, channels);
    const Operand d = factors(to, scales, result.y);
    const Value* c = p.c;
    if (!wide && takes_dots(p, a)) {
        const auto depth = static_cast<size_t>(p.k + 3) / 4 * 4;
        const Operand b = to.constant("s8", {p.n, static_cast<int64_t>(depth)}, channels * depth, [p] { return packed_columns(p); });
        const Operand added = biases(to, c, scales, wide, [p] { return column_shifts(p); });
        const std::string_view dot = a.tag == "s8" ? "dot_4x8packed_ss_int" : "dot_4x8packed_us_int";
        to.add(node, "dots", result.y, {a, b, added, d}, fmt::format("{} -DROWS={} -DDOT4={}", result.options(wide), rows_an_item, dot),
               {static_cast<int32_t>(p.m), static_cast<int32_t>(p.n), static_cast<int32_t>(p.k), static_cast<int32_t>(depth)}, items_of(p));
        return;
    }
    const Operand added = biases(to, c, scales, wide, {});
    to.add(node, "matmul", result.y, {a, to.stored(p.b_id), added, d},
           fmt::format("{} -DROWS={} -DBATCH={}", result.options(wide), rows_an_item, p.batch.size()),
           shape_numbers(p, 0, 1, static_cast<int32_t>(ea.zero[0]), static_cast<int32_t>(eb.zero[0]), 0, 0), items_of(p));
}

// ---- in float ----

// One step from matrix to matrix for all batches.
bool even_steps(const Product& p) { return joined(p.batch, {p.a_batch, p.b_batch}).lengths.size() <= 1; }

bool takes_blas(const Lowering& to, const Product& p, const Operand& y, const Operand& a, const Operand& b) {
    return to.abilities.blas && y.tag == "f32" && a.tag == "f32" && b.tag == "f32" && p.a_step == 1 && !p.c &&
           static_cast<size_t>(p.m * p.n) * static_cast<size_t>(p.k) >= min_for_blas && p.m > 1 && p.n > 1 && even_steps(p);
}

void lower_real(Lowering& to, const Node& node, const Product& p) {
    const Operand a = to.real(p.a_id, *p.a), b = to.real(p.b_id, *p.b);
    float low = 0, high = 0;
    const Node* behind = to.net.integer ? nullptr : activation_behind(to, node, low, high);
    if (!behind) activation_limits(to.net, Node{.op = "Clip"}, low, high);
    const Operand y = to.result(behind ? *behind : node);
    if (y.coded) throw refused("codes of a product of real numbers");
    if (behind) to.take(*behind);
    int64_t c_row = 0, c_column = 0;
    Operand c = a;  // not read
    if (p.c) {
        c = to.real(p.c_id, *p.c);
        const Dims steps = broadcast_steps(p.c->dims, {p.m, p.n});
        c_row = steps[0], c_column = steps[1];
    }
    if (y.count() == 0) return;
    Step& step = to.add(node, "matmul", y, {a, b, c}, fmt::format("-DROWS={} -DBATCH={}", rows_an_item, p.batch.size()),
                        shape_numbers(p, c_row, c_column, 0, 0, low, high), items_of(p));
    if (!behind && takes_blas(to, p, y, a, b)) {
        const Walk walk = joined(p.batch, {p.a_batch, p.b_batch});
        const auto of = [&](size_t i) { return walk.lengths.empty() ? 0 : static_cast<size_t>(walk.steps[i][0]); };
        step.blas = BlasProduct{static_cast<size_t>(p.m),
                                static_cast<size_t>(p.n),
                                static_cast<size_t>(p.k),
                                static_cast<size_t>(p.batches()),
                                p.b_step == 1 && p.n > 1,
                                p.alpha,
                                {of(0), of(1), static_cast<size_t>(p.m * p.n)}};
    }
}

void lower_product(Lowering& to, const Node& node) {
    to.need_one_result(node);
    const Product p = product_of(to, node);
    if (p.m * p.n * p.batches() == 0 && p.k == 0) throw refused("there is nothing in it");
    const bool codes = to.net.integer && p.a->encoding && p.b->encoding && p.alpha == 1 && p.beta == 1;
    codes ? lower_codes(to, node, p) : lower_real(to, node, p);
}

constexpr OpRow table[] = {{"MatMul", lower_product}, {"Gemm", lower_product}};

}  // namespace

std::span<const OpRow> product_rows() { return table; }

// ---- sums of codes, of convolutions, too ----

SumResult sum_result(Lowering& to, const Node& node) {
    float low = 0, high = 0;
    const Node* behind = activation_behind(to, node, low, high);
    if (behind && !to.out(*behind).encoding) behind = nullptr;
    SumResult out{to.result(behind ? *behind : node)};
    if (!behind) return out;
    to.take(*behind);
    const Operand grid = out.y;
    out.y.low = code_of(low, grid.scale, grid.zero, grid.low, grid.high);
    out.y.high = code_of(high, grid.scale, grid.zero, grid.low, grid.high);
    return out;
}

std::string SumResult::options(bool wide) const {
    return fmt::format("-DINTEGER -DACC={} -DCODED={}", wide ? "long" : "int", y.coded ? 1 : 0);
}

std::vector<float> product_scales(const Encoding& x, const Encoding& w, size_t channels) {
    std::vector<float> scales = w.scale;
    for (float& scale : scales) scale = x.scale[0] * scale;
    if (scales.size() != 1 && scales.size() != channels) throw broken("{} scales for {} channels", scales.size(), channels);
    scales.resize(channels, scales[0]);
    return scales;
}

Operand factors(Lowering& to, const std::vector<float>& scales, const Operand& y) {
    std::vector<float> factors = scales;
    if (y.coded)
        for (float& factor : factors) factor = factor / y.scale;
    return to.constant("f32", {static_cast<int64_t>(factors.size())}, factors.size() * sizeof(float),
                       [factors] { return bytes_of_items(factors); });
}

namespace {

template <class T>
const T& of_channel(const std::vector<T>& items, size_t channel) {
    return items[items.size() == 1 ? 0 : channel];
}

// Is the bias in codes of the sums already?
bool has_scales(const Encoding& encoding, const std::vector<float>& scales) {
    if (encoding.storage != QUERN_INT32 && encoding.storage != QUERN_INT64) return false;
    if (std::ranges::any_of(encoding.zero, [](int64_t zero) { return zero != 0; })) return false;
    for (size_t i = 0; i < scales.size(); ++i)
        if (of_channel(encoding.scale, i) != scales[i]) return false;
    return true;
}

// In codes of the product's scales, as the reference has them (docs/numerics.md).
std::vector<int64_t> bias_codes(const Value& bias, const std::vector<float>& scales, bool wide) {
    std::vector<int64_t> out(scales.size());
    if (bias.encoding && has_scales(*bias.encoding, scales)) {
        const std::vector<int64_t> codes = codes_of(bias);
        for (size_t i = 0; i < out.size(); ++i) out[i] = of_channel(codes, i);
        return out;
    }
    const std::vector<float> numbers = numbers_of(bias);
    const bool by_codes = bias.encoding && std::ranges::all_of(bias.encoding->zero, [](int64_t zero) { return zero == 0; });
    const std::vector<int64_t> codes = wide && by_codes ? codes_of(bias) : std::vector<int64_t>();
    for (size_t i = 0; i < out.size(); ++i) {
        if (wide) {
            const double real = codes.empty()
                                    ? static_cast<double>(of_channel(numbers, i))
                                    : static_cast<double>(of_channel(codes, i)) * static_cast<double>(of_channel(bias.encoding->scale, i));
            const double code = real / static_cast<double>(scales[i]);
            out[i] = std::isnan(code) ? 0 : static_cast<int64_t>(std::nearbyint(std::clamp(code, -4.0e18, 4.0e18)));
            continue;
        }
        const float rounded = std::rint(of_channel(numbers, i) / scales[i]);
        out[i] = std::isnan(rounded)    ? 0
                 : !(rounded > -3.0e9f) ? INT32_MIN
                 : rounded > 3.0e9f     ? INT32_MAX
                                        : std::clamp<int64_t>(static_cast<int64_t>(rounded), INT32_MIN, INT32_MAX);
    }
    return out;
}

}  // namespace

Operand biases(Lowering& to, const Value* bias, const std::vector<float>& scales, bool wide, std::function<std::vector<int64_t>()> shifts) {
    if (bias && count_of(bias->dims) != 1 && count_of(bias->dims) != static_cast<int64_t>(scales.size()))
        throw broken("bias \"{}\" is {} for {} channels", bias->name, text_of(bias->dims), scales.size());
    const auto make = [bias, scales, wide, shifts = std::move(shifts)] {
        std::vector<int64_t> sums = bias ? bias_codes(*bias, scales, wide) : std::vector<int64_t>(scales.size());
        if (shifts) {
            const std::vector<int64_t> more = shifts();
            for (size_t i = 0; i < sums.size(); ++i)
                sums[i] = static_cast<int64_t>(static_cast<uint64_t>(sums[i]) + static_cast<uint64_t>(more[i]));
        }
        if (wide) return bytes_of_items(sums);
        std::vector<int32_t> narrow(sums.size());
        for (size_t i = 0; i < sums.size(); ++i) narrow[i] = static_cast<int32_t>(sums[i]);
        return bytes_of_items(narrow);
    };
    return to.constant(wide ? "i64" : "i32", {static_cast<int64_t>(scales.size())}, scales.size() * (wide ? 8 : 4), make);
}

}  // namespace quern::opencl
