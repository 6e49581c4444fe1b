// Operators that rearrange, cut and frame: the way back from map/shape.cpp, map/slice.cpp and map/spatial.cpp.
#include <algorithm>
#include <array>
#include <numeric>

#include "formats/tflite/file/tensors.h"
#include "formats/tflite/lower/lower.h"
#include "formats/tflite/write/restore.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/indices.h"
#include "libcore/passes/shared.h"

namespace quern::tflite_format {
namespace {

int64_t axis_of(const Node& node, size_t rank) { return static_cast<int64_t>(normal_axis(NodeView(node).integer("axis"), rank)); }

// ---- PACK and UNPACK -----------------------------------------------------------------------------------------------------------

// A part of a Concat without the dimension of 1 along which it is put together.
ValueId unpacked(Parts& at, ValueId id, int64_t axis) {
    if (const Node* node = made_by(at.graph(), id, ops::Unsqueeze)) {  // others may read it, too: then it stays for them
        const auto axes = at.ints(*node, 1);
        const size_t rank = at.dims(id).size();
        const bool same = axes && axes->size() == 1 && static_cast<int64_t>(normal_axis((*axes)[0], rank)) == axis;
        return same && at.graph().value(id).enc == at.graph().value(node->in[0]).enc ? node->in[0] : ValueId::none;
    }
    const Value& value = at.graph().value(id);
    Ints dims = at.dims(id);
    if (!value.constant() || (value.enc && !value.enc->per_tensor()) || dims.at(static_cast<size_t>(axis)) != 1) return ValueId::none;
    dims.erase(dims.begin() + axis);
    Tensor contents = *at.graph().constant(id);
    contents.dims = dims;
    const auto enc = value.enc;
    const DType dtype = value.type.dtype;
    const ValueId made = at.graph().add_constant(value.name, contents);
    at.graph().value(made).enc = enc;
    at.graph().value(made).type.dtype = dtype;
    return made;
}

bool pack(Parts& at) {
    const size_t rank = at.dims(at.out[0]).size();
    const std::vector<ValueId> parts = at.anchor().in;
    if (rank == 0 || std::none_of(parts.begin(), parts.end(), [&](ValueId id) { return made_by(at.graph(), id, ops::Unsqueeze); }))
        return false;
    const int64_t axis = axis_of(at.anchor(), rank);
    for (const ValueId id : parts) {
        at.in.push_back(unpacked(at, id, axis));
        if (at.in.back() == ValueId::none) return false;
    }
    at.options = {{"axis", axis}, {"values_count", static_cast<int64_t>(parts.size())}};
    return true;
}

bool unpack(Parts& at) {
    const std::vector<ValueId> parts = at.anchor().out;
    const size_t rank = at.dims(parts[0]).size();
    if (rank == 0) return false;
    const int64_t axis = axis_of(at.anchor(), rank);
    at.out.clear();
    for (const ValueId id : parts) {
        const Node* squeeze = id == ValueId::none ? nullptr : at.behind(id, ops::Squeeze);
        const auto axes = squeeze ? at.ints(*squeeze, 1) : std::nullopt;
        if (!axes || axes->size() != 1 || static_cast<int64_t>(normal_axis((*axes)[0], rank)) != axis) return false;
        at.out.push_back(squeeze->out[0]);
    }
    at.in = {at.anchor().in[0]};
    at.options = {{"axis", axis}, {"num", static_cast<int64_t>(parts.size())}};
    return true;
}

// ---- blocks of space ---------------------------------------------------------------------------------------------------------------

// Reshape, Transpose, Reshape: what goes in, its dims taken apart, the order, and the dims of the result.
struct Regrouping {
    ValueId data = ValueId::none;
    Ints whole, apart, order, together;
};

std::optional<Regrouping> regrouping_of(Parts& at) {
    const ValueId result = at.anchor().out[0];
    const Node* turned = at.before(at.anchor().in[0], ops::Transpose);
    const Node* parts = turned ? at.before(turned->in[0], ops::Reshape) : nullptr;
    if (!parts) return std::nullopt;
    Regrouping found{parts->in[0], at.dims(parts->in[0]), at.dims(parts->out[0]), NodeView(*turned).integers("perm"), at.dims(result)};
    if (found.whole.empty() || found.together.size() != found.whole.size() || found.apart.size() != found.order.size()) return std::nullopt;
    return found;
}

template <bool deeper>
bool regroup_depth(Parts& at) {
    const auto found = regrouping_of(at);
    if (!found || found->whole.size() != 4 || found->order != Ints{0, 1, 3, 2, 4, 5}) return false;
    const Ints &x = found->whole, &y = found->together, &mid = found->apart;
    const int64_t block = deeper ? mid[2] : mid[3], h = deeper ? y[1] : x[1], w = deeper ? y[2] : x[2], c = deeper ? x[3] : y[3];
    if (block < 2 || h < 1 || w < 1 || c < 1) return false;
    const Ints apart = deeper ? Ints{h, block, w, block, c} : Ints{h, w, block, block, c};
    const Ints &flat = deeper ? y : x, &wide = deeper ? x : y;
    if (!std::equal(apart.begin(), apart.end(), mid.begin() + 1) || flat[3] != block * block * c || wide[1] != h * block ||
        wide[2] != w * block)
        return false;
    at.in = {found->data};
    at.options = {{"block_size", block}};
    return true;
}

// Every second one of what a shape was taken apart into, from `first` on.
Ints every_second(const Ints& items, size_t first, size_t count) {
    Ints out;
    for (size_t i = 0; i < count; ++i) out.push_back(items[first + 2 * i]);
    return out;
}

// Zeros around the dims behind the first one; they are taken in.
std::optional<Ints> frame_before(Parts& at, ValueId& data, size_t blocks) {
    Ints frame(2 * blocks, 0);
    const Node* pad = made_by(at.graph(), data, ops::Pad);
    const auto pads = pad && pad->in.size() == 2 && NodeView(*pad).text("mode") == "constant" ? at.ints(*pad, 1) : std::nullopt;
    if (!pads) return frame;
    const size_t rank = pads->size() / 2;
    for (size_t i = 0; i < rank; ++i)
        if ((i == 0 || i > blocks) && ((*pads)[i] != 0 || (*pads)[rank + i] != 0)) return frame;
    for (size_t i = 0; i < blocks; ++i) {
        frame[2 * i] = (*pads)[i + 1];
        frame[2 * i + 1] = (*pads)[rank + i + 1];
    }
    if (std::any_of(frame.begin(), frame.end(), [](int64_t n) { return n < 0; })) return std::nullopt;
    const ValueId around = pad->in[0];
    at.before(data, ops::Pad);
    data = around;
    return frame;
}

// [N, D / b, b, ...] -> [b, N, D / b, ...].
bool space_to_batch(Parts& at) {
    auto found = regrouping_of(at);
    if (!found) return false;
    const size_t rank = found->whole.size(), m = found->apart.size() - rank;
    if (m < 1 || m >= rank) return false;
    Ints order;
    for (size_t i = 0; i < m; ++i) order.push_back(static_cast<int64_t>(2 * i + 2));
    order.push_back(0);
    for (size_t i = 0; i < m; ++i) order.push_back(static_cast<int64_t>(2 * i + 1));
    for (size_t i = 2 * m + 1; i < rank + m; ++i) order.push_back(static_cast<int64_t>(i));
    const Ints counts = every_second(found->apart, 1, m), blocks = every_second(found->apart, 2, m);
    if (order != found->order || !std::equal(counts.begin(), counts.end(), found->together.begin() + 1)) return false;
    for (size_t i = 0; i < m; ++i)
        if (counts[i] < 1 || blocks[i] < 1 || counts[i] * blocks[i] != found->whole[i + 1]) return false;
    const auto frame = frame_before(at, found->data, m);
    if (!frame) return false;
    at.in = {found->data, at.vector("block_shape", blocks), at.numbers("paddings", *frame, {static_cast<int64_t>(m), 2})};
    return true;
}

// What a Slice behind the blocks cuts off their dims.
std::optional<Ints> crops_behind(Parts& at, const Ints& together, size_t m) {
    Ints crops(2 * m, 0);
    const Node* slice = at.behind(at.anchor().out[0], ops::Slice);
    if (!slice) return crops;
    const auto starts = at.ints(*slice, 1), ends = at.ints(*slice, 2), axes = at.ints(*slice, 3);
    if (!starts || !ends || !axes || input_of(*slice, 4) != ValueId::none) return std::nullopt;
    for (size_t i = 0; i < axes->size(); ++i) {
        const int64_t axis = (*axes)[i], from = (*starts)[i];
        if (axis < 1 || axis > static_cast<int64_t>(m) || from < 0 || (*ends)[i] < from) return std::nullopt;
        crops[static_cast<size_t>(2 * (axis - 1))] = from;
        crops[static_cast<size_t>(2 * (axis - 1) + 1)] = std::max<int64_t>(together[static_cast<size_t>(axis)] - (*ends)[i], 0);
    }
    at.out = {slice->out[0]};
    return crops;
}

// [b..., N, D...] -> [N, D, b, ...].
bool batch_to_space(Parts& at) {
    const auto found = regrouping_of(at);
    if (!found) return false;
    const size_t rank = found->whole.size(), m = found->apart.size() - rank;
    if (m < 1 || m >= rank) return false;
    Ints order{static_cast<int64_t>(m)};
    for (size_t i = 0; i < m; ++i) {
        order.push_back(static_cast<int64_t>(m + 1 + i));
        order.push_back(static_cast<int64_t>(i));
    }
    for (size_t i = 2 * m + 1; i < rank + m; ++i) order.push_back(static_cast<int64_t>(i));
    if (order != found->order) return false;
    const Ints blocks(found->apart.begin(), found->apart.begin() + static_cast<std::ptrdiff_t>(m));
    for (size_t i = 0; i < m; ++i)
        if (blocks[i] < 1 || found->whole[i + 1] < 1 || found->apart[m + 1 + i] != found->whole[i + 1] ||
            found->together[i + 1] != blocks[i] * found->whole[i + 1])
            return false;
    const auto crops = crops_behind(at, found->together, m);
    if (!crops) return false;
    at.in = {found->data, at.vector("block_shape", blocks), at.numbers("crops", *crops, {static_cast<int64_t>(m), 2})};
    return true;
}

// ---- elements by their places --------------------------------------------------------------------------------------------------------

// The elements before and behind a whole dimension of `length` that repeat its border; nullopt: other places.
std::optional<std::pair<int64_t, int64_t>> mirrored(const Ints& places, int64_t length) {
    const auto count = static_cast<int64_t>(places.size());
    const int64_t before = places.empty() || length < 1 ? -1 : places[0] == 0 && (count == 1 || places[1] == 1) ? 0 : places[0] + 1;
    const int64_t after = count - length - before;
    if (before < 0 || after < 0 || before > length || after > length || before + after == 0) return std::nullopt;
    for (int64_t i = 0; i < count; ++i) {
        const int64_t k = i - before, wanted = k < 0 ? -1 - k : k < length ? k : 2 * length - 1 - k;
        if (places[static_cast<size_t>(i)] != wanted) return std::nullopt;
    }
    return std::pair(before, after);
}

bool mirror_pad(Parts& at) {
    const size_t rank = at.dims(at.out[0]).size();
    Ints frame(2 * rank, 0);
    ValueId data = at.out[0];
    while (const Node* gather = made_by(at.graph(), data, ops::Gather)) {
        const auto places = at.ints(*gather, 1);
        const Ints from = at.dims(gather->in[0]);
        if (!places || from.size() != rank || at.dims(gather->in[1]).size() != 1) break;
        const auto axis = static_cast<size_t>(axis_of(*gather, rank));
        if (frame[2 * axis] + frame[2 * axis + 1] != 0) break;
        const auto found = mirrored(*places, from[axis]);
        if (!found) break;
        frame[2 * axis] = found->first;
        frame[2 * axis + 1] = found->second;
        at.before(data, ops::Gather);
        data = gather->in[0];
    }
    if (data == at.out[0]) return false;
    at.in = {data, at.numbers("paddings", frame, {static_cast<int64_t>(rank), 2})};
    at.options = {{"mode", std::string("SYMMETRIC")}};
    return true;
}

bool gather_batch(Parts& at) {
    const int64_t batch = NodeView(at.anchor()).integer("batch_dims");
    const auto axes = at.ints(*made_by(at.graph(), at.anchor().in[1], ops::Unsqueeze), 1);
    const auto rank = static_cast<int64_t>(at.dims(at.anchor().in[1]).size());
    if (batch < 1 || !axes || axes->size() != 1 || ((*axes)[0] != -1 && (*axes)[0] != rank - 1)) return false;
    at.in[1] = at.uncast(at.in[1]);
    at.options = {{"axis", batch}, {"batch_dims", batch}};
    return true;
}

// Its result is [..., units] where it was rows of units, which a Reshape alone reads, whatever their dims are; it is called what reading
// has called such a result.
void give_dims(Graph& graph, ValueId rows, const Ints& dims) {
    constexpr std::string_view end = "/Gemm";
    graph.value(rows).type.shape = Shape::of(dims);
    std::string name = graph.value(rows).name;
    if (!name.ends_with(end)) return;
    name.resize(name.size() - end.size());
    if (graph.find(name) == ValueId::none) graph.rename(rows, std::move(name));
}

// Can the operator keep the dims `x` of its data before the Reshape of its result? One to the same dims is taken into it.
bool keeps_dims_before(Parts& at, const Node& shaped, Ints x) {
    Graph& graph = at.graph();
    if (graph.value(shaped.out[0]).enc != graph.value(at.out[0]).enc) return false;
    x.back() = at.dims(at.out[0]).back();
    const Ints y = at.dims(shaped.out[0]);
    if (y == x && std::ranges::count(y, -1) < 2) {
        at.out = {at.behind(at.out[0], ops::Reshape)->out[0]};
        return true;
    }
    if (std::ranges::count(x, -1) > 0 || !graph.value(shaped.in[1]).constant()) return false;
    give_dims(graph, at.out[0], x);
    return true;
}

// [..., K] * [K, units] as rows: what goes in as rows and comes out as [..., units] stays as it is. Where the file's operator has taken
// data of another rank without saying so, reading has put a Reshape in front, by its name.
bool fully_connected(Parts& at) {
    const Node& node = at.anchor();
    const NodeView view(node);
    if (view.integer("transA") != 0 || !at.graph().value(node.in[1]).constant()) return false;
    const Node* rows = made_by(at.graph(), node.in[0], ops::Reshape);  // others may read it, too: then it stays for them
    if (!rows) return false;
    const bool alone = at.read_once(node.in[0]) && at.before(node.in[0], ops::Reshape);
    const Ints x = at.dims(rows->in[0]), flat = at.dims(node.in[0]);
    const auto& enc = at.graph().value(rows->in[0]).enc;
    if (x.empty() || flat.size() != 2 || at.graph().value(node.in[0]).enc != enc) return false;
    at.as = node.op;
    at.in = node.in;
    at.in[0] = rows->in[0];
    at.options = node.attrs;
    const bool keeps = x.size() > 2 && x.back() == flat[1] && at.format != "circle";  // onert's has two dims whatever it is told
    const std::string activation = keeps ? activation_behind(at) : "NONE";
    const NodeId reader = keeps ? at.graph().only_reader(at.out[0]) : NodeId::none;
    const Node* shaped = reader != NodeId::none && at.graph().node(reader).is(ops::Reshape) ? &at.graph().node(reader) : nullptr;
    if (shaped && keeps_dims_before(at, *shaped, x)) {
        at.options[keeps_dims_key] = int64_t{1};
        if (activation != "NONE") at.options[activation_key] = activation;
        return true;
    }
    const std::string &in = at.graph().value(node.in[0]).name, &out = at.graph().value(node.out[0]).name;
    return alone && !shaped && activation == "NONE" && x.size() != 2 && in.ends_with("/Reshape") &&
           out.starts_with(in.substr(0, in.size() - 8));
}

// Matrices whose last two dims change places before.
bool batch_matmul(Parts& at) {
    const Node& node = at.anchor();
    at.in = node.in;
    std::array<int64_t, 2> turned{0, 0};
    for (size_t i = 0; i < 2; ++i) {
        const Node* transpose = made_by(at.graph(), node.in[i], ops::Transpose);
        if (at.graph().value(node.in[i]).constant()) return false;
        if (!transpose || !at.read_once(node.in[i])) continue;
        const Ints perm = NodeView(*transpose).integers("perm");
        Ints order(perm.size());
        std::iota(order.begin(), order.end(), 0);
        if (perm.size() < 2) continue;
        std::swap(order[perm.size() - 1], order[perm.size() - 2]);
        if (perm != order) continue;
        at.before(node.in[i], ops::Transpose);
        at.in[i] = transpose->in[0];
        turned[i] = 1;
    }
    at.options = {{"adj_x", turned[0]}, {"adj_y", turned[1]}};
    if (node.attrs.contains("asymmetric_quantize_inputs")) at.options["asymmetric_quantize_inputs"] = int64_t{1};
    return turned[0] + turned[1] > 0;
}

// Both values as one tensor: a part of it that is fed, or a constant.
ValueId value_of(Parts& at, ValueId id) {
    if (const Node* node = at.before(id, ops::Unsqueeze)) return at.dims(node->in[0]).empty() ? node->in[0] : ValueId::none;
    const auto enc = at.graph().value(id).enc;
    const auto contents = enc && !enc->per_tensor() ? std::nullopt : at.graph().constant(id);
    if (!contents || contents->count() != 1) return ValueId::none;
    const DType dtype = at.type(id).dtype;
    const ValueId made = at.graph().add_constant(at.graph().value(id).name, {contents->dtype, {}, contents->data});
    at.graph().value(made).enc = enc;
    at.graph().value(made).type.dtype = dtype;
    return made;
}

bool one_hot(Parts& at) {
    const Node& node = at.anchor();
    const Node* values = at.before(input_of(node, 2), ops::Concat);
    if (!values || values->in.size() != 2 || !node.attrs.contains(negative_outside_key)) return false;
    const auto depth = at.graph().constant(node.in[1]);
    const ValueId off = value_of(at, values->in[0]), on = value_of(at, values->in[1]);
    if (on == ValueId::none || off == ValueId::none) return false;
    const bool made = depth && (depth->dtype != DType::i32 || !depth->dims.empty());
    at.in = {node.in[0], made ? at.numbers("depth", to_ints(*depth), {}) : at.uncast(node.in[1]), on, off};
    at.options = {{"axis", NodeView(node).integer("axis")}};
    return true;
}

bool where(Parts& at) { return NodeView(at.anchor()).integers("perm") == Ints{1, 0}; }

// The shape, or what is counted of it, as the int32 numbers that it is cast to.
bool as_int32(Parts& at) { return at.type(at.out[0]).dtype == DType::i32; }
bool shape(Parts& at) {
    at.options = {{"out_type", std::string("INT32")}};
    return as_int32(at);
}

template <const OpId& op>
bool arg(Parts& at) {
    const NodeView view(*made_by(at.graph(), at.anchor().in[0], op));
    const size_t rank = at.dims(at.in[0]).size();
    if (!as_int32(at) || rank == 0 || view.integer("keepdims") != 0 || view.integer("select_last_index") != 0) return false;
    at.in.push_back(at.numbers("axis", {axis_of(view.node(), rank)}, {}));
    at.options = {{"output_type", std::string("INT32")}};
    return true;
}
constexpr OpId greatest = ops::ArgMax, least = ops::ArgMin;

bool top_k(Parts& at) {
    const Node& node = at.anchor();
    const NodeView view(node);
    const auto k = at.ints(node, 1);
    const size_t rank = at.dims(node.in[0]).size();
    if (!k || k->size() != 1 || rank == 0 || axis_of(node, rank) + 1 != static_cast<int64_t>(rank) || view.integer("largest") == 0 ||
        node.out.size() < 2 || node.out[1] == ValueId::none)
        return false;
    const Node* cast = at.behind(node.out[1], ops::Cast);
    if (!cast || at.type(cast->out[0]).dtype != DType::i32) return false;
    at.in = {node.in[0], at.numbers("k", *k, {})};
    at.out = {node.out[0], cast->out[0]};
    return true;
}

// Bounds that are computed: where it begins, and how much. Less than none is all there is.
bool slice_all(Parts& at) {
    const Node& node = at.anchor();
    const auto ends = at.ints(node, 2);
    if (at.ints(node, 1) || !ends || std::any_of(ends->begin(), ends->end(), [](int64_t end) { return end != INT64_MAX; })) return false;
    if (input_of(node, 3) != ValueId::none || input_of(node, 4) != ValueId::none) return false;
    at.in = {node.in[0], at.uncast(node.in[1]), at.vector("size", Ints(ends->size(), -1))};
    return at.dims(node.in[0]).size() == ends->size();
}

bool slice(Parts& at) {
    for (const size_t i : {size_t{1}, size_t{2}}) {
        const auto given = at.graph().constant(at.in[i]);
        at.in[i] = given ? at.vector(i == 1 ? "begin" : "size", to_ints(*given)) : at.uncast(at.in[i]);
    }
    // Both may have another type than int32 only together.
    const DType begin = at.type(at.in[1]).dtype, size = at.type(at.in[2]).dtype;
    return begin == size;
}

// One dim from its end to its beginning.
bool reverse(Parts& at) {
    const Node& node = at.anchor();
    const auto starts = at.ints(node, 1), ends = at.ints(node, 2), axes = at.ints(node, 3), steps = at.ints(node, 4);
    const Ints dims = at.dims(node.in[0]);
    if (!starts || !ends || !axes || !steps || axes->size() != 1 || *starts != Ints{-1} || *steps != Ints{-1} || dims.empty()) return false;
    const auto axis = static_cast<int64_t>(normal_axis((*axes)[0], dims.size()));
    const int64_t length = dims[static_cast<size_t>(axis)];
    if (length < 0 ? (*ends)[0] > INT32_MIN : (*ends)[0] >= -length) return false;
    at.in = {node.in[0], at.vector("axis", {axis})};
    return true;
}

// One number everywhere.
bool fill(Parts& at) {
    const Node& node = at.anchor();
    const Shape& number = at.type(node.in[0]).shape;
    if (!number.ranked || number.rank() != 0) return false;
    const auto given = at.graph().constant(node.in[1]);
    at.in = {given ? at.vector("dims", to_ints(*given)) : at.uncast(node.in[1]), node.in[0]};
    return true;
}

bool unique(Parts& at) {
    const Node& node = at.anchor();
    if (NodeView(node).integer("sorted") != 0 || NodeView(node).has("axis") || node.out.size() < 3 || node.out[2] == ValueId::none)
        return false;
    const Node* cast = at.behind(node.out[2], ops::Cast);
    const bool narrow = cast && at.type(cast->out[0]).dtype == DType::i32;
    at.in = {node.in[0]};
    at.out = {node.out[0], narrow ? cast->out[0] : node.out[2]};
    at.options = {{"idx_out_type", std::string(narrow ? "INT32" : "INT64")}};
    return true;
}

constexpr std::array shape_table{
    RestoreRow{Code::ARG_MAX, "Cast(ArgMax(a))", arg<greatest>},
    RestoreRow{Code::ARG_MIN, "Cast(ArgMin(a))", arg<least>},
    RestoreRow{Code::BATCH_MATMUL, "MatMul", batch_matmul},
    RestoreRow{Code::BATCH_TO_SPACE_ND, "Reshape", batch_to_space, true},
    RestoreRow{Code::DEPTH_TO_SPACE, "Reshape", regroup_depth<false>, true, "i8 u8"},
    RestoreRow{Code::FULLY_CONNECTED, "Gemm", fully_connected},
    RestoreRow{Code::GATHER, "GatherND(a,Unsqueeze(b,*))", gather_batch, true},
    RestoreRow{Code::MIRROR_PAD, "Gather", mirror_pad, true},
    RestoreRow{Code::ONE_HOT, "OneHot", one_hot},
    RestoreRow{Code::PACK, "Concat", pack, true},
    RestoreRow{Code::RANK, "Cast(Size(Shape(a)))", as_int32},
    RestoreRow{Code::REVERSE_V2, "Slice", reverse, true, ""},
    RestoreRow{Code::SHAPE, "Cast(Shape(a))", shape},
    RestoreRow{Code::SLICE, "Slice", slice_all, true},
    RestoreRow{Code::SLICE, "Slice(a,b,Add(b,c))", slice, true},
    RestoreRow{Code::SLICE, "Slice(a,b,Where(Less(c,0),9223372036854775807,Add(b,c)))", slice, true},
    RestoreRow{Code::SPACE_TO_BATCH_ND, "Reshape", space_to_batch, true},
    RestoreRow{Code::SPACE_TO_DEPTH, "Reshape", regroup_depth<true>, true, "i8 u8"},
    RestoreRow{Code::TOPK_V2, "TopK", top_k, true},
    RestoreRow{Code::UNIQUE, "Unique", unique},
    RestoreRow{Code::UNPACK, "Split", unpack, true},
    RestoreRow{Code::WHERE, "Transpose(NonZero(a))", where},
    RestoreRow{Code::ZEROS_LIKE, "Expand(0,Shape(a))"},
    RestoreRow{Code::FILL, "Expand", fill},
};

}  // namespace

std::span<const RestoreRow> restore_shape_rows() { return shape_table; }

}  // namespace quern::tflite_format
