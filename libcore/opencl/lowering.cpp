#include "libcore/opencl/lowering.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace quern::opencl {
namespace {

constexpr int64_t max_elements = INT32_MAX / 2;
constexpr size_t max_walk = 8;

struct Tag {
    quern_dtype dtype;
    std::string_view tag;
};
constexpr Tag tags[] = {
    {QUERN_FLOAT32, "f32"}, {QUERN_FLOAT16, "f16"}, {QUERN_INT8, "s8"},   {QUERN_UINT8, "u8"}, {QUERN_INT16, "s16"},
    {QUERN_UINT16, "u16"},  {QUERN_INT32, "i32"},   {QUERN_INT64, "i64"}, {QUERN_BOOL, "b8"},
};

std::string_view tag_of(quern_dtype dtype, std::string_view name) {
    const auto* found = std::ranges::find(tags, dtype, &Tag::dtype);
    if (found == std::end(tags)) throw refused("\"{}\" is {}", name, name_of(dtype));
    return found->tag;
}

const OpRow* row_of(const Node& node) {
    for (const auto& rows : {elementwise_rows(), movement_rows(), product_rows(), window_rows(), line_rows()})
        for (const OpRow& row : rows)
            if (row.op == node.op && row.domain == node.domain) return &row;
    return nullptr;
}

// Codes without an encoding that are to be numbers, as those of an Add of int8.
bool is_computed(const Value& value) { return value.encoding || value.dtype == QUERN_FLOAT32 || value.dtype == QUERN_FLOAT16; }

std::vector<std::byte> unpacked(const Value& value) {
    const std::vector<int64_t> codes = codes_of(value);
    std::vector<std::byte> out(codes.size());
    for (size_t i = 0; i < codes.size(); ++i) out[i] = static_cast<std::byte>(codes[i]);
    return out;
}

}  // namespace

// ---- the walk over the nodes ----

Program lower(const Net& net, const Abilities& abilities) { return Lowering(net, abilities).run(); }

Program Lowering::run() {
    for (const int32_t id : net.inputs) {
        const int32_t buffer = buffer_of(id);
        program.buffers[static_cast<size_t>(buffer)].place = Place::input;
        program.inputs.push_back(buffer);
    }
    for (const Node& node : net.nodes) {
        if (std::ranges::find(taken_, &node) != taken_.end()) continue;
        const OpRow* row = row_of(node);
        if (!row) throw refused("{} is not among its operators", node.op);
        row->lower(*this, node);
    }
    for (const int32_t id : net.outputs) {
        const int32_t buffer = buffer_of(id);
        Buffer& to = program.buffers[static_cast<size_t>(buffer)];
        if (to.place == Place::temporary) to.place = Place::output;
        program.outputs.push_back(buffer);
    }
    return std::move(program);
}

int32_t Lowering::buffer_of(int32_t id) {
    const auto found = buffers_.find(id);
    if (found != buffers_.end()) return found->second;
    const Value& value = this->value(id);
    const quern_dtype stored = value.encoding ? value.encoding->storage : value.dtype;
    const int64_t count = count_of(value.dims);
    if (count > max_elements) throw refused("\"{}\" has {} elements, need at most {}", value.name, count, max_elements);
    Buffer buffer;
    buffer.bytes = bytes_of(stored, count);
    if (value.constant) {
        buffer.place = Place::constant;
        if (bits_of(stored) < 8) {
            buffer.bytes = static_cast<size_t>(count);
            buffer.make = [&value] { return unpacked(value); };
        } else {
            buffer.make = [&value] { return std::vector<std::byte>(value.data.begin(), value.data.end()); };
        }
    }
    program.buffers.push_back(std::move(buffer));
    return buffers_[id] = static_cast<int32_t>(program.buffers.size()) - 1;
}

void Lowering::alias(int32_t out, int32_t in) { buffers_[out] = buffer_of(in); }

int32_t Lowering::flag() {
    if (program.flag < 0) {
        program.flag = static_cast<int32_t>(program.buffers.size());
        program.buffers.push_back({Place::flag, sizeof(int32_t), {}});
    }
    return program.flag;
}

