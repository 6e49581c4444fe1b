// Scales that kernels take for equal, or for fixed ones.
#include <algorithm>
#include <array>

#include "formats/tflite/file/tensors.h"
#include "formats/tflite/write/fit.h"
#include "libcore/graph/op_ids.h"

namespace quern::tflite_format {
namespace {

// Operators that only move or choose codes: results have the grid of operand `data`.
struct MovesRow {
    Code code;
    size_t data = 0;
};
constexpr std::array moves{
    MovesRow{Code::AVERAGE_POOL_2D},
    MovesRow{Code::BATCH_TO_SPACE_ND},
    MovesRow{Code::BROADCAST_TO},
    MovesRow{Code::DEPTH_TO_SPACE},
    MovesRow{Code::EXPAND_DIMS},
    MovesRow{Code::GATHER},
    MovesRow{Code::GATHER_ND},
    MovesRow{Code::MAX_POOL_2D},
    MovesRow{Code::MIRROR_PAD},
    MovesRow{Code::PAD},
    MovesRow{Code::REDUCE_MAX},
    MovesRow{Code::REDUCE_MIN},
    MovesRow{Code::RESHAPE},
    MovesRow{Code::RESIZE_BILINEAR},
    MovesRow{Code::REVERSE_SEQUENCE},
    MovesRow{Code::RESIZE_NEAREST_NEIGHBOR},
    MovesRow{Code::REVERSE_V2},
    MovesRow{Code::SLICE},
    MovesRow{Code::SPACE_TO_DEPTH},
    MovesRow{Code::SPACE_TO_BATCH_ND},
    MovesRow{Code::SPLIT, 1},
    MovesRow{Code::SPLIT_V},
    MovesRow{Code::SQUEEZE},
    MovesRow{Code::STRIDED_SLICE},
    MovesRow{Code::TILE},
    MovesRow{Code::TOPK_V2},
    MovesRow{Code::TRANSPOSE},
    MovesRow{Code::UNPACK},
};

// Operators whose operands, from `first` on, have the grid of the result.
struct JoinsRow {
    Code code;
    size_t first = 0;
};
constexpr std::array joins{
    JoinsRow{Code::CONCATENATION}, JoinsRow{Code::MAXIMUM}, JoinsRow{Code::MINIMUM},   JoinsRow{Code::ONE_HOT, 2},
    JoinsRow{Code::PACK},          JoinsRow{Code::PADV2},   JoinsRow{Code::SELECT, 1}, JoinsRow{Code::SELECT_V2, 1},
};

// Operators whose results have a grid of their own, by the name of ours.
struct FixedRow {
    Code code;
    OpId op;
};
constexpr std::array fixed{
    FixedRow{Code::L2_NORMALIZATION, ops::LpNormalization},
    FixedRow{Code::LOGISTIC, ops::Sigmoid},
    FixedRow{Code::LOG_SOFTMAX, ops::LogSoftmax},
    FixedRow{Code::SOFTMAX, ops::Softmax},
    FixedRow{Code::TANH, ops::Tanh},
};

template <class Rows>
const auto* row_of(const Rows& rows, Code code) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.code == code; });
    return row == rows.end() ? nullptr : &*row;
}

}  // namespace

// The operator makes codes of this grid, which a QUANTIZE brings to that of each result.
void Fitter::write_to(FileOperator op, const Quantization& grid) {
    std::vector<std::pair<int64_t, int64_t>> after;
    for (int64_t& out : op.out) {
        if (!on_codes(out) || same_grid(tensor(out).quantization, grid)) continue;
        const int64_t made = temp(out, "before");
        tensor(made).quantization = grid;
        after.emplace_back(made, out);
        out = made;
    }
    put(std::move(op));
    for (const auto& [made, wanted] : after) put(Code::QUANTIZE, made, wanted);
}

void Fitter::tie_operands(FileOperator& op, size_t first) {
    const FileTensor result = tensor(op.out[0]);
    for (size_t i = first; i < op.in.size(); ++i) {
        if (!on_codes(op.in[i]) || tensor(op.in[i]).type != result.type) continue;
        if (same_grid(tensor(op.in[i]).quantization, result.quantization)) continue;
        const int64_t made = temp(op.in[i], "as_result");
        tensor(made).quantization = result.quantization;
        put(Code::QUANTIZE, op.in[i], made);
        op.in[i] = made;
    }
}

bool Fitter::fit_scales(FileOperator& op) {
    if (op.out.empty() || !on_codes(op.out[0])) return true;
    const FileTensor& result = tensor(op.out[0]);
    if (const auto* row = row_of(joins, op.code)) {
        // Codes of uint8 are brought to the result's grid by the kernel itself.
        if (op.code != Code::CONCATENATION || result.type != Element::UINT8) tie_operands(op, row->first);
        return true;
    }
    if (const auto* row = row_of(fixed, op.code)) {
        if (op.code == Code::SOFTMAX && result.type == Element::UINT8) return true;  // this kernel takes any scale
        const auto* grid = need_op(row->op)->quant.tflite.fixed_as(dtype_of(result.type));
        const Quantization wanted = grid ? Quantization{{grid->scale}, {grid->zero}} : Quantization();
        if (!grid || same_grid(result.quantization, wanted)) return true;
        write_to(std::move(op), wanted);
        return false;
    }
    const auto* row = row_of(moves, op.code);
    if (!row || !has(op, row->data) || !on_codes(op.in[row->data]) || tensor(op.in[row->data]).type != result.type) return true;
    const Quantization grid = tensor(op.in[row->data]).quantization;
    write_to(std::move(op), grid);
    return false;
}

}  // namespace quern::tflite_format
