/* How a model library hands its model over: libNAME.so, made by `quern codegen --plugin cpp --lib`, exports quern_model_compose(), which
 * adds tensors and nodes to a graph through the table of functions below. Plain C; the second half wraps it for readable C++. */
#ifndef QUERN_BUILDER_H
#define QUERN_BUILDER_H

#include "graph.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QUERN_BUILDER_VERSION 2

/* All memory stays the library's; what constants show must stay where it is while the library is loaded. A quern_graph that is being built
 * is a handle: an empty view, of the host's own. */

typedef struct quern_dim {
    int64_t length;    /* -1: open */
    quern_text symbol; /* of an open length: "batch", or empty */
} quern_dim;

typedef struct quern_type {
    int32_t kind; /* 0 tensor, 1 sequence of element, 2 optional element */
    quern_dtype dtype;
    int32_t ranked;
    const quern_dim* dims;
    size_t rank;
    const struct quern_type* element;
} quern_type;

/* A tensor to add. */
typedef struct quern_model_tensor {
    uint32_t struct_size;
    const quern_value* value; /* its name, encoding and constant; the type is in `type` */
    quern_type type;
    const int32_t* permutation; /* of a tensor whose layout was moved */
    size_t permutation_size;
} quern_model_tensor;

/* A node to add. */
typedef struct quern_model_node {
    uint32_t struct_size;
    const quern_node* node; /* inputs and outputs are looked up by their names; bodies are added by add_body() */
    quern_text device;
    int32_t version;   /* of an operator that quern does not know */
    size_t type_count; /* attributes of QUERN_ATTR_TYPE, which are here only */
    const quern_text* type_names;
    const quern_type* types;
    size_t internal_count; /* encodings of intermediates */
    const quern_text* internal_names;
    const quern_encoding* const* internals;
} quern_model_node;

/* Functions return 0 for success; after a failure the rest of the model is ignored. */
typedef struct quern_builder {
    uint32_t struct_size, version;
    /* "float32"; one that is not known is a failure. "": QUERN_DTYPE_NONE */
    quern_dtype (*dtype)(quern_graph* graph, quern_text name);
    int (*add_tensor)(quern_graph* graph, const quern_model_tensor* tensor);
    int (*add_node)(quern_graph* graph, const quern_model_node* node);
    /* The next body of a node (If, Loop, Scan): NULL on failure. */
    quern_graph* (*add_body)(quern_graph* graph, quern_text node, quern_text attribute, quern_text name);
    /* Tensor `inner` of a body stands for tensor `outer` of the graph around it. */
    int (*capture)(quern_graph* body, quern_text inner, quern_text outer);
    int (*set_interface)(quern_graph* graph, quern_text name, const quern_text* inputs, size_t input_count, const quern_text* outputs,
                         size_t output_count);
    int (*set_metadata)(quern_graph* graph, quern_text key, quern_text value); /* key "lineage": the digest of the source model */
} quern_builder;

/* What the library exports. */
typedef int (*quern_model_compose_function)(const quern_builder* builder, quern_graph* graph);

#ifdef __cplusplus
}

#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

namespace quern_model {

struct Text : quern_text {
    template <size_t n>
    Text(const char (&literal)[n]) : quern_text{literal, n - 1} {}
};

class Constant {
   public:
    Constant() = default;
    Constant(Text dtype, std::initializer_list<int64_t> dims, const void* data, size_t size)
        : there_(true), dtype_(dtype), dims_(dims), data_(data), size_(size) {}

   private:
    friend class Views;
    bool there_ = false;
    Text dtype_ = "";
    std::vector<int64_t> dims_;
    const void* data_ = nullptr;
    size_t size_ = 0;
};

class Encoding {
   public:
    Encoding(Text storage, int64_t low, int64_t high) : storage_(storage), low_(low), high_(high) {}
    Encoding& real(Text dtype) { return real_ = dtype, *this; }
    Encoding& dynamic() { return kind_ = QUERN_DYNAMIC, *this; }
    Encoding& axis(int32_t axis, int64_t block = 0) { return axis_ = axis, block_ = block, *this; }
    Encoding& scale(const Constant& c) { return scale_ = c, *this; }
    Encoding& zero(const Constant& c) { return zero_ = c, *this; }
    Encoding& min(const Constant& c) { return min_ = c, *this; }

   private:
    friend class Views;
    int32_t kind_ = QUERN_FIXED;
    Text storage_, real_ = "float32";
    int64_t low_, high_;
    int32_t axis_ = -1;
    int64_t block_ = 0;
    Constant scale_, zero_, min_;
};

struct Dim : quern_dim {
    Dim(int64_t length_) : quern_dim{length_, {"", 0}} {}
    template <size_t n>
    Dim(const char (&symbol_)[n]) : quern_dim{-1, Text(symbol_)} {}
};

class Type {
   public:
    explicit Type(Text dtype) : dtype_(dtype) {}
    Type(Text dtype, std::initializer_list<Dim> dims) : dtype_(dtype), ranked_(true), dims_(dims.begin(), dims.end()) {}
    Type(int32_t kind, const Type& element) : kind_(kind), element_{element} {}

