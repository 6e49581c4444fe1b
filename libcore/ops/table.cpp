// The table of operators: the rows of all families.
#include <vector>

#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/sequence.h"

namespace quern {

std::span<const Op* const> all_ops() {
    static const auto table = [] {
        std::vector<const Op*> rows;
        for (const std::span<const Op> family :
             {unary_ops(),      activation_ops(), cast_ops(),      binary_ops(),    compare_ops(), reduce_ops(),    arg_ops(),
              cumulative_ops(), shape_ops(),      move_ops(),      rearrange_ops(), pad_ops(),     gather_ops(),    scatter_ops(),
              select_ops(),     generate_ops(),   random_ops(),    signal_ops(),    matmul_ops(),  conv_ops(),      pool_ops(),
              norm_ops(),       attention_ops(),  recurrent_ops(), loss_ops(),      contrib_ops(), quantized_ops(), contrib_quantized_ops(),
              control_ops(),    image_ops(),      stateful_ops(),  detection_ops(), text_ops(),    sequence_ops(),  ml_ops(),
              ml_tree_ops()})
            for (const Op& op : family) rows.push_back(&op);
        return rows;
    }();
    return table;
}

}  // namespace quern
