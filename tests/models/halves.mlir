func.func @halves(%x: tensor<2x4xf16>, %z: tensor<2x4xbf16>) -> (tensor<2x4xf16>, tensor<2x4xf32>, tensor<2x4xbf16>) {
  %w = "onnx.Constant"() {value = dense<[[0.5, -0.25, 1.0, 0.125], [1.5, 0.75, -0.5, 0.25], [0.0, 1.0, 0.5, -1.0], [0.25, 0.5, -0.75, 1.0]]> : tensor<4x4xf16>} : () -> tensor<4x4xf16>
  %b = "onnx.Constant"() {value = dense<[0.5, -0.5, 0.25, 1.0]> : tensor<4xf16>} : () -> tensor<4xf16>
  %m = "onnx.Gemm"(%x, %w, %b) {onnx_node_name = "gemm"} : (tensor<2x4xf16>, tensor<4x4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
  %r = "onnx.Relu"(%m) {onnx_node_name = "relu"} : (tensor<2x4xf16>) -> tensor<2x4xf16>
  %shape = "onnx.Shape"(%r) {onnx_node_name = "shape"} : (tensor<2x4xf16>) -> tensor<2xi64>
  %one = "onnx.ConstantOfShape"(%shape) {onnx_node_name = "ones", value = dense<1.0> : tensor<1xf16>} : (tensor<2xi64>) -> tensor<2x4xf16>
  %s = "onnx.Add"(%r, %one) {onnx_node_name = "add"} : (tensor<2x4xf16>, tensor<2x4xf16>) -> tensor<2x4xf16>
  %wide = "onnx.Cast"(%s) {onnx_node_name = "wide", to = 1 : si64} : (tensor<2x4xf16>) -> tensor<2x4xf32>
  %narrow = "onnx.Cast"(%wide) {onnx_node_name = "narrow", to = 16 : si64} : (tensor<2x4xf32>) -> tensor<2x4xbf16>
  %sum = "onnx.Add"(%narrow, %z) {onnx_node_name = "sum"} : (tensor<2x4xbf16>, tensor<2x4xbf16>) -> tensor<2x4xbf16>
  return %s, %wide, %sum : tensor<2x4xf16>, tensor<2x4xf32>, tensor<2x4xbf16>
}
