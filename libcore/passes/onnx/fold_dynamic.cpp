#include "libcore/passes/onnx/fold_dynamic.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/onnx/dynamic_spelling.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

// Where an integer product has its operands. `a_scale` 0: scales are multiplied behind it; `a_zero` 0: A is quantized by the operator.
struct Form {
    OpId op, plain;
    size_t a_zero, b_zero, a_scale, b_scale, bias;
};
constexpr std::array forms{
    Form{ops::MatMulInteger, ops::MatMul, 2, 3, 0, 0, 0},
    Form{ops::ConvInteger, ops::Conv, 2, 3, 0, 0, 0},
    Form{ops::microsoft::MatMulIntegerToFloat, ops::MatMul, 4, 5, 2, 3, 6},
    Form{ops::microsoft::DynamicQuantizeMatMul, ops::MatMul, 0, 3, 0, 2, 4},
};

const Form* form_of(const Node& node) {
    const auto found = std::find_if(forms.begin(), forms.end(), [&](const Form& form) { return node.is(form.op); });
    return found == forms.end() ? nullptr : &*found;
}

// One operand of a product: the codes of a DynamicQuantizeLinear, or constant codes whose scale is found on the way.
struct Operand {
    ValueId codes = ValueId::none, zero = ValueId::none;
    ValueId scale = ValueId::none;   // none: still to be found
    ValueId source = ValueId::none;  // the real numbers behind dynamic codes; none: constant codes
    Encoding encoding = {};          // of dynamic codes
    bool dynamic() const { return source != ValueId::none; }
};

struct Chain {
    const Form* form;
    NodeId product;
    ValueId result;  // float32
    Operand a, b;
};

class DynamicFolder {
   public:
    explicit DynamicFolder(Graph& graph) : graph_(graph) {}

    int run() {
        uses_ = graph_.all_uses();
        uses_.resize(graph_.value_count());
        const std::vector<NodeId> order = graph_.order();
        for (const NodeId id : order)
            if (!graph_.node(id).erased && graph_.node(id).is(ops::DequantizeLinear)) fold_dequantize(id);
        for (const NodeId id : order)
            if (!graph_.node(id).erased && form_of(graph_.node(id)))
                if (const auto chain = chain_from(id)) fold(*chain);
        if (changes_ > 0) graph_.sort();
        return changes_;
    }

   private:
    bool plain_constant(ValueId id) const { return id != ValueId::none && graph_.value(id).constant() && !graph_.value(id).enc; }

    // ---- finding -----------------------------------------------------------------------------------------------------

    // Are these the three results of one DynamicQuantizeLinear, or what stands for it? The value that it quantizes, and how.
    std::optional<std::pair<ValueId, Encoding>> quantized_by(ValueId codes, ValueId scale, ValueId zero) const {
        if (scale == ValueId::none || zero == ValueId::none) return std::nullopt;
        if (const Node* node = made_by(graph_, codes, ops::DynamicQuantizeLinear)) {
            if (zero != node->out[2] || scale != node->out[1]) return std::nullopt;
            return std::pair(node->in[0], dynamic_codes(DType::u8));
        }
        const Node* node = made_by(graph_, codes, ops::QuantizeLinear);
        if (!node || node->in[1] != scale || input_of(*node, 2) != zero) return std::nullopt;
        const auto encoding = spelled_dynamic(graph_, node->in[0], scale, zero);
        return encoding ? std::optional(std::pair(node->in[0], *encoding)) : std::nullopt;
    }

    // What a node that quantizes gives as the scale of its codes.
    ValueId scale_beside(ValueId codes) const {
        if (const Node* node = made_by(graph_, codes, ops::DynamicQuantizeLinear)) return node->out[1];
        const Node* node = made_by(graph_, codes, ops::QuantizeLinear);
        return node ? node->in[1] : ValueId::none;
    }

