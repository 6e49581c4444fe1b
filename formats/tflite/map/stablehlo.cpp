// StableHLO's operators, as far as they are ours under another name.
#include "formats/tflite/map/stablehlo.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "libcore/base/text.h"
#include "libcore/passes/decompose/math.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tflite_format {

std::optional<Ints> fixed_dims(const Site& site, size_t i) {
    Ints dims;
    for (size_t d = 0; d < site.rank(i); ++d) {
        dims.push_back(site.dim(i, d));
        if (dims.back() < 0) return std::nullopt;
    }
    return dims;
}

bool hands_second_on(Site& site, std::string_view option) {
    const Subgraph& body = site.importer().subgraph(site.integer(option, -1));
    return body.inputs.size() == 2 && body.outputs.size() == 1 && body.operators.empty() && body.outputs[0] == body.inputs[1];
}

std::optional<OpId> body_operation(Site& site, std::string_view option) {
    const Subgraph& body = site.importer().subgraph(site.integer(option, -1));
    if (body.inputs.size() != 2 || body.outputs.size() != 1 || body.operators.size() != 1) return std::nullopt;
    const FileOperator& op = body.operators[0];
    Ints in = op.in, operands = body.inputs;
    std::sort(in.begin(), in.end());
    std::sort(operands.begin(), operands.end());
    const auto option_at = op.options.find("fused_activation_function");
    const auto* fused = option_at == op.options.end() ? nullptr : std::get_if<std::string>(&option_at->second);
    if (in != operands || op.out != body.outputs || (fused && *fused != "NONE")) return std::nullopt;
    switch (op.code) {
        case Code::ADD:
        case Code::STABLEHLO_ADD: return ops::Add;
        case Code::MUL:
        case Code::STABLEHLO_MULTIPLY: return ops::Mul;
        case Code::MAXIMUM:
        case Code::STABLEHLO_MAXIMUM: return ops::Max;
        case Code::MINIMUM:
        case Code::STABLEHLO_MINIMUM: return ops::Min;
        case Code::LOGICAL_AND:
        case Code::STABLEHLO_AND: return ops::And;
        case Code::LOGICAL_OR:
        case Code::STABLEHLO_OR: return ops::Or;
        default: return std::nullopt;
    }
}

std::optional<Tensor> window_places(const Ints& window, const Ints& dims, size_t rank) {
    constexpr int64_t most = int64_t{1} << 22;
    for (const int64_t length : window)
        if (length < 0 || length > most) return std::nullopt;
    Ints shape = window;
    shape.push_back(static_cast<int64_t>(rank));
    int64_t numbers = 1;
    for (const int64_t length : shape)
        if (numbers *= length; numbers > most) return std::nullopt;
    Ints places(static_cast<size_t>(numbers), 0), at(window.size(), 0);
    for (size_t place = 0; place < places.size(); place += rank) {
        for (size_t i = 0; i < at.size(); ++i) places[place + static_cast<size_t>(dims[i])] = at[i];
        for (size_t i = at.size(); i-- > 0; at[i] = 0)
            if (++at[i] < window[i]) break;
    }
    return Tensor::make<int64_t>(shape, places);
}

