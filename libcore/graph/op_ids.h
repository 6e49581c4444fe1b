// Operators by identity, so that a misspelt name does not compile: node.is(ops::Conv), ops::microsoft::Gelu, ops::own::Recode. Every row of
// the table has its entry here and every entry its row, which tests/unit/op_ids_test.cpp checks.
#pragma once

#include "libcore/graph/graph.h"

// clang-format off
#define QUERN_ONNX_OPERATORS(row) \
    row(Abs) row(Acos) row(Acosh) row(Add) row(AffineGrid) row(And) row(ArgMax) row(ArgMin) row(Asin) row(Asinh) row(Atan) \
    row(Atanh) row(Attention) row(AveragePool) row(BatchNormalization) row(Bernoulli) row(BitCast) row(BitShift) row(BitwiseAnd) \
    row(BitwiseNot) row(BitwiseOr) row(BitwiseXor) row(BlackmanWindow) row(Cast) row(CastLike) row(CausalConvWithState) row(Ceil) \
    row(Celu) row(CenterCropPad) row(Clip) row(Col2Im) row(Compress) row(Concat) row(ConcatFromSequence) row(Constant) \
    row(ConstantOfShape) row(Conv) row(ConvInteger) row(ConvTranspose) row(Cos) row(Cosh) row(CumProd) row(CumSum) row(DFT) \
    row(DeformConv) row(DepthToSpace) row(DequantizeLinear) row(Det) row(Div) row(Dropout) row(DynamicQuantizeLinear) row(Einsum) \
    row(Elu) row(Equal) row(Erf) row(Exp) row(Expand) row(EyeLike) row(Flatten) row(Floor) row(GRU) row(Gather) row(GatherElements) \
    row(GatherND) row(Gelu) row(Gemm) row(GlobalAveragePool) row(GlobalLpPool) row(GlobalMaxPool) row(Greater) row(GreaterOrEqual) \
    row(GridSample) row(GroupNormalization) row(HammingWindow) row(HannWindow) row(HardSigmoid) row(HardSwish) \
    row(Hardmax) row(Identity) row(If) row(InstanceNormalization) row(IsInf) row(IsNaN) row(LRN) row(LSTM) row(LayerNormalization) \
    row(LeakyRelu) row(Less) row(LessOrEqual) row(LinearAttention) row(Log) row(LogSoftmax) row(Loop) row(LpNormalization) \
    row(LpPool) row(MatMul) row(MatMulInteger) row(Max) row(MaxPool) row(MaxRoiPool) row(MaxUnpool) row(Mean) \
    row(MeanVarianceNormalization) row(MelWeightMatrix) row(Min) row(Mish) row(Mod) row(Mul) row(Multinomial) row(Neg) \
    row(NegativeLogLikelihoodLoss) row(NonMaxSuppression) row(NonZero) row(Not) row(OneHot) row(Optional) row(OptionalGetElement) \
    row(OptionalHasElement) row(Or) row(PRelu) row(Pad) row(Pow) row(QLinearConv) row(QLinearMatMul) row(QuantizeLinear) \
    row(RMSNormalization) row(RNN) row(RandomNormal) row(RandomNormalLike) row(RandomUniform) row(RandomUniformLike) row(Range) \
    row(Reciprocal) row(ReduceL1) row(ReduceL2) row(ReduceLogSum) row(ReduceLogSumExp) row(ReduceMax) row(ReduceMean) row(ReduceMin) \
    row(ReduceProd) row(ReduceSum) row(ReduceSumSquare) row(Relu) row(Reshape) row(Resize) row(ReverseSequence) row(RoiAlign) \
    row(RotaryEmbedding) row(Round) row(STFT) row(Scan) row(ScatterElements) row(ScatterND) row(Selu) row(SequenceAt) \
    row(SequenceConstruct) row(SequenceEmpty) row(SequenceErase) row(SequenceInsert) row(SequenceLength) row(SequenceMap) row(Shape) \
    row(Shrink) row(Sigmoid) row(Sign) row(SimplifiedLayerNormalization) row(Sin) row(Sinh) row(Size) row(Slice) row(Softmax) \
    row(SoftmaxCrossEntropyLoss) row(Softplus) row(Softsign) row(SpaceToDepth) row(Split) row(SplitToSequence) row(Sqrt) \
    row(Squeeze) row(StringConcat) row(StringNormalizer) row(StringSplit) row(Sub) row(Sum) row(SwiGLU) row(Swish) row(Tan) \
    row(Tanh) row(TensorScatter) row(TfIdfVectorizer) row(ThresholdedRelu) row(Tile) row(TopK) row(Transpose) row(Trilu) row(Unique) \
    row(Unsqueeze) row(Where) row(Xor)

#define QUERN_PREVIEW_OPERATORS(row) \
    row(FlexAttention)

#define QUERN_ML_OPERATORS(row) \
    row(ArrayFeatureExtractor) row(Binarizer) row(LabelEncoder) row(TreeEnsemble) row(TreeEnsembleClassifier) \
    row(TreeEnsembleRegressor)

#define QUERN_MICROSOFT_OPERATORS(row) \
    row(Attention) row(BiasGelu) row(DequantizeLinear) row(DynamicQuantizeLSTM) row(DynamicQuantizeMatMul) \
    row(EmbedLayerNormalization) row(FastGelu) row(FusedConv) row(FusedGemm) row(FusedMatMul) row(Gelu) row(GroupQueryAttention) \
    row(MatMulIntegerToFloat) row(MatMulNBits) row(MultiHeadAttention) row(QAttention) row(QGemm) row(QLinearAdd) \
    row(QLinearAveragePool) row(QLinearConcat) row(QLinearGlobalAveragePool) row(QLinearLeakyRelu) row(QLinearMul) \
    row(QLinearSigmoid) row(QLinearSoftmax) row(QLinearWhere) row(QuantizeLinear) row(QuickGelu) row(RotaryEmbedding) \
    row(SkipLayerNormalization) row(SkipSimplifiedLayerNormalization)

#define QUERN_OWN_OPERATORS(row) \
    row(DetectionPostProcess) row(PhiloxNormal) row(PhiloxUniform) row(Recode) row(SVDF) row(SoftNonMaxSuppression) row(State)
// clang-format on

namespace quern::ops {

#define QUERN_ID(name) inline constexpr OpId name{#name, ""};
QUERN_ONNX_OPERATORS(QUERN_ID)
#undef QUERN_ID

namespace preview {
#define QUERN_ID(name) inline constexpr OpId name{#name, "ai.onnx.preview"};
QUERN_PREVIEW_OPERATORS(QUERN_ID)
#undef QUERN_ID
}  // namespace preview

namespace ml {
#define QUERN_ID(name) inline constexpr OpId name{#name, "ai.onnx.ml"};
QUERN_ML_OPERATORS(QUERN_ID)
#undef QUERN_ID
}  // namespace ml

namespace microsoft {
#define QUERN_ID(name) inline constexpr OpId name{#name, "com.microsoft"};
QUERN_MICROSOFT_OPERATORS(QUERN_ID)
#undef QUERN_ID
}  // namespace microsoft

namespace own {
#define QUERN_ID(name) inline constexpr OpId name{#name, "quern"};
QUERN_OWN_OPERATORS(QUERN_ID)
#undef QUERN_ID
}  // namespace own

}  // namespace quern::ops
