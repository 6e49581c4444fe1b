// Attributes that contradict the shapes of their operands are refused when types are inferred, by whoever reads the model: writers, targets
// and generators rely on what inference says.
#include <boost/test/unit_test.hpp>

#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"

using namespace quern;

namespace {

struct Operand {
    Dims dims;
    DType dtype = DType::f32;
};

// The message of inference, "" if it takes the node. Operands without dims are absent.
std::string refusal(OpId op, const std::vector<Operand>& operands, Attrs attrs) {
    Graph graph;
    std::vector<ValueId> in, out;
    for (const Operand& operand : operands) {
        in.push_back(operand.dims.empty()
                         ? ValueId::none
                         : graph.add_value("x" + std::to_string(in.size()), Type::tensor(operand.dtype, Shape::of(operand.dims))));
        if (in.back() != ValueId::none) graph.inputs.push_back(in.back());
    }
    const Op* row = need_op(op);
    for (size_t i = 0; i < std::max<size_t>(1, row->out.min); ++i) out.push_back(graph.add_value("y" + std::to_string(i), Type{}));
    graph.outputs = out;
    graph.add_node(row, "node", in, out, std::move(attrs));
    try {
        infer_types(graph);
    } catch (const Error& error) {
        BOOST_TEST((error.exit() == Exit::bad_input), op.name << ": " << error.message());
        return error.message();
    }
    return "";
}

struct Case {
    OpId op;
    std::vector<Operand> operands;
    Attrs fits, contradicts;
};

}  // namespace

BOOST_AUTO_TEST_CASE(attributes_agree_with_operands_when_types_are_inferred) {
    const auto one = [](const char* name, int64_t number) { return Attrs{{name, number}}; };
    const auto heads = [](int64_t q, int64_t kv) { return Attrs{{"q_num_heads", q}, {"kv_num_heads", kv}}; };
    const auto grouped = [](int64_t q, int64_t kv) { return Attrs{{"num_heads", q}, {"kv_num_heads", kv}}; };
    const auto blocks = [](int64_t n) { return Attrs{{"K", int64_t{32}}, {"N", n}, {"bits", int64_t{4}}, {"block_size", int64_t{32}}}; };
    const Operand x{{2, 1, 4}}, tokens{{1, 5, 12}}, image{{1, 6, 8, 8}}, six{{6}}, index{{1}, DType::i32};
    constexpr int64_t huge = int64_t{1} << 40;
    for (const Case& c : std::vector<Case>{
             {ops::LSTM, {x, {{1, 16, 4}}, {{1, 16, 4}}}, one("hidden_size", 4), one("hidden_size", huge)},
             {ops::GRU, {x, {{1, 12, 4}}, {{1, 12, 4}}}, one("hidden_size", 4), one("hidden_size", 5)},
             {ops::RNN, {x, {{1, 4, 4}}, {{1, 4, 4}}}, one("hidden_size", 4), one("hidden_size", 1)},
             {ops::Conv, {image, {{6, 3, 3, 3}}}, one("group", 2), one("group", 3)},
             {ops::Conv,
              {image, {{6, 6, 3, 3}}},
              {{"kernel_shape", std::vector<int64_t>{3, 3}}},
              {{"kernel_shape", std::vector<int64_t>{5, 5}}}},
             {ops::ConvTranspose, {image, {{6, 3, 3, 3}}}, one("group", 2), one("group", 4)},
             {ops::DeformConv, {image, {{6, 6, 3, 3}}, {{1, 36, 6, 6}}}, one("offset_group", 2), one("offset_group", 4)},
             {ops::GroupNormalization, {image, six, six}, one("num_groups", 3), one("num_groups", 4)},
             {ops::Attention, {tokens, tokens, tokens}, heads(4, 4), heads(5, 4)},
             {ops::Attention, {tokens, {{1, 5, 6}}, {{1, 5, 6}}}, heads(4, 2), heads(3, 2)},
             {ops::microsoft::Attention, {tokens, {{12, 36}}}, one("num_heads", 4), one("num_heads", 5)},
             {ops::microsoft::MultiHeadAttention, {tokens, tokens, tokens}, one("num_heads", 4), one("num_heads", 5)},
             {ops::microsoft::GroupQueryAttention, {tokens, {{1, 5, 6}}, {{1, 5, 6}}, {}, {}, index, index}, grouped(4, 2), grouped(4, 3)},
             {ops::microsoft::GroupQueryAttention, {tokens, {{1, 5, 6}}, {{1, 5, 6}}, {}, {}, index, index}, grouped(4, 2), grouped(8, 4)},
             {ops::microsoft::GatherBlockQuantized, {{{8, 32}, DType::u8}, index, {{8, 2}}}, one("gather_axis", -2), one("gather_axis", 2)},
             {ops::microsoft::MatMulNBits, {{{1, 32}}, {{8, 1, 16}, DType::u8}, {{8}}}, blocks(8), blocks(huge)},
             {ops::own::SVDF, {{{1, 4}}, {{6, 4}}, {{6, 3}}, {{1, 18}}}, one("rank", 2), one("rank", 4)},
             {ops::DepthToSpace, {{{1, 12, 2, 2}}}, one("blocksize", 2), one("blocksize", 3)},
             {ops::SpaceToDepth, {image}, one("blocksize", 2), one("blocksize", 3)},
         }) {
        BOOST_TEST(refusal(c.op, c.operands, c.fits) == "", c.op.name);
        BOOST_TEST(refusal(c.op, c.operands, c.contradicts) != "", c.op.name);
    }
}

BOOST_AUTO_TEST_CASE(recurrent_operands_agree_when_types_are_inferred) {
    const Operand x{{2, 1, 4}}, w{{1, 16, 4}}, r{{1, 16, 4}};
    BOOST_TEST(refusal(ops::LSTM, {x, w, r, {{1, 32}}, {}, {{1, 1, 4}}, {{1, 1, 4}}, {{1, 12}}}, {}) == "");
    BOOST_TEST(refusal(ops::LSTM, {x, {{1, 16, 5}}, r}, {}) != "");
    BOOST_TEST(refusal(ops::LSTM, {x, {{2, 16, 4}}, r}, {}) != "");
    BOOST_TEST(refusal(ops::LSTM, {x, w, {{1, 12, 4}}}, {}) != "");
    BOOST_TEST(refusal(ops::LSTM, {x, w, r, {{1, 16}}}, {}) != "");
    BOOST_TEST(refusal(ops::LSTM, {x, w, r, {{1, 32}}, {}, {{1, 2, 4}}}, {}) != "");
    BOOST_TEST(refusal(ops::LSTM, {x, w, r, {{1, 32}}, {}, {}, {}, {{1, 4}}}, {}) != "");
}
