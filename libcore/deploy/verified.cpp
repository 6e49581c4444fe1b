#include "libcore/deploy/verified.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/graph/quantize.h"

namespace quern {
namespace {

std::string index_text(const Dims& dims, size_t flat) {
    std::vector<std::string> parts(dims.size());
    for (size_t d = dims.size(); d-- > 0;) {
        const auto size = static_cast<size_t>(std::max<int64_t>(dims[d], 1));
        parts[d] = fmt::format("{}", flat % size);
        flat /= size;
    }
    return fmt::format("[{}]", join(parts, ","));
}

double largest_of(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values)
        if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    return largest;
}

bool same_number(double got, double want, double limit) {
    if (std::isnan(want)) return std::isnan(got);
    if (std::isinf(want) || std::isinf(got)) return got == want;
    return std::fabs(got - want) <= limit;  // false for NaN
}

std::string first_number(const Tensor& got, const Tensor& want, double limit, std::string_view unit) {
    const std::vector<double> ours = to_doubles(got), theirs = to_doubles(want);
    for (size_t i = 0; i < theirs.size(); ++i)
        if (!same_number(ours[i], theirs[i], limit))
            return fmt::format("{}: got {:.6g}, want {:.6g}{}, tolerance {:.3g}", index_text(want.dims, i), ours[i], theirs[i], unit,
                               limit);
    return {};
}

std::string first_text(const Tensor& got, const Tensor& want) {
    for (size_t i = 0; i < static_cast<size_t>(want.count()); ++i)
        if (string_at(got, i) != string_at(want, i))
            return fmt::format("{}: got \"{}\", want \"{}\"", index_text(want.dims, i), escape(string_at(got, i)),
                               escape(string_at(want, i)));
    return {};
}

std::string first_difference(const Tensor& got, const Tensor& want, double limit, std::string_view unit) {
    if (got.dtype != want.dtype || got.dims != want.dims)
        return fmt::format(": got {}{}, want {}{}", name_of(got.dtype), to_string(got.dims), name_of(want.dtype), to_string(want.dims));
    if (got.data.size() == want.data.size() && std::ranges::equal(got.data.span(), want.data.span())) return {};
    return want.dtype == DType::string ? first_text(got, want) : first_number(got, want, limit, unit);
}

class VerifiedExecutable : public Executable, public std::enable_shared_from_this<VerifiedExecutable> {
   public:
    VerifiedExecutable(std::shared_ptr<Executable> own, std::shared_ptr<Executable> reference, const Verification& verification,
                       std::string where)
        : how(verification), place(std::move(where)), own_(std::move(own)), reference_(std::move(reference)) {}
    const std::vector<Port>& inputs() const override { return own_->inputs(); }
    const std::vector<Port>& outputs() const override { return own_->outputs(); }
    std::vector<Choice> choices() override { return own_->choices(); }
    std::unique_ptr<BackendSession> open(const LaneOptions& options) override;

    const Verification how;
    const std::string place;

   private:
    std::shared_ptr<Executable> own_, reference_;
};

class VerifiedSession : public BackendSession {
   public:
    VerifiedSession(std::shared_ptr<VerifiedExecutable> executable, std::unique_ptr<BackendSession> own,
                    std::unique_ptr<BackendSession> reference)
        : executable_(std::move(executable)), own_(std::move(own)), reference_(std::move(reference)) {}

    std::vector<Stored> run(std::span<const Stored> inputs) override { return compared(own_->run(inputs), inputs); }
    void start(std::span<const Stored> inputs) override {
        inputs_ = inputs;
        own_->start(inputs);
    }
    std::vector<Stored> finish() override { return compared(own_->finish(), inputs_); }
    void set_timing(bool on) override { own_->set_timing(on); }
    std::vector<StepTime> step_times() override { return own_->step_times(); }
    uint64_t memory_bytes() override { return own_->memory_bytes(); }

   private:
    std::vector<Stored> compared(std::vector<Stored> got, std::span<const Stored> inputs) {
        const std::vector<Stored> want = reference_->run(inputs);
        for (size_t i = 0; i < want.size(); ++i) {
            const std::string found = difference(got[i], want[i], executable_->outputs()[i], executable_->how);
            if (!found.empty()) throw Error(Exit::no, fmt::format("{}: value {}", executable_->place, found));
        }
        return got;
    }

    std::shared_ptr<VerifiedExecutable> executable_;
    std::unique_ptr<BackendSession> own_, reference_;
    std::span<const Stored> inputs_;
};

std::unique_ptr<BackendSession> VerifiedExecutable::open(const LaneOptions& options) {
    LaneOptions guarded = options;
    guarded.guarded = true;
    return std::make_unique<VerifiedSession>(shared_from_this(), own_->open(guarded), reference_->open({.threads = options.threads}));
}

}  // namespace

std::string difference(const Stored& got, const Stored& want, const Port& port, const Verification& how) {
    const bool codes = want.encoding && want.encoding->is_fixed() && !is_float(want.encoding->storage);
    std::string found;
    if (codes) {
        const Stored same = adapt(got, {port.name, port.type, want.encoding});
        found = first_difference(same.tensor, want.tensor, static_cast<double>(how.steps), " (quantized)");
    } else {
        const auto numbers = [](const Stored& stored) {
            return stored.encoding ? dequantize(stored.tensor, *stored.encoding) : stored.tensor;
        };
        const Tensor wanted = numbers(want);
        const double limit = is_float(wanted.dtype) ? how.tolerance * largest_of(to_doubles(wanted)) : 0;
        found = first_difference(numbers(got), wanted, limit, "");
    }
    return found.empty() ? found : fmt::format("\"{}\"{}", escape(port.name), found);
}

std::shared_ptr<Executable> verified(std::shared_ptr<Executable> own, std::shared_ptr<Executable> reference, const Verification& how,
                                     std::string place) {
    return std::make_shared<VerifiedExecutable>(std::move(own), std::move(reference), how, std::move(place));
}

}  // namespace quern
