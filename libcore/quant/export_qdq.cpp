#include <algorithm>

#include "libcore/graph/op.h"
#include "libcore/quant/export.h"

namespace quern {
namespace {

bool is_small(DType storage) { return bits_of(storage) < 8; }

class QdqWriter {
   public:
    QdqWriter(Graph& graph, int opset) : graph_(graph), opset_(opset) {}

    void run() {
        drop_recodes();
        std::vector<ValueId> encoded;
        for (size_t i = 0; i < graph_.value_count(); ++i)
            if (const auto id = static_cast<ValueId>(i); !graph_.value(id).erased && graph_.value(id).enc) encoded.push_back(id);
        for (const ValueId id : encoded) lower(id);
        graph_.sort();
    }

   private:
    // The value behind a Recode is its source in another encoding: Q and DQ of its own do that.
    void drop_recodes() {
        for (const NodeId id : std::vector<NodeId>(graph_.order()))
            if (graph_.node(id).op->name == "Recode" && graph_.node(id).op->domain == "quern") graph_.node(id).op = need_op("Identity");
    }

    void lower(ValueId id) {
        const Encoding encoding = *graph_.value(id).enc;
        graph_.value(id).enc.reset();
        if (encoding.kind != Encoding::Kind::fixed)
            throw unsupported("value \"{}\" has a dynamic encoding that no Recode makes", graph_.value(id).name);
        if (graph_.value(id).constant())
            lower_constant(id, encoding);
        else if (is_float(encoding.storage))
            lower_float(id, encoding);
        else
            lower_activation(id, encoding);
    }

    std::string_view domain_for(ValueId id, const Encoding& e) const {
        const std::string& name = graph_.value(id).name;
        if (e.min.defined()) throw unsupported("value \"{}\" has an encoding with minima, which ONNX cannot say", name);
        const bool narrow = bits_of(e.storage) == 8 || e.storage == DType::i32;
        if (e.block > 0 && opset_ < 21) throw unsupported("value \"{}\" is encoded in blocks, which needs opset 21", name);
        if (is_small(e.storage) && opset_ < 21)
            throw unsupported("value \"{}\" is stored in {}, which needs opset 21", name, name_of(e.storage));
        if (e.axis >= 0 && opset_ < 13) throw unsupported("value \"{}\" is encoded per channel, which needs opset 13", name);
        return narrow || opset_ >= 21 ? "" : "com.microsoft";
    }

    Attrs attributes(const Encoding& e) const {
        Attrs attrs;
        if (e.axis >= 0) attrs["axis"] = static_cast<int64_t>(e.axis);
        if (e.block > 0) attrs["block_size"] = e.block;
        return attrs;
    }

    // Scale, in the type of the numbers, and zero point as constants; a zero point of int32 codes is 0 and left out.
    std::vector<ValueId> parameters(const std::string& name, const Encoding& e) {
        const Tensor scale = e.scale.dtype == e.real ? e.scale : from_floats(e.real, e.scale.dims, to_floats(e.scale));
        std::vector<ValueId> out{graph_.add_constant(name + "_scale", scale)};
        if (e.storage == DType::i32 && e.symmetric()) return out;
        Tensor zero = e.zero;
        if (!zero.defined()) {
            const std::vector<int64_t> none(static_cast<size_t>(e.scale.count()), 0);
            zero = from_ints(e.storage, e.scale.dims, none);
        }
        out.push_back(graph_.add_constant(name + "_zero_point", zero));
        return out;
    }

    // ONNX dequantizes no int64: codes of wide biases that fit are int32, others become the numbers they stand for.
    void narrow(ValueId id, const Encoding& e) {
        const Tensor stored{e.storage, *graph_.value(id).type.shape.concrete(), *graph_.value(id).data};
        const auto codes = to_ints(stored);
        const auto limits = int_range(DType::i32);
        if (std::any_of(codes.begin(), codes.end(), [&](int64_t code) { return code < limits.min || code > limits.max; })) {
            graph_.value(id).data = dequantize(stored, e).data;
            return;
        }
        graph_.value(id).data = from_ints(DType::i32, stored.dims, codes).data;
        lower_constant(id, make_encoding(DType::i32, e.scale, {}, e.axis));
    }

    void lower_constant(ValueId id, const Encoding& e) {
        if (e.storage == DType::i64 && e.symmetric() && e.block == 0 && !e.min.defined()) return narrow(id, e);
        const std::string name = graph_.value(id).name;
        const Tensor stored{e.storage, *graph_.value(id).type.shape.concrete(), *graph_.value(id).data};
        const ValueId codes =
            graph_.add_value(graph_.unique_name(name + "_quantized"), Type::tensor(e.storage, graph_.value(id).type.shape));
        graph_.value(codes).data = stored.data;
        graph_.value(id).data.reset();
        if (is_float(e.storage)) {
            graph_.add_node(need_op("Cast"), graph_.unique_node_name(name + "_cast"), {codes}, {id},
                            {{"to", int64_t{row_of(e.real).onnx}}});
            return;
        }
        std::vector<ValueId> in{codes};
        for (const ValueId parameter : parameters(name, e)) in.push_back(parameter);
        graph_.add_node(need_op("DequantizeLinear", domain_for(id, e)), graph_.unique_node_name(name + "_DequantizeLinear"), std::move(in),
                        {id}, attributes(e));
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
        const std::string_view domain = domain_for(id, e);
        const ValueId after = split(id, "_DequantizeLinear");
        const ValueId codes =
            graph_.add_value(graph_.unique_name(name + "_QuantizeLinear"), Type::tensor(e.storage, graph_.value(id).type.shape));
        const auto shared = parameters(name, e);
        std::vector<ValueId> quantize{id}, dequantize{codes};
        for (const ValueId parameter : shared) {
            quantize.push_back(parameter);
            dequantize.push_back(parameter);
        }
        graph_.add_node(need_op("QuantizeLinear", domain), graph_.unique_node_name(name + "_QuantizeLinear"), std::move(quantize), {codes},
                        attributes(e));
        graph_.add_node(need_op("DequantizeLinear", domain), graph_.unique_node_name(name + "_DequantizeLinear"), std::move(dequantize),
                        {after}, attributes(e));
    }

    void lower_float(ValueId id, const Encoding& e) {
        const std::string name = graph_.value(id).name;
        const ValueId after = split(id, "_float");
        const ValueId narrow = graph_.add_value(graph_.unique_name(name + "_narrow"), Type::tensor(e.storage, graph_.value(id).type.shape));
        graph_.add_node(need_op("Cast"), graph_.unique_node_name(name + "_narrow"), {id}, {narrow},
                        {{"to", int64_t{row_of(e.storage).onnx}}});
        graph_.add_node(need_op("Cast"), graph_.unique_node_name(name + "_float"), {narrow}, {after},
                        {{"to", int64_t{row_of(e.real).onnx}}});
    }

    Graph& graph_;
    int opset_;
};

}  // namespace

bool has_encodings(const Graph& graph) {
    bool any = false;
    for_each_graph(graph, [&](const Graph& g, const std::string&) {
        for (size_t i = 0; i < g.value_count(); ++i) {
            const Value& value = g.value(static_cast<ValueId>(i));
            any = any || (!value.erased && value.enc);
        }
    });
    return any;
}

void lower_encodings(Graph& graph, std::string_view form, int opset) {
    for_each_graph(graph, [&](Graph& g, const std::string&) {
        lower_dynamic(g);
        QdqWriter(g, opset).run();
        if (form == "qoperator") join_qoperators(g, opset);
    });
    infer_types(graph);
}

}  // namespace quern
