// Arithmetic profiles: how encoded operators compute in integer runs, as rows. A model names its profile in metadata "profile"; without
// one it is "onnx". What no row of another profile takes is computed by those of "onnx", and what these do not take by a table, by moving
// codes or on real numbers (exec/arithmetic.h), as docs/numerics.md describes.
#pragma once

#include <span>
#include <string_view>

#include "libcore/graph/op.h"

namespace quern {

inline constexpr const char* profile_key = "profile";
// Attribute of a node with real activations and encoded weights: integer runs round the activations with a zero point of their own.
inline constexpr const char* asymmetric_key = "asymmetric_quantize_inputs";
// Attribute of Add and Sub of 16-bit codes: where all scales are powers of two, operands are shifted, not multiplied.
inline constexpr const char* powers_key = "pot_scale_int16";

struct SumCodes;
struct SumOperands;

// A node after the first one that a row joins; it reads the result before it, which nobody else does, as input `at`.
struct ProfileLink {
    OpId op;
    size_t at = 0;
};

// What a row takes. `out`: the encoding of result 0, of the unit if there is one.
struct Takes {
    bool (*fits)(const Graph& graph, const Node& node, const Encoding& out);
    std::string_view needs;  // the same in words: what is told where a node does not fit
    bool operator()(const Graph& graph, const Node& node, const Encoding& out) const { return fits(graph, node, out); }
};

// What computes one code of the result from a code of input 0, or one each of inputs 0 and 1: a C99 text of libcore/integer, which the
// interpreter calls and generated C contains, and the numbers that it takes beside codes.
struct CodeSite {
    const NodeView& node;
    const Encoding *a, *b, *y;      // of inputs 0 and 1, and of result 0 or of the unit; nullptr: not encoded
    std::optional<float> min, max;  // inputs 1 and 2 as real numbers, where they are bounds
};
struct CodeText {
    std::string_view kernel = {}, type = {};                          // kernel(u, t) or kernel(u, v, t), t being a type *; "": no text
    std::vector<int32_t> (*numbers)(const CodeSite& site) = nullptr;  // the fields of t
    bool pairs = false;
    std::string_view test = {};  // after the kernel's result: " == 0"
};

struct ProfileRow {
    OpId op;
    Takes takes;                 // operands and results that are encoded in a way that `eval` computes on
    void (*eval)(EvalCtx& ctx);  // on codes
    bool unit = false;           // a Relu or Clip behind it joins it
    enum class Result : uint8_t { encoded, real, any } result = Result::encoded;  // takes nodes whose result is stored so, and only those
    // Rows of several nodes in a chain: what follows the first, and whether these nodes are it. `eval` sees the first one's operands and
    // the last one's result.
    std::span<const ProfileLink> links = {};
    bool (*joins)(const Graph& graph, std::span<const Node* const> nodes) = nullptr;
    SumCodes (*sums)(const SumOperands& operands) = nullptr;  // products: how their sums become codes (sum_codes.h)
    CodeText text = {};                                       // what `eval` computes, where generated C has the same
};

// `first` and the nodes behind it that the row joins, as its links say; empty if they are not there or not as the row needs them. What they
// read beside each other's results is constant or operand 0 of `first`.
std::vector<const Node*> joined_by(const ProfileRow& row, const Graph& graph, const Node& first);
// The node that alone reads `id`, perhaps more than once, where the value is not stored: it has no encoding. nullptr: it is stored, or
// there is none.
const Node* sole_reader(const Graph& graph, ValueId id);

struct Profile {
    std::string_view name, doc;
    std::span<const ProfileRow> rows;
};

std::span<const Profile> all_profiles();
// nullptr for ""; a name that is unknown throws Exit::unsupported.
const Profile* profile_named(std::string_view name);

const Profile& need_profile(std::string_view name);  // "onnx", too
// What the metadata name: "" and nullptr if they name none.
std::string_view own_profile_name(const Graph& graph);
const Profile* own_profile(const Graph& graph);

// ---- for rows ----
std::span<const ProfileRow> onnx_product_rows();
std::span<const ProfileRow> onnx_recode_rows();
std::span<const ProfileRow> onnx_qlinear_rows();
// A fixed encoding of integers with one scale, or one per slice where `per_channel`; no blocks.
bool integer_grid(const std::optional<Encoding>& encoding, bool per_channel = false);
std::span<const ProfileRow> tflite_product_rows();
std::span<const ProfileRow> tflite_elementwise_rows();
std::span<const ProfileRow> tflite_activation_rows();
std::span<const ProfileRow> tflite_table_rows();
std::span<const ProfileRow> tflite_softmax_rows();
std::span<const ProfileRow> tflite_spatial_rows();
std::span<const ProfileRow> tflite_hybrid_rows();
std::span<const ProfileRow> tflite_hybrid_recurrent_rows();
std::span<const ProfileRow> tflite_power_rows();  // sums in shifts, which only LiteRT has
// Where TensorFlow Lite Micro differs.
std::span<const ProfileRow> tflm_product_rows();
std::span<const ProfileRow> tflm_elementwise_rows();
std::span<const ProfileRow> tflm_activation_rows();
std::span<const ProfileRow> tflm_softmax_rows();
std::span<const ProfileRow> one_rows();  // where onert differs
std::span<const ProfileRow> ggml_rows();
std::span<const ProfileRow> tflite_recurrent_rows();
std::span<const ProfileRow> tflite_reduce_rows();
std::span<const ProfileRow> tflite_svdf_rows();

}  // namespace quern
