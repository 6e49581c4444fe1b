/* How a model library hands its model over: libNAME.so, made by `quern codegen --plugin cpp --lib`, exports quern_model_compose(), which
 * adds tensors and nodes to a graph through the table of functions below. Plain C; the second half wraps it for readable C++. */
#ifndef QUERN_BUILDER_H
#define QUERN_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUERN_BUILDER_VERSION 1

typedef struct quern_graph quern_graph;

/* Names may hold any bytes. All memory stays the library's; weights must stay where they are while it is loaded. */
typedef struct {
    const char* data;
    size_t size;
} quern_text;

typedef struct {
    int64_t length;    /* -1: open */
    quern_text symbol; /* of an open length: "batch", or empty */
} quern_dim;

typedef struct quern_type {
    int32_t kind;     /* 0 tensor, 1 sequence of element, 2 optional element */
    quern_text dtype; /* "float32"; empty: unknown */
    int32_t ranked;
    const quern_dim* dims;
    size_t rank;
    const struct quern_type* element;
} quern_type;

typedef struct {
    quern_text dtype; /* empty: there is none */
    const int64_t* dims;
    size_t rank;
    const void* data;
    size_t size; /* in bytes */
} quern_constant;

/* real = (code - zero) * scale, codes within [low, high]; see Encoding in quern's docs/numerics.md. */
typedef struct {
    int32_t dynamic; /* scale and zero come from the data */
    quern_text storage, real;
    int64_t low, high;
    int32_t axis;  /* -1: one scale for the tensor */
    int64_t block; /* elements along axis that share a scale; 0: all of a slice */
    quern_constant scale, zero, min;
} quern_encoding;

typedef struct {
    quern_text name;
    quern_type type;
    const quern_encoding* encoding; /* NULL: plain */
    const void* data;               /* NULL: no constant */
    size_t size;
    const int32_t* permutation; /* of a tensor whose layout was moved */
    size_t permutation_size;
} quern_tensor;

enum { QUERN_INTEGER, QUERN_REAL, QUERN_TEXT, QUERN_INTEGERS, QUERN_REALS, QUERN_TEXTS, QUERN_CONSTANT, QUERN_CONSTANTS, QUERN_TYPE };

typedef struct {
    quern_text name;
    int32_t kind;
    const int64_t* integers; /* QUERN_INTEGER: one */
    const float* reals;
    const quern_text* texts;
    const quern_constant* constants;
    const quern_type* type;
    size_t count;
} quern_parameter;

typedef struct {
    quern_text op, domain, name, scope, device;
    int32_t version;                    /* of an operator that quern does not know */
    int32_t unit;                       /* integer unit; -1: none */
    const quern_text *inputs, *outputs; /* an empty name: absent */
    size_t input_count, output_count;
    const quern_parameter* parameters;
    size_t parameter_count;
    const quern_text* internal_names; /* encodings of intermediates */
    const quern_encoding* internals;
    size_t internal_count;
} quern_node;

