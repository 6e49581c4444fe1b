// Attribute values: as written (Item), then as what the place wants (Attr, Encoding).
#include "formats/text/parse_attr.h"

#include <bit>
#include <charconv>
#include <limits>

#include "libcore/base/text.h"

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
        const std::string key = scan_.peek() == '"' ? scan_.string() : std::string(scan_.word());
        if (key.empty()) throw scan_.unexpected("an attribute name");
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

ListKind list_kind(const Item::List& list, const AttrDef* def) {
    if (list.tensors) return ListKind::tensors;
    if (list.kind == DType::string) return ListKind::texts;
    if (list.kind != DType::none) return is_float(list.kind) ? ListKind::reals : ListKind::integers;
    if (list.items.empty() || list.items[0].get<Item::Number>()) {
        if (def && def->kind == AttrKind::reals) return ListKind::reals;
        if (list.items.empty()) {
            if (def && def->kind == AttrKind::texts) return ListKind::texts;
            if (def && def->kind == AttrKind::tensors) return ListKind::tensors;
            return ListKind::integers;
        }
        for (const Item& item : list.items) {
            const auto* number = item.get<Item::Number>();
            if (number && (is_float(number->suffix) || looks_real(number->text) || number->text.starts_with("0x"))) return ListKind::reals;
        }
        return ListKind::integers;
    }
    if (list.items[0].get<std::string>()) return ListKind::texts;
    return list.items[0].get<Tensor>() ? ListKind::tensors : ListKind::integers;
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

Encoding AttrParser::encoding(const Item& item) const {
    Encoding out;
    const auto small = [&](const Item& value) {
        const int64_t number = integer(value);
        if (number < -1 || number > std::numeric_limits<int>::max()) throw scan_.error(value.position, "the number is out of range");
        return number;
    };
    for (const auto& [key, value] : dict_of(item)) {
        const auto dtype = [&, &value = value] {
            if (const auto* found = value.get<DType>()) return *found;
            throw scan_.error(value.position, "need an element type");
        };
        if (key == "kind") {
            if (string(value) != "fixed" && string(value) != "dynamic")
                throw scan_.error(value.position, "the kind of an encoding is \"fixed\" or \"dynamic\"");
            out.kind = string(value) == "dynamic" ? Encoding::Kind::dynamic : Encoding::Kind::fixed;
        } else if (key == "storage") {
            out.storage = dtype();
        } else if (key == "real") {
            out.real = dtype();
        } else if (key == "qmin") {
            out.qmin = integer(value);
        } else if (key == "qmax") {
            out.qmax = integer(value);
        } else if (key == "axis") {
            out.axis = static_cast<int>(small(value));
        } else if (key == "block") {
            out.block = small(value);
        } else if (key == "scale") {
            out.scale = tensor(value);
        } else if (key == "zero") {
            out.zero = tensor(value);
        } else if (key == "min") {
            out.min = tensor(value);
        } else {
            throw scan_.error(value.position, fmt::format("\"{}\" is not a part of an encoding", escape(key)));
        }
    }
    if (out.storage == DType::none) throw scan_.error(item.position, "an encoding needs its storage type");
    if (out.is_fixed() && !out.scale.defined()) throw scan_.error(item.position, "an encoding needs its scale");
    return out;
}

}  // namespace quern::text
