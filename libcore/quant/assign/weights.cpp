#include "libcore/quant/assign/weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/quant/types/two_level.h"

namespace quern {
namespace {

constexpr size_t lanes = 16;
constexpr int32_t infinite = 0x7f800000;

// Greatest |x| of a run as the bits of a float: integers compare like floats here, and NaN is greater than all numbers.
int32_t greatest_bits(const float* x, size_t count) {
    int32_t best[lanes] = {};
    size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (size_t k = 0; k < lanes; ++k) best[k] = std::max(best[k], std::bit_cast<int32_t>(x[i + k]) & 0x7fffffff);
    for (; i < count; ++i) best[0] = std::max(best[0], std::bit_cast<int32_t>(x[i]) & 0x7fffffff);
    return *std::max_element(best, best + lanes);
}

// The tensor as outer * (slices along the axis) * inner, cut into groups that share a scale.
struct Groups {
    size_t outer = 1, length = 1, inner = 1, block = 0, blocks = 1;

    Groups(const Dims& dims, const WeightSpec& spec) {
        if (spec.axis < 0) {
            inner = static_cast<size_t>(count_of(dims));
            return;
        }
        const size_t axis = normal_axis(spec.axis, dims.size(), "quantization axis");
        for (size_t i = 0; i < axis; ++i) outer *= static_cast<size_t>(dims[i]);
        for (size_t i = axis + 1; i < dims.size(); ++i) inner *= static_cast<size_t>(dims[i]);
        length = static_cast<size_t>(dims[axis]);
        block = static_cast<size_t>(spec.block);
        blocks = block ? (length + block - 1) / block : 1;
    }
    size_t count() const { return block ? outer * blocks * inner : length; }
    size_t of(size_t o, size_t along, size_t i) const { return block ? (o * blocks + along / block) * inner + i : along; }