/* Functions return 0 for success; after a failure the rest of the model is ignored. */
typedef struct {
    uint32_t struct_size, version;
    int (*add_tensor)(quern_graph* graph, const quern_tensor* tensor);
    int (*add_node)(quern_graph* graph, const quern_node* node);
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

struct Constant : quern_constant {
    Constant() : quern_constant{} {}
    Constant(Text dtype, std::initializer_list<int64_t> dims_, const void* data_, size_t size_)
        : quern_constant{dtype, nullptr, 0, data_, size_}, kept(dims_) {}
    quern_constant get() const {
        quern_constant c = *this;
        c.dims = kept.data();
        c.rank = kept.size();
        return c;
    }
    std::vector<int64_t> kept;
};

class Encoding {
   public:
    Encoding(Text storage, int64_t low, int64_t high) {
        e_.storage = storage;
        e_.real = Text("float32");
        e_.low = low;
        e_.high = high;
        e_.axis = -1;
    }
    Encoding& real(Text dtype) { return e_.real = dtype, *this; }
    Encoding& dynamic() { return e_.dynamic = 1, *this; }
    Encoding& axis(int32_t axis, int64_t block = 0) { return e_.axis = axis, e_.block = block, *this; }
    Encoding& scale(const Constant& c) { return scale_ = c, *this; }
    Encoding& zero(const Constant& c) { return zero_ = c, *this; }
    Encoding& min(const Constant& c) { return min_ = c, *this; }
    quern_encoding get() const {
        quern_encoding e = e_;
        e.scale = scale_.get();
        e.zero = zero_.get();
        e.min = min_.get();
        return e;
    }

   private:
    quern_encoding e_ = {};
    Constant scale_, zero_, min_;
};

struct Dim : quern_dim {
    Dim(int64_t length_) : quern_dim{length_, {"", 0}} {}
    template <size_t n>
    Dim(const char (&symbol_)[n]) : quern_dim{-1, Text(symbol_)} {}
};

class Type {
   public:
    explicit Type(Text dtype) { t_.dtype = dtype; }
    Type(Text dtype, std::initializer_list<Dim> dims) : dims_(dims.begin(), dims.end()) {
        t_.dtype = dtype;
        t_.ranked = 1;
    }
    Type(int32_t kind, const Type& element) : element_{element} {
        t_.dtype = Text("");
        t_.kind = kind;
    }
    quern_type get() const {
        quern_type t = t_;
        t.dims = dims_.data();
        t.rank = dims_.size();
        if (!element_.empty()) {
            got_ = element_[0].get();
            t.element = &got_;
        }
        return t;
    }

   private:
    quern_type t_ = {};
    std::vector<quern_dim> dims_;
    std::vector<Type> element_;
    mutable quern_type got_ = {};
};

class Tensor {
   public:
    Tensor(Text name, const Type& type) : type_(type) { t_.name = name; }
    Tensor& encoding(const Encoding& e) { return encoding_ = {e}, *this; }
    Tensor& data(const void* data_, size_t size) { return t_.data = data_, t_.size = size, *this; }
    Tensor& permutation(std::initializer_list<int32_t> order) { return permutation_ = order, *this; }

   private:
    friend class Graph;
    quern_tensor t_ = {};
    Type type_;
    std::vector<Encoding> encoding_;
    std::vector<int32_t> permutation_;
};

class Node {
   public:
    Node(Text op, Text name) {
        n_.op = op;
        n_.name = name;
        n_.domain = n_.scope = n_.device = Text("");
        n_.unit = -1;
    }
    Node& domain(Text text, int32_t version = 0) { return n_.domain = text, n_.version = version, *this; }
    Node& scope(Text text) { return n_.scope = text, *this; }
    Node& device(Text text) { return n_.device = text, *this; }
    Node& unit(int32_t number) { return n_.unit = number, *this; }
    Node& in(Text name) { return in_.push_back(name), *this; }
    Node& out(Text name) { return out_.push_back(name), *this; }
    Node& integer(Text name, int64_t x) { return kept(name, QUERN_INTEGER).integers = {x}, *this; }
    Node& integers(Text name, std::initializer_list<int64_t> x) { return kept(name, QUERN_INTEGERS).integers = x, *this; }
    Node& real(Text name, float x) { return kept(name, QUERN_REAL).reals = {x}, *this; }
    Node& reals(Text name, std::initializer_list<float> x) { return kept(name, QUERN_REALS).reals = x, *this; }
    Node& text(Text name, Text x) { return kept(name, QUERN_TEXT).texts = {x}, *this; }
    Node& texts(Text name, std::initializer_list<Text> x) { return kept(name, QUERN_TEXTS).texts.assign(x.begin(), x.end()), *this; }
    Node& constant(Text name, const Constant& x) { return kept(name, QUERN_CONSTANT).constants = {x}, *this; }
    Node& constants(Text name, std::initializer_list<Constant> x) { return kept(name, QUERN_CONSTANTS).constants = x, *this; }
    Node& type(Text name, const Type& x) { return kept(name, QUERN_TYPE).types = {x}, *this; }
    Node& internal(Text name, const Encoding& e) { return internal_names_.push_back(name), internals_.push_back(e), *this; }

   private:
    friend class Graph;
    struct Kept {
        quern_text name;
        int32_t kind;
        std::vector<int64_t> integers;
        std::vector<float> reals;
        std::vector<quern_text> texts;
        std::vector<Constant> constants;
        std::vector<Type> types;
    };
    Kept& kept(Text name, int32_t kind) {
        parameters_.push_back(Kept{name, kind, {}, {}, {}, {}, {}});
        return parameters_.back();
    }
    quern_node n_ = {};
    std::vector<quern_text> in_, out_, internal_names_;
    std::vector<Encoding> internals_;
    std::deque<Kept> parameters_;
};

class Graph {
   public:
    Graph(const quern_builder* builder, quern_graph* graph) : b_(builder), g_(graph), ok_(graph != nullptr) {}
    bool ok() const { return ok_; }

    void add(const Tensor& tensor) {
        if (!ok_) return;
        quern_tensor t = tensor.t_;
        t.type = tensor.type_.get();
        quern_encoding e;
        if (!tensor.encoding_.empty()) {
            e = tensor.encoding_[0].get();
            t.encoding = &e;
        }
        t.permutation = tensor.permutation_.data();
        t.permutation_size = tensor.permutation_.size();
        ok_ = b_->add_tensor(g_, &t) == 0;
    }

    void add(const Node& node) {
        if (!ok_) return;
        quern_node n = node.n_;
        n.inputs = node.in_.data();
        n.input_count = node.in_.size();
        n.outputs = node.out_.data();
        n.output_count = node.out_.size();
        std::vector<quern_parameter> parameters;
        std::deque<std::vector<quern_constant>> constants;
        std::deque<quern_type> types;
        for (const Node::Kept& k : node.parameters_) {
            constants.emplace_back();
            for (const Constant& c : k.constants) constants.back().push_back(c.get());
            for (const Type& t : k.types) types.push_back(t.get());
            parameters.push_back({k.name, k.kind, k.integers.data(), k.reals.data(), k.texts.data(), constants.back().data(),
                                  k.types.empty() ? nullptr : &types.back(),
                                  k.integers.size() + k.reals.size() + k.texts.size() + k.constants.size() + k.types.size()});
        }
        n.parameters = parameters.data();
        n.parameter_count = parameters.size();
        std::vector<quern_encoding> internals;
        for (const Encoding& e : node.internals_) internals.push_back(e.get());
        n.internal_names = node.internal_names_.data();
        n.internals = internals.data();
        n.internal_count = internals.size();
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
