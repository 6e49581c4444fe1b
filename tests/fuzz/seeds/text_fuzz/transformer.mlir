// Gelu in two spellings, layer normalization and RMS normalization from primitives.
func.func @transformer(%x: tensor<?{batch}x3x8xf32>) -> (tensor<?{batch}x3x8xf32>, tensor<?{batch}x3x8xf32>, tensor<?{batch}x3x8xf32>, tensor<?{batch}x3x8xf32>) {
  %half = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %one = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %two = "onnx.Constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %three = "onnx.Constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %root2 = "onnx.Constant"() {value = dense<1.41421354> : tensor<f32>} : () -> tensor<f32>
  %cubic = "onnx.Constant"() {value = dense<0.044715> : tensor<f32>} : () -> tensor<f32>
  %slope = "onnx.Constant"() {value = dense<0.797884583> : tensor<f32>} : () -> tensor<f32>
  %eps = "onnx.Constant"() {value = dense<1e-05> : tensor<f32>} : () -> tensor<f32>
  %last = "onnx.Constant"() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %gain = "onnx.Constant"() {value = dense<[1.0, 2.0, 0.5, 1.5, 1.0, -1.0, 0.25, 3.0]> : tensor<8xf32>} : () -> tensor<8xf32>
  %shift = "onnx.Constant"() {value = dense<[0.0, 1.0, -0.5, 0.5, 0.125, -1.0, 0.25, 2.0]> : tensor<8xf32>} : () -> tensor<8xf32>
  %g0 = "onnx.Div"(%x, %root2) {onnx_node_name = "g0"} : (tensor<?{batch}x3x8xf32>, tensor<f32>) -> tensor<?{batch}x3x8xf32>
  %g1 = "onnx.Erf"(%g0) {onnx_node_name = "g1"} : (tensor<?{batch}x3x8xf32>) -> tensor<?{batch}x3x8xf32>
  %g2 = "onnx.Add"(%g1, %one) {onnx_node_name = "g2"} : (tensor<?{batch}x3x8xf32>, tensor<f32>) -> tensor<?{batch}x3x8xf32>
  %g3 = "onnx.Mul"(%half, %x) {onnx_node_name = "g3"} : (tensor<f32>, tensor<?{batch}x3x8xf32>) -> tensor<?{batch}x3x8xf32>
  %gelu = "onnx.Mul"(%g2, %g3) {onnx_node_name = "gelu"} : (tensor<?{batch}x3x8xf32>, tensor<?{batch}x3x8xf32>) -> tensor<?{batch}x3x8xf32>
  %t0 = "onnx.Pow"(%x, %three) {onnx_node_name = "t0"} : (tensor<?{batch}x3x8xf32>, tensor<f32>) -> tensor<?{batch}x3x8xf32>
  %t1 = "onnx.Mul"(%t0, %cubic) {onnx_node_name = "t1"} : (tensor<?{batch}x3x8xf32>, tensor<f32>) -> tensor<?{batch}x3x8xf32>
  %t2 = "onnx.Add"(%x, %t1) {onnx_node_name = "t2"} : (tensor<?{batch}x3x8xf32>, tensor<?{batch}x3x8xf32>) -> tensor<?{batch}x3x8xf32>
  %t3 = "onnx.Mul"(%slope, %t2) {onnx_node_name = "t3"} : (tensor<f32>, tensor<?{batch}x3x8xf32>) -> tensor<?{batch}x3x8xf32>
  %t4 = "onnx.Tanh"(%t3) {onnx_node_name = "t4"} : (tensor<?{batch}x3x8xf32>) -> tensor<?{batch}x3x8xf32>
  %t5 = "onnx.Add"(%one, %t4) {onnx_node_name = "t5"} : (tensor<f32>, tensor<?{batch}x3x8xf32>) -> tensor<?{batch}x3x8xf32>
  %t6 = "onnx.Mul"(%x, %t5) {onnx_node_name = "t6"} : (tensor<?{batch}x3x8xf32>, tensor<?{batch}x3x8xf32>) -> tensor<?{batch}x3x8xf32>
  %tanh_gelu = "onnx.Mul"(%t6, %half) {onnx_node_name = "tanh_gelu"} : (tensor<?{batch}x3x8xf32>, tensor<f32>) -> tensor<?{batch}x3x8xf32>
  %l0 = "onnx.ReduceMean"(%x, %last) {onnx_node_name = "l0"} : (tensor<?{batch}x3x8xf32>, tensor<1xi64>) -> tensor<?{batch}x3x1xf32>
  %l1 = "onnx.Sub"(%x, %l0) {onnx_node_name = "l1"} : (tensor<?{batch}x3x8xf32>, tensor<?{batch}x3x1xf32>) -> tensor<?{batch}x3x8xf32>
  %l2 = "onnx.Pow"(%l1, %two) {onnx_node_name = "l2"} : (tensor<?{batch}x3x8xf32>, tensor<f32>) -> tensor<?{batch}x3x8xf32>
  %l3 = "onnx.ReduceMean"(%l2, %last) {onnx_node_name = "l3"} : (tensor<?{batch}x3x8xf32>, tensor<1xi64>) -> tensor<?{batch}x3x1xf32>
  %l4 = "onnx.Add"(%l3, %eps) {onnx_node_name = "l4"} : (tensor<?{batch}x3x1xf32>, tensor<f32>) -> tensor<?{batch}x3x1xf32>
  %l5 = "onnx.Sqrt"(%l4) {onnx_node_name = "l5"} : (tensor<?{batch}x3x1xf32>) -> tensor<?{batch}x3x1xf32>
  %l6 = "onnx.Div"(%l1, %l5) {onnx_node_name = "l6"} : (tensor<?{batch}x3x8xf32>, tensor<?{batch}x3x1xf32>) -> tensor<?{batch}x3x8xf32>
  %l7 = "onnx.Mul"(%gain, %l6) {onnx_node_name = "l7"} : (tensor<8xf32>, tensor<?{batch}x3x8xf32>) -> tensor<?{batch}x3x8xf32>
  %layer = "onnx.Add"(%l7, %shift) {onnx_node_name = "layer"} : (tensor<?{batch}x3x8xf32>, tensor<8xf32>) -> tensor<?{batch}x3x8xf32>
  %r0 = "onnx.Mul"(%x, %x) {onnx_node_name = "r0"} : (tensor<?{batch}x3x8xf32>, tensor<?{batch}x3x8xf32>) -> tensor<?{batch}x3x8xf32>
  %r1 = "onnx.ReduceMean"(%r0, %last) {onnx_node_name = "r1"} : (tensor<?{batch}x3x8xf32>, tensor<1xi64>) -> tensor<?{batch}x3x1xf32>
  %r2 = "onnx.Add"(%r1, %eps) {onnx_node_name = "r2"} : (tensor<?{batch}x3x1xf32>, tensor<f32>) -> tensor<?{batch}x3x1xf32>
  %r3 = "onnx.Sqrt"(%r2) {onnx_node_name = "r3"} : (tensor<?{batch}x3x1xf32>) -> tensor<?{batch}x3x1xf32>
  %r4 = "onnx.Div"(%x, %r3) {onnx_node_name = "r4"} : (tensor<?{batch}x3x8xf32>, tensor<?{batch}x3x1xf32>) -> tensor<?{batch}x3x8xf32>
  %rms = "onnx.Mul"(%r4, %gain) {onnx_node_name = "rms"} : (tensor<?{batch}x3x8xf32>, tensor<8xf32>) -> tensor<?{batch}x3x8xf32>
  onnx.Return %gelu, %tanh_gelu, %layer, %rms : tensor<?{batch}x3x8xf32>, tensor<?{batch}x3x8xf32>, tensor<?{batch}x3x8xf32>, tensor<?{batch}x3x8xf32>
}