    // fn(group, first element, count) for runs of one group. Rows of short groups are left to the caller's strided form.
    template <class Fn>
    void each_run(const Fn& fn) const {
        for (size_t o = 0; o < outer; ++o)
            for (size_t along = 0; along < length; ++along) {
                const size_t first = (o * length + along) * inner;
                if (!block)
                    fn(along, first, inner);
                else
                    for (size_t i = 0; i < inner; ++i) fn(of(o, along, i), first + i, size_t{1});
            }
    }
};

std::vector<float> greatest_of(std::span<const float> x, const Groups& groups) {
    std::vector<int32_t> bits(groups.count());
    if (groups.inner == 1 && !groups.block) {  // channels along the last axis: a row at a time
        for (size_t o = 0; o < groups.outer; ++o)
            for (size_t c = 0; c < groups.length; ++c)
                bits[c] = std::max(bits[c], std::bit_cast<int32_t>(x[o * groups.length + c]) & 0x7fffffff);
    } else {
        groups.each_run(
            [&](size_t group, size_t first, size_t count) { bits[group] = std::max(bits[group], greatest_bits(x.data() + first, count)); });
    }
    std::vector<float> out(bits.size());
    for (size_t i = 0; i < bits.size(); ++i) {
        if (bits[i] >= infinite) throw bad_input("holds NaN or infinity");
        out[i] = std::bit_cast<float>(bits[i]);
    }
    return out;
}

double squared_error(std::span<const float> x, float scale, float limit_low, float limit_high, double input_offset) {
    double sum = 0, squares = 0;
    for (const float v : x) {
        constexpr float shift = 12582912.0f;
        const float steps = std::min(std::max(v / scale, limit_low), limit_high);
        const float error = v - ((steps + shift) - shift) * scale;
        sum += static_cast<double>(error);
        squares += static_cast<double>(error) * static_cast<double>(error);
    }
    return squares + input_offset * sum * sum;
}

// The fraction of `scale` whose errors leave the least noise in the results.
float best_scale(std::span<const float> x, float scale, int64_t qmin, int64_t qmax, std::span<const float> fractions, double input_offset) {
    float best = scale;
    double least = squared_error(x, scale, static_cast<float>(qmin), static_cast<float>(qmax), input_offset);
    for (const float fraction : fractions) {
        const double error = squared_error(x, scale * fraction, static_cast<float>(qmin), static_cast<float>(qmax), input_offset);
        if (error < least) {
            least = error;
            best = scale * fraction;
        }
    }
    return best;
}

// Elements of one group, gathered.
void gather(std::span<const float> x, const Groups& groups, size_t group, std::vector<float>& out) {
    out.clear();
    if (!groups.block) {
        for (size_t o = 0; o < groups.outer; ++o) {
            const auto* first = x.data() + (o * groups.length + group) * groups.inner;
            out.insert(out.end(), first, first + groups.inner);
        }
        return;
    }
    const size_t i = group % groups.inner, b = group / groups.inner % groups.blocks, o = group / groups.inner / groups.blocks;
    for (size_t along = b * groups.block; along < std::min((b + 1) * groups.block, groups.length); ++along)
        out.push_back(x[(o * groups.length + along) * groups.inner + i]);
}

bool has_outliers(std::span<const float> x, float greatest) {
    double sum = 0;
    for (const float v : x) sum += static_cast<double>(v) * static_cast<double>(v);
    return x.size() >= 64 && static_cast<double>(greatest) > 8 * std::sqrt(sum / static_cast<double>(x.size()));
}

// Shares of the whole range that are tried for codes of at most 4 bits, of which those of 2 clip most.
std::span<const float> few_code_shares(DType storage) {
    static constexpr float shares[] = {7.0f / 7.5f, 7.0f / 8, 0.95f, 0.9f, 0.85f, 0.8f, 0.75f, 0.7f,
                                       0.65f,       0.6f,     0.55f, 0.5f, 0.45f, 0.4f, 0.35f, 0.3f};
    return std::span(shares).first(bits_of(storage) < 4 ? std::size(shares) : 10);
}

void clip_scales(std::span<const float> x, const Groups& groups, const WeightSpec& spec, const Encoding& e, std::span<const float> greatest,
                 double input_offset, std::vector<float>& scales) {
    static constexpr float coarse[] = {0.95f, 0.9f, 0.85f, 0.8f, 0.75f, 0.7f, 0.65f, 0.6f, 0.55f, 0.5f, 0.45f, 0.4f};
    constexpr size_t few_weights = 128;  // of so few the errors differ much from scale to scale
    const bool small = bits_of(spec.storage) <= 4;
    const std::span<const float> few = few_code_shares(spec.storage);
    if (bits_of(spec.storage) > 8 || is_float(spec.storage)) return;
    std::vector<float> members;
    for (size_t group = 0; group < scales.size(); ++group) {
        if (greatest[group] == 0) continue;
        gather(x, groups, group, members);
        std::vector<float> fractions;
        if (small)
            fractions.assign(few.begin(), few.end());
        else if (members.size() <= few_weights)
            for (int code = 100; code <= 135; ++code) fractions.push_back(127.0f / static_cast<float>(code));  // of the greatest weight
        if (!small && has_outliers(members, greatest[group])) fractions.insert(fractions.end(), std::begin(coarse), std::end(coarse));
        if (!fractions.empty()) scales[group] = best_scale(members, scales[group], e.qmin, e.qmax, fractions, input_offset);
    }
}

GridSpec limits_of(const WeightSpec& spec) {
    GridSpec limits = grid_spec(spec.storage, spec.symmetric);
    limits.min_scale = spec.least_scale;
    limits.half_away = spec.half_away;
    return limits;
}

// fn(group, range) for the range that the spec's method finds of each group.
template <class Fn>
void each_searched(std::span<const float> x, const Groups& groups, const WeightSpec& spec, const Fn& fn) {
    SearchOptions options{.method = spec.method};
    options.percentile = spec.percentile;
    std::vector<float> members;
    for (size_t group = 0; group < groups.count(); ++group) {
        gather(x, groups, group, members);
        fn(group, search_numbers(members, limits_of(spec), options));
    }
}

void search_scales(std::span<const float> x, const Groups& groups, const WeightSpec& spec, double most, std::vector<float>& scales) {
    each_searched(x, groups, spec,
                  [&](size_t group, const RealRange& range) { scales[group] = static_cast<float>(std::max(-range.lo, range.hi) / most); });
}

// As float16 says them, which is never 0 or infinite.
void round_to_half(std::vector<float>& scales) {
    constexpr float least = 0x1p-24f, greatest = 65504;
    for (float& scale : scales) scale = std::clamp(scale, least, greatest);
    scales = to_floats(from_floats(DType::f16, {static_cast<int64_t>(scales.size())}, scales));
}

// Of the scales of a weight.
Dims scale_dims(const Dims& weight, const WeightSpec& spec, const Groups& groups, size_t scales) {
    if (spec.axis < 0) return {};
    if (!spec.block) return {static_cast<int64_t>(scales)};
    Dims dims = weight;
    dims[static_cast<size_t>(spec.axis)] = static_cast<int64_t>(groups.blocks);
    return dims;
}

Encoding symmetric_encoding(const Tensor& weight, std::span<const float> x, const WeightSpec& spec, double input_offset) {
    const Groups groups(weight.dims, spec);
    const auto greatest = greatest_of(x, groups);
    const bool small = bits_of(spec.storage) <= 4;
    Encoding e = make_encoding(spec.storage, {}, {}, spec.axis, !small);
    std::vector<float> scales(greatest.size());
    const auto limit = static_cast<double>(limits_of(spec).qmax);
    for (size_t i = 0; i < scales.size(); ++i) scales[i] = static_cast<float>(static_cast<double>(greatest[i]) / limit);
    if (spec.method)
        search_scales(x, groups, spec, limit, scales);
    else if (spec.clip)
        clip_scales(x, groups, spec, e, greatest, input_offset, scales);
    for (float& scale : scales) scale = std::max(scale, spec.least_scale);
    // A scale too small for a float's full precision counts as zero.
    const float most = scales.empty() ? 0 : *std::max_element(scales.begin(), scales.end());
    const float instead = most >= std::numeric_limits<float>::min() ? most : 1;
    for (float& scale : scales)
        if (scale < std::numeric_limits<float>::min()) scale = instead;
    if (spec.half_scales) round_to_half(scales);
    const Dims dims = scale_dims(weight.dims, spec, groups, scales.size());
    if (spec.two_level && spec.block) make_two_level(scales, dims, spec.axis, spec.least_scale);
    e.block = spec.block;
    e.scale = from_floats(spec.half_scales ? DType::f16 : DType::f32, dims, scales);
    if (is_float(spec.storage)) return e;
    if (const int64_t middle = (e.qmin + e.qmax + 1) / 2; int_range(spec.storage).min == 0)
        e.zero = from_ints(spec.storage, dims, std::vector<int64_t>(scales.size(), middle));
    else
        e.zero = from_ints(spec.storage, dims, std::vector<int64_t>(scales.size(), 0));
    return e;
}

// Least and greatest number of each group, with 0 between them.
std::vector<RealRange> extremes_of(std::span<const float> x, const Groups& groups) {
    std::vector<RealRange> ranges(groups.count());
    groups.each_run([&](size_t group, size_t first, size_t count) {
        if (count == 0) return;
        const auto [lo, hi] =
            std::minmax_element(x.begin() + static_cast<ptrdiff_t>(first), x.begin() + static_cast<ptrdiff_t>(first + count));
        ranges[group] = {std::min<double>(ranges[group].lo, *lo), std::max<double>(ranges[group].hi, *hi)};
    });
    return ranges;
}

double squared_error(std::span<const float> x, const Grid& grid, const GridSpec& limits, double input_offset) {
    return squared_error(x, grid.scale, static_cast<float>(limits.qmin - grid.zero), static_cast<float>(limits.qmax - grid.zero),
                         input_offset);
}

// Of few codes, shares of each group's range whose grid leaves the least noise in the results.
void clip_ranges(std::span<const float> x, const Groups& groups, const WeightSpec& spec, double input_offset,
                 std::vector<RealRange>& ranges) {
    const GridSpec limits = limits_of(spec);
    std::vector<float> members;
    for (size_t group = 0; group < ranges.size(); ++group) {
        gather(x, groups, group, members);
        const RealRange whole = ranges[group];
        double least = squared_error(members, grid_of(whole, limits), limits, input_offset);
        for (const float share : few_code_shares(spec.storage)) {
            const RealRange range{whole.lo * static_cast<double>(share), whole.hi * static_cast<double>(share)};
            const double error = squared_error(members, grid_of(range, limits), limits, input_offset);
            if (error >= least) continue;
            least = error;
            ranges[group] = range;
        }
    }
}

Encoding asymmetric_encoding(const Tensor& weight, std::span<const float> x, const WeightSpec& spec, double input_offset) {
    const Groups groups(weight.dims, spec);
    greatest_of(x, groups);
    std::vector<RealRange> ranges = extremes_of(x, groups);
    if (spec.method)
        each_searched(x, groups, spec, [&](size_t group, const RealRange& range) { ranges[group] = range; });
    else if (spec.clip && bits_of(spec.storage) <= 4)
        clip_ranges(x, groups, spec, input_offset, ranges);
    std::vector<float> scales;
    std::vector<int64_t> zeros;
    for (const RealRange& range : ranges) {
        const Grid grid = grid_of(range, limits_of(spec));
        scales.push_back(grid.scale);
        zeros.push_back(grid.zero);
    }
    if (spec.axis < 0 && scales.empty()) scales = {1}, zeros = {0};
    if (spec.half_scales) round_to_half(scales);
    const Dims dims = scale_dims(weight.dims, spec, groups, scales.size());
    Encoding e = make_encoding(spec.storage, from_floats(spec.half_scales ? DType::f16 : DType::f32, dims, scales),
                               from_ints(spec.storage, dims, zeros), spec.axis, spec.symmetric);
    e.block = spec.block;
    return e;
}

// Of float32 as they lie, of others in `copy`.
std::span<const float> numbers_in(const Tensor& tensor, std::vector<float>& copy) {
    if (tensor.dtype == DType::f32) return tensor.view<float>();
    return copy = to_floats(tensor);
}

// One scale for all channels of a gate, said once for each channel.
Encoding encoding_of_gates(const Tensor& weight, WeightSpec spec, double input_offset) {
    const auto axis = static_cast<size_t>(spec.axis);
    const int64_t each = weight.dims[axis] / std::exchange(spec.gates, 0);
    Dims dims = weight.dims;
    dims[axis] /= each;
    dims.insert(dims.begin() + spec.axis + 1, each);
    Encoding e = weight_encoding({weight.dtype, std::move(dims), weight.data}, spec, input_offset);
    const std::vector<float> scales = to_floats(e.scale);
    const std::vector<int64_t> zeros = e.zeros();
    std::vector<float> all_scales;
    std::vector<int64_t> all_zeros;
    for (size_t gate = 0; gate < scales.size(); ++gate) {
        all_scales.insert(all_scales.end(), static_cast<size_t>(each), scales[gate]);
        all_zeros.insert(all_zeros.end(), static_cast<size_t>(each), zeros[gate]);
    }
    e.scale = Tensor::vector<float>(all_scales);
    e.zero = from_ints(e.storage, {weight.dims[axis]}, all_zeros);
    return e;
}

}  // namespace

Encoding weight_encoding(const Tensor& weight, const WeightSpec& spec, double input_offset) {
    if (spec.gates > 0) return encoding_of_gates(weight, spec, input_offset);
    std::vector<float> copy;
    const std::span<const float> x = numbers_in(weight, copy);
    if (!is_scaled(spec.storage)) {
        greatest_of(x, Groups(weight.dims, {}));
        return make_encoding(spec.storage, Tensor::scalar(1.0f), {});
    }
    if (is_float(spec.storage) || (spec.symmetric && int_range(spec.storage).min < 0))
        return symmetric_encoding(weight, x, spec, input_offset);
    return asymmetric_encoding(weight, x, spec, input_offset);
}

double weight_sqnr_db(const Tensor& weight, const Tensor& codes, const Encoding& encoding) {
    const auto x = to_floats(weight), y = to_floats(dequantize(codes, encoding));
    double signal = 0, noise = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        const double error = static_cast<double>(x[i]) - static_cast<double>(y[i]);
        signal += static_cast<double>(x[i]) * static_cast<double>(x[i]);
        noise += error * error;
    }
    return noise > 0 ? 10 * portable::log10(std::max(signal, 1e-300) / noise) : std::numeric_limits<double>::infinity();
}

