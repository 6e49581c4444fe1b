// Operators that compute: the way back from map/arithmetic.cpp, map/reduce.cpp, map/spatial.cpp and map/spectrum.cpp.
#include <array>

#include "formats/tflite/lower/fused.h"
#include "formats/tflite/write/restore.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/shared.h"

namespace quern::tflite_format {
namespace {

bool floor_mod(Parts& at) {
    const Node* rest = made_by(at.graph(), at.anchor().in[2], ops::Mod);
    return rest && NodeView(*rest).integer("fmod") != 0;
}

// The remainder of whole numbers has the sign of the divisor there; a power of two apart is the same quotient.
bool whole_floor_div(Parts& at) { return is_integer(at.type(at.out[0]).dtype); }

bool softmax(Parts& at) {
    const Ints dims = at.dims(at.out[0]);
    const int64_t axis = NodeView(at.anchor()).integer("axis");
    if (dims.empty() || (axis != -1 && axis + 1 != static_cast<int64_t>(dims.size()))) return false;
    const Node* scaled = at.before(at.anchor().in[0], ops::Mul);
    const auto beta = scaled ? scalar_of(at.graph(), scaled->in[1]) : std::nullopt;
    if (!beta || !at.dims(scaled->in[1]).empty()) return false;
    at.in = {scaled->in[0]};
    at.options = {{"beta", *beta}};
    return true;
}

bool l2_pool(Parts& at) {
    const Node* mean = made_by(at.graph(), at.anchor().in[0], ops::AveragePool);
    const NodeView view(*mean);
    const Ints kernel = view.integers("kernel_shape");
    Ints strides = view.integers("strides");
    if (view.text("layout") != "NHWC" || kernel.size() != 2 || at.dims(at.in[0]).size() != 4) return false;
    const auto plain = [&](std::string_view name, int64_t item) {
        for (const int64_t i : view.integers(name))
            if (i != item) return false;
        return true;
    };
    const bool same = view.text("auto_pad") == "SAME_UPPER";
    if (!plain("pads", 0) || !plain("dilations", 1) || view.integer("ceil_mode") != 0 || view.text("auto_pad") == "SAME_LOWER" ||
        (same && view.integer("count_include_pad") != 0))
        return false;
    if (strides.empty()) strides = {1, 1};
    at.options = {{"padding", std::string(same ? "SAME" : "VALID")},
                  {"stride_h", strides[0]},
                  {"stride_w", strides[1]},
                  {"filter_height", kernel[0]},
                  {"filter_width", kernel[1]},
                  {"fused_activation_function", activation_behind(at)}};
    return true;
}

bool l2_normalization(Parts& at) {
    at.options = {{"fused_activation_function", activation_behind(at)}};
    return true;
}

// decompose::atan2
#define QUERN_BELOW(v) "Or(Less(" v ",0),Less(Reciprocal(" v "),0))"
#define QUERN_GREAT "Max(Abs(b),Abs(a))"
#define QUERN_SMALL "Min(Abs(b),Abs(a))"
#define QUERN_FLAT \
    "Atan(Where(Equal(" QUERN_GREAT ",0),0,Where(Equal(" QUERN_SMALL "," QUERN_GREAT "),1,Div(" QUERN_SMALL "," QUERN_GREAT "))))"
#define QUERN_STEEP "Where(Less(Abs(b),Abs(a)),Sub(1.5707964," QUERN_FLAT ")," QUERN_FLAT ")"
#define QUERN_SIZE "Abs(Where(" QUERN_BELOW("b") ",Sub(3.1415927," QUERN_STEEP ")," QUERN_STEEP "))"
constexpr std::string_view atan2_form = "Where(" QUERN_BELOW("a") ",Neg(" QUERN_SIZE ")," QUERN_SIZE ")";
#undef QUERN_SIZE
#undef QUERN_STEEP
#undef QUERN_FLAT
#undef QUERN_SMALL
#undef QUERN_GREAT
#undef QUERN_BELOW

constexpr std::array arithmetic_table{
    RestoreRow{Code::ATAN2, atan2_form},
    RestoreRow{Code::FLOOR_DIV, "Floor(Div(a,b))"},
    RestoreRow{Code::FLOOR_DIV, "Div(Sub(a,Mod(a,b)),b)", whole_floor_div},
    RestoreRow{Code::FLOOR_MOD, "Where(And(Xor(Less(Mod(a,b),0),Less(b,0)),Not(Equal(Mod(a,b),0))),Add(Mod(a,b),b),Mod(a,b))", floor_mod},
    RestoreRow{Code::L2_NORMALIZATION, "Div(a,Max(Sqrt(ReduceSum(Mul(a,a),[-1])),1e-6))", l2_normalization},
    RestoreRow{Code::L2_POOL_2D, "Sqrt(AveragePool(Mul(a,a)))", l2_pool},
    RestoreRow{Code::NOT_EQUAL, "Not(Equal(a,b))"},
    RestoreRow{Code::RSQRT, "Reciprocal(Sqrt(a))"},
    RestoreRow{Code::SOFTMAX, "Softmax", softmax},
    RestoreRow{Code::SQUARED_DIFFERENCE, "Mul(Sub(a,b),Sub(a,b))"},
};

}  // namespace

std::string activation_behind(Parts& at) {
    const ValueId result = at.out[0];
    if (at.graph().value(result).enc) return "NONE";
    for (const Use& use : at.graph().uses(result)) {
        if (use.node == NodeId::none) continue;
        const Node& next = at.graph().node(use.node);
        const std::string_view name = fused_name(at.graph(), next);
        if (name == "NONE" || !at.behind(result, next.is(ops::Relu) ? ops::Relu : ops::Clip)) continue;
        at.out = {next.out[0]};
        return std::string(name);
    }
    return "NONE";
}

std::span<const RestoreRow> restore_arithmetic_rows() { return arithmetic_table; }

}  // namespace quern::tflite_format
