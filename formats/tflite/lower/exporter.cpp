#include "formats/tflite/lower/exporter.h"

#include <algorithm>

#include "formats/tflite/file/tensors.h"
#include "libcore/base/text.h"

namespace quern::tflite_format {
namespace {

Quantization quantization_of(const Encoding& encoding) {
    if (!encoding.is_fixed()) throw unsupported("a dynamic encoding has no place in the file");
    if (encoding.min.defined()) throw unsupported("codes with a scale and a least number have no place in the file");
    Quantization out;
    out.axis = std::max(encoding.axis, 0);
    if (encoding.block > 0) throw unsupported("block scales of a value that is not constant cannot be written");
    out.scale = to_floats(encoding.scale);
    if (encoding.zero.defined())
        out.zero = to_ints(encoding.zero);
    else
        out.zero.assign(out.scale.size(), 0);
    return out;
}

void check_scales(const Encoding& encoding) {
    if (dtypes::float8s.has(encoding.storage)) throw unsupported("{} with a scale has no place in the file", name_of(encoding.storage));
}

Element element_of(DType dtype) {
    const Element found = element_named(dtype);
    if (dtype == DType::none) throw unsupported("its type is not known");
    return found;
}

std::string free_name(ExportScope& scope, const std::string& wish) {
    std::string name = wish;
    for (int number = 1; !scope.names.insert(name).second; ++number) name = fmt::format("{}_{}", wish, number);
    return name;
}

// A dim that is not known is 1 there, and -1 in the signature, which only such shapes have.
void say_shape(FileTensor& tensor, const Shape& shape) {
    const auto known_or = [&](int64_t unknown) {
        std::vector<int64_t> dims;
        for (const Dim& dim : shape.dims) dims.push_back(dim.known() ? dim.value : unknown);
        return dims;
    };
    tensor.shape = known_or(1);
    if (!shape.concrete()) tensor.signature = known_or(-1);
}

}  // namespace

FileTensor tensor_of(const std::string& name, const Type& type, const std::optional<Encoding>& encoding) {
    return at_place(fmt::format("value \"{}\"", escape(name)), [&] {
        if (type.kind != Type::Kind::tensor) throw unsupported("is not a tensor");
        if (!type.shape.ranked) throw unsupported("its rank is not known");
        FileTensor out;
        out.name = name;
        const auto mx = encoding ? mx_element(*encoding) : std::nullopt;
        out.type = mx ? *mx : element_of(encoding ? encoding->storage : type.dtype);
        say_shape(out, type.shape);
        if (mx) {
            out.quantization.mx = true;
            out.quantization.axis = encoding->axis;
        } else if (encoding) {
            check_scales(*encoding);
            if (is_integer(encoding->storage)) out.quantization = quantization_of(*encoding);
        }
        return out;
    });
}

FileTensor tensor_of(const std::string& name, const Tensor& contents, const std::optional<Encoding>& encoding) {
    FileTensor out = tensor_of(name, Type::tensor(contents.dtype, Shape::of(contents.dims)), encoding);
    out.data = contents.dtype == DType::string ? text_bytes(contents) : contents.data;
    return out;
}

int64_t Exporter::add_tensor(ExportScope& scope, FileTensor tensor) {
    tensor.name = free_name(scope, tensor.name);
    subgraph(scope).tensors.push_back(std::move(tensor));
    return static_cast<int64_t>(subgraph(scope).tensors.size()) - 1;
}

void Exporter::name_after(ExportScope& scope, std::vector<std::pair<int64_t, std::string>>& made, const Ints& in, const Ints& out) {
    std::vector<FileTensor>& tensors = subgraph(scope).tensors;
    std::erase_if(made, [&](const auto& constant) {
        const auto& [tensor, what] = constant;
        if (out.empty() || out[0] < 0 || std::ranges::find(in, tensor) == in.end()) return false;
        std::string& name = tensors[static_cast<size_t>(tensor)].name;
        scope.names.erase(name);
        name = free_name(scope, fmt::format("{}/{}", tensors[static_cast<size_t>(out[0])].name, what));
        return true;
    });
}

int64_t Exporter::add_constant(ExportScope& scope, const std::string& name, const Tensor& contents,
                               const std::optional<Encoding>& encoding) {
    if (!encoding || encoding->block == 0) return add_tensor(scope, tensor_of(name, contents, encoding));
    return at_place(fmt::format("value \"{}\"", escape(name)), [&] {
        if (format_ == "circle") {
            if (auto made = in_blocks(contents, *encoding)) {
                made->name = name;
                return add_tensor(scope, std::move(*made));
            }
        }
        check_scales(*encoding);
        if (encoding->min.defined()) throw unsupported("blocks with a scale and a least number have no place in the file");
        if (encoding->axis + 1 != static_cast<int>(contents.dims.size()))
            throw unsupported("blocks along dimension {} of {}, need the last", encoding->axis, contents.dims.size());
        FileTensor made = tensor_of(name, contents, {});
        made.type = element_named(encoding->storage);
        made.quantization.block = encoding->block;
        made.quantization.scales = add_tensor(scope, tensor_of(name + "/scales", encoding->scale, {}));
        if (!encoding->symmetric()) made.quantization.zeros = add_tensor(scope, tensor_of(name + "/zeros", encoding->zero, {}));
        return add_tensor(scope, std::move(made));
    });
}

int64_t Exporter::tensor(ExportScope& scope, ValueId id) {
    if (id == ValueId::none) return -1;
    if (const auto found = scope.tensors.find(id); found != scope.tensors.end()) return found->second;
    const Value& value = scope.graph.value(id);
    const auto contents = scope.graph.constant(id);
    return scope.tensors[id] = contents ? add_constant(scope, value.name, *contents, value.enc)
                                        : add_tensor(scope, tensor_of(value.name, value.type, value.enc));
}

void Exporter::add_operator(ExportScope& scope, Code code, Ints in, Ints out, Attrs options, Ints intermediates) {
    FileOperator op;
    op.code = code;
    op.name = tflite::EnumNameBuiltinOperator(code);
    op.in = std::move(in);
    op.out = std::move(out);
    op.options = std::move(options);
    op.intermediates = std::move(intermediates);
    op.version = version_of(op, subgraph(scope));
    subgraph(scope).operators.push_back(std::move(op));
}

ExportScope Exporter::open_body(const std::string& name, const Graph& body) {
    ExportScope scope{body, file_.subgraphs.size(), body.all_uses()};
    file_.subgraphs.emplace_back().name = name;
    return scope;
}

int64_t Exporter::seen(ExportScope& scope, ValueId outer, const Graph& around) {
    const Value& value = around.value(outer);
    int64_t place = -1;
    std::vector<ValueId> others;
    for (const Graph::Capture& capture : scope.graph.captures) {
        if (capture.outer != outer) continue;
        if (scope.graph.value(capture.inner).enc != value.enc)
            others.push_back(capture.inner);
        else if (place < 0)
            place = tensor(scope, capture.inner);
        else
            scope.tensors[capture.inner] = place;
    }
    if (place < 0) place = add_tensor(scope, tensor_of(others.empty() ? value.name : value.name + "/seen", value.type, value.enc));
    for (const ValueId other : others)
        add_operator(scope, scope.graph.value(other).enc ? Code::QUANTIZE : Code::DEQUANTIZE, {place}, {tensor(scope, other)});
    return place;
}

int64_t Exporter::given(ExportScope& scope, ValueId id, const std::optional<Encoding>& wanted) {
    const Value& value = scope.graph.value(id);
    const int64_t own = tensor(scope, id);
    if (value.enc == wanted) return own;
    const int64_t made = add_tensor(scope, tensor_of(value.name + "/given", value.type, wanted));
    add_operator(scope, wanted ? Code::QUANTIZE : Code::DEQUANTIZE, {own}, {made});
    return made;
}

}  // namespace quern::tflite_format
