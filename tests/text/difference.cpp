#include "tests/text/difference.h"

#include <algorithm>

namespace text_tests {
namespace {

struct Change {
    char mark;  // ' ' same, '-' wanted only, '+' got only
    const std::string* line;
};

// By the longest common subsequence: common[i][j] is its length for want from i on and got from j on.
std::vector<Change> changes_of(const Lines& want, const Lines& got) {
    std::vector<std::vector<size_t>> common(want.size() + 1, std::vector<size_t>(got.size() + 1, 0));
    for (size_t i = want.size(); i-- > 0;)
        for (size_t j = got.size(); j-- > 0;)
            common[i][j] = matches(want[i], got[j]) ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    std::vector<Change> out;
    size_t i = 0, j = 0;
    while (i < want.size() || j < got.size()) {
        const bool both = i < want.size() && j < got.size();
        if (both && matches(want[i], got[j]) && common[i][j] == common[i + 1][j + 1] + 1) {
            out.push_back({' ', &got[j++]});
            ++i;
        } else if (j == got.size() || (both && common[i + 1][j] >= common[i][j + 1])) {
            out.push_back({'-', &want[i++]});
        } else {
            out.push_back({'+', &got[j++]});
        }
    }
    return out;
}

}  // namespace

bool matches(std::string_view want, std::string_view got) {
    const size_t hole = want.find("[...]");
    if (hole == std::string_view::npos) return want == got;
    if (got.substr(0, hole) != want.substr(0, hole)) return false;
    const std::string_view rest = want.substr(hole + 5);
    for (size_t at = hole; at <= got.size(); ++at)
        if (matches(rest, got.substr(at))) return true;
    return false;
}

bool matches(const Lines& want, const Lines& got) {
    return std::equal(want.begin(), want.end(), got.begin(), got.end(), [](const auto& w, const auto& g) { return matches(w, g); });
}

std::string difference(const Lines& want, const Lines& got, std::string_view indent) {
    constexpr size_t around = 2;
    const std::vector<Change> changes = changes_of(want, got);
    std::vector<bool> shown(changes.size(), false);
    for (size_t i = 0; i < changes.size(); ++i)
        if (changes[i].mark != ' ')
            for (size_t k = i - std::min(i, around); k < std::min(changes.size(), i + around + 1); ++k) shown[k] = true;
    std::string text;
    for (size_t i = 0; i < changes.size(); ++i)
        if (shown[i])
            text.append(indent).append({changes[i].mark, ' '}).append(*changes[i].line).append("\n");
        else if (i == 0 || shown[i - 1])
            text.append(indent).append("...\n");
    return text;
}

}  // namespace text_tests
