// Graphs of ours while nodes are added to them: the model's own, and bodies inside each other.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "libcore/graph/op.h"
#include "libcore/graph/step_inference.h"

namespace quern::tensorflow_format {

// The nodes of a body may read what the graphs around it have.
class Frame {
   public:
    explicit Frame(Graph& of, Frame* around = nullptr) : graph(of), parent(around), types_(of) {}
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    // A value of this frame or of one around it, as a value of this graph.
    ValueId take(ValueId id, const Frame* owner);
    // A new value; a name that is taken gets a number behind it.
    ValueId declare(const std::string& wish, Type type);
    // Adds a node and infers the types of its results.
    NodeId add(const Op* op, const std::string& name, std::vector<ValueId> in, std::vector<ValueId> out, Attrs attrs = {});
    void infer(NodeId id) { types_.add(id); }
    StepInference& types() { return types_; }
    // Numbers of a small integer tensor that are known before the run.
    std::optional<std::vector<int64_t>> numbers(ValueId id) const { return types_.numbers(id); }

    Graph& graph;
    Frame* const parent;

   private:
    StepInference types_;
    std::map<ValueId, ValueId> captures_;  // by the value of the parent
    std::map<std::string, size_t, std::less<>> suffixes_;
};

// A list of tensors is one tensor [length, item...]. What items are may be seen only where one is put in: until then it has no tensor.
struct ListItems {
    DType dtype = DType::none;
    Shape shape;         // of an item
    bool grows = false;  // an item may be put behind the last
};

// What a result of a node stands for.
struct Bound {
    enum class Kind : uint8_t { none, tensor, handle, list };
    Kind kind = Kind::none;
    ValueId id = ValueId::none;             // of a list: none until its items are known, `length` says how many there are then
    const Frame* frame = nullptr;           // that has it
    std::string handle = {};                // the variable
    std::shared_ptr<ListItems> items = {};  // of a list, or of a handle of one
    ValueId length = ValueId::none;

    static Bound tensor(ValueId id, const Frame& frame) { return {.kind = Kind::tensor, .id = id, .frame = &frame}; }
    static Bound variable(std::string name) { return {.kind = Kind::handle, .handle = std::move(name)}; }
};

}  // namespace quern::tensorflow_format
