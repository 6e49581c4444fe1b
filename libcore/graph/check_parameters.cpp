#include "libcore/graph/check_parameters.h"

#include <fmt/format.h>

namespace quern {

void check_parameters(const Dims& dims, const Encoding& e) {
    Dims expected;
    if (!e.per_tensor()) {
        const size_t axis = normal_axis(e.axis, dims.size(), "quantization axis");
        expected = e.block > 0 ? dims : Dims{dims[axis]};
        if (e.block > 0) expected[axis] = dims[axis] / e.block + (dims[axis] % e.block != 0);
    }
    const auto check = [&](const Tensor& parameters, std::string_view what) {
        if (parameters.dims == expected || (e.per_tensor() && parameters.count() == 1)) return;
        throw bad_input("has {} {}, need {}{}", what, to_string(parameters.dims), to_string(expected),
                        e.block > 0 ? fmt::format(" (blocks of {} along axis {} of {})", e.block, e.axis, to_string(dims)) : "");
    };
    check(e.scale, "scales");
    if (e.zero.defined()) check(e.zero, "zero points");
    if (e.min.defined()) check(e.min, "minima");
}

}  // namespace quern
