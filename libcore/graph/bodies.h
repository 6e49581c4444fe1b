// The bodies of a node: graphs that stay where they are in memory, whatever is added. A node without any - nearly every one - allocates
// nothing.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <vector>

namespace quern {

class Graph;

class Bodies {
    template <class G>
    class Iterator {
       public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = Graph;
        using difference_type = std::ptrdiff_t;
        using pointer = G*;
        using reference = G&;

        Iterator() = default;
        explicit Iterator(const std::unique_ptr<Graph>* at) : at_(at) {}
        G& operator*() const { return **at_; }
        G* operator->() const { return at_->get(); }
        Iterator& operator++() { return ++at_, *this; }
        Iterator operator++(int) { return Iterator(at_++); }
        bool operator==(const Iterator&) const = default;

       private:
        const std::unique_ptr<Graph>* at_ = nullptr;
    };

   public:
    Bodies();
    Bodies(const Bodies& other);
    Bodies(Bodies&& other) noexcept;
    Bodies& operator=(const Bodies& other);
    Bodies& operator=(Bodies&& other) noexcept;
    ~Bodies();

    size_t size() const { return list_.size(); }
    bool empty() const { return list_.empty(); }
    Graph& operator[](size_t i) { return *list_[i]; }
    const Graph& operator[](size_t i) const { return *list_[i]; }
    Graph& at(size_t i) { return *list_.at(i); }
    const Graph& at(size_t i) const { return *list_.at(i); }
    Graph& push_back(Graph&& body);
    void swap(Bodies& other) noexcept { list_.swap(other.list_); }

    Iterator<Graph> begin() { return Iterator<Graph>(list_.data()); }
    Iterator<Graph> end() { return Iterator<Graph>(list_.data() + list_.size()); }
    Iterator<const Graph> begin() const { return Iterator<const Graph>(list_.data()); }
    Iterator<const Graph> end() const { return Iterator<const Graph>(list_.data() + list_.size()); }

   private:
    std::vector<std::unique_ptr<Graph>> list_;
};

}  // namespace quern
