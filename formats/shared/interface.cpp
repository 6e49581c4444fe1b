#include "formats/shared/interface.h"

#include <algorithm>
#include <optional>

#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"

namespace quern {
namespace {

// none: as real numbers.
std::optional<DType> storage_of(const std::string& type) {
    if (is_real(type)) return std::nullopt;
    return type == "int8" ? DType::i8 : type == "uint8" ? DType::u8 : DType::i16;
}

// The same codes in another storage type of the same width; of another width, codes that reach as far: int16 is symmetric there.
Encoding stored_as(const Encoding& from, DType storage, const std::string& name) {
    if (from.storage == storage) return from;
    const int own = bits_of(from.storage), wanted = bits_of(storage);
    if ((own != 8 && own != 16) || !from.per_tensor() || !from.is_fixed())
        throw unsupported("\"{}\" is {}: {} cannot stand for it", escape(name), name_of(from.storage), name_of(storage));
    const int64_t zero = from.zero_at();
    const auto with = [&](float scale, int64_t middle) {
        return make_encoding(storage, Tensor::scalar(scale), middle == 0 ? Tensor() : from_ints(storage, {}, std::array{middle}));
    };
    const float scale = to_floats(from.scale).at(0);
    if (own == wanted) return with(scale, zero + (storage == DType::i8 ? -128 : 128));
    constexpr int64_t greatest = 32767;
    if (wanted == 8) return with(scale * static_cast<float>(greatest) / 127.0f, storage == DType::u8 ? 128 : 0);
    const int64_t reach = std::max(from.qmax - zero, zero - from.qmin);
    return with(scale * static_cast<float>(reach) / static_cast<float>(greatest), 0);
}

// Puts a change of encoding between an input or output and the graph. The interface keeps the name.
void change_interface(Graph& graph, ValueId& at, const std::string& type, bool input) {
    const std::optional<DType> storage = storage_of(type);
    const auto one_step = [&](DType from) {
        return !storage || !((from == DType::u8 && *storage == DType::i16) || (from == DType::i16 && *storage == DType::u8));
    };
    // From uint8 to int16 and back readers go by way of int8.
    if (const auto& enc = graph.value(at).enc; enc && !one_step(enc->storage)) change_interface(graph, at, "int8", input);
    const Value inner = graph.value(at);
    if (!is_float(inner.type.dtype)) return;
    if (!inner.enc) {
        if (storage)
            throw unsupported("\"{}\" has no encoding: it stays float", escape(inner.name))
                .with_hint(input ? "--input-type float32" : "--output-type float32");
        return;
    }
    std::optional<Encoding> wanted;
    if (storage) wanted = stored_as(*inner.enc, *storage, inner.name);
    if (wanted && *wanted == *inner.enc) return;
    graph.rename(at, graph.unique_name(inner.name + "/codes"));
    const ValueId outside = graph.add_value(inner.name, inner.type);
    graph.value(outside).enc = wanted;
    const std::string name = graph.unique_node_name(inner.name + "/recode");
    if (input)
        graph.add_node(need_op(ops::own::Recode), name, {outside}, {at}, {}, graph.order().empty() ? NodeId::none : graph.order().front());
    else
        graph.add_node(need_op(ops::own::Recode), name, {at}, {outside});
    at = outside;
}

void check_type(std::string_view option, const std::string& type) {
    if (!type.empty() && std::ranges::find(interface_types, type) == interface_types.end())
        throw usage_error("{} is {}, need float32, int8, uint8 or int16", option, escape(type));
}

bool differ(const std::string& a, const std::string& b) { return !a.empty() && !b.empty() && a != b && !(is_real(a) && is_real(b)); }

}  // namespace

bool is_real(std::string_view type) { return type == "float32" || type == "float"; }

StoredInterface::StoredInterface(const std::string& io) {
    const size_t comma = io.find(',');
    input = io.substr(0, comma);
    output = comma == io.npos ? io : io.substr(comma + 1);
}

std::string InterfaceRequest::io(std::string_view dashes) const {
    check_type(fmt::format("{}io", dashes), both);
    const auto one = [&](std::string_view name, const std::string& type) {
        check_type(fmt::format("{}{}", dashes, name), type);
        if (differ(both, type)) throw usage_error("{0}io {1} and {0}{2} {3} contradict each other", dashes, both, name, type);
        return type.empty() ? both : type;
    };
    const std::string in = one("input-type", input), out = one("output-type", output);
    return in == out ? in : in + "," + out;
}

void store_interface(Graph& graph, const StoredInterface& wanted) {
    if (!wanted.input.empty())
        for (ValueId& id : graph.inputs) change_interface(graph, id, wanted.input, true);
    if (!wanted.output.empty())
        for (ValueId& id : graph.outputs) change_interface(graph, id, wanted.output, false);
}

}  // namespace quern
