// Operators for whose codes the runtime has no kernel.
#include <algorithm>
#include <array>

#include "formats/tflite/file/tensors.h"
#include "formats/tflite/lower/lower.h"
#include "formats/tflite/write/fit.h"
#include "libcore/base/text.h"
#include "libcore/graph/quantize.h"
#include "libcore/support/runtime.h"

namespace quern::tflite_format {
namespace {

// Is the tensor stored in something else than float32, int32, int64 and bool, of which all kernels are known?
bool is_judged(const FileTensor& tensor) {
    return !tensor.quantization.scale.empty() || tensor.quantization.block > 0 || tensor.type == Element::FLOAT16 ||
           tensor.type == Element::BFLOAT16 || tensor.type == Element::FLOAT64;
}

// Operators that hand on what they get, and recurrent ones, of whose many operands tests/peers/products.py is the table.
bool is_beside_tables(Code code) {
    constexpr std::array codes{Code::ASSIGN_VARIABLE,
                               Code::BIDIRECTIONAL_SEQUENCE_LSTM,
                               Code::BIDIRECTIONAL_SEQUENCE_RNN,
                               Code::CALL_ONCE,
                               Code::CUSTOM,
                               Code::IF,
                               Code::LSTM,
                               Code::RANK,
                               Code::READ_VARIABLE,
                               Code::RNN,
                               Code::SVDF,
                               Code::UNIDIRECTIONAL_SEQUENCE_LSTM,
                               Code::VAR_HANDLE,
                               Code::WHILE,
                               Code::UNIDIRECTIONAL_SEQUENCE_RNN};
    return std::ranges::find(codes, code) != codes.end();
}

// The operator alone in a graph, under its name in the file; `reals`: of real numbers, where it has codes.
class Alone {
   public:
    Alone(const FileOperator& op, const Subgraph& file, bool reals) : file_(file), reals_(reals) {
        std::vector<ValueId> in, out;
        for (const int64_t index : op.in) in.push_back(value(index));
        for (const int64_t index : op.out) out.push_back(value(index));
        for (const ValueId id : out)
            if (id != ValueId::none) graph.value(id).data.reset();
        id_ = graph.add_node(unknown_op(op.name, "tflite", op.version), op.name, std::move(in), std::move(out), told(op));
    }
    const Node& node() const { return graph.node(id_); }

    Graph graph;

   private:
    ValueId value(int64_t index) {
        if (index < 0) return ValueId::none;
        const FileTensor& tensor = file_.tensors[static_cast<size_t>(index)];
        const ValueId id = graph.add_value(fmt::format("{}", graph.value_count()), type_of(tensor));
        if (reals_ && !tensor.quantization.scale.empty()) return graph.value(id).type.dtype = DType::f32, id;
        if (tensor.quantization.block > 0 || !tensor.quantization.mx) graph.value(id).enc = encoding_of(tensor, file_);
        if (!tensor.data.empty()) graph.value(id).data = tensor.data;
        return id;
    }

    // Its options, and what tables ask for beside them: "batch" (-1: open), the "groups" of a convolution, is it "hybrid", of real numbers
    // and codes, and of its data "element", "on_codes", "constant_data", and "first_alone": are they one number in front of more?
    Attrs told(const FileOperator& op) const {
        Attrs attrs = op.options;
        const auto dims = [&](size_t i) {
            return i < op.in.size() && op.in[i] >= 0 ? file_.tensors[static_cast<size_t>(op.in[i])].shape : Dims();
        };
        const Dims data = dims(0), filter = dims(1);
        const auto on_codes = [&](size_t i) { return !file_.tensors[static_cast<size_t>(op.in[i])].quantization.scale.empty(); };
        if (!data.empty()) attrs["batch"] = is_open(op.in[0]) ? -1 : data[0];
        if (!data.empty() && !filter.empty()) attrs["hybrid"] = int64_t{!reals_ && !on_codes(0) && on_codes(1)};
        if (op.code == Code::CONV_2D && !data.empty() && !filter.empty() && filter.back() > 0)
            attrs["groups"] = data.back() / filter.back();
        if (!op.in.empty() && op.in[0] >= 0) tell_data(op, attrs);
        return attrs;
    }