// ---- operands ----

const Value& Lowering::in(const Node& node, size_t i) const {
    if (!node.has_input(i)) throw broken("node \"{}\" has no input {}", node.name, i);
    return value(node.inputs[i]);
}

const Value& Lowering::out(const Node& node) const {
    if (node.outputs.empty() || node.outputs[0] == none) throw broken("node \"{}\" has no result", node.name);
    return value(node.outputs[0]);
}

void Lowering::need_operands(const Node& node, size_t min, size_t max) const {
    for (size_t i = 0; i < min; ++i) in(node, i);
    if (node.inputs.size() > max) throw broken("node \"{}\" has {} inputs, need at most {}", node.name, node.inputs.size(), max);
}

void Lowering::need_one_result(const Node& node) const {
    for (size_t i = 1; i < node.outputs.size(); ++i)
        if (node.outputs[i] != none) throw refused("has a second result");
}

void Lowering::need_dims(const Node& node, const Dims& got) const {
    if (out(node).dims != got) throw broken("\"{}\" is {}, need {}", out(node).name, text_of(out(node).dims), text_of(got));
}

Operand Lowering::stored(int32_t id) {
    const Value& value = this->value(id);
    const Encoding* e = value.encoding ? &*value.encoding : nullptr;
    quern_dtype dtype = e ? e->storage : value.dtype;
    if (value.constant && bits_of(dtype) < 8) dtype = dtype == QUERN_INT4 || dtype == QUERN_INT2 ? QUERN_INT8 : QUERN_UINT8;
    Operand out;
    out.tag = tag_of(dtype, value.name);
    out.dims = value.dims;
    out.coded = e != nullptr;
    if (e) {
        if (bits_of(e->storage) > 32) throw refused("\"{}\" has codes of {}", value.name, name_of(e->storage));
        out.scale = e->scale[0];
        out.zero = static_cast<int32_t>(e->zero[0]);
        out.low = static_cast<int32_t>(e->qmin);
        out.high = static_cast<int32_t>(e->qmax);
    }
    out.buffer = buffer_of(id);
    return out;
}

Operand Lowering::real(int32_t id, const Value& value) {
    if (!is_computed(value)) throw refused("\"{}\" is {}, need float32 or float16", value.name, name_of(value.dtype));
    if (value.encoding && !value.constant && !value.encoding->per_tensor()) throw refused("\"{}\" has several scales", value.name);
    if (value.encoding && !value.constant && bits_of(value.encoding->storage) > 16)
        throw refused("\"{}\" has codes of {}", value.name, name_of(value.encoding->storage));
    const bool plain = !value.encoding || (net.integer && value.encoding->per_tensor() && bits_of(value.encoding->storage) <= 16);
    if (plain || !value.constant) return stored(id);
    const auto found = decoded_.find(id);
    if (found != decoded_.end()) return found->second;
    return decoded_[id] = constant("f32", value.dims, static_cast<size_t>(count_of(value.dims)) * sizeof(float),
                                   [&value] { return bytes_of_items(numbers_of(value)); });
}

Operand Lowering::result(const Node& node) {
    const Value& value = out(node);
    Operand y = real(node.outputs[0], value);
    if (y.coded && (y.low > y.high || y.high > 65535 || y.low < -32768))
        throw broken("\"{}\" has codes from {} to {}", value.name, y.low, y.high);
    need_exact(y);
    return y;
}

Operand Lowering::scratch(const Dims& dims) {
    Operand out;
    out.tag = "f32";
    out.dims = dims;
    out.buffer = static_cast<int32_t>(program.buffers.size());
    program.buffers.push_back({Place::temporary, static_cast<size_t>(count_of(dims)) * sizeof(float), {}});
    return out;
}

