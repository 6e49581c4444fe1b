// Versions of operators: which a file names says what its reader has to know. An operator without a row is as old as the format. And which
// operators take an activation in.
#include <algorithm>

#include "formats/tflite/lower/lower.h"
#include "libcore/ops/integer/profile.h"

namespace quern::tflite_format {
namespace {

struct VersionRow {
    Code code;
    int on_i8, on_i16;  // first versions on codes; 0: as on real numbers
    int on_float = 1;
};
constexpr std::array versions_table{
    VersionRow{Code::ADD, 2, 4},
    VersionRow{Code::ARG_MAX, 2, 0},
    VersionRow{Code::ARG_MIN, 2, 0},
    VersionRow{Code::AVERAGE_POOL_2D, 2, 3},
    VersionRow{Code::BATCH_MATMUL, 2, 3},
    VersionRow{Code::BATCH_TO_SPACE_ND, 2, 3},
    VersionRow{Code::BROADCAST_TO, 2, 0, 2},
    VersionRow{Code::CONCATENATION, 2, 3},
    VersionRow{Code::CONV_2D, 3, 4},
    VersionRow{Code::DEPTHWISE_CONV_2D, 3, 5},
    VersionRow{Code::DEQUANTIZE, 2, 4},
    VersionRow{Code::EMBEDDING_LOOKUP, 3, 0},
    VersionRow{Code::EQUAL, 2, 0},
    VersionRow{Code::FULLY_CONNECTED, 4, 7},
    VersionRow{Code::GATHER, 2, 4},
    VersionRow{Code::GELU, 2, 0},
    VersionRow{Code::L2_NORMALIZATION, 2, 0},
    VersionRow{Code::LEAKY_RELU, 2, 2},
    VersionRow{Code::LOGISTIC, 2, 3},
    VersionRow{Code::LOG_SOFTMAX, 2, 0},
    VersionRow{Code::MAXIMUM, 2, 4},
    VersionRow{Code::MAX_POOL_2D, 2, 3},
    VersionRow{Code::MEAN, 2, 3},
    VersionRow{Code::MINIMUM, 2, 4},
    VersionRow{Code::MUL, 2, 4},
    VersionRow{Code::NOT_EQUAL, 2, 0},
    VersionRow{Code::PACK, 2, 3},
    VersionRow{Code::PAD, 2, 0},
    VersionRow{Code::PADV2, 2, 0},
    VersionRow{Code::QUANTIZE, 2, 3},
    VersionRow{Code::RELU, 2, 3},
    VersionRow{Code::RELU6, 2, 3},
    VersionRow{Code::RESIZE_BILINEAR, 2, 4, 3},
    VersionRow{Code::RESIZE_NEAREST_NEIGHBOR, 2, 4, 3},
    VersionRow{Code::RSQRT, 2, 3},
    VersionRow{Code::SLICE, 2, 4},
    VersionRow{Code::SOFTMAX, 2, 3},
    VersionRow{Code::SPACE_TO_BATCH_ND, 2, 3},
    VersionRow{Code::SPACE_TO_DEPTH, 2, 0},
    VersionRow{Code::SPLIT, 2, 4},
    VersionRow{Code::SQUARED_DIFFERENCE, 2, 2},
    VersionRow{Code::STRIDED_SLICE, 2, 4},
    VersionRow{Code::SUB, 2, 5},
    VersionRow{Code::SUM, 2, 0},
    VersionRow{Code::TANH, 2, 3},
    VersionRow{Code::TOPK_V2, 2, 3},
    VersionRow{Code::TRANSPOSE, 2, 4},
    VersionRow{Code::TRANSPOSE_CONV, 3, 4},
    VersionRow{Code::UNPACK, 2, 4},
    VersionRow{Code::UNIDIRECTIONAL_SEQUENCE_LSTM, 0, 0, 3},
};

}  // namespace

int version_of(const FileOperator& op, const Subgraph& graph) {
    const auto row = std::find_if(versions_table.begin(), versions_table.end(), [&](const VersionRow& r) { return r.code == op.code; });
    if (row == versions_table.end()) return 1;
    const auto has = [&](Element type) {
        const auto is = [&](int64_t index) {
            return index >= 0 && graph.tensors[static_cast<size_t>(index)].type == type &&
                   !graph.tensors[static_cast<size_t>(index)].quantization.scale.empty();
        };
        return std::any_of(op.in.begin(), op.in.end(), is) || std::any_of(op.out.begin(), op.out.end(), is);
    };
    if (op.code == Code::DEQUANTIZE && op.in.size() == 1) {
        const FileTensor& from = graph.tensors[static_cast<size_t>(op.in[0])];
        if (from.type == Element::INT4) return 6;
        if (from.quantization.scale.size() > 1) return 5;
    }
    if (op.code == Code::EMBEDDING_LOOKUP && op.in.size() == 2) {
        const FileTensor& table = graph.tensors[static_cast<size_t>(op.in[1])];
        if (table.type == Element::INT4 || table.quantization.scale.size() > 1) return 4;
    }
    int version = row->on_float;
    if (op.options.contains(asymmetric_key)) version = op.code == Code::BATCH_MATMUL ? 4 : op.code == Code::FULLY_CONNECTED ? 9 : version;
    if (has(Element::INT16) && row->on_i16 != 0) return std::max(version, row->on_i16);
    if (has(Element::INT8) && row->on_i8 != 0) version = std::max(version, row->on_i8);
    return version;
}

bool takes_activation(Code code) {
    switch (code) {
        case Code::ADD:
        case Code::SUB:
        case Code::MUL:
        case Code::DIV:
        case Code::CONV_2D:
        case Code::CONV_3D:
        case Code::DEPTHWISE_CONV_2D:
        case Code::FULLY_CONNECTED:
        case Code::AVERAGE_POOL_2D:
        case Code::MAX_POOL_2D: return true;
        default: return false;
    }
}

}  // namespace quern::tflite_format
