#include "formats/tensors/fit.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/graph/quantize.h"
#include "libcore/support/operands.h"

namespace quern {
namespace {

bool matches(std::span<const int64_t> have, std::span<const Dim> want) {
    if (have.size() != want.size()) return false;
    for (size_t i = 0; i < have.size(); ++i)
        if (want[i].known() && want[i].value != have[i]) return false;
    return true;
}

Dims squeezed(std::span<const int64_t> dims) {
    Dims out;
    std::copy_if(dims.begin(), dims.end(), std::back_inserter(out), [](int64_t d) { return d != 1; });
    return out;
}

Dims with_leading(int64_t first, std::span<const int64_t> rest) {
    Dims dims{first};
    dims.insert(dims.end(), rest.begin(), rest.end());
    return dims;
}

// The batch of a model whose samples may come one element each; 1: it has none.
int64_t batch_of(const Shape& want) {
    return want.ranked && want.rank() >= 2 && want.dims[0].known() ? std::max<int64_t>(want.dims[0].value, 1) : 1;
}

// The leading dim counts samples, or is missing.
std::optional<Fit> fit_leading(std::span<const int64_t> have, const Shape& want) {
    const std::span<const Dim> dims = want.dims;
    const size_t rank = want.rank();
    const int64_t batch = batch_of(want);
    if (rank >= 1 && have.size() == rank && dims[0].known() && dims[0].value > 0 && matches(have.subspan(1), dims.subspan(1))) {
        const auto n = static_cast<uint64_t>(have[0]);
        const auto own = static_cast<uint64_t>(dims[0].value);
        if (batch > 1) return Fit{with_leading(1, have.subspan(1)), n, batch};
        if (n % own == 0 && n > 0) return Fit{with_leading(dims[0].value, have.subspan(1)), n / own, 1};
    }
    if (rank >= 1 && have.size() + 1 == rank && (!dims[0].known() || dims[0].value == batch) && matches(have, dims.subspan(1)))
        return Fit{with_leading(1, have), 1, batch};
    if (have.size() == rank + 1 && matches(have.subspan(1), dims))
        return Fit{Dims(have.begin() + 1, have.end()), static_cast<uint64_t>(have[0]), 1};
    return std::nullopt;
}

Tensor ints_from_floats(const Tensor& tensor, DType dtype) {
    const std::vector<double> values = to_doubles(tensor);
    const IntRange range = int_range(dtype);
    std::vector<int64_t> ints(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
        const double v = values[i];
        const bool fits =
            v == std::floor(v) && v >= static_cast<double>(range.min) && v <= static_cast<double>(range.max) && std::abs(v) < 9.2e18;
        if (!fits) throw bad_input("element {} is {}, which {} cannot represent", i, v, name_of(dtype));
        ints[i] = static_cast<int64_t>(v);
    }
    return from_ints(dtype, tensor.dims, ints);
}

Tensor ints_from_ints(const Tensor& tensor, DType dtype) {
    const std::vector<int64_t> values = to_ints(tensor);
    const IntRange range = int_range(dtype);
    if (storage_size(tensor.dtype, 1) < 8 || storage_size(dtype, 1) < 8)
        for (size_t i = 0; i < values.size(); ++i)
            if (values[i] < range.min || values[i] > range.max)
                throw bad_input("element {} is {}, which {} cannot represent", i, values[i], name_of(dtype));
    return from_ints(dtype, tensor.dims, values);
}

std::vector<InputSpec> specs_of(const Graph& graph, std::span<const ValueId> ids) {
    std::vector<InputSpec> specs;
    for (const ValueId id : ids) {
        const Value& value = graph.value(id);
        if (value.type.kind != Type::Kind::tensor) throw unsupported("\"{}\" is not a tensor", escape(value.name));
        std::optional<Encoding> enc;
        if (value.enc && value.enc->is_fixed()) enc = value.enc;
        specs.push_back({value.name, value.type, enc});
    }
    return specs;
}

bool has_open_batch(const Type& type) { return type.shape.rank() >= 2 && !type.shape.dims[0].known(); }

// Is the first dim of an input time, from step to step?
bool is_sequence(const Graph& graph, ValueId id) {
    return std::ranges::any_of(graph.uses(id), [&](const Use& use) {
        return use.node != NodeId::none && use.index == 0 && is_recurrent(graph.node(use.node)) &&
               NodeView(graph.node(use.node)).integer("layout") == 0;
    });
}

// The batch is one for all inputs: where open first dims have different names, none is.
bool has_one_batch(const Graph& graph) {
    std::set<std::string> names;
    for (const ValueId id : graph.inputs) {
        const Type& type = graph.value(id).type;
        if (!has_open_batch(type)) continue;
        if (is_sequence(graph, id)) return false;
        if (!type.shape.dims[0].symbol.empty()) names.insert(type.shape.dims[0].symbol);
    }
    return names.size() <= 1;
}

}  // namespace

DType InputSpec::raw_dtype(bool native) const {
    if (native) return enc ? enc->storage : type.dtype;
    return is_float(type.dtype) ? DType::f32 : type.dtype;
}

std::vector<InputSpec> input_specs(const Graph& graph) {
    std::vector<InputSpec> specs = specs_of(graph, graph.inputs);
    if (has_one_batch(graph))
        for (InputSpec& spec : specs) spec.open_batch = has_open_batch(spec.type);
    return specs;
}
std::vector<InputSpec> output_specs(const Graph& graph) { return specs_of(graph, graph.outputs); }

Fit fit_array(std::span<const int64_t> have, const Type& type) {
    const Shape& want = type.shape;
    const Dims own(have.begin(), have.end());
    if (!want.ranked || matches(have, want.dims)) return {own, 1, 1};
    if (const auto fit = fit_leading(have, want)) return *fit;
    if (const auto dims = want.concrete()) {
        const bool flat = have.size() == 1 && have[0] == count_of(*dims);
        if (flat || squeezed(have) == squeezed(*dims)) return {*dims, 1, 1};
        const int64_t batch = batch_of(want);
        const Dims item = with_leading(1, std::span(*dims).subspan(std::min<size_t>(1, dims->size())));
        if (batch > 1 && (squeezed(have) == squeezed(item) || (have.size() == 1 && have[0] == count_of(item)))) return {item, 1, batch};
    }
    throw bad_input("array is {}, need {}", to_string(have), to_string(type));
}

Fit fit_rows(std::span<const int64_t> have, const InputSpec& spec) {
    Fit fit = fit_array(have, spec.type);
    if (!spec.open_batch || fit.dims != Dims(have.begin(), have.end())) return fit;
    const auto rows = static_cast<uint64_t>(std::exchange(fit.dims[0], 1));
    return {std::move(fit.dims), rows, 1};
}

std::vector<std::string> names_of(const std::vector<InputSpec>& specs) {
    std::vector<std::string> names;
    names.reserve(specs.size());
    for (const InputSpec& spec : specs) names.push_back(spec.name);
    return names;
}

std::optional<Fit> fit_raw(uint64_t elements, const Shape& want) {
    if (!want.ranked) return Fit{{static_cast<int64_t>(elements)}, 1, 1};
    Dims dims;
    size_t unknown = want.rank(), unknowns = 0;
    for (size_t i = 0; i < want.rank(); ++i) {
        if (!want.dims[i].known()) unknown = i, ++unknowns;
        dims.push_back(want.dims[i].known() ? want.dims[i].value : 1);
    }
    const auto rest = static_cast<uint64_t>(count_of(dims));
    if (unknowns == 1 && rest > 0 && elements > 0 && elements % rest == 0) {
        dims[unknown] = static_cast<int64_t>(elements / rest);
        return Fit{dims, 1, 1};
    }
    if (unknowns > 0) return std::nullopt;
    if (elements == rest) return Fit{dims, 1, 1};
    const int64_t batch = batch_of(want);
    if (batch == 1 || elements * static_cast<uint64_t>(batch) != rest) return std::nullopt;
    dims[0] = 1;
    return Fit{dims, 1, batch};
}

Tensor to_logical(const Tensor& tensor, const InputSpec& spec, bool native) {
    const DType want = spec.type.dtype;
    if (native && spec.enc) {
        if (tensor.dtype != spec.enc->storage)
            throw bad_input("elements are {}, need codes of {}", name_of(tensor.dtype), name_of(spec.enc->storage));
        return dequantize(tensor, *spec.enc);
    }
    if (tensor.dtype == want || want == DType::none) return tensor;
    const auto number = [](DType d) { return is_float(d) || is_integer(d) || d == DType::boolean; };
    if (!number(tensor.dtype) || !number(want)) throw bad_input("elements are {}, need {}", name_of(tensor.dtype), name_of(want));
    if (want == DType::f64 || tensor.dtype == DType::f64)
        return is_float(want) ? from_doubles(want, tensor.dims, to_doubles(tensor)) : ints_from_floats(tensor, want);
    if (is_float(want)) return from_floats(want, tensor.dims, to_floats(tensor));
    return is_float(tensor.dtype) ? ints_from_floats(tensor, want) : ints_from_ints(tensor, want);
}

}  // namespace quern
