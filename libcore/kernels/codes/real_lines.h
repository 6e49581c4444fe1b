// Kernels of operators that no profile computes on codes: they decode the lines along the last dims, compute on real numbers exactly as
// their reference does (every line in its order), and encode. Lines are computed side by side.
#pragma once

#include "libcore/kernels/kernel.h"

namespace quern::codes {

class RealLines : public Kernel {
   public:
    explicit RealLines(const Site& site) : x_(site.value(site.first().in[0]).enc), y_(site.result) {}
    void run(KernelCtx& ctx) final;

   protected:
    // How many numbers of these dims are a line.
    virtual int64_t length_of(const Dims& dims) const = 0;
    // [count][length], in place.
    virtual void compute(float* lines, int64_t count, int64_t length) const = 0;

   private:
    std::optional<Encoding> x_, y_;
};

// Why no such kernel takes the site; empty if one may: it has codes on one side at least, then, and its rank is known.
std::string_view real_lines_obstacle(const Site& site);

}  // namespace quern::codes
