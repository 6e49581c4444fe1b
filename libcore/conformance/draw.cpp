#include "libcore/conformance/draw.h"

namespace quern::random_graphs {

Tensor Draw::tensor(DType dtype, Dims dims, double low, double high) {
    if (!bytes_.empty()) return Draw(static_cast<uint64_t>(number(0, 0xffff))).tensor(dtype, std::move(dims), low, high);
    std::vector<double> items(static_cast<size_t>(count_of(dims)));
    for (double& item : items)
        item = is_float(dtype) ? real(low, high) : static_cast<double>(number(static_cast<int64_t>(low), static_cast<int64_t>(high)));
    return from_doubles(dtype, std::move(dims), items);
}

}  // namespace quern::random_graphs
