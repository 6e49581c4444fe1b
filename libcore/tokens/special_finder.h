// Special tokens in a text: they are found before it is cut into words.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcore/tokens/vocabulary.h"

namespace quern::tokens {

// A piece of a text: a special token, or what lies between.
struct Fragment {
    std::string_view text;
    std::optional<int32_t> token;
};

class SpecialFinder {
   public:
    explicit SpecialFinder(const Vocabulary& vocabulary);
    // The longest token first, each from left to right. `control`: control tokens and the unknown one, too, not only user-defined ones.
    std::vector<Fragment> fragments(std::string_view text, bool control) const;

   private:
    std::vector<int32_t> present(std::string_view text, bool control) const;
    void cut_at(int32_t id, std::vector<Fragment>& fragments) const;

    const Vocabulary& vocabulary_;
    // A tree of the tokens' bytes: the node behind (node, byte). Node 0 is the root.
    std::unordered_map<uint64_t, uint32_t> next_;
    std::vector<int32_t> place_;  // of a node: that of its token among the specials, or -1
};

}  // namespace quern::tokens
