#include "libcore/runs/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

size_t error_bin(double error) {
    const int exponent = static_cast<int>(std::bit_cast<uint64_t>(error) >> 52 & 0x7ff) - 1023;
    return static_cast<size_t>(std::clamp(exponent + Difference::error_bias, 0, static_cast<int>(Difference::error_bins) - 1));
}

// The same infinity, or both not a number.
bool same_special(double a, double b) { return !std::isfinite(a) && (a == b || (std::isnan(a) && std::isnan(b))); }

}  // namespace

void Difference::add(const Tensor& a, const Tensor& b) {
    if (!mismatch.empty()) return;
    if (a.dims != b.dims) {
        mismatch = fmt::format("shape {} and {}", to_string(a.dims), to_string(b.dims));
        return;
    }
    const std::vector<double> x = to_doubles(a), y = to_doubles(b);
    Sums sample;
    for (size_t i = 0; i < x.size(); ++i) {
        if (same_special(x[i], y[i])) continue;
        if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
            mismatch = fmt::format("element {} is {} and {}", i, x[i], y[i]);
            return;
        }
        const double error = x[i] - y[i];
        sample.signal += x[i] * x[i];
        sample.noise += error * error;
        dot += x[i] * y[i];
        other += y[i] * y[i];
        if (error != 0) ++errors[error_bin(error)];
        max_error = std::max(max_error, std::abs(error));
        max_reference = std::max(max_reference, std::abs(x[i]));
    }
    sample.count = x.size();
    whole_.add(sample, samples_);
    if (layout.given()) add_parts(x, y, a.dims);
    ++samples_;
}

namespace {

// The part of each number in turn.
class PartOfNumber {
   public:
    // Of a layout along an axis or in runs; what it says of a channel is its index.
    PartOfNumber(const PartLayout& layout, const Dims& dims) : layout_(layout), dims_(dims), index_(dims.size()) {
        if (!layout.inside.empty()) return;
        inner_ = layout.inner, extent_ = layout.extent;
        if (const auto axis = static_cast<size_t>(layout.axis); inner_ == 0 && axis < dims.size()) {
            extent_ = dims[axis], inner_ = 1;
            for (size_t i = axis + 1; i < dims.size(); ++i) inner_ *= dims[i];
        }
        part_ = part_at(0);
    }
    size_t parts() const { return layout_.names.empty() ? static_cast<size_t>(extent_) : layout_.names.size(); }
    // Has a tensor of these dims such parts?
    bool fits() const {
        if (!layout_.inside.empty()) return layout_.inside.size() == dims_.size();
        return extent_ > 0 && inner_ > 0 && count_of(dims_) % (extent_ * inner_) == 0 &&
               (layout_.names.empty() || extent_ == layout_.ends.back());
    }
    size_t next() {
        if (!layout_.inside.empty()) return next_in_box();
        if (at_ == inner_) {
            at_ = 0;
            if (++along_ == extent_) along_ = 0;
            part_ = part_at(along_);
        }
        ++at_;
        return part_;
    }

   private:
    size_t part_at(int64_t along) const {
        if (layout_.names.empty()) return static_cast<size_t>(along);
        return static_cast<size_t>(std::ranges::upper_bound(layout_.ends, along) - layout_.ends.begin());
    }
    size_t next_in_box() {
        size_t outside = 0;
        for (size_t d = 0; d < dims_.size(); ++d) outside |= index_[d] < layout_.inside[d].first || index_[d] >= layout_.inside[d].second;
        for (size_t d = dims_.size(); d-- > 0 && ++index_[d] == dims_[d];) index_[d] = 0;
        return outside;
    }

    const PartLayout& layout_;
    const Dims& dims_;
    int64_t inner_ = 0, extent_ = 0, at_ = 0, along_ = 0;
    size_t part_ = 0;  // of the numbers at along_
    Dims index_;
};

}  // namespace

