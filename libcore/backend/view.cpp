#include "libcore/backend/view.h"

#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/ops/integer/qlinear_forms.h"
#include "libcore/support/units.h"

namespace quern {
Type type_from(const quern_value& value) { return type_from_c(value.dtype, value.rank, value.dims, a_buffer); }

const int64_t* Views::keep_dims(const Shape& shape) {
    std::vector<int64_t> dims;
    for (const Dim& dim : shape.dims) dims.push_back(dim.known() ? dim.value : -1);
    return list(std::move(dims));
}

std::string_view Views::keep_text(std::string text) { return *make(std::move(text)); }

const quern_tensor* Views::tensor(const Tensor& from) {
    if (!from.defined()) return nullptr;
    auto out = sized<quern_tensor>();
    out.dtype = c_dtype(from.dtype);
    out.rank = static_cast<int32_t>(from.dims.size());
    out.dims = from.dims.data();
    out.data = from.data.data();
    out.size = from.data.size();
    return make(out);
}

const quern_tensor* Views::keep_tensor(Tensor from) { return tensor(*make(aligned(std::move(from)))); }

const quern_encoding* Views::encoding(const Encoding& from) {
    auto out = sized<quern_encoding>();
    out.kind = from.is_dynamic() ? QUERN_DYNAMIC : QUERN_FIXED;
    out.storage = c_dtype(from.storage);
    out.real = c_dtype(from.real);
    copy_numbers(from, out);
    for (const auto& [ours, theirs] : encoding_tensors) out.*theirs = tensor(from.*ours);
    return make(out);
}

const quern_value* Views::value(std::string_view name, const Type& type, const Encoding* enc, const Tensor* constant) {
    auto out = sized<quern_value>();
    out.name = c_text(name);
    const bool is_tensor = type.kind == Type::Kind::tensor;
    out.dtype = is_tensor ? c_dtype(type.dtype) : QUERN_DTYPE_NONE;
    out.rank = is_tensor && type.shape.ranked ? static_cast<int32_t>(type.shape.rank()) : -1;
    if (out.rank >= 0) out.dims = keep_dims(type.shape);
    if (enc) out.encoding = encoding(*enc);
    if (constant) out.constant = keep_tensor(*constant);
    return make(out);
}

const quern_attribute* Views::attribute(const std::string& name, const Attr& attr) {
    auto out = sized<quern_attribute>();
    out.name = c_text(name);
    out.kind = static_cast<int32_t>(attr.index());
    out.count = 1;
    struct Show {
        Views& views;
        quern_attribute& to;
        void operator()(const int64_t& x) const { to.integers = &x; }
        void operator()(const float& x) const { to.reals = &x; }
        void operator()(const std::string& x) const { to.texts = views.make(c_text(x)); }
        void operator()(const std::vector<int64_t>& x) const { to.integers = x.data(), to.count = x.size(); }
        void operator()(const std::vector<float>& x) const { to.reals = x.data(), to.count = x.size(); }
        void operator()(const std::vector<std::string>& x) const {
            std::vector<quern_text> texts;
            texts.reserve(x.size());
            for (const std::string& item : x) texts.push_back(c_text(item));
            to.count = texts.size();
            to.texts = views.list(std::move(texts));
        }
        void operator()(const Tensor& x) const { to.tensors = views.list<const quern_tensor*>({views.keep_tensor(x)}); }
        void operator()(const std::vector<Tensor>& x) const {
            std::vector<const quern_tensor*> tensors;
            tensors.reserve(x.size());
            for (const Tensor& item : x) tensors.push_back(views.keep_tensor(item));
            to.count = tensors.size();
            to.tensors = views.list(std::move(tensors));
        }
        void operator()(const Type& x) const { to.texts = views.make(c_text(views.keep_text(to_string(x)))); }
    };
    std::visit(Show{*this, out}, attr);
    return make(out);
}

std::span<const quern_attribute* const> Views::attributes(const Attrs& attrs) {
    std::vector<const quern_attribute*> all;
    for (const auto& [name, attr] : attrs) all.push_back(attribute(name, attr));
    const size_t count = all.size();
    return {list(std::move(all)), count};
}

quern_node* Views::node(const Node& from, bool between) {
    const Attrs* attributes_of = &from.attrs;
    if (between) {
        Attrs more = from.attrs;
        more[between_types_key] = int64_t{1};
        attributes_of = make(std::move(more));
    }
    auto out = sized<quern_node>();
    out.name = c_text(from.name);
    out.op = c_text(from.op->name);
    out.domain = c_text(from.op->domain);
    out.scope = c_text(from.scope);
    const auto attrs = attributes(*attributes_of);
    out.attribute_count = attrs.size();
    out.attributes = attrs.data();
    out.unit = -1;
    return make(out);
}

GraphView::GraphView(const Graph& graph) { root_ = add(graph, nullptr); }

const Graph& GraphView::graph_of(const quern_graph* view) {
    if (!view || !view->host) throw usage_error("is not a graph of this process");
    return *static_cast<const Graph*>(view->host);
}

GraphView::Values GraphView::add_values(const Graph& graph) {
    Values values(graph.value_count());
    for (size_t i = 0; i < values.size(); ++i) {
        const Value& value = graph.value(static_cast<ValueId>(i));
        if (value.erased) continue;
        const auto constant = graph.constant(static_cast<ValueId>(i));
        values[i] = views_.value(value.name, value.type, value.enc ? &*value.enc : nullptr, constant ? &*constant : nullptr);
    }
    return values;
}

const quern_value* const* GraphView::refs(std::span<const ValueId> ids, const Values& values) {
    std::vector<const quern_value*> out;
    for (const ValueId id : ids) out.push_back(id == ValueId::none ? nullptr : values[index_of(id)]);
    return views_.list(std::move(out));
}

const quern_graph* GraphView::add(const Graph& graph, const Values* outer) {
    const Values values = add_values(graph);
    std::vector<const quern_node*> nodes;
    const support::Units units = support::units_of(graph);
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        quern_node* view = views_.node(node, is_between_types(graph, node));
        const size_t unit = units.of[index_of(id)];
        if (units.members[unit].size() > 1) view->unit = static_cast<int32_t>(unit);
        view->input_count = node.in.size();
        view->inputs = refs(node.in, values);
        view->output_count = node.out.size();
        view->outputs = refs(node.out, values);
        std::vector<const quern_graph*> bodies;
        std::vector<quern_text> names;
        for (size_t b = 0; b < node.bodies.size(); ++b) {
            bodies.push_back(add(node.bodies[b], &values));
            names.push_back(c_text(node.body_names[b]));
        }
        view->body_count = bodies.size();
        view->bodies = views_.list(std::move(bodies));
        view->body_names = views_.list(std::move(names));
        nodes.push_back(view);
        if (!outer) nodes_[id] = view;
    }
    auto out = sized<quern_graph>();
    out.name = c_text(graph.name);
    out.node_count = nodes.size();
    out.nodes = views_.list(std::move(nodes));
    out.input_count = graph.inputs.size();
    out.inputs = refs(graph.inputs, values);
    out.output_count = graph.outputs.size();
    out.outputs = refs(graph.outputs, values);
    std::vector<quern_text> keys, texts;
    for (const auto& [key, text] : graph.metadata) keys.push_back(c_text(key)), texts.push_back(c_text(text));
    out.metadata_count = keys.size();
    out.metadata_keys = views_.list(std::move(keys));
    out.metadata_texts = views_.list(std::move(texts));
    std::vector<const quern_value*> inner, from;
    for (const Graph::Capture& capture : graph.captures) {
        inner.push_back(values[index_of(capture.inner)]);
        from.push_back(outer ? (*outer)[index_of(capture.outer)] : nullptr);
    }
    out.capture_count = inner.size();
    out.captures = views_.list(std::move(inner));
    out.captured = views_.list(std::move(from));
    out.host = &graph;
    return views_.make(out);
}