    bool is_open(int64_t batch_of) const {
        const Dims& signature = file_.tensors[static_cast<size_t>(batch_of)].signature;
        return !signature.empty() && signature[0] < 0;
    }

    void tell_data(const FileOperator& op, Attrs& attrs) const {
        const bool selects = (op.code == Code::SELECT || op.code == Code::SELECT_V2) && op.in.size() > 1 && op.in[1] >= 0;
        const FileTensor& data = file_.tensors[static_cast<size_t>(op.in[selects ? 1 : 0])];
        const bool codes = !reals_ && !data.quantization.scale.empty();
        const bool more = op.in.size() > 1 && op.in[1] >= 0 && !file_.tensors[static_cast<size_t>(op.in[1])].shape.empty();
        attrs["element"] = std::string(tflite::EnumNameTensorType(data.quantization.scale.empty() || codes ? data.type : Element::FLOAT32));
        attrs["on_codes"] = int64_t{codes};
        attrs["constant_data"] = int64_t{!data.data.empty()};
        attrs["first_alone"] = int64_t{data.shape.empty() && more};
    }

    const Subgraph& file_;
    bool reals_;
    NodeId id_;
};

}  // namespace

bool takes_codes(const FileOperator& op) { return op.code != Code::QUANTIZE && op.code != Code::DEQUANTIZE && op.code != Code::CUSTOM; }

// Sums are brought to the result's scale by a factor that must be below 1.
std::string Fitter::far_scales(const FileOperator& op) {
    if ((op.code != Code::ADD && op.code != Code::SUB) || op.in.size() != 2 || op.out.size() != 1) return {};
    double greatest = 0;
    for (const int64_t index : {op.in[0], op.in[1], op.out[0]}) {
        if (!on_codes(index) || tensor(index).quantization.scale.size() != 1) return {};
        if (index != op.out[0]) greatest = std::max(greatest, static_cast<double>(tensor(index).quantization.scale[0]));
    }
    const FileTensor& result = tensor(op.out[0]);
    const double shifted = static_cast<double>(result.type == Element::INT16 ? 1 << 15 : 1 << 20),
                 own = static_cast<double>(result.quantization.scale[0]);
    if (2 * greatest < shifted * own) return {};
    return fmt::format("scales of {} and {} are too far apart", static_cast<float>(greatest), result.quantization.scale[0]);
}

std::string Fitter::missing_kernel(const FileOperator& op, const support::Runtime& runtime) {
    if (std::string far = far_scales(op); !far.empty()) return far;
    const auto judged = [&](int64_t index) { return index >= 0 && is_judged(tensor(index)); };
    if (std::ranges::none_of(op.in, judged) && std::ranges::none_of(op.out, judged)) {
        const bool reals = std::ranges::any_of(op.in, [&](int64_t index) { return index >= 0 && tensor(index).type == Element::FLOAT32; });
        return reals && !support::takes_reals(runtime, op.name) ? "on float32" : missing_on_reals(op, runtime);
    }
    if (!support::lists(runtime, op.name)) return op.kept || is_beside_tables(op.code) ? "" : "on other data than float32";
    const Alone alone(op, graph_, false);
    return support::refusal(runtime, alone.graph, alone.node()).value_or("");
}

// What the runtime asks of the operator but the storage of its data.
std::string Fitter::missing_on_reals(const FileOperator& op, const support::Runtime& runtime) {
    if (!support::lists(runtime, op.name)) return {};
    const Alone alone(op, graph_, true);
    return support::refusal_on_reals(runtime, alone.graph, alone.node()).value_or("");
}

// Another runtime of the format has the kernel.
bool Fitter::runs_elsewhere(const FileOperator& op) {
    for (const char* name : {"litert-reference", "tflm"}) {
        const support::Runtime& runtime = support::runtime_named(name);
        if (!missing_kernel(op, runtime).empty()) continue;
        said_.elsewhere.push_back(fmt::format("{}: {}", place_of(op, graph_), runtime.doc));
        return true;
    }
    return false;
}

// The numbers of a constant.
Bytes Fitter::real_data(const FileTensor& from) {
    const Constant constant = constant_of(from, graph_, from.data.size());
    return constant.encoding ? dequantize(constant.data, *constant.encoding).data
                             : from_floats(DType::f32, constant.data.dims, to_floats(constant.data)).data;
}

// The tensor as real numbers: by a DEQUANTIZE, or where there is none for its codes as a constant.
int64_t Fitter::real(int64_t index) {
    if (index < 0 || (tensor(index).quantization.scale.empty() && tensor(index).quantization.block == 0)) return index;
    if (const auto known = reals_.find(index); known != reals_.end()) return known->second;
    const FileTensor from = tensor(index);
    FileTensor made = from;
    made.name += "/real";
    made.type = Element::FLOAT32;
    made.quantization = {};
    made.data = {};
    made.sparsity.reset();
    FileOperator op;
    op.code = Code::DEQUANTIZE;
    op.name = tflite::EnumNameBuiltinOperator(op.code);
    op.in = {index};
    const int64_t result = add(made);
    op.out = {result};
    op.version = version_of(op, graph_);
    const bool wide = from.type == Element::INT32 || from.type == Element::INT64;
    if (wide || !missing_kernel(op).empty()) {
        if (from.data.empty()) throw unsupported("there is no kernel that makes real numbers of {}", tflite::EnumNameTensorType(from.type));
        tensor(result).data = real_data(from);
    } else {
        put(std::move(op));
    }
    return reals_[index] = result;
}

// Constants that have their names from the result follow it, as they would if the file were read and written again.
void Fitter::name_after(int64_t made, int64_t out, const Ints& operands) {
    const std::string before = tensor(out).name + "/";
    for (const int64_t in : operands)
        if (in >= 0 && !tensor(in).data.empty() && tensor(in).name.starts_with(before))
            tensor(in).name = tensor(made).name + tensor(in).name.substr(before.size() - 1);
}

void Fitter::on_real_numbers(FileOperator op, const std::string& why) {
    if (op.code == Code::DEQUANTIZE && op.in.size() == 1) {  // of a constant, or of 16-bit floats
        const FileTensor& from = tensor(op.in[0]);
        if (from.type == Element::BFLOAT16) {
            op.code = Code::CAST;
            op.name = tflite::EnumNameBuiltinOperator(op.code);
            op.options = {{"in_data_type", std::string("BFLOAT16")}, {"out_data_type", std::string("FLOAT32")}};
            op.version = 6;
            if (missing_kernel(op).empty()) return put(std::move(op));
        } else if (!from.data.empty()) {
            tensor(op.out[0]).data = real_data(from);
            return;
        }
    }
    if (!takes_codes(op) && runs_elsewhere(op)) return put(std::move(op));
    if (!takes_codes(op)) throw unsupported("{} has no such kernel: {}", options_.called, why);
    said_.on_reals.push_back(fmt::format("{}: {}", place_of(op, graph_), support::brief(why)));
    for (int64_t& in : op.in) in = real(in);
    std::vector<std::pair<int64_t, int64_t>> after;
    for (int64_t& out : op.out) {
        if (!on_codes(out)) continue;
        const int64_t made = temp(out, "real");
        tensor(made).type = Element::FLOAT32;
        tensor(made).quantization = {};
        name_after(made, out, op.in);
        after.emplace_back(made, out);
        out = made;
    }
    op.version = version_of(op, graph_);
    if (const std::string still = missing_kernel(op); !still.empty())
        throw unsupported("{} has no such kernel: {}", options_.called, still);
    put(std::move(op));
    for (const auto& [made, wanted] : after) put(Code::QUANTIZE, made, wanted);
}

}  // namespace quern::tflite_format
