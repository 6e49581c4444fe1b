// Resize by weighted sums of all its axes at once, or along one after the other. What the axes after the first one that is resized need of
// it is one line at a time: numbers of whole tensors are not held, of codes those of a line are made and encoded.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "libcore/codegen/c/emit.h"
#include "libcore/ops/shared/image.h"
#include "libcore/ops/shared/shared.h"

namespace quern::cgen {
namespace {

// What a Resize does: mixes axes in one sum, or goes along one after the other.
struct Steps {
    bool joint;
    std::vector<ResizeStep> steps;
};

Steps steps_of(Emit& e) {
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    std::array<std::optional<Tensor>, 3> given;  // roi, scales, sizes
    std::array<const Tensor*, 3> inputs{};
    for (size_t i = 0; i < 3; ++i) {
        if (!e.has_in(i + 1)) continue;
        given[i] = e.constant(i + 1);
        if (!given[i]) throw unsupported("sizes that are computed in the run");
        inputs[i] = &*given[i];
    }
    if (auto joint = joint_steps(e.view, e.in_dims(0), inputs[1], inputs[2]); !joint.empty()) return {true, std::move(joint)};
    auto steps = resize_steps(e.view, e.in_dims(0), inputs[0], inputs[1], inputs[2]);
    if (std::ranges::any_of(steps, &ResizeStep::outside)) throw unsupported("elements from outside");
    return {false, std::move(steps)};
}

// Codes that are decoded and encoded element by element.
bool is_plain(const Encoding* encoding) {
    return encoding && !encoding->is_dynamic() && encoding->per_tensor() && !encoding->min.defined() && is_integer(encoding->storage);
}

class Resizer {
   public:
    explicit Resizer(Emit& e) : e_(e), dims_(e.in_dims(0)), decodes_(is_plain(e.in_encoding(0))) { x_ = decodes_ ? e.in(0) : e.real_in(0); }

    // Along one axis of all.
    void step(const ResizeStep& step) {
        const std::string to = e_.f.scratch(DType::f32, count_of(dims_) / step.in * step.out);
        along(step, Lines(dims_, step.axis), x_, to, "");
        x_ = to;
        decodes_ = false;
        dims_[step.axis] = step.out;
    }

    // Along the axes of these, the first of which is the first of the tensor that is resized, line by line.
    void lines(std::span<const ResizeStep> steps) {
        const ResizeStep& first = steps[0];
        const Lines lines(dims_, first.axis);
        Dims line(dims_.begin() + static_cast<std::ptrdiff_t>(first.axis) + 1, dims_.end());
        Dims whole = line;
        for (const ResizeStep& step : steps.subspan(1)) whole[step.axis - first.axis - 1] = step.out;
        const bool encodes = is_plain(e_.out_encoding());
        const std::string y = encodes ? e_.out() : e_.real_out(), outer = e_.f.local("outer"), at = e_.f.local("at");
        const std::string place = fmt::format("{} + ({} * {} + {}) * {}", y, outer, first.out, at, count_of(whole));
        const std::string last = encodes ? e_.f.scratch(DType::f32, count_of(whole)) : place;
        e_.f.open("{");
        e_.f.statement(fmt::format("int32_t {}, {};", outer, at));
        e_.f.open(fmt::format("for ({0} = 0; {0} < {1}; ++{0}) for ({2} = 0; {2} < {3}; ++{2}) {{", outer, lines.outer, at, first.out));
        std::string from = fmt::format("{} + {} * {}", x_, outer, first.in * lines.inner);
        for (size_t i = 0; i < steps.size(); ++i) {
            const std::string to = i + 1 == steps.size() ? last : e_.f.scratch(DType::f32, count_of(line) * (i == 0 ? 1 : steps[i].out));
            if (i == 0) {
                along({first.axis, first.in, 1, first.taps, first.index, first.weight, false}, {1, first.in, lines.inner}, from, to,
                      fmt::format(" + {} * {}", at, first.taps));
                decodes_ = false;
            } else {
                const size_t axis = steps[i].axis - first.axis - 1;
                along(steps[i], Lines(line, axis), from, to, "");
                line[axis] = steps[i].out;
            }
            from = to;
        }
        if (encodes) encode(e_.f, last, {place, e_.f.held(e_.out_id(0)), e_.out_encoding()}, count_of(whole), "output 0");
        e_.f.close();
        e_.f.close();
    }

