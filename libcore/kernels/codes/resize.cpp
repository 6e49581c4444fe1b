// Resize of 8-bit codes that no profile computes on: numbers of the codes in float32, all axes in one sum or one after the other as the
// operator's function does it, then codes of them. The nearest neighbours are the codes themselves, or as a table has them.
#include <algorithm>
#include <array>

#include "libcore/base/wide.h"
#include "libcore/graph/code_loops.h"
#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/recode_table.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/ops/shared/image.h"
#include "libcore/ops/shared/spatial.h"

namespace quern::codes {
namespace {

constexpr int64_t grain = 1 << 14;  // codes that are worth a task

QUERN_WIDE void add_codes(const uint8_t* x, float* sums, int64_t count, float weight, float scale, int32_t zero) {
    for (int64_t i = 0; i < count; ++i) sums[i] += weight * (static_cast<float>(x[i] - zero) * scale);
}
QUERN_WIDE void add_numbers(const float* x, float* sums, int64_t count, float weight) {
    for (int64_t i = 0; i < count; ++i) sums[i] += weight * x[i];
}

// The steps of a Resize over what lies as `dims`: the axis of the first one makes lines, all that lies behind it; the later ones work
// inside of a line.
class Lines {
   public:
    Lines(std::vector<ResizeStep> steps, Dims dims) : steps_(std::move(steps)) {
        const ResizeStep& first = steps_[0];
        line_ = count_of(std::span(dims).subspan(first.axis + 1));
        count_ = count_of(std::span(dims).first(first.axis)) * first.out;
        dims[first.axis] = 1;
        for (size_t i = 1; i < steps_.size(); ++i) {
            const auto axis = static_cast<std::ptrdiff_t>(steps_[i].axis);
            outer_.push_back(count_of(std::span(dims).subspan(first.axis, steps_[i].axis - first.axis)));
            inner_.push_back(count_of(std::span(dims).subspan(static_cast<size_t>(axis) + 1)));
            dims[steps_[i].axis] = steps_[i].out;
        }
        made_ = count_of(std::span(dims).subspan(first.axis));
    }
    int64_t count() const { return count_; }
    int64_t made() const { return made_; }  // elements of a line of the result

    // Do lines i and i - 1 read the same one? Of those that are copied.
    bool repeats(int64_t i) const { return i % steps_[0].out > 0 && start(i, 0) == start(i - 1, 0); }

    // Line number i, each element the one that its steps name.
    void copy(const uint8_t* x, int64_t i, uint8_t* y, const RecodeTable& table) const {
        const uint8_t* from = x + start(i, 0);
        if (steps_.size() == 1) return copy_codes(from, y, line_, table);
        std::array<std::vector<uint8_t>, 2> between;
        const RecodeTable none;
        for (size_t s = 1; s < steps_.size(); ++s) {
            const bool is_last = s + 1 == steps_.size();
            std::vector<uint8_t>& own = between[s % 2];
            if (!is_last) own.resize(static_cast<size_t>(length_behind(s)));
            uint8_t* to = is_last ? y : own.data();
            const RecodeTable& last = is_last ? table : none;
            each_place(s, [&](int64_t source, int64_t place, size_t) { copy_codes(from + source, to + place, inner_[s - 1], last); });
            from = to;
        }
    }

    // Line number i, in real numbers; they are in the memory that this gives.
    const std::vector<float>& mix(const uint8_t* x, int64_t i, float scale, int32_t zero, std::array<std::vector<float>, 2>& lines) const {
        const ResizeStep& first = steps_[0];
        lines[0].assign(static_cast<size_t>(line_), 0.0f);
        for (size_t k = 0; k < first.taps; ++k)
            add_codes(x + start(i, k), lines[0].data(), line_, weight(first, i % first.out, k), scale, zero);
        for (size_t s = 1; s < steps_.size(); ++s) {
            const std::vector<float>& from = lines[(s - 1) % 2];
            std::vector<float>& to = lines[s % 2];
            to.assign(static_cast<size_t>(length_behind(s)), 0.0f);
            each_place(s, [&](int64_t source, int64_t place, size_t tap) {
                add_numbers(from.data() + source, to.data() + place, inner_[s - 1], steps_[s].weight[tap]);
            });
        }
        return lines[(steps_.size() - 1) % 2];
    }

   private:
    // Where tap k of line i begins.
    int64_t start(int64_t i, size_t k) const {
        const ResizeStep& first = steps_[0];
        return (i / first.out * first.in + first.index[static_cast<size_t>(i % first.out) * first.taps + k]) * line_;
    }
    static float weight(const ResizeStep& step, int64_t place, size_t k) { return step.weight[static_cast<size_t>(place) * step.taps + k]; }
    int64_t length_behind(size_t s) const { return outer_[s - 1] * steps_[s].out * inner_[s - 1]; }

