// Parts of making a probe: copies of nodes, and which values and nodes of two models belong together.
#pragma once

#include <functional>
#include <map>

#include "libcore/check/probed_unit.h"
#include "libcore/graph/op.h"
#include "libcore/support/units.h"

namespace quern {

// Copies nodes of one graph into another, whose values get other names where theirs are taken.
class NodeCopier {
   public:
    NodeCopier(const Graph& from, Graph& to, bool with_encodings) : from_(from), to_(to), with_encodings_(with_encodings) {}

    // The value of the copy that stands for `id`; constants are copied when they are asked for, with their encodings.
    ValueId of(ValueId id);
    bool has(ValueId id) const { return map_.contains(id); }
    void bind(ValueId id, ValueId in_copy) { map_[id] = in_copy; }
    // A value like `id` without producer.
    ValueId add_like(ValueId id);
    void copy(NodeId id);
    // What bodies compute stays float.
    void leave_bodies_float() { rounds_in_bodies_ = false; }
    // Constants that were copied before are shared.
    void share_constants(std::map<ValueId, ValueId>& constants) { constants_ = &constants; }

   private:
    const Graph& from_;
    Graph& to_;
    bool with_encodings_, rounds_in_bodies_ = true;  // of activations
    std::map<ValueId, ValueId> map_, own_constants_, *constants_ = &own_constants_;
};

// Inputs (or outputs) of the quantized model among those of the float model: by name, or if not all names are there, by place. Throws
// Exit::bad_input if there are not as many then.
std::vector<size_t> places_of(const Graph& exact, const std::vector<ValueId>& of, const Graph& quantized,
                              const std::vector<ValueId>& wanted, std::string_view what);

// The values of `quantized` by id that have a counterpart in `exact`: its id there, else none.
std::vector<ValueId> counterparts(const Graph& exact, const Graph& quantized);
// The groups of nodes between values with counterparts, each in program order, by the order of their last nodes.
std::vector<std::vector<NodeId>> groups_between(const Graph& quantized, const std::vector<ValueId>& counterpart);
// What is known of a group without its values.
ProbedUnit describe_unit(const Graph& quantized, const std::vector<NodeId>& nodes);

}  // namespace quern
