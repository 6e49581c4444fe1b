// Circle: what onert, one of the runtimes that read it, has kernels for.
#include <algorithm>

#include "formats/tflite/file/tensors.h"
#include "formats/tflite/lower/fused.h"
#include "formats/tflite/lower/lower.h"
#include "formats/tflite/write/fit.h"
#include "libcore/base/text.h"
#include "libcore/support/runtime.h"

namespace quern::tflite_format {

// Is the operator on codes of ONE's types? Of uint8 beside weights of uint8, or of 16 bits, which onert does not even make real numbers of.
bool Fitter::as_asked(const FileOperator& op) const {
    const auto holds = [&](const Ints& ids, Element element) {
        return std::ranges::any_of(ids, [&](int64_t id) { return id >= 0 && graph_.tensors[static_cast<size_t>(id)].type == element; });
    };
    if (holds(op.in, Element::INT16) || holds(op.out, Element::INT16)) return true;
    if (holds(op.in, Element::INT8) || holds(op.out, Element::INT8)) return false;
    return holds(op.in, Element::UINT8) || holds(op.out, Element::UINT8);
}

// A QUANTIZE to int8, for which there is no kernel, by way of the uint8 codes that are 128 greater: the same codes. false: that helps
// nobody.
bool Fitter::put_by_uint8(const FileOperator& op) {
    if (op.code != Code::QUANTIZE || missing_kernel(op).empty() || tensor(op.out[0]).type != Element::INT8) return false;
    const FileTensor& from = tensor(op.in[0]);
    if (from.type != Element::INT8 && from.type != Element::FLOAT32) return false;
    const int64_t numbers = real(op.in[0]), between = temp(op.out[0], "unsigned");
    tensor(between).type = Element::UINT8;
    for (int64_t& zero : tensor(between).quantization.zero) zero += 128;
    put(Code::QUANTIZE, numbers, between);
    put(Code::QUANTIZE, between, op.out[0]);
    return true;
}

// A product with ggml's blocks has neither bias nor activation in onert: the one it refuses, the other it forgets.
void Fitter::put_bare_product(FileOperator op) {
    const auto found = op.options.find(activation_key);
    const std::string activation = found == op.options.end() ? "NONE" : std::get<std::string>(found->second);
    const int64_t bias = has(op, 2) ? op.in[2] : -1, out = op.out[0];
    if (bias < 0 && activation == "NONE") return put(std::move(op));
    const int64_t product = temp(out, "product");
    op.in.resize(3, -1);
    op.in[2] = -1;
    op.out = {product};
    op.options[activation_key] = std::string("NONE");
    put(std::move(op));
    if (bias < 0)
        put(operator_of(activation), product, out);
    else
        put(Code::ADD, {product, bias}, out, {{activation_key, activation}});
}

// false: another operator than a product with blocks.
bool Fitter::fit_blocks(FileOperator& op) {
    if (op.kept || op.code != Code::FULLY_CONNECTED || !has(op, 1) || !is_blocked(tensor(op.in[1]).type)) return false;
    if (tensor(op.in[0]).type != Element::FLOAT32) return false;
    if (!options_.keep) said_.of_blocks.push_back(place_of(op, graph_));
    put_bare_product(std::move(op));
    return true;
}

// Is an operand in ggml's blocks, which onert has products of float32 with and looks up rows of, and nothing else?
bool Fitter::reads_blocks(const FileOperator& op) const {
    return op.code != Code::GATHER &&
           std::ranges::any_of(op.in, [&](int64_t id) { return id >= 0 && is_blocked(graph_.tensors[static_cast<size_t>(id)].type); });
}

void Fitter::fit_for_others(FileOperator op) {
    if (!options_.keep && put_by_uint8(op)) return;
    if (fit_blocks(op)) return;
    if (const auto found = op.options.find("asymmetric_quantize_inputs"); found != op.options.end() && identical(found->second, int64_t{1}))
        said_.without_zero.push_back(place_of(op, graph_));
    const std::string why = op.code == Code::WHILE ? "onert 0.1 ends in its loops"
                            : reads_blocks(op)     ? "it reads blocks"
                                                   : missing_kernel(op);
    const bool asked = options_.keep || as_asked(op);
    if (why.empty()) {
        if (asked || fit_scales(op)) put(std::move(op));
        return;
    }
    const bool stored = op.code == Code::DEQUANTIZE && op.in.size() == 1 && !tensor(op.in[0]).data.empty();
    // Blocks of weights stay: of those a file has the codes only.
    const auto coded = [&](int64_t id) { return id >= 0 && !tensor(id).quantization.scale.empty(); };
    const bool reals = std::ranges::any_of(op.in, coded) && takes_codes(op) && support::takes_reals(*options_.runtime, op.name) &&
                       missing_on_reals(op, *options_.runtime).empty();
    if (!asked && (reals || stored)) return on_real_numbers(std::move(op), why);
    said_.missing.push_back(fmt::format("{}: {}", place_of(op, graph_), support::brief(why)));
    const bool joins = op.code == Code::CONCATENATION || op.code == Code::PACK;  // codes of 16 bits as they are, as in TFLite
    if (!options_.keep && joins && tensor(op.out[0]).type == Element::INT16) tie_operands(op, 0);
    put(std::move(op));
}

// Outputs that operators read, too, become copies: behind the last of those onert puts something else in their place.
void Fitter::copy_outputs() {
    for (const int64_t id : graph_.outputs) {
        const auto takes = [&](const Ints& ids) { return std::ranges::find(ids, id) != ids.end(); };
        const auto made = std::ranges::find_if(graph_.operators, [&](const FileOperator& op) { return takes(op.out); });
        if (made == graph_.operators.end() || std::ranges::none_of(graph_.operators, [&](const FileOperator& op) { return takes(op.in); }))
            continue;
        const Ints dims = tensor(id).signature.empty() ? tensor(id).shape : tensor(id).signature;
        if (dims.empty() || std::ranges::count(dims, -1) > 1) {
            said_.missing.push_back(fmt::format("{}: its result is an output, and read", place_of(*made, graph_)));
            continue;
        }
        const int64_t inner = temp(id, "read");
        for (FileOperator& op : graph_.operators)
            for (Ints* ids : {&op.in, &op.out}) std::ranges::replace(*ids, id, inner);
        FileOperator copy;
        copy.code = Code::RESHAPE;
        copy.name = tflite::EnumNameBuiltinOperator(copy.code);
        const std::string name = fmt::format("{}/shape", tensor(id).name);
        copy.in = {inner, add(tensor_of(name, from_ints(DType::i32, {static_cast<int64_t>(dims.size())}, dims), {}))};
        copy.out = {id};
        copy.options["new_shape"] = dims;
        copy.version = version_of(copy, graph_);
        graph_.operators.push_back(std::move(copy));
    }
}

}  // namespace quern::tflite_format