void give_buffer(const quern_buffer& view, quern_buffer& to) {
    std::copy_n(reinterpret_cast<const char*>(&view), std::min<size_t>(to.struct_size, sizeof view), reinterpret_cast<char*>(&to));
}

void check_index(size_t index, size_t count) {
    if (index >= count) throw usage_error("index {}, need one below {}", index, count);
}

quern_buffer buffer_of(const Tensor& tensor, const quern_encoding* grid) {
    auto out = sized<quern_buffer>();
    out.dtype = c_dtype(tensor.dtype);
    out.rank = static_cast<int32_t>(tensor.dims.size());
    out.dims = tensor.dims.data();
    out.data = const_cast<std::byte*>(tensor.data.data());
    out.size = tensor.data.size();
    out.grid = grid;
    return out;
}

Tensor borrowed_from(const quern_buffer& buffer) {
    return borrowed_from(quern_tensor{sizeof(quern_tensor), buffer.dtype, buffer.rank, buffer.dims, buffer.data, buffer.size});
}

Tensor tensor_from(const quern_buffer& buffer) {
    Tensor out = borrowed_from(buffer);
    out.data = Bytes::copy(out.data.data(), out.data.size());
    return out;
}

Encoding encoding_from(const quern_encoding& view) {
    dtype_from_c(view.real);  // which a model may leave open, a back end not
    return encoding_from(view, [](const Bytes& bytes) { return Bytes::copy(bytes.data(), bytes.size()); });
}

}  // namespace quern
