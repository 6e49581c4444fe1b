#include "formats/samples/random_source.h"

#include "libcore/base/text.h"

namespace quern {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): a step of the state, then a mix of it.
class SplitMix {
   public:
    explicit SplitMix(uint64_t seed) : state_(seed) {}
    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

   private:
    uint64_t state_;
};

class RandomSource : public SampleSource {
   public:
    RandomSource(const std::vector<InputSpec>& specs, uint64_t seed, uint64_t count) : specs_(specs), seed_(seed), count_(count) {
        for (const InputSpec& spec : specs)
            if (!spec.type.shape.ranked || bits_of(spec.type.dtype) == 0)
                throw unsupported("input \"{}\" is {}: no random numbers of that", escape(spec.name), to_string(spec.type));
    }
    uint64_t count() const override { return count_; }
    std::vector<Tensor> sample(uint64_t i) const override {
        std::vector<Tensor> tensors;
        for (size_t input = 0; input < specs_.size(); ++input) tensors.push_back(make(specs_[input].type, i, input));
        return tensors;
    }
    std::string place(uint64_t i) const override { return fmt::format("random sample {}", i); }
    std::string digest() const override { return fmt::format("random {} {}", seed_, count_); }

   private:
    Tensor make(const Type& type, uint64_t sample, uint64_t input) const {
        Dims dims;
        for (const Dim& dim : type.shape.dims) dims.push_back(dim.known() ? dim.value : 1);
        const auto n = static_cast<size_t>(count_of(dims));
        SplitMix random(SplitMix(SplitMix(seed_).next() ^ sample).next() ^ (input << 48));
        if (!is_float(type.dtype)) {
            std::vector<int64_t> bits(n);
            for (int64_t& bit : bits) bit = static_cast<int64_t>(random.next() >> 63);
            return from_ints(type.dtype, dims, bits);
        }
        std::vector<float> values(n);
        for (float& value : values) value = static_cast<float>(random.next() >> 40) * 0x1p-23f - 1.0f;
        return from_floats(type.dtype, dims, values);
    }
    std::vector<InputSpec> specs_;
    uint64_t seed_, count_;
};

}  // namespace

std::unique_ptr<SampleSource> random_samples(const std::vector<InputSpec>& specs, uint64_t seed, uint64_t count) {
    return std::make_unique<RandomSource>(specs, seed, count);
}

}  // namespace quern
