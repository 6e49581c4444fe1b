#include "libcore/kernels/onednn/rows.h"

extern "C" std::span<const quern::KernelRow> quern_onednn_rows() {
    using namespace quern;
    static const auto rows = [] {
        std::vector<KernelRow> all{onednn::conv_row()};
        for (const auto family : {onednn::matmul_rows(), onednn::pool_rows(), onednn::norm_rows(), onednn::eltwise_rows()})
            all.insert(all.end(), family.begin(), family.end());
        return all;
    }();
    return rows;
}
