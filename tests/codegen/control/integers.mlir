// Carried values that change places, as many rounds as an input says (none, too), unless another stops it; beside it a loop that is left
// out by its constant trip count.
func.func @integers(%count: tensor<i64>, %go: tensor<i1>, %a: tensor<3xi32>, %b: tensor<3xi32>, %k: tensor<1xi64>) -> (tensor<3xi32>, tensor<3xi32>, tensor<1xi64>, tensor<i1>, tensor<3xi32>) {
  %three = "onnx.Constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %zero = "onnx.Constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %some = "onnx.Sub"(%count, %three) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %x, %y, %last, %went, %same = "onnx.Loop"(%some, %go, %a, %b, %k, %go, %a) ({
  ^body(%i: tensor<1xi64>, %c: tensor<i1>, %p: tensor<3xi32>, %q: tensor<3xi32>, %l: tensor<1xi64>, %w: tensor<i1>, %s: tensor<3xi32>):
    %f = "onnx.Add"(%p, %q) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %d = "onnx.ReduceMax"(%f) {keepdims = 0} : (tensor<3xi32>) -> tensor<i32>
    %limit = "onnx.Constant"() {value = dense<300> : tensor<i32>} : () -> tensor<i32>
    %o = "onnx.Less"(%d, %limit) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    onnx.Yield %o, %q, %f, %i, %c, %s : tensor<i1>, tensor<3xi32>, tensor<3xi32>, tensor<1xi64>, tensor<i1>, tensor<3xi32>
  }) : (tensor<i64>, tensor<i1>, tensor<3xi32>, tensor<3xi32>, tensor<1xi64>, tensor<i1>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>, tensor<1xi64>, tensor<i1>, tensor<3xi32>)
  %kept = "onnx.Loop"(%zero, %go, %same) ({
  ^body(%i: tensor<i64>, %c: tensor<i1>, %p: tensor<3xi32>):
    %f = "onnx.Add"(%p, %p) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    onnx.Yield %c, %f : tensor<i1>, tensor<3xi32>
  }) : (tensor<i64>, tensor<i1>, tensor<3xi32>) -> (tensor<3xi32>)
  return %x, %y, %last, %went, %kept : tensor<3xi32>, tensor<3xi32>, tensor<1xi64>, tensor<i1>, tensor<3xi32>
}