   private:
    friend class Views;
    int32_t kind_ = 0;
    Text dtype_ = "";
    bool ranked_ = false;
    std::vector<quern_dim> dims_;
    std::vector<Type> element_;
};

class Tensor {
   public:
    Tensor(Text name, const Type& type) : name_(name), type_(type) {}
    Tensor& encoding(const Encoding& e) { return encoding_ = {e}, *this; }
    Tensor& data(const void* data_, size_t size) { return bytes_ = data_, size_ = size, *this; }
    Tensor& permutation(std::initializer_list<int32_t> order) { return permutation_ = order, *this; }

   private:
    friend class Graph;
    Text name_;
    Type type_;
    std::vector<Encoding> encoding_;
    const void* bytes_ = nullptr;
    size_t size_ = 0;
    std::vector<int32_t> permutation_;
};

class Node {
   public:
    Node(Text op, Text name) : op_(op), name_(name) {}
    Node& domain(Text text, int32_t version = 0) { return domain_ = text, version_ = version, *this; }
    Node& scope(Text text) { return scope_ = text, *this; }
    Node& device(Text text) { return device_ = text, *this; }
    Node& in(Text name) { return in_.push_back(name), *this; }
    Node& out(Text name) { return out_.push_back(name), *this; }
    Node& integer(Text name, int64_t x) { return kept(name, QUERN_ATTR_INTEGER).integers = {x}, *this; }
    Node& integers(Text name, std::initializer_list<int64_t> x) { return kept(name, QUERN_ATTR_INTEGERS).integers = x, *this; }
    Node& real(Text name, float x) { return kept(name, QUERN_ATTR_REAL).reals = {x}, *this; }
    Node& reals(Text name, std::initializer_list<float> x) { return kept(name, QUERN_ATTR_REALS).reals = x, *this; }
    Node& text(Text name, Text x) { return kept(name, QUERN_ATTR_TEXT).texts = {x}, *this; }
    Node& texts(Text name, std::initializer_list<Text> x) { return kept(name, QUERN_ATTR_TEXTS).texts.assign(x.begin(), x.end()), *this; }
    Node& constant(Text name, const Constant& x) { return kept(name, QUERN_ATTR_TENSOR).constants = {x}, *this; }
    Node& constants(Text name, std::initializer_list<Constant> x) { return kept(name, QUERN_ATTR_TENSORS).constants = x, *this; }
    Node& type(Text name, const Type& x) { return type_names_.push_back(name), types_.push_back(x), *this; }
    Node& internal(Text name, const Encoding& e) { return internal_names_.push_back(name), internals_.push_back(e), *this; }

   private:
    friend class Graph;
    friend class Views;
    struct Kept {
        quern_text name;
        int32_t kind;
        std::vector<int64_t> integers;
        std::vector<float> reals;
        std::vector<quern_text> texts;
        std::vector<Constant> constants;
    };
    Kept& kept(Text name, int32_t kind) {
        kept_.push_back(Kept{name, kind, {}, {}, {}, {}});
        return kept_.back();
    }
    Text op_, name_, domain_ = "", scope_ = "", device_ = "";
    int32_t version_ = 0;
    std::vector<quern_text> in_, out_, type_names_, internal_names_;
    std::deque<Kept> kept_;
    std::vector<Type> types_;
    std::vector<Encoding> internals_;
};

// The C views of what is being added: they last until it is.
class Views {
   public:
    Views(const quern_builder* builder, quern_graph* graph) : b_(builder), g_(graph) {}

    const quern_tensor* tensor(const Constant& c) {
        return c.there_ ? tensor(b_->dtype(g_, c.dtype_), c.dims_, c.data_, c.size_) : nullptr;
    }
    const quern_tensor* tensor(quern_dtype dtype, const std::vector<int64_t>& dims, const void* data, size_t size) {
        return &kept(tensors_, quern_tensor{sizeof(quern_tensor), dtype, int32_t(dims.size()), dims.data(), data, size});
    }
    const quern_encoding* encoding(const Encoding& from) {
        quern_encoding e = {};
        e.struct_size = sizeof e;
        e.kind = from.kind_;
        e.storage = b_->dtype(g_, from.storage_);
        e.real = b_->dtype(g_, from.real_);
        e.qmin = from.low_;
        e.qmax = from.high_;
        e.axis = from.axis_;
        e.block = from.block_;
        e.scale = tensor(from.scale_);
        e.zero = tensor(from.zero_);
        e.min = tensor(from.min_);
        return &kept(encodings_, e);
    }
    quern_type type(const Type& from) {
        quern_type t = {};
        t.kind = from.kind_;
        t.dtype = b_->dtype(g_, from.dtype_);
        t.ranked = from.ranked_;
        t.dims = from.dims_.data();
        t.rank = from.dims_.size();
        if (!from.element_.empty()) t.element = &kept(types_, type(from.element_[0]));
        return t;
    }
    // Values that are known by their names; NULL for one without.
    std::vector<const quern_value*> named(const std::vector<quern_text>& names) {
        std::vector<const quern_value*> list;
        for (const quern_text& name : names) {
            quern_value v = {};
            v.struct_size = sizeof v;
            v.name = name;
            list.push_back(name.size > 0 ? &kept(values_, v) : nullptr);
        }
        return list;
    }
    const quern_attribute* attribute(const Node::Kept& k) {
        tensor_lists_.emplace_back();
        for (const Constant& c : k.constants) tensor_lists_.back().push_back(tensor(c));
        const size_t count = k.integers.size() + k.reals.size() + k.texts.size() + k.constants.size();
        return &kept(attributes_, quern_attribute{sizeof(quern_attribute), k.kind, k.name, count, k.integers.data(), k.reals.data(),
                                                  k.texts.data(), tensor_lists_.back().data()});
    }

