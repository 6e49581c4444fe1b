// What each operator of TensorFlow is in our operators: one row each, and a function that rewrites it exactly.
#pragma once

#include <span>
#include <string_view>

#include "formats/tensorflow/map/site.h"

namespace quern::tensorflow_format {

struct MapRow {
    std::string_view names;  // space separated
    std::string_view ops;    // ours, as in the documentation
    // False: this use of the operator cannot be said in our operators, it is kept. Must not have added anything then.
    bool (*rewrite)(Site& site);
    // The output arguments by name and in order, as functions refer to them; one that is a list ends in '*'. None: as if there were one.
    std::string_view outputs = {};
};

std::span<const MapRow> elementwise_rows();
std::span<const MapRow> activation_rows();
std::span<const MapRow> product_rows();
std::span<const MapRow> fused_rows();
std::span<const MapRow> spatial_rows();
std::span<const MapRow> block_rows();
std::span<const MapRow> pool_rows();
std::span<const MapRow> normal_rows();
std::span<const MapRow> reduce_rows();
std::span<const MapRow> shape_rows();
std::span<const MapRow> slice_rows();
std::span<const MapRow> index_rows();
std::span<const MapRow> counting_rows();
std::span<const MapRow> diagonal_rows();
std::span<const MapRow> create_rows();
std::span<const MapRow> resize_rows();
std::span<const MapRow> patch_rows();
std::span<const MapRow> quantize_rows();
std::span<const MapRow> control_rows();  // calls, branches, loops
std::span<const MapRow> flow_rows();     // the same of TensorFlow 1
std::span<const MapRow> state_rows();    // variables
std::span<const MapRow> list_rows();     // lists and arrays of tensors

const MapRow* map_row(std::string_view op);  // nullptr: kept
std::vector<const MapRow*> map_rows();

}  // namespace quern::tensorflow_format
