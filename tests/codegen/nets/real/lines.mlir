func.func @net(%x: tensor<2x3x8xf32>, %s: tensor<1x4x4xf32>, %c: tensor<1x4x4xf32>) -> (tensor<2x3x1xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x3xf32>, tensor<2x3x3xi64>, tensor<1x2x4x8xf32>) {
  %axis = "onnx.Constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %three = "onnx.Constant"() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
  %h = "onnx.Constant"() {value = dense<0.5> : tensor<1x2x4x8xf32>} : () -> tensor<1x2x4x8xf32>
  %n = "onnx.LpNormalization"(%x) {onnx_node_name = "normalized", axis = -1 : si64, p = 2 : si64} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %sums = "onnx.CumSum"(%x, %axis) {onnx_node_name = "sums"} : (tensor<2x3x8xf32>, tensor<i64>) -> tensor<2x3x8xf32>
  %t, %places = "onnx.TopK"(%x, %three) {onnx_node_name = "best"} : (tensor<2x3x8xf32>, tensor<1xi64>) -> (tensor<2x3x3xf32>, tensor<2x3x3xi64>)
  %turned = "onnx.RotaryEmbedding"(%h, %c, %s) {onnx_node_name = "turned"} : (tensor<1x2x4x8xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> tensor<1x2x4x8xf32>
  %scale = "onnx.Constant"() {value = dense<1.5> : tensor<8xf32>} : () -> tensor<8xf32>
  %root = "onnx.RMSNormalization"(%n, %scale) {onnx_node_name = "root", axis = -1 : si64} : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  %axes = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %log = "onnx.ReduceLogSumExp"(%x, %axes) {onnx_node_name = "log", keepdims = 1 : si64} : (tensor<2x3x8xf32>, tensor<1xi64>) -> tensor<2x3x1xf32>
  return %log, %root, %sums, %t, %places, %turned : tensor<2x3x1xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x3xf32>, tensor<2x3x3xi64>, tensor<1x2x4x8xf32>
}
