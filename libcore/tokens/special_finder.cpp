#include "libcore/tokens/special_finder.h"

#include <algorithm>

namespace quern::tokens {

namespace {

uint64_t edge(uint32_t node, char byte) { return uint64_t{node} << 8 | static_cast<unsigned char>(byte); }

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

SpecialFinder::SpecialFinder(const Vocabulary& vocabulary) : vocabulary_(vocabulary), place_{-1} {
    for (size_t i = 0; i < vocabulary.specials.size(); ++i) {
        uint32_t node = 0;
        for (const char byte : vocabulary.text(vocabulary.specials[i])) {
            const auto [found, added] = next_.try_emplace(edge(node, byte), static_cast<uint32_t>(place_.size()));
            if (added) place_.push_back(-1);
            node = found->second;
        }
        place_[node] = static_cast<int32_t>(i);
    }
}

// Those that stand somewhere in the text, in their order: most texts have few.
std::vector<int32_t> SpecialFinder::present(std::string_view text, bool control) const {
    std::vector<bool> seen(vocabulary_.specials.size());
    for (size_t begin = 0; begin < text.size(); ++begin) {
        uint32_t node = 0;
        for (size_t at = begin; at < text.size(); ++at) {
            const auto found = next_.find(edge(node, text[at]));
            if (found == next_.end()) break;
            node = found->second;
            if (place_[node] >= 0) seen[static_cast<size_t>(place_[node])] = true;
        }
    }
    std::vector<int32_t> ids;
    for (size_t i = 0; i < seen.size(); ++i)
        if (const int32_t id = vocabulary_.specials[i]; seen[i] && (control || !vocabulary_.is(id, is_control | is_unknown)))
            ids.push_back(id);
    return ids;
}

void SpecialFinder::cut_at(int32_t id, std::vector<Fragment>& fragments) const {
    const std::string& token = vocabulary_.text(id);
    std::vector<Fragment> cut;
    for (const Fragment& fragment : fragments) {
        std::string_view rest = fragment.text;
        for (size_t at = 0; !fragment.token && (at = rest.find(token)) != std::string_view::npos;) {
            std::string_view left = rest.substr(0, at);
            rest.remove_prefix(at + token.size());
            while (vocabulary_.is(id, strips_left) && !left.empty() && is_blank(left.back())) left.remove_suffix(1);
            while (vocabulary_.is(id, strips_right) && !rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
            if (!left.empty()) cut.push_back({left, std::nullopt});
            cut.push_back({token, id});
        }
        if (fragment.token || !rest.empty()) cut.push_back({rest, fragment.token});
    }
    fragments = std::move(cut);
}

std::vector<Fragment> SpecialFinder::fragments(std::string_view text, bool control) const {
    std::vector<Fragment> fragments;
    if (!text.empty()) fragments.push_back({text, std::nullopt});
    for (const int32_t id : present(text, control)) cut_at(id, fragments);
    return fragments;
}

}  // namespace quern::tokens
