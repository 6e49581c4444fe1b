// Operators of the formats that are one of ours as it stands, both ways: operands in the same order, nothing in options. Others have a row
// in map/ (how they are read) and one in lower/ (how ours are written).
#pragma once

#include <array>

#include "formats/tflite/file/file.h"
#include "libcore/graph/op_ids.h"

namespace quern::tflite_format {

struct PairRow {
    Code code;
    OpId op;
};
inline constexpr std::array pairs{
    PairRow{Code::ABS, ops::Abs},
    PairRow{Code::BITWISE_XOR, ops::BitwiseXor},
    PairRow{Code::CEIL, ops::Ceil},
    PairRow{Code::COS, ops::Cos},
    PairRow{Code::DIV, ops::Div},
    PairRow{Code::ELU, ops::Elu},
    PairRow{Code::EQUAL, ops::Equal},
    PairRow{Code::EXP, ops::Exp},
    PairRow{Code::FLOOR, ops::Floor},
    PairRow{Code::GREATER, ops::Greater},
    PairRow{Code::GREATER_EQUAL, ops::GreaterOrEqual},
    PairRow{Code::HARD_SWISH, ops::HardSwish},
    PairRow{Code::LESS, ops::Less},
    PairRow{Code::LESS_EQUAL, ops::LessOrEqual},
    PairRow{Code::LOG, ops::Log},
    PairRow{Code::LOGICAL_AND, ops::And},
    PairRow{Code::LOGICAL_NOT, ops::Not},
    PairRow{Code::LOGICAL_OR, ops::Or},
    PairRow{Code::LOGISTIC, ops::Sigmoid},
    PairRow{Code::MUL, ops::Mul},
    PairRow{Code::NEG, ops::Neg},
    PairRow{Code::POW, ops::Pow},
    PairRow{Code::PRELU, ops::PRelu},
    PairRow{Code::RELU, ops::Relu},
    PairRow{Code::ROUND, ops::Round},
    PairRow{Code::SELECT_V2, ops::Where},
    PairRow{Code::SIGN, ops::Sign},
    PairRow{Code::SIN, ops::Sin},
    PairRow{Code::SQRT, ops::Sqrt},
    PairRow{Code::TANH, ops::Tanh},
};

}  // namespace quern::tflite_format