Operand Lowering::constant(std::string tag, const Dims& dims, size_t bytes, std::function<std::vector<std::byte>()> make) {
    Operand out;
    out.tag = std::move(tag);
    out.dims = dims;
    out.buffer = static_cast<int32_t>(program.buffers.size());
    program.buffers.push_back({Place::constant, bytes, std::move(make)});
    return out;
}

void Lowering::need_exact(const Operand& result) const {
    if (result.coded && !abilities.exact_quotients) throw refused("the device does not round quotients exactly, which codes need");
}

void Lowering::need_doubles(const Operand& result, std::string_view what) const {
    if (result.coded && !abilities.doubles) throw refused("the device has no double numbers, which the codes of {} need", what);
}

Step& Lowering::add(const Node& node, std::string_view family, const Operand& y, const std::vector<Operand>& operands, std::string options,
                    std::vector<int32_t> numbers, std::array<size_t, 3> items) {
    Step step;
    step.node = node.name;
    step.op = node.op;
    step.family = family;
    step.options = fmt::format("-DY={}", y.tag);
    step.buffers = {y.buffer};
    step.numbers = {bits(y.scale), y.zero, y.low, y.high};
    char letter = 'A';
    for (const Operand& operand : operands) {
        step.options += fmt::format(" -D{}={}", letter++, operand.tag);
        step.buffers.push_back(operand.buffer);
        step.numbers.insert(step.numbers.end(), {bits(operand.scale), operand.zero});
    }
    step.options += fmt::format(" -DBASE={}{}{}", step.numbers.size(), options.empty() ? "" : " ", options);
    step.numbers.insert(step.numbers.end(), numbers.begin(), numbers.end());
    step.items = items;
    program.steps.push_back(std::move(step));
    return program.steps.back();
}

// ---- what families share ----

int32_t bits(float x) { return std::bit_cast<int32_t>(x); }

size_t normal_axis(int64_t axis, size_t rank) {
    const auto whole = static_cast<int64_t>(rank);
    if (axis < -whole || axis >= whole) throw broken("axis {} of rank {}", axis, rank);
    return static_cast<size_t>(axis < 0 ? axis + whole : axis);
}

Dims strides_of(std::span<const int64_t> dims) {
    Dims out(dims.size(), 1);
    for (size_t i = dims.size(); i-- > 1;) out[i - 1] = out[i] * dims[i];
    return out;
}

Dims broadcast(const Dims& a, const Dims& b) {
    const size_t rank = std::max(a.size(), b.size());
    Dims out(rank);
    for (size_t i = 0; i < rank; ++i) {
        const int64_t x = i + a.size() < rank ? 1 : a[i + a.size() - rank], y = i + b.size() < rank ? 1 : b[i + b.size() - rank];
        if (x != y && x != 1 && y != 1) throw broken("{} and {} do not broadcast", text_of(a), text_of(b));
        out[i] = x == 1 ? y : x;
    }
    return out;
}

Dims broadcast_steps(const Dims& from, const Dims& to) {
    if (from.size() > to.size()) throw broken("{} does not broadcast to {}", text_of(from), text_of(to));
    const Dims steps = strides_of(from);
    Dims out(to.size(), 0);
    for (size_t i = 0; i < from.size(); ++i) {
        const size_t at = i + to.size() - from.size();
        if (from[i] != 1 && from[i] != to[at]) throw broken("{} does not broadcast to {}", text_of(from), text_of(to));
        out[at] = from[i] == 1 ? 0 : steps[i];
    }
    return out;
}

Walk joined(const Dims& lengths, const std::vector<Dims>& steps) {
    Walk out{{}, std::vector<Dims>(steps.size())};
    for (size_t i = 0; i < lengths.size(); ++i) {
        if (lengths[i] == 1) continue;
        bool follows = !out.lengths.empty();
        for (size_t t = 0; follows && t < steps.size(); ++t) follows = out.steps[t].back() == steps[t][i] * lengths[i];
        if (follows) {
            out.lengths.back() *= lengths[i];
            for (size_t t = 0; t < steps.size(); ++t) out.steps[t].back() = steps[t][i];
        } else {
            out.lengths.push_back(lengths[i]);
            for (size_t t = 0; t < steps.size(); ++t) out.steps[t].push_back(steps[t][i]);
        }
    }
    if (out.lengths.size() > max_walk) throw refused("moves over {} dims, need at most {}", out.lengths.size(), max_walk);
    return out;
}

