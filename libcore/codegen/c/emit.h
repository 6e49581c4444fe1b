// Emit: what an operator's row sees while it writes the C of one step - operands as C expressions, their encodings and shapes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libcore/codegen/c/source.h"
#include "libcore/codegen/generator.h"
#include "libcore/exec/program.h"

namespace quern::cgen {

// A buffer in the arena: needed from step `born` to step `last`.
struct Buffer {
    std::string name, declaration;
    size_t bytes = 0;
    size_t born = 0, last = 0;
};

// What a step takes, for reports.
struct Layer {
    std::string name, op;                 // "block/conv1", "Conv + Relu"
    std::string type;                     // of the elements of its first output, as they are held
    Dims dims;                            // of that
    double macs = 0;                      // of one round of a body
    size_t parameters = 0;                // bytes of constants that no step before has
    std::string real;                     // why it computes in float, where a function that it calls does; else ""
    std::map<std::string, size_t> calls;  // functions, and how often
};

// What the graph of a model and the bodies inside it have in common: one C function, one arena, one count of steps.
struct Listing {
    std::string text;
    std::vector<Buffer> buffers;
    size_t step = 0, depth = 0, grids = 0, locals = 0;
    size_t nodes = 0;                   // emitted or refused
    std::vector<std::string> refusals;  // a line each
    std::vector<Layer> layers;
    size_t counted = 0;                                        // bytes of constants of these
    void find_floats(const std::set<std::string>& functions);  // that compute in float: other layers are not real
};

// Elements in memory: where, as a C expression, and how they are held.
struct Held {
    std::string at;
    DType type = DType::none;
    const Encoding* encoding = nullptr;          // held as codes
    std::pair<std::string, std::string> grid{};  // scale and zero point of a dynamic encoding, as C lvalues
    bool dynamic() const { return encoding && encoding->is_dynamic(); }
    bool like(const Held& other) const;  // the same elements are the same bytes; never if an encoding is dynamic
};

// The values of a graph as C expressions, and its statements, in order.
class Function {
   public:
    Function(const CompiledGraph& program, Source& source);
    // A body: its statements and buffers come between those of the graph around, which lives longer.
    Function(const CompiledGraph& body, Function& outer);

    void begin_step();
    void statement(std::string text);
    void open(std::string head);  // statement that ends in a brace: what follows is indented, until
    void otherwise();             // the other branch
    void close();
    // What is born before a loop and read in it is needed until its end. Values of the loop's own belong between these.
    size_t enter_loop();
    void leave_loop(size_t entered);
    std::string local(std::string_view name);  // a new name of a local variable

    // C expressions. A result is written once, by the step that is open.
    std::string value(ValueId id);
    std::string result(ValueId id);
    std::string scratch(DType dtype, int64_t count);  // for this step
    void alias(ValueId id, ValueId same);             // id has the elements of `same`
    bool may_alias(ValueId id) const;                 // not a buffer of the caller
    ValueId root(ValueId id) const;                   // whose elements it has
    // Bodies: what lies in the memory of a value of the graph around, or somewhere that an expression says.
    void link(ValueId id, ValueId outer);
    void bind(ValueId id, std::string expression);
    bool is_bound(ValueId id) const { return !may_alias(id); }

    const Dims& dims(ValueId id) const;  // throws Exit::unsupported if they depend on the run
    DType held(ValueId id) const;        // the storage of an encoded value, else its type
    Held held_value(ValueId id);
    std::optional<Tensor> constant(ValueId id) const;
    const Encoding* encoding(ValueId id) const;  // of a value that is held as codes
    // Scale and zero point of a value with a dynamic encoding, as C lvalues.
    std::pair<std::string, std::string> dynamic_grid(ValueId id);

    const CompiledGraph& program() const { return program_; }
    Source& source() { return source_; }
    Listing& listing() { return *listing_; }
    const std::vector<std::string>& input_names() const { return inputs_; }
    const std::vector<std::string>& output_names() const { return outputs_; }
    void copy_outputs();  // outputs that no step writes

   private:
    std::string buffer_of(ValueId id);

