func.func @net(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %w = "onnx.Constant"() {value = dense<[[1.27, -0.5], [0.0, 2.54]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %b = "onnx.Constant"() {value = dense<[0.5, -0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
  %sum = "onnx.Gemm"(%x, %w, %b) {onnx_node_name = "gemm"} : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %y = "onnx.Relu"(%sum) {onnx_node_name = "relu"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