void Difference::add_parts(const std::vector<double>& a, const std::vector<double>& b, const Dims& dims) {
    PartOfNumber part(layout, dims);
    if (!part.fits()) return;
    std::vector<Sums> sample(part.parts());
    for (size_t at = 0; at < a.size(); ++at) {
        Sums& sums = sample[part.next()];
        ++sums.count;
        if (same_special(a[at], b[at])) continue;
        sums.signal += a[at] * a[at];
        sums.noise += (a[at] - b[at]) * (a[at] - b[at]);
    }
    if (parts_.size() < sample.size()) parts_.resize(sample.size());
    for (size_t i = 0; i < sample.size(); ++i) parts_[i].add(sample[i], samples_);
}

void Difference::join(const Difference& d) {
    dot += d.dot;
    other += d.other;
    max_error = std::max(max_error, d.max_error);
    max_reference = std::max(max_reference, d.max_reference);
    whole_.add(d.whole_, samples_++);
}

void Difference::Sums::add(const Sums& sample, uint64_t number) {
    signal += sample.signal;
    noise += sample.noise;
    count += sample.count;
    highest = std::max(highest, sample.sqnr());
    if (sample.sqnr() >= lowest) return;
    lowest = sample.sqnr();
    lowest_at = number;
}

double Difference::Sums::sqnr() const {
    return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * portable::log10(signal / noise);
}

std::optional<size_t> Difference::lowest_part() const {
    constexpr size_t max_features = 32;  // the worst of many classes is chance
    if (!mismatch.empty() || parts_.empty() || (layout.features && parts_.size() > max_features)) return std::nullopt;
    const uint64_t enough = layout.features ? 8 : 1;  // of fewer numbers it is chance whether they are small
    const double apart = layout.features ? 64 * 64 : 8 * 8;
    double largest = 0, smallest = std::numeric_limits<double>::infinity();
    for (const Sums& part : parts_) largest = std::max(largest, part.mean_square());
    std::optional<size_t> worst;
    for (size_t i = 0; i < parts_.size(); ++i) {
        if (parts_[i].signal == 0 || parts_[i].mean_square() < largest * 1e-8 || parts_[i].count < enough) continue;
        smallest = std::min(smallest, parts_[i].mean_square());
        if (!worst || parts_[i].sqnr() < parts_[*worst].sqnr()) worst = i;
    }
    return worst && smallest * apart < largest ? worst : std::nullopt;
}

const Difference::Sums& Difference::headline() const {
    const auto part = lowest_part();
    return part && parts_[*part].sqnr() < whole_.sqnr() ? parts_[*part] : whole_;
}

std::optional<PartFigure> Difference::worst_part() const {
    const auto part = lowest_part();
    if (!part) return std::nullopt;
    return PartFigure{layout.name_of(*part), parts_[*part].sqnr()};
}

std::optional<PartFigure> Difference::worst_sample() const {
    if (!mismatch.empty() || samples_ < 2 || noise() == 0) return std::nullopt;
    return PartFigure{fmt::format("sample {}", headline().lowest_at), headline().lowest};
}

Difference::Spread Difference::spread() const { return {headline().lowest, headline().highest}; }

double Difference::whole_sqnr() const { return mismatch.empty() ? whole_.sqnr() : -std::numeric_limits<double>::infinity(); }

double Difference::sqnr() const { return mismatch.empty() ? headline().sqnr() : -std::numeric_limits<double>::infinity(); }

double Difference::cosine() const {
    return signal() == 0 && other == 0 ? 1 : signal() == 0 || other == 0 ? 0 : dot / std::sqrt(signal() * other);
}

const ComparedValue* Comparison::first_below(double threshold, bool outputs_only) const {
    for (const ComparedValue& value : values)
        if ((value.output || !outputs_only) && value.difference.sqnr() < threshold) return &value;
    return nullptr;
}

}  // namespace quern
