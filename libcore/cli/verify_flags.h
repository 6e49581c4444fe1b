// --verify-with: the product in the runtime that it was made for, beside quern's own run.
#pragma once

#include <optional>
#include <string>

#include "libcore/cli/sample_options.h"
#include "libcore/cli/tool.h"
#include "libcore/runs/other_runtime.h"

namespace quern {

class VerifyFlags {
   public:
    void add(Options& add);
    bool given() const { return !runtime_.empty(); }
    // Throws Exit::usage for what does not go together, Exit::unsupported where the runtime is not installed.
    void begin(std::string_view format, const std::string& output, bool dry_run, bool samples);
    // A line for each output; Exit::no if one has less than what is asked for.
    Exit verify(const std::string& output, const SampleFlags& samples, int threads) const;

   private:
    std::string runtime_;
    double sqnr_ = unset;
    std::optional<OtherRuntime> other_;
    static constexpr double unset = -1000;
};

}  // namespace quern
