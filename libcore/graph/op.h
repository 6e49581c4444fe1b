// Op: an operator is one row of a table. Everything quern knows about an operator - its signature, shapes, arithmetic,
// quantization and layout - is in its row; readers, writers, verifier, interpreter and quantizer are loops over rows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "libcore/graph/graph.h"

namespace quern {

// ---- attributes -------------------------------------------------------------------------------------------------

enum class AttrKind : uint8_t { integer, real, text, integers, reals, texts, tensor, tensors, type, graph };

// One attribute of an operator. `fallback` is the default as text ("1", "0.01", "constant"); empty: none.
struct AttrDef {
    std::string_view name;
    AttrKind kind;
    std::string_view fallback = {};
    bool required = false;
};

// ---- contexts that an operator's functions get -----------------------------------------------------------------------

// Attribute access with the row's default behind it; a missing attribute without default throws Exit::bad_input.
class NodeView {
   public:
    explicit NodeView(const Node& node) : node_(node) {}
    const Node& node() const { return node_; }
    bool has(std::string_view name) const;
    int64_t integer(std::string_view name) const;
    float real(std::string_view name) const;
    std::string text(std::string_view name) const;
    std::vector<int64_t> integers(std::string_view name) const;  // {} if absent
    std::vector<float> reals(std::string_view name) const;
    std::vector<std::string> texts(std::string_view name) const;
    const Tensor* tensor(std::string_view name) const;  // nullptr if absent

   private:
    const Node& node_;
};

// Shape and type inference of one node. Unknown stays unknown; contradictions throw Exit::bad_input.
class InferCtx : public NodeView {
   public:
    using NodeView::NodeView;
    virtual ~InferCtx() = default;
    virtual size_t in_count() const = 0;  // trailing absent inputs included
    virtual size_t out_count() const = 0;
    virtual bool has_in(size_t i) const = 0;
    virtual const Type& in(size_t i) const = 0;          // must be there
    virtual const Tensor* constant(size_t i) const = 0;  // nullptr if not constant
    // The elements of a rank-0 or rank-1 integer tensor as dims, known or symbolic: shape arithmetic.
    virtual const std::vector<Dim>* dims_value(size_t i) const = 0;
    virtual void set(size_t i, Type type) = 0;
    virtual void set_dims_value(size_t i, std::vector<Dim> dims) = 0;
    // Inference of body `b` given the types of its inputs; returns the types of its outputs.
    virtual std::vector<Type> infer_body(size_t b, std::span<const Type> inputs) = 0;

    const Shape& shape(size_t i) const { return in(i).shape; }
    DType dtype(size_t i) const { return in(i).dtype; }
};

// Evaluation of one node on concrete tensors.
class EvalCtx : public NodeView {
   public:
    using NodeView::NodeView;
    virtual ~EvalCtx() = default;
    virtual size_t in_count() const = 0;
    virtual size_t out_count() const = 0;
    virtual const Tensor* in(size_t i) const = 0;  // nullptr: absent (also beyond in_count)
    virtual bool wants(size_t i) const = 0;        // is output i used?
    // Memory for output i, aligned to 64 bytes, uninitialised. It may be the memory of an input that dies here if the
    // row has Trait::in_place.
    virtual std::byte* out(size_t i, DType dtype, Dims dims) = 0;
    // Output i is this tensor (sharing its bytes).
    virtual void give(size_t i, Tensor tensor) = 0;
    // Encodings of inputs and outputs in integer runs; nullptr: plain.
    virtual const Encoding* in_encoding(size_t i) const = 0;
    virtual const Encoding* out_encoding(size_t i) const = 0;
    // Runs body `b`; inputs in the order of the body's inputs, captures are bound by the caller.
    virtual std::vector<Tensor> run_body(size_t b, std::span<const Tensor> inputs) = 0;
    // The seed of random operators, different for each node and run.
    virtual uint64_t seed() const = 0;

