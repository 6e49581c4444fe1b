#include "libcore/graph/uses.h"

#include <algorithm>

namespace quern {

// Ids that are not values of the graph (a damaged file's) are left to the verifier.
void UseLists::add(ValueId id, Use use) {
    if (index_of(id) >= of_.size()) return;
    auto& list = of_[index_of(id)];
    list.insert(std::upper_bound(list.begin(), list.end(), use), use);
}

void UseLists::remove(ValueId id, Use use) {
    if (index_of(id) >= of_.size()) return;
    auto& list = of_[index_of(id)];
    const auto found = std::lower_bound(list.begin(), list.end(), use);
    if (found != list.end() && *found == use) list.erase(found);
}

Operands::Ref& Operands::Ref::operator=(ValueId id) {
    const Use use{of_->node_, static_cast<int>(i_)};
    if (of_->lists_) of_->lists_->remove(of_->ids_[i_], use);
    of_->ids_[i_] = id;
    if (of_->lists_) of_->lists_->add(id, use);
    return *this;
}

Operands& Operands::operator=(std::vector<ValueId> ids) {
    remove_from(0);
    ids_ = std::move(ids);
    add_from(0);
    return *this;
}

void Operands::push_back(ValueId id) {
    ids_.push_back(id);
    add_from(ids_.size() - 1);
}

void Operands::pop_back() { resize(ids_.size() - 1); }

void Operands::resize(size_t count, ValueId id) {
    const size_t kept = std::min(count, ids_.size());
    remove_from(kept);
    ids_.resize(count, id);
    add_from(kept);
}

void Operands::insert(const_iterator before, ValueId id) {
    const size_t first = static_cast<size_t>(before - ids_.cbegin());
    remove_from(first);
    ids_.insert(before, id);
    add_from(first);
}

void Operands::erase(const_iterator at) {
    const size_t first = static_cast<size_t>(at - ids_.cbegin());
    remove_from(first);
    ids_.erase(at);
    add_from(first);
}

void Operands::attach(UseLists& lists, NodeId node) {
    lists_ = &lists;
    node_ = node;
    add_from(0);
}

void Operands::detach() {
    remove_from(0);
    lists_ = nullptr;
}

void Operands::add_from(size_t first) {
    if (!lists_) return;
    for (size_t i = first; i < ids_.size(); ++i) lists_->add(ids_[i], {node_, static_cast<int>(i)});
}

void Operands::remove_from(size_t first) {
    if (!lists_) return;
    for (size_t i = first; i < ids_.size(); ++i) lists_->remove(ids_[i], {node_, static_cast<int>(i)});
}

}  // namespace quern
