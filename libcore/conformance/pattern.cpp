#include "libcore/conformance/pattern.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "libcore/base/text.h"

namespace quern::random_graphs {
namespace {

// At commas that are in no braces.
std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> parts{""};
    int depth = 0;
    for (const char c : text) {
        depth += (c == '{') - (c == '}');
        if (c == ',' && depth == 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

// {low:high} at the beginning of `text`, which it is taken from.
std::pair<std::string, std::string> range_in(std::string_view& text) {
    const size_t colon = text.find(':'), end = text.find('}');
    if (!text.starts_with('{') || end == text.npos || colon == text.npos || colon < 2 || colon + 1 >= end)
        throw usage_error("\"{}\": need {{low:high}}", text);
    std::pair range(std::string(text.substr(1, colon - 1)), std::string(text.substr(colon + 1, end - colon - 1)));
    text.remove_prefix(end + 1);
    return range;
}

Operand operand_of(const std::string& whole) {
    Operand operand;
    operand.absent = whole == "-";
    if (operand.absent) return operand;
    std::string_view text = whole;
    operand.optional = text.ends_with('?');
    if (operand.optional) text.remove_suffix(1);
    const size_t close = text.find(']');
    if (text.size() < 3 || std::string_view("finbusT").find(text[0]) == text.npos || text[1] != '[' || close == text.npos)
        throw usage_error("operand \"{}\": need a type (f i n b u s T) and dims, as in f[N,C]", whole);
    operand.type = text[0];
    if (close > 2) operand.dims = parts_of(text.substr(2, close - 2));
    text.remove_prefix(close + 1);
    if (text.starts_with('=')) {
        operand.items = parts_of(text.substr(1));
        text = {};
    }
    if (text.starts_with('{')) std::tie(operand.low, operand.high) = range_in(text);
    operand.constant = !operand.items.empty() || text == "w";
    if (!text.empty() && text != "w") throw usage_error("operand \"{}\" goes on with \"{}\"", whole, text);
    return operand;
}

constexpr int64_t largest = int64_t{1} << 31;  // number in an expression

// What a letter stands for that nothing binds.
std::vector<int64_t> choices_for(char letter, bool large) {
    switch (letter) {
        case 'N': return {1, 1, 2};
        case 'C':
        case 'M': return large ? std::vector<int64_t>{16, 24, 32} : std::vector<int64_t>{1, 2, 3, 4, 8, 16, 17};
        case 'H':
        case 'W': return large ? std::vector<int64_t>{24, 33, 40} : std::vector<int64_t>{2, 3, 4, 5, 8, 11};
        case 'K':
        case 'L': return {1, 2, 3};
        case 'S':
        case 'D': return {1, 1, 2};
        case 'P':
        case 'Q':
        case 'B': return {0, 1};
        case 'G': return {1, 1, 2, 4};
        default: return large ? std::vector<int64_t>{24, 33, 70} : std::vector<int64_t>{1, 2, 3, 4, 5, 7, 8};
    }
}

}  // namespace

std::vector<Operand> operands_of(const Hint& hint) {
    std::vector<Operand> operands;
    for (const std::string& text : split(hint.operands, ' ')) operands.push_back(operand_of(text));
    return operands;
}

// ---- letters ----

int64_t Letters::letter(char name) {
    if (name == 'R') return static_cast<int64_t>(first_.size());
    const auto found = numbers_.find(name);
    return found != numbers_.end() ? found->second : numbers_[name] = draw_.pick(choices_for(name, large_));
}

int64_t Letters::factor(std::string_view& text) {
    bool negative = false;
    for (; text.starts_with('-'); text.remove_prefix(1)) negative = !negative;
    if (text.empty()) throw usage_error("an expression ends early");
    const int64_t size = magnitude(text);
    return negative ? -size : size;
}

int64_t Letters::magnitude(std::string_view& text) {
    if (text[0] >= 'A' && text[0] <= 'Z') {
        const char name = text[0];
        text.remove_prefix(1);
        return letter(name);
    }
    const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = parse_int(text.substr(0, end));
    if (!number) throw usage_error("\"{}\" begins with no number", text);
    text.remove_prefix(end);
    return *number;
}

int64_t Letters::product(std::string_view& text) {
    int64_t result = factor(text);
    while (!text.empty() && (text[0] == '*' || text[0] == '/')) {
        const char sign = text[0];
        text.remove_prefix(1);
        const int64_t right = factor(text);
        if (sign == '/' && (right == 0 || result % right != 0)) throw Misfit{};
        if (std::abs(result) > largest || std::abs(right) > largest) throw Misfit{};
        result = sign == '*' ? result * right : result / right;
    }
    return result;
}

int64_t Letters::sum(std::string_view& text) {
    int64_t result = product(text);
    while (!text.empty() && (text[0] == '+' || text[0] == '-')) {
        const bool plus = text[0] == '+';
        text.remove_prefix(1);
        const int64_t right = product(text);
        if (std::abs(result) > largest || std::abs(right) > largest) throw Misfit{};
        result += plus ? right : -right;
    }
    return result;
}

int64_t Letters::value(std::string_view expression) {
    const int64_t result = sum(expression);
    if (!expression.empty()) throw usage_error("an expression goes on with \"{}\"", expression);
    return result;
}

double Letters::real(std::string_view expression) {
    const auto number = parse_double(expression);
    return number ? *number : static_cast<double>(value(expression));
}

int64_t Letters::item(std::string_view text) {
    if (text.starts_with('{')) {
        const auto ends = range_in(text);
        const int64_t low = value(ends.first), high = value(ends.second);
        if (low > high) throw Misfit{};
        return draw_.number(low, high);
    }
    const std::vector<std::string> choices = split(text, '|');
    if (choices.empty()) throw usage_error("a number is missing in a list");
    return value(draw_.pick(choices));
}

bool Letters::match(const std::vector<std::string>& pattern, const Dims& dims) {
    const auto rest = std::ranges::find(pattern, "*");
    const bool open = rest != pattern.end();
    const size_t fixed = pattern.size() - (open ? 1 : 0), before = static_cast<size_t>(rest - pattern.begin());
    if (dims.size() < fixed || (!open && dims.size() != fixed)) return false;
    const size_t width = dims.size() - fixed;
    if (open) {
        const Dims here(dims.begin() + static_cast<int64_t>(before), dims.begin() + static_cast<int64_t>(before + width));
        if (rest_ && *rest_ != here) return false;
        rest_ = here;
    }
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == "*") continue;
        const int64_t dim = dims[i < before ? i : i + width - (open ? 1 : 0)];
        const bool free = pattern[i].size() == 1 && pattern[i] >= "A" && pattern[i] <= "Z" && !numbers_.contains(pattern[i][0]);
        if (free) numbers_[pattern[i][0]] = dim;
        if (value(pattern[i]) != dim) return false;
    }
    return true;
}

Dims Letters::some_dims() {
    Dims dims(static_cast<size_t>(large_ ? 3 : draw_.number(0, 3)));
    for (int64_t& dim : dims) dim = large_ ? draw_.number(8, 24) : draw_.number(1, 6);
    if (!dims.empty() && draw_.chance(25)) dims.back() = draw_.number(7, 70);  // beyond a vector, with a rest
    return dims;
}

Dims Letters::dims(const std::vector<std::string>& pattern) {
    Dims dims;
    for (const std::string& term : pattern) {
        if (term == "*") {
            if (!rest_) rest_ = some_dims();
            dims.insert(dims.end(), rest_->begin(), rest_->end());
        } else if (term == "~") {
            dims = first_;
            for (int64_t& dim : dims)
                if (draw_.chance(25)) dim = 1;
            if (draw_.chance(25)) dims.erase(dims.begin(), dims.begin() + draw_.number(0, static_cast<int64_t>(dims.size())));
        } else {
            dims.push_back(value(term));
            if (dims.back() < 1) throw Misfit{};
        }
    }
    return dims;
}

void Letters::set_first(const Dims& dims) { first_ = dims; }

// ---- attributes ----

namespace {

Attr attribute_of(const AttrDef& def, std::string_view text, Letters& letters, Draw& draw) {
    if (def.kind == AttrKind::text) return draw.pick(split(text, '|'));
    if (def.kind == AttrKind::texts) return std::vector<std::string>(1, draw.pick(split(text, '|')));
    if (text == "~") {
        std::vector<int64_t> order(letters.first().size());
        std::iota(order.begin(), order.end(), 0);
        for (size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[static_cast<size_t>(draw.number(0, static_cast<int64_t>(i) - 1))]);
        return order;
    }
    if (def.kind == AttrKind::real || def.kind == AttrKind::reals) {
        const auto within = [&](const auto& ends) { return draw.real(letters.real(ends.first), letters.real(ends.second)); };
        const double number = text.starts_with('{') ? within(range_in(text)) : letters.real(text);
        if (def.kind == AttrKind::real) return static_cast<float>(number);
        return std::vector<float>(1, static_cast<float>(number));
    }
    std::vector<int64_t> items;
    for (const std::string& part : parts_of(text)) items.push_back(letters.item(part));
    if (def.kind == AttrKind::integer) return items.at(0);
    return items;
}

void change_defaults(Attrs& attrs, const Op& op, Draw& draw) {
    for (const AttrDef& def : op.attrs) {
        if (attrs.contains(def.name) || def.fallback.empty() || !draw.chance(20)) continue;
        if (def.kind == AttrKind::integer && (def.fallback == "0" || def.fallback == "1"))
            attrs[std::string(def.name)] = int64_t{def.fallback == "0"};
        const auto number = def.kind == AttrKind::real ? parse_double(def.fallback) : std::nullopt;
        if (number) attrs[std::string(def.name)] = static_cast<float>(*number * draw.real(0.5, 1.5));
    }
}

}  // namespace

Attrs attributes_of(const Hint& hint, const Op& op, Letters& letters, Draw& draw) {
    Attrs attrs;
    for (const std::string& setting : split(hint.attributes, ' ')) {
        const size_t sign = setting.find('=');
        std::string name = setting.substr(0, sign);
        const bool optional = name.back() == '?';
        if (optional) name.pop_back();
        const auto def = std::ranges::find(op.attrs, name, &AttrDef::name);
        if (def == op.attrs.end()) throw usage_error("{} has no attribute \"{}\"", op.name, escape(name));
        if (optional && draw.chance(50)) continue;
        attrs[name] = attribute_of(*def, std::string_view(setting).substr(sign + 1), letters, draw);
    }
    change_defaults(attrs, op, draw);
    return attrs;
}

}  // namespace quern::random_graphs
