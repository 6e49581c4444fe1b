// Kernels: fast implementations of one node or of a node and what follows it, chosen when a Program is compiled. Rows are tried in
// order, fastest first; the reference of the operator's row comes last. A row that refuses says why (`run --explain`).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/op.h"
#include "libcore/memory/memory.h"
#include "libcore/os/threads.h"

namespace quern {

struct CodeTable;
struct ProfileRow;

// A value in a layout of a kernel library's own. It lives between two kernels; everyone else gets plain().
class Packed {
   public:
    virtual ~Packed() = default;
    virtual Tensor plain(Memory& memory, ThreadPool& pool) const = 0;
    virtual const Dims& dims() const = 0;
    // All elements, each once, in whatever order is quickest: for callers that only count them. Undefined if only plain() can tell.
    virtual Tensor elements(Memory& memory) const = 0;
    // The elements of a value of dims [N, C, spatial...] as [N, spatial..., C].
    virtual Buffer channels_last(Memory& memory, ThreadPool& pool) const = 0;
    // Its codes by a table, in the same layout. nullptr: only plain() can be looked up.
    virtual std::shared_ptr<const Packed> looked_up(const CodeTable&, Memory&, ThreadPool&) const { return nullptr; }
    // Is plain() the value's codes, not its numbers?
    virtual bool holds_codes() const { return false; }
};

// What a kernel gets when it runs. Inputs are those of its Site, in order.
class KernelCtx {
   public:
    virtual ~KernelCtx() = default;
    virtual const Tensor* in(size_t i) = 0;                      // row-major; nullptr: absent
    virtual std::shared_ptr<const Packed> packed(size_t i) = 0;  // as another kernel left it; nullptr: it is plain
    // True if nothing reads input i after this step: its memory may be overwritten if nobody else holds it.
    virtual bool dies(size_t i) const = 0;
    // The elements of input i in memory that this step may change and give: the input's own where nobody else needs it (dies(), and what
    // the session carries from run to run), else a copy.
    virtual Buffer own(size_t i) = 0;
    virtual void give(Tensor tensor) = 0;  // the first output, row-major
    virtual void give(std::shared_ptr<const Packed> packed) = 0;
    virtual void give_codes(Tensor tensor) = 0;  // of an encoded output, row-major
    // Outputs beside the first, where the row takes nodes with some: is there an output i, and its numbers, row-major.
    virtual bool wants(size_t i) const = 0;
    virtual void give_beside(size_t i, Tensor tensor) = 0;
    // How input i is held; nullptr: as real numbers. A dynamic encoding has the scale and zero point of this run.
    virtual const Encoding* encoding(size_t i) const = 0;
    // Of an output with a dynamic encoding: what it is in this run.
    virtual void set_encoding(Encoding grid) = 0;
    virtual Memory& memory() = 0;
    virtual ThreadPool& pool() = 0;
};

// A prepared kernel: immutable but for caches of its own (guarded), shared by all sessions of the program.
class Kernel {
   public:
    virtual ~Kernel() = default;
    virtual std::string name() const = 0;  // "onednn conv+relu"
    virtual void run(KernelCtx& ctx) = 0;
    virtual bool takes_empty() const { return false; }  // tensors without elements, too
    // Makes ready what a run over inputs of these dims needs, if there is anything to make. Called from a thread of `pool`, beside other
    // kernels.
    virtual bool needs_warming() const { return false; }
    virtual void warm(std::span<const Dims>, ThreadPool&) {}
    // What it has made of its constants so far, in a form that Site::state takes in another process, and the constants that are not
    // needed beside it. Nothing if it reads its constants as they are.
    virtual std::vector<Bytes> state() const { return {}; }
    virtual std::vector<ValueId> held() const { return {}; }
};

// Where a kernel shall work: `nodes` run one after the other, each with one output (but for KernelRow::max_outputs), the first input of
// each later one (or the operand `operand`) being the result of the one before.
struct Site {
    const Graph& graph;
    std::vector<const Node*> nodes;
    std::vector<ValueId> in;  // of the first node, then the other operands of the later ones
    // What the same kernel's state() was when a context was made of it, to be checked like any file and used in place; empty: nothing. The
    // constants that the kernel held then have types but may have no data.
    std::span<const Bytes> state = {};
    // Integer runs, kernels on codes: the row of a profile that says what is computed, and the encoding of the result (of the unit).
    // nullptr: the nodes compute on real numbers.
    const ProfileRow* arithmetic = nullptr;
    std::optional<Encoding> result = {};

    const Node& first() const { return *nodes.front(); }
    const Node& last() const { return *nodes.back(); }
    ValueId out() const { return last().out[0]; }
    const Value& value(ValueId id) const { return graph.value(id); }
    // The operands of a later node beside the chained value.
    std::vector<ValueId> operands(const Node& next) const;
};

struct KernelRow {
    std::string_view name;
    OpId op;  // of the first node
    // Can `next`, the only reader of the site's result, be done in the same kernel?
    bool (*absorbs)(const Site& site, const Node& next) = nullptr;
    // nullptr with the reason in `refusal`.
    std::unique_ptr<Kernel> (*make)(const Site& site, std::string& refusal) = nullptr;
    size_t max_outputs = 1;  // of a kernel on codes
};

// Float32 numbers of constants for packing, made when it is called and not before: constants in a mapped file take no memory until then.
// Packers call it once, and give the result back to the system by Bytes::release().
using FloatSource = std::function<Bytes()>;
FloatSource floats_of(const Site& site, ValueId constant);

// Shared helpers of rows.
bool is_f32(const Site& site, ValueId id);
// Shapes that are certainly equal.
bool same_shape(const Shape& a, const Shape& b);

}  // namespace quern