    // Calls fn(where a tap begins, where its result begins, the number of the tap) for each tap of step s.
    template <class Fn>
    void each_place(size_t s, const Fn& fn) const {
        const ResizeStep& step = steps_[s];
        const int64_t inner = inner_[s - 1];
        for (int64_t o = 0; o < outer_[s - 1]; ++o)
            for (int64_t p = 0; p < step.out; ++p)
                for (size_t k = 0; k < step.taps; ++k) {
                    const size_t tap = static_cast<size_t>(p) * step.taps + k;
                    fn((o * step.in + step.index[tap]) * inner, (o * step.out + p) * inner, tap);
                }
    }

    std::vector<ResizeStep> steps_;
    std::vector<int64_t> outer_, inner_;  // of the later steps, within a line
    int64_t line_, count_, made_;
};

// What numbers codes have.
struct Decoding {
    float scale;
    int32_t zero;
};

// The rows of codes that a row of the result is made of, as real numbers: those that the row before was made of are there already.
class DecodedRows {
   public:
    // `count` codes each at `rows`, of which nullptr is none.
    std::array<const float*, 4> of(const std::array<const uint8_t*, 4>& rows, int64_t count, Decoding decoding) {
        numbers_.resize(4 * static_cast<size_t>(count));
        std::array<const float*, 4> found{};
        for (size_t k = 0; k < rows.size() && rows[k]; ++k) {
            auto slot = std::ranges::find(held_, rows[k]);
            if (slot == held_.end()) {
                slot = std::ranges::find_if(held_, [&](const uint8_t* row) { return !row || std::ranges::find(rows, row) == rows.end(); });
                *slot = rows[k];
                decode_run(rows[k], static_cast<size_t>(count), decoding.scale, decoding.zero, place(slot, count));
            }
            found[k] = place(slot, count);
        }
        return found;
    }

   private:
    using Held = std::array<const uint8_t*, 4>;
    float* place(Held::iterator slot, int64_t count) { return numbers_.data() + (slot - held_.begin()) * count; }

    Held held_{};
    std::vector<float> numbers_;
};

// What a Resize mixes in one sum, row by row, of rows that are decoded whole.
class JointLines {
   public:
    JointLines(std::vector<ResizeStep> steps, const Dims& dims)
        : taps_(std::move(steps)),
          inner_(count_of(std::span(dims).subspan(taps_.axis() + taps_.axes()))),
          count_(count_of(std::span(dims).first(taps_.axis())) * taps_.rows_out()) {}
    int64_t count() const { return count_; }
    int64_t made() const { return taps_.last().out * inner_; }  // elements of a row of the result

    struct Memory {
        DecodedRows rows;
        std::vector<float> mixed;
    };

    // Row number i, some places after the others so that their numbers stay in the processor's cache.
    void encode(const uint8_t* x, int64_t i, Decoding decoding, const RunGrid& grid, uint8_t* y, Memory& memory) const {
        constexpr int64_t chunk = 1024;
        const JointRow row = taps_.row(i % taps_.rows_out());
        const int64_t count = taps_.last().in * inner_, places = std::max<int64_t>(chunk / inner_, 1);
        std::array<const uint8_t*, 4> rows{};
        for (size_t k = 0; k < taps_.sources(); ++k) rows[k] = x + (i / taps_.rows_out() * taps_.rows_in() + row.from[k]) * count;
        const auto from = memory.rows.of(rows, count, decoding);
        memory.mixed.resize(static_cast<size_t>(places * inner_));
        for (int64_t begin = 0; begin < taps_.last().out; begin += places) {
            const int64_t end = std::min(begin + places, taps_.last().out);
            taps_.mix(row, from, inner_, {begin, end}, memory.mixed.data());
            encode_run(memory.mixed.data(), static_cast<size_t>((end - begin) * inner_), grid, y + i * made() + begin * inner_);
        }
    }

   private:
    JointTaps taps_;
    int64_t inner_, count_;
};

class ResizeKernel : public Kernel {
   public:
    explicit ResizeKernel(const Site& site)
        : view_(site.first()),
          inputs_(site.first().in.size()),
          nearest_(view_.text("mode") == "nearest"),
          table_(recode_table(encoding_at(site, 0), *site.result)),
          x_(encoding_at(site, 0)),
          y_(*site.result) {
        y_.qmin += bias_of(y_.storage);
        y_.qmax += bias_of(y_.storage);
    }
    std::string name() const override { return nearest_ ? "codes resize" : "codes resize of numbers"; }

