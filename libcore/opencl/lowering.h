// From a net to the kernels that compute it: rows of operators, in families.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/opencl/failure.h"
#include "libcore/opencl/net.h"
#include "libcore/opencl/program.h"

namespace quern::opencl {

// Throws Failure: QUERN_UNSUPPORTED with the reason why a node is refused, QUERN_BAD_INPUT for a net that contradicts itself. Shapes are
// checked as they are used, so no kernel reaches beyond its buffers.
Program lower(const Net& net, const Abilities& abilities);

// Elements of a buffer and how they are read as numbers.
struct Operand {
    int32_t buffer = -1;
    std::string tag;  // of kernels/prelude.cl
    float scale = 1;
    int32_t zero = 0;
    int32_t low = 0, high = 0;  // limits of codes
    Dims dims;
    bool coded = false;
    int64_t count() const { return count_of(dims); }
};

class Lowering {
   public:
    Lowering(const Net& from, const Abilities& can) : net(from), abilities(can) {}
    Lowering(const Lowering&) = delete;
    Lowering& operator=(const Lowering&) = delete;

    Program run();

    const Net& net;
    const Abilities& abilities;
    Program program;

    const Value& value(int32_t id) const { return net.values[static_cast<size_t>(id)]; }
    // Of a node. Throws Failure if it is absent.
    const Value& in(const Node& node, size_t i) const;
    const Value& out(const Node& node) const;
    void need_operands(const Node& node, size_t min, size_t max) const;
    void need_one_result(const Node& node) const;
    // `got` is what the operator makes of its inputs' dims.
    void need_dims(const Node& node, const Dims& got) const;

    // As numbers: decoded where they are codes. Throws Failure if the type is none that kernels compute with.
    Operand real_in(const Node& node, size_t i) { return real(node.inputs[i], in(node, i)); }
    Operand result(const Node& node);
    Operand real(int32_t id, const Value& value);
    // As they are stored, of any type.
    Operand stored(int32_t id);
    Operand scratch(const Dims& dims);  // float32
    Operand constant(std::string tag, const Dims& dims, size_t bytes, std::function<std::vector<std::byte>()> make);
    int32_t flag();

    // The value lies where another does.
    void alias(int32_t out, int32_t in);
    void alias(int32_t out, const Operand& in) { buffers_[out] = in.buffer; }

    // A kernel over operands, the first of which it makes.
    Step& add(const Node& node, std::string_view family, const Operand& y, const std::vector<Operand>& operands, std::string options,
              std::vector<int32_t> numbers, std::array<size_t, 3> items);

    // Does anything behind this node go with it? The node is not lowered again.
    void take(const Node& node) { taken_.push_back(&node); }

    // Codes must be as the reference has them: throws Failure, naming what the device lacks.
    void need_exact(const Operand& result) const;
    void need_doubles(const Operand& result, std::string_view what) const;

   private:
    int32_t buffer_of(int32_t id);

    std::map<int32_t, int32_t> buffers_;  // by value
    std::map<int32_t, Operand> decoded_;  // constants as float32
    std::vector<const Node*> taken_;
};

// An operator: its name, in ONNX's domain or com.microsoft's or quern's own.
struct OpRow {
    std::string_view op;
    void (*lower)(Lowering& to, const Node& node);
    std::string_view domain = {};
};
std::span<const OpRow> elementwise_rows();
std::span<const OpRow> movement_rows();
std::span<const OpRow> product_rows();
std::span<const OpRow> window_rows();
std::span<const OpRow> line_rows();

// ---- what families share ----

int32_t bits(float x);
size_t normal_axis(int64_t axis, size_t rank);
Dims strides_of(std::span<const int64_t> dims);
Dims broadcast(const Dims& a, const Dims& b);  // throws Failure if they do not fit

// Dims of a walk over several tensors at once, neighbours joined where all lie without gaps; steps[t] are those of tensor t.
struct Walk {
    Dims lengths;
    std::vector<Dims> steps;
};
Walk joined(const Dims& lengths, const std::vector<Dims>& steps);
Dims broadcast_steps(const Dims& from, const Dims& to);

// Limits of a Relu or Clip whose bounds are constants: what an activation behind a product lets pass. False: it is none.
bool activation_limits(const Net& net, const Node& node, float& low, float& high);
// The activation that alone reads the node's result and goes with it; nullptr: none.
const Node* activation_behind(const Lowering& to, const Node& node, float& low, float& high);

// Codes of 8 bits, all of them, with one scale: what the QLinear operators of onnxruntime take (docs/numerics.md). All in one type.
bool are_plain_bytes(const Operand& y, const std::vector<Operand>& operands);

// y[to + steps] = x[from + steps] over `lengths`; checks that no element lies outside.
void move(Lowering& to, const Node& node, const Operand& y, const Operand& x, const Dims& lengths, std::array<int64_t, 2> first,
          const Dims& y_steps, const Dims& x_steps);
// Do both hold the same elements for the same numbers?
bool same_storage(const Operand& a, const Operand& b);

// y = kernel(a, b), broadcast.
void add_pair(Lowering& to, const Node& node, std::string_view kernel, const Operand& y, const Operand& a, const Operand& b);

// Constants of integers, as of axes and shapes. Throws Failure if they are not constant.
std::vector<int64_t> constant_integers(const Lowering& to, const Node& node, size_t i);

template <class T>
std::vector<std::byte> bytes_of_items(const std::vector<T>& items) {
    const auto* from = reinterpret_cast<const std::byte*>(items.data());
    return {from, from + items.size() * sizeof(T)};
}

}  // namespace quern::opencl
