// One graph in which each clean-up pass has something to do, in the main graph and in a body.
func.func @small(%x: tensor<2x4x6xf32>, %flag: tensor<i1>) -> (tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<2x6x4xf32>) {
  %one = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %uno = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %k = "onnx.Constant"() {value = dense<2.5> : tensor<f32>} : () -> tensor<f32>
  %unused = "onnx.Constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %shape = "onnx.Constant"() {value = dense<[2, 4, 6]> : tensor<3xi64>} : () -> tensor<3xi64>
  %two = "onnx.Add"(%one, %uno) {onnx_node_name = "two"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %same = "onnx.Identity"(%x) {onnx_node_name = "same"} : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %still = "onnx.Reshape"(%same, %shape) {onnx_node_name = "still"} : (tensor<2x4x6xf32>, tensor<3xi64>) -> tensor<2x4x6xf32>
  %t1 = "onnx.Transpose"(%still) {onnx_node_name = "t1", perm = [0, 2, 1]} : (tensor<2x4x6xf32>) -> tensor<2x6x4xf32>
  %relu = "onnx.Relu"(%t1) {onnx_node_name = "relu"} : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  %scaled = "onnx.Mul"(%relu, %k) {onnx_node_name = "scaled"} : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6x4xf32>
  %t2 = "onnx.Transpose"(%scaled) {onnx_node_name = "t2", perm = [0, 2, 1]} : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %a = "onnx.Exp"(%t2) {onnx_node_name = "a"} : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %b = "onnx.Exp"(%t2) {onnx_node_name = "b"} : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %sum = "onnx.Add"(%a, %b) {onnx_node_name = "sum"} : (tensor<2x4x6xf32>, tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %dead = "onnx.Neg"(%sum) {onnx_node_name = "dead"} : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %branch = "onnx.If"(%flag) ({
    %i = "onnx.Identity"(%sum) {onnx_node_name = "i"} : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
    %c1 = "onnx.Cos"(%i) {onnx_node_name = "c1"} : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
    %c2 = "onnx.Cos"(%i) {onnx_node_name = "c2"} : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
    %c = "onnx.Mul"(%c1, %c2) {onnx_node_name = "c"} : (tensor<2x4x6xf32>, tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
    onnx.Yield %c : tensor<2x4x6xf32>
  }, {
    %three = "onnx.Add"(%one, %two) {onnx_node_name = "three"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %d = "onnx.Mul"(%x, %three) {onnx_node_name = "d"} : (tensor<2x4x6xf32>, tensor<f32>) -> tensor<2x4x6xf32>
    %nothing = "onnx.Neg"(%d) {onnx_node_name = "nothing"} : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
    onnx.Yield %d : tensor<2x4x6xf32>
  }) {onnx_node_name = "branch"} : (tensor<i1>) -> tensor<2x4x6xf32>
  %out = "onnx.Identity"(%sum) {onnx_node_name = "out"} : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t3 = "onnx.Transpose"(%out) {onnx_node_name = "t3", perm = [0, 2, 1]} : (tensor<2x4x6xf32>) -> tensor<2x6x4xf32>
  onnx.Return %out, %branch, %t3 : tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<2x6x4xf32>
}
