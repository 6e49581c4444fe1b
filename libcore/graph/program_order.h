// Program order of a graph's nodes. Taking many nodes out costs one walk, when the order is next asked for.
#pragma once

#include <atomic>
#include <vector>

#include "libcore/graph/uses.h"

namespace quern {

class ProgramOrder {
   public:
    ProgramOrder() = default;
    ProgramOrder(const ProgramOrder& other) : ids_(other.ids()) {}
    ProgramOrder(ProgramOrder&& other) noexcept
        : ids_(std::move(other.ids_)), gone_(std::move(other.gone_)), holes_(other.holes_.exchange(false)) {}
    ProgramOrder& operator=(const ProgramOrder& other) { return *this = ProgramOrder(other); }
    ProgramOrder& operator=(ProgramOrder&& other) noexcept;

    // May be called by several threads at once, as whatever only reads the graph.
    const std::vector<NodeId>& ids() const {
        if (holes_.load(std::memory_order_acquire)) close_holes();
        return ids_;
    }
    void set(std::vector<NodeId> ids);
    void insert(NodeId id, NodeId before);  // at the end if there is no `before`
    void erase(NodeId id);

   private:
    void close_holes() const;

    mutable std::vector<NodeId> ids_;
    mutable std::vector<bool> gone_;  // by id: in ids_, but erased
    mutable std::atomic<bool> holes_ = false;
};

}  // namespace quern
