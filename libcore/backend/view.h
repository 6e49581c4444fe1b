// Graphs as the C views of backend.h, and tensors as its buffers.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "include/quern/backend.h"
#include "libcore/graph/from_c.h"
#include "libcore/graph/graph.h"

namespace quern {

// A struct of the interface that says its size, all else zero.
template <class T>
T sized() {
    T out{};
    out.struct_size = sizeof(T);
    return out;
}

inline quern_text c_text(std::string_view text) { return {text.data(), text.size()}; }

// Memory of views. What they show (texts, dims, bytes) is borrowed and must outlive them, but for what is marked as kept.
class Views {
   public:
    Views() = default;
    Views(const Views&) = delete;
    Views& operator=(const Views&) = delete;

    const quern_tensor* tensor(const Tensor& tensor);  // nullptr if it is not defined
    const quern_tensor* keep_tensor(Tensor tensor);    // the view shares its bytes
    const quern_encoding* encoding(const Encoding& encoding);
    const quern_value* value(std::string_view name, const Type& type, const Encoding* encoding, const Tensor* constant);
    const quern_attribute* attribute(const std::string& name, const Attr& attr);
    std::span<const quern_attribute* const> attributes(const Attrs& attrs);
    // `node`'s own: texts and attributes; inputs, outputs and bodies are the caller's. `between_types`: of qlinear_forms.h.
    quern_node* node(const Node& node, bool between_types = false);
    // Dims as far as they are known, -1 the others.
    const int64_t* keep_dims(const Shape& shape);
    std::string_view keep_text(std::string text);

    // A list that lives as long as the views.
    template <class T>
    const T* list(std::vector<T> items) {
        auto kept = std::make_shared<std::vector<T>>(std::move(items));
        kept_.push_back(kept);
        return kept->data();
    }
    template <class T>
    T* make(T item) {
        auto kept = std::make_shared<T>(std::move(item));
        kept_.push_back(kept);
        return kept.get();
    }

   private:
    std::vector<std::shared_ptr<const void>> kept_;
};

// A whole graph with its bodies. The graph must stay as it is while the view lives.
class GraphView {
   public:
    explicit GraphView(const Graph& graph);
    const quern_graph* get() const { return root_; }
    const quern_node* node(NodeId id) const { return nodes_.at(id); }
    // The graph behind a view of this process; throws Exit::usage if it is none.
    static const Graph& graph_of(const quern_graph* view);

   private:
    using Values = std::vector<const quern_value*>;
    const quern_graph* add(const Graph& graph, const Values* outer);
    Values add_values(const Graph& graph);
    const quern_value* const* refs(std::span<const ValueId> ids, const Values& values);

    Views views_;
    const quern_graph* root_ = nullptr;
    std::map<NodeId, const quern_node*> nodes_;  // of the root
};

// A tensor as a buffer; it and `grid` are borrowed.
quern_buffer buffer_of(const Tensor& tensor, const quern_encoding* grid = nullptr);
// `view` as far as the caller's `to` has its fields.
void give_buffer(const quern_buffer& view, quern_buffer& to);
// Of a caller's input or output; throws Exit::usage.
void check_index(size_t index, size_t count);
// The other way: sizes and types are checked, the bytes are copied. Throws Exit::bad_input.
Tensor tensor_from(const quern_buffer& buffer);
// The same without a copy: the bytes must outlive the result.
Tensor borrowed_from(const quern_buffer& buffer);
Encoding encoding_from(const quern_encoding& encoding);  // copied, too
// Name and type of a value as a back end describes it; throws Exit::bad_input where it is not a sound description.
Type type_from(const quern_value& value);

}  // namespace quern
