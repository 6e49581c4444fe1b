// Function: buffers and statements of the C function that runs a model.
#include <fmt/format.h>

#include "libcore/base/text.h"
#include "libcore/session/codegen/c/emit.h"

namespace quern::cgen {

Function::Function(const CompiledGraph& program, Source& source) : program_(program), source_(source) {
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

void Function::begin_step(const Step&) { ++step_; }
void Function::end_step() {}
void Function::statement(std::string text) { text_ += "    " + std::move(text) + "\n"; }

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
        throw unsupported("value \"{}\" is {}: what is no constant has 8 bits and more", escape(value.name), name_of(held(id)));
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
    const auto [found, added] = buffer_of_.emplace(id, buffers_.size());
    if (added) {
        const Value& value = program_.graph().value(id);
        Buffer buffer;
        buffer.name = fmt::format("t{}_{}", buffers_.size(), slug(value.name));
        const std::string_view type = c_type(held(id));
        const Encoding* e = encoding(id);
        buffer.declaration = fmt::format("{0} *const {1} = ({0} *)(arena.bytes + @offset@); /* {2}{3} */", type, buffer.name,
                                         to_string(std::span<const int64_t>(dims(id))), e ? " " + comment_text(to_string(*e)) : "");
        buffer.bytes = static_cast<size_t>(storage_size(held(id), static_cast<uint64_t>(std::max<int64_t>(count_of(dims(id)), 1))));
        buffer.born = step_;
        buffers_.push_back(std::move(buffer));
    }
    Buffer& buffer = buffers_[found->second];
    buffer.last = step_;
    return buffer.name;
}

std::string Function::value(ValueId id) {
    id = root(id);
    const Value& value = program_.graph().value(id);
    if (value.constant()) return source_.constant(*constant(id), value.name);
    if (const auto found = external_.find(id); found != external_.end()) return found->second;
    return buffer_of(id);
}

std::string Function::result(ValueId id) { return value(id); }

bool Function::may_alias(ValueId id) const { return !external_.contains(id); }

void Function::alias(ValueId id, ValueId same) { alias_[id] = same; }

std::string Function::scratch(DType dtype, int64_t count) {
    Buffer buffer;
    buffer.name = fmt::format("s{}", buffers_.size());
    buffer.declaration = fmt::format("{0} *const {1} = ({0} *)(arena.bytes + @offset@);", c_type(dtype), buffer.name);
    buffer.bytes = static_cast<size_t>(storage_size(dtype, static_cast<uint64_t>(std::max<int64_t>(count, 1))));
    buffer.born = buffer.last = step_;
    buffers_.push_back(buffer);
    return buffer.name;
}

std::pair<std::string, std::string> Function::dynamic_grid(ValueId id) {
    const auto [found, added] = grids_.emplace(root(id), grids_.size());
    if (added) {
        Buffer buffer;  // two locals instead of memory
        buffer.declaration = fmt::format("float scale{0};\n    int32_t zero{0};", found->second);
        buffers_.push_back(std::move(buffer));
    }
    return {fmt::format("scale{}", found->second), fmt::format("zero{}", found->second)};
}

std::string Function::copy_outputs() {
    const Graph& graph = program_.graph();
    const size_t before = text_.size();
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
        const std::string from = value(graph.outputs[i]);
        if (from == outputs_[i]) continue;
        source_.need_memory();
        const uint64_t bytes = storage_size(held(graph.outputs[i]), static_cast<uint64_t>(count_of(dims(graph.outputs[i]))));
        statement(fmt::format("memcpy({}, {}, {});", outputs_[i], from, bytes));
    }
    std::string added = text_.substr(before);
    text_.resize(before);
    return added;
}

}  // namespace quern::cgen
