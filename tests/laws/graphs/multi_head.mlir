// Attention in one piece, of com.microsoft with bias, mask and caches, and of ai.onnx.
func.func @heads(%q: tensor<2x3x8xf32>, %k: tensor<2x3x8xf32>, %v: tensor<2x3x8xf32>, %keys: tensor<2x2x2x4xf32>, %values: tensor<2x2x2x4xf32>) -> (tensor<2x3x8xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) {
  %b = "onnx.Constant"() {value = dense<0.25> : tensor<24xf32>} : () -> tensor<24xf32>
  %m = "onnx.Constant"() {value = dense<[[1, 1, 1, 0, 1], [1, 0, 1, 1, 1]]> : tensor<2x5xi32>} : () -> tensor<2x5xi32>
  %none = "onnx.NoValue"() {value} : () -> none
  %a, %new_keys, %new_values = "com.microsoft.MultiHeadAttention"(%q, %k, %v, %b, %m, %none, %keys, %values) {num_heads = 2, unidirectional = 1} : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<24xf32>, tensor<2x5xi32>, none, tensor<2x2x2x4xf32>, tensor<2x2x2x4xf32>) -> (tensor<2x3x8xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>)
  %y = "onnx.Attention"(%a, %k, %v) {is_causal = 1, kv_num_heads = 2, q_num_heads = 2} : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return %y, %new_keys, %new_values : tensor<2x3x8xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>
}
