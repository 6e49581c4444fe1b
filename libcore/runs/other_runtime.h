// A product in the runtime that it was made for, as it is installed for Python, beside quern's own run: --verify-with.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "formats/samples/source.h"
#include "formats/tensors/fit.h"
#include "libcore/runs/compare.h"

namespace quern {

inline constexpr std::array<std::string_view, 3> other_runtimes{"ort", "litert", "onert"};

class OtherRuntime {
   public:
    // Of those above. Throws Exit::unsupported where it is not installed for $QUERN_PYTHON (python3), or code of others is forbidden.
    explicit OtherRuntime(std::string_view name);

    const std::string& version() const { return version_; }  // "onnxruntime 1.22.0"
    std::string_view format() const;                         // that it reads
    // Runs the file `path` in both; its own outputs are the reference. Throws Exit::unsupported if it cannot run it.
    Comparison compare(const std::string& path, const std::function<std::unique_ptr<SampleSource>(const std::vector<InputSpec>&)>& open,
                       int threads) const;

   private:
    size_t row_ = 0;
    std::string python_, version_;
};

}  // namespace quern
