// Hints that users give, and guesses for operators that come without one.
#include <deque>

#include "libcore/base/text.h"
#include "libcore/conformance/pattern.h"
#include "libcore/graph/summary.h"

namespace quern::random_graphs {
namespace {

struct Added {
    std::string op, operands, attributes;
    int outputs;
};
std::deque<Added>& added() {
    static std::deque<Added> all;
    return all;
}

constexpr int64_t max_elements = 1 << 22;  // of a value that somebody asked for

Hint hint_of(const Added& one) { return {one.op, one.operands, one.attributes, one.outputs, max_elements}; }

// Everything that a drawing reads of a hint is read once: what is written wrongly throws.
void try_out(const Hint& hint) {
    Draw draw(1);
    for (const Operand& operand : operands_of(hint)) {
        Letters letters(draw);
        const auto attempt = [](const auto& read) {
            try {
                read();
            } catch (const Letters::Misfit&) {
                return;  // other numbers may fit
            }
        };
        attempt([&] { letters.dims(operand.dims); });
        for (const std::string& item : operand.items) attempt([&] { letters.item(item); });
        if (!operand.high.empty()) attempt([&] { letters.real(operand.low), letters.real(operand.high); });
    }
    for (const std::string& setting : split(hint.attributes, ' '))
        if (const size_t sign = setting.find('='); sign == setting.npos || sign == 0 || sign + 1 == setting.size())
            throw usage_error("attribute \"{}\": need NAME=VALUE", escape(setting));
}

Added parsed(const std::string& text) {
    const size_t colon = text.find(':');
    if (colon == text.npos || colon == 0) throw usage_error("need OPERATOR: OPERANDS, as in \"com.example.Scale: f[N,C] f[C]w\"");
    const std::vector<std::string> parts = split(text.substr(colon + 1), ';');
    if (parts.size() > 3) throw usage_error("need operands, attributes and the number of outputs, not more");
    const auto part = [&](size_t i) { return i < parts.size() ? std::string(trim(parts[i])) : std::string(); };
    Added one{std::string(trim(text.substr(0, colon))), part(0), part(1), 1};
    if (parts.size() == 3) {
        const auto outputs = parse_int(part(2));
        if (!outputs || *outputs < 1 || *outputs > 255) throw usage_error("\"{}\" outputs: need a number from 1 to 255", escape(part(2)));
        one.outputs = static_cast<int>(*outputs);
    }
    return one;
}

}  // namespace

std::string add_hint(const std::string& text) {
    return at_place(fmt::format("\"{}\"", escape(text)), [&] {
        const Added one = parsed(text);
        try_out(hint_of(one));
        added().push_back(one);
        return one.op;
    });
}

std::vector<Hint> added_hints(std::string_view op) {
    std::vector<Hint> found;
    for (const Added& one : added())
        if (one.op == op) found.push_back(hint_of(one));
    return found;
}

std::vector<Hint> guessed_hints(const Op& op) {
    struct Guess {
        int count;
        std::string_view operands;
    };
    constexpr Guess guesses[] = {
        {0, ""},
        {1, "f[*]"},
        {1, "f[N,C,H,W]"},
        {2, "f[*] f[*]"},
        {2, "f[*,C] f[C]w"},
        {2, "f[*,U] f[U,V]w"},
        {2, "f[N,C,H,W] f[M,C,K,L]w"},
        {3, "f[*] f[*] f[*]"},
        {3, "f[*,C] f[C]w f[C]w"},
        {3, "f[*,U] f[U,V]w f[V]w"},
        {3, "f[N,C,H,W] f[M,C,K,L]w f[M]w"},
        {4, "f[*] f[*] f[*] f[*]"},
        {4, "f[*,C] f[C]w f[C]w f[C]w"},
    };
    std::vector<Hint> found;
    for (const Guess& guess : guesses)
        if (op.in.min <= guess.count && guess.count <= op.in.max) found.push_back({op.name, guess.operands});
    if (found.empty()) found.push_back({op.name, ""});
    return found;
}

}  // namespace quern::random_graphs