    const CompiledGraph& program_;
    Source& source_;
    Function* outer_ = nullptr;
    std::shared_ptr<Listing> listing_;
    std::map<ValueId, size_t> buffer_of_;
    std::map<ValueId, ValueId> alias_;
    std::map<ValueId, ValueId> linked_;        // to values of the graph around
    std::map<ValueId, std::string> external_;  // inputs and outputs
    std::map<ValueId, size_t> grids_;
    std::vector<std::string> inputs_, outputs_;
    mutable std::map<ValueId, Dims> dims_;
};

// `count` elements as real numbers, or from real numbers; `what` is named where an encoding has no C. Throws Exit::unsupported.
void decode(Function& f, const Held& from, const std::string& to, int64_t count, const std::string& what);
void encode(Function& f, const std::string& from, const Held& to, int64_t count, const std::string& what);
// The same elements in another place, held as that wants them.
void transfer(Function& f, const Held& from, const Held& to, int64_t count, const std::string& what);

// One step.
class Emit {
   public:
    Emit(Function& function, const Step& step, const Node& node);

    const Step& step;
    const Node& node;
    const NodeView view;
    Function& f;
    Source& source;

    bool has_in(size_t i) const { return i < node.in.size() && node.in[i] != ValueId::none; }
    bool wants(size_t i) const { return i < node.out.size() && out_id(i) != ValueId::none; }
    ValueId in_id(size_t i) const { return node.in.at(i); }
    ValueId out_id(size_t i) const { return step.unit_out ? step.last().out[i] : node.out[i]; }
    const Encoding* in_encoding(size_t i) const { return has_in(i) ? f.encoding(in_id(i)) : nullptr; }
    const Encoding* out_encoding(size_t i = 0) const;  // its codes narrowed by the unit's activation
    const Dims& in_dims(size_t i) const { return f.dims(in_id(i)); }
    const Dims& out_dims(size_t i = 0) const { return f.dims(out_id(i)); }
    int64_t in_count(size_t i) const { return count_of(in_dims(i)); }
    int64_t out_count(size_t i = 0) const { return count_of(out_dims(i)); }
    std::optional<Tensor> constant(size_t i) const { return has_in(i) ? f.constant(in_id(i)) : std::nullopt; }  // as held
    std::optional<Tensor> real_constant(size_t i) const;                                                        // decoded

    // As held: codes of encoded values.
    std::string_view in_type(size_t i) const { return c_type(f.held(in_id(i))); }
    std::string_view out_type(size_t i = 0) const { return c_type(f.held(out_id(i))); }
    std::string in(size_t i) { return f.value(in_id(i)); }
    std::string out(size_t i = 0) { return f.result(out_id(i)); }

    // As real numbers (or whole ones that are not encoded): decoded before, encoded by finish() behind. float16 and bfloat16 are bits as
    // they are held, float as real numbers.
    std::string_view real_in_type(size_t i) const { return in_encoding(i) || is_short_float(f.held(in_id(i))) ? "float" : in_type(i); }
    std::string_view real_out_type(size_t i = 0) const {
        return f.encoding(out_id(i)) || is_short_float(f.held(out_id(i))) ? "float" : out_type(i);
    }
    std::string real_in(size_t i);
    std::string real_out(size_t i = 0);
    void finish();

    void call(std::string_view function, const std::vector<std::string>& arguments);
    // The C function that computes `function` of math.h, expf say, for double if `wide`: the library's in float models, the texts in
    // libcore/ops/portable in integer ones, which give the reference's codes and must not depend on a library.
    std::string math(std::string_view function, bool wide = false);
    // In kernels @function@ stands for each of `functions`, names of math.h with spaces between (a literal: words refer to it), or for
    // those of double.
    void add_math(Words& words, std::string_view functions, std::string_view type = "float");
    // Are sums added up in the order of the reference? Integer models give its codes.
    bool exact() const { return f.program().options().mode == Mode::integer; }
    // `name` of the node for tables.
    std::string label(std::string_view what) const;

