// The MLP of a layer as a mixture of experts: a router chooses some of them for each token. No standard operator picks matrices that are in
// blocks, so all are multiplied, by zeros where a token did not choose them: kernels that see them leave them out.
#include "formats/gguf/layer.h"
#include "libcore/graph/op_ids.h"

namespace quern::gguf {
namespace {

constexpr double least_sum = 0x1p-14;  // of shares, where they are brought to 1; ggml's

}  // namespace

// How much each expert counts for each token: [batch, sequence, experts].
ValueId LayerBuilder::shares(ValueId x) {
    const ValueId logits = linear(x, in_layer("ffn_gate_inp"), hyper_.experts, hyper_.embedding);
    const ValueId all = net_.add(ops::Softmax, in_layer("ffn_shares"), {logits}, {{"axis", int64_t{-1}}});
    ValueId wanted = all;  // by which experts are chosen; they count by their shares alone
    if (weights_.has(in_layer("exp_probs_b.bias")))
        wanted = net_.add(ops::Add, in_layer("ffn_wanted"), {all, weights_.vector(in_layer("exp_probs_b.bias"), {hyper_.experts})});
    const auto top =
        net_.add_several(ops::TopK, in_layer("ffn_top"), {wanted, net_.integers({hyper_.experts_used}, in_layer("ffn_top.count"))},
                         {in_layer("ffn_top_shares"), in_layer("ffn_top_experts")}, {{"axis", int64_t{-1}}});
    ValueId chosen = top[0];
    if (wanted != all) chosen = net_.add(ops::GatherElements, in_layer("ffn_wanted_shares"), {all, top[1]}, {{"axis", int64_t{-1}}});
    if (hyper_.architecture->whole_shares) {
        const ValueId sum = net_.add(ops::ReduceSum, in_layer("ffn_top_sum"), {chosen, net_.integers({-1}, in_layer("ffn_top_sum.axes"))});
        const ValueId divisor = net_.add(ops::Max, in_layer("ffn_top_divisor"), {sum, net_.number(in_layer("ffn_top.least"), least_sum)});
        chosen = net_.add(ops::Div, in_layer("ffn_top_whole"), {chosen, divisor});
    }
    const ValueId dims = net_.add(ops::Shape, in_layer("ffn_shares.shape"), {all});
    const ValueId none = net_.add(ops::ConstantOfShape, in_layer("ffn_shares.none"), {dims});
    return net_.add(ops::ScatterElements, in_layer("ffn_chosen"), {none, top[1], chosen}, {{"axis", int64_t{-1}}});
}

// Of all tokens, as every token's other MLP has it; some turn it down by a gate.
ValueId LayerBuilder::shared_expert(ValueId x) {
    const int64_t outer = hyper_.embedding, inner = weights_.rows(in_layer("ffn_up_shexp.weight"), 2);
    const ValueId gate = linear(x, in_layer("ffn_gate_shexp"), inner, outer), up = linear(x, in_layer("ffn_up_shexp"), inner, outer);
    const ValueId gated = net_.add(ops::Mul, in_layer("ffn_shared_gated"), {activated(gate, "ffn_shared_act"), up});
    const ValueId y = linear(gated, in_layer("ffn_down_shexp"), outer, inner);
    if (!weights_.has(in_layer("ffn_gate_inp_shexp.weight"))) return y;
    const ValueId share = net_.add(ops::Sigmoid, in_layer("ffn_shared_share"), {linear(x, in_layer("ffn_gate_inp_shexp"), 1, outer)});
    return net_.add(ops::Mul, in_layer("ffn_shared"), {y, share});
}

ValueId LayerBuilder::mixture(ValueId x) {
    if (hyper_.experts == 0)
        throw bad_input("tensor \"{}\" chooses among experts, the metadata have none", in_layer("ffn_gate_inp.weight"));
    const int64_t outer = hyper_.embedding, inner = weights_.rows(in_layer("ffn_up_exps.weight"), 3);
    const auto product = [&](ValueId data, std::string_view name, int64_t rows, int64_t columns) {
        const std::string tensor = in_layer(name);
        return net_.add(ops::MatMul, tensor, {data, weights_.stack(tensor + ".weight", hyper_.experts, rows, columns)});
    };
    const ValueId turned = net_.add(ops::Transpose, in_layer("ffn_chosen_turned"), {shares(x)}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
    const ValueId factors = net_.add(ops::Unsqueeze, in_layer("ffn_factors"), {turned, net_.integers({-1}, in_layer("ffn_factors.axes"))});
    const ValueId is_chosen = net_.add(ops::Sign, in_layer("ffn_is_chosen"), {factors});
    const ValueId all = net_.add(ops::Unsqueeze, in_layer("ffn_tokens"), {x, net_.integers({1}, in_layer("ffn_tokens.axes"))});
    const ValueId tokens = net_.add(ops::Mul, in_layer("ffn_own_tokens"), {all, is_chosen});  // [batch, experts, sequence, embedding]
    const ValueId gate = product(tokens, "ffn_gate_exps", inner, outer), up = product(tokens, "ffn_up_exps", inner, outer);
    const ValueId gated = net_.add(ops::Mul, in_layer("ffn_gated"), {activated(gate, "ffn_act"), up});
    const ValueId each = product(gated, "ffn_down_exps", outer, inner);
    const ValueId parts = net_.add(ops::Mul, in_layer("ffn_parts"), {each, factors});
    const ValueId y = net_.add(ops::ReduceSum, in_layer("ffn_mixture"), {parts, net_.integers({1}, in_layer("ffn_mixture.axes"))},
                               {{"keepdims", int64_t{0}}});
    if (!weights_.has(in_layer("ffn_up_shexp.weight"))) return y;
    return net_.add(ops::Add, in_layer("ffn_all"), {y, shared_expert(x)});
}

}  // namespace quern::gguf
