// Encodings of values as QuantizeLinear and DequantizeLinear nodes (lower_encodings.h).
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "libcore/graph/grid.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"
#include "libcore/passes/onnx/lower_encodings.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/recognise/block_tables.h"

namespace quern {
namespace {

bool is_small(DType storage) { return bits_of(storage) < 8; }

// The least power of two that the codes are divided by to be int32.
double fitting_factor(std::span<const int64_t> codes) {
    double factor = 1;
    for (const int64_t code : codes)
        while (std::fabs(static_cast<double>(code)) / factor > INT32_MAX) factor *= 2;
    return factor;
}

class QdqWriter {
   public:
    QdqWriter(Graph& graph, int opset, StoredEnds stored, std::set<ValueId> standard)
        : graph_(graph), opset_(opset), stored_(stored), standard_(std::move(standard)) {}

    void run() {
        drop_recodes();
        std::vector<ValueId> encoded;
        for (size_t i = 0; i < graph_.value_count(); ++i)
            if (const auto id = static_cast<ValueId>(i); !graph_.value(id).erased && graph_.value(id).enc) encoded.push_back(id);
        for (const ValueId id : encoded) lower(id);
        graph_.sort();
    }

   private:
    // Does the value cross the interface as it is stored? What is an input and an output, too, does so only if both do.
    bool is_stored_end(ValueId id) const {
        const bool in = graph_.is_input(id), out = graph_.is_output(id);
        return (in || out) && (!in || stored_.inputs) && (!out || stored_.outputs);
    }

    // The value behind a Recode is its source in another encoding: Q and DQ of its own do that, or those of an output that is stored. Where
    // it is encoded otherwise it is its source.
    void drop_recodes() {
        for (const NodeId id : std::vector<NodeId>(graph_.order())) {
            Node& node = graph_.node(id);
            if (!node.is(ops::own::Recode)) continue;
            const auto& encoding = graph_.value(node.out[0]).enc;
            if (encoding && encoding->is_fixed() && is_scaled(encoding->storage) && !is_stored_end(node.out[0]))
                recode(id);
            else
                node.op = need_op(ops::Identity);
        }
    }

    void recode(NodeId id) {
        const ValueId from = graph_.node(id).in[0], to = graph_.node(id).out[0];
        const std::string node = graph_.node(id).name;
        const Encoding encoding = *graph_.value(to).enc;
        const Linear linear = linear_for(to, encoding);
        graph_.value(to).enc.reset();
        graph_.erase(id);
        quantize_dequantize(from, to, encoding, linear, graph_.value(to).name, node);
    }

    void lower(ValueId id) {
        const Encoding encoding = *graph_.value(id).enc;
        if (is_row_table(graph_, id)) {
            if (encoding.block > 0 || is_small(encoding.storage)) linear_for(id, encoding);  // throws where the opset has no such types
            return lower_row_table(graph_, id, standard_.contains(id));
        }
        graph_.value(id).enc.reset();
        if (!encoding.is_fixed()) throw unsupported("value \"{}\" has a dynamic encoding that no Recode makes", graph_.value(id).name);
        if (graph_.value(id).constant())
            lower_constant(id, encoding);
        else if (is_stored_end(id))
            lower_end(id, encoding);
        else if (!is_scaled(encoding.storage))
            lower_float(id, encoding);
        else
            lower_activation(id, encoding);
    }

    struct Linear {
        OpId quantize, dequantize;
    };
    Linear linear_for(ValueId id, const Encoding& e) const {
        const std::string& name = graph_.value(id).name;
        const bool narrow = bits_of(e.storage) == 8 || e.storage == DType::i32;
        if (e.block > 0 && opset_ < 21) throw unsupported("value \"{}\" is encoded in blocks, which needs opset 21", name);
        if (is_float(e.storage) && opset_ < 19)
            throw unsupported("value \"{}\" is stored in {}, which needs opset 19", name, name_of(e.storage));
        if (is_small(e.storage) && opset_ < 21)
            throw unsupported("value \"{}\" is stored in {}, which needs opset 21", name, name_of(e.storage));
        if (!e.per_tensor() && opset_ < 13) throw unsupported("value \"{}\" is encoded per channel, which needs opset 13", name);
        if (narrow || opset_ >= 21) return {ops::QuantizeLinear, ops::DequantizeLinear};
        return {ops::microsoft::QuantizeLinear, ops::microsoft::DequantizeLinear};
    }

