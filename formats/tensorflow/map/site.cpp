#include "formats/tensorflow/map/site.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/tensorflow/map/evaluated.h"
#include "libcore/base/text.h"

namespace quern::tensorflow_format {

Site::Site(Importer& importer, Scope& scope, size_t node)
    : importer_(importer), scope_(scope), index_(node), node_(scope.from.nodes[node]) {}

// ---- operands ----

size_t Site::inputs() const { return scope_.from.inputs[index_].size(); }
size_t Site::outputs() const { return scope_.from.outputs[index_]; }

const Bound& Site::bound(size_t i) const {
    if (i >= inputs()) throw bad_input("has {} inputs, need {}", inputs(), i + 1);
    return importer_.read(scope_, scope_.from.inputs[index_][i]);
}

ValueId Site::in(size_t i) {
    const Bound& from = bound(i);
    if (from.kind == Bound::Kind::handle) throw unsupported("input {} is a handle of \"{}\"", i, escape(from.handle));
    if (from.kind == Bound::Kind::list) throw unsupported("input {} is a list of tensors", i);
    return scope_.frame.take(from.id, from.frame);
}

Values Site::ins(size_t from, size_t to) {
    Values values;
    for (size_t i = from; i < std::min(to, inputs()); ++i) values.push_back(in(i));
    return values;
}

const Type& Site::type(size_t i) { return type_of(in(i)); }

bool Site::constant(size_t i) { return graph().value(in(i)).constant(); }

std::optional<Tensor> Site::known(size_t i) {
    const ValueId id = in(i);
    if (auto tensor = graph().constant(id)) return tensor;
    const Type& own = type_of(id);
    const auto numbers = own.shape.ranked && is_integer(own.dtype) ? scope_.frame.numbers(id) : std::nullopt;
    if (!numbers) return evaluated(graph(), id);
    return from_ints(own.dtype, own.shape.rank() == 0 ? Dims{} : Dims{static_cast<int64_t>(numbers->size())}, *numbers);
}

std::optional<Ints> Site::ints(size_t i) {
    const auto tensor = known(i);
    return tensor && is_integer(tensor->dtype) ? std::optional(to_ints(*tensor)) : std::nullopt;
}

std::optional<int64_t> Site::integer_in(size_t i) {
    const auto items = ints(i);
    return items && items->size() == 1 ? std::optional(items->front()) : std::nullopt;
}

std::optional<Ints> Site::axes(size_t i, size_t rank) {
    auto items = ints(i);
    if (items)
        for (int64_t& item : *items) item = static_cast<int64_t>(normal_axis(item, rank));
    return items;
}

size_t Site::rank(size_t i) {
    if (!ranked(i)) throw unsupported("the rank of input {} is not known", i);
    return shape(i).rank();
}

int64_t Site::dim(size_t i, int64_t axis) {
    const Dim& dim = shape(i).dims[normal_axis(axis, rank(i))];
    return dim.known() ? dim.value : -1;
}

Ints Site::dims(size_t i) {
    Ints all;
    for (size_t axis = 0; axis < rank(i); ++axis) all.push_back(dim(i, static_cast<int64_t>(axis)));
    return all;
}

ValueId Site::as_i64(size_t i) {
    if (const auto numbers = known(i)) return constant(from_ints(DType::i64, numbers->dims, to_ints(*numbers)));
    return cast(in(i), DType::i64);
}

// ---- attributes ----

int64_t Site::integer(std::string_view name, int64_t fallback) const {
    const auto* value = node_.attr<int64_t>(name);
    return value ? *value : fallback;
}

double Site::real(std::string_view name, double fallback) const {
    const auto* value = node_.attr<float>(name);
    return value ? static_cast<double>(*value) : fallback;
}

bool Site::flag(std::string_view name, bool fallback) const {
    const auto* value = node_.attr<bool>(name);
    return value ? *value : fallback;
}

std::string Site::word(std::string_view name, std::string_view fallback) const {
    const auto* value = node_.attr<std::string>(name);
    return value ? *value : std::string(fallback);
}

DType Site::type(std::string_view name, DType fallback) const {
    const auto* value = node_.attr<DType>(name);
    return value ? *value : fallback;
}

Ints Site::ints_of(std::string_view name) const {
    const auto* value = node_.attr<Ints>(name);
    return value ? *value : Ints{};
}

// ---- nodes ----

std::string Site::fresh(std::string_view what) const { return fmt::format("{}{}/{}", scope_.prefix, node_.name, what); }

ValueId Site::declare(std::string_view what, Type type) {
    emitted_.push_back(scope_.frame.declare(fresh(what), std::move(type)));
    return emitted_.back();
}

void Site::place(NodeId node) {
    if (const std::string path = scope_.prefix + node_.name; path.find('/') != std::string::npos)
        graph().node(node).scope = "/" + path.substr(0, path.rfind('/') + 1);
}

ValueId Site::transpose(ValueId value, const Ints& order) {
    const auto tensor = graph().constant(value);
    if (!tensor || bits_of(tensor->dtype) < 8 || tensor->dims.size() != order.size())
        return add(ops::Transpose, {value}, {{"perm", order}});
    const ValueId id = constant(permuted(*tensor, order));
    const std::string& wish = graph().value(value).name;
    graph().rename(id, graph().unique_name(wish));
    return id;
}

// ---- results ----

void Site::out(size_t k, ValueId value) {
    const std::string name = scope_.prefix + node_.name + (k == 0 ? "" : fmt::format(":{}", k));
    if (const auto own = std::ranges::find(emitted_, value); own != emitted_.end()) {
        *own = ValueId::none;  // named once
        if (graph().find(name) == ValueId::none) {
            graph().rename(value, name);
            const NodeId producer = graph().value(value).producer;
            if (producer != NodeId::none && graph().node(producer).out[0] == value) graph().rename(producer, name);
        }
    }
    out(k, Bound::tensor(value, scope_.frame));
}

void Site::out(size_t k, Bound bound) {
    std::vector<Bound>& results = scope_.results[index_];
    if (results.size() <= k) results.resize(k + 1);
    results[k] = std::move(bound);
}

void Site::pass(size_t k, size_t i) { out(k, Bound(bound(i))); }

void Site::keep() {
    Values in = ins(), results;
    Attrs attrs;
    for (const auto& [name, value] : node_.attrs) {
        if (const auto* integer = std::get_if<int64_t>(&value)) attrs[name] = *integer;
        if (const auto* real = std::get_if<float>(&value)) attrs[name] = *real;
        if (const auto* flag = std::get_if<bool>(&value)) attrs[name] = int64_t{*flag};
        if (const auto* text = std::get_if<std::string>(&value)) attrs[name] = *text;
        if (const auto* dtype = std::get_if<DType>(&value)) attrs[name] = std::string(name_of(*dtype));
        if (const auto* integers = std::get_if<Ints>(&value)) attrs[name] = *integers;
        if (const auto* reals = std::get_if<std::vector<float>>(&value)) attrs[name] = *reals;
        if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) attrs[name] = *texts;
        if (std::get_if<FunctionName>(&value) || std::get_if<std::vector<FunctionName>>(&value)) throw unsupported("takes a function");
    }
    for (size_t k = 0; k < outputs(); ++k) {
        results.push_back(scope_.frame.declare(fmt::format("{}{}{}", scope_.prefix, node_.name, k == 0 ? "" : fmt::format(":{}", k)), {}));
        out(k, results.back());
    }
    const std::string name = graph().value(results[0]).name;
    graph().add_node(unknown_op(node_.op, "tensorflow", 1), name, std::move(in), std::move(results), std::move(attrs));
}

}  // namespace quern::tensorflow_format