    // All of these in one sum, row by row of the last one.
    void mix(const std::vector<ResizeStep>& steps) {
        const ResizeStep& last = steps.back();
        const JointTaps taps(steps);
        const int64_t inner = strides_of(dims_)[last.axis], outer_count = count_of(dims_) / (taps.rows_in() * last.in * inner);
        const int64_t row_count = last.out * inner;
        const auto [from, share] = shares(taps);
        const bool encodes = is_plain(e_.out_encoding());
        const std::string y = encodes ? e_.out() : e_.real_out(), outer = e_.f.local("outer"), row = e_.f.local("row");
        const std::string place = fmt::format("{} + ({} * {} + {}) * {}", y, outer, taps.rows_out(), row, row_count);
        const std::string to = encodes ? e_.f.scratch(DType::f32, row_count) : place;
        e_.f.open("{");
        e_.f.statement(fmt::format("int32_t {}, {};", outer, row));
        e_.f.open(
            fmt::format("for ({0} = 0; {0} < {1}; ++{0}) for ({2} = 0; {2} < {3}; ++{2}) {{", outer, outer_count, row, taps.rows_out()));
        std::vector<std::string> arguments{fmt::format("{} + {} * {}", x_, outer, taps.rows_in() * last.in * inner),
                                           to,
                                           text_of(static_cast<int64_t>(taps.sources())),
                                           fmt::format("{} + {} * {}", from, row, taps.sources()),
                                           fmt::format("{} + {} * {}", share, row, taps.sources() * (taps.axes() - 1)),
                                           text_of(last.out),
                                           text_of(inner),
                                           index_of(last),
                                           weights_of(last)};
        Words words = decoding(arguments);
        words.emplace_back("SHARE", steps.size() == 2 ? "weight[t] * share[k]" : "weight[t] * share[2 * k] * share[2 * k + 1]");
        e_.call(e_.source.kernel("resize_joint", words, fmt::format("{}{}", steps.size(), decodes_ ? "_decoded" : "")), arguments);
        if (encodes) encode(e_.f, to, {place, e_.f.held(e_.out_id(0)), e_.out_encoding()}, row_count, "output 0");
        e_.f.close();
        e_.f.close();
    }

   private:
    // Tables of each row: where the rows begin that it is made of, and the weights of each.
    std::pair<std::string, std::string> shares(const JointTaps& taps) {
        Dims all;
        std::vector<float> share;
        for (int64_t number = 0; number < taps.rows_out(); ++number) {
            const JointRow row = taps.row(number);
            for (size_t k = 0; k < taps.sources(); ++k) {
                all.push_back(row.from[k] * taps.last().in);
                share.insert(share.end(), row.weight[k].begin(), row.weight[k].begin() + static_cast<std::ptrdiff_t>(taps.axes() - 1));
            }
        }
        return {e_.source.constant(from_ints(DType::i32, {static_cast<int64_t>(all.size())}, all), e_.label("from")),
                e_.source.numbers<float>(share, e_.label("share"))};
    }
    std::string index_of(const ResizeStep& step) {
        return e_.source.constant(from_ints(DType::i32, {static_cast<int64_t>(step.index.size())}, step.index), e_.label("index"));
    }
    std::string weights_of(const ResizeStep& step) { return e_.source.numbers<float>(step.weight, e_.label("weight")); }

    // How a kernel reads an element, with what it needs for that as its last arguments.
    Words decoding(std::vector<std::string>& arguments) {
        if (!decodes_) return {{"A", "float"}, {"PARAMETERS", ""}, {"VALUE", "u"}};
        const Grid grid(*e_.in_encoding(0));
        arguments.insert(arguments.end(), {c_float(grid.scale), text_of(grid.zero)});
        return {{"A", std::string(e_.in_type(0))}, {"PARAMETERS", ", float scale, int32_t zero"}, {"VALUE", "((float)(u - zero) * scale)"}};
    }

    void along(const ResizeStep& step, const Lines& lines, const std::string& from, const std::string& to, const std::string& shift) {
        std::vector<std::string> arguments{from,
                                           to,
                                           text_of(lines.outer),
                                           text_of(step.in),
                                           text_of(step.out),
                                           text_of(lines.inner),
                                           text_of(static_cast<int64_t>(step.taps)),
                                           index_of(step) + shift,
                                           weights_of(step) + shift};
        const Words words = decoding(arguments);
        e_.call(e_.source.kernel("resize_axis", words, decodes_ ? "decoded" : ""), arguments);
    }

    Emit& e_;
    Dims dims_;
    bool decodes_;
    std::string x_;
};

}  // namespace

void emit_weighted_resize(Emit& e) {
    const auto [joint, steps] = steps_of(e);
    if (steps.empty()) {
        const std::string x = e.real_in(0);
        e.source.need_memory();
        return e.f.statement(fmt::format("memcpy({}, {}, {} * sizeof(float));", e.real_out(), x, e.out_count()));
    }
    Resizer resizer(e);
    if (joint) return resizer.mix(steps);
    const auto first = std::ranges::min_element(steps, {}, &ResizeStep::axis);
    for (auto step = steps.begin(); step != first; ++step) resizer.step(*step);
    resizer.lines(std::span(steps).subspan(static_cast<size_t>(first - steps.begin())));
}

}  // namespace quern::cgen
