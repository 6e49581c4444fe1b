// What each operator of TFLite and Circle is in our operators: one row each. A row names its operator and, where options or operands
// need more than passing them on, a function that rewrites it exactly.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "formats/tflite/map/site.h"

namespace quern::tflite_format {

struct MapRow {
    Code code;
    std::string_view ops;  // ours, as in the documentation: "Sub Mul"
    // False: this use of the operator cannot be said in our operators, it is kept. Must not have added anything then.
    bool (*rewrite)(Site& site) = nullptr;
    std::string_view limits = {};  // what is kept as it is, for the documentation
    std::string_view custom = {};  // of Code::CUSTOM: what the operator calls itself
    OpId op = {};                  // without a function
};

// A row of one of our operators that takes operands and results as they are.
constexpr MapRow as_it_is(Code code, OpId op) { return {.code = code, .ops = op.name, .op = op}; }

std::span<const MapRow> arithmetic_rows();
std::span<const MapRow> spatial_rows();
std::span<const MapRow> product_rows();
std::span<const MapRow> shape_rows();
std::span<const MapRow> slice_rows();
std::span<const MapRow> reduce_rows();
std::span<const MapRow> recurrent_rows();
std::span<const MapRow> rnn_rows();
std::span<const MapRow> state_rows();
std::span<const MapRow> detection_rows();
std::span<const MapRow> segment_rows();
std::span<const MapRow> stablehlo_rows();
std::span<const MapRow> stablehlo_window_rows();
std::span<const MapRow> spectrum_rows();
std::span<const MapRow> control_rows();

// A value of the graph around, seen from a body of it.
ValueId captured(Site& site, Graph& body, ValueId outer);

// Results of a bidirectional operator: one behind the other along the last dim, or two.
bool both_ways(Site& site, ValueId forth, ValueId back);

// Constants in codes with one scale each, one after the other along axis 1 of a tensor that has a scale for each of their rows; nullopt:
// they are others. `spare` codes of 0 follow.
std::optional<ValueId> stacked_codes(Site& site, std::span<const size_t> operands, std::string_view what, size_t spare = 0);

const MapRow* map_row(const FileOperator& op);  // nullptr: kept
std::vector<const MapRow*> map_rows();          // by code

}  // namespace quern::tflite_format