    void run(KernelCtx& ctx) override {
        const Dims given = dims_of(ctx, 0);
        const Tensor *scales = inputs_ > 2 ? ctx.in(2) : nullptr, *sizes = inputs_ > 3 ? ctx.in(3) : nullptr;
        const Dims made = resized_dims(view_, given, scales, sizes);
        std::vector<ResizeStep> steps = joint_steps(view_, given, scales, sizes);
        const bool joint = !steps.empty();
        if (!joint) steps = resize_steps(view_, given, nullptr, scales, sizes);
        const bool moved = given.size() > 2 && std::ranges::none_of(steps, [](const ResizeStep& step) { return step.axis < 2; });
        for (ResizeStep& step : steps) step.axis -= moved ? 1 : 0;
        const CodesIn x = codes_in(ctx, 0, moved);
        const Buffer out = take_codes(ctx, made, y_.storage);
        auto* y = reinterpret_cast<uint8_t*>(out.data.get());
        if (steps.empty())
            copy_codes(x.data, y, count_of(made), table_);
        else if (count_of(made) > 0 && joint)
            mix(JointLines(std::move(steps), moved ? to_channels_last(given) : given), x.data, y, ctx.pool());
        else if (count_of(made) > 0)
            compute(Lines(std::move(steps), moved ? to_channels_last(given) : given), x.data, y, ctx.pool());
        give_codes(ctx, made, y_.storage, moved, out);
    }

   private:
    void mix(const JointLines& lines, const uint8_t* x, uint8_t* y, ThreadPool& pool) const {
        const Decoding decoding{to_floats(x_.scale)[0], static_cast<int32_t>(x_.zero_at()) + bias_of(x_.storage)};
        const RunGrid grid(to_floats(y_.scale)[0], y_.zero_at() + bias_of(y_.storage), y_);
        pool.run_ranges(static_cast<size_t>(lines.count()), static_cast<size_t>(grain / lines.made() + 1), [&](size_t begin, size_t end) {
            JointLines::Memory memory;
            for (auto i = static_cast<int64_t>(begin); i < static_cast<int64_t>(end); ++i) lines.encode(x, i, decoding, grid, y, memory);
        });
    }
    void compute(const Lines& lines, const uint8_t* x, uint8_t* y, ThreadPool& pool) const {
        const float scale = to_floats(x_.scale)[0];
        const auto zero = static_cast<int32_t>(x_.zero_at()) + bias_of(x_.storage);
        const RunGrid grid(to_floats(y_.scale)[0], y_.zero_at() + bias_of(y_.storage), y_);
        pool.run_ranges(static_cast<size_t>(lines.count()), static_cast<size_t>(grain / lines.made() + 1), [&](size_t begin, size_t end) {
            std::array<std::vector<float>, 2> memory;
            for (auto i = static_cast<int64_t>(begin); i < static_cast<int64_t>(end); ++i) {
                uint8_t* to = y + i * lines.made();
                if (nearest_) {
                    if (i > static_cast<int64_t>(begin) && lines.repeats(i))
                        std::copy_n(to - lines.made(), lines.made(), to);
                    else
                        lines.copy(x, i, to, table_);
                    continue;
                }
                const std::vector<float>& numbers = lines.mix(x, i, scale, zero, memory);
                encode_run(numbers.data(), numbers.size(), grid, to);
            }
        });
    }

    NodeView view_;
    size_t inputs_;
    bool nearest_;
    RecodeTable table_;
    Encoding x_, y_;  // limits of y_ as bytes
};

std::string_view obstacle(const Site& site) {
    if (site.arithmetic) return "is computed on codes";
    if (!has_8_bits(site) || encoding_at(site, 0).real != DType::f32 || site.result->real != DType::f32)
        return "its codes do not have 8 bits and one scale";
    const NodeView view(site.first());
    if (view.text("coordinate_transformation_mode") == "tf_crop_and_resize") return "crops";
    const Dims axes = view.integers("axes");
    if (!std::ranges::is_sorted(axes) || (!axes.empty() && axes[0] < 0)) return "its axes are in another order";
    for (size_t i = 2; i < site.in.size(); ++i)
        if (site.in[i] != ValueId::none && site.value(site.in[i]).enc) return "its scales are codes";
    return "";
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    return refusal.empty() ? std::make_unique<ResizeKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Resize, .make = make}};

}  // namespace

std::span<const KernelRow> resize_rows() { return rows; }

}  // namespace quern::codes