bool activation_limits(const Net& net, const Node& node, float& low, float& high) {
    low = -std::numeric_limits<float>::infinity();
    high = std::numeric_limits<float>::infinity();
    if (!node.domain.empty()) return false;
    if (node.op == "Relu") return low = 0, true;
    if (node.op != "Clip") return false;
    for (size_t i = 1; i < 3; ++i) {
        if (!node.has_input(i)) continue;
        const Value& bound = net.values[static_cast<size_t>(node.inputs[i])];
        if (!bound.constant || count_of(bound.dims) != 1) return false;
        const float limit = numbers_of(bound)[0];
        if (std::isnan(limit)) return false;
        (i == 1 ? low : high) = limit;
    }
    return low <= high;
}

const Node* activation_behind(const Lowering& to, const Node& node, float& low, float& high) {
    const int32_t result = node.outputs[0];
    const Node* next = to.net.only_reader(result);
    if (!next || next->inputs[0] != result || next->outputs.size() != 1 || next->outputs[0] == none) return nullptr;
    if (to.value(result).encoding || to.value(result).dims != to.value(next->outputs[0]).dims) return nullptr;
    if (to.net.integer && (node.unit < 0 || node.unit != next->unit)) return nullptr;
    return activation_limits(to.net, *next, low, high) ? next : nullptr;
}

bool same_storage(const Operand& a, const Operand& b) {
    if (a.tag != b.tag || a.coded != b.coded) return false;
    return !a.coded || (a.scale == b.scale && a.zero == b.zero && a.low == b.low && a.high == b.high);
}

bool are_plain_bytes(const Operand& y, const std::vector<Operand>& operands) {
    const auto plain = [](const Operand& x) {
        return x.coded && ((x.tag == "s8" && x.low == -128 && x.high == 127) || (x.tag == "u8" && x.low == 0 && x.high == 255));
    };
    return plain(y) && std::ranges::all_of(operands, [&](const Operand& x) { return plain(x) && x.tag == y.tag; });
}

void move(Lowering& to, const Node& node, const Operand& y, const Operand& x, const Dims& lengths, std::array<int64_t, 2> first,
          const Dims& y_steps, const Dims& x_steps) {
    const int64_t count = count_of(lengths);
    if (count == 0) return;
    for (const bool result : {true, false}) {
        int64_t min = result ? first[0] : first[1], max = min;
        for (size_t i = 0; i < lengths.size(); ++i) {
            const int64_t reach = (result ? y_steps[i] : x_steps[i]) * (lengths[i] - 1);
            (reach < 0 ? min : max) += reach;
        }
        if (min < 0 || max >= (result ? y : x).count()) throw broken("node \"{}\" moves elements outside of its values", node.name);
    }
    const Walk walk = joined(lengths, {y_steps, x_steps});
    std::vector<int32_t> numbers{static_cast<int32_t>(count), static_cast<int32_t>(first[0]), static_cast<int32_t>(first[1])};
    for (size_t i = 0; i < walk.lengths.size(); ++i)
        for (const int64_t number : {walk.lengths[i], walk.steps[0][i], walk.steps[1][i]}) numbers.push_back(static_cast<int32_t>(number));
    const bool raw = same_storage(y, x);
    if (!raw) to.need_exact(y);
    to.add(node, "move", y, {x}, fmt::format("-DRANK={}{}", walk.lengths.size(), raw ? " -DRAW" : ""), std::move(numbers),
           {static_cast<size_t>(count), 1, 1});
}

std::vector<int64_t> constant_integers(const Lowering& to, const Node& node, size_t i) {
    const Value& value = to.in(node, i);
    if (!value.constant) throw refused("input {} is not constant", i);
    return codes_of(value);
}

}  // namespace quern::opencl
