#include "libcore/check/split.h"

#include <vector>

namespace quern {
namespace {

class Some : public SampleSource {
   public:
    Some(const SampleSource& source, std::vector<uint64_t> which) : source_(source), which_(std::move(which)) { listed = source.listed; }
    uint64_t count() const override { return which_.size(); }
    std::vector<Tensor> sample(uint64_t i) const override { return source_.sample(which_[i]); }
    std::string place(uint64_t i) const override { return source_.place(which_[i]); }
    uint64_t index(uint64_t i) const override { return source_.index(which_[i]); }
    uint64_t results(uint64_t i) const override { return source_.results(which_[i]); }
    uint64_t batch(uint64_t i) const override { return source_.batch(which_[i]); }
    std::string digest() const override { return source_.digest() + fmt::format(", {} of {}", which_.size(), source_.count()); }

   private:
    const SampleSource& source_;
    std::vector<uint64_t> which_;
};

}  // namespace

Split::Split(const SampleSource& source, bool consecutive) : source_(source) {
    if (source.count() < min_rows) return;
    std::vector<uint64_t> choosing, held_back;
    const uint64_t last = source.count() - (source.count() + 2) / 4;  // as many either way
    for (uint64_t i = 0; i < source.count(); ++i) ((consecutive ? i >= last : i % 4 == 1) ? held_back : choosing).push_back(i);
    choosing_ = std::make_unique<Some>(source, std::move(choosing));
    held_back_ = std::make_unique<Some>(source, std::move(held_back));
}

}  // namespace quern
