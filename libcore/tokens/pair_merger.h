// Merging of neighbours, best pair first, the leftmost of equals: what SentencePiece's and byte-level BPE share. O(n log n) by a heap.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <string_view>
#include <vector>

namespace quern::tokens {

struct Symbol {
    std::string_view text;  // empty: merged into one on its left
    int32_t previous = -1, next = -1;
    int32_t id = -1;  // of the rule's own
};

// What a pair becomes; the lowest cost goes first.
struct Merge {
    double cost;
    int32_t id;  // of the symbol that comes of it
};

class PairMerger {
   public:
    void add(std::string_view text, int32_t id) {
        const auto place = static_cast<int32_t>(symbols_.size());
        if (place > 0) symbols_.back().next = place;
        symbols_.push_back({text, place - 1, -1, id});
    }

    // rule(left, right): optional<Merge>. Texts of neighbours are neighbours in memory.
    template <class Rule>
    void run(const Rule& rule) {
        const auto offer = [&](int32_t left, int32_t right) {
            if (left < 0 || right < 0) return;
            const Symbol &a = at(left), &b = at(right);
            if (const std::optional<Merge> merge = rule(a, b))
                heap_.push({merge->cost, left, right, a.text.size() + b.text.size(), merge->id});
        };
        for (int32_t i = 1; i < static_cast<int32_t>(symbols_.size()); ++i) offer(i - 1, i);
        while (!heap_.empty()) {
            const Pair pair = heap_.top();
            heap_.pop();
            Symbol &left = at(pair.left), &right = at(pair.right);
            // Since the pair was offered one of the two may have grown or gone.
            if (left.text.empty() || right.text.empty() || left.text.size() + right.text.size() != pair.size) continue;
            left.text = {left.text.data(), pair.size};
            left.id = pair.id;
            left.next = right.next;
            right.text = {};
            if (left.next >= 0) at(left.next).previous = pair.left;
            offer(left.previous, pair.left);
            offer(pair.left, left.next);
        }
    }

    // Calls each(symbol) for what is left, in order, and forgets it.
    template <class Each>
    void take(const Each& each) {
        for (const Symbol& symbol : symbols_)
            if (!symbol.text.empty()) each(symbol);
        symbols_.clear();
    }

   private:
    struct Pair {
        double cost;
        int32_t left, right;
        size_t size;  // of the two texts when they were offered
        int32_t id;
        bool operator<(const Pair& other) const { return cost > other.cost || (cost == other.cost && left > other.left); }
    };
    Symbol& at(int32_t place) { return symbols_[static_cast<size_t>(place)]; }

    std::vector<Symbol> symbols_;
    std::priority_queue<Pair> heap_;
};

}  // namespace quern::tokens
