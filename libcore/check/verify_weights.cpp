#include "libcore/check/verify_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "libcore/base/text.h"
#include "libcore/blocks/block_format.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/shared/eval_node.h"

namespace quern {
namespace {

constexpr int64_t elements_at_once = int64_t{1} << 20;  // of rows that are looked up

// Values of a graph that constants and what is bound decide.
class Decided {
   public:
    explicit Decided(const Graph& graph) : graph_(graph) {}
    void bind(ValueId id, Tensor tensor) { bound_[id] = std::move(tensor); }

    std::optional<Tensor> of(ValueId id) const {
        if (const auto found = bound_.find(id); found != bound_.end()) return found->second;
        const Value& value = graph_.value(id);
        if (value.constant()) return value.enc ? dequantize(*graph_.constant(id), *value.enc) : *graph_.constant(id);
        if (value.producer == NodeId::none) return std::nullopt;
        const Node& node = graph_.node(value.producer);
        if (!node.bodies.empty() || !node.op->eval) return std::nullopt;
        std::vector<Tensor> in;
        in.reserve(node.in.size());
        for (const ValueId from : node.in) {
            auto tensor = from == ValueId::none ? Tensor() : of(from);
            if (!tensor) return std::nullopt;
            in.push_back(std::move(*tensor));
        }
        return eval_small(node, in)[static_cast<size_t>(std::ranges::find(node.out, id) - node.out.begin())];
    }

   private:
    const Graph& graph_;
    std::map<ValueId, Tensor> bound_;
};

bool is_kept(const Graph& graph, std::string_view name) {
    const ValueId id = graph.find(name);
    return id != ValueId::none && graph.value(id).constant();
}

class Verifier {
   public:
    Verifier(const Graph& source, const Graph& made, const Graph& written) : source_(source), made_(made), written_(written) {}

    void check(const std::string& name) {
        const Value& value = source_.value(source_.find(name));
        const Tensor stored = *source_.constant(source_.find(name));
        const Tensor real = value.enc ? dequantize(stored, *value.enc) : stored;
        const ValueId there = written_.find(name);
        if (there != ValueId::none)
            check_same(real, Decided(written_).of(there));
        else
            check_rows(made_.find(name), real);
        stored.data.release();
    }

   private:
    static void check_same(const Tensor& real, const std::optional<Tensor>& other) {
        if (!other) throw unsupported("what is written depends on inputs");
        if (other->dims != real.dims) throw Error(Exit::no, fmt::format("is {}, need {}", to_string(other->dims), to_string(real.dims)));
        check_same(real.view<float>(), *other, 0);
    }

    static void check_same(std::span<const float> wanted, const Tensor& other, size_t first) {
        if (other.dtype != DType::f32) throw Error(Exit::no, fmt::format("is {}, need float32", name_of(other.dtype)));
        const std::span<const float> got = other.view<float>();
        if (got.size() != wanted.size()) throw Error(Exit::no, fmt::format("has {} elements, need {}", got.size(), wanted.size()));
        if (std::memcmp(got.data(), wanted.data(), got.size_bytes()) == 0) return;
        const auto differs = [](float a, float b) { return std::bit_cast<uint32_t>(a) != std::bit_cast<uint32_t>(b); };
        size_t count = 0, at = got.size();
        for (size_t i = got.size(); i-- > 0;)
            if (differs(got[i], wanted[i])) ++count, at = i;
        throw Error(Exit::no, fmt::format("{} of {} numbers differ, the first is element {}: {}, need {}", count, got.size(), first + at,
                                          shortest(got[at]), shortest(wanted[at])));
    }

    // A table of which nodes look up rows: all of them are.
    void check_rows(ValueId table, const Tensor& real) const {
        const int64_t rows = real.dims.at(0), columns = rows > 0 ? real.count() / rows : 0;
        const int64_t step = std::max<int64_t>(1, elements_at_once / std::max<int64_t>(columns, 1));
        bool any = false;
        for (const Use& use : made_.uses(table)) {
            const auto [ids, found] = look_up(use);
            any = true;
            for (int64_t row = 0; row < rows; row += step) {
                const int64_t count = std::min(step, rows - row);
                std::vector<int64_t> which(static_cast<size_t>(count));
                std::iota(which.begin(), which.end(), row);
                Decided decided(written_);
                decided.bind(ids, Tensor::make<int64_t>({1, count}, which));
                const auto got = decided.of(found);
                if (!got) throw unsupported("what is written of its rows depends on more than their numbers");
                const auto at = static_cast<size_t>(row * columns);
                check_same(real.view<float>().subspan(at, static_cast<size_t>(count * columns)), *got, at);
            }
        }
        if (!any) throw Error(Exit::no, "is not in the file");
    }

    // What a Gather of the table reads and gives, in the file.
    std::pair<ValueId, ValueId> look_up(const Use& use) const {
        if (use.node != NodeId::none && use.index == 0 && made_.node(use.node).is(ops::Gather)) {
            const Node& node = made_.node(use.node);
            const ValueId ids = written_.find(made_.value(node.in[1]).name), found = written_.find(made_.value(node.out[0]).name);
            if (ids != ValueId::none && found != ValueId::none) return {ids, found};
        }
        throw unsupported("is written in a form that is not read back").with_hint("only its rows are called by a name there");
    }

    const Graph &source_, &made_, &written_;
};

std::string type_of(const Value& value) {
    if (value.enc && value.enc->format) return ggml_name(*value.enc->format);
    return value.storage() == DType::f32 ? "F32" : std::string(name_of(value.storage()));
}

}  // namespace

VerifiedWeights verify_weights(const Graph& source, const Graph& made, const Graph& written, const std::vector<std::string>& names) {
    VerifiedWeights out;
    Verifier verifier(source, made, written);
    for (const std::string& name : names) {
        if (!is_kept(source, name) || !is_kept(made, name)) {
            out.left_out.push_back(escape(name));
            continue;
        }
        at_place([&] { return fmt::format("tensor \"{}\"", escape(name)); }, [&] { verifier.check(name); });
        const Value& value = source.value(source.find(name));
        const std::string type = type_of(value);
        auto found = std::ranges::find(out.types, type, &VerifiedWeights::Type::name);
        if (found == out.types.end()) found = out.types.insert(found, {.name = type});
        ++found->tensors;
        found->elements += static_cast<uint64_t>(count_of(*value.type.shape.concrete()));
    }
    return out;
}

std::string verified_text(const VerifiedWeights& verified) {
    std::string out;
    for (const VerifiedWeights::Type& type : verified.types)
        out += fmt::format("verified     {:<13}{:>6} tensors {:>13} elements, greatest error 0\n", type.name, type.tensors, type.elements);
    if (!verified.left_out.empty())
        out += fmt::format("left out     {} tensors that the model that was read, or what was made of it, has not as constants: {}\n",
                           verified.left_out.size(), join(verified.left_out, ", "));
    return out;
}

}  // namespace quern