    std::optional<Operand> operand_of(ValueId codes, ValueId zero, ValueId scale) const {
        Operand out{codes, zero, scale};
        if (plain_constant(codes)) {
            const bool fits = (zero == ValueId::none || plain_constant(zero)) && (scale == ValueId::none || plain_constant(scale));
            return fits ? std::optional(out) : std::nullopt;
        }
        if (scale == ValueId::none) out.scale = scale_beside(codes);
        const auto found = quantized_by(codes, out.scale, zero);
        if (!found) return std::nullopt;
        std::tie(out.source, out.encoding) = *found;
        return out;
    }

    std::optional<Chain> chain_from(NodeId id) const {
        const Node& node = graph_.node(id);
        const Form& form = *form_of(node);
        const auto input = [&](size_t i) { return i == 0 ? ValueId::none : input_of(node, i); };
        const bool real_a = form.a_zero == 0;  // and quantized by the operator
        const auto a = real_a ? Operand{ValueId::none, ValueId::none, ValueId::none, node.in[0], dynamic_codes(DType::u8)}
                              : operand_of(node.in[0], input(form.a_zero), input(form.a_scale));
        const auto b = operand_of(node.in[1], input(form.b_zero), input(form.b_scale));
        if (!a || !b || (!a->dynamic() && !b->dynamic()) || (form.plain == ops::Conv && !a->dynamic())) return std::nullopt;
        Chain chain{&form, id, node.out[0], *a, *b};
        if (form.b_scale == 0 && !find_scales(chain)) return std::nullopt;
        return fits(chain) ? std::optional(chain) : std::nullopt;
    }

    // The node that alone reads this value.
    const Node* only_reader(ValueId id, OpId op) const {
        const Use* use = only_use(uses_[index_of(id)]);
        if (!use || graph_.node(use->node).erased || !graph_.node(use->node).is(op)) return nullptr;
        return &graph_.node(use->node);
    }

    // Walks from the sums over Cast to the Mul that takes the last scale.
    bool find_scales(Chain& chain) const {
        const Node* cast = only_reader(chain.result, ops::Cast);
        if (!cast || NodeView(*cast).integer("to") != row_of(DType::f32).onnx) return false;
        ValueId at = cast->out[0];
        std::vector<ValueId> open{chain.a.scale, chain.b.scale};  // none: of a constant, still unknown
        while (!open.empty()) {
            const Node* mul = only_reader(at, ops::Mul);
            if (!mul || mul->in[0] == mul->in[1]) return false;
            const ValueId factor = mul->in[mul->in[0] == at ? 1 : 0];
            if (!take(chain, open, factor)) {
                const Node* product = made_by(graph_, factor, ops::Mul);
                if (!product || !take(chain, open, product->in[0]) || !take(chain, open, product->in[1])) return false;
            }
            at = mul->out[0];
        }
        chain.result = at;
        return true;
    }

    bool take(Chain& chain, std::vector<ValueId>& open, ValueId factor) const {
        auto found = std::find(open.begin(), open.end(), factor);
        if (found == open.end() && plain_constant(factor)) {
            found = std::find(open.begin(), open.end(), ValueId::none);
            if (found != open.end()) (chain.a.dynamic() ? chain.b : chain.a).scale = factor;
        }
        if (found == open.end()) return false;
        open.erase(found);
        return true;
    }

    // ---- can it be said? ----------------------------------------------------------------------------------------------

    const Shape& shape_of(ValueId id) const { return graph_.value(id).type.shape; }

    bool fits(const Chain& chain) const {
        if (graph_.value(chain.result).enc) return false;
        if (const ValueId bias = bias_of(chain); bias != ValueId::none && (!shape_of(bias).ranked || shape_of(bias).rank() != 1))
            return false;
        if (chain.a.dynamic() && chain.b.dynamic()) return true;
        return encoding_of(chain).has_value();
    }

    ValueId bias_of(const Chain& chain) const {
        return chain.form->bias ? input_of(graph_.node(chain.product), chain.form->bias) : ValueId::none;
    }

