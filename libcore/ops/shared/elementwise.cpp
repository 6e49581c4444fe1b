#include "libcore/ops/shared/elementwise.h"

namespace quern {
namespace {

// Dim `i` counted from the last one; 1 beyond the rank.
int64_t dim_from_end(std::span<const int64_t> dims, size_t i) { return i < dims.size() ? dims[dims.size() - 1 - i] : 1; }

size_t product(std::span<const int64_t> dims) {
    size_t count = 1;
    for (const int64_t dim : dims) count *= static_cast<size_t>(dim);
    return count;
}

std::span<const int64_t> without_last(std::span<const int64_t> dims, size_t count) {
    return dims.first(dims.size() - std::min(dims.size(), count));
}

// Whether the last `inner` dims are there in full (else all are 1).
size_t steps(std::span<const int64_t> dims, std::span<const int64_t> out, size_t inner) {
    for (size_t i = 0; i < inner; ++i)
        if (dim_from_end(out, i) != 1) return dim_from_end(dims, i) == dim_from_end(out, i);
    return 1;
}

}  // namespace

size_t BroadcastRuns::inner_dims(std::span<const int64_t> a, std::span<const int64_t> b, std::span<const int64_t> out) {
    int pattern = -1;  // which of a and b are there in full
    for (size_t i = 0; i < out.size(); ++i) {
        const int64_t length = dim_from_end(out, i);
        if (length == 1) continue;
        const int here = (dim_from_end(a, i) == length ? 2 : 0) + (dim_from_end(b, i) == length ? 1 : 0);
        if (pattern >= 0 && here != pattern) return i;
        pattern = here;
    }
    return out.size();
}

BroadcastRuns::BroadcastRuns(std::span<const int64_t> a, std::span<const int64_t> b, std::span<const int64_t> out, size_t inner)
    : runs(product(without_last(out, inner))),
      run(product(out.last(inner))),
      step_a(steps(a, out, inner)),
      step_b(steps(b, out, inner)),
      outer_a_(without_last(a, inner), without_last(out, inner)),
      outer_b_(without_last(b, inner), without_last(out, inner)) {}

void need_same_type(const Tensor& a, const Tensor& b) {
    if (a.dtype != b.dtype) throw bad_input("inputs are {} and {}, need the same type", name_of(a.dtype), name_of(b.dtype));
}

}  // namespace quern
