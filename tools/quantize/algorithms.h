// The flags of quantize for algorithms and the samples that they take.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libcore/cli/sample_options.h"
#include "libcore/quant/algorithms/choice.h"

namespace quern {

class AlgorithmFlags {
   public:
    void add(Options& add);
    void add_list(Options& add);
    bool list() const { return list_; }
    // Throws Exit::usage for a name that is unknown or there twice.
    std::vector<const Algorithm*> chosen() const;
    // Throws Exit::usage for an option of an algorithm that neither the flags nor a rule names.
    void check_usage(const AlgorithmChoice& choice, const GivenOptions& given) const;
    AlgorithmOptions options(const std::vector<const Algorithm*>& chosen) const;  // without samples

   private:
    std::vector<std::string> names_;
    int64_t rows_ = 4096, iterations_ = 1000;
    double alpha_ = 0.5;
    std::string smooth_mul_;
    bool list_ = false;
};

void warn_of_random(const SampleFlags& flags);
// The samples that the flags name, for algorithms.
std::unique_ptr<SampleSource> open_for_algorithms(const SampleFlags& flags, const std::vector<InputSpec>& specs);
Exit list_algorithms();
// What each did: with -v layer by layer, else its notes, and that it found nothing to do.
void say_what_algorithms_did(const QuantReport& report);

}  // namespace quern
