func.func @padded(%x: tensor<1x4x4xf32>) -> tensor<1x6x6xf32> {
  %p = "onnx.Constant"() {value = dense<[0, 1, 1, 0, 1, 1]> : tensor<6xi64>} : () -> tensor<6xi64>
  %v = "onnx.Constant"() {value = dense<500.0> : tensor<f32>} : () -> tensor<f32>
  %s = "onnx.Sigmoid"(%x) {onnx_node_name = "scores"} : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
  %y = "onnx.Pad"(%s, %p, %v) {onnx_node_name = "pad"} : (tensor<1x4x4xf32>, tensor<6xi64>, tensor<f32>) -> tensor<1x6x6xf32>
  return %y : tensor<1x6x6xf32>
}
