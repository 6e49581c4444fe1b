// Attribute values: as written (Item), then as what the place wants (Attr, Encoding).
#include "formats/text/parse_attr.h"

#include <bit>
#include <charconv>
#include <limits>

#include "libcore/base/text.h"
#include "libcore/graph/block_encoding.h"

namespace quern::text {
namespace {

bool looks_real(std::string_view number) { return !number.starts_with("0x") && number.find_first_of(".eE") != std::string_view::npos; }

}  // namespace

Dict AttrParser::dict() {
    Dict out;
    scan_.expect("{");
    while (!scan_.accept("}")) {
        if (!out.empty()) scan_.expect(",");
        const size_t begin = scan_.position();
        const bool quoted = scan_.peek() == '"';  // metadata may have a key without letters
        const std::string key = quoted ? scan_.string() : std::string(scan_.word());
        if (key.empty() && !quoted) throw scan_.unexpected("an attribute name");
        Item value{begin, Item::Unit{}};
        if (scan_.accept("=")) value = item();
        if (!out.emplace(key, std::move(value)).second)
            throw scan_.error(begin, fmt::format("attribute \"{}\" is given twice", escape(key)));
    }
    return out;
}

Item AttrParser::array_item() {
    Item out{scan_.position(), Item::List{}};
    Item::List list;
    scan_.expect("<");
    if (scan_.accept_word("tensor"))
        list.tensors = true;
    else
        list.kind = element();
    if (scan_.accept(":")) do
            list.items.push_back(item());
        while (scan_.accept(","));
    scan_.expect(">");
    out.value = std::move(list);
    return out;
}

Item AttrParser::list_item() {
    Item out{scan_.position(), Item::List{}};
    Item::List list;
    scan_.expect("[");
    while (!scan_.accept("]")) {
        if (!list.items.empty()) scan_.expect(",");
        list.items.push_back(item());
    }
    out.value = std::move(list);
    return out;
}

Item AttrParser::item() {
    const Scanner::Depth depth(scan_);
    const size_t begin = scan_.position();
    const char first = scan_.peek();
    if (first == '{') return {begin, std::make_shared<Dict>(dict())};
    if (first == '[') return list_item();
    if (first == '"') return {begin, scan_.string()};
    if (first == '@') {
        scan_.expect("@");
        return {begin, scan_.name()};
    }
    if (first == '-' || first == '+' || (first >= '0' && first <= '9')) {
        Item::Number number{scan_.number(), DType::none};
        if (scan_.accept(":")) number.suffix = element();
        return {begin, number};
    }
    if (scan_.next_is_word("dense")) return dense();
    if (scan_.accept_word("dense_resource"))
        throw scan_.error(begin, "the numbers of this tensor are not in the text, which was made for display")
            .with_hint("write the text with `model-convert -f text`, which keeps them");
    if (first == '#') return side_file();
    if (scan_.accept_word("array")) return array_item();
    if (scan_.accept_word("unit")) return {begin, Item::Unit{}};
    if (scan_.accept_word("true")) return {begin, true};
    if (scan_.accept_word("false")) return {begin, false};
    if (scan_.next_is_word("tensor") || scan_.next_is("!onnx.Seq<") || scan_.next_is("!onnx.Opt<")) return {begin, type()};
    if (first == '!' || std::isalpha(static_cast<unsigned char>(first))) return {begin, element()};
    throw scan_.unexpected("an attribute value");
}

int64_t AttrParser::integer(const Item& item) const {
    if (const auto* flag = item.get<bool>()) return *flag;
    if (const auto* dtype = item.get<DType>()) return row_of(*dtype).onnx;  // to = f32
    const auto* number = item.get<Item::Number>();
    const auto value = number ? parse_int(number->text) : std::nullopt;
    if (!value) throw scan_.error(item.position, "need a 64-bit integer");
    return *value;
}

float AttrParser::real(const Item& item) const {
    const auto* number = item.get<Item::Number>();
    if (!number) throw scan_.error(item.position, "need a number");
    std::string_view digits = number->text;
    if (digits.starts_with("0x")) {
        uint32_t bits = 0;
        const auto [end, code] = std::from_chars(digits.data() + 2, digits.data() + digits.size(), bits, 16);
        if (code != std::errc() || end != digits.data() + digits.size()) throw scan_.error(item.position, "need at most 8 hex digits");
        return std::bit_cast<float>(bits);
    }
    if (digits.starts_with('+')) digits.remove_prefix(1);
    float value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc() || end != digits.data() + digits.size()) throw scan_.error(item.position, "need a float32 number");
    return value;
}

const std::string& AttrParser::string(const Item& item) const {
    if (const auto* text = item.get<std::string>()) return *text;
    throw scan_.error(item.position, "need a string");
}

const Dict& AttrParser::dict_of(const Item& item) const {
    if (const auto* dict = item.get<std::shared_ptr<Dict>>()) return **dict;
    throw scan_.error(item.position, "need a dictionary {...}");
}

const Items& AttrParser::list(const Item& item) const {
    if (const auto* list = item.get<Item::List>()) return list->items;
    throw scan_.error(item.position, "need a list [...]");
}

const Tensor& AttrParser::tensor(const Item& item) const {
    if (const auto* tensor = item.get<Tensor>()) return *tensor;
    throw scan_.error(item.position, "need a tensor dense<...>");
}