namespace {

bool is_bool(const Site& site) { return site.dtype(0) == DType::boolean; }

bool logic_and(Site& site) {
    site.result(is_bool(site) ? ops::And : ops::BitwiseAnd, site.ins());
    return true;
}
bool logic_or(Site& site) {
    site.result(is_bool(site) ? ops::Or : ops::BitwiseOr, site.ins());
    return true;
}

// Of bools it is Or.
bool add(Site& site) {
    site.result(is_bool(site) ? ops::Or : ops::Add, site.ins());
    return true;
}
bool multiply(Site& site) {
    site.result(is_bool(site) ? ops::And : ops::Mul, site.ins());
    return true;
}

bool clamp(Site& site) {
    if (site.in_count() != 3) throw bad_input("has {} operands", site.in_count());
    site.result(ops::Min, {site.add(ops::Max, {site.in(1), site.in(0)}), site.in(2)});
    return true;
}

bool cube_root(Site& site) {
    const ValueId x = site.in(0);
    const ValueId root = site.add(ops::Pow, {site.add(ops::Abs, {x}), site.scalar(1.0 / 3, site.dtype(0), "third")});
    site.result(ops::Mul, {site.add(ops::Sign, {x}), root});
    return true;
}

bool shift_left(Site& site) {
    const DType dtype = site.dtype(0);
    if (kind_of(dtype) != NumberKind::unsigned_int) {  // in the unsigned type of that width, where ONNX shifts
        const DType own = bits_of(dtype) == 8    ? DType::u8
                          : bits_of(dtype) == 16 ? DType::u16
                          : bits_of(dtype) == 32 ? DType::u32
                                                 : DType::u64;
        Values in;
        for (const ValueId id : site.ins()) in.push_back(site.add(ops::Cast, {id}, {{"to", onnx_type(own)}}));
        site.result(ops::Cast, {site.add(ops::BitShift, in, {{"direction", std::string("LEFT")}})}, {{"to", onnx_type(dtype)}});
        return true;
    }
    site.result(ops::BitShift, site.ins(), {{"direction", std::string("LEFT")}});
    return true;
}

bool compare(Site& site) {
    const std::string full = site.word("comparison_direction", "STABLEHLO_COMPARISON_DIRECTION_EQ"),
                      word = full.substr(full.rfind('_') + 1);
    if (site.word("compare_type", "") == "STABLEHLO_COMPARISON_TYPE_FLOAT_TOTAL_ORDER") return false;
    constexpr std::array<std::pair<std::string_view, OpId>, 5> names{
        {{"EQ", ops::Equal}, {"GE", ops::GreaterOrEqual}, {"GT", ops::Greater}, {"LE", ops::LessOrEqual}, {"LT", ops::Less}}};
    if (word == "NE") return decompose::composed<decompose::not_equal>(site);
    const auto found = std::find_if(names.begin(), names.end(), [&](const auto& row) { return row.first == word; });
    if (found == names.end()) throw bad_input("compares by {}", full);
    site.result(found->second, site.ins());
    return true;
}

bool convert(Site& site) {
    if (encoding_of(site.tensor(0), site.scope().from) || encoding_of(site.out_tensor(), site.scope().from)) return false;
    site.result(ops::Cast, {site.in(0)}, {{"to", onnx_type(type_of(site.out_tensor()).dtype)}});
    return true;
}

bool reshape(Site& site) {
    for (const int64_t dim : site.out_tensor().signature)
        if (dim < 0) return false;
    site.result(ops::Reshape, {site.in(0), site.integers(site.out_tensor().shape, "shape")}, {{"allowzero", int64_t{1}}});
    return true;
}

bool transpose(Site& site) {
    site.result(ops::Transpose, {site.in(0)}, {{"perm", site.list("permutation").value_or(Ints())}});
    return true;
}

bool concatenate(Site& site) {
    site.result(ops::Concat, site.ins(), {{"axis", site.integer("dimension")}});
    return true;
}

bool broadcast_in_dim(Site& site) {
    const Ints dims = site.list("broadcast_dimensions").value_or(site.has(1) ? site.ints(1).value_or(Ints()) : Ints());
    const auto from = fixed_dims(site, 0);
    const FileTensor& out = site.out_tensor();
    if (!from || dims.size() != from->size() || std::count(out.signature.begin(), out.signature.end(), -1) > 0) return false;
    Ints ones(out.shape.size(), 1);
    for (size_t i = 0; i < dims.size(); ++i) ones[normal_axis(dims[i], ones.size())] = (*from)[i];
    if (!std::is_sorted(dims.begin(), dims.end())) return false;
    const ValueId x = site.add(ops::Reshape, {site.in(0), site.integers(ones, "ones")}, {{"allowzero", int64_t{1}}});
    site.result(ops::Expand, {x, site.integers(out.shape, "shape")});
    return true;
}

bool slice(Site& site) {
    const auto starts = site.list("start_indices"), ends = site.list("limit_indices"), steps = site.list("strides");
    if (!starts || !ends || starts->size() != site.rank(0))
        throw bad_input("cuts {} of {} dims", starts ? starts->size() : 0, site.rank(0));
    Ints axes(starts->size());
    std::iota(axes.begin(), axes.end(), 0);
    Values in{site.in(0), site.integers(*starts, "starts"), site.integers(*ends, "ends"), site.integers(axes, "axes")};
    if (steps) in.push_back(site.integers(*steps, "steps"));
    site.result(ops::Slice, in);
    return true;
}

bool iota(Site& site) {
    const FileTensor& out = site.out_tensor();
    const size_t axis = normal_axis(site.integer("iota_dimension"), out.shape.size());
    const DType dtype = type_of(out).dtype;
    if (std::count(out.signature.begin(), out.signature.end(), -1) > 0 || out.shape[axis] > 1 << 22) return false;
    Ints numbers(static_cast<size_t>(out.shape[axis])), column(out.shape.size() - axis, 1);
    std::iota(numbers.begin(), numbers.end(), 0);
    column[0] = out.shape[axis];
    const ValueId line = site.constant(from_ints(dtype, column, numbers), "line");
    site.result(ops::Expand, {line, site.integers(out.shape, "shape")});
    return true;
}

// Elements between those of dim d: each is followed by interior[d] fillers, the last ones cut off.
ValueId dilated(Site& site, ValueId x, const Ints& dims, const Ints& interior, ValueId filler) {
    Ints apart, pads, together, cut(2 * dims.size(), 0);
    for (size_t d = 0; d < dims.size(); ++d) {
        apart.insert(apart.end(), {dims[d], 1});
        pads.insert(pads.end(), {0, interior[d]});
        together.push_back(dims[d] * (interior[d] + 1));
        cut[dims.size() + d] = -interior[d];
    }
    pads.insert(pads.begin(), pads.size(), 0);
    const ValueId parts = site.add(ops::Reshape, {x, site.integers(apart, "apart")});
    const ValueId wide = site.add(ops::Pad, {parts, site.integers(pads, "interior"), filler});
    const ValueId joined = site.add(ops::Reshape, {wide, site.integers(together, "together")});
    return site.add(ops::Pad, {joined, site.integers(cut, "cut"), filler});
}

// Fillers inside and around; of the frame, numbers below 0 cut off.
bool pad(Site& site) {
    const Ints low = site.list("edge_padding_low").value_or(Ints()), high = site.list("edge_padding_high").value_or(Ints()),
               interior = site.list("interior_padding").value_or(Ints(low.size(), 0));
    if (low.size() != site.rank(0) || high.size() != low.size() || interior.size() != low.size())
        throw bad_input("pads {} and {} of {} dims", low.size(), high.size(), site.rank(0));
    ValueId x = site.in(0);
    const ValueId filler = site.in(1);
    if (std::any_of(interior.begin(), interior.end(), [](int64_t item) { return item != 0; })) {
        const auto dims = fixed_dims(site, 0);
        if (!dims || std::count(dims->begin(), dims->end(), 0) > 0) return false;
        for (size_t d = 0; d < dims->size(); ++d)
            if (interior[d] < 0 || interior[d] > INT32_MAX) throw bad_input("interior padding of {}", interior[d]);
        x = dilated(site, x, *dims, interior, filler);
    }
    Ints pads = low;
    pads.insert(pads.end(), high.begin(), high.end());
    site.result(ops::Pad, {x, site.integers(pads, "pads"), filler});
    return true;
}

// Operands: data, dilations, filler.
bool dilate(Site& site) {
    const auto dims = fixed_dims(site, 0), steps = site.ints(1);
    if (!dims || !steps || steps->size() != dims->size() || std::count(dims->begin(), dims->end(), 0) > 0) return false;
    Ints interior;
    for (const int64_t step : *steps) {
        if (step < 1 || step > INT32_MAX) throw bad_input("a dilation of {}", step);
        interior.push_back(step - 1);
    }
    site.put(ops::Identity, {dilated(site, site.in(0), *dims, interior, site.in(2))}, {site.out_value(0)});
    return true;
}

constexpr std::array simple{
    as_it_is(Code::STABLEHLO_ABS, ops::Abs),
    MapRow{Code::STABLEHLO_ADD, "Add", add},
    MapRow{Code::STABLEHLO_AND, "And BitwiseAnd", logic_and},
    MapRow{Code::STABLEHLO_BROADCAST_IN_DIM, "Reshape Expand", broadcast_in_dim, "shapes that are not fixed"},
    MapRow{Code::STABLEHLO_CBRT, "Pow", cube_root},
    MapRow{Code::STABLEHLO_CLAMP, "Max Min", clamp},
    MapRow{Code::STABLEHLO_COMPARE, "Equal Less Greater", compare, "by total order"},
    MapRow{Code::STABLEHLO_CONCATENATE, "Concat", concatenate},
    MapRow{Code::STABLEHLO_CONVERT, "Cast", convert, "codes"},
    as_it_is(Code::STABLEHLO_COSINE, ops::Cos),
    as_it_is(Code::STABLEHLO_DIVIDE, ops::Div),
    as_it_is(Code::STABLEHLO_EXPONENTIAL, ops::Exp),
    as_it_is(Code::STABLEHLO_FLOOR, ops::Floor),
    MapRow{Code::STABLEHLO_IOTA, "Expand", iota, "shapes that are not fixed"},
    as_it_is(Code::STABLEHLO_LOG, ops::Log),
    as_it_is(Code::STABLEHLO_LOGISTIC, ops::Sigmoid),
    as_it_is(Code::STABLEHLO_MAXIMUM, ops::Max),
    as_it_is(Code::STABLEHLO_MINIMUM, ops::Min),
    MapRow{Code::STABLEHLO_MULTIPLY, "Mul", multiply},
    as_it_is(Code::STABLEHLO_NEGATE, ops::Neg),
    MapRow{Code::STABLEHLO_OR, "Or BitwiseOr", logic_or},
    MapRow{Code::STABLEHLO_PAD, "Pad Reshape", pad},
    as_it_is(Code::STABLEHLO_POWER, ops::Pow),
    MapRow{Code::STABLEHLO_REMAINDER, "Mod", decompose::composed<decompose::truncated_remainder>},
    MapRow{Code::STABLEHLO_RESHAPE, "Reshape", reshape, "shapes that are not fixed"},
    as_it_is(Code::STABLEHLO_SELECT, ops::Where),
    MapRow{Code::STABLEHLO_SHIFT_LEFT, "BitShift", shift_left},
    MapRow{Code::STABLEHLO_SLICE, "Slice", slice},
    as_it_is(Code::STABLEHLO_SUBTRACT, ops::Sub),
    as_it_is(Code::STABLEHLO_TANH, ops::Tanh),
    MapRow{Code::STABLEHLO_TRANSPOSE, "Transpose", transpose},
    MapRow{Code::DILATE, "Pad Reshape", dilate, "shapes that are not fixed"},
};

}  // namespace

std::span<const MapRow> stablehlo_rows() { return simple; }

}  // namespace quern::tflite_format