    // Is this a number for the whole tensor or one per channel of the weights, placed so that it meets its channel in the result?
    bool lies_along(const Chain& chain, ValueId id, size_t channel_axis, bool behind) const {
        const Dims dims = graph_.constant(id)->dims;
        const Shape& sums = shape_of(graph_.node(chain.product).out[0]);
        const bool keeps_rank = !behind || dims.empty() || (sums.ranked && dims.size() <= sums.rank());
        if (count_of(dims) == 1) return keeps_rank;
        const Dims weights = *shape_of(chain.b.codes).concrete();
        const size_t rank = weights.size();
        if (rank < 2 || count_of(dims) != weights[channel_axis]) return false;
        if (!behind) return dims.size() == 1;
        // As it broadcasts: the channel is the last dim of a matrix product, dim 1 of a convolution.
        const size_t from_end = chain.form->plain == ops::Conv ? rank - 1 : 1;
        return dims.size() >= from_end && dims[dims.size() - from_end] == count_of(dims) && keeps_rank;
    }

    // Of the operand that is constant.
    std::optional<Encoding> encoding_of(const Chain& chain) const {
        const bool weights = !chain.b.dynamic(), behind = chain.form->b_scale == 0;
        const Operand& constant = weights ? chain.b : chain.a;
        Tensor scale = *graph_.constant(constant.scale);
        Tensor zero = constant.zero == ValueId::none ? Tensor() : *graph_.constant(constant.zero);
        const DType storage = graph_.value(constant.codes).type.dtype;
        if (storage != DType::i8 && storage != DType::u8) return std::nullopt;
        if (scale.dtype != DType::f32 || (zero.defined() && zero.dtype != storage)) return std::nullopt;
        if (scale.count() < 1 || (zero.defined() && zero.count() < 1)) return std::nullopt;
        const bool single = scale.count() == 1 && (!zero.defined() || zero.count() == 1);
        if (!weights && !single) return std::nullopt;
        const Dims dims = *shape_of(constant.codes).concrete();
        const size_t axis = chain.form->plain == ops::Conv || dims.empty() ? 0 : dims.size() - 1;
        if (!lies_along(chain, constant.scale, axis, behind)) return std::nullopt;
        if (zero.defined() && !lies_along(chain, constant.zero, axis, false)) return std::nullopt;
        if (single) {
            scale.dims.clear();
            if (zero.defined()) zero.dims.clear();
            return make_encoding(storage, scale, zero);
        }
        return make_encoding(storage, spread(scale, dims[axis]), zero.defined() ? spread(zero, dims[axis]) : zero, static_cast<int>(axis));
    }

    // As many numbers as channels.
    static Tensor spread(Tensor tensor, int64_t channels) {
        if (tensor.count() == channels) {
            tensor.dims = {channels};
            return tensor;
        }
        if (tensor.dtype == DType::f32)
            return Tensor::vector<float>(std::vector<float>(static_cast<size_t>(channels), to_floats(tensor)[0]));
        return from_ints(tensor.dtype, {channels}, std::vector<int64_t>(static_cast<size_t>(channels), to_ints(tensor)[0]));
    }

    // ---- rewriting ----------------------------------------------------------------------------------------------------

    // The name behind that of codes: "x_codes" and "x_quantized" give "x", or if that is taken "x_dynamic". Other names give `fallback`.
    std::string real_name(const std::string& name, const char* otherwise, const std::string& fallback) const {
        if (const auto stem = name_behind_codes(name))
            return graph_.find(*stem) == ValueId::none ? *stem : graph_.unique_name(*stem + otherwise);
        return graph_.unique_name(fallback);
    }

