// Which float operators have a com.microsoft operator on codes, and how that one spells their operands.
#pragma once

#include <optional>
#include <string_view>

#include "libcore/graph/op.h"

namespace quern {

struct QLinearForm {
    enum class Order : uint8_t {
        operands_then_output,  // (x, scale, zero) of each operand, then the output's scale and zero
        output_then_operands,
        condition_first,  // the first operand is not a number and comes alone
    };
    std::string_view op, qlinear;
    Order order = Order::operands_then_output;
};

// nullptr: the node is no such operator, or has attributes that the operator on codes cannot say.
const QLinearForm* qlinear_form_of(const Node& node);
// Does its operator on codes give all results? That of a Softmax wraps around beyond the greatest number, which has to reach 1.
bool holds_results(const Node& node, const Encoding& out);
// On x86 onnxruntime makes uint8 of the int8 codes between operators that one operator alone reads, and of no others; its Softmax on codes
// takes and makes codes of one type. Is this Softmax between two? It computes in float then. What its attribute says (integer) holds: that
// of a part, which lacks readers that the whole graph has; stated_between_types() is none where there is no such attribute.
inline constexpr const char* between_types_key = "between_types";
std::optional<bool> stated_between_types(const Node& softmax);
bool is_between_types(const Graph& graph, const Node& node);
// Has the operator, whatever its attributes are, one on codes?
bool has_qlinear_operator(const Op& op);
// The form that a com.microsoft operator has, nullptr if it is none.
const QLinearForm* qlinear_form_named(std::string_view qlinear);

// The attributes of `node` as its operator on codes spells them.
Attrs qlinear_attributes(const Node& node);
// The attributes of a com.microsoft operator as the float operator spells them.
Attrs plain_attributes(const Node& qlinear);

// Does the operator do the same to codes as to numbers, and does it take int8 and uint8 in this opset of ONNX?
bool moves_codes(const Op& op, int opset);

// What the kernels of libcore/integer take beside codes: factors of both operands and the zero points in steps of the result; the whole
// exponentials of -255 to 0 steps.
struct QLinearSum {
    float a, b, fixed;
    QLinearSum(float a_scale, int64_t a_zero, float b_scale, int64_t b_zero, float scale, int64_t zero);
};
std::vector<uint32_t> qlinear_exponentials(float scale, int64_t length);

}  // namespace quern