    const Tensor& need(size_t i) const {  // input i, which the verifier has seen to be there
        const Tensor* t = in(i);
        if (!t) throw bad_input("input {} is missing", i);
        return *t;
    }
    template <class T>
    std::span<T> out_as(size_t i, Dims dims, DType dtype = dtype_of<T>) {
        const auto n = static_cast<size_t>(count_of(dims));
        return {reinterpret_cast<T*>(out(i, dtype, std::move(dims))), n};
    }
};

// ---- what the passes know -------------------------------------------------------------------------------------------

enum class Trait : uint32_t {
    none = 0,
    elementwise = 1,    // out[i] depends on in[i] only (after broadcasting)
    data_movement = 2,  // moves, copies or selects elements, never computes: works on codes as well
    in_place = 4,       // output may overwrite input 0
    random = 8,         // different on each run
    shape_only = 16,    // depends on the shape of its input, not on its numbers (Shape, Size)
    control_flow = 32,
    idempotent = 64,    // f(f(x)) = f(x)
    commutative = 128,  // of its first two inputs
    variadic_in = 256,  // the last input may repeat
    variadic_out = 512,
    activation = 1024,  // may end an integer unit: Relu, Clip, ...
    monotone = 2048,    // elementwise and non-decreasing
};
constexpr Trait operator|(Trait a, Trait b) { return static_cast<Trait>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b)); }
constexpr bool has(Trait set, Trait t) { return (static_cast<uint32_t>(set) & static_cast<uint32_t>(t)) != 0; }

// Whose parameters the values share that an operator only moves or selects. `together` is over all their numbers.
enum class Sharing : uint8_t { none, together, forward, backward };

// The result always has this encoding where it is stored so, whatever it holds.
struct FixedResult {
    DType storage;
    float scale;
    int64_t zero;
};

// What the runtime of a recipe asks of an operator (libcore/quant/types/recipe.h).
struct RuntimeRule {
    Sharing sharing = Sharing::none;
    bool friendly = false;           // computed on quantized values, beside those that every runtime computes so
    bool channels = false;           // its weight may have one scale per channel
    bool weight_only = false;        // its weight alone may be quantized
    bool whole = false;              // results are whole numbers: their scale is, too, and at least 1
    uint32_t channel_constants = 0;  // bit i: input i is a constant with one number per channel, quantized each by a scale of its own
    std::span<const FixedResult> fixed = {};

    const FixedResult* fixed_as(DType storage) const {  // nullptr: any encoding
        for (const FixedResult& row : fixed)
            if (row.storage == storage) return &row;
        return nullptr;
    }
};