   private:
    template <class T>
    static T& kept(std::deque<T>& list, const T& item) {
        list.push_back(item);
        return list.back();
    }
    const quern_builder* b_;
    quern_graph* g_;
    std::deque<quern_tensor> tensors_;
    std::deque<quern_encoding> encodings_;
    std::deque<quern_type> types_;
    std::deque<quern_value> values_;
    std::deque<quern_attribute> attributes_;
    std::deque<std::vector<const quern_tensor*>> tensor_lists_;
};

class Graph {
   public:
    Graph(const quern_builder* builder, quern_graph* graph) : b_(builder), g_(graph), ok_(graph != nullptr) {}
    bool ok() const { return ok_; }

    void add(const Tensor& tensor) {
        if (!ok_) return;
        Views views(b_, g_);
        quern_value value = {};
        value.struct_size = sizeof value;
        value.name = tensor.name_;
        if (!tensor.encoding_.empty()) value.encoding = views.encoding(tensor.encoding_[0]);
        quern_model_tensor t = {};
        t.struct_size = sizeof t;
        t.value = &value;
        t.type = views.type(tensor.type_);
        std::vector<int64_t> dims;
        for (size_t i = 0; i < t.type.rank; ++i) dims.push_back(t.type.dims[i].length);
        if (tensor.bytes_)
            value.constant = views.tensor(value.encoding ? value.encoding->storage : t.type.dtype, dims, tensor.bytes_, tensor.size_);
        t.permutation = tensor.permutation_.data();
        t.permutation_size = tensor.permutation_.size();
        ok_ = b_->add_tensor(g_, &t) == 0;
    }

    void add(const Node& node) {
        if (!ok_) return;
        Views views(b_, g_);
        const std::vector<const quern_value*> in = views.named(node.in_), out = views.named(node.out_);
        std::vector<const quern_attribute*> attributes;
        for (const Node::Kept& k : node.kept_) attributes.push_back(views.attribute(k));
        std::vector<quern_type> types;
        for (const Type& t : node.types_) types.push_back(views.type(t));
        std::vector<const quern_encoding*> internals;
        for (const Encoding& e : node.internals_) internals.push_back(views.encoding(e));
        quern_node view = {};
        view.struct_size = sizeof view;
        view.name = node.name_;
        view.op = node.op_;
        view.domain = node.domain_;
        view.scope = node.scope_;
        view.attribute_count = attributes.size();
        view.attributes = attributes.data();
        view.input_count = in.size();
        view.inputs = in.data();
        view.output_count = out.size();
        view.outputs = out.data();
        view.unit = -1;
        const quern_model_node n = {sizeof n,
                                    &view,
                                    node.device_,
                                    node.version_,
                                    types.size(),
                                    node.type_names_.data(),
                                    types.data(),
                                    internals.size(),
                                    node.internal_names_.data(),
                                    internals.data()};
        ok_ = b_->add_node(g_, &n) == 0;
    }

    Graph body(Text node, Text attribute, Text name) { return {b_, ok_ ? b_->add_body(g_, node, attribute, name) : nullptr}; }
    void joined(const Graph& body) { ok_ = ok_ && body.ok_; }
    void capture(Text inner, Text outer) { ok_ = ok_ && b_->capture(g_, inner, outer) == 0; }
    void interface(Text name, std::initializer_list<Text> inputs, std::initializer_list<Text> outputs) {
        const std::vector<quern_text> in(inputs.begin(), inputs.end()), out(outputs.begin(), outputs.end());
        ok_ = ok_ && b_->set_interface(g_, name, in.data(), in.size(), out.data(), out.size()) == 0;
    }
    void metadata(Text key, Text value) { ok_ = ok_ && b_->set_metadata(g_, key, value) == 0; }

   private:
    const quern_builder* b_;
    quern_graph* g_;
    bool ok_;
};

}  // namespace quern_model
#endif

#endif