    Attrs attributes(const Encoding& e) const {
        Attrs attrs;
        if (!e.per_tensor()) attrs["axis"] = static_cast<int64_t>(e.axis);
        if (e.block > 0) attrs["block_size"] = e.block;
        return attrs;
    }

    // Scale, in the type of the numbers, and zero point as constants; a zero point of int32 codes is 0 and left out, as is that of blocks,
    // but of int8, which onnxruntime makes unsigned where it is asked for exact sums.
    std::vector<ValueId> parameters(const std::string& name, const Encoding& e) {
        const Tensor scale = e.scale.dtype == e.real ? e.scale : from_floats(e.real, e.scale.dims, to_floats(e.scale));
        std::vector<ValueId> out{graph_.add_constant(name + "_scale", scale)};
        if ((e.storage == DType::i32 && e.symmetric()) || (e.block > 0 && !e.zero.defined() && e.storage != DType::i8)) return out;
        Tensor zero = e.zero;
        if (!zero.defined()) {
            const std::vector<int64_t> none(static_cast<size_t>(e.scale.count()), 0);
            zero = from_ints(e.storage, e.scale.dims, none);
        }
        out.push_back(graph_.add_constant(name + "_zero_point", zero));
        return out;
    }

    // ONNX dequantizes no int64: codes of wide biases are int32, at twice the scale, four times ... where they do not fit. Real numbers
    // will not do: onnxruntime's optimiser makes them int32 at the scale of the sums.
    void narrow(ValueId id, const Encoding& e) {
        const Tensor stored{e.storage, *graph_.value(id).type.shape.concrete(), *graph_.value(id).data};
        std::vector<int64_t> codes = to_ints(stored);
        std::vector<float> scales = to_floats(e.scale);
        const bool apart = scales.size() == codes.size();  // a scale for each code; else one factor for all
        std::vector<double> factors(scales.size(), fitting_factor(codes));
        for (size_t i = 0; i < codes.size(); ++i) {
            if (apart) factors[i] = fitting_factor(std::span(codes).subspan(i, 1));
            codes[i] = static_cast<int64_t>(std::nearbyint(static_cast<double>(codes[i]) / factors[apart ? i : 0]));
        }
        for (size_t s = 0; s < scales.size(); ++s) scales[s] *= static_cast<float>(factors[s]);
        graph_.value(id).data = from_ints(DType::i32, stored.dims, codes).data;
        lower_constant(id, make_encoding(DType::i32, from_floats(DType::f32, e.scale.dims, scales), {}, e.axis));
    }

    void lower_constant(ValueId id, const Encoding& e) {
        if (e.storage == DType::i64 && e.symmetric() && e.block == 0 && !e.min.defined()) return narrow(id, e);
        const std::string name = graph_.value(id).name;
        const Dims dims = *graph_.value(id).type.shape.concrete();
        const Tensor stored{e.storage, dims, *graph_.value(id).data};
        const ValueId codes =
            graph_.add_value(graph_.unique_name(name + "_quantized"), Type::tensor(e.storage, graph_.value(id).type.shape));
        graph_.value(codes).data = stored.data;
        graph_.value(id).data.reset();
        if (!is_scaled(e.storage)) {
            graph_.add_node(need_op(ops::Cast), graph_.unique_node_name(name + "_cast"), {codes}, {id},
                            {{"to", int64_t{row_of(e.real).onnx}}});
            return;
        }
        std::vector<ValueId> in{codes};
        for (const ValueId parameter : parameters(name, e)) in.push_back(parameter);
        const ValueId scaled = e.min.defined() ? graph_.add_value(graph_.unique_name(name + "_scaled"), graph_.value(id).type) : id;
        graph_.add_node(need_op(linear_for(id, e).dequantize), graph_.unique_node_name(name + "_DequantizeLinear"), std::move(in), {scaled},
                        attributes(e));
        if (e.min.defined()) add_minima(graph_, scaled, e, dims, id);
    }

    // Everything that reads `id` reads a new value instead; an output keeps its name by the inner value taking another.
    ValueId split(ValueId id, const char* suffix) {
        const std::string name = graph_.value(id).name;
        const ValueId after = graph_.add_value(graph_.unique_name(name + suffix), graph_.value(id).type);
        const bool output = graph_.is_output(id) && graph_.value(id).producer != NodeId::none;
        graph_.replace_uses(id, after);
        if (output) {
            const std::string other = graph_.value(after).name;
            graph_.rename(after, graph_.unique_name(other + "_"));
            graph_.rename(id, other);
            graph_.rename(after, name);
        }
        return after;
    }