namespace {

enum class ListKind { integers, reals, texts, tensors };

// Of an empty list.
ListKind kind_of(const AttrDef* def) {
    if (def && def->kind == AttrKind::reals) return ListKind::reals;
    if (def && def->kind == AttrKind::texts) return ListKind::texts;
    return def && def->kind == AttrKind::tensors ? ListKind::tensors : ListKind::integers;
}

bool is_real(const Item& item) {
    const auto* number = item.get<Item::Number>();
    return number && (is_float(number->suffix) || looks_real(number->text) || number->text.starts_with("0x"));
}

ListKind list_kind(const Item::List& list, const AttrDef* def) {
    if (list.tensors) return ListKind::tensors;
    if (list.kind == DType::string) return ListKind::texts;
    if (list.kind != DType::none) return is_float(list.kind) ? ListKind::reals : ListKind::integers;
    if (list.items.empty()) return kind_of(def);
    if (list.items[0].get<std::string>()) return ListKind::texts;
    if (list.items[0].get<Tensor>()) return ListKind::tensors;
    const bool reals =
        list.items[0].get<Item::Number>() && ((def && def->kind == AttrKind::reals) || std::ranges::any_of(list.items, is_real));
    return reals ? ListKind::reals : ListKind::integers;
}

template <class T, class Fn>
Attr converted(const Items& items, const Fn& fn) {
    std::vector<T> out;
    out.reserve(items.size());
    for (const Item& item : items) out.push_back(fn(item));
    return out;
}

}  // namespace

Attr AttrParser::attr(const Item& item, const AttrDef* def) const {
    if (const auto* number = item.get<Item::Number>()) {
        const bool is_real = def ? def->kind == AttrKind::real : is_float(number->suffix) || looks_real(number->text);
        if (is_real) return real(item);
        return integer(item);
    }
    if (item.get<bool>() || item.get<DType>()) return integer(item);
    if (const auto* text = item.get<std::string>()) return *text;
    if (const auto* tensor = item.get<Tensor>()) return *tensor;
    if (const auto* type = item.get<Type>()) return *type;
    if (const auto* list = item.get<Item::List>()) {
        switch (list_kind(*list, def)) {
            case ListKind::integers: return converted<int64_t>(list->items, [&](const Item& i) { return integer(i); });
            case ListKind::reals: return converted<float>(list->items, [&](const Item& i) { return real(i); });
            case ListKind::texts: return converted<std::string>(list->items, [&](const Item& i) { return string(i); });
            case ListKind::tensors: return converted<Tensor>(list->items, [&](const Item& i) { return tensor(i); });
        }
    }
    throw scan_.error(item.position, "an operator's attribute is a number, string, list, tensor or type");
}

int64_t AttrParser::small(const Item& item) const {
    const int64_t number = integer(item);
    if (number < -1 || number > std::numeric_limits<int>::max()) throw scan_.error(item.position, "the number is out of range");
    return number;
}

DType AttrParser::dtype(const Item& item) const {
    if (const auto* found = item.get<DType>()) return *found;
    throw scan_.error(item.position, "need an element type");
}

Encoding::Kind AttrParser::kind(const Item& item) const {
    const std::string& name = string(item);
    if (name != "fixed" && name != "dynamic") throw scan_.error(item.position, "the kind of an encoding is \"fixed\" or \"dynamic\"");
    return name == "dynamic" ? Encoding::Kind::dynamic : Encoding::Kind::fixed;
}

const BlockFormat* AttrParser::format(const Item& item) const {
    if (const BlockFormat* found = block_format_named(string(item))) return found;
    throw scan_.error(item.position, fmt::format("there is no format of blocks \"{}\"", escape(string(item))));
}

Encoding AttrParser::encoding(const Item& item) const {
    Encoding out;
    const std::map<std::string_view, std::function<void(const Item&)>> parts{
        {"kind", [&](const Item& i) { out.kind = kind(i); }},       {"storage", [&](const Item& i) { out.storage = dtype(i); }},
        {"real", [&](const Item& i) { out.real = dtype(i); }},      {"qmin", [&](const Item& i) { out.qmin = integer(i); }},
        {"qmax", [&](const Item& i) { out.qmax = integer(i); }},    {"axis", [&](const Item& i) { out.axis = static_cast<int>(small(i)); }},
        {"block", [&](const Item& i) { out.block = small(i); }},    {"scale", [&](const Item& i) { out.scale = tensor(i); }},
        {"zero", [&](const Item& i) { out.zero = tensor(i); }},     {"min", [&](const Item& i) { out.min = tensor(i); }},
        {"format", [&](const Item& i) { out.format = format(i); }},
    };
    for (const auto& [key, value] : dict_of(item)) {
        const auto found = parts.find(key);
        if (found == parts.end()) throw scan_.error(value.position, fmt::format("\"{}\" is not a part of an encoding", escape(key)));
        found->second(value);
    }
    if (out.format) return block_encoding(*out.format, out.axis);
    if (out.storage == DType::none) throw scan_.error(item.position, "an encoding needs its storage type");
    if (out.is_fixed() && !out.scale.defined()) throw scan_.error(item.position, "an encoding needs its scale");
    return out;
}

}  // namespace quern::text
