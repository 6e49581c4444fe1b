#include "libcore/kernels/direct/rows.h"

extern "C" std::span<const quern::KernelRow> quern_direct_rows() {
    using namespace quern;
    static const auto rows = [] {
        std::vector<KernelRow> all;
        for (const auto family : {direct::conv_rows(), direct::pool_rows(), direct::product_rows()})
            all.insert(all.end(), family.begin(), family.end());
        return all;
    }();
    return rows;
}
