// What onert_run measures and says: phases in milliseconds, memory in kb, as text and as a row of CSV.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/runs/statistics.h"
#include "tools/onert_run/memory.h"

namespace quern::onert_run {

enum class Phase : uint8_t { load, prepare, warmup, execute };

class Report {
   public:
    bool poll_memory = false;
    std::string calibration;  // "": none; else what ranges come from, a warning if that is not data

    // Runs `body` and adds its time to the phase; memory too, if it is polled, but not while executing: that would be measured, too.
    double measure(Phase phase, const std::function<void()>& body);
    // `verbose`: warm-up, too.
    std::string text(bool verbose) const;
    std::string csv(std::string_view model, std::string_view backend) const;

   private:
    struct Measured {
        std::vector<double> seconds;
        MemoryKib memory;
    };
    double total(Phase phase) const;
    const MemoryKib& memory(Phase phase) const { return phases_[static_cast<size_t>(phase)].memory; }
    MemoryKib peak() const;
    std::string memory_text() const;

    std::array<Measured, 4> phases_;
    MemoryKib before_ = memory_now();
};

}  // namespace quern::onert_run
