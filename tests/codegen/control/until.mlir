// Doubles until the sum is beyond 40, then adds one: a condition computed in the round, a branch on it, the number of rounds beside.
func.func @until(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<i64>) {
  %go = "onnx.Constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %zero = "onnx.Constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %end = "onnx.Constant"() {value = dense<40.0> : tensor<f32>} : () -> tensor<f32>
  %start = "onnx.Abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %none = "onnx.NoValue"() : () -> none
  %y, %rounds = "onnx.Loop"(%none, %go, %start, %zero) ({
  ^body(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2xf32>, %n: tensor<i64>):
    %two = "onnx.Constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %one = "onnx.Constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    %w = "onnx.Mul"(%v, %two) {onnx_node_name = "*/ #error in a body"} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %sum = "onnx.ReduceSum"(%w) {keepdims = 0} : (tensor<2xf32>) -> tensor<f32>
    %o = "onnx.Less"(%sum, %end) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %r = "onnx.Add"(%n, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %u = "onnx.If"(%o) ({
      %p = "onnx.Add"(%w, %two) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      onnx.Yield %p : tensor<2xf32>
    }, {
      onnx.Yield %w : tensor<2xf32>
    }) : (tensor<i1>) -> tensor<2xf32>
    onnx.Yield %o, %u, %r : tensor<i1>, tensor<2xf32>, tensor<i64>
  }) : (none, tensor<i1>, tensor<2xf32>, tensor<i64>) -> (tensor<2xf32>, tensor<i64>)
  return %y, %rounds : tensor<2xf32>, tensor<i64>
}
