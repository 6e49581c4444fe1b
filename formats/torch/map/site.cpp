#include "formats/torch/map/site.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "libcore/base/text.h"

namespace quern::torch_format {
namespace {

using Kind = Argument::Kind;

// bool, integers, floats
int category(DType dtype) { return dtype == DType::boolean ? 0 : is_real(dtype) ? 2 : 1; }

// 16-bit floats of two kinds, and unsigned beside signed, meet in what holds both.
DType wider(DType a, DType b) {
    if (a == b) return a;
    if (category(a) == 2) return bits_of(a) == bits_of(b) ? DType::f32 : bits_of(a) > bits_of(b) ? a : b;
    if (a != DType::u8 && b != DType::u8) return bits_of(a) > bits_of(b) ? a : b;
    const DType other = a == DType::u8 ? b : a;
    return other == DType::i8 ? DType::i16 : other;
}

// Of an operator that is kept as it is: numbers, text and lists of integers.
std::optional<Attr> attr_of(const Argument& argument) {
    if (argument.kind == Kind::integer) return argument.integer;
    if (argument.kind == Kind::real) return static_cast<float>(argument.real);
    if (argument.kind == Kind::text) return argument.text;
    if (argument.kind != Kind::list) return std::nullopt;
    Ints items;
    for (const Argument& item : argument.items) {
        if (item.kind != Kind::integer) return std::nullopt;
        items.push_back(item.integer);
    }
    return items;
}

}  // namespace

bool is_real(DType dtype) { return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16; }

DType promoted(DType a, DType b, bool plain_a, bool plain_b) {
    if (category(a) != category(b)) return category(a) > category(b) ? a : b;
    if (plain_a != plain_b) return plain_a ? b : a;
    return wider(a, b);
}

// ---- arguments ----

const Argument* Site::arg(std::string_view name) const {
    for (const auto& [own, argument] : node_.in)
        if (own == name) return argument.kind == Kind::none ? nullptr : &argument;
    return nullptr;
}

const Argument* Site::arg(size_t i) const {
    return i < node_.in.size() && node_.in[i].second.kind != Kind::none ? &node_.in[i].second : nullptr;
}

const Argument& Site::need(std::string_view name) const {
    if (const Argument* argument = arg(name)) return *argument;
    throw bad_input("has no argument \"{}\"", name);
}

bool Site::is_tensor(std::string_view name) const {
    const Argument* argument = arg(name);
    return argument && argument->kind == Kind::tensor;
}

int64_t Site::integer(std::string_view name) const {
    const Number item = number(need(name));
    if (!item.known) throw unsupported("argument \"{}\" is computed", name);
    return *item.known;
}

int64_t Site::integer(std::string_view name, int64_t fallback) const { return has(name) ? integer(name) : fallback; }

double Site::real(std::string_view name, double fallback) const {
    const Argument* argument = arg(name);
    if (!argument) return fallback;
    return argument->kind == Kind::real ? argument->real : static_cast<double>(integer(name));
}

std::string Site::word(std::string_view name, std::string_view fallback) const {
    const Argument* argument = arg(name);
    return argument && argument->kind == Kind::text ? argument->text : std::string(fallback);
}

std::optional<Ints> Site::ints(std::string_view name) const {
    const Argument* argument = arg(name);
    if (!argument) return std::nullopt;
    Ints items;
    for (const Argument& item : argument->kind == Kind::list ? argument->items : std::vector{*argument}) {
        const Number own = number(item);
        if (!own.known) return std::nullopt;
        items.push_back(*own.known);
    }
    return items;
}

Ints Site::each(std::string_view name, size_t count, const Ints& fallback, int64_t least) const {
    constexpr int64_t most = 1 << 24;
    Ints items = ints(name).value_or(Ints{});
    if (items.empty()) items = fallback;
    if (items.size() == 1) items.resize(count, items[0]);
    if (items.size() != count) throw bad_input("argument \"{}\" has {} items, need {}", name, items.size(), count);
    for (const int64_t item : items)
        if (item < least || item > most) throw bad_input("argument \"{}\" has {}, need {} to {}", name, item, least, most);
    return items;
}

Ints Site::axes(std::string_view name, size_t rank, bool all) const {
    Ints items = ints(name).value_or(Ints{});
    for (int64_t& item : items) item = static_cast<int64_t>(normal_axis(item, std::max<size_t>(rank, 1), name));
    if (items.empty() && all)
        for (size_t i = 0; i < rank; ++i) items.push_back(static_cast<int64_t>(i));
    return items;
}

int64_t Site::axis(std::string_view name, size_t rank, int64_t fallback) const {
    return static_cast<int64_t>(normal_axis(integer(name, fallback), std::max<size_t>(rank, 1), name));
}

// ---- operands ----

const TensorMeta& Site::meta(const Argument& tensor) const {
    const auto found = tensor.kind == Kind::tensor ? scope_.from.tensors.find(tensor.text) : scope_.from.tensors.end();
    if (found == scope_.from.tensors.end()) throw bad_input("\"{}\" is not a tensor that the file describes", escape(tensor.text));
    return found->second;
}

const Argument& Site::out(size_t i) const {
    for (const Argument& own : node_.out) {
        const size_t count = own.kind == Kind::list ? own.items.size() : 1;
        if (i < count) return own.kind == Kind::list ? own.items[i] : own;
        i -= count;
    }
    throw bad_input("has no result {}", i);
}

size_t Site::out_count() const {
    size_t count = 0;
    for (const Argument& own : node_.out) count += own.kind == Kind::list ? own.items.size() : 1;
    return count;
}

const TensorMeta& Site::out_meta(size_t i) const { return meta(out(i)); }

int64_t Site::dim(std::string_view name, int64_t axis) const {
    const Shape& own = shape(name);
    const Dim& dim = own.dims[normal_axis(axis, own.rank())];
    return dim.known() ? dim.value : -1;
}

ValueId Site::in(const Argument& argument) {
    if (argument.kind != Kind::tensor) throw bad_input("an operand is not a tensor");
    const Bound bound = importer_.read(scope_, argument.text);
    if (bound.tensor == ValueId::none) throw bad_input("\"{}\" is a number, need a tensor", escape(argument.text));
    Type& type = graph().value(bound.tensor).type;
    if (type.dtype == DType::none) type = Type::tensor(meta(argument).dtype, meta(argument).shape);  // of what no operator of ours makes
    return bound.tensor;
}

ValueId Site::in(std::string_view name) {
    const Argument& argument = need(name);
    if (argument.kind == Kind::tensor) return in(argument);
    throw bad_input("argument \"{}\" is not a tensor", name);
}

Values Site::list(std::string_view name) {
    Values values;
    for (const Argument& item : need(name).items) values.push_back(item.kind == Kind::none ? ValueId::none : in(item));
    return values;
}

Number Site::number(const Argument& argument) const {
    if (argument.kind == Kind::integer || argument.kind == Kind::dtype) return {.known = argument.integer};
    if (argument.kind == Kind::symbol) {
        const auto found = scope_.bound.find(argument.text);
        if (found != scope_.bound.end() && found->second.number) return *found->second.number;
        throw bad_input("\"{}\" is not a number that was computed", escape(argument.text));
    }
    throw bad_input("an argument is not an integer");
}

ValueId Site::as_value(const Number& number) {
    if (number.known) return scalar(*number.known, number.dtype, "number");
    return number.value;
}

ValueId Site::in_as(const Argument& argument, DType dtype) {
    if (argument.kind == Kind::tensor) return cast(in(argument), dtype);
    if (argument.kind == Kind::real) return scalar(argument.real, dtype, "number");
    const Number own = number(argument);
    return own.known ? scalar(*own.known, dtype, "number") : cast(own.value, dtype);
}

ValueId Site::sizes(const Argument& list) {
    const std::vector<Argument> items = list.kind == Kind::list ? list.items : std::vector{list};
    Ints known;
    for (const Argument& item : items)
        if (const Number own = number(item); own.known) known.push_back(*own.known);
    if (known.size() == items.size()) return integers(known, "sizes");
    Values parts;
    for (const Argument& item : items) parts.push_back(add(ops::Unsqueeze, {as_value(number(item)), integers({0}, "axis")}));
    return parts.size() == 1 ? parts[0] : add(ops::Concat, parts, {{"axis", int64_t{0}}});
}

// ---- nodes ----

std::string Site::fresh(std::string_view what) {
    return fmt::format("{}{}/{}", scope_.prefix, node_.name.empty() ? node_.target : node_.name, what);
}

StepInference& Site::types() {
    if (!scope_.types) scope_.types = std::make_unique<StepInference>(graph());
    return *scope_.types;
}

void Site::place(NodeId node) {
    if (node_.module.empty()) return;
    std::string path = node_.module;
    std::ranges::replace(path, '.', '/');
    graph().node(node).scope = "/" + path + "/";
}

// ---- results ----

ValueId Site::out_value(size_t i) {
    const Argument& own = out(i);
    if (own.kind == Kind::none) return value("unused");
    const ValueId id = importer_.declare(graph(), scope_.prefix + own.text, {});
    scope_.bound[own.text] = {.tensor = id};
    return id;
}

void Site::result(OpId op, Values in, Attrs attrs, size_t out) { put(op, std::move(in), {out_value(out)}, std::move(attrs)); }

void Site::bind(ValueId value, size_t i) { scope_.bound[out(i).text] = {.tensor = value}; }
void Site::made(ValueId value) {
    bind(value);
    const std::string name = scope_.prefix + out(0).text;
    if (out(0).kind == Kind::none || graph().find(name) != ValueId::none) return;
    graph().rename(value, name);
    graph().rename(graph().value(value).producer, name);
}
void Site::bind(Number number, size_t i) { scope_.bound[out(i).text] = {.number = number}; }

void Site::result_as(ValueId value, DType dtype, size_t out) {
    const DType declared = out_meta(out).dtype;
    if (declared == dtype) return bind(value, out);
    result(ops::Cast, {value}, {{"to", onnx_type(declared)}}, out);
}

void Site::keep() {
    const std::string& target = node_.alias.empty() ? node_.target : node_.alias;
    const size_t dot = target.find('.');
    const std::string domain = dot == std::string::npos ? "torch" : "torch." + target.substr(0, dot);
    Values in, outs;
    Attrs attrs;
    for (const auto& [name, argument] : node_.in) {
        if (argument.kind == Kind::graph) throw unsupported("takes a graph of its own");
        if (const auto attr = attr_of(argument)) attrs[name] = *attr;
        if (argument.kind == Kind::tensor) in.push_back(this->in(argument));
        for (const Argument& item : argument.items)
            if (item.kind == Kind::tensor) in.push_back(this->in(item));
    }
    for (size_t i = 0; i < out_count(); ++i) {
        if (out(i).kind == Kind::symbol) throw unsupported("computes a number");
        outs.push_back(out_value(i));
        if (out(i).kind == Kind::tensor) graph().value(outs.back()).type = Type::tensor(out_meta(i).dtype, out_meta(i).shape);
    }
    if (outs.empty()) throw unsupported("has no result");
    const std::string name = graph().value(outs[0]).name;
    graph().add_node(unknown_op(dot == std::string::npos ? target : target.substr(dot + 1), domain, 1), name, std::move(in),
                     std::move(outs), std::move(attrs));
}

}  // namespace quern::torch_format
