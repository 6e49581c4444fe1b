func.func @lengths(%x: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %a = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %l = "onnx.Constant"() {value = dense<1.0e-6> : tensor<f32>} : () -> tensor<f32>
  %q = "onnx.Constant"() {value = dense<1.0e-12> : tensor<f32>} : () -> tensor<f32>
  %s = "onnx.Mul"(%x, %x) {onnx_node_name = "square"} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %m = "onnx.ReduceSum"(%s, %a) {onnx_node_name = "sum"} : (tensor<4x16xf32>, tensor<1xi64>) -> tensor<4x1xf32>
  %r = "onnx.Sqrt"(%m) {onnx_node_name = "root"} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %c = "onnx.Max"(%r, %l) {onnx_node_name = "length"} : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %y = "onnx.Div"(%x, %c) {onnx_node_name = "norm"} : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
  %g = "onnx.Max"(%m, %q) {onnx_node_name = "greater"} : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %t = "onnx.Sqrt"(%g) {onnx_node_name = "other_root"} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %i = "onnx.Reciprocal"(%t) {onnx_node_name = "inverse"} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %z = "onnx.Mul"(%x, %i) {onnx_node_name = "other_norm"} : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
  return %y, %z : tensor<4x16xf32>, tensor<4x16xf32>
}
