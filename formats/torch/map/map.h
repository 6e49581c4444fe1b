// What each operator of PyTorch is in our operators: one row each, and a function that rewrites it exactly.
#pragma once

#include <span>
#include <string_view>

#include "formats/torch/map/site.h"

namespace quern::torch_format {

struct MapRow {
    std::string_view
        names;  // space separated: "aten.add", or with the overload, "aten.add.Tensor"; without it, all that have no row of their own
    std::string_view ops;  // ours, as in the documentation
    // False: this use of the operator cannot be said in our operators, it is kept. Must not have added anything then.
    bool (*rewrite)(Site& site);
    // Of an operator whose result shows (a part of) its first operand: the operand after `shown` was written there; none: not known how.
    ValueId (*write_back)(Site& site, ValueId base, ValueId shown) = nullptr;
    bool view = false;
    std::string_view limits = {};  // uses that are kept: those for which `rewrite` says false
};

std::span<const MapRow> elementwise_rows();
std::span<const MapRow> activation_rows();
std::span<const MapRow> view_rows();
std::span<const MapRow> movement_rows();
std::span<const MapRow> product_rows();
std::span<const MapRow> spatial_rows();
std::span<const MapRow> pool_rows();
std::span<const MapRow> resize_rows();
std::span<const MapRow> reduce_rows();
std::span<const MapRow> normal_rows();
std::span<const MapRow> create_rows();
std::span<const MapRow> index_rows();
std::span<const MapRow> scalar_rows();
std::span<const MapRow> attention_rows();
std::span<const MapRow> recurrent_rows();
std::span<const MapRow> control_rows();
std::span<const MapRow> quantized_rows();
std::span<const MapRow> composed_rows();
std::span<const MapRow> counting_rows();
std::span<const MapRow> special_rows();
std::span<const MapRow> matrix_rows();
std::span<const MapRow> order_rows();
std::span<const MapRow> joined_rows();
std::span<const MapRow> loss_rows();

struct Mapped {
    const MapRow* row = nullptr;  // nullptr: kept
    bool in_place = false;        // the operator writes into its first operand, too: "add_"
};
Mapped map_row(std::string_view target);
std::vector<const MapRow*> map_rows();

}  // namespace quern::torch_format
