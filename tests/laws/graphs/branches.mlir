// Branches whose condition is known: one that computes, takes a value of the graph around it and has another within, and one that hands a value on.
func.func @branches(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %yes = "onnx.Constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %no = "onnx.Constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %k = "onnx.Constant"() {value = dense<2.5> : tensor<f32>} : () -> tensor<f32>
  %computed = "onnx.If"(%yes) ({
    %scaled = "onnx.Mul"(%x, %k) {onnx_node_name = "scaled"} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %inner = "onnx.If"(%no) ({
      %n = "onnx.Neg"(%scaled) {onnx_node_name = "n"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      onnx.Yield %n : tensor<2x3xf32>
    }, {
      %e = "onnx.Exp"(%scaled) {onnx_node_name = "e"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      onnx.Yield %e : tensor<2x3xf32>
    }) {onnx_node_name = "inner"} : (tensor<i1>) -> tensor<2x3xf32>
    onnx.Yield %inner : tensor<2x3xf32>
  }, {
    %c = "onnx.Cos"(%x) {onnx_node_name = "c"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    onnx.Yield %c : tensor<2x3xf32>
  }) {onnx_node_name = "computed"} : (tensor<i1>) -> tensor<2x3xf32>
  %handed = "onnx.If"(%no) ({
    %r = "onnx.Relu"(%x) {onnx_node_name = "r"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    onnx.Yield %r : tensor<2x3xf32>
  }, {
    %i = "onnx.Identity"(%computed) {onnx_node_name = "i"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    onnx.Yield %i : tensor<2x3xf32>
  }) {onnx_node_name = "handed"} : (tensor<i1>) -> tensor<2x3xf32>
  onnx.Return %computed, %handed : tensor<2x3xf32>, tensor<2x3xf32>
}
