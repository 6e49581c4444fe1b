#include "libcore/kernels/codes/rows.h"

#include "libcore/kernels/blocks/rows.h"

extern "C" std::span<const quern::KernelRow> quern_codes_rows() {
    using namespace quern;
    static const auto rows = [] {
        std::vector<KernelRow> all;
        for (const auto family : {block_kernels::rows(),
                                  codes::conv_rows(),
                                  codes::transposed_conv_rows(),
                                  codes::product_rows(),
                                  codes::computed_product_rows(),
                                  codes::recode_rows(),
                                  codes::real_matrix_rows(),
                                  codes::real_conv_rows(),
                                  codes::stored_matmul_rows(),
                                  codes::pair_rows(),
                                  codes::bias_rows(),
                                  codes::share_softmax_rows(),
                                  codes::softmax_rows(),
                                  codes::layer_norm_rows(),
                                  codes::concat_rows(),
                                  codes::bilinear_rows(),
                                  codes::resize_rows(),
                                  codes::average_pool_rows(),
                                  codes::pool_rows(),
                                  codes::lstm_rows(),
                                  codes::svdf_rows(),
                                  codes::hybrid_recurrent_rows()})
            all.insert(all.end(), family.begin(), family.end());
        return all;
    }();
    return rows;
}
