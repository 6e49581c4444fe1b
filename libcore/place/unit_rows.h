// Rows of a unit: which rows of what it reads a range of the rows of its result needs, halos of windows included.
//
// Rows lie on one axis, counted from the last: of data with channels and space on the first spatial axis that is longer than 1, of other
// data on the first such axis behind the batch and before the last. What has no such axis, or 1 there, is needed whole.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/graph/op.h"

namespace quern::place {

struct Rows {
    int64_t first = 0, end = 0;  // [first, end)
    int64_t of = 1;              // rows of the value
    bool whole = false;          // all are needed for any row of the result
};

class UnitRows {
   public:
    // `unit`: nodes of one unit (support/units.h), in their order.
    UnitRows(const Graph& graph, std::span<const NodeId> unit);

    const std::string& refusal() const { return refusal_; }  // why the unit does not go by rows; "": it does
    int64_t length() const { return length_; }               // rows of the result
    // Values of other units that the result is made of, each once, constants apart; last the result.
    const std::vector<ValueId>& values() const { return values_; }
    // Of each of these the rows that the rows `first` to `end` of the result need.
    std::vector<Rows> needed(int64_t first, int64_t end) const;

   private:
    // Rows o of a result need rows floor((o * step + below) / per) to floor((o * step + above) / per) of an input.
    struct Reach {
        ValueId from, to;
        size_t from_slot = 0, to_slot = 0;  // of their values, the result's is 0
        int64_t of = 1, step = 1, per = 1, below = 0, above = 0;
        bool whole = false;
    };
    bool add(const Graph& graph, const Node& node);  // false: the node does not go by rows
    bool add_window(const Graph& graph, const Node& node, Reach reach);
    bool add_product(const Graph& graph, const Node& node);
    bool add_elements(const Graph& graph, const Node& node, size_t inputs);
    void add_whole(const Graph& graph, const Node& node, size_t first);
    size_t axis_in(size_t rank) const { return rank - from_end_; }  // of a rank that has it
    bool is_reached(ValueId id) const;
    int64_t rows_of(const Graph& graph, ValueId id) const;
    Reach reach(const Graph& graph, const Node& node, size_t input) const;
    void number_values(const Graph& graph, std::span<const NodeId> unit);

    size_t from_end_ = 1;
    int64_t length_ = 1;
    ValueId result_ = ValueId::none;
    std::vector<Reach> reaches_;  // of later nodes first
    size_t slots_ = 1;
    std::vector<ValueId> values_;
    std::vector<size_t> slot_of_;  // of each of `values_`
    std::string refusal_;
};

}  // namespace quern::place