SumBound sum_bound(const Tensor& weight, const Encoding& encoding, const Encoding& input) {
    SumBound bound;
    const double zero = static_cast<double>(input.zero_at());
    bound.reach = std::max(static_cast<double>(input.qmax) - zero, zero - static_cast<double>(input.qmin));
    WeightSpec spec;
    spec.axis = encoding.axis;
    const Groups groups(weight.dims, spec);
    bound.weights.assign(groups.count(), 0);
    std::vector<float> copy;
    const std::span<const float> numbers = numbers_in(weight, copy);
    const auto least = static_cast<float>(encoding.qmax - encoding.zero_at()) * std::numeric_limits<float>::min();
    groups.each_run([&](size_t group, size_t first, size_t count) {
        for (size_t i = first; i < first + count; ++i)
            if (const float weight_size = std::abs(numbers[i]); weight_size >= least)
                bound.weights[group] += static_cast<double>(weight_size);
    });
    return bound;
}

namespace {

double weights_of(const SumBound& sum, size_t channel) {
    return sum.weights.empty() ? 0 : sum.weights[sum.weights.size() == 1 ? 0 : channel];
}

// The scales of the weights times that of the input.
Encoding encoding_of_sums(const Tensor& bias, std::vector<float> scales, const Encoding& weight, float input_scale, DType storage) {
    for (float& scale : scales) scale *= input_scale;
    const bool channels = scales.size() > 1 || weight.axis >= 0;
    Encoding made = make_encoding(storage, channels ? Tensor::vector<float>(scales) : Tensor::scalar(scales.at(0)), {},
                                  channels ? static_cast<int>(bias.dims.size()) - 1 : -1);
    const Dims dims = made.scale.dims;
    made.zero = from_ints(storage, dims, std::vector<int64_t>(scales.size(), 0));
    return made;
}

}  // namespace