   private:
    std::string decoded_short(size_t i);
    std::map<size_t, std::string> decoded_;
    std::vector<std::pair<size_t, std::string>> pending_;
};

// How a step computes.
enum class Kind : uint8_t { profile, codes, movement, real };
Kind kind_of(const Step& step);

// The row of an operator: writes the step, or throws Exit::unsupported with the reason.
struct EmitRow {
    Kind kind;
    std::string_view op;  // Kind::profile: what profile_form says
    void (*emit)(Emit& e);
    std::string_view domain = "";
};
std::span<const EmitRow> conv_rows();
std::span<const EmitRow> matrix_rows();
std::span<const EmitRow> arithmetic_rows();
std::span<const EmitRow> attention_rows();
std::span<const EmitRow> quantized_rows();
std::span<const EmitRow> profile_rows();
std::span<const EmitRow> qlinear_rows();
std::span<const EmitRow> elementwise_rows();
std::span<const EmitRow> movement_rows();
std::span<const EmitRow> reduce_rows();
std::span<const EmitRow> float_rows();
std::span<const EmitRow> recurrent_rows();
std::span<const EmitRow> svdf_rows();
std::span<const EmitRow> select_rows();

// If, Loop and Scan; others are left alone.
bool emit_control(Emit& e);
// Steps of one function of codes, or a movement of elements known beforehand, whatever the operator is.
bool emit_table(Emit& e);
bool emit_movement(Emit& e);
// On real numbers by the formula of the operator's row, where there is one.
void emit_formula(Emit& e);
// On codes by the text that the profile's row names.
void emit_text(Emit& e, const CodeText& text);
void emit_step(Emit& e);
// Every step; what cannot be generated goes into the refusals of the listing.
void emit_steps(Function& function);

// ---- for rows --------------------------------------------------------------------------------------------------------------------
struct Grid {
    float scale;
    int64_t zero, low, high;
    explicit Grid(const Encoding& e);
};
std::string text_of(int64_t number);
inline bool is_real(std::string_view c_type) { return c_type == "float" || c_type == "double"; }
std::string c_number(const Tensor& tensor, std::string_view c_type);  // its first item
std::string infinity(std::string_view c_type, bool positive = true);
std::string name_part(float number);  // a number as a part of a C name, another one for each number
std::string integer_limit(DType dtype, bool max);
// Steps in elements of `dims` walked as `out` (broadcast: 0).
std::vector<int64_t> broadcast_steps(const Dims& dims, const Dims& out);
// A walk over `dims` with the steps of up to three operands, dims that lie one after the other in all joined.
std::string walk(Emit& e, Dims dims, std::vector<std::vector<int64_t>> steps, std::string_view label);
// The walk over the results of two operands that are broadcast.
std::string pair_walk(Emit& e);
// A walk of one operand exactly as given, dim by dim.
std::string walk_as_given(Emit& e, Dims dims, Dims steps, std::string_view label);
// x (of elements `type`) to y, element i from places[i].
void emit_places(Emit& e, const std::string& type, const std::string& x, const std::string& y, const std::vector<int32_t>& places,
                 std::string_view label);
// A tensor seen as [outer, length, inner] around an axis.
struct Lines {
    int64_t outer, length, inner;
    Lines(const Dims& dims, size_t axis);
    Lines(int64_t outer_, int64_t length_, int64_t inner_) : outer(outer_), length(length_), inner(inner_) {}
    std::vector<std::string> text() const { return {text_of(outer), text_of(length), text_of(inner)}; }
};
// The walks of a reduction: over the results, and over what goes into one. `rows`: the innermost dim is reduced.
struct ReductionWalks {
    std::string from, over;
    bool rows = false;
    int64_t count = 1;  // elements that go into one
};
ReductionWalks walks_over(Emit& e, const std::vector<bool>& reduced);
ReductionWalks reduction_walks(Emit& e);
// The kernel that takes elements of b or c as those of a say.
std::string chooser(Emit& e, std::string_view type);
// Pairs of elements u and v of both inputs; `words` has the value.
void emit_pairs(Emit& e, Words words, const std::string& variant);
// Quotients and powers of whole numbers; false for real ones.
bool emit_whole_arithmetic(Emit& e);
// Convolutions and pools over three spatial dims.
bool has_volume(Emit& e);
void emit_volume_conv(Emit& e, Kind kind);
void emit_volume_pool(Emit& e);
// Resize by weighted sums along its axes.
void emit_weighted_resize(Emit& e);
// Its greatest and least elements, on codes or numbers as they are held.
void emit_extreme(Emit& e);

}  // namespace quern::cgen
