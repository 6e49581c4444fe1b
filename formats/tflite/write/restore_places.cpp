// Elements that are put into their places: the way back from map/product.cpp.
#include <algorithm>
#include <array>

#include "formats/tflite/write/restore.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/shared.h"

namespace quern::tflite_format {
namespace {

// int32 numbers for places or a shape; none if there are only others.
ValueId narrow(Parts& at, ValueId id, std::string_view what) {
    if (const auto given = at.graph().constant(id)) return at.numbers(what, to_ints(*given), given->dims);
    const ValueId from = at.uncast(id);
    return at.type(from).dtype == DType::i32 ? from : ValueId::none;
}

// What a tensor is filled with, and its shape: both as they are expanded, or found in a constant.
std::optional<std::pair<float, ValueId>> filled(Parts& at, ValueId id) {
    if (const Node* expand = at.before(id, ops::Expand)) {
        const auto number = at.graph().value(expand->in[0]).enc ? std::nullopt : at.graph().constant(expand->in[0]);
        if (!number || number->count() != 1 || !at.dims(expand->in[0]).empty()) return std::nullopt;
        return std::pair(to_floats(*number)[0], narrow(at, expand->in[1], "shape"));
    }
    const auto contents = at.graph().value(id).enc ? std::nullopt : at.graph().constant(id);
    if (!contents || contents->count() == 0 || contents->dtype == DType::boolean) return std::nullopt;
    const auto numbers = to_floats(*contents);
    if (std::any_of(numbers.begin(), numbers.end(), [&](float x) { return x != numbers[0]; })) return std::nullopt;
    return std::pair(numbers[0], at.vector("shape", Ints(contents->dims.begin(), contents->dims.end())));
}

bool scatter_nd(Parts& at) {
    const Node& node = at.anchor();
    if (NodeView(node).text("reduction") != "add") return false;
    const auto zeros = filled(at, node.in[0]);
    const ValueId places = narrow(at, node.in[1], "places");
    if (!zeros || zeros->first != 0 || zeros->second == ValueId::none || places == ValueId::none) return false;
    at.in = {places, node.in[2], zeros->second};
    return true;
}

bool sparse_to_dense(Parts& at) {
    const Node& node = at.anchor();
    const Ints dims = at.dims(node.in[1]), made = at.dims(at.out[0]);
    if (NodeView(node).text("reduction") != "none" || dims.size() != 2 || made.empty() || dims[1] != static_cast<int64_t>(made.size()))
        return false;
    const DType dtype = at.type(at.out[0]).dtype;
    if (dtype != DType::f32 && dtype != DType::i32) return false;
    const auto rest = filled(at, node.in[0]);
    const Node* tuples = made_by(at.graph(), node.in[1], ops::Reshape);
    const bool flat = tuples && dims[1] == 1 && at.dims(tuples->in[0]).size() < 2;
    if (flat) at.before(node.in[1], ops::Reshape);
    const ValueId places = narrow(at, flat ? tuples->in[0] : node.in[1], "places");
    if (!rest || rest->second == ValueId::none || places == ValueId::none) return false;
    const Node* spread = made_by(at.graph(), node.in[2], ops::Expand);
    if (spread && at.dims(spread->in[0]).empty()) at.before(node.in[2], ops::Expand);
    const ValueId values = spread && at.dims(spread->in[0]).empty() ? spread->in[0] : node.in[2];
    const ValueId fill = at.graph().add_constant("rest", from_floats(dtype, {}, std::array{rest->first}));
    at.in = {places, rest->second, values, fill};
    at.options = {{"validate_indices", int64_t{0}}};
    return true;
}

constexpr std::array places_table{
    RestoreRow{Code::SCATTER_ND, "ScatterND", scatter_nd},
    RestoreRow{Code::SPARSE_TO_DENSE, "ScatterND", sparse_to_dense},
};

}  // namespace

std::span<const RestoreRow> restore_places_rows() { return places_table; }

}  // namespace quern::tflite_format
