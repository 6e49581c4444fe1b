#include "formats/tensorflow/file/frame.h"

namespace quern::tensorflow_format {
namespace {

constexpr size_t small_constant = 1024;  // bytes: such are copied into bodies, where shapes are computed of them

}  // namespace

ValueId Frame::take(ValueId id, const Frame* owner) {
    if (owner == this) return id;
    if (!parent) throw bug("a value of a graph that is not around");
    const ValueId outer = parent->take(id, owner);
    if (const auto known = captures_.find(outer); known != captures_.end()) return known->second;
    const Value& value = parent->graph.value(outer);
    const ValueId inner = declare(value.name, value.type);
    if (value.constant() && value.data->size() <= small_constant) {
        graph.value(inner).data = value.data;
        graph.value(inner).enc = value.enc;
    } else {
        graph.captures.push_back({inner, outer});
        types_.carry(inner, parent->types_, outer);
    }
    return captures_[outer] = inner;
}

ValueId Frame::declare(const std::string& wish, Type type) {
    std::string name = wish.empty() ? "value" : wish;
    if (graph.find(name) != ValueId::none)
        for (size_t& next = suffixes_[wish]; graph.find(name) != ValueId::none;) name = fmt::format("{}_{}", wish, ++next);
    return graph.add_value(std::move(name), std::move(type));
}

NodeId Frame::add(const Op* op, const std::string& name, std::vector<ValueId> in, std::vector<ValueId> out, Attrs attrs) {
    const NodeId id = graph.add_node(op, name, std::move(in), std::move(out), std::move(attrs));
    infer(id);
    return id;
}

}  // namespace quern::tensorflow_format
