// LayerNormalization over channels that are not the last dim, spelled out.
func.func @net(%x: tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32> {
  %axes = "onnx.Constant"() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %two = "onnx.Constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %eps = "onnx.Constant"() {value = dense<0.000001> : tensor<f32>} : () -> tensor<f32>
  %scale = "onnx.Constant"() {value = dense<[[[0.5]], [[-1.0]], [[2.0]], [[0.25]]]> : tensor<4x1x1xf32>} : () -> tensor<4x1x1xf32>
  %bias = "onnx.Constant"() {value = dense<[[[1.0]], [[0.0]], [[-0.5]], [[3.0]]]> : tensor<4x1x1xf32>} : () -> tensor<4x1x1xf32>
  %m = "onnx.ReduceMean"(%x, %axes) : (tensor<2x4x3x3xf32>, tensor<1xi64>) -> tensor<2x1x3x3xf32>
  %d = "onnx.Sub"(%x, %m) : (tensor<2x4x3x3xf32>, tensor<2x1x3x3xf32>) -> tensor<2x4x3x3xf32>
  %dd = "onnx.Pow"(%d, %two) : (tensor<2x4x3x3xf32>, tensor<f32>) -> tensor<2x4x3x3xf32>
  %v = "onnx.ReduceMean"(%dd, %axes) : (tensor<2x4x3x3xf32>, tensor<1xi64>) -> tensor<2x1x3x3xf32>
  %ve = "onnx.Add"(%v, %eps) : (tensor<2x1x3x3xf32>, tensor<f32>) -> tensor<2x1x3x3xf32>
  %r = "onnx.Sqrt"(%ve) : (tensor<2x1x3x3xf32>) -> tensor<2x1x3x3xf32>
  %n = "onnx.Div"(%d, %r) : (tensor<2x4x3x3xf32>, tensor<2x1x3x3xf32>) -> tensor<2x4x3x3xf32>
  %s = "onnx.Mul"(%scale, %n) : (tensor<4x1x1xf32>, tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  %y = "onnx.Add"(%s, %bias) : (tensor<2x4x3x3xf32>, tensor<4x1x1xf32>) -> tensor<2x4x3x3xf32>
  return %y : tensor<2x4x3x3xf32>
}
