#include "libcore/runs/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

#include "libcore/ops/shared/portable_math.h"

namespace quern {

TimeSummary summarize(std::vector<double> seconds) {
    TimeSummary s;
    if (seconds.empty()) return s;
    std::sort(seconds.begin(), seconds.end());
    const size_t n = seconds.size();
    const auto rank = [&](double p) { return seconds[std::min(n - 1, static_cast<size_t>(std::ceil(p * static_cast<double>(n))) - 1)]; };
    double logs = 0;
    for (const double t : seconds) {
        s.total += t;
        logs += portable::log(std::max(t, 1e-12));
    }
    s.runs = n;
    s.min = seconds.front();
    s.mean = s.total / static_cast<double>(n);
    s.median = n % 2 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
    s.p90 = rank(0.90);
    s.p99 = rank(0.99);
    s.max = seconds.back();
    s.geomean = portable::exp(logs / static_cast<double>(n));
    return s;
}

// Not getrusage: its figure begins with that of the process that started this one.
uint64_t peak_resident_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind("VmHWM:", 0) == 0) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
    return 0;
}

}  // namespace quern
