// Operators that take elements together: reductions, global pools, softmax, normalizations.
#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/opencl/lowering.h"

namespace quern::opencl {
namespace {

struct Reduction {
    std::string_view op, join, first, finish;
    bool doubles = false;  // of codes: summed in double, in order
};
constexpr Reduction reductions[] = {
    {"ReduceSum", "JOIN_SUM", "0", "FINISH_NONE"},
    {"ReduceMean", "JOIN_SUM", "0", "FINISH_MEAN"},
    {"ReduceMax", "JOIN_MAX", "-INFINITY", "FINISH_NONE"},
    {"ReduceMin", "JOIN_MIN", "INFINITY", "FINISH_NONE"},
    {"GlobalAveragePool", "JOIN_SUM", "0", "FINISH_MEAN", true},
    {"GlobalMaxPool", "JOIN_MAX", "-INFINITY", "FINISH_NONE"},
};

// A result for each place along the dims that are not reduced.
void add_reduction(Lowering& to, const Node& node, const Operand& y, const Operand& x, const std::vector<bool>& reduced) {
    const Reduction& row = *std::ranges::find(reductions, node.op, &Reduction::op);
    const Dims steps = strides_of(x.dims);
    Dims kept, kept_steps, outer, outer_steps;
    int64_t results = 1, each = 1;
    for (size_t i = 0; i < x.dims.size(); ++i) {
        (reduced[i] ? each : results) *= x.dims[i];
        (reduced[i] ? outer : kept).push_back(x.dims[i]);
        (reduced[i] ? outer_steps : kept_steps).push_back(steps[i]);
    }
    if (results != y.count()) throw broken("node \"{}\" makes {} elements, need {}", node.name, y.count(), results);
    if (results == 0) return;
    const Walk over = joined(kept, {kept_steps}), within = joined(outer, {outer_steps});
    Dims lengths = within.lengths, apart = within.steps[0];
    int64_t neighbours = 1;
    if (each == 0) lengths.clear(), apart.clear(), neighbours = 0;
    if (!apart.empty() && apart.back() == 1) neighbours = lengths.back(), lengths.pop_back(), apart.pop_back();
    const bool doubles = row.doubles && y.coded;
    if (doubles) to.need_doubles(y, node.op);
    std::vector<int32_t> numbers{static_cast<int32_t>(results), static_cast<int32_t>(neighbours), static_cast<int32_t>(each)};
    for (size_t i = 0; i < over.lengths.size(); ++i)
        numbers.insert(numbers.end(), {static_cast<int32_t>(over.lengths[i]), static_cast<int32_t>(over.steps[0][i])});
    for (size_t i = 0; i < lengths.size(); ++i)
        numbers.insert(numbers.end(), {static_cast<int32_t>(lengths[i]), static_cast<int32_t>(apart[i])});
    to.add(node, "reduce", y, {x},
           fmt::format("-DJOIN={} -DFIRST={} -DFINISH={} -DKEPT={} -DOUTER={}{}{}", row.join, row.first, row.finish, over.lengths.size(),
                       lengths.size(), doubles ? " -DDOUBLE" : "", doubles || neighbours <= 1 ? " -DIN_ORDER" : ""),
           std::move(numbers), {static_cast<size_t>(results), 1, 1});
}

void lower_reduce(Lowering& to, const Node& node) {
    to.need_operands(node, 1, 2);
    const Operand x = to.real_in(node, 0), y = to.result(node);
    std::vector<int64_t> axes = node.integers("axes");
    if (node.has_input(1)) axes = constant_integers(to, node, 1);
    std::vector<bool> reduced(x.dims.size(), axes.empty() && node.integer("noop_with_empty_axes", 0) == 0);
    for (const int64_t axis : axes) reduced[normal_axis(axis, x.dims.size())] = true;
    add_reduction(to, node, y, x, reduced);
}

// As QLinearGlobalAveragePool has it.
void add_code_mean(Lowering& to, const Node& node, const Operand& y, const Operand& x, bool last) {
    const size_t rank = x.dims.size();
    const int64_t channels = x.dims[last ? rank - 1 : 1], results = x.dims[0] * channels, pixels = x.count() / results;
    if (y.count() != results || pixels > (1 << 23)) throw broken("node \"{}\" makes {} of {}", node.name, text_of(y.dims), text_of(x.dims));
    const float factor = x.scale / (y.scale * static_cast<float>(pixels));
    to.add(node, "code_mean", y, {x}, "",
           {static_cast<int32_t>(results), static_cast<int32_t>(pixels), last ? static_cast<int32_t>(channels) : 1,
            static_cast<int32_t>(last ? channels : 1), bits(factor)},
           {static_cast<size_t>(results), 1, 1});
}

void lower_global_pool(Lowering& to, const Node& node) {
    to.need_operands(node, 1, 1);
    const Operand x = to.real_in(node, 0), y = to.result(node);
    if (x.dims.size() < 3 || x.count() == 0) throw refused("{}", text_of(x.dims));
    const bool last = node.text("layout", "NCHW") == "NHWC";
    if (node.op == "GlobalAveragePool" && are_plain_bytes(y, {x})) return add_code_mean(to, node, y, x, last);
    std::vector<bool> reduced(x.dims.size(), true);
    reduced[0] = reduced[last ? x.dims.size() - 1 : 1] = false;
    add_reduction(to, node, y, x, reduced);
}

// As QLinearSoftmax has it: the greatest code has to reach 1.
bool takes_code_softmax(const Node& node, const Operand& y, const Operand& x) {
    return are_plain_bytes(y, {x}) && node.integer(between_types, 0) == 0 && static_cast<float>(y.high - y.zero) * y.scale > 0.99f;
}

std::vector<std::byte> exponentials(float scale, int64_t length) {
    const double unit = std::min(4294967295.0 / static_cast<double>(length), static_cast<double>(0x7fffff));
    std::vector<uint32_t> table(256);
    for (size_t i = 0; i < table.size(); ++i)
        table[i] = static_cast<uint32_t>(std::lrint(unit * std::exp((static_cast<double>(i) - 255.0) * static_cast<double>(scale))));
    return bytes_of_items(table);
}

void add_code_softmax(Lowering& to, const Node& node, const Operand& y, const Operand& x, int64_t lines, int64_t length, int64_t step) {
    if (!(y.scale > 1e-6f)) throw refused("the scale of its result is {}", y.scale);
    const float scale = x.scale;
    const Operand table = to.constant("i32", {256}, 256 * sizeof(uint32_t), [scale, length] { return exponentials(scale, length); });
    to.add(node, "code_softmax", y, {x, table}, "",
           {static_cast<int32_t>(lines), static_cast<int32_t>(length), static_cast<int32_t>(step),
            static_cast<int32_t>(static_cast<uint32_t>(std::floor(1.0f / y.scale)))},
           {static_cast<size_t>(lines), 1, 1});
}

void lower_softmax(Lowering& to, const Node& node) {
    to.need_operands(node, 1, 1);
    const Operand x = to.real_in(node, 0), y = to.result(node);
    to.need_dims(node, x.dims);
    const Dims dims = x.dims.empty() ? Dims{1} : x.dims;
    const size_t axis = normal_axis(node.integer("axis", -1), dims.size());
    const int64_t length = dims[axis], step = strides_of(dims)[axis];
    if (y.count() == 0) return;
    const int64_t lines = y.count() / length;
    if (node.op == "Softmax" && takes_code_softmax(node, y, x)) return add_code_softmax(to, node, y, x, lines, length, step);
    to.need_doubles(y, node.op);
    to.add(node, "softmax", y, {x}, fmt::format("{}{}", y.coded ? "-DWIDE" : "", node.op == "LogSoftmax" ? " -DLOG" : ""),
           {static_cast<int32_t>(lines), static_cast<int32_t>(length), static_cast<int32_t>(step)}, {static_cast<size_t>(lines), 1, 1});
}

void lower_norm(Lowering& to, const Node& node) {
    const bool rms = node.op == "RMSNormalization";
    to.need_operands(node, 2, rms ? 2 : 3);
    to.need_one_result(node);
    const Operand x = to.real_in(node, 0), scale = to.real_in(node, 1), y = to.result(node);
    to.need_dims(node, x.dims);
    const size_t axis = normal_axis(node.integer("axis", -1), x.dims.size());
    const int64_t size = count_of(std::span(x.dims).subspan(axis)), groups = count_of(std::span(x.dims).first(axis));
    const bool biased = node.has_input(2);
    const Operand bias = biased ? to.real_in(node, 2) : scale;
    if (scale.count() != size || bias.count() != size) throw refused("scale or bias of other dims than what is normalized");
    if (y.count() == 0) return;
    to.need_doubles(y, node.op);
    to.add(node, "norm", y, {x, scale, bias}, fmt::format("{}{}", y.coded ? "-DWIDE" : "", rms ? " -DRMS" : ""),
           {static_cast<int32_t>(groups), static_cast<int32_t>(size), bits(node.real("epsilon", 1e-5f)), biased ? 1 : 0},
           {static_cast<size_t>(groups), 1, 1});
}

// x * factor + added for each channel, of constants.
void lower_batch_norm(Lowering& to, const Node& node) {
    to.need_operands(node, 5, 5);
    to.need_one_result(node);
    const Operand x = to.real_in(node, 0), y = to.result(node);
    to.need_dims(node, x.dims);
    if (y.coded) throw refused("its codes hang on the order of its sums");
    if (node.integer("training_mode", 0) != 0) throw refused("training_mode");
    if (x.dims.size() < 2) throw refused("{}", text_of(x.dims));
    const bool last = node.text("layout", "NCHW") == "NHWC";
    const int64_t channels = x.dims[last ? x.dims.size() - 1 : 1];
    std::array<const Value*, 4> of{};  // scale, bias, mean, variance
    for (size_t i = 0; i < of.size(); ++i) {
        of[i] = &to.in(node, i + 1);
        if (!of[i]->constant) throw refused("input {} is not constant", i + 1);
        if (of[i]->dims != Dims{channels}) throw broken("input {} of node \"{}\" is {}", i + 1, node.name, text_of(of[i]->dims));
    }
    const float epsilon = node.real("epsilon", 1e-5f);
    const auto numbers = [of, epsilon](bool factor) {
        const std::vector<float> scale = numbers_of(*of[0]), bias = numbers_of(*of[1]), mean = numbers_of(*of[2]),
                                 variance = numbers_of(*of[3]);
        std::vector<float> out;
        for (size_t i = 0; i < scale.size(); ++i) {
            const double by = scale[i] / std::sqrt(static_cast<double>(variance[i]) + epsilon);
            out.push_back(static_cast<float>(factor ? by : bias[i] - mean[i] * by));
        }
        return bytes_of_items(out);
    };
    Dims dims{channels};
    if (!last) dims.resize(x.dims.size() - 1, 1);
    const auto bytes = static_cast<size_t>(channels) * sizeof(float);
    const Operand factor = to.constant("f32", dims, bytes, [numbers] { return numbers(true); });
    const Operand added = to.constant("f32", dims, bytes, [numbers] { return numbers(false); });
    const Operand scaled = to.scratch(x.dims);
    add_pair(to, node, "fn_mul", scaled, x, factor);
    add_pair(to, node, "fn_add", y, scaled, added);
}

constexpr OpRow table[] = {
    {"BatchNormalization", lower_batch_norm},
    {"ReduceSum", lower_reduce},
    {"ReduceMean", lower_reduce},
    {"ReduceMax", lower_reduce},
    {"ReduceMin", lower_reduce},
    {"GlobalAveragePool", lower_global_pool},
    {"GlobalMaxPool", lower_global_pool},
    {"Softmax", lower_softmax},
    {"LogSoftmax", lower_softmax},
    {"LayerNormalization", lower_norm},
    {"RMSNormalization", lower_norm},
};

}  // namespace

std::span<const OpRow> line_rows() { return table; }

}  // namespace quern::opencl
