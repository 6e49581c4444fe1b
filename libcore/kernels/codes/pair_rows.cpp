#include "libcore/kernels/codes/pair_rows.h"

namespace quern::codes {

PairRows::PairRows(const Dims& a, const Dims& b) : dims_(broadcast(a, b)) {
    std::vector<Run> runs;
    size_t a_step = 1, b_step = 1;
    for (size_t i = 1; i <= dims_.size(); ++i) {
        const auto length = static_cast<size_t>(dims_[dims_.size() - i]);
        const auto a_length = i <= a.size() ? static_cast<size_t>(a[a.size() - i]) : 1;
        const auto b_length = i <= b.size() ? static_cast<size_t>(b[b.size() - i]) : 1;
        if (length == 1) continue;
        const Run run{length, a_length == 1 ? 0 : a_step, b_length == 1 ? 0 : b_step};
        if (!runs.empty() && (runs.back().a == 0) == (run.a == 0) && (runs.back().b == 0) == (run.b == 0))
            runs.back().length *= length;
        else
            runs.push_back(run);
        a_step *= a_length;
        b_step *= b_length;
    }
    if (runs.empty()) return;
    row_ = runs[0];
    outer_.assign(runs.begin() + 1, runs.end());
    for (const Run& run : outer_) count_ *= run.length;
}

PairRows::Start PairRows::start(size_t row) const {
    Start at{0, 0};
    for (const Run& run : outer_) {
        at.a += row % run.length * run.a;
        at.b += row % run.length * run.b;
        row /= run.length;
    }
    return at;
}

}  // namespace quern::codes
