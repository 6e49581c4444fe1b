// Function: buffers and statements of the C function that runs a model.
#include <fmt/format.h>

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/codegen/c/emit.h"

namespace quern::cgen {

Function::Function(const CompiledGraph& program, Source& source)
    : program_(program), source_(source), listing_(std::make_shared<Listing>()) {
    const Graph& graph = program.graph();
    std::map<std::string, int> taken;
    const auto fresh = [&](std::string_view prefix, const std::string& name) {
        std::string wish = fmt::format("{}_{}", prefix, slug(name));
        const int count = ++taken[wish];
        return count == 1 ? wish : fmt::format("{}__{}", wish, count);
    };
    for (const ValueId id : graph.inputs) inputs_.push_back(external_[id] = fresh("in", graph.value(id).name));
    for (const ValueId id : graph.outputs) {
        outputs_.push_back(fresh("out", graph.value(id).name));
        if (!external_.contains(id) && !graph.value(id).constant()) external_[id] = outputs_.back();
    }
}

Function::Function(const CompiledGraph& body, Function& outer)
    : program_(body), source_(outer.source_), outer_(&outer), listing_(outer.listing_) {}

void Function::begin_step() { ++listing_->step; }
void Function::statement(std::string text) { listing_->text += std::string(4 * (listing_->depth + 1), ' ') + std::move(text) + "\n"; }

void Function::open(std::string head) {
    statement(std::move(head));
    ++listing_->depth;
}

void Function::otherwise() {
    --listing_->depth;
    open("} else {");
}

void Function::close() {
    --listing_->depth;
    statement("}");
}

size_t Function::enter_loop() { return listing_->step++; }

void Function::leave_loop(size_t entered) {
    ++listing_->step;
    for (Buffer& buffer : listing_->buffers)
        if (buffer.born <= entered && buffer.last > entered) buffer.last = listing_->step;
}

std::string Function::local(std::string_view name) { return fmt::format("{}{}", name, listing_->locals++); }

ValueId Function::root(ValueId id) const {
    for (auto found = alias_.find(id); found != alias_.end(); found = alias_.find(id)) id = found->second;
    return id;
}

const Dims& Function::dims(ValueId id) const {
    const auto [found, added] = dims_.emplace(id, Dims());
    if (!added) return found->second;
    const Value& value = program_.graph().value(id);
    if (!value.constant() && value.type.kind == Type::Kind::tensor && is_integer(held(id)) && bits_of(held(id)) < 8) {
        dims_.erase(found);
        throw unsupported("value \"{}\" is {}: only constants may have fewer than 8 bits", escape(value.name), name_of(held(id)));
    }
    const auto concrete = value.type.shape.concrete();
    if (!concrete || value.type.kind != Type::Kind::tensor) {
        dims_.erase(found);
        throw unsupported("value \"{}\" is {}: its shape is not known before the run", escape(value.name), to_string(value.type));
    }
    return found->second = *concrete;
}

DType Function::held(ValueId id) const {
    const Value& value = program_.graph().value(id);
    return program_.encoded(id) ? value.enc->storage : value.type.dtype;
}

std::optional<Tensor> Function::constant(ValueId id) const { return program_.graph().constant(id); }

const Encoding* Function::encoding(ValueId id) const {
    return id != ValueId::none && program_.encoded(id) ? &*program_.graph().value(id).enc : nullptr;
}

std::string Function::buffer_of(ValueId id) {
    std::vector<Buffer>& buffers = listing_->buffers;
    auto found = buffer_of_.find(id);
    if (found == buffer_of_.end()) {
        const Value& value = program_.graph().value(id);
        Buffer buffer;
        buffer.name = fmt::format("t{}_{}", buffers.size(), slug_of_end(value.name));
        const std::string_view type = c_type(held(id));
        const Encoding* e = encoding(id);
        buffer.declaration = fmt::format("{0}* const {1} = ({0}*)(void*)(arena + @offset@); /* {2}{3} */", type, buffer.name,
                                         to_string(std::span<const int64_t>(dims(id))), e ? " " + comment_text(to_string(*e)) : "");
        buffer.bytes = static_cast<size_t>(storage_size(held(id), static_cast<uint64_t>(std::max<int64_t>(count_of(dims(id)), 1))));
        buffer.born = listing_->step;
        found = buffer_of_.emplace(id, buffers.size()).first;
        buffers.push_back(std::move(buffer));
    }
    Buffer& buffer = buffers[found->second];
    buffer.last = listing_->step;
    return buffer.name;
}

std::string Function::value(ValueId id) {
    id = root(id);
    const Value& value = program_.graph().value(id);
    if (value.constant()) return source_.constant(*constant(id), slug_of_end(value.name));
    if (const auto found = external_.find(id); found != external_.end()) return found->second;
    if (const auto found = linked_.find(id); found != linked_.end()) return outer_->value(found->second);
    return buffer_of(id);
}

std::string Function::result(ValueId id) { return value(id); }

bool Function::may_alias(ValueId id) const { return !external_.contains(id) && !linked_.contains(id); }

void Function::link(ValueId id, ValueId outer) { linked_[id] = outer; }
void Function::bind(ValueId id, std::string expression) { external_[id] = std::move(expression); }

void Function::alias(ValueId id, ValueId same) { alias_[id] = same; }

std::string Function::scratch(DType dtype, int64_t count) {
    Buffer buffer;
    buffer.name = fmt::format("s{}", listing_->buffers.size());
    buffer.declaration = fmt::format("{0}* const {1} = ({0}*)(void*)(arena + @offset@);", c_type(dtype), buffer.name);
    buffer.bytes = static_cast<size_t>(storage_size(dtype, static_cast<uint64_t>(std::max<int64_t>(count, 1))));
    buffer.born = buffer.last = listing_->step;
    listing_->buffers.push_back(buffer);
    return buffer.name;
}

std::pair<std::string, std::string> Function::dynamic_grid(ValueId id) {
    id = root(id);
    if (const auto found = linked_.find(id); found != linked_.end()) return outer_->dynamic_grid(found->second);
    const auto [found, added] = grids_.emplace(id, listing_->grids);
    if (added) {
        Buffer buffer;  // two locals instead of memory
        buffer.declaration = fmt::format("float scale{0};\n    int32_t zero{0};", listing_->grids++);
        listing_->buffers.push_back(std::move(buffer));
    }
    return {fmt::format("scale{}", found->second), fmt::format("zero{}", found->second)};
}

Held Function::held_value(ValueId id) {
    Held out{value(id), held(id), encoding(id)};
    if (out.dynamic()) out.grid = dynamic_grid(id);
    return out;
}

void Function::copy_outputs() {
    const Graph& graph = program_.graph();
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
        const std::string from = value(graph.outputs[i]);
        if (from == outputs_[i]) continue;
        source_.need_memory();
        const uint64_t bytes = storage_size(held(graph.outputs[i]), static_cast<uint64_t>(count_of(dims(graph.outputs[i]))));
        statement(fmt::format("memcpy({}, {}, {});", outputs_[i], from, bytes));
    }
}

}  // namespace quern::cgen
