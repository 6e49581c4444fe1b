#include "libcore/graph/program_order.h"

#include <algorithm>
#include <mutex>

namespace quern {

ProgramOrder& ProgramOrder::operator=(ProgramOrder&& other) noexcept {
    ids_ = std::move(other.ids_);
    gone_ = std::move(other.gone_);
    holes_ = other.holes_.exchange(false);
    return *this;
}

void ProgramOrder::set(std::vector<NodeId> ids) {
    ids_ = std::move(ids);
    gone_.clear();
    holes_ = false;
}

void ProgramOrder::insert(NodeId id, NodeId before) {
    if (before == NodeId::none) return ids_.push_back(id);
    ids();  // what is erased is not a place
    ids_.insert(std::find(ids_.begin(), ids_.end(), before), id);
}

void ProgramOrder::erase(NodeId id) {
    if (gone_.size() <= index_of(id)) gone_.resize(index_of(id) + 1, false);
    gone_[index_of(id)] = true;
    holes_ = true;
}

void ProgramOrder::close_holes() const {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    if (!holes_.load(std::memory_order_relaxed)) return;
    std::erase_if(ids_, [&](NodeId id) { return index_of(id) < gone_.size() && gone_[index_of(id)]; });
    gone_.clear();
    holes_.store(false, std::memory_order_release);
}

}  // namespace quern
