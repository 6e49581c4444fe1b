// Use lists: the consumers of a value, kept up to date by every change of what a node reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quern {

enum class ValueId : uint32_t { none = 0xffffffff };
enum class NodeId : uint32_t { none = 0xffffffff };
constexpr size_t index_of(ValueId id) { return static_cast<size_t>(id); }
constexpr size_t index_of(NodeId id) { return static_cast<size_t>(id); }

// A use of a value: input `index` of `node`, capture by a body of `node` (index = -1 - body), or graph output (node none).
struct Use {
    NodeId node;
    int index;
    bool operator==(const Use&) const = default;
    auto operator<=>(const Use&) const = default;
};

// The use that is the only one and an input of a node; nullptr: there are others, it is a capture or an output of the graph, or there is
// none.
inline const Use* only_use(const std::vector<Use>& uses) {
    return uses.size() == 1 && uses[0].node != NodeId::none && uses[0].index >= 0 ? &uses[0] : nullptr;
}

// The inputs of nodes that read each value of a graph, by node id and input.
class UseLists {
   public:
    void add_value() { of_.emplace_back(); }
    void add(ValueId id, Use use);
    void remove(ValueId id, Use use);
    const std::vector<Use>& of(ValueId id) const { return of_[index_of(id)]; }

   private:
    std::vector<std::vector<Use>> of_;
};

// The values that a node reads. Reads like a const vector; what is changed goes into the use lists of the graph that has the node, too.
// A copy belongs to no graph until one takes it.
class Operands {
   public:
    // Input i, to be read or set.
    class Ref {
       public:
        operator ValueId() const { return of_->ids_[i_]; }
        Ref& operator=(ValueId id);
        Ref& operator=(const Ref& other) { return *this = static_cast<ValueId>(other); }
        Ref(const Ref&) = default;

       private:
        friend class Operands;
        Ref(Operands* of, size_t i) : of_(of), i_(i) {}
        Operands* of_;
        size_t i_;
    };
    using const_iterator = std::vector<ValueId>::const_iterator;

    Operands() = default;
    Operands(const Operands& other) : ids_(other.ids_) {}
    Operands& operator=(const Operands& other) { return *this = other.ids_; }
    Operands& operator=(std::vector<ValueId> ids);

    operator const std::vector<ValueId>&() const { return ids_; }
    const_iterator begin() const { return ids_.begin(); }
    const_iterator end() const { return ids_.end(); }
    size_t size() const { return ids_.size(); }
    bool empty() const { return ids_.empty(); }
    const ValueId* data() const { return ids_.data(); }
    ValueId operator[](size_t i) const { return ids_[i]; }
    Ref operator[](size_t i) { return {this, i}; }
    ValueId at(size_t i) const { return ids_.at(i); }
    ValueId front() const { return ids_.front(); }
    ValueId back() const { return ids_.back(); }
    bool operator==(const Operands& other) const { return ids_ == other.ids_; }

    void push_back(ValueId id);
    void pop_back();
    void resize(size_t count, ValueId id = ValueId::none);
    void clear() { resize(0); }
    void insert(const_iterator before, ValueId id);
    void erase(const_iterator at);

   private:
    friend class Graph;
    void attach(UseLists& lists, NodeId node);
    void detach();
    void add_from(size_t first);
    void remove_from(size_t first);

    std::vector<ValueId> ids_;
    UseLists* lists_ = nullptr;
    NodeId node_ = NodeId::none;
};

}  // namespace quern