    // A DequantizeLinear of all three results is a Recode.
    void fold_dequantize(NodeId id) {
        const Node& node = graph_.node(id);
        const auto found = quantized_by(node.in[0], node.in[1], input_of(node, 2));
        const ValueId real = node.out[0];
        if (!found || graph_.value(real).enc || graph_.value(real).type.dtype != DType::f32) return;
        if (NodeView(node).integer("block_size") != 0) return;
        const ValueId codes = node.in[0];
        take_over(graph_, real, need_op(ops::own::Recode), {found->first});
        graph_.value(real).enc = found->second;
        recodes_.emplace(Kind{found->first, found->second.storage, found->second.qmin}, real);
        erase_unread(graph_, codes);
        ++changes_;
    }

    ValueId recoded(const Operand& operand, NodeId before) {
        const Kind kind{operand.source, operand.encoding.storage, operand.encoding.qmin};
        if (const auto found = recodes_.find(kind); found != recodes_.end()) return found->second;
        const std::string codes = operand.codes == ValueId::none ? "" : graph_.value(operand.codes).name;
        const std::string name = real_name(codes, "_dynamic", graph_.value(operand.source).name + "_dynamic");
        const ValueId out = graph_.add_value(name, graph_.value(operand.source).type);
        graph_.value(out).enc = operand.encoding;
        graph_.add_node(need_op(ops::own::Recode), graph_.unique_node_name(name + "_Recode"), {operand.source}, {out}, {}, before);
        return recodes_[kind] = out;
    }

    ValueId decoded(const Chain& chain, const Operand& operand) {
        const Encoding encoding = *encoding_of(chain);
        for (const ValueId made : made_[operand.codes])
            if (*graph_.value(made).enc == encoding) return made;
        const std::string codes = graph_.value(operand.codes).name;
        const std::string name = real_name(codes, "_weights", codes + "_real");
        const ValueId out = graph_.add_value(name, Type::tensor(DType::f32, shape_of(operand.codes)));
        graph_.value(out).data = graph_.value(operand.codes).data;
        graph_.value(out).enc = encoding;
        made_[operand.codes].push_back(out);
        return out;
    }

    void fold(const Chain& chain) {
        const std::string name = name_behind_integers(graph_.node(chain.product).name);
        const Attrs attrs = graph_.node(chain.product).attrs;
        const ValueId bias = bias_of(chain);
        const auto real = [&](const Operand& operand) {
            return operand.dynamic() ? recoded(operand, chain.product) : decoded(chain, operand);
        };
        std::vector<ValueId> in{real(chain.a), real(chain.b)}, unread{chain.a.codes, chain.b.codes};
        const std::vector<ValueId> old = graph_.node(graph_.value(chain.result).producer).in;
        unread.insert(unread.end(), old.begin(), old.end());
        NodeId made = NodeId::none;
        if (bias != ValueId::none) {
            const Value& result = graph_.value(chain.result);
            const ValueId product = graph_.add_value(graph_.unique_name(result.name + "_scaled"), result.type);
            take_over(graph_, chain.result, need_op(ops::Add), {product, bias});
            made = graph_.add_node(need_op(chain.form->plain), graph_.unique_node_name(name + "_product"), std::move(in), {product}, attrs);
        } else {
            made = take_over(graph_, chain.result, need_op(chain.form->plain), std::move(in), attrs);
        }
        for (const ValueId id : unread)
            if (id != ValueId::none && !graph_.value(id).erased) erase_unread(graph_, id);
        graph_.node(made).device = graph_.node(graph_.value(chain.result).producer).device;
        if (graph_.find_node(name) == NodeId::none) graph_.rename(made, name);
        ++changes_;
    }

    Graph& graph_;
    std::vector<std::vector<Use>> uses_;
    using Kind = std::tuple<ValueId, DType, int64_t>;  // a real value, the storage of its codes and the least of them
    std::map<Kind, ValueId> recodes_;                  // the same in a dynamic encoding
    std::map<ValueId, std::vector<ValueId>> made_;     // constant codes -> the real constants made of them
    int changes_ = 0;
};

}  // namespace

int fold_dynamic(Graph& graph) { return DynamicFolder(graph).run(); }

}  // namespace quern