BiasEncoding bias_encoding(const Tensor& bias, float input_scale, const Encoding& weight, DType storage, const SumBound& sum) {
    const auto b = to_floats(bias);
    const auto before = to_floats(weight.scale);
    auto scales = before;
    BiasEncoding out;
    constexpr double greatest_product = 0x1p47, exact_bias = 0x1p24;
    const double limit = std::min(static_cast<double>(int_range(storage).max), greatest_product) / 1.0001;  // for the rounding of scales
    const double least = static_cast<double>(std::numeric_limits<float>::min()) / static_cast<double>(input_scale);
    const auto is_dead = [&](size_t channel) { return !sum.weights.empty() && weights_of(sum, channel) == 0; };
    for (size_t i = 0; i < b.size(); ++i)
        if (b[i] != 0 && is_dead(i)) scales[scales.size() == 1 ? 0 : i] = 0;
    for (size_t i = 0; i < b.size(); ++i) {
        if (!std::isfinite(b[i])) throw bad_input("holds NaN or infinity");
        float& scale = scales[scales.size() == 1 ? 0 : i];
        const double steps = std::abs(static_cast<double>(b[i])) / static_cast<double>(input_scale);
        const double reached = sum.reach * weights_of(sum, i);
        const double most = is_dead(i) ? steps / exact_bias : std::min((steps + reached) / limit, steps / (limit / 2));
        const double need = std::max(most, least);
        if (need <= static_cast<double>(scale)) continue;
        scale = std::nextafter(static_cast<float>(need), std::numeric_limits<float>::infinity());
        if (!is_dead(i) && (out.enlarged.empty() || out.enlarged.back() != i)) out.enlarged.push_back(i);
    }
    out.weight = weight;
    if (scales != before) out.weight.scale = Tensor::make<float>(weight.scale.dims, scales);
    out.bias = encoding_of_sums(bias, std::move(scales), weight, input_scale, storage);
    return out;
}

}  // namespace quern
