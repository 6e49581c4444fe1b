// The rows of this library: kernels that take and give codes. What they compute is what the arithmetic of a step says (Site::arithmetic),
// to the code, on every machine.
#pragma once

#include "libcore/kernels/kernel.h"

namespace quern::codes {

std::span<const KernelRow> conv_rows();              // Conv
std::span<const KernelRow> transposed_conv_rows();   // ConvTranspose
std::span<const KernelRow> product_rows();           // Gemm MatMul with constant weights
std::span<const KernelRow> computed_product_rows();  // Gemm MatMul of two computed operands
std::span<const KernelRow> recode_rows();            // Recode of real numbers to dynamic codes
std::span<const KernelRow> real_matrix_rows();       // Gemm MatMul of dynamic codes with constant weights
std::span<const KernelRow> real_conv_rows();         // Conv, likewise
std::span<const KernelRow> stored_matmul_rows();     // MatMul Gemm MatMulNBits of real numbers with weights in codes
std::span<const KernelRow> pair_rows();              // Add Sub Mul
std::span<const KernelRow> bias_rows();              // Add of constant numbers
std::span<const KernelRow> share_softmax_rows();     // Softmax of codes by TensorFlow Lite
std::span<const KernelRow> softmax_rows();           // Softmax
std::span<const KernelRow> layer_norm_rows();        // LayerNormalization
std::span<const KernelRow> concat_rows();            // Concat
std::span<const KernelRow> bilinear_rows();          // Resize of images by TensorFlow Lite and onert
std::span<const KernelRow> resize_rows();            // Resize
std::span<const KernelRow> average_pool_rows();      // AveragePool
std::span<const KernelRow> lstm_rows();              // LSTM
std::span<const KernelRow> svdf_rows();              // SVDF
std::span<const KernelRow> hybrid_recurrent_rows();  // LSTM RNN SVDF of real numbers with weights in codes
std::span<const KernelRow> pool_rows();              // MaxPool GlobalMaxPool GlobalAveragePool

}  // namespace quern::codes