enum class QuantTrait : uint8_t {
    none = 0,
    friendly = 1,    // quantized unless a rule says otherwise: keeps its meaning on eight bits, and integer hardware runs it
    sets_scale = 2,  // the scale of its results does not follow that of its input
    selects = 4,     // gives one of its operands
    hands_on = 8,    // its results are numbers of its inputs, though it is neither elementwise nor data movement
};
constexpr QuantTrait operator|(QuantTrait a, QuantTrait b) {
    return static_cast<QuantTrait>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
constexpr bool has(QuantTrait set, QuantTrait t) { return (static_cast<uint8_t>(set) & static_cast<uint8_t>(t)) != 0; }

// A slope without bound near zero: the input concerned and what is computed of it.
struct Steepness {
    size_t input = 0;
    double (*curve)(double) = nullptr;
};

// How the quantizer treats an operator.
struct QuantRule {
    enum class Kind : uint8_t {
        keep_float,     // never quantized
        own,            // every activation has parameters of its own
        same_as_input,  // output shares the parameters of input 0
        all_same,       // activations and output share one set
        fixed,          // output has the fixed range [lo, hi]
    };
    Kind kind = Kind::keep_float;
    uint32_t activations = 1;  // bit i: input i is an activation
    int weight = -1;           // input index of the weight, or -1
    int weight_axis = 0;       // its output-channel axis (where attributes decide: weight_axis_of, support/operands.h)
    int bias = -1;             // input index of the int32 bias, or -1
    float lo = 0, hi = 0;
    QuantTrait traits = QuantTrait::none;
    uint32_t places = 0;  // bit i: input i says where or how much, not what
    Steepness steep = {};
    RuntimeRule tflite = {}, one = {};

    constexpr QuantRule with(QuantTrait more) const {
        QuantRule rule = *this;
        rule.traits = rule.traits | more;
        return rule;
    }
    constexpr QuantRule with_places(uint32_t inputs) const {
        QuantRule rule = *this;
        rule.places = inputs;
        return rule;
    }
    constexpr QuantRule with_runtimes(RuntimeRule of_tflite, RuntimeRule of_one = {}) const {
        QuantRule rule = *this;
        rule.tflite = of_tflite;
        rule.one = of_one;
        return rule;
    }
};

// How move_layout treats an operator.
enum class Layout : uint8_t {
    opaque,    // needs its inputs in source order
    agnostic,  // elementwise: any common order
    spatial,   // data in input 0 and output 0 has channels and space; filters are permuted too
    axis,      // has attributes that name axes, which are mapped
};

struct Cost {
    double macs = 0;   // multiply-accumulates (or one per element where there are none)
    double bytes = 0;  // read and written
};
struct CostCtx {
    const Node& node;
    std::span<const Dims> in, out;
};

// ---- the row -----------------------------------------------------------------------------------------------------

// What an elementwise operator computes as a C expression of u, the element of input 0, and v, that of input 1, which generated C contains.
// @alpha@ is a real attribute of that name, @expf@ a function of math.h, @A@ and @Y@ the types of input 0 and the result. "": not so.
struct Formula {
    std::string_view real, whole = {};  // of floats; of integers and booleans
    constexpr bool empty() const { return real.empty() && whole.empty(); }
};
constexpr Formula of_all(std::string_view expression) { return {expression, expression}; }

// From how many inputs or outputs to how many.
struct Arity {
    uint8_t min = 1, max = 1;
};

struct Op {
    std::string_view name;         // ONNX's name: "Conv"
    std::string_view domain = "";  // "" = ai.onnx
    Arity in = {}, out = {};
    std::span<const AttrDef> attrs = {};
    Trait traits = Trait::none;
    DTypes types = {};  // element types of input 0 that eval takes; what --list-ops prints
    void (*infer)(InferCtx&) = nullptr;
    void (*eval)(EvalCtx&) = nullptr;  // reference, by the operator's standard; on codes: rows of profiles (libcore/ops/integer/)
    Formula formula = {};              // the same as C, where one expression says it
    QuantRule quant = {};
    Layout layout = Layout::opaque;
    Cost (*cost)(const CostCtx&) = nullptr;
    std::string_view doc = {};  // one line for man page and --list-ops
    int version = 0;            // unknown operators: the opset version of the file; known: 0 (frozen internal list)
    bool known() const { return infer != nullptr; }
    OpId id() const { return OpId(name, domain); }
    bool is(OpId other) const { return id() == other; }
};

// Are its results numbers of its inputs, or computed of single ones?
inline bool hands_numbers_on(const Op& op) {
    return has(op.traits, Trait::elementwise) || has(op.traits, Trait::data_movement) || has(op.quant.traits, QuantTrait::hands_on);
}

// The table: every family of ops/ joined in a fixed order.
std::span<const Op* const> all_ops();
const Op* find_op(std::string_view name, std::string_view domain = "");  // nullptr if there is none
// The same for names that are in the table for certain; throws Exit::bug otherwise.
const Op* need_op(std::string_view name, std::string_view domain = "");
inline const Op* need_op(OpId id) { return need_op(id.name, id.domain); }
inline bool Node::is(OpId id) const { return op->is(id); }
// Adds a row that is not in the table, for the life of the process: find_op() gives it from then on. Its domain must not be one of the
// table's; throws Exit::usage, also if another row has its name.
// `on_codes` computes it in integer runs, if it can.
void register_op(const Op* op, void (*on_codes)(EvalCtx&) = nullptr);
void (*registered_on_codes(const Op& op))(EvalCtx&);                           // nullptr if none was given
const Op* find_registered_op(std::string_view name, std::string_view domain);  // nullptr if none was added
// A row without functions for an operator that is not in the table: kept and carried through. Interned, never freed.
const Op* unknown_op(std::string_view name, std::string_view domain, int version);

// ---- over whole graphs -------------------------------------------------------------------------------------------

// Infers the types of every value of `graph` and its bodies; errors name the node. Declared types of graph outputs and values are
// refined, a contradiction in dtype or in known dims throws Exit::bad_input.
void infer_types(Graph& graph);

// Structure: every input has a value, names unique, order topological, arities and attributes as the row says, dtypes known.
// Throws Exit::bad_input naming node and place.
void verify(const Graph& graph);

}  // namespace quern
