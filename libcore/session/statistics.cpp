#include "libcore/session/statistics.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

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
        logs += std::log(std::max(t, 1e-12));
    }
    s.runs = n;
    s.min = seconds.front();
    s.mean = s.total / static_cast<double>(n);
    s.median = n % 2 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
    s.p90 = rank(0.90);
    s.p99 = rank(0.99);
    s.max = seconds.back();
    s.geomean = std::exp(logs / static_cast<double>(n));
    return s;
}

uint64_t peak_resident_bytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace quern