    void lower_activation(ValueId id, const Encoding& e) {
        const std::string name = graph_.value(id).name;
        const Linear linear = linear_for(id, e);
        const ValueId after = split(id, "_DequantizeLinear");
        quantize_dequantize(id, after, e, linear, name, name + "_DequantizeLinear");
    }

    // `from` goes through codes into `to`; `name` is the value's that has the encoding, `last` the second node's.
    void quantize_dequantize(ValueId from, ValueId to, const Encoding& e, Linear linear, const std::string& name, const std::string& last) {
        const ValueId codes =
            graph_.add_value(graph_.unique_name(name + "_QuantizeLinear"), Type::tensor(e.storage, graph_.value(from).type.shape));
        const auto shared = parameters(name, e);
        add_linear(linear.quantize, name + "_QuantizeLinear", from, shared, codes, e);
        add_linear(linear.dequantize, last, codes, shared, to, e);
    }

    void add_linear(OpId op, const std::string& name, ValueId from, const std::vector<ValueId>& parameters, ValueId to, const Encoding& e) {
        std::vector<ValueId> in{from};
        in.insert(in.end(), parameters.begin(), parameters.end());
        graph_.add_node(need_op(op), graph_.unique_node_name(name), std::move(in), {to}, attributes(e));
    }

    void add_cast(const std::string& name, ValueId from, DType dtype, ValueId to) {
        graph_.add_node(need_op(ops::Cast), graph_.unique_node_name(name), {from}, {to}, {{"to", int64_t{row_of(dtype).onnx}}});
    }

    void lower_float(ValueId id, const Encoding& e) {
        const std::string name = graph_.value(id).name;
        const ValueId after = split(id, "_float");
        const ValueId narrow = graph_.add_value(graph_.unique_name(name + "_narrow"), Type::tensor(e.storage, graph_.value(id).type.shape));
        add_cast(name + "_narrow", id, e.storage, narrow);
        add_cast(name + "_float", narrow, e.real, after);
    }

    // An input or output that crosses the border as it is stored, under its name: what is behind it inside is a value of its own.
    void lower_end(ValueId id, const Encoding& e) {
        const std::string name = graph_.value(id).name;
        const auto linear = is_scaled(e.storage) ? std::optional(linear_for(id, e)) : std::nullopt;
        const bool given = graph_.is_input(id);
        graph_.rename(id, graph_.unique_name(name + "_float"));
        const ValueId stored = graph_.add_value(name, Type::tensor(e.storage, graph_.value(id).type.shape));
        ValueId inside = id;
        if (!given) {
            inside = graph_.add_value(graph_.unique_name(name + "_DequantizeLinear"), graph_.value(id).type);
            graph_.replace_uses(id, inside, true);
        }
        std::ranges::replace(graph_.inputs, id, stored);
        std::ranges::replace(graph_.outputs, id, stored);
        const bool read = given || !graph_.uses(inside).empty();
        if (!linear) {
            if (!given) add_cast(name + "_narrow", id, e.storage, stored);
            if (read) add_cast(name + "_float", stored, e.real, inside);
        } else {
            const auto shared = parameters(name, e);
            if (!given) add_linear(linear->quantize, name + "_QuantizeLinear", id, shared, stored, e);
            if (read) add_linear(linear->dequantize, name + "_DequantizeLinear", stored, shared, inside, e);
        }
        if (!read) graph_.erase(inside);
    }

    Graph& graph_;
    int opset_;
    StoredEnds stored_;
    std::set<ValueId> standard_;  // constants that the standard's operators say (docs/gguf.md)
};

std::set<ValueId> constants_in_blocks(const Graph& graph) {
    std::set<ValueId> all;
    for (size_t i = 0; i < graph.value_count(); ++i)
        if (const Value& value = graph.value(static_cast<ValueId>(i)); !value.erased && value.enc && value.enc->format)
            all.insert(static_cast<ValueId>(i));
    return all;
}

}  // namespace

void lower_encodings(Graph& graph, std::string_view form, int opset, StoredEnds stored) {
    std::map<std::string, std::set<ValueId>> standard;
    for_each_graph(graph, [&](Graph& g, const std::string& path) { standard[path] = constants_in_blocks(g); });
    unpack_blocks.run(graph);
    for_each_graph(graph, [&](Graph& g, const std::string& path) {
        lower_dynamic(g);
        QdqWriter(g, opset, &g == &graph ? stored : StoredEnds(), standard[path]).run();
        if (form == "qoperator") join_qoperators(g, opset);
    });
    infer_types(graph);
}

}  // namespace quern
